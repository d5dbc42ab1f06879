// expect: opus::concat_vector: takes vectors, at least one
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f(fp32x2_t x) {
    return concat_vector(x, 1.0f);
}
