// SPDX-License-Identifier: MIT
//
// svg.hpp: the views as pictures. Plain SVG 1.1 in whole pixels: no style sheet, no script, nothing
// from elsewhere, so that it looks the same in a page, on its own and after conversion.
#pragma once

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "colour.hpp"
#include "lds.hpp"
#include "text.hpp"
#include "views.hpp"

namespace viewer {

class picture {
public:
    static constexpr const char* dark = "#24292f";  // the colour of a text that has no other

    struct text_style {
        int size = 12;
        const char* anchor = "start";
        const char* fill = dark;
        bool bold = false;
    };

    void rect(int x, int y, int w, int h, const std::string& fill, const std::string& stroke = "",
              int stroke_width = 1) {
        body_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
                 std::to_string(w) + "\" height=\"" + std::to_string(h) + "\" fill=\"" + fill +
                 "\"";
        if (!stroke.empty()) {
            body_ += " stroke=\"" + stroke + "\"";
        }
        if (!stroke.empty() && stroke_width != 1) {
            body_ += " stroke-width=\"" + std::to_string(stroke_width) + "\"";
        }
        body_ += "/>\n";
    }
    // Lines from corner to corner of `columns` x `rows` cells of w x h pixels.
    void lines(int x, int y, int w, int h, int columns, int rows, const std::string& stroke) {
        std::string path;
        for (int c = 0; c <= columns; ++c) {
            path += "M" + std::to_string(x + c * w) + " " + std::to_string(y) + "v" +
                    std::to_string(rows * h);
        }
        for (int r = 0; r <= rows; ++r) {
            path += "M" + std::to_string(x) + " " + std::to_string(y + r * h) + "h" +
                    std::to_string(columns * w);
        }
        body_ += "<path d=\"" + path + "\" stroke=\"" + stroke + "\"/>\n";
    }
    // `y` is the middle of the line of text.
    void text(int x, int y, const std::string& content, const text_style& style) {
        body_ += "<text x=\"" + std::to_string(x) + "\" y=\"" +
                 std::to_string(y + style.size * 35 / 100) + "\" font-size=\"" +
                 std::to_string(style.size) + "\"";
        if (std::string(style.fill) != dark) {
            body_ += std::string(" fill=\"") + style.fill + "\"";
        }
        if (std::string(style.anchor) != "start") {
            body_ += std::string(" text-anchor=\"") + style.anchor + "\"";
        }
        if (style.bold) {
            body_ += " font-weight=\"bold\"";
        }
        body_ += ">" + escaped(content) + "</text>\n";
    }

    static std::string colour(const rgb& c) {
        static constexpr char digits[] = "0123456789abcdef";
        std::string result = "#";
        for (const int x : {c.red, c.green, c.blue}) {
            result += {digits[x / 16], digits[x % 16]};
        }
        return result;
    }

    std::string document(int width, int height, const std::string& title) const {
        const std::string size =
            " width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
        return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size + " viewBox=\"0 0 " +
               std::to_string(width) + " " + std::to_string(height) +
               "\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"" + dark +
               "\">\n<title>" + escaped(title) + "</title>\n<rect" + size +
               " fill=\"#ffffff\"/>\n" + body_ + "</svg>\n";
    }

private:
    static std::string escaped(const std::string& text) {
        std::string result;
        for (const char c : text) {
            result += c == '&'   ? "&amp;"
                      : c == '<' ? "&lt;"
                      : c == '>' ? "&gt;"
                                 : std::string(1, c);
        }
        return result;
    }

