// expect: opus::merge_peepholed_tuple: as many values as underscores
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = merge_peepholed_tuple(opus::make_tuple(_, 1), opus::make_tuple(1, 2));
