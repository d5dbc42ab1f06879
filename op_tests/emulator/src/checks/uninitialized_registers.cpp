#include "checks/uninitialized_registers.hpp"

#include <bit>
#include <string>

#include "isa/matrix_elements.hpp"
#include "isa/values.hpp"

namespace emu {

// Lanes of register `r` that the instruction needs and nobody wrote. What crosses lanes is not
// followed lane by lane: it needs any one, and writes all.
uint64_t registers_check::missing_lanes(const wave& w, const instruction& i, uint32_t r) const {
    if (r >= first_sgpr || i.crosses_lanes) {
        return written[r] == 0 ? ~uint64_t{0} : 0;
    }
    return w.exec() & ~written[r];
}

void registers_check::start(const wave& w) {
    written.assign(register_count, 0);
    written[0] = w.exec();
    for (size_t r = 0; r < w.loaded_sgprs; ++r) {
        written[first_sgpr + r] = ~uint64_t{0};
    }
    for (const int r : {sreg::flat_scratch, sreg::flat_scratch + 1, sreg::exec, sreg::exec + 1}) {
        written[first_sgpr + static_cast<uint32_t>(r)] = ~uint64_t{0};
    }
}

void registers_check::look(const wave& w, const instruction& i) {
    if ((w.checks & check::lanes) != 0 && i.crosses_lanes) {
        check_lanes(w, i, written);
    }
    if ((w.checks & check::uninitialized_registers) != 0) {
        check_initialized(w, i);
    }
    note_written(w, i);
}

void registers_check::check_initialized(const wave& w, const instruction& i) const {
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; !use.is_write && r < range.first + range.count; ++r) {
            const uint64_t missing = missing_lanes(w, i, r);
            if (missing == 0) {
                continue;
            }
            report(w, i, check::uninitialized_registers, [&] {
                const int lane = std::countr_zero(missing);
                return (r < first_sgpr ? "lane " + std::to_string(lane) + ": " : "") +
                       register_name({r, 1}) + " is read before anything is written there" +
                       which_matrix_element(i, r, lane, false) + " (the value is " +
                       register_value(w, r, lane) + ")";
            });
            return;
        }
    }
}

void registers_check::note_written(const wave& w, const instruction& i) {
    // Shuffles write the lanes that are on, as all do; matrix instructions and v_writelane do not
    // ask EXEC.
    const bool shuffles = i.has(mod::dpp) || i.queue == memory_queue::lds;
    const uint64_t lanes = i.crosses_lanes && !shuffles ? ~uint64_t{0} : w.exec();
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; use.is_write && r < range.first + range.count; ++r) {
            written[r] |= r < first_sgpr ? lanes : ~uint64_t{0};
        }
    }
}

}  // namespace emu
