// expect: is_tuple_v<int>'.*opus::layout: shape and stride must be
// expect: is_tuple_v<short>'.*opus::layout: shape and stride must be
// expect: sizeof....Extents. > 0'.*opus::vectorize_issue_space: the space is empty
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto a = layout<int, tuple<int>>(1, make_tuple(1));
auto b = layout<tuple<int>, short>(make_tuple(1), 1);
auto c = vectorize_issue_space(tuple<>{}, 2_I);
