// timeline/: micro-kernels whose time follows by hand from the parameters and the rules that
// timeline/model.hpp states. What is expected is computed here from the parameters alone.
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "timeline_machine.hpp"

namespace emu {
namespace {

// Makes the last wave of `to`'s first group one that has executed what `from` has.
void add_wave(timeline_record& to, const timeline_record& from) {
    timeline_wave wave = from.groups[0].waves[0];
    for (uint32_t& index : wave.instructions) {
        index += static_cast<uint32_t>(to.instructions.size());
    }
    to.instructions.insert(to.instructions.end(), from.instructions.begin(),
                           from.instructions.end());
    to.groups[0].waves.push_back(wave);
}

uint64_t stall(const timeline_result& r, timeline_cause cause) {
    return r.stalls()[static_cast<size_t>(cause)];
}

class timeline_model : public testing::TestWithParam<gfx_target> {
protected:
    recorded_machine m{GetParam(), 64 * 1024};
    const timeline_parameters& p = m.p;
    const uint64_t turn = p.issue_clocks;
};
INSTANTIATE_TEST_SUITE_P(targets, timeline_model, testing::ValuesIn(both_targets),
                         [](const auto& info) { return name_of(info.param); });

// ---- vector instructions ----

TEST_P(timeline_model, dependent_vector_instructions) {
    // Each is issued in the first turn in which the one before is through; s_endpgm takes a turn.
    EXPECT_EQ(m.clocks(repeated("v_add_f32 v0, v0, v0", 10)), 10 * m.turn(p.valu_clocks) + turn);
    m.p.valu_latency = 5;
    EXPECT_EQ(m.clocks(repeated("v_add_f32 v0, v0, v0", 10)),
              9 * m.turn(p.valu_clocks + 5) + 2 * turn);
    EXPECT_EQ(m.clocks("v_add_f32 v0, v0, v0\n v_add_f32 v1, v2, v2"), 3 * turn);
}

TEST_P(timeline_model, rates_of_vector_instructions) {
    // Independent ones: the last one keeps the SIMD, but s_endpgm needs none.
    const auto expect = [&](const char* instruction, uint64_t clocks) {
        EXPECT_EQ(m.clocks(repeated(instruction, 5)), 4 * m.turn(clocks) + 2 * turn) << instruction;
    };
    // Another number each, so that none stands in for another.
    m.p.valu_clocks = 8;
    m.p.valu_trans_clocks = 16;
    m.p.valu_mul32_clocks = 20;
    m.p.valu_f64_clocks = 12;
    m.p.valu_f64_trans_clocks = 32;
    expect("v_add_u32 v0, v1, v2", 8);
    expect("v_pk_fma_f32 v[0:1], v[2:3], v[2:3], v[2:3]", 8);
    expect("v_exp_f32 v0, v1", 16);
    expect("v_rsq_f16 v0, v1", 16);
    expect("v_mul_lo_u32 v0, v1, v2", 20);
    expect("v_mul_hi_i32 v0, v1, v2", 20);
    expect("v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]", 20);
    expect("v_fma_f64 v[0:1], v[2:3], v[2:3], v[2:3]", 12);
    expect("v_lshlrev_b64 v[0:1], v2, v[4:5]", 12);
    expect("v_rcp_f64 v[0:1], v[2:3]", 32);
}

TEST_P(timeline_model, waves_share_a_simd) {
    // Four waves are on four SIMDs, whose turns follow each other; eight take twice as long.
    const std::string source = repeated("v_add_f32 v0, v1, v2", 10);
    EXPECT_EQ(m.clocks(source, 4), 10 * turn + turn + 3);
    // The oldest wave of a SIMD goes first; behind its s_endpgm, which needs no unit, the other one
    // has gone on.
    EXPECT_EQ(m.clocks(source, 8), 20 * turn + turn + 3);
    const timeline_result r = m.time(source, 8);
    EXPECT_EQ(r.waves[4].simd, 0u);
    EXPECT_EQ(r.waves[0].end, 11 * turn);
    EXPECT_EQ(r.waves[4].end, 21 * turn);
    EXPECT_EQ(r.valu_clocks[0], 20u * p.valu_clocks);
    EXPECT_EQ(stall(r, timeline_cause::issue), 4u * 10 * turn);
}

TEST_P(timeline_model, units_of_a_turn) {
    // A scalar instruction of one wave goes beside a vector instruction of another one.
    timeline_record r = m.record(repeated("v_add_f32 v0, v1, v2", 10));
    r.groups[0].waves.resize(4, r.groups[0].waves[0]);
    add_wave(r, m.record(repeated("s_add_u32 s4, s5, s6", 10)));
    EXPECT_EQ(model_timeline(r, p).waves[4].end, 11 * turn);
    m.p.issue_instructions = 1;
    EXPECT_EQ(model_timeline(r, p).waves[4].end, 21 * turn);
}

TEST_P(timeline_model, groups_that_take_the_place_of_others) {
    // One wave each, of 11 turns. On one SIMD they follow each other without a gap, and of two at a
    // time the second one's are a clock later.
    timeline_record r = m.record(repeated("v_add_f32 v0, v0, v0", 10));
    r.groups.resize(4, r.groups[0]);
    r.resident = 1;
    EXPECT_EQ(model_timeline(r, p).clocks, 4 * 11 * turn);
    EXPECT_EQ(model_timeline(r, p).waves[3].start, 3 * 11 * turn);
    EXPECT_EQ(model_timeline(r, p).waves[3].simd, 0u);
    r.resident = 2;
    EXPECT_EQ(model_timeline(r, p).clocks, 2 * 11 * turn + 1);
    EXPECT_EQ(model_timeline(r, p).waves[3].simd, 1u);
    // The third one does not wait for the longer one of the first two: it has ended first.
    timeline_record mixed = r;
    timeline_record longer = m.record(repeated("v_add_f32 v0, v0, v0", 30));
    mixed.groups[1].waves.clear();
    add_wave(longer, r);
    mixed.groups[1].waves = {longer.groups[0].waves[0]};
    mixed.instructions = longer.instructions;
    const uint32_t behind = static_cast<uint32_t>(longer.instructions.size()) -
                            static_cast<uint32_t>(r.instructions.size());
    for (const size_t g : {0u, 2u, 3u}) {
        for (uint32_t& index : mixed.groups[g].waves[0].instructions) {
            index += behind;
        }
    }
    mixed.groups.pop_back();
    const timeline_result result = model_timeline(mixed, p);
    EXPECT_EQ(result.waves[2].start, 11 * turn);
    EXPECT_EQ(result.clocks, 31 * turn + 1);
    // All waves of a group have to end: the second one of a group of two is the longer one.
    timeline_record pairs = m.record("s_nop 0");
    add_wave(pairs, m.record("s_nop 15"));
    pairs.groups.resize(2, pairs.groups[0]);
    pairs.resident = 1;
    EXPECT_EQ(model_timeline(pairs, p).waves[2].start, m.turn(17 * turn + 1));
}

TEST_P(timeline_model, priorities) {
    const std::string chain = repeated("v_add_f32 v0, v0, v0", 10);
    timeline_record r = m.record(chain);
    r.groups[0].waves.resize(4, r.groups[0].waves[0]);
    add_wave(r, m.record("s_setprio 2\n" + chain));
    const timeline_result result = model_timeline(r, p);
    // Turn 0 is wave 0's, in which wave 4 has its s_setprio; then wave 4 goes first.
    EXPECT_EQ(result.waves[4].end, 12 * turn);
    EXPECT_EQ(result.waves[0].end, 21 * turn);
}

// ---- matrix instructions ----

TEST_P(timeline_model, chain_of_matrix_instructions) {
    // 8 passes: back to back, whether one adds to the result of the one before or not.
    const uint64_t clocks = 8 * p.mfma_pass_clocks;
    const std::string dependent = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]";
    const std::string other = "v_mfma_f32_32x32x8_f16 a[16:31], v[0:1], v[2:3], a[16:31]";
    EXPECT_EQ(m.clocks(repeated(dependent, 6)), 5 * clocks + 2 * turn);
    EXPECT_EQ(m.clocks(repeated(dependent + "\n" + other, 3)), 5 * clocks + 2 * turn);
    const timeline_result r = m.time(repeated(dependent, 6), 8);
    EXPECT_EQ(r.matrix_clocks[3], 12 * clocks);
    ASSERT_EQ(r.matrix[3].size(), 1u);
    EXPECT_EQ(r.matrix[3][0].start, 3u);
    EXPECT_EQ(r.matrix[3][0].end, 3 + 12 * clocks);
    // Four passes on 4 x 4 SIMDs; the last of two waves waits for the pipe.
    EXPECT_EQ(r.clocks, 11 * clocks + 2 * turn + 3);
}

TEST_P(timeline_model, short_matrix_instructions) {
    // 2 passes: 8 clocks, and 2 wait states, so three turns, if one adds to another one's result.
    const std::string dependent = "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]";
    const std::string other = "v_mfma_f32_4x4x4_16b_f16 a[4:7], v[0:1], v[2:3], a[4:7]";
    EXPECT_EQ(m.clocks(repeated(dependent, 6)), 5 * 3 * turn + 2 * turn);
    EXPECT_EQ(m.clocks(dependent + "\n" + other), m.turn(2 * p.mfma_pass_clocks) + 2 * turn);
    m.p.mfma_accumulate_clocks = 9;
    EXPECT_EQ(m.clocks(repeated(dependent, 6)), 5 * m.turn(2 * p.mfma_pass_clocks + 9) + 2 * turn);
}

// LLVM 184084: no vector instruction in the first two passes, so six beside one of eight.
TEST_P(timeline_model, vector_beside_matrix_instructions) {
    const std::string mfma = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n";
    const std::string other = "v_mfma_f32_32x32x8_f16 a[16:31], v[0:1], v[2:3], a[16:31]\n";
    const auto second = [&](int between) {
        return m.clocks(mfma + repeated("v_add_f32 v10, v11, v12", between) + other) - 2 * turn;
    };
    const uint64_t pass = p.mfma_pass_clocks;
    EXPECT_EQ(second(0), 8 * pass);
    EXPECT_EQ(second(6), 8 * pass);
    EXPECT_EQ(second(7), 9 * pass);
    // Nor one of another wave of the SIMD; one of 2 passes has no more of them.
    timeline_record r = m.record(mfma);
    r.groups[0].waves.resize(4, r.groups[0].waves[0]);
    add_wave(r, m.record("v_add_f32 v10, v11, v12"));
    EXPECT_EQ(model_timeline(r, p).waves[4].end, 2 * pass + 2 * turn);
    m.p.mfma_alone_passes = 100;
    EXPECT_EQ(m.clocks("v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]\n"
                       "v_add_f32 v10, v11, v12"),
              m.turn(2 * pass) + 2 * turn);
    m.p.mfma_alone_passes = 1;
    EXPECT_EQ(second(7), 8 * pass);
    EXPECT_EQ(second(8), 9 * pass);
}

// LLVM 203934: of 8-byte instructions that begin 4 bytes behind a window every fourth lies in two.
TEST_P(timeline_model, instructions_in_two_fetch_windows) {
    ASSERT_EQ(machine::base % 32, 0u);
    const std::string run = repeated("v_fma_f32 v0, v1, v2, v3", 8);
    m.p.fetch_split_clocks = 4;
    EXPECT_EQ(m.clocks(run), 9 * turn);
    EXPECT_EQ(m.clocks("s_nop 0\n" + run), 10 * turn + 2 * 4);
    EXPECT_EQ(stall(m.time("s_nop 0\n" + run), timeline_cause::fetch), 2u * 4);
    EXPECT_EQ(m.clocks("s_nop 0\n s_nop 0\n" + run), 11 * turn);
    // A wave that waits for something else for as long has its instruction by then.
    EXPECT_EQ(m.clocks("s_sleep 1\n" + run), m.turn(p.sleep_unit_clocks) + 9 * turn + 2 * 4);
}

TEST_P(timeline_model, groups_start_one_after_the_other) {
    // Of 304 or 256 units on 8 dies: 38 or 32 groups before the next one of this unit.
    timeline_record r = m.record("s_nop 0");
    r.groups.resize(3, r.groups[0]);
    m.p.dispatch_wave_clocks = 2;
    const uint64_t of_die = p.compute_units / p.dies;
    EXPECT_EQ(dispatch_clocks(r, p), 2 * of_die);
    timeline_result result = model_timeline(r, p);
    EXPECT_EQ(result.waves[0].start, 0u);
    EXPECT_EQ(result.waves[1].start, m.turn(2 * of_die, 1));
    EXPECT_EQ(result.waves[2].start, m.turn(4 * of_die, 2));
    // Groups of two waves take twice as long; those that take the place of others do not wait.
    for (timeline_group& group : r.groups) {
        group.waves.resize(2, group.waves[0]);
    }
    r.resident = 2;
    result = model_timeline(r, p);
    EXPECT_EQ(result.waves[2].start, m.turn(4 * of_die, 2));
    EXPECT_EQ(result.waves[4].start, m.turn(result.waves[1].end));
}

TEST_P(timeline_model, results_of_matrix_instructions) {
    m.p.mfma_result_clocks = 0;  // what the ISA guides have remains
    const bool is_gfx942 = GetParam() == gfx_target::gfx942;
    const auto expect = [&](const char* first, const char* second, uint64_t states) {
        SCOPED_TRACE(second);
        // The second one is issued behind so many turns.
        EXPECT_EQ(m.time(std::string(first) + "\n" + second).waves[0].end,
                  (states + 1) * turn + 2 * turn);
    };
    const char* f16 = "v_mfma_f32_32x32x8_f16 v[0:15], v[32:33], v[34:35], v[0:15]";
    expect(f16, "v_add_f32 v40, v3, v3", is_gfx942 ? 11 : 12);
    expect(f16, "v_mov_b32 v15, 0", is_gfx942 ? 11 : 12);
    expect(f16, "ds_write_b32 v40, v15", is_gfx942 ? 11 : 12);
    // A matrix instruction that reads it as B, a part of it as C, and nothing of it: the pipe's 32
    // clocks.
    expect(f16, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[32:33], v[2:3], a[0:3]", is_gfx942 ? 11 : 12);
    expect(f16, "v_mfma_f32_4x4x4_16b_f16 v[40:43], v[32:33], v[34:35], v[0:3]",
           is_gfx942 ? 9 : 10);
    expect(f16, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[32:33], v[34:35], a[0:3]", 7);
    expect("v_mfma_f32_16x16x4_f32 v[0:3], v32, v34, v[0:3]", "v_add_f32 v40, v3, v3", 10);
    // C, but not the result.
    expect("v_mfma_f32_32x32x8_f16 v[16:31], v[32:33], v[34:35], v[0:15]", "v_mov_b32 v3, 0", 7);
    expect(f16, "v_add_f32 v40, v41, v41", 1);  // not in the first two passes
    m.p.mfma_result_clocks = 100;
    EXPECT_EQ(m.clocks(std::string(f16) + "\nv_add_f32 v40, v3, v3"),
              m.turn(8 * p.mfma_pass_clocks + 100) + 2 * turn);
}

TEST_P(timeline_model, flops) {
    const timeline_record r = m.record(
        "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
        "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]\n"
        "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]");
    EXPECT_EQ(r.instructions[0].flops, 2u * 32 * 32 * 8);
    EXPECT_EQ(r.instructions[1].flops, 2u * 4 * 4 * 1 * 16);
    EXPECT_EQ(r.instructions[2].flops, 2u * 16 * 16 * 4);
    EXPECT_EQ(r.instructions[3].flops, 0u);
}

TEST_P(timeline_model, kinds_of_matrix_instructions) {
    const auto kind = [&](const std::string& source) {
        return m.record(source).instructions[0].matrix;
    };
    EXPECT_EQ(kind("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]"),
              timeline_matrix::f16);
    EXPECT_EQ(kind("v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]"),
              timeline_matrix::bf16);
    EXPECT_EQ(kind("v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]"),
              timeline_matrix::bits8);
    EXPECT_EQ(kind("v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[2:3], a[0:15]"),
              timeline_matrix::bits8);
    EXPECT_EQ(kind("v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]"), timeline_matrix::other);
    EXPECT_EQ(kind("v_add_f16 v0, v1, v2"), timeline_matrix::other);
    if (GetParam() == gfx_target::gfx950) {
        const std::string name = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], ";
        EXPECT_EQ(kind(name + "v[16:23], v[0:3]"), timeline_matrix::bits8);
        EXPECT_EQ(kind(name + "v[16:19], v[0:3] blgp:4"), timeline_matrix::bits8);
        EXPECT_EQ(kind("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:11], v[16:21], v[0:3] cbsz:4 "
                       "blgp:2"),
                  timeline_matrix::bits4);
    }
}

// ---- LDS ----

TEST_P(timeline_model, latency_of_lds) {
    m.fill(0, [](uint32_t l) { return 4 * l; });
    const uint64_t there = p.lds_read_latency_b32;
    const timeline_result r = m.time("ds_read_b32 v1, v0\n s_waitcnt lgkmcnt(0)");
    EXPECT_EQ(r.clocks, m.turn(there) + 2 * turn);
    EXPECT_EQ(stall(r, timeline_cause::lgkmcnt), m.turn(there) - turn);
    // A chain through addresses.
    EXPECT_EQ(m.clocks(repeated("ds_read_b32 v0, v0\n s_waitcnt lgkmcnt(0)", 5)),
              5 * (m.turn(there) + turn) + turn);
    // The second of three is complete when no more than one is left, and so has the wave ended
    // before the third one is.
    const timeline_result three = m.time(
        "ds_read_b32 v1, v0\n ds_read_b32 v2, v0\n ds_read_b32 v3, v0\n"
        "s_waitcnt lgkmcnt(1)\n");
    EXPECT_EQ(three.waves[0].end, m.turn(turn + there) + 2 * turn);
    EXPECT_EQ(three.clocks, std::max(three.waves[0].end, 2 * turn + there));
}

TEST_P(timeline_model, rate_of_lds) {
    m.p.lds_port_bytes_per_clock = 1 << 20;
    constexpr uint64_t reads = 8;
    m.fill(0, [](uint32_t l) { return 16 * l; });
    // 1024 bytes, by 128 or 256 a clock.
    const uint64_t clocks = 1024 / p.lds_read_bytes_per_clock;
    for (uint64_t waves = 1; waves <= 8; ++waves) {
        SCOPED_TRACE(waves);
        const timeline_result r =
            m.time(repeated("ds_read_b128 v[4:7], v0", reads) + "s_waitcnt lgkmcnt(0)", waves);
        // LDS is never idle, and the youngest wave's data come last.
        const uint64_t last = (waves * reads - 1) * clocks + p.lds_read_latency_b128;
        EXPECT_EQ(r.clocks, m.turn(last, (waves - 1) % 4) + 2 * turn);
        EXPECT_EQ(r.lds_clocks, waves * reads * clocks);
        EXPECT_EQ(r.lds.size(), 1u);
    }
}

TEST_P(timeline_model, ports_of_lds) {
    // Two SIMDs share a port, of half the rate of LDS: never idle from the first instruction of the
    // pair on, which is in clock 0 or 2.
    constexpr uint64_t reads = 8;
    m.fill(0, [](uint32_t l) { return 16 * l; });
    const uint64_t clocks = 1024 / p.lds_port_bytes_per_clock;
    ASSERT_EQ(p.lds_read_bytes_per_clock, 2 * p.lds_port_bytes_per_clock);
    for (uint64_t waves = 1; waves <= 8; ++waves) {
        SCOPED_TRACE(waves);
        const timeline_result r =
            m.time(repeated("ds_read_b128 v[4:7], v0", reads) + "s_waitcnt lgkmcnt(0)", waves);
        const uint64_t of_second = waves / 4 * 2 + (waves % 4 == 3 ? 1 : 0);
        const uint64_t of_first = waves - of_second;
        const uint64_t first = (of_first * reads - 1) * clocks + p.lds_read_latency_b128;
        const uint64_t second = 2 + (of_second * reads - 1) * clocks + p.lds_read_latency_b128;
        const uint64_t last = m.turn(first, (of_first - 1) % 2);
        const uint64_t other = of_second == 0 ? 0 : m.turn(second, 2 + (of_second - 1) % 2);
        EXPECT_EQ(r.clocks, std::max(last, other) + 2 * turn);
    }
    // Addresses and data of writes share a way: 1280 bytes.
    const timeline_result w = m.time(repeated("ds_write_b128 v0, v[4:7]", reads));
    const uint64_t write =
        std::max(1280 / p.lds_port_bytes_per_clock, 1024 / p.lds_write_bytes_per_clock);
    EXPECT_EQ(w.clocks, (reads - 1) * write + p.lds_write_latency_b128);
    // Not that of what is read, here the slower one: with a write before each read only the first
    // one comes later.
    m.p.lds_port_bytes_per_clock = 16;
    const std::string read = "ds_read_b128 v[4:7], v0";
    const std::string wait = "s_waitcnt lgkmcnt(0)";
    EXPECT_EQ(m.clocks(repeated("ds_write_b32 v0, v1\n" + read, reads) + wait),
              m.clocks(repeated(read, reads) + wait) + turn);
}

TEST_P(timeline_model, latencies_of_lds_by_width) {
    // Another one each, so that none stands in for another.
    m.p.lds_read_latency_b32 = 100;
    m.p.lds_read_latency_b64 = 200;
    m.p.lds_read_latency_b128 = 300;
    m.p.lds_write_latency_b32 = 400;
    m.p.lds_write_latency_b64 = 500;
    m.p.lds_write_latency_b128 = 600;
    m.p.lds_conflict_latency = 0;
    m.fill(0, [](uint32_t l) { return 16 * l; });
    m.set_exec(1);
    const std::pair<const char*, uint64_t> cases[] = {
        {"ds_read_b32 v1, v0", 100},
        {"ds_read_u16 v1, v0", 100},
        {"ds_bpermute_b32 v1, v0, v2", 100},
        {"ds_read_b64 v[2:3], v0", 200},
        {"ds_read2_b32 v[2:3], v0 offset1:1", 200},
        {"ds_read_b96 v[2:4], v0", 300},
        {"ds_read_b128 v[4:7], v0", 300},
        {"ds_read2_b64 v[4:7], v0 offset1:1", 300},
        {"ds_write_b8 v0, v1", 400},
        {"ds_write_b32 v0, v1", 400},
        {"ds_write_b64 v0, v[2:3]", 500},
        {"ds_write2_b32 v0, v1, v2 offset1:1", 500},
        {"ds_write_b128 v0, v[4:7]", 600},
        // Atomics give back what they have read.
        {"ds_add_rtn_u32 v1, v0, v2", 100},
    };
    for (const auto& [source, latency] : cases) {
        SCOPED_TRACE(source);
        EXPECT_EQ(m.clocks(std::string(source) + "\n s_waitcnt lgkmcnt(0)"),
                  m.turn(latency) + 2 * turn);
    }
    // What LDS takes longer than its latency for keeps its instruction as long: 1024 clocks.
    m.set_exec(~uint64_t{0});
    m.p.lds_write_bytes_per_clock = 1;
    EXPECT_EQ(m.clocks("ds_write_b128 v0, v[4:7]"), 1024u);
}

TEST_P(timeline_model, bank_conflicts) {
    // 32 lanes of a phase in one bank, twice: 64 clocks, of which the port would take some anyway.
    const std::string read = "ds_read_b32 v1, v0\n s_waitcnt lgkmcnt(0)";
    const uint64_t of_port = 256 / p.lds_port_bytes_per_clock;
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.p.lds_conflict_latency = 0;
    EXPECT_EQ(m.clocks(read), m.turn(p.lds_read_latency_b32 + 64 - of_port) + 2 * turn);
    // Not before that latency, however few they are: lanes 0 and 8 in one bank, and so on.
    m.p.lds_conflict_latency = 120;
    EXPECT_EQ(m.clocks(read), m.turn(120) + 2 * turn);
    m.fill(0, [](uint32_t l) { return 32 * l; });
    EXPECT_EQ(m.clocks(read), m.turn(120) + 2 * turn);
    // Two of them: LDS turns to the second one 16 clocks later.
    EXPECT_EQ(m.clocks("ds_read_b32 v2, v0\n" + read), m.turn(16 + 120) + 2 * turn);
    m.set_exec(1);
    EXPECT_EQ(m.time("ds_read_b32 v1, v0").lds_clocks, 1u);
}

TEST_P(timeline_model, phases_of_all_lds_instructions) {
    struct lds_case {
        const char* source;
        uint32_t stride;  // bytes from a lane's address to the next one's
        uint64_t clocks;  // phases and what conflicts add
    };
    // Two phases of 32 lanes for up to 4 bytes, four of 16 for 8, eight of 8 for more; read2 and
    // its like take them twice. In strides of 128 bytes the lanes of a phase are in one bank.
    const lds_case cases[] = {
        {"ds_write_b32 v0, v1", 4, 2},
        {"ds_write_b32 v0, v1", 8, 2 * 2},
        {"ds_write_b32 v0, v1", 128, 2 * 32},
        {"ds_write_b8 v0, v1", 128, 2 * 32},
        {"ds_write_b16_d16_hi v0, v1", 128, 2 * 32},
        {"ds_read_u8 v1, v0", 1, 2},
        {"ds_read_u16 v1, v0", 128, 2 * 32},
        {"ds_read_i8_d16_hi v1, v0", 128, 2 * 32},
        {"ds_write_b64 v0, v[2:3]", 8, 4},
        {"ds_write_b64 v0, v[2:3]", 128, 4 * 16},
        {"ds_write_b96 v0, v[2:4]", 128, 8 * 8},
        {"ds_read_b96 v[2:4], v0", 128, 8 * 8},
        {"ds_read2_b32 v[2:3], v0 offset1:1", 4, 2 * 2},
        {"ds_read2_b32 v[2:3], v0 offset1:1", 128, 2 * 2 * 32},
        {"ds_read2st64_b64 v[2:5], v0 offset1:1", 128, 2 * 4 * 16},
        {"ds_write2_b32 v0, v1, v2 offset1:1", 128, 2 * 2 * 32},
        {"ds_write2_b64 v0, v[2:3], v[4:5] offset1:1", 128, 2 * 4 * 16},
        // Reads of one dword share it, atomics take turns.
        {"ds_read_u16 v1, v0", 0, 2},
        {"ds_add_u32 v0, v1", 4, 2},
        {"ds_add_u32 v0, v1", 0, 2 * 32},
        {"ds_add_rtn_u64 v[2:3], v0, v[4:5]", 8, 4},
        {"ds_add_rtn_u64 v[2:3], v0, v[4:5]", 0, 4 * 16},
        {"ds_append v1", 0, 1},
        // What exchanges lanes has no banks.
        {"ds_bpermute_b32 v1, v0, v2", 128, 2},
        {"ds_swizzle_b32 v1, v0 offset:0x41f", 128, 2},
    };
    for (const lds_case& c : cases) {
        SCOPED_TRACE(c.source);
        SCOPED_TRACE(c.stride);
        m.fill(0, [&](uint32_t l) { return c.stride * l; });
        m.s(124) = 0;  // M0
        const timeline_result r = m.time(c.source);
        EXPECT_EQ(r.lds_clocks, c.clocks);
    }
    // Fewer phases where fewer lanes are active: lanes 0 and 1, of one bank.
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.set_exec(3);
    const timeline_result r = m.time("ds_write_b32 v0, v1\n ds_write_b32 v0, v1");
    EXPECT_EQ(r.lds_clocks, 2u * 2);
    EXPECT_EQ(r.costs[0].lds_conflicts, 1u);
    EXPECT_EQ(r.costs[1].lds_conflicts, 1u);
    EXPECT_EQ(r.costs[2].lds_conflicts, 0u);
    // All of these phases are inferred; those of ds_read_b128 on gfx950 are not.
    EXPECT_TRUE(m.record("ds_write_b32 v0, v1").instructions[0].lds_inferred);
    EXPECT_EQ(m.record("ds_read_b128 v[4:7], v0").instructions[0].lds_inferred,
              GetParam() == gfx_target::gfx942);
}

TEST(timeline_published, reads_of_lds) {
    // What docs/timeline.md compares with measurements on MI308X: of one wave, the clocks from a
    // read to the end of its wait, and from one of many reads to the next.
    recorded_machine m(gfx_target::gfx942, 64 * 1024);
    const auto latency = [&](const std::string& read) {
        return m.clocks(read + "\n s_waitcnt lgkmcnt(0)") - 2 * m.p.issue_clocks;
    };
    const auto interval = [&](const std::string& read) {
        const std::string wait = "s_waitcnt lgkmcnt(0)";
        return (m.clocks(repeated(read, 11) + wait) - m.clocks(read + "\n" + wait)) / 10;
    };
    const std::string b32 = "ds_read_b32 v1, v0";
    const std::string b128 = "ds_read_b128 v[4:7], v0";
    m.fill(0, [](uint32_t l) { return 4 * l; });
    EXPECT_EQ(latency(b32), 52u);
    EXPECT_EQ(interval(b32), 4u);
    m.fill(0, [](uint32_t l) { return 16 * l; });
    EXPECT_EQ(latency(b128), 64u);
    EXPECT_EQ(interval(b128), 16u);
    m.fill(0, [](uint32_t l) { return 32 * l; });
    EXPECT_EQ(latency(b32), 120u);
    EXPECT_EQ(interval(b32), 16u);
    m.fill(0, [](uint32_t l) { return 128 * l; });
    EXPECT_EQ(latency(b32), 120u);
    EXPECT_EQ(interval(b32), 64u);
}

TEST_P(timeline_model, full_counters) {
    // The 16th instruction waits until there is room in lgkmcnt, the 64th in vmcnt.
    m.p.lds_read_latency_b32 = 1000;
    m.fill(0, [](uint32_t l) { return 4 * l; });
    const timeline_result r = m.time(repeated("ds_read_b32 v1, v0", 16));
    const uint64_t first = 1000;
    EXPECT_EQ(r.waves[0].end, m.turn(first) + 2 * turn);
    EXPECT_EQ(stall(r, timeline_cause::lgkmcnt), m.turn(first) - 15 * turn);
    m.p.l1_latency = 0;
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    const timeline_result vm = m.time(repeated("global_load_dword v1, v0, s[2:3]", 64));
    const uint64_t load = hbm_share_clocks(p, 2 * p.line_bytes) + clocks_of_ns(p, p.hbm_latency_ns);
    EXPECT_EQ(vm.waves[0].end, m.turn(load) + 2 * turn);
    EXPECT_EQ(stall(vm, timeline_cause::vmcnt), m.turn(load) - 63 * turn);
}

// ---- vector memory ----

class timeline_memory : public timeline_model {
protected:
    static constexpr uint64_t bytes = 1 << 20;
    timeline_memory() {
        m.set_s64(2, memory.address());
        m.fill(0, [](uint32_t l) { return 4 * l; });
        m.fill(1, [](uint32_t l) { return 16 * l; });
    }
    uint64_t hbm() const { return clocks_of_ns(p, p.hbm_latency_ns); }

    device_bytes memory{bytes};
};
INSTANTIATE_TEST_SUITE_P(targets, timeline_memory, testing::ValuesIn(both_targets),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(timeline_model, recorded_lds_of_loops) {
    // Lanes are first a dword apart, then a row of all banks.
    m.fill(6, [](uint32_t l) { return 4 * l; });
    const timeline_record r = m.record(
        "s_mov_b32 s8, 0\n"
        "again:\n"
        "ds_read_b32 v2, v6\n"
        "s_add_u32 s8, s8, 1\n"
        "s_cmp_eq_u32 s8, 2\n"
        "s_cselect_b32 s9, 6, 0\n"
        "v_lshlrev_b32 v6, s9, v6\n"
        "s_cmp_eq_u32 s8, 3\n"
        "s_cselect_b32 exec_hi, 0, -1\n"
        "s_cmp_lt_u32 s8, 4\n"
        "s_cbranch_scc1 again\n");
    const std::vector<timeline_access>& accesses = r.groups[0].waves[0].accesses;
    ASSERT_EQ(accesses.size(), 4u);
    EXPECT_EQ(accesses[0].lds_conflicts, 0u);
    EXPECT_EQ(accesses[1].lds_conflicts, 0u);
    EXPECT_EQ(accesses[1].lds_addresses, 64u);
    EXPECT_GT(accesses[2].lds_conflicts, 32u);
    EXPECT_EQ(accesses[2].lds_bytes, 256u);
    EXPECT_EQ(accesses[3].lds_bytes, 128u);
    EXPECT_LT(accesses[3].lds_conflicts, accesses[2].lds_conflicts);
}

TEST_P(timeline_memory, latency) {
    // Two lines, which pass every level.
    const std::string load = "global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    const uint64_t first = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    EXPECT_EQ(m.clocks(load), m.turn(first) + 2 * turn);
    EXPECT_EQ(stall(m.time(load), timeline_cause::vmcnt), m.turn(first) - turn);
    // Then they are in L1: 256 bytes of it.
    const uint64_t second = 2 * p.line_bytes / p.l1_bytes_per_clock + p.l1_latency;
    EXPECT_EQ(m.clocks(load + load), m.turn(first) + turn + m.turn(second) + 2 * turn);
}

TEST_P(timeline_memory, latency_of_l2) {
    // L1 of one line: what was loaded before is in L2 only.
    m.p.l1_bytes = m.p.line_bytes;
    const std::string load = "global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    const uint64_t first = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    const uint64_t second = std::max<uint64_t>(2 * p.line_bytes / p.l1_bytes_per_clock,
                                               l2_share_clocks(p, 2 * p.line_bytes)) +
                            p.l2_latency;
    EXPECT_EQ(m.clocks(load + load), m.turn(first) + turn + m.turn(second) + 2 * turn);
    // Without room in L2 either it is in the cache of the device.
    m.p.l2_bytes = 1;
    const uint64_t from_mall = std::max<uint64_t>(2 * p.line_bytes / p.l1_bytes_per_clock,
                                                  mall_share_clocks(p, 2 * p.line_bytes)) +
                               clocks_of_ns(p, p.mall_latency_ns);
    EXPECT_EQ(m.clocks(load + load), m.turn(first) + turn + m.turn(from_mall) + 2 * turn);
}

TEST_P(timeline_memory, bandwidth) {
    // One wave that copies: HBM's share bounds the loads, and then the stores, each at its rate.
    constexpr int count = 32;
    m.p.hbm_read_gb_per_second = 3000;
    m.p.hbm_write_gb_per_second = 2000;
    m.p.vmem_queue = 2 * count;
    std::string loads;
    std::string stores;
    for (int n = 0; n < count; ++n) {
        const std::string data = "v[4:7]";
        loads += "global_load_dwordx4 " + data + ", v1, s[2:3]\n";
        loads += "v_add_u32 v1, 0x400, v1\n";
        stores += "v_add_u32 v1, 0xfffffc00, v1\n";
        stores += "global_store_dwordx4 v1, " + data + ", s[2:3]\n";
    }
    const timeline_result r = m.time(loads + "s_waitcnt vmcnt(0)\n" + stores);
    const uint64_t moved = count * 1024;
    const uint64_t loaded = hbm_share_clocks(p, moved) + hbm();
    // The first store is behind s_waitcnt and an addition.
    const uint64_t first_store = m.turn(loaded) + 2 * turn;
    const uint64_t stored = hbm_share_clocks(p, 0, moved);
    EXPECT_GT(stored, hbm_share_clocks(p, moved));
    EXPECT_EQ(r.clocks, first_store + stored + p.l2_latency);
    EXPECT_EQ(r.hbm_read_bytes, moved);
    EXPECT_EQ(r.hbm_written_bytes, moved);
    EXPECT_EQ(r.l2_bytes, 2 * moved);
    // What the last load waits behind the others is bandwidth, the rest its latency.
    const uint64_t alone = 2 * (count - 1) * turn + hbm_share_clocks(p, 1024) + hbm();
    // So is what a store waits for the data of the one before it.
    const uint64_t of_store = 1024 / p.store_bytes_per_clock - 2 * turn;
    EXPECT_EQ(stall(r, timeline_cause::bandwidth), loaded - alone + (count - 1) * of_store);
    EXPECT_EQ(stall(r, timeline_cause::vmcnt),
              m.turn(loaded) - 2 * count * turn - (loaded - alone));
}

TEST_P(timeline_memory, outstanding_misses) {
    // Two lines may be on their way: the third one is asked for when the first is there.
    m.p.outstanding_lines = 2;
    m.set_exec(1);
    const std::string loads =
        "global_load_dword v2, v0, s[2:3]\n global_load_dword v3, v0, s[2:3] offset:1024\n";
    const std::string third = "global_load_dword v4, v0, s[2:3] offset:2048\n";
    const std::string wait = "s_waitcnt vmcnt(0)\n";
    const uint64_t miss = hbm_share_clocks(p, p.line_bytes) + hbm();
    ASSERT_GE(hbm_share_clocks(p, p.line_bytes), turn);
    const timeline_result r = m.time(loads + third + wait);
    EXPECT_EQ(r.waves[0].end, m.turn(miss + miss) + 2 * turn);
    EXPECT_EQ(stall(r, timeline_cause::bandwidth), miss - 2 * turn);
    // A line that L1 has needs no place among them.
    const std::string hit = "global_load_dword v4, v0, s[2:3] offset:4\n";
    EXPECT_EQ(m.clocks(loads + hit + wait), m.clocks(loads + wait));
    // Bandwidth of a unit alone is its lines in a latency.
    m.p.outstanding_lines = 4;
    m.p.hbm_read_gb_per_second = 1'000'000;
    m.p.mall_gb_per_second = 1'000'000;
    m.p.compute_units = m.p.dies;
    std::string many;
    for (int n = 0; n < 40; ++n) {
        many += "global_load_dword v2, v0, s[2:3]\n v_add_u32 v0, 0x400, v0\n";
    }
    const double clocks = static_cast<double>(m.clocks(many + wait));
    const double in_a_latency = 4.0 * p.line_bytes / static_cast<double>(hbm());
    EXPECT_NEAR(40.0 * p.line_bytes / clocks, in_a_latency, in_a_latency / 20);
}

TEST_P(timeline_memory, instructions_that_wait_for_l1) {
    // Each keeps L1 for 16 clocks; two may wait for it or be in it. The third one is issued when the
    // first is through, and so on, and what follows the last one waits with it.
    m.p.vmem_queue = 2;
    ASSERT_EQ(1024 / p.vmem_bytes_per_clock, 16u);
    const std::string load = "global_load_dwordx4 v[4:7], v1, s[2:3]\n";
    const timeline_result r = m.time(repeated(load, 5));
    EXPECT_EQ(r.waves[0].end, 3 * 16 + 2 * turn);
    EXPECT_EQ(stall(r, timeline_cause::bandwidth), 3 * 16 - 4 * turn);
    EXPECT_EQ(stall(r, timeline_cause::issue), 0u);
    m.p.vmem_queue = 5;
    EXPECT_EQ(m.time(repeated(load, 5)).waves[0].end, 6 * turn);
    // Waves take turns in the order in which they came: with one place the third load, of wave 0,
    // comes behind that of wave 1.
    m.p.vmem_queue = 1;
    const timeline_result two = m.time(repeated(load, 2), 2);
    EXPECT_EQ(two.waves[0].end, m.turn(2 * 16 + 1) + 2 * turn);
    EXPECT_EQ(two.waves[1].end, m.turn(3 * 16 + 4, 1) + 2 * turn);
    // A store is issued when the data of the last one have left the registers, 32 clocks behind it;
    // a load is not kept.
    m.p.vmem_queue = 5;
    m.p.store_bytes_per_clock = 32;
    const std::string store = "global_store_dwordx4 v1, v[4:7], s[2:3]\n";
    EXPECT_EQ(m.time(store + load + store + store).waves[0].end, 2 * 32 + 2 * turn);
}

TEST_P(timeline_memory, lines_that_make_room) {
    // L1 of two lines, one lane, three lines: a third one takes the place of the one that was not
    // used for longer.
    m.p.l1_bytes = 2 * m.p.line_bytes;
    m.set_exec(1);
    const auto load = [](int line) {
        return "global_load_dword v2, v0, s[2:3] offset:" + std::to_string(128 * line) +
               "\n s_waitcnt vmcnt(0)\n";
    };
    const uint64_t first = m.turn(hbm_share_clocks(p, p.line_bytes) + hbm()) + turn;
    const uint64_t hit = m.turn(p.vmem_issue_clocks + p.l1_latency) + turn;
    const uint64_t through_l2 =
        std::max<uint64_t>(p.vmem_issue_clocks, l2_share_clocks(p, p.line_bytes));
    const uint64_t in_l2 = m.turn(through_l2 + p.l2_latency) + turn;
    ASSERT_NE(hit, in_l2);
    EXPECT_EQ(m.clocks(load(0) + load(1) + load(0) + load(2) + load(0)),
              3 * first + 2 * hit + turn);
    EXPECT_EQ(m.clocks(load(0) + load(1) + load(0) + load(2) + load(1)),
              3 * first + hit + in_l2 + turn);
}

// Groups of 1, 2, ... vector instructions and the end, on four units with one place each.
TEST_P(timeline_model, groups_of_different_work) {
    const auto record = [&](uint64_t groups, uint64_t launch_groups, uint64_t step) {
        timeline_placement placement;
        placement.units = placement.groups = 4;
        placement.resident = 1;
        placement.groups = groups;
        placement.launch_groups = launch_groups;
        placement.weighs = true;
        return m.record_groups(placement, groups, [&](uint64_t g) {
            return repeated("v_mov_b32 v2, 0", static_cast<int>(1 + step * g));
        });
    };
    // 2, 3, 4 and 5 instructions, then 6 to 9 in the places of those.
    const timeline_record r = record(8, 8, 1);
    ASSERT_EQ(r.groups.size(), 1u);
    EXPECT_EQ(r.groups[0].number, 7u);
    EXPECT_DOUBLE_EQ(r.length_of_launch, (5 + 9) / 9.0);
    EXPECT_DOUBLE_EQ(r.work_of_launch, (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) / 9.0);
    // Those of which nothing is known are as the nearest one, which has 5.
    EXPECT_DOUBLE_EQ(record(4, 8, 1).length_of_launch, (5 + 5) / 5.0);
    // Many that follow each other come to the mean, which group 0 has.
    const timeline_record many = m.record_groups(
        {.units = 4, .groups = 400, .resident = 1, .launch_groups = 400, .weighs = true}, 400,
        [&](uint64_t g) { return repeated("v_mov_b32 v2, 0", g == 0 ? 19 : 18 + 2 * (g % 2)); });
    EXPECT_EQ(many.length_of_launch, 0);
    EXPECT_EQ(many.groups[0].number, 0u);
    const timeline_record even = record(8, 8, 0);
    EXPECT_EQ(even.groups[0].number, 0u);
    EXPECT_EQ(even.length_of_launch, 0);
}

TEST_P(timeline_memory, cache_policies) {
    // Twice the same line; what the second load comes from is to be seen in the bytes.
    const auto twice = [&](const std::string& bits) {
        const std::string load =
            "global_load_dword v1, v0, s[2:3]" + bits + "\n s_waitcnt vmcnt(0)\n";
        m.set_exec(1);
        return m.time(load + load);
    };
    const uint64_t line = p.line_bytes;
    const struct {
        const char* bits;
        uint64_t l2, mall, hbm;  // lines
    } cases[] = {
        {"", 1, 1, 1},     {" sc0", 1, 1, 1},     {" nt", 2, 1, 1},
        {" sc1", 0, 2, 1}, {" sc0 sc1", 0, 2, 1}, {" sc0 sc1 nt", 0, 2, 2},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.bits);
        const timeline_result r = twice(c.bits);
        EXPECT_EQ(r.l2_bytes, c.l2 * line);
        EXPECT_EQ(r.mall_bytes, c.mall * line);
        EXPECT_EQ(r.hbm_read_bytes, c.hbm * line);
    }
    // L2 of three lines for the unit: the one that does not stay makes room first.
    m.p.l1_bytes = 1;
    m.p.l2_bytes = static_cast<uint32_t>(3 * line * p.compute_units / p.dies);
    const auto at = [&](int n, const std::string& bits = "") {
        return "global_load_dword v1, v0, s[2:3] offset:" + std::to_string(128 * n) + bits +
               "\n s_waitcnt vmcnt(0)\n";
    };
    EXPECT_EQ(m.time(at(0) + at(1) + at(2, " nt") + at(3) + at(0)).mall_bytes, 4 * line);
    EXPECT_EQ(m.time(at(0) + at(1) + at(2) + at(3) + at(0)).mall_bytes, 5 * line);
    // A store that goes around L2 does so each time.
    const std::string store = "global_store_dword v0, v1, s[2:3]";
    EXPECT_EQ(m.time(store + "\n" + store).hbm_written_bytes, line);
    EXPECT_EQ(m.time(store + " sc1\n" + store + " sc1").hbm_written_bytes, 2 * line);
    // What it has left in the MALL, when L2 has lost it, needs no HBM: once, and with nt nothing.
    m.p.l2_bytes = 1;
    const std::string wait = "\n s_waitcnt vmcnt(0)\n";
    const std::string other = "global_store_dword v0, v1, s[2:3] offset:128" + wait;
    EXPECT_EQ(m.time(store + wait + other + at(0)).hbm_read_bytes, 0u);
    EXPECT_EQ(m.time(store + " nt" + wait + other + at(0)).hbm_read_bytes, line);
    EXPECT_EQ(m.time(store + wait + store + wait + other + at(0)).mall_bytes, 3 * line);
    // A MALL of two lines has one of them once, however often it was stored.
    m.p.mall_bytes = static_cast<uint32_t>(2 * line * p.compute_units);
    const std::string again = store + wait + other + store + wait + other + store + wait;
    EXPECT_EQ(m.time(again + other + at(0) + at(1)).hbm_read_bytes, 0u);
}

TEST_P(timeline_memory, warm_caches) {
    m.set_exec(1);
    timeline_record r = m.record("global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)");
    const uint64_t cold = model_timeline(r, p).clocks;
    r.is_warm_mall = true;
    EXPECT_EQ(model_timeline(r, p).hbm_read_bytes, 0u);
    EXPECT_EQ(model_timeline(r, p).mall_bytes, p.line_bytes);
    EXPECT_LT(model_timeline(r, p).clocks, cold);
    r.is_warm_l2 = true;
    EXPECT_EQ(model_timeline(r, p).mall_bytes, 0u);
    // Nothing is left of what goes around it.
    r.instructions[0].policy.in_l2 = false;
    EXPECT_EQ(model_timeline(r, p).mall_bytes, p.line_bytes);
}

TEST_P(timeline_memory, what_a_launch_leaves) {
    // Two lines of a group that stands for 1 and for many: more than L2, more than MALL.
    m.set_exec(3);
    m.fill(0, [](uint32_t l) { return 128 * l; });
    const auto record = [&](uint64_t launch_groups) {
        timeline_placement placement;
        placement.is_warm = true;
        placement.launch_groups = launch_groups;
        return m.record("global_load_dword v1, v0, s[2:3]", placement);
    };
    EXPECT_TRUE(record(1).is_warm_l2);
    const uint64_t of_l2 = p.l2_bytes / (2 * p.line_bytes);
    EXPECT_TRUE(record(of_l2).is_warm_l2);
    EXPECT_FALSE(record(of_l2 + 1).is_warm_l2);
    EXPECT_TRUE(record(of_l2 + 1).is_warm_mall);
    EXPECT_FALSE(record(p.mall_bytes / (2 * p.line_bytes) + 1).is_warm_mall);
    EXPECT_FALSE(m.record("global_load_dword v1, v0, s[2:3]").is_warm_mall);
}

TEST_P(timeline_memory, shared_lines) {
    // Of a line that four units of each of two dies use a unit pays a quarter and an eighth.
    timeline_record r = m.record("global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)");
    for (timeline_line& line : r.groups[0].waves[0].lines) {
        line.share = {4, 2};
    }
    // Of what one of the two caches does not keep it pays what that cache would have spared it.
    timeline_policy& policy = r.instructions[0].policy;
    for (const bool in_l2 : {false, true}) {
        for (const bool in_mall : {false, true}) {
            policy.in_l2 = in_l2;
            policy.stays_in_mall = in_mall;
            const timeline_result part = model_timeline(r, p);
            EXPECT_EQ(part.mall_bytes, 2u * p.line_bytes / (in_l2 ? 4 : 1));
            EXPECT_EQ(part.hbm_bytes(), 2u * p.line_bytes / (in_mall ? 8 : in_l2 ? 4 : 1));
        }
    }
    m.p.hbm_read_gb_per_second = 1;
    const timeline_result result = model_timeline(r, p);
    EXPECT_EQ(result.l2_bytes, 2u * p.line_bytes);
    EXPECT_EQ(result.mall_bytes, 2u * p.line_bytes / 4);
    EXPECT_EQ(result.hbm_bytes(), 2u * p.line_bytes / 8);
    EXPECT_EQ(result.clocks, m.turn(hbm_share_clocks(p, 2 * p.line_bytes / 8) + hbm()) + 2 * turn);
    m.p.hbm_read_gb_per_second = 1'000'000;
    m.p.mall_gb_per_second = 1;
    EXPECT_EQ(model_timeline(r, p).clocks,
              m.turn(mall_share_clocks(p, 2 * p.line_bytes / 4) + hbm()) + 2 * turn);
    // Few units may use more of L2 than one can take.
    m.p.mall_gb_per_second = 1'000'000;
    m.p.l1_bytes_per_clock = 1;
    EXPECT_EQ(model_timeline(r, p).clocks, m.turn(2 * p.line_bytes + hbm()) + 2 * turn);
}

TEST_P(timeline_memory, recorded_sharing) {
    // 24 units on 8 dies, so units 0 and 8 are on one. Group 29 was chosen and is taken for one on
    // unit 0; 32 is the second one on unit 8, 17 is on the die of 1.
    const std::string source = "global_load_dword v2, v0, s[2:3]\n s_endpgm\n";
    const std::vector<std::byte>& bytes = assemble(m.target(), source);
    program code(m.target(), bytes.data(), bytes.size(), machine::base);
    const instruction& load = code.at(machine::base);
    timeline_recorder recorder(p, {0, 29}, {24, 8, 48});
    EXPECT_EQ(recorder.group(48, 1), nullptr);
    const auto run = [&](uint64_t number, uint64_t address) {
        m.set_s64(2, address);
        timeline_group_recorder* group = recorder.group(number, 1);
        group->note(m.w(), load);
        group->finish();
    };
    for (const uint64_t number : {0u, 29u, 1u, 8u, 32u, 17u}) {
        run(number, memory.address());
    }
    run(10, memory.address() + 128);
    const timeline_record r = recorder.take();
    ASSERT_EQ(r.groups.size(), 2u);
    const std::vector<timeline_line>& lines = r.groups[1].waves[0].lines;
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].share.units, 2u);
    EXPECT_EQ(lines[0].share.fills, 2u);
    EXPECT_EQ(lines[1].share.units, 2u);
    EXPECT_EQ(lines[1].share.fills, 3u);
}

