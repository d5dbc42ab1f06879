// A tiled mma run in every way that the header has for it, against a product on the CPU: tiles
// through its layouts from matrices in memory, one wave for each place in the block. Everything on
// the host is untyped.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "mfma_elements.hpp"

namespace tiled_product {

using namespace mfma_elements;

// == device =======================================================================================
struct arguments {
    const void* a;  // row-major, with row strides
    const void* b;
    const void* c;
    int stride_a;
    int stride_b;
    int stride_c;
    const void* a_packed;
    const void* b_packed;
    const void* c_packed;
    // For each wave along K a C of its own.
    void* with_c;
    void* without_c;
    void* with_a_negated;  // fp64
    void* by_steps;
    void* steps_with_a_negated;  // fp64
    void* last_step_without_c;
    void* packed;
    void* one_scale;
    void* many_scales;
    void* scaled_steps;
    // [wave along M (N), wave along K, operand in register order, lane]
    const int* scale_a;
    const int* scale_b;
};

template <index_t operands, class Scale>
OPUS_D auto scales_of(const int* words, index_t wave, Scale) {
    array<int, operands> all;
    static_for<operands>(
        [&](auto i) { all[i.value] = words[(wave * operands + i.value) * 64 + lane_id()]; });
    if constexpr (is_same_v<Scale, int>) {
        return all[0];
    } else {
        return all;
    }
}

template <class Mma, bool swapped>
__global__ void multiply(arguments args) {
    if constexpr (Mma::instruction::available) {
        using dtype_a = typename Mma::dtype_a;
        using dtype_b = typename Mma::dtype_b;
        using dtype_c = typename Mma::dtype_c;
        constexpr Mma mma{};
        constexpr index_t vec_c = swapped ? Mma::pack_c : 1;
        const index_t thread = scalar_wave(thread_id_x());
        const index_t lane = lane_id();
        const index_t wave = __builtin_amdgcn_readfirstlane(static_cast<int>(thread_id_x()) / 64);
        const index_t wave_k = wave % mma.tile_k;
        const index_t wave_n = wave / mma.tile_k % mma.tile_n;
        const index_t wave_m = wave / (mma.tile_k * mma.tile_n);
        const auto ua =
            partition_layout_a<Mma::pack_a>(mma, make_tuple(args.stride_a, 1_I), thread);
        const auto ub = partition_layout_b(mma, make_tuple(args.stride_b, 1_I), thread);
        const auto uc = partition_layout_c(mma, make_tuple(args.stride_c, 1_I), thread);
        const auto va =
            make_gmem(static_cast<const dtype_a*>(args.a)).template load<Mma::pack_a>(ua);
        const auto vb =
            make_gmem(static_cast<const dtype_b*>(args.b)).template load<Mma::pack_b>(ub);
        const auto vc = make_gmem(static_cast<const dtype_c*>(args.c)).template load<vec_c>(uc);

        const index_t rows = mma.expd_m * mma.tile_m * mma.wave_m;
        const auto put = [&](void* to, const auto& tile) {
            make_gmem(static_cast<dtype_c*>(to) + wave_k * rows * args.stride_c)
                .template store<vec_c>(tile, uc);
        };
        put(args.with_c, mma(va, vb, vc));
        put(args.without_c, mma(va, vb));
        typename Mma::vtype_c sum = mma.step_k(0_I, va, vb);
        static_for<Mma::expd_k - 1>(
            [&](auto k) { sum = mma.step_k(number<k.value + 1>{}, va, vb, sum); });
        put(args.by_steps, sum);
        put(args.last_step_without_c, mma.step_k(number<Mma::expd_k - 1>{}, va, vb));

        // Where the lane is as a tuple.
        const auto p_a = make_tuple(wave_m, lane % mma.grpm_a, wave_k, lane / mma.grpm_a);
        const auto p_b = make_tuple(wave_n, lane % mma.grpn_b, wave_k, lane / mma.grpn_b);
        const auto p_c = [&] {
            if constexpr (swapped) {
                return make_tuple(wave_m, lane % mma.grpn_c, wave_n, lane / mma.grpn_c);
            } else {
                return make_tuple(wave_m, lane / mma.grpn_c, wave_n, lane % mma.grpn_c);
            }
        }();
        constexpr index_t columns = Mma::expd_n * Mma::tile_n * Mma::wave_n;
        const auto upa = partition_layout_a_packed(mma, p_a);
        const auto upb = partition_layout_b_packed<Mma::pack_b>(mma, p_b);
        const auto upc = partition_layout_c_packed(mma, p_c);
        const auto packed = mma(
            make_gmem(static_cast<const dtype_a*>(args.a_packed)).template load<Mma::pack_a>(upa),
            make_gmem(static_cast<const dtype_b*>(args.b_packed)).template load<Mma::pack_b>(upb),
            make_gmem(static_cast<const dtype_c*>(args.c_packed)).template load<vec_c>(upc));
        make_gmem(static_cast<dtype_c*>(args.packed) + wave_k * rows * columns)
            .template store<vec_c>(packed, upc);

        if constexpr (is_same_v<dtype_a, fp64_t>) {
            put(args.with_a_negated, mma(va, vb, vc, 0_I, 0_I, 1_I));
            auto negated = mma(va, vb, vc);
            static_for<Mma::expd_k>([&](auto k) {
                negated = mma.step_k(number<k.value>{}, va, vb, negated, 0_I, 0_I, 1_I);
            });
            put(args.steps_with_a_negated, negated);
        }
        if constexpr (Mma::instruction::row::has_formats) {
            constexpr index_t operands_a = Mma::expd_m * Mma::expd_k;
            constexpr index_t operands_b = Mma::expd_n * Mma::expd_k;
            const index_t of_a = wave_m * mma.tile_k + wave_k;
            const index_t of_b = wave_n * mma.tile_k + wave_k;
            put(args.one_scale, mma(va, vb, vc, scales_of<operands_a>(args.scale_a, of_a, int{}),
                                    scales_of<operands_b>(args.scale_b, of_b, int{}), 1_I, 2_I));
            const auto sa = scales_of<operands_a>(args.scale_a, of_a, _);
            const auto sb = scales_of<operands_b>(args.scale_b, of_b, _);
            put(args.many_scales, mma(va, vb, vc, sa, sb, 1_I, 2_I));
            auto scaled = vc;
            typename Mma::vtype_c by_steps = mma.step_k(0_I, va, vb, scaled, sa, sb, 1_I, 2_I);
            static_for<Mma::expd_k - 1>([&](auto k) {
                by_steps = mma.step_k(number<k.value + 1>{}, va, vb, by_steps, sa, sb, 1_I, 2_I);
            });
            put(args.scaled_steps, by_steps);
        }
    }
}

// == host =========================================================================================
struct three {
    int m;
    int n;
    int k;
};

struct subject {
    element a;
    element b;
    element c;
    three expand;
    three tile;
    three wave;
    bool on_gfx942;
    bool has_scales;  // on gfx950
    void (*run)(const arguments&, int threads);
};

inline int& tiles_walked() {
    static int n = 0;
    return n;
}

template <class Mma, bool swapped>
void launch(const arguments& args, int threads) {
    multiply<Mma, swapped><<<1, static_cast<unsigned>(threads)>>>(args);
}

class product {
public:
    explicit product(const subject& s)
        : of(s),
          m(s.expand.m * s.tile.m * s.wave.m),
          n(s.expand.n * s.tile.n * s.wave.n),
          k(s.expand.k * s.tile.k * s.wave.k),
          a(fill(s.a, m * k)),
          b(fill(s.b, n * k)),
          c(static_cast<size_t>(m * n)),
          scale_a(scales(s.tile.m * s.tile.k * s.expand.m * s.expand.k)),
          scale_b(scales(s.tile.n * s.tile.k * s.expand.n * s.expand.k)) {
        for (double& x : c) {
            x = static_cast<double>(random() % 33) - 16;
        }
    }

