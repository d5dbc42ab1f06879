// expect: opus::s_waitcnt: vmcnt is 0 .. 63
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    s_waitcnt_vmcnt(64_I);
}
