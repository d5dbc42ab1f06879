// timeline/recorder: what is recorded of each kind of instruction, and of groups that are not chosen.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "timeline_machine.hpp"

namespace emu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class timeline_recorded : public testing::TestWithParam<gfx_target> {
protected:
    // The instructions, in a row, of a wave that executes none of them.
    timeline_record noted(const std::string& source, const timeline_placement& placement = {}) {
        timeline_recorder recorder(m.p, {0}, placement);
        note(recorder, 0, source);
        return recorder.take();
    }
    void note(timeline_recorder& recorder, uint64_t number, const std::string& source) {
        timeline_group_recorder* group = recorder.group(number, 1);
        note(*group, source);
        group->finish();
    }
    void note(timeline_group_recorder& group, const std::string& source) {
        program& code = program_of(source);
        for (uint64_t pc = machine::base; pc < machine::base + code_bytes_;) {
            const instruction& i = code.at(pc);
            group.note(m.w(), i);
            pc += i.size;
        }
    }
    program& program_of(const std::string& source) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source);
        code_bytes_ = bytes.size();
        return programs_.try_emplace(source, m.target(), bytes.data(), bytes.size(), machine::base)
            .first->second;
    }

    recorded_machine m{GetParam(), 4096};
    const timeline_parameters& p = m.p;

private:
    std::map<std::string, program> programs_;
    size_t code_bytes_ = 0;
};
INSTANTIATE_TEST_SUITE_P(targets, timeline_recorded, testing::ValuesIn(both_targets),
                         [](const auto& info) { return name_of(info.param); });

// ---- instructions ----

TEST_P(timeline_recorded, units) {
    using unit = timeline_unit;
    const std::pair<unit, std::vector<const char*>> cases[] = {
        {unit::valu, {"v_mov_b32 v0, v1", "v_cmp_eq_u32 vcc, v0, v1", "v_readlane_b32 s0, v0, 1"}},
        {unit::mfma, {"v_mfma_f32_4x4x4_16b_f16 v[0:3], v[4:5], v[6:7], 0"}},
        {unit::lds, {"ds_read_b32 v0, v1", "ds_bpermute_b32 v0, v1, v2", "ds_add_u32 v0, v1"}},
        {unit::vmem,
         {"buffer_load_dword v0, off, s[0:3], 0", "global_load_dword v0, v1, s[0:1]",
          "flat_load_dword v0, v[2:3]", "scratch_load_dword v0, off, off", "buffer_inv sc1",
          "buffer_wbl2 sc1", "global_atomic_add v0, v1, s[0:1]"}},
        {unit::smem,
         {"s_load_dword s4, s[0:1], 0x0", "s_buffer_load_dword s4, s[0:3], 0x0", "s_memtime s[4:5]",
          "s_memrealtime s[4:5]", "s_dcache_inv"}},
        {unit::branch,
         {"s_branch 0", "s_cbranch_scc1 0", "s_cbranch_execz 0", "s_setpc_b64 s[0:1]",
          "s_swappc_b64 s[0:1], s[2:3]", "s_call_b64 s[0:1], 0"}},
        {unit::none,
         {"s_waitcnt 0", "s_nop 0", "s_barrier", "s_sleep 1", "s_setprio 1", "s_endpgm"}},
        {unit::salu,
         {"s_mov_b32 s0, 0", "s_cmp_eq_u32 s0, 1", "s_getpc_b64 s[0:1]", "s_set_gpr_idx_off"}},
    };
    for (const auto& [unit, sources] : cases) {
        for (const char* source : sources) {
            const timeline_record r = noted(source);
            ASSERT_EQ(r.instructions.size(), 1u) << source;
            EXPECT_EQ(r.instructions[0].unit, unit) << source;
            if (unit != timeline_unit::lds) {
                EXPECT_FALSE(r.instructions[0].lds_inferred) << source;
                EXPECT_EQ(r.instructions[0].lds_lane_bytes, 0u) << source;
            }
        }
    }
}

TEST_P(timeline_recorded, rates) {
    using rate = timeline_rate;
    const std::pair<rate, std::vector<std::string>> cases[] = {
        {rate::transcendental,
         {"exp_f32", "log_f32", "rcp_f32", "rsq_f32", "sqrt_f32", "sin_f32", "cos_f32", "exp_f16",
          "log_f16", "rcp_f16", "rsq_f16", "sqrt_f16", "sin_f16", "cos_f16", "rcp_iflag_f32"}},
        {rate::transcendental64, {"rcp_f64", "rsq_f64", "sqrt_f64"}},
        {rate::ordinary,
         {"mov_b32", "cvt_f32_u32", "floor_f32", "frexp_mant_f32", "cvt_f16_f32", "bfrev_b32"}},
        {rate::f64, {"floor_f64", "cvt_f64_f32", "cvt_f32_f64", "cvt_i32_f64", "fract_f64"}},
    };
    for (const auto& [rate, names] : cases) {
        for (const std::string& name : names) {
            const bool is_to_64 = name.ends_with("_f64") && !name.starts_with("cvt_");
            const bool has_64 = is_to_64 || name == "cvt_f64_f32";
            const bool of_64 = name.ends_with("_f64");
            const std::string source =
                "v_" + name + (has_64 ? " v[0:1], " : " v0, ") + (of_64 ? "v[2:3]" : "v2");
            EXPECT_EQ(noted(source).instructions[0].rate, rate) << source;
        }
    }
    const std::pair<rate, std::vector<const char*>> others[] = {
        {rate::multiply32,
         {"v_mul_lo_u32 v0, v1, v2", "v_mul_hi_u32 v0, v1, v2", "v_mul_hi_i32 v0, v1, v2",
          "v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]",
          "v_mad_i64_i32 v[0:1], vcc, v2, v3, v[4:5]"}},
        {rate::f64,
         {"v_add_f64 v[0:1], v[2:3], v[4:5]", "v_lshlrev_b64 v[0:1], v2, v[4:5]",
          "v_ashrrev_i64 v[0:1], v2, v[4:5]", "v_cmp_lt_u64 vcc, v[0:1], v[2:3]",
          "v_cmp_gt_i64 vcc, v[0:1], v[2:3]", "v_lshl_add_u64 v[0:1], v[2:3], 1, v[4:5]"}},
        {rate::ordinary,
         {"v_mul_u32_u24 v0, v1, v2", "v_mul_lo_u16 v0, v1, v2", "v_mad_u32_u24 v0, v1, v2, v3",
          "v_fma_f32 v0, v1, v2, v3", "v_pk_mul_f16 v0, v1, v2", "s_mul_i32 s0, s1, s2"}},
    };
    for (const auto& [rate, sources] : others) {
        for (const char* source : sources) {
            EXPECT_EQ(noted(source).instructions[0].rate, rate) << source;
        }
    }
}

// Registers as "first+count", with > in front of those that are written, and what they are used as.
std::vector<std::string> operands_of(const timeline_instruction& i) {
    std::vector<std::string> result;
    for (const timeline_operand& o : i.operands) {
        const char* const uses[] = {"c", "gemm_c", "ab", "read", "write", "memory", "other"};
        const bool is_s = o.first >= first_sgpr;
        const bool is_a = !is_s && o.first >= first_agpr;
        const uint32_t base = is_s ? first_sgpr : is_a ? first_agpr : 0;
        result.push_back(std::string(o.is_write ? ">" : "") +
                         (is_s   ? "s"
                          : is_a ? "a"
                                 : "v") +
                         std::to_string(o.first - base) + "+" + std::to_string(o.count) + " " +
                         uses[static_cast<size_t>(o.use)]);
    }
    std::ranges::sort(result);
    return result;
}

