#include "machine/memory.hpp"

#include <llvm/Support/MathExtras.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "machine/observer.hpp"
#include "machine/settings.hpp"
#include "machine/text.hpp"

namespace emu {

namespace {

constexpr size_t page_bytes = 4096;

// An allocation that was freed.
struct freed_range {
    uint64_t begin = 0;
    uint64_t end = 0;
    host_place allocated;
    host_place freed;
};
constexpr size_t remembered_frees = 256;

struct range_table {
    std::shared_mutex mutex;
    std::map<uint64_t, memory_range> by_begin;
    std::deque<freed_range> freed;  // the last ones, the newest at the end
};

// Never destroyed: programs free memory from static destructors.
range_table& table() {
    static range_table& instance = *new range_table;
    return instance;
}

// Counts removals. A range that recent_ranges remembers is valid as long as nothing was removed
// since; additions cannot make it wrong.
std::atomic<uint64_t> removals{0};

std::byte* host_pointer(uint64_t address) {
    return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

// Written so that address + bytes cannot wrap around.
bool holds(uint64_t begin, uint64_t end, uint64_t address, uint64_t bytes) {
    return address >= begin && address < end && bytes <= end - address;
}

std::optional<memory_range> find_range_for(uint64_t address, uint32_t bytes, bool is_write) {
    const auto range = find_range(address);
    const bool allows =
        range && holds(range->begin, range->end, address, bytes) && (range->writable || !is_write);
    return allows ? range : std::nullopt;
}

}  // namespace

std::byte* translate(uint64_t address, uint32_t bytes, bool is_write) {
    return find_range_for(address, bytes, is_write) ? host_pointer(address) : nullptr;
}

std::byte* recent_ranges::translate_slow(uint64_t address, uint32_t bytes, bool is_write) {
    const uint64_t current = removals.load(std::memory_order_acquire);
    if (removals_ != current) {
        entries_ = {};
        removals_ = current;
    }
    const auto range = find_range_for(address, bytes, is_write);
    if (!range) {
        return nullptr;
    }
    last_ = next_victim_;
    entries_[last_] = {range->begin, range->end, range->writable, range->written.get()};
    next_victim_ = (next_victim_ + 1) % entries_.size();
    return host_pointer(address);
}

bool recent_ranges::hold(uint64_t begin, uint64_t end, bool is_write) {
    if (removals_ != removals.load(std::memory_order_acquire)) {
        return false;
    }
    const auto usable = [&](const entry& e) {
        return holds(e.begin, e.end, begin, end - begin) && (e.writable || !is_write);
    };
    if (usable(entries_[last_])) {
        return true;
    }
    for (uint32_t n = 0; n < entries_.size(); ++n) {
        if (usable(entries_[n])) {
            last_ = n;
            return true;
        }
    }
    return false;
}

std::byte* recent_ranges::translate(uint64_t address, uint32_t bytes, bool is_write) {
    return hold(address, address + bytes, is_write) ? host_pointer(address)
                                                    : translate_slow(address, bytes, is_write);
}

void note_written(const tracked_range& range, const memory_access& a) {
    a.for_each_run([&](int run, int count) {
        range.written->mark(a.address[run] - range.begin,
                            static_cast<size_t>(a.bytes) * static_cast<size_t>(count));
    });
}

void note_written(uint64_t begin, size_t bytes) {
    const auto range = find_range(begin);
    if (range && range->written != nullptr) {
        range->written->mark(begin - range->begin, std::min<size_t>(bytes, range->end - begin));
    }
}

void note_copied(uint64_t begin, uint64_t from, size_t bytes) {
    const auto source = find_range(from);
    const auto range = find_range(begin);
    const bool is_followed = range && range->written != nullptr;
    if (!is_followed || !source || source->written == nullptr || bytes > source->end - from ||
        bytes > range->end - begin || source->written->all(from - source->begin, bytes)) {
        note_written(begin, bytes);
        return;
    }
    // A word at a time: most of them are written or not as a whole.
    constexpr size_t step = 64;
    for (size_t n = 0; n < bytes; n += step) {
        const size_t count = std::min(step, bytes - n);
        for (size_t b = n; b < n + count; ++b) {
            const bool is_written = source->written->all(from - source->begin + b, 1);
            const size_t to = begin - range->begin + b;
            is_written ? range->written->mark(to, 1) : range->written->unmark(to, 1);
        }
    }
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
    return format("the %llu-byte %s at 0x%llx", long_number(r.end - r.begin), kind,
                  long_number(r.begin));
}

std::string name_of(const freed_range& r) {
    const std::string allocated = r.allocated.text();
    const std::string freed = r.freed.text();
    return format("the freed %llu-byte allocation at 0x%llx", long_number(r.end - r.begin),
                  long_number(r.begin)) +
           (allocated.empty() ? "" : "; allocated in " + allocated) +
           (freed.empty() ? "" : "; freed in " + freed);
}

// The last allocation that was there, if it was freed. @pre no live range has the address
const freed_range* find_freed(const range_table& t, uint64_t address) {
    for (auto r = t.freed.rbegin(); r != t.freed.rend(); ++r) {
        if (address >= r->begin && address < r->end) {
            return &*r;
        }
    }
    return nullptr;
}

// Further away than this a range says nothing about what the program meant.
constexpr uint64_t near_bytes = 1u << 20;

// A range, and by how many accesses of this size it ends too early for this one.
std::string too_small_name_of(const memory_range& r, uint64_t address, uint32_t bytes) {
    const uint64_t missing = (address + bytes - r.end + bytes - 1) / bytes;
    return name_of(r) + ", too small by " + std::to_string(missing) +
           (missing == 1 ? " element" : " elements") + " of " + std::to_string(bytes) +
           (bytes == 1 ? " byte" : " bytes");
}

// Where the access lies beside the live ranges next to it; empty where none is near.
std::string distance_from_ranges(const memory_range* before, const memory_range* after,
                                 uint64_t address, uint32_t bytes, uint64_t limit) {
    const uint64_t past = before == nullptr ? ~uint64_t{0} : address - before->end;
    const uint64_t ahead = after == nullptr ? ~uint64_t{0} : after->begin - address;
    if (std::min(past, ahead) >= limit) {
        return "";
    }
    if (ahead < past) {
        return std::to_string(ahead) + " bytes before " + name_of(*after);
    }
    return (past == 0 ? "right at" : std::to_string(past) + " bytes past") + " the end of " +
           too_small_name_of(*before, address, bytes);
}

}  // namespace

std::string describe_address(uint64_t address, uint32_t bytes) {
    range_table& t = table();
    std::shared_lock lock(t.mutex);
    const auto next = t.by_begin.upper_bound(address);
    const memory_range* after = next == t.by_begin.end() ? nullptr : &next->second;
    const memory_range* before = next == t.by_begin.begin() ? nullptr : &std::prev(next)->second;
    if (before != nullptr && address < before->end) {
        return holds(before->begin, before->end, address, bytes)
                   ? "inside of " + name_of(*before) + ", which is read-only"
                   : std::to_string(bytes - (before->end - address)) + " of them past the end of " +
                         too_small_name_of(*before, address, bytes);
    }
    if (address < page_bytes) {
        return address == 0 ? "a null pointer" : "near a null pointer";
    }
    if (const freed_range* freed = find_freed(t, address)) {
        return "byte " + std::to_string(address - freed->begin) + " of " + name_of(*freed);
    }
    std::string close = distance_from_ranges(before, after, address, bytes, page_bytes);
    if (!close.empty()) {
        return close;
    }
    const std::string host = name_of_host_memory(address);
    if (!host.empty()) {
        return host + ", which kernels cannot use";
    }
    const std::string near = distance_from_ranges(before, after, address, bytes, near_bytes);
    return near.empty() ? "far from every live allocation" : near;
}

std::string name_of_byte(uint64_t address) {
    const auto range = find_range(address);
    return range ? "byte " + std::to_string(address - range->begin) + " of " + name_of(*range)
                 : describe_address(address, 1);
}

// ---- which bytes were written ----

written_bytes::written_bytes(size_t bytes)
    : bytes_(bytes), bits_(static_cast<word*>(std::calloc((bytes + 63) / 64 + 1, sizeof(word)))) {
    if (bits_ == nullptr) {
        complete_ = true;  // without memory for it nothing is followed
    }
}

written_bytes::~written_bytes() {
    std::free(bits_);
}

namespace {

// Calls f(word, mask) for the words of bits from `first` on; ends where it returns false.
template <class F>
bool for_each_word(size_t first, size_t count, F&& f) {
    while (count != 0) {
        const size_t bit = first % 64;
        const size_t taken = std::min<size_t>(count, 64 - bit);
        const uint64_t mask = (~uint64_t{0} >> (64 - taken)) << bit;
        if (!f(first / 64, mask)) {
            return false;
        }
        first += taken;
        count -= taken;
    }
    return true;
}

}  // namespace

void written_bytes::mark(size_t first, size_t count) {
    if (is_complete()) {
        return;
    }
    if (first == 0 && count == bytes_) {
        complete_.store(true, std::memory_order_relaxed);
        return;
    }
    for_each_word(first, count, [&](size_t n, uint64_t mask) {
        if ((bits_[n].load(std::memory_order_relaxed) & mask) != mask) {
            bits_[n].fetch_or(mask, std::memory_order_relaxed);
        }
        return true;
    });
}

void written_bytes::unmark(size_t first, size_t count) {
    if (bits_ == nullptr) {
        return;
    }
    if (is_complete()) {
        std::memset(static_cast<void*>(bits_), 0xff, (bytes_ + 63) / 64 * sizeof(word));
        complete_.store(false, std::memory_order_release);
    }
    for_each_word(first, count, [&](size_t n, uint64_t mask) {
        bits_[n].fetch_and(~mask, std::memory_order_relaxed);
        return true;
    });
}

bool written_bytes::all(size_t first, size_t count) const {
    return is_complete() || for_each_word(first, count, [&](size_t n, uint64_t mask) {
               return (bits_[n].load(std::memory_order_relaxed) & mask) == mask;
           });
}

bool written_bytes::none(size_t first, size_t count) const {
    return !is_complete() && for_each_word(first, count, [&](size_t n, uint64_t mask) {
        return (bits_[n].load(std::memory_order_relaxed) & mask) == 0;
    });
}

bool written_bytes::all_of(uint64_t lanes, const uint64_t* address, uint64_t begin,
                           int count) const {
    if (is_complete()) {
        return true;
    }
    uint64_t unwritten = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t first = address[std::countr_zero(lanes)] - begin;
        const uint64_t low = bits_[first / 64].load(std::memory_order_relaxed) >> first % 64;
        const uint64_t high = bits_[first / 64 + 1].load(std::memory_order_relaxed);
        unwritten |= ~(low | high << 1 << (63 - first % 64));
    }
    return (unwritten & ((uint64_t{1} << count) - 1)) == 0;
}

