// SPDX-License-Identifier: MIT
//
// hip_minimal.hpp: the small part of the HIP API that a kernel file needs, without
// <hip/hip_runtime.h> and without any standard header.
//
//   grep '^// == ' prints the contents.
//
// What it gives
//   every target  __host__ __device__ __global__ __shared__ __constant__ __launch_bounds__
//                 __noinline__ (empty where the file is not compiled as HIP)
//                 __forceinline__ __align__(n), size_t
//   kernels       threadIdx blockIdx blockDim gridDim (.x .y .z), __syncthreads()
//   host          dim3, hipError_t, hipStream_t, hipEvent_t, hipMemcpyKind, the functions of
//                 "runtime interface" below, and what kernel<<<grid, block>>>() lowers to;
//                 hipLaunchKernelGGL(kernel, grid, block, dynamic_lds, stream, arguments...)
// There is no warpSize: the name is also a member of hipDeviceProp_t, which rules out the way the
// other built-ins coexist with the real header; opus::get_warp_size() is a constant expression.
//
// Coexistence with the real header, in either order
//   <hip/hip_runtime.h> first: nothing is declared here.
//   This file first: a second definition of dim3 or hipError_t would be an error, and a type of
//   another name would not link with code compiled against the real header. So where
//   <hip/hip_runtime_api.h> can be found (a ROCm installation; host declarations only, about a
//   quarter of <hip/hip_runtime.h>), the host half comes from there. Elsewhere the real header
//   cannot follow either, and the host half is declared here. The built-ins of the device half are
//   macros that name this file's objects until <hip/hip_runtime.h> is seen, and the real ones
//   after that. Code that uses more of HIP than is listed above includes <hip/hip_runtime.h>.
//   OPUS_HIP_MINIMAL_STANDALONE=1 promises that no real HIP header takes part in the translation
//   unit: then nothing is included even where one could be found. It is the default with
//   -D__HIPCC_RTC__, under which HIP's own headers do not compile.
//
// hipRTC predefines all of this; do not include the file there.
#ifndef OPUS_HIP_MINIMAL_HPP
#define OPUS_HIP_MINIMAL_HPP

#ifndef OPUS_HIP_MINIMAL_STANDALONE
#if defined(__HIPCC_RTC__)
#define OPUS_HIP_MINIMAL_STANDALONE 1
#else
#define OPUS_HIP_MINIMAL_STANDALONE 0
#endif
#endif

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H)

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H) && !OPUS_HIP_MINIMAL_STANDALONE
#if __has_include(<hip/hip_runtime_api.h>)
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1  // the real headers stop without it in a plain C++ file
#endif
#include <hip/hip_runtime_api.h>
#endif
#endif

// == 1. keywords ==================================================================================
#if defined(__HIP__)
#ifndef __host__
#define __host__ __attribute__((host))
#endif
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __constant__
#define __constant__ __attribute__((constant))
#endif
// __launch_bounds__(max threads of a block [, min waves per execution unit])
#ifndef __launch_bounds__
#define OPUS_HIP_BOUNDS_1(max_threads) __attribute__((amdgpu_flat_work_group_size(1, max_threads)))
#define OPUS_HIP_BOUNDS_2(max_threads, min_waves) \
    OPUS_HIP_BOUNDS_1(max_threads) __attribute__((amdgpu_waves_per_eu(min_waves)))
#define OPUS_HIP_BOUNDS_PICK(first, second, chosen, ...) chosen
#define __launch_bounds__(...)                                                \
    OPUS_HIP_BOUNDS_PICK(__VA_ARGS__, OPUS_HIP_BOUNDS_2, OPUS_HIP_BOUNDS_1, ) \
    (__VA_ARGS__)
#endif
#else
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __shared__
#define __shared__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
// In HIP a keyword of clang's; empty, so that __attribute__((__noinline__)) stays valid.
#ifndef __noinline__
#define __noinline__
#endif
#endif
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif

// == 2. runtime types =============================================================================
using size_t = __SIZE_TYPE__;  // in the global namespace, where the real header has it too

// Names, values and layouts are those of the HIP binary interface (libamdhip64.so).
#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H)
struct dim3 {
    unsigned int x;
    unsigned int y;
    unsigned int z;
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                                       unsigned int z_ = 1)
        : x(x_), y(y_), z(z_) {}
};

