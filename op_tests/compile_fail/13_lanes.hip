#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

// == abs_of_integers
// expect: opus::abs: fp64, fp32 or fp16 is required
namespace abs_of_integers {
__global__ void k(i32x4_t* p) {
    *p = opus::abs(*p);
}
}  // namespace abs_of_integers

// == ballot_on_another_target
// expect: opus::ballot, warp_all: gfx942 and gfx950 only; the target is gfx1100
// target: gfx1100
namespace ballot_on_another_target {
__global__ void k(u64_t* p) {
    *p = ballot(true);
}
}  // namespace ballot_on_another_target

// == conditions_of_lanes
// expect: 0 >= 1'.*opus::dpp: a row shift is by
// expect: 16 <= 15'.*opus::dpp: a row shift is by
// expect: -1 >= 0'.*opus::dpp::quad_perm: four lanes, each 0 ..
// expect: 4 <= 3'.*opus::dpp::quad_perm: four lanes, each 0 ..
// expect: -2 >= 0'.*opus::dpp::row_newbcast: the lane is 0 ..
// expect: 16 <= 15'.*opus::dpp::row_newbcast: the lane is 0 ..
// expect: -3 >= 0'.*opus::mov_dpp, upd_dpp: row_mask is 0 ..
// expect: 17 <= 15'.*opus::mov_dpp, upd_dpp: row_mask is 0 ..
// expect: -4 >= 0'.*opus::mov_dpp, upd_dpp: bank_mask is 0 ..
// expect: 18 <= 15'.*opus::mov_dpp, upd_dpp: bank_mask is 0 ..
// expect: 0>::value >= 1'.*opus::shfl: the width is a power
// expect: 128>::value <= get_warp_size..'.*opus::shfl: the width is a power
// expect: 3>::value - 1.* == 0'.*opus::shfl: the width is a power
// expect: threads >= 1'.*opus::reduce_block: the number of threads that count is
// expect: waves <= 16'.*opus::reduce_block: the number of threads that count is
// expect: 0 >= 1'.*opus::scan_block: the number of threads is
// expect: 17 <= 16'.*opus::scan_block: the number of threads is
namespace conditions_of_lanes {
__global__ void k(int* p) {
    auto s = dpp::row_shr<0>;
    auto t = dpp::row_shr<16>;
    auto r = dpp::quad_perm<0, 1, 2, -1>;
    auto u = dpp::quad_perm<0, 1, 2, 4>;
    auto v = dpp::row_newbcast<-2>;
    auto w = dpp::row_newbcast<16>;
    *p = mov_dpp(*p, dpp::row_mirror, number<-3>{});
    *p = mov_dpp(*p, dpp::row_mirror, 17_I);
    *p = mov_dpp(*p, dpp::row_mirror, 0_I, number<-4>{});
    *p = mov_dpp(*p, dpp::row_mirror, 0_I, 18_I);
    *p = shfl(*p, 1, 0_I);
    *p = shfl(*p, 1, 128_I);
    *p = shfl(*p, 1, 3_I);
    *p = reduce_block<0>(*p, plus{}, p + 1);
    *p = reduce_block<1025>(*p, plus{}, p + 1);
    *p = scan_block<0>(*p, plus{}, p + 1);
    *p = scan_block_exclusive<5, 5, 41>(*p, plus{}, 0, p + 1);
}
}  // namespace conditions_of_lanes

// == dpp_bank_mask
// expect: opus::mov_dpp, upd_dpp: bank_mask is 0 .. 15
namespace dpp_bank_mask {
__global__ void k(int* p) {
    *p = upd_dpp(0, *p, dpp::row_mirror, 15_I, number<-1>{});
}
}  // namespace dpp_bank_mask

// == dpp_control
// expect: opus::mov_dpp, upd_dpp: the control must be one of gfx9
namespace dpp_control {
__global__ void k(int* p) {
    *p = mov_dpp(*p, 0x110_I);
}
}  // namespace dpp_control

// == dpp_control_of_gfx10
// expect: opus::mov_dpp, upd_dpp: the control must be one of gfx9
namespace dpp_control_of_gfx10 {
__global__ void k(int* p) {
    *p = mov_dpp(*p, 0x160_I);  // row_share of gfx10
}
}  // namespace dpp_control_of_gfx10

