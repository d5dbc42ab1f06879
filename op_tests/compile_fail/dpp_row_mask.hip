// expect: opus::mov_dpp, upd_dpp: row_mask is 0 .. 15
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    *p = mov_dpp(*p, dpp::row_mirror, 16_I);
}
