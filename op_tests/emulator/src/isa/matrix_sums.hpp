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

// Lanes of one register of this level, of f32, and whether each lane is shifted by its own count.
#if defined(__AVX512F__)
constexpr int register_lanes = 16;
#elif defined(__AVX2__)
constexpr int register_lanes = 8;
#else
constexpr int register_lanes = 4;
#endif
constexpr bool has_lane_shifts = register_lanes > 4;

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

// The same from the factors themselves. Apart: it is for few numbers.
template <sum_rule Rule, int Lanes, int Count>
[[gnu::noinline]] void add_any(const f32* a, int a_stride, const f32* b, int b_stride, f32* c) {
    f32 value[Count * (1 + Lanes)];
    f32 s[Count * (1 + Lanes)];
    i32 e[Count * (1 + Lanes)];
    for (int k = 0; k < Count; ++k) {
        value[k] = a[k * a_stride];
        std::memcpy(value + Count + k * Lanes, b + k * b_stride, Lanes * sizeof(f32));
    }
    bool has_specials = take_apart(value, Count, Rule.smallest_exponent_of_a, s, e);
    has_specials |=
        take_apart(value + Count, Count * Lanes, Rule.smallest_exponent_of_b, s + Count, e + Count);
    const number_arrays numbers{value, s, e};
    const auto sum = add_group<Lanes, Count, Rule.is_split>(
        numbers, numbers.from(Count), Lanes, load_vector<vector_of<f32, Lanes>>(c), has_specials);
    std::memcpy(c, &sum, sizeof sum);
}

// ---- numbers of moderate size ----
//
// Products of zeros and of numbers from 2^-48 to 2^27, and a C that is 0 or at least 2^-92, need no
// taking apart: f32 holds every product, and as a multiple of every unit that is used here. Exponents
// count from the smallest that matters, which is no larger than that of any product and 5 less than
// that of any C.

constexpr int smallest_moderate = -48;
constexpr int largest_moderate = 26;
constexpr int first_exponent = -97;
constexpr i32 first_of_c = in_place(127 + first_exponent + 5);

// Returns whether they are moderate; e is of those that are.
template <int SmallestExponent>
bool read_exponents(const f32* value, int count, i8* e) {
    constexpr u32 first = static_cast<u32>(in_place(127 + smallest_moderate));
    constexpr u32 end = static_cast<u32>(in_place(127 + largest_moderate + 1));
    u32 others = 0;  // the sign bit says it: of a bool compilers count bits
    for (int n = 0; n < count; ++n) {
        const u32 magnitude = std::bit_cast<u32>(value[n]) & 0x7fffffff;
        const u32 field = std::max(magnitude >> 23, static_cast<u32>(127 + SmallestExponent));
        e[n] = static_cast<i8>((magnitude == 0 ? 0 : field) - 127);
        others |= end - 1 - magnitude;
        if constexpr (SmallestExponent == -126) {  // else none is smaller
            others |= (magnitude - first) & (0 - magnitude);
        }
    }
    return static_cast<i32>(others) >= 0;
}

// The largest exponents, from first_exponent on, of each N products of k = First, First + Step, ...
// below Count. (Of zeros alone it is below all that matters.)
template <int M, int N, int First, int Step, int Count>
void find_largest(const i8* a, const i8* b, u8* largest) {
    using bytes = vector_of<i8, N>;
    bytes e = bytes(first_exponent);
    for (int k = First; k < Count; k += Step) {
        bytes right;
        std::memcpy(&right, b + k * N, sizeof right);
        e = __builtin_elementwise_max(e, __builtin_elementwise_add_sat(bytes(a[k * M]), right));
    }
    const auto from_first = __builtin_bit_cast(vector_of<u8, N>, e) - u8(first_exponent);
    std::memcpy(largest, &from_first, sizeof from_first);
}

template <int Lanes>
void load_exponents(const u8* from, vector_of<i32, Lanes>& e) {
    vector_of<u8, Lanes> v;
    std::memcpy(&v, from, sizeof v);
    e = __builtin_convertvector(v, vector_of<i32, Lanes>) << 23;
}

// The sum of these products, each truncated, times 2^(24 - e).
template <int Lanes, int M, int N, int First, int Step, int Count>
void sum_products(const f32* a, const f32* b, const vector_of<i32, Lanes>& e,
                  vector_of<i32, Lanes>& sum) {
    using floats = vector_of<f32, Lanes>;
    const auto scale = __builtin_bit_cast(floats, in_place(127 + 24 - first_exponent) - e);
    sum = {};
    for (int k = First; k < Count; k += Step) {
        floats right;
        std::memcpy(&right, b + k * N, sizeof right);
        sum += __builtin_convertvector(a[k * M] * right * scale, vector_of<i32, Lanes>);
    }
}

