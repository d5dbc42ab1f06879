// Wait states: for each row of the guide's tables a pair of instructions with one state too few,
// which must be reported, and one with just enough; pairs that need none; and kernels written by
// hand of which every s_nop is needed.
//
// The states are those of tables 11 and 38 of the CDNA4 guide and their counterparts in the CDNA3
// guide.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "docs.hpp"
#include "linted.hpp"
#include "twins.hpp"

namespace emu {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string nops(int states) {
    std::string text;
    for (; states > 0; states -= 16) {
        text += "s_nop " + std::to_string(std::min(states, 16) - 1) + "\n";
    }
    return text;
}

struct pair_of_instructions {
    std::string first;
    std::string second;
    int gfx942;  // states that are needed; 0: the target has no such instruction
    int gfx950;
    const char* text;  // a part of the report
};

// ---- pairs ----

const std::string compare = "v_cmp_eq_u32 vcc, v0, v0";
const std::string compare_exec = "v_cmpx_eq_u32 vcc, v0, v0";
const std::string to_scalar = "v_readfirstlane_b32 s8, v0";
const std::string move = "v_mov_b32 v8, v0";
const std::string read = "v_mov_b32 v60, v8";
const std::string write = "v_mov_b32 v8, v0";
const std::string to_lds = "ds_write_b32 v1, v8";
const std::string load = "global_load_dword v8, v1, s[0:1]";
const std::string set_m0 = "s_mov_b32 m0, 0";
const std::string set_mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3";
const std::string zero_address = "v_mov_b32 v3, 0\n s_nop 4\n";

std::vector<pair_of_instructions> scalar_pairs() {
    return {
        {set_mode, "s_getreg_b32 s8, hwreg(HW_REG_MODE)", 2, 2,
         "s_getreg reads what s_setreg writes"},
        {set_mode, set_mode, 2, 2, "s_setreg writes what s_setreg writes"},
        {set_m0, "ds_read_addtid_b32 v8", 1, 1, "M0 of an LDS instruction"},
        {set_m0, "ds_write_addtid_b32 v0", 1, 1, "M0 of an LDS instruction"},
        {set_m0, "buffer_load_dword v1, s[4:7], 0 offen lds", 1, 1, "M0 of an LDS instruction"},
        {set_m0, "global_load_lds_dword v1, s[0:1]", 1, 1, "M0 of an LDS instruction"},
        {set_m0, "s_movrels_b32 s9, s8", 1, 1, "M0 of s_movrel is"},
        {set_m0, "s_movreld_b32 s9, s8", 1, 1, "M0 of s_movrel is"},
    };
}

std::vector<pair_of_instructions> vector_pairs() {
    const std::string shift =
        "v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
        "src1_sel:DWORD";
    const char* shifted = "reads what SDWA or OPSEL writes into a part of a register";
    const char* overwrites = "overwrites what a wide store writes to memory";
    const char* overwrites_by_offset =
        "a vector instruction overwrites what a wide buffer store with a scalar offset";
    const char* trans = "reads what a transcendental one writes";
    const char* overwrites_by_matrix = "a matrix instruction overwrites what a wide store";
    const std::string byte_1 = "v_cvt_sr_fp8_f32 v8, v0, v1 op_sel:[0,0,1,0]";
    const std::string byte_2 = "v_cvt_sr_fp8_f32 v8, v0, v1 op_sel:[0,0,0,1]";
    const std::string fp4_byte_0 = "v_cvt_scalef32_sr_pk_fp4_f32 v8, v[0:1], v0, v1";
    const std::string write_lane = "v_writelane_b32 v8, 1, 3";
    const std::string keep_word_1 =
        "v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD "
        "src1_sel:DWORD";
    return {
        {compare, "v_mov_b32 v8, src_vccz", 5, 5, "reads VCCZ after one that writes VCC"},
        {compare_exec, "v_mov_b32 v8, src_execz", 5, 5, "reads EXECZ after one that writes EXEC"},
        {to_scalar, "v_readlane_b32 s9, v1, s8", 4, 4, "the number of a lane is what"},
        {to_scalar, "v_writelane_b32 v8, 1, s8", 4, 4, "the number of a lane is what"},
        {"v_readlane_b32 s8, v0, 3", "v_readlane_b32 s9, v1, s8", 4, 4,
         "the number of a lane is what"},
        {compare, "v_div_fmas_f32 v8, v0, v0, v0", 4, 4, "v_div_fmas reads the VCC that"},
        {"v_div_scale_f32 v8, vcc, v0, v0, v0", "v_div_fmas_f32 v9, v0, v0, v0", 4, 4,
         "v_div_fmas reads the VCC that"},
        {"v_readfirstlane_b32 vcc_lo, v0", "v_div_fmas_f32 v9, v0, v0, v0", 4, 4,
         "v_div_fmas reads the VCC that"},
        {"v_readfirstlane_b32 vcc_hi, v0", "v_div_fmas_f32 v9, v0, v0, v0", 4, 4,
         "v_div_fmas reads the VCC that"},
        {zero_address + "global_store_dwordx4 v3, v[8:11], s[0:1]", "v_mov_b32 v11, 0", 2, 2,
         overwrites},
        {zero_address + "global_store_dwordx3 v3, v[8:10], s[0:1]", "v_mov_b32 v10, 0", 2, 2,
         overwrites},
        {zero_address + "buffer_store_dwordx4 v[8:11], v3, s[4:7], 0 offen", "v_mov_b32 v8, 0", 2,
         2, overwrites},
        {zero_address + "global_atomic_cmpswap_x2 v3, v[8:11], s[0:1]", "v_mov_b32 v9, 0", 2, 2,
         overwrites},
        {zero_address + "global_atomic_cmpswap_x2 v[20:21], v3, v[8:11], s[0:1] sc0",
         "v_mov_b32 v9, 0", 2, 2, overwrites},
        {"v_mov_b32 v6, s0\n v_mov_b32 v7, s1\n flat_store_dwordx4 v[6:7], v[8:11]",
         "v_mov_b32 v9, 0", 2, 2, overwrites},
        {"scratch_store_dwordx4 off, v[8:11], off", "v_mov_b32 v9, 0", 2, 2, overwrites},
        {zero_address + "global_store_dwordx4 v3, v[8:11], s[0:1]",
         "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0", 2, 2, overwrites_by_matrix},
        {zero_address + "buffer_store_dwordx3 v[8:10], v3, s[4:7], 0 offen",
         "v_mfma_f64_4x4x4_4b_f64 v[10:11], v[0:1], v[0:1], 0", 2, 2, overwrites_by_matrix},
        {zero_address + "s_mov_b32 s8, 0\n buffer_store_dwordx4 v[8:11], v3, s[4:7], s8 offen",
         "v_mov_b32 v11, 0", 1, 1, overwrites_by_offset},
        {zero_address + "s_mov_b32 s8, 0\n buffer_store_dwordx3 v[8:10], v3, s[4:7], s8 offen",
         "v_pk_mul_f32 v[8:9], v[0:1], v[0:1]", 1, 1, overwrites_by_offset},
        {"s_mov_b32 m0, 0\n buffer_store_dwordx4 v[8:11], off, s[4:7], m0", "v_mov_b32 v8, 0", 1, 1,
         overwrites_by_offset},
        {zero_address + "s_mov_b32 s8, 0\n buffer_atomic_cmpswap_x2 v[8:11], v3, s[4:7], s8 offen",
         "v_mov_b32 v9, 0", 1, 1, overwrites_by_offset},
        {zero_address + "s_mov_b32 s8, 0\n buffer_store_dwordx4 v[8:11], v3, s[4:7], s8 offen",
         "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0", 1, 1,
         "a matrix instruction overwrites what a wide buffer store with a scalar offset"},
        {zero_address + "buffer_store_dwordx3 v[8:10], v3, s[4:7], 16 offen", "v_mov_b32 v8, 0", 2,
         2, overwrites},
        {to_scalar, "buffer_load_dword v8, v1, s[4:7], s8 offen", 5, 5,
         "reads the scalar register that a vector instruction writes"},
        {"v_readfirstlane_b32 s6, v1", "buffer_load_dword v8, v1, s[4:7], 0 offen", 5, 5,
         "reads the scalar register that a vector instruction writes"},
        {"v_mov_b32 v9, s1\n s_nop 4\n v_readfirstlane_b32 s1, v9",
         "global_load_dword v8, v1, s[0:1]", 5, 5,
         "reads the scalar register that a vector instruction writes"},
        {move, "v_mov_b32_dpp v60, v8 row_shr:1 row_mask:0xf bank_mask:0xf", 2, 2,
         "DPP reads what"},
        // The old value stays where no lane is read, and in rows and banks that are masked.
        {move, "v_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xf bank_mask:0xf", 2, 2, "DPP reads what"},
        {move, "v_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xa bank_mask:0xf bound_ctrl:1", 2, 2,
         "DPP reads what"},
        {move, "v_add_u32_dpp v8, v0, v1 row_ror:1 row_mask:0xf bank_mask:0x3 bound_ctrl:1", 2, 2,
         "DPP reads what"},
        {compare_exec, "v_mov_b32_dpp v60, v0 row_shr:1 row_mask:0xf bank_mask:0xf", 5, 5,
         "DPP after a vector instruction that writes EXEC"},
        {to_scalar, "v_mov_b32 v8, s8", 2, 2, "reads the scalar register that one writes"},
        {compare, "v_mov_b32 v8, vcc_lo", 2, 2, "reads the scalar register that one writes"},
        {"v_add_co_u32 v8, vcc, v0, v1", "v_add_u32 v9, vcc_lo, v0", 2, 2,
         "reads the scalar register that one writes"},
        {to_scalar, "v_writelane_b32 v8, s8, 3", 2, 2, "reads the scalar register that one writes"},
        {compare_exec, "v_mov_b32 v8, exec_lo", 2, 2, "reads the EXEC that one writes"},
        {compare_exec, "v_readlane_b32 s8, v0, 3", 4, 4, "a lane is accessed after"},
        {compare_exec, "v_readfirstlane_b32 s8, v0", 4, 4, "a lane is accessed after"},
        {compare_exec, "v_writelane_b32 v8, 1, 3", 4, 4, "a lane is accessed after"},
        {move, "v_readlane_b32 s8, v8, 3", 1, 1, "a lane is read of what"},
        {move, "v_readfirstlane_b32 s8, v8", 1, 1, "a lane is read of what"},
        {shift, read, 1, 1, shifted},
        {"v_mad_u16 v8, v0, v1, v0 op_sel:[0,0,0,1]", read, 1, 1, shifted},
        {"v_cvt_pk_fp8_f32 v8, v0, v1 op_sel:[0,0,1]", read, 1, 1, shifted},
        // What keeps a part of its destination reads it.
        {byte_1, byte_2, 1, 1, shifted},
        {byte_1, write_lane, 1, 1, shifted},
        {shift, keep_word_1, 1, 1, shifted},
        {shift, "v_fma_mixhi_f16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_fma_mixlo_f16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_cvt_pk_fp8_f32 v8, v0, v1", 1, 1, shifted},
        {shift, "v_mad_u16 v8, v0, v1, v0 op_sel:[0,0,0,1]", 1, 1, shifted},
        {shift, "v_mad_u16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_mad_i16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_mad_f16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_fma_f16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_div_fixup_f16 v8, v0, v1, v0", 1, 1, shifted},
        {shift, "v_cvt_pkaccum_u8_f32 v8, v0, v1", 1, 1, shifted},
        {shift, "v_ashr_pk_i8_i32 v8, v0, v1, v0", 0, 1, shifted},
        {shift, "v_ashr_pk_u8_i32 v8, v0, v1, v0", 0, 1, shifted},
        {fp4_byte_0, read, 0, 1, shifted},
        {byte_1, fp4_byte_0, 0, 1, shifted},
        {byte_1, "v_cvt_scalef32_pk_fp8_f32 v8, v0, v1, v0", 0, 1, shifted},
        {byte_1, "v_cvt_scalef32_f16_fp8 v8, v0, v1", 0, 1, shifted},
        {"v_rcp_f32 v8, v0", write_lane, 1, 1, trans},
        {"v_rcp_f32 v8, v0", keep_word_1, 1, 1, trans},
        {"v_rcp_f32 v8, v0", read, 1, 1, trans},
        {"v_sqrt_f64 v[8:9], v[0:1]", "v_mov_b32 v60, v9", 1, 1, trans},
        {"v_exp_f16 v8, v0", "v_add_f32 v60, v0, v8", 1, 1, trans},
        {compare_exec, "v_permlane32_swap_b32 v0, v1", 0, 4, "v_permlane after"},
        {move, "v_permlane16_swap_b32 v8, v1", 0, 2, "v_permlane reads what"},
        {move, "v_permlane32_swap_b32 v1, v8", 0, 2, "v_permlane reads what"},
    };
}

const std::string dot = "v_dot2_f32_f16 v8, v0, v1, v0";

std::vector<pair_of_instructions> dot_pairs() {
    return {
        {dot, "v_dot2_f32_f16 v60, v8, v1, v0", 3, 3, "reads as a factor what one writes"},
        {dot, "v_dot4_i32_i8 v60, v0, v8, v0", 3, 3, "reads as a factor what one writes"},
        {dot, "v_dot4_i32_i8 v60, v0, v1, v8", 3, 3, "adds to what another kind of it writes"},
        {dot, "v_dot2c_i32_i16 v8, v0, v1", 3, 3, "overwrites what another kind of it writes"},
        {dot, read, 3, 3, "a vector instruction reads what a dot product writes"},
        {dot, to_lds, 3, 3, "a memory instruction reads what a dot product writes"},
        {dot, "global_store_dword v1, v8, s[0:1]", 3, 3,
         "a memory instruction reads what a dot product writes"},
        {dot, "v_dot4_i32_i8 v8, v0, v1, v0", 3, 3, "overwrites what another kind of it writes"},
        {dot, write, 3, 3, "a vector instruction overwrites what a dot product writes"},
        {dot, load, 3, 3, "a load overwrites what a dot product writes"},
        {dot, "ds_read_b32 v8, v1", 3, 3, "a load overwrites what a dot product writes"},
        {dot, "v_mfma_f32_16x16x16_f16 v[40:43], v[8:9], v[0:1], 0", 3, 3,
         "a matrix instruction reads what a dot product writes"},
        {dot, "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0", 3, 3,
         "a matrix instruction overwrites what a dot product writes"},
    };
}

// Matrix instructions by passes, which write from v8 on and read v0, v1 and C where it is asked for.
struct matrix_instruction {
    const char* mnemonic;
    int registers;  // of C and D
    int factors;    // registers of A and of B
};

std::string with_c(const matrix_instruction& m, int d, const std::string& a, const std::string& c) {
    const std::string factor = m.factors == 1 ? "v0" : "v[0:1]";
    return std::string(m.mnemonic) + " v[" + std::to_string(d) + ":" +
           std::to_string(d + m.registers - 1) + "], " + (a.empty() ? factor : a) + ", " + factor +
           ", " + c;
}

std::string range_of(const matrix_instruction& m, int first) {
    return "v[" + std::to_string(first) + ":" + std::to_string(first + m.registers - 1) + "]";
}

constexpr matrix_instruction xdl[] = {
    {"v_mfma_f32_4x4x4_16b_f16", 4, 2},
    {"v_mfma_f32_16x16x16_f16", 4, 2},
    {"v_mfma_f32_32x32x8_f16", 16, 2},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 2},
};
// None has 4 passes.
constexpr matrix_instruction sgemm[] = {
    {"v_mfma_f32_4x4x1_16b_f32", 4, 1},
    {"v_mfma_f32_16x16x4_f32", 4, 1},
    {"v_mfma_f32_32x32x2_f32", 16, 1},
};
constexpr matrix_instruction dgemm_16x16 = {"v_mfma_f64_16x16x4_f64", 8, 2};
constexpr matrix_instruction dgemm_4x4 = {"v_mfma_f64_4x4x4_4b_f64", 2, 2};

