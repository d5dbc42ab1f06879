// SPDX-License-Identifier: MIT
// Programs that are run as a user does, in an empty directory, and what they printed.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace examples_test {

namespace fs = std::filesystem;

struct outcome {
    int status;
    std::string out;
    std::string err;

    bool has(const std::string& text) const { return out.find(text) != std::string::npos; }
};

inline std::string contents(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
}

// Without the line that the library below HIP's runtime prints on stderr where a list of GPUs'
// names is not installed, as in containers with a GPU:
// "/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory".
inline std::string without_driver(const std::string& text) {
    std::string rest;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.find("/amdgpu.ids: ") == std::string::npos) {
            rest += line + (in.eof() ? "" : "\n");
        }
    }
    return rest;
}

// A test with a directory of its own, which is the current one of what it runs.
class directory_test : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opus_example_XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory = name;
    }

    void TearDown() override { fs::remove_all(directory); }

    // Runs a command of the shell; its exit status.
    int shell(const std::string& command) const {
        const int status = std::system(("cd '" + directory.string() + "' && " + command).c_str());
        EXPECT_TRUE(WIFEXITED(status)) << command;
        return WEXITSTATUS(status);
    }

    // Both are for the shell.
    outcome run(const std::string& program, const std::string& arguments) const {
        const int status = shell(program + " " + arguments + " > .out 2> .err");
        return {status, contents(directory / ".out"), without_driver(contents(directory / ".err"))};
    }

    fs::path directory;
};

}  // namespace examples_test
