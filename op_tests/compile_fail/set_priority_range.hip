// expect: opus::set_priority: a priority is 0 .. 3
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    set_priority(4_I);
}
