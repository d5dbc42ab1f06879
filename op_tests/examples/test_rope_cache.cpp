// SPDX-License-Identifier: MIT
// examples/rope_cache as a user runs it: any shape against the reference, and pairs, slots and codes
// by hand.
#include <algorithm>
#include <cmath>

#include "run_example.hpp"

namespace {

using examples_test::outcome;

class rope_cache : public examples_test::in_directory {
protected:
    const std::string program = OPUS_ROPE_CACHE;

    bool has_fnuz() const { return examples_test::device_arch() == "gfx942"; }

    // Three tokens at positions 2, 0 and 1, of slots 5, none and 3, a head of each, with pages of 16.
    void write_inputs(int d) {
        std::vector<float> q;
        std::vector<float> k;
        std::vector<float> v;
        for (int token = 0; token < 3; ++token) {
            for (int i = 0; i < d; ++i) {
                q.push_back(examples_test::small_value(token, i, 1));
                k.push_back(examples_test::small_value(token, i, 2));
                v.push_back(examples_test::small_value(token, i, 3));
            }
        }
        // Position p turns by p right angles, but pair 0, which stays.
        std::vector<float> cos_sin;
        for (int position = 0; position < 3; ++position) {
            const float cos[] = {1, 0, -1};
            const float sin[] = {0, 1, 0};
            for (int i = 0; i < d / 2; ++i) {
                cos_sin.push_back(i == 0 ? 1 : cos[position]);
            }
            for (int i = 0; i < d / 2; ++i) {
                cos_sin.push_back(i == 0 ? 0 : sin[position]);
            }
        }
        const std::string shape = "3, 1, " + std::to_string(d);
        write_npy("q.npy", shape, q);
        write_npy("k.npy", shape, k);
        write_npy("v.npy", shape, v);
        write_npy("cos_sin.npy", "3, " + std::to_string(d), cos_sin);
        write_npy("positions.npy", "3,", std::vector<float>{2, 0, 1});
        write_npy("slots.npy", "3,", std::vector<float>{5, -1, 3});
    }

