// timeline/report.hpp and timeline.hpp: what is said about launches whose time is known by hand.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "machine/text.hpp"
#include "timeline/timeline.hpp"
#include "timeline_machine.hpp"
#include "timeline_svg/picture.hpp"

namespace emu {
namespace {

namespace json = llvm::json;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(timeline_groups, of_the_first_unit) {
    EXPECT_THAT(groups_of_first_unit(1000, 3, 304), ElementsAre(0, 304, 608));
    EXPECT_THAT(groups_of_first_unit(1000, 8, 304), ElementsAre(0, 304, 608, 912));
    EXPECT_THAT(groups_of_first_unit(912, 8, 304), ElementsAre(0, 304, 608));
    EXPECT_THAT(groups_of_first_unit(5, 8, 304), ElementsAre(0));
}

TEST(timeline_groups, of_the_first_round) {
    EXPECT_EQ(groups_of_first_round(10'000, {0, 304, 608}, 304), 3u * 304);
    EXPECT_EQ(groups_of_first_round(700, {0, 304, 608}, 304), 700u);
    EXPECT_EQ(groups_of_first_round(10'000, {5, 2000}, 304), 2001u);
}

TEST(timeline_groups, as_many_as_a_unit_has_room_for) {
    const auto start = [](const char* groups) {
        launch_settings settings;
        settings.timeline_file = testing::TempDir() + "opus_emu_groups.json";
        settings.timeline_groups = groups;
        timeline_launch launch;
        launch.parameters = recorded_machine(gfx_target::gfx942, 0).p;
        launch.groups = 100;
        launch.units = launch.parameters.compute_units;
        const launch_timeline timeline(settings, launch, 8);
        std::exit(0);
    };
    EXPECT_EXIT(start("0-3,50,96-98"), testing::ExitedWithCode(0), "^$");
    EXPECT_EXIT(start("0-8"), testing::ExitedWithCode(failure_status),
                "OPUS_EMU_TIMELINE_GROUPS=0-8: a compute unit has room for 8 groups");
    EXPECT_EXIT(start("0-3,100"), testing::ExitedWithCode(failure_status),
                "the launch has 100 groups, from 0");
}

TEST(timeline_files, are_numbered) {
    EXPECT_EQ(numbered_file("a/b.c/t.json", 1), "a/b.c/t.json");
    EXPECT_EQ(numbered_file("a/b.c/t.json", 2), "a/b.c/t.2.json");
    EXPECT_EQ(numbered_file("a/b.c/t", 3), "a/b.c/t.3");
    EXPECT_EQ(numbered_file(".t", 12), ".t.12");
    EXPECT_EQ(numbered_file("a/.t", 2), "a/.t.2");
    EXPECT_EQ(numbered_file("t.json", 2), "t.2.json");
    EXPECT_EQ(numbered_file("/t.json", 2), "/t.2.json");
}

// Groups of four waves, each a chain of matrix instructions of 8 passes, and 8 turns in which the
// last one of them leaves the pipe.
class matrix_launch : public testing::Test {
protected:
    static constexpr uint64_t count = 50;
    matrix_launch() {
        record = m.record(
            repeated("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", count) + "s_nop 7");
        record.groups[0].waves.resize(4, record.groups[0].waves[0]);
        record.groups.push_back(record.groups[0]);
        record.groups[1].number = 304;
        launch.kernel = "_Z4gemmIiEvv";
        launch.arch = "gfx942";
        launch.entry = machine::base;
        launch.parameters = m.p;
        launch.parameters.matrix_rate_percent = 10'000;  // the clock stays at the highest one
        launch.units = m.p.compute_units;
    }
    // Of so many groups on a unit: the pipes are never idle; s_nop and s_endpgm are behind the last
    // one, on SIMD 3.
    uint64_t clocks(uint64_t groups) const {
        return (groups * count - 1) * pass_clocks + 10 * m.p.issue_clocks + 3;
    }
    timeline_figures figures(uint64_t groups) {
        launch.groups = groups;
        run = run_timeline(record, launch);
        return make_figures(record, run, m.code());
    }
    std::string report(const timeline_figures& f) { return make_report(f, record, run).text; }

    recorded_machine m{gfx_target::gfx942, 1024};
    uint64_t pass_clocks = 8 * m.p.mfma_pass_clocks;
    timeline_record record;
    timeline_launch launch;
    timeline_run run;  // of figures()
};

TEST_F(matrix_launch, rounds) {
    const uint64_t units = m.p.compute_units;
    const timeline_figures three = figures(3 * 2 * units);
    EXPECT_EQ(three.resident, 2u);
    EXPECT_EQ(three.clocks, clocks(2));
    EXPECT_EQ(three.rounds, 3u);
    EXPECT_EQ(three.launch_clocks, 3 * clocks(2));
    // One group on some of the units at the end; then two, which take a whole round.
    const timeline_figures tail = figures(3 * 2 * units + units);
    EXPECT_EQ(tail.rounds, 3u);
    EXPECT_EQ(tail.tail_clocks, clocks(1));
    EXPECT_EQ(tail.launch_clocks, 3 * clocks(2) + clocks(1));
    const timeline_figures four = figures(3 * 2 * units + units + 1);
    EXPECT_EQ(four.rounds, 4u);
    EXPECT_EQ(four.launch_clocks, 4 * clocks(2));
    const timeline_figures one = figures(1);
    EXPECT_EQ(one.rounds, 0u);
    EXPECT_EQ(one.units, 1u);
    EXPECT_EQ(one.launch_clocks, clocks(1));
    EXPECT_EQ(one.period, 0u) << "none takes the place of another";
    EXPECT_EQ(three.period, 0u);
    EXPECT_EQ(three.units, units);
    launch.units = 1;
    const timeline_figures on_one_unit = figures(7);
    EXPECT_EQ(on_one_unit.rounds, 3u);
    EXPECT_EQ(on_one_unit.launch_clocks, 3 * clocks(2) + clocks(1));
    record.groups.pop_back();
    EXPECT_EQ(figures(3).rounds, 3u);
    EXPECT_EQ(figures(3).launch_clocks, 3 * clocks(1));
}

TEST_F(matrix_launch, groups_that_follow_each_other) {
    // One group at a time, of which two have been modelled: three more come as the second has.
    record.resident = 1;
    const uint64_t units = m.p.compute_units;
    const timeline_figures five = figures(4 * units + 1);
    EXPECT_EQ(five.modelled, 2u);
    EXPECT_EQ(five.resident, 1u);
    EXPECT_EQ(five.clocks, 2 * clocks(1));
    EXPECT_EQ(five.period, clocks(1));
    EXPECT_EQ(five.of_a_unit, 5u);
    EXPECT_EQ(five.launch_clocks, 5 * clocks(1));
    EXPECT_EQ(five.group_clocks, clocks(1)) << "of each of the two, from its own start on";
    EXPECT_DOUBLE_EQ(five.flops,
                     2.0 * 32 * 32 * 8 * count * 4 * static_cast<double>(4 * units + 1));
    EXPECT_THAT(report(five), HasSubstr("2 of 1217, of 4 waves each, on one compute unit\n"));
    EXPECT_THAT(report(five),
                HasSubstr(" clocks: 5 groups, 1 at a time, on each of 304 compute units\n"));
    EXPECT_EQ(figures(2 * units).launch_clocks, 2 * clocks(1));
}

TEST_F(matrix_launch, two_at_a_time_that_follow_each_other) {
    // Of 11 turns each, on two SIMDs; six more of a unit come two by two.
    record = m.record(repeated("v_add_f32 v0, v0, v0", 10));
    record.groups.resize(4, record.groups[0]);
    for (size_t n = 0; n < 4; ++n) {
        record.groups[n].number = 304 * n;
    }
    record.resident = 2;
    const timeline_figures f = figures(10 * m.p.compute_units);
    const uint64_t of_one = 11 * m.p.issue_clocks;
    EXPECT_EQ(f.period, of_one);
    EXPECT_EQ(f.clocks, 2 * of_one + 1);
    EXPECT_EQ(f.launch_clocks, f.clocks + 6 * of_one / 2);
}

// Waves end before their stores have passed HBM, so ends of groups are as close as their issue.
TEST(timeline_launch, stores_take_their_time) {
    recorded_machine m(gfx_target::gfx942);
    std::vector<uint32_t> memory(64 * 4);
    add_range(reinterpret_cast<uintptr_t>(memory.data()), memory.size() * 4, true,
              memory_kind::device);
    for (uint32_t l = 0; l < 64; ++l) {
        m.w().vgpr[0][l] = 16 * l;
    }
    m.w().write_sgpr64(2, reinterpret_cast<uintptr_t>(memory.data()));
    timeline_record record = m.record("global_store_dwordx4 v0, v[4:7], s[2:3]");
    remove_range(reinterpret_cast<uintptr_t>(memory.data()));
    for (uint64_t n = 1; n < 4; ++n) {
        record.groups.push_back(record.groups[0]);
        record.groups[n].number = n * 304;
        for (timeline_line& line : record.groups[n].waves[0].lines) {
            line.number += n * 64;
        }
    }
    record.resident = 2;
    timeline_launch launch;
    launch.kernel = "_Z5storev";
    launch.arch = "gfx942";
    launch.entry = machine::base;
    launch.parameters = m.p;
    launch.units = m.p.compute_units;
    launch.groups = 100 * launch.units;
    const timeline_figures f = make_figures(record, run_timeline(record, launch), m.code());
    uint64_t lines = record.groups[0].waves[0].lines.size();
    const uint64_t of_two = hbm_share_clocks(m.p, 0, 4 * lines * m.p.line_bytes) -
                            hbm_share_clocks(m.p, 0, 2 * lines * m.p.line_bytes);
    EXPECT_EQ(f.period, of_two);
    EXPECT_EQ(f.launch_clocks, f.clocks + 96 * of_two / 2);
    EXPECT_LE(f.hbm_bytes / f.seconds, m.p.hbm_write_gb_per_second * 1e9);
}

TEST_F(matrix_launch, figures) {
    const uint64_t units = m.p.compute_units;
    const timeline_figures f = figures(2 * units);
    EXPECT_DOUBLE_EQ(f.seconds, static_cast<double>(clocks(2)) / (m.p.clock_mhz * 1e6));
    EXPECT_DOUBLE_EQ(f.flops, static_cast<double>(2 * 32 * 32 * 8 * count * 4 * 2 * units));
    EXPECT_DOUBLE_EQ(f.bytes, 0);
    const double share =
        static_cast<double>(2 * count * pass_clocks) / static_cast<double>(clocks(2));
    EXPECT_DOUBLE_EQ(f.matrix_share, share);
    EXPECT_DOUBLE_EQ(f.busy[static_cast<size_t>(timeline_bound::matrix)], share);
    EXPECT_STREQ(bound_of(f), "matrix");
    // Both groups start in the first turns; the one of the older waves ends first.
    EXPECT_LT(f.group_clocks, f.clocks);
    ASSERT_EQ(f.lines.size(), 10u);
    EXPECT_FALSE(f.has_source);
    EXPECT_THAT(f.lines[0].source, HasSubstr("v_mfma_f32_32x32x8_f16"));
    // What waves do not issue they wait for: for the result of the one before, then for the pipe.
    uint64_t stalls = 0;
    for (const auto cause :
         {timeline_cause::dependency, timeline_cause::matrix, timeline_cause::issue}) {
        EXPECT_GT(f.stalls[static_cast<size_t>(cause)], 0u) << name_of(cause).text;
        stalls += f.stalls[static_cast<size_t>(cause)];
    }
    EXPECT_EQ(stalls + 8 * (count + 9) * m.p.issue_clocks, f.wave_clocks);
    const std::string text_of_json = make_report(f, record, run).json;
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        EXPECT_THAT(text_of_json,
                    HasSubstr(std::string("\"") + name_of(static_cast<timeline_cause>(c)).id +
                              "\":" + std::to_string(f.stalls[c])));
    }
    const std::string text = report(f);
    EXPECT_THAT(text, HasSubstr("timeline of void gemm<int>() on gfx942: a model"));
    EXPECT_THAT(text, HasSubstr("2 of 608, of 4 waves each"));
    EXPECT_THAT(text, HasSubstr(std::to_string(clocks(2)) +
                                " clocks: 1 round of 2 on each of 304 compute units\n"));
    EXPECT_THAT(text, HasSubstr("bound                   matrix\n"));
}

// Each figure stands under its own name, in both forms; these all differ.
TEST_F(matrix_launch, every_figure_is_reported) {
    timeline_figures f = figures(1000);
    run.launch.parameters.clock_mhz = 1234;
    run.launch.parameters.matrix_rate_percent = 100;
    run.highest_mhz = 2100;
    run.highest_clocks = 54321;
    run.highest_seconds = 21e-6;
    run.held_seconds = 23e-6;
    f.modelled = 7;
    f.clocks = 1001;
    f.group_clocks = 1002;
    f.rounds = 3;
    f.units = 304;
    f.tail_clocks = 1003;
    f.of_a_unit = 4;
    f.period = 1004;
    f.launch_clocks = 1005;
    f.seconds = 25e-6;
    f.launch_seconds = 31e-6;
    f.flops = 25e-6 * 321e12;
    f.bytes = 25e-6 * 432e9;
    f.hbm_bytes = 25e-6 * 543e9;
    f.matrix_share = 0.125;
    f.wave_clocks = 200'000;
    f.lds_clocks = 4000;
    f.lds_conflicts = 1000;
    for (size_t n = 0; n < f.busy.size(); ++n) {
        f.busy[n] = 0.01 * static_cast<double>(n + 1);
    }
    uint64_t waits = 0;
    for (size_t n = 0; n < f.stalls.size(); ++n) {
        f.stalls[n] = 2000 + 200 * n;
        waits += f.stalls[n];
    }
    f.lines = {{.source = "a.hip:1", .clocks = 50'000},
               {.source = "b.hip:2", .clocks = 20'000},
               {.source = "h.hip:8", .clocks = 10'000}};
    f.lines[0].stalls[2] = 5000;
    f.lines[0].waits = {9000, 0, 0, 0, 4000, 1000};
    f.resting = 10'000;
    f.without = {{"x", "latency", 20e-6}, {"y", "L2", 24e-6}};
    run.launch.parameters.l2_bytes_per_clock = 70;
    run.result.l2_bytes = 15'000'000 / 500;  // of 2 of 1000 groups
    run.result.loads[1] = 400;
    run.result.hits[1] = 100;
    f.matrix_peak = 642e12;
    f.uncoalesced = {{.source = "u.hip:9", .asked_bytes = 2160, .moved_bytes = 10'800}};
    f.lines[1].stalls[3] = 1500;
    f.lines[1].stalls[4] = 18'000;
    f.lines[2].stalls[4] = 999;
    f.conflicts = {{.source = "c.hip:3", .lds_conflicts = 900, .lds_inferred = true},
                   {.source = "d.hip:4", .lds_conflicts = 100}};
    f.has_source = true;
    f.channel_uses = {{"e.hip:5", 3000, 2.5, 4096}, {"f.hip:6", 2000, 3.5, 0}};
    f.row_uses = {{"g.hip:7", 8000, 1, 8192}};
    const timeline_report both = make_report(f, record, run);
    auto parsed = json::parse(both.json);
    ASSERT_TRUE(static_cast<bool>(parsed));
    const json::Object& object = *parsed->getAsObject();
    const std::pair<const char*, double> numbers[] = {{"launch_groups", 1000},
                                                      {"clocks", 1001},
                                                      {"group_clocks", 1002},
                                                      {"rounds", 3},
                                                      {"units", 304},
                                                      {"tail_clocks", 1003},
                                                      {"groups_of_a_unit", 4},
                                                      {"period", 1004},
                                                      {"launch_clocks", 1005},
                                                      {"clock_mhz", 1234},
                                                      {"seconds", 25e-6},
                                                      {"highest_mhz", 2100},
                                                      {"highest_clocks", 54321},
                                                      {"highest_seconds", 21e-6},
                                                      {"launch_seconds", 31e-6},
                                                      {"tflops", 321},
                                                      {"asked_gb_per_second", 432},
                                                      {"hbm_gb_per_second", 543},
                                                      {"matrix_share", 0.125},
                                                      {"wave_clocks", 200'000},
                                                      {"lds_conflicts", 1000}};
    for (const auto& [key, number] : numbers) {
        EXPECT_NEAR(object.getNumber(key).value_or(-1), number, number * 1e-12) << key;
    }
    EXPECT_EQ(object.getBoolean("held"), true);
    EXPECT_EQ(object.getBoolean("limits_operations"), false);
    EXPECT_EQ(object.getString("bound"), "latency");
    const json::Array& groups = *object.getArray("groups");
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].getAsInteger(), 0);
    EXPECT_EQ(groups[1].getAsInteger(), 304);
    const char* bounds[] = {"matrix", "VALU", "LDS", "L1", "L2", "MALL", "HBM"};
    ASSERT_EQ(std::size(bounds), f.busy.size());
    for (size_t n = 0; n < std::size(bounds); ++n) {
        EXPECT_EQ(object.getObject("busy")->getNumber(bounds[n]), f.busy[n]) << bounds[n];
    }
    for (size_t n = 0; n < f.stalls.size(); ++n) {
        EXPECT_EQ(
            object.getObject("stalls")->getInteger(name_of(static_cast<timeline_cause>(n)).id),
            static_cast<int64_t>(f.stalls[n]));
    }
    const json::Array& lines = *object.getArray("lines");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].getAsObject()->getString("source"), "a.hip:1");
    EXPECT_EQ(lines[0].getAsObject()->getInteger("clocks"), 50'000);
    EXPECT_EQ(lines[0].getAsObject()->getObject("stalls")->getInteger(
                  name_of(static_cast<timeline_cause>(2)).id),
              5000);

    const double issue = 100.0 * static_cast<double>(200'000 - waits) / 200'000;
    for (const std::string& line :
         {std::string("groups (modelled)       7 of 1000, of 4 waves each, on one compute unit\n"),
          std::string("clocks                  1001 for these together, 1002 for one on average\n"),
          std::string("launch                  1005 clocks: "),
          std::string("expected                25.000 us at 1.234 GHz; 31.000 us with the launch "
                      "itself\n"),
          std::string("54321 clocks, 21.000 us at 2.100 GHz, without; 28.750 us at 80 % of it\n"),
          std::string("throughput              321.0 TFLOP/s of matrix instructions, 432.0 GB/s "
                      "asked for, 543.0 GB/s of HBM\n"),
          std::string("at work                 12.5 % of the four matrix pipes; matrix 1.0 %, VALU "
                      "2.0 %, LDS 3.0 %, L1 4.0 %, L2 5.0 %, MALL 6.0 %, HBM 7.0 %\n"),
          std::string("bound                   latency\n"),
          format("clocks of waves         issue %.1f %%", issue),
          std::string("bank conflicts          1000 clocks of LDS, 25.0 % of those for which it is "
                      "at work (phases inferred):  c.hip:3, d.hip:4\n"),
          std::string("channels of L2          2.5 of "),
          std::string(", 5000 clocks more than if all were as full; rows are a multiple of 4096 "
                      "bytes apart:  e.hip:5, f.hip:6\n"),
          std::string("costliest lines\n"),
          // The cause of a tenth of a line's clocks or more.
          std::string("\n     25.0 %        50000  lgkmcnt 10 %: LDS         a.hip:1\n"),
          std::string("\n     10.0 %        20000  dependency 90 %           b.hip:2\n"),
          std::string("\n      5.0 %        10000                            h.hip:8\n"),
          std::string("; 5.0 % rest at a barrier while another wave has the matrix pipe"),
          std::string("without it              20.000 us without x, 24.000 us without y\n"),
          std::string("  L2                      600.0 of 691.0 GB/s, 25.0 % of the loads hit\n"),
          std::string(
              "uncoalesced             43.2 GB/s asked for, 216.0 GB/s moved in lines of 128 "
              "bytes:  u.hip:9\n"),
          std::string("roofline                591.2 FLOP a byte of HBM: at most 642.0 TFLOP/s at "
                      "this clock, by the matrix pipes; 50.0 % of it\n")}) {
        EXPECT_THAT(both.text, HasSubstr(line));
    }
    for (size_t n = 0; n < f.stalls.size(); ++n) {
        EXPECT_THAT(
            both.text,
            HasSubstr(format(", waits: %s %.1f %%", name_of(static_cast<timeline_cause>(n)).text,
                             100.0 * static_cast<double>(f.stalls[n]) / 200'000)));
    }
    // The same cause, which takes one line.
    EXPECT_THAT(both.text, testing::Not(HasSubstr("rows apart")));
    f.channel_uses.clear();
    EXPECT_THAT(report(f),
                HasSubstr("rows apart              a multiple of 8192 bytes: 8000 clocks "
                          "in one channel of L2 if no hash spreads them:  g.hip:7\n"));
    f.has_source = false;
    f.stalls[1] = 0;
    const std::string less = report(f);
    EXPECT_THAT(less, HasSubstr("costliest instructions\n"));
    EXPECT_THAT(less, testing::Not(HasSubstr(std::string("waits: ") +
                                             name_of(static_cast<timeline_cause>(1)).text + " ")));
}

TEST_F(matrix_launch, clock_under_load) {
    // Groups of 4 * 50 instructions at half the rate that pipes have that are never idle.
    const uint64_t units = m.p.compute_units;
    const double flops = 2.0 * 32 * 32 * 8 * count * 4 * 2 * static_cast<double>(units);
    const double at_highest = static_cast<double>(clocks(2)) / (m.p.clock_mhz * 1e6);
    launch.parameters.matrix_f16_tflops = static_cast<uint32_t>(flops / at_highest / 2e12);
    launch.parameters.matrix_rate_percent = 100;
    launch.parameters.launch_ns = 5000;
    const double least = flops / (launch.parameters.matrix_f16_tflops * 1e12);
    const timeline_figures f = figures(2 * units);
    EXPECT_GE(f.seconds, least);
    EXPECT_NEAR(f.seconds, least, least / 200);
    EXPECT_NEAR(run.launch.parameters.clock_mhz, m.p.clock_mhz * at_highest / least, 5);
    EXPECT_DOUBLE_EQ(f.launch_seconds, f.seconds + 5e-6);
    EXPECT_DOUBLE_EQ(run.highest_seconds, at_highest);
    EXPECT_THAT(report(f), HasSubstr("us with the launch itself\n"));
    EXPECT_THAT(report(f),
                HasSubstr("held by                 the sustained matrix rate (a range): " +
                          std::to_string(clocks(2)) + " clocks, "));
    EXPECT_THAT(report(f), HasSubstr(" us at 2.100 GHz, without; "));
    EXPECT_THAT(make_report(f, record, run).json, HasSubstr("\"limits_operations\":false"));
    launch.parameters.matrix_rate_is_limit = 1;
    const timeline_figures limited = figures(2 * units);
    EXPECT_THAT(report(limited),
                HasSubstr("held by                 the device's limit on operations: "));
    EXPECT_THAT(make_report(limited, record, run).json, HasSubstr("\"limits_operations\":true"));
    // What the report says is for that clock.
    EXPECT_THAT(report(f), HasSubstr(format("throughput              %.1f TFLOP/s",
                                            flops / f.seconds / 1e12)));
    // Half of the rates: twice the time.
    launch.parameters.matrix_rate_percent = 50;
    EXPECT_NEAR(figures(2 * units).seconds, 2 * least, least / 100);
    launch.parameters.matrix_rate_percent = 100;
    // A quarter of the units does a quarter of the work: below the rate, at the highest clock.
    const timeline_figures few = figures(2 * units / 4);
    EXPECT_FALSE(run.is_held());
    EXPECT_EQ(run.launch.parameters.clock_mhz, m.p.clock_mhz);
    EXPECT_DOUBLE_EQ(few.seconds, run.highest_seconds);
    EXPECT_THAT(report(few), testing::Not(HasSubstr("held by")));
    // Another kind of instruction has another rate.
    launch.parameters.matrix_bf16_tflops = 1;
    launch.parameters.matrix_8bit_tflops = 1;
    launch.parameters.matrix_4bit_tflops = 1;
    EXPECT_DOUBLE_EQ(figures(2 * units).seconds, f.seconds);
}

TEST_F(matrix_launch, rates_by_what_is_multiplied) {
    // 1, 2, 4 and 5 TFLOP/s of these; of the rest no rate is known.
    timeline_parameters& p = launch.parameters;
    p.matrix_rate_percent = 100;
    p.matrix_f16_tflops = 1;
    p.matrix_bf16_tflops = 2;
    p.matrix_8bit_tflops = 4;
    p.matrix_4bit_tflops = 5;
    ASSERT_EQ(record.instructions[0].matrix, timeline_matrix::f16);
    record.groups.resize(1);
    const double work = 2.0 * 32 * 32 * 8 * count * 4 * m.p.compute_units;
    const auto held = [&](timeline_matrix kind) {
        for (timeline_instruction& i : record.instructions) {
            i.matrix = i.unit == timeline_unit::mfma ? kind : timeline_matrix::other;
        }
        figures(m.p.compute_units);
        return run.held_seconds;
    };
    EXPECT_NEAR(held(timeline_matrix::f16) / (work / 1e12), 1, 1e-12);
    EXPECT_NEAR(held(timeline_matrix::bf16) / (work / 2e12), 1, 1e-12);
    EXPECT_NEAR(held(timeline_matrix::bits8) / (work / 4e12), 1, 1e-12);
    EXPECT_NEAR(held(timeline_matrix::bits4) / (work / 5e12), 1, 1e-12);
    EXPECT_EQ(held(timeline_matrix::other), 0);
    // No clock is lower than 1 MHz, where the rate is.
    p.matrix_rate_percent = 1;
    held(timeline_matrix::f16);
    EXPECT_EQ(run.launch.parameters.clock_mhz, 1);
    p.matrix_rate_percent = 100;
    // Several kinds take their times one after the other.
    timeline_record both =
        m.record(repeated("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                          "v_mfma_f32_32x32x8_bf16 a[16:31], v[0:1], v[2:3], a[16:31]",
                          count));
    record = std::move(both);
    figures(4 * m.p.compute_units);
    EXPECT_NEAR(run.held_seconds / (work / 1e12 + work / 2e12), 1, 1e-12);
}

TEST_F(matrix_launch, groups_of_different_work) {
    // Four times the work of both recorded groups, and two and a half times as long.
    record.work_of_launch = 4;
    record.length_of_launch = 2.5;
    record.weighed = 700;
    const timeline_figures f = figures(1000);
    EXPECT_TRUE(f.is_uneven);
    EXPECT_EQ(f.launch_clocks, static_cast<uint64_t>(2.5 * static_cast<double>(clocks(2))));
    EXPECT_DOUBLE_EQ(f.flops, 2.0 * 32 * 32 * 8 * count * 4 * 2 * 4);
    EXPECT_THAT(report(f),
                HasSubstr(" clocks: groups of different work, by instructions, 700 of 1000 "
                          "weighed, on each of 304 compute units\n"));
    EXPECT_THAT(make_report(f, record, run).json, HasSubstr("\"weighed_groups\":700"));
    EXPECT_THAT(report(figures(64)), HasSubstr(" on each of 64 of 304 compute units\n"));
    // Held by a rate, at the highest clock that is not too fast: where the work that there is takes
    // less long than pipes that are never idle would, that is a lower one than theirs.
    launch.parameters.matrix_rate_percent = 100;
    launch.parameters.matrix_f16_tflops = 1;
    record.work_of_launch = 1;
    for (const double length : {0.5, 1.0, 2.5}) {
        record.length_of_launch = length;
        const timeline_figures held = figures(1);
        const double least = 2.0 * 32 * 32 * 8 * count * 4 * 2 / 1e12;
        EXPECT_TRUE(held.is_uneven);
        EXPECT_DOUBLE_EQ(run.held_seconds, least);
        EXPECT_GE(held.seconds, least);
        EXPECT_NEAR(held.seconds, least, least / 100);
    }
}

TEST_F(matrix_launch, clock_under_load_where_memory_waits) {
    // Two lines from HBM take as many seconds at any clock.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    const std::string mfma = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]";
    constexpr int many = 1000;
    record =
        m.record("global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n" + repeated(mfma, many));
    launch.parameters.matrix_rate_percent = 90;
    launch.parameters.matrix_f16_tflops = 1;
    const timeline_figures f = figures(1);
    const double least = 2.0 * 32 * 32 * 8 * many / 0.9e12;
    ASSERT_LT(run.highest_seconds, least * 0.99);
    EXPECT_NEAR(f.seconds, least, least / 200);
    // What does not change with the clock takes fewer clocks: it is lower than by the ratio.
    const double wait = m.p.hbm_latency_ns * 1e-9;
    const double mhz = m.p.clock_mhz * (run.highest_seconds - wait) / (least - wait);
    const uint32_t found = run.launch.parameters.clock_mhz;
    EXPECT_LT(mhz, m.p.clock_mhz * run.highest_seconds / least - 1);
    EXPECT_NEAR(found, mhz, mhz / 200);
    // One fixed point, from wherever one starts, at which the rate is not exceeded.
    for (const uint32_t start : {found, 1900u, 2000u, 2100u, 2300u, 2400u}) {
        launch.parameters.clock_mhz = start;
        const timeline_figures same = figures(1);
        EXPECT_EQ(run.launch.parameters.clock_mhz, found) << start;
        EXPECT_EQ(same.launch_clocks, f.launch_clocks) << start;
        EXPECT_GE(same.seconds, least) << start;
    }
}

TEST_F(matrix_launch, range_of_what_has_no_source) {
    // Ten barriers of one wave, each of so many clocks to the next turn; and launches.
    record = m.record(repeated("s_barrier", 10));
    launch.parameters.launch_ns = 2000;
    const timeline_figures f = figures(1);
    const auto times = find_range(record, launch);
    // L2 has a range for each target.
    ASSERT_EQ(times.size() + 1, timeline_ranges().size());
    const auto seconds = [&](uint64_t clocks) {
        return static_cast<double>(clocks) / (m.p.clock_mhz * 1e6);
    };
    const auto with_barriers = [&](uint64_t clocks) {
        return seconds(10 * m.turn(clocks) + m.p.issue_clocks) + 2e-6;
    };
    for (const timeline_range_time& t : times) {
        SCOPED_TRACE(t.range->name);
        EXPECT_EQ(t.range->target.value_or(gfx_target::gfx942), gfx_target::gfx942);
        if (t.range->name == "clock_mhz") {
            EXPECT_EQ(t.low, m.p.clock_mhz * 57 / 100);
            EXPECT_DOUBLE_EQ(t.at_low, static_cast<double>(f.launch_clocks) / (t.low * 1e6) + 2e-6);
            EXPECT_DOUBLE_EQ(t.at_high, f.launch_seconds);
        } else if (t.range->name == "barrier_clocks") {
            EXPECT_DOUBLE_EQ(t.at_low, with_barriers(t.range->low));
            EXPECT_DOUBLE_EQ(t.at_high, with_barriers(t.range->high));
        } else if (t.range->name == "launch_ns") {
            EXPECT_DOUBLE_EQ(t.at_low, f.seconds + 1e-9 * t.range->low);
            EXPECT_DOUBLE_EQ(t.at_high, f.seconds + 1e-9 * t.range->high);
        } else {
            EXPECT_DOUBLE_EQ(t.at_low, f.launch_seconds);
            EXPECT_DOUBLE_EQ(t.at_high, f.launch_seconds);
        }
    }
    const std::string text = range_text(times, f);
    const double low = 1e6 * (f.seconds + 0.5e-6);
    const double high = 1e6 * (f.seconds + 4.5e-6);
    EXPECT_THAT(text, HasSubstr(std::to_string(low).substr(0, 5)));
    EXPECT_THAT(text, HasSubstr(" to " + std::to_string(high).substr(0, 4)));
    EXPECT_THAT(text, HasSubstr("    barrier_clocks            "));
    EXPECT_THAT(text, HasSubstr("    lds_write_latency_b128 "));
}

TEST_F(matrix_launch, says_what_has_room_and_how_many_units_work) {
    const auto text = [&](uint64_t groups) { return report(figures(groups)); };
    launch.limits = {.by_waves = 8, .by_registers = 2, .by_lds = 2};
    launch.registers = 256;
    launch.lds_bytes = 65536;
    EXPECT_THAT(text(64), HasSubstr("room on a unit          2: registers, LDS; 8 of 32 waves, 256 "
                                    "registers a lane, 65536 bytes of LDS a group\n"));
    EXPECT_THAT(text(64),
                HasSubstr(": less than a round of 2 on each of 64 of 304 compute units\n"));
    EXPECT_THAT(text(304 * 2 + 1),
                HasSubstr(": 1 round of 2 on each of 304 compute units and a last one of " +
                          std::to_string(clocks(1)) + " clocks\n"));
    launch.limits = {.by_waves = 8, .by_registers = 9, .by_lds = 10};
    EXPECT_THAT(text(64), HasSubstr("room on a unit          8: waves; 32 of 32 waves, "));
    record.groups.pop_back();
    EXPECT_THAT(text(64), HasSubstr(": 1 round of 1 on each of 64 of 304 compute units\n"));
}

TEST_F(matrix_launch, names_bank_conflicts) {
    // Eight lanes of one phase in one bank, three times.
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.set_exec(0xff);
    record = m.record(repeated("ds_write_b32 v0, v1", 3) + "ds_read_b32 v2, v1");
    const timeline_figures f = figures(1);
    EXPECT_EQ(f.lds_conflicts, 3u * 7);
    ASSERT_EQ(f.conflicts.size(), 3u);
    EXPECT_THAT(report(f),
                HasSubstr("bank conflicts          21 clocks of LDS, 84.0 % of those for which it "
                          "is at work (phases inferred):  +0x0  ds_write_b32 v0, v1, +0x10  "));
    record = m.record("ds_read_b32 v2, v1");
    EXPECT_THAT(report(figures(1)), testing::Not(HasSubstr("bank conflicts")));
}

TEST_F(matrix_launch, vector_instructions_take_their_power) {
    // As many clocks of the vector units as a half of those of the pipes, at 40 %.
    record = m.record(repeated("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n" +
                                   repeated("v_add_f32 v10, v11, v12", 4),
                               count));
    launch.parameters.matrix_rate_percent = 100;
    launch.parameters.matrix_f16_tflops = 1;
    launch.parameters.valu_power_percent = 40;
    const double alone = 2.0 * 32 * 32 * 8 * count / 1e12;
    figures(1);
    EXPECT_NEAR(run.held_seconds / alone, 1 + 0.5 * 0.4, 1e-9);
    launch.parameters.valu_power_percent = 0;
    figures(1);
    EXPECT_NEAR(run.held_seconds / alone, 1, 1e-9);
    // Not where operations are limited.
    launch.parameters.valu_power_percent = 40;
    launch.parameters.matrix_rate_is_limit = 1;
    figures(1);
    EXPECT_NEAR(run.held_seconds / alone, 1, 1e-9);
}

TEST_F(matrix_launch, the_last_unit_of_a_die_starts_last) {
    const uint64_t units = m.p.compute_units;
    const uint64_t before = figures(2 * units).launch_clocks;
    const uint64_t clocks_before = figures(2 * units).clocks;
    launch.parameters.dispatch_wave_clocks = 2;
    // Four waves of each of 38 groups of a die; the second group of a unit waits for all of them.
    const timeline_figures f = figures(2 * units);
    EXPECT_GE(f.clocks, clocks_before);
    EXPECT_EQ(f.launch_clocks - f.clocks, before - clocks_before + (units / 8 - 1) * 4 * 2);
    // Many groups end no faster than they start.
    record.resident = 1;
    launch.parameters.dispatch_wave_clocks = 1000;
    EXPECT_EQ(figures(100 * units).period, units / 8 * 4 * 1000);
}

TEST_F(matrix_launch, levels_of_memory) {
    // Two lines from HBM, then from L1.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    const std::string load = "global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    record = m.record(load + load + "ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n");
    const timeline_figures f = figures(1);
    const auto at = [](timeline_level level) { return static_cast<size_t>(level); };
    EXPECT_THAT(run.result.loads, ElementsAre(4, 2, 2, 0, 0, 0));
    EXPECT_THAT(run.result.hits, ElementsAre(2, 0, 0, 0, 0, 0));
    const auto line = [&](const char* name, double bytes, double most, const char* hits) {
        return format("\n  %-24s%.1f of %.1f GB/s%s\n", name, bytes / f.seconds / 1e9, most, hits);
    };
    const double ghz = m.p.clock_mhz / 1e3;
    const std::string text = report(f);
    EXPECT_THAT(text, HasSubstr(line("L1", 512, ghz * 304 * 64, ", 50.0 % of the loads hit")));
    EXPECT_THAT(text, HasSubstr(line("L2", 256, ghz * 8 * m.p.l2_bytes_per_clock,
                                     ", 0.0 % of the loads hit")));
    EXPECT_THAT(text, HasSubstr(line("HBM", 256, m.p.hbm_read_gb_per_second, "")));
    EXPECT_THAT(text, HasSubstr(line("LDS", 256, ghz * 304 * 128, "")));
    const auto waits = [&](size_t n) { return run.result.costs.at(n).waits; };
    EXPECT_GT(waits(1)[at(timeline_level::hbm)], 500u);
    EXPECT_EQ(waits(1)[at(timeline_level::l1)], 0u);
    EXPECT_EQ(waits(3)[at(timeline_level::hbm)], 0u);
    EXPECT_GT(waits(3)[at(timeline_level::l1)], 100u);
    EXPECT_GT(waits(5)[at(timeline_level::lds)], 40u);
    EXPECT_THAT(report(f), HasSubstr("vmcnt 100 %: HBM          +0x8  s_waitcnt vmcnt(0)"));
    EXPECT_THAT(report(f), HasSubstr(" %: LDS         +0x20  s_waitcnt lgkmcnt(0)"));
    // Of lines that are on their way the wait is for where they come from.
    record = m.record(
        "global_load_dword v1, v0, s[2:3]\n global_load_dword v2, v0, s[2:3]\n"
        "s_waitcnt vmcnt(0)\n");
    figures(1);
    EXPECT_GT(waits(2)[at(timeline_level::hbm)], 500u);
    EXPECT_EQ(waits(2)[at(timeline_level::l1)], 0u);
}

TEST_F(matrix_launch, names_what_moves_more_than_four_times_what_it_asks_for) {
    device_bytes memory(64 * 256);
    m.set_s64(2, memory.address());
    const std::string load = "global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n";
    m.fill(0, [](uint32_t l) { return 256 * l; });
    record = m.record(load);
    const timeline_figures f = figures(1);
    ASSERT_EQ(f.uncoalesced.size(), 1u);
    EXPECT_EQ(f.uncoalesced[0].asked_bytes, 64u * 4);
    EXPECT_EQ(f.uncoalesced[0].moved_bytes, 64u * 128);
    const double asked = 256 / f.seconds / 1e9;
    EXPECT_THAT(report(f),
                HasSubstr(format("uncoalesced             %.1f GB/s asked for, %.1f GB/s "
                                 "moved in lines of 128 bytes:  +0x0  global_load",
                                 asked, 32 * asked)));
    // Four times is not more than four times; what L1 has does not move.
    m.fill(0, [](uint32_t l) { return 16 * l; });
    record = m.record(load);
    EXPECT_TRUE(figures(1).uncoalesced.empty());
    m.fill(0, [](uint32_t l) { return 128 * (l % 2) + l; });
    record = m.record(load);
    EXPECT_TRUE(figures(1).uncoalesced.empty());
}

TEST_F(matrix_launch, measured_parameters_are_named) {
    const timeline_figures f = figures(1);
    EXPECT_THAT(report(f), Not(HasSubstr("  parameters  ")));
    EXPECT_THAT(make_report(f, record, run).json, HasSubstr("\"measured\":\"\""));
    launch.measured = "2 measured, of mine.json: l1_latency, clock_mhz";
    const timeline_figures again = figures(1);
    EXPECT_THAT(report(again), HasSubstr(" a model of time, not a measurement\n"
                                         "  parameters              2 measured, of mine.json: "
                                         "l1_latency, clock_mhz\n"));
    EXPECT_THAT(make_report(again, record, run).json,
                HasSubstr("\"measured\":\"" + launch.measured + "\""));
}

TEST_F(matrix_launch, waves_that_rest_cost_nothing) {
    // Wave 0 waits at the barrier for wave 4, of the same SIMD, whose matrix instructions take 128
    // clocks; where the SIMD has no other wave it is a wait.
    const std::string work = repeated("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 4);
    timeline_record resting = m.record("s_barrier\n s_nop 0");
    resting.groups[0].waves.resize(4, resting.groups[0].waves[0]);
    timeline_record other = m.record(work + "s_barrier\n s_nop 0");
    const auto first = static_cast<uint32_t>(resting.instructions.size());
    resting.instructions.insert(resting.instructions.end(), other.instructions.begin(),
                                other.instructions.end());
    for (uint32_t& index : other.groups[0].waves[0].instructions) {
        index += first;
    }
    resting.groups[0].waves.push_back(other.groups[0].waves[0]);
    record = resting;
    const timeline_figures f = figures(1);
    const uint64_t barrier = f.stalls[static_cast<size_t>(timeline_cause::barrier)];
    const uint64_t of_wave_0 = 3 * pass_clocks;  // until the last one is issued, and its barrier
    EXPECT_GE(f.resting, of_wave_0);
    EXPECT_LE(f.resting, 4 * pass_clocks);
    EXPECT_GT(barrier, 3 * f.resting) << "waves 1 to 3 have no other wave on their SIMDs";
    uint64_t of_lines = 0;
    for (const timeline_line_cost& line : f.lines) {
        of_lines += line.clocks;
    }
    EXPECT_EQ(of_lines, f.wave_clocks - f.resting);
    EXPECT_THAT(report(f),
                HasSubstr(" % rest at a barrier while another wave has the matrix pipe"));
    // What a wave has left in the pipe itself is no other wave's.
    record = m.record("s_nop 15\n s_nop 15\n" + work + "s_barrier\n s_nop 0");
    record.groups[0].waves.push_back(record.groups[0].waves[0]);
    std::erase_if(record.groups[0].waves[0].instructions, [](uint32_t n) { return n < 2; });
    EXPECT_GT(figures(1).stalls[static_cast<size_t>(timeline_cause::barrier)], 100u);
    EXPECT_EQ(figures(1).resting, 0u);
}

TEST_F(matrix_launch, without_each_limit) {
    const auto without = [&](const timeline_figures& f) {
        std::map<std::string, double> times;
        for (const timeline_without& w : find_without(record, launch, f)) {
            times[w.what] = w.seconds;
        }
        EXPECT_EQ(record.lds, timeline_lds::whole);
        return times;
    };
    timeline_figures f = figures(304);
    auto times = without(f);
    ASSERT_TRUE(times.contains("the matrix pipes"));
    EXPECT_LT(times["the matrix pipes"], f.seconds / 2);
    f.without = find_without(record, launch, f);
    EXPECT_STREQ(bound_of(f), "matrix");
    // Only what a quarter of the time or more depends on is tried.
    f.busy[static_cast<size_t>(timeline_bound::matrix)] = 0.25;
    EXPECT_TRUE(without(f).contains("the matrix pipes"));
    f.busy[static_cast<size_t>(timeline_bound::matrix)] = 0.249;
    EXPECT_FALSE(without(f).contains("the matrix pipes"));
    // A load that everything waits for: nothing is at work, and its latency is all that counts.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    record = m.record("global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n s_nop 0");
    f = figures(1);
    times = without(f);
    EXPECT_EQ(times.size(), 1u);
    EXPECT_LT(times["the latency of memory"], f.seconds / 10);
    f.without = find_without(record, launch, f);
    EXPECT_STREQ(bound_of(f), "latency");
    // Vector instructions of two waves of each SIMD, which could issue in one turn.
    record = m.record(repeated("v_add_f32 v10, v11, v12", 100));
    record.groups[0].waves.resize(8, record.groups[0].waves[0]);
    f = figures(1);
    times = without(f);
    EXPECT_NEAR(times["the VALU"] / f.seconds, 0.5, 0.02);
    // Eight lanes in one bank; and without the rate of LDS as well.
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.set_exec(0xff);
    record = m.record(repeated("ds_write_b32 v0, v1", 100));
    f = figures(1);
    times = without(f);
    ASSERT_TRUE(times.contains("bank conflicts"));
    EXPECT_LT(times["bank conflicts"], f.seconds * 0.6);
    EXPECT_LE(times["the rate of LDS"], times["bank conflicts"]);
    // Nothing gains.
    record = m.record("s_sleep 10");
    EXPECT_TRUE(without(figures(1)).empty());
    EXPECT_THAT(report(figures(1)), HasSubstr("nothing gains 1 % without one limit"));
}

TEST_F(matrix_launch, names_what_falls_on_few_channels) {
    // Rows of 256 bytes, 2 KiB apart: with their neighbours' 64 rows each they are on two of the 16
    // channels, and so take 2 * 38 * 64 / 2 clocks of 128 bytes in place of a sixteenth.
    device_bytes memory(1 << 20);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 2048 * (l / 4) + 64 * (l % 4); });
    m.p.l2_hash = launch.parameters.l2_hash = 0;
    m.p.l2_bytes_per_clock = launch.parameters.l2_bytes_per_clock = 2048;
    record = m.record("global_load_dword v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n");
    timeline_channels& channels = record.groups[0].waves[0].channels.at(0);
    for (uint16_t& lines : channels) {
        EXPECT_TRUE(lines == 0 || lines == 16) << lines;
        lines = static_cast<uint16_t>(38 * lines);
    }
    const timeline_figures f = figures(1);
    ASSERT_EQ(f.channel_uses.size(), 1u);
    EXPECT_DOUBLE_EQ(f.channel_uses[0].channels, 2);
    EXPECT_EQ(f.channel_uses[0].clocks, 38u * 16 - 2 * 38 * 16 / 16);
    EXPECT_EQ(f.channel_uses[0].row_bytes, 2048u);
    EXPECT_THAT(report(f),
                HasSubstr("channels of L2          2.0 of 16, 532 clocks more than if all were as "
                          "full; rows are a multiple of 2048 bytes apart:  +0x0  global_load"));
    // Half of the channels and more have no line in the report.
    channels.fill(7);
    EXPECT_TRUE(figures(1).channel_uses.empty());
}

TEST_F(matrix_launch, names_rows_that_a_hash_spreads) {  // where none fall on few channels
    // 64 rows 4 KiB apart, 20 times: on all channels with the hash, on one without.
    device_bytes memory(20 * 64 * 4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4096 * l; });
    const std::string source =
        repeated("global_load_dword v1, v0, s[2:3]\n v_add_u32 v0, 0x40000, v0", 20) +
        "s_waitcnt 0\n";
    timeline_placement placement;
    placement.has_both_hashes = true;
    record = m.record(source, placement);
    for (timeline_wave& wave : record.groups[0].waves) {
        for (auto* all : {&wave.channels, &wave.other_channels}) {
            ASSERT_EQ(all->size(), 20u);
            for (timeline_channels& channels : *all) {
                for (uint16_t& lines : channels) {
                    lines = static_cast<uint16_t>(38 * lines);
                }
            }
        }
    }
    const timeline_wave& wave = record.groups[0].waves[0];
    EXPECT_EQ(std::ranges::max(wave.other_channels[0]), 38 * 64);
    const timeline_figures f = figures(1);
    EXPECT_TRUE(f.channel_uses.empty());
    ASSERT_EQ(f.row_uses.size(), 3u);
    EXPECT_EQ(f.row_uses[0].row_bytes, 4096u);
    EXPECT_EQ(f.row_uses[0].clocks, 38u * 64 * 16 * 128 / m.p.l2_bytes_per_clock);
    EXPECT_THAT(report(f), HasSubstr("rows apart              a multiple of 4096 bytes: "));
    for (const timeline_range_time& t : find_range(record, launch)) {
        if (t.range->name == "l2_hash") {
            EXPECT_GT(t.at_low, 1.5 * t.at_high);
            EXPECT_DOUBLE_EQ(t.at_high, f.launch_seconds);
        }
    }
    // Not where it makes no difference: nobody else asks for lines.
    m.fill(0, [](uint32_t l) { return 4096 * l; });
    record = m.record(source + repeated("s_sleep 127", 20), placement);
    EXPECT_TRUE(figures(1).row_uses.empty());
}

TEST_F(matrix_launch, what_rows_are_multiples_of_apart) {
    // Each load wants lines of one channel. Neighbours are one row, whose first line counts; of the
    // rows of all executions it is the greatest common divisor.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.set_exec(0xf);
    m.fill(0, [](uint32_t l) { return 128 * l; });
    const struct {
        std::vector<std::vector<uint64_t>> lines;  // of each of two executions
        uint64_t row_bytes;
    } cases[] = {
        {{{0, 16, 32, 48}, {0, 16, 32, 48}}, 2048}, {{{0, 48, 80, 96}, {5, 21, 37, 53}}, 2048},
        {{{0, 1, 64, 65}, {7, 8, 9, 10}}, 8192},    {{{0, 1, 2, 3}, {4, 5, 6, 7}}, 0},
        {{{0, 1, 64, 65}, {0, 32, 33, 64}}, 4096},
    };
    for (const auto& c : cases) {
        record = m.record(
            "s_mov_b32 s8, 2\n again:\n global_load_dword v1, v0, s[2:3]\n s_sub_u32 s8, s8, 1\n"
            "s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 again\n s_load_dword s9, s[2:3], 0x0");
        timeline_wave& wave = record.groups[0].waves[0];
        ASSERT_EQ(wave.lines.size(), 9u);
        for (size_t n = 0; n < 8; ++n) {
            wave.lines[n].number = c.lines[n / 4][n % 4];
        }
        for (timeline_channels& channels : wave.channels) {
            channels = {};
            channels[3] = 4;
        }
        const timeline_figures f = figures(1);
        ASSERT_EQ(f.channel_uses.size(), 1u);
        EXPECT_EQ(f.channel_uses[0].row_bytes, c.row_bytes);
        EXPECT_DOUBLE_EQ(f.channel_uses[0].channels, 1);
        EXPECT_EQ(f.channel_uses[0].clocks,
                  (2 * 4 * 16 - 2 * 4) * 128 / launch.parameters.l2_bytes_per_clock);
        for (timeline_channels& channels : wave.channels) {
            channels.fill(1000);
        }
        EXPECT_EQ(figures(1).row_uses.size(), c.row_bytes != 0 && c.row_bytes % 4096 == 0);
    }
}

TEST_F(matrix_launch, the_worst_come_first) {
    // Loads of so many lines of one channel, and writes to LDS with conflicts: three of each, those
    // that cost most; of equals the first by its name.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    std::string loads;
    for (int n = 0; n < 5; ++n) {
        loads += "global_load_dword v1, v0, s[2:3] offset:" + std::to_string(256 * n) + "\n";
    }
    record = m.record(loads);
    const uint16_t lines[] = {20, 40, 30, 40, 0};
    for (size_t n = 0; n < 5; ++n) {
        timeline_channels& channels = record.groups[0].waves[0].channels.at(n);
        channels = {};
        channels[1] = lines[n];
    }
    const timeline_figures f = figures(1);
    ASSERT_EQ(f.channel_uses.size(), 3u);
    EXPECT_THAT(f.channel_uses[0].source, HasSubstr("+0x18  "));
    EXPECT_THAT(f.channel_uses[1].source, HasSubstr("+0x8  "));
    EXPECT_THAT(f.channel_uses[2].source, HasSubstr("+0x10  "));
    EXPECT_TRUE(std::ranges::is_sorted(
        f.lines, [](const timeline_line_cost& a, const timeline_line_cost& b) {
            return a.clocks != b.clocks ? a.clocks > b.clocks : a.source < b.source;
        }));
    // By the lanes of one bank: 4, 8, 2, 8 and 1, of one phase.
    m.set_exec(0xffffffff);
    record = m.record(
        "v_lshlrev_b32 v2, 2, v0\n v_lshlrev_b32 v3, 3, v0\n v_lshlrev_b32 v4, 1, v0\n"
        "ds_write_b32 v2, v1\n ds_write_b32 v3, v1\n ds_write_b32 v4, v1\n ds_write_b32 v3, v0\n"
        "ds_write_b32 v0, v1\n ds_read_b32 v1, v0");
    const timeline_figures g = figures(1);
    const uint64_t of_each[] = {7, 7, 3};
    ASSERT_EQ(g.conflicts.size(), 3u);
    for (size_t n = 0; n < 3; ++n) {
        EXPECT_EQ(g.conflicts[n].lds_conflicts, of_each[n]);
    }
    EXPECT_EQ(g.lds_conflicts, 7u + 7 + 3 + 1);
    EXPECT_LT(g.conflicts[0].source, g.conflicts[1].source);
    EXPECT_THAT(g.conflicts[0].source, HasSubstr("ds_write_b32 v3, v1"));
    EXPECT_THAT(g.conflicts[2].source, HasSubstr("ds_write_b32 v2, v1"));
    EXPECT_EQ(g.lds_clocks, run.result.lds_clocks);
}

TEST_F(matrix_launch, what_is_busy) {
    // One wave: a vector instruction, two lines from HBM, which pass each level, and LDS.
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    record = m.record(
        "v_mov_b32 v1, 0\n global_load_dword v1, v0, s[2:3]\n ds_read_b32 v2, v0\n"
        "s_waitcnt 0\n v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n s_nop 15\n");
    const timeline_figures f = figures(1);
    const auto busy = [&](timeline_bound bound) {
        return std::lround(f.busy[static_cast<size_t>(bound)] * static_cast<double>(f.clocks));
    };
    const timeline_parameters& p = m.p;
    EXPECT_EQ(busy(timeline_bound::matrix), 8 * p.mfma_pass_clocks);
    EXPECT_EQ(busy(timeline_bound::valu), p.valu_clocks);
    EXPECT_EQ(busy(timeline_bound::lds), 2);
    EXPECT_EQ(busy(timeline_bound::l1), 256 / p.vmem_bytes_per_clock);
    EXPECT_EQ(busy(timeline_bound::l2), l2_share_clocks(p, 256));
    EXPECT_EQ(busy(timeline_bound::mall), mall_share_clocks(p, 256));
    EXPECT_EQ(busy(timeline_bound::hbm), hbm_share_clocks(p, 256));
    EXPECT_DOUBLE_EQ(f.matrix_share,
                     8.0 * p.mfma_pass_clocks / (4.0 * static_cast<double>(f.clocks)));
    // What one channel has to do for all units may be more than the unit's share.
    record.groups[0].waves[0].channels.at(0).fill(0);
    record.groups[0].waves[0].channels[0][5] = 640;
    const timeline_figures g = figures(1);
    EXPECT_NEAR(g.busy[static_cast<size_t>(timeline_bound::l2)],
                std::ceil(640.0 * 128 * 16 / p.l2_bytes_per_clock) / static_cast<double>(g.clocks),
                1e-12);
    // A store is what HBM takes.
    record = m.record("global_store_dword v0, v1, s[2:3]");
    const timeline_figures h = figures(1);
    EXPECT_NEAR(h.busy[static_cast<size_t>(timeline_bound::hbm)] * static_cast<double>(h.clocks),
                static_cast<double>(hbm_share_clocks(p, 0, 256)), 1e-9);
    EXPECT_DOUBLE_EQ(h.hbm_bytes, 256);
}

TEST(timeline_report, what_is_busy_half_of_the_time_is_the_bound) {
    timeline_figures f;
    EXPECT_STREQ(bound_of(f), "latency");
    f.busy[static_cast<size_t>(timeline_bound::lds)] = 0.49;
    EXPECT_STREQ(bound_of(f), "latency");
    f.busy[static_cast<size_t>(timeline_bound::lds)] = 0.5;
    EXPECT_STREQ(bound_of(f), "LDS");
    f.busy[static_cast<size_t>(timeline_bound::hbm)] = 0.6;
    EXPECT_STREQ(bound_of(f), "HBM");
    f.without = {{"the rate of L1", "L1", 1}, {"the VALU", "VALU", 2}};
    EXPECT_STREQ(bound_of(f), "L1") << "what gains most";
    f.busy.fill(0.4);
    EXPECT_STREQ(bound_of(f), "latency");
}

TEST_F(matrix_launch, shares_of_nothing) {
    figures(1);
    timeline_figures f;
    EXPECT_THAT(report(f), HasSubstr("clocks of waves         issue 0.0 %\n"));
    EXPECT_THAT(make_report(f, record, run).json, HasSubstr("\"tflops\":0,"));
    f.wave_clocks = 4;
    EXPECT_THAT(report(f), HasSubstr("clocks of waves         issue 100.0 %\n"));
    EXPECT_THAT(report(f), HasSubstr("bound                   latency\n"));
}

TEST_F(matrix_launch, bound_by_latency) {
    m.fill(0, 0);
    record = m.record(repeated("ds_read_b32 v0, v0\n s_waitcnt lgkmcnt(0)", 20));
    const timeline_figures f = figures(1);
    EXPECT_STREQ(bound_of(f), "latency");
    EXPECT_EQ(f.lines.size(), 10u);
    EXPECT_THAT(report(f), HasSubstr("costliest instructions"));
}

// Everything of a trace that the tests look at.
struct trace_events {
    std::map<std::string, uint64_t> clocks;  // of slices, by category
    std::map<std::string, double> areas;     // under counters
    std::map<std::string, double> largest;   // values of them
    std::vector<std::string> threads;
};

trace_events read(const std::string& text, uint64_t end) {
    trace_events events;
    auto parsed = json::parse(text);
    if (!parsed) {
        ADD_FAILURE() << llvm::toString(parsed.takeError());
        return events;
    }
    std::map<std::string, std::pair<uint64_t, double>> last;
    const auto close = [&](const std::string& name, uint64_t clock) {
        const auto [start, value] = last[name];
        events.areas[name] += static_cast<double>(clock - start) * value;
    };
    for (const json::Value& value : *parsed->getAsObject()->getArray("traceEvents")) {
        const json::Object& e = *value.getAsObject();
        const std::string phase = e.getString("ph")->str();
        if (phase == "X") {
            events.clocks[e.getString("cat")->str()] += static_cast<uint64_t>(*e.getInteger("dur"));
        } else if (phase == "C") {
            const std::string name = e.getString("name")->str();
            const auto clock = static_cast<uint64_t>(*e.getInteger("ts"));
            close(name, clock);
            last[name] = {clock, *e.getObject("args")->begin()->second.getAsNumber()};
            events.largest[name] = std::max(events.largest[name], last[name].second);
        } else if (e.getString("name") == "thread_name") {
            events.threads.push_back(e.getObject("args")->getString("name")->str());
        }
    }
    for (const auto& [name, value] : last) {
        close(name, end);
    }
    return events;
}

TEST_F(matrix_launch, trace) {
    const timeline_figures f = figures(2);
    const std::string text =
        make_trace(record, run.result, make_report(f, record, run), launch, m.code());
    const trace_events events = read(text, clocks(2));
    EXPECT_EQ(events.threads.size(), 8u);
    EXPECT_EQ(events.threads[7], "group 304 wave 3");
    EXPECT_EQ(events.clocks.at("mfma"), 8 * count * m.p.issue_clocks);
    EXPECT_EQ(events.clocks.at("none"), 8 * 9 * m.p.issue_clocks);
    EXPECT_EQ(events.clocks.at("matrix"), f.stalls[static_cast<size_t>(timeline_cause::matrix)]);
    // In per cent of four pipes.
    EXPECT_NEAR(events.areas.at("MFMA busy"), static_cast<double>(100 * 2 * count * pass_clocks),
                1e-3);
    EXPECT_NEAR(events.largest.at("MFMA busy"), 100, 1e-6);
    EXPECT_EQ(events.areas.at("LDS busy"), 0);
    EXPECT_THAT(draw_timeline(text, {}), HasSubstr("void gemm&lt;int&gt;() on gfx942"));
}

TEST_F(matrix_launch, counters_of_memory) {
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    record = m.record("global_load_dword v1, v0, s[2:3]\n ds_read_b32 v2, v0\n s_waitcnt 0\n");
    const timeline_figures f = figures(1);
    const timeline_result& result = run.result;
    EXPECT_DOUBLE_EQ(f.bytes, 256);
    EXPECT_DOUBLE_EQ(f.hbm_bytes, 256);
    const std::string text =
        make_trace(record, result, make_report(f, record, run), launch, m.code());
    const trace_events events = read(text, result.clocks);
    const uint64_t flight = hbm_share_clocks(m.p, 256) + clocks_of_ns(m.p, m.p.hbm_latency_ns);
    EXPECT_NEAR(events.areas.at("bytes in flight"), 256.0 * static_cast<double>(flight), 1e-3);
    EXPECT_NEAR(events.areas.at("LDS busy"), 100.0 * 2, 1e-3);
}

// A trace of a result made by hand, event by event.
TEST_F(matrix_launch, events_of_the_trace) {
    timeline_result result;
    result.waves = {{.group = 7,
                     .wave = 2,
                     .simd = 1,
                     .slices = {{4, 12, false, timeline_unit::mfma, timeline_cause::issue, 0, 2},
                                {12, 30, true, timeline_unit::none, timeline_cause::vmcnt, 1, 0}}}};
    result.matrix[0] = {{4, 12}};
    result.matrix[1] = {{8, 12}};
    result.matrix[2] = {{0, 0}};  // no time: the counter begins with 0 all the same
    result.matrix[3] = {{12, 20}};
    result.lds = {{0, 5}, {9, 10}};
    result.flights = {{3, 128}, {3, 256}, {7, -256}, {8, -64}, {8, 64}, {9, -128}};
    const std::string text =
        make_trace(record, result, {.text = "", .json = "{\"a\":1}"}, launch, m.code());
    auto parsed = json::parse(text);
    ASSERT_TRUE(static_cast<bool>(parsed)) << text;
    const json::Object& all = *parsed->getAsObject();
    const json::Object& other = *all.getObject("otherData");
    EXPECT_EQ(other.getString("title"), "void gemm<int>() on gfx942");
    EXPECT_EQ(other.getString("note"), "a model of time, not a measurement; times are clocks");
    EXPECT_EQ(other.getObject("report")->getInteger("a"), 1);
    std::vector<std::string> events;
    for (const json::Value& event : *all.getArray("traceEvents")) {
        std::string line;
        llvm::raw_string_ostream(line) << event;
        std::ranges::replace(line, '"', '\'');
        events.push_back(line);
    }
    const auto meta = [](int pid, int tid, const char* kind, const std::string& name) {
        return format("{'args':{'name':'%s'},'name':'%s','ph':'M','pid':%d,'tid':%d}", name.c_str(),
                      kind, pid, tid);
    };
    const auto value = [](const char* name, const char* series, int ts, int amount) {
        return format("{'args':{'%s':%d},'name':'%s','ph':'C','pid':4,'ts':%d}", series, amount,
                      name, ts);
    };
    const std::string& mfma = record.instructions[0].text;
    const std::string& nop = record.instructions[1].text;
    const std::vector<std::string> expected = {
        meta(0, 0, "process_name", "SIMD 0"),
        meta(1, 0, "process_name", "SIMD 1"),
        meta(2, 0, "process_name", "SIMD 2"),
        meta(3, 0, "process_name", "SIMD 3"),
        meta(4, 0, "process_name", "compute unit"),
        meta(1, 0, "thread_name", "group 7 wave 2"),
        "{'args':{'instruction':'" + mfma +
            "','instructions':2},'cat':'mfma','dur':8,'name':'MFMA','ph':'X','pid':1,'tid':0,'ts':"
            "4}",
        "{'args':{'instruction':'" + nop +
            "'},'cat':'vmcnt','dur':18,'name':'waits: vmcnt','ph':'X','pid':1,'tid':0,'ts':12}",
        value("MFMA busy", "%", 0, 0),
        value("MFMA busy", "%", 4, 25),
        value("MFMA busy", "%", 8, 50),
        value("MFMA busy", "%", 12, 25),
        value("MFMA busy", "%", 20, 0),
        value("LDS busy", "%", 0, 100),
        value("LDS busy", "%", 5, 0),
        value("LDS busy", "%", 9, 100),
        value("LDS busy", "%", 10, 0),
        value("bytes in flight", "bytes", 0, 0),
        value("bytes in flight", "bytes", 3, 384),
        value("bytes in flight", "bytes", 7, 128),
        value("bytes in flight", "bytes", 9, 0),
    };
    EXPECT_EQ(events, expected);
}

// What is not said of plain data is nothing: tests and the recorder say only what there is.
TEST(timeline_report, figures_begin_with_nothing) {
    const timeline_figures f;
    for (const uint64_t number :
         {f.modelled, f.resident, f.clocks, f.group_clocks, f.rounds, f.units, f.tail_clocks,
          f.of_a_unit, f.period, uint64_t{f.is_uneven}, f.launch_clocks, f.wave_clocks,
          f.lds_clocks, f.lds_conflicts, uint64_t{f.has_source}}) {
        EXPECT_EQ(number, 0u);
    }
    for (const double number :
         {f.seconds, f.launch_seconds, f.flops, f.bytes, f.hbm_bytes, f.matrix_share}) {
        EXPECT_EQ(number, 0);
    }
    EXPECT_THAT(f.busy, testing::Each(0));
    EXPECT_THAT(f.stalls, testing::Each(0));
    const timeline_line_cost line;
    EXPECT_EQ(line.clocks + line.lds_conflicts, 0u);
    EXPECT_FALSE(line.lds_inferred);
    EXPECT_THAT(line.stalls, testing::Each(0));
    const timeline_channel_use use;
    EXPECT_EQ(use.clocks + use.row_bytes, 0u);
    EXPECT_EQ(use.channels, 0);
    const timeline_launch launch;
    EXPECT_EQ(launch.entry + launch.groups, 0u);
    EXPECT_EQ(launch.units, 1u);
    EXPECT_STREQ(launch.arch, "");
    const timeline_run run;
    EXPECT_EQ(run.highest_mhz + run.highest_clocks, 0u);
    EXPECT_EQ(run.highest_seconds, 0);
    EXPECT_FALSE(run.is_held());
    const timeline_range_time time;
    EXPECT_EQ(time.at_low, 0);
    EXPECT_EQ(time.at_high, 0);
}

}  // namespace
}  // namespace emu
