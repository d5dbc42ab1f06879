// SPDX-License-Identifier: MIT
// examples/gemm_naive as a user runs it: results, options, and every way to be told what is wrong.
// The .npy files of these tests are put together here, not by the code under test.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/gemm_host.hpp"
#include "run_example.hpp"

namespace {

namespace fs = std::filesystem;

using examples_test::bytes_of;
using examples_test::contents;
using examples_test::npy_bytes;
using examples_test::outcome;
using examples_test::shape_text;

class gemm_naive_test : public examples_test::in_directory {
protected:
    // No argument has a quote.
    outcome run(const std::vector<std::string>& arguments) const {
        return in_directory::run(program, arguments);
    }

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

    const std::string program = OPUS_GEMM_NAIVE;
};

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
int small_element(int row, int column, int salt) {
    return (row * 7 + column * 5 + row * column + salt) % 17 - 8;
}

// The values of a file that is exactly what the example writes for m x n.
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
        "(?:no difference|largest difference: [0-9.e+-]+ at C\\[[0-9]+, [0-9]+\\]; up to "
        "[0-9.e+-]+ of the tolerance)\n"
        "PASS\n");
    std::smatch match;
    ASSERT_TRUE(std::regex_match(o.out, match, report)) << o.out;
    if (examples::is_emulated()) {
        EXPECT_EQ(match[1], examples::emulated_arch() + ", emulated");
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
                a.push_back(f16_bits(small_element(i, l, 0)));
            }
        }
        for (int j = 0; j < s.n; ++j) {
            for (int l = 0; l < s.k; ++l) {
                b.push_back(static_cast<float>(small_element(j, l, 3)));
            }
        }
        write("a.npy", npy_bytes("<f2", shape_text(s.m, s.k), bytes_of(a)));
        write("b.npy", npy_bytes("<f4", shape_text(s.n, s.k), bytes_of(b)));
        expect_pass(program, "--a a.npy --b b.npy --out c.npy");
        const std::vector<float> c = output_values(directory / "c.npy", s.m, s.n);
        std::size_t at = 0;
        for (int i = 0; i < s.m; ++i) {
            for (int j = 0; j < s.n; ++j, ++at) {
                int expected = 0;
                for (int l = 0; l < s.k; ++l) {
                    expected += small_element(i, l, 0) * small_element(j, l, 3);
                }
                ASSERT_EQ(c[at], static_cast<float>(expected)) << "C[" << i << ", " << j << "]";
            }
        }
    }
}

