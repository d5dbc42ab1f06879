// expect: opus::reduce_rows, reduce_columns: an instruction of one block is required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* p) {
    *p = reduce_rows(make_mfma<fp16_t, fp16_t, fp32_t>(4_I, 4_I, 4_I), *p, plus{});
}
