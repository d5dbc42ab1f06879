// expect: no matching function for call to 'print'
// target: gfx942
// compiler's: a host function called from a kernel
#include "opus/hip_minimal.hpp"
#include "opus/opus_debug.hpp"

using namespace opus;
using opus::operator""_I;

// The device pass knows the function: it is the kernel that must not call it.
inline void on_the_host() {
    print(make_layout(2_I, 3_I));
}
__global__ void k() {
    print(make_layout(2_I, 3_I));
}
