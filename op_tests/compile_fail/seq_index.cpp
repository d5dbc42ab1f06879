// expect: opus::seq: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr int x = seq<1, 2>{}.at(2_I);
