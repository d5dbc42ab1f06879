// expect: opus: only plain values can go to another lane
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

struct copied {
    int value;
    __device__ copied(int v) : value(v) {}
    __device__ copied(const copied& other) : value(other.value + 1) {}
};

__global__ void k(int* p) {
    *p = shfl(copied(*p), 3).value;
}