std::string behind(const matrix_instruction& m) {
    return with_c(m, 8, "", "0");
}

std::vector<pair_of_instructions> xdl_pairs() {
    std::vector<pair_of_instructions> pairs = {
        {behind(xdl[0]), with_c(xdl[0], 8, "", range_of(xdl[0], 8)), 2, 2,
         "a matrix instruction adds to what one writes"},
        {behind(xdl[0]), with_c(xdl[1], 40, "", range_of(xdl[1], 8)), 3, 4,
         "adds to what another kind of it writes"},
        {behind(xdl[0]), with_c(sgemm[0], 40, "", range_of(sgemm[0], 8)), 3, 3,
         "of f32 or f64 adds to what one writes"},
        {behind(xdl[1]), with_c(sgemm[1], 40, "", range_of(sgemm[1], 8)), 5, 6,
         "of f32 or f64 adds to what one writes"},
        // Other types, another K, another number of passes: the accumulator is not forwarded.
        {behind(xdl[1]), "v_mfma_f32_16x16x16_bf16 v[8:11], v[0:1], v[0:1], v[8:11]", 5, 6,
         "adds to what another kind of it writes"},
        {"v_mfma_f32_16x16x32_f16 v[8:11], v[24:27], v[28:31], 0", with_c(xdl[1], 8, "", "v[8:11]"),
         0, 6, "adds to what another kind of it writes"},
        {with_c(xdl[2], 8, "", "0"), "v_mfma_f32_32x32x16_f16 v[8:23], v[24:27], v[28:31], v[8:23]",
         0, 10, "adds to what another kind of it writes"},
        {with_c(xdl[2], 8, "", "0"), "v_mfma_f32_16x16x4_4b_f16 v[8:23], v[0:1], v[0:1], v[8:23]",
         9, 10, "adds to what another kind of it writes"},
        {"v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0",
         "v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:19], v[24:27], v[8:11] cbsz:4 blgp:4", 0, 10,
         "adds to what another kind of it writes"},
        {"v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0", read, 0, 12,
         "a vector instruction reads what a matrix instruction writes"},
        {"v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:19], v[24:27], 0 cbsz:4 blgp:4", read, 0, 8,
         "a vector instruction reads what a matrix instruction writes"},
        {"v_mfma_f32_32x32x16_f16 v[8:23], v[24:27], v[28:31], 0", read, 0, 12,
         "a vector instruction reads what a matrix instruction writes"},
        {behind(xdl[1]),
         "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[16:23], v[24:31], 0, v8, v0", 0, 8,
         "reads as A, B or scale what one writes"},
    };
    const int overlapped_942[] = {3, 5, 9, 17};
    const int overlapped_950[] = {4, 6, 10, 18};
    const int gemm_950[] = {3, 6, 10, 18};
    const int result_942[] = {5, 7, 11, 19};
    const int result_950[] = {5, 8, 12, 20};
    const int war[] = {1, 3, 7, 15};
    for (int n = 0; n < 4; ++n) {
        const std::string first = behind(xdl[n]);
        const int a = result_942[n];
        const int b = result_950[n];
        pairs.insert(
            pairs.end(),
            {{first, with_c(xdl[1], 40, "", "v[10:13]"), overlapped_942[n], overlapped_950[n],
              "a matrix instruction adds to a part of what one writes"},
             {first, with_c(sgemm[1], 40, "", "v[10:13]"), overlapped_942[n], gemm_950[n],
              "of f32 or f64 adds to what one writes"},
             {first, with_c(dgemm_16x16, 40, "", "v[10:17]"), overlapped_942[n], gemm_950[n],
              "of f32 or f64 adds to what one writes"},
             {first, with_c(xdl[1], 40, "v[10:11]", "0"), a, b,
              "a matrix instruction reads as A, B or scale what one writes"},
             {first, with_c(dgemm_4x4, 40, "v[10:11]", "0"), a, b,
              "a matrix instruction reads as A, B or scale what one writes"},
             {first, read, a, b, "a vector instruction reads what a matrix instruction writes"},
             {first, write, a, b, "a vector instruction overwrites what a matrix instruction"},
             {first, to_lds, a, b, "a memory instruction reads what a matrix instruction writes"},
             {first, "global_store_dword v1, v8, s[0:1]", a, b,
              "a memory instruction reads what a matrix instruction writes"},
             {first, load, a, b, "a load overwrites what a matrix instruction writes"},
             {first, "ds_read_b32 v8, v1", a, b,
              "a load overwrites what a matrix instruction writes"},
             {first, "scratch_load_dword v8, off, off", a, b,
              "a load overwrites what a matrix instruction writes"},
             {first, "global_atomic_add v8, v1, v0, s[0:1] sc0", a, b,
              "a load overwrites what a matrix instruction writes"},
             // C of one instruction, which has its result elsewhere.
             {std::string(xdl[n].mnemonic) + " a[0:" + std::to_string(xdl[n].registers - 1) +
                  "], v[0:1], v[0:1], a[" + std::to_string(32) + ":" +
                  std::to_string(31 + xdl[n].registers) + "]",
              "v_accvgpr_write_b32 a33, v0", war[n], war[n],
              "a vector instruction overwrites C of a matrix instruction"},
             {std::string(xdl[n].mnemonic) + " a[0:" + std::to_string(xdl[n].registers - 1) +
                  "], v[0:1], v[0:1], a[" + std::to_string(32) + ":" +
                  std::to_string(31 + xdl[n].registers) + "]",
              "global_load_dword a33, v1, s[0:1]", war[n], war[n],
              "a load overwrites C of a matrix instruction"}});
    }
    return pairs;
}