TEST_P(timeline_recorded, registers) {
    const auto operands = [&](const char* source) {
        return operands_of(noted(source).instructions[0]);
    };
    EXPECT_THAT(operands("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], a[2:3], v[16:19]"),
                ElementsAre(">v8+4 other", "a2+2 ab", "v0+2 ab", "v16+4 c"));
    EXPECT_THAT(operands("v_mfma_f32_16x16x16_f16 a[8:11], a[0:1], v[2:3], a[8:11]"),
                ElementsAre(">a8+4 other", "a0+2 ab", "a8+4 c", "v2+2 ab"));
    EXPECT_THAT(operands("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 0"),
                ElementsAre(">v8+4 other", "v0+2 ab", "v2+2 ab"));
    EXPECT_THAT(operands("v_mfma_f32_16x16x4_f32 v[8:11], v0, v2, v[16:19]"),
                ElementsAre(">v8+4 other", "v0+1 ab", "v16+4 gemm_c", "v2+1 ab"));
    EXPECT_THAT(operands("v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], v[16:23]"),
                ElementsAre(">v8+8 other", "v0+2 ab", "v16+8 gemm_c", "v2+2 ab"));
    EXPECT_THAT(operands("v_add_f32 v1, s3, v2"),
                ElementsAre(">v1+1 write", "s3+1 other", "v2+1 read"));
    EXPECT_THAT(operands("v_accvgpr_read_b32 v1, a0"), ElementsAre(">v1+1 write", "a0+1 read"));
    EXPECT_THAT(operands("v_readfirstlane_b32 s0, v1"),
                testing::IsSupersetOf({">s0+1 other", "v1+1 read"}));
    EXPECT_THAT(operands("ds_write_b64 v1, v[2:3]"), ElementsAre("v1+1 memory", "v2+2 memory"));
    EXPECT_THAT(operands("ds_read_b64 v[2:3], v1"), ElementsAre(">v2+2 other", "v1+1 memory"));
    EXPECT_THAT(operands("global_store_dwordx2 v1, v[2:3], s[4:5]"),
                ElementsAre("s4+2 other", "v1+1 memory", "v2+2 memory"));
    EXPECT_THAT(operands("s_load_dwordx4 s[8:11], s[4:5], 0x0"),
                ElementsAre(">s8+4 other", "s4+2 other"));
}

TEST_P(timeline_recorded, counters) {
    // What occupies neither counter has no access: nothing waits for it.
    const struct {
        const char* source;
        bool vm, lgkm;
    } cases[] = {
        {"global_load_dword v0, v1, s[0:1]", true, false},
        {"buffer_wbl2 sc1", true, false},
        {"scratch_store_dword off, v0, off", true, false},
        {"flat_store_dword v[2:3], v0", true, true},
        {"ds_add_u32 v0, v1", false, true},
        {"ds_swizzle_b32 v0, v1 offset:0x41f", false, true},
        {"s_load_dword s4, s[0:1], 0x0", false, true},
        {"s_memtime s[4:5]", false, true},
        {"buffer_inv sc1", true, false},
        {"s_dcache_inv", false, false},
        {"ds_nop", false, false},
        {"v_mov_b32 v0, v1", false, false},
    };
    m.set_exec(0);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.source);
        const timeline_record r = noted(c.source);
        const timeline_instruction& i = r.instructions[0];
        EXPECT_EQ(i.counts_vm, c.vm);
        EXPECT_EQ(i.counts_lgkm, c.lgkm);
        EXPECT_EQ(i.has_access, c.vm || c.lgkm);
        EXPECT_EQ(r.groups[0].waves[0].accesses.size(), c.vm || c.lgkm ? 1u : 0u);
    }
}

TEST_P(timeline_recorded, waits_and_priorities) {
    const timeline_record r = noted(
        "s_waitcnt vmcnt(63) lgkmcnt(15)\n s_waitcnt vmcnt(17)\n s_waitcnt lgkmcnt(0)\n"
        "s_sleep 127\n s_setprio 1\n s_nop 15\n v_mov_b32 v0, 0\n v_add_f32 v0, 0x3f900000, v1");
    const auto& i = r.instructions;
    EXPECT_EQ(i[0].vmcnt, 63);
    EXPECT_EQ(i[0].lgkmcnt, 15);
    EXPECT_EQ(i[1].vmcnt, 17);
    EXPECT_EQ(i[1].lgkmcnt, 15);
    EXPECT_EQ(i[2].vmcnt, 63);
    EXPECT_EQ(i[2].lgkmcnt, 0);
    EXPECT_EQ(i[3].sleep, 127);
    EXPECT_EQ(i[3].turns, 1);
    EXPECT_EQ(i[4].priority, 1);
    EXPECT_EQ(i[5].turns, 16);
    EXPECT_EQ(i[6].bytes, 4u);
    EXPECT_EQ(i[7].bytes, 8u);
    EXPECT_EQ(i[7].address, i[6].address + 4);
    for (size_t n = 0; n < i.size(); ++n) {
        using control = timeline_control;
        const control controls[] = {control::wait,     control::wait, control::wait, control::sleep,
                                    control::priority, control::nop,  control::none, control::none};
        EXPECT_EQ(i[n].control, controls[n]) << i[n].text;
    }
    EXPECT_EQ(noted("s_barrier").instructions[0].control, timeline_control::barrier);
    EXPECT_EQ(noted("s_endpgm").instructions[0].control, timeline_control::end);
}

// docs/timeline.md: nt and device scope go around L1, device scope around L2 where there are several,
// nt is the first to make room in L2, and nt and loads of group scope do not stay in the MALL.
TEST_P(timeline_recorded, cache_policies) {
    const struct {
        const char* bits;
        bool in_l1, in_one_of_l2s, in_only_l2, stays_in_l2, load_in_mall, store_in_mall;
    } cases[] = {
        {"", true, true, true, true, true, true},
        {" sc0", true, true, true, true, false, true},
        {" sc1", false, false, true, true, true, true},
        {" sc0 sc1", false, false, false, true, true, true},
        {" nt", false, true, true, false, false, false},
        {" sc0 nt", false, true, true, false, false, false},
        {" sc0 nt sc1", false, false, false, false, false, false},
        {" nt sc1", false, false, true, false, false, false},
    };
    const auto policy = [&](const std::string& source) {
        return noted(source).instructions[0].policy;
    };
    const uint32_t dies = m.p.dies;
    ASSERT_GT(dies, 1u);
    m.set_exec(0);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.bits);
        for (const bool is_only : {false, true}) {
            m.p.dies = is_only ? 1 : dies;
            const auto expect = [&](const timeline_policy& found, bool in_mall) {
                EXPECT_EQ(found.in_l1, c.in_l1);
                EXPECT_EQ(found.in_l2, is_only ? c.in_only_l2 : c.in_one_of_l2s);
                EXPECT_EQ(found.stays_in_l2, c.stays_in_l2);
                EXPECT_EQ(found.stays_in_mall, in_mall);
            };
            expect(policy("global_load_dword v0, v1, s[0:1]" + std::string(c.bits)),
                   c.load_in_mall);
            expect(policy("buffer_load_dword v0, v1, s[0:3], 0 offen" + std::string(c.bits)),
                   c.load_in_mall);
            expect(policy("global_store_dword v0, v1, s[0:1]" + std::string(c.bits)),
                   c.store_in_mall);
        }
    }
    // sc0 of an atomic is no scope: it wants the value from before.
    m.p.dies = 1;
    EXPECT_TRUE(policy("global_atomic_add v2, v0, v1, s[0:1] sc0 sc1").in_l2);
    EXPECT_TRUE(policy("global_atomic_add v2, v0, v1, s[0:1] sc0").stays_in_mall);
    EXPECT_FALSE(policy("global_atomic_add v0, v1, s[0:1] nt").stays_in_mall);
}

