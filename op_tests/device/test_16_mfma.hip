// Matrix instructions, walking over the header's table: operands placed through the adaptors'
// layouts, and once more by the ISA guide's formulas, so that a wrong layout cannot cancel out.
// Small integers are exact in every format and their sums in the accumulator.
#include <gtest/gtest.h>

#include <random>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

__global__ void note_target(int* out) {
#if defined(__gfx950__)
    *out = 950;
#elif defined(__gfx942__)
    *out = 942;
#else
    *out = 0;
#endif
}

int target() {
    device_buffer<int> out(1);
    note_target<<<1, 1>>>(out.data());
    finish();
    return out.to_host()[0];
}

// Registers of all lanes, lane by lane, straight from and to memory.
template <class Mfma>
__global__ void multiply_registers(const typename Mfma::dtype_a* a, const typename Mfma::dtype_b* b,
                                   const float* c, float* d, float* d_without_c, int* available) {
    *available = Mfma::row::available;
    if constexpr (Mfma::row::available) {
        typename Mfma::vtype_a va;
        typename Mfma::vtype_b vb;
        typename Mfma::vtype_c vc;
        const index_t lane = lane_id();
        static_for<Mfma::elem_a>([&](auto i) { va[i.value] = a[lane * Mfma::elem_a + i]; });
        static_for<Mfma::elem_b>([&](auto i) { vb[i.value] = b[lane * Mfma::elem_b + i]; });
        static_for<Mfma::elem_c>([&](auto i) { vc[i.value] = c[lane * Mfma::elem_c + i]; });
        const auto with_c = Mfma{}(va, vb, vc);
        const auto without_c = Mfma{}(va, vb);
        static_for<Mfma::elem_c>([&](auto i) {
            d[lane * Mfma::elem_c + i] = with_c[i.value];
            d_without_c[lane * Mfma::elem_c + i] = without_c[i.value];
        });
    }
}

// D[M,N] = A[M,K] * B[N,K]^T + C, row-major with row strides, one wave, through layouts.
template <class Mfma, class Adaptor, int vec_c>
__global__ void multiply_matrices(const typename Mfma::dtype_a* a, const typename Mfma::dtype_b* b,
                                  float* c, int stride_a, int stride_b, int stride_c) {
    if constexpr (Mfma::row::available) {
        const auto mma = make_mfma<typename Mfma::dtype_a, typename Mfma::dtype_b, float>(
            seq<Mfma::wave_m, Mfma::wave_n, Mfma::wave_k>{}, Adaptor{});
        using mma_t = remove_cv_t<decltype(mma)>;
        const index_t lane = lane_id();
        const auto c_coord = [&] {
            if constexpr (is_same_v<Adaptor, mfma_adaptor_swap_ab>) {
                return make_tuple(lane % mma.grpn_c, lane / mma.grpn_c);
            } else {
                return make_tuple(lane / mma.grpn_c, lane % mma.grpn_c);
            }
        }();
        const auto ua = partition_layout_a(mma, make_tuple(stride_a, 1_I),
                                           make_tuple(lane % mma.grpm_a, lane / mma.grpm_a));
        const auto ub = partition_layout_b(mma, make_tuple(stride_b, 1_I),
                                           make_tuple(lane % mma.grpn_b, lane / mma.grpn_b));
        const auto uc = partition_layout_c(mma, make_tuple(stride_c, 1_I), c_coord);
        const auto va = make_gmem(a).template load<mma_t::pack_a>(ua);
        const auto vb = make_gmem(b).template load<mma_t::pack_b>(ub);
        const auto gc = make_gmem(c);
        const auto vc = gc.template load<vec_c>(uc);
        gc.template store<vec_c>(mma(va, vb, vc), uc);
    }
}

struct small_integers {
    std::mt19937 engine{20240611};
    int operator()() { return static_cast<int>(engine() % 9) - 4; }
};

// Exact for small integers. bf16 by its bits: not every host's compiler library converts it.
template <class T>
T to_element(int x) {
    if constexpr (is_same_v<T, bf16_t>) {
        const unsigned bits = __builtin_bit_cast(unsigned, static_cast<float>(x));
        return __builtin_bit_cast(bf16_t, static_cast<unsigned short>(bits >> 16));
    } else {
        return static_cast<T>(x);
    }
}

template <class T>
std::vector<T> random_matrix(small_integers& random, size_t n) {
    std::vector<T> m(n);
    for (T& x : m) {
        x = to_element<T>(random());
    }
    return m;
}

// C[i, j] + sum over k of A[i, k] * B[j, k], all with row strides.
template <class A, class B>
float expected(const std::vector<A>& a, const std::vector<B>& b, int i, int j, int k_extent,
               int stride_a, int stride_b) {
    float sum = 0;
    for (int k = 0; k < k_extent; k++) {
        sum += static_cast<float>(a[static_cast<size_t>(i * stride_a + k)]) *
               static_cast<float>(b[static_cast<size_t>(j * stride_b + k)]);
    }
    return sum;
}

