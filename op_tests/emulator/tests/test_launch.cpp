// machine/launch.hpp: limits, arguments and the state that waves begin with.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/levels.hpp"
#include "kernels.hpp"
#include "launch/launch.hpp"
#include "launch/observers.hpp"
#include "launch/occupancy.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "printing/hostcall.hpp"

namespace {

const emu::device_info& device =
    tested_arch() == "gfx942" ? emu::gfx942_device : emu::gfx950_device;

emu::code_object& object() {
    static emu::code_object loaded(read_kernels(tested_arch()), device.target);
    return loaded;
}

const emu::kernel_info& kernel(const char* name) {
    return *object().find_kernel(name);
}

template <class T>
T read(const std::vector<std::byte>& bytes, size_t offset) {
    T value;
    EXPECT_LE(offset + sizeof value, bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// A kernarg segment that device code can read.
struct segment {
    explicit segment(std::vector<uint32_t> contents) : dwords(std::move(contents)) {
        emu::add_range(address(), dwords.size() * 4, false, emu::memory_kind::launch);
    }
    ~segment() { emu::remove_range(address()); }
    uint64_t address() const { return reinterpret_cast<uintptr_t>(dwords.data()); }
    std::vector<uint32_t> dwords;
};

// ---- limits ----

TEST(check_launch, dimensions) {
    const auto check = [](std::array<uint32_t, 3> groups, std::array<uint32_t, 3> threads) {
        return emu::check_launch(device, kernel("ids"), {groups, threads, 0});
    };
    EXPECT_EQ(check({1, 1, 1}, {1, 1, 1}), emu::launch_error::none);
    EXPECT_EQ(check({1, 1, 1}, {1024, 1, 1}), emu::launch_error::none);
    EXPECT_EQ(check({3, 2, 5}, {16, 8, 8}), emu::launch_error::none);
    EXPECT_EQ(check({1 << 20, 1, 1}, {1024, 1, 1}), emu::launch_error::none);
    for (size_t d = 0; d < 3; ++d) {
        std::array<uint32_t, 3> one_is_zero{1, 1, 1};
        one_is_zero[d] = 0;
        EXPECT_EQ(check(one_is_zero, {1, 1, 1}), emu::launch_error::configuration);
        EXPECT_EQ(check({1, 1, 1}, one_is_zero), emu::launch_error::configuration);
        std::array<uint32_t, 3> one_is_large{1, 1, 1};
        one_is_large[d] = 1025;
        EXPECT_EQ(check({1, 1, 1}, one_is_large), emu::launch_error::configuration);
        one_is_large[d] = 0xffffffff;
        EXPECT_EQ(check({1, 1, 1}, one_is_large), emu::launch_error::configuration);
    }
    EXPECT_EQ(check({1, 1, 1}, {32, 32, 2}), emu::launch_error::configuration);
    EXPECT_EQ(check({1 << 22, 1, 1}, {1024, 1, 1}), emu::launch_error::configuration)
        << "2^32 items";
}

// Every mode is emulated (all_state has an unusual one), exceptions are not.
TEST(check_launch, floating_point_modes) {
    const emu::launch_config config{{1, 1, 1}, {64, 1, 1}, 0};
    EXPECT_EQ(emu::check_launch(device, kernel("all_state"), config), emu::launch_error::none);
    emu::kernel_info exceptions = kernel("all_state");
    exceptions.descriptor.rsrc2 |= 1u << 26;  // division by zero
    EXPECT_EQ(emu::check_launch(device, exceptions, config), emu::launch_error::unsupported);
}

TEST(check_launch, launch_bounds) {
    EXPECT_EQ(emu::check_launch(device, kernel("exchange"), {{1, 1, 1}, {256, 1, 1}, 0}),
              emu::launch_error::none);
    EXPECT_EQ(emu::check_launch(device, kernel("exchange"), {{1, 1, 1}, {257, 1, 1}, 0}),
              emu::launch_error::failure);
}

TEST(check_launch, lds_static_and_dynamic_together) {
    const uint64_t limit = tested_arch() == "gfx942" ? 65536 : 163840;
    EXPECT_EQ(device.lds_bytes, limit);
    const auto check = [](const char* name, uint64_t dynamic_lds) {
        return emu::check_launch(device, kernel(name), {{1, 1, 1}, {64, 1, 1}, dynamic_lds});
    };
    EXPECT_EQ(check("ids", limit), emu::launch_error::none);
    EXPECT_EQ(check("ids", limit + 1), emu::launch_error::value);
    EXPECT_EQ(check("exchange", limit - 1024), emu::launch_error::none);
    EXPECT_EQ(check("exchange", limit - 1023), emu::launch_error::value);
    EXPECT_EQ(check("ids", ~uint64_t{0} - 8), emu::launch_error::value);
    // The sum of both is more than 64 bits hold.
    for (const uint64_t dynamic_lds : {~uint64_t{0}, ~uint64_t{0} - 1023, ~uint64_t{0} - 1024}) {
        EXPECT_EQ(check("exchange", dynamic_lds), emu::launch_error::value);
        EXPECT_EQ(emu::groups_per_unit(device, kernel("exchange"), 64, dynamic_lds), 0u);
    }
}

TEST(check_launch, scratch) {
    emu::kernel_info k = kernel("ids");
    const emu::launch_config config{{1, 1, 1}, {64, 1, 1}, 0};
    for (uint32_t bytes : {0u, 4096u, 131056u}) {
        k.descriptor.private_segment_fixed_size = bytes;
        EXPECT_EQ(emu::check_launch(device, k, config), emu::launch_error::none) << bytes;
    }
    for (uint32_t bytes : {131057u, 1u << 30, ~0u}) {
        k.descriptor.private_segment_fixed_size = bytes;
        EXPECT_EQ(emu::check_launch(device, k, config), emu::launch_error::resources) << bytes;
    }
}

// 2 GiB of scratch at the same time, or that of one group.
TEST(occupancy, scratch_limits_the_groups_in_progress) {
    emu::kernel_info k = kernel("ids");
    const auto groups = [&](uint32_t threads, uint32_t scratch) {
        k.descriptor.private_segment_fixed_size = scratch;
        return emu::groups_in_progress(device, k, {{1, 1, 1}, {threads, 1, 1}, 0});
    };
    const uint64_t all = groups(64, 0);
    EXPECT_EQ(all % static_cast<uint64_t>(device.compute_units), 0u);
    EXPECT_EQ(groups(64, 1024), all);
    EXPECT_EQ(groups(64, 65536), 512u);
    EXPECT_EQ(groups(65, 65536), 256u);
    EXPECT_EQ(groups(1024, 131056), 16u);
    EXPECT_EQ(groups(1024, 1u << 30), 1u);
    // Calls without a bound get the stack that was asked for, up to what can be addressed.
    constexpr uint16_t uses_dynamic_stack = 1u << 11;
    k.descriptor.code_properties |= uses_dynamic_stack;
    const auto with_stack = [&](uint32_t stack) {
        k.descriptor.private_segment_fixed_size = 1024;
        emu::launch_config config{{1, 1, 1}, {64, 1, 1}, 0};
        config.stack = stack;
        return emu::groups_in_progress(device, k, config);
    };
    EXPECT_EQ(with_stack(64512), 512u);
    EXPECT_EQ(with_stack(64512 / 2 - 512), 1024u);
    EXPECT_EQ(with_stack(131056), (uint64_t{2} << 30) / (64 * 131056));
}

TEST(occupancy, waves_registers_and_lds_limit_the_groups_of_a_unit) {
    // 4 SIMDs of 8 waves; `ids` has 16 registers, which do not limit.
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 64, 0), 32u);
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 65, 0), 16u);
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 1024, 0), 2u);
    // 104 registers: 512 / 104 = 4 waves on a SIMD.
    EXPECT_EQ(emu::groups_per_unit(device, kernel("all_state"), 64, 0), 16u);
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 64, device.lds_bytes / 3), 3u);
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 64, device.lds_bytes + 1), 0u);
    EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 1025, 0), 0u);
    // 800 scalar registers of a SIMD in blocks of 16: up to 96 of a wave do not limit.
    emu::kernel_info k = kernel("ids");
    const uint32_t rsrc1 = k.descriptor.rsrc1 & ~(15u << 6);
    constexpr uint32_t counts[][2] = {{96, 8}, {112, 7}};
    for (const auto& [sgprs, waves] : counts) {
        k.descriptor.rsrc1 = rsrc1 | (sgprs / 8 - 1) << 6;
        EXPECT_EQ(k.sgpr_count(), sgprs);
        EXPECT_EQ(emu::groups_per_unit(device, k, 64, 0), 4 * waves);
        EXPECT_EQ(emu::groups_per_unit(device, k, 256, 0), waves);
        EXPECT_EQ(emu::limits_per_unit(device, k, 64, 0).groups(), 4 * waves);
    }
}

