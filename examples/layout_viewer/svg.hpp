// SPDX-License-Identifier: MIT
//
// svg.hpp: the views as pictures. Plain SVG 1.1 in whole pixels: no style sheet, no script, nothing
// from elsewhere, so that it looks the same in a page, on its own and after conversion.
#pragma once

#include <algorithm>
#include <set>
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

// About how wide a text is in pixels, on the safe side for digits.
inline int text_width(const std::string& text, int size) {
    return static_cast<int>(text.size()) * size * 56 / 100;
}

// The title and lines below it; returns where they end.
inline int heading(picture& p, int& width, const std::string& title,
                   const std::vector<std::string>& lines) {
    int y = margin + 10;
    p.text(margin, y, title, title_style);
    width = std::max(width, 2 * margin + text_width(title, title_style.size));
    y += 24;
    for (const std::string& line : lines) {
        p.text(margin, y, line, line_style);
        width = std::max(width, 2 * margin + text_width(line, line_style.size));
        y += 18;
    }
    return y + 4;
}

// Every how many rows or columns of `size` pixels get a number.
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

inline void column_labels(picture& p, const grid& g, const std::string& name) {
    const int step = label_step(g.cell_width, text_width(std::to_string(g.columns - 1), 10) + 6);
    for (int c = 0; c < g.columns; c += step) {
        p.text(g.x(c) + g.cell_width / 2, g.top - 9, std::to_string(c),
               {10, "middle", grey, false});
    }
    p.text(g.left, g.top - 26, name, {12, "start", picture::dark, true});
}
template <class Label>
void row_labels(picture& p, const grid& g, const std::string& name, Label label) {
    const int step = label_step(g.cell_height, 14);
    for (int r = 0; r < g.rows; r += step) {
        p.text(g.left - 6, g.y(r) + g.cell_height / 2, label(r), {10, "end", grey, false});
    }
    p.text(g.left - 6, g.top - 9, name, {12, "end", picture::dark, true});
}

// A vector of registers of one thread, side by side or one below the other.
struct run {
    int row;
    int column;
    int length;
    owner first;

    std::string registers() const {
        const std::string from = std::to_string(first.reg);
        return length == 1 ? from : from + "\u2013" + std::to_string(first.reg + length - 1);
    }
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

}  // namespace detail

