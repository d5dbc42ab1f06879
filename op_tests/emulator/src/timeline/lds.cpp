#include "timeline/lds.hpp"

#include <algorithm>
#include <bit>

namespace emu {
namespace {

constexpr uint32_t bank_bytes = 4;

// Rules whose phases stand for those of another instruction.
const lds_rule* like(access_use use, uint32_t bytes) {
    return find_lds_rule(use, bytes, gfx_target::gfx950);
}

const lds_rule* inferred_rule(const instruction& i) {
    const access_plan& plan = i.access;
    if (plan.bytes <= 4) {
        return like(access_use::read, 4);
    }
    if (plan.bytes <= 8) {
        const bool is_transposed = i.crosses_lanes;
        return like(is_transposed ? access_use::read : access_use::write, 8);
    }
    return plan.use == access_use::read ? like(access_use::read, 12) : like(access_use::write, 16);
}

// Lanes that wait for another one: all but one of those with a dword in the fullest bank.
uint32_t turns_of_atomics(const lds_rule& rule, uint64_t phase,
                          const std::array<uint64_t, lane_count>& address) {
    std::array<uint32_t, 64> in_bank{};
    for (; phase != 0; phase &= phase - 1) {
        const uint64_t first = address[static_cast<size_t>(std::countr_zero(phase))] / bank_bytes;
        for (uint32_t d = 0; d < rule.bytes / bank_bytes; ++d) {
            ++in_bank[(first + d) % rule.banks];
        }
    }
    return std::ranges::max(in_bank) - 1;
}

}  // namespace

timeline_lds_rule find_timeline_lds_rule(const instruction& i) {
    const access_plan& plan = i.access;
    timeline_lds_rule result;
    if (plan.kind != address_kind::lds || plan.lds == lds_address::offset) {
        return result;
    }
    result.rule = find_lds_rule(i);
    if (result.rule == nullptr) {
        result.rule = inferred_rule(i);
        result.is_inferred = true;
    } else {
        result.is_inferred = result.rule->known == certainty::inferred;
    }
    result.is_atomic = plan.use == access_use::atomic;
    return result;
}

lds_clocks lds_clocks_of(const timeline_lds_rule& rule, uint64_t active,
                         const std::array<uint64_t, lane_count>& address) {
    lds_clocks clocks;
    for (const uint64_t phase : rule.rule->phases) {
        if ((phase & active) == 0) {
            continue;
        }
        ++clocks.phases;
        if (rule.is_atomic) {
            clocks.conflicts += turns_of_atomics(*rule.rule, phase & active, address);
        }
    }
    if (!rule.is_atomic) {
        clocks.conflicts = conflict_clocks(*rule.rule, active, address);
    }
    return clocks;
}

}  // namespace emu
