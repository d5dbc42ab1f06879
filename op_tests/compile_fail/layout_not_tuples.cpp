// expect: is_tuple_v<int>.*opus::layout: shape and stride must be tuples
// expect: is_tuple_v<float>.*opus::layout: shape and stride must be tuples
#include "opus/opus.hpp"

using namespace opus;

layout<int, tuple<number<1>>> x;
layout<tuple<number<4>>, float> y;
