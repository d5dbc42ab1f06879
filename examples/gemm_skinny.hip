// SPDX-License-Identifier: MIT
//
// gemm_skinny: D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N] for shapes where memory is
// the limit: few rows, few columns or a short K. f16, bf16, f32 or f64, all matrices of that type.
//
// Such a product is as fast as its bytes are few. The least there is to move: A, B and C read once,
// D written once. Here a block computes a tile of D and reads its rows of A and of B once, over all
// of K. So only the number of blocks makes for more: the rows of A are read once for each block
// along N, those of B once for each along M. The plan takes the tiles that give the most blocks
// with no more than 5 % above the least, where there are such. (This counts what the waves ask for.
// A GPU answers part of it from L2, and where many compute units would idle, more blocks can be
// faster.)
// There are such tiles for K <= 32, and for a longer K with up to 51 rows of A or of B (f64: 25);
// for more rows the program says by how much it is above.
//
// X is the one of A and B with fewer rows, Y the other. There are three ways through a tile, each
// of 8 waves with their own columns of D, but for the last:
//
//  - shallow_k, K <= 32. A wave has the rows of Y, over all of K, in registers. X streams by.
//  - cache_persistent. X comes to LDS, a chunk of K at a time, for all waves; the sums stay in
//    registers; Y goes from memory to the matrix cores, each element once.
//  - wave_parallel, where a long K is all there is to divide. Each wave has every eighth step along
//    K, and the sums of the waves are added through LDS.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "common/gemm_host.hpp"
#include "common/options.hpp"
#include "common/timing.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;
using opus::fp64_t;
using opus::index_t;
using opus::long_index_t;
using opus::number;

constexpr int waves = 8;
constexpr int max_shallow_k = 32;

template <class T>
using sum_t = std::conditional_t<std::is_same_v<T, fp64_t>, fp64_t, fp32_t>;

// What a lane loads at once: 16 bytes. Four lanes load one step of a row.
template <class T>
constexpr int vector_width = 16 / static_cast<int>(sizeof(T));
template <class T>
constexpr int step_k = 4 * vector_width<T>;

// The D of 16 x 16 with Y as the instruction's A: a lane has neighbouring columns of Y's side. f32
// takes four instructions for a step, f64 two.
template <class T>
OPUS_H_D constexpr auto make_step() {
    return opus::make_mfma<T, T, sum_t<T>>(number<16>{}, number<16>{}, number<step_k<T>>{});
}
template <class T>
using step_t = opus::remove_cv_t<decltype(make_step<T>())>;

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

// The rows of a matrix from `first` on, at most `count`; what is read beyond them is 0.
template <class T>
__device__ inline auto rows_of(const T* matrix, int first, int count, int rows, int k) {
    const int there = rows - first < count ? rows - first : count;
    const int left = opus::readfirstlane(there > 0 ? there : 0);  // in a scalar register
    return opus::make_gmem(matrix + static_cast<long_index_t>(first) * k,
                           static_cast<unsigned>(left * k) * sizeof(T));
}

// What a lane loads of `tiles` times 16 rows and `steps` steps of each.
template <class T, int tiles, int steps>
OPUS_H_D constexpr auto operand_layout(int lane, int pitch) {
    using namespace opus;
    return make_layout(
        make_tuple(number<tiles>{}, number<steps>{}, 16_I, 4_I, number<vector_width<T>>{}),
        make_tuple(16 * pitch, number<step_k<T>>{}, pitch, number<vector_width<T>>{}, 1_I),
        make_tuple(_, _, lane % 16, lane / 16, _));
}

// Loads through operand_layout from element `k` of the rows on, where the rows have all of it.
// @pre elements of 16 bits: an even pitch, as a load of 16 bytes begins at a multiple of 4 bytes
template <class T, int tiles, int steps, class Gmem>
__device__ inline auto load_steps(const Gmem& g, int lane, int pitch, int k) {
    return g.template load<vector_width<T>>(operand_layout<T, tiles, steps>(lane, pitch), k);
}

// One vector of a row that may end before it or in it, from `at`; elements past `left` are 0.
template <class T, class Gmem>
__device__ inline auto load_end(const Gmem& g, int at, int left, bool whole_vectors) {
    constexpr int width = vector_width<T>;
    const auto u = opus::make_layout(opus::make_tuple(number<width>{}),
                                     opus::make_tuple(number<1>{}), opus::make_tuple(opus::_)) +
                   at;
    if (whole_vectors) {
        return g.template load_if<width>([=](auto) { return left > 0; }, u);
    }
    return g.template load_if<1>([=](auto i) { return i < left; }, u);
}

