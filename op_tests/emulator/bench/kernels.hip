// What emulator_bench runs: loops of one kind of instruction, and a whole matrix product.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

using half4 = __attribute__((ext_vector_type(4))) _Float16;
using float2 = __attribute__((ext_vector_type(2))) float;
using float4 = __attribute__((ext_vector_type(4))) float;
using float16 = __attribute__((ext_vector_type(16))) float;

__device__ unsigned thread() {
    return __builtin_amdgcn_workitem_id_x();
}

// Eight chains of f32 and integer operations.
extern "C" __global__ void valu(float* out, int count) {
    float x[8];
    unsigned n = thread();
    for (unsigned c = 0; c < 8; ++c) {
        x[c] = static_cast<float>(n + c);
    }
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 8; ++c) {
            x[c] = __builtin_fmaf(x[c], 0.5f, static_cast<float>(n & 0xffff));
            n = (n ^ n << 3) + 12345u;
        }
    }
    float sum = 0;
    for (int c = 0; c < 8; ++c) {
        sum += x[c];
    }
    out[__builtin_amdgcn_workgroup_id_x() * 64 + thread()] = sum;
}

// Each iteration writes 16 bytes of a lane and reads another lane's.
extern "C" __global__ void lds(float* out, int count) {
    __shared__ float4 memory[64];
    const unsigned t = thread();
    float4 value = {1.0f, 2.0f, 3.0f, static_cast<float>(t)};
    for (int i = 0; i < count; ++i) {
        memory[t] = value;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        value = memory[(t + 1) % 64];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    out[__builtin_amdgcn_workgroup_id_x() * 64 + t] = value.w;
}

// Four waves: each writes 8 bytes of a lane and reads 16 that another wave has written.
extern "C" __global__ void exchange(float* out, int count) {
    __shared__ float4 memory[128];
    const unsigned t = thread();
    float2 value = {1.0f, static_cast<float>(t)};
    for (int i = 0; i < count; ++i) {
        reinterpret_cast<float2*>(memory)[t] = value;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        const float4 read = memory[(t + 64) % 128];
        value.x = read.x + read.z;
        value.y = read.y + read.w;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    out[__builtin_amdgcn_workgroup_id_x() * 256 + t] = value.x + value.y;
}

// Copies 16 bytes of each lane, of 64 KiB for each group.
extern "C" __global__ void global(float* out, int count) {
    auto* to = reinterpret_cast<float4*>(out) + __builtin_amdgcn_workgroup_id_x() * 4096;
    for (int i = 0; i < count; ++i) {
        const unsigned at = (thread() + static_cast<unsigned>(i) * 64u) % 2048u;
        to[at + 2048] = to[at];
    }
}

// The same through a buffer resource.
extern "C" __global__ void buffer(float* out, int count) {
    auto* to = reinterpret_cast<float4*>(out) + __builtin_amdgcn_workgroup_id_x() * 4096;
    const auto resource = __builtin_amdgcn_make_buffer_rsrc(to, 0, 65536, 0x00020000);
    for (int i = 0; i < count; ++i) {
        const int at = (static_cast<int>(thread()) + i * 64) % 2048 * 16;
        const auto value = __builtin_amdgcn_raw_buffer_load_b128(resource, at, 0, 0);
        __builtin_amdgcn_raw_buffer_store_b128(value, resource, at + 32768, 0, 0);
    }
}

extern "C" __global__ void mfma(float* out, int count) {
    const _Float16 x = static_cast<_Float16>(static_cast<float>(thread()) * 0.037f - 1.0f);
    const _Float16 y = static_cast<_Float16>(0.33f);
    const half4 a = {x, y, x * y, y * y};
    float16 c[2] = {};
    for (int i = 0; i < count; ++i) {
        c[0] = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, c[0], 0, 0, 0);
        c[1] = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, c[1], 0, 0, 0);
    }
    out[__builtin_amdgcn_workgroup_id_x() * 64 + thread()] = c[0].x + c[1].x;
}

// C[1024, 1024] = A[1024, 1024] * B[1024, 1024]^T: 32 x 32 elements of C for each wave, fragments
// straight from global memory.
extern "C" __global__ void gemm(float* c, const _Float16* a, const _Float16* b) {
    constexpr int size = 1024;
    const int lane = static_cast<int>(thread());
    const int row = static_cast<int>(__builtin_amdgcn_workgroup_id_y()) * 32;
    const int column = static_cast<int>(__builtin_amdgcn_workgroup_id_x()) * 32;
    a += (row + lane % 32) * size + lane / 32 * 4;
    b += (column + lane % 32) * size + lane / 32 * 4;
    float16 sum = {};
    for (int k = 0; k < size; k += 8) {
        const half4 from_a = *reinterpret_cast<const half4*>(a + k);
        const half4 from_b = *reinterpret_cast<const half4*>(b + k);
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(from_a, from_b, sum, 0, 0, 0);
    }
    for (int i = 0; i < 16; ++i) {
        const int r = i / 4 * 8 + lane / 32 * 4 + i % 4;
        c[(row + r) * size + column + lane % 32] = sum[i];
    }
}