// ---- memory ----

TEST_P(timeline_recorded, bytes_of_lds) {
    m.fill(0, [](uint32_t l) { return 16 * l; });
    const struct {
        const char* source;
        uint64_t exec;
        uint32_t bytes, addresses, lane_bytes;
        bool writes;
    } cases[] = {
        {"ds_write_b8 v0, v1", 7, 3 * 4, 3, 1, true},
        {"ds_write_b64 v0, v[2:3]", 7, 3 * 8, 3, 8, true},
        {"ds_read_b96 v[4:6], v0", 7, 3 * 12, 3, 12, false},
        {"ds_read2_b32 v[2:3], v0 offset1:1", 7, 3 * 2 * 4, 3, 8, false},
        {"ds_write2_b64 v0, v[2:3], v[4:5] offset1:1", 3, 2 * 2 * 8, 2, 16, true},
        {"ds_add_rtn_u32 v1, v0, v2", 7, 3 * 4, 3, 4, false},
        // All lanes take part, whichever are active.
        {"ds_bpermute_b32 v1, v0, v2", 7, 64 * 4, 64, 0, false},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.source);
        m.set_exec(c.exec);
        const timeline_record r = noted(c.source);
        const timeline_access& access = r.groups[0].waves[0].accesses.at(0);
        EXPECT_EQ(access.lds_bytes, c.bytes);
        EXPECT_EQ(access.lds_addresses, c.addresses);
        EXPECT_EQ(access.bytes, 0u);
        EXPECT_EQ(access.lines, 0u);
        EXPECT_EQ(r.instructions[0].lds_lane_bytes, c.lane_bytes);
        EXPECT_EQ(r.instructions[0].lds_writes, c.writes);
    }
    // What loads to LDS arrives as dwords, also what lies outside of the buffer.
    m.s(8) = 0x1000;
    m.s(10) = 1;
    m.s(11) = 0x20000;
    m.set_exec(0xf8);
    for (const char* source : {"buffer_load_ubyte v0, s[8:11], 0 offen lds",
                               "buffer_load_dword v0, s[8:11], 0 offen lds"}) {
        const timeline_record r = noted(source);
        EXPECT_EQ(r.groups[0].waves[0].accesses[0].lds_bytes, 5u * 4);
        EXPECT_EQ(r.groups[0].waves[0].accesses[0].bytes, 0u);
    }
}

TEST_P(timeline_recorded, phases_of_what_has_no_rule_of_its_own) {
    // Eight pieces of 16 bytes in a row, of which row 2 has its halves exchanged: writes serve eight
    // lanes that follow each other, reads others, of which two times four meet (lds.hpp).
    m.fill(0, [](uint32_t l) { return 16 * (l ^ (l / 8 == 2 ? 4 : 0)); });
    const auto access = [&](const char* source) {
        return noted(source).groups[0].waves[0].accesses.at(0);
    };
    EXPECT_EQ(access("ds_read_b96 v[4:6], v0").lds_phases, 8u);
    EXPECT_EQ(access("ds_read_b96 v[4:6], v0").lds_conflicts, 2u);
    EXPECT_EQ(access("ds_write_b96 v0, v[4:6]").lds_phases, 8u);
    EXPECT_EQ(access("ds_write_b96 v0, v[4:6]").lds_conflicts, 0u);
    EXPECT_EQ(access("ds_add_rtn_u64 v[4:5], v0, v[2:3]").lds_phases, 4u);
    EXPECT_EQ(access("ds_append v4").lds_phases, 0u);
    EXPECT_FALSE(noted("ds_append v4").instructions[0].lds_inferred);
    if (GetParam() == gfx_target::gfx950) {
        EXPECT_EQ(access("ds_read_b64_tr_b16 v[4:5], v0").lds_phases, 2u) << "as ds_read_b64";
        EXPECT_EQ(access("ds_read_b96_tr_b6 v[4:6], v0").lds_conflicts, 2u) << "as ds_read_b96";
    }
    const instruction& other = program_of("v_mov_b32 v0, v1").at(machine::base);
    const timeline_lds_rule none = find_timeline_lds_rule(other);
    EXPECT_EQ(none.rule, nullptr);
    EXPECT_FALSE(none.is_inferred);
    EXPECT_FALSE(none.is_atomic);
}

TEST_P(timeline_recorded, lanes_of_each_wave) {
    // Two waves with other addresses execute the same loop in turns: what is known of one's pattern is
    // not taken for the other's. Conflicts of 32 and of 2 lanes; 256 bytes and 64 * 16.
    m.s(8) = 0;
    m.s(9) = 1;
    m.s(10) = 1 << 20;
    m.s(11) = 0x20000;
    timeline_recorder recorder(p, {0});
    timeline_group_recorder* group = recorder.group(0, 3);
    for (int round = 0; round < 3; ++round) {
        for (int wave = 0; wave < 3; ++wave) {
            m.w().index_in_group = wave;
            m.fill(0, [&](uint32_t l) { return (wave == 0 ? 128u : 4u << wave) * l; });
            note(*group,
                 "ds_read_b32 v4, v0\n buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 offen\n"
                 "ds_write_b32 v0, v4");
        }
    }
    m.w().index_in_group = 0;
    group->finish();
    const timeline_record r = recorder.take();
    const uint32_t conflicts[] = {2 * 31, 2 * 1, 2 * 3};
    const uint32_t lines[] = {64, 4, 8};
    for (size_t wave = 0; wave < 3; ++wave) {
        const std::vector<timeline_access>& accesses = r.groups[0].waves[wave].accesses;
        ASSERT_THAT(accesses, SizeIs(9));
        for (size_t n = 0; n < 9; n += 3) {
            EXPECT_EQ(accesses[n].lds_conflicts, conflicts[wave]);
            EXPECT_EQ(accesses[n + 1].lines, lines[wave]);
            EXPECT_EQ(accesses[n + 1].bytes, 64u * 8);
            EXPECT_EQ(accesses[n + 2].lds_conflicts, conflicts[wave]);
        }
    }
}

using line_bytes = std::vector<std::pair<uint64_t, uint32_t>>;
line_bytes lines_of(const timeline_wave& wave) {
    line_bytes result;
    for (const timeline_line& line : wave.lines) {
        result.emplace_back(line.number, line.bytes);
    }
    return result;
}

