// examples/topk_gate as a user runs it: what it chooses, in what order, and the weights.
#include <cmath>
#include <limits>
#include <numeric>

#include "run_example.hpp"

namespace {

using examples_test::outcome;

constexpr float inf = std::numeric_limits<float>::infinity();

class topk_gate : public examples_test::in_directory {
protected:
    const std::string program = OPUS_TOPK_GATE;

    struct choice {
        std::vector<float> ids;
        std::vector<float> weights;
    };

    // Of one token with these logits.
    choice choose(const std::vector<float>& logits, const std::string& options,
                  const std::string& type = "f32") {
        write_npy("logits.npy", "1, " + std::to_string(logits.size()), logits);
        expect_pass(program,
                    "--type " + type + " --a logits.npy --out w.npy --out-ids i.npy " + options);
        return {read_npy("i.npy"), read_npy("w.npy")};
    }
};

void expect_near(const std::vector<float>& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], expected[i], 1e-6) << i;
    }
}

// Around the ends of registers, waves and blocks.
TEST_F(topk_gate, takes_any_shape) {
    for (const char* type : {"bf16", "f16", "f32"}) {
        for (const char* shape : {"-m 1 -n 1 -k 1", "-m 3 -n 2 -k 2", "-m 4 -n 8",
                                  "-m 5 -n 63 -k 16", "-m 9 -n 64 -k 1", "-m 2 -n 65 -k 6",
                                  "-m 7 -n 128 -k 8", "-m 6 -n 129 -k 2", "-m 257 -n 256 -k 8",
                                  "-m 2 -n 257 -k 3", "-m 5 -n 511 -k 16", "-m 33 -n 512 -k 10"}) {
            expect_pass(program, std::string("--type ") + type + " " + shape);
        }
    }
    for (const char* type : {"bf16", "f16"}) {
        for (const char* shape : {"-m 3 -n 17 -k 17", "-m 5 -n 64 -k 64", "-m 2 -n 65 -k 64",
                                  "-m 9 -n 200 -k 20 --norm 0", "-m 4 -n 512 -k 33"}) {
            expect_pass(program, std::string("--type ") + type + " " + shape);
        }
    }
    for (const char* how : {"--score sigmoid", "--score sigmoid --norm 0", "--norm 0"}) {
        expect_pass(program, how);
        expect_pass(program, std::string(how) + " -n 500 -k 16 --seed 5 --type f16");
    }
}

TEST_F(topk_gate, a_tie_goes_to_the_lowest_expert) {
    EXPECT_EQ(choose(std::vector<float>(200, 1.5f), "-k 5").ids,
              (std::vector<float>{0, 1, 2, 3, 4}));
    std::vector<float> logits(400, -1);
    for (const size_t expert : {387u, 130u, 66u, 3u, 2u}) {
        logits[expert] = 7;
    }
    logits[300] = 8;
    EXPECT_EQ(choose(logits, "-k 8").ids, (std::vector<float>{300, 2, 3, 66, 130, 387, 0, 1}));
    // Sigmoids that are the same in f32, of logits that are not.
    EXPECT_EQ(choose({30, 40, 35}, "-k 3 --score sigmoid").ids, (std::vector<float>{1, 2, 0}));
    // -0 and 0 are equal.
    EXPECT_EQ(choose({-0.0f, 0, -0.0f}, "-k 3").ids, (std::vector<float>{0, 1, 2}));
    // Where they are sorted.
    std::vector<float> first(20);
    std::iota(first.begin(), first.end(), 0.0f);
    for (const char* type : {"bf16", "f16"}) {
        EXPECT_EQ(choose(std::vector<float>(200, -1.5f), "-k 20", type).ids, first);
        std::vector<float> zeros(20);
        zeros[7] = zeros[19] = -0.0f;
        EXPECT_EQ(choose(zeros, "-k 20", type).ids, first);
    }
}

TEST_F(topk_gate, weights_by_hand) {
    const std::vector<float> logits{std::log(1.0f), std::log(4.0f), std::log(2.0f)};
    EXPECT_EQ(choose(logits, "-k 2").ids, (std::vector<float>{1, 2}));
    expect_near(choose(logits, "-k 2").weights, {4.0 / 6, 2.0 / 6});
    expect_near(choose(logits, "-k 2 --norm 0").weights, {4.0 / 7, 2.0 / 7});
    expect_near(choose(logits, "-k 2 --score sigmoid --norm 0").weights, {4.0 / 5, 2.0 / 3});
    expect_near(choose(logits, "-k 2 --score sigmoid").weights, {6.0 / 11, 5.0 / 11});
    // Sigmoids that f32 does not have still have a ratio.
    const double e = std::exp(1.0);
    expect_near(choose({-200, -199}, "-k 2 --score sigmoid").weights, {e / (1 + e), 1 / (1 + e)});
}

TEST_F(topk_gate, what_is_not_finite) {
    choice c = choose({NAN, -inf, 1}, "-k 3");
    EXPECT_EQ(c.ids, (std::vector<float>{2, 0, 1}));
    EXPECT_EQ(c.weights, (std::vector<float>{1, 0, 0}));
    c = choose(std::vector<float>(70, -inf), "-k 2");
    EXPECT_EQ(c.ids, (std::vector<float>{0, 1}));
    EXPECT_EQ(c.weights, (std::vector<float>{0, 0}));
    EXPECT_EQ(choose(std::vector<float>(70, NAN), "-k 2 --score sigmoid").weights,
              (std::vector<float>{0, 0}));
    std::vector<float> mixed(100, -inf);
    mixed[0] = mixed[98] = NAN;
    mixed[70] = inf;
    mixed[99] = -2;
    c = choose(mixed, "-k 18", "bf16");
    EXPECT_EQ(std::vector<float>(c.ids.begin(), c.ids.begin() + 5),
              (std::vector<float>{70, 99, 0, 1, 2}));
    EXPECT_EQ(c.weights[0], 1);
    EXPECT_EQ(c.weights[1], 0);
    c = choose({1, inf, 5, inf}, "-k 3");
    EXPECT_EQ(c.ids, (std::vector<float>{1, 3, 2}));
    EXPECT_EQ(c.weights, (std::vector<float>{0.5f, 0.5f, 0}));
}

TEST_F(topk_gate, reports_what_it_did) {
    const outcome o = run(program, "-m 3 -n 5 -k 2 --score sigmoid --verify 0");
    EXPECT_EQ(o.out.rfind("topk_gate: the 2 largest of 5 scores (sigmoid) of 3 tokens, logits of "
                          "bf16\ndevice: ",
                          0),
              0u)
        << o.out;
    EXPECT_TRUE(o.has("counted: 78 bytes moved, 0.00 % more than the least")) << o.out;
}

TEST_F(topk_gate, refuses_with_one_line) {
    expect_refusal(program, "-k 65", "-k is '65': it must be an integer from 1 to 64");
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 64");
    expect_refusal(program, "-k 17 --type f32",
                   "-k 17 is more than 16: the logits must be f16 or bf16");
    expect_refusal(program, "-n 3 -k 4", "-k 4 of 3 experts cannot be chosen");
    expect_refusal(program, "-n 513", "-n is '513': it must be an integer from 1 to 512");
    expect_refusal(program, "--score max", "--score is 'max': it must be softmax or sigmoid");
}

}  // namespace
