#include "lint/lint.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "isa/accesses.hpp"
#include "isa/flow.hpp"
#include "isa/hazard_rows.hpp"
#include "isa/matrix_scales.hpp"
#include "machine/target.hpp"
#include "machine/text.hpp"

// One data flow for both kinds. A fact is what an instruction has started and what a later one may
// come too early for: a use that rows of the table of wait states name, a register that a load is
// going to write, bytes that go to LDS. It ages with each instruction, by wait states or by
// instructions of its counter, and ends when it is old enough, waited for, or replaced. Where paths
// meet, the younger of two facts that differ in nothing else is kept: whatever the older one is too
// early for, the younger one is too.

namespace emu {
namespace {

enum class fact_kind : uint8_t { hazard, load, to_lds };

// What else keeps two facts of the same instruction apart.
namespace fact_flag {
constexpr uint8_t branched = 1;     // hazard: a branch was taken since
constexpr uint8_t vm_waited = 2;    // load by a flat instruction: one of its counters was 0
constexpr uint8_t lgkm_waited = 4;  // the same, the other one
constexpr uint8_t barrier = 8;      // to_lds: a barrier was passed
constexpr uint8_t read = 16;        // to_lds: behind that LDS was read
}  // namespace fact_flag

struct fact {
    uint32_t by = 0;  // of flow_graph::code
    uint8_t use = 0;  // of hazards.firsts, or of `uses`
    fact_kind kind = fact_kind::hazard;
    uint8_t flags = 0;
    uint8_t since = 0;  // wait states, or instructions of the queue
    uint64_t mask = 0;  // the registers of the use that are still the same, from its first one

    uint64_t key() const {
        return uint64_t{by} << 32 | uint64_t{use} << 16 | static_cast<uint64_t>(kind) << 8 | flags;
    }
};

struct wave_state {
    bool may_index = false;  // VGPR indexing may be on
    bool no_lanes = false;   // EXEC is 0: a branch has found that, and it was not written since
};

uint64_t bits_of(uint32_t count) {
    return count == 0 ? 1 : ~uint64_t{0} >> (64 - std::min<uint32_t>(count, 64));
}

// The registers of [first, first + count) that are in the other range, from `first`.
uint64_t common(uint32_t first, uint32_t count, uint32_t other, uint32_t other_count) {
    const uint32_t begin = std::max(first, other);
    const uint32_t end = std::min(first + count, other + other_count);
    return begin >= end ? 0 : bits_of(end - begin) << (begin - first);
}

// What a path knows of masks (s_mov_b64, s_cselect_b64) and comparisons of scalar registers, so that
// no two of its branches contradict each other. A branch by VCC is taken to have lanes.
struct known_masks {
    enum class value : uint8_t { zero, ones, either };
    struct comparison {
        std::array<uint16_t, 2> sources{};  // first registers; each may have two
        value result = value::either;
        auto operator<=>(const comparison&) const = default;
    };
    std::map<uint16_t, value> values;               // by the first register
    std::map<std::string, comparison> comparisons;  // by the instruction's text
    std::string scc_of;                             // which of them SCC is, if any
    std::optional<uint16_t> vcc_of;                 // VCC is EXEC and this mask
    bool is_inverse = false;                        // or what is not in the mask
    auto operator<=>(const known_masks&) const = default;

    void forget(const register_use& written) {
        const auto is_written = [&](uint16_t mask) {
            return written.index == register_index::m0 ||
                   common(mask, 2, written.first, written.count) != 0;
        };
        std::erase_if(values, [&](const auto& v) { return is_written(v.first); });
        std::erase_if(comparisons, [&](const auto& c) {
            return std::ranges::any_of(c.second.sources, is_written);
        });
        if (vcc_of && (is_written(*vcc_of) || is_written(first_sgpr + sreg::vcc))) {
            vcc_of.reset();
        }
    }