// In turn to the dies, on each of them to its four engines, and from the beginning again.
TEST(occupancy, places_of_groups) {
    const auto units = static_cast<uint64_t>(device.compute_units);
    std::set<std::array<uint32_t, 3>> places;
    for (uint64_t n = 0; n < units; ++n) {
        const emu::group_place place = emu::place_of(device, n, 3);
        EXPECT_EQ(place.die, n % 8) << n;
        EXPECT_EQ(place.engine, n / 8 % 4) << n;
        EXPECT_EQ(place.slot, 0u) << n;
        places.insert({place.die, place.engine, place.unit});
        for (uint64_t round = 1; round < 4; ++round) {
            const emu::group_place later = emu::place_of(device, n + round * units, 3);
            EXPECT_EQ(later.die, place.die) << n;
            EXPECT_EQ(later.engine, place.engine) << n;
            EXPECT_EQ(later.unit, place.unit) << n;
            EXPECT_EQ(later.slot, round % 3) << n;
        }
    }
    EXPECT_EQ(places.size(), units);
}

// The machine hands out LDS in blocks, and HIP's answers do not know it.
TEST(occupancy, lds_has_blocks) {
    struct row {
        uint64_t bytes;
        uint32_t by_hip;
        uint64_t by_machine;
    };
    constexpr row gfx942[] = {{512, 32, 32}, {3121, 20, 18}, {3584, 18, 18}, {3585, 18, 16}};
    constexpr row gfx950[] = {{1280, 32, 32}, {5200, 31, 25}, {6400, 25, 25}, {6401, 25, 21}};
    for (const auto& [bytes, by_hip, by_machine] : tested_arch() == "gfx942" ? gfx942 : gfx950) {
        EXPECT_EQ(emu::groups_per_unit(device, kernel("ids"), 64, bytes), by_hip) << bytes;
        EXPECT_EQ(emu::limits_per_unit(device, kernel("ids"), 64, bytes).groups(), by_machine)
            << bytes;
    }
}

// ---- arguments ----

struct dump_arguments {
    uint64_t out = 0x1122334455667788;
    int32_t number = -5;
    int16_t small = 0x1234;
    int8_t smaller = 0x56;
    uint64_t large = 0x99aabbccddeeff00;
    uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

    std::array<void*, 6> pointers() { return {&out, &number, &small, &smaller, &large, bytes}; }
};

void check_explicit(const std::vector<std::byte>& bytes) {
    const dump_arguments expected;
    EXPECT_EQ(read<uint64_t>(bytes, 0), expected.out);
    EXPECT_EQ(read<int32_t>(bytes, 8), expected.number);
    EXPECT_EQ(read<int16_t>(bytes, 12), expected.small);
    EXPECT_EQ(read<int8_t>(bytes, 14), expected.smaller);
    EXPECT_EQ(read<uint64_t>(bytes, 16), expected.large);
    EXPECT_EQ(std::memcmp(bytes.data() + 24, expected.bytes, 12), 0);
}

TEST(arguments, packed_by_the_offsets_and_sizes_of_the_metadata) {
    dump_arguments arguments;
    const auto packed = emu::pack_arguments(kernel("dump_kernarg"), arguments.pointers().data());
    EXPECT_EQ(packed.size(), 36u);
    check_explicit(packed);
}

TEST(arguments, from_a_buffer) {
    dump_arguments arguments;
    const auto whole = emu::pack_arguments(kernel("dump_kernarg"), arguments.pointers().data());
    EXPECT_EQ(emu::pack_arguments(kernel("dump_kernarg"), whole.data()), whole);
}

