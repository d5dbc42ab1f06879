// Damaged code objects, bundles and metadata, made at random from valid ones: each is loaded or is
// an error. OPUS_FUZZ_COUNT and OPUS_FUZZ_SEED change the number of files and the first
// seed; file n of seed s is file 0 of seed s + n.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "containers.hpp"
#include "kernels.hpp"
#include "load_any.hpp"

namespace {

using random_t = std::mt19937_64;

uint64_t setting(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

// 0 to limit - 1
size_t below(random_t& random, size_t limit) {
    return limit == 0 ? 0 : static_cast<size_t>(random() % limit);
}

bool chance(random_t& random, unsigned percent) {
    return random() % 100 < percent;
}

// A number that breaks sums and comparisons: limits of types, and what is near the file's size.
uint64_t hostile_number(random_t& random, uint64_t size) {
    const uint64_t numbers[] = {0,
                                1,
                                size,
                                size - 1,
                                size + 1,
                                size / 2,
                                0x7f,
                                0xff,
                                0x7fff,
                                0xffff,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                uint64_t{1} << 32,
                                uint64_t{1} << 40,
                                INT64_MAX,
                                uint64_t{1} << 63,
                                UINT64_MAX,
                                UINT64_MAX - size,
                                UINT64_MAX - 7,
                                random()};
    return numbers[below(random, std::size(numbers))];
}

void put_number(bytes_t& file, size_t at, size_t bytes, uint64_t value) {
    if (at <= file.size() && bytes <= file.size() - at) {
        std::memcpy(file.data() + at, &value, bytes);
    }
}

uint64_t number_at(const bytes_t& file, size_t at, size_t bytes) {
    uint64_t value = 0;
    if (at <= file.size() && bytes <= file.size() - at) {
        std::memcpy(&value, file.data() + at, bytes);
    }
    return value;
}

// Replaces a field by a hostile number or by its own value plus or minus a little.
void damage_field(bytes_t& file, size_t at, size_t bytes, random_t& random) {
    const uint64_t old = number_at(file, at, bytes);
    const uint64_t value =
        chance(random, 30) ? old + below(random, 33) - 16 : hostile_number(random, file.size());
    put_number(file, at, bytes, value);
}

// Nothing is known about where it strikes.
void damage_anywhere(bytes_t& file, random_t& random, size_t begin, size_t end) {
    if (begin >= end || end > file.size()) {
        return;
    }
    const size_t at = begin + below(random, end - begin);
    const size_t rest = end - at;
    switch (below(random, 5)) {
        case 0:
            file[at] ^= static_cast<std::byte>(1u << below(random, 8));
            break;
        case 1:
            file[at] = static_cast<std::byte>(random());
            break;
        case 2:
            put_number(file, at / 8 * 8, size_t{1} << below(random, 4),
                       hostile_number(random, file.size()));
            break;
        case 3:  // one part repeated over another
            std::memmove(file.data() + at, file.data() + begin, std::min(rest, below(random, 64)));
            break;
        default:
            std::fill_n(file.begin() + static_cast<ptrdiff_t>(at),
                        std::min(rest, below(random, 16)), static_cast<std::byte>(random()));
            break;
    }
}

struct field {
    size_t at;
    size_t bytes;
};

// ---- ELF: ELF-64 Object File Format, figures 3 to 7 ----

constexpr field file_header[] = {{4, 1},  {5, 1},  {7, 1},  {8, 1},  {16, 2},
                                 {18, 2}, {24, 8}, {32, 8}, {40, 8}, {48, 4},
                                 {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}};
constexpr field program_header[] = {{0, 4},  {4, 4},  {8, 8},  {16, 8},
                                    {24, 8}, {32, 8}, {40, 8}, {48, 8}};
constexpr field section_header[] = {{0, 4},  {4, 4},  {8, 8},  {16, 8}, {24, 8},
                                    {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}};
constexpr field symbol[] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}};
constexpr field relocation[] = {{0, 8}, {8, 4}, {12, 4}, {16, 8}};
// AMDGPUUsage, "Kernel Descriptor".
constexpr field descriptor[] = {{0, 4},  {4, 4},  {8, 4},  {16, 8}, {44, 4},
                                {48, 4}, {52, 4}, {56, 2}, {58, 2}};

