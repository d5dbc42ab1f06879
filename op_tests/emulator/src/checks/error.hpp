// What is said about an emulated program that does what cannot be emulated or must not be done:
// fail() ends the process, report() does so too unless OPUS_EMU_CHECK_MODE=report is set.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace emu {

struct instruction;
struct wave;

// Status of a process that fail() ended, or in which something was reported: EX_SOFTWARE of
// <sysexits.h>.
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

// Ends the process with a report of the check of OPUS_DEBUG=1 that failed in the kernel, if one has:
// what, the caller's line, the kernel, the group and the lane. The trap behind it comes here.
void fail_if_debug_check(const wave& w);

namespace impl {

// Counts a report of `check`, one bit of check::, on the instruction. True if it has to be printed.
bool count_report(const wave& w, const instruction& i, uint32_t check);

void print_report(const wave& w, const instruction& i, uint32_t check, const std::string& message,
                  const related_instruction& related);

}  // namespace impl

// What `check`, one bit of check::, has found. Ends the process as fail() does. With
// OPUS_EMU_CHECK_MODE=report it returns, prints only the first report of the check on an
// instruction, and all are counted: when the process ends it prints the counts, and its status is
// failure_status. `message` is a function that returns the text.
template <class Message>
void report(const wave& w, const instruction& i, uint32_t check, Message&& message,
            const related_instruction& related = {}) {
    if (impl::count_report(w, i, check)) {
        impl::print_report(w, i, check, std::forward<Message>(message)(), related);
    }
}

}  // namespace emu