// One tile and one step at the end of the rows.
template <class T, class Gmem>
__device__ inline auto load_last(const Gmem& g, int lane, int pitch, int tile, int k) {
    const int column = k + lane / 16 * vector_width<T>;
    return load_end<T>(g, (tile * 16 + lane % 16) * pitch + column, pitch - column,
                       pitch % vector_width<T> == 0);
}

// Vector i of what load_steps gave.
template <class T, int i, class V>
__device__ inline auto operand(const V& v) {
    return opus::slice(v, number<i * vector_width<T>>{}, number<(i + 1) * vector_width<T>>{});
}

// LDS is written and read, global memory is not waited for. The compiler's fence does not wait for
// reads whose result nobody uses; the barrier is to be behind them as well.
__device__ inline void lds_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    opus::s_waitcnt_lgkmcnt(number<0>{});
    opus::s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// `rows` rows of X, `columns` elements of each, on their way to LDS: what one thread has of them.
template <class T, int rows, int columns>
struct x_chunk {
    static constexpr int pitch = columns + vector_width<T>;  // in LDS
    static constexpr int vectors = columns / vector_width<T>;
    static constexpr int threads = waves * 64;
    static constexpr int parts = (rows * vectors + threads - 1) / threads;

    // Where the vector is that a thread has as part `i`, from the first row and column on; there is
    // none from the last row on.
    OPUS_H_D static constexpr int row_of(int thread, int i) {
        return (thread + i * threads) / vectors;
    }
    OPUS_H_D static constexpr int column_of(int thread, int i) {
        return (thread + i * threads) % vectors * vector_width<T>;
    }

    opus::array<opus::vector_t<T, vector_width<T>>, parts> values;

    // From row `row` and element `k` on, of a matrix of `m` rows.
    __device__ void load(const T* matrix, int row, int m, int k, int k_end) {
        const auto g = rows_of(matrix, row, rows, m, k_end);
        const int thread = opus::thread_id_x();
        opus::static_for<parts>([&](auto i) {
            const int column = k + column_of(thread, i);
            const int left = row_of(thread, i) < rows ? k_end - column : 0;
            values[i] = load_end<T>(g, row_of(thread, i) * k_end + column, left,
                                    k_end % vector_width<T> == 0);
        });
    }

    __device__ void store(T* lds) const {
        const int thread = opus::thread_id_x();
        opus::static_for<parts>([&](auto i) {
            if (row_of(thread, i) < rows) {
                opus::make_smem(lds).template store<vector_width<T>>(
                    values[i], row_of(thread, i) * pitch + column_of(thread, i));
            }
        });
    }

    // The operand of 16 rows and one step.
    __device__ static auto read(T* lds, int lane, int tile, int step) {
        return opus::make_smem(lds).template load<vector_width<T>>(
            (tile * 16 + lane % 16) * pitch + step * step_k<T> + lane / 16 * vector_width<T>);
    }
};

// alpha * sum + beta * C to 16 x 16 elements of D, from row p0 of X and row q0 of Y on.
template <class T>
__device__ inline void store_tile(const problem_on_device<T>& a, int lane, int p0, int q0,
                                  const typename step_t<T>::vtype_c& sum) {
    using namespace opus;
    const step_t<T> mma;
    const auto coordinate = make_tuple(lane / mma.grpn_c, lane % mma.grpn_c);
    const long_index_t first =
        static_cast<long_index_t>(p0) * a.stride_p + static_cast<long_index_t>(q0) * a.stride_q;
    const auto g_c = make_gmem(a.c + first);
    const auto g_d = make_gmem(a.d + first);
    // Where the lane's elements are along Y.
    const auto along_q =
        layout_to_offsets<1>(partition_layout_c(mma, make_tuple(1_I, 0_I), coordinate));
    const bool in_p = p0 + lane % 16 < a.p;
    constexpr int elements = step_t<T>::elem_c;
    const auto store = [&](auto width, const auto& u) {
        const auto inside = [&](auto... i) {
            // One dimension counts the accesses, whatever the shape of the layout is.
            const int access = (static_cast<int>(i) + ...);
            return in_p && q0 + along_q[access * width] < a.q;
        };
        typename step_t<T>::vtype_c result = sum;
        static_for<elements>([&](auto i) { result[i.value] *= a.alpha; });
        if (a.beta != 0) {
            const auto c = g_c.template load_if<width.value>(inside, u);
            static_for<elements>(
                [&](auto i) { result[i.value] += a.beta * static_cast<sum_t<T>>(c[i.value]); });
        }
        if constexpr (std::is_same_v<T, sum_t<T>>) {
            g_d.template store_if<width.value>(inside, result, u);
        } else if constexpr (std::is_same_v<T, bf16_t>) {
            g_d.template store_if<width.value>(inside, cast<T>(result, 0_I), u);
        } else {
            g_d.template store_if<width.value>(inside, cast<T>(result), u);
        }
    };
    // Four elements of a lane lie together, but for f64.
    if constexpr (step_t<T>::pack_c == 4) {
        if (a.stride_q == 1 && a.q % 4 == 0) {
            store(4_I, partition_layout_c(mma, make_tuple(1_I, a.stride_p), coordinate));
            return;
        }
    }
    store(1_I, partition_layout_c(mma, make_tuple(a.stride_q, a.stride_p), coordinate));
}

