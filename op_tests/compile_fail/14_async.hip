#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == async_load_16_bytes_on_gfx942
// expect: opus::async_load: 12 and 16 bytes need gfx950.*the target is gfx942
// target: gfx942
namespace async_load_16_bytes_on_gfx942 {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load<4>(lds, 0);
}
}  // namespace async_load_16_bytes_on_gfx942

// == async_load_1_byte
// expect: opus::async_load: moves 4 bytes for each lane
namespace async_load_1_byte {
__global__ void k(u8_t* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0);
}
}  // namespace async_load_1_byte

// == async_load_8_bytes
// expect: opus::async_load: moves 4 bytes for each lane, on gfx950 also 12 or 16; no other width
namespace async_load_8_bytes {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load<2>(lds, 0);
}
}  // namespace async_load_8_bytes

// == async_load_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace async_load_across_stride {
__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[512];
    auto u = make_layout(make_tuple(4_I), make_tuple(8_I), make_tuple(_));
    auto u_lds = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    make_gmem(p).async_load<2>(lds, u, u_lds);
}
}  // namespace async_load_across_stride

// == async_load_across_stride_in_lds
// expect: opus: an access of vec elements takes them side by side
namespace async_load_across_stride_in_lds {
__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[512];
    auto u = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    auto u_lds = make_layout(make_tuple(4_I), make_tuple(8_I), make_tuple(_));
    make_gmem(p).async_load<2>(lds, u, u_lds);
}
}  // namespace async_load_across_stride_in_lds

// == async_load_immediate
// expect: opus: the immediate offset is out of range .0 .. 4095 bytes
namespace async_load_immediate {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0, 0, 4096_I);
}
}  // namespace async_load_immediate

// == async_load_immediate_negative
// expect: opus: the immediate offset is out of range .0 .. 4095 bytes
namespace async_load_immediate_negative {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0, 0, imm_offset<-1>{});
}
}  // namespace async_load_immediate_negative

// == async_load_layouts
// expect: opus::async_load: the two layouts must have the same number of accesses
namespace async_load_layouts {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(
        lds, make_layout(make_tuple(2_I, 1_I), make_tuple(64_I, 1_I), make_tuple(_, _)),
        make_layout(make_tuple(3_I, 1_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
}
}  // namespace async_load_layouts

// == async_load_of_none
// expect: 0 > 0'.*opus: elements below a byte must be accessed in whole bytes
// target: gfx942
namespace async_load_of_none {
__global__ void k(const float* p) {
    __shared__ float lds[64];
    opus::make_gmem(p).async_load<0>(lds, 0);
}
}  // namespace async_load_of_none

// == async_load_policy_as_immediate
// expect: opus: an immediate offset is required here
namespace async_load_policy_as_immediate {
__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0, 0, cache_group_nt);
}
}  // namespace async_load_policy_as_immediate

// == async_load_swizzled_12_bytes
// expect: opus::async_load: 12 bytes leave gaps in LDS, which a swizzled destination cannot have
namespace async_load_swizzled_12_bytes {
__global__ void k(fp6_t* p) {
    __shared__ __attribute__((aligned(16))) u32_t lds[1024];
    const auto u = make_layout(make_tuple(2_I, 64_I, 16_I), make_tuple(1024_I, 16_I, 1_I),
                               make_tuple(_, lane_id(), _));
    make_gmem(p).async_load<16>(lds, u, composition(swizzle<2, 4, 3>{}, u));
}
}  // namespace async_load_swizzled_12_bytes

// == async_load_swizzled_both
// expect: opus::async_load: only one of the two layouts can have a swizzle
namespace async_load_swizzled_both {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = composition(
        swizzle<3, 3, 4>{}, make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                        make_tuple(_, lane, _)));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_both

// == async_load_swizzled_columns
// expect: opus::async_load: what a swizzled destination exchanges must lie side by side in memory
namespace async_load_swizzled_columns {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(1_I, stride, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_columns

// == async_load_swizzled_from_no_coordinate
// expect: opus::async_load: a swizzled destination takes layouts with coordinates
namespace async_load_swizzled_from_no_coordinate {
__global__ void k(float* p) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(64_I);
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_from_no_coordinate

// == async_load_swizzled_if
// expect: opus::async_load_if: not to a swizzled layout
namespace async_load_swizzled_if {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load_if<1>([&](auto...) { return lane < 5; }, lds, from, to);
}
}  // namespace async_load_swizzled_if

// == async_load_swizzled_lanes
// expect: opus::async_load: the coordinate of a swizzled destination must be of lanes or of waves
namespace async_load_swizzled_lanes {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 2_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_lanes

// == async_load_swizzled_lanes_run_time
// expect: opus::async_load: the coordinate of a swizzled destination must be of lanes or of waves
namespace async_load_swizzled_lanes_run_time {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(
        swizzle<3, 3, 4>{}, make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, stride, 1_I),
                                        make_tuple(_, lane, _)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_lanes_run_time

// == async_load_swizzled_rows
// expect: opus::async_load: what a swizzled destination exchanges must lie side by side in memory
namespace async_load_swizzled_rows {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from =
        make_layout(make_tuple(8_I, 4_I, 16_I, 1_I), make_tuple(8 * stride, stride, 1_I, 1_I),
                    make_tuple(_, lane / 16, lane % 16, _));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_rows

// == async_load_swizzled_torn_vector
// expect: opus::swizzle: it would tear apart the vec elements of an access
namespace async_load_swizzled_torn_vector {
__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 1, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<4>(lds, from, to);
}
}  // namespace async_load_swizzled_torn_vector

// == async_load_swizzled_without_coordinate
// expect: opus::async_load: a swizzled destination takes layouts with coordinates
namespace async_load_swizzled_without_coordinate {
__global__ void k(float* p) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane));
    const auto to = composition(swizzle<3, 3, 4>{}, make_layout(64_I));
    make_gmem(p).async_load<1>(lds, from, to);
}
}  // namespace async_load_swizzled_without_coordinate
