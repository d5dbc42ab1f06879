// SPDX-License-Identifier: MIT
//
// gemv_w4: C[M, N] = A[M, K] * B[N, K]^T for a few rows of A (1 to 16, bf16) and weights B of 4
// bits: int4 with a scale and a zero point for each 128 along K, or MXFP4 with a power of two for
// each 32.
//
// Memory is the limit: the weights are nearly all of the bytes, each is used once for each row of
// A, and a compute unit of gfx942 gets 6.5 bytes of HBM a clock. So the example shows how to
// request each byte once, and how to decode 4 bits in so few instructions that memory hides them:
//
//  - B goes straight from memory to the matrix cores. The two operands of a product must agree on
//    which k is where, but the order is free. So the codes stay in the order in which decoding
//    leaves them, and A, which is small, is put into that order once, on its way to LDS.
//  - int4: a code in the upper four bits of a bf16 mantissa whose exponent is that of 16 is 16 +
//    code; two instructions make two of them. The sum over a group is sum(a * (16 + code)) - (16 +
//    zero) * sum(a); the last sum is one more matrix product, with -1, for all rows of B.
//  - MXFP4: gfx950 has an instruction that decodes and scales. gfx942 keeps the eight magnitudes in
//    registers, as a table that v_perm_b32 reads. Applying a scale takes eight additions to that
//    table, and none to the 32 codes. (cast<bf16_t>(codes, scale) is simpler, but takes 112
//    instructions instead of 67.)
//  - One word serves 128 codes of a row: int4's scale and zero point, or four scales of MXFP4. One
//    lane loads it, and ds_bpermute_b32 (shfl) gives it to the three other lanes that need it.
//
// Each group of B's rows reads A once, and if K is split, sums are written and read. Nothing else
// adds to the minimum of bytes. The plan chooses the most workgroups that stay within 5 % of the
// minimum. (It counts what waves request. With 16 rows of A this leaves few workgroups; on a GPU
// the caches hold A, and more workgroups are faster: --tiles 1. docs/timeline.md has both.)
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using examples::element;
using opus::bf16_t;
using opus::bf16x8_t;
using opus::fp32_t;
using opus::fp32x4_t;
using opus::number;
using opus::u32_t;
using opus::u32x4_t;

constexpr int waves = 8;
constexpr int threads = waves * 64;
constexpr int group = 128;     // codes of a row that share a word
constexpr int rows_of_a = 16;  // at most
constexpr int tile_rows = 16;  // of B, for a matrix instruction

enum class weights { int4, mxfp4 };

// Row-major without padding, except words: [ceil(K / 128), N].
struct problem_on_device {
    const bf16_t* a;
    const u32_t* codes;  // of B, the first in the lowest bits
    // int4: the scale as bf16 in the upper half, 16 + zero point as bf16 in the lower half. mxfp4:
    // four scales as e8m0, that of the first 32 codes in the lowest byte, from 2^-125 to 2^125.
    const u32_t* words;
    bf16_t* c;
    fp32_t* parts;  // [splits, M, N], or null where K is not split
    int m;
    int n;
    int k;
    int split_k;  // elements along K of a split
};

// Decodes 8 codes of a lane at a time. They are in part number `part` of the 128 codes to which
// `word` belongs. The result has them in the order `order`.
template <weights kind>
struct decoder;

template <>
struct decoder<weights::int4> {
    using order = opus::seq<0, 4, 1, 5, 2, 6, 3, 7>;

    // Keeps the constant in a vector register, hidden from the compiler: v_and_or_b32 cannot take
    // two constants, and would become two instructions.
    OPUS_D decoder() { asm("" : "+v"(sixteen)); }

    OPUS_D void set_scale(u32_t, int) {}

    OPUS_D bf16x8_t operator()(u32_t x) const {
        // Codes i and i + 4 to bits 3 to 6 of the two halves: 16 + code as bf16.
        const auto pair = [&](u32_t y) { return (y & 0x00780078) | sixteen; };
        return __builtin_bit_cast(bf16x8_t,
                                  u32x4_t{pair(x << 3), pair(x >> 1), pair(x >> 5), pair(x >> 9)});
    }

    u32_t sixteen = 0x41804180;
};

