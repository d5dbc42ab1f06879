#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

// == finfo_integer
// expect: opus::finfo: a floating-point type, e8m0_t or i8_t is required
namespace finfo_integer {
float a = opus::finfo<opus::i32_t>::max;
}  // namespace finfo_integer

// == max_of_fp8
// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
namespace max_of_fp8 {
fp8_t f(fp8_t a, fp8_t b) {
    return opus::max(a, b);
}
}  // namespace max_of_fp8

// == minimum_of_bf8
// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
namespace minimum_of_bf8 {
bf8_t f(bf8_t a, bf8_t b) {
    return minimum{}(a, b);
}
}  // namespace minimum_of_bf8

// == numeric_limits_unknown
// expect: opus::numeric_limits: a dtype, fp4_t, fp6_t or bf6_t is required
namespace numeric_limits_unknown {
struct other {
    int x;
};
auto a = opus::numeric_limits<other>::max();
}  // namespace numeric_limits_unknown
