// expect: opus::array: takes as many values as it has elements, or fewer
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

array<int, 2> x{1, 2, 3};
