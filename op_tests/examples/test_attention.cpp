// SPDX-License-Identifier: MIT
// examples/attention as a user runs it; what its kernel makes of chosen inputs is tested in
// attention_kernel.hip.
#include <string>

#include "run_example.hpp"
#include "small.hpp"

namespace {

using examples_test::part;
using examples_test::takes;

class attention : public examples_test::in_directory {
protected:
    const std::string program = OPUS_ATTENTION;

    void pass(part of);
};

class attention_rest : public attention {};

// Each passes if O is within the tolerance that the example derives. Paths: each shape with two of the
// kernels, which are all six or, in the small example, f16 with d = 128 and bf16 with the others.
void attention::pass(part of) {
    int kernel = 0;
    for (const std::string type : {"f16", "bf16"}) {
        for (const std::string d : {"64", "128", "192"}) {
            if (OPUS_EXAMPLES_SMALL != 0 && (type == "f16") != (d == "128")) {
                continue;
            }
            int at = 2 * kernel++;
            for (const char* rest :
                 {"-m 1 -n 1", "-m 17 -n 33", "-m 17 -n 33 --causal 1", "-m 130 -n 257",
                  "-m 130 -n 257 --causal 1", "-m 33 -n 300 --causal 1 --out-type f32",
                  "-m 100 -n 65 --causal 1 --out-type f32", "-m 257 -n 64 --scale 3",
                  "-m 5 -n 129 --heads 8 --kv-heads 1", "-m 1 -n 500 --scale 40"}) {
                const bool is_path = at % 4 < 2;
                ++at;
                if (takes(of, is_path)) {
                    expect_pass(program, std::string(rest) + " -d " + d + " --type " + type);
                }
            }
        }
    }
    for (const char* rest :
         {"", "-m 70 -n 300 --batch 2 --heads 6 --kv-heads 2 --causal 1",
          "-m 270 -n 70 --batch 2 --heads 2 --kv-heads 1 --causal 1 -d 192 --type bf16",
          "-m 300 -n 300 --causal 1 --type bf16 -d 64 --iters 2 --seed 5 --heads 2"}) {
        if (takes(of, true)) {
            expect_pass(program, rest);
        }
    }
}
TEST_F(attention, passes) {
    pass(part::paths);
}
TEST_F(attention_rest, passes) {
    pass(part::rest);
}

TEST_F(attention, says_how_much_it_computes) {
    // Rows that see 1, 2 and 3 keys, of 4 * 64 operations each, for 2 heads; 2-byte Q, K, V and O
    // but one head of K and V.
    examples_test::outcome o =
        run(program, "-m 3 -n 3 -d 64 --type bf16 --causal 1 --heads 2 --kv-heads 1");
    if (examples::is_emulated()) {
        EXPECT_TRUE(o.has("\ncounted: 3072 FLOP, 2304 bytes, 1.33 FLOP/byte (emulated")) << o.out;
    }
    EXPECT_EQ(o.out.rfind("attention: O = softmax(0.125 * Q[1, 2, 3, 64] * K[1, 1, 3, 64]^T, "
                          "causal) * V\n",
                          0),
              0u)
        << o.out;
}

// With d = 192 V and O have 128 columns: 2 * (192 + 128) operations for each key that a row sees,
// and 256 bytes in a row of V and O.
TEST_F(attention, has_fewer_columns_of_v_with_192) {
    const examples_test::outcome o =
        run(program, "-m 3 -n 3 -d 192 --type bf16 --causal 1 --heads 2 --kv-heads 1");
    if (examples::is_emulated()) {
        EXPECT_TRUE(o.has("\ncounted: 7680 FLOP, 5760 bytes, 1.33 FLOP/byte (emulated")) << o.out;
    }
    EXPECT_TRUE(o.has("K[1, 1, 3, 192]^T, causal) * V[1, 1, 3, 128]\n")) << o.out;
    write_npy("v.npy", "1, 1, 1, 192", std::vector<float>(192, 1));
    expect_refusal(program, "--v v.npy", "V has 192 columns: with -d 192 it must have 128");
    write_npy("v.npy", "1, 1, 1, 64", std::vector<float>(64, 1));
    expect_refusal(program, "--v v.npy -d 192", "V has 64 columns: with -d 192 it must have 128");
    expect_refusal(program, "--v v.npy -d 128", "V has 64 columns: with -d 128 it must have 128");
}

// Two keys with equal scores, in files.
TEST_F(attention, reads_and_writes_files) {
    std::vector<float> k(128, 0.5f);
    std::vector<float> v(128);
    for (int i = 0; i < 64; ++i) {
        v[static_cast<std::size_t>(i)] = static_cast<float>(i);
        v[static_cast<std::size_t>(64 + i)] = static_cast<float>(2 * i + 4);
    }
    write_npy("q.npy", "1, 1, 1, 64", std::vector<float>(64, 1));
    write_npy("k.npy", "1, 1, 2, 64", k);
    write_npy("v.npy", "1, 1, 2, 64", v);
    expect_pass(program, "--q q.npy --k k.npy --v v.npy --out o.npy --type bf16 --out-type f32");
    std::vector<float> expected;
    for (int i = 0; i < 64; ++i) {
        expected.push_back(static_cast<float>(3 * i + 4) / 2);
    }
    EXPECT_EQ(examples_test::contents(directory / "o.npy"),
              examples_test::npy_bytes("<f4", "1, 1, 1, 64", examples_test::bytes_of(expected)));
}

TEST_F(attention, says_what_is_wrong) {
    expect_refusal(program, "-m 0", "-m is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "-d 96", "-d is '96': it must be 64, 128 or 192");
    expect_refusal(program, "--heads 6 --kv-heads 4",
                   "6 heads cannot share 4 of K and V: --heads must be a multiple of --kv-heads");
    expect_refusal(program, "--heads 0", "--heads is '0': it must be an integer from 1 to 65535");
    expect_refusal(program, "--type f32", "--type is 'f32': it must be f16 or bf16");
    expect_refusal(program, "--type f16 --out-type bf16",
                   "--out-type is 'bf16': it must be f32 or that of --type, f16");
    expect_refusal(program, "--scale 0", "--scale is '0': it must be a number from 1e-30 to 1e30");
    expect_refusal(program, "--scale nan", "--scale is 'nan': it must be a finite number");
    expect_refusal(program, "--causal 2", "--causal is '2': it must be 0 or 1");
    write_npy("k.npy", "1, 1, 2, 64", std::vector<float>(128, 1));
    expect_refusal(program, "--k k.npy -n 3", "-n 3 contradicts k.npy, where it is 2");
    expect_refusal(program, "--k k.npy -d 128", "-d 128 contradicts k.npy, where it is 64");
    expect_refusal(program, "--k k.npy --v k.npy --batch 2",
                   "--batch 2 contradicts k.npy, where it is 1");
    write_npy("v.npy", "1, 1, 3, 64", std::vector<float>(192, 1));
    expect_refusal(program, "--k k.npy --v v.npy", "-n is 2 in k.npy and 3 in v.npy");
    write_npy("rank.npy", "2, 64", std::vector<float>(128, 1));
    expect_refusal(program, "--q rank.npy", "rank.npy: has rank 2, it must be 4");
    write_npy("large.npy", "1, 1, 1, 64", std::vector<float>(64, 1e6f));
    expect_refusal(
        program, "--v large.npy",
        "large.npy: element [0, 0, 0, 0] is 1e+06, which overflows f16 (largest: 65504)");
    write_npy("narrow.npy", "1, 1, 1, 32", std::vector<float>(32, 1));
    expect_refusal(program, "--q narrow.npy", "-d is '32': it must be 64, 128 or 192");
}

}  // namespace