TEST_P(timeline_recorded, lines_by_the_bytes_of_lanes) {
    ASSERT_EQ(p.line_bytes, 128u);
    constexpr uint64_t first = 1000;
    m.set_s64(2, first * 128);
    const auto lines = [&](const char* source) {
        return lines_of(noted(source).groups[0].waves[0]);
    };
    // All lanes want the same dword, a line has no more than its bytes.
    m.fill(0, 124);
    EXPECT_EQ(lines("global_load_dword v1, v0, s[2:3]"), (line_bytes{{first, 128}}));
    m.fill(0, 126);
    EXPECT_EQ(lines("global_load_dword v1, v0, s[2:3]"),
              (line_bytes{{first, 128}, {first + 1, 128}}));
    // Backwards; with a gap between neighbours; across three lines.
    m.fill(0, [](uint32_t l) { return 252 - 4 * l; });
    EXPECT_EQ(lines("global_load_dword v1, v0, s[2:3]"),
              (line_bytes{{first, 128}, {first + 1, 128}}));
    m.set_exec(0xff);
    m.fill(0, [](uint32_t l) { return 64 * l; });
    EXPECT_EQ(lines("global_load_dwordx3 v[4:6], v0, s[2:3]"),
              (line_bytes{{first, 24}, {first + 1, 24}, {first + 2, 24}, {first + 3, 24}}));
    m.set_exec(1);
    m.fill(0, 127);
    EXPECT_EQ(lines("global_load_ubyte v4, v0, s[2:3] offset:1"), (line_bytes{{first + 1, 1}}));
    m.set_exec(0);
    EXPECT_EQ(lines("global_load_dword v1, v0, s[2:3]"), line_bytes{});
}

TEST_P(timeline_recorded, lane_0_at_offset_0) {
    // What nothing is known of yet looks like no other lane and no offset.
    m.set_exec(1);
    m.fill(0, 0);
    m.s(8) = 1 << 20;
    m.s(9) = 0;
    m.s(10) = 4096;
    m.s(11) = 0x20000;
    const timeline_record r =
        noted("ds_read_b32 v1, v0\n buffer_load_dword v1, v0, s[8:11], 0 offen");
    const std::vector<timeline_access>& accesses = r.groups[0].waves[0].accesses;
    EXPECT_EQ(accesses.at(0).lds_bytes, 4u);
    EXPECT_EQ(accesses.at(0).lds_phases, 1u);
    EXPECT_EQ(accesses.at(1).bytes, 4u);
    EXPECT_EQ(lines_of(r.groups[0].waves[0]), (line_bytes{{(1 << 20) / 128, 4}}));
}

TEST_P(timeline_recorded, scalar_addresses) {
    ASSERT_EQ(p.scalar_line_bytes, 64u);
    const auto line = [&](const char* source) {
        const line_bytes lines = lines_of(noted(source).groups[0].waves[0]);
        return lines.size() == 1 ? lines[0] : std::pair<uint64_t, uint32_t>{};
    };
    using one = std::pair<uint64_t, uint32_t>;
    m.set_s64(2, 0x7fff'0000'1000);
    m.s(9) = 0x140;
    constexpr uint64_t first = 0x7fff'0000'1000 / 64;
    EXPECT_EQ(line("s_load_dword s16, s[2:3], 0x3c"), one(first, 4));
    EXPECT_EQ(line("s_load_dwordx2 s[16:17], s[2:3], 0x40"), one(first + 1, 8));
    EXPECT_EQ(line("s_load_dwordx4 s[16:19], s[2:3], s9"), one(first + 5, 16));
    EXPECT_EQ(line("s_load_dword s16, s[2:3], s9 offset:0x80"), one(first + 7, 4));
    EXPECT_EQ(line("s_load_dword s16, s[2:3], -0x40"), one(first - 1, 4));
    EXPECT_EQ(line("s_load_dword s16, s[2:3], 0x3f"), one(first, 4)) << "of a whole dword";
    EXPECT_EQ(line("s_load_dword s16, s[2:3], 0x3d"), one(first, 4)) << "of a whole dword";
    m.set_s64(104, 0x2000);
    EXPECT_EQ(line("s_load_dword s16, vcc, 0x0"), one(m.s64(106) / 64, 4));
    // A buffer's base has 48 bits, above them is the stride.
    m.s(4) = m.s(2);
    m.s(5) = m.s(3) | 16u << 16;
    m.s(6) = 1000;
    m.s(7) = 0x20000;
    EXPECT_EQ(line("s_buffer_load_dwordx2 s[16:17], s[4:7], 0x40"), one(first + 1, 8));
}

TEST_P(timeline_recorded, scratch_of_each_wave) {
    // Dword d of all lanes is side by side, and each wave of each group has its own.
    constexpr size_t waves = 3;
    timeline_recorder recorder(p, {0, 1, 1000}, {.units = 2000, .groups = 2000});
    m.w().scratch_per_lane = 64;
    m.w().scratch.resize(64 * lane_count);
    for (const uint64_t number : {0u, 1u, 1000u}) {
        timeline_group_recorder* group = recorder.group(number, waves);
        for (size_t n = 0; n < waves; ++n) {
            m.w().index_in_group = static_cast<int>(n);
            note(*group,
                 "scratch_load_dwordx2 v[2:3], off, off offset:8\n"
                 "scratch_load_ubyte v2, off, off offset:8\n"
                 "scratch_load_dword v2, off, off offset:12");
        }
        group->finish();
    }
    m.w().index_in_group = 0;
    const timeline_record r = recorder.take();
    std::vector<uint64_t> firsts;
    for (const timeline_group& group : r.groups) {
        for (const timeline_wave& wave : group.waves) {
            const line_bytes lines = lines_of(wave);
            ASSERT_EQ(lines.size(), 8u);
            const uint64_t first = lines[0].first;
            EXPECT_EQ(lines, (line_bytes{{first, 128},
                                         {first + 1, 128},
                                         {first + 2, 128},
                                         {first + 3, 128},
                                         {first, 32},
                                         {first + 1, 32},
                                         {first + 2, 128},
                                         {first + 3, 128}}));
            EXPECT_EQ(wave.accesses[0].bytes, 64u * 8);
            EXPECT_EQ(wave.accesses[1].bytes, 64u);
            firsts.push_back(first);
        }
    }
    std::ranges::sort(firsts);
    EXPECT_THAT(firsts, SizeIs(9));
    for (size_t n = 1; n < firsts.size(); ++n) {
        EXPECT_GE(firsts[n] - firsts[n - 1], 64 * lane_count / 128) << n;
    }
}

TEST_P(timeline_recorded, flat_by_the_address_of_each_lane) {
    // Ten lanes in LDS, one in scratch, the others of a row in memory.
    constexpr uint64_t first = 1 << 20;
    const auto part = [&](uint32_t l) {
        return l < 10 ? shared_aperture + l : l == 10 ? private_aperture : first * 128 + 4 * l;
    };
    m.fill(0, [&](uint32_t l) { return static_cast<uint32_t>(part(l)); });
    m.fill(1, [&](uint32_t l) { return static_cast<uint32_t>(part(l) >> 32); });
    m.w().scratch_per_lane = 64;
    m.w().scratch.resize(64 * lane_count);
    const timeline_record r = noted("flat_load_ushort v4, v[0:1]");
    const timeline_access& access = r.groups[0].waves[0].accesses.at(0);
    EXPECT_EQ(access.lds_bytes, 10u * 4) << "words take a dword of LDS";
    EXPECT_EQ(access.bytes, 54u * 2);
    EXPECT_EQ(access.lines, 3u);
    const line_bytes lines = lines_of(r.groups[0].waves[0]);
    EXPECT_EQ(lines[0], std::pair(first, 21u * 2));
    EXPECT_EQ(lines[1], std::pair(first + 1, 32u * 2));
    EXPECT_EQ(lines[2].second, 2u);
    EXPECT_GE(lines[2].first, private_aperture / 128);
}