// The compiler keeps what is before and behind it apart, so that registers do for it.
__device__ inline void one_by_one() {
    __builtin_amdgcn_sched_barrier(0);
}

// Grid: (tiles of 128 * tiles_q along Y, tiles of tile_p along X), 512 threads.
// @pre k <= 32, tile_p is a multiple of 64
template <class T, int tiles_q>
__global__ __launch_bounds__(waves * 64) void shallow_k_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = max_shallow_k / step_k<T>;
    constexpr int rows = 64;
    using chunk = x_chunk<T, rows, max_shallow_k>;
    __shared__ __attribute__((aligned(16))) T lds[rows * chunk::pitch];

    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = (block_id_x() * waves + wave) * tiles_q * 16;
    const int p_begin = block_id_y() * a.tile_p;
    const int p_end = p_begin + a.tile_p < a.p ? p_begin + a.tile_p : a.p;

    const auto g_y = rows_of(a.y, q0, tiles_q * 16, a.q, a.k);
    array<vector_t<T, vector_width<T>>, tiles_q * steps> y;
    static_ford<tiles_q, steps>([&](auto j, auto s) {
        y[j * number<steps>{} + s] = load_last<T>(g_y, lane, a.k, j, s * step_k<T>);
    });
    chunk x;
    x.load(a.x, p_begin, p_end, 0, a.k);
    for (int p = p_begin; p < p_end; p += rows) {
        lds_barrier();
        x.store(lds);
        lds_barrier();
        if (p + rows < p_end) {
            x.load(a.x, p + rows, p_end, 0, a.k);
        }
#pragma unroll 1
        for (int tile = 0; tile < rows / 16 && p + tile * 16 < p_end; ++tile) {
            // Opaque, as else the addresses of all tiles would be kept for all rows.
            int q_tile = q0;
            asm("" : "+s"(q_tile));
            array<vector_t<T, vector_width<T>>, steps> x_tile;
            static_for<steps>([&](auto s) { x_tile[s] = chunk::read(lds, lane, tile, s); });
            static_for<tiles_q>([&](auto j) {
                if (q_tile + j * 16 < a.q) {
                    typename step_t<T>::vtype_c sum;
                    clear(sum);
                    static_for<steps>([&](auto s) {
                        sum = step_t<T>{}(y[j * number<steps>{} + s], x_tile[s], sum);
                    });
                    store_tile(a, lane, p + tile * 16, q_tile + j * 16, sum);
                    one_by_one();
                }
            });
        }
    }
}

// Whether the steps that a row has all of can be loaded 16 bytes at a time.
template <class T>
__device__ inline bool has_wide_loads(int k) {
    return sizeof(T) > 2 || k % 2 == 0;
}

