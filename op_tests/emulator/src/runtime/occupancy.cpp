// Occupancy: how many groups of a kernel fit, and how large groups should be.

#include <algorithm>

#include "launch/occupancy.hpp"
#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

constexpr unsigned disable_caching_override = 1;  // about a cache that these devices do not have

uint32_t most_threads(const kernel_info& kernel) {
    return kernel.max_group_size != 0 ? std::min(kernel.max_group_size, max_group_threads)
                                      : max_group_threads;
}

hipError_t active_groups(int* groups, const found_kernel& found, int threads, size_t dynamic_lds,
                         unsigned flags = 0) {
    if (groups == nullptr || threads <= 0 || flags > disable_caching_override) {
        return hipErrorInvalidValue;
    }
    if (found.error != hipSuccess) {
        return found.error;
    }
    *groups = static_cast<int>(
        groups_per_unit(*device(), *found.kernel, static_cast<uint32_t>(threads), dynamic_lds));
    return hipSuccess;
}

// The largest group of those with which most work-items are in progress, and as many groups as the
// device has room for.
hipError_t best_group(int* groups, int* threads, const found_kernel& found, size_t dynamic_lds,
                      int limit, unsigned flags = 0) {
    if (groups == nullptr || threads == nullptr || limit < 0 || flags > disable_caching_override) {
        return hipErrorInvalidValue;
    }
    if (found.error != hipSuccess) {
        return found.error;
    }
    const uint32_t most = limit == 0
                              ? most_threads(*found.kernel)
                              : std::min(static_cast<uint32_t>(limit), most_threads(*found.kernel));
    uint32_t best_items = 0;
    const auto consider = [&](uint32_t count) {
        const uint32_t of_unit = groups_per_unit(*device(), *found.kernel, count, dynamic_lds);
        if (of_unit * count > best_items) {
            best_items = of_unit * count;
            *threads = static_cast<int>(count);
            *groups = static_cast<int>(of_unit) * device()->compute_units;
        }
    };
    *threads = 0;
    *groups = 0;
    if (most % lane_count != 0) {
        consider(most);
    }
    for (uint32_t count = most / lane_count * lane_count; count != 0; count -= lane_count) {
        consider(count);
    }
    return hipSuccess;
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, const void* function,
                                                        int threads, size_t dynamic_lds) {
    return returned(active_groups(groups, kernel_of_either(function), threads, dynamic_lds));
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* groups, const void* function,
                                                                 int threads, size_t dynamic_lds,
                                                                 unsigned flags) {
    return returned(active_groups(groups, kernel_of_either(function), threads, dynamic_lds, flags));
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* groups, int* threads, const void* function,
                                             size_t dynamic_lds, int limit) {
    return returned(best_group(groups, threads, kernel_of_either(function), dynamic_lds, limit));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, hipFunction_t function,
                                                              int threads, size_t dynamic_lds) {
    return returned(active_groups(groups, kernel_of_either(function), threads, dynamic_lds));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* groups, hipFunction_t function, int threads, size_t dynamic_lds, unsigned flags) {
    return returned(active_groups(groups, kernel_of_either(function), threads, dynamic_lds, flags));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* groups, int* threads,
                                                   hipFunction_t function, size_t dynamic_lds,
                                                   int limit) {
    return returned(best_group(groups, threads, kernel_of_either(function), dynamic_lds, limit));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* groups, int* threads,
                                                            hipFunction_t function,
                                                            size_t dynamic_lds, int limit,
                                                            unsigned flags) {
    return returned(
        best_group(groups, threads, kernel_of_either(function), dynamic_lds, limit, flags));
}

}  // extern "C"
#pragma GCC visibility pop