    void learn(const instruction& i) {
        const operand* const o = i.operands.data();
        const auto is_all = [](const operand& a, uint32_t bits) {
            return a.kind == operand_kind::constant && a.value32 == bits;
        };
        const auto is_sgpr = [](const operand& a, int reg) {
            return a.kind == operand_kind::sgpr && a.reg == reg;
        };
        const auto register_of = [](const operand& a) {
            return static_cast<uint16_t>(first_sgpr + a.reg);
        };
        const uint16_t source = register_of(o[2]);
        std::optional<value> made;
        if (i.is(kind::moves) && o[0].dwords == 2 && (is_all(o[1], 0) || is_all(o[1], ~0u))) {
            made = is_all(o[1], 0) ? value::zero : value::ones;
        } else if (i.is(kind::by_scc) && o[0].dwords == 2 && i.operand_count == 3 &&
                   is_all(o[1], ~0u) && is_all(o[2], 0)) {
            made = value::either;
        }
        const bool makes_vcc = (i.mnemonic == "s_and_b64" || i.mnemonic == "s_andn2_b64") &&
                               is_sgpr(o[0], sreg::vcc) && is_sgpr(o[1], sreg::exec) &&
                               o[2].kind == operand_kind::sgpr && values.contains(source);
        for (const register_use& use : i.uses) {
            if (use.is_write) {
                forget(use);
            }
        }
        if (i.is(kind::compares)) {
            scc_of = i.text;
            comparisons.try_emplace(scc_of, comparison{{register_of(o[0]), register_of(o[1])}});
        } else if (i.unit == execution_unit::salu && !i.is(kind::moves | kind::by_scc)) {
            scc_of.clear();  // most of the others write it
        }
        if (made && o[0].kind == operand_kind::sgpr) {
            values[register_of(o[0])] = *made;
        }
        if (makes_vcc) {
            vcc_of = source;
            is_inverse = i.mnemonic == "s_andn2_b64";
        }
    }

    // False if the branch, which is `last` of its block, does not go this way.
    bool may_go(const instruction& last, bool is_taken) {
        const bool is_zero = is_taken == last.is(kind::if_zero);
        value needed = is_zero ? value::zero : value::ones;
        value* known = nullptr;
        const auto compared = comparisons.find(scc_of);
        if (last.is(kind::by_scc) && compared != comparisons.end()) {
            known = &compared->second.result;
        } else if (last.is(kind::reads_vcc) && vcc_of) {
            needed = is_zero == is_inverse ? value::ones : value::zero;
            known = &values.at(*vcc_of);
        }
        if (known == nullptr) {
            return true;
        }
        const value before = std::exchange(*known, needed);
        return before == value::either || before == needed;
    }
};

// At the start of a block, which has two: with lanes, as far as is known, and without.
struct flow_state {
    std::vector<fact> facts;  // by key and age
    wave_state wave;
    bool is_reached = false;
};

// For all facts of a kernel, in bytes about 16 times that.
constexpr size_t max_facts = size_t{8} << 20;
constexpr uint32_t no_limit = ~uint32_t{0};

class linter {
public:
    linter(program& code, uint64_t entry) : graph_(follow(code, entry)) {}

    lint_result run() {
        result_.instructions = graph_.code.size();
        result_.blocks = graph_.blocks.size();
        states_.resize(2 * graph_.blocks.size());
        plan();
        if (find_states()) {
            for (uint32_t s = 0; s < states_.size(); ++s) {
                check_block(s);
            }
        }
        look_at_scales();
        look_for_errata();
        look_for_unknown();
        const auto place = [](const lint_finding& f) {
            return std::tuple(f.at->address, f.kind, f.first == nullptr ? 0 : f.first->address);
        };
        // In both states of a block, or a load to LDS at several ends of its path: the shortest path.
        std::ranges::sort(result_.findings, {}, [&](const lint_finding& f) {
            return std::tuple(place(f), f.path.size(), std::string_view(f.message));
        });
        const auto again = std::ranges::unique(result_.findings, {}, place);
        result_.findings.erase(again.begin(), again.end());
        return std::move(result_);
    }

private:
    // What of an instruction is asked for again and again.
    struct traits {
        uint8_t reach = 0;  // wait states for which it concerns anything
        bool is_wait = false;
        bool is_barrier = false;
        bool reads_lds = false;
        bool to_lds = false;
        bool ends = false;
        bool needs_lanes = false;
        bool writes_exec = false;
        uint8_t vm = 0;  // of s_waitcnt
        uint8_t lgkm = 0;
    };