TEST_P(timeline_memory, recorded_lines) {
    // What lanes ask for, by lines: lane 1's 16 bytes are in two, lane 2's those of lane 0 again.
    const auto lines = [&](const std::string& source) {
        const timeline_record r = m.record(source);
        const timeline_wave& wave = r.groups[0].waves[0];
        std::vector<std::pair<uint64_t, uint32_t>> result;
        for (const timeline_line& line : wave.lines) {
            result.emplace_back(line.number, line.bytes);
        }
        return result;
    };
    using list = std::vector<std::pair<uint64_t, uint32_t>>;
    const uint64_t first = memory.address() / p.line_bytes;
    ASSERT_EQ(memory.address() % p.line_bytes, 0u);
    m.fill(6, [](uint32_t l) { return l == 1 ? 248u : 0u; });
    m.set_exec(7);
    EXPECT_EQ(lines("global_load_dwordx4 v[8:11], v6, s[2:3]"),
              (list{{first, 32}, {first + 1, 8}, {first + 2, 8}}));
    // A buffer of 252 bytes: what is outside is not asked for.
    m.s(4) = m.s(2);
    m.s(5) = m.s(3);
    m.s(6) = 252;
    m.s(7) = 0x00020000;
    EXPECT_EQ(lines("buffer_load_dwordx4 v[8:11], v6, s[4:7], 0 offen"),
              (list{{first, 32}, {first + 1, 4}}));
    m.set_exec(~uint64_t{0});
    // Scalar loads have lines of their own: 32 bytes from byte 48 on.
    const uint64_t scalar = (memory.address() + 48) / p.scalar_line_bytes;
    m.s(9) = 16;
    ASSERT_EQ(p.scalar_line_bytes, 64u);
    EXPECT_EQ(lines("s_load_dwordx8 s[16:23], s[2:3], 0x30"),
              (list{{scalar, 16}, {scalar + 1, 16}}));
    EXPECT_EQ(lines("s_buffer_load_dword s16, s[4:7], s9"), (list{{scalar, 4}}));
    // A dword of scratch of all lanes is 256 bytes in a row.
    m.w().scratch_per_lane = 64;
    m.w().scratch.resize(64 * 64);
    const list scratch = lines("scratch_load_dword v8, off, off offset:4");
    ASSERT_EQ(scratch.size(), 2u);
    EXPECT_EQ(scratch[0].second, p.line_bytes);
    EXPECT_EQ(scratch[1], std::pair(scratch[0].first + 1, p.line_bytes));
}

