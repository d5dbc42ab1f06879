#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_mfma
// expect: -1 > 0'.*opus::mfma: M, N and K must
// expect: -2 > 0'.*opus::mfma: M, N and K must
// expect: -1 >= 0'.*opus::mfma: sel_a and sel_b are bytes
// expect: 4 . steps <= 4'.*opus::mfma: sel_a and sel_b are bytes
// expect: -2 >= 0'.*opus::mfma: sel_a and sel_b are bytes
// expect: 5 . steps <= 4'.*opus::mfma: sel_a and sel_b are bytes
// expect: 1 == 0'.*opus::mfma: the f8f6f4 instructions have no
// expect: 2 == 0'.*opus::mfma: the f8f6f4 instructions have no
// expect: 3 == 0'.*opus::mfma: the f8f6f4 instructions have no
// expect: 1 == 0'.*opus::mfma: the fp64 instructions have no
// expect: 2 == 0'.*opus::mfma: the fp64 instructions have no
// expect: -3 >= 0'.*opus::mfma: 2.cbsz blocks get the same
// expect: -4 >= 0'.*opus::mfma: abid is 0 .. 2.cbsz
// expect: 1 < .1 << 0.'.*opus::mfma: abid is 0 .. 2.cbsz
// expect: -5 >= 0'.*opus::mfma: blgp is 0 .. 7
// expect: 8 < 8'.*opus::mfma: blgp is 0 .. 7
// target: gfx950
namespace conditions_of_mfma {
mfma<fp16_t, fp16_t, fp32_t, -1, 32, 8> no_m;
mfma<fp16_t, fp16_t, fp32_t, 32, -2, 8> no_n;

__global__ void k(const i32x8_t* a, fp32x4_t* c, const fp16x4_t* h, fp32x16_t* d, const double* e,
                  fp64x4_t* f, int s) {
    const mfma_f32_16x16x128_fp4_fp4 mma;
    *c = mma(*a, *a, *c, s, s, number<-1>{}, 0_I);
    *c = mma(*a, *a, *c, s, s, 4_I, 0_I);
    *c = mma(*a, *a, *c, s, s, 0_I, number<-2>{});
    *c = mma(*a, *a, *c, s, s, 0_I, 5_I);
    *c = mma(*a, *a, *c, 1_I, 0_I, 0_I);
    *c = mma(*a, *a, *c, 0_I, 2_I, 0_I);
    *c = mma(*a, *a, *c, 0_I, 0_I, 3_I);
    *f = mfma_f64_16x16x4_f64{}(*e, *e, *f, 1_I, 0_I);
    *f = mfma_f64_16x16x4_f64{}(*e, *e, *f, 0_I, 2_I);
    *d = mfma_f32_32x32x8_f16{}(*h, *h, *d, number<-3>{}, 0_I);
    *d = mfma_f32_32x32x8_f16{}(*h, *h, *d, 0_I, number<-4>{});
    *d = mfma_f32_32x32x8_f16{}(*h, *h, *d, 0_I, 1_I);
    *d = mfma_f32_32x32x8_f16{}(*h, *h, *d, 0_I, 0_I, number<-5>{});
    *d = mfma_f32_32x32x8_f16{}(*h, *h, *d, 0_I, 0_I, 8_I);
}
}  // namespace conditions_of_mfma

// == mfma_abid
// expect: opus::mfma: abid is 0 .. 2.cbsz - 1
namespace mfma_abid {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_16x16x4_4b_f16{}(*a, *a, *c, 1_I, 2_I);
}
}  // namespace mfma_abid

// == mfma_blgp
// expect: opus::mfma: blgp is 0 .. 7
namespace mfma_blgp {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *a, *c, 0_I, 0_I, 8_I);
}
}  // namespace mfma_blgp

// == mfma_cbsz
// expect: opus::mfma: 2.cbsz blocks get the same part of A
namespace mfma_cbsz {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *a, *c, 1_I, 0_I);
}
}  // namespace mfma_cbsz

