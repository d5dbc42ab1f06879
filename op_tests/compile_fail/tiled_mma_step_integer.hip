// expect: opus::step_k: steps are constants .write 0_I, not 0
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(fp32x4_t* c, const fp16x8_t* a) {
    *c = mma.step_k(0, *a, *a, *c);
}
