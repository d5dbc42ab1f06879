// The line that a long launch shows on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace emu {

struct progress_times {
    std::chrono::milliseconds first{2000};  // from the start of the launch to its first line
    std::chrono::milliseconds interval{200};
};

// @pre stderr is a terminal
class progress_line {
public:
    progress_line(std::string name, uint64_t groups, const progress_times& times);
    // Erases the line.
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    // Shows how far the launch is if it is time for that. Any thread.
    void update(uint64_t groups_done, uint64_t instructions);

private:
    using clock = std::chrono::steady_clock;

    std::string name_;
    uint64_t groups_;
    progress_times times_;
    clock::time_point start_ = clock::now();
    std::atomic<clock::duration> next_;  // since start_
};

// "gemm: 12 of 96 groups, 8.1 M instructions/s, 14 s left"
std::string progress_text(const std::string& name, uint64_t done, uint64_t groups,
                          uint64_t instructions, double seconds);

// Erases the line for good: a report follows.
void end_progress();

// As if end_progress() had not been called.
void resume_progress();

// Erases the line, for other output on stderr; a launch that goes on shows it again.
void hide_progress();

}  // namespace emu
