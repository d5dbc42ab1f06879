// machine/memory.hpp: which addresses device code may use.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <regex>
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

// By the function, and by what remembers ranges, which has to say the same.
std::byte* translate(uint64_t address, uint32_t bytes, bool is_write) {
    static thread_local emu::recent_ranges recent;
    std::byte* p = emu::translate(address, bytes, is_write);
    EXPECT_EQ(recent.translate(address, bytes, is_write), p);
    return p;
}

TEST(memory, every_access_inside_of_one_allocation_and_no_other_translates) {
    constexpr size_t size = 100;
    const allocation a(size);
    for (const bool is_write : {false, true}) {
        for (uint32_t bytes : {1u, 4u, 16u, 100u, 101u}) {
            for (uint64_t offset = 0; offset < 110; ++offset) {
                std::byte* p = translate(a.address() + offset, bytes, is_write);
                if (offset + bytes <= size) {
                    EXPECT_EQ(address_of(p), a.address() + offset);
                } else {
                    EXPECT_EQ(p, nullptr) << "offset " << offset << ", bytes " << bytes;
                }
            }
            EXPECT_EQ(translate(a.address() - 1, bytes, is_write), nullptr);
        }
    }
}

// Each lane of the mask is in one run, in order, and begins where the one before it ends.
void check_runs(uint64_t lanes, const std::array<uint64_t, 64>& address, int bytes, int runs) {
    uint64_t seen = 0;
    emu::for_each_run(lanes, address.data(), bytes, [&](int first, int count) {
        for (int n = 0; n < count; ++n) {
            const auto lane = static_cast<size_t>(first + n);
            EXPECT_EQ(seen >> lane, 0u) << lane;
            seen |= uint64_t{1} << lane;
            EXPECT_EQ(address[lane], address[static_cast<size_t>(first)] +
                                         static_cast<uint64_t>(n) * static_cast<uint64_t>(bytes));
        }
        --runs;
    });
    EXPECT_EQ(seen, lanes);
    EXPECT_EQ(runs, 0);
}

TEST(memory, runs_of_lanes) {
    constexpr uint64_t all = ~uint64_t{0};
    std::array<uint64_t, 64> bytes{};
    std::iota(bytes.begin(), bytes.end(), 0x1000);
    check_runs(all, bytes, 1, 1);
    check_runs(all, bytes, 4, 64);
    check_runs(all & ~(uint64_t{1} << 5), bytes, 1, 2);
    check_runs(0, bytes, 1, 0);
    for (size_t lane = 0; lane < 64; ++lane) {
        std::array<uint64_t, 64> elsewhere = bytes;
        elsewhere[lane] += 0x100;
        check_runs(all, elsewhere, 1, lane == 0 || lane == 63 ? 2 : 3);
    }
}

TEST(memory, null_and_the_end_of_the_address_space_do_not_translate) {
    const allocation a(64);
    EXPECT_EQ(translate(0, 4, false), nullptr);
    EXPECT_EQ(translate(~uint64_t{0}, 1, false), nullptr);
    EXPECT_EQ(translate(~uint64_t{0} - 3, 16, true), nullptr);
    EXPECT_EQ(translate(a.address(), ~uint32_t{0}, false), nullptr);
}

