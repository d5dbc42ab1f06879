// The memory instructions of a wave that it has issued and not waited for (ISA guide 4.4).
//
// A handler moves the data when the instruction is issued; here is what the wave may rely on: a
// register that a load writes is pending until an s_waitcnt covers the load. An instruction is
// known by its number in its queue, so that "complete" and "ordered by a barrier" are comparisons.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/registers.hpp"

namespace emu {

class outstanding {
public:
    // A load's destination.
    struct result {
        const instruction* by = nullptr;
        memory_queue queue = memory_queue::none;
        uint32_t number = 0;
        register_range registers;
    };

    // Gives the instruction its number. Where its counter is full the oldest instruction of its
    // queue completes first, as the hardware stalls.
    void issue(memory_queue queue);
    // The last instruction issued writes `registers`.
    void add_result(const instruction& by, memory_queue queue, const register_range& registers);
    // s_waitcnt vmcnt(vm) lgkmcnt(lgkm).
    void wait(uint32_t vm, uint32_t lgkm);
    // A barrier: what is complete is seen by the other waves of the group.
    void pass_barrier();

    bool has_results() const { return !results_.empty(); }
    bool is_pending(const register_range& r) const { return pending_.any(r); }
    // The newest load that writes one of the registers and is not certain to be over when the next
    // instruction of `after` writes them too; nullptr if there is none. Instructions of one
    // queue that is in order may follow each other.
    const result* find(const register_range& r, memory_queue after) const;

    uint32_t issued(memory_queue q) const { return at(q).issued; }
    uint32_t completed(memory_queue q) const { return at(q).completed; }
    // Complete, and issued, when the group passed its last barrier.
    uint32_t ordered(memory_queue q) const { return at(q).ordered; }
    uint32_t issued_before_barrier(memory_queue q) const { return at(q).issued_before_barrier; }

private:
    // Numbers: the last instruction of which this is true, for it and all before it.
    struct progress {
        uint32_t issued = 0;
        uint32_t completed = 0;
        uint32_t ordered = 0;
        uint32_t issued_before_barrier = 0;
        void wait(uint32_t count) {
            if (issued - completed > count) {
                completed = issued - count;
            }
        }
    };
    progress& at(memory_queue q) { return queues_[static_cast<size_t>(q)]; }
    const progress& at(memory_queue q) const { return queues_[static_cast<size_t>(q)]; }
    void retire();

    std::array<progress, memory_queue_count> queues_{};
    // A flat instruction is over when both counters have been 0.
    uint32_t flat_vm_ = 0;
    uint32_t flat_lgkm_ = 0;
    std::vector<result> results_;
    register_bits pending_;
};

// "vmcnt": what an instruction of the queue is waited for with.
const char* counter_name(memory_queue queue);

}  // namespace emu
