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

namespace {

using namespace opus;
using opus::operator""_I;
using namespace operand_places;

// == one wave =====================================================================================

template <index_t vec, class Layout>
std::vector<int> offsets_of(const Layout& u) {
    std::vector<int> all;
    const auto offsets = layout_to_offsets<vec>(u);
    for (index_t i = 0; i < offsets.size(); i++) {
        for (index_t e = 0; e < vec; e++) {
            all.push_back(offsets[i] + e);
        }
    }
    return all;
}

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
    for (const subject& s : subjects(impl::mfma_table())) {
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
#define EXPECT_ALIASES_OF_FORMATS(a, b)                                  \
    EXPECT_ALIAS(f32_16x16x128_##a##_##b, a, b, fp32, 16, 16, 128)       \
    EXPECT_ALIAS(f32_32x32x64_##a##_##b, a, b, fp32, 32, 32, 64)         \
    EXPECT_ALIAS(scale_f32_16x16x128_##a##_##b, a, b, fp32, 16, 16, 128) \
    EXPECT_ALIAS(scale_f32_32x32x64_##a##_##b, a, b, fp32, 32, 32, 64)
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

TEST(adaptor, operands_are_where_the_instruction_reads_them) {
    for (const subject& s : subjects(impl::mfma_table())) {
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
    for (const subject& s : subjects(impl::mfma_table())) {
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

// == tiles ========================================================================================

// Of the guide: 64x32x16 for four waves.
TEST(tiled_mma, shapes_of_64x32x16) {
    constexpr auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
    static_assert(mma.expd_m == 2 && mma.expd_n == 1 && mma.expd_k == 1);
    static_assert(mma.tile_m == 2 && mma.tile_n == 2 && mma.tile_k == 1);
    static_assert(mma.mma_a_len == 4 && mma.mma_b_len == 4 && mma.mma_c_len == 4);
    static_assert(mma.tile_a_len == 8 && mma.tile_b_len == 4 && mma.tile_c_len == 8);
    static_assert(is_same_v<decltype(mma)::vtype_a, fp16x8_t>);
    static_assert(is_same_v<decltype(mma)::vtype_b, fp16x4_t>);
    static_assert(is_same_v<decltype(mma)::vtype_c, fp32x8_t>);
    // What describes the wave's mma is still there.
    static_assert(mma.elem_a == 4 && mma.grpm_a == 16 && mma.wave_k == 16 && mma.pack_c == 4);

    static_assert(
        is_same_v<decltype(mma.shape_a()), tuple<number<2>, number<2>, number<16>, number<1>,
                                                 number<1>, number<1>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.shape_b()), tuple<number<1>, number<2>, number<16>, number<1>,
                                                 number<1>, number<1>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.shape_c()), tuple<number<2>, number<2>, number<1>, number<4>,
                                                 number<4>, number<1>, number<2>, number<16>>>);
    static_assert(
        is_same_v<decltype(mma.dim_a()),
                  tuple<tuple<y_dim, p_dim, p_dim>, tuple<y_dim, p_dim, y_dim, p_dim, y_dim>>>);
    static_assert(is_same_v<decltype(mma.dim_b()), decltype(mma.dim_a())>);
    static_assert(
        is_same_v<decltype(mma.dim_c()),
                  tuple<tuple<y_dim, p_dim, y_dim, p_dim, y_dim>, tuple<y_dim, p_dim, p_dim>>>);
    static_assert(
        is_same_v<decltype(mma.y_shape_a()), tuple<number<2>, number<1>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_a()), tuple<number<2>, number<16>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_b()), tuple<number<2>, number<16>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_c()), tuple<number<2>, number<4>, number<2>, number<16>>>);
    EXPECT_EQ(mma.y_layout_a()(1, 0, 0, 3), 7);
    // Repeat 1 of wave 1 along M, lane 21 of the wave: row 32 + 16 + 5, k = 4 .. 7.
    EXPECT_EQ(mma.layout_a(make_tuple(100, 1_I), make_tuple(1, 5, 0, 1))(1, 0, 0, 2), 5306);
    EXPECT_EQ(mma.layout_a_packed(make_tuple(1, 5, 0, 1))(1, 0, 0, 2), 53 * 16 + 6);
    EXPECT_EQ(mma.layout_a(make_tuple(100, 1_I))(1, 1, 5, 0, 0, 0, 1, 2), 5306);
}

// The registers of C are open in their order, whatever lies along N.
TEST(tiled_mma, order_of_c) {
    constexpr auto plain =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{});
    static_assert(
        is_same_v<decltype(plain.y_shape_c()), tuple<number<2>, number<3>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(plain.shape_c()), tuple<number<2>, number<1>, number<4>, number<2>,
                                                   number<4>, number<3>, number<1>, number<32>>>);
    static_assert(
        is_same_v<decltype(plain.p_shape_c()), tuple<number<1>, number<2>, number<1>, number<32>>>);
    EXPECT_EQ(plain.y_layout_c()(1, 2, 3, 1), 16 * 5 + 13);
    // im 1, in 2, the third group of four rows, its second row; lane 32 + 7.
    EXPECT_EQ(plain.layout_c(make_tuple(1000, 1_I), make_tuple(0, 1, 0, 7))(1, 2, 3, 1),
              (32 + 24 + 4 + 1) * 1000 + 64 + 7);
    constexpr auto swapped = make_tiled_mma<fp16_t, fp16_t, fp32_t>(
        seq<2, 3, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{}, mfma_adaptor_swap_ab{});
    static_assert(is_same_v<decltype(swapped.y_shape_c()),
                            tuple<number<2>, number<3>, number<4>, number<4>>>);
    EXPECT_EQ(swapped.layout_c(make_tuple(1000, 1_I), make_tuple(0, 7, 0, 1))(1, 2, 3, 1),
              (32 + 7) * 1000 + 64 + 24 + 4 + 1);
}

// Made in three ways, from types and from a wave's mma.
TEST(tiled_mma, ways_to_make_it) {
    constexpr auto wave =
        make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    using of_types = decltype(make_tiled_mma<bf16_t, bf16_t, fp32_t>(
        seq<1, 2, 3>{}, seq<4, 5, 6>{}, seq<32, 32, 8>{}, mfma_adaptor_swap_ab{}));
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, seq<1, 2, 3>{}, seq<4, 5, 6>{})), of_types>);
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, 1_I, 2_I, 3_I, 4_I, 5_I, 6_I)), of_types>);
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, 1_I, 2_I, 3_I, 4_I, 5_I, 6_I, tiled_mma_adaptor{})),
                  of_types>);
    static_assert(is_same_v<decltype(make_tiled_mma<bf16_t, bf16_t, fp32_t>(
                                seq<1, 2, 3>{}, seq<4, 5, 6>{}, seq<32, 32, 8>{},
                                mfma_adaptor_swap_ab{}, tiled_mma_adaptor{})),
                            of_types>);
    static_assert(is_same_v<of_types::MMA, remove_cv_t<decltype(wave)>>);
    static_assert(of_types::expd_m == 1 && of_types::expd_n == 2 && of_types::expd_k == 3);
    static_assert(of_types::tile_m == 4 && of_types::tile_n == 5 && of_types::tile_k == 6);
    static_assert(of_types::tile_a_len == 3 * 4 && of_types::tile_b_len == 6 * 4 &&
                  of_types::tile_c_len == 2 * 16);
}

