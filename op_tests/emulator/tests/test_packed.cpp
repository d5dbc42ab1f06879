// VOP3P: packed f16, i16 and f32, mixed precision, dot products.
#include <iterator>
#include <random>

#include "machine.hpp"

namespace emu {
namespace {

uint32_t halves(float low, float high) {
    return uint32_t{half(low)} | uint32_t{half(high)} << 16;
}
uint32_t words(int low, int high) {
    return static_cast<uint32_t>(low & 0xffff) | static_cast<uint32_t>(high) << 16;
}

struct packed_case {
    const char* instruction;  // v0 from v1, v2, v3
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t result;
};

void check_cases(gfx_target target, const std::vector<packed_case>& cases) {
    for (const packed_case& c : cases) {
        machine m(target);
        m.fill(0, 0x11112222u);
        m.fill(1, c.a);
        m.fill(2, c.b);
        m.fill(3, c.c);
        m.set_exec(~uint64_t{2});
        m.run(c.instruction);
        EXPECT_EQ(m.v(0)[0], c.result) << std::hex << c.instruction << " on " << name_of(target);
        EXPECT_EQ(m.v(0)[1], 0x11112222u) << c.instruction;
    }
}

const std::vector<packed_case> cases = {
    {"v_pk_add_f16 v0, v1, v2", halves(1, 2), halves(0.5f, -4), 0, halves(1.5f, -2)},
    {"v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", halves(1, 2), halves(10, 20), 0,
     halves(12, 21)},
    {"v_pk_add_f16 v0, v1, v2 neg_lo:[1,0] neg_hi:[0,1]", halves(1, 2), halves(10, 20), 0,
     halves(9, -18)},
    {"v_pk_add_f16 v0, v1, 1.0", halves(1, 2), 0, 0, halves(2, 2)},  // 1.0 is in the low half only
    {"v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]", halves(1, 2), 0, 0, halves(2, 3)},
    {"v_pk_add_f16 v0, v1, v2 clamp", halves(1, -2), halves(1, 1), 0, halves(1, 0)},
    {"v_pk_mul_f16 v0, v1, v2", halves(3, 2), halves(0.5f, -4), 0, halves(1.5f, -8)},
    {"v_pk_fma_f16 v0, v1, v2, v3", halves(3, 2), halves(2, -4), halves(1, 1), halves(7, -7)},
    {"v_pk_fma_f16 v0, v1, v2, v3 op_sel:[0,0,1] op_sel_hi:[1,1,0]", halves(3, 2), halves(2, -4),
     halves(10, 20), halves(26, 2)},
    {"v_pk_min_f16 v0, v1, v2", halves(3, 0), halves(2, -0.0f), 0, halves(2, -0.0f)},
    {"v_pk_max_f16 v0, v1, v2", words(0x7e00, half(1)), halves(2, 4), 0, halves(2, 4)},
    {"v_pk_fmac_f16 v0, v1, v2", halves(0, 0), halves(2, 2), 0, 0x11112222},
    {"v_pk_add_u16 v0, v1, v2", words(0xffff, 5), words(2, 6), 0, words(1, 11)},
    {"v_pk_add_u16 v0, v1, v2 clamp", words(0xffff, 5), words(2, 6), 0, words(0xffff, 11)},
    {"v_pk_add_u16 v0, v1, 3 op_sel_hi:[1,0]", words(1, 5), 0, 0, words(4, 8)},
    {"v_pk_add_u16 v0, v1, -1", words(1, 5), 0, 0, words(0, 4)},
    {"v_pk_sub_i16 v0, v1, v2 clamp", words(-0x8000, 5), words(2, 6), 0, words(-0x8000, -1)},
    {"v_pk_add_i16 v0, v1, v2", words(0x7fff, 5), words(2, 6), 0, words(0x8001, 11)},
    {"v_pk_mul_lo_u16 v0, v1, v2", words(0x100, 3), words(0x101, 7), 0, words(0x100, 21)},
    {"v_pk_mad_i16 v0, v1, v2, v3", words(-3, 3), words(5, 7), words(1, -1), words(-14, 20)},
    {"v_pk_mad_u16 v0, v1, v2, v3 clamp", words(0x8000, 3), words(5, 7), words(1, 1),
     words(0xffff, 22)},
    {"v_pk_lshlrev_b16 v0, v1, v2", words(17, 4), words(3, 0x1234), 0, words(6, 0x2340)},
    {"v_pk_lshrrev_b16 v0, v1, v2", words(1, 4), words(0x8000, 0x1234), 0, words(0x4000, 0x123)},
    {"v_pk_ashrrev_i16 v0, v1, v2", words(1, 4), words(0x8000, 0x1234), 0, words(0xc000, 0x123)},
    {"v_pk_min_i16 v0, v1, v2", words(-1, 4), words(1, 3), 0, words(-1, 3)},
    {"v_pk_max_u16 v0, v1, v2", words(-1, 4), words(1, 3), 0, words(-1, 4)},
    {"v_fma_mix_f32 v0, v1, v2, v3", bits(2.0f), bits(3.0f), bits(1.0f), bits(7.0f)},
    {"v_fma_mix_f32 v0, v1, -v2, |v3| op_sel:[1,0,0] op_sel_hi:[1,0,1]", halves(9, 2), bits(3.0f),
     halves(-1, 0), bits(-5.0f)},
    {"v_fma_mixlo_f16 v0, v1, v2, v3 op_sel_hi:[1,1,1]", halves(2, 0), halves(3, 0), halves(1, 0),
     0x11110000u | half(7)},
    {"v_fma_mixhi_f16 v0, v1, v2, v3 op_sel_hi:[1,1,1]", halves(2, 0), halves(3, 0), halves(1, 0),
     0x2222u | uint32_t{half(7)} << 16},
    {"v_fma_mix_f32 v0, v1, v2, 1.0 op_sel_hi:[1,1,0]", halves(2, 0), halves(3, 0), 0, bits(7.0f)},
    {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(-0.0f), bits(1.0f), bits(-0.0f), 0},
    {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(-2.0f), bits(1.0f), bits(0.0f), 0},
    {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(0.5f), bits(1.0f), bits(0.25f), bits(0.75f)},
    {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(2.0f), bits(1.0f), bits(0.0f), bits(1.0f)},
    {"v_fma_mix_f32 v0, v1, v2, v3 clamp", 0x7fc00000, bits(1.0f), bits(0.0f), 0},
    {"v_fma_mixlo_f16 v0, v1, v2, v3 clamp", bits(-0.0f), bits(1.0f), bits(-0.0f), 0x11110000},
    {"v_fma_mixhi_f16 v0, v1, v2, v3 clamp", bits(2.0f), bits(1.0f), bits(0.0f), 0x3c002222},
    {"v_dot2_f32_f16 v0, v1, v2, v3", halves(2, 3), halves(4, 5), bits(100.0f), bits(123.0f)},
    {"v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[1,0,0]", halves(2, 3), halves(4, 5), bits(100.0f),
     bits(107.0f)},
    {"v_dot2c_f32_f16 v0, v1, v2", halves(0, 0), halves(4, 5), 0, 0x11112222},
    {"v_dot2_i32_i16 v0, v1, v2, v3", words(-2, 3), words(4, 5), 100, 107},
    {"v_dot2_u32_u16 v0, v1, v2, v3", words(-1, 0), words(2, 5), 1, 0x1ffff},
    {"v_dot4_i32_i8 v0, v1, v2, v3", 0xff020304, 0x05060708, 10,
     static_cast<uint32_t>(-5 + 12 + 21 + 32 + 10)},
    {"v_dot4_i32_i8 v0, v1, v2, v3 clamp", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, 0x7fffffff},
    {"v_dot4_u32_u8 v0, v1, v2, v3", 0xff020304, 0x05060708, 10, 1275 + 12 + 21 + 32 + 10},
    {"v_dot8_i32_i4 v0, v1, v2, v3", 0xf1111111, 0x22222222, 1, 13},
    {"v_dot8_u32_u4 v0, v1, v2, v3", 0xf1111111, 0x22222222, 1, 45},
};

TEST(packed, values) {
    for (const gfx_target target : both_targets) {
        check_cases(target, cases);
    }
}

// Sums of products of integers of 16, 8 and 4 bits: exact, then the low 32 bits, or with clamp the
// nearest number of 32 bits. (ISA guide, V_DOT2_I32_I16 and those that follow.)
TEST(packed, integer_dot_products) {
    const struct {
        const char* text;
        int width;
        bool has_sign;
        bool adds_to_destination;
        bool clamps;
    } rows[] = {
        {"v_dot2_i32_i16 v0, v1, v2, v3", 16, true, false, false},
        {"v_dot2_u32_u16 v0, v1, v2, v3", 16, false, false, false},
        {"v_dot4_i32_i8 v0, v1, v2, v3", 8, true, false, false},
        {"v_dot4_u32_u8 v0, v1, v2, v3", 8, false, false, false},
        {"v_dot8_i32_i4 v0, v1, v2, v3", 4, true, false, false},
        {"v_dot8_u32_u4 v0, v1, v2, v3", 4, false, false, false},
        {"v_dot2_i32_i16 v0, v1, v2, v3 clamp", 16, true, false, true},
        {"v_dot2_u32_u16 v0, v1, v2, v3 clamp", 16, false, false, true},
        {"v_dot4_i32_i8 v0, v1, v2, v3 clamp", 8, true, false, true},
        {"v_dot4_u32_u8 v0, v1, v2, v3 clamp", 8, false, false, true},
        {"v_dot8_i32_i4 v0, v1, v2, v3 clamp", 4, true, false, true},
        {"v_dot8_u32_u4 v0, v1, v2, v3 clamp", 4, false, false, true},
        {"v_dot2c_i32_i16 v0, v1, v2", 16, true, true, false},
        {"v_dot4c_i32_i8 v0, v1, v2", 8, true, true, false},
        {"v_dot8c_i32_i4 v0, v1, v2", 4, true, true, false},
    };
    constexpr uint32_t edges[] = {0,          1,          0x7fffffff, 0x80000000,
                                  0xffffffff, 0x80008000, 0x7f7f7f7f, 0x88888888};
    std::mt19937 random(7);
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            machine m(target);
            uint32_t values[3][64];
            for (uint32_t l = 0; l < 64; ++l) {
                for (auto& of_lane : values) {
                    of_lane[l] = random() % 3 == 0 ? static_cast<uint32_t>(random())
                                                   : edges[random() % std::size(edges)];
                }
                m.v(1)[l] = values[0][l];
                m.v(2)[l] = values[1][l];
                m.v(row.adds_to_destination ? 0 : 3)[l] = values[2][l];
            }
            m.run(row.text);
            for (uint32_t l = 0; l < 64; ++l) {
                const auto number = [&](uint32_t bits_of_it, int width) {
                    const int64_t plain = bits_of_it;
                    const bool negative = row.has_sign && (plain >> (width - 1) & 1) != 0;
                    return negative ? plain - (int64_t{1} << width) : plain;
                };
                int64_t sum = number(values[2][l], 32);
                for (int at = 0; at < 32; at += row.width) {
                    const uint32_t mask = (1u << row.width) - 1;
                    sum += number(values[0][l] >> at & mask, row.width) *
                           number(values[1][l] >> at & mask, row.width);
                }
                if (row.clamps) {
                    const int64_t most = row.has_sign ? 0x7fffffff : 0xffffffff;
                    const int64_t least = row.has_sign ? -most - 1 : 0;
                    sum = sum > most ? most : sum < least ? least : sum;
                }
                ASSERT_EQ(m.v(0)[l], static_cast<uint32_t>(sum))
                    << row.text << std::hex << ' ' << values[0][l] << ' ' << values[1][l] << ' '
                    << values[2][l];
            }
        }
    }
}

