// examples/gemm_pipelined as a user runs it: random matrices, whose reference is of the quantised
// values, and matrices that are exact, whose product is known. What its options do is tested with
// gemm_naive; the kernel's products and banks are in gemm_pipelined_kernel.hip.
#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "run_example.hpp"
#include "small.hpp"

namespace {

using examples_test::outcome;
using examples_test::part;
using examples_test::product;
using examples_test::small_matrix;
using examples_test::takes;

// Whether the example has the type with the scales: the small one has no bf8, and fp8 twice.
bool is_there(const std::string& type, const std::string& scales) {
    const std::set<std::string> small{"fp8 tensor", "i8 tensor", "fp6 tensor",
                                      "fp8 mx",     "bf6 mx",    "fp4 mx"};
    return OPUS_EXAMPLES_SMALL == 0 || small.count(type + " " + scales) != 0;
}

class gemm_pipelined : public examples_test::in_directory {
protected:
    // The options that choose a kernel, all that the device has.
    std::vector<std::string> kernels() const {
        const bool mx = has_mx();
        std::vector<std::string> all;
        const auto add = [&](const std::string& scales, std::initializer_list<const char*> types) {
            for (const std::string type : types) {
                if (is_there(type, scales)) {
                    all.push_back("--type " + type + " --scales " + scales);
                }
            }
        };
        add("tensor", {"fp8", "bf8", "i8"});
        if (mx) {
            add("mx", {"fp8", "bf8", "fp6", "bf6", "fp4"});
            add("tensor", {"fp6", "bf6", "fp4"});
        }
        EXPECT_EQ(all.size(), OPUS_EXAMPLES_SMALL == 0 ? (mx ? 11u : 3u) : (mx ? 6u : 2u));
        return all;
    }

    // Whether the device has types below 8 bits and MX; where not, the messages are checked.
    bool has_mx() const {
        const outcome o = run(program, "-m 1 -n 1 -k 32 --type fp6");
        const outcome mx = run(program, "-m 1 -n 1 -k 32 --type fp8 --scales mx");
        EXPECT_EQ(mx.status, o.status);
        if (examples::is_emulated()) {
            EXPECT_EQ(o.status, examples::emulated_arch() == "gfx950" ? 0 : 2);
        }
        if (o.status == 2) {
            const std::string begin = "gemm_pipelined: this device (";
            const std::string has = ") has no matrix instructions ";
            EXPECT_EQ(o.out + mx.out, "");
            EXPECT_EQ(o.err.rfind(begin, 0), 0u) << o.err;
            EXPECT_NE(o.err.find(has + "for fp6; gfx950 has\n"), std::string::npos) << o.err;
            EXPECT_NE(mx.err.find(has + "with scales; gfx950 has\n"), std::string::npos) << mx.err;
        }
        return o.status != 2;
    }

    void pass_for_every_type_and_scale(part of);

