// The lint: what is missing on one of several paths, and nothing where nothing is. That it knows the
// table of wait states is tested with each pair of test_hazards.cpp.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "containers.hpp"
#include "lint/assembly.hpp"
#include "lint/input.hpp"
#include "linted.hpp"

namespace emu {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr gfx_target both_targets[] = {gfx_target::gfx942, gfx_target::gfx950};

std::string nops(int states) {
    std::string text;
    for (; states > 0; --states) {
        text += "s_nop 0\n";
    }
    return text;
}

// ---- a wait that one of two branches lacks ----

struct waited {
    const char* start;
    const char* wait;
    const char* use;
    const char* message;
};

constexpr waited waits[] = {
    {"global_load_dword v8, v1, s[0:1]", "s_waitcnt vmcnt(0)", "v_add_f32 v9, v8, v8",
     "v8 is read while .* is pending on a path .vmcnt."},
    {"buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen\n global_store_dword v1, v0, s[0:1]",
     "s_waitcnt vmcnt(1)", "v_mov_b32 v9, v0", "v9 is overwritten while .*v.8:11"},
    {"scratch_load_dword v8, off, off", "s_waitcnt vmcnt(0)", "global_store_dword v1, v8, s[0:1]",
     "v8 is read"},
    {"flat_load_dword v8, v[2:3]", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v9, v8",
     "vmcnt.0. and lgkmcnt.0."},
    {"ds_read_b64 v[8:9], v1", "s_waitcnt lgkmcnt(0)",
     "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[8:9], "
     "v[8:9], 0",
     "v8 is read .*lgkmcnt"},
    {"ds_read2_b32 v[8:9], v1 offset1:4\n ds_write_b32 v1, v0\n ds_write_b32 v1, v0",
     "s_waitcnt lgkmcnt(2)", "ds_write_b32 v1, v9", "v9 is read"},
    {"ds_bpermute_b32 v8, v1, v0", "s_waitcnt lgkmcnt(0)", "v_readfirstlane_b32 s8, v8",
     "v8 is read"},
    {"s_load_dwordx4 s[8:11], s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_add_u32 s12, s11, s2",
     "s11 is read .*lgkmcnt.0."},
    {"global_atomic_add v8, v1, v0, s[0:1] sc0", "s_waitcnt vmcnt(0)", "v_mov_b32 v9, v8",
     "v8 is read"},
    {"ds_add_rtn_u32 v8, v1, v0", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v8, 0", "v8 is overwritten"},
    {"s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v1, s[4:7], 0 offen lds", "s_waitcnt vmcnt(0)",
     "s_barrier\n ds_read_b32 v8, v1\n s_waitcnt lgkmcnt(0)",
     "LDS is read behind a barrier that was passed without waiting"},
};

std::string branches(const waited& w, bool first, bool second) {
    return std::string(w.start) + "\n s_cmp_eq_u32 s2, 0\n s_cbranch_scc1 1f\n" +
           (first ? w.wait : "s_nop 0") + "\n s_branch 2f\n 1:\n" + (second ? w.wait : "s_nop 0") +
           "\n 2:\n" + w.use;
}

TEST(lint, a_wait_that_one_branch_lacks) {
    for (const gfx_target target : both_targets) {
        for (const waited& w : waits) {
            SCOPED_TRACE(std::string(target_name(target)) + ": " + w.start + "; " + w.use);
            EXPECT_THAT(lint_of(target, branches(w, true, true)), IsEmpty());
            for (const bool first_lacks : {false, true}) {
                const auto found = lint_of(target, branches(w, !first_lacks, first_lacks));
                ASSERT_THAT(found, SizeIs(1));
                EXPECT_EQ(found[0].kind, lint_kind::waits);
                EXPECT_THAT(found[0].message, ContainsRegex(w.message));
                EXPECT_THAT(found[0].cure, HasSubstr("s_waitcnt"));
                EXPECT_THAT(w.start, HasSubstr(found[0].first->mnemonic));
                ASSERT_THAT(found[0].path, SizeIs(first_lacks ? 2 : 1));
                EXPECT_EQ(found[0].path[0].at->mnemonic, "s_cbranch_scc1");
                EXPECT_EQ(found[0].path[0].is_taken, !first_lacks);
            }
        }
    }
}

// Of two loads in a queue the count says which one is complete, on each path by its own number.
TEST(lint, counts_are_those_of_the_worst_path) {
    const auto source = [](int count) {
        return "global_load_dword v8, v1, s[0:1]\n s_cbranch_scc1 1f\n"
               "global_load_dword v9, v1, s[0:1]\n 1:\n global_load_dword v10, v1, s[0:1]\n"
               "s_waitcnt vmcnt(" +
               std::to_string(count) + ")\n v_mov_b32 v11, v8";
    };
    for (const gfx_target target : both_targets) {
        EXPECT_THAT(lint_of(target, source(1)), IsEmpty());
        const auto found = lint_of(target, source(2));
        ASSERT_THAT(found, SizeIs(1));
        EXPECT_THAT(found[0].cure, HasSubstr("vmcnt(1)"));
        EXPECT_TRUE(found[0].path.at(0).is_taken);
        // Of two that one instruction reads it is the newer one that has to be waited for.
        for (const char* sum : {"v_add_f32 v12, v8, v9", "v_add_f32 v12, v9, v8"}) {
            const auto newer = lint_of(target,
                                       "global_load_dword v8, v1, s[0:1]\n"
                                       "global_load_dword v9, v1, s[0:1]\n" +
                                           std::string(sum));
            ASSERT_THAT(newer, SizeIs(1));
            EXPECT_THAT(newer[0].message, HasSubstr("v9 is read"));
            EXPECT_THAT(newer[0].cure, HasSubstr("vmcnt(0)"));
        }
    }
}

// ---- wait states where paths meet ----

const std::string product =
    "v_mfma_f32_32x32x8_f16 v[8:23], v[0:1], v[0:1], 0\n";  // 11 states, 12 on gfx950
const std::string reader = "v_add_f32 v30, v8, v8";

// hazard.mir beside this file: the longer way is written first.
std::string diamond(int longer, int shorter) {
    return product + "s_cbranch_vccnz 1f\n" + nops(longer) + "s_branch 2f\n 1:\n" + nops(shorter) +
           "s_branch 2f\n 2:\n" + reader;
}

TEST(lint, the_shortest_path_counts) {
    for (const gfx_target target : both_targets) {
        const int needed = target == gfx_target::gfx942 ? 11 : 12;
        // Two branches that are taken: two states each.
        EXPECT_THAT(lint_of(target, diamond(20, needed - 4)), IsEmpty());
        // One that is not taken is one.
        EXPECT_THAT(lint_of(target, diamond(needed - 3, 20)), IsEmpty());
        const auto by_taken = lint_of(target, diamond(20, needed - 5));
        ASSERT_THAT(by_taken, SizeIs(1));
        EXPECT_THAT(by_taken[0].message, HasSubstr(std::to_string(needed - 1) + " are there"));
        EXPECT_THAT(by_taken[0].cure, HasSubstr("s_nop 0"));
        ASSERT_THAT(by_taken[0].path, SizeIs(2));
        EXPECT_TRUE(by_taken[0].path[0].is_taken);
        EXPECT_EQ(by_taken[0].path[1].to, by_taken[0].at);
        const auto by_next = lint_of(target, diamond(needed - 4, 20));
        ASSERT_THAT(by_next, SizeIs(1));
        EXPECT_FALSE(by_next[0].path.at(0).is_taken);
    }
}

// From the end of a loop's body to its start.
TEST(lint, around_a_loop) {
    const auto loop = [](int states) {
        return "1:\n v_add_f32 v30, v8, v8\n s_nop 15\n s_nop 15\n" + product + nops(states) +
               "s_cbranch_scc1 1b\n";
    };
    for (const gfx_target target : both_targets) {
        const int needed = target == gfx_target::gfx942 ? 11 : 12;
        EXPECT_THAT(lint_of(target, loop(needed - 2)), IsEmpty());
        EXPECT_THAT(lint_of(target, loop(needed - 3)), SizeIs(1));
    }
}

// What another instruction has written since; it has to do so on each path.
TEST(lint, a_newer_value_on_each_path) {
    const std::string move = "v_mov_b32 v8, v0\n";
    const std::string use = "v_mov_b32_dpp v60, v8 row_shr:1 row_mask:0xf bank_mask:0xf";
    const std::string shifted =
        "v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
        "src1_sel:DWORD\n";
    const std::string read = "v_mov_b32 v60, v8";
    for (const gfx_target target : both_targets) {
        EXPECT_THAT(lint_of(target, shifted + move + read), IsEmpty());
        EXPECT_THAT(lint_of(target, shifted + "s_cbranch_scc1 1f\n" + move + "1:\n" + read),
                    IsEmpty());  // the branch is a state
        EXPECT_THAT(lint_of(target, move + "s_cbranch_scc1 1f\n s_nop 3\n 1:\n" + use), IsEmpty());
        EXPECT_THAT(lint_of(target, move + "s_cbranch_scc1 1f\n 1:\n" + use), SizeIs(1));
        // A wide store's data, overwritten on the shorter of two paths.
        const std::string store = "global_store_dwordx4 v3, v[8:11], s[0:1]\n";
        EXPECT_THAT(lint_of(target, store + "s_cbranch_scc1 1f\n 1:\n" + move), SizeIs(1));
        EXPECT_THAT(lint_of(target, store + "s_cbranch_scc1 1f\n s_nop 0\n 1:\n" + move),
                    IsEmpty());
    }
}

// ---- LDS-DMA ----

const std::string to_lds =
    "s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v1, s[4:7], 0 offen lds\n";
const std::string read_lds = "ds_read_b32 v8, v1\n s_waitcnt lgkmcnt(0)\n";

// clang 22 puts the wait in front of the loop (isa.md, api.md).
TEST(lint, a_load_to_lds_without_a_wait_in_the_loop) {
    const auto loop = [](const std::string& wait) {
        return "s_waitcnt vmcnt(0)\n 1:\n" + to_lds + wait + "s_barrier\n" + read_lds +
               "s_barrier\n s_cbranch_scc1 1b";
    };
    for (const gfx_target target : both_targets) {
        EXPECT_THAT(lint_of(target, loop("s_waitcnt vmcnt(0)\n")), IsEmpty());
        const auto found = lint_of(target, loop(""));
        ASSERT_THAT(found, SizeIs(1));
        EXPECT_EQ(found[0].at->mnemonic, "ds_read_b32");
        EXPECT_EQ(found[0].first->mnemonic, "buffer_load_dword");
        // Another buffer is read while this one is filled.
        EXPECT_THAT(lint_of(target, to_lds + "1:\n s_waitcnt vmcnt(0)\n s_barrier\n" + to_lds +
                                        "s_barrier\n" + read_lds +
                                        "s_cbranch_scc1 1b\n s_waitcnt vmcnt(0)"),
                    IsEmpty());
    }
}

// What is read before the barrier, or not at all behind it, is another buffer.
TEST(lint, a_load_to_lds_that_nobody_reads) {
    for (const gfx_target target : both_targets) {
        EXPECT_THAT(lint_of(target, to_lds + read_lds), IsEmpty());
        EXPECT_THAT(lint_of(target, to_lds + "s_barrier\n v_mov_b32 v9, v0"), IsEmpty());
        EXPECT_THAT(lint_of(target, to_lds + read_lds + "s_barrier\n ds_write_b32 v1, v0"),
                    IsEmpty());
        EXPECT_THAT(lint_of(target, to_lds + read_lds + "s_barrier\n" + read_lds), SizeIs(1));
    }
}

// ---- EXEC that is 0 ----

// Three loads, and behind them `code` where a branch has found that EXEC is 0, on either way.
std::vector<std::string> without_lanes(const std::string& code) {
    const std::string loads =
        "global_load_dword v40, v1, s[0:1]\n ds_read_b32 v42, v1\n"
        "s_load_dwordx2 s[20:21], s[0:1], 0x0\n";
    const std::string wait = "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_endpgm\n";
    return {loads + "s_cbranch_execnz 1f\n" + code + "\n s_endpgm\n 1:\n" + wait,
            loads + "s_cbranch_execz 1f\n" + wait + "1:\n" + code};
}

TEST(lint, instructions_without_lanes_use_nothing) {
    const std::string late = "\n v_add_f32 v9, v40, v40";
    const std::string on = "s_mov_b64 exec, -1\n";
    const struct {
        std::string code;
        const char* found;  // nullptr: nothing
    } rows[] = {
        {"v_add_f32 v9, v40, v40", nullptr},
        {"v_mov_b32 v40, 0", nullptr},
        {"v_mov_b32 v9, s20", nullptr},
        {"v_mov_b32_dpp v9, v40 row_shr:1 row_mask:0xf bank_mask:0xf", nullptr},
        {"v_accvgpr_write_b32 a0, v40", nullptr},
        {"ds_read_b32 v9, v40", nullptr},
        {"ds_write_b32 v1, v42", nullptr},
        {"ds_bpermute_b32 v9, v1, v40", nullptr},
        {"ds_add_rtn_u32 v9, v1, v40", nullptr},
        {"global_load_dword v9, v40, s[0:1]", nullptr},
        {"global_store_dword v1, v42, s[0:1]", nullptr},
        {"flat_load_dword v9, v[42:43]", nullptr},
        {"scratch_store_dword off, v42, off", nullptr},
        {"buffer_load_dword v9, v42, s[20:23], 0 offen", nullptr},
        {"s_nop 0\n s_barrier\n s_setprio 1" + late, nullptr},
        {"v_cmp_eq_u32_e64 s[8:9], v40, v40\n s_mov_b32 s10, s8", nullptr},
        // What does not ask EXEC.
        {"v_readfirstlane_b32 s8, v40", "v40 is read"},
        {"v_readlane_b32 s8, v40, 0", "v40 is read"},
        {"v_writelane_b32 v40, s2, 0", "v40 is overwritten"},
        {"v_mfma_f32_4x4x4_16b_f16 a[0:3], v[40:41], v[40:41], 0", "v40 is read"},
        {"s_add_u32 s12, s20, s2", "s20 is read"},
        {"s_load_dword s12, s[20:21], 0x0", "s20 is read"},
        {"v_cmp_eq_u32_e64 s[20:21], v1, v1", "s20 is overwritten"},
        // EXEC that was written since.
        {"s_mov_b64 exec, s[2:3]" + late, "v40 is read"},
        {"s_or_b64 exec, exec, s[2:3]" + late, "v40 is read"},
        {"s_mov_b32 exec_lo, s2" + late, "v40 is read"},
        {"s_mov_b32 exec_hi, s2" + late, "v40 is read"},
        {"s_or_saveexec_b64 s[4:5], s[2:3]" + late, "v40 is read"},
        {"s_andn2_wrexec_b64 s[4:5], s[2:3]" + late, "v40 is read"},
        {"v_cmpx_eq_u32_e64 s[4:5], v1, v1" + late, "v40 is read"},
        {"v_readlane_b32 exec_lo, v1, 0" + late, "v40 is read"},
        {"s_movreld_b64 s[4:5], s[2:3]" + late, "v40 is read"},
        {"s_swappc_b64 s[4:5], s[2:3]" + late, nullptr},  // nothing is known of what was called
        {"s_mov_b64 vcc, s[2:3]" + late, nullptr},
        // Such a load writes nothing, and counts.
        {"global_load_dword v9, v1, s[0:1]\n" + on + "v_mov_b32 v12, v9", nullptr},
        {"ds_read_b32 v9, v1\n" + on + "v_mov_b32 v12, v9", nullptr},
        {"flat_load_dword v9, v[2:3]\n" + on + "v_mov_b32 v12, v9", nullptr},
        {on + "global_load_dword v9, v1, s[0:1]\n v_mov_b32 v12, v9", "v9 is read"},
        {"global_load_dword v9, v1, s[0:1]\n s_waitcnt vmcnt(1)\n" + on + late, nullptr},
        {"s_waitcnt vmcnt(1)\n" + on + late, "v40 is read"},
        {"ds_read_b32 v9, v1\n s_waitcnt lgkmcnt(1)\n" + on + "v_mov_b32 v12, v42", nullptr},
        // The branch goes one way only.
        {"s_cbranch_execnz 3f\n s_endpgm\n 3:\n v_readfirstlane_b32 s8, v40", nullptr},
        {"s_cbranch_execz 3f\n v_readfirstlane_b32 s8, v40\n 3:\n s_nop 0", nullptr},
        {"s_cbranch_execnz 3f\n v_readfirstlane_b32 s8, v40\n 3:\n s_nop 0", "v40 is read"},
        {"s_cbranch_scc1 3f\n v_add_f32 v9, v40, v40\n 3:" + late, nullptr},
        {"s_cbranch_scc1 3f\n" + on + "3:" + late, "v40 is read"},
        // Wait states.
        {product + reader, nullptr},
        {product + "v_readfirstlane_b32 s8, v12", "hazard: v12"},
        {product + on + reader, "hazard: v8"},
        {product + "v_mov_b32 v12, v0\n" + on + "v_add_f32 v30, v12, v12", "hazard: v12"},
        {"v_mov_b32 v12, v0\n" + on + "v_mov_b32_dpp v60, v12 row_shr:1 row_mask:0xf bank_mask:0xf",
         nullptr},
        {on + "v_mov_b32 v12, v0\n v_mov_b32_dpp v60, v12 row_shr:1 row_mask:0xf bank_mask:0xf",
         "hazard: v12"},
        {"v_cmp_eq_u32_e64 s[4:5], v1, v1\n" + on + "buffer_load_dword v9, v1, s[4:7], 0 offen",
         "hazard: s"},
        {"v_cmpx_eq_u32_e64 s[4:5], v1, v1\n" + on +
             "v_mov_b32_dpp v60, v12 row_shr:1 row_mask:0xf bank_mask:0xf",
         "hazard: "},
        // Loads to LDS, and reads behind a barrier.
        {on + to_lds + "s_barrier\n" + read_lds, "LDS is read"},
        {to_lds + "s_barrier\n" + on + read_lds, nullptr},
        {on + to_lds + "s_barrier\n s_cbranch_execnz 3f\n" + read_lds + "s_endpgm\n 3:\n", nullptr},
    };
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            for (const std::string& source : without_lanes(row.code)) {
                SCOPED_TRACE(std::string(target_name(target)) + ":\n" + source);
                const auto found = lint_of(target, source);
                EXPECT_THAT(found, SizeIs(row.found == nullptr ? 0u : 1u));
                if (row.found != nullptr && !found.empty()) {
                    EXPECT_THAT(found[0].message, HasSubstr(row.found));
                }
            }
        }
    }
}

