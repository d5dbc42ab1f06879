// Conversions in software, every code and every boundary, against their definition in
// laws/small_formats.hpp; and cast's containers, scales and rounding modes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../laws/small_formats.hpp"
#include "opus/opus_plus.hpp"

// 1: what is slow, all of each table; else each path once.
#ifndef OPUS_TEST_SLOW
#define OPUS_TEST_SLOW 0
#endif

namespace {

using namespace opus;
using opus::operator""_I;
using laws::bits_float;
using laws::float_bits;

// The conversions of one value by their names; that of a format may follow (of fp8 and bf8).
#define SCALAR_CONVERSIONS(small)                             \
    template <class... Format>                                \
    struct of_##small {                                       \
        using type = small##_t;                               \
        template <class... Scale>                             \
        static small##_t encode(float x, Scale... scale) {    \
            return fp32_to_##small(x, Format{}..., scale...); \
        }                                                     \
        template <class... Scale>                             \
        static float decode(small##_t x, Scale... scale) {    \
            return small##_to_fp32(x, Format{}..., scale...); \
        }                                                     \
    };
SCALAR_CONVERSIONS(fp8)
SCALAR_CONVERSIONS(bf8)
SCALAR_CONVERSIONS(fp6)
SCALAR_CONVERSIONS(bf6)
SCALAR_CONVERSIONS(fp4)

// A format and its conversions with a scale.
struct tested_format {
    laws::small_format law;
    uint32_t (*encode)(float x, float scale);
    float (*decode)(uint32_t code, float scale);
};
template <class Scalar>
tested_format tested(const laws::small_format& law) {
    return {law, [](float x, float scale) { return laws::raw_bits(Scalar::encode(x, scale)); },
            [](uint32_t code, float scale) {
                return Scalar::decode(laws::from_raw_bits<typename Scalar::type>(code), scale);
            }};
}
const tested_format small_formats[] = {
    tested<of_fp8<fp8_ocp>>(laws::fp8_ocp),
    tested<of_bf8<bf8_ocp>>(laws::bf8_ocp),
    tested<of_fp8<fp8_fnuz>>(laws::fp8_fnuz),
    tested<of_bf8<bf8_fnuz>>(laws::bf8_fnuz),
    tested<of_fp6<>>(laws::fp6),
    tested<of_bf6<>>(laws::bf6),
    tested<of_fp4<>>(laws::fp4),
};

std::string hex(uint32_t x) {
    char text[16];
    std::snprintf(text, sizeof(text), "%#x", x);
    return text;
}

// A scale with this exponent field: its mantissa must not matter.
float scale_of(int field) {
    return bits_float(static_cast<uint32_t>(field) << 23 | 0x155555);
}
// The value of a scale; exponent 255 is NaN.
double scale_value(int field) {
    return field == 255 ? NAN : std::ldexp(1.0, field - 127);
}

// The bits of the float nearest to x, with one NaN.
uint32_t expected_bits(double x) {
    return std::isnan(x) ? 0x7fc00000 : float_bits(static_cast<float>(x));
}

TEST(cast, decodes_every_code_with_every_scale) {
    size_t n = 0;
    for (const tested_format& f : small_formats) {
        for (uint32_t code = 0; code < 2 * f.law.sign(); code++) {
            for (int scale = 0; scale < 256; scale++, n++) {
                const double exact = laws::value(f.law, code) * scale_value(scale);
                ASSERT_EQ(float_bits(f.decode(code, scale_of(scale))), expected_bits(exact))
                    << f.law.name << " code " << hex(code) << " scale " << scale;
            }
        }
    }
    std::printf("%zu codes with scales decoded\n", n);
    EXPECT_EQ(n, (4 * 256 + 2 * 64 + 16) * 256u);
}

uint32_t expected_code(const laws::encoder& encode, float x, int scale) {
    const double exact = static_cast<double>(x) / scale_value(scale);
    // NaN keeps the sign of x, whatever the compiler makes of NaN in arithmetic.
    return encode(std::isnan(exact) ? std::copysign(NAN, x) : exact);
}

TEST(cast, encodes_every_boundary_with_every_scale) {
    size_t n = 0;
    for (const tested_format& f : small_formats) {
        const laws::encoder encode(f.law);
        for (int scale = 0; scale < 256; scale++) {
            for (const float x : laws::critical_floats(encode, scale - 127)) {
                n++;
                ASSERT_EQ(f.encode(x, scale_of(scale)), expected_code(encode, x, scale))
                    << f.law.name << " of " << std::hexfloat << x << " scale " << scale;
            }
        }
    }
    std::printf("%zu floats at boundaries encoded\n", n);
    EXPECT_GT(n, 1000000u);
}

TEST(cast, encodes_random_floats) {
    constexpr size_t count = 1000000;
    for (const tested_format& f : small_formats) {
        const laws::encoder encode(f.law);
        for (const float x : laws::random_floats(f.law, count)) {
            ASSERT_EQ(f.encode(x, 1.0f), expected_code(encode, x, 127))
                << f.law.name << " of " << std::hexfloat << x;
        }
    }
    std::printf("%zu random floats encoded in each of %zu formats\n", count,
                std::size(small_formats));
}

