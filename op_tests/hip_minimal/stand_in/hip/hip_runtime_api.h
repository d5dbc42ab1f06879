// SPDX-License-Identifier: MIT
// Stands in for the real header of this name: the same include guard, and declarations that collide
// with any others of the same names.
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP__)
#error "the real header stops here too"
#endif
#if defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#endif
#define __forceinline__ inline __attribute__((always_inline))

#define STAND_IN_API 1

typedef struct dim3 {
    unsigned x, y, z;
    constexpr __host__ __device__ dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_) {}
} dim3;
typedef enum hipError_t { hipSuccess = 0, hipErrorUnknown = 999 } hipError_t;
typedef enum hipMemcpyKind { hipMemcpyDeviceToHost = 2 } hipMemcpyKind;
typedef struct ihipStream_t* hipStream_t;
#define hipStreamDefault 0x00

// Members of these names exist in the real header.
typedef struct hipDeviceProp_t {
    int warpSize;
} hipDeviceProp_t;
typedef struct hipLaunchParams {
    dim3 gridDim, blockDim;
} hipLaunchParams;

extern "C" {
hipError_t hipMalloc(void** ptr, __SIZE_TYPE__ size);
hipError_t hipMemcpy(void* dst, const void* src, __SIZE_TYPE__ size, hipMemcpyKind kind);
hipError_t hipFree(void* ptr);
hipError_t hipLaunchKernel(const void* f, dim3 grid, dim3 block, void** args, __SIZE_TYPE__ shared,
                           hipStream_t stream);
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, __SIZE_TYPE__ sharedMem = 0,
                                      hipStream_t stream = 0);
}
template <class T>
static inline hipError_t hipMalloc(T** ptr, __SIZE_TYPE__ size) {
    return hipMalloc(reinterpret_cast<void**>(ptr), size);
}
#endif
