// Barriers that not every thread of a group passes.
//
// The hardware counts waves: one arrives whichever of its lanes are on, and one that has ended
// counts as arrived (ISA guide, S_BARRIER). HIP asks for more: every thread of the group passes each
// barrier. So this is what is reported:
//   - a wave waits at a barrier, and another one of its group has ended before it;
//   - a lane was off while its wave passed a barrier, and accesses memory afterwards or comes to a
//     barrier itself. One that does nothing more may have returned.
#pragma once

#include <cstdint>

#include "checks/check.hpp"
#include "isa/instruction.hpp"

namespace emu {

namespace check {
constexpr uint32_t barriers = 1u << 9;
}

class barriers_check : public any_check {
public:
    static constexpr check_switch switches[] = {
        {"barriers", check::barriers, turned_on::by_default}};
    static constexpr uint32_t bits = check::barriers;

    struct of_group {
        of_group(const workgroup&, of_group*) {}
        static void no_wave_runs(workgroup& group);
    };
    of_group* group = nullptr;

    void start(const wave& w) { threads_ = w.exec(); }
    // An access of memory by a wave of which lanes may have missed a barrier.
    void look(const wave& w, const instruction& i) {
        if (missed_ != 0 && i.queue != memory_queue::none && i.queue != memory_queue::scalar)
            [[unlikely]] {
            check_missed(w, i);
        }
    }
    void arrive(wave& w, const instruction& i);

private:
    void check_missed(const wave& w, const instruction& i);

    uint64_t threads_ = 0;             // lanes that have a thread
    uint64_t missed_ = 0;              // those of them that were off at a barrier
    const instruction* by_ = nullptr;  // the last barrier that one of them has missed
    uint32_t arrived_ = 0;             // barriers that the wave has come to
};

}  // namespace emu
