#include "debugging/variables.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#if __has_include(<llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h>)
#include <llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h>
#else
#include <llvm/DebugInfo/DWARF/DWARFExpression.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "isa/debug_info.hpp"
#include "machine/wave.hpp"

namespace emu {
namespace {

namespace dw = llvm::dwarf;
using die_t = llvm::DWARFDie;

// ---- registers by their number in DWARF (AMDGPUUsage, "Register Identifier", wavefront 64) ----

struct dwarf_register {
    char file = 0;  // s, v or a; 0: none of them
    uint32_t number = 0;
};

dwarf_register register_by_number(uint64_t n) {
    struct numbers {
        uint64_t first;
        uint32_t count;
        dwarf_register of_first;
    };
    constexpr numbers all[] = {
        {32, 64, {'s', 0}}, {1088, 42, {'s', 64}}, {2560, 256, {'v', 0}}, {3072, 256, {'a', 0}}};
    for (const auto& [first, count, of_first] : all) {
        if (n >= first && n < first + count) {
            return {of_first.file, of_first.number + static_cast<uint32_t>(n - first)};
        }
    }
    return {};
}

std::string name_of(const dwarf_register& r) {
    return r.file + std::to_string(r.number);
}

std::optional<uint32_t> read_register(const wave& w, const dwarf_register& r, size_t lane) {
    const std::vector<lane_row>& rows = r.file == 'a' ? w.agpr : w.vgpr;
    if (r.file == 's') {
        return r.number < w.sgpr.size() ? std::optional(w.sgpr[r.number]) : std::nullopt;
    }
    return r.file != 0 && r.number < rows.size() ? std::optional(rows[r.number][lane])
                                                 : std::nullopt;
}

// ---- expressions ----

// What an expression says about one lane.
struct located_value {
    std::vector<std::byte> bytes;
    std::string where;  // "v3", "scratch 16", empty for a constant
};

// What reads an expression. Up to LLVM 22 it is told the size of an address, too.
template <typename Extractor = llvm::DataExtractor>
Extractor extractor_of(llvm::ArrayRef<uint8_t> bytes) {
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if constexpr (std::is_constructible_v<Extractor, llvm::StringRef, bool>) {
        return Extractor(text, true);
    } else {
        return Extractor(text, true, 8);
    }
}

class expression {
public:
    expression(const wave& w, size_t lane, int64_t frame) : w_(w), lane_(lane), frame_(frame) {}

    // The value of `size` bytes; nothing where an operation is not known or says less than that.
    std::optional<located_value> value_of(llvm::ArrayRef<uint8_t> bytes, size_t size) {
        for (const auto& op : llvm::DWARFExpression(extractor_of(bytes), 8, dw::DWARF32)) {
            if (op.isError() || !execute(op)) {
                return {};
            }
        }
        return (is_in_pieces_ ? bytes_.size() >= size : append(size))
                   ? std::optional(located_value{bytes_, where_})
                   : std::nullopt;
    }

private:
    using operation = llvm::DWARFExpression::Operation;

    bool push(uint64_t value) {
        stack_.push_back(value);
        return true;
    }

    bool push_register(uint64_t number, int64_t offset) {
        const dwarf_register r = register_by_number(number);
        const auto value = read_register(w_, r, lane_);
        note(name_of(r));
        return value && push(*value + static_cast<uint64_t>(offset));
    }

    void note(const std::string& where) { where_ += (where_.empty() ? "" : ", ") + where; }

    template <class F>
    bool binary(F&& f) {
        if (stack_.size() < 2) {
            return false;
        }
        const uint64_t right = stack_.back();
        stack_.pop_back();
        stack_.back() = f(stack_.back(), right);
        return true;
    }

