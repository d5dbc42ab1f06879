// SPDX-License-Identifier: MIT
// Section 18, opus/hip_minimal.hpp: keywords, kernel built-ins, launches and the runtime functions.
#include "opus/hip_minimal.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace {

constexpr unsigned no_index = ~0u;

void check(hipError_t status) {
    ASSERT_EQ(status, hipSuccess) << hipGetErrorString(status);
}

// Device memory that begins as 0xff bytes.
template <class T>
class buffer {
public:
    explicit buffer(std::size_t size) : size_(size) {
        check(hipMalloc(&data_, size * sizeof(T)));
        check(hipMemset(data_, 0xff, size * sizeof(T)));
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { check(hipFree(data_)); }

    T* data() const { return data_; }

    std::vector<T> to_host() const {
        std::vector<T> result(size_);
        check(hipMemcpy(result.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        return result;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

// == kernel built-ins =============================================================================

struct indices {
    dim3 thread, block, block_size, grid;
};

__global__ void store_indices(indices* out) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned size = blockDim.x * blockDim.y * blockDim.z;
    out[block * size + thread] = {threadIdx, blockIdx, blockDim, gridDim};
}

TEST(hip_minimal, gives_every_thread_its_indices) {
    const dim3 grid(2, 3, 4);
    const dim3 block(8, 5, 3);
    buffer<indices> out(24 * 120);
    store_indices<<<grid, block>>>(out.data());
    check(hipGetLastError());
    const std::vector<indices> values = out.to_host();
    const auto expect = [](const dim3& v, unsigned x, unsigned y, unsigned z, std::size_t at) {
        ASSERT_TRUE(v.x == x && v.y == y && v.z == z)
            << "element " << at << " is " << v.x << ", " << v.y << ", " << v.z << ", expected " << x
            << ", " << y << ", " << z;
    };
    std::size_t at = 0;
    for (unsigned bz = 0; bz < grid.z; ++bz) {
        for (unsigned by = 0; by < grid.y; ++by) {
            for (unsigned bx = 0; bx < grid.x; ++bx) {
                for (unsigned tz = 0; tz < block.z; ++tz) {
                    for (unsigned ty = 0; ty < block.y; ++ty) {
                        for (unsigned tx = 0; tx < block.x; ++tx, ++at) {
                            expect(values[at].thread, tx, ty, tz, at);
                            expect(values[at].block, bx, by, bz, at);
                            expect(values[at].block_size, block.x, block.y, block.z, at);
                            expect(values[at].grid, grid.x, grid.y, grid.z, at);
                        }
                    }
                }
            }
        }
    }
}

__constant__ unsigned shift[4] = {1, 64, 65, 255};

// Four waves hand values to each other through LDS.
__global__ __launch_bounds__(256) void rotate(unsigned* data) {
    __shared__ unsigned lds[256];
    const unsigned i = threadIdx.x;
    unsigned value = data[i];
    for (int round = 0; round < 4; ++round) {
        lds[i] = value;
        __syncthreads();
        value = lds[(i + shift[round]) % 256];
        __syncthreads();
    }
    data[i] = value;
}

TEST(hip_minimal, syncthreads_orders_lds_between_waves) {
    buffer<unsigned> data(256);
    std::vector<unsigned> in(256);
    for (unsigned i = 0; i < 256; ++i) {
        in[i] = i * i;
    }
    check(hipMemcpy(data.data(), in.data(), 1024, hipMemcpyHostToDevice));
    rotate<<<1, 256>>>(data.data());
    check(hipGetLastError());
    const std::vector<unsigned> out = data.to_host();
    for (unsigned i = 0; i < 256; ++i) {
        ASSERT_EQ(out[i], in[(i + 1 + 64 + 65 + 255) % 256]) << "thread " << i;
    }
}

__forceinline__ __host__ __device__ unsigned twice(unsigned x) {
    return 2 * x;
}

template <class T>
__global__ __launch_bounds__(64, 2) void fill(T* out, T value, unsigned count) {
    extern __shared__ unsigned dynamic_lds[];
    dynamic_lds[threadIdx.x] = twice(threadIdx.x);
    if (dynamic_lds[threadIdx.x] < count) {
        out[dynamic_lds[threadIdx.x]] = value;
    }
}

// == launches =====================================================================================

TEST(hip_minimal, launches_with_stream_and_dynamic_lds) {
    hipStream_t stream = nullptr;
    check(hipStreamCreate(&stream));
    buffer<unsigned> out(130);
    fill<<<dim3{1}, dim3{64}, 256, stream>>>(out.data(), 7u, 120u);
    check(hipGetLastError());
    check(hipStreamSynchronize(stream));
    check(hipStreamDestroy(stream));
    const std::vector<unsigned> values = out.to_host();
    for (unsigned i = 0; i < 130; ++i) {
        ASSERT_EQ(values[i], i < 120 && i % 2 == 0 ? 7u : no_index) << i;
    }
}

TEST(hip_minimal, launches_through_hipLaunchKernel) {
    buffer<unsigned> out(64);
    unsigned* pointer = out.data();
    unsigned value = 9;
    unsigned count = 64;
    void* arguments[] = {&pointer, &value, &count};
    check(hipLaunchKernel(reinterpret_cast<const void*>(&fill<unsigned>), dim3(1), dim3(64),
                          arguments, 256, nullptr));
    EXPECT_EQ(out.to_host()[62], 9u);
}

// == runtime functions ============================================================================

static_assert(sizeof(dim3) == 12 && std::is_trivially_copyable_v<dim3>);
static_assert(dim3().x == 1 && dim3(4).y == 1 && dim3(4, 5).y == 5 && dim3(4, 5, 6).z == 6);

TEST(hip_minimal, copies_and_fills) {
    buffer<unsigned char> a(100);
    buffer<unsigned char> b(100);
    check(hipMemset(a.data(), 3, 50));
    check(hipMemcpy(b.data(), a.data(), 60, hipMemcpyDeviceToDevice));
    check(hipMemsetAsync(b.data() + 10, 4, 5));
    check(hipDeviceSynchronize());
    std::vector<unsigned char> host(100);
    check(hipMemcpyAsync(host.data(), b.data(), 100, hipMemcpyDefault));
    check(hipDeviceSynchronize());
    for (std::size_t i = 0; i < 100; ++i) {
        ASSERT_EQ(host[i], i >= 10 && i < 15 ? 4 : i < 50 ? 3 : 255) << i;
    }
}

TEST(hip_minimal, measures_with_events) {
    hipEvent_t start = nullptr;
    hipEvent_t stop = nullptr;
    check(hipEventCreate(&start));
    check(hipEventCreateWithFlags(&stop, hipEventDefault));
    buffer<unsigned> out(64);
    check(hipEventRecord(start));
    fill<<<1, 64, 256>>>(out.data(), 1u, 64u);
    check(hipEventRecord(stop));
    check(hipEventSynchronize(stop));
    EXPECT_EQ(hipEventQuery(stop), hipSuccess);
    float milliseconds = -1;
    check(hipEventElapsedTime(&milliseconds, start, stop));
    EXPECT_GE(milliseconds, 0);
    check(hipEventDestroy(start));
    check(hipEventDestroy(stop));
}

TEST(hip_minimal, describes_the_device) {
    int count = 0;
    check(hipGetDeviceCount(&count));
    ASSERT_GE(count, 1);
    check(hipSetDevice(0));
    int device = -1;
    check(hipGetDevice(&device));
    EXPECT_EQ(device, 0);
    int value = 0;
    check(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, device));
    EXPECT_EQ(value, 64);
    check(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, device));
    EXPECT_EQ(value, 1024);
    check(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, device));
    EXPECT_TRUE(value == 65536 || value == 163840) << value;
    check(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, device));
    EXPECT_GT(value, 0);
}

