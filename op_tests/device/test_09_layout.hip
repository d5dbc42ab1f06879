// The laws of layouts, in a kernel: every lane checks them for its own extents and strides.
#include <gtest/gtest.h>

#include "../laws/layout_laws.hpp"
#include "common/device.hpp"

// 1: what is slow, all of each table; else each path once.
#ifndef OPUS_TEST_SLOW
#define OPUS_TEST_SLOW 0
#endif

namespace {

using namespace opus;
using opus::operator""_I;

constexpr int laws_checked = 6;

__global__ void check_laws(index_t* first_wrong) {
    const index_t lane = static_cast<index_t>(threadIdx.x);
    const laws::index_space<3> space{{3, 4, 5}};
    const array<index_t, 3> packed{20, 5, 1};
    const array<index_t, 3> strides{lane, 1, 3 * lane + 7};
    index_t* out = first_wrong + lane * laws_checked;

    out[0] = laws::first_wrong_offset(make_layout<-1>(3_I, 4_I, 5_I), space, packed);
    out[1] = laws::first_wrong_offset(make_layout(3, 4_I, 5), space, packed);
    auto u = make_layout(make_tuple(3_I, 4_I, 5_I), make_tuple(lane, 1_I, 3 * lane + 7));
    u += lane;
    out[2] = laws::first_wrong_offset(u, space, strides, lane);
    const auto tile =
        make_layout(make_tuple(3_I, 16_I, 4_I, 8_I), make_tuple(16 * lane, lane, 8_I, 1_I),
                    make_tuple(_, lane / 4, lane % 4, _));
    out[3] = laws::first_wrong_issue<2>(tile);
    out[4] = laws::first_wrong_issue<8>(tile);
    // One that is wrong: the law must be seen to fail.
    out[5] = laws::first_wrong_offset(u, space, strides, lane + 1);
}

TEST(layout, laws_hold_in_a_kernel) {
    examples::device_buffer<index_t> out(64 * laws_checked);
    out.fill_bytes(0x55);
    check_laws<<<1, 64>>>(out.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto result = out.to_host();
    for (size_t lane = 0; lane < 64; lane++) {
        for (size_t law = 0; law < laws_checked; law++) {
            EXPECT_EQ(result[lane * laws_checked + law], law == 5 ? 0 : -1)
                << "lane " << lane << " law " << law;
        }
    }
}

// Lane l checks the layout that is drawn by the number l.
constexpr int drawn_layouts = OPUS_TEST_SLOW ? 16 : 4;

__global__ void check_drawn_layouts(index_t zero, index_t* broken_law) {
    const index_t lane = static_cast<index_t>(threadIdx.x);
    static_for<drawn_layouts>([&](auto seed) {
        if (lane == seed) {
            broken_law[lane] = laws::first_broken_law<100 + seed.value>(zero);
        }
    });
}

TEST(layout, laws_of_drawn_layouts_hold_in_a_kernel) {
    examples::device_buffer<index_t> out(drawn_layouts);
    out.fill_bytes(0x55);
    check_drawn_layouts<<<1, 64>>>(0, out.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto result = out.to_host();
    for (size_t seed = 0; seed < drawn_layouts; seed++) {
        EXPECT_EQ(result[seed], -1) << "seed " << 100 + seed;
    }
}

}  // namespace
