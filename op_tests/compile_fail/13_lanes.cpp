#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == dpp_newbcast
// expect: opus::dpp::row_newbcast: the lane is 0 .. 15
namespace dpp_newbcast {
auto lane_of_another_row = dpp::row_newbcast<16>;
}  // namespace dpp_newbcast

// == dpp_quad_perm
// expect: opus::dpp::quad_perm: four lanes, each 0 .. 3, are required
namespace dpp_quad_perm {
auto lane_of_another_quad = dpp::quad_perm<0, 1, 2, 4>;
}  // namespace dpp_quad_perm

// == dpp_row_shift
// expect: opus::dpp: a row shift is by 1 .. 15 lanes
namespace dpp_row_shift {
auto shift_into_the_next_control = dpp::row_shl<17>;
}  // namespace dpp_row_shift
