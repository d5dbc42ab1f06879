// The checks: for each one kernels that must be caught, and repaired twins that must not.
//
// twins.hpp says what a kernel starts with.
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "docs.hpp"
#include "linted.hpp"
#include "twins.hpp"

namespace emu {
namespace {

std::string times(int count, const std::string& text) {
    std::string result;
    for (int n = 0; n < count; ++n) {
        result += text + "\n";
    }
    return result;
}

// The parts of kernels of several waves.
std::string only_wave(int n, const std::string& text) {
    return "s_cmp_lg_u32 s2, " + std::to_string(n) + "\n s_cbranch_scc1 1f\n" + text + "\n1:\n";
}

const std::string vm0 = "\n s_waitcnt vmcnt(0)\n";
const std::string lgkm0 = "\n s_waitcnt lgkmcnt(0)\n";
const std::string barrier = "\n s_barrier\n";
const std::string fill_lds = "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n s_barrier\n";
const std::string load = "global_load_dword v3, v1, s[0:1]\n";
const std::string use = "v_add_u32 v5, v3, v3\n";
const std::string store = "global_store_dword v1, v0, s[0:1]\n";
const std::string dma = "s_mov_b32 m0, 0\n buffer_load_dword v1, s[4:7], 0 offen lds\n";
const std::string flat = "v_mov_b32 v6, s0\n v_mov_b32 v7, s1\n flat_load_dword v3, v[6:7]\n";

const std::string scaled =
    "v_mfma_scale_f32_16x16x128_f8f6f4 v[4:7], v[8:15], v[16:23], v[24:27], ";

std::vector<twin> wait_twins() {
    constexpr auto waits = check::waits;
    const std::string load_v4 = "global_load_dword v4, v1, s[0:1]";
    const std::string vm1 = "\n s_waitcnt vmcnt(1)\n";
    const std::string turns = times(100, load_v4 + vm1 + load + vm1) + load_v4 + vm1;
    const std::string upper_read = fill_lds +
                                   "s_mov_b32 exec_lo, 0\n ds_read_b32 v3, v1\n"
                                   "s_mov_b32 exec_lo, -1\n s_mov_b32 exec_hi, 0\n";
    const std::string two_runs =
        "v_and_b32 v8, 32, v0\n v_lshlrev_b32 v8, 4, v8\n"
        "v_add_u32 v8, v8, v1\n ds_read_b32 v3, v8\n s_mov_b32 exec_hi, 0\n";
    const std::string dma_512 = "s_mov_b32 m0, 512\n global_load_lds_dword v1, s[0:1]\n";
    const std::string ring = fill_lds + "ds_read_b32 v3, v1\n" + dma_512 + vm0 + lgkm0 +
                             times(31, "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)");
    return {
        {"a load is read", waits, load + use, load + vm0 + use,
         "v3 is read while the load that writes v3 is pending \\(vmcnt\\).*\\+0x8 from.*"
         "instruction v_add_u32.*pending:.*\\+0x0 from.*instruction global_load_dword v3"},
        {"vmcnt is too high", waits,
         load + "global_load_dword v4, v1, s[0:1]\n s_waitcnt vmcnt(1)\n v_mov_b32 v5, v4",
         load + "global_load_dword v4, v1, s[0:1]\n s_waitcnt vmcnt(1)\n v_mov_b32 v5, v3",
         "v4 is read"},
        {"stores count in vmcnt", waits, store + load + "s_waitcnt vmcnt(1)\n" + use,
         load + store + "s_waitcnt vmcnt(1)\n" + use, "v3 is read"},
        {"vmcnt above 15", waits, load + times(19, store) + "s_waitcnt vmcnt(20)\n" + use,
         load + times(20, store) + "s_waitcnt vmcnt(20)\n" + use, "v3 is read"},
        {"the 64th makes the first complete", waits, load + times(62, store) + use,
         load + times(63, store) + use, "v3 is read"},
        {"a load is overwritten", waits, load + "v_mov_b32 v3, 0", load + vm0 + "v_mov_b32 v3, 0",
         "v3 is overwritten while the load"},
        {"a load of another kind overwrites", waits, fill_lds + load + "ds_read_b32 v3, v1",
         load + load + vm0 + use, "v3 is overwritten .*pending \\(vmcnt\\)"},
        {"the last of two loads counts", waits, load + load + "s_waitcnt vmcnt(1)\n" + use,
         load + load + "s_waitcnt vmcnt(0)\n" + use, "v3 is read"},
        {"a load is stored", waits, load + "global_store_dword v1, v3, s[0:1]",
         load + vm0 + "global_store_dword v1, v3, s[0:1]", "v3 is read"},
        {"a load is an address", waits,
         "global_load_dword v3, v1, s[0:1] offset:2048\n global_load_dword v4, v3, s[0:1]",
         "global_load_dword v3, v1, s[0:1] offset:2048\n s_waitcnt vmcnt(0)\n"
         "global_load_dword v4, v3, s[0:1]",
         "v3 is read"},
        {"a wave that always has a load pending", waits, load + turns + "v_mov_b32 v5, v4",
         load + turns + "v_mov_b32 v5, v3", "v4 is read"},
        {"a wave that does not wait", waits, load + times(200, load_v4) + "v_mov_b32 v5, v4",
         load + times(200, load_v4) + use, "v4 is read"},
        {"loads of two counters", waits, fill_lds + load + "ds_read_b32 v4, v1" + lgkm0 + use,
         fill_lds + load + "ds_read_b32 v4, v1" + lgkm0 + "v_mov_b32 v5, v4", "v3 is read"},
        {"a part of a wide load", waits,
         "buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen\n v_mov_b32 v5, v11",
         "buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen\n v_mov_b32 v5, v12",
         "v11 is read while the load that writes v\\[8:11\\]"},
        {"a load into an AGPR", waits,
         "buffer_load_dword a3, v1, s[4:7], 0 offen\n"
         "v_accvgpr_read_b32 v5, a3",
         "buffer_load_dword a3, v1, s[4:7], 0 offen\n s_waitcnt vmcnt(0)\n"
         "v_accvgpr_read_b32 v5, a3",
         "a3 is read"},
        {"operands of an MFMA", waits,
         "global_load_dwordx2 v[8:9], v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[16:17], v[20:23]",
         "global_load_dwordx2 v[8:9], v1, s[0:1]\n s_waitcnt vmcnt(0)\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[16:17], v[20:23]",
         "v\\[8:9\\] is read"},
        {"A of an MFMA in an AGPR", waits,
         "global_load_dwordx2 a[8:9], v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], a[8:9], v[16:17], v[20:23]",
         "global_load_dwordx2 v[8:9], v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], a[8:9], v[16:17], v[20:23]",
         "a\\[8:9\\] is read while the load that writes a\\[8:9\\]"},
        {"B of an MFMA in an AGPR", waits,
         "global_load_dword a9, v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], v[16:17], a[8:9], v[20:23]",
         "global_load_dword a10, v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 v[12:15], v[16:17], a[8:9], v[20:23]",
         "a\\[8:9\\] is read while the load that writes a9"},
        {"C of an MFMA in an AGPR", waits,
         fill_lds + "ds_read_b32 a11, v1\n"
                    "v_mfma_f32_16x16x16_f16 a[12:15], v[16:17], v[18:19], a[8:11]",
         fill_lds + "ds_read_b32 a11, v1" + lgkm0 +
             "v_mfma_f32_16x16x16_f16 a[12:15], v[16:17], v[18:19], a[8:11]",
         "a\\[8:11\\] is read while the load that writes a11 is pending \\(lgkmcnt\\)"},
        {"D of an MFMA in an AGPR", waits,
         "global_load_dword a15, v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 a[12:15], v[16:17], v[18:19], 0",
         "global_load_dword v15, v1, s[0:1]\n"
         "v_mfma_f32_16x16x16_f16 a[12:15], v[16:17], v[18:19], 0",
         "a\\[12:15\\] is overwritten while the load that writes a15"},
        {"the last register of 8 of an f8f6f4 MFMA", waits,
         "global_load_dword a15, v1, s[0:1]\n"
         "v_mfma_f32_16x16x128_f8f6f4 v[4:7], a[8:15], v[16:23], 0",
         "global_load_dword a15, v1, s[0:1]\n"
         "v_mfma_f32_16x16x128_f8f6f4 v[4:7], a[8:13], v[16:23], 0 cbsz:2",
         "a\\[8:15\\] is read while the load that writes a15", 1, true},
        {"the scale of A", waits, load + scaled + "v3, v30", load + scaled + "v29, v30",
         "v3 is read while the load", 1, true},
        {"the scale of B", waits, load + scaled + "v30, v3", load + vm0 + scaled + "v30, v3",
         "v3 is read while the load", 1, true},
        {"the accumulator of v_fmac", waits, load + "v_fmac_f32 v3, v0, v0",
         load + vm0 + "v_fmac_f32 v3, v0, v0", "v3 is read"},
        {"an atomic that returns", waits, "global_atomic_add v3, v1, v0, s[0:1] sc0\n" + use,
         "global_atomic_add v1, v0, s[0:1]\n" + use, "v3 is read.*global_atomic_add v3"},
        {"a buffer atomic that returns", waits,
         "buffer_atomic_add v3, v1, s[4:7], 0 offen sc0\n" + use,
         "buffer_atomic_add v3, v1, s[4:7], 0 offen\n" + use, "v3 is read"},
        {"scratch", waits, "scratch_load_dword v3, off, off\n" + use,
         "scratch_load_dword v3, off, off\n s_waitcnt vmcnt(0)\n" + use, "v3 is read"},
        {"an LDS read", waits, fill_lds + "ds_read_b32 v3, v1\n" + use,
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + use, "v3 is read .*pending \\(lgkmcnt\\)"},
        {"LDS is in order", waits,
         fill_lds + "ds_read_b32 v3, v1\n ds_read_b32 v4, v1\n s_waitcnt lgkmcnt(1)\n"
                    "v_mov_b32 v5, v4",
         fill_lds + "ds_read_b32 v3, v1\n ds_read_b32 v4, v1\n s_waitcnt lgkmcnt(1)\n"
                    "v_mov_b32 v5, v3",
         "v4 is read"},
        {"the 16th makes the first complete", waits,
         fill_lds + "ds_read_b32 v3, v1\n" + times(14, "ds_read_b32 v4, v1") + use,
         fill_lds + "ds_read_b32 v3, v1\n" + times(15, "ds_read_b32 v4, v1") + use, "v3 is read"},
        {"LDS and scalar loads share lgkmcnt", waits,
         fill_lds + "ds_read_b32 v3, v1\n s_load_dword s8, s[0:1], 0x0\n s_waitcnt lgkmcnt(1)\n" +
             use,
         fill_lds +
             "ds_read_b32 v3, v1\n ds_read_b32 v4, v1\n s_load_dword s8, s[0:1], 0x0\n"
             "s_waitcnt lgkmcnt(1)\n" +
             use,
         "v3 is read"},
        {"lgkmcnt above 7", waits,
         fill_lds + "ds_read_b32 v3, v1\n" + times(8, "ds_read_b32 v4, v1") +
             "s_waitcnt lgkmcnt(9)\n" + use,
         fill_lds + "ds_read_b32 v3, v1\n" + times(9, "ds_read_b32 v4, v1") +
             "s_waitcnt lgkmcnt(9)\n" + use,
         "v3 is read"},
        {"lgkmcnt has four bits", waits, fill_lds + "ds_read_b32 v3, v1\n s_waitcnt 0xf17f\n" + use,
         fill_lds + "ds_read_b32 v3, v1\n s_waitcnt 0xf07f\n" + use, "v3 is read"},
        {"a lane shuffle", waits, "ds_bpermute_b32 v3, v1, v0\n" + use,
         "ds_bpermute_b32 v3, v1, v0" + lgkm0 + use, "v3 is read"},
        {"an LDS atomic that returns", waits, fill_lds + "ds_add_rtn_u32 v3, v1, v0\n" + use,
         fill_lds + "ds_add_u32 v1, v0\n" + use, "v3 is read"},
        {"a counter in LDS", waits, fill_lds + "s_mov_b32 m0, 0\n ds_append v3\n" + use,
         fill_lds + "s_mov_b32 m0, 0\n ds_append v3" + lgkm0 + use,
         "v3 is read .*\\(lgkmcnt\\).*ds_append v3"},
        {"a counter in LDS that shrinks", waits,
         fill_lds + "s_mov_b32 m0, 0\n ds_consume v3\n" + use,
         fill_lds + "s_mov_b32 m0, 0\n ds_consume v3" + lgkm0 + use, "v3 is read.*ds_consume v3"},
        {"two elements that are exchanged", waits,
         fill_lds + "ds_wrxchg2_rtn_b32 v[8:9], v1, v0, v2 offset1:1\n v_mov_b32 v5, v9",
         fill_lds + "ds_wrxchg2_rtn_b32 v[8:9], v1, v0, v2 offset1:1" + lgkm0 + "v_mov_b32 v5, v9",
         "v9 is read while the load that writes v\\[8:9\\]"},
        {"a comparison of floats", waits, fill_lds + "ds_cmpst_rtn_f32 v3, v1, v0, v2\n" + use,
         fill_lds + "ds_cmpst_f32 v1, v0, v2\n v_mov_b32 v1, 0\n" + use, "v3 is read"},
        {"LDS by the lane", waits, fill_lds + "s_mov_b32 m0, 0\n ds_read_addtid_b32 v3\n" + use,
         fill_lds + "s_mov_b32 m0, 0\n ds_read_addtid_b32 v3" + lgkm0 + use, "v3 is read"},
        {"a load is written to LDS by the lane", waits,
         load + "s_mov_b32 m0, 0\n ds_write_addtid_b32 v3",
         load + vm0 + "s_mov_b32 m0, 0\n ds_write_addtid_b32 v3\n v_mov_b32 v3, 0", "v3 is read"},
        {"a scalar load", waits, "s_load_dword s8, s[0:1], 0x0\n s_add_u32 s9, s8, s8",
         "s_load_dword s8, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_add_u32 s9, s8, s8",
         "s8 is read .*pending \\(lgkmcnt\\(0\\)\\)"},
        {"scalar loads have no order", waits,
         "s_load_dword s8, s[0:1], 0x0\n s_load_dword s9, s[0:1], 0x4\n s_waitcnt lgkmcnt(1)\n"
         "s_mov_b32 s10, s8",
         "s_load_dword s8, s[0:1], 0x0\n s_load_dword s9, s[0:1], 0x4\n s_waitcnt lgkmcnt(0)\n"
         "s_mov_b32 s10, s8",
         "s8 is read"},
        {"a scalar load is overwritten by one", waits,
         "s_load_dword s8, s[0:1], 0x0\n s_load_dword s8, s[0:1], 0x4",
         "s_load_dword s8, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_load_dword s8, s[0:1], 0x4",
         "s8 is overwritten"},
        {"a scalar buffer load", waits,
         "s_buffer_load_dwordx2 s[8:9], s[4:7], 0x0\n v_mov_b32 v5, s9",
         "s_buffer_load_dwordx2 s[8:9], s[4:7], 0x0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, s9",
         "s9 is read"},
        {"the clock", waits, "s_memtime s[8:9]\n s_mov_b32 s10, s8",
         "s_memtime s[8:9]\n s_waitcnt lgkmcnt(0)\n s_mov_b32 s10, s8", "s8 is read"},
        {"VCC of a branch", waits, "s_load_dwordx2 vcc, s[0:1], 0x0\n s_cbranch_vccz 1f\n1:",
         "s_load_dwordx2 vcc, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_cbranch_vccz 1f\n1:",
         "vcc is read"},
        {"flat needs both counters", waits, flat + vm0 + use, flat + vm0 + store + lgkm0 + use,
         "v3 is read .*vmcnt\\(0\\) and lgkmcnt\\(0\\)"},
        {"flat has no order", waits, flat + store + "s_waitcnt vmcnt(1) lgkmcnt(0)\n" + use,
         flat + store + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + use, "v3 is read"},
        {"VGPR indexing", waits,
         load + "s_mov_b32 s8, 2\n s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_mov_b32 v5, v1\n"
                "s_set_gpr_idx_off",
         load + "s_mov_b32 s8, 1\n s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_mov_b32 v5, v1\n"
                "s_set_gpr_idx_off",
         "v3 is read"},
        {"SGPR indexing", waits,
         "s_mov_b32 m0, 2\n s_load_dword s10, s[0:1], 0x0\n s_movrels_b32 s9, s8",
         "s_mov_b32 m0, 1\n s_load_dword s10, s[0:1], 0x0\n s_movrels_b32 s11, s8", "s10 is read"},
        {"a load to LDS is read", waits, dma + "ds_read_b32 v3, v1",
         dma + vm0 + "ds_read_b32 v3, v1",
         "LDS byte 0 of 1024 is read while the load that writes it is pending.*buffer_load_dword "
         ".* lds"},
        {"a load to LDS is overwritten", waits, dma + "ds_write_b32 v1, v0",
         dma + dma + vm0 + "ds_write_b32 v1, v0",
         "LDS byte 0 of 1024 is overwritten while the load"},
        {"a global load to LDS", waits,
         "s_mov_b32 m0, 0\n global_load_lds_dword v1, s[0:1]\n ds_read_b32 v3, v1",
         "s_mov_b32 m0, 0\n global_load_lds_dword v1, s[0:1]\n s_waitcnt vmcnt(0)\n"
         "ds_read_b32 v3, v1",
         "LDS byte 0 of 1024 is read while"},
        {"an LDS read that a load to LDS overtakes", waits, fill_lds + "ds_read_b32 v3, v1\n" + dma,
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + dma,
         "lane 0: LDS byte 0 of 1024 is overwritten by a load to LDS while the instruction that "
         "reads it "
         "is "
         "pending \\(lgkmcnt\\).*instruction buffer_load_dword .* lds.*pending:.*ds_read_b32 v3"},
        {"an LDS write that a load to LDS overtakes", waits, "ds_write_b32 v1, v0\n" + dma,
         "ds_write_b32 v1, v0" + lgkm0 + dma, "while the instruction that writes it is pending"},
        {"an LDS atomic that a load to LDS overtakes", waits, "ds_add_u32 v1, v0\n" + dma,
         "ds_add_u32 v1, v0" + lgkm0 + dma, "while the instruction that updates it is pending"},
        // Its lanes are looked at one by one, and there are more of them than entries.
        {"one lane of an LDS atomic that a load to LDS overtakes", waits,
         "ds_add_u32 v1, v0\n s_mov_b32 m0, 20\n s_mov_b64 exec, 1\n"
         "global_load_lds_dword v1, s[0:1]",
         "ds_add_u32 v1, v0\n s_mov_b32 m0, 256\n s_mov_b64 exec, 1\n"
         "global_load_lds_dword v1, s[0:1]",
         "lane 0: LDS byte 20 of 1024 .* while the instruction that updates it is pending"},
        {"the upper lanes of an LDS read that a load to LDS overtakes", waits,
         upper_read + "s_mov_b32 m0, 128\n global_load_lds_dword v1, s[0:1]",
         upper_read + "s_mov_b32 m0, 0\n global_load_lds_dword v1, s[0:1]",
         "lane 0: LDS byte 128 of 1024 is overwritten by a load to LDS while"},
        {"an LDS read of two runs that a load to LDS overtakes", waits,
         two_runs + "s_mov_b32 m0, 640\n global_load_lds_dword v1, s[0:1]",
         two_runs + "s_mov_b32 m0, 256\n global_load_lds_dword v1, s[0:1]",
         "lane 0: LDS byte 640 of 1024 is overwritten by a load to LDS while"},
        // A load has looked at the first of 32 entries, which comes to hold another read.
        {"an LDS read in an entry that another one has left", waits,
         ring + "ds_read_b32 v3, v1 offset:512\n" + dma_512,
         ring + "ds_read_b32 v3, v1 offset:512" + lgkm0 + dma_512,
         "lane 0: LDS byte 512 of 1024 is overwritten by a load to LDS while the instruction that "
         "reads it is pending"},
        {"a load to LDS between the dwords of a read in flight", check::waits,
         "v_lshlrev_b32 v8, 3, v0\n s_mov_b32 m0, 0\n ds_read_b32 v3, v8\n"
         "s_mov_b32 exec_lo, 0x55555555\n global_load_lds_dword v1, s[0:1]",
         "v_lshlrev_b32 v8, 3, v0\n s_mov_b32 m0, 0\n ds_read_b32 v3, v8\n"
         "s_mov_b32 exec_lo, 0xaaaaaaaa\n s_mov_b32 exec_hi, 0xaaaaaaaa\n"
         "global_load_lds_dword v1, s[0:1]",
         "is overwritten by a load to LDS while the instruction that reads it is pending"},
        {"a global load to LDS overtakes", waits,
         fill_lds + "ds_read_b32 v3, v1\n s_mov_b32 m0, 252\n global_load_lds_dword v1, s[0:1]",
         fill_lds + "ds_read_b32 v3, v1\n s_mov_b32 m0, 256\n global_load_lds_dword v1, s[0:1]",
         "lane 0: LDS byte 252 of 1024 is overwritten by a load to LDS"},
        {"the second of two reads that one instruction does", waits,
         fill_lds + "ds_read2_b32 v[8:9], v1 offset1:64\n s_mov_b32 m0, 0x1fc\n"
                    "global_load_lds_dword v1, s[0:1]",
         fill_lds + "ds_read2_b32 v[8:9], v1 offset1:64\n s_mov_b32 m0, 0x200\n"
                    "global_load_lds_dword v1, s[0:1]",
         "lane 0: LDS byte 508 of 1024 is overwritten by a load to LDS"},
        {"the last LDS write counts", waits,
         "ds_write_b32 v1, v0 offset:256\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(1)\n" + dma,
         "ds_write_b32 v1, v0\n ds_write_b32 v1, v0 offset:256\n s_waitcnt lgkmcnt(1)\n" + dma,
         "LDS byte 0 of 1024 is overwritten by a load to LDS"},
        {"a load to LDS overtakes a flat write", waits,
         "v_mov_b32 v6, v1\n s_mov_b64 s[8:9], src_shared_base\n v_mov_b32 v7, s9\n"
         "flat_store_dword v[6:7], v0\n" +
             dma,
         "v_mov_b32 v6, v1\n s_mov_b64 s[8:9], src_shared_base\n v_mov_b32 v7, s9\n"
         "flat_store_dword v[6:7], v0\n s_waitcnt vmcnt(0) lgkmcnt(0)\n" +
             dma,
         "while the instruction that writes it is pending \\(vmcnt\\(0\\) and lgkmcnt\\(0\\)\\)"},
    };
}

std::vector<twin> race_twins() {
    constexpr auto races = check::races;
    // With an access still pending either check reports.
    constexpr auto both = check::races | check::waits;
    const std::string write_own = "v_mov_b32 v4, s2\n ds_write_b32 v2, v4\n";
    const std::string read_other = "v_xor_b32 v3, 0x100, v2\n ds_read_b32 v3, v3" + lgkm0;
    const std::string write_first = "ds_write_b32 v1, v0" + lgkm0;
    const std::string early_write = "ds_write_b32 v1, v0 offset:512" + lgkm0;
    const std::string two_in_turn =
        "v_lshlrev_b32 v5, 5, v0\n s_mov_b64 exec, 5\n ds_write_b128 v5, v[8:11]\n"
        "s_mov_b64 exec, 2\n ds_write_b128 v5, v[8:11]\n s_mov_b64 exec, 7\n"
        "ds_read_b128 v[12:15], v5" +
        lgkm0;
    const std::string across_blocks =
        "s_mov_b64 exec, 1\n v_mov_b32 v5, 8\n ds_write_b128 v5, v[8:11]" + lgkm0;
    const std::string many_writes =
        "s_movk_i32 s20, 3000\nmany:\n ds_write_b32 v1, v0\n"
        "s_sub_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 many" +
        lgkm0;
    return {
        {"a load to LDS across a barrier", both,
         only_wave(0, dma) + barrier + vm0 + only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(0, dma + vm0) + barrier + only_wave(1, "ds_read_b32 v3, v1"),
         "race: lane 0: LDS byte 0 of 1024: wave 1 reads what wave 0 writes, and wave 0 had not "
         "waited for "
         "it \\(vmcnt\\) at the barrier.*the other one:.*buffer_load_dword .* lds.*wave +0",
         2},
        {"a load to LDS without a barrier after the wait", races,
         only_wave(0, dma + vm0) + only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(0, dma + vm0) + barrier + only_wave(1, "ds_read_b32 v3, v1"),
         "wave 1 reads what wave 0 writes without a barrier between", 2},
        {"a write in flight across a barrier", both, write_own + barrier + read_other,
         write_own + lgkm0 + barrier + read_other,
         "wave 0 reads what wave 1 writes, and wave 1 had not waited for it \\(lgkmcnt\\)", 2},
        {"a read in flight across a barrier", both,
         fill_lds + only_wave(0, "ds_read_b32 v3, v1") + barrier +
             only_wave(1, "ds_write_b32 v1, v0"),
         fill_lds + only_wave(0, "ds_read_b32 v3, v1" + lgkm0) + barrier +
             only_wave(1, "ds_write_b32 v1, v0"),
         "wave 1 writes what wave 0 reads, and wave 0 had not waited for it \\(lgkmcnt\\)", 2},
        // Nobody has written there yet, but another wave will.
        {"a read that comes before the write", races | check::uninitialized_lds,
         only_wave(0, "ds_read_b32 v3, v1" + lgkm0) + only_wave(1, "ds_write_b32 v1, v0" + lgkm0),
         only_wave(1, "ds_write_b32 v1, v0" + lgkm0) + barrier + only_wave(0, "ds_read_b32 v3, v1"),
         "race: lane 0: LDS byte 0 of 1024: wave 1 writes what wave 0 reads without a barrier "
         "between",
         2},
        {"a read that only a barrier separates from the write", races | check::uninitialized_lds,
         only_wave(0, "ds_read_b32 v3, v1" + lgkm0) + barrier +
             only_wave(1, "ds_write_b32 v1, v0" + lgkm0),
         only_wave(1, "ds_write_b32 v1, v0" + lgkm0) + barrier + only_wave(0, "ds_read_b32 v3, v1"),
         "lane 0: LDS byte 0 of 1024 is read before anything is written there.*group .*wave 0", 2},
        {"a read at the end", races | check::uninitialized_lds, only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(1, "ds_write_b32 v1, v0" + lgkm0 + "ds_read_b32 v3, v1"),
         "LDS byte 0 of 1024 is read before anything is written there.*wave 1", 2},
        {"read after write", races,
         only_wave(0, write_own + lgkm0) + only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(0, write_own + lgkm0) + barrier + only_wave(1, "ds_read_b32 v3, v1"),
         "wave 1 reads what wave 0 writes without a barrier between", 2},
        {"write after read", races, fill_lds + only_wave(0, read_other) + only_wave(1, write_own),
         fill_lds + only_wave(0, read_other) + barrier + only_wave(1, write_own),
         "wave 1 writes what wave 0 reads without a barrier between.*"
         "instruction ds_write_b32.*the other one:.*instruction ds_read_b32",
         2},
        {"write after write", races, "v_mov_b32 v4, s2\n ds_write_b32 v1, v4" + lgkm0,
         "v_mov_b32 v4, 7\n ds_write_b32 v1, v4" + lgkm0,  // the same value is no race
         "wave 1 writes what wave 0 writes", 2},
        {"a barrier that came before", races, fill_lds + barrier + write_own + read_other,
         fill_lds + write_own + lgkm0 + barrier + read_other, "wave 1 writes what wave 0 reads", 2},
        {"write after write, not from byte 0 on", races,
         "v_mov_b32 v4, s2\n ds_write_b32 v1, v4 offset:256" + lgkm0,
         "v_add_u32 v4, 7, v0\n ds_write_b32 v1, v4 offset:256" + lgkm0,
         "LDS byte 256 of 1024: wave 1 writes what wave 0 writes"
         ".*\\(0x00000001[^)]*\\) over 0x00000000",
         2},
        {"bytes over bytes", races,
         "v_mov_b32 v4, 0x55\n v_lshlrev_b32 v4, s2, v4\n ds_write_b8 v0, v4 offset:2" + lgkm0,
         "v_mov_b32 v4, 0x55\n ds_write_b8 v0, v4 offset:2" + lgkm0,
         "lane 0: LDS byte 2 of 1024.*\\(0x55aa0000[^)]*\\) over 0x55550000", 2},
        {"lanes of eight bytes", races,
         "v_mov_b32 v4, 3\n v_mov_b32 v5, v0\n s_cmp_eq_u32 s2, 0\n s_cbranch_scc1 1f\n"
         "s_mov_b64 exec, 32\n v_add_u32 v5, 0x100, v5\n s_mov_b64 exec, -1\n1:\n"
         "v_lshlrev_b32 v6, 3, v0\n ds_write_b64 v6, v[4:5]" +
             lgkm0,
         "v_mov_b32 v4, 3\n v_mov_b32 v5, v0\n v_lshlrev_b32 v6, 3, v0\n"
         "ds_write_b64 v6, v[4:5]" +
             lgkm0,
         "lane 5: LDS byte 45 of 1024.*\\(0x00000105[^)]*\\) over 0x00000005", 2},
        {"a dword beside another one", races,
         fill_lds + "s_mov_b64 exec, 1\n v_mov_b32 v4, s2\n ds_write_b32 v1, v4 offset:8" + lgkm0,
         fill_lds + "v_mov_b32 v4, 7\n s_mov_b64 exec, 1\n ds_write_b32 v1, v4 offset:8" + lgkm0,
         "LDS byte 8 of 1024", 2},
        {"the first of three readers", races,
         fill_lds + barrier + only_wave(0, "ds_read_b32 v3, v1" + lgkm0) +
             only_wave(1, "ds_read_b32 v3, v1" + lgkm0) +
             only_wave(2, "ds_read_b32 v3, v1" + lgkm0) + only_wave(3, "ds_write_b32 v1, v0"),
         fill_lds + barrier + "ds_read_b32 v3, v1" + lgkm0 + barrier +
             only_wave(3, "ds_write_b32 v1, v0"),
         "wave 3 writes what wave 0 reads", 4},
        {"a wait behind the barrier", check::waits,
         only_wave(0, "ds_write_b32 v1, v0") + barrier + lgkm0 + only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) + barrier + only_wave(1, "ds_read_b32 v3, v1"),
         "wave 1 reads what wave 0 writes, and wave 0 had not waited for it.*check +waits", 2},
        {"a barrier that is left out is no wait", check::waits,
         only_wave(0, "ds_write_b32 v1, v0") + only_wave(1, "ds_read_b32 v3, v1"),
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) + only_wave(1, "ds_read_b32 v3, v1"),
         "wave 1 reads what wave 0 writes.*check +waits", 2},
        {"bytes of one dword", races,
         "v_mov_b32 v4, s2\n v_mov_b32 v5, 0\n ds_write_b8 v5, v4" + lgkm0,
         "v_mov_b32 v4, s2\n v_mov_b32 v5, s2\n ds_write_b8 v5, v4" + lgkm0,
         "LDS byte 0 of 1024: wave 1 writes what wave 0 writes", 2},
        {"a byte of a dword", races,
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 7\n ds_read_u8 v3, v5"),
         only_wave(0, "ds_write_b8 v1, v0" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 7\n ds_write_b8 v5, v5\n ds_read_u8 v3, v5"),
         "LDS byte 7 of 1024: wave 1 reads what wave 0 writes", 2},
        {"a dword after a byte of it", races,
         fill_lds + only_wave(0, "ds_write_b8 v1, v2 offset:2" + lgkm0) +
             only_wave(1, "ds_read_b32 v3, v1"),
         fill_lds + only_wave(0, "ds_write_b8 v1, v2 offset:2" + lgkm0) + barrier +
             only_wave(1, "ds_read_b32 v3, v1"),
         "LDS byte 2 of 1024: wave 1 reads what wave 0 writes", 2},
        {"a write between a read and the same write", races,
         fill_lds + only_wave(0, "ds_read_b32 v3, v1" + lgkm0 + "ds_write_b32 v1, v2" + lgkm0) +
             only_wave(1, "v_mov_b32 v4, v1\n ds_write_b32 v1, v4"),
         fill_lds + only_wave(0, "ds_write_b32 v1, v2" + lgkm0) +
             only_wave(1, "v_mov_b32 v4, v1\n ds_write_b32 v1, v4"),
         "wave 1 writes what wave 0 reads", 2},
        {"a wave that ends in flight", both,
         only_wave(0, "ds_write_b32 v1, v0\n s_endpgm") + barrier + "ds_read_b32 v3, v1",
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0 + "s_endpgm") + barrier + "ds_read_b32 v3, v1",
         "wave 1 reads what wave 0 writes, and wave 0 had not waited for it", 2},
        {"atomics", races,
         write_first + barrier + "ds_add_u32 v1, v0" + lgkm0 + "ds_read_b32 v3, v1",
         write_first + barrier + "ds_add_u32 v1, v0" + lgkm0 + barrier + "ds_read_b32 v3, v1",
         "wave 1 updates what wave 0 reads", 2},
        {"a counter and its reader", races,
         fill_lds + "s_mov_b32 m0, 0\n" + only_wave(0, "ds_append v3" + lgkm0) +
             only_wave(1, "ds_read_b32 v3, v1"),
         fill_lds + "s_mov_b32 m0, 0\n ds_append v3" + lgkm0 + barrier +
             only_wave(1, "ds_read_b32 v3, v1"),
         "wave 1 reads what wave 0 updates", 2},
        {"two elements that are exchanged", races,
         fill_lds + only_wave(0, "ds_read_b32 v3, v1 offset:12" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 4\n ds_wrxchg2_rtn_b32 v[8:9], v5, v0, v0 offset1:2"),
         fill_lds + only_wave(0, "ds_read_b32 v3, v1 offset:12" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 0\n ds_wrxchg2_rtn_b32 v[8:9], v5, v0, v0 offset1:2"),
         "LDS byte 12 of 1024: wave 1 updates what wave 0 reads", 2},
        {"LDS by the lane", races,
         "s_mov_b32 m0, 0\n v_mov_b32 v4, s2\n ds_write_addtid_b32 v4 offset:40",
         "s_lshl_b32 m0, s2, 8\n v_mov_b32 v4, s2\n ds_write_addtid_b32 v4 offset:40",
         "lane 0: LDS byte 40 of 1024: wave 1 writes what wave 0 writes", 2},
        {"a read of LDS by the lane", races,
         only_wave(0, write_first) + "s_mov_b32 m0, 0\n" + only_wave(1, "ds_read_addtid_b32 v3"),
         only_wave(0, write_first) + "s_mov_b32 m0, 0\n" + barrier +
             only_wave(1, "ds_read_addtid_b32 v3"),
         "wave 1 reads what wave 0 writes", 2},
        {"one of two readers writes", races,
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + only_wave(1, "ds_write_b32 v1, v3"),
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + barrier + only_wave(1, "ds_write_b32 v1, v3"),
         "wave 1 writes what wave 0 reads", 2},
        {"a dword of sixteen bytes", races,
         only_wave(0,
                   "v_lshlrev_b32 v5, 4, v0\n v_and_b32 v5, 0x3f0, v5\n"
                   "ds_write_b128 v5, v[8:11]" +
                       lgkm0) +
             only_wave(1, "v_mov_b32 v5, 40\n ds_read_b32 v3, v5"),
         only_wave(0,
                   "v_lshlrev_b32 v5, 4, v0\n v_and_b32 v5, 0x3f0, v5\n"
                   "ds_write_b128 v5, v[8:11]" +
                       lgkm0) +
             barrier + only_wave(1, "v_mov_b32 v5, 40\n ds_read_b32 v3, v5"),
         "lane 0: LDS byte 40 of 1024: wave 1 reads what wave 0 writes", 2},
        {"sixteen bytes of which a dword is read", races,
         fill_lds + only_wave(0, "v_mov_b32 v5, 40\n ds_read_b32 v3, v5" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 32\n ds_write_b128 v5, v[8:11]"),
         fill_lds + only_wave(0, "v_mov_b32 v5, 48\n ds_read_b32 v3, v5" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 32\n ds_write_b128 v5, v[8:11]"),
         "LDS byte 40 of 1024: wave 1 writes what wave 0 reads", 2},
        {"sixteen bytes of which three were read before a barrier", races,
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + barrier +
             only_wave(0, "v_mov_b32 v5, 44\n ds_read_b32 v3, v5" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 32\n ds_write_b128 v5, v[8:11]"),
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + barrier +
             only_wave(1, "v_mov_b32 v5, 32\n ds_write_b128 v5, v[8:11]"),
         "LDS byte 44 of 1024: wave 1 writes what wave 0 reads", 2},
        {"sixteen bytes of which one dword was written later", races,
         fill_lds +
             only_wave(0, "v_mov_b32 v5, 32\n ds_write_b32 v5, v0 offset:12" + lgkm0 +
                              "ds_read_b128 v[8:11], v5" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 44\n ds_read_b32 v3, v5"),
         fill_lds +
             only_wave(0, "v_mov_b32 v5, 32\n ds_write_b32 v5, v0 offset:12" + lgkm0 +
                              "ds_read_b128 v[8:11], v5" + lgkm0) +
             only_wave(1, "v_mov_b32 v5, 40\n ds_read_b32 v3, v5"),
         "LDS byte 44 of 1024: wave 1 reads what wave 0 writes", 2},
        {"the third of blocks that two instructions have written in turn", races,
         only_wave(0, two_in_turn) + only_wave(1, "v_mov_b32 v6, 64\n ds_write_b128 v6, v[8:11]"),
         only_wave(0, two_in_turn) + only_wave(1, "v_mov_b32 v6, 96\n ds_write_b128 v6, v[8:11]"),
         "LDS byte 64 of 1024: wave 1 writes what wave 0 reads", 2},
        {"sixteen bytes of two blocks", races,
         only_wave(0, across_blocks) + only_wave(1, "v_mov_b32 v5, 20\n ds_read_b32 v3, v5"),
         only_wave(0, across_blocks) + only_wave(1, "v_mov_b32 v5, 24\n ds_read_b32 v3, v5"),
         "LDS byte 20 of 1024: wave 1 reads what wave 0 writes", 2},
        // Lane 5's value differs in its third byte; the lanes before it write what is there.
        {"one value of many", races,
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) +
             only_wave(1,
                       "v_mov_b32 v4, v0\n v_mov_b32 v6, 0x10005\n v_cmp_eq_u32 vcc, 5, v0\n"
                       "v_cndmask_b32 v4, v4, v6, vcc\n ds_write_b32 v1, v4"),
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) + only_wave(1, "ds_write_b32 v1, v0"),
         "lane 5: LDS byte 22 of 1024: wave 1 writes what wave 0 writes", 2},
        {"lanes that are not in the order of their bytes", races,
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) +
             only_wave(1, "v_sub_u32 v5, 63, v0\n v_lshlrev_b32 v5, 2, v5\n ds_read_b32 v3, v5"),
         only_wave(0, "ds_write_b32 v1, v0" + lgkm0) + barrier +
             only_wave(1, "v_sub_u32 v5, 63, v0\n v_lshlrev_b32 v5, 2, v5\n ds_read_b32 v3, v5"),
         "lane 0: LDS byte 252 of 1024: wave 1 reads what wave 0 writes", 2},
        {"every other lane", races,
         only_wave(0, "ds_write_b8 v1, v0 offset:12" + lgkm0) +
             only_wave(1, "s_mov_b32 exec_lo, 0xaaaaaaaa\n ds_read_b32 v3, v1 offset:12"),
         "s_mov_b32 exec_lo, 0x55555555\n s_mov_b32 exec_hi, 0\n" +
             only_wave(0, "ds_write_b8 v1, v0 offset:12" + lgkm0) +
             only_wave(1, "s_mov_b32 exec_lo, 0xaaaaaaaa\n ds_read_b32 v3, v1 offset:12"),
         "lane 1: LDS byte 16 of 1024: wave 1 reads what wave 0 writes", 2},
        {"a write before thousands of others", races,
         only_wave(0, early_write + many_writes) + only_wave(1, "ds_read_b32 v3, v1 offset:512"),
         only_wave(0, early_write + many_writes) + barrier +
             only_wave(1, "ds_read_b32 v3, v1 offset:512"),
         "lane 0: LDS byte 512 of 1024: wave 1 reads what wave 0 writes.*the other one:.*"
         "ds_write_b32 v1, v0 offset:512",
         2},
        {"one of three readers writes", races,
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + only_wave(2, "ds_write_b32 v1, v3"),
         fill_lds + "ds_read_b32 v3, v1" + lgkm0 + barrier + only_wave(2, "ds_write_b32 v1, v3"),
         "wave 2 writes what wave 0 reads", 3},
    };
}

std::vector<twin> initialization_twins() {
    constexpr auto lds = check::uninitialized_lds;
    constexpr auto registers = check::uninitialized_registers;
    return {
        {"a dword of sixteen bytes that nobody wrote", lds,
         "v_mov_b32 v5, 0\n ds_write_b64 v5, v[8:9] offset:16\n ds_write_b32 v5, v0 offset:28" +
             lgkm0 + "ds_read_b128 v[8:11], v5 offset:16",
         "v_mov_b32 v5, 0\n ds_write_b64 v5, v[8:9] offset:16\n ds_write_b64 v5, v[8:9] offset:24" +
             lgkm0 + "ds_read_b128 v[8:11], v5 offset:16",
         "lane 0: LDS byte 24 of 1024 is read before"},
        {"LDS that nobody wrote", lds, "ds_read_b32 v3, v1", fill_lds + "ds_read_b32 v3, v1",
         "lane 0: LDS byte 0 of 1024 is read before anything is written there"},
        {"half of a pair", lds,
         only_wave(0,
                   "v_lshlrev_b32 v4, 3, v0\n ds_write_b32 v4, v0\n"
                   "ds_read_b64 v[8:9], v4"),
         "v_lshlrev_b32 v4, 3, v0\n ds_write_b32 v4, v0\n ds_write_b32 v4, v0 offset:4\n"
         "ds_read_b64 v[8:9], v4",
         "lane 0: LDS byte 4 of 1024 is read"},
        {"a byte of a dword that nobody wrote", lds,
         "ds_write_b8 v1, v0\n ds_read_u8 v3, v1 offset:1",
         "ds_write_b8 v1, v0\n ds_read_u8 v3, v1", "LDS byte 1 of 1024 is read"},
        {"an atomic on LDS that nobody wrote", lds, "ds_add_u32 v1, v0",
         "ds_write_b32 v1, v0\n ds_add_u32 v1, v0", "LDS byte 0 of 1024 is read"},
        {"a counter that nobody wrote", lds, "s_mov_b32 m0, 0\n ds_append v3 offset:256",
         "ds_write_b32 v1, v0 offset:4\n s_mov_b32 m0, 0\n ds_append v3 offset:256",
         "lane 0: LDS byte 256 of 1024 is read"},
        {"LDS by the lane that nobody wrote", lds,
         "ds_write_b32 v1, v0\n s_mov_b32 m0, 4\n ds_read_addtid_b32 v3",
         "ds_write_b32 v1, v0\n s_mov_b32 m0, 0\n ds_write_addtid_b32 v0 offset:4\n"
         "s_mov_b32 m0, 4\n ds_read_addtid_b32 v3",
         "lane 63: LDS byte 256 of 1024 is read"},
        // 32 bits multiplied and added: nobody has to write v9, and nobody may use v11.
        {"the upper half of a sum", registers,
         "v_mov_b32 v8, 1\n v_mad_u64_u32 v[10:11], s[8:9], v0, v0, v[8:9]\n v_mov_b32 v3, v11",
         "v_mov_b32 v8, 1\n v_mad_u64_u32 v[10:11], s[8:9], v0, v0, v[8:9]\n v_mov_b32 v3, v10",
         "lane 0: v11 is read before anything is written there"},
        {"the lower half of a sum", registers,
         "v_mov_b32 v9, 1\n v_mad_i64_i32 v[10:11], s[8:9], v0, v0, v[8:9]",
         "v_mov_b32 v8, 1\n v_mad_i64_i32 v[10:11], s[8:9], v0, v0, v[8:9]",
         "lane 0: v8 is read before anything is written there"},
        {"the upper half of a sum in place", registers,
         "v_mov_b32 v8, 1\n v_lshl_add_u64 v[8:9], v[8:9], 2, 0\n v_mov_b32 v3, v9",
         "v_mov_b32 v8, 1\n v_mov_b32 v9, 1\n v_lshl_add_u64 v[8:9], v[8:9], 2, 0\n"
         "v_mov_b32 v3, v9",
         "lane 0: v9 is read before anything is written there"},
        {"the carry of half a sum", registers,
         "v_mov_b32 v8, 1\n v_mad_u64_u32 v[10:11], s[8:9], v0, v0, v[8:9]\n s_mov_b32 s10, s8",
         "v_mov_b32 v8, 1\n v_mov_b32 v9, 1\n"
         "v_mad_u64_u32 v[10:11], s[8:9], v0, v0, v[8:9]\n s_mov_b32 s10, s8",
         "s8 is read before anything is written there"},
        {"the carry of half a sum in the first SGPR", registers,
         "v_mov_b32 v8, 1\n v_mad_u64_u32 v[10:11], s[0:1], v0, v0, v[8:9]\n s_mov_b32 s10, s0",
         "v_mov_b32 v8, 1\n v_mad_u64_u32 v[10:11], s[2:3], v0, v0, v[8:9]\n s_mov_b32 s10, s0",
         "s0 is read before anything is written there"},
        {"the upper half of a shift", registers,
         "v_mov_b32 v8, 1\n v_lshlrev_b64 v[10:11], 3, v[8:9]\n v_mov_b32 v3, v11",
         "v_mov_b32 v8, 1\n v_lshlrev_b64 v[10:11], 3, v[8:9]\n v_mov_b32 v3, v10",
         "lane 0: v11 is read before anything is written there"},
        {"M0 of LDS by the lane", registers, "ds_write_addtid_b32 v0",
         "s_mov_b32 m0, 0\n ds_write_addtid_b32 v0", "m0 is read before anything"},
        {"M0 of a counter that grows", registers, "ds_append v3", "s_mov_b32 m0, 0\n ds_append v3",
         "m0 is read before anything"},
        {"M0 of a counter that shrinks", registers, "ds_consume v3",
         "s_mov_b32 m0, 0\n ds_consume v3", "m0 is read before anything"},
        {"M0 of a load to LDS", registers, "global_load_lds_dword v1, s[0:1]",
         "s_mov_b32 m0, 0\n global_load_lds_dword v1, s[0:1]", "m0 is read before anything"},
        {"M0 of a buffer load to LDS", registers, "buffer_load_dword v1, s[4:7], 0 offen lds",
         "s_mov_b32 m0, 0\n buffer_load_dword v1, s[4:7], 0 offen lds",
         "m0 is read before anything"},
        {"a VGPR", registers, "v_mov_b32 v5, v9", "v_mov_b32 v9, 0\n v_mov_b32 v5, v9",
         "lane 0: v9 is read before anything is written there"},
        {"both dwords of a packed source", registers,
         "v_mov_b32 v20, 0\n v_pk_mul_f32 v[4:5], v[20:21], v[20:21] op_sel_hi:[1,0]",
         "v_mov_b32 v20, 0\n v_pk_mul_f32 v[4:5], v[20:21], v[20:21] op_sel_hi:[0,0]",
         "lane 0: v21 is read before"},
        {"the high dword of a packed source", registers,
         "v_mov_b32 v20, 0\n v_pk_add_f32 v[4:5], v[20:21], v[20:21] op_sel:[0,1] op_sel_hi:[0,0]",
         "v_mov_b32 v21, 0\n v_pk_add_f32 v[4:5], v[20:21], v[20:21] op_sel:[1,1] op_sel_hi:[1,1]",
         "lane 0: v21 is read before"},
        {"dwords of a packed move", registers,
         "v_mov_b32 v20, 0\n v_pk_mov_b32 v[4:5], v[20:21], v[20:21] op_sel:[0,1]",
         "v_mov_b32 v20, 0\n v_pk_mov_b32 v[4:5], v[20:21], v[20:21] op_sel:[0,0]",
         "lane 0: v21 is read before"},
        {"lanes of a VGPR", registers,
         "s_mov_b64 exec, 15\n v_mov_b32 v9, 0\n s_mov_b64 exec, 31\n v_mov_b32 v5, v9",
         "s_mov_b64 exec, 31\n v_mov_b32 v9, 0\n s_mov_b64 exec, 15\n v_mov_b32 v5, v9",
         "lane 4: v9 is read"},
        {"a lane that is switched off", registers, "v_readlane_b32 s8, v9, 0",
         "s_mov_b64 exec, 1\n v_mov_b32 v9, 0\n s_mov_b64 exec, 3\n v_readlane_b32 s8, v9, 0",
         "v9 is read before"},
        {"an MFMA writes lanes that are switched off", registers,
         "s_mov_b64 exec, 1\n v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[0:1], 0\n"
         "s_mov_b64 exec, 3\n v_mov_b32 v5, v8",
         "s_mov_b64 exec, 1\n v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[0:1], 0\n"
         "s_mov_b64 exec, 3\n v_mov_b32 v5, v7",
         "lane 0: v8 is read"},
        {"what a wave starts with", registers, "s_mov_b32 s10, s8",
         "s_mov_b32 s10, s7\n s_mov_b64 s[10:11], exec\n s_mov_b64 s[10:11], flat_scratch",
         "s8 is read before anything"},
        {"an SGPR", registers, "s_add_u32 s8, s9, 1", "s_mov_b32 s9, 0\n s_add_u32 s8, s9, 1",
         "s9 is read before anything"},
        {"VCC of v_div_fmas", registers, "v_div_fmas_f32 v5, v0, v0, v0",
         "s_mov_b64 vcc, 0\n v_div_fmas_f32 v5, v0, v0, v0", "vcc.* is read"},
        {"lanes that DPP did not write", registers,
         "s_mov_b64 exec, 15\n v_mov_b32_dpp v3, v0 quad_perm:[1,0,3,2] row_mask:0xf "
         "bank_mask:0xf\n s_mov_b64 exec, -1\n" +
             use,
         "v_mov_b32_dpp v3, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n" + use,
         "lane 4: v3 is read"},
        {"lanes that a shuffle did not write", registers,
         "s_mov_b64 exec, 15\n ds_swizzle_b32 v3, v0 offset:0x041f" + lgkm0 +
             "s_mov_b64 exec, -1\n" + use,
         "ds_swizzle_b32 v3, v0 offset:0x041f" + lgkm0 + use, "lane 4: v3 is read"},
        {"the result of a load", registers, use, load + vm0 + use, "lane 0: v3 is read"},
    };
}

std::vector<twin> alignment_twins() {
    constexpr auto alignment = check::alignment;
    constexpr auto lds = check::lds_alignment;
    const auto twins_of = [](const char* name, uint32_t checks, const std::string& before,
                             int wrong, int right, const char* report, bool gfx950_only = false) {
        return twin{name,
                    checks,
                    before + std::to_string(wrong),
                    before + std::to_string(right),
                    report,
                    1,
                    gfx950_only};
    };
    // Later accesses find the memory of all lanes at once.
    const std::string found = "buffer_load_dword v3, v1, s[4:7], 0 offen\n s_waitcnt vmcnt(0)\n ";
    const std::string fill =
        "v_mov_b32 v5, 0\n v_lshlrev_b32 v6, 4, v0\n"
        "ds_write_b128 v6, v[8:11]\n";
    const std::string fill_dwords =
        "v_mov_b32 v5, 0\n ds_write_b32 v1, v0 offset:0\n"
        "ds_write_b32 v1, v0 offset:256\n ";
    const std::string one_lane_more = "s_mov_b64 exec, 32\n v_add_u32 v6, ";
    const std::string use_all = "s_mov_b64 exec, -1\n ds_read_b32 v3, v6";
    return {
        twins_of("a buffer access", alignment, "buffer_load_dword v3, off, s[4:7], 0 offset:", 6, 8,
                 "lane 0: address 0x[0-9a-f]*6 is no multiple of 4"),
        twins_of("a buffer store", alignment, "buffer_store_dwordx2 v[0:1], off, s[4:7], 0 offset:",
                 2, 4, "is no multiple of 4"),
        {"the base of a buffer", alignment,
         found + "s_or_b32 s4, s4, 2\n buffer_load_dword v3, v1, s[4:7], 0 offen",
         found + "s_or_b32 s4, s4, 4\n buffer_load_dword v3, v1, s[4:7], 0 offen",
         "lane 0: address 0x[0-9a-f]*2 is no multiple of 4"},
        {"the scalar offset of a buffer", alignment,
         found + "s_mov_b32 s8, 2\n buffer_load_dword v3, v1, s[4:7], s8 offen",
         found + "s_mov_b32 s8, 4\n buffer_load_dword v3, v1, s[4:7], s8 offen",
         "lane 0: address 0x[0-9a-f]*2 is no multiple of 4"},
        {"one lane of a buffer", alignment,
         found +
             "v_mov_b32 v5, v1\n s_mov_b64 exec, 32\n v_add_u32 v5, 2, v5\n s_mov_b64 exec, -1\n"
             "buffer_load_dword v3, v5, s[4:7], 0 offen",
         found +
             "v_mov_b32 v5, v1\n s_mov_b64 exec, 32\n v_add_u32 v5, 4, v5\n s_mov_b64 exec, -1\n"
             "buffer_load_dword v3, v5, s[4:7], 0 offen",
         "lane 5: address 0x[0-9a-f]*6 is no multiple of 4"},
        twins_of("a scalar load", alignment, "s_load_dword s8, s[0:1], ", 2, 4,
                 "0x2, a part of the address, is no multiple of 4"),
        twins_of("the immediate offset of a scalar load", alignment,
                 "s_mov_b32 s9, 0\n s_load_dword s8, s[0:1], s9 offset:", 2, 4,
                 "0x2, a part of the address, is no multiple of 4"),
        {"the scalar offset of a scalar load", alignment,
         "s_mov_b32 s9, 2\n s_load_dword s8, s[0:1], s9 offset:8",
         "s_mov_b32 s9, 4\n s_load_dword s8, s[0:1], s9 offset:8",
         "0x2, a part of the address, is no multiple of 4"},
        {"the base of a scalar load", alignment, "s_or_b32 s0, s0, 2\n s_load_dword s8, s[0:1], 2",
         "s_or_b32 s0, s0, 4\n s_load_dword s8, s[0:1], 4",
         "0x[0-9a-f]+2, a part of the address, is no multiple of 4"},
        {"the base of a scalar load of a buffer", alignment,
         "s_or_b32 s4, s4, 2\n s_buffer_load_dword s8, s[4:7], 0",
         "s_or_b32 s4, s4, 4\n s_buffer_load_dword s8, s[4:7], 0",
         "0x[0-9a-f]+2, a part of the address, is no multiple of 4"},
        {"M0 of a load to LDS", alignment,
         "s_mov_b32 m0, 2\n buffer_load_dword v1, s[4:7], 0 offen lds",
         "s_mov_b32 m0, 8\n buffer_load_dword v1, s[4:7], 0 offen lds",
         "M0 2 or the offset is no multiple of 4"},
        twins_of("an LDS atomic", alignment, fill_dwords + "ds_add_u64 v5, v[0:1] offset:", 4, 8,
                 "address 0x4 is no multiple of 8"),
        twins_of("a conditional exchange", alignment,
                 fill_dwords + "ds_condxchg32_rtn_b64 v[8:9], v5, v[0:1] offset:", 4, 8,
                 "address 0x4 is no multiple of 8"),
        twins_of("a counter in LDS", alignment,
                 fill_dwords + "s_mov_b32 m0, 0\n ds_append v3 offset:", 6, 8,
                 "address 0x6 is no multiple of 4"),
        twins_of("ds_read_addtid_b32", lds,
                 fill_dwords + "s_mov_b32 m0, 0\n ds_read_addtid_b32 v3 offset:", 6, 8,
                 "address 0x6 is no multiple of 4"),
        twins_of("ds_read_b64_tr", check::none, fill + "ds_read_b64_tr_b16 v[8:9], v5 offset:", 4,
                 8, "lane 0: unaligned transposed LDS read", true),
        twins_of("ds_read_b32", lds, fill + "ds_read_b32 v3, v5 offset:", 2, 4,
                 "address 0x2 is no multiple of 4"),
        twins_of("ds_read_b64", lds, fill + "ds_read_b64 v[8:9], v5 offset:", 4, 8,
                 "address 0x4 is no multiple of 8"),
        twins_of("ds_read_b96", lds, fill + "ds_read_b96 v[8:10], v5 offset:", 12, 16,
                 "address 0xc is no multiple of 16"),
        {"ds_read_b96 and the transposed one", lds, fill + "ds_read_b96 v[8:10], v5 offset:12",
         fill + "ds_read_b96_tr_b6 v[8:10], v5 offset:12", "address 0xc is no multiple of 16", 1,
         true},
        {"ds_read_b32 and a load to LDS", lds,
         fill + "s_mov_b32 m0, 2\n buffer_load_dword v1, s[4:7], 0 offen lds" + vm0 +
             "ds_read_b32 v3, v5 offset:2",
         fill + "s_mov_b32 m0, 2\n buffer_load_dword v1, s[4:7], 0 offen lds" + vm0 +
             "ds_read_b32 v3, v5 offset:4",
         "instruction ds_read_b32"},
        {"one lane of LDS", lds, fill + one_lane_more + "2, v6\n" + use_all,
         fill + one_lane_more + "4, v6\n" + use_all, "lane 5: .*address 0x52 is no multiple of 4"},
        twins_of("ds_write_b128", lds, fill + "ds_write_b128 v5, v[8:11] offset:", 8, 32,
                 "address 0x8 is no multiple of 16"),
    };
}

// Bounds have no name: they are always checked.
std::vector<twin> bounds_twins() {
    return {
        {"past the end", check::none, "v_mov_b32 v5, 0x1010\n global_load_dword v3, v5, s[0:1]",
         "v_mov_b32 v5, 0xffc\n global_load_dword v3, v5, s[0:1]",
         "lane 0: load of 4 bytes at 0x[0-9a-f]*, 16 bytes past the end of the 4096-byte "
         "allocation at 0x"},
        {"across the end", check::none, "v_mov_b32 v5, 0xffe\n global_store_dword v5, v0, s[0:1]",
         "v_mov_b32 v5, 0xffc\n global_store_dword v5, v0, s[0:1]",
         "store of 4 bytes at 0x[0-9a-f]*, 2 of them past the end of the 4096-byte allocation"},
        {"before the begin", check::none,
         "v_mov_b32 v5, 0\n global_load_dword v3, v5, s[0:1] offset:-8",
         "v_mov_b32 v5, 8\n global_load_dword v3, v5, s[0:1] offset:-8",
         "lane 0: load of 4 bytes at 0x[0-9a-f]*, 8 bytes before the 4096-byte allocation at 0x"},
        {"far away", check::none, "s_mov_b64 s[8:9], 64\n s_load_dword s10, s[8:9], 0x0",
         "s_mov_b64 s[8:9], s[0:1]\n s_load_dword s10, s[8:9], 0x0",
         "scalar load of 4 bytes at 0x40, near a null pointer"},
        {"LDS", check::none, "v_mov_b32 v5, 0x400\n ds_write_b32 v5, v0",
         "v_mov_b32 v5, 0x3fc\n ds_write_b32 v5, v0",
         "lane 0: LDS access of 4 bytes at 1024, the group has 1024"},
        {"LDS, lanes that follow each other from below 0", check::none,
         "v_lshlrev_b32 v5, 4, v0\n v_add_u32 v5, 0xfffffe00, v5\n ds_read_b128 v[8:11], v5",
         "v_lshlrev_b32 v5, 4, v0\n v_add_u32 v5, 0xfffffe00, v5\n"
         "ds_read_b128 v[8:11], v5 offset:512",
         "lane 0: LDS access of 16 bytes at 4294966784, the group has 1024"},
        {"scratch", check::none, "scratch_store_dword off, v0, off offset:64",
         "scratch_store_dword off, v0, off offset:60",
         "lane 0: private access of 4 bytes at 64, a lane has 64 bytes, writing 0x00000000"},
    };
}

std::vector<twin> exec_twins() {
    constexpr auto exec = check::exec;
    constexpr auto lanes = check::lanes;
    const std::string half = "s_mov_b32 exec_hi, 0\n";
    const std::string all = "s_mov_b32 exec_hi, -1\n";
    const std::string one_to_eight = "v_mov_b32 v8, v0\n";
    const std::string product = "v_mfma_f32_16x16x16_f16 v[12:15], v[0:1], v[0:1], 0\n";
    const std::string shift = "v_mov_b32_dpp v9, v8 row_shr:1 row_mask:0xf bank_mask:0xf\n";
    const std::string indexed_shift = "s_set_gpr_idx_on 2, 1\n" + shift + "s_set_gpr_idx_off";
    const std::string from_above = "v_add_u32 v4, 0x80, v1\n";  // lane l + 32
    const std::string shuffle = "ds_bpermute_b32 v9, v4, v8" + lgkm0;
    return {
        {"a matrix instruction with lanes off", exec, half + product, half + all + product,
         "lane 32 is switched off; a matrix instruction reads what it holds"},
        {"lanes of A that nobody wrote", lanes,
         half + "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n" + all +
             "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[0:1], 0",
         half + all + "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n" +
             "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[0:1], 0",
         "lane 32 of v8 was never written; a matrix instruction reads it"},
        {"C that nobody wrote", lanes, "v_mfma_f32_16x16x16_f16 v[12:15], v[0:1], v[0:1], v[12:15]",
         product + "v_mfma_f32_16x16x16_f16 v[12:15], v[0:1], v[0:1], v[12:15]",
         "lane 0 of v12 was never written"},
        {"no lane at all", exec, half + product, "s_mov_b64 exec, 0\n" + product,
         "lane 32 is switched off"},
        {"a part of the lanes of a scaled one", exec,
         half + "v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[0:7], v[0:7], 0\n",
         "v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[0:7], v[0:7], 0\n", "lane 32 is switched off", 1,
         true},
        {"DPP from a lane that is off", lanes, one_to_eight + "s_mov_b64 exec, 0xfffe\n" + shift,
         one_to_eight + "s_mov_b64 exec, 0xffff\n" + shift,
         "lane 1 reads v8 of lane 0, which is switched off"},
        {"DPP from a lane that nobody wrote", lanes,
         "s_mov_b64 exec, 0xfffe\n" + one_to_eight + "s_mov_b64 exec, -1\n" + shift,
         "s_mov_b64 exec, -1\n" + one_to_eight + shift,
         "lane 1 reads v8 of lane 0, which was never written"},
        {"DPP from an indexed register that nobody wrote", lanes,
         one_to_eight + "s_mov_b64 exec, 0xfffe\n v_mov_b32 v10, v8\n s_mov_b64 exec, -1\n" +
             indexed_shift,
         one_to_eight + "v_mov_b32 v10, v8\n" + indexed_shift,
         "lane 1 reads v10 of lane 0, which was never written"},
        {"DPP under a mask of rows", lanes, one_to_eight + half + "v_mov_b32_dpp v9, v8 wave_shl:1",
         one_to_eight + half + "v_mov_b32_dpp v9, v8 wave_shl:1 row_mask:0xd",
         "lane 31 reads v8 of lane 32, which is switched off"},
        {"DPP under a mask of banks", lanes,
         one_to_eight + half + "v_mov_b32_dpp v9, v8 wave_shl:1",
         one_to_eight + half + "v_mov_b32_dpp v9, v8 wave_shl:1 bank_mask:0x7",
         "lane 31 reads v8 of lane 32, which is switched off"},
        {"a shuffle from lanes that are off", lanes, one_to_eight + from_above + half + shuffle,
         one_to_eight + from_above + shuffle, "lane 0 reads v8 of lane 32, which is switched off"},
        {"a shuffle from lanes that nobody wrote", lanes,
         from_above + half + one_to_eight + all + shuffle, from_above + one_to_eight + shuffle,
         "lane 0 reads v8 of lane 32, which was never written"},
        {"a swizzle from a lane that is off", lanes,
         one_to_eight + "s_mov_b64 exec, 1\n ds_swizzle_b32 v9, v8 offset:0x041f",
         one_to_eight + "s_mov_b64 exec, 3\n ds_swizzle_b32 v9, v8 offset:0x041f",
         "lane 0 reads v8 of lane 1, which is switched off"},
        {"a transposed read with lanes off", check::none,
         "v_mov_b32 v5, 0\n" + half + "ds_read_b64_tr_b16 v[8:9], v5",
         "v_mov_b32 v5, 0\n ds_read_b64_tr_b16 v[8:9], v5",
         "transposed LDS reads need all lanes switched on", 1, true},
    };
}

// What the checks ask of two ranges before they compare them.
TEST(registers, have_bins_in_common_where_ranges_overlap) {
    for (const uint32_t file : {0u, first_agpr, first_sgpr, register_count}) {
        for (uint32_t first = file; first < file + 128; ++first) {
            for (const uint32_t count : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u, 128u}) {
                for (uint32_t other = first; other < first + count; ++other) {
                    EXPECT_TRUE(bins_of(first, count).may_overlap(bins_of(other, 1)))
                        << first << " " << count << " " << other;
                }
            }
        }
    }
    // One vector register is told from every other one.
    for (uint32_t first = 0; first < 256; ++first) {
        for (uint32_t other = 0; other < 256; ++other) {
            EXPECT_EQ(bins_of(first, 1).may_overlap(bins_of(other, 1)), first == other);
        }
    }
}

TEST(checks, waits) {
    check_twins("waits", wait_twins());
}

// What may be relied on in front of one more instruction, by chapter 4.4 of the guide: behind a
// vector load and a read of LDS, each waited for with a count of 1.
struct counted {
    const char* source;
    bool vm;             // one more in vmcnt, in order
    bool lgkm;           // one more in lgkmcnt, in order with LDS
    bool is_run = true;  // the emulator has it
};

constexpr counted counted_ones[] = {
    // "every time a vector-memory read or write (MUBUF, MTBUF, or FLAT format) is issued"
    {"global_load_dword v9, v1, s[0:1]", true, false},
    {"global_store_dword v1, v0, s[0:1]", true, false},
    {"global_store_short v1, v0, s[0:1]", true, false},
    {"global_atomic_add v1, v0, s[0:1]", true, false},
    {"global_atomic_add v9, v1, v0, s[0:1] sc0", true, false},
    {"global_load_lds_dword v1, s[0:1]", true, false},
    {"buffer_load_dword v9, v1, s[4:7], 0 offen", true, false},
    {"buffer_load_dword v1, s[4:7], 0 offen lds", true, false},
    {"buffer_store_dword v0, v1, s[4:7], 0 offen", true, false},
    {"buffer_atomic_add v0, v1, s[4:7], 0 offen", true, false},
    {"scratch_load_dword v9, off, off", true, false},
    {"scratch_store_dword off, v0, off", true, false},
    {"buffer_inv sc1", true, false},
    {"buffer_inv sc0 sc1", true, false},
    {"buffer_wbl2 sc1", true, false},
    {"tbuffer_load_format_x v9, off, s[4:7], 0", true, false, false},
    {"tbuffer_store_format_x v0, off, s[4:7], 0", true, false, false},
    {"buffer_load_format_x v9, off, s[4:7], 0", true, false, false},
    {"buffer_store_format_x v0, off, s[4:7], 0", true, false, false},
    {"scratch_load_lds_dword off, off", true, false, false},
    // "by 1 for every LDS instruction issued"
    {"ds_read_b32 v9, v1", false, true},
    {"ds_write_b32 v1, v0", false, true},
    {"ds_write2_b32 v1, v0, v0 offset1:1", false, true},
    {"ds_add_u32 v1, v0", false, true},
    {"ds_add_rtn_u32 v9, v1, v0", false, true},
    {"ds_swizzle_b32 v9, v0 offset:0x41f", false, true},
    {"ds_bpermute_b32 v9, v1, v0", false, true},
    {"ds_append v9", false, true},
    // FLAT counts in both, "can complete out of order".
    {"flat_load_dword v9, v[6:7]", false, false},
    {"flat_store_dword v[6:7], v0", false, false},
    {"flat_atomic_add v[6:7], v0", false, false},
    // "Instructions of different types are returned out-of-order", scalar reads among themselves too.
    {"s_load_dword s8, s[0:1], 0x0", false, false},
    {"s_load_dwordx2 s[8:9], s[0:1], 0x0", false, false},
    {"s_memtime s[8:9]", false, false},
    {"s_memrealtime s[8:9]", false, false},
    {"s_dcache_inv", false, false},
    {"s_dcache_wb", false, false},
    {"s_sendmsg sendmsg(MSG_INTERRUPT)", false, false, false},
    {"ds_gws_barrier v0 gds", false, false, false},
    // These count nowhere, or nobody says so.
    {"ds_nop", false, false},
    {"s_icache_inv", false, false},
    {"s_barrier", false, false},
    {"s_nop 0", false, false},
    {"v_mov_b32 v9, v0", false, false},
    {"v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[0:1], 0", false, false},
};

TEST(checks, what_each_instruction_counts_in) {
    const std::string start = "v_mov_b32 v6, s0\n v_mov_b32 v7, s1\n s_mov_b32 m0, 0\n s_nop 4\n";
    for (const gfx_target target : both_targets) {
        for (const counted& c : counted_ones) {
            for (const bool is_vm : {true, false}) {
                const std::string code =
                    start + (is_vm ? load : "ds_read_b32 v3, v1 offset:512\n") + c.source +
                    "\n s_waitcnt " + (is_vm ? "vmcnt(1)\n" : "lgkmcnt(1)\n") + use;
                SCOPED_TRACE(std::string(name_of(target)) + ": " + code);
                auto found = lint_of(target, code);
                std::erase_if(found, [](const lint_finding& f) {
                    return f.message.find("v3 is read") == std::string::npos;
                });
                const bool is_over = is_vm ? c.vm : c.lgkm;
                EXPECT_EQ(found.empty(), is_over);
                if (!c.is_run) {
                    continue;
                }
                if (is_over) {
                    EXPECT_NO_REPORT(run_kernel(target, code, 1, check::waits));
                } else {
                    EXPECT_REPORT(run_kernel(target, code, 1, check::waits), "v3 is read");
                }
            }
        }
    }
}

TEST(checks, races) {
    check_twins("races", race_twins());
}

// Of 16 bytes that one wave has written, but for a dword that another one writes and reads with the
// rest.
TEST(checks, races_on_one_dword_of_16_bytes) {
    for (int d = 0; d < 4; ++d) {
        const auto lanes = [](int mask) {
            return "s_mov_b64 exec, " + std::to_string(mask) + "\n";
        };
        const auto source = [&](int read) {
            return only_wave(0, lanes(15 & ~(1 << d)) + "ds_write_b32 v1, v0" + lgkm0) + barrier +
                   only_wave(1, lanes(1 << d) + "ds_write_b32 v1, v0" + lgkm0 + lanes(1) +
                                    "ds_read_b128 v[8:11], v1" + lgkm0) +
                   only_wave(2, lanes(1 << read) + "ds_read_b32 v3, v1" + lgkm0);
        };
        EXPECT_REPORT(
            run_kernel(gfx_target::gfx942, source(d), 3, check::races),
            "LDS byte " + std::to_string(4 * d) + " of 1024: wave 2 reads what wave 1 writes");
        EXPECT_NO_REPORT(run_kernel(gfx_target::gfx942, source((d + 1) % 4), 3, check::races));
    }
}

TEST(checks, uninitialized) {
    check_twins("uninit", initialization_twins());
    // By other checks nothing is said of it.
    for (const twin& t : initialization_twins()) {
        if (!t.gfx950_only) {
            EXPECT_NO_REPORT(run_kernel(gfx_target::gfx942, t.caught, t.waves, check::races))
                << t.name;
        }
    }
}

TEST(checks, alignment) {
    check_twins("alignment", alignment_twins());
}

TEST(checks, bounds) {
    check_twins("bounds", bounds_twins());
}

TEST(checks, exec) {
    check_twins("exec", exec_twins());
}

// ---- going on after a report ----

// Runs the kernel under OPUS_EMU_CHECK_MODE=report and prints the first dwords of the memory, then
// what the end of the process prints. Ends it if anything was reported.
void go_on(gfx_target target, const std::string& source, uint32_t checks, int waves = 1) {
    kernel_run run(target, source, waves, checks, check_mode::report);
    run.run();
    std::fprintf(stderr, "memory %u %u %u %u\n", run.dword(0), run.dword(1), run.dword(2),
                 run.dword(3));
    end_with_reports();
}

struct continued {
    const char* name;
    uint32_t checks;
    std::string source;
    const char* output;
    bool gfx950_only = false;
};

TEST(checks, report_mode_goes_on) {
    const std::string store_3 = "global_store_dword v1, v3, s[0:1]" + vm0;
    const std::string ones = "v_mov_b32 v3, 1\n";
    const std::string past = "v_mov_b32 v5, 0x1000\n";
    const continued cases[] = {
        {"a value that was not waited for", check::waits,
         store + vm0 + load + "v_add_u32 v3, v3, v3\n" + store_3,
         "v3 is read while.*memory 0 2 4 6\n.*: 2 reports at 2 instructions"},
        {"LDS that nobody wrote", check::uninitialized_lds, "ds_read_b32 v3, v1" + lgkm0 + store_3,
         "LDS byte 0 of 1024 is read before.*memory 0 0 0 0\n.*: 16 reports at 1 instructions"},
        {"a register that nobody wrote", check::uninitialized_registers, store_3,
         "v3 is read before.*memory 0 0 0 0\n"},
        {"a load past the end", check::none,
         ones + past + "global_load_dword v3, v5, s[0:1]" + vm0 + store_3,
         "right at the end.*memory 0 0 0 0\n.*: 64 reports at 1 instructions"},
        {"a store past the end", check::none,
         past + ones + "global_store_dword v5, v3, s[0:1]" + vm0 + store_3,
         "right at the end.*memory 1 1 1 1\n.*bounds +64 "},
        {"an atomic past the end", check::none,
         past + ones + "global_atomic_add v3, v5, v3, s[0:1] sc0" + vm0 + store_3,
         "right at the end.*memory 0 0 0 0\n"},
        {"a buffer atomic out of range", check::none,
         past + ones + "buffer_atomic_add v3, v5, s[4:7], 0 offen sc0" + vm0 + store_3,
         "buffer atomic out of range.*memory 0 0 0 0\n"},
        {"a scalar load past the end", check::none,
         "s_mov_b32 s8, 7\n s_load_dword s8, s[0:1], 0x1000\n s_waitcnt lgkmcnt(0)\n"
         "v_mov_b32 v3, s8\n" +
             store_3,
         "scalar load of 4 bytes.*memory 0 0 0 0\n"},
        {"LDS past the end", check::none,
         ones + past + "ds_write_b32 v5, v3\n ds_read_b32 v3, v5" + lgkm0 + store_3,
         "LDS access of 4 bytes at 4096.*memory 0 0 0 0\n.*: 128 reports at 2 instructions"},
        {"scratch past the end", check::none,
         ones +
             "scratch_store_dword off, v3, off offset:64\n"
             "scratch_load_dword v3, off, off offset:64" +
             vm0 + store_3,
         "private access.*memory 0 0 0 0\n"},
        {"an address with low bits", check::alignment,
         store + vm0 + "v_mov_b32 v5, 6\n buffer_load_dword v3, v5, s[4:7], 0 offen" + vm0 +
             store_3,
         "is no multiple of 4.*memory 1 1 1 1\n"},
        {"an unaligned atomic", check::none,
         ones + "v_mov_b32 v5, 6\n global_atomic_add v5, v3, s[0:1]" + vm0,
         "unaligned atomic.*check +alignment.*memory 0 64 0 0\n"},
        {"too early", check::hazards,
         "v_mov_b32 v3, v0\n v_mov_b32_dpp v3, v3 quad_perm:[1,0,3,2] row_mask:0xf "
         "bank_mask:0xf\n" +
             store_3,
         "DPP reads what.*memory 1 0 3 2\n.*hazards +1 "},
        {"lanes that are off", check::lanes,
         ones +
             "s_mov_b64 exec, 1\n v_mov_b32_dpp v3, v3 quad_perm:[1,0,3,2] row_mask:0xf "
             "bank_mask:0xf bound_ctrl:0\n s_mov_b64 exec, -1\n" +
             store_3,
         "lane 0 reads v3 of lane 1, which is switched off.*memory 0 1 1 1\n"},
        {"a transposed read with a lane off", check::none,
         "v_mov_b32 v3, 7\n v_mov_b32 v4, 7\n v_mov_b32 v5, 0\n s_mov_b64 exec, -2\n"
         "ds_read_b64_tr_b16 v[4:5], v5" +
             lgkm0 + "s_mov_b64 exec, -1\n v_mov_b32 v3, v4\n" + store_3,
         "need all lanes.*check +exec.*memory 7 0 0 0\n", true},
    };
    for (const gfx_target target : both_targets) {
        for (const continued& c : cases) {
            if (c.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            SCOPED_TRACE(std::string(name_of(target)) + ": " + c.name);
            EXPECT_REPORT(go_on(target, c.source, c.checks), c.output);
        }
    }
}

// Races go on with what is there; a wave that never ends is stopped, and so is what is unknown.
TEST(checks, report_mode_counts_and_stops) {
    const std::string loop = "s_mov_b32 s8, 5\n 1:\n" + load + use + vm0 +
                             "s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 1b\n";
    // One report of five, and another one of another instruction.
    EXPECT_REPORT(go_on(gfx_target::gfx942, loop + load + use, check::waits),
                  "^opus emulator: v3 is read[^!]*instruction v_add_u32[^!]*"
                  "opus emulator: v3 is read[^!]*memory[^!]*"
                  "opus emulator: 6 reports at 2 instructions .OPUS_EMU_CHECK_MODE=report.\n"
                  "  waits +5  kernel  \\+0x[0-9a-f]*  v_add_u32[^!]*\n"
                  "  waits +1  kernel  \\+0x[0-9a-f]*  v_add_u32[^!]*\n$");
    // What was printed before stands before it; the status is that of a report.
    const auto print_and_run = [&] {
        std::fputs("before ", stdout);
        ::dup2(2, 1);  // EXPECT_EXIT sees stderr only
        kernel_run(gfx_target::gfx942, load + use, 1, check::waits, check_mode::report).run();
        std::exit(0);
    };
    EXPECT_EXIT(print_and_run(), ::testing::ExitedWithCode(failure_status),
                "before opus emulator: v3 is read.*: 1 reports at 1 instructions");
    // 64 lanes with 4 bytes each, of which 16 are one report.
    EXPECT_REPORT(go_on(gfx_target::gfx942, "v_mov_b32 v4, s2\n ds_write_b32 v1, v4" + lgkm0,
                        check::races, 2),
                  "race: .*: 16 reports at 1 instructions");
    // One report for each dword, or each byte, where 16 bytes are not taken together.
    const struct {
        const char* write;
        int reports;
    } one_lane[] = {{"ds_write_b32 v1, v4", 1},
                    {"ds_write_b64 v1, v[4:5] offset:4", 2},
                    {"ds_write_b16 v1, v4", 2},
                    {"ds_write_b8 v1, v4 offset:3", 1},
                    {"ds_write_b128 v1, v[4:7]", 1}};
    for (const auto& [write, reports] : one_lane) {
        EXPECT_REPORT(go_on(gfx_target::gfx942,
                            "s_mov_b64 exec, 1\n v_mov_b32 v4, s2\n v_mul_u32_u24 v4, "
                            "0x10101, v4\n v_mov_b32 v5, v4\n" +
                                std::string(write) + lgkm0,
                            check::races, 2),
                      "race: .*: " + std::to_string(reports) + " reports at 1 instructions")
            << write;
    }
    // Of reads that come first, those are races that another wave writes before the next barrier.
    EXPECT_REPORT(go_on(gfx_target::gfx942,
                        only_wave(0,
                                  "s_mov_b64 exec, 1\n ds_read_b32 v3, v1 offset:256\n"
                                  "ds_read_b32 v3, v1 offset:260" +
                                      lgkm0) +
                            only_wave(1,
                                      "s_mov_b64 exec, 1\n"
                                      "ds_write_b32 v1, v0 offset:256" +
                                          lgkm0),
                        check::races | check::uninitialized_lds, 2),
                  "race: lane 0: LDS byte 256[^!]*LDS byte 260 of 1024 is read before[^!]*"
                  ": 2 reports at 2 instructions");
    // A race at the first use is one report, not one more of LDS that nobody has written.
    EXPECT_REPORT(go_on(gfx_target::gfx942,
                        only_wave(0, "ds_read_b32 v3, v1" + lgkm0) +
                            only_wave(1, "ds_write_b32 v1, v0" + lgkm0),
                        check::races | check::uninitialized_lds, 2),
                  "race: [^!]*: 16 reports at 1 instructions[^!]*\n  races +16  kernel[^\n]*\n$");
    EXPECT_REPORT(
        go_on(gfx_target::gfx942, load + use + "s_sendmsg 1", check::waits),
        "v3 is read.*s_sendmsg is not implemented.*: 2 reports at 2 instructions.*  error "
        "+1  kernel");
    const outcome without =
        outcome_of([&] { go_on(gfx_target::gfx942, load + vm0 + use, check::waits); });
    EXPECT_EQ(without.status, 0);
    EXPECT_EQ(without.text, "memory 0 0 0 0\n");
}

TEST(checks, a_limit_ends_loops) {
    const auto loop = [](uint64_t limit, const char* source) {
        kernel_run(gfx_target::gfx942, source, 2, check::by_default()).run(limit);
    };
    EXPECT_REPORT(loop(5000, "s_nop 0\n 1: s_branch 1b"),
                  "endless loop\\? The wave has executed 5000 instructions.*kernel +kernel.*"
                  "pc +\\+0x4 from.*instruction s_branch.*wave 0");
    const std::string poll = "2:\n global_load_dword v3, v1, s[0:1] offset:8 sc1" + vm0 +
                             "ds_read_b32 v4, v1" + lgkm0 + "s_branch 2b\n";
    EXPECT_REPORT(loop(500, ("s_nop 0\n" + fill_lds + poll).c_str()),
                  "loop +\\+0x14 to \\+0x2c\n"
                  "  loads +0x[0-9a-f]+, byte 8 of the 4096-byte allocation at 0x[0-9a-f]+: "
                  "global_load_dword v3, v1, s\\[0:1\\] offset:8 sc1\n"
                  "  loads +LDS 0x0: ds_read_b32 v4, v1\n  kernel");
    // Four of its loads, and of a store nothing.
    const std::string five = "1:\n global_load_dword v3, v1, s[0:1]" + vm0 +
                             "global_store_dword v1, v3, s[0:1]" + vm0 +
                             "ds_read_b32 v4, v1 offset:4" + lgkm0 + "ds_read_b32 v5, v1 offset:8" +
                             lgkm0 + "ds_read_b32 v6, v1 offset:12" + lgkm0 +
                             "ds_read_b32 v7, v1 offset:16" + lgkm0 + "s_branch 1b\n";
    EXPECT_REPORT(loop(5000, (fill_lds + five).c_str()),
                  "loop [^\n]*\n(  loads [^\n]*(load|read)[^\n]*\n){4}  kernel");
    EXPECT_NO_REPORT(loop(3, "s_nop 0\n s_nop 0"));
    EXPECT_REPORT(loop(2, "s_nop 0\n s_nop 0"), "2 instr");
}

TEST(checks, selection) {
    const auto checks_of = [](const char* value) {
        setenv("OPUS_EMU_CHECK", value, 1);
        const uint32_t checks = read_settings().checks;
        unsetenv("OPUS_EMU_CHECK");
        return checks;
    };
    EXPECT_EQ(read_settings().checks, check::by_default());
    EXPECT_EQ(checks_of("none"), check::none);
    EXPECT_EQ(checks_of("all"), check::all());
    EXPECT_EQ(checks_of("races"), check::races);
    EXPECT_EQ(checks_of("waits,alignment"), check::waits | check::alignment);
    EXPECT_EQ(checks_of("hazards"), check::hazards);
    EXPECT_EQ(checks_of("exec,lanes"), check::exec | check::lanes);
    EXPECT_EQ(checks_of("memory_races"), check::memory_races);
    EXPECT_EQ(check::by_default() & check::memory_races, 0u);
    EXPECT_NE(check::by_default() & check::exec, 0u);
    // The others may list correct code.
    EXPECT_EQ(check::all(), check::by_default() | check::memory_races);
    EXPECT_EQ(checks_of("bounds"), check::bounds);
    EXPECT_EQ(checks_of("uninitialized_lds,uninitialized_registers,lds_alignment"),
              check::uninitialized_lds | check::uninitialized_registers | check::lds_alignment);
    // Changes to what stands before, or to the default.
    EXPECT_EQ(checks_of("default"), check::by_default());
    EXPECT_EQ(checks_of("+nan"), check::by_default() | check::nan);
    EXPECT_EQ(checks_of("-hazards"), check::by_default() & ~uint32_t{check::hazards});
    EXPECT_EQ(checks_of("default,+memory_races,-hazards"),
              (check::by_default() | check::memory_races) & ~uint32_t{check::hazards});
    EXPECT_EQ(checks_of("all,-waits"), check::all() & ~uint32_t{check::waits});
    EXPECT_EQ(checks_of("waits,+races"), check::waits | check::races);
    for (const char* wrong :
         {"", "wait", "waits,", "waits;races", "Waits", "+", "-wait", "+-nan"}) {
        EXPECT_EXIT(
            checks_of(wrong), ::testing::ExitedWithCode(failure_status),
            "OPUS_EMU_CHECK=.*: no such check; known are hazards, barriers, waits, races, "
            "uninitialized_lds, uninitialized_memory, uninitialized_registers, lanes, "
            "memory_races, nan, range, alignment, lds_alignment, bounds, exec, default, all, none")
            << wrong;
    }
}

TEST(checks, stats_setting) {
    const auto is_on = [](const char* value) {
        setenv("OPUS_EMU_STATS", value, 1);
        const bool stats = read_settings().stats;
        unsetenv("OPUS_EMU_STATS");
        return stats;
    };
    EXPECT_FALSE(read_settings().stats);
    EXPECT_FALSE(is_on("0"));
    EXPECT_TRUE(is_on("1"));
    for (const char* wrong : {"", "yes", "2"}) {
        EXPECT_EXIT(is_on(wrong), ::testing::ExitedWithCode(failure_status),
                    "OPUS_EMU_STATS=.*: 1 or 0 is needed");
    }
}

TEST(checks, mode_setting) {
    const auto mode_of = [](const char* value) {
        setenv("OPUS_EMU_CHECK_MODE", value, 1);
        const check_mode mode = read_settings().mode;
        unsetenv("OPUS_EMU_CHECK_MODE");
        return mode;
    };
    EXPECT_EQ(read_settings().mode, check_mode::stop);
    EXPECT_EQ(mode_of("stop"), check_mode::stop);
    EXPECT_EQ(mode_of("report"), check_mode::report);
    for (const char* wrong : {"", "Report", "continue"}) {
        EXPECT_EXIT(mode_of(wrong), ::testing::ExitedWithCode(failure_status),
                    "OPUS_EMU_CHECK_MODE=.*: stop or report is needed")
            << wrong;
    }
}

// ---- docs/emulator-checks.md ----

// "`waits`, a register" -> "waits"
std::string name_in(const std::string& cell) {
    return cell.substr(1, cell.find('`', 1) - 1);
}

TEST(checks, docs_list_the_checks) {
    std::string documented;
    for (const auto& row : table_of_docs("| name | default | reports |", "emulator-checks.md")) {
        ASSERT_EQ(row.size(), 3u);
        documented += name_in(row[0]) + " " + row[1] + "\n";
    }
    std::vector<std::string> known;
    for (uint32_t bit = 1; bit <= check::lanes; bit <<= 1) {
        const bool is_on = (check::by_default() & bit) != 0;
        known.push_back(names_of(bit) + (bit == check::bounds ? " always\n"
                                         : is_on              ? " on\n"
                                                              : " off\n"));
        EXPECT_NE(documented.find(known.back()), std::string::npos) << known.back();
    }
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(documented, '\n')), known.size())
        << documented;
}

// A regular expression for the text with any numbers in it.
std::string with_any_numbers(const std::string& text) {
    std::string result;
    for (size_t n = 0; n < text.size();) {
        if (std::isdigit(static_cast<unsigned char>(text[n])) == 0) {
            const bool is_special = std::string("()[]*+?.|^$").find(text[n]) != std::string::npos;
            result += (is_special ? "\\" : "") + text.substr(n++, 1);
            continue;
        }
        result += "[0-9a-fx]+";
        n = std::min(text.find_first_not_of("0123456789abcdefx", n), text.size());
    }
    return result;
}

TEST(checks, docs_list_the_reports) {
    struct example {
        const char* check;
        uint32_t checks;
        std::string source;
        int waves = 1;
        bool gfx950_only = false;
    };
    const std::string half = "s_mov_b32 exec_hi, 0\n";
    const std::string product = "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[0:1], 0\n";
    const std::string shift = "v_mov_b32_dpp v9, v8 row_shr:1 row_mask:0xf bank_mask:0xf\n";
    // In the order of the table.
    const example examples[] = {
        {"waits", check::waits, load + use},
        {"waits", check::waits, dma + "ds_read_b32 v3, v1"},
        {"waits", check::waits, "ds_write_b32 v1, v0\n" + dma},
        {"hazards", check::hazards,
         "v_mfma_f32_32x32x8_f16 v[8:23], v[0:1], v[0:1], 0\n v_mov_b32 v30, v8"},
        {"races", check::races,
         only_wave(1, dma) + barrier + vm0 + only_wave(0, "ds_read_b32 v3, v1") + "s_nop 0\n", 2},
        {"races", check::races,
         fill_lds + only_wave(0, "ds_read_b32 v3, v1" + lgkm0) +
             only_wave(1, "ds_write_b32 v1, v0"),
         2},
        {"memory_races", check::memory_races,
         only_wave(0, store) + only_wave(1, "global_load_dword v3, v1, s[0:1] offset:4" + vm0), 2},
        {"barriers", check::barriers, "s_cmp_eq_u32 s2, 1\n s_cbranch_scc1 1f\n" + barrier + "1:\n",
         2},
        {"barriers", check::barriers,
         "s_mov_b64 exec, 0xff\n" + barrier + "s_mov_b64 exec, -1\n" + store},
        {"uninitialized_lds", check::uninitialized_lds, "ds_read_b32 v3, v1"},
        {"uninitialized_memory", check::uninitialized_memory,
         "global_load_dword v3, v1, s[10:11] offset:256" + vm0 + use},
        {"uninitialized_registers", check::uninitialized_registers, "v_mov_b32 v5, v9"},
        {"alignment", check::alignment, "buffer_load_dword v3, off, s[4:7], 0 offset:6"},
        {"lds_alignment", check::lds_alignment, "v_mov_b32 v5, 4\n ds_write_b64 v5, v[0:1]"},
        {"exec", check::exec, half + product},
        {"lanes", check::lanes, half + "v_mov_b32 v8, 0\n s_mov_b32 exec_hi, -1\n" + product},
        {"lanes", check::lanes, "v_mov_b32 v8, 0\n s_mov_b64 exec, 0xfffe\n" + shift},
        {"exec", check::none, half + "v_mov_b32 v5, 0\n ds_read_b64_tr_b16 v[8:9], v5", 1, true},
        {"nan", check::nan, "v_mov_b32 v5, 0\n v_rcp_f32 v6, v5"},
        {"bounds", check::none, "v_mov_b32 v5, 0x1000\n global_store_dword v5, v0, s[0:1]"},
        {"OPUS_EMU_LIMIT", check::none, "1: s_branch 1b"},
    };
    const auto rows = table_of_docs("| check | report |", "emulator-checks.md");
    ASSERT_EQ(rows.size(), std::size(examples));
    for (size_t n = 0; n < rows.size(); ++n) {
        const example& e = examples[n];
        ASSERT_EQ(rows[n].size(), 2u);
        EXPECT_EQ(name_in(rows[n][0]), e.check);
        const std::string check_line = e.check == std::string("OPUS_EMU_LIMIT")
                                           ? "  loop "
                                           : "  check +" + std::string(e.check);
        const auto target = e.gfx950_only ? gfx_target::gfx950 : gfx_target::gfx942;
        const auto run = [&] { kernel_run(target, e.source, e.waves, e.checks).run(10000); };
        EXPECT_REPORT(run(), "^opus emulator: " + with_any_numbers(rows[n][1]) + "\n" + check_line);
    }
}

// Variables that are wrong, or that need another one.
TEST(checks, settings_that_are_refused) {
    const struct {
        std::vector<std::pair<const char*, const char*>> set;
        const char* message;
    } rows[] = {
        {{{"OPUS_EMU_PROFILE", "csv"}}, "OPUS_EMU_PROFILE=csv: table or json is needed"},
        {{{"OPUS_EMU_PROFILE_FILE", "f"}},
         "OPUS_EMU_PROFILE_FILE=f: needs OPUS_EMU_PROFILE=table or json"},
        {{{"OPUS_EMU_PROFILE_KERNEL", "k"}},
         "OPUS_EMU_PROFILE_KERNEL=k: needs OPUS_EMU_PROFILE=table or json"},
        {{{"OPUS_EMU_PROFILE", "table"}, {"OPUS_EMU_PROFILE_KERNEL", ""}},
         "OPUS_EMU_PROFILE_KERNEL=: a part of a kernel's name is needed"},
        {{{"OPUS_EMU_STOP", "gemm"}}, "OPUS_EMU_STOP=gemm: a line"},
        {{{"OPUS_EMU_DUMP", "lds"}}, "OPUS_EMU_DUMP=lds: needs OPUS_EMU_STOP"},
        {{{"OPUS_EMU_STOP", "report"}, {"OPUS_EMU_DUMP", "all"}},
         "OPUS_EMU_DUMP=all: 'all': a list of"},
        {{{"OPUS_EMU_TIMELINE", ""}}, "OPUS_EMU_TIMELINE=: the name of a file is needed"},
        {{{"OPUS_EMU_TIMELINE", "f"}, {"OPUS_EMU_TIMELINE_ONLY", "2"}},
         "OPUS_EMU_TIMELINE_ONLY=2: 1 or 0 is needed"},
        {{{"OPUS_EMU_TIMELINE", "f"}, {"OPUS_EMU_TIMELINE_RANGE", "yes"}},
         "OPUS_EMU_TIMELINE_RANGE=yes: 1 or 0 is needed"},
        {{{"OPUS_EMU_TIMELINE", "f"}, {"OPUS_EMU_TIMELINE_WARM", "11"}},
         "OPUS_EMU_TIMELINE_WARM=11: 1 or 0 is needed"},
    };
    const auto read = [](const std::vector<std::pair<const char*, const char*>>& set) {
        for (const auto& [name, value] : set) {
            ::setenv(name, value, 1);
        }
        read_settings();
    };
    for (const auto& [set, message] : rows) {
        EXPECT_EXIT(read(set), ::testing::ExitedWithCode(failure_status),
                    "^opus emulator: " + std::string(message));
    }
    for (const char* name :
         {"OPUS_EMU_TIMELINE_GROUPS", "OPUS_EMU_TIMELINE_KERNEL", "OPUS_EMU_TIMELINE_ONLY",
          "OPUS_EMU_TIMELINE_RANGE", "OPUS_EMU_TIMELINE_WARM", "OPUS_EMU_TIMELINE_DEVICE",
          "OPUS_EMU_TIMELINE_PARAMETERS", "OPUS_EMU_CLOCK_GHZ"}) {
        EXPECT_EXIT(read({{name, "1"}}), ::testing::ExitedWithCode(failure_status),
                    std::string(name) + "=1: needs OPUS_EMU_TIMELINE=FILE");
        EXPECT_EXIT(read({{"OPUS_EMU_TIMELINE", "f"}, {name, ""}}),
                    ::testing::ExitedWithCode(failure_status),
                    std::string(name) + "=: a value is needed");
    }
}

TEST(checks, profile_settings) {
    EXPECT_EQ(read_settings().profile, profile_format::none);
    for (const char* format : {"table", "json"}) {
        ::setenv("OPUS_EMU_PROFILE", format, 1);
        EXPECT_EQ(read_settings().profile,
                  *format == 't' ? profile_format::table : profile_format::json);
        EXPECT_EQ(read_settings().profile_file, "");
        EXPECT_EQ(read_settings().profile_kernel, "");
        ::setenv("OPUS_EMU_PROFILE_FILE", "a file", 1);
        ::setenv("OPUS_EMU_PROFILE_KERNEL", "a name", 1);
        EXPECT_EQ(read_settings().profile_file, "a file");
        EXPECT_EQ(read_settings().profile_kernel, "a name");
        ::unsetenv("OPUS_EMU_PROFILE_FILE");
        ::unsetenv("OPUS_EMU_PROFILE_KERNEL");
    }
    ::unsetenv("OPUS_EMU_PROFILE");
}

TEST(checks, timeline_settings) {
    setenv("OPUS_EMU_TIMELINE", "trace.json", 1);
    for (const char* value : {"0", "1"}) {
        setenv("OPUS_EMU_TIMELINE_ONLY", value, 1);
        EXPECT_EQ(read_settings().timeline_only, *value == '1');
        setenv("OPUS_EMU_TIMELINE_RANGE", value, 1);
        EXPECT_EQ(read_settings().timeline_range, *value == '1');
        setenv("OPUS_EMU_TIMELINE_WARM", value, 1);
        EXPECT_EQ(read_settings().timeline_warm, *value == '1');
        unsetenv("OPUS_EMU_TIMELINE_ONLY");
        unsetenv("OPUS_EMU_TIMELINE_RANGE");
        unsetenv("OPUS_EMU_TIMELINE_WARM");
    }
    EXPECT_FALSE(read_settings().timeline_only);
    EXPECT_FALSE(read_settings().timeline_range);
    EXPECT_FALSE(read_settings().timeline_warm);
    EXPECT_EQ(read_settings().timeline_file, "trace.json");
    setenv("OPUS_EMU_TIMELINE_GROUPS", "1-3", 1);
    setenv("OPUS_EMU_TIMELINE_KERNEL", "gemm", 1);
    EXPECT_EQ(read_settings().timeline_groups, "1-3");
    EXPECT_EQ(read_settings().timeline_kernel, "gemm");
    unsetenv("OPUS_EMU_TIMELINE_GROUPS");
    unsetenv("OPUS_EMU_TIMELINE_KERNEL");
    unsetenv("OPUS_EMU_TIMELINE");
    EXPECT_EQ(read_settings().timeline_file, "");
}

TEST(checks, limit_setting) {
    const auto limit_of = [](const char* value) {
        setenv("OPUS_EMU_LIMIT", value, 1);
        const uint64_t limit = read_settings().instruction_limit;
        unsetenv("OPUS_EMU_LIMIT");
        return limit;
    };
    EXPECT_EQ(read_settings().instruction_limit, ~uint64_t{0});
    EXPECT_EQ(limit_of("100000000000"), 100000000000u);
    for (const char* wrong : {"", "0", "-1", " -5", " 5", "+5", "1e6", "99999999999999999999"}) {
        EXPECT_EXIT(limit_of(wrong), ::testing::ExitedWithCode(failure_status),
                    "OPUS_EMU_LIMIT=.*: a number of instructions from 1 is needed")
            << wrong;
    }
}

TEST(checks, matrix_setting) {
    constexpr auto gfx942 = gfx_target::gfx942;
    constexpr auto gfx950 = gfx_target::gfx950;
    const auto adds = [](const char* value, gfx_target target) {
        setenv("OPUS_EMU_MATRIX", value, 1);
        const launch_settings settings = read_settings();
        unsetenv("OPUS_EMU_MATRIX");
        return adds_as_hardware(settings, target);
    };
    EXPECT_TRUE(adds_as_hardware(read_settings(), gfx942));
    EXPECT_FALSE(adds_as_hardware(read_settings(), gfx950));
    EXPECT_TRUE(adds("hardware", gfx942));
    EXPECT_FALSE(adds("fma", gfx942));
    EXPECT_FALSE(adds("fma", gfx950));
    EXPECT_EXIT(adds("hardware", gfx950), ::testing::ExitedWithCode(failure_status),
                "OPUS_EMU_MATRIX=hardware: how matrix instructions of gfx950 add has not been "
                "published; fma is needed, or no such variable");
    for (const char* wrong : {"", "Hardware", "FMA", "exact"}) {
        EXPECT_EXIT(adds(wrong, gfx942), ::testing::ExitedWithCode(failure_status),
                    "OPUS_EMU_MATRIX=.*: hardware or fma is needed")
            << wrong;
    }
}

}  // namespace
}  // namespace emu
