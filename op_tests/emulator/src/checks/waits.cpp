#include "checks/waits.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "isa/instruction.hpp"
#include "isa/matrix_elements.hpp"

namespace emu {
namespace {

// Results of a queue that are over are taken away together.
constexpr size_t many = 64;

// Which elements of a matrix operand are in the first register that is pending.
std::string pending_elements(const instruction& i, const register_use& use,
                             const register_range& used, const register_range& loaded) {
    const uint32_t reg = std::max(used.first, loaded.first);
    const std::string elements = matrix_elements_of_lanes(i, reg, use.is_write);
    return elements.empty() ? "" : ", " + register_name({reg, 1}) + elements;
}

}  // namespace

void waits_check::check_registers(const wave& w, const instruction& i) const {
    const bool may_index = may_index_registers(w, i);
    for (const register_use& use : i.uses) {
        const register_range range =
            may_index ? resolve(w, use) : register_range{use.first, use.count};
        if (!bins_of(range.first, range.count).may_overlap(bins_)) {
            continue;
        }
        memory_queue queue = memory_queue::none;
        const result* load = find(w, range, use.is_write ? i.queue : memory_queue::none, queue);
        if (load == nullptr) {
            continue;
        }
        const auto message = [&] {
            return register_name(range) + (use.is_write ? " is overwritten" : " is read") +
                   " while the load that writes " + register_name(load->registers()) +
                   " is pending (" + counter_name(queue) + ")" +
                   pending_elements(i, use, range, load->registers());
        };
        report(w, i, check::waits, message, {"pending", load->by, w.index_in_group});
        return;
    }
}

void waits_check::add_results(const wave& w, const instruction& i) {
    results& pending = pending_[static_cast<size_t>(i.queue)];
    // Loads that are over because their counter was full stay here until the wave waits. Of a wave
    // that does not wait at all they must not become ever more.
    if (pending.all.size() - pending.over >= 2 * many) {
        wait(w);
    }
    const uint32_t number = w.counters.issued(i.queue) + 1;
    // What it writes comes last.
    for (auto use = i.uses.rbegin(); use != i.uses.rend() && use->is_write; ++use) {
        const register_range range = resolve(w, *use);
        const register_bins bins = bins_of(range.first, range.count);
        pending.all.push_back({&i, number, static_cast<uint16_t>(range.first),
                               static_cast<uint16_t>(range.count), bins});
        pending.bins.add(bins);
        bins_.add(bins);
    }
}

// The newest load of a queue, `of`, that writes one of the registers and is not certain to be over
// when the next instruction of `after` writes them too; nullptr if there is none. Instructions of one
// queue that is in order may follow each other.
const waits_check::result* waits_check::find(const wave& w, const register_range& r,
                                             memory_queue after, memory_queue& of) const {
    for (size_t n = 0; n < pending_.size(); ++n) {
        of = static_cast<memory_queue>(n);
        if (of == after && is_in_order(after)) {
            continue;
        }
        const std::vector<result>& all = pending_[n].all;
        for (size_t k = all.size(); k-- > pending_[n].over;) {
            if (all[k].number <= w.counters.completed(of)) {
                break;
            }
            if (all[k].registers().overlaps(r)) {
                return &all[k];
            }
        }
    }
    return nullptr;
}

void waits_check::results::forget(uint32_t completed) {
    if (all[over].number > completed) {
        return;
    }
    while (over < all.size() && all[over].number <= completed) {
        ++over;
    }
    bins = {};
    if (over == all.size()) {
        all.clear();
        over = 0;
        return;
    }
    if (over >= many) {
        all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(over));
        over = 0;
    }
    for (size_t n = over; n < all.size(); ++n) {
        bins.add(all[n].bins);
    }
}

// Forgets the results of what is complete.
void waits_check::wait(const wave& w) {
    if (bins_.low == 0) {
        return;
    }
    register_bins rest;
    for (size_t n = 0; n < pending_.size(); ++n) {
        results& of_queue = pending_[n];
        if (of_queue.bins.low != 0) {
            of_queue.forget(w.counters.completed(static_cast<memory_queue>(n)));
            rest.add(of_queue.bins);
        }
    }
    bins_ = rest;
}

}  // namespace emu
