// All checks, in the order in which they look at an instruction. What handlers see themselves comes
// last.
#pragma once

#include <cstddef>
#include <tuple>

#include "checks/barriers.hpp"
#include "checks/hazards.hpp"
#include "checks/lds_shadow.hpp"
#include "checks/memory_races.hpp"
#include "checks/nan.hpp"
#include "checks/range.hpp"
#include "checks/uninitialized_memory.hpp"
#include "checks/uninitialized_registers.hpp"
#include "checks/waits.hpp"

namespace emu {

// No one looks: the handlers report these (machine/report.hpp).
struct handlers_check : any_check {
    static constexpr check_switch switches[] = {
        {"alignment", check::alignment, turned_on::by_default},
        {"lds_alignment", check::lds_alignment, turned_on::by_name},
        {"bounds", check::bounds, turned_on::by_default},
        {"exec", check::exec, turned_on::by_default},
    };
    static constexpr uint32_t bits = check::none;
};

using all_checks =
    std::tuple<hazards_check, barriers_check, waits_check, lds_check, uninitialized_memory_check,
               registers_check, memory_races_check, nan_check, range_check, handlers_check>;

}  // namespace emu
