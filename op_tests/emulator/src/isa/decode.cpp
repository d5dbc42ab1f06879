#include "isa/decode.hpp"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Support/CrashRecoveryContext.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "isa/levels.hpp"
#include "isa/rows.hpp"
#include "machine/report.hpp"

// Why text: the encodings of two targets with their DPP, SDWA, VOP3 and literal variants are some
// thousand table rows that LLVM has and keeps correct, and its C interface gives them as text only.
// The text is regular (LLVM prints what its assembler reads), and parsing happens once per address.

namespace emu {
namespace {

using text_t = std::string_view;

text_t trim(text_t text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

// Decimal or 0x hexadecimal, with an optional minus sign.
std::optional<int64_t> parse_integer(text_t text) {
    bool negative = false;
    if (text.starts_with("-")) {
        negative = true;
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return static_cast<int64_t>(negative ? ~value + 1 : value);
}

bool parse_constant(text_t text, operand& result) {
    if (text.starts_with("lit(") && text.ends_with(")")) {
        text = text.substr(4, text.size() - 5);
    }
    if (const auto integer = parse_integer(text)) {
        result.kind = operand_kind::constant;
        result.literal = text.find("0x") != text_t::npos;
        result.value16 = static_cast<uint16_t>(*integer);
        result.value32 = static_cast<uint32_t>(*integer);
        result.value64 = static_cast<uint64_t>(*integer);
        return true;
    }
    // ISA guide table 23 lists all floating constants; the exact bits of 1/(2*pi) are given there.
    if (text.starts_with("0.1591549")) {
        result.kind = operand_kind::constant;
        result.floating = true;
        result.value16 = 0x3118;
        result.value32 = 0x3e22f983;
        result.value64 = 0x3fc45f306dc9c882;
        return true;
    }
    for (const double value : {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0}) {
        char* end = nullptr;
        const std::string copy(text);
        const double parsed = std::strtod(copy.c_str(), &end);
        if (copy.empty() || *end != 0 || parsed != value) {
            continue;
        }
        result.kind = operand_kind::constant;
        result.floating = true;
        result.value32 = std::bit_cast<uint32_t>(static_cast<float>(value));
        result.value64 = std::bit_cast<uint64_t>(value);
        // These values have the top 6 mantissa bits at most: the f16 form is a rebased f32.
        result.value16 = static_cast<uint16_t>(
            (result.value32 >> 16 & 0x8000) | ((result.value32 & 0x7fffffff) - (112u << 23)) >> 13);
        return true;
    }
    return false;
}

// LLVM prints a floating inline constant of a 16-bit integer operand as the bits of an f16, like a
// literal. Only VOP1, VOP2 and VOPC have literals.
bool has_literal(const instruction& i) {
    const uint32_t word = i.encoding[0];
    return i.is(kind::literal) || (word >> 31 == 0 && (word & 0x1ff) == 0xff);
}

// @pre `o` was parsed from the bits of an f16
void to_inline_constant(operand& o) {
    constexpr text_t texts[] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                "-2.0", "4.0",  "-4.0", "0.15915494"};
    for (const text_t text : texts) {
        operand constant;
        parse_constant(text, constant);
        if (constant.value16 == o.value16) {
            o = constant;
            return;
        }
    }
}

// The row of that name; nullptr if there is none.
template <class Row, size_t Count>
const Row* find_name(const Row (&rows)[Count], text_t name) {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == std::end(rows) ? nullptr : found;
}

struct register_file {
    text_t prefix;
    operand_kind kind;
    int base;
    int count;
};

constexpr register_file register_files[] = {{"v", operand_kind::vgpr, 0, 256},
                                            {"a", operand_kind::agpr, 0, 256},
                                            {"s", operand_kind::sgpr, 0, sreg::vcc},
                                            {"ttmp", operand_kind::sgpr, sreg::vcc + 2, 16}};

constexpr int max_dwords = 32;

// v3, v[2:5], s3, a[0:15], ttmp1
bool parse_register(text_t text, operand& result) {
    for (const register_file& file : register_files) {
        if (!text.starts_with(file.prefix)) {
            continue;
        }
        text.remove_prefix(file.prefix.size());
        size_t colon = text_t::npos;
        if (text.starts_with("[") && text.ends_with("]")) {
            text = text.substr(1, text.size() - 2);
            colon = text.find(':');
        }
        const auto first = parse_integer(text.substr(0, colon));
        const auto last = colon == text_t::npos ? first : parse_integer(text.substr(colon + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= file.count ||
            *last - *first >= max_dwords) {
            return false;
        }
        result.kind = file.kind;
        result.reg = static_cast<uint16_t>(file.base + *first);
        result.dwords = static_cast<uint8_t>(*last - *first + 1);
        return true;
    }
    return false;
}

struct named_register {
    text_t name;
    int reg;
    int dwords;
};

constexpr named_register named_registers[] = {
    {"vcc", sreg::vcc, 2},
    {"vcc_lo", sreg::vcc, 1},
    {"vcc_hi", sreg::vcc + 1, 1},
    {"exec", sreg::exec, 2},
    {"exec_lo", sreg::exec, 1},
    {"exec_hi", sreg::exec + 1, 1},
    {"m0", sreg::m0, 1},
    {"flat_scratch", sreg::flat_scratch, 2},
    {"flat_scratch_lo", sreg::flat_scratch, 1},
    {"flat_scratch_hi", sreg::flat_scratch + 1, 1},
    {"xnack_mask", sreg::xnack_mask, 2},
    {"xnack_mask_lo", sreg::xnack_mask, 1},
    {"xnack_mask_hi", sreg::xnack_mask + 1, 1},
};

bool parse_special(text_t text, operand& result) {
    if (const named_register* named = find_name(named_registers, text)) {
        result.kind = operand_kind::sgpr;
        result.reg = static_cast<uint16_t>(named->reg);
        result.dwords = static_cast<uint8_t>(named->dwords);
        return true;
    }
    if (text.starts_with("src_")) {
        text.remove_prefix(4);
    }
    if (text == "scc") {
        result.kind = operand_kind::scc;
    } else if (text == "vccz") {
        result.kind = operand_kind::vccz;
    } else if (text == "execz") {
        result.kind = operand_kind::execz;
    } else if (text == "off") {
        result.kind = operand_kind::off;
    } else if (text == "shared_base" || text == "shared_limit" || text == "private_base" ||
               text == "private_limit") {
        const uint64_t base = text.starts_with("shared") ? shared_aperture : private_aperture;
        result.kind = operand_kind::aperture;
        result.value64 = text.ends_with("_limit") ? base + 0xffffffff : base;
        result.value32 = static_cast<uint32_t>(result.value64);
    } else {
        return false;
    }
    return true;
}

// Splits at `separator` outside brackets, parentheses and quotes.
std::vector<text_t> split(text_t text, char separator) {
    std::vector<text_t> parts;
    int depth = 0;
    bool quoted = false;
    size_t begin = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            quoted = !quoted;
        }
        if (c == '(' || c == '[') {
            ++depth;
        }
        if (c == ')' || c == ']') {
            --depth;
        }
        if (c != separator || depth != 0 || quoted) {
            continue;
        }
        if (at > begin) {
            parts.push_back(text.substr(begin, at - begin));
        }
        begin = at + 1;
    }
    if (begin < text.size()) {
        parts.push_back(text.substr(begin));
    }
    return parts;
}

// [s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi]: registers that follow each other and have no name
// together, as LLVM 23 prints them.
bool parse_list(text_t text, operand& result) {
    if (!text.starts_with("[") || !text.ends_with("]")) {
        return false;
    }
    const auto members = split(text.substr(1, text.size() - 2), ',');
    if (static_cast<ptrdiff_t>(members.size()) != std::ranges::count(text, ',') + 1) {
        return false;
    }
    operand first;
    int dwords = 0;
    for (const text_t member : members) {
        operand o;
        if (!parse_special(member, o) && !parse_register(member, o)) {
            return false;
        }
        if (dwords == 0) {
            first = o;
        }
        if (o.kind > operand_kind::sgpr || o.kind != first.kind || o.reg != first.reg + dwords) {
            return false;
        }
        dwords += o.dwords;
    }
    result.kind = first.kind;
    result.reg = first.reg;
    result.dwords = static_cast<uint8_t>(dwords);
    return dwords <= max_dwords;
}

// Of kind none if it is not understood.
operand parse_operand(text_t text) {
    operand result;
    text = trim(text);
    for (bool changed = true; changed;) {
        changed = false;
        if (text.starts_with("-") && text.size() > 1 && (text[1] < '0' || text[1] > '9')) {
            result.neg = true;
            text.remove_prefix(1);
            changed = true;
        }
        if (text.starts_with("|") && text.ends_with("|") && text.size() > 2) {
            result.abs = true;
            text = text.substr(1, text.size() - 2);
            changed = true;
        }
        const auto unwrap = [&](text_t name, bool& flag) {
            if (!text.starts_with(name) || !text.ends_with(")")) {
                return;
            }
            flag = true;
            text = text.substr(name.size(), text.size() - name.size() - 1);
            changed = true;
        };
        unwrap("neg(", result.neg);
        unwrap("abs(", result.abs);
        unwrap("sext(", result.sext);
    }
    if (!parse_special(text, result) && !parse_register(text, result) &&
        !parse_list(text, result) && !parse_constant(text, result)) {
        result.kind = operand_kind::none;
    }
    return result;
}

// Whether `text` is an immediate that is printed by its meaning, or for s_waitcnt a part of it.
bool is_symbol(const instruction& i, text_t text) {
    const auto begins = [&](std::initializer_list<text_t> symbols) {
        return text.ends_with(")") &&
               std::ranges::any_of(symbols, [&](text_t s) { return text.starts_with(s); });
    };
    return i.control == wave_control::wait     ? begins({"vmcnt(", "expcnt(", "lgkmcnt("})
           : i.is(kind::getreg | kind::setreg) ? begins({"hwreg("})
                                               : i.is(kind::gpr_idx) && begins({"gpr_idx("});
}

// [1,0,1]: element n becomes bit n.
std::optional<uint8_t> parse_bit_list(text_t text) {
    if (!text.starts_with("[") || !text.ends_with("]")) {
        return std::nullopt;
    }
    uint8_t bits = 0;
    int position = 0;
    for (const text_t part : split(text.substr(1, text.size() - 2), ',')) {
        const auto value = parse_integer(trim(part));
        if (!value || *value < 0 || *value > 1) {
            return std::nullopt;
        }
        bits |= static_cast<uint8_t>(*value << position++);
    }
    return bits;
}

constexpr text_t selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
constexpr text_t unused_parts[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

// False if it is none of the names; Value's enumerators are in their order.
template <class Value, size_t Count>
bool parse_name(text_t text, const text_t (&names)[Count], Value& result) {
    const auto found = std::ranges::find(names, text);
    result = static_cast<Value>(found - std::begin(names));
    return found != std::end(names);
}

struct flag_modifier {
    text_t name;
    uint64_t bit;
};

constexpr flag_modifier flag_modifiers[] = {
    {"clamp", mod::clamp}, {"offen", mod::offen}, {"idxen", mod::idxen},
    {"lds", mod::lds},     {"sc0", mod::sc0},     {"sc1", mod::sc1},
    {"nt", mod::nt},       {"glc", mod::glc},     {"gds", mod::gds},
};

struct dpp_name {
    text_t name;
    dpp_kind kind;
};

constexpr dpp_name dpp_names[] = {
    {"row_shl", dpp_kind::row_shl},
    {"row_shr", dpp_kind::row_shr},
    {"row_ror", dpp_kind::row_ror},
    {"wave_shl", dpp_kind::wave_shl},
    {"wave_rol", dpp_kind::wave_rol},
    {"wave_shr", dpp_kind::wave_shr},
    {"wave_ror", dpp_kind::wave_ror},
    {"row_mirror", dpp_kind::row_mirror},
    {"row_half_mirror", dpp_kind::row_half_mirror},
    {"row_bcast", dpp_kind::row_bcast},
    {"row_newbcast", dpp_kind::row_newbcast},
};

struct list_modifier {
    text_t name;
    uint64_t bit;
    uint8_t instruction::* field;
};

constexpr list_modifier list_modifiers[] = {
    {"op_sel", mod::op_sel, &instruction::op_sel},
    {"op_sel_hi", mod::op_sel_hi, &instruction::op_sel_hi},
    {"neg_lo", mod::neg_lo, &instruction::neg_lo},
    {"neg_hi", mod::neg_hi, &instruction::neg_hi},
    {"neg", mod::neg_list, &instruction::neg_list},
};

constexpr list_modifier number_modifiers[] = {
    {"offset0", mod::offset01, &instruction::offset0},
    {"offset1", mod::offset01, &instruction::offset1},
    {"cbsz", mod::cbsz, &instruction::cbsz},
    {"abid", mod::abid, &instruction::abid},
    {"blgp", mod::blgp, &instruction::blgp},
    {"bitop3", mod::bitop3, &instruction::bitop3},
    {"row_mask", mod::dpp, &instruction::row_mask},
    {"bank_mask", mod::dpp, &instruction::bank_mask},
};

// False: not a modifier that this parser knows.
bool parse_modifier(text_t text, instruction& result) {
    if (const flag_modifier* flag = find_name(flag_modifiers, text)) {
        result.modifiers |= flag->bit;
        return true;
    }
    const size_t colon = text.find(':');
    const text_t name = text.substr(0, colon);
    const text_t value = colon == text_t::npos ? text_t{} : text.substr(colon + 1);
    if (const dpp_name* dpp = find_name(dpp_names, name)) {
        result.modifiers |= mod::dpp;
        result.dpp = dpp->kind;
        const auto count = value.empty() ? std::optional<int64_t>(0) : parse_integer(value);
        if (!count) {
            return false;
        }
        result.dpp_lanes[0] = static_cast<uint8_t>(*count);
        return true;
    }
    if (const list_modifier* list = find_name(list_modifiers, name)) {
        const auto bits = parse_bit_list(value);
        if (!bits) {
            return false;
        }
        result.modifiers |= list->bit;
        result.*list->field = *bits;
        return true;
    }
    const auto number = parse_integer(value);
    if (const list_modifier* known = find_name(number_modifiers, name)) {
        if (!number || *number < 0 || *number > 255) {
            return false;
        }
        result.modifiers |= known->bit;
        result.*known->field = static_cast<uint8_t>(*number);
        return true;
    }
    if (name == "offset") {
        // swizzle(...) of ds_swizzle_b32 is read from the encoding.
        if (!number && !value.starts_with("swizzle(")) {
            return false;
        }
        result.modifiers |= mod::offset;
        result.offset = number ? static_cast<int32_t>(*number)
                               : static_cast<int32_t>(result.encoding[0] & 0xffff);
        return true;
    }
    if (name == "bound_ctrl") {
        // LLVM prints 1 for the encoded bit; its assembler also accepts 0 for the same.
        result.modifiers |= mod::dpp;
        result.bound_ctrl = true;
        return true;
    }
    if (name == "mul" || name == "div") {
        result.modifiers |= mod::omod;
        result.omod = value == "2" ? (name == "mul" ? 1 : 3) : value == "4" ? 2 : 0;
        return result.omod != 0;
    }
    if (name == "quad_perm" && value.starts_with("[") && value.ends_with("]")) {
        const auto parts = split(value.substr(1, value.size() - 2), ',');
        if (parts.size() != 4) {
            return false;
        }
        for (size_t n = 0; n < 4; ++n) {
            const auto lane = parse_integer(trim(parts[n]));
            if (!lane || *lane < 0 || *lane > 3) {
                return false;
            }
            result.dpp_lanes[n] = static_cast<uint8_t>(*lane);
        }
        result.modifiers |= mod::dpp;
        result.dpp = dpp_kind::quad_perm;
        return true;
    }
    if (name == "dst_sel" || name == "src0_sel" || name == "src1_sel") {
        result.modifiers |= mod::sdwa;
        return parse_name(value, selects,
                          name == "dst_sel" ? result.dst_sel : result.src_sel[name == "src1_sel"]);
    }
    if (name == "dst_unused") {
        result.modifiers |= mod::sdwa;
        return parse_name(value, unused_parts, result.dst_unused);
    }
    return false;
}

// Modifiers that have no word of their own, or several.
constexpr flag_modifier described_modifiers[] = {
    {"- or || of a source", mod::source_neg},
    {"sext()", mod::source_sext},
    {"mul:/div:", mod::omod},
    {"DPP", mod::dpp},
    {"SDWA", mod::sdwa},
    {"offset", mod::offset},
    {"offset0/offset1", mod::offset01},
};

std::vector<std::span<const instruction_row>> all_families() {
    auto families = chosen_level().vector_families();
    families.insert(families.begin(), {salu_rows(), smem_rows()});
    return families;
}

// What the beginning of a mnemonic says, also of instructions that are not implemented.
struct family_row {
    text_t prefix;
    execution_unit unit;
    memory_queue queue = memory_queue::none;
    wave_control control = wave_control::none;
    uint64_t kinds = 0;
};

// MUBUF, MTBUF and FLAT count in vmcnt, also what writes no register (ISA guide 4.4): buffer_inv
// "returns ACK to shader", and so LLVM counts it (220694) and buffer_wbl2 (178316). GWS, messages and
// scalar caches are of other types than LDS, so they tell nothing of an LDS instruction; ds_nop, which
// may not count, neither.
using unit = execution_unit;
using queue = memory_queue;
using control = wave_control;
constexpr family_row families[] = {
    {"v_cvt_scalef32_sr_pk_fp4_", unit::valu, queue::none, control::none,
     kind::converts | kind::scaled | kind::shifted},  // also into byte 0, as clang has it
    {"v_cvt_scalef32_", unit::valu, queue::none, control::none, kind::converts | kind::scaled},
    {"v_cvt_", unit::valu, queue::none, control::none, kind::converts},
    {"v_", unit::valu},
    {"ds_nop", unit::lds},
    {"ds_gws_", unit::lds, queue::scalar},
    {"ds_", unit::lds, queue::lds},
    {"buffer_", unit::vmem, queue::vector},
    {"tbuffer_", unit::vmem, queue::vector},
    {"global_", unit::vmem, queue::vector},
    {"scratch_", unit::vmem, queue::vector},
    {"flat_", unit::vmem, queue::flat},
    {"s_load_", unit::smem, queue::scalar},
    {"s_buffer_load_", unit::smem, queue::scalar},
    {"s_mem", unit::smem, queue::scalar},
    {"s_dcache_", unit::smem},
    {"s_branch", unit::branch, queue::none, control::jump},
    {"s_cbranch_", unit::branch, queue::none, control::branch},
    {"s_setpc_", unit::branch, queue::none, control::indirect},
    {"s_swappc_", unit::branch, queue::none, control::call},
    {"s_call_", unit::branch, queue::none, control::call},
    {"s_nop", unit::none, queue::none, control::nop},
    {"s_waitcnt", unit::none, queue::none, control::wait},
    {"s_barrier", unit::none, queue::none, control::barrier},
    {"s_sleep", unit::none, queue::none, control::sleep},
    {"s_setprio", unit::none, queue::none, control::priority},
    {"s_endpgm", unit::none, queue::none, control::end},
    {"s_trap", unit::salu, queue::none, control::trap},
    {"s_set_gpr_idx_on", unit::salu, queue::none, control::index_on},
    {"s_set_gpr_idx_off", unit::salu, queue::none, control::index_off},
    {"", unit::salu},
};

const family_row& family_of(text_t mnemonic) {
    return *std::ranges::find_if(
        families, [&](const family_row& row) { return mnemonic.starts_with(row.prefix); });
}

number_types types_of(text_t mnemonic) {
    // First those of number_type, in its order.
    constexpr text_t names[] = {"other", "f16", "bf16", "f32", "f64", "fp8", "bf8", "fp6",
                                "bf6",   "fp4", "i64",  "u64", "b64", "i32", "u32", "b32",
                                "i16",   "u16", "b16",  "i8",  "u8",  "i4",  "u4"};
    constexpr auto last = static_cast<size_t>(number_type::bf8);
    number_types types;
    size_t count = 0;
    for (const text_t word : split(mnemonic, '_')) {
        size_t number = 0;
        if (parse_name(word == "xf32" ? "f32" : word, names, number)) {
            types.second = number <= last ? static_cast<number_type>(number) : number_type::other;
            types.source = count < 2 ? types.second : types.source;
            types.result = count < 1 ? types.second : types.result;
            types.has_64_bits |= word.ends_with("64");
            ++count;
        }
    }
    return types;
}

const instruction_row* find_row(text_t mnemonic, gfx_target target) {
    static const auto table = [] {
        std::unordered_map<text_t, const instruction_row*> rows;
        for (const auto family : all_families()) {
            for (const instruction_row& row : family) {
                rows.emplace(row.mnemonic, &row);
            }
        }
        return rows;
    }();
    const auto found = table.find(mnemonic);
    if (found == table.end()) {
        return nullptr;
    }
    if (found->second->gfx950_only && !info_of(target).has_gfx950_rows) {
        return nullptr;
    }
    return found->second;
}

void execute_problem(wave& w, const instruction& i) {
    fail(w, i, i.problem);
}

void refuse(instruction& result, std::string problem) {
    result.problem = std::move(problem);
    result.execute = execute_problem;
}

text_t base_mnemonic(text_t mnemonic) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const text_t suffix : {"_e32", "_e64", "_dpp", "_sdwa"}) {
            if (!mnemonic.ends_with(suffix)) {
                continue;
            }
            mnemonic.remove_suffix(suffix.size());
            changed = true;
        }
    }
    return mnemonic;
}

