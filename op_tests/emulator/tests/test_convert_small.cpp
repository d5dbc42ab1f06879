// Conversions to and from the formats of 4, 6 and 8 bits: stochastic rounding, and 32 elements at
// once. Every expected code is found in a list of all values of the format.
#include <array>
#include <cmath>
#include <random>

#include "machine.hpp"

namespace emu {
namespace {

// ISA guide table 30; gfx942 has the variants of fp8 and bf8 with one more bias, where 0x80 is NaN
// and there is no other special value and no -0.
enum class overflow { saturates, becomes_nan, becomes_infinity };

struct small_format {
    const char* name;
    int exponent_bits;
    int mantissa_bits;
    int bias;
    uint32_t largest;  // code of the largest finite value
    overflow above;
    bool unsigned_zero;

    uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
    // That of a positive code; one more than `largest` is where the next value would be.
    double magnitude(uint32_t code) const {
        const uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
        const int exponent = static_cast<int>(code >> mantissa_bits);
        return exponent == 0
                   ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                   : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    }
};

constexpr small_format fp4{"fp4", 2, 1, 1, 7, overflow::saturates, false};
constexpr small_format fp6{"fp6", 2, 3, 1, 31, overflow::saturates, false};
constexpr small_format bf6{"bf6", 3, 2, 3, 31, overflow::saturates, false};
constexpr small_format fp8{"fp8", 4, 3, 7, 0x7e, overflow::becomes_nan, false};
constexpr small_format bf8{"bf8", 5, 2, 15, 0x7b, overflow::becomes_infinity, false};
constexpr small_format fp8_fnuz{"fp8", 4, 3, 8, 0x7f, overflow::becomes_nan, true};
constexpr small_format bf8_fnuz{"bf8", 5, 2, 16, 0x7f, overflow::becomes_nan, true};

constexpr uint32_t any_nan = 0xffffffff;

bool is_nan(const small_format& f, uint32_t code) {
    return f.unsigned_zero ? code == 0x80
                           : f.largest > 0x1f && (code & 0x7f) > f.largest + (&f == &bf8 ? 1 : 0);
}

uint32_t too_large(const small_format& f, uint32_t sign) {
    switch (f.above) {
        case overflow::saturates:
            return sign | f.largest;
        case overflow::becomes_infinity:
            return sign | (f.largest + 1);
        case overflow::becomes_nan:
            return any_nan;
    }
    return 0;
}

// What a code stands for (ISA guide table 30), not of the variants of gfx942.
double value_of_code(const small_format& f, uint32_t code) {
    const double sign = (code & f.sign_bit()) != 0 ? -1 : 1;
    if (is_nan(f, code)) {
        return NAN;
    }
    const uint32_t magnitude = code & (f.sign_bit() - 1);
    return sign * (magnitude > f.largest ? INFINITY : f.magnitude(magnitude));
}

uint32_t with_sign(const small_format& f, uint32_t sign, uint32_t code) {
    return f.unsigned_zero && code == 0 ? 0 : sign | code;
}

// The code at or below `magnitude`, which is less than one step above the largest.
uint32_t code_below(const small_format& f, double magnitude) {
    uint32_t code = f.largest;
    while (f.magnitude(code) > magnitude) {
        --code;
    }
    return code;
}

uint32_t random_bits_used(const small_format& f) {
    return static_cast<uint32_t>(23 - f.mantissa_bits);
}

// The part of the way from one code to the next, in steps of the random number.
uint32_t rest_of(const small_format& f, double magnitude, uint32_t code) {
    const double part =
        (magnitude - f.magnitude(code)) / (f.magnitude(code + 1) - f.magnitude(code));
    return static_cast<uint32_t>(std::ldexp(part, static_cast<int>(random_bits_used(f))));
}

// ISA guide 7.3: "add a random value and then truncate to the smaller result data type". How many of
// its high bits are added say V_CVT_SR_FP8_F32 and _BF8_ in chapter 12: S1[31:12] and S1[31:11], so
// that they stand below the last bit that is kept.
// The pseudocode there disagrees with the text in three ways that would not be stochastic rounding,
// and the text is taken: a carry out of the mantissa wraps around (1.99 would become 1), the sum is
// rounded to nearest even a second time, and the place of the random number does not move with the
// last bit that is kept where the result is denormal. For the formats of 4 and 6 bits the guide has
// no pseudocode of the rounding; they are taken to be like the others.
uint32_t stochastic(const small_format& f, double value, uint32_t random) {
    const uint32_t sign = std::signbit(value) ? f.sign_bit() : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) {
        return any_nan;
    }
    if (magnitude >= f.magnitude(f.largest + 1)) {
        return too_large(f, sign);
    }
    const uint32_t used = random_bits_used(f);
    const uint32_t below = code_below(f, magnitude);
    const bool up = rest_of(f, magnitude, below) + (random >> (32 - used)) >= 1u << used;
    const uint32_t code = below + (up ? 1 : 0);
    return code > f.largest ? too_large(f, sign) : with_sign(f, sign, code);
}

uint32_t nearest_even(const small_format& f, double value) {
    const uint32_t sign = std::signbit(value) ? f.sign_bit() : 0;
    const double magnitude = std::fabs(value);
    if (magnitude >= f.magnitude(f.largest + 1)) {
        return too_large(f, sign);
    }
    const uint32_t below = code_below(f, magnitude);
    const double part =
        (magnitude - f.magnitude(below)) / (f.magnitude(below + 1) - f.magnitude(below));
    const uint32_t code = below + (part > 0.5 || (part == 0.5 && below % 2 != 0) ? 1 : 0);
    return code > f.largest ? too_large(f, sign) : with_sign(f, sign, code);
}

// V_PRNG_B32 of chapter 12.
uint32_t next_random(uint32_t in) {
    return in << 1 ^ (in >> 31 != 0 ? 197 : 0);
}

// The sources of one conversion: what stands for a number in a register, and which number.
enum class source { f32, f16, bf16 };
constexpr source all_sources[] = {source::f32, source::f16, source::bf16};

const char* name_of(source s) {
    return s == source::f32 ? "f32" : s == source::f16 ? "f16" : "bf16";
}

double value_of(source s, uint32_t word) {
    switch (s) {
        case source::f32:
            return static_cast<double>(to_float(word));
        case source::f16:
            return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(word)));
        case source::bf16:
            return static_cast<double>(to_float(word << 16));
    }
    return 0;
}

