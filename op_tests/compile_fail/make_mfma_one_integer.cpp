// expect: opus::make_mfma: M, N and K must be constants .write 32_I, not 32.
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(int k) {
    make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, k, mfma_adaptor_swap_ab{});
}
