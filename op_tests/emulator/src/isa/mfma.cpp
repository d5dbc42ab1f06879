// Dense matrix instructions (ISA guide chapter 7).
//
// f32 and f64: every output element starts as C and takes the products in the order k = 0, 1, ...,
// each by one fused multiply-add. i8 is exact and wraps. xf32, f16, bf16, fp8 and bf8 are added as
// in isa/matrix_sums.hpp, or, where the hardware's sums are not known or not wanted, as f32. EXEC is
// ignored; denormals are kept.
#include <memory>
#include <string>

#include "isa/exec.hpp"
#include "isa/matrix_rows.hpp"
#include "isa/matrix_scales.hpp"
#include "isa/matrix_sums.hpp"
#include "isa/small_float.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

template <element E>
using value_of =
    std::conditional_t<E == element::i8, i32, std::conditional_t<E == element::f64, f64, f32>>;

// xf32 drops the low 13 bits of the mantissa; a NaN stays one.
f32 truncate_to_xf32(u32 bits) {
    return std::bit_cast<f32>((bits & 0x7f800000) == 0x7f800000 ? bits : bits & 0xffffe000);
}

struct codes_of_bytes {
    f32 value[256];
    explicit codes_of_bytes(const small_format& format) {
        for (u32 code = 0; code < 256; ++code) {
            value[code] = decode_small(format, code);
        }
    }
};

template <element E>
const codes_of_bytes& byte_table(gfx_target target) {
    static const codes_of_bytes fnuz(E == element::fp8 ? fp8_fnuz : bf8_fnuz);
    static const codes_of_bytes ocp(E == element::fp8 ? fp8_ocp : bf8_ocp);
    return info_of(target).has_ocp_floats ? ocp : fnuz;
}

// Item `item` of a lane: items are packed little-endian into consecutive registers (7.1.4.1).
template <element E>
value_of<E> read_item(gfx_target target, const lane_row* rows, size_t lane, int item) {
    if constexpr (E == element::f64) {
        return std::bit_cast<f64>(u64{rows[2 * item].lane[lane]} |
                                  u64{rows[2 * item + 1].lane[lane]} << 32);
    } else {
        constexpr int per_dword = 32 / bits_of(E);
        const u32 dword = rows[item / per_dword].lane[lane];
        const u32 field = dword >> (item % per_dword * bits_of(E));
        if constexpr (E == element::f32) {
            return std::bit_cast<f32>(field);
        }
        if constexpr (E == element::xf32) {
            return truncate_to_xf32(field);
        }
        if constexpr (E == element::f16) {
            return static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(field)));
        }
        if constexpr (E == element::bf16) {
            return bf16_to_f32(field);
        }
        if constexpr (E == element::i8) {
            return static_cast<i8>(field);
        }
        if constexpr (E == element::fp8 || E == element::bf8) {
            return byte_table<E>(target).value[field & 0xff];
        }
    }
}

using shape = matrix_shape;

// Placement of C and D (7.1.4.2): item and lane of element [b, i, j]. For 4x4x4 in f64 (one item)
// the guide's formula would be j + 4 * i + 16 * b; the hardware has blocks and rows the other way
// round (AMD's matrix instruction calculator).
template <shape S, int H>
struct output_layout {
    static constexpr bool rows_outside_blocks = H == 1 && S.blocks > 1;
    static constexpr int lanes_of_block = S.n * S.m / H;
    static constexpr int b_i = (64 + lanes_of_block - 1) / lanes_of_block;
    static constexpr int m_i = (64 / b_i) / S.n;
    static constexpr int g = S.m / (H * m_i);
    static constexpr int items = S.m * S.n * S.blocks / 64;
    static constexpr int item(int b, int i) { return i % H + H * (i / (H * m_i) + g * (b / b_i)); }
    static constexpr int lane(int b, int i, int j) {
        if (rows_outside_blocks) {
            return j + S.n * (b + S.blocks * i);
        }
        return j + S.n * (i / H % m_i + m_i * (b % b_i));
    }
};

template <class Acc, shape S>
struct operands {
    Acc a[S.blocks][S.m][S.k];
    Acc b[S.blocks][S.k][S.n];
    Acc c[S.blocks][S.m][S.n];
};

inline f32 multiply_add(f32 a, f32 b, f32 c) {
    return __builtin_fmaf(a, b, c);
}
inline f64 multiply_add(f64 a, f64 b, f64 c) {
    return __builtin_fma(a, b, c);
}
inline i32 multiply_add(i32 a, i32 b, i32 c) {
    return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b) + static_cast<u32>(c));
}

