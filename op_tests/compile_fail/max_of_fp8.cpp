// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
#include "opus/opus.hpp"

using namespace opus;

fp8_t f(fp8_t a, fp8_t b) {
    return opus::max(a, b);
}
