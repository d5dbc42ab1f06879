// expect: opus::make_index_seq: the step must be positive
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

make_index_seq<0, 4, 0> x;
