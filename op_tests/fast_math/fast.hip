// Compiled with -ffast-math.
#if !__FINITE_MATH_ONLY__
#error "this is the half with -ffast-math"
#endif
#define CONVERSIONS fast
#include "conversions.hpp"
