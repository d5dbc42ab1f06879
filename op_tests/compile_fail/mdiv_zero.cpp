// expect: must be initialized by a constant expression
#include "opus/opus.hpp"

constexpr opus::mdiv by_zero(0);
