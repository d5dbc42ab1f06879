#include "loader/bundle.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "loader/reader.hpp"

namespace emu {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_magic = "CCOB";
constexpr std::string_view offload_binary_magic = "\x10\xff\x10\xad";
constexpr std::string_view elf_magic = "\177ELF";

// Reads no further than to the first difference: an image of one byte has no others.
bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    const auto same = [](std::byte a, char b) { return std::to_integer<char>(a) == b; };
    return std::ranges::mismatch(bytes, magic, same).in2 == magic.end();
}

// ---- compressed bundle: 4 magic, u16 version, u16 method, then by version ----

struct compressed_header {
    uint64_t file_bytes = 0;
    uint64_t bytes = 0;
    uint32_t data_offset = 0;
};

compressed_header read_compressed_header(const reader& file) {
    const auto version = file.at<uint16_t>(4);
    const auto method = file.at<uint16_t>(6);
    compressed_header header;
    if (version == 2) {
        header = {file.at<uint32_t>(8), file.at<uint32_t>(12), 24};
    } else if (version == 3) {
        header = {file.at<uint64_t>(8), file.at<uint64_t>(16), 32};
    } else {
        malformed("compressed offload bundle: version " + std::to_string(version) +
                  ", known are 2 and 3");
    }
    if (method != 1) {
        malformed("compressed offload bundle: method " + std::to_string(method) +
                  ", known is 1 (zstd)");
    }
    if (header.file_bytes < header.data_offset) {
        malformed("compressed offload bundle: its size is smaller than its header");
    }
    return header;
}

// Refuses, before memory is taken, a size that is more than the limit, more than the data can hold, or
// another one than the data has itself.
void check_unpacked_size(uint64_t bytes, std::span<const std::byte> data) {
    const std::string declared =
        "compressed offload bundle: it declares " + std::to_string(bytes) + " bytes, ";
    if (bytes > max_load_bytes) {
        malformed(declared + "at most " + std::to_string(max_load_bytes) + " are unpacked");
    }
    // The densest zstd block makes 128 KiB out of 4 bytes.
    if (bytes / 32768 > data.size()) {
        malformed(declared + "which " + std::to_string(data.size()) + " of zstd cannot hold");
    }
    const unsigned long long content = ZSTD_getFrameContentSize(data.data(), data.size());
    const bool is_known = content != ZSTD_CONTENTSIZE_UNKNOWN && content != ZSTD_CONTENTSIZE_ERROR;
    if (is_known && content != bytes &&
        ZSTD_findFrameCompressedSize(data.data(), data.size()) == data.size()) {
        malformed(declared + "its zstd frame has " + std::to_string(content));
    }
}

std::span<const std::byte> decompress(std::span<const std::byte> file,
                                      std::unique_ptr<std::byte[]>& storage, load_budget& budget) {
    const reader r(file, "compressed offload bundle");
    const compressed_header header = read_compressed_header(r);
    const auto data = r.slice(header.data_offset, header.file_bytes - header.data_offset);
    check_unpacked_size(header.bytes, data);
    budget.take(header.bytes, "compressed offload bundle");
    // Not initialised: what is not written takes no memory.
    storage = std::make_unique_for_overwrite<std::byte[]>(header.bytes);
    const size_t written = ZSTD_decompress(storage.get(), header.bytes, data.data(), data.size());
    if (ZSTD_isError(written)) {
        malformed(std::string("compressed offload bundle: zstd: ") + ZSTD_getErrorName(written));
    }
    if (written != header.bytes) {
        malformed("compressed offload bundle: " + std::to_string(written) +
                  " bytes, its header says " + std::to_string(header.bytes));
    }
    return {storage.get(), header.bytes};
}

// ---- bundle: 24 magic, u64 count, count times {u64 offset, u64 size, u64 id length, id} ----

struct bundle_entry {
    uint64_t offset = 0;
    uint64_t size = 0;
    std::string id;
};