template <class Acc, shape S>
void multiply(operands<Acc, S>& o) {
    for (int b = 0; b < S.blocks; ++b) {
        for (int i = 0; i < S.m; ++i) {
            for (int k = 0; k < S.k; ++k) {
                const Acc left = o.a[b][i][k];
                for (int j = 0; j < S.n; ++j) {
                    o.c[b][i][j] = multiply_add(left, o.b[b][k][j], o.c[b][i][j]);
                }
            }
        }
    }
}

// The exponent of the smallest normal number. (gfx942's 8-bit formats are FNUZ.)
constexpr int smallest_exponent(element e) {
    switch (e) {
        case element::f16:
            return -14;
        case element::fp8:
            return -7;
        case element::bf8:
            return -15;
        default:
            return -126;
    }
}

// group 0: fused multiply-adds.
constexpr sum_rule rule_of(element a, element b) {
    const bool is_byte = bits_of(a) == 8 && a != element::i8;
    const int group = is_byte                                   ? 16
                      : a == element::f16 || a == element::bf16 ? 8
                      : a == element::xf32                      ? 4
                                                                : 0;
    return {group, is_byte, smallest_exponent(a), smallest_exponent(b)};
}

// Source 2 is registers or an inline constant.
template <class Acc, shape S, int H>
void read_c(wave& w, const instruction& i, operands<Acc, S>& o, bool negate) {
    using layout = output_layout<S, H>;
    constexpr int dwords = sizeof(Acc) / 4;
    const operand& source = i.operands[3];
    const lane_row* rows =
        is_vector(source) ? register_rows(w, i, source, layout::items * dwords) : nullptr;
    const Acc constant = rows == nullptr ? read_scalar<Acc>(w, i, source) : Acc{};
    for (int b = 0; b < S.blocks; ++b) {
        for (int r = 0; r < S.m; ++r) {
            for (int j = 0; j < S.n; ++j) {
                Acc value = constant;
                if (rows != nullptr) {
                    const size_t lane = static_cast<size_t>(layout::lane(b, r, j));
                    const lane_row* item = rows + layout::item(b, r) * dwords;
                    if constexpr (dwords == 2) {
                        value = std::bit_cast<Acc>(u64{item[0].lane[lane]} | u64{item[1].lane[lane]}
                                                                                 << 32);
                    } else {
                        value = std::bit_cast<Acc>(item[0].lane[lane]);
                    }
                }
                o.c[b][r][j] = negate ? -value : value;
            }
        }
    }
}

template <class Acc, shape S, int H>
void write_d(wave& w, const instruction& i, const operands<Acc, S>& o) {
    using layout = output_layout<S, H>;
    constexpr int dwords = sizeof(Acc) / 4;
    lane_row* rows = register_rows(w, i, i.operands[0], layout::items * dwords);
    for (int b = 0; b < S.blocks; ++b) {
        for (int r = 0; r < S.m; ++r) {
            for (int j = 0; j < S.n; ++j) {
                const size_t lane = static_cast<size_t>(layout::lane(b, r, j));
                lane_row* item = rows + layout::item(b, r) * dwords;
                if constexpr (dwords == 2) {
                    const u64 bits = std::bit_cast<u64>(o.c[b][r][j]);
                    item[0].lane[lane] = static_cast<u32>(bits);
                    item[1].lane[lane] = static_cast<u32>(bits >> 32);
                } else {
                    item[0].lane[lane] = std::bit_cast<u32>(o.c[b][r][j]);
                }
            }
        }
    }
}

// The block that A of block b is read from: of each 2^CBSZ neighbours that of number ABID (table 89
// of 13.3.6.1). The formula of 7.1.6.1, l % S + S * ABID, says the same only where 2^CBSZ is the
// number of blocks.
int broadcast_block(const instruction& i, int b) {
    return (b & ~((1 << i.cbsz) - 1)) + i.abid;
}

void check_broadcast(const wave& w, const instruction& i, int blocks) {
    const int group = 1 << i.cbsz;
    if (group > blocks) {
        fail(w, i,
             "cbsz:" + std::to_string(i.cbsz) + " makes groups of " + std::to_string(group) +
                 " blocks, and the instruction has " + std::to_string(blocks));
    }
    if (i.abid >= group) {
        fail(w, i,
             "abid:" + std::to_string(i.abid) + " is no block of a group of " +
                 std::to_string(group) + " (2 to the power of cbsz)");
    }
}

// The lane that is read for B instead of lane l (7.1.6.3).
size_t permute_b(const instruction& i, size_t l) {
    switch (i.blgp) {
        case 0:
            return l;
        case 1:
            return l % 32;
        case 2:
            return l % 32 + 32;
        case 3:
            return (l + 16) % 64;
        default:
            return l % 16 + 16 * (i.blgp - 4u);
    }
}