TEST(hip_minimal, errors_have_the_numbers_that_the_runtime_knows) {
#define OPUS_NAMED(error) EXPECT_STREQ(hipGetErrorName(error), #error)
    OPUS_NAMED(hipSuccess);
    OPUS_NAMED(hipErrorInvalidValue);
    OPUS_NAMED(hipErrorOutOfMemory);
    OPUS_NAMED(hipErrorNotInitialized);
    OPUS_NAMED(hipErrorDeinitialized);
    OPUS_NAMED(hipErrorInvalidConfiguration);
    OPUS_NAMED(hipErrorInvalidSymbol);
    OPUS_NAMED(hipErrorInvalidDevicePointer);
    OPUS_NAMED(hipErrorInvalidMemcpyDirection);
    OPUS_NAMED(hipErrorInsufficientDriver);
    OPUS_NAMED(hipErrorMissingConfiguration);
    OPUS_NAMED(hipErrorPriorLaunchFailure);
    OPUS_NAMED(hipErrorInvalidDeviceFunction);
    OPUS_NAMED(hipErrorNoDevice);
    OPUS_NAMED(hipErrorInvalidDevice);
    OPUS_NAMED(hipErrorInvalidImage);
    OPUS_NAMED(hipErrorInvalidContext);
    OPUS_NAMED(hipErrorMapFailed);
    OPUS_NAMED(hipErrorUnmapFailed);
    OPUS_NAMED(hipErrorNoBinaryForGpu);
    OPUS_NAMED(hipErrorECCNotCorrectable);
    OPUS_NAMED(hipErrorUnsupportedLimit);
    OPUS_NAMED(hipErrorInvalidKernelFile);
    OPUS_NAMED(hipErrorInvalidSource);
    OPUS_NAMED(hipErrorFileNotFound);
    OPUS_NAMED(hipErrorSharedObjectSymbolNotFound);
    OPUS_NAMED(hipErrorSharedObjectInitFailed);
    OPUS_NAMED(hipErrorOperatingSystem);
    OPUS_NAMED(hipErrorInvalidHandle);
    OPUS_NAMED(hipErrorIllegalState);
    OPUS_NAMED(hipErrorNotFound);
    OPUS_NAMED(hipErrorNotReady);
    OPUS_NAMED(hipErrorIllegalAddress);
    OPUS_NAMED(hipErrorLaunchOutOfResources);
    OPUS_NAMED(hipErrorLaunchTimeOut);
    OPUS_NAMED(hipErrorAssert);
    OPUS_NAMED(hipErrorHostMemoryAlreadyRegistered);
    OPUS_NAMED(hipErrorHostMemoryNotRegistered);
    OPUS_NAMED(hipErrorLaunchFailure);
    OPUS_NAMED(hipErrorNotSupported);
    OPUS_NAMED(hipErrorUnknown);
    OPUS_NAMED(hipErrorRuntimeMemory);
    OPUS_NAMED(hipErrorRuntimeOther);
#undef OPUS_NAMED
}

TEST(hip_minimal, names_errors_and_keeps_the_last_one) {
    EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
    EXPECT_STREQ(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
    EXPECT_GT(std::strlen(hipGetErrorString(hipErrorOutOfMemory)), 0u);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(hipSetDevice(1000), hipErrorInvalidDevice);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
}

}  // namespace
