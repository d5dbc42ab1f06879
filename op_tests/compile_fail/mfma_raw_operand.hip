// expect: operand_given<int .*operand A must be the instruction.s vector
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const i32x8_t* a, fp32x4_t* c) {
    *c = mfma<fp6_t, fp6_t, fp32_t, 16, 16, 256>{}(*a, *a, *c);
}
