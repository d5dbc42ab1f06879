// expect: opus: a value for another lane has 1, 2 or a multiple of 4 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

struct three_bytes {
    char x[3];
};
__global__ void k(three_bytes* p) {
    *p = mov_dpp(*p, dpp::row_mirror);
}
