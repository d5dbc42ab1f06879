// A kernel of one load and one store of a buffer: what it costs beyond the include is its own
// memory access.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void copy(const float* in, float* out, unsigned bytes) {
    const auto from = make_gmem(in, bytes);
    const auto to = make_gmem(out, bytes);
    const index_t i = (block_id_x() * 256 + thread_id_x()) * 4;
    to.store<4>(from.load<4>(i), i);
}
