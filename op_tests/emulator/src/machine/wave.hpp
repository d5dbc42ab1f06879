// The state of one wave and of the workgroup that it belongs to.
//
// Everything an instruction can read or write is here; instructions (isa/*.cpp) change it,
// launch/launch.cpp makes it, execution/ decides which wave runs.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/memory.hpp"
#include "machine/observer.hpp"
#include "machine/outstanding.hpp"
#include "machine/target.hpp"

namespace emu {

// One vector register: a dword for each lane.
struct alignas(64) lane_row {
    std::array<uint32_t, lane_count> lane{};
    uint32_t& operator[](size_t l) { return lane[l]; }
    uint32_t operator[](size_t l) const { return lane[l]; }
};

// The lanes of `mask`, lowest first.
template <class F>
void for_lanes(uint64_t mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) {
        f(std::countr_zero(mask));
    }
}

// Scalar registers live in one file indexed by their operand encoding (ISA guide, chapter 13,
// "scalar source operands"), so that a 64-bit operand is always two consecutive entries.
namespace sreg {
constexpr int flat_scratch = 102;
constexpr int xnack_mask = 104;
constexpr int vcc = 106;
constexpr int m0 = 124;
constexpr int exec = 126;
constexpr int count = 128;
}  // namespace sreg

// Addresses of LDS and of private memory as a flat pointer sees them: the base in the high dword,
// the byte in the low one (src_shared_base, src_private_base; ISA guide 10.3).
constexpr uint64_t shared_aperture = 1ull << 48;
constexpr uint64_t private_aperture = 2ull << 48;

// What follows a report of a check.
enum class check_mode : uint8_t {
    stop,    // the end of the process
    report,  // the next instruction
};

enum class wave_status {
    running,
    asleep,      // s_sleep was executed; the scheduler lets others run first
    at_barrier,  // s_barrier was executed; the scheduler resumes all waves of the group together
    ended,       // s_endpgm was executed
};

struct workgroup;

struct wave {
    std::array<uint32_t, sreg::count> sgpr{};
    bool scc = false;
    uint32_t mode = 0;          // the MODE register, from the kernel descriptor
    uint8_t float_effects = 0;  // what MODE does to the instruction in execution (float_mode.hpp)
    uint8_t priority = 0;       // s_setprio; only STATUS shows it
    uint64_t pc = 0;  // address of the next instruction; a handler that branches overwrites it
    wave_status status = wave_status::running;
    int index_in_group = 0;
    uint64_t instructions = 0;       // executed so far
    std::vector<lane_row> vgpr;      // v0..; as many as the kernel was allocated
    std::vector<lane_row> agpr;      // a0..
    std::vector<std::byte> scratch;  // private memory: lane l owns scratch_per_lane bytes from
                                     // l * scratch_per_lane
    uint32_t scratch_per_lane = 0;
    uint32_t loaded_sgprs = 0;     // s0..: those that had a value when the wave started
    uint32_t checks = 0;           // bits of check:: (report.hpp)
    outstanding counters;          // memory instructions that were not waited for
    observer* seen_by = nullptr;   // if anybody looks; the group has it
    std::vector<uint64_t> recent;  // addresses of the last instructions, if OPUS_EMU_STOP is set
    workgroup* group = nullptr;

    uint64_t read_sgpr64(size_t reg) const {
        return uint64_t{sgpr[reg]} | uint64_t{sgpr[reg + 1]} << 32;
    }
    void write_sgpr64(size_t reg, uint64_t value) {
        sgpr[reg] = static_cast<uint32_t>(value);
        sgpr[reg + 1] = static_cast<uint32_t>(value >> 32);
    }
    uint64_t exec() const { return read_sgpr64(sreg::exec); }
    uint64_t vcc() const { return read_sgpr64(sreg::vcc); }
};

class program;  // decoded instructions of a loaded code object (isa/decode.hpp)

// What a kernel may ask the host for while it runs.
class host_service {
public:
    // Does what waves have asked for. Any thread.
    virtual void serve() = 0;
    // Whether a failed assertion was printed.
    virtual bool assertion_failed() const = 0;

    host_service(const host_service&) = delete;
    host_service& operator=(const host_service&) = delete;

protected:
    host_service() = default;
    ~host_service() = default;
};

// Where on the device a group would run.
struct group_place {
    uint32_t die = 0;     // XCC
    uint32_t engine = 0;  // of the die
    uint32_t unit = 0;    // of the engine
    uint32_t slot = 0;    // among the groups that the compute unit holds at the same time
};

struct workgroup {
    std::array<uint32_t, 3> id{};
    group_place place;
    check_mode mode = check_mode::stop;
    bool has_matrix_sums = false;  // matrix instructions add as the hardware does (OPUS_EMU_MATRIX)
    bool buffer_sum_wraps = false;  // OPUS_EMU_BUFFER_SUM
    std::vector<std::byte> lds;
    // Bytes of it that the kernel's own variables take; the rest is dynamic.
    uint32_t static_lds = 0;
    std::vector<wave> waves;
    program* code = nullptr;
    recent_ranges ranges;
    host_service* hostcall = nullptr;         // if the kernel may call the host
    std::unique_ptr<group_observer> seen_by;  // if anybody looks
    const std::string* kernel_name = nullptr;
    uint64_t entry = 0;         // address of the kernel's first instruction, for reports
    uint64_t debug_record = 0;  // of the variable opus_debug_record, if the code object has it
    std::atomic<bool>* trapped = nullptr;  // of the launch, if a trap ends no more than that
};

}  // namespace emu
