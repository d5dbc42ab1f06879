#include "machine/scheduler.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "checks/error.hpp"
#include "isa/decode.hpp"
#include "machine/step.hpp"
#include "timeline/recorder.hpp"

namespace emu {

namespace {

// Instructions that a wave executes before the next wave of its group has its turn.
constexpr uint64_t wave_quantum = 2048;
// Instructions after which a group has to let others run. Long enough that changing the group,
// which refills the caches with its registers, is noise; short enough that a grid-wide barrier of
// a few hundred groups is reached in a second or so.
constexpr uint64_t group_quantum = 65536;

enum class progress { finished, preempted };

[[noreturn]] void fail_limit(const wave& w, program& code) {
    fail_at(w, w.pc, code.at(w.pc).text,
            "endless loop? The wave has executed " + std::to_string(w.instructions) +
                " instructions and goes on (OPUS_EMU_LIMIT)");
}

// Looks at the instructions of one group.
struct observer {
    profile_counts* profile;            // nullptr: they are not counted
    timeline_group_recorder* timeline;  // nullptr: they are not recorded
    void note(const wave& w, const instruction& i) const {
        if (profile != nullptr) {
            profile->note(w, i);
        }
        if (timeline != nullptr) {
            timeline->note(w, i);
        }
    }
};

// `seen_by` is an observer or nullptr_t.
template <class Observer>
uint64_t run_wave(wave& w, program& code, uint64_t limit, Observer seen_by) {
    const uint64_t quantum = std::min(wave_quantum, limit - w.instructions);
    uint64_t executed = 0;
    note_special(w);
    while (executed < quantum && w.status == wave_status::running) {
        const instruction& i = code.at(w.pc);
        if constexpr (!std::is_same_v<Observer, std::nullptr_t>) {
            seen_by.note(w, i);
        }
        step(w, i);
        ++executed;
    }
    w.instructions += executed;
    if (w.instructions == limit && w.status != wave_status::ended) [[unlikely]] {
        fail_limit(w, code);
    }
    return executed;
}

// A wave that has ended no longer counts for the barrier (ISA guide, S_BARRIER).
// @post all waves at the barrier are running again if no wave was running
void release_barrier(workgroup& group) {
    const auto runs = [](const wave& w) { return w.status == wave_status::running; };
    if (std::ranges::any_of(group.waves, runs)) {
        return;
    }
    for (wave& w : group.waves) {
        w.memory.pass_barrier();
        if (w.status == wave_status::at_barrier) {
            w.status = wave_status::running;
        }
    }
    if (group.shadow != nullptr) {
        group.shadow->pass_barrier(group);
    }
}

template <class Observer>
progress run_group(workgroup& group, uint64_t limit, Observer seen_by, uint64_t& executed) {
    executed = 0;
    const auto ended = [](const wave& w) { return w.status == wave_status::ended; };
    while (executed < group_quantum) {
        for (wave& w : group.waves) {
            executed += run_wave(w, *group.code, limit, seen_by);
        }
        if (std::ranges::all_of(group.waves, ended)) {
            return progress::finished;
        }
        release_barrier(group);
    }
    return progress::preempted;
}

// Groups of a dispatch that have not been started, and the work of one thread on them.
class group_queue {
public:
    explicit group_queue(const dispatch& work)
        : work_(work), count_(uint64_t{work.groups[0]} * work.groups[1] * work.groups[2]) {
        if (work.name != nullptr && ::isatty(STDERR_FILENO) == 1) {
            line_ = std::make_unique<progress_line>(*work.name, count_, work.progress);
        }
    }

    uint64_t count() const { return count_; }
    uint64_t instructions() const { return instructions_.load(); }

    void work(uint64_t max_resident) {
        if (work_.profile == nullptr) {
            work_with(max_resident, nullptr);
            return;
        }
        profile_counts counts;
        work_with(max_resident, &counts);
        const std::scoped_lock lock(profile_mutex_);
        work_.profile->add(counts);
    }

private:
    progress run_one(workgroup& group, profile_counts* profile, uint64_t& executed) const {
        if (profile == nullptr && group.timeline == nullptr) {
            return run_group(group, work_.instruction_limit, nullptr, executed);
        }
        return run_group(group, work_.instruction_limit, observer{profile, group.timeline},
                         executed);
    }

    void work_with(uint64_t max_resident, profile_counts* profile) {
        std::deque<std::unique_ptr<workgroup>> resident;
        for (;;) {
            // A new group goes first: after a preemption it is the one the others may wait for.
            if (resident.size() < max_resident) {
                if (auto group = next()) {
                    resident.push_front(std::move(group));
                }
            }
            if (resident.empty()) {
                break;
            }
            std::unique_ptr<workgroup> group = std::move(resident.front());
            resident.pop_front();
            uint64_t executed = 0;
            if (run_one(*group, profile, executed) == progress::preempted) {
                resident.push_back(std::move(group));
            } else {
                if (group->timeline != nullptr) {
                    group->timeline->finish();
                }
                done_.fetch_add(1, std::memory_order_relaxed);
            }
            instructions_.fetch_add(executed, std::memory_order_relaxed);
            if (line_ != nullptr) {
                line_->update(done_.load(std::memory_order_relaxed),
                              instructions_.load(std::memory_order_relaxed));
            }
        }
    }

    std::unique_ptr<workgroup> next() {
        const uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= count_) {
            next_.store(count_, std::memory_order_relaxed);
            return nullptr;
        }
        const uint64_t x = work_.groups[0];
        const uint64_t y = work_.groups[1];
        return work_.make_group({static_cast<uint32_t>(index % x),
                                 static_cast<uint32_t>(index / x % y),
                                 static_cast<uint32_t>(index / x / y)});
    }

    const dispatch& work_;
    uint64_t count_;
    std::atomic<uint64_t> next_{0};
    std::atomic<uint64_t> instructions_{0};
    std::atomic<uint64_t> done_{0};        // groups
    std::unique_ptr<progress_line> line_;  // nullptr: nothing is shown
    std::mutex profile_mutex_;
};

}  // namespace

unsigned worker_count() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const char* text = std::getenv("OPUS_EMU_THREADS");
    if (text == nullptr) {
        return cores;
    }
    char* end = nullptr;
    errno = 0;
    const unsigned long count = std::strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || count == 0 || count > 1024) {
        std::fprintf(stderr,
                     "opus emulator: OPUS_EMU_THREADS=%s is no number from 1 to 1024; using %u\n",
                     text, cores);
        return cores;
    }
    return static_cast<unsigned>(count);
}

uint64_t run(const dispatch& work) {
    group_queue queue(work);
    // The caller works too, and threads live for one dispatch only: a process that forks (death
    // tests do) or unloads this library has no thread of ours to lose, and a dispatch of one group
    // starts none.
    const uint64_t workers =
        std::min<uint64_t>(worker_count(), std::max<uint64_t>(1, queue.count()));
    const uint64_t resident = std::max<uint64_t>(1, (work.max_resident + workers - 1) / workers);
    std::vector<std::thread> threads;
    for (uint64_t n = 1; n < workers; ++n) {
        threads.emplace_back([&] { queue.work(resident); });
    }
    queue.work(resident);
    for (std::thread& t : threads) {
        t.join();
    }
    return queue.instructions();
}

}  // namespace emu
