// gpu_facts on the emulator: wait states, errata and times. As it is nothing differs; with one row of
// the emulator's table altered, that one does. Its file, with times in it, changes the time model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "../examples/directory_test.hpp"

namespace {

namespace fs = std::filesystem;
using examples_test::contents;
using examples_test::outcome;
using names = std::set<std::string>;

std::string arch() {
    const char* const name = std::getenv("OPUS_EMU_ARCH");
    return name == nullptr ? "gfx942" : name;
}

class gpu_facts_states : public examples_test::directory_test {
protected:
    outcome facts(const std::string& arguments, const std::string& variables = "") const {
        return run(variables + " '" GPU_FACTS_PROGRAM "'", "--quick " + arguments);
    }

    // "kind/name" of the facts with a verdict.
    static names with(const std::string& verdict, const outcome& o) {
        names found;
        std::istringstream in(o.out);
        for (std::string line; std::getline(in, line);) {
            if (line.rfind(verdict + " ", 0) == 0) {
                const size_t begin = line.find_first_not_of(' ', verdict.size());
                found.insert(line.substr(begin, line.find(": assumed ") - begin));
            }
        }
        return found;
    }
    static long count(const names& all, const std::string& kind) {
        return std::count_if(all.begin(), all.end(), [&](const std::string& name) {
            return name.rfind(kind + "/", 0) == 0;
        });
    }
};

TEST_F(gpu_facts_states, nothing_differs) {
    const outcome o = facts("--kind wait_states --kind errata --kind times");
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(with("different", o), names{});
    const names same = with("same", o);
    const names cannot = with("cannot", o);
    // A row of each number of passes; times are for a GPU.
    EXPECT_EQ(count(same, "wait_states"), arch() == "gfx942" ? 125 : 130);
    EXPECT_EQ(count(cannot, "wait_states"), 0);
    EXPECT_EQ(count(same, "times"), 0);
    EXPECT_GE(count(cannot, "times"), 70);
    EXPECT_EQ(count(same, "errata") + count(cannot, "errata"), 16);
    // On a GPU the order of each pair shows in its result, but that matrix instructions ignore EXEC.
    const std::string blind = "; a GPU will show nothing";
    EXPECT_EQ(o.out.find(blind), o.out.rfind(blind));
    const size_t line = o.out.rfind('\n', o.out.find(blind));
    EXPECT_EQ(o.out.find("a matrix instruction after a vector instruction that writes EXEC", line) -
                  o.out.find("wait_states/", line),
              std::string("wait_states/").size());
}

// An emulator that asks for a state less of f64 after f64: its library with other bytes in this row.
TEST_F(gpu_facts_states, sees_one_row_of_wait_states) {
    std::string library = contents(GPU_FACTS_EMULATOR);
    const std::string row = {9, 9, 9, 9, 17, 17, 17, 17};  // by passes, gfx942 and gfx950
    int altered = 0;
    for (size_t at = 0; (at = library.find(row, at)) != std::string::npos; at += row.size()) {
        for (size_t n = 0; n < row.size(); ++n) {
            --library[at + n];
        }
        ++altered;
    }
    ASSERT_EQ(altered, 1) << "the row is not known by its bytes any more";
    std::ofstream(directory / GPU_FACTS_EMULATOR_NAME, std::ios::binary) << library;
    const outcome o = facts("--kind wait_states", "LD_LIBRARY_PATH=" + directory.string());
    EXPECT_EQ(o.status, 1) << o.out << o.err;
    const std::string name =
        "wait_states/a matrix instruction of f64 adds to a part of what v_mfma_f64_16x16x4 writes";
    EXPECT_EQ(with("different", o), names{name});
    const std::string numbers = arch() == "gfx942"
                                    ? "9 wait states (ISA guide, 4.5 and 7.6); seen 8"
                                    : "17 wait states (ISA guide, 4.5 and 7.6); seen 16";
    EXPECT_TRUE(o.has(name + ": assumed " + numbers + " wait states")) << o.out;
}

// The clocks of a kernel that sleeps 4 times 16 times 10 units.
TEST_F(gpu_facts_states, its_times_are_the_models) {
    const auto clocks_of_sleep = [&](const std::string& device) {
        const outcome o = facts("--kind times --name sleep_unit_clocks",
                                "OPUS_EMU_TIMELINE=/dev/null OPUS_EMU_TIMELINE_KERNEL=5sleepE "
                                "OPUS_EMU_PROFILE=json OPUS_EMU_PROFILE_KERNEL=5sleepE " +
                                    device);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err.find("the timeline has measured parameters, of device.json: "
                             "sleep_unit_clocks = 66") != std::string::npos,
                  !device.empty())
            << o.err;
        const std::string key = "\"clocks\":";
        const size_t timeline = o.err.find("\"timeline\":");
        const size_t at = timeline == std::string::npos ? timeline : o.err.find(key, timeline);
        EXPECT_NE(at, std::string::npos) << o.err;
        return at == std::string::npos ? 0 : std::atol(o.err.c_str() + at + key.size());
    };
    // What gpu_facts has written here has no times. One is put there as a GPU's has it.
    const long before = clocks_of_sleep("");
    const fs::path file = directory / ("gpu_facts-" + arch() + "-emulated.json");
    std::string json = contents(file);
    const size_t name = json.find("\"name\": \"sleep_unit_clocks\"");
    ASSERT_NE(name, std::string::npos);
    const size_t end = json.find('}', name);
    ASSERT_EQ(json.substr(name, end - name).find("\"value\""), std::string::npos);
    json.insert(end, ", \"value\": 66.2, \"unit\": \"clocks\"");
    std::ofstream(directory / "device.json") << json;
    const long with_device = clocks_of_sleep("OPUS_EMU_TIMELINE_DEVICE=device.json");
    EXPECT_EQ(with_device - before, 4 * 16 * 10 * (66 - 64));
}

