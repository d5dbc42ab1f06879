#include "launch/observers.hpp"

#include <mutex>
#include <optional>

#include "launch/products.hpp"

namespace emu {
namespace {

struct observers_of_group final : group_observer {
    std::optional<group_checks> checks;
    timeline_group_recorder* timeline = nullptr;
    const instruction_needs* needs = nullptr;  // nullptr: all of all instructions
};

// A profile, a timeline or what stops at a place looks as well.
struct all_observers {
    wave_checks* checks;
    profile_counts* profile;
    timeline_group_recorder* timeline;
    wave_stop* stop;

    bool before(wave& w, const instruction& i) const {
        if (stop != nullptr) {
            stop->note(w, i);
        }
        if (profile != nullptr) {
            profile->note(w, i);
        }
        if (timeline != nullptr) {
            timeline->note(w, i);
        }
        return checks != nullptr && checks->before(w, i);
    }
    void after(wave& w, const instruction& i) const { checks->after(w, i); }
};

// Who looks at a group of which only some is needed.
struct needed_observers : all_observers {
    needed_observers(const all_observers& all, const instruction_needs* of_group)
        : all_observers(all), needs(of_group) {}
    bool replaces(wave& w, const instruction& i) const {
        const instruction_needs::entry entry = needs->at(w.pc);
        // A profile and a stop want registers to be right.
        const bool leaves_out = profile == nullptr && stop == nullptr;
        if (entry.need == instruction_need::nothing && leaves_out) {
            w.pc += entry.bytes;
            if (timeline != nullptr) {
                timeline->note_left_out(w, i);
            }
            return true;
        }
        if (entry.need == instruction_need::access && leaves_out) {
            w.pc += entry.bytes;
            before(w, i);
            // What is not in memory is reported as ever.
            if (timeline != nullptr && !timeline->last_access_is_in(w)) {
                i.execute(w, i);
            }
            return true;
        }
        if (!is_product(i)) {
            return false;
        }
        w.pc += i.size;
        before(w, i);
        leave_out_product(w, i);
        return true;
    }
    const instruction_needs* needs;
};

struct observers_of_waves {
    group_checks* checks;
    profile_counts* profile;
    timeline_group_recorder* timeline;
    wave_stop* stop;

    all_observers all_of(wave& w) const {
        wave_checks* of_wave = checks == nullptr ? nullptr : &group_checks::of(w);
        return {of_wave, profile, timeline, stop};
    }
    void no_wave_runs(workgroup& group) const {
        if (checks != nullptr) {
            checks->no_wave_runs(group);
        }
    }
    void passes_barrier(workgroup& group) const {
        if (checks != nullptr) {
            checks->passes_barrier(group);
        }
    }
    void ends(workgroup& group) const {
        if (checks != nullptr) {
            checks->ends(group);
        }
        if (timeline != nullptr) {
            timeline->finish();
        }
    }
};

struct all_of_group : observers_of_waves {
    all_observers of(wave& w) const { return all_of(w); }
};

struct needed_of_group : observers_of_waves {
    const instruction_needs* needs;
    needed_observers of(wave& w) const { return {all_of(w), needs}; }
};
// Such a group executes few of its instructions.
constexpr uint64_t most_left_out = 8;

class runner final : public group_runner {
public:
    runner(profile_counts* profile, wave_stop* stop, std::shared_ptr<std::mutex> mutex)
        : profile_(profile), stop_(stop), mutex_(std::move(mutex)) {}
    ~runner() override {
        if (profile_ != nullptr) {
            const std::scoped_lock lock(*mutex_);
            profile_->add(counts_);
        }
    }

    group_progress run(workgroup& group, uint64_t limit, uint64_t& executed) override {
        auto* all = static_cast<observers_of_group*>(group.seen_by.get());
        group_checks* checks = all == nullptr || !all->checks ? nullptr : &*all->checks;
        timeline_group_recorder* timeline = all == nullptr ? nullptr : all->timeline;
        wave_stop* stop = stop_ != nullptr && stop_->concerns(group) ? stop_ : nullptr;
        profile_counts* counts = profile_ == nullptr ? nullptr : &counts_;
        const observers_of_waves observers{checks, counts, timeline, stop};
        if (all != nullptr && all->needs != nullptr) {
            return run_group(group, limit, needed_of_group{observers, all->needs}, executed,
                             most_left_out * group_quantum);
        }
        if (counts != nullptr || timeline != nullptr || stop != nullptr) {
            return run_group(group, limit, all_of_group{observers}, executed);
        }
        return checks != nullptr ? run_group(group, limit, *checks, executed)
                                 : run_group(group, limit, nobody_of_group(), executed);
    }

private:
    profile_counts* profile_;
    wave_stop* stop_;
    std::shared_ptr<std::mutex> mutex_;  // of *profile_
    profile_counts counts_;              // by this thread
};

}  // namespace

void look_at(workgroup& group, launch_checks& launch, timeline_group_recorder* timeline,
             std::unique_ptr<group_observer> finished, const instruction_needs* needs) {
    const bool checks = has_to_look(group.waves.front().checks);
    if (!checks && timeline == nullptr && needs == nullptr) {
        return;
    }
    auto all = std::make_unique<observers_of_group>();
    auto* before = static_cast<observers_of_group*>(finished.get());
    if (checks) {
        all->checks.emplace(group, launch,
                            before == nullptr || !before->checks ? nullptr : &*before->checks);
    }
    all->timeline = timeline;
    all->needs = needs;
    group.seen_by = std::move(all);
}

std::function<std::unique_ptr<group_runner>()> runners(profile_counts* profile, wave_stop* stop) {
    return [profile, stop, mutex = std::make_shared<std::mutex>()] {
        return std::make_unique<runner>(profile, stop, mutex);
    };
}

}  // namespace emu
