// expect: opus::make_vector: at least one value is required
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f() {
    return make_vector();
}
