// The decoder against AMD's own list of opcodes (opcode_facts.hpp): words are put together from the
// fields of each encoding, and what they decode to has that name and these operands. Where the two
// differ, `differences` says who is right.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "opcode_facts.hpp"

namespace emu {
namespace {

// -- the encodings --------------------------------------------------------------------------------

// ISA guide chapter 13: bits from `low` on.
struct field {
    std::string_view name;
    int low;
    int width;
};

struct encoding {
    std::string_view name;
    int bytes;
    std::array<uint32_t, 4> fixed;
    int opcode_low;  // 7 to 10 bits, which the opcodes of the list never exceed
    std::vector<field> fields;
};

const std::vector<encoding>& encodings() {
    using words = std::array<uint32_t, 4>;
    static const std::vector<encoding> all = {
        {"SOP1", 4, words{0xbe800000}, 8, {{"sdst", 16, 7}, {"ssrc0", 0, 8}}},
        {"SOP2", 4, words{0x80000000}, 23, {{"sdst", 16, 7}, {"ssrc0", 0, 8}, {"ssrc1", 8, 8}}},
        {"SOPC", 4, words{0xbf000000}, 16, {{"ssrc0", 0, 8}, {"ssrc1", 8, 8}}},
        {"SOPK", 4, words{0xb0000000}, 23, {{"sdst", 16, 7}, {"simm16", 0, 16}}},
        {"SOPP", 4, words{0xbf800000}, 16, {{"simm16", 0, 16}}},
        {"SMEM", 8, words{0xc0000000}, 18, {{"sdata", 6, 7}, {"sbase", 0, 6}, {"soffset", 57, 7}}},
        {"VOP1", 4, words{0x7e000000}, 9, {{"vdst", 17, 8}, {"src0", 0, 9}}},
        {"VOP2", 4, words{}, 25, {{"vdst", 17, 8}, {"src0", 0, 9}, {"vsrc1", 9, 8}}},
        {"VOPC", 4, words{0x7c000000}, 17, {{"src0", 0, 9}, {"vsrc1", 9, 8}}},
        {"VOP3",
         8,
         words{0xd0000000},
         16,
         {{"vdst", 0, 8}, {"src0", 32, 9}, {"src1", 41, 9}, {"src2", 50, 9}}},
        {"VOP3SD",
         8,
         words{0xd0000000},
         16,
         {{"vdst", 0, 8}, {"sdst", 8, 7}, {"src0", 32, 9}, {"src1", 41, 9}, {"src2", 50, 9}}},
        // op_sel_hi is all ones, which LLVM does not print.
        {"VOP3P",
         8,
         words{0xd3804000, 0x18000000},
         16,
         {{"vdst", 0, 8}, {"src0", 32, 9}, {"src1", 41, 9}, {"src2", 50, 9}}},
        // VOP3P of matrices has other fields in place of op_sel_hi.
        {"VOP3P-MAI",
         8,
         words{0xd3800000},
         16,
         {{"vdst", 0, 8}, {"src0", 32, 9}, {"src1", 41, 9}, {"src2", 50, 9}}},
        // abid[0] says that there are scales (guide 7.1.5).
        {"VOP3PX2",
         16,
         words{0xd3ac0000, 0, 0xd3800800},
         80,
         {{"vdst", 64, 8},
          {"src0", 96, 9},
          {"src1", 105, 9},
          {"src2", 114, 9},
          {"scale_src0", 32, 9},
          {"scale_src1", 41, 9}}},
        {"DS",
         8,
         words{0xd8000000},
         17,
         {{"vdst", 56, 8}, {"addr", 32, 8}, {"data0", 40, 8}, {"data1", 48, 8}}},
        {"MUBUF",
         8,
         words{0xe0000000},
         18,
         {{"vdata", 40, 8}, {"vaddr", 32, 8}, {"srsrc", 48, 5}, {"soffset", 56, 8}}},
        {"MTBUF",
         8,
         words{0xe8000000},
         15,
         {{"vdata", 40, 8}, {"vaddr", 32, 8}, {"srsrc", 48, 5}, {"soffset", 56, 8}}},
        {"FLAT", 8, words{0xdc000000}, 18, {{"vdst", 56, 8}, {"addr", 32, 8}, {"data", 40, 8}}},
        {"GLOBAL",
         8,
         words{0xdc008000},
         18,
         {{"vdst", 56, 8}, {"addr", 32, 8}, {"data", 40, 8}, {"saddr", 48, 7}}},
        {"SCRATCH",
         8,
         words{0xdc004000},
         18,
         {{"vdst", 56, 8}, {"addr", 32, 8}, {"data", 40, 8}, {"saddr", 48, 7}}},
    };
    return all;
}

const encoding& encoding_of(std::string_view name) {
    for (const encoding& e : encodings()) {
        if (e.name == name) {
            return e;
        }
    }
    throw std::runtime_error("no encoding " + std::string(name));
}

const field& field_of(const encoding& e, std::string_view name) {
    for (const field& f : e.fields) {
        if (f.name == name) {
            return f;
        }
    }
    throw std::runtime_error(std::string(e.name) + " has no field " + std::string(name));
}

// -- the facts ------------------------------------------------------------------------------------

struct fact_operand {
    std::string field;
    char kind;
    int bits;
    int dwords() const { return bits < 32 ? 1 : bits / 32; }
};

struct fact {
    std::string encoding;
    uint32_t opcode;
    std::string name;
    std::vector<fact_operand> operands;

