// The LDS banks of examples/gemm_block, of every read and write of its loop.
#include <gtest/gtest.h>

#include "small.hpp"

#define main gemm_block_main
#include "gemm_block.hip"
#undef main

#include "lds_banks.hpp"

namespace {

using examples_test::worst_bank;

// The byte addresses of all 64 lanes for issue `issue` of the layout that u(lane) gives.
template <int vec, class F>
std::vector<int> addresses(F u, int issue) {
    std::vector<int> bytes;
    for (int lane = 0; lane < 64; ++lane) {
        bytes.push_back(opus::layout_to_offsets<vec>(u(lane))[issue] * 2);
    }
    return bytes;
}

template <class Tile>
void expect_no_conflicts(const char* arch, int unpadded) {
    SCOPED_TRACE(arch);
    using opus::operator""_I;
    const viewer::lds_rule read = viewer::find_rule("read_b128", arch);
    const viewer::lds_rule write = viewer::find_rule("write_b128", arch);
    const auto mma = make_block_mma<fp16_t, Tile>();
    for (int wave = 0; wave < 4; ++wave) {
        const auto reads = [&](auto pitch) {
            return [=](int lane) {
                return opus::partition_layout_a(mma, opus::make_tuple(pitch, 1_I),
                                                wave * 64 + lane);
            };
        };
        const auto reads_b = [&](int lane) {
            return opus::partition_layout_b(mma, opus::make_tuple(opus::number<Tile::pitch>{}, 1_I),
                                            wave * 64 + lane);
        };
        constexpr int issues = Tile::repeats * Tile::k / 16;
        for (int i = 0; i < issues; ++i) {
            const auto bytes = addresses<8>(reads(opus::number<Tile::pitch>{}), i);
            EXPECT_EQ(worst_bank(read, bytes), 1) << "read " << i;
            EXPECT_EQ(worst_bank(read, addresses<8>(reads_b, i)), 1) << "read " << i << " of B";
            for (const int byte : bytes) {
                EXPECT_EQ(byte % 16, 0);
                EXPECT_LE(byte + 16, Tile::size * Tile::pitch * 2);
            }
            // What the padding is for.
            EXPECT_EQ(worst_bank(read, addresses<8>(reads(opus::number<Tile::k>{}), i)), unpadded);
        }
    }
    for (int wave = 0; wave < 4; ++wave) {
        const auto writes = [&](int lane) {
            return Tile::bring_layout(opus::number<Tile::pitch>{}, wave * 64 + lane);
        };
        for (int i = 0; i < Tile::size / Tile::rows; ++i) {
            EXPECT_EQ(worst_bank(write, addresses<8>(writes, i)), 1) << "write " << i;
        }
    }
}

TEST(gemm_block_lds, no_access_has_bank_conflicts) {
    expect_no_conflicts<block_tile<128, 64>>("gfx942", 8);
    expect_no_conflicts<block_tile<128, 64>>("gfx950", 8);
    expect_no_conflicts<block_tile<64, 128>>("gfx942", 8);
    expect_no_conflicts<block_tile<64, 128>>("gfx950", 16);
}

}  // namespace
