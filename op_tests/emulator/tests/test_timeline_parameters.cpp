// timeline/parameters: the table, files that change it, and what follows from its values.
#include "timeline/parameters.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "machine/report.hpp"

namespace emu {
namespace {

using testing::ExitedWithCode;
using testing::HasSubstr;

constexpr gfx_target targets[] = {gfx_target::gfx942, gfx_target::gfx950};

TEST(timeline_parameters, each_member_has_one_entry_with_all_that_a_reader_needs) {
    std::set<std::string_view> names;
    timeline_parameters p{};
    uint32_t number = 0;
    for (const timeline_parameter& row : timeline_parameter_table()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_FALSE(row.what.empty()) << row.name;
        EXPECT_FALSE(row.source.empty()) << row.name;
        EXPECT_EQ(p.*row.member, 0) << row.name << " is of a member that another entry has";
        p.*row.member = ++number;
        for (const timeline_value& v : {row.gfx942, row.gfx950}) {
            EXPECT_GE(v.value, row.least) << row.name;
            // Who assumes says so, and only who does not measure or read has no source.
            EXPECT_TRUE(row.source != "no source" || v.known == timeline_certainty::assumed)
                << row.name;
        }
    }
    EXPECT_EQ(number * sizeof(uint32_t), sizeof(timeline_parameters));
    // The order of the members.
    uint32_t values[sizeof(timeline_parameters) / sizeof(uint32_t)];
    std::memcpy(values, &p, sizeof(p));
    for (uint32_t n = 0; n < number; ++n) {
        EXPECT_EQ(values[n], n + 1) << timeline_parameter_table()[n].name;
    }
}

// A row of the table in timeline_parameters.md.
std::string row_of(const timeline_parameter& row) {
    const std::string known = name_of(row.gfx942.known);
    const std::string other = name_of(row.gfx950.known);
    std::string text = "| `" + std::string(row.name) + "`";
    for (const std::string& cell :
         {std::to_string(row.gfx942.value), std::to_string(row.gfx950.value), std::string(row.unit),
          std::string(row.what), known == other ? known : known + ", " + other,
          std::string(row.source)}) {
        text += " |" + (cell.empty() ? "" : " " + cell);
    }
    return text + " |\n";
}

TEST(timeline_parameters, the_table_of_the_document_is_this_one) {
    std::ifstream file(OPUS_EMU_SOURCES "/../timeline_parameters.md");
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    const std::string head =
        "| name | MI300X | MI355X | unit | what it is | certainty | source |\n"
        "|---|---|---|---|---|---|---|\n";
    std::string table = head;
    for (const timeline_parameter& row : timeline_parameter_table()) {
        table += row_of(row);
    }
    const size_t begin = document.find(head);
    ASSERT_NE(begin, std::string::npos)
        << "no table in " OPUS_EMU_SOURCES "/../timeline_parameters.md";
    const size_t end = document.find("\n\n", begin);
    EXPECT_EQ(document.substr(begin, end + 1 - begin), table);
}

TEST(timeline_parameters, defaults_are_those_of_the_target) {
    const timeline_parameters mi300x = default_timeline_parameters(gfx_target::gfx942);
    const timeline_parameters mi355x = default_timeline_parameters(gfx_target::gfx950);
    EXPECT_EQ(mi300x.clock_mhz, 2100);
    EXPECT_EQ(mi300x.compute_units, 304);
    EXPECT_EQ(mi300x.lds_read_bytes_per_clock, 128);
    EXPECT_EQ(mi355x.clock_mhz, 2400);
    EXPECT_EQ(mi355x.compute_units, 256);
    EXPECT_EQ(mi355x.lds_read_bytes_per_clock, 256);
}

TEST(timeline_parameters, a_text_changes_what_it_names) {
    for (const gfx_target target : targets) {
        timeline_parameters p = default_timeline_parameters(target);
        const timeline_parameters before = p;
        EXPECT_EQ(change_timeline_parameters(p, target,
                                             "# what we measured\n"
                                             "l1_latency = 120   # clocks\n"
                                             "\r\n"
                                             "\tgfx942.l2_latency= 300 \r\n"
                                             "gfx950.l2_latency = 310\n"
                                             "hbm_latency_ns = 0"),
                  "");
        EXPECT_EQ(p.l1_latency, 120);
        EXPECT_EQ(p.l2_latency, target == gfx_target::gfx942 ? 300 : 310);
        EXPECT_EQ(p.hbm_latency_ns, 0);
        p.l1_latency = before.l1_latency;
        p.l2_latency = before.l2_latency;
        p.hbm_latency_ns = before.hbm_latency_ns;
        EXPECT_EQ(std::memcmp(&p, &before, sizeof(p)), 0) << "another one was changed";
    }
}

TEST(timeline_parameters, a_value_for_a_target_is_above_one_for_both) {
    for (const char* text :
         {"gfx950.l1_latency = 7\nl1_latency = 5", "l1_latency = 5\ngfx950.l1_latency = 7"}) {
        timeline_parameters p = default_timeline_parameters(gfx_target::gfx950);
        EXPECT_EQ(change_timeline_parameters(p, gfx_target::gfx950, text), "");
        EXPECT_EQ(p.l1_latency, 7) << text;
        p = default_timeline_parameters(gfx_target::gfx942);
        EXPECT_EQ(change_timeline_parameters(p, gfx_target::gfx942, text), "");
        EXPECT_EQ(p.l1_latency, 5) << text;
    }
}

TEST(timeline_parameters, the_least_and_the_largest_value) {
    timeline_parameters p = default_timeline_parameters(gfx_target::gfx942);
    EXPECT_EQ(change_timeline_parameters(p, gfx_target::gfx942,
                                         "l1_latency = 1000000000\nvalu_clocks = 1\n"),
              "");
    EXPECT_EQ(p.l1_latency, 1'000'000'000);
    EXPECT_EQ(p.valu_clocks, 1);
}

// What is waited for may take no time, and a switch may be off; what something is divided by is at
// least one, and a line is as long as a dword at least.
TEST(timeline_parameters, which_may_be_zero) {
    const std::set<std::string_view> may_be = {
        "valu_power_percent",
        "matrix_rate_is_limit",
        "valu_latency",
        "mfma_accumulate_clocks",
        "mfma_result_clocks",
        "barrier_clocks",
        "scalar_latency",
        "scalar_first_ns",
        "icache_miss_clocks",
        "fetch_ahead_lines",
        "fetch_split_clocks",
        "lds_read_latency_b32",
        "lds_read_latency_b64",
        "lds_read_latency_b128",
        "lds_write_latency_b32",
        "lds_write_latency_b64",
        "lds_write_latency_b128",
        "lds_conflict_latency",
        "l1_latency",
        "l2_hash",
        "l2_latency",
        "mall_latency_ns",
        "hbm_latency_ns",
        "launch_ns",
        "dispatch_wave_clocks",
        "overlap_rounds",
    };
    const std::map<std::string_view, uint32_t> more_than_one = {{"scalar_line_bytes", 4},
                                                                {"icache_line_bytes", 4},
                                                                {"line_bytes", 4},
                                                                {"l2_channel_bytes", 128}};
    for (const timeline_parameter& row : timeline_parameter_table()) {
        const auto least = more_than_one.find(row.name);
        EXPECT_EQ(row.least, may_be.contains(row.name)      ? 0u
                             : least == more_than_one.end() ? 1u
                                                            : least->second)
            << row.name;
    }
}

TEST(timeline_parameters, nothing_in_a_text_is_ignored) {
    const struct {
        const char* text;
        const char* what;
    } cases[] = {
        {"l1_latency = 1\n\nl1_latncy = 2", "line 3: there is no parameter 'l1_latncy'"},
        {"gfx90a.l1_latency = 2", "line 1: there is no parameter 'gfx90a.l1_latency'"},
        {" = 2", "line 1: there is no parameter ''"},
        {"l1_latency 2", "line 1: name = value is needed"},
        {"l1_latency =", "line 1: l1_latency = : a whole number from 0 to 1000000000 is needed"},
        {"l1_latency = 2 clocks", "l1_latency = 2 clocks: a whole number from 0"},
        {"l1_latency = 2.5", "l1_latency = 2.5: a whole number"},
        {"l1_latency = -2", "l1_latency = -2: a whole number"},
        {"l1_latency = 0x10", "l1_latency = 0x10: a whole number"},
        {"l1_latency = 1000000001", "l1_latency = 1000000001: a whole number"},
        {"l1_latency = 99999999999", "l1_latency = 99999999999: a whole number"},
        {"valu_clocks = 0", "valu_clocks = 0: a whole number from 1"},
        {"line_bytes = 3", "line_bytes = 3: a whole number from 4"},
        {"l1_latency = 1\nl1_latency = 1", "line 2: l1_latency is given twice"},
        {"dies = 7", "compute_units is no multiple of dies"},
        {"l2_channels = 12", "l2_channels is no power of two up to 16"},
        {"l2_channels = 32", "l2_channels is no power of two up to 16"},
        {"gfx950.l1_latncy = 2", "line 1: there is no parameter 'gfx950.l1_latncy'"},
        {"gfx950.l1_latency = two", "line 1: gfx950.l1_latency = two: a whole number"},
    };
    for (const auto& c : cases) {
        timeline_parameters p = default_timeline_parameters(gfx_target::gfx942);
        EXPECT_THAT(change_timeline_parameters(p, gfx_target::gfx942, c.text), HasSubstr(c.what))
            << c.text;
    }
}

TEST(timeline_parameters, times_that_follow_are_rounded_up) {
    timeline_parameters p{};
    p.clock_mhz = 2000;
    p.compute_units = 300;
    p.dies = 6;
    p.l2_bytes_per_clock = 1000;
    p.mall_gb_per_second = 12000;
    p.hbm_read_gb_per_second = 3000;
    p.hbm_write_gb_per_second = 6000;
    EXPECT_EQ(clocks_of_ns(p, 10), 20);
    p.clock_mhz = 2001;
    EXPECT_EQ(clocks_of_ns(p, 10), 21);
    EXPECT_EQ(clocks_of_ns(p, 1), 3) << "2.001";
    EXPECT_EQ(clocks_of_ns(p, 1000), 2001);
    p.clock_mhz = 2000;
    // A unit's share: 1000 * 6 / 300 = 20 bytes a clock of L2; of the Infinity Cache 12e12 / 2e9 /
    // 300 = 20 as well; of HBM a quarter of it.
    EXPECT_EQ(l2_share_clocks(p, 100), 5);
    EXPECT_EQ(l2_share_clocks(p, 101), 6);
    EXPECT_EQ(mall_share_clocks(p, 100), 5);
    EXPECT_EQ(mall_share_clocks(p, 101), 6);
    EXPECT_EQ(hbm_share_clocks(p, 100), 20);
    EXPECT_EQ(hbm_share_clocks(p, 101), 21);
    EXPECT_EQ(hbm_share_clocks(p, 0), 0);
    EXPECT_EQ(hbm_share_clocks(p, 0, 100), 10);
    EXPECT_EQ(hbm_share_clocks(p, 100, 101), 31);
    EXPECT_EQ(hbm_share_clocks(p, uint64_t{5} << 40), uint64_t{1} << 40);
}

TEST(timeline_parameters, ranges_are_around_the_values) {
    for (const timeline_range& range : timeline_ranges()) {
        SCOPED_TRACE(range.name);
        const auto rows = timeline_parameter_table();
        const auto row = std::ranges::find(rows, range.name, &timeline_parameter::name);
        ASSERT_NE(row, rows.end());
        EXPECT_EQ(range.member, row->member);
        EXPECT_LT(range.low, range.high);
        for (const gfx_target target : targets) {
            if (range.target.value_or(target) != target) {
                continue;
            }
            const timeline_parameters p = default_timeline_parameters(target);
            EXPECT_LE(range.value_of(range.low, p), p.*range.member);
            EXPECT_GE(range.value_of(range.high, p), p.*range.member);
            EXPECT_GE(range.value_of(range.low, p), row->least);
        }
    }
    const timeline_range half{"launch_ns", &timeline_parameters::launch_ns, 50, 300, true};
    timeline_parameters p{};
    p.launch_ns = 1000;
    EXPECT_EQ(half.value_of(half.low, p), 500u);
    EXPECT_EQ(half.value_of(half.high, p), 3000u);
}

// The ranges of timeline_parameters.md: each is a row of it, and nothing else.
TEST(timeline_parameters, ranges_are_those_of_the_docs) {
    std::ifstream file(OPUS_EMU_SOURCES "/../timeline_parameters.md");
    std::set<std::string> rows;
    bool is_there = false;
    for (std::string line; std::getline(file, line);) {
        is_there = line.starts_with("## ") ? line == "## Ranges" : is_there;
        if (is_there && line.starts_with("| `")) {
            rows.insert(line.substr(0, line.rfind(" | ")));
        }
    }
    std::set<std::string> expected;
    for (const timeline_range& range : timeline_ranges()) {
        const char* const unit = range.is_percent ? " %" : "";
        const std::string target =
            range.target ? std::string(" (") + target_name(*range.target) + ")" : "";
        expected.insert("| `" + std::string(range.name) + "`" + target + " | " +
                        std::to_string(range.low) + unit + " | " + std::to_string(range.high) +
                        unit);
    }
    EXPECT_EQ(rows, expected);
}

TEST(timeline_parameters, units_of_devices_are_on_dies) {
    for (const timeline_device& device : timeline_devices()) {
        timeline_parameters p = default_timeline_parameters(device.target);
        for (const timeline_device_value& v : device.values) {
            p.*v.member = v.value;
        }
        EXPECT_EQ(p.compute_units % p.dies, 0) << device.name;
    }
}

// A row of the document's table of devices.
TEST(timeline_parameters, the_devices_of_the_document_are_these) {
    std::ifstream file(OPUS_EMU_TIMELINE_DOCS);
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    for (const timeline_device& device : timeline_devices()) {
        timeline_parameters p = default_timeline_parameters(device.target);
        for (const timeline_device_value& v : device.values) {
            p.*v.member = v.value;
        }
        std::string row = "| `" + std::string(device.name) + "` | " + target_name(device.target);
        for (const uint32_t value :
             {p.clock_mhz, p.compute_units, p.dies, p.matrix_f16_tflops, p.matrix_bf16_tflops,
              p.matrix_8bit_tflops, p.matrix_4bit_tflops, p.hbm_read_gb_per_second,
              p.hbm_write_gb_per_second}) {
            row += " | " + std::to_string(value);
        }
        row += p.matrix_rate_is_limit != 0 ? " | operations" : " | power";
        EXPECT_THAT(document, HasSubstr("\n" + row + " |"));
        std::ifstream options(OPUS_EMU_DOCS);
        const std::string all{std::istreambuf_iterator<char>(options), {}};
        EXPECT_THAT(all, HasSubstr("`" + std::string(device.name) + "`"));
    }
}

class timeline_environment : public testing::Test {
protected:
    ~timeline_environment() override {
        ::unsetenv("OPUS_EMU_TIMELINE_DEVICE");
        ::unsetenv("OPUS_EMU_TIMELINE_PARAMETERS");
        ::unsetenv("OPUS_EMU_CLOCK_GHZ");
        std::filesystem::remove(file_);
    }
    void write(const std::string& text) {
        std::ofstream(file_) << text;
        ::setenv("OPUS_EMU_TIMELINE_PARAMETERS", file_.c_str(), 1);
    }
    static void clock(const char* ghz) { ::setenv("OPUS_EMU_CLOCK_GHZ", ghz, 1); }
    static void expect_refusal(const std::string& text) {
        EXPECT_EXIT(read_timeline_parameters(gfx_target::gfx942), ExitedWithCode(failure_status),
                    text);
    }

    const std::string file_ =
        testing::TempDir() + "timeline_parameters_" + std::to_string(::getpid());
};

TEST_F(timeline_environment, nothing_is_set) {
    for (const gfx_target target : targets) {
        const timeline_parameters p = read_timeline_parameters(target);
        const timeline_parameters defaults = default_timeline_parameters(target);
        EXPECT_EQ(std::memcmp(&p, &defaults, sizeof(p)), 0);
    }
}

TEST_F(timeline_environment, the_file_and_then_the_clock) {
    write("l1_latency = 3\nclock_mhz = 1000\n");
    EXPECT_EQ(read_timeline_parameters(gfx_target::gfx942).l1_latency, 3);
    EXPECT_EQ(read_timeline_parameters(gfx_target::gfx942).clock_mhz, 1000);
    const std::pair<const char*, uint32_t> clocks[] = {
        {"1.65", 1650}, {"0.001", 1}, {"100", 100'000}, {"2.0996", 2100}};
    for (const auto& [ghz, mhz] : clocks) {
        clock(ghz);
        EXPECT_EQ(read_timeline_parameters(gfx_target::gfx942).l1_latency, 3);
        EXPECT_EQ(read_timeline_parameters(gfx_target::gfx942).clock_mhz, mhz);
    }
}

TEST_F(timeline_environment, a_device_by_its_name) {
    ::setenv("OPUS_EMU_TIMELINE_DEVICE", "mi308x-ptl", 1);
    timeline_parameters p = read_timeline_parameters(gfx_target::gfx942);
    EXPECT_EQ(p.compute_units, 80);
    EXPECT_EQ(p.dies, 4);
    EXPECT_EQ(p.matrix_rate_is_limit, 1);
    EXPECT_EQ(p.l2_latency, default_timeline_parameters(gfx_target::gfx942).l2_latency);
    // The file goes before it.
    write("compute_units = 40");
    p = read_timeline_parameters(gfx_target::gfx942);
    EXPECT_EQ(p.compute_units, 40);
    EXPECT_EQ(p.hbm_read_gb_per_second, 4184);
    ::setenv("OPUS_EMU_TIMELINE_DEVICE", "MI350X", 1);
    EXPECT_EQ(read_timeline_parameters(gfx_target::gfx950).clock_mhz, 2200);
    for (const char* wrong : {"MI350X", "MI300", "MI308X", "MI308X-", ""}) {
        ::setenv("OPUS_EMU_TIMELINE_DEVICE", wrong, 1);
        expect_refusal(
            "OPUS_EMU_TIMELINE_DEVICE=.*: for gfx942 one of these is needed: MI300X, "
            "MI308X-PTL, MI325X");
    }
}

TEST_F(timeline_environment, an_empty_file_changes_nothing) {
    write("");
    EXPECT_EQ(read_timeline_parameters(gfx_target::gfx942).clock_mhz, 2100);
}

TEST_F(timeline_environment, mistakes_end_the_process) {
    ::setenv("OPUS_EMU_TIMELINE_PARAMETERS", "/nowhere/parameters", 1);
    expect_refusal("OPUS_EMU_TIMELINE_PARAMETERS=/nowhere/parameters: cannot read this file");
    ::setenv("OPUS_EMU_TIMELINE_PARAMETERS", "/", 1);
    expect_refusal("OPUS_EMU_TIMELINE_PARAMETERS=/: cannot read this file");
    write("l1_latency = 3\nl1 = 3\n");
    expect_refusal("OPUS_EMU_TIMELINE_PARAMETERS=" + file_ +
                   ": line 2: there is no parameter 'l1'");
    ::unsetenv("OPUS_EMU_TIMELINE_PARAMETERS");
    for (const char* wrong : {"", "2,1", "2.1GHz", "0", "-1", "nan", "inf", "1000", "2100"}) {
        clock(wrong);
        expect_refusal("OPUS_EMU_CLOCK_GHZ=" + std::string(wrong) +
                       ": a number from 0.001 to 100 is needed");
    }
}

// A file that op_tests/gpu_facts has written.
class measured_device : public timeline_environment {
protected:
    measured_device() { ::setenv("OPUS_EMU_TIMELINE_DEVICE", json_.c_str(), 1); }
    ~measured_device() override { std::filesystem::remove(json_); }

    static std::string fact(const std::string& name, const std::string& value,
                            const std::string& unit, const std::string& kind = "times") {
        return R"({"kind": ")" + kind + R"(", "name": ")" + name + R"(", "value": )" + value +
               R"(, "unit": ")" + unit + R"("})";
    }
    void write_facts(const std::string& facts, const std::string& arch = "gfx942") {
        std::ofstream(json_) << R"({"format": "gpu_facts 1", "arch": ")" + arch +
                                    R"(", "facts": [)" + facts + "]}";
    }
    void expect_refusal_of(const std::string& facts, const std::string& text) {
        write_facts(facts);
        expect_refusal("OPUS_EMU_TIMELINE_DEVICE=" + json_ + ": " + text);
    }

    const std::string json_ = file_ + ".json";
};

TEST_F(measured_device, gives_the_times_that_are_parameters) {
    write_facts(fact("l1_latency", "140.4", "clocks") + "," + fact("clock_mhz", "2074.5", "MHz") +
                "," + fact("mfma_accumulate_clocks", "-0.2", "clocks") + "," +
                fact("dependent v_fma_f32", "8", "clocks") + "," +
                fact("l2_latency", "7", "clocks", "bits") + "," +
                R"({"kind": "times", "name": "hbm_latency_ns", "verdict": "cannot"})");
    std::string measured;
    timeline_parameters p = read_timeline_parameters(gfx_target::gfx942, &measured);
    EXPECT_EQ(measured,
              "3 measured, of " + json_ + ": l1_latency, clock_mhz, mfma_accumulate_clocks");
    timeline_parameters wanted = default_timeline_parameters(gfx_target::gfx942);
    wanted.l1_latency = 140;
    wanted.clock_mhz = 2075;
    EXPECT_EQ(std::memcmp(&p, &wanted, sizeof(p)), 0);
    // The lines of a file go before it: such a parameter is not a measured one.
    write("l1_latency = 3");
    p = read_timeline_parameters(gfx_target::gfx942, &measured);
    EXPECT_EQ(p.l1_latency, 3);
    EXPECT_EQ(p.clock_mhz, 2075);
    EXPECT_EQ(measured, "2 measured, of " + json_ + ": clock_mhz, mfma_accumulate_clocks");
    ::setenv("OPUS_EMU_TIMELINE_DEVICE", "MI300X", 1);
    measured.clear();
    read_timeline_parameters(gfx_target::gfx942, &measured);
    EXPECT_EQ(measured, "");
}

TEST_F(measured_device, is_refused_if_it_is_none) {
    expect_refusal("OPUS_EMU_TIMELINE_DEVICE=" + json_ + ": cannot read this file: ");
    std::ofstream(json_) << "{";
    expect_refusal("gpu_facts has not written this file: .*Expected");
    for (const char* foreign : {"[]", "{}", R"({"format": "x", "facts": []})",
                                R"({"format": "gpu_facts 1", "facts": {}})"}) {
        std::ofstream(json_) << foreign;
        expect_refusal(": gpu_facts has not written this file\n");
    }
    expect_refusal_of("", "it has no times: it is of no GPU");
    expect_refusal_of(fact("l2_latency", "7", "clocks", "bits"), "it has no times");
    expect_refusal_of(fact("l1_latency", "140", "ns"), "l1_latency is no number of clocks from 0");
    expect_refusal_of(fact("l1_latency", "-1", "clocks"), "l1_latency is no number of clocks");
    expect_refusal_of(fact("l1_latency", "1e10", "clocks"), "l1_latency is no number of clocks");
    expect_refusal_of(fact("clock_mhz", "0.4", "MHz"), "clock_mhz is no number of MHz from 1 on");
    expect_refusal_of(fact("dies", "7", ""), "compute_units is no multiple of dies");
    write_facts(fact("l1_latency", "140", "clocks"), "gfx950");
    expect_refusal("it is of a gfx950, not of a gfx942");
}

}  // namespace
}  // namespace emu
