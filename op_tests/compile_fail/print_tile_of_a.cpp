// expect: opus::print_tile: tiles\[thread\] must be the tile of a thread
#include "opus/opus_debug.hpp"

using namespace opus;
using opus::operator""_I;

void f(const fp16x8_t* a) {
    print_tile(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I), a);
}
