// Lines of the user's source in the profile and in the timeline, by DWARF that is written here.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lint/assembly.hpp"
#include "machine/report.hpp"
#include "profile/profile.hpp"
#include "timeline/report.hpp"
#include "timeline_machine.hpp"

namespace emu {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// An instruction, its line of /home/me/k.hip, 0 if that is not known, and how often it is executed.
struct source_line {
    std::string instruction;
    int line;
    int executed;
};

class lines_of_reports : public testing::Test {
protected:
    // What a wave does that executes the first one so often, then the second one and so on.
    void execute(const std::vector<source_line>& code) {
        std::string plain;
        std::string with_lines = ".text\n.file 1 \"/home/me/k.hip\"\n";
        for (const source_line& c : code) {
            plain += c.instruction + "\n";
            with_lines += ".loc 1 " + std::to_string(c.line) + "\n" + c.instruction + "\n";
        }
        const std::vector<std::byte>& bytes = assemble(m.target(), plain);
        program_ = std::make_unique<program>(m.target(), bytes.data(), bytes.size(), machine::base);
        // A unit without children: where its lines and its code are (DWARF 5, 7.5).
        with_lines +=
            ".section .debug_abbrev,\"\",@progbits\n"
            ".byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 0, 0, 0\n"
            ".section .debug_info,\"\",@progbits\n"
            ".long 25\n.short 5\n.byte 1, 8\n.long 0\n.byte 1\n.long 0\n.quad 0\n.long " +
            std::to_string(bytes.size()) + "\n.section .debug_line,\"\",@progbits\n";
        program_->set_source_lines(source_lines(assemble_object(m.target(), with_lines)),
                                   machine::base);
        counts = {};
        timeline_recorder recorder(m.p, {0});
        timeline_group_recorder* group = recorder.group(0, 1);
        uint64_t pc = machine::base;
        for (const source_line& c : code) {
            const instruction& i = program_->at(pc);
            for (int n = 0; n < c.executed; ++n) {
                counts.note(m.w(), i);
                group->note(m.w(), i);
            }
            pc += i.size;
        }
        group->finish();
        record = recorder.take();
        launch.kernel = "_Z1kv";
        launch.arch = "gfx942";
        launch.entry = machine::base;
        launch.groups = 1;
        launch.units = m.p.compute_units;
        launch.parameters = m.p;
        run = run_timeline(record, launch);
        figures = make_figures(record, run, *program_);
    }
    std::string profile(bool as_json) const {
        profiled_launch of_profile;
        of_profile.kernel = "_Z1kv";
        of_profile.arch = "gfx942";
        of_profile.entry = machine::base;
        of_profile.limits = {.by_waves = 1, .by_registers = 1, .by_lds = 1};
        return as_json ? profile_json(counts, of_profile, *program_)
                       : profile_table(counts, of_profile, *program_);
    }
    program& code() const { return *program_; }

