// One decoded instruction: what it is, what it reads and writes, and who executes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/access_plan.hpp"
#include "isa/float_mode.hpp"
#include "isa/hazards.hpp"
#include "isa/matrix_rows.hpp"
#include "machine/wave.hpp"

namespace emu {

struct instruction;

// Executes one instruction on one wave. wave::pc is already the address after the instruction.
using handler_t = void (*)(wave&, const instruction&);

enum class operand_kind : uint8_t {
    none,
    vgpr,
    agpr,
    sgpr,      // also vcc, exec, m0, flat_scratch, xnack_mask: operand::reg is the encoding
    constant,  // an inline constant or a literal
    scc,       // the last four are one bit or a fixed address, read-only
    vccz,
    execz,
    aperture,  // src_shared_base and its like; the value is in operand::value64
    off,       // "off": no address register
    symbol,    // a symbolic immediate such as hwreg(...); handlers use the encoding instead
};

struct operand {
    operand_kind kind = operand_kind::none;
    bool neg = false;  // source modifiers: neg(abs(sext(value)))
    bool abs = false;
    bool sext = false;      // SDWA only
    bool literal = false;   // a constant that was written in hexadecimal: raw bits
    bool floating = false;  // an inline constant 0.5, 1.0 and so on
    uint8_t dwords = 1;     // registers in the range
    uint16_t reg = 0;       // the first register
    // A constant by its reader: an inline 1.0 is 0x3c00 for f16, 0x3f800000 for whatever else has
    // at most 32 bits, also for 16-bit integers, and 0x3ff0000000000000 (ISA guide 6.2.1, table 23).
    uint16_t value16 = 0;
    uint32_t value32 = 0;
    uint64_t value64 = 0;
    bool is_vector() const { return kind == operand_kind::vgpr || kind == operand_kind::agpr; }
};

// The first register in the numbering of registers.hpp; no_register if it is none.
inline uint32_t first_register(const operand& o) {
    return o.kind == operand_kind::vgpr   ? o.reg
           : o.kind == operand_kind::agpr ? first_agpr + o.reg
           : o.kind == operand_kind::sgpr ? first_sgpr + o.reg
                                          : no_register;
}

// What the disassembler prints after the operands. One bit each, so that a row says which ones its
// handler consumes; an instruction with any other is refused.
namespace mod {
constexpr uint64_t source_neg = 1ull << 0;  // -v0 or |v0|
constexpr uint64_t source_sext = 1ull << 1;
constexpr uint64_t clamp = 1ull << 2;
constexpr uint64_t omod = 1ull << 3;
constexpr uint64_t op_sel = 1ull << 4;
constexpr uint64_t op_sel_hi = 1ull << 5;
constexpr uint64_t neg_lo = 1ull << 6;
constexpr uint64_t neg_hi = 1ull << 7;
constexpr uint64_t dpp = 1ull << 8;
constexpr uint64_t sdwa = 1ull << 9;
constexpr uint64_t offset = 1ull << 10;
constexpr uint64_t offset01 = 1ull << 11;
constexpr uint64_t offen = 1ull << 12;
constexpr uint64_t idxen = 1ull << 13;
constexpr uint64_t lds = 1ull << 14;
constexpr uint64_t sc0 = 1ull << 15;
constexpr uint64_t sc1 = 1ull << 16;
constexpr uint64_t nt = 1ull << 17;
constexpr uint64_t glc = 1ull << 18;  // scalar memory spells its cache bit this way
constexpr uint64_t cbsz = 1ull << 19;
constexpr uint64_t abid = 1ull << 20;
constexpr uint64_t blgp = 1ull << 21;
constexpr uint64_t neg_list = 1ull << 22;  // neg:[a,b,c] of f64 MFMA
constexpr uint64_t bitop3 = 1ull << 23;
constexpr uint64_t gds = 1ull << 24;
constexpr uint64_t all = (1ull << 25) - 1;
}  // namespace mod

// What an instruction is besides its unit: bits of its row, behind those of mod::.
namespace kind {
// Operands: destinations are the first ones of the text, and there is one unless this says otherwise.
constexpr uint64_t no_result = 1ull << 25;
constexpr uint64_t two_results = 1ull << 26;
constexpr uint64_t reads_result = 1ull << 27;  // destinations are sources, too
constexpr uint64_t keeps_part = 1ull << 28;    // of the register that it writes
constexpr uint64_t carry = 1ull << 29;         // the last operand is a carry or a mask
constexpr uint64_t literal = 1ull << 30;       // has one always
constexpr uint64_t reads_vcc = 1ull << 31;     // without naming it
constexpr uint64_t writes_exec = 1ull << 32;   // without naming it
// Lanes.
constexpr uint64_t crosses_lanes = 1ull << 33;
constexpr uint64_t lane =
    1ull << 34;  // v_readlane, v_readfirstlane, v_writelane: EXEC does not matter
constexpr uint64_t permlane = 1ull << 35;
// Arithmetic.
constexpr uint64_t trans = 1ull << 36;       // approximations: v_exp, v_log, v_rcp...
constexpr uint64_t multiply32 = 1ull << 37;  // at a quarter of the rate
constexpr uint64_t dot = 1ull << 38;
constexpr uint64_t packed = 1ull << 39;
constexpr uint64_t mix = 1ull << 40;      // op_sel_hi chooses between f32 and f16
constexpr uint64_t copies = 1ull << 41;   // moves bits or looks at them: flushes and rounds nothing
constexpr uint64_t nearest = 1ull << 42;  // or as its name says: no round mode
constexpr uint64_t div_fmas = 1ull << 43;
constexpr uint64_t div_fixup = 1ull << 44;
constexpr uint64_t of_zero_infinite = 1ull << 45;  // v_rcp, v_rsq, v_log
constexpr uint64_t by_halves = 1ull << 46;  // the low dword comes of the low ones of wide operands
constexpr uint64_t converts = 1ull << 47;   // v_cvt
constexpr uint64_t converts_two = 1ull << 48;  // two sources to parts of one result
constexpr uint64_t scaled = 1ull << 49;        // the last operand is the scale
constexpr uint64_t shifted = 1ull << 50;       // OP_SEL or not: see hazard_first::shifted_writes
// Bits: whole registers are moved; parts of registers are moved and chosen.
constexpr uint64_t moves = 1ull << 51;
constexpr uint64_t masks = 1ull << 52;
// By SCC, by EXEC; a branch is by VCC else, and taken where that is 0.
constexpr uint64_t by_scc = 1ull << 53;
constexpr uint64_t by_exec = 1ull << 54;
constexpr uint64_t if_zero = 1ull << 55;
// Registers by number, and MODE.
constexpr uint64_t setreg = 1ull << 56;
constexpr uint64_t getreg = 1ull << 57;
constexpr uint64_t movrels = 1ull << 58;
constexpr uint64_t movreld = 1ull << 59;
constexpr uint64_t gpr_idx = 1ull << 60;
constexpr uint64_t compares = 1ull << 61;  // scalars; SCC is the result
}  // namespace kind

// Which part of a SIMD or a compute unit executes an instruction.
enum class execution_unit : uint8_t {
    valu,
    mfma,  // issued as valu, executed by a pipe of its own
    salu,
    branch,
    lds,
    vmem,  // buffer, global, flat, scratch
    smem,
    none,  // s_waitcnt, s_nop, ...: the wave's own control
};

// What an instruction does to its wave beside computing.
enum class wave_control : uint8_t {
    none,
    nop,
    wait,
    barrier,
    sleep,
    priority,
    end,
    jump,
    branch,
    indirect,  // to an address in a register
    call,
    trap,
    index_on,  // VGPR indexing (ISA guide 6.6)
    index_off,
};

enum class dpp_kind : uint8_t {
    none,
    quad_perm,
    row_shl,
    row_shr,
    row_ror,
    wave_shl,
    wave_rol,
    wave_shr,
    wave_ror,
    row_mirror,
    row_half_mirror,
    row_bcast,
    row_newbcast,
};

enum class sdwa_select : uint8_t { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };
enum class sdwa_unused : uint8_t { pad, sext, preserve };

// A type in a mnemonic, as far as anybody asks: `other` are integers, bits, fp6, bf6 and fp4.
enum class number_type : uint8_t { other, f16, bf16, f32, f64, fp8, bf8 };

// The first, the second and the last one: of v_cvt_f32_f16 f32, f16, f16. Where there is one all are
// that.
struct number_types {
    number_type result = number_type::other;
    number_type source = number_type::other;
    number_type second = number_type::other;  // the second source of a matrix instruction
    bool has_64_bits = false;                 // one of them, also an integer
};

// First what every execution reads, in few cache lines; what some do follows, and last what only
// reports do.
struct alignas(64) instruction {
    handler_t execute = nullptr;
    uint32_t size = 4;  // bytes
    memory_queue queue = memory_queue::none;
    execution_unit unit = execution_unit::salu;
    wave_control control = wave_control::none;
    bool crosses_lanes = false;  // a lane's result depends on registers of other lanes
    register_bins bins;          // of all registers in `uses` (registers.hpp)
    hazard_plan hazards;
    gfx_target target = gfx_target::gfx942;
    float_rule floats;
    access_plan access;
    const matrix_row* matrix = nullptr;  // nullptr: no matrix instruction
    uint64_t modifiers = 0;              // which mod:: bits were present
    uint64_t kinds = 0;                  // which kind:: bits its row has
    number_types types;                  // of its mnemonic
    std::vector<register_use> uses;      // the registers that it reads and writes
    uint32_t encoding[2] = {};
    size_t operand_count = 0;
    std::array<operand, 7> operands;  // in the order of the text: destinations first

