// expect: opus::vectorize_issue_space: the last y-dim must be a multiple of the vector
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_layout<4>(opus::make_tuple(6_I), opus::make_tuple(1_I), opus::make_tuple(_));
