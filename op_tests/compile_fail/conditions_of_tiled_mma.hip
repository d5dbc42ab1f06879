// expect: -1 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -2 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -3 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -4 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -5 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -6 > 0'.*opus::make_tiled_mma: repeats and waves must be
// expect: -7 >= 0'.*opus::tiled_mma: step_k takes k = 0
// expect: 1 < 1'.*opus::tiled_mma: step_k takes k = 0
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

template <index_t... Is>
using repeated = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<Is...>{}, seq<1, 1, 1>{},
                                                                 seq<32, 32, 8>{}));
template <index_t... Is>
using waves = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<Is...>{},
                                                              seq<32, 32, 8>{}));
auto a = repeated<-1, 1, 1>::expd_m;
auto b = repeated<1, -2, 1>::expd_m;
auto c = repeated<1, 1, -3>::expd_m;
auto d = waves<-4, 1, 1>::expd_m;
auto e = waves<1, -5, 1>::expd_m;
auto f = waves<1, 1, -6>::expd_m;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    const repeated<1, 1, 1> mma;
    *c = mma.step_k(number<-7>{}, *a, *a, *c);
    *c = mma.step_k(1_I, *a, *a, *c);
}
