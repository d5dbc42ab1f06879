// Dense matrix instructions (ISA guide chapter 7).
//
// f32 and f64: every output element starts as C and takes the products in the order k = 0, 1, ...,
// each by one fused multiply-add. i8 is exact and wraps. xf32, f16, bf16, fp8 and bf8 are added as
// in isa/matrix_sums.hpp, or, where the hardware's sums are not known or not wanted, as f32. EXEC is
// ignored; denormals are kept.
//
// A row of a matrix lies in neighbouring lanes of one register: A and B are decoded into rows of 4,
// 16 or 32 columns, and rows of C and D are read and written where they lie.
#include <string>

#include "isa/exec.hpp"
#include "isa/matrix_rows.hpp"
#include "isa/matrix_scales.hpp"
#include "isa/matrix_sums.hpp"
#include "isa/small_float.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

// Bytes add modulo 2^32.
template <element E>
using value_of =
    std::conditional_t<E == element::i8, u32, std::conditional_t<E == element::f64, f64, f32>>;

// xf32 drops the low 13 bits of the mantissa; a NaN stays one.
f32 truncate_to_xf32(u32 bits) {
    return std::bit_cast<f32>((bits & 0x7f800000) == 0x7f800000 ? bits : bits & 0xffffe000);
}

// f32 from a field at the bottom of a dword.
template <element E>
value_of<E> decode(gfx_target target, u32 field) {
    if constexpr (E == element::f32) {
        return std::bit_cast<f32>(field);
    } else if constexpr (E == element::xf32) {
        return truncate_to_xf32(field);
    } else if constexpr (E == element::f16) {
#if defined(__F16C__)
        return static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(field)));
#else
        return decode_small(f16_ieee, field & 0xffff);
#endif
    } else if constexpr (E == element::bf16) {
        return bf16_to_f32(field);
    } else if constexpr (E == element::i8) {
        return static_cast<u32>(static_cast<i8>(field));
    } else {
        static_assert(E == element::fp8 || E == element::bf8);
        return decode_small(E == element::fp8 ? fp8_of(target) : bf8_of(target), field & 0xff);
    }
}

// Item `item` of Count lanes from `first` on: items are packed little-endian into consecutive
// registers (7.1.4.1).
template <element E, int Count>
void read_items(gfx_target target, const lane_row* rows, int item, int first, value_of<E>* to) {
    if constexpr (E == element::f64) {
        const u32* low = rows[2 * item].lane.data() + first;
        for (int l = 0; l < Count; ++l) {
            to[l] = std::bit_cast<f64>(u64{low[l]} | u64{low[l + lane_count]} << 32);
        }
    } else {
        constexpr int per_dword = 32 / bits_of(E);
        const u32* lanes = rows[item / per_dword].lane.data() + first;
        const int shift = item % per_dword * bits_of(E);
        value_of<E> values[Count];  // `to` could be where the lanes are
        for (int l = 0; l < Count; ++l) {
            values[l] = decode<E>(target, lanes[l] >> shift);
        }
        std::memcpy(to, values, sizeof values);
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
struct alignas(64) operands {
    Acc a[S.blocks][S.k][S.m];
    Acc b[S.blocks][S.k][S.n];
};

// C and D in registers. C is read before it is overwritten, also where the two overlap.
template <class Acc, shape S, int H>
class result_rows {
    using layout = output_layout<S, H>;
    static constexpr int dwords = sizeof(Acc) / 4;

public:
    using copy_of_c = row_buffer[layout::items * dwords];

    // Source 2 is registers or an inline constant; `copy` is for C. (With it as a member the pointers
    // would stay in memory.)
    result_rows(wave& w, const instruction& i, copy_of_c& copy, bool negate_c = false)
        : d_(register_rows(w, i, i.operands[0], layout::items * dwords)->lane.data()) {
        const operand& source = i.operands[3];
        if (is_vector(source)) {
            c_ = register_rows(w, i, source, layout::items * dwords)->lane.data();
            if (c_ == d_ && !negate_c) {
                return;
            }
            std::memcpy(copy, c_, sizeof copy);
        } else {
            const auto value =
                std::bit_cast<std::array<u32, dwords>>(read_scalar<Acc>(w, i, source));
            for (size_t n = 0; n < layout::items * dwords; ++n) {
                broadcast(copy[n], value[n % dwords]);
            }
        }
        for (size_t n = dwords - 1; negate_c && n < layout::items * dwords; n += dwords) {
            for (u32& high : copy[n].lane) {
                high ^= 0x80000000;
            }
        }
        c_ = copy[0].lane;
    }

    // The elements [block, row, column ...]
    template <class V>
    void load(int block, int row, int column, V& v) const {
        const u32* from = c_ + place(block, row, column);
        if constexpr (dwords == 1) {
            std::memcpy(&v, from, sizeof v);
        } else {
            for (int n = 0; n < static_cast<int>(sizeof v / sizeof(Acc)); ++n) {
                v[n] = std::bit_cast<Acc>(u64{from[n]} | u64{from[n + lane_count]} << 32);
            }
        }
    }
    template <class V>
    void store(int block, int row, int column, const V& v) const {
        u32* to = d_ + place(block, row, column);
        if constexpr (dwords == 1) {
            std::memcpy(to, &v, sizeof v);
        } else {
            for (int n = 0; n < static_cast<int>(sizeof v / sizeof(Acc)); ++n) {
                to[n] = static_cast<u32>(std::bit_cast<u64>(v[n]));
                to[n + lane_count] = static_cast<u32>(std::bit_cast<u64>(v[n]) >> 32);
            }
        }
    }

private:
    static int place(int block, int row, int column) {
        return layout::item(block, row) * dwords * lane_count + layout::lane(block, row, column);
    }

    u32* d_;
    const u32* c_;
};

#if defined(__FMA__)
constexpr bool has_fma = true;
#else
constexpr bool has_fma = false;
#endif

// How a * b + c is computed: with one rounding; or, where a * b is exact in f32, so that this is the
// same, with one operation for each on CPUs that have no fused one.
enum class product_kind { any, exact };

template <product_kind Kind, class V>
V multiply_add(V a, V b, V c) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a[0])>, u32>) {
        return a * b + c;
    } else {
        if constexpr (!has_fma && Kind == product_kind::exact) {
            return a * b + c;
        }
        return __builtin_elementwise_fma(a, b, c);
    }
}

