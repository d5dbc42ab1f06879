// SPDX-License-Identifier: MIT
// examples/gemm_naive as a user runs it: results, options, and every way to be told what is wrong.
// The .npy files of these tests are put together here, not by the code under test.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/gemm_host.hpp"

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct outcome {
    int status;
    std::string out;
    std::string err;
};

class gemm_naive_test : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opus_gemm_XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory = name;
    }

    void TearDown() override { fs::remove_all(directory); }

    // Runs the example with this directory as the current one. No argument has a quote.
    outcome run(const std::vector<std::string>& arguments) const {
        std::string command = "cd '" + directory.string() + "' && '" OPUS_GEMM_NAIVE "'";
        for (const std::string& argument : arguments) {
            command += " '" + argument + "'";
        }
        command += " > .out 2> .err";
        const int status = std::system(command.c_str());
        EXPECT_TRUE(WIFEXITED(status)) << command;
        return {WEXITSTATUS(status), contents(directory / ".out"), contents(directory / ".err")};
    }

    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(directory / name, std::ios::binary) << bytes;
    }

    bool exists(const std::string& name) const { return fs::exists(directory / name); }

    // What is in the directory apart from the output of run().
    std::set<std::string> files() const {
        std::set<std::string> result;
        for (const auto& entry : fs::directory_iterator(directory)) {
            result.insert(entry.path().filename().string());
        }
        result.erase(".out");
        result.erase(".err");
        return result;
    }

    fs::path directory;
};

std::string npy_bytes(const std::string& descr, const std::string& shape, const std::string& data) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.append(0x76 - header.size() - 1, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    std::string result(values.size() * sizeof(T), '\0');
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

std::string shape_text(int rows, int columns) {
    return std::to_string(rows) + ", " + std::to_string(columns);
}

// The f16 of an integer of magnitude up to 2048, by hand.
std::uint16_t f16_bits(int value) {
    if (value == 0) {
        return 0;
    }
    const unsigned sign = value < 0 ? 0x8000u : 0u;
    const auto magnitude = static_cast<unsigned>(std::abs(value));
    unsigned exponent = 0;
    while (magnitude >> (exponent + 1) != 0) {
        ++exponent;
    }
    const unsigned fraction = (exponent <= 10 ? magnitude << (10 - exponent) : magnitude >> 1);
    return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | (fraction & 0x3ff));
}

// Different in every row and column, and small enough for exact sums.
int element(int row, int column, int salt) {
    return (row * 7 + column * 5 + row * column + salt) % 17 - 8;
}

