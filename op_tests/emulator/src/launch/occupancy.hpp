// How many groups of a kernel run at the same time.
#pragma once

#include <cstdint>

#include "loader/code_object.hpp"
#include "machine/device.hpp"

namespace emu {

// Static and dynamic LDS of a group, bytes; where that is more than any device has, not to the byte.
uint64_t group_lds(const kernel_info& kernel, uint64_t dynamic_lds);

// As the machine has it: of LDS a group gets whole blocks.
// @pre 0 < threads <= max_group_threads
group_limits limits_per_unit(const device_info& device, const kernel_info& kernel, uint32_t threads,
                             uint64_t dynamic_lds);

// Groups of `threads` work-items that one compute unit holds at the same time; 0 if it cannot hold
// one. As HIP answers it, without blocks of LDS.
uint32_t groups_per_unit(const device_info& device, const kernel_info& kernel, uint32_t threads,
                         uint64_t dynamic_lds);

}  // namespace emu
