// A block's product of any size by thread, mask and coordinate: what is outside is not read and not
// stored, each element of C gets what belongs to its row and column, and parts of tiles are operands.
#include <gtest/gtest.h>

#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

// One block of 64 x 96 (k 32) with four waves; m, n and k may be less. Matrices have the row strides
// lda, ldb and ldc. C = A * B^T + 1000 * row + column where that is even, else -1.
template <class Adaptor, index_t vec_c>
__global__ void masked_product(const fp16_t* a, const fp16_t* b, float* c, int m, int n, int k,
                               int lda, int ldb, int ldc) {
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 2>{}, seq<2, 2, 1>{},
                                                            seq<16, 16, 16>{}, Adaptor{});
    using wave = typename decltype(mma)::MMA;
    const int thread = thread_id_x();
    const auto u_a = partition_layout_a(mma, make_tuple(lda, 1_I), thread);
    const auto u_b = partition_layout_b(mma, make_tuple(ldb, 1_I), thread);
    const auto u_c = partition_layout_c(mma, make_tuple(ldc, 1_I), thread);
    const auto in_a = within(tile_coordinates_a(mma, thread), m, k);
    const auto in_b = within(tile_coordinates_b(mma, thread), n, k);
    auto tile_a = make_gmem(a).template load_if<4>(in_a, u_a);
    const auto tile_b = load_if<4>(make_gmem(b), in_b, u_b);
    // Product by product, of parts.
    typename decltype(mma)::vtype_c acc;
    clear(acc);
    static_for<2>([&](auto im) {
        static_for<3>([&](auto in) {
            static_for<2>([&](auto ik) {
                tile_part_c(mma, acc, im, in) =
                    wave{}(tile_part_a(mma, tile_a, im, ik), tile_part_b(mma, tile_b, in, ik),
                           tile_part_c(mma, acc, im, in));
            });
        });
    });
    const auto at = tile_coordinates_c(mma, thread);
    auto flat = [&] {
        if constexpr (is_array_v<decltype(acc)>) {
            return to_vector(acc);
        } else {
            return acc;
        }
    }();
    static_for<at.items>(
        [&](auto i) { flat[i.value] += static_cast<float>(1000 * get<0>(at(i)) + get<1>(at(i))); });
    const auto even = [&](auto i) { return (get<0>(at(i)) + get<1>(at(i))) % 2 == 0; };
    const auto in_c = within(at, m, n);
    make_gmem(c).template store_if<vec_c>(in_c, select(even, flat, -1.0f), u_c);
}

template <class Adaptor, index_t vec_c>
void expect_masked_product(int m, int n, int k) {
    constexpr int lda = 40, ldb = 44, ldc = 100;
    constexpr float untouched = -7;
    if (OPUS_DEBUG) {  // reports accesses that are partly within
        n = n / vec_c * vec_c;
        k = k / 4 * 4;
    }
    std::vector<fp16_t> a(64 * lda), b(96 * ldb);
    const auto value = [](size_t i) { return static_cast<float>(i * 7 % 11) - 5; };
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = fp32_to_fp16(value(i));
    }
    for (size_t i = 0; i < b.size(); i++) {
        b[i] = fp32_to_fp16(value(i + 3));
    }
    const device_buffer<fp16_t> d_a(a), d_b(b);
    const device_buffer<float> d_c(std::vector<float>(64 * ldc, untouched));
    masked_product<Adaptor, vec_c>
        <<<1, 256>>>(d_a.data(), d_b.data(), d_c.data(), m, n, k, lda, ldb, ldc);
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto c = d_c.to_host();
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < ldc; j++) {
            float expected = untouched;
            // Accesses as a whole: 4 of k, and vec_c of n, are within or not.
            if (i < m && j < n / vec_c * vec_c) {
                expected = -1;
                if ((i + j) % 2 == 0) {
                    expected = static_cast<float>(1000 * i + j);
                    for (int l = 0; l < k / 4 * 4; l++) {
                        expected += value(static_cast<size_t>(i * lda + l)) *
                                    value(static_cast<size_t>(j * ldb + l + 3));
                    }
                }
            }
            ASSERT_EQ(c[static_cast<size_t>(i * ldc + j)], expected)
                << "row " << i << ", column " << j << " of " << m << " x " << n << " x " << k;
        }
    }
}

TEST(coordinates, masked_products) {
    const int sizes[][3] = {{64, 96, 32}, {50, 40, 32}, {64, 95, 31}, {1, 1, 4},
                            {17, 33, 12}, {0, 96, 32},  {64, 3, 5}};
    for (const auto& [m, n, k] : sizes) {
        expect_masked_product<mfma_adaptor, 1>(m, n, k);
        expect_masked_product<mfma_adaptor_swap_ab, 4>(m, n, k);
        expect_masked_product<mfma_adaptor_swap_ab, 1>(m, n, k);
    }
}

}  // namespace
