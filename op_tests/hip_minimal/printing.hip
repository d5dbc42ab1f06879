// SPDX-License-Identifier: MIT
// Kernels that print and that fail assertions; printing.cmake says what is expected of each.
// With OPUS_TEST_REAL_HEADERS: with HIP's own headers and ROCm's device library, and with 2 with
// hip_minimal.hpp before them.
#undef NDEBUG
#if OPUS_TEST_REAL_HEADERS != 1
#include "opus/hip_minimal.hpp"
#endif
#if OPUS_TEST_REAL_HEADERS
#include <hip/hip_runtime.h>
#endif

#include <cassert>
#include <cstdio>
#include <cstring>

namespace {

struct values {
    int minus, width, precision;
    unsigned all_ones;
    long long wide;
    float single;
    double pi, tiny, huge, infinite, nothing;
    const void* pointer;
    const char* string;
};

constexpr char long_string[] = "a string of more than 56 bytes, which is what one packet can take";

// On both sides of HIP: the host's printf says what the device's has to print.
__host__ __device__ void lines(const values& v) {
    printf("no argument\n");
    printf("%d %i %u %o %x %X|%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%#o\n", v.minus, v.minus, v.all_ones,
           v.all_ones, v.all_ones, v.all_ones, v.minus, v.minus, v.minus, v.width, v.width, v.width,
           v.all_ones, v.all_ones);
    printf("%hhd %hd %hhu %hu %ld %lld %lu %llu %llx %zu %zd %jd %td\n",
           static_cast<signed char>(v.minus), static_cast<short>(v.minus),
           static_cast<unsigned char>(v.all_ones), static_cast<unsigned short>(v.all_ones),
           static_cast<long>(v.wide), v.wide, static_cast<unsigned long>(v.wide),
           static_cast<unsigned long long>(-v.wide), static_cast<unsigned long long>(-v.wide),
           sizeof v.wide, sizeof v.wide, static_cast<long>(v.wide), static_cast<long>(v.wide));
    printf("%f %F %e %E %g %G %a %A|%10.3f|%-10.2e|%+.0f|%#.0f|%08.3f\n", v.pi, v.pi, v.tiny,
           v.tiny, v.huge, v.huge, v.pi, v.pi, v.pi, v.pi, v.pi, v.pi, -v.pi);
    printf("%f %g %f %g %e\n", v.single, v.single, v.infinite, v.nothing, -v.infinite);
    printf("%*d|%-*d|%*d|%.*f|%*.*f|%.*f\n", v.width, v.minus, v.width, v.minus, -v.width, v.minus,
           v.precision, v.pi, v.width, v.precision, v.pi, -1, v.pi);
    printf("%c%c%c|%3c|%-3c|%%|%5%%\n", 'a', 'b', '"', 'c', 'd');
    printf("%p %p|%20p\n", v.pointer, static_cast<const void*>(nullptr), v.pointer);
    printf("%s|%s|%20s|%-20s|%.3s|%.*s|%s\n", v.string, "literal", v.string, v.string, v.string,
           v.precision, v.string, "");
    printf("%s, %s; %d\n", long_string, v.string, v.minus);
    printf("%s%s%s%s%s%s%s%s%d\n", "1", "12", "1234567", "12345678", "123456789", "", long_string,
           long_string + 10, v.minus);
    printf("a format of more than 56 bytes, too: %d, %s and \\ and : and , and \"%d\"\t\n", v.minus,
           v.string, v.width);
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
           12, 13, 14, 15, 16);
    printf("no argument, but a format of more than 56 bytes, which takes two packets\n");
    printf("%d %s", v.minus, long_string);
    printf("no newline");
    printf("\n");
}

__global__ void print_lines(values v) {
    lines(v);
}

__global__ void print_lanes(const char* string) {
    const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    if (i % 3 != 0) {
        printf("lane %d of %d: %s\n", i, static_cast<int>(blockDim.x), i % 2 == 0 ? string : "odd");
    }
}

// The format is no constant, and it has no string.
__global__ void print_by(const char* format, int i, double d) {
    printf(format, i, d);
}

__global__ void assert_below(int limit) {
    assert(static_cast<int>(threadIdx.x) < limit);
}

#define NDEBUG
#include <cassert>
__global__ void assert_without_effect([[maybe_unused]] int limit) {
    assert(static_cast<int>(threadIdx.x) < limit);
}

__global__ void print_and_store(int* p) {
    printf("before the store\n");
    p[4096] = 1;
}

__global__ void trap() {
    printf("before the trap\n");
    __builtin_trap();
}

bool failed(hipError_t error) {
    if (error != hipSuccess) {
        std::fprintf(stderr, "%s\n", hipGetErrorString(error));
    }
    return error != hipSuccess;
}

}  // namespace

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
    char* memory = nullptr;
    if (failed(hipMalloc(reinterpret_cast<void**>(&memory), 256))) {
        return 1;
    }
    const char text[] = "on the device %d %.2f\n";
    if (failed(hipMemcpy(memory, text, sizeof text, hipMemcpyHostToDevice))) {
        return 1;
    }
    values v{-42,
             7,
             2,
             ~0u,
             -1234567890123456789,
             0.1f,
             3.14159265358979,
             1e-300,
             1.5e300,
             __builtin_inf(),
             __builtin_nan(""),
             reinterpret_cast<const void*>(0xabcdef),
             "on the host"};
    if (is("host")) {
        lines(v);
    } else if (is("device")) {
        // The same text, where the kernel can read it.
        if (failed(hipMemcpy(memory, v.string, 12, hipMemcpyHostToDevice))) {
            return 1;
        }
        v.string = memory;
        print_lines<<<1, 1>>>(v);
    } else if (is("lanes")) {
        print_lanes<<<3, 100>>>(memory);
    } else if (is("format")) {
        print_by<<<1, 2>>>(memory, 5, 0.125);
    } else if (is("assert")) {
        assert_below<<<2, 128>>>(126);
    } else if (is("assert_nothing")) {
        assert_below<<<2, 128>>>(128);
    } else if (is("ndebug")) {
        assert_without_effect<<<2, 128>>>(126);
    } else if (is("report")) {
        print_and_store<<<1, 1>>>(reinterpret_cast<int*>(memory));
    } else if (is("trap")) {
        trap<<<1, 64>>>();
    } else {
        return 2;
    }
    return failed(hipDeviceSynchronize()) ? 1 : 0;
}
