// examples/gemm_mx as a user runs it: random matrices, whose reference is of the quantised values,
// and matrices that are exact in every format, whose product is known. On gfx942 it must refuse.
#include <cmath>
#include <cstdlib>

#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::product;
using examples_test::small_matrix;

class gemm_mx : public examples_test::in_directory {
protected:
    // Whether the device has the instructions; where not, the message is checked.
    bool runs() const {
        const outcome o = run(program, "-m 1 -n 1 -k 32");
        if (const char* const arch = std::getenv("OPUS_EMU_ARCH")) {
            EXPECT_EQ(o.status, std::string(arch) == "gfx950" ? 0 : 2) << arch;
        }
        if (o.status == 2) {
            EXPECT_EQ(o.out, "");
            EXPECT_EQ(o.err.rfind("gemm_mx: this device (", 0), 0u) << o.err;
            EXPECT_NE(o.err.find(") has no matrix instructions with scales; gfx950 has\n"),
                      std::string::npos)
                << o.err;
        }
        return o.status != 2;
    }

    const std::string program = OPUS_GEMM_MX;
    const std::vector<std::string> formats{"fp8", "bf8", "fp6", "bf6", "fp4"};
};

TEST_F(gemm_mx, takes_any_m_and_n) {
    if (!runs()) {
        return;
    }
    for (const std::string& format : formats) {
        for (const char* size :
             {"-m 1 -n 1 -k 32", "-m 33 -n 17 -k 64", "-m 129 -n 65 -k 288", "-m 128 -n 128 -k 128",
              "-m 70 -n 132 -k 416 --out-type bf16", "-m 130 -n 131 -k 96 --out-type bf16"}) {
            expect_pass(program, size + (" --format " + format));
        }
    }
    expect_pass(program, "");
    expect_pass(program, "-m 2 -n 300 -k 640 --seed 9 --iters 2");
}

// Small numbers times a power of two that is another one for each 32.
TEST_F(gemm_mx, is_exact_on_small_numbers) {
    if (!runs()) {
        return;
    }
    struct {
        int m, n, k;
    } const shapes[] = {{1, 1, 32}, {33, 17, 160}, {130, 65, 384}, {70, 132, 224}};
    for (const auto& s : shapes) {
        const auto matrix = [&](int rows, unsigned salt) {
            std::vector<float> x = small_matrix(rows, s.k, salt);
            for (int i = 0; i < rows; ++i) {
                for (int l = 0; l < s.k; ++l) {
                    float& e = x[static_cast<std::size_t>(i * s.k + l)];
                    e = std::ldexp(e, (i * 3 + l / 32 * 2 + static_cast<int>(salt)) % 5 - 2);
                }
            }
            return x;
        };
        const std::vector<float> a = matrix(s.m, 0);
        const std::vector<float> b = matrix(s.n, 1);
        write_npy("a.npy", examples_test::shape_text(s.m, s.k), a);
        write_npy("b.npy", examples_test::shape_text(s.n, s.k), b);
        for (const std::string& format : formats) {
            expect_pass(program, "--a a.npy --b b.npy --out d.npy --format " + format);
            EXPECT_EQ(read_npy("d.npy"), product(a, b, s.m, s.n, s.k))
                << s.m << " " << s.n << " " << s.k << " " << format;
        }
    }
}

// One element of A at a time, with B[0, l] = 1: what 6.2 becomes where the largest of 32 is 6.
TEST_F(gemm_mx, quantises_as_the_specification_suggests) {
    if (!runs()) {
        return;
    }
    std::vector<float> b(32, 0.0f);
    b[1] = 1;
    write_npy("b.npy", "1, 32", b);
    struct {
        const char* format;
        float in, out;
    } const rows[] = {
        {"fp4", 2.4f, 2}, {"fp4", 2.5f, 2},     {"fp4", 3.5f, 4},    {"fp4", -5.1f, -6},
        {"fp4", 7.9f, 6}, {"fp6", 2.3f, 2.25f}, {"fp6", 7.9f, 7.5f}, {"bf6", 2.3f, 2.5f},
        {"bf6", 7.9f, 7}, {"fp8", 2.3f, 2.25f}, {"fp8", 7.9f, 7},    {"bf8", 2.3f, 2.5f},
        {"bf8", 7.9f, 7}, {"fp4", 0.2f, 0},     {"fp4", 0.3f, 0.5f},
    };
    for (const auto& row : rows) {
        std::vector<float> a(32, 0.0f);
        a[0] = 6;
        a[1] = row.in;
        write_npy("a.npy", "1, 32", a);
        expect_pass(program, std::string("--a a.npy --b b.npy --out d.npy --format ") + row.format);
        EXPECT_EQ(read_npy("d.npy"), std::vector<float>{row.out}) << row.format << " " << row.in;
    }
}

TEST_F(gemm_mx, says_what_is_wrong) {
    expect_refusal(program, "-k 33", "K is 33: it must be a multiple of 32, which share a scale");
    expect_refusal(program, "-k 16", "K is 16: it must be a multiple of 32, which share a scale");
    expect_refusal(program, "--format fp16",
                   "--format is 'fp16': it must be fp8, bf8, fp6, bf6 or fp4");
}

}  // namespace
