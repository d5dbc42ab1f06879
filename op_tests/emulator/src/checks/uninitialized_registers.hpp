// Registers that are read before anything is written there, by their own lane or, with the check
// `lanes`, by other lanes (lanes.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "checks/check.hpp"
#include "checks/lanes.hpp"
#include "isa/instruction.hpp"

namespace emu {

namespace check {
constexpr uint32_t uninitialized_registers = 1u << 3;
}

struct registers_check : any_check {
    static constexpr check_switch switches[] = {
        {"uninitialized_registers", check::uninitialized_registers, turned_on::by_name},
        {"lanes", check::lanes, turned_on::by_name},
    };
    static constexpr uint32_t bits = check::uninitialized_registers | check::lanes;

    std::vector<uint64_t> written;  // lanes of each register

    // The registers that hold something when a wave starts: those that are loaded, the scratch
    // address, EXEC, the work-item id.
    void start(const wave& w);
    void look(const wave& w, const instruction& i);
    static bool watches() { return true; }
    void source_lane(const wave& w, const instruction& i, uint32_t reg, int lane,
                     int source) const {
        if ((w.checks & check::lanes) != 0) {
            check_source_lane(w, i, written, reg, lane, source);
        }
    }

private:
    uint64_t missing_lanes(const wave& w, const instruction& i, uint32_t r) const;
    void check_initialized(const wave& w, const instruction& i) const;
    void note_written(const wave& w, const instruction& i);
};

}  // namespace emu
