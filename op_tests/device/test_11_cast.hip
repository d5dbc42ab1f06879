// Conversions on the device against the formats' definition (laws/small_formats.hpp): every code,
// every boundary, random numbers, for every pair of formats and scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../laws/small_formats.hpp"
#include "common/device.hpp"
#include "opus/opus_plus.hpp"

// 1: what is slow, all of each table; else each path once.
#ifndef OPUS_TEST_SLOW
#define OPUS_TEST_SLOW 0
#endif

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

__global__ void note_target(int* out) {
#if defined(__gfx950__)
    *out = 950;
#elif defined(__gfx942__)
    *out = 942;
#else
    *out = 0;
#endif
}

int target() {
    static const int number = [] {
        device_buffer<int> out(1);
        note_target<<<1, 1>>>(out.data());
        finish();
        return out.to_host()[0];
    }();
    return number;
}

// out[i] = f(in[i]) for elements of any types; the last block may be partly idle.
template <class In, class Out, class F>
__global__ void transform(const In* in, Out* out, int n, F f) {
    const index_t i = block_id_x() * 256 + thread_id_x();
    if (i < n) {
        out[i] = f(in[i]);
    }
}

template <class Out, class In, class F>
std::vector<Out> transformed(const std::vector<In>& in, F f) {
    const device_buffer<In> from(in);
    device_buffer<Out> to(in.size());
    to.fill_bytes(0xa5);
    const int n = static_cast<int>(in.size());
    transform<<<static_cast<unsigned>((n + 255) / 256), 256>>>(from.data(), to.data(), n, f);
    finish();
    return to.to_host();
}

// Vectors of N elements, from their bits; what is missing from the last one is zero.
template <class V, class Code>
std::vector<V> grouped(std::vector<Code> codes) {
    constexpr size_t n = sizeof(V) / sizeof(Code);
    codes.resize((codes.size() + n - 1) / n * n);
    std::vector<V> all(codes.size() / n);
    std::memcpy(all.data(), codes.data(), codes.size() * sizeof(Code));
    return all;
}

// Bits [i * bits, (i + 1) * bits) of memory.
uint32_t code_at(const void* memory, size_t i, int bits) {
    const auto* bytes = static_cast<const unsigned char*>(memory);
    uint32_t code = 0;
    for (int bit = 0; bit < bits; bit++) {
        const size_t at = i * static_cast<size_t>(bits) + static_cast<size_t>(bit);
        code |= (bytes[at / 8] >> at % 8 & 1u) << bit;
    }
    return code;
}

// The unsigned integer that holds the code of fp32, fp16 or bf16.
template <class W>
using code_t = std::conditional_t<sizeof(W) == 4, uint32_t, uint16_t>;

template <class Small>
laws::small_format law_of() {
    if constexpr (is_same_v<Small, fp8_t>) {
        return target() == 942 ? laws::fp8_fnuz : laws::fp8_ocp;
    } else if constexpr (is_same_v<Small, bf8_t>) {
        return target() == 942 ? laws::bf8_fnuz : laws::bf8_ocp;
    } else {
        return is_same_v<Small, fp6_t>   ? laws::fp6
               : is_same_v<Small, bf6_t> ? laws::bf6
                                         : laws::fp4;
    }
}
// The value of a code of a wide type, exact. A NaN has the code's sign.
template <class W>
double wide_value(uint32_t code) {
    if constexpr (is_same_v<W, fp32_t>) {
        return static_cast<double>(laws::bits_float(code));
    } else {
        const laws::small_format& f = is_same_v<W, bf16_t> ? laws::bf16 : laws::fp16;
        return std::copysign(laws::value(f, code), (code & f.sign()) != 0 ? -1.0 : 1.0);
    }
}
// The code of a wide type that is nearest to x; a NaN is the positive quiet one with no payload.
// @pre x is exact in fp32 where W is bf16
template <class W>
uint32_t wide_code(const laws::encoder& fp16_of, double x) {
    if constexpr (is_same_v<W, fp32_t>) {
        return std::isnan(x) ? 0x7fc00000 : laws::float_bits(static_cast<float>(x));
    } else if constexpr (is_same_v<W, bf16_t>) {
        return std::isnan(x) ? 0x7fc0 : laws::bf16_code(static_cast<float>(x), 0);
    } else {
        return std::isnan(x) ? 0x7e00 : fp16_of(x);
    }
}
// x multiplied (sign 1) or divided (-1) by the scale with that exponent field; 255 is NaN.
double scaled(double x, int scale, int sign) {
    return scale == 255 ? std::copysign(NAN, x) : std::ldexp(x, sign * (scale - 127));
}

