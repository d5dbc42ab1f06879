// Operands by transposed reads, and products whose operand is the result of another, as numbers:
// small integers, so that every sum is exact. What is where is for op_tests/host/test_19_chain.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "mfma_elements.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace mfma_elements;

// == host =========================================================================================

struct matrix {
    int rows;
    int columns;
    std::vector<double> values;

    matrix(int r, int c)
        : rows(r), columns(c), values(static_cast<size_t>(r) * static_cast<size_t>(c)) {}
    double& at(int i, int j) { return values[static_cast<size_t>(i * columns + j)]; }
    double at(int i, int j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

// Integers from -largest to largest; every skip-th column, the others are 0.
matrix random_matrix(int rows, int columns, int largest, int skip = 1) {
    static std::mt19937 generator(17);
    matrix m(rows, columns);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j += skip) {
            m.at(i, j) =
                static_cast<double>(generator() % static_cast<unsigned>(2 * largest + 1)) - largest;
        }
    }
    return m;
}
// x * y, or x * y^T.
matrix product(const matrix& x, const matrix& y, bool transposed) {
    matrix z(x.rows, transposed ? y.rows : y.columns);
    for (int i = 0; i < z.rows; i++) {
        for (int j = 0; j < z.columns; j++) {
            for (int k = 0; k < x.columns; k++) {
                z.at(i, j) += x.at(i, k) * (transposed ? y.at(j, k) : y.at(k, j));
            }
        }
    }
    return z;
}

// Row-major with rows of `pitch` elements, all bits of an element one after another.
std::vector<uint8_t> bytes_of(const matrix& m, element type, int pitch) {
    const int bits = laws::bits_of(type);
    std::vector<uint8_t> bytes(static_cast<size_t>(m.rows * pitch * bits / 8), 0xa5);
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.columns; j++) {
            const uint64_t code = laws::encode(type, target(), m.at(i, j));
            for (int b = 0; b < bits; b++) {
                const int bit = (i * pitch + j) * bits + b;
                uint8_t& byte = bytes[static_cast<size_t>(bit / 8)];
                byte = static_cast<uint8_t>((byte & ~(1 << bit % 8)) |
                                            static_cast<int>(code >> b & 1) << bit % 8);
            }
        }
    }
    return bytes;
}

void expect_equal(const std::vector<float>& got, const matrix& expected) {
    for (int i = 0; i < expected.rows; i++) {
        for (int j = 0; j < expected.columns; j++) {
            ASSERT_EQ(static_cast<double>(got[static_cast<size_t>(i * expected.columns + j)]),
                      expected.at(i, j))
                << "row " << i << " column " << j;
        }
    }
}

// == device =======================================================================================

constexpr int lds_bytes = 60 * 1024;

__device__ void copy_bytes(const uint8_t* from, uint8_t* to, int count) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int i = thread_id_x(); i < count; i += 64) {
        to[i] = from[i];
    }
}
template <bool swapped, class Mma>
__device__ void store_c(const Mma& mma, float* c, typename Mma::vtype_c x) {
    settle(x);
    constexpr index_t n = Mma::expd_n * Mma::wave_n;
    const auto u = partition_layout_c(mma, make_tuple(number<n>{}, 1_I), lane_id());
    make_gmem(c).template store<swapped ? 4 : 1>(x, u);
}

// -- both operands by transposed reads ------------------------------------------------------------

// A and B are in memory, and then in LDS, as K rows of M and of N elements.
template <class Mma, bool run_time>
__global__ void multiply_columns(const uint8_t* a, const uint8_t* b, float* c, int run_pitch_a,
                                 int bytes_a, int bytes_b) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    if constexpr (Mma::instruction::available) {
        constexpr Mma mma{};
        constexpr int pitch = 64 + Mma::expd_m * Mma::wave_m;
        copy_bytes(a, lds, bytes_a);
        copy_bytes(b, lds + bytes_a, bytes_b);
        __syncthreads();
        const auto s_a = make_smem(reinterpret_cast<typename Mma::dtype_a*>(lds));
        const auto s_b = make_smem(reinterpret_cast<typename Mma::dtype_b*>(lds + bytes_a));
        const auto u_b = partition_layout_b_tr(mma, make_tuple(1_I, 128_I), lane_id());
        const auto tile_a = [&] {
            if constexpr (run_time) {
                return s_a.template tr_load<Mma::pack_a_tr>(
                    partition_layout_a_tr(mma, make_tuple(1_I, run_pitch_a), lane_id()));
            } else {
                return s_a.template tr_load<Mma::pack_a_tr>(partition_layout_a_tr<Mma::pack_a_tr>(
                    mma, make_tuple(1_I, number<pitch>{}), lane_id()));
            }
        }();
        const auto tile_b = tr_load<Mma::pack_b_tr>(s_b, u_b);
        s_waitcnt_lgkmcnt(0_I);
        store_c<false>(mma, c, mma(tile_a, tile_b));
    }
}