// An instruction of a loop: what was found out for one iteration is not taken for another one.
TEST_P(timeline_memory, recorded_loops) {
    const auto lines = [&](const std::string& body) {
        const timeline_record r = m.record(
            "s_mov_b32 s8, 0\n"
            "again:\n"
            "buffer_load_dwordx4 v[8:11], v6, s[4:7], s8 offen offset:16\n" +
            body + "s_cbranch_scc1 again\n");
        std::vector<std::pair<uint64_t, uint32_t>> result;
        const uint64_t first = memory.address() / p.line_bytes;
        for (const timeline_line& line : r.groups[0].waves[0].lines) {
            result.emplace_back(line.number - first, line.bytes);
        }
        return result;
    };
    using list = std::vector<std::pair<uint64_t, uint32_t>>;
    ASSERT_EQ(memory.address() % p.line_bytes, 0u);
    m.s(4) = m.s(2);
    m.s(5) = m.s(3);
    m.s(7) = 0x00020000;
    // 1 KiB from byte 16 on, and each time 64 bytes further; the last 4 lanes are outside in the end.
    m.s(6) = 1024 + 16 + 64;
    m.fill(6, [](uint32_t l) { return 16 * l; });
    EXPECT_EQ(lines("s_add_u32 s8, s8, 64\n s_cmp_lt_u32 s8, 192\n"),
              (list{{0, 112}, {1, 128}, {2, 128}, {3, 128}, {4, 128}, {5, 128}, {6, 128},
                    {7, 128}, {8, 16},  {0, 48},  {1, 128}, {2, 128}, {3, 128}, {4, 128},
                    {5, 128}, {6, 128}, {7, 128}, {8, 80},  {1, 112}, {2, 128}, {3, 128},
                    {4, 128}, {5, 128}, {6, 128}, {7, 128}, {8, 80}}));
    // Other offsets: 512 bytes in a row and one place, both further, and then one lane.
    m.s(6) = 1 << 16;
    m.s(9) = 0;
    m.fill(6, [](uint32_t l) { return l < 32 ? 1024 + 16 * l : 0; });
    EXPECT_EQ(lines("s_add_u32 s9, s9, 1\n"
                    "v_xor_b32 v6, 0x200, v6\n"
                    "s_cmp_lt_u32 s9, 2\n"
                    "s_cselect_b32 exec_lo, -1, 1\n"
                    "s_cselect_b32 exec_hi, -1, 0\n"
                    "s_cmp_lt_u32 s9, 3\n"),
              (list{{0, 128},
                    {8, 112},
                    {9, 128},
                    {10, 128},
                    {11, 128},
                    {12, 16},
                    {4, 128},
                    {12, 112},
                    {13, 128},
                    {14, 128},
                    {15, 128},
                    {16, 16},
                    {8, 16}}));
}

