// expect: must be initialized by a constant expression
// compiler's: a constant expression reads beyond an array
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr int x = seq<1, 2>{}.at(2);
