// HIP kernels with one mistake each and their repaired twins, compiled with -g:
//   checks NAME            the mistake; the emulator ends the process with a report
//   checks NAME repaired   ends with status 0
//   checks NAME exit       the mistake, and an end by exit(0)
// The declarations are the part of the HIP ABI that is used here.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

constexpr int count = 128;

__device__ unsigned thread() {
    return __builtin_amdgcn_workitem_id_x();
}

__device__ void group_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// The wave that loads to LDS waits before the barrier, or after it.
template <bool Repaired>
__global__ void load_to_lds(int* out, const int* in) {
    __shared__ int lds[count];
    const unsigned t = thread();
    using global_t = __attribute__((address_space(1))) void*;
    using lds_t = __attribute__((address_space(3))) void*;
    // The compiler knows that the instruction needs a wait, and puts it before this wave's own
    // read.
    const auto from = (global_t)(const_cast<int*>(in) + t);
    __builtin_amdgcn_global_load_lds(from, (lds_t)(lds + t / 64 * 64), 4, 0, 0);  // the load to LDS
    if constexpr (Repaired) {
        __builtin_amdgcn_s_waitcnt(0);
    }
    __builtin_amdgcn_s_barrier();
    out[t] = lds[count - 1 - t];
}

template <bool Repaired>
__global__ void barrier(int* out, const int* in) {
    __shared__ int lds[count];
    const unsigned t = thread();
    lds[t] = 0;
    group_barrier();
    lds[t] = in[t];
    if constexpr (Repaired) {
        group_barrier();
    }
    out[t] = lds[count - 1 - t];  // the read without a barrier
}

// The compiler does not see the load, so it cannot know where a wait belongs.
template <bool Repaired>
__global__ void assembly(int* out, const int* in) {
    const unsigned offset = thread() * 4;
    int value;
    asm volatile("global_load_dword %0, %1, %2" : "=v"(value) : "v"(offset), "s"(in));
    if constexpr (Repaired) {
        asm volatile("s_waitcnt vmcnt(0)" : "+v"(value));
    }
    out[thread()] = value + 1;  // the use of the load
}

__device__ void put(int* to, int value) {
    *to = value;
}

template <bool Repaired>
__global__ void bounds(int* out, const int*) {
    put(out + thread() + (Repaired ? 0 : 4), 1);  // the call
}

template <bool Repaired>
__global__ void uninitialized(int* out, const int* in) {
    __shared__ int lds[count];
    const unsigned t = thread();
    if (Repaired || t != 5) {
        lds[t] = in[t];
    }
    group_barrier();
    out[t] = lds[t ^ 64];  // the read of byte 20
}

// The compiler knows what a matrix instruction needs, but not what an assembly block reads.
template <bool Repaired>
__global__ void hazard(int* out, const int* in) {
    using half4 = __attribute__((ext_vector_type(4))) _Float16;
    using float16 = __attribute__((ext_vector_type(16))) float;
    const _Float16 factor = static_cast<_Float16>(in[thread()]);
    const half4 a = {factor, factor, factor, factor};
    float16 c = {};
    c = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, c, 0, 0, 0);  // the matrix instruction
    float sum;
    if constexpr (Repaired) {
        asm volatile("s_nop 11\n v_add_f32 %0, %1, %1" : "=v"(sum) : "v"(c[0]));
    } else {
        asm volatile("v_add_f32 %0, %1, %1" : "=v"(sum) : "v"(c[0]));
    }
    out[thread()] = static_cast<int>(sum);
}

template <bool Repaired>
__global__ void endless(int* out, const int*) {
    while (!Repaired) {
        __builtin_amdgcn_s_sleep(1);  // the loop
    }
    out[thread()] = 1;
}

using kernel_t = void (*)(int*, const int*);

struct named_kernel {
    const char* name;
    kernel_t mistaken;
    kernel_t repaired;
};

constexpr named_kernel kernels[] = {
    {"load_to_lds", load_to_lds<false>, load_to_lds<true>},
    {"barrier", barrier<false>, barrier<true>},
    {"assembly", assembly<false>, assembly<true>},
    {"bounds", bounds<false>, bounds<true>},
    {"uninitialized", uninitialized<false>, uninitialized<true>},
    {"hazard", hazard<false>, hazard<true>},
    {"endless", endless<false>, endless<true>},
};

int main(int argc, char** argv) {
    int* out = nullptr;
    int* in = nullptr;
    if (argc < 2 || hipMalloc(reinterpret_cast<void**>(&out), count * 4) != 0 ||
        hipMalloc(reinterpret_cast<void**>(&in), count * 4) != 0 ||
        hipMemset(in, 0, count * 4) != 0) {
        return 2;
    }
    for (const named_kernel& k : kernels) {
        if (std::strcmp(k.name, argv[1]) != 0) {
            continue;
        }
        (argc > 2 && std::strcmp(argv[2], "repaired") == 0
             ? k.repaired
             : k.mistaken)<<<dim3(1), count>>>(out, in);
        const bool ok = hipDeviceSynchronize() == 0;
        std::printf("%s: finished\n", k.name);
        if (argc > 2 && std::strcmp(argv[2], "exit") == 0) {
            std::exit(0);
        }
        return ok ? 0 : 1;
    }
    return 2;
}
