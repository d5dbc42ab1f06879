#include "checks/lds_shadow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "isa/decode.hpp"
#include "isa/lds_names.hpp"
#include "isa/values.hpp"

namespace emu {
namespace {

constexpr uint32_t block_bytes = 16;

// Replaces the numbers at the beginning that are `before`; returns how many.
uint32_t replace(uint32_t* numbers, uint32_t count, uint32_t before, uint32_t after) {
    constexpr uint32_t many = 8;
    uint32_t n = 0;
    for (; count - n >= many; n += many) {
        uint32_t differences = 0;
        for (uint32_t k = 0; k < many; ++k) {  // a loop for the vectorizer: no early end
            differences |= numbers[n + k] ^ before;
        }
        if (differences != 0) {
            break;
        }
        std::fill_n(numbers + n, many, after);
    }
    for (; n < count && numbers[n] == before; ++n) {
        numbers[n] = after;
    }
    return n;
}

std::string verb(lds_use use) {
    return use == lds_use::read ? "reads" : use == lds_use::write ? "writes" : "updates";
}

// The lanes behind the visit's may use the bytes behind its own.
uint32_t lane_of(const auto& v, uint32_t byte) {
    return static_cast<uint32_t>(v.lane) + (byte - v.address) / v.bytes;
}

// Between what two lanes write: whole dwords.
size_t value_stride(uint32_t bytes) {
    return (bytes + 3) / 4 * 4;
}

std::string at_byte(const wave& w, uint32_t lane, uint32_t byte) {
    return "lane " + std::to_string(lane) + ": " + name_of_lds_byte(*w.group, byte);
}

std::string at_byte(const auto& v, uint32_t byte) {
    return at_byte(v.w, lane_of(v, byte), byte);
}

// The dword of LDS in which the byte is.
uint32_t dword_at(const workgroup& group, uint32_t byte) {
    uint32_t value = 0;
    const size_t first = byte / 4 * 4;
    std::memcpy(&value, group.lds.data() + first, std::min<size_t>(4, group.lds.size() - first));
    return value;
}

// What of the visit's own value lies in that dword; what is in LDS where it writes less.
uint32_t new_dword_at(const auto& v, uint32_t byte) {
    uint32_t value = dword_at(*v.w.group, byte);
    auto* bytes = reinterpret_cast<std::byte*>(&value);
    for (uint32_t n = 0; n < 4; ++n) {
        const uint32_t from = byte / 4 * 4 + n - v.address;
        // Lanes behind the visit's have their values behind its own, in whole dwords.
        const size_t lane = from / v.bytes;
        if (byte / 4 * 4 + n >= v.address && lane == (byte - v.address) / v.bytes) {
            bytes[n] = v.value[lane * value_stride(v.bytes) + from % v.bytes];
        }
    }
    return value;
}

}  // namespace

lds_shadow::lds_shadow(const workgroup& group, lds_shadow* finished) {
    if (finished != nullptr) {
        cells_ = std::move(finished->cells_);
        blocks_ = std::move(finished->blocks_);
    }
    cells_.assign(unused + 1, {});
    cells_[no_cell].write.number = ~uint32_t{0};
    blocks_.assign((group.lds.size() + block_bytes - 1) / block_bytes, unused);
    limit_cells();
}

// So few that they stay in the host's first cache, and so many that it seldom takes time to forget.
void lds_shadow::limit_cells() {
    max_cells_ = 256 + blocks_.size() / 4 + 2 * cells_.size();
}

lds_shadow::visit lds_shadow::visit_of(const lds_access& a) {
    visit v{.w = a.w,
            .i = a.i,
            .use = a.use,
            .bytes = a.bytes,
            .lane = 0,
            .address = 0,
            .value = nullptr,
            .own = {},
            .reports_uninitialized = (a.w.checks & check::uninitialized_lds) != 0,
            .loads_completed = a.w.counters.completed(memory_queue::vector),
            .known = {}};
    v.own.number = a.w.counters.issued(a.i.queue);
    v.own.instruction = a.i.number;
    v.own.wave = static_cast<uint32_t>(a.w.index_in_group);
    v.own.queue = static_cast<uint32_t>(a.i.queue);
    v.own.is_atomic = a.use == lds_use::atomic;
    return v;
}

// ---- which cells ----

// Inline, as entered(): a cell goes through registers then, not in halves through memory.
[[gnu::always_inline]] inline lds_shadow::cell_number lds_shadow::number_of(const cell& c) {
    if (cells_.back() != c) {
        cells_.push_back(c);
    }
    return static_cast<cell_number>(cells_.size() - 1);
}

void lds_shadow::forget_unused() {
    std::vector<cell> kept(cells_.begin(), cells_.begin() + unused + 1);
    std::vector<cell_number> moved_to(cells_.size(), no_cell);
    moved_to[unused] = unused;
    for (auto* numbers : {&blocks_, &dwords_, &bytes_}) {
        for (cell_number& number : *numbers) {
            if (number == split) {
                continue;
            }
            cell_number& moved = moved_to[number];
            if (moved == no_cell) {
                moved = static_cast<cell_number>(kept.size());
                kept.push_back(cells_[number]);
            }
            number = moved;
        }
    }
    cells_ = std::move(kept);
    limit_cells();
}

// What is in the cell behind the access.
[[gnu::always_inline]] inline lds_shadow::cell lds_shadow::entered(const visit& v, cell c) {
    if (v.use != lds_use::read) {
        c.write = v.own;
        return c;
    }
    auto& [first, second] = c.reads;
    if (first.wave == v.own.wave || (second.wave != v.own.wave && !is_concurrent(v, first))) {
        first = v.own;
    } else if (!is_concurrent(v, second)) {
        second = v.own;
    }
    return c;
}

// Enters the access in a cell that is neither what the last one was nor what became of it.
[[gnu::noinline]] void lds_shadow::work_out(visit& v, cell_number& number, uint32_t byte,
                                            uint32_t bytes) {
    const cell before = cells_[number];
    if (before == cells_[v.before] || before == cells_[v.after]) {
        number = v.after;
        return;
    }
    visit::worked_out& known = v.known[bucket_of(before) % v.known.size()];
    if (before == cells_[known.before]) {
        v.before = number;
        v.after = known.after;
        number = v.after;
        return;
    }
    if (may_conflict(v, before)) {
        check_cell(v, before, byte, bytes);
        number = number_of(entered(v, before));
        return;
    }
    v.before = number;
    v.after = number_of(entered(v, before));
    known = {v.before, v.after};
    number = v.after;
}

// Of each `Bytes` bytes.
template <uint32_t Bytes>
std::vector<lds_shadow::cell_number>& lds_shadow::numbers_of() {
    return Bytes == block_bytes ? blocks_ : Bytes == 4 ? dwords_ : bytes_;
}

// A quarter of its bytes then has a cell each, in which is the same.
template <uint32_t Bytes>
void lds_shadow::split_cell(uint32_t address) {
    auto& parts = numbers_of<Bytes / 4>();
    if (parts.empty()) {
        parts.resize(blocks_.size() * (block_bytes / (Bytes / 4)), unused);
    }
    cell_number& number = numbers_of<Bytes>()[address / Bytes];
    std::fill_n(parts.begin() + address / Bytes * 4, 4, number);
    number = split;
}

// A block has one cell again if the same is known about its dwords.
void lds_shadow::unite(uint32_t block) {
    const cell_number* const dwords = &dwords_[block * 4];
    const auto is_same = [&](cell_number n) {
        return n == dwords[0] || (n != split && cells_[n] == cells_[dwords[0]]);
    };
    if (dwords[0] != split && std::all_of(dwords + 1, dwords + 4, is_same)) {
        blocks_[block] = dwords[0];
    }
}

// The bytes from `address` to `end`, which have cells of `Bytes` bytes or smaller ones.
template <uint32_t Bytes>
void lds_shadow::update_range(visit& v, uint32_t address, uint32_t end) {
    std::vector<cell_number>& numbers = numbers_of<Bytes>();
    while (address < end) {
        if (address % Bytes == 0) {
            address += Bytes * replace(&numbers[address / Bytes], (end - address) / Bytes, v.before,
                                       v.after);
            if (address == end) {
                return;
            }
        }
        cell_number& number = numbers[address / Bytes];
        const uint32_t next = std::min(end, (address / Bytes + 1) * Bytes);
        const bool is_whole = next - address == Bytes;
        if (is_whole && number != split) {
            if (number != v.after) {  // else another lane was here
                work_out(v, number, address, Bytes);
            }
        } else if constexpr (Bytes > 1) {
            if (number != split) {
                split_cell<Bytes>(address);
            }
            update_range<Bytes / 4>(v, address, next);
            if (is_whole && Bytes == block_bytes) {
                unite(address / Bytes);
            }
        }
        address = next;
    }
}

// ---- what is reported, and what is noted ----

void lds_shadow::report_unwritten() {
    if (early_.empty()) [[likely]] {
        return;
    }
    for (const early_read& read : std::exchange(early_, {})) {
        report(*read.w, *read.i, check::uninitialized_lds, [&] {
            return at_byte(*read.w, read.lane, read.byte) +
                   " is read before anything is written there (the value is " +
                   value_text(read.value) + ")";
        });
    }
}

void lds_shadow::note_unwritten(const visit& v, uint32_t byte) {
    const auto is_noted = [&](const early_read& read) { return read.i == &v.i; };
    if (std::ranges::none_of(early_, is_noted)) {
        early_.push_back({&v.w, &v.i, lane_of(v, byte), byte, dword_at(*v.w.group, byte)});
    }
    const bool may_be_a_race = v.w.group->waves.size() > 1 && (v.w.checks & check::races) != 0;
    if (!may_be_a_race) {
        report_unwritten();
    }
}

void lds_shadow::ends(const workgroup&) {
    report_unwritten();
}

void lds_shadow::passes_barrier(const workgroup&) {
    report_unwritten();
}

bool lds_shadow::is_concurrent(const visit& v, const stamp& s) {
    return s.wave != v.own.wave && !(v.own.is_atomic && s.is_atomic) &&
           s.number > v.w.group->waves[s.wave].counters.ordered(static_cast<memory_queue>(s.queue));
}

// A load to LDS that this wave has not waited for. Another load may follow it: they are in order.
bool lds_shadow::is_own_load(const visit& v, const stamp& s) {
    constexpr auto loads = static_cast<uint32_t>(memory_queue::vector);
    return s.wave == v.own.wave && s.queue == loads && v.own.queue != loads &&
           s.number > v.loads_completed;
}

bool lds_shadow::may_conflict(const visit& v, const stamp& s) {
    return is_own_load(v, s) || is_concurrent(v, s);
}

// False for nearly everything that a correct kernel does.
[[gnu::always_inline]] inline bool lds_shadow::may_conflict(const visit& v, const cell& c) {
    if (may_conflict(v, c.write)) {
        return true;
    }
    if (v.use != lds_use::write && c.write.number == 0 && v.reports_uninitialized) {
        return true;
    }
    return v.use != lds_use::read && (is_concurrent(v, c.reads[0]) || is_concurrent(v, c.reads[1]));
}

void lds_shadow::report_race(const visit& v, const stamp& s, uint32_t byte,
                             const char* earlier_use) {
    const auto queue = static_cast<memory_queue>(s.queue);
    const outstanding& memory = v.w.group->waves[s.wave].counters;
    const bool passed_barrier = s.number <= memory.issued_before_barrier(queue);
    const bool lacks_wait = passed_barrier || s.number > memory.completed(queue);
    if ((v.w.checks & (lacks_wait ? check::races | check::waits : check::races)) == 0) {
        return;
    }
    const auto message = [&] {
        const std::string other = "wave " + std::to_string(s.wave);
        const std::string why = passed_barrier ? ", and " + other + " had not waited for it (" +
                                                     counter_name(queue) + ") at the barrier"
                                               : " without a barrier between";
        const std::string value = value_text(dword_at(*v.w.group, byte));
        const std::string values =
            v.use == lds_use::write && v.value != nullptr
                ? " (" + value_text(new_dword_at(v, byte)) + " over " + value + ")"
                : " (" + value + ")";
        return "race: " + at_byte(v, byte) + ": wave " + std::to_string(v.w.index_in_group) + " " +
               verb(v.use) + " what " + other + " " + earlier_use + why + values;
    };
    const bool is_race = (v.w.checks & check::races) != 0;
    report(v.w, v.i, is_race ? check::races : check::waits, message,
           {"the other one", &v.w.group->code->decoded(s.instruction), static_cast<int>(s.wave)});
}

void lds_shadow::check_own_load(const visit& v, const stamp& s, uint32_t byte) {
    if (!is_own_load(v, s) || (v.w.checks & check::waits) == 0) {
        return;
    }
    const auto message = [&] {
        return at_byte(v, byte) + (v.use == lds_use::read ? " is read" : " is overwritten") +
               " while the load that writes it is pending (vmcnt)";
    };
    report(v.w, v.i, check::waits, message,
           {"pending", &v.w.group->code->decoded(s.instruction), v.w.index_in_group});
}

void lds_shadow::check_read(const visit& v, const cell& c, uint32_t byte) {
    if (c.write.number == 0 && v.reports_uninitialized) {
        note_unwritten(v, byte);
    }
    check_own_load(v, c.write, byte);
    if (is_concurrent(v, c.write)) {
        report_race(v, c.write, byte, c.write.is_atomic ? "updates" : "writes");
    }
}

// Several waves that write the same value leave it there in any order, so that is no race.
void lds_shadow::check_write(const visit& v, const cell& c, uint32_t byte, uint32_t bytes) {
    check_own_load(v, c.write, byte);
    for (const stamp& read : c.reads) {
        if (is_concurrent(v, read)) {
            std::erase_if(early_, [&](const early_read& early) {
                return early.byte >= byte && early.byte < byte + bytes;
            });
            report_race(v, read, byte, "reads");
        }
    }
    if (!is_concurrent(v, c.write)) {
        return;
    }
    if (v.use == lds_use::write && !c.write.is_atomic) {
        const std::byte* old = v.w.group->lds.data() + byte;
        const std::byte* value = v.value + (byte - v.address);
        const std::byte* different = std::mismatch(old, old + bytes, value).first;
        if (different == old + bytes) {
            return;
        }
        byte += static_cast<uint32_t>(different - old);
    }
    report_race(v, c.write, byte, c.write.is_atomic ? "updates" : "writes");
}

void lds_shadow::check_cell(const visit& v, const cell& c, uint32_t byte, uint32_t bytes) {
    if (v.use != lds_use::write) {
        check_read(v, c, byte);
    }
    if (v.use != lds_use::read) {
        check_write(v, c, byte, bytes);
    }
}

// ---- a wave's own LDS instructions and loads to LDS ----

void lds_shadow::follow(const lds_access& a) {
    if ((a.w.checks & check::waits) == 0) {
        return;
    }
    if (a.i.queue == memory_queue::vector) {
        check_in_flight(a);
    } else {
        remember(a);
    }
}

void lds_shadow::remember(const lds_access& a) {
    auto& recent = recent_[static_cast<size_t>(a.w.index_in_group)];
    if (recent == nullptr) {
        recent = std::make_unique<recent_accesses>();
    }
    const uint32_t number = a.w.counters.issued(a.i.queue);
    in_flight& last = recent->entries[(recent->next - 1) % recent->entries.size()];
    // Lanes that are looked at one by one.
    if (last.by == &a.i && last.number == number && last.use == a.use && last.bytes == a.bytes &&
        !last.is_run && (last.lanes & a.lanes) == 0) {
        for_lanes(a.lanes,
                  [&](int lane) { last.address[static_cast<size_t>(lane)] = a.address[lane]; });
        last.lanes |= a.lanes;
        return;
    }
    in_flight& entry = recent->entries[recent->next++ % recent->entries.size()];
    entry.by = &a.i;
    entry.number = number;
    entry.bytes = a.bytes;
    entry.use = a.use;
    entry.lanes = a.lanes;
    const uint64_t lane = a.lanes & (0 - a.lanes);
    entry.is_run = a.followers != 0 && (a.followers | lane) == a.lanes;
    if (entry.is_run) {
        const uint32_t begin = a.address[std::countr_zero(lane)];
        entry.used = {begin, begin + static_cast<uint32_t>(std::popcount(a.lanes)) * a.bytes};
    } else {
        entry.used = {};
        std::copy_n(a.address, entry.address.size(), entry.address.begin());
    }
}

lds_shadow::span lds_shadow::span_of(uint64_t lanes, const uint32_t* address, uint32_t bytes) {
    span result{~uint32_t{0}, 0};
    for_lanes(lanes, [&](int lane) {
        result.begin = std::min(result.begin, address[lane]);
        result.end = std::max(result.end, address[lane] + bytes);
    });
    return result;
}

// Reports a load to LDS that may overtake what an LDS instruction of its wave still has to do there.
void lds_shadow::check_in_flight(const lds_access& a) const {
    const auto& recent = recent_[static_cast<size_t>(a.w.index_in_group)];
    if (recent == nullptr) {
        return;
    }
    const span own = span_of(a.lanes, a.address, a.bytes);
    for (in_flight& entry : recent->entries) {
        if (entry.by == nullptr || entry.number <= a.w.counters.completed(entry.by->queue)) {
            continue;
        }
        if (entry.used.end == 0) {
            entry.used = span_of(entry.lanes, entry.address.data(), entry.bytes);
        }
        if (own.begin >= entry.used.end || entry.used.begin >= own.end) {
            continue;
        }
        for (uint64_t left = a.lanes; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const uint32_t address = a.address[lane];
            for (uint64_t other = entry.lanes; other != 0; other &= other - 1) {
                const uint32_t used = entry.address_of(std::countr_zero(other));
                if (address >= used + entry.bytes || used >= address + a.bytes) {
                    continue;
                }
                const auto message = [&] {
                    return at_byte(a.w, static_cast<uint32_t>(lane), std::max(address, used)) +
                           " is overwritten by a load to LDS while the instruction that " +
                           verb(entry.use) + " it is pending (" + counter_name(entry.by->queue) +
                           ")";
                };
                report(a.w, a.i, check::waits, message, {"pending", entry.by, a.w.index_in_group});
                return;
            }
        }
    }
}

// ---- what is called ----

void lds_shadow::note(const lds_access& a) {
    follow(a);
    if (cells_.size() > max_cells_) [[unlikely]] {
        forget_unused();
    }
    visit v = visit_of(a);
    const auto look_at = [&](int first, int count) {
        v.lane = first;
        v.address = a.address[first];
        v.value = a.value_of(static_cast<size_t>(first));
        // Most blocks of a swizzled tile.
        cell_number& block = blocks_[v.address / block_bytes];
        if (block == v.before && static_cast<uint32_t>(count) * a.bytes == block_bytes &&
            v.address % block_bytes == 0) {
            block = v.after;
            return;
        }
        update_range<block_bytes>(v, v.address, v.address + static_cast<uint32_t>(count) * a.bytes);
    };
    // The values of lanes that write parts of a dword do not follow each other.
    const uint64_t followers = a.bytes % 4 == 0 ? a.followers : 0;
    for (uint64_t left = a.lanes & ~followers; left != 0; left &= left - 1) {
        const int first = std::countr_zero(left);
        look_at(first, 1 + std::countr_one(followers >> first >> 1));
    }
}

}  // namespace emu
