// Where the adaptors put the elements of A, B and C, for every row of the header's table, against
// the definition of the matrix instructions: pure arithmetic, no device.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "layout_kinds.hpp"
#include "operand_places.hpp"
#include "opus/opus_debug.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using namespace operand_places;

// == one wave =====================================================================================

// The offsets of a lane's items, in the order of the registers.
template <class Mma>
std::vector<int> offsets_a(int lane) {
    constexpr Mma mma{};
    constexpr auto stride = x_stride<Mma::blocks>();
    if constexpr (Mma::blocks == 1) {
        return offsets_of<Mma::pack_a>(
            partition_layout_a(mma, stride, make_tuple(lane % mma.grpm_a, lane / mma.grpm_a)));
    } else {
        return offsets_of<Mma::pack_a>(
            partition_layout_a(mma, stride,
                               make_tuple(lane / mma.wave_m % mma.blocks, lane % mma.wave_m,
                                          lane / mma.wave_m / mma.blocks)));
    }
}
template <class Mma>
std::vector<int> offsets_b(int lane) {
    constexpr Mma mma{};
    constexpr auto stride = x_stride<Mma::blocks>();
    if constexpr (Mma::blocks == 1) {
        return offsets_of<Mma::pack_b>(
            partition_layout_b(mma, stride, make_tuple(lane % mma.grpn_b, lane / mma.grpn_b)));
    } else {
        return offsets_of<Mma::pack_b>(
            partition_layout_b(mma, stride,
                               make_tuple(lane / mma.wave_n % mma.blocks, lane % mma.wave_n,
                                          lane / mma.wave_n / mma.blocks)));
    }
}
template <class Mma, bool swapped>
std::vector<int> offsets_c(int lane) {
    constexpr Mma mma{};
    constexpr auto stride = x_stride<Mma::blocks>();
    constexpr index_t vec = swapped ? Mma::pack_c : 1;
    const int column = lane % mma.grpn_c;
    const int group = lane / mma.grpn_c;
    static_assert(Mma::blocks > 1 || (mma.stridem_c == mma.grpn_c && mma.grpb_c == 1));
    if constexpr (Mma::blocks == 1 && swapped) {
        return offsets_of<vec>(partition_layout_c(mma, stride, make_tuple(column, group)));
    } else if constexpr (Mma::blocks == 1) {
        return offsets_of<vec>(partition_layout_c(mma, stride, make_tuple(group, column)));
    } else {
        // In fp64 (4 blocks of 4x4) lane 16 i + 4 b + j has C[b, i, j].
        constexpr bool f64 = is_same_v<typename Mma::dtype_c, fp64_t>;
        const int block = f64 ? group % 4 : group / mma.grpm_c;
        const int rows = f64 ? group / 4 : group % mma.grpm_c;
        // By the members, which are the same for every mma.
        EXPECT_EQ(lane / mma.strideb_c % mma.grpb_c, block);
        EXPECT_EQ(lane / mma.stridem_c % mma.grpm_c, rows);
        if constexpr (swapped) {
            return offsets_of<vec>(
                partition_layout_c(mma, stride, make_tuple(block, column, rows)));
        } else {
            return offsets_of<vec>(
                partition_layout_c(mma, stride, make_tuple(block, rows, column)));
        }
    }
}

using offsets_t = std::vector<int> (*)(int);

// Everything of rows x columns in each block is in one place, the one that where(block, row,
// column) says.
template <class Where>
void expect_places(offsets_t offsets, int blocks, int rows, int columns, Where where) {
    std::set<int> seen;
    for (int lane = 0; lane < 64; lane++) {
        const auto items = offsets(lane);
        for (size_t item = 0; item < items.size(); item++) {
            const int offset = items[item];
            const int block = offset / block_stride;
            const int row = offset % block_stride / row_stride;
            const int column = offset % row_stride;
            EXPECT_TRUE(block < blocks && row < rows && column < columns) << "offset " << offset;
            const laws::place p = where(block, row, column);
            ASSERT_EQ(p.lane, lane) << "block " << block << " row " << row << " column " << column;
            ASSERT_EQ(p.item, static_cast<int>(item))
                << "block " << block << " row " << row << " column " << column;
            seen.insert(offset);
        }
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(blocks * rows * columns));
}

struct subject {
    laws::instruction what;
    offsets_t a[2];
    offsets_t b[2];
    offsets_t c[2];
};

template <class T>
struct subject_of;
template <class A, class B, class C, index_t M, index_t N, index_t K>
struct subject_of<mfma<A, B, C, M, N, K>> {
    using row = typename mfma<A, B, C, M, N, K>::row;
    static_assert(row::k == K);
    using plain = decltype(make_mfma<A, B, C>(number<M>{}, number<N>{}, number<K>{}));
    using swapped = decltype(make_mfma<A, B, C>(seq<M, N, K>{}, mfma_adaptor_swap_ab{}));

