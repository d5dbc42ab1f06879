#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == bf16_rounding_mode
// expect: opus::fp32_to_bf16: the rounding mode is 0.* 5
namespace bf16_rounding_mode {
auto a = opus::fp32_to_bf16(1.0f, opus::number<6>{});
}  // namespace bf16_rounding_mode

// == cast_format_and_two_scales
// expect: opus::cast: takes one scale
namespace cast_format_and_two_scales {
auto x = cast<fp8_t>(1.0f, fp8_fnuz{}, 1.0f, 1.0f);
}  // namespace cast_format_and_two_scales

// == cast_format_of_another_type
// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
namespace cast_format_of_another_type {
auto x = cast<fp8_t>(1.0f, bf8_fnuz{});
}  // namespace cast_format_of_another_type

// == cast_format_without_fp8
// expect: opus::cast: fp8_ocp, fp8_fnuz, bf8_ocp and bf8_fnuz are for conversions
namespace cast_format_without_fp8 {
auto x = cast<bf16_t>(1.0f, fp8_fnuz{});
}  // namespace cast_format_without_fp8

// == cast_mode_not_constant
// expect: opus::cast: a scale is .*a rounding mode is a constant such as 0_I
namespace cast_mode_not_constant {
auto a = opus::cast<opus::fp4_t>(1.0f, 0);
}  // namespace cast_mode_not_constant

// == cast_mode_of_bf16_not_constant
// expect: opus::cast: write 0_I, not 0: the rounding mode is a constant
namespace cast_mode_of_bf16_not_constant {
auto a = opus::cast<opus::bf16_t>(opus::fp32x4_t{1, 2, 3, 4}, 0);
}  // namespace cast_mode_of_bf16_not_constant

// == cast_mode_without_bf16
// expect: opus::cast: a rounding mode is for conversions to bf16
namespace cast_mode_without_bf16 {
auto a = opus::cast<opus::fp8_t>(1.0f, opus::number<0>{});
}  // namespace cast_mode_without_bf16

// == cast_packed_count
// expect: opus::fp32_to_fp8_packed_x4: takes 4 values of fp32
namespace cast_packed_count {
auto a = opus::fp32_to_fp8_packed_x4(opus::fp32x2_t{1, 2});
}  // namespace cast_packed_count

// == cast_saturate_before_scale
// expect: opus::cast: one scale may follow, .*before saturate
namespace cast_saturate_before_scale {
auto x = cast<fp8_t>(1.0f, saturate{}, 2.0f);
}  // namespace cast_saturate_before_scale

// == cast_saturate_to_fp4
// expect: opus::cast: saturate{} is for conversions
namespace cast_saturate_to_fp4 {
auto x = cast<fp4_t>(fp32x2_t{1, 2}, saturate{});
}  // namespace cast_saturate_to_fp4

// == cast_scale_before_format
// expect: opus::cast: one scale may follow, after the format
namespace cast_scale_before_format {
auto x = cast<fp8_t>(1.0f, 2.0f, fp8_fnuz{});
}  // namespace cast_scale_before_format

// == cast_scale_without_small_format
// expect: opus::cast: a scale is for conversions
namespace cast_scale_without_small_format {
auto a = opus::cast<opus::fp16_t>(1.0f, 2.0f);
}  // namespace cast_scale_without_small_format

// == cast_two_formats
// expect: opus::cast: takes one scale
namespace cast_two_formats {
auto x = cast<fp8_t>(1.0f, fp8_fnuz{}, fp8_fnuz{}, 1.0f);
}  // namespace cast_two_formats

// == cast_int4_without_plus
// expect: opus::cast: of and to int4_t and uint4_t: include opus_plus.hpp
namespace cast_int4_without_plus {
auto a = opus::cast<opus::fp32_t>(opus::int4_t{1});
}  // namespace cast_int4_without_plus

// == cast_two_knobs
// expect: opus::cast: takes one scale \(a float\) or one rounding mode
namespace cast_two_knobs {
auto a = opus::cast<opus::fp4_t>(1.0f, 1.0f, 2.0f);
}  // namespace cast_two_knobs

// == cast_two_roundings
// expect: opus::cast: there is no such conversion.*wider integers to fp32, int4 and uint4 only
namespace cast_two_roundings {
auto a = opus::cast<opus::bf16_t>(opus::i32_t{1});
}  // namespace cast_two_roundings

// == cast_unknown
// expect: opus::cast: there is no such conversion
namespace cast_unknown {
struct other {
    int x;
};
auto a = opus::cast<opus::fp32_t>(other{});
}  // namespace cast_unknown

// == fp32_to_bf8_format
// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
namespace fp32_to_bf8_format {
auto x = fp32_to_bf8(1.0f, fp8_ocp{});
}  // namespace fp32_to_bf8_format

// == fp4_to_fp32_format
// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
namespace fp4_to_fp32_format {
auto x = fp4_to_fp32(fp4_t{1}, fp8_ocp{});
}  // namespace fp4_to_fp32_format
