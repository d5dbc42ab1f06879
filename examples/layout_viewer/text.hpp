// SPDX-License-Identifier: MIT
//
// text.hpp: the views as tables for a terminal. They come as one string, so that nothing is printed
// of a view that cannot be shown.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "colour.hpp"
#include "lds.hpp"
#include "views.hpp"

namespace viewer {

// (3, 16)
inline std::string tuple_text(const indices& values) {
    std::string text;
    for (const index_t value : values) {
        text += (text.empty() ? "" : ", ") + std::to_string(value);
    }
    return "(" + text + ")";
}

// 8*y0 + y1
inline std::string sum_text(const indices& strides, const char* variable) {
    std::string text;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        text += text.empty() ? "" : " + ";
        text += (strides[i] == 1 ? "" : std::to_string(strides[i]) + "*") + variable +
                std::to_string(i);
    }
    return text.empty() ? "0" : text;
}

// One line for each dimension: M 32 = 4 (y0) * 2 (p0) * 4 (y1), strides 256, 128, 32. p and y are
// counted through all dimensions.
inline std::vector<std::string> dimension_lines(const distribution& view) {
    std::vector<std::string> lines;
    index_t p_count = 0;
    index_t y_count = 0;
    for (const dimension& d : view.dimensions) {
        index_t extent = 1;
        std::string split;
        std::string strides;
        for (const part& p : d.parts) {
            extent *= p.extent;
            split +=
                (split.empty() ? "" : " * ") + std::to_string(p.extent) + " (" +
                (p.across_threads ? "p" + std::to_string(p_count) : "y" + std::to_string(y_count)) +
                ")";
            ++(p.across_threads ? p_count : y_count);
            strides += (strides.empty() ? "" : ", ") + std::to_string(p.stride);
        }
        lines.push_back(d.name + " " + std::to_string(extent) + " = " + split + ", " +
                        (d.parts.size() == 1 ? "stride " : "strides ") + strides);
    }
    return lines;
}

inline std::string holders_line(const distribution& view) {
    return "thread = " + sum_text(view.thread_stride, "p") +
           ", register = " + sum_text(packed_strides(view.extents(false)), "y");
}

inline std::string padded(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// A table whose columns are as wide as their widest cell, with a blank between them.
class text_table {
public:
    struct cell {
        std::string text;
        const rgb* background = nullptr;
    };

    void add_row(std::vector<cell> row) { rows_.push_back(std::move(row)); }

    std::string text(bool colours) const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t c = 0; c < row.size(); ++c) {
                widths[c] = std::max(widths[c], row[c].text.size());
            }
        }
        std::string result;
        for (const auto& row : rows_) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                const std::string cell = padded(row[c].text, widths[c]);
                result += c == 0 ? "" : " ";
                result += colours && row[c].background != nullptr
                              ? terminal_colour(*row[c].background) + cell + "\033[0m"
                              : cell;
            }
            result += "\n";
        }
        return result;
    }

private:
    std::vector<std::vector<cell>> rows_;
};

inline std::string text_of(const distribution& view, index_t thread, bool colours) {
    std::string result = view.name + ": " + view.description + "\n";
    for (const std::string& line : dimension_lines(view)) {
        result += line + "\n";
    }
    result += holders_line(view) + "\n";
    result += std::to_string(view.rows) + " x " + std::to_string(view.columns) +
              " elements, in each cell thread:register\n\n";

    std::vector<rgb> palette;
    for (index_t t = 0; t < view.threads; ++t) {
        palette.push_back(thread_colour(t, view.threads));
    }
    text_table table;
    std::vector<text_table::cell> heading{{""}};
    for (index_t c = 0; c < view.columns; ++c) {
        heading.push_back({std::to_string(c)});
    }
    table.add_row(heading);
    for (index_t r = 0; r < view.rows; ++r) {
        std::vector<text_table::cell> row{{std::to_string(r)}};
        for (index_t c = 0; c < view.columns; ++c) {
            const owner& o = view.owner_of(r, c);
            row.push_back(
                {std::to_string(o.thread) + ":" + std::to_string(o.reg), &palette[at(o.thread)]});
        }
        table.add_row(row);
    }
    result += table.text(colours);

    result += "\nthread " + std::to_string(thread) + ", offsets of its registers:";
    for (index_t r = 0; r < view.registers; ++r) {
        result += " " + std::to_string(view.offsets[at(thread * view.registers + r)]);
    }
    return result + "\n";
}

// The tile of a wave: the operand of one instruction, by its first register and its place.
struct wave_tile {
    index_t wave;
    index_t first_register;
    index_t row;
    index_t column;
    index_t rows;
    index_t columns;
};

// @pre view.operand_registers > 0
inline std::vector<wave_tile> wave_tiles(const distribution& view) {
    const index_t operands = view.registers / view.operand_registers;
    std::vector<wave_tile> tiles(at(view.threads / 64 * operands), {0, 0, view.rows, 0, 0, 0});
    std::vector<index_t> elements(tiles.size());
    std::vector<index_t> right(tiles.size());
    std::vector<index_t> bottom(tiles.size());
    for (index_t row = 0; row < view.rows; ++row) {
        for (index_t column = 0; column < view.columns; ++column) {
            const owner& o = view.owner_of(row, column);
            const index_t operand = o.reg / view.operand_registers;
            const std::size_t i = at(o.thread / 64 * operands + operand);
            wave_tile& tile = tiles[i];
            if (elements[i]++ == 0) {
                tile = {o.thread / 64, operand * view.operand_registers, row, column, 0, 0};
                right[i] = column;
            }
            tile.column = std::min(tile.column, column);
            right[i] = std::max(right[i], column);
            bottom[i] = row;
        }
    }
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        tiles[i].rows = bottom[i] - tiles[i].row + 1;
        tiles[i].columns = right[i] - tiles[i].column + 1;
        if (tiles[i].rows * tiles[i].columns != elements[i]) {
            throw std::logic_error("the tile of a wave is no rectangle");
        }
    }
    return tiles;
}

