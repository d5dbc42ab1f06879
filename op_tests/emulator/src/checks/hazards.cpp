#include "checks/hazards.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "isa/hazard_rows.hpp"
#include "machine/target.hpp"

namespace emu {
namespace {

// What the instruction is going to use.
register_range range_of(const wave& w, const hazard_use& use) {
    return use.index == register_index::none
               ? register_range{use.first, use.count}
               : resolve(w, {use.first, static_cast<uint8_t>(use.count), false, use.index});
}

// What an instruction before has used.
register_range range_of(const hazard_use& use, uint32_t index) {
    return {use.first + (use.index == register_index::none ? 0 : index), use.count};
}

}  // namespace

// True if one of the n - 1 instructions behind the first one has written what the row is about:
// the second one reads the newer result.
bool hazards_check::is_overwritten(uint32_t n, const hazard_row& row, const register_range& written,
                                   const register_range& used) const {
    const uint32_t first = std::max(written.first, used.first);
    const uint32_t end = std::min(written.first + written.count, used.first + used.count);
    if (row.where == hazard_relation::none || !is_a_write(bit(row.first))) {
        return false;
    }
    for (uint32_t later = 1; later < n; ++later) {
        const entry& newer_one = recent_[(next_ - later) % recent_.size()];
        for (const hazard_use& use : newer_one.by->hazards.firsts) {
            const register_range newer = range_of(use, newer_one.index);
            if (is_a_write(use) && newer.first <= first && end <= newer.first + newer.count) {
                return true;
            }
        }
    }
    return false;
}

// True if the one instruction between waits for the store, which has read its data then.
bool hazards_check::has_stored(const hazard_row& row, uint32_t between) const {
    return (bit(row.first) & wide_stores) != 0 && between == 1 &&
           before_->control == wave_control::wait && vmcnt_of(before_->simm16()) == 0;
}

// What `second` needs behind `first`, of which no register is indexed.
uint32_t hazards_check::states_needed(const instruction& first, const instruction& second) const {
    uint64_t& known = group->pairs[(first.number * 37 + second.number) % of_group::pair_count];
    const uint64_t pair = uint64_t{first.number} << 36 | uint64_t{second.number + 1} << 8;
    if (known >> 8 == pair >> 8) [[likely]] {
        return static_cast<uint32_t>(known & 0xff);
    }
    uint32_t states = 0;
    for (const hazard_use& a : first.hazards.firsts) {
        for (const hazard_use& b : second.hazards.seconds) {
            const hazard_operand writer{first, a, {a.first, a.count}};
            const hazard_operand user{second, b, {b.first, b.count}};
            if ((a.concerned & b.kinds) == 0 ||
                (a.count != 0 && !writer.range.overlaps(user.range))) {
                continue;
            }
            while (const hazard_row* row = broken_row(writer, user, states, false)) {
                states = states_of(*row, first);
            }
        }
    }
    known = pair | states;
    return states;
}

void hazards_check::check_registers(const wave& w, const instruction& i) const {
    const hazard_plan& second = i.hazards;
    const bool may_index = may_index_registers(w, i);
    const auto of_second = static_cast<size_t>(second.group);
    for (uint32_t n = 1; n <= recent_.size(); ++n) {
        const entry& before = recent_[(next_ - n) % recent_.size()];
        const uint32_t between = states_ - before.end;
        if (before.by == nullptr || between >= largest_reach_[of_second]) {
            break;
        }
        const hazard_plan& first = before.by->hazards;
        if ((first.concerned & second.second_kinds) == 0 || first.reach[of_second] <= between) {
            continue;
        }
        if (!may_index && before.index == 0 &&
            (!first.first_bins.may_overlap(second.second_bins) ||
             states_needed(*before.by, i) <= between)) [[likely]] {
            continue;
        }
        for (const hazard_use& a : first.firsts) {
            const register_range written = range_of(a, before.index);
            for (const hazard_use& b : second.seconds) {
                if ((a.concerned & b.kinds) == 0) {
                    continue;
                }
                const register_range used = range_of(w, b);
                if (a.count != 0 && !written.overlaps(used)) {
                    continue;
                }
                const hazard_operand writer{*before.by, a, written};
                const hazard_operand user{i, b, used};
                const hazard_row* row =
                    broken_row(writer, user, between, before.end <= last_branch_);
                if (row != nullptr && !has_stored(*row, between) &&
                    !is_overwritten(n, *row, written, used)) {
                    const auto message = [&] {
                        return hazard_message(*row, writer, user, between);
                    };
                    report(w, i, check::hazards, message,
                           {"the first one", before.by, w.index_in_group});
                    return;
                }
            }
        }
    }
    if (is_in_line(w) && !may_index) {
        std::atomic_ref(second.is_late_enough).store(true, std::memory_order_relaxed);
    }
}

}  // namespace emu
