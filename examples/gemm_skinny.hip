// SPDX-License-Identifier: MIT
//
// gemm_skinny: D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N] for shapes that memory
// limits: few rows, few columns or a short K. f16, bf16, f32 or f64, all matrices of the same type.
//
// The fewer bytes such a product moves, the faster it is. At the least, it reads A, B and C once
// and writes D once. Here a block computes a tile of D and reads its rows of A and B once, over all
// of K. Only the number of blocks adds to the minimum: each block along N reads the rows of A once,
// and each block along M the rows of B. The plan chooses the tiles with the most blocks that stay
// within 5 % of the minimum, if there are any. (It counts what the waves request. On a GPU, L2
// serves part of that, and where many compute units would idle, more blocks can be faster.)
//
// Such tiles exist for K <= 32, and for a longer K with up to 64 rows of A or of B (f64: 48). With
// P rows in one matrix and many in the other, 5 % means a tile of all P rows and 20 * P columns.
// For P = 64 that is 64 x 1280 sums of 4 bytes, 320 of the 512 KiB of a compute unit's registers;
// 128 rows would need 1280. For larger shapes the program prints by how much it exceeds the
// minimum; use gemm_block and gemm_fast for these in f16 and bf16.
//
// X is the one of A and B with fewer rows, Y the other. There are three strategies for a tile, each
// with 8 waves. In the first two, each wave has its own columns of D:
//
//  - shallow_k, K <= 32. A wave keeps its rows of Y, over all of K, in registers, and X streams by.
//  - cache_persistent. X goes to LDS, a chunk of K at a time, for all waves; the sums stay in
//    registers; Y goes from memory to the matrix cores, each element once.
//  - wave_parallel, if a long K is the only dimension to divide. Each wave takes every eighth step
//    along K, and the waves add their sums through LDS.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;
using opus::fp64_t;
using opus::number;

constexpr int waves = 8;
constexpr int threads = waves * 64;
constexpr int max_shallow_k = 32;

template <class T>
using sum_t = std::conditional_t<sizeof(T) == 8, fp64_t, fp32_t>;

// What a lane loads at once: 16 bytes. Four lanes load one step of a row.
template <class T>
constexpr int vector_width = 16 / static_cast<int>(sizeof(T));
template <class T>
constexpr int step_k = 4 * vector_width<T>;
template <class T>
using vec_t = opus::vector_t<T, vector_width<T>>;

// D of 16 x 16 from one step, with Y as the instruction's A, so a lane has neighbours along Y in D.
// f32 takes four instructions for a step, f64 two.
template <class T>
using step_t = opus::remove_cv_t<decltype(opus::make_mfma<T, T, sum_t<T>>(
    number<16>{}, number<16>{}, number<step_k<T>>{}))>;
template <class T>
using tile_t = typename step_t<T>::vtype_c;

// D[i, j] is at i * stride_p + j * stride_q for row i of X and row j of Y, and C[i, j] too.
template <class T>
struct problem_on_device {
    const T* x;  // p x k
    const T* y;  // q x k
    const T* c;
    T* d;
    int p;
    int q;
    int k;
    int stride_p;
    int stride_q;
    sum_t<T> alpha;
    sum_t<T> beta;
    int tile_p;  // of shallow_k
};