#if OPUS_HAS_LDS_DMA_WIDE  // gfx950: an instruction for two codes and their scale
template <>
struct decoder<weights::mxfp4> {
    using order = opus::make_index_seq<8>;

    OPUS_D void set_scale(u32_t word, int part) {
        scale = __builtin_bit_cast(fp32_t, (word >> part * 8 & 0xff) << 23);
    }

    OPUS_D bf16x8_t operator()(u32_t x) const {
        return opus::cast<bf16_t>(__builtin_bit_cast(opus::array<opus::fp4_t, 8>, x), scale);
    }

    fp32_t scale;
};
#else
template <>
struct decoder<weights::mxfp4> {
    using order = opus::seq<0, 2, 4, 6, 1, 3, 5, 7>;

    // Takes the magnitudes 0, 1/2, 1, 3/2, 2, 3, 4 and 6 times 2^-127 as bf16 and adds the scale to
    // the exponents of all but the first. Then separates their lower bytes and their upper bytes.
    OPUS_D void set_scale(u32_t word, int part) {
        using pair = opus::vector_t<unsigned short, 2>;
        const auto add = __builtin_bit_cast(pair, (word >> part * 8 & 0xff) * 0x00800080);
        const auto x01 = __builtin_bit_cast(u32_t, pair{0, 0xff80} + pair{0, add[1]});
        const auto x23 = __builtin_bit_cast(u32_t, pair{0, 0x0040} + add);
        const auto x45 = __builtin_bit_cast(u32_t, pair{0x0080, 0x00c0} + add);
        const auto x67 = __builtin_bit_cast(u32_t, pair{0x0100, 0x0140} + add);
        low = {perm(x23, x01, 0x06040200), perm(x67, x45, 0x06040200)};
        high = {perm(x23, x01, 0x07050301), perm(x67, x45, 0x07050301)};
    }

    OPUS_D bf16x8_t operator()(u32_t x) const {
        // Four codes, one in each byte of `index`, as four bf16; signs are in the upper bits.
        const auto four = [&](u32_t index, u32_t signs) {
            const u32_t l = perm(low[1], low[0], index);
            const u32_t h = (signs & 0x80808080) | perm(high[1], high[0], index);
            return opus::u32x2_t{perm(h, l, 0x05010400), perm(h, l, 0x07030602)};
        };
        return __builtin_bit_cast(bf16x8_t, opus::concat_vector(four(x & 0x07070707, x << 4),
                                                                four(x >> 4 & 0x07070707, x)));
    }

    // Byte i of the result is byte index[i] of eight bytes; `l` has the first four.
    OPUS_D static u32_t perm(u32_t h, u32_t l, u32_t index) {
        return __builtin_amdgcn_perm(h, l, index);
    }

    opus::u32x2_t low, high;
};
#endif

template <opus::index_t... Is>
OPUS_D bf16x8_t in_order(const bf16x8_t& x, opus::seq<Is...>) {
    return __builtin_shufflevector(x, x, Is...);
}