// No scale is -1, others are exponent fields; the mantissa must not matter.
float scale_of(int field) {
    return laws::bits_float(static_cast<uint32_t>(field) << 23 | 0x155555);
}

template <class D, class W, index_t N>
size_t check_encode(const laws::encoder& encoder, const std::vector<code_t<W>>& in, int scale) {
    using V = vector_t<W, N>;
    using R = remove_cvref_t<decltype(cast<D>(V{}))>;
    const std::vector<V> values = grouped<V>(in);
    const float s = scale_of(scale);
    const auto got = scale < 0
                         ? transformed<R>(
                               values, [] __device__(V v) { return cast<D>(v); })
                         : transformed<R>(values, [s] __device__(V v) { return cast<D>(v, s); });
    constexpr index_t bits = sizeof_bits_v<D>;
    static_assert(sizeof(R) * 8 == N * bits);
    for (size_t i = 0; i < in.size(); i++) {
        const uint32_t expected =
            encoder(scaled(wide_value<W>(in[i]), scale < 0 ? 127 : scale, -1));
        if (code_at(got.data(), i, bits) != expected) {
            ADD_FAILURE() << "element " << i << " of bits " << std::hex << in[i] << std::dec
                          << ", lane " << i / N % 64 << ", scale " << scale << ": got "
                          << code_at(got.data(), i, bits) << ", expected " << expected;
            return 0;
        }
    }
    return in.size();
}

template <class W, class S, index_t N>
size_t check_decode(int scale) {
    constexpr index_t bits = sizeof_bits_v<S>;
    using V = vector_t<W, N>;
    using P = remove_cvref_t<decltype(cast<S>(V{}))>;
    // Every code at every place of a group.
    std::vector<unsigned char> memory;
    constexpr size_t count = (size_t{1} << bits) * N * (N + 1) / N;
    memory.resize((count * bits + 7) / 8 + sizeof(P));
    const auto code_of = [](size_t i) {
        return static_cast<uint32_t>((i + i / (size_t{1} << bits)) & ((1u << bits) - 1));
    };
    for (size_t i = 0; i < count; i++) {
        for (size_t bit = 0; bit < bits; bit++) {
            const size_t at = i * bits + bit;
            memory[at / 8] =
                static_cast<unsigned char>(memory[at / 8] | (code_of(i) >> bit & 1u) << at % 8);
        }
    }
    memory.resize(memory.size() / sizeof(P) * sizeof(P));
    const std::vector<P> codes = grouped<P>(memory);
    const float s = scale_of(scale);
    const auto got =
        scale < 0 ? transformed<V>(
                        codes, [] __device__(P p) -> V { return cast<W>(p); })
                  : transformed<V>(codes, [s] __device__(P p) -> V { return cast<W>(p, s); });
    const laws::small_format f = law_of<S>();
    static const laws::encoder fp16_of(laws::fp16);
    const size_t n = std::min(count, codes.size() * N);
    for (size_t i = 0; i < n; i++) {
        const uint32_t expected =
            wide_code<W>(fp16_of, scaled(laws::value(f, code_of(i)), scale < 0 ? 127 : scale, 1));
        code_t<W> result;
        std::memcpy(&result, reinterpret_cast<const char*>(got.data()) + i * sizeof(W), sizeof(W));
        if (result != expected) {
            ADD_FAILURE() << "code " << code_of(i) << ", element " << i << ", lane " << i / N % 64
                          << ", scale " << scale << ": got " << std::hex << result << ", expected "
                          << expected;
            return 0;
        }
    }
    return n;
}

const std::vector<int> scales =
    OPUS_TEST_SLOW ? std::vector<int>{-1, 127, 0, 1, 64, 112, 126, 130, 141, 200, 253, 254, 255}
                   : std::vector<int>{-1, 127, 0, 130, 254, 255};
constexpr size_t drawn_floats = OPUS_TEST_SLOW ? 1000000 : 100000;

