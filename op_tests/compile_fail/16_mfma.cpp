#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == make_mfma_integers
// expect: opus::make_mfma: M, N and K must be constants .write 32_I, not 32.
namespace make_mfma_integers {
void f() {
    make_mfma<fp16_t, fp16_t, fp32_t>(32, 32, 8);
}
}  // namespace make_mfma_integers

// == make_mfma_one_integer
// expect: opus::make_mfma: M, N and K must be constants .write 32_I, not 32.
namespace make_mfma_one_integer {
void f(int k) {
    make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, k, mfma_adaptor_swap_ab{});
}
}  // namespace make_mfma_one_integer

// == mfma_shape_of_0
// expect: opus::mfma: M, N and K must be at least 1
namespace mfma_shape_of_0 {
mfma<fp16_t, fp16_t, fp32_t, 32, 32, 0> x;
}  // namespace mfma_shape_of_0

// == mfma_unknown_result
// expect: mfma_row<_Float16, _Float16, _Float16, 32, 32, 8>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_result {
auto x = make_mfma<fp16_t, fp16_t, fp16_t>(32_I, 32_I, 8_I).shape_a();
}  // namespace mfma_unknown_result

// == mfma_unknown_shape
// expect: mfma_row<_Float16, _Float16, float, 8, 8, 8>::exists.: opus::mfma: no target has an instruction of these types and M, N and K, or with a K that divides this one .docs/matrix-cores.md lists them
namespace mfma_unknown_shape {
auto x = make_mfma<fp16_t, fp16_t, fp32_t>(8_I, 8_I, 8_I).shape_a();
}  // namespace mfma_unknown_shape

// == mfma_unknown_shape_of_a_mix
// expect: mfma_row<_BitInt.8., opus::bf6_t, float, 16, 16, 32>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_a_mix {
auto x = make_mfma<fp8_t, bf6_t, fp32_t>(16_I, 16_I, 32_I).shape_a();
}  // namespace mfma_unknown_shape_of_a_mix

// == mfma_unknown_shape_of_bf16
// expect: mfma_row<__bf16, __bf16, float, 32, 32, 6>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_bf16 {
auto x = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 6_I).shape_a();
}  // namespace mfma_unknown_shape_of_bf16

// == mfma_unknown_shape_of_fp32
// expect: mfma_row<float, float, float, 16, 32, 4>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_fp32 {
auto x = make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 32_I, 4_I).shape_a();
}  // namespace mfma_unknown_shape_of_fp32

// == mfma_unknown_shape_of_fp4
// expect: mfma_row<opus::fp4_t, opus::fp4_t, float, 16, 16, 64>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_fp4 {
auto x = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 64_I).shape_a();
}  // namespace mfma_unknown_shape_of_fp4

// == mfma_unknown_shape_of_fp64
// expect: mfma_row<double, double, double, 32, 32, 4>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_fp64 {
auto x = make_mfma<fp64_t, fp64_t, fp64_t>(32_I, 32_I, 4_I).shape_a();
}  // namespace mfma_unknown_shape_of_fp64

// == mfma_unknown_shape_of_fp8
// expect: mfma_row<_BitInt.8., _BitInt.8., float, 16, 16, 16>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_fp8 {
auto x = make_mfma<fp8_t, fp8_t, fp32_t>(16_I, 16_I, 16_I).shape_a();
}  // namespace mfma_unknown_shape_of_fp8

// == mfma_unknown_shape_of_i8
// expect: mfma_row<signed char, signed char, int, 16, 16, 6>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_i8 {
auto x = make_mfma<i8_t, i8_t, i32_t>(16_I, 16_I, 6_I).shape_a();
}  // namespace mfma_unknown_shape_of_i8

// == mfma_unknown_shape_of_xf32
// expect: mfma_row<opus::xf32_t, opus::xf32_t, float, 16, 16, 4>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_shape_of_xf32 {
auto x = make_mfma<xf32_t, xf32_t, fp32_t>(16_I, 16_I, 4_I).shape_a();
}  // namespace mfma_unknown_shape_of_xf32

// == mfma_unknown_types
// expect: mfma_row<_Float16, __bf16, float, 32, 32, 8>::exists.: opus::mfma: no target has an instruction of these types
namespace mfma_unknown_types {
auto x = make_mfma<fp16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I).shape_a();
}  // namespace mfma_unknown_types
