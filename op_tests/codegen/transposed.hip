// Transposed reads that the caller waits for, gfx950. In the assembly of each kernel
// test_transposed.cpp looks for instructions that touch a result before the wait, for the places of
// the reads, and for waits and copies that were not asked for.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {

constexpr int tile_dwords = 8192;  // of one of two buffers in LDS

// Reads that share an address, E rows of 16 columns for each group of 16 lanes.
template <class T, int reads>
__device__ auto places(int lane) {
    constexpr index_t e = sizeof_bits_v<T> == 6 ? 16 : 64 / sizeof_bits_v<T>;
    return make_layout(make_tuple(number<reads>{}, 4_I, number<e>{}, number<16 / e>{}, number<e>{}),
                       make_tuple(number<64 * e>{}, number<16 * e>{}, 16_I, number<e>{}, 1_I),
                       make_tuple(_, lane / 16, lane % 16 / (16 / e), lane % (16 / e), _));
}

// Tile i + 1 comes to LDS by 4 async_loads while tile i is read, 32 times, and multiplied.
template <class T, class Mma, class Multiply>
__device__ void pipeline(const float* from, float* to, int n, Multiply multiply) {
    __shared__ __attribute__((aligned(16))) float lds[2 * tile_dwords];
    const int lane = lane_id();
    const auto g = make_gmem(from);
    const auto bring = [&](int i) {
        static_for<4>([&](auto j) {
            g.async_load<4>(lds + i % 2 * tile_dwords + j * 256, j * 256 + lane * 4,
                            i * tile_dwords);
        });
    };
    const Mma mma;
    typename Mma::vtype_c sum[2];
    clear(sum[0]);
    clear(sum[1]);
    bring(0);
    for (int i = 0; i < n; i++) {
        bring(i + 1);
        s_waitcnt_vmcnt(4_I);
        s_barrier();
        multiply(make_smem(reinterpret_cast<T*>(lds + i % 2 * tile_dwords)), mma, sum);
        s_barrier();
    }
    static_for<size<typename Mma::vtype_c>()>([&](auto e) {
        to[lane * 64 + e.value * 2] = sum[0][e.value];
        to[lane * 64 + e.value * 2 + 1] = sum[1][e.value];
    });
}

template <class Tile>
__device__ auto flat(const Tile& tile) {
    if constexpr (is_array_v<Tile>) {
        return to_vector(tile);
    } else {
        return tile;
    }
}

// One tile, whose slices are the operands.
struct of_one_tile {
    template <class S, class Mma, class Sums>
    __device__ void operator()(const S& s, const Mma& mma, Sums& sum) const {
        using T = typename S::scalar_type;
        constexpr index_t e = 64 / sizeof_bits_v<T>;
        const auto tile = s.template tr_load<e>(places<T, 32>(lane_id()));
        s_waitcnt_lgkmcnt(0_I);
        constexpr index_t reads = Mma::elem_a / e;  // of one operand
        static_for<16 / reads>([&](auto i) {
            const auto operand = [&](auto first) {
                if constexpr (is_array_v<decltype(tile)>) {
                    return flat(slice(tile, first, number<first.value + reads>{}));
                } else {
                    return slice(tile, number<first.value * e>{},
                                 number<(first.value + reads) * e>{});
                }
            };
            const auto a = operand(number<i.value * 2 * reads>{});
            const auto b = operand(number<i.value * 2 * reads + reads>{});
            sum[i.value % 2] = mma(a, b, sum[i.value % 2]);
        });
    }
};

// A tile for each operand.
struct of_many_tiles {
    template <class S, class Mma, class Sums>
    __device__ void operator()(const S& s, const Mma& mma, Sums& sum) const {
        using T = typename S::scalar_type;
        constexpr index_t e = sizeof_bits_v<T> == 6 ? 16 : 64 / sizeof_bits_v<T>;
        constexpr index_t reads = Mma::elem_a / e;
        const auto u = places<T, reads>(lane_id());
        array<decltype(s.template tr_load<e>(u)), 32 / reads> operands;
        static_for<32 / reads>([&](auto i) {
            operands[i] = s.template tr_load<e>(u + number<i.value * reads * 64 * e>{});
        });
        s_waitcnt_lgkmcnt(0_I);
        static_for<16 / reads>([&](auto i) {
            sum[i.value % 2] =
                mma(operands[i.value * 2], operands[i.value * 2 + 1], sum[i.value % 2]);
        });
    }
};

// Half of the reads are waited for while the other half is under way.
struct of_two_halves {
    template <class S, class Mma, class Sums>
    __device__ void operator()(const S& s, const Mma& mma, Sums& sum) const {
        using T = typename S::scalar_type;
        constexpr index_t e = 64 / sizeof_bits_v<T>;
        const auto u = places<T, 12>(lane_id());
        const auto first = s.template tr_load<e>(u);
        const auto second = s.template tr_load<e>(u + number<12 * 64 * e>{});
        const auto multiply = [&](const auto& tile) {
            static_for<3>([&](auto i) {
                const auto at = [&](auto k) {
                    constexpr index_t begin = (i.value * 2 + k.value) * 8;
                    return slice(flat(tile), number<begin>{}, number<begin + 8>{});
                };
                sum[i.value % 2] = mma(at(0_I), at(1_I), sum[i.value % 2]);
            });
        };
        s_waitcnt_lgkmcnt(12_I);
        multiply(first);
        s_waitcnt_lgkmcnt(0_I);
        multiply(second);
    }
};

}  // namespace

