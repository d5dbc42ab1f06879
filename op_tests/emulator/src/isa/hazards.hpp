// Wait states: pairs of instructions that the hardware does not keep apart. The second one comes too
// early unless the program has put other instructions or s_nop between them (ISA guide 4.5 and 7.6).
//
// Each instruction takes one wait state, s_nop N takes N + 1. What an instruction starts and what it
// is sensitive to is found out when it is decoded (hazard_plan); the rows are in hazards.cpp.
#pragma once

#include <array>
#include <atomic>
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

// Of all rows.
constexpr uint32_t most_wait_states = 20;

// A byte for each group.
using hazard_counts = uint8_t __attribute__((ext_vector_type(hazard_group_count)));

// Registers that an instruction uses in a way that a row names. Hardware registers (hwreg) are
// numbered behind the others.
struct hazard_use {
    uint16_t first = 0;
    uint16_t count = 0;  // 0: the row is not about registers
    uint64_t kinds = 0;  // bits by hazard_first or hazard_second
    register_index index = register_index::none;
    uint64_t concerned = 0;  // of a first one: the kinds of second ones that rows have behind it
};

struct hazard_row;

// Of one instruction.
struct hazard_plan {
    hazard_counts reach = 0;  // wait states for which it concerns each group
    hazard_group group = hazard_group::none;
    uint8_t states = 1;  // that it takes
    uint8_t passes = 0;  // of a matrix instruction
    // Nothing that stands in front of it is too near (checks/hazards.hpp finds it out; any thread).
    alignas(std::atomic_ref<bool>::required_alignment) mutable bool is_late_enough = false;
    uint64_t concerned = 0;     // the kinds of second ones that rows have behind this one
    uint64_t second_kinds = 0;  // those of `seconds`
    // Of the registers of `firsts` and of `seconds` (registers.hpp), without an index. A first one
    // without any has all bits, a second one without any has one.
    register_bins first_bins;
    register_bins second_bins;
    std::vector<const hazard_row*> rows;  // of which this can be the first
    std::vector<hazard_use> firsts;
    std::vector<hazard_use> seconds;
};

// Fills i.hazards.
// @pre plan_registers(i) was called
void plan_hazards(instruction& i);

// Whether its destination keeps a part of what it holds, which is a read of it.
bool keeps_a_part(const instruction& i);

// What an instruction does with a register, as far as the wait states behind matrix instructions
// depend on it.
enum class matrix_use : uint8_t {
    xdl_c,   // read as C by a matrix instruction, of all types but f32 and f64
    gemm_c,  // of f32 and f64
    ab,      // read as A, B or scale
    valu_read,
    valu_write,
    memory_read,
    other,  // scalar registers, results of matrix and memory instructions
};
constexpr size_t matrix_use_count = 7;

// Wait states behind a matrix instruction, by what the second instruction does with its result. For
// C: if it is exactly the result, and if it is only a part of it or more.
struct matrix_wait_states {
    std::array<uint8_t, matrix_use_count> by_use{};
    std::array<uint8_t, 2> same_c{};  // xdl_c, gemm_c
    uint8_t valu_overwrites_c = 0;    // of the first one
};

// The wait states that the rows want behind a matrix instruction.
// @pre plan_hazards(i) was called
matrix_wait_states wait_states_behind(const instruction& i);

// A row of the table as docs/wait-states.md has it.
struct hazard_text {
    std::string what;
    std::string gfx942;  // wait states; behind matrix instructions of 2, 4, 8, 16 passes
    std::string gfx950;
    std::string sources;  // if guide and compiler differ
};
std::vector<hazard_text> hazard_table();

}  // namespace emu