TEST(arguments, hidden_block) {
    dump_arguments arguments;
    const auto& k = kernel("dump_kernarg");
    const emu::launch_config config{{5, 6, 7}, {8, 4, 2}, 48};
    emu::impl::launch_memory memory;
    memory.queue = 0xabcdef0123;
    memory.printf_buffer = 0x123456789a;
    memory.hostcall_buffer = 0x23456789ab;
    const auto segment = emu::impl::kernarg_segment(
        k, config, emu::pack_arguments(k, arguments.pointers().data()), memory);
    check_explicit(segment);
    constexpr size_t hidden = 40;  // 36 bytes of arguments, rounded up to 8
    ASSERT_EQ(segment.size(), hidden + 256);
    for (size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(read<uint32_t>(segment, hidden + 4 * d), config.groups[d]);
        EXPECT_EQ(read<uint16_t>(segment, hidden + 12 + 2 * d), config.threads[d]);
        EXPECT_EQ(read<uint16_t>(segment, hidden + 18 + 2 * d), 0u) << "remainder";
        EXPECT_EQ(read<uint64_t>(segment, hidden + 40 + 8 * d), 0u) << "global offset";
    }
    EXPECT_EQ(read<uint16_t>(segment, hidden + 64), 3u) << "grid dimensions";
    EXPECT_EQ(read<uint64_t>(segment, hidden + 72), 0x123456789au) << "printf buffer";
    EXPECT_EQ(read<uint64_t>(segment, hidden + 80), 0x23456789abu) << "hostcall buffer";
    EXPECT_EQ(read<uint32_t>(segment, hidden + 120), 48u) << "dynamic LDS";
    EXPECT_EQ(read<uint32_t>(segment, hidden + 192), emu::private_aperture >> 32);
    EXPECT_EQ(read<uint32_t>(segment, hidden + 196), emu::shared_aperture >> 32);
    EXPECT_EQ(read<uint64_t>(segment, hidden + 200), 0xabcdef0123u) << "queue";
}

// From code object v5 on, whether or not the metadata lists them.
TEST(arguments, hidden_ones_that_are_not_listed) {
    emu::kernel_info k = kernel("dump_kernarg");
    for (const int version : {2, 3, 4}) {
        k.abi_version = version;
        const auto segment = emu::impl::kernarg_segment(k, {{5, 6, 7}, {64, 1, 1}, 0}, {}, {});
        EXPECT_EQ(read<uint32_t>(segment, 40), 5u) << "it is listed";
        EXPECT_EQ(read<uint16_t>(segment, 40 + 12), version < 3 ? 0u : 64u) << version;
    }
}

// One for which the segment has not all of the room is not there.
TEST(arguments, hidden_ones_that_do_not_fit) {
    const emu::kernel_info& k = kernel("dump_kernarg");
    emu::impl::launch_memory memory;
    memory.queue = 0x4142434445464748;
    const auto segment_of = [&](const emu::kernel_info& of) {
        return emu::impl::kernarg_segment(of, {{5, 6, 7}, {8, 4, 2}, 48}, {}, memory);
    };
    const auto without = segment_of(k);
    ASSERT_EQ(without.size(), 296u);
    for (const uint32_t offset : {280u, 288u, 289u, 292u, 295u, 296u, 1000u, 0xfffffff0u}) {
        emu::kernel_info listed = k;
        listed.arguments.push_back({offset, 8, "hidden_queue_ptr"});
        auto expected = without;
        if (offset <= 288) {
            std::memcpy(expected.data() + offset, &memory.queue, 8);
        }
        EXPECT_EQ(segment_of(listed), expected) << offset;
    }
}

// A kernel without arguments of its own has them from the first byte on.
TEST(arguments, hidden_ones_where_nothing_is_in_front) {
    emu::kernel_info k = kernel("dump_kernarg");
    k.abi_version = 2;
    k.kernarg_size = 12;
    k.arguments = {{0, 4, "hidden_block_count_x"}, {8, 4, "hidden_block_count_z"}};
    const auto segment = emu::impl::kernarg_segment(k, {{5, 6, 7}, {64, 1, 1}, 0}, {}, {});
    EXPECT_EQ(read<uint32_t>(segment, 0), 5u);
    EXPECT_EQ(read<uint32_t>(segment, 4), 0u);
    EXPECT_EQ(read<uint32_t>(segment, 8), 7u);
    // Of code object v5 also those that are not listed: behind no argument, and behind one that ends
    // in the first 8 bytes.
    k.abi_version = 3;
    k.descriptor.kernarg_size = 0;
    for (const uint32_t size : {0u, 1u, 4u, 8u}) {
        k.arguments.clear();
        if (size != 0) {
            k.arguments.push_back({0, size, "by_value"});
        }
        EXPECT_EQ(k.explicit_size(), size);
        const auto block = emu::impl::kernarg_segment(k, {{5, 6, 7}, {64, 1, 1}, 0}, {}, {});
        const size_t first = size == 0 ? 0 : 8;
        EXPECT_EQ(read<uint32_t>(block, first), 5u) << size;
        EXPECT_EQ(read<uint32_t>(block, first + 8), 7u) << size;
        EXPECT_EQ(block.size(), first + 256) << size;
    }
}

TEST(arguments, grid_dimensions_count_up_to_the_last_one_that_is_used) {
    const auto dimensions = [](const emu::launch_config& config) {
        return read<uint16_t>(emu::impl::kernarg_segment(kernel("dump_kernarg"), config, {}, {}),
                              40 + 64);
    };
    EXPECT_EQ(dimensions({{9, 1, 1}, {64, 1, 1}, 0}), 1u);
    EXPECT_EQ(dimensions({{1, 1, 1}, {64, 2, 1}, 0}), 2u);
    EXPECT_EQ(dimensions({{1, 1, 2}, {64, 1, 1}, 0}), 3u);
}

// ---- initial state ----

TEST(initial_state, scalar_registers_in_the_order_of_the_descriptor) {
    const emu::launch_config config{{9, 9, 9}, {100, 1, 1}, 0};
    const emu::impl::launch_memory memory{0x1111'0000'2222, 0x3333'0000'4444, 0x5555'0000'6666};
    const auto group =
        emu::impl::make_group(object(), kernel("all_state"), config, memory, {3, 4, 5});
    ASSERT_EQ(group->waves.size(), 2u);
    for (size_t n = 0; n < 2; ++n) {
        const emu::wave& w = group->waves[n];
        EXPECT_EQ(w.index_in_group, static_cast<int>(n));
        EXPECT_EQ(w.group, group.get());
        EXPECT_EQ(w.read_sgpr64(0), memory.packet);
        EXPECT_EQ(w.read_sgpr64(2), memory.queue);
        EXPECT_EQ(w.read_sgpr64(4), memory.kernarg);
        EXPECT_EQ(w.read_sgpr64(6), 0u) << "dispatch id";
        EXPECT_EQ(w.sgpr[8], 48u) << "private segment size: 40 bytes, rounded up to 16";
        EXPECT_EQ(w.sgpr[9], 3u) << "group x; y is not enabled";
        EXPECT_EQ(w.sgpr[10], 5u) << "group z";
        EXPECT_EQ(w.sgpr[11], n == 0 ? 0x80000002u : 2u) << "group info: first wave, waves";
        EXPECT_EQ(w.pc, kernel("all_state").entry);
        EXPECT_EQ(w.status, emu::wave_status::running);
        EXPECT_EQ(w.priority, 0);
        EXPECT_FALSE(w.scc);
    }
    EXPECT_EQ(group->debug_record, 0u) << "the code object has none";
}

