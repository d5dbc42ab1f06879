#include "checks/nan.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/matrix_elements.hpp"
#include "isa/scalar.hpp"
#include "isa/small_float.hpp"
#include "isa/vector.hpp"

namespace emu {
namespace {

using number_kind = nan_check::number_kind;
using lane_masks = nan_check::lane_masks;

struct named_kind {
    text_t name;
    number_kind kind;
};
constexpr named_kind named_kinds[] = {{"f16", number_kind::f16},  {"bf16", number_kind::bf16},
                                      {"f32", number_kind::f32},  {"f64", number_kind::f64},
                                      {"fp8", number_kind::fp8},  {"bf8", number_kind::bf8},
                                      {"xf32", number_kind::f32}, {"fp6", number_kind::none},
                                      {"bf6", number_kind::none}, {"fp4", number_kind::none}};

// What an instruction computes with. Sources that are no floating-point numbers are `none`.
struct number_kinds {
    number_kind result = number_kind::none;
    number_kind source = number_kind::none;
    number_kind second = number_kind::none;  // the second source of a matrix instruction
    // A conversion to what has no NaN: integers, fp6, bf6, fp4.
    bool is_without_nan() const {
        return result == number_kind::none && source != number_kind::none;
    }
};

// The types in the mnemonic, in its order: the result's, then the sources' if they differ.
number_kinds kinds_of(const instruction& i) {
    text_t rest = i.mnemonic;
    if (!i.is_vector() || rest.starts_with("v_cmp") || rest.starts_with("v_frexp_exp")) {
        return {};
    }
    std::vector<number_kind> found;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('_'), rest.size());
        const text_t token = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        for (const named_kind& k : named_kinds) {
            if (token == k.name) {
                found.push_back(k.kind);
            }
        }
        const bool is_integer =
            token.size() > 1 && (token[0] == 'i' || token[0] == 'u' || token[0] == 'b') &&
            std::ranges::all_of(token.substr(1), [](char c) { return c >= '0' && c <= '9'; });
        if (is_integer) {
            found.push_back(number_kind::none);
        }
        if (token == "f8f6f4") {  // cbsz and blgp choose: fp8, bf8, and what has no NaN
            const auto chosen = [](uint8_t format) {
                return format == 0   ? number_kind::fp8
                       : format == 1 ? number_kind::bf8
                                     : number_kind::none;
            };
            return {number_kind::f32, chosen(i.cbsz), chosen(i.blgp)};
        }
    }
    if (found.empty() || (found[0] == number_kind::none && !contains(i.mnemonic, "v_cvt_"))) {
        return {};
    }
    const number_kind first_source = found.size() > 1 ? found[1] : found[0];
    return {found[0], first_source,
            i.matrix != nullptr && found.size() > 2 ? found[2] : first_source};
}

// Lanes whose magnitude is infinity, and those where it is above it. `magnitude` is a function of the
// lane.
template <class T, class Magnitude>
lane_masks compare_with(T infinity, Magnitude&& magnitude) {
    lane_masks masks;
    for (size_t l = 0; l < lane_count; ++l) {
        const T m = magnitude(l);
        masks.nan |= u64{m > infinity} << l;
        masks.infinity |= u64{m == infinity} << l;
    }
    return masks;
}

// The same for the parts of a dword, of which each is a number.
lane_masks masks_of_parts(const small_format& format, const lane_row& row) {
    const u32 bits = static_cast<u32>(format.bits());
    const u32 all = (1u << bits) - 1;
    lane_masks masks;
    for (u32 shift = 0; shift + bits <= 32; shift += bits) {
        const auto code = [&](size_t l) { return row[l] >> shift & all; };
        if (format.special == special_values::ieee) {
            masks |= compare_with(largest_code(format) + 1,
                                  [&](size_t l) { return code(l) & all >> 1; });
            continue;
        }
        const u32 sign = format.special == special_values::fnuz ? 0 : (all >> 1) + 1;
        for (size_t l = 0; l < lane_count; ++l) {
            masks.nan |= u64{(code(l) & ~sign) == nan_code(format)} << l;
        }
    }
    return masks;
}

using rows_t = std::span<const lane_row>;

// Of numbers of which a dword holds several; nullptr if it does not.
const small_format* parts_of(number_kind kind, gfx_target target) {
    switch (kind) {
        case number_kind::f16:
            return &f16_ieee;
        case number_kind::bf16:
            return &bf16_ieee;
        case number_kind::fp8:
            return &fp8_of(target);
        case number_kind::bf8:
            return &bf8_of(target);
        default:
            return nullptr;
    }
}