TEST_F(gemm_naive_test, passes_on_a_larger_random_problem) {
    expect_pass(program, "-m 512 -n 384 -k 256");
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
    write_npy("a.npy", "2, 3", {1, 2, 3, 4, 5, 6});
    write_npy("b.npy", "4, 3", std::vector<float>(12, 1.0f));
    outcome o = run({"--a", "a.npy", "-n", "7"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(o.has("C[2, 7] = A[2, 3] * B[7, 3]^T")) << o.out;
    o = run({"--b", "b.npy", "-m", "5", "-k", "3"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(o.has("C[5, 4] = A[5, 3] * B[4, 3]^T")) << o.out;
    expect_pass(program, "--a a.npy --b b.npy -m 2 -n 4 -k 3 --out c.npy");
    EXPECT_EQ(output_values(directory / "c.npy", 2, 4),
              (std::vector<float>{6, 6, 6, 6, 15, 15, 15, 15}));
}

// f32 in a file becomes the nearest f16, ties to even; subnormals are kept. So does f64, which is
// not rounded to f32 before: the last row is more than halfway between two f16.
TEST_F(gemm_naive_test, rounds_to_the_nearest_f16) {
    struct {
        double in;
        float out;
    } const rows[] = {{0.1, 0.0999755859375f}, {2049, 2048},        {2051, 2052},
                      {-65519.99, -65504},     {0x1p-25, 0},        {0x1.8p-25, 0x1p-24f},
                      {-0x1.8p-24, -0x1p-23f}, {0x1p-14, 0x1p-14f}, {2049 + 0x1p-40, 2050}};
    std::vector<double> in;
    std::vector<float> out;
    for (const auto& row : rows) {
        in.push_back(row.in);
        out.push_back(row.out);
    }
    write("b.npy", npy_bytes("<f2", "1, 1", bytes_of<std::uint16_t>({0x3c00})));
    write_npy("a.npy", "9, 1", in);
    expect_pass(program, "--a a.npy --b b.npy --out c.npy");
    EXPECT_EQ(output_values(directory / "c.npy", 9, 1), out);
    in.pop_back();
    out.pop_back();
    write_npy("a.npy", "8, 1", std::vector<float>(in.begin(), in.end()));
    expect_pass(program, "--a a.npy --b b.npy --out c.npy");
    EXPECT_EQ(output_values(directory / "c.npy", 8, 1), out);
}

TEST_F(gemm_naive_test, verifies_unless_told_not_to) {
    const outcome o = run({"-m", "3", "-n", "4", "-k", "5", "--verify", "0", "--iters", "2"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(o.has("\nnot verified\n")) << o.out;
    EXPECT_FALSE(o.has("PASS") || o.has("difference")) << o.out;
}

TEST_F(gemm_naive_test, explains_itself) {
    const outcome o = run({"--help"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    for (const char* option :
         {"-m", "-n", "-k", "--seed", "--a", "--b", "--out", "--verify", "--iters", "--help"}) {
        EXPECT_TRUE(o.has(option)) << option;
    }
}

// The row that expect_pass() prints.
TEST_F(gemm_naive_test, is_named_with_its_target_and_arguments) {
    EXPECT_EQ(examples_test::pass_row(program, "-m 3 -n 4"),
              "PASS  " + (examples::is_emulated() ? examples::emulated_arch() : "gpu   ") +
                  "  gemm_naive      -m 3 -n 4");
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
    write("integer.npy", npy_bytes("<i4", "1, 1", std::string(4, '\0')));
    write("big_endian.npy", npy_bytes(">f4", "1, 1", std::string(4, '\0')));
    write("short.npy", good.substr(0, good.size() - 1));
    write("header.npy", good.substr(0, 60));
    write("long.npy", good + '\0');
    write("text.npy", "1 2 3\n4 5 6\n");
    write("nothing.npy", "");
    write("overflow.npy", f32_file("1, 3", {1, 65520, 2}));
    write("negative.npy", f32_file("3, 1", {1, 2, -1e30f}));
    write_npy<double>("f64.npy", "1, 1", {1e300});
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
        {{"-m"}, "-m takes one value, once"},
        {{"--seed", "-1"}, "--seed is '-1': it must be an integer from 0 to 18446744073709551615"},
        {{"--verify", "2"}, "--verify is '2': it must be 0 or 1"},
        {{"--iters", "0"}, "--iters is '0': it must be an integer from 1 to 1000000"},
        {{"--type", "f16"}, ".*--type.*"},
        {{"--alpha", "2"}, ".*--alpha.*"},
        {{"--b"}, "--b takes one value, once"},
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
        {{"--a", "vector.npy"}, "vector.npy: has rank 1, it must be 2"},
        {{"--b", "cube.npy"}, "cube.npy: has rank 3, it must be 2"},
        {{"--a", "empty.npy"}, "empty.npy: -m is 0, it must be from 1 to 1048576"},
        {{"--b", "large.npy"}, "large.npy: -n is 1048577, it must be from 1 to 1048576"},
        {{"--a", "huge.npy"}, "huge.npy: the array is too large \\(its size in bytes overflows\\)"},
        {{"--a", "integer.npy"},
         "integer.npy: dtype '<i4' is not supported \\('<f2', '<f4' or '<f8' is needed\\)"},
        {{"--a", "big_endian.npy"},
         "big_endian.npy: dtype '>f4' is not supported \\('<f2', '<f4' or '<f8' is needed\\)"},
        {{"--a", "fortran.npy"},
         "fortran.npy: Fortran order is not supported \\(row-major order is needed\\)"},
        {{"--a", "overflow.npy"},
         "overflow.npy: element \\[0, 1\\] is 65520, which overflows f16 \\(largest: 65504\\)"},
        {{"--b", "negative.npy"},
         "negative.npy: element \\[2, 0\\] is -1e\\+30, which overflows f16 \\(largest: 65504\\)"},
        {{"--b", "f64.npy"},
         "f64.npy: element \\[0, 0\\] is 1e\\+300, which overflows f16 \\(largest: 65504\\)"},
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
        {{"--a", "good.npy", "--b", "other_k.npy"}, "-k is 3 in good.npy and 2 in other_k.npy"},
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

using examples::element;
using examples::gemm_problem;
using examples::round_to;
using examples::detail::check_product;

gemm_problem problem(int m, int n, int k) {
    gemm_problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    for (int i = 0; i < m * k; ++i) {
        p.a.push_back((i % 7 - 3) * 0.25);
    }
    for (int i = 0; i < n * k; ++i) {
        p.b.push_back((i % 5 - 2) * 0.5);
    }
    return p;
}

// 1 x 1
gemm_problem dot_product(element type, const std::vector<double>& a, const std::vector<double>& b) {
    gemm_problem p;
    p.m = 1;
    p.n = 1;
    p.k = static_cast<int>(a.size());
    p.type = type;
    p.out_type = examples::sum_type(type);
    p.a = a;
    p.b = b;
    return p;
}

std::vector<double> exact_product(const gemm_problem& p) {
    std::vector<double> c;
    for (int i = 0; i < p.m; ++i) {
        for (int j = 0; j < p.n; ++j) {
            double sum = 0;
            for (int l = 0; l < p.k; ++l) {
                sum += p.a[static_cast<std::size_t>(i * p.k + l)] *
                       p.b[static_cast<std::size_t>(j * p.k + l)];
            }
            c.push_back(sum);
        }
    }
    return c;
}

// The status of an example, whose kernel is `run`.
template <class Run>
int status_of(const examples::gemm_example& example, std::vector<std::string> arguments, Run run) {
    arguments.insert(arguments.begin(), "gemm");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    return examples::gemm_main(static_cast<int>(arguments.size()), pointers.data(), example, run);
}

// With a kernel that gives c; without one the product.
int status_of(const std::vector<float>& c) {
    return status_of({}, {"-m3", "-n5", "-k7", "--seed=4"}, [&](const gemm_problem& p) {
        return c.empty() ? examples::gemm_result(exact_product(p)) : examples::gemm_result(c);
    });
}

TEST(gemm_check, accepts_the_product) {
    const gemm_problem p = problem(3, 5, 7);
    EXPECT_TRUE(check_product(p, exact_product(p)));
    EXPECT_EQ(status_of({}), 0);
}

TEST(gemm_check, refuses_any_wrong_element) {
    for (const element type : {element::f16, element::f64}) {
        gemm_problem p = problem(3, 5, 7);
        p.type = type;
        p.out_type = examples::sum_type(type);
        const std::vector<double> good = exact_product(p);
        for (std::size_t i = 0; i < good.size(); ++i) {
            for (const double wrong : {good[i] + 0.125, good[i] - 0.125, double{NAN},
                                       double{INFINITY}, -INFINITY * 1.0}) {
                std::vector<double> c = good;
                c[i] = wrong;
                EXPECT_FALSE(check_product(p, c)) << i << ": " << wrong;
            }
        }
    }
    EXPECT_EQ(status_of(std::vector<float>(15, 0.0f)), 1);
    EXPECT_EQ(status_of(std::vector<float>(15, NAN)), 1);
}

// K * 2^-23 * sum |a * b|: 2 * 2^-23 * 2 here.
TEST(gemm_check, tolerates_what_the_additions_may_lose) {
    gemm_problem p = dot_product(element::f16, {1, -1}, {1, -1});
    EXPECT_TRUE(check_product(p, {2}));
    EXPECT_TRUE(check_product(p, {2 + 0x1p-21}));
    EXPECT_FALSE(check_product(p, {2 + 0x1.8p-21}));
    EXPECT_TRUE(check_product(p, {2 - 0x1p-21}));
    EXPECT_FALSE(check_product(p, {2 - 0x1.4p-21}));
    // A factor of 0 counts as 2^-126: 2 * 2^-23 * 2 * 2^-126.
    p.b = {0, 0};
    EXPECT_TRUE(check_product(p, {0}));
    EXPECT_TRUE(check_product(p, {0x1p-147}));
    EXPECT_FALSE(check_product(p, {0x1.8p-147}));
}

// The same in f64, whose unit is 2^-52.
TEST(gemm_check, tolerates_little_of_f64) {
    const gemm_problem p = dot_product(element::f64, {1, -1}, {1, -1});
    EXPECT_TRUE(check_product(p, {2}));
    EXPECT_TRUE(check_product(p, {2 + 0x1p-50}));
    EXPECT_FALSE(check_product(p, {2 + 0x1.8p-50}));
    EXPECT_TRUE(check_product(p, {2 - 0x1p-50}));
    EXPECT_FALSE(check_product(p, {2 - 0x1.4p-50}));
}

// A reference in double would be 1, as each addition is a tie: too low by 1024 units of 2^-53,
// which are 512 of the 1025 units of 2^-52 that are allowed.
TEST(gemm_check, has_a_reference_for_f64_in_more_than_f64) {
    std::vector<double> a(1025, 0x1p-53);
    a[0] = 1;
    const gemm_problem p = dot_product(element::f64, a, std::vector<double>(1025, 1.0));
    const double exact = 1 + 0x1p-43;
    EXPECT_TRUE(check_product(p, {exact + 1025 * 0x1p-52}));
    EXPECT_FALSE(check_product(p, {exact + 1030 * 0x1p-52}));
    EXPECT_TRUE(check_product(p, {exact - 1025 * 0x1p-52}));
    EXPECT_FALSE(check_product(p, {exact - 1030 * 0x1p-52}));
}

// It rounds, too: each product and addition half a unit of its own. Of 4096 of them that is
// allowed.
TEST(gemm_check, tolerates_what_the_reference_loses) {
    std::vector<double> a(4096, 0.0);
    a[0] = 1;
    const gemm_problem p = dot_product(element::f64, a, std::vector<double>(4096, 1.0));
    const double units =
        4096 + std::floor(4096 * static_cast<double>(std::numeric_limits<long double>::epsilon()) /
                          0x1p-52);
    EXPECT_TRUE(check_product(p, {1 + units * 0x1p-52}));
    EXPECT_FALSE(check_product(p, {1 + (units + 1) * 0x1p-52}));
}

// product_error units more, and, but of f16, one denormal for each product.
TEST(gemm_check, tolerates_what_products_lose) {
    gemm_problem p = dot_product(element::f32, {1, -1}, {1, -1});
    p.product_error = 1;
    EXPECT_TRUE(check_product(p, {2 + 0x1.8p-21}));
    EXPECT_FALSE(check_product(p, {2 + 0x1.cp-21}));
    p = dot_product(element::f64, {1, -1}, {1, -1});
    p.product_error = 1;
    EXPECT_TRUE(check_product(p, {2 + 0x1.8p-50}));
    EXPECT_FALSE(check_product(p, {2 + 0x1p-49}));

    p = dot_product(element::f32, {0x1p-100, 0}, {0x1p-100, 0});
    EXPECT_TRUE(check_product(p, {0}));
    EXPECT_TRUE(check_product(p, {0x1p-148}));
    EXPECT_FALSE(check_product(p, {0x1.8p-148}));
    p.alpha = -4;  // times that, and the two denormals of alpha and beta
    EXPECT_TRUE(check_product(p, {-10 * 0x1p-149}));
    EXPECT_FALSE(check_product(p, {-11 * 0x1p-149}));
    p.alpha = 1;
    p.type = p.out_type = element::f64;
    EXPECT_FALSE(check_product(p, {0}));
    p = dot_product(element::f64, {0x1p-600, 0}, {0x1p-600, 0});
    EXPECT_TRUE(check_product(p, {0}));
    EXPECT_TRUE(check_product(p, {0x1p-1073}));
    EXPECT_FALSE(check_product(p, {0x1.8p-1073}));
}

// K + 2 units of 2^-23, or 2^-52, of |alpha| * S + |beta * c|.
TEST(gemm_check, tolerates_what_alpha_and_beta_lose) {
    for (const element type : {element::f16, element::f64}) {
        gemm_problem p = dot_product(type, {1, 1}, {1, 1});
        p.alpha = -2;
        p.beta = 0.5;
        p.c = {8};
        // -4 + 4 = 0, 4 units of 8.
        const double allowed = type == element::f64 ? 0x1p-47 : 0x1p-18;
        EXPECT_TRUE(check_product(p, {0}));
        EXPECT_TRUE(check_product(p, {allowed}));
        EXPECT_TRUE(check_product(p, {-allowed}));
        EXPECT_FALSE(check_product(p, {1.0625 * allowed}));
        EXPECT_FALSE(check_product(p, {-1.0625 * allowed}));
    }
}

// The rounded ends of the tolerance, which is far below half a unit of f16 and bf16 here.
TEST(gemm_check, tolerates_the_rounding_of_the_output_and_no_more) {
    for (const element type : {element::f16, element::f64}) {
        gemm_problem p = dot_product(type, {1 + 0x1p-12}, {1});
        p.out_type = element::f16;
        EXPECT_TRUE(check_product(p, {1}));
        EXPECT_FALSE(check_product(p, {1 + 0x1p-10}));
        p.a = {1 + 0x1p-11};  // a tie: both may be
        EXPECT_TRUE(check_product(p, {1}));
        EXPECT_TRUE(check_product(p, {1 + 0x1p-10}));
        EXPECT_FALSE(check_product(p, {1 - 0x1p-11}));
        EXPECT_FALSE(check_product(p, {1 + 0x1p-9}));
        p.a = {-70000};
        EXPECT_TRUE(check_product(p, {-INFINITY}));
        EXPECT_FALSE(check_product(p, {INFINITY}));
        EXPECT_FALSE(check_product(p, {-65504}));
        EXPECT_FALSE(check_product(p, {NAN}));
        p.out_type = element::bf16;
        p.a = {1 + 0x1p-9};
        EXPECT_TRUE(check_product(p, {1}));
        EXPECT_FALSE(check_product(p, {1 + 0x1p-7}));
    }
    // f32 out of f64 sums is rounded, too.
    gemm_problem p = dot_product(element::f64, {1 + 0x1p-30}, {1});
    p.out_type = element::f32;
    EXPECT_TRUE(check_product(p, {1}));
    EXPECT_FALSE(check_product(p, {1 + 0x1p-23}));
}

// Infinite where the sum is beyond what the type has, or may be by what additions lose; else not.
TEST(gemm_check, tolerates_an_overflow_where_there_may_be_one) {
    struct {
        element type;
        double root;     // its square is beyond the type's largest
        double largest;  // of the type
    } const cases[] = {{element::f32, 1e20, std::numeric_limits<float>::max()},
                       {element::f64, 1e200, std::numeric_limits<double>::max()}};
    for (const auto& [type, root, largest] : cases) {
        gemm_problem p = dot_product(type, {root}, {root});
        p.out_type = type;
        EXPECT_TRUE(check_product(p, {INFINITY}));
        EXPECT_FALSE(check_product(p, {-INFINITY}));
        EXPECT_FALSE(check_product(p, {largest}));
        EXPECT_FALSE(check_product(p, {NAN}));
        p = dot_product(type, {largest, 0}, {1, 0});
        p.out_type = type;
        EXPECT_TRUE(check_product(p, {largest}));
        EXPECT_TRUE(check_product(p, {INFINITY}));  // the next number there would be
        p.a[0] = largest / 2;
        EXPECT_TRUE(check_product(p, {largest / 2}));
        EXPECT_FALSE(check_product(p, {INFINITY}));
    }
}

TEST(gemm_check, a_device_error_is_status_2) {
    EXPECT_EQ(status_of({}, {},
                        [](const gemm_problem&) -> examples::gemm_result {
                            throw examples::device_error("hipMalloc: out of memory");
                        }),
              2);
}

// == values =======================================================================================

// 1 + half a unit + a little, which is lost where it is rounded to f32 first: then there is a tie,
// and the even neighbour is 1. The same below the denormals of f16, and where bf16 overflows.
TEST(gemm_values, are_rounded_once) {
    EXPECT_EQ(round_to(element::f16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
    EXPECT_EQ(round_to(element::f16, -(1 + 0x1p-11 + 0x1p-40)), -(1 + 0x1p-10));
    EXPECT_EQ(round_to(element::f16, 1 + 0x1p-11), 1);
    EXPECT_EQ(round_to(element::f16, 1 + 0x1.8p-10 - 0x1p-40), 1 + 0x1p-10);
    EXPECT_EQ(round_to(element::f16, 1 + 0x1.8p-10), 1 + 0x1p-9);
    EXPECT_EQ(round_to(element::f16, 0x1p-25 + 0x1p-70), 0x1p-24);
    EXPECT_EQ(round_to(element::f16, 0x1p-25), 0);
    EXPECT_EQ(round_to(element::f16, 65520 - 0x1p-30), 65504);
    EXPECT_EQ(round_to(element::f16, 65520), INFINITY);
    EXPECT_EQ(round_to(element::f16, -1e300), -INFINITY);

    EXPECT_EQ(round_to(element::bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
    EXPECT_EQ(round_to(element::bf16, 1 + 0x1p-8), 1);
    EXPECT_EQ(round_to(element::bf16, 1 + 0x1.8p-7 - 0x1p-40), 1 + 0x1p-7);
    EXPECT_EQ(round_to(element::bf16, 0x1p-134 + 0x1p-170), 0x1p-133);
    EXPECT_EQ(round_to(element::bf16, -0x1p-134), 0);
    EXPECT_EQ(round_to(element::bf16, 0x1.ffp127 - 0x1p80), 0x1.fep127);
    EXPECT_EQ(round_to(element::bf16, 0x1.ffp127), INFINITY);
    EXPECT_EQ(round_to(element::bf16, -1e300), -INFINITY);

    EXPECT_EQ(round_to(element::f32, 1.0 / 3), static_cast<double>(1.0f / 3));
    EXPECT_EQ(round_to(element::f64, 1.0 / 3), 1.0 / 3);
    for (const element type : {element::f16, element::bf16, element::f32, element::f64}) {
        EXPECT_EQ(round_to(type, -1.5), -1.5);
        EXPECT_EQ(round_to(type, -INFINITY), -INFINITY);
        EXPECT_TRUE(std::isnan(round_to(type, NAN)));
        EXPECT_TRUE(std::signbit(round_to(type, -0.0)));
    }
}

TEST(gemm_values, become_what_a_kernel_wants_and_back) {
    const std::vector<double> third{1.0 / 3};
    EXPECT_EQ(examples::to<double>(third), third);
    const std::vector<double> x{1.5, -0x1p-24, 65504, 0};
    EXPECT_EQ(examples::to<float>(x), (std::vector<float>{1.5f, -0x1p-24f, 65504, 0}));
    EXPECT_EQ(examples::gemm_result(examples::to<opus::fp16_t>(x)).d, x);
    EXPECT_EQ(examples::gemm_result(examples::to<float>(x)).d, x);
    const std::vector<double> y{1.5, -0x1p-133, 0x1.fep127, 0};
    EXPECT_EQ(examples::gemm_result(examples::to<opus::bf16_t>(y)).d, y);
    EXPECT_EQ(examples::gemm_result(third).d, third);
}

// Each random value is in [-1, 1) and of its type, and the last bit of the type is used. Only in
// f32 each 32 have an exponent of their own.
TEST(gemm_values, are_random_in_all_bits) {
    struct {
        element type;
        int bits;
    } const rows[] = {
        {element::f16, 11}, {element::bf16, 8}, {element::f32, 24}, {element::f64, 53}};
    for (const auto& row : rows) {
        const element type = row.type;
        const int bits = row.bits;
        SCOPED_TRACE(examples::name_of(type));
        std::mt19937_64 random(1);
        const auto values = examples::random_values({2, 4096}, type, random);
        std::set<int> exponents;
        for (auto block = values.begin(); block != values.end(); block += 32) {
            double largest = 0;
            for (auto x = block; x != block + 32; ++x) {
                ASSERT_EQ(round_to(type, *x), *x);
                largest = std::max(largest, std::fabs(*x));
            }
            // Of the lowest power of two that is not below them.
            const int exponent = std::ilogb(std::nextafter(largest, 0)) + 1;
            EXPECT_TRUE(std::any_of(block, block + 32, [&](double x) {
                return std::fmod(std::ldexp(x, bits - 1 - exponent), 2) != 0;
            })) << "none of the block uses the last bit";
            exponents.insert(exponent);
        }
        EXPECT_EQ(exponents, (type == element::f32 ? std::set<int>{-7, -6, -5, -4, -3, -2, -1, 0}
                                                   : std::set<int>{0}));
        const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
        EXPECT_GE(*lowest, -1);
        EXPECT_LT(*lowest, -0.9);
        EXPECT_LT(*highest, 1);
        EXPECT_GT(*highest, 0.9);
    }
}

// == what examples can say of themselves ==========================================================

class gemm_main_test : public examples_test::in_directory {
protected:
    std::string path(const std::string& name) const { return (directory / name).string(); }

    // The problem that an example's kernel gets; its result is the exact product.
    gemm_problem problem_of(const examples::gemm_example& example,
                            const std::vector<std::string>& arguments) const {
        gemm_problem result;
        EXPECT_EQ(status_of(example, arguments,
                            [&](const gemm_problem& p) {
                                result = p;
                                return examples::gemm_result(exact_product(p));
                            }),
                  0);
        return result;
    }
};

TEST_F(gemm_main_test, has_default_sizes_of_the_example) {
    examples::gemm_example e;
    gemm_problem p = problem_of(e, {"-m4"});
    EXPECT_EQ(shape_text(p.m, p.n) + ", " + std::to_string(p.k), "4, 512, 512");
    e.m = 3;
    e.n = 5;
    e.k = 7;
    p = problem_of(e, {});
    EXPECT_EQ(shape_text(p.m, p.n) + ", " + std::to_string(p.k), "3, 5, 7");
    p = problem_of(e, {"-n", "6"});
    EXPECT_EQ(shape_text(p.m, p.n) + ", " + std::to_string(p.k), "3, 6, 7");
    testing::internal::CaptureStdout();
    status_of(e, {"--help"}, [](const gemm_problem& q) { return exact_product(q); });
    const std::string help = examples_test::words_of(testing::internal::GetCapturedStdout());
    EXPECT_NE(help.find(" -m INT elements Rows of A and C (3) "), std::string::npos) << help;
    EXPECT_NE(help.find(" -n INT elements Rows of B, columns of C (5) "), std::string::npos)
        << help;
    EXPECT_NE(help.find(" -k INT elements Columns of A and B (7) "), std::string::npos) << help;
}

TEST_F(gemm_main_test, has_results_of_the_operands_type_where_there_is_no_other) {
    examples::gemm_example e;
    e.m = e.n = e.k = 2;
    e.types = {element::f16, element::f64};
    e.out_types = {};
    EXPECT_EQ(problem_of(e, {"--type", "f64"}).out_type, element::f64);
    const auto rounded = [](const gemm_problem& p) {
        EXPECT_EQ(p.out_type, element::f16);
        std::vector<double> d = exact_product(p);
        for (double& x : d) {
            x = round_to(element::f16, x);
        }
        return examples::gemm_result(d);
    };
    EXPECT_EQ(status_of(e, {}, rounded), 0);
    EXPECT_EQ(status_of(e, {"--out-type", "f64"}, rounded), 2);  // no such option
}

// alpha and beta are of the type of the sums, and a value of a file of the type of the operands,
// each rounded once.
TEST_F(gemm_main_test, carries_f64_exactly) {
    examples::gemm_example e;
    e.types = {element::f32, element::f64};
    e.out_types = {};
    e.alpha_beta = true;
    const double third = 1.0 / 3;
    write_npy<double>("a.npy", "1, 2", {third, 1e-300});
    write_npy<double>("b.npy", "1, 2", {3, 0});
    write_npy<double>("c.npy", "1, 1", {0.1});
    const std::vector<std::string> files{"--a", path("a.npy"), "--b",   path("b.npy"),
                                         "--c", path("c.npy"), "--out", path("d.npy")};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = files;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    gemm_problem p;
    const auto run = [&](const gemm_problem& of) {
        p = of;
        const double d = p.alpha * exact_product(p)[0] + p.beta * p.c[0];
        return examples::gemm_result(std::vector<double>{round_to(p.out_type, d)});
    };
    ASSERT_EQ(status_of(e, with({"--type", "f64", "--alpha", "0.1", "--beta=-1e-300"}), run), 0);
    EXPECT_EQ(p.a, (std::vector<double>{third, 1e-300}));
    EXPECT_EQ(p.alpha, 0.1);
    EXPECT_EQ(p.beta, -1e-300);
    EXPECT_EQ(p.c[0], 0.1);
    EXPECT_EQ(read_npy<double>("d.npy"), std::vector<double>{0.1});

    ASSERT_EQ(status_of(e, with({"--alpha", "0.1", "--beta", "2"}), run), 0);
    EXPECT_EQ(p.a, (std::vector<double>{round_to(element::f32, third), 0}));
    EXPECT_EQ(p.alpha, static_cast<double>(0.1f));
    EXPECT_EQ(p.c[0], static_cast<double>(0.1f));
    EXPECT_EQ(read_npy("d.npy").size(), 1u);
    ASSERT_EQ(status_of(e, with({"--alpha", "1e300"}), run), 2);
    ASSERT_EQ(status_of(e, with({"--type", "f64", "--alpha", "1e300", "--beta", "1"}), run), 0);
}

TEST_F(gemm_main_test, says_how_it_writes_the_result) {
    examples::gemm_example e;
    const auto help = [&] {
        testing::internal::CaptureStdout();
        status_of(e, {"--help"}, [](const gemm_problem& p) { return exact_product(p); });
        const std::string text = testing::internal::GetCapturedStdout();
        return std::regex_replace(text, std::regex("[ \n]+"), " ");
    };
    EXPECT_NE(help().find("--out FILE.npy Write the result, PASS or FAIL (as f32)"),
              std::string::npos);
    EXPECT_NE(help().find("--a FILE.npy Read A[M, K]"), std::string::npos);
    e.types = {element::f32, element::f64};
    EXPECT_NE(help().find("PASS or FAIL (as f32)"), std::string::npos);
    e.out_types = {};
    EXPECT_NE(help().find("PASS or FAIL (as f32, f64 as f64)"), std::string::npos);
}

// == the report ===================================================================================

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
    using examples::report;
    EXPECT_EQ(report({0, 500, 0, 1000}, "gfx942, emulated"),
              "counted: 1000 FLOP, 500 bytes, 2 FLOP/byte (emulated: times mean nothing)");
    EXPECT_EQ(report({2, 1, 0, 1.307e12}, "AMD Instinct MI300X"),
              "time: 2 ms, 653.5 TFLOP/s, 50.0 % of the peak of MI300X (1307 TFLOP/s)");
    EXPECT_EQ(report({1, 1, 0, 1e12, &machine_peaks::fp4}, "AMD Instinct MI300X"),
              "time: 1 ms, 1000 TFLOP/s, the peak of this device is not known");
    EXPECT_EQ(report({1, 1, 0, 1e12}, "HIP device 0"),
              "time: 1 ms, 1000 TFLOP/s, the peak of this device is not known");
    EXPECT_EQ(report({2, 1, 0, 1.573e11, &machine_peaks::f32}, "MI355X"),
              "time: 2 ms, 78.65 TFLOP/s, 50.0 % of the peak of MI355X (157.3 TFLOP/s)");
    EXPECT_EQ(report({2, 8e9}, "AMD Instinct MI355X"),
              "time: 2 ms, 4000 GB/s, 50.0 % of the peak of MI355X (8000 GB/s)");
    EXPECT_EQ(report({0, 100}, "x"), "counted: 100 bytes (emulated: times mean nothing)");
    EXPECT_EQ(
        report({0, 1000, 1025}, "gfx950, emulated"),
        "counted: 1025 bytes moved, 2.50 % more than the least (emulated: times mean nothing)");
    EXPECT_EQ(report({2, 8e9, 12e9}, "AMD Instinct MI355X"),
              "counted: 12000000000 bytes moved, 50.00 % more than the least\n"
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

// 2 * 5 of A and 3 * 5 of B, 2 * 3 of D, and as many of C.
TEST(gemm_report, is_of_memory_where_bytes_are_counted) {
    const auto report = [](const gemm_problem& of, const examples::gemm_result& result,
                           const std::string& name) {
        return examples::report(examples::detail::as_tensor(of, result), name);
    };
    const auto moved = [](double bytes) {
        return examples::gemm_result(std::vector<float>(6), 0, bytes);
    };
    const std::string device = "gfx942, emulated";
    const std::string emulated = " (emulated: times mean nothing)";
    gemm_problem p = problem(2, 3, 5);
    EXPECT_EQ(report(p, moved(0), device),
              "counted: 60 FLOP, 74 bytes, 0.811 FLOP/byte" + emulated);
    EXPECT_EQ(report(p, moved(111), device),
              "counted: 111 bytes moved, 50.00 % more than the least" + emulated);
    p.type = p.out_type = element::f64;
    EXPECT_EQ(report(p, moved(248), device),
              "counted: 248 bytes moved, 0.00 % more than the least" + emulated);
    p.beta = 1;
    EXPECT_EQ(report(p, moved(299), device),
              "counted: 299 bytes moved, 1.01 % more than the least" + emulated);
    p.operand_bytes = 4;
    EXPECT_EQ(report(p, moved(200), device),
              "counted: 200 bytes moved, 100.00 % more than the least" + emulated);
    EXPECT_EQ(report(p, {std::vector<float>(6), 0.5, 200}, "MI300X"),
              "counted: 200 bytes moved, 100.00 % more than the least\n"
              "time: 0.5 ms, 0.0002 GB/s, 0.0 % of the peak of MI300X (5300 GB/s)");
}

}  // namespace