// Grid: (blocks of 128 * tiles rows of B, splits of K), 512 threads. A wave has 16 * tiles rows of
// B and takes 128 * steps of K in a round; all waves share A, which is in LDS for a round. @pre k
// is a multiple of 32, split_k of 128 * steps
template <weights kind, int tiles, int steps>
__global__ __launch_bounds__(threads) void gemv_w4_kernel(problem_on_device p) {
    using namespace opus;
    constexpr bool is_int4 = kind == weights::int4;
    constexpr int items = tiles * steps;  // of 16 rows and 128 codes, in a round
    static_assert(items % 4 == 0, "gemv_w4: a wave loads the words of four items at once");
    constexpr int round = group * steps;
    constexpr int vectors = rows_of_a * round / 8;  // of A, in a round
    constexpr int beyond = 1 << 29;                 // as an offset in words 2^31 bytes
    const mfma<bf16_t, bf16_t, fp32_t, 16, 16, 32> mma;
    __shared__ __attribute__((aligned(16))) bf16_t lds[2 * vectors * 8];
    const auto s_a = make_smem(lds);

    const int thread = thread_id_x();
    const int row = thread % 16;        // of a tile of B
    const int part = thread % 64 / 16;  // which 32 of 128 codes
    const int wave = readfirstlane(thread / 64);
    const int row0 = (block_id_x() * waves + wave) * (tiles * tile_rows);
    const int rows = readfirstlane(max(min(p.n - row0, tiles * tile_rows), 0));
    const int k_begin = block_id_y() * p.split_k;
    const int k_end = min(k_begin + p.split_k, p.k);

    // Codes: a lane has 32 of one row, 16 bytes.
    const int pitch = p.k / 8;  // words of a row
    const auto g_codes = make_gmem(p.codes + static_cast<long_index_t>(row0) * pitch,
                                   static_cast<unsigned>(rows) * static_cast<unsigned>(pitch) * 4);
    // Words: load q fetches the word of item 4 q + part.
    const int groups = (p.k + group - 1) / group;
    const auto g_words =
        make_gmem(p.words + row0, static_cast<unsigned>(rows > 0 ? groups * p.n - row0 : 0) * 4);
    array<array<u32_t, items / 4>, 2> words;
    array<array<array<u32x4_t, tiles>, steps>, 2> codes;
    const auto load_b = [&](auto buffer, int k) {
        const int of_groups = k < k_end ? k / group * p.n : beyond - 1;
        static_for<items / 4>([&](auto q) {
            const int item = q * 4 + part;
            const int of_row = item % tiles * tile_rows + row;
            const int at = of_row < rows ? item / tiles * p.n + of_row : beyond;
            words[buffer][q] = g_words.load(at, of_groups)[0];
        });
        static_ford<steps, tiles>([&](auto s, auto t) {
            const int of_step = k + s * group;
            const int at = of_step + part * 32 < k_end ? row * pitch + part * 4 : beyond;
            codes[buffer][s][t] = g_codes.template load<4>(at, of_step / 8 + t * tile_rows * pitch);
        });
    };
    // A: vector v of a round begins at row v / 4 % 16 and column v / 64 * 32 + v % 4 * 8. In LDS
    // the vectors lie in the order of the lanes that read them; for v % 4 = j, bits 1 and 2 of the
    // lane are xor-ed by j. So writes, in which 4 lanes write 64 bytes of a row, have no bank
    // conflicts either.
    const auto g_a = make_gmem(p.a, static_cast<unsigned>(p.m * p.k) * 2);
    constexpr int loads_of_a = (vectors + threads - 1) / threads;
    const auto load_a = [&](int k) {
        array<bf16x8_t, loads_of_a> a;
        static_for<loads_of_a>([&](auto i) {
            const int v = i * threads + thread;
            const int column = k + v / 64 * 32 + v % 4 * 8;
            const bool is_there = column < k_end && v < vectors;
            a[i] = g_a.template load<8>(is_there ? v / 4 % 16 * p.k + column : beyond * 2);
        });
        return a;
    };
    const auto lds_place = [](int buffer, int step, int j, int lane) {
        return buffer * (vectors * 8) + ((step * 4 + j) * 64 + (lane ^ j * 2)) * 8;
    };
    const auto store_a = [&](const auto& a, int buffer) {
        static_for<loads_of_a>([&](auto i) {
            const int v = i * threads + thread;
            if (v < vectors) {
                const int place = lds_place(buffer, v / 256, v % 4, v / 64 % 4 * 16 + v / 4 % 16);
                s_a.template store<8>(in_order(a[i], typename decoder<kind>::order{}), place);
            }
        });
    };

    decoder<kind> decode;
    array<fp32x4_t, tiles> sums;
    static_for<tiles>([&](auto t) { clear(sums[t]); });
    // A round, with the data in `buffer` of registers and LDS; the next round's data goes to the
    // other buffer. (The loop has two rounds, because copying registers would mean waiting for
    // them.)
    const auto compute = [&](auto buffer, int k) {
        lds_barrier();  // A of this round is in LDS, and nobody reads that of the one before
        const auto next_a = load_a(k + round);
        load_b(1_I - buffer, k + round);
        keep_order();
        array<u32_t, items> word;
        static_for<items>([&](auto i) { word[i] = shfl(words[buffer][i / 4], row + i % 4 * 16); });
        static_for<steps>([&](auto s) {
            array<bf16x8_t, 4> a;
            static_for<4>(
                [&](auto j) { a[j] = s_a.template load<8>(lds_place(buffer, s, j, lane_id())); });
            fp32x4_t minus_sum_a{};
            if constexpr (is_int4) {
                const auto minus_one = make_repeated_vector<8>(static_cast<bf16_t>(-1.0f));
                static_for<4>([&](auto j) { minus_sum_a = mma(a[j], minus_one, minus_sum_a); });
            }
            static_for<tiles>([&](auto t) {
                const u32_t w = word[s * number<tiles>{} + t];
                decode.set_scale(w, part);
                array<bf16x8_t, 4> b;
                static_for<4>([&](auto j) { b[j] = decode(codes[buffer][s][t][j.value]); });
                fp32x4_t sum = is_int4 ? fp32x4_t{} : sums[t];
                static_for<4>([&](auto j) { sum = mma(a[j], b[j], sum); });
                if constexpr (is_int4) {
                    const auto scale = __builtin_bit_cast(fp32_t, w & 0xffff0000);
                    const auto zero = __builtin_bit_cast(fp32_t, w << 16);
                    sum = opus::fma(opus::fma(minus_sum_a, zero, sum), scale, sums[t]);
                    asm("" : "+v"(sum));  // now: all of them at the end would spill registers
                }
                sums[t] = sum;
                if constexpr ((s.value * tiles + t.value) % 2 == 1) {
                    keep_order();
                }
            });
        });
        store_a(next_a, 1 - buffer);
    };
    store_a(load_a(k_begin), 0);
    load_b(0_I, k_begin);
    for (int k = k_begin; k < k_end; k += 2 * round) {
        compute(0_I, k);
        if (k + round < k_end) {
            compute(1_I, k + round);
        }
    }

    // A lane has rows part * 4 + 0 .. 3 of A and row `row` of each tile of B.
    const auto store = [&](auto* to, auto convert) {
        const auto size = static_cast<unsigned>(rows > 0 ? p.m * p.n - row0 : 0);
        const auto g = make_gmem(to + row0, size * sizeof(*to));
        static_ford<tiles, 4>([&](auto t, auto i) {
            const int n = t * tile_rows + row;
            g.store(convert(sums[t][i.value]), n < rows ? (part * 4 + i) * p.n + n : beyond);
        });
    };
    if (p.parts == nullptr) {
        store(p.c, [](fp32_t x) { return cast<bf16_t>(x, 0_I); });  // to nearest even
    } else {
        auto* const parts = p.parts + static_cast<long_index_t>(block_id_y()) * p.m * p.n;
        store(parts, [](fp32_t x) { return x; });
    }
}

