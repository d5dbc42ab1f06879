// The parts of the kind `bits`, a file each.
#pragma once

#include "facts.hpp"

namespace gpu_facts {

void bits_of_matrices(const device& on, report& to);     // bits_mfma.hip
void bits_of_math(const device& on, report& to);         // bits_math.hip
void bits_of_conversions(const device& on, report& to);  // bits_convert.hip
void bits_of_modes(const device& on, report& to);        // bits_modes.hip

}  // namespace gpu_facts
