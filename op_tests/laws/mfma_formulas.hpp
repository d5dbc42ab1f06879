// The dense matrix instructions by their definition (CDNA4 ISA guide, 7.1 and 7.2): which there
// are, where their elements are, what they compute. Where the guide's formulas are not what the
// hardware does, it is said. Nothing here looks at the header.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "small_formats.hpp"

namespace laws {

// == elements =====================================================================================
enum class element { f64, f32, xf32, f16, bf16, i8, i32, fp8, bf8, fp6, bf6, fp4 };

inline const char* name_of(element e) {
    constexpr const char* names[] = {"f64", "f32", "xf32", "f16", "bf16", "i8",
                                     "i32", "fp8", "bf8",  "fp6", "bf6",  "fp4"};
    return names[static_cast<int>(e)];
}
inline int bits_of(element e) {
    constexpr int bits[] = {64, 32, 32, 16, 16, 8, 32, 8, 8, 6, 6, 4};
    return bits[static_cast<int>(e)];
}
// The operands of the f8f6f4 instructions, in the order of their codes.
inline bool is_small(element e) {
    return e >= element::fp8;
}

// The encoder of a format; fp8 and bf8 are FNUZ on gfx942.
inline const encoder& encoder_of(element e, int target) {
    static const encoder all[] = {encoder(fp16),      encoder(fp8_fnuz), encoder(bf8_fnuz),
                                  encoder(fp8_ocp),   encoder(bf8_ocp),  encoder(laws::fp6),
                                  encoder(laws::bf6), encoder(laws::fp4)};
    switch (e) {
        case element::f16:
            return all[0];
        case element::fp8:
            return all[target == 942 ? 1 : 3];
        case element::bf8:
            return all[target == 942 ? 2 : 4];
        case element::fp6:
            return all[5];
        case element::bf6:
            return all[6];
        case element::fp4:
            return all[7];
        default:
            throw std::logic_error("not a small format");
    }
}

// The bits of an element of this value, which must be exact.
inline uint64_t encode(element e, int target, double x) {
    switch (e) {
        case element::f64: {
            uint64_t bits;
            std::memcpy(&bits, &x, sizeof(bits));
            return bits;
        }
        case element::f32:
        case element::xf32:
            return float_bits(static_cast<float>(x));
        case element::bf16:
            return float_bits(static_cast<float>(x)) >> 16;
        case element::i8:
            return static_cast<uint8_t>(static_cast<int>(x));
        case element::i32:
            return static_cast<uint32_t>(static_cast<int>(x));
        default:
            return encoder_of(e, target)(x);
    }
}
// The value of a result.
inline double decode(element e, uint64_t bits) {
    if (e == element::f64) {
        double x;
        std::memcpy(&x, &bits, sizeof(x));
        return x;
    }
    return e == element::i32 ? static_cast<int32_t>(static_cast<uint32_t>(bits))
                             : static_cast<double>(bits_float(static_cast<uint32_t>(bits)));
}

// Values that are exact in the format, of which the sums of up to 256 products are exact in the
// accumulator, with scales of 1/4 to 2 for each operand.
inline std::vector<double> exact_values(element e) {
    std::vector<double> values;
    if (is_small(e)) {
        for (const double x : encoder_of(e, 950).values()) {
            if (x <= 4 && std::fmod(x, 0.25) == 0) {
                values.push_back(x);
                values.push_back(-x);
            }
        }
    } else {
        const int limit = e == element::i8 ? 127 : e == element::f64 || e == element::f32 ? 60 : 9;
        for (int x = -limit; x <= limit; x++) {
            values.push_back(x);
        }
        if (e == element::i8) {
            values.push_back(-128);
        }
    }
    return values;
}

// Memory in which elements lie one after the other, bit by bit.
struct image {
    std::vector<uint8_t> bytes;

    // All bits set, a NaN in most formats, until something is put there.
    image(size_t elements, element e) : bytes((elements * bits(e) + 31) / 32 * 4, 0xff) {}

    void put(size_t index, element e, int target, double x) {
        const uint64_t code = encode(e, target, x);
        for (size_t i = 0; i < bits(e); i++) {
            const size_t at = index * bits(e) + i;
            const auto mask = static_cast<uint8_t>(1u << at % 8);
            bytes[at / 8] = static_cast<uint8_t>((code >> i & 1) != 0 ? bytes[at / 8] | mask
                                                                      : bytes[at / 8] & ~mask);
        }
    }
    // Of a result, which has whole bytes.
    double get(size_t index, element e) const {
        uint64_t code = 0;
        std::memcpy(&code, bytes.data() + index * bits(e) / 8, bits(e) / 8);
        return decode(e, code);
    }

private:
    static size_t bits(element e) { return static_cast<size_t>(bits_of(e)); }
};

// == instructions =================================================================================
struct instruction {
    element a;
    element b;
    element c;
    int m;
    int n;
    int k;
    int blocks;
    int cycles_on_gfx942;  // 0: it does not exist there
    int cycles_on_gfx950;

