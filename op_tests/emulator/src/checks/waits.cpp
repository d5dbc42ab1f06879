#include "checks/waits.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "isa/instruction.hpp"
#include "isa/matrix_elements.hpp"

namespace emu {
namespace {

// Register n has bit n % 64: two ranges without a common bit have no common register. Bins have a
// bit for eight registers, so a false hit in both is rare.
uint64_t bits_of(const register_range& range) {
    const uint64_t bits = ~uint64_t{0} >> (64 - std::min<uint32_t>(range.count, 64));
    return std::rotl(bits, static_cast<int>(range.first % 64));
}

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
        if ((bits_of(range) & bits_) == 0 || (bins_of(range.first, range.count) & bins_) == 0)
            [[likely]] {
            continue;
        }
        const result* load = find(w, range, use.is_write ? i.queue : memory_queue::none);
        if (load == nullptr) {
            continue;
        }
        const auto message = [&] {
            return register_name(range) + (use.is_write ? " is overwritten" : " is read") +
                   " while the load that writes " + register_name(load->registers) +
                   " is pending (" + counter_name(load->queue) + ")" +
                   pending_elements(i, use, range, load->registers);
        };
        report(w, i, check::waits, message, {"pending", load->by, w.index_in_group});
        return;
    }
}

void waits_check::add_results(const wave& w, const instruction& i) {
    // Loads that are over because their counter was full stay here until the wave waits. Of a wave
    // that does not wait at all they must not become ever more.
    constexpr size_t many = 128;
    if (results_.size() >= many) {
        wait(w);
    }
    const uint32_t number = w.counters.issued(i.queue) + 1;
    for (const register_use& use : i.uses) {
        if (use.is_write) {
            const register_range range = resolve(w, use);
            results_.push_back(
                {&i, i.queue, number, range, bins_of(range.first, range.count), bits_of(range)});
            add_pending(results_.back());
        }
    }
}

// The newest load that writes one of the registers and is not certain to be over when the next
// instruction of `after` writes them too; nullptr if there is none. Instructions of one queue that
// is in order may follow each other.
const waits_check::result* waits_check::find(const wave& w, const register_range& r,
                                             memory_queue after) const {
    for (auto result = results_.rbegin(); result != results_.rend(); ++result) {
        const bool follows = result->queue == after && is_in_order(after);
        const bool is_over = result->number <= w.counters.completed(result->queue);
        if (!follows && !is_over && result->registers.overlaps(r)) {
            return &*result;
        }
    }
    return nullptr;
}

// Forgets the results of what is complete.
void waits_check::wait(const wave& w) {
    const auto is_over = [&](const result& r) { return r.number <= w.counters.completed(r.queue); };
    if (std::erase_if(results_, is_over) == 0) {
        return;
    }
    bins_ = 0;
    bits_ = 0;
    for (const result& r : results_) {
        add_pending(r);
    }
}

}  // namespace emu
