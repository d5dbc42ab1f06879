// HIP kernels for what debug information names, compiled with -g:
//   debugging NAME    launches that kernel
// The declarations are the part of the HIP ABI that is used here.
#include <cstddef>
#include <cstdint>
#include <cstdio>
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

struct pair {
    float first;
    int second[3];
};

// Reads what nobody has written, of one variable after the other: in[0] is 0.
__global__ void named(int* out, const int* in) {
    __shared__ short shorts[3];
    __shared__ pair pairs[5];
    __shared__ double numbers[2][3];
    __shared__ int whole[100];
    const unsigned t = thread();
    if (in[0] != 0) {
        shorts[t % 3] = static_cast<short>(t);
        pairs[t % 5].second[t % 3] = static_cast<int>(t);
        numbers[t % 2][t % 3] = t;
        whole[t % 100] = static_cast<int>(t);
    }
    group_barrier();
    out[t] = static_cast<int>(numbers[1][2]);
    group_barrier();
    out[t] += pairs[3].second[1];
    group_barrier();
    out[t] += shorts[2];
    group_barrier();
    out[t] += whole[99];
}

__global__ void beyond(int* out, const int*) {
    __shared__ int whole[64];
    const unsigned t = thread();
    whole[t] = 7;
    group_barrier();
    out[t] = whole[t % 64];
}

extern __shared__ int dynamic_part[];

__global__ void dynamic(int* out, const int*) {
    __shared__ int whole[100];
    const unsigned t = thread();
    whole[t % 100] = 1;
    group_barrier();
    out[t] = dynamic_part[0] + whole[(t + 1) % 100];
}

// clang writes b with the instruction and the base of a.
__global__ void either(int* out, const int* in) {
    __shared__ int a[64];
    __shared__ int b[64];
    const unsigned t = thread();
    if (t < 64) {
        a[t] = in[t];
    } else {
        b[t - 64] = in[t];
    }
    group_barrier();
    out[t] = a[t % 64] + b[63 - t % 64];
}

__global__ void stepped(int* out, const int* in) {
    __shared__ int lds[count];
    const unsigned t = thread();
    const unsigned other = count - 1 - t;
    int sum = 0;
#pragma clang loop unroll(disable)
    for (int n = 0; n < 4; ++n) {
        lds[t] = in[t] + n;
        group_barrier();
        // One instruction: compilers put the parts of a line apart.
        const int value = lds[other];  // stop at LINE
        group_barrier();
        sum += value;
    }
    out[t] = sum + static_cast<int>(t);
}

// An array that is indexed by what is known when it runs is private memory.
__global__ void private_memory(int* out, const int* in) {
    const unsigned t = thread();
    int table[8];
    for (int k = 0; k < 8; ++k) {
        table[k] = static_cast<int>(t) * 10 + k;
    }
    const int from = in[t] + 3;
    asm volatile("" : : "r"(table) : "memory");
    out[t] = table[from % 8];  // stop at PRIVATE
}

using kernel_t = void (*)(int*, const int*);

struct named_kernel {
    const char* name;
    kernel_t kernel;
    size_t dynamic_lds = 0;
};

constexpr named_kernel kernels[] = {
    {"named", named},   {"beyond", beyond},   {"dynamic", dynamic, 112},
    {"either", either}, {"stepped", stepped}, {"private", private_memory},
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
        if (std::strcmp(k.name, argv[1]) == 0) {
            k.kernel<<<dim3(1), count, k.dynamic_lds>>>(out, in);
            const bool ok = hipDeviceSynchronize() == 0;
            std::printf("%s: finished\n", k.name);
            return ok ? 0 : 1;
        }
    }
    return 2;
}
