#include "lint/input.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/assembly.hpp"
#include "loader/bundle.hpp"
#include "loader/code_object.hpp"

namespace emu {
namespace {

using bytes_t = std::span<const std::byte>;
using found_t = std::function<void(const lint_kernel&)>;

constexpr gfx_target both[] = {gfx_target::gfx942, gfx_target::gfx950};

std::string_view text_of(bytes_t bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T take(llvm::Expected<T> value) {
    if (!value) {
        throw std::runtime_error(llvm::toString(value.takeError()));
    }
    return std::move(*value);
}

bool is_wanted(gfx_target target, std::optional<gfx_target> only) {
    return !only || *only == target;
}

// ---- a linked code object ----

void kernels_of_code_object(bytes_t file, gfx_target target, const found_t& found) {
    code_object object(file, target);
    for (const auto& [name, kernel] : object.kernels()) {
        found({name, target, &object.code(), kernel.entry});
    }
}

// ---- an object file: its code is where its symbols say ----

void kernels_of_object_file(const llvm::object::ELFObjectFileBase& object, bytes_t file,
                            gfx_target target, const found_t& found) {
    std::set<std::string> descriptors;
    for (const auto& symbol : object.symbols()) {
        const std::string name = take(symbol.getName()).str();
        if (name.ends_with(".kd")) {
            descriptors.insert(name.substr(0, name.size() - 3));
        }
    }
    // Addresses start at 0 in each section; 0 would be no address.
    constexpr uint64_t base = 0x1000;
    std::map<uint64_t, std::unique_ptr<program>> programs;
    for (const auto& section : object.sections()) {
        if (section.isText() && section.getSize() != 0) {
            const llvm::StringRef code = take(section.getContents());
            programs[section.getIndex()] =
                std::make_unique<program>(target, reinterpret_cast<const std::byte*>(code.data()),
                                          code.size(), base + section.getAddress());
        }
    }
    if (programs.size() == 1) {
        programs.begin()->second->set_source_lines(source_lines(file), base);
    }
    std::map<std::string, std::pair<program*, uint64_t>> kernels;
    for (const auto& symbol : object.symbols()) {
        const std::string name = take(symbol.getName()).str();
        const auto section = take(symbol.getSection());
        if (descriptors.contains(name) && section != object.section_end()) {
            kernels[name] = {programs[section->getIndex()].get(), take(symbol.getValue())};
        }
    }
    for (const auto& [name, place] : kernels) {
        if (place.first != nullptr) {
            found({name, target, place.first, base + place.second});
        }
    }
}

std::unique_ptr<llvm::object::ELFObjectFileBase> read_elf(bytes_t file) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(file.data()), file.size());
    auto object =
        take(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "file")));
    auto elf = llvm::unique_dyn_cast<llvm::object::ELFObjectFileBase>(std::move(object));
    if (elf == nullptr) {
        throw std::runtime_error("neither a program for Linux nor code of a device");
    }
    return elf;
}

std::optional<gfx_target> target_of(const llvm::object::ELFObjectFileBase& object) {
    constexpr unsigned gfx942 = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942;
    constexpr unsigned gfx950 = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950;
    switch (object.getPlatformFlags() & llvm::ELF::EF_AMDGPU_MACH) {
        case gfx942:
            return gfx_target::gfx942;
        case gfx950:
            return gfx_target::gfx950;
        default:
            return std::nullopt;
    }
}

void kernels_of_elf(bytes_t file, std::optional<gfx_target> only, const found_t& found) {
    const auto object = read_elf(file);
    const auto target = target_of(*object);
    if (!target) {
        throw std::runtime_error("code for a device that is neither gfx942 nor gfx950");
    }
    if (!is_wanted(*target, only)) {
        return;
    }
    if (object->getEType() == llvm::ELF::ET_REL) {
        kernels_of_object_file(*object, file, *target, found);
    } else {
        kernels_of_code_object(file, *target, found);
    }
}

// ---- containers ----