    void plan() {
        traits_.reserve(graph_.code.size());
        for (const instruction* i : graph_.code) {
            traits t;
            for (size_t group = 0; group < hazard_group_count; ++group) {
                t.reach = std::max<uint8_t>(t.reach, i->hazards.reach[group]);
            }
            t.is_wait = i->control == wave_control::wait;
            t.vm = static_cast<uint8_t>(vmcnt_of(i->simm16()));
            t.lgkm = static_cast<uint8_t>(lgkmcnt_of(i->simm16()));
            t.is_barrier = i->control == wave_control::barrier;
            t.ends = i->control == wave_control::end;
            t.needs_lanes = needs_lanes(*i);
            t.writes_exec = !i->problem.empty() || writes_exec(*i);
            if (i->queue != memory_queue::none && i->problem.empty()) {
                const access_plan& access = i->access;
                t.to_lds = access.to_lds;
                t.reads_lds = access.kind == address_kind::lds && access.use != access_use::write;
            }
            traits_.push_back(t);
        }
    }

    // ---- the flow ----

    // Of vector registers, LDS and memory such an instruction uses nothing.
    bool is_idle(uint32_t at, const wave_state& wave) const {
        return wave.no_lanes && traits_[at].needs_lanes;
    }

    // Whether the instruction has started that.
    bool is_started(const fact& f, const wave_state& wave) const {
        if (!is_idle(f.by, wave)) {
            return true;
        }
        const auto& firsts = graph_.code[f.by]->hazards.firsts;
        return f.kind == fact_kind::hazard &&
               (firsts[f.use].count == 0 || firsts[f.use].first >= first_sgpr);
    }

    // Number of the state at the end of the edge: 2 * block, and 1 more where EXEC is 0 there.
    // nullopt where EXEC is 0 and the branch goes another way then.
    std::optional<uint32_t> state_behind(const flow_block& block, const flow_edge& edge,
                                         bool no_lanes) const {
        const instruction& last = *graph_.code[block.first + block.count - 1];
        if (last.is(kind::by_exec)) {
            const bool is_zero = edge.is_taken == last.is(kind::if_zero);
            if (no_lanes && !is_zero) {
                return std::nullopt;
            }
            no_lanes = is_zero;
        }
        return 2 * edge.to + (no_lanes ? 1 : 0);
    }

    // The registers of a use that are known before the program runs.
    static bool is_known(register_index index, bool may_index) {
        return index == register_index::none || (index != register_index::m0 && !may_index);
    }

    // What becomes of the fact when the instruction is executed; false if it ends.
    bool advance(fact& f, uint32_t at, const wave_state& wave) const {
        const instruction& i = *graph_.code[at];
        const traits& t = traits_[at];
        const instruction& by = *graph_.code[f.by];
        if (f.kind == fact_kind::hazard) {
            const uint32_t since = f.since + uint32_t{i.hazards.states};
            if (since >= traits_[f.by].reach) {
                return false;
            }
            f.since = static_cast<uint8_t>(since);
            const hazard_use& use = by.hazards.firsts[f.use];
            if (t.is_wait && t.vm == 0 && (use.kinds & wide_stores) != 0) {
                return false;  // the store has read its data
            }
            if (use.count == 0 || !is_a_write(use)) {
                return true;
            }
            for (const hazard_use& newer : i.hazards.firsts) {
                if (is_a_write(newer) && is_known(newer.index, wave.may_index) &&
                    (newer.first >= first_sgpr || !is_idle(at, wave))) {
                    f.mask &= ~common(use.first, use.count, newer.first, newer.count);
                }
            }
            return f.mask != 0;
        }
        if (f.kind == fact_kind::to_lds) {
            if (t.is_wait && t.vm < max_vmcnt) {
                return false;
            }
            if (t.is_barrier && f.flags == 0) {
                f.flags = fact_flag::barrier;
            } else if (t.reads_lds && !is_idle(at, wave) && f.flags == fact_flag::barrier) {
                f.flags |= fact_flag::read;
            }
            return at != f.by || is_idle(at, wave);
        }
        return advance_load(f, by.queue, i, t);
    }

