// expect: opus::cast: there is no such conversion
#include "opus/opus.hpp"

struct other {
    int x;
};
auto a = opus::cast<opus::fp32_t>(other{});
