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
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

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
