// Barriers, waits and the order of instructions within a group, and what groups wait for together.
#include <gtest/gtest.h>

#include <vector>

#include "common/device.hpp"
#include "device_bytes.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

// ---- settle ----

// Vectors of all numbers of statements keep what they hold.
template <class V>
OPUS_D index_t put(int* out, const V& v) {
    constexpr index_t words = sizeof(V) / 4;
    const auto all = __builtin_bit_cast(array<int, words>, v);
    static_for<words>([&](auto i) { out[i.value] = all[i.value]; });
    return words;
}

template <class V>
OPUS_D index_t get(const int* in, V& v) {
    constexpr index_t words = sizeof(V) / 4;
    array<int, words> all;
    static_for<words>([&](auto i) { all[i.value] = in[i.value]; });
    v = __builtin_bit_cast(V, all);
    return words;
}

template <class... V>
OPUS_D index_t put_settled(const int* in, int* out, V... v) {
    index_t at = 0;
    ((at += get(in + at, v)), ...);
    settle(v...);
    at = 0;
    ((at += put(out + at, v)), ...);
    return at;
}

__global__ void settled(const int* in, int* out) {
    const int t = thread_id_x();
    out[64 * 256 + t] = put_settled(
        in + t * 256, out + t * 256, fp32x4_t{}, fp16x4_t{}, fp32x16_t{}, vector_t<fp32_t, 64>{},
        fp64x2_t{}, vector_t<fp32_t, 32>{}, vector_t<fp32_t, 128>{}, array<fp32x2_t, 3>{});
}

TEST(settle, keeps_the_values) {
    constexpr int count = 4 + 2 + 16 + 64 + 4 + 32 + 128 + 6;
    std::vector<int> in(64 * 256);
    for (size_t i = 0; i < in.size(); i++) {
        in[i] = static_cast<int>(i * 2654435761u);
    }
    const device_buffer<int> from(in);
    device_buffer<int> to(64 * 257);
    settled<<<1, 64>>>(from.data(), to.data());
    const std::vector<int> out = to.to_host();
    for (size_t t = 0; t < 64; t++) {
        ASSERT_EQ(out[64 * 256 + t], count);
        for (size_t i = 0; i < count; i++) {
            ASSERT_EQ(out[t * 256 + i], in[t * 256 + i]) << "lane " << t << ", dword " << i;
        }
    }
}

// ---- barriers ----
// What a barrier has to wait for cannot be seen on the emulator, where a memory operation is over
// when it is issued; op_tests/codegen looks at the instructions. That the waves meet can be seen.

constexpr int group_threads = 512;

// In each round thread t stores and thread t + 64 round + 1 reads: another wave, except in the
// last.
template <class Barrier>
__device__ void exchange(int* out, int* cells, Barrier barrier) {
    const int t = thread_id_x();
    for (int round = 0; round < 8; round++) {
        cells[t] = round * 1000 + t;
        barrier();
        out[round * group_threads + t] = cells[(t + 64 * round + 1) % group_threads];
        barrier();
    }
}

__global__ __launch_bounds__(group_threads) void exchange_with_sync_threads(int* out) {
    __shared__ int cells[group_threads];
    exchange(out, cells, [] { sync_threads(); });
}

// The bare barrier with the waits that it does not have.
__global__ __launch_bounds__(group_threads) void exchange_with_s_barrier(int* out) {
    __shared__ int cells[group_threads];
    exchange(out, cells, [] {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    });
}

// Through global memory.
__global__ __launch_bounds__(group_threads) void exchange_in_global_memory(int* out, int* cells) {
    exchange(out, cells, [] { sync_threads(); });
}

void check_exchange(const std::vector<int>& out) {
    for (int round = 0; round < 8; round++) {
        for (int t = 0; t < group_threads; t++) {
            const int from = (t + 64 * round + 1) % group_threads;
            ASSERT_EQ(out[static_cast<size_t>(round * group_threads + t)], round * 1000 + from)
                << "round " << round << " thread " << t;
        }
    }
}

TEST(architecture, sync_threads_orders_lds) {
    device_buffer<int> out(8 * group_threads);
    exchange_with_sync_threads<<<1, group_threads>>>(out.data());
    finish();
    check_exchange(out.to_host());
}