    bool execute(const operation& op) {
        const uint8_t code = op.getCode();
        const auto raw = [&](unsigned n) { return op.getRawOperand(n); };
        if (code >= dw::DW_OP_lit0 && code <= dw::DW_OP_lit31) {
            return push(code - dw::DW_OP_lit0);
        }
        if (code >= dw::DW_OP_const1u && code <= dw::DW_OP_consts) {  // of all sizes
            return push(raw(0));
        }
        switch (code) {
            case dw::DW_OP_bregx:
                return push_register(raw(0), static_cast<int64_t>(raw(1)));
            case dw::DW_OP_regx:
                return push_register(raw(0), 0);
            case dw::DW_OP_fbreg: {
                const int64_t offset = frame_ + static_cast<int64_t>(raw(0));
                is_memory_ = true;
                note("scratch " + std::to_string(offset));
                return push(static_cast<uint64_t>(offset));
            }
            case dw::DW_OP_swap:
                if (stack_.size() < 2) {
                    return false;
                }
                std::swap(stack_.back(), stack_[stack_.size() - 2]);
                return true;
            case dw::DW_OP_xderef:  // the address space goes, what is in it stays
                return binary([](uint64_t, uint64_t address) { return address; });
            case dw::DW_OP_stack_value:
                is_memory_ = false;
                return !stack_.empty();
            case dw::DW_OP_plus_uconst:
                return push(raw(0)) && binary([](uint64_t a, uint64_t b) { return a + b; });
            case dw::DW_OP_plus:
                return binary([](uint64_t a, uint64_t b) { return a + b; });
            case dw::DW_OP_minus:
                return binary([](uint64_t a, uint64_t b) { return a - b; });
            case dw::DW_OP_mul:
                return binary([](uint64_t a, uint64_t b) { return a * b; });
            case dw::DW_OP_and:
                return binary([](uint64_t a, uint64_t b) { return a & b; });
            case dw::DW_OP_or:
                return binary([](uint64_t a, uint64_t b) { return a | b; });
            case dw::DW_OP_xor:
                return binary([](uint64_t a, uint64_t b) { return a ^ b; });
            case dw::DW_OP_shl:
                return binary([](uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; });
            case dw::DW_OP_shr:
                return binary([](uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; });
            case dw::DW_OP_shra:
                return binary([](uint64_t a, uint64_t b) {
                    return static_cast<uint64_t>(static_cast<int64_t>(a) >>
                                                 std::min<uint64_t>(b, 63));
                });
            case dw::DW_OP_not:
            case dw::DW_OP_neg:
                if (stack_.empty()) {
                    return false;
                }
                stack_.back() = code == dw::DW_OP_not ? ~stack_.back() : 0 - stack_.back();
                return true;
            case dw::DW_OP_piece:
                return end_piece(raw(0));
            default:
                return false;
        }
    }

    bool append_memory(uint64_t offset, size_t size) {
        if (offset > w_.scratch_per_lane || size > w_.scratch_per_lane - offset) {
            return false;
        }
        const std::byte* from = w_.scratch.data() + lane_ * w_.scratch_per_lane + offset;
        bytes_.insert(bytes_.end(), from, from + size);
        return true;
    }

    // From the stack: the value itself, or memory at it.
    bool append(size_t size) {
        if (stack_.empty()) {
            return false;
        }
        const uint64_t value = stack_.back();
        stack_.pop_back();
        if (is_memory_) {
            return append_memory(value, size);
        }
        // A register has 4 bytes, a constant 8.
        if (size > (where_.empty() ? sizeof value : 4)) {
            return false;
        }
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + size);
        return true;
    }

    bool end_piece(size_t size) {
        is_in_pieces_ = true;
        const bool is_known = append(size);
        is_memory_ = false;
        return is_known;
    }

    const wave& w_;
    size_t lane_;
    int64_t frame_;
    std::vector<uint64_t> stack_;
    std::vector<std::byte> bytes_;
    std::string where_;
    bool is_memory_ = false;
    bool is_in_pieces_ = false;
};

// ---- variables ----

// Private memory begins at 0 in a kernel that has no frame register.
std::optional<int64_t> frame_of(const die_t& function, const wave& w) {
    const auto base = function.find(dw::DW_AT_frame_base);
    if (!base) {
        return 0;
    }
    const auto block = base->getAsBlock();
    const auto value = block ? expression(w, 0, 0).value_of(*block, 4) : std::nullopt;
    if (!value) {
        return {};
    }
    int32_t offset = 0;
    std::memcpy(&offset, value->bytes.data(), sizeof offset);
    return offset;
}

constexpr size_t most_elements = 16;

// Elements of an array one by one, up to most_elements of them.
std::string text_of_object(const die_t& type, const std::vector<std::byte>& bytes) {
    const die_t plain = plain_type(type);
    if (!plain.isValid() || plain.getTag() != dw::DW_TAG_array_type) {
        return text_of_value(type, bytes);
    }
    const die_t element = plain.getAttributeValueAsReferencedDie(dw::DW_AT_type);
    const size_t size = size_of(element).value_or(0);
    std::string text = "{";
    for (size_t n = 0; size != 0 && (n + 1) * size <= bytes.size(); ++n) {
        if (n == most_elements) {
            text += ", ...";
            break;
        }
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(n * size);
        text += (n == 0 ? "" : ", ") +
                text_of_object(element, {first, first + static_cast<std::ptrdiff_t>(size)});
    }
    return text + "}";
}

class writer {
public:
    writer(const debug_info& info, const wave& w, uint64_t pc)
        : w_(w), address_(info.address_of(pc)) {
        const die_t function = info.function_at(pc);
        if (function.isValid()) {
            frame_ = frame_of(function, w);
            visit(function, "");
        }
    }

