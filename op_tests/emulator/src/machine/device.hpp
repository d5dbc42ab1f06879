// The two machines that the emulator stands for; figures are AMD's public data sheets (MI300X for
// gfx942, MI355X for gfx950) and the CDNA4 ISA guide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "machine/target.hpp"
#include "machine/wave.hpp"

namespace emu {

struct device_info {
    gfx_target target;
    const char* name;
    const char* target_id;  // as HIP names it, with the features the machines have on by default
    int minor_version;      // the y of gfx9yz; the x is 9
    int compute_units;
    int clock_khz;
    int memory_clock_khz;   // bandwidth / (2 * 1024 bytes of bus)
    uint64_t memory_bytes;  // as rocm-smi shows them: 16 MiB less than 192 and 288 GiB
    uint32_t lds_bytes;     // of a compute unit, and the limit of a group
    uint32_t lds_block;     // bytes; a group gets whole blocks
};

constexpr device_info gfx942_device{
    .target = gfx_target::gfx942,
    .name = "AMD Instinct MI300X (emulated)",
    .target_id = "gfx942:sramecc+:xnack-",
    .minor_version = 4,
    .compute_units = 304,
    .clock_khz = 2'100'000,
    .memory_clock_khz = 2'588'000,
    .memory_bytes = 206'141'652'992,
    .lds_bytes = gfx942_info.lds_bytes,
    .lds_block = 512,
};
constexpr device_info gfx950_device{
    .target = gfx_target::gfx950,
    .name = "AMD Instinct MI355X (emulated)",
    .target_id = "gfx950:sramecc+:xnack-",
    .minor_version = 5,
    .compute_units = 256,
    .clock_khz = 2'400'000,
    .memory_clock_khz = 3'906'000,
    .memory_bytes = 309'220'868'096,
    .lds_bytes = gfx950_info.lds_bytes,
    .lds_block = 1280,
};

constexpr uint32_t max_group_threads = 1024;
constexpr uint32_t dies_per_device = 8;  // XCCs
constexpr uint32_t engines_per_die = 4;  // shader engines
constexpr uint32_t simds_per_unit = 4;
constexpr uint32_t waves_per_simd = 8;
constexpr uint32_t registers_per_simd = 512;  // per lane, v and a together
constexpr uint32_t sgprs_per_simd = 800;
constexpr uint32_t memory_bus_bits = 8192;

// Groups of a kernel that one compute unit has room for, by what limits them.
struct group_limits {
    uint64_t by_waves = 0;
    uint64_t by_registers = 0;
    uint64_t by_lds = ~uint64_t{0};  // none is used
    uint64_t by_sgprs = ~uint64_t{0};
    uint64_t groups() const { return std::min({by_waves, by_registers, by_lds, by_sgprs}); }
    // "registers, LDS": what allows no more. `lds` is what LDS is called.
    std::string names(const char* lds) const;
};

// Groups go to the compute units in turn, units to the dies in turn and on a die to its engines;
// `number` counts groups with x fastest, `per_unit` is how many of them a unit holds.
group_place place_of(const device_info& device, uint64_t number, uint32_t per_unit);

}  // namespace emu
