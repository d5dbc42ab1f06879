// SPDX-License-Identifier: MIT
//
// topk_gate: the gate of a mixture of experts: for each token, the K largest of its scores for N
// experts, with those experts and their weights. It teaches what a wave can do without LDS: a row
// of scores lies in the registers of 64 lanes, reduce_wave finds the largest one, and ballot the
// lane that has it; both are then in scalar registers. Read vector_add first.
//
// A lane has experts lane, lane + 64, ...: the first register in which any lane has the largest
// score, and in it the first lane, belong to the lowest expert with that score. A chosen score
// becomes a NaN, which is never the largest and equals nothing.
//
// That takes a round for each expert. More than 16 are sorted: 64 scores across the lanes, then the 64
// next ones the other way round; the larger of both in each lane are the 64 largest, to be merged.
//
//   score     computed from the logits: softmax over all experts, or the sigmoid of each
//   weights   the chosen scores, divided by their sum (--norm 0: as they are); 0 if the sum is 0
//
// Both scores grow with the logit, so the experts are chosen by the logits, among which different
// values never become equal: ties are equal logits, and the lowest expert wins. A NaN counts as
// -inf, whose score is 0. Logits of +inf share the weights of a softmax among them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;

constexpr int threads = 256;
constexpr int tokens_of_block = threads / 64;
constexpr int max_experts = 512;
constexpr int max_rounds = 16;  // a larger k is sorted
constexpr int max_k = 64;
constexpr float log2_of_e = 0x1.715476p0f;

struct gate {
    int tokens;
    int experts;
    int k;
    bool sigmoid;
    bool norm;
};

// The score of a logit; for softmax, before the division by the sum of all. `largest` is the
// largest logit; its own score is 1 even if it is infinite.
OPUS_D float score_of(float logit, float largest, bool sigmoid) {
    const float e = opus::exp2((sigmoid ? -logit : logit - largest) * log2_of_e);
    if (sigmoid) {
        return opus::rcp(1 + e);
    }
    return logit == -__builtin_inff() ? 0 : logit == largest ? 1 : e;
}

// The lowest expert with the score `best`, which some lane has; its score becomes a NaN.
template <int i, int items>
OPUS_D int take(opus::array<float, items>& x, float best) {
    const auto lanes = opus::ballot(x[i] == best);
    if constexpr (i + 1 < items) {
        if (lanes == 0) {
            return take<i + 1>(x, best);
        }
    }
    const int first = __builtin_ctzll(lanes);
    x[i] = opus::lane_id() == first ? __builtin_nanf("") : x[i];
    return i * 64 + first;
}

// A score of 16 bits and its expert as a word that is larger for a larger score and, among equal ones,
// for a lower expert. No word is 0.
template <class T>
OPUS_D unsigned key_of(float score, int expert) {
    const unsigned bits = __builtin_bit_cast(unsigned short, opus::cast<T>(score + 0.0f));  // no -0
    const unsigned ordered = bits & 0x8000 ? ~bits & 0xffff : bits | 0x8000;
    return ordered << 16 | static_cast<unsigned>(0xffff - expert);
}
template <class T>
OPUS_D float score_of_key(unsigned key) {
    const unsigned bits = key >> 31 ? key >> 16 & 0x7fff : ~key >> 16;
    return opus::cast<fp32_t>(__builtin_bit_cast(T, static_cast<unsigned short>(bits)));
}

