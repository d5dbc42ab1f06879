// The kernel of README.md as a code object, for gemm.py: C = A * B^T, f16 in and f32 out. A has M rows
// of K elements, B has N rows of K; one wave for each 32 x 32 tile of C, K a multiple of 8.
#ifndef __HIPCC_RTC__  // hipRTC declares what is in it
#include "opus/hip_minimal.hpp"
#endif
#include "opus/opus.hpp"

using namespace opus;

extern "C" __global__ void gemm(const fp16_t* a, const fp16_t* b, float* c, int n, int k) {
    const int row = block_id_y() * 32;
    const int col = block_id_x() * 32;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    auto g_a = make_gmem(a + row * k);
    auto g_b = make_gmem(b + col * k);
    auto g_c = make_gmem(c + row * n + col);
    auto u_a = partition_layout_a(mma, make_tuple(k, 1_I), thread_id_x());
    auto u_b = partition_layout_b(mma, make_tuple(k, 1_I), thread_id_x());
    auto u_c = partition_layout_c(mma, make_tuple(n, 1_I), thread_id_x());
    typename decltype(mma)::vtype_c acc{0};
    for (int i = 0; i < k; i += 8) {
        acc = mma(g_a.load<4>(u_a), g_b.load<4>(u_b), acc);
        u_a += 8;
        u_b += 8;
    }
    settle(acc);
    g_c.store<1>(acc, u_c);
}
