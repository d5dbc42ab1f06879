// SPDX-License-Identifier: MIT
//
// softmax: b[i, :] = exp(a[i, :]) / sum(exp(a[i, :])) for rows of any length, of f32, f16 or bf16.
// It teaches how to read memory once: a group of threads keeps a whole row in its registers, from
// the load through two reductions over the group to the store. Read copy first.
//
//  up to 65536   one pass. A row is read once and written once. Its length determines how many
//                threads a group has and how many elements each of them holds.
//  beyond        two passes. In the first one, each lane has a running maximum and a running sum;
//                when the maximum grows, the sum is rescaled ("online"). The second one reads the
//                row again.
//
// The largest element is subtracted first, so that exp() never overflows. Elements that are not
// finite:
//
//   -inf                    0, and a row of nothing else gives zeros
//   +inf or NaN in a row    the whole row is NaN
//
// Results below 2^-126 may be 0: the hardware's exp has no denormals.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;

constexpr long long one_pass = 65536;  // elements of the longest row that is read once
constexpr int online_threads = 1024;
constexpr int online_items = 16;

// A thread has `items` of the threads * items elements of a part of a row: runs of `vec`, next to
// those of the next thread. Run i is `threads * vec` elements behind run i - 1. That distance goes
// into the scalar offset of the buffer instructions, so all of them share one address register.

// The first `count` elements of a part; the others are -inf, whose exp is 0. (For these the range
// check of the buffer gives 0 and moves no bytes.)
template <int threads, int items, int vec, class T>
OPUS_D auto load_part(const T* from, int count) {
    using namespace opus;
    const auto g = make_gmem(from, static_cast<unsigned>(count) * unsigned{sizeof(T)});
    const int mine = thread_id_x() * vec;
    vector_t<T, items> part;
    static_for<items / vec>([&](auto i) {
        const auto run = g.template load<vec>(mine, i.value * threads * vec);
        set_slice(part, run, number<i.value * vec>{}, number<(i.value + 1) * vec>{});
    });
    auto x = cast<fp32_t>(part);
    static_for<items>([&](auto i) {
        constexpr int first = i.value / vec * threads * vec + i.value % vec;
        x[i.value] = mine < count - first ? x[i.value] : -__builtin_inff();
    });
    return x;
}

template <int threads, int vec, class T, class X>
OPUS_D void store_part(T* to, int count, const X& x) {
    using namespace opus;
    using opus::operator""_I;
    const auto g = make_gmem(to, static_cast<unsigned>(count) * unsigned{sizeof(T)});
    static_for<size<X>() / vec>([&](auto i) {
        const auto run = slice(x, number<i.value * vec>{}, number<(i.value + 1) * vec>{});
        const int mine = thread_id_x() * vec;
        if constexpr (is_same_v<T, bf16_t>) {
            // To nearest even. Mode 5 does not handle NaNs, and need not: NaNs from bf16, and the
            // one that operations produce, have zeros in the bits that are rounded away.
            g.template store<vec>(cast<T>(run, 5_I), mine, i.value * threads * vec);
        } else {
            g.template store<vec>(cast<T>(run), mine, i.value * threads * vec);
        }
    });
}

// exp(x - shift) by the hardware's exp2. The difference is taken first: the difference of two
// products would lose the significant bits.
template <class X>
OPUS_D X exp_of(const X& x, float shift) {
    return opus::exp2((x - shift) * 1.44269504f);
}

// The value to subtract: the largest element, or 0 if that is -inf, because -inf - (-inf) is NaN.
OPUS_D float shift_of(float largest) {
    return largest == -__builtin_inff() ? 0.0f : largest;
}

// The final factor; for a row of -inf the sum is 0, and so is the factor.
OPUS_D float factor_of(float sum) {
    return sum == 0 ? 0.0f : 1.0f / sum;
}

