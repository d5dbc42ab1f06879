// What fuzzing starts from: little code with all that the loader reads. Two kernels, arguments of
// several kinds, a variable, one that needs a relocation, LDS, and with -g lines of inlined code.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct pair {
    float first;
    double second;
};

struct base {
    int zero;
};

struct inner {
    short a;
    float b[3];
};

// Types of all kinds, for those who read lines and names.
struct record : base {
    char tag;
    inner parts[2][2];
    const volatile unsigned* next;
    bool yes;
    double wide;
    _Float16 small;
    const int two[2] = {1, 2};
};

__device__ record everything = {};
__device__ int counter = 7;
__device__ int* where = &counter;

__device__ inline float scaled(float x, float y) {
    return x * y;
}

extern "C" __global__ void scale(float* to, pair by, short offset) {
    __shared__ float last[64];
    const unsigned t = __builtin_amdgcn_workitem_id_x();
    last[t] = scaled(to[t + static_cast<unsigned>(offset)], by.first);
    __builtin_amdgcn_s_barrier();
    to[t] = last[63 - t] + static_cast<float>(by.second);
}

extern "C" __global__ void count() {
    *where += 1;
}
