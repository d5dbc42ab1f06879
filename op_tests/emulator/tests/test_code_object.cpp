// loader/: bundles, loading, metadata, and files that are damaged.

#include <gtest/gtest.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "containers.hpp"
#include "isa/debug_info.hpp"
#include "isa/decode.hpp"
#include "kernels.hpp"
#include "loader/bundle.hpp"
#include "loader/code_object.hpp"
#include "machine/memory.hpp"

namespace {

const emu::gfx_target target =
    tested_arch() == "gfx942" ? emu::gfx_target::gfx942 : emu::gfx_target::gfx950;

std::string selected(const bytes_t& file) {
    std::unique_ptr<std::byte[]> storage;
    emu::load_budget budget;
    const auto image = emu::select_image(file, target, storage, budget);
    return {reinterpret_cast<const char*>(image.data()), image.size()};
}

// The message of the load_error that `f` throws, "" if it throws none.
template <class F>
std::string error_of(F f, emu::load_error::reason_t reason) {
    try {
        f();
    } catch (const emu::load_error& e) {
        EXPECT_EQ(e.reason, reason) << e.what();
        return e.what();
    }
    return "";
}

template <class F>
std::string malformed(F f) {
    return error_of(f, emu::load_error::reason_t::malformed);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bytes_t small_bundle() {
    return make_bundle({{"host-x86_64-unknown-linux-gnu-", {}},
                        {triple(other_arch()), to_bytes("other")},
                        {triple(tested_arch()), to_bytes("wanted")}});
}

// ---- bundles ----

TEST(bundle, the_entry_of_the_target_is_taken) {
    EXPECT_EQ(selected(small_bundle()), "wanted");
}

TEST(bundle, features_after_the_processor) {
    for (const char* features : {":sramecc+", ":xnack-", ":sramecc+:xnack-"}) {
        EXPECT_EQ(selected(make_bundle({{triple(tested_arch() + features), to_bytes("wanted")}})),
                  "wanted");
    }
    // The machines run with SRAM ECC and without XNACK, so these are passed over.
    EXPECT_EQ(selected(make_bundle({{triple(tested_arch() + ":xnack+"), to_bytes("xnack")},
                                    {triple(tested_arch() + ":sramecc-"), to_bytes("no ecc")},
                                    {triple(tested_arch() + ":xnack-"), to_bytes("wanted")}})),
              "wanted");
}

TEST(bundle, the_older_kind_of_id) {
    EXPECT_EQ(selected(make_bundle(
                  {{"hip-amdgcn-amd-amdhsa-unknown-" + tested_arch(), to_bytes("wanted")}})),
              "wanted");
}

TEST(bundle, a_longer_processor_name_is_another_processor) {
    EXPECT_THROW(selected(make_bundle({{triple(tested_arch() + "0"), to_bytes("x")}})),
                 emu::load_error);
}

TEST(bundle, a_missing_image_is_an_error_that_says_what_is_there) {
    const auto file =
        make_bundle({{triple("gfx90a"), to_bytes("a")}, {triple(other_arch()), to_bytes("b")}});
    const std::string message =
        error_of([&] { selected(file); }, emu::load_error::reason_t::no_image);
    EXPECT_TRUE(contains(message, tested_arch())) << message;
    EXPECT_TRUE(contains(message, triple("gfx90a"))) << message;
    EXPECT_TRUE(contains(message, triple(other_arch()))) << message;
}

TEST(bundle, compressed) {
    for (int version : {2, 3}) {
        EXPECT_EQ(selected(compress(small_bundle(), version)), "wanted") << "version " << version;
    }
}

TEST(bundle, compressed_in_ways_that_are_not_known) {
    EXPECT_TRUE(contains(malformed([] { selected(compress(small_bundle(), 4)); }), "version 4"));
    auto file = compress(small_bundle(), 3);
    file[6] = std::byte{0};
    EXPECT_TRUE(contains(malformed([&] { selected(file); }), "method 0"));
}

TEST(bundle, compressed_with_a_wrong_size) {
    for (uint64_t size : {uint64_t{1}, uint64_t{100000}, uint64_t{1} << 62}) {
        auto file = compress(small_bundle(), 3);
        std::memcpy(file.data() + 16, &size, sizeof size);
        EXPECT_NE(malformed([&] { selected(file); }), "") << size;
    }
}

// Bytes of memory that the process has had at most.
uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// Zeros, as many frames behind each other: a few KB that do unpack to 2.5 GiB.
TEST(bundle, compressed_to_more_than_the_limit) {
    const bytes_t zeros(uint64_t{64} << 20);
    bytes_t frame(ZSTD_compressBound(zeros.size()));
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 1));
    bytes_t file = compress(small_bundle(), 3);
    file.resize(32);
    for (int n = 0; n < 40; ++n) {
        append(file, frame);
    }
    const auto refusal_of = [&](uint64_t size) {
        const uint64_t sizes[] = {file.size(), size};
        std::memcpy(file.data() + 8, sizes, sizeof sizes);
        return malformed([&] { selected(file); });
    };
    const uint64_t before = peak_memory();
    const std::string message = refusal_of(40 * zeros.size());
    EXPECT_TRUE(contains(message, "declares 2684354560 bytes, at most 2147483648 are unpacked"))
        << message;
    EXPECT_LT(peak_memory() - before, uint64_t{16} << 20);
}

// One frame that says how much it holds.
TEST(bundle, compressed_with_another_size_than_its_frame) {
    auto file = compress(small_bundle(), 3);
    const uint64_t size = 100 * file.size();
    std::memcpy(file.data() + 16, &size, sizeof size);
    const std::string message = malformed([&] { selected(file); });
    EXPECT_TRUE(contains(message, "its zstd frame has " + std::to_string(small_bundle().size())))
        << message;
}

// zstd's frame may leave out the size; then the header alone has it.
TEST(bundle, compressed_without_a_size_in_the_frame) {
    const bytes_t bundle = small_bundle();
    bytes_t data(ZSTD_compressBound(bundle.size()));
    const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
    data.resize(
        ZSTD_compress2(context.get(), data.data(), data.size(), bundle.data(), bundle.size()));
    const auto with_size = [&](uint64_t size) {
        bytes_t file = compress(bundle, 3);
        file.resize(32);
        append(file, data);
        const uint64_t sizes[] = {file.size(), size};
        std::memcpy(file.data() + 8, sizes, sizeof sizes);
        return file;
    };
    ASSERT_EQ(ZSTD_getFrameContentSize(data.data(), data.size()), ZSTD_CONTENTSIZE_UNKNOWN);
    EXPECT_EQ(selected(with_size(bundle.size())), "wanted");
    for (const uint64_t size : {bundle.size() - 1, bundle.size() + 1, size_t{1} << 62}) {
        EXPECT_NE(malformed([&] { selected(with_size(size)); }), "") << size;
    }
}

TEST(bundle, every_truncation_is_an_error) {
    for (const bytes_t& whole :
         {small_bundle(), compress(small_bundle(), 2), compress(small_bundle(), 3)}) {
        EXPECT_EQ(selected(whole), "wanted");
        for (size_t size = 0; size < whole.size(); ++size) {
            const bytes_t part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
            EXPECT_NE(malformed([&] { selected(part); }), "") << size << " of " << whole.size();
        }
    }
}

TEST(bundle, every_damaged_byte_is_an_error_or_harmless) {
    for (const bytes_t& whole :
         {small_bundle(), compress(small_bundle(), 2), compress(small_bundle(), 3)}) {
        int errors = 0;
        for (size_t at = 0; at < whole.size(); ++at) {
            for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
                bytes_t damaged = whole;
                damaged[at] = static_cast<std::byte>(value);
                try {
                    selected(damaged);
                } catch (const emu::load_error&) {
                    ++errors;
                }
            }
        }
        // At least each byte of the four that name the format, with each value.
        EXPECT_GE(errors, 4 * 5);
    }
}

bytes_t two_offload_binaries() {
    bytes_t file = make_offload_binary(other_arch(), to_bytes("other"));
    append(file, make_offload_binary(tested_arch(), to_bytes("wanted")));
    return file;
}