    // As machine/outstanding.cpp has it.
    static bool advance_load(fact& f, memory_queue queue, const instruction& i, const traits& t) {
        if (t.is_wait) {
            switch (queue) {
                case memory_queue::vector:
                    return f.since < t.vm;
                case memory_queue::lds:
                    return f.since < t.lgkm;
                case memory_queue::scalar:
                    return t.lgkm != 0;
                default:
                    f.flags |= static_cast<uint8_t>((t.vm == 0 ? fact_flag::vm_waited : 0) |
                                                    (t.lgkm == 0 ? fact_flag::lgkm_waited : 0));
                    return f.flags != (fact_flag::vm_waited | fact_flag::lgkm_waited);
            }
        }
        if (i.queue == queue && is_in_order(queue)) {
            const uint32_t capacity = queue == memory_queue::vector ? max_vmcnt : max_lgkmcnt;
            return ++f.since < capacity;
        }
        return true;
    }

    // Along a branch that is taken, which is one state more, as when the emulator runs it.
    bool take_branch(fact& f) const {
        if (f.kind != fact_kind::hazard) {
            return true;
        }
        f.flags |= fact_flag::branched;
        return ++f.since < traits_[f.by].reach;
    }

    void start(uint32_t at, const wave_state& wave, std::vector<fact>& facts) const {
        const instruction& i = *graph_.code[at];
        const auto add = [&](const fact& f) {
            if (is_started(f, wave)) {
                facts.push_back(f);
            }
        };
        if (traits_[at].reach != 0) {
            for (size_t n = 0; n < i.hazards.firsts.size(); ++n) {
                const hazard_use& use = i.hazards.firsts[n];
                if (is_known(use.index, wave.may_index)) {
                    add({.by = at,
                         .use = static_cast<uint8_t>(n),
                         .kind = fact_kind::hazard,
                         .mask = bits_of(use.count)});
                }
            }
        }
        if (i.queue == memory_queue::none) {
            return;
        }
        for (size_t n = 0; n < i.uses.size(); ++n) {
            if (i.uses[n].is_write) {
                add({.by = at,
                     .use = static_cast<uint8_t>(n),
                     .kind = fact_kind::load,
                     .mask = bits_of(i.uses[n].count)});
            }
        }
        if (traits_[at].to_lds) {
            add({.by = at, .kind = fact_kind::to_lds, .mask = 1});
        }
    }

    void execute(uint32_t at, wave_state& wave) const {
        const wave_control control = graph_.code[at]->control;
        wave.may_index = control == wave_control::index_on ||
                         (wave.may_index && control != wave_control::index_off);
        wave.no_lanes = wave.no_lanes && !traits_[at].writes_exec;
    }

    template <class Check>
    void execute(uint32_t at, flow_state& state, Check&& check) const {
        check(at, state);
        std::erase_if(state.facts, [&](fact& f) { return !advance(f, at, state.wave); });
        start(at, state.wave, state.facts);
        execute(at, state.wave);
    }

    // Nothing is known behind a call.
    bool is_call(const flow_block& block) const {
        const instruction& last = *graph_.code[block.first + block.count - 1];
        return last.control == wave_control::call;
    }

    // Whether the state became another one.
    bool merge(uint32_t number, std::vector<fact> facts, bool may_index) {
        flow_state& to = states_[number];
        const size_t before = to.facts.size();
        const auto order = [](const fact& f) { return std::pair(f.key(), f.since); };
        facts.insert(facts.end(), to.facts.begin(), to.facts.end());
        std::ranges::sort(facts, {}, order);
        std::vector<fact> kept;
        uint64_t younger = 0;  // registers of this key
        for (fact& f : facts) {
            if (kept.empty() || kept.back().key() != f.key()) {
                younger = 0;
            }
            f.mask &= ~younger;
            younger |= f.mask;
            if (f.mask == 0) {
                continue;
            }
            if (!kept.empty() && order(kept.back()) == order(f)) {
                kept.back().mask |= f.mask;
            } else {
                kept.push_back(f);
            }
        }
        const auto is_same = [&](const fact& a, const fact& b) {
            return order(a) == order(b) && a.mask == b.mask;
        };
        const bool is_new = !to.is_reached || (may_index && !to.wave.may_index) ||
                            kept.size() != before || !std::ranges::equal(kept, to.facts, is_same);
        to.is_reached = true;
        to.wave.no_lanes = number % 2 != 0;
        to.wave.may_index |= may_index;
        fact_count_ += kept.size() - before;
        to.facts = std::move(kept);
        return is_new;
    }