// True when a word can only be a modifier; some instructions have modifiers and no operands.
bool is_modifier_word(text_t word) {
    instruction scratch;
    return parse_modifier(word, scratch);
}

// Whether LLVM's disassembler can be asked about these words. It takes for granted what its
// assembler never breaks: no reserved selects of SDWA, no literals (255) where there are none, no
// scalar registers where only vector registers can be and the reverse. Fields: ISA guide
// chapter 13.
bool disassembler_accepts(const std::array<uint32_t, 5>& words) {
    constexpr uint32_t sdwa_source = 0xf9;
    constexpr uint32_t literal = 0xff;
    constexpr uint32_t last_sgpr = 127;
    constexpr uint32_t first_vgpr = 256;
    const auto field = [&](size_t word, int low, int width) {
        return words[word] >> low & ((1u << width) - 1);
    };
    // The three sources of VOP3 and VOP3P.
    const auto good_sources = [&](size_t word, bool vector_only) {
        for (int n = 0; n < 3; ++n) {
            const uint32_t source = field(word, 9 * n, 9);
            if (source == literal || (vector_only && n < 2 && source < first_vgpr)) {
                return false;
            }
        }
        return true;
    };
    if (field(0, 31, 1) == 0 && field(0, 0, 9) == sdwa_source) {
        const bool is_compare = field(0, 25, 6) == 0x3e;  // has a scalar destination instead
        const bool good_destination = is_compare || (field(1, 8, 3) != 7 && field(1, 11, 2) != 3);
        return good_destination && field(1, 16, 3) != 7 && field(1, 24, 3) != 7;
    }
    if (field(0, 25, 7) == 0x24 || field(0, 25, 7) == 0x25) {
        return words[1] != literal;
    }
    switch (field(0, 26, 6)) {
        case 0x34: {  // VOP3 and VOP3P
            const uint32_t opcode = field(0, 16, 10);
            const bool scalar_destination = opcode < 0x100 ||   // compares
                                            opcode == 0x142 ||  // v_readfirstlane_b32
                                            opcode == 0x289;    // v_readlane_b32
            if (scalar_destination && field(0, 0, 8) > last_sgpr) {
                return false;
            }
            if (opcode == 0x3ac) {  // the scales of the matrix instruction that follows
                return good_sources(1, false) && good_sources(3, true);
            }
            return good_sources(1, opcode == 0x3ad || opcode == 0x3ae);  // v_mfma_*_f8f6f4
        }
        case 0x38:  // MUBUF
        case 0x3a:  // MTBUF
            return field(1, 24, 8) != literal;
        default:
            return true;
    }
}

