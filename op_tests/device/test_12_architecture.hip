#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

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

// ---- warp_all ----

// Bit i of row b: what lane i gets where lane i's predicate is bit i of predicates[b], asked by the
// lanes of active[b] only. 2 says that it was not asked.
__global__ void ask_all(const uint64_t* predicates, const uint64_t* active, int* out) {
    const int b = block_id_x();
    const int lane = lane_id();
    int answer = 2;
    if (active[b] >> lane & 1) {
        answer = warp_all(predicates[b] >> lane & 1);
    }
    out[b * 64 + lane] = answer;
}

TEST(architecture, warp_all) {
    std::vector<uint64_t> predicates;
    std::vector<uint64_t> active;
    for (int lane = 0; lane < 64; lane++) {
        // One lane is missing, whether it is asked or not.
        predicates.insert(predicates.end(), 2, ~(uint64_t{1} << lane));
        active.push_back(~uint64_t{0});
        active.push_back(~(uint64_t{1} << lane));
    }
    predicates.insert(predicates.end(), {~uint64_t{0}, 0, 0xff00, 0});
    active.insert(active.end(), {~uint64_t{0}, ~uint64_t{0}, 0x0f00, 1});
    device_buffer<uint64_t> device_predicates(predicates);
    device_buffer<uint64_t> device_active(active);
    device_buffer<int> out(predicates.size() * 64);
    ask_all<<<static_cast<unsigned>(predicates.size()), 64>>>(device_predicates.data(),
                                                              device_active.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t b = 0; b < predicates.size(); b++) {
        const int all = (active[b] & ~predicates[b]) == 0;
        for (size_t lane = 0; lane < 64; lane++) {
            const int expected = (active[b] >> lane & 1) ? all : 2;
            ASSERT_EQ(result[b * 64 + lane], expected) << "case " << b << " lane " << lane;
        }
    }
}

// ---- mdiv ----

__global__ void divide(const u32_t* dividends, int n, mdiv m, u32_t d, u32_t* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n) {
        out[2 * i] = m.div(dividends[i]);
        const auto [quotient, remainder] = mdiv(d).divmod(dividends[i]);  // made on the device
        out[2 * i + 1] = quotient * 7 + remainder;
    }
}
// out[4 * i] to [4 * i + 3]: in[i] / d, the quotient and the remainder, and d.
__global__ void divide_int(const int* dividends, int n, mdiv m, u32_t* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n) {
        out[4 * i] = m.div(dividends[i]);
        m.divmod(dividends[i], out[4 * i + 1], out[4 * i + 2]);
        out[4 * i + 3] = m.get();
    }
}

TEST(architecture, mdiv_on_the_device) {
    std::mt19937 random(13);
    std::vector<u32_t> dividends = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
    while (dividends.size() < 1024) {
        dividends.push_back(static_cast<u32_t>(random()));
    }
    device_buffer<u32_t> in(dividends);
    device_buffer<u32_t> out(2 * dividends.size());
    for (const u32_t d : {1u, 2u, 3u, 7u, 1000u, 65537u, 0x7fffffffu, 0x80000001u, 0xffffffffu}) {
        divide<<<4, 256>>>(in.data(), static_cast<int>(dividends.size()), mdiv(d), d, out.data());
        finish();
        const auto result = out.to_host();
        for (size_t i = 0; i < dividends.size(); i++) {
            ASSERT_EQ(result[2 * i], dividends[i] / d) << dividends[i] << " / " << d;
            ASSERT_EQ(result[2 * i + 1], dividends[i] / d * 7 + dividends[i] % d)
                << dividends[i] << " / " << d;
        }
    }
}

TEST(architecture, mdiv_of_ints) {
    std::mt19937 random(14);
    std::vector<u32_t> divisors = {1, 2, 3, 7, 1000, 65537, 0x40000001, 0x7fffffff, 0x80000000};
    for (int i = 0; i < 40; i++) {
        divisors.push_back((static_cast<u32_t>(random()) >> (1 + i % 31)) | 1);
    }
    for (const u32_t d : divisors) {
        std::vector<int> dividends = {0, 1, 2, 0x7ffffffe, 0x7fffffff};
        while (dividends.size() < 256) {
            // At a multiple of d, or next to it.
            const uint64_t any = random() >> 1;
            const uint64_t near = any / d * d + random() % 3;
            dividends.push_back(static_cast<int>(near > 0 && near <= 0x80000000 ? near - 1 : any));
        }
        const device_buffer<int> in(dividends);
        device_buffer<u32_t> out(4 * dividends.size());
        divide_int<<<1, 256>>>(in.data(), static_cast<int>(dividends.size()), d, out.data());
        finish();
        const auto result = out.to_host();
        for (size_t i = 0; i < dividends.size(); i++) {
            const u32_t n = static_cast<u32_t>(dividends[i]);
            ASSERT_EQ(result[4 * i], n / d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 1], n / d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 2], n % d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 3], d);
        }
    }
}

}  // namespace