// load(row, column) for at most `count` rows of a matrix from `first` on: the vector there, with 0
// beyond the end of its row and beyond the last row. `whole` means that k is a multiple of a
// vector; otherwise rows begin where no vector can be loaded, and it is assembled from single
// elements.
template <bool whole, class T>
__device__ inline auto row_loader(const T* matrix, int first, int count, int rows, int k) {
    const int there = rows - first < count ? rows - first : count;
    const int left = opus::readfirstlane(there > 0 ? there : 0);  // in a scalar register
    const auto g = opus::make_gmem(matrix + static_cast<opus::long_index_t>(first) * k,
                                   static_cast<unsigned>(left * k) * sizeof(T));
    return [=](int row, int column) {
        constexpr int width = whole ? vector_width<T> : 1;
        constexpr int beyond = INT_MIN / static_cast<int>(sizeof(T));  // as an offset 2^31 bytes
        vec_t<T> result;
        opus::static_for<vector_width<T> / width>([&](auto i) {
            const int at = column + i < k ? row * k + column + i : beyond;
            if constexpr (whole) {
                result = g.template load<width>(at);
            } else {
                result[i.value] = g.template load<1>(at)[0];
            }
        });
        if constexpr (!whole) {
            asm("" : "+v"(result));  // put together here and not where it is used
        }
        return result;
    };
}

// The operands of `tiles` times 16 rows and `steps` steps of each, from column k on. (The lane's
// place is written out: with tile_coordinates_a loops take up to two more instructions.)
template <class T, int tiles, int steps, class Load>
__device__ inline auto load_tiles(const Load& load, int k) {
    using namespace opus;
    const int lane = lane_id();
    array<array<vec_t<T>, steps>, tiles> result;
    static_ford<tiles, steps>([&](auto i, auto s) {
        result[i][s] = load(i * 16 + lane % 16, k + s * step_k<T> + lane / 16 * vector_width<T>);
        // All loads come before what follows, so that they are in flight together. But if vectors
        // are assembled from single elements, there are registers for only four.
        if constexpr ((i.value * steps + s.value) % 4 == 3 || i.value == tiles - 1) {
            opus::keep_order();
        }
    });
    return result;
}

// One thread's part of `steps` steps of 16 * tiles rows of X, on the way to LDS, where all waves
// read them. In LDS the vectors of each tile and step lie in the order of the lanes that read them,
// so that no two lanes of a phase access the same banks.
template <class T, int tiles, int steps>
struct x_chunk {
    static constexpr int vectors = tiles * steps * 64;
    static constexpr int elements = vectors * vector_width<T>;
    static constexpr int parts = (vectors + threads - 1) / threads;

    opus::array<vec_t<T>, parts> values;

    template <class Load>
    __device__ void load(const Load& load_x, int k) {
        opus::static_for<parts>([&](auto i) {
            const int vector = opus::thread_id_x() + i * threads;
            const int tile = vector / 64 / steps;
            const int step = vector / 64 % steps;
            values[i] = load_x(tile * 16 + vector % 16,
                               k + step * step_k<T> + vector % 64 / 16 * vector_width<T>);
        });
    }

    __device__ void store(T* lds) const {
        opus::lds_barrier();  // all have read what was there
        opus::static_for<parts>([&](auto i) {
            const int vector = opus::thread_id_x() + i * threads;
            if (vector < vectors) {
                opus::make_smem(lds).template store<vector_width<T>>(values[i],
                                                                     vector * vector_width<T>);
            }
        });
        opus::lds_barrier();
    }

    __device__ static auto read(T* lds, int tile, int step) {
        const int vector = (tile * steps + step) * 64 + opus::lane_id();
        return opus::make_smem(lds).template load<vector_width<T>>(vector * vector_width<T>);
    }
};