    void check() {
        const int row_a = k + 32;
        const int row_b = k + 64;
        const int row_c = n + 4;
        const device_buffer<uint8_t> ma(memory(of.a, a, m, k, row_a).bytes);
        const device_buffer<uint8_t> mb(memory(of.b, b, n, k, row_b).bytes);
        const device_buffer<uint8_t> mc(memory(of.c, c, m, n, row_c).bytes);
        const device_buffer<uint8_t> pa(memory(of.a, a, m, k, k).bytes);
        const device_buffer<uint8_t> pb(memory(of.b, b, n, k, k).bytes);
        const device_buffer<uint8_t> pc(memory(of.c, c, m, n, n).bytes);
        const device_buffer<int> sa(scale_a), sb(scale_b);
        const auto slices = static_cast<size_t>(of.tile.k);
        const size_t bytes = slices * memory(of.c, c, m, n, row_c).bytes.size();
        const size_t packed_bytes = slices * memory(of.c, c, m, n, n).bytes.size();
        device_buffer<uint8_t> with_c(bytes), without_c(bytes), with_a_negated(bytes);
        device_buffer<uint8_t> by_steps(bytes), steps_with_a_negated(bytes), last_step(bytes);
        device_buffer<uint8_t> one_scale(bytes), many_scales(bytes), scaled_steps(bytes);
        device_buffer<uint8_t> packed(packed_bytes);
        for (auto* out : {&with_c, &without_c, &with_a_negated, &by_steps, &steps_with_a_negated,
                          &last_step, &one_scale, &many_scales, &scaled_steps, &packed}) {
            out->fill_bytes(0xff);
        }
        of.run({ma.data(),
                mb.data(),
                mc.data(),
                row_a,
                row_b,
                row_c,
                pa.data(),
                pb.data(),
                pc.data(),
                with_c.data(),
                without_c.data(),
                with_a_negated.data(),
                by_steps.data(),
                steps_with_a_negated.data(),
                last_step.data(),
                packed.data(),
                one_scale.data(),
                many_scales.data(),
                scaled_steps.data(),
                sa.data(),
                sb.data()},
               64 * of.tile.m * of.tile.n * of.tile.k);
        finish();
        if (target() == 942 && !of.on_gfx942) {
            EXPECT_EQ(with_c.to_host(), std::vector<uint8_t>(bytes, 0xff));
            return;
        }
        tiles_walked()++;
        compare("a, b, c", with_c.to_host(), row_c, 1, 1, none_scaled);
        compare("a, b", without_c.to_host(), row_c, 0, 1, none_scaled);
        compare("step_k", by_steps.to_host(), row_c, 0, 1, none_scaled);
        compare("last step_k", last_step.to_host(), row_c, 0, 1, none_scaled, of.expand.k - 1);
        compare("packed", packed.to_host(), n, 1, 1, none_scaled);
        if (of.a == element::f64) {
            compare("A negated", with_a_negated.to_host(), row_c, 1, -1, none_scaled);
            compare("step_k, A negated", steps_with_a_negated.to_host(), row_c, 1, 0, none_scaled);
        }
        if (of.has_scales && target() == 950) {
            compare("one scale", one_scale.to_host(), row_c, 1, 1, one_for_all);
            compare("many scales", many_scales.to_host(), row_c, 1, 1, one_for_each);
            compare("step_k, scales", scaled_steps.to_host(), row_c, 1, 1, one_for_each);
        }
    }

private:
    enum scaling { none_scaled, one_for_all, one_for_each };
    const subject& of;
    int m;
    int n;
    int k;
    std::mt19937 random{20240611};
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> c;
    std::vector<int> scale_a;
    std::vector<int> scale_b;

