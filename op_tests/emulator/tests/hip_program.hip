// A whole HIP program as clang makes it: kernels launched by <<<>>>, device variables, dynamic LDS,
// private arrays, calls. The declarations are the part of the HIP ABI that clang's code refers to
// and that is used here.
//
// Exits with 0 if everything is as expected; the argument is the directory of the code objects that
// are made of this file. With the argument "without-image": prints what two launches return where
// there is no code for the device. With "too-many-threads": more of them than a kernel allows.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;

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
hipError_t hipMemset(void*, int, size_t);
hipError_t hipMemcpyAsync(void*, const void*, size_t, int, hipStream_t);
hipError_t hipGetSymbolAddress(void**, const void*);
hipError_t hipGetSymbolSize(size_t*, const void*);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipStreamCreate(hipStream_t*);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipModuleLoad(hipModule_t*, const char*);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t*, hipModule_t, const char*);
hipError_t hipModuleGetGlobal(void**, size_t*, hipModule_t, const char*);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void**, void**);
hipError_t hipDeviceGetAttribute(int*, int, int);
hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned, hipStream_t);
hipError_t hipLaunchCooperativeKernel_spt(const void*, dim3, dim3, void**, unsigned, hipStream_t);
hipError_t hipLaunchKernel_spt(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipGetFuncBySymbol(hipFunction_t*, const void*);
hipError_t hipMemcpyToSymbol_spt(const void*, const void*, size_t, size_t, int);
hipError_t hipMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, int, hipStream_t);
hipError_t hipMemcpyToSymbolAsync_spt(const void*, const void*, size_t, size_t, int, hipStream_t);
hipError_t hipMemcpyFromSymbol_spt(void*, const void*, size_t, size_t, int);
hipError_t hipMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, int, hipStream_t);
hipError_t hipMemcpyFromSymbolAsync_spt(void*, const void*, size_t, size_t, int, hipStream_t);
hipError_t hipStreamBeginCapture(hipStream_t, int);
hipError_t hipStreamEndCapture(hipStream_t, void**);
hipError_t hipGraphGetNodes(void*, void**, size_t*);
hipError_t hipGraphDestroy(void*);
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

__device__ __managed__ int of_both[2] = {7, 8};