    bool is_on(int target) const {
        return (target == 942 ? cycles_on_gfx942 : cycles_on_gfx950) != 0;
    }
    std::string name() const {
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + "_" +
               (blocks > 1 ? std::to_string(blocks) + "b_" : "") + name_of(a) + "_" + name_of(b);
    }
};

// All of both targets: ISA guides of CDNA3 and CDNA4, lists of dense MFMA instructions.
inline std::vector<instruction> all_instructions() {
    using e = element;
    std::vector<instruction> all = {
        {e::f64, e::f64, e::f64, 16, 16, 4, 1, 32, 64},
        {e::f64, e::f64, e::f64, 4, 4, 4, 4, 16, 16},
        {e::f32, e::f32, e::f32, 32, 32, 1, 2, 64, 64},
        {e::f32, e::f32, e::f32, 16, 16, 1, 4, 32, 32},
        {e::f32, e::f32, e::f32, 4, 4, 1, 16, 8, 8},
        {e::f32, e::f32, e::f32, 32, 32, 2, 1, 64, 64},
        {e::f32, e::f32, e::f32, 16, 16, 4, 1, 32, 32},
        {e::xf32, e::xf32, e::f32, 16, 16, 8, 1, 16, 0},
        {e::xf32, e::xf32, e::f32, 32, 32, 4, 1, 32, 0},
    };
    for (const e t : {e::f16, e::bf16, e::i8}) {
        const e c = t == e::i8 ? e::i32 : e::f32;
        const int twice = t == e::i8 ? 2 : 1;
        all.push_back({t, t, c, 32, 32, 4, 2, 64, 64});
        all.push_back({t, t, c, 16, 16, 4, 4, 32, 32});
        all.push_back({t, t, c, 4, 4, 4, 16, 8, 8});
        all.push_back({t, t, c, 32, 32, 8 * twice, 1, 32, 32});
        all.push_back({t, t, c, 16, 16, 16 * twice, 1, 16, 16});
        all.push_back({t, t, c, 32, 32, 16 * twice, 1, 0, 32});
        all.push_back({t, t, c, 16, 16, 32 * twice, 1, 0, 16});
    }
    for (const e a : {e::fp8, e::bf8}) {
        for (const e b : {e::fp8, e::bf8}) {
            all.push_back({a, b, e::f32, 32, 32, 16, 1, 32, 32});
            all.push_back({a, b, e::f32, 16, 16, 32, 1, 16, 16});
        }
    }
    for (const e a : {e::fp8, e::bf8, e::fp6, e::bf6, e::fp4}) {
        for (const e b : {e::fp8, e::bf8, e::fp6, e::bf6, e::fp4}) {
            const int twice = bits_of(a) == 8 || bits_of(b) == 8 ? 2 : 1;
            all.push_back({a, b, e::f32, 16, 16, 128, 1, 0, 16 * twice});
            all.push_back({a, b, e::f32, 32, 32, 64, 1, 0, 32 * twice});
        }
    }
    return all;
}

// == where the elements are =======================================================================
struct place {
    int lane;
    int item;
};

// A[b, i, k] of an instruction with `rows` rows and `depth` k; also B[b, k, i], of as many columns.
inline place operand_place(element e, int rows, int depth, int blocks, int b, int i, int k) {
    const int per_lane = depth / (64 / (rows * blocks));
    if (bits_of(e) == 8 && per_lane == 32) {
        // f8f6f4: each lane has two runs of 16 (7.1.5.1).
        const int half = depth / 2;
        return {i + rows * (k % half / 16), k % 16 + 16 * (k / half)};
    }
    return {i + rows * (b + blocks * (k / per_lane)), k % per_lane};
}

// C[b, i, j] of an instruction with m rows and n columns (7.1.4.2).
inline place result_place(element c, int m, int n, int blocks, int b, int i, int j) {
    if (c == element::f64 && blocks == 4) {
        // The guide's formula says 16 b + 4 i + j; AMD's matrix instruction calculator says this.
        return {16 * i + 4 * b + j, 0};
    }
    const int h = c == element::f64 ? 1 : 4;
    const int b_i = (64 + n * m / h - 1) / (n * m / h);
    const int m_i = 64 / b_i / n;
    const int g = m / (h * m_i);
    return {j + n * ((i / h) % m_i + m_i * (b % b_i)), i % h + h * (i / (h * m_i) + g * (b / b_i))};
}

// The block that A of block b is read from: number abid of its group of 2^cbsz neighbours (table 89
// of 13.3.6.1). The formula of 7.1.6.1 has the same only where all blocks are one group.
inline int broadcast_block_a(int b, int cbsz, int abid) {
    const int group = 1 << cbsz;
    return b / group * group + abid;
}
// The lane that B is read from instead of this one (7.1.6.3).
inline int broadcast_lane_b(int lane, int blgp) {
    switch (blgp) {
        case 0:
            return lane;
        case 1:
            return lane % 32;
        case 2:
            return lane % 32 + 32;
        case 3:
            return (lane + 16) % 64;
        default:
            return lane % 16 + 16 * (blgp - 4);
    }
}

}  // namespace laws
