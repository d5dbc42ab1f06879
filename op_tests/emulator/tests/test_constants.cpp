// Inline constants by the kind of the operand that reads them. What 1.0 is: in f16 and packed f16
// operands the f16 in the low half, in bf16 ones the bf16, in every other one the bits of the f32.
// Integers are sign-extended to 32 bits. OP_SEL picks halves of that.
#include "machine.hpp"

namespace emu {
namespace {

struct constant {
    const char* text;
    uint32_t f32;
    uint32_t f16;
    uint32_t bf16;
};

constexpr constant constants[] = {
    {"0.5", 0x3f000000, 0x3800, 0x3f00},
    {"-0.5", 0xbf000000, 0xb800, 0xbf00},
    {"1.0", 0x3f800000, 0x3c00, 0x3f80},
    {"-1.0", 0xbf800000, 0xbc00, 0xbf80},
    {"2.0", 0x40000000, 0x4000, 0x4000},
    {"-2.0", 0xc0000000, 0xc000, 0xc000},
    {"4.0", 0x40800000, 0x4400, 0x4080},
    {"-4.0", 0xc0800000, 0xc400, 0xc080},
    {"0.15915494", 0x3e22f983, 0x3118, 0x3e22},
    {"1", 1, 1, 1},
    {"64", 64, 64, 64},
    {"-16", ~15u, ~15u, ~15u},
};

enum class kind { i16, f16, bf16 };

uint32_t dword_of(const constant& c, kind k) {
    return k == kind::i16 ? c.f32 : k == kind::f16 ? c.f16 : c.bf16;
}

// An instruction that reads a constant, and the same one that reads v9, where the constant's dword
// is put. Both have to agree; # stands for the operand.
struct reader {
    kind operand;
    const char* text;
    bool gfx950_only = false;
};

constexpr reader readers[] = {
    {kind::i16, "v_pk_add_u16 v0, v1, #"},
    {kind::i16, "v_pk_add_u16 v0, # , v1 op_sel:[1,0]"},
    {kind::i16, "v_pk_add_i16 v0, v1, # op_sel:[0,1] op_sel_hi:[1,0]"},
    {kind::i16, "v_pk_sub_i16 v0, v1, #"},
    {kind::i16, "v_pk_sub_u16 v0, #, v1 op_sel_hi:[0,1]"},
    {kind::i16, "v_pk_mul_lo_u16 v0, v1, # op_sel:[0,1]"},
    {kind::i16, "v_pk_mad_i16 v0, v1, #, v2"},
    {kind::i16, "v_pk_mad_u16 v0, v1, v2, # op_sel:[0,0,1]"},
    {kind::i16, "v_pk_lshlrev_b16 v0, v1, #"},
    {kind::i16, "v_pk_lshrrev_b16 v0, v1, # op_sel:[0,1]"},
    {kind::i16, "v_pk_ashrrev_i16 v0, v1, #"},
    {kind::i16, "v_pk_max_i16 v0, v1, #"},
    {kind::i16, "v_pk_min_i16 v0, v1, #"},
    {kind::i16, "v_pk_max_u16 v0, v1, # op_sel:[0,1]"},
    {kind::i16, "v_pk_min_u16 v0, v1, #"},
    {kind::f16, "v_pk_add_f16 v0, v1, #"},
    {kind::f16, "v_pk_add_f16 v0, v1, # op_sel:[0,1]"},
    {kind::f16, "v_pk_mul_f16 v0, #, v1 op_sel_hi:[0,1]"},
    {kind::f16, "v_pk_fma_f16 v0, v1, #, v2 neg_lo:[0,1,0]"},
    {kind::f16, "v_pk_min_f16 v0, v1, #"},
    {kind::f16, "v_pk_max_f16 v0, v1, #"},
    {kind::f16, "v_pk_fmac_f16 v0, #, v1"},
    {kind::f16, "v_pk_minimum3_f16 v0, v1, #, v2", true},
    {kind::f16, "v_pk_maximum3_f16 v0, v1, v2, # op_sel_hi:[1,1,0]", true},
    {kind::f16, "v_dot2_f32_f16 v0, v1, #, v2"},
    {kind::f16, "v_dot2c_f32_f16 v0, #, v1"},
    {kind::bf16, "v_dot2_f32_bf16 v0, v1, #, v2", true},
    {kind::bf16, "v_dot2c_f32_bf16 v0, #, v1", true},
    {kind::i16, "v_dot2_i32_i16 v0, v1, #, v2"},
    {kind::i16, "v_dot2_u32_u16 v0, #, v1, v2"},
    {kind::i16, "v_dot2c_i32_i16 v0, #, v1"},
    {kind::i16, "v_dot4_i32_i8 v0, v1, #, v2"},
    {kind::i16, "v_dot4_u32_u8 v0, v1, #, v2"},
    {kind::i16, "v_dot4c_i32_i8 v0, #, v1"},
    {kind::i16, "v_dot8_i32_i4 v0, v1, #, v2"},
    {kind::i16, "v_dot8_u32_u4 v0, v1, #, v2"},
    {kind::f16, "v_fma_mix_f32 v0, v1, #, v2 op_sel_hi:[0,1,0]"},
    {kind::f16, "v_fma_mix_f32 v0, v1, #, v2 op_sel:[0,1,0] op_sel_hi:[0,1,0]"},
    {kind::i16, "v_fma_mix_f32 v0, v1, #, v2"},
    {kind::i16, "v_add_u16 v0, #, v1"},
    {kind::i16, "v_sub_u16 v0, #, v1"},
    {kind::i16, "v_mul_lo_u16 v0, #, v1"},
    {kind::i16, "v_lshlrev_b16 v0, #, v1"},
    {kind::i16, "v_max_i16 v0, #, v1"},
    {kind::i16, "v_add_i16 v0, v1, #"},
    {kind::i16, "v_mad_u16 v0, v1, v2, #"},
    {kind::i16, "v_mad_legacy_i16 v0, v1, v2, #"},
    {kind::i16, "v_mad_i32_i16 v0, v1, #, v2"},
    {kind::i16, "v_med3_u16 v0, v1, #, v2"},
    {kind::i16, "v_cvt_f16_u16 v0, #"},
    {kind::i16, "v_bitop3_b16 v0, v1, #, v2 bitop3:0x96", true},
    {kind::f16, "v_add_f16 v0, #, v1"},
    {kind::f16, "v_fma_f16 v0, v1, #, v2"},
    {kind::f16, "v_cvt_f32_f16 v0, #"},
    {kind::f16, "v_pack_b32_f16 v0, #, v1"},
    {kind::f16, "v_cvt_pknorm_i16_f16 v0, v1, #"},
    {kind::bf16, "v_cvt_f32_bf16 v0, #", true},
    {kind::bf16, "v_cvt_scalef32_pk_fp8_bf16 v0, #, v3", true},
    {kind::f16, "v_cvt_scalef32_pk_fp8_f16 v0, #, v3", true},
    {kind::f16, "v_cvt_scalef32_sr_fp8_f16 v0, #, v1, v3", true},
};

std::string with(const reader& r, const std::string& operand) {
    std::string text = r.text;
    return text.replace(text.find('#'), 1, operand);
}

TEST(constants, are_read_by_the_kind_of_the_operand) {
    for (const gfx_target target : both_targets) {
        for (const reader& r : readers) {
            if (r.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            for (const constant& c : constants) {
                const auto result = [&](const std::string& operand) {
                    machine m(target);
                    m.fill(0, 0x3e8041c0u);
                    m.fill(1, [](uint32_t l) { return 0x3c014005u + l * 0x00810403u; });
                    m.fill(2, 0x41203d80u);
                    m.fill(3, 0x3f800000u);
                    m.fill(9, dword_of(c, r.operand));
                    m.run(with(r, operand));
                    return m.v(0).lane;
                };
                EXPECT_EQ(result(c.text), result("v9"))
                    << with(r, c.text) << " on " << name_of(target);
            }
        }
    }
}

// By values that were written down by hand: the constants of isa.md's examples.
TEST(constants, values) {
    machine m(gfx_target::gfx950);
    m.s(0) = 0x00010002;
    m.fill(1, 0x3c003c00u);
    m.fill(3, 0u);
    m.fill(4, 0x3f803f80u);
    m.run(
        "v_pk_add_u16 v10, s0, 2.0\n v_dot2_f32_f16 v11, v1, 0.5, v3\n"
        "v_pk_add_u16 v12, s0, 2.0 op_sel:[0,1] op_sel_hi:[1,1]\n"
        "v_dot2_f32_bf16 v13, v4, 2.0, v3\n v_pk_add_u16 v14, s0, -1 op_sel:[0,1]\n"
        "v_cvt_f32_bf16 v15, 4.0");
    EXPECT_EQ(m.v(10)[0], 0x40010002u);
    EXPECT_EQ(m.v(11)[0], bits(0.5f));
    EXPECT_EQ(m.v(12)[0], 0x40014002u);
    EXPECT_EQ(m.v(13)[0], bits(2.0f));
    EXPECT_EQ(m.v(14)[0], 0x00000001u);
    EXPECT_EQ(m.v(15)[0], bits(4.0f));
}

TEST(constants, of_16_bit_integers_with_op_sel) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.fill(1, 3u);
        m.run(
            "v_add_i16 v2, 2.0, v1\n v_add_i16 v3, 2.0, v1 op_sel:[1,0,0]\n"
            "v_mad_u16 v4, v1, 1, 0.5 op_sel:[0,0,1,0]\n v_add_i16 v5, -1, v1 op_sel:[1,0,0]");
        EXPECT_EQ(m.v(2)[0], 3u);
        EXPECT_EQ(m.v(3)[0], 0x4003u);
        EXPECT_EQ(m.v(4)[0], 0x3f03u);
        EXPECT_EQ(m.v(5)[0], 2u);
    }
}

// A literal of a 16-bit operand is what it says, also where it looks like a constant's f16.
TEST(constants, literals) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.fill(1, 3u);
        m.run(".long 0x4c0002ff, 0x00004000\n v_mov_b32 v2, v0\n v_add_f16 v0, 0x4001, v1");
        EXPECT_EQ(m.v(2)[0], 0x4003u);
        EXPECT_EQ(m.v(0)[0], 0x4001u);
    }
}

}  // namespace
}  // namespace emu