    recorded_machine m{gfx_target::gfx942, 65536};
    profile_counts counts;
    timeline_record record;
    timeline_launch launch;
    timeline_run run;
    timeline_figures figures;

private:
    std::unique_ptr<program> program_;
};

std::string line(int number) {
    return number == 0 ? "unknown" : "/home/me/k.hip:" + std::to_string(number);
}

TEST_F(lines_of_reports, of_both_instructions) {
    execute({{"s_nop 0", 41, 1}, {"s_nop 1", 42, 1}, {"s_nop 2", 0, 1}});
    workgroup group;
    group.entry = machine::base;
    group.code = &code();
    wave w;
    w.group = &group;
    const auto text_of = [&](uint64_t offset, uint64_t other) {
        return outcome_of([&] {
                   fail(w, code().at(machine::base + offset), "what is wrong",
                        {"the other one", &code().at(machine::base + other), 3});
               })
            .text;
    };
    EXPECT_THAT(text_of(4, 0),
                ContainsRegex("instruction s_nop 1\n  source      /home/me/k.hip:42\n  group .*\n"
                              "the other one:\n.*\n.*s_nop 0\n  source      /home/me/k.hip:41\n"));
    EXPECT_THAT(text_of(8, 4), AllOf(HasSubstr("instruction s_nop 2\n  group "),
                                     HasSubstr("s_nop 1\n  source      /home/me/k.hip:42\n")));
}

TEST_F(lines_of_reports, hottest_lines) {
    // Twelve lines, of which one has two instructions and one is a matrix instruction of 8 passes.
    std::vector<source_line> source;
    for (int n = 1; n <= 10; ++n) {
        source.push_back({"v_mov_b32 v0, 0", 100 + n, n % 4 == 0 ? 2 : 20 - n});
    }
    source.push_back({"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 7, 2});
    source.push_back({"s_nop 0", 102, 3});
    source.push_back({"v_mov_b32 v0, 1", 0, 4});
    source.push_back({"v_mov_b32 v0, 2", 50, 0});
    execute(source);
    const std::pair<int, int> expected[] = {{102, 21}, {101, 19}, {103, 17}, {7, 2},    {105, 15},
                                            {106, 14}, {107, 13}, {109, 11}, {110, 10}, {0, 4}};
    std::string json = "\"lines\":[";
    std::string table = "hottest lines                     clocks (model)        executed\n";
    uint64_t all = 0;
    for (const source_line& s : source) {
        all += static_cast<uint64_t>(s.executed) * (s.line == 7 ? 32 : 4);
    }
    for (const auto& [number, executed] : expected) {
        const int clocks = executed * (number == 7 ? 32 : 4);
        json += std::string(number == 102 ? "" : ",") + "{\"source\":\"" + line(number) +
                "\",\"executed\":" + std::to_string(executed) +
                ",\"clocks\":" + std::to_string(clocks) + "}";
        char text[100];
        std::snprintf(text, sizeof text, "    %28.1f %% %15d %15d  %s\n",
                      100.0 * clocks / static_cast<double>(all), clocks, executed,
                      line(number).c_str());
        table += text;
    }
    EXPECT_THAT(profile(true), HasSubstr(json +
                                         "],\"hottest\":[{\"offset\":0,\"instruction\":"
                                         "\"v_mov_b32_e32 v0, 0\",\"source\":\"" +
                                         line(101) + "\",\"executed\":19,\"clocks\":76}"));
    EXPECT_THAT(profile(false), HasSubstr(table + "  hottest instructions "));
    EXPECT_THAT(profile(false), HasSubstr("  v_mov_b32_e32 v0, 0\n      " + line(101) + "\n"));
    // Of equals the first by name.
    execute({{"v_mov_b32 v0, 0", 9, 2}, {"v_mov_b32 v0, 0", 10, 2}, {"v_mov_b32 v0, 0", 8, 3}});
    const std::string text = profile(false);
    EXPECT_LT(text.find(line(8) + "\n"), text.find(line(10) + "\n"));
    EXPECT_LT(text.find(line(10) + "\n"), text.find(line(9) + "\n"));
}

TEST_F(lines_of_reports, no_lines_are_known) {
    execute({{"v_mov_b32 v0, 0", 0, 2}, {"s_nop 0", 0, 1}});
    EXPECT_THAT(profile(true), HasSubstr("\"lines\":[]"));
    EXPECT_THAT(profile(false), Not(HasSubstr("hottest lines")));
    EXPECT_FALSE(figures.has_source);
    EXPECT_THAT(figures.lines[0].source, HasSubstr("+0x0  v_mov_b32"));
    // One line that is known is a line, and executed once is executed.
    execute({{"s_nop 1", 9, 0}, {"v_mov_b32 v0, 0", 3, 1}});
    EXPECT_THAT(profile(true), HasSubstr("\"lines\":[{\"source\":\"" + line(3) +
                                         "\",\"executed\":1,\"clocks\":4}],"));
    EXPECT_TRUE(figures.has_source);
}

TEST_F(lines_of_reports, costliest_lines) {
    // Chains of dependent instructions of one turn each; line 5 has two of them, and waits as well.
    m.fill(0, [](uint32_t l) { return 128 * l; });
    execute({{"v_mov_b32 v1, 0", 5, 7},
             {"ds_write_b32 v0, v1", 6, 2},
             {"s_sleep 1", 0, 1},
             {"ds_read_b128 v[4:7], v0", 6, 1},
             {"v_mov_b32 v2, 0", 5, 4},
             {"s_waitcnt lgkmcnt(0)", 8, 1}});
    const uint64_t turn = m.p.issue_clocks;
    ASSERT_EQ(figures.lines.size(), 4u);
    uint64_t sum = 0;
    for (const timeline_line_cost& cost : figures.lines) {
        sum += cost.clocks;
        if (cost.source == line(5)) {
            EXPECT_EQ(cost.clocks, 11 * turn);
        } else if (cost.source == line(6)) {
            EXPECT_EQ(cost.clocks, 3 * turn);
            EXPECT_EQ(cost.lds_conflicts, 2u * 62 + 8 * 7);
            EXPECT_TRUE(cost.lds_inferred);
        } else if (cost.source == line(0)) {
            EXPECT_EQ(cost.clocks, m.turn(m.p.sleep_unit_clocks));
            EXPECT_EQ(cost.stalls[static_cast<size_t>(timeline_cause::sleep)], cost.clocks - turn);
        } else {
            EXPECT_EQ(cost.source, line(8));
            EXPECT_EQ(cost.stalls[static_cast<size_t>(timeline_cause::lgkmcnt)],
                      cost.clocks - turn);
        }
    }
    EXPECT_EQ(sum, figures.wave_clocks);
    EXPECT_TRUE(
        std::ranges::is_sorted(figures.lines, std::greater<>(), &timeline_line_cost::clocks));
    ASSERT_EQ(figures.conflicts.size(), 1u);
    EXPECT_EQ(figures.conflicts[0].source, line(6));
    const timeline_report report = make_report(figures, record, run);
    EXPECT_THAT(report.text, HasSubstr("\n  costliest lines\n"));
    EXPECT_THAT(report.text, HasSubstr("(phases inferred):  " + line(6) + "\n"));
    // In the trace each slice says which line it is of, if that is known.
    const std::string trace = make_trace(record, run.result, report, launch, code());
    EXPECT_THAT(trace, HasSubstr("\"instruction\":\"v_mov_b32_e32 v1, 0\",\"line\":\"" + line(5) +
                                 "\",\"instructions\":7}"));
    EXPECT_THAT(trace, HasSubstr("\"instruction\":\"s_sleep 1\",\"instructions\":1}"));
}

TEST_F(lines_of_reports, conflicts_whose_phases_are_known) {
    // Those of writes of 16 bytes are documented on this target, those of a dword are not; a line with
    // one that is inferred and has no conflicts is as sure as the others.
    m.fill(0, [](uint32_t l) { return 128 * l; });
    m.fill(1, [](uint32_t l) { return 4 * l; });
    execute({{"ds_write_b128 v0, v[4:7]", 6, 1}, {"ds_write_b32 v1, v2", 6, 1}});
    ASSERT_EQ(figures.conflicts.size(), 1u);
    EXPECT_FALSE(figures.conflicts[0].lds_inferred);
    EXPECT_EQ(figures.lds_conflicts, 8u * 7);
}

}  // namespace
}  // namespace emu