    // False if there is too much to follow.
    bool find_states() {
        states_[0].is_reached = true;
        std::set<uint32_t> open{0};
        while (!open.empty()) {
            const uint32_t s = *open.begin();
            open.erase(open.begin());
            const flow_block& block = graph_.blocks[s / 2];
            flow_state state = states_[s];
            for (uint32_t n = 0; n < block.count; ++n) {
                execute(block.first + n, state, [](uint32_t, const flow_state&) {});
            }
            if (is_call(block)) {
                state = {};
            }
            for (const flow_edge& edge : block.next) {
                const auto to = state_behind(block, edge, state.wave.no_lanes);
                if (!to) {
                    continue;
                }
                std::vector<fact> facts = state.facts;
                if (edge.is_taken) {
                    std::erase_if(facts, [&](fact& f) { return !take_branch(f); });
                }
                if (merge(*to, std::move(facts), state.wave.may_index)) {
                    open.insert(*to);
                }
            }
            if (fact_count_ > max_facts) {
                add_decoding(*graph_.code[block.first],
                             "too many loads and results are in flight at once to follow them",
                             "a kernel that waits for its loads");
                return false;
            }
        }
        return true;
    }

    // ---- what is wrong ----

    struct violation {
        fact f;
        uint64_t mask = 0;  // registers for which it is one
        const hazard_row* row = nullptr;
        const hazard_use* second = nullptr;
        const register_use* use = nullptr;
        uint32_t missing = 0;
    };

    // Of the instruction against the fact.
    std::optional<violation> violation_of(const fact& f, uint32_t at,
                                          const wave_state& wave) const {
        const instruction& i = *graph_.code[at];
        const instruction& by = *graph_.code[f.by];
        const bool idle = is_idle(at, wave);
        if (f.kind == fact_kind::hazard) {
            return idle ? std::nullopt : broken(f, by, i, wave.may_index);
        }
        if (f.kind == fact_kind::to_lds) {
            const bool is_over = traits_[at].ends || (at == f.by && !idle);
            if (is_over && (f.flags & fact_flag::read) != 0) {
                return violation{.f = f, .mask = 1, .missing = 1};
            }
            return std::nullopt;
        }
        const register_use& loaded = by.uses[f.use];
        for (const register_use& use : i.uses) {
            // Instructions of one queue that is in order may follow each other.
            const bool follows = use.is_write && i.queue == by.queue && is_in_order(i.queue);
            const bool is_used = !idle || (use.is_write && use.first >= first_sgpr);
            if (follows || !is_used || !is_known(use.index, wave.may_index)) {
                continue;
            }
            const uint64_t mask = f.mask & common(loaded.first, loaded.count, use.first, use.count);
            if (mask != 0) {
                return violation{.f = f, .mask = mask, .use = &use, .missing = 64u - f.since};
            }
        }
        return std::nullopt;
    }

    std::optional<violation> broken(const fact& f, const instruction& by, const instruction& i,
                                    bool may_index) const {
        const hazard_plan& first = by.hazards;
        const hazard_plan& second = i.hazards;
        if ((first.concerned & second.second_kinds) == 0 ||
            first.reach[static_cast<size_t>(second.group)] <= f.since) {
            return std::nullopt;
        }
        const hazard_use& a = first.firsts[f.use];
        std::optional<violation> worst;
        for (const hazard_use& b : second.seconds) {
            const uint64_t mask =
                a.count == 0 ? 1 : f.mask & common(a.first, a.count, b.first, b.count);
            if (mask == 0 || !is_known(b.index, may_index)) {
                continue;
            }
            const hazard_row* row = broken_row(operand_of(by, a), operand_of(i, b), f.since,
                                               (f.flags & fact_flag::branched) != 0);
            const uint32_t missing = row == nullptr ? 0 : states_of(*row, by) - uint32_t{f.since};
            if (row != nullptr && (!worst || worst->missing < missing)) {
                worst =
                    violation{.f = f, .mask = mask, .row = row, .second = &b, .missing = missing};
            }
        }
        return worst;
    }

    static hazard_operand operand_of(const instruction& i, const hazard_use& use) {
        return {i, use, {use.first, use.count}};
    }

