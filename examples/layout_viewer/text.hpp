// SPDX-License-Identifier: MIT
//
// text.hpp: the views as tables for a terminal. Each is one string, so that nothing is printed if a
// view cannot be shown.
#pragma once

#include <algorithm>
#include <numeric>
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
    const std::string also = " + " + std::to_string(view.copy_stride) + "*i";
    return "thread = " + sum_text(view.thread_stride, "p") +
           (view.copies == 1 ? "" : also + " for any i below " + std::to_string(view.copies)) +
           ", register = " + sum_text(view.register_stride, "y");
}

inline std::string padded(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// Characters of a line, except in the tables of --full.
constexpr std::size_t line_width = 100;

// Lines of at most line_width, cut at blanks; all but the first begin with four blanks.
inline std::string folded(const std::string& text) {
    std::string result;
    std::size_t begin = 0;
    std::string indent;
    while (text.size() - begin + indent.size() > line_width) {
        const std::size_t end = text.rfind(' ', begin + line_width - indent.size());
        if (end == std::string::npos || end <= begin) {
            break;
        }
        result += indent + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
        indent = "    ";
    }
    return result + indent + text.substr(begin) + "\n";
}

// A table with a blank between its columns. The first column has the labels of the rows.
class text_table {
public:
    struct cell {
        std::string text;
        const rgb* background = nullptr;
    };

    void add_row(std::vector<cell> row) { rows_.push_back(std::move(row)); }

    // Columns as wide as their widest cell.
    std::string text(bool colours) const {
        std::string result;
        append(result, colours, widths(), 1, columns());
        return result;
    }
    // The same. If that is wider than line_width, columns of equal width, continued below so that
    // they fit.
    std::string folded_text(bool colours) const {
        std::vector<std::size_t> w = widths();
        std::size_t all = w.size() - 1;
        for (const std::size_t width : w) {
            all += width;
        }
        if (all <= line_width) {
            return text(colours);
        }
        const std::size_t widest = *std::max_element(w.begin() + 1, w.end());
        std::fill(w.begin() + 1, w.end(), widest);
        std::size_t count = 1;
        while (w[0] + 2 * count * (widest + 1) <= line_width) {
            count *= 2;
        }
        std::string result;
        for (std::size_t first = 1; first < w.size(); first += count) {
            result += first == 1 ? "" : "\n";
            append(result, colours, w, first, std::min(first + count, w.size()));
        }
        return result;
    }

private:
    std::size_t columns() const {
        std::size_t result = 0;
        for (const auto& row : rows_) {
            result = std::max(result, row.size());
        }
        return result;
    }
    std::vector<std::size_t> widths() const {
        std::vector<std::size_t> result(columns());
        for (const auto& row : rows_) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                result[c] = std::max(result[c], row[c].text.size());
            }
        }
        return result;
    }
    // The labels and the columns first ... last - 1.
    void append(std::string& result, bool colours, const std::vector<std::size_t>& widths,
                std::size_t first, std::size_t last) const {
        for (const auto& row : rows_) {
            result += padded(row[0].text, widths[0]);
            for (std::size_t c = first; c < std::min(last, row.size()); ++c) {
                const std::string cell = padded(row[c].text, widths[c]);
                result += " ";
                result += colours && row[c].background != nullptr
                              ? terminal_colour(*row[c].background) + cell + "\033[0m"
                              : cell;
            }
            result += "\n";
        }
    }

    std::vector<std::vector<cell>> rows_;
};

// 7 or 4-7
inline std::string range_text(index_t first, index_t count, const char* dash) {
    return std::to_string(first) + (count == 1 ? "" : dash + std::to_string(first + count - 1));
}

// Consecutive registers of one thread, side by side or one below the other.
struct run {
    int row;
    int column;
    int length;
    owner first;
};

inline std::vector<run> runs_of(const distribution& view, bool down) {
    std::vector<run> runs;
    const index_t outer = down ? view.columns : view.rows;
    const index_t inner = down ? view.rows : view.columns;
    for (index_t o = 0; o < outer; ++o) {
        for (index_t i = 0; i < inner; ++i) {
            const owner& here = down ? view.owner_of(i, o) : view.owner_of(o, i);
            if (i > 0 && runs.back().first.thread == here.thread &&
                runs.back().first.reg + runs.back().length == here.reg) {
                ++runs.back().length;
            } else {
                runs.push_back({down ? i : o, down ? o : i, 1, here});
            }
        }
    }
    return runs;
}

// The name of a row of a view: its number, or block,row if there are several blocks.
inline std::string row_name(const distribution& view, index_t row) {
    if (view.dimensions.size() < 3) {
        return std::to_string(row);
    }
    const index_t rows = product(view.dimensions[1].extents());
    return std::to_string(row / rows) + "," + std::to_string(row % rows);
}
inline std::string rows_name(const distribution& view) {
    return view.dimensions.size() < 3 ? view.dimensions[0].name
                                      : view.dimensions[0].name + "," + view.dimensions[1].name;
}