std::vector<float> output_values(const fs::path& file, int m, int n) {
    const std::string bytes = contents(file);
    const std::string data(bytes, std::min<std::size_t>(bytes.size(), 128));
    EXPECT_EQ(bytes.substr(0, 128), npy_bytes("<f4", shape_text(m, n), ""));
    std::vector<float> values(data.size() / 4);
    std::memcpy(values.data(), data.data(), values.size() * 4);
    EXPECT_EQ(values.size(), static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    return values;
}

// == results ======================================================================================

TEST_F(gemm_naive_test, reports_what_it_did) {
    const outcome o = run({"-m", "33", "-n", "17", "-k", "5"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    const std::regex report(
        "gemm_naive: C\\[33, 17\\] = A\\[33, 5\\] \\* B\\[17, 5\\]\\^T\n"
        "device: ([^\n]+)\n"
        "(?:counted: 5610 FLOP, 2744 bytes, 2.04 FLOP/byte \\(emulated: times mean nothing\\)"
        "|time: [^\n]+ TFLOP/s, [^\n]+peak[^\n]+)\n"
        "largest error: [0-9.e+-]+ at C\\[[0-9]+, [0-9]+\\]; error / tolerance at most [0-9.e+-]+\n"
        "PASS\n");
    std::smatch match;
    ASSERT_TRUE(std::regex_match(o.out, match, report)) << o.out;
    if (const char* const arch = std::getenv("OPUS_EMU_ARCH")) {
        EXPECT_EQ(match[1], std::string(arch) + ", emulated");
    }
    EXPECT_TRUE(files().empty());
}

// Every rest of M and N by 32 that is special, and every rest of K by 8, compared with a product of
// integers computed here.
TEST_F(gemm_naive_test, is_exact_on_integers_at_every_edge) {
    struct {
        int m, n, k;
    } const shapes[] = {{1, 1, 1},    {1, 1, 8},    {33, 17, 5},  {32, 32, 8},  {31, 33, 2},
                        {64, 1, 3},   {1, 65, 4},   {5, 70, 12},  {40, 32, 6},  {32, 40, 7},
                        {63, 64, 16}, {64, 63, 9},  {97, 31, 20}, {2, 3, 100},  {128, 96, 68},
                        {96, 95, 67}, {33, 32, 10}, {32, 33, 11}, {32, 34, 13}, {34, 32, 15}};
    for (const auto& s : shapes) {
        SCOPED_TRACE(shape_text(s.m, s.n) + ", k " + std::to_string(s.k));
        std::vector<std::uint16_t> a;
        std::vector<float> b;
        for (int i = 0; i < s.m; ++i) {
            for (int l = 0; l < s.k; ++l) {
                a.push_back(f16_bits(element(i, l, 0)));
            }
        }
        for (int j = 0; j < s.n; ++j) {
            for (int l = 0; l < s.k; ++l) {
                b.push_back(static_cast<float>(element(j, l, 3)));
            }
        }
        write("a.npy", npy_bytes("<f2", shape_text(s.m, s.k), bytes_of(a)));
        write("b.npy", npy_bytes("<f4", shape_text(s.n, s.k), bytes_of(b)));
        const outcome o = run({"--a", "a.npy", "--b", "b.npy", "--out", "c.npy"});
        ASSERT_EQ(o.status, 0) << o.out << o.err;
        const std::vector<float> c = output_values(directory / "c.npy", s.m, s.n);
        std::size_t at = 0;
        for (int i = 0; i < s.m; ++i) {
            for (int j = 0; j < s.n; ++j, ++at) {
                int expected = 0;
                for (int l = 0; l < s.k; ++l) {
                    expected += element(i, l, 0) * element(j, l, 3);
                }
                ASSERT_EQ(c[at], static_cast<float>(expected)) << "C[" << i << ", " << j << "]";
            }
        }
    }
}

TEST_F(gemm_naive_test, passes_on_a_larger_random_problem) {
    const outcome o = run({"-m", "512", "-n", "384", "-k", "256"});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_NE(o.out.find("\nPASS\n"), std::string::npos) << o.out;
}

TEST_F(gemm_naive_test, has_default_sizes_and_a_reproducible_seed) {
    const std::vector<std::string> size{"-m", "3", "-n", "4", "-k", "6"};
    const auto product = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = size;
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"--out", "c.npy"});
        EXPECT_EQ(run(arguments).status, 0);
        return contents(directory / "c.npy");
    };
    const std::string first = product({});
    EXPECT_EQ(first, product({"--seed", "1"}));
    EXPECT_EQ(first, product({}));
    EXPECT_NE(first, product({"--seed", "2"}));
    // The seed reaches both matrices.
    EXPECT_NE(product({"--seed", "2"}), product({"--seed", "3"}));
}

