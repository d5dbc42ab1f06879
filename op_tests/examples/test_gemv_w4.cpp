// examples/gemv_w4 as a user runs it: every weight in its place, and any shape.
#include <cmath>
#include <regex>

#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::shape_text;

class gemv_w4 : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMV_W4;

    // B[N, K] as the kernel sees it: each row of A is 0 but for one element, which is 1, so that a
    // result is one weight. All other weights of the row, and what zero points make of them, must
    // vanish.
    // Of each 8 columns 4 are looked at, the even ones or, in every second 8, the odd ones; 16 of
    // these at a time, with the next of the options.
    void expect_weights(const std::vector<float>& b, int n, int k, const std::string& type,
                        const std::vector<std::string>& all_options) {
        write_npy("b.npy", shape_text(n, k), b);
        const auto column = [](int i) { return 2 * i + i / 4 % 2; };
        for (int first = 0; first < k / 2; first += 16) {
            const std::string options =
                "--type " + type + " " +
                all_options[static_cast<std::size_t>(first / 16) % all_options.size()];
            std::vector<float> a(static_cast<std::size_t>(16 * k));
            for (int i = 0; i < 16; ++i) {
                a[static_cast<std::size_t>(i * k + column(first + i))] = 1;
            }
            write_npy("a.npy", shape_text(16, k), a);
            const outcome o = run(program, "--a a.npy --b b.npy --out c.npy " + options);
            ASSERT_EQ(o.status, 0) << options << "\n" << o.out << o.err;
            EXPECT_TRUE(o.has("\nno difference\nPASS\n")) << options << "\n" << o.out;
            const std::vector<float> c = read_npy("c.npy");
            ASSERT_EQ(c.size(), static_cast<std::size_t>(16 * n));
            int wrong = 0;
            for (int i = 0; i < 16; ++i) {
                for (int j = 0; j < n && wrong < 3; ++j) {
                    const int of_b = j * k + column(first + i);
                    const float got = c[static_cast<std::size_t>(i * n + j)];
                    const float expected = b[static_cast<std::size_t>(of_b)];
                    EXPECT_EQ(got, expected) << options << ": B[" << j << ", " << of_b % k << "]";
                    wrong += got != expected;
                }
            }
        }
    }
};

// Groups of 128 (the last of 32) with another scale and zero point each: the least is -z * s, the
// largest (15 - z) * s.
TEST_F(gemv_w4, int4_weights_are_in_their_places) {
    const int n = 40;
    const int k = 160;
    std::vector<float> b;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < k; ++i) {
            const int group = i / 128;
            const int zero = (j + 5 * group) % 16;
            const float scale = std::ldexp(1.0f, (j + group) % 5 - 3);
            b.push_back(static_cast<float>((7 * i + 3 * j + i / 16) % 16 - zero) * scale);
        }
    }
    expect_weights(
        b, n, k, "int4",
        {"--tiles 1", "--tiles 12", "--tiles 4 --splits 2", "--tiles 1 --splits 2", "--tiles 4"});
}

// Blocks of 32 with another scale each, of which one value is as large as codes are.
TEST_F(gemv_w4, mxfp4_weights_are_in_their_places) {
    const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
    const int n = 40;
    const int k = 160;
    std::vector<float> b;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < k; ++i) {
            const float value = i % 32 == 31 ? 6 : values[(7 * i + 3 * j + i / 16) % 16];
            b.push_back(std::ldexp(value, (3 * j + 5 * (i / 32)) % 17 - 8));
        }
    }
    expect_weights(
        b, n, k, "mxfp4",
        {"--tiles 1", "--tiles 12", "--tiles 4 --splits 2", "--tiles 1 --splits 2", "--tiles 4"});
}

// The ends of what scales can be, and a block that is smaller than all of them.
TEST_F(gemv_w4, mxfp4_scales_have_ends) {
    // Apart: beside 0 * 2^127 gfx942 loses the small ones (docs/matrix-cores.md).
    std::vector<float> b(64, 0.0f);
    b[0] = 0x1.8p-123f;  // 6 * 2^-125
    b[2] = 0x1p-126f;
    expect_weights(b, 1, 64, "mxfp4", {"--tiles 1"});
    b.assign(64, 0.0f);
    b[32] = 0x1.8p+127f;  // 6 * 2^125
    b[34] = -0x1p+124f;
    expect_weights(b, 1, 64, "mxfp4", {"--tiles 1"});
    b.assign(32, 0x1p-130f);  // 1/32 of the smallest scale: 0
    write_npy("b.npy", "1, 32", b);
    write_npy("a.npy", "1, 32", std::vector<float>(32, 1));
    expect_pass(program, "--a a.npy --b b.npy --out c.npy --type mxfp4");
    EXPECT_EQ(read_npy("c.npy"), (std::vector<float>{0}));
}

