#include "checks/uninitialized_registers.hpp"

#include <bit>
#include <string>

#include "isa/matrix_elements.hpp"
#include "isa/values.hpp"

namespace emu {
namespace {

bool is_wide(const register_use& use) {
    return use.count == 2;
}

}  // namespace

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
    // Clang multiplies and adds 32 bits with an upper half that nobody wrote: it is not read, and the
    // upper half of the result counts as never written.
    const bool by_halves = i.is(kind::by_halves);
    for (const register_use& use : i.uses) {
        register_range range = resolve(w, use);
        if (by_halves && is_wide(use)) {
            range.count = 1;
        }
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
    uint64_t missing = 0;  // of upper halves that were read
    if (i.is(kind::by_halves)) {
        for (const register_use& use : i.uses) {
            if (is_wide(use) && !use.is_write) {
                missing |= missing_lanes(w, i, resolve(w, use).first + 1);
            }
        }
    }
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; use.is_write && r < range.first + range.count; ++r) {
            written[r] |= r < first_sgpr ? lanes : ~uint64_t{0};
        }
        if (use.is_write && missing != 0) {
            // A carry comes from the upper half, too.
            for (uint32_t r = range.first + (range.first < first_sgpr ? 1 : 0);
                 r < range.first + range.count; ++r) {
                written[r] &= range.first < first_sgpr ? ~(missing & w.exec()) : 0;
            }
        }
    }
}

}  // namespace emu