// C from the sums of the splits. Grid: a thread for each of `count` elements.
__global__ __launch_bounds__(threads) void sum_kernel(const fp32_t* parts, bf16_t* c, int count,
                                                      int splits) {
    const int i = opus::block_id_x() * threads + opus::thread_id_x();
    if (i < count) {
        fp32_t sum = 0;
        for (int split = 0; split < splits; ++split) {
            sum += parts[static_cast<opus::long_index_t>(split) * count + i];
        }
        c[i] = opus::cast<bf16_t>(sum, number<0>{});
    }
}

// == the plan =====================================================================================

using kernel_t = void (*)(problem_on_device);
struct variant {
    int tiles;  // of 16 rows for a wave
    int steps;  // of 128 along K, in a round
    kernel_t int4;
    kernel_t mxfp4;
};
const variant variants[] = {
    {1, 4, gemv_w4_kernel<weights::int4, 1, 4>, gemv_w4_kernel<weights::mxfp4, 1, 4>},
    {4, 1, gemv_w4_kernel<weights::int4, 4, 1>, gemv_w4_kernel<weights::mxfp4, 4, 1>},
    {12, 1, gemv_w4_kernel<weights::int4, 12, 1>, gemv_w4_kernel<weights::mxfp4, 12, 1>},
};

struct problem {
    int m = 0;
    int n = 0;
    int k = 0;
    weights kind{};
    std::vector<double> a;     // m x k, values of bf16
    std::vector<u32_t> codes;  // as the kernel wants them
    std::vector<u32_t> words;
    int groups() const { return (k + group - 1) / group; }
};

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

