// examples/gemm_mxfp4 as a user runs it: every code and scale in its place, the quantiser in the
// kernel, parts of K that are added up; and the order of codes and scales.
#include <cmath>
#include <cstring>
#include <regex>

#include "gemm_mxfp4/mxfp4.hpp"
#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::product;
using examples_test::shape_text;
using examples_test::small_matrix;

// To nearest even.
float as_bf16(float x) {
    unsigned bits = 0;
    std::memcpy(&bits, &x, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    std::memcpy(&x, &bits, 4);
    return x;
}

class gemm_mxfp4 : public examples_test::in_directory {
protected:
    // Where the device has no such instructions, the message is checked instead.
    void SetUp() override {
        in_directory::SetUp();
        const outcome o = run(program, "-m 1 -n 1 -k 32");
        if (examples::is_emulated()) {
            EXPECT_EQ(o.status, examples::emulated_arch() == "gfx950" ? 0 : 2) << o.err;
        }
        if (o.status == 2) {
            EXPECT_EQ(o.out, "");
            EXPECT_EQ(o.err.rfind("gemm_mxfp4: this device (", 0), 0u) << o.err;
            EXPECT_NE(o.err.find(") has no matrix instructions with scales; gfx950 has "
                                 "(silu_mul_mxfp4 runs here, too)\n"),
                      std::string::npos)
                << o.err;
            GTEST_SKIP() << o.err;
        }
    }

    // Small numbers times a power of two that is another one for each 32 and each row. Their sums
    // are exact.
    static std::vector<float> powers_times_small(int rows, int k, unsigned salt) {
        std::vector<float> x = small_matrix(rows, k, salt);
        for (int i = 0; i < rows; ++i) {
            for (int l = 0; l < k; ++l) {
                float& e = x[static_cast<std::size_t>(i * k + l)];
                e = std::ldexp(e, (i * 3 + l / 32 * 2 + static_cast<int>(salt)) % 5 - 2);
            }
        }
        return x;
    }

    const std::string program = OPUS_GEMM_MXFP4;
};

// Rows, columns and scales at the ends of strips, blocks, words of scales and parts.
TEST_F(gemm_mxfp4, is_exact_on_small_numbers) {
    struct {
        int m, n, k;
        std::vector<const char*> options;
    } const cases[] = {
        {1, 1, 32, {"", "--type mxfp4"}},
        {17,
         70,
         1056,
         {"--rows 16", "--rows 32 --splits 2", "--rows 64 --splits 3",
          "--type mxfp4 --rows 16 --splits 3", "--type mxfp4 --rows 32 --splits 2",
          "--type mxfp4 --rows 64", "--type mxfp4 --rows 256"}},
        {65, 132, 544, {"--rows 64 --splits 2", "--type mxfp4 --rows 64", "--rows 16"}},
        {259, 270, 1120, {"--type mxfp4 --rows 256"}},
    };
    for (const auto& [m, n, k, all_options] : cases) {
        const std::vector<float> a = powers_times_small(m, k, 0);
        const std::vector<float> b = powers_times_small(n, k, 1);
        write_npy("a.npy", shape_text(m, k), a);
        write_npy("b.npy", shape_text(n, k), b);
        std::vector<float> expected = product(a, b, m, n, k);
        for (float& x : expected) {
            x = as_bf16(x);
        }
        for (const std::string options : all_options) {
            expect_pass(program, "--a a.npy --b b.npy --out c.npy " + options);
            EXPECT_EQ(read_npy("c.npy"), expected) << m << " " << n << " " << k << " " << options;
        }
    }
}

// One element of A at a time, with B[0, l] = 1: what it becomes beside the largest of its 32. fp4
// has 0, 0.5, 1, 1.5, 2, 3, 4, 6; the largest of 32 is scaled to 4 to 8, and what is above 6 is 6.
TEST_F(gemm_mxfp4, quantises_as_the_specification_suggests) {
    std::vector<float> b(32, 0.0f);
    b[1] = 1;
    write_npy("b.npy", "1, 32", b);
    struct {
        float largest, in, out;
    } const rows[] = {{6, 0.25f, 0},
                      {6, 0.2578125f, 0.5f},
                      {6, -0.75f, -1},
                      {6, 1.25f, 1},
                      {6, 2.5f, 2},
                      {6, 2.515625f, 3},
                      {6, 3.5f, 4},
                      {6, 5, 4},
                      {-6, -5.03125f, -6},
                      {6, 6, 6},
                      {4, 7.875f, 6},
                      {7.96875f, 6, 6},
                      {8, 6, 6},
                      {8, 5, 4},
                      {8, 7, 8},
                      {3.984375f, 3, 3},
                      {3, 0.125f, 0},
                      {0x1p+100f, 0x1p98f, 0x1p98f},
                      {-0x1p-120f, 0x1p-122f, 0x1p-122f}};
    for (const std::string type : {"bf16", "mxfp4"}) {
        for (const auto& row : rows) {
            std::vector<float> a(32, 0.0f);
            a[0] = row.largest;
            a[1] = row.in;
            write_npy("a.npy", "1, 32", a);
            expect_pass(program, "--a a.npy --b b.npy --out c.npy --type " + type);
            EXPECT_EQ(read_npy("c.npy"), std::vector<float>{row.out})
                << row.largest << " " << row.in << " " << type;
        }
    }
}

// The largest may be at any place of the 32, alone.
TEST_F(gemm_mxfp4, finds_the_largest_anywhere) {
    std::vector<float> a(32 * 32, 0.03125f);
    for (std::size_t i = 0; i < 32; ++i) {
        a[i * 33] = i % 2 == 0 ? 96.0f : -96.0f;
    }
    write_npy("a.npy", "32, 32", a);
    write_npy("b.npy", "1, 32", std::vector<float>(32, 1));
    expect_pass(program, "--a a.npy --b b.npy --out c.npy");
    std::vector<float> expected;
    for (std::size_t i = 0; i < 32; ++i) {
        expected.push_back(a[i * 33]);
    }
    EXPECT_EQ(read_npy("c.npy"), expected);
}

TEST_F(gemm_mxfp4, takes_any_shape) {
    for (const char* shape :
         {"", "-m 4 -n 180 -k 512", "-m 16 -n 132 -k 7168", "-m 33 -n 17 -k 96 --iters 2",
          "-m 100 -n 65 -k 1568 --rows 32 --splits 4 --iters 3",
          "-m 130 -n 260 -k 512 --type mxfp4", "-m 300 -n 513 -k 288 --type mxfp4 --rows 256",
          "-m 3 -n 1001 -k 2080 --type mxfp4 --splits 5 --iters 2 --seed 5"}) {
        expect_pass(program, shape);
    }
}

// The same bits at each run, whichever workgroup is the last, and near enough with any number of
// parts. (expect_pass compares with the reference. The program looks at what a launch leaves for
// the next one.)
TEST_F(gemm_mxfp4, splits_give_the_same_bits_at_every_run) {
    for (const std::string type : {"bf16", "mxfp4"}) {
        for (const char* splits : {"1", "2", "5"}) {
            const std::string arguments =
                "-m 20 -n 70 -k 2592 --out c.npy --type " + type + " --splits " + splits;
            expect_pass(program, arguments);
            const std::vector<float> first = read_npy("c.npy");
            expect_pass(program, arguments + " --iters 2");
            EXPECT_EQ(read_npy("c.npy"), first) << arguments;
        }
    }
}

TEST_F(gemm_mxfp4, prints_its_plan) {
    EXPECT_TRUE(
        run(program, "-m 33 -n 100 -k 2048 --splits 3")
            .has("\nplan: blocks of 64 rows, 2 splits, 4 workgroups, 65536 bytes of sums\n"));
    EXPECT_TRUE(run(program, "-m 300 -n 257 -k 64 --type mxfp4 --rows 256")
                    .has("\nplan: blocks of 256 rows, 1 splits, 4 workgroups, 0 bytes of sums\n"));
    EXPECT_TRUE(std::regex_search(run(program, "-m 1 -n 64 -k 4096").out,
                                  std::regex("\nplan: blocks of 16 rows, [2-8] splits, ")));
}

TEST_F(gemm_mxfp4, says_what_is_wrong) {
    expect_refusal(program, "-k 48", "K is 48: it must be a multiple of 32, which share a scale");
    expect_refusal(program, "--type fp8", "--type is 'fp8': it must be bf16 or mxfp4");
    expect_refusal(program, "--rows 8", "--rows is '8': it must be 16, 32, 64 or 256");
    expect_refusal(program, "--rows 256", "--rows 256 is for --type mxfp4");
    expect_refusal(program, "--rows 256 --type mxfp4 --splits 2",
                   "--splits: blocks of 256 rows have all of K");
    expect_refusal(program, "--splits 0", "--splits is '0': it must be an integer from 1 to 64");
}

// Lane l of the matrix instruction has row l % 16 and 32 codes from l / 16 * 32 on; 64 lanes have 1
// KiB of codes, and byte s of their words of scales is for step s of four.
TEST(mxfp4_order, is_that_of_the_lanes) {
    const int rows = 37;
    const int k = 1184;
    examples::mxfp4_matrix plain{rows, k, {}, {}};
    for (int i = 0; i < rows * k / 2; ++i) {
        plain.codes.push_back(static_cast<opus::u8_t>(i * 7 + i / 251));
    }
    for (int i = 0; i < rows * k / 32; ++i) {
        plain.scales.push_back(static_cast<opus::u8_t>(i * 11 + i / 241));
    }
    const examples::mxfp4_matrix x = examples::reordered(plain);
    EXPECT_EQ(x.rows, 48);
    EXPECT_EQ(x.k, 1536);
    ASSERT_EQ(x.codes.size(), 3u * 12 * 1024);
    ASSERT_EQ(x.scales.size(), 3u * 3 * 256);
    for (int at = 0; at < 3 * 12 * 64; ++at) {
        const int lane = at % 64;
        const int step = at / 64 % 12;
        const int row = at / 64 / 12 * 16 + lane % 16;
        const int column = step * 128 + lane / 16 * 32;
        const bool is_there = row < rows && column < k;
        for (int byte = 0; byte < 16; ++byte) {
            EXPECT_EQ(x.codes[static_cast<std::size_t>(at * 16 + byte)],
                      is_there
                          ? plain.codes[static_cast<std::size_t>((row * k + column) / 2 + byte)]
                          : 0);
        }
        const int word = (at / 64 / 12 * 3 + step / 4) * 64 + lane;
        EXPECT_EQ(x.scales[static_cast<std::size_t>(word * 4 + step % 4)],
                  is_there ? plain.scales[static_cast<std::size_t>((row * k + column) / 32)] : 0);
    }
    const examples::mxfp4_matrix back = examples::reordered(x, true, rows, k);
    EXPECT_EQ(back.codes, plain.codes);
    EXPECT_EQ(back.scales, plain.scales);
}

}  // namespace
