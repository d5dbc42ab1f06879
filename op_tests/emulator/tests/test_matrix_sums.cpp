// How gfx942's matrix instructions add (Xie et al., arXiv 2511.10909, algorithms TR-FDPA and
// GTR-FDPA), against the same in fixed point: one integer of 768 bits holds every sum exactly.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <tuple>

#include "matrix_instructions.hpp"

namespace emu {
namespace {

// In units of 2^-320. The smallest product is 2^-298, the largest sum below 2^262.
using fixed = signed _BitInt(768);
constexpr int fixed_point = 320;

// Multiples of 2^exponent.
fixed floor_at(const fixed& x, int exponent) {
    const int dropped = exponent + fixed_point;
    return x >> dropped << dropped;
}
fixed truncate_at(const fixed& x, int exponent) {
    return x < 0 ? -floor_at(-x, exponent) : floor_at(x, exponent);
}

uint32_t nearest_f32(const fixed& x) {
    fixed magnitude = x < 0 ? -x : x;
    const uint32_t sign = x < 0 ? 0x80000000 : 0;
    if (magnitude == 0) {
        return 0;
    }
    int top = 0;
    for (int step = 512; step != 0; step /= 2) {
        top += magnitude >> top >> step != 0 ? step : 0;
    }
    const int exponent = std::max(top - fixed_point, -126);
    const int dropped = exponent - 23 + fixed_point;
    auto code = static_cast<uint32_t>(magnitude >> dropped);
    const fixed rest = magnitude - (fixed{code} << dropped);
    const fixed half = fixed{1} << (dropped - 1);
    if (rest > half || (rest == half && code % 2 != 0)) {
        ++code;
    }
    code += static_cast<uint32_t>(exponent + 126) << 23;
    return sign | std::min(code, 0x7f800000u);
}

struct layout {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    bool is_fnuz = false;  // no -0, no infinity; 0x80 is NaN
};

layout layout_of(format f) {
    switch (f) {
        case format::f16:
            return {5, 10, 15};
        case format::bf16:
            return {8, 7, 127};
        case format::fp8:
            return {4, 3, 8, true};
        case format::bf8:
            return {5, 2, 16, true};
        default:
            return {8, 23, 127};
    }
}

int largest_exponent(format f) {
    const layout l = layout_of(f);
    return (1 << l.exponent_bits) - (l.is_fnuz ? 1 : 2) - l.bias;
}

// mantissa * 2^unit; `exponent` is that of the significand.
struct number {
    bool is_nan = false;
    bool is_infinite = false;
    bool is_negative = false;
    int64_t mantissa = 0;
    int unit = 0;
    int exponent = -126;
};

number decode(format f, uint32_t code) {
    const layout l = layout_of(f);
    number x;
    const int sign_bit = l.exponent_bits + l.mantissa_bits;
    x.is_negative = code >> sign_bit != 0;
    const int field = static_cast<int>(code >> l.mantissa_bits) & ((1 << l.exponent_bits) - 1);
    int64_t fraction = code & ((1u << l.mantissa_bits) - 1);
    if (l.is_fnuz ? code == 0x80 : field == (1 << l.exponent_bits) - 1 && fraction != 0) {
        x.is_nan = true;
        return x;
    }
    if (!l.is_fnuz && field == (1 << l.exponent_bits) - 1) {
        x.is_infinite = true;
        return x;
    }
    if (f == format::xf32) {
        fraction -= fraction % (1 << 13);
    }
    const int exponent = std::max(field, 1) - l.bias;
    x.unit = exponent - l.mantissa_bits;
    x.mantissa = fraction + (field == 0 ? 0 : int64_t{1} << l.mantissa_bits);
    x.exponent = x.mantissa == 0 ? -126 : exponent;
    x.mantissa = x.is_negative ? -x.mantissa : x.mantissa;
    return x;
}

fixed fixed_of(const number& x) {
    return fixed{x.mantissa} << (x.unit + fixed_point);
}

// +, - and NaN among what is added, and what they make.
struct specials {
    bool nan = false;
    bool plus = false;
    bool minus = false;
    void add(bool is_nan, bool is_infinite, bool is_negative) {
        nan |= is_nan;
        (is_negative ? minus : plus) |= !is_nan && is_infinite;
    }
    bool any() const { return nan || plus || minus; }
    uint32_t sum() const {
        return nan || (plus && minus) ? 0x7fc00000 : plus ? 0x7f800000 : 0xff800000;
    }
};

constexpr int fraction_bits = 24;

struct truncated {
    fixed sum = 0;
    int exponent = std::numeric_limits<int>::min();
};

// Of the products with these k.
truncated add_products(const std::vector<fixed>& products, const std::vector<int>& exponents,
                       size_t first, size_t step) {
    truncated t;
    for (size_t k = first; k < products.size(); k += step) {
        t.exponent = std::max(t.exponent, exponents[k]);
    }
    for (size_t k = first; k < products.size(); k += step) {
        t.sum += truncate_at(products[k], t.exponent - fraction_bits);
    }
    return t;
}

bool is_byte(format f) {
    return bits_of(f) == 8;
}

uint32_t add_group(format type, const std::vector<number>& a, const std::vector<number>& b,
                   uint32_t c_code) {
    const number c = decode(format::f32, c_code);
    specials found;
    found.add(c.is_nan, c.is_infinite, c.is_negative);
    std::vector<fixed> products;
    std::vector<int> exponents;
    for (size_t k = 0; k < a.size(); ++k) {
        const bool is_negative = a[k].is_negative != b[k].is_negative;
        const bool has_infinity = a[k].is_infinite || b[k].is_infinite;
        const auto is_zero = [](const number& x) {
            return x.mantissa == 0 && !x.is_infinite && !x.is_nan;
        };
        found.add(a[k].is_nan || b[k].is_nan || (has_infinity && (is_zero(a[k]) || is_zero(b[k]))),
                  has_infinity, is_negative);
        const int shift = a[k].unit + b[k].unit + fixed_point;
        products.push_back(fixed{a[k].mantissa * b[k].mantissa} << shift);
        exponents.push_back(a[k].exponent + b[k].exponent);
        const fixed limit = fixed{1} << (128 + fixed_point);
        found.add(false, products[k] >= limit || products[k] <= -limit, is_negative);
    }
    if (found.any()) {
        return found.sum();
    }
    truncated all;
    if (is_byte(type)) {
        const truncated even = add_products(products, exponents, 0, 2);
        const truncated odd = add_products(products, exponents, 1, 2);
        all.exponent = std::max(even.exponent, odd.exponent);
        all.sum = floor_at(even.sum, all.exponent - fraction_bits) +
                  floor_at(odd.sum, all.exponent - fraction_bits);
    } else {
        all = add_products(products, exponents, 0, 1);
    }
    const int largest = std::max(all.exponent, c.exponent);
    fixed total = floor_at(all.sum, largest - 31);
    if (!is_byte(type) || c.exponent >= largest - 25) {
        total += floor_at(fixed_of(c), largest - fraction_bits);
    }
    return nearest_f32(total);
}

int group_of(const matrix_instruction& t) {
    return is_byte(t.a) ? 16 : t.a == format::xf32 ? 4 : std::min(8, t.k);
}

// ---- what is multiplied ----

struct matrices {
    const matrix_instruction& t;
    std::vector<uint32_t> a_codes;  // [block][i][k]
    std::vector<uint32_t> b_codes;  // [block][k][j]
    std::vector<uint32_t> c_codes;  // [block][i][j]

