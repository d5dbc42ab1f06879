#include "hiprtc/lowered_names.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace emu {
namespace {

constexpr const char* variable = "opus_hiprtc_name_";

constexpr uint32_t r_amdgpu_relative64 = 13;  // base + addend; LLVM's AMDGPU guide, relocations

// A code object as lld writes it. What does not lie in the file is not there.
class dynamic_symbols {
public:
    explicit dynamic_symbols(const std::string& file) : file_(file) {
        const auto head = at<Elf64_Ehdr>(0);
        if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) {
            return;
        }
        std::vector<Elf64_Shdr> sections;
        for (size_t n = 0; n < head->e_shnum; ++n) {
            const auto section = at<Elf64_Shdr>(head->e_shoff + n * sizeof(Elf64_Shdr));
            sections.push_back(section.value_or(Elf64_Shdr{}));
        }
        for (const Elf64_Shdr& section : sections) {
            if (section.sh_type == SHT_RELA) {
                read_all(section, addresses_);
            } else if (section.sh_type == SHT_DYNSYM && section.sh_link < sections.size()) {
                read_all(section, symbols_);
                texts_ = sections[section.sh_link].sh_offset;
            }
        }
    }

    // The symbol at the address that the variable of this name holds when the code is loaded.
    std::optional<std::string> target_of(const std::string& name) const {
        for (const Elf64_Sym& holder : symbols_) {
            if (name_of(holder) != name) {
                continue;
            }
            for (const Elf64_Rela& address : addresses_) {
                if (address.r_offset == holder.st_value &&
                    ELF64_R_TYPE(address.r_info) == r_amdgpu_relative64) {
                    return symbol_at(static_cast<uint64_t>(address.r_addend));
                }
            }
        }
        return std::nullopt;
    }

private:
    template <class T>
    std::optional<T> at(uint64_t offset) const {
        if (offset > file_.size() || file_.size() - offset < sizeof(T)) {
            return std::nullopt;
        }
        T value;
        std::memcpy(&value, file_.data() + offset, sizeof value);
        return value;
    }

    template <class T>
    void read_all(const Elf64_Shdr& section, std::vector<T>& list) const {
        for (uint64_t n = 0; n < section.sh_size / sizeof(T); ++n) {
            const auto entry = at<T>(section.sh_offset + n * sizeof(T));
            if (!entry) {
                return;
            }
            list.push_back(*entry);
        }
    }

    std::string_view name_of(const Elf64_Sym& symbol) const {
        const uint64_t from = texts_ + symbol.st_name;
        const size_t to = file_.find('\0', from);
        return from >= file_.size() || to == std::string::npos
                   ? std::string_view()
                   : std::string_view(file_).substr(from, to - from);
    }

    std::optional<std::string> symbol_at(uint64_t address) const {
        for (const Elf64_Sym& symbol : symbols_) {
            if (symbol.st_value == address && symbol.st_shndx != SHN_UNDEF) {
                return std::string(name_of(symbol));
            }
        }
        return std::nullopt;
    }

    const std::string& file_;
    std::vector<Elf64_Sym> symbols_;
    std::vector<Elf64_Rela> addresses_;
    uint64_t texts_ = 0;  // where the names of symbols begin
};

}  // namespace

std::string table_of_names(std::span<const std::string> expressions) {
    if (expressions.empty()) {
        return "";
    }
    // An expression is an address, or what has one: &f, f, f<int>, &v, v. C++11 knows all of this.
    std::string text =
        "\ntemplate <class T> struct opus_hiprtc_address {\n"
        "    __host__ __device__ static constexpr T of(T value) { return value; }\n"
        "};\n"
        "template <class T> struct opus_hiprtc_address<T&> {\n"
        "    __host__ __device__ static constexpr T* of(T& value) {\n"
        "        return __builtin_addressof(value);\n"
        "    }\n"
        "};\n";
    for (size_t n = 0; n < expressions.size(); ++n) {
        const std::string number = std::to_string(n);
        text += "#line 1 \"name expression " + number + "\"\n" +
                "extern \"C\" __device__ __attribute__((used)) auto " + variable + number +
                " = opus_hiprtc_address<decltype((" + expressions[n] + "))>::of((" +
                expressions[n] + "));\n";
    }
    return text;
}

std::map<std::string, std::string> lowered_names(const std::string& code_object,
                                                 std::span<const std::string> expressions) {
    const dynamic_symbols symbols(code_object);
    std::map<std::string, std::string> names;
    for (size_t n = 0; n < expressions.size(); ++n) {
        if (const auto name = symbols.target_of(variable + std::to_string(n))) {
            names[expressions[n]] = *name;
        }
    }
    return names;
}

}  // namespace emu
