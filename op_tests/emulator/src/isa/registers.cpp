#include "isa/registers.hpp"

#include <algorithm>
#include <utility>

#include "isa/instruction.hpp"

namespace emu {
namespace {

// How the operands of an instruction divide into destinations and sources.
struct operand_roles {
    size_t destinations = 1;  // the first operands of the text
    bool reads_destinations = false;
};

operand_roles roles_of(const instruction& i) {
    const access_plan& access = i.access;
    if (access.kind == address_kind::lds || is_vector_memory(access.kind)) {
        // A buffer atomic returns into its data, the others into an operand of its own.
        return {access.returns ? 1u : 0u,
                access.use == access_use::atomic && access.kind == address_kind::buffer};
    }
    return {i.is(kind::no_result)     ? 0u
            : i.is(kind::two_results) ? 2u
                                      : 1u,
            i.is(kind::reads_result)};
}

register_index index_of(const instruction& i, size_t source, bool is_destination) {
    if (i.is(kind::movrels)) {
        return is_destination ? register_index::none : register_index::m0;
    }
    if (i.is(kind::movreld)) {
        return is_destination ? register_index::m0 : register_index::none;
    }
    if (!i.is_vector()) {
        return register_index::none;
    }
    if (is_destination) {
        return register_index::dst;
    }
    return source < 3 ? static_cast<register_index>(1 + source) : register_index::none;
}

// A count of 0 if the operand is no register.
register_use use_of(const operand& o) {
    if (o.kind == operand_kind::vccz) {
        return {first_sgpr + sreg::vcc, 2};
    }
    const uint32_t first = first_register(o);
    return first == no_register ? register_use{}
                                : register_use{static_cast<uint16_t>(first), o.dwords};
}

// Of the two dwords of a packed f32 source only what op_sel (for the low result) and op_sel_hi (for
// the high one) select; v_pk_mov_b32 takes one dword of each source, which op_sel selects.
void keep_selected(const instruction& i, size_t source, register_use& use) {
    const bool moves = i.is(kind::moves);
    if (use.count != 2 || !i.is(kind::packed) || (!moves && i.types.result != number_type::f32)) {
        return;
    }
    const uint32_t low = i.op_sel >> source & 1u;
    const uint32_t high = moves ? low : i.op_sel_hi >> source & 1u;
    if (low == high) {
        use.first = static_cast<uint16_t>(use.first + low);
        use.count = 1;
    }
}

void add_use(instruction& i, size_t number, bool is_write, register_index index) {
    register_use use = use_of(i.operands[number]);
    if (use.count == 0) {
        return;
    }
    if (!is_write) {
        keep_selected(i, number - 1, use);
    }
    use.is_write = is_write;
    if (use.first < first_sgpr || index == register_index::m0) {
        use.index = index;
    }
    i.uses.push_back(use);
}

// Completes what the row says.
void plan_access(const instruction& i, access_plan& plan) {
    plan.to_lds = plan.to_lds || i.has(mod::lds);
    if (is_vector_memory(plan.kind)) {
        plan.returns = plan.use == access_use::read
                           ? !plan.to_lds
                           : plan.use == access_use::atomic && i.has(mod::sc0);
    }
    const bool is_buffer = plan.kind == address_kind::buffer;
    plan.operand = plan.returns || (is_buffer && !plan.to_lds) ? 1 : 0;
    plan.data =
        static_cast<uint8_t>(is_buffer || plan.lds != lds_address::operand ? 0 : plan.operand + 1);
}

}  // namespace

// Matrix instructions, v_readlane_b32, v_readfirstlane_b32 and v_writelane_b32 ignore EXEC.
bool needs_lanes(const instruction& i) {
    return (i.unit == execution_unit::valu && !i.is(kind::lane)) ||
           (i.queue != memory_queue::none && i.queue != memory_queue::scalar);
}

bool writes_exec(const instruction& i) {
    return i.is(kind::writes_exec) || std::ranges::any_of(i.uses, [](const register_use& use) {
               constexpr uint32_t exec = first_sgpr + sreg::exec;  // the last ones
               return use.is_write &&
                      (use.index == register_index::m0 || use.first + uint32_t{use.count} > exec);
           });
}

void plan_registers(instruction& i) {
    plan_access(i, i.access);
    i.crosses_lanes = i.has(mod::dpp) || i.unit == execution_unit::mfma ||
                      i.is(kind::crosses_lanes | kind::lane | kind::permlane);
    const operand_roles roles = roles_of(i);
    // Reads come first, for the report on an instruction that does both to a register.
    for (size_t n = roles.reads_destinations ? 0 : roles.destinations; n < i.operand_count; ++n) {
        const bool is_destination = n < roles.destinations;
        const size_t source = is_destination ? 0 : n - roles.destinations;
        add_use(i, n, false, index_of(i, source, is_destination));
    }
    // VCC and M0 that the text does not show.
    if (i.access.to_lds || i.access.lds != lds_address::operand) {
        i.uses.push_back({first_sgpr + sreg::m0, 1});
    }
    if (i.is(kind::div_fmas | kind::reads_vcc)) {
        i.uses.push_back({first_sgpr + sreg::vcc, 2});
    }
    for (size_t n = 0; n < std::min(roles.destinations, i.operand_count); ++n) {
        add_use(i, n, true, index_of(i, 0, true));
    }
    for (const register_use& use : i.uses) {
        i.bins.add(use.index == register_index::m0 ? all_bins : bins_of(use.first, use.count));
    }
}

register_range resolve_index(const wave& w, const register_use& use) {
    register_range range{use.first, use.count};
    const uint32_t m0 = w.sgpr[sreg::m0];
    if (use.index == register_index::m0) {
        range.first = first_sgpr + (use.first - first_sgpr + m0) % 128;
    } else if ((w.mode & mode_bit::gpr_idx_en) != 0 &&
               (m0 >> (11 + static_cast<int>(use.index)) & 1) != 0) {
        range.first += m0 & 0xff;
    }
    // Beyond the last one: the handler reports it.
    range.first = std::min(range.first, register_count - range.count);
    return range;
}

std::string register_name(const register_range& range) {
    constexpr std::pair<uint32_t, const char*> named_pairs[] = {
        {sreg::flat_scratch, "flat_scratch"},
        {sreg::xnack_mask, "xnack_mask"},
        {sreg::vcc, "vcc"},
        {sreg::exec, "exec"}};
    uint32_t first = range.first;
    char file = 'v';
    if (first >= first_sgpr) {
        file = 's';
        first -= first_sgpr;
        if (first == sreg::m0) {
            return "m0";
        }
        for (const auto& [low, name] : named_pairs) {
            if (first / 2 * 2 == low && range.count == 1) {
                return std::string(name) + (first == low ? "_lo" : "_hi");
            }
            if (first == low && range.count == 2) {
                return name;
            }
        }
    } else if (first >= first_agpr) {
        file = 'a';
        first -= first_agpr;
    }
    if (range.count == 1) {
        return file + std::to_string(first);
    }
    return std::string(1, file) + "[" + std::to_string(first) + ":" +
           std::to_string(first + range.count - 1) + "]";
}

}  // namespace emu