// alpha * sum + beta * C to 16 x 16 elements of D, from row p0 of X and row q0 of Y on; a lane has
// one row of X and four of Y. `width` of these are adjacent in D. (Its place is written out as
// well: with the functions by lane the code is 2 % shorter, but a loop of shallow_k takes one more
// instruction and two more VGPRs.)
template <int width, class T>
__device__ inline void store_tile(const problem_on_device<T>& a, int p0, int q0,
                                  const tile_t<T>& sum) {
    using namespace opus;
    const int lane = lane_id();
    const step_t<T> mma;
    const auto rows_of_y = layout_to_offsets<1>(partition_layout_c(
        mma, make_tuple(1_I, 0_I), make_tuple(lane / mma.grpn_c, lane % mma.grpn_c)));
    const int p = p0 + lane % 16;
    static_for<step_t<T>::elem_c / width>([&](auto i) {
        const int q = q0 + rows_of_y[i * number<width>{}];
        if (p < a.p && q < a.q) {
            const long_index_t at = static_cast<long_index_t>(p) * a.stride_p +
                                    static_cast<long_index_t>(q) * a.stride_q;
            auto result =
                slice(sum, i * number<width>{}, (i + number<1>{}) * number<width>{}) * a.alpha;
            if (a.beta != 0) {
                const auto c = *reinterpret_cast<const vector_t<T, width>*>(a.c + at);
                result += cast<sum_t<T>>(c) * a.beta;
            }
            auto& d = *reinterpret_cast<vector_t<T, width>*>(a.d + at);
            if constexpr (std::is_same_v<T, bf16_t>) {
                d = cast<T>(result, 0_I);  // to nearest even
            } else {
                d = cast<T>(result);
            }
        }
    });
}

template <class T>
__device__ inline void store_tile(const problem_on_device<T>& a, int p0, int q0,
                                  const tile_t<T>& sum) {
    // Opaque to the compiler, which would otherwise keep the addresses of all tiles in registers.
    asm("" : "+s"(q0));
    if (step_t<T>::pack_c == 4 && a.stride_q == 1 && a.q % 4 == 0) {
        store_tile<4>(a, p0, q0, sum);
    } else {
        store_tile<1>(a, p0, q0, sum);
    }
    opus::keep_order();  // one tile after the other, so that registers do for it
}

// Grid: (tiles of 128 * tiles_q along Y, tiles of tile_p along X), 512 threads.
// @pre k <= 32, tile_p is a multiple of 64
template <class T, bool whole, int tiles_q>
__global__ __launch_bounds__(threads) void shallow_k_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = max_shallow_k / step_k<T>;
    constexpr int tiles_p = 4;
    using chunk = x_chunk<T, tiles_p, steps>;
    __shared__ __attribute__((aligned(16))) T lds[chunk::elements];

    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = (block_id_x() * waves + wave) * tiles_q * 16;
    const int p_begin = block_id_y() * a.tile_p;
    const int p_end = p_begin + a.tile_p < a.p ? p_begin + a.tile_p : a.p;

    const auto y =
        load_tiles<T, tiles_q, steps>(row_loader<whole>(a.y, q0, tiles_q * 16, a.q, a.k), 0);
    const auto load_x = [&](int p) {
        chunk x;
        x.load(row_loader<whole>(a.x, p, tiles_p * 16, p_end, a.k), 0);
        return x;
    };
    chunk x = load_x(p_begin);
    for (int p = p_begin; p < p_end; p += tiles_p * 16) {
        x.store(lds);
        x = load_x(p + tiles_p * 16);  // nothing behind the last rows
#pragma unroll 1
        for (int i = 0; i < tiles_p && p + i * 16 < p_end; ++i) {
            array<vec_t<T>, steps> x_tile;
            static_for<steps>([&](auto s) { x_tile[s] = chunk::read(lds, i, s); });
            static_for<tiles_q>([&](auto j) {
                tile_t<T> sum;
                clear(sum);
                static_for<steps>([&](auto s) { sum = step_t<T>{}(y[j][s], x_tile[s], sum); });
                store_tile(a, p + i * 16, q0 + j * 16, sum);
            });
        }
    }
}

