// The matrix instructions: a row says all of each but how it is computed (mfma.cpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "machine/target.hpp"

namespace emu {

// What A and B hold. The result has as many bits as it, but at least 32.
enum class element : uint8_t {
    f16,
    bf16,
    f32,
    xf32,
    fp8,
    bf8,
    i8,
    f64,
    chosen,  // by cbsz for A and blgp for B: fp8, bf8, fp6, bf6, fp4
};

constexpr int bits_of(element e) {
    switch (e) {
        case element::f16:
        case element::bf16:
            return 16;
        case element::f32:
        case element::xf32:
            return 32;
        case element::f64:
            return 64;
        default:
            return 8;
    }
}

constexpr int bits_of_chosen[] = {8, 8, 6, 6, 4};

struct matrix_shape {
    int m;
    int n;
    int k;
    int blocks;
};

struct matrix_row {
    std::string_view mnemonic;
    matrix_shape shape;
    element a;
    element b;
    uint8_t gfx942;  // passes of 4 clocks; 0: the target does not have it
    uint8_t gfx950;
    bool is_scaled = false;

    constexpr bool is_f64() const { return a == element::f64; }
    // Executed as the types but f32 and f64 are.
    constexpr bool is_xdl() const { return a != element::f32 && !is_f64(); }
    // Of `chosen` twice as many if A or B has 8 bits.
    constexpr uint8_t passes(gfx_target target, bool has_8_bits = false) const {
        const int passes = target == gfx_target::gfx942 ? gfx942 : gfx950;
        return static_cast<uint8_t>(a == element::chosen && has_8_bits ? 2 * passes : passes);
    }
};

// Passes: table 28 of the CDNA4 ISA guide for gfx950, LLVM's scheduling model for gfx942. The guide
// gives v_mfma_f64_4x4x4_4b_f64 32 cycles there and 4 passes in chapter 12; LLVM has 4 passes for both
// targets, and so has this table.
// clang-format off
constexpr matrix_row matrix_rows[] = {
    {"v_mfma_f32_32x32x1_2b_f32",         {32, 32, 1, 2},    element::f32,    element::f32,    16, 16},
    {"v_mfma_f32_16x16x1_4b_f32",         {16, 16, 1, 4},    element::f32,    element::f32,    8,  8},
    {"v_mfma_f32_4x4x1_16b_f32",          {4, 4, 1, 16},     element::f32,    element::f32,    2,  2},
    {"v_mfma_f32_32x32x2_f32",            {32, 32, 2, 1},    element::f32,    element::f32,    16, 16},
    {"v_mfma_f32_16x16x4_f32",            {16, 16, 4, 1},    element::f32,    element::f32,    8,  8},
    {"v_mfma_f32_32x32x4_xf32",           {32, 32, 4, 1},    element::xf32,   element::xf32,   8,  0},
    {"v_mfma_f32_16x16x8_xf32",           {16, 16, 8, 1},    element::xf32,   element::xf32,   4,  0},
    {"v_mfma_f32_32x32x4_2b_f16",         {32, 32, 4, 2},    element::f16,    element::f16,    16, 16},
    {"v_mfma_f32_16x16x4_4b_f16",         {16, 16, 4, 4},    element::f16,    element::f16,    8,  8},
    {"v_mfma_f32_4x4x4_16b_f16",          {4, 4, 4, 16},     element::f16,    element::f16,    2,  2},
    {"v_mfma_f32_32x32x8_f16",            {32, 32, 8, 1},    element::f16,    element::f16,    8,  8},
    {"v_mfma_f32_16x16x16_f16",           {16, 16, 16, 1},   element::f16,    element::f16,    4,  4},
    {"v_mfma_f32_32x32x16_f16",           {32, 32, 16, 1},   element::f16,    element::f16,    0,  8},
    {"v_mfma_f32_16x16x32_f16",           {16, 16, 32, 1},   element::f16,    element::f16,    0,  4},
    {"v_mfma_f32_32x32x4_2b_bf16",        {32, 32, 4, 2},    element::bf16,   element::bf16,   16, 16},
    {"v_mfma_f32_16x16x4_4b_bf16",        {16, 16, 4, 4},    element::bf16,   element::bf16,   8,  8},
    {"v_mfma_f32_4x4x4_16b_bf16",         {4, 4, 4, 16},     element::bf16,   element::bf16,   2,  2},
    {"v_mfma_f32_32x32x8_bf16",           {32, 32, 8, 1},    element::bf16,   element::bf16,   8,  8},
    {"v_mfma_f32_16x16x16_bf16",          {16, 16, 16, 1},   element::bf16,   element::bf16,   4,  4},
    {"v_mfma_f32_32x32x16_bf16",          {32, 32, 16, 1},   element::bf16,   element::bf16,   0,  8},
    {"v_mfma_f32_16x16x32_bf16",          {16, 16, 32, 1},   element::bf16,   element::bf16,   0,  4},
    {"v_mfma_i32_32x32x4_2b_i8",          {32, 32, 4, 2},    element::i8,     element::i8,     16, 16},
    {"v_mfma_i32_16x16x4_4b_i8",          {16, 16, 4, 4},    element::i8,     element::i8,     8,  8},
    {"v_mfma_i32_4x4x4_16b_i8",           {4, 4, 4, 16},     element::i8,     element::i8,     2,  2},
    {"v_mfma_i32_32x32x16_i8",            {32, 32, 16, 1},   element::i8,     element::i8,     8,  8},
    {"v_mfma_i32_16x16x32_i8",            {16, 16, 32, 1},   element::i8,     element::i8,     4,  4},
    {"v_mfma_i32_32x32x32_i8",            {32, 32, 32, 1},   element::i8,     element::i8,     0,  8},
    {"v_mfma_i32_16x16x64_i8",            {16, 16, 64, 1},   element::i8,     element::i8,     0,  4},
    {"v_mfma_f64_16x16x4_f64",            {16, 16, 4, 1},    element::f64,    element::f64,    8,  16},
    {"v_mfma_f64_4x4x4_4b_f64",           {4, 4, 4, 4},      element::f64,    element::f64,    4,  4},
    {"v_mfma_f32_16x16x32_fp8_fp8",       {16, 16, 32, 1},   element::fp8,    element::fp8,    4,  4},
    {"v_mfma_f32_16x16x32_fp8_bf8",       {16, 16, 32, 1},   element::fp8,    element::bf8,    4,  4},
    {"v_mfma_f32_16x16x32_bf8_fp8",       {16, 16, 32, 1},   element::bf8,    element::fp8,    4,  4},
    {"v_mfma_f32_16x16x32_bf8_bf8",       {16, 16, 32, 1},   element::bf8,    element::bf8,    4,  4},
    {"v_mfma_f32_32x32x16_fp8_fp8",       {32, 32, 16, 1},   element::fp8,    element::fp8,    8,  8},
    {"v_mfma_f32_32x32x16_fp8_bf8",       {32, 32, 16, 1},   element::fp8,    element::bf8,    8,  8},
    {"v_mfma_f32_32x32x16_bf8_fp8",       {32, 32, 16, 1},   element::bf8,    element::fp8,    8,  8},
    {"v_mfma_f32_32x32x16_bf8_bf8",       {32, 32, 16, 1},   element::bf8,    element::bf8,    8,  8},
    {"v_mfma_f32_16x16x128_f8f6f4",       {16, 16, 128, 1},  element::chosen, element::chosen, 0,  4},
    {"v_mfma_f32_32x32x64_f8f6f4",        {32, 32, 64, 1},   element::chosen, element::chosen, 0,  8},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", {16, 16, 128, 1},  element::chosen, element::chosen, 0,  4, true},
    {"v_mfma_scale_f32_32x32x64_f8f6f4",  {32, 32, 64, 1},   element::chosen, element::chosen, 0,  8, true},
};
// clang-format on

}  // namespace emu
