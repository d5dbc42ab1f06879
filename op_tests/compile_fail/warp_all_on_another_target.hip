// expect: opus::warp_all: gfx942 and gfx950 only; the target is gfx1100
// target: gfx1100
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(bool* p) {
    *p = warp_all(true);
}
