// Layouts by the index of a thread (BY_THREAD 1) beside the p_coord written by hand (0): A and B
// from memory, C to memory, in one wave and in tiles of four. SCALAR_WAVE 1: the number of the wave
// is in a scalar register.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

#if BY_THREAD
#define PLACE(...) thread
#else
#define PLACE(...) make_tuple(__VA_ARGS__)
#endif

struct place_in_block {
#if SCALAR_WAVE
    int thread = scalar_wave(thread_id_x());
    int wave = readfirstlane(thread_id_x() / 64);
#else
    int thread = thread_id_x();
    int wave = thread_id_x() / 64;
#endif
    int lane = thread_id_x() % 64;
};

// One wave of `mma`, which is swapped or not.
template <bool swapped, class Mma>
__device__ void multiply(const Mma& mma, const fp16_t* a, const fp16_t* b, float* c, int n, int k) {
    [[maybe_unused]] const auto [thread, wave, lane] = place_in_block{};
    const auto u_a = partition_layout_a(mma, make_tuple(k, 1_I), PLACE(lane % 16, lane / 16));
    const auto u_b = partition_layout_b(mma, make_tuple(k, 1_I), PLACE(lane % 16, lane / 16));
    const auto g_a = make_gmem(a);
    const auto g_b = make_gmem(b);
    typename Mma::vtype_c acc;
    clear(acc);
    for (int i = 0; i < k; i += 16) {
        acc = mma(g_a.load<4>(u_a, i), g_b.load<4>(u_b, i), acc);
    }
    if constexpr (swapped) {
        make_gmem(c).store<4>(
            acc, partition_layout_c(mma, make_tuple(n, 1_I), PLACE(lane % 16, lane / 16)));
    } else {
        make_gmem(c).store<1>(
            acc, partition_layout_c(mma, make_tuple(n, 1_I), PLACE(lane / 16, lane % 16)));
    }
}
extern "C" __global__ __launch_bounds__(256) void one(const fp16_t* a, const fp16_t* b, float* c,
                                                      int n, int k) {
    multiply<false>(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), a, b, c, n, k);
}
extern "C" __global__ __launch_bounds__(256) void one_swapped(const fp16_t* a, const fp16_t* b,
                                                              float* c, int n, int k) {
    multiply<true>(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{}), a,
                   b, c, n, k);
}

// 2 x 2 waves.
template <bool swapped, class Mma>
__device__ void multiply_tiled(const Mma& mma, const fp16_t* a, const fp16_t* b, float* c, int n,
                               int k) {
    [[maybe_unused]] const auto [thread, wave, lane] = place_in_block{};
    const auto u_a =
        partition_layout_a(mma, make_tuple(k, 1_I), PLACE(wave / 2, lane % 16, 0_I, lane / 16));
    const auto u_b =
        partition_layout_b(mma, make_tuple(k, 1_I), PLACE(wave % 2, lane % 16, 0_I, lane / 16));
    const auto g_a = make_gmem(a);
    const auto g_b = make_gmem(b);
    typename Mma::vtype_c acc;
    clear(acc);
    for (int i = 0; i < k; i += 16) {
        acc = mma(g_a.load<4>(u_a, i), g_b.load<4>(u_b, i), acc);
    }
    if constexpr (swapped) {
        make_gmem(c).store<4>(acc,
                              partition_layout_c(mma, make_tuple(n, 1_I),
                                                 PLACE(wave / 2, lane % 16, wave % 2, lane / 16)));
    } else {
        make_gmem(c).store<1>(acc,
                              partition_layout_c(mma, make_tuple(n, 1_I),
                                                 PLACE(wave / 2, lane / 16, wave % 2, lane % 16)));
    }
}
constexpr auto repeats = seq<2, 2, 1>{};
constexpr auto waves = seq<2, 2, 1>{};
constexpr auto shape = seq<16, 16, 16>{};
extern "C" __global__ __launch_bounds__(256) void tiled(const fp16_t* a, const fp16_t* b, float* c,
                                                        int n, int k) {
    multiply_tiled<false>(make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats, waves, shape), a, b, c, n,
                          k);
}
extern "C" __global__ __launch_bounds__(256) void tiled_swapped(const fp16_t* a, const fp16_t* b,
                                                                float* c, int n, int k) {
    multiply_tiled<true>(
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats, waves, shape, mfma_adaptor_swap_ab{}), a, b,
        c, n, k);
}

// Both operands by transposed reads from LDS, which somebody else has filled.
extern "C" __global__ __launch_bounds__(256) void transposed(float* c, int n) {
    __shared__ fp16_t lds[2 * 16 * 72];
    [[maybe_unused]] const auto [thread, wave, lane] = place_in_block{};
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats, waves, shape);
    const auto u_a = partition_layout_a_tr(mma, make_tuple(1_I, 72_I),
                                           PLACE(wave / 2, lane % 16, 0_I, lane / 16));
    const auto u_b = partition_layout_b_tr(mma, make_tuple(1_I, 72_I),
                                           PLACE(wave % 2, lane % 16, 0_I, lane / 16));
    const auto a = make_smem(lds).tr_load<mma.pack_a_tr>(u_a);
    const auto b = make_smem(lds + 16 * 72).tr_load<mma.pack_b_tr>(u_b);
    s_waitcnt_lgkmcnt(0_I);
    make_gmem(c).store<1>(mma(a, b),
                          partition_layout_c(mma, make_tuple(n, 1_I),
                                             PLACE(wave / 2, lane / 16, wave % 2, lane % 16)));
}
