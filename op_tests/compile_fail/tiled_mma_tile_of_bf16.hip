// expect: operand B has elements of another floating-point type
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x16_t* a, const bf16x8_t* b, fp32x8_t* c) {
    *c = mma(*a, *b, *c);
}
