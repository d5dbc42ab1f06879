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

std::string verb(lds_use use) {
    return use == lds_use::read ? "reads" : use == lds_use::write ? "writes" : "updates";
}

// The lanes behind the access's may use the bytes behind its own.
uint32_t lane_of(const auto& a, uint32_t byte) {
    return static_cast<uint32_t>(a.lane) + (byte - a.address) / a.bytes;
}

// Between what two lanes write: whole dwords.
size_t value_stride(uint32_t bytes) {
    return (bytes + 3) / 4 * 4;
}

std::string at_byte(const wave& w, uint32_t lane, uint32_t byte) {
    return "lane " + std::to_string(lane) + ": " + name_of_lds_byte(*w.group, byte);
}

std::string at_byte(const auto& a, uint32_t byte) {
    return at_byte(a.w, lane_of(a, byte), byte);
}

// The dword of LDS in which the byte is.
uint32_t dword_at(const workgroup& group, uint32_t byte) {
    uint32_t value = 0;
    const size_t first = byte / 4 * 4;
    std::memcpy(&value, group.lds.data() + first, std::min<size_t>(4, group.lds.size() - first));
    return value;
}

// What of the access's own value lies in that dword; what is in LDS where it writes less.
uint32_t new_dword_at(const auto& a, uint32_t byte) {
    uint32_t value = dword_at(*a.w.group, byte);
    auto* bytes = reinterpret_cast<std::byte*>(&value);
    for (uint32_t n = 0; n < 4; ++n) {
        const uint32_t from = byte / 4 * 4 + n - a.address;
        // Lanes behind the access's have their values behind its own, in whole dwords.
        const size_t lane = from / a.bytes;
        if (byte / 4 * 4 + n >= a.address && lane == (byte - a.address) / a.bytes) {
            bytes[n] = a.value[lane * value_stride(a.bytes) + from % a.bytes];
        }
    }
    return value;
}

}  // namespace

lds_shadow::lds_shadow(const workgroup& group, lds_shadow* finished) {
    if (finished != nullptr) {
        states_ = std::move(finished->states_);
        blocks_ = std::move(finished->blocks_);
    }
    const size_t blocks = (group.lds.size() + block_bytes - 1) / block_bytes;
    states_.assign(blocks, block_state::whole);
    blocks_.assign(blocks, {});
}

lds_shadow::visit lds_shadow::visit_of(const wave& w, const instruction& i, lds_use use) {
    visit v;
    v.own.number = w.counters.issued(i.queue);
    v.own.instruction = i.number;
    v.own.wave = static_cast<uint32_t>(w.index_in_group);
    v.own.queue = static_cast<uint32_t>(i.queue);
    v.own.is_atomic = use == lds_use::atomic;
    v.use = use;
    v.reports_uninitialized = (w.checks & check::uninitialized_lds) != 0;
    v.loads_completed = w.counters.completed(memory_queue::vector);
    // What is in no cell: nothing is known yet.
    v.before.write.number = ~uint32_t{0};
    v.after = v.before;
    return v;
}

// ---- which cells ----

// The block's bytes as cells of 4.
void lds_shadow::split_block(uint32_t block) {
    if (dwords_.empty()) {
        dwords_.resize(4 * blocks_.size());
        split_index_.resize(dwords_.size());
    }
    std::fill_n(dwords_.begin() + 4 * block, 4, blocks_[block]);
    states_[block] = block_state::dwords;
}

// The dword's bytes as cells of their own.
// @pre its block is split
std::array<lds_shadow::cell, 4>& lds_shadow::split_dword(uint32_t dword) {
    uint8_t& state = states_[dword / 4];
    const auto bit = static_cast<uint8_t>(1u << dword % 4);
    uint32_t& index = split_index_[dword];
    if (index == 0) {
        split_.emplace_back();
        index = static_cast<uint32_t>(split_.size());
    }
    auto& bytes = split_[index - 1];
    if ((state & bit) == 0) {
        bytes.fill(dwords_[dword]);
        state |= bit;
    }
    return bytes;
}