TEST(bundle, offload_binaries_behind_each_other) {
    EXPECT_EQ(selected(two_offload_binaries()), "wanted");
    EXPECT_EQ(selected(make_offload_binary(tested_arch() + ":sramecc+:xnack-", to_bytes("wanted"))),
              "wanted");
    const std::string message =
        error_of([] { selected(make_offload_binary(other_arch(), to_bytes("other"))); },
                 emu::load_error::reason_t::no_image);
    EXPECT_TRUE(contains(message, tested_arch())) << message;
    EXPECT_TRUE(contains(message, other_arch())) << message;
    for (const char* features : {":xnack+", ":sramecc-", "0"}) {
        EXPECT_THROW(selected(make_offload_binary(tested_arch() + features, to_bytes("x"))),
                     emu::load_error)
            << features;
    }
    // Its strings in the other order.
    auto file = make_offload_binary(tested_arch(), to_bytes("wanted"));
    std::swap_ranges(file.begin() + 72, file.begin() + 88, file.begin() + 88);
    EXPECT_EQ(selected(file), "wanted");
    file[4] = std::byte{2};
    EXPECT_TRUE(contains(malformed([&] { selected(file); }), "version 2"));
}

TEST(bundle, every_truncation_of_an_offload_binary_is_an_error) {
    const bytes_t whole = make_offload_binary(tested_arch(), to_bytes("wanted"));
    for (size_t size = 0; size < whole.size(); ++size) {
        const bytes_t part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_NE(malformed([&] { selected(part); }), "") << size << " of " << whole.size();
    }
}

TEST(bundle, anything_else_is_an_error) {
    EXPECT_NE(malformed([] { selected(to_bytes("something else, long enough for a header")); }),
              "");
}

TEST(bundle, of_nothing_but_its_magic) {
    EXPECT_TRUE(contains(malformed([] { selected(to_bytes("__CLANG_OFFLOAD_BUNDLE__")); }),
                         "offload bundle: needs bytes 24 to 24+8"));
    EXPECT_TRUE(contains(malformed([] { selected(to_bytes("__CLANG_OFFLOAD_BUNDLE_")); }),
                         "not a code object"));
}

TEST(bundle, the_size_of_an_image_is_in_its_headers) {
    // A bundle whose only image is nowhere.
    bytes_t empty = make_bundle({{triple(tested_arch()), {}}});
    std::fill_n(empty.begin() + 32, 8, std::byte{0});
    // Followed by bytes that are not part of it.
    for (bytes_t file :
         {small_bundle(), empty, compress(small_bundle(), 2), compress(small_bundle(), 3),
          make_offload_binary(tested_arch(), to_bytes("x")), read_kernels(tested_arch())}) {
        const size_t size = file.size();
        EXPECT_EQ(emu::image_size(file), size);
        file.resize(size + 64);
        EXPECT_EQ(emu::image_size(file), size);
        file.resize(size - 1);
        EXPECT_NE(malformed([&] { emu::image_size(file); }), "") << size;
    }
    EXPECT_NE(malformed([] { emu::image_size(to_bytes("something else, and long")); }), "");
    // p_filesz of the first segment and sh_size of the last section.
    auto elf = read_kernels(tested_arch());
    uint64_t section_headers = 0;
    uint16_t section_count = 0;
    std::memcpy(&section_headers, elf.data() + 40, 8);
    std::memcpy(&section_count, elf.data() + 60, 2);
    for (const uint64_t at : {uint64_t{64 + 32}, section_headers + 64 * (section_count - 1) + 32}) {
        auto damaged = elf;
        const uint64_t bytes = elf.size();
        std::memcpy(damaged.data() + at, &bytes, 8);
        EXPECT_NE(malformed([&] { emu::image_size(damaged); }), "") << at;
    }
}

// Whatever of an ELF file lies behind the rest; a section without bytes of its own is nowhere.
TEST(bundle, the_size_of_an_image_by_what_is_last) {
    struct layout {
        const char* last;
        uint64_t segments_at, sections_at;
        uint64_t segment[2];  // offset and bytes of the last one of three
        uint64_t section[3];  // the same, and the type, of the last one of two
        uint64_t size;
    };
    constexpr uint64_t nobits = 8;
    constexpr uint64_t progbits = 1;
    constexpr layout layouts[] = {
        {"segment headers", 1000, 64, {0, 8}, {0, 8, progbits}, 1000 + 3 * 56},
        {"section headers", 64, 1000, {0, 8}, {0, 8, progbits}, 1000 + 2 * 64},
        {"a segment", 64, 300, {1001, 77}, {0, 8, progbits}, 1078},
        {"a section", 64, 300, {1001, 77}, {1001, 78, progbits}, 1079},
        {"nothing", 64, 300, {0, 64}, {1001, 78, nobits}, 300 + 2 * 64},
    };
    for (const layout& l : layouts) {
        bytes_t file = to_bytes("\177ELF\2\1\1");
        file.resize(2000);
        const auto put_in = [&](size_t at, uint64_t value, size_t bytes) {
            std::memcpy(file.data() + at, &value, bytes);
        };
        put_in(32, l.segments_at, 8);
        put_in(40, l.sections_at, 8);
        put_in(56, 3, 2);
        put_in(60, 2, 2);
        put_in(l.segments_at + 2 * 56 + 8, l.segment[0], 8);
        put_in(l.segments_at + 2 * 56 + 32, l.segment[1], 8);
        put_in(l.segments_at + 2 * 56 + 40, 1500, 8);  // in memory
        put_in(l.sections_at + 64 + 4, l.section[2], 4);
        put_in(l.sections_at + 64 + 24, l.section[0], 8);
        put_in(l.sections_at + 64 + 32, l.section[1], 8);
        EXPECT_EQ(emu::image_size(file), l.size) << l.last;
        file.resize(l.size);
        EXPECT_EQ(emu::image_size(file), l.size) << l.last;
        file.resize(l.size - 1);
        EXPECT_NE(malformed([&] { emu::image_size(file); }), "") << l.last;
    }
    // No segments and no sections.
    bytes_t header = to_bytes("\177ELF\2\1\1");
    header.resize(100);
    EXPECT_EQ(emu::image_size(header), 64u);
}

