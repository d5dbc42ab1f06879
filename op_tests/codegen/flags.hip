// Twelve kernels that test_flags.cpp compares with and without flags of libraries. They are one file,
// because to read the header takes as long as to compile a small kernel. Those of examples are the
// example's text up to the end of its kernel (flags/*.hpp, which CMakeLists.txt writes); `used` names
// the instance that the compiler writes.
#include <climits>
#include <type_traits>
#include <utility>

#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using opus::operator""_I;

// == GEMM =========================================================================================
#define RAW 0
#define KERNEL gemm_of_one_wave
#include "kernel_b.hip"
#undef KERNEL
#define KERNEL gemm
#include "kernel_d.hip"
#undef KERNEL

// Two tile products in a round, each between s_setprio 1 and s_setprio 0, and behind each a loop that
// issues copies to LDS. Four waves, each with 2 x 2 instructions of 16 x 16 x 16, n rounds and its own
// half of two buffers.
extern "C" __global__ __launch_bounds__(256) void phases(const opus::bf16_t* a, float* c, int n) {
    using namespace opus;
    constexpr index_t vec = OPUS_HAS_LDS_DMA_WIDE ? 8 : 2;  // 16 bytes for each lane, or 4
    constexpr index_t tile_size = 4 * 64 * vec;
    __shared__ __attribute__((aligned(16))) bf16_t lds[4 * 2 * tile_size];
    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const auto mma =
        make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
    const auto g = make_gmem(a + wave * n * tile_size);
    bf16_t* const to = lds + wave * 2 * tile_size;
    typename decltype(mma)::vtype_c sum[2];
    clear(sum[0]);
    clear(sum[1]);
    const auto copy = [&](int tile) {
        const int from[4] = {lane * vec, (lane + 64) * vec, (lane + 128) * vec, (lane + 192) * vec};
        for (int i = 0; i < 4; i++) {
            g.async_load<vec>(to + (tile % 2 * 4 + i) * 64 * vec, from[i] + tile * tile_size);
        }
    };
    const auto multiply = [&](const auto& x, const auto& y, auto& result) {
        __builtin_amdgcn_s_setprio(1);
        result = mma(x, y, result);
        __builtin_amdgcn_s_setprio(0);
        s_barrier();
        __builtin_amdgcn_sched_barrier(0);
    };
    for (int tile = 0; tile < n; tile++) {
        const auto x = g.load<8>((tile * 128 + lane) * 8);
        const auto y = g.load<8>((tile * 128 + 64 + lane) * 8);
        multiply(x, y, sum[0]);
        copy(tile);
        s_barrier();
        multiply(x, y, sum[1]);
        copy(tile + 1);
        s_barrier();
    }
    wait_async(0_I);
    const auto u_c = make_layout(make_tuple(4_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                 make_tuple(_, lane, _));
    make_gmem(c).store<4>(sum[0], u_c);
    make_gmem(c).store<4>(sum[1], u_c + 1024);
    c[2048 + lane] = cast<float>(to[lane]);
}

namespace skinny {
#include "flags/gemm_skinny.hpp"
[[maybe_unused]] auto* const used = &shallow_k_kernel<fp16_t, true, 2>;
}  // namespace skinny

// == MoE ==========================================================================================
namespace moe {
#include "flags/moe_gemm.hpp"
[[maybe_unused]] auto* const used = &moe_gemm_kernel<bf16_t, false>;
}  // namespace moe

namespace gate {
#include "flags/topk_gate.hpp"
[[maybe_unused]] auto* const used = &topk_gate_kernel<bf16_t, 1, false>;
}  // namespace gate

// == attention ====================================================================================
namespace decode {
#include "flags/paged_attention.hpp"
[[maybe_unused]] auto* const used = &paged_attention_kernel<bf16_t, 64, 32>;
}  // namespace decode

namespace rotate {
#include "flags/rope_cache.hpp"
[[maybe_unused]] auto* const used = &rope_cache_kernel<fp8_t, 64, true>;
}  // namespace rotate

// == norm =========================================================================================
namespace norms {
#include "flags/rmsnorm_quant.hpp"
[[maybe_unused]] auto* const used = &rmsnorm_quant_kernel<norm::rms, bf16_t, fp8_t, 256, 16, 8>;
}  // namespace norms

namespace soft {
#include "flags/softmax.hpp"
[[maybe_unused]] auto* const used = &softmax_kernel<fp16_t, 64, 16, 8>;
[[maybe_unused]] auto* const also_used = &softmax_kernel<float, 256, 16, 4>;
}  // namespace soft

// == conversion ===================================================================================
// A thread's 16 elements of 4096 to two types, and 32 weights of 4 bits to bf16.
extern "C" __global__ void conversion(const float* from, opus::fp8_t* small, opus::bf16_t* medium,
                                      const opus::vector_t<opus::fp4_t, 32>* weights,
                                      opus::bf16x32_t* decoded, float scale) {
    using namespace opus;
    const auto u = make_layout(make_tuple(4_I, 256_I, 4_I), make_tuple(1024_I, 4_I, 1_I),
                               make_tuple(_, thread_id_x(), _));
    const auto x = make_gmem(from).load<4>(u);
    make_gmem(small).store<4>(scaled_cast<fp8_t>(x, scale), u);
    make_gmem(medium).store<4>(cast<bf16_t>(x), u);
    decoded[thread_id_x()] = cast<bf16_t>(weights[thread_id_x()], scale);
}
