#include "opus/hip_minimal.hpp"
#include "opus/opus_debug.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_tiled_mma
// expect: -1 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -2 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -3 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -4 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -5 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -6 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -7 >= 0'.*opus::tiled_mma: step_k takes k = 0
// expect: 1 < 1'.*opus::tiled_mma: step_k takes k = 0
namespace conditions_of_tiled_mma {
template <index_t... Is>
using repeated = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<Is...>{}, seq<1, 1, 1>{},
                                                                 seq<32, 32, 8>{}));
template <index_t... Is>
using waves = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<Is...>{},
                                                              seq<32, 32, 8>{}));
auto a = repeated<-1, 1, 1>::expd_m;
auto b = repeated<1, -2, 1>::expd_m;
auto c = repeated<1, 1, -3>::expd_m;
auto d = waves<-4, 1, 1>::expd_m;
auto e = waves<1, -5, 1>::expd_m;
auto f = waves<1, 1, -6>::expd_m;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    const repeated<1, 1, 1> mma;
    *c = mma.step_k(number<-7>{}, *a, *a, *c);
    *c = mma.step_k(1_I, *a, *a, *c);
}
}  // namespace conditions_of_tiled_mma

// == mma_one_scale
// expect: opus::mfma: takes .a, b., .*both scales
namespace mma_one_scale {
__global__ void k(fp32x4_t* c, const i32x8_t* a, int scale) {
    *c = make_mfma<fp8_t, fp8_t, fp32_t>(16_I, 16_I, 128_I)(*a, *a, *c, scale);
}
}  // namespace mma_one_scale

// == print_in_kernel
// expect: no matching function for call to 'print'
// target: gfx942
// compiler's: a host function called from a kernel
namespace print_in_kernel {
// The device pass knows the function: it is the kernel that must not call it.
inline void on_the_host() {
    print(make_layout(2_I, 3_I));
}
__global__ void k() {
    print(make_layout(2_I, 3_I));
}
}  // namespace print_in_kernel

// == tiled_mma_one_scale
// expect: opus::mfma: takes .a, b., .*both scales
namespace tiled_mma_one_scale {
constexpr auto mma =
    make_tiled_mma<fp4_t, fp4_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});

__global__ void k(fp32x8_t* c, const array<fp4_t, 64>* a, const array<fp4_t, 32>* b, int scale) {
    *c = mma(*a, *b, *c, scale);
}
}  // namespace tiled_mma_one_scale

// == tiled_mma_scales
// expect: opus::tiled_mma: the scales must be one integer, or an array of as many as
namespace tiled_mma_scales {
constexpr auto mma =
    make_tiled_mma<fp4_t, fp4_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});

__global__ void k(const array<fp4_t, 64>* a, const array<fp4_t, 32>* b, fp32x8_t* c,
                  const array<int, 3>* scales) {
    *c = mma(*a, *b, *c, *scales, 127);
}
}  // namespace tiled_mma_scales

// == tiled_mma_step
// expect: opus::tiled_mma: step_k takes k = 0 .. expd_k - 1
namespace tiled_mma_step {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x16_t* a, const fp16x8_t* b, fp32x8_t* c) {
    *c = mma.step_k(2_I, *a, *b, *c);
}
}  // namespace tiled_mma_step

// == tiled_mma_step_integer
// expect: opus::step_k: steps are constants .write 0_I, not 0
namespace tiled_mma_step_integer {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(fp32x4_t* c, const fp16x8_t* a) {
    *c = mma.step_k(0, *a, *a, *c);
}
}  // namespace tiled_mma_step_integer

// == tiled_mma_tile_c_of_fp32
// expect: operand C has elements of another floating-point type
namespace tiled_mma_tile_c_of_fp32 {
constexpr auto mma =
    make_tiled_mma<fp64_t, fp64_t, fp64_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 4>{});

__global__ void k(const fp64x2_t* a, const fp64_t* b, fp32x16_t* c, fp64x8_t* d) {
    *d = mma(*a, *b, *c);
}
}  // namespace tiled_mma_tile_c_of_fp32

// == tiled_mma_tile_c_size
// expect: operand C of a tile must have tile_a_len
namespace tiled_mma_tile_c_size {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x16_t* a, const fp16x8_t* b, fp32x8_t* c) {
    *c = mma(*a, *b, fp32x4_t{});
}
}  // namespace tiled_mma_tile_c_size

// == tiled_mma_tile_of_bf16
// expect: operand B has elements of another floating-point type
namespace tiled_mma_tile_of_bf16 {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x16_t* a, const bf16x8_t* b, fp32x8_t* c) {
    *c = mma(*a, *b, *c);
}
}  // namespace tiled_mma_tile_of_bf16

// == tiled_mma_tile_size
// expect: operand A of a tile must have tile_a_len
namespace tiled_mma_tile_size {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x8_t* a, const fp16x8_t* b, fp32x8_t* c) {
    *c = mma(*a, *b, *c);
}
}  // namespace tiled_mma_tile_size