template <class D, class W, index_t N>
void check_pair() {
    size_t encoded = 0;
    size_t decoded = 0;
    const laws::small_format f = law_of<D>();
    const laws::encoder encoder(f);
    for (const int scale : scales) {
        std::vector<code_t<W>> in;
        if constexpr (is_same_v<W, fp32_t>) {
            auto floats = laws::critical_floats(encoder, scale < 0 ? 0 : scale - 127);
            const auto random =
                laws::random_floats(f, scale < 0 || scale == 130 ? drawn_floats : 10000);
            floats.insert(floats.end(), random.begin(), random.end());
            for (const float x : floats) {
                in.push_back(laws::float_bits(x));
            }
        } else {
            for (uint32_t code = 0; code < 0x10000; code++) {
                in.push_back(static_cast<code_t<W>>(code));
            }
        }
        encoded += check_encode<D, W, N>(encoder, in, scale);
        decoded += check_decode<W, D, N>(scale);
    }
    std::printf("%s with %d-bit floats by %d: %zu encoded, %zu decoded\n", f.name,
                static_cast<int>(8 * sizeof(W)), N, encoded, decoded);
}

template <class T>
class small : public testing::Test {};
using small_types = testing::Types<fp8_t, bf8_t, fp6_t, bf6_t, fp4_t>;
TYPED_TEST_SUITE(small, small_types);
// bf8 and bf6 take the paths of fp8 and fp6.
template <class T>
class small_of_any_width : public testing::Test {};
using types_of_any_width =
    std::conditional_t<OPUS_TEST_SLOW, small_types, testing::Types<fp8_t, fp6_t, fp4_t>>;
TYPED_TEST_SUITE(small_of_any_width, types_of_any_width);

// The width that the instructions have, or a few of them.
template <class T>
constexpr index_t wide_v = sizeof_bits_v<T> == 6 ? 32 : 8;

TYPED_TEST(small, with_fp32) {
    check_pair<TypeParam, fp32_t, wide_v<TypeParam>>();
}
TYPED_TEST(small_of_any_width, with_fp16) {
    check_pair<TypeParam, fp16_t, wide_v<TypeParam>>();
}
TYPED_TEST(small_of_any_width, with_bf16) {
    check_pair<TypeParam, bf16_t, wide_v<TypeParam>>();
}
TYPED_TEST(small_of_any_width, few_elements) {
    check_pair<TypeParam, fp32_t, 4>();
    if constexpr (sizeof_bits_v<TypeParam> != 6) {
        check_pair<TypeParam, bf16_t, 2>();
    }
}
TYPED_TEST(small_of_any_width, many_elements) {
    check_pair<TypeParam, fp16_t, 2 * wide_v<TypeParam>>();
}

// One element; three of them, in an array.
template <class T>
struct single_results {
    T one;
    T one_scaled;
    fp32_t back;
    fp32_t back_scaled;
    array<T, 3> three;
};
TYPED_TEST(small, single_elements) {
    using T = TypeParam;
    const laws::encoder encoder(law_of<T>());
    const std::vector<float> in = laws::critical_floats(encoder, 0);
    const auto got = transformed<single_results<T>>(in, [] __device__(float x) {
        single_results<T> r;
        r.one = cast<T>(x);
        r.one_scaled = cast<T>(x, 4.0f);
        const auto values = to_vector(array<T, 1>{r.one});
        r.back = cast<fp32_t>(values)[0];
        r.back_scaled = cast<fp32_t>(values, 0.5f)[0];
        r.three = cast<T>(array<float, 3>{x, -x, x});
        return r;
    });
    const auto float_code = [&](double x) { return wide_code<fp32_t>(encoder, x); };
    for (size_t i = 0; i < in.size(); i++) {
        const double x = static_cast<double>(in[i]);
        const uint32_t code = encoder(x);
        const uint32_t negative = encoder(-x);
        const double back = laws::value(encoder.format(), code);
        ASSERT_EQ(laws::raw_bits(got[i].one), code) << in[i];
        ASSERT_EQ(laws::raw_bits(got[i].one_scaled), encoder(x / 4)) << in[i];
        ASSERT_EQ(laws::float_bits(got[i].back), float_code(back)) << in[i];
        ASSERT_EQ(laws::float_bits(got[i].back_scaled), float_code(back / 2)) << in[i];
        const index_t width = sizeof_bits_v<T>;
        const uint32_t all = code | negative << width | code << 2 * width;
        uint32_t three = 0;
        std::memcpy(&three, &got[i].three, sizeof(got[i].three));
        ASSERT_EQ(three, all) << in[i];
    }
}

