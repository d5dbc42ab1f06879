#include "timeline/model.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <ranges>
#include <span>
#include <unordered_map>
#include <utility>

namespace emu {
namespace {

constexpr uint64_t never = ~uint64_t{0};
constexpr uint32_t register_total = 1152;  // register_use's numbering
constexpr uint32_t no_instruction = ~uint32_t{0};

uint64_t divided_up(uint64_t value, uint64_t by) {
    return (value + by - 1) / by;
}

// Appends it, or makes the last one longer.
void add_interval(std::vector<timeline_interval>& intervals, uint64_t start, uint64_t end) {
    if (!intervals.empty() && intervals.back().end == start) {
        intervals.back().end = end;
    } else {
        intervals.push_back({start, end});
    }
}

// Bytes by their direction.
struct traffic {
    uint64_t read = 0;
    uint64_t written = 0;
    traffic& operator+=(const traffic& other) {
        read += other.read;
        written += other.written;
        return *this;
    }
};

// What bytes pass through one after the other; Clocks(bytes) is how long they take. Rounded once
// for all that are served without a gap.
template <class Bytes>
class queue_of {
public:
    // Returns when the bytes are through.
    template <class Clocks>
    uint64_t serve(uint64_t at, const Bytes& bytes, Clocks&& clocks) {
        if (at >= free_) {
            start_ = at;
            bytes_ = {};
        }
        bytes_ += bytes;
        total_ += bytes;
        free_ = start_ + clocks(bytes_);
        return free_;
    }
    const Bytes& total() const { return total_; }

private:
    uint64_t start_ = 0;
    Bytes bytes_{};
    uint64_t free_ = 0;
    Bytes total_{};
};
using byte_queue = queue_of<uint64_t>;

// Lines that a cache holds; those that were not used for the longest time make room.
class cache {
public:
    struct line {
        uint64_t ready = 0;  // when its data are there
        uint64_t alone = 0;  // memory_time::alone of that
        timeline_level from = timeline_level::l1;
        bool is_dirty = false;
        uint64_t bytes = 0;  // of the unit's part of the cache
    };

    explicit cache(uint64_t bytes) : capacity_(bytes) {}

    // nullptr if it is not there. What does not stay is not the last one that was used.
    line* find(uint64_t number, bool stays = true) {
        const auto found = places_.find(number);
        if (found == places_.end()) {
            return nullptr;
        }
        if (stays) {
            order_.splice(order_.begin(), order_, found->second);
        }
        return &found->second->second;
    }
    // @pre it is not there
    // @post it is there, also where there is too little room for it; what does not stay is the first
    //       to make room
    line& add(uint64_t number, uint64_t bytes, bool stays = true) {
        while (!order_.empty() && used_ + bytes > capacity_) {
            used_ -= order_.back().second.bytes;
            places_.erase(order_.back().first);
            order_.pop_back();
        }
        used_ += bytes;
        const auto place =
            order_.emplace(stays ? order_.begin() : order_.end(), number, line{.bytes = bytes});
        places_.emplace(number, place);
        return place->second;
    }

private:
    using entries = std::pmr::list<std::pair<uint64_t, line>>;
    std::pmr::unsynchronized_pool_resource memory_;  // lines come and go
    uint64_t capacity_;
    uint64_t used_ = 0;
    entries order_{&memory_};  // the last one that was used first
    std::pmr::unordered_map<uint64_t, entries::iterator> places_{&memory_};
};

// Lines of code, of two compute units that run the same.
class instruction_cache {
public:
    explicit instruction_cache(const timeline_parameters& p)
        : p_(p), lines_(p.icache_bytes), room_(p.icache_bytes / p.icache_line_bytes) {}

    uint64_t line_of(const timeline_instruction& i) const {
        return (i.address + i.bytes - 1) / p_.icache_line_bytes;
    }
    // A wave comes to the line. Returns when it is there.
    uint64_t fetch(uint64_t line, uint64_t at) {
        if (p_.icache_miss_clocks == 0) {
            return at;
        }
        for (uint64_t n = p_.fetch_ahead_lines; n > 0; --n) {
            ask_for(line + n, at);
        }
        return ask_for(line, at);
    }

private:
    uint64_t ask_for(uint64_t line, uint64_t at) {
        if (const cache::line* found = lines_.find(line)) {
            return found->ready;
        }
        cache::line& there = lines_.add(line, p_.icache_line_bytes);
        if (room_ == 0) {
            there.ready = at + p_.icache_miss_clocks;
        } else {
            --room_;  // from before the launch
        }
        return there.ready;
    }

    const timeline_parameters& p_;
    cache lines_;
    uint64_t room_;
};

// When a vector memory instruction is complete, and when it would be if nothing had been before it.
struct memory_time {
    uint64_t complete = 0;
    uint64_t alone = 0;
    timeline_level level = timeline_level::l1;  // that it waits for

    // Not before the other one.
    void wait_for(const memory_time& other) {
        level = other.complete > complete ? other.level : level;
        complete = std::max(complete, other.complete);
        alone = std::max(alone, other.alone);
    }
};

// L1 of the compute unit and what is behind it, of which the unit has its share.
class vector_memory {
public:
    explicit vector_memory(const timeline_parameters& p)
        : p_(p),
          l1_(p.l1_bytes),
          l2_(uint64_t{p.l2_bytes} * p.dies / p.compute_units),
          mall_(uint64_t{p.mall_bytes} / p.compute_units),
          waiting_(p.vmem_queue),
          outstanding_(p.outstanding_lines) {}

    // When an instruction can be issued: as many as the queue holds wait for L1, and the data of a
    // store leave the registers behind those of the last one.
    uint64_t ready_for(const timeline_instruction& i) const {
        return std::max(waiting_[next_waiting_].complete, i.writes ? store_free_ : 0);
    }
    timeline_level waits_for() const { return waiting_[next_waiting_].level; }