TEST_P(timeline_recorded, what_asks_for_no_lines_takes_no_time_of_the_die) {
    // The second load of two has no lane: the third one is the second that the die sees.
    const std::string load = "global_load_dword v1, v0, s[2:3]\n";
    m.fill(0, 0);
    m.set_s64(2, 1 << 20);
    timeline_recorder recorder(p, {0});
    timeline_group_recorder* group = recorder.group(0, 1);
    for (const uint64_t exec : {~uint64_t{0}, uint64_t{0}, ~uint64_t{0}}) {
        m.set_exec(exec);
        note(*group, load);
    }
    group->finish();
    const timeline_record r = recorder.take();
    const timeline_wave& wave = r.groups[0].waves[0];
    EXPECT_EQ(wave.accesses.size(), 3u);
    EXPECT_EQ(wave.accesses[1].lines, 0u);
    EXPECT_EQ(wave.channels.size(), 2u);
    EXPECT_THAT(wave.other_channels, IsEmpty());
}

TEST_P(timeline_recorded, whether_an_access_lies_in_memory) {
    // Loads need not be allowed to write there.
    const std::vector<std::byte> memory(1024);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    add_range(address, memory.size(), false, memory_kind::device);
    m.set_s64(2, address);
    m.set_s64(4, address);
    m.s(6) = 4096;
    m.s(7) = 0x20000;
    ASSERT_NE(m.w().group->ranges.translate(address, 4, false), nullptr);
    for (const char* source :
         {"global_load_dword v1, v0, s[2:3]", "buffer_load_dword v1, v0, s[4:7], 0 offen"}) {
        SCOPED_TRACE(source);
        timeline_recorder recorder(p, {0});
        timeline_group_recorder* group = recorder.group(0, 1);
        const auto is_in = [&] {
            note(*group, source);
            return group->last_access_is_in(m.w());
        };
        m.set_exec(~uint64_t{0});
        m.fill(0, [](uint32_t l) { return 16 * l; });
        EXPECT_TRUE(is_in());
        m.fill(0, [](uint32_t l) { return 16 * l + 12; });
        EXPECT_TRUE(is_in()) << "up to its end";
        m.fill(0, [](uint32_t l) { return 16 * l + 16; });
        EXPECT_FALSE(is_in()) << "the last lane is behind it";
        m.fill(0, [](uint32_t l) { return l == 7 ? 2000u : 16 * l; });
        EXPECT_FALSE(is_in()) << "one lane is behind it";
        m.set_exec(~uint64_t{0} ^ 1 << 7);
        EXPECT_TRUE(is_in()) << "that lane is not active";
        m.set_exec(0);
        m.fill(0, 5000);
        EXPECT_TRUE(is_in()) << "nothing is asked for";
        m.set_s64(2, address - 16);
        m.set_s64(4, address - 16);
        m.set_exec(3);
        m.fill(0, [](uint32_t l) { return 16 * l; });
        EXPECT_FALSE(is_in()) << "the first lane is in front of it";
        m.fill(0, [](uint32_t l) { return 16 - 16 * l; });
        EXPECT_FALSE(is_in()) << "and so is the second one";
        m.fill(0, [](uint32_t l) { return 16 * l; });
        m.set_exec(2);
        EXPECT_TRUE(is_in());
        m.set_s64(2, address);
        m.set_s64(4, address);
    }
    remove_range(address);
}

// ---- groups that are not chosen ----

TEST_P(timeline_recorded, who_is_recorded) {
    const auto recorded = [&](bool weighs) {
        timeline_recorder recorder(
            p, {0, 30}, {.units = 4, .groups = 20, .launch_groups = 100, .weighs = weighs});
        std::string letters;
        for (const uint64_t number : {0u, 1u, 15u, 16u, 19u, 20u, 30u, 31u}) {
            const timeline_group_recorder* group = recorder.group(number, 1);
            letters += group == nullptr ? '.' : group->is_full() ? 'F' : 'l';
        }
        return letters;
    };
    // Chosen ones and, where they are weighed, the first 16 in full; of others that are looked at the
    // lines only.
    EXPECT_EQ(recorded(false), "Fllll.F.");
    EXPECT_EQ(recorded(true), "FFFll.F.");
    // From when groups have shown to be more than 5 % apart, all are.
    for (const int heavier : {105, 106}) {
        timeline_recorder recorder(
            p, {0}, {.units = 4, .groups = 20, .launch_groups = 100, .weighs = true});
        note(recorder, 0, repeated("v_mov_b32 v2, 0", 100));
        note(recorder, 1, repeated("v_mov_b32 v2, 0", heavier));
        EXPECT_EQ(recorder.group(17, 1)->is_full(), heavier == 106);
    }
}

struct weighed {
    std::vector<uint64_t> groups;
    double length;
    double work;
    bool operator==(const weighed&) const = default;
};
void PrintTo(const weighed& w, std::ostream* out) {
    *out << testing::PrintToString(w.groups) << ' ' << w.length << ' ' << w.work;
}