// Enters the access in a cell that is not equal to the last one which this visit has changed.
// check(c) is called with what it was before if the two may conflict.
template <class Check>
[[gnu::noinline]] void lds_shadow::work_out(visit& v, cell& c, Check&& check) const {
    const cell before = c;
    if (may_conflict(v, before)) {
        check(before);
        enter(v, c);
        return;
    }
    enter(v, c);
    v.before = before;
    v.after = c;
}

template <class Check>
[[gnu::always_inline]] void lds_shadow::update(visit& v, cell& c, Check&& check) const {
    if (c == v.before) [[likely]] {
        c = v.after;
    } else if (c != v.after) {  // else another lane was here
        work_out(v, c, check);
    }
}

// All bytes of a block.
template <class Check>
void lds_shadow::update_block(visit& v, uint32_t block, Check&& check) {
    const uint32_t address = block * block_bytes;
    if (states_[block] == block_state::whole) [[likely]] {
        update(v, blocks_[block], [&](const cell& c) { check(c, address, block_bytes); });
        return;
    }
    update_parts(v, address, block_bytes, check);
    const cell* dwords = &dwords_[4 * block];
    if (states_[block] == block_state::dwords && dwords[0] == dwords[1] && dwords[0] == dwords[2] &&
        dwords[0] == dwords[3]) {
        blocks_[block] = dwords[0];
        states_[block] = block_state::whole;
    }
}

// Bytes of a block that is split.
template <class Check>
void lds_shadow::update_parts(visit& v, uint32_t address, uint32_t bytes, Check&& check) {
    const uint8_t state = states_[address / block_bytes];
    const uint32_t end = address + bytes;
    while (address < end) {
        const uint32_t dword = address / 4;
        const bool is_split = (state >> dword % 4 & 1) != 0;
        if (!is_split && address % 4 == 0 && end - address >= 4) [[likely]] {
            update(v, dwords_[dword], [&](const cell& c) { check(c, address, 4u); });
            address += 4;
            continue;
        }
        auto& single = split_dword(dword);
        for (; address < end && address / 4 == dword; ++address) {
            update(v, single[address % 4], [&](const cell& c) { check(c, address, 1u); });
        }
    }
}

template <class Check>
void lds_shadow::update_range(visit& v, uint32_t address, uint32_t bytes, Check&& check) {
    const uint32_t end = address + bytes;
    while (address < end) {
        const uint32_t block = address / block_bytes;
        const uint32_t in_block = std::min(end, (block + 1) * block_bytes) - address;
        if (in_block == block_bytes) {
            update_block(v, block, check);
        } else {
            if (states_[block] == block_state::whole) {
                split_block(block);
            }
            update_parts(v, address, in_block, check);
        }
        address += in_block;
    }
}

// ---- what is reported, and what is noted ----

void lds_shadow::report_unwritten() {
    for (const early_read& read : std::exchange(early_, {})) {
        report(*read.w, *read.i, check::uninitialized_lds, [&] {
            return at_byte(*read.w, read.lane, read.byte) +
                   " is read before anything is written there (the value is " +
                   value_text(read.value) + ")";
        });
    }
}

void lds_shadow::note_unwritten(const lane_access& a, uint32_t byte) {
    const auto is_noted = [&](const early_read& read) { return read.i == &a.i; };
    if (std::ranges::none_of(early_, is_noted)) {
        early_.push_back({&a.w, &a.i, lane_of(a, byte), byte, dword_at(*a.w.group, byte)});
    }
    const bool may_be_a_race = a.w.group->waves.size() > 1 && (a.w.checks & check::races) != 0;
    if (!may_be_a_race) {
        report_unwritten();
    }
}

void lds_shadow::ends(const workgroup&) {
    report_unwritten();
}

void lds_shadow::passes_barrier(const workgroup& group) {
    report_unwritten();
    for (size_t n = 0; n < group.waves.size(); ++n) {
        for (size_t q = 0; q < memory_queue_count; ++q) {
            ordered_[n][q] = group.waves[n].counters.ordered(static_cast<memory_queue>(q));
        }
    }
}

