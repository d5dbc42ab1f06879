// expect: opus::store_vector, store_vector_nbytes: what is stored is
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(int* p, const fp32x4_t* v) {
    store_vector_nbytes<int, float, 4, 16>(make_gmem(p), *v, 0);
}
