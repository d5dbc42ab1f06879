// expect: opus::tuple_count: takes a tuple
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

int f() {
    return tuple_count<int, int>();
}