// The scale is E8M0: only the exponent of the f32 counts.
double scale_of(uint32_t word) {
    const int exponent = static_cast<int>(word >> 23 & 0xff);
    return exponent == 255 ? NAN : std::ldexp(1.0, exponent - 127);
}

// Numbers of which most are in the range of the format, and random numbers of which many are next to
// where they turn the result.
class inputs {
public:
    explicit inputs(uint32_t seed) : engine_(seed) {}

    uint32_t word() { return static_cast<uint32_t>(engine_()); }

    uint32_t number(source s, const small_format& f, int scale_exponent) {
        const uint32_t w = word();
        if (w % 16 == 0) {
            return s == source::f32 ? word() : word() & 0xffff;
        }
        const int low = 1 - f.bias - f.mantissa_bits - 4;
        const int high = static_cast<int>(f.largest >> f.mantissa_bits) - f.bias + 2;
        const int exponent = low + static_cast<int>(word() % static_cast<uint32_t>(high - low + 1));
        double value = std::ldexp(1 + std::ldexp(word() & 0x7fffff, -23), exponent);
        if (w % 16 < 5) {  // at a code, in the middle of two or next to one of these
            const uint32_t code = word() % (f.largest + 1);
            value =
                w % 2 == 0 ? f.magnitude(code) : (f.magnitude(code) + f.magnitude(code + 1)) / 2;
        }
        value = std::ldexp(value, scale_exponent) * ((w & 0x100) != 0 ? -1 : 1);
        const uint32_t near = w % 16 < 5 ? (w >> 9) % 3 - 1 : 0;
        const auto as_float = static_cast<float>(value);
        switch (s) {
            case source::f32:
                return bits(as_float) + near;
            case source::f16:
                return (half(as_float) + near) & 0xffff;
            case source::bf16:
                return (bits(as_float) >> 16) + near & 0xffff;
        }
        return 0;
    }

    uint32_t random(const small_format& f, double value) {
        const uint32_t w = word();
        const double magnitude = std::fabs(value);
        if (w % 8 == 0) {
            return w % 16 == 0 ? 0 : 0xffffffff;
        }
        if (w % 8 > 4 || !(magnitude < f.magnitude(f.largest + 1))) {
            return word();
        }
        const uint32_t used = random_bits_used(f);
        const uint32_t rest = rest_of(f, magnitude, code_below(f, magnitude));
        return (((1u << used) - rest) << (32 - used)) - (w >> 8) % 2;
    }

private:
    std::mt19937 engine_;
};

// Counts what differs and reports the first.
class comparison {
public:
    explicit comparison(std::string what) : what_(std::move(what)) {}

    // How many were right: a test says how many there have to be.
    uint32_t right() const { return right_; }