// Lanes of which one of the numbers is a NaN or an infinity.
lane_masks masks_of(number_kind kind, gfx_target target, rows_t rows) {
    const small_format* parts = parts_of(kind, target);
    lane_masks masks;
    for (size_t r = 0; r < rows.size(); ++r) {
        if (parts != nullptr) {
            masks |= masks_of_parts(*parts, rows[r]);
        } else if (kind == number_kind::f32) {
            masks |= compare_with(0x7f800000u, [&](size_t l) { return rows[r][l] & 0x7fffffff; });
        } else if (kind == number_kind::f64 && r % 2 == 1) {
            masks |= compare_with(u64{0x7ff} << 52, [&](size_t l) {
                return (u64{rows[r][l]} << 32 | rows[r - 1][l]) & ~(u64{1} << 63);
            });
        }
    }
    return masks;
}

void append_broadcast(std::vector<lane_row>& rows, u32 value) {
    rows.emplace_back();
    rows.back().lane.fill(value);
}

// The registers or the constant of an operand, a row for each dword.
void append_rows(const wave& w, const operand& o, number_kind kind, std::vector<lane_row>& rows) {
    if (is_vector(o)) {
        const std::vector<lane_row>& file = o.kind == operand_kind::agpr ? w.agpr : w.vgpr;
        const size_t end = std::min(size_t{o.reg} + o.dwords, file.size());
        for (size_t r = o.reg; r < end; ++r) {
            rows.push_back(file[r]);
        }
    } else if (o.kind == operand_kind::sgpr) {
        const size_t end = std::min(size_t{o.reg} + o.dwords, w.sgpr.size());
        for (size_t r = o.reg; r < end; ++r) {
            append_broadcast(rows, w.sgpr[r]);
        }
    } else if (o.kind == operand_kind::constant && kind == number_kind::f64) {
        const u64 bits = std::bit_cast<u64>(constant_value<f64>(o));
        append_broadcast(rows, static_cast<u32>(bits));
        append_broadcast(rows, static_cast<u32>(bits >> 32));
    } else if (o.kind == operand_kind::constant) {
        append_broadcast(rows, kind == number_kind::f16 ? o.value16 : o.value32);
    }
}

// The sources that are converted; behind them are a byte's number, random bits, a scale (f32).
size_t converted_sources(text_t name) {
    const bool has_two = contains(name, "_pknorm_") || contains(name, "_2xpk16_") ||
                         (contains(name, "_pk_") && name.ends_with("_f32") &&
                          !contains(name, "_sr_") && !contains(name, "_u8_"));
    return has_two ? 2 : 1;
}

// What operand `n` is, the destination being the first.
number_kind kind_of_operand(const instruction& i, const number_kinds& kinds, size_t n) {
    const text_t name = i.mnemonic;
    constexpr size_t b = 2;
    constexpr size_t c = 3;
    if (n == 0) {
        return kinds.result;
    }
    const bool is_small = kinds.result == number_kind::fp8 || kinds.result == number_kind::bf8;
    if ((is_small || kinds.is_without_nan()) && n > converted_sources(name)) {
        const bool is_scale = contains(name, "_scalef32_") && n + 1 == i.operand_count;
        return is_scale ? number_kind::f32 : number_kind::none;
    }
    if (i.is(kind::mix)) {
        return (i.op_sel_hi >> (n - 1) & 1) != 0 ? number_kind::f16 : number_kind::f32;
    }
    if (i.matrix != nullptr || i.is(kind::dot)) {
        return n == b   ? kinds.second
               : n == c ? kinds.result
               : n > c  ? number_kind::none
                        : kinds.source;
    }
    return kinds.source;
}

// The numbers of a lane, the first few of them.
std::string text_of(number_kind kind, gfx_target target, rows_t rows, size_t lane) {
    std::string text;
    const auto add = [&](const char* format, auto value) {
        char number[40];
        std::snprintf(number, sizeof number, format, value);
        text += (text.empty() ? "" : " ") + std::string(number);
    };
    constexpr size_t most = 4;
    const small_format* parts = parts_of(kind, target);
    for (size_t r = 0; r < std::min(rows.size(), most); ++r) {
        const u32 v = rows[r][lane];
        if (parts != nullptr) {
            const u32 bits = static_cast<u32>(parts->bits());
            for (u32 shift = 0; shift < 32; shift += bits) {
                add("%.9g", double{decode_small(*parts, v >> shift & ((1u << bits) - 1))});
            }
        } else if (kind == number_kind::f32) {
            add("%.9g", double{std::bit_cast<f32>(v)});
        } else if (kind == number_kind::none) {
            add("0x%x", v);
        } else if (r % 2 == 1) {
            add("%.17g", std::bit_cast<f64>(u64{v} << 32 | rows[r - 1][lane]));
        }
    }
    return text + (rows.size() > most ? " ..." : "");
}

std::string name_of(const operand& o) {
    switch (o.kind) {
        case operand_kind::vgpr:
            return register_name({o.reg, o.dwords});
        case operand_kind::agpr:
            return register_name({first_agpr + o.reg, o.dwords});
        case operand_kind::sgpr:
            return register_name({first_sgpr + o.reg, o.dwords});
        default:
            return "constant";
    }
}