__global__ void add_to_managed(int n) {
    of_both[1] += n + of_both[0];
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

// Memory that the host and kernels use by the same name.
static void managed_variables() {
    size_t bytes = 0;
    int values[2] = {};
    CHECK(of_both[0] == 7 && of_both[1] == 8);
    CHECK(hipFree(of_both) != 0 && of_both[0] == 7);  // nobody allocated it
    of_both[0] = 100;
    add_to_managed<<<1, 1>>>(5);
    CHECK(hipDeviceSynchronize() == 0);
    CHECK(of_both[1] == 113);
    CHECK(hipGetSymbolSize(&bytes, &of_both) == 0 && bytes == sizeof of_both);
    CHECK(hipMemcpyFromSymbol(values, &of_both, sizeof values, 0, to_host) == 0);
    CHECK(values[0] == 100 && values[1] == 113);
}

static void symbols() {
    void* address = nullptr;
    size_t bytes = 0;
    CHECK(hipGetSymbolAddress(&address, &counter) == 0);
    CHECK(hipGetSymbolSize(&bytes, &factors) == 0 && bytes == 4 * sizeof(int));
    CHECK(hipGetSymbolSize(&bytes, &counter_address) == 0 && bytes == sizeof(int*));
    void* held = nullptr;
    CHECK(hipMemcpyFromSymbol(&held, &counter_address, sizeof held, 0, to_host) == 0);
    CHECK(held == address);
    // By every name, there and back, and not beyond the end.
    int values[4] = {5, 6, 7, 8};
    int back[4] = {};
    constexpr size_t all = sizeof values;
    CHECK(hipMemcpyToSymbol_spt(&factors, values, all, 0, to_device) == 0);
    CHECK(hipMemcpyFromSymbol_spt(back, &factors, all, 0, to_host) == 0 && back[3] == 8);
    values[1] = 60;
    CHECK(hipMemcpyToSymbolAsync(&factors, values, all, 0, to_device, nullptr) == 0);
    CHECK(hipMemcpyFromSymbolAsync(back, &factors, 4, 4, to_host, nullptr) == 0 && back[0] == 60);
    values[2] = 70;
    CHECK(hipMemcpyToSymbolAsync_spt(&factors, values, all, 0, to_device, nullptr) == 0);
    CHECK(hipMemcpyFromSymbolAsync_spt(back, &factors, 4, 8, to_host, nullptr) == 0);
    CHECK(back[0] == 70);
    CHECK(hipMemcpyToSymbol_spt(&factors, values, all, 4, to_device) == 1);
    CHECK(hipMemcpyToSymbolAsync(&factors, values, all, 4, to_device, nullptr) == 1);
    CHECK(hipMemcpyToSymbolAsync_spt(&factors, values, all, 4, to_device, nullptr) == 1);
    CHECK(hipMemcpyFromSymbol_spt(back, &factors, all, 4, to_host) == 1);
    CHECK(hipMemcpyFromSymbolAsync(back, &factors, all, 4, to_host, nullptr) == 1);
    CHECK(hipMemcpyFromSymbolAsync_spt(back, &factors, all, 4, to_host, nullptr) == 1);
    // A kernel by its handle; and in the stream of the thread, which is captured here.
    hipFunction_t function = nullptr;
    const auto* kernel = reinterpret_cast<const void*>(&bounded);
    CHECK(hipGetFuncBySymbol(&function, kernel) == 0);
    CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0);
    CHECK(hipGetFuncBySymbol(nullptr, kernel) == 1);
    CHECK(hipGetFuncBySymbol(&function, &values) == 98);
    auto* of_thread = reinterpret_cast<hipStream_t>(2);
    void* graph = nullptr;
    size_t nodes = 0;
    constexpr int relaxed = 2;
    CHECK(hipStreamBeginCapture(of_thread, relaxed) == 0);
    CHECK(hipLaunchKernel_spt(kernel, 1, 1, nullptr, 0, nullptr) == 0);
    CHECK(hipLaunchCooperativeKernel_spt(kernel, 1, 1, nullptr, 0, nullptr) == 0);
    CHECK(hipLaunchKernel_spt(&values, 1, 1, nullptr, 0, nullptr) == 98);
    CHECK(hipLaunchCooperativeKernel_spt(kernel, 1u << 20, 64, nullptr, 0, nullptr) == 720);
    CHECK(hipStreamEndCapture(of_thread, &graph) == 0);
    CHECK(hipGraphGetNodes(graph, nullptr, &nodes) == 0 && nodes == 2);
    CHECK(hipGraphDestroy(graph) == 0);
    hipGetLastError();
}

// Two streams that wait for each other's events; the launches are in the order of the calls.
static void streams() {
    constexpr int n = 256;
    hipStream_t stream[2] = {};
    hipEvent_t event[2] = {};
    int* out = nullptr;
    int host[n];
    CHECK(hipMalloc(reinterpret_cast<void**>(&out), sizeof host) == 0);
    CHECK(hipMemset(out, 0, sizeof host) == 0);
    for (int k = 0; k < 2; ++k) {
        CHECK(hipStreamCreate(&stream[k]) == 0 && hipEventCreate(&event[k]) == 0);
    }
    for (int k = 0; k < 4; ++k) {
        CHECK(hipStreamWaitEvent(stream[k % 2], event[1 - k % 2], 0) == 0);
        scale<<<1, n, 0, stream[k % 2]>>>(out, parameters{static_cast<short>(k), 0, 0}, n);
        CHECK(hipEventRecord(event[k % 2], stream[k % 2]) == 0);
        CHECK(hipEventSynchronize(event[k % 2]) == 0 && hipEventQuery(event[k % 2]) == 0);
        CHECK(hipMemcpyAsync(host, out, sizeof host, to_host, stream[k % 2]) == 0);
        CHECK(hipStreamSynchronize(stream[k % 2]) == 0);
        CHECK(host[0] == k);
    }
    float milliseconds = -1;
    CHECK(hipEventElapsedTime(&milliseconds, event[0], event[1]) == 0 && milliseconds > 0);
    for (int k = 0; k < 2; ++k) {
        CHECK(hipStreamDestroy(stream[k]) == 0 && hipEventDestroy(event[k]) == 0);
    }
    scale<<<1, n, 0, stream[0]>>>(out, parameters{}, n);
    CHECK(hipGetLastError() == 709);
    CHECK(hipFree(out) == 0);
}