TEST_P(timeline_memory, recorded_loops_of_another_die) {
    // Group 0 asks for 64 lines, group 1 in loops for 256 bytes, which are 512 and then 128 apart.
    m.s(4) = m.s(2);
    m.s(5) = m.s(3);
    m.s(6) = bytes;
    m.s(7) = 0x00020000;
    m.fill(6, [&](uint32_t l) { return p.line_bytes * l; });
    m.fill(7, [](uint32_t l) { return 4 * l; });
    const auto loop = [](const std::string& name, int from, int step, int to) {
        return "s_movk_i32 s8, " + std::to_string(from) + "\n" + name + ":\n" +
               "buffer_load_dword v8, v7, s[4:7], s8 offen\n" + "s_addk_i32 s8, " +
               std::to_string(step) + "\ns_cmpk_lt_u32 s8, " + std::to_string(to) +
               "\ns_cbranch_scc1 " + name + "\n";
    };
    const timeline_placement placement{.units = 2, .dies = 2, .groups = 2};
    const timeline_record r = m.record_groups(placement, 2, [&](uint64_t group) -> std::string {
        return group == 0 ? "buffer_load_dword v8, v6, s[4:7], 0 offen\n"
                          : loop("apart", 0, 512, 2048) + loop("along", 4096, 128, 4480);
    });
    ASSERT_EQ(p.line_bytes, 128u);
    const std::vector<timeline_line>& lines = r.groups[0].waves[0].lines;
    ASSERT_EQ(lines.size(), 64u);
    for (uint32_t n = 0; n < lines.size(); ++n) {
        const bool is_shared = (n < 16 && n % 4 < 2) || (n >= 32 && n < 36);
        EXPECT_EQ(lines[n].share.fills, is_shared ? 2u : 1u) << n;
    }
}