// Grid: (tiles of 128 * tiles_q along Y, tiles of 16 * tiles_p along X), 512 threads.
template <class T, int tiles_p, int tiles_q>
__global__ __launch_bounds__(waves * 64) void cache_persistent_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = tiles_p * tiles_q > 4 ? 2 : 4;  // of one chunk, as registers allow
    constexpr int chunk_k = steps * step_k<T>;
    using chunk = x_chunk<T, tiles_p * 16, chunk_k>;
    __shared__ __attribute__((aligned(16))) T lds[tiles_p * 16 * chunk::pitch];

    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = (block_id_x() * waves + wave) * tiles_q * 16;
    const int p0 = block_id_y() * tiles_p * 16;
    const auto g_y = rows_of(a.y, q0, tiles_q * 16, a.q, a.k);

    array<typename step_t<T>::vtype_c, tiles_p * tiles_q> sums;
    static_for<tiles_p * tiles_q>([&](auto i) { clear(sums[i]); });
    const auto add = [&](auto i, auto j, const auto& y, const auto& x) {
        constexpr int at = i.value * tiles_q + j.value;
        sums[number<at>{}] = step_t<T>{}(y, x, sums[number<at>{}]);
    };
    chunk x;
    x.load(a.x, p0, a.p, 0, a.k);
    const auto share_x = [&] {
        lds_barrier();
        x.store(lds);
        lds_barrier();
    };

    int k = 0;
    for (; has_wide_loads<T>(a.k) && k + chunk_k <= a.k; k += chunk_k) {
        const auto y = load_steps<T, tiles_q, steps>(g_y, lane, a.k, k);
        share_x();
        x.load(a.x, p0, a.p, k + chunk_k, a.k);  // nothing behind the last chunk
        static_for<steps>([&](auto s) {
            static_for<tiles_p>([&](auto i) {
                const auto x_tile = chunk::read(lds, lane, i, s);
                static_for<tiles_q>(
                    [&](auto j) { add(i, j, operand<T, j.value * steps + s.value>(y), x_tile); });
            });
        });
    }
#pragma unroll 1
    for (; k < a.k; k += chunk_k) {
        share_x();
        x.load(a.x, p0, a.p, k + chunk_k, a.k);
#pragma unroll 1
        for (int s = 0; s < steps && k + s * step_k<T> < a.k; ++s) {
            static_for<tiles_q>([&](auto j) {
                const auto y = load_last<T>(g_y, lane, a.k, j, k + s * step_k<T>);
                static_for<tiles_p>([&](auto i) { add(i, j, y, chunk::read(lds, lane, i, s)); });
                one_by_one();
            });
        }
    }
    static_ford<tiles_p, tiles_q>([&](auto i, auto j) {
        if (p0 + i * 16 < a.p && q0 + j * 16 < a.q) {
            store_tile(a, lane, p0 + i * 16, q0 + j * 16, sums[i * number<tiles_q>{} + j]);
            one_by_one();
        }
    });
}

// Grid: (tiles of 16 * tiles_q along Y, tiles of 16 along X), 512 threads.
template <class T, int tiles_q>
__global__ __launch_bounds__(waves * 64) void wave_parallel_kernel(problem_on_device<T> a) {
    using namespace opus;
    constexpr int steps = tiles_q > 4 ? 1 : 4;  // of a wave at once
    using sums_t = typename step_t<T>::vtype_c;
    __shared__ sums_t lds[waves * 64];

    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const int q0 = block_id_x() * tiles_q * 16;
    const int p0 = block_id_y() * 16;
    const auto g_x = rows_of(a.x, p0, 16, a.p, a.k);
    const auto g_y = rows_of(a.y, q0, tiles_q * 16, a.q, a.k);

    array<sums_t, tiles_q> sums;
    static_for<tiles_q>([&](auto i) { clear(sums[i]); });
    constexpr int wave_k = steps * step_k<T>;
    int k = wave * wave_k;
    for (; has_wide_loads<T>(a.k) && k + wave_k <= a.k; k += waves * wave_k) {
        const auto x = load_steps<T, 1, steps>(g_x, lane, a.k, k);
        const auto y = load_steps<T, tiles_q, steps>(g_y, lane, a.k, k);
        static_ford<steps, tiles_q>([&](auto s, auto j) {
            sums[j] = step_t<T>{}(operand<T, j.value * steps + s.value>(y), operand<T, s.value>(x),
                                  sums[j]);
        });
    }
#pragma unroll 1
    for (; k < a.k; k += waves * wave_k) {
#pragma unroll 1
        for (int s = 0; s < steps && k + s * step_k<T> < a.k; ++s) {
            const auto x = load_last<T>(g_x, lane, a.k, 0, k + s * step_k<T>);
            static_for<tiles_q>([&](auto j) {
                const auto y = load_last<T>(g_y, lane, a.k, j, k + s * step_k<T>);
                sums[j] = step_t<T>{}(y, x, sums[j]);
                one_by_one();
            });
        }
    }

    // Tile j is added up by wave j % 8.
    static_for<tiles_q>([&](auto j) {
        lds_barrier();
        lds[wave * 64 + lane] = sums[j];
        lds_barrier();
        if (wave == j % waves && q0 + j * 16 < a.q) {
            sums_t sum = lds[lane];
            static_for<waves - 1>([&](auto w) { sum += lds[(w + 1) * 64 + lane]; });
            store_tile(a, lane, p0, q0 + j * 16, sum);
        }
    });
}

