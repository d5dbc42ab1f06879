// expect: opus::tiled_mma: the scales must be one integer, or an array of as many as
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

constexpr auto mma =
    make_tiled_mma<fp4_t, fp4_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});

__global__ void k(const array<fp4_t, 64>* a, const array<fp4_t, 32>* b, fp32x8_t* c,
                  const array<int, 3>* scales) {
    *c = mma(*a, *b, *c, *scales, 127);
}
