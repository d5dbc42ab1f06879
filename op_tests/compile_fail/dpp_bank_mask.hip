// expect: opus::mov_dpp, upd_dpp: bank_mask is 0 .. 15
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    *p = upd_dpp(0, *p, dpp::row_mirror, 15_I, number<-1>{});
}