TEST_P(timeline_memory, recorded_kinds) {
    m.fill(10, static_cast<uint32_t>(memory.address()));
    m.fill(11, static_cast<uint32_t>(memory.address() >> 32));
    const timeline_record r = m.record(
        "global_load_dword v2, v0, s[2:3]\n"
        "global_atomic_add v0, v2, s[2:3]\n"
        "global_atomic_add v4, v0, v2, s[2:3] sc0\n"
        "global_store_dword v0, v2, s[2:3]\n"
        "ds_write_b32 v0, v2\n"
        "s_load_dword s8, s[2:3], 0x0\n"
        "s_waitcnt vmcnt(35) lgkmcnt(7)\n"
        "s_sleep 5\n"
        "s_setprio 3\n"
        "s_nop 4\n"
        "s_branch next\n"
        "next:\n"
        "flat_load_dword v4, v[10:11]\n");
    const auto& i = r.instructions;
    const auto expect = [&](size_t n, timeline_unit unit, bool writes, bool vm, bool lgkm) {
        SCOPED_TRACE(i[n].text);
        EXPECT_EQ(i[n].unit, unit);
        EXPECT_EQ(i[n].writes, writes);
        EXPECT_EQ(i[n].counts_vm, vm);
        EXPECT_EQ(i[n].counts_lgkm, lgkm);
        EXPECT_EQ(i[n].has_access, vm || lgkm);
    };
    expect(0, timeline_unit::vmem, false, true, false);
    expect(1, timeline_unit::vmem, true, true, false);
    expect(2, timeline_unit::vmem, true, true, false);
    expect(3, timeline_unit::vmem, true, true, false);
    expect(4, timeline_unit::lds, true, false, true);
    expect(5, timeline_unit::smem, false, false, true);
    for (size_t n = 6; n < 10; ++n) {
        expect(n, timeline_unit::none, false, false, false);
    }
    expect(10, timeline_unit::branch, false, false, false);
    EXPECT_EQ(i[6].vmcnt, 35);
    EXPECT_EQ(i[6].lgkmcnt, 7);
    EXPECT_EQ(i[7].sleep, 5);
    EXPECT_EQ(i[8].priority, 3);
    EXPECT_EQ(i[9].turns, 5);
    expect(11, timeline_unit::vmem, false, true, true);
    EXPECT_EQ(i[12].control, timeline_control::end);
}