    // The launch before has left these lines, written back.
    void leave(const timeline_instruction& i, const timeline_line& line, bool in_l2, bool in_mall) {
        policy_ = i.policy;
        if (in_l2 && policy_.in_l2 && l2_.find(line.number, policy_.stays_in_l2) == nullptr) {
            l2_.add(line.number, part_of_die(line), policy_.stays_in_l2);
        }
        if (in_mall && policy_.stays_in_mall && mall_.find(line.number) == nullptr) {
            mall_.add(line.number, part_of_device(line));
        }
    }

    // `channels`: what all units of the die ask for, nullptr if that is not known.
    memory_time run(uint64_t at, const timeline_instruction& i, const timeline_access& access,
                    const timeline_line* lines, const timeline_channels* channels) {
        const uint64_t rate = i.writes ? p_.store_bytes_per_clock : p_.l1_bytes_per_clock;
        uint64_t by_lines = 0;
        for (uint32_t n = 0; n < access.lines; ++n) {
            by_lines += divided_up(lines[n].bytes, rate);
        }
        const uint64_t clocks =
            std::max({uint64_t{p_.vmem_issue_clocks}, by_lines, divided_up(access.bytes, rate),
                      divided_up(access.bytes, p_.vmem_bytes_per_clock)});
        if (i.writes) {
            store_free_ = at + divided_up(access.bytes, p_.store_bytes_per_clock);
        }
        const uint64_t start = std::max(at, l1_free_);
        l1_free_ = start + clocks;
        l1_clocks_ += clocks;
        own_ = {};
        policy_ = i.policy;
        pass_channels(start, i.writes, access, lines, channels);
        memory_time done{l1_free_, 0, timeline_level::l1};
        uint64_t latency = 0;
        l1_level_ = timeline_level::l1;
        for (uint32_t n = 0; n < access.lines; ++n) {
            const line_time time = i.writes ? store(lines[n], start) : load(lines[n], start);
            done.wait_for({std::max(l1_free_, time.passed) + time.latency, 0, time.level});
            done.wait_for({time.not_before, time.alone, time.level});
            latency = std::max(latency, time.latency);
        }
        waiting_[next_waiting_] = {l1_free_, 0, l1_level_};
        next_waiting_ = (next_waiting_ + 1) % waiting_.size();
        const uint64_t own = std::max({clocks, l2_clocks(own_.l2), mall_share_clocks(p_, own_.mall),
                                       hbm_share_clocks(p_, own_.hbm.read, own_.hbm.written)});
        done.alone = std::max(done.alone, at + own + latency);
        return done;
    }
    uint64_t moved_bytes() const { return own_.moved; }  // by the last instruction

    // What all instructions together have needed.
    void add_totals(timeline_result& to) const {
        to.l1_clocks = l1_clocks_;
        for (const byte_queue& queue : channel_queues_) {
            to.l2_channel_clocks = std::max(to.l2_channel_clocks, channel_clocks(queue.total()));
        }
        to.loads = loads_;
        to.hits = hits_;
        to.l2_bytes = l2_queue_.total();
        to.mall_bytes = mall_queue_.total();
        to.hbm_read_bytes = hbm_queue_.total().read;
        to.hbm_written_bytes = hbm_queue_.total().written;
    }

private:
    struct line_time {
        uint64_t passed = 0;  // the bandwidth of all levels
        uint64_t latency = 0;
        uint64_t not_before = 0;  // on its way already
        uint64_t alone = 0;       // the same if nothing had been before it
        timeline_level level = timeline_level::l1;
    };

    // Whether a level has the line that a load asks it for.
    bool has(timeline_level level, const cache::line* line) {
        ++loads_[static_cast<size_t>(level)];
        hits_[static_cast<size_t>(level)] += line != nullptr;
        return line != nullptr;
    }

    // All units of the die ask for the like of this at the same time: each channel serves them one
    // after the other, and so the unit has its lines when all have theirs.
    void pass_channels(uint64_t at, bool writes, const timeline_access& access,
                       const timeline_line* lines, const timeline_channels* channels) {
        channels_passed_ = {};
        if (channels == nullptr || !policy_.in_l2) {
            return;
        }
        uint64_t bytes = 0;  // that the unit's own lines have in L2
        for (uint32_t n = 0; n < access.lines; ++n) {
            if (writes) {
                bytes += lines[n].bytes;
            } else if (!policy_.in_l1 || l1_.find(lines[n].number) == nullptr) {
                bytes += p_.line_bytes;
            }
        }
        for (size_t c = 0; c < p_.l2_channels; ++c) {
            const uint64_t of_all = divided_up((*channels)[c] * bytes, access.lines);
            channels_passed_[c] =
                channel_queues_[c].serve(at, of_all, [&](uint64_t b) { return channel_clocks(b); });
        }
    }
    uint64_t channel_clocks(uint64_t bytes) const {
        return divided_up(bytes * p_.l2_channels, p_.l2_bytes_per_clock);
    }
    uint64_t pass_l2(uint64_t at, uint64_t line, uint64_t bytes) {
        own_.l2 += bytes;
        return std::max(l2_queue_.serve(at, bytes, [&](uint64_t b) { return l2_clocks(b); }),
                        channels_passed_[l2_channel_of(p_, line)]);
    }
    // A compute unit takes no more than its L1 does.
    uint64_t l2_clocks(uint64_t bytes) const {
        return std::max(l2_share_clocks(p_, bytes), divided_up(bytes, p_.l1_bytes_per_clock));
    }
    uint64_t pass_mall(uint64_t at, uint64_t bytes) {
        own_.mall += bytes;
        return mall_queue_.serve(at, bytes, [&](uint64_t b) { return mall_share_clocks(p_, b); });
    }
    uint64_t pass_hbm(uint64_t at, const traffic& bytes) {
        own_.hbm += bytes;
        return hbm_queue_.serve(
            at, bytes, [&](const traffic& t) { return hbm_share_clocks(p_, t.read, t.written); });
    }

    // A unit's part of a line that others use at the same time: what it takes of the cache and of
    // the bandwidth behind it.
    // Of what L2 or the Infinity Cache does not keep each pays itself.
    uint64_t part_of_die(const timeline_line& line) const {
        return divided_up(p_.line_bytes, policy_.in_l2 ? line.share.units : 1);
    }
    uint64_t part_of_device(const timeline_line& line) const {
        const uint32_t units = policy_.in_l2 ? line.share.units : 1;
        return divided_up(p_.line_bytes, policy_.stays_in_mall
                                             ? uint64_t{line.share.units} * line.share.fills
                                             : units);
    }

