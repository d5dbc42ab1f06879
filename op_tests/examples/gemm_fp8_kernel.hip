// The LDS banks of examples/gemm_fp8, of every read and write of its loop.
#include <gtest/gtest.h>

#define main gemm_fp8_main
#include "gemm_fp8.hip"
#undef main

#include "lds_banks.hpp"

namespace {

using examples_test::worst_bank;

// The byte addresses of all 64 lanes for issue `issue` of the layout that u(lane) gives.
template <class F>
std::vector<int> addresses(F u, int issue) {
    std::vector<int> bytes;
    for (int lane = 0; lane < 64; ++lane) {
        bytes.push_back(opus::layout_to_offsets<16>(u(lane))[issue]);
    }
    return bytes;
}

void expect_no_conflicts(const char* arch) {
    SCOPED_TRACE(arch);
    using opus::operator""_I;
    const viewer::lds_rule read = viewer::find_rule("read_b128", arch);
    const viewer::lds_rule write = viewer::find_rule("write_b128", arch);
    const auto stride = opus::make_tuple(opus::number<pitch>{}, 1_I);
    for (int wave = 0; wave < 4; ++wave) {
        const auto coordinate = [=](int part, int lane) {
            return opus::make_tuple(part, lane % 32, 0_I, lane / 32);
        };
        const auto reads_a = [&](int lane) {
            return opus::partition_layout_a(make_block_mma(), stride, coordinate(wave / 2, lane));
        };
        const auto reads_b = [&](int lane) {
            return opus::partition_layout_b(make_block_mma(), stride, coordinate(wave % 2, lane));
        };
        for (int i = 0; i < 8; ++i) {
            EXPECT_EQ(worst_bank(read, addresses(reads_a, i)), 1) << "read " << i;
            EXPECT_EQ(worst_bank(read, addresses(reads_b, i)), 1) << "read " << i << " of B";
        }
        const auto writes = [&](int lane) {
            return bring_layout(opus::number<pitch>{}, wave * 64 + lane);
        };
        for (int i = 0; i < size / tile_rows; ++i) {
            EXPECT_EQ(worst_bank(write, addresses(writes, i)), 1) << "write " << i;
        }
    }
}

TEST(gemm_fp8_lds, no_access_has_bank_conflicts) {
    expect_no_conflicts("gfx942");
    expect_no_conflicts("gfx950");
}

}  // namespace
