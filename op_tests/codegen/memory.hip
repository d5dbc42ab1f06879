// Memory accesses, a kernel for each question that test_memory.cpp asks about the instructions.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {

// Moves `vec` elements of a lane from global memory through LDS to global memory, mirrored.
template <class T, int vec>
OPUS_D void through_lds(const T* from, T* to) {
    __shared__ __attribute__((aligned(16))) T lds[64 * 16];
    const int lane = thread_id_x();
    constexpr int pitch = vec == 3 ? 4 : vec;
    const auto s = make_smem(lds);
    s.template store<vec>(make_gmem(from).template load<vec>(lane * pitch), lane * pitch);
    __syncthreads();
    make_gmem(to).template store<vec>(s.template load<vec>((63 - lane) * pitch), lane * pitch);
}

// Each form of access with the same policy, which is a template argument or the last argument.
template <class From, class To>
OPUS_D void copy_with_policy(const From& g, const To& o, int limit) {
    constexpr auto policy = cache_group_nt;
    const int lane = lane_id();
    const auto u = make_layout(make_tuple(2_I, 64_I, 4_I), make_tuple(4096_I, 4_I, 1_I),
                               make_tuple(_, lane, _));
    using layout = remove_cv_t<decltype(u)>;
    const auto wanted = [=](auto...) { return lane < limit; };
    o._store(g._load(lane * 4, 0, policy), lane * 4, 0, policy);
    o.template _store<1, fp32x1_t, 3>(g.template _load<1, 3>(lane * 4 + 1024), lane * 4 + 1024);
    o.store(g.load(lane + 1024, 0, policy), lane + 1024, 0, policy);
    o.template store<1, fp32x1_t, 3>(g.template load<1, 3>(lane + 2048), lane + 2048);
    o.template store<4>(g.template load<4>(u, 8192, policy), u, 8192, policy);
    o.template store<4, fp32x8_t, layout, 3>(g.template load<4, layout, 3>(u, 16384), u, 16384);
    o.template store_if<4>(wanted, g.template load_if<4>(wanted, u, 24576, policy), u, 24576,
                           policy);
}

// Four rows of 64 elements, in global memory and in LDS.
OPUS_D auto four_rows(int stride) {
    return make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                       make_tuple(_, lane_id(), _));
}
OPUS_D auto four_rows_in_lds() {
    return make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                       make_tuple(_, 0_I, _));
}
OPUS_D void wait_for_dma() {
    s_waitcnt_vmcnt(0_I);
    __syncthreads();
}

}  // namespace

