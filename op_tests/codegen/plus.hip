// Kernels of opus_plus.hpp's helpers.
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

extern "C" {
__global__ void load_row(const fp16_t* p, fp16_t* q) {
    const auto from = make_gmem(p, 65536u);
    const auto to = make_gmem(q, 65536u);
    const int row = thread_id_x() * 32;
    store_vector_nbytes<fp16_t, fp16_t, 32, 16>(to, load_vector_nbytes<fp16_t, 32, 16>(from, row),
                                                row);
}
__global__ void load_interleaved(const float* p, float* q) {
    const auto from = make_gmem(p, 65536u);
    const auto to = make_gmem(q, 65536u);
    const int first = thread_id_x() * 4;
    const auto v = load_vector_nbytes<float, 16, 16, 3, true, 256>(from, first);
    store_vector_nbytes<float, float, 16, 16, 0, true, 256>(to, v, first);
}
__global__ void scale_two(const fp32x2_t* p, fp8x2_t* q, float s) {
    q[thread_id_x()] = scaled_cast<fp8_t>(p[thread_id_x()], s);
}
__global__ void sort_wave(float* p) {
    p[lane_id()] = bitonic_sort_wave(p[lane_id()]);
}
__global__ void sort_rows(float* p) {
    p[lane_id()] = bitonic_sort_wave<16>(p[lane_id()]);
}
}
