// expect: no matching constructor
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

array<int, 2> x{1, 2, 3};
