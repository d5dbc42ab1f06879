// expect: opus: the layout of an fp4 operand counts codes of 4 bits, so the memory must have such elements
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const u8_t* p, u8x32_t* out) {
    const auto mma = make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I);
    const auto u = partition_layout_b(mma, make_tuple(64_I, 1_I), thread_id_x());
    *out = make_gmem(p).load<16>(u);
}