// Grid: (tiles of 128 * tiles_q along Y, tiles of 16 * tiles_p along X), 512 threads.
template <class T, bool whole, int tiles_p, int tiles_q>
__global__ __launch_bounds__(threads) void cache_persistent_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = tiles_p * tiles_q > 4 ? 1 : 4;  // of one chunk, as registers allow
    using chunk = x_chunk<T, tiles_p, steps>;
    __shared__ __attribute__((aligned(16))) T lds[chunk::elements];

    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = (block_id_x() * waves + wave) * tiles_q * 16;
    const int p0 = block_id_y() * tiles_p * 16;
    const auto load_x = row_loader<whole>(a.x, p0, tiles_p * 16, a.p, a.k);
    const auto load_y = row_loader<whole>(a.y, q0, tiles_q * 16, a.q, a.k);

    array<array<tile_t<T>, tiles_q>, tiles_p> sums;
    static_ford<tiles_p, tiles_q>([&](auto i, auto j) { clear(sums[i][j]); });
    chunk x;
    x.load(load_x, 0);
    for (int k = 0; k < a.k; k += steps * step_k<T>) {
        const auto y = load_tiles<T, tiles_q, steps>(load_y, k);
        x.store(lds);
        x.load(load_x, k + steps * step_k<T>);  // nothing behind the last chunk
        static_ford<steps, tiles_p>([&](auto s, auto i) {
            const auto x_tile = chunk::read(lds, i, s);
            static_for<tiles_q>(
                [&](auto j) { sums[i][j] = step_t<T>{}(y[j][s], x_tile, sums[i][j]); });
        });
    }
    static_ford<tiles_p, tiles_q>(
        [&](auto i, auto j) { store_tile(a, p0 + i * 16, q0 + j * 16, sums[i][j]); });
}

// Steps of a wave at once, as registers allow.
constexpr int wave_parallel_steps(int tiles_q) {
    return tiles_q > 4 ? 1 : 4;
}

// Grid: (tiles of 16 * tiles_q along Y, tiles of 16 along X), 512 threads.
template <class T, bool whole, int tiles_q>
__global__ __launch_bounds__(threads) void wave_parallel_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = wave_parallel_steps(tiles_q);
    constexpr int elements = step_t<T>::elem_c;
    __shared__ sum_t<T> lds[elements * threads];

    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = block_id_x() * tiles_q * 16;
    const int p0 = block_id_y() * 16;
    const auto load_x = row_loader<whole>(a.x, p0, 16, a.p, a.k);
    const auto load_y = row_loader<whole>(a.y, q0, tiles_q * 16, a.q, a.k);

    array<tile_t<T>, tiles_q> sums;
    static_for<tiles_q>([&](auto j) { clear(sums[j]); });
    for (int k = wave * steps * step_k<T>; k < a.k; k += waves * steps * step_k<T>) {
        const auto x = load_tiles<T, 1, steps>(load_x, k);
        const auto y = load_tiles<T, tiles_q, steps>(load_y, k);
        static_ford<steps, tiles_q>(
            [&](auto s, auto j) { sums[j] = step_t<T>{}(y[j][s], x[0_I][s], sums[j]); });
    }

    // Tile j is added up by wave j % 8.
    static_for<tiles_q>([&](auto j) {
        lds_barrier();
        static_for<elements>([&](auto e) { lds[e * threads + thread_id_x()] = sums[j][e.value]; });
        lds_barrier();
        if (wave == j % waves) {
            tile_t<T> sum;
            clear(sum);
            static_ford<waves, elements>(
                [&](auto w, auto e) { sum[e.value] += lds[e * threads + w * 64 + lane]; });
            store_tile(a, p0, q0 + j * 16, sum);
        }
    });
}

// == the plan =====================================================================================

enum class strategy { automatic, shallow_k, cache_persistent, wave_parallel };
constexpr const char* strategy_names[] = {"auto", "shallow_k", "cache_persistent", "wave_parallel"};

const char* name_of(strategy s) {
    return strategy_names[static_cast<int>(s)];
}

// The plan depends on these: X is p x k, Y is q x k.
struct shape {
    int p;
    int q;
    int k;
    int bytes;     // of an element
    bool reads_c;  // beta is not 0
};

// An existing kernel; the tiles are 16 x 16 and belong to a wave.
struct variant {
    strategy how;
    int tiles_p;
    int tiles_q;
};
constexpr int variant_count = 7;

