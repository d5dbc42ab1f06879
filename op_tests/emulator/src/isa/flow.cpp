#include "isa/flow.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace emu {
namespace {

struct successors {
    bool next = false;    // the instruction behind this one
    bool target = false;  // where it branches to
    bool is_call = false;
    bool is_unknown = false;
};

successors successors_of(const instruction& i) {
    // llvm.trap does not return (s_trap 3, the debugger's, does).
    const bool is_trap = i.control == wave_control::trap && i.simm16() == 2;
    if (i.text.starts_with(".long") || i.control == wave_control::end || is_trap) {
        return {};
    }
    switch (i.control) {
        case wave_control::jump:
            return {.target = true};
        case wave_control::branch:
            return {.next = true, .target = i.problem.empty()};
        case wave_control::indirect:
            return {.is_unknown = true};
        case wave_control::call:
            return {.next = true, .is_call = true};
        default:
            return {.next = true};
    }
}

uint64_t target_of(const instruction& i) {
    const int64_t dwords = static_cast<int16_t>(i.simm16());
    return i.address + i.size + static_cast<uint64_t>(dwords * 4);
}

class walker {
public:
    explicit walker(program& code) : code_(code) {}

    flow_graph walk(uint64_t entry) {
        const crash_guard guard;
        leaders_.insert(entry);
        std::vector<uint64_t> open{entry};
        while (!open.empty()) {
            const uint64_t at = open.back();
            open.pop_back();
            look_from(at, open);
        }
        make_blocks(entry);
        return std::move(graph_);
    }

private:
    bool is_inside(uint64_t pc) const { return pc - code_.base() < code_.bytes(); }

    // Up to where the instructions do not follow each other any more.
    void look_from(uint64_t pc, std::vector<uint64_t>& open) {
        while (seen_.insert({pc, nullptr}).second) {
            const instruction& i = code_.at(pc);
            seen_[pc] = &i;
            const successors s = successors_of(i);
            const uint64_t next = pc + i.size;
            if (s.target) {
                const uint64_t target = target_of(i);
                if (is_inside(target)) {
                    leaders_.insert(target);
                    open.push_back(target);
                } else {
                    graph_.leaves_the_code.push_back(&i);
                }
            }
            if (s.is_call || s.is_unknown) {
                graph_.not_followed.push_back(&i);
            }
            if (!s.next) {
                return;
            }
            if (!is_inside(next)) {
                if (!s.is_call) {  // which may not return
                    graph_.leaves_the_code.push_back(&i);
                }
                return;
            }
            if (s.target || s.is_call) {
                leaders_.insert(next);
            }
            pc = next;
        }
        leaders_.insert(pc);  // two ways lead here
    }

    void make_blocks(uint64_t entry) {
        std::vector<uint64_t> starts{entry};
        std::ranges::copy_if(leaders_, std::back_inserter(starts),
                             [&](uint64_t pc) { return pc != entry; });
        std::unordered_map<uint64_t, uint32_t> numbers;
        for (const uint64_t pc : starts) {
            numbers.emplace(pc, static_cast<uint32_t>(numbers.size()));
        }
        for (const uint64_t start : starts) {
            flow_block& block = graph_.blocks.emplace_back();
            block.first = static_cast<uint32_t>(graph_.code.size());
            for (uint64_t pc = start;;) {
                const instruction& i = *seen_.at(pc);
                graph_.code.push_back(&i);
                const successors s = successors_of(i);
                const uint64_t next = pc + i.size;
                if (s.target && is_inside(target_of(i))) {
                    block.next.push_back({numbers.at(target_of(i)), true});
                }
                if (!s.next || !is_inside(next)) {
                    break;
                }
                if (leaders_.contains(next)) {
                    block.next.push_back({numbers.at(next), false});
                    break;
                }
                pc = next;
            }
            block.count = static_cast<uint32_t>(graph_.code.size()) - block.first;
        }
    }

    program& code_;
    flow_graph graph_;
    std::unordered_map<uint64_t, const instruction*> seen_;
    std::set<uint64_t> leaders_;
};

}  // namespace

flow_graph follow(program& code, uint64_t entry) {
    return walker(code).walk(entry);
}

}  // namespace emu
