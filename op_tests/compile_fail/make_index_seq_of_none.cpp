// expect: opus::make_index_seq: takes <N>, <Start, End> or <Start, End, Step>
#include "opus/opus.hpp"

using namespace opus;

make_index_seq<> x;
