// Ending the process when the emulated program does what cannot be emulated or must not be done.
#pragma once

#include <cstdint>
#include <string>

namespace emu {

struct instruction;
struct wave;

// Status of a process that fail() ended: EX_SOFTWARE of <sysexits.h>.
constexpr int failure_status = 70;

// A second instruction that a report names.
struct related_instruction {
    const char* role = "";
    const instruction* by = nullptr;
    int wave = 0;
};

// Ends the process with status 70 after one report on stderr: the message, the kernel, the
// program counter, the instruction's text and source line, the group and the wave.
[[noreturn]] void fail(const wave& w, const instruction& i, const std::string& message,
                       const related_instruction& related = {});

// As fail(wave, instruction, message), for what is no instruction's fault: `text` stands in place
// of one, `pc` is the address that the report names.
[[noreturn]] void fail_at(const wave& w, uint64_t pc, const std::string& text,
                          const std::string& message);

}  // namespace emu
