// OPUS_EMU_STOP and OPUS_EMU_DUMP: the state of a wave where it comes to a place of the code, or where
// the first report is made. The program then goes on.
//
// Nothing of it costs anything without OPUS_EMU_STOP: it looks at instructions as the profile does,
// in a loop of its own (launch/observers.cpp), and only at the group that is asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "machine/stop_request.hpp"

namespace emu {

struct instruction;
struct wave;
struct workgroup;
class program;

// For the process, whose first launch makes it.
class wave_stop {
public:
    explicit wave_stop(stop_request request) : request_(std::move(request)) {}
    ~wave_stop() { finish(); }
    wave_stop(const wave_stop&) = delete;
    wave_stop& operator=(const wave_stop&) = delete;

    // Before the launch of a kernel: whether its groups may have to be looked at.
    bool prepare(program& code, const std::string& kernel);
    bool concerns(const workgroup& group) const;

    // The wave is about to execute the instruction.
    // @pre concerns(*w.group)
    void note(wave& w, const instruction& i);
    // A report was made about that instruction.
    void note_report(const wave& w, uint64_t pc);
    // The process ends. Says so if no wave came there.
    void finish();

private:
    bool is_there(const wave& w, const instruction& i) const;

    const stop_request request_;
    std::mutex mutex_;
    std::atomic<bool> is_done_{false};
    uint64_t arrivals_ = 0;
    uint64_t launches_ = 0;  // of kernels with that name
    bool has_line_ = false;  // one of them has code of the line
    const program* code_ = nullptr;
    std::vector<bool> is_of_line_;  // each dword of code_
};

// Of the process; nullptr unless OPUS_EMU_STOP is set.
wave_stop* stop_of_process(const stop_request& request);
// For reports: nullptr where no launch has made it.
wave_stop* stop_of_process();

// What there is to say about the wave at `pc`.
std::string dump_of(const wave& w, uint64_t pc, const dump_parts& parts);

}  // namespace emu