    line_time load(const timeline_line& line, uint64_t at) {
        const cache::line* found = policy_.in_l1 ? l1_.find(line.number) : nullptr;
        if (policy_.in_l1 && has(timeline_level::l1, found)) {
            const bool is_coming = found->ready > at + p_.l1_latency;
            return {at, p_.l1_latency, found->ready, found->alone,
                    is_coming ? found->from : timeline_level::l1};
        }
        own_.moved += p_.line_bytes;
        const memory_time& oldest = outstanding_[next_outstanding_];
        const uint64_t start = std::max(at, oldest.complete);
        if (start > l1_free_) {
            l1_free_ = start;
            l1_level_ = oldest.level;
        }
        const line_time time = load_from_l2(line, start);
        const uint64_t ready =
            std::max(std::max(l1_free_, time.passed) + time.latency, time.not_before);
        if (policy_.in_l1) {
            cache::line& there = l1_.add(line.number, p_.line_bytes);
            there.ready = ready;
            there.alone = std::max(at + time.latency, time.alone);
            there.from = time.level;
        }
        outstanding_[next_outstanding_] = {ready, 0, time.level};
        next_outstanding_ = (next_outstanding_ + 1) % outstanding_.size();
        return time;
    }

    line_time load_from_l2(const timeline_line& line, uint64_t at) {
        uint64_t passed = at;
        cache::line* in_l2 = nullptr;
        if (policy_.in_l2) {
            passed = pass_l2(at, line.number, p_.line_bytes);
            in_l2 = l2_.find(line.number, policy_.stays_in_l2);
        }
        if (policy_.in_l2 && has(timeline_level::l2, in_l2)) {
            const bool is_coming = in_l2->ready > passed + p_.l2_latency;
            return {passed, p_.l2_latency, in_l2->ready, in_l2->alone,
                    is_coming ? in_l2->from : timeline_level::l2};
        }
        passed = std::max(passed, pass_mall(at, part_of_die(line)));
        line_time time{passed, clocks_of_ns(p_, p_.mall_latency_ns), 0, 0, timeline_level::mall};
        const cache::line* found = mall_.find(line.number, policy_.stays_in_mall);
        if (has(timeline_level::mall, found)) {
            time.not_before = found->ready;
            time.alone = found->alone;
        } else {
            time.level = timeline_level::hbm;
            time.passed = std::max(passed, pass_hbm(at, {part_of_device(line), 0}));
            time.latency = clocks_of_ns(p_, p_.hbm_latency_ns);
            if (policy_.stays_in_mall) {
                cache::line& there = mall_.add(line.number, part_of_device(line));
                there.ready = time.passed + time.latency;
                there.alone = at + time.latency;
            }
        }
        if (!policy_.in_l2) {
            return time;
        }
        cache::line& there = l2_.add(line.number, part_of_die(line), policy_.stays_in_l2);
        there.ready = std::max(time.passed + time.latency, time.not_before);
        there.alone = std::max(at + time.latency, time.alone);
        there.from = time.level;
        return time;
    }

    // Through L1 into L2; a line goes to memory once.
    line_time store(const timeline_line& line, uint64_t at) {
        uint64_t passed = at;
        bool is_dirty = false;
        if (policy_.in_l2) {
            passed = pass_l2(at, line.number, line.bytes);
            cache::line* found = l2_.find(line.number, policy_.stays_in_l2);
            if (found == nullptr) {
                found = &l2_.add(line.number, part_of_die(line), policy_.stays_in_l2);
            }
            is_dirty = std::exchange(found->is_dirty, true);
        }
        if (!is_dirty) {
            own_.moved += p_.line_bytes;
            passed = std::max(passed, pass_mall(at, part_of_die(line)));
            passed = std::max(passed, pass_hbm(at, {0, part_of_device(line)}));
            if (policy_.stays_in_mall && mall_.find(line.number) == nullptr) {
                mall_.add(line.number, part_of_device(line));
            }
        }
        return {passed, p_.l2_latency, 0, 0, is_dirty ? timeline_level::l2 : timeline_level::hbm};
    }