// D = A * B + C, k ascending. A tile of four rows is as much as the registers of the CPU hold.
template <product_kind Kind, class Acc, shape S, class Rows>
void multiply(const operands<Acc, S>& o, const Rows& results) {
    constexpr int lanes = std::min(S.n, register_lanes * 4 / static_cast<int>(sizeof(Acc)));
    constexpr int columns = std::min(S.n / lanes, 2);
    constexpr int rows = 4;
    using vector = vector_of<Acc, lanes>;
    for (int block = 0; block < S.blocks; ++block) {
        for (int i = 0; i < S.m; i += rows) {
            for (int j = 0; j < S.n; j += columns * lanes) {
                vector sum[rows][columns];
                for (int r = 0; r < rows; ++r) {
                    for (int c = 0; c < columns; ++c) {
                        results.load(block, i + r, j + c * lanes, sum[r][c]);
                    }
                }
                for (int k = 0; k < S.k; ++k) {
                    vector right[columns];
                    std::memcpy(right, &o.b[block][k][j], sizeof right);
                    for (int r = 0; r < rows; ++r) {
                        const vector left = vector(o.a[block][k][i + r]);
                        for (int c = 0; c < columns; ++c) {
                            sum[r][c] = multiply_add<Kind>(left, right[c], sum[r][c]);
                        }
                    }
                }
                for (int r = 0; r < rows; ++r) {
                    for (int c = 0; c < columns; ++c) {
                        results.store(block, i + r, j + c * lanes, sum[r][c]);
                    }
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
int permute_b(const instruction& i, int l) {
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
            return l % 16 + 16 * (i.blgp - 4);
    }
}

// A, or B transposed: [b, k, r] is item k % K_L of lane r + Rows * (b + blocks * (k / K_L)), read from
// the lane that from(lane) says, which maps runs of 16 lanes, or of Rows, to such runs.
template <element E, int Blocks, int K, int Rows, class From>
void read_matrix(gfx_target target, const lane_row* rows, value_of<E> (&to)[Blocks][K][Rows],
                 From&& from) {
    constexpr int run = std::min(Rows, 16);
    constexpr bool is_long = run == 16;  // enough to be decoded where it belongs
    constexpr int k_l = K * Rows * Blocks / lane_count;
    for (int item = 0; item < k_l; ++item) {
        alignas(64) value_of<E> values[is_long ? 1 : lane_count];
        if constexpr (!is_long) {
            read_items<E, lane_count>(target, rows, item, 0, values);
        }
        for (int lane = 0; lane < lane_count; lane += run) {
            const int chunk = lane / Rows;
            auto* row = to[chunk % Blocks][chunk / Blocks * k_l + item] + lane % Rows;
            if constexpr (is_long) {
                read_items<E, run>(target, rows, item, from(lane), row);
            } else {
                std::memcpy(row, values + from(lane), run * sizeof *row);
            }
        }
    }
}

// Text: D, A, B, C.
template <shape S, element A, element B = A>
void mfma(wave& w, const instruction& i) {
    using acc = value_of<A>;
    constexpr bool is_f64 = A == element::f64;
    constexpr int k_l = S.k / (64 / (S.m * S.blocks));
    refuse_indexing(w, i);
    check_lanes_on(w, i);
    if (!is_f64) {  // which ignores CBSZ and ABID (7.1.6.4)
        check_broadcast(w, i, S.blocks);
    }
    operands<acc, S> o;
    read_matrix<A>(i.target, register_rows(w, i, i.operands[1], (k_l * bits_of(A) + 31) / 32), o.a,
                   [&](int lane) {
                       const int block = lane / S.m % S.blocks;
                       return is_f64 ? lane : lane + S.m * (broadcast_block(i, block) - block);
                   });
    read_matrix<B>(i.target, register_rows(w, i, i.operands[2], (k_l * bits_of(B) + 31) / 32), o.b,
                   [&](int lane) { return is_f64 ? lane : permute_b(i, lane); });
    if constexpr (is_f64) {
        const auto change_sign = [](f64* values, size_t count) {
            std::transform(values, values + count, values, std::negate<>{});
        };
        change_sign(&o.a[0][0][0], (i.neg_list & 1) != 0 ? sizeof o.a / sizeof(f64) : 0);
        change_sign(&o.b[0][0][0], (i.neg_list & 2) != 0 ? sizeof o.b / sizeof(f64) : 0);
    }
    using rows = result_rows<acc, S, is_f64 ? 1 : 4>;
    typename rows::copy_of_c copy;
    const rows results(w, i, copy, is_f64 && (i.neg_list & 4) != 0);
    constexpr sum_rule rule = rule_of(A, B);
    // An operand of more than 64 bits a lane has gfx950 only.
    if constexpr (rule.group != 0 && k_l * bits_of(A) <= 64) {
        if (w.group->has_matrix_sums) {
            for (int b = 0; b < S.blocks; ++b) {
                add_in_groups<rule>(o.a[b], o.b[b], results, b);
            }
            return;
        }
    }
    // Of at most 12 bits; of those formats with f32's exponents also moderate ones.
    constexpr bool is_wide = A == element::bf16 || A == element::xf32;
    constexpr bool is_narrow = A != element::f32 && !is_f64 && !is_wide;
    if constexpr (!has_fma && is_wide) {
        i8 e[std::max(sizeof o.a, sizeof o.b) / sizeof(f32)];
        if (read_exponents<-126>(&o.a[0][0][0], sizeof o.a / sizeof(f32), e) &&
            read_exponents<-126>(&o.b[0][0][0], sizeof o.b / sizeof(f32), e)) {
            multiply<product_kind::exact>(o, results);
            return;
        }
    }
    multiply<is_narrow ? product_kind::exact : product_kind::any>(o, results);
}

// ---- f8f6f4 (7.1.5, 7.2) ----

// By cbsz and blgp.
constexpr small_format formats[] = {fp8_ocp, bf8_ocp, fp6_e2m3, bf6_e3m2, fp4_e2m1};

// Lane l holds elements of row l % Rows. 4 and 6 bits: lane group g = l / Rows holds k = 32 g to
// 32 g + 31 in order. 8 bits: two runs of 16, the second run K / 2 above the first.
template <small_format Format, int K, int Rows>
void read_small_matrix(const lane_row* rows, f32 (*to)[Rows]) {
    constexpr int bits = Format.bits();
    for (int item = 0; item < 32; ++item) {
        const lane_row& first = rows[item * bits / 32];
        const lane_row& last = rows[(item * bits + bits - 1) / 32];
        const int shift = item * bits % 32;
        alignas(64) f32 values[lane_count];
        for (size_t l = 0; l < lane_count; ++l) {
            const u32 field = first.lane[l] >> shift | last.lane[l] << 1 << (31 - shift);
            values[l] = decode_small(Format, field & ((1u << bits) - 1));
        }
        for (int group = 0; group < lane_count / Rows; ++group) {
            const int k =
                bits != 8 ? 32 * group + item : 16 * group + item % 16 + (item >= 16 ? K / 2 : 0);
            std::memcpy(to[k], values + Rows * group, sizeof to[k]);
        }
    }
}

template <int K, int Rows>
void read_small_matrix(u8 format, const lane_row* rows, f32 (*to)[Rows]) {
    static constexpr auto readers = []<size_t... N>(std::index_sequence<N...>) {
        return std::array{read_small_matrix<formats[N], K, Rows>...};
    }(std::make_index_sequence<std::size(formats)>());
    readers[format](rows, to);
}

// The block scales of one operand, E8M0: value 2**(code - 127), 0xff is NaN; that of row r and the
// 32 k from 32 g on is in lane r + rows * g.
struct block_scales {
    f64 factor[lane_count];
    bool are_moderate = true;  // of at most 45 binary places: with them f32 holds every product

    block_scales(wave& w, const instruction& i, int number) {
        u32 code[lane_count];
        const operand& source = scale_operand(i, number);
        if (is_scalar_scale(source)) {  // one for all lanes (isa/matrix_scales.hpp)
            const u32 value = read_scalar<u32>(w, i, source);
            std::fill_n(code, lane_count, exponent_of_scale(value));
            if ((w.checks & check::hazards) != 0 && !is_read_as_meant(i, number, value)) {
                report(w, i, check::hazards, [&] { return scale_message(i, number, value); });
            }
        } else {
            const u32 shift = 8 * scale_byte(i, number);
            const lane_row& row = *register_rows(w, i, source, 1);
            std::ranges::transform(row.lane, code,
                                   [&](u32 dword) { return dword >> shift & 0xff; });
        }
        for (int l = 0; l < lane_count; ++l) {
            factor[l] =
                code[l] == 0xff ? __builtin_nan("") : power_of_two(static_cast<int>(code[l]) - 127);
            are_moderate &= code[l] - (127 - 45) <= 90;
        }
    }

    // Whether f32 holds all elements, scaled.
    template <int K, int Rows>
    bool fit(const f32 (&matrix)[K][Rows]) const {
        bool is_beyond = false;
        for (int k = 0; k < K && !are_moderate; ++k) {
            for (int r = 0; r < Rows; ++r) {
                const f64 scaled = at(matrix, k, r);
                is_beyond |=
                    scaled == scaled && static_cast<f64>(static_cast<f32>(scaled)) != scaled;
            }
        }
        return !is_beyond;
    }

    template <int K, int Rows>
    f64 at(const f32 (&matrix)[K][Rows], int k, int r) const {
        return matrix[k][r] * factor[r + Rows * (k / 32)];
    }

    // @pre they fit
    template <int K, int Rows>
    void scale(f32 (&matrix)[K][Rows]) const {
        alignas(64) f32 by[lane_count];
        std::copy_n(factor, lane_count, by);
        using floats = vector_of<f32, register_lanes>;
        for (int k = 0; k < K; ++k) {
            for (int r = 0; r < Rows; r += register_lanes) {
                const floats scaled = load_vector<floats>(matrix[k] + r) *
                                      load_vector<floats>(by + r + Rows * (k / 32));
                std::memcpy(matrix[k] + r, &scaled, sizeof scaled);
            }
        }
    }
};

template <shape S, bool Scaled>
void mfma_f8f6f4(wave& w, const instruction& i) {
    refuse_indexing(w, i);
    check_lanes_on(w, i);
    if (i.cbsz >= std::size(formats) || i.blgp >= std::size(formats)) {
        fail(w, i, "cbsz and blgp must be 0 to 4, the formats of A and B");
    }
    operands<f32, S> o;
    auto& a = o.a[0];
    auto& b = o.b[0];
    read_small_matrix<S.k>(i.cbsz, register_rows(w, i, i.operands[1], formats[i.cbsz].bits()), a);
    read_small_matrix<S.k>(i.blgp, register_rows(w, i, i.operands[2], formats[i.blgp].bits()), b);
    using rows = result_rows<f32, S, 4>;
    typename rows::copy_of_c copy;
    if constexpr (!Scaled) {
        multiply<product_kind::exact>(o, rows(w, i, copy));
    } else {
        const block_scales a_scales(w, i, 0);
        const block_scales b_scales(w, i, 1);
        const rows results(w, i, copy);
        if (a_scales.fit(a) && b_scales.fit(b)) {
            a_scales.scale(a);
            b_scales.scale(b);
            if (a_scales.are_moderate && b_scales.are_moderate) {
                multiply<product_kind::exact>(o, results);
            } else {
                multiply<product_kind::any>(o, results);
            }
            return;
        }
        // A scaled value beyond f32: products in f64, where they are exact.
        using one = vector_of<f32, 1>;
        for (int r = 0; r < S.m; ++r) {
            for (int j = 0; j < S.n; ++j) {
                one sum;
                results.load(0, r, j, sum);
                for (int k = 0; k < S.k; ++k) {
                    sum[0] = static_cast<f32>(
                        __builtin_fma(a_scales.at(a, k, r), b_scales.at(b, k, j), f64{sum[0]}));
                }
                results.store(0, r, j, sum);
            }
        }
    }
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