extern "C" {
__global__ void width_1(const u8_t* from, u8_t* to) {
    through_lds<u8_t, 1>(from, to);
}
__global__ void width_2(const fp16_t* from, fp16_t* to) {
    through_lds<fp16_t, 1>(from, to);
}
__global__ void width_4(const float* from, float* to) {
    through_lds<float, 1>(from, to);
}
__global__ void width_8(const fp16_t* from, fp16_t* to) {
    through_lds<fp16_t, 4>(from, to);
}
__global__ void width_12(const float* from, float* to) {
    through_lds<float, 3>(from, to);
}
__global__ void width_16(const u8_t* from, u8_t* to) {
    through_lds<u8_t, 16>(from, to);
}

// Four accesses 1024 bytes apart, the reads shifted by 4096 bytes: one address register.
__global__ void immediates(float* p) {
    extern __shared__ __attribute__((aligned(16))) float dynamic_lds[];
    const int thread = thread_id_x();
    const auto u = make_layout(make_tuple(4_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                               make_tuple(_, thread, _));
    const auto s = make_smem(dynamic_lds);
    s.store<4>(make_gmem(p).load<4>(u), u);
    __syncthreads();
    make_gmem(p).store<4>(s.load<4>(u + 1024_I), u);
}

// Sixteen accesses 2560 bytes apart, loaded and stored: the immediate has 12 bits, so that they
// need a base for each 4 KiB.
__global__ void far_apart(const fp16_t* p, fp16_t* to) {
    const auto u = make_layout(make_tuple(16_I, 64_I, 8_I), make_tuple(1280_I, 8_I, 1_I),
                               make_tuple(_, lane_id(), _));
    make_gmem(to).store<8>(make_gmem(p).load<8>(u), u);
}

// A resource made from a pointer that differs by block, used in a loop, and one beyond 4 GiB.
__global__ void resources(const float* p, float* to, long long row, int n) {
    const auto g = make_gmem(p + block_id_x() * 4096ll);
    const auto far = make_gmem_wide(p);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += g.load(thread_id_x() + i * 64)[0];
        sum += far.load(thread_id_x(), i * row + block_id_x())[0];
    }
    to[thread_id_x()] = sum;
}

__global__ void size_of_64_bits(const float* p, float* to, u64_t bytes) {
    to[thread_id_x()] = make_gmem(p, bytes).load(thread_id_x())[0];
}

__global__ void policies(const float* p, float* to) {
    const int at = thread_id_x();
    make_gmem(to).store(make_gmem(p).load(at, 0, cache_group_nt), at, 0, cache_system_rt);
}

// Each width with a policy of its own for loads and for stores.
__global__ void policies_of_widths(const u8_t* p, u8_t* to) {
    const auto g = make_gmem(p);
    const auto o = make_gmem(to);
    const int at = thread_id_x() * 32;
    o.store<1>(g.load<1>(at, 0, cache_device_nt), at, 0, cache_device_rt);
    o.store<2>(g.load<2>(at + 8192, 0, cache_device_nt), at + 8192, 0, cache_device_rt);
    o.store<4>(g.load<4>(at + 16384, 0, cache_device_nt), at + 16384, 0, cache_device_rt);
    o.store<8>(g.load<8>(at + 24576, 0, cache_device_nt), at + 24576, 0, cache_device_rt);
    o.store<12>(g.load<12>(at + 32768, 0, cache_device_nt), at + 32768, 0, cache_device_rt);
    o.store<16>(g.load<16>(at + 40960, 0, cache_device_nt), at + 40960, 0, cache_device_rt);
}
__global__ void policies_of_forms(const float* p, float* to, int limit) {
    copy_with_policy(make_gmem(p), make_gmem(to), limit);
}
__global__ void policies_of_wide_forms(const float* p, float* to, int limit) {
    copy_with_policy(make_gmem_wide(p), make_gmem_wide(to), limit);
}
// And where none is given.
__global__ void no_policies(const float* p, float* to, int limit) {
    __shared__ float lds[1024];
    const int lane = lane_id();
    const auto u = make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I), make_tuple(lane, _));
    const auto one = make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane));
    const auto wanted = [=](auto...) { return lane < limit; };
    const auto g = make_gmem(p);
    const auto o = make_gmem(to);
    o._store(g._load(lane * 4), lane * 4);
    o.store(g.load(lane + 1024), lane + 1024);
    o.store<4>(g.load<4>(u, 8192), u, 8192);
    o.store_if<4>(wanted, g.load_if<4>(wanted, u, 24576), u, 24576);
    g._async_load(lds, lane * 4);
    g.async_load(lds + 64, lane);
    g.async_load(lds + 128, one, one);
    g.async_load_if(wanted, lds + 192, one, one);
    s_waitcnt_vmcnt(0_I);
}
__global__ void policies_of_dma(const float* p, int limit) {
    __shared__ float lds[4096];
    constexpr auto policy = cache_group_nt;
    const int lane = lane_id();
    const auto u = make_layout(make_tuple(2_I, 64_I), make_tuple(128_I, 1_I), make_tuple(_, lane));
    const auto wanted = [=](auto) { return lane < limit; };
    const auto g = make_gmem(p);
    g._async_load(lds, lane * 4, 0, 0_I, policy);
    g.async_load(lds + 64, lane, 0, 0_I, policy);
    g.async_load(lds + 128, u, u, 0, 0_I, policy);
    g.async_load_if(wanted, lds + 512, u, u, 0, 0_I, policy);
    g._async_load<1, 0, 3>(lds + 1024, lane * 4);
    g.async_load<1, 0, 3>(lds + 1088, lane);
    g.async_load<1, 0, 3>(lds + 1280, u, u);
    g.async_load_if<1, 0, 3>(wanted, lds + 1536, u, u);
    s_waitcnt_vmcnt(0_I);
}