void* new_disassembler(gfx_target target) {
    static const bool initialised = [] {
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUDisassembler();
        return true;
    }();
    (void)initialised;
    return LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", target_name(target), nullptr, 0, nullptr,
                               nullptr);
}

// The text of the first instruction in `words` goes to `line`, its size in bytes is the result: 0
// if there is none. Each LLVM has words of its own on which its disassembler crashes; they are no
// instructions, and the disassembler is replaced then (what the crash left of it is not touched).
size_t disassemble(gfx_target target, std::array<uint32_t, 5>& words, uint64_t pc,
                   std::array<char, 512>& line) {
    if (!disassembler_accepts(words)) {
        return 0;
    }
    // One for all programs of a target, which takes a millisecond to make.
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    static auto& disassemblers = *new std::map<gfx_target, void*>;  // kept to the end
    void*& disassembler = disassemblers[target];
    if (disassembler == nullptr) {
        disassembler = new_disassembler(target);
    }
    if (disassembler == nullptr) {
        return 0;
    }
    size_t size = 0;
    const crash_guard guard;
    llvm::CrashRecoveryContext context;
    const bool survived = context.RunSafely([&] {
        // The interface takes a non-const pointer and does not write through it. Behind the end of
        // the code it sees zeros: it crashes if a literal is missing.
        size = LLVMDisasmInstruction(disassembler, reinterpret_cast<uint8_t*>(words.data()),
                                     sizeof words, pc, line.data(), line.size());
    });
    if (!survived) {
        disassembler = new_disassembler(target);
        size = 0;
    }
    return size;
}

