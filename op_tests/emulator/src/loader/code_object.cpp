#include "loader/code_object.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/decode.hpp"
#include "loader/bundle.hpp"
#include "loader/reader.hpp"
#include "machine/memory.hpp"

namespace emu {
namespace {

namespace elf = llvm::ELF;
using elf_types = llvm::object::ELF64LE;
using elf_file = llvm::object::ELFFile<elf_types>;

constexpr size_t page_bytes = 4096;

// The value, or its error as a load_error.
template <class T>
T take(llvm::Expected<T> value) {
    if (!value) {
        malformed("code object: " + llvm::toString(value.takeError()));
    }
    return *value;
}

}  // namespace

void code_object::unmap::operator()(std::byte* p) const {
    ::munmap(p, bytes);
}

class code_object::loader {
public:
    loader(code_object& object, std::span<const std::byte> image, gfx_target target,
           load_budget& budget)
        : object_(object),
          budget_(budget),
          target_(target),
          file_(take(elf_file::create(
              llvm::StringRef(reinterpret_cast<const char*>(image.data()), image.size())))),
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
        // As bundles are chosen: SRAM ECC is on and XNACK off.
        const bool has_xnack = (header.e_flags & elf::EF_AMDGPU_FEATURE_XNACK_V4) ==
                               elf::EF_AMDGPU_FEATURE_XNACK_ON_V4;
        if (has_xnack || (header.e_flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V4) ==
                             elf::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4) {
            const std::string held = has_xnack ? "xnack+" : "sramecc-";
            throw load_error(load_error::reason_t::no_image,
                             "code object: it is for " + std::string(target_name(target_)) + ":" +
                                 held + ", the machine runs with sramecc+:xnack-");
        }
    }

    // Kept for reports, if there is code and it was compiled with -g.
    void keep_source_lines() {
        if (object_.program_ == nullptr) {
            return;
        }
        for (const auto& section : take(file_.sections())) {
            if (take(file_.getSectionName(section)) == ".debug_line") {
                budget_.take(bytes_.size(), "code object: its copy for source lines");
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
        std::vector<load> loads;
        for (const auto& header : take(file_.program_headers())) {
            if (header.p_type != elf::PT_LOAD || header.p_memsz == 0) {
                continue;
            }
            // Code is decoded into a table of its size, so all of it has to be in the file.
            const bool executable = (header.p_flags & elf::PF_X) != 0;
            if (header.p_vaddr > max_load_bytes || header.p_memsz > max_load_bytes) {
                malformed("code object: a segment of " + std::to_string(header.p_memsz) +
                          " bytes at " + std::to_string(header.p_vaddr) + "; both may be at most " +
                          std::to_string(max_load_bytes));
            }
            if (header.p_filesz > header.p_memsz ||
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
        // Zeros take no memory until a kernel writes there, which it may do.
        budget_.take(end, "code object: its segments");
        void* pages = ::mmap(nullptr, end, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) {
            malformed("code object: no memory for its " + std::to_string(end) + " bytes");
        }
        object_.memory_ = {static_cast<std::byte*>(pages), {end}};
        for (const load& l : loads) {
            std::ranges::copy(l.contents, object_.memory_.get() + l.begin);
            object_.segments_.push_back({l.begin, l.bytes, l.writable});
            if (!l.executable) {
                continue;
            }
            if (object_.program_ != nullptr) {
                malformed("code object: more than one executable segment");
            }
            budget_.take(program::table_bytes(l.bytes), "code object: what is known of its code");
            text_begin_ = l.begin;
            text_end_ = l.begin + l.bytes;
            object_.program_ = std::make_unique<program>(target_, object_.memory_.get() + l.begin,
                                                         l.bytes, base() + l.begin);
        }
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
        for (const auto& section : take(file_.sections())) {
            if (section.sh_type != elf::SHT_DYNSYM) {
                continue;
            }
            const auto names = take(file_.getStringTableForSymtab(section));
            for (const auto& s : take(file_.symbols(&section))) {
                const llvm::StringRef text = take(s.getName(names));
                // Entries of three tables and their copies of the name. Symbols may share a name in
                // the file.
                constexpr uint64_t symbol_bytes = 384;
                budget_.take(symbol_bytes + 4 * text.size(), "code object: its symbols");
                const std::string name = text.str();
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
        for (const auto& section : take(file_.sections())) {
            if (section.sh_type != elf::SHT_RELA || (section.sh_flags & elf::SHF_ALLOC) == 0) {
                continue;
            }
            for (const auto& r : take(file_.relas(section))) {
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
        for (const auto& header : take(file_.program_headers())) {
            if (header.p_type != elf::PT_NOTE) {
                continue;
            }
            llvm::Error error = llvm::Error::success();
            for (const auto& note : file_.notes(header, error)) {
                if (note.getName() == "AMDGPU" && note.getType() == elf::NT_AMDGPU_METADATA) {
                    emu::read_metadata(
                        note.getDescAsStringRef(std::max<size_t>(header.p_align, 4)), budget_,
                        [&](kernel_info kernel, const std::string& descriptor) {
                            add_kernel(std::move(kernel), descriptor);
                        },
                        object_.formats_);
                }
            }
            if (error) {
                malformed("code object notes: " + llvm::toString(std::move(error)));
            }
        }
    }

    void add_kernel(kernel_info kernel, const std::string& descriptor) {
        kernel.abi_version = file_.getHeader().e_ident[elf::EI_ABIVERSION];
        read_descriptor(descriptor, kernel);
        constexpr uint32_t max_kernarg_bytes = 2 * 65536;  // explicit arguments and hidden ones
        const uint32_t kernarg_bytes =
            std::max(kernel.kernarg_size, kernel.descriptor.kernarg_size);
        if (kernarg_bytes > max_kernarg_bytes) {
            malformed("kernel " + kernel.name + ": its arguments have " +
                      std::to_string(kernarg_bytes) + " bytes");
        }
        const std::string name = kernel.name;
        object_.kernels_[name] = std::move(kernel);
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
    load_budget& budget_;
    gfx_target target_;
    elf_file file_;
    std::span<const std::byte> bytes_;
    reader image_;
    uint64_t text_begin_ = 0;
    uint64_t text_end_ = 0;
    std::vector<symbol> by_index_;
    std::map<std::string, symbol> by_name_;
};

code_object::code_object(std::span<const std::byte> file, gfx_target target, load_budget budget) {
    std::unique_ptr<std::byte[]> storage;
    loader(*this, select_image(file, target, storage, budget), target, budget).run();
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