// @param thread whose elements get an outline
inline std::string svg_of(const distribution& view, index_t thread) {
    using namespace detail;
    const std::vector<run> across = runs_of(view, false);
    const std::vector<run> below = runs_of(view, true);
    const bool down = below.size() < across.size();
    const std::vector<run>& runs = down ? below : across;

    // The cell is as large as the texts of the shortest run need.
    const std::string most = std::to_string(view.threads - 1);
    const std::string last = std::to_string(view.registers - 1);
    const int shortest = std::min_element(runs.begin(), runs.end(), [](const run& a, const run& b) {
                             return a.length < b.length;
                         })->length;
    const int registers_width = text_width(shortest == 1 ? last : last + "-" + last, 10) + 6;
    const bool two_lines = down;
    const int least_width = view.columns > 64 ? 7 : 18;
    int cell_width = least_width;
    int cell_height = 18;
    if (two_lines) {
        cell_width = std::max({22, registers_width, text_width(most, 11) + 6});
        cell_height = std::max(12, (34 + shortest - 1) / shortest);
    } else {
        const int needed = text_width(most + ": ", 11) + registers_width + 2;
        cell_width = std::max(least_width, (needed + shortest - 1) / shortest);
    }

    picture p;
    std::vector<std::string> lines = dimension_lines(view);
    lines.push_back(holders_line(view));
    int width = 0;
    const int heading_end = heading(p, width, view.name + ": " + view.description, lines);
    const grid g{margin + 36, heading_end + 36, cell_width, cell_height, view.columns, view.rows};

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
                p.text(x + w / 2, y + h / 2 + 7, r.registers(),
                       {10, "middle", picture::dark, false});
            } else {
                const int middle = x + (w - registers_width + text_width(number + ":", 11)) / 2;
                p.text(middle, y + h / 2, number, {11, "end", picture::dark, true});
                p.text(middle + 1, y + h / 2, ": " + r.registers(),
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
    const bool one_row = view.dimensions.size() == 1;
    column_labels(p, g, view.dimensions.back().name + " \u2192");
    row_labels(p, g, one_row ? "" : view.dimensions[0].name + " \u2193",
               [&](int r) { return one_row ? "" : std::to_string(r); });

    // Legend: the colours of the threads, and what a box means.
    int y = g.bottom() + 24;
    int x = g.left;
    p.text(x, y, "threads 0", {12, "start", picture::dark, false});
    x += 58;
    const int swatches = std::min(view.threads, 32);
    for (int i = 0; i < swatches; ++i) {
        const index_t t = i * view.threads / swatches;
        p.rect(x + i * 5, y - 7, 5, 14, picture::colour(thread_colour(t, view.threads)));
    }
    x += swatches * 5 + 6;
    p.text(x, y, most, {12, "start", picture::dark, false});
    y += 20;
    const std::string meaning = std::string("a box: a thread, and") +
                                (two_lines ? " below it" : "") +
                                " which elements of its vector (registers) this is";
    p.text(g.left, y, meaning, line_style);
    width = std::max(width, g.left + text_width(meaning, line_style.size) + margin);
    y += 20;
    p.rect(g.left + 1, y - 7, 18, 14, "none", highlight_colour, 3);
    p.text(g.left + 28, y, "all that thread " + std::to_string(thread) + " holds", line_style);
    return p.document(std::max(width, g.right() + margin), y + margin + 6,
                      view.name + ": " + view.description);
}

// A box for the operand of each instruction of each wave.
// @pre view.operand_registers > 0
inline std::string svg_of_waves(const distribution& view) {
    using namespace detail;
    picture p;
    int width = 0;
    const int heading_end =
        heading(p, width, view.name + ": " + view.description, dimension_lines(view));
    const grid g{
        margin + 36,  heading_end + 36, view.columns < 32 ? 16 : 12, view.rows < 32 ? 16 : 6,
        view.columns, view.rows};
    for (const wave_tile& tile : wave_tiles(view)) {
        const int x = g.x(tile.column);
        const int y = g.y(tile.row);
        const int w = tile.columns * g.cell_width;
        const int h = tile.rows * g.cell_height;
        p.rect(x, y, w, h, picture::colour(thread_colour(tile.wave * 64, view.threads)),
               grid_colour);
        p.text(x + w / 2, y + h / 2 - 9, "wave " + std::to_string(tile.wave),
               {13, "middle", picture::dark, true});
        p.text(x + w / 2, y + h / 2 + 9, registers_text(view, tile),
               {12, "middle", picture::dark, false});
    }
    column_labels(p, g, view.dimensions[1].name + " \u2192");
    row_labels(p, g, view.dimensions[0].name + " \u2193", [](int r) { return std::to_string(r); });
    const std::string meaning = "a box: the operand of one instruction, in all lanes of a wave";
    p.text(g.left, g.bottom() + 24, meaning, line_style);
    width = std::max(width, g.left + text_width(meaning, line_style.size) + margin);
    return p.document(std::max(width, g.right() + margin), g.bottom() + 24 + margin + 6,
                      view.name + ": " + view.description);
}

inline std::string svg_of(const offset_table& table) {
    using namespace detail;
    const int columns = table.shape.back();
    const int rows = static_cast<int>(table.offsets.size()) / columns;
    const index_t largest = *std::max_element(table.offsets.begin(), table.offsets.end());
    picture p;
    int width = 0;
    const std::string title =
        "shape " + tuple_text(table.shape) + ", strides " + tuple_text(table.stride);
    const int heading_end = heading(p, width, title, {"in each cell the offset of its element"});
    const int label_width = text_width(row_label(table, at(rows) - 1), 10) + 8;
    const grid g{margin + std::max(36, label_width),
                 heading_end + 36,
                 std::max(22, text_width(std::to_string(largest), 11) + 6),
                 18,
                 columns,
                 rows};
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
    return p.document(std::max(width, g.right() + margin), g.bottom() + margin, title);
}

// LDS as a table with a bank in each column: what is in one column and has one colour conflicts.
inline std::string svg_of(const distribution& view, const lds_access& access) {
    using namespace detail;
    const lds_rule& rule = access.rule;
    const int banks = rule.banks;

    // Which dwords the tile has, and which lanes want them in this access.
    const index_t last_byte =
        (*std::max_element(view.offsets.begin(), view.offsets.end()) + 1) * view.element_bytes - 1;
    const int rows = last_byte / 4 / banks + 1;
    std::set<index_t> of_tile;
    for (const index_t offset : view.offsets) {
        of_tile.insert(offset * view.element_bytes / 4);
        of_tile.insert(((offset + 1) * view.element_bytes - 1) / 4);
    }
    std::vector<indices> wanted(at(rows * banks));
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        for (index_t i = 0; i < access.dwords(); ++i) {
            wanted[at(access.lanes[at(lane)].byte / 4 + i)].push_back(lane);
        }
    }

    picture p;
    int width = 0;
    const int heading_end =
        heading(p, width, view.name + ": " + view.description,
                {access_line(access) + ". " + certainty_text(rule.certainty) + ".",
                 registers_line(view, access)});
    const bool conflict = access.worst > 1;
    p.text(margin, heading_end + 2, conflict_text(access.worst),
           {13, "start", conflict ? "#b42318" : "#1a7f37", true});
    const grid g{margin + 56, heading_end + 52, banks == 64 ? 16 : 26, 18, banks, rows};

    // Neighbours in a row that are alike become one box: f(first dword, how many).
    const auto each_box = [&](auto alike, auto f) {
        for (index_t first = 0; first < rows * banks;) {
            index_t end = first + 1;
            while (end % banks != 0 && alike(first, end)) {
                ++end;
            }
            f(first, end - first);
            first = end;
        }
    };
    const auto in_tile = [&](index_t dword) { return of_tile.count(dword) != 0; };
    each_box([&](index_t a, index_t b) { return in_tile(a) == in_tile(b); },
             [&](index_t dword, index_t count) {
                 if (in_tile(dword)) {
                     p.rect(g.x(dword % banks), g.y(dword / banks), count * g.cell_width,
                            g.cell_height, tile_colour);
                 }
             });
    p.lines(g.left, g.top, g.cell_width, g.cell_height, banks, rows, line_colour);
    each_box([&](index_t a, index_t b) { return wanted[at(a)] == wanted[at(b)]; },
             [&](index_t dword, index_t count) {
                 const indices& lanes = wanted[at(dword)];
                 if (lanes.empty()) {
                     return;
                 }
                 const bool bad = std::any_of(lanes.begin(), lanes.end(), [&](index_t lane) {
                     return access.lanes[at(lane)].dwords_in_bank > 1;
                 });
                 const int x = g.x(dword % banks);
                 const int y = g.y(dword / banks);
                 const int w = count * g.cell_width;
                 p.rect(x + 1, y + 1, w - 2, g.cell_height - 2,
                        picture::colour(phase_colour(access.lanes[at(lanes[0])].phase)),
                        bad ? conflict_line : grid_colour, bad ? 2 : 1);
                 p.text(x + w / 2, y + g.cell_height / 2,
                        std::to_string(lanes[0]) + (lanes.size() > 1 ? "+" : ""),
                        {w < 24 ? 9 : 11, "middle", bad ? "#a40e26" : picture::dark, bad});
             });
    column_labels(p, g, "bank \u2192");
    row_labels(p, g, "byte \u2193", [&](int r) { return std::to_string(r * banks * 4); });

    // Legend: the phases, with their lanes and what they do; then the other cells.
    int y = g.bottom() + 26;
    const auto swatch = [&](const std::string& fill, const std::string& stroke, int stroke_width,
                            const std::string& text) {
        p.rect(g.left, y - 7, 20, 14, fill, stroke, stroke_width);
        p.text(g.left + 28, y, text, line_style);
        width = std::max(width, g.left + 28 + text_width(text, 12) + margin);
        y += 20;
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
    if (of_tile.size() < static_cast<std::size_t>(last_byte / 4 + 1)) {
        swatch("#ffffff", line_colour, 1, "padding, and what is behind the tile");
    }
    return p.document(std::max(width, g.right() + margin), y + margin - 10,
                      view.name + ": " + view.description);
}

}  // namespace viewer