// The buffer of scratch and its start, which no compiler asks for here: six registers of zeros.
TEST(initial_state, scalar_registers_that_nothing_reads) {
    emu::kernel_info k = kernel("all_state");
    k.descriptor.code_properties |= 1u << 0 | 1u << 5;
    k.descriptor.rsrc2 += 6 << 1;
    emu::impl::launch_memory memory;
    memory.packet = 3;
    memory.queue = 2;
    memory.kernarg = 1;
    const auto group = emu::impl::make_group(object(), k, {}, memory, {7, 8, 9});
    const uint32_t expected[] = {0, 0, 0, 0, 3, 0, 2, 0, 1, 0, 0, 0, 0, 0, 48, 7, 9, 0x80000001};
    for (size_t n = 0; n < std::size(expected); ++n) {
        EXPECT_EQ(group->waves[0].sgpr[n], expected[n]) << n;
    }
    k.descriptor.rsrc2 &= ~(1u << 10);
    EXPECT_EQ(emu::impl::make_group(object(), k, {}, memory, {7, 8, 9})->waves[0].sgpr[17], 0u)
        << "no group info";
}

TEST(initial_state, mode_from_the_descriptor) {
    const auto group = emu::impl::make_group(object(), kernel("all_state"), {}, {}, {0, 0, 0});
    // Round f32 up (1), flush f32 denormals (0), keep f16 and f64 ones (3 << 6), DX10_CLAMP (bit
    // 8), no IEEE (bit 9), FP16_OVFL (bit 23).
    EXPECT_EQ(group->waves[0].mode, 0x8001c1u);
    // A launch of nobody's choice: one work-item, no LDS but the kernel's.
    EXPECT_EQ(group->waves.size(), 1u);
    EXPECT_EQ(group->waves[0].exec(), 1u);
    EXPECT_EQ(group->lds.size(), 512u);
    const auto usual = emu::impl::make_group(object(), kernel("ids"), {}, {}, {0, 0, 0});
    // What compilers ask for: all denormals, and the assembler's DX10_CLAMP and IEEE.
    EXPECT_EQ(usual->waves[0].mode, 0x3f0u);
}

TEST(initial_state, registers_scratch_and_lds_are_as_many_as_asked_for) {
    const emu::launch_config config{{1, 1, 1}, {64, 1, 1}, 100};
    const auto group = emu::impl::make_group(object(), kernel("all_state"), config, {}, {0, 0, 0});
    const emu::wave& w = group->waves[0];
    EXPECT_EQ(w.vgpr.size(), 52u);
    EXPECT_EQ(w.agpr.size(), 52u);
    EXPECT_EQ(w.scratch_per_lane, 48u);
    EXPECT_EQ(w.scratch.size(), 48u * 64);
    EXPECT_EQ(group->lds.size(), 612u);
    EXPECT_EQ(*group->kernel_name, "all_state");
}

// Groups follow one another in the same memory.
TEST(initial_state, nothing_of_the_group_that_had_the_memory_before) {
    const emu::launch_config config{{2, 1, 1}, {100, 1, 1}, 100};
    const auto make = [&](std::unique_ptr<emu::workgroup> finished) {
        return emu::impl::make_group(object(), kernel("all_state"), config, {}, {1, 0, 0},
                                     std::move(finished));
    };
    const auto fresh = make(nullptr);
    auto used = make(nullptr);
    const std::byte* lds = used->lds.data();
    std::ranges::fill(used->lds, std::byte{0xff});
    for (emu::wave& w : used->waves) {
        w.sgpr.fill(~0u);
        w.scc = true;
        w.instructions = 7;
        w.status = emu::wave_status::ended;
        std::ranges::fill(w.scratch, std::byte{0xff});
        for (std::vector<emu::lane_row>* file : {&w.vgpr, &w.agpr}) {
            for (emu::lane_row& row : *file) {
                row.lane.fill(~0u);
            }
        }
    }
    const auto again = make(std::move(used));
    EXPECT_EQ(again->lds.data(), lds) << "the same memory";
    EXPECT_EQ(again->lds, fresh->lds);
    ASSERT_EQ(again->waves.size(), fresh->waves.size());
    for (size_t n = 0; n < fresh->waves.size(); ++n) {
        const emu::wave& w = again->waves[n];
        const emu::wave& expected = fresh->waves[n];
        EXPECT_EQ(w.sgpr, expected.sgpr);
        EXPECT_EQ(w.scc, expected.scc);
        EXPECT_EQ(w.instructions, 0u);
        EXPECT_EQ(w.status, emu::wave_status::running);
        EXPECT_EQ(w.scratch, expected.scratch);
        const auto same = [](const emu::lane_row& a, const emu::lane_row& b) {
            return a.lane == b.lane;
        };
        EXPECT_TRUE(std::ranges::equal(w.vgpr, expected.vgpr, same));
        EXPECT_TRUE(std::ranges::equal(w.agpr, expected.agpr, same));
    }
}

TEST(initial_state_death_test, lds_was_not_written_by_the_group_that_had_the_memory_before) {
    const emu::launch_config config{{2, 1, 1}, {64, 1, 1}, 100};
    emu::launch_checks known(config.settings.checks, config.groups, 1);
    const auto make = [&](std::unique_ptr<emu::workgroup> finished) {
        auto seen_before = finished == nullptr ? nullptr : std::move(finished->seen_by);
        auto group = emu::impl::make_group(object(), kernel("all_state"), config, {}, {0, 0, 0},
                                           std::move(finished));
        emu::look_at(*group, known, nullptr, std::move(seen_before));
        return group;
    };
    emu::instruction i;
    i.queue = emu::memory_queue::lds;
    const std::array<std::byte, 16> value{};
    std::array<uint32_t, 64> address{};
    address[3] = 32;
    const auto access = [&](emu::workgroup& group, emu::lds_use use) {
        emu::wave& w = group.waves[0];
        w.counters.issue(i.queue);
        w.seen_by->lds({w, i, 1u << 3, address.data(), 16, use, value.data()});
    };
    auto used = make(nullptr);
    access(*used, emu::lds_use::write);
    access(*used, emu::lds_use::read);
    const auto again = make(std::move(used));
    EXPECT_EXIT(access(*again, emu::lds_use::read), testing::ExitedWithCode(emu::failure_status),
                "lane 3: LDS byte 32 of [0-9]+ is read before anything is written there");
}

