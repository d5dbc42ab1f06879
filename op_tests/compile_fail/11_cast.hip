#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == bf16_rounding_mode_on_gfx950
// expect: opus::fp32_to_bf16: the rounding mode is 0.* 5
namespace bf16_rounding_mode_on_gfx950 {
__global__ void k(opus::bf16_t* p, float x) {
    *p = opus::fp32_to_bf16(x, opus::number<-1>{});
}
}  // namespace bf16_rounding_mode_on_gfx950
