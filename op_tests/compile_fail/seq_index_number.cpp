// expect: opus::seq: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

int x = seq<1, 2>{}[2_I];