    const timeline_parameters& p_;
    cache l1_;
    cache l2_;
    cache mall_;
    std::vector<memory_time> waiting_;  // when L1 is through with the last instructions
    size_t next_waiting_ = 0;           // the oldest of them
    uint64_t store_free_ = 0;
    std::vector<memory_time> outstanding_;  // when the last lines that missed L1 are there
    size_t next_outstanding_ = 0;           // the oldest of them
    uint64_t l1_free_ = 0;
    timeline_level l1_level_ = timeline_level::l1;  // that it stands still for
    timeline_levels loads_{};
    timeline_levels hits_{};
    uint64_t l1_clocks_ = 0;
    byte_queue l2_queue_;
    std::array<byte_queue, timeline_most_channels> channel_queues_{};
    std::array<uint64_t, timeline_most_channels> channels_passed_{};  // of one instruction
    byte_queue mall_queue_;
    queue_of<traffic> hbm_queue_;
    struct levels {
        uint64_t l2 = 0;
        uint64_t mall = 0;
        traffic hbm;
        uint64_t moved = 0;
    };
    levels own_;              // bytes of one instruction
    timeline_policy policy_;  // of it
};

// Memory instructions that one of a wave's counters counts.
class counter {
public:
    void add(const memory_time& e) {
        entries_.push_back(e);
        last_.wait_for(e);
    }
    // The one whose completion leaves no more than `count`; of time 0 if that is so at `now`.
    memory_time leaving(size_t count, uint64_t now) {
        if (entries_.size() > count) {
            std::erase_if(entries_, [&](const memory_time& e) { return e.complete <= now; });
        }
        if (entries_.size() <= count) {
            return {};
        }
        sorted_ = entries_;
        const auto wanted = sorted_.end() - 1 - static_cast<std::ptrdiff_t>(count);
        std::ranges::nth_element(sorted_, wanted, {}, &memory_time::complete);
        return *wanted;
    }
    // The latest times so far.
    const memory_time& last() const { return last_; }

private:
    std::vector<memory_time> entries_;
    std::vector<memory_time> sorted_;
    memory_time last_;
};
constexpr size_t most_of_vmcnt = 63;
constexpr size_t most_of_lgkmcnt = 15;

// What is known of a register.
struct register_state {
    uint64_t ready = 0;
    uint64_t matrix_issue = 0;  // of the matrix instruction that wrote it last
    uint32_t matrix = no_instruction;
    uint64_t free_of_c = 0;  // when a vector instruction may overwrite it
};

struct group_state {
    uint32_t running = 0;  // waves that have not ended
    uint32_t arrived = 0;  // of them, at the barrier
    size_t place = 0;      // number of the wave whose SIMD the first one has
    uint64_t end = 0;      // of those that have
};

struct wave_state {
    const timeline_wave* record = nullptr;
    timeline_wave_result* result = nullptr;
    size_t group = 0;
    size_t simd = 0;
    size_t next = 0;  // in record->instructions
    size_t next_access = 0;
    size_t next_line = 0;
    size_t next_channels = 0;
    uint64_t code_line = never;  // that has been fetched
    uint32_t priority = 0;
    bool at_barrier = false;
    bool has_ended = false;
    uint64_t ready = 0;  // when the next instruction depends on nothing of its own
    timeline_cause cause = timeline_cause::dependency;
    uint64_t bandwidth = 0;                     // clocks before `ready` that are for bandwidth
    timeline_level level = timeline_level::l1;  // of memory that it waits for
    uint64_t blocked_until = 0;                 // the unit of the next instruction is taken
    uint64_t accounted = 0;                     // the wave's time has slices up to here
    timeline_cause blocked_by = timeline_cause::issue;
    counter vm;
    counter lgkm;
    std::vector<register_state> registers{register_total};
};

class simulation {
public:
    simulation(const timeline_record& record, const timeline_parameters& p, size_t groups)
        : record_(record), p_(p), code_(p), memory_(p), groups_(groups) {
        size_t waves = 0;
        for (size_t g = 0; g < groups; ++g) {
            waves += record.groups[g].waves.size();
        }
        result_.costs.resize(record.instructions.size());
        result_.waves.resize(waves);
        waves_.resize(waves);
        if (record.is_warm_l2 || record.is_warm_mall) {
            for (size_t g = 0; g < groups; ++g) {
                std::ranges::for_each(record.groups[g].waves,
                                      [&](const timeline_wave& w) { warm(w); });
            }
        }
        while (next_group_ < std::min(groups, record.at_a_time())) {
            start_group(next_wave_, next_group_ * dispatch_clocks(record, p));
        }
    }

    timeline_result run() {
        for (;;) {
            const auto simd = std::ranges::min_element(simds_, {}, &simd_state::next_turn);
            if (simd->next_turn == never) {
                break;
            }
            turn(static_cast<size_t>(simd - simds_.begin()));
        }
        finish();
        return std::move(result_);
    }

private:
    struct simd_state {
        std::vector<size_t> waves;  // by priority, of equals the oldest first
        bool has_changed = false;   // a priority, or a wave has ended
        uint64_t next_turn = never;
        uint64_t valu_free = 0;
        uint64_t matrix_free = 0;
    };

    // What the wave of the launch before has left.
    void warm(const timeline_wave& wave) {
        const auto leave = [&](uint32_t index, std::span<const timeline_line> lines) {
            const timeline_instruction& i = record_.instructions[index];
            for (const timeline_line& line : lines) {
                if (i.unit == timeline_unit::vmem) {
                    memory_.leave(i, line, record_.is_warm_l2, record_.is_warm_mall);
                }
            }
        };
        for_each_access(record_.instructions, wave, leave);
    }

    // The next group has room from `clock` on, with its first wave where that of number `place` was.
    void start_group(size_t place, uint64_t clock) {
        const size_t g = next_group_++;
        const size_t waves = record_.groups[g].waves.size();
        groups_[g].place = place;
        groups_[g].running = static_cast<uint32_t>(waves);
        for (size_t k = 0; k < waves; ++k) {
            start_wave(next_wave_++, g, k, (place + k) % timeline_simds, clock);
        }
    }

    void start_wave(size_t n, size_t group, size_t wave, size_t simd, uint64_t clock) {
        wave_state& w = waves_[n];
        w.record = &record_.groups[group].waves[wave];
        w.result = &result_.waves[n];
        w.group = group;
        w.simd = simd;
        w.ready = w.accounted = at_turn(w.simd, clock);
        w.result->group = record_.groups[group].number;
        w.result->wave = static_cast<uint32_t>(wave);
        w.result->simd = static_cast<uint32_t>(w.simd);
        w.result->start = w.accounted;
        started_.push_back(n);
        w.code_line = code_.line_of(next_of(w));
        w.ready = std::max(w.ready, code_.fetch(w.code_line, w.accounted));
        w.cause = timeline_cause::fetch;
        wake(w.simd, w.ready);
    }

    // They are the youngest ones, of no priority.
    void add_started() {
        for (const size_t n : started_) {
            simds_[waves_[n].simd].waves.push_back(n);
        }
        started_.clear();
    }

    // The first turn of the SIMD that is not before `clock`.
    uint64_t at_turn(size_t simd, uint64_t clock) const {
        const uint64_t phase = simd % p_.issue_clocks;
        const uint64_t turns = clock <= phase ? 0 : divided_up(clock - phase, p_.issue_clocks);
        return phase + turns * p_.issue_clocks;
    }

    void wake(size_t simd, uint64_t clock) {
        simd_state& s = simds_[simd];
        s.next_turn = std::min(s.next_turn, at_turn(simd, std::max(clock, now_)));
    }

    const timeline_instruction& next_of(const wave_state& w) const {
        return record_.instructions[w.record->instructions[w.next]];
    }

