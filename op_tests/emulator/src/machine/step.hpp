// One instruction of one wave: what happens before it is executed, and its execution.
#pragma once

#include "isa/instruction.hpp"
#include "machine/settings.hpp"

namespace emu {

// Checks the registers that the instruction uses, and puts a memory instruction on its queue.
void before_execution(wave& w, const instruction& i);

inline void step(wave& w, const instruction& i) {
    w.pc += i.size;
    if (i.queue != memory_queue::none || w.memory.has_results() || w.is_special) [[unlikely]] {
        before_execution(w, i);
        if (unusual_arithmetic(w) != 0) {
            execute_in_mode(w, i);
            return;
        }
    }
    i.execute(w, i);
}

}  // namespace emu
