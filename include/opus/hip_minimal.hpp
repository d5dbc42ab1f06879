// SPDX-License-Identifier: MIT
//
// hip_minimal.hpp: the small part of the HIP API that a kernel file needs. It includes neither
// <hip/hip_runtime.h> nor ROCm's device library, and no standard header but <assert.h>.
//
//   grep '^// == ' prints the contents.
//
// What it gives
//   every target  __host__ __device__ __global__ __shared__ __constant__ __launch_bounds__
//                 __noinline__ (empty where the file is not compiled as HIP)
//                 __forceinline__ __align__(n), size_t
//   kernels       threadIdx blockIdx blockDim gridDim (.x .y .z), __syncthreads(), the functions of
//                 "kernel functions" below, printf(), assert()
//   host          dim3, hipError_t, hipStream_t, hipEvent_t, hipMemcpyKind, the functions of
//                 "runtime interface" below, and what kernel<<<grid, block>>>() lowers to;
//                 hipLaunchKernelGGL(kernel, grid, block, dynamic_lds, stream, arguments...)
//
// Coexistence with the real header, in either order
//   <hip/hip_runtime.h> comes first: nothing is declared here.
//
//   This file comes first:
//   - Host half. A second definition of dim3 or hipError_t would be an error, and a type of another
//     name would not link with code compiled against the real header. So the host half comes from
//     <hip/hip_runtime_api.h> where that can be found (a ROCm installation; host declarations only,
//     about a quarter of <hip/hip_runtime.h>). Elsewhere the real header cannot follow either, and
//     the host half is declared here.
//   - threadIdx, blockIdx, blockDim and gridDim are objects. They stay the ones that are meant when
//     <hip/hip_runtime.h> follows: the real header's get other names (section 7).
//   - Functions for kernels. They are templates, so ordinary functions with the same parameters,
//     those of the real header, are no second definition and are preferred.
//   - warpSize can be neither a macro nor a template: a macro would hit the member of
//     hipDeviceProp_t, and the real one is a variable. It is declared only where the host half is
//     declared here; opus::get_warp_size() is everywhere.
//
//   Code that uses more of HIP than is listed above includes <hip/hip_runtime.h>.
//
//   OPUS_HIP_MINIMAL_STANDALONE=1 promises that no real HIP header takes part in the translation
//   unit: then nothing is included even if one could be found. It is the default with
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
// A keyword of clang in HIP. Empty here, so that __attribute__((__noinline__)) stays valid.
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
    hipErrorCooperativeLaunchTooLarge = 720,
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
    hipDeviceAttributeCooperativeLaunch = 10,
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

// The members without HIP's names are those of textures, of graphics and of hipDeviceArch_t.
struct hipUUID {
    char bytes[16];
};

struct hipDeviceProp_tR0600 {
    char name[256];
    hipUUID uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;     // bytes
    size_t sharedMemPerBlock;  // bytes
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;  // kHz
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int opus_texture_limits[40];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;  // kHz
    int memoryBusWidth;   // bits
    int l2CacheSize;      // bytes
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;  // bytes
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;  // bytes
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int opus_interoperability[13];
    int reserved[63];
    int hipReserved[32];
    char gcnArchName[256];                    // "gfx942:sramecc+:xnack-"
    size_t maxSharedMemoryPerMultiProcessor;  // bytes
    int clockInstructionRate;                 // kHz
    unsigned int opus_arch;
    unsigned int* hdpMemFlushCntl;
    unsigned int* hdpRegFlushCntl;
    int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem;
    int isLargeBar;
    int asicRevision;
};
using hipDeviceProp_t = hipDeviceProp_tR0600;
static_assert(sizeof(hipDeviceProp_tR0600) == 1472,
              "opus/hip_minimal.hpp: hipDeviceProp_t must have the layout of libamdhip64.so");

enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8,
    hipFuncAttributePreferredSharedMemoryCarveout = 9
};

struct ihipStream_t;
struct ihipEvent_t;
using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;

enum hipLaunchAttributeID {
    hipLaunchAttributeAccessPolicyWindow = 1,
    hipLaunchAttributeCooperative = 2,
    hipLaunchAttributeSynchronizationPolicy = 3,
    hipLaunchAttributePriority = 8,
    hipLaunchAttributeMemSyncDomainMap = 9,
    hipLaunchAttributeMemSyncDomain = 10,
    hipLaunchAttributeMax
};

union alignas(8) hipLaunchAttributeValue {
    char pad[64];
    int cooperative;
    int priority;
};

struct hipLaunchAttribute {
    hipLaunchAttributeID id;
    char pad[4];
    union {
        hipLaunchAttributeValue val;
        hipLaunchAttributeValue value;
    };
};

struct hipLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    hipStream_t stream;
    hipLaunchAttribute* attrs;
    unsigned int numAttrs;
};
static_assert(sizeof(hipLaunchAttribute) == 72 && sizeof(hipLaunchConfig_t) == 56,
              "opus/hip_minimal.hpp: hipLaunchConfig_t must have the layout of libamdhip64.so");

#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipHostMallocDefault 0x0

// == 3. runtime interface =========================================================================
// Sizes are in bytes. A null stream is the default stream.
extern "C" {
hipError_t hipGetLastError();  // also clears it
hipError_t hipPeekAtLastError();
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);

hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int device);
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
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags = 0);
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
hipError_t hipLaunchKernel_spt(const void* kernel, dim3 grid, dim3 block, void** arguments,
                               size_t dynamic_lds, hipStream_t stream);
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* kernel,
                              void** arguments);