// The larger ones use all registers. f64 takes twice as many for a tile. With OPUS_EXAMPLES_SMALL they
// are as small as the same code can be, and with OPUS_DEBUG: the checks of the large ones take minutes
// to compile.
constexpr variant variant_of(int bytes, int i) {
    using s = strategy;
    const bool f64 = bytes == 8;
    if (OPUS_EXAMPLES_SMALL || OPUS_DEBUG) {
        const variant all[variant_count] = {
            {s::shallow_k, 4, 2},        {s::shallow_k, 4, 2},        {s::cache_persistent, 1, 1},
            {s::cache_persistent, 1, 1}, {s::cache_persistent, 2, 3}, {s::wave_parallel, 1, 1},
            {s::wave_parallel, 1, 5},
        };
        return all[i];
    }
    const variant all[variant_count] = {
        {s::shallow_k, 4, 2},
        {s::shallow_k, 4, 8},
        {s::cache_persistent, 1, 1},
        {s::cache_persistent, 1, 4},
        {s::cache_persistent, f64 ? 3 : 4, f64 ? 8 : 10},
        {s::wave_parallel, 1, 4},
        {s::wave_parallel, 1, f64 ? 12 : 20},
    };
    return all[i];
}

// A wave reaches its part of a matrix through one buffer, with offsets below 2^31 bytes.
constexpr bool reach_is_below_2_gib() {
    for (const int bytes : {2, 4, 8}) {
        for (int i = 0; i < variant_count; ++i) {
            const variant v = variant_of(bytes, i);
            const int rows = 16 * (v.tiles_p > v.tiles_q ? v.tiles_p : v.tiles_q);
            const long long k = v.how == strategy::shallow_k ? max_shallow_k : examples::max_extent;
            if (rows * k * bytes >= 1LL << 31) {
                return false;
            }
        }
    }
    return true;
}
static_assert(reach_is_below_2_gib(), "gemm_skinny: offsets of a variant overflow");

long long blocks_of(int extent, int tile) {
    return (static_cast<long long>(extent) + tile - 1) / tile;
}

// Bytes of global memory that a launch with these tiles requests.
double moved_bytes(const shape& s, int tile_p, int tile_q) {
    const double x = static_cast<double>(s.p) * s.k * static_cast<double>(blocks_of(s.q, tile_q));
    const double y = static_cast<double>(s.q) * s.k * static_cast<double>(blocks_of(s.p, tile_p));
    return (x + y + static_cast<double>(s.p) * s.q * (s.reads_c ? 2 : 1)) * s.bytes;
}

double least_bytes(const shape& s) {
    return moved_bytes(s, s.p, s.q);
}

struct plan {
    int index;  // of the variant
    strategy how;
    int tile_p;  // rows of X and of Y of a block
    int tile_q;
    double bytes;       // moved
    double waves_busy;  // with columns or steps of their own

    double extra(const shape& s) const { return bytes / least_bytes(s) - 1; }
};

constexpr double allowed_extra = 0.05;
constexpr double enough_waves = 2048;  // 8 for each compute unit of the smaller machine

// Everything that could be launched for a strategy; nothing for shallow_k with a long K.
std::vector<plan> candidates(const shape& s, strategy how) {
    std::vector<plan> result;
    for (int i = 0; i < variant_count; ++i) {
        const variant v = variant_of(s.bytes, i);
        if (how != v.how && how != strategy::automatic) {
            continue;
        }
        const int wave_q = v.tiles_q * 16;
        const auto add = [&](int tile_p, int tile_q, long long waves_of_a_column) {
            const double columns = static_cast<double>(blocks_of(s.q, wave_q));
            const double rows = static_cast<double>(blocks_of(s.p, tile_p));
            result.push_back({i, v.how, tile_p, tile_q, moved_bytes(s, tile_p, tile_q),
                              columns * rows * static_cast<double>(waves_of_a_column)});
        };
        if (v.how == strategy::wave_parallel) {
            const int wave_k = 64 / s.bytes * wave_parallel_steps(v.tiles_q);
            add(16, wave_q, std::min<long long>(waves, blocks_of(s.k, wave_k)));
        } else if (v.how == strategy::cache_persistent) {
            add(v.tiles_p * 16, waves * wave_q, 1);
        } else if (s.k <= max_shallow_k) {
            for (int tile_p = 64; tile_p == 64 || tile_p / 2 < s.p; tile_p *= 2) {
                add(tile_p, waves * wave_q, 1);
            }
        }
    }
    return result;
}

