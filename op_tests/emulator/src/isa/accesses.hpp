// Which bytes of memory an instruction is about to use, for the profile. The handlers (isa/*.cpp)
// find out on their own: what is counted here does not slow them down.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/instruction.hpp"

namespace emu {

// The lanes' addresses, before the instruction is executed.
struct lane_accesses {
    uint64_t lanes = 0;  // that use memory
    std::array<uint64_t, lane_count> address{};
    std::array<uint8_t, lane_count> bytes{};  // from there; of a buffer those inside of it
};

// Of address number `n` of each lane.
// @pre i.access.kind is neither none nor scalar, n < i.access.addresses
lane_accesses find_accesses(const wave& w, const instruction& i, int n);

// The register that decides, with EXEC, about the offsets of all lanes; nullptr where it is not one
// register. For LDS those are the addresses.
const lane_row* offset_row(const wave& w, const instruction& i);

// Where the offsets of a buffer instruction count from.
struct buffer_window {
    uint64_t start = 0;
    uint64_t bytes = 0;  // from there; what lies beyond them is not in the buffer
};

// Of an instruction with an offset_row(), nullopt where addresses are not the start and an offset:
// the register's and the instruction's, 32 bits together.
std::optional<buffer_window> find_window(const wave& w, const instruction& i);

}  // namespace emu
