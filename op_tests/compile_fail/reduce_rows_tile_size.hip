// expect: operand C of a tile must have tile_a_len
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x2_t* p, fp32x4_t* q) {
    *q = reduce_rows(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), *p, plus{});
}
