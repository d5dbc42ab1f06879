// SPDX-License-Identifier: MIT
//
// mma.hpp: the operands of all matrix instructions in opus. The types of each instruction are
// instantiated once, and give the extents and dims of its layouts. A tiled mma is composed of these
// at run time, as opus does at compile time.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../common/options.hpp"
#include "opus/opus_debug.hpp"
#include "opus/opus_plus.hpp"
#include "views.hpp"

namespace viewer {

// == the instructions =============================================================================

struct instruction {
    std::string type_a;  // as in the instruction's name: f16
    std::string type_b;
    std::string type_c;
    index_t bits_a;
    index_t bits_b;
    index_t bits_c;
    index_t m;
    index_t n;
    index_t k;
    index_t blocks;
    index_t results;  // registers of C, in elements
    bool on_gfx942;
    bool on_gfx950;
    bool has_scales;
    std::vector<std::vector<part>> a;  // the parts of each x-dim
    std::vector<std::vector<part>> b;
    std::vector<std::vector<part>> a_chained;  // in the order of chain_a; empty where it takes none
    std::vector<std::vector<part>> b_chained;
    std::vector<std::vector<part>> c;
    std::vector<std::vector<part>> c_swapped;
    index_t lanes_to_rows;  // of C: from one group of rows to the next, and from block to block
    index_t lanes_to_block;