// == dpp_on_another_target
// expect: opus: DPP, shuffles and reductions are for gfx942 and gfx950; the target is gfx1100
// target: gfx1100
namespace dpp_on_another_target {
__global__ void k(int* p) {
    *p = mov_dpp(*p, dpp::row_mirror);
}
}  // namespace dpp_on_another_target

// == dpp_row_mask
// expect: opus::mov_dpp, upd_dpp: row_mask is 0 .. 15
namespace dpp_row_mask {
__global__ void k(int* p) {
    *p = mov_dpp(*p, dpp::row_mirror, 16_I);
}
}  // namespace dpp_row_mask

// == dpp_size
// expect: opus: a value for another lane has 1, 2 or a multiple of 4 bytes
namespace dpp_size {
struct three_bytes {
    char x[3];
};
__global__ void k(three_bytes* p) {
    *p = mov_dpp(*p, dpp::row_mirror);
}
}  // namespace dpp_size

// == exp2_of_fp64
// expect: opus::exp2: fp32 or fp16 is required
namespace exp2_of_fp64 {
__global__ void k(fp64_t* p) {
    *p = opus::exp2(*p);
}
}  // namespace exp2_of_fp64

// == fma_of_integers
// expect: opus::fma: fp64, fp32 or fp16 is required
namespace fma_of_integers {
__global__ void k(i32x4_t* p) {
    *p = opus::fma(*p, p[1], p[2]);
}
}  // namespace fma_of_integers

// == fma_scalar_of_another_type
// expect: the operands beside a vector are vectors of its type or scalars
namespace fma_scalar_of_another_type {
__global__ void k(fp32x4_t* p) {
    *p = opus::fma(*p, 2.0, p[2]);
}
}  // namespace fma_scalar_of_another_type

// == max_of_bf16
// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
namespace max_of_bf16 {
__global__ void k(bf16_t* p) {
    *p = max(*p, p[1]);
}
}  // namespace max_of_bf16

// == max_of_vector_and_int
// expect: the operands beside a vector are vectors of its type or scalars
namespace max_of_vector_and_int {
__global__ void k(fp32x4_t* p) {
    *p = max(*p, 0);
}
}  // namespace max_of_vector_and_int

// == rcp_of_bf16
// expect: opus::rcp: fp32 or fp16 is required
namespace rcp_of_bf16 {
__global__ void k(bf16x4_t* p) {
    *p = rcp(*p);
}
}  // namespace rcp_of_bf16

// == readlane_range
// expect: opus::readlane: the lane is 0 .. 63
namespace readlane_range {
__global__ void k(float* p) {
    *p = readlane(*p, 64_I);
}
}  // namespace readlane_range

// == reduce_block_function_template
// expect: opus::reduce_wave, reduce_block: a function object is required .maximum
namespace reduce_block_function_template {
__global__ void k(float* p) {
    *p = reduce_block(*p, min, p + 1);
}
}  // namespace reduce_block_function_template

// == reduce_block_known_function_template
// expect: opus::reduce_wave, reduce_block: a function object is required .maximum
namespace reduce_block_known_function_template {
__global__ void k(float* p) {
    *p = reduce_block<256>(*p, max, p + 1);
}
}  // namespace reduce_block_known_function_template

// == reduce_block_of_bf8
// expect: opus::reduce_wave, reduce_block: the compiler takes codes of fp8 and bf8 for integers
namespace reduce_block_of_bf8 {
__global__ void k(bf8x4_t* p) {
    __shared__ bf8x4_t lds[16];
    *p = reduce_block(*p, plus{}, lds);
}
}  // namespace reduce_block_of_bf8

// == reduce_block_threads
// expect: opus::reduce_block: the number of threads that count is 1 .. 1024
namespace reduce_block_threads {
__global__ void k(float* p) {
    *p = reduce_block<1025>(*p, plus{}, p + 1);
}
}  // namespace reduce_block_threads

// == reduce_first_of_another_type
// expect: opus::reduce: takes a vector or array with elements
namespace reduce_first_of_another_type {
__global__ void k(fp32x4_t* p, float* q) {
    *q = reduce(*p, plus{}, 0);
}
}  // namespace reduce_first_of_another_type

