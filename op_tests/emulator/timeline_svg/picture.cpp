#include "timeline_svg/picture.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "machine/text.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

struct category {
    std::string_view name;  // "cat" of a slice
    std::string_view text;  // in the legend
    const char* colour;
    bool is_stall;
};

constexpr category categories[] = {
    {"mfma", "MFMA", "#4f46c8", false},
    {"valu", "VALU", "#2da44e", false},
    {"lds", "LDS", "#bf8700", false},
    {"vmem", "vector memory", "#0969da", false},
    {"smem", "scalar memory", "#1b7c83", false},
    {"salu", "SALU", "#57606a", false},
    {"branch", "branch", "#24292f", false},
    {"none", "waits, nops", "#8c959f", false},
    {"matrix", "matrix pipe at work", "#b3aef5", true},
    {"dependency", "dependency", "#e0b8f0", true},
    {"issue", "issue", "#a8dab5", true},
    {"lgkmcnt", "lgkmcnt", "#f2cc60", true},
    {"vmcnt", "vmcnt", "#80ccff", true},
    {"bandwidth", "memory bandwidth", "#ff9b54", true},
    {"barrier", "barrier", "#fa8f8f", true},
    {"sleep", "sleep", "#d0d7de", true},
    {"fetch", "fetch", "#c7b299", true},
};
constexpr size_t category_count = std::size(categories);

struct slice {
    double start;
    double end;
    size_t category;
};

struct track_id {
    int64_t process;
    int64_t thread;
    auto operator<=>(const track_id&) const = default;
};

struct curve_point {
    double time;
    double value;
};

struct curve {
    std::map<std::string, double> series;  // the last value of each
    std::vector<curve_point> points;       // of their sum
};

struct trace {
    std::string title;
    std::vector<std::string> summary;  // of the report
    double end = 0;
    std::map<int64_t, std::string> processes;
    std::map<track_id, std::string> threads;
    std::map<track_id, std::vector<slice>> tracks;
    std::map<std::pair<int64_t, std::string>, curve> curves;  // by process and name
};

// ---- reading ----

[[noreturn]] void fail(const std::string& what) {
    throw picture_error(what);
}

// Fields of one event; one that is missing is an error.
class event_reader {
public:
    event_reader(const json::Object& event, size_t number) : event_(event), number_(number) {}

    std::string text(const char* key) const {
        const auto value = event_.getString(key);
        return value ? value->str() : missing(key, "no text");
    }
    double time(const char* key) const {
        const auto value = event_.getNumber(key);
        if (!value || !(*value >= 0) || !std::isfinite(*value)) {
            missing(key, "no time");
        }
        return *value;
    }
    int64_t integer(const char* key) const {
        const auto value = event_.getInteger(key);
        return value ? *value : static_cast<int64_t>(missing(key, "no whole number").size());
    }
    const json::Object& object(const char* key) const {
        const json::Object* value = event_.getObject(key);
        if (value == nullptr) {
            missing(key, "no object");
        }
        return *value;
    }
    [[noreturn]] std::string missing(const char* key, const char* what) const {
        fail("event " + std::to_string(number_) + ": '" + key + "' is " + what);
    }

private:
    const json::Object& event_;
    size_t number_;
};

size_t find_category(const std::string& name, const event_reader& event) {
    const auto* found = std::ranges::find(categories, name, &category::name);
    if (found == std::end(categories)) {
        event.missing("cat", "of no kind that is known");
    }
    return static_cast<size_t>(found - categories);
}

void read_slice(trace& t, const event_reader& event) {
    const double start = event.time("ts");
    const double end = start + event.time("dur");
    const track_id id{event.integer("pid"), event.integer("tid")};
    t.tracks[id].push_back({start, end, find_category(event.text("cat"), event)});
    t.end = std::max(t.end, end);
}

void read_counter(trace& t, const event_reader& event) {
    curve& c = t.curves[{event.integer("pid"), event.text("name")}];
    const double time = event.time("ts");
    if (!c.points.empty() && time < c.points.back().time) {
        event.missing("ts", "before the counter's last event");
    }
    for (const auto& [series, value] : event.object("args")) {
        const auto number = value.getAsNumber();
        if (!number || !(*number >= 0) || !std::isfinite(*number)) {
            event.missing("args", "not of numbers from 0 only");
        }
        c.series[series.str()] = *number;
    }
    double sum = 0;
    for (const auto& [series, value] : c.series) {
        sum += value;
    }
    c.points.push_back({time, sum});
    t.end = std::max(t.end, time);
}

