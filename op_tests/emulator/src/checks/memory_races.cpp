#include "checks/memory_races.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <bitset>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "isa/decode.hpp"
#include "machine/memory.hpp"

namespace emu {
namespace {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t block_bytes = 16;
constexpr size_t blocks_of_page = page_bytes / block_bytes;
constexpr size_t dwords_of_page = page_bytes / 4;
constexpr size_t max_group_waves = 16;
// What a stamp can hold. Beyond it nothing is noted, and so nothing is reported.
constexpr uint32_t max_segment = (1u << 28) - 1;
constexpr uint32_t max_instruction = (1u << 21) - 1;

// Bytes of a lane; the last is a scalar load, whatever its size.
constexpr uint32_t widths[] = {1, 2, 4, 8, 12, 16, 64};

uint32_t code_of_width(uint32_t width) {
    return static_cast<uint32_t>(std::ranges::lower_bound(widths, width) - std::begin(widths));
}

// Zeros, of which pages that nobody uses take no memory.
template <class T>
class zeros {
public:
    explicit zeros(size_t count) : items_(static_cast<T*>(std::calloc(count, sizeof(T)))) {
        if (items_ == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~zeros() { std::free(items_); }
    zeros(const zeros&) = delete;
    zeros& operator=(const zeros&) = delete;
    T& operator[](size_t n) { return items_[n]; }
    const T& operator[](size_t n) const { return items_[n]; }

private:
    T* items_;
};

}  // namespace

// ---- what is known about memory ----

// Who has used bytes: lane `lane` the first of them.
struct group_clocks::stamp {
    uint64_t segment : 28 = 0;  // 0: nobody
    uint64_t instruction : 21 = 0;
    uint64_t lane : 6 = 0;
    uint64_t bytes : 4 = 0;  // of a dword; those of a block are all 16 if it is not split
    uint64_t width : 3 = 0;  // code_of_width()
    // An atomic, or one of several waves that have written the same: what is read is right in any order.
    uint64_t is_agreed : 1 = 0;

    static stamp of(uint32_t segment, const struct instruction& i, uint32_t width) {
        stamp result;
        result.segment = segment;
        result.instruction = i.number;
        result.bytes = 0xf;
        result.width = code_of_width(width);
        return result;
    }

    uint32_t first_byte() const { return static_cast<uint32_t>(std::countr_zero(bytes)); }
    // The lane that uses byte `n` of the dword or block.
    uint32_t lane_of(uint32_t n) const {
        return static_cast<uint32_t>(lane) + (n - first_byte()) / widths[width];
    }
    // Adds what another lane of the same instruction has done to the dword.
    void add(const stamp& s) {
        const bool is_same = segment == s.segment && instruction == s.instruction;
        const bool is_next = s.first_byte() > first_byte() && lane_of(s.first_byte()) == s.lane;
        const uint64_t both = bytes | s.bytes;
        if (is_same && is_next) {
            bytes = both;
        } else {
            *this = s;
        }
    }
};

// Two readers, of different waves, are enough: whoever writes, one of them is another wave.
struct group_clocks::cell {
    stamp write;
    std::array<stamp, 2> reads;
};

struct group_clocks::page {
    explicit page(uint64_t n) : number(n) {}

    uint64_t number;  // its address / page_bytes
    page* next = nullptr;
    std::mutex mutex;
    std::array<cell, blocks_of_page> blocks{};
    std::bitset<blocks_of_page> is_split;
    std::array<uint16_t, blocks_of_page> part{};  // where the dwords of a block are kept, from 1
    std::vector<std::array<cell, 4>> parts;
    // What an atomic at this dword brings.
    std::unique_ptr<std::array<clock_pointer, dwords_of_page>> clocks;
    // What waves have written, as far as it is known. Memory itself may lag behind: a write is noted
    // before it is done, and another thread may note the next one in between.
    struct written_bytes {
        std::array<std::byte, page_bytes> values;
        std::array<bool, page_bytes> is_known;
    };
    std::unique_ptr<written_bytes> written;

