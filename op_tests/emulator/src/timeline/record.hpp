// What waves have executed, in the form that the timeline's model (model.hpp) computes with: plain
// data, so that tests can make it by hand as well as by the recorder (recorder.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "machine/target.hpp"
#include "timeline/sharing.hpp"

namespace emu {

// In one turn of a SIMD each issues at most one instruction.
using timeline_unit = execution_unit;
constexpr size_t timeline_unit_count = 8;
struct timeline_name {
    const char* id;  // as the enumerator is spelled
    const char* text;
};
timeline_name name_of(timeline_unit unit);

using timeline_control = wave_control;

// What the caches do with a load or a store of vector memory: the bits sc0, sc1 and nt (ISA guide of
// CDNA 4, tables 49 and 50).
struct timeline_policy {
    bool in_l1 = true;          // may hit L1, and stays there
    bool in_l2 = true;          // goes through L2; otherwise to what is behind it
    bool stays_in_l2 = true;    // otherwise its lines are the first that make room
    bool stays_in_mall = true;  // otherwise they are not kept there
};

// Vector instructions by how long they keep their SIMD (parameters.hpp).
enum class timeline_rate : uint8_t { ordinary, transcendental, multiply32, f64, transcendental64 };

// Matrix instructions by what they multiply, as far as the clock under load depends on it.
enum class timeline_matrix : uint8_t {
    other,  // f32, xf32, f64, or no matrix instruction
    f16,
    bf16,
    bits8,  // fp8, bf8, i8
    bits4,  // both operands have 4 or 6 bits
};
constexpr size_t timeline_matrix_count = 5;

struct timeline_operand {
    uint16_t first = 0;  // register_use's numbering: v, a, s
    uint8_t count = 0;
    bool is_write = false;
    matrix_use use = matrix_use::other;
};

// One instruction of the program. Where VGPR indexing changes its registers it is another one.
struct timeline_instruction {
    timeline_unit unit = timeline_unit::none;
    timeline_control control = timeline_control::none;
    timeline_rate rate = timeline_rate::ordinary;
    timeline_matrix matrix = timeline_matrix::other;
    uint8_t turns = 1;          // of s_nop: its wait states
    uint8_t passes = 0;         // of a matrix instruction
    uint8_t vmcnt = max_vmcnt;  // s_waitcnt
    uint8_t lgkmcnt = max_lgkmcnt;
    uint8_t priority = 0;     // s_setprio
    uint16_t sleep = 0;       // units of s_sleep
    bool has_access = false;  // each execution has a timeline_access
    bool counts_vm = false;   // takes part in vmcnt
    bool counts_lgkm = false;
    bool writes = false;  // a store or an atomic
    timeline_policy policy;
    bool lds_writes = false;
    bool lds_inferred = false;    // its phases are
    uint32_t lds_lane_bytes = 0;  // that a lane reads or writes in LDS
    uint32_t bytes = 4;           // of the code
    uint64_t address = 0;
    uint64_t flops = 0;  // of one execution by a matrix instruction
    matrix_wait_states waits;
    std::vector<timeline_operand> operands;
    std::string text;  // of the disassembler
};

// A line of memory that an instruction touches.
struct timeline_line {
    uint64_t number = 0;  // address / line_bytes
    uint32_t bytes = 0;   // that lanes ask for in it, at most the line's
    timeline_share share;
};

// Lines by channel of L2.
constexpr size_t timeline_most_channels = 16;
using timeline_channels = std::array<uint16_t, timeline_most_channels>;

// What one execution of a memory instruction needs.
struct timeline_access {
    uint32_t lines = 0;          // in timeline_wave::lines
    uint32_t lds_bytes = 0;      // that LDS reads or writes
    uint32_t lds_addresses = 0;  // that lanes give to it
    uint32_t lds_phases = 0;     // 0: they are not known (costs.hpp)
    uint32_t lds_conflicts = 0;  // clocks that bank conflicts add
    uint32_t bytes = 0;          // of global memory that lanes ask for
};

struct timeline_wave {
    // Executed, at least one: indices into timeline_record::instructions.
    std::vector<uint32_t> instructions;
    std::vector<timeline_access> accesses;  // of those that have one, in their order
    std::vector<timeline_line> lines;       // of the accesses, in their order
    // For each access to global memory that has lines, the lines that all units of the die ask for
    // with it. May be shorter: the others are not known.
    std::vector<timeline_channels> channels;
    // The same with the other l2_hash, if that is wanted.
    std::vector<timeline_channels> other_channels;
};

// Calls f(instruction, lines) for each of the wave's accesses, in their order.
template <class Wave, class F>
void for_each_access(const std::vector<timeline_instruction>& executed, Wave& wave, F&& f) {
    size_t next_access = 0;
    size_t next_line = 0;
    for (const uint32_t index : wave.instructions) {
        if (executed[index].has_access) {
            const uint32_t lines = wave.accesses[next_access++].lines;
            f(index, std::span(wave.lines).subspan(next_line, lines));
            next_line += lines;
        }
    }
}

struct timeline_group {
    uint64_t number = 0;  // x fastest
    std::vector<timeline_wave> waves;
};

// What LDS is modelled with: all, or without what one wants to know the cost of.
enum class timeline_lds : uint8_t { whole, no_conflicts, free };

// Groups of one compute unit.
struct timeline_record {
    std::vector<timeline_instruction> instructions;
    std::vector<timeline_group> groups;  // at least one
    // So many of them run at the same time, the first ones from the start on; 0: all. When one ends
    // the next one takes its place.
    size_t resident = 0;
    uint32_t l2_hash = 1;  // that timeline_wave::channels has
    timeline_lds lds = timeline_lds::whole;
    // Where groups have different work: that of the launch, in that of the recorded ones, and how long
    // its units take together, in what the heaviest recorded group takes. 0: all are alike.
    double work_of_launch = 0;
    double length_of_launch = 0;
    uint64_t weighed = 0;  // groups of the launch whose work is known
    // Whether the same launch, which has run before, has left its lines there.
    bool is_warm_l2 = false;
    bool is_warm_mall = false;

    size_t at_a_time() const { return resident == 0 ? groups.size() : resident; }
};

}  // namespace emu