TEST(cast, every_half) {
    const laws::encoder encode(laws::fp16);
    for (uint32_t code = 0; code < 0x10000; code++) {
        const fp16_t half = __builtin_bit_cast(fp16_t, static_cast<unsigned short>(code));
        const double exact = laws::value(laws::fp16, code);
        const float got = fp16_to_fp32(half);
        if (std::isnan(exact)) {
            EXPECT_TRUE(std::isnan(got)) << hex(code);
            EXPECT_NE(float_bits(got) & 0x400000, 0u) << "not quiet: " << hex(code);
        } else {
            EXPECT_EQ(float_bits(got), float_bits(static_cast<float>(exact))) << hex(code);
            const fp16_t back = fp32_to_fp16(got);
            EXPECT_EQ(__builtin_bit_cast(unsigned short, back), code);
        }
    }
    std::vector<float> floats = laws::critical_floats(encode, 0);
    const std::vector<float> random = laws::random_floats(laws::fp16, 1000000);
    floats.insert(floats.end(), random.begin(), random.end());
    for (const float x : floats) {
        const fp16_t half = fp32_to_fp16(x);
        const uint32_t got = __builtin_bit_cast(unsigned short, half);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(laws::value(laws::fp16, got))) << hex(float_bits(x));
        } else {
            ASSERT_EQ(got, encode(static_cast<double>(x))) << std::hexfloat << x;
        }
    }
    std::printf("65536 halves decoded, %zu floats encoded\n", floats.size());
}

template <int mode>
void check_bf16(float x) {
    const bf16_t got = fp32_to_bf16(x, number<mode>{});
    ASSERT_EQ(laws::raw_bits(got), laws::bf16_code(x, mode))
        << "mode " << mode << " of " << hex(float_bits(x));
}

TEST(cast, bf16_in_every_mode) {
    size_t n = 0;
    const auto check = [&](float x) {
        n++;
        check_bf16<0>(x);
        check_bf16<1>(x);
        check_bf16<2>(x);
        check_bf16<3>(x);
        check_bf16<4>(x);
        check_bf16<5>(x);
    };
    for (uint32_t code = 0; code < 0x10000; code++) {
        for (const uint32_t rest : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            check(bits_float(code << 16 | rest));
        }
        const bf16_t x = __builtin_bit_cast(bf16_t, static_cast<unsigned short>(code));
        ASSERT_EQ(float_bits(bf16_to_fp32(x)), code << 16);
    }
    for (const float x : laws::random_floats(laws::bf16, 1000000)) {
        check(x);
    }
    std::printf("65536 bf16 decoded, %zu floats encoded in 6 modes\n", n);
    // The default is mode 2.
    EXPECT_EQ(laws::raw_bits(fp32_to_bf16(bits_float(0x3f80ffff))), 0x3f80);
    EXPECT_EQ(laws::raw_bits(fp32_to_bf16(bits_float(0x7f800001))), 0x7f80);
    // What docs/reference.md says of NaNs in mode 5.
    const auto mode_5 = [](uint32_t bits) {
        return static_cast<int>(laws::raw_bits(cast<bf16_t>(bits_float(bits), 5_I)));
    };
    EXPECT_EQ(mode_5(0x7fc00000), 0x7fc0);
    EXPECT_EQ(mode_5(0x7f800001), 0x7f80);
    EXPECT_EQ(mode_5(0x7f808000), 0x7f80);
    EXPECT_EQ(mode_5(0x7f808001), 0x7f81);
    EXPECT_EQ(mode_5(0x7fff7fff), 0x7fff);
    EXPECT_EQ(mode_5(0x7fff8000), 0x8000);
    EXPECT_EQ(mode_5(0xffffffff), 0);
}

TEST(cast, integers) {
    EXPECT_EQ(fp32_to_i8(1.9f), 1);
    EXPECT_EQ(fp32_to_i8(-1.9f), -1);
    EXPECT_EQ(fp32_to_i8(127.5f), 127);
    EXPECT_EQ(fp32_to_i8(1e30f), 127);
    EXPECT_EQ(fp32_to_i8(-INFINITY), -128);
    EXPECT_EQ(fp32_to_i8(NAN), 0);
    EXPECT_EQ(cast<u8_t>(-1.0f), 0);
    EXPECT_EQ(cast<u8_t>(300.0f), 255);
    EXPECT_EQ(cast<i32_t>(-7.5f), -7);
    EXPECT_EQ(cast<i32_t>(0x1p31f), 0x7fffffff);
    EXPECT_EQ(cast<i32_t>(-0x1p31f), -0x7fffffff - 1);
    EXPECT_EQ(cast<i32_t>(-0x1p40f), -0x7fffffff - 1);
    EXPECT_EQ(cast<i32_t>(NAN), 0);
    EXPECT_EQ(cast<u32_t>(0x1.fffffep31f), 0xffffff00u);
    EXPECT_EQ(cast<u32_t>(0x1p32f), 0xffffffffu);
    EXPECT_EQ(cast<u64_t>(-0.5f), 0u);
    EXPECT_EQ(cast<i64_t>(0x1p63f), 0x7fffffffffffffff);
    for (int i = -128; i < 128; i++) {
        EXPECT_EQ(i8_to_fp32(static_cast<i8_t>(i)), static_cast<float>(i));
        EXPECT_EQ(fp32_to_i8(static_cast<float>(i)), i);
    }
    // In steps of 0.5, as int truncates; and beyond 127 and -128 as those.
    for (int twice = -600; twice <= 600; twice++) {
        const float x = static_cast<float>(twice) / 2;
        EXPECT_EQ(fp32_to_i8(x), std::min(std::max(twice / 2, -128), 127)) << x;
        EXPECT_EQ(cast<u8_t>(x), std::min(std::max(twice / 2, 0), 255)) << x;
    }
    const auto bytes = cast<i8_t>(fp32x4_t{128, -129, 1e9f, NAN});
    EXPECT_EQ(bytes[0], 127);
    EXPECT_EQ(bytes[1], -128);
    EXPECT_EQ(bytes[2], 127);
    EXPECT_EQ(bytes[3], 0);
    const auto accumulators = cast<fp32_t>(i32x4_t{1, -2, 3, 1 << 24});
    EXPECT_EQ(accumulators[1], -2.0f);
    EXPECT_EQ(accumulators[3], 0x1p24f);
    EXPECT_EQ(laws::raw_bits(cast<bf16_t>(static_cast<i8_t>(-3))), 0xc040);
}