// Limits at exactly them and one beyond; what a message says.
TEST(bundle, what_is_refused_and_where_that_begins) {
    const auto bundle_of = [](uint64_t count, size_t id_bytes) {
        std::vector<std::pair<std::string, bytes_t>> entries(count - 1, {"", {}});
        entries.emplace_back(std::string(id_bytes, 'x'), bytes_t{});
        return make_bundle(entries);
    };
    const auto message_of = [](const bytes_t& file) {
        try {
            selected(file);
        } catch (const emu::load_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_TRUE(contains(message_of(bundle_of(4096, 1)), "it holds "));
    EXPECT_EQ(message_of(bundle_of(4097, 1)), "offload bundle: 4097 entries");
    EXPECT_TRUE(contains(message_of(bundle_of(1, 4096)), "it holds x"));
    EXPECT_EQ(message_of(bundle_of(1, 4097)), "offload bundle: an entry's id has 4097 bytes");
    EXPECT_TRUE(contains(message_of(make_bundle({{"a", {}}, {"b", {}}})), "it holds a, b"));
    EXPECT_TRUE(contains(message_of(make_bundle({})), "it holds nothing"));

    const auto binary_with = [](size_t at, uint64_t value) {
        bytes_t file = make_offload_binary(other_arch(), to_bytes("x"));
        std::memcpy(file.data() + at, &value, sizeof value);
        file.resize(8192);
        return file;
    };
    constexpr size_t size = 8;
    constexpr size_t strings = 32 + 16;
    EXPECT_EQ(message_of(binary_with(size, 31)),
              "offload binary: its size is smaller than its header");
    EXPECT_TRUE(
        contains(message_of(binary_with(size, 32)), "offload binary: needs bytes 32 to 32+40"))
        << message_of(binary_with(size, 32));
    EXPECT_EQ(message_of(binary_with(strings, 257)), "offload binary: 257 strings");
    EXPECT_FALSE(contains(message_of(binary_with(strings, 256)), "256 strings"));
    bytes_t both = make_offload_binary("gfx90a", to_bytes("x"));
    append(both, make_offload_binary(other_arch(), to_bytes("x")));
    EXPECT_TRUE(contains(message_of(both), "it holds gfx90a, " + other_arch()));
    // An architecture of 4095 characters and of 4096.
    EXPECT_TRUE(
        contains(message_of(make_offload_binary(std::string(4095, 'x'), {})), "it holds x"));
    EXPECT_EQ(message_of(make_offload_binary(std::string(4096, 'x'), {})),
              "offload binary: a string of more than 4096 bytes");
    // Its entry at the very end.
    bytes_t moved = make_offload_binary(tested_arch(), to_bytes("wanted"));
    const bytes_t entry(moved.begin() + 32, moved.begin() + 72);
    const uint64_t sizes[] = {moved.size() + 40, moved.size()};
    std::memcpy(moved.data() + 8, sizes, sizeof sizes);
    append(moved, entry);
    EXPECT_EQ(selected(moved), "wanted");
    // Of zstd: damaged behind its header.
    bytes_t damaged = compress(small_bundle(), 3);
    damaged[32 + 12] ^= std::byte{0xff};
    damaged.resize(damaged.size() - 3);
    const uint64_t bytes = damaged.size();
    std::memcpy(damaged.data() + 8, &bytes, sizeof bytes);
    EXPECT_TRUE(contains(message_of(damaged), "compressed offload bundle: zstd: "))
        << message_of(damaged);
}

// ---- loading ----

TEST(code_object, kernels_with_what_the_metadata_and_the_descriptor_say) {
    emu::code_object object(read_kernels(tested_arch()), target);
    EXPECT_EQ(object.kernels().size(), 18u);
    EXPECT_EQ(object.find_kernel("no_such_kernel"), nullptr);
    EXPECT_EQ(object.find_kernel("number"), nullptr);

    const emu::kernel_info* kernel = object.find_kernel("dump_kernarg");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->name, "dump_kernarg");
    EXPECT_EQ(kernel->kernarg_size, 296u);
    EXPECT_EQ(kernel->descriptor.kernarg_size, 296u);
    EXPECT_EQ(kernel->max_group_size, 1024u);
    EXPECT_EQ(kernel->explicit_size(), 36u);
    ASSERT_EQ(kernel->arguments.size(), 7u);
    EXPECT_EQ(kernel->arguments[3].offset, 14u);
    EXPECT_EQ(kernel->arguments[3].size, 1u);
    EXPECT_FALSE(kernel->arguments[3].is_hidden());
    EXPECT_TRUE(kernel->arguments[6].is_hidden());

    kernel = object.find_kernel("exchange");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->descriptor.group_segment_fixed_size, 1024u);
    EXPECT_EQ(kernel->max_group_size, 256u);
}

TEST(code_object, register_counts_of_the_unified_file) {
    emu::code_object object(read_kernels(tested_arch()), target);
    // next_free_vgpr 100 makes 13 granules of 8; accum_offset 52 of them are v registers.
    const emu::kernel_info* kernel = object.find_kernel("all_state");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->vgpr_count(), 52u);
    EXPECT_EQ(kernel->agpr_count(), 52u);
    // 4 registers in one granule of 8: the other 4 are a registers.
    kernel = object.find_kernel("preload");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->vgpr_count(), 4u);
    EXPECT_EQ(kernel->agpr_count(), 4u);
}

TEST(code_object, segments_are_mapped_relocated_and_protected) {
    uint64_t number_address = 0;
    {
        emu::code_object object(read_kernels(tested_arch()), target);
        const auto number = object.find_variable("number");
        const auto pointer = object.find_variable("pointer");
        ASSERT_TRUE(number && pointer);
        EXPECT_EQ(number->size, 4u);
        EXPECT_EQ(pointer->size, 8u);
        EXPECT_FALSE(object.find_variable("dump_kernarg.kd"));
        EXPECT_FALSE(object.find_variable("dump_kernarg"));

        number_address = number->address;
        const std::byte* p = emu::translate(number->address, 4, true);
        ASSERT_NE(p, nullptr);
        uint32_t value = 0;
        std::memcpy(&value, p, 4);
        EXPECT_EQ(value, 1234u);

        p = emu::translate(pointer->address, 8, false);
        ASSERT_NE(p, nullptr);
        uint64_t target_address = 0;
        std::memcpy(&target_address, p, 8);
        EXPECT_EQ(target_address, number->address);

        const emu::kernel_info* kernel = object.find_kernel("ids");
        ASSERT_NE(kernel, nullptr);
        EXPECT_NE(emu::translate(kernel->entry, 4, false), nullptr);
        EXPECT_EQ(emu::translate(kernel->entry, 4, true), nullptr) << "code is not written";
    }
    EXPECT_EQ(emu::translate(number_address, 4, false), nullptr) << "after unloading";
    EXPECT_EQ(::msync(reinterpret_cast<void*>(number_address & ~uint64_t{4095}), 1, MS_ASYNC), -1)
        << "its pages are not mapped";
}

// In whatever order the file names them.
TEST(code_object, segments_in_another_order) {
    auto file = read_kernels(tested_arch());
    uint64_t headers = 0;
    uint16_t count = 0;
    std::memcpy(&headers, file.data() + 32, sizeof headers);
    std::memcpy(&count, file.data() + 56, sizeof count);
    std::vector<bytes_t::iterator> loads;
    for (uint16_t n = 0; n < count; ++n) {
        const auto header = file.begin() + static_cast<ptrdiff_t>(headers) + 56 * n;
        constexpr auto load = std::byte{1};
        if (*header == load) {
            loads.push_back(header);
        }
    }
    ASSERT_GE(loads.size(), 2u);
    std::swap_ranges(loads.front(), loads.front() + 56, loads.back());
    emu::code_object object(file, target);
    EXPECT_NE(object.find_kernel("ids"), nullptr);
    EXPECT_EQ(object.find_variable("number")->size, 4u);
}

// Relocations in a section that is not loaded are for somebody else.
TEST(code_object, from_bundles) {
    const auto bundle = make_bundle({{triple(other_arch()), read_kernels(other_arch())},
                                     {triple(tested_arch()), read_kernels(tested_arch())}});
    auto offload_binaries = make_offload_binary(other_arch(), read_kernels(other_arch()));
    append(offload_binaries, make_offload_binary(tested_arch(), read_kernels(tested_arch())));
    for (const bytes_t& file :
         {bundle, compress(bundle, 2), compress(bundle, 3), offload_binaries}) {
        emu::code_object object(file, target);
        EXPECT_NE(object.find_kernel("ids"), nullptr);
    }
}

// A fuzzer gets nowhere from files that are refused.
TEST(code_object, what_fuzzing_starts_from_is_loaded) {
    const std::string corpus = std::string(OPUS_EMU_TEST_KERNELS) + "/fuzz_corpus/";
    for (const std::string& name :
         {"plain_" + tested_arch(), "lines_" + tested_arch(), std::string("bundle"),
          std::string("bundle_lines"), std::string("compressed"), std::string("compressed_lines"),
          std::string("offload_binary")}) {
        SCOPED_TRACE(name);
        emu::code_object object(read_bytes(corpus + name), target);
        const emu::kernel_info* kernel = object.find_kernel("scale");
        ASSERT_NE(kernel, nullptr);
        EXPECT_TRUE(object.find_kernel("count") != nullptr && object.find_variable("where"));
        EXPECT_EQ(contains(object.code().source_of(kernel->entry), "seed.hip:"),
                  contains(name, "lines"));
    }
}

TEST(code_object, for_another_target_is_an_error_that_names_both) {
    const auto file = read_kernels(other_arch());
    const std::string message = error_of([&] { emu::code_object object(file, target); },
                                         emu::load_error::reason_t::no_image);
    EXPECT_TRUE(contains(message, tested_arch())) << message;
    EXPECT_TRUE(contains(message, other_arch())) << message;
}

// Both sizes of the arguments, in the metadata and in the descriptor, are what a launch allocates.
TEST(code_object, a_kernel_with_arguments_of_gigabytes_is_refused) {
    // The kernel descriptor of dump_kernarg: 0 and 0 bytes of LDS and scratch, 296 of arguments.
    const auto whole = read_kernels(tested_arch());
    constexpr uint32_t expected[] = {0, 0, 296, 0};
    size_t at = 0;
    while (std::memcmp(whole.data() + at, expected, sizeof expected) != 0) {
        at += 64;
        ASSERT_LT(at + 64, whole.size());
    }
    for (const uint32_t bytes : {131072u, 131073u, 0xffffffffu}) {
        auto damaged = whole;
        std::memcpy(damaged.data() + at + 8, &bytes, 4);
        const std::string message = malformed([&] { emu::code_object object(damaged, target); });
        EXPECT_EQ(contains(message, "dump_kernarg: its arguments have"), bytes != 131072u)
            << bytes << ": " << message;
    }
}

