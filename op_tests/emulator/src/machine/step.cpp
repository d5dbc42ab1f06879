#include "machine/step.hpp"

#include <bit>
#include <string>

namespace emu {
namespace {

// A register of a load that the wave has not waited for.
void check_waits(const wave& w, const instruction& i) {
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        if (!w.memory.is_pending(range)) [[likely]] {
            continue;
        }
        const auto* load = w.memory.find(range, use.is_write ? i.queue : memory_queue::none);
        if (load == nullptr) {
            continue;
        }
        fail(w, i,
             register_name(range) + (use.is_write ? " is overwritten" : " is read") +
                 " while the load that writes " + register_name(load->registers) + " is pending (" +
                 counter_name(load->queue) + ")",
             {"pending", load->by, w.index_in_group});
    }
}

// Lanes of register `r` that the instruction needs and nobody wrote. What crosses lanes is not
// followed lane by lane: it needs any one, and writes all.
uint64_t missing_lanes(const wave& w, const instruction& i, uint32_t r) {
    if (r >= first_sgpr || i.crosses_lanes) {
        return w.written[r] == 0 ? ~uint64_t{0} : 0;
    }
    return w.exec() & ~w.written[r];
}

void check_initialized(const wave& w, const instruction& i) {
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; !use.is_write && r < range.first + range.count; ++r) {
            const uint64_t missing = missing_lanes(w, i, r);
            if (missing == 0) {
                continue;
            }
            const std::string lane = "lane " + std::to_string(std::countr_zero(missing)) + ": ";
            fail(w, i,
                 (r < first_sgpr ? lane : "") + register_name({r, 1}) +
                     " is read before anything is written there");
        }
    }
}

void note_written(wave& w, const instruction& i) {
    const uint64_t lanes = i.crosses_lanes ? ~uint64_t{0} : w.exec();
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; use.is_write && r < range.first + range.count; ++r) {
            w.written[r] |= r < first_sgpr ? lanes : ~uint64_t{0};
        }
    }
}

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
    if ((w.checks & check::uninitialized_registers) != 0) {
        check_initialized(w, i);
        note_written(w, i);
    }
    if (i.queue != memory_queue::none) {
        issue(w, i);
    }
}

}  // namespace emu