inline std::string registers_text(const distribution& view, const wave_tile& tile) {
    return "registers " + std::to_string(tile.first_register) + " to " +
           std::to_string(tile.first_register + view.operand_registers - 1);
}

inline std::string text_of_waves(const distribution& view) {
    std::string result = view.name + ": " + view.description + "\n";
    for (const std::string& line : dimension_lines(view)) {
        result += line + "\n";
    }
    result += "\n";
    for (const wave_tile& tile : wave_tiles(view)) {
        const auto range = [](index_t first, index_t count) {
            return std::to_string(first) + " to " + std::to_string(first + count - 1);
        };
        result += "wave " + std::to_string(tile.wave) + ", " + registers_text(view, tile) + ": " +
                  view.dimensions[0].name + " " + range(tile.row, tile.rows) + ", " +
                  view.dimensions[1].name + " " + range(tile.column, tile.columns) + "\n";
    }
    return result;
}

// The rows of a table of offsets: all dimensions but the last.
inline std::string row_label(const offset_table& table, std::size_t row) {
    indices index;
    for (std::size_t d = table.shape.size() - 1; d-- > 0;) {
        index.insert(index.begin(), static_cast<index_t>(row) % table.shape[d]);
        row /= at(table.shape[d]);
    }
    std::string text;
    for (const index_t i : index) {
        text += (text.empty() ? "" : ",") + std::to_string(i);
    }
    return text;
}

inline std::string text_of(const offset_table& table, bool colours) {
    std::string result = "shape " + tuple_text(table.shape) + ", strides " +
                         tuple_text(table.stride) + ": in each cell the offset\n\n";
    const std::size_t columns = at(table.shape.back());
    const std::size_t rows = table.offsets.size() / columns;
    std::vector<rgb> palette;
    for (std::size_t r = 0; r < rows; ++r) {
        palette.push_back(thread_colour(static_cast<index_t>(r), static_cast<index_t>(rows)));
    }
    text_table text;
    std::vector<text_table::cell> heading{{""}};
    for (std::size_t c = 0; c < columns; ++c) {
        heading.push_back({std::to_string(c)});
    }
    text.add_row(heading);
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<text_table::cell> row{{row_label(table, r)}};
        for (std::size_t c = 0; c < columns; ++c) {
            row.push_back({std::to_string(table.offsets[r * columns + c]), &palette[r]});
        }
        text.add_row(row);
    }
    return result + text.text(colours);
}

// What an access is, for a heading: the instruction, and how the phases are known.
inline std::string access_line(const lds_access& access) {
    return "ds_" + access.rule.operation + " on " + access.rule.arch + ": " +
           std::to_string(access.rule.banks) + " banks, " +
           std::to_string(access.rule.phases.size()) + " phases";
}

inline std::string registers_line(const distribution& view, const lds_access& access) {
    const index_t first = access.number * access.elements;
    std::string text = "access " + std::to_string(access.number) + " of " +
                       std::to_string(access.accesses) + ": registers " + std::to_string(first) +
                       " to " + std::to_string(first + access.elements - 1) + " of each lane, " +
                       std::to_string(view.element_bytes) + " bytes an element";
    if (view.dimensions.size() == 2) {
        text += ", pitch " + std::to_string(view.pitch);
    }
    return text;
}

inline std::string text_of(const distribution& view, const lds_access& access, index_t worst_of_all,
                           bool colours) {
    const lds_rule& rule = access.rule;
    std::string result = view.name + ": " + view.description + "\n";
    result += access_line(access) + "\n";
    result += std::string(certainty_text(rule.certainty)) + "\n";
    result += registers_line(view, access) + "\n\n";

    text_table table;
    table.add_row(
        {{"lane"}, {"phase"}, {"row"}, {"column"}, {"byte"}, {"banks"}, {"dwords in a bank"}});
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        const lane_access& a = access.lanes[at(lane)];
        const index_t first = a.byte / 4;
        std::string banks = std::to_string(access.bank(first));
        if (access.dwords() > 1) {
            banks += "-" + std::to_string(access.bank(first + access.dwords() - 1));
        }
        const bool conflict = a.dwords_in_bank > 1;
        std::vector<text_table::cell> row{
            {std::to_string(lane)},
            {std::to_string(a.phase), &phase_colour(a.phase)},
            {std::to_string(a.row)},
            {std::to_string(a.column)},
            {std::to_string(a.byte)},
            {banks},
            {std::to_string(a.dwords_in_bank), conflict ? &conflict_colour : nullptr}};
        if (conflict) {
            row.push_back({"conflict"});
        }
        table.add_row(row);
    }
    result += table.text(colours) + "\n";
    for (std::size_t phase = 0; phase < rule.phases.size(); ++phase) {
        result += "phase " + std::to_string(phase) + ", lanes " + lanes_text(rule.phases[phase]) +
                  ": " + conflict_text(access.phase_worst[phase]) + "\n";
    }
    result += "this access: " + conflict_text(access.worst) + "\n";
    if (access.accesses > 1) {
        result += "all " + std::to_string(access.accesses) +
                  " accesses: " + conflict_text(worst_of_all) + "\n";
    }
    return result;
}

}  // namespace viewer
