// expect: opus::seq: index out of range
#include "opus/opus.hpp"

int x = opus::get<2>(opus::seq<1, 2>{});
