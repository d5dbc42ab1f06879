// expect: opus::seq_pop_front: the seq is empty
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = seq_pop_front(seq<>{});
