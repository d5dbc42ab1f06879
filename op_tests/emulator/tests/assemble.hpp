// Assembles instructions for the tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "machine/wave.hpp"

namespace emu {

// The code that `source` (instructions, one per line) assembles to. Throws std::runtime_error with
// the assembler's messages. The same source is assembled once per process.
const std::vector<std::byte>& assemble(gfx_target target, const std::string& source);

}  // namespace emu
