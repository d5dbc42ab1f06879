#include "loader/code_object.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/BinaryFormat/MsgPackReader.h>
#include <llvm/Object/ELF.h>
#include <sys/mman.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

#include "isa/decode.hpp"
#include "machine/memory.hpp"

namespace emu {

namespace {

namespace elf = llvm::ELF;
using elf_types = llvm::object::ELF64LE;
using elf_file = llvm::object::ELFFile<elf_types>;

constexpr size_t page_bytes = 4096;
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_magic = "CCOB";
constexpr std::string_view offload_binary_magic = "\x10\xff\x10\xad";
constexpr std::string_view elf_magic = "\177ELF";

[[noreturn]] void malformed(const std::string& what) {
    throw load_error(load_error::reason_t::malformed, what);
}

// The value, or its error as a load_error.
template <class T>
T take(llvm::Expected<T> value, const char* what) {
    if (!value) {
        malformed(std::string(what) + ": " + llvm::toString(value.takeError()));
    }
    return *value;
}

template <class T>
T read_raw(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Little-endian reads from a file; outside of the file is an error.
class reader {
public:
    reader(std::span<const std::byte> bytes, const char* name) : bytes_(bytes), name_(name) {}

    template <class T>
    T at(uint64_t offset) const {
        return read_raw<T>(slice(offset, sizeof(T)).data());
    }

    std::span<const std::byte> slice(uint64_t offset, uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) {
            malformed(std::string(name_) + ": needs bytes " + std::to_string(offset) + " to " +
                      std::to_string(offset) + "+" + std::to_string(size) + ", but has " +
                      std::to_string(bytes_.size()));
        }
        return bytes_.subspan(offset, size);
    }

private:
    std::span<const std::byte> bytes_;
    const char* name_;
};

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
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

std::span<const std::byte> decompress(std::span<const std::byte> file,
                                      std::unique_ptr<std::byte[]>& storage) {
    const reader r(file, "compressed offload bundle");
    const compressed_header header = read_compressed_header(r);
    const auto data = r.slice(header.data_offset, header.file_bytes - header.data_offset);
    // The densest zstd block makes 128 KiB out of 4 bytes; more cannot be honest, and the size
    // must not make this process allocate without bound.
    if (header.bytes / 32768 > data.size()) {
        malformed("compressed offload bundle: impossible size " + std::to_string(header.bytes));
    }
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

// ---- metadata ----

// Whether one well-formed MessagePack object follows, with strings as the keys of its maps.
// llvm::msgpack::Document takes that for granted and crashes on other keys.
bool has_string_keys(llvm::msgpack::Reader& in, int depth = 0) {
    constexpr int max_depth = 16;
    llvm::msgpack::Object object;
    const auto read = [&] {
        auto got = in.read(object);
        if (!got) {
            llvm::consumeError(got.takeError());
            return false;
        }
        return *got;
    };
    if (depth > max_depth || !read()) {
        return false;
    }
    const bool is_map = object.Kind == llvm::msgpack::Type::Map;
    if (!is_map && object.Kind != llvm::msgpack::Type::Array) {
        return true;
    }
    for (size_t left = object.Length; left != 0; --left) {
        if (is_map && (!read() || object.Kind != llvm::msgpack::Type::String)) {
            return false;
        }
        if (!has_string_keys(in, depth + 1)) {
            return false;
        }
    }
    return true;
}

const llvm::msgpack::DocNode* find(llvm::msgpack::DocNode& map, const char* key) {
    auto& entries = map.getMap();
    const auto found = entries.find(llvm::StringRef(key));
    return found == entries.end() ? nullptr : &found->second;
}

std::string string_of(llvm::msgpack::DocNode& map, const char* key) {
    const auto* node = find(map, key);
    if (node == nullptr || node->getKind() != llvm::msgpack::Type::String) {
        malformed(std::string("code object metadata: no string ") + key);
    }
    return node->getString().str();
}

uint32_t number_of(llvm::msgpack::DocNode& map, const char* key,
                   std::optional<uint32_t> fallback = std::nullopt) {
    const auto* node = find(map, key);
    if (node == nullptr && fallback) {
        return *fallback;
    }
    if (node == nullptr || node->getKind() != llvm::msgpack::Type::UInt ||
        node->getUInt() > std::numeric_limits<uint32_t>::max()) {
        malformed(std::string("code object metadata: no 32-bit number ") + key);
    }
    return static_cast<uint32_t>(node->getUInt());
}

uint32_t bits(uint32_t value, int shift, int width) {
    return value >> shift & ((1u << width) - 1);
}

}  // namespace

const char* target_name(gfx_target target) {
    return target == gfx_target::gfx942 ? "gfx942" : "gfx950";
}

// ---- kernel_info ----

uint32_t kernel_info::explicit_size() const {
    uint32_t end = 0;
    for (const kernel_argument& argument : arguments) {
        if (!argument.is_hidden()) {
            end = std::max(end, argument.offset + argument.size);
        }
    }
    return end;
}

// AMDGPUUsage, compute_pgm_rsrc1: granules of 8 registers; compute_pgm_rsrc3 for gfx90a and
// gfx942: accum_offset counts groups of 4, minus one.
uint32_t kernel_info::vgpr_count() const {
    const uint32_t all = (bits(descriptor.rsrc1, 0, 6) + 1) * 8;
    return std::min(all, (bits(descriptor.rsrc3, 0, 6) + 1) * 4);
}

uint32_t kernel_info::agpr_count() const {
    return (bits(descriptor.rsrc1, 0, 6) + 1) * 8 - vgpr_count();
}

// ---- bundles ----

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

namespace {

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
        if (section.sh_type != elf::SHT_NOBITS) {
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
    throw load_error(load_error::reason_t::no_image, std::string("offload binary: nothing for ") +
                                                         target_name(target) + "; it holds " +
                                                         present);
}

}  // namespace

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
                                        std::unique_ptr<std::byte[]>& storage) {
    if (begins_with(file, elf_magic)) {
        return file;
    }
    if (begins_with(file, offload_binary_magic)) {
        return select_offload_binary(file, target);
    }
    if (begins_with(file, compressed_magic)) {
        file = decompress(file, storage);
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
    throw load_error(load_error::reason_t::no_image, std::string("offload bundle: nothing for ") +
                                                         target_name(target) + "; it holds " +
                                                         (present.empty() ? "nothing" : present));
}

// ---- loading ----

void code_object::page_deleter::operator()(std::byte* p) const {
    // The mapping's size is in its first page: see allocate_pages.
    size_t bytes = 0;
    std::memcpy(&bytes, p - page_bytes, sizeof bytes);
    ::munmap(p - page_bytes, bytes);
}

void code_object::program_deleter::operator()(program* p) const {
    delete p;
}

class code_object::loader {
public:
    loader(code_object& object, std::span<const std::byte> image, gfx_target target)
        : object_(object),
          target_(target),
          file_(take(elf_file::create(llvm::StringRef(reinterpret_cast<const char*>(image.data()),
                                                      image.size())),
                     "code object")),
          bytes_(image),
          image_(image, "code object") {}

    void run() {
        check_header();
        map_segments();
        read_symbols();
        relocate();
        read_metadata();
        keep_source_lines();
    }

private:
    struct symbol {
        uint64_t value = 0;  // offset from the start of the loaded object
        uint64_t size = 0;
        bool defined = false;
        bool is_object = false;
    };

    uint64_t base() const { return reinterpret_cast<uintptr_t>(object_.memory_.get()); }

    void check_header() const {
        const auto& header = file_.getHeader();
        if (header.e_ident[elf::EI_CLASS] != elf::ELFCLASS64 ||
            header.e_ident[elf::EI_DATA] != elf::ELFDATA2LSB ||
            header.e_machine != elf::EM_AMDGPU ||
            header.e_ident[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA) {
            malformed("code object: not a 64-bit AMDGPU HSA file");
        }
        const int version = header.e_ident[elf::EI_ABIVERSION];
        if (version < elf::ELFABIVERSION_AMDGPU_HSA_V3) {
            malformed("code object: ABI version " + std::to_string(version) + " is too old");
        }
        if (header.e_type != elf::ET_DYN) {
            malformed("code object: not linked");
        }
        const unsigned machine = header.e_flags & elf::EF_AMDGPU_MACH;
        const unsigned wanted = target_ == gfx_target::gfx942 ? elf::EF_AMDGPU_MACH_AMDGCN_GFX942
                                                              : elf::EF_AMDGPU_MACH_AMDGCN_GFX950;
        if (machine != wanted) {
            const char* held = machine == elf::EF_AMDGPU_MACH_AMDGCN_GFX942   ? "gfx942"
                               : machine == elf::EF_AMDGPU_MACH_AMDGCN_GFX950 ? "gfx950"
                                                                              : "another target";
            throw load_error(load_error::reason_t::no_image,
                             std::string("code object: it is for ") + held + ", not for " +
                                 target_name(target_));
        }
    }

    // Kept for reports, if there is code and it was compiled with -g.
    void keep_source_lines() {
        if (object_.program_ == nullptr) {
            return;
        }
        for (const auto& section : take(file_.sections(), "code object")) {
            if (take(file_.getSectionName(section), "code object") == ".debug_line") {
                object_.program_->set_source_lines(source_lines(bytes_), base());
                return;
            }
        }
    }

    void map_segments() {
        struct load {
            uint64_t begin;
            uint64_t bytes;
            std::span<const std::byte> contents;
            bool writable;
            bool executable;
        };
        constexpr uint64_t max_bytes = uint64_t{1} << 40;
        std::vector<load> loads;
        for (const auto& header : take(file_.program_headers(), "code object")) {
            if (header.p_type != elf::PT_LOAD || header.p_memsz == 0) {
                continue;
            }
            // Code is decoded into a table of its size, so all of it has to be in the file.
            const bool executable = (header.p_flags & elf::PF_X) != 0;
            if (header.p_filesz > header.p_memsz || header.p_vaddr > max_bytes ||
                header.p_memsz > max_bytes ||
                (executable && header.p_memsz - header.p_filesz > page_bytes)) {
                malformed("code object: a segment with impossible sizes");
            }
            loads.push_back({header.p_vaddr, header.p_memsz,
                             image_.slice(header.p_offset, header.p_filesz),
                             (header.p_flags & elf::PF_W) != 0, executable});
        }
        if (loads.empty()) {
            malformed("code object: nothing to load");
        }
        std::ranges::sort(loads, {}, &load::begin);
        uint64_t end = 0;
        for (const load& l : loads) {
            if (l.begin < end) {
                malformed("code object: segments overlap");
            }
            end = l.begin + l.bytes;
        }
        allocate_pages(end);
        for (const load& l : loads) {
            std::ranges::copy(l.contents, object_.memory_.get() + l.begin);
            object_.segments_.push_back({l.begin, l.bytes, l.writable});
            if (!l.executable) {
                continue;
            }
            if (object_.program_ != nullptr) {
                malformed("code object: more than one executable segment");
            }
            text_begin_ = l.begin;
            text_end_ = l.begin + l.bytes;
            object_.program_.reset(
                new program(target_, object_.memory_.get() + l.begin, l.bytes, base() + l.begin));
        }
    }

    void allocate_pages(uint64_t bytes) {
        const size_t mapped = (bytes + page_bytes - 1) / page_bytes * page_bytes + page_bytes;
        void* p = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            malformed("code object: no memory for its " + std::to_string(bytes) + " bytes");
        }
        std::memcpy(p, &mapped, sizeof mapped);
        object_.memory_.reset(static_cast<std::byte*>(p) + page_bytes);
    }

    // The loaded bytes, which must lie in one segment.
    std::byte* loaded(uint64_t offset, uint64_t bytes, const std::string& what) const {
        for (const segment& s : object_.segments_) {
            if (offset >= s.offset && offset - s.offset < s.bytes &&
                bytes <= s.bytes - (offset - s.offset)) {
                return object_.memory_.get() + offset;
            }
        }
        malformed("code object: " + what + " is outside of the loaded segments");
    }

    void read_symbols() {
        for (const auto& section : take(file_.sections(), "code object")) {
            if (section.sh_type != elf::SHT_DYNSYM) {
                continue;
            }
            const auto names = take(file_.getStringTableForSymtab(section), "code object");
            for (const auto& s : take(file_.symbols(&section), "code object")) {
                const std::string name = take(s.getName(names), "code object").str();
                const symbol read{s.st_value, s.st_size, s.st_shndx != elf::SHN_UNDEF,
                                  s.getType() == elf::STT_OBJECT};
                by_index_.push_back(read);
                if (!read.defined || name.empty()) {
                    continue;
                }
                by_name_[name] = read;
                // A variable of size zero (extern __shared__ arrays do not appear here) has no
                // bytes to check.
                if (read.is_object && !name.ends_with(".kd")) {
                    if (read.size != 0) {
                        loaded(read.value, read.size, name);
                    }
                    object_.variables_[name] = {base() + read.value, read.size};
                }
            }
        }
    }

    void relocate() const {
        for (const auto& section : take(file_.sections(), "code object")) {
            if (section.sh_type != elf::SHT_RELA || (section.sh_flags & elf::SHF_ALLOC) == 0) {
                continue;
            }
            for (const auto& r : take(file_.relas(section), "code object")) {
                uint64_t value = base() + static_cast<uint64_t>(int64_t{r.r_addend});
                const uint32_t type = r.getType(false);
                if (type == elf::R_AMDGPU_ABS64) {
                    const uint32_t index = r.getSymbol(false);
                    if (index >= by_index_.size() || !by_index_[index].defined) {
                        malformed("code object: a relocation needs a symbol it does not define");
                    }
                    value += by_index_[index].value;
                } else if (type != elf::R_AMDGPU_RELATIVE64) {
                    malformed("code object: relocation type " + std::to_string(type) +
                              "; known are ABS64 (3) and RELATIVE64 (13)");
                }
                std::memcpy(loaded(r.r_offset, sizeof value, "a relocation"), &value, sizeof value);
            }
        }
    }

    void read_metadata() {
        for (const auto& header : take(file_.program_headers(), "code object")) {
            if (header.p_type != elf::PT_NOTE) {
                continue;
            }
            llvm::Error error = llvm::Error::success();
            for (const auto& note : file_.notes(header, error)) {
                if (note.getName() == "AMDGPU" && note.getType() == elf::NT_AMDGPU_METADATA) {
                    read_kernels(note.getDescAsStringRef(std::max<size_t>(header.p_align, 4)));
                }
            }
            if (error) {
                malformed("code object notes: " + llvm::toString(std::move(error)));
            }
        }
    }

    void read_kernels(llvm::StringRef blob) {
        llvm::msgpack::Reader check(blob);
        llvm::msgpack::Document document;
        if (!has_string_keys(check) || !document.readFromBlob(blob, false) ||
            !document.getRoot().isMap()) {
            malformed("code object metadata: not a MessagePack map");
        }
        const auto* list = find(document.getRoot(), "amdhsa.kernels");
        if (list == nullptr) {
            return;
        }
        if (list->getKind() != llvm::msgpack::Type::Array) {
            malformed("code object metadata: amdhsa.kernels is no array");
        }
        llvm::msgpack::DocNode kernels = *list;
        for (llvm::msgpack::DocNode& node : kernels.getArray()) {
            if (!node.isMap()) {
                malformed("code object metadata: a kernel is no map");
            }
            kernel_info kernel = read_kernel(node);
            const std::string name = kernel.name;
            object_.kernels_[name] = std::move(kernel);
        }
    }

    kernel_info read_kernel(llvm::msgpack::DocNode& node) const {
        kernel_info kernel;
        kernel.name = string_of(node, ".name");
        kernel.abi_version = file_.getHeader().e_ident[elf::EI_ABIVERSION];
        kernel.kernarg_size = number_of(node, ".kernarg_segment_size");
        kernel.max_group_size = number_of(node, ".max_flat_workgroup_size", 0);
        const uint32_t lanes = number_of(node, ".wavefront_size", lane_count);
        if (lanes != lane_count) {
            malformed("kernel " + kernel.name + ": waves of " + std::to_string(lanes) +
                      " lanes; the targets have 64");
        }
        if (const auto* list = find(node, ".args")) {
            if (list->getKind() != llvm::msgpack::Type::Array) {
                malformed("kernel " + kernel.name + ": .args is no array");
            }
            llvm::msgpack::DocNode arguments = *list;
            for (llvm::msgpack::DocNode& argument : arguments.getArray()) {
                if (!argument.isMap()) {
                    malformed("kernel " + kernel.name + ": an argument is no map");
                }
                kernel.arguments.push_back({number_of(argument, ".offset"),
                                            number_of(argument, ".size"),
                                            string_of(argument, ".value_kind")});
                // 64 KiB is far more than a kernarg segment can have (the hardware loads it, HIP
                // limits parameters to 4 KiB); it keeps offset + size from wrapping around.
                constexpr uint32_t max_bytes = 65536;
                const kernel_argument& last = kernel.arguments.back();
                if (last.offset > max_bytes || last.size > max_bytes) {
                    malformed("kernel " + kernel.name + ": an argument lies at " +
                              std::to_string(last.offset));
                }
            }
        }
        read_descriptor(string_of(node, ".symbol"), kernel);
        constexpr uint32_t max_kernarg_bytes = 2 * 65536;  // explicit arguments and hidden ones
        const uint32_t kernarg_bytes =
            std::max(kernel.kernarg_size, kernel.descriptor.kernarg_size);
        if (kernarg_bytes > max_kernarg_bytes) {
            malformed("kernel " + kernel.name + ": its arguments have " +
                      std::to_string(kernarg_bytes) + " bytes");
        }
        return kernel;
    }

    void read_descriptor(const std::string& symbol_name, kernel_info& kernel) const {
        const auto found = by_name_.find(symbol_name);
        if (found == by_name_.end()) {
            malformed("kernel " + kernel.name + ": no symbol " + symbol_name);
        }
        const uint64_t offset = found->second.value;
        const std::byte* d = loaded(offset, 64, symbol_name);
        kernel.descriptor = {
            read_raw<uint32_t>(d),      read_raw<uint32_t>(d + 4),  read_raw<uint32_t>(d + 8),
            read_raw<int64_t>(d + 16),  read_raw<uint32_t>(d + 44), read_raw<uint32_t>(d + 48),
            read_raw<uint32_t>(d + 52), read_raw<uint16_t>(d + 56), read_raw<uint16_t>(d + 58)};
        kernel.descriptor_address = base() + offset;
        const uint64_t entry = offset + static_cast<uint64_t>(kernel.descriptor.entry_offset);
        if (entry < text_begin_ || entry >= text_end_ || entry % 4 != 0) {
            malformed("kernel " + kernel.name + ": its first instruction is outside of the code");
        }
        kernel.entry = base() + entry;
    }

    code_object& object_;
    gfx_target target_;
    elf_file file_;
    std::span<const std::byte> bytes_;
    reader image_;
    uint64_t text_begin_ = 0;
    uint64_t text_end_ = 0;
    std::vector<symbol> by_index_;
    std::map<std::string, symbol> by_name_;
};

code_object::code_object(std::span<const std::byte> file, gfx_target target) {
    std::unique_ptr<std::byte[]> storage;
    loader(*this, select_image(file, target, storage), target).run();
    for (const segment& s : segments_) {
        add_range(reinterpret_cast<uintptr_t>(memory_.get()) + s.offset, s.bytes, s.writable,
                  memory_kind::loaded_image);
    }
}

code_object::~code_object() {
    for (const segment& s : segments_) {
        remove_range(reinterpret_cast<uintptr_t>(memory_.get()) + s.offset);
    }
}

const kernel_info* code_object::find_kernel(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : &found->second;
}

std::optional<device_symbol> code_object::find_variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace emu
