// expect: opus::layout_to_issue_space: the extents of the y-dims must be numbers
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = layout_to_offsets<1>(
    make_layout(opus::make_tuple(4), opus::make_tuple(1), opus::make_tuple(_)));
