// expect: opus::make_index_seq: the step must be positive
#include "opus/opus.hpp"

void f() {
    opus::static_for<4, 1, -1>([](auto) {});
}
