// What device code can address: a device address is the host address of the same byte.
//
// Every range that a kernel may read or write is registered here; an access outside of all
// ranges, or across the end of one, is an error of the program that is emulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace emu {

enum class memory_kind {
    device,        // hipMalloc
    host,          // hipHostMalloc: host memory that kernels can use as well
    loaded_image,  // a segment of a code object
    launch,        // kernel arguments and dispatch packet of one launch
};

struct memory_range {
    uint64_t begin = 0;
    uint64_t end = 0;  // one past the last byte
    bool writable = false;
    memory_kind kind = memory_kind::device;
};

// The host pointer of `bytes` bytes from `address`, or nullptr unless all of them lie inside one
// registered range that allows the access. Safe to call from any thread; fast when the same few
// ranges are used again and again by the same thread.
// @pre bytes > 0
std::byte* translate(uint64_t address, uint32_t bytes, bool is_write);

// True if [begin, end) lies inside one of the ranges that this thread used last and may be accessed
// so. False says nothing: it is for whoever can translate() the parts one by one instead.
bool is_in_recent_range(uint64_t begin, uint64_t end, bool is_write);

// The range that holds `address`, if any. Any thread.
std::optional<memory_range> find_range(uint64_t address);

// What is wrong with an access of `bytes` bytes at `address` that translate() refuses, in terms of
// the range next to it: "16 bytes past the end of the 4096-byte allocation at 0x7f0000001000".
std::string describe_address(uint64_t address, uint32_t bytes);

// Makes [begin, begin + bytes) addressable until remove_range(begin).
// @pre bytes > 0 and the range overlaps no other one
void add_range(uint64_t begin, size_t bytes, bool writable, memory_kind kind);
void remove_range(uint64_t begin);

// Memory for hipMalloc and hipHostMalloc, 4096-byte aligned, contents unspecified; nullptr if the
// host has not enough.
void* allocate(size_t bytes, memory_kind kind);

// false if `pointer` is not the start of a live allocation of that kind.
bool release(void* pointer, memory_kind kind);

}  // namespace emu
