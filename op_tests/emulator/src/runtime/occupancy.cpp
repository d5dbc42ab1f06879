// Occupancy: how many groups of a kernel fit.

#include "runtime/runtime.hpp"

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, const void* function,
                                                        int threads, size_t dynamic_lds) {
    if (groups == nullptr || threads <= 0) {
        return returned(hipErrorInvalidValue);
    }
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    *groups = static_cast<int>(
        groups_per_unit(*device(), *found.kernel, static_cast<uint32_t>(threads), dynamic_lds));
    return hipSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
