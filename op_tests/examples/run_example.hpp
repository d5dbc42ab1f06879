// Runs an example as a user does, and keeps what it printed. Each run that passed is a row on
// stdout that begins with "PASS ".
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/device.hpp"
#include "directory_test.hpp"
#include "example_paths.hpp"

namespace examples_test {

// The main() of each example, from the example's own object file: this program holds them all.
using main_function = int (*)(int, char**);
const std::map<std::string, main_function>& mains_of_examples();

// Which of many combinations a test takes: those that go through each path of the code once, or, in a
// suite NAME_rest, which has the label slow, the others.
enum class part { paths, rest };
inline bool takes(part of, bool is_path) {
    return is_path == (of == part::paths);
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

// What --help says with one blank between words. How it is laid out is CLI11's, and differs between
// its versions: where lines break, "Usage:", the heading "Options:", "-h,--help" or "-h,  --help".
inline std::string words_of(const std::string& help) {
    std::string words;
    std::istringstream in(help);
    for (std::string word; in >> word;) {
        if (word == "Usage:") {
            continue;
        }
        const bool second_name = !words.empty() && words.back() == ',' && word[0] == '-';
        words +=
            (words.empty() || second_name ? "" : " ") + (word == "OPTIONS:" ? "Options:" : word);
    }
    return words;
}

// A .npy file. shape: "2, 3" or "6,"
inline std::string npy_bytes(const std::string& descr, const std::string& shape,
                             const std::string& data) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.append(0x76 - header.size() - 1, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + data;
}

// As npy_bytes() wants it.
inline std::string shape_text(int rows, int columns) {
    return std::to_string(rows) + ", " + std::to_string(columns);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    std::string result(values.size() * sizeof(T), '\0');
    if (!values.empty()) {
        std::memcpy(result.data(), values.data(), result.size());
    }
    return result;
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
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, without_driver(out), ""};
}

// gfx942 or gfx950, of a GPU too.
inline std::string device_arch() {
    if (examples::is_emulated()) {
        return examples::emulated_arch();
    }
    hipDeviceProp_t properties{};
    examples::check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
    return std::string(properties.gcnArchName).substr(0, 6);
}

// "PASS  gfx942  gemm_block      -m 33 -n 17 -k 5", "PASS  gpu     gemm_block      (defaults)"
inline std::string pass_row(const std::string& program, const std::string& arguments) {
    const std::string target = examples::is_emulated() ? examples::emulated_arch() : "gpu";
    char row[1024];
    std::snprintf(row, sizeof(row), "PASS  %-6s  %-14s  %s", target.c_str(),
                  fs::path(program).filename().c_str(),
                  arguments.empty() ? "(defaults)" : arguments.c_str());
    return row;
}

class in_directory : public directory_test {
protected:
    using environment = std::vector<std::pair<const char*, const char*>>;

    // What an example prints. To load the emulator and LLVM takes longer than most of them run, so
    // this is not a process that starts but a copy of this one, which has loaded them and has used
    // nothing of them. On a GPU each run is a process of its own, as everything is that needs a shell.
    outcome run(const std::string& program, const std::string& arguments,
                const environment& variables = {}) const {
        if (arguments.find_first_of("'\"\\$<>|&;*?(){}[]~#") != std::string::npos) {
            return directory_test::run("'" + program + "'", arguments);
        }
        std::vector<std::string> words;
        std::istringstream in(arguments);
        for (std::string word; in >> word;) {
            words.push_back(word);
        }
        return run(program, words, variables);
    }

    // @pre no word has a '
    outcome run(const std::string& program, std::vector<std::string> words,
                const environment& variables = {}) const {
        const auto example = mains_of_examples().find(fs::path(program).filename().string());
        if (example == mains_of_examples().end() || !examples::is_emulated()) {
            std::string command;
            for (const auto& [name, value] : variables) {
                command += std::string(name) + "='" + value + "' ";
            }
            std::string arguments;
            for (const std::string& word : words) {
                arguments += " '" + word + "'";
            }
            return directory_test::run(command + "'" + program + "'", arguments);
        }
        words.insert(words.begin(), program);
        std::vector<char*> argv;
        for (std::string& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        std::fflush(nullptr);
        const pid_t child = ::fork();
        if (child == 0) {
            for (const auto& [name, value] : variables) {
                ::setenv(name, value, 1);
            }
            if (::chdir(directory.c_str()) != 0 || std::freopen(".out", "w", stdout) == nullptr ||
                std::freopen(".err", "w", stderr) == nullptr) {
                std::_Exit(127);
            }
            std::exit(example->second(static_cast<int>(words.size()), argv.data()));
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status)) << testing::PrintToString(words);
        return {WEXITSTATUS(status), contents(directory / ".out"), contents(directory / ".err")};
    }

    // A process that starts.
    outcome run_alone(const std::string& program, const std::string& arguments) const {
        return directory_test::run("'" + program + "'", arguments);
    }

    void expect_pass(const std::string& program, const std::string& arguments) const {
        const outcome o = run(program, arguments);
        EXPECT_EQ(o.status, 0) << arguments << "\n" << o.out << o.err;
        EXPECT_EQ(o.err, "") << arguments;
        EXPECT_TRUE(o.has("\nPASS\n")) << arguments << "\n" << o.out;
        if (o.status == 0 && o.has("\nPASS\n")) {
            std::printf("%s\n", pass_row(program, arguments).c_str());
        }
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

    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(directory / name, std::ios::binary) << bytes;
    }

    template <class T = float>
    void write_npy(const std::string& name, const std::string& shape,
                   const std::vector<T>& values) const {
        write(name, npy_bytes(descr<T>(), shape, bytes_of(values)));
    }

    // The values of a file that npy::write() wrote.
    template <class T = float>
    std::vector<T> read_npy(const std::string& name) const {
        const std::string bytes = contents(directory / name);
        EXPECT_EQ(bytes.substr(0, 24), npy_bytes(descr<T>(), "", "").substr(0, 24)) << name;
        std::vector<T> values(bytes.size() < 128 ? 0 : (bytes.size() - 128) / sizeof(T));
        if (!values.empty()) {
            std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(T));
        }
        return values;
    }

    // The same bits at each run, whichever workgroup comes first, and near enough with any number of
    // splits: expect_pass compares with the reference.
    void expect_same_bits_at_every_run(const std::string& program, const std::string& arguments,
                                       const std::vector<std::string>& splits) const {
        std::vector<float> of_one;
        bool differs = false;
        for (const std::string& count : splits) {
            const std::string all = arguments + " --out d.npy --splits " + count;
            expect_pass(program, all);
            const std::vector<float> first = read_npy("d.npy");
            expect_pass(program, all);
            EXPECT_EQ(read_npy("d.npy"), first) << all;
            of_one = of_one.empty() ? first : of_one;
            differs |= first != of_one;
        }
        EXPECT_TRUE(differs) << "another order of the sums, and not one bit";
    }

private:
    template <class T>
    static std::string descr() {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float or double");
        return sizeof(T) == 8 ? "<f8" : "<f4";
    }
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