    void check(uint32_t got, uint32_t wanted, uint32_t from, uint32_t random, uint32_t scale) {
        if (got == wanted) {
            ++right_;
        } else if (!std::exchange(any_wrong_, true)) {
            ADD_FAILURE() << what_ << std::hex << " of " << from << ", random " << random
                          << ", scale " << scale << ": got " << got << ", wanted " << wanted;
        }
    }
    void check_code(const small_format& f, uint32_t got, uint32_t wanted, uint32_t from,
                    uint32_t random, uint32_t scale) {
        check(wanted == any_nan && is_nan(f, got) ? any_nan : got, wanted, from, random, scale);
    }

private:
    std::string what_;
    uint32_t right_ = 0;
    bool any_wrong_ = false;
};

TEST(convert_small, stochastic_fp8_and_bf8) {
    for (const gfx_target target : both_targets) {
        const bool fnuz = target == gfx_target::gfx942;
        for (const small_format* format : {fnuz ? &fp8_fnuz : &fp8, fnuz ? &bf8_fnuz : &bf8}) {
            const small_format& f = *format;
            const std::string name = std::string("v_cvt_sr_") + f.name + "_f32";
            comparison compared(name + " on " + name_of(target));
            inputs in(17);
            machine m(target);
            for (int round = 0; round < 400; ++round) {
                m.fill(1, [&](uint32_t) { return in.number(source::f32, f, 0); });
                m.fill(2,
                       [&](uint32_t l) { return in.random(f, value_of(source::f32, m.v(1)[l])); });
                for (int r = 4; r < 8; ++r) {
                    m.fill(r, [&](uint32_t) { return in.word(); });
                    m.fill(r + 4, [&](uint32_t l) { return m.v(r)[l]; });
                }
                m.run(name + " v4, v1, v2\n" + name + " v5, -v1, v2 op_sel:[0,0,1,0]\n" + name +
                      " v6, |v1|, v2 op_sel:[0,0,0,1]\n" + name +
                      " v7, -|v1|, v2 op_sel:[0,0,1,1]");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const double value = value_of(source::f32, m.v(1)[l]);
                    const double sources[] = {value, -value, std::fabs(value), -std::fabs(value)};
                    // op_sel is written from its bit 0 on; bits 2 and 3 number the byte.
                    const int byte[] = {0, 1, 2, 3};
                    for (int k = 0; k < 4; ++k) {
                        const uint32_t shift = static_cast<uint32_t>(byte[k]) * 8;
                        compared.check_code(f, m.v(4 + k)[l] >> shift & 0xff,
                                            stochastic(f, sources[k], m.v(2)[l]), m.v(1)[l],
                                            m.v(2)[l], 0);
                        compared.check(m.v(4 + k)[l] & ~(0xffu << shift),
                                       m.v(8 + k)[l] & ~(0xffu << shift), m.v(1)[l], 0, 0);
                    }
                }
            }
            EXPECT_EQ(compared.right(), 400 * lane_count * 8);
        }
    }
}

// Every code and the way to the next one, at each of the random number's steps where it turns.
TEST(convert_small, stochastic_at_every_code) {
    for (const gfx_target target : both_targets) {
        const bool fnuz = target == gfx_target::gfx942;
        for (const small_format* format : {fnuz ? &fp8_fnuz : &fp8, fnuz ? &bf8_fnuz : &bf8}) {
            const small_format& f = *format;
            const std::string name = std::string("v_cvt_sr_") + f.name + "_f32";
            comparison compared(name + " at codes on " + name_of(target));
            machine m(target);
            for (uint32_t code = 0; code <= f.largest; ++code) {
                const double low = f.magnitude(code);
                const double step = f.magnitude(code + 1) - low;
                const uint32_t used = random_bits_used(f);
                // Lanes: 8 places between the codes by 8 random numbers.
                const auto place = [=](uint32_t l) {
                    const double parts[] = {0, 0x1p-20, 0.25, 0.5, 0.75, 0.875, 1 - 0x1p-3, 1};
                    return static_cast<float>(low + step * parts[l / 8]);
                };
                m.fill(1, [&](uint32_t l) { return bits(place(l)) - (l / 8 >= 6 ? 1 : 0); });
                m.fill(2, [&](uint32_t l) {
                    const double v = value_of(source::f32, m.v(1)[l]);
                    const uint32_t turn = ((1u << used) - rest_of(f, v, code_below(f, v)))
                                          << (32 - used);
                    const uint32_t numbers[] = {0,
                                                0xffffffff,
                                                turn,
                                                turn - 1,
                                                turn + 0x80000000,
                                                1u << (32 - used),
                                                (1u << (32 - used)) - 1,
                                                0x80000000};
                    return numbers[l % 8];
                });
                m.run(name + " v4, v1, v2");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    compared.check_code(f, m.v(4)[l] & 0xff,
                                        stochastic(f, value_of(source::f32, m.v(1)[l]), m.v(2)[l]),
                                        m.v(1)[l], m.v(2)[l], 0);
                }
            }
            EXPECT_EQ(compared.right(), (f.largest + 1) * lane_count);
        }
    }
}

