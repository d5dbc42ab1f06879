// expect: opus::vectorize_issue_space: the space is empty
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = vectorize_issue_space(tuple<>{}, 4_I);
