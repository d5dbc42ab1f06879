// expect: opus: the layout of an fp4 operand counts codes of 4 bits, so the memory must have such elements
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(u8x64_t* out) {
    __shared__ u8_t lds[4096];
    const auto mma =
        make_tiled_mma<fp4_t, fp8_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 64>{});
    const auto u = partition_layout_a<16>(mma, make_tuple(32_I, 1_I), thread_id_x());
    *out = make_smem(lds).load<16>(u);
}
