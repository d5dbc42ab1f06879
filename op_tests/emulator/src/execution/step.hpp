// One instruction of one wave.
#pragma once

#include "isa/float_mode.hpp"
#include "isa/instruction.hpp"

namespace emu {

// Who looks at nothing. Others have the same functions; one may have replaces(), which is true if it
// has done what there is to do.
struct nobody {
    // The wave is about to execute the instruction, which is not on its queue yet; pc is behind it.
    // True if after() is wanted.
    static bool before(wave&, const instruction&) { return false; }
    static void after(wave&, const instruction&) {}
};

template <class Observer>
inline void step(wave& w, const instruction& i, Observer&& seen_by) {
    if constexpr (requires { seen_by.replaces(w, i); }) {
        if (seen_by.replaces(w, i)) {
            return;
        }
    }
    w.pc += i.size;
    const bool is_seen_after = seen_by.before(w, i);
    if (i.queue != memory_queue::none) {
        w.counters.issue(i.queue);
    }
    if (unusual_arithmetic(w) != 0) [[unlikely]] {
        execute_in_mode(w, i);
    } else {
        i.execute(w, i);
    }
    if (is_seen_after) [[unlikely]] {
        seen_by.after(w, i);
    }
}

inline void step(wave& w, const instruction& i) {
    step(w, i, nobody());
}

}  // namespace emu
