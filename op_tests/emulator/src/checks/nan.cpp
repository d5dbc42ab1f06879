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

using lane_masks = nan_check::lane_masks;

// What an instruction computes with. Sources that are no floating-point numbers are `other`.
number_types types_of(const instruction& i) {
    if (i.matrix != nullptr && i.matrix->a == element::chosen) {
        const auto chosen = [](uint8_t format) {
            return format == 0   ? number_type::fp8
                   : format == 1 ? number_type::bf8
                                 : number_type::other;  // which has no NaN
        };
        return {number_type::f32, chosen(i.cbsz), chosen(i.blgp)};
    }
    const bool has_numbers = i.types.result != number_type::other || i.is(kind::converts);
    return i.is_vector() && has_numbers ? i.types : number_types{};
}

// A conversion to what has no NaN: integers, fp6, bf6, fp4.
bool is_without_nan(const number_types& types) {
    return types.result == number_type::other && types.source != number_type::other;
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
const small_format* parts_of(number_type kind, gfx_target target) {
    switch (kind) {
        case number_type::f16:
            return &f16_ieee;
        case number_type::bf16:
            return &bf16_ieee;
        case number_type::fp8:
            return &fp8_of(target);
        case number_type::bf8:
            return &bf8_of(target);
        default:
            return nullptr;
    }
}

// Lanes of which one of the numbers is a NaN or an infinity.
lane_masks masks_of(number_type kind, gfx_target target, rows_t rows) {
    const small_format* parts = parts_of(kind, target);
    lane_masks masks;
    for (size_t r = 0; r < rows.size(); ++r) {
        if (parts != nullptr) {
            masks |= masks_of_parts(*parts, rows[r]);
        } else if (kind == number_type::f32) {
            masks |= compare_with(0x7f800000u, [&](size_t l) { return rows[r][l] & 0x7fffffff; });
        } else if (kind == number_type::f64 && r % 2 == 1) {
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
void append_rows(const wave& w, const operand& o, number_type kind, std::vector<lane_row>& rows) {
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
    } else if (o.kind == operand_kind::constant && kind == number_type::f64) {
        const u64 bits = std::bit_cast<u64>(constant_value<f64>(o));
        append_broadcast(rows, static_cast<u32>(bits));
        append_broadcast(rows, static_cast<u32>(bits >> 32));
    } else if (o.kind == operand_kind::constant) {
        append_broadcast(rows, kind == number_type::f16 ? o.value16 : o.value32);
    }
}

// What operand `n` is, the destination being the first.
number_type kind_of_operand(const instruction& i, const number_types& types, size_t n) {
    constexpr size_t b = 2;
    constexpr size_t c = 3;
    if (n == 0) {
        return types.result;
    }
    const bool is_small = types.result == number_type::fp8 || types.result == number_type::bf8;
    // Behind the sources that are converted are a byte's number, random bits, a scale (f32).
    if ((is_small || is_without_nan(types)) && n > (i.is(kind::converts_two) ? 2u : 1u)) {
        const bool is_scale = i.is(kind::scaled) && n + 1 == i.operand_count;
        return is_scale ? number_type::f32 : number_type::other;
    }
    if (i.is(kind::mix)) {
        return (i.op_sel_hi >> (n - 1) & 1) != 0 ? number_type::f16 : number_type::f32;
    }
    if (i.matrix != nullptr || i.is(kind::dot)) {
        return n == b   ? types.second
               : n == c ? types.result
               : n > c  ? number_type::other
                        : types.source;
    }
    return types.source;
}

// The numbers of a lane, the first few of them.
std::string text_of(number_type kind, gfx_target target, rows_t rows, size_t lane) {
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
        } else if (kind == number_type::f32) {
            add("%.9g", double{std::bit_cast<f32>(v)});
        } else if (kind == number_type::other) {
            add("0x%x", v);
        } else if (r % 2 == 1) {
            add("%.17g", std::bit_cast<f64>(u64{v} << 32 | rows[r - 1][lane]));
        }
    }
    return text + (rows.size() > most ? " ..." : "");
}

std::string name_of(const operand& o) {
    const uint32_t first = first_register(o);
    return first == no_register ? "constant" : register_name({first, o.dwords});
}

bool is_followed(const instruction& i, const number_types& types) {
    // Of SDWA and DPP it is not known which parts and lanes are converted.
    const bool may_lose =
        is_without_nan(types) && !i.crosses_lanes && !i.has(mod::sdwa) && !i.has(mod::op_sel);
    // v_div_scale, of two results, makes a NaN of each 0, for v_div_fixup to put right.
    return (types.result != number_type::other || may_lose) && i.operand_count >= 2 &&
           is_vector(i.operands[0]) && !i.is(kind::two_results);
}

// Whether a NaN in this operand accounts for one in the result. v_div_fixup looks at its denominator
// and its numerator; the quotient of a division by 0, and of 0, is a NaN.
bool accounts_for_result(const instruction& i, size_t n) {
    return n > 1 || !i.is(kind::div_fixup);
}

// ", in D[3][5]": where the result of a matrix instruction has it first.
std::string element_of_result(const instruction& i, number_type kind, rows_t result, size_t lane,
                              bool is_nan) {
    const size_t dwords = kind == number_type::f64 ? 2 : 1;
    for (size_t r = 0; r + dwords <= result.size(); r += dwords) {
        const lane_masks masks = masks_of(kind, i.target, result.subspan(r, dwords));
        if (((is_nan ? masks.nan : masks.infinity) >> lane & 1) != 0) {
            const std::string element =
                matrix_elements(i, first_register(i.operands[0]) + static_cast<uint32_t>(r),
                                static_cast<int>(lane), true);
            return element.empty() ? "" : ", in " + element;
        }
    }
    return "";
}

}  // namespace

void nan_check::look(const wave& w, const instruction& i) {
    const number_types types = types_of(i);
    is_followed_ = is_followed(i, types);
    may_lose_ = is_without_nan(types);
    if (!is_followed_) {
        return;
    }
    rows_.clear();
    operands_.clear();
    before_ = {};
    // What was in the destination counts as an operand: it is one of v_fmac, and half of it stays
    // where a result has 16 bits.
    for (size_t n = 0; n < i.operand_count; ++n) {
        const number_type kind = kind_of_operand(i, types, n);
        const size_t first = rows_.size();
        append_rows(w, i.operands[n], kind, rows_);
        operands_.push_back({&i.operands[n], kind, first, rows_.size() - first});
        if (may_lose_ && kind == number_type::f16 && !i.is(kind::scaled)) {
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
    const number_type kind = operands_[0].kind;
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