// == the plan =====================================================================================

enum class strategy { automatic, shallow_k, cache_persistent, wave_parallel };
constexpr const char* strategy_names[] = {"auto", "shallow_k", "cache_persistent", "wave_parallel"};

inline const char* name_of(strategy s) {
    return strategy_names[static_cast<int>(s)];
}

// What the plan depends on: X is p x k, Y is q x k.
struct shape {
    int p;
    int q;
    int k;
    int bytes;     // of an element
    bool reads_c;  // beta is not 0
};

inline long long blocks_of(int extent, int tile) {
    return (static_cast<long long>(extent) + tile - 1) / tile;
}

// Bytes of global memory that a launch asks for with such tiles.
inline double moved_bytes(const shape& s, int tile_p, int tile_q) {
    const double x = static_cast<double>(s.p) * s.k * static_cast<double>(blocks_of(s.q, tile_q));
    const double y = static_cast<double>(s.q) * s.k * static_cast<double>(blocks_of(s.p, tile_p));
    return (x + y + static_cast<double>(s.p) * s.q * (s.reads_c ? 2 : 1)) * s.bytes;
}

inline double least_bytes(const shape& s) {
    return moved_bytes(s, s.p, s.q);
}

struct plan {
    strategy how;
    int tiles_p;  // of 16, of a wave, as the kernels are instantiated
    int tiles_q;
    int tile_p;  // rows of X and of Y of a block
    int tile_q;
    double bytes;       // moved
    double waves_busy;  // with columns or steps of their own

    double extra(const shape& s) const { return bytes / least_bytes(s) - 1; }
};

constexpr double allowed_extra = 0.05;
constexpr double enough_waves = 2048;  // 8 for each compute unit of the smaller machine

// Everything that could be launched for a strategy; nothing for shallow_k with a long K.
inline std::vector<plan> candidates(const shape& s, strategy how) {
    std::vector<plan> result;
    const auto add = [&](strategy which, int tiles_p, int tiles_q, int tile_p, int tile_q,
                         double waves_busy) {
        if (how == which || how == strategy::automatic) {
            result.push_back({which, tiles_p, tiles_q, tile_p, tile_q,
                              moved_bytes(s, tile_p, tile_q), waves_busy});
        }
    };
    const auto groups = [&](int tiles_q) {
        return static_cast<double>(blocks_of(s.q, tiles_q * 16));
    };
    if (s.k <= max_shallow_k) {
        for (const int tiles_q : {2, 8}) {
            for (int tile_p = 64; tile_p == 64 || tile_p / 2 < s.p; tile_p *= 2) {
                add(strategy::shallow_k, 4, tiles_q, tile_p, waves * tiles_q * 16,
                    static_cast<double>(blocks_of(s.p, tile_p)) * groups(tiles_q));
            }
        }
    }
    for (const auto& [tiles_p, tiles_q] : {std::pair(1, 1), {1, 4}, {4, s.bytes == 8 ? 4 : 8}}) {
        add(strategy::cache_persistent, tiles_p, tiles_q, tiles_p * 16, waves * tiles_q * 16,
            static_cast<double>(blocks_of(s.p, tiles_p * 16)) * groups(tiles_q));
    }
    for (const int tiles_q : {4, s.bytes == 8 ? 12 : 20}) {
        const int wave_k = 64 / s.bytes * (tiles_q > 4 ? 1 : 4);
        add(strategy::wave_parallel, 1, tiles_q, 16, tiles_q * 16,
            static_cast<double>(blocks_of(s.p, 16) *
                                std::min<long long>(waves, blocks_of(s.k, wave_k))) *
                groups(tiles_q));
    }
    return result;
}