struct plan {
    const variant* kernel;
    int blocks;   // of rows of B
    int split_k;  // elements along K
    int splits;
    double bytes;  // that are asked for, with those of the sum
    double least;

    int groups() const { return blocks * splits; }
};

plan plan_of(const problem& p, const variant& v, int splits) {
    const int round = v.steps * group;
    const int split_k = ceil_div(ceil_div(p.k, round), splits) * round;
    plan result{&v, ceil_div(p.n, waves * v.tiles * tile_rows), split_k, ceil_div(p.k, split_k), 0,
                0};
    const double c = 2.0 * p.m * p.n;
    const double a = 2.0 * p.m * p.k;
    const double b = static_cast<double>(p.n) * (p.k / 2 + 4.0 * p.groups());
    result.least = a + b + c;
    result.bytes = a * result.blocks + b + c + (result.splits > 1 ? 4 * c * result.splits : 0);
    return result;
}

// Of the plans with `tiles` and `splits` (0: any) that are within 5 % of the least bytes, the one
// whose busiest compute unit has the fewest bytes; if none is within 5 %, the one with the fewest
// bytes in all.
plan make_plan(const problem& p, int tiles, int splits, int units) {
    std::optional<plan> best;
    const auto rank = [&](const plan& x) {
        const bool within = x.bytes <= 1.05 * x.least;
        const double of_unit = x.bytes / x.groups() * ceil_div(x.groups(), units);
        return std::pair(!within, within ? of_unit : x.bytes);
    };
    for (const variant& v : variants) {
        for (int s = std::max(splits, 1); s <= (splits > 0 ? splits : 64); ++s) {
            const plan candidate = plan_of(p, v, s);
            if ((tiles == 0 || tiles == v.tiles) && (!best || rank(candidate) < rank(*best))) {
                best = candidate;
            }
        }
    }
    return *best;
}

// == host =========================================================================================

u32_t bits_of_bf16(double x) {
    const auto nearest = static_cast<float>(examples::round_to(element::bf16, x));
    return __builtin_bit_cast(u32_t, nearest) >> 16;
}

double from_bf16(u32_t bits) {
    return static_cast<double>(__builtin_bit_cast(float, bits << 16));
}

std::size_t word_of(const problem& p, int n, int k) {
    return static_cast<std::size_t>(k / group) * static_cast<std::size_t>(p.n) +
           static_cast<std::size_t>(n);
}
std::size_t code_word_of(const problem& p, int n, int k) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(p.k / 8) +
           static_cast<std::size_t>(k / 8);
}

// B[n, k] is value; for int4 it is computed as (value + offset) - offset.
struct weight {
    double value;
    double offset;
};

weight weight_of(const problem& p, int n, int k) {
    const u32_t code = p.codes[code_word_of(p, n, k)] >> k % 8 * 4 & 15;
    const u32_t word = p.words[word_of(p, n, k)];
    if (p.kind == weights::int4) {
        const double scale = from_bf16(word >> 16);
        const double offset = from_bf16(word & 0xffff);
        return {(16 + code - offset) * scale, offset * scale};
    }
    const auto exponent = static_cast<int>(word >> k % group / 32 * 8 & 255) - 127;
    const float value = opus::fp4_to_fp32(opus::fp4_t{static_cast<opus::u8_t>(code)});
    return {std::ldexp(static_cast<double>(value), exponent), 0};
}

u32_t int4_word(double scale, int zero) {
    return bits_of_bf16(scale) << 16 | bits_of_bf16(16 + zero);
}

constexpr int smallest_exponent = 2;  // of a scale of MXFP4, for the table of gfx942
constexpr int largest_exponent = 252;

// Codes, scales and zero points at random.
void make_weights(problem& p, std::mt19937_64& random) {
    for (u32_t& code : p.codes) {
        code = static_cast<u32_t>(random() >> 32);
    }
    for (u32_t& word : p.words) {
        const auto bits = static_cast<u32_t>(random() >> 32);
        word = p.kind == weights::int4
                   ? int4_word((128 + bits % 128) * 0x1p-10, static_cast<int>(bits >> 28))
                   : 0x78787878 + (bits & 0x07070707);  // 2^-7 to 1
    }
}

