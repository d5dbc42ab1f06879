// expect: opus::tiled_mma: step_k takes k = 0 .. expd_k - 1
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x16_t* a, const fp16x8_t* b, fp32x8_t* c) {
    *c = mma.step_k(2_I, *a, *b, *c);
}
