// expect: opus::s_waitcnt: a count is 0 or more
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    s_waitcnt_vmcnt(number<-1>{});
}