template <class Mfma>
bool expect_availability(int available) {
    const bool double_k = Mfma::wave_m * Mfma::wave_k == 512;
    const bool expected = target() == 950 || !double_k;
    EXPECT_EQ(available != 0, expected) << "on gfx" << target();
    return expected;
}

template <class Mfma>
void check_by_formulas() {
    using A = typename Mfma::dtype_a;
    using B = typename Mfma::dtype_b;
    constexpr int m = Mfma::wave_m;
    constexpr int n = Mfma::wave_n;
    constexpr int k = Mfma::wave_k;
    small_integers random;
    const auto a = random_matrix<A>(random, m * k);
    const auto b = random_matrix<B>(random, n * k);
    const auto c = random_matrix<float>(random, m * n);

    // ISA guide 7.1 for one block: A[i, k] is item k % K_L of lane i + M * (k / K_L).
    std::vector<A> regs_a(m * k);
    std::vector<B> regs_b(n * k);
    std::vector<float> regs_c(m * n);
    const int per_lane_a = k / (64 / m);
    const int per_lane_b = k / (64 / n);
    for (int x = 0; x < k; x++) {
        for (int i = 0; i < m; i++) {
            const int lane = i + m * (x / per_lane_a);
            regs_a[static_cast<size_t>(lane * per_lane_a + x % per_lane_a)] =
                a[static_cast<size_t>(i * k + x)];
        }
        for (int j = 0; j < n; j++) {
            const int lane = j + n * (x / per_lane_b);
            regs_b[static_cast<size_t>(lane * per_lane_b + x % per_lane_b)] =
                b[static_cast<size_t>(j * k + x)];
        }
    }
    const auto place_c = [&](int i, int j) {
        const int m_i = 64 / n;
        const int lane = j + n * (i / 4 % m_i);
        return static_cast<size_t>(lane * Mfma::elem_c + i % 4 + 4 * (i / (4 * m_i)));
    };
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            regs_c[place_c(i, j)] = c[static_cast<size_t>(i * n + j)];
        }
    }

    const device_buffer<A> da(regs_a);
    const device_buffer<B> db(regs_b);
    const device_buffer<float> dc(regs_c);
    device_buffer<float> dd(regs_c.size());
    device_buffer<float> without_c(regs_c.size());
    device_buffer<int> available(1);
    dd.fill_bytes(0xff);
    without_c.fill_bytes(0xff);
    multiply_registers<Mfma>
        <<<1, 64>>>(da.data(), db.data(), dc.data(), dd.data(), without_c.data(), available.data());
    finish();
    if (!expect_availability<Mfma>(available.to_host()[0])) {
        return;
    }
    const auto got = dd.to_host();
    const auto got_without_c = without_c.to_host();
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            const float product = expected(a, b, i, j, k, k, k);
            ASSERT_EQ(got_without_c[place_c(i, j)], product) << "row " << i << " column " << j;
            ASSERT_EQ(got[place_c(i, j)], product + c[static_cast<size_t>(i * n + j)])
                << "row " << i << " column " << j;
        }
    }
}

template <class Mfma, class Adaptor, int vec_c>
void check_by_layouts() {
    using A = typename Mfma::dtype_a;
    using B = typename Mfma::dtype_b;
    constexpr int m = Mfma::wave_m;
    constexpr int n = Mfma::wave_n;
    constexpr int k = Mfma::wave_k;
    constexpr int stride_a = k + 8;
    constexpr int stride_b = k + 16;
    constexpr int stride_c = n + 4;
    small_integers random;
    const auto a = random_matrix<A>(random, m * stride_a);
    const auto b = random_matrix<B>(random, n * stride_b);
    const auto c = random_matrix<float>(random, m * stride_c);
    const device_buffer<A> da(a);
    const device_buffer<B> db(b);
    const device_buffer<float> dc(c);
    multiply_matrices<Mfma, Adaptor, vec_c>
        <<<1, 64>>>(da.data(), db.data(), dc.data(), stride_a, stride_b, stride_c);
    finish();
    const bool available = target() == 950 || m * k != 512;
    const auto got = dc.to_host();
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < stride_c; j++) {
            const size_t at = static_cast<size_t>(i * stride_c + j);
            const float product =
                available && j < n ? expected(a, b, i, j, k, stride_a, stride_b) : 0;
            ASSERT_EQ(got[at], c[at] + product) << "row " << i << " column " << j;
        }
    }
}

template <class Table>
struct types_of;
template <class... Instruction>
struct types_of<tuple<Instruction...>> {
    using type = testing::Types<Instruction...>;
};
template <class Instruction>
class mfma_of : public testing::Test {};
TYPED_TEST_SUITE(mfma_of, types_of<impl::mfma_table>::type);

TYPED_TEST(mfma_of, operands_placed_by_the_formulas) {
    check_by_formulas<TypeParam>();
}
TYPED_TEST(mfma_of, operands_placed_by_layouts) {
    check_by_layouts<TypeParam, mfma_adaptor, 1>();
}
TYPED_TEST(mfma_of, operands_placed_by_layouts_swapped) {
    check_by_layouts<TypeParam, mfma_adaptor_swap_ab, 4>();
}

}  // namespace