// Nothing of the code may be left to memory that the file does not fill: it is decoded into a
// table.
TEST(code_object, code_of_gigabytes_that_are_not_in_the_file_is_refused) {
    const auto whole = read_kernels(tested_arch());
    uint16_t count = 0;
    std::memcpy(&count, whole.data() + 56, 2);
    for (size_t n = 0; n < count; ++n) {
        const size_t at = 64 + 56 * n;
        uint32_t type_and_flags[2];
        std::memcpy(type_and_flags, whole.data() + at, 8);
        if (type_and_flags[0] != 1 || (type_and_flags[1] & 1) == 0) {
            continue;
        }
        auto damaged = whole;
        const uint64_t bytes = uint64_t{1} << 30;
        std::memcpy(damaged.data() + at + 40, &bytes, 8);
        const std::string message = malformed([&] { emu::code_object object(damaged, target); });
        EXPECT_TRUE(contains(message, "a segment with impossible sizes")) << message;
        return;
    }
    FAIL() << "no segment of code";
}

TEST(code_object, a_segment_of_more_than_the_limit) {
    const auto whole = read_kernels(tested_arch());
    for (const size_t field : {size_t{16}, size_t{40}}) {  // p_vaddr, p_memsz
        auto damaged = whole;
        size_t at = 64;
        while (damaged[at] != std::byte{1}) {  // PT_LOAD
            at += 56;
            ASSERT_LT(at + 56, damaged.size());
        }
        const uint64_t bytes = emu::max_load_bytes + 1;
        std::memcpy(damaged.data() + at + field, &bytes, 8);
        const std::string message = malformed([&] { emu::code_object object(damaged, target); });
        EXPECT_TRUE(contains(message, "2147483649")) << message;
        EXPECT_TRUE(contains(message, "both may be at most 2147483648")) << message;
    }
}

// ---- fields of the file, at what is taken and one beyond ----

void put(bytes_t& file, size_t at, uint64_t value, size_t bytes) {
    std::memcpy(file.data() + at, &value, bytes);
}

uint64_t get(const bytes_t& file, size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, file.data() + at, bytes);
    return value;
}

// Where the header of the first segment or section of a type is.
size_t segment_header(const bytes_t& elf, uint32_t type) {
    size_t at = 64;
    while (get(elf, at, 4) != type) {
        at += 56;
    }
    return at;
}
size_t section_header(const bytes_t& elf, uint32_t type) {
    size_t at = get(elf, 40, 8);
    while (get(elf, at + 4, 4) != type) {
        at += 64;
    }
    return at;
}

// What loading says, "" if nothing.
std::string loading(const bytes_t& elf) {
    try {
        const emu::code_object object(elf, target);
    } catch (const emu::load_error& e) {
        return e.what();
    }
    return "";
}

// The same of a copy with another value in one place.
std::string loading_with(bytes_t elf, size_t at, uint64_t value, size_t bytes) {
    put(elf, at, value, bytes);
    return loading(elf);
}

// Offsets in ELF's headers and tables (System V ABI, "Object Files").
namespace elf {
constexpr size_t ident_class = 4, ident_data = 5, ident_osabi = 7, type = 16, machine = 18,
                 flags = 48;
namespace segment {
constexpr size_t flags = 4, address = 16, bytes_of_file = 32, bytes = 40, size = 56;
}
namespace section {
constexpr size_t offset = 24, bytes = 32;
}
namespace symbol {
constexpr size_t section = 6, value = 8, bytes = 16, size = 24;
}
namespace relocation {
constexpr size_t offset = 0, type = 8, symbol = 12, addend = 16;
}
}  // namespace elf

TEST(code_object, relocations_of_a_section_that_is_not_loaded) {
    constexpr uint64_t allocated = 2;
    constexpr uint64_t info_link = 0x40;
    const bytes_t whole = read_kernels(tested_arch());
    const size_t flags = section_header(whole, 4) + 8;  // SHT_RELA's
    for (const uint64_t value : {uint64_t{0}, info_link, allocated, allocated | info_link}) {
        bytes_t file = whole;
        put(file, flags, value, 8);
        const emu::code_object object(file, target);
        uint64_t pointer = 0;
        std::memcpy(&pointer,
                    reinterpret_cast<const std::byte*>(object.find_variable("pointer")->address),
                    sizeof pointer);
        EXPECT_EQ(pointer == object.find_variable("number")->address, (value & allocated) != 0)
            << value;
    }
}

TEST(code_object, fields_of_the_header) {
    const bytes_t whole = read_kernels(tested_arch());
    const std::string other_file = "code object: not a 64-bit AMDGPU HSA file";
    EXPECT_EQ(loading(whole), "");
    EXPECT_EQ(loading_with(whole, elf::ident_osabi, 65, 1), other_file);
    EXPECT_EQ(loading_with(whole, elf::machine, 62, 2), other_file);  // x86-64
    EXPECT_NE(loading_with(whole, elf::ident_class, 1, 1), "");
    EXPECT_NE(loading_with(whole, elf::ident_data, 2, 1), "");
    for (const unsigned type : {1u, 2u, 4u}) {  // an object file, a program, a core
        EXPECT_EQ(loading_with(whole, elf::type, type, 2), "code object: not linked");
    }
    // AMDGPUUsage, "AMDGPU ELF Header e_flags": 0x3f is gfx90a; two bits each for XNACK and SRAM
    // ECC, which are unsupported, any, off and on.
    const uint64_t flags = get(whole, elf::flags, 4);
    EXPECT_EQ(loading_with(whole, elf::flags, (flags & ~uint64_t{0xff}) | 0x3f, 4),
              "code object: it is for another target, not for " + tested_arch());
    for (uint64_t xnack = 0; xnack < 4; ++xnack) {
        for (uint64_t ecc = 0; ecc < 4; ++ecc) {
            const std::string refused = xnack == 3 ? "xnack+" : ecc == 2 ? "sramecc-" : "";
            const std::string message =
                loading_with(whole, elf::flags, (flags & 0xff) | xnack << 8 | ecc << 10, 4);
            EXPECT_EQ(message, refused.empty()
                                   ? ""
                                   : "code object: it is for " + tested_arch() + ":" + refused +
                                         ", the machine runs with sramecc+:xnack-");
        }
    }
}

// The header of the segment of code, and where the last segment ends.
size_t code_segment(const bytes_t& file) {
    size_t at = 64;
    while (get(file, at, 4) != 1 || (get(file, at + elf::segment::flags, 4) & 1) == 0) {
        at += elf::segment::size;
    }
    return at;
}
uint64_t segments_end(const bytes_t& file) {
    uint64_t end = 0;
    for (uint64_t n = 0; n < get(file, 56, 2); ++n) {
        const size_t at = 64 + elf::segment::size * n;
        if (get(file, at, 4) == 1) {
            end = std::max(end, get(file, at + elf::segment::address, 8) +
                                    get(file, at + elf::segment::bytes, 8));
        }
    }
    return end;
}

