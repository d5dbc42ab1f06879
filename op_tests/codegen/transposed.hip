// Transposed reads that the caller waits for, gfx950. Of each kernel test_codegen.cpp reads that no
// instruction touches a register between the read and the wait, and that the reads stay in place.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {

constexpr int tile = 32768;  // bytes of one buffer in LDS

// A pipeline: tile i + 1 comes to LDS (4 async_loads) while tile i is read, 32 times, and multiplied.
// The matrix of a 16 x 16 block at a time, E rows of 16 columns each; what is read is not the point.
template <class T, class Mma, class Read>
__device__ void pipeline(const float* from, float* to, int n, Read read) {
    __shared__ __attribute__((aligned(16))) float lds[2 * tile / 4];
    const int lane = lane_id();
    const auto g = make_gmem(from);
    const auto bring = [&](int i) {
        static_for<4>([&](auto j) {
            g.async_load<4>(lds + i % 2 * (tile / 4) + j * 256, j * 256 + lane * 4, i * (tile / 4));
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
        const auto s = make_smem(reinterpret_cast<T*>(lds + i % 2 * (tile / 4)));
        read(s, mma, sum);
        s_barrier();
    }
    static_for<size<typename Mma::vtype_c>()>([&](auto e) {
        to[lane * 64 + e.value * 2] = sum[0][e.value];
        to[lane * 64 + e.value * 2 + 1] = sum[1][e.value];
    });
}

// 16 operands, each of so many reads as it needs, through one layout.
struct through_a_layout {
    template <class S, class Mma, class Sums>
    __device__ void operator()(const S& s, const Mma& mma, Sums& sum) const {
        constexpr index_t bits = sizeof_bits_v<typename S::scalar_type>;
        constexpr index_t e = bits == 6 ? 16 : 64 / bits;
        const int lane = lane_id();
        const auto u =
            make_layout(make_tuple(32_I, 4_I, number<e>{}, number<16 / e>{}, number<e>{}),
                        make_tuple(number<64 * e>{}, number<16 * e>{}, 16_I, number<e>{}, 1_I),
                        make_tuple(_, lane / 16, lane % 16 / (16 / e), lane % (16 / e), _));
        const auto all = s.template tr_load<e>(u);
        s_waitcnt_lgkmcnt(0_I);
        constexpr index_t reads = Mma::elem_a / e;  // of one operand
        static_for<32 / reads / 2>([&](auto i) {
            const auto operand = [&](auto k) {
                constexpr index_t at = (i.value * 2 + k.value) * reads;
#if OPUS_TILE_CONTAINER
                return to_vector(slice(all, number<at>{}, number<at + reads>{}));
#else
                return slice(all, number<at * e>{}, number<(at + reads) * e>{});
#endif
            };
            sum[i.value % 2] = mma(operand(0_I), operand(1_I), sum[i.value % 2]);
        });
    }
};

}  // namespace

extern "C" {
__global__ void pipeline_f16(const float* from, float* to, int n) {
    pipeline<fp16_t, mfma<fp16_t, fp16_t, fp32_t, 32, 32, 16>>(from, to, n, through_a_layout{});
}
__global__ void pipeline_bf16(const float* from, float* to, int n) {
    pipeline<bf16_t, mfma<bf16_t, bf16_t, fp32_t, 16, 16, 32>>(from, to, n, through_a_layout{});
}
__global__ void pipeline_fp8(const float* from, float* to, int n) {
    pipeline<fp8_t, mfma<fp8_t, fp8_t, fp32_t, 32, 32, 16>>(from, to, n, through_a_layout{});
}
__global__ void pipeline_fp8_wide(const float* from, float* to, int n) {
    pipeline<fp8_t, mfma<fp8_t, fp8_t, fp32_t, 32, 32, 64>>(from, to, n, through_a_layout{});
}
__global__ void pipeline_fp6(const float* from, float* to, int n) {
    pipeline<fp6_t, mfma<fp6_t, fp6_t, fp32_t, 32, 32, 64>>(from, to, n, through_a_layout{});
}
__global__ void pipeline_fp4(const float* from, float* to, int n) {
    pipeline<fp4_t, mfma<fp4_t, fp4_t, fp32_t, 16, 16, 128>>(from, to, n, through_a_layout{});
}
}
