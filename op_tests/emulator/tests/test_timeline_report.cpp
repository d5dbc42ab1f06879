// timeline/report.hpp and timeline.hpp: what is said about launches whose time is known by hand.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <map>

#include "timeline/picture.hpp"
#include "timeline/timeline.hpp"
#include "timeline_machine.hpp"

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

TEST(timeline_files, are_numbered) {
    EXPECT_EQ(numbered_file("a/b.c/t.json", 1), "a/b.c/t.json");
    EXPECT_EQ(numbered_file("a/b.c/t.json", 2), "a/b.c/t.2.json");
    EXPECT_EQ(numbered_file("a/b.c/t", 3), "a/b.c/t.3");
    EXPECT_EQ(numbered_file(".t", 12), ".t.12");
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
        launch.units = m.p.compute_units;
    }
    // Of so many groups on a unit: the pipes are never idle; s_nop and s_endpgm are behind the last
    // one, on SIMD 3.
    uint64_t clocks(uint64_t groups) const {
        return (groups * count - 1) * pass_clocks + 10 * m.p.issue_clocks + 3;
    }
    timeline_figures figures(uint64_t groups) {
        launch.groups = groups;
        return make_figures(record, model_timeline(record, m.p), launch, m.code());
    }

    recorded_machine m{gfx_target::gfx942, 1024};
    uint64_t pass_clocks = 8 * m.p.mfma_pass_clocks;
    timeline_record record;
    timeline_launch launch;
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
    EXPECT_EQ(one.launch_clocks, clocks(1));
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
        EXPECT_GT(f.stalls[static_cast<size_t>(cause)], 0u) << name_of(cause);
        stalls += f.stalls[static_cast<size_t>(cause)];
    }
    EXPECT_EQ(stalls + 8 * (count + 9) * m.p.issue_clocks, f.wave_clocks);
    const std::string text = make_report(f, record, launch).text;
    EXPECT_THAT(text, HasSubstr("timeline of void gemm<int>() on gfx942: a model"));
    EXPECT_THAT(text, HasSubstr("2 of 608, of 4 waves each"));
    EXPECT_THAT(text, HasSubstr(std::to_string(clocks(2)) +
                                " clocks: 1 round of 2 on each of 304 compute units; "));
    EXPECT_THAT(text, HasSubstr("bound                   matrix\n"));
}

TEST_F(matrix_launch, bound_by_latency) {
    m.fill(0, 0);
    record = m.record(repeated("ds_read_b32 v0, v0\n s_waitcnt lgkmcnt(0)", 20));
    const timeline_figures f = figures(1);
    EXPECT_STREQ(bound_of(f), "latency");
    EXPECT_EQ(f.lines.size(), 10u);
    EXPECT_THAT(make_report(f, record, launch).text, HasSubstr("costliest instructions"));
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
    const timeline_report report = make_report(f, record, launch);
    const timeline_result result = model_timeline(record, m.p);
    const std::string text = make_trace(record, result, report, launch, m.code());
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
    launch.groups = 1;
    const timeline_result result = model_timeline(record, m.p);
    const timeline_figures f = make_figures(record, result, launch, m.code());
    EXPECT_DOUBLE_EQ(f.bytes, 256);
    EXPECT_DOUBLE_EQ(f.hbm_bytes, 256);
    const std::string text =
        make_trace(record, result, make_report(f, record, launch), launch, m.code());
    const trace_events events = read(text, result.clocks);
    const uint64_t flight = hbm_share_clocks(m.p, 256) + clocks_of_ns(m.p, m.p.hbm_latency_ns);
    EXPECT_NEAR(events.areas.at("bytes in flight"), 256.0 * static_cast<double>(flight), 1e-3);
    EXPECT_NEAR(events.areas.at("LDS busy"), 100.0 * 2, 1e-3);
}

}  // namespace
}  // namespace emu
