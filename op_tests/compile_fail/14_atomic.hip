#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == atomic_add_across_stride
// expect: opus: an access of vec elements takes them side by side
namespace atomic_add_across_stride {
__global__ void k(fp16_t* p) {
    auto u = make_layout(make_tuple(4_I), make_tuple(8_I), make_tuple(_));
    make_gmem(p).atomic_add<2>(fp16x4_t{}, u);
}
}  // namespace atomic_add_across_stride

// == atomic_add_immediate
// expect: opus: the immediate offset is out of range .0 .. 4095 bytes
namespace atomic_add_immediate {
__global__ void k(float* p) {
    make_gmem(p).atomic_add(1.0f, 0, 0, 4096_I);
}
}  // namespace atomic_add_immediate

// == atomic_add_one_half
// expect: opus::atomic_add: fp16 and bf16 are added in pairs
namespace atomic_add_one_half {
__global__ void k(fp16_t* p) {
    make_gmem(p).atomic_add(static_cast<fp16_t>(1.0f), 0);
}
}  // namespace atomic_add_one_half

// == atomic_add_policy
// expect: opus::atomic_add, atomic_max, ...: the cache policy must be 0
namespace atomic_add_policy {
__global__ void k(float* p) {
    make_gmem(p).atomic_add<1, 0, float, 2>(1.0f, 0);
}
}  // namespace atomic_add_policy

// == atomic_add_policy_of_bytes
// expect: opus::atomic_add, atomic_max, ...: the cache policy must be 0
namespace atomic_add_policy_of_bytes {
__global__ void k(float* p) {
    make_gmem(p)._atomic_add<1, 0, float, 2>(1.0f, 0);
}
}  // namespace atomic_add_policy_of_bytes

// == atomic_add_policy_of_layout
// expect: opus::atomic_add, atomic_max, ...: the cache policy must be 0
namespace atomic_add_policy_of_layout {
__global__ void k(float* p) {
    const auto u = make_layout(make_tuple(2_I), make_tuple(1_I), make_tuple(_));
    using layout = remove_cv_t<decltype(u)>;
    make_gmem(p).atomic_add<1, 0, fp32x2_t, 2>(fp32x2_t{}, u);
}
}  // namespace atomic_add_policy_of_layout

// == atomic_add_type
// expect: opus::atomic_add: fp32, i32 and u32, and fp16 and bf16 in pairs
namespace atomic_add_type {
__global__ void k(u8_t* p) {
    make_gmem(p).atomic_add<4>(u8x4_t{}, 0);
}
}  // namespace atomic_add_type

// == atomic_max_of_fp32
// expect: opus::atomic_max, _min, _and, _or: of global memory i32 and u32
// target: gfx942
namespace atomic_max_of_fp32 {
__global__ void k(float* p) {
    *p = make_gmem(p).atomic_max(1.0f, 0)[0];
}
}  // namespace atomic_max_of_fp32

// == atomic_min_of_fp64
// expect: opus::atomic_max, _min, _and, _or: of global memory i32 and u32
// target: gfx942
namespace atomic_min_of_fp64 {
__global__ void k(double* p) {
    *p = make_gmem(p).atomic_min(1.0, 0)[0];
}
}  // namespace atomic_min_of_fp64
