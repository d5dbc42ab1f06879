#include "machine/outstanding.hpp"

#include <algorithm>

#include "machine/target.hpp"

namespace emu {
void outstanding::issue(memory_queue queue) {
    progress& p = at(queue);
    if (is_in_order(queue)) {
        const uint32_t capacity = queue == memory_queue::vector ? max_vmcnt : max_lgkmcnt;
        p.wait(capacity - 1);
    }
    ++p.issued;
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
}

void outstanding::pass_barrier() {
    for (progress& p : queues_) {
        p.ordered = p.completed;
        p.issued_before_barrier = p.issued;
    }
}

const char* counter_name(memory_queue queue) {
    constexpr const char* names[memory_queue_count] = {"lgkmcnt", "vmcnt", "lgkmcnt",
                                                       "vmcnt(0) and lgkmcnt(0)", "lgkmcnt(0)"};
    return names[static_cast<size_t>(queue)];
}

}  // namespace emu
