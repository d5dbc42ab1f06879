// What device code can address: a device address is the host address of the same byte.
//
// Every range that a kernel may read or write is registered here; an access outside of all
// ranges, or across the end of one, is an error of the program that is emulated.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "machine/host_place.hpp"
#include "machine/target.hpp"

namespace emu {

enum class memory_kind {
    device,        // hipMalloc
    managed,       // hipMallocManaged: kernels and the host use it
    host,          // hipHostMalloc: host memory that kernels can use as well
    loaded_image,  // a segment of a code object
    launch,        // kernel arguments and dispatch packet of one launch
};

// Which bytes of an allocation were written, by whomever. Any thread.
class written_bytes {
public:
    explicit written_bytes(size_t bytes);
    ~written_bytes();
    written_bytes(const written_bytes&) = delete;
    written_bytes& operator=(const written_bytes&) = delete;

    // Of [first, first + count), which lie in the allocation.
    void mark(size_t first, size_t count);
    void unmark(size_t first, size_t count);
    bool all(size_t first, size_t count) const;
    bool none(size_t first, size_t count) const;
    // Of `count` bytes, 16 at most, from `address` less `begin` of each of the lanes.
    bool all_of(uint64_t lanes, const uint64_t* address, uint64_t begin, int count) const;
    // All bytes were written, and at once: what most operands of kernels are.
    bool is_complete() const { return complete_.load(std::memory_order_acquire); }

private:
    using word = std::atomic<uint64_t>;
    size_t bytes_;
    std::atomic<bool> complete_{false};  // all of them; the bits do not say so then
    word* bits_;  // one for each byte, and a word behind; pages that nobody uses take no memory
};

struct memory_range {
    uint64_t begin = 0;
    uint64_t end = 0;  // one past the last byte
    bool writable = false;
    memory_kind kind = memory_kind::device;
    std::shared_ptr<written_bytes> written;  // nullptr where that is not followed
    host_place allocated;
};

// The host pointer of `bytes` bytes from `address`, or nullptr unless all of them lie inside one
// registered range that allows the access. Any thread.
// @pre bytes > 0
std::byte* translate(uint64_t address, uint32_t bytes, bool is_write);

struct tracked_range {
    uint64_t begin = 0;
    written_bytes* written = nullptr;  // nullptr where it is not followed
};

// The ranges that were used last, by one thread at a time: fast when the same few are used again and
// again. Four: a matrix kernel reads its arguments and two operands and writes a result.
class recent_ranges {
public:
    // As the function.
    std::byte* translate(uint64_t address, uint32_t bytes, bool is_write);

    // True if [begin, end) lies inside one of them and may be accessed so. False says nothing: it is
    // for whoever can translate() the parts one by one instead.
    bool hold(uint64_t begin, uint64_t end, bool is_write);

    // The range that the last of them has found.
    // @pre it has found one
    tracked_range last() const { return {entries_[last_].begin, entries_[last_].written}; }

private:
    struct entry {
        uint64_t begin = 0;
        uint64_t end = 0;
        bool writable = false;
        written_bytes* written = nullptr;
    };
    std::byte* translate_slow(uint64_t address, uint32_t bytes, bool is_write);

    std::array<entry, 4> entries_{};
    uint32_t last_ = 0;
    uint32_t next_victim_ = 0;
    uint64_t removals_ = 0;
};

// [begin, begin + bytes) is written by the host, or by a copy of `from`, of which what nobody has
// written stays so. Any memory.
void note_written(uint64_t begin, size_t bytes);
void note_copied(uint64_t begin, uint64_t from, size_t bytes);

// Calls f(first, count) for runs of lanes whose accesses of `bytes` bytes follow each other.
template <class F>
void for_each_run(uint64_t lanes, const uint64_t* address, int bytes, F&& f) {
    while (lanes != 0) {
        const int first = std::countr_zero(lanes);
        lanes &= lanes - 1;
        int count = 1;
        while (first + count < lane_count && (lanes >> (first + count) & 1) != 0 &&
               address[first + count] == address[first] + static_cast<uint64_t>(bytes * count)) {
            lanes &= lanes - 1;
            ++count;
        }
        f(first, count);
    }
}

struct memory_access;

// Lanes write, in this range.
// @pre range.written != nullptr
void note_written(const tracked_range& range, const memory_access& a);

// The range that holds `address`, if any. Any thread.
std::optional<memory_range> find_range(uint64_t address);

// What is wrong with an access of `bytes` bytes at `address` that translate() refuses, in terms of
// the range next to it: "16 bytes past the end of the 4096-byte allocation at 0x7f0000001000, too
// small by 5 elements of 4 bytes".
std::string describe_address(uint64_t address, uint32_t bytes);

// "byte 0 of the 1024-byte allocation at 0x7f0000001000", for an address in a range; else what it is.
std::string name_of_byte(uint64_t address);

// Makes [begin, begin + bytes) addressable until remove_range(begin).
// @pre bytes > 0 and the range overlaps no other one
void add_range(uint64_t begin, size_t bytes, bool writable, memory_kind kind);
void remove_range(uint64_t begin);

// Memory for hipMalloc and hipHostMalloc, 4096-byte aligned; nullptr if the host has not enough. Every
// byte is 0xff, or 0 with OPUS_EMU_FRESH_MEMORY=zero.
void* allocate(size_t bytes, memory_kind kind);

// false if `pointer` is not the start of a live allocation of that kind.
bool release(void* pointer, memory_kind kind);

}  // namespace emu
