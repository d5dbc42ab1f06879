// expect: must be initialized by a constant expression
// compiler's: a constant expression divides by zero
#include "opus/opus.hpp"

constexpr opus::mdiv by_zero(0);
