#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == gmem_immediate_as_policy
// expect: opus: a cache policy is required here
namespace gmem_immediate_as_policy {
__global__ void k(float* p) {
    p[0] = make_gmem(p).load(0, 0, imm_offset<8>{})[0];
}
}  // namespace gmem_immediate_as_policy

// == gmem_layout_at_run_time
// expect: opus: the extents of a layout's open dimensions must be numbers
namespace gmem_layout_at_run_time {
__global__ void k(float* p, int n) {
    p[0] = load(make_gmem(p), make_layout(make_tuple(n), make_tuple(1_I), make_tuple(_)))[0];
}
}  // namespace gmem_layout_at_run_time

// == gmem_layout_of_fp4_codes
// expect: opus: the layout of an fp4 operand counts codes of 4 bits, so the memory must have such elements
namespace gmem_layout_of_fp4_codes {
__global__ void k(const u8_t* p, u8x32_t* out) {
    const auto mma = make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I);
    const auto u = partition_layout_b(mma, make_tuple(64_I, 1_I), thread_id_x());
    *out = make_gmem(p).load<16>(u);
}
}  // namespace gmem_layout_of_fp4_codes

// == gmem_layout_width
// expect: is_access<6>.*opus: an access must have 1, 2, 4, 8, 12 or 16 bytes
namespace gmem_layout_width {
__global__ void k(fp16_t* p) {
    p[0] = load<3>(make_gmem(p), make_layout(make_tuple(6_I), make_tuple(1_I), make_tuple(_)))[0];
}
}  // namespace gmem_layout_width

// == gmem_load_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace gmem_load_across_stride {
__global__ void k(float* p) {
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = make_gmem(reinterpret_cast<float*>(p)).load<4>(u)[0];
}
}  // namespace gmem_load_across_stride

// == gmem_load_across_stride_cached
// expect: opus: an access of vec elements takes them side by side
namespace gmem_load_across_stride_cached {
__global__ void k(float* p) {
    auto u = make_layout<4>(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = make_gmem(p).load<4>(u)[0];
}
}  // namespace gmem_load_across_stride_cached

// == gmem_load_across_stride_shifted
// expect: opus: an access of vec elements takes them side by side
namespace gmem_load_across_stride_shifted {
__global__ void k(float* p) {
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = load<4>(make_gmem(p), u + 4_I)[0];
}
}  // namespace gmem_load_across_stride_shifted

// == gmem_load_if_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace gmem_load_if_across_stride {
__global__ void k(float* p) {
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = make_gmem(p).load_if<2>([](auto, auto) { return true; }, u)[0];
}
}  // namespace gmem_load_if_across_stride

// == gmem_load_vec_of_layout
// expect: opus: the last open dimension of the layout must have a multiple of vec
namespace gmem_load_vec_of_layout {
__global__ void k(fp16_t* p) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
    const auto u = partition_layout_a(mma, make_tuple(64, 1_I), thread_id_x());
    const auto a = load<8>(make_gmem(p), u);
    p[0] = a[0];
}
}  // namespace gmem_load_vec_of_layout

// == gmem_on_another_target
// expect: opus::gmem: gfx942 and gfx950 only; the target is gfx90a
// target: gfx90a
namespace gmem_on_another_target {
__global__ void k(float* p) {
    opus::make_gmem(p).store(1.0f, 0);
}
}  // namespace gmem_on_another_target

// == gmem_packed_width
// expect: opus: elements below a byte must be accessed in whole bytes
namespace gmem_packed_width {
__global__ void k(fp4_t* p) {
    make_gmem(p).store<3>(make_gmem(p).load<3>(0), 0);
}
}  // namespace gmem_packed_width

// == gmem_size_of_float
// expect: opus::gmem: a size is an integer, in bytes
namespace gmem_size_of_float {
__global__ void k(float* p, float x) {
    p[0] = make_gmem(p, x).load(0)[0];
}
}  // namespace gmem_size_of_float