TEST(convert_small, scaled_stochastic) {
    inputs in(23);
    for (const small_format* format : {&fp8, &bf8}) {
        const small_format& f = *format;
        for (const source s : all_sources) {
            const std::string name = std::string("v_cvt_scalef32_sr_") + f.name + "_" + name_of(s);
            comparison compared(name);
            machine m(gfx_target::gfx950);
            for (int round = 0; round < 300; ++round) {
                m.fill(3, [&](uint32_t) {
                    const uint32_t exponent = round % 10 == 9 ? in.word() : 127 + in.word() % 9 - 4;
                    return (exponent & 0xff) << 23 | (in.word() & 0x807fffff);
                });
                m.fill(1, [&](uint32_t l) {
                    const uint32_t high = s == source::f32 ? 0 : in.word() << 16;
                    return high | in.number(s, f, static_cast<int>(m.v(3)[l] >> 23 & 0xff) - 127);
                });
                m.fill(2, [&](uint32_t l) {
                    return in.random(f, value_of(s, m.v(1)[l]) / scale_of(m.v(3)[l]));
                });
                m.fill(4, 0x5a5a5a5au);
                const uint32_t byte = static_cast<uint32_t>(round) % 4;
                m.run(name + " v4, v1, v2, v3 op_sel:[0,0," + std::to_string(byte & 1) + "," +
                      std::to_string(byte >> 1) + "]");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const double value = value_of(s, m.v(1)[l]) / scale_of(m.v(3)[l]);
                    const uint32_t shift = 8 * byte;
                    compared.check_code(f, m.v(4)[l] >> shift & 0xff,
                                        stochastic(f, value, m.v(2)[l]), m.v(1)[l], m.v(2)[l],
                                        m.v(3)[l]);
                    compared.check(m.v(4)[l] & ~(0xffu << shift), 0x5a5a5a5a & ~(0xffu << shift),
                                   m.v(1)[l], 0, 0);
                }
            }
            EXPECT_EQ(compared.right(), 300 * lane_count * 2);
        }
    }
}

TEST(convert_small, scaled_stochastic_pairs) {
    inputs in(29);
    for (const source s : all_sources) {
        const std::string name = std::string("v_cvt_scalef32_sr_pk_fp4_") + name_of(s);
        comparison compared(name);
        machine m(gfx_target::gfx950);
        for (int round = 0; round < 300; ++round) {
            const uint32_t scale = 127 + in.word() % 9 - 4;
            m.fill(3, scale << 23 | 0x123456);
            std::array<std::array<uint32_t, 2>, lane_count> elements{};
            for (uint32_t l = 0; l < lane_count; ++l) {
                for (uint32_t& e : elements[l]) {
                    do {
                        e = in.number(s, fp4, static_cast<int>(scale) - 127);
                    } while (std::isnan(value_of(s, e)));  // fp4 has none
                }
                m.v(6)[l] =
                    s == source::f32 ? elements[l][0] : elements[l][0] | elements[l][1] << 16;
                m.v(7)[l] = elements[l][1];
            }
            m.fill(2, [&](uint32_t l) {
                return in.random(fp4, value_of(s, elements[l][0]) / scale_of(m.v(3)[l]));
            });
            m.fill(4, 0x5a5a5a5au);
            const uint32_t byte = static_cast<uint32_t>(round) % 4;
            m.run(name + " v4, " + (s == source::f32 ? "v[6:7]" : "v6") + ", v2, v3 op_sel:[0,0," +
                  std::to_string(byte & 1) + "," + std::to_string(byte >> 1) + "]");
            for (uint32_t l = 0; l < lane_count; ++l) {
                const double divisor = scale_of(m.v(3)[l]);
                const uint32_t wanted =
                    stochastic(fp4, value_of(s, elements[l][0]) / divisor, m.v(2)[l]) |
                    stochastic(fp4, value_of(s, elements[l][1]) / divisor, next_random(m.v(2)[l]))
                        << 4;
                compared.check(m.v(4)[l], (0x5a5a5a5a & ~(0xffu << 8 * byte)) | wanted << 8 * byte,
                               m.v(6)[l], m.v(2)[l], m.v(3)[l]);
            }
        }
        EXPECT_EQ(compared.right(), 300 * lane_count);
    }
}

// ---- pairs and single elements, with a scale ----