bool is_scaled(const instruction& i) {
    return i.matrix != nullptr && i.matrix->is_scaled;
}

// A vector instruction reads one scalar register or pair, or one literal (ISA guide 6.2.1).
bool reads_too_many_scalars(const instruction& i) {
    if (!i.is_vector() || is_scaled(i)) {
        return false;
    }
    register_range first;
    for (const register_use& use : i.uses) {
        register_range range{use.first, use.count};
        if (i.is(kind::packed)) {  // a half of a pair
            range = {range.first & ~1u, 2};
        }
        const bool is_lane = use.first == first_sgpr + sreg::m0 && i.is(kind::lane);
        if (use.is_write || use.first < first_sgpr || is_lane) {
            continue;
        }
        if ((first.count != 0 && !first.overlaps(range)) || has_literal(i)) {
            return true;
        }
        first = range;
    }
    return false;
}

// What the guide forbids or reserves and the disassembler does not show, or an empty text.
std::string forbidden(const instruction& i) {
    const uint32_t low = i.encoding[0];
    const uint32_t high = i.encoding[1];
    if (low >> 26 == 0x36 && (low >> 16 & 1) != 0) {
        return "bit 16 (GDS) of a DS instruction is reserved";
    }
    if (is_scaled(i) && ((low & 0x8700) != 0 || high >> 29 != 0)) {
        return "signs of C and clamp of a scaled matrix instruction are not supported";
    }
    // VOP3 without scalar destinations, which lie there (ISA guide 13.3.5), and v_permlane*_swap,
    // whose two bits say what lanes that are off give.
    const uint32_t opcode = low >> 16 & 0x3ff;
    const bool has_op_sel = low >> 26 == 0x34 && opcode < 0x380 && (opcode < 281 || opcode > 286) &&
                            (opcode & ~1u) != 480 && (opcode & ~1u) != 488 && !i.is(kind::permlane);
    if (has_op_sel && std::popcount(low >> 11 & 0xf) != std::popcount(i.op_sel)) {
        return "op_sel of " + i.mnemonic + " is not supported";
    }
    for (const operand& o : i.operands) {
        if (o.kind == operand_kind::sgpr && o.reg > sreg::vcc + 1 && o.reg < sreg::m0) {
            return "trap temporaries (ttmp) are the trap handler's, here is none";
        }
    }
    // As the guide has it for bf16 alone, and as compilers fold the sign of an addend.
    if (i.mnemonic == "v_dot2_f32_bf16" && ((i.neg_lo | i.neg_hi) & 4) != 0) {
        return "whether neg acts on the addend of v_dot2_f32_bf16 is not known: by the guide it "
               "does not, compilers rely on it";
    }
    return reads_too_many_scalars(i)
               ? i.mnemonic + " reads more than one scalar register or literal"
               : std::string{};
}