    // Element i of a row of small_value()s, turned.
    static float turned(int token, int position, int i, int d, bool neox, unsigned salt) {
        const int pair = neox ? i % (d / 2) : i / 2;
        const bool second = neox ? i >= d / 2 : i % 2 == 1;
        const int other = neox ? (i + d / 2) % d : i ^ 1;
        const float x = examples_test::small_value(token, i, salt);
        const float y = examples_test::small_value(token, other, salt);
        return pair == 0 || position == 0 ? x : position == 2 ? -x : second ? y : -y;
    }
};

// Around the ends of what a group takes at a time: 32 heads of 128, 64 of 64.
TEST_F(rope_cache, takes_any_shape) {
    for (const char* type : {"bf16", "fp8"}) {
        for (const char* style : {"neox", "gptj"}) {
            for (const char* d : {"64", "128"}) {
                const std::string kind =
                    std::string("--type ") + type + " --style " + style + " -d " + d + " ";
                for (const char* rest :
                     {"-m 1 --heads 1 --kv-heads 1", "-m 7 --heads 33 --kv-heads 33 --page 32",
                      "-m 20 --heads 32 --kv-heads 8", "-m 9 --heads 64 --kv-heads 32",
                      "-m 3 --heads 130 --kv-heads 65 --page 32", "-m 40 --heads 7 --kv-heads 1",
                      "-m 5 --heads 31 --kv-heads 31 --seed 9"}) {
                    expect_pass(program, kind + rest);
                }
            }
        }
    }
    for (const char* rest : {"", "--type fp8 --scale-k 0.02 --scale-v 0.003",
                             "--type fp8 --scale-k 0.001 --scale-v 50 --style gptj --iters 2"}) {
        expect_pass(program, rest);
    }
}

TEST_F(rope_cache, right_angles) {
    for (const int d : {64, 128}) {
        write_inputs(d);
        for (const bool neox : {true, false}) {
            for (const char* type : {"bf16", "fp8"}) {
                SCOPED_TRACE(std::string(type) + (neox ? " neox " : " gptj ") + std::to_string(d));
                expect_pass(program,
                            "-m 3 --heads 1 --kv-heads 1 -d " + std::to_string(d) + " --style " +
                                (neox ? "neox" : "gptj") + " --type " + type +
                                " --q q.npy --k k.npy --v v.npy --cos-sin cos_sin.npy --positions "
                                "positions.npy --slots slots.npy --out oq.npy --out-k ok.npy "
                                "--out-v ov.npy");
                const int positions[] = {2, 0, 1};
                const std::vector<float> q = read_npy("oq.npy");
                const std::vector<float> k = read_npy("ok.npy");
                const std::vector<float> v = read_npy("ov.npy");
                ASSERT_EQ(q.size(), static_cast<std::size_t>(3 * d));
                ASSERT_EQ(k.size(), static_cast<std::size_t>(16 * d));
                ASSERT_EQ(v.size(), k.size());
                for (int i = 0; i < d; ++i) {
                    for (int token = 0; token < 3; ++token) {
                        EXPECT_EQ(q[static_cast<std::size_t>(token * d + i)],
                                  turned(token, positions[token], i, d, neox, 1))
                            << token << " " << i;
                    }
                    for (int slot = 0; slot < 16; ++slot) {
                        const auto at = static_cast<std::size_t>(slot * d + i);
                        if (slot != 5 && slot != 3) {
                            EXPECT_TRUE(std::isnan(k[at]) && std::isnan(v[at])) << slot;
                            continue;
                        }
                        const int token = slot == 5 ? 0 : 2;
                        EXPECT_EQ(k[at], turned(token, positions[token], i, d, neox, 2)) << slot;
                        EXPECT_EQ(v[at], examples_test::small_value(token, i, 3)) << slot;
                    }
                }
            }
        }
    }
}

// Codes are those of x / scale, to nearest even, the largest beyond it.
TEST_F(rope_cache, codes_by_hand) {
    std::vector<float> x(64);
    const float values[] = {1, -2, 0.40625f, 1000, -1000, 0, 0.46875f, -96};
    for (std::size_t i = 0; i < 64; ++i) {
        x[i] = values[i % 8];
    }
    write_npy("x.npy", "1, 1, 64", x);
    std::vector<float> cos_sin(64);
    std::fill(cos_sin.begin(), cos_sin.begin() + 32, 1.0f);
    write_npy("cos_sin.npy", "1, 64", cos_sin);
    write_npy("zero.npy", "1,", std::vector<float>{0});
    expect_pass(program,
                "-m 1 --heads 1 --kv-heads 1 -d 64 --type fp8 --scale-k 0.5 --scale-v 4 --k x.npy "
                "--v x.npy --cos-sin cos_sin.npy --positions zero.npy --slots zero.npy --out-k "
                "k.npy --out-v v.npy");
    const std::vector<float> k = read_npy("k.npy");
    const std::vector<float> v = read_npy("v.npy");
    const float largest = has_fnuz() ? 240 : 448;
    // 0.8125 is a code, 0.9375 is one; a quarter of 0.40625 and 0.46875, 0.1015625 and 0.1171875, too.
    const float codes_k[] = {2, -4, 0.8125f, largest, -largest, 0, 0.9375f, -192};
    const float codes_v[] = {
        0.25f, -0.5f,      0.1015625f, has_fnuz() ? 240.0f : 256.0f, has_fnuz() ? -240.0f : -256.0f,
        0,     0.1171875f, -24};
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(k[i], codes_k[i % 8]) << i;
        EXPECT_EQ(v[i], codes_v[i % 8]) << i;
    }
}

TEST_F(rope_cache, reports_what_it_did) {
    const outcome o = run(program, "-m 7 --heads 4 --kv-heads 2 -d 64 --type fp8 --verify 0");
    EXPECT_EQ(
        o.out.rfind("rope_cache: 7 tokens, 4 heads of q and 2 of k and v, of 64, neox, cache of "
                    "fp8, 1 pages of 16\ndevice: ",
                    0),
        0u)
        << o.out;
    // The last of seven tokens has no slot.
    const int bytes = 7 * (4 * 4 * 64 + 4 * 64) + 6 * 2 * 2 * 64 * 3;
    EXPECT_TRUE(o.has("counted: " + std::to_string(bytes) + " bytes moved, 0.00 % more than"))
        << o.out;
}

TEST_F(rope_cache, refuses_with_one_line) {
    expect_refusal(program, "-m 0", "-m is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--heads 3 --kv-heads 2", "3 heads cannot share 2 of K and V");
    expect_refusal(program, "--style half", "--style is 'half': it must be neox or gptj");
    expect_refusal(program, "--scale-v 2", "--scale-k and --scale-v are for --type fp8");
    write_npy("s.npy", "2,", std::vector<float>{0, 16});
    expect_refusal(program, "-m 2 --slots s.npy",
                   "s.npy has an element that is no integer from -1 to 15");
    write_npy("p.npy", "2,", std::vector<float>{0.5f, 1});
    expect_refusal(program, "-m 2 --positions p.npy",
                   "p.npy has an element that is no integer from 0 to 1023");
    write_npy("q.npy", "1, 1, 64", std::vector<float>(64, INFINITY));
    expect_refusal(program, "-m 1 --heads 1 --kv-heads 1 -d 64 --q q.npy",
                   "q, k or v has an element that is not finite in bf16");
}

}  // namespace