// saturate{}, behind nothing, a scale, a format's name or both; of vectors, arrays and scalars.
template <class D, class W>
void check_saturated() {
    const laws::encoder own(law_of<D>());
    using ocp = std::conditional_t<is_same_v<D, fp8_t>, fp8_ocp, bf8_ocp>;
    using fnuz = std::conditional_t<is_same_v<D, fp8_t>, fp8_fnuz, bf8_fnuz>;
    const laws::encoder of_ocp(is_same_v<D, fp8_t> ? laws::fp8_ocp : laws::bf8_ocp);
    const laws::encoder of_fnuz(is_same_v<D, fp8_t> ? laws::fp8_fnuz : laws::bf8_fnuz);
    std::vector<code_t<W>> in;
    for (uint32_t code = 0; code < 0x10000; code++) {
        in.push_back(static_cast<code_t<W>>(sizeof(W) == 4 ? code << 16 : code));
    }
    if constexpr (sizeof(W) == 4) {
        for (const float x : laws::critical_floats(own, 0)) {
            in.push_back(laws::float_bits(x));
        }
    }
    using V = vector_t<W, 4>;
    const auto values = grouped<V>(in);
    const auto check = [&](const char* what, const laws::encoder& encoder, int scale, auto f) {
        const auto got = transformed<vector_t<D, 4>>(values, f);
        for (size_t i = 0; i < in.size(); i++) {
            const double x = scaled(wide_value<W>(in[i]), scale, -1);
            const uint32_t code = code_at(got.data(), i, 8);
            const uint32_t expected = encoder.saturated(x);
            // (The sign of a NaN that the scale makes is not said.)
            const bool is_right =
                code == expected || (scale == 255 && (code | 0x80) == 0xff &&
                                     encoder.format().kind != laws::special::fnuz);
            ASSERT_TRUE(is_right) << what << " of bits " << std::hex << in[i] << ": got " << code
                                  << ", expected " << expected;
        }
    };
    check("vector", own, 127, [] __device__(V v) { return cast<D>(v, saturate{}); });
    check("scalars", own, 127, [] __device__(V v) {
        return vector_t<D, 4>{cast<D>(v[0], saturate{}), cast<D>(v[1], saturate{}),
                              cast<D>(v[2], saturate{}), cast<D>(v[3], saturate{})};
    });
    check("array", own, 127,
          [] __device__(V v) { return to_vector(cast<D>(to_array(v), saturate{})); });
    check("ocp", of_ocp, 127, [] __device__(V v) { return cast<D>(v, ocp{}, saturate{}); });
    check("fnuz", of_fnuz, 130,
          [] __device__(V v) { return cast<D>(v, fnuz{}, 8.0f, saturate{}); });
    for (const int scale : {0, 126, 130, 254, 255}) {
        const float s = scale_of(scale);
        check("scaled", own, scale, [s] __device__(V v) { return cast<D>(v, s, saturate{}); });
    }
}
TEST(small_formats, saturated) {
    check_saturated<fp8_t, fp32_t>();
    check_saturated<fp8_t, fp16_t>();
    check_saturated<fp8_t, bf16_t>();
    check_saturated<bf8_t, fp32_t>();
    if constexpr (OPUS_TEST_SLOW) {
        check_saturated<bf8_t, fp16_t>();
        check_saturated<bf8_t, bf16_t>();
    }
}

// The 8-bit formats by name, on either target.
template <class T, class Format>
void check_named_format(const laws::small_format& law) {
    const laws::encoder encode(law);
    const std::vector<float> in = laws::critical_floats(encode, 0);
    const auto codes = transformed<vector_t<T, 4>>(
        grouped<fp32x4_t>(in), [] __device__(fp32x4_t v) { return cast<T>(v, Format{}); });
    for (size_t i = 0; i < in.size(); i++) {
        const double x = std::isnan(in[i]) ? std::copysign(NAN, in[i]) : in[i];
        ASSERT_EQ(code_at(codes.data(), i, 8), encode(x)) << law.name << " of " << in[i];
    }
    std::vector<u8_t> all(256);
    for (size_t i = 0; i < all.size(); i++) {
        all[i] = static_cast<u8_t>(i);
    }
    const auto values = transformed<fp32x2_t>(
        grouped<vector_t<T, 2>>(all),
        [] __device__(vector_t<T, 2> v) { return cast<fp32_t>(v, Format{}); });
    for (size_t i = 0; i < all.size(); i++) {
        const double exact = laws::value(law, static_cast<uint32_t>(i));
        const uint32_t expected =
            std::isnan(exact) ? 0x7fc00000 : laws::float_bits(static_cast<float>(exact));
        ASSERT_EQ(code_at(values.data(), i, 32), expected) << law.name << " code " << i;
    }
}
TEST(small_formats, formats_by_name) {
    check_named_format<fp8_t, fp8_ocp>(laws::fp8_ocp);
    check_named_format<bf8_t, bf8_ocp>(laws::bf8_ocp);
    check_named_format<fp8_t, fp8_fnuz>(laws::fp8_fnuz);
    check_named_format<bf8_t, bf8_fnuz>(laws::bf8_fnuz);
}

