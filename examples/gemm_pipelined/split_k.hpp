// SPDX-License-Identifier: MIT
//
// split_k.hpp: into how many parts the sum along K of a GEMM is divided, so that a C of few blocks
// has work for the whole device.
#pragma once

#include <algorithm>

namespace examples {

struct split_shape {
    long long m;
    long long n;
    long long k;
    long long batch;
    long long block;   // rows and columns of C that a workgroup computes, which a compute unit has
                       // one of
    long long step_k;  // that it takes at a time
    long long units;   // compute units
};

struct split_plan {
    int splits;
    long long workgroups;
};

namespace detail {

inline long long ceil_div(long long a, long long b) {
    return (a + b - 1) / b;
}

inline long long blocks_of(const split_shape& s) {
    return ceil_div(s.m, s.block) * ceil_div(s.n, s.block) * s.batch;
}

// The time of a launch in steps of a workgroup: what the unit with the most workgroups has to do,
// each with two steps more to begin with; for the sums another launch, of three steps, and their
// bytes, which are written and read: 64 KiB for each unit in the time of a step.
inline double steps_of(const split_shape& s, long long splits) {
    const long long rounds = ceil_div(blocks_of(s) * splits, s.units);
    const auto steps =
        static_cast<double>(rounds * (ceil_div(ceil_div(s.k, s.step_k), splits) + 2));
    if (splits == 1) {
        return steps;
    }
    const double bytes = static_cast<double>((2 * splits + 1) * s.m * s.n * s.batch) * 4;
    return steps + 3 + bytes / (static_cast<double>(s.units) * 65536);
}

}  // namespace detail

constexpr int max_splits = 64;

// With so many splits, as far as there are steps for them.
inline split_plan plan_of_splits(const split_shape& s, long long splits) {
    const long long most = std::min<long long>(detail::ceil_div(s.k, s.step_k), max_splits);
    const long long used = std::clamp<long long>(splits, 1, most);
    return {static_cast<int>(used), detail::blocks_of(s) * used};
}

// The number of splits that takes the least time; of such the least.
inline split_plan plan_splits(const split_shape& s) {
    long long best = 1;
    for (long long splits = 2; splits <= plan_of_splits(s, max_splits).splits; ++splits) {
        if (detail::steps_of(s, splits) < detail::steps_of(s, best)) {
            best = splits;
        }
    }
    return plan_of_splits(s, best);
}

}  // namespace examples
