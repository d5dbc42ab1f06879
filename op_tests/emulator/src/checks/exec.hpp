// Values of lanes that are switched off or that nobody has written, where other lanes read them: by
// matrix instructions, which read all lanes, by DPP and by LDS instructions that shuffle lanes.
// Transposed LDS reads report in their handler, whatever is checked.
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace emu {

// Reports a lane that a matrix or DPP instruction reads.
// @pre w.written is kept
void check_lanes(const wave& w, const instruction& i);

// Reports if lane `source` of vector register `reg`, which `lane` reads, is off or not written.
// @pre w.written is kept
void check_source_lane(const wave& w, const instruction& i, uint32_t reg, int lane, int source);

}  // namespace emu