// The most waves, as far as they are of use, of what stays within allowed_extra, and the fewest
// bytes of these; where nothing stays within it, the fewest bytes.
// @pre there are candidates
inline plan make_plan(const shape& s, strategy how) {
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

struct machine {
    const char* name;  // a part of what hipDeviceGetName gives
    const char* arch;
    int compute_units;
    double ghz;
    double memory;  // GB/s
};
// The first of each arch is the one that is taken where it is emulated.
constexpr machine machines[] = {{"MI300X", "gfx942", 304, 2.1, 5300},
                                {"MI325X", "gfx942", 304, 2.1, 6000},
                                {"MI355X", "gfx950", 256, 2.4, 8000},
                                {"MI350X", "gfx950", 256, 2.2, 8000}};

// Null for a device that is not in the table.
inline const machine* find_machine(const std::string& device) {
    for (const machine& m : machines) {
        if (device.find(m.name) != std::string::npos || device.find(m.arch) != std::string::npos) {
            return &m;
        }
    }
    return nullptr;
}

// TFLOP/s of the matrix cores, from the passes of the 16 x 16 instructions, 4 clocks each.
inline double peak_tflops(const machine& m, int element_bytes) {
    const bool gfx950 = std::string(m.arch) == "gfx950";
    const double flop_per_clock = element_bytes == 2   ? (gfx950 ? 4096 : 2048)
                                  : element_bytes == 4 ? 256
                                                       : (gfx950 ? 128 : 256);
    return flop_per_clock * m.compute_units * m.ghz * 1e-3;
}

struct analysis {
    double flop;
    double bytes;      // the least
    double intensity;  // FLOP/byte
    double balance;    // where the machine's peaks meet
    bool memory_bound;
};

inline analysis analyse(const shape& s, const machine& m) {
    const double flop = 2.0 * s.p * s.q * s.k;
    const double bytes = least_bytes(s);
    const double balance = peak_tflops(m, s.bytes) * 1e3 / m.memory;
    return {flop, bytes, flop / bytes, balance, flop / bytes < balance};
}

// == host =========================================================================================

template <class T>
void launch_plan(const plan& plan, const problem_on_device<T>& a) {
    const auto launch = [&](auto kernel) {
        kernel<<<dim3(static_cast<unsigned>(blocks_of(a.q, plan.tile_q)),
                      static_cast<unsigned>(blocks_of(a.p, plan.tile_p))),
                 waves * 64>>>(a);
    };
    constexpr int many = sizeof(T) == 8 ? 4 : 8;
    constexpr int most = sizeof(T) == 8 ? 12 : 20;
    switch (plan.how) {
        case strategy::shallow_k:
            launch(plan.tiles_q == 2 ? shallow_k_kernel<T, 2> : shallow_k_kernel<T, 8>);
            break;
        case strategy::cache_persistent:
            launch(plan.tiles_p == 4   ? cache_persistent_kernel<T, 4, many>
                   : plan.tiles_q == 4 ? cache_persistent_kernel<T, 1, 4>
                                       : cache_persistent_kernel<T, 1, 1>);
            break;
        case strategy::wave_parallel:
            launch(plan.tiles_q == 4 ? wave_parallel_kernel<T, 4> : wave_parallel_kernel<T, most>);
            break;
        case strategy::automatic:
            throw std::logic_error("a plan has a strategy");
    }
}

template <class T>
struct problem {
    int m = 0;
    int n = 0;
    int k = 0;
    sum_t<T> alpha = 1;
    sum_t<T> beta = 0;
    std::vector<T> a;  // m x k
    std::vector<T> b;  // n x k
    std::vector<T> c;  // m x n, or empty where beta is 0

    bool a_is_x() const { return m <= n; }
    shape dimensions() const {
        return {std::min(m, n), std::max(m, n), k, static_cast<int>(sizeof(T)), beta != 0};
    }
};

template <class T>
struct result {
    std::vector<T> d;
    double milliseconds;
};

template <class T>
result<T> gemm_skinny(const problem<T>& p, const plan& plan, int iters) {
    const examples::device_buffer<T> a(p.a);
    const examples::device_buffer<T> b(p.b);
    const examples::device_buffer<T> c(p.c.empty() ? std::vector<T>(1) : p.c);
    examples::device_buffer<T> d(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    d.fill_bytes(0xff);  // NaN: an element that no lane writes is seen

    const shape s = p.dimensions();
    const problem_on_device<T> on_device{p.a_is_x() ? a.data() : b.data(),
                                         p.a_is_x() ? b.data() : a.data(),
                                         c.data(),
                                         d.data(),
                                         s.p,
                                         s.q,
                                         s.k,
                                         p.a_is_x() ? p.n : 1,
                                         p.a_is_x() ? 1 : p.n,
                                         p.alpha,
                                         p.beta,
                                         plan.tile_p};
    const double milliseconds =
        examples::time_launches(iters, "gemm_skinny", [&] { launch_plan<T>(plan, on_device); });
    return {d.to_host(), milliseconds};
}

template <class T>
sum_t<T> value(T x) {
    return static_cast<sum_t<T>>(x);
}

// As many bits as the type has, in [-1, 1).
template <class T>
problem<T> random_problem(int m, int n, int k, double alpha, double beta, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto matrix = [&](int rows, int columns) {
        constexpr int bits = std::is_same_v<T, fp16_t>   ? 11
                             : std::is_same_v<T, bf16_t> ? 8
                             : sizeof(T) == 4            ? 24
                                                         : 53;
        std::vector<T> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        for (T& x : values) {
            const double r = std::ldexp(static_cast<double>(random() >> (64 - bits)), 1 - bits) - 1;
            x = opus::cast<T>(static_cast<sum_t<T>>(r));
        }
        return values;
    };
    problem<T> p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.alpha = static_cast<sum_t<T>>(alpha);
    p.beta = static_cast<sum_t<T>>(beta);
    p.a = matrix(m, k);
    p.b = matrix(n, k);
    if (p.beta != 0) {
        p.c = matrix(m, n);
    }
    return p;
}

// The largest |D - reference| / tolerance, infinite for a NaN. The tolerance is one unit in the
// last place of the sums' type for each product, each addition and the epilogue's three operations,
// of S = |alpha| * sum |a * b| + |beta * c|, which no partial sum exceeds, and for 16 bits half a
// unit of the result.
template <class T>
double worst_excess(const problem<T>& p, const std::vector<T>& d) {
    using wide = long double;
    const auto at = [](int row, int pitch, int column) {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) +
               static_cast<std::size_t>(column);
    };
    std::vector<double> worst(static_cast<std::size_t>(p.m), 0.0);
    examples::detail::parallel_for(p.m, [&](int i) {
        for (int j = 0; j < p.n; ++j) {
            wide sum = 0;
            wide magnitude = 0;
            for (int l = 0; l < p.k; ++l) {
                const wide product = static_cast<wide>(value(p.a[at(i, p.k, l)])) *
                                     static_cast<wide>(value(p.b[at(j, p.k, l)]));
                sum += product;
                magnitude += std::fabs(product);
            }
            const wide added = p.beta != 0 ? static_cast<wide>(p.beta) *
                                                 static_cast<wide>(value(p.c[at(i, p.n, j)]))
                                           : 0;
            const wide expected = static_cast<wide>(p.alpha) * sum + added;
            magnitude = std::fabs(static_cast<wide>(p.alpha)) * magnitude + std::fabs(added);
            wide tolerance = static_cast<wide>(2 * p.k + 3) *
                                 static_cast<wide>(std::numeric_limits<sum_t<T>>::epsilon()) *
                                 magnitude +
                             static_cast<wide>(std::numeric_limits<sum_t<T>>::min());
            if (sizeof(T) == 2) {
                const bool f16 = std::is_same_v<T, fp16_t>;
                tolerance += (std::fabs(expected) + tolerance) * (f16 ? 0x1p-11L : 0x1p-8L) +
                             (f16 ? 0x1p-25L : 0);
            }
            const wide error = std::fabs(static_cast<wide>(value(d[at(i, p.n, j)])) - expected);
            const double excess =
                std::isfinite(error) ? static_cast<double>(error / tolerance) : INFINITY;
            worst[static_cast<std::size_t>(i)] =
                std::max(worst[static_cast<std::size_t>(i)], excess);
        }
    });
    return *std::max_element(worst.begin(), worst.end());
}

struct options {
    std::string m = "16";
    std::string n = "1024";
    std::string k = "1024";
    std::string type = "f16";
    std::string strategy = "auto";
    std::string alpha = "1";
    std::string beta = "0";
    std::string seed = "1";
    std::string verify = "1";
    std::string iters = "1";
};

// One of `names`, by its index.
int parse_name(const char* option, const std::string& text, const std::vector<std::string>& names) {
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (text == names[i]) {
            return static_cast<int>(i);
        }
        all += (i == 0 ? "" : ", ") + names[i];
    }
    throw examples::usage_error(std::string(option) + " is '" + text + "': it must be one of " +
                                all);
}