std::vector<pair_of_instructions> gemm_pairs() {
    std::vector<pair_of_instructions> pairs = {
        {behind(sgemm[0]), with_c(sgemm[0], 8, "", range_of(sgemm[0], 8)), 2, 2,
         "of f32 or f64 adds to what one of f32 writes"},
        {behind(sgemm[1]), "v_mfma_f32_4x4x1_16b_f32 v[40:43], v0, v0, v[8:11]", 8, 8,
         "adds to what another kind of f32 writes"},
        {behind(sgemm[0]), with_c(xdl[0], 40, "", range_of(sgemm[0], 8)), 2, 2,
         "a matrix instruction adds to what one of f32 writes"},
    };
    const int overlapped[] = {2, 8, 16};
    const int result[] = {4, 10, 18};
    for (int n = 0; n < 3; ++n) {
        const std::string first = behind(sgemm[n]);
        const int a = result[n];
        pairs.insert(
            pairs.end(),
            {{first, with_c(sgemm[1], 40, "", "v[10:13]"), overlapped[n], overlapped[n],
              "of f32 or f64 adds to a part of what one of f32 writes"},
             {first, with_c(xdl[1], 40, "v[10:11]", "0"), a, a,
              "reads as A, B or scale what one of f32 writes"},
             {first, read, a, a, "a vector instruction reads what a matrix instruction of f32"},
             {first, write, a, a, "a vector instruction overwrites what a matrix instruction of"},
             {first, to_lds, a, a, "a memory instruction reads what a matrix instruction of f32"},
             {first, load, a, a, "a load overwrites what a matrix instruction of f32"}});
    }
    const std::string large = behind(dgemm_16x16);
    const std::string small = behind(dgemm_4x4);
    pairs.insert(
        pairs.end(),
        {{large, with_c(dgemm_16x16, 40, "", "v[10:17]"), 9, 17,
          "adds to a part of what v_mfma_f64_16x16x4 writes"},
         {large, with_c(dgemm_16x16, 40, "v[10:11]", "0"), 11, 19,
          "reads as A, B or scale what v_mfma_f64_16x16x4 writes"},
         {large, with_c(xdl[1], 40, "v[10:11]", "0"), 11, 19,
          "reads as A, B or scale what v_mfma_f64_16x16x4 writes"},
         {large, read, 11, 19, "a vector instruction reads what v_mfma_f64_16x16x4 writes"},
         {large, write, 11, 19, "a vector instruction overwrites what v_mfma_f64_16x16x4 writes"},
         {large, load, 11, 11, "a load overwrites what v_mfma_f64_16x16x4 writes"},
         {large, to_lds, 18, 18, "a memory instruction reads what v_mfma_f64_16x16x4 writes"},
         {small, with_c(dgemm_4x4, 8, "", "v[8:9]"), 4, 4, "adds to what v_mfma_f64_4x4x4 writes"},
         {small, with_c(dgemm_16x16, 40, "", "v[8:15]"), 4, 4,
          "adds to what v_mfma_f64_4x4x4 writes"},
         {small, with_c(dgemm_4x4, 40, "v[8:9]", "0"), 6, 6,
          "reads as A, B or scale what v_mfma_f64_4x4x4 writes"},
         {small, write, 6, 6, "a vector instruction overwrites what v_mfma_f64_4x4x4 writes"},
         {small, load, 6, 6, "a load overwrites what v_mfma_f64_4x4x4 writes"},
         {small, read, 6, 6, "a vector instruction reads what v_mfma_f64_4x4x4 writes"},
         {small, to_lds, 9, 9, "a memory instruction reads what v_mfma_f64_4x4x4 writes"}});
    return pairs;
}