TEST(initial_state, lanes_of_partial_waves_and_packed_work_item_ids) {
    for (const std::array<uint32_t, 3> block : {std::array<uint32_t, 3>{1, 1, 1},
                                                {64, 1, 1},
                                                {65, 1, 1},
                                                {100, 1, 1},
                                                {5, 7, 3},
                                                {1, 1, 1024},
                                                {1024, 1, 1},
                                                {3, 41, 2}}) {
        const uint32_t threads = block[0] * block[1] * block[2];
        const auto group =
            emu::impl::make_group(object(), kernel("ids"), {{1, 1, 1}, block, 0}, {}, {0, 0, 0});
        ASSERT_EQ(group->waves.size(), (threads + 63) / 64);
        uint32_t thread = 0;
        for (const emu::wave& w : group->waves) {
            for (uint32_t l = 0; l < 64; ++l, ++thread) {
                EXPECT_EQ(w.exec() >> l & 1, thread < threads ? 1u : 0u);
                if (thread < threads) {
                    const uint32_t x = thread % block[0];
                    const uint32_t y = thread / block[0] % block[1];
                    const uint32_t z = thread / block[0] / block[1];
                    EXPECT_EQ(w.vgpr[0][l], x | y << 10 | z << 20);
                } else {
                    EXPECT_EQ(w.vgpr[0][l], 0u);
                }
            }
        }
    }
}

// The compiler leaves out the masking of coordinates that it did not ask for.
TEST(initial_state, coordinates_that_are_not_enabled_are_zero) {
    const emu::launch_config config{{1, 1, 1}, {2, 3, 4}, 0};
    const auto lane = [&](const char* name) {
        return emu::impl::make_group(object(), kernel(name), config, {}, {0, 0, 0})
            ->waves[0]
            .vgpr[0][23];
    };
    EXPECT_EQ(lane("ids"), 1u | 2u << 10 | 3u << 20);
    EXPECT_EQ(lane("all_state"), 1u | 2u << 10);
    EXPECT_EQ(lane("exchange"), 1u);
}

TEST(initial_state, preloaded_arguments_follow_the_other_user_registers) {
    const segment kernarg({10, 11, 12, 13});
    const auto group =
        emu::impl::make_group(object(), kernel("preload"), {{1, 1, 1}, {64, 1, 1}, 0},
                              {kernarg.address(), 0, 0}, {7, 0, 0});
    const emu::wave& w = group->waves[0];
    EXPECT_EQ(w.read_sgpr64(0), kernarg.address());
    EXPECT_EQ(w.sgpr[2], 11u) << "from dword 1 of the segment";
    EXPECT_EQ(w.sgpr[3], 12u);
    EXPECT_EQ(w.sgpr[4], 13u);
    EXPECT_EQ(w.sgpr[5], 7u) << "group x";
    EXPECT_EQ(w.pc, kernel("preload").entry + 256);
}

// kernarg_preload: 7 bits of the number of dwords, 9 of the first one. rsrc2 says how many user
// registers there are; those that nothing is loaded into are 0.
TEST(initial_state, preloaded_arguments_by_their_number_and_place) {
    const segment kernarg({10, 11, 12, 13, 14, 15, 16, 17});
    emu::kernel_info k = kernel("preload");
    constexpr uint32_t user_registers = 12;
    k.descriptor.rsrc2 = (k.descriptor.rsrc2 & ~(31u << 1)) | user_registers << 1;
    struct row {
        uint32_t count, first;
    };
    for (const auto& [count, first] : {row{1, 0}, {3, 1}, {2, 2}, {1, 7}, {8, 0}, {0, 3}}) {
        k.descriptor.kernarg_preload = static_cast<uint16_t>(count | first << 7);
        const auto group = emu::impl::make_group(object(), k, {{1, 1, 1}, {64, 1, 1}, 0},
                                                 {kernarg.address(), 0, 0}, {7, 0, 0});
        const emu::wave& w = group->waves[0];
        EXPECT_EQ(w.read_sgpr64(0), kernarg.address());
        for (uint32_t n = 0; n < user_registers - 2; ++n) {
            EXPECT_EQ(w.sgpr[2 + n], n < count ? 10 + first + n : 0u)
                << count << " from " << first << ", number " << n;
        }
        EXPECT_EQ(w.sgpr[user_registers], 7u) << "group x";
        EXPECT_EQ(w.loaded_sgprs, user_registers + 1);
        EXPECT_EQ(w.pc, k.entry + (count != 0 ? 256 : 0));
    }
    k.descriptor.kernarg_preload = 1 << 6;
    EXPECT_EQ(emu::impl::make_group(object(), k, {}, {}, {0, 0, 0})->waves[0].pc, k.entry + 256);
}

// rsrc2 has two bits of them; those beside them are something else.
TEST(initial_state, coordinates_by_their_bits_of_the_descriptor) {
    for (uint32_t bits = 0; bits < 16; ++bits) {
        emu::kernel_info k = kernel("ids");
        k.descriptor.rsrc2 = (k.descriptor.rsrc2 & ~(15u << 10)) | bits << 10;
        const auto group =
            emu::impl::make_group(object(), k, {{1, 1, 1}, {2, 3, 4}, 0}, {}, {0, 0, 0});
        const uint32_t coordinates = bits >> 1 & 3;
        EXPECT_EQ(group->waves[0].vgpr[0][23],
                  1u | (coordinates >= 1 ? 2u << 10 : 0) | (coordinates >= 2 ? 3u << 20 : 0))
            << bits;
    }
}

