// expect: opus::array: const elements below a byte are not available
#include "opus/opus.hpp"

opus::array<const opus::fp4_t, 8> a;
