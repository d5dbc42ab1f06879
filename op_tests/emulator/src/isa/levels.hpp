// The levels of x86-64 that the instructions which loop over lanes are compiled for, and which one
// this process uses.
//
// Their files are compiled once for each level, in an inline namespace of its name (OPUS_EMU_LEVEL),
// so that the linker cannot take a function of one level for that of another. Inline functions of
// other namespaces, those of the standard library above all, have one name at all levels. Of these
// the linker takes the first: object files of a higher level come behind those of the lower ones,
// and what is compiled for no level comes first.
#pragma once

#include <span>
#include <vector>

#include "isa/instruction.hpp"

namespace emu {

struct cpu_level {
    const char* name;  // "x86-64-v3"
    // The instruction tables of isa/vector_rows.hpp.
    std::vector<std::span<const instruction_row>> (*vector_families)();
};

// OPUS_EMU_CPU, else the highest one that the CPU has. Where there is none the process ends with
// failure_status and a message.
const cpu_level& chosen_level();

}  // namespace emu
