// expect: opus::make_array: at least one value is required
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f() {
    return make_array();
}
