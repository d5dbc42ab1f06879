// The rows of the table of wait states (hazards.cpp): what a row says of a pair of instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/instruction.hpp"

namespace emu {

// What the first instruction of a pair does.
enum class hazard_first : uint8_t {
    valu_writes_vgpr,  // neither a matrix nor a dot product instruction
    valu_writes_sgpr,  // VCC included
    valu_writes_exec,
    trans_writes,    // v_exp, v_log, v_rcp, v_rsq, v_sqrt, v_sin, v_cos
    shifted_writes,  // SDWA or OPSEL put the result at another place in the register; all of
                     // v_cvt_scalef32_sr_pk_fp4
    dot_writes,
    wide_store,          // more than 64 bits of data of a lane
    wide_store_by_sgpr,  // the same to a buffer, with an SGPR as offset
    setreg,
    salu_writes_m0,
    xdl_writes,    // matrix instructions of all types but f32 and f64
    sgemm_writes,  // f32
    dgemm_16x16_writes,
    dgemm_4x4_writes,
    xdl_reads_c,
};

// What the second one does. Each is a bit, and an operand may have several.
enum class hazard_second : uint8_t {
    valu_read,       // of a VGPR
    non_trans_read,  // of a VGPR, by a VALU instruction that is none of trans_writes
    valu_write,
    non_dot_read,
    non_dot_write,
    dot_read_ab,
    dot_read_c,
    dot_write,
    dpp_source,  // src0, and the destination where DPP may keep lanes of it
    dpp,
    permlane_read,
    permlane,
    lane_source,  // of v_readlane, v_readfirstlane
    lane_access,  // v_readlane, v_readfirstlane, v_writelane
    lane_select,
    sgpr_constant,  // not a carry or a mask
    exec_constant,
    vccz_constant,
    execz_constant,
    div_fmas,
    mfma_read,  // A, B, C or a scale
    mfma,
    mfma_read_ab,
    xdl_read_c,
    gemm_read_c,  // of f32 and f64
    mfma_write,
    memory_read,   // of a VGPR, by a buffer, global, flat, scratch or LDS instruction
    memory_write,  // the same: what a load or an atomic returns
    vmem_read_sgpr,
    lds_m0,  // add-TID and loads to LDS
    movrel,
    getreg,
    setreg,
};

enum class hazard_relation : uint8_t {
    none,           // any two such instructions
    overlap,        // a register of both
    same,           // the same registers
    overlap_only,   // a register of both, but not the same ones
    other_opcode,   // as overlap, and the instructions have different mnemonics
    same_by_other,  // as same, and the instructions have different mnemonics or passes
};

// Wait states. Those behind matrix instructions depend on their passes: 2, 4, 8 or 16.
struct hazard_states {
    std::array<uint8_t, 4> by_passes;
    constexpr hazard_states(uint8_t any) : by_passes{any, any, any, any} {}
    constexpr hazard_states(uint8_t p2, uint8_t p4, uint8_t p8, uint8_t p16)
        : by_passes{p2, p4, p8, p16} {}
    bool is_by_passes() const {
        return std::ranges::count(by_passes, by_passes[0]) !=
               static_cast<ptrdiff_t>(by_passes.size());
    }
    uint8_t at(uint32_t passes) const {
        const int power = std::clamp(std::countr_zero(passes), 1, 4);
        return by_passes[static_cast<size_t>(power - 1)];
    }
};

// The guide and clang 22 want different numbers: said where a row has `states`, or any.
struct hazard_disagreement {
    uint8_t states = 0;
    bool gfx950_only = false;
    const char* text = "";
};

struct hazard_row {
    hazard_first first;
    hazard_second second;
    hazard_relation where;
    hazard_states gfx942;
    hazard_states gfx950;
    const char* what;
    hazard_disagreement sources = {};
    bool is_straight = false;  // counts only where no branch was taken between the two
};

// The wait states that the row wants behind this one.
uint8_t states_of(const hazard_row& row, const instruction& first);

// A use of an instruction, and the registers that it means there.
struct hazard_operand {
    const instruction& i;
    const hazard_use& use;
    register_range range;
};

// The row that wants more states than `between` from the first one to the second one; nullptr if
// there is none. `has_branched`: a branch was taken between them.
// @pre the ranges overlap, or the rows of first.use are not about registers
const hazard_row* broken_row(const hazard_operand& first, const hazard_operand& second,
                             uint32_t between, bool has_branched);

// "hazard: v8: a vector instruction reads ...: 11 wait states are needed between them, 0 are there"
std::string hazard_message(const hazard_row& row, const hazard_operand& first,
                           const hazard_operand& second, uint32_t between);

constexpr uint64_t bit(hazard_first kind) {
    return uint64_t{1} << static_cast<uint32_t>(kind);
}
constexpr uint64_t bit(hazard_second kind) {
    return uint64_t{1} << static_cast<uint32_t>(kind);
}

constexpr uint64_t wide_stores =
    bit(hazard_first::wide_store) | bit(hazard_first::wide_store_by_sgpr);

// A register of a `first` that holds a new value behind the instruction.
constexpr bool is_a_write(uint64_t kinds) {
    return (kinds & ~(wide_stores | bit(hazard_first::xdl_reads_c))) != 0;
}
constexpr bool is_a_write(const hazard_use& first) {
    return is_a_write(first.kinds);
}

}  // namespace emu