template <index_t mode>
void check_bf16() {
    std::vector<uint32_t> in;
    for (uint32_t code = 0; code < 0x10000; code++) {
        for (const uint32_t rest : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            in.push_back(code << 16 | rest);
        }
    }
    for (const float x : laws::random_floats(laws::bf16, drawn_floats)) {
        in.push_back(laws::float_bits(x));
    }
    const auto got = transformed<bf16x4_t>(grouped<fp32x4_t>(in), [] __device__(fp32x4_t v) {
        return cast<bf16_t>(v, number<mode>{});
    });
    for (size_t i = 0; i < in.size(); i++) {
        const uint32_t expected =
            laws::bf16_code(laws::bits_float(in[i]), target() == 950 ? 0 : mode);
        ASSERT_EQ(code_at(got.data(), i, 16), expected)
            << "mode " << mode << " of bits " << std::hex << in[i];
    }
    std::printf("mode %d: %zu floats\n", mode, in.size());
}
TEST(bf16, every_mode) {
    check_bf16<0>();
    check_bf16<1>();
    check_bf16<2>();
    check_bf16<3>();
    check_bf16<4>();
    check_bf16<5>();
}
TEST(bf16, default_mode) {
    const auto got = transformed<bf16_t>(std::vector<float>{laws::bits_float(0x3f80ffff)},
                                         [] __device__(float x) { return fp32_to_bf16(x); });
    EXPECT_EQ(laws::raw_bits(got[0]), target() == 950 ? 0x3f81 : 0x3f80);
}
TEST(bf16, every_code_decoded) {
    std::vector<unsigned short> in;
    for (uint32_t code = 0; code < 0x10000; code++) {
        in.push_back(static_cast<unsigned short>(code));
    }
    const auto got = transformed<fp32x8_t>(grouped<bf16x8_t>(in),
                                           [] __device__(bf16x8_t v) { return cast<fp32_t>(v); });
    for (uint32_t code = 0; code < 0x10000; code++) {
        ASSERT_EQ(code_at(got.data(), code, 32), code << 16);
    }
}

TEST(fp16, both_ways) {
    const laws::encoder encoder(laws::fp16);
    std::vector<uint32_t> in;
    std::vector<float> floats = laws::critical_floats(encoder, 0);
    const auto random = laws::random_floats(laws::fp16, drawn_floats);
    floats.insert(floats.end(), random.begin(), random.end());
    for (const float x : floats) {
        in.push_back(laws::float_bits(x));
    }
    const auto got = transformed<fp16x4_t>(grouped<fp32x4_t>(in),
                                           [] __device__(fp32x4_t v) { return cast<fp16_t>(v); });
    for (size_t i = 0; i < in.size(); i++) {
        const uint32_t code = code_at(got.data(), i, 16);
        if (std::isnan(floats[i])) {
            ASSERT_EQ(code & 0x7e00, 0x7e00u) << "no quiet NaN: " << std::hex << in[i];
            ASSERT_EQ(code >> 15, in[i] >> 31) << std::hex << in[i];
        } else {
            ASSERT_EQ(code, encoder(static_cast<double>(floats[i]))) << std::hex << in[i];
        }
    }
    std::vector<unsigned short> halves;
    for (uint32_t code = 0; code < 0x10000; code++) {
        halves.push_back(static_cast<unsigned short>(code));
    }
    const auto back = transformed<fp32x8_t>(grouped<fp16x8_t>(halves),
                                            [] __device__(fp16x8_t v) { return cast<fp32_t>(v); });
    for (uint32_t code = 0; code < 0x10000; code++) {
        const uint32_t got_bits = code_at(back.data(), code, 32);
        const double exact = wide_value<fp16_t>(code);
        if (std::isnan(exact)) {
            ASSERT_EQ(got_bits & 0x7fc00000, 0x7fc00000u) << "no quiet NaN: " << code;
        } else {
            ASSERT_EQ(got_bits, laws::float_bits(static_cast<float>(exact))) << code;
        }
    }
    std::printf("%zu floats encoded, 65536 halves decoded\n", in.size());
}

