// examples/silu_mul_mxfp4 as a user runs it: codes and scales bit by bit.
#include <cmath>
#include <limits>

#include "run_example.hpp"

namespace {

using examples_test::shape_text;

class silu_mul_mxfp4 : public examples_test::in_directory {
protected:
    // They equal the reference, in which nothing is rounded but the codes.
    void expect_no_difference(const std::string& arguments) {
        expect_pass(program, arguments);
        EXPECT_TRUE(run(program, arguments).has("\nno difference\nPASS\n")) << arguments;
    }

    const std::string program = OPUS_SILU_MUL_MXFP4;
};

TEST_F(silu_mul_mxfp4, equals_the_reference_bit_by_bit) {
    for (const std::string options :
         {"", "--order plain", "--act none", "--act none --order plain"}) {
        for (const char* shape : {"-m 1 -n 32 ", "-m 17 -n 160 ", "-m 33 -n 1056 --seed 3 "}) {
            expect_no_difference(shape + options);
        }
    }
    expect_no_difference("-m 64 -n 4096 --iters 2");
}

// Blocks of their own: the largest has the exponent of 4, codes go to the nearest, a tie to the
// even one, and zeros keep their sign.
TEST_F(silu_mul_mxfp4, quantises_as_the_specification_suggests) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    struct {
        std::vector<float> in;
        std::vector<float> codes;  // of the first ones
        float scale;               // E8M0
    } const rows[] = {
        {{6, 0.25f, -0.75f, 1.25f, 1.75f, 2.5f, -3.5f, 5}, {6, 0, -1, 1, 2, 2, -4, 4}, 127},
        {{7.96875f, 5.03125f, 0.2578125f, -0.0f}, {6, 6, 0.5f, -0.0f}, 127},
        {{8, 7, -6, 1}, {4, 4, -3, 0.5f}, 128},
        {{3.984375f, -2}, {6, -4}, 126},
        {{0x1p127f, -0x1.8p126f}, {4, -3}, 252},
        {{0x1p-126f, 0x1p-127f}, {2, 1}, 0},
        {{0x1p-133f}, {0}, 0},
        {{0}, {0}, 0},
        {{1, infinity}, {}, 255},
        {{NAN, 1}, {}, 255},
    };
    const int count = static_cast<int>(std::size(rows));
    std::vector<float> a;
    for (const auto& row : rows) {
        a.insert(a.end(), row.in.begin(), row.in.end());
        a.resize((a.size() + 31) / 32 * 32, 0.0f);
    }
    // In a row of their own, and beside each other.
    for (const std::string& shape : {shape_text(count, 32), shape_text(1, 32 * count)}) {
        for (const char* order : {"kernel", "plain"}) {
            write_npy("a.npy", shape, a);
            expect_pass(program, std::string("--act none --a a.npy --out q.npy --out-s s.npy ") +
                                     "--order " + order);
            const std::vector<float> q = read_npy("q.npy");
            const std::vector<float> s = read_npy("s.npy");
            ASSERT_EQ(q.size(), static_cast<std::size_t>(32 * count));
            ASSERT_EQ(s.size(), static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < s.size(); ++i) {
                EXPECT_EQ(s[i], rows[i].scale) << i;
                for (std::size_t j = 0; j < rows[i].codes.size(); ++j) {
                    const float code = q[i * 32 + j];
                    EXPECT_EQ(code, rows[i].codes[j]) << i << " " << j;
                    EXPECT_EQ(std::signbit(code), std::signbit(rows[i].codes[j])) << i << " " << j;
                }
            }
        }
    }
}

// silu(1) = 0.7311, silu(2) = 1.7616, silu(-1) = -0.2689, silu(20) = 20 but for 4e-8.
TEST_F(silu_mul_mxfp4, multiplies_silu_of_a_by_b) {
    std::vector<float> a(64, 0.0f);
    std::vector<float> b(64, 1.0f);
    a[0] = 1;
    b[0] = 8;  // 5.85: 6
    a[1] = 2;
    b[1] = -2;  // -3.52: -4
    a[31] = -1;
    b[31] = 2;   // -0.54: -0.5
    a[40] = 20;  // 20 = 5 * 2^2: the tie goes to 4
    a[41] = -100;
    b[41] = 100;  // -4e-40
    write_npy("a.npy", "1, 64", a);
    write_npy("b.npy", "1, 64", b);
    expect_pass(program, "--a a.npy --b b.npy --out q.npy --out-s s.npy");
    std::vector<float> q(64, 0.0f);
    q[0] = 6;
    q[1] = -4;
    q[31] = -0.5f;
    EXPECT_EQ(read_npy("s.npy"), (std::vector<float>{127, 129}));
    // 20 (1 - 2e-9) is the tie of f32, and below it.
    q[40] = 4;
    EXPECT_EQ(read_npy("q.npy"), q);
}

TEST_F(silu_mul_mxfp4, says_what_is_wrong) {
    expect_refusal(program, "-n 48", "N is 48: it must be a multiple of 32, which share a scale");
    expect_refusal(program, "--act gelu", "--act is 'gelu': it must be silu or none");
    expect_refusal(program, "--order rows", "--order is 'rows': it must be kernel or plain");
    write_npy("b.npy", "1, 32", std::vector<float>(32, 1));
    expect_refusal(program, "--act none --b b.npy", "--b with --act none: it would not be used");
}

}  // namespace