TEST(code_object, fields_of_segments) {
    const bytes_t whole = read_kernels(tested_arch());
    const size_t code = code_segment(whole);
    const uint64_t bytes = get(whole, code + elf::segment::bytes, 8);
    const std::string impossible = "code object: a segment with impossible sizes";
    // All code is in the file but for a page, which is the gap in front of the next segment.
    EXPECT_EQ(loading_with(whole, code + elf::segment::bytes, bytes + 4096, 8), "");
    EXPECT_EQ(loading_with(whole, code + elf::segment::bytes, bytes + 4097, 8), impossible);
    EXPECT_EQ(loading_with(whole, code + elf::segment::bytes_of_file, bytes + 1, 8), impossible);
    // The note's header as one more segment: of zeros, behind the others or over the last one.
    const uint64_t end = segments_end(whole);
    const auto with_segment = [&](uint64_t address, uint64_t size, uint64_t flags) {
        bytes_t file = whole;
        const size_t note = segment_header(file, 4);
        put(file, note, 1, 4);
        put(file, note + elf::segment::flags, flags, 4);
        put(file, note + elf::segment::address, address, 8);
        put(file, note + elf::segment::bytes_of_file, 0, 8);
        put(file, note + elf::segment::bytes, size, 8);
        return loading(file);
    };
    constexpr uint64_t writable = 6;
    constexpr uint64_t executable = 5;
    EXPECT_EQ(with_segment(end, 4096, writable), "");
    EXPECT_EQ(with_segment(end - 1, 4096, writable), "code object: segments overlap");
    EXPECT_EQ(with_segment(0, 1, writable), "code object: segments overlap");
    EXPECT_EQ(with_segment(0, 0, writable), "") << "it is empty";
    EXPECT_EQ(with_segment(end, 4096, executable), "code object: more than one executable segment");
    EXPECT_EQ(with_segment(end, 4097, executable), impossible);
    const std::string limit = std::to_string(emu::max_load_bytes);
    for (const auto& [address, size] :
         {std::pair{emu::max_load_bytes, uint64_t{1}}, {uint64_t{0} + end, emu::max_load_bytes}}) {
        const std::string message = with_segment(address, size, writable);
        EXPECT_TRUE(contains(message, "its segments: takes ")) << message;
    }
    EXPECT_TRUE(contains(with_segment(emu::max_load_bytes + 1, 1, writable),
                         "both may be at most " + limit));
    EXPECT_EQ(with_segment(end, emu::max_load_bytes - (uint64_t{1} << 20), writable), "");
    bytes_t none = whole;
    for (uint64_t n = 0; n < get(none, 56, 2); ++n) {
        put(none, 64 + elf::segment::size * n, 0, 4);
    }
    EXPECT_EQ(loading(none), "code object: nothing to load");
}

TEST(code_object, first_instructions_of_kernels) {
    const bytes_t whole = read_kernels(tested_arch());
    const emu::code_object object(whole, target);
    const emu::kernel_info* kernel = object.find_kernel("dump_kernarg");
    // Its descriptor: no LDS, no private memory, 296 bytes of arguments.
    constexpr uint32_t start[] = {0, 0, 296, 0};
    size_t descriptor = 0;
    while (std::memcmp(whole.data() + descriptor, start, sizeof start) != 0) {
        descriptor += 64;
        ASSERT_LT(descriptor + 64, whole.size());
    }
    const size_t code = code_segment(whole);
    const uint64_t bytes = get(whole, code + elf::segment::bytes, 8);
    const uint64_t begin =
        kernel->entry - get(whole, descriptor + 16, 8) - kernel->descriptor_address;
    EXPECT_EQ(begin, 0u);
    const uint64_t base =
        kernel->descriptor_address - descriptor;  // the file begins with its first page
    const uint64_t first = base + get(whole, code + elf::segment::address, 8);
    for (const auto& [entry, is_code] : {std::pair{first, true},
                                         {first - 4, false},
                                         {first + bytes - 4, true},
                                         {first + bytes - 2, false},
                                         {first + bytes, false},
                                         {first + 2, false}}) {
        const std::string message =
            loading_with(whole, descriptor + 16, entry - kernel->descriptor_address, 8);
        EXPECT_EQ(
            message,
            is_code ? "" : "kernel dump_kernarg: its first instruction is outside of the code");
    }
}

TEST(code_object, symbols_and_relocations) {
    const bytes_t whole = read_kernels(tested_arch());
    const emu::code_object object(whole, target);
    const uint64_t number = object.find_variable("number")->address;
    const uint64_t pointer = object.find_variable("pointer")->address;
    const size_t table = section_header(whole, 11);  // SHT_DYNSYM
    const size_t symbols = get(whole, table + elf::section::offset, 8);
    const uint64_t count = get(whole, table + elf::section::bytes, 8) / elf::symbol::size;
    const size_t relocation =
        get(whole, section_header(whole, 4) + elf::section::offset, 8);  // SHT_RELA
    const uint64_t number_offset = get(whole, relocation + elf::relocation::addend, 8);
    uint64_t index = 0;
    while (get(whole, symbols + index * elf::symbol::size + elf::symbol::value, 8) !=
           number_offset) {
        ++index;
        ASSERT_LT(index, count);
    }
    const size_t symbol = symbols + index * elf::symbol::size;
    const uint64_t left = segments_end(whole) - number_offset;  // its segment is the last one
    const std::string outside = "code object: number is outside of the loaded segments";
    EXPECT_EQ(get(whole, symbol + elf::symbol::bytes, 8), 4u);
    EXPECT_EQ(loading_with(whole, symbol + elf::symbol::bytes, left, 8), "");
    EXPECT_EQ(loading_with(whole, symbol + elf::symbol::bytes, left + 1, 8), outside);
    EXPECT_EQ(loading_with(whole, symbol + elf::symbol::value, number_offset + left - 4, 8), "");
    EXPECT_EQ(loading_with(whole, symbol + elf::symbol::value, number_offset + left - 3, 8),
              outside);
    // A descriptor has 64 bytes.
    const uint64_t descriptor_at =
        object.find_kernel("ids")->descriptor_address - (number - number_offset);
    size_t descriptor = symbols;
    while (get(whole, descriptor + elf::symbol::value, 8) != descriptor_at) {
        descriptor += elf::symbol::size;
        ASSERT_LT(descriptor, symbols + count * elf::symbol::size);
    }
    const size_t code = code_segment(whole);
    const uint64_t end =
        get(whole, code + elf::segment::address, 8) + get(whole, code + elf::segment::bytes, 8);
    const std::string descriptor_outside = "code object: ids.kd is outside of the loaded segments";
    EXPECT_NE(loading_with(whole, descriptor + elf::symbol::value, end - 64, 8),
              descriptor_outside);
    EXPECT_EQ(loading_with(whole, descriptor + elf::symbol::value, end - 63, 8),
              descriptor_outside);
    bytes_t empty = whole;
    put(empty, symbol + elf::symbol::bytes, 0, 8);
    EXPECT_EQ(loading_with(empty, symbol + elf::symbol::value, uint64_t{1} << 40, 8), "");
    bytes_t undefined = whole;
    put(undefined, symbol + elf::symbol::section, 0, 2);
    EXPECT_FALSE(emu::code_object(undefined, target).find_variable("number"));
    // One without a name is nobody's variable, wherever it is.
    bytes_t nameless = whole;
    put(nameless, symbol, 0, 4);
    put(nameless, symbol + elf::symbol::value, uint64_t{1} << 40, 8);
    EXPECT_EQ(loading(nameless), "");

    // RELATIVE64 adds the base, ABS64 a symbol as well; 8 bytes are written.
    const auto relocated = [&](uint64_t type, uint64_t of, uint64_t addend) {
        bytes_t file = whole;
        put(file, relocation + elf::relocation::type, type, 4);
        put(file, relocation + elf::relocation::symbol, of, 4);
        put(file, relocation + elf::relocation::addend, addend, 8);
        const emu::code_object loaded(file, target);
        uint64_t value = 0;
        std::memcpy(&value, emu::translate(loaded.find_variable("pointer")->address, 8, false), 8);
        return value - loaded.find_variable("number")->address;
    };
    EXPECT_EQ(relocated(13, 0, number_offset), 0u);
    EXPECT_EQ(relocated(13, 0, number_offset + 4), 4u);
    EXPECT_EQ(relocated(3, index, 0), 0u);
    EXPECT_EQ(relocated(3, index, 12), 12u);
    EXPECT_EQ(relocated(3, index, ~uint64_t{0}), ~uint64_t{0});
    EXPECT_EQ(loading_with(whole, relocation + elf::relocation::type, 1, 4),
              "code object: relocation type 1; known are ABS64 (3) and RELATIVE64 (13)");
    for (const uint64_t of : {uint64_t{0}, count}) {
        bytes_t file = whole;
        put(file, relocation + elf::relocation::symbol, of, 4);
        EXPECT_EQ(loading_with(file, relocation + elf::relocation::type, 3, 4),
                  "code object: a relocation needs a symbol it does not define");
    }
    const uint64_t place = number_offset + (pointer - number);
    EXPECT_EQ(get(whole, relocation + elf::relocation::offset, 8), place);
    const uint64_t last = segments_end(whole) - 8;
    EXPECT_EQ(loading_with(whole, relocation + elf::relocation::offset, last, 8), "");
    EXPECT_EQ(loading_with(whole, relocation + elf::relocation::offset, last + 1, 8),
              "code object: a relocation is outside of the loaded segments");
}

