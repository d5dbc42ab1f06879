// SPDX-License-Identifier: MIT
//
// gemm_mxfp4: C[M, N] = A[M, K] * B[N, K]^T with B in MXFP4, codes of fp4 and a power of two for
// each 32 of them along K, and C in bf16. gfx950. For A there are two types (--type) and two
// kernels:
//
//  - bf16, or MXFP4 with few rows: few_rows_kernel. It quantises A in bf16 itself, while B is on
//    its way. B goes straight from memory to the matrix cores, each byte once for a block of 16 to
//    64 rows. A product of few rows has too few blocks for the device, so K is split: the workgroup
//    that is the last of a block adds the parts of all of them, in order.
//  - MXFP4 with many rows: many_rows_kernel, the pipeline of gemm_fast with blocks of 256 x 256.
//
// In MXFP4 A and B lie in the order in which the matrix cores take them (gemm_mxfp4/mxfp4.hpp):
// neither kernel computes an address in its loop, needs a swizzle or masks K, and scales are the
// dwords of lanes. silu_mul_mxfp4 produces such an A.
//
// op_tests/codegen/test_serving_examples.cpp counts the instructions of the loops.
#include <algorithm>
#include <string>
#include <vector>

#include "common/gemm_host.hpp"
#include "gemm_mxfp4/mxfp4.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using examples::step_k;
using examples::strip_rows;
using examples::word_k;
using opus::bf16_t;
using opus::fp32_t;
using opus::fp32x4_t;
using opus::number;
using opus::u32_t;
using opus::u32x4_t;
using opus::u8_t;

// Codes and scales are in the order of the kernels.
struct gemm_args {
    const void* a;         // bf16 [m, k], or codes
    const u8_t* scales_a;  // null for bf16
    const u8_t* b;
    const u8_t* scales_b;
    bf16_t* c;
    fp32_t* parts;    // [blocks, splits, elements of a block]
    u32_t* arrivals;  // of each block, 0 before and after a launch
    int m;
    int n;
    int k;         // of A in bf16, a multiple of 32
    int padded_k;  // of codes, a multiple of 512
    int split_k;   // a multiple of 512
};

// 16 x 16 x 128. A lane of C has 4 neighbours in a row.
[[maybe_unused]] OPUS_H_D constexpr auto make_mma() {
    return opus::make_mfma<opus::fp4_t, opus::fp4_t, fp32_t>(
        number<16>{}, number<16>{}, number<128>{}, opus::mfma_adaptor_swap_ab{});
}
constexpr bool has_mx = decltype(make_mma())::has_scales;

constexpr int outside = 1 << 30;  // past the end of each buffer, in bytes

// The strips from `row` on of codes or scales, `count` of them at most, of `bytes` each.
[[maybe_unused]] __device__ inline auto strips_of(const void* matrix, int rows, int row, int count,
                                                  int bytes) {
    const int left = rows > row ? (rows - row + strip_rows - 1) / strip_rows : 0;
    const auto at = static_cast<opus::long_index_t>(row / strip_rows) * bytes;
    return opus::make_gmem(reinterpret_cast<const u32_t*>(static_cast<const u8_t*>(matrix) + at),
                           static_cast<unsigned>((left < count ? left : count) * bytes));
}

// Stores a lane's part of sums as bf16: strips from `row` on, 16 columns from `col` on. Rows past m
// lie outside; columns past n would lie in the next row.
template <int strips>
__device__ inline void store_strips(const gemm_args& p, const opus::array<fp32x4_t, strips>& c,
                                    int row, int col) {
    using namespace opus;
    const int rows = p.m - row < strips * 16 ? p.m - row : strips * 16;
    const int size = rows > 0 && col < p.n ? rows * p.n - col : 0;
    auto g = make_gmem(p.c + (static_cast<long_index_t>(row) * p.n + col),
                       static_cast<unsigned>(size) * 2u);
    const int j = lane_id() / 16 * 4;
    const int at = lane_id() % 16 * p.n + j;
    const int left = p.n - col - j;
    const auto values = [&](auto i) { return cast<bf16_t>(c[i], number<0>{}); };  // nearest even
    if (p.n % 4 == 0) {
        const int from = left > 0 ? at : outside / 2;
        static_for<strips>([&](auto i) { store<4>(g, values(i), from, i * 16 * p.n); });
    } else {
        static_ford<strips, 4>([&](auto i, auto of) {
            const int from = of < left ? at + of : outside / 2;
            store<1>(g, values(i)[of.value], from, i * 16 * p.n);
        });
    }
}

