// fp4 operands of the size and layout that they have in the existing library: products of rows of
// bytes, for each shape, with fp4 as A, as B and as both, one instruction and a tile, swapped or
// not, with scales and without.
#define OPUS_FP4_OPERANDS_OF_32_BYTES 1
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "common/device.hpp"
#include "mfma_elements.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
using mfma_elements::finish;

template <class T>
constexpr int bytes_of_row(int k) {
    return is_same_v<T, fp4_t> ? k / 2 : k;
}

// -- layouts --------------------------------------------------------------------------------------

template <class A, class B, int M, int K, class Adaptor = mfma_adaptor>
using wave_t = decltype(make_mfma<A, B, fp32_t>(seq<M, M, K>{}, Adaptor{}));
template <class Mma>
using tile_t = decltype(make_tiled_mma(Mma{}, seq<2, 2, 1>{}, seq<1, 2, 1>{}));

template <class Mma>
constexpr bool is_as_bytes =
    sizeof(typename Mma::vtype_b) == 32 && Mma::pack_b == 16 && Mma::rept_b == 2 &&
    Mma::elem_b == 32 && is_same_v<typename Mma::dtype_b, fp4_t>;
static_assert(is_as_bytes<wave_t<fp8_t, fp4_t, 16, 128>>);
static_assert(is_as_bytes<wave_t<fp4_t, fp4_t, 32, 64>>);
static_assert(is_as_bytes<wave_t<bf8_t, fp4_t, 16, 128, mfma_adaptor_swap_ab>>);
static_assert(sizeof(mfma_f32_16x16x128_f8f6f4<fp8_t, fp4_t>::vtype_b) == 32);
static_assert(sizeof(wave_t<fp4_t, fp8_t, 32, 64>::vtype_a) == 32 &&
              wave_t<fp4_t, fp8_t, 32, 64>::pack_a == 16);
static_assert(sizeof(tile_t<wave_t<fp4_t, fp4_t, 16, 128>>::vtype_a) == 64);
static_assert(sizeof(wave_t<fp8_t, fp6_t, 16, 128>::vtype_b) == 24);

// Byte `lane / M * 16` of row `lane % M`; the second run begins where the first of all lanes ends.
TEST(fp4_bytes, layouts_count_bytes) {
    for (int lane = 0; lane < 64; lane++) {
        const wave_t<fp8_t, fp4_t, 16, 128> wide;
        const auto b =
            partition_layout_b(wide, make_tuple(128_I, 1_I), make_tuple(lane % 16, lane / 16));
        EXPECT_EQ(b(0, 0), lane % 16 * 128 + lane / 16 * 16) << lane;
        EXPECT_EQ(b(1, 3), lane % 16 * 128 + lane / 16 * 16 + 64 + 3) << lane;
        const tile_t<wave_t<fp4_t, fp4_t, 32, 64>> tall;
        const auto a = partition_layout_a(tall, make_tuple(40, 1_I),
                                          make_tuple(0_I, lane % 32, 0_I, lane / 32));
        EXPECT_EQ(a(1, 0, 0, 0), (32 + lane % 32) * 40 + lane / 32 * 16) << lane;
        EXPECT_EQ(a(0, 0, 1, 0), lane % 32 * 40 + lane / 32 * 16 + 32) << lane;
        EXPECT_EQ(partition_layout_b(tall, make_tuple(40, 1_I), 64 + lane)(0, 0, 0, 0),
                  (32 + lane % 32) * 40 + lane / 32 * 16)
            << lane;
    }
}

// -- products -------------------------------------------------------------------------------------