TEST_F(gemm_naive_test, takes_sizes_from_its_files) {
    write("a.npy", npy_bytes("<f4", "2, 3", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("b.npy", npy_bytes("<f4", "4, 3", bytes_of(std::vector<float>(12, 1.0f))));
    outcome o = run({"--a", "a.npy", "-n", "7"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("C[2, 7] = A[2, 3] * B[7, 3]^T"), std::string::npos) << o.out;
    o = run({"--b", "b.npy", "-m", "5", "-k", "3"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("C[5, 4] = A[5, 3] * B[4, 3]^T"), std::string::npos) << o.out;
    o = run({"--a", "a.npy", "--b", "b.npy", "-m", "2", "-n", "4", "-k", "3", "--out", "c.npy"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(output_values(directory / "c.npy", 2, 4),
              (std::vector<float>{6, 6, 6, 6, 15, 15, 15, 15}));
}

// f32 in a file becomes the nearest f16, ties to even; subnormals are kept.
TEST_F(gemm_naive_test, rounds_f32_to_the_nearest_f16) {
    struct {
        float in, out;
    } const rows[] = {{0.1f, 0.0999755859375f}, {2049, 2048},        {2051, 2052},
                      {-65519.99f, -65504},     {0x1p-25f, 0},       {0x1.8p-25f, 0x1p-24f},
                      {-0x1.8p-24f, -0x1p-23f}, {0x1p-14f, 0x1p-14f}};
    std::vector<float> in;
    std::vector<float> out;
    for (const auto& row : rows) {
        in.push_back(row.in);
        out.push_back(row.out);
    }
    write("a.npy", npy_bytes("<f4", "8, 1", bytes_of(in)));
    write("b.npy", npy_bytes("<f2", "1, 1", bytes_of<std::uint16_t>({0x3c00})));
    const outcome o = run({"--a", "a.npy", "--b", "b.npy", "--out", "c.npy"});
    ASSERT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(output_values(directory / "c.npy", 8, 1), out);
}

TEST_F(gemm_naive_test, verifies_unless_told_not_to) {
    const outcome o = run({"-m", "3", "-n", "4", "-k", "5", "--verify", "0", "--iters", "2"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("\nnot verified\n"), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("PASS"), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("largest error"), std::string::npos) << o.out;
}

TEST_F(gemm_naive_test, explains_itself) {
    const outcome o = run({"--help"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    for (const char* option :
         {"-m", "-n", "-k", "--seed", "--a", "--b", "--out", "--verify", "--iters", "--help"}) {
        EXPECT_NE(o.out.find(option), std::string::npos) << option;
    }
}

// == refusals =====================================================================================

// One line on stderr, status 2, nothing computed and no file written or changed.
TEST_F(gemm_naive_test, refuses_with_one_line_and_status_2) {
    const std::string f16_data = bytes_of(std::vector<std::uint16_t>(6, 0x3c00));
    const std::string good = npy_bytes("<f2", "2, 3", f16_data);
    const auto f32_file = [](const std::string& shape, const std::vector<float>& values) {
        return npy_bytes("<f4", shape, bytes_of(values));
    };
    write("good.npy", good);
    write("other_k.npy", npy_bytes("<f2", "3, 2", f16_data));
    write("vector.npy", npy_bytes("<f2", "6,", f16_data));
    write("cube.npy", npy_bytes("<f2", "1, 2, 3", f16_data));
    write("empty.npy", npy_bytes("<f2", "0, 3", ""));
    write("huge.npy", npy_bytes("<f2", "4611686018427387904, 4", ""));
    write("large.npy", npy_bytes("<f2", "1048577, 1", std::string(2 * 1048577, '\0')));
    write("double.npy", npy_bytes("<f8", "1, 1", std::string(8, '\0')));
    write("big_endian.npy", npy_bytes(">f4", "1, 1", std::string(4, '\0')));
    write("short.npy", good.substr(0, good.size() - 1));
    write("header.npy", good.substr(0, 60));
    write("long.npy", good + '\0');
    write("text.npy", "1 2 3\n4 5 6\n");
    write("nothing.npy", "");
    write("overflow.npy", f32_file("1, 3", {1, 65520, 2}));
    write("negative.npy", f32_file("3, 1", {1, 2, -1e30f}));
    write("infinite.npy", f32_file("1, 2", {1, INFINITY}));
    write("f16_infinite.npy", npy_bytes("<f2", "1, 1", bytes_of<std::uint16_t>({0xfc00})));
    write("nan.npy", npy_bytes("<f2", "1, 1", bytes_of<std::uint16_t>({0x7e00})));
    std::string fortran = good;
    fortran.replace(fortran.find("False"), 5, "True ");
    write("fortran.npy", fortran);
    write("old.npy", "kept");
    fs::create_directory(directory / "directory");

    struct {
        std::vector<std::string> arguments;
        std::string message;  // a regular expression for all of it
    } const rows[] = {
        {{"-m", "0"}, "-m is '0': it must be an integer from 1 to 1048576"},
        {{"-n", "-5"}, "-n is '-5': it must be an integer from 1 to 1048576"},
        {{"-k", "0"}, "-k is '0': it must be an integer from 1 to 1048576"},
        {{"-k", "1048577"}, "-k is '1048577': it must be an integer from 1 to 1048576"},
        {{"-m", "0", "--a", "good.npy"}, "-m is '0': it must be an integer from 1 to 1048576"},
        {{"-m", "many"}, "-m is 'many': it must be an integer from 1 to 1048576"},
        {{"-m", "1.5"}, "-m is '1\\.5': it must be an integer from 1 to 1048576"},
        {{"-m", "99999999999999999999"},
         "-m is '99999999999999999999': it must be an integer from 1 to 1048576"},
        {{"-n", ""}, "-n is '': it must be an integer from 1 to 1048576"},
        {{"-m"}, ".*-m.*"},
        {{"--seed", "-1"}, "--seed is '-1': it must be an integer from 0 to 18446744073709551615"},
        {{"--verify", "2"}, "--verify is '2': it must be an integer from 0 to 1"},
        {{"--iters", "0"}, "--iters is '0': it must be an integer from 1 to 1000000"},
        {{"--type", "f16"}, ".*--type.*"},
        {{"--alpha", "2"}, ".*--alpha.*"},
        {{"--b"}, ".*--b.*"},
        {{"--unknown"}, ".*--unknown.*"},
        {{"stray"}, ".*stray.*"},
        {{"--a", "absent.npy"}, "absent.npy: cannot open: No such file or directory"},
        {{"--b", "absent.npy"}, "absent.npy: cannot open: No such file or directory"},
        {{"--a", ""}, ": cannot open: No such file or directory"},
        {{"--a", "directory"}, "directory: is a directory"},
        {{"--a", "text.npy"}, "text.npy: is not a .npy file"},
        {{"--a", "nothing.npy"}, "nothing.npy: is not a .npy file"},
        {{"--a", "header.npy"}, "header.npy: is truncated in its header"},
        {{"--b", "short.npy"}, "short.npy: is truncated: 11 bytes of data, 12 expected"},
        {{"--b", "long.npy"}, "long.npy: has more data than its shape says"},
        {{"--a", "vector.npy"}, "vector.npy: has rank 1, a matrix has rank 2"},
        {{"--b", "cube.npy"}, "cube.npy: has rank 3, a matrix has rank 2"},
        {{"--a", "empty.npy"}, "empty.npy: has shape 0 x 3, each must be from 1 to 1048576"},
        {{"--b", "large.npy"}, "large.npy: has shape 1048577 x 1, each must be from 1 to 1048576"},
        {{"--a", "huge.npy"}, "huge.npy: the array is too large \\(its size in bytes overflows\\)"},
        {{"--a", "double.npy"},
         "double.npy: dtype '<f8' is not supported \\('<f2' or '<f4' is needed\\)"},
        {{"--a", "big_endian.npy"},
         "big_endian.npy: dtype '>f4' is not supported \\('<f2' or '<f4' is needed\\)"},
        {{"--a", "fortran.npy"},
         "fortran.npy: Fortran order is not supported \\(row-major order is needed\\)"},
        {{"--a", "overflow.npy"},
         "overflow.npy: element \\[0, 1\\] is 65520, which overflows f16 \\(largest: 65504\\)"},
        {{"--b", "negative.npy"},
         "negative.npy: element \\[2, 0\\] is -1e\\+30, which overflows f16 \\(largest: 65504\\)"},
        {{"--b", "infinite.npy"},
         "infinite.npy: element \\[0, 1\\] is inf, only finite values can be multiplied"},
        {{"--a", "f16_infinite.npy"},
         "f16_infinite.npy: element \\[0, 0\\] is -inf, only finite values can be multiplied"},
        {{"--a", "nan.npy"},
         "nan.npy: element \\[0, 0\\] is -?nan, only finite values can be multiplied"},
        {{"--a", "good.npy", "-m", "3"}, "-m 3 contradicts good.npy, where it is 2"},
        {{"--a", "good.npy", "-k", "4"}, "-k 4 contradicts good.npy, where it is 3"},
        {{"--b", "good.npy", "-n", "1"}, "-n 1 contradicts good.npy, where it is 2"},
        {{"--b", "good.npy", "-k", "2"}, "-k 2 contradicts good.npy, where it is 3"},
        {{"--a", "good.npy", "--b", "other_k.npy"},
         "good.npy is 2 x 3 and other_k.npy is 3 x 2: "
         "A\\[M, K\\] and B\\[N, K\\] need the same number of columns"},
    };
    const std::set<std::string> before = files();
    const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
        std::string all;
        for (const std::string& argument : arguments) {
            all += " " + argument;
        }
        SCOPED_TRACE("gemm_naive" + all);
        const outcome o = run(arguments);
        EXPECT_EQ(o.status, 2);
        EXPECT_EQ(o.out, "");
        EXPECT_TRUE(std::regex_match(o.err, std::regex("gemm_naive: " + message + "\n")))
            << o.err << "does not match " << message;
        EXPECT_EQ(files(), before);
        EXPECT_EQ(contents(directory / "old.npy"), "kept");
    };
    for (const auto& row : rows) {
        refused(row.arguments, row.message);
        // Written neither to a name that is free nor to one that is not.
        for (const char* out : {"c.npy", "old.npy"}) {
            std::vector<std::string> arguments{"--out", out};
            arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
            refused(arguments, row.message);
        }
    }

    const std::vector<std::string> small{"-m", "1", "-n", "1", "-k", "1", "--out"};
    for (const auto& [out, message] : std::vector<std::pair<std::string, std::string>>{
             {"no/such/c.npy", "no/such/c.npy: cannot write: No such file or directory"},
             {"good.npy/c.npy", "good.npy/c.npy: cannot write: Not a directory"},
             {"directory", "directory: cannot write: is not a regular file"},
             {"/dev/null", "/dev/null: cannot write: is not a regular file"},
             {"", ": cannot write: No such file or directory"}}) {
        std::vector<std::string> arguments = small;
        arguments.push_back(out);
        refused(arguments, message);
    }
}

// == the check itself =============================================================================

examples::gemm_problem problem(int m, int n, int k) {
    examples::gemm_problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    for (int i = 0; i < m * k; ++i) {
        p.a.push_back(static_cast<float>(i % 7 - 3) * 0.25f);
    }
    for (int i = 0; i < n * k; ++i) {
        p.b.push_back(static_cast<float>(i % 5 - 2) * 0.5f);
    }
    return p;
}

std::vector<float> exact_product(const examples::gemm_problem& p) {
    std::vector<float> c;
    for (int i = 0; i < p.m; ++i) {
        for (int j = 0; j < p.n; ++j) {
            float sum = 0;
            for (int l = 0; l < p.k; ++l) {
                sum += p.a[static_cast<std::size_t>(i * p.k + l)] *
                       p.b[static_cast<std::size_t>(j * p.k + l)];
            }
            c.push_back(sum);
        }
    }
    return c;
}

// Status of the example with a kernel that gives c.
int status_of(const std::vector<float>& c) {
    char name[] = "gemm";
    char m[] = "-m3";
    char n[] = "-n5";
    char k[] = "-k7";
    char seed[] = "--seed=4";
    char* arguments[] = {name, m, n, k, seed, nullptr};
    return examples::gemm_main(5, arguments, {}, [&](const examples::gemm_problem& p) {
        return examples::gemm_result(c.empty() ? exact_product(p) : c);
    });
}

TEST(gemm_check, accepts_the_product) {
    const examples::gemm_problem p = problem(3, 5, 7);
    EXPECT_TRUE(examples::detail::check_product(p, exact_product(p)));
    EXPECT_EQ(status_of({}), 0);
}

TEST(gemm_check, refuses_any_wrong_element) {
    const examples::gemm_problem p = problem(3, 5, 7);
    const std::vector<float> good = exact_product(p);
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const float wrong : {good[i] + 0.125f, good[i] - 0.125f, NAN, INFINITY, -INFINITY}) {
            std::vector<float> c = good;
            c[i] = wrong;
            EXPECT_FALSE(examples::detail::check_product(p, c)) << i << ": " << wrong;
        }
    }
    EXPECT_EQ(status_of(std::vector<float>(15, 0.0f)), 1);
    EXPECT_EQ(status_of(std::vector<float>(15, NAN)), 1);
}

// K * 2^-23 * sum |a * b|: 2 * 2^-23 * 2 here.
TEST(gemm_check, tolerates_what_the_additions_may_lose) {
    examples::gemm_problem p;
    p.m = 1;
    p.n = 1;
    p.k = 2;
    p.a = {1.0f, -1.0f};
    p.b = p.a;
    EXPECT_TRUE(examples::detail::check_product(p, {2.0f}));
    EXPECT_TRUE(examples::detail::check_product(p, {2.0f + 0x1p-21f}));
    EXPECT_FALSE(examples::detail::check_product(p, {2.0f + 0x1.8p-21f}));
    EXPECT_TRUE(examples::detail::check_product(p, {2.0f - 0x1p-21f}));
    EXPECT_FALSE(examples::detail::check_product(p, {2.0f - 0x1.4p-21f}));
    // Nothing can be lost where every product is 0.
    p.b = {0.0f, 0.0f};
    EXPECT_TRUE(examples::detail::check_product(p, {0.0f}));
    EXPECT_FALSE(examples::detail::check_product(p, {0x1p-149f}));
}

// K + 2 units of 2^-23 * (|alpha| * S + |beta * c|).
TEST(gemm_check, tolerates_what_alpha_and_beta_lose) {
    examples::gemm_problem p;
    p.m = 1;
    p.n = 1;
    p.k = 2;
    p.alpha = -2.0f;
    p.beta = 0.5f;
    p.a = {1.0f, 1.0f};
    p.b = {1.0f, 1.0f};
    p.c = {8.0f};
    // -4 + 4 = 0, 4 units of 2^-23 * 8.
    EXPECT_TRUE(examples::detail::check_product(p, {0.0f}));
    EXPECT_TRUE(examples::detail::check_product(p, {0x1p-18f}));
    EXPECT_TRUE(examples::detail::check_product(p, {-0x1p-18f}));
    EXPECT_FALSE(examples::detail::check_product(p, {0x1.1p-18f}));
    EXPECT_FALSE(examples::detail::check_product(p, {-0x1.1p-18f}));
}

// The rounded ends of the tolerance, which is far below half a unit of f16 and bf16 here.
TEST(gemm_check, tolerates_the_rounding_of_the_output_and_no_more) {
    examples::gemm_problem p;
    p.m = 1;
    p.n = 1;
    p.k = 1;
    p.b = {1.0f};
    p.out_type = examples::element::f16;
    p.a = {1.0f + 0x1p-12f};
    EXPECT_TRUE(examples::detail::check_product(p, {1.0f}));
    EXPECT_FALSE(examples::detail::check_product(p, {1.0f + 0x1p-10f}));
    p.a = {1.0f + 0x1p-11f};  // a tie: both may be
    EXPECT_TRUE(examples::detail::check_product(p, {1.0f}));
    EXPECT_TRUE(examples::detail::check_product(p, {1.0f + 0x1p-10f}));
    EXPECT_FALSE(examples::detail::check_product(p, {1.0f - 0x1p-11f}));
    EXPECT_FALSE(examples::detail::check_product(p, {1.0f + 0x1p-9f}));
    p.a = {-70000.0f};
    EXPECT_TRUE(examples::detail::check_product(p, {-INFINITY}));
    EXPECT_FALSE(examples::detail::check_product(p, {INFINITY}));
    EXPECT_FALSE(examples::detail::check_product(p, {-65504.0f}));
    EXPECT_FALSE(examples::detail::check_product(p, {NAN}));
    p.out_type = examples::element::bf16;
    p.a = {1.0f + 0x1p-9f};
    EXPECT_TRUE(examples::detail::check_product(p, {1.0f}));
    EXPECT_FALSE(examples::detail::check_product(p, {1.0f + 0x1p-7f}));
}

// On the emulator too, where the result of time_launches() does not depend on it.
TEST(gemm_report, measures_after_one_launch_that_does_not_count) {
    int launches = 0;
    const double time = examples::detail::measure_launches(5, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(launches == 0 ? 1000 : 20));
        launches++;
    });
    EXPECT_EQ(launches, 6);
    if (examples::is_emulated()) {
        EXPECT_GE(time, 20);  // of the host's clock; on a GPU nothing runs between the events
        EXPECT_LT(time, 200);
        launches = 0;
        EXPECT_EQ(examples::time_launches(3, "nothing", [&] { launches++; }), 0);
        EXPECT_EQ(launches, 3);
    }
}

TEST(gemm_report, is_what_was_counted_or_measured) {
    using examples::machine_peaks;
    EXPECT_EQ(examples::compute_report(1000, 500, 0, &machine_peaks::f16, "gfx942, emulated"),
              "counted: 1000 FLOP, 500 bytes, 2 FLOP/byte (emulated: times mean nothing)");
    EXPECT_EQ(examples::compute_report(1.307e12, 1, 2, &machine_peaks::f16, "AMD Instinct MI300X"),
              "time: 2 ms, 653.5 TFLOP/s, 50.0 % of the peak of MI300X (1307 TFLOP/s)");
    EXPECT_EQ(examples::compute_report(1e12, 1, 1, &machine_peaks::fp4, "AMD Instinct MI300X"),
              "time: 1 ms, 1000 TFLOP/s, the peak of this device is not known");
    EXPECT_EQ(examples::compute_report(1.573e11, 1, 2, &machine_peaks::f32, "MI355X"),
              "time: 2 ms, 78.65 TFLOP/s, 50.0 % of the peak of MI355X (157.3 TFLOP/s)");
    EXPECT_EQ(examples::memory_report(8e9, 2, "AMD Instinct MI355X"),
              "time: 2 ms, 4000 GB/s, 50.0 % of the peak of MI355X (8000 GB/s)");
    EXPECT_EQ(examples::memory_report(100, 0, "x"),
              "counted: 100 bytes (emulated: times mean nothing)");
    EXPECT_EQ(
        examples::moved_report(1025, 1000, 0, "gfx950, emulated"),
        "counted: 1025 bytes moved, 2.50 % more than the least (emulated: times mean nothing)");
    EXPECT_EQ(examples::moved_report(8e9, 8e9, 2, "AMD Instinct MI355X"),
              "counted: 8000000000 bytes moved, 0.00 % more than the least\n"
              "time: 2 ms, 4000 GB/s, 50.0 % of the peak of MI355X (8000 GB/s)");
}

TEST(gemm_report, knows_machines_and_one_for_each_emulated_target) {
    const auto name = [](const char* device) {
        const examples::machine_peaks* const peaks = examples::find_peaks(device);
        return std::string(peaks == nullptr ? "none" : peaks->name);
    };
    EXPECT_EQ(name("AMD Instinct MI300X"), "MI300X");
    EXPECT_EQ(name("AMD Instinct MI325X"), "MI325X");
    EXPECT_EQ(name("AMD Instinct MI350X"), "MI350X");
    EXPECT_EQ(name("AMD Instinct MI355X OAM"), "MI355X");
    EXPECT_EQ(name("gfx942, emulated"), "MI300X");
    EXPECT_EQ(name("gfx950, emulated"), "MI355X");
    EXPECT_EQ(name("gfx950"), "none");
    EXPECT_EQ(name("gfx90a, emulated"), "none");
    EXPECT_EQ(name("HIP device 0"), "none");
    EXPECT_EQ(examples::find_peaks("MI350X")->f64, 72.1);
    EXPECT_EQ(examples::find_peaks("MI350X")->f32, 144.2);
    EXPECT_EQ(examples::find_peaks("MI300X")->arch, std::string("gfx942"));
}

TEST(gemm_check, a_device_error_is_status_2) {
    char name[] = "gemm";
    char* arguments[] = {name, nullptr};
    EXPECT_EQ(examples::gemm_main(1, arguments, {},
                                  [](const examples::gemm_problem&) -> examples::gemm_result {
                                      examples::check(hipErrorOutOfMemory, "hipMalloc");
                                      return {{}};
                                  }),
              2);
}

}  // namespace