// Grid: one group of `threads` for each row.
// @pre n <= threads * items; rows begin at multiples of 4 bytes, or vec is 1
template <class T, int threads, int items, int vec>
__global__ __launch_bounds__(threads) void softmax_kernel(const T* a, T* b, long long n) {
    using namespace opus;
    __shared__ float lds[2][16];
    const long_index_t row = block_id_x() * n;
    const int count = static_cast<int>(n);
    const auto x = load_part<threads, items, vec>(a + row, count);
    const float largest = reduce(x, maximum{});
    const float shift = shift_of(reduce_block<threads>(largest, maximum{}, lds[0]));
    const auto y = exp_of(x, shift);
    const float sum = reduce_block<threads>(reduce(y, plus{}), plus{}, lds[1]);
    store_part<threads, vec>(b + row, count, y * factor_of(sum));
}

// The same for rows of any length, in parts of 16384 elements.
// Grid: one group of 1024 threads for each row.
// @pre rows begin at multiples of 4 bytes, or vec is 1
template <class T, int threads, int items, int vec>
__global__ __launch_bounds__(threads) void softmax_online_kernel(const T* a, T* b, long long n) {
    using namespace opus;
    __shared__ float lds[2][16];
    constexpr int size = threads * items;
    const T* const from = a + block_id_x() * n;
    T* const to = b + block_id_x() * n;
    const auto count = [&](long_index_t begin) {
        return static_cast<int>(n - begin < size ? n - begin : size);
    };

    float largest = -__builtin_inff();
    float sum = 0;  // of exp(x - shift_of(largest))
    for (long_index_t begin = 0; begin < n; begin += size) {
        const auto x = load_part<threads, items, vec>(from + begin, count(begin));
        const float before = largest;
        largest = reduce(x, maximum{}, largest);
        const float shift = shift_of(largest);
        sum = sum * exp_of(before, shift) + reduce(exp_of(x, shift), plus{});
    }
    const float shift = shift_of(reduce_block<threads>(largest, maximum{}, lds[0]));
    sum *= exp_of(largest, shift);
    const float factor = factor_of(reduce_block<threads>(sum, plus{}, lds[1]));

    for (long_index_t begin = 0; begin < n; begin += size) {
        const auto x = load_part<threads, items, vec>(from + begin, count(begin));
        store_part<threads, vec>(to + begin, count(begin), exp_of(x, shift) * factor);
    }
}

// == host =========================================================================================

template <class T>
struct plan {
    void (*kernel)(const T*, T*, long long);
    int threads;
    int items;  // of a thread, at a time
};

// The kernel that handles the row with the fewest threads, and the fewest elements for each thread.
template <class T, int vec>
plan<T> plan_for(long long n) {
    if (n > one_pass) {
        return {softmax_online_kernel<T, online_threads, online_items, vec>, online_threads,
                online_items};
    }
    if constexpr (vec > 1) {
        if (n <= 1024) {
            return {softmax_kernel<T, 64, 16, vec>, 64, 16};
        }
        if (n > 4096 && n <= 16384) {
            return {softmax_kernel<T, 256, 64, vec>, 256, 64};
        }
    }
    return n <= 4096 ? plan<T>{softmax_kernel<T, 256, 16, vec>, 256, 16}
                     : plan<T>{softmax_kernel<T, 1024, 64, vec>, 1024, 64};
}

// 16 bytes at a time. Such accesses must begin at multiples of 4 bytes. Only rows of f16 and bf16
// with an odd number of elements do not: their elements move one by one.
template <class T>
plan<T> plan_for(long long n) {
    if constexpr (sizeof(T) == 2) {
        if (n % 2 != 0) {
            return plan_for<T, 1>(n);
        }
    }
    return plan_for<T, 16 / sizeof(T)>(n);
}

struct problem {
    examples::extent m{"-m", "Rows", 64};
    examples::extent n{"-n", "Columns", 512, 1 << 30};
    examples::input a{"--a", "Read a[M, N]", {&m, &n}};
};