// Text: D, A, B, C.
template <shape S, element A, element B = A>
void mfma(wave& w, const instruction& i) {
    using acc = value_of<A>;
    constexpr bool is_f64 = A == element::f64;
    constexpr int h = is_f64 ? 1 : 4;
    constexpr int k_l = S.k / (64 / (S.m * S.blocks));
    refuse_indexing(w, i);
    check_lanes_on(w, i);
    if (!is_f64) {  // which ignores CBSZ and ABID (7.1.6.4)
        check_broadcast(w, i, S.blocks);
    }
    const lane_row* a_rows = register_rows(w, i, i.operands[1], (k_l * bits_of(A) + 31) / 32);
    const lane_row* b_rows = register_rows(w, i, i.operands[2], (k_l * bits_of(B) + 31) / 32);
    operands<acc, S> o;
    // A[b,i,k] and B[b,k,j]: item k % K_L of lane i (or j) + M * (b + blocks * (k / K_L)).
    for (int k = 0; k < S.k; ++k) {
        for (int b = 0; b < S.blocks; ++b) {
            const int from_block = is_f64 ? b : broadcast_block(i, b);
            for (int r = 0; r < S.m; ++r) {
                const size_t from =
                    static_cast<size_t>(r + S.m * (from_block + S.blocks * (k / k_l)));
                o.a[b][r][k] = read_item<A>(i.target, a_rows, from, k % k_l);
                if (is_f64 && (i.neg_list & 1) != 0) {
                    o.a[b][r][k] = -o.a[b][r][k];
                }
            }
            for (int j = 0; j < S.n; ++j) {
                const size_t lane = static_cast<size_t>(j + S.n * (b + S.blocks * (k / k_l)));
                const size_t from = is_f64 ? lane : permute_b(i, lane);
                o.b[b][k][j] = read_item<B>(i.target, b_rows, from, k % k_l);
                if (is_f64 && (i.neg_list & 2) != 0) {
                    o.b[b][k][j] = -o.b[b][k][j];
                }
            }
        }
    }
    read_c<acc, S, h>(w, i, o, is_f64 && (i.neg_list & 4) != 0);
    constexpr sum_rule rule = rule_of(A, B);
    // An operand of more than 64 bits a lane has gfx950 only.
    if constexpr (rule.group != 0 && k_l * bits_of(A) <= 64) {
        if (w.group->has_matrix_sums) {
            for (int b = 0; b < S.blocks; ++b) {
                add_in_groups<rule, S.m, S.n, S.k>(&o.a[b][0][0], &o.b[b][0][0], &o.c[b][0][0]);
            }
            write_d<acc, S, h>(w, i, o);
            return;
        }
    }
    multiply(o);
    write_d<acc, S, h>(w, i, o);
}

// ---- f8f6f4 (7.1.5, 7.2) ----

const small_format* format_by_number(u8 number) {
    switch (number) {
        case 0:
            return &fp8_ocp;
        case 1:
            return &bf8_ocp;
        case 2:
            return &fp6_e2m3;
        case 3:
            return &bf6_e3m2;
        case 4:
            return &fp4_e2m1;
        default:
            return nullptr;
    }
}

// The element of a row (column) with this k: lane group and bit position in the lane's registers.
// 4 and 6 bits: group g holds k = 32 g .. 32 g + 31 in order. 8 bits: two runs of 16, the second
// run K / 2 above the first.
struct element_place {
    int group;
    int item;
};

template <shape S>
element_place place_of(int k, int bits) {
    if (bits != 8) {
        return {k / 32, k % 32};
    }
    const int in_half = k % (S.k / 2);
    return {in_half / 16, in_half % 16 + (k >= S.k / 2 ? 16 : 0)};
}

u32 read_bits(const lane_row* rows, size_t lane, int position, int bits) {
    const int dword = position / 32;
    u64 window = rows[dword].lane[lane];
    if (position % 32 + bits > 32) {
        window |= u64{rows[dword + 1].lane[lane]} << 32;
    }
    return static_cast<u32>(window >> position % 32) & ((1u << bits) - 1);
}

// The block scales of one operand, E8M0: value 2**(code - 127), 0xff is NaN. One for all lanes where
// it is not in a vector register (isa/matrix_scales.hpp).
struct scale_source {
    const lane_row* rows = nullptr;
    u32 byte = 0;
    u32 of_all = 127;
    f64 at(size_t lane) const {
        const u32 code = rows == nullptr ? of_all : rows->lane[lane] >> 8 * byte & 0xff;
        return code == 0xff ? __builtin_nan("") : power_of_two(static_cast<int>(code) - 127);
    }
};