TEST_P(timeline_recorded, the_heaviest_group) {
    // Of groups with so many instructions each, on four units of `resident` places. They end in this
    // order, the first chosen ones at last.
    const auto weigh = [&](const std::vector<uint64_t>& weights, uint64_t resident,
                           const std::vector<uint64_t>& order) {
        std::vector<uint64_t> chosen;
        for (uint64_t n = 0; n < resident && 4 * n < weights.size(); ++n) {
            chosen.push_back(4 * n);
        }
        timeline_recorder recorder(p, chosen,
                                   {.units = 4,
                                    .groups = weights.size(),
                                    .resident = resident,
                                    .launch_groups = weights.size(),
                                    .weighs = true});
        for (const uint64_t number : order) {
            timeline_group_recorder* group = recorder.group(number, 1);
            note(*group, repeated("v_mov_b32 v2, 0", static_cast<int>(weights[number])));
            group->finish();
        }
        const timeline_record r = recorder.take();
        weighed result{{}, r.length_of_launch, r.work_of_launch};
        for (const timeline_group& group : r.groups) {
            result.groups.push_back(group.number);
            EXPECT_THAT(group.waves, SizeIs(1));
        }
        return result;
    };
    const auto of_four = [&](const std::vector<uint64_t>& weights) {
        return weigh(weights, 1, {3, 2, 1, 0});
    };
    const auto even = [](std::vector<uint64_t> groups) { return weighed{std::move(groups), 0, 0}; };
    // No more than 5 % apart, or the chosen one near the mean and the heaviest not far above it.
    EXPECT_EQ(of_four({20, 20, 20, 20}), even({0}));
    EXPECT_EQ(of_four({20, 20, 20, 21}), even({0}));
    EXPECT_EQ(of_four({20, 20, 20, 22}), even({0}));
    EXPECT_EQ(of_four({21, 20, 20, 22}), even({0}));
    EXPECT_EQ(of_four({20, 20, 20, 24}), (weighed{{3}, 1, 84 / 24.0}));
    // At 5 % of the mean, and at a tenth above it, they are not.
    EXPECT_EQ(of_four({21, 20, 20, 19}), (weighed{{0}, 1, 80 / 21.0}));
    EXPECT_EQ(of_four({20, 19, 19, 22}), (weighed{{3}, 1, 80 / 22.0}));
    // Of equals the first; a chosen one is there anyway.
    EXPECT_EQ(of_four({20, 24, 24, 24}), (weighed{{1}, 1, 92 / 24.0}));
    EXPECT_EQ(weigh({20, 24, 24, 24}, 1, {1, 0, 2, 3}), (weighed{{1}, 1, 92 / 24.0}));
    EXPECT_EQ(of_four({24, 20, 20, 20}), (weighed{{0}, 1, 84 / 24.0}));
    EXPECT_EQ(of_four({24, 20, 20, 24}), (weighed{{0}, 1, 88 / 24.0}));
    EXPECT_EQ(weigh({24, 20, 20, 24}, 1, {0, 1, 2, 3}), (weighed{{0}, 1, 88 / 24.0}));
    // Two rounds of one place on each unit: the last group comes behind 40, the others behind 30.
    EXPECT_EQ(weigh({30, 30, 30, 40, 30, 30, 30, 30}, 1, {0, 1, 2, 3, 4, 5, 6, 7}),
              (weighed{{3}, 70 / 40.0, 250 / 40.0}));
    // The second of two rounds may have one group only.
    EXPECT_EQ(weigh({20, 20, 20, 20, 24}, 1, {0, 1, 2, 3, 4}), even({0}));
    // With two places all run from the start on; the heaviest stands beside the first chosen one.
    EXPECT_EQ(weigh({10, 20, 30, 40, 10, 10, 10, 10}, 2, {0, 1, 2, 3, 4, 5, 6, 7}),
              (weighed{{3, 0}, 1, 140 / 50.0}));
    EXPECT_EQ(weigh({20, 20, 20, 24, 20, 20, 20, 20}, 2, {0, 1, 2, 3, 4, 5, 6, 7}),
              (weighed{{3, 0}, 1, 164 / 44.0}));
    // Even are two chosen ones by their mean.
    EXPECT_EQ(weigh({20, 20, 20, 22, 20, 20, 20, 20}, 2, {0, 1, 2, 3, 4, 5, 6, 7}), even({0, 4}));
    // A heavier one of which only the lines are known: the chosen one stands for it.
    std::vector<uint64_t> weights(20, 20);
    weights[17] = 40;
    std::vector<uint64_t> order(20);
    for (uint64_t n = 0; n < order.size(); ++n) {
        order[n] = n;
    }
    EXPECT_EQ(weigh(weights, 1, order), (weighed{{0}, 120 / 20.0, 420 / 20.0}));
    // From then on all are recorded in full: the next one that is heavier than it is there.
    weights[18] = 40;
    EXPECT_EQ(weigh(weights, 1, order).groups, (std::vector<uint64_t>{0}));
    weights[19] = 41;
    EXPECT_EQ(weigh(weights, 1, order).groups, (std::vector<uint64_t>{19}));
}

// How long four units take, each of which has one group at a time, by the weights of all groups.
double time_of_four(const std::vector<uint64_t>& weights) {
    std::array<uint64_t, 4> ends{};
    for (const uint64_t weight : weights) {
        *std::ranges::min_element(ends) += weight;
    }
    return static_cast<double>(std::ranges::max(ends));
}

TEST_P(timeline_recorded, weights_of_groups_that_are_not_looked_at) {
    // Of 60 groups the first eight are looked at. Of the others those that `is_executed` says are
    // executed, one of them at least.
    constexpr uint64_t groups = 60;
    constexpr uint64_t looked_at = 8;
    const auto weigh = [&](bool falls, auto&& is_executed) {
        timeline_recorder recorder(p, {0},
                                   {.units = 4,
                                    .groups = looked_at,
                                    .resident = 1,
                                    .launch_groups = groups,
                                    .weighs = true});
        const auto weight_of = [&](uint64_t n) { return 20 + 10 * (falls ? groups - n : n); };
        std::vector<uint64_t> executed;
        for (uint64_t n = 0; n < groups; ++n) {
            if (n >= looked_at && !is_executed(n)) {
                continue;
            }
            executed.push_back(n);
            const uint64_t weight = weight_of(n);
            if (timeline_group_recorder* group = recorder.group(n, 2)) {
                note(*group, repeated("v_mov_b32 v2, 0", static_cast<int>(weight)));
                group->finish();
            }
            std::vector<wave> waves(2);
            waves[0].instructions = weight - 5;
            waves[1].instructions = 5;
            recorder.note_end(n, waves);
        }
        // One that was not executed is as the nearest one that was, of two the one in front.
        std::vector<uint64_t> weights;
        uint64_t all = 0;
        for (uint64_t n = 0; n < groups; ++n) {
            const auto distance = [&](uint64_t other) { return other < n ? n - other : other - n; };
            weights.push_back(weight_of(*std::ranges::min_element(executed, {}, distance)));
            all += weights.back();
        }
        EXPECT_EQ(recorder.weighed(), executed.size());
        const timeline_record r = recorder.take();
        EXPECT_EQ(r.weighed, executed.size());
        ASSERT_THAT(r.groups, SizeIs(1));
        // The heaviest one that is looked at is modelled.
        EXPECT_EQ(r.groups[0].number, falls ? 0 : looked_at - 1);
        const auto modelled = static_cast<double>(weight_of(r.groups[0].number));
        EXPECT_DOUBLE_EQ(r.length_of_launch, time_of_four(weights) / modelled) << falls;
        EXPECT_DOUBLE_EQ(r.work_of_launch, static_cast<double>(all) / modelled) << falls;
    };
    for (const bool falls : {true, false}) {
        weigh(falls, [](uint64_t) { return true; });
        weigh(falls, [](uint64_t) { return false; });
        weigh(falls, [](uint64_t n) { return n % 5 == 0; });
        weigh(falls, [](uint64_t n) { return n == 11 || n == 58; });
    }
}

TEST_P(timeline_recorded, different_work_only_where_nobody_looks) {
    // The first round is even, and so is the launch if nothing else is known.
    for (const bool knows_last : {false, true}) {
        timeline_recorder recorder(
            p, {0}, {.units = 4, .groups = 4, .resident = 1, .launch_groups = 8, .weighs = true});
        for (uint64_t n = 0; n < 4; ++n) {
            note(recorder, n, repeated("v_mov_b32 v2, 0", 40));
        }
        EXPECT_FALSE(recorder.is_uneven());
        if (knows_last) {
            std::vector<wave> waves(1);
            waves[0].instructions = 10;
            recorder.note_end(7, waves);
        }
        EXPECT_EQ(recorder.is_uneven(), knows_last);
        const timeline_record r = recorder.take();
        // Groups 6 and 7 are as 7, 4 and 5 as 3: nearer to it than to 7, or as near.
        EXPECT_EQ(r.length_of_launch, knows_last ? 2 : 0);
        EXPECT_EQ(r.work_of_launch, knows_last ? (6 * 40 + 2 * 10) / 40.0 : 0);
    }
    // Where groups are chosen by number none is weighed.
    timeline_recorder recorder(p, {0}, {.units = 4, .groups = 4, .launch_groups = 8});
    note(recorder, 0, "v_mov_b32 v2, 0");
    recorder.note_end(7, std::vector<wave>(1));
    EXPECT_EQ(recorder.take().weighed, 0u);
}