TEST(architecture, sync_threads_orders_global_memory) {
    device_buffer<int> out(8 * group_threads);
    device_buffer<int> cells(group_threads);
    exchange_in_global_memory<<<1, group_threads>>>(out.data(), cells.data());
    finish();
    check_exchange(out.to_host());
}

// LDS-DMA in every round, and a load from before the loop that is used in it: LLVM 22 loses the wait
// for the LDS-DMA that sync_threads() has not of its own.
template <int form>
__global__ __launch_bounds__(group_threads) void rotate(const int* in, int* out, int n) {
    __shared__ int cells[2 * group_threads];
    const int t = thread_id_x();
    const auto g = make_gmem(in);
    const int kept = in[t];
    const auto bring = [&](int i, int buffer) {
        g.async_load(cells + buffer * group_threads + t / 64 * 64, t, i * group_threads);
    };
    if constexpr (form == 0) {
        for (int i = 0; i < n; i++) {
            bring(i, 0);
            sync_threads();
            out[i * group_threads + t] = cells[group_threads - 1 - t] + kept;
            sync_threads();
        }
    } else if constexpr (form == 1) {
        bring(0, 0);
        for (int i = 0; i < n; i++) {
            sync_threads();
            bring(i + 1, (i + 1) % 2);
            out[i * group_threads + t] =
                cells[i % 2 * group_threads + group_threads - 1 - t] + kept;
        }
    } else {
        // The same with the next one in flight at both barriers.
        bring(0, 0);
        for (int i = 0; i < n; i++) {
            set_priority(2_I);
            bring(i + 1, (i + 1) % 2);
            wait_async(1_I);
            lds_barrier();
            const int read = cells[i % 2 * group_threads + group_threads - 1 - t];
            lds_barrier();
            set_priority(0_I);
            out[i * group_threads + t] = read + kept;
        }
    }
}

template <int form>
void check_rotate() {
    constexpr int n = 5;
    std::vector<int> in(group_threads * (n + 1));
    for (size_t i = 0; i < in.size(); i++) {
        in[i] = static_cast<int>(i * 37 % 1001);
    }
    const device_buffer<int> from(in);
    device_buffer<int> out(n * group_threads);
    out.fill_bytes(0x55);
    rotate<form><<<1, group_threads>>>(from.data(), out.data(), n);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < group_threads; t++) {
            ASSERT_EQ(got[i * group_threads + t], in[(i + 1) * group_threads - 1 - t] + in[t])
                << "form " << form << " round " << i << " thread " << t;
        }
    }
}

TEST(architecture, sync_threads_waits_for_lds_dma) {
    check_rotate<0>();
    check_rotate<1>();
}
TEST(architecture, lds_barrier_and_wait_async) {
    check_rotate<2>();
}

TEST(architecture, s_barrier_lets_the_waves_meet) {
    device_buffer<int> out(8 * group_threads);
    exchange_with_s_barrier<<<1, group_threads>>>(out.data());
    finish();
    check_exchange(out.to_host());
}

// ---- kinds of instructions ----
// The bits are those of llvm.amdgcn.sched.group.barrier (LLVM, AMDGPUUsage).

template <index_t bits, class Kind>
constexpr bool is_kind(Kind) {
    return is_same_v<Kind, sched_kind<bits>>;
}
static_assert(is_kind<0x2>(sched::valu) && is_kind<0x4>(sched::salu) && is_kind<0x8>(sched::mfma));
static_assert(is_kind<0x20>(sched::vmem_read) && is_kind<0x40>(sched::vmem_write));
static_assert(is_kind<0x100>(sched::lds_read) && is_kind<0x200>(sched::lds_write));
static_assert(is_kind<0x400>(sched::transcendental));
static_assert(is_kind<0x6>(sched::valu | sched::salu));
static_assert(is_kind<0x162>(sched::vmem_read | sched::lds_read | sched::vmem_write | sched::valu));

// ---- between groups ----

constexpr int group_count = 24;

