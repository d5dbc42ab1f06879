// expect: opus::make_index_seq: the length must not be negative
#include "opus/opus.hpp"

using namespace opus;

make_index_seq<-1> x;