// Of the candidates within allowed_extra, the one with the most waves (up to the number that is
// useful), and among equals the fewest bytes. If none is within it, the one with the fewest bytes.
// @pre there are candidates
plan make_plan(const shape& s, strategy how) {
    const auto rank = [&](const plan& p) {
        const bool within = p.extra(s) <= allowed_extra;
        return std::tuple(!within, within ? -std::min(p.waves_busy, enough_waves) : 0.0, p.bytes,
                          -p.waves_busy);
    };
    const std::vector<plan> all = candidates(s, how);
    return *std::min_element(all.begin(), all.end(),
                             [&](const plan& a, const plan& b) { return rank(a) < rank(b); });
}

// == the analysis =================================================================================

struct analysis {
    double flop;
    double bytes;      // the least
    double intensity;  // FLOP/byte
    double balance;    // where the machine's peaks meet
    bool memory_bound;
};

double peak_of(const examples::machine_peaks& m, int bytes) {
    return bytes == 2 ? m.f16 : bytes == 4 ? m.f32 : m.f64;
}

analysis analyse(const shape& s, const examples::machine_peaks& m) {
    const double flop = 2.0 * s.p * s.q * s.k;
    const double bytes = least_bytes(s);
    const double balance = peak_of(m, s.bytes) * 1e3 / m.memory;
    return {flop, bytes, flop / bytes, balance, flop / bytes < balance};
}

// == host =========================================================================================

shape shape_of(const examples::gemm_problem& p) {
    return {std::min(p.m, p.n), std::max(p.m, p.n), p.k, examples::size_of(p.type), p.beta != 0};
}

template <class T, bool whole, int index>
constexpr auto kernel_of() {
    constexpr variant v = variant_of(sizeof(T), index);
    if constexpr (v.how == strategy::shallow_k) {
        return shallow_k_kernel<T, whole, v.tiles_q>;
    } else if constexpr (v.how == strategy::cache_persistent) {
        return cache_persistent_kernel<T, whole, v.tiles_p, v.tiles_q>;
    } else {
        return wave_parallel_kernel<T, whole, v.tiles_q>;
    }
}

