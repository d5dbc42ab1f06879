// expect: opus: DPP, shuffles and reductions are for gfx942 and gfx950; the target is gfx1100
// target: gfx1100
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    *p = mov_dpp(*p, dpp::row_mirror);
}