// Paths with lanes lead there too.
TEST(lint, where_paths_with_and_without_lanes_meet) {
    const std::string load = "global_load_dword v8, v1, s[0:1]\n";
    const std::string wait = "s_waitcnt vmcnt(0)\n";
    const std::string use = "v_add_f32 v9, v8, v8\n";
    for (const gfx_target target : both_targets) {
        // Around the branch there are none, so the wait may be on the other way alone.
        const auto skipped = [&](const std::string& between) {
            return load + "s_cbranch_execz 1f\n" + between + "1:\n" + use;
        };
        EXPECT_THAT(lint_of(target, skipped(wait)), IsEmpty());
        EXPECT_THAT(lint_of(target, skipped(wait + load + wait)), IsEmpty());
        for (const std::string& lacking : {std::string("s_nop 0\n"), wait + load}) {
            const auto found = lint_of(target, skipped(lacking));
            ASSERT_THAT(found, SizeIs(1));
            EXPECT_THAT(found[0].message, HasSubstr("v8 is read"));
        }
        const auto found = lint_of(target, skipped("s_nop 0\n"));
        ASSERT_THAT(found[0].path, SizeIs(1));
        EXPECT_FALSE(found[0].path[0].is_taken);
        // From a branch that does not ask EXEC.
        const auto joined =
            lint_of(target, load + "s_cbranch_scc1 1f\n s_cbranch_execnz 2f\n 1:\n" + use +
                                "s_endpgm\n 2:\n" + wait);
        ASSERT_THAT(joined, SizeIs(1));
        ASSERT_THAT(joined[0].path, SizeIs(1));
        EXPECT_EQ(joined[0].path[0].at->mnemonic, "s_cbranch_scc1");
        EXPECT_TRUE(joined[0].path[0].is_taken);
        // A loop that is left without lanes, which come back behind it.
        const auto loop = [&](const std::string& behind) {
            return "1:\n s_andn2_b64 exec, exec, s[2:3]\n" + load + "s_cbranch_execnz 1b\n" +
                   behind + use;
        };
        EXPECT_THAT(lint_of(target, loop("")), IsEmpty());
        const auto back = lint_of(target, loop("s_or_b64 exec, exec, s[4:5]\n"));
        ASSERT_THAT(back, SizeIs(1));
        EXPECT_THAT(back[0].path, SizeIs(1));
        EXPECT_THAT(lint_of(target, loop("s_or_b64 exec, exec, s[4:5]\n" + wait)), IsEmpty());
        // A load to LDS comes around again without lanes, behind the barrier of the first time.
        EXPECT_THAT(lint_of(target, "1:\n" + to_lds +
                                        "s_cbranch_execz 2f\n s_barrier\n"
                                        "s_andn2_b64 exec, exec, s[2:3]\n s_cbranch_execz 1b\n"
                                        "s_waitcnt vmcnt(0)\n s_endpgm\n"
                                        "2:\n s_mov_b64 exec, -1\n" +
                                        read_lds),
                    SizeIs(1));
    }
}