// A tile by LDS-DMA: the base of LDS differs by wave.
__global__ void dma_tile(const float* p, float* to, int stride) {
    extern __shared__ __attribute__((aligned(16))) float dynamic_lds[];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto in_lds =
        make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I), make_tuple(_, lane, _));
    const auto g = make_gmem(p);
    g.async_load(dynamic_lds + thread_id_x() / 64 * 256, from, in_lds);
    g.async_load(dynamic_lds + thread_id_x(), thread_id_x(), 0, 4092_I);
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = dynamic_lds[thread_id_x()];
}

// Tiles by LDS-DMA in a loop, to addresses in LDS that are the wave's: one of two that change places,
// one that the loop counter selects, and one of each wave, which the compiler takes for different
// by lane.
__global__ void dma_in_turns(const float* p, float* to, int stride, int n) {
    __shared__ float lds[2 * 256];
    float* here = lds;
    float* next = lds + 256;
    const auto g = make_gmem(p);
    float sum = 0;
    for (int i = 0; i != n; i++) {
        g.async_load(next, four_rows(stride), four_rows_in_lds(), i * 64);
        wait_for_dma();
        sum += make_smem(here).load(lane_id())[0];
        float* const swapped = here;
        here = next;
        next = swapped;
    }
    to[thread_id_x()] = sum;
}
__global__ void dma_by_counter(const float* p, float* to, int stride, int n) {
    __shared__ float lds[2 * 256];
    const auto g = make_gmem(p);
    float sum = 0;
    for (int i = 0; i != n; i++) {
        g.async_load(lds + i % 2 * 256, four_rows(stride), four_rows_in_lds(), i * 64);
        wait_for_dma();
        sum += make_smem(lds).load(lane_id())[0];
    }
    to[thread_id_x()] = sum;
}
__global__ void dma_by_wave(const float* p, float* to, int stride, int n) {
    __shared__ float lds[4 * 256];
    const auto g = make_gmem(p);
    float sum = 0;
    for (int i = 0; i != n; i++) {
        g.async_load(lds + thread_id_x() / 64 * 256, four_rows(stride), four_rows_in_lds(), i * 64);
        wait_for_dma();
        sum += make_smem(lds).load(lane_id())[0];
    }
    to[thread_id_x()] = sum;
}

// Eight accesses in a loop, to the same places of LDS in each round: those of the wave, and a stage
// that run time selects.
#define OPUS_TEST_EIGHT_DESTINATIONS(name, wave)                                                 \
    __global__ __launch_bounds__(512) void name(const float* p, float* to, int stride, int n,    \
                                                int stage) {                                     \
        __shared__ float lds[2 * 8 * 512];                                                       \
        const auto g = make_gmem(p);                                                             \
        const auto from =                                                                        \
            make_layout<1>(make_tuple(8_I, 512_I, 1_I), make_tuple(stride, 1_I, 1_I),            \
                           make_tuple(_, thread_id_x(), _));                                     \
        const auto in_lds = make_layout<1>(                                                      \
            make_tuple(8_I, 8_I, 64_I), make_tuple(512_I, 64_I, 1_I), make_tuple(_, wave, 0_I)); \
        float sum = 0;                                                                           \
        for (int i = 0; i != n; i++) {                                                           \
            g.async_load(lds, from, in_lds + stage * 4096, i * 512);                             \
            wait_for_dma();                                                                      \
            sum += make_smem(lds).load(thread_id_x())[0];                                        \
        }                                                                                        \
        to[thread_id_x()] = sum;                                                                 \
    }
OPUS_TEST_EIGHT_DESTINATIONS(dma_eight_uniform, __builtin_amdgcn_readfirstlane(thread_id_x() / 64))
OPUS_TEST_EIGHT_DESTINATIONS(dma_eight_by_wave, thread_id_x() / 64)
#undef OPUS_TEST_EIGHT_DESTINATIONS