TEST(memory, two_ranges_side_by_side_are_not_one) {
    alignas(64) static std::byte storage[128];
    emu::add_range(address_of(storage), 64, true, emu::memory_kind::device);
    emu::add_range(address_of(storage) + 64, 64, true, emu::memory_kind::device);
    EXPECT_NE(translate(address_of(storage) + 60, 4, true), nullptr);
    EXPECT_NE(translate(address_of(storage) + 64, 4, true), nullptr);
    EXPECT_EQ(translate(address_of(storage) + 62, 4, true), nullptr);
    emu::remove_range(address_of(storage));
    EXPECT_EQ(translate(address_of(storage) + 60, 4, true), nullptr);
    EXPECT_NE(translate(address_of(storage) + 64, 4, true), nullptr);
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

TEST(memory, a_range_is_too_small_by_so_many_elements) {
    alignas(64) static std::byte storage[64];
    const uint64_t begin = address_of(storage);
    emu::add_range(begin, 64, true, emu::memory_kind::device);
    const auto shortage = [&](uint64_t offset, uint32_t bytes) {
        const std::string text = emu::describe_address(begin + offset, bytes);
        return text.substr(std::min(text.find(", "), text.size()));
    };
    EXPECT_EQ(shortage(64, 4), ", too small by 1 element of 4 bytes");
    EXPECT_EQ(shortage(62, 4), ", too small by 1 element of 4 bytes");
    EXPECT_EQ(shortage(68, 4), ", too small by 2 elements of 4 bytes");
    EXPECT_EQ(shortage(100, 4), ", too small by 10 elements of 4 bytes");
    EXPECT_EQ(shortage(60, 16), ", too small by 1 element of 16 bytes");
    EXPECT_EQ(shortage(65, 16), ", too small by 2 elements of 16 bytes");
    EXPECT_EQ(shortage(64, 1), ", too small by 1 element of 1 byte");
    EXPECT_EQ(shortage(uint64_t{0} - 4, 4), "");
    emu::remove_range(begin);
}

TEST(memory, a_read_only_range_is_not_written) {
    static std::byte storage[16];
    emu::add_range(address_of(storage), 16, false, emu::memory_kind::launch);
    EXPECT_EQ(translate(address_of(storage), 4, true), nullptr);
    EXPECT_NE(translate(address_of(storage), 4, false), nullptr);
    EXPECT_EQ(translate(address_of(storage), 4, true), nullptr) << "from the cache";
    emu::remove_range(address_of(storage));
}

TEST(memory, freed_memory_is_forgotten_by_the_cache) {
    void* p = emu::allocate(64, emu::memory_kind::device);
    EXPECT_NE(translate(address_of(p), 4, false), nullptr);
    EXPECT_TRUE(emu::release(p, emu::memory_kind::device));
    EXPECT_EQ(translate(address_of(p), 4, false), nullptr);
}

TEST(memory, freed_memory_is_forgotten_by_the_caches_of_other_threads) {
    void* p = emu::allocate(64, emu::memory_kind::device);
    std::atomic<int> step{0};
    std::thread other([&] {
        EXPECT_NE(translate(address_of(p), 4, false), nullptr);
        step = 1;
        while (step != 2) {
            std::this_thread::yield();
        }
        EXPECT_EQ(translate(address_of(p), 4, false), nullptr);
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
            EXPECT_EQ(address_of(translate(a->address() + 28, 4, true)), a->address() + 28);
            EXPECT_EQ(translate(a->address() + 29, 4, true), nullptr);
        }
    }
}

// Whether [begin, end) lies in one range that was used, and what that one is.
TEST(memory, the_cache_holds_ranges_that_were_used) {
    static std::byte storage[16];
    emu::add_range(address_of(storage), 16, false, emu::memory_kind::launch);
    void* const device = emu::allocate(64, emu::memory_kind::device);
    const uint64_t begin = address_of(device);
    emu::recent_ranges recent;
    EXPECT_FALSE(recent.hold(begin, begin + 1, false));
    EXPECT_NE(recent.translate(begin, 4, true), nullptr);
    EXPECT_NE(recent.translate(address_of(storage), 4, false), nullptr);
    EXPECT_EQ(recent.last().begin, address_of(storage));
    for (const bool is_write : {false, true}) {
        EXPECT_TRUE(recent.hold(begin, begin + 64, is_write));
        EXPECT_EQ(recent.last().begin, begin);
        EXPECT_TRUE(recent.hold(begin + 63, begin + 64, is_write));
        EXPECT_FALSE(recent.hold(begin, begin + 65, is_write));
        EXPECT_FALSE(recent.hold(begin - 1, begin + 1, is_write));
        EXPECT_FALSE(recent.hold(begin + 64, begin + 65, is_write));
        EXPECT_EQ(recent.hold(address_of(storage), address_of(storage) + 16, is_write), !is_write);
    }
    EXPECT_EQ(recent.last().begin, begin);
    EXPECT_TRUE(emu::release(device, emu::memory_kind::device));
    EXPECT_FALSE(recent.hold(begin, begin + 1, false));
    EXPECT_FALSE(recent.hold(address_of(storage), address_of(storage) + 1, false));
    EXPECT_NE(recent.translate(address_of(storage), 4, false), nullptr);
    EXPECT_TRUE(recent.hold(address_of(storage), address_of(storage) + 1, false));
    emu::remove_range(address_of(storage));
}

// The last 256 that were freed have names.
TEST(memory, frees_are_remembered) {
    std::vector<void*> all;
    for (int n = 0; n < 257; ++n) {
        all.push_back(emu::allocate(64, emu::memory_kind::device));
    }
    for (void* p : all) {
        EXPECT_TRUE(emu::release(p, emu::memory_kind::device));
    }
    for (const size_t n : {size_t{0}, size_t{1}, size_t{256}}) {
        const std::string text = emu::describe_address(address_of(all[n]) + 63, 1);
        EXPECT_EQ(text.find("byte 63 of the freed 64-byte allocation") == 0, n != 0) << n << text;
    }
}

TEST(memory, kinds_of_ranges_have_names) {
    static std::byte storage[96];
    const uint64_t begin = address_of(storage);
    emu::add_range(begin, 32, false, emu::memory_kind::loaded_image);
    emu::add_range(begin + 32, 32, false, emu::memory_kind::launch);
    const auto name = [&](uint64_t offset) {
        const std::string text = emu::name_of_byte(begin + offset);
        return text.substr(0, text.find(" at 0x"));
    };
    EXPECT_EQ(name(31), "byte 31 of the 32-byte segment of a code object");
    EXPECT_EQ(name(32), "byte 0 of the 32-byte block of launch arguments");
    const std::string text = emu::describe_address(begin + 4, 4);
    EXPECT_EQ(text.find("inside of the 32-byte segment of a code object at 0x"), 0u) << text;
    EXPECT_NE(text.find(", which is read-only"), std::string::npos) << text;
    emu::remove_range(begin);
    emu::remove_range(begin + 32);
}

// A range is named up to a page away before memory of the host is, and up to 1 MiB away if there is
// none.
TEST(memory, how_near_a_range_has_to_be) {
    constexpr uint64_t begin = 0x123456000000;
    constexpr uint64_t mib = 1u << 20;
    emu::add_range(begin, 4096, true, emu::memory_kind::device);
    EXPECT_EQ(emu::describe_address(begin + 4096 + mib - 1, 4).find("1048575 bytes past the end"),
              0u);
    EXPECT_EQ(emu::describe_address(begin + 4096 + mib, 4), "far from every live allocation");
    EXPECT_EQ(emu::describe_address(begin - mib + 1, 4).find("1048575 bytes before the 4096"), 0u);
    EXPECT_EQ(emu::describe_address(begin - mib, 4), "far from every live allocation");
    emu::remove_range(begin);
    EXPECT_EQ(emu::describe_address(4095, 1), "near a null pointer");
    EXPECT_NE(emu::describe_address(4096, 1), "near a null pointer");
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

// ---- which bytes were written ----

constexpr size_t followed_bytes = 200;

// Bytes that were written, by the emulator and by a flag for each: the same for any part of them.
struct followed {
    emu::written_bytes written{followed_bytes};
    std::vector<bool> expected = std::vector<bool>(followed_bytes);

    void mark(size_t first, size_t count) { set(first, count, true); }
    void unmark(size_t first, size_t count) { set(first, count, false); }
    void set(size_t first, size_t count, bool value) {
        value ? written.mark(first, count) : written.unmark(first, count);
        std::fill_n(expected.begin() + static_cast<ptrdiff_t>(first), count, value);
    }
    void check() const { check(written, expected); }
    static void check(const emu::written_bytes& written, const std::vector<bool>& expected) {
        for (size_t first = 0; first < expected.size(); ++first) {
            for (const size_t count : {1u, 16u, 65u, 130u}) {
                if (first + count > expected.size()) {
                    break;
                }
                const auto begin = expected.begin() + static_cast<ptrdiff_t>(first);
                const auto of_these =
                    std::count(begin, begin + static_cast<ptrdiff_t>(count), true);
                ASSERT_EQ(written.all(first, count), of_these == static_cast<ptrdiff_t>(count))
                    << count << " from " << first;
                ASSERT_EQ(written.none(first, count), of_these == 0) << count << " from " << first;
            }
        }
    }
};

TEST(written_bytes, are_those_that_were_marked) {
    constexpr size_t firsts[] = {0, 1, 63, 64, 65, 127};
    constexpr size_t counts[] = {1, 15, 63, 64, 65, 72};
    followed alone;
    alone.check();
    for (const size_t first : firsts) {
        for (const size_t count : counts) {
            followed f;
            f.mark(first, count);
            f.check();
            followed g;
            g.mark(0, followed_bytes);
            EXPECT_TRUE(g.written.is_complete());
            g.unmark(first, count);
            EXPECT_FALSE(g.written.is_complete());
            g.check();
            g.mark(first, 1);
            g.check();
        }
    }
    followed twice;
    twice.mark(0, followed_bytes - 1);
    EXPECT_FALSE(twice.written.is_complete());
    twice.check();
    twice.unmark(70, 1);
    twice.mark(followed_bytes - 1, 1);
    twice.check();
}

// Each lane has its bytes, wherever they begin in a word.
TEST(written_bytes, of_lanes_are_those_of_each) {
    constexpr uint64_t base = 0x7000;
    for (size_t hole = 0; hole < 150; hole += 3) {
        emu::written_bytes written(followed_bytes);
        written.mark(0, hole);
        written.mark(hole + 1, 150 - hole);
        for (const int count : {1, 2, 4, 8, 12, 16}) {
            std::array<uint64_t, 64> address{};
            for (const size_t first : {0u, 3u, 50u, 57u, 63u, 64u, 100u, 127u}) {
                address[5] = base + first;
                address[40] = base + hole;  // is not asked for
                const bool has_hole = hole >= first && hole < first + static_cast<size_t>(count);
                EXPECT_EQ(written.all_of(uint64_t{1} << 5, address.data(), base, count), !has_hole)
                    << count << " from " << first << ", hole " << hole;
                address[63] = base + 20;
                const bool has_other = hole >= 20 && hole < 20 + static_cast<size_t>(count);
                EXPECT_EQ(written.all_of(uint64_t{1} << 5 | uint64_t{1} << 63, address.data(), base,
                                         count),
                          !has_hole && !has_other)
                    << count << " from " << first << ", hole " << hole;
            }
        }
    }
}

TEST(written_bytes, of_lanes_where_all_are_at_once) {
    followed f;
    f.mark(0, followed_bytes);
    const std::array<uint64_t, 64> address{};
    EXPECT_TRUE(f.written.all_of(~uint64_t{0}, address.data(), 0, 16));
    f.unmark(15, 1);
    EXPECT_FALSE(f.written.all_of(~uint64_t{0}, address.data(), 0, 16));
    EXPECT_TRUE(f.written.all_of(~uint64_t{0}, address.data(), 0, 15));
}

struct followed_memory : testing::Test {
    void SetUp() override { ::setenv("OPUS_EMU_CHECK", "uninitialized_memory", 1); }
    void TearDown() override { ::unsetenv("OPUS_EMU_CHECK"); }
    static const emu::written_bytes* written(const allocation& a) {
        return emu::find_range(a.address())->written.get();
    }
};

TEST_F(followed_memory, is_of_the_device) {
    EXPECT_NE(written(allocation(8)), nullptr);
    for (const emu::memory_kind kind : {emu::memory_kind::host, emu::memory_kind::managed}) {
        EXPECT_EQ(written(allocation(8, kind)), nullptr);
    }
    ::setenv("OPUS_EMU_CHECK", "waits", 1);
    EXPECT_EQ(written(allocation(8)), nullptr);
}

// A copy of what nobody has written is written by nobody.
TEST_F(followed_memory, is_copied_with_what_was_not_written) {
    // From a byte that is not written and from one that is, over bytes that are not and that are.
    const size_t rows[][3] = {{1, 5, 17},   {16, 5, 17}, {64, 5, 17}, {100, 5, 17},
                              {150, 5, 17}, {1, 7, 17},  {64, 7, 17}, {100, 5, 21}};
    for (const auto& [count, first, place] : rows) {
        const allocation from(followed_bytes);
        const allocation to(followed_bytes);
        std::vector<bool> of_to(followed_bytes);
        for (size_t n = 0; n < followed_bytes; ++n) {
            if (n % 7 < 3 || (n > 64 && n < 130)) {
                emu::note_written(from.address() + n, 1);
            }
        }
        emu::note_written(to.address() + 20, 80);
        std::fill_n(of_to.begin() + 20, 80, true);
        emu::note_copied(to.address() + place, from.address() + first, count);
        for (size_t n = 0; n < count; ++n) {
            const size_t source = first + n;
            of_to[place + n] = source % 7 < 3 || (source > 64 && source < 130);
        }
        followed::check(*written(to), of_to);
    }
}

TEST_F(followed_memory, is_written_by_copies_of_what_is_not_followed) {
    const allocation host(followed_bytes, emu::memory_kind::host);
    const allocation to(followed_bytes);
    const allocation all(followed_bytes);
    std::vector<bool> expected(followed_bytes);
    emu::note_copied(to.address() + 3, host.address(), 10);
    std::fill_n(expected.begin() + 3, 10, true);
    int local[4] = {};
    emu::note_copied(to.address() + 20, address_of(local), 16);
    std::fill_n(expected.begin() + 20, 16, true);
    emu::note_written(all.address(), followed_bytes);
    emu::note_copied(to.address() + 100, all.address() + 1, 70);
    std::fill_n(expected.begin() + 100, 70, true);
    followed::check(*written(to), expected);
    // Up to the end, whatever is said to lie behind it.
    emu::note_written(to.address() + 190, size_t{1} << 40);
    std::fill_n(expected.begin() + 190, 10, true);
    followed::check(*written(to), expected);
    emu::note_copied(host.address(), all.address(), 10);
    emu::note_written(address_of(local), sizeof local);
}

// ---- what fresh memory holds ----

constexpr size_t of_each_size[] = {1, 4096, 100000, size_t{40} << 20, (size_t{64} << 20) + 5};

// All of these bytes are `value`.
bool holds_only(const void* pointer, size_t bytes, uint8_t value) {
    const auto* p = static_cast<const uint8_t*>(pointer);
    return p[0] == value && std::memcmp(p, p + 1, bytes - 1) == 0;
}

class fresh : public testing::Test {
protected:
    void TearDown() override { ::unsetenv("OPUS_EMU_FRESH_MEMORY"); }
};

TEST_F(fresh, bytes_are_ff_or_zero_whatever_was_there_before) {
    const struct {
        const char* setting;
        uint8_t value;
    } rows[] = {{nullptr, 0xff}, {"nan", 0xff}, {"zero", 0}};
    for (const auto& [setting, value] : rows) {
        ::unsetenv("OPUS_EMU_FRESH_MEMORY");
        if (setting != nullptr) {
            ::setenv("OPUS_EMU_FRESH_MEMORY", setting, 1);
        }
        for (const size_t bytes : of_each_size) {
            for (int turn = 0; turn < 2; ++turn) {  // the second may have the memory of the first
                const allocation a(bytes);
                ASSERT_NE(a.pointer, nullptr);
                EXPECT_TRUE(holds_only(a.pointer, bytes, value)) << bytes << ", turn " << turn;
                std::memset(a.pointer, 0x5a, bytes);
                EXPECT_TRUE(holds_only(a.pointer, bytes, 0x5a)) << bytes;
            }
        }
    }
}

// Writing to one page changes no other one, though they come from the same few.
TEST_F(fresh, pages_of_a_large_allocation_are_their_own) {
    constexpr size_t bytes = size_t{48} << 20;
    const allocation a(bytes);
    const allocation b(bytes);
    auto* p = static_cast<uint8_t*>(a.pointer);
    for (size_t at = 0; at < bytes; at += 4096 * 7) {
        p[at] = 1;
    }
    for (size_t at = 0; at < bytes; at += 4096) {
        ASSERT_EQ(p[at], at % (4096 * 7) == 0 ? 1 : 0xff) << at;
    }
    EXPECT_TRUE(holds_only(b.pointer, bytes, 0xff));
}

size_t resident_bytes() {
    size_t pages = 0;
    size_t resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * 4096;
}

TEST_F(fresh, what_is_not_used_takes_no_memory) {
    constexpr size_t bytes = size_t{4} << 30;
    const size_t before = resident_bytes();
    const allocation a(bytes);
    if (a.pointer == nullptr) {
        GTEST_SKIP() << "4 GiB cannot be had";
    }
    const auto* p = static_cast<const uint8_t*>(a.pointer);
    for (const size_t at : {size_t{0}, bytes / 2 + 1, bytes - 1}) {
        EXPECT_EQ(p[at], 0xff);
    }
    EXPECT_LT(resident_bytes() - before, size_t{16} << 20);
}

// Nothing is left of an allocation, neither its pages, with that in front of it, nor an open file.
TEST_F(fresh, what_is_released_is_given_back) {
    const auto open_files = [] {
        const std::filesystem::directory_iterator all("/proc/self/fd");
        return std::distance(begin(all), end(all));
    };
    const auto is_mapped = [](std::byte* page) { return ::msync(page, 4096, MS_ASYNC) == 0; };
    const auto before = open_files();
    for (const size_t bytes : of_each_size) {
        auto* const begin = static_cast<std::byte*>(emu::allocate(bytes, emu::memory_kind::device));
        ASSERT_NE(begin, nullptr);
        std::byte* const last = begin + (bytes - 1) / 4096 * 4096;
        EXPECT_TRUE(is_mapped(begin - 4096));
        EXPECT_TRUE(is_mapped(begin));
        EXPECT_TRUE(is_mapped(last));
        EXPECT_EQ(open_files(), before) << bytes;
        EXPECT_TRUE(emu::release(begin, emu::memory_kind::device));
        EXPECT_FALSE(is_mapped(begin - 4096)) << bytes;
        EXPECT_FALSE(is_mapped(begin)) << bytes;
        EXPECT_FALSE(is_mapped(last)) << bytes;
    }
}

TEST_F(fresh, another_word_ends_the_process) {
    ::setenv("OPUS_EMU_FRESH_MEMORY", "ones", 1);
    EXPECT_EXIT(emu::allocate(1, emu::memory_kind::device), testing::ExitedWithCode(70),
                "OPUS_EMU_FRESH_MEMORY=ones: nan or zero is needed");
}

bool matches(const std::string& text, const char* pattern) {
    return std::regex_match(text, std::regex(pattern));
}

// What a report says about an address that is in no range.
TEST(memory, names_of_addresses_without_an_allocation) {
    EXPECT_EQ(emu::describe_address(0, 4), "a null pointer");
    EXPECT_EQ(emu::describe_address(64, 4), "near a null pointer");
#if !__has_feature(address_sanitizer)  // which has a stack and a heap of its own
    int on_the_stack = 0;
    EXPECT_EQ(emu::describe_address(address_of(&on_the_stack), 4),
              "host memory (the stack), which kernels cannot use");
    const std::vector<int> on_the_heap(100);
    EXPECT_EQ(emu::describe_address(address_of(on_the_heap.data()), 4),
              "host memory (the heap), which kernels cannot use");
#endif
    static int of_the_program = 1;
    EXPECT_TRUE(matches(emu::describe_address(address_of(&of_the_program), 4),
                        "host memory \\(static, /.*emulator_test_.*\\), which kernels.*"));
    EXPECT_EQ(emu::describe_address(0x123456789000, 4), "far from every live allocation");
}

TEST(memory, a_freed_allocation_has_a_name) {
    void* pointer = emu::allocate(1000, emu::memory_kind::device);
    const uint64_t begin = address_of(pointer);
    EXPECT_EQ(emu::name_of_byte(begin + 7).substr(0, 36), "byte 7 of the 1000-byte allocation a");
    EXPECT_TRUE(emu::name_of_byte(begin + 1003).ends_with(", too small by 4 elements of 1 byte"));
    EXPECT_TRUE(emu::release(pointer, emu::memory_kind::device));
    const std::string text = emu::describe_address(begin + 999, 1);
    EXPECT_TRUE(matches(text, "byte 999 of the freed 1000-byte allocation at 0x[0-9a-f]+(;.*)?"))
        << text;
#if !__has_feature(address_sanitizer)  // under which nobody outside of the program calls
    EXPECT_TRUE(matches(text, ".*; allocated in .+; freed in .+")) << text;
#endif
    EXPECT_EQ(emu::describe_address(begin + 1000, 1).find("freed"), std::string::npos);
}

}  // namespace
