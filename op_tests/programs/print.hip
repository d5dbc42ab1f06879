// printf in a kernel, with HIP's headers: what comes out stands between two lines of the host.
#include "program.hpp"

__global__ void print(const char* name, double number) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n % 50 == 3) {
        printf("item %u of %s: %.3f %%\n", n, "print", number + n);
    }
    if (n == 0) {
        printf("pointer is %s\n", name == nullptr ? "null" : "something");
    }
}

int main() {
    print_device();
    print<<<2, 64>>>(nullptr, 0.25);
    check(hipDeviceSynchronize(), "print");
    std::fflush(stdout);
    return result(true);
}