// C += sum * 2^(e - 24). `sum` is changed.
template <bool IsSplit, int Lanes>
void add_to_c(vector_of<f32, Lanes>& c, vector_of<i32, Lanes>& sum,
              const vector_of<i32, Lanes>& e) {
    using floats = vector_of<f32, Lanes>;
    using ints = vector_of<i32, Lanes>;
    const ints e_c = (__builtin_bit_cast(ints, c) & 0x7f800000) - first_of_c;
    if constexpr (IsSplit) {
        c = e_c < e - in_place(25 + 5) ? floats{} : c;
    }
    // In units of 2^(M - 24), where M is the larger exponent, or of up to 2^5 times less where that is
    // C's, both are integers of 31 bits. If the sum has bits below 2^(M - 29), then C is so much larger
    // that the result is not rounded there: of those down to 2^(M - 31) it only counts whether any is
    // set, of those below nothing.
    const ints unit = __builtin_elementwise_max(e, e_c);
    const ints to_unit = in_place(127 + 24 - first_exponent) - unit;
    c = __builtin_elementwise_floor(c * __builtin_bit_cast(floats, to_unit));
    const ints dropped = (unit - e) >> 23;
    if (has_lane_shifts || __builtin_reduce_max(dropped) > 0) {
        ints rest;
        if constexpr (IsSplit) {
            const ints seen = __builtin_elementwise_min(dropped, ints(2));
            const ints with_seen = sum >> __builtin_elementwise_min(dropped - seen, ints(31));
            sum = with_seen >> seen;
            rest = with_seen - (sum << seen);
        } else {  // of 30 bits
            const ints with_seen =
                sum << 2 >>
                __builtin_bit_cast(ints, __builtin_elementwise_min(
                                             __builtin_bit_cast(vector_of<u32, Lanes>, dropped),
                                             vector_of<u32, Lanes>(31)));
            sum = with_seen >> 2;
            rest = with_seen & 3;
        }
        sum |= (rest + 3) >> 2;  // 1 of 1 to 3: compilers make a comparison of a minimum
    }
    sum += __builtin_convertvector(c, ints);
    const ints from_unit = unit + in_place(127 - 24 + first_exponent);
    c = __builtin_convertvector(sum, floats) * __builtin_bit_cast(floats, from_unit);
}

// D = A * B + C, whose rows `results` loads and stores. Two registers at a time: what is computed from
// a sum is a long chain.
template <sum_rule Rule, int M, int N, int K, class Rows>
void add_in_groups(const f32 (&a)[K][M], const f32 (&b)[K][N], const Rows& results, int block) {
    constexpr int lanes = std::min(N, 2 * register_lanes);
    constexpr int group = std::min(K, Rule.group);
    constexpr int parts = Rule.is_split ? 2 : 1;
    using floats = vector_of<f32, lanes>;
    using ints = vector_of<i32, lanes>;
    using uints = vector_of<u32, lanes>;
    alignas(64) i8 e_a[K][M];
    alignas(64) i8 e_b[K][N];
    bool is_moderate = read_exponents<Rule.smallest_exponent_of_a>(&a[0][0], K * M, &e_a[0][0]);
    is_moderate &= read_exponents<Rule.smallest_exponent_of_b>(&b[0][0], K * N, &e_b[0][0]);
    // Of all rows before the sums, whose chains are long as it is. (Rows of 4 are faster one by
    // one.)
    constexpr bool is_ahead = N > 4;
    alignas(64) u8 largest_e[is_ahead ? M : 1][K / group][parts][N];
    const auto find_largest_of = [&](int i, u8(&e)[K / group][parts][N]) {
        for (int k = 0; is_moderate && k < K; k += group) {
            find_largest<M, N, 0, parts, group>(&e_a[k][i], e_b[k], e[k / group][0]);
            if constexpr (Rule.is_split) {
                find_largest<M, N, 1, parts, group>(&e_a[k][i], e_b[k], e[k / group][1]);
            }
        }
    };
    for (int i = 0; is_ahead && i < M; ++i) {
        find_largest_of(i, largest_e[i]);
    }
    for (int i = 0; i < M; ++i) {
        auto& of_row = largest_e[is_ahead ? i : 0];
        if (!is_ahead) {
            find_largest_of(i, of_row);
        }
        floats c[N / lanes];
        for (int j = 0; j < N; j += lanes) {
            results.load(block, i, j, c[j / lanes]);
        }
        for (int k = 0; k < K; k += group) {
            uints highest = {};
            uints lowest = ~uints{};  // less 1: zeros do not count
            for (const floats& x : c) {
                const uints magnitude = __builtin_bit_cast(uints, x) & 0x7fffffff;
                highest = __builtin_elementwise_max(highest, magnitude);
                lowest = __builtin_elementwise_min(lowest, magnitude - 1);
            }
            const ints others = (highest >= static_cast<u32>(in_place(254))) |
                                (lowest < static_cast<u32>(first_of_c) - 1);
            if (!is_moderate || __builtin_reduce_or(others) != 0) [[unlikely]] {
                alignas(64) f32 values[N];
                std::memcpy(values, c, sizeof c);
                constexpr int step = std::min(N, register_lanes);
                for (int j = 0; j < N; j += step) {
                    add_any<Rule, step, group>(&a[k][i], M, &b[k][j], N, values + j);
                }
                std::memcpy(c, values, sizeof c);
                continue;
            }
            const auto& e = of_row[k / group];
            for (int j = 0; j < N; j += lanes) {
                ints largest;
                ints sum;
                load_exponents<lanes>(e[0] + j, largest);
                sum_products<lanes, M, N, 0, parts, group>(&a[k][i], &b[k][j], largest, sum);
                if constexpr (Rule.is_split) {
                    const ints even_e = largest;
                    ints odd_e;
                    ints odd;
                    load_exponents<lanes>(e[1] + j, odd_e);
                    sum_products<lanes, M, N, 1, parts, group>(&a[k][i], &b[k][j], odd_e, odd);
                    largest = __builtin_elementwise_max(even_e, odd_e);
                    // A shift rounds toward minus infinity.
                    const ints most = ints(31);
                    sum = (sum >> __builtin_elementwise_min((largest - even_e) >> 23, most)) +
                          (odd >> __builtin_elementwise_min((largest - odd_e) >> 23, most));
                }
                add_to_c<Rule.is_split, lanes>(c[j / lanes], sum, largest);
            }
        }
        for (int j = 0; j < N; j += lanes) {
            results.store(block, i, j, c[j / lanes]);
        }
    }
}

}  // namespace emu::inline OPUS_EMU_LEVEL