// Two products and an addend: integers are exact; otherwise the addend is the last of v_dot2_f32_bf16
// and the first elsewhere. Denormals are zeros in every mode (6.4).
TEST(packed, float_dot_products) {
    const struct {
        const char* text;
        bool is_bf16;
        bool adds_to_destination;
        bool on_gfx942;
        bool adds_last;
    } rows[] = {
        {"v_dot2_f32_f16 v0, v1, v2, v3", false, false, true, false},
        {"v_dot2c_f32_f16 v0, v1, v2", false, true, true, false},
        {"v_dot2_f32_bf16 v0, v1, v2, v3", true, false, false, true},
        {"v_dot2c_f32_bf16 v0, v1, v2", true, true, false, false},
    };
    std::mt19937 random(11);
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            if (target == gfx_target::gfx942 && !row.on_gfx942) {
                continue;
            }
            const auto code = [&](float value) {
                return row.is_bf16 ? bits(value) >> 16 : uint32_t{half(value)};
            };
            const auto pair = [&](float low, float high) { return code(low) | code(high) << 16; };
            machine m(target);
            const int c = row.adds_to_destination ? 0 : 3;
            const auto run = [&](uint32_t a, uint32_t b, uint32_t addend) {
                m.fill(1, a);
                m.fill(2, b);
                m.fill(c, addend);
                m.run(row.text);
                return m.v(0)[9];
            };
            for (int round = 0; round < 20; ++round) {
                float n[5];
                for (float& value : n) {
                    value = static_cast<float>(static_cast<int>(random() % 255) - 127);
                }
                EXPECT_EQ(run(pair(n[0], n[1]), pair(n[2], n[3]), bits(n[4])),
                          bits(n[0] * n[2] + n[1] * n[3] + n[4]))
                    << row.text;
            }
            // 2^24 + 1 is 2^24.
            EXPECT_EQ(run(pair(4096, 1), pair(4096, 1), bits(-0x1p24f)),
                      bits(row.adds_last ? 0.0f : 1.0f))
                << row.text;
            EXPECT_EQ(run(pair(1, 4096), pair(1, 4096), bits(-0x1p24f)),
                      bits(row.adds_last ? 0.0f : 1.0f))
                << row.text;
            const uint32_t ones = pair(1, 1);
            EXPECT_EQ(run(0x00010001, ones, bits(0.0f)), 0u) << row.text;
            EXPECT_EQ(run(ones, 0x00010001, bits(0.0f)), 0u) << row.text;
            EXPECT_EQ(run(ones, pair(1, -1), 1), 0u) << row.text;
            const uint32_t small = row.is_bf16 ? code(0x1p-75f) : code(0x1p-14f);
            EXPECT_EQ(run(small, small, 0), row.is_bf16 ? 0u : bits(0x1p-28f)) << row.text;
        }
    }
}

