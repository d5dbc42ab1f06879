// expect: opus::dpp::quad_perm: four lanes, each 0 .. 3, are required
#include "opus/opus.hpp"

using namespace opus;

auto lane_of_another_quad = dpp::quad_perm<0, 1, 2, 4>;