struct integer_results {
    array<i8_t, 4> bytes;
    i32_t word;
    u32_t unsigned_word;
    u8_t byte;
    fp32_t back;
};
// x without its fraction, and within what D holds; a NaN is 0.
template <class D>
D saturated(double x) {
    const double min = static_cast<double>(std::numeric_limits<D>::min());
    const double max = static_cast<double>(std::numeric_limits<D>::max());
    return std::isnan(x) ? D{0} : static_cast<D>(std::fmin(std::fmax(std::trunc(x), min), max));
}
TEST(integers, saturate_without_fraction) {
    std::vector<float> in = laws::random_floats(laws::fp16, 100000);
    for (const float x :
         {0.0f, -0.5f, 127.0f, 127.5f, 128.0f, -128.0f, -128.9f, -129.0f, 255.9f, 256.0f, 0x1p31f,
          -0x1p31f, 0x1p32f, 1e30f, -1e30f, INFINITY, -INFINITY, static_cast<float>(NAN)}) {
        in.push_back(x);
    }
    const auto got = transformed<integer_results>(in, [] __device__(float x) {
        integer_results r;
        r.bytes = cast<i8_t>(array<float, 4>{x, x * 3, -x, x});
        r.word = cast<i32_t>(x);
        r.unsigned_word = cast<u32_t>(x);
        r.byte = cast<u8_t>(x);
        r.back = cast<fp32_t>(r.word);
        return r;
    });
    for (size_t i = 0; i < in.size(); i++) {
        const float values[] = {in[i], in[i] * 3, -in[i], in[i]};
        for (index_t b = 0; b < 4; b++) {
            ASSERT_EQ(got[i].bytes[b], saturated<i8_t>(static_cast<double>(values[b]))) << in[i];
        }
        const double x = static_cast<double>(in[i]);
        ASSERT_EQ(got[i].word, saturated<i32_t>(x)) << in[i];
        ASSERT_EQ(got[i].unsigned_word, saturated<u32_t>(x)) << in[i];
        ASSERT_EQ(got[i].byte, saturated<u8_t>(x)) << in[i];
        ASSERT_EQ(got[i].back, static_cast<float>(saturated<i32_t>(x))) << in[i];
    }
}

// N values that x makes.
template <index_t N>
__host__ __device__ array<float, N> values_of(float x) {
    array<float, N> v{};
    for (index_t i = 0; i < N; i++) {
        v[i] = x * static_cast<float>(i % 2 == 0 ? 1 + i / 2 : -i);
    }
    return v;
}
template <class D, index_t... Ns>
void check_bytes_of(const std::vector<float>& in, seq<Ns...>) {
    const auto check = [&](auto length) {
        constexpr index_t n = length.value;
        const auto got = transformed<array<D, n>>(in, [] __device__(float x) {
            const array<float, n> values = values_of<n>(x);
            vector_t<float, n> v;
            for (index_t i = 0; i < n; i++) {
                v[i] = values[i];
            }
            const vector_t<D, n> bytes = cast<D>(v);
            array<D, n> r;
            for (index_t i = 0; i < n; i++) {
                r[i] = bytes[i];
            }
            return r;
        });
        for (size_t i = 0; i < in.size(); i++) {
            const array<float, n> values = values_of<n>(in[i]);
            for (index_t j = 0; j < n; j++) {
                ASSERT_EQ(got[i][j], saturated<D>(static_cast<double>(values[j])))
                    << "element " << j << " of " << n << ": " << values[j];
            }
        }
    };
    (check(number<Ns>{}), ...);
}
TEST(integers, bytes_of_vectors) {
    std::vector<float> in;
    for (float x = -300; x <= 300; x += 0.5f) {
        for (const float beside : {-INFINITY, x, INFINITY}) {
            in.push_back(std::nextafter(x, beside));
        }
    }
    for (const float x : {1e9f, 2147483520.0f, 0x1p31f, 0x1p32f, 1e30f, INFINITY, 1e-40f, 0.0f}) {
        in.push_back(x);
        in.push_back(-x);
    }
    for (const uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu}) {
        in.push_back(__builtin_bit_cast(float, nan));
    }
    check_bytes_of<i8_t>(in, seq<1, 2, 3, 4, 6, 8, 16>{});
    check_bytes_of<u8_t>(
        in, std::conditional_t<OPUS_TEST_SLOW, seq<1, 2, 3, 4, 6, 8, 16>, seq<3, 8>>{});
}
// Of constants too, which the compiler could take for undefined.
TEST(integers, constants_out_of_range) {
    const auto got = transformed<array<i32_t, 12>>(std::vector<float>{0}, [] __device__(float) {
        const float nan = __builtin_nanf("");
        const float inf = __builtin_inff();
        return array<i32_t, 12>{cast<i8_t>(1e9f),  cast<i8_t>(-1e10f), cast<i8_t>(nan),
                                cast<i8_t>(inf),   cast<u8_t>(1e10f),  cast<u8_t>(-1e10f),
                                cast<u8_t>(nan),   cast<u8_t>(-inf),   cast<i32_t>(1e10f),
                                cast<i32_t>(-inf), cast<i32_t>(nan),   fp32_to_i8(1e10f)};
    });
    const array<i32_t, 12> wanted{127, -128, 0, 127, 255, 0, 0, 0, 0x7fffffff, -0x7fffffff - 1,
                                  0,   127};
    for (index_t i = 0; i < 12; i++) {
        EXPECT_EQ(got[0][i], wanted[i]) << i;
    }
}

