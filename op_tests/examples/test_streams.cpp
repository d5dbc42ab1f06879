// examples/vector_add and examples/copy as a user runs them.
#include <cmath>
#include <limits>

#include "run_example.hpp"

namespace {

using examples_test::outcome;

class streams : public examples_test::in_directory {
protected:
    const std::string add = OPUS_VECTOR_ADD;
    const std::string copy = OPUS_COPY;
};

// Around the ends of 16 bytes, waves and blocks.
TEST_F(streams, vector_add_takes_any_length) {
    for (const int n : {1, 2, 3, 4, 5, 7, 255, 256, 257, 1023, 1024, 1025, 2047, 4099}) {
        expect_pass(add, "-n " + std::to_string(n));
    }
    expect_pass(add, "");
    expect_pass(add, "-n 100000 --seed 7 --iters 3");
}

TEST_F(streams, copy_takes_any_shape) {
    for (const char* shape :
         {"-m 1 -n 1", "-m 1 -n 2", "-m 3 -n 1", "-m 1 -n 7", "-m 16 -n 16", "-m 33 -n 17",
          "-m 1 -n 8191", "-m 1 -n 8192", "-m 1 -n 8193", "-m 3 -n 8193", "-m 129 -n 257", ""}) {
        expect_pass(copy, shape);
    }
}

TEST_F(streams, report_what_they_moved) {
    outcome o = run(add, "-n 10");
    EXPECT_EQ(o.out.rfind("vector_add: c = a + b, 10 elements of f32\ndevice: ", 0), 0u) << o.out;
    EXPECT_TRUE(o.has("counted: 120 bytes (emulated: times mean nothing)\nno difference\nPASS\n") ||
                o.has(" GB/s, "))
        << o.out;
    o = run(copy, "-m 3 -n 5 --verify 0");
    EXPECT_EQ(o.out.rfind("copy: b = a, 3 x 5 elements of f16\ndevice: ", 0), 0u) << o.out;
    EXPECT_TRUE(o.has("counted: 60 bytes (emulated: times mean nothing)\nnot verified\n") ||
                o.has(" GB/s, "))
        << o.out;
}

TEST_F(streams, read_and_write_files) {
    const float inf = std::numeric_limits<float>::infinity();
    write_npy("a.npy", "5,", {1, -0.0f, 1e-40f, inf, 0.1f});
    write_npy("b.npy", "5,", {2, -0.0f, 1e-40f, 1, 0.2f});
    expect_pass(add, "--a a.npy --b b.npy --out c.npy");
    EXPECT_EQ(read_npy("c.npy"), (std::vector<float>{3, -0.0f, 1e-40f + 1e-40f, inf, 0.1f + 0.2f}));
    write_npy("m.npy", "2, 3", {1, 2, 3, 4, 5, NAN});
    expect_pass(copy, "--a m.npy --out c.npy");
    const std::vector<float> c = read_npy("c.npy");
    ASSERT_EQ(c.size(), 6u);
    EXPECT_EQ(std::vector<float>(c.begin(), c.begin() + 5), (std::vector<float>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(std::isnan(c[5]));
    // f64 is rounded to the type of the example once: by way of f32 the second one would be 1.
    write_npy<double>("m.npy", "1, 3", {0.1, 1 + 0x1p-11 + 0x1p-40, -INFINITY});
    expect_pass(copy, "--a m.npy --out c.npy");
    EXPECT_EQ(read_npy("c.npy"), (std::vector<float>{0x1.998p-4f, 1 + 0x1p-10f, -inf}));
    write_npy<double>("a.npy", "2,", {0.1, 1e-300});
    expect_pass(add, "--a a.npy --b a.npy --out c.npy");
    EXPECT_EQ(read_npy("c.npy"), (std::vector<float>{0.2f, 0}));
}

TEST_F(streams, refuse_with_one_line) {
    write_npy("a.npy", "5,", {1, 2, 3, 4, 5});
    write_npy("b.npy", "4,", {1, 2, 3, 4});
    write_npy("m.npy", "1, 1", {70000});
    write_npy<double>("large.npy", "1,", {1e39});
    expect_refusal(add, "-n 0", "-n is '0': it must be an integer from 1 to 1073741824");
    expect_refusal(add, "--iters x", "--iters is 'x': it must be an integer from 1 to 1000000");
    expect_refusal(add, "--a a.npy -n 4", "-n 4 contradicts a.npy, where it is 5");
    expect_refusal(add, "--a a.npy --b b.npy", "-n is 5 in a.npy and 4 in b.npy");
    expect_refusal(add, "--a m.npy", "m.npy: has rank 2, it must be 1");
    expect_refusal(copy, "-m 1073741824 -n 9", "1073741824 x 9 are more than 8589934592 elements");
    expect_refusal(add, "--a large.npy",
                   "large.npy: element [0] is 1e+39, which overflows f32 (largest: 3.40282e+38)");
    expect_refusal(copy, "--a m.npy",
                   "m.npy: element [0, 0] is 70000, which overflows f16 (largest: 65504)");
    expect_refusal(copy, "--out no/c.npy", "no/c.npy: cannot write: No such file or directory");
}

}  // namespace