template <class T>
int run(const char* program, const options& o) {
    using examples::parse_integer;
    constexpr int max_extent = 1 << 19;  // keeps offsets in a wave's rows of f64 below 2^31 bytes
    const int m = parse_integer("-m", o.m, 1, max_extent);
    const int n = parse_integer("-n", o.n, 1, max_extent);
    const int k = parse_integer("-k", o.k, 1, max_extent);
    const auto how = static_cast<strategy>(parse_name(
        "--strategy", o.strategy, {std::begin(strategy_names), std::end(strategy_names)}));
    if (how == strategy::shallow_k && k > max_shallow_k) {
        throw examples::usage_error("--strategy shallow_k needs -k of at most " +
                                    std::to_string(max_shallow_k) + ", it is " + o.k);
    }
    const float alpha = examples::detail::parse_float("--alpha", o.alpha);
    const float beta = examples::detail::parse_float("--beta", o.beta);
    const auto seed = parse_integer("--seed", o.seed, std::uint64_t{0}, ~std::uint64_t{0});
    const bool verify = parse_integer("--verify", o.verify, 0, 1) == 1;
    const int iters = parse_integer("--iters", o.iters, 1, 1000000);

    const problem<T> p = random_problem<T>(m, n, k, alpha, beta, seed);
    const shape s = p.dimensions();
    const plan chosen = make_plan(s, how);
    const std::string device = examples::device_name();
    const std::string emulated =
        examples::is_emulated() ? std::string(" (") + examples::no_time + ")" : "";
    std::printf("%s: D[%d, %d] = %g * A[%d, %d] * B[%d, %d]^T + %g * C, %s\n", program, m, n,
                static_cast<double>(alpha), m, k, n, k, static_cast<double>(beta), o.type.c_str());
    std::printf("device: %s\n", device.c_str());
    if (const machine* const found = find_machine(device)) {
        const analysis x = analyse(s, *found);
        std::printf(
            "analysis: %.0f FLOP, at least %.0f bytes, %.3g FLOP/byte; the peaks of %s, %.4g "
            "TFLOP/s and %.0f GB/s, meet at %.3g: %s\n",
            x.flop, x.bytes, x.intensity, found->name, peak_tflops(*found, s.bytes), found->memory,
            x.balance, x.memory_bound ? "memory-bound" : "compute-bound, see gemm_pipelined");
    } else {
        std::printf("analysis: the peaks of this device are not known\n");
    }
    std::printf("plan: %s%s, blocks of %d x %d of D, %lld x %lld of them\n", name_of(chosen.how),
                how == strategy::automatic ? " (auto)" : "",
                p.a_is_x() ? chosen.tile_p : chosen.tile_q,
                p.a_is_x() ? chosen.tile_q : chosen.tile_p,
                blocks_of(m, p.a_is_x() ? chosen.tile_p : chosen.tile_q),
                blocks_of(n, p.a_is_x() ? chosen.tile_q : chosen.tile_p));
    std::fflush(stdout);

    const result<T> r = gemm_skinny(p, chosen, iters);
    std::printf("counted: %.0f bytes moved, %.2f %% more than the least%s\n", chosen.bytes,
                100 * chosen.extra(s), emulated.c_str());
    if (r.milliseconds != 0) {
        std::printf("%s\n", examples::memory_report(chosen.bytes, r.milliseconds, device).c_str());
    }
    if (!verify) {
        std::printf("not verified\n");
        return 0;
    }
    const double excess = worst_excess(p, r.d);
    std::printf("error / tolerance at most %.3g\n%s\n", excess, excess <= 1 ? "PASS" : "FAIL");
    return excess <= 1 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const char* const program = examples::program_name(argv[0]);
    options o;
    CLI::App app("D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N], limited by memory",
                 program);
    app.add_option("-m", o.m, "Rows of A and of D (16)");
    app.add_option("-n", o.n, "Rows of B, columns of D (1024)");
    app.add_option("-k", o.k, "Columns of A and of B (1024)");
    app.add_option("--type", o.type, "Of all matrices: f16, bf16, f32 or f64 (f16)");
    app.add_option("--strategy", o.strategy,
                   "auto, shallow_k, cache_persistent or wave_parallel (auto)");
    app.add_option("--alpha", o.alpha, "(1)");
    app.add_option("--beta", o.beta, "(0)");
    app.add_option("--seed", o.seed, "Seed of the random matrices (1)");
    app.add_option("--verify", o.verify, "1: compare with the CPU, 0: do not (1)");
    app.add_option("--iters", o.iters, "Launches to measure on a GPU (1)");
    app.footer("Status: 0 PASS, 1 FAIL, 2 not computed.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& e) {
        return examples::fail(program, e.what());
    }
    try {
        constexpr decltype(&run<fp16_t>) runs[] = {run<fp16_t>, run<bf16_t>, run<fp32_t>,
                                                   run<fp64_t>};
        return runs[parse_name("--type", o.type, {"f16", "bf16", "f32", "f64"})](program, o);
    } catch (const std::bad_alloc&) {
        return examples::fail(program, "out of memory");
    } catch (const std::exception& e) {
        return examples::fail(program, e.what());
    }
}