void read_name(trace& t, const event_reader& event) {
    const std::string kind = event.text("name");
    if (kind != "process_name" && kind != "thread_name") {
        return;  // orders and labels of the viewer
    }
    const auto name = event.object("args").getString("name");
    if (!name) {
        event.missing("args", "without a name");
    }
    const int64_t process = event.integer("pid");
    if (kind == "process_name") {
        t.processes[process] = name->str();
    } else {
        t.threads[{process, event.integer("tid")}] = name->str();
    }
}

json::Value parse(std::string_view text) {
    auto parsed = json::parse(text);
    if (!parsed) {
        fail("no JSON: " + llvm::toString(parsed.takeError()));
    }
    return std::move(*parsed);
}

trace read_trace(std::string_view text) {
    const json::Value parsed = parse(text);
    const json::Object* all = parsed.getAsObject();
    const json::Array* events = all != nullptr ? all->getArray("traceEvents") : nullptr;
    if (events == nullptr) {
        fail("no trace: there is no array 'traceEvents'");
    }
    trace t;
    if (const json::Object* other = all->getObject("otherData")) {
        t.title = other->getString("title").value_or("").str();
        const json::Object* report = other->getObject("report");
        if (const json::Array* lines = report != nullptr ? report->getArray("summary") : nullptr) {
            for (const json::Value& line : *lines) {
                t.summary.push_back(line.getAsString().value_or("").str());
            }
        }
    }
    for (size_t n = 0; n < events->size(); ++n) {
        const json::Object* object = (*events)[n].getAsObject();
        if (object == nullptr) {
            fail("event " + std::to_string(n) + " is no object");
        }
        const event_reader event(*object, n);
        const std::string phase = event.text("ph");
        if (phase == "X") {
            read_slice(t, event);
        } else if (phase == "C") {
            read_counter(t, event);
        } else if (phase == "M") {
            read_name(t, event);
        } else {
            event.missing("ph", "none of X, C, M");
        }
    }
    if (t.tracks.empty()) {
        fail("the trace has no slices");
    }
    return t;
}

// ---- drawing ----

constexpr uint32_t margin = 16;
constexpr uint32_t label_width = 108;
constexpr uint32_t row_height = 18;
constexpr uint32_t stall_height = 8;
constexpr uint32_t row_gap = 3;
constexpr uint32_t group_gap = 22;
constexpr uint32_t curve_height = 44;
constexpr const char* grey = R"( fill="#57606a")";
constexpr const char* bold = R"( font-weight="bold")";

std::string escaped(std::string_view text) {
    std::string result;
    llvm::raw_string_ostream out(result);
    llvm::printHTMLEscaped(text, out);
    return result;
}

// With ... for all that is between these two, where they are not in others of their kind.
std::string without(const std::string& text, char open, char close) {
    std::string result;
    int depth = 0;
    for (const char c : text) {
        depth -= c == close && depth > 0 ? 1 : 0;
        if (depth == 0) {
            result += c;
        }
        if (c == open && depth++ == 0) {
            result += "...";
        }
    }
    return result;
}

// At most `count` characters: template arguments are left out, then parameters, then the rest.
std::string shortened(std::string text, size_t count) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    if (text.size() > count) {
        text = without(text, '<', '>');
    }
    if (const size_t at = text.find(unnamed); text.size() > count && at != std::string::npos) {
        text.erase(at, unnamed.size());
    }
    if (text.size() > count) {
        text = without(text, '(', ')');
    }
    return text.size() <= count ? text : text.substr(0, count - 3) + "...";
}

// 12345678 -> "12,345,678"
std::string with_commas(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t n = digits.size(); n > 3; n -= 3) {
        digits.insert(n - 3, ",");
    }
    return digits;
}

// 1, 2 or 5 times a power of ten: at most `count` steps cover `range`.
uint64_t step_for(double range, double count) {
    for (uint64_t power = 1;; power *= 10) {
        for (const uint64_t factor : {1u, 2u, 5u}) {
            if (static_cast<double>(factor * power) * count >= range) {
                return factor * power;
            }
        }
    }
}

class painter {
public:
    painter(const trace& t, const picture_options& options)
        : trace_(t), options_(options), from_(static_cast<double>(options.from)) {
        to_ = options.to ? static_cast<double>(*options.to) : std::ceil(t.end);
        if (options.width < 400 || options.width > 10000) {
            fail("a width from 400 to 10000 is needed");
        }
        if (!(from_ < to_)) {
            fail("nothing to draw: from " + std::to_string(options.from) + " to " +
                 std::to_string(static_cast<uint64_t>(to_)));
        }
        if (to_ > std::ceil(t.end)) {
            fail("the trace ends at clock " + std::to_string(static_cast<uint64_t>(t.end)) +
                 ", before " + std::to_string(static_cast<uint64_t>(to_)));
        }
        columns_ = options.width - label_width - 2 * margin;
        left_ = margin + label_width;
    }

