// A whole HIP program as clang makes it: kernels launched by <<<>>>, device variables, dynamic LDS,
// private arrays, calls. The declarations are the part of the HIP ABI that clang's code refers to
// and that is used here.
//
// Exits with 0 if everything is as expected. With the argument "without-image":
// prints what two launches return where there is no code for the device.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipMemcpyToSymbol(const void*, const void*, size_t, size_t, int);
hipError_t hipMemcpyFromSymbol(void*, const void*, size_t, size_t, int);
hipError_t hipGetLastError();
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t,
                              hipEvent_t, int);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipFuncSetAttribute(const void*, int, int);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
const char* opus_emulator_arch();
}

constexpr int to_device = 1;
constexpr int to_host = 2;

static int failures = 0;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                           \
        }                                                                         \
    } while (false)

__device__ int counter = 40;
__device__ int* counter_address = &counter;
__constant__ int factors[4] = {1, 2, 3, 4};

struct parameters {
    short first;
    double second;
    char third;
};

__global__ void scale(int* out, parameters p, int n) {
    const unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                       __builtin_amdgcn_workitem_id_x();
    if (i < static_cast<unsigned>(n)) {
        out[i] =
            static_cast<int>(i) * factors[i % 4] + p.first + static_cast<int>(p.second) + p.third;
    }
}

__global__ void count() {
    __atomic_fetch_add(counter_address, 1, __ATOMIC_RELAXED);
}

extern __shared__ int dynamic_lds[];

__global__ void reverse(int* out) {
    const unsigned i = __builtin_amdgcn_workitem_id_x();
    const unsigned n = __builtin_amdgcn_workgroup_size_x();
    dynamic_lds[i] = static_cast<int>(i * i);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[__builtin_amdgcn_workgroup_id_x() * n + i] = dynamic_lds[n - 1 - i];
}

__attribute__((noinline)) __device__ int sum_of(const int* values, int n) {
    int sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += values[k];
    }
    return sum;
}

// A private array that is indexed at run time and passed to a function: scratch memory.
__global__ void private_array(int* out, int n) {
    const int i = static_cast<int>(__builtin_amdgcn_workitem_id_x());
    int values[16];
    for (int k = 0; k < 16; ++k) {
        values[k] = i * k;
    }
    values[(i + n) % 16] = 1000;
    out[i] = sum_of(values, n);
}

__global__ void __attribute__((amdgpu_flat_work_group_size(1, 64))) bounded() {}

static void arguments_and_constants() {
    constexpr int n = 1000;
    int* out = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void**>(&out), n * sizeof(int)) == 0);
    int host[n];
    std::memset(host, 0, sizeof host);
    scale<<<dim3(4), dim3(256)>>>(out, parameters{-7, 100.5, 3}, n);
    CHECK(hipGetLastError() == 0);
    CHECK(hipMemcpy(host, out, sizeof host, to_host) == 0);
    for (int i = 0; i < n; ++i) {
        CHECK(host[i] == i * (i % 4 + 1) + 96);
    }
    const int other_factors[2] = {10, 20};
    CHECK(hipMemcpyToSymbol(factors, other_factors, sizeof other_factors, 8, to_device) == 0);
    CHECK(hipMemcpyToSymbol(factors, other_factors, sizeof other_factors, 12, to_device) == 1);
    scale<<<4, 256>>>(out, parameters{0, 0, 0}, n);
    CHECK(hipMemcpy(host, out, sizeof host, to_host) == 0);
    const int expected[4] = {1, 2, 10, 20};
    for (int i = 0; i < n; ++i) {
        CHECK(host[i] == i * expected[i % 4]);
    }
    CHECK(hipFree(out) == 0);
    hipGetLastError();
}

