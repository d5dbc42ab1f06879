// expect: opus: the last open dimension of the layout must have a multiple of vec
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
    const auto u = partition_layout_a(mma, make_tuple(64, 1_I), thread_id_x());
    const auto a = load<8>(make_gmem(p), u);
    p[0] = a[0];
}