    void turn(size_t simd) {
        simd_state& s = simds_[simd];
        now_ = s.next_turn;
        uint32_t taken = 0;  // units
        uint32_t issued = 0;
        s.next_turn = never;
        for (const size_t n : s.waves) {
            wave_state& w = waves_[n];
            if (w.has_ended || w.at_barrier || w.ready > now_) {
                continue;
            }
            const timeline_instruction& i = next_of(w);
            account(w);
            const bool is_free = i.unit == timeline_unit::valu && p_.valu_clocks == 0;
            const bool needs_unit = i.unit != timeline_unit::none && !is_free;
            const timeline_unit port = i.unit == timeline_unit::mfma ? timeline_unit::valu : i.unit;
            const uint32_t bit = 1u << static_cast<uint32_t>(port);
            if (needs_unit && ((taken & bit) != 0 || issued == p_.issue_instructions)) {
                w.blocked_by = timeline_cause::issue;
                w.blocked_until = now_ + 1;
                continue;
            }
            if (is_blocked(s, w, i)) {
                continue;
            }
            if (needs_unit) {
                taken |= bit;
                ++issued;
            }
            issue(s, w, i);
        }
        add_started();
        if (std::exchange(s.has_changed, false)) {
            std::erase_if(s.waves, [&](size_t n) { return waves_[n].has_ended; });
            std::ranges::sort(s.waves, [&](size_t a, size_t b) {
                const uint32_t first = waves_[a].priority;
                const uint32_t second = waves_[b].priority;
                return first != second ? first > second : a < b;
            });
        }
        for (const size_t n : s.waves) {
            const wave_state& w = waves_[n];
            if (!w.at_barrier) {
                wake(simd, std::max(w.ready, w.blocked_until));
            }
        }
    }

    bool is_blocked(const simd_state& s, wave_state& w, const timeline_instruction& i) {
        const bool is_matrix = i.unit == timeline_unit::mfma;
        if (i.unit == timeline_unit::vmem) {
            return is_behind_others(w, i);
        }
        if (!is_matrix && i.unit != timeline_unit::valu) {
            return false;
        }
        const bool by_matrix = is_matrix && s.matrix_free > now_;
        w.blocked_by = by_matrix ? timeline_cause::matrix : timeline_cause::issue;
        w.blocked_until = by_matrix ? std::max(s.matrix_free, s.valu_free) : s.valu_free;
        return w.blocked_until > now_;
    }

    // Vector memory takes no further instruction, or other waves have been waiting for that.
    bool is_behind_others(wave_state& w, const timeline_instruction& i) {
        const auto n = static_cast<size_t>(&w - waves_.data());
        const uint64_t ready = memory_.ready_for(i);
        const bool is_first = vmem_order_.empty() || vmem_order_.front() == n;
        if (is_first && ready <= now_) {
            if (!vmem_order_.empty()) {
                vmem_order_.pop_front();
            }
            return false;
        }
        if (std::ranges::find(vmem_order_, n) == vmem_order_.end()) {
            vmem_order_.push_back(n);
        }
        w.blocked_by = timeline_cause::bandwidth;
        w.level = memory_.waits_for();
        w.blocked_until = std::max(ready, now_ + 1);
        return true;
    }

    // ---- a wave's slices ----

    // The wave waits, for what its next instruction needs.
    void add_stall(wave_state& w, uint64_t until, timeline_cause cause) {
        add_stall(w, until, cause, w.record->instructions[w.next]);
    }
    void add_stall(wave_state& w, uint64_t until, timeline_cause cause, uint32_t instruction) {
        if (until <= w.accounted) {
            return;
        }
        timeline_cost& cost = result_.costs[instruction];
        cost.stalls[static_cast<size_t>(cause)] += until - w.accounted;
        if (cause <= timeline_cause::lgkmcnt) {
            cost.waits[static_cast<size_t>(w.level)] += until - w.accounted;
        } else if (cause == timeline_cause::barrier && simds_[w.simd].waves.size() > 1) {
            cost.resting += matrix_clocks_in(w.simd, w.accounted, until);
        }
        std::vector<timeline_slice>& slices = w.result->slices;
        if (!slices.empty() && slices.back().is_stall && slices.back().cause == cause &&
            slices.back().instruction == instruction) {
            slices.back().end = until;
        } else {
            slices.push_back(
                {w.accounted, until, true, timeline_unit::none, cause, instruction, 0});
        }
        w.accounted = until;
    }

    // For how long the SIMD's matrix pipe is at work in this time, as far as is known.
    uint64_t matrix_clocks_in(size_t simd, uint64_t from, uint64_t until) const {
        uint64_t clocks = 0;
        for (const timeline_interval& busy : std::views::reverse(result_.matrix[simd])) {
            if (busy.end <= from) {
                break;
            }
            const uint64_t start = std::max(from, busy.start);
            clocks += std::max(start, std::min(until, busy.end)) - start;
        }
        return clocks;
    }

    // What the wave has waited for up to this turn.
    // @pre w.ready <= now_
    void account(wave_state& w) {
        if (w.accounted < w.ready) {
            // The wait for its SIMD's turn is part of it.
            const uint64_t turn = at_turn(w.simd, w.ready);
            add_stall(w, turn - std::min(turn, w.bandwidth), w.cause);
            add_stall(w, turn, timeline_cause::bandwidth);
        }
        add_stall(w, now_, w.blocked_by);
    }

    void add_issue(wave_state& w, const timeline_instruction& i, uint64_t until) {
        const uint32_t instruction = w.record->instructions[w.next];
        timeline_cost& cost = result_.costs[instruction];
        ++cost.executed;
        cost.issue += until - now_;
        std::vector<timeline_slice>& slices = w.result->slices;
        if (!slices.empty() && !slices.back().is_stall && slices.back().unit == i.unit &&
            slices.back().end == now_) {
            slices.back().end = until;
            ++slices.back().count;
        } else {
            slices.push_back({now_, until, false, i.unit, timeline_cause::issue, instruction, 1});
        }
        w.accounted = until;
    }

    // ---- issue ----

