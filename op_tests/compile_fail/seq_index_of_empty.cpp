// expect: opus::seq: an empty seq has no element
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

int f() {
    return seq<>::at(0);
}
