// machine/memory.hpp: which addresses device code may use.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "machine/memory.hpp"

namespace {

uint64_t address_of(const void* p) {
    return reinterpret_cast<uintptr_t>(p);
}

struct allocation {
    explicit allocation(size_t bytes, emu::memory_kind k = emu::memory_kind::device)
        : pointer(emu::allocate(bytes, k)), kind(k) {}
    ~allocation() { emu::release(pointer, kind); }
    uint64_t address() const { return address_of(pointer); }
    void* pointer;
    emu::memory_kind kind;
};

TEST(memory, every_access_inside_of_one_allocation_and_no_other_translates) {
    constexpr size_t size = 100;
    const allocation a(size);
    for (const bool is_write : {false, true}) {
        for (uint32_t bytes : {1u, 4u, 16u, 100u, 101u}) {
            for (uint64_t offset = 0; offset < 110; ++offset) {
                std::byte* p = emu::translate(a.address() + offset, bytes, is_write);
                if (offset + bytes <= size) {
                    EXPECT_EQ(address_of(p), a.address() + offset);
                } else {
                    EXPECT_EQ(p, nullptr) << "offset " << offset << ", bytes " << bytes;
                }
            }
            EXPECT_EQ(emu::translate(a.address() - 1, bytes, is_write), nullptr);
        }
    }
}

TEST(memory, null_and_the_end_of_the_address_space_do_not_translate) {
    const allocation a(64);
    EXPECT_EQ(emu::translate(0, 4, false), nullptr);
    EXPECT_EQ(emu::translate(~uint64_t{0}, 1, false), nullptr);
    EXPECT_EQ(emu::translate(~uint64_t{0} - 3, 16, true), nullptr);
    EXPECT_EQ(emu::translate(a.address(), ~uint32_t{0}, false), nullptr);
}

TEST(memory, two_ranges_side_by_side_are_not_one) {
    alignas(64) static std::byte storage[128];
    emu::add_range(address_of(storage), 64, true, emu::memory_kind::device);
    emu::add_range(address_of(storage) + 64, 64, true, emu::memory_kind::device);
    EXPECT_NE(emu::translate(address_of(storage) + 60, 4, true), nullptr);
    EXPECT_NE(emu::translate(address_of(storage) + 64, 4, true), nullptr);
    EXPECT_EQ(emu::translate(address_of(storage) + 62, 4, true), nullptr);
    emu::remove_range(address_of(storage));
    EXPECT_EQ(emu::translate(address_of(storage) + 60, 4, true), nullptr);
    EXPECT_NE(emu::translate(address_of(storage) + 64, 4, true), nullptr);
    emu::remove_range(address_of(storage) + 64);
}

// Between two ranges the nearer one is named, the one before if neither is.
TEST(memory, an_address_is_described_by_the_range_that_is_nearest) {
    alignas(64) static std::byte storage[256];
    const uint64_t begin = address_of(storage);
    emu::add_range(begin, 64, true, emu::memory_kind::device);
    emu::add_range(begin + 128, 32, true, emu::memory_kind::device);
    const auto description = [&](uint64_t offset) {
        const std::string text = emu::describe_address(begin + offset, 4);
        return text.substr(0, text.find(" at 0x"));
    };
    EXPECT_EQ(description(62), "2 of them past the end of the 64-byte allocation");
    EXPECT_EQ(description(64), "right at the end of the 64-byte allocation");
    EXPECT_EQ(description(95), "31 bytes past the end of the 64-byte allocation");
    EXPECT_EQ(description(96), "32 bytes past the end of the 64-byte allocation");
    EXPECT_EQ(description(97), "31 bytes before the 32-byte allocation");
    EXPECT_EQ(description(127), "1 bytes before the 32-byte allocation");
    emu::remove_range(begin);
    emu::remove_range(begin + 128);
}

TEST(memory, a_read_only_range_is_not_written) {
    static std::byte storage[16];
    emu::add_range(address_of(storage), 16, false, emu::memory_kind::launch);
    EXPECT_EQ(emu::translate(address_of(storage), 4, true), nullptr);
    EXPECT_NE(emu::translate(address_of(storage), 4, false), nullptr);
    EXPECT_EQ(emu::translate(address_of(storage), 4, true), nullptr) << "from the cache";
    emu::remove_range(address_of(storage));
}

TEST(memory, freed_memory_is_forgotten_by_the_cache) {
    void* p = emu::allocate(64, emu::memory_kind::device);
    EXPECT_NE(emu::translate(address_of(p), 4, false), nullptr);
    EXPECT_TRUE(emu::release(p, emu::memory_kind::device));
    EXPECT_EQ(emu::translate(address_of(p), 4, false), nullptr);
}

TEST(memory, freed_memory_is_forgotten_by_the_caches_of_other_threads) {
    void* p = emu::allocate(64, emu::memory_kind::device);
    std::atomic<int> step{0};
    std::thread other([&] {
        EXPECT_NE(emu::translate(address_of(p), 4, false), nullptr);
        step = 1;
        while (step != 2) {
            std::this_thread::yield();
        }
        EXPECT_EQ(emu::translate(address_of(p), 4, false), nullptr);
    });
    while (step != 1) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(emu::release(p, emu::memory_kind::device));
    step = 2;
    other.join();
}

TEST(memory, more_ranges_than_the_cache_holds) {
    std::vector<std::unique_ptr<allocation>> all;
    for (int n = 0; n < 9; ++n) {
        all.push_back(std::make_unique<allocation>(32));
    }
    for (int round = 0; round < 3; ++round) {
        for (const auto& a : all) {
            EXPECT_EQ(address_of(emu::translate(a->address() + 28, 4, true)), a->address() + 28);
            EXPECT_EQ(emu::translate(a->address() + 29, 4, true), nullptr);
        }
    }
}

TEST(memory, only_the_start_of_a_live_allocation_of_that_kind_is_released) {
    allocation a(64, emu::memory_kind::host);
    EXPECT_FALSE(emu::release(a.pointer, emu::memory_kind::device));
    EXPECT_FALSE(emu::release(static_cast<std::byte*>(a.pointer) + 1, emu::memory_kind::host));
    int local = 0;
    EXPECT_FALSE(emu::release(&local, emu::memory_kind::host));
    EXPECT_TRUE(emu::release(a.pointer, emu::memory_kind::host));
    EXPECT_FALSE(emu::release(a.pointer, emu::memory_kind::host)) << "twice";
}

TEST(memory, allocations_say_what_they_are) {
    const allocation a(100, emu::memory_kind::host);
    const auto range = emu::find_range(a.address() + 99);
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->begin, a.address());
    EXPECT_EQ(range->end, a.address() + 100);
    EXPECT_EQ(range->kind, emu::memory_kind::host);
    EXPECT_FALSE(emu::find_range(a.address() + 100).has_value());
    EXPECT_EQ(emu::allocate(0, emu::memory_kind::device), nullptr);
    EXPECT_EQ(emu::allocate(SIZE_MAX, emu::memory_kind::device), nullptr);
}

}  // namespace
