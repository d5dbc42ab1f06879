#include "machine/step.hpp"

#include "checks/exec.hpp"
#include "checks/uninitialized_registers.hpp"
#include "checks/waits.hpp"

namespace emu {
namespace {

void issue(wave& w, const instruction& i) {
    w.memory.issue(i.queue);
    if ((w.checks & check::waits) == 0) {
        return;
    }
    for (const register_use& use : i.uses) {
        if (use.is_write) {
            w.memory.add_result(i, i.queue, resolve(w, use));
        }
    }
}

}  // namespace

void before_execution(wave& w, const instruction& i) {
    if (w.checks == check::none) {
        return;
    }
    if (w.memory.has_results()) {
        check_waits(w, i);
    }
    if ((w.checks & check::exec) != 0 && i.crosses_lanes) {
        check_lanes(w, i);
    }
    if ((w.checks & check::uninitialized_registers) != 0) {
        check_initialized(w, i);
    }
    if ((w.checks & check::follows_writes) != 0) {
        note_written(w, i);
    }
    if (i.queue != memory_queue::none) {
        issue(w, i);
    }
}

}  // namespace emu