// ---- several findings ----

// What is put in front of one use is behind the products in front of it, not behind later ones.
TEST(lint, what_one_cure_is_enough_for) {
    const std::string small = "v_mfma_f32_4x4x4_16b_f16 v[40:43], v[0:1], v[0:1], 0\n";  // 5 states
    const std::string another = "v_mfma_f32_32x32x8_f16 v[44:59], v[0:1], v[0:1], 0\n";
    const std::string of_product = reader + "\n";
    const std::string of_small = "v_add_f32 v31, v40, v40\n";
    const std::string of_another = "v_add_f32 v32, v44, v44\n";
    const std::string load = "global_load_dword v33, v1, s[0:1]\n";
    const std::string of_load = "v_mov_b32 v34, v33\n";
    const std::string wait = "s_waitcnt vmcnt(0)\n";
    const struct {
        std::string source;
        std::vector<lint_kind> found;
    } rows[] = {
        {product + of_product + of_product, {lint_kind::hazards}},
        {small + product + of_product + of_small, {lint_kind::hazards}},
        {product + small + of_small + of_product, {lint_kind::hazards, lint_kind::hazards}},
        {product + of_product + another + of_another, {lint_kind::hazards, lint_kind::hazards}},
        {product + of_product + small + of_small, {lint_kind::hazards, lint_kind::hazards}},
        {product + of_product + small + of_small + of_product,
         {lint_kind::hazards, lint_kind::hazards}},
        {"1:\n" + of_product + of_another + "s_nop 15\n" + product + another +
             "s_cbranch_scc1 1b\n",
         {lint_kind::hazards}},
        {load + product + of_load + of_product + wait, {lint_kind::waits, lint_kind::hazards}},
        {load + product + of_product + of_load + wait, {lint_kind::hazards, lint_kind::waits}},
        {load + product + of_product + of_load + of_product + wait,
         {lint_kind::hazards, lint_kind::waits}},
    };
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            std::vector<lint_kind> kinds;
            for (const lint_finding& f : lint_of(target, row.source)) {
                kinds.push_back(f.kind);
            }
            EXPECT_EQ(kinds, row.found) << target_name(target) << ":\n" << row.source;
        }
    }
}