// The instruction with OP_SEL in its bits 14:11: of the source the word [0] or the byte [1:0], of the
// destination the word [3] or the byte [3:2].
std::string with_op_sel(const std::string& text, uint32_t op_sel) {
    uint32_t words[2];
    std::memcpy(words, assemble(gfx_target::gfx950, text).data(), sizeof words);
    return ".long " + std::to_string(words[0] | op_sel << 11) + ", " + std::to_string(words[1]);
}

uint32_t rounded_to(source s, double value);

// Every code in each part of the source that OP_SEL names; with FP16_OVFL an f16 is limited.
TEST(convert_small, scaled_codes) {
    constexpr uint32_t scales[] = {127, 130, 120, 145, 254, 0, 255};
    for (const small_format* format : {&fp8, &bf8, &fp4}) {
        const small_format& f = *format;
        const uint32_t width = format == &fp4 ? 4 : 8;
        for (const source s : all_sources) {
            for (const uint32_t count : {1u, 2u}) {
                if (count == 1 && (width == 4 || s == source::bf16)) {
                    continue;  // there is none
                }
                const std::string name = std::string("v_cvt_scalef32_") +
                                         (count == 2 ? "pk_" : "") + name_of(s) + "_" + f.name;
                const bool is_half = count == 1 && s != source::f32;
                const std::string text =
                    name + (count == 2 && s == source::f32 ? " v[4:5]" : " v4") + ", v1, v3";
                const bool selects_words = count * width == 16;
                for (uint32_t op_sel = 0; op_sel < 16; ++op_sel) {
                    if ((op_sel & (selects_words ? 6 : 4)) != 0 || (op_sel > 7 && !is_half)) {
                        continue;
                    }
                    const uint32_t first = selects_words ? op_sel * 16 : (op_sel & 3) * 8;
                    machine m(gfx_target::gfx950);
                    m.w().mode |= (op_sel & 1) << 23;  // FP16_OVFL
                    for (uint32_t round = 0; round < (width == 4 ? 1 : 4) * 7; ++round) {
                        const uint32_t scale = scales[round % 7] << 23 | 0x80123456;
                        const auto code = [&](uint32_t l, uint32_t e) {
                            const uint32_t n = round / 7 * 64 + l;
                            return (e == 0 ? n : n * 7 + 3) & ((1u << width) - 1);
                        };
                        m.fill(1, [&](uint32_t l) {
                            const uint32_t both = code(l, 0) | code(l, 1) << width;
                            const uint32_t used = both & ((uint64_t{1} << count * width) - 1);
                            const uint32_t mask = ((1u << count * width) - 1) << first;
                            return (0x6b5a9c3eu & ~mask) | used << first;
                        });
                        m.fill(3, scale);
                        m.fill(4, 0x12345678u);
                        m.run(with_op_sel(text, op_sel));
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            for (uint32_t e = 0; e < count; ++e) {
                                const bool is_high = e == 1 || (is_half && op_sel > 7);
                                const uint32_t got = s == source::f32
                                                         ? m.v(4 + static_cast<int>(e))[l]
                                                         : m.v(4)[l] >> (is_high ? 16 : 0) & 0xffff;
                                const double exact = value_of_code(f, code(l, e)) * scale_of(scale);
                                const double value = value_of(s, got);
                                if (std::isnan(exact)) {
                                    ASSERT_TRUE(std::isnan(value)) << name << code(l, e);
                                    continue;
                                }
                                uint32_t wanted = rounded_to(s, exact);
                                if (s == source::f16 && (wanted & 0x7fff) == 0x7c00 &&
                                    std::isfinite(exact) && (op_sel & 1) != 0) {
                                    --wanted;
                                }
                                ASSERT_EQ(got, wanted)
                                    << std::hex << name << " of " << code(l, e) << " op_sel "
                                    << op_sel << " scale " << scale;
                            }
                            if (is_half) {
                                const uint32_t other = op_sel > 7 ? 0xffff : 0xffff0000;
                                ASSERT_EQ(m.v(4)[l] & other, 0x12345678 & other) << name;
                            }
                        }
                    }
                }
            }
        }
    }
}

