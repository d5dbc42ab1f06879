// expect: opus::s_waitcnt_lgkmcnt: counts are constants .write 0_I, not 0
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    s_waitcnt_lgkmcnt(0);
}