    std::string body_;
};

namespace detail {

constexpr int margin = 16;
constexpr const char* grey = "#57606a";
constexpr const char* grid_colour = "#8c959f";
constexpr const char* line_colour = "#c4cad0";
constexpr const char* tile_colour = "#eef1f4";
constexpr const char* conflict_line = "#d1242f";
constexpr const char* highlight_colour = "#0b1f33";
constexpr picture::text_style title_style{17, "start", picture::dark, true};
constexpr picture::text_style line_style{12, "start", grey, false};
constexpr picture::text_style name_style{12, "start", picture::dark, true};

// The maximum width of a text in pixels: that in DejaVu Sans or Verdana, which are wider than most
// fonts of browsers and readers.
inline int text_width(const std::string& text, int size, bool bold = false) {
    const auto one_of = [](char c, const char* all) { return std::strchr(all, c) != nullptr; };
    int width = 0;  // in hundredths of the size
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool dash = text.compare(i, 3, "\u2013") == 0;
        if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) {
            continue;  // behind the first byte of a character
        }
        width += dash                                 ? 50
                 : one_of(c, " .,:;|'!ijl()[]I/-frt") ? 42
                 : one_of(c, "mwMWOQ%+*=<>_&@")       ? 98
                 : c >= ' ' && (c < 'A' || c > 'Z')   ? 64
                                                      : 84;  // capitals, arrows
    }
    return (width * size * (bold ? 110 : 100) + 9999) / 10000;
}
inline int text_width(const std::string& text, const picture::text_style& style) {
    return text_width(text, style.size, style.bold);
}

// The text in lines of at most this width, broken at blanks.
inline std::vector<std::string> wrapped(const std::string& text, const picture::text_style& style,
                                        int width) {
    std::vector<std::string> lines;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.empty() && text_width(lines.back() + " " + word, style) <= width) {
            lines.back() += " " + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

// Draws a paragraph whose first line is centred at y. `right` becomes the end of the widest line so
// far. @return y of the next line
inline int paragraph(picture& p, int x, int y, int& right, const std::string& text,
                     const picture::text_style& style, int width) {
    for (const std::string& line : wrapped(text, style, width)) {
        p.text(x, y, line, style);
        right = std::max(right, x + text_width(line, style));
        y += style.size * 3 / 2;
    }
    return y;
}

// The smallest width of texts, and their width in a wide picture.
constexpr int least_text = 520;
inline int text_space(int left, int grid_right) {
    return std::max(least_text, grid_right - left);
}

// Draws the title and the lines below it. @return where they end
inline int heading(picture& p, int& right, int width, const std::string& title,
                   const std::vector<std::string>& lines) {
    int y = paragraph(p, margin, margin + 10, right, title, title_style, width);
    for (const std::string& line : lines) {
        y = paragraph(p, margin, y, right, line, line_style, width);
    }
    return y + 4;
}

// The distance between numbered rows or columns of `size` pixels.
inline int label_step(int size, int needed) {
    int step = 1;
    while (step * size < needed) {
        step *= 2;
    }
    return step;
}

struct grid {
    int left;
    int top;
    int cell_width;
    int cell_height;
    int columns;
    int rows;

    int x(int column) const { return left + column * cell_width; }
    int y(int row) const { return top + row * cell_height; }
    int right() const { return x(columns); }
    int bottom() const { return y(rows); }
};

// The labels of rows end where the grid begins, less this.
constexpr int label_gap = 6;
inline int label_space(const std::string& name, const std::string& longest) {
    return std::max(text_width(name, name_style), text_width(longest, 10)) + label_gap + 2;
}

constexpr int above_grid = 36;  // for the labels of columns

inline void column_labels(picture& p, const grid& g, const std::string& name) {
    const int step = label_step(g.cell_width, text_width(std::to_string(g.columns - 1), 10) + 5);
    for (int c = 0; c < g.columns; c += step) {
        p.text(g.x(c) + g.cell_width / 2, g.top - 9, std::to_string(c),
               {10, "middle", grey, false});
    }
    p.text(g.left, g.top - 26, name, name_style);
}
inline void row_heading(picture& p, const grid& g, const std::string& name) {
    p.text(g.left - label_gap, g.top - 9, name, {12, "end", picture::dark, true});
}
template <class Label>
void row_labels(picture& p, const grid& g, const std::string& name, Label label) {
    const int step = label_step(g.cell_height, 12);
    for (int r = 0; r < g.rows; r += step) {
        p.text(g.left - label_gap, g.y(r) + g.cell_height / 2, label(r), {10, "end", grey, false});
    }
    row_heading(p, g, name);
}

inline std::string registers_of(const run& r) {
    return range_text(r.first.reg, r.length, "\u2013");
}

}  // namespace detail

