// expect: opus::numeric_limits: a dtype, fp4_t, fp6_t or bf6_t is required
#include "opus/opus.hpp"

struct other {
    int x;
};
auto a = opus::numeric_limits<other>::max();