// By address, whatever they are of.
TEST(lint, findings_are_in_the_order_of_the_code) {
    const std::string none = ".long 0xffffffff\n";
    const std::string lacking = "2:\n" + product + reader + "\n s_cbranch_scc1 1b\n s_endpgm\n";
    for (const gfx_target target : both_targets) {
        for (const std::string& source :
             {"s_branch 2f\n 1:\n" + none + lacking,
              "s_cbranch_scc1 1f\n" + product + reader + "\n s_endpgm\n 1:\n" + none}) {
            const auto found = lint_of(target, source);
            ASSERT_THAT(found, SizeIs(2)) << source;
            EXPECT_NE(found[0].kind, found[1].kind);
            EXPECT_LT(found[0].at->address, found[1].at->address) << source;
        }
    }
}

// ---- what cannot be decoded, and what is not followed ----

TEST(lint, what_is_no_instruction) {
    for (const gfx_target target : both_targets) {
        const auto found = lint_of(target,
                                   "s_cbranch_scc1 1f\n s_nop 0\n s_endpgm\n 1:\n"
                                   ".long 0xffffffff\n");
        ASSERT_THAT(found, SizeIs(1));
        EXPECT_EQ(found[0].kind, lint_kind::decode);
        EXPECT_THAT(found[0].message, HasSubstr("no instruction of the target"));
        // Nobody comes there.
        EXPECT_THAT(lint_of(target, "s_endpgm\n .long 0xffffffff\n"), IsEmpty());
        EXPECT_THAT(lint_of(target, "s_trap 2\n .long 0xffffffff\n"), IsEmpty());
        EXPECT_THAT(lint_of(target, "s_branch 0x7000\n"), SizeIs(1));
        // s_mov_b32 of a source that does not exist, and an instruction that is only not emulated.
        EXPECT_THAT(lint_of(target, ".long 0xbe8000d1\n"), SizeIs(1));
        const lint_result known = lint_all_of(target, "ds_gws_barrier v0 gds\n");
        EXPECT_THAT(known.findings, IsEmpty());
        EXPECT_THAT(known.not_followed, ElementsAre(HasSubstr("ds_gws_barrier")));
    }
}

// ---- branches that contradict each other ----

// What clang makes of if (more) { load; wait } else { wait }: the way around both is not gone.
struct masked {
    const char* name;
    const char* set;      // of s[8:9], in front of the first branch
    const char* between;  // behind the wait of the first branch
    const char* first;    // goes around that wait
    const char* second;   // goes around the other one
    bool is_found;
};