// The nearest codes of the values b[N, K]. int4: the range from the least to the largest value of a
// group, extended to include 0, in 15 steps. MXFP4: the largest magnitude of 32 is scaled to 4 to
// 8, where the codes end at 6.
void quantise(problem& p, const std::vector<double>& b) {
    const int size = p.kind == weights::int4 ? group : 32;
    examples::parallel_for(p.n, [&](int n) {
        const double* const row = &b[static_cast<std::size_t>(n) * static_cast<std::size_t>(p.k)];
        for (int k = 0; k < p.k; k += size) {
            const int end = std::min(k + size, p.k);
            const double low = std::min(*std::min_element(row + k, row + end), 0.0);
            const double high = std::max(*std::max_element(row + k, row + end), 0.0);
            u32_t& word = p.words[word_of(p, n, k)];
            double scale = 0;
            double zero = 0;
            if (p.kind == weights::int4) {
                scale = low == high ? 1 : from_bf16(bits_of_bf16((high - low) / 15));
                zero = std::clamp(std::nearbyint(-low / scale), 0.0, 15.0);
                word = int4_word(scale, static_cast<int>(zero));
            } else {
                const int exponent = 127 + std::ilogb(std::max({-low, high, 0x1p-200})) - 2;
                const int kept = std::clamp(exponent, smallest_exponent, largest_exponent);
                scale = std::ldexp(1, kept - 127);
                word |= static_cast<u32_t>(kept) << k % group / 32 * 8;
            }
            for (int i = k; i < end; ++i) {
                const double x = row[i] / scale;
                const auto code =
                    p.kind == weights::int4
                        ? static_cast<u32_t>(std::clamp(std::nearbyint(x + zero), 0.0, 15.0))
                        : u32_t{opus::fp32_to_fp4(static_cast<float>(x)).value};
                p.codes[code_word_of(p, n, i)] |= code << i % 8 * 4;
            }
        }
    });
}

struct options {
    examples::extent m{"-m", "Rows of A and C, up to 16", 1, rows_of_a};
    examples::extent n{"-n", "Rows of B, columns of C", 1024};
    examples::extent k{"-k", "Columns of A and B, a multiple of 32", 1024};
    int tiles = 0;
    int splits = 0;
    examples::input a{"--a", "Read A[M, K]", {&m, &k}};
    examples::input b{"--b", "Read B[N, K], to be quantised", {&n, &k}};
};

std::vector<std::string> type_names() {
    return {"int4", "mxfp4"};
}
// The rest of a problem whose kind is there.
void complete(problem& p, options& o, std::mt19937_64& random) {
    o.a.read(element::bf16);
    o.b.read(element::f64);
    p.m = o.m.size();
    p.n = o.n.size();
    p.k = o.k.size();
    if (p.k % 32 != 0) {
        throw examples::usage_error("K is " + std::to_string(p.k) +
                                    ": it must be a multiple of 32");
    }
    // Offsets of scales are below 2^31 bytes.
    if (static_cast<long long>(p.n) * p.groups() >= 1LL << 29) {
        throw examples::usage_error("N and K are too large: at most 2^29 groups of 128 weights");
    }

    o.a.fill(element::bf16, random);
    p.a = o.a.values;
    p.codes.resize(static_cast<std::size_t>(p.n) * static_cast<std::size_t>(p.k / 8));
    p.words.resize(static_cast<std::size_t>(p.n) * static_cast<std::size_t>(p.groups()));
    if (o.b.value) {
        quantise(p, o.b.values);
    } else {
        make_weights(p, random);
    }
}

