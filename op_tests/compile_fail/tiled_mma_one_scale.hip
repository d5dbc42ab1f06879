// expect: opus::mfma: takes .a, b., .*both scales
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp4_t, fp4_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});

__global__ void k(fp32x8_t* c, const array<fp4_t, 64>* a, const array<fp4_t, 32>* b, int scale) {
    *c = mma(*a, *b, *c, scale);
}