// ---- int4_t and uint4_t ----

template <class T>
constexpr bool has_sign_v = is_same_v<T, int4_t>;
template <class T>
int int4_value(int code) {
    return has_sign_v<T> && code >= 8 ? code - 16 : code;
}
template <class T>
double int4_nearest(double x) {
    const double low = has_sign_v<T> ? -8 : 0;
    const double high = has_sign_v<T> ? 7 : 15;
    return std::isnan(x) ? 0 : std::nearbyint(std::fmin(std::fmax(x, low), high));
}

template <class D, class T, index_t N>
void check_int4_decoded(double lowest) {
    array<T, N> codes;
    for (index_t i = 0; i < N; i++) {
        codes[i] = T{static_cast<u8_t>(i * 7 & 15)};
    }
    const auto of_array = cast<D>(codes);
    const auto of_vector = cast<D>(to_vector(codes));
    static_assert(is_same_v<decltype(of_array), const array<D, N>>);
    static_assert(is_same_v<decltype(of_vector), const vector_t<D, N>>);
    for (index_t i = 0; i < N; i++) {
        const double expected = std::fmax(int4_value<T>(i * 7 & 15), lowest);
        EXPECT_EQ(static_cast<double>(cast<fp32_t>(of_array[i])), expected) << i;
        EXPECT_EQ(static_cast<double>(cast<fp32_t>(of_vector[i])), expected) << i;
    }
}
template <class D, class T>
void check_int4_to(double lowest = -8) {
    for (int byte = 0; byte < 256; byte++) {  // of a scalar the lower half counts
        const D got = cast<D>(T{static_cast<u8_t>(byte)});
        EXPECT_EQ(static_cast<double>(cast<fp32_t>(got)),
                  std::fmax(int4_value<T>(byte & 15), lowest))
            << byte;
    }
    check_int4_decoded<D, T, 3>(lowest);
    check_int4_decoded<D, T, 16>(lowest);
    if constexpr (OPUS_TEST_SLOW || is_same_v<D, fp32_t>) {
        check_int4_decoded<D, T, 1>(lowest);
        check_int4_decoded<D, T, 32>(lowest);
    }
}
template <class T, class S>
void check_int4_of(S x, double exact) {
    const T code = cast<T>(x);
    ASSERT_EQ(int4_value<T>(code.value), int4_nearest<T>(exact)) << exact;
    ASSERT_EQ(code.value & 0xf0, 0) << exact;
}
template <class T>
class int4 : public testing::Test {};
using int4_types = testing::Types<int4_t, uint4_t>;
TYPED_TEST_SUITE(int4, int4_types);
TYPED_TEST(int4, to_every_type) {
    using T = TypeParam;
    check_int4_to<i8_t, T>();
    check_int4_to<i16_t, T>();
    check_int4_to<i32_t, T>();
    check_int4_to<fp32_t, T>();
    check_int4_to<fp16_t, T>();
    check_int4_to<bf16_t, T>();
    check_int4_to<u8_t, T>(0);
    for (int code = 0; code < 16; code++) {
        const T x{static_cast<u8_t>(code)};
        const int n = x;
        EXPECT_EQ(n, int4_value<T>(code));
        array<T, 3> codes{T{}, x, T{}};
        const int element = codes[1];
        const auto element_as_float = static_cast<float>(codes[1]);
        EXPECT_EQ(element, n);
        EXPECT_EQ(element_as_float, static_cast<float>(n));
        const array<T, 3> constant = codes;
        const int constant_element = constant[1_I];
        EXPECT_EQ(constant_element, n);
        EXPECT_EQ(codes[1] + 1, n + 1);
        EXPECT_EQ(laws::raw_bits(cast<fp8_t>(x)),
                  laws::raw_bits(fp32_to_fp8(static_cast<float>(int4_value<T>(code)))));
    }
}
TYPED_TEST(int4, nearest_even_and_saturated) {
    using T = TypeParam;
    for (int i = -200; i <= 200; i++) {
        const float x = static_cast<float>(i) / 8;
        for (const float near : {std::nextafter(x, -1e9f), x, std::nextafter(x, 1e9f)}) {
            check_int4_of<T>(near, static_cast<double>(near));
        }
    }
    for (const float x : {1e9f, -1e9f, 0x1.8p23f, 0x1p31f, -0x1p31f, 3e38f, -3e38f, INFINITY,
                          -INFINITY, NAN, -NAN, 1e-40f, -1e-40f}) {
        check_int4_of<T>(x, static_cast<double>(x));
    }
    for (uint32_t code = 0; code < 0x10000; code++) {
        const auto bits = static_cast<unsigned short>(code);
        check_int4_of<T>(__builtin_bit_cast(fp16_t, bits), laws::value(laws::fp16, code));
        check_int4_of<T>(__builtin_bit_cast(bf16_t, bits), laws::value(laws::bf16, code));
        check_int4_of<T>(static_cast<i16_t>(bits), static_cast<i16_t>(bits));
    }
    for (int i = -128; i < 256; i++) {
        check_int4_of<T>(static_cast<i8_t>(i), static_cast<i8_t>(i));
        check_int4_of<T>(static_cast<u8_t>(i), static_cast<u8_t>(i));
        check_int4_of<T>(i, i);
        check_int4_of<T>(static_cast<i64_t>(i) << 40, std::ldexp(i, 40));
    }
    for (const i32_t x : {-0x7fffffff - 1, -0x7fffffff, 0x7fffffff, 1 << 24, 16, -16}) {
        check_int4_of<T>(x, x);
        check_int4_of<T>(static_cast<u32_t>(x), static_cast<u32_t>(x));
    }
}
TYPED_TEST(int4, containers_are_packed) {
    using T = TypeParam;
    const auto of_array = cast<T>(array<i32_t, 5>{1, 2, -3, 100, 7});
    static_assert(is_same_v<decltype(of_array), const array<T, 5>>);
    const auto of_vector = cast<T>(fp32x4_t{1.5f, 2.5f, -0.75f, 9});
    static_assert(is_same_v<decltype(of_vector), const vector_t<T, 4>>);
    const unsigned negative = has_sign_v<T> ? 0xd : 0;
    unsigned bits = 0;
    std::memcpy(&bits, &of_array, sizeof(of_array));
    EXPECT_EQ(sizeof(of_array), 3u);
    EXPECT_EQ(bits, 0x70021u | negative << 8 | (has_sign_v<T> ? 0x7000u : 0xf000u));
    EXPECT_EQ(__builtin_bit_cast(unsigned short, of_vector), has_sign_v<T> ? 0x7f22 : 0x9022);
    const auto of_tuple = cast<T>(make_tuple(3.0f, array<i8_t, 2>{4, 5}));
    EXPECT_EQ(get<0>(of_tuple).value, 3);
    EXPECT_EQ(get<1>(of_tuple)[1].value, 5);
    const auto same = cast<T>(of_array);
    EXPECT_TRUE(same == of_array);
    const auto other = cast<uint4_t>(cast<int4_t>(fp32x4_t{-3, 3, 0, 7}));
    EXPECT_EQ(__builtin_bit_cast(unsigned short, other), 0x7030);
}
static_assert(cast<fp32_t>(int4_t{0xf}) == -1 && cast<i8_t>(uint4_t{0xf}) == 15);
static_assert(cast<int4_t>(-2.5f).value == 14 && cast<int4_t>(100).value == 7 &&
              cast<uint4_t>(-1).value == 0);