// A file in which each time is as assumed: the model takes all that are its parameters, in its
// units (one that is in another unit has it refuse the file).
TEST_F(gpu_facts_states, its_file_suits_the_model) {
    const outcome list = facts("--kind times --list");
    std::ofstream file(directory / "device.json");
    file << R"({"format": "gpu_facts 1", "arch": ")" << arch() << R"(", "facts": [)";
    std::istringstream in(list.out);
    const char* before = "";
    for (std::string line; std::getline(in, line);) {
        const size_t name = line.find('/') + 1;
        const size_t value = line.find(": ", name) + 2;
        const size_t unit = line.find(' ', value) + 1;
        if (std::isdigit(static_cast<unsigned char>(line[value])) != 0) {
            file << before << R"({"kind": "times", "name": ")"
                 << line.substr(name, value - 2 - name) << R"(", "value": )"
                 << line.substr(value, unit - 1 - value) << R"(, "unit": ")"
                 << line.substr(unit, line.find(" (", unit) - unit) << R"("})";
            before = ", ";
        }
    }
    file << "]}";
    file.close();
    const outcome o = facts("--kind times --name sleep_unit_clocks",
                            "OPUS_EMU_TIMELINE=/dev/null OPUS_EMU_TIMELINE_KERNEL=5sleepE "
                            "OPUS_EMU_TIMELINE_DEVICE=device.json");
    EXPECT_EQ(o.status, 0) << o.err;
    const size_t begin = o.err.find("the timeline has measured parameters, of device.json: ");
    ASSERT_NE(begin, std::string::npos) << o.err;
    const std::string taken = o.err.substr(begin, o.err.find('\n', begin) - begin);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), '='), arch() == "gfx942" ? 37 : 38) << taken;
}

// What is assumed of a parameter is what the model has.
TEST_F(gpu_facts_states, assumed_times_are_those_of_the_model) {
    std::map<std::string, std::pair<double, double>> parameters;
    std::ifstream table(GPU_FACTS_PARAMETERS);
    for (std::string line; std::getline(table, line);) {
        std::istringstream row(line);
        std::string bar, name;
        double gfx942 = 0, gfx950 = 0;
        if (row >> bar >> name >> bar >> gfx942 >> bar >> gfx950 && name.size() > 2) {
            // The first row of a name: a table of ranges follows.
            parameters.emplace(name.substr(1, name.size() - 2), std::pair(gfx942, gfx950));
        }
    }
    const outcome o = facts("--kind times --list");
    EXPECT_EQ(o.status, 0) << o.err;
    int seen = 0;
    std::istringstream in(o.out);
    for (std::string line; std::getline(in, line);) {
        const std::string name =
            line.substr(line.find('/') + 1, line.find(": ") - line.find('/') - 1);
        const auto parameter = parameters.find(name);
        if (parameter != parameters.end()) {
            const auto [gfx942, gfx950] = parameter->second;
            EXPECT_EQ(std::atof(line.c_str() + line.find(": ") + 2),
                      arch() == "gfx942" ? gfx942 : gfx950)
                << line;
            ++seen;
        }
    }
    EXPECT_GE(seen, 35);
}

}  // namespace
