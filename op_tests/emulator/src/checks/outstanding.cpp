#include "checks/outstanding.hpp"

#include <algorithm>

namespace emu {
namespace {

// What the counters can hold: 6 and 4 bits (ISA guide 3.1).
constexpr uint32_t max_vm = 63;
constexpr uint32_t max_lgkm = 15;

bool is_in_order(memory_queue q) {
    return q == memory_queue::vector || q == memory_queue::lds;
}

}  // namespace

void outstanding::issue(memory_queue queue) {
    progress& p = at(queue);
    if (is_in_order(queue)) {
        const uint32_t capacity = queue == memory_queue::vector ? max_vm : max_lgkm;
        const uint32_t completed = p.completed;
        p.wait(capacity - 1);
        if (p.completed != completed) {
            retire();
        }
    }
    ++p.issued;
}

void outstanding::add_result(const instruction& by, memory_queue queue,
                             const register_range& registers) {
    results_.push_back({&by, queue, at(queue).issued, registers});
    pending_.add(registers);
}

// The guarantees are those of the worst order. Instructions of one queue complete in order, so of
// vmcnt or lgkmcnt n at most the last n are open, whatever the others that share the counter do.
// Scalar loads and flat instructions have no order: only a count of 0 says anything about them.
void outstanding::wait(uint32_t vm, uint32_t lgkm) {
    at(memory_queue::vector).wait(vm);
    at(memory_queue::lds).wait(lgkm);
    progress& flat = at(memory_queue::flat);
    if (vm == 0) {
        flat_vm_ = flat.issued;
    }
    if (lgkm == 0) {
        flat_lgkm_ = flat.issued;
        at(memory_queue::scalar).wait(0);
    }
    flat.completed = std::min(flat_vm_, flat_lgkm_);
    retire();
}

void outstanding::pass_barrier() {
    for (progress& p : queues_) {
        p.ordered = p.completed;
        p.issued_before_barrier = p.issued;
    }
}

const outstanding::result* outstanding::find(const register_range& r, memory_queue after) const {
    for (auto result = results_.rbegin(); result != results_.rend(); ++result) {
        const bool follows = result->queue == after && is_in_order(after);
        if (!follows && result->registers.overlaps(r)) {
            return &*result;
        }
    }
    return nullptr;
}

// Forgets the results of what is complete.
void outstanding::retire() {
    const auto is_complete = [&](const result& r) { return r.number <= at(r.queue).completed; };
    if (std::erase_if(results_, is_complete) == 0) {
        return;
    }
    pending_.clear();
    for (const result& r : results_) {
        pending_.add(r.registers);
    }
}

const char* counter_name(memory_queue queue) {
    switch (queue) {
        case memory_queue::vector:
            return "vmcnt";
        case memory_queue::flat:
            return "vmcnt(0) and lgkmcnt(0)";
        case memory_queue::scalar:
            return "lgkmcnt(0)";
        default:
            return "lgkmcnt";
    }
}

}  // namespace emu
