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

namespace emu {

constexpr uint32_t default_stack = 16 * 1024;  // bytes of a lane

struct launch_config {
    std::array<uint32_t, 3> groups{1, 1, 1};
    std::array<uint32_t, 3> threads{1, 1, 1};  // per group
    uint64_t dynamic_lds = 0;                  // bytes
    launch_settings settings{};
    uint32_t stack = default_stack;  // beyond the fixed scratch, for calls without bound
    bool is_cooperative = false;     // groups may wait for all groups by HIP's grid sync
};

enum class launch_error : uint8_t {
    none,
    configuration,  // dimensions that no kernel can have
    value,          // more LDS than there is
    resources,      // more scratch than there is
    unsupported,
    failure,  // more threads than the kernel was compiled for
};

// What is wrong with a launch with these dimensions.
launch_error check_launch(const device_info& device, const kernel_info& kernel,
                          const launch_config& config);

// Groups that run at the same time: as many as the machine would have in progress, kernels may count
// on that and no more, and as have room for their scratch (2 GiB of it, or one group's).
// @pre no more threads than a group may have
uint64_t groups_in_progress(const device_info& device, const kernel_info& kernel,
                            const launch_config& config);

// The caller's part of the kernarg segment, from one pointer per argument. Hidden arguments are
// not in the list and not filled.
// @pre values[n] points to arguments[n].size readable bytes
std::vector<std::byte> pack_arguments(const kernel_info& kernel, void* const* values);

// The same from a buffer that is laid out like the segment.
// @pre buffer points to kernel.explicit_size() readable bytes
std::vector<std::byte> pack_arguments(const kernel_info& kernel, const void* buffer);

// Runs the kernel to its end and returns the number of instructions executed, counted per wave.
// Throws kernel_trapped if the kernel has ended itself, after a report.
// @pre check_launch() == launch_error::none, explicit_arguments is from pack_arguments()
uint64_t launch(const device_info& device, code_object& object, const kernel_info& kernel,
                const launch_config& config, const std::vector<std::byte>& explicit_arguments);

// The parts of launch() that tests look at.
namespace impl {

// Arguments, dispatch packet, queue and buffers of one launch, at their device addresses.
struct launch_memory {
    uint64_t kernarg = 0;
    uint64_t packet = 0;
    uint64_t queue = 0;
    uint64_t printf_buffer = 0;    // 0: the kernel does not take it
    uint64_t hostcall_buffer = 0;  // the same
    uint64_t grid_sync = 0;        // 0: the launch is not cooperative
};

std::vector<std::byte> kernarg_segment(const kernel_info& kernel, const launch_config& config,
                                       const std::vector<std::byte>& explicit_arguments,
                                       const launch_memory& memory);

// A group ready to run, with the memory of one that is finished, if there is one.
std::unique_ptr<workgroup> make_group(code_object& object, const kernel_info& kernel,
                                      const launch_config& config, const launch_memory& memory,
                                      std::array<uint32_t, 3> id,
                                      std::unique_ptr<workgroup> finished = nullptr);

}  // namespace impl

}  // namespace emu