constexpr masked masks[] = {
    {"a constant", "s_mov_b64 s[8:9], -1", "s_mov_b64 s[8:9], 0", "s_cbranch_scc0 1f",
     "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f", false},
    {"a constant, the other branch", "s_mov_b64 s[8:9], -1", "s_mov_b64 s[8:9], 0",
     "s_cbranch_scc0 1f", "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 2f", false},
    {"a constant of the other kind", "s_mov_b64 s[8:9], 0", "s_mov_b64 s[8:9], -1",
     "s_cbranch_scc0 1f", "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f", false},
    {"one mask twice", "s_cselect_b64 s[8:9], -1, 0", "s_nop 0",
     "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 1f",
     "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 2f", false},
    {"one comparison twice", "s_cmp_lt_i32 s4, s5", "s_mov_b32 s6, s7", "s_cbranch_scc0 1f",
     "s_cmp_lt_i32 s4, s5\n s_cbranch_scc1 2f", false},
    {"one comparison of words twice, read before", "s_cmp_eq_u64 s[4:5], s[6:7]",
     "s_load_dword s8, s[0:1], 0\n s_cmp_eq_u64 s[4:5], s[6:7]\n s_waitcnt lgkmcnt(0)",
     "s_cbranch_scc1 1f", "s_cbranch_scc0 2f", false},
    {"one comparison with a constant twice", "s_cmpk_lt_i32 s4, 0x1234", "s_nop 0",
     "s_cbranch_scc0 1f", "s_cmpk_lt_i32 s4, 0x1234\n s_cbranch_scc1 2f", false},
    {"one comparison of a bit twice, before a barrier", "s_bitcmp1_b32 s4, s5", "s_nop 0",
     "s_cbranch_scc0 1f", "s_bitcmp1_b32 s4, s5\n s_barrier\n s_cbranch_scc1 2f", false},
    // These ways are gone.
    {"one comparison, the same way", "s_cmp_lt_i32 s4, s5", "s_nop 0", "s_cbranch_scc0 1f",
     "s_cmp_lt_i32 s4, s5\n s_cbranch_scc0 2f", true},
    {"another comparison", "s_cmp_lt_i32 s4, s5", "s_nop 0", "s_cbranch_scc0 1f",
     "s_cmp_lt_u32 s4, s5\n s_cbranch_scc1 2f", true},
    {"what it compares is written", "s_cmp_lt_i32 s4, s5", "s_nop 0", "s_cbranch_scc0 1f",
     "s_mov_b32 s5, s6\n s_cmp_lt_i32 s4, s5\n s_cbranch_scc1 2f", true},
    {"a half of what it compares is written", "s_cmp_eq_u64 s[4:5], s[6:7]", "s_nop 0",
     "s_cbranch_scc1 1f", "s_mov_b32 s7, s8\n s_cmp_eq_u64 s[4:5], s[6:7]\n s_cbranch_scc0 2f",
     true},
    {"SCC is written", "s_cmp_lt_i32 s4, s5", "s_nop 0", "s_cbranch_scc0 1f",
     "s_cmp_lt_i32 s4, s5\n s_add_u32 s6, s7, s8\n s_cbranch_scc1 2f", true},
    {"a constant that lets it pass", "s_mov_b64 s[8:9], 0", "s_mov_b64 s[8:9], -1",
     "s_cbranch_scc0 1f", "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f", true},
    {"one mask, the same way", "s_cselect_b64 s[8:9], -1, 0", "s_nop 0",
     "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 1f",
     "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 2f", true},
    {"another mask", "s_cselect_b64 s[8:9], -1, 0", "s_nop 0",
     "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 1f",
     "s_andn2_b64 vcc, exec, s[10:11]\n s_cbranch_vccz 2f", true},
    {"a half of it is written", "s_mov_b64 s[8:9], -1", "s_nop 0", "s_cbranch_scc0 1f",
     "s_mov_b32 s9, s2\n s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f", true},
    {"VCC is written", "s_mov_b64 s[8:9], -1", "s_nop 0", "s_cbranch_scc0 1f",
     "s_andn2_b64 vcc, exec, s[8:9]\n s_mov_b32 vcc_lo, s2\n s_cbranch_vccnz 2f", true},
    {"any mask", "s_mov_b64 s[8:9], s[2:3]", "s_nop 0",
     "s_and_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 1f",
     "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccz 2f", true},
};

std::string masked_source(const masked& m) {
    const std::string wait = "\n s_waitcnt vmcnt(0)\n ";
    return "global_load_dword v8, v1, s[0:1]\n s_cmp_eq_u32 s2, 0\n " + std::string(m.set) + "\n " +
           m.first + wait + m.between + "\n 1:\n " + m.second + wait + "2:\n v_mov_b32 v9, v8\n";
}

TEST(lint, branches_that_agree) {
    for (const gfx_target target : both_targets) {
        for (const masked& m : masks) {
            const auto found = lint_of(target, masked_source(m));
            EXPECT_THAT(found, SizeIs(m.is_found ? 1 : 0)) << m.name;
        }
        // What is behind a path that is not gone may be wrong on another one by less.
        const std::string wait_states = product +
                                        "s_cmp_eq_u32 s2, 0\n s_mov_b64 s[8:9], -1\n"
                                        "s_cbranch_scc0 1f\n s_nop 1\n s_mov_b64 s[8:9], 0\n 1:\n"
                                        "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f\n"
                                        "s_nop 1\n 2:\n" +
                                        reader;
        const auto found = lint_of(target, wait_states);
        ASSERT_THAT(found, SizeIs(1));
        // 3 states, a branch that is taken (2), s_andn2, a branch that is not, s_nop 1.
        EXPECT_THAT(found[0].message, HasSubstr("needed between them, 8 are there"));
    }
}

// More masks than the lint follows.
TEST(lint, branches_of_which_it_is_not_known_whether_they_agree) {
    std::string source = "s_mov_b64 s[8:9], -1\n global_load_dword v8, v1, s[0:1]\n";
    for (int n = 0; n < 18; ++n) {
        const std::string mask =
            "s[" + std::to_string(10 + 2 * n) + ":" + std::to_string(11 + 2 * n) + "]";
        source += "s_cselect_b64 " + mask + ", -1, 0\n s_and_b64 vcc, exec, " + mask +
                  "\n s_cbranch_vccz 1f\n s_nop 0\n 1:\n";
    }
    source +=
        "s_andn2_b64 vcc, exec, s[8:9]\n s_cbranch_vccnz 2f\n s_waitcnt vmcnt(0)\n 2:\n"
        "v_mov_b32 v9, v8\n";
    const auto found = lint_of(gfx_target::gfx942, source);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].message, HasSubstr("on a path that may not exist: wait: v8 is read"));
}