// All groups are in progress at the same time and may wait for each other, or it is refused.
hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned int dynamic_lds, hipStream_t stream);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                        int block_size, size_t dynamic_lds);
// kernel<<<grid, block, dynamic_lds, stream>>>(...) pushes its configuration. The kernel's host
// stub pops it and calls hipLaunchKernel, with -fgpu-default-stream=per-thread hipLaunchKernel_spt.
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds = 0,
                                      hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_lds,
                                     hipStream_t* stream);
}

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    return hipGetDevicePropertiesR0600(properties, device);
}

// The same with a typed pointer:
//   float* p;
//   hipMalloc(&p, n * sizeof(float));
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

// The same with the kernel's name:
//   hipLaunchCooperativeKernel(kernel, grid, block, arguments, 0, nullptr);
template <class Kernel>
inline hipError_t hipLaunchCooperativeKernel(Kernel* kernel, dim3 grid, dim3 block,
                                             void** arguments, unsigned int dynamic_lds,
                                             hipStream_t stream) {
    return hipLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                                      dynamic_lds, stream);
}

template <class Kernel>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel,
                                                               int block_size, size_t dynamic_lds) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void*>(kernel), block_size, dynamic_lds);
}

// And with the arguments, which become the kernel's parameters:
//   hipLaunchKernelEx(&config, kernel, p, 3);
template <class... Parameters, class... Arguments>
inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t* config, void (*kernel)(Parameters...),
                                    Arguments&&... arguments) {
    const auto launch = [&](Parameters... parameters) {
        void* addresses[] = {&parameters..., nullptr};
        return hipLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), addresses);
    };
    return launch(static_cast<Arguments&&>(arguments)...);
}

#if defined(__HIP__)
constexpr int warpSize = 64;
#endif
#endif  // !HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

// == 4. kernel built-ins ==========================================================================
#if defined(__HIP__)
// Put a kernel with commas in its name in parentheses, or into HIP_KERNEL_NAME().
#ifndef hipLaunchKernelGGL
#define hipLaunchKernelGGL(kernel, grid, block, dynamic_lds, stream, ...) \
    (kernel)<<<(grid), (block), (dynamic_lds), (stream)>>>(__VA_ARGS__)
#endif
#ifndef HIP_KERNEL_NAME
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#endif

// Members are read through getters, so that each lowers to the one builtin that it needs. The
// number of blocks is in the implicit kernel arguments (from code object version 5 on: three dwords
// at bytes 0, 4 and 8); the builtin for the grid would count threads.
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
// A C cast, because compilers spell the address space of the builtin's result differently.
#define OPUS_HIP_BLOCK_COUNT(i) \
    ((const __attribute__((address_space(4))) unsigned int*)__builtin_amdgcn_implicitarg_ptr())[i]

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wold-style-cast"
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

// A pointer in the implicit kernel arguments.
template <class T>
__device__ __forceinline__ T* hip_implicit_pointer(int index) {
    return ((T* const __attribute__((address_space(4)))*)__builtin_amdgcn_implicitarg_ptr())[index];
}
}  // namespace impl
}  // namespace opus
#pragma clang diagnostic pop
#undef OPUS_HIP_BUILTIN_XYZ
#undef OPUS_HIP_BLOCK_COUNT

// Declared but not defined: a property is read without touching the object, so none is ever
// emitted.
extern const __device__ __attribute__((weak)) opus::impl::hip_thread_idx threadIdx;
extern const __device__ __attribute__((weak)) opus::impl::hip_block_idx blockIdx;
extern const __device__ __attribute__((weak)) opus::impl::hip_block_dim blockDim;
extern const __device__ __attribute__((weak)) opus::impl::hip_grid_dim gridDim;

