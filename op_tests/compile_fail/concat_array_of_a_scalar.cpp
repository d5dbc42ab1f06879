// expect: opus::concat_array: takes arrays, at least one
#include "opus/opus.hpp"

using namespace opus;

auto f(array<int, 2> a) {
    return concat_array(a, 3);
}