// == gmem_store_across_stride
// expect: opus: an access of vec elements takes them side by side.*mfma_adaptor_swap_ab
namespace gmem_store_across_stride {
__global__ void k(float* p) {
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    auto u = mma.layout_c_packed(make_tuple(lane_id() / 32, lane_id() % 32));
    make_gmem(p).store<4>(decltype(mma)::vtype_c{0}, u);
}
}  // namespace gmem_store_across_stride

// == gmem_store_size
// expect: opus::store: the value must have vec elements
namespace gmem_store_size {
__global__ void k(float* p) {
    make_gmem(p).store<4>(fp32x2_t{}, 0);
}
}  // namespace gmem_store_size

// == gmem_store_tile_element
// expect: opus::store: the element type must be the memory.s, or both must be arithmetic
namespace gmem_store_tile_element {
__global__ void k(float* p) {
    make_gmem(p).store<2>(fp8x4_t{}, make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)));
}
}  // namespace gmem_store_tile_element

// == gmem_store_tile_size
// expect: opus::store: the value must have as many elements as the layout stores
namespace gmem_store_tile_size {
__global__ void k(float* p) {
    make_gmem(p).store<1>(fp32x4_t{}, make_layout(make_tuple(2_I), make_tuple(1_I), make_tuple(_)));
}
}  // namespace gmem_store_tile_size

// == gmem_store_tile_to_codes
// expect: opus::store: the element type must be the memory's, or both must be arithmetic
namespace gmem_store_tile_to_codes {
__global__ void k(fp8_t* p) {
    make_gmem(p).store<4>(fp32x8_t{}, make_layout(make_tuple(8_I), make_tuple(1_I), make_tuple(_)));
}
}  // namespace gmem_store_tile_to_codes

// == gmem_store_type
// expect: opus::store: the value.s element type must be the memory.s
namespace gmem_store_type {
__global__ void k(float* p) {
    make_gmem(p).store<4>(i32x4_t{}, 0);
}
}  // namespace gmem_store_type

// == gmem_store_width
// expect: opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
namespace gmem_store_width {
__global__ void k(const float* p, float* q) {
    make_gmem(q)._store<5>(make_gmem(p).load<5>(0), 0);
}
}  // namespace gmem_store_width

// == gmem_wide_remainder
// expect: more than 16 bytes must be a multiple of 4 bytes
namespace gmem_wide_remainder {
__global__ void k(const _Float16* p, _Float16* q) {
    q[0] = make_gmem(p).load<9>(0)[0];
}
}  // namespace gmem_wide_remainder

// == gmem_width
// expect: opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
namespace gmem_width {
__global__ void k(const float* p, float* q) {
    q[0] = make_gmem(p)._load<5>(0)[0];
}
}  // namespace gmem_width

// == gmem_width_of_6_bytes
// expect: is_one_instruction<6>.*opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
namespace gmem_width_of_6_bytes {
__global__ void k(fp16_t* p) {
    p[0] = load<3>(make_gmem(p), 0)[0];
}
}  // namespace gmem_width_of_6_bytes

// == load_if_predicate
// expect: opus: the predicate must take an index for each open dimension of the layout
namespace load_if_predicate {
__global__ void k(float* p) {
    const auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(8_I, 1_I), make_tuple(_, _));
    const auto v = load_if<4>(make_gmem(p), [](auto i) { return i < 2; }, u);
    p[0] = v[0];
}
}  // namespace load_if_predicate

// == load_stride_of_a_fraction
// expect: opus::layout: strides are integers
namespace load_stride_of_a_fraction {
__global__ void k(float* p, float stride) {
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(stride, 1_I), make_tuple(1, _));
    p[0] = make_gmem(p).load<4>(u)[0];
}
}  // namespace load_stride_of_a_fraction

// == store_if_predicate
// expect: opus: the predicate must take an index for each open dimension of the layout
namespace store_if_predicate {
__global__ void k(float* p, fp32x4_t x) {
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, 1_I), make_tuple(1, _));
    make_smem(p).store_if<4>([](int i, int j) { return i < j; }, x, u);
}
}  // namespace store_if_predicate