// LLVM calls scales invalid that are not in vector registers (isa/matrix_scales.hpp).
std::string without_remarks_on_scales(text_t operands) {
    constexpr int first_scale = 4;
    std::string result;
    int number = 0;
    while (!operands.empty()) {
        const size_t end = operands.starts_with("/*") ? operands.find("*/") : text_t::npos;
        const size_t length = end == text_t::npos ? 1 : end + 2;
        number += operands.front() == ',' ? 1 : 0;
        if (length == 1 || number < first_scale) {
            result += operands.substr(0, length);
        }
        operands.remove_prefix(length);
    }
    return result;
}

}  // namespace

void parse_instruction(instruction& result, const std::string& line) {
    const text_t text = trim(line);
    result.text = std::string(text);
    const size_t space = text.find(' ');
    result.mnemonic = std::string(base_mnemonic(text.substr(0, space)));
    const family_row& family = family_of(result.mnemonic);
    result.unit = family.unit;
    result.control = family.control;
    const instruction_row* row = find_row(result.mnemonic, result.target);
    if (row == nullptr) {
        refuse(result, "instruction " + result.mnemonic + " is not implemented");
        result.queue = family.queue;  // the lint counts it
        plan_registers(result);
        return;
    }
    result.kinds = (row->flags & ~mod::all) | family.kinds;
    result.types = types_of(result.mnemonic);
    result.access = row->access;
    result.matrix = row->matrix;
    if (row->matrix != nullptr) {
        result.unit = execution_unit::mfma;
    }
    const text_t as_printed = space == text_t::npos ? text_t{} : trim(text.substr(space));
    const std::string rest =
        is_scaled(result) ? without_remarks_on_scales(as_printed) : std::string(as_printed);
    const auto has = [&](const char* part) { return rest.find(part) != std::string::npos; };
    if (has("/*Invalid") || has("; Warning: ") || has("/* DP")) {
        refuse(result,
               "an operand of " + result.mnemonic + " is of a kind that LLVM calls invalid");
        return;
    }
    for (const text_t part : split(rest, ',')) {
        // After an operand, and after the last one only, words separated by blanks are modifiers.
        const auto words = split(trim(part), ' ');
        for (size_t n = 0; n < words.size(); ++n) {
            const bool modifier = n > 0 || is_modifier_word(words[n]);
            if (modifier) {
                // The counters of s_waitcnt are words of one immediate.
                if (is_symbol(result, words[n])) {
                    continue;
                }
                // What a lane reads that is switched off; the handler refuses those anyway.
                if (result.is(kind::permlane) &&
                    (words[n] == "bound_ctrl:1" || words[n] == "fi:1")) {
                    continue;
                }
                if (!parse_modifier(words[n], result)) {
                    refuse(result, "modifier " + std::string(words[n]) + " of " + result.mnemonic +
                                       " is not supported");
                    return;
                }
                continue;
            }
            if (result.operand_count == result.operands.size()) {
                refuse(result, result.mnemonic + " has more operands than an instruction can hold");
                return;
            }
            operand parsed = parse_operand(words[n]);
            if (is_symbol(result, words[n])) {
                parsed.kind = operand_kind::symbol;
            }
            if (parsed.kind == operand_kind::none) {
                refuse(result, "operand " + std::string(words[n]) + " of " + result.mnemonic +
                                   " is not understood");
                return;
            }
            if (parsed.literal && result.is_vector() && !has_literal(result)) {
                to_inline_constant(parsed);
            }
            if (parsed.neg || parsed.abs) {
                result.modifiers |= mod::source_neg;
            }
            if (parsed.sext) {
                result.modifiers |= mod::source_sext;
            }
            result.operands[result.operand_count++] = parsed;
        }
    }
    const uint64_t unknown = result.modifiers & ~row->flags;
    const auto refuse_all = [&](const auto& modifiers) {
        for (const auto& modifier : modifiers) {
            if ((unknown & modifier.bit) != 0 && result.problem.empty()) {
                refuse(result, "modifier " + std::string(modifier.name) + " of " + result.mnemonic +
                                   " is not supported");
            }
        }
    };
    refuse_all(described_modifiers);
    refuse_all(flag_modifiers);
    refuse_all(list_modifiers);
    refuse_all(number_modifiers);
    if (unknown != 0) {
        return;
    }
    if (result.has(mod::dpp)) {
        plan_dpp(result);
    }
    result.queue = family.queue;
    plan_registers(result);
    result.floats = float_rule_of(result);
    plan_hazards(result);
    result.execute = row->execute;
}