// ---- int4_t and uint4_t ----

template <class T>
constexpr bool has_sign_v = is_same_v<T, int4_t>;
template <class T>
int int4_value(uint32_t code) {
    return static_cast<int>(code) - (has_sign_v<T> && code >= 8 ? 16 : 0);
}
// Every code at every place of N, to D, of which the lowest number is `lowest`.
template <class D, class T, index_t N>
void check_int4_to(int lowest = -8) {
    using P = array<T, N>;
    using R = array<D, N>;
    std::vector<P> in(16);
    for (index_t shift = 0; shift < 16; shift++) {
        for (index_t i = 0; i < N; i++) {
            in[static_cast<size_t>(shift)][i] = T{static_cast<u8_t>((shift + i * 7) & 15)};
        }
    }
    const auto of_arrays = transformed<R>(in, [] __device__(P p) { return cast<D>(p); });
    const auto of_vectors =
        transformed<R>(in, [] __device__(P p) { return to_array(cast<D>(to_vector(p))); });
    const auto of_scalars = transformed<R>(in, [] __device__(P p) {
        R r;
        static_for<N>([&](auto i) { r[i] = cast<D>(static_cast<T>(p[i])); });
        return r;
    });
    for (size_t shift = 0; shift < 16; shift++) {
        for (index_t i = 0; i < N; i++) {
            const uint32_t code =
                (static_cast<uint32_t>(shift) + static_cast<uint32_t>(i) * 7) & 15;
            const auto expected = static_cast<float>(std::max(int4_value<T>(code), lowest));
            ASSERT_EQ(cast<fp32_t>(of_arrays[shift][i]), expected) << code << " at " << i;
            ASSERT_EQ(cast<fp32_t>(of_vectors[shift][i]), expected) << code << " at " << i;
            ASSERT_EQ(cast<fp32_t>(of_scalars[shift][i]), expected) << code << " at " << i;
        }
    }
}
template <class D, class T>
void check_int4_lengths(int lowest = -8) {
    check_int4_to<D, T, 8>(lowest);
    if constexpr (OPUS_TEST_SLOW || is_same_v<D, fp32_t>) {
        check_int4_to<D, T, 13>(lowest);
        check_int4_to<D, T, 1>(lowest);
        check_int4_to<D, T, 3>(lowest);
        check_int4_to<D, T, 32>(lowest);
    }
}
// `in`, numbers or bits of S, to T, eight at a time; value_of gives the exact number.
template <class T, class S, class Code, class F>
void check_int4_of(const std::vector<Code>& in, F value_of) {
    using A = array<S, 8>;
    const auto got =
        transformed<array<T, 8>>(grouped<A>(in), [] __device__(A a) { return cast<T>(a); });
    for (size_t i = 0; i < in.size(); i++) {
        const double x = value_of(in[i]);
        const double low = has_sign_v<T> ? -8 : 0;
        const double high = has_sign_v<T> ? 7 : 15;
        const double expected =
            std::isnan(x) ? 0 : std::nearbyint(std::fmin(std::fmax(x, low), high));
        ASSERT_EQ(int4_value<T>(code_at(got.data(), i, 4)), expected) << x << " at " << i % 8;
    }
}
template <class T>
class int4 : public testing::Test {};
using int4_types = testing::Types<int4_t, uint4_t>;
TYPED_TEST_SUITE(int4, int4_types);
TYPED_TEST(int4, to_every_type) {
    using T = TypeParam;
    check_int4_lengths<fp32_t, T>();
    check_int4_lengths<fp16_t, T>();
    check_int4_lengths<bf16_t, T>();
    check_int4_lengths<i8_t, T>();
    check_int4_lengths<i32_t, T>();
    check_int4_lengths<u8_t, T>(0);
}
TYPED_TEST(int4, nearest_even_and_saturated) {
    using T = TypeParam;
    std::vector<float> floats = {1e9f,     -1e9f,     0x1.8p23f,
                                 3e38f,    -3e38f,    1e-40f,
                                 INFINITY, -INFINITY, static_cast<float>(NAN)};
    for (int i = -200; i <= 200; i++) {
        const float x = static_cast<float>(i) / 8;
        floats.insert(floats.end(), {std::nextafter(x, -1e9f), x, std::nextafter(x, 1e9f)});
    }
    check_int4_of<T, fp32_t>(floats, [](float x) { return static_cast<double>(x); });
    std::vector<unsigned short> codes;
    for (uint32_t code = 0; code < 0x10000; code++) {
        codes.push_back(static_cast<unsigned short>(code));
    }
    check_int4_of<T, fp16_t>(codes, [](uint32_t code) { return laws::value(laws::fp16, code); });
    check_int4_of<T, bf16_t>(codes, [](uint32_t code) { return laws::value(laws::bf16, code); });
    std::vector<i8_t> bytes;
    std::vector<i32_t> words = {-0x7fffffff - 1, 0x7fffffff, 1 << 24};
    for (int i = -128; i < 128; i++) {
        bytes.push_back(static_cast<i8_t>(i));
        words.push_back(i);
    }
    check_int4_of<T, i8_t>(bytes, [](i8_t x) { return static_cast<double>(x); });
    check_int4_of<T, i32_t>(words, [](i32_t x) { return static_cast<double>(x); });
}

