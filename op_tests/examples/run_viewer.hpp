// SPDX-License-Identifier: MIT
// Runs examples/layout_viewer as a user does, in an empty directory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "directory_test.hpp"

namespace viewer_test {

namespace fs = std::filesystem;

using examples_test::contents;
using examples_test::outcome;

// The cells of a --full table: of the lines after the first empty one, without the headings.
inline std::vector<std::vector<std::string>> cells(const std::string& out) {
    std::istringstream lines(out.substr(out.find("\n\n") + 2));
    std::string line;
    std::getline(lines, line);  // column numbers
    std::vector<std::vector<std::string>> result;
    while (std::getline(lines, line) && !line.empty()) {
        std::istringstream words(line);
        result.emplace_back(std::istream_iterator<std::string>(words),
                            std::istream_iterator<std::string>());
        result.back().erase(result.back().begin());
    }
    return result;
}

inline bool has_line(const std::string& out, const std::string& line) {
    return ("\n" + out).find("\n" + line + "\n") != std::string::npos;
}

class layout_viewer_test : public examples_test::directory_test {
protected:
    outcome run(const std::string& arguments) const {
        return directory_test::run("'" OPUS_LAYOUT_VIEWER "'", arguments);
    }

    // What it prints where nothing is wrong.
    std::string table(const std::string& arguments) const {
        const outcome o = run(arguments);
        EXPECT_EQ(o.status, 0) << arguments;
        EXPECT_EQ(o.err, "") << arguments;
        EXPECT_EQ(o.out.find('\033'), std::string::npos) << "colours without a terminal";
        return o.out;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        std::istringstream lines(table("--list"));
        for (std::string line; std::getline(lines, line);) {
            if (line[0] != ' ') {
                result.push_back(line.substr(0, line.find(' ')));
            }
        }
        return result;
    }

    std::size_t files() const {
        return static_cast<std::size_t>(
            std::count_if(fs::directory_iterator(directory), fs::directory_iterator(),
                          [](const auto& e) { return e.path().filename().string()[0] != '.'; }));
    }
};

}  // namespace viewer_test
