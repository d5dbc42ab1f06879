#include <gtest/gtest.h>

#include "common/device.hpp"
#define OPUS_ENABLE_RUNTIME_QUERY 1
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

static_assert(get_warp_size() == 64);

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

struct indices {
    int thread[3];
    int block[3];
    int block_size[3];
    int grid_size[3];
    int lane;
};

__global__ void note_indices(indices* out) {
    const int thread =
        (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    const int blocks_x = grid_size_x() / block_size_x();
    const int blocks_y = grid_size_y() / block_size_y();
    const int block = (block_id_z() * blocks_y + block_id_y()) * blocks_x + block_id_x();
    const int block_threads = block_size_x() * block_size_y() * block_size_z();
    out[block * block_threads + thread] = {{thread_id_x(), thread_id_y(), thread_id_z()},
                                           {block_id_x(), block_id_y(), block_id_z()},
                                           {block_size_x(), block_size_y(), block_size_z()},
                                           {grid_size_x(), grid_size_y(), grid_size_z()},
                                           lane_id()};
}

TEST(architecture, indices) {
    const int grid[3] = {3, 2, 4};
    const int block[3] = {8, 5, 4};
    const int threads = block[0] * block[1] * block[2];
    const int blocks = grid[0] * grid[1] * grid[2];
    examples::device_buffer<indices> out(static_cast<size_t>(threads * blocks));
    out.fill_bytes(0x55);
    note_indices<<<dim3(3, 2, 4), dim3(8, 5, 4)>>>(out.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto result = out.to_host();
    for (int b = 0; b < blocks; b++) {
        for (int t = 0; t < threads; t++) {
            const indices& r = result[static_cast<size_t>(b * threads + t)];
            const int thread[3] = {t % 8, t / 8 % 5, t / 40};
            const int group[3] = {b % 3, b / 3 % 2, b / 6};
            for (int d = 0; d < 3; d++) {
                ASSERT_EQ(r.thread[d], thread[d])
                    << "thread " << t << " block " << b << " dim " << d;
                ASSERT_EQ(r.block[d], group[d]) << "thread " << t << " block " << b << " dim " << d;
                ASSERT_EQ(r.block_size[d], block[d]);
                ASSERT_EQ(r.grid_size[d], grid[d] * block[d]);
            }
            ASSERT_EQ(r.lane, t % 64);
        }
    }
}

__global__ void note_smem_size(int* out) {
    *out = get_smem_size();
}

TEST(architecture, lds_size_is_the_devices) {
    examples::device_buffer<int> out(1);
    note_smem_size<<<1, 1>>>(out.data());
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    int limit = 0;
    examples::check(hipDeviceGetAttribute(&limit, hipDeviceAttributeMaxSharedMemoryPerBlock, 0),
                    "hipDeviceGetAttribute");
    EXPECT_EQ(out.to_host()[0], limit);
}

TEST(architecture, queries) {
    device_buffer<int> out(1);
    note_smem_size<<<1, 1>>>(out.data());
    finish();
    EXPECT_EQ(query_smem_size(), out.to_host()[0]);
    EXPECT_EQ(query_warp_size(), get_warp_size());
    int units = 0;
    examples::check(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0),
                    "hipDeviceGetAttribute");
    EXPECT_EQ(query_num_cu(), units);
    EXPECT_GT(units, 0);
}

TEST(architecture, a_query_that_fails_throws) {
    try {
        // What the queries call: each of them succeeds where there is a device.
        impl::query_attribute(static_cast<hipDeviceAttribute_t>(-1));
        ADD_FAILURE() << "nothing was thrown";
    } catch (const runtime_query_error& error) {
        EXPECT_NE(error.status, hipSuccess);
        EXPECT_STREQ(error.call, "hipDeviceGetAttribute");
    }
    static_cast<void>(hipGetLastError());
}

}  // namespace
