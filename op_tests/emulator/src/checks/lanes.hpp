// Lanes that other lanes read from, by matrix instructions, which read all lanes, by DPP and by LDS
// instructions that shuffle lanes: values that nobody has written, and lanes that are switched off.
// Matrix instructions with lanes switched off are those of isa/exec.hpp.
//
// `written` are the lanes of each register that were written.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.hpp"

namespace emu {

namespace check {
constexpr uint32_t lanes = 1u << 14;
}

// Reports a lane that a matrix or DPP instruction reads.
void check_lanes(const wave& w, const instruction& i, const std::vector<uint64_t>& written);

// Reports if lane `source` of vector register `reg`, which `lane` reads, is off or not written.
void check_source_lane(const wave& w, const instruction& i, const std::vector<uint64_t>& written,
                       uint32_t reg, int lane, int source);

}  // namespace emu
