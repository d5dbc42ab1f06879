// Wait states: pairs of instructions that the hardware does not keep apart. The second one comes too
// early unless the program has put other instructions or s_nop between them (ISA guide 4.5 and 7.6).
//
// Each instruction takes one wait state, s_nop N takes N + 1. What an instruction starts and what it
// is sensitive to is found out when it is decoded (hazard_plan); the rows are in hazards.cpp. A wave
// counts down, for each group of instructions that are sensitive to the same, the states until
// nothing concerns that group: one subtraction and one maximum of 8 bytes for each instruction.
// Only where a count is not 0 yet are registers looked at.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/registers.hpp"

namespace emu {

// Groups of instructions by what they are sensitive to.
enum class hazard_group : uint8_t {
    valu,          // vector instructions that read vector registers and constants
    valu_scalar,   // those that also read scalar registers
    valu_special,  // DPP, lane accesses, v_div_fmas...
    mfma,
    vmem,
    lds,
    scalar,
    none,  // sensitive to nothing: its count stays 0
};
constexpr size_t hazard_group_count = 8;

// A byte for each group.
using hazard_counts = uint8_t __attribute__((ext_vector_type(hazard_group_count)));

// Registers that an instruction uses in a way that a row names. Hardware registers (hwreg) are
// numbered behind the others.
struct hazard_use {
    uint16_t first = 0;
    uint16_t count = 0;  // 0: the row is not about registers
    uint64_t kinds = 0;  // bits by hazard_first or hazard_second (hazards.cpp)
    register_index index = register_index::none;
};

struct hazard_row;
struct matrix_wait_states;  // timeline/record.hpp

// Of one instruction.
struct hazard_plan {
    hazard_counts reach = 0;  // wait states for which it concerns each group
    hazard_group group = hazard_group::none;
    uint8_t states = 1;                   // that it takes
    uint8_t passes = 0;                   // of a matrix instruction
    uint64_t concerned = 0;               // the kinds of second ones that rows have behind this one
    uint64_t second_kinds = 0;            // those of `seconds`
    std::vector<const hazard_row*> rows;  // of which this can be the first
    std::vector<hazard_use> firsts;
    std::vector<hazard_use> seconds;
};

// Of one wave.
struct hazard_state {
    struct entry {
        const instruction* by = nullptr;
        uint32_t end = 0;    // the wave's count of states behind it
        uint32_t index = 0;  // what VGPR indexing has added to its destination
    };
    hazard_counts remaining = 0;
    uint32_t states = 0;
    uint32_t last_branch = 0;  // `states` where a branch was taken last
    uint32_t next = 0;
    // The last instructions that started something. No row has more states than there are entries,
    // and each instruction takes one at least.
    std::array<entry, 32> recent{};

    bool concerns(hazard_group group) const { return remaining[static_cast<size_t>(group)] != 0; }
    // Index() is what is added to the destination.
    template <class Index>
    void pass(const instruction& i, const hazard_plan& plan, Index&& index) {
        states += plan.states;
        const hazard_counts passed = plan.states;
        remaining =
            __builtin_elementwise_max(__builtin_elementwise_sub_sat(remaining, passed), plan.reach);
        if (std::bit_cast<uint64_t>(plan.reach) != 0) {
            recent[next++ % recent.size()] = {&i, states, index()};
        }
    }
};

// Fills i.hazards.
// @pre plan_registers(i) was called
void plan_hazards(instruction& i);

// The wait states that the rows want behind a matrix instruction.
// @pre plan_hazards(i) was called
matrix_wait_states wait_states_behind(const instruction& i);

// A row of the table as docs/emulator.md has it.
struct hazard_text {
    std::string what;
    std::string gfx942;  // wait states; behind matrix instructions of 2, 4, 8, 16 passes
    std::string gfx950;
    std::string sources;  // if guide and compiler differ
};
std::vector<hazard_text> hazard_table();

// Reports that the instruction comes too early behind one before it.
void check_hazards(const wave& w, const instruction& i);

}  // namespace emu