    void check_block(uint32_t number) {
        flow_state state = states_[number];
        const flow_block& block = graph_.blocks[number / 2];
        cures_.clear();
        for (uint32_t n = 0; n < block.count && state.is_reached; ++n) {
            execute(block.first + n, state,
                    [&](uint32_t at, const flow_state& s) { check(at, s); });
        }
    }

    // Whether wait states that an earlier instruction of the block needs in front of it are enough
    // here too: not where what started this is behind them.
    bool is_cured(const violation& v, uint32_t at) const {
        return v.row != nullptr && std::ranges::any_of(cures_, [&](const cure& c) {
                   const bool is_behind = v.f.by >= c.at && v.f.by < at;
                   return v.missing <= c.states && !is_behind;
               });
    }

    // Of each kind the one that lacks most, of those to which a path leads.
    void check(uint32_t at, const flow_state& state) {
        std::vector<violation> wrong[3];
        for (const fact& f : state.facts) {
            const auto found = violation_of(f, at, state.wave);
            if (found && !is_cured(*found, at)) {
                wrong[static_cast<size_t>(f.kind)].push_back(*found);
            }
        }
        for (auto& of_kind : wrong) {
            std::ranges::sort(of_kind, std::greater{}, [](const violation& v) {
                return std::tuple(v.missing, ~v.f.by, v.mask);
            });
            const auto v =
                std::ranges::find_if(of_kind, [&](violation& one) { return add(at, one); });
            if (v != of_kind.end() && v->row != nullptr) {
                cures_.push_back({at, v->missing});
            }
        }
    }

    // False if no path leads there whose branches agree; `v` is what one leads to.
    bool add(uint32_t at, violation& v) {
        auto path = path_to(at, v, true, true);
        if (!path && !is_undecided_) {
            path = path_to(at, v, true, false);
        }
        const bool is_in_doubt = !path && is_undecided_;
        if (!path && !is_in_doubt) {
            return false;
        }
        if (is_in_doubt) {
            path = path_to(at, v, false, true);
        }
        const instruction& i = *graph_.code[at];
        const instruction& by = *graph_.code[v.f.by];
        lint_finding found;
        found.at = &i;
        found.first = &by;
        found.path = path.value_or(std::vector<lint_step>{});
        if (v.f.kind == fact_kind::hazard) {
            found.kind = lint_kind::hazards;
            found.message = hazard_message(*v.row, operand_of(by, by.hazards.firsts[v.f.use]),
                                           operand_of(i, *v.second), v.f.since);
            found.cure =
                nops(v.missing) + " in front of it, where it is inline assembly; else " +
                (by.hazards.passes == 0 ? "a form of the code that has no such path"
                                        : "opus::settle(accumulator) in front of its first use");
        } else if (v.f.kind == fact_kind::load) {
            const uint32_t reg = static_cast<uint32_t>(std::countr_zero(v.mask));
            const register_use& loaded = by.uses[v.f.use];
            found.kind = lint_kind::waits;
            found.message = "wait: " + register_name({loaded.first + reg, 1}) +
                            (v.use->is_write ? " is overwritten" : " is read") +
                            " while the load that writes " +
                            register_name({loaded.first, loaded.count}) +
                            " is pending on a path (" + counter_name(by.queue) + ")";
            found.cure = "s_waitcnt " + std::string(counter_name(by.queue)) +
                         (is_in_order(by.queue) ? "(" + std::to_string(v.f.since) + ")" : "") +
                         " or less on that path";
        } else {
            found.kind = lint_kind::waits;
            if (reader_ != nullptr) {
                found.at = reader_;
            }
            found.message =
                "wait: LDS is read behind a barrier that was passed without waiting for the load "
                "to LDS, for which nothing waits on this path (vmcnt)";
            found.cure = "s_waitcnt vmcnt(0) in front of the barrier";
        }
        if (is_in_doubt) {
            found.message.insert(0, "on a path that may not exist: ");
        }
        result_.findings.push_back(std::move(found));
        return true;
    }

    static std::string nops(uint32_t states) {
        return states <= 16 ? "s_nop " + std::to_string(states - 1)
                            : "s_nop 15 and s_nop " + std::to_string(states - 17);
    }

    // ---- the path ----

