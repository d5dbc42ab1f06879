// Where the adaptors put the elements of A, B and C, against the definition of the matrix
// instructions (ISA guide, 7.1, for one block): pure arithmetic, no device.
#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

struct place {
    index_t lane;
    index_t item;
};

// A[i, k] and B[k, i] of an instruction that has `rows` rows (of A) or columns (of B).
place operand_place(index_t i, index_t k, index_t rows, index_t k_extent) {
    const index_t per_lane = k_extent / (64 / rows);
    return {i + rows * (k / per_lane), k % per_lane};
}

// C[i, j] of an instruction with n columns and 32-bit results.
place result_place(index_t i, index_t j, index_t n) {
    const index_t h = 4;
    const index_t m_i = 64 / n;
    return {j + n * ((i / h) % m_i), (i % h) + h * (i / (h * m_i))};
}

// For every lane: register `item` of the tile that is loaded through the layout of a row-major
// rows x columns matrix is the element that `where` puts there. Returns how many were seen.
template <index_t vec, class Layout, class Where>
int check_lane(const Layout& u, index_t lane, index_t columns, Where where) {
    int seen = 0;
    const auto offsets = layout_to_offsets<vec>(u);
    for (index_t issue = 0; issue < offsets.size(); issue++) {
        for (index_t e = 0; e < vec; e++) {
            const index_t offset = offsets[issue] + e;
            const place p = where(offset / columns, offset % columns);
            EXPECT_EQ(p.lane, lane) << "offset " << offset;
            EXPECT_EQ(p.item, issue * vec + e) << "lane " << lane << " offset " << offset;
            seen++;
        }
    }
    return seen;
}

template <class Table>
struct types_of;
template <class... Instruction>
struct types_of<tuple<Instruction...>> {
    using type = testing::Types<Instruction...>;
};
template <class Instruction>
class adaptor_of : public testing::Test {};
TYPED_TEST_SUITE(adaptor_of, types_of<impl::mfma_table>::type);

template <class T, index_t M, index_t N, index_t K>
void check_operands(mfma<T, T, fp32_t, M, N, K>) {
    const auto check = [](auto mma) {
        using mma_t = decltype(mma);
        static_assert(mma_t::elem_a == M * K / 64 && mma_t::elem_b == N * K / 64);
        static_assert(mma_t::elem_c == M * N / 64 && mma_t::warp_size == 64);
        static_assert(is_same_v<typename mma_t::vtype_a, vector_t<T, M * K / 64>>);
        static_assert(is_same_v<typename mma_t::vtype_b, vector_t<T, N * K / 64>>);
        static_assert(is_same_v<typename mma_t::vtype_c, vector_t<fp32_t, M * N / 64>>);
        static_assert(is_same_v<typename mma_t::dtype_a, T> &&
                      is_same_v<typename mma_t::dtype_b, T>);
        static_assert(is_same_v<typename mma_t::dtype_c, fp32_t>);
        static_assert(mma_t::wave_m == M && mma_t::wave_n == N && mma_t::wave_k == K);
        using instruction = mfma<T, T, fp32_t, M, N, K>;
        static_assert(is_same_v<typename instruction::dtype_a, T> &&
                      is_same_v<typename instruction::dtype_b, T> &&
                      is_same_v<typename instruction::dtype_c, fp32_t>);
        int a = 0;
        int b = 0;
        for (index_t lane = 0; lane < 64; lane++) {
            const auto ca = make_tuple(lane % mma.grpm_a, lane / mma.grpm_a);
            const auto cb = make_tuple(lane % mma.grpn_b, lane / mma.grpn_b);
            const auto in_a = [](index_t i, index_t k) { return operand_place(i, k, M, K); };
            const auto in_b = [](index_t j, index_t k) { return operand_place(j, k, N, K); };
            a += check_lane<mma_t::pack_a>(partition_layout_a(mma, make_tuple(K, 1_I), ca), lane, K,
                                           in_a);
            check_lane<mma_t::pack_a>(partition_layout_a_packed(mma, ca), lane, K, in_a);
            b += check_lane<mma_t::pack_b>(partition_layout_b_packed(mma, cb), lane, K, in_b);
        }
        EXPECT_EQ(a, M * K);
        EXPECT_EQ(b, N * K);
    };
    check(make_mfma<T, T, fp32_t>(number<M>{}, number<N>{}, number<K>{}));
    check(make_mfma<T, T, fp32_t>(seq<M, N, K>{}, mfma_adaptor_swap_ab{}));
}

template <class T, index_t M, index_t N, index_t K>
void check_results(mfma<T, T, fp32_t, M, N, K>) {
    const auto mma = make_mfma<T, T, fp32_t>(seq<M, N, K>{});
    const auto swapped = make_mfma<T, T, fp32_t>(seq<M, N, K>{}, mfma_adaptor_swap_ab{});
    int c = 0;
    int d = 0;
    for (index_t lane = 0; lane < 64; lane++) {
        const auto plain = make_tuple(lane / mma.grpn_c, lane % mma.grpn_c);
        c += check_lane<1>(partition_layout_c_packed(mma, plain), lane, N,
                           [](index_t i, index_t j) { return result_place(i, j, N); });
        // Swapped, the instruction's rows are the columns of C.
        const auto transposed = make_tuple(lane % swapped.grpn_c, lane / swapped.grpn_c);
        d += check_lane<4>(partition_layout_c(swapped, make_tuple(N, 1_I), transposed), lane, N,
                           [](index_t i, index_t j) { return result_place(j, i, M); });
    }
    EXPECT_EQ(c, M * N);
    EXPECT_EQ(d, M * N);
}

TYPED_TEST(adaptor_of, operands_are_where_the_instruction_reads_them) {
    check_operands(TypeParam{});
}
TYPED_TEST(adaptor_of, results_are_where_the_instruction_leaves_them) {
    check_results(TypeParam{});
}

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

}  // namespace
