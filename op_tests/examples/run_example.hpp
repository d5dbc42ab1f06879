// Runs an example as a user does, and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace examples_test {

namespace fs = std::filesystem;

struct outcome {
    int status;
    std::string out;
    std::string err;

    bool has(const std::string& text) const { return out.find(text) != std::string::npos; }
};

inline std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Runs it in the current directory, with stdout and stderr both in `out`. `arguments` is for the
// shell.
inline outcome run_program(const std::string& program, const std::string& arguments) {
    const std::string command = "'" + program + "' " + arguments + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return {-1, "popen failed", ""};
    }
    std::string out;
    char part[4096];
    while (std::fgets(part, sizeof(part), pipe) != nullptr) {
        out += part;
    }
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, ""};
}

// A test with a directory of its own, which is the current one of the example.
class in_directory : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opus_example_XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory = name;
    }

    void TearDown() override { fs::remove_all(directory); }

    // `arguments` is for the shell.
    outcome run(const std::string& program, const std::string& arguments) const {
        const std::string command =
            "cd '" + directory.string() + "' && '" + program + "' " + arguments + " > .out 2> .err";
        const int status = std::system(command.c_str());
        EXPECT_TRUE(WIFEXITED(status)) << command;
        return {WEXITSTATUS(status), contents(directory / ".out"), contents(directory / ".err")};
    }

    void expect_pass(const std::string& program, const std::string& arguments) const {
        const outcome o = run(program, arguments);
        EXPECT_EQ(o.status, 0) << arguments << "\n" << o.out << o.err;
        EXPECT_EQ(o.err, "") << arguments;
        EXPECT_TRUE(o.has("\nPASS\n")) << arguments << "\n" << o.out;
    }

    // One line on stderr, nothing else.
    void expect_refusal(const std::string& program, const std::string& arguments,
                        const std::string& message) const {
        const outcome o = run(program, arguments);
        EXPECT_EQ(o.status, 2) << arguments;
        EXPECT_EQ(o.out, "") << arguments;
        EXPECT_EQ(o.err, fs::path(program).filename().string() + ": " + message + "\n")
            << arguments;
    }

    // shape: "2, 3" or "6,"
    void write_npy(const std::string& name, const std::string& shape,
                   const std::vector<float>& values) const {
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
        header.append(0x76 - header.size() - 1, ' ');
        std::ofstream out(directory / name, std::ios::binary);
        out << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n';
        out.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * 4));
    }

    // The values of a file that npy::write() wrote.
    std::vector<float> read_npy(const std::string& name) const {
        const std::string bytes = contents(directory / name);
        EXPECT_GE(bytes.size(), 128u);
        std::vector<float> values(bytes.size() < 128 ? 0 : (bytes.size() - 128) / 4);
        if (!values.empty()) {
            std::memcpy(values.data(), bytes.data() + 128, values.size() * 4);
        }
        return values;
    }

    fs::path directory;
};

// Not 0, different from row to row and column to column, exact in every format down to fp4.
inline float small_value(int row, int column, unsigned salt) {
    const unsigned hash = (static_cast<unsigned>(row) * 2654435761u +
                           static_cast<unsigned>(column) * 40503u + salt * 977u) *
                          2246822519u;
    const float values[] = {-3, -2, -1.5f, -1, -0.5f, 0.5f, 1, 1.5f, 2, 3};
    return values[(hash >> 20) % 10];
}

inline std::vector<float> small_matrix(int rows, int columns, unsigned salt) {
    std::vector<float> result;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            result.push_back(small_value(i, j, salt));
        }
    }
    return result;
}

// A * B^T; exact for such matrices.
inline std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, int m,
                                  int n, int k) {
    std::vector<float> c;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l) {
                sum +=
                    a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(j * k + l)];
            }
            c.push_back(sum);
        }
    }
    return c;
}

}  // namespace examples_test