bool lds_shadow::is_concurrent(const stamp& own, const stamp& s) const {
    return s.wave != own.wave && s.number > ordered_[s.wave][s.queue] &&
           !(own.is_atomic && s.is_atomic);
}

// A load to LDS that this wave has not waited for. Another load may follow it: they are in order.
bool lds_shadow::is_own_load(const visit& v, const stamp& s) {
    constexpr auto loads = static_cast<uint32_t>(memory_queue::vector);
    return s.wave == v.own.wave && s.queue == loads && v.own.queue != loads &&
           s.number > v.loads_completed;
}

bool lds_shadow::may_conflict(const visit& v, const stamp& s) const {
    return is_own_load(v, s) || is_concurrent(v.own, s);
}

// False for nearly everything that a correct kernel does.
bool lds_shadow::may_conflict(const visit& v, const cell& c) const {
    if (may_conflict(v, c.write)) {
        return true;
    }
    if (v.use != lds_use::write && c.write.number == 0 && v.reports_uninitialized) {
        return true;
    }
    return v.use != lds_use::read &&
           (is_concurrent(v.own, c.reads[0]) || is_concurrent(v.own, c.reads[1]));
}

void lds_shadow::report_race(const lane_access& a, const stamp& s, uint32_t byte,
                             const char* earlier_use) {
    const auto queue = static_cast<memory_queue>(s.queue);
    const outstanding& memory = a.w.group->waves[s.wave].counters;
    const bool passed_barrier = s.number <= memory.issued_before_barrier(queue);
    const bool lacks_wait = passed_barrier || s.number > memory.completed(queue);
    if ((a.w.checks & (lacks_wait ? check::races | check::waits : check::races)) == 0) {
        return;
    }
    const auto message = [&] {
        const std::string other = "wave " + std::to_string(s.wave);
        const std::string why = passed_barrier ? ", and " + other + " had not waited for it (" +
                                                     counter_name(queue) + ") at the barrier"
                                               : " without a barrier between";
        const std::string value = value_text(dword_at(*a.w.group, byte));
        const std::string values =
            a.use == lds_use::write && a.value != nullptr
                ? " (" + value_text(new_dword_at(a, byte)) + " over " + value + ")"
                : " (" + value + ")";
        return "race: " + at_byte(a, byte) + ": wave " + std::to_string(a.w.index_in_group) + " " +
               verb(a.use) + " what " + other + " " + earlier_use + why + values;
    };
    const bool is_race = (a.w.checks & check::races) != 0;
    report(a.w, a.i, is_race ? check::races : check::waits, message,
           {"the other one", &a.w.group->code->decoded(s.instruction), static_cast<int>(s.wave)});
}

void lds_shadow::check_own_load(const lane_access& a, const visit& v, const stamp& s,
                                uint32_t byte) {
    if (!is_own_load(v, s) || (a.w.checks & check::waits) == 0) {
        return;
    }
    const auto message = [&] {
        return at_byte(a, byte) + (a.use == lds_use::read ? " is read" : " is overwritten") +
               " while the load that writes it is pending (vmcnt)";
    };
    report(a.w, a.i, check::waits, message,
           {"pending", &a.w.group->code->decoded(s.instruction), a.w.index_in_group});
}

void lds_shadow::check_read(const lane_access& a, const visit& v, const cell& c, uint32_t byte) {
    if (c.write.number == 0 && v.reports_uninitialized) {
        note_unwritten(a, byte);
    }
    check_own_load(a, v, c.write, byte);
    if (is_concurrent(v.own, c.write)) {
        report_race(a, c.write, byte, c.write.is_atomic ? "updates" : "writes");
    }
}