    void issue(simd_state& s, wave_state& w, const timeline_instruction& i) {
        uint64_t free = now_ + p_.issue_clocks;  // when the wave's next turn is
        switch (i.unit) {
            case timeline_unit::valu:
                issue_valu(s, w, i);
                break;
            case timeline_unit::mfma:
                issue_matrix(s, w, i);
                break;
            case timeline_unit::salu:
                set_ready(w, i, now_ + p_.salu_clocks);
                break;
            case timeline_unit::branch:
                set_ready(w, i, now_ + p_.salu_clocks);
                if (is_taken(w, i)) {
                    free = std::max<uint64_t>(free, now_ + p_.branch_taken_clocks);
                }
                break;
            case timeline_unit::lds:
            case timeline_unit::vmem:
            case timeline_unit::smem:
                issue_memory(w, i);
                break;
            case timeline_unit::none:
                free = std::max(free, now_ + uint64_t{i.turns} * p_.issue_clocks);
                if (i.control == timeline_control::priority) {
                    w.priority = i.priority;
                    s.has_changed = true;
                }
                break;
        }
        add_issue(w, i, free);
        if (i.control == timeline_control::sleep) {
            const uint64_t awake = now_ + uint64_t{i.sleep} * p_.sleep_unit_clocks;
            add_stall(w, at_turn(w.simd, std::max(free, awake)), timeline_cause::sleep);
            free = w.accounted;
        }
        ++w.next;
        if (w.next == w.record->instructions.size()) {
            s.has_changed = true;
            end_wave(w, free);
        } else if (i.control == timeline_control::barrier) {
            arrive(w);
        } else {
            prepare(w, free);
        }
    }

    bool is_taken(const wave_state& w, const timeline_instruction& i) const {
        return w.next + 1 < w.record->instructions.size() &&
               record_.instructions[w.record->instructions[w.next + 1]].address !=
                   i.address + i.bytes;
    }

    void set_ready(wave_state& w, const timeline_instruction& i, uint64_t ready) {
        for (const timeline_operand& o : i.operands) {
            if (!o.is_write) {
                continue;
            }
            for (uint32_t r = o.first; r < uint32_t{o.first} + o.count; ++r) {
                w.registers[r].ready = ready;
                w.registers[r].matrix = no_instruction;
            }
        }
    }

    void issue_valu(simd_state& s, wave_state& w, const timeline_instruction& i) {
        const std::array clocks_of_rates = {p_.valu_clocks, p_.valu_trans_clocks,
                                            p_.valu_mul32_clocks, p_.valu_f64_clocks,
                                            p_.valu_f64_trans_clocks};
        const uint64_t clocks = clocks_of_rates[static_cast<size_t>(i.rate)];
        s.valu_free = now_ + clocks;
        result_.valu_clocks[w.simd] += clocks;
        set_ready(w, i, s.valu_free + p_.valu_latency);
    }

    void issue_matrix(simd_state& s, wave_state& w, const timeline_instruction& i) {
        const uint64_t clocks = uint64_t{i.passes} * p_.mfma_pass_clocks;
        const uint32_t alone = std::min<uint32_t>(i.passes, p_.mfma_alone_passes);
        s.valu_free =
            now_ + std::max<uint64_t>(p_.issue_clocks, uint64_t{alone} * p_.mfma_pass_clocks);
        s.matrix_free = now_ + clocks;
        result_.matrix_clocks[w.simd] += clocks;
        add_interval(result_.matrix[w.simd], now_, s.matrix_free);
        for (const timeline_operand& o : i.operands) {
            for (uint32_t r = o.first; r < uint32_t{o.first} + o.count; ++r) {
                register_state& state = w.registers[r];
                if (o.use == matrix_use::xdl_c || o.use == matrix_use::gemm_c) {
                    state.free_of_c = after_states(now_, i.waits.valu_overwrites_c);
                }
                if (o.is_write) {
                    state.ready = 0;
                    state.matrix = w.record->instructions[w.next];
                    state.matrix_issue = now_;
                }
            }
        }
    }

    // When so many wait states are over behind an instruction that was issued at `clock`.
    uint64_t after_states(uint64_t clock, uint32_t states) const {
        return clock + (uint64_t{states} + 1) * p_.issue_clocks;
    }

    void issue_memory(wave_state& w, const timeline_instruction& i) {
        set_ready(w, i, 0);  // s_waitcnt says when
        if (!i.has_access) {
            return;
        }
        const timeline_access& access = w.record->accesses[w.next_access++];
        result_.costs[w.record->instructions[w.next]].lds_conflicts += access.lds_conflicts;
        const timeline_line* lines = w.record->lines.data() + w.next_line;
        w.next_line += access.lines;
        memory_time done;
        if (i.unit == timeline_unit::lds) {
            done.complete = done.alone = run_lds(w.simd, i, access);
            done.level = timeline_level::lds;
            result_.lds_bytes += access.lds_bytes;
        } else if (i.unit == timeline_unit::smem) {
            done.complete = done.alone = run_scalar(access, lines);
            done.level = timeline_level::scalar;
        } else {
            const timeline_channels* channels = next_channels(w, access);
            done = memory_.run(now_, i, access, lines, channels);
            const uint64_t complete = done.complete;
            timeline_cost& cost = result_.costs[w.record->instructions[w.next]];
            cost.asked_bytes += access.bytes;
            cost.moved_bytes += memory_.moved_bytes();
            if (channels != nullptr) {
                cost.l2_lines += std::accumulate(channels->begin(), channels->end(), uint64_t{0});
                cost.l2_fullest += std::ranges::max(*channels);
            }
            done.wait_for(w.vm.last());
            if (access.lds_bytes != 0) {
                to_lds_.emplace(complete, lds_clocks(i, access, true));
            }
            if (access.bytes != 0) {
                result_.flights.push_back({now_, access.bytes});
                result_.flights.push_back({done.complete, -int64_t{access.bytes}});
            }
        }
        last_done_ = std::max(last_done_, done.complete);
        if (i.counts_vm) {
            w.vm.add(done);
        }
        if (i.counts_lgkm) {
            w.lgkm.add(done);
        }
    }

    const timeline_channels* next_channels(wave_state& w, const timeline_access& access) const {
        const bool is_other = p_.l2_hash != record_.l2_hash && !w.record->other_channels.empty();
        const auto& channels = is_other ? w.record->other_channels : w.record->channels;
        if (access.lines == 0 || w.next_channels == channels.size()) {
            return nullptr;
        }
        return &channels[w.next_channels++];
    }

