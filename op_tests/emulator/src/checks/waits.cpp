#include "checks/waits.hpp"

#include "checks/error.hpp"
#include "machine/settings.hpp"

namespace emu {

void check_waits(const wave& w, const instruction& i) {
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        if (!w.memory.is_pending(range)) [[likely]] {
            continue;
        }
        const auto* load = w.memory.find(range, use.is_write ? i.queue : memory_queue::none);
        if (load == nullptr) {
            continue;
        }
        const auto message = [&] {
            return register_name(range) + (use.is_write ? " is overwritten" : " is read") +
                   " while the load that writes " + register_name(load->registers) +
                   " is pending (" + counter_name(load->queue) + ")";
        };
        report(w, i, check::waits, message, {"pending", load->by, w.index_in_group});
        return;
    }
}

}  // namespace emu
