// Decodes the instructions of one code object, each address on its first use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/source_lines.hpp"

namespace emu {

class program {
public:
    // `text` are the bytes that a kernel sees at base_address; they must outlive the program.
    program(gfx_target target, const std::byte* text, size_t bytes, uint64_t base_address);
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    // The instruction at pc. Never throws: what cannot be decoded or executed is an instruction
    // that fails when it is executed. Callable from several threads.
    const instruction& at(uint64_t pc) {
        const uint64_t at_byte = pc - base_address_;
        if (at_byte < bytes_ && at_byte % 4 == 0) [[likely]] {
            const instruction* found = table_[at_byte / 4].load(std::memory_order_acquire);
            if (found != nullptr) [[likely]] {
                return *found;
            }
        }
        return decode(pc);
    }

    // What the table for code of that size takes; instructions come to it as they are executed.
    static constexpr uint64_t table_bytes(uint64_t code_bytes) {
        return (code_bytes / 4 + 1) * sizeof(void*);
    }

    // The instruction with this number.
    const instruction& decoded(uint32_t number);

    // The line of whoever uses opus, empty if it is not known.
    std::string source_of_user(uint64_t pc) const {
        return frames_of_user(frames_of(std::vector{pc}).front());
    }
    // That line, and the lines of opus in between.
    std::string source_of(uint64_t pc) const {
        return all_frames(frames_of(std::vector{pc}).front());
    }
    // The same of several, each with the frames it is in; faster than one by one.
    std::vector<source_frames> frames_of(std::vector<uint64_t> pcs) const;
    // `lines` is of the code object that is loaded at `base`.
    void set_source_lines(source_lines lines, uint64_t base);
    // The code object that has debug information, empty if it has none, and where it is loaded.
    std::span<const std::byte> debug_object() const { return lines_.object(); }
    uint64_t debug_base() const { return lines_base_; }
    uint64_t base() const { return base_address_; }
    size_t bytes() const { return bytes_; }

private:
    const instruction& decode(uint64_t pc);

    gfx_target target_;
    const std::byte* text_;
    size_t bytes_;
    uint64_t base_address_;
    std::vector<std::atomic<const instruction*>> table_;
    std::mutex mutex_;
    std::deque<instruction> decoded_;
    instruction outside_;
    source_lines lines_;
    uint64_t lines_base_ = 0;
};

// The signal handlers that a crash of the disassembler needs. They belong to the process, so a
// program has them while it decodes an instruction, and that takes most of the time: whoever decodes
// much keeps one meanwhile.
class crash_guard {
public:
    crash_guard();
    ~crash_guard();
    crash_guard(const crash_guard&) = delete;
    crash_guard& operator=(const crash_guard&) = delete;

private:
    static std::mutex mutex_;
    static int count_;  // of those that exist
};

// Fills operands, modifiers and handler of an instruction from its disassembly line.
void parse_instruction(instruction& result, const std::string& line);

// Sorted.
std::vector<std::string> implemented_mnemonics(gfx_target target);

}  // namespace emu
