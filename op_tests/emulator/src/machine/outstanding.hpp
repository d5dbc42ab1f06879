// The memory instructions of a wave that it has issued and not waited for (ISA guide 4.4).
//
// A handler moves the data when the instruction is issued; here is what the wave may rely on. An
// instruction is known by its number in its queue, so that "complete" and "ordered by a barrier" are
// comparisons.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace emu {

// The queues in which memory instructions complete (ISA guide 4.4).
enum class memory_queue : uint8_t {
    none,
    vector,  // buffer, global, scratch: vmcnt, in order
    lds,     // ds: lgkmcnt, in order
    flat,    // both counters, in no order (ISA guide 10.2)
    scalar,  // lgkmcnt, in no order
};
constexpr int memory_queue_count = 5;

// The instructions of the queue complete in the order in which they were issued.
constexpr bool is_in_order(memory_queue q) {
    return q == memory_queue::vector || q == memory_queue::lds;
}

class outstanding {
public:
    // Gives the instruction its number. Where its counter is full the oldest instruction of its
    // queue completes first, as the hardware stalls.
    void issue(memory_queue queue);
    // s_waitcnt vmcnt(vm) lgkmcnt(lgkm).
    void wait(uint32_t vm, uint32_t lgkm);
    // A barrier: what is complete is seen by the other waves of the group.
    void pass_barrier();

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

    std::array<progress, memory_queue_count> queues_{};
    // A flat instruction is over when both counters have been 0.
    uint32_t flat_vm_ = 0;
    uint32_t flat_lgkm_ = 0;
};

// "vmcnt": what an instruction of the queue is waited for with.
const char* counter_name(memory_queue queue);

}  // namespace emu