// Pairs rounded to nearest even, into each part of the destination, which keeps the rest.
TEST(convert_small, scaled_pairs_to_codes) {
    inputs in(31);
    for (const small_format* format : {&fp8, &bf8, &fp4}) {
        const small_format& f = *format;
        const uint32_t width = format == &fp4 ? 4 : 8;
        for (const source s : all_sources) {
            const std::string name = std::string("v_cvt_scalef32_pk_") + f.name + "_" + name_of(s);
            const std::string text = name + (s == source::f32 ? " v4, v1, v2, v3" : " v4, v1, v3");
            comparison compared(name);
            machine m(gfx_target::gfx950);
            constexpr uint32_t rounds = 40;
            uint32_t skipped = 0;
            for (uint32_t round = 0; round < rounds; ++round) {
                const uint32_t part = round % (width == 4 ? 4 : 2);
                const uint32_t first = part * 2 * width;
                const uint32_t scale = (127 + in.word() % 9 - 4) << 23 | 0x80123456;
                const auto number = [&] {
                    return in.number(s, f, static_cast<int>(scale >> 23 & 0xff) - 127);
                };
                m.fill(3, scale);
                m.fill(4, 0x5a5a5a5au);
                m.fill(1, [&](uint32_t) { return number(); });
                m.fill(2, [&](uint32_t) { return number(); });
                std::array<std::array<uint32_t, 2>, lane_count> elements{};
                for (uint32_t l = 0; l < lane_count; ++l) {
                    elements[l] = {m.v(1)[l], m.v(2)[l]};
                    m.v(1)[l] |= s == source::f32 ? 0 : m.v(2)[l] << 16;
                }
                m.run(with_op_sel(text, width == 4 ? part << 2 : part << 3));
                for (uint32_t l = 0; l < lane_count; ++l) {
                    for (uint32_t e = 0; e < 2; ++e) {
                        const uint32_t at = first + e * width;
                        const double value = value_of(s, elements[l][e]) / scale_of(scale);
                        if (std::isnan(value) && width == 4) {  // which has none
                            ++skipped;
                            continue;
                        }
                        compared.check_code(f, m.v(4)[l] >> at & ((1u << width) - 1),
                                            std::isnan(value) ? any_nan : nearest_even(f, value),
                                            elements[l][e], 0, scale);
                    }
                    const uint32_t rest = ~(((1u << 2 * width) - 1) << first);
                    compared.check(m.v(4)[l] & rest, 0x5a5a5a5a & rest, 0, 0, scale);
                }
            }
            EXPECT_EQ(compared.right() + skipped, rounds * lane_count * 3);
        }
    }
}

// NaN, infinity and what is too large, with both signs, without FP16_OVFL and with it (ISA guide 7.3):
// by every kind of conversion from f32.
TEST(convert_small, special_values) {
    struct expectation {
        uint32_t nan;  // with a sign that is added, but for gfx942's 0x80
        uint32_t above;
        uint32_t limited;
    };
    constexpr expectation fnuz{0x80, 0x80, 0x7f};
    constexpr expectation of_fp8{0x7f, 0x7f, 0x7e};
    constexpr expectation of_bf8{0x7f, 0x7c, 0x7b};
    constexpr expectation of_six_bits{0x1f, 0x1f, 0x1f};
    constexpr expectation of_fp4{7, 7, 7};
    const struct {
        const char* text;  // v0 from v1, seed v2, scale v3; 16 or 32 elements in v[16:47]
        expectation wanted;
        uint32_t width;
        bool on_gfx942;
        bool on_gfx950;
    } rows[] = {
        {"v_cvt_pk_fp8_f32 v0, v1, v1", fnuz, 8, true, false},
        {"v_cvt_pk_bf8_f32 v0, v1, v1", fnuz, 8, true, false},
        {"v_cvt_sr_fp8_f32 v0, v1, v2", fnuz, 8, true, false},
        {"v_cvt_sr_bf8_f32 v0, v1, v2", fnuz, 8, true, false},
        {"v_cvt_pk_fp8_f32 v0, v1, v1", of_fp8, 8, false, true},
        {"v_cvt_pk_bf8_f32 v0, v1, v1", of_bf8, 8, false, true},
        {"v_cvt_sr_fp8_f32 v0, v1, v2", of_fp8, 8, false, true},
        {"v_cvt_sr_bf8_f32 v0, v1, v2", of_bf8, 8, false, true},
        {"v_cvt_scalef32_pk_fp8_f32 v0, v1, v1, v3", of_fp8, 8, false, true},
        {"v_cvt_scalef32_pk_bf8_f32 v0, v1, v1, v3", of_bf8, 8, false, true},
        {"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", of_fp8, 8, false, true},
        {"v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", of_bf8, 8, false, true},
        {"v_cvt_scalef32_pk_fp4_f32 v0, v1, v1, v3", of_fp4, 4, false, true},
        {"v_cvt_scalef32_sr_pk_fp4_f32 v0, v[16:17], v2, v3", of_fp4, 4, false, true},
        {"v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[16:31], v[32:47], v6", of_six_bits, 6, false,
         true},
        {"v_cvt_scalef32_2xpk16_bf6_f32 v[0:5], v[16:31], v[32:47], v6", of_six_bits, 6, false,
         true},
        {"v_cvt_scalef32_sr_pk32_fp6_f32 v[0:5], v[16:47], v7, v6", of_six_bits, 6, false, true},
        {"v_cvt_scalef32_sr_pk32_bf6_f32 v[0:5], v[16:47], v7, v6", of_six_bits, 6, false, true},
    };
    constexpr uint32_t values[] = {0x7fc00000, 0x7f800001, 0x7f800000, 0x7f7fffff, 0x7149f2ca};
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            if (target == gfx_target::gfx942 ? !row.on_gfx942 : !row.on_gfx950) {
                continue;
            }
            for (const bool limits : {false, true}) {
                machine m(target);
                m.w().mode |= uint32_t{limits} << 23;
                const auto value = [&](uint32_t l) {
                    return values[l / 2 % std::size(values)] | l % 2 << 31;
                };
                for (int r = 16; r < 48; ++r) {
                    m.fill(r, value);
                }
                m.fill(1, value);
                m.fill(2, 0x12345678u);
                m.fill(7, 0x12345678u);
                m.fill(3, bits(1.0f));
                m.fill(6, bits(1.0f));
                m.run(row.text);
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const bool is_nan = l / 2 % std::size(values) < 2;
                    const uint32_t magnitude = is_nan   ? row.wanted.nan
                                               : limits ? row.wanted.limited
                                                        : row.wanted.above;
                    const uint32_t sign = magnitude == 0x80 ? 0 : l % 2 << (row.width - 1);
                    ASSERT_EQ(m.v(0)[l] & ((1u << row.width) - 1), magnitude | sign)
                        << row.text << " of " << std::hex << value(l) << " limited " << limits;
                }
            }
        }
    }
}

