// expect: opus::make_mfma: M, N and K must be constants .write 32_I, not 32.
#include "opus/opus.hpp"

using namespace opus;

void f() {
    make_mfma<fp16_t, fp16_t, fp32_t>(32, 32, 8);
}
