// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
#include "opus/opus_plus.hpp"

using namespace opus;

bf8_t f(bf8_t a, bf8_t b) {
    return minimum{}(a, b);
}
