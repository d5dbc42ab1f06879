#include "checks/checks.hpp"

#include <array>
#include <bit>
#include <span>

#include "isa/decode.hpp"

namespace emu {
namespace {

template <class... Check>
constexpr size_t count_switches(std::tuple<Check...>*) {
    return (std::size(Check::switches) + ...);
}
constexpr size_t switch_count = count_switches(static_cast<all_checks*>(nullptr));

template <class... Check>
constexpr std::array<check_switch, switch_count> collect_switches(std::tuple<Check...>*) {
    std::array<check_switch, switch_count> all;
    size_t n = 0;
    const auto add = [&](const auto& switches) {
        for (const check_switch& s : switches) {
            all[n++] = s;
        }
    };
    (add(Check::switches), ...);
    return all;
}
constexpr auto switches = collect_switches(static_cast<all_checks*>(nullptr));

template <class... Check>
constexpr uint32_t bits_of_all(std::tuple<Check...>*) {
    return (Check::bits | ...);
}

constexpr bool have_bits_of_their_own() {
    uint32_t all = 0;
    for (const check_switch& s : switches) {
        if (!std::has_single_bit(s.bit) || (all & s.bit) != 0) {
            return false;
        }
        all |= s.bit;
    }
    return true;
}
static_assert(have_bits_of_their_own(), "each switch of a check needs a bit that no other one has");

// f(part) for what checks that are on know of the group.
template <class Parts, class F>
void for_each_part(Parts& parts, F&& f) {
    std::apply(
        [&](auto&... part) { ((part.of_group != nullptr ? f(*part.of_group) : void()), ...); },
        parts);
}

template <class Check>
void end_launch_of(uint32_t checks, program& code, const std::string& kernel) {
    if constexpr (requires { Check::end_launch(code, kernel); }) {
        if ((checks & Check::bits) != 0) {
            Check::end_launch(code, kernel);
        }
    }
}

template <class... Check>
void end_launch_of_all(std::tuple<Check...>*, uint32_t checks, program& code,
                       const std::string& kernel) {
    (end_launch_of<Check>(checks, code, kernel), ...);
}

}  // namespace

std::span<const check_switch> check_switches() {
    return switches;
}

// ---- waves ----

wave_checks::wave_checks(const wave& w) {
    for_each(w, [&]<class Check>(Check&) {
        has_after_ |= requires(Check& c, wave& any, const instruction& i) { c.after(any, i); };
        wants_buffer_range |= requires { &Check::buffer_range; };
        wants_source_lane |= requires { &Check::source_lane; };
    });
}

// What a memory instruction gives a check to watch for is seen when the next instruction is looked
// at: until then one of them may watch.
void wave_checks::note_watching(const wave& w) {
    watches_ = false;
    for_each(w, [&](auto& check) { watches_ |= check.watches(); });
}

bool wave_checks::look(wave& w, const instruction& i) {
    bool watches = i.queue != memory_queue::none;
    for_each(w, [&](auto& check) {
        check.look(w, i);
        watches |= check.watches();
    });
    watches_ = watches;
    return has_after_;
}

void wave_checks::after(wave& w, const instruction& i) {
    for_each(w, [&](auto& check) {
        if constexpr (requires { check.after(w, i); }) {
            check.after(w, i);
        }
    });
}

void wave_checks::lds(const lds_access& a) {
    for_each(a.w, [&](auto& check) { check.lds(a); });
}

void wave_checks::memory(const memory_access& a) {
    for_each(a.w, [&](auto& check) { check.memory(a); });
}

void wave_checks::buffer_range(const wave& w, const instruction& i, uint64_t on, uint64_t outside) {
    for_each(w, [&](auto& check) {
        if constexpr (requires { check.buffer_range(w, i, on, outside); }) {
            check.buffer_range(w, i, on, outside);
        }
    });
}

void wave_checks::source_lane(const wave& w, const instruction& i, uint32_t reg, int lane,
                              int source) {
    for_each(w, [&](auto& check) {
        if constexpr (requires { check.source_lane(w, i, reg, lane, source); }) {
            check.source_lane(w, i, reg, lane, source);
        }
    });
}

void wave_checks::wait(wave& w) {
    for_each(w, [&](auto& check) { check.wait(w); });
    note_watching(w);
}

void wave_checks::arrive(wave& w, const instruction& i) {
    for_each(w, [&](auto& check) { check.arrive(w, i); });
}

void wave_checks::branch(wave& w) {
    for_each(w, [&](auto& check) { check.branch(w); });
}

// ---- groups ----

namespace {

template <class Check>
auto make_of_group(workgroup& group, launch_checks& launch, impl::group_part<Check>* finished) {
    using of_group = typename Check::of_group;
    if constexpr (knows_launch<Check>) {
        return std::make_unique<of_group>(group, *launch.part<Check>());
    } else {
        return std::make_unique<of_group>(group,
                                          finished == nullptr ? nullptr : finished->of_group.get());
    }
}

}  // namespace

group_checks::group_checks(workgroup& group, launch_checks& launch, group_checks* finished) {
    waves_.reserve(group.waves.size());
    for (wave& w : group.waves) {
        wave_checks& seen_by = waves_.emplace_back(w);
        w.seen_by = &seen_by;
        seen_by.for_each(w, [&]<class Check>(Check& check) {
            if constexpr (knows_group<Check>) {
                auto& known = std::get<part<Check>>(parts_).of_group;
                if (known == nullptr) {
                    known = make_of_group<Check>(
                        group, launch,
                        finished == nullptr ? nullptr : &std::get<part<Check>>(finished->parts_));
                }
                check.group = known.get();
            }
            check.start(w);
        });
    }
}

void group_checks::no_wave_runs(workgroup& group) {
    for_each_part(parts_, [&](auto& of_group) {
        if constexpr (requires { of_group.no_wave_runs(group); }) {
            of_group.no_wave_runs(group);
        }
    });
}

void group_checks::passes_barrier(workgroup& group) {
    for_each_part(parts_, [&](auto& of_group) {
        if constexpr (requires { of_group.passes_barrier(group); }) {
            of_group.passes_barrier(group);
        }
    });
}

void group_checks::ends(workgroup& group) {
    for_each_part(parts_, [&](auto& of_group) {
        if constexpr (requires { of_group.ends(group); }) {
            of_group.ends(group);
        }
    });
}

// ---- launches ----

launch_checks::launch_checks(uint32_t checks, std::array<uint32_t, 3> groups,
                             uint32_t waves_of_group) {
    const auto make = [&]<class Check>(impl::launch_part<Check>& part) {
        if constexpr (knows_launch<Check>) {
            if ((checks & Check::bits) != 0) {
                part.of_launch =
                    std::make_unique<typename Check::of_launch>(groups, waves_of_group);
            }
        }
    };
    std::apply([&](auto&... part) { (make(part), ...); }, parts_);
}

bool has_to_look(uint32_t checks) {
    return (checks & bits_of_all(static_cast<all_checks*>(nullptr))) != 0;
}

void end_launch(uint32_t checks, program& code, const std::string& kernel) {
    end_launch_of_all(static_cast<all_checks*>(nullptr), checks, code, kernel);
}

}  // namespace emu
