#include "launch/needs.hpp"

#include <algorithm>
#include <bit>
#include <bitset>

#include "isa/accesses.hpp"
#include "isa/flow.hpp"
#include "launch/products.hpp"

namespace emu {
namespace {

using vector_registers = std::bitset<first_sgpr>;  // v, then a

bool is_vector(const register_use& use) {
    return use.first < first_sgpr;
}

bool switches_all_on(const instruction& i) {
    return i.is(kind::moves) && i.operands[0].dwords == 2 &&
           i.operands[0].kind == operand_kind::sgpr && i.operands[0].reg == sreg::exec &&
           i.operands[1].kind == operand_kind::constant && i.operands[1].value64 == ~uint64_t{0};
}

// Whether registers may be others than those that the text names.
bool may_index_registers(const instruction& i) {
    if (i.is(kind::setreg)) {
        // Its immediate: 6 bits of the hardware register, 5 of the first bit, 5 of their number less 1.
        constexpr uint32_t mode = 1;
        constexpr uint32_t bit = std::countr_zero(mode_bit::gpr_idx_en);
        const uint32_t first = i.simm16() >> 6 & 31u;
        const uint32_t count = (i.simm16() >> 11 & 31u) + 1;
        return (i.simm16() & 63u) == mode && first <= bit && bit < first + count;
    }
    return i.is(kind::gpr_idx | kind::movrels | kind::movreld);
}

// Whether every lane that is on gets all bits of what the instruction writes.
bool writes_whole_registers(const instruction& i) {
    if (i.is_vector()) {
        return !i.has(mod::dpp) && !i.is(kind::permlane) && !keeps_a_part(i);
    }
    const access_plan& plan = i.access;
    constexpr uint8_t dword = 4;  // of less a part of the register may stay
    return plan.use == access_use::read && plan.bytes >= dword &&
           (plan.kind == address_kind::buffer || plan.kind == address_kind::global ||
            plan.kind == address_kind::lds);
}

// How an instruction takes part.
enum class role : uint8_t {
    executed,   // in any case
    value,      // for what it writes to registers
    product,    // the same, and what it multiplies does not matter
    lds_value,  // the same, and it reads LDS
    load,       // its addresses are needed, what it loads perhaps
    lds_load,   // to LDS
    lds_store,
};

bool only_writes_vectors(const instruction& i) {
    const auto writes = [](const register_use& use) { return use.is_write; };
    return std::ranges::any_of(i.uses, writes) &&
           std::ranges::all_of(
               i.uses, [](const register_use& use) { return !use.is_write || is_vector(use); });
}

role role_of(const instruction& i) {
    const access_plan& plan = i.access;
    if (!i.problem.empty()) {
        return role::executed;
    }
    if (is_product(i)) {
        return role::product;
    }
    if (i.is_vector()) {
        return only_writes_vectors(i) && !i.is(kind::writes_exec) ? role::value : role::executed;
    }
    if (i.unit == execution_unit::lds && plan.kind == address_kind::none && i.crosses_lanes) {
        return role::value;
    }
    if (plan.kind == address_kind::lds) {
        return plan.use == access_use::read    ? role::lds_value
               : plan.use == access_use::write ? role::lds_store
                                               : role::executed;
    }
    if ((plan.kind == address_kind::buffer || plan.kind == address_kind::global) &&
        plan.use == access_use::read) {
        return plan.to_lds ? role::lds_load : role::load;
    }
    return role::executed;
}

// Atomics of LDS, and flat loads, which may be of LDS.
bool may_read_lds(const access_plan& plan) {
    return (plan.kind == address_kind::lds && plan.use == access_use::atomic) ||
           (plan.kind == address_kind::flat && plan.use != access_use::write);
}

struct step_of_code {
    const instruction* i = nullptr;
    role as = role::executed;
    bool is_full = false;        // all lanes are on
    bool reads_lds = false;      // although it is executed in any case
    vector_registers addresses;  // read in any case
    vector_registers reads;      // if it is executed
    vector_registers writes;
    vector_registers overwrites;  // of these nothing is left
};

void add(vector_registers& to, uint32_t first, uint32_t count) {
    for (uint32_t r = first; r < std::min(first + count, first_sgpr); ++r) {
        to.set(r);
    }
}

class finder {
public:
    finder(program& code, uint64_t entry, bool starts_full, bool lds_addresses)
        : graph_(follow(code, entry)),
          needs_(code.base(), code.bytes()),
          starts_full_(starts_full),
          lds_addresses_(lds_addresses) {}