// What a kernel finds behind the last argument, up to a multiple of 64 bytes.
TEST(initial_state, zeros_follow_the_arguments) {
    const emu::kernel_info& k = kernel("dump_kernarg");  // 296 bytes, of which each item has four
    std::vector<uint32_t> out(80, 77);
    dump_arguments arguments;
    arguments.out = reinterpret_cast<uintptr_t>(out.data());
    emu::add_range(arguments.out, out.size() * 4, true, emu::memory_kind::device);
    emu::launch(device, object(), k, {{1, 1, 1}, {80, 1, 1}, 0},
                emu::pack_arguments(k, arguments.pointers().data()));
    emu::remove_range(arguments.out);
    EXPECT_EQ(out[13], 80u | 1u << 16) << "group size x and y";
    for (size_t n = 74; n < out.size(); ++n) {
        EXPECT_EQ(out[n], 0u) << n;
    }
}

// hsa_kernel_dispatch_packet_t, as device code finds it.
TEST(initial_state, dispatch_packet) {
    std::vector<uint32_t> out(18, 77);
    emu::add_range(reinterpret_cast<uintptr_t>(out.data()), out.size() * 4, true,
                   emu::memory_kind::device);
    uint32_t* to = out.data();
    void* values[] = {&to};
    const emu::kernel_info& k = kernel("dump_packet");
    emu::launch(device, object(), k, {{1, 3, 2}, {4, 2, 2}, 100}, emu::pack_arguments(k, values));
    emu::remove_range(reinterpret_cast<uintptr_t>(out.data()));
    const auto address = [&](size_t n) { return out[n] | uint64_t{out[n + 1]} << 32; };
    EXPECT_EQ(out[0], 2u | 3u << 16) << "a kernel, three dimensions";
    EXPECT_EQ(out[1], 4u | 2u << 16);
    EXPECT_EQ(out[2], 2u);
    EXPECT_EQ(out[3], 4u);
    EXPECT_EQ(out[4], 6u);
    EXPECT_EQ(out[5], 4u);
    EXPECT_EQ(out[6], 48u) << "scratch";
    EXPECT_EQ(out[7], 612u) << "LDS";
    EXPECT_EQ(address(8), k.descriptor_address);
    EXPECT_EQ(address(10), address(16)) << "arguments";
    EXPECT_EQ(address(12), 0u);
    EXPECT_EQ(address(14), 0u) << "no signal";
    EXPECT_EQ(emu::translate(address(10), 4, false), nullptr) << "it went with the launch";
}

// ---- reports ----

void fail_in_many_threads() {
    constexpr int count = 16;
    emu::wave w;
    std::barrier start(count);
    std::vector<std::thread> threads;
    for (int n = 0; n < count; ++n) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            emu::fail_at(w, 0, "text", "message");
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

TEST(fail_death_test, only_the_first_of_several_threads_reports) {
    for (int round = 0; round < 20; ++round) {
        EXPECT_EXIT(fail_in_many_threads(), testing::ExitedWithCode(70),
                    "^opus emulator: message\n( [^\n]*\n)*$");
    }
}

// ---- OPUS_EMU_CPU, which is looked at once in a process ----

TEST(cpu_level_death_test, is_chosen_by_name) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto chosen = [](const std::string& name) {
        ::setenv("OPUS_EMU_CPU", name.c_str(), 1);
        std::fprintf(stderr, "chosen: %s\n", std::string(emu::chosen_level().name).c_str());
        std::exit(7);
    };
    EXPECT_EXIT(chosen("none"), testing::ExitedWithCode(70),
                "OPUS_EMU_CPU=none: the emulator was built for [a-z]");
    const std::string highest(emu::chosen_level().name);
    EXPECT_EXIT(chosen(highest), testing::ExitedWithCode(7), "chosen: " + highest);
}

// ---- what a launch is asked to say ----

// Memory that kernels write, and what its launch prints to stderr.
struct launched {
    explicit launched(size_t count) : out(count) {
        emu::add_range(address(), out.size() * 4, true, emu::memory_kind::device);
    }
    ~launched() { emu::remove_range(address()); }
    uint64_t address() const { return reinterpret_cast<uintptr_t>(out.data()); }
    void run(const emu::kernel_info& k, const emu::launch_config& config) const {
        dump_arguments arguments;
        arguments.out = address();
        emu::launch(device, object(), k, config,
                    emu::pack_arguments(k, arguments.pointers().data()));
    }
    std::string stderr_of(const emu::kernel_info& k, const emu::launch_config& config) const {
        testing::internal::CaptureStderr();
        run(k, config);
        return testing::internal::GetCapturedStderr();
    }
    std::vector<uint32_t> out;
};

