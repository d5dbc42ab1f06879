// Calls a library of kernels: one that it is linked with, or BY_DLOPEN, which it opens.
#include <cstdio>

#ifdef BY_DLOPEN
#include <dlfcn.h>
#else
#include "opus/hip_minimal.hpp"  // is found because the library brings it
extern "C" int add_ten(int x);
extern "C" int seven_times(int x);
#endif

int main() {
#ifdef BY_DLOPEN
    void* library = dlopen(BY_DLOPEN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    const auto add_ten = reinterpret_cast<int (*)(int)>(dlsym(library, "add_ten"));
    const auto seven_times = reinterpret_cast<int (*)(int)>(dlsym(library, "seven_times"));
    if (add_ten == nullptr || seven_times == nullptr) {
        return 1;
    }
#else
    int devices = 0;
    if (hipGetDeviceCount(&devices) != hipSuccess || devices == 0) {
        return 1;
    }
#endif
    const int sum = add_ten(2);
    const int product = seven_times(3);
    std::printf("%d and %d from the library\n", sum, product);
    return sum == 12 && product == 21 ? 0 : 1;
}