// @param thread whose elements get an outline
inline std::string svg_of(const distribution& view, index_t thread) {
    using namespace detail;
    const std::vector<run> across = runs_of(view, false);
    const std::vector<run> below = runs_of(view, true);
    const bool down = below.size() < across.size();
    const std::vector<run>& runs = down ? below : across;

    // A cell is large enough for the texts of the shortest run.
    const std::string most = std::to_string(view.threads - 1);
    const std::string last = std::to_string(view.registers - 1);
    const int shortest = std::min_element(runs.begin(), runs.end(), [](const run& a, const run& b) {
                             return a.length < b.length;
                         })->length;
    const int number_width = text_width(most, 11, true);
    const int registers_width = text_width(shortest == 1 ? last : last + "\u2013" + last, 10);
    const bool two_lines = down;
    int cell_width = 0;
    int cell_height = 18;
    if (two_lines) {
        cell_width = std::max({22, registers_width + 4, number_width + 4});
        cell_height = std::max(12, (34 + shortest - 1) / shortest);
    } else {
        const int needed = number_width + text_width(": ", 10) + registers_width + 8;
        cell_width = std::max(view.columns > 64 ? 7 : 18, (needed + shortest - 1) / shortest);
    }

    picture p;
    std::vector<std::string> lines = dimension_lines(view);
    lines.push_back(holders_line(view));
    const bool one_row = view.dimensions.size() == 1;
    const std::string rows = one_row ? "" : rows_name(view) + " \u2193";
    const int left = margin + label_space(rows, row_name(view, view.rows - 1));
    grid g{left, 0, cell_width, cell_height, view.columns, view.rows};
    int right = g.right();
    g.top = heading(p, right, text_space(margin, g.right()), view.name + ": " + view.description,
                    lines) +
            above_grid;

    const auto box = [&](const run& r, auto draw) {
        draw(g.x(r.column), g.y(r.row), g.cell_width * (down ? 1 : r.length),
             g.cell_height * (down ? r.length : 1));
    };
    for (const run& r : runs) {
        box(r, [&](int x, int y, int w, int h) {
            p.rect(x, y, w, h, picture::colour(thread_colour(r.first.thread, view.threads)),
                   grid_colour);
            const std::string number = std::to_string(r.first.thread);
            if (two_lines) {
                p.text(x + w / 2, y + h / 2 - 7, number, {11, "middle", picture::dark, true});
                p.text(x + w / 2, y + h / 2 + 7, registers_of(r),
                       {10, "middle", picture::dark, false});
            } else {
                // The two texts together are centred.
                const int middle =
                    x + (w + number_width - registers_width - text_width(": ", 10)) / 2;
                p.text(middle, y + h / 2, number, {11, "end", picture::dark, true});
                p.text(middle + 1, y + h / 2, ": " + registers_of(r),
                       {10, "start", picture::dark, false});
            }
        });
    }
    for (const run& r : runs) {
        if (r.first.thread == thread) {
            box(r, [&](int x, int y, int w, int h) {
                p.rect(x, y, w, h, "none", highlight_colour, 3);
            });
        }
    }
    column_labels(p, g, view.dimensions.back().name + " \u2192");
    row_labels(p, g, rows, [&](int r) { return one_row ? "" : row_name(view, r); });

    // Legend: the colours of the threads, and what a box means.
    int y = g.bottom() + 24;
    int x = g.left;
    const std::string none = "threads 0";
    p.text(x, y, none, {12, "start", picture::dark, false});
    x += text_width(none, 12) + 6;
    const int swatches = std::min(view.threads, 32);
    for (int i = 0; i < swatches; ++i) {
        const index_t t = i * view.threads / swatches;
        p.rect(x + i * 5, y - 7, 5, 14, picture::colour(thread_colour(t, view.threads)));
    }
    x += swatches * 5 + 6;
    p.text(x, y, most, {12, "start", picture::dark, false});
    right = std::max(right, x + text_width(most, 12));
    y = paragraph(p, g.left, y + 20, right,
                  std::string("a box: a thread, and") + (two_lines ? " below it" : "") +
                      " which elements of its vector (registers) this is",
                  line_style, text_space(g.left, g.right()));
    y += 2;
    p.rect(g.left + 1, y - 7, 18, 14, "none", highlight_colour, 3);
    const std::string outlined = "all that thread " + std::to_string(thread) + " holds";
    p.text(g.left + 28, y, outlined, line_style);
    right = std::max(right, g.left + 28 + text_width(outlined, line_style));
    return p.document(right + margin, y + margin + 6, view.name + ": " + view.description);
}

