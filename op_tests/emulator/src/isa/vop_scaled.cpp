// v_cvt_scalef32_*, gfx950: conversions with a block scale (ISA guide 7.3, 12.11).
//
// Only the exponent of the f32 scale counts: decoding multiplies by 2**(exponent - 127), encoding
// divides by it, both before the one rounding.
#include "isa/small_float.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

enum class wide { f32, f16, bf16 };

constexpr int bits_of(wide format) {
    return format == wide::f32 ? 32 : 16;
}

// LLVM prints OPSEL by source and destination, its four bits are plainer in the encoding.
u32 op_sel_bits(const instruction& i) {
    return i.encoding[0] >> 11 & 0xf;
}

// The scale of each lane; exponent 255 is NaN.
struct lane_scales {
    vector_source source;
    lane_scales(wave& w, const instruction& i, int operand_number) {
        fetch<u32>(w, i, i.operands[static_cast<size_t>(operand_number)], operand_number - 1,
                   source);
    }
    f64 at(int lane) const {
        const u32 exponent = source.lo[lane] >> 23 & 0xff;
        return exponent == 255 ? __builtin_nan("") : power_of_two(static_cast<int>(exponent) - 127);
    }
};

u32 read_field(const u32* dwords, int position, int width) {
    u64 window = dwords[position / 32];
    if (position % 32 + width > 32) {
        window |= u64{dwords[position / 32 + 1]} << 32;
    }
    return static_cast<u32>((window >> position % 32) & ((u64{1} << width) - 1));
}

void write_field(u32* dwords, int position, int width, u32 value) {
    const u64 mask = ((u64{1} << width) - 1) << position % 32;
    const u64 placed = u64{value} << position % 32;
    u32& low = dwords[position / 32];
    low = static_cast<u32>((low & ~mask) | placed);
    if (position % 32 + width > 32) {
        u32& high = dwords[position / 32 + 1];
        high = (high & ~static_cast<u32>(mask >> 32)) | static_cast<u32>(placed >> 32);
    }
}

// Of a source of up to one dword. Only f32 has the modifiers - and ||.
template <wide W>
void fetch_single(wave& w, const instruction& i, const operand& o, int number,
                  vector_source& source) {
    if constexpr (W == wide::f32) {
        fetch<f32>(w, i, o, number, source);
    } else {
        fetch_pair<std::conditional_t<W == wide::f16, f16, bf16_bits>>(w, i, o, number, source);
    }
}

template <wide W>
u32 encode_wide(f64 value) {
    if constexpr (W == wide::f32) {
        return to_bits(static_cast<f32>(value));
    }
    if constexpr (W == wide::f16) {
        return to_bits(to_half(static_cast<f32>(value)));
    }
    // The value has at most 4 significant bits: exact in f32.
    if constexpr (W == wide::bf16) {
        return f32_to_bf16(static_cast<f32>(value));
    }
}

template <wide W>
f64 decode_wide(u32 bits) {
    if constexpr (W == wide::f32) {
        return static_cast<f64>(std::bit_cast<f32>(bits));
    }
    if constexpr (W == wide::f16) {
        return static_cast<f64>(std::bit_cast<f16>(static_cast<u16>(bits)));
    }
    if constexpr (W == wide::bf16) {
        return static_cast<f64>(bf16_to_f32(bits));
    }
}

// "Conversion from F32 supports MODE-based denormal control; F4/F6/F8 allows denorms regardless of
// MODE" (ISA guide 7.3). f16 and bf16 sources are kept.
template <wide W>
f64 source_in_mode(const wave& w, f64 value) {
    if (W == wide::f32 && (w.float_effects & float_effect::flush_f32_sources) != 0) {
        return static_cast<f64>(flush(static_cast<f32>(value)));
    }
    return value;
}

// Results of f32 and f16 are flushed as all are.
template <wide W>
u32 result_in_mode(const wave& w, const instruction& i, f64 exact, u32 bits) {
    if (w.float_effects == 0) [[likely]] {
        return bits;
    }
    if constexpr (W == wide::f32) {
        if ((w.float_effects & float_effect::flush_f32_results) != 0) {
            return to_bits(flush(std::bit_cast<f32>(bits)));
        }
    }
    if constexpr (W == wide::f16) {
        if (limits_overflow(w)) {
            bits = limited(i, bits, exact);
        }
        if ((w.float_effects & float_effect::flush_f16_f64_results) != 0) {
            return to_bits(flush(std::bit_cast<f16>(static_cast<u16>(bits))));
        }
    }
    return bits;
}