// OP_SEL of a source, which the guide does not have.
TEST(convert_small, stochastic_of_a_selected_source_fails) {
    machine m(gfx_target::gfx950);
    for (const uint32_t op_sel : {1u, 2u}) {
        EXPECT_REPORT(m.attempt(with_op_sel("v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", op_sel)),
                      "op_sel of a source of v_cvt_scalef32_sr_fp8_f32 is not supported");
    }
}

// ---- 32 elements ----

uint32_t six_bits(machine& m, int first, uint32_t lane, uint32_t element) {
    uint32_t code = 0;
    for (uint32_t bit = 0; bit < 6; ++bit) {
        const uint32_t at = 6 * element + bit;
        code |= (m.v(first + static_cast<int>(at / 32))[lane] >> at % 32 & 1) << bit;
    }
    return code;
}

void put_six_bits(machine& m, int first, uint32_t lane, uint32_t element, uint32_t code) {
    for (uint32_t bit = 0; bit < 6; ++bit) {
        const uint32_t at = 6 * element + bit;
        uint32_t& word = m.v(first + static_cast<int>(at / 32))[lane];
        word = (word & ~(1u << at % 32)) | (code >> bit & 1) << at % 32;
    }
}

uint32_t element_of(machine& m, source s, uint32_t lane, uint32_t element) {
    const auto e = static_cast<int>(element);
    return s == source::f32 ? m.v(e)[lane] : m.v(e / 2)[lane] >> e % 2 * 16 & 0xffff;
}

uint32_t rounded_to(source s, double value) {
    const auto as_float = static_cast<float>(value);  // exact: four bits, no less than 2**-149
    switch (s) {
        case source::f32:
            return bits(as_float);
        case source::f16:
            return half(as_float);
        case source::bf16:
            return (bits(as_float) + 0x7fff + (bits(as_float) >> 16 & 1)) >> 16;
    }
    return 0;
}

// Every code at every of the 32 places, with every exponent of the scale.
TEST(convert_small, all_codes_of_32) {
    for (const small_format* format : {&fp6, &bf6}) {
        const small_format& f = *format;
        for (const source s : all_sources) {
            const std::string name =
                std::string("v_cvt_scalef32_pk32_") + name_of(s) + "_" + f.name;
            const std::string destination = s == source::f32 ? " v[0:31]" : " v[0:15]";
            comparison compared(name);
            machine m(gfx_target::gfx950);
            for (uint32_t scale = 0; scale < 256; ++scale) {
                m.fill(80, scale << 23 | (scale * 0x9e3779b9 & 0x807fffff));
                for (uint32_t l = 0; l < lane_count; ++l) {
                    for (uint32_t e = 0; e < 32; ++e) {
                        put_six_bits(m, 64, l, e, (e + l) % 64);
                    }
                }
                const uint64_t off = uint64_t{1} << scale % 64;
                m.fill(0, 0xabcdef01u);
                m.set_exec(~off);
                m.run(name + destination + ", v[64:69], v80");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    if (l == scale % 64) {
                        compared.check(m.v(0)[l], 0xabcdef01, 0, 0, scale);
                        continue;
                    }
                    for (uint32_t e = 0; e < 32; ++e) {
                        const uint32_t code = (e + l) % 64;
                        const uint32_t got = element_of(m, s, l, e);
                        const double value =
                            f.magnitude(code & 31) * (code > 31 ? -1 : 1) * scale_of(m.v(80)[l]);
                        const bool both_nan = std::isnan(value) && std::isnan(value_of(s, got));
                        compared.check(both_nan ? 0 : got, both_nan ? 0 : rounded_to(s, value),
                                       code, 0, m.v(80)[l]);
                    }
                }
            }
            EXPECT_EQ(compared.right(), 256 * ((lane_count - 1) * 32 + 1));
        }
    }
}

