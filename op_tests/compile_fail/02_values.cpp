#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == literal_fraction
// expect: opus::operator""_I: a decimal, 0x or 0b integer
namespace literal_fraction {
auto x = 1.5_I;
}  // namespace literal_fraction

// == literal_octal
// expect: opus::operator""_I: a decimal, 0x or 0b integer
namespace literal_octal {
auto x = 010_I;
}  // namespace literal_octal

// == literal_too_large
// expect: opus::operator""_I: a decimal, 0x or 0b integer
namespace literal_too_large {
auto x = 2147483648_I;
}  // namespace literal_too_large

// == mdiv_zero
// expect: must be initialized by a constant expression
// compiler's: a constant expression divides by zero
namespace mdiv_zero {
constexpr opus::mdiv by_zero(0);
}  // namespace mdiv_zero

// == number_division_by_zero
// expect: not a constant expression
// compiler's: a constant expression divides by zero
namespace number_division_by_zero {
auto x = 4_I / 0_I;
}  // namespace number_division_by_zero

// == number_overflow
// expect: not a constant expression
// compiler's: a constant expression overflows
namespace number_overflow {
auto x = 2147483647_I + 1_I;
}  // namespace number_overflow