// NEG and NEG_HI are the signs of the low and of the high products' factors; NEG is that of the
// addend, which the guide denies for bf16.
TEST(packed, signs_of_float_dot_products) {
    for (const gfx_target target : both_targets) {
        for (const bool is_bf16 : {false, true}) {
            if (is_bf16 && target == gfx_target::gfx942) {
                continue;
            }
            const auto code = [&](float value) {
                return is_bf16 ? bits(value) >> 16 : uint32_t{half(value)};
            };
            constexpr float factors[2][2] = {{2, 3}, {5, 11}};  // source, half
            constexpr float addend = 128;
            machine m(target);
            for (int s = 0; s < 2; ++s) {
                m.fill(1 + s, code(factors[s][0]) | code(factors[s][1]) << 16);
            }
            m.fill(3, bits(addend));
            for (uint32_t n = 0; n < 32; ++n) {
                const uint32_t neg[] = {n & 7, n >> 3};  // by half
                std::string text =
                    is_bf16 ? "v_dot2_f32_bf16 v0, v1, v2, v3" : "v_dot2_f32_f16 v0, v1, v2, v3";
                float sum = (neg[0] & 4) != 0 ? -addend : addend;
                for (int h = 0; h < 2; ++h) {
                    text += h == 0 ? " neg_lo:[" : " neg_hi:[";
                    for (int s = 0; s < 3; ++s) {
                        text += std::to_string(neg[h] >> s & 1) + (s < 2 ? "," : "]");
                    }
                    const bool is_negative = ((neg[h] ^ neg[h] >> 1) & 1) != 0;
                    const float product = factors[0][h] * factors[1][h];
                    sum += is_negative ? -product : product;
                }
                if (is_bf16 && ((neg[0] | neg[1]) & 4) != 0) {
                    EXPECT_REPORT(m.attempt(text), "whether neg acts on the addend");
                    continue;
                }
                m.run(text);
                EXPECT_EQ(to_float(m.v(0)[7]), sum) << text;
            }
        }
    }
}