    std::array<cell, 4>& split(size_t block) {
        if (part[block] == 0) {
            parts.emplace_back();
            part[block] = static_cast<uint16_t>(parts.size());
        }
        std::array<cell, 4>& dwords = parts[part[block] - size_t{1}];
        if (!is_split[block]) {
            is_split[block] = true;
            dwords.fill(blocks[block]);
            for (uint32_t d = 1; d < 4; ++d) {
                const auto begin_at = [d](stamp& s) {
                    s.lane = s.segment == 0 ? 0 : s.lane_of(4 * d) & 63;
                };
                begin_at(dwords[d].write);
                std::ranges::for_each(dwords[d].reads, begin_at);
            }
        }
        return dwords;
    }
    std::byte value_of(uint64_t address) const {
        const uint64_t n = address % page_bytes;
        return written != nullptr && written->is_known[n]
                   ? written->values[n]
                   : *reinterpret_cast<const std::byte*>(static_cast<uintptr_t>(address));
    }
    const cell& cell_of(uint64_t address) const {
        const size_t block = address % page_bytes / block_bytes;
        return is_split[block] ? parts[part[block] - size_t{1}][address / 4 % 4] : blocks[block];
    }
};

// The pages that were used, by their number.
struct race_history::pages {
    using page = group_clocks::page;
    static constexpr size_t count = size_t{1} << 16;
    zeros<std::atomic<page*>> lists{count};

    ~pages() {
        for (size_t n = 0; n < count; ++n) {
            for (page* p = lists[n].load(); p != nullptr;) {
                delete std::exchange(p, p->next);
            }
        }
    }

    page& at(uint64_t number) {
        std::atomic<page*>& list = lists[number % count];
        page* first = list.load(std::memory_order_acquire);
        if (page* found = find(first, number)) {
            return *found;
        }
        auto made = std::make_unique<page>(number);
        made->next = first;
        while (!list.compare_exchange_weak(made->next, made.get(), std::memory_order_acq_rel)) {
            if (page* found = find(made->next, number)) {
                return *found;
            }
        }
        return *made.release();
    }

    static page* find(page* p, uint64_t number) {
        while (p != nullptr && p->number != number) {
            p = p->next;
        }
        return p;
    }
};

// ---- what waves know ----

// Segments that are over for somebody.
struct group_clocks::clock {
    struct entry {
        uint32_t wave;     // of the launch
        uint32_t segment;  // the last one
        friend bool operator==(const entry&, const entry&) = default;
    };
    static constexpr size_t max_entries = 4096;

    uint32_t floor = 0;          // up to this one those of every wave
    std::vector<entry> entries;  // by wave
    friend bool operator==(const clock&, const clock&) = default;

    bool holds(uint32_t wave, uint32_t segment) const {
        const auto found = std::ranges::lower_bound(entries, wave, {}, &entry::wave);
        return segment <= floor ||
               (found != entries.end() && found->wave == wave && segment <= found->segment);
    }
};

struct group_clocks::wave_clock {
    uint32_t segment = 0;  // the last one that it has begun
    bool is_over = true;   // and ended
    // What it knows of its group, and by atomics of everybody.
    std::array<uint32_t, max_group_waves> of_group{};
    clock_pointer others;
    clock_pointer own;       // of all of that, and its own segment; nullptr if it has to be made
    clock_pointer acquired;  // the last one
    // The last two that were joined when it published, and what they have become.
    clock_pointer joined_from;
    clock_pointer joined_with;
    clock_pointer joined;
    std::vector<uint64_t> to_acquire;     // dwords of atomics that have not been looked at
    std::array<uint32_t, 64> verdicts{};  // of is_ordered(): the segment and a bit
    std::array<page*, 16> recent{};