template <class T>
examples::tensor_result softmax(const problem& p, int iters) {
    const std::size_t size = p.a.values.size();
    const int n = p.n.size();
    examples::device_buffer<T> a(examples::to<T>(p.a.values));
    examples::device_buffer<T> b(size);
    b.fill_unwritten(0xff);  // NaN: an element that no thread writes is seen
    const plan<T> chosen = plan_for<T>(n);
    const auto rows = static_cast<unsigned>(p.m.size());
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "softmax", [&] {
        chosen.kernel<<<rows, static_cast<unsigned>(chosen.threads)>>>(a.data(), b.data(), n);
    });
    const double bytes = static_cast<double>(size) * sizeof(T);
    result.moved_bytes = result.least_bytes = (n <= one_pass ? 2 : 3) * bytes;
    result.add(examples::shape_of({p.m.size(), n}), b.result());
    return result;
}

// Tolerance, with u = 2^-24, the largest relative error of an operation. x - shift loses u, the
// product with log2(e) 2 u more, and exp2 then 3 u * |x - shift| of its result, and 2 u of its own.
// The running sums lose no more: |x - shift| in several steps, and 4 u for each of them. An
// addition loses u of the sum, and so do the final quotient and product. exp2 may be 0 instead of a
// denormal.
void expect_softmax(const problem& p, examples::element type, examples::tensor_output& b) {
    const auto n = static_cast<std::size_t>(p.n.size());
    const double u = 0x1p-24;
    const double inf = std::numeric_limits<double>::infinity();
    const bool online = p.n.size() > one_pass;
    const double parts = online ? std::ceil(p.n.size() / double{online_threads * online_items}) : 0;
    const double additions = 6 + parts + 6 + 15;  // of an element's part of the sum: those of a
                                                  // thread, a wave and a group
    examples::parallel_for(p.a.values.size() / n, [&](std::size_t row) {
        const double* const x = &p.a.values[row * n];
        double largest = -inf;
        for (std::size_t i = 0; i < n; ++i) {
            largest = std::fmax(largest, x[i]);
        }
        const double shift = largest == -inf ? 0 : largest;
        const auto lost = [&](double y) { return 3 * u * std::fabs(y - shift) + 2 * u; };
        double sum = 0;
        double sum_lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double e = std::exp(x[i] - shift);
            sum += e;
            sum_lost += e > 0 ? e * lost(x[i]) : 0;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double expected = sum == 0 ? 0 : std::exp(x[i] - shift) / sum;
            const double share = sum_lost / sum + (additions + 2 + 4 * (parts + 1)) * u;
            const double error =
                expected > 0 ? 1.01 * expected * (lost(x[i]) + share) + 0x1p-126 : 0;
            b.expect_near(row * n + i, expected, error, type);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    problem p;
    p.a.power = 3;
    examples::tensor_example e;
    e.formula = "b[M, N] = exp(a[M, N]) / sum(exp(a[M, :]))";
    e.description = "One pass over memory for rows of up to 65536 elements, two beyond";
    e.extents = {&p.m, &p.n};
    e.types = {element::f32, element::f16, element::bf16};
    e.inputs = {&p.a};
    e.outputs = {"b"};
    e.prepare = [&](std::mt19937_64&) {
        examples::check_size(p.m, p.n);
        return "b = softmax(a), " + std::to_string(p.m.size()) + " rows of " +
               std::to_string(p.n.size()) + " " + name_of(e.type) +
               (p.n.size() <= one_pass ? ", one pass" : ", two passes");
    };
    e.run = [&](int iters) {
        return e.type == element::f32   ? softmax<fp32_t>(p, iters)
               : e.type == element::f16 ? softmax<fp16_t>(p, iters)
                                        : softmax<bf16_t>(p, iters);
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        expect_softmax(p, e.type, outputs[0]);
    };
    return examples::tensor_main(argc, argv, e);
}
