// The scalar types, their limits against <limits> and the definition of the formats, finfo.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../laws/small_formats.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;

static_assert(fp4_t::is_signed && fp6_t::is_signed && bf6_t::is_signed && !e8m0_t::is_signed);
static_assert(int4_t::is_signed && !uint4_t::is_signed);
static_assert(is_dtype_v<fp8_t> && is_dtype_v<const bf8_t&> && !is_same_v<fp8_t, i8_t>);
static_assert(sizeof(fp8_t) == 1 && sizeof(fp8x4_t) == 4 && sizeof(bf8x64_t) == 64);
static_assert(is_same_v<fp8x8_t, vector_t<fp8_t, 8>> && vector_traits<bf8x16_t>::size() == 16);
static_assert(sizeof_bits_v<fp8_t> == 8 && num_packs_v<fp8_t> == 1 && !is_packs_v<bf8_t>);
static_assert(packed_bytes_v<bf8_t, 5> == 5);
static_assert(static_cast<fp8_t>(-1) < static_cast<fp8_t>(0));
static_assert(static_cast<bf8_t>(255) > static_cast<bf8_t>(0));

// The host's formats are OCP's.
static_assert(numeric_limits<fp8_t>::bin_max == 0x7e && numeric_limits<fp8_t>::bin_lowest == 0xfe);
static_assert(numeric_limits<fp8_t>::bin_min == 0x08 && numeric_limits<fp8_t>::bin_inf == 0);
static_assert(numeric_limits<fp8_t>::bin_qnan == 0x7f);
static_assert(numeric_limits<bf8_t>::bin_max == 0x7b && numeric_limits<bf8_t>::bin_lowest == 0xfb);
static_assert(numeric_limits<bf8_t>::bin_min == 0x04 && numeric_limits<bf8_t>::bin_inf == 0x7c);
static_assert(numeric_limits<fp4_t>::bin_max == 7 && numeric_limits<fp6_t>::bin_lowest == 0x3f);
static_assert(numeric_limits<bf16_t>::bin_qnan == 0x7fc0);
static_assert(numeric_limits<fp16_t>::bin_max == 0x7bff);
static_assert(numeric_limits<fp8_t>::max() == static_cast<fp8_t>(0x7e));
static_assert(numeric_limits<i8_t>::lowest() == -128 && numeric_limits<u8_t>::max() == 255);

template <class T>
void check_integer() {
    EXPECT_EQ(numeric_limits<T>::min(), std::numeric_limits<T>::min());
    EXPECT_EQ(numeric_limits<T>::max(), std::numeric_limits<T>::max());
    EXPECT_EQ(numeric_limits<T>::lowest(), std::numeric_limits<T>::lowest());
    EXPECT_EQ(numeric_limits<T>::quiet_nan(), 0);
    EXPECT_EQ(numeric_limits<T>::infinity(), 0);
    EXPECT_EQ(static_cast<T>(numeric_limits<T>::bin_max), std::numeric_limits<T>::max());
}
TEST(numeric_limits, integers) {
    check_integer<i8_t>();
    check_integer<u8_t>();
    check_integer<i16_t>();
#if __clang_major__ >= 20
    check_integer<u16_t>();
#endif
    check_integer<i32_t>();
    check_integer<u32_t>();
    check_integer<i64_t>();
    check_integer<u64_t>();
}

template <class T>
void check_float() {
    EXPECT_EQ(numeric_limits<T>::min(), std::numeric_limits<T>::min());
    EXPECT_EQ(numeric_limits<T>::max(), std::numeric_limits<T>::max());
    EXPECT_EQ(numeric_limits<T>::lowest(), std::numeric_limits<T>::lowest());
    EXPECT_TRUE(std::isnan(numeric_limits<T>::quiet_nan()));
    EXPECT_EQ(numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity());
    EXPECT_EQ(finfo<T>::max, std::numeric_limits<T>::max());
    EXPECT_EQ(finfo<T>::min, std::numeric_limits<T>::lowest());
    EXPECT_EQ(finfo<T>::tiny, std::numeric_limits<T>::min());
    EXPECT_EQ(finfo<T>::eps, std::numeric_limits<T>::epsilon());
    EXPECT_EQ(finfo<T>::bits, static_cast<index_t>(8 * sizeof(T)));
}
TEST(numeric_limits, float_and_double) {
    check_float<fp32_t>();
    check_float<fp64_t>();
    static_assert(is_same_v<decltype(finfo<fp64_t>::max()), double>);
}