// Two loads by LDS-DMA in flight, of which the first is waited for; then a read.
#define OPUS_TEST_PIPELINE(name, type, vec, ...)                  \
    __global__ void name(const float* p, type* to, int n) {       \
        __shared__ __attribute__((aligned(16))) float lds[4096];  \
        const auto g = make_gmem(p);                              \
        g.async_load(lds, lane_id(), n);                          \
        g.async_load(lds + 2048, lane_id(), n);                   \
        s_waitcnt_vmcnt(1_I);                                     \
        __builtin_amdgcn_s_barrier();                             \
        const auto s = make_smem(reinterpret_cast<type*>(lds));   \
        make_gmem(to).store<vec>(s.__VA_ARGS__, lane_id() * vec); \
    }
OPUS_TEST_PIPELINE(plain_read, fp16_t, 4, load<4>(lane_id() * 4))
OPUS_TEST_PIPELINE(plain_read_apart, fp16_t, 4, load<4>(lane_id() * 4, no_dma_wait{}))
OPUS_TEST_PIPELINE(plain_read_96, float, 3, load<3>(lane_id() * 4))
#if OPUS_HAS_LDS_TRANSPOSE_READ
OPUS_TEST_PIPELINE(transposed_read, fp16_t, 4, tr_load<4>(lane_id() * 4, auto_wait{}))
OPUS_TEST_PIPELINE(transposed_read_apart, fp16_t, 4, tr_load<4>(lane_id() * 4, no_dma_wait{}))
OPUS_TEST_PIPELINE(transposed_read_apart_8, u8_t, 8, tr_load<8>(lane_id() * 8, no_dma_wait{}))
OPUS_TEST_PIPELINE(transposed_read_apart_6, fp6_t, 16, tr_load<16>(lane_id() * 16, no_dma_wait{}))
OPUS_TEST_PIPELINE(transposed_read_apart_4, fp4_t, 16, tr_load<16>(lane_id() * 16, no_dma_wait{}))

__global__ void transposed_immediates(const fp16_t* p, fp16_t* to) {
    extern __shared__ __attribute__((aligned(16))) float dynamic_lds[];
    const int lane = lane_id();
    const auto s = make_smem(reinterpret_cast<fp16_t*>(dynamic_lds));
    s.store<8>(make_gmem(p).load<8>(lane * 8), lane * 8);
    __syncthreads();
    const auto u =
        make_layout(make_tuple(2_I, 4_I, 4_I, 4_I, 4_I), make_tuple(64_I, 128_I, 16_I, 4_I, 1_I),
                    make_tuple(_, lane / 16, lane % 16 / 4, lane % 4, _));
    const auto tile = s.tr_load<4>(u + 512_I);
    s_waitcnt_lgkmcnt(0_I);
    make_gmem(to).store<8>(tile, lane * 8);
}
__global__ void dma_wide(const float* p, float* to) {
    __shared__ __attribute__((aligned(16))) float lds[4096];
    const auto g = make_gmem(p);
    g.async_load<4>(lds, lane_id() * 4);
    g.async_load<3, 16>(lds + 1024, lane_id() * 4);
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = lds[thread_id_x()];
}
#endif

// The old value is used, and not.
__global__ void atomics(float* p, fp16x2_t* h, bf16x2_t* b, i32_t* i, float* old) {
    const int at = thread_id_x();
    make_gmem(old).store(make_gmem(p, 1024).atomic_add(1.0f, at), at);
    make_gmem(h, 1024).atomic_add(fp16x2_t{}, at);
    make_gmem(b, 1024).atomic_add(bf16x2_t{}, at);
    make_gmem(i, 1024).atomic_add(1, at);
}
}

