#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

// == bitonic_sort_lanes
// expect: opus::bitonic_sort_wave, bitonic_merge_wave: 2, 4, 8, 16, 32 or 64 lanes
namespace bitonic_sort_lanes {
__global__ void k(float* p) {
    *p = bitonic_sort_wave<12>(*p);
}
}  // namespace bitonic_sort_lanes

// == bitonic_sort_of_fp16
// expect: opus::bitonic_sort_wave, bitonic_merge_wave: keys are fp32, i32 or u32
namespace bitonic_sort_of_fp16 {
__global__ void k(fp16_t* p) {
    *p = bitonic_sort_wave(*p);
}
}  // namespace bitonic_sort_of_fp16

// == load_vector_nbytes_chunk
// expect: opus::load_vector_nbytes, store_vector_nbytes: a chunk has 1, 2, 4, 8, 12 or 16 bytes
namespace load_vector_nbytes_chunk {
__global__ void k(const fp16_t* p, fp16_t* q) {
    *q = load_vector_nbytes<fp16_t, 6, 6>(make_gmem(p), 0)[0];
}
}  // namespace load_vector_nbytes_chunk

// == load_vector_nbytes_parts
// expect: opus::load_vector_nbytes: vec_size elements are whole chunks of chunk_bytes
namespace load_vector_nbytes_parts {
__global__ void k(const float* p, float* q) {
    *q = load_vector_nbytes<float, 6, 16>(make_gmem(p), 0)[0];
}
}  // namespace load_vector_nbytes_parts

// == scaled_cast_odd
// expect: opus::scaled_cast: an even number of elements is required
namespace scaled_cast_odd {
__global__ void k(const vector_t<float, 3>* p, vector_t<fp8_t, 3>* q) {
    *q = scaled_cast<fp8_t>(*p, 2.0f);
}
}  // namespace scaled_cast_odd

// == scaled_cast_of_integers
// expect: opus::scaled_cast: elements of fp32, fp16, bf16 or fp4 are required
namespace scaled_cast_of_integers {
__global__ void k(const i32x2_t* p, fp8x2_t* q) {
    *q = scaled_cast<fp8_t>(*p, 2.0f);
}
}  // namespace scaled_cast_of_integers

// == store_vector_nbytes_as_integers
// expect: opus::store_vector, store_vector_nbytes: what is stored is
namespace store_vector_nbytes_as_integers {
__global__ void k(int* p, const fp32x4_t* v) {
    store_vector_nbytes<int, float, 4, 16>(make_gmem(p), *v, 0);
}
}  // namespace store_vector_nbytes_as_integers

// == store_vector_of_2_bytes
// expect: opus::store_vector: what a lane stores at a time is a multiple of 4 bytes
namespace store_vector_of_2_bytes {
__global__ void k(fp16_t* p, fp16_t x) {
    store_vector<fp16_t, fp16_t, 1>(make_gmem(p), vector_t<fp16_t, 1>{x}, 0);
}
}  // namespace store_vector_of_2_bytes

// == scales_of_another_mma
// expect: opus::partition_layout_scale, tile_coordinates_scale: the mma is of 16x16x128
namespace scales_of_another_mma {
__global__ void kernel(const u8_t* p, u8_t* q) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto u = partition_layout_scale_a(mma, make_tuple(4_I, 1_I), thread_id_x());
    *q = make_gmem(p).load<1>(u)[0];
}
}  // namespace scales_of_another_mma

// == within_of_another_operand
// expect: opus::load_within: the coordinates must be of as many items as the layout
namespace within_of_another_operand {
__global__ void kernel(const fp16_t* p, int k) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto u = partition_layout_a(mma, make_tuple(k, 1_I), thread_id_x());
    load_within(make_gmem(p), u, tile_coordinates_c(mma, thread_id_x()), _, k);
}
}  // namespace within_of_another_operand
