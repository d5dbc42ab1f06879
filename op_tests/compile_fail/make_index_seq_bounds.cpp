// expect: opus::make_index_seq: takes <N>, <Start, End> or <Start, End, Step>
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

make_index_seq<0, 8, 2, 1> x;
