// expect: opus::concat_tuple: takes tuples
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f() {
    return concat_tuple(make_tuple(1, 2), 3);
}