    // The branches from the first instruction to this one on a path on which the fact becomes the
    // one that was found: the flow once more, of one register and with where it comes from. Of paths
    // whose branches agree, or of all; where it need not be exact, anything wrong of the same use.
    std::optional<std::vector<lint_step>> path_to(uint32_t at, violation& v, bool is_consistent,
                                                  bool is_exact) {
        struct node {
            fact f;
            uint32_t state = 0;
            bool is_taken = false;
            uint32_t parent = no_limit;
            const instruction* branch = nullptr;
            const instruction* reader = nullptr;
            known_masks known = {};
        };
        constexpr size_t max_nodes = 100000;
        reader_ = nullptr;
        fact first = v.f;
        first.since = 0;
        first.flags = 0;
        first.mask = is_exact ? v.mask & (~v.mask + 1) : v.mask;
        std::optional<violation> worst;
        size_t worst_node = 0;
        std::vector<node> nodes;
        std::set<std::tuple<uint32_t, uint8_t, uint8_t, uint64_t, known_masks>> seen;
        const uint32_t home = 2 * block_of(v.f.by);
        nodes.push_back({first, home});
        nodes.push_back({first, home + 1});
        for (size_t n = 0; n < nodes.size() && nodes.size() < max_nodes && !(is_exact && worst);
             ++n) {
            node here = nodes[n];
            const flow_block& block = graph_.blocks[here.state / 2];
            wave_state wave = states_[here.state].wave;
            bool lives = states_[here.state].is_reached;
            uint32_t k = block.first;
            for (; here.parent == no_limit && k <= v.f.by; ++k) {
                lives = lives && (k != v.f.by || is_started(first, wave));
                execute(k, wave);
                here.known.learn(*graph_.code[k]);
            }
            for (; k < block.first + block.count && lives; ++k) {
                const auto wrong = k == at ? violation_of(here.f, k, wave) : std::nullopt;
                const bool is_it = here.f.since <= v.f.since && here.f.flags == v.f.flags;
                if (wrong && (is_exact ? is_it : !worst || worst->missing < wrong->missing)) {
                    worst = wrong;
                    worst_node = n;
                    reader_ = here.reader;
                }
                const uint8_t flags = here.f.flags;
                lives = advance(here.f, k, wave);
                if ((here.f.flags & ~flags & fact_flag::read) != 0) {
                    here.reader = graph_.code[k];
                }
                execute(k, wave);
                here.known.learn(*graph_.code[k]);
            }
            if (!lives || is_call(block)) {
                continue;
            }
            const instruction* last = graph_.code[block.first + block.count - 1];
            for (const flow_edge& edge : block.next) {
                const auto to = state_behind(block, edge, wave.no_lanes);
                if (!to) {
                    continue;
                }
                node next{here.f,
                          *to,
                          edge.is_taken,
                          static_cast<uint32_t>(n),
                          block.next.size() > 1 || edge.is_taken ? last : nullptr,
                          here.reader,
                          is_consistent ? here.known : known_masks{}};
                if ((is_consistent && !wave.no_lanes && !next.known.may_go(*last, edge.is_taken)) ||
                    (edge.is_taken && !take_branch(next.f))) {
                    continue;
                }
                if (seen.emplace(*to, next.f.since, next.f.flags, next.f.mask, next.known).second) {
                    nodes.push_back(next);
                }
            }
        }
        is_undecided_ = is_consistent && !worst && nodes.size() >= max_nodes;
        if (!worst) {
            return std::nullopt;
        }
        v = *worst;
        std::vector<lint_step> path;
        for (size_t p = worst_node; p != no_limit; p = nodes[p].parent) {
            if (nodes[p].branch != nullptr) {
                path.push_back({nodes[p].branch, nodes[p].is_taken, start_of(nodes[p].state)});
            }
        }
        std::ranges::reverse(path);
        return path;
    }

    const instruction* start_of(uint32_t state) const {
        return graph_.code[graph_.blocks[state / 2].first];
    }

    uint32_t block_of(uint32_t at) const {
        const auto after = std::ranges::upper_bound(graph_.blocks, at, {}, &flow_block::first);
        return static_cast<uint32_t>(after - graph_.blocks.begin()) - 1;
    }

    // ---- scales ----

