// expect: opus::vectorize_issue_space: the last y-dim must be a multiple of the vector
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = vectorize_issue_space(opus::make_tuple(2_I, 6_I), 4_I);
