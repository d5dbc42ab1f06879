// A function of many products with scales, called at two places. LLVM's inliner for these targets
// stops at 1100 basic blocks.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

namespace {
using scaled = mfma<fp8_t, fp8_t, fp32_t, 16, 16, 128>;
constexpr int products = 128;

__device__ void multiply(const scaled::vtype_a* a, const scaled::vtype_b* b,
                         scaled::vtype_c (&c)[products], int scale_a, int scale_b) {
    static_for<products>([&](auto i) {
        c[i.value] = scaled{}(a[i.value], b[i.value], c[i.value], scale_a, scale_b);
    });
}
}  // namespace

extern "C" __global__ void two_calls(const scaled::vtype_a* a, const scaled::vtype_b* b,
                                     scaled::vtype_c* p, int scale_a, int scale_b, int n) {
    scaled::vtype_c c[products] = {};
    if (n & 1) {
        multiply(a, b, c, scale_a, scale_b);
    }
    if (n & 2) {
        multiply(a + products, b, c, scale_b, scale_a);
    }
    for (int i = 0; i < products; i++) {
        p[i * 64 + thread_id_x()] = c[i];
    }
}
