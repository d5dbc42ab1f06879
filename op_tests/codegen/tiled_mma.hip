// A wave with 8 x 8 repeats of 16 x 16 x 16: half of its registers are C. REPEATS_K of them along
// K.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto expand = seq<8, 8, REPEATS_K>{};
constexpr auto waves = seq<2, 2, 1>{};
constexpr auto shape = seq<16, 16, 16>{};

template <index_t vec_c, class Mma, class Coord>
__device__ void multiply(const Mma& mma, const fp16_t* a, const fp16_t* b, float* c, int n, int k,
                         const Coord& coord_c) {
    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const auto u_a = partition_layout_a(mma, make_tuple(k, 1_I),
                                        make_tuple(wave / 2, lane % 16, 0_I, lane / 16));
    const auto u_b = partition_layout_b(mma, make_tuple(k, 1_I),
                                        make_tuple(wave % 2, lane % 16, 0_I, lane / 16));
    const auto g_a = make_gmem(a);
    const auto g_b = make_gmem(b);
    typename Mma::vtype_c acc;
    clear(acc);
    for (int i = 0; i < k; i += 16 * REPEATS_K) {
        acc = mma(g_a.load<4>(u_a, i), g_b.load<4>(u_b, i), acc);
    }
    make_gmem(c).store<vec_c>(acc, partition_layout_c(mma, make_tuple(n, 1_I), coord_c));
}

extern "C" __global__ __launch_bounds__(256) void plain(const fp16_t* a, const fp16_t* b, float* c,
                                                        int n, int k) {
    const int wave = readfirstlane(thread_id_x() / 64);
    multiply<1>(make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, waves, shape), a, b, c, n, k,
                make_tuple(wave / 2, lane_id() / 16, wave % 2, lane_id() % 16));
}

extern "C" __global__ __launch_bounds__(256) void swapped(const fp16_t* a, const fp16_t* b,
                                                          float* c, int n, int k) {
    const int wave = readfirstlane(thread_id_x() / 64);
    multiply<4>(
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, waves, shape, mfma_adaptor_swap_ab{}), a, b,
        c, n, k, make_tuple(wave / 2, lane_id() % 16, wave % 2, lane_id() / 16));
}
