// expect: opus::layout_cached: the vector must have at least one element
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

layout_cached<0, tuple<number<2>>, tuple<number<1>>, tuple<underscore>> u(make_tuple(2_I),
                                                                          make_tuple(1_I),
                                                                          make_tuple(_));
