// expect: is_one_instruction<6>.*opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    p[0] = load<3>(make_gmem(p), 0)[0];
}
