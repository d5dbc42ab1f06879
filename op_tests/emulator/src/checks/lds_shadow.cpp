#include "checks/lds_shadow.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "checks/error.hpp"
#include "isa/decode.hpp"
#include "machine/settings.hpp"

namespace emu {
namespace {

std::string verb(lds_use use) {
    return use == lds_use::read ? "reads" : use == lds_use::write ? "writes" : "updates";
}

std::string at_byte(const lds_access& a, uint32_t byte) {
    return "lane " + std::to_string(a.lane) + ": LDS byte " + std::to_string(byte);
}

}  // namespace

lds_shadow::lds_shadow(size_t bytes) : cells_((bytes + 3) / 4), split_index_(cells_.size()) {}

std::array<lds_shadow::cell, 4>& lds_shadow::split(size_t dword) {
    if (split_index_[dword] == 0) {
        split_.emplace_back().fill(cells_[dword]);
        split_index_[dword] = static_cast<uint32_t>(split_.size());
    }
    return split_[split_index_[dword] - 1];
}

// f(cell, first byte, bytes), in order of the address.
template <class F>
void lds_shadow::for_each_cell(uint32_t address, uint32_t bytes, F&& f) {
    const uint32_t end = address + bytes;
    while (address < end) {
        const uint32_t dword = address / 4;
        if (address % 4 == 0 && end - address >= 4 && split_index_[dword] == 0) [[likely]] {
            f(cells_[dword], address, 4u);
            address += 4;
            continue;
        }
        auto& single = split(dword);
        for (; address < end && address / 4 == dword; ++address) {
            f(single[address % 4], address, 1u);
        }
    }
}

lds_shadow::stamp lds_shadow::stamp_of(const lds_access& a) {
    stamp s;
    s.number = a.w.memory.issued(a.i.queue);
    s.instruction = a.i.number;
    s.wave = static_cast<uint32_t>(a.w.index_in_group);
    s.queue = static_cast<uint32_t>(a.i.queue);
    s.is_atomic = a.use == lds_use::atomic;
    return s;
}

void lds_shadow::pass_barrier(const workgroup& group) {
    for (size_t n = 0; n < group.waves.size(); ++n) {
        for (size_t q = 0; q < memory_queue_count; ++q) {
            ordered_[n][q] = group.waves[n].memory.ordered(static_cast<memory_queue>(q));
        }
    }
}

bool lds_shadow::is_concurrent(const stamp& own, const stamp& s) const {
    return s.wave != own.wave && s.number > ordered_[s.wave][s.queue] &&
           !(own.is_atomic && s.is_atomic);
}

// False for nearly everything that a correct kernel does.
bool lds_shadow::may_conflict(const stamp& own, const stamp& s) const {
    constexpr auto loads = static_cast<uint32_t>(memory_queue::vector);
    return s.wave == own.wave ? s.queue == loads : is_concurrent(own, s);
}

void lds_shadow::report_race(const lds_access& a, const stamp& s, uint32_t byte,
                             const char* earlier_use) {
    const auto queue = static_cast<memory_queue>(s.queue);
    const outstanding& memory = a.w.group->waves[s.wave].memory;
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
        return "race: " + at_byte(a, byte) + ": wave " + std::to_string(a.w.index_in_group) + " " +
               verb(a.use) + " what " + other + " " + earlier_use + why;
    };
    const bool is_race = (a.w.checks & check::races) != 0;
    report(a.w, a.i, is_race ? check::races : check::waits, message,
           {"the other one", &a.w.group->code->decoded(s.instruction), static_cast<int>(s.wave)});
}

// A load to LDS that this wave has not waited for.
void lds_shadow::check_own_load(const lds_access& a, const stamp& s, uint32_t byte) {
    constexpr auto loads = memory_queue::vector;
    if (static_cast<int>(s.wave) != a.w.index_in_group || a.i.queue == loads ||
        static_cast<memory_queue>(s.queue) != loads || s.number <= a.w.memory.completed(loads) ||
        (a.w.checks & check::waits) == 0) {
        return;
    }
    const auto message = [&] {
        return at_byte(a, byte) + (a.use == lds_use::read ? " is read" : " is overwritten") +
               " while the load that writes it is pending (vmcnt)";
    };
    report(a.w, a.i, check::waits, message,
           {"pending", &a.w.group->code->decoded(s.instruction), a.w.index_in_group});
}

void lds_shadow::check_read(const lds_access& a, const stamp& own, const cell& c,
                            uint32_t byte) const {
    if (c.write.number == 0 && (a.w.checks & check::uninitialized_lds) != 0) {
        report(a.w, a.i, check::uninitialized_lds,
               [&] { return at_byte(a, byte) + " is read before anything is written there"; });
    }
    check_own_load(a, c.write, byte);
    if (is_concurrent(own, c.write)) {
        report_race(a, c.write, byte, c.write.is_atomic ? "updates" : "writes");
    }
}

// Several waves that write the same value leave it there in any order, so that is no race.
void lds_shadow::check_write(const lds_access& a, const stamp& own, const cell& c, uint32_t byte,
                             uint32_t bytes) const {
    check_own_load(a, c.write, byte);
    for (const stamp& read : c.reads) {
        if (is_concurrent(own, read)) {
            report_race(a, read, byte, "reads");
        }
    }
    if (!is_concurrent(own, c.write)) {
        return;
    }
    const bool is_plain = a.use == lds_use::write && !c.write.is_atomic;
    const std::byte* old = a.w.group->lds.data() + byte;
    if (is_plain && std::memcmp(old, a.value + (byte - a.address), bytes) == 0) {
        return;
    }
    report_race(a, c.write, byte, c.write.is_atomic ? "updates" : "writes");
}

void lds_shadow::note_read(const stamp& own, cell& c) const {
    auto& [first, second] = c.reads;
    if (first.wave == own.wave || (second.wave != own.wave && !is_concurrent(own, first))) {
        first = own;
    } else if (second.wave == own.wave || !is_concurrent(own, second)) {
        second = own;
    }
}

void lds_shadow::note(const lds_access& a) {
    const stamp own = stamp_of(a);
    for_each_cell(a.address, a.bytes, [&](cell& c, uint32_t byte, uint32_t bytes) {
        if (a.use != lds_use::write && (c.write.number == 0 || may_conflict(own, c.write))) {
            check_read(a, own, c, byte);
        }
        if (a.use == lds_use::read) {
            note_read(own, c);
            return;
        }
        if (may_conflict(own, c.write) || may_conflict(own, c.reads[0]) ||
            may_conflict(own, c.reads[1])) {
            check_write(a, own, c, byte, bytes);
        }
        c.write = own;
    });
}

}  // namespace emu
