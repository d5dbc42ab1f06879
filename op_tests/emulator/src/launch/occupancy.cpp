#include "launch/occupancy.hpp"

#include <algorithm>

namespace emu {
namespace {

group_limits limits_of(const device_info& device, const kernel_info& kernel, uint32_t threads,
                       uint64_t dynamic_lds, uint32_t lds_block) {
    const uint32_t waves = (threads + lane_count - 1) / lane_count;
    const uint32_t registers = kernel.vgpr_count() + kernel.agpr_count();
    group_limits limits;
    limits.by_waves = waves_per_simd * simds_per_unit / waves;
    limits.by_registers = registers_per_simd / registers * simds_per_unit / waves;
    limits.by_sgprs = sgprs_per_simd / kernel.sgpr_count() * simds_per_unit / waves;
    const uint64_t lds = group_lds(kernel, dynamic_lds);
    if (lds != 0) {
        limits.by_lds = device.lds_bytes / ((lds + lds_block - 1) / lds_block * lds_block);
    }
    return limits;
}

}  // namespace

uint64_t group_lds(const kernel_info& kernel, uint64_t dynamic_lds) {
    constexpr uint64_t more_than_any_device_has = 1u << 31;
    return kernel.descriptor.group_segment_fixed_size +
           std::min(dynamic_lds, more_than_any_device_has);
}

group_limits limits_per_unit(const device_info& device, const kernel_info& kernel, uint32_t threads,
                             uint64_t dynamic_lds) {
    return limits_of(device, kernel, threads, dynamic_lds, device.lds_block);
}

uint32_t groups_per_unit(const device_info& device, const kernel_info& kernel, uint32_t threads,
                         uint64_t dynamic_lds) {
    if (threads == 0 || threads > max_group_threads) {
        return 0;
    }
    return static_cast<uint32_t>(limits_of(device, kernel, threads, dynamic_lds, 1).groups());
}

}  // namespace emu
