// expect: opus::tuple: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = get<2>(make_tuple(1, 2_I));
