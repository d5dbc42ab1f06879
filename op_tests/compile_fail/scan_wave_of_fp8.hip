// expect: opus::scan_wave, scan_block: the compiler takes codes of fp8 and bf8 for integers
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(fp8_t* p) {
    *p = scan_wave(*p, plus{});
}