// Several waves that write the same value leave it there in any order, so that is no race.
void lds_shadow::check_write(const lane_access& a, const visit& v, const cell& c, uint32_t byte,
                             uint32_t bytes) {
    check_own_load(a, v, c.write, byte);
    for (const stamp& read : c.reads) {
        if (is_concurrent(v.own, read)) {
            std::erase_if(early_, [&](const early_read& early) {
                return early.byte >= byte && early.byte < byte + bytes;
            });
            report_race(a, read, byte, "reads");
        }
    }
    if (!is_concurrent(v.own, c.write)) {
        return;
    }
    if (a.use == lds_use::write && !c.write.is_atomic) {
        const std::byte* old = a.w.group->lds.data() + byte;
        const std::byte* value = a.value + (byte - a.address);
        const std::byte* different = std::mismatch(old, old + bytes, value).first;
        if (different == old + bytes) {
            return;
        }
        byte += static_cast<uint32_t>(different - old);
    }
    report_race(a, c.write, byte, c.write.is_atomic ? "updates" : "writes");
}

void lds_shadow::check_cell(const lane_access& a, const visit& v, const cell& c, uint32_t byte,
                            uint32_t bytes) {
    if (a.use != lds_use::write) {
        check_read(a, v, c, byte);
    }
    if (a.use != lds_use::read) {
        check_write(a, v, c, byte, bytes);
    }
}

void lds_shadow::enter(const visit& v, cell& c) const {
    if (v.use != lds_use::read) {
        c.write = v.own;
        return;
    }
    auto& [first, second] = c.reads;
    if (first.wave == v.own.wave || (second.wave != v.own.wave && !is_concurrent(v.own, first))) {
        first = v.own;
    } else if (!is_concurrent(v.own, second)) {
        second = v.own;
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
        (last.lanes & a.lanes) == 0) {
        for (uint64_t left = a.lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(left));
            last.address[lane] = a.address[lane];
        }
        last.lanes |= a.lanes;
        return;
    }
    in_flight& entry = recent->entries[recent->next++ % recent->entries.size()];
    entry.by = &a.i;
    entry.number = number;
    entry.bytes = a.bytes;
    entry.use = a.use;
    entry.lanes = a.lanes;
    entry.used = {};
    std::copy_n(a.address, entry.address.size(), entry.address.begin());
}

lds_shadow::span lds_shadow::span_of(uint64_t lanes, const uint32_t* address, uint32_t bytes) {
    span result{~uint32_t{0}, 0};
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t first = address[std::countr_zero(lanes)];
        result.begin = std::min(result.begin, first);
        result.end = std::max(result.end, first + bytes);
    }
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
                const uint32_t used = entry.address[static_cast<size_t>(std::countr_zero(other))];
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
    visit v = visit_of(a.w, a.i, a.use);
    // Of a cell that begins in lane `first` or in one of those behind it.
    const auto check_from = [&](size_t first) {
        return [&v, &a, first, this](const cell& c, uint32_t byte, uint32_t bytes) {
            check_cell({a.w, a.i, static_cast<int>(first), a.address[first], a.bytes, a.use,
                        a.value_of(first)},
                       v, c, byte, bytes);
        };
    };
    // Lanes that use bytes one after the other are one access.
    const bool is_dwords = a.bytes % 4 == 0;
    if (is_dwords && a.is_run) {
        update_range(v, a.address[0], lane_count * a.bytes, check_from(0));
        return;
    }
    uint64_t left = a.lanes;
    while (left != 0) {
        const auto first = static_cast<size_t>(std::countr_zero(left));
        left &= left - 1;
        const uint32_t address = a.address[first];
        const uint32_t block = address / block_bytes;
        if (a.bytes == block_bytes && address % block_bytes == 0 &&
            states_[block] == block_state::whole) [[likely]] {
            update(v, blocks_[block],
                   [&](const cell& c) { check_from(first)(c, address, block_bytes); });
            continue;
        }
        uint32_t bytes = a.bytes;
        for (size_t l = first + 1;
             is_dwords && l < lane_count && (left >> l & 1) != 0 && a.address[l] == address + bytes;
             ++l) {
            bytes += a.bytes;
            left &= left - 1;
        }
        update_range(v, address, bytes, check_from(first));
    }
}

}  // namespace emu
