// Parts of vectors with elements below a dword: whole registers move, if any.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

extern "C" {
__global__ void slice_fp16(const fp16x8_t* in, fp16x4_t* out) {
    out[threadIdx.x] = slice(in[threadIdx.x], 2_I, 6_I);
}
__global__ void slice_i8(const i8x16_t* in, i8x8_t* out) {
    out[threadIdx.x] = slice(in[threadIdx.x], 4_I, 12_I);
}
__global__ void set_slice_fp16(const fp16x8_t* in, const fp16x4_t* part, fp16x8_t* out) {
    fp16x8_t x = in[threadIdx.x];
    set_slice(x, part[threadIdx.x], 4_I, 8_I);
    out[threadIdx.x] = x;
}
__global__ void set_slice_i8(const i8x16_t* in, const i8x8_t* part, i8x16_t* out) {
    i8x16_t x = in[threadIdx.x];
    set_slice(x, part[threadIdx.x], 4_I, 12_I);
    out[threadIdx.x] = x;
}
__global__ void concat_i8(const i8x4_t* a, const i8x4_t* b, i8x8_t* out) {
    out[threadIdx.x] = concat_vector(a[threadIdx.x], b[threadIdx.x]);
}
}