    std::string text;

private:
    // Inner scopes come first: they hide what is outside.
    void visit(const die_t& scope, const std::string& function) {
        std::string own;
        for (const die_t& die : scope.children()) {
            const auto tag = die.getTag();
            const bool is_inlined = tag == dw::DW_TAG_inlined_subroutine;
            if (tag == dw::DW_TAG_variable || tag == dw::DW_TAG_formal_parameter) {
                own += describe(die, function);
            } else if ((is_inlined || tag == dw::DW_TAG_lexical_block) &&
                       die.addressRangeContainsAddress(address_)) {
                const char* name = is_inlined ? die.getShortName() : function.c_str();
                visit(die, name == nullptr ? "" : name);
            }
        }
        text += own;
    }

    // The bytes of the location that holds at the address.
    std::optional<llvm::SmallVector<uint8_t, 4>> location_of(const die_t& die) const {
        auto locations = die.getLocations(dw::DW_AT_location);
        if (!locations) {
            llvm::consumeError(locations.takeError());
            return {};
        }
        for (const llvm::DWARFLocationExpression& l : *locations) {
            if (!l.Range || (address_ >= l.Range->LowPC && address_ < l.Range->HighPC)) {
                return l.Expr;
            }
        }
        return {};
    }

    std::string describe(const die_t& die, const std::string& function) const {
        const die_t origin = die.getAttributeValueAsReferencedDie(dw::DW_AT_abstract_origin);
        const die_t& declared = origin.isValid() ? origin : die;
        const char* name = declared.getShortName();
        const die_t type = declared.getAttributeValueAsReferencedDie(dw::DW_AT_type);
        const auto location = location_of(die);
        if (name == nullptr || !location) {
            return "";
        }
        const std::string head = "  " + std::string(name) +
                                 (function.empty() ? "" : " in " + function + "()") + ", " +
                                 type_name(type);
        const auto size = size_of(type);
        std::array<std::string, 64> values;
        std::string where;
        for (size_t lane = 0; lane < values.size(); ++lane) {
            const auto value = size && frame_
                                   ? expression(w_, lane, *frame_).value_of(*location, *size)
                                   : std::nullopt;
            if (!value) {
                return head + ": in a place that is not understood\n";
            }
            values[lane] = text_of_object(type, value->bytes);
            where = value->where;
        }
        return head + (where.empty() ? "" : ", " + where) + " =" +
               by_lane(values, w_.exec(), "    ") + "\n";
    }

    const wave& w_;
    uint64_t address_;
    std::optional<int64_t> frame_;
};

}  // namespace

std::string by_lane(const std::array<std::string, 64>& values, uint64_t lanes,
                    const std::string& indent) {
    if (lanes == 0) {
        return " (no lane is on)";
    }
    const std::string& first = values[static_cast<size_t>(std::countr_zero(lanes))];
    bool is_uniform = true;
    for (size_t lane = 0; lane < values.size(); ++lane) {
        is_uniform &= (lanes >> lane & 1) == 0 || values[lane] == first;
    }
    if (is_uniform) {
        return " " + first;
    }
    constexpr size_t of_line = 8;
    std::string text;
    for (size_t begin = 0; begin < values.size(); begin += of_line) {
        if ((lanes >> begin & 0xff) == 0) {
            continue;
        }
        const std::string number = std::to_string(begin);
        text += "\n" + indent + "lane " + std::string(2 - number.size(), ' ') + number + ":";
        for (size_t lane = begin; lane < begin + of_line; ++lane) {
            text += " " + ((lanes >> lane & 1) != 0 ? values[lane] : std::string("-"));
        }
    }
    return text;
}

std::string variables_at(const debug_info& info, const wave& w, uint64_t pc) {
    return info ? writer(info, w, pc).text : "";
}

}  // namespace emu