// 0-3 or 1,0-3
inline std::string rows_text(const distribution& view, index_t first, index_t count) {
    std::string text = row_name(view, first);
    if (count > 1) {
        const std::string last = row_name(view, first + count - 1);
        const std::size_t comma = last.find(',');
        text += "-" + (comma == std::string::npos ? last : last.substr(comma + 1));
    }
    return text;
}

// @param full whether every element has a cell of its own, however wide that is
inline std::string text_of(const distribution& view, index_t thread, bool full, bool colours) {
    std::string result = folded(view.name + ": " + view.description);
    for (const std::string& line : dimension_lines(view)) {
        result += folded(line);
    }
    result += folded(holders_line(view));
    result += folded(std::to_string(view.rows) + " x " + std::to_string(view.columns) +
                     " elements" + (view.memory.empty() ? "" : ", " + view.memory) +
                     "; in each cell thread:register" + (full ? "" : "s")) +
              "\n";

    // A cell has this many elements, which divides the length of each run.
    index_t across = 0;
    index_t down = 0;
    for (const run& r : runs_of(view, false)) {
        across = std::gcd(across, r.length);
    }
    for (const run& r : runs_of(view, true)) {
        down = std::gcd(down, r.length);
    }
    (across >= down ? down : across) = 1;
    if (full) {
        across = 1;
        down = 1;
    }
    const index_t length = across * down;

    std::vector<rgb> palette;
    for (index_t t = 0; t < view.threads; ++t) {
        palette.push_back(thread_colour(t, view.threads));
    }
    text_table table;
    std::vector<text_table::cell> heading{{""}};
    for (index_t c = 0; c < view.columns; c += across) {
        heading.push_back({range_text(c, across, "-")});
    }
    table.add_row(heading);
    for (index_t r = 0; r < view.rows; r += down) {
        std::vector<text_table::cell> row{{rows_text(view, r, down)}};
        for (index_t c = 0; c < view.columns; c += across) {
            const owner& o = view.owner_of(r, c);
            row.push_back({std::to_string(o.thread) + ":" + range_text(o.reg, length, "-"),
                           &palette[at(o.thread)]});
        }
        table.add_row(row);
    }
    result += full ? table.text(colours) : table.folded_text(colours);

    std::string offsets = "thread " + std::to_string(thread) + ", offsets of its registers:";
    for (index_t r = 0; r < view.registers;) {
        const auto offset = [&](index_t i) {
            return view.offsets[at(thread * view.registers + i)];
        };
        index_t count = 1;
        while (!full && r + count < view.registers && offset(r + count) == offset(r) + count) {
            ++count;
        }
        offsets += " " + range_text(offset(r), count, "-");
        r += count;
    }
    return result + "\n" + (full ? offsets + "\n" : folded(offsets));
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

// registers 4 to 7
inline std::string registers_text(index_t first, index_t count) {
    return (count == 1 ? "register " : "registers ") + std::to_string(first) +
           (count == 1 ? "" : " to " + std::to_string(first + count - 1));
}
inline std::string registers_text(const distribution& view, const wave_tile& tile) {
    return registers_text(tile.first_register, view.operand_registers);
}

inline std::string text_of_waves(const distribution& view) {
    std::string result = folded(view.name + ": " + view.description);
    for (const std::string& line : dimension_lines(view)) {
        result += folded(line);
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

inline std::string shape_text(const offset_table& table) {
    return "shape " + tuple_text(table.shape) + ", strides " + tuple_text(table.stride) +
           (table.swizzle.bits == 0 ? "" : ", " + table.swizzle.name());
}

inline std::string text_of(const offset_table& table, bool full, bool colours) {
    std::string result = folded(shape_text(table) + ": in each cell the offset") + "\n";
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
    return result + (full ? text.text(colours) : text.folded_text(colours));
}

// An access, for a heading: the instruction, and the source of its phases.
inline std::string access_line(const lds_access& access) {
    return "ds_" + access.rule.operation + " on " + access.rule.arch + ": " +
           std::to_string(access.rule.banks) + " banks, " +
           std::to_string(access.rule.phases.size()) + " phases";
}

inline std::string registers_line(const distribution& view, const lds_access& access) {
    const index_t first = access.number * access.elements;
    return "access " + std::to_string(access.number) + " of " + std::to_string(access.accesses) +
           ": " + registers_text(first, access.elements) + " of each lane, " +
           std::to_string(view.element_bits) + " bits an element" +
           (view.memory.empty() ? "" : ", " + view.memory);
}

constexpr const char* transposed_line =
    "row and column are those that a lane points to; 16 lanes get each other's";

inline std::string text_of(const distribution& view, const lds_access& access, index_t worst_of_all,
                           bool colours) {
    const lds_rule& rule = access.rule;
    std::string result = folded(view.name + ": " + view.description);
    result += access_line(access) + "\n";
    result += std::string(certainty_text(rule.certainty)) + "\n";
    result += folded(registers_line(view, access));
    if (rule.transposes != 0) {
        result += std::string(transposed_line) + "\n";
    }
    result += "\n";

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
