// expect: opus: elements below a byte must be accessed in whole bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp4_t* p) {
    make_gmem(p).store<3>(make_gmem(p).load<3>(0), 0);
}