    template <class Mma>
    static constexpr bool has_facts() {
        using in_registers_a = __type_pack_element<is_same_v<A, xf32_t>, A, fp32_t>;
        using in_registers_b = __type_pack_element<is_same_v<B, xf32_t>, B, fp32_t>;
        return is_same_v<typename Mma::dtype_a, in_registers_a> &&
               is_same_v<typename Mma::dtype_b, in_registers_b> &&
               is_same_v<typename Mma::dtype_c, C> && Mma::wave_m == M && Mma::wave_n == N &&
               Mma::wave_k == K && Mma::warp_size == 64 && Mma::blocks == row::blocks &&
               Mma::elem_a == M * K * row::blocks / 64 && Mma::elem_b == N * K * row::blocks / 64 &&
               Mma::elem_c == M * N * row::blocks / 64 &&
               is_same_v<typename Mma::vtype_a, vector_t<in_registers_a, Mma::elem_a>> &&
               is_same_v<typename Mma::vtype_b, vector_t<in_registers_b, Mma::elem_b>> &&
               is_same_v<typename Mma::vtype_c, vector_t<C, Mma::elem_c>>;
    }
    static_assert(has_facts<mfma<A, B, C, M, N, K>>() && has_facts<plain>() &&
                  has_facts<swapped>());
    static constexpr bool is_format = element_of<A>() >= element::fp8;
    static_assert(
        mfma<A, B, C, M, N, K>::fmt_a ==
            (is_format ? static_cast<int>(element_of<A>()) - static_cast<int>(element::fp8) : -1) &&
        mfma<A, B, C, M, N, K>::fmt_b ==
            (is_format ? static_cast<int>(element_of<B>()) - static_cast<int>(element::fp8) : -1));
    // An access is one that memory has: 1, 2, 4, 8, 12 or 16 bytes.
    template <class T>
    static constexpr bool is_access(index_t elements) {
        const index_t bits = elements * sizeof_bits_v<T>;
        return bits <= 128 && (bits == 96 || (bits & (bits - 1)) == 0);
    }
    static_assert(is_access<typename plain::dtype_a>(plain::pack_a) &&
                  is_access<typename plain::dtype_b>(plain::pack_b) &&
                  is_access<typename swapped::dtype_c>(swapped::pack_c));

    static subject get() {
        return {{element_of<A>(), element_of<B>(), element_of<C>(), M, N, K, row::blocks,
                 4 * row::passes_on_gfx942, 4 * row::passes_on_gfx950},
                {&offsets_a<plain>, &offsets_a<swapped>},
                {&offsets_b<plain>, &offsets_b<swapped>},
                {&offsets_c<plain, false>, &offsets_c<swapped, true>}};
    }
};

template <class... Instruction>
std::vector<subject> subjects(tuple<Instruction...>) {
    return {subject_of<Instruction>::get()...};
}

// The header's table is the list of the ISA guide: each row once, with the cycles on each target.
// (The table has no public name. It says which rows there are; what they are is compared.)
TEST(mfma_table, every_instruction_once) {
    std::map<std::string, laws::instruction> in_header;
    for (const subject& s : subjects(mfma_table())) {
        EXPECT_TRUE(in_header.insert({s.what.name(), s.what}).second) << s.what.name();
    }
    const auto known = laws::all_instructions();
    EXPECT_EQ(known.size(), 88u);
    EXPECT_EQ(in_header.size(), known.size());
    for (const laws::instruction& x : known) {
        SCOPED_TRACE(x.name());
        ASSERT_EQ(in_header.count(x.name()), 1u);
        const laws::instruction& y = in_header[x.name()];
        EXPECT_EQ(y.c, x.c);
        EXPECT_EQ(y.cycles_on_gfx942, x.cycles_on_gfx942);
        EXPECT_EQ(y.cycles_on_gfx950, x.cycles_on_gfx950);
    }
}

