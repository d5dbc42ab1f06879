// Ending the process when the emulated program does what cannot be emulated or must not be done.
#pragma once

#include <string>

#include "isa/instruction.hpp"

namespace emu {

// Status of a process that fail() ended: EX_SOFTWARE of <sysexits.h>.
constexpr int failure_status = 70;

// As fail(wave, instruction, message), for what is no instruction's fault: `text` stands in place
// of one, `pc` is the address that the report names.
[[noreturn]] void fail_at(const wave& w, uint64_t pc, const std::string& text,
                          const std::string& message);

}  // namespace emu
