// Two kernels for the profile, compiled with -g. What is marked as a line of opus.hpp stands for
// opus's header, of which the profile shows the caller.
#include <cstdint>
#include <cstdio>

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

// clang-format off
#line 1000 "include/opus/opus.hpp"
__device__ inline void store(float* to, float value) { __builtin_nontemporal_store(value, to); }
#line 28 "profile.hip"
// clang-format on

__device__ inline void put(float* to, float value) {
    store(to, value * value);  // the helper
}

namespace tests {

template <int Step>
__global__ void squares(float* to) {
    const unsigned t = __builtin_amdgcn_workitem_id_x();
    put(to + t, static_cast<float>(t * Step));  // the call
}

__global__ void zeros(float* to) {
    to[__builtin_amdgcn_workitem_id_x()] = 0;
}

}  // namespace tests

// With the name of a trace: says whether all of it is there when the launch is done.
int main(int argc, char** argv) {
    float* to = nullptr;
    if (hipMalloc(reinterpret_cast<void**>(&to), 64 * sizeof(float)) != 0) {
        return 1;
    }
    tests::zeros<<<dim3(1), 64>>>(to);
    tests::squares<3><<<dim3(1), 64>>>(to);
    const int error = hipDeviceSynchronize();
    if (argc == 2) {
        char end[3] = {};
        FILE* trace = fopen(argv[1], "rb");
        if (trace == nullptr || fseek(trace, -2, SEEK_END) != 0 || fread(end, 1, 2, trace) != 2) {
            return 1;
        }
        printf("the trace ends with %s", end);
    }
    return error;
}
