// Kernel a of the performance table: c = a + b on fp32x4 with a bounds-checked buffer. With opus,
// or with the compiler's builtins alone (RAW=1).
#include "opus/hip_minimal.hpp"
#if !RAW
#include "opus/opus.hpp"

extern "C" __global__ void kernel(const float* a, const float* b, float* c, int n) {
    const unsigned bytes = static_cast<unsigned>(n) * sizeof(float);
    const auto ga = opus::make_gmem(a, bytes);
    const auto gb = opus::make_gmem(b, bytes);
    const auto gc = opus::make_gmem(c, bytes);
    const int i = (opus::block_id_x() * 256 + opus::thread_id_x()) * 4;
    gc.store<4>(ga.load<4>(i) + gb.load<4>(i), i);
}
#else
using fp32x4 = __attribute__((ext_vector_type(4))) float;
using u32x4 = __attribute__((ext_vector_type(4))) unsigned;

extern "C" __global__ void kernel(const float* a, const float* b, float* c, int n) {
    const int bytes = n * 4;
    const auto ra = __builtin_amdgcn_make_buffer_rsrc(const_cast<float*>(a), 0, bytes, 0x00020000);
    const auto rb = __builtin_amdgcn_make_buffer_rsrc(const_cast<float*>(b), 0, bytes, 0x00020000);
    const auto rc = __builtin_amdgcn_make_buffer_rsrc(c, 0, bytes, 0x00020000);
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x) * 16;
    const auto va = __builtin_bit_cast(fp32x4, __builtin_amdgcn_raw_buffer_load_b128(ra, i, 0, 0));
    const auto vb = __builtin_bit_cast(fp32x4, __builtin_amdgcn_raw_buffer_load_b128(rb, i, 0, 0));
    __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, va + vb), rc, i, 0, 0);
}
#endif