std::vector<bundle_entry> read_entries(const reader& file) {
    // clang's bundler allows far fewer; the limits keep a damaged count from being followed.
    constexpr uint64_t max_entries = 4096;
    constexpr uint64_t max_id_bytes = 4096;
    const auto count = file.at<uint64_t>(bundle_magic.size());
    if (count > max_entries) {
        malformed("offload bundle: " + std::to_string(count) + " entries");
    }
    std::vector<bundle_entry> entries;
    uint64_t at = bundle_magic.size() + 8;
    for (uint64_t n = 0; n < count; ++n) {
        const auto id_bytes = file.at<uint64_t>(at + 16);
        if (id_bytes > max_id_bytes) {
            malformed("offload bundle: an entry's id has " + std::to_string(id_bytes) + " bytes");
        }
        const auto id = file.slice(at + 24, id_bytes);
        entries.push_back({file.at<uint64_t>(at), file.at<uint64_t>(at + 8),
                           std::string(reinterpret_cast<const char*>(id.data()), id.size())});
        at += 24 + id_bytes;
    }
    return entries;
}

// "gfx942:sramecc+:xnack-" fits gfx942. The target has SRAM ECC on and XNACK off, as the machines
// run by default.
bool target_id_fits(std::string_view target_id, std::string_view target) {
    return target_id.substr(0, target_id.find(':')) == target &&
           target_id.find(":xnack+") == std::string_view::npos &&
           target_id.find(":sramecc-") == std::string_view::npos;
}

// "hipv4-amdgcn-amd-amdhsa--" or "hip-amdgcn-amd-amdhsa-unknown-", then a target id.
bool entry_fits(const std::string& id, std::string_view target) {
    const size_t start = id.find("-gfx");
    return start != std::string::npos && id.starts_with("hip") &&
           target_id_fits(std::string_view(id).substr(start + 1), target);
}

// ---- offload binary (llvm/Object/OffloadBinary.h): a header, one entry, its strings, its image
// ----

struct offload_binary {
    uint64_t size = 0;  // with everything that belongs to it
    std::string arch;
    std::span<const std::byte> image;
};

std::string read_string(const reader& file, uint64_t offset) {
    constexpr uint64_t max_bytes = 4096;
    std::string text;
    for (; text.size() < max_bytes; ++offset) {
        const char c = file.at<char>(offset);
        if (c == 0) {
            return text;
        }
        text += c;
    }
    malformed("offload binary: a string of more than " + std::to_string(max_bytes) + " bytes");
}

// @pre rest begins with the magic
offload_binary read_offload_binary(std::span<const std::byte> rest) {
    constexpr uint64_t header_bytes = 32;
    constexpr uint64_t max_strings = 256;
    const reader header(rest, "offload binary");
    const auto version = header.at<uint32_t>(4);
    if (version != 1) {
        malformed("offload binary: version " + std::to_string(version) + ", known is 1");
    }
    offload_binary result;
    result.size = header.at<uint64_t>(8);
    if (result.size < header_bytes) {
        malformed("offload binary: its size is smaller than its header");
    }
    const reader file(header.slice(0, result.size), "offload binary");
    const auto entry = file.at<uint64_t>(16);
    const reader fields(file.slice(entry, 40), "offload binary's entry");
    const auto strings = fields.at<uint64_t>(8);
    const auto count = fields.at<uint64_t>(16);
    if (count > max_strings) {
        malformed("offload binary: " + std::to_string(count) + " strings");
    }
    const reader pairs(file.slice(strings, count * 16), "offload binary's strings");
    for (uint64_t n = 0; n < count; ++n) {
        if (read_string(file, pairs.at<uint64_t>(16 * n)) == "arch") {
            result.arch = read_string(file, pairs.at<uint64_t>(16 * n + 8));
        }
    }
    result.image = file.slice(fields.at<uint64_t>(24), fields.at<uint64_t>(32));
    return result;
}

// ---- sizes, and the image for a target ----

using elf_types = llvm::object::ELF64LE;