    uint64_t lds_clocks(const timeline_instruction& i, const timeline_access& access,
                        bool writes) const {
        if (record_.lds == timeline_lds::free) {
            return 1;
        }
        const uint64_t rate =
            writes || i.lds_writes ? p_.lds_write_bytes_per_clock : p_.lds_read_bytes_per_clock;
        const bool has_conflicts = record_.lds == timeline_lds::whole;
        return std::max({uint64_t{1},
                         uint64_t{access.lds_phases} + (has_conflicts ? access.lds_conflicts : 0),
                         divided_up(access.lds_bytes, rate)});
    }

    uint64_t keep_lds(uint64_t at, uint64_t clocks) {
        const uint64_t start = std::max(at, lds_free_);
        lds_free_ = start + clocks;
        result_.lds_clocks += clocks;
        add_interval(result_.lds, start, lds_free_);
        return lds_free_;
    }

    // What has come for LDS until `clock`, in the order of its arrival.
    void arrive_in_lds(uint64_t clock) {
        for (auto a = to_lds_.begin(); a != to_lds_.end() && a->first <= clock;
             a = to_lds_.erase(a)) {
            keep_lds(a->first, a->second);
        }
    }

    // An instruction keeps LDS, and what its pair of SIMDs has to send and receive there: addresses
    // and data of writes go one way, data of reads the other one.
    uint64_t run_lds(size_t simd, const timeline_instruction& i, const timeline_access& access) {
        arrive_in_lds(now_);
        lds_port& port = lds_ports_[simd / 2];
        const auto keep_port = [&](uint64_t& free, uint64_t clocks) {
            free = std::max(now_, free) + clocks;
            return free;
        };
        constexpr uint64_t address_bytes = 4;
        const uint64_t sent =
            address_bytes * access.lds_addresses + (i.lds_writes ? access.lds_bytes : 0);
        const uint64_t in = divided_up(sent, p_.lds_port_bytes_per_clock);
        const uint64_t out =
            i.lds_writes ? 0 : divided_up(access.lds_bytes, p_.lds_port_bytes_per_clock);
        const uint64_t clocks = lds_clocks(i, access, false);
        const uint64_t done = std::max({keep_lds(now_, clocks), keep_port(port.in_free, in),
                                        out == 0 ? 0 : keep_port(port.out_free, out)});
        const uint64_t own = std::max({clocks, in, out});
        timeline_access free_of_conflicts = access;
        free_of_conflicts.lds_conflicts = 0;
        const uint64_t by_conflicts =
            own - std::max({lds_clocks(i, free_of_conflicts, false), in, out});
        const uint64_t latency =
            by_conflicts == 0
                ? lds_latency(i)
                : std::max<uint64_t>(lds_latency(i) + by_conflicts, p_.lds_conflict_latency);
        return std::max(done, done - own + latency);
    }

    uint64_t lds_latency(const timeline_instruction& i) const {
        constexpr uint32_t dword = 4;
        const auto by_width = [&](uint32_t b32, uint32_t b64, uint32_t b128) {
            return i.lds_lane_bytes <= dword ? b32 : i.lds_lane_bytes <= 2 * dword ? b64 : b128;
        };
        return i.lds_writes ? by_width(p_.lds_write_latency_b32, p_.lds_write_latency_b64,
                                       p_.lds_write_latency_b128)
                            : by_width(p_.lds_read_latency_b32, p_.lds_read_latency_b64,
                                       p_.lds_read_latency_b128);
    }

    uint64_t run_scalar(const timeline_access& access, const timeline_line* lines) {
        const uint64_t start = std::max(now_, scalar_free_);
        scalar_free_ = start + p_.scalar_issue_clocks;
        uint64_t complete = start + p_.scalar_latency;
        for (uint32_t n = 0; n < access.lines; ++n) {
            const uint64_t from_memory = start + clocks_of_ns(p_, p_.scalar_first_ns);
            const uint64_t there =
                scalar_lines_.try_emplace(lines[n].number, from_memory).first->second;
            complete = std::max(complete, there);
        }
        return complete;
    }

    // ---- what the next instruction waits for ----

    // Finds out when the wave's next instruction can be issued, which is not before `free`.
    void prepare(wave_state& w, uint64_t free) {
        const timeline_instruction& i = next_of(w);
        w.ready = free;
        w.bandwidth = 0;
        w.blocked_until = 0;
        w.blocked_by = timeline_cause::issue;
        const auto wait = [&](uint64_t clock, timeline_cause why) {
            if (clock > w.ready) {
                w.ready = clock;
                w.cause = why;
                return true;
            }
            return false;
        };
        const uint64_t line = code_.line_of(i);
        if (std::exchange(w.code_line, line) != line) {
            wait(code_.fetch(line, free), timeline_cause::fetch);
        }
        constexpr uint64_t window = 32;  // bytes that are fetched at a time
        if (i.address / window != (i.address + i.bytes - 1) / window) {
            wait(free + p_.fetch_split_clocks, timeline_cause::fetch);
        }
        for (const timeline_operand& o : i.operands) {
            wait(dependency(w, o), timeline_cause::dependency);
        }
        const size_t vm = i.counts_vm ? most_of_vmcnt - 1 : i.vmcnt;
        const size_t lgkm = i.counts_lgkm ? most_of_lgkmcnt - 1 : i.lgkmcnt;
        const memory_time first = w.lgkm.leaving(lgkm, free);
        if (wait(first.complete, timeline_cause::lgkmcnt)) {
            w.level = first.level;
        }
        const memory_time last = w.vm.leaving(vm, free);
        if (wait(last.complete, timeline_cause::vmcnt)) {
            w.level = last.level;
            w.bandwidth = last.complete - std::min(last.complete, last.alone);
        }
        wake(w.simd, w.ready);
    }

