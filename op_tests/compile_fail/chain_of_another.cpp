// expect: opus::chain_a, chain_b: takes what make_mfma and make_tiled_mma return
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

struct own_mma {};
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_a(mma, own_mma{});