template <class A, class B, index_t W, index_t K>
void check_columns(bool on_both) {
    if (!on_both && target() != 950) {
        return;
    }
    const auto mma = make_tiled_mma<A, B, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<W, W, K>{});
    using mma_t = remove_cv_t<decltype(mma)>;
    SCOPED_TRACE(std::to_string(W) + "x" + std::to_string(W) + "x" + std::to_string(K) + ", " +
                 laws::name_of(element_v<A>) + ", " + laws::name_of(element_v<B>));
    const matrix a = random_matrix(2 * W, 2 * K, 2);
    const matrix b = random_matrix(2 * K, W, 3);
    matrix columns(2 * K, 2 * W);
    for (int i = 0; i < 2 * W; i++) {
        for (int k = 0; k < 2 * K; k++) {
            columns.at(k, i) = a.at(i, k);
        }
    }
    const auto bytes_a = bytes_of(columns, element_v<A>, 64 + 2 * W);
    const auto bytes_b = bytes_of(b, element_v<B>, 128);
    ASSERT_LE(bytes_a.size() + bytes_b.size(), static_cast<size_t>(lds_bytes));
    const device_buffer<uint8_t> da(bytes_a);
    const device_buffer<uint8_t> db(bytes_b);
    device_buffer<float> c(static_cast<size_t>(2 * W * W));
    const matrix expected = product(a, b, false);
    for (const auto kernel : {multiply_columns<mma_t, false>, multiply_columns<mma_t, true>}) {
        c.fill_bytes(0xff);
        kernel<<<1, 64>>>(da.data(), db.data(), c.data(), 64 + 2 * W,
                          static_cast<int>(bytes_a.size()), static_cast<int>(bytes_b.size()));
        finish();
        expect_equal(c.to_host(), expected);
    }
}

TEST(partition_layout_tr, products_of_16_bits) {
    check_columns<fp16_t, fp16_t, 16, 16>(true);
    check_columns<bf16_t, bf16_t, 32, 8>(true);
    check_columns<bf16_t, bf16_t, 16, 32>(true);  // on gfx942 two instructions
    check_columns<fp16_t, fp16_t, 32, 16>(true);
}
TEST(partition_layout_tr, products_of_8_bits) {
    check_columns<fp8_t, fp8_t, 16, 32>(true);
    check_columns<bf8_t, fp8_t, 32, 16>(true);
    check_columns<fp8_t, fp8_t, 32, 64>(false);
    check_columns<fp8_t, bf8_t, 16, 128>(false);
}
TEST(partition_layout_tr, products_of_6_and_4_bits) {
    check_columns<fp6_t, bf6_t, 16, 128>(false);
    check_columns<fp4_t, fp4_t, 32, 64>(false);
    check_columns<fp4_t, fp6_t, 16, 128>(false);
}

// -- one product after another --------------------------------------------------------------------

// Q has Rows * W rows, K and V have Along * W. The first product is of Q and K of 64 columns, S = Q
// * K^T. chain_a: O = S * V, else O^T = V^T * S^T. V is row-major in LDS.
template <bool is_a, class T, index_t W, index_t WaveK, index_t Rows, index_t Along, index_t Wide>
struct attention {
    static constexpr index_t pitch = Wide * W + 64;  // of V

    static constexpr auto first() {
        using adaptor = __type_pack_element<is_a, mfma_adaptor, mfma_adaptor_swap_ab>;
        constexpr index_t k = 256 / W;
        using tiles = seq<is_a ? Rows : Along, is_a ? Along : Rows, 64 / k>;
        return make_tiled_mma<bf16_t, bf16_t, fp32_t>(tiles{}, seq<1, 1, 1>{}, seq<W, W, k>{},
                                                      adaptor{});
    }
    static constexpr auto second() {
        using tiles = seq<is_a ? Rows : Wide, is_a ? Wide : Rows, Along * W / WaveK>;
        if constexpr (is_a) {
            return chain_a(first(),
                           make_tiled_mma<T, T, fp32_t>(tiles{}, seq<1, 1, 1>{}, seq<W, W, WaveK>{},
                                                        mfma_adaptor_swap_ab{}));
        } else {
            return chain_b(
                first(), make_tiled_mma<T, T, fp32_t>(tiles{}, seq<1, 1, 1>{}, seq<W, W, WaveK>{}));
        }
    }
    using second_t = decltype(second());

