// Accesses outside of memory and of LDS, which are always an error.
//
// Where a report is not the end (OPUS_EMU_CHECK_MODE), a read finds zeros and a write is dropped:
// these functions return bytes that stand in for those that are not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/instruction.hpp"

namespace emu {

// `bytes` bytes at `address` are not in one allocation that allows it; `what` is "load", "store"...
std::byte* fail_access(const wave& w, const instruction& i, int lane, const char* what,
                       uint64_t address, int bytes);

std::byte* fail_lds_access(const wave& w, const instruction& i, int lane, uint64_t address,
                           int bytes);

// Of another kind of memory.
std::byte* fail_bounds(const wave& w, const instruction& i, const std::string& message);

}  // namespace emu
