// expect: opus::dpp::row_newbcast: the lane is 0 .. 15
#include "opus/opus.hpp"

using namespace opus;

auto lane_of_another_row = dpp::row_newbcast<16>;
