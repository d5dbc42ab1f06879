// Assembly for gfx942 and gfx950, as clang writes it, to an object file in memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "machine/target.hpp"

namespace emu {

// Throws std::runtime_error with the assembler's messages.
std::vector<std::byte> assemble_object(gfx_target target, const std::string& source);

}  // namespace emu