// == mfma_cbsz_of_blocks
// expect: opus::mfma: 2.cbsz blocks get the same part of A
namespace mfma_cbsz_of_blocks {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_16x16x4_4b_f16{}(*a, *a, *c, 3_I, 0_I);
}
}  // namespace mfma_cbsz_of_blocks

// == mfma_cbsz_of_fp64
// expect: opus::mfma: the fp64 instructions have no cbsz and abid
namespace mfma_cbsz_of_fp64 {
__global__ void k(const double* a, double* c) {
    *c = mfma_f64_4x4x4_4b_f64{}(*a, *a, fp64x1_t{*c}, 1_I, 0_I)[0];
}
}  // namespace mfma_cbsz_of_fp64

// == mfma_controls_not_constant
// expect: opus::mfma: takes .a, b., .*cbsz, abid,
namespace mfma_controls_not_constant {
__global__ void k(fp32x4_t* c, const fp16x4_t* a) {
    *c = mfma_f32_4x4x4_16b_f16{}(*a, *a, *c, 0, 0, 0);
}
}  // namespace mfma_controls_not_constant

// == mfma_controls_of_formats
// expect: opus::mfma: the f8f6f4 instructions have no cbsz, abid and blgp
// target: gfx950
namespace mfma_controls_of_formats {
__global__ void k(const i32x8_t* a, fp32x4_t* c) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, 0_I, 0_I, 1_I);
}
}  // namespace mfma_controls_of_formats

// == mfma_fp4_on_gfx942
// expect: opus::mfma: this instruction exists on gfx950; the target is gfx942
// target: gfx942
namespace mfma_fp4_on_gfx942 {
__global__ void k(const array<fp4_t, 32>* a, fp32x4_t* c) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c);
}
}  // namespace mfma_fp4_on_gfx942

// == mfma_on_another_target
// expect: opus::mfma: this instruction exists on gfx942 and gfx950; the target is gfx90a
// target: gfx90a
namespace mfma_on_another_target {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *a, *c);
}
}  // namespace mfma_on_another_target

// == mfma_one_scale
// expect: opus::mfma: takes .a, b., .*both scales
namespace mfma_one_scale {
__global__ void k(fp32x4_t* c, const i32x8_t* a, int scale) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, scale);
}
}  // namespace mfma_one_scale

// == mfma_operand_array
// expect: opus::mfma: operand B is an array that must have the operand.s elements, all of them
namespace mfma_operand_array {
__global__ void k(const array<fp16_t, 8>* a, const fp16x4_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*b, *a, *c);
}
}  // namespace mfma_operand_array

// == mfma_operand_of_bf16
// expect: operand_given<__bf16>, .*operand_wanted<(__fp16|_Float16)>.*operand B has elements of another floating-point type
namespace mfma_operand_of_bf16 {
__global__ void k(const fp16x4_t* a, const bf16x4_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *b, *c);
}
}  // namespace mfma_operand_of_bf16

// == mfma_operand_of_bf8
// expect: operand A has elements of another floating-point type
namespace mfma_operand_of_bf8 {
__global__ void k(const bf8x8_t* a, const fp8x8_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x16_fp8_fp8{}(*a, *b, *c);
}
}  // namespace mfma_operand_of_bf8

// == mfma_operand_of_fp6
// expect: operand B has elements of another floating-point type
// target: gfx950
namespace mfma_operand_of_fp6 {
__global__ void k(const vector_t<fp6_t, 32>* a, const vector_t<fp6_t, 32>* b, fp32x4_t* c) {
    *c = mfma_f32_16x16x128_f8f6f4<fp6_t, bf6_t>{}(*a, *b, *c);
}
}  // namespace mfma_operand_of_fp6

// == mfma_operand_size
// expect: 'A' != 'A'.*operand_given<.*ext_vector_type.8.*operand_wanted<.*ext_vector_type.4.*opus::mfma: operand A must be the instruction's vector
namespace mfma_operand_size {
__global__ void k(fp32x4_t* c, const fp16x8_t* a, const fp16x4_t* b) {
    *c = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I)(*a, *b, *c);
}
}  // namespace mfma_operand_size

