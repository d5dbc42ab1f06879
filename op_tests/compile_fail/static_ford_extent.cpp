// expect: opus::static_ford: extents must not be negative
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f() {
    static_ford<2, -1>([](auto, auto) {});
}
