// Matrix instructions with lanes switched off: the check `exec`. Transposed LDS reads report in their
// handler (lds.cpp), whatever is checked.
#pragma once

#include "isa/instruction.hpp"
#include "machine/report.hpp"

namespace emu {

void report_lanes_off(const wave& w, const instruction& i);

// A matrix instruction does its work whatever EXEC is. Where no lane is on nothing uses the result:
// compilers leave out the branch around a few instructions.
inline void check_lanes_on(const wave& w, const instruction& i) {
    const uint64_t exec = w.exec();
    if (~exec != 0 && exec != 0 && (w.checks & check::exec) != 0) [[unlikely]] {
        report_lanes_off(w, i);
    }
}

}  // namespace emu