// The place of an item of the tile: operand by operand, each as the wave's mma has it.
template <bool swapped, index_t EM, index_t EN, index_t EK, index_t TM, index_t TN, index_t TK,
          index_t WM, index_t WN, index_t WK>
void check_tile(seq<EM, EN, EK> expand, seq<TM, TN, TK> tile, seq<WM, WN, WK> wave) {
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, tile, wave, adaptor{});
    using mma_t = remove_cv_t<decltype(mma)>;
    const auto stride = make_tuple(row_stride, 1_I);
    const auto row_of = [](int offset) { return offset / row_stride; };
    const auto column_of = [](int offset) { return offset % row_stride; };
    std::set<int> a, b, c;
    for (int thread = 0; thread < 64 * TM * TN * TK; thread++) {
        const int lane = thread % 64;
        const int w_m = thread / 64 % TM;
        const int w_n = thread / (64 * TM) % TN;
        const int w_k = thread / (64 * TM * TN);
        const auto items_a = offsets_of<mma_t::pack_a>(partition_layout_a(
            mma, stride, make_tuple(w_m, lane % mma.grpm_a, w_k, lane / mma.grpm_a)));
        ASSERT_EQ(items_a.size(), static_cast<size_t>(mma.tile_a_len));
        for (int item = 0; item < mma.tile_a_len; item++) {
            const int offset = items_a[static_cast<size_t>(item)];
            const int operand = item / mma.mma_a_len;
            EXPECT_EQ(row_of(offset) / WM, operand / EK * TM + w_m);
            EXPECT_EQ(column_of(offset) / WK, operand % EK * TK + w_k);
            const auto p = laws::operand_place(element::f16, WM, WK, 1, 0, row_of(offset) % WM,
                                               column_of(offset) % WK);
            ASSERT_EQ(p.lane, lane);
            ASSERT_EQ(p.item, item % mma.mma_a_len);
            a.insert(offset);
        }
        const auto items_b = offsets_of<mma_t::pack_b>(partition_layout_b(
            mma, stride, make_tuple(w_n, lane % mma.grpn_b, w_k, lane / mma.grpn_b)));
        ASSERT_EQ(items_b.size(), static_cast<size_t>(mma.tile_b_len));
        for (int item = 0; item < mma.tile_b_len; item++) {
            const int offset = items_b[static_cast<size_t>(item)];
            const int operand = item / mma.mma_b_len;
            EXPECT_EQ(row_of(offset) / WN, operand / EK * TN + w_n);
            EXPECT_EQ(column_of(offset) / WK, operand % EK * TK + w_k);
            const auto p = laws::operand_place(element::f16, WN, WK, 1, 0, row_of(offset) % WN,
                                               column_of(offset) % WK);
            ASSERT_EQ(p.lane, lane);
            ASSERT_EQ(p.item, item % mma.mma_b_len);
            b.insert(offset);
        }
        const auto items_c = [&] {
            if constexpr (swapped) {
                return offsets_of<mma_t::pack_c>(partition_layout_c(
                    mma, stride, make_tuple(w_m, lane % mma.grpn_c, w_n, lane / mma.grpn_c)));
            } else {
                return offsets_of<1>(partition_layout_c(
                    mma, stride, make_tuple(w_m, lane / mma.grpn_c, w_n, lane % mma.grpn_c)));
            }
        }();
        ASSERT_EQ(items_c.size(), static_cast<size_t>(mma.tile_c_len));
        for (int item = 0; item < mma.tile_c_len; item++) {
            const int offset = items_c[static_cast<size_t>(item)];
            const int operand = item / mma.mma_c_len;
            EXPECT_EQ(row_of(offset) / WM, operand / EN * TM + w_m);
            EXPECT_EQ(column_of(offset) / WN, operand % EN * TN + w_n);
            const int i = row_of(offset) % WM;
            const int j = column_of(offset) % WN;
            const auto p = swapped ? laws::result_place(element::f32, WN, WM, 1, 0, j, i)
                                   : laws::result_place(element::f32, WM, WN, 1, 0, i, j);
            ASSERT_EQ(p.lane, lane);
            ASSERT_EQ(p.item, item % mma.mma_c_len);
            c.insert(offset);
        }
    }
    EXPECT_EQ(a.size(), static_cast<size_t>(EM * TM * WM * EK * TK * WK));
    EXPECT_EQ(b.size(), static_cast<size_t>(EN * TN * WN * EK * TK * WK));
    EXPECT_EQ(c.size(), static_cast<size_t>(EM * TM * WM * EN * TN * WN));
}