    // When the instruction may use this operand.
    uint64_t dependency(const wave_state& w, const timeline_operand& o) const {
        uint64_t ready = 0;
        for (uint32_t r = o.first; r < uint32_t{o.first} + o.count; ++r) {
            const register_state& state = w.registers[r];
            if (!o.is_write) {
                ready = std::max(ready, state.ready);
            }
            if (o.use == matrix_use::valu_write) {
                ready = std::max(ready, state.free_of_c);
            }
            if (state.matrix != no_instruction && o.use != matrix_use::other) {
                ready = std::max(ready, matrix_result(state, o));
            }
        }
        return ready;
    }

    uint64_t matrix_result(const register_state& state, const timeline_operand& o) const {
        const timeline_instruction& by = record_.instructions[state.matrix];
        const uint64_t end = state.matrix_issue + uint64_t{by.passes} * p_.mfma_pass_clocks;
        const bool is_c = o.use == matrix_use::xdl_c || o.use == matrix_use::gemm_c;
        const auto result = std::ranges::find_if(by.operands, &timeline_operand::is_write);
        const bool is_same = result->first == o.first && result->count == o.count;
        const auto use = static_cast<size_t>(o.use);
        const uint32_t states = is_c && is_same ? by.waits.same_c[use] : by.waits.by_use[use];
        return std::max(
            after_states(state.matrix_issue, states),
            end + (is_c && is_same ? p_.mfma_accumulate_clocks : p_.mfma_result_clocks));
    }

    // ---- barriers and ends ----

    void arrive(wave_state& w) {
        w.at_barrier = true;
        ++groups_[w.group].arrived;
        release(w.group);
    }

    void end_wave(wave_state& w, uint64_t clock) {
        w.has_ended = true;
        w.result->end = clock;
        last_done_ = std::max(last_done_, clock);
        group_state& group = groups_[w.group];
        group.end = std::max(group.end, clock);
        --group.running;
        release(w.group);
        if (group.running == 0 && next_group_ < groups_.size()) {
            start_group(group.place, group.end);
        }
    }

    // Lets the waves go on if all that have not ended are at the barrier.
    void release(size_t group) {
        group_state& g = groups_[group];
        if (g.arrived == 0 || g.arrived != g.running) {
            return;
        }
        g.arrived = 0;
        for (wave_state& w : waves_) {
            if (w.group == group && w.at_barrier) {
                w.at_barrier = false;
                const uint64_t free = std::max(w.accounted, now_ + p_.barrier_clocks);
                add_stall(w, at_turn(w.simd, free), timeline_cause::barrier,
                          w.record->instructions[w.next - 1]);
                prepare(w, w.accounted);
            }
        }
    }

    void finish() {
        arrive_in_lds(never);
        result_.clocks = last_done_;
        memory_.add_totals(result_);
        std::ranges::sort(result_.flights, [](const timeline_flight& a, const timeline_flight& b) {
            return a.clock != b.clock ? a.clock < b.clock : a.bytes < b.bytes;
        });
    }

    const timeline_record& record_;
    const timeline_parameters& p_;
    instruction_cache code_;
    vector_memory memory_;
    std::vector<group_state> groups_;
    std::vector<wave_state> waves_;
    std::array<simd_state, timeline_simds> simds_{};
    size_t next_group_ = 0;
    size_t next_wave_ = 0;
    std::vector<size_t> started_;    // waves that are not among those of their SIMDs
    std::deque<size_t> vmem_order_;  // waves that wait to issue to vector memory
    uint64_t now_ = 0;
    uint64_t lds_free_ = 0;
    struct lds_port {
        uint64_t in_free = 0;
        uint64_t out_free = 0;
    };
    std::array<lds_port, timeline_simds / 2> lds_ports_{};
    std::multimap<uint64_t, uint64_t> to_lds_;  // when it arrives, and the clocks it takes
    uint64_t scalar_free_ = 0;
    std::unordered_map<uint64_t, uint64_t> scalar_lines_;  // when they are there
    uint64_t last_done_ = 0;
    timeline_result result_;
};

}  // namespace

// clang-format off
timeline_name name_of(timeline_unit unit) {
    constexpr std::array<timeline_name, timeline_unit_count> names = {{
        {"valu", "VALU"}, {"mfma", "MFMA"}, {"salu", "SALU"}, {"branch", "branch"},
        {"lds", "LDS"}, {"vmem", "VMEM"}, {"smem", "SMEM"}, {"none", "control"}}};
    return names[static_cast<size_t>(unit)];
}

timeline_name name_of(timeline_cause cause) {
    constexpr std::array<timeline_name, timeline_cause_count> names = {{
        {"vmcnt", "vmcnt"}, {"bandwidth", "memory bandwidth"}, {"lgkmcnt", "lgkmcnt"},
        {"barrier", "barrier"}, {"dependency", "dependency"}, {"matrix", "matrix pipe"},
        {"issue", "issue"}, {"sleep", "sleep"}, {"fetch", "fetch"}}};
    return names[static_cast<size_t>(cause)];
}
// clang-format on

const char* name_of(timeline_level level) {
    constexpr std::array<const char*, timeline_level_count> names = {"L1",  "L2",  "MALL",
                                                                     "HBM", "LDS", "scalar memory"};
    return names[static_cast<size_t>(level)];
}

uint64_t timeline_cost::all() const {
    return std::accumulate(stalls.begin(), stalls.end(), issue);
}

uint64_t timeline_result::wave_clocks() const {
    return std::accumulate(
        waves.begin(), waves.end(), uint64_t{0},
        [](uint64_t sum, const timeline_wave_result& w) { return sum + w.end - w.start; });
}

timeline_stalls timeline_result::stalls() const {
    timeline_stalls sum{};
    for (const timeline_cost& cost : costs) {
        for (size_t c = 0; c < timeline_cause_count; ++c) {
            sum[c] += cost.stalls[c];
        }
    }
    return sum;
}

uint64_t dispatch_clocks(const timeline_record& record, const timeline_parameters& p) {
    return divided_up(p.compute_units, p.dies) * record.groups.front().waves.size() *
           p.dispatch_wave_clocks;
}

timeline_result model_timeline(const timeline_record& record, const timeline_parameters& p,
                               size_t groups) {
    return simulation(record, p, std::min(groups, record.groups.size())).run();
}

}  // namespace emu