    explicit matrices(const matrix_instruction& instruction)
        : t(instruction),
          a_codes(static_cast<size_t>(t.blocks * t.m * t.k)),
          b_codes(static_cast<size_t>(t.blocks * t.k * t.n)),
          c_codes(static_cast<size_t>(t.blocks * t.m * t.n)) {}
    uint32_t& a(int block, int i, int k) {
        return a_codes[static_cast<size_t>((block * t.m + i) * t.k + k)];
    }
    uint32_t& b(int block, int k, int j) {
        return b_codes[static_cast<size_t>((block * t.k + k) * t.n + j)];
    }
    uint32_t& c(int block, int i, int j) {
        return c_codes[static_cast<size_t>((block * t.m + i) * t.n + j)];
    }
    // f(code, k, block, row or column)
    template <class F>
    void each_a(F&& f) {
        for (int block = 0; block < t.blocks; ++block) {
            for (int i = 0; i < t.m; ++i) {
                for (int k = 0; k < t.k; ++k) {
                    f(a(block, i, k), k, block, i);
                }
            }
        }
    }
    template <class F>
    void each_b(F&& f) {
        for (int block = 0; block < t.blocks; ++block) {
            for (int j = 0; j < t.n; ++j) {
                for (int k = 0; k < t.k; ++k) {
                    f(b(block, k, j), k, block, j);
                }
            }
        }
    }
};

class source {
public:
    explicit source(uint32_t seed) : engine_(seed) {}
    int between(int least, int most) { return std::uniform_int_distribution(least, most)(engine_); }
    bool one_in(int n) { return between(1, n) == 1; }
    uint32_t word() { return static_cast<uint32_t>(engine_()); }