template <size_t N>
void damage_record(bytes_t& file, size_t at, const field (&fields)[N], random_t& random) {
    const field& f = fields[below(random, N)];
    damage_field(file, at + f.at, f.bytes, random);
}

struct region {
    size_t begin = 0;
    size_t bytes = 0;
};

// The file's bytes of the first section of a type; none: {}.
region section_of_type(const bytes_t& elf, uint32_t type) {
    const uint64_t headers = number_at(elf, 40, 8);
    const uint64_t count = number_at(elf, 60, 2);
    for (uint64_t n = 0; n < count; ++n) {
        const uint64_t at = headers + 64 * n;
        if (number_at(elf, at + 4, 4) == type) {
            return {number_at(elf, at + 24, 8), number_at(elf, at + 32, 8)};
        }
    }
    return {};
}

constexpr uint32_t section_rela = 4;
constexpr uint32_t section_note = 7;
constexpr uint32_t section_dynsym = 11;

// One lead byte of a MessagePack object becomes another one: other types, other lengths.
void damage_metadata(bytes_t& elf, const region& note, random_t& random) {
    constexpr uint8_t leads[] = {0x00, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x91, 0x9f, 0xa0,
                                 0xa1, 0xbf, 0xc0, 0xc1, 0xc2, 0xc4, 0xc6, 0xc7, 0xca,
                                 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd3, 0xd4, 0xd8,
                                 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xff};
    constexpr size_t note_header = 20;  // sizes and type, "AMDGPU" padded to 8
    if (note.bytes <= note_header || chance(random, 10)) {
        damage_field(elf, note.begin + 4 * below(random, 3), 4, random);
        return;
    }
    const size_t at = note.begin + note_header + below(random, note.bytes - note_header);
    put_number(elf, at, 1, leads[below(random, std::size(leads))]);
    if (chance(random, 30)) {
        put_number(elf, at + 1, 4, hostile_number(random, note.bytes));
    }
}

void damage_elf(bytes_t& elf, random_t& random) {
    const region symbols = section_of_type(elf, section_dynsym);
    const region relocations = section_of_type(elf, section_rela);
    const region note = section_of_type(elf, section_note);
    switch (below(random, 8)) {
        case 0:
            damage_record(elf, 0, file_header, random);
            break;
        case 1:
            damage_record(elf, 64 + 56 * below(random, number_at(elf, 56, 2)), program_header,
                          random);
            break;
        case 2:
            damage_record(elf, number_at(elf, 40, 8) + 64 * below(random, number_at(elf, 60, 2)),
                          section_header, random);
            break;
        case 3:
            damage_record(elf, symbols.begin + 24 * below(random, symbols.bytes / 24), symbol,
                          random);
            break;
        case 4:
            damage_record(elf, relocations.begin + 24 * below(random, relocations.bytes / 24),
                          relocation, random);
            break;
        case 5: {
            // The value of a symbol is its place in the file, for the segment that comes first.
            const size_t at = symbols.begin + 24 * below(random, symbols.bytes / 24);
            damage_record(elf, number_at(elf, at + 8, 8), descriptor, random);
            break;
        }
        case 6:
            damage_metadata(elf, note, random);
            break;
        default:
            damage_anywhere(elf, random, 0, elf.size());
            break;
    }
}

// ---- containers ----

constexpr field bundle_fields[] = {{24, 8}, {32, 8}, {40, 8}, {48, 8}, {56, 1}};
constexpr field compressed_fields[] = {{4, 2},  {6, 2},  {8, 4},  {8, 8},  {12, 4},
                                       {16, 4}, {16, 8}, {24, 8}, {32, 4}, {36, 4}};
constexpr field offload_fields[] = {{4, 4},  {8, 8},  {16, 8}, {24, 8}, {32, 2}, {34, 2}, {40, 8},
                                    {48, 8}, {56, 8}, {64, 8}, {72, 8}, {80, 8}, {88, 8}, {96, 8}};