// A bundle, compressed or not, or an offload binary.
void kernels_of_container(bytes_t file, std::optional<gfx_target> only, const found_t& found) {
    for (const gfx_target target : both) {
        if (!is_wanted(target, only)) {
            continue;
        }
        std::unique_ptr<std::byte[]> storage;
        load_budget budget;
        bytes_t image;
        try {
            image = select_image(file, target, storage, budget);
        } catch (const load_error& error) {
            if (error.reason != load_error::reason_t::no_image) {
                throw;
            }
            continue;
        }
        // In a container it may lie anywhere; LLVM reads files that are aligned.
        const std::vector<std::byte> aligned(image.begin(), image.end());
        kernels_of_elf(aligned, target, found);
    }
}

bool begins_with_container(bytes_t rest) {
    const std::string_view text = text_of(rest);
    return text.starts_with("__CLANG_OFFLOAD_BUNDLE__") || text.starts_with("CCOB") ||
           text.starts_with("\x10\xff\x10\xad");
}

// Bundles that follow each other, with padding between them.
void kernels_of_section(bytes_t section, std::optional<gfx_target> only, const found_t& found) {
    constexpr size_t alignment = 8;
    for (size_t at = 0; at < section.size();) {
        const bytes_t rest = section.subspan(at);
        if (!begins_with_container(rest)) {
            at += alignment;
            continue;
        }
        const size_t bytes = image_size(rest);
        kernels_of_container(rest.first(bytes), only, found);
        at += (bytes + alignment - 1) / alignment * alignment;
    }
}

void kernels_of_program(const llvm::object::ELFObjectFileBase& object,
                        std::optional<gfx_target> only, const found_t& found) {
    for (const auto& section : object.sections()) {
        const llvm::StringRef name = take(section.getName());
        if (name == ".hip_fatbin" || name == ".llvm.offloading") {
            const llvm::StringRef contents = take(section.getContents());
            kernels_of_section(
                {reinterpret_cast<const std::byte*>(contents.data()), contents.size()}, only,
                found);
        }
    }
}

// ---- assembly ----

void kernels_of_assembly(std::string source, std::optional<gfx_target> only, const found_t& found) {
    std::optional<gfx_target> target = only;
    const size_t directive = source.find(".amdgcn_target");
    if (directive != std::string::npos) {
        const std::string line = source.substr(directive, source.find('\n', directive) - directive);
        target.reset();
        for (const gfx_target known : both) {
            if (line.find(target_name(known)) != std::string::npos) {
                target = known;
            }
        }
        // LLVM 23 spells it in another way, which LLVM 22 does not take.
        source.erase(directive, line.size());
    }
    // Frames are no code, and LLVM 23 describes them by directives that LLVM 22 does not know.
    constexpr std::string_view frame_directive = "\n\t.cfi_";
    std::string code;
    size_t from = 0;
    for (size_t at; (at = source.find(frame_directive, from)) != std::string::npos;) {
        code.append(source, from, at - from);
        from = std::min(source.find('\n', at + 1), source.size());
    }
    code.append(source, from);
    if (!target) {
        throw std::runtime_error("assembly without .amdgcn_target for gfx942 or gfx950, or --arch");
    }
    if (is_wanted(*target, only)) {
        const std::vector<std::byte> object = assemble_object(*target, code);
        kernels_of_elf(object, target, found);
    }
}

}  // namespace

void for_each_kernel(bytes_t file, std::optional<gfx_target> only, const found_t& found) {
    size_t kernels = 0;
    const found_t counted = [&](const lint_kernel& kernel) {
        ++kernels;
        found(kernel);
    };
    if (text_of(file).starts_with("\177ELF")) {
        const auto object = read_elf(file);
        if (object->getEMachine() == llvm::ELF::EM_AMDGPU) {
            kernels_of_elf(file, only, counted);
        } else {
            kernels_of_program(*object, only, counted);
        }
    } else if (begins_with_container(file)) {
        kernels_of_section(file, only, counted);
    } else {
        if (text_of(file).find('\0') != std::string_view::npos) {
            throw std::runtime_error("neither a program, a fat binary, a code object nor assembly");
        }
        kernels_of_assembly(std::string(text_of(file)), only, counted);
    }
    if (kernels == 0) {
        throw std::runtime_error(std::string("no kernels") +
                                 (only ? std::string(" for ") + target_name(*only) : ""));
    }
}

}  // namespace emu