    void has_learned() {
        verdicts.fill(0);
        own = nullptr;
    }
};

// Whose each segment is.
struct race_history::segments {
    static constexpr size_t chunk = 4096;
    std::atomic<uint32_t> count{0};
    zeros<std::atomic<uint32_t*>> waves{max_segment / chunk + 1};

    ~segments() {
        for (size_t n = 0; n <= count.load() / chunk; ++n) {
            delete[] waves[n].load();
        }
    }

    uint32_t begin(uint32_t wave) {
        const uint32_t number = count.fetch_add(1, std::memory_order_relaxed) + 1;
        if (number > max_segment) {
            count = max_segment;
            return max_segment;
        }
        std::atomic<uint32_t*>& of_chunk = waves[number / chunk];
        uint32_t* items = of_chunk.load(std::memory_order_acquire);
        if (items == nullptr) {
            auto made = std::make_unique<uint32_t[]>(chunk);
            if (of_chunk.compare_exchange_strong(items, made.get(), std::memory_order_acq_rel)) {
                items = made.release();
            }
        }
        items[number % chunk] = wave;
        return number;
    }
    uint32_t wave_of(uint32_t number) const {
        return waves[number / chunk].load(std::memory_order_acquire)[number % chunk];
    }
};

race_history::race_history(std::array<uint32_t, 3> groups, uint32_t waves_of_group)
    : groups_(groups),
      waves_of_group_(waves_of_group),
      pages_(std::make_unique<pages>()),
      segments_(std::make_unique<segments>()) {}

race_history::~race_history() = default;

group_clocks::group_clocks(const workgroup& group, race_history& history)
    : history_(history),
      first_wave_(
          (group.id[0] + history.groups_[0] * (group.id[1] + history.groups_[1] * group.id[2])) *
          history.waves_of_group_),
      waves_(history.waves_of_group_),
      of_lds_(std::make_unique<wave_clock>()) {}

group_clocks::~group_clocks() = default;

uint32_t group_clocks::wave_of(uint32_t segment) const {
    return history_.segments_->wave_of(segment);
}

bool group_clocks::is_ordered(wave_clock& own, uint32_t segment) const {
    if (segment == 0 || segment == own.segment) {
        return true;
    }
    uint32_t& verdict = own.verdicts[segment % own.verdicts.size()];
    if (verdict >> 1 == segment) {
        return (verdict & 1) != 0;
    }
    const uint32_t wave = wave_of(segment);
    const uint32_t in_group = wave - first_wave_;
    const bool result = (in_group < waves_.size() &&
                         (&waves_[in_group] == &own || segment <= own.of_group[in_group])) ||
                        (own.others != nullptr && own.others->holds(wave, segment));
    verdict = segment << 1 | uint32_t{result};
    return result;
}

void group_clocks::begin_segment(wave_clock& own) {
    if (own.is_over) {
        own.segment =
            history_.segments_->begin(first_wave_ + static_cast<uint32_t>(&own - waves_.data()));
        own.is_over = false;
        own.own = nullptr;
    }
}

group_clocks::clock_pointer group_clocks::join(clock_pointer a, const clock_pointer& b) const {
    if (a == nullptr || a == b) {
        return b;
    }
    if (b == nullptr) {
        return a;
    }
    clock both;
    both.floor = std::max(a->floor, b->floor);
    both.entries.reserve(a->entries.size() + b->entries.size());
    const auto add = [&](const clock::entry& e) {
        if (e.segment > both.floor) {
            both.entries.push_back(e);
        }
    };
    auto x = a->entries.begin();
    auto y = b->entries.begin();
    while (x != a->entries.end() && y != b->entries.end()) {
        if (x->wave == y->wave) {
            add(x->segment > y->segment ? *x : *y);
            ++x;
            ++y;
        } else {
            add(x->wave < y->wave ? *x++ : *y++);
        }
    }
    std::for_each(x, a->entries.end(), add);
    std::for_each(y, b->entries.end(), add);
    if (both == *a || both == *b) {
        return both == *a ? a : b;
    }
    // All that has begun counts as known then: what might be ordered is.
    if (both.entries.size() > clock::max_entries) {
        both.floor = history_.segments_->count.load(std::memory_order_relaxed);
        both.entries.clear();
    }
    return std::make_shared<const clock>(std::move(both));
}

const group_clocks::clock_pointer& group_clocks::clock_of(wave_clock& own) const {
    if (own.own == nullptr) {
        auto of_group = std::make_shared<clock>();
        for (uint32_t n = 0; n < waves_.size(); ++n) {
            const uint32_t last = &waves_[n] == &own ? own.segment : own.of_group[n];
            if (last != 0) {
                of_group->entries.push_back({first_wave_ + n, last});
            }
        }
        own.own = join(own.others, std::move(of_group));
    }
    return own.own;
}

void group_clocks::acquire(wave_clock& own, const clock_pointer& from) const {
    if (from == nullptr || from == own.acquired || from == own.own) {
        return;
    }
    own.acquired = from;
    clock_pointer joined = join(own.others, from);
    if (joined != own.others) {
        own.others = std::move(joined);
        own.has_learned();
    }
}

void group_clocks::acquire(wave_clock& own, uint32_t wave, uint32_t segment) const {
    auto one = std::make_shared<clock>();
    one->entries.push_back({wave, segment});
    acquire(own, std::move(one));
}

// What the wave's atomics have brought. They have been executed, so whatever they have read was
// published before. A plain write is published to an atomic load that has found it: a flag may be
// set by a plain store behind a fence.
void group_clocks::acquire(wave_clock& own) {
    for (const uint64_t address : own.to_acquire) {
        page& p = page_of(own, address / page_bytes);
        const std::scoped_lock lock(p.mutex);
        if (p.clocks != nullptr) {
            acquire(own, (*p.clocks)[address % page_bytes / 4]);
        }
        const stamp& write = p.cell_of(address).write;
        if (!is_ordered(own, write.segment)) {
            acquire(own, wave_of(write.segment), write.segment);
        }
    }
    own.to_acquire.clear();
}

void group_clocks::passes_barrier(const workgroup&) {
    if (waves_.size() < 2) {
        return;
    }
    std::array<uint32_t, max_group_waves> of_group{};
    clock_pointer others;
    for (size_t n = 0; n < waves_.size(); ++n) {
        acquire(waves_[n]);
        of_group[n] = waves_[n].segment;
        others = join(others, waves_[n].others);
    }
    for (wave_clock& w : waves_) {
        w.of_group = of_group;
        w.others = others;
        w.is_over = true;
        w.has_learned();
    }
}

void group_clocks::note_lds_atomic(const wave& w) {
    wave_clock& own = waves_[static_cast<size_t>(w.index_in_group)];
    acquire(own);
    for (size_t n = 0; n < waves_.size(); ++n) {
        own.of_group[n] = std::max(own.of_group[n], of_lds_->of_group[n]);
    }
    own.of_group[static_cast<size_t>(w.index_in_group)] = own.segment;
    own.others = join(own.others, of_lds_->others);
    of_lds_->of_group = own.of_group;
    of_lds_->others = own.others;
    own.is_over = true;
    own.has_learned();
}

// ---- an access ----

// Lanes whose bytes follow each other.
struct group_clocks::run {
    const wave& w;
    const instruction& i;
    wave_clock& own;
    lds_use use;
    bool is_atomic;
    int lane;  // the first one
    uint64_t address;
    uint32_t width;  // bytes of a lane
    uint32_t bytes;
    const std::byte* values;  // of the first lane
    stamp own_stamp;          // but for the lane and the bytes
    // Divisions by the width, where it is a power of two.
    bool is_power = std::has_single_bit(width);
    int shift = std::countr_zero(width);
    // Lanes and blocks begin together, or a lane has several blocks.
    bool fills_blocks = is_power && width <= block_bytes;