// A box for the operand of each instruction of each wave.
// @pre view.operand_registers > 0
inline std::string svg_of_waves(const distribution& view) {
    using namespace detail;
    const std::vector<wave_tile> tiles = wave_tiles(view);
    const picture::text_style wave_style{13, "middle", picture::dark, true};
    const picture::text_style registers_style{12, "middle", picture::dark, false};
    const picture::text_style label_style{10, "middle", grey, false};
    int cell_width = 0;
    int cell_height = 0;
    for (const wave_tile& tile : tiles) {
        const int needed = std::max({text_width(registers_text(view, tile), registers_style),
                                     text_width("wave " + std::to_string(tile.wave), wave_style)}) +
                           16;
        cell_width = std::max(cell_width, (needed + tile.columns - 1) / tile.columns);
        cell_height = std::max(cell_height, (56 + tile.rows - 1) / tile.rows);
    }
    const auto range = [](index_t first, index_t count) {
        return range_text(first, count, "\u2013");
    };

    picture p;
    const std::string rows = view.dimensions[0].name + " \u2193";
    grid g{margin + label_space(rows, range(view.rows, view.rows)),
           0,
           cell_width,
           cell_height,
           view.columns,
           view.rows};
    int right = g.right();
    g.top = heading(p, right, text_space(margin, g.right()), view.name + ": " + view.description,
                    dimension_lines(view)) +
            above_grid;
    for (const wave_tile& tile : tiles) {
        const int x = g.x(tile.column);
        const int y = g.y(tile.row);
        const int w = tile.columns * g.cell_width;
        const int h = tile.rows * g.cell_height;
        p.rect(x, y, w, h, picture::colour(thread_colour(tile.wave * 64, view.threads)),
               grid_colour);
        p.text(x + w / 2, y + h / 2 - 9, "wave " + std::to_string(tile.wave), wave_style);
        p.text(x + w / 2, y + h / 2 + 9, registers_text(view, tile), registers_style);
        if (tile.row == 0) {
            p.text(x + w / 2, g.top - 9, range(tile.column, tile.columns), label_style);
        }
        if (tile.column == 0) {
            p.text(g.left - label_gap, y + h / 2, range(tile.row, tile.rows),
                   {10, "end", grey, false});
        }
    }
    p.text(g.left, g.top - 26, view.dimensions[1].name + " \u2192", name_style);
    row_heading(p, g, rows);
    const int end = paragraph(p, g.left, g.bottom() + 24, right,
                              "a box: the operand of one instruction, in all lanes of a wave",
                              line_style, text_space(g.left, g.right()));
    return p.document(right + margin, end - line_style.size * 3 / 2 + margin + 6,
                      view.name + ": " + view.description);
}