template <class T>
examples::gemm_result gemm_skinny(const examples::gemm_problem& p, const plan& plan) {
    const auto a = examples::device_values<T>(p.a, p.batch * p.m, p.k, p.k);
    const auto b = examples::device_values<T>(p.b, p.batch * p.n, p.k, p.k);
    const examples::device_buffer<T> c(p.c.empty() ? std::vector<T>(1) : examples::to<T>(p.c));
    examples::device_buffer<T> d(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    d.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen

    const shape s = shape_of(p);
    const bool a_is_x = p.m <= p.n;
    const problem_on_device<T> on_device{a_is_x ? a.data() : b.data(),
                                         a_is_x ? b.data() : a.data(),
                                         c.data(),
                                         d.data(),
                                         s.p,
                                         s.q,
                                         s.k,
                                         a_is_x ? p.n : 1,
                                         a_is_x ? 1 : p.n,
                                         static_cast<sum_t<T>>(p.alpha),
                                         static_cast<sum_t<T>>(p.beta),
                                         plan.tile_p};
    // If there are few kernels, half of the types have those for whole vectors.
    constexpr bool has_whole = !OPUS_EXAMPLES_SMALL || opus::is_same_v<T, fp16_t> || sizeof(T) == 8;
    const bool whole = has_whole && p.k % vector_width<T> == 0;
    void (*kernel)(problem_on_device<T>) = nullptr;
    opus::static_for<variant_count>([&](auto i) {
        if (i.value == plan.index) {
            kernel = whole ? kernel_of<T, has_whole, i.value>() : kernel_of<T, false, i.value>();
        }
    });
    const dim3 grid(static_cast<unsigned>(blocks_of(s.q, plan.tile_q)),
                    static_cast<unsigned>(blocks_of(s.p, plan.tile_p)));
    const double milliseconds = examples::time_launches(
        p.iters, "gemm_skinny", [&] { kernel<<<grid, threads>>>(on_device); });
    return {d.result(), milliseconds, plan.bytes};
}

examples::gemm_result gemm_skinny(const examples::gemm_problem& p, const plan& plan) {
    switch (p.type) {
        case examples::element::f16:
            return gemm_skinny<fp16_t>(p, plan);
        case examples::element::bf16:
            return gemm_skinny<bf16_t>(p, plan);
        case examples::element::f32:
            return gemm_skinny<fp32_t>(p, plan);
        case examples::element::f64:
            return gemm_skinny<fp64_t>(p, plan);
    }
    throw std::logic_error("a problem has a type");
}

// Prints what the analysis expects, and the plan.
void print_plan(const examples::gemm_problem& p, const plan& chosen, strategy requested) {
    const shape s = shape_of(p);
    if (const examples::machine_peaks* const m = examples::find_peaks(examples::device_name())) {
        const analysis x = analyse(s, *m);
        std::printf(
            "analysis: %.0f FLOP, at least %.0f bytes, %.3g FLOP/byte; the peaks of %s, %.4g "
            "TFLOP/s and %.0f GB/s, meet at %.3g: %s\n",
            x.flop, x.bytes, x.intensity, m->name, peak_of(*m, s.bytes), m->memory, x.balance,
            x.memory_bound ? "memory-bound" : "compute-bound");
    } else {
        std::printf("analysis: the peaks of this device are not known\n");
    }
    const int tile_m = p.m <= p.n ? chosen.tile_p : chosen.tile_q;
    const int tile_n = p.m <= p.n ? chosen.tile_q : chosen.tile_p;
    std::printf("plan: %s%s, blocks of %d x %d of D, %lld x %lld of them\n", name_of(chosen.how),
                requested == strategy::automatic ? " (auto)" : "", tile_m, tile_n,
                blocks_of(p.m, tile_m), blocks_of(p.n, tile_n));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    using examples::usage_error;
    examples::gemm_example e;
    e.description = "for shapes where memory is the limit";
    e.types = {element::f16, element::bf16, element::f32, element::f64};
    e.out_types = {};  // as the operands
    e.alpha_beta = true;
    e.may_repeat = true;
    e.m = 16;
    e.n = 1024;
    e.k = 1024;
    strategy how = strategy::automatic;
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--strategy", how,
                           {std::begin(strategy_names), std::end(strategy_names)},
                           "Strategy for a tile (auto)");
    };
    e.adapt = [&](examples::gemm_problem& p) {
        if (how == strategy::shallow_k && p.k > max_shallow_k) {
            throw usage_error("--strategy shallow_k needs K of at most " +
                              std::to_string(max_shallow_k) + ", it is " + std::to_string(p.k));
        }
        // A product of two f32 or of two f64 is rounded.
        p.product_error = examples::size_of(p.type) > 2 ? 1 : 0;
    };
    return examples::gemm_main(argc, argv, e, [&](const examples::gemm_problem& p) {
        const plan chosen = make_plan(shape_of(p), how);
        print_plan(p, chosen, how);
        return gemm_skinny(p, chosen);
    });
}
