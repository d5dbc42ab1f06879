// expect: opus::concat_vector: takes vectors, at least one
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f() {
    return concat_vector();
}