// An operand in eight dwords. Of fp4 the upper four are not zeros: nothing reads them.
template <class T, class Layout, class... Repeat>
__device__ i32x8_t load_operand(const uint8_t* p, const Layout& u, Repeat... repeat) {
    const auto g = make_gmem(p);
    const auto low = __builtin_bit_cast(i32x4_t, g.load<16>(u(repeat..., 0_I, 0_I)));
    auto high = i32x4_t{0x22222222, 0x44444444, 0x66666666, -1};
    if constexpr (!is_same_v<T, fp4_t>) {
        high = __builtin_bit_cast(i32x4_t, g.load<16>(u(repeat..., 1_I, 0_I)));
    }
    return i32x8_t{low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
}
// The lane's scale: of its row, and of 32 k, from scales[row][K / 32].
template <int M, int K>
__device__ int load_scale(const uint8_t* scales, int first_row) {
    const int lane = static_cast<int>(lane_id());
    return scales[(first_row + lane % M) * (K / 32) + lane / M];
}
template <class Mma, class V>
__device__ void store_c(const Mma& mma, const V& c, float* p, int columns) {
    const auto at = tile_coordinates_c(mma, thread_id_x());
    static_for<static_cast<index_t>(sizeof(V) / 4)>([&](auto i) {
        const auto where = at(i);
        p[get<0>(where) * columns + get<1>(where)] =
            __builtin_bit_cast(array<float, sizeof(V) / 4>, c)[i];
    });
}

template <class A, class B, int M, int K, class Adaptor, bool IsScaled>
__global__ void multiply(const uint8_t* a, const uint8_t* b, const uint8_t* scales_a,
                         const uint8_t* scales_b, float* c) {
    using wave = wave_t<A, B, M, K, Adaptor>;
    if constexpr (wave::available) {
        const int lane = static_cast<int>(lane_id());
        const auto at = make_tuple(lane % M, lane / M);
        const wave mma;
        const auto u_a = partition_layout_a(mma, make_tuple(bytes_of_row<A>(K), 1_I), at);
        const auto u_b = partition_layout_b(mma, make_tuple(bytes_of_row<B>(K), 1_I), at);
        const auto va = __builtin_bit_cast(typename wave::vtype_a, load_operand<A>(a, u_a));
        const auto vb = __builtin_bit_cast(typename wave::vtype_b, load_operand<B>(b, u_b));
        typename wave::vtype_c sum{};
        if constexpr (IsScaled) {
            sum = mma(va, vb, sum, load_scale<M, K>(scales_a, 0), load_scale<M, K>(scales_b, 0));
        } else {
            sum = mma(va, vb, sum);
        }
        settle(sum);
        store_c(mma, sum, c, M);
    }
}

// Two waves, each with 2 x 2 instructions; the rows of B are shared out between the waves.
template <class A, class B, int M, int K, class Adaptor, bool IsScaled>
__global__ void multiply_tile(const uint8_t* a, const uint8_t* b, const uint8_t* scales_a,
                              const uint8_t* scales_b, float* c) {
    using tile = tile_t<wave_t<A, B, M, K, Adaptor>>;
    if constexpr (tile::available) {
        const int lane = static_cast<int>(lane_id());
        const int wave = static_cast<int>(thread_id_x()) / 64;
        const tile mma;
        const auto u_a = partition_layout_a(mma, make_tuple(bytes_of_row<A>(K), 1_I),
                                            make_tuple(0_I, lane % M, 0_I, lane / M));
        const auto u_b = partition_layout_b(mma, make_tuple(bytes_of_row<B>(K), 1_I),
                                            make_tuple(wave, lane % M, 0_I, lane / M));
        array<i32x8_t, 2> as{load_operand<A>(a, u_a, 0_I, 0_I), load_operand<A>(a, u_a, 1_I, 0_I)};
        array<i32x8_t, 2> bs{load_operand<B>(b, u_b, 0_I, 0_I), load_operand<B>(b, u_b, 1_I, 0_I)};
        const auto va = __builtin_bit_cast(typename tile::vtype_a, as);
        const auto vb = __builtin_bit_cast(typename tile::vtype_b, bs);
        typename tile::vtype_c sum{};
        if constexpr (IsScaled) {
            const array<int, 2> sa{load_scale<M, K>(scales_a, 0), load_scale<M, K>(scales_a, M)};
            const array<int, 2> sb{load_scale<M, K>(scales_b, wave * M),
                                   load_scale<M, K>(scales_b, (2 + wave) * M)};
            sum = mma(va, vb, sum, sa, sb);
        } else {
            sum = mma(va, vb, sum);
        }
        settle(sum);
        store_c(mma, sum, c, 4 * M);
    }
}

// -- on the host ----------------------------------------------------------------------------------

// Codes of E2M1 and of E4M3 (OCP), and their values.
struct number_format {
    std::vector<int> codes;
    std::vector<float> values;
};
template <class T>
number_format format_of() {
    if (is_same_v<T, fp4_t>) {
        return {{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15},
                {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.5f, -1, -2, -6}};
    }
    return {{0x00, 0x30, 0x38, 0x40, 0x44, 0xb8, 0xc4}, {0, 0.5f, 1, 2, 3, -1, -3}};
}

// A matrix of rows of k numbers: its bytes, fp4 two in a byte with the lower k in the lower bits, a
// scale for 32 numbers of a row, and the numbers with their scales.
struct matrix {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> scales;
    std::vector<float> numbers;
};
template <class T>
matrix make_matrix(int rows, int k, bool is_scaled, unsigned seed) {
    const auto format = format_of<T>();
    matrix m;
    m.bytes.resize(static_cast<size_t>(rows * bytes_of_row<T>(k)));
    unsigned state = seed;
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < k; i++) {
            state = state * 1664525 + 1013904223;
            const size_t pick = (state >> 16) % format.codes.size();
            if (i % 32 == 0) {
                m.scales.push_back(static_cast<uint8_t>(126 + (row + i / 32 * 2 + rows) % 4));
            }
            const float scale = is_scaled ? __builtin_ldexpf(1, m.scales.back() - 127) : 1;
            m.numbers.push_back(format.values[pick] * scale);
            const auto code = static_cast<unsigned>(format.codes[pick]);
            if (is_same_v<T, fp4_t>) {
                auto& byte = m.bytes[static_cast<size_t>(row * (k / 2) + i / 2)];
                byte = static_cast<uint8_t>(byte | code << (i % 2 * 4));
            } else {
                m.bytes[static_cast<size_t>(row * k + i)] = static_cast<uint8_t>(code);
            }
        }
    }
    return m;
}

