// The sums of gfx942's matrix instructions with operands of xf32, f16, bf16, fp8 and bf8, bit by bit
// as they were measured on an MI300X (Xie et al., arXiv 2511.10909; docs/matrix-cores.md).
//
// A number is s * 2^e with 1 <= |s| < 2. A subnormal one has the smallest e of its format and
// |s| < 1, zero has s = 0 and e = -126. Products are s_a * s_b and e_a + e_b, with |s| < 4.
#pragma once

#include <algorithm>

#include "isa/float_math.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

// What the instructions of an operand type have of their own.
struct sum_rule {
    int group;      // values of k that are added at once, at most
    bool is_split;  // even and odd k are added apart, and a small C is dropped
    int smallest_exponent_of_a;
    int smallest_exponent_of_b;
};

template <class T, int Lanes>
using vector_of = T __attribute__((ext_vector_type(Lanes)));

// Lanes of one register of this level, of f32.
#if defined(__AVX512F__)
constexpr int register_lanes = 16;
#elif defined(__AVX2__)
constexpr int register_lanes = 8;
#else
constexpr int register_lanes = 4;
#endif

template <class V, class T>
V load_vector(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// Numbers, with the parts that they are made of: three arrays with the same indices.
struct number_arrays {
    const f32* value;
    const f32* s;
    const i32* e;  // times 2^23, where f32 has its exponent
    number_arrays from(int n) const { return {value + n, s + n, e + n}; }
};

constexpr i32 in_place(int exponent) {
    return exponent * (1 << 23);
}

// Returns whether there are infinities or NaNs; these get some s and e.
inline bool take_apart(const f32* value, int count, int smallest_exponent, f32* s, i32* e) {
    u32 specials = 0;
    for (int n = 0; n < count; ++n) {
        const u32 bits = std::bit_cast<u32>(value[n]);
        const int field = static_cast<int>(bits >> 23 & 0xff);
        specials |= field == 0xff ? 1u : 0u;
        const int exponent = std::clamp(field - 127, smallest_exponent, 127);
        e[n] = in_place((bits & 0x7fffffff) == 0 ? -126 : exponent);
        s[n] = field == 0 ? value[n] * 0x1p126f
                          : std::bit_cast<f32>(bits - static_cast<u32>(in_place(exponent)));
    }
    return specials != 0;
}

template <int Lanes>
struct group_sum {
    vector_of<i32, Lanes> sum;  // times 2^(e - 24)
    vector_of<i32, Lanes> e;    // in place: the largest of the products
};

// The products of k = First, First + Step, ... below Count: a[k] and the columns at b[k * stride].
template <int Lanes, int First, int Step, int Count>
group_sum<Lanes> add_products(const number_arrays& a, const number_arrays& b, int stride) {
    using floats = vector_of<f32, Lanes>;
    using ints = vector_of<i32, Lanes>;
    constexpr int products = (Count - First + Step - 1) / Step;
    floats s[products];
    ints e[products];
    ints largest = ints(in_place(-252));
    for (int p = 0; p < products; ++p) {
        const int k = First + p * Step;
        s[p] = a.s[k] * load_vector<floats>(b.s + k * stride);
        e[p] = a.e[k] + load_vector<ints>(b.e + k * stride);
        largest = __builtin_elementwise_max(largest, e[p]);
    }
    // Each is truncated at 24 bits behind the largest one's point; 0 * 2^(...) is far below that.
    const ints scale_of_largest = in_place(127 + 24) - largest;
    ints sum = {};
    for (int p = 0; p < products; ++p) {
        const ints scale = __builtin_elementwise_max(scale_of_largest + e[p], ints{});
        sum += __builtin_convertvector(s[p] * std::bit_cast<floats>(scale), ints);
    }
    return {sum, largest};
}

// x *= 2^exponent, which is at least 2^-1022. (Functions cannot return two registers.)
template <int Lanes>
void multiply_by_power(vector_of<f64, Lanes>& x, vector_of<i32, Lanes> exponent) {
    const auto field = __builtin_convertvector(exponent + 1023, vector_of<i64, Lanes>);
    x *= __builtin_bit_cast(vector_of<f64, Lanes>, field << 52);
}

// The infinities and NaNs among C and the products, added; 0 if there are none.
template <int Lanes>
vector_of<f32, Lanes> add_specials(const number_arrays& a, const number_arrays& b, int stride,
                                   int count, vector_of<f32, Lanes> c) {
    using floats = vector_of<f32, Lanes>;
    const auto special = [](floats x) {
        return __builtin_elementwise_abs(x) < __builtin_inff() ? floats{} : x;
    };
    floats sum = special(c);
    for (int k = 0; k < count; ++k) {
        sum += special(a.value[k] * load_vector<floats>(b.value + k * stride));
    }
    return sum == sum ? sum : floats(__builtin_nanf(""));
}

// C and one group of products.
template <int Lanes, int Count, bool IsSplit>
vector_of<f32, Lanes> add_group(const number_arrays& a, const number_arrays& b, int stride,
                                vector_of<f32, Lanes> c, bool has_specials) {
    using floats = vector_of<f32, Lanes>;
    using doubles = vector_of<f64, Lanes>;
    using ints = vector_of<i32, Lanes>;
    ints sum;
    ints e;
    if constexpr (IsSplit) {
        const auto even = add_products<Lanes, 0, 2, Count>(a, b, stride);
        const auto odd = add_products<Lanes, 1, 2, Count>(a, b, stride);
        e = __builtin_elementwise_max(even.e, odd.e);
        // A shift rounds toward minus infinity.
        const auto aligned = [&](const group_sum<Lanes>& x) {
            return x.sum >> __builtin_elementwise_min((e - x.e) >> 23, ints(31));
        };
        sum = aligned(even) + aligned(odd);
    } else {
        const auto all = add_products<Lanes, 0, 1, Count>(a, b, stride);
        sum = all.sum;
        e = all.e;
    }
    e = e >> 23;
    const ints field = std::bit_cast<ints>(c) >> 23 & 0xff;
    const ints e_c = __builtin_elementwise_max(field, ints(1)) - 127;
    const ints largest = __builtin_elementwise_max(e, e_c);
    floats addend = c;
    if constexpr (IsSplit) {
        addend = e_c < largest - 25 ? floats{} : c;
    }
    // The products in units of 2^(largest - 31), C in units of 2^(largest - 24): integers that f64
    // adds without rounding.
    doubles products = __builtin_convertvector(sum, doubles);
    multiply_by_power<Lanes>(products, e - largest + 31 - 24);
    doubles rest = __builtin_convertvector(addend, doubles);
    multiply_by_power<Lanes>(rest, 24 - largest);
    doubles total =
        __builtin_elementwise_floor(rest) * 128.0 + __builtin_elementwise_floor(products);
    multiply_by_power<Lanes>(total, largest - 31);
    const floats result = __builtin_convertvector(total, floats);
    // Products from 2^128 on have an exponent of 127 or more, infinity and NaN as C 128.
    if (has_specials || __builtin_reduce_max(largest) >= 127) [[unlikely]] {
        const floats specials = add_specials<Lanes>(a, b, stride, Count, c);
        return specials == 0.0f ? result : specials;
    }
    return result;
}

// C (M x N) += A (M x K) * B (K x N), rows one after the other.
template <sum_rule Rule, int M, int N, int K>
void add_in_groups(const f32* a_values, const f32* b_values, f32* c) {
    constexpr int lanes = std::min(N, register_lanes);
    constexpr int group = std::min(K, Rule.group);
    using floats = vector_of<f32, lanes>;
    alignas(64) f32 s_a[M * K];
    alignas(64) f32 s_b[K * N];
    alignas(64) i32 e_a[M * K];
    alignas(64) i32 e_b[K * N];
    const bool a_has_specials = take_apart(a_values, M * K, Rule.smallest_exponent_of_a, s_a, e_a);
    const bool b_has_specials = take_apart(b_values, K * N, Rule.smallest_exponent_of_b, s_b, e_b);
    const number_arrays a{a_values, s_a, e_a};
    const number_arrays b{b_values, s_b, e_b};
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < N; j += lanes) {
            auto sum = load_vector<floats>(c + i * N + j);
            for (int k = 0; k < K; k += group) {
                sum = add_group<lanes, group, Rule.is_split>(
                    a.from(i * K + k), b.from(k * N + j), N, sum, a_has_specials || b_has_specials);
            }
            std::memcpy(c + i * N + j, &sum, sizeof sum);
        }
    }
}

}  // namespace emu::inline OPUS_EMU_LEVEL