// == reduce_lanes_mask
// expect: opus::reduce_lanes: the mask has bits of lane numbers, 0 .. 63
namespace reduce_lanes_mask {
__global__ void k(float* p) {
    *p = reduce_lanes(*p, plus{}, 64_I);
}
}  // namespace reduce_lanes_mask

// == reduce_lanes_of_fp8
// expect: opus::reduce_lanes: the compiler takes codes of fp8 and bf8 for integers
namespace reduce_lanes_of_fp8 {
__global__ void k(fp8_t* p) {
    *p = reduce_lanes(*p, maximum{}, 15_I);
}
}  // namespace reduce_lanes_of_fp8

// == reduce_of_fp4
// expect: opus::reduce: the compiler takes codes for integers
namespace reduce_of_fp4 {
__global__ void k(array<fp4_t, 4>* p, fp4_t* q) {
    *q = reduce(*p, maximum{});
}
}  // namespace reduce_of_fp4

// == reduce_of_fp8
// expect: opus::reduce: the compiler takes codes for integers
namespace reduce_of_fp8 {
__global__ void k(fp8x4_t* p, fp8_t* q) {
    *q = reduce(*p, maximum{});
}
}  // namespace reduce_of_fp8

// == reduce_wave_function_template
// expect: opus::reduce_wave, reduce_block: a function object is required .maximum
namespace reduce_wave_function_template {
__global__ void k(float* p) {
    *p = reduce_wave(*p, max);
}
}  // namespace reduce_wave_function_template

// == reduce_wave_of_fp8
// expect: opus::reduce_wave, reduce_block: the compiler takes codes of fp8 and bf8 for integers
namespace reduce_wave_of_fp8 {
__global__ void k(fp8_t* p) {
    *p = reduce_wave(*p, plus{});
}
}  // namespace reduce_wave_of_fp8

// == scan_block_threads
// expect: opus::scan_block: the number of threads is 1 .. 1024
// target: gfx942
namespace scan_block_threads {
__global__ void k(float* p) {
    *p = scan_block<1025>(*p, plus{}, p + 1);
}
}  // namespace scan_block_threads

// == scan_wave_of_fp8
// expect: opus::scan_wave, scan_block: the compiler takes codes of fp8 and bf8 for integers
// target: gfx942
namespace scan_wave_of_fp8 {
__global__ void k(fp8_t* p) {
    *p = scan_wave(*p, plus{});
}
}  // namespace scan_wave_of_fp8

// == shfl_number_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_number_width {
__global__ void k(float* p) {
    *p = shfl(*p, static_cast<int>(thread_id_x()), number<12>{});
}
}  // namespace shfl_number_width

// == shfl_of_a_class
// expect: opus: only plain values can go to another lane
namespace shfl_of_a_class {
struct copied {
    int value;
    __device__ copied(int v) : value(v) {}
    __device__ copied(const copied& other) : value(other.value + 1) {}
};

__global__ void k(int* p) {
    *p = shfl(copied(*p), 3).value;
}
}  // namespace shfl_of_a_class

// == shfl_up_integer_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_up_integer_width {
__global__ void k(float* p, int delta) {
    *p = shfl_up(*p, delta, number<12>{});
}
}  // namespace shfl_up_integer_width

// == shfl_up_number_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_up_number_width {
__global__ void k(float* p) {
    *p = shfl_up(*p, number<1>{}, number<12>{});
}
}  // namespace shfl_up_number_width

// == shfl_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_width {
__global__ void k(int* p) {
    *p = shfl(*p, 0, 12_I);
}
}  // namespace shfl_width

// == shfl_xor_number_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_xor_number_width {
__global__ void k(float* p) {
    *p = shfl_xor(*p, number<1>{}, number<12>{});
}
}  // namespace shfl_xor_number_width

// == shfl_xor_width
// expect: opus::shfl: the width is a power of two, 1 .. 64
namespace shfl_xor_width {
__global__ void k(int* p) {
    *p = shfl_xor(*p, 1, 128_I);
}
}  // namespace shfl_xor_width

// == warp_all_on_another_target
// expect: opus::ballot, warp_all: gfx942 and gfx950 only; the target is gfx1100
// target: gfx1100
namespace warp_all_on_another_target {
__global__ void k(bool* p) {
    *p = warp_all(true);
}
}  // namespace warp_all_on_another_target
