#include "machine/device.hpp"

namespace emu {

group_place place_of(const device_info& device, uint64_t number, uint32_t per_unit) {
    const auto units = static_cast<uint32_t>(device.compute_units);
    const auto unit = static_cast<uint32_t>(number % units);
    const uint32_t of_die = unit / dies_per_device;
    return {unit % dies_per_device, of_die % engines_per_die, of_die / engines_per_die,
            static_cast<uint32_t>(number / units % per_unit)};
}

}  // namespace emu