// == mfma_raw_c
// expect: opus::mfma: operand C must be the instruction.s vector
namespace mfma_raw_c {
__global__ void k(fp32x4_t* c, const fp16x4_t* a) {
    *c = mfma_f32_16x16x16_f16{}(*a, *a, fp32x2_t{});
}
}  // namespace mfma_raw_c

// == mfma_raw_operand
// expect: operand_given<int .*operand A must be the instruction.s vector
// target: gfx950
namespace mfma_raw_operand {
__global__ void k(const i32x8_t* a, fp32x4_t* c) {
    *c = mfma<fp6_t, fp6_t, fp32_t, 16, 16, 256>{}(*a, *a, *c);
}
}  // namespace mfma_raw_operand

// == mfma_scale_of_float
// expect: opus::mfma: a scale is a word of E8M0 bytes
// target: gfx950
namespace mfma_scale_of_float {
__global__ void k(const i32x8_t* a, fp32x4_t* c, float s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s);
}
}  // namespace mfma_scale_of_float

// == mfma_scale_select
// expect: opus::mfma: sel_a and sel_b are bytes 0 .. 3
namespace mfma_scale_select {
__global__ void k(const i32x8_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s, 0_I, 4_I);
}
}  // namespace mfma_scale_select

// == mfma_scale_select_of_steps
// expect: opus::mfma: sel_a and sel_b are bytes 0 .. 3.*each step needs one
namespace mfma_scale_select_of_steps {
__global__ void k(const array<fp4_t, 64>* a, fp32x4_t* c, int s) {
    *c = mfma<fp4_t, fp4_t, fp32_t, 16, 16, 256>{}(*a, *a, *c, s, s, 3_I, 0_I);
}
}  // namespace mfma_scale_select_of_steps

// == mfma_scaled_fp4_on_gfx942
// expect: opus::mfma: this instruction exists on gfx950; the target is gfx942
// target: gfx942
namespace mfma_scaled_fp4_on_gfx942 {
__global__ void k(const array<fp4_t, 32>* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s);
}
}  // namespace mfma_scaled_fp4_on_gfx942

// == mfma_scales_of_f16
// expect: opus::mfma: scales are for the f8f6f4 instructions of gfx950.*the target is gfx950
// target: gfx950
namespace mfma_scales_of_f16 {
__global__ void k(const fp16x8_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x32_f16{}(*a, *a, *c, s, s);
}
}  // namespace mfma_scales_of_f16

// == mfma_scales_on_gfx942
// expect: opus::mfma: scales are for the f8f6f4 instructions of gfx950.*the target is gfx942
// target: gfx942
namespace mfma_scales_on_gfx942 {
__global__ void k(const fp8x32_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp8_fp8{}(*a, *a, *c, s, s);
}
}  // namespace mfma_scales_on_gfx942

// == mfma_swapped_operand_of_bf16
// expect: operand A has elements of another floating-point type
namespace mfma_swapped_operand_of_bf16 {
__global__ void k(const bf16x4_t* a, const fp16x4_t* b, fp32x16_t* c) {
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    *c = mma(*a, *b, *c);
}
}  // namespace mfma_swapped_operand_of_bf16

// == mfma_swapped_operand_size
// expect: opus::mfma: operand B must be the instruction's vector
namespace mfma_swapped_operand_size {
__global__ void k(fp32x4_t* c, const fp16x4_t* a, const fp16x2_t* b) {
    *c = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{})(*a, *b);
}
}  // namespace mfma_swapped_operand_size

// == mfma_warp_size
// expect: opus::mfma: waves of these targets have 64 lanes
namespace mfma_warp_size {
__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8, 32>{}(*a, *a);
}
}  // namespace mfma_warp_size

// == mfma_xf32_on_gfx950
// expect: opus::mfma: this instruction exists on gfx942; the target is gfx950
// target: gfx950
namespace mfma_xf32_on_gfx950 {
__global__ void k(const fp32x2_t* a, fp32x4_t* c) {
    *c = mfma_f32_16x16x8_xf32{}(*a, *a, *c);
}
}  // namespace mfma_xf32_on_gfx950