bool is_followed(const instruction& i, const number_kinds& kinds) {
    // Of SDWA and DPP it is not known which parts and lanes are converted.
    const bool may_lose =
        kinds.is_without_nan() && !i.crosses_lanes && !i.has(mod::sdwa) && !i.has(mod::op_sel);
    // v_div_scale, of two results, makes a NaN of each 0, for v_div_fixup to put right.
    return (kinds.result != number_kind::none || may_lose) && i.operand_count >= 2 &&
           is_vector(i.operands[0]) && !i.is(kind::two_results);
}

// Whether a NaN in this operand accounts for one in the result. v_div_fixup looks at its denominator
// and its numerator; the quotient of a division by 0, and of 0, is a NaN.
bool accounts_for_result(const instruction& i, size_t n) {
    return n > 1 || !i.mnemonic.starts_with("v_div_fixup_");
}

// ", in D[3][5]": where the result of a matrix instruction has it first.
std::string element_of_result(const instruction& i, number_kind kind, rows_t result, size_t lane,
                              bool is_nan) {
    const size_t dwords = kind == number_kind::f64 ? 2 : 1;
    for (size_t r = 0; r + dwords <= result.size(); r += dwords) {
        const lane_masks masks = masks_of(kind, i.target, result.subspan(r, dwords));
        if (((is_nan ? masks.nan : masks.infinity) >> lane & 1) != 0) {
            const operand& o = i.operands[0];
            const uint32_t first = (o.kind == operand_kind::agpr ? first_agpr : 0) + o.reg;
            const std::string element =
                matrix_elements(i, first + static_cast<uint32_t>(r), static_cast<int>(lane), true);
            return element.empty() ? "" : ", in " + element;
        }
    }
    return "";
}

}  // namespace

void nan_check::look(const wave& w, const instruction& i) {
    const number_kinds kinds = kinds_of(i);
    is_followed_ = is_followed(i, kinds);
    may_lose_ = kinds.is_without_nan();
    if (!is_followed_) {
        return;
    }
    rows_.clear();
    operands_.clear();
    before_ = {};
    // What was in the destination counts as an operand: it is one of v_fmac, and half of it stays
    // where a result has 16 bits.
    for (size_t n = 0; n < i.operand_count; ++n) {
        const number_kind kind = kind_of_operand(i, kinds, n);
        const size_t first = rows_.size();
        append_rows(w, i.operands[n], kind, rows_);
        operands_.push_back({&i.operands[n], kind, first, rows_.size() - first});
        if (may_lose_ && kind == number_kind::f16 && !contains(i.mnemonic, "_scalef32_")) {
            for (size_t r = first; r < rows_.size(); ++r) {
                std::ranges::for_each(rows_[r].lane, [](u32& dword) { dword &= 0xffff; });
            }
        }
        if (accounts_for_result(i, n)) {
            before_ |= masks_of(kind, i.target, rows_t(rows_).subspan(first));
        }
    }
    lanes_ = w.exec();
    if (i.crosses_lanes) {  // any lane may be a source of any other
        lanes_ = ~u64{0};
        before_.nan = before_.nan != 0 ? lanes_ : 0;
        before_.infinity = before_.infinity != 0 ? lanes_ : 0;
    }
}

void nan_check::after(const wave& w, const instruction& i) const {
    if (!is_followed_) {
        return;
    }
    const number_kind kind = operands_[0].kind;
    std::vector<lane_row> result;
    append_rows(w, i.operands[0], kind, result);
    const lane_masks made = masks_of(kind, i.target, result);
    const u64 nan = made.nan & ~before_.nan & lanes_;
    const u64 infinity = made.infinity & ~before_.infinity & ~before_.nan & lanes_;
    const u64 lost = may_lose_ ? before_.nan & lanes_ : 0;
    if ((nan | infinity | lost) == 0) {
        return;
    }
    report(w, i, check::nan, [&] {
        const u64 lanes = lost != 0 ? lost : nan != 0 ? nan : infinity;
        const size_t lane = static_cast<size_t>(std::countr_zero(lanes));
        const std::string what = lost != 0 ? "a NaN is lost by a conversion to what has none"
                                           : (nan != 0 ? "a NaN" : "an infinity") +
                                                 std::string(" from operands without one") +
                                                 element_of_result(i, kind, result, lane, nan != 0);
        std::string text = "lane " + std::to_string(lane) + ": " + what + ": " +
                           name_of(i.operands[0]) + " = " + text_of(kind, i.target, result, lane);
        const char* separator = " of ";
        for (size_t n = 1; n < operands_.size(); ++n) {
            const copied& c = operands_[n];
            if (c.count != 0 && accounts_for_result(i, n)) {
                text += separator + name_of(*c.of) + " = " +
                        text_of(c.kind, i.target, rows_t(rows_).subspan(c.first, c.count), lane);
                separator = ", ";
            }
        }
        return text;
    });
}

}  // namespace emu