enum [[nodiscard]] hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorMemoryAllocation = hipErrorOutOfMemory,
    hipErrorNotInitialized = 3,
    hipErrorInitializationError = hipErrorNotInitialized,
    hipErrorDeinitialized = 4,
    hipErrorInvalidConfiguration = 9,
    hipErrorInvalidSymbol = 13,
    hipErrorInvalidDevicePointer = 17,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInsufficientDriver = 35,
    hipErrorMissingConfiguration = 52,
    hipErrorPriorLaunchFailure = 53,
    hipErrorInvalidDeviceFunction = 98,
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101,
    hipErrorInvalidImage = 200,
    hipErrorInvalidContext = 201,
    hipErrorMapFailed = 205,
    hipErrorUnmapFailed = 206,
    hipErrorNoBinaryForGpu = 209,
    hipErrorECCNotCorrectable = 214,
    hipErrorUnsupportedLimit = 215,
    hipErrorInvalidKernelFile = 218,
    hipErrorInvalidSource = 300,
    hipErrorFileNotFound = 301,
    hipErrorSharedObjectSymbolNotFound = 302,
    hipErrorSharedObjectInitFailed = 303,
    hipErrorOperatingSystem = 304,
    hipErrorInvalidHandle = 400,
    hipErrorInvalidResourceHandle = hipErrorInvalidHandle,
    hipErrorIllegalState = 401,
    hipErrorNotFound = 500,
    hipErrorNotReady = 600,
    hipErrorIllegalAddress = 700,
    hipErrorLaunchOutOfResources = 701,
    hipErrorLaunchTimeOut = 702,
    hipErrorAssert = 710,
    hipErrorHostMemoryAlreadyRegistered = 712,
    hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719,
    hipErrorNotSupported = 801,
    hipErrorUnknown = 999,
    hipErrorRuntimeMemory = 1052,
    hipErrorRuntimeOther = 1053
};

enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4  // the direction follows from the two addresses
};

enum hipDeviceAttribute_t {
    hipDeviceAttributeClockRate = 5,  // kHz
    hipDeviceAttributeL2CacheSize = 19,
    hipDeviceAttributeMaxBlockDimX = 26,
    hipDeviceAttributeMaxGridDimX = 29,
    hipDeviceAttributeMaxThreadsPerBlock = 56,
    hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
    hipDeviceAttributeMemoryClockRate = 60,  // kHz
    hipDeviceAttributeMultiprocessorCount = 63,
    hipDeviceAttributeMaxSharedMemoryPerBlock = 74,  // bytes
    hipDeviceAttributeWarpSize = 87
};

enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8,
    hipFuncAttributePreferredSharedMemoryCarveout = 9
};

struct ihipStream_t;
struct ihipEvent_t;
using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;

#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipHostMallocDefault 0x0

// == 3. runtime interface =========================================================================
// Sizes are in bytes. A null stream is the default stream.
extern "C" {
hipError_t hipGetLastError();  // and clears it
hipError_t hipPeekAtLastError();
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);

hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceSynchronize();
hipError_t hipRuntimeGetVersion(int* version);

hipError_t hipMalloc(void** pointer, size_t size);
hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t stream);
hipError_t hipHostMalloc(void** pointer, size_t size, unsigned int flags);
hipError_t hipFree(void* pointer);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipHostFree(void* pointer);
hipError_t hipMemcpy(void* destination, const void* source, size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* destination, const void* source, size_t size, hipMemcpyKind kind,
                          hipStream_t stream = nullptr);
hipError_t hipMemset(void* destination, int byte, size_t size);
hipError_t hipMemsetAsync(void* destination, int byte, size_t size, hipStream_t stream = nullptr);

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamDestroy(hipStream_t stream);

hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventDestroy(hipEvent_t event);

hipError_t hipFuncSetAttribute(const void* kernel, hipFuncAttribute attribute, int value);
hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t dynamic_lds, hipStream_t stream);
// kernel<<<grid, block, dynamic_lds, stream>>>(...) pushes its configuration, and the host stub of
// the kernel pops it and calls hipLaunchKernel.
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds = 0,
                                      hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_lds,
                                     hipStream_t* stream);
}

// The same with a typed pointer: float* p; hipMalloc(&p, n * sizeof(float));
template <class T>
inline hipError_t hipMalloc(T** pointer, size_t size) {
    return hipMalloc(reinterpret_cast<void**>(pointer), size);
}

template <class T>
inline hipError_t hipMallocAsync(T** pointer, size_t size, hipStream_t stream) {
    return hipMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}

template <class T>
inline hipError_t hipHostMalloc(T** pointer, size_t size,
                                unsigned int flags = hipHostMallocDefault) {
    return hipHostMalloc(reinterpret_cast<void**>(pointer), size, flags);
}
#endif  // !HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

