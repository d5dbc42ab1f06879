#include "execution/scheduler.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <thread>
#include <vector>

#include "isa/accesses.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "machine/settings.hpp"

namespace emu {

namespace {

// Instructions that are looked at of a wave that is about to be called endless.
constexpr int loop_sample = 4096;

std::string offset_of(const wave& w, uint64_t pc) {
    char text[32];
    std::snprintf(text, sizeof text, "+0x%llx",
                  static_cast<unsigned long long>(pc - w.group->entry));
    return text;
}

// "\n  loads       8 bytes at 0x7f00, byte 0 of ..." of the first lane, for an instruction that is
// about to be executed; empty if it loads no memory.
std::string load_of(const wave& w, const instruction& i) {
    const access_plan& plan = i.access;
    if (plan.use != access_use::read || plan.kind == address_kind::none ||
        plan.kind == address_kind::scalar || plan.kind == address_kind::scratch) {
        return "";
    }
    const lane_accesses accesses = find_accesses(w, i, 0);
    if (accesses.lanes == 0) {
        return "";
    }
    const auto lane = static_cast<size_t>(std::countr_zero(accesses.lanes));
    const bool is_lds = plan.kind == address_kind::lds;
    char text[80];
    std::snprintf(text, sizeof text, "\n  loads       %s0x%llx", is_lds ? "LDS " : "",
                  static_cast<unsigned long long>(accesses.address[lane]));
    return text + (is_lds ? "" : ", " + name_of_byte(accesses.address[lane])) + ": " + i.text;
}

// What the wave goes on with: the addresses between which it stays, and what it loads there.
std::string describe_loop(wave& w, program& code) {
    uint64_t first = w.pc;
    uint64_t last = w.pc;
    std::map<uint64_t, std::string> loads;  // by the instruction's address
    for (int n = 0; n < loop_sample && w.status == wave_status::running; ++n) {
        const instruction& i = code.at(w.pc);
        first = std::min(first, w.pc);
        last = std::max(last, w.pc);
        const std::string load = load_of(w, i);
        if (!load.empty() && loads.size() < 4) {
            loads.emplace(w.pc, load);
        }
        step(w, i);
        if (w.status == wave_status::asleep) {
            w.status = wave_status::running;
        }
    }
    const std::string source = code.source_of_user(last);
    std::string text = "\n  loop        " + offset_of(w, first) + " to " + offset_of(w, last) +
                       (source.empty() ? "" : ", " + source);
    for (const auto& [pc, load] : loads) {
        text += load;
    }
    return text;
}

class lone_runner final : public group_runner {
public:
    group_progress run(workgroup& group, uint64_t limit, uint64_t& executed) override {
        return run_group(group, limit, nobody_of_group(), executed);
    }
};

// Groups of a dispatch that have not been started, and the work of one thread on them.
class group_queue {
public:
    explicit group_queue(const dispatch& work)
        : work_(work),
          count_(!work.numbers.empty()
                     ? work.numbers.size()
                     : std::min(work.first_groups,
                                uint64_t{work.groups[0]} * work.groups[1] * work.groups[2])) {
        if (work.name != nullptr && ::isatty(STDERR_FILENO) == 1) {
            line_ = std::make_unique<progress_line>(*work.name, count_, work.progress);
        }
    }

    uint64_t count() const { return count_; }
    uint64_t instructions() const { return instructions_.load(); }

    void work(uint64_t max_resident) {
        const std::unique_ptr<group_runner> runner =
            work_.make_runner ? work_.make_runner() : std::make_unique<lone_runner>();
        std::deque<std::unique_ptr<workgroup>> resident;
        recent_ranges ranges;  // of this thread: the next group uses what the last one did
        std::unique_ptr<workgroup> finished;
        for (;;) {
            // A new group goes first: after a preemption it is the one the others may wait for.
            if (resident.size() < max_resident) {
                if (auto group = next(finished)) {
                    resident.push_front(std::move(group));
                }
            }
            if (resident.empty() || (work_.trapped != nullptr && *work_.trapped) ||
                instructions() >= work_.most_instructions) {
                break;
            }
            std::unique_ptr<workgroup> group = std::move(resident.front());
            resident.pop_front();
            uint64_t executed = 0;
            group->ranges = ranges;
            group_progress how_far = group_progress::finished;
            try {
                how_far = runner->run(*group, work_.instruction_limit, executed);
            } catch (const kernel_trapped&) {
                break;
            }
            ranges = group->ranges;
            if (how_far == group_progress::preempted) {
                if (work_.note_preemption) {
                    work_.note_preemption(*group);
                }
                resident.push_back(std::move(group));
            } else {
                if (work_.note_end) {
                    work_.note_end(*group);
                }
                done_.fetch_add(1, std::memory_order_relaxed);
                finished = std::move(group);
            }
            instructions_.fetch_add(executed, std::memory_order_relaxed);
            if (line_ != nullptr) {
                line_->update(done_.load(std::memory_order_relaxed),
                              instructions_.load(std::memory_order_relaxed));
            }
        }
    }

private:
    std::unique_ptr<workgroup> next(std::unique_ptr<workgroup>& finished) {
        uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= count_) {
            next_.store(count_, std::memory_order_relaxed);
            return nullptr;
        }
        index = work_.numbers.empty() ? index : work_.numbers[index];
        const uint64_t x = work_.groups[0];
        const uint64_t y = work_.groups[1];
        return work_.make_group(
            {static_cast<uint32_t>(index % x), static_cast<uint32_t>(index / x % y),
             static_cast<uint32_t>(index / x / y)},
            std::move(finished));
    }

    const dispatch& work_;
    uint64_t count_;
    std::atomic<uint64_t> next_{0};
    std::atomic<uint64_t> instructions_{0};
    std::atomic<uint64_t> done_{0};        // groups
    std::unique_ptr<progress_line> line_;  // nullptr: nothing is shown
};

}  // namespace

void fail_limit(wave& w, program& code) {
    // What was seen of the wave is of no use any more.
    w.seen_by = nullptr;
    const uint64_t pc = w.pc;
    const std::string text = code.at(pc).text;
    const std::string message = "endless loop? The wave has executed " +
                                std::to_string(w.instructions) +
                                " instructions and goes on (OPUS_EMU_LIMIT)";
    fail_at(w, pc, text, message + describe_loop(w, code));
}

unsigned worker_count() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const char* text = std::getenv("OPUS_EMU_THREADS");
    if (text == nullptr) {
        return cores;
    }
    const std::optional<uint64_t> count = parse_number(text);
    if (!count || *count == 0 || *count > 1024) {
        std::fprintf(stderr,
                     "opus emulator: OPUS_EMU_THREADS=%s is no number from 1 to 1024; using %u\n",
                     text, cores);
        return cores;
    }
    return static_cast<unsigned>(*count);
}

uint64_t run(const dispatch& work) {
    group_queue queue(work);
    // The caller works too, and threads live for one dispatch only: a process that forks (death
    // tests do) or unloads this library has no thread of ours to lose, and a dispatch of one group
    // starts none.
    const uint64_t workers = std::min<uint64_t>(
        {worker_count(), std::max<uint64_t>(1, queue.count()), work.max_resident});
    const uint64_t resident = (work.max_resident + workers - 1) / workers;
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