static_assert(cast<int4_t>(array<float, 2>{3.5f, 4.5f})[1].value == 4);
static_assert(cast<fp32_t>(array<int4_t, 32>{int4_t{8}, int4_t{7}})[0] == -8);
static_assert(int4_t{9} == -7 && uint4_t{9} == 9);
static_assert(!__is_convertible(fp4_t, int) && !__is_convertible(int, int4_t));

TEST(cast, e8m0) {
    for (int code = 0; code < 255; code++) {
        const e8m0_t x{static_cast<u8_t>(code)};
        EXPECT_EQ(static_cast<double>(e8m0_to_fp32(x)), scale_value(code));
        EXPECT_EQ(fp32_to_e8m0(e8m0_to_fp32(x)).value, code);
        if (code > 0) {
            EXPECT_EQ(fp32_to_e8m0(-1.75f * e8m0_to_fp32(x)).value, code);
        }
    }
    EXPECT_TRUE(std::isnan(e8m0_to_fp32(e8m0_t{255})));
    EXPECT_EQ(fp32_to_e8m0(NAN).value, 255);
    // A scale may be an e8m0_t.
    EXPECT_EQ(fp32_to_fp4(12.0f, e8m0_t{128}).value, fp32_to_fp4(6.0f).value);
    // A vector of scales is an array by another name.
    const auto scales = cast<e8m0_t>(fp32x4_t{1, 2, 0.75f, 1024});
    static_assert(is_same_v<decltype(scales), const vector_t<e8m0_t, 4>>);
    EXPECT_EQ(scales[0].value, 127);
    EXPECT_EQ(scales[2].value, 126);
    EXPECT_EQ(scales[3].value, 137);
    EXPECT_EQ(cast<fp32_t>(scales)[3], 1024);
    EXPECT_TRUE(scales ==
                (vector_t<e8m0_t, 4>{e8m0_t{127}, e8m0_t{128}, e8m0_t{126}, e8m0_t{137}}));
    EXPECT_TRUE(to_array(scales) != cast<e8m0_t>(make_array(1.0f, 2.0f, 1.0f, 1024.0f)));
    EXPECT_TRUE(slice(scales, 1_I, 3_I) == cast<e8m0_t>(fp32x2_t{2, 0.5f}));
    EXPECT_TRUE(make_repeated_vector<2>(scales[1]) == cast<e8m0_t>(fp32x2_t{2, 2}));
}