void add_range(uint64_t begin, size_t bytes, bool writable, memory_kind kind) {
    range_table& t = table();
    std::unique_lock lock(t.mutex);
    t.by_begin[begin] = {begin, begin + bytes, writable, kind, nullptr, {}};
}

void remove_range(uint64_t begin) {
    range_table& t = table();
    std::unique_lock lock(t.mutex);
    t.by_begin.erase(begin);
    removals.fetch_add(1, std::memory_order_release);
}

namespace {

// What a fresh byte holds: all ones are a NaN of f64, f32, f16, bf16, fp8 e4m3fn, e5m2 and e8m0. The
// fnuz types of gfx942 have one NaN, 0x80, which is none of the wider types: 0xff is the largest
// negative number there, and the largest of fp4 and fp6.
constexpr int fresh_nan = 0xff;

// From this size on, pages are copies of those of a small file that are made when they are written
// to: what a program does not use takes neither time nor memory.
constexpr size_t lazy_bytes = size_t{32} << 20;
constexpr size_t least_copy_bytes = size_t{2} << 20;
constexpr size_t most_copies = 1024;  // of the 65530 mappings that a process has

// A file in memory of `bytes` fresh bytes; -1 if there can be none.
int fresh_file(size_t bytes) {
    const int file = ::memfd_create("opus fresh memory", MFD_CLOEXEC);
    const std::vector<unsigned char> block(least_copy_bytes, fresh_nan);
    for (size_t at = 0; file >= 0 && at < bytes;) {
        const ssize_t written = ::write(file, block.data(), std::min(block.size(), bytes - at));
        if (written <= 0) {
            ::close(file);
            return -1;
        }
        at += static_cast<size_t>(written);
    }
    return file;
}

// Lays the file over [begin, begin + bytes) again and again; what cannot be mapped is written.
void fill_with_copies(std::byte* begin, size_t bytes) {
    size_t copy_bytes = least_copy_bytes;
    while (bytes / copy_bytes > most_copies) {
        copy_bytes *= 2;
    }
    const int file = fresh_file(copy_bytes);
    size_t at = 0;
    for (; file >= 0 && at < bytes; at += copy_bytes) {
        const size_t count = std::min(copy_bytes, bytes - at);
        if (::mmap(begin + at, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) ==
            MAP_FAILED) {
            break;
        }
    }
    if (file >= 0) {
        ::close(file);
    }
    if (at < bytes) {
        std::memset(begin + at, fresh_nan, bytes - at);
    }
}

// A page in front of each allocation that is none: what runs beyond the end of one does not find the
// next.
void unmap_pages(void* pointer, size_t bytes) {
    ::munmap(static_cast<std::byte*>(pointer) - page_bytes, bytes + page_bytes);
}

// Pages of their own, where no memory of the host is beside them. nullptr if there are none.
void* map_pages(size_t bytes, fresh_memory contents) {
    void* mapped = ::mmap(nullptr, bytes + page_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    std::byte* pointer = static_cast<std::byte*>(mapped) + page_bytes;
    if (contents == fresh_memory::nan && bytes >= lazy_bytes) {
        fill_with_copies(pointer, bytes);
    } else if (contents == fresh_memory::nan) {
        std::memset(pointer, fresh_nan, bytes);
    }
    return pointer;
}

}  // namespace

void* allocate(size_t bytes, memory_kind kind) {
    if (bytes == 0 || bytes > SIZE_MAX - 2 * page_bytes) {
        return nullptr;
    }
    void* pointer = map_pages(llvm::alignTo(bytes, page_bytes), read_fresh_memory());
    if (pointer != nullptr) {
        // The size that was asked for, not the rounded one: an access behind it is an error.
        // What the host can write to is not followed.
        const bool is_followed =
            kind == memory_kind::device && follows_memory(read_settings().checks);
        const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
        range_table& t = table();
        std::unique_lock lock(t.mutex);
        t.by_begin[begin] = {begin,
                             begin + bytes,
                             true,
                             kind,
                             is_followed ? std::make_shared<written_bytes>(bytes) : nullptr,
                             host_place::here()};
    }
    return pointer;
}

bool release(void* pointer, memory_kind kind) {
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
    range_table& t = table();
    size_t bytes = 0;
    {
        std::unique_lock lock(t.mutex);
        const auto found = t.by_begin.find(address);
        if (found == t.by_begin.end() || found->second.kind != kind) {
            return false;
        }
        const memory_range& range = found->second;
        bytes = range.end - range.begin;
        t.freed.push_back({range.begin, range.end, range.allocated, host_place::here()});
        if (t.freed.size() > remembered_frees) {
            t.freed.pop_front();
        }
        t.by_begin.erase(found);
        removals.fetch_add(1, std::memory_order_release);
    }
    unmap_pages(pointer, llvm::alignTo(bytes, page_bytes));
    return true;
}

}  // namespace emu