TEST(tiled_mma, items_of_the_tile) {
    check_tile<false>(seq<2, 1, 3>{}, seq<3, 2, 1>{}, seq<16, 16, 16>{});
    check_tile<false>(seq<3, 2, 1>{}, seq<1, 3, 2>{}, seq<32, 32, 8>{});
    check_tile<true>(seq<1, 3, 2>{}, seq<2, 1, 3>{}, seq<16, 16, 16>{});
    check_tile<true>(seq<3, 2, 2>{}, seq<2, 2, 2>{}, seq<32, 32, 8>{});
}

// == transposed reads =============================================================================

// What lane `lane` receives if every lane points to the places of `points_to`, by the definition of
// the instruction (CDNA4 ISA guide 11.4; see examples and docs/memory.md): in each 16 lanes with
// first lane B, element n of lane B + r is element r % E of what lane B + r / E + (16 / E) * n
// points to; of 6 bits E is 16.
template <index_t e, class PointsTo>
std::vector<int> received(int lane, PointsTo points_to) {
    const int r = lane % 16;
    std::vector<std::vector<int>> sources;
    for (int n = 0; n < e; n++) {
        sources.push_back(points_to(lane - r + r / e + 16 / e * n));
    }
    std::vector<int> all;
    for (size_t read = 0; read < sources[0].size(); read++) {
        for (const auto& source : sources) {
            all.push_back(source[read] + r % e);
        }
    }
    return all;
}
template <index_t vec, class Layout>
std::vector<int> starts_of(const Layout& u) {
    const auto offsets = layout_to_offsets<vec>(u);
    std::vector<int> all;
    for (index_t i = 0; i < offsets.size(); i++) {
        all.push_back(offsets[i]);
    }
    return all;
}

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

