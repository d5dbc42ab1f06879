#include "machine/device.hpp"

#include <initializer_list>
#include <utility>

namespace emu {

std::string group_limits::names(const char* lds) const {
    const std::initializer_list<std::pair<uint64_t, const char*>> limits = {
        {by_registers, "registers"},
        {by_sgprs, "scalar registers"},
        {by_lds, lds},
        {by_waves, "waves"},
    };
    std::string text;
    for (const auto& [limit, name] : limits) {
        if (limit == groups()) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text;
}

group_place place_of(const device_info& device, uint64_t number, uint32_t per_unit) {
    const auto units = static_cast<uint32_t>(device.compute_units);
    const auto unit = static_cast<uint32_t>(number % units);
    const uint32_t of_die = unit / dies_per_device;
    return {unit % dies_per_device, of_die % engines_per_die, of_die / engines_per_die,
            static_cast<uint32_t>(number / units % per_unit)};
}

}  // namespace emu
