// Slips that a GPU lets pass in silence or with a wrong result, each beside the right code:
//   slips NAME slip|right
// The line at which the emulator has to report the slip ends in "// NAME" (test_slips.cpp).
#include <cstdio>
#include <string_view>
#include <vector>

#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;

constexpr int threads = 256;

template <bool Right>
__global__ void race(float* p) {
    __shared__ float lds[threads];
    lds[thread_id_x()] = 1;
    if constexpr (Right) {
        sync_threads();
    }
    p[thread_id_x()] = lds[threads - 1 - thread_id_x()];  // race
}

// Where all write the same, it does not matter who is last.
template <bool Right>
__global__ void race_of_groups(float* p) {
    const int value = Right ? 1 : block_id_x();
    p[block_id_x() * 32 + thread_id_x() % 64] = static_cast<float>(value);  // race_of_groups
}

template <bool Right>
__global__ void missing_wait(float* p) {
    __shared__ float lds[threads];
    make_gmem(p).async_load<1>(lds + thread_id_x() / 64 * 64, thread_id_x());
    if constexpr (Right) {
        s_waitcnt_vmcnt(0_I);
    }
    s_barrier();
    const float x = lds[thread_id_x()];  // missing_wait
    p[thread_id_x()] = x;
}

template <bool Right>
__global__ void beyond_an_allocation(float* p) {
    p[thread_id_x() + (Right ? threads : threads + 1)] = 1;  // beyond_an_allocation
}

template <bool Right>
__global__ void beyond_an_allocation_by_gmem(float* p) {
    const int first = Right ? threads : threads + 1;
    make_gmem(p).store(1.0f, thread_id_x() + first);  // beyond_an_allocation_by_gmem
}

template <bool Right>
__global__ void beyond_a_buffer(float* p) {
    make_gmem(p, 1024u).store(1.0f, thread_id_x() + (Right ? 0 : 1));  // beyond_a_buffer
}

template <bool Right>
__global__ void before_a_buffer(float* p) {
    make_gmem(p, 1024u).store(1.0f, thread_id_x() - (Right ? 0 : 5));  // before_a_buffer
}

template <bool Right>
__global__ void beyond_lds(float* p) {
    __shared__ float few[Right ? threads : 64];
    few[thread_id_x()] = 1;  // beyond_lds
    sync_threads();
    p[thread_id_x()] = few[thread_id_x()];
}

template <bool Right>
__global__ void unwritten_lds(float* p) {
    __shared__ float lds[threads];
    if (thread_id_x() < threads - (Right ? 0 : 1)) {
        lds[thread_id_x()] = 1;
    }
    sync_threads();
    p[thread_id_x()] = lds[thread_id_x()];  // unwritten_lds
}

template <bool Right>
__global__ void unwritten_memory(float* p) {
    p[thread_id_x()] = p[thread_id_x() + (Right ? 0 : threads)] + 1;  // unwritten_memory
}

template <bool Right>
__global__ void nan(float* p) {
    const float x = static_cast<float>(thread_id_x()) - 7;
    p[thread_id_x()] = x / (x * 0.0f + (Right ? 1.0f : 0.0f));  // nan
}

template <bool Right>
__global__ void waves_that_leave(float* p) {
    __shared__ float lds[threads];
    lds[thread_id_x()] = 1;
    if (!Right && thread_id_x() >= 128) {
        return;
    }
    sync_threads();  // waves_that_leave
    if (thread_id_x() < 128) {
        p[thread_id_x()] = lds[127 - thread_id_x()];
    }
}

template <bool Right>
__global__ void lanes_that_miss_a_barrier(float* p) {
    if (Right || thread_id_x() % 2 == 0) {
        sync_threads();
    }
    p[thread_id_x()] = 0;  // lanes_that_miss_a_barrier
}

template <bool Right>
__global__ void barriers_in_a_loop(float* p) {
    for (int i = 0; i <= (Right ? 3 : thread_id_x() / 64); ++i) {
        sync_threads();  // barriers_in_a_loop
    }
    p[thread_id_x()] = 0;
}

template <bool Right>
__global__ __launch_bounds__(64) void too_many_threads(float* p) {
    p[thread_id_x()] = 0;
}

template <bool Right>
__global__ void endless(float* p) {
    __hip_atomic_store(p, Right ? 5.0f : 4.0f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 5.0f) {  // endless
    }
}