    const fact_operand* find(std::string_view field) const {
        for (const fact_operand& o : operands) {
            if (o.field == field) {
                return &o;
            }
        }
        return nullptr;
    }
    bool is_matrix() const {
        return name.find("mfma") != std::string::npos || name.find("smfmac") != std::string::npos;
    }
};

std::vector<std::string> words_of(std::string_view text, char separator) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == separator) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

// The same instruction as VOP3.
fact as_vop3(const fact& f, uint32_t opcode) {
    fact result{"VOP3", opcode, f.name, {}};
    if (f.encoding == "VOPC") {
        result.operands.push_back({"vdst", 's', 64});
    }
    for (fact_operand o : f.operands) {
        if (o.field == "vcc") {
            continue;
        }
        if (o.field == "vsrc1") {
            o = {"src1", 'n', o.bits};
        } else if (o.kind == 'r') {
            o.kind = 'n';
        }
        result.operands.push_back(o);
    }
    return result;
}

std::vector<fact> facts() {
    std::vector<fact> result;
    for (const std::string_view part : opcode_facts) {
        const std::vector<std::string> lines = words_of(part, '\n');
        for (size_t n = 1; n < lines.size(); ++n) {
            const std::vector<std::string> words = words_of(lines[n], ' ');
            fact f{lines[0], 0, words.at(1), {}};
            const std::vector<std::string> opcodes = words_of(words[0], '/');
            f.opcode = static_cast<uint32_t>(std::stoul(opcodes[0]));
            for (size_t w = 2; w < words.size(); ++w) {
                const std::vector<std::string> halves = words_of(words[w], ':');
                f.operands.push_back(
                    {halves.at(0), halves.at(1)[0], std::stoi(halves[1].substr(1))});
            }
            if (f.encoding == "VOP3P" && f.is_matrix()) {
                f.encoding = "VOP3P-MAI";
            }
            result.push_back(f);
            if (opcodes.size() > 1) {
                result.push_back(as_vop3(f, static_cast<uint32_t>(std::stoul(opcodes[1]))));
            }
        }
    }
    return result;
}

// -- words, and what they should decode to --------------------------------------------------------

struct expected_operand {
    operand_kind kind;
    int reg = 0;
    int dwords = 1;
    uint32_t value = 0;
    bool operator==(const expected_operand&) const = default;
};

std::string shown(const expected_operand& o) {
    const char* names = o.kind == operand_kind::vgpr   ? "v"
                        : o.kind == operand_kind::agpr ? "a"
                        : o.kind == operand_kind::sgpr ? "s"
                                                       : nullptr;
    if (names == nullptr) {
        return o.kind == operand_kind::off ? "off" : std::to_string(o.value);
    }
    return names + std::to_string(o.reg) +
           (o.dwords > 1 ? ":" + std::to_string(o.reg + o.dwords - 1) : "");
}

std::string shown(const std::vector<expected_operand>& operands) {
    std::string text;
    for (const expected_operand& o : operands) {
        text += (text.empty() ? "" : " ") + shown(o);
    }
    return text;
}

constexpr uint32_t literal_value = 0x1234;
constexpr uint32_t literal_source = 255;
constexpr uint32_t inline_one = 129;
constexpr uint32_t immediate = 3;

// One way to fill the fields.
struct form {
    std::string name;
    std::string scalar = "-";    // the source that is a scalar register
    std::string constant = "-";  // the one that is the constant 1
    std::string literal = "-";   // the one that is a literal
    bool accumulation = false;   // each that may be is an accumulation register
    int addressing = 0;          // of memory: see build()
};

struct built {
    std::array<uint32_t, 5> words{};
    int bytes = 0;
    std::vector<expected_operand> operands;
};

void put(built& b, int low, int width, uint32_t value) {
    const auto word = static_cast<size_t>(low / 32);
    ASSERT_LT(value, 1ull << width);
    b.words.at(word) |= value << low % 32;
    if (low % 32 + width > 32) {
        b.words.at(word + 1) |= value >> (32 - low % 32);
    }
}

built build(const fact& f, const form& how) {
    const encoding& e = encoding_of(f.encoding);
    built b;
    b.bytes = e.bytes;
    std::copy(e.fixed.begin(), e.fixed.end(), b.words.begin());
    put(b, e.opcode_low, 10, f.opcode);
    const bool is_buffer = f.encoding == "MUBUF" || f.encoding == "MTBUF";
    const bool is_flat = f.encoding == "FLAT" || f.encoding == "GLOBAL" || f.encoding == "SCRATCH";
    int dwords_of_address = f.find("addr") != nullptr ? f.find("addr")->dwords() : 0;
    if (is_buffer && !f.operands.empty()) {
        // No index and no offset, an offset, an index, both; guide 9.1.2, which vaddr's 64 bits are
        // the last of.
        put(b, 12, 2, static_cast<uint32_t>(how.addressing));
        dwords_of_address = std::array{0, 1, 1, 2}.at(static_cast<size_t>(how.addressing));
    }
    const bool is_atomic = f.name.find("atomic") != std::string::npos;
    if (is_flat && is_atomic) {
        put(b, 16, 1, 1);  // sc0: it returns
    }
    // FLAT has no saddr; with one a global address in vector registers is an offset of 32 bits
    // (guide 10.4). 0: off, 1: both, 2: saddr alone (scratch, guide 10.5).
    const bool has_saddr = how.addressing > 0;
    if (is_flat && !has_saddr && f.encoding != "FLAT") {
        put(b, 48, 7, 0x7f);
    }
    if (f.encoding == "SCRATCH" && how.addressing < 2) {
        put(b, 13, 1, 1);  // sve
    }
    if (f.encoding == "GLOBAL" && has_saddr) {
        dwords_of_address = 1;
    }
    if (f.encoding == "SMEM" && f.find("soffset") != nullptr && how.addressing > 0) {
        put(b, how.addressing == 1 ? 14 : 17, 1, 1);  // soffset_en or imm
    }
    if (how.accumulation) {
        if (f.encoding == "DS") {
            put(b, 25, 1, 1);
        } else if (is_flat || is_buffer) {
            put(b, 55, 1, 1);
        } else if (f.is_matrix()) {
            const int second = f.encoding == "VOP3PX2" ? 64 : 0;
            put(b, second + 15, 1, 1);
            put(b, second + 59, 2, 3);
        }
    }
    int number = 0;
    for (const fact_operand& o : f.operands) {
        if (o.field == "vcc") {
            b.operands.push_back({operand_kind::sgpr, sreg::vcc, 2});
            continue;
        }
        if (o.kind == 'k') {
            b.words.at(static_cast<size_t>(e.bytes) / 4) = literal_value;
            b.bytes = e.bytes + 4;
            b.operands.push_back({operand_kind::constant, 0, 1, literal_value});
            continue;
        }
        const field& at = field_of(e, o.field);
        ++number;
        const bool is_address = o.field == "addr" || o.field == "vaddr";
        const int dwords = is_address ? dwords_of_address : o.dwords();
        if (is_address && (dwords == 0 || (f.encoding == "SCRATCH" && how.addressing == 2))) {
            b.operands.push_back({operand_kind::off});
            continue;
        }
        if (o.field == "saddr" && !has_saddr) {
            b.operands.push_back({operand_kind::off});
            continue;
        }
        const auto constant = [&](uint32_t source, uint32_t value) {
            put(b, at.low, at.width, source);
            b.operands.push_back({operand_kind::constant, 0, 1, value});
        };
        // The number of a lane, too: v_writelane_b32 has a scalar register already.
        if (o.field == how.constant || o.kind == 'l') {
            constant(inline_one, 1);
            continue;
        }
        if (o.field == how.literal) {
            constant(literal_source, literal_value);
            b.words.at(static_cast<size_t>(e.bytes) / 4) = literal_value;
            b.bytes = e.bytes + 4;
            continue;
        }
        if (o.kind == 'i') {
            constant(immediate, immediate);
        } else if (o.kind == 'o') {
            // Neither bit: offset[6:0] is a register (guide 8.2.1.1).
            const int reg = 40;
            if (how.addressing == 2) {
                put(b, 32, 21, 0x124);
                b.operands.push_back({operand_kind::constant, 0, 1, 0x124});
            } else {
                put(b, how.addressing == 1 ? at.low : 32, at.width, reg);
                b.operands.push_back({operand_kind::sgpr, reg});
            }
        } else if (std::string_view("sce").find(o.kind) != std::string_view::npos ||
                   o.field == how.scalar) {
            const int reg = o.field == "sdata" ? 16 : 44 + 4 * number;
            const int scale = o.field == "sbase" ? 2 : o.field == "srsrc" ? 4 : 1;
            put(b, at.low, at.width, static_cast<uint32_t>(reg / scale));
            b.operands.push_back({operand_kind::sgpr, reg, dwords});
        } else {
            const int reg = 32 * number;
            const bool accumulation =
                o.kind == 'a' || (how.accumulation && (o.kind == 'w' || o.kind == 'x'));
            const uint32_t first_vector = at.width == 9 ? 256 : 0;
            put(b, at.low, at.width, first_vector + static_cast<uint32_t>(reg));
            b.operands.push_back(
                {accumulation ? operand_kind::agpr : operand_kind::vgpr, reg, dwords});
        }
    }
    return b;
}

std::vector<form> forms_of(const fact& f) {
    std::vector<form> result = {{.name = "registers"}};
    bool accumulation = false;
    // A vector instruction reads one scalar register or literal (guide 6.2.1), so no second one.
    bool has_scalar = f.name.starts_with("v_div_fmas");  // vcc
    for (size_t n = 0; n < f.operands.size(); ++n) {
        const fact_operand& o = f.operands[n];
        has_scalar |=
            o.kind == 'k' || (o.kind == 's' && o.field == "src2") || (o.field == "vcc" && n > 1);
    }
    for (const fact_operand& o : f.operands) {
        if (!has_scalar && (o.kind == 'r' || o.kind == 'n')) {
            result.push_back({.name = "scalar " + o.field, .scalar = o.field});
        }
        if (std::string_view("rncex").find(o.kind) != std::string_view::npos) {
            result.push_back({.name = "constant " + o.field, .constant = o.field});
        }
        if ((!has_scalar && o.kind == 'r') || o.kind == 'c') {
            result.push_back({.name = "literal " + o.field, .literal = o.field});
        }
        accumulation |= o.kind == 'w' || o.kind == 'x';
    }
    if (accumulation) {
        result.push_back({.name = "accumulation", .accumulation = true});
    }
    const int addressings = f.find("vaddr") != nullptr                                ? 4
                            : f.encoding == "SCRATCH" || f.find("soffset") != nullptr ? 3
                            : f.encoding == "GLOBAL"                                  ? 2
                                                                                      : 1;
    for (int addressing = 1; addressing < addressings; ++addressing) {
        result.push_back(
            {.name = "addressing " + std::to_string(addressing), .addressing = addressing});
    }
    return result;
}

// -- what the emulator says -----------------------------------------------------------------------

expected_operand read_operand(std::string text) {
    const operand_kind kind = text[0] == 'v'   ? operand_kind::vgpr
                              : text[0] == 'a' ? operand_kind::agpr
                                               : operand_kind::sgpr;
    if (text == "off") {
        return {operand_kind::off};
    }
    if (text == "vcc") {
        return {operand_kind::sgpr, sreg::vcc, 2};
    }
    if (text.size() > 1 && std::string_view("vas").find(text[0]) != std::string_view::npos) {
        if (text[1] == '[') {
            const std::vector<std::string> ends = words_of(text.substr(2, text.size() - 3), ':');
            const int first = std::stoi(ends.at(0));
            return {kind, first, std::stoi(ends.at(1)) - first + 1};
        }
        if (text[1] >= '0' && text[1] <= '9') {
            return {kind, std::stoi(text.substr(1))};
        }
    }
    if (text[0] >= '0' && text[0] <= '9') {
        return {operand_kind::constant, 0, 1,
                text == "1.0" ? 1 : static_cast<uint32_t>(std::stoul(text, nullptr, 0))};
    }
    return {operand_kind::symbol};
}

// Of the text: the emulator keeps no operands of what it does not implement. Modifiers follow
// operands behind a blank, the fields of hwreg() and gpr_idx() are one operand.
std::vector<expected_operand> operands_of_text(const instruction& i) {
    std::vector<expected_operand> result;
    const size_t space = i.text.find(' ');
    if (space == std::string::npos) {
        return result;
    }
    std::string rest = i.text.substr(space + 1, i.text.find(" op_sel") - space - 1);
    for (size_t at = rest.find("/*"); at != std::string::npos; at = rest.find("/*")) {
        rest.erase(at, rest.find("*/") + 2 - at);  // LLVM's remark on a scale that is scalar
    }
    const size_t parenthesis = rest.find('(');
    if (parenthesis != std::string::npos) {
        std::replace(rest.begin() + static_cast<long>(parenthesis),
                     rest.begin() + static_cast<long>(rest.find(')')), ',', ';');
    }
    for (const std::string& part : words_of(rest, ',')) {
        const std::vector<std::string> words = words_of(part, ' ');
        result.push_back(read_operand(words[0].empty() && words.size() > 1 ? words[1] : words[0]));
    }
    return result;
}

std::vector<expected_operand> operands_of(const instruction& i) {
    std::vector<expected_operand> result;
    for (size_t n = 0; n < i.operand_count; ++n) {
        const operand& o = i.operands[n];
        switch (o.kind) {
            case operand_kind::vgpr:
            case operand_kind::agpr:
            case operand_kind::sgpr:
                result.push_back({o.kind, o.reg, o.dwords});
                break;
            case operand_kind::constant:
                result.push_back({o.kind, 0, 1, o.floating ? 1 : o.value32});
                break;
            default:
                result.push_back({o.kind});
        }
    }
    return result;
}

// -- where the two differ -------------------------------------------------------------------------

struct difference {
    std::string_view encoding;
    uint32_t first;  // opcodes
    uint32_t last;
    std::string_view form;      // of which forms; empty: all
    std::string_view mnemonic;  // what it decodes to; empty: no instruction; =: what the list says
    std::string_view without;   // a field of the list that is no operand
    const char* why;            // and who is right
};

constexpr difference differences[] = {
    {"SOPP", 31, 31, "", "", "",
     "s_set_valu_coexec_mode: the specification alone has it, neither guide nor LLVM"},
    {"VOP3", 322, 322, "", "", "", "v_readfirstlane_b32 as VOP3: in the guide, LLVM has none"},
    {"VOP3", 401, 402, "", "", "",
     "v_swap_b32 and v_accvgpr_mov_b32 as VOP3: in the guide, LLVM has none"},
    {"VOP3P", 32, 32, "", "v_fma_mix_f32", "",
     "LLVM's name says that it is fused, as guide 6.7 does"},
    {"VOP3P", 33, 33, "", "v_fma_mixlo_f16", "", "the same"},
    {"VOP3P", 34, 34, "", "v_fma_mixhi_f16", "", "the same"},
    {"VOP3P", 88, 88, "", "v_accvgpr_read_b32", "", "the specification has this name as an alias"},
    {"VOP3P", 89, 89, "", "v_accvgpr_write_b32", "", "the same"},
    {"VOP3P-MAI", 44, 44, "", "", "",
     "v_mfma_ld_scale_b32: half of an instruction, added by the list's makers without operands"},
    {"VOP3P-MAI", 62, 63, "", "", "",
     "v_mfma_*_xf32: gfx942 has them, guide and specification of CDNA4 do not; added by the "
     "makers"},
    {"DS", 152, 156, "", "", "",
     "ds_gws_*: guide and specification have none (the bit gds is reserved); added by the makers"},
    {"GLOBAL", 38, 42, "accumulation", "", "",
     "loads to LDS: the list says that they write a register, LLVM has no such form"},
    {"GLOBAL", 125, 126, "accumulation", "", "", "the same"},
    {"SCRATCH", 38, 42, "accumulation", "", "", "the same"},
    {"GLOBAL", 38, 42, "", "=", "vdst", "global_load_lds_*: nothing is written there, guide 10.3"},
    {"GLOBAL", 125, 126, "", "=", "vdst", "the same"},
    {"GLOBAL", 77, 78, "accumulation", "", "",
     "global_atomic_add_f32 and _pk_add_f16: LLVM returns nothing to accumulation registers, "
     "guide 10.3.1 says that they return nothing at all"},
    {"SCRATCH", 38, 42, "", "=", "vdst",
     "scratch_load_lds_*: nothing is written there, guide 10.3"},
};

// Empty, or what is not as expected.
std::string mismatch(std::string_view name, const built& b, const instruction& i) {
    if (name.empty()) {
        return i.problem.find("these bytes are no instruction") != std::string::npos ? "" : i.text;
    }
    const bool implemented = i.problem.empty();
    if (!implemented && i.problem.find("is not implemented") == std::string::npos) {
        return i.text + ": " + i.problem;
    }
    if (i.mnemonic != name) {
        return "the name of " + i.text;
    }
    if (i.size != static_cast<uint32_t>(b.bytes)) {
        return i.text + ": " + std::to_string(i.size) + " bytes";
    }
    const auto agree = [&](std::vector<expected_operand> got) {
        // A symbol stands for an immediate.
        for (size_t n = 0; n < std::min(got.size(), b.operands.size()); ++n) {
            if (got[n].kind == operand_kind::symbol &&
                b.operands[n] == expected_operand{operand_kind::constant, 0, 1, immediate}) {
                got[n] = b.operands[n];
            }
        }
        return got == b.operands;
    };
    if (!agree(operands_of_text(i))) {
        return i.text + ", not " + shown(b.operands);
    }
    if (implemented && !agree(operands_of(i))) {
        return i.text + " has operands " + shown(operands_of(i));
    }
    return {};
}

TEST(opcode_facts, each_opcode_decodes_to_its_name_and_operands) {
    constexpr uint64_t base = 0x1000;
    struct job {
        fact f;
        form how;
        built b;
    };
    std::vector<job> jobs;
    std::vector<uint32_t> code;
    std::set<std::pair<std::string, uint32_t>> compared;
    for (const fact& f : facts()) {
        EXPECT_TRUE(compared.emplace(f.encoding, f.opcode).second) << f.name << " is there twice";
        for (const form& how : forms_of(f)) {
            jobs.push_back({f, how, build(f, how)});
            const built& b = jobs.back().b;
            code.insert(code.end(), b.words.begin(), b.words.end());
        }
    }
    program decoded(gfx_target::gfx950, reinterpret_cast<const std::byte*>(code.data()),
                    code.size() * sizeof(uint32_t), base);
    std::set<std::pair<std::string, uint32_t>> different;
    std::set<std::pair<std::string, uint32_t>> implemented;
    std::set<const difference*> used;
    for (size_t n = 0; n < jobs.size(); ++n) {
        const auto& [f, how, b] = jobs[n];
        SCOPED_TRACE(f.encoding + ' ' + std::to_string(f.opcode) + ' ' + f.name + ", " + how.name);
        const instruction& i = decoded.at(base + sizeof(jobs[n].b.words) * n);
        if (i.problem.empty()) {
            implemented.emplace(f.encoding, f.opcode);
        }
        const std::string found = mismatch(f.name, b, i);
        const auto* known =
            std::find_if(std::begin(differences), std::end(differences), [&](const difference& d) {
                return d.encoding == f.encoding && d.first <= f.opcode && f.opcode <= d.last &&
                       (d.form.empty() || d.form == how.name);
            });
        if (known == std::end(differences)) {
            EXPECT_EQ(found, "");
            continue;
        }
        EXPECT_NE(found, "") << "no difference: " << known->why;
        used.insert(known);
        different.emplace(f.encoding, f.opcode);
        fact changed = f;
        std::erase_if(changed.operands,
                      [&](const fact_operand& o) { return o.field == known->without; });
        built expected = build(changed, how);
        // Registers have the numbers that they have with the operand that is left out.
        if (!known->without.empty()) {
            expected.operands.assign(b.operands.begin() + 1, b.operands.end());
        }
        EXPECT_EQ(mismatch(known->mnemonic == "=" ? f.name : known->mnemonic, expected, i), "")
            << known->why;
    }
    for (const difference& d : differences) {
        EXPECT_TRUE(used.contains(&d)) << "no such opcode: " << d.encoding << ' ' << d.first;
    }
    EXPECT_EQ(compared.size(), 1592u);
    EXPECT_GT(implemented.size(), 1300u);
    std::printf("%zu opcodes in %zu forms, %zu implemented; %zu differ, all of them explained\n",
                compared.size(), jobs.size(), implemented.size(), different.size());
}

// The other direction: opcodes that the list has not.
TEST(opcode_facts, no_other_opcode_decodes) {
    constexpr uint64_t base = 0x1000;
    constexpr std::pair<std::string_view, uint32_t> opcode_counts[] = {
        {"SOP1", 256},  {"SOP2", 96},       {"SOPC", 128},    {"SOPK", 29},   {"SOPP", 128},
        {"SMEM", 256},  {"VOP1", 256},      {"VOP2", 62},     {"VOPC", 256},  {"VOP3", 896},
        {"VOP3P", 128}, {"VOP3P-MAI", 128}, {"DS", 256},      {"MUBUF", 128}, {"MTBUF", 16},
        {"FLAT", 128},  {"GLOBAL", 128},    {"SCRATCH", 128},
    };
    std::set<std::pair<std::string, uint32_t>> known;
    for (const fact& f : facts()) {
        // Both kinds of VOP3P have opcodes of one range, and so have those of VOP3.
        known.emplace(f.encoding == "VOP3P-MAI" ? "VOP3P"
                      : f.encoding == "VOP3SD"  ? "VOP3"
                                                : f.encoding,
                      f.opcode);
    }
    size_t tried = 0;
    for (const auto& [name, count] : opcode_counts) {
        const encoding& e = encoding_of(name);
        const std::string of(name == "VOP3P-MAI" ? "VOP3P" : name);
        const uint32_t subsets = 1u << e.fields.size();
        for (uint32_t opcode = 0; opcode < count; ++opcode) {
            if (known.contains({of, opcode})) {
                continue;
            }
            ++tried;
            // Each set of fields, as LLVM wants 0 in those without an operand; sources that are
            // vector registers, and ones that are scalar.
            std::vector<uint32_t> code;
            for (uint32_t subset = 0; subset < 2 * subsets; ++subset) {
                fact f{std::string(name), opcode, "", {}};
                for (size_t n = 0; n < e.fields.size(); ++n) {
                    const field& at = e.fields[n];
                    const bool is_scalar = at.width < 8 ||
                                           (at.name[0] == 's' && subset < subsets) ||
                                           at.name[1] == 's';
                    const char kind = at.width == 16                      ? 'i'
                                      : is_scalar || at.name == "soffset" ? 's'
                                                                          : 'v';
                    if ((subset >> n & 1) != 0) {
                        f.operands.push_back({std::string(at.name), kind, 32});
                    }
                }
                const built b = build(f, {.name = ""});
                code.insert(code.end(), b.words.begin(), b.words.end());
            }
            program decoded(gfx_target::gfx950, reinterpret_cast<const std::byte*>(code.data()),
                            code.size() * sizeof(uint32_t), base);
            for (uint32_t subset = 0; subset < 2 * subsets; ++subset) {
                const instruction& i = decoded.at(base + 5 * sizeof(uint32_t) * subset);
                EXPECT_EQ(mismatch("", {}, i), "") << name << ' ' << opcode;
            }
        }
    }
    std::printf("%zu opcodes that are not in the list\n", tried);
}

}  // namespace
}  // namespace emu
