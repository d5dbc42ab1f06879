// Variables of the environment: one list in machine/settings.cpp, which the documents and the other
// sources agree with.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "docs.hpp"
#include "machine/settings.hpp"

namespace emu {
namespace {

std::set<std::string> known() {
    return {known_variables().begin(), known_variables().end()};
}

TEST(variables, docs_have_all_variables) {
    std::set<std::string> documented;
    for (const auto& cells : table_of_docs("| variable | meaning |")) {
        ASSERT_EQ(cells.size(), 2u);
        documented.insert(cells[0].substr(1, cells[0].size() - 2));  // without backticks
    }
    EXPECT_EQ(documented, known());
}

TEST(variables, sources_use_the_variables_that_are_known) {
    const std::regex name("\"(OPUS_EMU_[A-Z_]+)\"");
    std::set<std::string> used;
    std::vector<std::filesystem::path> paths;
    for (const char* folder : {OPUS_EMU_SOURCES, OPUS_EMU_SOURCES "/../hiprtc"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file()) {
                paths.push_back(entry.path());
            }
        }
    }
    for (const auto& path : paths) {
        std::ifstream file(path);
        const std::string text((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
        const bool is_list = path.filename() == "settings.cpp";
        // There it stands in the list, and once more where it is read.
        std::multiset<std::string> found;
        for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end;
             ++match) {
            found.insert((*match)[1]);
        }
        for (const std::string& variable : found) {
            if (!is_list || found.count(variable) > 1) {
                used.insert(variable);
            }
        }
    }
    used.erase("OPUS_EMU_");
    EXPECT_EQ(used, known());
}

TEST(variables, numbers_are_digits_and_nothing_else) {
    EXPECT_EQ(parse_number("0"), 0u);
    EXPECT_EQ(parse_number("0010"), 10u);
    EXPECT_EQ(parse_number("18446744073709551615"), ~uint64_t{0});
    EXPECT_EQ(parse_number(std::string_view("1234").substr(1, 2)), 23u);
    for (const char* text :
         {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "1k", "1.5"}) {
        EXPECT_EQ(parse_number(text), std::nullopt) << text;
    }
}

std::string reported() {
    testing::internal::CaptureStderr();
    report_unknown_variables();
    return testing::internal::GetCapturedStderr();
}

TEST(variables, unknown_variables_are_reported_with_the_nearest_one) {
    EXPECT_EQ(reported(), "");
    const struct {
        const char* wrong;
        const char* meant;
    } rows[] = {{"OPUS_EMU_CHECKS", "OPUS_EMU_CHECK"},
                {"OPUS_EMU_TREADS", "OPUS_EMU_THREADS"},
                {"OPUS_EMU_arch", "OPUS_EMU_ARCH"},
                {"OPUS_EMU_CLOCK_GHz", "OPUS_EMU_CLOCK_GHZ"},
                {"OPUS_EMU_TIMELINE_GROUP", "OPUS_EMU_TIMELINE_GROUPS"},
                {"OPUS_EMU_FRESH_MEM", "OPUS_EMU_FRESH_MEMORY"}};
    for (const auto& [wrong, meant] : rows) {
        ::setenv(wrong, "1", 1);
        EXPECT_EQ(reported(), std::string("opus emulator: ") + wrong +
                                  " is no variable of the emulator; is " + meant + " meant?\n");
        ::unsetenv(wrong);
    }
    ::setenv("OPUS_EMULATOR_OF_SOMEBODY", "1", 1);
    ::setenv("OPUS_EMU_STATS", "1", 1);
    EXPECT_EQ(reported(), "");
    ::unsetenv("OPUS_EMULATOR_OF_SOMEBODY");
    ::unsetenv("OPUS_EMU_STATS");
}

// One letter that is left out, put in or replaced, anywhere behind the common beginning.
TEST(variables, of_each_the_nearest_one_is_itself) {
    const std::string_view common = "OPUS_EMU_";
    for (const std::string_view known : known_variables()) {
        std::set<std::string> wrong;
        for (size_t n = common.size(); n < known.size(); ++n) {
            const std::string before(known.substr(0, n));
            const std::string after(known.substr(n + 1));
            wrong.insert(before + after);
            wrong.insert(before + "q" + known[n] + after);
            wrong.insert(before + "q" + after);
        }
        for (const std::string& name : wrong) {
            ::setenv(name.c_str(), "1", 1);
        }
        std::istringstream lines(reported());
        for (std::string line; std::getline(lines, line);) {
            const bool is_known = line.ends_with("; is " + std::string(known) + " meant?");
            EXPECT_TRUE(is_known) << line;
        }
        for (const std::string& name : wrong) {
            ::unsetenv(name.c_str());
        }
    }
}

}  // namespace
}  // namespace emu