// Grid: (tokens of a block) waves of 64, one token each.
// @pre experts <= 64 * items, k <= (sorts ? max_k : max_rounds), k <= experts
template <class T, int items, bool sorts>
__global__ __launch_bounds__(threads) void topk_gate_kernel(const T* logits, float* weights,
                                                            int* ids, gate a) {
    using namespace opus;
    constexpr float inf = __builtin_inff();
    const int lane = lane_id();
    const int token = readfirstlane(block_id_x() * tokens_of_block + thread_id_x() / 64);
    if (token >= a.tokens) {
        return;
    }
    const auto g = make_gmem(logits + static_cast<long_index_t>(token) * a.experts,
                             static_cast<unsigned>(a.experts) * sizeof(T));
    array<float, items> x;
    static_for<items>([&](auto i) {
        const int expert = lane + i * 64;
        const float logit = cast<fp32_t>(g.template load<1>(expert)[0]);
        x[i] = expert < a.experts ? max(logit, -inf) : __builtin_nanf("");
    });

    const auto largest_of_rest = [&] {
        return readfirstlane(reduce_wave(reduce(x, maximum{}), maximum{}));
    };
    const float largest = largest_of_rest();
    const bool of_all = !a.sigmoid && !a.norm;  // whether the divisor is the sum of all scores
    float all = 0;
    if (of_all) {
        static_for<items>(
            [&](auto i) { all += lane + i * 64 < a.experts ? score_of(x[i], largest, false) : 0; });
    }

    float chosen = -inf;  // in lane j, of the j-th one
    int chosen_id = 0;
    if constexpr (sorts) {
        unsigned best = 0;
        static_for<items>([&](auto i) {
            const int expert = lane + i * 64;
            const unsigned key = expert < a.experts ? key_of<T>(x[i], expert) : 0;
            if constexpr (i == 0) {
                best = bitonic_sort_wave(key, true);
            } else {
                const unsigned others = bitonic_sort_wave(key);
                best = bitonic_merge_wave(best > others ? best : others, true);
            }
        });
        chosen = score_of_key<T>(best);
        chosen_id = 0xffff - static_cast<int>(best & 0xffff);
    } else {
        int j = 0;
#pragma nounroll  // (clang 23 would unroll it)
        for (float best = largest; j < a.k; best = largest_of_rest()) {
            const int id = take<0>(x, best);
            chosen = lane == j ? best : chosen;
            chosen_id = lane == j ? id : chosen_id;
            j++;
        }
    }

    // Sigmoids of small logits are their exp, and only the ratio of these matters.
    const bool sigmoid = a.sigmoid && (!a.norm || largest >= -64);
    const float score = lane < a.k ? score_of(chosen, largest, sigmoid) : 0;
    float divisor = 1;
    if (a.norm) {
        divisor = reduce_wave(score, plus{});
    } else if (of_all) {
        divisor = reduce_wave(all, plus{});
    }
    const long_index_t at = static_cast<long_index_t>(token) * a.k;
    const auto bytes = static_cast<unsigned>(a.k) * 4;  // lanes from k on are beyond
    make_gmem(weights + at, bytes)
        .template store<1>(divisor == 0 ? 0 : score * opus::rcp(divisor), lane);
    make_gmem(ids + at, bytes).template store<1>(chosen_id, lane);
}

// == host =========================================================================================

std::vector<std::string> score_names() {
    return {"softmax", "sigmoid"};
}

template <class T, bool sorts>
auto kernel_for(int experts) {
    return experts <= 64    ? topk_gate_kernel<T, 1, sorts>
           : experts <= 128 ? topk_gate_kernel<T, 2, sorts>
           : experts <= 256 ? topk_gate_kernel<T, 4, sorts>
                            : topk_gate_kernel<T, 8, sorts>;
}

template <class T>
examples::tensor_result topk_gate(const std::vector<double>& values, const gate& a, int iters) {
    const examples::device_buffer<T> logits(examples::to<T>(values));
    const auto size = static_cast<std::size_t>(a.tokens) * static_cast<std::size_t>(a.k);
    examples::device_buffer<float> weights(size);
    examples::device_buffer<int> ids(size);
    weights.fill_unwritten(0xff);  // NaN and -1: an element that no lane writes is seen
    ids.fill_unwritten(0xff);
    auto kernel = kernel_for<T, false>(a.experts);
    if constexpr (sizeof(T) == 2) {
        kernel = a.k > max_rounds ? kernel_for<T, true>(a.experts) : kernel;
    }
    const auto groups = static_cast<unsigned>((a.tokens + tokens_of_block - 1) / tokens_of_block);
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "topk_gate", [&] {
        kernel<<<groups, threads>>>(logits.data(), weights.data(), ids.data(), a);
    });
    result.moved_bytes = result.least_bytes =
        static_cast<double>(values.size()) * sizeof(T) + static_cast<double>(size) * 8;
    result.add(examples::shape_of({a.tokens, a.k}), weights.result());
    result.add(examples::shape_of({a.tokens, a.k}), ids.result());
    return result;
}

