// expect: must be initialized by a constant expression
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr int x = seq<1, 2>{}.at(2);