enum class container { none, bundle, compressed_2, compressed_3, offload_binary };
constexpr container containers[] = {container::none, container::bundle, container::compressed_2,
                                    container::compressed_3, container::offload_binary};

bytes_t packed(const bytes_t& elf, container kind, random_t& random) {
    switch (kind) {
        case container::none:
            return elf;
        case container::offload_binary: {
            bytes_t file = make_offload_binary(tested_arch(), elf);
            append(file, make_offload_binary(other_arch(), to_bytes("other")));
            if (chance(random, 40)) {
                damage_record(file, 0, offload_fields, random);
            }
            return file;
        }
        default: {
            bytes_t file = make_bundle({{"host-x86_64-unknown-linux-gnu-", {}},
                                        {triple(other_arch()), to_bytes("other")},
                                        {triple(tested_arch()), elf}});
            if (chance(random, 40)) {
                damage_record(file, 0, bundle_fields, random);
            }
            if (kind == container::bundle) {
                return file;
            }
            file = compress(file, kind == container::compressed_2 ? 2 : 3);
            if (chance(random, 40)) {
                damage_record(file, 0, compressed_fields, random);
            }
            return file;
        }
    }
}

// The file of a seed.
bytes_t damaged_file(const std::vector<bytes_t>& code_objects, container kind, uint64_t seed) {
    random_t random(seed);
    bytes_t elf = code_objects[below(random, code_objects.size())];
    for (size_t n = below(random, 4); n > 0; --n) {
        damage_elf(elf, random);
    }
    bytes_t file = packed(elf, kind, random);
    for (size_t n = chance(random, 30) ? below(random, 4) : 0; n > 0; --n) {
        damage_anywhere(file, random, 0, file.size());
    }
    if (chance(random, 10)) {
        file.resize(below(random, file.size()));
    }
    return file;
}

size_t resident_bytes_at_most() {
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

TEST(fuzz, damaged_files_are_loaded_or_refused) {
    const uint64_t count = setting("OPUS_FUZZ_COUNT", 20000);
    const uint64_t first_seed = setting("OPUS_FUZZ_SEED", 1);
    const auto target =
        tested_arch() == "gfx942" ? emu::gfx_target::gfx942 : emu::gfx_target::gfx950;
    const std::vector<bytes_t> code_objects = {read_kernels(tested_arch()),
                                               read_compiled(tested_arch())};
    for (const bytes_t& elf : code_objects) {
        EXPECT_TRUE(load_any(elf, target));
        EXPECT_NE(section_of_type(elf, section_dynsym).bytes, 0u);
        EXPECT_NE(section_of_type(elf, section_rela).bytes, 0u);
        EXPECT_NE(section_of_type(elf, section_note).bytes, 0u);
    }
    using clock = std::chrono::steady_clock;
    clock::duration longest{};
    uint64_t loaded[std::size(containers)] = {};
    uint64_t refused[std::size(containers)] = {};
    for (uint64_t n = 0; n < count; ++n) {
        SCOPED_TRACE("OPUS_FUZZ_SEED=" + std::to_string(first_seed + n));
        const size_t kind = (first_seed + n) % std::size(containers);
        const bytes_t file = damaged_file(code_objects, containers[kind], first_seed + n);
        const auto start = clock::now();
        ++(load_any(file, target) ? loaded : refused)[kind];
        longest = std::max(longest, clock::now() - start);
    }
    for (size_t kind = 0; kind < std::size(containers); ++kind) {
        std::printf("container %zu: %llu files loaded, %llu refused\n", kind,
                    static_cast<unsigned long long>(loaded[kind]),
                    static_cast<unsigned long long>(refused[kind]));
        if (count >= 1000) {
            EXPECT_GT(loaded[kind], count / 100) << "the damage goes no further than the container";
            EXPECT_GT(refused[kind], count / 100);
        }
    }
    const double slowest = std::chrono::duration<double>(longest).count();
    std::printf("%llu inputs from seed %llu, the slowest in %.3f s, %zu MiB at most\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(first_seed),
                slowest, resident_bytes_at_most() >> 20);
    EXPECT_LT(slowest, 2.0);
    EXPECT_LT(resident_bytes_at_most(), size_t{2} << 30);
}

}  // namespace
