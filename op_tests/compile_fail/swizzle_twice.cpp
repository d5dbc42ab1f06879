// expect: opus::composition: the layout has a swizzle already
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr swizzle<3, 3, 4> s{};
auto x = composition(s, composition(s, make_layout(16_I, 64_I)) + 8_I);
