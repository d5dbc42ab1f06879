// Strides by which an offset tells block, row and column, and what lanes read by a layout.
#pragma once

#include <vector>

#include "../laws/header_elements.hpp"
#include "../laws/mfma_formulas.hpp"
#include "opus/opus.hpp"

namespace operand_places {

using namespace opus;
using opus::operator""_I;
using laws::element;
using laws::element_of;

// Matrices lie in memory with these strides, so that an offset tells block, row and column.
constexpr int row_stride = 1000;
constexpr int block_stride = 100000;

template <index_t blocks>
constexpr auto x_stride() {
    if constexpr (blocks == 1) {
        return make_tuple(row_stride, 1_I);
    } else {
        return make_tuple(block_stride, row_stride, 1_I);
    }
}

// The offsets of all elements, in the order of the registers.
template <index_t vec, class Layout>
std::vector<int> offsets_of(const Layout& u) {
    std::vector<int> all;
    const auto offsets = layout_to_offsets<vec>(u);
    for (index_t i = 0; i < offsets.size(); i++) {
        for (index_t e = 0; e < vec; e++) {
            all.push_back(offsets[i] + e);
        }
    }
    return all;
}

// What lane `lane` receives if every lane points to the places of `points_to`, by the definition of
// the instruction (CDNA4 ISA guide 11.4; see examples and docs/memory.md): in each 16 lanes with
// first lane B, element n of lane B + r is element r % E of what lane B + r / E + (16 / E) * n
// points to; of 6 bits E is 16.
template <index_t e, class PointsTo>
std::vector<int> received(int lane, PointsTo points_to) {
    const int r = lane % 16;
    std::vector<std::vector<int>> sources;
    for (int n = 0; n < e; n++) {
        sources.push_back(points_to(lane - r + r / e + 16 / e * n));
    }
    std::vector<int> all;
    for (size_t read = 0; read < sources[0].size(); read++) {
        for (const auto& source : sources) {
            all.push_back(source[read] + r % e);
        }
    }
    return all;
}
template <index_t vec, class Layout>
std::vector<int> starts_of(const Layout& u) {
    const auto offsets = layout_to_offsets<vec>(u);
    std::vector<int> all;
    for (index_t i = 0; i < offsets.size(); i++) {
        all.push_back(offsets[i]);
    }
    return all;
}

// A lane has whole reads of 8 (6 bits: 12) bytes, for 16 or 32 rows.
constexpr bool has_transposed_reads(element x, int rows, int k, int blocks) {
    const int bits = x == element::f16 || x == element::bf16                      ? 16
                     : x == element::fp6 || x == element::bf6                     ? 6
                     : x == element::fp4                                          ? 4
                     : x == element::i8 || x == element::fp8 || x == element::bf8 ? 8
                                                                                  : 0;
    return bits != 0 && rows % 16 == 0 && blocks == 1 &&
           rows * k / 64 * bits % (bits == 6 ? 96 : 64) == 0;
}

}  // namespace operand_places