template <bool Right>
__global__ void unaligned(float* p) {
    const auto bytes = reinterpret_cast<char*>(p) + (Right ? 0 : 2);
    make_gmem(reinterpret_cast<float*>(bytes)).store(1.0f, 0);  // unaligned
}

template <bool Right>
__global__ void matrices_of_half_a_wave(float* p) {
    const mfma_f32_16x16x16_bf16 mma;
    const bf16x4_t a{};
    if (thread_id_x() < (Right ? 64 : 32)) {
        p[thread_id_x()] = mma(a, a)[0];  // matrices_of_half_a_wave
    }
}

__global__ void writes(float* p) {
    p[thread_id_x()] = 1;  // writes
}

enum class memory { of_device, of_host, freed, none };

// Index 0 is the slip, 1 what is right. Dynamic LDS is in bytes.
struct launch {
    const char* name;
    void (*kernels[2])(float*);
    unsigned groups[2] = {1, 1};
    unsigned threads_of_group[2] = {threads, threads};
    unsigned dynamic_lds[2] = {0, 0};
    memory given = memory::of_device;  // to the slip
};

#define OPUS_BOTH(kernel)           \
    #kernel, {                      \
        kernel<false>, kernel<true> \
    }
const launch launches[] = {
    {OPUS_BOTH(race)},
    {OPUS_BOTH(race_of_groups), {2, 2}, {64, 64}},
    {OPUS_BOTH(missing_wait)},
    {OPUS_BOTH(beyond_an_allocation)},
    {OPUS_BOTH(beyond_an_allocation_by_gmem)},
    {OPUS_BOTH(beyond_a_buffer)},
    {OPUS_BOTH(before_a_buffer)},
    {OPUS_BOTH(beyond_lds)},
    {OPUS_BOTH(unwritten_lds)},
    {OPUS_BOTH(unwritten_memory)},
    {OPUS_BOTH(nan)},
    {OPUS_BOTH(waves_that_leave)},
    {OPUS_BOTH(lanes_that_miss_a_barrier)},
    {OPUS_BOTH(barriers_in_a_loop)},
    {OPUS_BOTH(too_many_threads), {1, 1}, {threads, 64}},
    {OPUS_BOTH(endless), {1, 1}, {1, 1}},
    {OPUS_BOTH(unaligned), {1, 1}, {1, 1}},
    {OPUS_BOTH(matrices_of_half_a_wave)},
    {"no_group", {writes, writes}, {0, 1}},
    {"group_of_2048", {writes, writes}, {1, 1}, {2048, threads}},
    {"too_much_lds", {writes, writes}, {1, 1}, {threads, threads}, {200000, 60000}},
    {"null", {writes, writes}, {1, 1}, {threads, threads}, {0, 0}, memory::none},
    {"freed", {writes, writes}, {1, 1}, {threads, threads}, {0, 0}, memory::freed},
    {"host_memory", {writes, writes}, {1, 1}, {threads, threads}, {0, 0}, memory::of_host},
};
#undef OPUS_BOTH

int run(const launch& l, bool is_right) {
    const int n = is_right ? 1 : 0;
    std::vector<float> host(threads);
    float* p = nullptr;
    // The second half is not written.
    if (hipMalloc(&p, 2 * threads * sizeof(float)) != hipSuccess ||
        hipMemcpy(p, host.data(), threads * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) {
        return 1;
    }
    if (!is_right) {
        switch (l.given) {
            case memory::of_device:
                break;
            case memory::of_host:
                p = host.data();
                break;
            case memory::freed:
                (void)hipFree(p);
                break;
            case memory::none:
                p = nullptr;
                break;
        }
    }
    l.kernels[n]<<<l.groups[n], l.threads_of_group[n], l.dynamic_lds[n]>>>(p);
    const hipError_t launched = hipGetLastError();
    const hipError_t done = hipDeviceSynchronize();
    std::printf("launch: %s, end: %s\n", hipGetErrorString(launched), hipGetErrorString(done));
    return launched == hipSuccess && done == hipSuccess ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    for (const launch& l : launches) {
        if (argc == 3 && std::string_view(argv[1]) == l.name) {
            return run(l, std::string_view(argv[2]) == "right");
        }
    }
    std::fprintf(stderr, "slips NAME slip|right\n");
    return 2;
}
