// A kernel of types and casts alone: what it costs beyond the include are its own conversions.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void convert(const fp32x8_t* in, fp8x8_t* codes, bf16x8_t* halves, fp32x8_t* back) {
    const index_t i = thread_id_x();
    codes[i] = cast<fp8_t>(in[i]);
    halves[i] = cast<bf16_t>(in[i], number<0>{});
    back[i] = cast<fp32_t>(codes[i]);
}