// The same kernels once more, from a file: with variables of their own.
static void modules(const std::string& directory) {
    const std::string path = directory + "/hip_program_" + opus_emulator_arch() + ".co";
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    CHECK(hipModuleLoad(&module, path.c_str()) == 0);
    CHECK(hipModuleGetFunction(&function, module, "_Z7reversePi") == 0);
    constexpr unsigned threads = 100;
    int* out = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void**>(&out), 2 * threads * sizeof(int)) == 0);
    void* values[] = {&out};
    CHECK(hipModuleLaunchKernel(function, 1, 1, 1, threads, 1, 1, threads * sizeof(int), nullptr,
                                values, nullptr) == 0);
    size_t bytes = sizeof out;
    void* extra[] = {reinterpret_cast<void*>(1), &out, reinterpret_cast<void*>(2), &bytes,
                     reinterpret_cast<void*>(3)};
    CHECK(hipModuleLaunchKernel(function, 2, 1, 1, threads, 1, 1, threads * sizeof(int), nullptr,
                                nullptr, extra) == 0);
    int host[2 * threads];
    CHECK(hipMemcpy(host, out, sizeof host, to_host) == 0);
    for (unsigned i = 0; i < 2 * threads; ++i) {
        const int k = static_cast<int>(threads - 1 - i % threads);
        CHECK(host[i] == k * k);
    }
    void* own = nullptr;
    void* registered = nullptr;
    CHECK(hipModuleGetGlobal(&own, &bytes, module, "counter") == 0 && bytes == sizeof(int));
    CHECK(hipGetSymbolAddress(&registered, &counter) == 0);
    CHECK(own != registered);
    int value = 0;
    CHECK(hipMemcpy(&value, own, sizeof value, to_host) == 0 && value == 40);
    CHECK(hipModuleUnload(module) == 0);
    CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr) == 400);
    CHECK(hipFree(out) == 0);
    hipGetLastError();
}

__global__ void many_scalars() {
    asm volatile("s_nop 0" ::: "s99");
}

static void cooperative_launches() {
    int value = -1;
    constexpr int cooperative_launch = 10;
    const auto* kernel = reinterpret_cast<const void*>(&bounded);
    CHECK(hipDeviceGetAttribute(&value, cooperative_launch, 0) == 0 && value == 1);
    CHECK(hipLaunchCooperativeKernel(kernel, 1, 64, nullptr, 0, nullptr) == 0);
    CHECK(hipLaunchCooperativeKernel(kernel, 1u << 20, 64, nullptr, 0, nullptr) == 720);
    // A SIMD has scalar registers for 7 waves of this one.
    kernel = reinterpret_cast<const void*>(&many_scalars);
    int groups = 0;
    int units = 0;
    constexpr int compute_units = 63;
    CHECK(hipDeviceGetAttribute(&units, compute_units, 0) == 0);
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 64, 0) == 0);
    CHECK(groups == 28);
    const auto room = static_cast<unsigned>(groups * units);
    CHECK(hipLaunchCooperativeKernel(kernel, room, 64, nullptr, 0, nullptr) == 0);
    CHECK(hipLaunchCooperativeKernel(kernel, room + 1, 64, nullptr, 0, nullptr) == 720);
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
    const size_t lds_bytes = std::strcmp(opus_emulator_arch(), "gfx942") == 0 ? 65536 : 163840;
    const int limit = static_cast<int>(lds_bytes);
    CHECK(hipFuncSetAttribute(kernel, 8, limit) == 0);
    CHECK(hipFuncSetAttribute(kernel, 8, limit + 1) == 1);
    CHECK(hipFuncSetAttribute(kernel, 99, 0) == 1);
    int groups = 0;
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 64, lds_bytes / 2) == 0);
    CHECK(groups == 2);
    reverse<<<1, 64, lds_bytes + 1>>>(out);
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
    if (argc == 2 && std::strcmp(argv[1], "too-many-threads") == 0) {
        bounded<<<1, 65>>>();
        std::printf("too many threads: %d\n", hipGetLastError());
        return 0;
    }
    arguments_and_constants();
    device_variables();
    lds();
    scratch_and_calls();
    managed_variables();
    symbols();
    streams();
    if (argc == 2) {
        modules(argv[1]);
    }
    cooperative_launches();
    errors_and_events();
    CHECK(hipDeviceSynchronize() == 0);
    CHECK(hipGetLastError() == 0);
    std::printf("%s, emulated: %d failures\n", opus_emulator_arch(), failures);
    return failures == 0 ? 0 : 1;
}