template <class A, class B, int M, int K, class Adaptor, bool IsScaled>
void check(bool is_tile) {
    const int rows = is_tile ? 2 * M : M;
    const int columns = is_tile ? 4 * M : M;
    const auto a = make_matrix<A>(rows, K, IsScaled, 1);
    const auto b = make_matrix<B>(columns, K, IsScaled, 2);
    const device_buffer<uint8_t> da(a.bytes), db(b.bytes), sa(a.scales), sb(b.scales);
    device_buffer<float> dc(static_cast<size_t>(rows * columns));
    if (is_tile) {
        multiply_tile<A, B, M, K, Adaptor, IsScaled>
            <<<1, 128>>>(da.data(), db.data(), sa.data(), sb.data(), dc.data());
    } else {
        multiply<A, B, M, K, Adaptor, IsScaled>
            <<<1, 64>>>(da.data(), db.data(), sa.data(), sb.data(), dc.data());
    }
    finish();
    const auto got = dc.to_host();
    for (int m = 0; m < rows; m++) {
        for (int n = 0; n < columns; n++) {
            float sum = 0;  // exact: multiples of 1/16 below 2^13
            for (int k = 0; k < K; k++) {
                sum += a.numbers[static_cast<size_t>(m * K + k)] *
                       b.numbers[static_cast<size_t>(n * K + k)];
            }
            ASSERT_EQ(got[static_cast<size_t>(m * columns + n)], sum)
                << "row " << m << ", column " << n << ", M " << M << ", tile " << is_tile
                << ", scaled " << IsScaled;
        }
    }
}
template <class A, class B, int M, int K, class Adaptor>
void check() {
    for (const bool is_tile : {false, true}) {
        check<A, B, M, K, Adaptor, false>(is_tile);
        check<A, B, M, K, Adaptor, true>(is_tile);
    }
}
template <class A, class B>
void check() {
    check<A, B, 16, 128, mfma_adaptor>();
    check<A, B, 16, 128, mfma_adaptor_swap_ab>();
    check<A, B, 32, 64, mfma_adaptor>();
    check<A, B, 32, 64, mfma_adaptor_swap_ab>();
}

TEST(fp4_bytes, products_of_rows_of_bytes) {
    if (mfma_elements::target() != 950) {
        GTEST_SKIP() << "gfx942 has no product of fp4";
    }
    check<fp8_t, fp4_t>();
    check<fp4_t, fp8_t>();
    check<fp4_t, fp4_t>();
}

}  // namespace
