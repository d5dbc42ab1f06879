// Accesses of several elements through a layout whose last stride is not known to be 1.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void accesses(float* p, int m, int n) {
    __shared__ float lds[256];
    const auto yes = [](auto, auto) { return true; };
    auto g = make_gmem(p);
    auto s = make_smem(lds);
    auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(m, n), make_tuple(_, _));
    auto cached = make_layout<4>(make_tuple(4_I, 4_I), make_tuple(m, n), make_tuple(_, _));
    auto good = make_layout(make_tuple(4_I, 4_I), make_tuple(m, 1_I), make_tuple(_, _));
    auto x = g.load<4>(u);                               // warns: last stride .*write 1_I
    x += g.load<4>(cached);                              // warns: write 1_I
    x += g.load<2>(u + 4_I);                             // warns: write 1_I
    x += g.load_if<4>(yes, u);                           // warns: write 1_I
    x += s.load<4>(u);                                   // warns: write 1_I
    x += s.load<4>(composition(swizzle<2, 2, 2>{}, u));  // warns: write 1_I
    x += load<4>(g, u);                                  // warns: write 1_I
    g.store<4>(x, u);                                    // warns: write 1_I
    g.store_if<2>(yes, x, u);                            // warns: write 1_I
    store<4>(g, x, u);                                   // warns: write 1_I
    s.store<4>(x, u);                                    // warns: write 1_I
    x += g.load<1>(u) + g.load<4>(good) + s.load<4>(good);
    g.store<1>(x, u);
    g.store<4>(x, good);
}

// C of an mma that is not swapped has its columns across lanes.
__global__ void store_c(float* c, int m, int n) {
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const int lane = lane_id();
    auto u = partition_layout_c(mma, make_tuple(m, n), make_tuple(lane / 32, lane % 32));
    decltype(mma)::vtype_c acc{0};
    make_gmem(c).store<1>(acc, u);
    make_gmem(c).store<4>(acc, u);  // warns: write 1_I
}
