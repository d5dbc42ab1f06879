// DPP, shuffles, reductions, order, division, atomics: a kernel for each, with what it is to
// compile to in test_lanes.cpp.
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

// Of floats and of integers in LDS, with and without the old values; the lanes' places differ.
template <class T>
__device__ void change_lds(T* lds, T* p, const int* from) {
    const auto s = make_smem(lds);
    const int lane = lane_id();
    const int at = from[lane];
    p[lane] = s.atomic_add(p[lane], at)[0];
    p[lane + 64] = s.atomic_max(p[lane + 64], at + 9)[0];
    p[lane + 128] = s.atomic_min(p[lane + 128], at)[0];
    s.atomic_add(p[lane + 192], at);
    s.atomic_max(p[lane + 256], at);
    s.atomic_min(p[lane + 320], at);
    if constexpr (__is_integral(T)) {
        p[lane + 384] = s.atomic_and(p[lane + 384], at)[0];
        p[lane + 448] = s.atomic_or(p[lane + 448], at)[0];
        s.atomic_and(p[lane + 512], at);
        s.atomic_or(p[lane + 576], at);
    }
}

extern "C" {
__global__ void move_one(float* p) {
    p[lane_id()] = mov_dpp(p[lane_id()], dpp::row_shr<1>);
}
__global__ void move_two(double* p) {
    p[lane_id()] = mov_dpp(p[lane_id()], number<0x111>{});
}
__global__ void update_masked(const int* p, int* old) {
    old[lane_id()] =
        upd_dpp(old[lane_id()], p[lane_id()], dpp::quad_perm<3, 2, 1, 0>, 5_I, 6_I, false_type{});
}
__global__ void move_and_add(float* p) {
    p[lane_id()] = p[lane_id() + 64] + mov_dpp(p[lane_id()], dpp::row_mirror);
}
__global__ void wave_sum_fp32(float* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], plus{});
}
__global__ void wave_sum_fp16(fp16_t* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], plus{});
}
__global__ void wave_max_fp32(float* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], maximum{});
}
__global__ void wave_max_fp16(fp16_t* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], maximum{});
}
__global__ void wave_min_fp32(float* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], minimum{});
}
__global__ void wave_min_fp16(fp16_t* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], minimum{});
}
__global__ void block_sum_fp32(float* p) {
    __shared__ float smem[4];
    p[thread_id_x()] = reduce_block<256>(p[thread_id_x()], plus{}, smem);
}
__global__ void wave_max_i32(int* p) {
    p[lane_id()] = reduce_wave(p[lane_id()], maximum{});
}
__global__ void row_max_i32(int* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], maximum{}, 15_I);
}
__global__ void max_of_four_quads_i32(int* p) {
    p[lane_id()] = reduce_lanes(p[lane_id()], maximum{}, 12_I);
}
__global__ void wave_scan_fp32(float* p) {
    p[lane_id()] = scan_wave(p[lane_id()], plus{});
}
__global__ void wave_scan_max_fp32(float* p) {
    p[lane_id()] = scan_wave(p[lane_id()], maximum{});
}
__global__ void wave_scan_max_i32(int* p) {
    p[lane_id()] = scan_wave(p[lane_id()], maximum{});
}
__global__ void wave_scan_exclusive_u32(u32_t* p) {
    p[lane_id()] = scan_wave_exclusive(p[lane_id()], plus{}, 0u);
}
__global__ void block_scan_fp32(float* p) {
    __shared__ float smem[4];
    p[thread_id_x()] = scan_block<256>(p[thread_id_x()], plus{}, smem);
}
__global__ void shuffle_four(float* p, const int* from) {
    p[lane_id()] = shfl(p[lane_id()], from[lane_id()]);
}
__global__ void shuffle_eight(double* p, const int* from) {
    p[lane_id()] = shfl(p[lane_id()], from[lane_id()], 16_I);
}
__global__ void shuffle_xor_1(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 1_I);
}
__global__ void shuffle_xor_4(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 4_I);
}
__global__ void shuffle_xor_5(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 5_I);
}
__global__ void shuffle_xor_12(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 12_I);
}
__global__ void shuffle_xor_8(double* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 8_I, 16_I);
}
__global__ void shuffle_xor_16(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 16_I);
}
__global__ void shuffle_xor_32(float* p) {
    p[lane_id()] = shfl_xor(p[lane_id()], 32_I);
}
__global__ void shuffle_xor_in_loop(float* p) {
    float x = p[lane_id()];
    for (int mask = 8; mask > 0; mask /= 2) {
        x += shfl_xor(x, mask);
    }
    p[lane_id()] = x;
}
__global__ void shuffle_xor_unknown(float* p, int mask) {
    p[lane_id()] = shfl_xor(p[lane_id()], mask);
}
__global__ void shuffle_up_1(float* p) {
    p[lane_id()] = shfl_up(p[lane_id()], 1_I);
}
__global__ void shuffle_up_3_of_8(float* p) {
    p[lane_id()] = shfl_up(p[lane_id()], 3_I, 8_I);
}
__global__ void shuffle_down_5_of_16(float* p) {
    p[lane_id()] = shfl_down(p[lane_id()], 5_I, 16_I);
}
__global__ void shuffle_down_7_of_8(float* p) {
    p[lane_id()] = shfl_down(p[lane_id()], 7_I, 8_I);
}
__global__ void max_of_three(float* p, const float* q) {
    p[lane_id()] = max3(p[lane_id()], q[lane_id()], q[lane_id() + 64]);
}
__global__ void median_fp32(float* p) {
    p[lane_id()] = med3(p[lane_id()], 0.5f, p[lane_id() + 64]);
}
__global__ void median_fp16(fp16_t* p) {
    p[lane_id()] = med3(p[lane_id()], p[lane_id() + 128], p[lane_id() + 64]);
}
__global__ void median_i32(int* p) {
    p[lane_id()] = med3(p[lane_id()], p[lane_id() + 128], p[lane_id() + 64]);
}
__global__ void divide(u32_t* p, mdiv m) {
    p[lane_id()] = m.div(p[lane_id()]);
}
__global__ void divide_int(int* p, mdiv m) {
    p[lane_id()] = static_cast<int>(m.div(p[lane_id()]));
}
__global__ void lds_atomics_fp32(float* p, const int* from) {
    extern __shared__ float lds_fp32[];
    change_lds(lds_fp32, p, from);
}
__global__ void lds_atomics_i32(int* p, const int* from) {
    extern __shared__ int lds_i32[];
    change_lds(lds_i32, p, from);
}
__global__ void lds_atomics_u32(u32_t* p, const int* from) {
    extern __shared__ u32_t lds_u32[];
    change_lds(lds_u32, p, from);
}
__global__ void global_max(int* p, const int* from) {
    make_gmem(p, 1024).atomic_max(from[lane_id()], lane_id());
}
__global__ void global_atomics(int* p, u32_t* q, const int* from) {
    const int x = from[lane_id()];
    const u32_t y = static_cast<u32_t>(x);
    const auto g = make_gmem(p);
    const auto h = make_gmem(q);
    p[lane_id()] = g.atomic_max(x, lane_id() + 64)[0];
    g.atomic_min(x, lane_id() + 128);
    h.atomic_max(y, lane_id());
    q[lane_id() + 64] = h.atomic_min(y, lane_id())[0];
}
__global__ void ask_all(int* p) {
    if (warp_all(p[lane_id()] > 0)) {
        p[lane_id()] = 0;
    }
}
}