scale_source read_scale(wave& w, const instruction& i, int number) {
    scale_source result;
    const operand& source = scale_operand(i, number);
    if (!is_scalar_scale(source)) {
        result.byte = scale_byte(i, number);
        result.rows = register_rows(w, i, source, 1);
        return result;
    }
    const u32 value = read_scalar<u32>(w, i, source);
    result.of_all = exponent_of_scale(value);
    if ((w.checks & check::hazards) != 0 && !is_read_as_meant(i, number, value)) {
        report(w, i, check::hazards, [&] { return scale_message(i, number, value); });
    }
    return result;
}

// A (or B transposed), decoded and scaled: exact in f64.
template <int Rows, int K>
struct small_matrix {
    f64 value[Rows][K];

    // False if a value is not exact in f32.
    template <shape S>
    bool read(const small_format& format, const lane_row* registers, const scale_source& scale) {
        const int bits = format.bits();
        f64 table[256];
        for (u32 code = 0; code < 1u << bits; ++code) {
            table[code] = decode_small(format, code);
        }
        f64 factor[lane_count];
        for (size_t l = 0; l < lane_count; ++l) {
            factor[l] = scale.at(l);
        }
        bool fits = true;
        for (int k = 0; k < K; ++k) {
            const element_place place = place_of<S>(k, bits);
            for (int r = 0; r < Rows; ++r) {
                const size_t lane = static_cast<size_t>(r + Rows * place.group);
                const u32 code = read_bits(registers, lane, place.item * bits, bits);
                const f64 scaled = table[code] * factor[r + Rows * (k / 32)];
                value[r][k] = scaled;
                fits &= static_cast<f64>(static_cast<f32>(scaled)) == scaled || scaled != scaled;
            }
        }
        return fits;
    }
};

template <shape S, bool Scaled>
void mfma_f8f6f4(wave& w, const instruction& i) {
    refuse_indexing(w, i);
    check_lanes_on(w, i);
    const small_format* a_format = format_by_number(i.cbsz);
    const small_format* b_format = format_by_number(i.blgp);
    if (a_format == nullptr || b_format == nullptr) {
        fail(w, i, "cbsz and blgp must be 0 to 4, the formats of A and B");
    }
    const int a_bits = a_format->bits();
    const int b_bits = b_format->bits();
    const lane_row* a_rows = register_rows(w, i, i.operands[1], a_bits);
    const lane_row* b_rows = register_rows(w, i, i.operands[2], b_bits);
    const scale_source a_scale = Scaled ? read_scale(w, i, 0) : scale_source{};
    const scale_source b_scale = Scaled ? read_scale(w, i, 1) : scale_source{};

    const auto a = std::make_unique_for_overwrite<small_matrix<S.m, S.k>>();
    const auto b = std::make_unique_for_overwrite<small_matrix<S.n, S.k>>();
    const bool a_fits = a->template read<S>(*a_format, a_rows, a_scale);
    const bool b_fits = b->template read<S>(*b_format, b_rows, b_scale);
    const auto o = std::make_unique_for_overwrite<operands<f32, S>>();
    read_c<f32, S, 4>(w, i, *o, false);
    if (a_fits && b_fits) {
        for (int k = 0; k < S.k; ++k) {
            for (int r = 0; r < S.m; ++r) {
                o->a[0][r][k] = static_cast<f32>(a->value[r][k]);
            }
            for (int j = 0; j < S.n; ++j) {
                o->b[0][k][j] = static_cast<f32>(b->value[j][k]);
            }
        }
        multiply(*o);
    } else {
        // A scaled value beyond f32: products in f64, where they are exact.
        for (int r = 0; r < S.m; ++r) {
            for (int j = 0; j < S.n; ++j) {
                for (int k = 0; k < S.k; ++k) {
                    o->c[0][r][j] = static_cast<f32>(__builtin_fma(
                        a->value[r][k], b->value[j][k], static_cast<f64>(o->c[0][r][j])));
                }
            }
        }
    }
    write_d<f32, S, 4>(w, i, *o);
}

template <size_t N>
constexpr instruction_row row_of() {
    constexpr matrix_row of = matrix_rows[N];
    instruction_row row{of.mnemonic, nullptr, mod::cbsz | mod::abid, of.gfx942 == 0};
    row.matrix = &matrix_rows[N];
    if constexpr (of.a == element::chosen) {
        row.execute = mfma_f8f6f4<of.shape, of.is_scaled>;
        row.flags = mod::cbsz | mod::blgp | (of.is_scaled ? mod::op_sel | mod::op_sel_hi : 0);
    } else {
        row.execute = mfma<of.shape, of.a, of.b>;
        row.flags |= of.is_f64() ? mod::neg_list : mod::blgp;
    }
    return row;
}

}  // namespace

std::span<const instruction_row> mfma_rows() {
    static constexpr auto rows = []<size_t... N>(std::index_sequence<N...>) {
        return std::array{row_of<N>()...};
    }(std::make_index_sequence<std::size(matrix_rows)>());
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