    __device__ static void run(const uint8_t* q, const uint8_t* k, const uint8_t* v, float* o) {
        __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
        if constexpr (second_t::instruction::available) {
            copy_bytes(v, lds, Along * W * pitch * sizeof_bits_v<T> / 8);
            __syncthreads();
            constexpr auto qk = first();
            constexpr auto pv = second();
            const auto strides = make_tuple(64_I, 1_I);
            const auto columns = make_tuple(1_I, number<pitch>{});
            const auto s_v = make_smem(reinterpret_cast<T*>(lds));
            const auto a =
                make_gmem(reinterpret_cast<const bf16_t*>(is_a ? q : k))
                    .template load<qk.pack_a>(partition_layout_a(qk, strides, lane_id()));
            const auto b =
                make_gmem(reinterpret_cast<const bf16_t*>(is_a ? k : q))
                    .template load<qk.pack_b>(partition_layout_b(qk, strides, lane_id()));
            const auto s = cast<T>(qk(a, b));
            if constexpr (is_a) {
                const auto tile = s_v.template tr_load<pv.pack_b_tr>(
                    partition_layout_b_tr(pv, columns, lane_id()));
                s_waitcnt_lgkmcnt(0_I);
                store_c<true>(pv, o, pv(s, tile));
            } else {
                const auto tile = s_v.template tr_load<pv.pack_a_tr>(
                    partition_layout_a_tr(pv, columns, lane_id()));
                s_waitcnt_lgkmcnt(0_I);
                store_c<false>(pv, o, pv(tile, s));
            }
        }
    }
};
template <class Attention>
__global__ void attention_kernel(const uint8_t* q, const uint8_t* k, const uint8_t* v, float* o) {
    Attention::run(q, k, v, o);
}

template <bool is_a, class T, index_t W, index_t WaveK, index_t Rows, index_t Along, index_t Wide>
void check_chain(bool on_both) {
    if (!on_both && target() != 950) {
        return;
    }
    using kernels = attention<is_a, T, W, WaveK, Rows, Along, Wide>;
    SCOPED_TRACE(std::string(is_a ? "A, " : "B, ") + laws::name_of(element_v<T>) + " " +
                 std::to_string(W) + ", " + std::to_string(WaveK));
    // S is an integer from -16 to 16: exact in fp8.
    const matrix q = random_matrix(Rows * W, 64, 1, 4);
    const matrix k = random_matrix(Along * W, 64, 1);
    const matrix v = random_matrix(Along * W, Wide * W, 3);
    const device_buffer<uint8_t> dq(bytes_of(q, element::bf16, 64));
    const device_buffer<uint8_t> dk(bytes_of(k, element::bf16, 64));
    const device_buffer<uint8_t> dv(bytes_of(v, element_v<T>, kernels::pitch));
    device_buffer<float> o(static_cast<size_t>(Rows * Wide * W * W));
    o.fill_bytes(0xff);
    attention_kernel<kernels><<<1, 64>>>(dq.data(), dk.data(), dv.data(), o.data());
    finish();
    matrix expected = product(product(q, k, true), v, false);
    if (!is_a) {
        matrix turned(expected.columns, expected.rows);
        for (int i = 0; i < expected.rows; i++) {
            for (int j = 0; j < expected.columns; j++) {
                turned.at(j, i) = expected.at(i, j);
            }
        }
        expected = turned;
    }
    expect_equal(o.to_host(), expected);
}
template <bool is_a>
void check_chains() {
    check_chain<is_a, fp16_t, 16, 16, 1, 2, 2>(true);
    check_chain<is_a, bf16_t, 16, 32, 1, 4, 3>(true);
    check_chain<is_a, bf16_t, 32, 8, 1, 1, 2>(true);
    check_chain<is_a, fp16_t, 32, 16, 1, 2, 1>(true);
    check_chain<is_a, fp8_t, 16, 32, 1, 2, 2>(true);
    check_chain<is_a, fp8_t, 32, 16, 1, 2, 1>(true);
    check_chain<is_a, fp8_t, 16, 128, 1, 8, 1>(false);
    check_chain<is_a, fp8_t, 32, 64, 1, 2, 2>(false);
}
TEST(chain, c_is_a) {
    check_chains<true>();
    check_chain<true, bf16_t, 16, 32, 2, 2, 2>(true);
    check_chain<true, fp16_t, 32, 16, 2, 2, 1>(true);
}
TEST(chain, c_is_b) {
    check_chains<false>();
}

}  // namespace