TEST_P(timeline_memory, rate_of_l1) {
    // Behind the first one all are hits: 1024 bytes each, as fast as they get to the registers, or
    // as L1 delivers them.
    constexpr uint64_t count = 20;
    const std::string kernel = "global_load_dwordx4 v[4:7], v1, s[2:3]\n s_waitcnt vmcnt(0)\n" +
                               repeated("global_load_dwordx4 v[4:7], v1, s[2:3]", count) +
                               "s_waitcnt vmcnt(0)\n";
    const timeline_result r = m.time(kernel);
    const uint64_t first = m.turn(hbm_share_clocks(p, 1024) + hbm()) + turn;
    ASSERT_LT(p.vmem_bytes_per_clock, p.l1_bytes_per_clock);
    EXPECT_EQ(r.clocks,
              first + m.turn(count * (1024 / p.vmem_bytes_per_clock) + p.l1_latency) + 2 * turn);
    m.p.vmem_bytes_per_clock = 4 * p.l1_bytes_per_clock;
    EXPECT_EQ(m.clocks(kernel),
              first + m.turn(count * (1024 / p.l1_bytes_per_clock) + p.l1_latency) + 2 * turn);
    EXPECT_EQ(r.hbm_bytes(), 1024u);
    // A dword of each of 64 lines: a clock for each, where the lanes of one line share four.
    m.fill(3, [](uint32_t l) { return 128 * l; });
    EXPECT_EQ(m.time("global_load_dword v4, v3, s[2:3]").l1_clocks, 64u);
    EXPECT_EQ(m.time("global_load_dword v4, v0, s[2:3]").l1_clocks, 4u);
}

TEST_P(timeline_memory, completion_in_order) {
    // A hit behind a miss is not complete before it.
    const std::string warm = "global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    const std::string far = "global_load_dword v2, v0, s[2:3] offset:1024\n";
    const std::string near = "global_load_dword v3, v0, s[2:3]\n";
    const uint64_t miss = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    EXPECT_EQ(m.clocks(warm + far + near + "s_waitcnt vmcnt(0)"),
              m.turn(miss) + turn + m.turn(miss) + 2 * turn);
    EXPECT_EQ(m.time(warm + far + near + "s_waitcnt vmcnt(1)").waves[0].end,
              m.turn(miss) + turn + m.turn(miss) + 2 * turn);
    // The hit is complete first if it was issued first.
    const uint64_t hit = 2 * p.line_bytes / p.l1_bytes_per_clock + p.l1_latency;
    EXPECT_EQ(m.time(warm + near + far + "s_waitcnt vmcnt(1)").waves[0].end,
              m.turn(miss) + turn + m.turn(hit) + 2 * turn);
}

TEST_P(timeline_memory, lines_on_their_way) {
    // A second wave asks for the same lines one clock later; they come for both at the same time.
    const timeline_result r = m.time("global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n", 2);
    const uint64_t there = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    EXPECT_EQ(r.waves[0].end, m.turn(there, 0) + 2 * turn);
    EXPECT_EQ(r.waves[1].end, m.turn(there, 1) + 2 * turn);
    EXPECT_EQ(r.hbm_bytes(), 2u * p.line_bytes);
}

TEST_P(timeline_memory, loads_to_lds) {
    m.s(124) = 0;
    // 256 bytes arrive in LDS at `first`; a read that is issued while LDS takes them is behind
    // them.
    const std::string load = "global_load_lds_dword v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    const std::string read = "ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n";
    const uint64_t first = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    const uint64_t issue = m.turn(first) + turn;
    const uint64_t port = 256 / p.lds_port_bytes_per_clock;
    const timeline_result r = m.time(load + read);
    EXPECT_EQ(r.clocks, m.turn(issue + p.lds_read_latency_b32) + 2 * turn);
    EXPECT_EQ(r.lds_clocks, 256 / p.lds_write_bytes_per_clock + 2);
    // LDS is through with the read, of two clocks, behind the load; the port was sooner.
    m.p.lds_write_bytes_per_clock = 1;
    EXPECT_EQ(m.clocks(load + read),
              m.turn(first + 256 + 2 - port + p.lds_read_latency_b32) + 2 * turn);
}

TEST_P(timeline_memory, bytes_in_flight) {
    const timeline_result r = m.time("global_load_dword v2, v0, s[2:3]");
    ASSERT_EQ(r.flights.size(), 2u);
    EXPECT_EQ(r.flights[0].clock, 0u);
    EXPECT_EQ(r.flights[0].bytes, 256);
    EXPECT_EQ(r.flights[1].clock, hbm_share_clocks(p, 256) + hbm());
    EXPECT_EQ(r.flights[1].bytes, -256);
    // The wave has ended, the launch has not.
    EXPECT_EQ(r.waves[0].end, 2 * turn);
    EXPECT_EQ(r.clocks, r.flights[1].clock);
}

TEST_P(timeline_memory, scalar_loads) {
    const std::string load = "s_load_dword s8, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n";
    const uint64_t miss = clocks_of_ns(p, p.scalar_first_ns);
    EXPECT_EQ(m.clocks(load), m.turn(miss) + 2 * turn);
    EXPECT_EQ(m.clocks(load + load), m.turn(miss) + turn + m.turn(p.scalar_latency) + 2 * turn);
}

TEST_P(timeline_memory, rate_of_scalar_loads) {
    // Two waves ask in clocks 0 and 1; the second one is served behind the first.
    m.p.scalar_issue_clocks = 50;
    const timeline_result r = m.time("s_load_dword s8, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n", 2);
    const uint64_t there = clocks_of_ns(p, p.scalar_first_ns);
    EXPECT_EQ(r.waves[0].end, m.turn(there) + 2 * turn);
    EXPECT_EQ(r.waves[1].end,
              m.turn(std::max<uint64_t>(there, 50 + p.scalar_latency), 1) + 2 * turn);
    // Another line is a miss of its own.
    timeline_record two = m.record("s_load_dword s8, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n");
    add_wave(two, m.record("s_load_dword s8, s[2:3], 0x100\n s_waitcnt lgkmcnt(0)\n"));
    EXPECT_EQ(model_timeline(two, p).waves[1].end, m.turn(50 + there, 1) + 2 * turn);
}

TEST_P(timeline_memory, caches_of_the_next_group) {
    // It finds in L1 what the one before it has loaded.
    timeline_record r = m.record("global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n");
    r.groups.resize(2, r.groups[0]);
    r.resident = 1;
    const uint64_t miss = hbm_share_clocks(p, 2 * p.line_bytes) + hbm();
    const uint64_t hit = 2 * p.line_bytes / p.l1_bytes_per_clock + p.l1_latency;
    EXPECT_EQ(model_timeline(r, p).clocks, m.turn(miss) + 2 * turn + m.turn(hit) + 2 * turn);
}

