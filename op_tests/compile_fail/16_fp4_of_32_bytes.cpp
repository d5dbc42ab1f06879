// With OPUS_FP4_OPERANDS_OF_32_BYTES.
#define OPUS_FP4_OPERANDS_OF_32_BYTES 1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == mfma_fp4_bytes_of_steps
// expect: opus::mfma: with OPUS_FP4_OPERANDS_OF_32_BYTES = 1 an fp4 operand is of one instruction
namespace mfma_fp4_bytes_of_steps {
auto mma = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 256_I);
}  // namespace mfma_fp4_bytes_of_steps

// == partition_layout_tr_of_fp4_bytes
// expect: opus::partition_layout_a_tr, _b_tr: the operand must have elements of 16, 8, 6 or 4 bits
namespace partition_layout_tr_of_fp4_bytes {
auto u = partition_layout_b_tr(make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I),
                               make_tuple(1_I, 64_I), make_tuple(0, 0));
}  // namespace partition_layout_tr_of_fp4_bytes