std::vector<pair_of_instructions> to_matrix_pairs() {
    const char* text = "a matrix instruction reads what a vector instruction writes";
    return {
        {"v_mov_b32 v1, v0", behind(xdl[1]), 2, 2, text},
        {move, with_c(xdl[1], 40, "", "v[8:11]"), 2, 2, text},
        {"v_accvgpr_write_b32 a3, v0", "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], a[2:3], 0", 2, 2,
         text},
        {move, "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[16:23], v[24:31], 0, v0, v8", 0, 2,
         text},
        {compare_exec, behind(xdl[1]), 4, 4,
         "a matrix instruction after a vector instruction that writes EXEC"},
    };
}

std::vector<pair_of_instructions> all_pairs() {
    std::vector<pair_of_instructions> all;
    for (const auto& pairs : {scalar_pairs(), vector_pairs(), dot_pairs(), to_matrix_pairs(),
                              xdl_pairs(), gemm_pairs()}) {
        all.insert(all.end(), pairs.begin(), pairs.end());
    }
    return all;
}

TEST(hazards, each_pair_needs_its_states) {
    for (const gfx_target target : both_targets) {
        int pairs = 0;
        for (const pair_of_instructions& p : all_pairs()) {
            const int needed = target == gfx_target::gfx942 ? p.gfx942 : p.gfx950;
            if (needed == 0) {
                continue;
            }
            ++pairs;
            SCOPED_TRACE(std::string(name_of(target)) + ": " + p.first + "; " + p.second);
            const std::string report =
                "hazard: .*" + std::string(p.text) + ".*: " + std::to_string(needed) +
                " wait states are needed between them, " + std::to_string(needed - 1) +
                " (is|are) there.*check +hazards.*the first one:";
            const std::string caught = p.first + "\n" + nops(needed - 1) + p.second;
            const std::string repaired = p.first + "\n" + nops(needed) + p.second;
            EXPECT_REPORT(run_kernel(target, caught, 1, check::hazards), report);
            EXPECT_NO_REPORT(run_kernel(target, repaired, 1, check::hazards));
            // Without running it.
            EXPECT_THAT(lint_of(target, caught),
                        Contains(Field(&lint_finding::message, ContainsRegex(p.text))));
            EXPECT_THAT(hazards_of(lint_of(target, repaired)), IsEmpty());
        }
        std::printf("  %s: %d pairs\n", name_of(target), pairs);
    }
}

// ---- classes by classes ----

// What writes v8 and more, by what uses v8 and v9: the states of every pair. Numbers: as for the pairs
// above, and of LLVM's recogniser where the guide has none.
enum class consumer {
    valu,
    trans,
    valu_write,
    dpp,
    lane,
    dot_ab,
    dot_c,
    mfma_ab,
    xdl_c,
    sgemm_c,
    dgemm_ab,
    dgemm_c,
    memory,
    load,
    count
};

constexpr const char* consumers[][2] = {
    {"v_mov_b32 v60, v8", "v_add_u32 v60, v0, v8"},
    {"v_rcp_f32 v60, v8", "v_exp_f16 v60, v8"},
    {"v_mov_b32 v8, v0", "v_add_f32 v8, v0, v0"},
    {"v_mov_b32_dpp v60, v8 row_shr:1 row_mask:0xf bank_mask:0xf",
     "v_add_u32_dpp v60, v8, v0 row_ror:3 row_mask:0xf bank_mask:0xf"},
    {"v_readlane_b32 s8, v8, 3", "v_readfirstlane_b32 s8, v8"},
    {"v_dot4_i32_i8 v60, v8, v1, v0", "v_dot4_i32_i8 v60, v1, v8, v0"},
    {"v_dot4_i32_i8 v60, v0, v1, v8", "v_dot8_i32_i4 v60, v0, v1, v8"},
    {"v_mfma_f32_16x16x16_f16 v[40:43], v[8:9], v[0:1], 0",
     "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[8:9], 0"},
    {"v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[0:1], v[6:9]",
     "v_mfma_f32_16x16x16_bf16 v[40:43], v[0:1], v[0:1], v[6:9]"},
    {"v_mfma_f32_16x16x4_f32 v[40:43], v0, v0, v[6:9]",
     "v_mfma_f32_4x4x1_16b_f32 v[40:43], v0, v0, v[6:9]"},
    {"v_mfma_f64_4x4x4_4b_f64 v[40:41], v[8:9], v[0:1], 0",
     "v_mfma_f64_16x16x4_f64 v[40:47], v[0:1], v[8:9], 0"},
    {"v_mfma_f64_16x16x4_f64 v[40:47], v[0:1], v[0:1], v[6:13]",
     "v_mfma_f64_16x16x4_f64 v[40:47], v[0:1], v[0:1], v[4:11]"},
    {"global_store_dword v1, v8, s[0:1]", "ds_write_b32 v1, v8"},
    {"global_load_dword v8, v1, s[0:1]", "ds_read_b32 v8, v1"}};
static_assert(std::size(consumers) == static_cast<size_t>(consumer::count));

struct producer {
    const char* code;
    std::array<int, static_cast<size_t>(consumer::count)> states;
};

// Behind a matrix instruction: a use, C of one of fp16, of f32 and of f64, stores, loads.
producer matrix(const char* code, int use, int xdl_c, int sgemm_c, int dgemm_c, int stores,
                int loads) {
    return {code,
            {use, use, use, use, use, use, use, use, xdl_c, sgemm_c, use, dgemm_c, stores, loads}};
}

