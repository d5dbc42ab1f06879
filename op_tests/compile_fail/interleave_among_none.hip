// expect: opus::interleave: .* among 1 or more
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    interleave(sched::mfma, 0_I, sched::lds_read, 1_I);
}
