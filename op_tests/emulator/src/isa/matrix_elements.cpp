#include "isa/matrix_elements.hpp"

#include <optional>

#include "isa/instruction.hpp"

namespace emu {
namespace {

// What lanes hold of a matrix instruction.
struct held_matrices : matrix_shape {
    int a_bits;
    int b_bits;
    bool is_f64;
    bool has_formats;  // f8f6f4
};

std::optional<held_matrices> matrices_of(const instruction& i) {
    if (i.matrix == nullptr) {
        return {};
    }
    const matrix_row& row = *i.matrix;
    if (row.a == element::chosen) {
        if (i.cbsz > 4 || i.blgp > 4) {
            return {};
        }
        return held_matrices{row.shape, bits_of_chosen[i.cbsz], bits_of_chosen[i.blgp], false,
                             true};
    }
    // Lanes or blocks are permuted or shared: what is held belongs to other elements.
    if (!row.is_f64() && (i.cbsz != 0 || i.blgp != 0)) {
        return {};
    }
    return held_matrices{row.shape, bits_of(row.a), bits_of(row.b), row.is_f64(), false};
}

std::string index(int i) {
    return "[" + std::to_string(i) + "]";
}

std::string indices(int first, int last) {
    return "[" + std::to_string(first) + (first == last ? "" : ".." + std::to_string(last)) + "]";
}

std::string in_block(const held_matrices& s, int block) {
    return s.blocks == 1 ? "" : "block " + std::to_string(block) + ": ";
}

// The k of an item of a lane group in a scaled or small format: of 8 bits there are two runs of 16,
// the second half of K above the first; else a group has 32 in order.
int k_of_item(const held_matrices& s, int bits, int group, int item) {
    if (!s.has_formats || bits != 8) {
        const int items = s.has_formats ? 32 : s.k * s.m * s.blocks / 64;
        return items * group + item;
    }
    return 16 * group + item % 16 + (item >= 16 ? s.k / 2 : 0);
}

// Dword `dword` of A (rows of it) or of B (columns).
std::string multiplied(const held_matrices& s, bool is_a, int dword, int lane) {
    const int rows = is_a ? s.m : s.n;
    const int bits = is_a ? s.a_bits : s.b_bits;
    const int first_item = 32 * dword / bits;
    const int last_item = (32 * dword + 31) / bits;
    const int row = lane % rows;
    const int block = lane / rows % s.blocks;
    const int group = lane / (rows * s.blocks);
    const int first = k_of_item(s, bits, group, first_item);
    const int last = k_of_item(s, bits, group, last_item);
    return in_block(s, block) + (is_a ? "A" + index(row) + indices(first, last)
                                      : "B" + indices(first, last) + index(row));
}

// Item and lane of element [block, row, column] of C and D.
struct place {
    int item;
    int lane;
    friend bool operator==(const place&, const place&) = default;
};

place place_of(const held_matrices& s, int block, int row, int column) {
    const int h = s.is_f64 ? 1 : 4;
    const int lanes_of_block = s.n * s.m / h;
    const int blocks_of_wave = (64 + lanes_of_block - 1) / lanes_of_block;
    const int rows_of_wave = 64 / blocks_of_wave / s.n;
    const int groups = s.m / (h * rows_of_wave);
    const int item = row % h + h * (row / (h * rows_of_wave) + groups * (block / blocks_of_wave));
    if (s.is_f64 && s.blocks > 1) {  // docs/matrix-cores.md: the guide differs
        return {item, column + s.n * (block + s.blocks * row)};
    }
    return {item,
            column + s.n * (row / h % rows_of_wave + rows_of_wave * (block % blocks_of_wave))};
}

std::string summed(const held_matrices& s, char name, int dword, int lane) {
    const place wanted{s.is_f64 ? dword / 2 : dword, lane};
    for (int block = 0; block < s.blocks; ++block) {
        for (int row = 0; row < s.m; ++row) {
            for (int column = 0; column < s.n; ++column) {
                if (place_of(s, block, row, column) == wanted) {
                    return in_block(s, block) + name + index(row) + index(column);
                }
            }
        }
    }
    return "";
}

// The scales of 32 elements of a row of A or of a column of B.
std::string scale(const held_matrices& s, bool is_a, int lane) {
    const int rows = is_a ? s.m : s.n;
    const int first = 32 * (lane / rows);
    return "the scale of " + (is_a ? "A" + index(lane % rows) + indices(first, first + 31)
                                   : "B" + indices(first, first + 31) + index(lane % rows));
}

}  // namespace

std::string matrix_elements(const instruction& i, uint32_t reg, int lane, bool is_write) {
    const auto shape = matrices_of(i);
    if (!shape) {
        return "";
    }
    std::string text;
    const size_t first = is_write ? 0 : 1;
    const size_t end = is_write ? 1 : i.operand_count;
    for (size_t n = first; n < end; ++n) {
        const operand& o = i.operands[n];
        const uint32_t first_of = first_register(o);
        if (!o.is_vector() || reg < first_of || reg >= first_of + o.dwords) {
            continue;
        }
        const auto dword = static_cast<int>(reg - first_of);
        const std::string element = n == 0   ? summed(*shape, 'D', dword, lane)
                                    : n == 1 ? multiplied(*shape, true, dword, lane)
                                    : n == 2 ? multiplied(*shape, false, dword, lane)
                                    : n == 3 ? summed(*shape, 'C', dword, lane)
                                             : scale(*shape, n == 4, lane);
        text += (text.empty() || element.empty() ? "" : " and ") + element;
    }
    return text;
}

std::string matrix_elements_of_lanes(const instruction& i, uint32_t reg, bool is_write) {
    const std::string first = matrix_elements(i, reg, 0, is_write);
    return first.empty() ? ""
                         : ": " + first + " in lane 0 to " +
                               matrix_elements(i, reg, lane_count - 1, is_write) + " in lane " +
                               std::to_string(lane_count - 1);
}

std::string which_matrix_element(const instruction& i, uint32_t reg, int lane, bool is_write) {
    const std::string elements = matrix_elements(i, reg, lane, is_write);
    return elements.empty() ? "" : ", which is " + elements;
}

}  // namespace emu
