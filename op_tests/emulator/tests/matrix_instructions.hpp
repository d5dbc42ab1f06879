// The matrix instructions, and where the elements of their operands lie, for their tests.
#pragma once

#include "machine.hpp"

namespace emu {

enum class format { f16, bf16, f32, xf32, f64, i8, fp8, bf8 };

struct matrix_instruction {
    const char* name;
    int m;
    int n;
    int k;
    int blocks;
    format a;
    format b;
    bool on_gfx942 = true;
    bool on_gfx950 = true;
};

constexpr auto gfx950_only = false;

inline constexpr matrix_instruction instructions[] = {
    {"v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, format::f32, format::f32},
    {"v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, format::f32, format::f32},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, format::f32, format::f32},
    {"v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, format::f32, format::f32},
    {"v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, format::f32, format::f32},
    {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, format::xf32, format::xf32, true, false},
    {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, format::xf32, format::xf32, true, false},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, format::f16, format::f16},
    {"v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, format::f16, format::f16},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, format::f16, format::f16},
    {"v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, format::f16, format::f16},
    {"v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, format::f16, format::f16},
    {"v_mfma_f32_32x32x16_f16", 32, 32, 16, 1, format::f16, format::f16, gfx950_only},
    {"v_mfma_f32_16x16x32_f16", 16, 16, 32, 1, format::f16, format::f16, gfx950_only},
    {"v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, format::bf16, format::bf16},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, format::bf16, format::bf16},
    {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, format::bf16, format::bf16},
    {"v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, format::bf16, format::bf16},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, format::bf16, format::bf16},
    {"v_mfma_f32_32x32x16_bf16", 32, 32, 16, 1, format::bf16, format::bf16, gfx950_only},
    {"v_mfma_f32_16x16x32_bf16", 16, 16, 32, 1, format::bf16, format::bf16, gfx950_only},
    {"v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, format::i8, format::i8},
    {"v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, format::i8, format::i8},
    {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, format::i8, format::i8},
    {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, format::i8, format::i8},
    {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, format::i8, format::i8},
    {"v_mfma_i32_32x32x32_i8", 32, 32, 32, 1, format::i8, format::i8, gfx950_only},
    {"v_mfma_i32_16x16x64_i8", 16, 16, 64, 1, format::i8, format::i8, gfx950_only},
    {"v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, format::f64, format::f64},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, format::f64, format::f64},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, format::fp8, format::fp8},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, format::fp8, format::bf8},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, format::bf8, format::fp8},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, format::bf8, format::bf8},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, format::fp8, format::fp8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, format::fp8, format::bf8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, format::bf8, format::fp8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, format::bf8, format::bf8},
};

inline int bits_of(format f) {
    switch (f) {
        case format::f64:
            return 64;
        case format::f32:
        case format::xf32:
            return 32;
        case format::f16:
        case format::bf16:
            return 16;
        default:
            return 8;
    }
}

inline void put_item(lane_row* rows, int lane, int item, int width, uint64_t code) {
    const size_t l = static_cast<size_t>(lane);
    if (width == 64) {
        rows[2 * item][l] = static_cast<uint32_t>(code);
        rows[2 * item + 1][l] = static_cast<uint32_t>(code >> 32);
        return;
    }
    const int position = item * width;
    uint32_t& dword = rows[position / 32][l];
    const uint64_t mask = ((1ull << width) - 1) << position % 32;
    dword = static_cast<uint32_t>((dword & ~mask) | (code << position % 32 & mask));
}

struct place {
    int lane;
    int item;
};

inline int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// C and D[block, i, j] (7.1.4.2).
inline place result_place(const matrix_instruction& t, int block, int i, int j) {
    if (t.a == format::f64 && t.blocks == 4) {
        // Not by the guide's formula: AMD's matrix instruction calculator has lane 16 i + 4 b + j.
        return {16 * i + 4 * block + j, 0};
    }
    const int h = t.a == format::f64 ? 1 : 4;
    const int b_i = ceil_div(64, t.n * t.m / h);
    const int m_i = (64 / b_i) / t.n;
    const int g = t.m / (h * m_i);
    return {j + t.n * ((i / h) % m_i + m_i * (block % b_i)),
            (i % h) + h * (i / (h * m_i) + g * (block / b_i))};
}

struct register_choice {
    bool a_in_agpr;
    bool b_in_agpr;
    bool c_in_agpr;  // C and D
    bool c_is_constant;
};

inline int items_of_a_lane(const matrix_instruction& t) {
    return t.k / (64 / (t.m * t.blocks));
}

inline std::string text_of(const matrix_instruction& t, const register_choice& where,
                           const std::string& modifiers) {
    const auto range = [](bool accumulator, int first, int count) {
        const std::string letter = accumulator ? "a" : "v";
        if (count == 1) {
            return letter + std::to_string(first);
        }
        return letter + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
    };
    const int k_l = items_of_a_lane(t);
    const int d_registers = t.m * t.n * t.blocks / 64 * (t.a == format::f64 ? 2 : 1);
    const std::string d = range(where.c_in_agpr, 0, d_registers);
    const std::string c = where.c_is_constant ? (t.a == format::i8 ? "1" : "1.0") : d;
    return std::string(t.name) + " " + d + ", " +
           range(where.a_in_agpr, 64, ceil_div(k_l * bits_of(t.a), 32)) + ", " +
           range(where.b_in_agpr, 96, ceil_div(k_l * bits_of(t.b), 32)) + ", " + c + modifiers;
}

inline bool exists(const matrix_instruction& t, gfx_target target) {
    return target == gfx_target::gfx942 ? t.on_gfx942 : t.on_gfx950;
}

}  // namespace emu