// The names that the ISA guide gives the instructions, and what each is.
#define EXPECT_ALIAS(name, A, B, C, m, n, k) \
    static_assert(is_same_v<mfma_##name, mfma<A##_t, B##_t, C##_t, m, n, k>>);
// clang-format off
EXPECT_ALIAS(f64_16x16x4_f64, fp64, fp64, fp64, 16, 16, 4)
EXPECT_ALIAS(f64_4x4x4_4b_f64, fp64, fp64, fp64, 4, 4, 4)
EXPECT_ALIAS(f32_32x32x2_f32, fp32, fp32, fp32, 32, 32, 2)
EXPECT_ALIAS(f32_16x16x4_f32, fp32, fp32, fp32, 16, 16, 4)
EXPECT_ALIAS(f32_32x32x1_2b_f32, fp32, fp32, fp32, 32, 32, 1)
EXPECT_ALIAS(f32_16x16x1_4b_f32, fp32, fp32, fp32, 16, 16, 1)
EXPECT_ALIAS(f32_4x4x1_16b_f32, fp32, fp32, fp32, 4, 4, 1)
EXPECT_ALIAS(f32_32x32x4_xf32, xf32, xf32, fp32, 32, 32, 4)
EXPECT_ALIAS(f32_16x16x8_xf32, xf32, xf32, fp32, 16, 16, 8)
EXPECT_ALIAS(f32_32x32x8_f16, fp16, fp16, fp32, 32, 32, 8)
EXPECT_ALIAS(f32_16x16x16_f16, fp16, fp16, fp32, 16, 16, 16)
EXPECT_ALIAS(f32_32x32x16_f16, fp16, fp16, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_16x16x32_f16, fp16, fp16, fp32, 16, 16, 32)
EXPECT_ALIAS(f32_32x32x4_2b_f16, fp16, fp16, fp32, 32, 32, 4)
EXPECT_ALIAS(f32_16x16x4_4b_f16, fp16, fp16, fp32, 16, 16, 4)
EXPECT_ALIAS(f32_4x4x4_16b_f16, fp16, fp16, fp32, 4, 4, 4)
EXPECT_ALIAS(f32_32x32x8_bf16, bf16, bf16, fp32, 32, 32, 8)
EXPECT_ALIAS(f32_16x16x16_bf16, bf16, bf16, fp32, 16, 16, 16)
EXPECT_ALIAS(f32_32x32x16_bf16, bf16, bf16, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_16x16x32_bf16, bf16, bf16, fp32, 16, 16, 32)
EXPECT_ALIAS(f32_32x32x4_2b_bf16, bf16, bf16, fp32, 32, 32, 4)
EXPECT_ALIAS(f32_16x16x4_4b_bf16, bf16, bf16, fp32, 16, 16, 4)
EXPECT_ALIAS(f32_4x4x4_16b_bf16, bf16, bf16, fp32, 4, 4, 4)
EXPECT_ALIAS(i32_32x32x16_i8, i8, i8, i32, 32, 32, 16)
EXPECT_ALIAS(i32_16x16x32_i8, i8, i8, i32, 16, 16, 32)
EXPECT_ALIAS(i32_32x32x32_i8, i8, i8, i32, 32, 32, 32)
EXPECT_ALIAS(i32_16x16x64_i8, i8, i8, i32, 16, 16, 64)
EXPECT_ALIAS(i32_32x32x4_2b_i8, i8, i8, i32, 32, 32, 4)
EXPECT_ALIAS(i32_16x16x4_4b_i8, i8, i8, i32, 16, 16, 4)
EXPECT_ALIAS(i32_4x4x4_16b_i8, i8, i8, i32, 4, 4, 4)
EXPECT_ALIAS(f32_32x32x16_fp8_fp8, fp8, fp8, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_32x32x16_fp8_bf8, fp8, bf8, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_32x32x16_bf8_fp8, bf8, fp8, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_32x32x16_bf8_bf8, bf8, bf8, fp32, 32, 32, 16)
EXPECT_ALIAS(f32_16x16x32_fp8_fp8, fp8, fp8, fp32, 16, 16, 32)
EXPECT_ALIAS(f32_16x16x32_fp8_bf8, fp8, bf8, fp32, 16, 16, 32)
EXPECT_ALIAS(f32_16x16x32_bf8_fp8, bf8, fp8, fp32, 16, 16, 32)
EXPECT_ALIAS(f32_16x16x32_bf8_bf8, bf8, bf8, fp32, 16, 16, 32)
// clang-format on
// Of the pairs of formats two have names of their own; the others are parameters of one name.
#define EXPECT_ALIASES_OF_FORMATS(a, b)                                                  \
    EXPECT_ALIAS(f32_16x16x128_f8f6f4<a##_t COMMA b##_t>, a, b, fp32, 16, 16, 128)       \
    EXPECT_ALIAS(f32_32x32x64_f8f6f4<a##_t COMMA b##_t>, a, b, fp32, 32, 32, 64)         \
    EXPECT_ALIAS(scale_f32_16x16x128_f8f6f4<a##_t COMMA b##_t>, a, b, fp32, 16, 16, 128) \
    EXPECT_ALIAS(scale_f32_32x32x64_f8f6f4<a##_t COMMA b##_t>, a, b, fp32, 32, 32, 64)
#define COMMA ,
#define EXPECT_ALIASES_OF_FORMAT(a)   \
    EXPECT_ALIASES_OF_FORMATS(a, fp8) \
    EXPECT_ALIASES_OF_FORMATS(a, bf8) \
    EXPECT_ALIASES_OF_FORMATS(a, fp6) \
    EXPECT_ALIASES_OF_FORMATS(a, bf6) \
    EXPECT_ALIASES_OF_FORMATS(a, fp4)
EXPECT_ALIASES_OF_FORMAT(fp8)
EXPECT_ALIASES_OF_FORMAT(bf8)
EXPECT_ALIASES_OF_FORMAT(fp6)
EXPECT_ALIASES_OF_FORMAT(bf6)
EXPECT_ALIASES_OF_FORMAT(fp4)
#define EXPECT_NAME_OF_FORMAT(a)                                         \
    EXPECT_ALIAS(f32_16x16x128_##a##_##a, a, a, fp32, 16, 16, 128)       \
    EXPECT_ALIAS(f32_32x32x64_##a##_##a, a, a, fp32, 32, 32, 64)         \
    EXPECT_ALIAS(scale_f32_16x16x128_##a##_##a, a, a, fp32, 16, 16, 128) \
    EXPECT_ALIAS(scale_f32_32x32x64_##a##_##a, a, a, fp32, 32, 32, 64)
EXPECT_NAME_OF_FORMAT(fp8)
EXPECT_NAME_OF_FORMAT(fp4)

TEST(adaptor, operands_are_where_the_instruction_reads_them) {
    for (const subject& s : subjects(mfma_table())) {
        SCOPED_TRACE(s.what.name());
        const laws::instruction& i = s.what;
        for (int swapped = 0; swapped < 2; swapped++) {
            expect_places(s.a[swapped], i.blocks, i.m, i.k, [&](int block, int row, int k) {
                return laws::operand_place(i.a, i.m, i.k, i.blocks, block, row, k);
            });
            expect_places(s.b[swapped], i.blocks, i.n, i.k, [&](int block, int column, int k) {
                return laws::operand_place(i.b, i.n, i.k, i.blocks, block, column, k);
            });
        }
    }
}

TEST(adaptor, results_are_where_the_instruction_leaves_them) {
    for (const subject& s : subjects(mfma_table())) {
        SCOPED_TRACE(s.what.name());
        const laws::instruction& i = s.what;
        expect_places(s.c[0], i.blocks, i.m, i.n, [&](int block, int row, int column) {
            return laws::result_place(i.c, i.m, i.n, i.blocks, block, row, column);
        });
        // Swapped, the instruction's rows are the columns of C.
        expect_places(s.c[1], i.blocks, i.m, i.n, [&](int block, int row, int column) {
            return laws::result_place(i.c, i.n, i.m, i.blocks, block, column, row);
        });
    }
}

// 32x32x8 f16, worked out by hand from the guide's table.
TEST(adaptor, groups_of_32x32x8) {
    constexpr auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    static_assert(mma.grpm_a == 32 && mma.grpk_a == 2 && mma.rept_a == 1 && mma.pack_a == 4);
    static_assert(mma.grpn_b == 32 && mma.grpk_b == 2 && mma.rept_b == 1 && mma.pack_b == 4);
    static_assert(mma.grpn_c == 32 && mma.grpm_c == 2 && mma.rept_c == 4 && mma.pack_c == 4);
    static_assert(is_same_v<decltype(mma.y_shape_a()), tuple<number<1>, number<4>>>);
    static_assert(is_same_v<decltype(mma.p_shape_a()), tuple<number<32>, number<2>>>);
    static_assert(is_same_v<decltype(mma.y_shape_c()), tuple<number<4>, number<4>>>);
    static_assert(is_same_v<decltype(mma.p_shape_c()), tuple<number<2>, number<32>>>);
    EXPECT_EQ(mma.y_layout_c()(2, 3), 11);
    // Lane 37 holds rows 4 .. 7, 12 .. 15, ... of column 5.
    EXPECT_EQ(mma.layout_c(make_tuple(100, 1_I), make_tuple(37 / 32, 37 % 32))(1, 2), 1405);
    EXPECT_EQ(mma.layout_a(make_tuple(100, 1_I))(3, 0, 1, 2), 306);
    EXPECT_EQ(mma.layout_a()(3, 0, 1, 2), 3 * 8 + 6);
}

// fp8 has two runs of 16 k in a lane, fp6 one of 32 in two accesses, fp4 one of 32.
TEST(adaptor, groups_of_16x16x128) {
    constexpr auto mma = make_mfma<fp8_t, fp6_t, fp32_t>(16_I, 16_I, 128_I);
    static_assert(mma.grpk_a == 4 && mma.rept_a == 2 && mma.pack_a == 16);
    static_assert(mma.grpk_b == 4 && mma.rept_b == 1 && mma.pack_b == 16);
    static_assert(is_same_v<decltype(mma.y_shape_a()), tuple<number<2>, number<16>>>);
    static_assert(is_same_v<decltype(mma.y_shape_b()), tuple<number<1>, number<32>>>);
    constexpr auto fp4 = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 128_I);
    static_assert(fp4.grpk_a == 4 && fp4.rept_a == 1 && fp4.pack_a == 32);
    EXPECT_EQ(mma.layout_a_packed(make_tuple(3, 2))(1, 5), 3 * 128 + 64 + 32 + 5);
    EXPECT_EQ(mma.layout_b_packed(make_tuple(3, 2))(0, 5), 3 * 128 + 64 + 5);
}

// Blocks are one more x-dim in front.
TEST(adaptor, groups_of_blocks) {
    constexpr auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 4_I);
    static_assert(mma.blocks == 4 && mma.grpk_a == 1 && mma.pack_a == 4);
    static_assert(is_same_v<decltype(mma.p_shape_a()), tuple<number<4>, number<16>, number<1>>>);
    static_assert(mma.grpb_c == 1 && mma.grpm_c == 4 && mma.rept_c == 1);
    static_assert(is_same_v<decltype(mma.y_shape_c()), tuple<number<4>, number<1>, number<4>>>);
    constexpr auto small = make_mfma<fp16_t, fp16_t, fp32_t>(4_I, 4_I, 4_I);
    static_assert(small.blocks == 16 && small.grpb_c == 16 && small.grpm_c == 1);
    EXPECT_EQ(mma.layout_a_packed(make_tuple(2, 3, 0))(0, 1), 2 * 64 + 3 * 4 + 1);
    EXPECT_EQ(mma.layout_c_packed(make_tuple(0, 2, 7))(3, 0, 1), 3 * 256 + 9 * 16 + 7);
}

// Lane 39 is 16 * 2 + 4 * 1 + 3: row 2 and column 3 of block 1. Swapped, these two change places.
TEST(adaptor, groups_of_4x4x4_fp64) {
    const auto seq_444 = seq<4, 4, 4>{};
    constexpr auto mma = make_mfma<fp64_t, fp64_t, fp64_t>(seq_444);
    constexpr auto swapped = make_mfma<fp64_t, fp64_t, fp64_t>(seq_444, mfma_adaptor_swap_ab{});
    static_assert(mma.blocks == 4 && mma.grpb_c == 4 && mma.grpm_c == 4 && mma.grpn_c == 4);
    static_assert(mma.strideb_c == 4 && mma.stridem_c == 16);
    static_assert(swapped.strideb_c == 4 && swapped.stridem_c == 16);
    static_assert(is_same_v<decltype(mma.p_shape_c()), tuple<number<4>, number<4>, number<4>>>);
    static_assert(is_same_v<decltype(mma.y_shape_c()), tuple<number<1>, number<1>, number<1>>>);
    const auto strides = make_tuple(100, 10, 1_I);
    EXPECT_EQ(mma.layout_c(strides, make_tuple(1, 2, 3))(0, 0, 0), 123);
    EXPECT_EQ(swapped.layout_c(strides, make_tuple(1, 3, 2))(0, 0, 0), 132);
    EXPECT_EQ(mma.layout_c_packed(make_tuple(1, 2, 3))(0, 0, 0), 16 + 2 * 4 + 3);
    // A and B are as of other types: lane 39 has row (column) 3 of block 1, and k = 2.
    EXPECT_EQ(mma.layout_a(strides, make_tuple(39 / 4 % 4, 39 % 4, 39 / 16))(0, 0), 132);
    EXPECT_EQ(mma.layout_b(strides, make_tuple(39 / 4 % 4, 39 % 4, 39 / 16))(0, 0), 132);
}

// Every way to a layout of `mma`; p_a, p_b and p_c are coordinates of a lane.
template <class Mma, class Pa, class Pb, class Pc>
constexpr bool caches_what_is_asked_for(const Mma& mma, Pa p_a, Pb p_b, Pc p_c) {
    constexpr auto stride = make_tuple(64_I, 1_I);
    return are(0, mma.layout_a(), mma.layout_b(), mma.layout_c(), mma.layout_a(stride),
               mma.layout_b(stride), mma.layout_c(stride), mma.layout_a(stride, p_a),
               mma.layout_b(stride, p_b), mma.layout_c(stride, p_c), mma.layout_a_packed(p_a),
               mma.layout_b_packed(p_b), mma.layout_c_packed(p_c), mma.y_layout_a(),
               mma.y_layout_b(), mma.y_layout_c(), partition_layout_a(mma, stride, p_a),
               partition_layout_b(mma, stride, p_b), partition_layout_c(mma, stride, p_c),
               partition_layout_a_packed(mma, p_a), partition_layout_b_packed(mma, p_b),
               partition_layout_c_packed(mma, p_c)) &&
           are(1, mma.template layout_a<1>(), mma.template layout_b<1>(),
               mma.template layout_c<1>(), mma.template layout_a<1>(stride, p_a),
               mma.template layout_b<1>(stride, p_b), mma.template layout_c<1>(stride, p_c),
               mma.template layout_a_packed<1>(p_a), mma.template layout_b_packed<1>(p_b),
               mma.template layout_c_packed<1>(p_c), mma.template y_layout_a<1>(),
               mma.template y_layout_b<1>(), mma.template y_layout_c<1>(),
               partition_layout_a<1>(mma, stride, p_a), partition_layout_b<1>(mma, stride, p_b),
               partition_layout_c<1>(mma, stride, p_c), partition_layout_a_packed<1>(mma, p_a),
               partition_layout_b_packed<1>(mma, p_b), partition_layout_c_packed<1>(mma, p_c));
}
static_assert(caches_what_is_asked_for(make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I),
                                       make_tuple(1, 0), make_tuple(1, 0), make_tuple(0, 1)));
static_assert(caches_what_is_asked_for(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{}),
    make_tuple(0, 1, 0, 0), make_tuple(0, 1, 0, 0), make_tuple(0, 1, 0, 7)));

// partition_layout_a<4>: the offsets of the accesses are computed once and move together.
TEST(adaptor, cached_layouts_have_the_same_offsets) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    for (index_t lane = 0; lane < 64; lane++) {
        const auto coord = make_tuple(lane % mma.grpn_c, lane / mma.grpn_c);
        auto computed = partition_layout_c(mma, make_tuple(100, 1_I), coord);
        auto cached = partition_layout_c<4>(mma, make_tuple(100, 1_I), coord);
        static_assert(decltype(cached)::num_issues == 4);
        EXPECT_TRUE(layout_to_offsets<4>(cached) == layout_to_offsets<4>(computed));
        computed += 64;
        cached += 64;
        EXPECT_TRUE(layout_to_offsets<4>(cached) == layout_to_offsets<4>(computed));
        EXPECT_EQ(cached(2_I, 0_I), computed(2_I, 0_I));
    }
}

// == several instructions along K =================================================================

// A and B of the same type have the same k in the same places, each row everything of its K; the
// items of a step are those of k_step consecutive k.
template <class T, class C, index_t M, index_t N, index_t K>
void check_steps(bool steps_in_order) {
    using mma = decltype(make_mfma<T, T, C>(seq<M, N, K>{}));
    constexpr int blocks = mma::blocks;
    constexpr int per_step = mma::elem_a / mma::instruction::steps;
    constexpr int k_step = K / mma::instruction::steps;
    static_assert(mma::instruction::steps > 1);
    SCOPED_TRACE(testing::Message()
                 << laws::name_of(element_of<T>()) << " " << M << "x" << N << "x" << K);
    std::set<int> seen_a;
    for (int lane = 0; lane < 64; lane++) {
        const auto a = offsets_a<mma>(lane);
        const auto b = offsets_b<mma>(lane);
        ASSERT_EQ(a.size(), static_cast<size_t>(mma::elem_a));
        ASSERT_EQ(b.size(), static_cast<size_t>(mma::elem_b));
        for (size_t item = 0; item < a.size(); item++) {
            EXPECT_EQ(a[item] / row_stride % 100, lane % M);
            EXPECT_EQ(a[item] / block_stride, lane / M % blocks);
            EXPECT_LT(a[item] % row_stride, K);
            EXPECT_EQ(a[item] % row_stride, b[item] % row_stride);
            if (steps_in_order) {
                EXPECT_EQ(a[item] % row_stride / k_step, static_cast<int>(item) / per_step);
            }
            seen_a.insert(a[item]);
        }
    }
    EXPECT_EQ(seen_a.size(), static_cast<size_t>(M * K * blocks));
}

TEST(adaptor, several_instructions_along_k) {
    check_steps<fp16_t, fp32_t, 32, 32, 24>(false);
    check_steps<fp16_t, fp32_t, 16, 16, 96>(true);
    check_steps<bf16_t, fp32_t, 16, 16, 80>(false);
    check_steps<fp16_t, fp32_t, 4, 4, 8>(true);
    check_steps<fp16_t, fp32_t, 4, 4, 12>(true);
    check_steps<fp16_t, fp32_t, 16, 16, 48>(false);
    check_steps<fp32_t, fp32_t, 16, 16, 16>(false);
    check_steps<fp32_t, fp32_t, 16, 16, 20>(false);
    check_steps<xf32_t, fp32_t, 16, 16, 24>(false);
    check_steps<fp64_t, fp64_t, 16, 16, 12>(true);
    check_steps<i8_t, i32_t, 16, 16, 96>(false);
    check_steps<i8_t, i32_t, 32, 32, 96>(true);
    check_steps<fp8_t, fp32_t, 16, 16, 96>(false);
    check_steps<fp4_t, fp32_t, 16, 16, 256>(true);
    check_steps<fp4_t, fp32_t, 16, 16, 512>(true);
    check_steps<fp6_t, fp32_t, 32, 32, 128>(true);
    check_steps<fp8_t, fp32_t, 16, 16, 256>(true);
}

// == transposed reads =============================================================================

// Rows of consecutive M (or N) lie row_stride apart: an offset tells k and m. Each lane is to
// receive, register by register, what its part of the operand is by the definition of the matrix
// instruction. How many elements that were.
template <class Mma>
int check_transposed_a() {
    constexpr Mma mma{};
    constexpr index_t e = Mma::pack_a_tr;
    static_assert(e * sizeof_bits_v<typename Mma::dtype_a> ==
                  (sizeof_bits_v<typename Mma::dtype_a> == 6 ? 96 : 64));
    int count = 0;
    for (int lane = 0; lane < 64; lane++) {
        const auto items = received<e>(lane, [&](int l) {
            return starts_of<e>(partition_layout_a_tr(mma, make_tuple(1_I, row_stride),
                                                      make_tuple(l % mma.grpm_a, l / mma.grpm_a)));
        });
        EXPECT_EQ(items.size(), static_cast<size_t>(Mma::elem_a));
        for (size_t item = 0; item < items.size(); item++, count++) {
            const auto p =
                laws::operand_place(element_of<typename Mma::dtype_a>(), Mma::wave_m, Mma::wave_k,
                                    1, 0, items[item] % row_stride, items[item] / row_stride);
            EXPECT_EQ(p.lane, lane);
            EXPECT_EQ(p.item, static_cast<int>(item)) << "lane " << lane;
        }
    }
    return count;
}
template <class Mma>
int check_transposed_b() {
    constexpr Mma mma{};
    constexpr index_t e = Mma::pack_b_tr;
    int count = 0;
    for (int lane = 0; lane < 64; lane++) {
        const auto items = received<e>(lane, [&](int l) {
            return starts_of<e>(
                partition_layout_b_tr<e>(mma, make_tuple(1_I, number<row_stride>{}),
                                         make_tuple(l % mma.grpn_b, l / mma.grpn_b)));
        });
        EXPECT_EQ(items.size(), static_cast<size_t>(Mma::elem_b));
        for (size_t item = 0; item < items.size(); item++, count++) {
            const auto p =
                laws::operand_place(element_of<typename Mma::dtype_b>(), Mma::wave_n, Mma::wave_k,
                                    1, 0, items[item] % row_stride, items[item] / row_stride);
            EXPECT_EQ(p.lane, lane);
            EXPECT_EQ(p.item, static_cast<int>(item)) << "lane " << lane;
        }
    }
    return count;
}

template <class A, class B, class C, index_t M, index_t N, index_t K>
void check_transposed(mfma<A, B, C, M, N, K>, int& instructions) {
    using subject = subject_of<mfma<A, B, C, M, N, K>>;
    if constexpr (has_transposed_reads(element_of<A>(), M, K, subject::row::blocks)) {
        SCOPED_TRACE(subject::get().what.name());
        EXPECT_EQ(check_transposed_a<typename subject::plain>(), M * K);
        EXPECT_EQ(check_transposed_a<typename subject::swapped>(), M * K);
        EXPECT_EQ(check_transposed_b<typename subject::plain>(), N * K);
        EXPECT_EQ(check_transposed_b<typename subject::swapped>(), N * K);
        instructions++;
    }
}
template <class... Instruction>
int check_all_transposed(tuple<Instruction...>) {
    int instructions = 0;
    (check_transposed(Instruction{}, instructions), ...);
    return instructions;
}
TEST(partition_layout_tr, every_instruction) {
    // Of 16 bits 16x16x16, 16x16x32, 32x32x8 and 32x32x16, f16 and bf16: 8. i8 16x16x32, 16x16x64,
    // 32x32x16, 32x32x32: 4. fp8 and bf8 in all mixes, 2 shapes: 8. f8f6f4: 25 pairs, 2 shapes.
    EXPECT_EQ(check_all_transposed(mfma_table()), 8 + 4 + 8 + 50);
}

// Repeats and waves in front of the instruction, as without transposed reads.
template <index_t EM, index_t EN, index_t EK, index_t TM, index_t TN, index_t TK, index_t WM,
          index_t WN, index_t WK>
void check_transposed_tile(seq<EM, EN, EK> expand, seq<TM, TN, TK> tile, seq<WM, WN, WK> wave) {
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, tile, wave);
    const auto check = [&](const std::vector<int>& items, int lane, int rows, int repeats, int w,
                           int waves, int w_k) {
        const int length = rows * WK / 64;
        ASSERT_EQ(items.size(), static_cast<size_t>(repeats * EK * length));
        for (int item = 0; item < repeats * EK * length; item++) {
            const int row = items[static_cast<size_t>(item)] % row_stride;
            const int k = items[static_cast<size_t>(item)] / row_stride;
            const int operand = item / length;
            EXPECT_EQ(row / rows, operand / EK * waves + w);
            EXPECT_EQ(k / WK, operand % EK * TK + w_k);
            const auto p = laws::operand_place(element::f16, rows, WK, 1, 0, row % rows, k % WK);
            ASSERT_EQ(p.lane, lane);
            ASSERT_EQ(p.item, item % length);
        }
    };
    const auto stride = make_tuple(1_I, row_stride);
    for (int thread = 0; thread < 64 * TM * TN * TK; thread++) {
        const int lane = thread % 64;
        const int w_m = thread / 64 % TM;
        const int w_n = thread / (64 * TM) % TN;
        const int w_k = thread / (64 * TM * TN);
        check(received<4>(lane,
                          [&](int l) {
                              return starts_of<4>(partition_layout_a_tr(
                                  mma, stride, make_tuple(w_m, l % WM, w_k, l / WM)));
                          }),
              lane, WM, EM, w_m, TM, w_k);
        check(received<4>(lane,
                          [&](int l) {
                              return starts_of<4>(partition_layout_b_tr(
                                  mma, stride, make_tuple(w_n, l % WN, w_k, l / WN)));
                          }),
              lane, WN, EN, w_n, TN, w_k);
    }
}
TEST(partition_layout_tr, items_of_the_tile) {
    check_transposed_tile(seq<2, 1, 3>{}, seq<3, 2, 1>{}, seq<16, 16, 16>{});
    check_transposed_tile(seq<3, 2, 1>{}, seq<1, 3, 2>{}, seq<32, 32, 8>{});
    check_transposed_tile(seq<1, 3, 2>{}, seq<2, 1, 3>{}, seq<16, 16, 32>{});
    check_transposed_tile(seq<3, 2, 2>{}, seq<2, 2, 2>{}, seq<32, 32, 16>{});
}
// Where the strides are numbers, those of the y-dims are, and the offsets are known.
TEST(partition_layout_tr, constants) {
    constexpr auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 32>{});
    const auto u = partition_layout_b_tr(mma, make_tuple(1_I, 40_I), make_tuple(0_I, 5, 0_I, 2));
    // Repeat along N, instruction along K, read: 16, 32 * 40 and 4 * 40 elements further.
    constexpr auto offsets = layout_imm_offsets_v<remove_cv_t<decltype(u)>, 4>;
    const int expected[] = {0, 160, 1280, 1440, 16, 176, 1296, 1456};
    static_assert(offsets.size() == 8);
    for (index_t i = 0; i < 8; i++) {
        EXPECT_EQ(offsets[i], expected[i]);
    }
    // Lane 37 points to row 1 of the rows 16 ... 19, columns 4 ... 7.
    EXPECT_EQ(layout_to_offsets<4>(u)[0], 17 * 40 + 4);
}

// == an adaptor of one's own ======================================================================

// Rows across 8 lanes, columns in two registers and across 4 lanes.
struct own_adaptor {
    constexpr auto shape_a() const { return make_tuple(8_I, 4_I, 2_I); }
    constexpr auto dim_a() const {
        return make_tuple(make_tuple(p_dim{}), make_tuple(p_dim{}, y_dim{}));
    }
    constexpr auto shape_b() const { return shape_a(); }
    constexpr auto dim_b() const { return dim_a(); }
    constexpr auto shape_c() const { return shape_a(); }
    constexpr auto dim_c() const { return dim_a(); }
    OPUS_ADAPTOR_LAYOUT_API_DEFINE
};
struct own_tiled_adaptor {
    template <class Mma, class Expand, class Tile>
    struct type : Mma {
        constexpr explicit type(const Mma& mma) : Mma(mma) {}
        using expand = Expand;
        using tile = Tile;
    };
};

TEST(own_adaptor, has_the_layouts) {
    constexpr own_adaptor own;
    static_assert(is_same_v<decltype(own.y_shape_b()), tuple<number<2>>>);
    static_assert(is_same_v<decltype(own.p_shape_c()), tuple<number<8>, number<4>>>);
    EXPECT_EQ(partition_layout_a(own, make_tuple(100, 1_I), make_tuple(3, 2))(1), 305);
    EXPECT_EQ(partition_layout_b_packed(own, make_tuple(3, 2))(1), 3 * 8 + 5);
    EXPECT_EQ(partition_layout_c(own)(3, 2, 1), 3 * 8 + 5);
    EXPECT_EQ(own.y_layout_c()(1), 1);
    using tiled =
        decltype(make_tiled_mma(own, seq<1, 2, 3>{}, seq<4, 5, 6>{}, own_tiled_adaptor{}));
    static_assert(is_same_v<tiled::expand, seq<1, 2, 3>> && is_same_v<tiled::tile, seq<4, 5, 6>>);
}

}  // namespace
