// Takes the waves and groups of a launch through its checks (list.hpp). What a check does not have is
// not called, and nothing of one that is off.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "checks/list.hpp"
#include "isa/instruction.hpp"

namespace emu {

namespace impl {

// What a check knows of the group and of the launch, while it is on.
template <class Check>
struct group_part {
    std::unique_ptr<typename Check::of_group> of_group;
};
template <class Check>
struct launch_part {
    std::unique_ptr<typename Check::of_launch> of_launch;
};

template <template <class> class Part, class... Check>
std::tuple<Part<Check>...> parts_of(std::tuple<Check...>*);
template <template <class> class Part>
using parts_of_all = decltype(parts_of<Part>(static_cast<all_checks*>(nullptr)));

template <class Check>
bool is_on(const wave& w) {
    return (w.checks & Check::bits) != 0;
}

}  // namespace impl

// What checks know of one launch.
class launch_checks {
public:
    launch_checks(uint32_t checks, std::array<uint32_t, 3> groups, uint32_t waves_of_group);

    // What `Check` does; nullptr where it is off.
    template <class Check>
    auto* part() {
        return std::get<impl::launch_part<Check>>(parts_).of_launch.get();
    }

private:
    impl::parts_of_all<impl::launch_part> parts_;
};

class wave_checks final : public observer {
public:
    explicit wave_checks(const wave& w);

    // As `nobody` (execution/step.hpp).
    bool before(wave& w, const instruction& i) {
        for_each(w, [&](auto& check) { check.each(w, i); });
        if (i.queue == memory_queue::none && !watches_) [[likely]] {
            return false;
        }
        return look(w, i);
    }
    void after(wave& w, const instruction& i);

    void lds(const lds_access& a) override;
    void memory(const memory_access& a) override;
    void buffer_range(const wave& w, const instruction& i, uint64_t on, uint64_t outside) override;
    void source_lane(const wave& w, const instruction& i, uint32_t reg, int lane,
                     int source) override;
    void wait(wave& w) override;
    void arrive(wave& w, const instruction& i) override;
    void branch(wave& w) override;

    template <class Check>
    Check& part() {
        return std::get<Check>(parts_);
    }

private:
    friend class group_checks;

    // Of those that are on.
    template <class F>
    [[gnu::always_inline]] void for_each(const wave& w, F&& f) {
        std::apply(
            [&](auto&... check) {
                ((impl::is_on<std::remove_reference_t<decltype(check)>>(w) ? f(check) : void()),
                 ...);
            },
            parts_);
    }
    bool look(wave& w, const instruction& i);
    void note_watching(const wave& w);

    all_checks parts_;
    bool watches_ = true;  // one of them may do so
    bool has_after_ = false;
};

// What `Check` knows of the wave; nullptr where it is not looked at.
template <class Check>
Check* part_of(const wave& w) {
    return w.seen_by == nullptr ? nullptr : &static_cast<wave_checks*>(w.seen_by)->part<Check>();
}

// Of the checks of the group's waves, which it looks at while it lives.
class group_checks {
    template <class Check>
    using part = impl::group_part<Check>;

public:
    // With the memory of those of a group that has finished, if there are any.
    group_checks(workgroup& group, launch_checks& launch, group_checks* finished);

    // As `nobody_of_group` (execution/run_group.hpp).
    static wave_checks& of(wave& w) { return static_cast<wave_checks&>(*w.seen_by); }
    void no_wave_runs(workgroup& group);
    void passes_barrier(workgroup& group);
    void ends(workgroup& group);

private:
    impl::parts_of_all<impl::group_part> parts_;
    std::vector<wave_checks> waves_;
};

// True if one of the checks has to look at waves.
bool has_to_look(uint32_t checks);

// The launch of this kernel is over.
void end_launch(uint32_t checks, program& code, const std::string& kernel);

}  // namespace emu