// A lane has whole reads of 8 (6 bits: 12) bytes, for 16 or 32 rows.
constexpr bool has_transposed_reads(element x, int rows, int k, int blocks) {
    const int bits = x == element::f16 || x == element::bf16                      ? 16
                     : x == element::fp6 || x == element::bf6                     ? 6
                     : x == element::fp4                                          ? 4
                     : x == element::i8 || x == element::fp8 || x == element::bf8 ? 8
                                                                                  : 0;
    return bits != 0 && rows % 16 == 0 && blocks == 1 &&
           rows * k / 64 * bits % (bits == 6 ? 96 : 64) == 0;
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
    EXPECT_EQ(check_all_transposed(impl::mfma_table()), 8 + 4 + 8 + 50);
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

// == one product after another ====================================================================

// Which of the instruction's k register `item` of lane `lane` is, and which instruction.
struct slot {
    int instruction;
    int k;
    bool operator==(const slot& other) const {
        return instruction == other.instruction && k == other.k;
    }
};
template <class T>
slot slot_of(int rows, int k_extent, int lane, int item) {
    const int length = rows * k_extent / 64;
    for (int k = 0; k < k_extent; k++) {
        const auto p = laws::operand_place(element_of<T>(), rows, k_extent, 1, 0, lane % rows, k);
        if (p.lane == lane && p.item == item % length) {
            return {item / length, k};
        }
    }
    ADD_FAILURE() << "no k";
    return {};
}

// For each k the slot in which the lanes of `rows` rows have it, through layout(lane), of `repeats`
// tiles with `items` registers in all. Each row has all k in the same slots.
template <class T, class Layout>
std::vector<slot> order_of_k(int rows, int wave_k, int k_extent, int repeats, Layout layout) {
    std::vector<slot> order(static_cast<size_t>(k_extent), slot{-1, -1});
    int count = 0;
    for (int lane = 0; lane < 64; lane++) {
        const std::vector<int> items = layout(lane);
        const int per_repeat = static_cast<int>(items.size()) / repeats;
        for (int item = 0; item < static_cast<int>(items.size()); item++, count++) {
            const int row = items[static_cast<size_t>(item)] / row_stride;
            const size_t k = static_cast<size_t>(items[static_cast<size_t>(item)] % row_stride);
            EXPECT_EQ(row, item / per_repeat * rows + lane % rows);
            const slot s = slot_of<T>(rows, wave_k, lane, item % per_repeat);
            if (order[k].instruction < 0) {
                order[k] = s;
            }
            EXPECT_TRUE(order[k] == s) << "lane " << lane << " item " << item;
        }
    }
    EXPECT_EQ(count, rows * repeats * k_extent);
    return order;
}

// C of `first` is in those lanes and registers in which `second`, chained, wants its operand: by
// the definitions of the matrix instructions. And both operands have each k in the same place.
template <bool swapped, class T, index_t W, index_t WK, index_t Rows, index_t Columns,
          index_t Along>
void check_chain() {
    // C of the first: Rows x Along tiles of W x W, or Along x Rows.
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    constexpr index_t first_k = is_same_v<T, fp64_t> ? 4 : 256 / W;
    using first_t = __type_pack_element<is_same_v<T, fp64_t>, fp16_t, fp64_t>;
    using sum_t = __type_pack_element<is_same_v<T, fp64_t>, fp32_t, fp64_t>;
    using result_t = __type_pack_element<is_same_v<T, i8_t>, sum_t, i32_t>;
    constexpr index_t steps = Along * W / WK;  // instructions along K of the second
    using first_tiles = seq<swapped ? Rows : Along, swapped ? Along : Rows, 1>;
    using second_tiles = seq<swapped ? Rows : Columns, swapped ? Columns : Rows, steps>;
    const auto first = make_tiled_mma<first_t, first_t, sum_t>(first_tiles{}, seq<1, 1, 1>{},
                                                               seq<W, W, first_k>{}, adaptor{});
    const auto plain =
        make_tiled_mma<T, T, result_t>(second_tiles{}, seq<1, 1, 1>{}, seq<W, W, WK>{});
    const auto second = [&] {
        if constexpr (swapped) {
            return chain_a(first, plain);
        } else {
            return chain_b(first, plain);
        }
    }();
    using second_t = remove_cv_t<decltype(second)>;
    static_assert(is_same_v<typename second_t::vtype_a, typename decltype(plain)::vtype_a> &&
                  is_same_v<typename second_t::vtype_c, typename decltype(plain)::vtype_c>);
    const auto stride = make_tuple(row_stride, 1_I);
    const auto p = [](int lane) { return make_tuple(0_I, lane % W, 0_I, lane / W); };
    const auto a = [&](int lane) {
        return offsets_of<second_t::pack_a>(partition_layout_a(second, stride, p(lane)));
    };
    const auto b = [&](int lane) {
        return offsets_of<second_t::pack_b>(partition_layout_b(second, stride, p(lane)));
    };
    const auto order_a = order_of_k<T>(W, WK, steps * WK, second_t::expd_m, a);
    const auto order_b = order_of_k<T>(W, WK, steps * WK, second_t::expd_n, b);
    EXPECT_TRUE(order_a == order_b);
    for (int lane = 0; lane < 64; lane++) {
        const auto wanted = swapped ? a(lane) : b(lane);
        ASSERT_EQ(wanted.size(), static_cast<size_t>(first.tile_c_len));
        for (int item = 0; item < first.tile_c_len; item++) {
            const int row = wanted[static_cast<size_t>(item)] / row_stride;
            const int k = wanted[static_cast<size_t>(item)] % row_stride;
            // The tile of C in whose registers it is, and that in which (row, k) is.
            const int tile = item / first.mma_c_len;
            EXPECT_EQ(tile, swapped ? row / W * Along + k / W : k / W * Rows + row / W);
            const auto place = laws::result_place(element_of<sum_t>(), W, W, 1, 0, k % W, row % W);
            ASSERT_EQ(place.lane, lane) << "item " << item;
            ASSERT_EQ(place.item, item % first.mma_c_len) << "lane " << lane;
        }
    }
    // Transposed reads give the same.
    if constexpr (has_transposed_reads(element_of<T>(), W, WK, 1)) {
        constexpr index_t e = second_t::pack_b_tr;
        for (int lane = 0; lane < 64; lane++) {
            const auto check = [&](std::vector<int> got, const std::vector<int>& expected) {
                for (int& offset : got) {
                    offset = offset % row_stride * row_stride + offset / row_stride;
                }
                EXPECT_EQ(got, expected) << "lane " << lane;
            };
            const auto columns = make_tuple(1_I, row_stride);
            check(received<e>(lane,
                              [&](int l) {
                                  return starts_of<e>(partition_layout_a_tr(second, columns, p(l)));
                              }),
                  a(lane));
            check(received<e>(lane,
                              [&](int l) {
                                  return starts_of<e>(partition_layout_b_tr(second, columns, p(l)));
                              }),
                  b(lane));
        }
    }
}
template <bool swapped>
void check_chains() {
    check_chain<swapped, fp16_t, 16, 16, 1, 2, 3>();
    check_chain<swapped, bf16_t, 16, 32, 1, 3, 4>();
    check_chain<swapped, fp16_t, 32, 8, 1, 2, 1>();
    check_chain<swapped, bf16_t, 32, 16, 1, 2, 2>();
    check_chain<swapped, bf16_t, 32, 32, 1, 1, 2>();  // two instructions as one
    check_chain<swapped, fp8_t, 16, 32, 1, 2, 4>();
    check_chain<swapped, bf8_t, 32, 16, 1, 1, 1>();
    check_chain<swapped, fp8_t, 16, 128, 1, 2, 8>();
    check_chain<swapped, fp8_t, 32, 64, 1, 2, 4>();
    check_chain<swapped, fp4_t, 16, 128, 1, 2, 16>();
    check_chain<swapped, fp4_t, 32, 64, 1, 2, 2>();
    check_chain<swapped, i8_t, 16, 64, 1, 2, 4>();
    check_chain<swapped, i8_t, 32, 16, 1, 2, 1>();
    check_chain<swapped, fp64_t, 16, 4, 1, 2, 2>();
    check_chain<swapped, bf16_t, 32, 16, 3, 2, 1>();
}
TEST(chain, c_is_a) {
    check_chains<true>();
    check_chain<true, fp16_t, 16, 32, 2, 3, 4>();
    check_chain<true, bf16_t, 32, 16, 2, 1, 3>();
}
TEST(chain, c_is_b) {
    check_chains<false>();
}
// The bare instructions, and waves: their places are not touched.
TEST(chain, of_instructions_and_of_waves) {
    constexpr auto qk = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 16_I, mfma_adaptor_swap_ab{});
    constexpr auto one =
        make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{});
    constexpr auto pv = chain_a(qk, one);
    static_assert(pv.pack_a == 4 && pv.rept_a == 2 && one.pack_a == 8 && one.rept_a == 1);
    const auto u = partition_layout_a(pv, make_tuple(row_stride, 1_I), make_tuple(0_I, 7, 0_I, 1));
    const std::vector<int> k = {4, 12, 20, 28};
    for (index_t i = 0; i < 4; i++) {
        EXPECT_EQ(layout_to_offsets<4>(u)[i], 7 * row_stride + k[static_cast<size_t>(i)]);
    }
    // The picture in docs/matrix-cores.md: A of 16x16x32 behind two tiles of 16x16.
    constexpr auto drawn =
        chain_a(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 1>{}, seq<1, 1, 1>{},
                                                       seq<16, 16, 32>{}, mfma_adaptor_swap_ab{}),
                make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I));
    static_assert(
        is_same_v<decltype(drawn.shape_a()), tuple<number<16>, number<2>, number<4>, number<4>>> &&
        is_same_v<decltype(drawn.dim_a()), tuple<tuple<p_dim>, tuple<y_dim, p_dim, y_dim>>>);
    constexpr auto product =
        chain_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{}),
                make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I));
    static_assert(product.pack_a == 4 && product.wave_k == 16);
    constexpr auto waves =
        chain_a(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 4, 1>{}, seq<2, 1, 1>{},
                                                       seq<16, 16, 16>{}, mfma_adaptor_swap_ab{}),
                make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<2, 3, 1>{},
                                                       seq<16, 16, 32>{}, mfma_adaptor_swap_ab{}));
    const auto w = partition_layout_a(waves, make_tuple(row_stride, 1_I), make_tuple(1, 0, 0_I, 0));
    EXPECT_EQ(layout_to_offsets<4>(w)[0], 16 * row_stride);
    EXPECT_EQ(layout_to_offsets<4>(w)[4], 48 * row_stride);
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
