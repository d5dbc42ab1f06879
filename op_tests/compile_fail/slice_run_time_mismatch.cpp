// expect: must be initialized by a constant expression
// compiler's: a constant expression traps
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto x = slice<2>(make_array(1, 2, 3), 0, 3);
