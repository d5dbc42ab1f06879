// Groups that exchange data, with one mistake each and repaired, as checks.hip:
//   memory_races NAME            the mistake; the emulator ends the process with a report
//   memory_races NAME repaired   ends with status 0, and with the right sum
// Every kernel puts 1 into each of `count` integers of `data` and their sum into out[0].
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
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

constexpr unsigned groups = 4;
constexpr unsigned threads = 128;
constexpr unsigned count = groups * threads;

// What the groups agree by; all 0 at first.
struct control {
    unsigned counter;
    unsigned lock;
    unsigned flags[groups];
};

__device__ unsigned thread() {
    return __builtin_amdgcn_workitem_id_x();
}
__device__ unsigned group() {
    return __builtin_amdgcn_workgroup_id_x();
}
__device__ void group_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// __threadfence()
__device__ void device_fence() {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
__device__ unsigned add(unsigned* p, unsigned value) {
    return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ int sum(const int* data, unsigned n) {
    int result = 0;
    for (unsigned k = 0; k < n; ++k) {
        result += data[k];
    }
    return result;
}

// Each group adds its part to out[0], by an atomic or not.
template <bool Repaired>
__global__ void total(int* out, int* data, control*) {
    data[group() * threads + thread()] = 1;
    group_barrier();
    if (thread() == 0) {
        const int part = sum(data + group() * threads, threads);
        if constexpr (Repaired) {
            __hip_atomic_fetch_add(out, part, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        } else {
            *out += part;  // the sum of all
        }
    }
}

// A wave reads what the other one has written, with a barrier between or not.
template <bool Repaired>
__global__ void barrier(int* out, int* data, control*) {
    data[group() * threads + thread()] = 1;
    if constexpr (Repaired) {
        group_barrier();
    }
    const int other = data[group() * threads + (thread() ^ 64)];  // the read of the other wave's
    __hip_atomic_fetch_add(out, other, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// The last group reads what all have written, and cleans up with plain stores.
template <bool Repaired>
__global__ void last_group(int* out, int* data, control* c) {
    __shared__ unsigned before;
    data[group() * threads + thread()] = 1;
    device_fence();
    group_barrier();
    if (thread() == 0) {
        before = Repaired ? add(&c->counter, 1) : group();
    }
    group_barrier();
    if (before == groups - 1 && thread() == 0) {
        device_fence();
        *out = sum(data, count);  // what the last group reads
        c->counter = 0;
    }
}

// Group 0 waits for a flag of each of the others, set by a release and read by an acquire.
template <bool Repaired>
__global__ void flags(int* out, int* data, control* c) {
    data[group() * threads + thread()] = 1;
    group_barrier();
    if (thread() != 0) {
        return;
    }
    if (group() != 0) {
        __hip_atomic_store(&c->flags[group()], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        return;
    }
    // The mistake: nobody waits for the last one.
    for (unsigned g = 1; g < (Repaired ? groups : groups - 1); ++g) {
        while (__hip_atomic_load(&c->flags[g], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
        }
    }
    *out = sum(data, count);  // behind the flags
}

// The same with volatile flags and fences.
template <bool Repaired>
__global__ void volatile_flags(int* out, int* data, control* c) {
    data[group() * threads + thread()] = 1;
    device_fence();
    group_barrier();
    if (thread() != 0) {
        return;
    }
    volatile unsigned* all = c->flags;
    if (group() != 0) {
        all[group()] = 1;
        return;
    }
    for (unsigned g = 1; g < (Repaired ? groups : groups - 1); ++g) {
        while (all[g] == 0) {
        }
    }
    device_fence();
    *out = sum(data, count);  // behind the volatile flags
}

// All groups wait for each other; then each reads what its neighbour has written.
template <bool Repaired>
__global__ void grid_barrier(int* out, int* data, control* c) {
    data[group() * threads + thread()] = 1;
    if constexpr (Repaired) {
        group_barrier();
        if (thread() == 0) {
            device_fence();
            add(&c->counter, 1);
            while (__hip_atomic_load(&c->counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) !=
                   groups) {
            }
            device_fence();
        }
        group_barrier();
    }
    const int other = data[(group() + 1) % groups * threads + thread()];  // the neighbour's
    __hip_atomic_fetch_add(out, other, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Groups take turns with a lock.
template <bool Repaired>
__global__ void lock(int* out, int* data, control* c) {
    data[group() * threads + thread()] = 1;
    group_barrier();
    if (thread() != 0) {
        return;
    }
    const int part = sum(data + group() * threads, threads);
    if constexpr (Repaired) {
        unsigned expected = 0;
        while (!__hip_atomic_compare_exchange_strong(&c->lock, &expected, 1u, __ATOMIC_ACQUIRE,
                                                     __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
            expected = 0;
        }
    }
    *out += part;  // under the lock
    if constexpr (Repaired) {
        __hip_atomic_store(&c->lock, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

// The end of a kernel, or nothing: `step` is the half that is executed, 2 both.
template <bool Repaired>
__global__ void two_kernels(int* out, int* data, control*, int step) {
    if (step != 1) {
        data[group() * threads + thread()] = 1;
    }
    if (step != 0 && group() == 0 && thread() == 0) {
        *out = sum(data, count);  // the second half
    }
}

using kernel_t = void (*)(int*, int*, control*);

struct named_kernel {
    const char* name;
    kernel_t mistaken;
    kernel_t repaired;
};

constexpr named_kernel kernels[] = {
    {"total", total<false>, total<true>},
    {"barrier", barrier<false>, barrier<true>},
    {"last_group", last_group<false>, last_group<true>},
    {"flags", flags<false>, flags<true>},
    {"volatile_flags", volatile_flags<false>, volatile_flags<true>},
    {"grid_barrier", grid_barrier<false>, grid_barrier<true>},
    {"lock", lock<false>, lock<true>},
};

int main(int argc, char** argv) {
    int* out = nullptr;
    int* data = nullptr;
    control* c = nullptr;
    if (argc < 2 || hipMalloc(reinterpret_cast<void**>(&out), sizeof(int)) != 0 ||
        hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(int)) != 0 ||
        hipMalloc(reinterpret_cast<void**>(&c), sizeof(control)) != 0 ||
        hipMemset(out, 0, sizeof(int)) != 0 || hipMemset(data, 0, count * sizeof(int)) != 0 ||
        hipMemset(c, 0, sizeof(control)) != 0) {
        return 2;
    }
    const bool is_repaired = argc > 2 && std::strcmp(argv[2], "repaired") == 0;
    const char* known = nullptr;
    for (const named_kernel& k : kernels) {
        if (std::strcmp(k.name, argv[1]) == 0) {
            known = k.name;
            (is_repaired ? k.repaired : k.mistaken)<<<dim3(groups), threads>>>(out, data, c);
        }
    }
    if (std::strcmp(argv[1], "two_kernels") == 0) {
        known = argv[1];
        if (is_repaired) {
            two_kernels<true><<<dim3(groups), threads>>>(out, data, c, 0);
            // What the host does between two launches comes between.
            int ones[4] = {1, 1, 1, 1};
            if (hipMemcpy(data, ones, sizeof ones, 1) != 0) {
                return 2;
            }
            two_kernels<true><<<dim3(groups), threads>>>(out, data, c, 1);
        } else {
            two_kernels<false><<<dim3(groups), threads>>>(out, data, c, 2);
        }
    }
    int result = 0;
    if (known == nullptr || hipDeviceSynchronize() != 0 ||
        hipMemcpy(&result, out, sizeof result, 2) != 0) {
        return 2;
    }
    std::printf("%s: finished, %d\n", known, result);
    return result == int{count} ? 0 : 1;
}