TEST_P(timeline_recorded, what_is_left_out_counts) {
    // Group 1 leaves out three of four instructions, group 0 none: both have four, and group 0 is
    // recorded with all.
    timeline_recorder recorder(
        p, {0}, {.units = 20, .groups = 20, .resident = 1, .launch_groups = 20, .weighs = true});
    const instruction& move = program_of("v_mov_b32 v2, 0").at(machine::base);
    std::vector<size_t> recorded;
    for (const uint64_t number : {0u, 17u}) {
        timeline_group_recorder* group = recorder.group(number, 1);
        group->note(m.w(), move);
        for (int n = 0; n < 3; ++n) {
            group->note_left_out(m.w(), move);
        }
        group->finish();
    }
    const timeline_record r = recorder.take();
    EXPECT_EQ(r.length_of_launch, 0);
    EXPECT_THAT(r.groups.at(0).waves.at(0).instructions, ElementsAre(0, 0, 0, 0));
}

TEST_P(timeline_recorded, channels_of_many_units) {
    // 64 rows, 4 KiB apart, are in one channel without a hash. A sum stops where its 16 bits end.
    m.p.l2_hash = 0;
    m.fill(0, [](uint32_t l) { return 4096 * l; });
    m.set_s64(2, 1 << 20);
    const auto fullest = [&](uint64_t units) {
        timeline_recorder recorder(m.p, {0}, {.units = 2000, .groups = 2000});
        for (uint64_t number = 0; number < units; ++number) {
            note(recorder, number, "global_load_dword v1, v0, s[2:3]");
        }
        return std::ranges::max(recorder.take().groups[0].waves[0].channels.at(0));
    };
    EXPECT_EQ(fullest(1), 64);
    EXPECT_EQ(fullest(1023), 1023 * 64);
    EXPECT_EQ(fullest(1025), 65535);
    // Instruction by instruction, also of groups of which only the lines are noted.
    timeline_recorder recorder(m.p, {0}, {.units = 2, .groups = 2});
    for (uint64_t number = 0; number < 2; ++number) {
        note(recorder, number,
             repeated("global_load_dword v1, v0, s[2:3]", 1) +
                 "global_load_dword v1, v0, s[2:3] offset:256");
    }
    const timeline_record r = recorder.take();
    ASSERT_THAT(r.groups[0].waves[0].channels, SizeIs(2));
    for (const timeline_channels& all : r.groups[0].waves[0].channels) {
        EXPECT_EQ(std::ranges::max(all), 128);
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 128);
    }
}

TEST_P(timeline_recorded, lines_that_a_launch_leaves) {
    // Groups 0 and 1 are on two dies; both want one line, and each one of its own: three in all, two
    // on the die of group 0.
    m.set_exec(1);
    const auto record = [&](uint32_t l2_lines, uint32_t mall_lines, uint64_t launch_groups) {
        m.p.l2_bytes = l2_lines * p.line_bytes;
        m.p.mall_bytes = mall_lines * p.line_bytes;
        timeline_recorder recorder(
            p, {0},
            {.units = 2, .dies = 2, .groups = 2, .launch_groups = launch_groups, .is_warm = true});
        for (uint64_t number = 0; number < 2; ++number) {
            m.fill(0, 0);
            m.fill(1, 128 * 70 * static_cast<uint32_t>(1 + number));
            m.set_s64(2, 1 << 20);
            note(recorder, number,
                 "global_load_dword v2, v0, s[2:3]\n global_load_dword v2, v1, s[2:3]");
        }
        const timeline_record r = recorder.take();
        return std::pair(r.is_warm_l2, r.is_warm_mall);
    };
    EXPECT_EQ(record(2, 3, 2), std::pair(true, true));
    EXPECT_EQ(record(1, 3, 2), std::pair(false, true));
    EXPECT_EQ(record(2, 2, 2), std::pair(true, false));
    // A launch of twice as many groups leaves twice as many lines.
    EXPECT_EQ(record(4, 6, 4), std::pair(true, true));
    EXPECT_EQ(record(3, 6, 4), std::pair(false, true));
    EXPECT_EQ(record(4, 5, 4), std::pair(true, false));
}

TEST_P(timeline_recorded, lines_of_two_groups_of_one_unit) {
    // Units 0 and 1 of a die with two places each, and an L2 of two lines. In each turn groups 0 and 1
    // ask for a line, and 2 and 3 for another one: both units for the same two, so all are shared, in
    // whatever order the groups have ended.
    m.set_exec(1);
    m.p.l2_bytes = 2 * p.line_bytes;
    for (const std::vector<uint64_t>& order :
         {std::vector<uint64_t>{0, 1, 2, 3}, std::vector<uint64_t>{0, 3, 1, 2},
          std::vector<uint64_t>{2, 1, 3, 0}}) {
        timeline_recorder recorder(p, {0, 2}, {.units = 2, .groups = 4, .resident = 2});
        for (const uint64_t number : order) {
            m.set_s64(2, (1 << 20) + number / 2 * 10 * p.line_bytes);
            m.fill(0, 0);
            note(recorder, number,
                 "global_load_dword v1, v0, s[2:3]\n"
                 "global_load_dword v1, v0, s[2:3] offset:128\n"
                 "global_load_dword v1, v0, s[2:3] offset:256\n"
                 "global_load_dword v1, v0, s[2:3] offset:384");
        }
        const timeline_record r = recorder.take();
        EXPECT_EQ(r.at_a_time(), 2u);
        for (const timeline_group& group : r.groups) {
            ASSERT_THAT(group.waves[0].lines, SizeIs(4));
            for (const timeline_line& line : group.waves[0].lines) {
                EXPECT_EQ(line.share.units, 2u);
                EXPECT_EQ(line.share.fills, 1u);
            }
        }
    }
}

TEST_P(timeline_recorded, lines_of_the_heaviest_group_on_another_die) {
    // Of what its die and others ask for no times are known, only how many dies do. Lines 0 to 2 of
    // four dies: group 0 wants the last one, the heavy group 1 all, 2 the first and 3 the last.
    m.set_exec(1);
    m.fill(0, 0);
    m.set_s64(2, 1 << 20);
    timeline_recorder recorder(
        p, {0},
        {.units = 4, .dies = 4, .groups = 4, .resident = 1, .launch_groups = 4, .weighs = true});
    const std::string first = "global_load_dword v1, v0, s[2:3]\n";
    const std::string second = "global_load_dword v1, v0, s[2:3] offset:128\n";
    const std::string last = "global_load_dword v1, v0, s[2:3] offset:256\n";
    note(recorder, 0, last);
    note(recorder, 1, first + second + last + repeated("v_mov_b32 v2, 0", 20));
    note(recorder, 2, first);
    note(recorder, 3, last);
    const timeline_record r = recorder.take();
    ASSERT_EQ(r.groups.at(0).number, 1u);
    std::vector<std::pair<uint32_t, uint32_t>> shares;
    for (const timeline_line& line : r.groups[0].waves[0].lines) {
        shares.emplace_back(line.share.units, line.share.fills);
    }
    EXPECT_THAT(shares, ElementsAre(std::pair(1u, 2u), std::pair(1u, 1u), std::pair(1u, 3u)));
}

