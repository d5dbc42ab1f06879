// expect: opus::layout_to_issue_space: takes a layout
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = layout_to_issue_space<tuple<int>>();