    std::string draw() {
        std::string title = options_.title.empty() ? trace_.title : options_.title;
        title = title.empty() ? "timeline" : title;
        y_ = margin + 16;
        text(margin, y_, 15, shortened(title, (options_.width - 2 * margin) / 11), bold);
        y_ += 18;
        text(margin, y_, 11,
             "A model, not a measurement. Clocks " + with_commas(options_.from) + " to " +
                 with_commas(static_cast<uint64_t>(to_)) + " of " +
                 with_commas(static_cast<uint64_t>(std::ceil(trace_.end))),
             grey);
        for (const std::string& line : trace_.summary) {
            y_ += 16;
            text(margin, y_, 11, shortened(line, (options_.width - 2 * margin) / 6), grey);
        }
        y_ += 26;
        const uint32_t axis = y_;
        rows();
        for (const auto& [id, c] : trace_.curves) {
            draw_curve(id.second, c);
        }
        draw_axis(axis);
        legend();
        const uint32_t height = y_ + margin;
        const std::string size = format(R"(width="%u" height="%u")", options_.width, height);
        return R"(<svg xmlns="http://www.w3.org/2000/svg" )" + size +
               format(R"( viewBox="0 0 %u %u" role="img")", options_.width, height) +
               R"( font-family="Helvetica, Arial, sans-serif" fill="#24292f">)" + "\n<title>" +
               escaped(title) + "</title>\n<rect " + size + R"( fill="#ffffff"/>)" + "\n" + grid_ +
               body_ + "</svg>\n";
    }

private:
    double clocks_per_column() const { return (to_ - from_) / columns_; }
    double column_of(double time) const { return (time - from_) / clocks_per_column(); }