// For traces, whose names the process numbers.
struct directory {
    directory() { std::filesystem::create_directory(path); }
    ~directory() { std::filesystem::remove_all(path); }
    directory(const directory&) = delete;
    directory& operator=(const directory&) = delete;
    const std::string path =
        testing::TempDir() + "opus_emu_traces_" + tested_arch() + std::to_string(::getpid());
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(launch, says_what_it_did_if_it_is_asked) {
    const launched memory(256);
    emu::launch_config config{{2, 1, 1}, {256, 1, 1}, 100};
    EXPECT_EQ(memory.stderr_of(kernel("exchange"), config), "");
    config.settings.profile = emu::profile_format::table;
    const std::string table = memory.stderr_of(kernel("exchange"), config);
    EXPECT_TRUE(
        has(table, "profile of exchange on " + tested_arch() + ": 2 x 1 x 1 groups of 256 x 1 x 1"))
        << table;
    EXPECT_TRUE(has(table, ", 1124 bytes of LDS")) << table;
    EXPECT_TRUE(has(table, "8  s_barrier")) << "eight waves executed it: " << table;
    config.settings.profile = emu::profile_format::json;
    const std::string json = memory.stderr_of(kernel("exchange"), config);
    EXPECT_EQ(json.find("{\"kernel\":\"exchange\""), 0u) << json;
    config.settings.profile = emu::profile_format::none;
    for (const bool is_on : {false, true}) {
        config.settings.stats = is_on;
        const std::string text = memory.stderr_of(kernel("exchange"), config);
        EXPECT_EQ(text.find("opus emulator: exchange: 2 x 1 x 1 groups of 256, ") == 0, is_on)
            << text;
        EXPECT_EQ(text.empty(), !is_on);
    }
}

TEST(launch_death_test, stops_at_an_instruction_of_its_kernel) {
    const launched memory(256);
    const auto text_of = [&](const char* place) {
        std::string problem;
        emu::launch_config config{{2, 1, 1}, {256, 1, 1}, 0};
        config.settings.stop = emu::parse_stop(place, problem);
        memory.run(kernel("exchange"), config);
        std::_Exit(3);
    };
    EXPECT_EXIT(text_of("0x0"), testing::ExitedWithCode(3),
                "^opus emulator: stop at 0x0\n  kernel      exchange\n");
    EXPECT_EXIT(text_of("0x0,kernel=ids"), testing::ExitedWithCode(3), "^$");
    EXPECT_EXIT(
        text_of("0x0,group=1"), testing::ExitedWithCode(3),
        "^opus emulator: stop at 0x0,group=1\n(.*\n)*  group       \\(1, 0, 0\\), wave 0\n");
}

// Whoever looks at the groups besides.
TEST(launch_death_test, is_checked) {
    const launched memory(256);
    const auto report = [&](const char* name, emu::profile_format profile, bool stops) {
        std::string problem;
        emu::launch_config config{{1, 1, 1}, {128, 1, 1}, 0};
        config.settings.profile = profile;
        if (stops) {
            config.settings.stop = emu::parse_stop("0xfffc", problem);
        }
        memory.run(kernel(name), config);
        std::_Exit(3);
    };
    for (const bool stops : {false, true}) {
        for (const auto profile : {emu::profile_format::none, emu::profile_format::table}) {
            EXPECT_EXIT(report("early_end", profile, stops), testing::ExitedWithCode(70),
                        "check       barriers\n  kernel      early_end\n");
            EXPECT_EXIT(report("reports_late", profile, stops), testing::ExitedWithCode(70),
                        "is read before .*\n  check       uninitialized_lds\n"
                        "  kernel      reports_late\n");
        }
    }
}

// grid_syncs with a group that ends early, or none.
void run_grid_syncs(const launched& memory, uint32_t groups, uint32_t last, uint32_t checks) {
    emu::launch_config config{{groups, 1, 1}, {1, 1, 1}, 0};
    config.is_cooperative = true;
    config.settings.checks = checks;
    uint64_t out = memory.address();
    void* values[] = {&out, &last};
    emu::launch(device, object(), kernel("grid_syncs"), config,
                emu::pack_arguments(kernel("grid_syncs"), values));
}

TEST(launch, has_groups_that_wait_for_all) {
    constexpr uint32_t groups = 300;
    const launched memory(groups);
    run_grid_syncs(memory, groups, ~0u, 0);
    EXPECT_EQ(memory.out, std::vector<uint32_t>(groups, groups));
}

TEST(launch_death_test, has_a_group_that_ends_without_a_grid_sync) {
    const launched memory(8);
    const std::string which = "opus emulator: grid sync: [1-7] of 8 groups wait, and group ";
    for (const uint32_t last : {0u, 5u, 7u}) {
        const std::string number = "\\(" + std::to_string(last) + ", 0, 0\\) has ended without it";
        EXPECT_EXIT(run_grid_syncs(memory, 8, last, emu::check::barriers),
                    testing::ExitedWithCode(70),
                    "^" + which + number + "\n  check       barriers\n  kernel      grid_syncs\n" +
                        "(.*\n)*  instruction s_sleep 1\n(.*\n)*the end:\n.*\n" +
                        "  instruction s_endpgm\n");
        EXPECT_EXIT(run_grid_syncs(memory, 8, last, 0), testing::ExitedWithCode(70),
                    "^" + which + number + ": the launch cannot go on\n  kernel      grid_syncs\n");
    }
}

// Some is said when the launch is over.
TEST(launch, says_what_a_check_has_counted) {
    const launched memory(3 * 128);
    emu::launch_config config{{3, 1, 1}, {128, 1, 1}, 0};
    config.settings.checks = emu::check::range;
    for (int n = 0; n < 2; ++n) {
        const std::string text = memory.stderr_of(kernel("reports_late"), config);
        EXPECT_TRUE(has(text, "reports_late: accesses outside of their buffer's range\n")) << text;
        EXPECT_TRUE(has(text, "384          381            3  buffer_load_dword")) << text;
    }
}

// Only a kernel that lists them has buffers to print to, and while it runs.
TEST(launch, has_the_buffers_that_a_kernel_takes) {
    constexpr size_t hidden = 10;
    const auto address = [](const launched& memory, size_t n) {
        return memory.out[hidden + n] | uint64_t{memory.out[hidden + n + 1]} << 32;
    };
    for (const char* kind :
         {"hidden_printf_buffer", "hidden_hostcall_buffer", "hidden_queue_ptr"}) {
        const launched memory(80);
        emu::kernel_info k = kernel("dump_kernarg");
        k.arguments.push_back({40 + 240, 8, kind});
        EXPECT_EQ(memory.stderr_of(k, {{1, 1, 1}, {74, 1, 1}, 0}), "");
        const uint64_t printed = address(memory, 18);
        const uint64_t hostcall = address(memory, 20);
        EXPECT_EQ(printed != 0, kind == std::string_view("hidden_printf_buffer")) << kind;
        EXPECT_EQ(hostcall != 0, kind == std::string_view("hidden_hostcall_buffer")) << kind;
        EXPECT_EQ(emu::translate(printed, 4, true), nullptr) << "it went with the launch";
        if (hostcall != 0) {
            EXPECT_EQ(hostcall, emu::hostcall_service::instance().buffer_address());
        }
    }
}

// What the host has printed is not behind what a kernel prints by its service, nor behind what is
// said about the launch.
TEST(launch_death_test, flushes_what_was_printed) {
    const auto print = [](const char* argument, emu::launch_settings settings) {
        ::dup2(2, 1);
        const launched memory(80);
        emu::kernel_info k = kernel("dump_kernarg");
        k.arguments.push_back({40 + 240, 8, argument});
        std::fputs("printed before", stdout);
        memory.run(k, {{1, 1, 1}, {74, 1, 1}, 0, settings});
        std::_Exit(3);
    };
    emu::launch_settings profiled;
    profiled.profile = emu::profile_format::table;
    emu::launch_settings timed;
    const directory traces;
    timed.timeline_file = traces.path + "/t";
    EXPECT_EXIT(print("hidden_hostcall_buffer", {}), testing::ExitedWithCode(3),
                "^printed before$");
    EXPECT_EXIT(print("hidden_queue_ptr", profiled), testing::ExitedWithCode(3),
                "^printed beforeopus emulator: profile of ");
    EXPECT_EXIT(print("hidden_queue_ptr", timed), testing::ExitedWithCode(3),
                "^printed beforeopus emulator: timeline of ");
    emu::launch_settings stopped;
    std::string problem;
    stopped.stop = emu::parse_stop("0x0", problem);
    EXPECT_EXIT(print("hidden_queue_ptr", stopped), testing::ExitedWithCode(3),
                "^printed beforeopus emulator: stop at ");
    const auto print_as_well = [&] {
        ::dup2(2, 1);
        const launched memory(80);
        memory.run(kernel("prints"), {{1, 1, 1}, {1, 1, 1}, 0, timed});
        std::_Exit(3);
    };
    EXPECT_EXIT(print_as_well(), testing::ExitedWithCode(3), "^hi\nopus emulator: timeline of ");
}

// ---- timelines ----

TEST(timeline, groups_by_number) {
    // 3 x 2 x 5 groups: the last one is 29. Only those that were asked for are there.
    std::vector<uint64_t> out(30 * 64);
    emu::add_range(reinterpret_cast<uintptr_t>(out.data()), out.size() * 8, true,
                   emu::memory_kind::device);
    const std::string file = std::string(OPUS_EMU_TEST_KERNELS) + "/timeline_" + tested_arch();
    emu::launch_config config{{3, 2, 5}, {64, 1, 1}};
    config.settings.timeline_file = file;
    config.settings.timeline_groups = "4,28-29";
    uint64_t* to = out.data();
    uint32_t values[] = {3, 2, 64, 1, 64};
    void* arguments[] = {&to, &values[0], &values[1], &values[2], &values[3], &values[4]};
    testing::internal::CaptureStderr();
    emu::launch(device, object(), kernel("ids"), config,
                emu::pack_arguments(kernel("ids"), arguments));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("3 of 30, of 1 waves each"),
              std::string::npos);
    emu::remove_range(reinterpret_cast<uintptr_t>(out.data()));
    const std::vector<std::byte> bytes = read_bytes(file);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_NE(text.find("\"groups\":[4,28,29]"), std::string::npos) << text.substr(0, 1000);
    EXPECT_NE(text.find("group 29 wave 0"), std::string::npos);
    EXPECT_EQ(std::remove(file.c_str()), 0);
    EXPECT_NE(std::remove((file + ".part").c_str()), 0);
}