examples::tensor_result run(const problem& p, const plan& chosen, int iters) {
    const auto size = static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n);
    const bool has_parts = chosen.splits > 1;
    const examples::device_buffer<bf16_t> a(examples::to<bf16_t>(p.a));
    const examples::device_buffer<u32_t> codes(p.codes);
    const examples::device_buffer<u32_t> words(p.words);
    examples::device_buffer<bf16_t> c(size);
    examples::device_buffer<float> parts(has_parts ? size * static_cast<std::size_t>(chosen.splits)
                                                   : 1);
    c.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    parts.fill_unwritten(0xff);
    const problem_on_device on_device{
        a.data(), codes.data(), words.data(), c.data(),      has_parts ? parts.data() : nullptr,
        p.m,      p.n,          p.k,          chosen.split_k};
    const kernel_t kernel = p.kind == weights::int4 ? chosen.kernel->int4 : chosen.kernel->mxfp4;
    const dim3 grid(static_cast<unsigned>(chosen.blocks), static_cast<unsigned>(chosen.splits));
    const auto count = static_cast<int>(size);
    const auto sum_groups = static_cast<unsigned>(ceil_div(count, threads));
    examples::tensor_result result;
    result.moved_bytes = chosen.bytes;
    result.least_bytes = chosen.least;
    result.milliseconds = examples::time_launches(iters, "gemv_w4", [&] {
        kernel<<<grid, threads>>>(on_device);
        if (has_parts) {
            sum_kernel<<<sum_groups, threads>>>(parts.data(), c.data(), count, chosen.splits);
        }
    });
    result.add(examples::shape_of({p.m, p.n}), c.result());
    return result;
}

// Tolerance. An addition loses less than u = 2^-23 of the largest partial sum, in any order and
// with any rounding of the hardware; gfx942's groups lose less (docs/matrix-cores.md, "How products
// are added"), if zero counts as 2^-126. Products of bf16 and decoded codes are exact.
//
// MXFP4: K additions of products whose magnitudes sum to at most S: K u S, and one more addition
// for each split.
//
// int4: S is the sum of |a| * (value + offset) and |a| * offset, which both sums over a group are
// part of: 127 additions in each, a product and an addition, then the sum over groups and splits.
examples::expectation expected(const problem& p, const plan& chosen, std::size_t row, int n) {
    double sum = 0;
    double magnitude = 0;
    for (int k = 0; k < p.k; ++k) {
        const double a = p.a[row * static_cast<std::size_t>(p.k) + static_cast<std::size_t>(k)];
        const weight w = weight_of(p, n, k);
        sum += a * w.value;
        magnitude += std::fmax(std::fabs(a), 0x1p-126) *
                     (std::fmax(std::fabs(w.value + w.offset), 0x1p-126) + w.offset);
    }
    const int additions = (p.kind == weights::int4 ? 129 + p.groups() : p.k) + chosen.splits;
    return {sum, additions * 0x1p-23 * magnitude + p.k * 0x1p-149};
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    o.a.finite = o.b.finite = true;
    problem p;
    plan chosen;
    examples::tensor_example e;
    e.formula = "C[M, N] = A[M, K] * B[N, K]^T";
    e.description = "for up to 16 rows and weights B of 4 bits";
    e.extents = {&o.m, &o.n, &o.k};
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--type", p.kind, type_names(),
                           "Type of B; A and C are bf16 (int4)");
        examples::add_one_of(app, "--tiles", o.tiles, {1, 4, 12}, "",
                             "Rows of B that a wave has, times 16 (for 5 % above the least bytes)");
        examples::add_integer(app, "--splits", o.splits, 1, 1024, "INT",
                              "Parts of K (for 5 % above the least bytes)");
        o.a.add_to(app);
        o.b.add_to(app);
    };
    e.outputs = {"C"};
    e.prepare = [&](std::mt19937_64& random) {
        complete(p, o, random);
        chosen = make_plan(p, o.tiles, o.splits, examples::compute_units());
        const std::string k = ", " + std::to_string(p.k) + "]";
        return "C[" + std::to_string(p.m) + ", " + std::to_string(p.n) + "] = A[" +
               std::to_string(p.m) + k + " * B[" + std::to_string(p.n) + k + "^T, B of " +
               type_names()[static_cast<std::size_t>(p.kind)];
    };
    e.plan = [&] {
        return std::to_string(waves * chosen.kernel->tiles * tile_rows) + " rows of B and " +
               std::to_string(chosen.split_k) + " of K for a group, " +
               std::to_string(chosen.groups()) + " groups on " +
               std::to_string(examples::compute_units()) + " units";
    };
    e.run = [&](int iters) { return run(p, chosen, iters); };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        examples::expect_matrix(outputs[0], element::bf16, [&](std::size_t i, std::size_t j) {
            return expected(p, chosen, i, static_cast<int>(j));
        });
    };
    return examples::tensor_main(argc, argv, e);
}