    uint32_t number = 0;  // of this one in its program, in the order in which they were decoded
    int32_t offset = 0;
    uint8_t offset0 = 0;
    uint8_t offset1 = 0;
    uint8_t omod = 0;  // 0 none, 1 *2, 2 *4, 3 /2
    // Lists of VOP3 and VOP3P, bit n belongs to source n; op_sel of a VOP3 destination is the bit
    // after the last source's. op_sel_hi is all ones where it isn't printed.
    uint8_t op_sel = 0;
    uint8_t op_sel_hi = 0xff;
    uint8_t neg_lo = 0;
    uint8_t neg_hi = 0;
    uint8_t neg_list = 0;
    dpp_kind dpp = dpp_kind::none;
    std::array<uint8_t, 4> dpp_lanes{};  // quad_perm's four, else the count in the first
    uint8_t row_mask = 0xf;
    uint8_t bank_mask = 0xf;
    bool bound_ctrl = false;
    std::array<int8_t, lane_count> dpp_from{};  // the lane that each lane reads
    uint64_t dpp_valid = 0;                     // lanes that have a lane to read
    sdwa_select dst_sel = sdwa_select::dword;
    sdwa_unused dst_unused = sdwa_unused::pad;
    std::array<sdwa_select, 2> src_sel{sdwa_select::dword, sdwa_select::dword};
    uint8_t cbsz = 0;
    uint8_t abid = 0;
    uint8_t blgp = 0;
    uint8_t bitop3 = 0;

    uint64_t address = 0;
    std::string text;      // the disassembly line
    std::string mnemonic;  // without _e32, _e64, _dpp, _sdwa
    std::string problem;   // why it cannot be executed; execute then fails with this text

    bool has(uint64_t bits) const { return (modifiers & bits) != 0; }
    bool is(uint64_t bits) const { return (kinds & bits) != 0; }
    bool is_vector() const { return unit == execution_unit::valu || unit == execution_unit::mfma; }
    uint16_t simm16() const { return static_cast<uint16_t>(encoding[0]); }
};

// Whether A or B of a matrix instruction that chooses its formats is fp8 or bf8.
inline bool has_8_bits(const instruction& i) {
    return i.cbsz <= 1 || i.blgp <= 1;
}

// Fills dpp_from and dpp_valid from the DPP control (isa/dpp.cpp).
void plan_dpp(instruction& i);

// One implemented instruction: who executes it and which modifiers that handler consumes.
struct instruction_row {
    std::string_view mnemonic;
    handler_t execute;
    uint64_t flags = 0;  // mod:: and kind::
    bool gfx950_only = false;
    access_plan access = {};
    const matrix_row* matrix = nullptr;
};

}  // namespace emu
