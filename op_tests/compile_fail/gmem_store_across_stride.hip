// expect: opus: an access of vec elements takes them side by side.*mfma_adaptor_swap_ab
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    auto u = mma.layout_c_packed(make_tuple(lane_id() / 32, lane_id() % 32));
    make_gmem(p).store<4>(decltype(mma)::vtype_c{0}, u);
}