// == 4. kernel built-ins ==========================================================================
#if defined(__HIP__)
// A kernel with commas in its name is put in parentheses, or into HIP_KERNEL_NAME().
#ifndef hipLaunchKernelGGL
#define hipLaunchKernelGGL(kernel, grid, block, dynamic_lds, stream, ...) \
    (kernel)<<<(grid), (block), (dynamic_lds), (stream)>>>(__VA_ARGS__)
#endif
#ifndef HIP_KERNEL_NAME
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#endif

// Members are read through getters, so that each lowers to the one builtin it needs. The count of
// blocks is in the implicit kernel arguments (code object version 5 on: three dwords at 0, 4, 8);
// the builtin for the grid would count threads.
#define OPUS_HIP_BUILTIN_XYZ(type, get_x, get_y, get_z)                           \
    struct type {                                                                 \
        __declspec(property(get = load_x)) unsigned int x;                        \
        __declspec(property(get = load_y)) unsigned int y;                        \
        __declspec(property(get = load_z)) unsigned int z;                        \
        __device__ __forceinline__ static unsigned int load_x() { return get_x; } \
        __device__ __forceinline__ static unsigned int load_y() { return get_y; } \
        __device__ __forceinline__ static unsigned int load_z() { return get_z; } \
        __device__ __forceinline__ operator dim3() const {                        \
            return dim3(load_x(), load_y(), load_z());                            \
        }                                                                         \
    }
// The C cast, because compilers differ in how they spell the address space of the builtin's result.
#define OPUS_HIP_BLOCK_COUNT(i) \
    ((const __attribute__((address_space(4))) unsigned int*)__builtin_amdgcn_implicitarg_ptr())[i]

namespace opus {
namespace impl {
OPUS_HIP_BUILTIN_XYZ(hip_thread_idx, __builtin_amdgcn_workitem_id_x(),
                     __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z());
OPUS_HIP_BUILTIN_XYZ(hip_block_idx, __builtin_amdgcn_workgroup_id_x(),
                     __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z());
OPUS_HIP_BUILTIN_XYZ(hip_block_dim, __builtin_amdgcn_workgroup_size_x(),
                     __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z());
OPUS_HIP_BUILTIN_XYZ(hip_grid_dim, OPUS_HIP_BLOCK_COUNT(0), OPUS_HIP_BLOCK_COUNT(1),
                     OPUS_HIP_BLOCK_COUNT(2));
}  // namespace impl
}  // namespace opus
#undef OPUS_HIP_BUILTIN_XYZ
#undef OPUS_HIP_BLOCK_COUNT

// Declared only: a property is read without touching the object, so none is ever emitted.
extern const __device__ __attribute__((weak)) opus::impl::hip_thread_idx opus_hip_thread_idx;
extern const __device__ __attribute__((weak)) opus::impl::hip_block_idx opus_hip_block_idx;
extern const __device__ __attribute__((weak)) opus::impl::hip_block_dim opus_hip_block_dim;
extern const __device__ __attribute__((weak)) opus::impl::hip_grid_dim opus_hip_grid_dim;

// Every thread of the block arrives before one goes on; memory operations issued before it are
// complete and visible to the block after it.
__device__ __forceinline__ void opus_hip_sync_threads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// OPUS_HIP_SELECT(real, own) is `own` while HIP_INCLUDE_HIP_HIP_RUNTIME_H, the include guard of
// the real header, is an ordinary word, and `real` from where it is defined (to nothing, or to 1).
#define OPUS_HIP_SELECT_HIP_INCLUDE_HIP_HIP_RUNTIME_H(real, own) own
#define OPUS_HIP_SELECT_(real, own) real
#define OPUS_HIP_SELECT_1(real, own) real
#define OPUS_HIP_SELECT_PASTE(guard) OPUS_HIP_SELECT_##guard
#define OPUS_HIP_SELECT_EXPAND(guard) OPUS_HIP_SELECT_PASTE(guard)
#define OPUS_HIP_SELECT(real, own) OPUS_HIP_SELECT_EXPAND(HIP_INCLUDE_HIP_HIP_RUNTIME_H)(real, own)
#define threadIdx OPUS_HIP_SELECT(threadIdx, opus_hip_thread_idx)
#define blockIdx OPUS_HIP_SELECT(blockIdx, opus_hip_block_idx)
#define blockDim OPUS_HIP_SELECT(blockDim, opus_hip_block_dim)
#define gridDim OPUS_HIP_SELECT(gridDim, opus_hip_grid_dim)
#define __syncthreads OPUS_HIP_SELECT(__syncthreads, opus_hip_sync_threads)
#endif  // __HIP__

#endif  // !HIP_INCLUDE_HIP_HIP_RUNTIME_H
#endif  // OPUS_HIP_MINIMAL_HPP