    void look_at_scales() {
        for (const instruction* i : graph_.code) {
            if (!i->problem.empty() || i->matrix == nullptr || !i->matrix->is_scaled) {
                continue;
            }
            for (const int number : {0, 1}) {
                const operand& source = scale_operand(*i, number);
                const bool is_constant = source.kind == operand_kind::constant;
                if (!is_scalar_scale(source) ||
                    (is_constant && is_read_as_meant(*i, number, source.value32))) {
                    continue;
                }
                lint_finding& found = result_.findings.emplace_back();
                found.kind = lint_kind::hazards;
                found.at = i;
                found.message = is_constant ? scale_message(*i, number, source.value32)
                                            : scale_message(*i, number, std::nullopt);
                found.cure = "the scale in a vector register (v_mov_b32), where clang 22 has it";
            }
        }
    }

    // ---- errata ----

    // v_pk_fma_f32 of gfx950 with the high half of one factor for both lanes (op_sel:[0,1,0]): the
    // hardware sometimes leaves the low lane's sum out (rocMLIR 2459). Whether [1,0,0] is affected
    // nobody says.
    static bool is_broken_fma(const instruction& i) {
        constexpr uint32_t factors = 3;
        const uint32_t low = i.op_sel & factors;
        return i.mnemonic == "v_pk_fma_f32" && i.target == gfx_target::gfx950 &&
               (low == 1 || low == 2) && (i.op_sel_hi & factors) == factors;
    }

    void look_for_errata() {
        for (const instruction* i : graph_.code) {
            if (!i->problem.empty() || !is_broken_fma(*i)) {
                continue;
            }
            lint_finding& found = result_.findings.emplace_back();
            found.kind = lint_kind::errata;
            found.at = i;
            found.message =
                "erratum: v_pk_fma_f32 with the high half of one factor for both lanes: gfx950 "
                "sometimes leaves out the sum of the low lane (rocMLIR 2459: op_sel:[0,1,0])";
            found.cure = "for gfx950 compile with -Xclang -target-feature -Xclang -packed-fp32-ops";
        }
    }

    // ---- what cannot be followed ----

    void add_decoding(const instruction& i, const std::string& message, const char* cure) {
        lint_finding& found = result_.findings.emplace_back();
        found.message = message;
        found.at = &i;
        found.cure = cure;
    }

    void look_for_unknown() {
        for (const instruction* i : graph_.code) {
            if (i->problem.empty()) {
                continue;
            }
            // LLVM prints operands that it calls invalid.
            if (i->text.starts_with(".long") || i->text.find("/*Invalid") != std::string::npos) {
                add_decoding(*i, i->problem, "code for this target");
            } else {
                result_.not_followed.push_back(at(*i) + " (" + i->problem + ")");
            }
        }
        for (const instruction* i : graph_.leaves_the_code) {
            add_decoding(*i, "what follows is outside of the code", "s_endpgm");
        }
        for (const instruction* i : graph_.not_followed) {
            result_.not_followed.push_back(at(*i) + (i->control == wave_control::indirect
                                                         ? " (an indirect branch)"
                                                         : " (a call)"));
        }
        const auto is_unknown = [](const instruction* i) {
            return i->control == wave_control::index_on || i->is(kind::movrels | kind::movreld);
        };
        for (const instruction* i : graph_.code) {
            if (is_unknown(i)) {
                result_.not_followed.push_back(at(*i) + " (registers by an index)");
            }
        }
    }

    std::string at(const instruction& i) const {
        const uint64_t entry = graph_.code.front()->address;
        const bool is_before = i.address < entry;
        return format("%s0x%llx ", is_before ? "-" : "+",
                      static_cast<unsigned long long>(is_before ? entry - i.address
                                                                : i.address - entry)) +
               i.text;
    }

    flow_graph graph_;
    std::vector<traits> traits_;
    std::vector<flow_state> states_;
    size_t fact_count_ = 0;
    lint_result result_;
    // Wait states that what was found in this block asks for, in front of an instruction.
    struct cure {
        uint32_t at;
        uint32_t states;
    };
    std::vector<cure> cures_;
    const instruction* reader_ = nullptr;  // of the path that path_to() has found last
    bool is_undecided_ = false;            // it has found none, and given up
};

}  // namespace

lint_result lint(program& code, uint64_t entry) {
    return linter(code, entry).run();
}

}  // namespace emu
