// What is said about an emulated program that does what cannot be emulated or must not be done:
// fail() ends the process, report() does so too unless OPUS_EMU_CHECK_MODE=report is set.
//
// Here they are declared; checks/error.cpp says it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace emu {

struct instruction;
struct wave;

// What is checked, one bit each; docs/emulator-checks.md. These are seen by the handlers themselves
// (hazards in part), the others by whoever looks at waves (checks/list.hpp). Bounds are always checked: their bit is their
// name only.
namespace check {
constexpr uint32_t none = 0;
constexpr uint32_t alignment = 1u << 4;
constexpr uint32_t lds_alignment = 1u << 5;
constexpr uint32_t bounds = 1u << 6;
constexpr uint32_t exec = 1u << 7;
constexpr uint32_t hazards = 1u << 8;
}  // namespace check

// Status of a process that fail() ended, or in which something was reported: EX_SOFTWARE of
// <sysexits.h>.
constexpr int failure_status = 70;

// What ends the process: _exit(), or what a test puts here, which throws. Such a test has no other
// thread that may report.
extern void (*leave_process)(int status);

// Prints the counts of what OPUS_EMU_CHECK_MODE=report has gone on after, writes OPUS_EMU_REPORT's
// file and forgets all reports: for the end of the process, and for tests. Returns whether anything
// was counted.
bool end_reports();

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

// What fail_trap() throws to end a launch and no more.
struct kernel_trapped {};

// Of a kernel that ends itself: the report says why, or which lanes have printed a failed
// assertion. Throws kernel_trapped where the program goes on (workgroup::trapped), and only the
// first trap of a launch is reported; else it ends the process, by abort() if an assertion failed.
[[noreturn]] void fail_trap(const wave& w, const instruction& i, const std::string& message);

// Ends the process with status 70 for what is no instruction's fault.
[[noreturn]] void fail_launch(const std::string& message);

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