inline std::string svg_of(const offset_table& table) {
    using namespace detail;
    const int columns = table.shape.back();
    const int rows = static_cast<int>(table.offsets.size()) / columns;
    const index_t largest = *std::max_element(table.offsets.begin(), table.offsets.end());
    picture p;
    const std::string title = shape_text(table);
    grid g{margin + label_space("", row_label(table, at(rows) - 1)),
           0,
           std::max(22, text_width(std::to_string(largest), 11) + 6),
           18,
           columns,
           rows};
    int right = std::max(g.right(), g.left + text_width("last index \u2192", name_style));
    g.top = heading(p, right, text_space(margin, g.right()), title,
                    {"in each cell the offset of its element"}) +
            above_grid;
    for (int r = 0; r < rows; ++r) {
        const std::string fill = picture::colour(thread_colour(r, rows));
        for (int c = 0; c < columns; ++c) {
            p.rect(g.x(c), g.y(r), g.cell_width, g.cell_height, fill, grid_colour);
            p.text(g.x(c) + g.cell_width / 2, g.y(r) + g.cell_height / 2,
                   std::to_string(table.offsets[at(r * columns + c)]),
                   {11, "middle", picture::dark, false});
        }
    }
    column_labels(p, g, "last index \u2192");
    row_labels(p, g, "", [&](int r) { return row_label(table, at(r)); });
    return p.document(right + margin, g.bottom() + margin, title);
}