TEST_P(timeline_recorded, lines_at_the_time_of_each_access) {
    // An L2 of one line, of three units that go on in step. Unit 0 wants line A, the others B and then
    // A: it has gone when they do, and comes for both.
    m.set_exec(1);
    m.fill(0, 0);
    m.p.l2_bytes = p.line_bytes;
    m.set_s64(2, 1 << 20);
    const std::string a = "global_load_dword v1, v0, s[2:3]\n";
    const std::string b = "global_load_dword v1, v0, s[2:3] offset:128\n";
    for (const bool has_both_hashes : {false, true}) {
        const auto units = [&](uint64_t chosen) {
            timeline_recorder recorder(
                m.p, {chosen}, {.units = 3, .groups = 3, .has_both_hashes = has_both_hashes});
            note(recorder, 0, a);
            note(recorder, 1, b + a);
            note(recorder, 2, b + a);
            const timeline_record r = recorder.take();
            std::vector<uint32_t> result;
            for (const timeline_line& line : r.groups.at(0).waves[0].lines) {
                result.push_back(line.share.units);
            }
            return result;
        };
        EXPECT_THAT(units(0), ElementsAre(1));
        EXPECT_THAT(units(1), ElementsAre(2, 2));
    }
}

TEST_P(timeline_recorded, lines_of_a_later_group) {
    // Of an L2 of two lines. Groups 0 and 1 want line A and then two others; of those that take their
    // places, 2 wants A as well and 3 does not.
    m.set_exec(1);
    m.fill(0, 0);
    m.p.l2_bytes = 2 * p.line_bytes;
    m.set_s64(2, 1 << 20);
    const std::string a = "global_load_dword v1, v0, s[2:3]\n";
    const std::string others =
        "global_load_dword v1, v0, s[2:3] offset:128\n"
        "global_load_dword v1, v0, s[2:3] offset:256\n";
    for (const std::vector<uint64_t>& order :
         {std::vector<uint64_t>{0, 1, 2, 3}, std::vector<uint64_t>{3, 2, 1, 0}}) {
        timeline_recorder recorder(p, {0, 2}, {.units = 2, .groups = 4, .resident = 1});
        for (const uint64_t number : order) {
            note(recorder, number, number == 3 ? others : a + others);
        }
        const timeline_record r = recorder.take();
        EXPECT_EQ(r.groups.at(0).waves[0].lines.at(0).share.units, 2u);
        EXPECT_EQ(r.groups.at(1).waves[0].lines.at(0).share.units, 1u);
    }
}

// Group 1, on the other die, asks in a loop with these offsets for 256 bytes, from those of lane 0 on.
TEST_P(timeline_recorded, lines_of_loops_of_another_die) {
    using offsets = std::vector<std::pair<uint32_t, uint32_t>>;  // of lane 0, and of the loop
    const offsets cases[] = {
        {{0, 0}, {0, 512}, {4096, 0}, {4096, 512}, {4096, 1024}},  // other lanes
        {{0, 0}, {0, 512}, {0, 1024}, {0, 4096}, {0, 4224}, {0, 7936}},
        {{0, 7936}, {0, 6912}, {0, 5888}, {0, 0}},  // backwards
        {{64, 0}, {64, 128}, {64, 256}, {64, 384}, {64, 2048}},
        {{0, 1024}, {0, 1024}, {0, 1024}},  // the same again and again
        {{0, 300}},
    };
    m.s(4) = 1 << 20;
    m.s(5) = 0;
    m.s(6) = 1 << 20;
    m.s(7) = 0x20000;
    const std::string load = "buffer_load_dword v1, v0, s[4:7], s8 offen\n";
    for (const uint32_t bytes : {128u, 96u}) {
        m.p.line_bytes = bytes;
        for (const offsets& loop : cases) {
            timeline_recorder recorder(p, {0}, {.units = 2, .dies = 2, .groups = 2});
            m.fill(0, [](uint32_t l) { return 128 * l; });
            m.s(8) = 0;
            note(recorder, 0, load);
            timeline_group_recorder* group = recorder.group(1, 1);
            std::set<uint64_t> touched;
            for (const auto& [lane_0, offset] : loop) {
                m.fill(0, [&](uint32_t l) { return lane_0 + 4 * l; });
                m.s(8) = offset;
                note(*group, load);
                for (uint32_t byte = 0; byte < 256; ++byte) {
                    touched.insert(((1 << 20) + lane_0 + offset + byte) / bytes);
                }
            }
            group->finish();
            const timeline_record r = recorder.take();
            ASSERT_EQ(r.groups[0].waves[0].lines.size(), 64u);
            for (const timeline_line& line : r.groups[0].waves[0].lines) {
                EXPECT_EQ(line.share.fills, touched.contains(line.number) ? 2u : 1u)
                    << "line " << line.number << " of the loop from " << loop[0].second;
            }
        }
    }
}

TEST_P(timeline_recorded, bytes_of_another_die_that_end_in_a_line) {
    // 64 bytes, of which the last one is the first of line 1, and then none of it.
    m.s(4) = 1 << 20;
    m.s(5) = 0;
    m.s(6) = 4096;
    m.s(7) = 0x20000;
    for (const uint32_t first : {64u, 65u}) {
        timeline_recorder recorder(p, {0}, {.units = 2, .dies = 2, .groups = 2});
        m.fill(0, [](uint32_t l) { return 4 * l; });
        note(recorder, 0, "buffer_load_dword v1, v0, s[4:7], 0 offen");
        m.fill(0, [&](uint32_t l) { return first + l; });
        note(recorder, 1, "buffer_load_ubyte v1, v0, s[4:7], 0 offen");
        const timeline_record r = recorder.take();
        EXPECT_EQ(r.groups[0].waves[0].lines.at(0).share.fills, 2u);
        EXPECT_EQ(r.groups[0].waves[0].lines.at(1).share.fills, first == 65 ? 2u : 1u);
    }
}

TEST_P(timeline_recorded, lines_of_flat_loads_of_another_die) {
    // Group 1 reads one of two lines with a flat load; its LDS is no memory of others.
    m.set_exec(1);
    constexpr uint32_t address = 1 << 13;
    m.fill(0, address);
    m.fill(1, 0);
    m.fill(2, address + 128);
    m.set_s64(4, 0);
    timeline_recorder recorder(p, {0}, {.units = 2, .dies = 2, .groups = 2});
    note(recorder, 0, "global_load_dword v4, v0, s[4:5]\n global_load_dword v4, v2, s[4:5]");
    note(recorder, 1, "flat_load_dword v4, v[0:1]\n ds_read_b32 v4, v2");
    const timeline_record r = recorder.take();
    EXPECT_EQ(r.groups[0].waves[0].lines.at(0).share.fills, 2u);
    EXPECT_EQ(r.groups[0].waves[0].lines.at(1).share.fills, 1u);
}

}  // namespace
}  // namespace emu