TEST_P(timeline_memory, recorded_rounds) {
    // One group at a time on each of two units of a die; groups 2 and 3 come behind 0 and 1. All
    // load line 0, then 0 and 1 a hundred others of their own. An L2 of 64 lines has lost line 0
    // when the second ones come, and one of 4096 has it.
    const std::string source = "global_load_dword v2, v0, s[2:3]\n s_endpgm\n";
    const std::vector<std::byte>& code_bytes = assemble(m.target(), source);
    program code(m.target(), code_bytes.data(), code_bytes.size(), machine::base);
    const instruction& load = code.at(machine::base);
    m.set_exec(1);
    for (const uint32_t lines : {64u, 4096u}) {
        m.p.l2_bytes = lines * p.line_bytes;
        timeline_recorder recorder(p, {0, 2}, {.units = 2, .dies = 1, .groups = 4, .resident = 1});
        for (const uint64_t number : {3u, 0u, 2u, 1u}) {
            timeline_group_recorder* group = recorder.group(number, 1);
            m.set_s64(2, memory.address());
            group->note(m.w(), load);
            for (uint64_t n = 0; number < 2 && n < 100; ++n) {
                m.set_s64(2, memory.address() + p.line_bytes * (1 + n + 100 * number));
                group->note(m.w(), load);
            }
            group->finish();
        }
        const timeline_record r = recorder.take();
        EXPECT_EQ(r.at_a_time(), 1u);
        ASSERT_EQ(r.groups.size(), 2u);
        EXPECT_EQ(r.groups[0].waves[0].lines[0].share.units, 2u);
        EXPECT_EQ(r.groups[1].waves[0].lines[0].share.units, 2u);
        EXPECT_EQ(r.groups[1].waves[0].lines[0].share.fills, lines == 64 ? 2u : 1u);
        EXPECT_EQ(r.groups[0].waves[0].lines[50].share.units, 1u);
    }
}

TEST_P(timeline_memory, stores) {
    // 256 bytes through L1 at its rate of stores and into L2; each line goes to memory once.
    const std::string store = "global_store_dword v0, v1, s[2:3]\n s_waitcnt vmcnt(0)\n";
    const uint64_t first = std::max<uint64_t>(2 * p.line_bytes / p.store_bytes_per_clock,
                                              hbm_share_clocks(p, 0, 2 * p.line_bytes)) +
                           p.l2_latency;
    const uint64_t again = std::max<uint64_t>(2 * p.line_bytes / p.store_bytes_per_clock,
                                              l2_share_clocks(p, 2 * p.line_bytes)) +
                           p.l2_latency;
    const timeline_result r = m.time(store + store);
    EXPECT_EQ(r.clocks, m.turn(first) + turn + m.turn(again) + 2 * turn);
    EXPECT_EQ(r.hbm_bytes(), 2u * p.line_bytes);
    EXPECT_EQ(r.l2_bytes, 4u * p.line_bytes);
    // What was stored is in L2 and not in L1.
    const timeline_result read =
        m.time(store + "global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n");
    const uint64_t load =
        std::max<uint64_t>(p.vmem_issue_clocks, l2_share_clocks(p, 2 * p.line_bytes)) +
        p.l2_latency;
    EXPECT_EQ(read.clocks, m.turn(first) + turn + m.turn(load) + 2 * turn);
    m.p.store_bytes_per_clock = 1;
    EXPECT_EQ(m.clocks(store), m.turn(2 * p.line_bytes + p.l2_latency) + 2 * turn);
}

timeline_parameters parameters_of(std::string_view name) {
    const auto device = std::ranges::find(timeline_devices(), name, &timeline_device::name);
    timeline_parameters p = default_timeline_parameters(device->target);
    for (const timeline_device_value& v : device->values) {
        p.*v.member = v.value;
    }
    return p;
}

// What docs/timeline.md compares with measurements on MI308X (vmem-fifo.md): from one of many loads
// or stores of 16 bytes a lane to the next one of the same wave, each to lines of its own.
class published_vector_memory : public testing::Test {
protected:
    published_vector_memory() {
        m.p = parameters_of("MI308X-PTL");
        m.set_s64(2, memory.address());
        m.fill(0, [](uint32_t l) { return 16 * l; });
    }
    // Clocks from the issue of the n-th instruction to that of the next one, n from 1 on.
    std::vector<uint64_t> gaps(const std::string& instruction) {
        constexpr int count = 96;
        timeline_record r = m.record(repeated(instruction, count));
        timeline_wave& wave = r.groups[0].waves[0];
        for (size_t n = 0; n < wave.lines.size(); ++n) {
            wave.lines[n].number += n / 8 * 8;
        }
        // Each is an instruction of its own, so that each has a slice or a wait of its own.
        std::vector<uint64_t> issued;
        for (int n = 1; n <= count; ++n) {
            timeline_record first = r;
            first.groups[0].waves[0].instructions.resize(static_cast<size_t>(n));
            const timeline_result result = model_timeline(first, m.p);
            issued.push_back(result.waves[0].end - m.p.issue_clocks);
        }
        std::vector<uint64_t> result;
        for (size_t n = 1; n < issued.size(); ++n) {
            result.push_back(issued[n] - issued[n - 1]);
        }
        return result;
    }
    static size_t first_of(const std::vector<uint64_t>& gaps, uint64_t least) {
        return 1 + static_cast<size_t>(
                       std::ranges::find_if(gaps, [&](uint64_t g) { return g >= least; }) -
                       gaps.begin());
    }
    static uint64_t median(std::vector<uint64_t> gaps) {
        std::ranges::sort(gaps);
        return gaps[gaps.size() / 2];
    }

    device_bytes memory{1 << 20};
    recorded_machine m{gfx_target::gfx942};
};

TEST_F(published_vector_memory, loads) {
    const std::vector<uint64_t> loads = gaps("global_load_dwordx4 v[4:7], v0, s[2:3]");
    EXPECT_EQ(first_of(loads, 16), 16u);
    EXPECT_EQ(first_of(loads, 100), 50u);
    EXPECT_EQ(median({loads.begin(), loads.begin() + 49}), 16u);
}

TEST_F(published_vector_memory, stores) {
    const std::vector<uint64_t> stores = gaps("global_store_dwordx4 v0, v[4:7], s[2:3]");
    EXPECT_EQ(first_of(stores, 16), 1u);
    EXPECT_EQ(median(stores), 16u);
}

// vmem-bandwidth.md: a group of four waves on each of 80 units; each wave waits for all of 32 loads
// or stores, of lines of its own, before the next 32. GB/s of the device.
TEST_F(published_vector_memory, bandwidth) {
    constexpr size_t waves = 4;
    constexpr int rounds = 16;
    const auto gb_per_second = [&](const std::string& instruction, uint32_t bytes) {
        m.fill(0, [&](uint32_t l) { return bytes * l; });
        std::string source;
        for (int n = 0; n < rounds; ++n) {
            source += repeated(instruction, 32) + "s_waitcnt vmcnt(0)\n";
        }
        timeline_record r = m.record(source);
        r.groups[0].waves.resize(waves, r.groups[0].waves[0]);
        uint64_t number = 0;
        for (timeline_wave& wave : r.groups[0].waves) {
            wave.channels.clear();
            for (timeline_line& line : wave.lines) {
                line.number = ++number;
            }
        }
        const double seconds =
            static_cast<double>(model_timeline(r, m.p).clocks) / (m.p.clock_mhz * 1e6);
        const double moved = double{waves} * rounds * 32 * 64 * bytes * m.p.compute_units;
        return moved / seconds / 1e9;
    };
    struct published {
        const char* instruction;
        uint32_t bytes;
        double gb_per_second;
    };
    const published cases[] = {
        {"global_load_dwordx4 v[4:7], v0, s[2:3]", 16, 4184},
        {"global_load_dwordx2 v[4:5], v0, s[2:3]", 8, 3613},
        {"global_load_dword v4, v0, s[2:3]", 4, 3687},
        {"global_store_dwordx4 v0, v[4:7], s[2:3]", 16, 3400},
        {"global_store_dwordx2 v0, v[4:5], s[2:3]", 8, 3548},
        {"global_store_dword v0, v4, s[2:3]", 4, 3539},
    };
    for (const published& c : cases) {
        SCOPED_TRACE(c.instruction);
        const double modelled = gb_per_second(c.instruction, c.bytes);
        EXPECT_NEAR(modelled / c.gb_per_second, 1, 0.12);
    }
}

// ---- channels of L2 ----

TEST_P(timeline_memory, channels) {
    // Channel of an address: its lowest bits above 256 bytes, and with a hash the higher ones too.
    const auto channel = [&](uint64_t address) { return l2_channel_of(p, address / p.line_bytes); };
    m.p.l2_hash = 0;
    EXPECT_EQ(channel(0x0ff), 0u);
    EXPECT_EQ(channel(0x100), 1u);
    EXPECT_EQ(channel(0xfff), 15u);
    EXPECT_EQ(channel(0x51200), 2u);
    m.p.l2_hash = 1;
    EXPECT_EQ(channel(0x51200), 2u ^ 1 ^ 5);
    m.p.l2_channels = 1;
    EXPECT_EQ(channel(0x51200), 0u);
}

TEST_P(timeline_memory, units_that_ask_for_one_channel) {
    // 32 units ask for two lines each, all of which channel 3 has; then for two that are spread.
    m.p.l2_hash = 0;
    m.p.l2_bytes_per_clock = 2048;
    m.p.hbm_latency_ns = 0;
    m.p.hbm_read_gb_per_second = m.p.mall_gb_per_second = 1'000'000;
    const std::string load = "global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    timeline_record r = m.record(load);
    const uint32_t own = l2_channel_of(p, r.groups[0].waves[0].lines[0].number);
    ASSERT_EQ(own, l2_channel_of(p, r.groups[0].waves[0].lines[1].number));
    timeline_channels& all = r.groups[0].waves[0].channels.at(0);
    EXPECT_EQ(all[own], 2u);
    all[own] = 64;
    const uint64_t of_a_channel = p.l2_bytes_per_clock / p.l2_channels;
    const timeline_result one = model_timeline(r, p);
    EXPECT_EQ(one.clocks, m.turn(64 * p.line_bytes / of_a_channel) + 2 * turn);
    EXPECT_EQ(one.l2_channel_clocks, 64 * p.line_bytes / of_a_channel);
    EXPECT_EQ(one.costs[0].l2_lines, 64u);
    EXPECT_EQ(one.costs[0].l2_fullest, 64u);
    // Other channels do not keep the unit.
    all.fill(64);
    all[own] = 4;
    EXPECT_EQ(model_timeline(r, p).costs[0].l2_fullest, 64u);
    EXPECT_LT(model_timeline(r, p).clocks, one.clocks);
    // One channel is none: the unit has its share.
    timeline_parameters q = p;
    q.l2_channels = 1;
    all.fill(0);
    all[0] = 640;
    EXPECT_EQ(model_timeline(r, q).clocks,
              m.turn(640 * p.line_bytes / p.l2_bytes_per_clock) + 2 * turn);
    // What L1 has nobody asks L2 for.
    timeline_record twice = m.record(load + load);
    twice.groups[0].waves[0].channels.at(0)[own] = 64;
    twice.groups[0].waves[0].channels.at(1)[own] = 64;
    EXPECT_EQ(model_timeline(twice, p).l2_channel_clocks, 64 * p.line_bytes / of_a_channel);
}

