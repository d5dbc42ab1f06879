// MODE: how it rounds and which denormals it flushes (ISA guide 3.5, 6.4).
//
// Handlers compute in the usual mode: nearest even, denormals kept. In any other one an instruction
// is executed by execute_in_mode(), which sets the host's rounding and wave::float_effects for the
// time of its handler.
#pragma once

#include <cstdint>

#include "machine/wave.hpp"

namespace emu {

struct instruction;

// Which of the two round modes counts for the result.
enum class round_field : uint8_t { none, f32, f16_f64 };

// What an instruction takes of MODE.
struct float_rule {
    bool flushes_sources = false;
    bool flushes_results = false;
    round_field round = round_field::none;
    bool uses_mode() const {
        return flushes_sources || flushes_results || round != round_field::none;
    }
};

float_rule float_rule_of(const instruction& i);

// Bits of wave::float_effects.
namespace float_effect {
constexpr uint8_t flush_f32_sources = 1 << 0;
constexpr uint8_t flush_f16_f64_sources = 1 << 1;
constexpr uint8_t flush_f32_results = 1 << 2;
constexpr uint8_t flush_f16_f64_results = 1 << 3;
constexpr uint8_t limit_f16 = 1 << 4;  // FP16_OVFL
constexpr uint8_t directed = 1 << 5;   // the host does not round to nearest even
}  // namespace float_effect

namespace mode_bit {
constexpr uint32_t round_f32 = 3u << 0;
constexpr uint32_t round_f16_f64 = 3u << 2;
constexpr uint32_t denorm_f32_in = 1u << 4;
constexpr uint32_t denorm_f32_out = 1u << 5;
constexpr uint32_t denorm_f16_f64_in = 1u << 6;
constexpr uint32_t denorm_f16_f64_out = 1u << 7;
constexpr uint32_t dx10_clamp = 1u << 8;
constexpr uint32_t ieee = 1u << 9;
constexpr uint32_t fp16_ovfl = 1u << 23;
constexpr uint32_t gpr_idx_en = 1u << 27;

// What numbers come out of, and its usual value.
constexpr uint32_t arithmetic = 0xff | fp16_ovfl;
constexpr uint32_t usual_arithmetic = 0xf0;
}  // namespace mode_bit

// Values of the round fields.
namespace round_mode {
constexpr uint32_t nearest = 0;
constexpr uint32_t up = 1;
constexpr uint32_t down = 2;
constexpr uint32_t toward_zero = 3;
}  // namespace round_mode

// The bits of MODE that the handlers do not do by themselves.
inline uint32_t unusual_arithmetic(const wave& w) {
    return (w.mode & mode_bit::arithmetic) ^ mode_bit::usual_arithmetic;
}

void execute_in_mode(wave& w, const instruction& i);

}  // namespace emu