    // Some number of that exponent, or the nearest one that the format has; sign 0 or 1.
    uint32_t with_exponent(format f, int exponent, uint32_t sign) {
        const layout l = layout_of(f);
        const int field = std::clamp(exponent, 1 - l.bias, largest_exponent(f)) + l.bias;
        const uint32_t fraction = word() & ((1u << l.mantissa_bits) - 1);
        return sign << (l.exponent_bits + l.mantissa_bits) |
               static_cast<uint32_t>(field) << l.mantissa_bits | fraction;
    }
    uint32_t with_exponent(format f, int exponent) {
        return with_exponent(f, exponent, word() & 1);
    }
    uint32_t subnormal(format f) {
        const layout l = layout_of(f);
        const uint32_t sign = word() & 1;
        const uint32_t fraction = word() & ((1u << l.mantissa_bits) - 1);
        return sign << (l.exponent_bits + l.mantissa_bits) | std::max(fraction, 1u);
    }
    uint32_t zero(format f) {
        const layout l = layout_of(f);
        return l.is_fnuz ? 0 : (word() & 1) << (l.exponent_bits + l.mantissa_bits);
    }
    uint32_t finite(format f) {
        while (true) {
            const uint32_t code = word() >> (32 - bits_of(f));
            const number x = decode(f, code);
            if (!x.is_nan && !x.is_infinite) {
                return code;
            }
        }
    }
    uint32_t special(format f) {
        const layout l = layout_of(f);
        if (l.is_fnuz) {
            return 0x80;
        }
        const uint32_t infinity = ((1u << l.exponent_bits) - 1) << l.mantissa_bits;
        // The last one has its mantissa where xf32 drops it.
        const uint32_t kinds[] = {infinity, infinity, infinity | 1u << (l.mantissa_bits - 1),
                                  infinity | 1};
        return kinds[between(0, 3)] | (word() & 1) << (l.exponent_bits + l.mantissa_bits);
    }

private:
    std::mt19937 engine_;
};

// Numbers of `exponents` for A and B, of `c` for C.
struct range {
    int least;
    int most;
};
void fill(matrices& x, source& s, range a, range b, range c) {
    x.each_a([&](uint32_t& code, int, int, int) {
        code = s.with_exponent(x.t.a, s.between(a.least, a.most));
    });
    x.each_b([&](uint32_t& code, int, int, int) {
        code = s.with_exponent(x.t.b, s.between(b.least, b.most));
    });
    for (uint32_t& code : x.c_codes) {
        code = s.with_exponent(format::f32, s.between(c.least, c.most));
    }
}

struct kind {
    const char* name;
    std::function<void(matrices&, source&)> make;
    bool is_bounded = false;  // numbers and sums are normal: the documented bound holds
};

const kind kinds[] = {
    {"any finite codes",
     [](matrices& x, source& s) {
         x.each_a([&](uint32_t& code, int, int, int) { code = s.finite(x.t.a); });
         x.each_b([&](uint32_t& code, int, int, int) { code = s.finite(x.t.b); });
         for (uint32_t& code : x.c_codes) {
             code = s.finite(format::f32);
         }
     }},
    {"numbers as data has them",
     [](matrices& x, source& s) { fill(x, s, {-4, 0}, {-4, 0}, {-3, 3}); }, true},
    {"cancellation",
     [](matrices& x, source& s) {
         fill(x, s, {-4, 3}, {-4, 3}, {-30, -10});
         const int distance = 1 + s.between(0, 1);  // with k of the same and of the other parity
         x.each_a([&](uint32_t& code, int k, int block, int i) {
             if ((k & distance) != 0) {
                 code = x.a(block, i, k ^ distance);
             }
         });
         const uint32_t sign = 1u << (bits_of(x.t.b) - 1);
         x.each_b([&](uint32_t& code, int k, int block, int j) {
             if ((k & distance) != 0) {
                 const uint32_t last_bit = s.one_in(3) ? 1u : 0;
                 code = x.b(block, k ^ distance, j) ^ sign ^ last_bit;
             }
         });
     }},
    {"one large product among small ones",
     [](matrices& x, source& s) {
         const int top = std::min(largest_exponent(x.t.a), 40);
         fill(x, s, {top - 34, top - 8}, {-6, 0}, {top - 60, top + 4});
         x.each_a([&](uint32_t& code, int k, int, int i) {
             if ((k + i) % 4 == 0) {
                 code = s.with_exponent(x.t.a, top);
             }
         });
     }},
    {"C far above and below",
     [](matrices& x, source& s) { fill(x, s, {-2, 0}, {-2, 0}, {-45, 45}); }, true},
    {"C of a few more or less bits",
     [](matrices& x, source& s) { fill(x, s, {-1, 0}, {-1, 0}, {-28, -22}); }, true},
    {"even and odd k of other sizes",
     [](matrices& x, source& s) {
         fill(x, s, {0, 0}, {0, 0}, {-40, 10});
         int exponents[2];
         x.each_a([&](uint32_t& code, int k, int, int) {
             if (k == 0) {
                 exponents[0] = s.between(-15, 15);
                 exponents[1] = s.between(-15, 15);
             }
             code = s.with_exponent(x.t.a, exponents[k % 2]);
         });
         x.each_b([&](uint32_t& code, int k, int, int) {
             code = s.with_exponent(x.t.b, exponents[k % 2] - s.between(0, 3));
         });
     }},
    {"negative sums",
     [](matrices& x, source& s) {
         x.each_a([&](uint32_t& code, int, int, int) {
             code = s.with_exponent(x.t.a, s.between(-12, 2), 0);
         });
         x.each_b([&](uint32_t& code, int, int, int) {
             code = s.with_exponent(x.t.b, s.between(-12, 2), 1);
         });
         for (uint32_t& code : x.c_codes) {
             code = s.with_exponent(format::f32, s.between(-30, 20), 1);
         }
     },
     true},
    {"subnormal numbers",
     [](matrices& x, source& s) {
         fill(x, s, {-200, -100}, {-12, 12}, {-126, -90});
         x.each_a([&](uint32_t& code, int, int, int) {
             code = s.one_in(2) ? s.subnormal(x.t.a) : code;
         });
         x.each_b([&](uint32_t& code, int, int, int) {
             code = s.one_in(4) ? s.subnormal(x.t.b) : code;
         });
         for (uint32_t& code : x.c_codes) {
             code = s.one_in(2) ? s.subnormal(format::f32) : code;
         }
     }},
    {"subnormal results",
     [](matrices& x, source& s) { fill(x, s, {-80, -62}, {-80, -62}, {-126, -124}); }},
    {"zeros",
     [](matrices& x, source& s) {
         fill(x, s, {-200, 200}, {-200, 200}, {-100, 100});
         x.each_a(
             [&](uint32_t& code, int, int, int) { code = s.one_in(4) ? code : s.zero(x.t.a); });
         x.each_b(
             [&](uint32_t& code, int, int, int) { code = s.one_in(2) ? code : s.zero(x.t.b); });
         for (uint32_t& code : x.c_codes) {
             code = s.one_in(2) ? code : s.zero(format::f32);
         }
     }},
    {"infinity and NaN",
     [](matrices& x, source& s) {
         fill(x, s, {-20, 20}, {-20, 20}, {-40, 40});
         x.each_a([&](uint32_t& code, int, int, int) {
             code = s.one_in(60) ? s.special(x.t.a) : s.one_in(8) ? s.zero(x.t.a) : code;
         });
         x.each_b([&](uint32_t& code, int, int, int) {
             code = s.one_in(60) ? s.special(x.t.b) : s.one_in(8) ? s.zero(x.t.b) : code;
         });
         for (uint32_t& code : x.c_codes) {
             code = s.one_in(20) ? s.special(format::f32) : code;
         }
     }},
    {"infinity and NaN in C",
     [](matrices& x, source& s) {
         fill(x, s, {-20, 20}, {-20, 20}, {100, 127});
         for (uint32_t& code : x.c_codes) {
             code = s.one_in(2) ? s.special(format::f32) : code;
         }
     }},
    {"overflow",
     [](matrices& x, source& s) {
         fill(x, s, {55, 64}, {55, 64}, {120, 127});
         x.each_a(
             [&](uint32_t& code, int, int, int) { code = s.one_in(2) ? s.zero(x.t.a) : code; });
     }},
    {"sums near the largest number",
     [](matrices& x, source& s) {
         fill(x, s, {60, 63}, {60, 62}, {127, 127});
         for (uint32_t& code : x.c_codes) {
             code |= 0x00fffff0;  // the exponent stays, the mantissa is near its end
             code &= 0xff7fffff;
         }
     }},
    {"all signs",
     [](matrices& x, source& s) {
         const uint32_t signs = s.word();
         x.each_a([&](uint32_t& code, int k, int, int i) {
             code = s.with_exponent(x.t.a, -(k % 4) * 3,
                                    (signs >> k % 16 ^ static_cast<uint32_t>(i)) & 1);
         });
         x.each_b([&](uint32_t& code, int k, int, int j) {
             code = s.with_exponent(x.t.b, k % 3,
                                    (signs >> (16 + k % 16) ^ static_cast<uint32_t>(j)) & 1);
         });
         for (uint32_t& code : x.c_codes) {
             code = s.with_exponent(format::f32, s.between(-26, 4));
         }
     }},
};

// ---- the comparison ----

void put(machine& m, matrices& x) {
    const matrix_instruction& t = x.t;
    const int k_l = items_of_a_lane(t);
    x.each_a([&](uint32_t code, int k, int block, int i) {
        put_item(&m.v(64), i + t.m * (block + t.blocks * (k / k_l)), k % k_l, bits_of(t.a), code);
    });
    x.each_b([&](uint32_t code, int k, int block, int j) {
        put_item(&m.v(96), j + t.n * (block + t.blocks * (k / k_l)), k % k_l, bits_of(t.b), code);
    });
    for (int block = 0; block < t.blocks; ++block) {
        for (int i = 0; i < t.m; ++i) {
            for (int j = 0; j < t.n; ++j) {
                const auto [lane, item] = result_place(t, block, i, j);
                put_item(&m.v(0), lane, item, 32, x.c(block, i, j));
            }
        }
    }
}

bool is_nan(uint32_t code) {
    return (code & 0x7fffffff) > 0x7f800000;
}

// The bound of docs/matrix-cores.md: (G + (1 + 2^-7) K / G) 2^-24 S.
bool is_within_bound(const matrix_instruction& t, uint32_t result, const fixed& exact,
                     const fixed& magnitudes) {
    const fixed difference = fixed_of(decode(format::f32, result)) - exact;
    const int group = group_of(t);
    const fixed bound = magnitudes * (128 * group + 129 * (t.k / group)) >> (24 + 7);
    return difference <= bound && -difference <= bound;
}

// How many results there are, and how many differ.
std::pair<int, int> compare(machine& m, matrices& x, bool is_bounded, std::string& first) {
    const matrix_instruction& t = x.t;
    put(m, x);
    m.run(text_of(t, {false, false, false, false}, ""));
    std::vector<number> a;
    std::vector<number> b;
    const auto numbers = [](format f, const std::vector<uint32_t>& codes) {
        std::vector<number> decoded;
        for (const uint32_t code : codes) {
            decoded.push_back(decode(f, code));
        }
        return decoded;
    };
    const std::vector<number> all_a = numbers(t.a, x.a_codes);
    const std::vector<number> all_b = numbers(t.b, x.b_codes);
    int compared = 0;
    int different = 0;
    for (int block = 0; block < t.blocks; ++block) {
        for (int i = 0; i < t.m; ++i) {
            for (int j = 0; j < t.n; ++j) {
                uint32_t expected = x.c(block, i, j);
                fixed exact = fixed_of(decode(format::f32, expected));
                fixed magnitudes = exact < 0 ? -exact : exact;
                const int group = group_of(t);
                for (int from = 0; from < t.k; from += group) {
                    a.clear();
                    b.clear();
                    for (int k = from; k < from + group; ++k) {
                        a.push_back(all_a[static_cast<size_t>((block * t.m + i) * t.k + k)]);
                        b.push_back(all_b[static_cast<size_t>((block * t.k + k) * t.n + j)]);
                    }
                    expected = add_group(t.a, a, b, expected);
                    for (size_t k = 0; is_bounded && k < a.size(); ++k) {
                        const fixed product = fixed{a[k].mantissa * b[k].mantissa}
                                              << (a[k].unit + b[k].unit + fixed_point);
                        exact += product;
                        magnitudes += product < 0 ? -product : product;
                    }
                }
                const auto [lane, item] = result_place(t, block, i, j);
                const uint32_t actual = m.v(item)[static_cast<size_t>(lane)];
                const bool is_same = is_nan(expected) ? is_nan(actual) : actual == expected;
                ++compared;
                EXPECT_TRUE(!is_bounded || is_within_bound(t, actual, exact, magnitudes))
                    << t.name << " [" << i << "][" << j << "]";
                if (!is_same && ++different == 1) {
                    char text[100];
                    std::snprintf(text, sizeof text, "[%d][%d][%d] is %08x, not %08x", block, i, j,
                                  actual, expected);
                    first = text;
                }
            }
        }
    }
    return {compared, different};
}

bool is_added_in_groups(const matrix_instruction& t) {
    return t.on_gfx942 && t.a != format::f32 && t.a != format::f64 && t.a != format::i8;
}

TEST(matrix_sums, every_instruction) {
    constexpr int rounds = 12;
    int instructions_compared = 0;
    int results = 0;
    for (const matrix_instruction& t : instructions) {
        if (!is_added_in_groups(t)) {
            continue;
        }
        ++instructions_compared;
        machine m(gfx_target::gfx942);
        int of_this = 0;
        int different_of_this = 0;
        for (const kind& k : kinds) {
            int wrong = 0;
            std::string first;
            for (int round = 0; round < rounds; ++round) {
                source s(static_cast<uint32_t>(round));
                matrices x(t);
                k.make(x, s);
                const auto [compared, different] = compare(m, x, k.is_bounded, first);
                of_this += compared;
                wrong += different;
            }
            EXPECT_EQ(wrong, 0) << t.name << ", " << k.name << ": " << first;
            different_of_this += wrong;
        }
        std::printf("  %s: %d results, %d different\n", t.name, of_this, different_of_this);
        results += of_this;
    }
    EXPECT_EQ(instructions_compared, 20);
    // 256 for a block of 16x16, 1024 of 32x32, 16 of 4x4.
    EXPECT_EQ(results, rounds * static_cast<int>(std::size(kinds)) *
                           (1024 + 256                              // xf32
                            + 2 * (2048 + 1024 + 256 + 1024 + 256)  // f16 and bf16
                            + 4 * (256 + 1024)));                   // 8 bits
    std::printf("%d results of %d instructions\n", results, instructions_compared);
}

// ---- sums that can be checked by hand ----

// D[0][0] of 16x16x16 in f16 and of 16x16x32 in fp8: C + the sum of a[k] * b[k].
float f16_sum(std::vector<std::pair<float, float>> products, float c) {
    machine m(gfx_target::gfx942);
    const matrix_instruction* t = nullptr;
    for (const matrix_instruction& row : instructions) {
        t = std::string(row.name) == "v_mfma_f32_16x16x16_f16" ? &row : t;
    }
    matrices x(*t);
    for (size_t k = 0; k < products.size(); ++k) {
        x.a(0, 0, static_cast<int>(k)) = half(products[k].first);
        x.b(0, static_cast<int>(k), 0) = half(products[k].second);
    }
    x.c(0, 0, 0) = bits(c);
    put(m, x);
    m.run(text_of(*t, {false, false, false, false}, ""));
    return to_float(m.v(0)[0]);
}

float power(int exponent) {
    return std::ldexp(1.0f, exponent);
}

TEST(matrix_sums, a_small_addend_is_rounded_down) {
    EXPECT_EQ(f16_sum({{1, 1}}, power(-30)), 1);
    EXPECT_EQ(f16_sum({{1, 1}}, -power(-30)), 1 - power(-24));
    EXPECT_EQ(f16_sum({{-1, 1}}, power(-30)), -1);   // not the negative of the one before
    EXPECT_EQ(f16_sum({{-1, 1}}, -power(-30)), -1);  // -1 - 2^-24 is a tie, to even
}

TEST(matrix_sums, small_products_are_lost_beside_a_large_one) {
    const float small = power(-13);  // its square is 2^-26
    EXPECT_EQ(f16_sum({{1, 1}, {-1, 1}, {small, small}}, 0), 0);
    EXPECT_EQ(f16_sum({{1, 1}, {-1, 1}, {-small, small}}, 0), 0);  // toward zero
    EXPECT_EQ(f16_sum({{1, 1}, {-1, 1}, {power(-12), power(-12)}}, 0), power(-24));
    // In the next group they are not.
    std::vector<std::pair<float, float>> products(9);
    products[0] = {1, 1};
    products[1] = {-1, 1};
    products[8] = {small, small};
    EXPECT_EQ(f16_sum(products, 0), power(-26));
}

TEST(matrix_sums, without_them_each_product_is_rounded) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.w().group->has_matrix_sums = false;
        matrices x(instructions[11]);
        ASSERT_STREQ(x.t.name, "v_mfma_f32_16x16x16_f16");
        source s(1);
        fill(x, s, {-4, 0}, {-4, 0}, {-3, 3});
        put(m, x);
        m.run(text_of(x.t, {false, false, false, false}, ""));
        for (int i = 0; i < 16; ++i) {
            for (int j = 0; j < 16; ++j) {
                float expected = to_float(x.c(0, i, j));
                for (int k = 0; k < 16; ++k) {
                    const auto of = [](uint32_t code) {
                        const number n = decode(format::f16, code);
                        return std::ldexp(static_cast<float>(n.mantissa), n.unit);
                    };
                    expected = std::fma(of(x.a(0, i, k)), of(x.b(0, k, j)), expected);
                }
                const auto [lane, item] = result_place(x.t, 0, i, j);
                EXPECT_EQ(to_float(m.v(item)[static_cast<size_t>(lane)]), expected);
            }
        }
    }
}

}  // namespace
}  // namespace emu
