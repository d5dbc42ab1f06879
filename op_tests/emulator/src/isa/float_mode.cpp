#include "isa/float_mode.hpp"

#include <cfenv>

#include "isa/instruction.hpp"

namespace emu {
namespace {

// Of the result, or of the source if the result is an integer or another type without a mode.
round_field round_field_of(const instruction& i) {
    const auto field = [](number_type type) {
        return type == number_type::f32                               ? round_field::f32
               : type == number_type::f16 || type == number_type::f64 ? round_field::f16_f64
                                                                      : round_field::none;
    };
    // The sum of v_fma_mixlo and mixhi is one of f32; its handler rounds it to f16.
    const round_field result = i.is(kind::mix) ? round_field::f32 : field(i.types.result);
    return result == round_field::none ? field(i.types.source) : result;
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

// "Rounding and Denormal modes apply to all floating-point operations unless otherwise specified in
// the instruction description" (ISA guide 12). Matrix and dot instructions have rules of their own,
// which their handlers follow. v_cmp_class, which copies, knows denormals in every mode. Of
// v_div_fmas "input denormals are not flushed but output flushing is allowed". Of the approximations,
// of 1 ULP or less, the guide has no word on rounding.
float_rule float_rule_of(const instruction& i) {
    if (i.unit != execution_unit::valu || i.is(kind::copies | kind::dot)) {
        return {};
    }
    const bool is_nearest = i.is(kind::nearest | kind::trans);
    return {!i.is(kind::div_fmas), true, is_nearest ? round_field::none : round_field_of(i)};
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