// Handles to LDS from pointers of which the compiler cannot see where they point, in a ring.
extern "C" __global__ void handles_in_a_ring(float* to, int n) {
    __shared__ char lds[3 * 4096];
    char* p = lds;
    asm volatile("" : "+v"(p));
    auto a = make_smem(reinterpret_cast<float*>(p));
    auto b = make_smem(reinterpret_cast<float*>(p + 4096));
    auto c = make_smem(reinterpret_cast<float*>(p + 8192));
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a.load(i)[0] + b.load(i)[0] * 2 + c.load(i)[0] * 3;
        const auto first = a;
        a = b;
        b = c;
        c = first;
    }
    to[thread_id_x()] = sum;
}
// A handle that is null when it is made.
extern "C" __global__ void handle_set_later(int* to) {
    __shared__ char lds[1024];
    smem<int> s{static_cast<void*>(nullptr)};
    s.ptr = make_smem(lds).ptr + 64;
    s.store(thread_id_x(), thread_id_x());
    sync_threads();
    to[thread_id_x()] = s.load(63 - thread_id_x())[0];
}

// 16 and 12 bytes whose data changes at once: through a run-time scalar offset, and where the compiler
// makes one of a constant beyond 4095 bytes.
extern "C" __global__ void wide_stores_at_a_scalar_offset(float* to, int offset, float factor) {
    const auto g = make_gmem(to);
    const int at = thread_id_x() * 4;
    fp32x4_t x{factor, factor + 1, factor + 2, factor + 3};
    g.store<4>(x, at, offset);
    x *= factor;
    g._store<3>(vector_t<fp32_t, 3>{x[0], x[1], x[2]}, at * 4, offset * 8);
    x *= factor;
    g.store<4>(x, make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I), make_tuple(at / 4, _)),
               offset * 3);
    x *= factor;
    g.store<4>(x, at, offset * 5);
}
extern "C" __global__ void wide_stores_at_constants(float* to, float factor) {
    const auto g = make_gmem(to);
    const int at = thread_id_x() * 4;
    fp32x4_t x{factor, factor + 1, factor + 2, factor + 3};
    const auto u = make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I), make_tuple(at / 4, _));
    static_for<4>([&](auto i) {
        g.store<4>(x, u + number<(i.value + 1) * 2048>{});
        x *= factor;
    });
    g.store<4>(x, at);
}

// LDS-DMA of two rows, twice, to places that the wave decides, which the compiler knows to be one.
extern "C" __global__ void dma_of_uniform_waves(const fp8_t* from, float* to, int n, int stride) {
    __shared__ char lds[65536];
    const int thread = thread_id_x(), wave = readfirstlane(thread / 64), lane = thread % 64;
    const auto g = make_gmem(from);
    const auto u =
        make_layout<4>(make_tuple(2_I, 8_I, 8_I, 4_I), make_tuple(stride * 64, stride, 4_I, 1_I),
                       make_tuple(_, lane / 8, lane % 8, _));
    const auto in_lds = make_layout(make_tuple(2_I, 4_I, 4_I), make_tuple(4224_I, 1056_I, 1_I),
                                    make_tuple(_, wave, _));
    float sum = 0;
    for (int i = 0; i < n; i++) {
        async_load<4>(g, lds, u, in_lds + 0, i * 128);
        async_load<4>(g, lds, u, in_lds + 8448, i * 128 + 64);
        sync_threads();
        sum += reinterpret_cast<float*>(lds)[thread];
    }
    to[thread] = sum;
}

// A tile that is filled through a pointer to pairs of its elements.
template <int count>
__device__ void fill_by_pointer(const fp16x2_t* from, fp16_t* to) {
    const int lane = lane_id();
    vector_t<fp16_t, count> tile;
    auto* pairs = reinterpret_cast<fp16x2_t*>(&tile);
    static_for<count / 2>([&](auto i) {
        const fp16x2_t a = from[i.value * 64 + lane], b = from[lane];
        pairs[i.value] = {static_cast<fp16_t>(a[0] * b[0]), static_cast<fp16_t>(a[1] * b[1])};
    });
    make_gmem(to).template store<8>(
        tile, make_layout(make_tuple(number<count / 8>{}, 64_I, 8_I), make_tuple(512_I, 8_I, 1_I),
                          make_tuple(_, lane, _)));
}
extern "C" __global__ void filled_by_pointer_64(const fp16x2_t* from, fp16_t* to) {
    fill_by_pointer<64>(from, to);
}
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(64, 64)))
filled_by_pointer_192(const fp16x2_t* from, fp16_t* to) {
    fill_by_pointer<192>(from, to);
}