// The format of a small type in this pass, the host's.
template <class D>
const laws::small_format& law_of() {
    return is_same_v<D, fp8_t>   ? laws::fp8_ocp
           : is_same_v<D, bf8_t> ? laws::bf8_ocp
           : is_same_v<D, fp6_t> ? laws::fp6
           : is_same_v<D, bf6_t> ? laws::bf6
                                 : laws::fp4;
}

// Every element of a container, with and without a scale. What is decoded is exact in W, or a NaN.
template <class D, class W, index_t N>
void check_packed() {
    constexpr bool is_pack = is_same_v<D, fp4_t> && (N == 2 || N == 4 || N == 8);
    array<W, N> a;
    for (index_t i = 0; i < N; i++) {
        // Exact in every wide format.
        a[i] = cast<W>(static_cast<float>(i * i - 5 * i) * 0.375f);
    }
    const vector_t<W, N> v = to_vector(a);
    const auto ev = cast<D>(v);
    const auto es = cast<D>(v, 8.5f);
    const auto ea = cast<D>(a, 0.125f);
    using result = std::conditional_t<is_pack, array<D, N>, vector_t<D, N>>;
    static_assert(is_same_v<decltype(cast<D>(v)), result>);
    static_assert(is_same_v<decltype(cast<D>(a)), array<D, N>>);
    const auto dv = cast<W>(ev);
    const auto ds = cast<W>(es, 4.0f);
    const auto da = cast<W>(ea);
    static_assert(is_same_v<decltype(cast<W>(ev)), vector_t<W, N>>);
    // An array of fp4 gives a vector, of whatever size.
    constexpr bool to_vector_always = is_same_v<D, fp4_t>;
    static_assert(is_same_v<decltype(cast<W>(ea)),
                            std::conditional_t<to_vector_always, vector_t<W, N>, array<W, N>>>);
    const laws::small_format& law = law_of<D>();
    const laws::encoder encode(law);
    const auto encoded = [&](index_t i, double scale) {
        return encode((i * i - 5 * i) * 0.375 / scale);
    };
    const auto bits = [](W x) { return float_bits(cast<fp32_t>(x)); };
    const auto decoded = [&](uint32_t code, double scale) {
        return expected_bits(laws::value(law, code) * scale);
    };
    for (index_t i = 0; i < N; i++) {
        EXPECT_EQ(laws::raw_bits<D>(ev[i]), encoded(i, 1)) << i;
        EXPECT_EQ(laws::raw_bits<D>(es[i]), encoded(i, 8)) << i;
        EXPECT_EQ(laws::raw_bits<D>(ea[i]), encoded(i, 0.125)) << i;
        EXPECT_EQ(bits(dv[i]), decoded(encoded(i, 1), 1)) << i;
        EXPECT_EQ(bits(ds[i]), decoded(encoded(i, 8), 4)) << i;
        EXPECT_EQ(bits(da[i]), decoded(encoded(i, 0.125), 1)) << i;
    }
}
template <class D, class W>
void check_lengths() {
    check_packed<D, W, 3>();
    check_packed<D, W, 8>();
    if constexpr (OPUS_TEST_SLOW || is_same_v<W, fp32_t>) {
        check_packed<D, W, 1>();
        check_packed<D, W, 2>();
        check_packed<D, W, 4>();
        check_packed<D, W, 32>();
    }
}
template <class D>
class cast_to : public testing::Test {};
using small_types = testing::Types<fp8_t, bf8_t, fp6_t, bf6_t, fp4_t>;
TYPED_TEST_SUITE(cast_to, small_types);
TYPED_TEST(cast_to, containers_of_any_length) {
    check_lengths<TypeParam, fp32_t>();
    // bf8 and bf6 take the paths of fp8 and fp6.
    if constexpr (OPUS_TEST_SLOW || !(is_same_v<TypeParam, bf8_t> || is_same_v<TypeParam, bf6_t>)) {
        check_lengths<TypeParam, fp16_t>();
        check_lengths<TypeParam, bf16_t>();
    }
}

