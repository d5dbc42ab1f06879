#include "isa/float_mode.hpp"

#include <cfenv>

#include "isa/instruction.hpp"

namespace emu {
namespace {

enum class rounding { by_result, nearest };

struct rule_row {
    text_t prefix;
    bool flushes_sources;
    bool flushes_results;
    rounding round;
};

constexpr auto by_result = rounding::by_result;
constexpr auto nearest = rounding::nearest;

// "Rounding and Denormal modes apply to all floating-point operations unless otherwise specified in
// the instruction description" (ISA guide 12). Here is what is otherwise specified; the first row
// that fits counts.
constexpr rule_row rule_rows[] = {
    // Bits that are moved or looked at. v_cmp_class knows denormals in every mode.
    {"v_cmp_class_", false, false, nearest},
    {"v_cmpx_class_", false, false, nearest},
    {"v_pack_b32_f16", false, false, nearest},
    // Matrix and dot instructions have rules of their own, which their handlers follow.
    {"v_mfma_", false, false, nearest},
    {"v_dot", false, false, nearest},
    // "Input denormals are not flushed but output flushing is allowed."
    {"v_div_fmas_", false, true, by_result},
    // Approximations of 1 ULP or less, without a word on rounding.
    {"v_exp_", true, true, nearest},
    {"v_log_", true, true, nearest},
    {"v_rcp_", true, true, nearest},
    {"v_rsq_", true, true, nearest},
    {"v_sqrt_", true, true, nearest},
    {"v_sin_", true, true, nearest},
    {"v_cos_", true, true, nearest},
    {"v_trig_preop_", true, true, nearest},
    // Conversions that name their rounding.
    {"v_cvt_rpi_", true, true, nearest},
    {"v_cvt_flr_", true, true, nearest},
    {"v_cvt_pkrtz_", true, true, nearest},
    {"v_cvt_pk_f16_f32", true, true, nearest},
    {"v_cvt_pk_bf16_f32", true, true, nearest},
    {"v_cvt_pk_fp8_", true, true, nearest},
    {"v_cvt_pk_bf8_", true, true, nearest},
    {"v_cvt_sr_", true, true, nearest},
    {"v_cvt_scalef32_sr_", true, true, nearest},
};

// Of the first type in the name that has a mode: the result's, or the source's if the result is an
// integer.
round_field round_field_of(text_t name) {
    const size_t f32 = name.find("_f32");
    const size_t f16 = name.find("_f16");
    const size_t f64 = name.find("_f64");
    const size_t half_or_double = f16 < f64 ? f16 : f64;
    if (f32 == half_or_double) {  // neither is there
        return round_field::none;
    }
    // The sum of v_fma_mixlo and mixhi is one of f32; its handler rounds it to f16.
    if (f32 < half_or_double || name.starts_with("v_fma_mix") || name.starts_with("v_mad_mix")) {
        return round_field::f32;
    }
    return round_field::f16_f64;
}

int host_rounding(uint32_t mode) {
    switch (mode) {
        case round_mode::up:
            return FE_UPWARD;
        case round_mode::down:
            return FE_DOWNWARD;
        case round_mode::toward_zero:
            return FE_TOWARDZERO;
        default:
            return FE_TONEAREST;
    }
}

}  // namespace

float_rule float_rule_of(text_t mnemonic) {
    if (!mnemonic.starts_with("v_")) {
        return {};
    }
    for (const rule_row& row : rule_rows) {
        if (mnemonic.starts_with(row.prefix)) {
            return {row.flushes_sources, row.flushes_results,
                    row.round == nearest ? round_field::none : round_field_of(mnemonic)};
        }
    }
    return {true, true, round_field_of(mnemonic)};
}

void execute_in_mode(wave& w, const instruction& i) {
    const float_rule& rule = i.floats;
    if (!rule.uses_mode()) {
        i.execute(w, i);
        return;
    }
    const uint32_t mode = w.mode;
    uint8_t effects = (mode & mode_bit::fp16_ovfl) != 0 ? float_effect::limit_f16 : 0;
    const auto flush = [&](uint32_t kept, uint8_t effect) {
        if ((mode & kept) == 0) {
            effects |= effect;
        }
    };
    if (rule.flushes_sources) {
        flush(mode_bit::denorm_f32_in, float_effect::flush_f32_sources);
        flush(mode_bit::denorm_f16_f64_in, float_effect::flush_f16_f64_sources);
    }
    if (rule.flushes_results) {
        flush(mode_bit::denorm_f32_out, float_effect::flush_f32_results);
        flush(mode_bit::denorm_f16_f64_out, float_effect::flush_f16_f64_results);
    }
    const uint32_t round = rule.round == round_field::f32       ? mode & mode_bit::round_f32
                           : rule.round == round_field::f16_f64 ? mode >> 2 & 3
                                                                : round_mode::nearest;
    if (round == round_mode::nearest) {
        w.float_effects = effects;
        i.execute(w, i);
        w.float_effects = 0;
        return;
    }
    w.float_effects = effects | float_effect::directed;
    std::fesetround(host_rounding(round));
    i.execute(w, i);
    std::fesetround(FE_TONEAREST);
    w.float_effects = 0;
}

}  // namespace emu