    std::vector<double> fill(element e, int size) {
        const auto values = laws::exact_values(e);
        std::vector<double> all(static_cast<size_t>(size));
        for (double& x : all) {
            x = values[random() % values.size()];
        }
        return all;
    }
    // Four bytes of 1/4 .. 2.
    std::vector<int> scales(int operands) {
        std::vector<int> all(static_cast<size_t>(operands * 64));
        for (int& word : all) {
            word = static_cast<int>(0x7d7d7d7d + (random() & 0x03030303));
        }
        return all;
    }
    static laws::image memory(element e, const std::vector<double>& x, int rows, int columns,
                              int stride) {
        laws::image all(static_cast<size_t>(rows * stride), e);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                all.put(static_cast<size_t>(row * stride + column), e, target(),
                        x[static_cast<size_t>(row * columns + column)]);
            }
        }
        return all;
    }

    // The exponent of the scale of a row of A (a column of B) and a k.
    int exponent(const std::vector<int>& words, int tile, int wave_rows, int expand, int row,
                 int at, int byte, scaling s) const {
        const int wave = row / wave_rows % tile * of.tile.k + at / of.wave.k % of.tile.k;
        const int operand = row / (wave_rows * tile) * of.expand.k + at / (of.wave.k * of.tile.k);
        const int lane = row % wave_rows + wave_rows * (at % of.wave.k / 32);
        const int index =
            (wave * expand * of.expand.k + (s == one_for_all ? 0 : operand)) * 64 + lane;
        return (words[static_cast<size_t>(index)] >> 8 * byte & 0xff) - 127;
    }

    // Every wave along K has the sum of its k alone; `sign` times the product is added to C, which
    // is there `times_c` times. What k there are before first_step is left out.
    void compare(const std::string& how, const std::vector<uint8_t>& bytes, int stride, int times_c,
                 int sign, scaling s, int first_step = 0) const {
        laws::image got(0, of.c);
        got.bytes = bytes;
        laws::image untouched(static_cast<size_t>(of.tile.k * m * stride), of.c);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                const double c_value = times_c * c[static_cast<size_t>(row * n + column)];
                std::vector<double> sums(static_cast<size_t>(of.tile.k), c_value);
                for (int x = first_step * of.tile.k * of.wave.k; x < k; x++) {
                    double one = sign * a[static_cast<size_t>(row * k + x)] *
                                 b[static_cast<size_t>(column * k + x)];
                    if (s != none_scaled) {
                        one = std::ldexp(one, exponent(scale_a, of.tile.m, of.wave.m, of.expand.m,
                                                       row, x, 1, s) +
                                                  exponent(scale_b, of.tile.n, of.wave.n,
                                                           of.expand.n, column, x, 2, s));
                    }
                    sums[static_cast<size_t>(x / of.wave.k % of.tile.k)] += one;
                }
                for (int slice = 0; slice < of.tile.k; slice++) {
                    const auto at = static_cast<size_t>((slice * m + row) * stride + column);
                    const double value = got.get(at, of.c);
                    ASSERT_EQ(value, sums[static_cast<size_t>(slice)])
                        << how << ": row " << row << " column " << column << " of wave " << slice
                        << " along K";
                    untouched.put(at, of.c, target(), value);
                }
            }
        }
        EXPECT_EQ(untouched.bytes, got.bytes) << how << ": something else than C was written";
    }
};

// With both adaptors.
template <class A, class B, class C, index_t WM, index_t WN, index_t WK, index_t EM, index_t EN,
          index_t EK, index_t TM, index_t TN, index_t TK>
void check(seq<EM, EN, EK>, seq<TM, TN, TK>, bool on_gfx942 = true, bool has_scales = false) {
    const auto one = [&](auto adaptor, auto swapped) {
        using mma = decltype(make_tiled_mma<A, B, C>(seq<EM, EN, EK>{}, seq<TM, TN, TK>{},
                                                     seq<WM, WN, WK>{}, adaptor));
        const subject s{element_v<A>, element_v<B>, element_v<C>,
                        {EM, EN, EK}, {TM, TN, TK}, {WM, WN, WK},
                        on_gfx942,    has_scales,   &launch<mma, decltype(swapped)::value>};
        SCOPED_TRACE(testing::Message()
                     << "expand " << EM << EN << EK << " waves " << TM << TN << TK << " of " << WM
                     << "x" << WN << "x" << WK << (swapped.value ? ", swapped" : ""));
        product(s).check();
    };
    one(mfma_adaptor{}, bool_constant<false>{});
    one(mfma_adaptor_swap_ab{}, bool_constant<true>{});
}

}  // namespace tiled_product