// The 8-bit formats by name, whatever those of this pass are.
template <class W, class Format, class T, index_t N>
void check_named_vector(const laws::small_format& law) {
    const laws::encoder encode(law);
    array<W, N> a;
    for (index_t i = 0; i < N; i++) {
        a[i] = cast<W>(static_cast<float>(i * i - 5 * i) * 0.375f);
    }
    const auto codes = cast<T>(to_vector(a), Format{});
    const auto scaled = cast<T>(a, Format{}, 4.0f);
    static_assert(is_same_v<decltype(codes), const vector_t<T, N>>);
    static_assert(is_same_v<decltype(scaled), const array<T, N>>);
    const auto back = cast<W>(codes, Format{});
    const auto scaled_back = cast<W>(scaled, Format{}, 8.0f);
    for (index_t i = 0; i < N; i++) {
        const float x = cast<fp32_t>(a[i]);
        const uint32_t code = encode(x);
        const uint32_t quarter = encode(x / 4);
        EXPECT_EQ(laws::raw_bits(codes[i]), code) << law.name << " element " << i;
        EXPECT_EQ(laws::raw_bits(scaled[i]), quarter) << law.name << " element " << i;
        EXPECT_EQ(cast<fp32_t>(back[i]), laws::value(law, code)) << law.name << " element " << i;
        EXPECT_EQ(cast<fp32_t>(scaled_back[i]), 8 * laws::value(law, quarter)) << i;
    }
}
template <class Format, class Scalar>
void check_named_format(const laws::small_format& law) {
    using T = typename Scalar::type;
    const laws::encoder encode(law);
    for (uint32_t code = 0; code < 256; code++) {
        const T x = laws::from_raw_bits<T>(code);
        const double exact = laws::value(law, code);
        EXPECT_EQ(float_bits(Scalar::decode(x)), expected_bits(exact)) << law.name << hex(code);
        EXPECT_EQ(float_bits(Scalar::decode(x, 0.5f)), expected_bits(exact / 2)) << hex(code);
    }
    for (const float x : laws::critical_floats(encode, 0)) {
        ASSERT_EQ(laws::raw_bits(Scalar::encode(x)), expected_code(encode, x, 127))
            << law.name << " of " << std::hexfloat << x;
        ASSERT_EQ(laws::raw_bits(Scalar::encode(x, 2.0f)), expected_code(encode, x, 128))
            << law.name << " of " << std::hexfloat << x;
    }
    check_named_vector<fp32_t, Format, T, 1>(law);
    check_named_vector<fp32_t, Format, T, 3>(law);
    check_named_vector<fp32_t, Format, T, 4>(law);
    check_named_vector<fp16_t, Format, T, 8>(law);
    check_named_vector<bf16_t, Format, T, 16>(law);
    const auto largest = laws::magnitudes(law);
    EXPECT_EQ(finfo<Format>::max, largest[largest.size() - 2]) << law.name;
    EXPECT_EQ(finfo<Format>::tiny, std::ldexp(1.0, 1 - law.bias)) << law.name;
}
TEST(cast, formats_by_name) {
    check_named_format<fp8_ocp, of_fp8<fp8_ocp>>(laws::fp8_ocp);
    check_named_format<bf8_ocp, of_bf8<bf8_ocp>>(laws::bf8_ocp);
    check_named_format<fp8_fnuz, of_fp8<fp8_fnuz>>(laws::fp8_fnuz);
    check_named_format<bf8_fnuz, of_bf8<bf8_fnuz>>(laws::bf8_fnuz);
    // Tuples and containers in containers; the functions on packs.
    const auto pair = cast<fp8_t>(make_tuple(1.0f, make_array(240.0f, 248.0f)), fp8_fnuz{});
    EXPECT_EQ(laws::raw_bits(get<0>(pair)), 0x40);
    EXPECT_EQ(laws::raw_bits(get<1>(pair)[0]), 0x7f);
    EXPECT_EQ(laws::raw_bits(get<1>(pair)[1]), 0x80);
    const auto pack = fp32_to_fp8_packed_x2(fp32x2_t{1, -0.0f}, fp8_fnuz{});
    EXPECT_EQ(laws::raw_bits(pack[0]), 0x40);
    EXPECT_EQ(laws::raw_bits(pack[1]), 0);
    EXPECT_EQ((fp8_to_fp32_packed_x2(pack, fp8_fnuz{})[0]), 1);
}
template <class T, class Format>
void check_saturated(const laws::small_format& law) {
    const laws::encoder encode(law);
    for (const int scale : {0, 126, 127, 130, 254, 255}) {
        std::vector<float> in = laws::critical_floats(encode, scale - 127);
        const float largest = std::numeric_limits<float>::max();
        in.insert(in.end(), {INFINITY, -INFINITY, NAN, -NAN, largest, -largest});
        for (const float x : in) {
            const double exact = static_cast<double>(x) / scale_value(scale);
            const uint32_t expected =
                encode.saturated(std::isnan(exact) ? std::copysign(NAN, x) : exact);
            const float s = scale_of(scale);
            ASSERT_EQ(laws::raw_bits(cast<T>(x, Format{}, s, saturate{})), expected) << x;
            const auto two = cast<T>(fp32x2_t{1, x}, Format{}, s, saturate{});
            ASSERT_EQ(laws::raw_bits(static_cast<T>(two[1])), expected) << x;
        }
    }
}
TEST(cast, saturated) {
    check_saturated<fp8_t, fp8_ocp>(laws::fp8_ocp);
    check_saturated<bf8_t, bf8_ocp>(laws::bf8_ocp);
    check_saturated<fp8_t, fp8_fnuz>(laws::fp8_fnuz);
    check_saturated<bf8_t, bf8_fnuz>(laws::bf8_fnuz);
    // Without a name, fp8_ocp's; containers and the functions of one value.
    EXPECT_EQ(laws::raw_bits(cast<fp8_t>(-1e9f, saturate{})), 0xfe);
    const auto pair = cast<bf8_t>(make_tuple(1e9f, make_array(NAN, -INFINITY)), saturate{});
    EXPECT_EQ(laws::raw_bits(get<0>(pair)), 0x7b);
    EXPECT_EQ(laws::raw_bits(get<1>(pair)[0]) & 0x7f, 0x7f);
    EXPECT_EQ(laws::raw_bits(get<1>(pair)[1]), 0xfb);
    EXPECT_EQ(laws::raw_bits(fp32_to_fp8(1e9f, saturate{})), 0x7e);
    EXPECT_EQ(laws::raw_bits(fp32_to_fp8_packed_x2(fp32x2_t{1e9f, 1}, 4.0f, saturate{})), 0x287e);
}
// fp8_t is an integer to the compiler.
constexpr int code_of(fp8_t x) {
    return static_cast<u8_t>(x);
}
static_assert(code_of(fp32_to_fp8(1.0f, fp8_fnuz{})) == 0x40 &&
              code_of(fp32_to_fp8(1.0f, fp8_ocp{})) == 0x38);