// Sums of integers are exact: rows of A, groups, splits and what is beyond K and N by their values.
TEST_F(gemv_w4, sums_of_integers_are_exact) {
    for (const char* type : {"int4", "mxfp4"}) {
        for (const char* options : {"--tiles 1", "--tiles 12", "--tiles 1 --splits 3"}) {
            const int m = 5;
            const int n = 131;
            const int k = 1056;
            std::vector<float> a;
            for (int i = 0; i < m * k; ++i) {
                a.push_back(static_cast<float>(i * 7 % 97 == 0 ? i / k - 2 : 0));
            }
            std::vector<float> b;
            for (int i = 0; i < n * k; ++i) {
                // In each 32 are -7 and 8 of int4; 4 and -6 of MXFP4.
                const float int4[] = {-7, 8, -1, 2, 0, 5, -3};
                const float mxfp4[] = {4, -6, 1, 0.5f, -3, 2, 0};
                b.push_back(std::string(type) == "int4" ? int4[i * 5 % 7] : mxfp4[i * 5 % 7]);
            }
            write_npy("a.npy", shape_text(m, k), a);
            write_npy("b.npy", shape_text(n, k), b);
            expect_pass(program, std::string("--a a.npy --b b.npy --out c.npy --type ") + type +
                                     " " + options);
            EXPECT_EQ(read_npy("c.npy"), examples_test::product(a, b, m, n, k)) << type << options;
        }
    }
}

// Around the ends of tiles, groups, rounds and splits; fewer rows than a wave has, too.
TEST_F(gemv_w4, takes_any_shape) {
    for (const char* type : {"int4", "mxfp4"}) {
        for (const char* shape :
             {"-m 1 -n 1 -k 32", "-m 16 -n 5 -k 64", "-m 3 -n 17 -k 160", "-m 2 -n 129 -k 512",
              "-m 9 -n 127 -k 544 --tiles 1", "-m 16 -n 513 -k 96 --tiles 4",
              "-m 7 -n 1537 -k 256 --tiles 12", "-m 4 -n 65 -k 1120 --tiles 1 --splits 2",
              "-m 15 -n 100 -k 1056 --tiles 4 --splits 9", "-m 1 -n 33 -k 4128 --splits 1000",
              "-m 5 -n 200 -k 2080 --tiles 12 --splits 3 --seed 5"}) {
            expect_pass(program, std::string("--type ") + type + " " + shape);
        }
    }
}

// Without --tiles and --splits no more than 5 % above the least bytes (that it asks for as many as it
// says is tested in test_profiles).
TEST_F(gemv_w4, plans_few_bytes) {
    for (const char* shape :
         {"-m 1 -n 4096 -k 4096", "-m 4 -n 4096 -k 2048", "-m 8 -n 2000 -k 4096",
          "-m 16 -n 4096 -k 1024", "-m 16 -n 6000 -k 2048 --type mxfp4", "-m 2 -n 300 -k 8192"}) {
        const outcome o = run(program, std::string(shape) + " --verify 0");
        std::smatch match;
        const std::regex more("moved, ([0-9.]+) % more than the least");
        ASSERT_TRUE(std::regex_search(o.out, match, more)) << o.out;
        EXPECT_LE(std::stod(match[1]), 5) << o.out;
    }
}

TEST_F(gemv_w4, refuses_with_one_line) {
    expect_refusal(program, "-m 17", "-m is '17': it must be an integer from 1 to 16");
    expect_refusal(program, "-k 48", "K is 48: it must be a multiple of 32");
    expect_refusal(program, "--type int8", "--type is 'int8': it must be int4 or mxfp4");
    expect_refusal(program, "--tiles 2", "--tiles is '2': it must be 1, 4 or 12");
    expect_refusal(program, "-n 1048576 -k 1048576",
                   "N and K are too large: at most 2^29 groups of 128 weights");
    write_npy("a.npy", "17, 32", std::vector<float>(17 * 32));
    expect_refusal(program, "--a a.npy", "a.npy: -m is 17, it must be from 1 to 16");
    write_npy("a.npy", "2, 32", std::vector<float>(64));
    expect_refusal(program, "--a a.npy -k 64", "-k 64 contradicts a.npy, where it is 32");
    write_npy("b.npy", "2, 3, 4", std::vector<float>(24));
    expect_refusal(program, "--b b.npy", "b.npy: has rank 3, it must be 2");
    write_npy("a.npy", "1, 2", std::vector<float>{1, NAN});
    expect_refusal(program, "--a a.npy",
                   "a.npy: element [0, 1] is nan, only finite values can be multiplied");
}

}  // namespace