    const std::string program = OPUS_GEMM_PIPELINED;
};

class gemm_pipelined_rest : public gemm_pipelined {};

// Paths: each kernel with one of the sizes, in turn.
void gemm_pipelined::pass_for_every_type_and_scale(part of) {
    int at = 0;
    for (const std::string& kernel : kernels()) {
        for (const char* size : {"-m 257 -n 129 -k 96", "-m 70 -n 132 -k 416 --out-type bf16",
                                 "-m 33 -n 17 -k 672 --seed 5 --splits 2"}) {
            const bool is_path = at / 3 % 3 == at % 3;
            ++at;
            if (takes(of, is_path)) {
                expect_pass(program, size + (" " + kernel));
            }
        }
    }
}
TEST_F(gemm_pipelined, passes_for_every_type_and_scale) {
    pass_for_every_type_and_scale(part::paths);
    expect_pass(program, "");
}
TEST_F(gemm_pipelined_rest, passes_for_every_type_and_scale) {
    pass_for_every_type_and_scale(part::rest);
}

TEST_F(gemm_pipelined, takes_any_k) {
    for (const char* size : {"-m 1 -n 1 -k 1", "-m 33 -n 17 -k 5", "-m 65 -n 130 -k 257"}) {
        for (const std::string& kernel :
             {std::string(is_there("bf8", "tensor") ? "--type bf8" : "--type fp8") +
                  " --out-type bf16",
              std::string("--type i8"), std::string("--type fp8 --iters 2")}) {
            expect_pass(program, size + (" " + kernel));
        }
    }
}

TEST_F(gemm_pipelined, takes_batches) {
    for (const std::string kernel : {"--type i8", "--type fp8"}) {
        expect_pass(program, "--batch 3 -m 65 -n 131 -k 160 " + kernel);
        expect_pass(program, "--batch 2 -m 40 -n 60 -k 600 --splits 3 " + kernel);
    }
    if (has_mx()) {
        expect_pass(program, "--batch 3 -m 65 -n 131 -k 160 --type fp4 --scales mx");
    }
    const outcome o = run(program, "--batch 3 -m 33 -n 17 -k 40");
    EXPECT_TRUE(o.has("gemm_pipelined: C[3, 33, 17] = A[3, 33, 40] * B[3, 17, 40]^T\n")) << o.out;
}

TEST_F(gemm_pipelined, splits_give_the_same_bits_at_every_run) {
    expect_same_bits_at_every_run(program, "-m 60 -n 70 -k 1300 --type fp8", {"1", "2", "5", "64"});
}

// The plan is what is asked for, as far as there are tiles, or fills the device.
TEST_F(gemm_pipelined, prints_its_plan) {
    EXPECT_TRUE(run(program, "-m 300 -n 100 -k 2048 --splits 3")
                    .has("\nplan: 3 splits, 6 workgroups, 360000 bytes of sums\n"));
    EXPECT_TRUE(run(program, "-m 300 -n 100 -k 64 --splits 3")
                    .has("\nplan: 1 splits, 2 workgroups, 0 bytes of sums\n"));
    // Rows of C that are no multiple of 4 have their own place, with splits or without.
    EXPECT_TRUE(run(program, "-m 30 -n 5 -k 64 --batch 2")
                    .has("\nplan: 1 splits, 2 workgroups, 1920 bytes of sums\n"));
    // A split has two tiles at least: of 128 bytes of a row each, on gfx942 of 64.
    const int most = has_mx() ? 4 : 8;
    const auto plan = [](int splits) {
        const std::string count = std::to_string(splits);
        return "\nplan: " + count + " splits, " + count + " workgroups, " +
               std::to_string(splits * 16) + " bytes of sums\n";
    };
    EXPECT_TRUE(run(program, "-m 1 -n 4 -k 1024 --splits 64").has(plan(most)));
    EXPECT_TRUE(run(program, "-m 1 -n 4 -k 1024 --splits 64 --type i8").has(plan(most)));
    const outcome o = run(program, "-m 64 -n 64 -k 4096");
    EXPECT_TRUE(std::regex_search(o.out, std::regex("\nplan: ([2-9]|[1-9][0-9]) splits, ")))
        << o.out;
}

// A and B as the kernel takes them, their scales, and C.
TEST_F(gemm_pipelined, counts_the_bytes_of_codes_and_scales) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "a GPU's report has its times instead";
    }
    const std::string size = "-m 128 -n 130 -k 256 --type ";
    EXPECT_TRUE(run(program, size + "i8").has(" FLOP, 132616 bytes, "));
    for (const std::string type : {"fp8", "bf8"}) {
        if (is_there(type, "tensor")) {
            EXPECT_TRUE(run(program, size + type).has(" FLOP, 132616 bytes, ")) << type;
        }
    }
    if (has_mx()) {
        EXPECT_TRUE(run(program, size + "bf6 --scales mx").has(" FLOP, 118160 bytes, "));
    }
}

// The largest magnitude of each matrix is the largest of the type, so that its scale is a power of
// two (of FNUZ another one, where the largest code used is half as large): nothing is rounded.
TEST_F(gemm_pipelined, is_exact_on_small_numbers) {
    struct {
        int m, n, k;
    } const shapes[] = {{33, 17, 5}, {130, 65, 300}, {70, 260, 257}};
    for (const auto& s : shapes) {
        std::vector<float> a = small_matrix(s.m, s.k, 0);
        std::vector<float> b = small_matrix(s.n, s.k, 1);
        a[0] = 448;  // not at the same k
        b[1] = 448;
        write_npy("a.npy", examples_test::shape_text(s.m, s.k), a);
        write_npy("b.npy", examples_test::shape_text(s.n, s.k), b);
        expect_pass(program, "--type fp8 --a a.npy --b b.npy --out d.npy");
        EXPECT_EQ(read_npy("d.npy"), product(a, b, s.m, s.n, s.k))
            << s.m << " " << s.n << " " << s.k;
    }
}