// Each group hands its block's number on to all others.
__global__ void publish_and_gather(u32_t* counters, int* cells, int* out) {
    const workgroup_barrier done{counters};
    if (thread_id_y() == 0) {
        cells[block_id_x() * block_size_x() + thread_id_x()] = 100 * block_id_x() + thread_id_x();
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    done.inc(1);
    done.wait_lt(group_count, 1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    const int thread = thread_id_y() * block_size_x() + thread_id_x();
    const int threads = block_size_x() * block_size_y();
    int sum = 0;
    for (int i = thread; i < group_count * block_size_x(); i += threads) {
        sum += cells[i];
    }
    out[block_id_x() * threads + thread] = sum;
}

TEST(workgroup_barrier, every_group_sees_what_all_stored) {
    device_buffer<u32_t> counters(3);
    device_buffer<int> cells(group_count * 32);
    device_buffer<int> out(group_count * 32 * 5);
    counters.fill_bytes(0);
    cells.fill_bytes(0x55);
    publish_and_gather<<<group_count, dim3(32, 5)>>>(counters.data(), cells.data(), out.data());
    finish();
    const auto result = out.to_host();
    int expected = 0;
    for (int g = 0; g < group_count; g++) {
        for (int t = 0; t < 32; t++) {
            expected += 100 * g + t;
        }
    }
    for (int g = 0; g < group_count; g++) {
        int sum = 0;
        for (int t = 0; t < 160; t++) {
            sum += result[static_cast<size_t>(g * 160 + t)];
        }
        EXPECT_EQ(sum, expected) << "group " << g;
    }
    // Once for a group, not for a thread or a wave; and no other counter.
    EXPECT_EQ(counters.to_host(), (std::vector<u32_t>{0, group_count, 0}));
}

// The groups have their turn from the last to the first, against the order in which they start.
__global__ void take_turns(u32_t* counters, int* order) {
    const workgroup_barrier turn{counters};
    const u32_t mine = static_cast<u32_t>(group_count - 1 - block_id_x());
    turn.wait_eq(mine);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    if (thread_id_x() == 64) {
        // Plain accesses: nobody else has the turn.
        const int n = order[group_count];
        order[n] = block_id_x();
        order[group_count] = n + 1;
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    turn.inc();
}

TEST(workgroup_barrier, wait_eq_lets_one_in_at_a_time) {
    device_buffer<u32_t> counters(1);
    device_buffer<int> order(group_count + 1);
    counters.fill_bytes(0);
    order.fill_bytes(0);
    take_turns<<<group_count, 128>>>(counters.data(), order.data());
    finish();
    const auto result = order.to_host();
    for (int i = 0; i < group_count; i++) {
        EXPECT_EQ(result[static_cast<size_t>(i)], group_count - 1 - i);
    }
    EXPECT_EQ(counters.to_host()[0], group_count);
}

// The second wave reads while the first thread still waits, if the barrier does not hold it.
__global__ void hold_all_waves(u32_t* counters, u32_t* out) {
    const workgroup_barrier b{counters};
    if (block_id_x() == 0) {
        b.wait_lt(2);
        out[thread_id_x()] = b.ld();
    } else {
        b.inc();
        b.inc();
    }
}

TEST(workgroup_barrier, all_threads_wait) {
    device_buffer<u32_t> counters(1);
    device_buffer<u32_t> out(256);
    counters.fill_bytes(0);
    hold_all_waves<<<2, 256>>>(counters.data(), out.data());
    finish();
    EXPECT_EQ(out.to_host(), std::vector<u32_t>(256, 2));
}

// Groups of one thread, whose only thread is the first: they count, and they wait.
__global__ void count_alone(u32_t* counters, u32_t* out) {
    const workgroup_barrier b{counters};
    b.inc(2);
    b.wait_lt(group_count, 2);
    out[2 * block_id_x()] = b.ld(2);
    // One after the other.
    const u32_t mine = static_cast<u32_t>(block_id_x());
    b.wait_eq(mine, 1);
    out[2 * block_id_x() + 1] = b.ld(1);
    b.inc(1);
}

TEST(workgroup_barrier, groups_of_one_thread) {
    device_buffer<u32_t> counters(3);
    device_buffer<u32_t> out(2 * group_count);
    counters.fill_bytes(0);
    out.fill_bytes(0x55);
    count_alone<<<group_count, 1>>>(counters.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t g = 0; g < group_count; g++) {
        EXPECT_EQ(result[2 * g], group_count) << "group " << g;
        EXPECT_EQ(result[2 * g + 1], g) << "group " << g;
    }
    EXPECT_EQ(counters.to_host(), (std::vector<u32_t>{0, group_count, group_count}));
}

}  // namespace
