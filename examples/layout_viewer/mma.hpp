// SPDX-License-Identifier: MIT
//
// mma.hpp: the operands of the matrix instructions that opus has. Its types are made for each of
// them once, and leave here the extents and dims that their layouts are made of; a tiled mma is put
// together of these at run time, as opus does at compile time.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../common/options.hpp"
#include "opus/opus.hpp"
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

template <class A, class B, class C, index_t M, index_t N, index_t K>
instruction facts_of(opus::mfma<A, B, C, M, N, K> i) {
    using row = typename decltype(i)::row;
    constexpr auto mma = opus::make_mfma<A, B, C>(opus::seq<M, N, K>{});
    constexpr auto swapped =
        opus::make_mfma<A, B, C>(opus::seq<M, N, K>{}, opus::mfma_adaptor_swap_ab{});
    static_assert(M == N);  // so the lanes of C are as far apart swapped as not
    return {type_name<A>,
            type_name<B>,
            type_name<C>,
            opus::sizeof_bits_v<typename decltype(i)::dtype_a>,
            opus::sizeof_bits_v<typename decltype(i)::dtype_b>,
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
    static const std::vector<instruction> all = detail::facts_of_all(opus::impl::mfma_table());
    return all;
}

// @param types "f16" or "fp8,fp4"; opus's names of the types (fp16) are understood, too
inline const instruction& find_instruction(const std::string& types, const indices& mnk) {
    using examples::usage_error;
    std::string wanted = types;
    for (const std::string& name :
         {std::string("fp16"), std::string("fp32"), std::string("fp64")}) {
        for (std::size_t i = wanted.find(name); i != std::string::npos; i = wanted.find(name)) {
            wanted.erase(i + 1, 1);
        }
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
    return text + (o.swap ? ", A and B swapped" : "");
}

}  // namespace detail

// Lanes as docs/matrix-cores.md has them. Threads of a tiled mma are numbered wave by wave, those
// along N (of A: K) first. All waves along N have the same A, and those along M the same B: threads
// are those of the waves along the other dimensions.
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
    const bool is_a = o.operand == "a" || o.operand == "scale_a";
    const index_t rows = is_a || is_c ? i.m : i.n;  // lanes of A and B go down these

    // What an instruction has, with the strides of the lanes.
    auto x = is_c ? (o.swap ? i.c_swapped : i.c) : is_a ? i.a : i.b;
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
    return view;
}

}  // namespace viewer
