// timeline/sharing.hpp: which units share a line while a cache keeps it; and the plain data of
// timeline/record.hpp and timeline/model.hpp.
#include "timeline/sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "timeline/model.hpp"
#include "timeline/recorder.hpp"

namespace emu {
namespace {

// The touches of each unit, sorted.
std::vector<std::vector<timeline_touch>> by_unit(const std::vector<timeline_touch>& touches) {
    std::vector<std::vector<timeline_touch>> lists;
    for (const timeline_touch& t : touches) {
        lists.resize(std::max<size_t>(lists.size(), t.unit + 1));
        lists[t.unit].push_back(t);
    }
    std::ranges::for_each(lists, sort_touches);
    return lists;
}

TEST(timeline_sharing, while_l2_keeps_a_line) {
    // L2 of four lines; unit 0 asks for lines 0 to 7 and unit 1 for 7 to 0. In turns 4 and 5 they
    // come to lines that the other one has used fewer than four lines ago: 4 and 3, 5 and 2. Line 6
    // is asked for again in turn 6, four lines behind turn 1's, and so are the other ones.
    std::vector<timeline_touch> touches;
    for (uint32_t t = 0; t < 8; ++t) {
        touches.push_back({t, t, 0});
        touches.push_back({7 - t, t, 1});
    }
    const auto share = [&](uint64_t l2, uint64_t mall) {
        timeline_sharing sharing(l2, mall);
        sharing.run(by_unit(touches), [](uint64_t) { return 3u; });
        std::vector<std::pair<uint32_t, uint32_t>> of_unit_0;
        for (uint32_t t = 0; t < 8; ++t) {
            of_unit_0.emplace_back(sharing.at(t, t).units, sharing.at(t, t).fills);
        }
        return of_unit_0;
    };
    using list = std::vector<std::pair<uint32_t, uint32_t>>;
    // Three dies; the L2 of this one asks for lines 0, 1, 6 and 7 twice.
    EXPECT_EQ(share(4, 100),
              (list{{1, 6}, {1, 6}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {1, 6}, {1, 6}}));
    // With room for all of them one loads what both use.
    EXPECT_EQ(share(8, 100), list(8, {2, 3}));
    // A MALL with room for one line of each die's part: what comes again comes from HBM again. A
    // line takes a third of a place, so it stays while three others come in: not so long.
    EXPECT_EQ(share(4, 1), (list{{1, 3}, {1, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {1, 3}, {1, 3}}));
}

TEST(timeline_sharing, of_a_big_block_that_all_units_read) {
    // Each unit of a die reads the same 1024 lines from a place of its own on, 128 lines apart: when
    // the next one comes to a line, 1019 to 1023 lines have come in since. An L2 of 1024 lines keeps
    // them all, one of half of that none.
    constexpr uint32_t units = 8;
    constexpr uint32_t lines = 1024;
    std::vector<timeline_touch> touches;
    for (uint32_t t = 0; t < lines; ++t) {
        for (uint32_t u = 0; u < units; ++u) {
            touches.push_back({(t + u * (lines / units)) % lines, t, u});
        }
    }
    for (const uint64_t room : {lines, lines / 2}) {
        timeline_sharing sharing(room, 1 << 20);
        sharing.run(by_unit(touches), [](uint64_t) { return 8u; });
        const timeline_share s = sharing.at(lines / 2, lines / 2);
        EXPECT_EQ(s.units, room == lines ? units : 1);
        EXPECT_EQ(s.fills, room == lines ? 8u : 8u * units);
    }
}

TEST(timeline_sharing, touches_are_sorted_by_time_unit_and_line) {
    // Times one after the other, as recorded, and far apart.
    using touch = std::array<uint64_t, 3>;
    const touch sorted[] = {{0, 0, 5}, {0, 0, 9}, {0, 1, 2}, {0, 2, 0}, {1, 0, 7}, {1, 3, 7},
                            {2, 0, 0}, {2, 0, 1}, {2, 1, 0}, {3, 2, 8}, {3, 2, 9}, {5, 0, 4}};
    for (const uint32_t step : {1u, 1000u}) {
        // The n-th of them in another order each time: 5 and 7 have no factor in common with 12.
        for (const size_t stride : {1u, 5u, 7u, 11u}) {
            std::vector<timeline_touch> touches;
            for (size_t n = 0; n < std::size(sorted); ++n) {
                const auto& [time, unit, line] = sorted[(n * stride + stride) % std::size(sorted)];
                touches.push_back(
                    {line, static_cast<uint32_t>(time) * step, static_cast<uint32_t>(unit)});
            }
            sort_touches(touches);
            ASSERT_EQ(touches.size(), std::size(sorted));
            for (size_t n = 0; n < std::size(sorted); ++n) {
                const touch found = {touches[n].time / step, touches[n].unit, touches[n].line};
                EXPECT_EQ(found, sorted[n]) << n << ", stride " << stride;
            }
        }
    }
    std::vector<timeline_touch> none;
    sort_touches(none);
    EXPECT_TRUE(none.empty());
}

TEST(timeline_sharing, units_take_turns) {
    // Four units that ask for 3, 0, 5 and 4 lines, of few, in an L2 of three lines.
    const std::vector<std::vector<timeline_touch>> lists = {
        {{1, 0, 3}, {2, 1, 3}, {1, 4, 3}},
        {},
        {{1, 0, 0}, {70, 1, 0}, {2, 2, 0}, {3, 3, 0}, {1, 5, 0}},
        {{70, 1, 2}, {1, 2, 2}, {4, 2, 2}, {70, 6, 2}}};
    timeline_sharing sharing(3, 4);
    sharing.run(lists, [](uint64_t line) { return line == 70 ? 1u : 2u; });
    const auto share = [&](uint64_t line, uint32_t time) {
        return std::pair(sharing.at(line, time).units, sharing.at(line, time).fills);
    };
    using pair = std::pair<uint32_t, uint32_t>;
    // Line 1 comes in at time 0 for units 0 and 3; two lines later unit 2 finds it there, and two
    // lines after that unit 3. Line 70, of this die only, comes for units 0 and 2 and, three lines
    // later, once more for unit 2; the MALL has kept it.
    EXPECT_EQ(share(1, 0), pair(3, 2));
    EXPECT_EQ(share(1, 2), pair(3, 2));
    EXPECT_EQ(share(2, 1), pair(2, 2));
    EXPECT_EQ(share(1, 4), pair(3, 2));
    EXPECT_EQ(share(70, 1), pair(2, 2));
    EXPECT_EQ(share(70, 6), pair(1, 2));
    EXPECT_EQ(share(4, 2), pair(1, 2));
    EXPECT_EQ(share(3, 3), pair(1, 2));
}

TEST(timeline_sharing, lines_that_nobody_has_asked_for) {
    timeline_sharing sharing(4, 4);
    sharing.run({{{64, 3, 0}}, {{64, 3, 1}}}, [](uint64_t) { return 5u; });
    const auto share = [&](uint64_t line, uint32_t time) {
        return std::pair(sharing.at(line, time).units, sharing.at(line, time).fills);
    };
    EXPECT_EQ(share(64, 3), std::pair(2u, 5u));
    EXPECT_EQ(share(64, 9), std::pair(2u, 5u));
    EXPECT_EQ(share(64, 0), std::pair(2u, 5u)) << "before it came";
    EXPECT_EQ(share(65, 3), std::pair(1u, 1u)) << "its neighbour";
    EXPECT_EQ(share(0, 3), std::pair(1u, 1u));
}

TEST(timeline_sharing, lines_far_apart) {
    // Eight sets of lines that a table of 8192 sets has at one place, and each again later.
    timeline_sharing sharing(1 << 20, 1 << 20);
    std::vector<timeline_touch> touches;
    for (uint32_t t = 0; t < 16; ++t) {
        touches.push_back({uint64_t{t % 8} * timeline_line_set << 20, t, t / 8});
    }
    sharing.run(by_unit(touches), [](uint64_t) { return 1u; });
    for (uint64_t n = 0; n < 8; ++n) {
        EXPECT_EQ(sharing.at(n * timeline_line_set << 20, 0).units, 2u) << n;
    }
}

// ---- plain data ----

// Tests make records and results by hand: what they do not say is nothing.
TEST(timeline_records, what_is_not_said_is_nothing) {
    using numbers = std::vector<uint64_t>;
    const auto expect_nothing = [](const numbers& all) {
        EXPECT_EQ(all, numbers(all.size())) << "other than 0";
    };
    const timeline_instruction i;
    expect_nothing({i.passes, i.priority, i.sleep, i.has_access, i.counts_vm, i.counts_lgkm,
                    i.writes, i.lds_writes, i.lds_inferred, i.lds_lane_bytes, i.address, i.flops,
                    i.waits.valu_overwrites_c});
    EXPECT_EQ(i.unit, timeline_unit::none);
    EXPECT_EQ(i.control, timeline_control::none);
    EXPECT_EQ(i.rate, timeline_rate::ordinary);
    EXPECT_EQ(i.matrix, timeline_matrix::other);
    EXPECT_EQ(i.turns, 1);
    EXPECT_EQ(i.vmcnt, max_vmcnt);
    EXPECT_EQ(i.lgkmcnt, max_lgkmcnt);
    EXPECT_EQ(i.bytes, 4u);
    const timeline_policy policy;
    EXPECT_TRUE(policy.in_l1 && policy.in_l2 && policy.stays_in_l2 && policy.stays_in_mall);
    const timeline_operand o;
    expect_nothing({o.first, o.count, o.is_write});
    EXPECT_EQ(o.use, matrix_use::other);
    const timeline_access a;
    expect_nothing({a.lines, a.lds_bytes, a.lds_addresses, a.lds_phases, a.lds_conflicts, a.bytes});
    const timeline_touch touch;
    const timeline_line line;
    expect_nothing({touch.line, touch.time, touch.unit, line.number, line.bytes});
    EXPECT_EQ(line.share.units, 1u);
    EXPECT_EQ(line.share.fills, 1u);
    const timeline_group group;
    const timeline_record record;
    expect_nothing({group.number, record.resident, record.is_warm_l2, record.is_warm_mall});
    EXPECT_EQ(record.l2_hash, 1u);
    EXPECT_EQ(record.work_of_launch, 0);
    EXPECT_EQ(record.length_of_launch, 0);
    const timeline_slice slice;
    const timeline_wave_result wave;
    const timeline_interval interval;
    const timeline_flight flight;
    const timeline_cost cost;
    expect_nothing({slice.start,        slice.end,
                    slice.is_stall,     slice.instruction,
                    slice.count,        wave.group,
                    wave.wave,          wave.simd,
                    wave.start,         wave.end,
                    interval.start,     interval.end,
                    flight.clock,       static_cast<uint64_t>(flight.bytes),
                    cost.executed,      cost.issue,
                    cost.lds_conflicts, cost.l2_lines,
                    cost.l2_fullest,    cost.all()});
    EXPECT_EQ(slice.unit, timeline_unit::none);
    EXPECT_EQ(slice.cause, timeline_cause::issue);
    const timeline_result r;
    expect_nothing({r.clocks, r.lds_clocks, r.l1_clocks, r.l2_channel_clocks, r.l2_bytes,
                    r.mall_bytes, r.hbm_read_bytes, r.hbm_written_bytes, r.hbm_bytes(),
                    r.wave_clocks(), r.matrix_clocks[0], r.valu_clocks[3]});
    // One unit of one die with the launch's only group, of which nothing else is wanted.
    const timeline_placement place;
    EXPECT_EQ((numbers{place.units, place.dies, place.groups, place.launch_groups}), numbers(4, 1));
    EXPECT_EQ(place.resident, ~uint64_t{0});
    expect_nothing({place.weighs, place.is_warm, place.has_both_hashes});
}

}  // namespace
}  // namespace emu
