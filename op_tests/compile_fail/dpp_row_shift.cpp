// expect: opus::dpp: a row shift is by 1 .. 15 lanes
#include "opus/opus.hpp"

using namespace opus;

auto shift_into_the_next_control = dpp::row_shl<17>;
