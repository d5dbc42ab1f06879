// SPDX-License-Identifier: MIT
//
// split_gemm.hpp: what gemm_pipelined and gemm_block_scale have around their kernels: its arguments,
// its launch, and the kernel that adds the sums if K is split. (For .hip files.)
#pragma once

#include <algorithm>
#include <type_traits>

#include "../common/device.hpp"
#include "../common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"
#include "quantise.hpp"
#include "split_k.hpp"

namespace examples {

// Matrices are [batch, rows, k], their elements packed from the lowest bits up; each example says
// what the scales are. C is [splits, batch, m, pitch_c], bf16 or f32; of several splits, or where
// pitch_c is not n, add_splits_kernel makes [batch, m, n] of it.
struct gemm_args {
    const opus::u8_t* a;
    const opus::u8_t* b;
    const opus::u8_t* scales_a;
    const opus::u8_t* scales_b;
    void* c;
    int m;
    int n;
    int k;
    int batch;
    int splits;
    int pitch_c;  // n rounded up to a multiple of 4, as four elements are stored at once
    int is_out_bf16;
};

// C = the sums of all splits, added in a fixed order, so the result does not depend on which one
// finished first. `sums` is [splits, rows, pitch], `c` [rows, n].
// Grid: a thread for each four sums of a split. 256 threads.
// @pre pitch is a multiple of 4
template <class Out>
__global__ __launch_bounds__(256) void add_splits_kernel(const opus::fp32_t* sums, Out* c, int rows,
                                                         int n, int pitch, int splits) {
    using opus::operator""_I;
    using opus::long_index_t;
    const long_index_t all = static_cast<long_index_t>(rows) * pitch;
    const long_index_t at =
        (static_cast<long_index_t>(opus::block_id_x()) * 256 + opus::thread_id_x()) * 4;
    if (at >= all) {
        return;
    }
    opus::fp32x4_t sum{};
#pragma unroll 4
    for (int split = 0; split < splits; ++split) {
        sum += *reinterpret_cast<const opus::fp32x4_t*>(sums + split * all + at);
    }
    const auto round = [](const auto& x) {
        if constexpr (std::is_same_v<Out, opus::bf16_t>) {
            return opus::cast<Out>(x, 0_I);
        } else {
            return x;
        }
    };
    const auto rounded = round(sum);
    if (pitch == n) {
        *reinterpret_cast<opus::vector_t<Out, 4>*>(c + at) = rounded;
        return;
    }
    const long_index_t row = at / pitch;
    const int left = n - static_cast<int>(at - row * pitch);
    for (int i = 0; i < 4 && i < left; ++i) {
        c[at - row * (pitch - n) + i] = rounded[i];
    }
}

// Columns of C as the kernel stores it.
inline int pitch_of(int n) {
    return (n + 3) / 4 * 4;
}

// The kernel's sums, if it does not write C itself: f32, [splits, batch, m, pitch].
inline std::size_t sums_of(const gemm_problem& p, int splits) {
    const bool is_c = splits == 1 && pitch_of(p.n) == p.n;
    return is_c ? 0 : size_of(p.batch * p.m, pitch_of(p.n)) * size_of(splits, 1);
}

// Runs the kernel that `launch(arguments)` launches and, where needed, adds its sums.
// @pre splits is from plan_of_splits()
template <class Out, class Launch>
gemm_result run_split(const char* name, const gemm_problem& p, const operand_matrix& a,
                      const operand_matrix& b, int splits, const Launch& launch) {
    const int rows = p.batch * p.m;
    const std::size_t sums_size = sums_of(p, splits);
    const bool has_sums = sums_size > 0;
    const device_buffer<opus::u8_t> d_a(a.codes);
    const device_buffer<opus::u8_t> d_b(b.codes);
    const device_buffer<opus::u8_t> scales_a(a.scales);
    const device_buffer<opus::u8_t> scales_b(b.scales);
    device_buffer<Out> c(size_of(rows, p.n));
    device_buffer<float> sums(has_sums ? sums_size : 1);
    c.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    sums.fill_unwritten(0xff);

    gemm_args arguments{d_a.data(),
                        d_b.data(),
                        scales_a.data(),
                        scales_b.data(),
                        c.data(),
                        p.m,
                        p.n,
                        a.k,
                        p.batch,
                        splits,
                        pitch_of(p.n),
                        std::is_same_v<Out, opus::bf16_t>};
    if (has_sums) {
        arguments.c = sums.data();
        arguments.is_out_bf16 = 0;
    }
    const std::size_t groups = (size_of(rows, pitch_of(p.n)) + 1023) / 1024;
    const double time = time_launches(p.iters, name, [&] {
        launch(arguments);
        if (has_sums) {
            add_splits_kernel<Out><<<dim3(static_cast<unsigned>(groups)), 256>>>(
                sums.data(), c.data(), rows, p.n, pitch_of(p.n), splits);
        }
    });
    return {c.result(), time};
}

// `splits` is the option's, 0 without it.
inline split_plan plan_for(const gemm_problem& p, int k, int block, int pair_k, long long splits) {
    const split_shape shape{p.m, p.n, k, p.batch, block, pair_k, compute_units()};
    return splits > 0 ? plan_of_splits(shape, splits) : plan_splits(shape);
}

// The line that a program prints of it.
inline std::string plan_text(const gemm_problem& p, const split_plan& plan) {
    return std::to_string(plan.splits) + " splits, " + std::to_string(plan.workgroups) +
           " workgroups, " + std::to_string(sums_of(p, plan.splits) * sizeof(float)) +
           " bytes of sums";
}

}  // namespace examples