// Sizes that a compressed bundle says it has: the limits themselves are no reason to refuse it.
TEST(bundle, sizes_of_a_compressed_one_at_their_limits) {
    bytes_t file = compress(small_bundle(), 3);
    const auto message_of = [&](uint64_t file_bytes, uint64_t bytes) {
        put(file, 8, file_bytes, 8);
        put(file, 16, bytes, 8);
        return malformed([&] { selected(file); });
    };
    const std::string too_small = "compressed offload bundle: its size is smaller than its header";
    EXPECT_EQ(message_of(31, 1), too_small);
    EXPECT_NE(message_of(32, 1), too_small);
    EXPECT_NE(message_of(32, 1), "");
    // The densest zstd: 128 KiB of 4 bytes, so 32 KiB and no more of each.
    file.resize(32 + 2);
    const std::string dense = "of zstd cannot hold";
    EXPECT_FALSE(contains(message_of(34, 3 * 32768 - 1), dense));
    EXPECT_TRUE(contains(message_of(34, 3 * 32768), dense));
    file.resize(32 + 65536);
    const std::string most = "at most 2147483648 are unpacked";
    EXPECT_FALSE(contains(message_of(file.size(), emu::max_load_bytes), most));
    EXPECT_FALSE(contains(message_of(file.size(), emu::max_load_bytes), dense));
    EXPECT_TRUE(contains(message_of(file.size(), emu::max_load_bytes + 1), most));
    // The same in 32 bits.
    bytes_t older = compress(small_bundle(), 2);
    put(older, 8, 23, 4);
    EXPECT_EQ(malformed([&] { selected(older); }), too_small);
    put(older, 8, 24, 4);
    EXPECT_NE(malformed([&] { selected(older); }), too_small);
}

// ---- how much memory a file may take ----

#if !__has_feature(address_sanitizer)  // whose own memory has no place in a small process

constexpr uint64_t small_budget = uint64_t{64} << 20;

// A segment of so many zeros behind the others.
bytes_t with_zeros(uint64_t bytes) {
    bytes_t elf = read_kernels(tested_arch());
    const size_t header = segment_header(elf, 4);  // the note's becomes a PT_LOAD
    constexpr uint64_t base = uint64_t{1} << 20;
    put(elf, header, 1, 4);
    put(elf, header + 4, 6, 4);  // read and write
    put(elf, header + 16, base, 8);
    put(elf, header + 32, 0, 8);
    put(elf, header + 40, bytes - base, 8);
    return elf;
}

// Metadata of so many objects of one byte.
bytes_t with_objects(uint64_t count, std::byte object) {
    bytes_t elf = read_kernels(tested_arch());
    const size_t header = segment_header(elf, 4);
    bytes_t note;
    append<uint32_t>(note, 7);
    append<uint32_t>(note, 0);
    append<uint32_t>(note, 32);
    append(note, to_bytes(std::string("AMDGPU\0\0\x81\xa1m\xdd", 12)));
    append<uint32_t>(note, __builtin_bswap32(static_cast<uint32_t>(count)));
    note.resize(note.size() + count, object);
    put(note, 4, note.size() - 20, 4);
    note.resize((note.size() + 3) / 4 * 4);
    put(elf, header + 48, 4, 8);
    put(elf, header + 8, elf.size(), 8);
    put(elf, header + 32, note.size(), 8);
    put(elf, header + 40, note.size(), 8);
    append(elf, note);
    return elf;
}

bytes_t with_maps(uint64_t count) {
    return with_objects(count, std::byte{0x80});
}

bytes_t with_arrays(uint64_t count) {
    return with_objects(count, std::byte{0x90});
}

// So many variables, with names of a thousand letters that are parts of one.
bytes_t with_symbols(uint64_t count) {
    bytes_t elf = read_kernels(tested_arch());
    put(elf, segment_header(elf, 4), 0, 4);  // no metadata, which names symbols
    const size_t header = section_header(elf, 11);
    const size_t names = get(elf, 40, 8) + 64 * get(elf, header + 40, 4);
    elf.resize((elf.size() + 7) / 8 * 8);
    put(elf, header + 24, elf.size(), 8);
    put(elf, header + 32, count * 24, 8);
    for (uint64_t n = 0; n < count; ++n) {
        append<uint32_t>(elf, static_cast<uint32_t>(1 + n * 1000));
        append<uint32_t>(elf, 0x00010011);  // a global object in section 1
        append<uint64_t>(elf, 0);
        append<uint64_t>(elf, 0);
    }
    put(elf, names + 24, elf.size(), 8);
    put(elf, names + 32, count * 1000 + 1, 8);
    bytes_t text(count * 1000 + 1, std::byte{'a'});
    for (uint64_t n = 0; n <= count; ++n) {
        text[n * 1000] = std::byte{0};
        for (uint64_t digit = 0; n < count && digit < 4; ++digit) {
            text[n * 1000 + 1 + digit] = static_cast<std::byte>('a' + (n >> (4 * digit) & 15));
        }
    }
    append(elf, text);
    return elf;
}

// Loads a file in a process that has room for the budget and little else. The child's status:
// loaded, refused because of the budget, or for another reason.
enum outcome { loaded, too_large, no_pages, refused_otherwise, out_of_memory };

