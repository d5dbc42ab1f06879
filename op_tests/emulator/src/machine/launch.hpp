// Starting a kernel: its arguments, the state its waves begin with, the limits of a launch.
// Initial state: AMDGPUUsage, "Initial Kernel Execution State" and "Kernel Descriptor".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "loader/code_object.hpp"
#include "machine/device.hpp"
#include "machine/settings.hpp"
#include "machine/wave.hpp"
#include "runtime/hip_types.hpp"

namespace emu {

struct launch_config {
    std::array<uint32_t, 3> groups{1, 1, 1};
    std::array<uint32_t, 3> threads{1, 1, 1};  // per group
    uint64_t dynamic_lds = 0;                  // bytes
    launch_settings settings{};
};

// What HIP answers to a launch with these dimensions.
hipError_t check_launch(const device_info& device, const kernel_info& kernel,
                        const launch_config& config);

// The caller's part of the kernarg segment, from one pointer per argument. Hidden arguments are
// not in the list and not filled.
// @pre values[n] points to arguments[n].size readable bytes
std::vector<std::byte> pack_arguments(const kernel_info& kernel, void* const* values);

// The same from a buffer that is laid out like the segment.
// @pre buffer points to kernel.explicit_size() readable bytes
std::vector<std::byte> pack_arguments(const kernel_info& kernel, const void* buffer);

// Runs the kernel to its end and returns the number of instructions executed, counted per wave.
// @pre check_launch() == hipSuccess, explicit_arguments is from pack_arguments()
uint64_t launch(const device_info& device, code_object& object, const kernel_info& kernel,
                const launch_config& config, const std::vector<std::byte>& explicit_arguments);

// The parts of launch() that tests look at.
namespace impl {

// Arguments, dispatch packet and queue of one launch, at their device addresses.
struct launch_memory {
    uint64_t kernarg = 0;
    uint64_t packet = 0;
    uint64_t queue = 0;
};

std::vector<std::byte> kernarg_segment(const kernel_info& kernel, const launch_config& config,
                                       const std::vector<std::byte>& explicit_arguments,
                                       uint64_t queue_address);

// A group ready to run.
std::unique_ptr<workgroup> make_group(code_object& object, const kernel_info& kernel,
                                      const launch_config& config, const launch_memory& memory,
                                      std::array<uint32_t, 3> id);

}  // namespace impl

}  // namespace emu
