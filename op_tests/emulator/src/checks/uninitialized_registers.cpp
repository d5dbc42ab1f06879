#include "checks/uninitialized_registers.hpp"

#include <bit>
#include <string>

#include "checks/error.hpp"
#include "machine/settings.hpp"

namespace emu {
namespace {

// Lanes of register `r` that the instruction needs and nobody wrote. What crosses lanes is not
// followed lane by lane: it needs any one, and writes all.
uint64_t missing_lanes(const wave& w, const instruction& i, uint32_t r) {
    if (r >= first_sgpr || i.crosses_lanes) {
        return w.written[r] == 0 ? ~uint64_t{0} : 0;
    }
    return w.exec() & ~w.written[r];
}

}  // namespace

void mark_initialized(wave& w, size_t sgprs) {
    w.written.assign(register_count, 0);
    w.written[0] = w.exec();
    for (size_t r = 0; r < sgprs; ++r) {
        w.written[first_sgpr + r] = ~uint64_t{0};
    }
    for (const int r : {sreg::flat_scratch, sreg::flat_scratch + 1, sreg::exec, sreg::exec + 1}) {
        w.written[first_sgpr + static_cast<uint32_t>(r)] = ~uint64_t{0};
    }
}

void check_initialized(const wave& w, const instruction& i) {
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; !use.is_write && r < range.first + range.count; ++r) {
            const uint64_t missing = missing_lanes(w, i, r);
            if (missing == 0) {
                continue;
            }
            report(w, i, check::uninitialized_registers, [&] {
                const std::string lane = "lane " + std::to_string(std::countr_zero(missing)) + ": ";
                return (r < first_sgpr ? lane : "") + register_name({r, 1}) +
                       " is read before anything is written there";
            });
            return;
        }
    }
}

void note_written(wave& w, const instruction& i) {
    // Shuffles write the lanes that are on, as all do; matrix instructions and v_writelane do not
    // ask EXEC.
    const bool shuffles = i.has(mod::dpp) || i.queue == memory_queue::lds;
    const uint64_t lanes = i.crosses_lanes && !shuffles ? ~uint64_t{0} : w.exec();
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; use.is_write && r < range.first + range.count; ++r) {
            w.written[r] |= r < first_sgpr ? lanes : ~uint64_t{0};
        }
    }
}

}  // namespace emu
