// What silicon is reported to do otherwise than the guides say:
// - v_pk_fma_f32 that takes the high half of a factor for both lanes sometimes loses the low lane's
//   sum on gfx950 (rocMLIR 2459).
// - A wide buffer store with a scalar offset writes what the next instruction puts into its data (LLVM
//   197267, seen on an MI350X).
// Both depend on what runs beside it, so that a run which does not see it tells nothing.
#include <cstdint>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "facts.hpp"
#include "opus/hip_minimal.hpp"

namespace gpu_facts {
namespace {

using pair_of_floats = float __attribute__((ext_vector_type(2)));
using four_halves = _Float16 __attribute__((ext_vector_type(4)));

// ---- packed arithmetic ----

// Small integers, so that no sum is the same by chance.
__device__ float number_of(unsigned lane, unsigned n) {
    return static_cast<float>((lane * 2654435761u + n * 40503u) >> 20 & 0xff) + 1;
}

#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_PACKED(text)                                                                      \
    asm volatile("v_pk_" text "\n" BETWEEN "v_pk_" text "\n" BETWEEN "v_pk_" text "\n" BETWEEN \
                 "v_pk_" text                                                                  \
                 : "+v"(packed)                                                                \
                 : "v"(a), "v"(b), "v"(factor)                                                 \
                 : "a0", "a1", "a2", "a3")
#define OPUS_SINGLE(text)                           \
    asm volatile(text "\n" text "\n" text "\n" text \
                 : "+v"(low), "+v"(high)            \
                 : "v"(a.x), "v"(a.y), "v"(b.x), "v"(b.y))
#else
#define OPUS_PACKED(text)
#define OPUS_SINGLE(text)
#endif

// Four in a row, and what two instructions of one lane each give. `wrong` counts lanes.
#define OPUS_PACKED_KERNEL(name, packed_text, low_text, high_text)                           \
    __global__ void name(unsigned* wrong, int rounds) {                                      \
        const unsigned lane = blockIdx.x * 256 + threadIdx.x;                                \
        [[maybe_unused]] const four_halves factor = {1, 1, 1, 1};                            \
        unsigned here = 0;                                                                   \
        for (int n = 0; n < rounds; ++n) {                                                   \
            const auto k = static_cast<unsigned>(n) * 8;                                     \
            [[maybe_unused]] const pair_of_floats a = {number_of(lane, k),                   \
                                                       number_of(lane, k + 1)};              \
            [[maybe_unused]] const pair_of_floats b = {number_of(lane, k + 2),               \
                                                       number_of(lane, k + 3)};              \
            pair_of_floats packed = {number_of(lane, k + 4), number_of(lane, k + 5)};        \
            float low = packed.x;                                                            \
            float high = packed.y;                                                           \
            OPUS_PACKED(packed_text);                                                        \
            OPUS_SINGLE(low_text "\n" high_text);                                            \
            here += packed.x != low || packed.y != high ? 1 : 0;                             \
        }                                                                                    \
        if (here != 0) {                                                                     \
            __hip_atomic_fetch_add(wrong, here, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
        }                                                                                    \
    }

// clang-format off
#define BETWEEN ""
OPUS_PACKED_KERNEL(fma_second, "fma_f32 %0, %1, %2, %0 op_sel:[0,1,0]",
                   "v_fma_f32 %0, %2, %5, %0", "v_fma_f32 %1, %3, %5, %1")
OPUS_PACKED_KERNEL(fma_first, "fma_f32 %0, %1, %2, %0 op_sel:[1,0,0]",
                   "v_fma_f32 %0, %3, %4, %0", "v_fma_f32 %1, %3, %5, %1")
OPUS_PACKED_KERNEL(fma_low, "fma_f32 %0, %1, %2, %0 op_sel_hi:[1,0,1]",
                   "v_fma_f32 %0, %2, %4, %0", "v_fma_f32 %1, %3, %4, %1")
OPUS_PACKED_KERNEL(fma_plain, "fma_f32 %0, %1, %2, %0",
                   "v_fma_f32 %0, %2, %4, %0", "v_fma_f32 %1, %3, %5, %1")
OPUS_PACKED_KERNEL(mul_second, "mul_f32 %0, %0, %2 op_sel:[0,1]",
                   "v_mul_f32 %0, %0, %5", "v_mul_f32 %1, %1, %5")
OPUS_PACKED_KERNEL(add_second, "add_f32 %0, %0, %2 op_sel:[0,1]",
                   "v_add_f32 %0, %0, %5", "v_add_f32 %1, %1, %5")
#undef BETWEEN
// Its result stays in registers that nobody reads.
#define BETWEEN "v_mfma_f32_4x4x4_16b_f16 a[0:3], %3, %3, 0\n"
OPUS_PACKED_KERNEL(fma_second_mfma, "fma_f32 %0, %1, %2, %0 op_sel:[0,1,0]",
                   "v_fma_f32 %0, %2, %5, %0", "v_fma_f32 %1, %3, %5, %1")
OPUS_PACKED_KERNEL(fma_first_mfma, "fma_f32 %0, %1, %2, %0 op_sel:[1,0,0]",
                   "v_fma_f32 %0, %3, %4, %0", "v_fma_f32 %1, %3, %5, %1")
#undef BETWEEN
// clang-format on

struct packed_row {
    const char* name;
    void (*kernel)(unsigned*, int);
    bool is_reported;  // as wrong, on gfx950
};
constexpr packed_row packed_rows[] = {
    {"v_pk_fma_f32 op_sel:[0,1,0]", fma_second, true},
    {"v_pk_fma_f32 op_sel:[0,1,0] beside matrix instructions", fma_second_mfma, true},
    {"v_pk_fma_f32 op_sel:[1,0,0]", fma_first, false},
    {"v_pk_fma_f32 op_sel:[1,0,0] beside matrix instructions", fma_first_mfma, false},
    {"v_pk_fma_f32 op_sel_hi:[1,0,1]", fma_low, false},
    {"v_pk_fma_f32", fma_plain, false},
    {"v_pk_mul_f32 op_sel:[0,1]", mul_second, false},
    {"v_pk_add_f32 op_sel:[0,1]", add_second, false},
};

finding find_packed(const device& on, const packed_row& row) {
    const bool is_short = on.emulated || on.quick;
    const unsigned groups = on.emulated ? 1 : 2048;
    const int rounds = is_short ? 8 : 256;
    const int launches = is_short ? 1 : 200;  // a fifth of a millisecond each
    examples::device_buffer<unsigned> wrong(1);
    wrong.fill_bytes(0);
    for (int n = 0; n < launches; ++n) {
        row.kernel<<<groups, 256>>>(wrong.data(), rounds);
        examples::check(hipGetLastError(), "launch");
    }
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const unsigned count = wrong.to_host()[0];
    finding f;
    f.repetitions = 256LL * groups * rounds * launches;
    f.seen = format("%u wrong", count);
    if (!row.is_reported || on.arch != "gfx950") {
        f.said = count == 0 ? verdict::same : verdict::different;
    } else if (count != 0) {
        f.said = verdict::same;
    } else {
        f.seen += on.emulated ? "; the emulator does not lose it, its lint names it"
                              : "; it is said to be lost sometimes";
    }
    return f;
}

// ---- the data of a store ----

#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_STORE(text, between, dword)                                                           \
    asm volatile(                                                                                  \
        "s_mov_b64 s[20:21], %0\n s_mov_b32 s24, s20\n s_and_b32 s25, s21, 0xffff\n"               \
        "s_movk_i32 s26, 0x400\n s_mov_b32 s27, 0x20000\n s_mov_b32 s30, 0\n"                      \
        "v_mbcnt_lo_u32_b32 v3, -1, 0\n v_mbcnt_hi_u32_b32 v3, -1, v3\n v_lshlrev_b32 v3, 4, v3\n" \
        "v_mov_b32 v8, 1\n v_mov_b32 v9, 1\n v_mov_b32 v10, 1\n v_mov_b32 v11, 1\n"                \
        "v_mov_b32 v12, 2\n s_nop 15\n" text "\n" between "v_mov_b32 v" dword                      \
        ", v12\n s_waitcnt vmcnt(0)\n" ::"s"(to)                                                   \
        : "memory", "scc", "s20", "s21", "s24", "s25", "s26", "s27", "s30", "v3", "v8", "v9",      \
          "v10", "v11", "v12")
#else
#define OPUS_STORE(text, between, dword)
#endif
// Each lane stores ones, and the next instruction puts a 2 into one of its registers.
#define OPUS_STORE_KERNEL(name, text, between, dword)     \
    __global__ void name([[maybe_unused]] unsigned* to) { \
        OPUS_STORE(text, between, dword);                 \
    }
#define OPUS_WIDE "buffer_store_dwordx4 v[8:11], v3, s[24:27], s30 offen"
OPUS_STORE_KERNEL(store_0, OPUS_WIDE, "", "8")
OPUS_STORE_KERNEL(store_1, OPUS_WIDE, "", "9")
OPUS_STORE_KERNEL(store_2, OPUS_WIDE, "", "10")
OPUS_STORE_KERNEL(store_3, OPUS_WIDE, "", "11")
OPUS_STORE_KERNEL(store_x3, "buffer_store_dwordx3 v[8:10], v3, s[24:27], s30 offen", "", "9")
OPUS_STORE_KERNEL(store_x2, "buffer_store_dwordx2 v[8:9], v3, s[24:27], s30 offen", "", "9")
OPUS_STORE_KERNEL(store_apart, OPUS_WIDE, "s_nop 0\n", "9")
OPUS_STORE_KERNEL(store_literal, "buffer_store_dwordx4 v[8:11], v3, s[24:27], 0 offen", "s_nop 1\n",
                  "9")
#undef OPUS_WIDE

struct store_row {
    const char* name;
    void (*kernel)(unsigned*);
    unsigned dword;
    int assumed;               // what is in memory; 0: nothing is known
    bool only_gfx950 = false;  // on gfx942 nothing is known
    int on_arch(const device& on) const { return only_gfx950 && on.arch != "gfx950" ? 0 : assumed; }
};
constexpr store_row store_rows[] = {
    {"dword 0 of 4, overwritten behind a store with a scalar offset", store_0, 0, 0},
    {"dword 1 of 4, overwritten behind a store with a scalar offset", store_1, 1, 2, true},
    {"dword 2 of 4, overwritten behind a store with a scalar offset", store_2, 2, 0},
    {"dword 3 of 4, overwritten behind a store with a scalar offset", store_3, 3, 0},
    {"dword 1 of 3, overwritten behind a store with a scalar offset", store_x3, 1, 0},
    {"dword 1 of 2, overwritten behind a store with a scalar offset", store_x2, 1, 1},
    {"dword 1 of 4, overwritten a state behind a store with a scalar offset", store_apart, 1, 1},
    {"dword 1 of 4, overwritten two states behind a store without one", store_literal, 1, 1},
};

finding find_store(const device& on, const store_row& row) {
    finding f;
    const int assumed = row.on_arch(on);
    if (on.emulated && assumed != 1) {
        f.seen = "nothing: the emulator reports the missing wait state";
        return f;
    }
    const int launches = on.emulated || on.quick ? 1 : 100;
    int replaced = 0;
    for (int n = 0; n < launches; ++n) {
        examples::device_buffer<unsigned> to(256);
        to.fill_bytes(0);
        row.kernel<<<1, 64>>>(to.data());
        examples::check(hipGetLastError(), "launch");
        examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
        const std::vector<unsigned> stored = to.to_host();
        for (unsigned lane = 0; lane < 64; ++lane) {
            const unsigned value = stored[4 * lane + row.dword];
            if (value != 1 && value != 2) {
                f.said = verdict::different;
                f.seen = format("lane %u has %#x", lane, value);
                return f;
            }
            replaced += value == 2 ? 1 : 0;
        }
    }
    const int lanes = launches * 64;
    f.repetitions = lanes;
    f.seen = format("%d of %d lanes have the new value", replaced, lanes);
    if (assumed != 0) {
        const int wanted = assumed == 2 ? lanes : 0;
        f.said = replaced == wanted ? verdict::same : verdict::different;
    }
    return f;
}

}  // namespace

void errata(const device& on, report& to) {
    for (const packed_row& row : packed_rows) {
        const bool is_lost = row.is_reported && on.arch == "gfx950";
        to.measure(row.name, is_lost ? "sometimes wrong in the low lane" : "0 wrong",
                   is_lost ? "rocMLIR 2459" : "ISA guide, 12",
                   [&] { return find_packed(on, row); });
    }
    for (const store_row& row : store_rows) {
        to.measure(row.name,
                   row.on_arch(on) == 2   ? "memory gets the new value"
                   : row.on_arch(on) == 1 ? "memory gets the old value"
                                          : "either: a wait state is missing",
                   "LLVM 197267", [&] { return find_store(on, row); });
    }
}

}  // namespace gpu_facts