static_assert(fp8_to_fp32(fp32_to_fp8(240.0f, fp8_fnuz{}), fp8_fnuz{}) == 240);
static_assert(bf8_to_fp32(fp32_to_bf8(3.0f, bf8_fnuz{}, 0.5f), bf8_fnuz{}) == 6);

// Tests of constant expressions that index vectors need clang 20.
#if __clang_major__ >= 20
constexpr auto codes = cast<fp8_t>(fp32x4_t{1, -2, 448, 464.5f});
static_assert(is_same_v<decltype(codes), const fp8x4_t>);
static_assert(code_of(codes[0]) == 0x38 && code_of(codes[1]) == 0xc0);
static_assert(code_of(codes[2]) == 0x7e && code_of(codes[3]) == 0x7f);
static_assert(cast<fp32_t>(codes)[1] == -2);
static_assert(fp8_to_fp32_packed_x4(fp32_to_fp8_packed_x4(fp32x4_t{1, 2, 3, 4}))[3] == 4);
static_assert(cast<fp16_t>(cast<fp4_t>(fp32x8_t{0, 1, 2, 3, 4, 6, 8, 12}, 2.0f), 2.0f)[7] == 12);
static_assert(__builtin_bit_cast(unsigned short, cast<bf16_t>(fp32x2_t{1.0f, 1.005f}, 0_I)[1]) ==
              0x3f81);
static_assert(__builtin_bit_cast(unsigned short, cast<bf16_t>(fp32x2_t{1.0f, 1.005f}, 2_I)[1]) ==
              0x3f80);
#endif
static_assert(fp8_to_fp32(fp32_to_fp8(449.0f)) == 448 && bf8_to_fp32(fp32_to_bf8(3.2f)) == 3);
static_assert(fp6_to_fp32(fp32_to_fp6(100.0f)) == 7.5f && bf6_to_fp32(fp32_to_bf6(-1e9f)) == -28);
static_assert(fp4_to_fp32(fp32_to_fp4(5.0f)) == 4 && fp4_to_fp32(fp4_t{0x7}, 4.0f) == 24);
static_assert(bf16_to_fp32(fp32_to_bf16(1.75f)) == 1.75f && fp32_to_fp32(3) == 3);
static_assert(cast<fp32_t>(cast<fp16_t>(0.5f)) == 0.5f && cast<fp32_t>(fp64_t{0.25}) == 0.25f);

// To a type that is const, as behind a pointer to const.
static_assert(cast<const fp16_t>(1.75f) == cast<fp16_t>(1.75f));
static_assert(cast<volatile fp16_t>(1.75f) == cast<fp16_t>(1.75f));
static_assert(code_of(cast<const fp8_t>(1.5f)) == 0x3c);
static_assert(is_same_v<decltype(cast<const fp8_t>(fp32x4_t{})), fp8x4_t>);
static_assert(is_same_v<decltype(cast<const fp4_t>(fp32x8_t{})), array<fp4_t, 8>>);
static_assert(cast<fp16_t>(array<const float, 2>{1, 1.75f})[1] == cast<fp16_t>(1.75f));