// What groups that are not modelled access is there, although nothing wants it.
TEST(timeline_death_test, alone_reports_accesses_of_what_is_left_out) {
    const directory traces;
    const auto run = [&](uint32_t groups) {
        const launched memory(3 * 128);
        emu::launch_config config{{groups, 1, 1}, {128, 1, 1}, device.lds_bytes - 512};
        config.settings.checks = emu::check::none;
        config.settings.timeline_only = true;
        config.settings.timeline_file = traces.path + "/t";
        memory.run(kernel("reports_late"), config);
        std::_Exit(3);
    };
    EXPECT_EXIT(run(3), testing::ExitedWithCode(3), "groups .modelled. *1 of 3,");
    EXPECT_EXIT(run(4), testing::ExitedWithCode(70),
                "lane 0: load of 4 bytes .*\n  kernel      reports_late\n(.*\n)*"
                "  group       \\(3, 0, 0\\), wave 0");
}

// What is left out decides nothing that is said about groups that are all in progress at once.
TEST(timeline, alone_says_the_same) {
    const std::string file = std::string(OPUS_EMU_TEST_KERNELS) + "/same_" + tested_arch();
    const auto units = static_cast<uint32_t>(device.compute_units);
    const launched memory(1024 + size_t{units} * 64);
    // With the trace, and without the lines that name it and the groups that were left out.
    const auto said = [&](bool only, emu::profile_format profile) {
        emu::launch_config config{{units, 1, 1}, {64, 1, 1}, device.lds_bytes - 16384};
        config.settings.timeline_file = file;
        config.settings.timeline_only = only;
        config.settings.profile = profile;
        std::string text = memory.stderr_of(kernel("product"), config);
        const size_t trace = text.find(file);
        const std::string name = text.substr(trace, text.find('\n', trace) - trace);
        const std::vector<std::byte> bytes = read_bytes(name);
        EXPECT_EQ(std::remove(name.c_str()), 0) << text;
        text.resize(text.find(only ? "  executed   " : "  trace   "));
        return text + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    for (const auto profile : {emu::profile_format::none, emu::profile_format::table}) {
        const std::string whole = said(false, profile);
        EXPECT_EQ(has(whole, "profile of product"), profile == emu::profile_format::table);
        EXPECT_TRUE(has(whole, " 1 of " + std::to_string(units) + ", of 1 waves each")) << whole;
        EXPECT_TRUE(said(false, profile) == whole) << "by chance";
        const std::string alone = said(true, profile);
        EXPECT_TRUE(alone == whole) << alone.substr(0, 4000) << whole.substr(0, 4000);
    }
}

// All groups but the modelled one only touch their memory. Those that find no room at first are executed
// too, because group 5 has more instructions than others.
TEST(timeline, alone_leaves_out_products) {
    const std::string file = std::string(OPUS_EMU_TEST_KERNELS) + "/products_" + tested_arch();
    const auto units = static_cast<uint32_t>(device.compute_units);
    const uint32_t groups = units + 3;
    // With all LDS a group has a unit of its own.
    emu::launch_config config{{groups, 1, 1}, {64, 1, 1}, device.lds_bytes - 16384};
    config.settings.timeline_file = file;
    for (const bool only : {false, true}) {
        launched memory(1024 + size_t{groups} * 64);
        std::ranges::fill(memory.out, std::bit_cast<uint32_t>(2.0f));
        config.settings.timeline_only = only;
        const std::string text = memory.stderr_of(kernel("product"), config);
        for (const std::string& part :
             {"timeline of product on " + tested_arch(),
              " of " + std::to_string(groups) + ", of 1 waves each",
              std::string("s_waitcnt vmcnt(0)"), std::string("bound                   latency")}) {
            EXPECT_TRUE(has(text, part)) << part << "\n" << text;
        }
        EXPECT_EQ(has(text, "\n  executed "), only) << text;
        for (uint32_t g = 0; g < groups; ++g) {
            const float expected = !only || g == 0 ? 11.0f : 3.0f;
            for (size_t t = 0; t < 64; ++t) {
                ASSERT_EQ(std::bit_cast<float>(memory.out[1024 + 64 * g + t]), expected)
                    << "group " << g << ", item " << t << (only ? ", timeline only" : "");
            }
        }
        const size_t trace = text.find(file);
        ASSERT_NE(trace, std::string::npos) << text;
        const std::string name = text.substr(trace, text.find('\n', trace) - trace);
        EXPECT_EQ(std::remove(name.c_str()), 0) << name;
    }
}

}  // namespace
