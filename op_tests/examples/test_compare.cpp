// examples/common/compare.hpp: which element is the worst, and what is printed.
#include "common/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using examples::comparison;

// What is printed, and the verdict as a line of its own.
std::string report_of(const comparison& c, int digits = 9) {
    testing::internal::CaptureStdout();
    const bool pass =
        c.print([](std::size_t at) { return "y[" + std::to_string(at) + "]"; }, digits);
    return testing::internal::GetCapturedStdout() + (pass ? "pass" : "fail");
}

TEST(compare, nothing_differs) {
    EXPECT_EQ(report_of({}), "no difference\npass");
}

// The largest difference is one element, the largest share of a tolerance another one.
TEST(compare, the_largest_and_the_worst) {
    comparison c;
    c.add(3, 10, 8, 4, 2);
    c.add(5, 1.25, 1, 0.5, 0.25);
    c.add(7, 1.25, 1, 0.3125, 0.25);
    EXPECT_EQ(report_of(c), "largest difference: 2 at y[3]; up to 0.8 of the tolerance\npass");
    c.add(9, 1.5, 1, 0.25, 0.5);
    EXPECT_EQ(report_of(c),
              "largest difference: 2 at y[3]; up to 2 of the tolerance\n"
              "y[9] is 1.5, expected 1 +- 0.25\nfail");
}

TEST(compare, of_several_it_is_the_first) {
    comparison c;
    c.add(2, 1, 0, 0, 1);
    c.add(4, 1, 0, 0, 1);
    EXPECT_EQ(report_of(c),
              "largest difference: 1 at y[2]; up to inf of the tolerance\n"
              "y[2] is 1, expected 0 +- 0\nfail");
}

TEST(compare, a_nan_is_infinitely_far_off) {
    comparison c;
    c.add(0, 1.5, 1, 1, 0.5);
    c.add(1, NAN, 1, 1, NAN);
    c.add(2, 2, 1, 0.5, 1);
    EXPECT_EQ(report_of(c),
              "largest difference: inf at y[1]; up to inf of the tolerance\n"
              "y[1] is nan, expected 1 +- 1\nfail");
}

// Where the tolerance is infinite an overflow is allowed; it is no largest difference.
TEST(compare, overflows) {
    comparison c;
    c.add(0, INFINITY, 1, INFINITY, INFINITY);
    EXPECT_EQ(report_of(c), "no difference but overflows that the tolerance has\npass");
    c.add(1, 3, 2, 2, 1);
    EXPECT_EQ(report_of(c), "largest difference: 1 at y[1]; up to 0.5 of the tolerance\npass");
    c.add(2, INFINITY, 1, 1, INFINITY);
    EXPECT_EQ(report_of(c),
              "largest difference: inf at y[2]; up to inf of the tolerance\n"
              "y[2] is inf, expected 1 +- 1\nfail");
}

// As many digits as are asked for.
TEST(compare, digits) {
    comparison c;
    c.add(0, 0.1, 0, 0, 0.1);
    EXPECT_NE(report_of(c, 17).find("y[0] is 0.10000000000000001, expected 0 +- 0\n"),
              std::string::npos);
}

}  // namespace
