// Lanes that the range of a buffer resource keeps out: their loads give 0 and their stores are
// dropped, which is what many kernels rely on. The check counts them for each instruction.
#pragma once

#include <cstdint>
#include <string>

#include "checks/check.hpp"

namespace emu {

namespace check {
constexpr uint32_t range = 1u << 12;
}

struct range_check : any_check {
    static constexpr check_switch switches[] = {{"range", check::range, turned_on::by_name}};
    static constexpr uint32_t bits = check::range;

    static void buffer_range(const wave& w, const instruction& i, uint64_t on, uint64_t outside);
    // Prints what was counted since the last time, with the name of the kernel, and forgets it.
    // Nothing is printed where every lane was inside.
    static void end_launch(program& code, const std::string& kernel);
};

}  // namespace emu
