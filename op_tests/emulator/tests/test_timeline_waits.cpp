// timeline/: what the waits of waves are for, where more than one thing keeps an instruction.
#include <algorithm>
#include <string>

#include "timeline_machine.hpp"

namespace emu {
namespace {

uint64_t stall(const timeline_result& r, timeline_cause cause) {
    return r.stalls()[static_cast<size_t>(cause)];
}

class timeline_waits : public testing::TestWithParam<gfx_target> {
protected:
    timeline_waits() {
        m.set_s64(2, memory.address());
        m.fill(0, [](uint32_t l) { return 4 * l; });
        m.fill(1, [](uint32_t l) { return 16 * l; });
    }

    device_bytes memory{1 << 16};
    recorded_machine m{GetParam(), 64 * 1024};
    const timeline_parameters& p = m.p;
    const uint64_t turn = p.issue_clocks;
};
INSTANTIATE_TEST_SUITE_P(targets, timeline_waits, testing::ValuesIn(both_targets),
                         [](const auto& info) { return name_of(info.param); });

// The pipe of 8 passes is free again just when its next instruction could be issued, but for the
// vector instruction of 16 clocks that began three turns before.
TEST_P(timeline_waits, a_pipe_that_is_free_is_not_waited_for) {
    ASSERT_EQ(p.mfma_pass_clocks, turn);
    ASSERT_EQ(p.valu_trans_clocks, 4 * turn);
    const timeline_result r = m.time(
        "v_mfma_f32_32x32x8_f16 a[0:15], v[4:5], v[6:7], a[0:15]\n s_nop 3\n v_exp_f32 v1, v1\n"
        "s_nop 1\n v_mfma_f32_32x32x8_f16 a[16:31], v[4:5], v[6:7], a[16:31]");
    EXPECT_EQ(stall(r, timeline_cause::issue), turn);
    EXPECT_EQ(stall(r, timeline_cause::matrix), 0u);
}

// Both counters count a flat load: the wait is said to be for one of them, the first.
TEST_P(timeline_waits, one_cause_where_two_counters_wait) {
    m.fill(6, static_cast<uint32_t>(memory.address()));
    m.fill(7, static_cast<uint32_t>(memory.address() >> 32));
    const timeline_result r = m.time("flat_load_dword v4, v[6:7]\n s_waitcnt vmcnt(0) lgkmcnt(0)");
    EXPECT_EQ(stall(r, timeline_cause::lgkmcnt), r.clocks - 3 * turn);
    EXPECT_EQ(stall(r, timeline_cause::vmcnt) + stall(r, timeline_cause::bandwidth), 0u);
}

// Of three loads the second one has no lane: what the die asks for is of the first and the third.
TEST_P(timeline_waits, channels_are_of_loads_with_lines) {
    const std::string load = "global_load_dword v4, v0, s[2:3]\n";
    timeline_record r = m.record("s_mov_b64 exec, 1\n" + load + "s_mov_b64 exec, 0\n" + load +
                                 "s_mov_b64 exec, -1\n" + load + "s_waitcnt 0");
    timeline_wave& wave = r.groups[0].waves[0];
    ASSERT_EQ(wave.accesses[0].lines, 1u);
    ASSERT_EQ(wave.channels.size(), 2u);
    wave.channels[0] = {600, 40};
    wave.channels[1] = {30, 50};
    const timeline_result result = model_timeline(r, p);
    const auto expect_lines = [&](size_t instruction, uint64_t lines, uint64_t fullest) {
        EXPECT_EQ(result.costs[instruction].l2_lines, lines) << instruction;
        EXPECT_EQ(result.costs[instruction].l2_fullest, fullest) << instruction;
    };
    expect_lines(1, 640, 600);
    expect_lines(3, 0, 0);
    expect_lines(5, 80, 50);
}

TEST_P(timeline_waits, what_no_counter_counts_takes_a_turn) {
    for (const char* source : {"s_dcache_inv", "ds_nop", "s_nop 0"}) {
        const timeline_result r = m.time(repeated(source, 3) + "s_waitcnt 0");
        EXPECT_EQ(r.clocks, 5 * turn) << source;
        EXPECT_EQ(r.l1_clocks + r.lds_clocks, 0u) << source;
    }
    // s_memtime is waited for as a scalar load that hits.
    EXPECT_EQ(m.clocks("s_memtime s[8:9]\n s_waitcnt lgkmcnt(0)"),
              m.turn(p.scalar_latency) + 2 * turn);
}

// A line that comes from HBM, and that a second wave wants a clock later, out of the cache that keeps
// it: what that one waits is the latency that the first one has, and what the line took of HBM's
// bandwidth.
TEST_P(timeline_waits, for_a_line_that_is_on_its_way) {
    m.set_exec(1);
    m.p.l2_bytes_per_clock = 1 << 20;
    m.p.mall_gb_per_second = 1'000'000;
    const uint64_t latency = clocks_of_ns(p, p.hbm_latency_ns);
    const uint64_t dies = p.dies;
    struct level {
        const char* bits;
        uint64_t dies;
    };
    // L1; L2, where there is one; the MALL, where there are several.
    for (const level& c : {level{"", dies}, level{" sc1", 1}, level{" sc1", dies}}) {
        SCOPED_TRACE(std::string(c.bits) + ", dies " + std::to_string(c.dies));
        m.p.dies = static_cast<uint32_t>(c.dies);
        const uint64_t of_hbm = hbm_share_clocks(p, p.line_bytes);
        const timeline_result r = m.time(
            "global_load_dword v2, v0, s[2:3]" + std::string(c.bits) + "\n s_waitcnt vmcnt(0)", 2);
        EXPECT_EQ(r.hbm_read_bytes, p.line_bytes);
        const uint64_t first = m.turn(of_hbm + latency);
        const uint64_t second = m.turn(of_hbm + latency, 1);
        EXPECT_EQ(r.waves[0].end, first + 2 * turn);
        EXPECT_EQ(r.waves[1].end, second + 2 * turn);
        // Alone the second one would have the line when the latency is over.
        EXPECT_EQ(stall(r, timeline_cause::bandwidth), of_hbm);
        EXPECT_EQ(stall(r, timeline_cause::vmcnt), (first - turn) + (second - turn - 1) - of_hbm);
    }
}

TEST_P(timeline_waits, for_what_a_scalar_instruction_writes) {
    m.p.salu_clocks = 100;
    for (const char* source : {"s_mov_b32 s8, 0\n", "s_call_b64 s[8:9], next\n next:\n"}) {
        const timeline_result r = m.time(std::string(source) + "s_mov_b32 s10, s8");
        EXPECT_EQ(stall(r, timeline_cause::dependency), 100 - turn) << source;
        EXPECT_EQ(r.clocks, 100 + 2 * turn) << source;
        EXPECT_EQ(m.clocks(std::string(source) + "s_mov_b32 s10, s11"), 3 * turn) << source;
    }
}

TEST_P(timeline_waits, for_no_register_beside_a_result) {
    m.p.valu_latency = 100;
    const auto is_waited_for = [&](const std::string& first, int reg) {
        const std::string source = first + "\n v_mov_b32 v20, v" + std::to_string(reg);
        return stall(m.time(source), timeline_cause::dependency) != 0;
    };
    for (int reg = 0; reg < 8; ++reg) {
        EXPECT_EQ(is_waited_for("v_mov_b32 v4, 0", reg), reg == 4) << reg;
        EXPECT_EQ(is_waited_for("v_mov_b64 v[4:5], 0", reg), reg == 4 || reg == 5) << reg;
    }
}

TEST_P(timeline_waits, for_what_others_have_asked_for) {
    // Four waves load 1 KiB each, of lines of their own: each waits for the lines of those before it
    // to pass the slowest level.
    const std::string load = "global_load_dwordx4 v[4:7], v1, s[2:3]\n s_waitcnt vmcnt(0)";
    timeline_record r = m.record(load);
    r.groups[0].waves.resize(4, r.groups[0].waves[0]);
    uint64_t number = 0;
    for (timeline_wave& wave : r.groups[0].waves) {
        wave.channels.clear();
        for (timeline_line& line : wave.lines) {
            line.number = ++number;
        }
    }
    const timeline_parameters defaults = p;
    for (const std::string level : {"L2", "MALL", "HBM"}) {
        SCOPED_TRACE(level);
        m.p = defaults;
        if (level == "L2") {
            m.p.l2_bytes_per_clock = 16;
        } else if (level == "MALL") {
            m.p.mall_gb_per_second = 100;
        }
        const auto share = [&](uint64_t bytes) {
            return level == "L2"     ? l2_share_clocks(p, bytes)
                   : level == "MALL" ? mall_share_clocks(p, bytes)
                                     : hbm_share_clocks(p, bytes);
        };
        const uint64_t latency = clocks_of_ns(p, p.hbm_latency_ns);
        const timeline_result result = model_timeline(r, p);
        uint64_t bandwidth = 0;
        uint64_t vmcnt = 0;
        for (uint64_t wave = 0; wave < 4; ++wave) {
            const uint64_t there = share((wave + 1) * 1024) + latency;
            const uint64_t end = m.turn(there, wave);
            EXPECT_EQ(result.waves[wave].end, end + 2 * turn) << wave;
            // The wave issues in clock `wave`.
            const uint64_t alone = wave + share(1024) + latency;
            const uint64_t for_others = there - std::min(there, alone);
            bandwidth += for_others;
            vmcnt += end - turn - wave - for_others;
        }
        EXPECT_EQ(stall(result, timeline_cause::bandwidth), bandwidth);
        EXPECT_EQ(stall(result, timeline_cause::vmcnt), vmcnt);
    }
}

TEST_P(timeline_waits, for_two_counters) {
    // Of two loads the second one waits for the bandwidth of the first; a scalar load takes longer.
    const std::string loads =
        repeated("global_load_dwordx4 v[4:7], v1, s[2:3]\n v_add_u32 v1, 0x400, v1", 8);
    m.p.hbm_read_gb_per_second = 100;
    const timeline_result alone = m.time(loads + "s_waitcnt vmcnt(0)");
    EXPECT_GT(stall(alone, timeline_cause::bandwidth), 0u);
    m.fill(1, [](uint32_t l) { return 16 * l; });
    m.p.scalar_first_ns = 1'000'000;
    const timeline_result both = m.time("s_load_dword s8, s[2:3], 0x0\n" + loads + "s_waitcnt 0");
    EXPECT_EQ(both.waves[0].end, m.turn(clocks_of_ns(p, 1'000'000)) + 2 * turn);
    EXPECT_EQ(stall(both, timeline_cause::bandwidth), 0u);
    EXPECT_EQ(stall(both, timeline_cause::vmcnt), 0u);
    EXPECT_EQ(stall(both, timeline_cause::lgkmcnt), m.turn(clocks_of_ns(p, 1'000'000)) - 17 * turn);
}

TEST_P(timeline_waits, bytes_on_their_way) {
    // One byte is on its way as well as many; where no lane asks for one there are none.
    const uint64_t there = hbm_share_clocks(p, p.line_bytes) + clocks_of_ns(p, p.hbm_latency_ns);
    m.set_exec(1);
    const timeline_result one = m.time("global_load_ubyte v2, v0, s[2:3]");
    ASSERT_EQ(one.flights.size(), 2u);
    EXPECT_EQ(one.flights[0].clock, 0u);
    EXPECT_EQ(one.flights[0].bytes, 1);
    EXPECT_EQ(one.flights[1].clock, there);
    EXPECT_EQ(one.flights[1].bytes, -1);
    m.set_exec(0);
    EXPECT_TRUE(m.time("global_load_ubyte v2, v0, s[2:3]").flights.empty());
    // What comes to LDS keeps it, also when the wave has ended.
    m.set_exec(~uint64_t{0});
    m.s(124) = 0;
    const timeline_result lds = m.time("global_load_lds_dword v0, s[2:3]");
    const uint64_t come = hbm_share_clocks(p, 2 * p.line_bytes) + clocks_of_ns(p, p.hbm_latency_ns);
    ASSERT_EQ(lds.lds.size(), 1u);
    EXPECT_EQ(lds.lds[0].start, come);
    EXPECT_EQ(lds.lds[0].end, come + 256 / p.lds_write_bytes_per_clock);
    EXPECT_EQ(lds.lds_clocks, 256 / p.lds_write_bytes_per_clock);
}

TEST_P(timeline_waits, that_do_not_overlap) {
    // Each clock of a wave is in one slice, and each wait is the cost of the instruction that waits.
    const timeline_result r = m.time(
        "v_mfma_f32_32x32x8_f16 v[16:31], v[8:9], v[10:11], v[16:31]\n"
        "v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], v[32:47]\n"
        "ds_read_b128 v[4:7], v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
        "global_load_dword v2, v0, s[2:3]\n s_sleep 2\n s_waitcnt vmcnt(0)\n"
        "v_add_f32 v2, v16, v16\n s_load_dword s8, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)",
        6);
    uint64_t of_slices = 0;
    std::vector<uint64_t> stalls(timeline_cause_count);
    for (const timeline_wave_result& wave : r.waves) {
        uint64_t at = wave.start;
        uint32_t issued = 0;
        for (const timeline_slice& s : wave.slices) {
            EXPECT_EQ(s.start, at);
            EXPECT_GT(s.end, s.start);
            at = s.end;
            issued += s.count;
            EXPECT_EQ(s.is_stall, s.count == 0);
            stalls[static_cast<size_t>(s.cause)] += s.is_stall ? s.end - s.start : 0;
        }
        EXPECT_EQ(at, wave.end);
        EXPECT_EQ(issued, 12u);
        of_slices += at - wave.start;
    }
    EXPECT_EQ(of_slices, r.wave_clocks());
    uint64_t of_costs = 0;
    for (const timeline_cost& cost : r.costs) {
        EXPECT_EQ(cost.executed, 6u);
        of_costs += cost.all();
    }
    EXPECT_EQ(of_costs, r.wave_clocks());
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        EXPECT_EQ(stalls[c], r.stalls()[c]) << name_of(static_cast<timeline_cause>(c)).text;
    }
    for (const timeline_cause cause : {timeline_cause::matrix, timeline_cause::lgkmcnt,
                                       timeline_cause::vmcnt, timeline_cause::barrier}) {
        EXPECT_GT(stall(r, cause), 0u) << name_of(cause).text;
    }
}

TEST_P(timeline_waits, names) {
    const std::pair<timeline_cause, std::pair<const char*, const char*>> causes[] = {
        {timeline_cause::vmcnt, {"vmcnt", "vmcnt"}},
        {timeline_cause::bandwidth, {"bandwidth", "memory bandwidth"}},
        {timeline_cause::lgkmcnt, {"lgkmcnt", "lgkmcnt"}},
        {timeline_cause::barrier, {"barrier", "barrier"}},
        {timeline_cause::dependency, {"dependency", "dependency"}},
        {timeline_cause::matrix, {"matrix", "matrix pipe"}},
        {timeline_cause::issue, {"issue", "issue"}},
        {timeline_cause::sleep, {"sleep", "sleep"}},
        {timeline_cause::fetch, {"fetch", "fetch"}},
    };
    EXPECT_EQ(std::size(causes), timeline_cause_count);
    for (const auto& [cause, names] : causes) {
        EXPECT_STREQ(name_of(cause).id, names.first);
        EXPECT_STREQ(name_of(cause).text, names.second);
    }
    const std::pair<timeline_unit, std::pair<const char*, const char*>> units[] = {
        {timeline_unit::valu, {"valu", "VALU"}}, {timeline_unit::mfma, {"mfma", "MFMA"}},
        {timeline_unit::salu, {"salu", "SALU"}}, {timeline_unit::branch, {"branch", "branch"}},
        {timeline_unit::lds, {"lds", "LDS"}},    {timeline_unit::vmem, {"vmem", "VMEM"}},
        {timeline_unit::smem, {"smem", "SMEM"}}, {timeline_unit::none, {"none", "control"}},
    };
    EXPECT_EQ(std::size(units), timeline_unit_count);
    for (const auto& [unit, names] : units) {
        EXPECT_STREQ(name_of(unit).id, names.first);
        EXPECT_STREQ(name_of(unit).text, names.second);
    }
}

}  // namespace
}  // namespace emu