// 17 is halfway between 16 and 18; it goes to even. 0 has no sign, and a matrix of zeros no scale.
TEST_F(gemm_pipelined, quantises_to_nearest_even) {
    write_npy("b.npy", "1, 1", {448});
    const std::string arguments = "--type fp8 --a a.npy --b b.npy --out d.npy";
    write_npy("a.npy", "6, 1", {448, 17, 19, -17, -0.0f, 1e-30f});
    expect_pass(program, arguments);
    std::vector<float> expected;
    for (const float x : {448.0f, 16.0f, 20.0f, -16.0f, 0.0f, 0.0f}) {
        expected.push_back(448 * x);
    }
    EXPECT_EQ(read_npy("d.npy"), expected);
    write_npy("a.npy", "3, 1", {0, 0, 0});
    expect_pass(program, arguments);
    EXPECT_EQ(read_npy("d.npy"), (std::vector<float>{0, 0, 0}));
    write_npy("a.npy", "5, 1", {127, 2.5f, 3.5f, -2.5f, 0.4f});
    write_npy("b.npy", "1, 1", {127});
    expect_pass(program, "--type i8 --a a.npy --b b.npy --out d.npy");
    EXPECT_EQ(read_npy("d.npy"), (std::vector<float>{127 * 127, 2 * 127, 4 * 127, -2 * 127, 0}));
}

// Small numbers times a power of two that is another one for each 32.
TEST_F(gemm_pipelined, is_exact_on_small_numbers_in_mx) {
    if (!has_mx()) {
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
        for (const char* type : {"fp8", "bf8", "fp6", "bf6", "fp4"}) {
            if (!is_there(type, "mx")) {
                continue;
            }
            expect_pass(program,
                        std::string("--a a.npy --b b.npy --out d.npy --scales mx --type ") + type);
            EXPECT_EQ(read_npy("d.npy"), product(a, b, s.m, s.n, s.k))
                << s.m << " " << s.n << " " << s.k << " " << type;
        }
    }
}

// One element of A at a time, with B[0, l] = 1: what 6.2 becomes where the largest of 32 is 6.
TEST_F(gemm_pipelined, quantises_to_mx_as_the_specification_suggests) {
    if (!has_mx()) {
        return;
    }
    std::vector<float> b(32, 0.0f);
    b[1] = 1;
    write_npy("b.npy", "1, 32", b);
    struct {
        const char* type;
        float in, out;
    } const rows[] = {
        {"fp4", 2.4f, 2}, {"fp4", 2.5f, 2},     {"fp4", 3.5f, 4},    {"fp4", -5.1f, -6},
        {"fp4", 7.9f, 6}, {"fp6", 2.3f, 2.25f}, {"fp6", 7.9f, 7.5f}, {"bf6", 2.3f, 2.5f},
        {"bf6", 7.9f, 7}, {"fp8", 2.3f, 2.25f}, {"fp8", 7.9f, 7},    {"bf8", 2.3f, 2.5f},
        {"bf8", 7.9f, 7}, {"fp4", 0.2f, 0},     {"fp4", 0.3f, 0.5f},
    };
    for (const auto& row : rows) {
        if (!is_there(row.type, "mx")) {
            continue;
        }
        std::vector<float> a(32, 0.0f);
        a[0] = 6;
        a[1] = row.in;
        write_npy("a.npy", "1, 32", a);
        expect_pass(program,
                    std::string("--a a.npy --b b.npy --out d.npy --scales mx --type ") + row.type);
        EXPECT_EQ(read_npy("d.npy"), std::vector<float>{row.out}) << row.type << " " << row.in;
    }
    // The least scale is 2^-127, though this would have 2^-134.
    std::vector<float> a(32, 0.0f);
    a[1] = 0x1.8p-126f;
    write_npy("a.npy", "1, 32", a);
    expect_pass(program, "--a a.npy --b b.npy --out d.npy --scales mx --type fp8");
    EXPECT_EQ(read_npy("d.npy"), std::vector<float>{0x1.8p-126f});
}

TEST_F(gemm_pipelined, says_what_is_wrong) {
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--type f32",
                   "--type is 'f32': it must be fp8, bf8, fp6, bf6, fp4 or i8");
    expect_refusal(program, "--out-type f16", "--out-type is 'f16': it must be f32 or bf16");
    expect_refusal(program, "--type fp8 --scales row",
                   "--scales is 'row': it must be tensor or mx");
    expect_refusal(program, "--type i8 --scales mx", "--scales mx: i8 has no such scales");
    expect_refusal(program, "--type i8 -m 1 -n 1 -k 133145",
                   "K is 133145: sums of i8 do not overflow up to 133144");
    expect_refusal(program, "--splits 0", "--splits is '0': it must be an integer from 1 to 64");
    expect_refusal(program, "--batch 0", "--batch is '0': it must be an integer from 1 to 1024");
    if (has_mx()) {
        for (const char* k : {"33", "16"}) {
            expect_refusal(
                program, std::string("--type bf6 --scales mx -k ") + k,
                std::string("K is ") + k + ": it must be a multiple of 32, which share a scale");
        }
    }
}

}  // namespace
