#include "isa/debug_info.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <span>

#include "isa/decode.hpp"

namespace emu {
namespace {

namespace dw = llvm::dwarf;
using die_t = llvm::DWARFDie;

constexpr uint8_t pointer_bytes = 8;

die_t referred_type(const die_t& type) {
    return type.getAttributeValueAsReferencedDie(dw::DW_AT_type);
}

// The elements of each dimension; 0 where that is not known.
std::vector<uint64_t> dimensions_of(const die_t& array) {
    std::vector<uint64_t> dimensions;
    for (const die_t& child : array.children()) {
        if (child.getTag() != dw::DW_TAG_subrange_type) {
            continue;
        }
        if (const auto count = dw::toUnsigned(child.find(dw::DW_AT_count))) {
            dimensions.push_back(*count);
        } else if (const auto last = dw::toUnsigned(child.find(dw::DW_AT_upper_bound))) {
            dimensions.push_back(*last + 1);
        } else {
            dimensions.push_back(0);
        }
    }
    return dimensions;
}

std::string path_in_array(const die_t& array, int64_t offset) {
    const die_t element = referred_type(array);
    const auto element_bytes = static_cast<int64_t>(size_of(element).value_or(0));
    const std::vector<uint64_t> dimensions = dimensions_of(array);
    if (element_bytes == 0 || dimensions.empty()) {
        return "+" + std::to_string(offset);
    }
    int64_t within = offset % element_bytes;
    within += within < 0 ? element_bytes : 0;
    int64_t index = (offset - within) / element_bytes;
    std::string path;
    for (size_t d = dimensions.size(); d-- > 1;) {
        const auto count = static_cast<int64_t>(std::max<uint64_t>(dimensions[d], 1));
        int64_t inner = index % count;
        inner += inner < 0 ? count : 0;
        path = "[" + std::to_string(inner) + "]" + path;
        index = (index - inner) / count;
    }
    return "[" + std::to_string(index) + "]" + path + path_in(element, within);
}

std::string path_in_class(const die_t& type, int64_t offset) {
    for (const die_t& member : type.children()) {
        const bool is_base = member.getTag() == dw::DW_TAG_inheritance;
        if (member.getTag() != dw::DW_TAG_member && !is_base) {
            continue;
        }
        const auto begin =
            static_cast<int64_t>(dw::toUnsigned(member.find(dw::DW_AT_data_member_location), 0));
        const die_t member_type = referred_type(member);
        const auto bytes = static_cast<int64_t>(size_of(member_type).value_or(0));
        if (offset < begin || offset >= begin + bytes) {
            continue;
        }
        const char* name = member.getShortName();
        return (is_base || name == nullptr ? "" : "." + std::string(name)) +
               path_in(member_type, offset - begin);
    }
    return "+" + std::to_string(offset);
}

template <class T>
T from_bytes(const std::vector<std::byte>& bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

std::string formatted(const char* format, auto value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string text_of_float(const std::string& name, const std::vector<std::byte>& bytes) {
    if (bytes.size() == 8) {
        return formatted("%.17g", from_bytes<double>(bytes));
    }
    if (bytes.size() == 4) {
        return formatted("%.9g", double{from_bytes<float>(bytes)});
    }
    const uint16_t code = from_bytes<uint16_t>(bytes);
    if (name.find("bf") != std::string::npos) {
        return formatted("%.9g", double{std::bit_cast<float>(uint32_t{code} << 16)});
    }
    return formatted("%.9g", static_cast<double>(std::bit_cast<_Float16>(code)));
}

}  // namespace

debug_info::debug_info(const program& code) : base_(code.debug_base()) {
    const std::span<const std::byte> bytes = code.debug_object();
    if (bytes.empty()) {
        return;
    }
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
        llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "code object"));
    if (!object) {
        llvm::consumeError(object.takeError());
        return;
    }
    object_ = std::move(*object);
    dwarf_ = llvm::DWARFContext::create(*object_);
}

die_t debug_info::function_at(uint64_t pc) const {
    const uint64_t address = address_of(pc);
    for (const auto& unit : dwarf_->compile_units()) {
        for (const die_t& die : unit->getUnitDIE(false).children()) {
            if (die.getTag() == dw::DW_TAG_subprogram && die.addressRangeContainsAddress(address)) {
                return die;
            }
        }
    }
    return {};
}

die_t plain_type(die_t type) {
    while (type.isValid() &&
           (type.getTag() == dw::DW_TAG_typedef || type.getTag() == dw::DW_TAG_const_type ||
            type.getTag() == dw::DW_TAG_volatile_type ||
            type.getTag() == dw::DW_TAG_restrict_type)) {
        type = referred_type(type);
    }
    return type;
}

bool is_const(const die_t& type) {
    die_t t = type;
    while (t.isValid() && t.getTag() == dw::DW_TAG_typedef) {
        t = referred_type(t);
    }
    return t.isValid() && (t.getTag() == dw::DW_TAG_const_type ||
                           (t.getTag() == dw::DW_TAG_array_type && is_const(referred_type(t))));
}

std::optional<uint64_t> size_of(die_t type) {
    return type.isValid() ? type.getTypeSize(pointer_bytes) : std::nullopt;
}

uint64_t alignment_of(const die_t& type) {
    const die_t plain = plain_type(type);
    const uint64_t size = size_of(plain).value_or(1);
    if (!plain.isValid()) {
        return 1;
    }
    switch (plain.getTag()) {
        case dw::DW_TAG_array_type:
            return plain.find(dw::DW_AT_GNU_vector) ? std::bit_ceil(size)
                                                    : alignment_of(referred_type(plain));
        case dw::DW_TAG_structure_type:
        case dw::DW_TAG_class_type:
        case dw::DW_TAG_union_type: {
            uint64_t alignment = 1;
            for (const die_t& member : plain.children()) {
                if (member.getTag() == dw::DW_TAG_member ||
                    member.getTag() == dw::DW_TAG_inheritance) {
                    alignment = std::max(alignment, alignment_of(referred_type(member)));
                }
            }
            return alignment;
        }
        default:
            return std::bit_ceil(std::max<uint64_t>(size, 1));
    }
}

std::string type_name(const die_t& type) {
    if (!type.isValid()) {
        return "void";
    }
    const die_t to = referred_type(type);
    switch (type.getTag()) {
        case dw::DW_TAG_const_type:
            return "const " + type_name(to);
        case dw::DW_TAG_volatile_type:
            return "volatile " + type_name(to);
        case dw::DW_TAG_restrict_type:
            return type_name(to);
        case dw::DW_TAG_pointer_type:
            return type_name(to) + "*";
        case dw::DW_TAG_reference_type:
            return type_name(to) + "&";
        case dw::DW_TAG_rvalue_reference_type:
            return type_name(to) + "&&";
        case dw::DW_TAG_array_type: {
            std::string text = type_name(to);
            for (const uint64_t count : dimensions_of(type)) {
                text += "[" + (count == 0 ? "" : std::to_string(count)) + "]";
            }
            return text;
        }
        default: {
            const char* name = type.getShortName();
            return name == nullptr ? "(unnamed)" : name;
        }
    }
}

std::string path_in(const die_t& type, int64_t offset) {
    const die_t plain = plain_type(type);
    if (plain.isValid() && plain.getTag() == dw::DW_TAG_array_type) {
        return path_in_array(plain, offset);
    }
    if (plain.isValid() &&
        (plain.getTag() == dw::DW_TAG_structure_type || plain.getTag() == dw::DW_TAG_class_type)) {
        return path_in_class(plain, offset);
    }
    return offset == 0 ? "" : (offset > 0 ? "+" : "") + std::to_string(offset);
}

std::string text_of_value(const die_t& type, const std::vector<std::byte>& bytes) {
    const die_t plain = plain_type(type);
    const auto encoding = plain.isValid() ? dw::toUnsigned(plain.find(dw::DW_AT_encoding), 0) : 0;
    const auto unsigned_value = from_bytes<uint64_t>(bytes);
    const auto shift = static_cast<int>(64 - 8 * std::min<size_t>(bytes.size(), 8));
    switch (encoding) {
        case dw::DW_ATE_float:
            return text_of_float(type_name(plain), bytes);
        case dw::DW_ATE_signed:
        case dw::DW_ATE_signed_char:
            return std::to_string(static_cast<int64_t>(unsigned_value << shift) >> shift);
        case dw::DW_ATE_unsigned:
        case dw::DW_ATE_unsigned_char:
            return std::to_string(unsigned_value);
        case dw::DW_ATE_boolean:
            return unsigned_value != 0 ? "true" : "false";
        default:
            return formatted("0x%llx", static_cast<unsigned long long>(unsigned_value));
    }
}

}  // namespace emu