    std::string shape() const {
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    }
    std::string types() const { return type_a == type_b ? type_a : type_a + "," + type_b; }
    std::string name() const {
        const bool one_type = type_a == type_b && bits_a > 8;
        if (has_scales && (type_a != type_b || (type_a != "fp8" && type_a != "fp4"))) {
            return "mfma_" + type_c + "_" + shape() + "_f8f6f4<" + type_a + "_t, " + type_b + "_t>";
        }
        return "mfma_" + type_c + "_" + shape() +
               (blocks > 1 ? "_" + std::to_string(blocks) + "b" : "") + "_" + type_a +
               (one_type || type_a == "i8" ? "" : "_" + type_b);
    }
    std::string targets() const {
        return on_gfx942 && on_gfx950 ? "" : on_gfx942 ? " (gfx942)" : " (gfx950)";
    }
};

namespace detail {

template <class T>
constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<opus::fp64_t> = "f64";
template <>
inline constexpr const char* type_name<opus::fp32_t> = "f32";
template <>
inline constexpr const char* type_name<opus::xf32_t> = "xf32";
template <>
inline constexpr const char* type_name<opus::fp16_t> = "f16";
template <>
inline constexpr const char* type_name<opus::bf16_t> = "bf16";
template <>
inline constexpr const char* type_name<opus::i8_t> = "i8";
template <>
inline constexpr const char* type_name<opus::i32_t> = "i32";
template <>
inline constexpr const char* type_name<opus::fp8_t> = "fp8";
template <>
inline constexpr const char* type_name<opus::bf8_t> = "bf8";
template <>
inline constexpr const char* type_name<opus::fp6_t> = "fp6";
template <>
inline constexpr const char* type_name<opus::bf6_t> = "bf6";
template <>
inline constexpr const char* type_name<opus::fp4_t> = "fp4";

template <class... D>
std::vector<part> parts_of_one(const index_t*& extent, opus::tuple<D...>) {
    return {part{*extent++, opus::is_same_v<D, opus::p_dim>}...};
}
template <class... N, class... X>
std::vector<std::vector<part>> parts_of(opus::tuple<N...>, opus::tuple<X...>) {
    const index_t extents[] = {N::value...};
    const index_t* extent = extents;
    return {parts_of_one(extent, X{})...};
}

// The instruction as the second of two products. C of the first one has as many columns as this one
// has elements along K.
template <class A, class B, class C, index_t M, index_t N, index_t K>
constexpr auto chained(opus::mfma<A, B, C, M, N, K>) {
    using opus::seq;
    constexpr index_t k = K > M ? K : M;
    using T = __type_pack_element<sizeof(C) == 8, opus::fp16_t, opus::fp64_t>;
    using sum = __type_pack_element<sizeof(C) == 8, opus::fp32_t, opus::fp64_t>;
    constexpr index_t first_k = sizeof(C) == 8 ? 4 : 256 / M;
    using pair = decltype(opus::chain_a(
        opus::make_tiled_mma<T, T, sum>(seq<1, k / M, 1>{}, seq<1, 1, 1>{}, seq<M, M, first_k>{},
                                        opus::mfma_adaptor_swap_ab{}),
        opus::make_tiled_mma<A, B, C>(seq<1, 1, k / K>{}, seq<1, 1, 1>{}, seq<M, N, K>{})));
    return typename pair::MMA{};
}

template <class A, class B, class C, index_t M, index_t N, index_t K>
instruction facts_of(opus::mfma<A, B, C, M, N, K> i) {
    using row = typename decltype(i)::row;
    constexpr auto mma = opus::make_mfma<A, B, C>(opus::seq<M, N, K>{});
    constexpr auto swapped =
        opus::make_mfma<A, B, C>(opus::seq<M, N, K>{}, opus::mfma_adaptor_swap_ab{});
    static_assert(M == N);  // so the lanes of C are as far apart swapped as not
    std::vector<std::vector<part>> a_chained;
    std::vector<std::vector<part>> b_chained;
    // The operands that chain_a takes (docs/reference.md): of one width, and with 4 elements in
    // turn (fp64: one).
    constexpr index_t bits_a = opus::sizeof_bits_v<typename decltype(i)::dtype_a>;
    constexpr index_t bits_b = opus::sizeof_bits_v<typename decltype(i)::dtype_b>;
    if constexpr (mma.blocks == 1 && bits_a == bits_b && bits_a != 6 &&
                  mma.run_a % mma.pack_c == 0) {
        constexpr auto second = chained(i);
        a_chained = parts_of(second.shape_a(), second.dim_a());
        b_chained = parts_of(second.shape_b(), second.dim_b());
    }
    return {type_name<A>,
            type_name<B>,
            type_name<C>,
            bits_a,
            bits_b,
            opus::sizeof_bits_v<C>,
            M,
            N,
            K,
            mma.blocks,
            mma.elem_c,
            row::passes_on_gfx942 != 0,
            row::passes_on_gfx950 != 0,
            row::has_formats,
            parts_of(mma.shape_a(), mma.dim_a()),
            parts_of(mma.shape_b(), mma.dim_b()),
            a_chained,
            b_chained,
            parts_of(mma.shape_c(), mma.dim_c()),
            parts_of(swapped.shape_c(), swapped.dim_c()),
            mma.stridem_c,
            mma.strideb_c};
}

template <class... Mfma>
std::vector<instruction> facts_of_all(opus::tuple<Mfma...>) {
    return {facts_of(Mfma{})...};
}

}  // namespace detail

inline const std::vector<instruction>& instructions() {
    static const std::vector<instruction> all = detail::facts_of_all(opus::mfma_table());
    return all;
}

// @param types of A, B and C: "f16", "fp8,fp4" or "f16,f16,f32"; the names in opus (fp16) are
// accepted, too
inline const instruction& find_instruction(const std::string& types, const indices& mnk) {
    using examples::usage_error;
    std::string wanted = types;
    for (const std::string& name :
         {std::string("fp16"), std::string("fp32"), std::string("fp64")}) {
        for (std::size_t i = wanted.find(name); i != std::string::npos; i = wanted.find(name)) {
            wanted.erase(i + 1, 1);
        }
    }
    std::string type_c;
    if (std::count(wanted.begin(), wanted.end(), ',') == 2) {
        const std::size_t last = wanted.rfind(',');
        type_c = wanted.substr(last + 1);
        wanted.erase(last);
    }
    const std::size_t comma = wanted.find(',');
    if (comma != std::string::npos && wanted.substr(0, comma) == wanted.substr(comma + 1)) {
        wanted.erase(comma);
    }
    std::string shapes;
    std::string all_types;
    std::vector<std::string> seen;
    for (const instruction& i : instructions()) {
        if (i.types() == wanted) {
            if (i.m == mnk[0] && i.n == mnk[1] && i.k == mnk[2]) {
                if (!type_c.empty() && type_c != i.type_c) {
                    throw usage_error("--mma: C of " + i.name() + " is " + i.type_c + ", not " +
                                      type_c);
                }
                return i;
            }
            shapes += (shapes.empty() ? "" : ", ") + i.shape();
        }
        if (i.type_a == i.type_b) {
            if (std::find(seen.begin(), seen.end(), i.type_a) == seen.end()) {
                seen.push_back(i.type_a);
                all_types += (all_types.empty() ? "" : ", ") + i.type_a;
            }
        }
    }
    if (shapes.empty()) {
        throw usage_error("--mma: there is no instruction for " + types + "; there are " +
                          all_types + ", and mixes of fp8, bf8, fp6, bf6 and fp4");
    }
    throw usage_error("--mma: there is no " + std::to_string(mnk[0]) + "x" +
                      std::to_string(mnk[1]) + "x" + std::to_string(mnk[2]) + " for " + types +
                      "; there are " + shapes);
}

// == their operands ===============================================================================

constexpr index_t max_mma_elements = 65536;

// One operand of one instruction, or of a tile of them.
struct mma_operand {
    const instruction* instr;
    std::string operand;  // a, b, c, scale_a or scale_b
    bool swap = false;
    bool chained = false;  // of A and B: K in the order of chain_a, chain_b
    bool tiled = false;
    indices expand{1, 1, 1};  // repeats of the instruction in a wave: M, N, K
    indices tile{1, 1, 1};    // waves
};

namespace detail {

inline std::string times(const indices& values) {
    std::string text;
    for (const index_t value : values) {
        text += (text.empty() ? "" : " x ") + std::to_string(value);
    }
    return text;
}

inline std::string describe(const mma_operand& o) {
    const instruction& i = *o.instr;
    const bool blocks = i.blocks > 1;
    std::string text = o.operand == "a"   ? "A[M, K] of "
                       : o.operand == "b" ? "B, as rows of N and columns of K, of "
                       : o.operand == "c" ? "C[M, N] of "
                                          : std::string("the scales of ") +
                                                (o.operand == "scale_a" ? "A of " : "B of ");
    if (blocks) {
        text = "the " + std::to_string(i.blocks) + " blocks of " + text;
    }
    if (o.tiled) {
        text += times(o.tile) + " waves with " + times(o.expand) + " ";
    }
    text += (o.operand.size() > 1 ? "mfma_scale" + i.name().substr(4) : i.name()) + i.targets();
    return text + (o.swap ? ", A and B swapped" : "") +
           (o.chained ? ", K in the order of chain_" + o.operand : "");
}

// Converts threads that count only waves with different elements, `inner` of them along the second
// dimension, to threads of the block. There, waves of the two dimensions are `wave_stride` threads
// apart, and each has `copies` copies, `copy_stride` threads apart.
inline void number_by_block(distribution& view, index_t inner, const indices& wave_stride,
                            index_t copies, index_t copy_stride) {
    const auto in_block = [&](index_t thread) {
        const index_t wave = thread / 64;
        return wave / inner * wave_stride[0] + wave % inner * wave_stride[1] + thread % 64;
    };
    distribution block = view;
    block.threads = view.threads * copies;
    block.copies = copies;
    block.copy_stride = copy_stride;
    block.thread_stride[0] = wave_stride[0];
    block.thread_stride[2] = wave_stride[1];
    block.elements.resize(at(block.threads * view.registers));
    block.offsets.resize(block.elements.size());
    for (owner& o : block.owners) {
        o.thread = in_block(o.thread);
    }
    for (index_t thread = 0; thread < view.threads; ++thread) {
        for (index_t copy = 0; copy < copies; ++copy) {
            const index_t to = in_block(thread) + copy * copy_stride;
            for (index_t r = 0; r < view.registers; ++r) {
                block.elements[at(to * view.registers + r)] =
                    view.elements[at(thread * view.registers + r)];
                block.offsets[at(to * view.registers + r)] =
                    view.offsets[at(thread * view.registers + r)];
            }
        }
    }
    view = std::move(block);
}

}  // namespace detail

// Threads as partition_layout_a, _b and _c take them: lane thread % 64, of a tiled mma wave
// thread / 64 = (m * TN + n) * TK + k. All waves along N have the same A, those along M the same B,
// and those along K partial sums of the same C.
inline distribution distribute(const mma_operand& o, const placement& place) {
    using examples::usage_error;
    const instruction& i = *o.instr;
    if (o.tiled && i.blocks > 1) {
        throw usage_error("--expand and --tile: a tile is made of instructions of one block, and " +
                          i.name() + " has " + std::to_string(i.blocks));
    }
    const bool is_c = o.operand == "c";
    const bool is_scale = o.operand.size() > 1;
    if (is_scale && (!i.has_scales || o.tiled)) {
        throw usage_error(
            "--operand " + o.operand + ": " +
            (o.tiled ? "scales are shown of a single instruction" : i.name() + " takes no scales"));
    }
    if (o.swap && !is_c) {
        throw usage_error("--swap is for --operand c: A and B lie as without it");
    }
    const bool is_b = o.operand == "b";
    if (o.chained && (is_c || is_scale)) {
        throw usage_error("--chained is for --operand a and b: C lies as without it");
    }
    if (o.chained && i.a_chained.empty()) {
        throw usage_error("--chained: chain_a and chain_b do not take " + i.name() +
                          ", but instructions of one block with A and B of 16, 8 or 4 bits, or of "
                          "64, both of the same width");
    }
    if (o.chained && o.tile[2] != 1) {
        throw usage_error("--chained: all K must be in one wave, --tile M,N,1");
    }
    const bool is_a = o.operand == "a" || o.operand == "scale_a";
    const index_t rows = is_a || is_c ? i.m : i.n;  // lanes of A and B go down these

    // The operand of one instruction, with the strides of the lanes.
    auto x = is_c        ? (o.swap ? i.c_swapped : i.c)
             : o.chained ? (is_b ? i.b_chained : i.a_chained)
                         : (is_a ? i.a : i.b);
    if (is_scale) {
        // Lane l has the scale of row l % M and of the 32 consecutive k of block l / M (ISA guide,
        // 7.2.1).
        x = {{{rows, true}}, {{64 / rows, true}, {1, false}}};
    }
    indices lanes{1, rows * i.blocks};
    if (is_c) {
        lanes = o.swap ? indices{1, i.lanes_to_rows} : indices{i.lanes_to_rows, 1};
    }
    if (i.blocks > 1) {
        lanes.insert(lanes.begin(), is_c ? i.lanes_to_block : rows);
    }

    // A tile has repeats (y) and waves (p) in front of each dimension.
    indices registers;
    if (o.tiled) {
        const std::size_t first = is_a || is_c ? 0 : 1;
        const std::size_t second = is_c ? 1 : 2;
        x[0].insert(x[0].begin(), {{o.expand[first], false}, {o.tile[first], true}});
        x[1].insert(x[1].begin(), {{o.expand[second], false}, {o.tile[second], true}});
        lanes = {64 * o.tile[second], lanes[0], 64, lanes[1]};
        if (is_c && !o.swap) {
            // (EM, rept, pack, EN), and the registers are those of one instruction after another.
            const index_t pack = x[0].back().extent;
            registers = {o.expand[1] * i.results, pack, 1, i.results};
        }
    }

    std::vector<dimension> dimensions;
    std::vector<std::string> names{is_c || is_a ? "M" : "N", is_c       ? "N"
                                                             : is_scale ? "K / 32"
                                                                        : "K"};
    if (x.size() == 3) {
        names.insert(names.begin(), "block");
    }
    long long elements = 1;
    for (std::size_t d = 0; d < x.size(); ++d) {
        dimensions.push_back({names[d], x[d]});
        for (const part& p : x[d]) {
            elements *= p.extent;
            if (elements > max_mma_elements) {
                throw usage_error("the operand has more than " + std::to_string(max_mma_elements) +
                                  " elements");
            }
        }
    }
    distribution view = distribute(std::move(dimensions), place, lanes, registers);
    view.description = detail::describe(o);
    view.element_bits = is_scale ? 8 : is_c ? i.bits_c : is_a ? i.bits_a : i.bits_b;
    if (is_c && i.blocks == 1) {
        view.operand_registers = i.results;
    }
    if (o.tiled) {
        const indices waves{64 * o.tile[1] * o.tile[2], 64 * o.tile[2], 64};  // along M, N, K
        const std::size_t first = is_b ? 1 : 0;
        const std::size_t second = is_c ? 1 : 2;
        const std::size_t other = 3 - first - second;
        detail::number_by_block(view, o.tile[second], {waves[first], waves[second]}, o.tile[other],
                                waves[other]);
    }
    return view;
}

}  // namespace viewer
