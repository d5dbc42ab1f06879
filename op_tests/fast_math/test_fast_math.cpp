// -ffast-math says that there are neither NaNs nor infinities. Conversions keep their bits all the
// same: those of fast.hip are those of precise.hip, on the host and in a kernel.
#include <gtest/gtest.h>

#include <vector>

#include "conversions.hpp"

namespace {

// All upper halves of fp32, each with lower halves at and around the middle and the ends.
std::vector<unsigned> words() {
    std::vector<unsigned> result;
    for (unsigned upper = 0; upper < 0x10000; ++upper) {
        for (const unsigned lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            // A part of them in full, of the rest every seventh.
            if (upper % 7 == lower % 7 || lower == 0) {
                result.push_back(upper << 16 | lower);
            }
        }
    }
    return result;
}

using codes = std::vector<unsigned>;

void expect_equal(const std::vector<unsigned>& words, const codes& fast, const codes& precise) {
    int differ = 0;
    for (size_t i = 0; i < fast.size() && differ < 5; ++i) {
        if (fast[i] != precise[i]) {
            ++differ;
            ADD_FAILURE() << "conversion " << i % conversions::results << " of 0x" << std::hex
                          << words[i / conversions::results] << ": 0x" << fast[i]
                          << " instead of 0x" << precise[i];
        }
    }
}

template <class Run>
codes on_device(const std::vector<unsigned>& words, Run run) {
    unsigned* in = nullptr;
    unsigned* out = nullptr;
    codes result(words.size() * conversions::results);
    const size_t bytes = result.size() * sizeof(unsigned);
    EXPECT_EQ(hipMalloc(&in, words.size() * sizeof(unsigned)), hipSuccess);
    EXPECT_EQ(hipMalloc(&out, bytes), hipSuccess);
    EXPECT_EQ(hipMemcpy(in, words.data(), words.size() * sizeof(unsigned), hipMemcpyHostToDevice),
              hipSuccess);
    EXPECT_EQ(hipMemset(out, 0xee, bytes), hipSuccess);
    EXPECT_EQ(run(in, out, static_cast<int>(words.size())), hipSuccess);
    EXPECT_EQ(hipMemcpy(result.data(), out, bytes, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipFree(in), hipSuccess);
    EXPECT_EQ(hipFree(out), hipSuccess);
    return result;
}

TEST(fast_math, host) {
    const auto in = words();
    codes fast(in.size() * conversions::results);
    codes precise(fast);
    const auto count = static_cast<int>(in.size());
    conversions::fast::on_host(in.data(), fast.data(), count);
    conversions::precise::on_host(in.data(), precise.data(), count);
    expect_equal(in, fast, precise);
    EXPECT_NE(precise[0], precise[(in.size() - 1) * conversions::results]);
}

TEST(fast_math, device) {
    const auto in = words();
    expect_equal(in, on_device(in, conversions::fast::on_device),
                 on_device(in, conversions::precise::on_device));
}

}  // namespace
