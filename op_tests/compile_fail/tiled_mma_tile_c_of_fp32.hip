// expect: operand C has elements of another floating-point type
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp64_t, fp64_t, fp64_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 4>{});

__global__ void k(const fp64x2_t* a, const fp64_t* b, fp32x16_t* c, fp64x8_t* d) {
    *d = mma(*a, *b, *c);
}
