// expect: opus::wait_async: 0 .. 63 operations can be left in flight
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    wait_async(64_I);
}