    uint32_t lane_of(uint64_t byte) const {
        const auto n = static_cast<uint32_t>(byte - address);
        return static_cast<uint32_t>(lane) + (is_power ? n >> shift : n / width);
    }
    bool begins_lane(uint64_t byte) const { return (byte - address) % (1u << shift) == 0; }
    std::byte value_of(uint64_t byte) const {
        const uint64_t n = byte - address;
        const uint64_t stride = std::max(width, 4u);
        return values[n / width * stride + n % width];
    }
    // What is going to be written to a byte is there already.
    bool keeps(const page& p, uint64_t byte) const {
        return values != nullptr && value_of(byte) == p.value_of(byte);
    }
};

void group_clocks::report_race(const run& r, const stamp& other, uint64_t byte, uint64_t begin,
                               const char* other_use) const {
    const uint32_t number = wave_of(other.segment);
    const uint32_t in_group = number % history_.waves_of_group_;
    const auto message = [&] {
        const auto name = [&](uint32_t wave, uint64_t lane) {
            const uint32_t group = wave / history_.waves_of_group_;
            const auto [x, y, z] = history_.groups_;
            return "lane " + std::to_string(lane) + " of wave " +
                   std::to_string(wave % history_.waves_of_group_) + " of group (" +
                   std::to_string(group % x) + ", " + std::to_string(group / x % y) + ", " +
                   std::to_string(group / x / y) + ")";
        };
        const char* verb = r.use == lds_use::read    ? " reads"
                           : r.use == lds_use::write ? " writes"
                                                     : " updates";
        const uint32_t own = first_wave_ + static_cast<uint32_t>(r.w.index_in_group);
        return "race: " + name_of_byte(byte) + ": " + name(own, r.lane_of(byte)) + verb + " what " +
               name(number, other.lane_of(static_cast<uint32_t>(byte - begin))) + " " + other_use +
               ", and nothing orders the two";
    };
    report(r.w, r.i, check::memory_races, message,
           {"the other one", &r.w.group->code->decoded(static_cast<uint32_t>(other.instruction)),
            static_cast<int>(in_group)});
}

// A plain read of what others update by atomics is no race: loops around a compare-and-swap begin with
// one, and others save themselves the atomic.
void group_clocks::check_read(const run& r, const cell& c, const stamp& own, uint64_t begin) {
    const uint64_t both = c.write.bytes & own.bytes;
    if (both != 0 && !c.write.is_agreed && !is_ordered(r.own, c.write.segment)) {
        report_race(r, c.write, begin + static_cast<uint32_t>(std::countr_zero(both)), begin,
                    "writes");
    }
}

// A write that changes nothing is no race with anybody: the others see the same in any order.
group_clocks::exempt group_clocks::check_write(const run& r, const page& p, const cell& c,
                                               const stamp& own, uint64_t begin, uint64_t bytes) {
    exempt result;
    // The first of the common bytes that change, if there is one. True if there is none.
    const auto keeps_for = [&](const stamp& other, const char* use) {
        if ((other.bytes & own.bytes) == 0 || is_ordered(r.own, other.segment)) {
            return false;
        }
        for (uint32_t n = 0; n < bytes; ++n) {
            const bool is_common = bytes == block_bytes || (other.bytes & own.bytes & 1u << n) != 0;
            if (is_common && !r.keeps(p, begin + n)) {
                report_race(r, other, begin + n, begin, use);
                return false;
            }
        }
        return true;
    };
    for (const stamp& read : c.reads) {
        result.read |= !r.is_atomic && keeps_for(read, "reads");
    }
    result.write = !(r.is_atomic && c.write.is_agreed) && keeps_for(c.write, "writes");
    return result;
}

// `begin` and `bytes` are those of the cell, which is one of the page.
void group_clocks::update(const run& r, const page& p, cell& c, stamp own, uint64_t begin,
                          uint64_t bytes) {
    constexpr uint64_t all = 0xf;
    if (r.use == lds_use::read) {
        if ((c.write.segment == 0 || c.write.segment == own.segment) && own.bytes == all &&
            (c.reads[0].segment == 0 || c.reads[0].segment == own.segment)) [[likely]] {
            c.reads[0] = own;
            return;
        }
        check_read(r, c, own, begin);
        auto& [first, second] = c.reads;
        if (is_ordered(r.own, first.segment)) {
            first.add(own);
        } else if (is_ordered(r.own, second.segment)) {
            second.add(own);
        }
        return;
    }
    const exempt from = check_write(r, p, c, own, begin, bytes);
    own.is_agreed = from.write || r.is_atomic;
    if (!r.is_atomic && !from.read && own.bytes == all) {
        c.reads = {};
    }
    c.write.add(own);
}

// [begin, end) is what the run uses of one block.
void group_clocks::visit_block(const run& r, page& p, uint64_t begin, uint64_t end) {
    const size_t block = begin % page_bytes / block_bytes;
    stamp own = r.own_stamp;
    own.lane = r.lane_of(begin);
    const bool is_whole = end - begin == block_bytes;
    const bool begins_lane = r.fills_blocks && r.begins_lane(begin);
    if (is_whole && !p.is_split[block] && (begins_lane || own.lane == r.lane_of(end - 1)))
        [[likely]] {
        update(r, p, p.blocks[block], own, begin, block_bytes);
        return;
    }
    std::array<cell, 4>& dwords = p.split(block);
    for (uint64_t at = begin; at < end;) {
        const uint64_t dword = at / 4 * 4;
        uint64_t part_end = std::min(end, dword + 4);
        own.lane = r.lane_of(at);
        if (r.lane_of(part_end - 1) != own.lane) {
            part_end = r.address + uint64_t{own.lane + 1 - static_cast<uint32_t>(r.lane)} * r.width;
        }
        own.bytes = ((1u << (part_end - at)) - 1) << (at - dword);
        update(r, p, dwords[dword / 4 % 4], own, dword, 4);
        at = part_end;
    }
    // Together again, if one write has replaced what was known.
    const auto has_more = [](const cell& c) {
        return c.write.is_agreed || c.reads[0].segment != 0 || c.reads[1].segment != 0;
    };
    if (is_whole && begins_lane && r.use == lds_use::write &&
        std::ranges::none_of(dwords, has_more)) {
        p.is_split[block] = false;
        p.blocks[block] = {dwords[0].write, {}};
    }
}

group_clocks::page& group_clocks::page_of(wave_clock& own, uint64_t number) {
    page*& recent = own.recent[number % own.recent.size()];
    if (recent == nullptr || recent->number != number) {
        recent = &history_.pages_->at(number);
    }
    return *recent;
}

void group_clocks::publish(const run& r, page& p, uint64_t begin, uint64_t end) {
    if (p.clocks == nullptr) {
        p.clocks = std::make_unique<std::array<clock_pointer, dwords_of_page>>();
    }
    for (uint64_t dword = begin / 4; dword * 4 < end; ++dword) {
        clock_pointer& known = (*p.clocks)[dword % dwords_of_page];
        // Nearly always the same for all lanes.
        if (known == nullptr || known != r.own.joined_from ||
            clock_of(r.own) != r.own.joined_with) {
            r.own.joined_from = known;
            r.own.joined_with = clock_of(r.own);
            r.own.joined = join(known, r.own.joined_with);
        }
        known = r.own.joined;
    }
}

// What an atomic writes is not known.
void group_clocks::remember(const run& r, page& p, uint64_t begin, uint64_t end) {
    const bool is_known = r.values != nullptr && !r.is_atomic;
    if (p.written == nullptr) {
        if (!is_known) {
            return;
        }
        p.written = std::make_unique<page::written_bytes>();
    }
    const uint64_t first = begin % page_bytes;
    std::fill_n(&p.written->is_known[first], end - begin, is_known);
    if (is_known && r.width >= 4) {  // the lanes' values follow each other
        std::copy_n(r.values + (begin - r.address), end - begin, &p.written->values[first]);
    } else if (is_known) {
        for (uint64_t at = begin; at < end; ++at) {
            p.written->values[at % page_bytes] = r.value_of(at);
        }
    }
}

void group_clocks::note_run(const run& r) {
    const uint64_t end = r.address + r.bytes;
    for (uint64_t begin = r.address; begin < end;) {
        const uint64_t page_end = std::min(end, (begin / page_bytes + 1) * page_bytes);
        page& p = page_of(r.own, begin / page_bytes);
        const std::scoped_lock lock(p.mutex);
        if (r.i.number <= max_instruction && r.own.segment < max_segment) {
            for (uint64_t at = begin; at < page_end;) {
                const uint64_t block_end = std::min(page_end, (at / block_bytes + 1) * block_bytes);
                visit_block(r, p, at, block_end);
                at = block_end;
            }
        }
        if (r.use != lds_use::read) {
            remember(r, p, begin, page_end);
        }
        if (r.is_atomic) {
            publish(r, p, begin, page_end);
        }
        begin = page_end;
    }
}

void group_clocks::note(const memory_access& a) {
    if (a.i.queue == memory_queue::scalar) {
        note_scalar(a);
        return;
    }
    const auto bytes = static_cast<uint32_t>(a.bytes);
    wave_clock& own = waves_[static_cast<size_t>(a.w.index_in_group)];
    if (!own.to_acquire.empty()) {
        acquire(own);
    }
    const bool is_atomic = a.use == lds_use::atomic || a.i.has(mod::sc0 | mod::sc1);
    if (is_atomic && a.use != lds_use::write) {
        to_acquire(own, a.lanes, a.address, bytes);
    }
    if (is_atomic && a.use == lds_use::read) {
        return;
    }
    begin_segment(own);
    const stamp own_stamp = stamp::of(own.segment, a.i, bytes);
    uint64_t last = ~uint64_t{0};
    for (uint64_t lanes = a.lanes; lanes != 0;) {
        const int first = std::countr_zero(lanes);
        lanes &= lanes - 1;
        const uint64_t begin = a.address[first];
        if (begin == std::exchange(last, begin) && a.use != lds_use::write) {
            continue;
        }
        int count = 1;
        while (first + count < lane_count && (lanes >> (first + count) & 1) != 0 &&
               a.address[first + count] == begin + uint64_t{bytes} * static_cast<uint32_t>(count)) {
            lanes &= lanes - 1;
            ++count;
        }
        note_run({a.w, a.i, own, a.use, is_atomic, first, begin, bytes,
                  bytes * static_cast<uint32_t>(count), a.value_of(static_cast<size_t>(first)),
                  own_stamp});
    }
    own.is_over |= is_atomic;
}

void group_clocks::note_scalar(const memory_access& a) {
    wave_clock& own = waves_[static_cast<size_t>(a.w.index_in_group)];
    acquire(own);
    begin_segment(own);
    constexpr uint32_t whole = widths[std::size(widths) - 1];
    note_run({a.w, a.i, own, lds_use::read, false, 0, a.address[0], whole,
              static_cast<uint32_t>(a.bytes), nullptr, stamp::of(own.segment, a.i, whole)});
}

void group_clocks::to_acquire(wave_clock& own, uint64_t lanes, const uint64_t* address,
                              uint32_t bytes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t begin = address[std::countr_zero(lanes)];
        for (uint64_t at = begin / 4 * 4; at < begin + bytes; at += 4) {
            if (own.to_acquire.empty() || own.to_acquire.back() != at) {
                own.to_acquire.push_back(at);
            }
        }
    }
}

}  // namespace emu