// The facts of a format from the list of its values.
template <class T>
void check_small(const laws::small_format& f) {
    const std::vector<double> all = laws::magnitudes(f);
    const double largest = all[all.size() - 2];
    const uint32_t one = laws::encoder(f)(1.0);
    EXPECT_EQ(finfo<T>::bits, f.bits());
    EXPECT_EQ(static_cast<double>(finfo<T>::max()), largest);
    EXPECT_EQ(static_cast<double>(finfo<T>::min()), -largest);
    EXPECT_EQ(static_cast<double>(finfo<T>::tiny()), all[size_t{1} << f.mantissa_bits]);
    EXPECT_EQ(static_cast<double>(finfo<T>::eps()), all[one + 1] - 1);
    using limits = numeric_limits<T>;
    EXPECT_EQ(laws::value(f, limits::bin_max), largest);
    EXPECT_EQ(laws::value(f, limits::bin_lowest), -largest);
    EXPECT_EQ(laws::value(f, limits::bin_min), all[size_t{1} << f.mantissa_bits]);
    if (f.kind == laws::special::none) {
        EXPECT_EQ(limits::bin_qnan, 0);
    } else {
        EXPECT_TRUE(std::isnan(laws::value(f, limits::bin_qnan)));
    }
    const double infinity = f.kind == laws::special::ieee ? INFINITY : 0;
    EXPECT_EQ(laws::value(f, limits::bin_inf), infinity);
    EXPECT_EQ(laws::raw_bits(limits::max()), limits::bin_max);
    EXPECT_EQ(laws::raw_bits(limits::quiet_nan()), limits::bin_qnan);
}
TEST(finfo, of_small_formats) {
    check_small<fp16_t>(laws::fp16);
    check_small<bf16_t>(laws::bf16);
    check_small<fp8_t>(laws::fp8_ocp);
    check_small<bf8_t>(laws::bf8_ocp);
    check_small<fp6_t>(laws::fp6);
    check_small<bf6_t>(laws::bf6);
    check_small<fp4_t>(laws::fp4);
}

TEST(finfo, of_scales_and_bytes) {
    EXPECT_EQ(finfo<e8m0_t>::max, 0x1p127f);
    EXPECT_EQ(finfo<e8m0_t>::min, 0x1p-127f);
    EXPECT_EQ(finfo<e8m0_t>::tiny, 0x1p-127f);
    EXPECT_EQ(finfo<e8m0_t>::eps, 1.0f);
    EXPECT_EQ(finfo<i8_t>::bits, 8);
    EXPECT_EQ(finfo<i8_t>::max, 127.0f);
    EXPECT_EQ(finfo<i8_t>::min, -128.0f);
}

// As a value and as a call.
static_assert(finfo<fp8_t>::max == 448 && finfo<fp8_t>::max() == 448.0f);
static_assert(2 / finfo<bf8_t>::eps == 8 && is_same_v<decltype(finfo<fp4_t>::tiny()), float>);

// A type behind a pointer to const is the same format.
static_assert(numeric_limits<const fp16_t>::max() == numeric_limits<fp16_t>::max());
static_assert(numeric_limits<const fp8_t>::bin_max == 0x7e);
static_assert(numeric_limits<const float>::lowest() == -FLT_MAX);
static_assert(numeric_limits<const volatile float>::infinity() ==
              numeric_limits<float>::infinity());
static_assert(finfo<const fp8_t>::max == 448 && finfo<const fp64_t>::max == DBL_MAX);
static_assert(sizeof_bits_v<const fp4_t> == 4 && packed_bytes_v<const fp6_t, 4> == 3);
static_assert(is_same_v<vector_t<const float, 4>, fp32x4_t>);
static_assert(is_same_v<vector_t<const fp4_t, 4>, vector_t<fp4_t, 4>>);
static_assert(is_same_v<get_value_t<array<const float, 4>>, float>);

// gfx942's formats: one more bias, the code of -0 is NaN.
static_assert(finfo<fp8_fnuz>::max == 240 && finfo<bf8_fnuz>::max == 57344);
static_assert(finfo<fp8_fnuz>::tiny == 0x1p-7f && finfo<bf8_fnuz>::tiny == 0x1p-15f);

}  // namespace