TEST(packed, values_of_gfx950) {
    const auto bf16 = [](float low, float high) {
        return bits(low) >> 16 | (bits(high) & 0xffff0000);
    };
    check_cases(gfx_target::gfx950, {{"v_dot2_f32_bf16 v0, v1, v2, v3", bf16(2, 3), bf16(4, 5),
                                      bits(100.0f), bits(123.0f)},
                                     {"v_pk_minimum3_f16 v0, v1, v2, v3", halves(1, 2),
                                      words(0x7e00, half(1)), halves(3, 4), words(0x7e00, half(1))},
                                     {"v_pk_maximum3_f16 v0, v1, v2, v3", halves(1, 2),
                                      halves(5, 1), halves(3, 4), halves(5, 4)}});
}

TEST(packed, f32_pairs) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        const float values[] = {1, 2, 10, 20, 100, 200};
        for (int r = 0; r < 6; ++r) {
            m.fill(2 + r, bits(values[r]));
        }
        m.s(0) = bits(0.5f);
        m.s(1) = bits(0.25f);
        m.run(
            "v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7]\n v_pk_mul_f32 v[10:11], v[2:3], s[0:1]\n"
            "v_pk_add_f32 v[12:13], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,0] neg_lo:[0,1]\n"
            "v_pk_add_f32 v[14:15], v[2:3], 1.0\n v_pk_mov_b32 v[16:17], v[2:3], v[4:5] "
            "op_sel:[1,0]\n"
            "v_pk_mov_b32 v[18:19], s[0:1], s[0:1] op_sel:[0,1]");
        const auto get = [&](int reg) { return to_float(m.v(reg)[17]); };
        EXPECT_EQ(get(8), 110.0f);
        EXPECT_EQ(get(9), 240.0f);
        EXPECT_EQ(get(10), 0.5f);
        EXPECT_EQ(get(11), 0.5f);
        EXPECT_EQ(get(12), -8.0f);
        EXPECT_EQ(get(13), 11.0f);
        EXPECT_EQ(get(14), 2.0f);
        EXPECT_EQ(get(15), 3.0f);
        EXPECT_EQ(get(16), 2.0f);
        EXPECT_EQ(get(17), 10.0f);
        EXPECT_EQ(get(18), 0.5f);
        EXPECT_EQ(get(19), 0.25f);
    }
}

}  // namespace
}  // namespace emu
