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

// A dword of LDS, read before and after.
template <class Between>
__device__ void read_twice(const int* in, int* out, Between between) {
    __shared__ int cells[256];
    const int t = thread_id_x();
    make_gmem(in).async_load(cells + t / 64 * 64, t);
    const int before = cells[t];
    between();
    out[t] = cells[t] - before;
}

// 8 reads of LDS among `count` of 8 matrix instructions.
template <index_t count>
__device__ void interleave_reads(const fp16_t* in, float* out) {
    __shared__ __attribute__((aligned(16))) fp16_t cells[64 * 4 * 9];
    const int t = thread_id_x();
    const auto s = make_smem(cells);
    static_for<9>(
        [&](auto i) { s.store<4>(make_gmem(in).load<4>((i * 64 + t) * 4), (i * 64 + t) * 4); });
    sync_threads();
    const mfma<fp16_t, fp16_t, fp32_t, 16, 16, 16> mma;
    const fp16x4_t a = s.load<4>(t * 4);
    fp16x4_t next[8];
    fp32x4_t sum{0};
    keep_order();
    static_for<8>([&](auto i) { next[i.value] = s.load<4>(t * 4 + (i.value * t + 1) * 256); });
    static_for<8>([&](auto) { sum = mma(a, a, sum); });
    interleave(sched::mfma, number<count>{}, sched::lds_read, 8_I);
    keep_order();
    static_for<8>([&](auto i) { sum = mma(next[i.value], a, sum); });
    make_gmem(out).store<4>(sum, t * 4);
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
    make_gmem(in).async_load(cells + t / 64 * 64, t);
    sync_threads();
    out[t] = cells[255 - t];
}

// LDS-DMA under way in every round, and a load from before the loop, used in it: for that one LLVM
// 22 waits in front of the loop, and with it, so it takes it, for the LDS-DMA at each barrier.
__global__ void dma_before_each_barrier(const int* in, int* out, int n) {
    __shared__ int cells[256];
    const int t = thread_id_x();
    const auto g = make_gmem(in);
    const int kept = in[t];
    for (int i = 0; i < n; i++) {
        g.async_load(cells + t / 64 * 64, t, i * 256);
        sync_threads();
        out[i * 256 + t] = cells[255 - t] + kept;
        sync_threads();
    }
}
__global__ void dma_behind_each_barrier(const int* in, int* out, int n) {
    __shared__ int cells[512];
    const int t = thread_id_x();
    const auto g = make_gmem(in);
    const int kept = in[t];
    g.async_load(cells + t / 64 * 64, t);
    for (int i = 0; i < n; i++) {
        sync_threads();
        g.async_load(cells + (i + 1) % 2 * 256 + t / 64 * 64, t, (i + 1) * 256);
        out[i * 256 + t] = cells[i % 2 * 256 + 255 - t] * kept;
    }
}

// What lds_barrier() leaves in flight: a load into a register, and memory to LDS.
__global__ void lds_barrier_after_load(const int* in, int* out) {
    __shared__ int cells[512];
    const int t = thread_id_x();
    cells[t] = 3 * t;
    make_gmem(in).async_load(cells + 256 + t / 64 * 64, t, 256);
    const int prefetched = in[t];
    lds_barrier();
    out[t] = cells[255 - t] + prefetched;
}
// A read that another wave may overwrite behind the barrier, and that nothing uses there.
__global__ void lds_barrier_after_read(int* out) {
    extern __shared__ int dynamic_cells[];
    const int t = thread_id_x();
    const int read = dynamic_cells[255 - t];
    lds_barrier();
    dynamic_cells[t] = 0;
    out[t] = read;
}
__global__ void async_left_in_flight(const int* in, int* out) {
    __shared__ int cells[512];
    const int t = thread_id_x();
    const auto g = make_gmem(in);
    g.async_load(cells + t / 64 * 64, t);
    g.async_load(cells + 256 + t / 64 * 64, t, 256);
    wait_async(1_I);
    out[t] = cells[t];
}

