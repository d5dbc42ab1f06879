// The checks `nan` and `range`, which tell what may be right.
#include <gmock/gmock.h>

#include <bit>

#include "twins.hpp"

namespace emu {
namespace {

// Sets all lanes of a register to a number.
std::string set(int reg, float value) {
    return "v_mov_b32 v" + std::to_string(reg) + ", " +
           std::to_string(std::bit_cast<uint32_t>(value)) + "\n";
}

std::string set_bits(int reg, uint32_t value) {
    return "v_mov_b32 v" + std::to_string(reg) + ", " + std::to_string(value) + "\n";
}

std::string set_all(int first, int last, uint32_t value) {
    std::string text;
    for (int reg = first; reg <= last; ++reg) {
        text += set_bits(reg, value);
    }
    return text;
}

constexpr uint32_t infinity = 0x7f800000;
constexpr uint32_t nan = 0x7fc00000;

std::vector<twin> nan_twins() {
    constexpr auto on = check::nan;
    const std::string scaled =
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[4:7], v[8:15], v[16:23], 0, v24, v24";
    const std::string divide =
        "v_div_scale_f32 v10, vcc, v8, v8, v9\n v_rcp_f32 v11, v10\n"
        "v_div_fixup_f32 v12, v11, v8, v9";
    const std::string wait = "s_nop 7\ns_nop 7\ns_nop 7\n";
    const std::string large = set_bits(8, 0x85ebc8a0) + set_bits(9, 0x7fe1ccf3);  // 1e308
    const std::string in_lane_5 = "s_mov_b64 exec, 32\n";
    const std::string all_lanes = "s_mov_b64 exec, -1\n";
    return {
        {"the reciprocal of 0", on, set(8, 0) + "v_rcp_f32 v9, v8", set(8, 2) + "v_rcp_f32 v9, v8",
         "lane 0: an infinity from operands without one: v9 = inf of v8 = 0.*check +nan"},
        {"a division", on, set(8, 0) + set(9, -7) + divide, set(8, 1) + set(9, 0) + divide,
         "an infinity .*: v12 = -inf of v8 = 0, v9 = -7"},
        {"infinity minus infinity", on, set_bits(8, infinity) + "v_sub_f32 v9, v8, v8",
         set_bits(8, nan) + "v_sub_f32 v9, v8, v8", "a NaN .*v9 = -?nan of v8 = inf, v8 = inf"},
        {"infinity stays infinity", on, set(8, 3e38f) + "v_add_f32 v9, v8, v8",
         set_bits(8, infinity) + "v_add_f32 v9, v8, v8", "an infinity.*v8 = 3\\.0+1e\\+38"},
        {"one lane", on, "v_cvt_f32_u32 v8, v0\n v_add_f32 v8, -7.0, v8\n v_rcp_f32 v9, v8",
         "v_cvt_f32_u32 v8, v0\n v_add_f32 v8, 0.5, v8\n v_rcp_f32 v9, v8", "lane 7: an infinity"},
        {"a lane that is off", on,
         set(8, 0) + "s_mov_b64 exec, 1\n v_mov_b32 v8, 1.0\n s_mov_b64 exec, 2\n v_rcp_f32 v9, v8",
         set(8, 0) + "s_mov_b64 exec, 1\n v_mov_b32 v8, 1.0\n v_rcp_f32 v9, v8", "lane 1: "},
        {"added to", on, set(8, 3e38f) + set(9, 3e38f) + "v_fmac_f32 v9, 1.0, v8",
         set(8, 3e38f) + set_bits(9, infinity) + "v_fmac_f32 v9, 1.0, v8", "v9 = inf"},
        {"f16 by a conversion", on, set(8, 70000) + "v_cvt_f16_f32 v9, v8",
         set(8, 60000) + "v_cvt_f16_f32 v9, v8", "v9 = inf 0 of v8 = 70000"},
        {"two halves", on, set_bits(8, 0x7bff0000) + "v_pk_add_f16 v9, v8, v8",
         set_bits(8, 0x7c000000) + "v_pk_add_f16 v9, v8, v8", "an infinity"},
        {"bf16 of large numbers", on, set_bits(8, 0x7f7fffff) + "v_cvt_pk_bf16_f32 v9, v8, v8",
         set(8, 1) + "v_cvt_pk_bf16_f32 v9, v8, v8", "an infinity", 1, true},
        {"f64", on, set_bits(8, 0) + set_bits(9, 0) + "v_rcp_f64 v[10:11], v[8:9]",
         set_bits(8, 0) + set_bits(9, 0x3ff00000) + "v_rcp_f64 v[10:11], v[8:9]", "an infinity"},
        {"f64 below 0", on, set_bits(8, 0) + set_bits(9, 0x80000000) + "v_rcp_f64 v[10:11], v[8:9]",
         set_bits(8, 0) + set_bits(9, 0xfff00000) + "v_add_f64 v[10:11], v[8:9], v[8:9]",
         "v\\[10:11\\] = -inf of v\\[8:9\\] = -0"},
        {"f64 and a constant", on, large + "v_mul_f64 v[10:11], v[8:9], 4.0",
         large + "v_mul_f64 v[10:11], v[8:9], 0.5",
         "v\\[10:11\\] = inf of v\\[8:9\\] = 1e\\+308, constant = 4\n"},
        {"f64 in SGPRs", on,
         large + "s_mov_b32 s8, 0\n s_mov_b32 s9, 0x40100000\n"
                 "v_mul_f64 v[10:11], s[8:9], v[8:9]",
         large + "s_mov_b32 s8, 0\n s_mov_b32 s9, 0x7ff00000\n v_mul_f64 v[10:11], s[8:9], v[8:9]",
         "v\\[10:11\\] = inf of s\\[8:9\\] = 4, v\\[8:9\\] = 1e\\+308\n"},
        {"f32 and a constant", on, set(8, 3e38f) + "v_mul_f32 v9, 4.0, v8",
         set_bits(8, infinity) + "v_mul_f32 v9, 4.0, v8", "v9 = inf of constant = 4, v8 = "},
        {"f32 in an SGPR", on, set(8, 3e38f) + "s_mov_b32 s8, 2.0\n v_mul_f32 v9, s8, v8",
         set(8, 3e38f) + "s_mov_b32 s8, 0x7f800000\n v_mul_f32 v9, s8, v8",
         "v9 = inf of s8 = 2, v8 = "},
        {"f16 and a constant", on, set_bits(8, 0x7bff) + "v_mul_f16 v9, 4.0, v8",
         set_bits(8, 0x7c00) + "v_mul_f16 v9, 4.0, v8",
         "v9 = inf 0 of constant = 4 0, v8 = 65504 0"},
        {"of an integer", on, set_bits(8, 65535) + "v_cvt_f16_u16 v9, v8",
         set_bits(8, 65504) + "v_cvt_f16_u16 v9, v8", "v9 = inf 0 of v8 = 0xffff\n"},
        {"infinity of another lane", on, set(8, 3e38f) + "v_add_f32_dpp v9, v8, v8 row_shr:1",
         set(8, 1) + in_lane_5 + set_bits(8, infinity) + all_lanes +
             "v_add_f32_dpp v9, v8, v8 row_shr:1",
         "an infinity"},
        {"a NaN of another lane", on, set(8, 3e38f) + "v_add_f32_dpp v9, v8, v8 row_shr:1",
         set(8, 1) + in_lane_5 + set_bits(8, nan) + all_lanes +
             "v_add_f32_dpp v9, v8, v8 row_shr:1",
         "an infinity"},
        {"infinity in a matrix", on,
         set(8, 3e38f) + set(9, 10) + wait + "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         set(8, 1) + set(9, 10) + in_lane_5 + set_bits(8, infinity) + all_lanes + wait +
             "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         "an infinity"},
        {"matrices in AGPRs", on,
         set(8, 3e38f) + set(9, 10) + "v_accvgpr_write_b32 a8, v8\n" + wait +
             "v_mfma_f32_16x16x4_f32 a[12:15], a8, v9, 0",
         set_bits(8, infinity) + set(9, 10) + "v_accvgpr_write_b32 a8, v8\n" + wait +
             "v_mfma_f32_16x16x4_f32 a[12:15], a8, v9, 0",
         "in D.0..0.: a\\[12:15\\] = inf inf inf inf of a8 = 3\\.0+1e\\+38, v9 = 10"},
        // Row 2 of A is large: in lane 0 the third register of D has it first.
        {"one row of a matrix", on,
         set(8, 1) + "s_mov_b64 exec, 4\n" + set(8, 3e38f) + all_lanes + set(9, 10) + wait +
             "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         set(8, 1) + set(9, 10) + wait + "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         "lane 0: an infinity from operands without one, in D.2..0.: v\\[12:15\\] = 40 40 inf 40 "
         "of"},
        {"comparisons have no numbers as results", on, set(8, 0) + "v_rcp_f32 v9, v8",
         set(8, 3e38f) + "v_cmp_lt_f32 vcc, v8, v8\n v_frexp_exp_i32_f32 v9, v8\n"
                         "v_cvt_i32_f32 v10, v8",
         "an infinity"},
        {"f16 sources of a mixed sum", on,
         set_bits(8, 0x7bff) + set(9, 3e38f) + "v_fma_mix_f32 v10, v8, v9, v9 op_sel_hi:[1,0,0]",
         set_bits(8, 0x7e00) + set(9, 1) + "v_fma_mix_f32 v10, v8, v9, v9 op_sel_hi:[1,0,0]",
         "an infinity"},
        {"integers have none", on, set(8, 0) + "v_rcp_f32 v9, v8",
         set_bits(8, 0x7fbfffff) + "v_add_u32 v9, 0x400000, v8", "an infinity"},
        {"a matrix instruction", on,
         set(8, 3e38f) + set(9, 10) + wait + "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         set(8, 3e30f) + set(9, 10) + wait + "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         "lane 0: an infinity from operands without one, in D.0..0.: v\\[12:15\\] = inf inf inf "
         "inf of v8 = "
         "3\\.0+1e\\+38, v9 = 10"},
        {"matrices of fp8 with large scales", on,
         set_all(8, 23, 0x38383838) + set_bits(24, 254) + wait + scaled,
         set_all(8, 22, 0x38383838) + set_bits(23, 0x7f383838) + set_bits(24, 254) + wait + scaled,
         "an infinity from operands without one, in D.0..0.: v\\[4:7\\] = inf inf inf inf of "
         "v\\[8:15\\] = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \\.\\.\\., v",
         1, true},
        {"a NaN of fp8 among the operands", on,
         set(8, 3e38f) + set(9, 10) + wait + "v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, 0",
         set_bits(8, 0x80) + set_bits(9, 0x7f) + wait +
             "v_mfma_f32_16x16x32_fp8_fp8 v[16:19], v[8:9], v[8:9], 0",
         "an infinity"},
    };
}

TEST(nan_check, twins) {
    check_twins("nan", nan_twins());
}

// Conversions to small types and integers: from a number that makes a NaN or an infinity, and from a
// NaN where the type has none, against a number that the type has. v8 is f32, v9 has random bits or a
// byte's number, v10 the scale 1; halves of v11 and v13 are f16 and bf16.
struct conversion {
    const char* source;
    uint32_t bad;  // of v8, v11, v[12:13]
    uint32_t good;
    const char* report;
    bool gfx942 = true;
    bool gfx950 = true;
};

constexpr uint32_t of(float value) {
    return std::bit_cast<uint32_t>(value);
}

std::vector<conversion> conversions() {
    const char* made = "a NaN from operands without one: v";
    const char* grown = "an infinity from operands without one: v";
    const char* lost = "a NaN is lost by a conversion to what has none: v";
    const uint32_t f16_nan = 0x3c007e00;       // 1 and a NaN
    const uint32_t f16_nan_high = 0x7e003c00;  // no part of one f16
    const uint32_t f16_one = 0x3c003c00;
    const uint32_t bf16_nan = 0x7fc03f80;
    const uint32_t bf16_one = 0x3f803f80;
    return {
        // The largest fp8 is 240 on gfx942 and 448 on gfx950, the largest bf8 57344.
        {"v_cvt_pk_fp8_f32 v20, v8, v8", of(448), of(240), made, true, false},
        {"v_cvt_pk_fp8_f32 v20, v8, v8", of(1000), of(448), made, false, true},
        {"v_cvt_sr_fp8_f32 v20, v8, v9", of(1000), of(200), made},
        {"v_cvt_sr_fp8_f32 v20, v8, v9 op_sel:[0,0,1,1]", of(1000), of(200), made},
        {"v_cvt_pk_bf8_f32 v20, v8, v8", of(1e6f), of(50000), made, true, false},
        {"v_cvt_pk_bf8_f32 v20, v8, v8", of(1e6f), of(50000), grown, false, true},
        {"v_cvt_sr_bf8_f32 v20, v8, v9", of(1e6f), of(50000), made, true, false},
        // A NaN stays one, whatever the random bits are.
        {"v_cvt_sr_fp8_f32 v20, v8, v9", of(1000), nan, made},
        {"v_cvt_pk_fp8_f32 v20, v8, v8", of(1000), nan, made},
        {"v_cvt_i32_f32 v20, v8", nan, infinity, lost},
        {"v_cvt_u32_f32 v20, v8", nan, of(-1), lost},
        {"v_cvt_rpi_i32_f32 v20, v8", nan, of(1), lost},
        {"v_cvt_flr_i32_f32 v20, v8", nan, of(1), lost},
        {"v_cvt_pk_u8_f32 v20, v8, v9, v9", nan, of(1), lost},
        {"v_cvt_pknorm_i16_f32 v20, v10, v8", nan, of(1), lost},
        {"v_cvt_pknorm_u16_f32 v20, v8, v10", nan, of(1), lost},
        {"v_cvt_i32_f64 v20, v[12:13]", 0x7ff80000, 0x3ff00000, lost},
        {"v_cvt_u32_f64 v20, v[12:13]", 0x7ff80000, 0x3ff00000, lost},
        {"v_cvt_i16_f16 v20, v11", f16_nan, f16_nan_high, lost},
        {"v_cvt_u16_f16 v20, v11", f16_nan, f16_nan_high, lost},
        {"v_cvt_norm_i16_f16 v20, v11", f16_nan, f16_nan_high, lost},
        {"v_cvt_norm_u16_f16 v20, v11", f16_nan, f16_one, lost},
        {"v_cvt_pknorm_i16_f16 v20, v14, v11", f16_nan, f16_one, lost},
        {"v_cvt_scalef32_pk_fp4_f32 v20, v8, v8, v10", nan, of(100), lost, false},
        {"v_cvt_scalef32_pk_fp4_f16 v20, v11, v10", f16_nan_high, f16_one, lost, false},
        {"v_cvt_scalef32_pk_fp4_bf16 v20, v11, v10", bf16_nan, bf16_one, lost, false},
        {"v_cvt_scalef32_sr_pk_fp4_f32 v20, v[12:13], v9, v10", nan, of(1), lost, false},
        {"v_cvt_scalef32_pk32_fp6_f16 v[20:25], v[32:47], v10", f16_nan, f16_one, lost, false},
        {"v_cvt_scalef32_pk32_bf6_bf16 v[20:25], v[32:47], v10", bf16_nan, bf16_one, lost, false},
        {"v_cvt_scalef32_2xpk16_fp6_f32 v[20:25], v[48:63], v[32:47], v10", nan, of(1), lost,
         false},
        {"v_cvt_scalef32_sr_pk32_fp6_f16 v[20:25], v[32:47], v9, v10", f16_nan, f16_one, lost,
         false},
        {"v_cvt_scalef32_pk_fp8_f32 v20, v8, v8, v10", of(1e6f), of(1), made, false},
        {"v_cvt_scalef32_pk_fp8_f16 v20, v11, v10", 0x7bff7bff, f16_one, made, false},
        {"v_cvt_scalef32_sr_bf8_f32 v20, v8, v9, v10", of(1e6f), of(1), grown, false},
        // Results of fp4 are no f32, nor are sources.
        {"v_cvt_f32_f16 v20, v11\n v_cvt_scalef32_pk_f32_fp4 v[20:21], v9, v10\n"
         "v_cvt_i32_f32 v20, v8",
         nan, of(1), lost, false},
    };
}

TEST(nan_check, conversions_to_small_types) {
    for (const gfx_target target : both_targets) {
        for (const conversion& c : conversions()) {
            if (target == gfx_target::gfx942 ? !c.gfx942 : !c.gfx950) {
                continue;
            }
            const auto run = [&](uint32_t value, uint32_t checks) {
                run_kernel(target,
                           set_all(14, 63, 0) + set_bits(9, 0x7fffffff) + set(10, 1) +
                               set_bits(8, value) + set_bits(11, value) + set_bits(12, 0) +
                               set_bits(13, value) + set_bits(40, value) + c.source,
                           1, checks);
            };
            SCOPED_TRACE(std::string(name_of(target)) + ": " + c.source);
            EXPECT_REPORT(run(c.bad, check::nan), std::string("lane 0: ") + c.report + ".*20");
            EXPECT_NO_REPORT(run(c.good, check::nan));
            EXPECT_NO_REPORT(run(c.bad, check::none));
        }
    }
}

// Each byte of each lane. The NaN of fp8 is 0x80 on gfx942 and 0x7f on gfx950, each a number on the
// other one; bf8 has infinities on gfx950 alone.
TEST(nan_check, small_floats) {
    for (const gfx_target target : both_targets) {
        const bool is_gfx950 = target == gfx_target::gfx950;
        const auto converts = [&](const char* type, uint32_t value, int byte, int lane) {
            run_kernel(target,
                       set_bits(8, 0) + "s_lshl_b64 exec, 1, " + std::to_string(lane) + "\n" +
                           set_bits(8, value << 8 * byte) + "v_cvt_f32_" + type +
                           "_sdwa v9, v8 src0_sel:BYTE_" + std::to_string(byte),
                       1, check::nan);
        };
        for (const int byte : {0, 1, 2, 3}) {
            for (const int lane : {0, 63}) {
                EXPECT_NO_REPORT(converts("fp8", is_gfx950 ? 0x7f : 0x80, byte, lane));
                EXPECT_NO_REPORT(converts("bf8", is_gfx950 ? 0x7f : 0x80, byte, lane));
                EXPECT_NO_REPORT(converts("bf8", 0x7c, byte, lane));
                EXPECT_NO_REPORT(converts("bf8", 0xfc, byte, lane));
            }
        }
    }
}

// ---- range ----

TEST(range_check, counts_lanes) {
    for (const gfx_target target : both_targets) {
        const std::string load = "buffer_load_dword v3, v1, s[4:7], 0 offen\n";
        const std::string wide = "buffer_store_dwordx2 v[4:5], v1, s[4:7], 0 offen\n";
        const std::string size = "s_movk_i32 s6, ";
        const auto counted = [&](const std::string& source, const char* what,
                                 uint32_t checks = check::range) {
            const outcome printed = outcome_of([&] {
                kernel_run run(target, source, 1, checks);
                run.run();
                run.end_launch();
                run.end_launch();  // of the next one, which has none
            });
            EXPECT_EQ(printed.status, 0) << source;
            EXPECT_THAT(printed.text, ::testing::ContainsRegex(what)) << source;
        };
        counted(size + "40\n" + load, "kernel: accesses outside.* 64 +54 +0  buffer_load_dword v3");
        // Lane 9 writes 4 of its 8 bytes.
        counted(size + "40\n" + wide, " 64 +55 +0  buffer_store_dwordx2");
        counted(size + "0\n" + load, " 64 +64 +1  buffer_load_dword");
        counted(size + "40\n s_mov_b64 exec, 0xfff\n" + load + load,
                " 12 +2 +0 .* 12 +2 +0  buffer_load");
        counted(size + "40\n s_mov_b32 s9, 2\n2:\n" + load +
                    "s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 2b\n",
                " 128 +108 +0  buffer_load");
        counted(size + "40\n" + load,
                "^opus emulator: kernel: [^\n]*\n[^\n]*\n[^\n]*buffer_load_dword v3[^\n]*\n$");
        counted(load, "^$");
        counted(size + "40\n" + load, "^$", check::waits);
        counted(size + "40\n s_mov_b32 m0, 0\n buffer_load_dword v1, s[4:7], 0 offen lds\n",
                " 64 +54 +0  buffer_load_dword v1.* lds");
    }
}

}  // namespace
}  // namespace emu
