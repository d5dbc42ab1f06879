// expect: opus::mov_dpp, upd_dpp: the control must be one of gfx9
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    *p = mov_dpp(*p, 0x110_I);
}