// -- few rows -------------------------------------------------------------------------------------

constexpr int few_waves = 4;  // with 16 columns each
constexpr int few_columns = few_waves * 16;
constexpr int few_threads = few_waves * 64;

// Stores a workgroup's part c of the sums over K. The last workgroup of a block to do so gets true,
// and the sums of all parts, added in their order, in c.
template <int strips>
__device__ inline bool merge(const gemm_args& p, opus::array<fp32x4_t, strips>& c) {
    using namespace opus;
    __shared__ u32_t arrived;
    constexpr int part_size = strips * few_threads * 4;
    const int splits = grid_size_z();
    const int block = block_id_y() * ((p.n + few_columns - 1) / few_columns) + block_id_x();
    auto g_parts = make_gmem(p.parts + static_cast<long_index_t>(block) * splits * part_size,
                             static_cast<unsigned>(splits * part_size) * 4u);
    const auto at = [](int part, int strip) {
        return part * part_size + (strip * few_threads + thread_id_x()) * 4;
    };
    static_for<strips>([&](auto i) { store<4>(g_parts, c[i], at(block_id_z(), i)); });
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    sync_threads();
    auto g_arrivals = make_gmem(p.arrivals + block, 4u);
    if (thread_id_x() == 0) {
        arrived = atomic_add(g_arrivals, 1u, 0)[0] + 1;
    }
    sync_threads();
    if (readfirstlane(arrived) != static_cast<u32_t>(splits)) {
        return false;
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    if (thread_id_x() == 0) {
        store(g_arrivals, 0u, 0);  // as the next launch wants it
    }
    static_for<strips>([&](auto i) { clear(c[i]); });
    for (int part = 0; part < splits; part += 4) {  // past the last one are zeros
        array<array<fp32x4_t, strips>, 4> x;
        static_ford<4, strips>(
            [&](auto of, auto i) { x[of][i] = load<4>(g_parts, at(part + of, i)); });
        static_ford<4, strips>([&](auto of, auto i) { c[i] += x[of][i]; });
    }
    return true;
}

// 16 rows, or columns, and 512 of K as a lane has them.
struct operand {
    opus::array<u32x4_t, 4> codes;
    u32_t scales;
};

// Of `strip` among those of the resources, from k on.
template <class Gmem>
__device__ inline operand load_operand(const Gmem& codes, const Gmem& scales, int strip, int k,
                                       int padded_k) {
    using namespace opus;
    const int codes_at = strip * examples::strip_codes(padded_k) + examples::strip_codes(k);
    const int scales_at = strip * examples::strip_scales(padded_k) + examples::strip_scales(k);
    operand x;
    static_for<4>(
        [&](auto s) { x.codes[s] = load<4>(codes, lane_id() * 4, codes_at / 4 + s * 256); });
    x.scales = load<1>(scales, lane_id(), scales_at / 4)[0];
    return x;
}

// Grid: (blocks of 64 columns, blocks of 16 * strips rows, parts of K), 256 threads.
template <class T, int strips>
__global__ __launch_bounds__(few_threads) void few_rows_kernel(gemm_args p) {
    using namespace opus;
    using opus::operator""_I;
    if constexpr (!has_mx) {
        __builtin_trap();  // the host does not launch it
    } else {
        constexpr bool is_bf16 = is_same_v<T, bf16_t>;
        constexpr auto mma = make_mma();
        const int lane = thread_id_x() % 64;
        const int wave = readfirstlane(thread_id_x() / 64);
        const int row = block_id_y() * (strips * 16);
        const int col = block_id_x() * few_columns + wave * 16;
        const int begin = block_id_z() * p.split_k;
        const int end = min(begin + p.split_k, p.padded_k);
        constexpr int beyond = 1 << 26;  // a k past the end of each strip

        const auto g_b = strips_of(p.b, p.n, col, 1, examples::strip_codes(p.padded_k));
        const auto g_scales_b =
            strips_of(p.scales_b, p.n, col, 1, examples::strip_scales(p.padded_k));
        const auto g_a = strips_of(p.a, p.m, row, strips, examples::strip_codes(p.padded_k));
        const auto g_scales_a =
            strips_of(p.scales_a, p.m, row, strips, examples::strip_scales(p.padded_k));
        const auto g_bf16 =
            make_gmem(static_cast<const bf16_t*>(p.a) + static_cast<long_index_t>(row) * p.k,
                      static_cast<unsigned>(min(p.m - row, strips * 16) * p.k) * 2u);

        // What comes from memory for 512 of K. Of A in bf16 a wave has 128 of K of all rows, for
        // all waves.
        struct chunk {
            operand b;
            array<operand, strips> a;
            array<array<bf16x8_t, 4>, strips> bf16;
        };
        const auto bring = [&](chunk& x, int k) {
            x.b = load_operand(g_b, g_scales_b, 0, k, p.padded_k);
            static_for<strips>([&](auto i) {
                if constexpr (is_bf16) {
                    const int column = k + wave * step_k + lane / 16 * 32;
                    const int at = (i * 16 + lane % 16) * p.k + column;
                    static_for<4>([&](auto j) {
                        x.bf16[i][j] = load<8>(g_bf16, (column < p.k ? at : outside / 2) + j * 8_I);
                    });
                } else {
                    x.a[i] = load_operand(g_a, g_scales_a, i, k, p.padded_k);
                }
            });
        };

        // Quantised A, two chunks.
        __shared__ __attribute__((aligned(16))) u32_t codes[is_bf16 ? 2 * strips * 1024 : 4];
        __shared__ __attribute__((aligned(4))) u8_t scales[is_bf16 ? 2 * strips * 256 : 4];
        const auto s_codes = make_smem(codes);
        const auto s_scales = make_smem(scales);
        const auto exchange = [&](chunk& x, int buffer) {
            static_for<strips>([&](auto i) {
                const int strip = buffer * strips + i;
                const int scale = examples::scale_of_largest<bf16_t>(
                    examples::largest_magnitude<bf16_t>(x.bf16[i]));
                u32x4_t words;
                static_for<4>(
                    [&](auto j) { words[j.value] = examples::mxfp4_codes(x.bf16[i][j], scale); });
                store<4>(s_codes, words, (strip * 4 + wave) * 256 + lane * 4);
                store<1>(s_scales, static_cast<u8_t>(scale), (strip * 64 + lane) * 4 + wave);
            });
            lds_barrier();  // one is enough: who writes here again has seen the next
            static_for<strips>([&](auto i) {
                const int strip = buffer * strips + i;
                static_for<4>([&](auto s) {
                    x.a[i].codes[s] = load<4>(s_codes, (strip * 4 + s) * 256 + lane * 4);
                });
                x.a[i].scales =
                    __builtin_bit_cast(u32_t, load<4>(s_scales, (strip * 64 + lane) * 4));
            });
        };

        array<fp32x4_t, strips> c;
        static_for<strips>([&](auto i) { clear(c[i]); });
        array<chunk, 2> x;
        bring(x[0], begin);
        for (int k = begin; k < end; k += 2 * word_k) {
            static_for<2>([&](auto buffer) {
                if (const int at = k + buffer * word_k; at < end) {
                    if constexpr (is_bf16) {
                        exchange(x[buffer], buffer);
                    }
                    bring(x[1_I - buffer], at + word_k < end ? at + word_k : beyond);
                    static_ford<4, strips>([&](auto s, auto i) {
                        const operand& a = x[buffer].a[i];
                        const operand& b = x[buffer].b;
                        c[i] = mma(a.codes[s], b.codes[s], c[i], a.scales, b.scales, s, s);
                    });
                }
            });
        }
        settle(c);
        if (grid_size_z() == 1 || merge<strips>(p, c)) {
            store_strips<strips>(p, c, row, col);
        }
    }
}

// -- many rows ------------------------------------------------------------------------------------

constexpr int block = 256;     // rows and columns of C that a workgroup computes
constexpr int many_waves = 8;  // 2 x 4, each with 8 x 4 tiles of 16 x 16
constexpr int tiles_m = 8;
constexpr int tiles_n = 4;
// In LDS are four buffers, for 128 of K each, of 16 strips of A and of B in the order in memory,
// and one of 512 of K for the scales of these 32 strips: 136 of the 160 KiB.
constexpr int buffers = 4;
constexpr int buffer_bytes = 16 * 1024;
constexpr int begin_b = buffers * buffer_bytes;
constexpr int begin_scales = 2 * begin_b;

// Grid: (blocks of columns, blocks of rows), 512 threads. T is the type of A, fp4.
template <class T>
__global__ __launch_bounds__(many_waves * 64) void many_rows_kernel(gemm_args p) {
    using namespace opus;
    using opus::operator""_I;
    if constexpr (!has_mx) {
        __builtin_trap();  // the host does not launch it
    } else {
        constexpr auto mma = make_mma();
        __shared__ __attribute__((aligned(16))) u8_t lds[begin_scales + 32 * 256];
        const int lane = thread_id_x() % 64;
        const int wave = readfirstlane(thread_id_x() / 64);
        const int wave_m = wave / 4;
        const int wave_n = wave % 4;
        const int row = block_id_y() * block;
        const int col = block_id_x() * block;
        const int pitch = examples::strip_codes(p.padded_k);
        const int scale_pitch = examples::strip_scales(p.padded_k);
        const auto g_a = strips_of(p.a, p.m, row, 16, pitch);
        const auto g_b = strips_of(p.b, p.n, col, 16, pitch);
        const bool brings_a = wave < many_waves / 2;
        const auto g_scales = brings_a ? strips_of(p.scales_a, p.m, row, 16, scale_pitch)
                                       : strips_of(p.scales_b, p.n, col, 16, scale_pitch);

        // A wave brings two strips of A, two of B and four of scales. The immediate offset moves
        // the destination and the source, where it is subtracted.
        const array<int, 2> from{wave * 2 * pitch + lane * 16,
                                 (wave * 2 + 1) * pitch + lane * 16 - 1024};
        const int scales_from = (wave % 4 * 4 + lane / 16) * scale_pitch + lane % 16 * 16;
        const auto bring = [&](auto buffer, int at) {
            u8_t* const to = lds + (buffer * buffer_bytes + wave * 2048);
            static_for<2>([&](auto strip) {
                constexpr auto imm = number<strip.value * 1024>{};
                g_a.template _async_load<4>(to, from[strip], at, imm);
                g_b.template _async_load<4>(to + begin_b, from[strip], at, imm);
            });
        };
        const auto bring_scales = [&](int at) {
            g_scales.template _async_load<4>(lds + (begin_scales + wave * 1024), scales_from, at);
        };

        // What is multiplied at a time: half of the rows, 128 of K.
        struct operands {
            array<u32x4_t, tiles_m / 2> a;
            array<u32x4_t, tiles_n> b;
        };
        struct scale_words {
            array<u32_t, tiles_m> a;
            array<u32_t, tiles_n> b;
        };
        const auto s = make_smem(lds);
        const int of_a = wave_m * (tiles_m * 1024) + lane * 16;
        const int of_b = begin_b + wave_n * (tiles_n * 1024) + lane * 16;
        const int scales_of_a = begin_scales + wave_m * (tiles_m * 256) + lane * 4;
        const int scales_of_b = begin_scales + (16 + wave_n * tiles_n) * 256 + lane * 4;
        const auto read = [&](auto buffer, auto half, operands& x) {
            constexpr int at = buffer.value * buffer_bytes;
            constexpr int first = half.value * (tiles_m / 2);
            const auto vector = [&](int of, auto imm) {
                return __builtin_bit_cast(u32x4_t, s.template _load<16>(of + imm, no_dma_wait{}));
            };
            if constexpr (half == 0) {
                static_for<tiles_n>(
                    [&](auto j) { x.b[j] = vector(of_b, number<at + j.value * 1024>{}); });
            }
            static_for<tiles_m / 2>(
                [&](auto i) { x.a[i] = vector(of_a, number<at + (first + i.value) * 1024>{}); });
        };
        const auto read_scales = [&](scale_words& x) {
            const auto word = [&](int at) {
                return __builtin_bit_cast(u32_t, s.template _load<4>(at, no_dma_wait{}));
            };
            static_for<tiles_m>([&](auto i) { x.a[i] = word(scales_of_a + i * 256); });
            static_for<tiles_n>([&](auto j) { x.b[j] = word(scales_of_b + j * 256); });
        };

        array<array<fp32x4_t, tiles_m>, tiles_n> c;
        static_ford<tiles_n, tiles_m>([&](auto j, auto i) { clear(c[j][i]); });
        operands x{};
        scale_words scales{};
        const auto multiply = [&](auto step, auto half) {
            static_ford<tiles_m / 2, tiles_n>([&](auto i, auto j) {
                constexpr int of = half.value * (tiles_m / 2) + i.value;
                c[j][of] = mma(x.a[i], x.b[j], c[j][of], scales.a[of], scales.b[j], step, step);
            });
        };
        constexpr auto mfmas = number<tiles_m / 2 * tiles_n>{};  // of a half
        const auto wait_for_reads = [] {
            keep_order();
            s_waitcnt_lgkmcnt(0_I);
            keep_order();
        };

        // While the second half of a step is multiplied, all of its operands are in registers, and
        // those of the next step have had the time of three steps to arrive: behind one barrier
        // that is so for all waves. So the first half of the next step is read, and the step four
        // steps ahead is brought to the buffer of this one. In flight may stay the latest two
        // steps, four loads each, and the scales of the next four steps from step 0 until step 3,
        // which reads them.
        bring_scales(0);
        static_for<buffers>([&](auto step) { bring(step, step * 1024); });
        wait_async(12_I);
        s_barrier();
        keep_order();
        read(0_I, 0_I, x);
        read_scales(scales);
        wait_for_reads();
        for (int k = 0; k < p.padded_k; k += word_k) {
            const bool more = k + word_k < p.padded_k;
            const int codes_at = more ? examples::strip_codes(k + word_k) : outside;
            const int scales_at = more ? examples::strip_scales(k + word_k) : outside;
            static_for<buffers>([&](auto step) {
                operands next = x;
                read(step, 1_I, next);
                multiply(step, 0_I);
                interleave(sched::mfma, mfmas, sched::lds_read, 4_I);
                wait_for_reads();
                x = next;

                constexpr int in_flight = step == 1 || step == 2 ? 9 : 8;
                wait_async(number<in_flight>{});
                s_barrier();
                keep_order();
                constexpr bool is_last = step == buffers - 1;
                scale_words next_scales = scales;
                read(number<(step + 1) % buffers>{}, 0_I, next);
                if constexpr (is_last) {
                    read_scales(next_scales);
                }
                if constexpr (step == 0) {
                    bring_scales(scales_at);
                }
                bring(step, codes_at + step * 1024);
                multiply(step, 1_I);
                interleave(sched::mfma, mfmas, sched::lds_read, number<is_last ? 20 : 8>{});
                wait_for_reads();
                x = next;
                scales = next_scales;
            });
        }
        wait_async(0_I);  // zeros, in the end
        settle(c);
        static_for<tiles_n>([&](auto j) {
            store_strips<tiles_m>(p, c[j], row + wave_m * (tiles_m * 16),
                                  col + (wave_n * tiles_n + j) * 16);
        });
    }
}

// == host =========================================================================================

__global__ void facts_kernel(int* facts) {
    *facts = has_mx;
}

// Whether the device has matrix instructions with scales, which only its compiler knows.
bool device_has_mx() {
    examples::device_buffer<int> facts(1);
    facts.fill_bytes(0);
    facts_kernel<<<1, 1>>>(facts.data());
    examples::check(hipGetLastError(), "the launch of facts");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return facts.to_host()[0] != 0;
}

enum class a_type { bf16, mxfp4 };

struct plan {
    int rows = 0;  // of a block: 16, 32, 64 or 256
    int splits = 1;
    int split_k = 0;
    dim3 grid;
    int groups = 0;  // workgroups

    std::size_t part_floats() const {
        return splits == 1 ? 0
                           : static_cast<std::size_t>(groups) *
                                 static_cast<std::size_t>(rows * few_columns);
    }
};

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// `rows` and `splits` are the options', 0 without them: blocks of 256 if half of the units get one,
// and as many parts of K as fill the device.
plan make_plan(const examples::gemm_problem& p, a_type type, int rows, int splits, int units) {
    plan result;
    const bool fills = ceil_div(p.m, block) * ceil_div(p.n, block) * 2 >= units;
    result.rows = rows > 0                                      ? rows
                  : type == a_type::mxfp4 && p.m > 128 && fills ? block
                  : p.m <= 16                                   ? 16
                  : p.m <= 32                                   ? 32
                                                                : 64;
    const bool is_few = result.rows < block;
    const int words = ceil_div(p.k, word_k);
    const int blocks_n = ceil_div(p.n, is_few ? few_columns : block);
    const int blocks_m = ceil_div(p.m, result.rows);
    if (is_few) {
        const int blocks = blocks_m * blocks_n;
        const int wanted = splits > 0 ? splits : std::max(units / blocks, 1);
        result.split_k = ceil_div(words, std::min(wanted, words)) * word_k;
        result.splits = ceil_div(words * word_k, result.split_k);
    }
    result.grid = dim3(static_cast<unsigned>(blocks_n), static_cast<unsigned>(blocks_m),
                       static_cast<unsigned>(result.splits));
    result.groups = blocks_n * blocks_m * result.splits;
    return result;
}

// A and B as the kernels take them.
struct operands_on_host {
    std::vector<bf16_t> a;
    examples::mxfp4_matrix a_mxfp4;
    examples::mxfp4_matrix b;
};

examples::gemm_result run(const examples::gemm_problem& p, a_type type, const plan& chosen,
                          const operands_on_host& x) {
    const bool is_bf16 = type == a_type::bf16;
    const examples::device_buffer<bf16_t> a_bf16(x.a);
    const examples::device_buffer<u8_t> a(x.a_mxfp4.codes);
    const examples::device_buffer<u8_t> scales_a(x.a_mxfp4.scales);
    const examples::device_buffer<u8_t> b(x.b.codes);
    const examples::device_buffer<u8_t> scales_b(x.b.scales);
    examples::device_buffer<bf16_t> c(static_cast<std::size_t>(p.m) *
                                      static_cast<std::size_t>(p.n));
    examples::device_buffer<float> parts(std::max<std::size_t>(chosen.part_floats(), 1));
    // Cleared once: each launch leaves zeros.
    examples::device_buffer<u32_t> arrivals(
        static_cast<std::size_t>(chosen.groups / chosen.splits));
    c.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    parts.fill_unwritten(0xff);
    arrivals.fill_bytes(0);
    const void* const of_a = is_bf16 ? static_cast<const void*>(a_bf16.data()) : a.data();
    const gemm_args arguments{of_a,
                              is_bf16 ? nullptr : scales_a.data(),
                              b.data(),
                              scales_b.data(),
                              c.data(),
                              parts.data(),
                              arrivals.data(),
                              p.m,
                              p.n,
                              p.k,
                              x.b.k,
                              chosen.split_k};
    using kernel_t = void (*)(gemm_args);
    const kernel_t kernels[2][3] = {
        {few_rows_kernel<bf16_t, 1>, few_rows_kernel<bf16_t, 2>, few_rows_kernel<bf16_t, 4>},
        {few_rows_kernel<opus::fp4_t, 1>, few_rows_kernel<opus::fp4_t, 2>,
         few_rows_kernel<opus::fp4_t, 4>}};
    const bool is_few = chosen.rows < block;
    const kernel_t kernel =
        is_few ? kernels[is_bf16 ? 0 : 1][chosen.rows / 32] : many_rows_kernel<opus::fp4_t>;
    const int threads = is_few ? few_threads : many_waves * 64;
    const double time = examples::time_launches(p.iters, "gemm_mxfp4", [&] {
        kernel<<<chosen.grid, static_cast<unsigned>(threads)>>>(arguments);
    });
    for (const u32_t count : arrivals.result()) {
        if (count != 0) {
            throw examples::wrong_result("a launch has left a count of " + std::to_string(count) +
                                         " parts, which the next one would not find cleared");
        }
    }
    return {c.result(), time};
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    using examples::usage_error;
    examples::gemm_example e;
    e.description = "B in MXFP4; A in bf16, quantised by the kernel, or in MXFP4; C in bf16";
    e.types = {element::f32};
    e.out_types = {element::bf16};
    a_type type = a_type::bf16;
    int rows = 0;
    int splits = 0;
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--type", type, {"bf16", "mxfp4"}, "Type of A (bf16)");
        examples::add_one_of(app, "--rows", rows, {16, 32, 64, block}, "",
                             "Rows of a block; 256 for A in MXFP4 (by M and N)");
        examples::add_integer(app, "--splits", splits, 1, 64, "INT",
                              "Parts of K (as many as fill the device)");
    };
    operands_on_host x;
    plan chosen;
    e.adapt = [&](examples::gemm_problem& p) {
        if (!device_has_mx()) {
            throw usage_error("this device (" + examples::device_name() +
                              ") has no matrix instructions with scales; gfx950 has "
                              "(silu_mul_mxfp4 runs here, too)");
        }
        if (p.k % 32 != 0) {
            throw usage_error("K is " + std::to_string(p.k) +
                              ": it must be a multiple of 32, which share a scale");
        }
        if (rows == block && type == a_type::bf16) {
            throw usage_error("--rows 256 is for --type mxfp4");
        }
        chosen = make_plan(p, type, rows, splits, examples::compute_units());
        if (chosen.rows == block && splits > 1) {
            throw usage_error("--splits: blocks of 256 rows have all of K");
        }
        if (type == a_type::bf16) {
            for (double& value : p.a) {
                value = examples::round_to(element::bf16, value);
            }
            x.a = examples::to<bf16_t>(p.a);
        }
        const auto of_a = examples::quantise_mxfp4(p.a, p.m, p.k);
        x.a_mxfp4 = examples::reordered(of_a);
        x.b = examples::reordered(examples::quantise_mxfp4(p.b, p.n, p.k));
        const double of_rows = type == a_type::bf16 ? p.m * 2.0 * p.k : p.m * (17.0 / 32) * p.k;
        p.operand_bytes = of_rows + p.n * (17.0 / 32) * p.k;
        p.peak = &examples::machine_peaks::fp4;
    };
    e.plan = [&] {
        return "blocks of " + std::to_string(chosen.rows) + " rows, " +
               std::to_string(chosen.splits) + " splits, " + std::to_string(chosen.groups) +
               " workgroups, " + std::to_string(chosen.part_floats() * sizeof(float)) +
               " bytes of sums";
    };
    return examples::gemm_main(
        argc, argv, e, [&](const examples::gemm_problem& p) { return run(p, type, chosen, x); });
}