// Tolerance, with u = 2^-24, the largest relative error of an operation. The difference of two
// logits loses u, its product with log2(e) 2 u more; exp2 then loses 3 u * |difference| of its
// result, and 2 u of its own. The sum of a sigmoid loses u, a reciprocal 2 u, an addition u of the
// sum, and the final product u. exp2 and a quotient may be 0 instead of a denormal.
void expect_gate(const std::vector<double>& logits, const gate& a,
                 std::vector<examples::tensor_output>& outputs) {
    const double u = 0x1p-24;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto n = static_cast<std::size_t>(a.experts);
    const auto k = static_cast<std::size_t>(a.k);
    std::vector<double> x(n);
    std::vector<std::size_t> order(n);
    for (std::size_t token = 0; token < static_cast<std::size_t>(a.tokens); ++token) {
        for (std::size_t i = 0; i < n; ++i) {
            const double logit = logits[token * n + i];
            x[i] = std::isnan(logit) ? -infinity : logit;
        }
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            return x[i] > x[j] || (x[i] == x[j] && i < j);
        });
        const double largest = x[order[0]];
        const auto score = [&](double logit) {
            return a.sigmoid            ? 1 / (1 + std::exp(-logit))
                   : logit == -infinity ? 0
                   : logit == largest   ? 1
                                        : std::exp(logit - largest);
        };
        double divisor = 0;
        for (std::size_t i = 0; i < (a.norm ? k : n); ++i) {
            divisor += score(x[order[i]]);
        }
        if (a.sigmoid && !a.norm) {
            divisor = 1;
        }
        for (std::size_t j = 0; j < k; ++j) {
            const double logit = x[order[j]];
            const double expected = divisor == 0 ? 0 : score(logit) / divisor;
            const double distance =
                std::isfinite(logit) ? std::fabs(a.sigmoid ? logit : logit - largest) : 0;
            // In a sum those that are far away are small: their distances come to log(n) + 1 at
            // most (of a sigmoid from 0 down, and to 0.28 each where that is the larger half).
            const double in_sum =
                a.sigmoid ? std::fmax(0, std::isfinite(largest) ? -largest : 0) + 9 : 8;
            const double units = 3 * (distance + in_sum) + 24;
            outputs[0].expect(token * k + j, expected, expected * units * u + 0x1p-126);
            outputs[1].expect(token * k + j, static_cast<double>(order[j]));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::extent m{"-m", "Rows", 256};
    examples::extent n{"-n", "Columns", 256, max_experts};
    examples::input logits{"--a", "Read the logits a[M, N]", {&m, &n}};
    logits.power = 3;
    gate a{};
    a.norm = true;
    examples::tensor_example e;
    e.formula = "weights[M, K], ids[M, K] = the K largest of N scores for each of M tokens";
    e.description = "the gate of a mixture of experts, a wave for each token";
    e.extents = {&m, &n};
    e.types = {element::bf16, element::f16, element::f32};
    e.add_options = [&](CLI::App& app) {
        examples::add_integer(app, "-k", a.k, 1, max_k, "INT experts",
                              "Experts for each token, at most 64, with f32 16 (8)");
        examples::add_name(app, "--score", a.sigmoid, score_names(),
                           "How a logit becomes a score (softmax)");
        examples::add_flag(app, "--norm", a.norm,
                           "1: the weights of a token have the sum 1, 0: they are scores (1)");
    };
    e.inputs = {&logits};
    e.outputs = {"weights", "ids"};
    e.prepare = [&](std::mt19937_64&) {
        a.tokens = m.size();
        a.experts = n.size();
        a.k = a.k > 0 ? a.k : std::min(8, a.experts);
        if (a.k > a.experts) {
            throw examples::usage_error("-k " + std::to_string(a.k) + " of " +
                                        std::to_string(a.experts) + " experts cannot be chosen");
        }
        if (a.k > max_rounds && e.type == element::f32) {
            throw examples::usage_error("-k " + std::to_string(a.k) +
                                        " is more than 16: the logits must be f16 or bf16");
        }
        return "the " + std::to_string(a.k) + " largest of " + std::to_string(a.experts) +
               " scores (" + score_names()[a.sigmoid] + ") of " + std::to_string(a.tokens) +
               " tokens, logits of " + name_of(e.type);
    };
    e.run = [&](int iters) {
        return e.type == element::bf16  ? topk_gate<bf16_t>(logits.values, a, iters)
               : e.type == element::f16 ? topk_gate<fp16_t>(logits.values, a, iters)
                                        : topk_gate<fp32_t>(logits.values, a, iters);
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        expect_gate(logits.values, a, outputs);
    };
    return examples::tensor_main(argc, argv, e);
}