// Every thread of the block arrives before any goes on. Memory operations issued before the barrier
// are complete, and visible to the block after it.
template <class = void>
__device__ __forceinline__ void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H)
namespace opus {
namespace impl {
// What ROCm's runtime (from 7.0 on) and device library share for a cooperative launch. The low half
// of `arrived` counts blocks, the high half how often all have arrived.
struct hip_grid {
    unsigned int of_several_devices[8];
    unsigned int arrived;
    unsigned int also_of_several_devices;
    unsigned int blocks;
};

__device__ __forceinline__ hip_grid* hip_this_grid() {
    return hip_implicit_pointer<hip_grid>(88 / 8);
}

__device__ inline void hip_grid_sync() {
    hip_grid* const grid = hip_this_grid();
    __syncthreads();
    if ((__builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() |
         __builtin_amdgcn_workitem_id_z()) == 0) {
        const unsigned int blocks = grid->blocks;
        const unsigned int before =
            __hip_atomic_fetch_add(&grid->arrived, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        if ((before & 0xffff) == blocks - 1) {
            __hip_atomic_fetch_add(&grid->arrived, 0x10000 - blocks, __ATOMIC_RELEASE,
                                   __HIP_MEMORY_SCOPE_AGENT);
        }
        while ((__hip_atomic_load(&grid->arrived, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) ^
                before) < 0x10000) {
            __builtin_amdgcn_s_sleep(1);
        }
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    }
    __syncthreads();
}
}  // namespace impl
}  // namespace opus

// The part of HIP's that is about the grid. Where HIP's own headers can be found, they have it.
namespace cooperative_groups {
class grid_group {
public:
    // Every thread of the grid arrives before any goes on, and sees the others' earlier memory
    // operations.
    // @pre is_valid()
    __device__ void sync() const { opus::impl::hip_grid_sync(); }
    // Whether the launch was cooperative.
    __device__ bool is_valid() const { return opus::impl::hip_this_grid() != nullptr; }
    __device__ unsigned int num_threads() const {
        return gridDim.x * gridDim.y * gridDim.z * block_size();
    }
    __device__ unsigned int size() const { return num_threads(); }
    __device__ unsigned int thread_rank() const {
        const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const unsigned int thread =
            threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        return block * block_size() + thread;
    }
    __device__ dim3 group_dim() const { return gridDim; }

private:
    friend __device__ grid_group this_grid();
    __device__ grid_group() {}
    __device__ static unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
};

__device__ inline grid_group this_grid() {
    return {};
}
}  // namespace cooperative_groups
#endif

// == 5. kernel functions ==========================================================================
// HIP's functions of these names, for the types that HIP has them for.
#define OPUS_HIP_FUNCTION   \
    template <class = void> \
    __device__ __forceinline__

namespace opus {
namespace impl {
template <bool Condition, class T>
struct hip_enable_if {};
template <class T>
struct hip_enable_if<true, T> {
    using type = T;
};
template <class T, class... Ts>
using hip_if_any_of = typename hip_enable_if<(__is_same(T, Ts) || ...), T>::type;
template <class T>
using hip_if_integer = hip_if_any_of<T, int, unsigned int, unsigned long, unsigned long long>;
template <class T>
using hip_if_number =
    hip_if_any_of<T, int, unsigned int, unsigned long, unsigned long long, float, double>;
template <class T>
using hip_if_long_number = hip_if_any_of<T, int, unsigned int, long, unsigned long, long long,
                                         unsigned long long, float, double>;
// T as a parameter that takes no part in deduction: the pointer alone gives the type of an atomic.
template <class T>
using hip_value = typename hip_enable_if<true, T>::type;

__device__ __forceinline__ int hip_lane() {
    return static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
}

// `value` of lane `from`, or 0 if that lane is inactive.
template <class T>
__device__ __forceinline__ T hip_value_of_lane(T value, int from) {
    int dwords[sizeof(T) / sizeof(int)];
    __builtin_memcpy(dwords, &value, sizeof(T));
    for (int& dword : dwords) {
        dword = __builtin_amdgcn_ds_bpermute(from * 4, dword);
    }
    __builtin_memcpy(&value, dwords, sizeof(T));
    return value;
}
}  // namespace impl
}  // namespace opus

// -- atomics: relaxed, seen by all of the device, the old value is returned --
template <class T>
__device__ __forceinline__ opus::impl::hip_if_number<T> atomicAdd(T* address,
                                                                  opus::impl::hip_value<T> value) {
    return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> atomicMax(
    T* address, opus::impl::hip_value<T> value) {
    return __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> atomicMin(
    T* address, opus::impl::hip_value<T> value) {
    return __hip_atomic_fetch_min(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ opus::impl::hip_if_number<T> atomicExch(T* address,
                                                                   opus::impl::hip_value<T> value) {
    return __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
// Stores `value` if the memory holds `compare`.
template <class T>
__device__ __forceinline__ opus::impl::hip_if_integer<T> atomicCAS(T* address,
                                                                   opus::impl::hip_value<T> compare,
                                                                   opus::impl::hip_value<T> value) {
    __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return compare;
}

// -- lanes: groups of `width` lanes, a power of two, each for itself --
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl(T value, int from,
                                                                    int width = 64) {
    const int first = opus::impl::hip_lane() & -width;
    return opus::impl::hip_value_of_lane(value, first + (from & (width - 1)));
}
// Lanes without a lane `delta` below (above) them in their group keep their own value.
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_up(T value, unsigned int delta,
                                                                       int width = 64) {
    const int lane = opus::impl::hip_lane();
    const int from = lane - static_cast<int>(delta);
    return opus::impl::hip_value_of_lane(value, from < (lane & -width) ? lane : from);
}
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_down(T value,
                                                                         unsigned int delta,
                                                                         int width = 64) {
    const int lane = opus::impl::hip_lane();
    const int from = lane + static_cast<int>(delta);
    return opus::impl::hip_value_of_lane(value, from >= (lane & -width) + width ? lane : from);
}
// As in HIP, a lane can read from an earlier group, but not from a later one.
template <class T>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_xor(T value, int mask,
                                                                        int width = 64) {
    const int lane = opus::impl::hip_lane();
    const int from = lane ^ mask;
    return opus::impl::hip_value_of_lane(value, from >= (lane & -width) + width ? lane : from);
}

// Bit i belongs to lane i. Inactive lanes count as 0, for __all as 1.
OPUS_HIP_FUNCTION unsigned long long __ballot(int predicate) {
    return __builtin_amdgcn_ballot_w64(predicate != 0);
}
OPUS_HIP_FUNCTION int __any(int predicate) {
    return __builtin_amdgcn_ballot_w64(predicate != 0) != 0;
}
OPUS_HIP_FUNCTION int __all(int predicate) {
    return __builtin_amdgcn_ballot_w64(predicate == 0) == 0;
}
OPUS_HIP_FUNCTION unsigned long long __activemask() {
    return __builtin_amdgcn_ballot_w64(true);
}

// -- the same for the lanes of a mask, among which are the caller and no lane that is off --
// Lanes of different masks may call together. Without NDEBUG, a mask that is none traps. HIP has
// templates of the same parameters: the empty pack at the end makes them better matches.
namespace opus {
namespace impl {
template <class Mask>
__device__ __forceinline__ unsigned long long hip_mask(Mask mask) {
    static_assert(static_cast<Mask>(0.5) == 0 && sizeof(Mask) == 8,
                  "opus/hip_minimal.hpp: a mask of lanes is an integer of 64 bits (~0ull for all)");
    const auto lanes = static_cast<unsigned long long>(mask);
#if !defined(NDEBUG)
    if ((lanes & ~__builtin_amdgcn_ballot_w64(true)) != 0 || (lanes >> hip_lane() & 1) == 0) {
        __builtin_trap();
    }
#endif
    return lanes;
}

// The lanes that are on and have this value, or its bits.
template <class T>
__device__ __forceinline__ unsigned long long hip_lanes_of(T value) {
    for (;;) {
        int bits[sizeof(T) / sizeof(int)];
        __builtin_memcpy(bits, &value, sizeof(T));
        bool is_first = true;
        for (int& dword : bits) {
            const int first = __builtin_amdgcn_readfirstlane(dword);
            is_first = is_first && dword == first;
            dword = first;
        }
        T first;
        __builtin_memcpy(&first, bits, sizeof(T));
        if (is_first || value == first) {
            return __builtin_amdgcn_ballot_w64(true);
        }
    }
}

// Every lane of the mask has the same result, also of floating-point numbers.
template <class T, class Operation>
__device__ __forceinline__ T hip_reduce_lanes(unsigned long long mask, T value,
                                              Operation operation) {
    if (mask == ~0ull) {
        for (int distance = 32; distance != 0; distance /= 2) {
            value = operation(value, hip_value_of_lane(value, hip_lane() ^ distance));
        }
        return value;
    }
    T result = hip_value_of_lane(value, __builtin_ctzll(mask));
    while ((mask &= mask - 1) != 0) {
        result = operation(result, hip_value_of_lane(value, __builtin_ctzll(mask)));
    }
    return result;
}
template <class T>
using hip_lanes_if_number =
    typename hip_enable_if<sizeof(hip_if_long_number<T>) != 0, unsigned long long>::type;
template <class T>
using hip_if_reduced =
    hip_if_any_of<T, int, unsigned int, long long, unsigned long long, float, double>;
template <class T>
using hip_if_reduced_bits = hip_if_any_of<T, int, unsigned int, long long, unsigned long long>;
}  // namespace impl
}  // namespace opus

// Memory operations of the lanes before it are visible to the lanes behind it.
OPUS_HIP_FUNCTION void __syncwarp() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <class Mask, class... Worse>
__device__ __forceinline__ void __syncwarp(Mask mask, Worse...) {
    opus::impl::hip_mask(mask);
    __syncwarp();
}

template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_sync(Mask mask, T value,
                                                                         int from, int width = 64,
                                                                         Worse...) {
    opus::impl::hip_mask(mask);
    return __shfl(value, from, width);
}
template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_up_sync(Mask mask, T value,
                                                                            unsigned int delta,
                                                                            int width = 64,
                                                                            Worse...) {
    opus::impl::hip_mask(mask);
    return __shfl_up(value, delta, width);
}
template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_down_sync(Mask mask, T value,
                                                                              unsigned int delta,
                                                                              int width = 64,
                                                                              Worse...) {
    opus::impl::hip_mask(mask);
    return __shfl_down(value, delta, width);
}
template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_if_long_number<T> __shfl_xor_sync(Mask mask, T value,
                                                                             int lane_mask,
                                                                             int width = 64,
                                                                             Worse...) {
    opus::impl::hip_mask(mask);
    return __shfl_xor(value, lane_mask, width);
}

template <class Mask, class... Worse>
__device__ __forceinline__ unsigned long long __ballot_sync(Mask mask, int predicate, Worse...) {
    return __ballot(predicate) & opus::impl::hip_mask(mask);
}
template <class Mask, class... Worse>
__device__ __forceinline__ int __any_sync(Mask mask, int predicate, Worse...) {
    return (__ballot(predicate) & opus::impl::hip_mask(mask)) != 0;
}
template <class Mask, class... Worse>
__device__ __forceinline__ int __all_sync(Mask mask, int predicate, Worse...) {
    return (~__ballot(predicate) & opus::impl::hip_mask(mask)) == 0;
}

// Those of the mask that have the caller's value.
template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_lanes_if_number<T> __match_any_sync(Mask mask, T value,
                                                                               Worse...) {
    return opus::impl::hip_lanes_of(value) & opus::impl::hip_mask(mask);
}
// The mask if all of it have the same value, else 0.
template <class Mask, class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_lanes_if_number<T> __match_all_sync(Mask mask, T value,
                                                                               int* is_same,
                                                                               Worse...) {
    const unsigned long long lanes = opus::impl::hip_mask(mask);
    *is_same = (lanes & ~opus::impl::hip_lanes_of(value)) == 0 ? 1 : 0;
    return *is_same != 0 ? lanes : 0;
}
template <class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_lanes_if_number<T> __match_any(T value, Worse...) {
    return opus::impl::hip_lanes_of(value);
}
template <class T, class... Worse>
__device__ __forceinline__ opus::impl::hip_lanes_if_number<T> __match_all(T value, int* is_same,
                                                                          Worse...) {
    return __match_all_sync(__activemask(), value, is_same);
}

// The order of additions is not specified.
#define OPUS_HIP_REDUCTION(name, types, x_and_y)                                               \
    template <class Mask, class T, class... Worse>                                             \
    __device__ __forceinline__ opus::impl::types<T> __reduce_##name##_sync(Mask mask, T value, \
                                                                           Worse...) {         \
        return opus::impl::hip_reduce_lanes(opus::impl::hip_mask(mask), value,                 \
                                            [](T x, T y) { return static_cast<T>(x_and_y); }); \
    }
OPUS_HIP_REDUCTION(add, hip_if_reduced, x + y)
OPUS_HIP_REDUCTION(min, hip_if_reduced, __builtin_elementwise_min(x, y))
OPUS_HIP_REDUCTION(max, hip_if_reduced, __builtin_elementwise_max(x, y))
OPUS_HIP_REDUCTION(and, hip_if_reduced_bits, x& y)
OPUS_HIP_REDUCTION(or, hip_if_reduced_bits, x | y)
OPUS_HIP_REDUCTION(xor, hip_if_reduced_bits, x ^ y)
#undef OPUS_HIP_REDUCTION

// -- bits --
OPUS_HIP_FUNCTION int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
OPUS_HIP_FUNCTION int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
// All bits of 0 are leading zeros.
OPUS_HIP_FUNCTION int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
OPUS_HIP_FUNCTION int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
// The position of the lowest set bit, counted from 1; 0 for 0.
OPUS_HIP_FUNCTION int __ffs(int x) {
    return __builtin_ffs(x);
}
OPUS_HIP_FUNCTION int __ffsll(long long x) {
    return __builtin_ffsll(x);
}

// -- memory --
template <class T>
__device__ __forceinline__ T __ldg(const T* address) {
    return *address;
}

// -- mathematics: docs/reference.md has the errors --
namespace opus {
namespace impl {
__device__ __forceinline__ unsigned int hip_bits(float x) {
    unsigned int bits = 0;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

__device__ __forceinline__ float hip_float(unsigned int bits) {
    float x = 0;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

// The bits of |x|. Integer comparisons recognise infinities and NaNs with -ffast-math, too.
constexpr unsigned int hip_infinity = 0x7f800000;
__device__ __forceinline__ unsigned int hip_size_bits(float x) {
    return hip_bits(x) & 0x7fffffff;
}

// 2^x, with a relative error below 2^-36, by the series of exp(x ln 2) for |x| <= 1/2.
__device__ inline double hip_exp2(double x) {
    x = __builtin_fmax(__builtin_fmin(x, 2000.0), -2000.0);
    const double whole = __builtin_rint(x);
    const double t = (x - whole) * 0.69314718055994530942;
    double sum = 1.0;
    for (int n = 10; n > 0; --n) {
        sum = __builtin_fma(sum, t * (1.0 / n), 1.0);
    }
    return __builtin_ldexp(sum, static_cast<int>(whole));
}

// log2(x), with a relative error below 2^-38, by 2 / ln 2 artanh((m - 1) / (m + 1)) for the
// mantissa m.
// @pre x is normal and positive
__device__ inline double hip_log2(double x) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &x, sizeof bits);
    double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
    bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    double m = 0;
    __builtin_memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        exponent += 1.0;
    }
    const double s = (m - 1.0) / (m + 1.0);
    double sum = 0.0;
    for (int n = 15; n > 0; n -= 2) {
        sum = __builtin_fma(sum, s * s, 1.0 / n);
    }
    return __builtin_fma(s * sum, 2.88539008177792681472, exponent);
}

// The angle quarters * pi/2 + rest. |rest| exceeds pi/4 by a rounding at most.
struct hip_angle {
    unsigned int quarters;  // modulo 4
    double rest;
};

// @pre x is finite
__device__ inline hip_angle hip_reduce(float x) {
    constexpr double half_pi = 0x1.921fb54442d18p+0;
    constexpr double half_pi_low = 0x1.1a62633145c07p-54;
    if (__builtin_fabsf(x) < 0x1p30f) {
        const double quarters = __builtin_rint(x * 0x1.45f306dc9c883p-1);
        const double rest = __builtin_fma(-quarters, half_pi, static_cast<double>(x));
        return {static_cast<unsigned int>(static_cast<int>(quarters)),
                __builtin_fma(-quarters, half_pi_low, rest)};
    }
    // |x| is an integer times 2^e. The bits of |x| * 2/pi with a value of 4 and more are whole
    // turns. They come from the first e - 2 bits of 2/pi, which are left out. The bits behind the
    // next 96 do not count.
    constexpr unsigned int two_over_pi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                            0xdb629599, 0x3c439041, 0xfe5163ab};
    const unsigned int bits = hip_bits(x);
    const unsigned int left_out = (bits >> 23 & 0xff) - 127 - 23 - 2;
    const unsigned int* const words = two_over_pi + left_out / 32;
    const auto word = [&](int n) {
        return (static_cast<unsigned long long>(words[n]) << 32 | words[n + 1]) >>
                   (32 - left_out % 32) &
               0xffffffffu;
    };
    const unsigned long long mantissa = (bits & 0x7fffff) | 0x800000;
    const unsigned long long low = mantissa * word(2);
    const unsigned long long middle = mantissa * word(1) + (low >> 32);
    const unsigned long long high = mantissa * word(0) + (middle >> 32);
    const unsigned long long turn = high << 32 | (middle & 0xffffffffu);
    const auto quarters = static_cast<unsigned int>((turn + (1ull << 61)) >> 62);
    const double rest = static_cast<double>(static_cast<long long>(turn << 2)) * 0x1p-64 * half_pi;
    return x < 0 ? hip_angle{0u - quarters, -rest} : hip_angle{quarters, rest};
}

// sin(rest) or cos(rest) by its series, negated in the second half of the turn.
__device__ inline float hip_sine(hip_angle a) {
    const double square = a.rest * a.rest;
    double sum = 1.0;
    const int odd = static_cast<int>(a.quarters & 1);
    for (int n = 12; n > 0; n -= 2) {
        sum = __builtin_fma(sum, -square / (n * (odd != 0 ? n - 1 : n + 1)), 1.0);
    }
    sum = odd != 0 ? sum : sum * a.rest;
    return static_cast<float>((a.quarters & 2) != 0 ? -sum : sum);
}
}  // namespace impl
}  // namespace opus

OPUS_HIP_FUNCTION float fabsf(float x) {
    return __builtin_fabsf(x);
}
OPUS_HIP_FUNCTION float fminf(float x, float y) {
    return __builtin_fminf(x, y);
}
OPUS_HIP_FUNCTION float fmaxf(float x, float y) {
    return __builtin_fmaxf(x, y);
}
OPUS_HIP_FUNCTION float sqrtf(float x) {
    return __builtin_sqrtf(x);
}
OPUS_HIP_FUNCTION float rsqrtf(float x) {
    const bool is_small = x < 0x1p-100f;  // v_rsq_f32 treats subnormal numbers as 0
    const float y = __builtin_amdgcn_rsqf(is_small ? x * 0x1p24f : x);
    return is_small ? y * 0x1p12f : y;
}
OPUS_HIP_FUNCTION float expf(float x) {
    return __builtin_expf(x);
}
OPUS_HIP_FUNCTION float exp2f(float x) {
    return __builtin_exp2f(x);
}
OPUS_HIP_FUNCTION float logf(float x) {
    return __builtin_logf(x);
}
OPUS_HIP_FUNCTION float log2f(float x) {
    return __builtin_log2f(x);
}
template <class = void>
__device__ inline float sinf(float x) {
    if (opus::impl::hip_size_bits(x) >= opus::impl::hip_infinity) {
        return x - x;
    }
    if (__builtin_fabsf(x) < 0x1p-13f) {
        return x;
    }
    return opus::impl::hip_sine(opus::impl::hip_reduce(x));
}
template <class = void>
__device__ inline float cosf(float x) {
    if (opus::impl::hip_size_bits(x) >= opus::impl::hip_infinity) {
        return x - x;
    }
    opus::impl::hip_angle angle = opus::impl::hip_reduce(x);
    ++angle.quarters;
    return opus::impl::hip_sine(angle);
}
template <class = void>
__device__ inline float tanhf(float x) {
    const double d = x;
    if (__builtin_fabsf(x) < 0x1p-5f) {
        const double s = d * d;
        return static_cast<float>(d - d * s * (1.0 / 3 - s * (2.0 / 15)));
    }
    if (opus::impl::hip_size_bits(x) > opus::impl::hip_infinity) {
        return x;
    }
    const double power = opus::impl::hip_exp2(__builtin_fabs(d) * 2.88539008177792681472);
    return __builtin_copysignf(static_cast<float>(1.0 - 2.0 / (power + 1.0)), x);
}
template <class = void>
__device__ inline float powf(float x, float y) {
    using namespace opus::impl;
    const float size = __builtin_fabsf(x);
    const bool has_infinity = hip_size_bits(x) == hip_infinity || hip_size_bits(y) == hip_infinity;
    const bool is_integer = __builtin_rintf(y) == y;
    const bool is_odd = is_integer && __builtin_rintf(y * 0.5f) != y * 0.5f;
    if (y == 0 || x == 1) {
        return 1;
    }
    if (hip_size_bits(x) > hip_infinity || hip_size_bits(y) > hip_infinity) {
        return x + y;
    }
    if (x < 0 && !is_integer && hip_size_bits(x) != hip_infinity) {
        return hip_float(0x7fc00000);
    }
    float result = 1;
    if (size == 0 || has_infinity) {
        if (size != 1) {
            result = (size > 1) == (y > 0) ? hip_float(hip_infinity) : 0.0f;
        }
    } else {
        result = static_cast<float>(opus::impl::hip_exp2(y * opus::impl::hip_log2(size)));
    }
    return is_odd ? __builtin_copysignf(result, x) : result;
}
#undef OPUS_HIP_FUNCTION

// == 6. printf and assert =========================================================================
// clang lowers printf to calls of functions of ROCm's device library. They are defined here in the
// manner of its runtime: with -mprintf-kind=buffered, a call writes into a buffer that is printed
// when the kernel is done; by default, and in assert, it calls the host. The optimiser removes the
// functions where they are not used. If the device library is linked too, the ones here are used.
#include <assert.h>

extern "C" __device__ int printf(const char* format, ...);

namespace opus {
namespace impl {
using hip_word = unsigned long long;

#if defined(__HIP_DEVICE_COMPILE__)
// A packet of the host's buffer: what the host has to do, and for which lanes.
struct hip_call_header {
    hip_word next;
    hip_word lanes;
    unsigned int service;
    unsigned int control;  // bit 0 is set until the host is done
};
struct hip_call_words {
    hip_word of_lane[64][8];
};
// The part of the HSA runtime's signal that a kernel uses.
struct hip_signal {
    long long kind;
    long long value;
    hip_word* mailbox;
    unsigned int event;
};
// A packet's pointer has the packet's index in its low bits. Above them is a tag, which changes
// with each use.
struct hip_call_buffer {
    hip_call_header* headers;
    hip_call_words* words;
    hip_signal* doorbell;
    hip_word free_packets;  // stacks, linked by `next`; 0 is the end
    hip_word ready_packets;
    hip_word index_mask;
};

__device__ inline void hip_push(hip_call_buffer* buffer, hip_word* stack, hip_word packet) {
    hip_call_header* const header = buffer->headers + (packet & buffer->index_mask);
    hip_word top = __hip_atomic_load(stack, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    do {
        header->next = top;
    } while (!__hip_atomic_compare_exchange_strong(stack, &top, packet, __ATOMIC_RELEASE,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM));
}

__device__ inline hip_word hip_pop_free(hip_call_buffer* buffer) {
    hip_word* const stack = &buffer->free_packets;
    hip_word top = __hip_atomic_load(stack, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
    for (;;) {
        if (top == 0) {  // all packets are in use
            __builtin_amdgcn_s_sleep(1);
            top = __hip_atomic_load(stack, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
            continue;
        }
        const hip_word next = __hip_atomic_load(&buffer->headers[top & buffer->index_mask].next,
                                                __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
        if (__hip_atomic_compare_exchange_strong(stack, &top, next, __ATOMIC_ACQUIRE,
                                                 __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) {
            return top;
        }
    }
}

__device__ inline void hip_ring(hip_signal* signal) {
    __hip_atomic_fetch_add(&signal->value, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    if (signal->mailbox != nullptr) {
        const unsigned int event = signal->event;
        __hip_atomic_store(signal->mailbox, event, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
        // Sends an interrupt, with the event in M0.
        __builtin_amdgcn_s_sendmsg(
            1, static_cast<unsigned int>(__builtin_amdgcn_readfirstlane(static_cast<int>(event))) &
                   0xff);
    }
}

// Gives the host a descriptor and up to 7 words of each active lane's message, and returns the
// host's answer. The first active lane acts for the wave.
__device__ inline __attribute__((noinline)) hip_word hip_call_host(hip_word descriptor, hip_word a,
                                                                   hip_word b, hip_word c,
                                                                   hip_word d, hip_word e,
                                                                   hip_word f, hip_word g) {
    constexpr unsigned int service_printf = 2;
    auto* const buffer = hip_implicit_pointer<hip_call_buffer>(80 / 8);
    const int lane = hip_lane();
    const bool is_first = lane == __builtin_amdgcn_readfirstlane(lane);
    const hip_word lanes = __builtin_amdgcn_ballot_w64(true);
    hip_word packet = is_first ? hip_pop_free(buffer) : 0;
    const auto high =
        static_cast<unsigned int>(__builtin_amdgcn_readfirstlane(static_cast<int>(packet >> 32)));
    const auto low =
        static_cast<unsigned int>(__builtin_amdgcn_readfirstlane(static_cast<int>(packet)));
    packet = static_cast<hip_word>(high) << 32 | low;
    hip_call_header* const header = buffer->headers + (packet & buffer->index_mask);
    hip_word* const words = buffer->words[packet & buffer->index_mask].of_lane[lane];
    const hip_word all[8] = {descriptor, a, b, c, d, e, f, g};
    __builtin_memcpy(words, all, sizeof all);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    __builtin_amdgcn_wave_barrier();
    if (is_first) {
        header->lanes = lanes;
        header->service = service_printf;
        header->control = 1;
        hip_push(buffer, &buffer->ready_packets, packet);
        hip_ring(buffer->doorbell);
        while ((__hip_atomic_load(&header->control, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) &
                1) != 0) {
            __builtin_amdgcn_s_sleep(1);
        }
    }
    // No lane reads its answer before the first active lane has seen that it is there.
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
    const hip_word answer = __hip_atomic_load(words, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    __builtin_amdgcn_wave_barrier();
    if (is_first) {
        const hip_word tag = buffer->index_mask + 1;
        hip_push(buffer, &buffer->free_packets, packet + tag == 0 ? tag : packet + tag);
    }
    return answer;
}

// A message consists of words: its destination, the format and the arguments. A descriptor says
// whether its words begin or end the message (bits 0 and 1) and how many there are (bits 7:5). The
// host adds the number of the message from bit 8 on.
__device__ inline hip_word hip_message_begin(hip_word where_to) {
    return hip_call_host(1 | 1 << 5, where_to, 0, 0, 0, 0, 0, 0);
}

__device__ inline hip_word hip_message_words(hip_word message, unsigned int count, bool is_last,
                                             hip_word a, hip_word b, hip_word c, hip_word d,
                                             hip_word e, hip_word f, hip_word g) {
    const hip_word number = message & ~static_cast<hip_word>(0xff);
    return hip_call_host(number | count << 5 | (is_last ? 2 : 0), a, b, c, d, e, f, g);
}

// Sends `length` bytes, including the final 0. For a null pointer it sends no bytes, which is a
// word of zeros.
__device__ inline hip_word hip_message_string(hip_word message, const char* text, hip_word length,
                                              bool is_last) {
    length = text == nullptr ? 0 : length;
    do {
        hip_word words[7] = {};
        const auto bytes = static_cast<unsigned int>(length < sizeof words ? length : sizeof words);
        for (unsigned int i = 0; i < bytes; ++i) {
            words[i / 8] |= static_cast<hip_word>(static_cast<unsigned char>(text[i])) << i % 8 * 8;
        }
        text += bytes;
        length -= bytes;
        message =
            hip_message_words(message, bytes == 0 ? 1 : (bytes + 7) / 8, is_last && length == 0,
                              words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
    } while (length != 0);
    return message;
}

__device__ inline hip_word hip_message_string(hip_word message, const char* text) {
    hip_word length = 0;
    while (text[length++] != 0) {
    }
    return hip_message_string(message, text, length, false);
}

// The functions that clang calls. HIP's headers may declare their names as well, so only the
// symbols in the object file have these names.
#define OPUS_HIP_LIBRARY __device__ __attribute__((weak, noinline))
using hip_global_char = __attribute__((address_space(1))) char;
OPUS_HIP_LIBRARY hip_global_char* hip_printf_alloc(unsigned int bytes) __asm__("__printf_alloc");
OPUS_HIP_LIBRARY hip_word hip_printf_begin(hip_word version) __asm__("__ockl_printf_begin");
OPUS_HIP_LIBRARY hip_word hip_printf_words(
    hip_word message, unsigned int count, hip_word a, hip_word b, hip_word c, hip_word d,
    hip_word e, hip_word f, hip_word g, unsigned int is_last) __asm__("__ockl_printf_append_args");
OPUS_HIP_LIBRARY hip_word
hip_printf_string(hip_word message, const char* text, hip_word length,
                  unsigned int is_last) __asm__("__ockl_printf_append_string_n");

// A part of the buffer {bytes used, bytes available, ...}, or null if the buffer is full.
__device__ hip_global_char* hip_printf_alloc(unsigned int bytes) {
    auto* const buffer =
        hip_implicit_pointer<__attribute__((address_space(1))) unsigned int>(72 / 8);
    unsigned int used = __hip_atomic_load(buffer, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do {
        if (used > buffer[1] || bytes > buffer[1] - used) {
            return nullptr;
        }
    } while (!__hip_atomic_compare_exchange_strong(buffer, &used, used + bytes, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return reinterpret_cast<hip_global_char*>(buffer + 2) + used;
}

__device__ hip_word hip_printf_begin(hip_word) {
    return hip_message_begin(0);
}

__device__ hip_word hip_printf_words(hip_word message, unsigned int count, hip_word a, hip_word b,
                                     hip_word c, hip_word d, hip_word e, hip_word f, hip_word g,
                                     unsigned int is_last) {
    return hip_message_words(message, count, is_last != 0, a, b, c, d, e, f, g);
}

__device__ hip_word hip_printf_string(hip_word message, const char* text, hip_word length,
                                      unsigned int is_last) {
    return hip_message_string(message, text, length, is_last != 0);
}
#undef OPUS_HIP_LIBRARY
#endif  // __HIP_DEVICE_COMPILE__
}  // namespace impl
}  // namespace opus

// The macro assert calls this. It prints a line on stderr for each lane, then traps, which ends the
// program.
template <class = void>
__device__ __attribute__((noinline)) void __assert_fail(const char* assertion, const char* file,
                                                        unsigned int line, const char* function) {
#if defined(__HIP_DEVICE_COMPILE__)
    using namespace opus::impl;
    constexpr hip_word to_stderr = 1;
    hip_word message = hip_message_begin(to_stderr);
    message = hip_message_string(
        message,
        "%s:%u: %s: Device-side assertion `%s' failed: group (%u, %u, %u), thread (%u, %u, %u), "
        "lane %u\n");
    message = hip_message_string(message, file);
    message = hip_message_words(message, 1, false, line, 0, 0, 0, 0, 0, 0);
    message = hip_message_string(message, function);
    message = hip_message_string(message, assertion);
    message = hip_message_words(message, 3, false, __builtin_amdgcn_workgroup_id_x(),
                                __builtin_amdgcn_workgroup_id_y(),
                                __builtin_amdgcn_workgroup_id_z(), 0, 0, 0, 0);
    hip_message_words(message, 4, true, __builtin_amdgcn_workitem_id_x(),
                      __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z(),
                      static_cast<hip_word>(hip_lane()), 0, 0, 0);
#else
    (void)assertion, (void)file, (void)line, (void)function;
#endif
    __builtin_trap();
}
#endif  // __HIP__

#endif  // !HIP_INCLUDE_HIP_HIP_RUNTIME_H
#endif  // OPUS_HIP_MINIMAL_HPP

// == 7. <hip/hip_runtime.h> behind this file ======================================================
// It declares objects of the names that the built-ins have here. Where it can still follow, these
// names are macros for themselves until HIP_INCLUDE_HIP_HIP_RUNTIME_H, its include guard, is one
// (as nothing or as 1). Then each stands once, in its declaration there, for another name, and is
// no macro any more. Outside this file's include guard, because precompiled headers do not keep
// what is pushed.
#if defined(__HIP__) && defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H) && \
    !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H)
#ifndef OPUS_HIP_NAME
#define OPUS_HIP_PRAGMA(text) _Pragma(#text)
#define OPUS_HIP_NAME_(name, text) opus_hip_real_##name OPUS_HIP_PRAGMA(pop_macro(text))
#define OPUS_HIP_NAME_1(name, text) OPUS_HIP_NAME_(name, text)
#define OPUS_HIP_NAME_HIP_INCLUDE_HIP_HIP_RUNTIME_H(name, text) name
#define OPUS_HIP_NAME_PASTE(guard) OPUS_HIP_NAME_##guard
#define OPUS_HIP_NAME_EXPAND(guard) OPUS_HIP_NAME_PASTE(guard)
#define OPUS_HIP_NAME(name, text) OPUS_HIP_NAME_EXPAND(HIP_INCLUDE_HIP_HIP_RUNTIME_H)(name, text)
#endif
#undef threadIdx
#pragma push_macro("threadIdx")
#define threadIdx OPUS_HIP_NAME(threadIdx, "threadIdx")
#undef blockIdx
#pragma push_macro("blockIdx")
#define blockIdx OPUS_HIP_NAME(blockIdx, "blockIdx")
#undef blockDim
#pragma push_macro("blockDim")
#define blockDim OPUS_HIP_NAME(blockDim, "blockDim")
#undef gridDim
#pragma push_macro("gridDim")
#define gridDim OPUS_HIP_NAME(gridDim, "gridDim")
#endif
