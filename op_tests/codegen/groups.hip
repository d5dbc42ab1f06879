// Groups that wait for each other: a step for all at a time, and one that adds parts which others have
// stored. Each with workgroup_barrier, and by hand.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {

__device__ void barrier_by_hand() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
template <class F>
__device__ void by_first_thread(const F& act) {
    barrier_by_hand();
    if ((__builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() |
         __builtin_amdgcn_workitem_id_z()) == 0) {
        act();
    }
    barrier_by_hand();
}

template <bool by_hand>
__device__ void wait_for(u32_t* counter, u32_t value) {
    if constexpr (by_hand) {
        by_first_thread([=] {
            while (__hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < value) {
                __builtin_amdgcn_s_sleep(1);
            }
        });
    } else {
        workgroup_barrier(counter).wait_lt(value);
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}
template <bool by_hand>
__device__ void count(u32_t* counter) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    if constexpr (by_hand) {
        by_first_thread([=] {
            __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        });
    } else {
        workgroup_barrier(counter).inc();
    }
}

// Groups that add up what each has stored, step by step.
template <bool by_hand>
__device__ void add_up(u32_t* counter, float* data, int steps, u32_t groups) {
    const int t = thread_id_x();
    float sum = 0;
    for (int i = 0; i < steps; i++) {
        data[i * 256 + t] = sum;
        count<by_hand>(counter);
        wait_for<by_hand>(counter, static_cast<u32_t>(i + 1) * groups);
        sum += data[i * 256 + 255 - t];
    }
    data[t] = sum;
}

// A group that waits for parts of its tile, adds and stores them.
template <bool by_hand>
__device__ void add_parts(const float* from, float* to, u32_t* counters, u32_t parts) {
    const int t = thread_id_x();
    const int tile = block_id_x();
    wait_for<by_hand>(counters + tile, parts);
    fp32x4_t sum[4] = {};
    if constexpr (by_hand) {
        const auto buffer = [](const float* p) {
            return __builtin_amdgcn_make_buffer_rsrc(const_cast<float*>(p), short{0}, 16384,
                                                     0x20000);
        };
        for (u32_t i = 0; i < parts; i++, from += 4096) {
            for (int k = 0; k < 4; k++) {
                sum[k] += __builtin_bit_cast(fp32x4_t, __builtin_amdgcn_raw_buffer_load_b128(
                                                           buffer(from), t * 16 + k * 4096, 0, 0));
            }
        }
        for (int k = 0; k < 4; k++) {
            __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4_t, sum[k]), buffer(to),
                                                   t * 16 + k * 4096, 0, 0);
        }
    } else {
        const auto u = make_layout(make_tuple(4_I, 256_I, 4_I), make_tuple(1024_I, 4_I, 1_I),
                                   make_tuple(_, t, _));
        for (u32_t i = 0; i < parts; i++, from += 4096) {
            const auto part = load<4>(make_gmem(from, 16384), u);
            static_for<4>([&](auto k) { sum[k.value] += slice(part, k * 4_I, k * 4_I + 4_I); });
        }
        vector_t<fp32_t, 16> all;
        static_for<16>([&](auto n) { all[n.value] = sum[n.value / 4][n.value % 4]; });
        store<4>(make_gmem(to, 16384), all, u);
    }
}
}  // namespace

extern "C" __global__ void cumulative(u32_t* counter, float* data, int steps, u32_t groups) {
    add_up<false>(counter, data, steps, groups);
}
extern "C" __global__ void cumulative_by_hand(u32_t* counter, float* data, int steps,
                                              u32_t groups) {
    add_up<true>(counter, data, steps, groups);
}
extern "C" __global__ void fix_up(const float* from, float* to, u32_t* counters, u32_t parts) {
    add_parts<false>(from, to, counters, parts);
}
extern "C" __global__ void fix_up_by_hand(const float* from, float* to, u32_t* counters,
                                          u32_t parts) {
    add_parts<true>(from, to, counters, parts);
}