// Where the parts that the headers of an ELF file name end.
uint64_t elf_size(const reader& file) {
    const auto header = file.at<elf_types::Ehdr>(0);
    uint64_t end = sizeof header;
    const auto include = [&](uint64_t offset, uint64_t bytes) {
        file.slice(offset, bytes);
        end = std::max(end, offset + bytes);
    };
    include(header.e_phoff, header.e_phnum * sizeof(elf_types::Phdr));
    include(header.e_shoff, header.e_shnum * sizeof(elf_types::Shdr));
    for (unsigned n = 0; n < header.e_phnum; ++n) {
        const auto segment = file.at<elf_types::Phdr>(header.e_phoff + n * sizeof(elf_types::Phdr));
        include(segment.p_offset, segment.p_filesz);
    }
    for (unsigned n = 0; n < header.e_shnum; ++n) {
        const auto section = file.at<elf_types::Shdr>(header.e_shoff + n * sizeof(elf_types::Shdr));
        if (section.sh_type != llvm::ELF::SHT_NOBITS) {
            include(section.sh_offset, section.sh_size);
        }
    }
    return end;
}

uint64_t bundle_size(const reader& file) {
    uint64_t end = 0;
    uint64_t entries_end = bundle_magic.size() + 8;
    for (const bundle_entry& entry : read_entries(file)) {
        entries_end += 24 + entry.id.size();
        file.slice(entry.offset, entry.size);
        end = std::max(end, entry.offset + entry.size);
    }
    return std::max(end, entries_end);
}

[[noreturn]] void has_no_image(const char* container, gfx_target target,
                               const std::string& present) {
    throw load_error(load_error::reason_t::no_image, std::string(container) + ": nothing for " +
                                                         target_name(target) + "; it holds " +
                                                         (present.empty() ? "nothing" : present));
}

// The image for the target in offload binaries that lie behind each other.
std::span<const std::byte> select_offload_binary(std::span<const std::byte> file,
                                                 gfx_target target) {
    std::string present;
    while (begins_with(file, offload_binary_magic)) {
        const offload_binary binary = read_offload_binary(file);
        if (target_id_fits(binary.arch, target_name(target))) {
            return binary.image;
        }
        present += (present.empty() ? "" : ", ") + binary.arch;
        file = file.subspan(binary.size);
    }
    has_no_image("offload binary", target, present);
}

}  // namespace

std::span<const std::byte> readable_bytes(const void* data) {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    uintptr_t end = begin;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        // "from-to perm ...", in hexadecimal and in ascending order
        unsigned long from = 0;
        unsigned long to = 0;
        char permission = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %c", &from, &to, &permission) == 3 && from <= end &&
            end < to && permission == 'r') {
            end = to;
        }
    }
    if (end == begin && !std::ifstream("/proc/self/maps")) {
        end = std::numeric_limits<ptrdiff_t>::max();  // nobody can say
    }
    return {static_cast<const std::byte*>(data), end - begin};
}

size_t image_size(std::span<const std::byte> readable) {
    if (begins_with(readable, compressed_magic)) {
        const reader file(readable, "compressed offload bundle");
        return file.slice(0, read_compressed_header(file).file_bytes).size();
    }
    if (begins_with(readable, elf_magic)) {
        return elf_size(reader(readable, "code object"));
    }
    if (begins_with(readable, bundle_magic)) {
        return bundle_size(reader(readable, "offload bundle"));
    }
    if (begins_with(readable, offload_binary_magic)) {
        return read_offload_binary(readable).size;
    }
    malformed("not a code object: neither ELF nor an offload bundle");
}

std::span<const std::byte> select_image(std::span<const std::byte> file, gfx_target target,
                                        std::unique_ptr<std::byte[]>& storage,
                                        load_budget& budget) {
    if (begins_with(file, elf_magic)) {
        return file;
    }
    if (begins_with(file, offload_binary_magic)) {
        return select_offload_binary(file, target);
    }
    if (begins_with(file, compressed_magic)) {
        file = decompress(file, storage, budget);
    }
    if (!begins_with(file, bundle_magic)) {
        malformed("not a code object: neither ELF nor an offload bundle");
    }
    const reader r(file, "offload bundle");
    const auto entries = read_entries(r);
    std::string present;
    for (const bundle_entry& entry : entries) {
        const auto image = r.slice(entry.offset, entry.size);
        if (!image.empty() && entry_fits(entry.id, target_name(target))) {
            return image;
        }
        present += (present.empty() ? "" : ", ") + entry.id;
    }
    has_no_image("offload bundle", target, present);
}

}  // namespace emu