    // `style` is more attributes, each with a blank in front.
    void text(uint32_t x, uint32_t y, uint32_t size, std::string_view what,
              const std::string& style) {
        body_ += format(R"(<text x="%u" y="%u" font-size="%u"%s>)", x, y, size, style.c_str()) +
                 escaped(what) + "</text>\n";
    }
    static std::string path(const std::string& style, const std::string& d) {
        return "<path" + style + R"( d=")" + d + "\"/>\n";
    }

    // Adds to each column that [start, end) touches the clocks that it has of it.
    template <class Add>
    void spread(double start, double end, Add&& add) const {
        start = std::clamp(start, from_, to_);
        end = std::clamp(end, from_, to_);
        if (start >= end) {
            return;
        }
        const double first = column_of(start);
        const double last = column_of(end);
        for (auto c = static_cast<uint32_t>(first); c < columns_ && c < last; ++c) {
            const double begin = std::max(first, static_cast<double>(c));
            const double finish = std::min(last, static_cast<double>(c) + 1);
            add(c, (finish - begin) * clocks_per_column());
        }
    }

    void rows() {
        int64_t process = std::numeric_limits<int64_t>::min();
        uint32_t in_process = 0;
        for (const auto& [id, slices] : trace_.tracks) {
            if (id.process != process) {
                process = id.process;
                in_process = 0;
                y_ += group_gap;
                const auto name = trace_.processes.find(process);
                text(margin, y_ - 6, 11,
                     name != trace_.processes.end() ? name->second
                                                    : "process " + std::to_string(process),
                     bold);
            }
            if (options_.waves != 0 && in_process == options_.waves) {
                continue;
            }
            ++in_process;
            row(id, slices);
        }
    }

    void row(const track_id& id, const std::vector<slice>& slices) {
        using times = std::array<double, category_count>;
        std::vector<times> columns(columns_);
        for (const slice& s : slices) {
            spread(s.start, s.end, [&](uint32_t c, double clocks) {
                columns[c][s.category] += clocks;
                clocks_[s.category] += clocks;
            });
        }
        const auto name = trace_.threads.find(id);
        text(margin, y_ + 13, 11,
             name != trace_.threads.end() ? name->second : "thread " + std::to_string(id.thread),
             grey);
        // What takes most of each column, if that is half empty nothing.
        std::vector<size_t> shown(columns_, category_count);
        for (uint32_t c = 0; c < columns_; ++c) {
            const double sum = std::accumulate(columns[c].begin(), columns[c].end(), 0.0);
            if (2 * sum >= clocks_per_column()) {
                shown[c] =
                    static_cast<size_t>(std::ranges::max_element(columns[c]) - columns[c].begin());
            }
        }
        std::array<std::string, category_count> paths;
        for (uint32_t c = 0; c < columns_;) {
            const uint32_t first = c;
            while (c < columns_ && shown[c] == shown[first]) {
                ++c;
            }
            if (shown[first] != category_count) {
                add_box(paths[shown[first]], first, c - first, categories[shown[first]].is_stall);
            }
        }
        for (size_t n = 0; n < category_count; ++n) {
            if (!paths[n].empty()) {
                body_ += path(format(R"( fill="%s")", categories[n].colour), paths[n]);
            }
        }
        y_ += row_height + row_gap;
    }

    void add_box(std::string& boxes, uint32_t column, uint32_t width, bool is_stall) const {
        const uint32_t height = is_stall ? stall_height : row_height;
        const uint32_t top = y_ + (row_height - height) / 2;
        boxes += format("M%u %uh%uv%uh-%uz", left_ + column, top, width, height, width);
    }

    // The mean of each column, from 0 to the largest value.
    void draw_curve(const std::string& name, const curve& drawn) {
        const std::vector<curve_point>& points = drawn.points;
        std::vector<double> sums(columns_);
        double largest = 0;
        for (size_t n = 0; n < points.size(); ++n) {
            const double end = n + 1 < points.size() ? points[n + 1].time : trace_.end;
            largest = std::max(largest, points[n].value);
            spread(points[n].time, end,
                   [&](uint32_t c, double clocks) { sums[c] += clocks * points[n].value; });
        }
        y_ += row_gap + 10;
        const uint32_t bottom = y_ + curve_height;
        text(margin, y_ + 16, 11, name, grey);
        // One series has the unit as its name; the curve's name may say it as well.
        std::string unit = drawn.series.size() == 1 ? drawn.series.begin()->first + " " : "";
        if (name.starts_with(unit)) {
            unit.clear();
        }
        text(margin, y_ + 31, 10, format("%.0f ", largest) + unit + "at most", grey);
        std::string outline = format("M%u %u", left_, bottom);
        uint32_t before = bottom;
        for (uint32_t c = 0; c < columns_; ++c) {
            const double mean = sums[c] / clocks_per_column();
            const double height = largest > 0 ? mean / largest * curve_height : 0;
            const auto y = bottom - static_cast<uint32_t>(
                                        std::lround(std::clamp<double>(height, 0, curve_height)));
            if (y != before) {
                outline += format("H%uV%u", left_ + c, y);
                before = y;
            }
        }
        outline += format("H%uV%uz", left_ + columns_, bottom);
        body_ += path(R"( fill="#c8d1da" stroke="#8c959f")", outline);
        y_ = bottom;
    }

    void draw_axis(uint32_t top) {
        const uint64_t step = step_for(to_ - from_, 12);
        for (uint64_t t = (options_.from + step - 1) / step * step; static_cast<double>(t) <= to_;
             t += step) {
            const auto x = left_ + static_cast<uint32_t>(column_of(static_cast<double>(t)));
            grid_ += path(R"( stroke="#e1e4e8")", format("M%u %uV%u", x, top + 4, y_));
            if (x + 40 < options_.width - margin) {
                text(x, top, 10, with_commas(t), std::string(R"( text-anchor="middle")") + grey);
            }
        }
    }

    // The categories that occur, with their share of the time of all waves that are drawn.
    void legend() {
        const double sum = std::accumulate(clocks_.begin(), clocks_.end(), 0.0);
        uint32_t x = options_.width;
        const char* heading = "";
        y_ += 8;
        for (size_t n = 0; n < category_count; ++n) {
            if (clocks_[n] == 0) {
                continue;
            }
            const std::string label =
                std::string(categories[n].text) + format(" %.1f %%", 100 * clocks_[n] / sum);
            const auto width = static_cast<uint32_t>(30 + 8 * label.size());
            const bool is_stall = categories[n].is_stall;
            const char* const kind = is_stall ? "waits for" : "issues";
            const bool is_other = std::exchange(heading, kind) != kind;
            if (x + width > options_.width - margin || is_other) {
                y_ += 20;
                if (is_other) {
                    text(margin, y_, 11, kind, bold);
                }
                x = left_;
            }
            const uint32_t height = is_stall ? 6 : 12;
            body_ += format(R"(<rect x="%u" y="%u" width="12" height="%u" fill="%s"/>)", x,
                            y_ - 4 - height / 2, height, categories[n].colour) +
                     "\n";
            text(x + 17, y_, 11, label, grey);
            x += width;
        }
    }

    const trace& trace_;
    const picture_options& options_;
    double from_;
    double to_;
    uint32_t columns_;
    uint32_t left_;
    uint32_t y_ = 0;
    std::array<double, category_count> clocks_{};
    std::string grid_;
    std::string body_;
};

// What the report of a trace says about the launch's time.
struct launch_time {
    std::string title;
    double seconds = 0;
    double mhz = 0;
    bool is_held = false;
    bool is_limit = false;  // of operations, that holds it
    double highest_mhz = 0;
    double highest_clocks = 0;
    double flop = 0;
    double bytes = 0;
};

launch_time read_launch(std::string_view text) {
    const json::Value parsed = parse(text);
    const json::Object* all = parsed.getAsObject();
    const json::Object* other = all != nullptr ? all->getObject("otherData") : nullptr;
    const json::Object* report = other != nullptr ? other->getObject("report") : nullptr;
    if (report == nullptr || !report->getNumber("highest_clocks")) {
        fail("no trace with a report of its launch");
    }
    return {other->getString("title").value_or("").str(),
            report->getNumber("seconds").value_or(0),
            report->getNumber("clock_mhz").value_or(0),
            report->getBoolean("held").value_or(false),
            report->getBoolean("limits_operations").value_or(false),
            report->getNumber("highest_mhz").value_or(0),
            report->getNumber("highest_clocks").value_or(0),
            report->getNumber("flop").value_or(0),
            report->getNumber("bytes").value_or(0)};
}

std::string line_of(const char* name, const launch_time& l) {
    return format("%s: %.3f us at %.3f GHz%s; %.0f clocks at %.3f GHz: ", name, 1e6 * l.seconds,
                  l.mhz / 1e3,
                  !l.is_held   ? ""
                  : l.is_limit ? ", held by the device's limit on operations"
                               : ", held by the sustained matrix rate",
                  l.highest_clocks, l.highest_mhz / 1e3) +
           l.title + "\n";
}

// Says so where two launches do not do the same work; tiles of other sizes ask for other bytes.
std::string work_of(const launch_time& a, const launch_time& b) {
    const auto differ = [](double x, double y) { return std::max(x, y) > 1.01 * std::min(x, y); };
    if (differ(a.flop, b.flop)) {
        return format("not the same work: %.3f and %.3f GFLOP of matrix instructions\n",
                      a.flop / 1e9, b.flop / 1e9);
    }
    const char* const what = a.flop > 0 ? "the same FLOP, but other bytes" : "not the same work";
    return !differ(a.bytes, b.bytes)
               ? ""
               : format("%s: %.3f and %.3f GB asked for\n", what, a.bytes / 1e9, b.bytes / 1e9);
}

std::string verdict_of(const launch_time& a, const launch_time& b) {
    // Addresses of memory change a time by less.
    constexpr double close = 1.02;
    if (a.is_held && b.is_held && a.highest_mhz != b.highest_mhz) {
        return "not known: both are held, and their highest clocks differ";
    }
    if (a.is_held && b.is_held) {
        const double more =
            std::max(a.highest_clocks / b.highest_clocks, b.highest_clocks / a.highest_clocks);
        if (more < close) {
            return "not known: both are held, and need as many clocks to within 2 %";
        }
        return format(
            "the %s is no slower: both are held, and the other needs %.1f %% more "
            "clocks at %.3f GHz",
            a.highest_clocks < b.highest_clocks ? "first" : "second", 100 * (more - 1),
            a.highest_mhz / 1e3);
    }
    const double more = std::max(a.seconds / b.seconds, b.seconds / a.seconds);
    if (more < close) {
        return "not known: they take as long to within 2 %";
    }
    return format("the %s: the other takes %.1f %% longer%s",
                  a.seconds < b.seconds ? "first" : "second", 100 * (more - 1),
                  a.is_held || b.is_held ? ", if the clock is held to the sustained rate" : "");
}

}  // namespace

std::string compare_timelines(std::string_view first, std::string_view second) {
    const launch_time a = read_launch(first);
    const launch_time b = read_launch(second);
    return work_of(a, b) + line_of("first", a) + line_of("second", b) +
           "faster, in the model: " + verdict_of(a, b) + "\n";
}

std::string draw_timeline(std::string_view json, const picture_options& options) {
    const trace t = read_trace(json);
    return painter(t, options).draw();
}

}  // namespace emu