TEST_P(timeline_memory, recorded_channels) {
    // 24 units on 8 dies: units 0, 8 and 16 are on one. Each reads 64 rows that are 4 KiB apart;
    // with the hash of this test none, all are in one channel.
    m.p.l2_hash = 0;
    const std::string source = "global_load_dword v2, v0, s[2:3]\n s_endpgm\n";
    const std::vector<std::byte>& code_bytes = assemble(m.target(), source);
    program code(m.target(), code_bytes.data(), code_bytes.size(), machine::base);
    const instruction& load = code.at(machine::base);
    m.fill(0, [](uint32_t l) { return 4096 * l; });
    timeline_recorder recorder(p, {0}, {24, 8, 24});
    for (const uint64_t number : {0u, 1u, 8u, 16u}) {
        timeline_group_recorder* group = recorder.group(number, 1);
        m.set_s64(2, memory.address() + 256 * number);
        group->note(m.w(), load);
        group->finish();
    }
    const timeline_record r = recorder.take();
    ASSERT_EQ(r.groups[0].waves[0].channels.size(), 1u);
    const timeline_channels& c = r.groups[0].waves[0].channels[0];
    const uint32_t first = l2_channel_of(p, memory.address() / p.line_bytes);
    // 8 and 16 blocks of 256 bytes are 8 and no channel further.
    EXPECT_EQ(c[first], 2u * 64);
    EXPECT_EQ(c[(first + 8) % 16], 64u);
    EXPECT_EQ(std::accumulate(c.begin(), c.end(), 0u), 3u * 64);
}

// ---- control ----

TEST_P(timeline_model, waits_that_are_none) {
    EXPECT_EQ(m.clocks("s_nop 0"), 2 * turn);
    EXPECT_EQ(m.clocks("s_nop 7"), 9 * turn);
    EXPECT_EQ(m.clocks("s_waitcnt 0"), 2 * turn);
    EXPECT_EQ(m.clocks("s_sleep 3\n v_mov_b32 v0, 0"), m.turn(3 * p.sleep_unit_clocks) + 2 * turn);
    EXPECT_EQ(stall(m.time("s_sleep 3\n v_mov_b32 v0, 0"), timeline_cause::sleep),
              3 * p.sleep_unit_clocks - turn);
}

TEST_P(timeline_model, branches) {
    // Three times round: two branches are taken.
    EXPECT_EQ(m.clocks("s_mov_b32 s8, 3\n"
                       "again:\n"
                       "s_sub_u32 s8, s8, 1\n"
                       "s_cmp_lg_u32 s8, 0\n"
                       "s_cbranch_scc1 again\n"),
              turn + 2 * (2 * turn + m.turn(p.branch_taken_clocks)) + 3 * turn + turn);
    m.p.salu_clocks = 9;
    EXPECT_EQ(m.clocks("s_mov_b32 s8, 3\n s_mov_b32 s9, s8"), m.turn(9) + 2 * turn);
}

TEST_P(timeline_model, instructions_beyond_their_cache) {
    // A cache of four lines, of 16 s_nop each. Of 96 instructions in a row the first four lines are
    // there from before, and each of two others comes when the wave has come to it.
    m.p.icache_bytes = 4 * m.p.icache_line_bytes;
    m.p.icache_miss_clocks = 100;
    m.p.fetch_ahead_lines = 0;
    ASSERT_EQ(m.p.icache_line_bytes, 64u);
    ASSERT_EQ(machine::base % 64, 0u);
    const std::string lines = repeated("s_nop 0", 95);
    const timeline_result r = m.time(lines);
    EXPECT_EQ(r.clocks, 96 * turn + 2 * m.turn(100));
    EXPECT_EQ(stall(r, timeline_cause::fetch), 2 * m.turn(100));
    EXPECT_EQ(r.costs[64].stalls[static_cast<size_t>(timeline_cause::fetch)], m.turn(100));
    // Another wave, a clock behind, waits for the same lines; it asks for nothing.
    EXPECT_EQ(m.time(lines, 2).clocks, 1 + r.clocks);
    // The next group finds lines 2 to 5 there, of which the first is gone when it comes to it.
    timeline_record next = m.record(lines);
    next.groups.resize(2, next.groups[0]);
    next.resident = 1;
    EXPECT_EQ(model_timeline(next, p).clocks, 2 * 96 * turn + (2 + 6) * m.turn(100));
    // Line 4 is asked for when line 3 is begun: 36 clocks late. Line 5 is asked for when the wave
    // begins to wait for line 4, and so is there when it is needed.
    m.p.fetch_ahead_lines = 1;
    EXPECT_EQ(m.clocks(lines), 96 * turn + (m.turn(100) - 16 * turn));
    m.p.fetch_ahead_lines = 2;
    EXPECT_EQ(m.clocks(lines), 96 * turn);
    m.p.fetch_ahead_lines = 0;
    m.p.icache_miss_clocks = 0;
    EXPECT_EQ(m.clocks(lines), 96 * turn);
    // A loop that the cache holds costs nothing, however often it goes round.
    m.p.icache_miss_clocks = 100;
    const std::string loop = "s_mov_b32 s8, 9\n again:\n" + repeated("s_nop 0", 50) +
                             "s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 again\n";
    EXPECT_EQ(stall(m.time(loop), timeline_cause::fetch), 0u);
    // An instruction of 8 bytes is there when its second half is: 15 s_nop before it.
    m.p.icache_bytes = 64;
    EXPECT_EQ(stall(m.time(repeated("s_nop 0", 15) + "v_add_f32 v0, 0x3f900000, v1"),
                    timeline_cause::fetch),
              m.turn(100));
}

TEST_P(timeline_model, barriers) {
    // Two waves, on SIMDs 0 and 1. Both go on in their first turns behind the later arrival and
    // barrier_clocks.
    constexpr int count = 6;
    uint64_t first = 0;
    uint64_t second = 1;
    for (int n = 0; n < count; ++n) {
        const uint64_t open = std::max(first, second) + p.barrier_clocks;
        first = m.turn(open, 0);
        second = m.turn(open, 1);
    }
    const timeline_result r = m.time(repeated("s_barrier", count), 2);
    EXPECT_EQ(r.waves[0].end, first + turn);
    EXPECT_EQ(r.waves[1].end, second + turn);
    EXPECT_EQ(r.clocks, std::max(first, second) + turn);
}

TEST_P(timeline_model, waiting_at_a_barrier) {
    // One wave works while the other one waits; one that has ended is not waited for.
    timeline_record r = m.record("s_barrier");
    add_wave(r, m.record(repeated("v_add_f32 v0, v0, v0", 50) + "s_barrier"));
    add_wave(r, m.record("s_nop 0"));
    const timeline_result result = model_timeline(r, p);
    const uint64_t open = 50 * m.turn(p.valu_clocks) + 1 + p.barrier_clocks;
    EXPECT_EQ(result.waves[0].end, m.turn(open, 0) + turn);
    EXPECT_EQ(result.waves[1].end, m.turn(open, 1) + turn);
    EXPECT_EQ(stall(result, timeline_cause::barrier),
              (m.turn(open, 0) - turn) + (m.turn(open, 1) - 51 * turn - 1));
    // It is the barrier's cost.
    EXPECT_EQ(result.costs[0].stalls[static_cast<size_t>(timeline_cause::barrier)],
              m.turn(open, 0) - turn);
    // Groups do not wait for each other.
    r.groups.push_back(r.groups[0]);
    r.groups[1].waves.erase(r.groups[1].waves.begin() + 1);
    const timeline_result two = model_timeline(r, p);
    // The other wave of the second group ends in its second turn.
    EXPECT_EQ(two.waves[3].end, m.turn(turn + p.barrier_clocks, 3) + turn);
}

// ---- what is recorded, and slices ----

TEST_P(timeline_model, slices) {
    m.fill(0, [](uint32_t l) { return 4 * l; });
    const timeline_result r = m.time(
        "v_mov_b32 v1, 0\n"
        "v_mov_b32 v2, 0\n"
        "ds_read_b32 v3, v0\n"
        "s_waitcnt lgkmcnt(0)\n"
        "v_mov_b32 v1, v3\n");
    const std::vector<timeline_slice>& s = r.waves[0].slices;
    ASSERT_EQ(s.size(), 6u);
    const uint64_t there = m.turn(2 * turn + p.lds_read_latency_b32);
    const auto expect = [&](size_t n, uint64_t start, uint64_t end, timeline_unit unit,
                            uint32_t instruction, uint32_t count) {
        SCOPED_TRACE(n);
        EXPECT_EQ(s[n].start, start);
        EXPECT_EQ(s[n].end, end);
        EXPECT_EQ(s[n].unit, unit);
        EXPECT_EQ(s[n].instruction, instruction);
        EXPECT_EQ(s[n].count, count);
    };
    expect(0, 0, 2 * turn, timeline_unit::valu, 0, 2);
    expect(1, 2 * turn, 3 * turn, timeline_unit::lds, 2, 1);
    expect(2, 3 * turn, there, timeline_unit::none, 3, 0);
    EXPECT_TRUE(s[2].is_stall);
    EXPECT_EQ(s[2].cause, timeline_cause::lgkmcnt);
    expect(3, there, there + turn, timeline_unit::none, 3, 1);
    EXPECT_FALSE(s[3].is_stall);
    expect(4, there + turn, there + 2 * turn, timeline_unit::valu, 4, 1);
    expect(5, there + 2 * turn, there + 3 * turn, timeline_unit::none, 5, 1);
    // The whole time of a wave is in its slices and in the costs of instructions.
    uint64_t costs = 0;
    for (const timeline_cost& cost : r.costs) {
        costs += cost.all();
    }
    EXPECT_EQ(costs, r.wave_clocks());
    EXPECT_EQ(costs, there + 3 * turn);
}

TEST_P(timeline_model, indexed_registers) {
    // v1 is read as v9, which a matrix instruction writes.
    m.p.mfma_result_clocks = 1000;
    m.s(8) = 8;
    const std::string source =
        "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[2:3], v[8:11]\n"
        "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n"
        "v_mov_b32 v20, v1\n"
        "s_set_gpr_idx_off\n";
    EXPECT_EQ(m.clocks(source), m.turn(2 * p.mfma_pass_clocks + 1000) + 3 * turn);
    m.s(8) = 0;
    EXPECT_EQ(m.clocks(source), 5 * turn);
}

TEST_P(timeline_model, indexed_registers_of_one_instruction) {
    // Round by round v1 is v9 and v4.
    const timeline_record r = m.record(
        "s_mov_b32 s8, 8\n"
        "again:\n"
        "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n"
        "v_mov_b32 v20, v1\n"
        "s_set_gpr_idx_off\n"
        "s_sub_u32 s8, s8, 5\n"
        "s_cmp_lg_u32 s8, 3\n"
        "s_cbranch_scc0 again\n");
    std::vector<uint32_t> read;
    for (const uint32_t index : r.groups[0].waves[0].instructions) {
        for (const timeline_operand& o : r.instructions[index].operands) {
            if (o.use == matrix_use::valu_read) {
                read.push_back(o.first);
            }
        }
    }
    EXPECT_EQ(read, (std::vector<uint32_t>{9, 4}));
    // v_mov_b32 is two; what has no such registers is one, whatever M0 is.
    const std::vector<uint32_t>& executed = r.groups[0].waves[0].instructions;
    EXPECT_EQ(std::set<uint32_t>(executed.begin(), executed.end()).size(), 9u);
}

}  // namespace
}  // namespace emu
