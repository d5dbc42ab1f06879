// expect: opus::load_or: elements of whole bytes are required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp4_t* p, array<fp4_t, 8>* q) {
    *q = make_gmem(p).load_or<8>(fp4_t{0}, 0);
}
