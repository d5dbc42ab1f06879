// What stands before s_barrier.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {
template <class Barrier>
__device__ void store_and_read(const int* in, int* out, Barrier barrier) {
    __shared__ int cells[256];
    const int t = thread_id_x();
    cells[t] = in[t];
    const int prefetched = in[t + 256];
    barrier();
    out[t] = cells[255 - t] + prefetched;
}
}  // namespace

extern "C" {
__global__ void bare_barrier(const int* in, int* out) {
    store_and_read(in, out, [] { s_barrier(); });
}
__global__ void barrier_after_store(const int* in, int* out) {
    store_and_read(in, out, [] { sync_threads(); });
}
// A load into a register, issued last, that only a wait for vmcnt would complete.
__global__ void barrier_after_load(const int* in, int* out) {
    __shared__ int cells[256];
    const int t = thread_id_x();
    cells[t] = 3 * t;
    const int prefetched = in[t];
    sync_threads();
    out[t] = cells[255 - t] + prefetched;
}
// Memory to LDS without registers, which vmcnt counts.
__global__ void barrier_after_dma(const int* in, int* out) {
    __shared__ int cells[256];
    const int t = thread_id_x();
    using lds_pointer = __attribute__((address_space(3))) void*;
    __builtin_amdgcn_raw_ptr_buffer_load_lds(make_buffer_rsrc(in, 1024), (lds_pointer)cells, 4,
                                             t * 4, 0, 0, 0);
    sync_threads();
    out[t] = cells[255 - t];
}
}
