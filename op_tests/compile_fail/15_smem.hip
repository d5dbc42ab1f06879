#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == make_smem_of_constant
// expect: opus::make_smem: a pointer to LDS is required; this one is to another kind of memory
// target: gfx942
namespace make_smem_of_constant {
__global__ void k(__attribute__((address_space(4))) const float* p, float* out) {
    *out = make_smem(p).load(0)[0];
}
}  // namespace make_smem_of_constant

// == make_smem_of_global
// expect: opus::make_smem: a pointer to LDS is required; this one is to another kind of memory
// target: gfx942
namespace make_smem_of_global {
__global__ void k(__attribute__((address_space(1))) float* p) {
    make_smem(p).store(1.0f, 0);
}
}  // namespace make_smem_of_global

// == smem_atomic_add_fp16
// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32,
// target: gfx942
namespace smem_atomic_add_fp16 {
__global__ void k(fp16x2_t* p) {
    __shared__ fp16_t lds[64];
    *p = make_smem(lds).atomic_add<2>(*p, 0);
}
}  // namespace smem_atomic_add_fp16

// == smem_atomic_add_type
// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32,
// target: gfx942
namespace smem_atomic_add_type {
__global__ void k(double* p) {
    __shared__ double lds[64];
    *p = make_smem(lds).atomic_add(*p, 0)[0];
}
}  // namespace smem_atomic_add_type

// == smem_atomic_and_of_fp32
// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32, .*atomic_and and atomic_or i32 and u32
// lines: 16 the one error alone
// target: gfx942
namespace smem_atomic_and_of_fp32 {
__global__ void k(float* p) {
    __shared__ float lds[64];
    *p = make_smem(lds).atomic_and(*p, 0)[0];
}
}  // namespace smem_atomic_and_of_fp32

// == smem_atomic_or_of_fp32
// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32, .*atomic_and and atomic_or i32 and u32
// lines: 16 the one error alone
// target: gfx942
namespace smem_atomic_or_of_fp32 {
__global__ void k(float* p) {
    __shared__ float lds[64];
    *p = make_smem(lds).atomic_or(*p, 0)[0];
}
}  // namespace smem_atomic_or_of_fp32

// == smem_load_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace smem_load_across_stride {
__global__ void k(float* p) {
    __shared__ float lds[256];
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = make_smem(lds).load<4>(u)[0];
}
}  // namespace smem_load_across_stride

// == smem_load_caller_waits
// expect: opus::smem: the last argument is auto_wait or no_dma_wait
namespace smem_load_caller_waits {
__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds).load(0, caller_waits{})[0];
}
}  // namespace smem_load_caller_waits

// == smem_of_global
// expect: opus::make_smem: a pointer to LDS is required; this one is to another kind of memory
// target: gfx942
namespace smem_of_global {
__global__ void k(__attribute__((address_space(1))) float* p) {
    smem<float>(p).store(1.0f, 0);
}
}  // namespace smem_of_global

// == smem_policy
// expect: opus::smem: there is no cache policy for LDS
namespace smem_policy {
__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds).load<1, 3>(0)[0];
}
}  // namespace smem_policy

// == smem_store_if_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace smem_store_if_across_stride {
__global__ void k() {
    __shared__ float lds[256];
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    make_smem(lds).store_if<4>([](auto, auto) { return true; }, 0.0f, u);
}
}  // namespace smem_store_if_across_stride

// == smem_store_size
// expect: opus::store: the value must have vec elements
namespace smem_store_size {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_smem(lds).store<4>(fp32x2_t{p[0], p[1]}, 0);
}
}  // namespace smem_store_size

// == smem_store_vec_of_layout
// expect: opus: the last open dimension of the layout must have a multiple of vec
namespace smem_store_vec_of_layout {
__global__ void k(fp16x8_t x) {
    __shared__ fp16_t lds[64];
    make_smem(lds).store<8>(
        x, make_layout(make_tuple(2_I, 4_I), make_tuple(4_I, 1_I), make_tuple(_, _)));
}
}  // namespace smem_store_vec_of_layout

// == smem_tile_of_fp4_codes
// expect: opus: the layout of an fp4 operand counts codes of 4 bits, so the memory must have such elements
namespace smem_tile_of_fp4_codes {
__global__ void k(u8x64_t* out) {
    __shared__ u8_t lds[4096];
    const auto mma =
        make_tiled_mma<fp4_t, fp8_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 64>{});
    const auto u = partition_layout_a<16>(mma, make_tuple(32_I, 1_I), thread_id_x());
    *out = make_smem(lds).load<16>(u);
}
}  // namespace smem_tile_of_fp4_codes

