// Compiled without -ffast-math.
#if __FINITE_MATH_ONLY__
#error "this is the half without -ffast-math"
#endif
#define CONVERSIONS precise
#include "conversions.hpp"