TEST(cast, tuples_and_nested_containers) {
    const auto t = cast<bf16_t>(make_tuple(1.0f, fp32x2_t{2, 3}, static_cast<i8_t>(4)), 0_I);
    static_assert(
        is_same_v<decltype(cast<bf16_t>(make_tuple(1.0f, fp32x2_t{}))), tuple<bf16_t, bf16x2_t>>);
    EXPECT_EQ(bf16_to_fp32(get<0>(t)), 1);
    EXPECT_EQ(bf16_to_fp32(get<1>(t)[1]), 3);
    EXPECT_EQ(bf16_to_fp32(get<2>(t)), 4);
    const auto tile = cast<fp8_t>(array<fp32x4_t, 2>{fp32x4_t{1, 2, 3, 4}, fp32x4_t{5, 6, 7, 8}});
    static_assert(is_same_v<decltype(tile), const array<fp8x4_t, 2>>);
    EXPECT_EQ(fp8_to_fp32(tile[1][3]), 8);
    const auto scaled = cast<fp8_t>(make_tuple(fp32x2_t{8, 4}), 4.0f);
    EXPECT_EQ(fp8_to_fp32(get<0>(scaled)[0]), 2);
}

TEST(cast, one_fp4_is_two_codes) {
    static_assert(is_same_v<decltype(cast<fp32_t>(fp4_t{})), fp32x2_t>);
    const auto both = cast<fp32_t>(fp4_t{0x21});
    EXPECT_EQ(both[0], 0.5f);
    EXPECT_EQ(both[1], 1.0f);
    EXPECT_EQ(fp4_to_fp32_packed_x2(fp4_t{0xf2}, 2.0f)[1], -12.0f);
    EXPECT_EQ(bf16_to_fp32(fp4_to_bf16_packed_x2(array<fp4_t, 2>{fp4_t{3}, fp4_t{4}})[1]), 2.0f);
    // Elements of arrays are one each; an odd count leaves zeros behind.
    const auto three = cast<fp4_t>(array<float, 3>{6.0f, 6.0f, 6.0f});
    EXPECT_EQ(__builtin_bit_cast(unsigned short, three), 0x0777);
}

// A pack, from memory as bytes, and what it is converted back to. The codes are those of OCP's tables.
template <class Pack, class Back>
void expect_pack(const Pack& pack, const std::vector<int>& bytes, const Back& back,
                 const std::vector<float>& values) {
    std::vector<unsigned char> stored(sizeof(pack));
    std::memcpy(stored.data(), &pack, sizeof(pack));
    EXPECT_EQ(std::vector<int>(stored.begin(), stored.end()), bytes);
    const auto as_fp32 = cast<fp32_t>(back);
    std::vector<float> converted;
    static_for<size<Back>()>([&](auto i) { converted.push_back(as_fp32[i.value]); });
    EXPECT_EQ(converted, values);
}

TEST(cast, packs_by_name) {
    const fp32x2_t two = {1.5f, -0.5f};
    const fp32x4_t four = {1, -2, 4, 0.5f};
    const fp32x8_t eight = {0, 0.5f, 1, 1.5f, 2, 3, 4, -6};
    const std::vector<float> of_two = {1.5f, -0.5f};
    const std::vector<float> of_four = {1, -2, 4, 0.5f};
    const std::vector<float> of_eight = {0, 0.5f, 1, 1.5f, 2, 3, 4, -6};

    const auto fp8x2 = fp32_to_fp8_packed_x2(two);
    const auto fp8x4 = fp32_to_fp8_packed_x4(four);
    expect_pack(fp8x2, {0x3c, 0xb0}, fp8_to_fp32_packed_x2(fp8x2), of_two);
    expect_pack(fp8x4, {0x38, 0xc0, 0x48, 0x30}, fp8_to_fp32_packed_x4(fp8x4), of_four);

    const auto fp4x2 = fp32_to_fp4_packed_x2(two);
    const auto fp4x4 = fp32_to_fp4_packed_x4(four);
    const auto fp4x8 = fp32_to_fp4_packed_x8(eight);
    expect_pack(fp4x2, {0x93}, fp4_to_fp32_packed_x2(fp4x2), of_two);
    expect_pack(fp4x4, {0xc2, 0x16}, fp4_to_fp32_packed_x4(fp4x4), of_four);
    expect_pack(fp4x8, {0x10, 0x32, 0x54, 0xf6}, fp4_to_fp32_packed_x8(fp4x8), of_eight);

    const auto of_bf16 = bf16_to_fp4_packed_x2(cast<bf16_t>(two));
    expect_pack(of_bf16, {0x93}, fp4_to_bf16_packed_x2(of_bf16), of_two);
}

TEST(cast, between_small_formats) {
    const auto codes4 = cast<fp4_t>(cast<fp8_t>(fp32x4_t{0.5f, 5.0f, -448.0f, 0.25f}));
    static_assert(is_same_v<decltype(codes4), const array<fp4_t, 4>>);
    EXPECT_EQ(__builtin_bit_cast(unsigned short, codes4), 0x0f61);
    EXPECT_EQ(bf8_to_fp32(cast<bf8_t>(fp32_to_fp8(1.125f))), 1.0f);
    EXPECT_EQ(cast<i8_t>(fp32_to_fp8(-20.0f)), -20);
    EXPECT_EQ(fp8_to_fp32(cast<fp8_t>(static_cast<i8_t>(100))), 96.0f);
    const auto same = cast<fp8_t>(fp8x2_t{});
    static_assert(is_same_v<decltype(same), const fp8x2_t>);
}

}  // namespace