#define OPUS_TEST_PIPELINE(name, type, m, k, how)                                      \
    __global__ __launch_bounds__(256) void name(const float* from, float* to, int n) { \
        pipeline<type, mfma<type, type, fp32_t, m, m, k>>(from, to, n, how{});         \
    }

extern "C" {
OPUS_TEST_PIPELINE(tile_f16, fp16_t, 32, 16, of_one_tile)
OPUS_TEST_PIPELINE(tile_bf16, bf16_t, 16, 32, of_one_tile)
OPUS_TEST_PIPELINE(tile_fp8, fp8_t, 32, 16, of_one_tile)
OPUS_TEST_PIPELINE(tile_fp8_wide, fp8_t, 32, 64, of_one_tile)
OPUS_TEST_PIPELINE(tiles_f16, fp16_t, 32, 16, of_many_tiles)
OPUS_TEST_PIPELINE(tiles_fp8, fp8_t, 16, 32, of_many_tiles)
OPUS_TEST_PIPELINE(tiles_fp6, fp6_t, 32, 64, of_many_tiles)
OPUS_TEST_PIPELINE(tiles_fp4, fp4_t, 16, 128, of_many_tiles)
OPUS_TEST_PIPELINE(halves_f16, fp16_t, 32, 16, of_two_halves)

// Arithmetic of the vector ALU on a result, which nothing but the wait holds back.
__global__ void arithmetic(float* to) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const fp16x4_t a = make_smem(dynamic_lds).tr_load<4>(lane_id() * 4);
    const fp16x4_t b = make_smem(dynamic_lds).tr_load<4>(lane_id() * 4 + 256);
    s_waitcnt_lgkmcnt(0_I);
    s_barrier();
    const fp32x4_t sum = cast<fp32_t>(a) * cast<fp32_t>(b) + 1.0f;
    make_gmem(to).store<4>(sum, lane_id() * 4);
}

// What stands at a barrier in place of a wait.
__global__ void at_sync_threads(float* to) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const fp16x4_t a = make_smem(dynamic_lds).tr_load<4>(lane_id() * 4);
    sync_threads();
    make_gmem(to).store<4>(cast<fp32_t>(a) * 3.0f, lane_id() * 4);
}
__global__ void at_lds_barrier(float* to) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const fp16x4_t a = make_smem(dynamic_lds).tr_load<4>(lane_id() * 4);
    lds_barrier();
    make_gmem(to).store<4>(cast<fp32_t>(a) * 3.0f, lane_id() * 4);
}

// Between two stores to one place, which LDS takes in the order of the wave's instructions.
__global__ void overwritten(const fp16x4_t* from, float* to) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[256];
    const int lane = lane_id();
    const auto s = make_smem(lds);
    s.store<4>(from[lane], lane * 4);
    const fp16x4_t column = s.tr_load<4>(lane * 4);
    s.store<4>(fp16x4_t{}, lane * 4);
    s_waitcnt_lgkmcnt(0_I);
    make_gmem(to).store<4>(cast<fp32_t>(column) + cast<fp32_t>(s.load<4>(lane * 4)), lane * 4);
}

// The predicate selects right behind the read.
__global__ void with_a_predicate(float* to, int limit) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const int lane = lane_id();
    const auto tile =
        make_smem(dynamic_lds)
            .tr_load_if<4>([&](auto i, auto) { return lane + i < limit; }, places<fp16_t, 4>(lane));
    static_for<16>([&](auto i) { to[lane * 16 + i.value] = flat(tile)[i.value]; });
}

// As the compiler has it: waits of its own, for async_load too.
__global__ void automatic(const float* from, float* to) {
    __shared__ __attribute__((aligned(16))) float lds[4096];
    make_gmem(from).async_load(lds + 2048, lane_id());
    const fp16x4_t a =
        make_smem(reinterpret_cast<fp16_t*>(lds)).tr_load<4>(lane_id() * 4, auto_wait{});
    make_gmem(to).store<4>(cast<fp32_t>(a), lane_id() * 4);
}

// Reads further apart than an immediate reaches.
__global__ void far_apart(float* to) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const int lane = lane_id();
    const auto u = make_layout(make_tuple(4_I, 64_I, 4_I), make_tuple(20480_I, 4_I, 1_I),
                               make_tuple(_, lane, _));
    const auto tile = make_smem(dynamic_lds).tr_load<4>(u);
    s_waitcnt_lgkmcnt(0_I);
    static_for<16>([&](auto i) { to[lane * 16 + i.value] = flat(tile)[i.value]; });
}
}
