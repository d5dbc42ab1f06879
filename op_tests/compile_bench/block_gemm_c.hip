// Kernel c of the performance table: C[M,N] = A[M,K] * B[N,K]^T in blocks of 128 x 128 x 32, bf16
// to f32, 256 threads as 2 x 2 waves of 64 x 64 (2 x 2 instructions 32 x 32 x 8). A tile goes
// through registers, where the next one waits, to LDS. For M and N multiples of 128 and K of 32.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr index_t block_k = 32;
constexpr index_t pitch = block_k + 8;  // of a row in LDS

extern "C" __global__ __launch_bounds__(256) void kernel(const bf16_t* a, const bf16_t* b, float* c,
                                                         int n, int k) {
    __shared__ bf16_t lds_a[128 * pitch];
    __shared__ bf16_t lds_b[128 * pitch];
    const int thread = thread_id_x();
    const int lane = lane_id();
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int wave_m = wave / 2 * 64;
    const int wave_n = wave % 2 * 64;

    // A thread moves 8 elements of two rows.
    const auto tile_of = [&](auto stride) {
        return make_layout(make_tuple(2_I, 64_I, 4_I, 8_I),
                           make_tuple(64_I * stride, stride, 8_I, 1_I),
                           make_tuple(_, thread / 4, thread % 4, _));
    };
    const auto u_global = tile_of(k);
    const auto u_lds = tile_of(number<pitch>{});
    const auto g_a = make_gmem(a + block_id_y() * 128 * k);
    const auto g_b = make_gmem(b + block_id_x() * 128 * k);
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);

    const auto mma = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto stride = make_tuple(number<pitch>{}, 1_I);
    const auto coord = make_tuple(lane % 32, lane / 32);
    const auto u_a = mma.layout_a(stride, coord) + wave_m * pitch;
    const auto u_b = mma.layout_b(stride, coord) + wave_n * pitch;

    array<fp32x16_t, 4> acc;
    auto next_a = g_a.load<8>(u_global);
    auto next_b = g_b.load<8>(u_global);
    for (int i = 0; i < k; i += block_k) {
        sync_threads();
        s_a.store<8>(next_a, u_lds);
        s_b.store<8>(next_b, u_lds);
        sync_threads();
        if (i + block_k < k) {
            next_a = g_a.load<8>(u_global, i + block_k);
            next_b = g_b.load<8>(u_global, i + block_k);
        }
        static_for<block_k / 8>([&](auto step) {
            static_ford<2, 2>([&](auto row, auto column) {
                const auto x = s_a.load<4>(u_a + (row * number<32 * pitch>{} + step * 8_I));
                const auto y = s_b.load<4>(u_b + (column * number<32 * pitch>{} + step * 8_I));
                auto& sum = acc[row * 2_I + column];
                sum = mma(x, y, sum);
            });
        });
    }

    const auto g_c = make_gmem(c + (block_id_y() * 128 + wave_m) * n + block_id_x() * 128 + wave_n);
    const auto u_c = mma.layout_c(make_tuple(n, 1_I), make_tuple(lane / 32, lane % 32));
    static_ford<2, 2>([&](auto row, auto column) {
        g_c.store<1>(acc[row * 2_I + column], u_c, row * 32_I * n + column * 32_I);
    });
}
