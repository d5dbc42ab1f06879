// SPDX-License-Identifier: MIT
// examples/transpose_load as a user runs it; its kernel and counts are in
// transpose_load_kernel.hip.
#include <cstdlib>

#include "run_example.hpp"

namespace {

using examples_test::outcome;

class transpose_load : public examples_test::in_directory {
protected:
    const std::string program = OPUS_TRANSPOSE_LOAD;
};

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

TEST_F(transpose_load, passes) {
    for (const char* size : {"-m 1 -n 1 -k 1", "-m 65 -n 33 -k 300 --seed 5 --iters 2", ""}) {
        expect_pass(program, size);
    }
    const outcome o = run(program, "--verify 0");
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(count(o.out, "\nnot verified\n"), 1) << o.out;
    EXPECT_EQ(count(o.out, "PASS"), 0) << o.out;
}

TEST_F(transpose_load, prints_one_row_for_each_way) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "the table of a GPU has its times, too";
    }
    const outcome o = run(program, "");
    EXPECT_EQ(count(o.out, "\n(a) Q by rows:    4352 | 4 ds_write2_b64, 4096, "), 1) << o.out;
    EXPECT_EQ(count(o.out, "\n(a) Q by columns: 4352 | 64 ds_write_b8, 4096, unknown "), 1)
        << o.out;
    EXPECT_EQ(count(o.out, "| 4 ds_read2_b64, 4096, 0 "), 2) << o.out;
    if (examples::emulated_arch() == "gfx950") {
        EXPECT_EQ(count(o.out, "the same\n"), 3) << o.out;
        EXPECT_EQ(count(o.out, "\n(b) Q by rows:    4096 | 64 ds_write_b8, "), 1) << o.out;
        EXPECT_EQ(count(o.out, "\n(b) Q by columns: 4096 | 4 ds_write2st64_b64, 4096, 0 "), 1);
        EXPECT_EQ(count(o.out, "| 8 ds_read_b64_tr_b8, 4096, 0 "), 2) << o.out;
    } else {
        EXPECT_EQ(count(o.out, "the same\n"), 1) << o.out;
        EXPECT_EQ(count(o.out, "not available: ds_read_b64_tr_b8 needs gfx950\n"), 2) << o.out;
    }
    EXPECT_EQ(count(o.out, "emulated"), 2) << o.out;
}

TEST_F(transpose_load, reads_and_writes_files) {
    const std::vector<float> q = examples_test::small_matrix(40, 130, 0);
    const std::vector<float> k = examples_test::small_matrix(33, 130, 1);
    write_npy("q.npy", "40, 130", q);
    write_npy("k.npy", "33, 130", k);
    expect_pass(program, "--a q.npy --b k.npy --out s.npy");
    EXPECT_EQ(read_npy("s.npy"), examples_test::product(q, k, 40, 33, 130));
}

TEST_F(transpose_load, says_what_is_wrong) {
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
    write_npy("a.npy", "1, 2", std::vector<float>{1, 300});
    expect_refusal(program, "--a a.npy",
                   "A has an element 300: the largest fp8 of both targets is 240");
    EXPECT_TRUE(run(program, "--help").has("(128)"));
}

}  // namespace
