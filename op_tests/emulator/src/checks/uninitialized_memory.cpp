#include "checks/uninitialized_memory.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "isa/instruction.hpp"
#include "isa/matrix_elements.hpp"
#include "isa/values.hpp"

namespace emu {
namespace {

// A load that other compute units are to be seen by (sc1: an atomic load of the device's scope) waits
// for what others write.
bool is_checked(const instruction& i) {
    return !i.has(mod::sc1);
}

// The first byte of the access that nobody has written; its end if there is none.
uint64_t first_unwritten(const tracked_range& range, uint64_t address, int bytes) {
    const uint64_t end = address + static_cast<uint64_t>(bytes);
    while (address < end && range.written->all(address - range.begin, 1)) {
        ++address;
    }
    return address;
}

void report_use(const wave& w, const instruction& i, int lane, uint64_t address,
                const std::string& what, const instruction* load) {
    const auto message = [&] {
        return "lane " + std::to_string(lane) + ": " + what + " " + name_of_byte(address) +
               ", which nobody has written";
    };
    related_instruction related;
    if (load != nullptr) {
        related = {"the load", load, w.index_in_group};
    }
    report(w, i, check::uninitialized_memory, message, related);
}

uint32_t dwords_in(int bytes) {
    return static_cast<uint32_t>(std::max(bytes / 4, 1));
}

// ---- what an instruction does with them ----

enum class treatment { computes, moves, masks, stores };

// The register that holds this dword of an operand, no_register if none does.
uint32_t register_of(const operand& o, uint32_t dword) {
    return o.is_vector() && dword < o.dwords ? first_register(o) + dword : no_register;
}

bool is_register_of(const operand& o, uint32_t reg) {
    return o.is_vector() && reg - first_register(o) < o.dwords;
}

treatment treatment_of(const instruction& i, uint32_t reg) {
    // The data of a store, of which the address is not a part. What goes to LDS is not followed.
    if (const access_plan& plan = i.access; plan.use == access_use::write) {
        const bool is_data = plan.kind == address_kind::buffer
                                 ? is_register_of(i.operands[plan.data], reg)
                                 : !is_register_of(i.operands[plan.operand], reg);
        return is_data ? treatment::stores : treatment::computes;
    }
    return i.is(kind::moves)   ? treatment::moves
           : i.is(kind::masks) ? treatment::masks
                               : treatment::computes;
}

struct moved_value {
    uint64_t lanes = 0;
    unwritten_registers::origin from;
};

// What comes to dword `n` of the result of an instruction that moves.
moved_value moved_to(const wave& w, const instruction& i, const unwritten_registers& all,
                     uint32_t n) {
    moved_value result;
    const auto add = [&](const operand& o, uint32_t dword, uint64_t chosen) {
        const uint32_t reg = register_of(o, dword);
        const uint64_t lanes = reg == no_register ? 0 : all.lanes[reg] & chosen;
        if (lanes != 0) {
            result.lanes |= lanes;
            result.from = all.from[reg];
        }
    };
    if (i.is(kind::carry)) {  // v_cndmask
        const bool has_mask = i.operand_count > 3 && i.operands[3].kind == operand_kind::sgpr;
        const uint64_t mask = has_mask ? w.read_sgpr64(i.operands[3].reg) : w.vcc();
        add(i.operands[1], 0, ~mask);
        add(i.operands[2], 0, mask);
    } else if (i.is(kind::packed)) {
        add(i.operands[1 + n % 2], i.op_sel >> n % 2 & 1u, ~uint64_t{0});
    } else if (!i.has(mod::dpp)) {
        add(i.operands[1], n, ~uint64_t{0});
    }
    return result;
}

}  // namespace

void uninitialized_memory_check::remember(const instruction& i, int lane, uint32_t reg,
                                          uint64_t address) {
    if (unwritten_ == nullptr) {
        unwritten_ = std::make_unique<unwritten_registers>();
    }
    if (unwritten_->lanes[reg] == 0) {
        unwritten_->from[reg] = {&i, address};
    }
    unwritten_->lanes[reg] |= uint64_t{1} << lane;
}

void uninitialized_memory_check::memory(const memory_access& a) {
    const tracked_range range = a.w.group->ranges.last();
    if (range.written == nullptr) {
        return;
    }
    switch (a.use) {
        case lds_use::read:
            if (range.written->is_complete()) [[likely]] {
                break;
            }
            if (a.i.queue == memory_queue::scalar) {
                note_scalar_read(a, range);
            } else {
                note_reads(a, range);
            }
            break;
        case lds_use::write:
            note_writes(a, range);
            break;
        case lds_use::atomic:
            check_atomics(a, range);
            break;
    }
}

void uninitialized_memory_check::note_scalar_read(const memory_access& a,
                                                  const tracked_range& range) const {
    if (is_checked(a.i) &&
        range.written->none(a.address[0] - range.begin, static_cast<size_t>(a.bytes))) {
        report_use(a.w, a.i, 0, a.address[0], "a scalar load reads", nullptr);
    }
}

void uninitialized_memory_check::note_reads(const memory_access& a, const tracked_range& range) {
    if (!is_checked(a.i) || a.reg == no_register) {
        return;
    }
    const auto bytes = static_cast<size_t>(a.bytes);
    const bool are_written =
        a.is_run ? range.written->all(a.address[0] - range.begin, lane_count * bytes)
                 : range.written->all_of(a.lanes, a.address, range.begin, a.bytes);
    if (are_written) [[likely]] {
        return;
    }
    for_lanes(a.lanes, [&](int lane) {
        if (!range.written->all(a.address[lane] - range.begin, bytes)) {
            read_in(a, range, lane);
        }
    });
}

void uninitialized_memory_check::read_in(const memory_access& a, const tracked_range& range,
                                         int lane) {
    for (uint32_t d = 0; d < dwords_in(a.bytes); ++d) {
        const int part = std::min(a.bytes, 4);
        const uint64_t from = a.address[lane] + uint64_t{4} * d;
        const uint64_t unwritten = first_unwritten(range, from, part);
        if (unwritten != from + static_cast<uint64_t>(part)) {
            remember(a.i, lane, a.reg + d, unwritten);
        }
    }
}

// What is stored of a register that nobody has written stays so.
void uninitialized_memory_check::note_writes(const memory_access& a,
                                             const tracked_range& range) const {
    if (unwritten_ == nullptr || a.reg == no_register) {
        return;
    }
    for_lanes(a.lanes, [&](int lane) {
        const uint64_t first = a.address[lane] - range.begin;
        for (uint32_t d = 0; d < dwords_in(a.bytes); ++d) {
            const uint64_t part = first + uint64_t{4} * d;
            const auto bytes = static_cast<size_t>(std::min(a.bytes, 4));
            const bool is_unwritten = (unwritten_->lanes[a.reg + d] >> lane & 1) != 0;
            is_unwritten ? range.written->unmark(part, bytes) : range.written->mark(part, bytes);
        }
    });
}

void uninitialized_memory_check::check_atomics(const memory_access& a, const tracked_range& range) {
    if (!a.needs_old || !is_checked(a.i)) {
        return;
    }
    for_lanes(a.lanes, [&](int lane) {
        const uint64_t unwritten = first_unwritten(range, a.address[lane], a.bytes);
        if (unwritten != a.address[lane] + static_cast<uint64_t>(a.bytes)) {
            report_use(a.w, a.i, lane, unwritten, "an atomic changes", nullptr);
        }
        // The next lane may change the same bytes.
        range.written->mark(a.address[lane] - range.begin, static_cast<size_t>(a.bytes));
    });
}

void uninitialized_memory_check::follow(const wave& w, const instruction& i,
                                        unwritten_registers& all) {
    const uint64_t exec = i.crosses_lanes ? ~uint64_t{0} : w.exec();
    bool moves = false;
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; !use.is_write && r < range.first + range.count; ++r) {
            const uint64_t lanes = r < first_sgpr ? all.lanes[r] & exec : 0;
            if (lanes == 0) {
                continue;
            }
            const treatment t = treatment_of(i, r);
            moves |= t == treatment::moves;
            if (t == treatment::computes) {
                const int lane = std::countr_zero(lanes);
                const auto origin = all.from[r];
                all.lanes[r] = 0;
                report_use(w, i, lane, origin.address,
                           "uses " + register_name({r, 1}) + " = " + register_value(w, r, lane) +
                               which_matrix_element(i, r, lane, false) + ", loaded from",
                           origin.load);
            }
        }
    }
    // What the instruction is about to write.
    std::array<moved_value, 4> moved{};
    for (uint32_t n = 0; moves && n < moved.size(); ++n) {
        moved[n] = moved_to(w, i, all, n);
    }
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t n = 0; use.is_write && range.first < first_sgpr && n < range.count; ++n) {
            const uint32_t r = range.first + n;
            all.lanes[r] &= ~exec;
            if (n < moved.size() && (moved[n].lanes & exec) != 0) {
                all.lanes[r] |= moved[n].lanes & exec;
                all.from[r] = moved[n].from;
            }
        }
    }
}

}  // namespace emu