// == smem_wait
// expect: opus::smem: the last argument is auto_wait or no_dma_wait
namespace smem_wait {
__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds).load(0, 3_I)[0];
}
}  // namespace smem_wait

// == smem_width
// expect: opus::smem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
namespace smem_width {
__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds)._load<5>(0)[0];
}
}  // namespace smem_width

// == swizzle_torn_transposed_read
// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
namespace swizzle_torn_transposed_read {
__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[1024];
    const auto u =
        composition(swizzle<3, 1, 4>{}, make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I),
                                                    make_tuple(static_cast<int>(threadIdx.x), _)));
    p[0] = make_smem(lds).tr_load<4>(u, auto_wait{})[0];
}
}  // namespace swizzle_torn_transposed_read

// == swizzle_torn_vector
// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
namespace swizzle_torn_vector {
__global__ void k(float* p) {
    __shared__ float lds[1024];
    const auto u = composition(swizzle<3, 1, 4>{}, make_layout(16_I, 64_I));
    p[0] = make_smem(lds).load<4>(u)[0];
}
}  // namespace swizzle_torn_vector

// == swizzle_torn_vector_of_3
// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
namespace swizzle_torn_vector_of_3 {
__global__ void k(float* p) {
    __shared__ float lds[1024];
    const auto u =
        composition(swizzle<3, 3, 4>{}, make_layout(make_tuple(16_I, 48_I), make_tuple(64_I, 1_I),
                                                    make_tuple(static_cast<int>(threadIdx.x), _)));
    make_smem(lds).store<3>(
        make_gmem(p).load<3>(make_layout(make_tuple(48_I), make_tuple(1_I), make_tuple(_))), u);
}
}  // namespace swizzle_torn_vector_of_3

// == swizzle_unaligned_open_rows
// expect: opus::swizzle: an access of vec elements must begin at a multiple of vec
namespace swizzle_unaligned_open_rows {
__global__ void k(float* p) {
    const auto u = composition(swizzle<2, 3, 3>{},
                               make_layout(make_tuple(64_I, 2_I, 4_I), make_tuple(16_I, 10_I, 1_I),
                                           make_tuple(lane_id(), _, _)));
    p[0] = make_gmem(p).load<4>(u)[0];
}
}  // namespace swizzle_unaligned_open_rows

// == swizzle_unaligned_rows
// expect: opus::swizzle: an access of vec elements must begin at a multiple of vec
namespace swizzle_unaligned_rows {
__global__ void k(float* p) {
    const auto u = composition(swizzle<3, 2, 4>{},
                               make_layout(make_tuple(64_I, 4_I, 16_I), make_tuple(66_I, 16_I, 1_I),
                                           make_tuple(static_cast<int>(threadIdx.x), 1_I, _)));
    p[0] = make_gmem(p).load<4>(u)[0];
}
}  // namespace swizzle_unaligned_rows

// == tr_load_immediate
// expect: opus: the immediate offset is out of range .0 .. 4095 bytes .*, 0 .. 65535 for LDS
namespace tr_load_immediate {
__global__ void k(fp16x4_t* out) {
    __shared__ fp16_t lds[256];
    *out = make_smem(lds)._tr_load<4, 65536>(0);
}
}  // namespace tr_load_immediate

// == tr_load_on_gfx942
// expect: opus::tr_load: needs gfx950, or elements of 16 or 8 bits and gfx942; the target is gfx942
// target: gfx942
namespace tr_load_on_gfx942 {
__global__ void k(fp4_t* p) {
    __shared__ fp4_t lds[256];
    make_gmem(p).store<16>(make_smem(lds).tr_load<16>(0), 0);
}
}  // namespace tr_load_on_gfx942

// == tr_load_size
// expect: opus::tr_load: a lane gets 8 bytes, that is 4, 8 or 16 elements
namespace tr_load_size {
__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[256];
    make_gmem(p).store<8>(make_smem(lds).tr_load<8>(0), 0);
}
}  // namespace tr_load_size

// == tr_load_type
// expect: opus::tr_load: elements of 16, 8, 6 or 4 bits
namespace tr_load_type {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).store<2>(make_smem(lds).tr_load<2>(0), 0);
}
}  // namespace tr_load_type