program::program(gfx_target target, const std::byte* text, size_t bytes, uint64_t base_address)
    : target_(target),
      text_(text),
      bytes_(bytes),
      base_address_(base_address),
      table_(bytes / 4 + 1) {
    outside_.text = "?";
    outside_.target = target;
    refuse(outside_, "the program counter is outside the code of this kernel");
}

std::mutex crash_guard::mutex_;
int crash_guard::count_ = 0;

crash_guard::crash_guard() {
    const std::scoped_lock lock(mutex_);
    if (count_++ == 0) {
        llvm::CrashRecoveryContext::Enable();
    }
}

crash_guard::~crash_guard() {
    const std::scoped_lock lock(mutex_);
    if (--count_ == 0) {
        llvm::CrashRecoveryContext::Disable();
    }
}

const instruction& program::decode(uint64_t pc) {
    const uint64_t at_byte = pc - base_address_;
    if (at_byte >= bytes_ || bytes_ - at_byte < 4 || at_byte % 4 != 0) {
        return outside_;
    }
    const std::scoped_lock lock(mutex_);
    auto& slot = table_[at_byte / 4];
    if (const instruction* found = slot.load(std::memory_order_relaxed)) {
        return *found;
    }

    instruction& result = decoded_.emplace_back();
    result.target = target_;
    result.address = pc;
    result.number = static_cast<uint32_t>(decoded_.size() - 1);
    std::array<uint32_t, 5> words{};  // the longest instruction has 4
    const size_t left = std::min<size_t>(bytes_ - at_byte, sizeof words);
    std::memcpy(words.data(), text_ + at_byte, left);
    std::copy_n(words.begin(), 2, result.encoding);
    std::array<char, 512> line{};
    size_t size = disassemble(target_, words, pc, line);
    if (size > left) {
        size = 0;
    }
    if (size == 0) {
        char word[16];
        std::snprintf(word, sizeof word, "0x%08x", result.encoding[0]);
        result.text = std::string(".long ") + word;
        refuse(result, "these bytes are no instruction of the target that the disassembler knows");
    } else {
        result.size = static_cast<uint32_t>(size);
        parse_instruction(result, line.data());
        if (std::string problem = forbidden(result); result.problem.empty() && !problem.empty()) {
            refuse(result, std::move(problem));
        }
    }
    slot.store(&result, std::memory_order_release);
    return result;
}

const instruction& program::decoded(uint32_t number) {
    const std::scoped_lock lock(mutex_);
    return decoded_[number];
}

std::vector<source_frames> program::frames_of(std::vector<uint64_t> pcs) const {
    for (uint64_t& pc : pcs) {
        pc -= lines_base_;
    }
    return lines_.frames_of(pcs);
}

void program::set_source_lines(source_lines lines, uint64_t base) {
    lines_ = std::move(lines);
    lines_base_ = base;
}

std::vector<std::string> implemented_mnemonics(gfx_target target) {
    std::vector<std::string> names;
    for (const auto family : all_families()) {
        for (const instruction_row& row : family) {
            // Where there is no xf32 the disassembler finds none.
            if ((info_of(target).has_gfx950_rows || !row.gfx950_only) &&
                (row.matrix == nullptr || row.matrix->passes(target) != 0)) {
                names.emplace_back(row.mnemonic);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace emu