// The limits of the device's formats, and constant expressions beside instructions.
struct facts {
    u8_t fp8_max;
    fp8_t fp8_nan;
    bf8_t bf8_max, bf8_infinity;
    float fp8_finfo, bf8_finfo, fp4_finfo;
    fp8_t at_compile_time, at_run_time;
    bf16_t bf16_at_compile_time, bf16_at_run_time;
};
TEST(types, facts_of_the_target) {
    const auto got = transformed<facts>(std::vector<float>{0.3f}, [] __device__(float x) {
        constexpr fp8_t code = fp32_to_fp8(0.3f);
        constexpr bf16_t half = fp32_to_bf16(0.3f);
        facts r;
        r.fp8_max = numeric_limits<fp8_t>::bin_max;
        r.fp8_nan = numeric_limits<fp8_t>::quiet_nan();
        r.bf8_max = numeric_limits<bf8_t>::max();
        r.bf8_infinity = numeric_limits<bf8_t>::infinity();
        r.fp8_finfo = finfo<fp8_t>::max;
        r.bf8_finfo = finfo<bf8_t>::tiny();
        r.fp4_finfo = finfo<fp4_t>::max;
        r.at_compile_time = code;
        r.at_run_time = fp32_to_fp8(x);
        r.bf16_at_compile_time = half;
        r.bf16_at_run_time = fp32_to_bf16(x);
        return r;
    })[0];
    const bool fnuz = target() == 942;
    EXPECT_EQ(got.fp8_max, fnuz ? 0x7f : 0x7e);
    EXPECT_EQ(laws::raw_bits(got.fp8_nan), fnuz ? 0x80 : 0x7f);
    EXPECT_EQ(laws::raw_bits(got.bf8_max), fnuz ? 0x7f : 0x7b);
    EXPECT_EQ(laws::raw_bits(got.bf8_infinity), fnuz ? 0 : 0x7c);
    EXPECT_EQ(got.fp8_finfo, fnuz ? 240.0f : 448.0f);
    EXPECT_EQ(got.bf8_finfo, fnuz ? 0x1p-15f : 0x1p-14f);
    EXPECT_EQ(got.fp4_finfo, 6.0f);
    EXPECT_EQ(laws::raw_bits(got.at_compile_time), laws::raw_bits(got.at_run_time));
    EXPECT_EQ(laws::raw_bits(got.bf16_at_compile_time), laws::raw_bits(got.bf16_at_run_time));
}

}  // namespace
