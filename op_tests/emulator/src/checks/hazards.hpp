// Wait states that a program leaves out (isa/hazards.hpp).
//
// A wave counts down, for each group of instructions that are sensitive to the same, the states until
// nothing concerns that group: one subtraction and one maximum of 8 bytes for each instruction.
// Only where a count is not 0 yet are registers looked at, and only once where all that could concern
// an instruction stands in front of it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checks/check.hpp"
#include "isa/hazards.hpp"
#include "isa/instruction.hpp"
#include "machine/report.hpp"

namespace emu {

class hazards_check : public any_check {
public:
    static constexpr check_switch switches[] = {{"hazards", check::hazards, turned_on::by_default}};
    static constexpr uint32_t bits = check::hazards;

    // Wait states between two instructions of the program, of pairs that were looked at.
    struct of_group {
        static constexpr size_t pair_count = 1024;
        of_group(const workgroup&, of_group* finished)
            : pairs(finished == nullptr ? std::vector<uint64_t>(pair_count)
                                        : std::move(finished->pairs)) {}
        std::vector<uint64_t> pairs;  // 28 bits of each one's number, then the states
    };
    of_group* group = nullptr;

    void each(const wave& w, const instruction& i) {
        const hazard_plan& plan = i.hazards;
        // By a shift: an element by its index would come through memory.
        const uint64_t remaining = std::bit_cast<uint64_t>(remaining_);
        if ((remaining >> 8 * static_cast<size_t>(plan.group) & 0xff) != 0 &&
            !(std::atomic_ref(plan.is_late_enough).load(std::memory_order_relaxed) &&
              is_in_line(w))) [[unlikely]] {
            check_registers(w, i);
        }
        before_ = &i;
        states_ += plan.states;
        if (i.control == wave_control::indirect || i.control == wave_control::call) [[unlikely]] {
            in_line_since_ = states_;
        }
        if ((remaining | std::bit_cast<uint64_t>(plan.reach)) == 0) {
            return;
        }
        const hazard_counts passed = plan.states;
        remaining_ = __builtin_elementwise_max(__builtin_elementwise_sub_sat(remaining_, passed),
                                               plan.reach);
        if (std::bit_cast<uint64_t>(plan.reach) != 0) {
            const uint32_t index = destination_index(w);
            recent_[next_++ % recent_.size()] = {&i, states_, index};
            if (index != 0) [[unlikely]] {
                in_line_since_ = states_;
            }
            largest_reach_ = __builtin_elementwise_max(largest_reach_, plan.reach);
        }
    }

    // A taken branch is two wait states. Hardware needs more, for it fetches anew, and clang counts
    // a block's last branch also where the one before it is taken.
    void branch(const wave&) {
        const hazard_counts one = 1;
        in_line_since_ = last_branch_ = ++states_;
        remaining_ = __builtin_elementwise_sub_sat(remaining_, one);
    }

private:
    struct entry {
        const instruction* by = nullptr;
        uint32_t end = 0;    // the wave's count of states behind it
        uint32_t index = 0;  // what VGPR indexing has added to its destination
    };

    // What VGPR indexing adds to a destination.
    static uint32_t destination_index(const wave& w) {
        constexpr uint32_t dst_en = 1u << 15;
        const uint32_t m0 = w.sgpr[sreg::m0];
        return (w.mode & mode_bit::gpr_idx_en) != 0 && (m0 & dst_en) != 0 ? m0 & 0xff : 0;
    }
    // Whether all that can concern the next instruction stands in front of it: what was found out
    // about it is true again.
    bool is_in_line(const wave& w) const {
        return states_ - in_line_since_ >= most_wait_states && (w.mode & mode_bit::gpr_idx_en) == 0;
    }
    void check_registers(const wave& w, const instruction& i) const;
    bool is_overwritten(uint32_t n, const hazard_row& row, const register_range& written,
                        const register_range& used) const;

    bool has_stored(const hazard_row& row, uint32_t between) const;
    uint32_t states_needed(const instruction& first, const instruction& second) const;

    const instruction* before_ = nullptr;
    hazard_counts remaining_ = 0;
    hazard_counts largest_reach_ =
        0;  // of all instructions so far: none further back concerns anybody
    uint32_t states_ = 0;
    uint32_t last_branch_ = 0;  // `states_` where a branch was taken last
    // `states_` since which each instruction followed the one in front of it, and has started
    // something for no other registers than its text names.
    uint32_t in_line_since_ = 0;
    uint32_t next_ = 0;
    // The last instructions that started something. Each takes one state at least.
    std::array<entry, 32> recent_{};
    static_assert(std::tuple_size_v<decltype(recent_)> >= most_wait_states);
};

}  // namespace emu