// LDS as a table with a bank in each column. Cells of one column and one colour conflict. Rows that
// this access does not use are left out.
inline std::string svg_of(const distribution& view, const lds_access& access) {
    using namespace detail;
    const lds_rule& rule = access.rule;
    const int banks = rule.banks;

    // The dwords of the tile, and the lanes that access them.
    std::set<index_t> of_tile;
    for (const index_t offset : view.offsets) {
        of_tile.insert(offset * view.element_bits / 32);
        of_tile.insert(((offset + 1) * view.element_bits - 1) / 32);
    }
    const index_t all_rows = *of_tile.rbegin() / banks + 1;
    std::vector<indices> wanted(at(all_rows * banks));
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        for (index_t i = 0; i < access.dwords(); ++i) {
            wanted[at(access.lanes[at(lane)].byte / 4 + i)].push_back(lane);
        }
    }
    indices rows;
    for (index_t r = 0; r < all_rows; ++r) {
        const auto begin = wanted.begin() + r * banks;
        if (std::any_of(begin, begin + banks, [](const indices& l) { return !l.empty(); })) {
            rows.push_back(r);
        }
    }

    // Equal neighbours in a row become one box: f(row, first bank, how many).
    const auto each_box = [&](auto alike, auto f) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const index_t begin = rows[r] * banks;
            for (index_t first = 0; first < banks;) {
                index_t end = first + 1;
                while (end < banks && alike(begin + first, begin + end)) {
                    ++end;
                }
                f(static_cast<int>(r), first, end - first);
                first = end;
            }
        }
    };
    const auto same_lanes = [&](index_t a, index_t b) { return wanted[at(a)] == wanted[at(b)]; };
    const auto lanes_of = [&](int row, index_t bank) -> const indices& {
        return wanted[at(rows[at(row)] * banks + bank)];
    };
    const auto lane_text = [](const indices& lanes) {
        return std::to_string(lanes[0]) + (lanes.size() > 1 ? "+" : "");
    };
    constexpr int lane_size = 10;
    int cell_width = banks == 64 ? 13 : 18;
    each_box(same_lanes, [&](int row, index_t bank, index_t count) {
        if (!lanes_of(row, bank).empty()) {
            const int needed = text_width(lane_text(lanes_of(row, bank)), lane_size, true) + 6;
            cell_width = std::max(cell_width, (needed + count - 1) / count);
        }
    });

    picture p;
    grid g{margin + label_space("byte \u2193", std::to_string(all_rows * banks * 4)),
           0,
           cell_width,
           18,
           banks,
           static_cast<int>(rows.size())};
    int right = g.right();
    std::vector<std::string> lines{
        access_line(access) + ". " + certainty_text(rule.certainty) + ".",
        registers_line(view, access)};
    if (rule.transposes != 0) {
        lines.push_back("a box is the lane that points there; 16 lanes get each other's");
    }
    const int heading_end = heading(p, right, text_space(margin, g.right()),
                                    view.name + ": " + view.description, lines);
    const bool conflict = access.worst > 1;
    const picture::text_style result_style{13, "start", conflict ? "#b42318" : "#1a7f37", true};
    p.text(margin, heading_end + 2, conflict_text(access.worst), result_style);
    right = std::max(right, margin + text_width(conflict_text(access.worst), result_style));
    g.top = heading_end + 16 + above_grid;

    const auto in_tile = [&](index_t dword) { return of_tile.count(dword) != 0; };
    each_box([&](index_t a, index_t b) { return in_tile(a) == in_tile(b); },
             [&](int row, index_t bank, index_t count) {
                 if (in_tile(rows[at(row)] * banks + bank)) {
                     p.rect(g.x(bank), g.y(row), count * g.cell_width, g.cell_height, tile_colour);
                 }
             });
    p.lines(g.left, g.top, g.cell_width, g.cell_height, banks, g.rows, line_colour);
    each_box(same_lanes, [&](int row, index_t bank, index_t count) {
        const indices& lanes = lanes_of(row, bank);
        if (lanes.empty()) {
            return;
        }
        const bool bad = std::any_of(lanes.begin(), lanes.end(), [&](index_t lane) {
            return access.lanes[at(lane)].dwords_in_bank > 1;
        });
        const int w = count * g.cell_width;
        p.rect(g.x(bank) + 1, g.y(row) + 1, w - 2, g.cell_height - 2,
               picture::colour(phase_colour(access.lanes[at(lanes[0])].phase)),
               bad ? conflict_line : grid_colour, bad ? 2 : 1);
        p.text(g.x(bank) + w / 2, g.y(row) + g.cell_height / 2, lane_text(lanes),
               {lane_size, "middle", picture::dark, bad});
    });
    column_labels(p, g, "bank \u2192");
    row_labels(p, g, "byte \u2193", [&](int r) { return std::to_string(rows[at(r)] * banks * 4); });

    // Legend: the phases, with their lanes and what they do; then the other cells.
    int y = g.bottom() + 26;
    const auto swatch = [&](const std::string& fill, const std::string& stroke, int stroke_width,
                            const std::string& text) {
        p.rect(g.left, y - 7, 20, 14, fill, stroke, stroke_width);
        y = paragraph(p, g.left + 28, y, right, text, line_style,
                      text_space(g.left + 28, g.right())) +
            2;
    };
    for (std::size_t phase = 0; phase < rule.phases.size(); ++phase) {
        swatch(picture::colour(phase_colour(static_cast<index_t>(phase))), line_colour, 1,
               "phase " + std::to_string(phase) + ": lanes " + lanes_text(rule.phases[phase]) +
                   "; " + conflict_text(access.phase_worst[phase]));
    }
    if (conflict) {
        swatch("#ffffff", conflict_line, 2,
               "conflict: other dwords of one of its banks in the same phase");
    }
    swatch(tile_colour, line_colour, 1,
           "the rest of the tile; in a box: the lane that moves these dwords");
    const bool shared = std::any_of(wanted.begin(), wanted.end(),
                                    [](const indices& lanes) { return lanes.size() > 1; });
    if (shared) {
        swatch("#ffffff", "#ffffff", 1, "+: further lanes move the same dwords");
    }
    bool padding = false;
    for (const index_t r : rows) {
        for (index_t bank = 0; bank < banks; ++bank) {
            padding = padding || !in_tile(r * banks + bank);
        }
    }
    if (padding) {
        swatch("#ffffff", line_colour, 1, "padding, and what is behind the tile");
    }
    if (g.rows < all_rows) {
        y = paragraph(
            p, g.left, y, right,
            "Of the " + std::to_string(all_rows) + " rows those are shown that this access hits.",
            line_style, text_space(g.left, g.right()));
    }
    return p.document(right + margin, y + margin - 10, view.name + ": " + view.description);
}

}  // namespace viewer