    instruction_needs find() {
        const auto may_index = [](const instruction* i) { return may_index_registers(*i); };
        if (!graph_.not_followed.empty() || !graph_.leaves_the_code.empty() ||
            std::ranges::any_of(graph_.code, may_index)) {
            return {};
        }
        for (const instruction* i : graph_.code) {
            steps_.push_back(step_of(*i));
        }
        find_full_lanes();
        for (bool had_lds = true; had_lds;) {
            follow_backwards();
            had_lds = !needs_lds_ && std::ranges::any_of(steps_, [&](const step_of_code& s) {
                return s.reads_lds;
            });
            needs_lds_ = needs_lds_ || had_lds;
        }
        return needs_;
    }

private:
    step_of_code step_of(const instruction& i) const {
        const access_plan& plan = i.access;
        step_of_code s;
        s.i = &i;
        s.as = role_of(i);
        s.reads_lds = may_read_lds(plan);
        for (const register_use& use : i.uses) {
            if (is_vector(use)) {
                add(use.is_write ? s.writes : s.reads, use.first, use.count);
            }
        }
        if (s.as == role::product) {
            s.reads.reset();
            constexpr size_t c = 3;
            add_operand(s.reads, i.operands[c]);
        }
        const bool is_load = s.as == role::load || s.as == role::lds_load;
        if (is_load) {
            s.addresses = s.reads;
        } else if (lds_addresses_ && plan.kind == address_kind::lds) {
            add_operand(s.addresses, i.operands[plan.operand]);
        }
        if (writes_whole_registers(i)) {
            s.overwrites = s.writes;
        }
        return s;
    }

    static void add_operand(vector_registers& to, const operand& o) {
        if (o.is_vector()) {
            add(to, first_register(o), o.dwords);
        }
    }

    // Where all lanes are on, whichever way leads there.
    void find_full_lanes() {
        std::vector<bool> is_full(graph_.blocks.size(), true);
        is_full[0] = starts_full_;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t b = 0; b < graph_.blocks.size(); ++b) {
                const flow_block& block = graph_.blocks[b];
                bool now = is_full[b];
                for (uint32_t n = block.first; n < block.first + block.count; ++n) {
                    steps_[n].is_full = now;
                    const instruction& i = *steps_[n].i;
                    now = switches_all_on(i) || (now && !writes_exec(i));
                }
                for (const flow_edge& edge : block.next) {
                    if (is_full[edge.to] && !now) {
                        is_full[edge.to] = false;
                        changed = true;
                    }
                }
            }
        }
    }

    // From what is needed to what that needs, until nothing is added.
    void follow_backwards() {
        std::vector<vector_registers> before(graph_.blocks.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t b = graph_.blocks.size(); b-- > 0;) {
                const flow_block& block = graph_.blocks[b];
                vector_registers live;
                for (const flow_edge& edge : block.next) {
                    live |= before[edge.to];
                }
                for (uint32_t n = block.first + block.count; n-- > block.first;) {
                    pass(steps_[n], live);
                }
                if (live != before[b]) {
                    before[b] = live;
                    changed = true;
                }
            }
        }
    }

    // `live`: the registers that are needed behind the instruction, then before it.
    void pass(step_of_code& s, vector_registers& live) {
        const bool is_wanted = (s.writes & live).any();
        instruction_need need = instruction_need::all;
        switch (s.as) {
            case role::executed:
                break;
            case role::value:
            case role::product:
            case role::lds_value:
                need = is_wanted ? instruction_need::all : instruction_need::nothing;
                break;
            case role::load:
                need = is_wanted ? instruction_need::all : instruction_need::access;
                break;
            case role::lds_load:
                need = needs_lds_ ? instruction_need::all : instruction_need::access;
                break;
            case role::lds_store:
                need = needs_lds_ ? instruction_need::all : instruction_need::nothing;
                break;
        }
        if (need == instruction_need::all) {
            s.reads_lds = s.reads_lds || s.as == role::lds_value;
            if (s.is_full) {
                live &= ~s.overwrites;
            }
            live |= s.reads;
        }
        live |= s.addresses;
        needs_.set(*s.i, s.as == role::product && leaves_all_in_place(*s.i)
                             ? instruction_need::nothing
                             : need);
    }

    flow_graph graph_;
    instruction_needs needs_;
    bool starts_full_;
    bool lds_addresses_;
    bool needs_lds_ = false;
    std::vector<step_of_code> steps_;
};

}  // namespace

instruction_needs find_needs(program& code, uint64_t entry, bool starts_full, bool lds_addresses) {
    return finder(code, entry, starts_full, lds_addresses).find();
}

}  // namespace emu
