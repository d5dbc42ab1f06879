// expect: opus::atomic_add, atomic_max, ...: the cache policy must be 0
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const auto u = make_layout(make_tuple(2_I), make_tuple(1_I), make_tuple(_));
    using layout = remove_cv_t<decltype(u)>;
    make_gmem(p).atomic_add<1, 0, fp32x2_t, layout, 2>(fp32x2_t{}, u);
}