static void device_variables() {
    int value = 0;
    CHECK(hipMemcpyFromSymbol(&value, &counter, sizeof value, 0, to_host) == 0);
    CHECK(value == 40);
    count<<<10, 100>>>();
    CHECK(hipMemcpyFromSymbol(&value, &counter, sizeof value, 0, to_host) == 0);
    CHECK(value == 1040);
    CHECK(hipMemcpyFromSymbol(&value, &value, sizeof value, 0, to_host) == 13);
    hipGetLastError();
}

static void lds() {
    const auto* kernel = reinterpret_cast<const void*>(&reverse);
    constexpr unsigned threads = 1000;
    int* out = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void**>(&out), 2 * threads * sizeof(int)) == 0);
    CHECK(hipFuncSetAttribute(kernel, 8, threads * sizeof(int)) == 0);
    reverse<<<2, threads, threads * sizeof(int)>>>(out);
    CHECK(hipGetLastError() == 0);
    static int host[2 * threads];
    CHECK(hipMemcpy(host, out, sizeof host, to_host) == 0);
    for (unsigned i = 0; i < 2 * threads; ++i) {
        const int k = static_cast<int>(threads - 1 - i % threads);
        CHECK(host[i] == k * k);
    }
    const int limit = std::strcmp(opus_emulator_arch(), "gfx942") == 0 ? 65536 : 163840;
    CHECK(hipFuncSetAttribute(kernel, 8, limit) == 0);
    CHECK(hipFuncSetAttribute(kernel, 8, limit + 1) == 1);
    CHECK(hipFuncSetAttribute(kernel, 99, 0) == 1);
    int groups = 0;
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 64, limit / 2) == 0);
    CHECK(groups == 2);
    reverse<<<1, 64, limit + 1>>>(out);
    CHECK(hipGetLastError() == 1);
    CHECK(hipFree(out) == 0);
}

static void scratch_and_calls() {
    int* out = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void**>(&out), 64 * sizeof(int)) == 0);
    private_array<<<1, 64>>>(out, 12);
    int host[64];
    CHECK(hipMemcpy(host, out, sizeof host, to_host) == 0);
    for (int i = 0; i < 64; ++i) {
        int sum = 0;
        for (int k = 0; k < 12; ++k) {
            sum += k == (i + 12) % 16 ? 1000 : i * k;
        }
        CHECK(host[i] == sum);
    }
    CHECK(hipFree(out) == 0);
}

static void errors_and_events() {
    bounded<<<1, 65>>>();
    CHECK(hipGetLastError() == 719);
    bounded<<<0, 1>>>();
    CHECK(hipGetLastError() == 9);
    bounded<<<1, 1025>>>();
    CHECK(hipGetLastError() == 9);
    CHECK(hipGetLastError() == 0);
    const auto* kernel = reinterpret_cast<const void*>(&scale);
    CHECK(hipLaunchKernel(kernel, 1, 64, nullptr, 0, nullptr) == 1);

    hipEvent_t start = nullptr;
    hipEvent_t stop = nullptr;
    float milliseconds = -1;
    CHECK(hipEventCreate(&start) == 0 && hipEventCreate(&stop) == 0);
    CHECK(hipExtLaunchKernel(reinterpret_cast<const void*>(&bounded), 1, 64, nullptr, 0, nullptr,
                             start, stop, 0) == 0);
    CHECK(hipEventElapsedTime(&milliseconds, start, stop) == 0);
    CHECK(milliseconds > 0);
    CHECK(hipEventDestroy(start) == 0 && hipEventDestroy(stop) == 0);
    hipGetLastError();
}

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "without-image") == 0) {
        bounded<<<1, 1>>>();
        const int first = hipGetLastError();
        bounded<<<1, 1>>>();
        std::printf("without image: %d, %d\n", first, hipGetLastError());
        return 0;
    }
    arguments_and_constants();
    device_variables();
    lds();
    scratch_and_calls();
    errors_and_events();
    CHECK(hipDeviceSynchronize() == 0);
    CHECK(hipGetLastError() == 0);
    std::printf("%s, emulated: %d failures\n", opus_emulator_arch(), failures);
    return failures == 0 ? 0 : 1;
}