// One factor's high half for both lanes, of gfx950's v_pk_fma_f32 alone.
TEST(lint, errata) {
    struct fma {
        const char* modifiers;
        bool is_broken;
    };
    constexpr fma cases[] = {
        {" op_sel:[0,1,0]", true},
        {" op_sel:[1,0,0]", true},
        {" op_sel:[0,1,0] op_sel_hi:[1,1,0]", true},
        {" op_sel:[1,0,0] neg_lo:[1,0,0] neg_hi:[1,0,0]", true},
        {"", false},
        {" op_sel_hi:[0,1,1]", false},  // low halves
        {" op_sel_hi:[1,0,1]", false},
        {" op_sel:[0,0,1]", false},                    // of C
        {" op_sel:[1,1,0]", false},                    // of both
        {" op_sel:[0,1,0] op_sel_hi:[1,0,1]", false},  // halves exchanged
        {" op_sel:[0,1,0] op_sel_hi:[0,1,1]", false},  // the other one is broadcast too
    };
    for (const gfx_target target : both_targets) {
        for (const fma& c : cases) {
            SCOPED_TRACE(std::string(target_name(target)) + c.modifiers);
            const auto found = lint_of(
                target, std::string("v_pk_fma_f32 v[8:9], v[0:1], v[2:3], v[4:5]") + c.modifiers +
                            "\n s_nop 4\n v_pk_mul_f32 v[10:11], v[0:1], "
                            "v[2:3] op_sel:[0,1]\n");
            if (!c.is_broken || target == gfx_target::gfx942) {
                EXPECT_THAT(found, IsEmpty());
                continue;
            }
            ASSERT_THAT(found, SizeIs(1));
            EXPECT_EQ(found[0].kind, lint_kind::errata);
            EXPECT_THAT(found[0].message, HasSubstr("erratum: v_pk_fma_f32"));
            EXPECT_THAT(found[0].cure, HasSubstr("-packed-fp32-ops"));
            EXPECT_EQ(found[0].at->mnemonic, "v_pk_fma_f32");
        }
    }
}

// gfx950's instructions on gfx942.
TEST(lint, what_the_target_lacks) {
    const auto& bytes = assemble(gfx_target::gfx950, "v_permlane32_swap_b32 v0, v1\n s_endpgm\n");
    program there(gfx_target::gfx950, bytes.data(), bytes.size(), machine::base);
    program here(gfx_target::gfx942, bytes.data(), bytes.size(), machine::base);
    EXPECT_THAT(lint(there, machine::base).findings, IsEmpty());
    EXPECT_THAT(lint(here, machine::base).findings, SizeIs(1));
}

