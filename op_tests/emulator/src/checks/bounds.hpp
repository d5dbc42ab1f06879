// Accesses outside of memory and of LDS, which are always an error.
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace emu {

// `bytes` bytes at `address` are not in one allocation that allows it; `what` is "load", "store"...
[[noreturn]] void fail_access(const wave& w, const instruction& i, int lane, const char* what,
                              uint64_t address, int bytes);

[[noreturn]] void fail_lds_access(const wave& w, const instruction& i, int lane, uint64_t address,
                                  int bytes);

}  // namespace emu
