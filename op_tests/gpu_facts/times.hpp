// What the kind `times` is made of: times_compute.hip, times_lds.hip and times_memory.hip.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "facts.hpp"
#include "opus/hip_minimal.hpp"

namespace gpu_facts {

// What is assumed, and how far from it, as a part of it, still counts as the same. Below 0: nothing
// is, and what is seen is neither the same nor different.
struct assumed_time {
    double gfx942;
    double gfx950;
    double tolerance;
};

// One measurement is the median of `repetitions` calls of `once`. On the emulator `once` runs one
// time, so that its kernels are executed, and nothing can be told.
inline finding find_time(const device& on, const assumed_time& assumed, const std::string& unit,
                         int repetitions, const std::function<double()>& once) {
    finding f;
    f.unit = unit;
    if (on.emulated) {
        once();
        f.seen = "nothing: the emulator has no time";
        return f;
    }
    std::vector<double> all;
    for (int n = 0; n < (on.quick ? 3 : repetitions); ++n) {
        all.push_back(once());
    }
    std::sort(all.begin(), all.end());
    f.repetitions = static_cast<int>(all.size());
    // What is less than nothing by its noise is nothing, and a parameter of the model.
    f.value = std::max(all[all.size() / 2], 0.0);
    if (!std::isfinite(all.front()) || !std::isfinite(all.back())) {
        f.value = std::nan("");
        f.seen = "nothing: it took no time";
        return f;
    }
    f.spread = f.value == 0 ? 0 : (all.back() - all.front()) / std::abs(f.value);
    const double wanted = on.arch == "gfx942" ? assumed.gfx942 : assumed.gfx950;
    const bool near = std::abs(f.value - wanted) <= std::max(assumed.tolerance * wanted, 1.0);
    f.said = wanted < 0 ? verdict::cannot : near ? verdict::same : verdict::different;
    f.seen = format("%.5g %s", f.value, unit.c_str());
    return f;
}

inline void measure_time(const device& on, report& to, const std::string& name,
                         const assumed_time& assumed, const std::string& unit,
                         const std::string& source, const std::function<double()>& once,
                         int repetitions = 15) {
    const double wanted = on.arch == "gfx942" ? assumed.gfx942 : assumed.gfx950;
    to.measure(name, wanted < 0 ? "nothing" : format("%.5g %s", wanted, unit.c_str()), source,
               [&] { return find_time(on, assumed, unit, repetitions, once); });
}

// A kernel that times a piece of assembly in each of its waves.
using timed_kernel = void (*)(unsigned* clocks, const unsigned* addresses);
constexpr int timed_rounds = 4;  // the first one brings the code into the instruction cache

// The clocks of the slowest wave of a group of so many, less those of a kernel that times nothing.
// `addresses` are offsets in 16 KiB of LDS, one for each lane.
double clocks_of(timed_kernel kernel, int waves, const std::vector<unsigned>& addresses);
double clocks_of(timed_kernel kernel, int waves);

void times_compute(const device& on, report& to);
void times_lds(const device& on, report& to);
void times_memory(const device& on, report& to);

}  // namespace gpu_facts

// OPUS_TIMED_KERNEL(name, before, body): a timed_kernel. %1 is the lane's byte of LDS; v0 to v3 hold
// 1.0, v8 to v63 and a0 to a63 are free.
// clang-format off
#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_TIMED(before, body)                                                              \
    asm volatile(                                                                             \
        "v_mov_b32 v0, 1.0\n v_mov_b32 v1, v0\n v_mov_b32 v2, v0\n v_mov_b32 v3, v0\n"        \
        ".irp r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23\n"              \
        "v_mov_b32 v\\r, v0\n .endr\n" before "\n"                                            \
        "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_barrier\n s_memtime s[20:21]\n"                    \
        "s_waitcnt lgkmcnt(0)\n" body "\n"                                                    \
        "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_memtime s[22:23]\n s_waitcnt lgkmcnt(0)\n"         \
        "s_sub_u32 %0, s22, s20\n s_nop 15\n s_nop 15\n"                                      \
        : "=s"(elapsed) : "v"(address)                                                        \
        : "memory", "scc", "vcc", "s20", "s21", "s22", "s23", "s24", "s25", "v0", "v1", "v2", \
          "v3", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",    \
          "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", \
          "v31", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11",    \
          "a12", "a13", "a14", "a15", "a16", "a17", "a18", "a19", "a20", "a21", "a22", "a23", \
          "a24", "a25", "a26", "a27", "a28", "a29", "a30", "a31", "a32", "a33", "a34", "a35", \
          "a36", "a37", "a38", "a39", "a40", "a41", "a42", "a43", "a44", "a45", "a46", "a47", \
          "a48", "a49", "a50", "a51", "a52", "a53", "a54", "a55", "a56", "a57", "a58", "a59", \
          "a60", "a61", "a62", "a63")
#else
#define OPUS_TIMED(before, body)
#endif
// clang-format on
#define OPUS_TIMED_KERNEL(name, before, body)                                                     \
    __global__ __launch_bounds__(1024) void name(unsigned* clocks, const unsigned* addresses) {   \
        __shared__ unsigned lds[4096];                                                            \
        for (unsigned n = threadIdx.x; n < 4096; n += blockDim.x) {                               \
            lds[n] = 0;                                                                           \
        }                                                                                         \
        [[maybe_unused]] const unsigned address =                                                 \
            addresses[threadIdx.x % 64] + static_cast<unsigned>(reinterpret_cast<uintptr_t>(      \
                                              (__attribute__((address_space(3))) unsigned*)lds)); \
        _Pragma("unroll 1") for (int round = 0; round < gpu_facts::timed_rounds; ++round) {       \
            unsigned elapsed = 0;                                                                 \
            OPUS_TIMED(before, body);                                                             \
            if (threadIdx.x % 64 == 0) {                                                          \
                clocks[threadIdx.x / 64 * gpu_facts::timed_rounds +                               \
                       static_cast<unsigned>(round)] = elapsed;                                   \
            }                                                                                     \
        }                                                                                         \
    }