// Scales in place of v0 (256), the first source of the instruction's first half: constants that
// the hardware reads otherwise than clang before 22 meant them, and scalar registers. 0 is 2**-127 by
// both, and a float is in the guide.
TEST(lint, scales_that_are_no_vector_registers) {
    const auto& bytes = assemble(
        gfx_target::gfx950,
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0, v0, v1\n s_endpgm\n");
    constexpr uint32_t s0 = 0;
    constexpr uint32_t int_0 = 128;
    constexpr uint32_t int_1 = 129;
    constexpr uint32_t float_1 = 242;
    for (const uint32_t source : {256u, s0, int_0, int_1, float_1}) {
        std::vector<std::byte> patched = bytes;
        uint32_t word = 0;
        std::memcpy(&word, &patched[4], sizeof word);
        word = (word & ~0x1ffu) | source;
        std::memcpy(&patched[4], &word, sizeof word);
        program code(gfx_target::gfx950, patched.data(), patched.size(), machine::base);
        const auto found = lint(code, machine::base).findings;
        if (source != s0 && source != int_1) {
            EXPECT_THAT(found, IsEmpty()) << source;
        } else {
            ASSERT_THAT(found, SizeIs(1)) << source;
            EXPECT_EQ(found[0].kind, lint_kind::hazards);
            // What a register will hold is not known; 1 has an exponent of 0 and a byte of 1.
            EXPECT_EQ(found[0].message,
                      std::string("hazard: ") + (source == s0 ? "s0" : "an inline constant") +
                          " is the scale of A: of what is no vector register the hardware reads "
                          "bits 30:23" +
                          (source == s0 ? ", not byte 0" : " (0), not byte 0 (1)"));
            EXPECT_THAT(found[0].cure, HasSubstr("vector register"));
        }
    }
}

TEST(lint, what_is_not_followed) {
    for (const gfx_target target : both_targets) {
        // Nothing is known behind a call.
        const lint_result call =
            lint_all_of(target,
                        "global_load_dword v8, v1, s[0:1]\n s_swappc_b64 s[8:9], s[10:11]\n"
                        "v_mov_b32 v9, v8");
        EXPECT_THAT(call.findings, IsEmpty());
        EXPECT_THAT(call.not_followed, ElementsAre(ContainsRegex("^.0x8 s_swappc_b64.*a call")));
        // But what it returns to is looked at: a load without its wait there.
        EXPECT_THAT(lint_all_of(target,
                                "s_swappc_b64 s[8:9], s[10:11]\n"
                                "global_load_dword v8, v1, s[0:1]\n v_mov_b32 v9, v8")
                        .findings,
                    SizeIs(1));
        // Also where registers had an index before it, or no lane was on.
        for (const char* before :
             {"s_set_gpr_idx_on s2, gpr_idx(SRC0)\n", "s_cbranch_execz 1f\n s_endpgm\n1:\n"}) {
            const std::string load = "global_load_dword v8, v1, s[0:1]\n v_mov_b32 v9, v8";
            EXPECT_THAT(lint_all_of(target, before + load).findings, IsEmpty());
            EXPECT_THAT(
                lint_all_of(target, before + ("s_swappc_b64 s[8:9], s[10:11]\n" + load)).findings,
                SizeIs(1))
                << before;
        }
        // At the end of the code one that may not return.
        const auto leaves = [&](const std::string& last) {
            const auto& bytes = assemble(target, last);
            program code(target, bytes.data(), bytes.size(), machine::base);
            return lint(code, machine::base).findings.size();
        };
        EXPECT_EQ(leaves("s_swappc_b64 s[8:9], s[10:11]"), 0u);
        EXPECT_EQ(leaves("s_nop 0"), 1u);
        const lint_result jump = lint_all_of(target, "s_setpc_b64 s[8:9]\n .long 0xffffffff\n");
        EXPECT_THAT(jump.findings, IsEmpty());
        EXPECT_THAT(jump.not_followed, ElementsAre(HasSubstr("an indirect branch")));
        const lint_result index =
            lint_all_of(target,
                        "s_set_gpr_idx_on s8, gpr_idx(DST)\n v_mov_b32 v8, v0\n s_set_gpr_idx_off\n"
                        "v_readlane_b32 s9, v8, 1");
        EXPECT_THAT(index.findings, IsEmpty());
        EXPECT_THAT(index.not_followed, ElementsAre(HasSubstr("registers by an index")));
    }
}

// The path of what is found behind code that indexes VGPRs.
TEST(lint, a_path_through_indexed_code) {
    for (const gfx_target target : both_targets) {
        const auto found = lint_of(target,
                                   "global_load_dword v8, v1, s[0:1]\n"
                                   "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n s_cbranch_scc1 1f\n"
                                   "s_waitcnt vmcnt(0)\n1: s_set_gpr_idx_off\n v_mov_b32 v9, v8");
        ASSERT_THAT(found, SizeIs(1));
        EXPECT_THAT(found[0].message, ContainsRegex("v8 is read while"));
        ASSERT_THAT(found[0].path, SizeIs(1));
        EXPECT_TRUE(found[0].path[0].is_taken);
    }
}

// The registers of an indexed use are not known: nothing is said of it, and behind it of the same one.
TEST(lint, uses_in_indexed_code) {
    for (const gfx_target target : both_targets) {
        const auto count = [&](const std::string& inside, const std::string& behind) {
            return lint_of(target,
                           "global_load_dword v8, v1, s[0:1]\n"
                           "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_mov_b32 v10, v11\n" +
                               inside + "s_set_gpr_idx_off\n" + behind +
                               "s_waitcnt vmcnt(0)\n v_mov_b32 v9, v8")
                .size();
        };
        const std::string use = "v_mov_b32 v9, v8\n";
        EXPECT_EQ(count("", ""), 0u);
        EXPECT_EQ(count(use, ""), 0u);
        EXPECT_EQ(count("", use), 1u);
        // M0 says which register s_movrels reads.
        const std::string scalar_load = "s_load_dword s8, s[0:1], 0x0\n";
        const std::string wait = "s_waitcnt lgkmcnt(0)";
        EXPECT_EQ(lint_of(target, scalar_load + "s_mov_b32 s9, s8\n" + wait).size(), 1u);
        EXPECT_EQ(lint_of(target, scalar_load + "s_movrels_b32 s9, s8\n" + wait).size(), 0u);
        // Or writes, as s_movreld does.
        EXPECT_EQ(lint_of(target, scalar_load + "s_movreld_b32 s8, s9\n" + wait).size(), 0u);
        EXPECT_EQ(lint_of(target, scalar_load + "s_movreld_b32 s9, s8\n" + wait).size(), 1u);
    }
}

// ---- files ----

// Two kernels, code that is none, and a kernel in a section of its own.
const std::string three_kernels =
    ".text\n.globl one\none: s_nop 1\ns_endpgm\n.globl two\ntwo: s_nop 2\ns_endpgm\n"
    ".globl helper\nhelper: s_endpgm\n"
    ".section .text.three,\"ax\",@progbits\n.globl three\ns_endpgm\nthree: s_nop 3\ns_endpgm\n"
    ".section .rodata\n.globl one.kd\none.kd: .quad 0\n.globl two.kd\ntwo.kd: .quad 0\n"
    ".globl three.kd\nthree.kd: .quad four\n.globl four.kd\nfour.kd: .quad 0\n";

// "gfx942 one s_nop 1; ..." of each kernel, with its first instruction; or what is thrown.
std::string kernels_of(const bytes_t& file, std::optional<gfx_target> only = std::nullopt) {
    std::string text;
    try {
        for_each_kernel(file, only, [&](const lint_kernel& k) {
            text += std::string(target_name(k.target)) + " " + k.symbol + " " +
                    k.code->at(k.entry).text + "; ";
        });
    } catch (const std::exception& error) {
        return error.what();
    }
    return text;
}

TEST(lint, kernels_of_files_of_every_kind) {
    const auto all_of = [](const std::string& target) {
        return target + " one s_nop 1; " + target + " three s_nop 3; " + target + " two s_nop 2; ";
    };
    std::map<std::string, bytes_t> objects;
    for (const gfx_target target : both_targets) {
        const std::string name = target_name(target);
        const gfx_target other = both_targets[target == both_targets[0] ? 1 : 0];
        bytes_t& object = objects[name] = assemble_object(target, three_kernels);
        EXPECT_EQ(kernels_of(object), all_of(name));
        EXPECT_EQ(kernels_of(object, target), all_of(name));
        EXPECT_EQ(kernels_of(object, other), std::string("no kernels for ") + target_name(other));
        // Assembly says itself what it is for, with features behind it or not, or is told.
        for (const std::string features : {"", ":sramecc+:xnack-"}) {
            const bytes_t text = to_bytes("\t.amdgcn_target \"amdgcn-amd-amdhsa--" + name +
                                          features + "\"\n" + three_kernels);
            EXPECT_EQ(kernels_of(text), all_of(name));
            EXPECT_EQ(kernels_of(text, target), all_of(name));
            EXPECT_EQ(kernels_of(text, other), std::string("no kernels for ") + target_name(other));
        }
        EXPECT_EQ(kernels_of(to_bytes(three_kernels), target), all_of(name));
        // Frames are left out, in the first lines as in the last.
        EXPECT_EQ(kernels_of(to_bytes("\n\t.cfi_unheard_of 1, 2\n" + three_kernels +
                                      "\t.cfi_startproc\n\t.cfi_unheard_of"),
                             target),
                  all_of(name));
    }
    const std::string without = "assembly without .amdgcn_target for gfx942 or gfx950, or --arch";
    EXPECT_EQ(kernels_of(to_bytes(three_kernels)), without);
    EXPECT_EQ(kernels_of(to_bytes(".amdgcn_target \"amdgcn-amd-amdhsa--gfx90a\"\n" + three_kernels),
                         gfx_target::gfx942),
              without);
    EXPECT_EQ(kernels_of(to_bytes("s_endpgm\n"), gfx_target::gfx942), "no kernels for gfx942");
    EXPECT_EQ(kernels_of(to_bytes(std::string("s_endpgm\n\0", 10)), gfx_target::gfx942),
              "neither a program, a fat binary, a code object nor assembly");
    EXPECT_THAT(kernels_of(to_bytes("s_nonsense\n"), gfx_target::gfx942),
                HasSubstr("assembling failed:\n"));
    // Another device: EF_AMDGPU_MACH of gfx90a in e_flags.
    bytes_t of_another = objects["gfx942"];
    of_another[48] = std::byte{0x3f};
    EXPECT_EQ(kernels_of(of_another), "code for a device that is neither gfx942 nor gfx950");

    const bytes_t bundle = make_bundle({{"host-x86_64-unknown-linux-gnu-", {}},
                                        {triple("gfx950"), objects["gfx950"]},
                                        {triple("gfx942"), objects["gfx942"]}});
    bytes_t binaries = make_offload_binary("gfx950", objects["gfx950"]);
    append(binaries, make_offload_binary("gfx942", objects["gfx942"]));
    const bytes_t alone = make_bundle({{triple("gfx950"), objects["gfx950"]}});
    for (const bytes_t& file : {bundle, compress(bundle, 2), compress(bundle, 3)}) {
        EXPECT_EQ(kernels_of(file), all_of("gfx942") + all_of("gfx950"));
        EXPECT_EQ(kernels_of(file, gfx_target::gfx950), all_of("gfx950"));
    }
    EXPECT_EQ(kernels_of(binaries), all_of("gfx950") + all_of("gfx942")) << "one file each";
    EXPECT_EQ(kernels_of(binaries, gfx_target::gfx942), all_of("gfx942"));
    EXPECT_EQ(kernels_of(alone), all_of("gfx950"));
    EXPECT_EQ(kernels_of(alone, gfx_target::gfx942), "no kernels for gfx942");
    // Behind each other, from the next multiple of 8 bytes on; what is none is passed over.
    for (const size_t between : {0u, 8u, 16u}) {
        bytes_t two = compress(alone, 3);
        two.resize((two.size() + 7) / 8 * 8 + between);
        append(two, bundle);
        two.resize(two.size() + 3);
        EXPECT_EQ(kernels_of(two), all_of("gfx950") + all_of("gfx942") + all_of("gfx950"))
            << between;
    }
    bytes_t cut_off = bundle;
    cut_off.pop_back();
    EXPECT_THAT(kernels_of(cut_off), HasSubstr("offload bundle: needs bytes "));
    bytes_t damaged = make_bundle({{triple("gfx950"), to_bytes("no code object")}});
    EXPECT_THAT(kernels_of(damaged), testing::Not(HasSubstr("no kernels")));
}

// The lines of assembly with debug information: of its own code, which begins at 0 as other sections
// do. Where there are several sections of code their lines are not told apart.
TEST(lint, lines_of_assembly) {
    const std::string lines =
        ".text\n.file 1 \"/somewhere\" \"a.hip\"\n.globl one\none:\n.loc 1 41 0\ns_nop 1\n"
        ".loc 1 42 0\ns_nop 2\n.loc 1 43 0\ns_endpgm\n.Lend:\n"
        ".section .rodata\n.globl one.kd\none.kd: .quad 0\n"
        // A unit with a table of lines, its first instruction and its bytes (DWARF 4).
        ".section .debug_abbrev,\"\",@progbits\n"
        ".byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 0, 0, 0\n"
        ".section .debug_info,\"\",@progbits\n"
        ".long 24\n.short 4\n.long 0\n.byte 8, 1\n.long 0\n.quad one\n.long .Lend-one\n";
    for (const gfx_target target : both_targets) {
        for (const bool has_another : {false, true}) {
            const std::string another =
                has_another ? ".section .text.other,\"ax\",@progbits\ns_endpgm\n" : "";
            int kernels = 0;
            for_each_kernel(to_bytes(lines + another), target, [&](const lint_kernel& k) {
                ++kernels;
                EXPECT_EQ(k.symbol, "one");
                const auto frames =
                    k.code->frames_of({k.entry, k.entry + 4, k.entry + 8, k.entry + 12});
                for (uint32_t n = 0; n < 4; ++n) {
                    ASSERT_THAT(frames[n], SizeIs(has_another || n == 3 ? 0u : 1u)) << n;
                    if (!frames[n].empty()) {
                        EXPECT_EQ(frames[n][0].file, "/somewhere/a.hip");
                        EXPECT_EQ(frames[n][0].line, 41 + n);
                    }
                }
            });
            EXPECT_EQ(kernels, 1);
        }
    }
}

// Frames in opus's own headers are set apart, in the order in which they call each other.
TEST(lint, frames_of_opus_and_of_its_user) {
    const source_frame user{"dir/a.hip", 12};
    const source_frame helper{"helper.hpp", 7};
    const source_frame outer{"x/opus/opus.hpp", 4552};
    const source_frame inner{"x/opus/opus.hpp", 4703};
    const source_frame device{"x/opus/hip_minimal.hpp", 5};
    const struct {
        source_frames frames;  // innermost first
        const char* of_user;
        const char* all;
    } rows[] = {
        {{}, "", ""},
        {{user}, "dir/a.hip:12", "dir/a.hip:12"},
        {{helper, user}, "dir/a.hip:12 > helper.hpp:7", "dir/a.hip:12 > helper.hpp:7"},
        {{inner, outer, user}, "dir/a.hip:12", "dir/a.hip:12 (opus.hpp:4552 > :4703)"},
        {{device, outer, helper, user},
         "dir/a.hip:12 > helper.hpp:7",
         "dir/a.hip:12 > helper.hpp:7 (opus.hpp:4552 > hip_minimal.hpp:5)"},
        {{inner, device, outer, user},
         "dir/a.hip:12",
         "dir/a.hip:12 (opus.hpp:4552 > hip_minimal.hpp:5 > opus.hpp:4703)"},
        {{inner, outer}, "x/opus/opus.hpp:4552", "x/opus/opus.hpp:4552 (opus.hpp:4703)"},
        {{outer}, "x/opus/opus.hpp:4552", "x/opus/opus.hpp:4552"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(frames_of_user(row.frames), row.of_user);
        EXPECT_EQ(all_frames(row.frames), row.all);
    }
    EXPECT_FALSE(is_in_opus("opus.hpp"));
    EXPECT_FALSE(is_in_opus("x/opus/opus.hpp.bak"));
}

// ---- size ----

// Products, loads and waits in a row, and a branch after each few.
TEST(lint, a_large_kernel) {
    std::string source;
    for (int n = 0; n < 1600; ++n) {
        const std::string skip = std::to_string(n);
        source +=
            "global_load_dwordx4 v[40:43], v1, s[0:1]\n ds_read_b128 v[44:47], v1\n"
            "s_cbranch_scc1 .L" +
            skip + "\n" + product + "s_nop 3\n .L" + skip +
            ":\n"
            "v_add_u32 v2, v0, v1\n s_waitcnt vmcnt(0) lgkmcnt(0)\n"
            "v_add_f32 v48, v40, v44\n v_add_f32 v49, v43, v47\n" +
            product;
    }
    source += "s_cbranch_scc0 .L0\n";
    for (const gfx_target target : both_targets) {
        const auto& bytes = assemble(target, source + machine::end);
        program code(target, bytes.data(), bytes.size(), machine::base);
        const auto start = std::chrono::steady_clock::now();
        const lint_result result = lint(code, machine::base);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        EXPECT_THAT(result.findings, IsEmpty());
        EXPECT_GE(result.instructions, 16000u);
        EXPECT_LT(took.count(), 20);
        std::printf("  %s: %zu instructions, %zu blocks, %.2f s\n", target_name(target),
                    result.instructions, result.blocks, took.count());
    }
}

}  // namespace
}  // namespace emu
