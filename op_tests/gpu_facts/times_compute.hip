// Instructions that use no memory, and the clock under load.
#include "times.hpp"

namespace gpu_facts {
namespace {

#define OPUS_TIMES(count, text) ".rept " #count "\n" text "\n.endr\n"
// Four that do not depend on each other, 64 times.
#define OPUS_FOUR(op, sources)                                                                 \
    OPUS_TIMES(64, op " v8, " sources "\n" op " v9, " sources "\n" op " v10, " sources "\n" op \
                      " v11, " sources)
#define OPUS_FOUR_PAIRS(op, sources)                                            \
    OPUS_TIMES(64, op " v[8:9], " sources "\n" op " v[10:11], " sources "\n" op \
                      " v[12:13], " sources "\n" op " v[14:15], " sources)

OPUS_TIMED_KERNEL(valu, "", OPUS_FOUR("v_mul_f32", "v0, v1"))
OPUS_TIMED_KERNEL(valu_chain, "", OPUS_TIMES(256, "v_mul_f32 v8, v0, v8"))
OPUS_TIMED_KERNEL(fma_chain, "", OPUS_TIMES(256, "v_fma_f32 v8, v0, v1, v8"))
OPUS_TIMED_KERNEL(trans, "", OPUS_FOUR("v_rcp_f32", "v0"))
OPUS_TIMED_KERNEL(mul32, "", OPUS_FOUR("v_mul_lo_u32", "v0, v1"))
OPUS_TIMED_KERNEL(f64, "", OPUS_FOUR_PAIRS("v_fma_f64", "v[0:1], v[2:3], v[0:1]"))
OPUS_TIMED_KERNEL(f64_trans, "", OPUS_FOUR_PAIRS("v_rcp_f64", "v[0:1]"))
OPUS_TIMED_KERNEL(salu, "", OPUS_TIMES(256, "s_add_u32 s24, s24, 1"))
OPUS_TIMED_KERNEL(branch, "", OPUS_TIMES(64, "s_branch 0"))
OPUS_TIMED_KERNEL(barrier, "", OPUS_TIMES(64, "s_barrier"))
OPUS_TIMED_KERNEL(sleep, "", OPUS_TIMES(16, "s_sleep 10"))

// Windows of 32 bytes: 8-byte instructions inside them, and every fourth one in two of them.
#define OPUS_LONG "v_fma_f32 v8, v0, v1, v2\n"
OPUS_TIMED_KERNEL(in_windows, "", ".p2align 6\n" OPUS_TIMES(256, OPUS_LONG))
OPUS_TIMED_KERNEL(across_windows, "", ".p2align 6\n s_nop 0\n" OPUS_TIMES(256, OPUS_LONG))
// A loop of 64 rounds whose first instruction lies in one window, or in two.
#define OPUS_LOOP \
    "1:\n" OPUS_LONG OPUS_TIMES(6, "v_mul_f32 v9, v0, v1") "s_sub_u32 s24, s24, 1\n"            \
    "s_cmp_lg_u32 s24, 0\n s_cbranch_scc1 1b\n"
OPUS_TIMED_KERNEL(loop_in_window, "", "s_movk_i32 s24, 64\n .p2align 6\n" OPUS_LOOP)
OPUS_TIMED_KERNEL(loop_across_windows, "",
                  "s_movk_i32 s24, 64\n .p2align 6\n" OPUS_TIMES(7, "s_nop 0") OPUS_LOOP)

#define OPUS_MFMA_4 "v_mfma_f32_16x16x16_f16 "
#define OPUS_MFMA_8 "v_mfma_f32_32x32x8_f16 "
OPUS_TIMED_KERNEL(mfma_8, "",
                  OPUS_TIMES(16, OPUS_MFMA_8 "a[0:15], v[0:1], v[2:3], 0\n" OPUS_MFMA_8
                                             "a[16:31], v[0:1], v[2:3], 0\n" OPUS_MFMA_8
                                             "a[32:47], v[0:1], v[2:3], 0\n" OPUS_MFMA_8
                                             "a[48:63], v[0:1], v[2:3], 0"))
OPUS_TIMED_KERNEL(mfma_8_chain, "", OPUS_TIMES(64, OPUS_MFMA_8 "a[0:15], v[0:1], v[2:3], a[0:15]"))
OPUS_TIMED_KERNEL(mfma_4, "",
                  OPUS_TIMES(16, OPUS_MFMA_4 "a[0:3], v[0:1], v[2:3], 0\n" OPUS_MFMA_4
                                             "a[4:7], v[0:1], v[2:3], 0\n" OPUS_MFMA_4
                                             "a[8:11], v[0:1], v[2:3], 0\n" OPUS_MFMA_4
                                             "a[12:15], v[0:1], v[2:3], 0"))
OPUS_TIMED_KERNEL(mfma_4_chain, "", OPUS_TIMES(64, OPUS_MFMA_4 "a[0:3], v[0:1], v[2:3], a[0:3]"))
OPUS_TIMED_KERNEL(mfma_beside_valu, "",
                  OPUS_TIMES(64, OPUS_MFMA_8 "a[0:15], v[0:1], v[2:3], 0\n"
                                             "v_mul_f32 v8, v0, v1\n v_mul_f32 v9, v0, v1\n"
                                             "v_mul_f32 v10, v0, v1\n v_mul_f32 v11, v0, v1"))
OPUS_TIMED_KERNEL(mfma_f64, "",
                  OPUS_TIMES(32,
                             "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], 0\n"
                             "v_mfma_f64_16x16x4_f64 a[8:15], v[0:1], v[2:3], 0"))
OPUS_TIMED_KERNEL(mfma_f32, "",
                  OPUS_TIMES(32,
                             "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, 0\n"
                             "v_mfma_f32_32x32x2_f32 a[16:31], v0, v1, 0"))

struct instruction_row {
    const char* name;
    timed_kernel kernel;
    int waves;      // of a group; there are four SIMDs
    double divide;  // for one instruction of a SIMD
    assumed_time assumed;
    const char* source;
};
constexpr instruction_row instruction_rows[] = {
    {"valu_clocks", valu, 16, 4 * 256, {4, 4, 0.1}, "ROCm Compute Profiler"},
    {"valu_trans_clocks", trans, 16, 4 * 256, {16, 16, 0.1}, "Chips and Cheese; LLVM"},
    {"valu_mul32_clocks", mul32, 16, 4 * 256, {16, 16, 0.1}, "LLVM's cost model"},
    {"valu_f64_clocks", f64, 16, 4 * 256, {4, 4, 0.1}, "data sheets; LLVM"},
    {"valu_f64_trans_clocks", f64_trans, 16, 4 * 256, {16, 16, 0.1}, "LLVM"},
    {"dependent v_mul_f32", valu_chain, 1, 256, {4, 4, 0.1}, "LLVM's scheduling model"},
    {"dependent v_fma_f32", fma_chain, 1, 256, {4, 8, 0.1}, "LLVM; gfx950: measured, Triton"},
    {"salu_clocks", salu, 1, 256, {4, 4, 0.1}, "LLVM's scheduling model"},
    {"branch_taken_clocks", branch, 1, 64, {32, 32, 0.25}, "LLVM's scheduling model"},
    {"barrier_clocks", barrier, 4, 64, {16, 16, 0.5}, "no source"},
    {"sleep_unit_clocks", sleep, 1, 160, {64, 64, 0.1}, "ISA guide, s_sleep"},
    {"8-byte instructions inside of windows", in_windows, 1, 256, {4, 4, 0.1}, "LLVM 203934"},
    {"32x32x8 f16, independent", mfma_8, 4, 64, {32, 32, 0.1}, "ISA guide, 7: 8 passes"},
    {"32x32x8 f16, dependent", mfma_8_chain, 4, 64, {32, 32, 0.1}, "ISA guide, 7.6"},
    {"16x16x16 f16, independent", mfma_4, 4, 64, {16, 16, 0.1}, "ISA guide, 7: 4 passes"},
    {"16x16x16 f16, dependent", mfma_4_chain, 4, 64, {16, 18, 0.1}, "ISA guide; Triton: 18"},
    {"32x32x8 f16 beside four vector instructions",
     mfma_beside_valu,
     4,
     64,
     {32, 32, 0.1},
     "LLVM 184084"},
    {"16x16x4 f64, independent", mfma_f64, 4, 64, {32, 64, 0.1}, "ISA guide, 7: 8, 16 passes"},
    {"32x32x2 f32, independent", mfma_f32, 4, 64, {64, 64, 0.1}, "ISA guide, 7: 16 passes"},
};

// ---- the clock, and what the device does for long ----

// %2 counts rounds. Clocks and units of 10 ns, of wave 0 of each group.
#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_LOAD(body)                                                                           \
    asm volatile(                                                                                 \
        "v_mov_b32 v0, %3\n v_xor_b32 v1, 0x1a2a0b3c, v0\n v_xor_b32 v2, 0x05540e1a, v0\n"        \
        "v_xor_b32 v3, 0x13661950, v0\n v_xor_b32 v4, 0x0c38065e, v0\n"                           \
        "v_xor_b32 v5, 0x1970104a, v0\n v_xor_b32 v6, 0x06120f74, v0\n"                           \
        "v_xor_b32 v7, 0x1f4e0226, v0\n"                                                          \
        ".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"                          \
        "v_accvgpr_write_b32 a\\r, 0\n .endr\n"                                                   \
        "s_mov_b32 s24, %2\n s_memtime s[20:21]\n s_memrealtime s[26:27]\n"                       \
        "s_waitcnt lgkmcnt(0)\n 1:\n" body                                                        \
        "\n"                                                                                      \
        "s_sub_u32 s24, s24, 1\n s_cmp_lg_u32 s24, 0\n s_cbranch_scc1 1b\n"                       \
        "s_memtime s[22:23]\n s_memrealtime s[28:29]\n s_waitcnt lgkmcnt(0)\n"                    \
        "s_sub_u32 %0, s22, s20\n s_sub_u32 %1, s28, s26\n s_nop 15\n s_nop 15\n"                 \
        : "=&s"(elapsed), "=&s"(ticks)                                                            \
        : "s"(rounds), "v"(value)                                                                 \
        : "scc", "s20", "s21", "s22", "s23", "s24", "s26", "s27", "s28", "s29", "v0", "v1", "v2", \
          "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "a0", "a1", "a2", "a3", "a4",   \
          "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15")
#else
#define OPUS_LOAD(body)
#endif
// Random factors, in each of the formats without NaN: a clock depends on the bits that change.
#define OPUS_LOAD_KERNEL(name, body)                                                               \
    __global__ __launch_bounds__(256) void name(unsigned* times, [[maybe_unused]] unsigned rounds, \
                                                [[maybe_unused]] unsigned seed) {                  \
        [[maybe_unused]] const unsigned value =                                                    \
            (((threadIdx.x + seed) * 2654435761u) & 0x1f7e1f7e) | 0x20002000;                      \
        unsigned elapsed = 0;                                                                      \
        unsigned ticks = 0;                                                                        \
        OPUS_LOAD(body);                                                                           \
        if (threadIdx.x == 0) {                                                                    \
            times[2 * blockIdx.x] = elapsed;                                                       \
            times[2 * blockIdx.x + 1] = ticks;                                                     \
        }                                                                                          \
    }
// Four chains, 16 instructions in a round.
#define OPUS_CHAINS(op, factors)                                                             \
    OPUS_TIMES(4, op " a[0:3], " factors ", a[0:3]\n" op " a[4:7], " factors ", a[4:7]\n" op \
                     " a[8:11], " factors ", a[8:11]\n" op " a[12:15], " factors ", a[12:15]")
OPUS_LOAD_KERNEL(load_valu, OPUS_TIMES(16, "v_fma_f32 v8, v0, v1, v2\n v_fma_f32 v9, v0, v1, v2"))
OPUS_LOAD_KERNEL(load_light, OPUS_TIMES(4, "s_sleep 1\n v_mul_f32 v8, v0, v1"))
#ifdef __gfx950__
OPUS_LOAD_KERNEL(load_f16, OPUS_CHAINS("v_mfma_f32_16x16x32_f16", "v[0:3], v[4:7]"))
OPUS_LOAD_KERNEL(load_bf16, OPUS_CHAINS("v_mfma_f32_16x16x32_bf16", "v[0:3], v[4:7]"))
// Of fp8 and of fp4.
#define OPUS_F8F6F4(format)                                      \
    OPUS_TIMES(4, "v_mfma_f32_16x16x128_f8f6f4 a[0:3], " format  \
                  "\n"                                           \
                  "v_mfma_f32_16x16x128_f8f6f4 a[4:7], " format  \
                  "\n"                                           \
                  "v_mfma_f32_16x16x128_f8f6f4 a[8:11], " format \
                  "\n"                                           \
                  "v_mfma_f32_16x16x128_f8f6f4 a[12:15], " format)
OPUS_LOAD_KERNEL(load_8bit, OPUS_F8F6F4("v[0:7], v[0:7], 0"))
OPUS_LOAD_KERNEL(load_4bit, OPUS_F8F6F4("v[0:3], v[4:7], 0 cbsz:4 blgp:4"))
#else
OPUS_LOAD_KERNEL(load_f16, OPUS_CHAINS("v_mfma_f32_16x16x16_f16", "v[0:1], v[2:3]"))
OPUS_LOAD_KERNEL(load_bf16, OPUS_CHAINS("v_mfma_f32_16x16x16_bf16", "v[0:1], v[2:3]"))
OPUS_LOAD_KERNEL(load_8bit, OPUS_CHAINS("v_mfma_f32_16x16x32_fp8_fp8", "v[0:1], v[2:3]"))
OPUS_LOAD_KERNEL(load_4bit, "")
#endif

struct load {
    void (*kernel)(unsigned*, unsigned, unsigned);
    unsigned rounds;      // about 2 ms
    int launches;         // about half a second
    double operations;    // of a wave in a round, on gfx942
    double gfx950_times;  // as many on gfx950
};
struct loaded {
    double mhz = 0;
    double tflops = 0;
};

// The clock of the middle group of the last launch, and the operations of all.
loaded run_load(const device& on, const load& l) {
    const auto groups = on.emulated ? 1u : static_cast<unsigned>(examples::compute_units()) * 2;
    const unsigned rounds = on.emulated ? 2 : l.rounds;
    const int launches = on.emulated ? 1 : on.quick ? l.launches / 10 + 1 : l.launches;
    examples::device_buffer<unsigned> times(2 * groups);
    const examples::device_event start;
    const examples::device_event stop;
    l.kernel<<<groups, 256>>>(times.data(), rounds, 1);
    examples::check(hipGetLastError(), "launch");
    start.record();
    for (int n = 0; n < launches; ++n) {
        l.kernel<<<groups, 256>>>(times.data(), rounds, 1);
    }
    stop.record();
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const double seconds = static_cast<double>(stop.milliseconds_since(start)) / 1000;
    const std::vector<unsigned> all = times.to_host();
    std::vector<double> clocks;
    for (size_t n = 0; n < all.size(); n += 2) {
        clocks.push_back(100.0 * all[n] / std::max(all[n + 1], 1u));
    }
    std::sort(clocks.begin(), clocks.end());
    loaded result;
    result.mhz = clocks[clocks.size() / 2];
    const double operations = l.operations * (on.arch == "gfx950" ? l.gfx950_times : 1);
    result.tflops = operations * rounds * launches * groups * 4 / std::max(seconds, 1e-9) / 1e12;
    return result;
}

constexpr load light = {load_light, 6000, 20, 0, 1};
constexpr load vector_load = {load_valu, 15000, 200, 0, 1};
constexpr load f16 = {load_f16, 8000, 200, 16 * 2.0 * 16 * 16 * 16, 2};
constexpr load bf16 = {load_bf16, 8000, 200, 16 * 2.0 * 16 * 16 * 16, 2};
constexpr load f8 = {load_8bit, 6000, 200, 16 * 2.0 * 16 * 16 * 32, 4};
constexpr load f4 = {load_4bit, 8000, 200, 16 * 2.0 * 16 * 16 * 32, 4};

}  // namespace

void times_compute(const device& on, report& to) {
    const char* achievable = "AMD, achievable FLOPs";
    measure_time(
        on, to, "clock_mhz", {2100, 2400, 0.05}, "MHz", "data sheets",
        [&] { return run_load(on, light).mhz; }, 5);
    measure_time(
        on, to, "clock under vector instructions", {2100, 2400, 0.1}, "MHz", "data sheets",
        [&] { return run_load(on, vector_load).mhz; }, 3);
    measure_time(
        on, to, "clock under matrix instructions of f16", {1051, 1608, 0.1}, "MHz", achievable,
        [&] { return run_load(on, f16).mhz; }, 3);
    measure_time(
        on, to, "matrix_f16_tflops", {654, 1686, 0.1}, "TFLOP/s", achievable,
        [&] { return run_load(on, f16).tflops; }, 3);
    measure_time(
        on, to, "matrix_bf16_tflops", {708, 1686, 0.1}, "TFLOP/s", achievable,
        [&] { return run_load(on, bf16).tflops; }, 3);
    measure_time(
        on, to, "matrix_8bit_tflops", {1273, 3567, 0.1}, "TFLOP/s", achievable,
        [&] { return run_load(on, f8).tflops; }, 3);
    if (on.arch == "gfx950") {
        measure_time(
            on, to, "matrix_4bit_tflops", {0, 5663, 0.1}, "TFLOP/s", achievable,
            [&] { return run_load(on, f4).tflops; }, 3);
    }
    for (const instruction_row& row : instruction_rows) {
        measure_time(on, to, row.name, row.assumed, "clocks", row.source,
                     [&] { return clocks_of(row.kernel, row.waves) / row.divide; });
    }
    measure_time(on, to, "mfma_pass_clocks", {4, 4, 0.1}, "clocks", "ISA guide, 7",
                 [] { return clocks_of(mfma_8, 4) / 64 / 8; });
    measure_time(on, to, "mfma_accumulate_clocks", {0, 0, 0}, "clocks", "ISA guide, 7.6", [] {
        return std::max(clocks_of(mfma_8_chain, 4) - clocks_of(mfma_8, 4), 0.0) / 64;
    });
    measure_time(
        on, to, "valu_latency", {0, 4, 0}, "clocks", "LLVM's scheduling model; AMDLatencyModel",
        [] { return std::max(clocks_of(valu_chain, 1) / 256 - clocks_of(valu, 16) / 1024, 0.0); });
    measure_time(on, to, "fetch_split_clocks", {4, 4, 0.5}, "clocks", "LLVM 203934",
                 [] { return (clocks_of(across_windows, 1) - clocks_of(in_windows, 1)) / 64; });
    measure_time(on, to, "a loop head across two windows, more than inside of one", {4, 4, 0.5},
                 "clocks", "LLVM 181999", [] {
                     return (clocks_of(loop_across_windows, 1) - clocks_of(loop_in_window, 1)) / 64;
                 });
}

}  // namespace gpu_facts