outcome load_in_small_process(const bytes_t& file, uint64_t budget = small_budget) {
    const pid_t child = ::fork();
    if (child == 0) {
        uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const uint64_t bytes = pages * 4096 + small_budget + (uint64_t{4} << 20);
        const rlimit limit{bytes, bytes};
        ::setrlimit(RLIMIT_AS, &limit);
        try {
            const emu::code_object object(file, target, emu::load_budget(budget));
            ::_exit(loaded);
        } catch (const emu::load_error& e) {
            ::_exit(contains(e.what(), "are left of the 67108864 that loading a file may take")
                        ? too_large
                    : contains(e.what(), "code object: no memory for its ") ? no_pages
                                                                            : refused_otherwise);
        } catch (const std::bad_alloc&) {
            ::_exit(out_of_memory);
        }
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return static_cast<outcome>(WEXITSTATUS(status));
}

TEST(code_object, a_file_takes_no_more_memory_than_its_budget) {
    const struct {
        const char* what;
        bytes_t (*file)(uint64_t);
        uint64_t fits;  // as much as has room, by what the loader reckons with
        uint64_t too_much;
    } rows[] = {
        {"zeros", with_zeros, small_budget - 65536, small_budget + 1},
        {"maps", with_maps, 340000, 350000},
        {"arrays", with_arrays, 340000, 350000},
        {"symbols", with_symbols, 15200, 15400},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(load_in_small_process(row.file(row.fits)), loaded) << row.what;
        EXPECT_EQ(load_in_small_process(row.file(row.too_much)), too_large) << row.what;
    }
}

// The budget has room for it, the process has not.
TEST(code_object, no_memory_for_its_segments) {
    EXPECT_EQ(load_in_small_process(with_zeros(uint64_t{1} << 30), uint64_t{2} << 30), no_pages);
}
#endif

// A bundle and what is loaded from it share the budget.
TEST(code_object, a_budget_is_for_all_parts_together) {
    const bytes_t elf = read_kernels(tested_arch());
    const bytes_t bundle = make_bundle({{triple(tested_arch()), elf}});
    const bytes_t file = compress(bundle, 3);
    uint64_t alone = 0;  // what the code object takes
    for (uint64_t bytes = 4096; alone == 0; bytes += 4096) {
        try {
            const emu::code_object object(elf, target, emu::load_budget(bytes));
            alone = bytes;
        } catch (const emu::load_error&) {
        }
    }
    const emu::code_object object(file, target, emu::load_budget(alone + bundle.size()));
    const std::string message = malformed([&] {
        const emu::code_object refused(file, target,
                                       emu::load_budget(alone + bundle.size() - 4096));
    });
    EXPECT_TRUE(contains(message, "that loading a file may take")) << message;
}

// No segment is executable and no kernel is named, but there is a line table.
TEST(code_object, source_lines_without_code) {
    auto file = read_kernels(tested_arch());
    const auto number = [&](size_t at, size_t bytes) {
        uint64_t value = 0;
        std::memcpy(&value, file.data() + at, bytes);
        return value;
    };
    const auto put = [&](size_t at, uint32_t value) {
        std::memcpy(file.data() + at, &value, sizeof value);
    };
    for (uint64_t n = 0; n < number(56, 2); ++n) {
        const size_t at = 64 + 56 * n;
        put(at + 4, static_cast<uint32_t>(number(at + 4, 4)) & ~1u);
    }
    const size_t sections = number(40, 8);
    const uint64_t count = number(60, 2);
    for (uint64_t n = 0; n < count; ++n) {
        const size_t at = sections + 64 * n;
        if (number(at + 4, 4) == 7) {           // a note,
            put(number(at + 24, 8) + 8, 0xff);  // which is of no known type
        }
    }
    const char name[] = ".debug_line";
    const size_t names = sections + 64 * number(62, 2);
    ASSERT_GT(number(names + 32, 8), sizeof name);
    std::memcpy(file.data() + number(names + 24, 8) + 1, name, sizeof name);
    put(sections + 64 * (count - 1), 1);
    const emu::code_object object(file, target);
    EXPECT_TRUE(object.kernels().empty());
}

TEST(code_object, of_an_older_kind_and_without_a_descriptor) {
    auto file = read_kernels(tested_arch());
    file[8] = std::byte{1};  // code object v3
    EXPECT_EQ(emu::code_object(file, target).find_kernel("ids")->abi_version, 1);
    file[8] = std::byte{0};
    EXPECT_EQ(malformed([&] { emu::code_object(file, target); }),
              "code object: ABI version 0 is too old");
    file = read_kernels(tested_arch());
    const bytes_t symbol = to_bytes(
        "\xaf"
        "dump_kernarg.kd");  // in the metadata
    const auto found = std::search(file.begin(), file.end(), symbol.begin(), symbol.end());
    ASSERT_NE(found, file.end());
    found[15] = std::byte{'x'};
    EXPECT_EQ(malformed([&] { emu::code_object(file, target); }),
              "kernel dump_kernarg: no symbol dump_kernarg.kx");
}

// Numbers of registers, and nothing of the bits beside them.
TEST(code_object, counts_of_a_descriptor) {
    emu::kernel_info k;
    k.descriptor.rsrc1 = ~0x3ffu;
    k.descriptor.rsrc3 = ~0x3fu;
    EXPECT_EQ(k.vgpr_count(), 4u);
    EXPECT_EQ(k.agpr_count(), 4u);
    EXPECT_EQ(k.sgpr_count(), 16u);
    k.descriptor.rsrc1 = 0x3f | 15u << 6;
    k.descriptor.rsrc3 = 0x3f;
    EXPECT_EQ(k.vgpr_count(), 256u);
    EXPECT_EQ(k.agpr_count(), 256u);
    EXPECT_EQ(k.sgpr_count(), 128u);
    k.descriptor.rsrc1 = 0x20;  // 33 granules of 8
    EXPECT_EQ(k.vgpr_count(), 256u);
    EXPECT_EQ(k.agpr_count(), 8u);
}

// Types of fuzz/seed.hip, as debugging information has them.
TEST(debug_info, types_and_places_in_them) {
    emu::code_object object(
        read_bytes(std::string(OPUS_EMU_TEST_KERNELS) + "/fuzz_corpus/lines_" + tested_arch()),
        target);
    const emu::debug_info info(object.code());
    ASSERT_TRUE(info);
    llvm::DWARFDie record;
    for (const auto& unit : info.dwarf().compile_units()) {
        for (const llvm::DWARFDie& die : unit->getUnitDIE(false).children()) {
            const char* name = die.getShortName();
            if (die.getTag() == llvm::dwarf::DW_TAG_variable && name != nullptr &&
                name == std::string("everything")) {
                record = die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
            }
        }
    }
    ASSERT_TRUE(record.isValid());
    EXPECT_EQ(emu::type_name(record), "record");
    EXPECT_EQ(emu::size_of(record), 112u);
    EXPECT_EQ(emu::alignment_of(record), 8u);
    const std::pair<int64_t, const char*> places[] = {{0, ".zero"},
                                                      {3, ".zero+3"},
                                                      {4, ".tag"},
                                                      {5, "+5"},
                                                      {8, ".parts[0][0].a"},
                                                      {9, ".parts[0][0].a+1"},
                                                      {10, ".parts[0][0]+2"},
                                                      {12, ".parts[0][0].b[0]"},
                                                      {23, ".parts[0][0].b[2]+3"},
                                                      {24, ".parts[0][1].a"},
                                                      {40, ".parts[1][0].a"},
                                                      {71, ".parts[1][1].b[2]+3"},
                                                      {72, ".next"},
                                                      {80, ".yes"},
                                                      {81, "+81"},
                                                      {88, ".wide"},
                                                      {96, ".small"},
                                                      {100, ".two[0]"},
                                                      {107, ".two[1]+3"},
                                                      {108, "+108"}};
    for (const auto& [offset, path] : places) {
        EXPECT_EQ(emu::path_in(record, offset), path) << offset;
    }
    std::map<std::string, llvm::DWARFDie> members;
    for (const llvm::DWARFDie& member : record.children()) {
        if (const char* name = member.getShortName()) {
            members[name] = member.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
        }
    }
    EXPECT_EQ(emu::type_name(members["parts"]), "inner[2][2]");
    EXPECT_EQ(emu::size_of(members["parts"]), 64u);
    EXPECT_EQ(emu::alignment_of(members["parts"]), 4u);
    EXPECT_EQ(emu::path_in(members["parts"], 64), "[2][0].a") << "one behind the end";
    EXPECT_EQ(emu::path_in(members["parts"], -16), "[-1][1].a");
    EXPECT_EQ(emu::type_name(members["next"]), "const volatile unsigned int*");
    EXPECT_EQ(emu::path_in(members["next"], -1), "-1");
    EXPECT_TRUE(emu::is_const(members["two"]));
    EXPECT_FALSE(emu::is_const(members["parts"]));
    EXPECT_FALSE(emu::is_const(members["next"]));
    EXPECT_EQ(emu::type_name({}), "void");
    EXPECT_EQ(emu::alignment_of({}), 1u);
    const auto value = [&](const char* member, std::vector<uint8_t> bytes) {
        std::vector<std::byte> raw;
        for (const uint8_t byte : bytes) {
            raw.push_back(std::byte{byte});
        }
        return emu::text_of_value(members[member], raw);
    };
    EXPECT_EQ(value("tag", {0xfb}), "-5");
    EXPECT_EQ(value("yes", {1}), "true");
    EXPECT_EQ(value("yes", {0}), "false");
    EXPECT_EQ(value("wide", {0, 0, 0, 0, 0, 0, 0xf8, 0xbf}), "-1.5");
    EXPECT_EQ(value("small", {0, 0x3e}), "1.5");
    EXPECT_EQ(value("next", {0x34, 0x12, 0, 0, 0, 0, 0, 0}), "0x1234");
}

// ---- metadata, written by hand as MessagePack ----

std::string big_endian(uint64_t value, int bytes) {
    std::string text;
    for (int n = bytes - 1; n >= 0; --n) {
        text += static_cast<char>(value >> 8 * n & 0xff);
    }
    return text;
}

std::string text(const std::string& value) {
    return '\xdb' + big_endian(value.size(), 4) + value;
}
std::string unsigned_number(uint64_t value) {
    return '\xcf' + big_endian(value, 8);
}
std::string array(const std::vector<std::string>& items) {
    std::string all = '\xdd' + big_endian(items.size(), 4);
    for (const std::string& item : items) {
        all += item;
    }
    return all;
}
using fields = std::map<std::string, std::string>;
std::string object(const fields& entries) {
    std::string all = '\xdf' + big_endian(entries.size(), 4);
    for (const auto& [key, value] : entries) {
        all += text(key) + value;
    }
    return all;
}

fields with(fields base, const std::string& key, const std::string& value) {
    base[key] = value;
    return base;
}
fields without(fields base, const std::string& key) {
    base.erase(key);
    return base;
}

struct read_result {
    std::vector<emu::kernel_info> kernels;
    std::vector<std::string> symbols;
    emu::printf_formats formats;
    std::string error;
};

read_result read_metadata(const std::string& blob, emu::load_budget budget = emu::load_budget()) {
    read_result result;
    result.error = malformed([&] {
        emu::read_metadata(
            blob, budget,
            [&](emu::kernel_info kernel, const std::string& symbol) {
                result.kernels.push_back(std::move(kernel));
                result.symbols.push_back(symbol);
            },
            result.formats);
    });
    return result;
}

const fields an_argument = {{".offset", unsigned_number(8)},
                            {".size", unsigned_number(4)},
                            {".value_kind", text("by_value")}};
const fields a_kernel = {{".name", text("k")},
                         {".symbol", text("k.kd")},
                         {".kernarg_segment_size", unsigned_number(16)},
                         {".args", array({object(an_argument)})}};

std::string of_kernel(const fields& kernel) {
    return object({{"amdhsa.kernels", array({object(kernel)})}});
}
std::string of_argument(const fields& argument) {
    return of_kernel(with(a_kernel, ".args", array({object(argument)})));
}

TEST(metadata, what_is_read) {
    const read_result plain = read_metadata(of_kernel(a_kernel));
    EXPECT_EQ(plain.error, "");
    ASSERT_EQ(plain.kernels.size(), 1u);
    const emu::kernel_info& k = plain.kernels[0];
    EXPECT_EQ(k.name, "k");
    EXPECT_EQ(plain.symbols[0], "k.kd");
    EXPECT_EQ(k.kernarg_size, 16u);
    EXPECT_EQ(k.max_group_size, 0u) << "it does not say";
    ASSERT_EQ(k.arguments.size(), 1u);
    EXPECT_EQ(k.arguments[0].offset, 8u);
    EXPECT_EQ(k.arguments[0].size, 4u);
    EXPECT_EQ(k.arguments[0].kind, "by_value");
    EXPECT_EQ(k.explicit_size(), 12u);
    EXPECT_TRUE(k.takes("by_value"));
    EXPECT_FALSE(k.takes("global_buffer"));
    const uint32_t most = ~0u;
    const read_result large = read_metadata(of_kernel(
        with(with(without(a_kernel, ".args"), ".kernarg_segment_size", unsigned_number(most)),
             ".max_flat_workgroup_size", unsigned_number(256))));
    ASSERT_EQ(large.kernels.size(), 1u) << large.error;
    EXPECT_EQ(large.kernels[0].kernarg_size, most);
    EXPECT_EQ(large.kernels[0].max_group_size, 256u);
    EXPECT_TRUE(large.kernels[0].arguments.empty());
    for (const auto& [offset, size] : {std::pair{65536u, 1u}, std::pair{1u, 65536u}}) {
        EXPECT_EQ(read_metadata(of_argument({{".offset", unsigned_number(offset)},
                                             {".size", unsigned_number(size)},
                                             {".value_kind", text("by_value")}}))
                      .error,
                  "");
    }
    EXPECT_EQ(
        read_metadata(of_kernel(with(a_kernel, ".wavefront_size", unsigned_number(64)))).error, "");
    EXPECT_TRUE(read_metadata(object({{"other", text("x")}})).kernels.empty());
    // Hashes of formats are hexadecimal; entries of another form are those of OpenCL.
    const read_result printing = read_metadata(
        object({{"amdhsa.printf", array({text("0:0:1f,%d,\n"), text("1:1:4:%d"), text("0:0:2g,x"),
                                         text("0:0:zz,x"), text("0:0:20,")})}}));
    EXPECT_EQ(printing.error, "");
    EXPECT_EQ(printing.formats, (emu::printf_formats{{0x1f, "%d,\n"}, {0x20, ""}}));
}

TEST(metadata, what_is_refused) {
    const std::string no_map = "code object metadata: not a MessagePack map";
    const auto number = [](uint64_t n) { return unsigned_number(n); };
    const auto nested = [](int depth) {
        std::string value = text("x");
        for (int n = 0; n < depth; ++n) {
            value = array({value});
        }
        return object({{"x", value}});
    };
    const struct {
        std::string blob;
        std::string error;
    } rows[] = {
        {"", no_map},
        {text("x"), no_map},
        {array({text("x")}), no_map},
        {std::string("\x81\x01\x02"), no_map},     // a number as a key
        {std::string("\xdf\0\0\0\1", 5), no_map},  // no entry
        {std::string("\x81\xa1x\xc1"), no_map},    // no object
        {nested(15), ""},
        {nested(16), no_map},
        {object({{"amdhsa.printf", text("x")}}), "code object metadata: amdhsa.printf is no array"},
        {object({{"amdhsa.printf", array({number(1)})}}),
         "code object metadata: a format of printf is no string"},
        {object({{"amdhsa.kernels", text("x")}}),
         "code object metadata: amdhsa.kernels is no array"},
        {object({{"amdhsa.kernels", array({text("x")})}}),
         "code object metadata: a kernel is no map"},
        {of_kernel(without(a_kernel, ".name")), "code object metadata: no string .name"},
        {of_kernel(with(a_kernel, ".name", number(1))), "code object metadata: no string .name"},
        {of_kernel(without(a_kernel, ".symbol")), "code object metadata: no string .symbol"},
        {of_kernel(without(a_kernel, ".kernarg_segment_size")),
         "code object metadata: no 32-bit number .kernarg_segment_size"},
        {of_kernel(with(a_kernel, ".kernarg_segment_size", text("1"))),
         "code object metadata: no 32-bit number .kernarg_segment_size"},
        {of_kernel(with(a_kernel, ".kernarg_segment_size", number(uint64_t{1} << 32))),
         "code object metadata: no 32-bit number .kernarg_segment_size"},
        {of_kernel(with(a_kernel, ".wavefront_size", number(32))),
         "kernel k: waves of 32 lanes; the targets have 64"},
        {of_kernel(with(a_kernel, ".args", text("x"))), "kernel k: .args is no array"},
        {of_kernel(with(a_kernel, ".args", array({text("x")}))), "kernel k: an argument is no map"},
        {of_argument(without(an_argument, ".offset")),
         "code object metadata: no 32-bit number .offset"},
        {of_argument(without(an_argument, ".size")),
         "code object metadata: no 32-bit number .size"},
        {of_argument(without(an_argument, ".value_kind")),
         "code object metadata: no string .value_kind"},
        {of_argument(with(an_argument, ".offset", number(65537))),
         "kernel k: an argument lies at 65537"},
        {of_argument(with(an_argument, ".size", number(65537))), "kernel k: an argument lies at 8"},
    };
    for (size_t n = 0; n < std::size(rows); ++n) {
        EXPECT_EQ(read_metadata(rows[n].blob).error, rows[n].error) << "row " << n;
    }
    // 192 bytes for each of 19 objects and its text twice.
    const std::string blob = of_kernel(a_kernel);
    uint64_t taken = 0;
    while (read_metadata(blob, emu::load_budget(taken)).error != "") {
        ++taken;
    }
    EXPECT_EQ(taken, 2 * blob.size() + 192 * 19);
}

TEST(code_object, every_truncation_is_an_error) {
    const auto whole = read_kernels(tested_arch());
    for (size_t size = 0; size < whole.size(); ++size) {
        const bytes_t part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_NE(malformed([&] { emu::code_object object(part, target); }), "")
            << size << " of " << whole.size();
    }
}

// Headers, notes, symbols and descriptors lie in front of the code; section headers at the end.
TEST(code_object, every_damaged_byte_is_an_error_or_harmless) {
    const auto whole = read_kernels(tested_arch());
    uint64_t section_headers = 0;  // e_shoff
    std::memcpy(&section_headers, whole.data() + 40, 8);
    // kernels.s starts with this instruction: s_load_dwordx2 s[6:7], s[0:1], 0x0
    constexpr uint64_t first_instruction = 0x00000000c0060180;
    size_t code = 0;
    uint64_t read = 0;
    while (read != first_instruction) {
        ASSERT_LT(code + 16, section_headers);
        code += 8;
        std::memcpy(&read, whole.data() + code, sizeof read);
    }
    size_t loaded = 0;
    size_t refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
        if (at == code) {
            at = section_headers;
        }
        for (int value : {0, 0x81, 0xff}) {
            bytes_t damaged = whole;
            damaged[at] = static_cast<std::byte>(value);
            try {
                emu::code_object object(damaged, target);
                ++loaded;
            } catch (const emu::load_error&) {
                ++refused;
            }
        }
    }
    EXPECT_GT(loaded, 0u);
    EXPECT_GT(refused, 0u);
}

}  // namespace
