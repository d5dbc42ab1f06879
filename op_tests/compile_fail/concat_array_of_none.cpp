// expect: opus::concat_array: takes arrays, at least one
#include "opus/opus.hpp"

auto a = opus::concat_array();
