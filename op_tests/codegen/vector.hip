// reduce and the functions by element: a kernel for each, with what it is to compile to in
// test_lanes.cpp.
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

extern "C" {
__global__ void sum_of_16_fp32(const fp32x16_t* p, float* q) {
    q[lane_id()] = reduce(p[lane_id()], plus{});
}
__global__ void sum_of_16_fp16(const fp16x16_t* p, fp16_t* q) {
    q[lane_id()] = reduce(p[lane_id()], plus{});
}
__global__ void sum_of_array_fp32(const array<float, 16>* p, float* q) {
    q[lane_id()] = reduce(p[lane_id()], plus{});
}
__global__ void sum_of_array_fp16(const array<fp16_t, 16>* p, fp16_t* q) {
    q[lane_id()] = reduce(p[lane_id()], plus{});
}
__global__ void max_of_16_fp32(const fp32x16_t* p, float* q) {
    q[lane_id()] = reduce(p[lane_id()], maximum{});
}
__global__ void max_of_16_fp32_and_one(const fp32x16_t* p, float* q) {
    q[lane_id()] = reduce(p[lane_id()], maximum{}, q[lane_id()]);
}
__global__ void min_of_16_fp32_in_tiles(const array<fp32x4_t, 4>* p, float* q) {
    q[lane_id()] = reduce(p[lane_id()], minimum{});
}
__global__ void max_of_16_fp16(const fp16x16_t* p, fp16_t* q) {
    q[lane_id()] = reduce(p[lane_id()], maximum{});
}
__global__ void max_of_16_i32(const i32x16_t* p, int* q) {
    q[lane_id()] = reduce(p[lane_id()], maximum{});
}
__global__ void fma_of_8_fp32(fp32x8_t* p, float scale, float offset) {
    p[lane_id()] = opus::fma(p[lane_id()], scale, offset);
}
__global__ void fma_of_8_fp16(fp16x8_t* p) {
    p[lane_id()] = opus::fma(p[lane_id()], p[lane_id() + 64], p[lane_id() + 128]);
}
__global__ void fma_of_tiles(array<fp32x4_t, 2>* p, float scale) {
    p[lane_id()] = opus::fma(p[lane_id()], scale, p[lane_id() + 64]);
}
__global__ void max_of_8_fp16(fp16x8_t* p) {
    p[lane_id()] = max(p[lane_id()] + fp16_t(1), p[lane_id() + 64] + fp16_t(1));
}
__global__ void clip_4_fp32(fp32x4_t* p) {
    p[lane_id()] = med3(p[lane_id()], -4.0f, 4.0f);
}
__global__ void abs_of_8_fp16(fp16x8_t* p) {
    p[lane_id()] = opus::abs(p[lane_id()]);
}
__global__ void four_functions_fp32(fp32x4_t* p) {
    p[lane_id()] = rcp(opus::rsqrt(opus::log2(opus::exp2(p[lane_id()]))));
}
__global__ void four_functions_fp16(fp16x2_t* p) {
    p[lane_id()] = rcp(opus::rsqrt(opus::log2(opus::exp2(p[lane_id()]))));
}
__global__ void sum_of_rows(float* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], plus{}, 15_I);
}
__global__ void sum_of_columns(float* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], plus{}, 48_I);
}
__global__ void max_of_rows(float* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], maximum{}, 15_I);
}
__global__ void max_of_columns(float* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], maximum{}, 48_I);
}
__global__ void max_of_32_columns(float* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], maximum{}, 32_I);
}
__global__ void read_one_lane(double* p, int lane) {
    p[lane_id()] = readlane(p[lane_id()], lane);
}
}