// Of the lanes that are on.
template <int Dwords>
void write_lanes(lane_row* destination, const u32 (&result)[lane_count][Dwords], u64 exec) {
    for (int l = 0; l < lane_count; ++l) {
        for (int d = 0; d < Dwords && (exec >> l & 1) != 0; ++d) {
            destination[d].lane[static_cast<size_t>(l)] = result[l][d];
        }
    }
}

// Text: vdst, s0, scale. Count elements of s0 from the position that op_sel names.
template <small_format Format, wide W, int Count>
void from_small(wave& w, const instruction& i) {
    constexpr int source_bits = Count * Format.bits();
    constexpr int source_dwords = (source_bits + 31) / 32;
    constexpr int result_dwords = (Count * bits_of(W) + 31) / 32;
    const lane_row* source = nullptr;
    vector_source single;  // one dword may be a scalar register or a constant, too
    if constexpr (source_dwords == 1) {
        fetch<u32>(w, i, i.operands[1], 0, single);
    } else {
        source = register_rows(w, i, i.operands[1], source_dwords, index_bit_src0);
    }
    lane_row* destination = register_rows(w, i, i.operands[0], result_dwords, index_bit_dst);
    const lane_scales scales(w, i, 2);
    const u32 op_sel = op_sel_bits(i);
    // A word by op_sel[0], a byte by op_sel[1:0].
    const int first = source_bits == 16  ? static_cast<int>(op_sel & 1) * 16
                      : source_bits == 8 ? static_cast<int>(op_sel & 3) * 8
                                         : 0;
    const u64 exec = w.exec();
    u32 result[lane_count][result_dwords] = {};
    for (int l = 0; l < lane_count; ++l) {
        const size_t lane = static_cast<size_t>(l);
        u32 packed[source_dwords];
        for (int d = 0; d < source_dwords; ++d) {
            packed[d] = source_dwords == 1 ? lane_value<u32>(single, l) : source[d].lane[lane];
        }
        // One 16-bit result goes to the half that op_sel[3] names.
        const int offset = Count == 1 && W != wide::f32 && (op_sel & 8) != 0 ? 16 : 0;
        if constexpr (Count == 1) {
            result[l][0] = destination[0].lane[lane];
        }
        for (int e = 0; e < Count; ++e) {
            const u32 code = read_field(packed, first + e * Format.bits(), Format.bits());
            const f64 value = static_cast<f64>(decode_small(Format, code)) * scales.at(l);
            write_field(result[l], offset + e * bits_of(W), bits_of(W),
                        result_in_mode<W>(w, i, value, encode_wide<W>(value)));
        }
    }
    write_lanes(destination, result, exec);
}