// Fills v[0:31] (f32) or v[0:15] with numbers for the scale in v80.
void fill_elements(machine& m, inputs& in, source s, const small_format& f) {
    m.fill(80, [&](uint32_t) {
        const uint32_t exponent = in.word() % 4 == 0 ? in.word() % 255 : 127 + in.word() % 9 - 4;
        return exponent << 23 | (in.word() & 0x807fffff);
    });
    for (uint32_t l = 0; l < lane_count; ++l) {
        for (uint32_t e = 0; e < 32; ++e) {
            uint32_t number = 0;
            do {
                number = in.number(s, f, static_cast<int>(m.v(80)[l] >> 23 & 0xff) - 127);
            } while (std::isnan(value_of(s, number)));  // which these formats have not
            if (s == source::f32) {
                m.v(static_cast<int>(e))[l] = number;
            } else {
                uint32_t& word = m.v(static_cast<int>(e / 2))[l];
                word = e % 2 == 0 ? number : word | number << 16;
            }
        }
    }
}

TEST(convert_small, nearest_even_of_32) {
    inputs in(31);
    for (const small_format* format : {&fp6, &bf6}) {
        const small_format& f = *format;
        for (const source s : all_sources) {
            // From f32 there is only the form with two sources of 16, which it interleaves.
            const std::string name =
                s == source::f32 ? std::string("v_cvt_scalef32_2xpk16_") + f.name + "_f32"
                                 : std::string("v_cvt_scalef32_pk32_") + f.name + "_" + name_of(s);
            const std::string sources = s == source::f32 ? "v[0:15], v[16:31]" : "v[0:15]";
            comparison compared(name);
            machine m(gfx_target::gfx950);
            for (int round = 0; round < 60; ++round) {
                fill_elements(m, in, s, f);
                m.run(name + " v[64:69], " + sources + ", v80");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    for (uint32_t e = 0; e < 32; ++e) {
                        const uint32_t from =
                            element_of(m, s, l, s == source::f32 ? e / 2 + e % 2 * 16 : e);
                        compared.check(six_bits(m, 64, l, e),
                                       nearest_even(f, value_of(s, from) / scale_of(m.v(80)[l])),
                                       from, 0, m.v(80)[l]);
                    }
                }
            }
            EXPECT_EQ(compared.right(), 60 * lane_count * 32);
        }
    }
}

TEST(convert_small, stochastic_of_32) {
    inputs in(37);
    for (const small_format* format : {&fp6, &bf6}) {
        const small_format& f = *format;
        for (const source s : all_sources) {
            const std::string name =
                std::string("v_cvt_scalef32_sr_pk32_") + f.name + "_" + name_of(s);
            const std::string elements = s == source::f32 ? "v[0:31]" : "v[0:15]";
            comparison compared(name);
            machine m(gfx_target::gfx950);
            for (int round = 0; round < 60; ++round) {
                fill_elements(m, in, s, f);
                m.fill(81, [&](uint32_t l) {
                    return in.random(f, value_of(s, element_of(m, s, l, 0)) / scale_of(m.v(80)[l]));
                });
                m.run(name + " v[64:69], " + elements + ", v81, v80");
                for (uint32_t l = 0; l < lane_count; ++l) {
                    uint32_t random = m.v(81)[l];
                    for (uint32_t e = 0; e < 32; ++e) {
                        const uint32_t from = element_of(m, s, l, e);
                        compared.check(
                            six_bits(m, 64, l, e),
                            stochastic(f, value_of(s, from) / scale_of(m.v(80)[l]), random), from,
                            random, m.v(80)[l]);
                        random = next_random(random);
                    }
                }
            }
            EXPECT_EQ(compared.right(), 60 * lane_count * 32);
        }
    }
}

}  // namespace
}  // namespace emu