std::vector<producer> producers(gfx_target target) {
    const bool is_950 = target == gfx_target::gfx950;
    const int more = is_950 ? 1 : 0;
    std::vector<producer> all = {
        {"v_mov_b32 v8, v0", {0, 0, 0, 2, 1, 0, 0, 2, 2, 2, 2, 2, 0, 0}},
        {"v_accvgpr_read_b32 v8, a0", {0, 0, 0, 2, 1, 0, 0, 2, 2, 2, 2, 2, 0, 0}},
        {"v_rcp_f32 v8, v0", {1, 0, 0, 2, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0}},
        {"v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
         "src1_sel:DWORD",
         {1, 1, 0, 2, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0}},
        {"v_dot2_f32_f16 v8, v0, v1, v0", {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
        {"global_load_dword v8, v1, s[0:1]", {}},
        {"ds_read_b64 v[8:9], v1", {}},
        matrix("v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[0:1], 0", is_950 ? 19 : 11, 0,
               is_950 ? 17 : 9, is_950 ? 17 : 9, 18, 11),
        matrix("v_mfma_f64_4x4x4_4b_f64 v[8:9], v[0:1], v[0:1], 0", 6, 0, 4, 4, 9, 6)};
    const char* const xdl_of_passes[] = {"v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[0:1], 0",
                                         "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[0:1], 0",
                                         "v_mfma_f32_32x32x8_f16 v[8:23], v[0:1], v[0:1], 0",
                                         "v_mfma_f32_32x32x4_2b_f16 v[8:39], v[0:1], v[0:1], 0"};
    const char* const sgemm_of_passes[] = {"v_mfma_f32_4x4x1_16b_f32 v[8:11], v0, v0, 0", nullptr,
                                           "v_mfma_f32_16x16x4_f32 v[8:11], v0, v0, 0",
                                           "v_mfma_f32_32x32x2_f32 v[8:23], v0, v0, 0"};
    for (int n = 0; n < 4; ++n) {
        const int passes = 2 << n;
        const int more_of_4 = n == 0 ? 0 : more;
        const int use = passes + 3 + more_of_4;
        const int c = passes + 1 + more_of_4;
        all.push_back(matrix(xdl_of_passes[n], use, passes + 1 + more, c, c, use, use));
        if (sgemm_of_passes[n] != nullptr) {
            const int of_f32 = passes + 2;
            all.push_back(matrix(sgemm_of_passes[n], of_f32, 0, passes, passes, of_f32, of_f32));
        }
    }
    return all;
}

TEST(hazards, every_class_by_every_class) {
    const std::string apart = nops(32);
    for (const gfx_target target : both_targets) {
        for (const int form : {0, 1}) {
            std::string caught;
            std::string repaired;
            std::vector<std::string> wanted;
            for (const producer& p : producers(target)) {
                for (size_t c = 0; c < std::size(consumers); ++c) {
                    const int states = p.states[c];
                    const std::string second = consumers[c][form];
                    repaired += p.code + ("\n" + nops(states)) + second + "\n" + apart;
                    if (states > 0) {
                        caught += p.code + ("\n" + nops(states - 1)) + second + "\n" + apart;
                        wanted.push_back(std::to_string(states) + ": " + second);
                    }
                }
            }
            EXPECT_NO_REPORT(run_kernel(target, repaired, 1, check::hazards));
            EXPECT_THAT(hazards_of(lint_of(target, repaired)), IsEmpty());
            // All of them in one run, by what is said of each.
            const auto says_all = [&](const std::string& text) {
                std::vector<std::string> said;
                std::istringstream lines(text);
                std::string states;
                for (std::string line; std::getline(lines, line);) {
                    const size_t at = line.find(" wait states are needed between them, ");
                    const std::string instruction = "  instruction ";
                    if (at != std::string::npos) {
                        states = line.substr(line.rfind(' ', at - 1) + 1);
                        states.resize(states.find(' '));
                    } else if (line.starts_with(instruction) && !states.empty()) {
                        std::string second = line.substr(instruction.size());
                        if (const size_t e32 = second.find("_e32"); e32 != std::string::npos) {
                            second.erase(e32, 4);
                        }
                        said.push_back(states + ": " + second);
                        states.clear();
                    }
                }
                const auto [first, other] = std::ranges::mismatch(wanted, said);
                if (first == wanted.end() && other == said.end()) {
                    return true;
                }
                std::fprintf(stderr, "pair %td: %s instead of %s\n", first - wanted.begin(),
                             other == said.end() ? "nothing" : other->c_str(),
                             first == wanted.end() ? "nothing" : first->c_str());
                return false;
            };
            const outcome reported = outcome_of(
                [&] { kernel_run(target, caught, 1, check::hazards, check_mode::report).run(); });
            EXPECT_TRUE(says_all(reported.text));
            EXPECT_TRUE(end_reports());
            std::printf("  %s: %zu pairs\n", name_of(target), wanted.size());
        }
    }
}

// A scalar register as a scale, which LLVM does not assemble (test_mfma.cpp): a matrix instruction
// reads it as others do. The value is the same scale by what the hardware reads and by byte 0.
TEST(hazards, scale_in_a_scalar_register) {
    const std::string to_s4 = "v_mov_b32 v8, 0x3f80007f\n s_nop 7\n v_readfirstlane_b32 s4, v8\n";
    const std::string with_s4 = ".long 0xd3ac0000, 0x00021004, 0xd3ad0800, 0x02021904\n";  // s4, v8
    const char* what = "s4: a vector instruction reads the scalar register that one writes";
    const gfx_target target = gfx_target::gfx950;
    EXPECT_REPORT(run_kernel(target, to_s4 + nops(1) + with_s4, 1, check::hazards),
                  std::string(what) + ": 2 wait states are needed between them, 1 is there");
    EXPECT_NO_REPORT(run_kernel(target, to_s4 + nops(2) + with_s4, 1, check::hazards));
    const auto found = Contains(Field(&lint_finding::message, ContainsRegex(what)));
    EXPECT_THAT(lint_of(target, to_s4 + nops(1) + with_s4), found);
    EXPECT_THAT(lint_of(target, to_s4 + nops(2) + with_s4), Not(found));
}

// Nothing of the table is without a pair above.
TEST(hazards, each_row_has_a_pair) {
    const auto pairs = all_pairs();
    std::set<std::string> texts;
    for (const hazard_text& row : hazard_table()) {
        const auto is_about = [&](const pair_of_instructions& p) {
            return row.what.find(p.text) != std::string::npos;
        };
        EXPECT_TRUE(std::ranges::any_of(pairs, is_about)) << row.what;
        EXPECT_TRUE(texts.insert(row.what).second) << row.what;
    }
    std::printf("  %zu rows\n", texts.size());
}

TEST(hazards, docs_have_the_table) {
    std::vector<std::vector<std::string>> rows;
    for (const hazard_text& row : hazard_table()) {
        const std::string sources = row.sources.empty() ? "" : " (" + row.sources + ")";
        rows.push_back({row.what + sources, row.gfx942, row.gfx950});
    }
    EXPECT_EQ(table_of_docs("| what is reported | gfx942 | gfx950 |", "wait-states.md"), rows);
}

// The same numbers, as the timeline asks for them: by use, of C that is the result, of C overwritten.
TEST(hazards, states_behind_matrix_instructions) {
    struct wanted {
        int xdl_c, gemm_c, ab, valu, memory;
        int same_xdl_c, same_gemm_c;
        int overwrites_c;
    };
    for (const gfx_target target : both_targets) {
        const auto check_states = [&](const std::string& text, const wanted& n) {
            SCOPED_TRACE(std::string(name_of(target)) + ": " + text);
            const std::vector<std::byte>& code = assemble(target, text);
            program decoded(target, code.data(), code.size(), machine::base);
            const matrix_wait_states states = wait_states_behind(decoded.at(machine::base));
            const auto of = [&](matrix_use use) {
                return int{states.by_use[static_cast<size_t>(use)]};
            };
            EXPECT_EQ(of(matrix_use::xdl_c), n.xdl_c);
            EXPECT_EQ(of(matrix_use::gemm_c), n.gemm_c);
            EXPECT_EQ(of(matrix_use::ab), n.ab);
            EXPECT_EQ(of(matrix_use::valu_read), n.valu);
            EXPECT_EQ(of(matrix_use::valu_write), n.valu);
            EXPECT_EQ(of(matrix_use::memory_read), n.memory);
            EXPECT_EQ(of(matrix_use::other), 0);
            EXPECT_EQ(int{states.same_c[0]}, n.same_xdl_c);
            EXPECT_EQ(int{states.same_c[1]}, n.same_gemm_c);
            EXPECT_EQ(int{states.valu_overwrites_c}, n.overwrites_c);
        };
        const int more = target == gfx_target::gfx950 ? 1 : 0;
        for (int n = 0; n < 4; ++n) {
            const int passes = 2 << n;
            const int more_of_4 = n == 0 ? 0 : more;
            const int use = passes + 3 + more_of_4;
            const int gemm_c = passes + 1 + more_of_4;
            const int same = n == 0 ? 2 : 0;
            const wanted w = {passes + 1 + more, gemm_c, use, use, use, same, gemm_c, 0};
            check_states(behind(xdl[n]), w);
            wanted with_registers = w;
            with_registers.overwrites_c = passes - 1;
            check_states(with_c(xdl[n], 8, "", range_of(xdl[n], 64)), with_registers);
        }
        for (const auto& [m, passes] :
             {std::pair(sgemm[0], 2), std::pair(sgemm[1], 8), std::pair(sgemm[2], 16)}) {
            const int use = passes + 2;
            const int same = passes == 2 ? 2 : 0;
            check_states(with_c(m, 8, "", range_of(m, 64)),
                         {0, passes, use, use, use, same, same, 0});
        }
        const int large = more != 0 ? 19 : 11;
        check_states(with_c(dgemm_16x16, 8, "", "v[64:71]"),
                     {0, large - 2, large, large, 18, 0, 0, 0});
        check_states(with_c(dgemm_4x4, 8, "", "v[64:65]"), {0, 4, 6, 6, 9, 0, 4, 0});
    }
}

// Where guide and compiler want different numbers the report has both, and only there.
TEST(hazards, both_sources_are_named) {
    const auto run = [](gfx_target target, const std::string& first, const std::string& second) {
        run_kernel(target, first + "\n" + second, 1, check::hazards);
    };
    EXPECT_REPORT(run(gfx_target::gfx950, behind(xdl[3]), read),
                  "0 are there; clang 22 accepts 19\n");
    EXPECT_REPORT(run(gfx_target::gfx950, behind(xdl[2]), read), "0 are there\n");
    EXPECT_REPORT(run(gfx_target::gfx942, behind(xdl[3]), read), "0 are there\n");
    EXPECT_REPORT(run(gfx_target::gfx950, behind(dgemm_16x16), write),
                  "the guide has 19, clang 22 puts 11\n");
    EXPECT_REPORT(run(gfx_target::gfx942, behind(dgemm_16x16), write), "0 are there\n");
}

TEST(hazards, what_the_hardware_keeps_apart) {
    const std::string pairs[] = {
        move + "\n" + read,
        "s_mov_b32 s8, 1\n v_mov_b32 v8, s8",
        "s_mov_b32 s8, 0\n buffer_load_dword v8, v1, s[4:7], s8 offen",
        "s_mov_b64 exec, -1\n v_mov_b32_dpp v60, v0 row_shr:1 row_mask:0xf bank_mask:0xf",
        to_scalar + "\n s_mov_b32 s9, s8",
        // A carry or a mask.
        "v_add_co_u32 v8, vcc, v0, v1\n v_addc_co_u32 v9, vcc, v0, v1, vcc",
        compare + "\n v_cndmask_b32 v8, v0, v1, vcc",
        "v_cmp_eq_u32 s[8:9], v0, v0\n v_cndmask_b32_e64 v8, v0, v1, s[8:9]",
        // A destination that DPP does not keep.
        move + "\n v_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
        // Results that fill their register.
        "v_cvt_sr_fp8_f32 v8, v0, v1 op_sel:[0,0,1,0]\n"
        "v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
        "src1_sel:DWORD",
        "v_mad_u16 v8, v0, v1, v0 op_sel:[0,0,0,1]\n v_mad_legacy_u16 v8, v0, v1, v0",
        move + "\n v_writelane_b32 v8, 1, 3",
        "v_cvt_sr_fp8_f32 v8, v0, v1\n v_cvt_sr_fp8_f32 v8, v0, v1 op_sel:[0,0,1,0]",
        // src1 of DPP.
        move + "\n v_add_u32_dpp v60, v0, v8 row_shr:1 row_mask:0xf bank_mask:0xf",
        "v_rcp_f32 v8, v0\n v_rcp_f32 v9, v8",
        "v_rcp_f32 v8, v0\n v_mov_b32 v8, v0",
        "v_rcp_f32 v8, v0\n" + to_lds,
        "v_add_u16_sdwa v8, v0, v1 dst_sel:DWORD src0_sel:WORD_1 src1_sel:DWORD\n" + read,
        dot + "\n v_dot2_f32_f16 v8, v0, v1, v8",
        dot + "\n v_dot2_f32_f16 v8, v0, v1, v0",
        // OPSEL of sources.
        "v_mad_u16 v8, v0, v1, v0 op_sel:[1,1,1,0]\n" + read,
        // Stores of two dwords, also with an SGPR as offset, and a load over what was stored.
        "s_mov_b32 s8, 0\n v_mov_b32 v3, 0\n"
        "buffer_store_dwordx2 v[8:9], v3, s[4:7], s8 offen\n v_mov_b32 v8, 0",
        "s_mov_b32 s8, 0\n v_mov_b32 v3, 0\n"
        "buffer_store_dwordx4 v[8:11], v3, s[4:7], s8 offen\n ds_read_b32 v8, v1",
        "v_mov_b32 v3, 0\n global_store_dwordx2 v3, v[8:9], s[0:1]\n v_mov_b32 v8, 0",
        set_mode + "\n s_getreg_b32 s8, hwreg(HW_REG_XCC_ID)",
        // The accumulator of the same instruction.
        behind(xdl[1]) + "\n" + with_c(xdl[1], 8, "", "v[8:11]"),
        behind(xdl[2]) + "\n" + with_c(xdl[2], 8, "", "v[8:23]"),
        behind(xdl[3]) + "\n" + with_c(xdl[3], 8, "", "v[8:39]"),
        behind(sgemm[2]) + "\n" + with_c(sgemm[2], 8, "", "v[8:23]"),
        behind(dgemm_16x16) + "\n" + with_c(dgemm_16x16, 8, "", "v[8:15]"),
        behind(sgemm[1]) + "\n" + with_c(xdl[1], 40, "", "v[10:13]"),
        behind(dgemm_16x16) + "\n" + with_c(xdl[1], 40, "", "v[10:13]"),
        // Other registers.
        behind(xdl[2]) + "\n global_load_dword v24, v1, s[0:1]",
        "v_mov_b32 v3, 0\n global_store_dwordx4 v3, v[8:11], s[0:1]\n"
        "v_mfma_f32_16x16x16_f16 v[12:15], v[0:1], v[0:1], 0",
        behind(xdl[2]) + "\n v_mov_b32 v60, v24",
        behind(xdl[2]) + "\n v_mov_b32 v60, v7",
        move + "\n v_mov_b32_dpp v60, v7 row_shr:1 row_mask:0xf bank_mask:0xf",
        move + "\n v_mov_b32_dpp v60, v9 row_shr:1 row_mask:0xf bank_mask:0xf",
        // A store that has been waited for.
        "v_mov_b32 v3, 0\n global_store_dwordx4 v3, v[8:11], s[0:1]\n s_waitcnt vmcnt(0)\n"
        "v_mov_b32 v11, 0",
        behind(xdl[2]) + "\n ds_write_b32 v1, v0",
        move + "\n" + with_c(xdl[1], 40, "", "v[10:13]"),
        // What another instruction has written since.
        behind(xdl[3]) + "\n" + with_c(xdl[1], 10, "", "0") + "\n" +
            with_c(xdl[1], 10, "", "v[10:13]"),
        // A and B may be overwritten at once, and C of f32.
        behind(xdl[2]) + "\n v_mov_b32 v0, v60",
        with_c(sgemm[1], 8, "", "v[40:43]") + "\n v_mov_b32 v40, v60",
        with_c(sgemm[1], 8, "", "v[40:43]") + "\n global_load_dword v40, v1, s[0:1]",
    };
    for (const gfx_target target : both_targets) {
        for (const std::string& pair : pairs) {
            SCOPED_TRACE(std::string(name_of(target)) + ": " + pair);
            EXPECT_NO_REPORT(run_kernel(target, pair, 1, check::hazards));
            EXPECT_THAT(hazards_of(lint_of(target, pair)), IsEmpty());
        }
    }
}

// C of a matrix instruction is no newer value of it.
TEST(hazards, what_is_added_to_is_still_a_result) {
    for (const gfx_target target : both_targets) {
        const std::string code =
            behind(xdl[2]) + "\n" + with_c(xdl[2], 40, "", range_of(xdl[2], 8)) + "\n" + read;
        EXPECT_REPORT(
            run_kernel(target, code, 1, check::hazards),
            "v8: a vector instruction reads what a matrix instruction writes: .* 1 is there");
        EXPECT_THAT(hazards_of(lint_of(target, code)), SizeIs(1));
    }
}

// Of what one reads a part may be newer than the rest.
TEST(hazards, a_part_that_is_not_overwritten) {
    for (const gfx_target target : both_targets) {
        const std::string states = target == gfx_target::gfx942 ? "17" : "18";
        const std::string code = behind(xdl[3]) + "\n" + with_c(xdl[1], 10, "", "0") + "\n" +
                                 nops(8) + with_c(xdl[1], 40, "", "v[12:15]");
        EXPECT_REPORT(run_kernel(target, code, 1, check::hazards),
                      "hazard: .*adds to a part of what one writes: " + states +
                          " wait states are needed between them, 9 are there");
        EXPECT_THAT(hazards_of(lint_of(target, code)), SizeIs(1));
        // All of it, or what is newer alone.
        for (const char* c : {"v[10:13]", "v[40:43]"}) {
            const std::string newer = behind(xdl[3]) + "\n" + with_c(xdl[1], 10, "", "0") + "\n" +
                                      nops(8) + with_c(xdl[1], 40, "", c);
            EXPECT_NO_REPORT(run_kernel(target, newer, 1, check::hazards));
        }
    }
}

// A wait for something else is one state.
TEST(hazards, a_wide_store_that_has_not_been_waited_for) {
    for (const gfx_target target : both_targets) {
        for (const char* wait : {"lgkmcnt(0)", "vmcnt(1)"}) {
            const std::string code =
                "v_mov_b32 v3, 0\n global_store_dwordx4 v3, v[8:11], s[0:1]\n s_waitcnt " +
                std::string(wait) + "\n v_mov_b32 v11, 0";
            EXPECT_REPORT(run_kernel(target, code, 1, check::hazards), "hazard: v11");
            EXPECT_THAT(hazards_of(lint_of(target, code)), SizeIs(1));
        }
    }
}

// clang leaves this pair where the way is through a branch.
TEST(hazards, a_result_of_f64_that_is_overwritten_behind_a_branch) {
    for (const gfx_target target : both_targets) {
        const std::string skip = "\n s_branch 1f\n s_nop 15\n 1:\n";
        for (const matrix_instruction& m : {dgemm_16x16, dgemm_4x4}) {
            EXPECT_NO_REPORT(run_kernel(target, behind(m) + skip + write, 1, check::hazards));
            EXPECT_REPORT(run_kernel(target, "s_branch 1f\n 1:\n" + behind(m) + "\n" + write, 1,
                                     check::hazards),
                          "overwrites what v_mfma_f64");
            EXPECT_REPORT(run_kernel(target, behind(m) + skip + read, 1, check::hazards),
                          "reads what v_mfma_f64");
        }
    }
}

// The registers that VGPR indexing means, of either instruction.
TEST(hazards, indexed_registers) {
    const std::string index = "s_mov_b32 s8, 4\n s_set_gpr_idx_on s8, gpr_idx(DST)\n";
    for (const gfx_target target : both_targets) {
        // v12 is written; s_set_gpr_idx_off is one state.
        EXPECT_REPORT(run_kernel(target,
                                 index + move + "\n s_set_gpr_idx_off\n" +
                                     "v_mov_b32_dpp v60, v12 row_shr:1 row_mask:0xf bank_mask:0xf",
                                 1, check::hazards),
                      "v12: DPP reads what");
        EXPECT_NO_REPORT(
            run_kernel(target,
                       index + move + "\n s_set_gpr_idx_off\n" +
                           "v_mov_b32_dpp v60, v8 row_shr:1 row_mask:0xf bank_mask:0xf",
                       1, check::hazards));
    }
}

// The first pass finds nothing behind 24 states that stand in line. In the second the instruction is
// reached by a branch, or the index is another one.
TEST(hazards, an_instruction_that_was_late_enough_before) {
    const std::string twice = "s_mov_b32 s10, 2\n 1: s_nop 15\n s_nop 7\n";
    const std::string again =
        "\n s_mov_b32 s8, 4\n s_sub_u32 s10, s10, 1\n s_cmp_lg_u32 s10, 0\n s_cbranch_scc1 1b";
    const std::string on = "s_set_gpr_idx_on s8, gpr_idx(";
    const std::string off = "\n s_set_gpr_idx_off\n";
    const std::string dpp = " row_shr:1 row_mask:0xf bank_mask:0xf";
    for (const gfx_target target : both_targets) {
        EXPECT_REPORT(
            run_kernel(target,
                       "s_mov_b32 s10, 2\n s_nop 15\n s_nop 7\n" + with_c(xdl[2], 40, "", "0") +
                           "\n 1: s_nop 4\n" + read +
                           "\n s_sub_u32 s10, s10, 1\n s_cmp_eq_u32 s10, 0\n s_cbranch_scc1 2f\n" +
                           behind(xdl[2]) + "\n s_branch 1b\n 2:",
                       1, check::hazards),
            "hazard: v8: .* wait states are needed between them, 7 are there");
        for (const char* index : {"0", "8"}) {  // and 4 then
            const std::string first = "s_mov_b32 s8, " + std::string(index) + "\n";
            EXPECT_REPORT(run_kernel(target,
                                     first + twice + on + "DST)\n" + move + off +
                                         "v_mov_b32_dpp v60, v12" + dpp + again,
                                     1, check::hazards),
                          "v12: DPP reads what");
            EXPECT_REPORT(
                run_kernel(target,
                           first + twice + on + "SRC0)\n v_exp_f32 v8, v0\n v_mov_b32 v60, v4" +
                               off + again,
                           1, check::hazards),
                "hazard: v8: ");
        }
    }
}

// Through a branch and in a loop.
TEST(hazards, branches_are_instructions) {
    for (const gfx_target target : both_targets) {
        EXPECT_REPORT(run_kernel(target,
                                 move + "\n s_branch 1f\n s_nop 15\n 1: s_nop 0\n" +
                                     behind(xdl[1]) + "\n v_mov_b32 v60, v9",
                                 1, check::hazards),
                      "0 are there");
        // A taken branch is two states, one that is not is one.
        for (const bool is_taken : {false, true}) {
            const std::string compared = std::string("s_cmp_eq_u32 s4, ") + (is_taken ? "s4" : "1");
            const std::string source = compared + "\n" + move +
                                       "\n s_cbranch_scc1 1f\n 1:\n"
                                       "v_mov_b32_dpp v60, v8 row_shr:1 row_mask:0xf bank_mask:0xf";
            if (is_taken) {
                EXPECT_NO_REPORT(run_kernel(target, source, 1, check::hazards));
            } else {
                EXPECT_REPORT(run_kernel(target, source, 1, check::hazards), "1 is there");
            }
        }
        EXPECT_NO_REPORT(run_kernel(target,
                                    "s_mov_b32 s8, 2\n 1:\n v_readlane_b32 s9, v8, 0\n"
                                    "s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n v_mov_b32 v8, v0\n"
                                    "s_cbranch_scc1 1b",
                                    1, check::hazards));
    }
}

// ---- kernels written by hand ----

struct hand_written {
    const char* name;
    const char* source;  // every s_nop is as short as it may be
    bool gfx950_only = false;
};

constexpr hand_written kernels_by_hand[] = {
    {"a matrix product that is stored",
     "v_mov_b32 v4, 0x3c00\n v_mov_b32 v5, 0x3c00\n s_nop 1\n"
     "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[4:5], 0\n s_nop 1\n"
     "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[4:5], v[8:11]\n s_nop 4\n"
     "global_store_dword v1, v8, s[0:1]\n s_waitcnt vmcnt(0)"},
    {"a sum over a row of 16 lanes",
     "v_mov_b32 v8, v0\n s_nop 1\n"
     "v_add_u32_dpp v8, v8, v8 row_shr:1 row_mask:0xf bank_mask:0xf\n s_nop 1\n"
     "v_add_u32_dpp v8, v8, v8 row_shr:2 row_mask:0xf bank_mask:0xf\n s_nop 1\n"
     "v_add_u32_dpp v8, v8, v8 row_shr:4 row_mask:0xf bank_mask:0xf\n s_nop 1\n"
     "v_add_u32_dpp v8, v8, v8 row_shr:8 row_mask:0xf bank_mask:0xf\n s_nop 0\n"
     "v_readlane_b32 s8, v8, 15"},
    {"an offset from a lane",
     "v_mov_b32 v8, 16\n s_nop 0\n v_readfirstlane_b32 s8, v8\n s_nop 4\n"
     "buffer_load_dword v9, v1, s[4:7], s8 offen\n s_waitcnt vmcnt(0)\n"
     "v_readfirstlane_b32 s9, v9\n s_nop 1\n v_add_u32 v10, s9, v0"},
    {"a division",
     "v_cvt_f32_u32 v8, v0\n v_div_scale_f32 v9, vcc, v8, v8, v8\n v_rcp_f32 v10, v9\n s_nop 0\n"
     "v_fma_f32 v11, v10, v9, v8\n v_cmp_eq_u32 vcc, v0, v1\n s_nop 3\n"
     "v_div_fmas_f32 v12, v11, v10, v9\n v_div_fixup_f32 v12, v12, v8, v8"},
    {"loads to LDS",
     "s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v1, s[4:7], 0 offen lds\n"
     "s_mov_b32 m0, 0x100\n s_nop 0\n global_load_lds_dword v1, s[0:1]\n s_waitcnt vmcnt(0)\n"
     "s_mov_b32 m0, 0\n s_nop 0\n ds_read_addtid_b32 v8\n s_waitcnt lgkmcnt(0)"},
    {"lanes one by one",
     "v_mov_b32 v8, 5\n s_nop 0\n v_readfirstlane_b32 s8, v8\n s_nop 3\n"
     "v_readlane_b32 s9, v0, s8\n s_nop 3\n v_writelane_b32 v9, 7, s9\n s_nop 0\n"
     "v_readlane_b32 s10, v9, 5"},
    {"f64 products",
     "v_mov_b32 v4, 0\n v_mov_b32 v5, 0x3ff00000\n s_nop 1\n"
     "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[4:5], 0\n s_nop 3\n"
     "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[4:5], v[8:9]\n s_nop 5\n"
     "v_mfma_f64_4x4x4_4b_f64 v[10:11], v[8:9], v[4:5], 0\n s_nop 8\n"
     "ds_write_b64 v1, v[10:11]\n s_waitcnt lgkmcnt(0)"},
    {"stores that are reused",
     "v_lshlrev_b32 v3, 4, v0\n v_mov_b32 v8, 1\n v_mov_b32 v9, 2\n v_mov_b32 v10, 3\n"
     "v_mov_b32 v11, 4\n global_store_dwordx4 v3, v[8:11], s[0:1]\n s_nop 1\n"
     "v_mov_b32 v8, 5\n buffer_store_dwordx3 v[8:10], v3, s[4:7], 0 offen\n s_nop 1\n"
     "v_mov_b32 v10, 6\n s_waitcnt vmcnt(0)"},
    {"lanes that compare",
     "v_cmpx_gt_u32 vcc, 32, v0\n s_nop 3\n v_readfirstlane_b32 s8, v1\n"
     "s_mov_b64 exec, -1\n v_cmpx_lt_u32 vcc, 3, v0\n s_nop 4\n"
     "v_mov_b32_dpp v8, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n"
     "v_cmpx_lt_u32 vcc, 5, v0\n s_nop 1\n v_mov_b32 v9, exec_lo\n s_mov_b64 exec, -1"},
    {"dot products and parts of registers",
     "v_dot2_f32_f16 v8, v0, v1, 0\n v_dot2_f32_f16 v8, v0, v1, v8\n s_nop 2\n v_mov_b32 v9, v8\n"
     "v_dot4_i32_i8 v10, v0, v1, v9\n s_nop 2\n ds_write_b32 v1, v10\n"
     "v_add_u16_sdwa v11, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
     "src1_sel:DWORD\n s_nop 0\n v_add_u32 v12, v11, v0\n v_exp_f32 v13, v0\n s_nop 0\n"
     "v_add_f32 v14, v13, v13\n s_waitcnt lgkmcnt(0)"},
    {"lanes that change places",
     "v_mov_b32 v8, v0\n s_nop 1\n v_permlane32_swap_b32 v8, v1\n v_mov_b32 v9, v0\n s_nop 1\n"
     "v_permlane16_swap_b32 v10, v9",
     true},
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

// The kernel without its s_nop in that line, and with one that is a state shorter.
std::vector<std::string> weakened(const std::vector<std::string>& lines, size_t nop) {
    std::vector<std::string> without = lines;
    without[nop].clear();
    std::vector<std::string> results = {text_of(without)};
    const int count = std::stoi(lines[nop].substr(lines[nop].find("s_nop") + 5));
    if (count > 0) {
        std::vector<std::string> shorter = lines;
        shorter[nop] = "s_nop " + std::to_string(count - 1);
        results.push_back(text_of(shorter));
    }
    return results;
}

TEST(hazards, every_nop_of_hand_written_kernels_is_needed) {
    for (const gfx_target target : both_targets) {
        int kernels = 0;
        int deleted = 0;
        int reported = 0;
        for (const hand_written& kernel : kernels_by_hand) {
            if (kernel.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            SCOPED_TRACE(std::string(name_of(target)) + ": " + kernel.name);
            ++kernels;
            EXPECT_NO_REPORT(run_kernel(target, kernel.source, 1, check::hazards));
            EXPECT_THAT(lint_of(target, kernel.source), IsEmpty());
            const auto lines = lines_of(kernel.source);
            for (size_t n = 0; n < lines.size(); ++n) {
                if (lines[n].find("s_nop") == std::string::npos) {
                    continue;
                }
                ++deleted;
                for (const std::string& source : weakened(lines, n)) {
                    ++reported;
                    EXPECT_REPORT(run_kernel(target, source, 1, check::hazards),
                                  "hazard: .*wait states")
                        << "line " << n + 1;
                    EXPECT_THAT(hazards_of(lint_of(target, source)), Not(IsEmpty()))
                        << "line " << n + 1;
                }
            }
        }
        std::printf("  %s: %d kernels, %d s_nop deleted, %d reported with those made shorter\n",
                    name_of(target), kernels, deleted, reported);
    }
}

}  // namespace
}  // namespace emu
