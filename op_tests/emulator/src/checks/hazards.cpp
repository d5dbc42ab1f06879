#include "checks/hazards.hpp"

#include <algorithm>
#include <string>

#include "isa/hazard_rows.hpp"

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

struct operand_of {
    const instruction& i;
    const hazard_use& use;
    register_range range;
};

// @pre the ranges overlap, or the rows of a.use are not about registers
bool has_relation(hazard_relation wanted, const operand_of& a, const operand_of& b) {
    const bool is_same = a.range.first == b.range.first && a.range.count == b.range.count;
    switch (wanted) {
        case hazard_relation::same:
            return is_same;
        case hazard_relation::overlap_only:
            return !is_same;
        case hazard_relation::other_opcode:
            return a.i.mnemonic != b.i.mnemonic;
        case hazard_relation::none:
        case hazard_relation::overlap:
            break;
    }
    return true;
}

// The row that wants more states than there are; nullptr if there is none.
const hazard_row* find_row(const operand_of& a, const operand_of& b, uint32_t between,
                           bool has_branched) {
    for (const hazard_row* row : a.i.hazards.rows) {
        if ((b.use.kinds & bit(row->second)) != 0 && (a.use.kinds & bit(row->first)) != 0 &&
            states_of(*row, a.i) > between && !(row->is_straight && has_branched) &&
            has_relation(row->where, a, b)) {
            return row;
        }
    }
    return nullptr;
}

// The register that both use, " of v3"; empty for hardware registers and rows without any.
std::string where(const register_range& a, const register_range& b) {
    const uint32_t first = std::max(a.first, b.first);
    const uint32_t end = std::min(a.first + a.count, b.first + b.count);
    return first >= end || first >= register_count ? ""
                                                   : register_name({first, end - first}) + ": ";
}

}  // namespace

// True if one of the n - 1 instructions behind the first one has written what the row is about:
// the second one reads the newer result.
bool hazards_check::is_overwritten(uint32_t n, const hazard_row& row, const register_range& written,
                                   const register_range& used) const {
    constexpr uint64_t no_writes = bit(hazard_first::wide_store) | bit(hazard_first::xdl_reads_c);
    const uint32_t first = std::max(written.first, used.first);
    const uint32_t end = std::min(written.first + written.count, used.first + used.count);
    if (row.where == hazard_relation::none || (bit(row.first) & no_writes) != 0) {
        return false;
    }
    for (uint32_t later = 1; later < n; ++later) {
        const entry& newer_one = recent_[(next_ - later) % recent_.size()];
        for (const hazard_use& use : newer_one.by->hazards.firsts) {
            const register_range newer = range_of(use, newer_one.index);
            if ((use.kinds & ~no_writes) != 0 && newer.first <= first &&
                end <= newer.first + newer.count) {
                return true;
            }
        }
    }
    return false;
}

void hazards_check::report_hazard(const wave& w, const instruction& i, const entry& first,
                                  const hazard_row& row, const std::string& registers,
                                  uint32_t between) {
    const auto message = [&] {
        const uint8_t states = states_of(row, *first.by);
        const bool names_sources =
            states == row.sources.states &&
            (!row.sources.gfx950_only || first.by->target == gfx_target::gfx950);
        return "hazard: " + registers + row.what + ": " + std::to_string(states) +
               " wait states are needed between them, " + std::to_string(between) +
               (between == 1 ? " is" : " are") + " there" +
               (names_sources ? std::string("; ") + row.sources.text : "");
    };
    report(w, i, check::hazards, message, {"the first one", first.by, w.index_in_group});
}

void hazards_check::check_registers(const wave& w, const instruction& i) const {
    const hazard_plan& second = i.hazards;
    for (uint32_t n = 1; n <= recent_.size(); ++n) {
        const entry& before = recent_[(next_ - n) % recent_.size()];
        const uint32_t between = states_ - before.end;
        if (before.by == nullptr || between >= recent_.size()) {
            return;
        }
        const hazard_plan& first = before.by->hazards;
        if ((first.concerned & second.second_kinds) == 0 ||
            first.reach[static_cast<size_t>(second.group)] <= between) {
            continue;
        }
        for (const hazard_use& a : first.firsts) {
            const register_range written = range_of(a, before.index);
            for (const hazard_use& b : second.seconds) {
                const register_range used = range_of(w, b);
                if (a.count != 0 && !written.overlaps(used)) {
                    continue;
                }
                const hazard_row* row = find_row({*before.by, a, written}, {i, b, used}, between,
                                                 before.end <= last_branch_);
                if (row != nullptr && !is_overwritten(n, *row, written, used)) {
                    report_hazard(w, i, before, *row, where(written, used), between);
                    return;
                }
            }
        }
    }
}

}  // namespace emu