// Text: vdst, s0[, s1 of f32 forms], scale; where it rounds at random vdst, s0, seed, scale. f32
// forms interleave s0 and s1; the others hold all elements in s0, and each is rounded with the
// next random number. Results of 16 bits together go to the word op_sel[3], those of 8 to the byte
// op_sel[3:2] of the destination, which keeps the rest.
template <small_format Format, wide W, int Count, bool IsRandom = false>
void to_small(wave& w, const instruction& i) {
    constexpr int sources = W == wide::f32 && !IsRandom ? 2 : 1;
    constexpr int source_dwords = (Count / sources * bits_of(W) + 31) / 32;
    constexpr int result_bits = Count * Format.bits();
    constexpr int result_dwords = (result_bits + 31) / 32;
    const lane_scales scales(w, i, IsRandom ? 3 : 1 + sources);
    vector_source seed;
    const u32 op_sel = op_sel_bits(i);
    if constexpr (IsRandom) {
        fetch<u32>(w, i, i.operands[2], 1, seed);
        if ((op_sel & 3) != 0) {
            fail(w, i, "op_sel of a source of " + i.mnemonic + " is not supported");
        }
    }
    const int first = result_bits == 16  ? static_cast<int>(op_sel >> 3 & 1) * 16
                      : result_bits == 8 ? static_cast<int>(op_sel >> 2 & 3) * 8
                                         : 0;
    // A single dword may be a scalar or a constant; longer sources are vector registers.
    vector_source single[2];
    const lane_row* rows[2] = {};
    for (int n = 0; n < sources; ++n) {
        const operand& o = i.operands[static_cast<size_t>(n + 1)];
        if constexpr (source_dwords == 1) {
            fetch_single<W>(w, i, o, n, single[n]);
        } else {
            rows[n] = register_rows(w, i, o, source_dwords, n);
        }
    }
    lane_row* destination = register_rows(w, i, i.operands[0], result_dwords, index_bit_dst);
    const u64 exec = w.exec();
    const bool limit = limits_overflow(w);
    u32 result[lane_count][result_dwords];
    for (int l = 0; l < lane_count; ++l) {
        const size_t lane = static_cast<size_t>(l);
        for (int d = 0; d < result_dwords; ++d) {
            result[l][d] = destination[d].lane[lane];
        }
        u32 random = IsRandom ? seed.lo[l] : 0;
        for (int e = 0; e < Count; ++e) {
            const int n = e % sources;
            const int position = e / sources * bits_of(W);
            const u32 dword =
                source_dwords == 1 ? single[n].lo[l] : rows[n][position / 32].lane[lane];
            const u32 bits = bits_of(W) == 32 ? dword : dword >> position % 32 & 0xffff;
            // A NaN keeps the element's sign; what the host's division gives it is not specified.
            const f64 value = source_in_mode<W>(w, decode_wide<W>(bits));
            const f64 scaled = __builtin_copysign(value / scales.at(l), value);
            const u32 code = IsRandom ? encode_small_stochastic(Format, scaled, random, limit)
                                      : encode_small(Format, scaled, limit);
            write_field(result[l], first + e * Format.bits(), Format.bits(), code);
            random = IsRandom ? next_random(random) : 0;
        }
    }
    write_lanes(destination, result, exec);
}

struct named_small {
    const char* name;
    small_format format;
};
constexpr named_small smalls[] = {
    {"fp8", fp8_ocp}, {"bf8", bf8_ocp}, {"fp4", fp4_e2m1}, {"fp6", fp6_e2m3}, {"bf6", bf6_e3m2}};
struct named_wide {
    const char* name;
    wide format;
};
constexpr named_wide wides[] = {{"f32", wide::f32}, {"f16", wide::f16}, {"bf16", wide::bf16}};

struct scaled_table : row_list {
    void add_scaled(const std::string& name, handler_t execute, u64 flags) {
        add("v_cvt_scalef32_" + name, execute, flags, {}, true);
    }

    template <small_format Format, wide W>
    void add_pair(const std::string& from, const std::string& to) {
        constexpr u64 part = mod::op_sel | kind::keeps_part;
        constexpr u64 neg = W == wide::f32 ? mod::source_neg : 0;
        constexpr u64 two = W == wide::f32 ? kind::converts_two : 0;
        constexpr u64 sr = kind::nearest;
        if constexpr (Format.bits() == 6) {
            add_scaled("pk32_" + from, from_small<Format, W, 32>, 0);
            add_scaled((two != 0 ? "2xpk16_" : "pk32_") + to, to_small<Format, W, 32>, two);
            add_scaled("sr_pk32_" + to, to_small<Format, W, 32, true>, sr);
            return;
        }
        add_scaled("pk_" + from, from_small<Format, W, 2>, mod::op_sel);
        add_scaled("pk_" + to, to_small<Format, W, 2>, part | neg | two);
        if constexpr (Format.bits() == 4) {
            add_scaled("sr_pk_" + to, to_small<Format, W, 2, true>, part | sr);
        } else {
            add_scaled("sr_" + to, to_small<Format, W, 1, true>, part | sr | neg);
            if constexpr (W != wide::bf16) {
                add_scaled(from, from_small<Format, W, 1>, W == wide::f32 ? mod::op_sel : part);
            }
        }
    }

    scaled_table() {
        for_each_of<smalls>([&]<size_t S>() {
            for_each_of<wides>([&]<size_t W>() {
                const std::string small = smalls[S].name;
                const std::string wide = wides[W].name;
                add_pair<smalls[S].format, wides[W].format>(wide + "_" + small, small + "_" + wide);
            });
        });
    }
};

}  // namespace

std::span<const instruction_row> vop_scaled_rows() {
    static const scaled_table table;
    return table.rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
