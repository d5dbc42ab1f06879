#include "machine/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace emu {

namespace {

constexpr size_t page_bytes = 4096;

struct range_table {
    std::shared_mutex mutex;
    std::map<uint64_t, memory_range> by_begin;
};

// Never destroyed: programs free memory from static destructors.
range_table& table() {
    static range_table& instance = *new range_table;
    return instance;
}

// Counts removals. A range that a thread remembers is valid as long as nothing was removed since;
// additions cannot make it wrong.
std::atomic<uint64_t> removals{0};

// The ranges that this thread used last. Four: a matrix kernel reads its arguments and two
// operands and writes a result.
struct range_cache {
    struct entry {
        uint64_t begin = 0;
        uint64_t end = 0;
        bool writable = false;
    };
    std::array<entry, 4> entries{};
    uint32_t last = 0;
    uint32_t next_victim = 0;
    uint64_t removals = 0;
};

// initial-exec: one instruction to reach instead of a call; 112 bytes fit the space that the
// loader reserves for libraries that are opened late.
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
thread_local constinit range_cache cache{};

std::byte* host_pointer(uint64_t address) {
    return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

// Written so that address + bytes cannot wrap around.
bool holds(uint64_t begin, uint64_t end, uint64_t address, uint64_t bytes) {
    return address >= begin && address < end && bytes <= end - address;
}

std::byte* translate_slow(uint64_t address, uint32_t bytes, bool is_write) {
    const uint64_t current = removals.load(std::memory_order_acquire);
    if (cache.removals != current) {
        cache.entries = {};
        cache.removals = current;
    }
    const auto range = find_range(address);
    if (!range || !holds(range->begin, range->end, address, bytes)) {
        return nullptr;
    }
    if (is_write && !range->writable) {
        return nullptr;
    }
    cache.last = cache.next_victim;
    cache.entries[cache.last] = {range->begin, range->end, range->writable};
    cache.next_victim = (cache.next_victim + 1) % cache.entries.size();
    return host_pointer(address);
}

}  // namespace

bool is_in_recent_range(uint64_t begin, uint64_t end, bool is_write) {
    if (cache.removals != removals.load(std::memory_order_acquire)) {
        return false;
    }
    const auto usable = [&](const range_cache::entry& e) {
        return holds(e.begin, e.end, begin, end - begin) && (e.writable || !is_write);
    };
    if (usable(cache.entries[cache.last])) {
        return true;
    }
    for (uint32_t n = 0; n < cache.entries.size(); ++n) {
        if (usable(cache.entries[n])) {
            cache.last = n;
            return true;
        }
    }
    return false;
}

std::byte* translate(uint64_t address, uint32_t bytes, bool is_write) {
    return is_in_recent_range(address, address + bytes, is_write)
               ? host_pointer(address)
               : translate_slow(address, bytes, is_write);
}

std::optional<memory_range> find_range(uint64_t address) {
    range_table& t = table();
    std::shared_lock lock(t.mutex);
    auto after = t.by_begin.upper_bound(address);
    if (after == t.by_begin.begin()) {
        return std::nullopt;
    }
    const memory_range& range = std::prev(after)->second;
    if (address >= range.end) {
        return std::nullopt;
    }
    return range;
}

namespace {

std::string name_of(const memory_range& r) {
    const char* kind = r.kind == memory_kind::loaded_image ? "segment of a code object"
                       : r.kind == memory_kind::launch     ? "block of launch arguments"
                                                           : "allocation";
    char text[96];
    std::snprintf(text, sizeof text, "the %llu-byte %s at 0x%llx",
                  static_cast<unsigned long long>(r.end - r.begin), kind,
                  static_cast<unsigned long long>(r.begin));
    return text;
}

// Further away than this a range says nothing about what the program meant.
constexpr uint64_t near_bytes = 1u << 20;

}  // namespace

std::string describe_address(uint64_t address, uint32_t bytes) {
    range_table& t = table();
    std::shared_lock lock(t.mutex);
    const auto after = t.by_begin.upper_bound(address);
    const memory_range* before = after == t.by_begin.begin() ? nullptr : &std::prev(after)->second;
    if (before != nullptr && address < before->end) {
        return holds(before->begin, before->end, address, bytes)
                   ? "inside of " + name_of(*before) + ", which is read-only"
                   : std::to_string(bytes - (before->end - address)) + " of them past the end of " +
                         name_of(*before);
    }
    const uint64_t past = before == nullptr ? ~uint64_t{0} : address - before->end;
    const uint64_t ahead = after == t.by_begin.end() ? ~uint64_t{0} : after->first - address;
    if (std::min(past, ahead) >= near_bytes) {
        return "far from every live allocation";
    }
    if (ahead < past) {
        return std::to_string(ahead) + " bytes before " + name_of(after->second);
    }
    return (past == 0 ? "right at" : std::to_string(past) + " bytes past") + " the end of " +
           name_of(*before);
}

void add_range(uint64_t begin, size_t bytes, bool writable, memory_kind kind) {
    range_table& t = table();
    std::unique_lock lock(t.mutex);
    t.by_begin[begin] = {begin, begin + bytes, writable, kind};
}

void remove_range(uint64_t begin) {
    range_table& t = table();
    std::unique_lock lock(t.mutex);
    t.by_begin.erase(begin);
    removals.fetch_add(1, std::memory_order_release);
}

void* allocate(size_t bytes, memory_kind kind) {
    if (bytes == 0 || bytes > SIZE_MAX - page_bytes) {
        return nullptr;
    }
    const size_t rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* pointer = std::aligned_alloc(page_bytes, rounded);
    if (pointer != nullptr) {
        // The size that was asked for, not the rounded one: an access behind it is an error.
        add_range(reinterpret_cast<uintptr_t>(pointer), bytes, true, kind);
    }
    return pointer;
}

bool release(void* pointer, memory_kind kind) {
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
    range_table& t = table();
    {
        std::unique_lock lock(t.mutex);
        const auto found = t.by_begin.find(address);
        if (found == t.by_begin.end() || found->second.kind != kind) {
            return false;
        }
        t.by_begin.erase(found);
        removals.fetch_add(1, std::memory_order_release);
    }
    std::free(pointer);
    return true;
}

}  // namespace emu