// Two loads that the compiler would put together, and one instruction for a priority.
__global__ void order_is_kept(const int* in, int* out, int x) {
    const int t = thread_id_x();
    const int a = in[t];
    const int b = a * x + 1;
    keep_order();
    set_priority(3_I);
    const int c = in[t + 256];
    keep_order();
    set_priority(0_I);
    out[t] = b + c;
}
// One behind each of 8, and three behind each of 3 as long as there are any.
__global__ void interleaved(const fp16_t* in, float* out) {
    interleave_reads<8>(in, out);
}
__global__ void interleaved_by_three(const fp16_t* in, float* out) {
    interleave_reads<3>(in, out);
}

__global__ void interleaved_with_none(const fp16_t* in, float* out) {
    out[thread_id_x()] = static_cast<float>(in[thread_id_x()]);
    interleave(sched::mfma, 4_I, sched::lds_read, 0_I);
}

// Each kind of hint, and counts that do not divide.
__global__ void hints(const int* in, int* out) {
    out[thread_id_x()] = in[thread_id_x()];
    sched_group(sched::valu, 0_I);
    sched_group(sched::vmem_read | sched::lds_read, 5_I);
    interleave(sched::mfma, 3_I, sched::lds_read, 7_I);
    interleave(sched::salu, 1_I, sched::valu, 1_I);
}
__global__ void wait_async_for_none() {
    wait_async(63_I);
}

// The compiler must not take the first value for the second.
__global__ void read_around_keep_order(const int* in, int* out) {
    read_twice(in, out, [] { keep_order(); });
}
__global__ void read_around_wait_async(const int* in, int* out) {
    read_twice(in, out, [] { wait_async(0_I); });
}
__global__ void read_around_lds_barrier(const int* in, int* out) {
    read_twice(in, out, [] { lds_barrier(); });
}
__global__ void read_around_sync_threads(const int* in, int* out) {
    read_twice(in, out, [] { sync_threads(); });
}

// What a branch behind the second barrier uses is read between the barriers.
#define OPUS_TEST_READ_BETWEEN(name, barrier)               \
    __global__ void name(const u32_t* p, u32_t* o, int n) { \
        __shared__ u32_t lds[128];                          \
        const int i = thread_id_x();                        \
        lds[i] = p[i];                                      \
        barrier();                                          \
        const u32_t x = lds[127 - i];                       \
        barrier();                                          \
        if (n > 5) {                                        \
            o[i] = x;                                       \
        }                                                   \
        lds[i] = static_cast<u32_t>(i);                     \
        barrier();                                          \
        o[i + 128] = lds[127 - i];                          \
    }
OPUS_TEST_READ_BETWEEN(read_between_sync_threads, sync_threads)
OPUS_TEST_READ_BETWEEN(read_between_lds_barriers, lds_barrier)

// A transposed read that the caller waits for stays in its place; gfx942 makes it of ordinary reads.
__global__ void transposed_for_caller(fp16x4_t* out) {
    extern __shared__ fp16_t dynamic_codes[];
    out[thread_id_x()] = make_smem(dynamic_codes).tr_load<4>(thread_id_x() * 4);
}
__global__ void transposed_for_compiler(fp16x4_t* out) {
    extern __shared__ fp16_t dynamic_codes[];
    out[thread_id_x()] = make_smem(dynamic_codes).tr_load<4>(thread_id_x() * 4, auto_wait{});
}

// The first thread of a group acts between two barriers.
__global__ void groups_inc(u32_t* counters) {
    workgroup_barrier(counters).inc();
}
__global__ void groups_wait_eq(u32_t* counters) {
    workgroup_barrier(counters).wait_eq(3);
}
__global__ void groups_wait_lt(u32_t* counters) {
    workgroup_barrier(counters).wait_lt(3);
}
}
