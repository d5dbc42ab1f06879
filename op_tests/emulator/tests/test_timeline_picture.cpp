// timeline_svg/picture: traces made by hand, and where their slices are in the picture.
#include "timeline_svg/picture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

namespace emu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// JSON with ' in place of ".
std::string json(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

std::string slice(const std::string& category, int pid, int tid, int start, int clocks) {
    return json("{'ph':'X','name':'s','cat':'" + category + "','pid':" + std::to_string(pid) +
                ",'tid':" + std::to_string(tid) + ",'ts':" + std::to_string(start) +
                ",'dur':" + std::to_string(clocks) + "}");
}

std::string name(const std::string& kind, int pid, int tid, const std::string& name) {
    return json("{'ph':'M','name':'" + kind + "','pid':" + std::to_string(pid) +
                ",'tid':" + std::to_string(tid) + ",'args':{'name':'" + name + "'}}");
}

std::string counter(const std::string& name, int time, const std::string& values) {
    return json("{'ph':'C','name':'" + name + "','pid':7,'ts':" + std::to_string(time) +
                ",'args':" + values + "}");
}

std::string trace_of(const std::vector<std::string>& events) {
    std::string text = json("{'otherData':{'title':'k<int> & more'},'traceEvents':[");
    for (const std::string& event : events) {
        text += (&event == &events.front() ? "" : ",") + event;
    }
    return text + "]}";
}

// One pixel for each clock of a trace of 1000 clocks.
constexpr uint32_t left = 124;
picture_options pixel_for_clock() {
    picture_options options;
    options.width = left + 1000 + 16;
    return options;
}

std::string draw(const std::vector<std::string>& events,
                 const picture_options& options = pixel_for_clock()) {
    return draw_timeline(trace_of(events), options);
}

// The boxes of this colour as "first+width of height", from left to right in each row.
std::vector<std::string> boxes(const std::string& picture, const char* colour) {
    std::vector<std::string> result;
    const std::regex path(json("<path fill='" + std::string(colour) + "' d='([^']*)'/>"));
    const std::regex box("M([0-9]+) [0-9]+h([0-9]+)v([0-9]+)h-[0-9]+z");
    for (std::sregex_iterator p(picture.begin(), picture.end(), path), end; p != end; ++p) {
        const std::string d = (*p)[1];
        for (std::sregex_iterator b(d.begin(), d.end(), box); b != end; ++b) {
            result.push_back(std::to_string(std::stoi((*b)[1]) - static_cast<int>(left)) + "+" +
                             (*b)[2].str() + " of " + (*b)[3].str());
        }
    }
    return result;
}

constexpr const char* mfma = "#4f46c8";
constexpr const char* valu = "#2da44e";
constexpr const char* barrier = "#fa8f8f";

TEST(timeline_picture, slices_are_where_their_clocks_are) {
    const std::string picture = draw({
        slice("mfma", 0, 0, 0, 100),
        slice("barrier", 0, 0, 100, 200),
        slice("mfma", 0, 0, 300, 1),
        slice("valu", 0, 0, 900, 100),
    });
    EXPECT_THAT(boxes(picture, mfma), ElementsAre("0+100 of 18", "300+1 of 18"));
    EXPECT_THAT(boxes(picture, barrier), ElementsAre("100+200 of 8"));
    EXPECT_THAT(boxes(picture, valu), ElementsAre("900+100 of 18"));
    EXPECT_THAT(picture, HasSubstr(">k&lt;int&gt; &amp; more</text>"));
    EXPECT_THAT(picture, HasSubstr("A model, not a measurement. Clocks 0 to 1,000 of 1,000"));
    // Of 401 clocks.
    EXPECT_THAT(picture, HasSubstr(">MFMA 25.2 %<"));
    EXPECT_THAT(picture, HasSubstr(">VALU 24.9 %<"));
    EXPECT_THAT(picture, HasSubstr(">barrier 49.9 %<"));
    EXPECT_THAT(picture, Not(HasSubstr(">LDS")));
}

// The largest number that `before` stands in front of.
int largest(const std::string& picture, const char* before) {
    const std::regex number(json(std::string(before) + "([0-9]+)'"));
    int result = 0;
    for (std::sregex_iterator n(picture.begin(), picture.end(), number), end; n != end; ++n) {
        result = std::max(result, std::stoi((*n)[1]));
    }
    return result;
}

TEST(timeline_picture, below_the_last_line_is_a_margin) {
    const std::string picture = draw({slice("mfma", 0, 0, 0, 1000)});
    const int last = largest(picture, "<text x='[0-9]+' y='");
    EXPECT_GT(last, 100);
    EXPECT_EQ(largest(picture, " height='"), last + 16);
    EXPECT_EQ(largest(picture, " viewBox='0 0 [0-9]+ "), last + 16);
}

TEST(timeline_picture, a_part_of_the_clocks) {
    picture_options options = pixel_for_clock();
    options.from = 50;
    options.to = 150;  // 10 pixels for each clock
    const std::string picture = draw(
        {slice("mfma", 0, 0, 0, 60), slice("valu", 0, 0, 100, 10), slice("mfma", 0, 0, 150, 850)},
        options);
    EXPECT_THAT(boxes(picture, mfma), ElementsAre("0+100 of 18"));
    EXPECT_THAT(boxes(picture, valu), ElementsAre("500+100 of 18"));
    EXPECT_THAT(picture, HasSubstr("Clocks 50 to 150 of 1,000"));
    EXPECT_THAT(picture, HasSubstr(">MFMA 50.0 %<"));
}

TEST(timeline_picture, a_pixel_shows_what_takes_most_of_it) {
    picture_options options = pixel_for_clock();
    options.to = 10000;
    const std::string picture = draw(
        {
            slice("mfma", 0, 0, 0, 6),
            slice("valu", 0, 0, 6, 4),  // pixel 0: 6 to 4
            slice("mfma", 0, 0, 10, 4),
            slice("valu", 0, 0, 14, 6),  // pixel 1
            slice("mfma", 0, 0, 20, 3),
            slice("valu", 0, 0, 23, 1),   // pixel 2 is empty for the most
            slice("mfma", 0, 0, 35, 10),  // half of two pixels
            counter("c", 10000, "{'a':0}"),
        },
        options);
    EXPECT_THAT(boxes(picture, mfma), ElementsAre("0+1 of 18", "3+2 of 18"));
    EXPECT_THAT(boxes(picture, valu), ElementsAre("1+1 of 18"));
}

TEST(timeline_picture, a_row_for_each_thread_under_the_name_of_its_process) {
    const std::vector<std::string> events = {
        slice("mfma", 1, 4, 0, 1000),       slice("valu", 0, 2, 0, 10),
        slice("valu", 0, 3, 0, 20),         slice("valu", 1, 5, 0, 30),
        name("process_name", 0, 0, "S0"),   name("process_name", 1, 0, "S1"),
        name("thread_name", 0, 3, "w 0,3"), name("thread_name", 1, 4, "w 1,4"),
    };
    const std::string picture = draw(events);
    EXPECT_THAT(boxes(picture, valu), ElementsAre("0+10 of 18", "0+20 of 18", "0+30 of 18"));
    const std::regex order(
        ">S0<(.|\n)*>thread 2<(.|\n)*>w 0,3<(.|\n)*>S1<(.|\n)*>w 1,4<(.|\n)*>thread 5<");
    EXPECT_TRUE(std::regex_search(picture, order)) << picture;

    picture_options options = pixel_for_clock();
    options.waves = 1;
    const std::string fewer = draw(events, options);
    EXPECT_THAT(boxes(fewer, valu), ElementsAre("0+10 of 18"));
    EXPECT_THAT(boxes(fewer, mfma), ElementsAre("0+1000 of 18"));
    EXPECT_THAT(fewer, Not(HasSubstr(">w 0,3<")));
}

TEST(timeline_picture, the_largest_value_is_a_whole_number_with_all_its_digits_and_its_unit) {
    const std::string picture = draw({
        slice("mfma", 0, 0, 0, 1000),
        counter("in flight", 0, "{'bytes':12345678.4}"),
    });
    EXPECT_THAT(picture, HasSubstr(">12345678 bytes at most</text>"));
}

// How high the curve is from each of these clocks on, of 44 pixels at most, on a scale of so many
// clocks in 1000 pixels.
std::vector<int> heights(const std::string& picture) {
    std::smatch m;
    EXPECT_TRUE(std::regex_search(
        picture, m, std::regex(json("<path fill='#c8d1da'[^>]* d='M124 ([0-9]+)([^']*)z'/>"))));
    const int bottom = std::stoi(m[1]);
    const std::string steps = m[2];
    std::vector<int> result;
    const std::regex step("H([0-9]+)V([0-9]+)");
    for (std::sregex_iterator s(steps.begin(), steps.end(), step), end; s != end; ++s) {
        result.push_back(std::stoi((*s)[1]) - static_cast<int>(left));
        result.push_back(bottom - std::stoi((*s)[2]));
    }
    return result;
}

TEST(timeline_picture, counters_as_curves) {
    const auto curve = [](const std::vector<std::string>& events, uint64_t to) {
        picture_options options = pixel_for_clock();
        options.to = to;
        std::vector<std::string> all = {slice("mfma", 0, 0, 0, 1000)};
        all.insert(all.end(), events.begin(), events.end());
        return draw(all, options);
    };
    const std::vector<std::string> steps = {counter("busy", 0, "{'a':1}"),
                                            counter("busy", 100, "{'a':4}"),
                                            counter("busy", 300, "{'a':2}")};
    // The last value stays to the end, where the outline goes back to the bottom.
    EXPECT_EQ(heights(curve(steps, 1000)), (std::vector<int>{0, 11, 100, 44, 300, 22, 1000, 0}));
    // Two pixels for each clock.
    EXPECT_EQ(heights(curve(steps, 500)), (std::vector<int>{0, 11, 200, 44, 600, 22, 1000, 0}));
    // Less than 1 is as high as anything else; nothing is a line.
    const std::string less = curve({counter("busy", 0, "{'a':0.25}")}, 1000);
    EXPECT_EQ(heights(less), (std::vector<int>{0, 44, 1000, 0}));
    const std::string none = curve({counter("busy", 0, "{'a':0}")}, 1000);
    EXPECT_EQ(heights(none), (std::vector<int>{1000, 0}));
    EXPECT_THAT(none, HasSubstr(">0 a at most</text>"));
    // What the name begins with is not said again.
    EXPECT_THAT(curve({counter("bytes in flight", 0, "{'bytes':8}")}, 1000),
                HasSubstr(">8 at most</text>"));
}

TEST(timeline_picture, counters_are_sums_of_their_series_from_0_to_the_largest) {
    const std::string picture = draw({
        slice("mfma", 0, 0, 0, 1000),
        counter("busy", 0, "{'a':1,'b':0}"),
        counter("busy", 250, "{'b':3}"),
        counter("busy", 500, "{'a':0,'b':0}"),
    });
    EXPECT_THAT(picture, HasSubstr(">busy</text>"));
    EXPECT_THAT(picture, HasSubstr(">4 at most</text>"));
    std::smatch m;
    ASSERT_TRUE(std::regex_search(
        picture, m,
        std::regex("M124 ([0-9]+)H124V([0-9]+)H374V([0-9]+)H624V([0-9]+)H1124V([0-9]+)z")))
        << picture;
    const int bottom = std::stoi(m[1]);
    EXPECT_EQ(bottom - std::stoi(m[2]), 11);  // 1 of 4, of 44 pixels
    EXPECT_EQ(bottom - std::stoi(m[3]), 44);
    EXPECT_EQ(std::stoi(m[4]), bottom);
    EXPECT_EQ(std::stoi(m[5]), bottom);
}

TEST(timeline_picture, the_title_can_be_given) {
    picture_options options = pixel_for_clock();
    options.title = json("before 'it'");
    const std::string picture = draw({slice("mfma", 0, 0, 0, 1000)}, options);
    EXPECT_THAT(picture, HasSubstr("<title>before &quot;it&quot;</title>"));
    EXPECT_THAT(picture, Not(HasSubstr("more")));

    // What there is no room for is not drawn: 11 pixels for each character.
    options.width = 432;
    options.title = "0123456789012345678901234567890123456";
    const std::string narrow = draw({slice("mfma", 0, 0, 0, 1000)}, options);
    EXPECT_THAT(narrow, HasSubstr(">012345678901234567890123456789012...</text>"));
    // 36 characters have room. Of what is longer template arguments go first, then that a namespace has
    // no name, then parameters, each only if the rest is too long all the same.
    const std::pair<std::string, std::string> titles[] = {
        {"012345678901234567890123456789012345", "012345678901234567890123456789012345"},
        {"(anonymous namespace)::f<ab>(c)on_gf", "(anonymous namespace)::f<ab>(c)on_gf"},
        {"(anonymous namespace)::f<g<1>, (2)>(c)on_g", "(anonymous namespace)::f<...>(c)on_g"},
        {"(anonymous namespace)::f<g<1>, (2)>(h<3>*)on_gfx942_on_gfx942_o",
         "f<...>(h<...>*)on_gfx942_on_gfx942_o"},
        {"auto f<g<1>, (2)>::operator->(h<3>*) on_", "auto f<...>::operator->(h<...>*) on_"},
        {"void (anonymous namespace)::f<g<1>, (2)>(one_parameter, another_parameter) "
         "on_gfx942_on_gfx942",
         "void f<...>(...) on_gfx942_on_gfx942"}};
    for (const auto& [title, drawn] : titles) {
        ASSERT_EQ(drawn.size(), 36u);
        options.title = title;
        std::string text = std::regex_replace(drawn, std::regex("<"), "&lt;");
        text = std::regex_replace(text, std::regex(">"), "&gt;");
        EXPECT_THAT(draw({slice("mfma", 0, 0, 0, 1000)}, options),
                    HasSubstr(">" + text + "</text>"));
    }
}

// What each category of slices is in the legend. Those of units fill their row, causes do not.
TEST(timeline_picture, categories) {
    const std::tuple<const char*, const char*, int> categories[] = {
        {"mfma", "MFMA", 18},
        {"valu", "VALU", 18},
        {"lds", "LDS", 18},
        {"vmem", "vector memory", 18},
        {"smem", "scalar memory", 18},
        {"salu", "SALU", 18},
        {"branch", "branch", 18},
        {"none", "waits, nops", 18},
        {"matrix", "matrix pipe at work", 8},
        {"dependency", "dependency", 8},
        {"issue", "issue", 8},
        {"lgkmcnt", "lgkmcnt", 8},
        {"vmcnt", "vmcnt", 8},
        {"bandwidth", "memory bandwidth", 8},
        {"barrier", "barrier", 8},
        {"sleep", "sleep", 8},
        {"fetch", "fetch", 8},
    };
    std::vector<std::string> colours;
    for (const auto& [category, label, height] : categories) {
        const std::string picture = draw({slice(category, 0, 0, 0, 1000)});
        std::smatch m;
        ASSERT_TRUE(std::regex_search(picture, m, std::regex(json("<path fill='([^']*)' d='M"))));
        colours.push_back(m[1]);
        EXPECT_THAT(boxes(picture, m[1].str().c_str()),
                    ElementsAre("0+1000 of " + std::to_string(height)));
        EXPECT_THAT(picture, HasSubstr(std::string(">") + label + " 100.0 %<"));
        EXPECT_THAT(picture, HasSubstr(height == 18 ? ">issues<" : ">waits for<"));
        EXPECT_TRUE(std::regex_search(
            picture,
            std::regex(json("<rect x='124' [^>]*height='" + std::string(height == 18 ? "12" : "6") +
                            "' fill='" + m[1].str() + "'/>"))));
    }
    std::ranges::sort(colours);
    EXPECT_EQ(std::ranges::adjacent_find(colours), colours.end()) << "two of one colour";
}

TEST(timeline_picture, what_is_not_said) {
    // 1200 pixels of all clocks; names of the viewer's rows and others mean nothing here.
    const std::string picture =
        draw({slice("mfma", 0, 0, 0, 1000), name("process_labels", 0, 0, "a label"),
              json("{'ph':'M','name':'thread_sort_index','pid':0,'tid':0,'args':{}}")},
             {});
    EXPECT_THAT(picture, HasSubstr(json(" width='1200' ")));
    EXPECT_THAT(picture, HasSubstr("Clocks 0 to 1,000 of 1,000"));
    EXPECT_THAT(picture, Not(HasSubstr("a label")));
    EXPECT_THAT(picture, HasSubstr(">process 0<"));
    // A trace without a title has one.
    EXPECT_THAT(draw_timeline(json("{'traceEvents':[") + slice("mfma", 0, 0, 0, 9) + "]}", {}),
                HasSubstr("<title>timeline</title>"));
}

TEST(timeline_picture, the_legend_has_each_heading_once) {
    picture_options options = pixel_for_clock();
    options.width = 480;
    std::vector<std::string> events;
    int start = 0;
    for (const char* kind : {"mfma", "valu", "lds", "vmem", "smem", "salu", "branch", "issue",
                             "vmcnt", "lgkmcnt", "barrier", "bandwidth"}) {
        events.push_back(slice(kind, 0, 0, 10 * start++, 10));
    }
    const std::string picture = draw(events, options);
    for (const std::string heading : {">issues<", ">waits for<"}) {
        const size_t at = picture.find(heading);
        ASSERT_NE(at, std::string::npos) << heading;
        EXPECT_EQ(picture.find(heading, at + 1), std::string::npos) << heading;
    }
}

// ---- where things are ----

struct area {
    int left, top, right, bottom;
    std::string what;
    bool overlaps(const area& b) const {
        return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
    }
};

// Of each text, if a character is as wide as 0.55 of its size.
std::vector<area> texts_of(const std::string& picture) {
    std::vector<area> result;
    const std::regex text(
        json("<text x='([0-9]+)' y='([0-9]+)' font-size='([0-9]+)'([^>]*)>([^<]*)<"));
    for (std::sregex_iterator t(picture.begin(), picture.end(), text), end; t != end; ++t) {
        const int x = std::stoi((*t)[1]);
        const int y = std::stoi((*t)[2]);
        const int size = std::stoi((*t)[3]);
        const int width = static_cast<int>((*t)[5].length()) * size * 55 / 100;
        const bool is_centred = (*t)[4].str().find("middle") != std::string::npos;
        const int left_of_it = x - (is_centred ? width / 2 : 0);
        result.push_back({left_of_it, y - size * 8 / 10, left_of_it + width, y, (*t)[5]});
    }
    return result;
}

// Of each box of a row, or of the legend.
std::vector<area> boxes_of(const std::string& picture, bool of_legend) {
    std::vector<area> result;
    const std::regex box(
        of_legend
            ? json("<rect x='([0-9]+)' y='([0-9]+)' width='([0-9]+)' height='([0-9]+)' fill='#")
            : "M([0-9]+) ([0-9]+)h([0-9]+)v([0-9]+)h-");
    for (std::sregex_iterator b(picture.begin(), picture.end(), box), end; b != end; ++b) {
        const int x = std::stoi((*b)[1]);
        const int y = std::stoi((*b)[2]);
        result.push_back({x, y, x + std::stoi((*b)[3]), y + std::stoi((*b)[4]), "box"});
    }
    return result;
}

TEST(timeline_picture, nothing_covers_anything_else) {
    for (const uint32_t width : {480u, 700u, 1140u}) {
        picture_options options = pixel_for_clock();
        options.width = width;
        std::vector<std::string> events;
        int start = 0;
        for (const char* kind : {"mfma", "valu", "lds", "vmem", "smem", "salu", "branch", "none",
                                 "matrix", "dependency", "issue", "lgkmcnt", "vmcnt", "bandwidth",
                                 "barrier", "sleep", "fetch"}) {
            events.push_back(slice(kind, start % 2, start % 3, 55 * start, 55));
            ++start;
        }
        events.push_back(counter("LDS busy", 0, "{'clocks':1}"));
        events.push_back(counter("in flight", 0, "{'bytes':3,'more':4}"));
        events.push_back(counter("in flight", 1000, "{'bytes':0,'more':0}"));
        const std::string picture = draw(events, options);
        const int right = static_cast<int>(width) - 16;
        const int height = largest(picture, " height='");
        std::vector<area> areas = texts_of(picture);
        EXPECT_GT(areas.size(), 30u);
        for (const bool of_legend : {false, true}) {
            const auto boxes = boxes_of(picture, of_legend);
            EXPECT_GE(boxes.size(), 17u);
            for (const area& a : boxes) {
                EXPECT_GE(a.left, static_cast<int>(left));
            }
            areas.insert(areas.end(), boxes.begin(), boxes.end());
        }
        const std::regex curve(json("<path fill='#c8d1da'[^>]* d='M124 ([0-9]+)H"));
        size_t curves = 0;
        for (std::sregex_iterator c(picture.begin(), picture.end(), curve), end; c != end; ++c) {
            const int bottom = std::stoi((*c)[1]);
            areas.push_back({static_cast<int>(left), bottom - 44, right, bottom, "box"});
            ++curves;
        }
        EXPECT_EQ(curves, 2u);
        // Headings are bold, all else is grey.
        const std::regex text(
            json("<text [^>]*font-size='[0-9]+'( text-anchor='middle')?"
                 "( fill='#57606a'| font-weight='bold')>"));
        EXPECT_EQ(std::distance(std::sregex_iterator(picture.begin(), picture.end(), text), {}),
                  std::ssize(texts_of(picture)));
        for (size_t n = 0; n < areas.size(); ++n) {
            const area& a = areas[n];
            EXPECT_GE(a.left, 16) << a.what;
            EXPECT_LE(a.right, right + (a.what == "box" ? 0 : 8)) << a.what;
            EXPECT_GE(a.top, 16) << a.what;
            EXPECT_LE(a.bottom, height - 16) << a.what;
            for (size_t m = 0; m < n; ++m) {
                EXPECT_FALSE(a.overlaps(areas[m]))
                    << a.what << " over " << areas[m].what << " at " << a.left << ", " << a.top;
            }
        }
        // A label of the legend stands right behind its box, in the middle of it.
        const auto squares = boxes_of(picture, true);
        for (const area& square : squares) {
            const auto label = std::ranges::find_if(areas, [&](const area& t) {
                return t.what.find('%') != std::string::npos && t.left == square.left + 17 &&
                       t.top < square.bottom && t.bottom > square.top;
            });
            ASSERT_NE(label, areas.end());
            EXPECT_NEAR(label->top + label->bottom, square.top + square.bottom, 2);
            EXPECT_EQ(square.right - square.left, 12);
        }
    }
}

// Boxes of what is issued fill their row, those of stalls are in the middle of it; a name stands beside
// its row and rows follow each other.
TEST(timeline_picture, rows_are_in_order) {
    const std::string picture = draw(
        {slice("mfma", 0, 0, 0, 500), slice("barrier", 0, 0, 500, 500), slice("valu", 0, 1, 0, 500),
         slice("sleep", 0, 1, 500, 500), slice("lds", 1, 0, 0, 1000),
         name("thread_name", 0, 0, "w0"), name("thread_name", 0, 1, "w1"),
         name("thread_name", 1, 0, "w2"), name("process_name", 1, 0, "S1")});
    const auto boxes = boxes_of(picture, false);
    const auto texts = texts_of(picture);
    const auto text = [&](const std::string& what) {
        return *std::ranges::find(texts, what, &area::what);
    };
    ASSERT_EQ(boxes.size(), 5u);
    EXPECT_EQ(boxes[1].top - boxes[0].top, boxes[0].bottom - boxes[1].bottom);
    EXPECT_EQ(boxes[3].top - boxes[2].top, boxes[2].bottom - boxes[3].bottom);
    EXPECT_GT(boxes[1].top, boxes[0].top);
    const int distance = boxes[2].top - boxes[0].top;
    EXPECT_GT(distance, boxes[0].bottom - boxes[0].top) << "a gap between rows";
    EXPECT_GT(boxes[4].top - boxes[2].top, distance + 11) << "and a name between processes";
    EXPECT_GT(text("S1").top, boxes[2].bottom);
    EXPECT_LT(text("S1").bottom, boxes[4].top);
    int row = 0;
    for (const char* wave : {"w0", "w1", "w2"}) {
        const area& box = boxes[static_cast<size_t>(2 * row++)];
        EXPECT_GE(text(wave).top, box.top);
        EXPECT_LE(text(wave).bottom, box.bottom);
        EXPECT_EQ(text(wave).left, 16);
    }
}

// A picture of two rows and a curve: where each text is, and how large.
TEST(timeline_picture, the_layout) {
    const std::string picture =
        draw({slice("mfma", 0, 0, 0, 1000), slice("barrier", 1, 0, 0, 1000),
              counter("busy", 0, "{'a':1}"), name("process_name", 0, 0, "S0"),
              name("thread_name", 0, 0, "w0"), name("process_name", 1, 0, "S1"),
              name("thread_name", 1, 0, "w1")});
    const std::regex text(
        json("<text x='([0-9]+)' y='([0-9]+)' font-size='([0-9]+)'[^>]*>([^<]*)<"));
    std::vector<std::string> texts;
    for (std::sregex_iterator t(picture.begin(), picture.end(), text), end; t != end; ++t) {
        const bool is_of_axis = (*t)[4].str().find_first_not_of("0123456789,") == std::string::npos;
        if (!is_of_axis || (*t)[4] == "100") {
            texts.push_back((*t)[4].str() + " " + (*t)[3].str() + " at " + (*t)[1].str() + ", " +
                            (*t)[2].str());
        }
    }
    // The margin is 16; rows are 18 high, the curve 44, and the column of names 108 wide.
    const int axis = 16 + 16 + 18 + 26;
    const int row = axis + 22;
    const int second = row + 18 + 3 + 22;
    const int curve = second + 18 + 3 + 3 + 10;
    const int legend = curve + 44 + 8 + 20;
    const auto at = [](const std::string& what, int size, int x, int y) {
        return what + " " + std::to_string(size) + " at " + std::to_string(x) + ", " +
               std::to_string(y);
    };
    EXPECT_THAT(
        texts, ElementsAre(at("k&lt;int&gt; &amp; more", 15, 16, 32),
                           at("A model, not a measurement. Clocks 0 to 1,000 of 1,000", 11, 16, 50),
                           at("S0", 11, 16, row - 6), at("w0", 11, 16, row + 13),
                           at("S1", 11, 16, second - 6), at("w1", 11, 16, second + 13),
                           at("busy", 11, 16, curve + 16), at("1 a at most", 10, 16, curve + 31),
                           at("100", 10, 224, axis), at("issues", 11, 16, legend),
                           at("MFMA 50.0 %", 11, 141, legend), at("waits for", 11, 16, legend + 20),
                           at("barrier 50.0 %", 11, 141, legend + 20)));
    EXPECT_EQ(largest(picture, "<svg[^>]* height='"), legend + 20 + 16);
}

// A label is 30 pixels and 8 for each character: the third one here ends where the margin begins.
TEST(timeline_picture, labels_that_just_have_room) {
    picture_options options = pixel_for_clock();
    for (const uint32_t less : {0u, 1u}) {
        options.width = left + (30 + 8 * 11) + (30 + 8 * 11) + (30 + 8 * 10) + 16 - less;
        const std::string picture =
            draw({slice("mfma", 0, 0, 0, 100), slice("valu", 0, 0, 100, 100),
                  slice("lds", 0, 0, 200, 100)},
                 options);
        const auto labels = boxes_of(picture, true);
        ASSERT_EQ(labels.size(), 3u);
        EXPECT_EQ(labels[1].left, labels[0].left + 30 + 8 * 11);
        EXPECT_EQ(labels[1].top, labels[0].top);
        EXPECT_EQ(labels[2].top, labels[0].top + (less == 0 ? 0 : 20));
        EXPECT_EQ(labels[2].left, less == 0 ? labels[1].left + 30 + 8 * 11 : 124);
    }
}

// Lines and numbers at multiples of 1, 2 or 5 times a power of ten: twelve steps at most.
TEST(timeline_picture, the_axis) {
    const struct {
        uint64_t from, to, first, step;
    } rows[] = {{0, 12, 0, 1},         {0, 13, 0, 2},
                {0, 24, 0, 2},         {0, 25, 0, 5},
                {0, 60, 0, 5},         {0, 61, 0, 10},
                {0, 1000, 0, 100},     {0, 1030, 0, 100},
                {50, 150, 50, 10},     {51, 151, 60, 10},
                {0, 1200, 0, 100},     {0, 1201, 0, 200},
                {999, 1200, 1000, 20}, {3000, 90000, 10000, 10000},
                {40, 1040, 100, 100}};
    for (const auto& [from, to, first, step] : rows) {
        picture_options options = pixel_for_clock();
        options.from = from;
        options.to = to;
        const std::string picture = draw({slice("mfma", 0, 0, 0, 90000)}, options);
        const std::regex line(json("<path stroke='#e1e4e8' d='M([0-9]+) ([0-9]+)V([0-9]+)'/>"));
        const std::regex number(
            json("<text x='([0-9]+)' y='([0-9]+)' font-size='10' "
                 "text-anchor='middle'[^>]*>([0-9,]+)<"));
        const auto row = boxes_of(picture, false).at(0);
        std::sregex_iterator n(picture.begin(), picture.end(), number);
        uint64_t clock = first;
        const double per_clock = 1000.0 / static_cast<double>(to - from);
        for (std::sregex_iterator l(picture.begin(), picture.end(), line), end; l != end; ++l) {
            const int x = std::stoi((*l)[1]);
            EXPECT_NEAR(
                x, static_cast<double>(left) + static_cast<double>(clock - from) * per_clock, 1);
            EXPECT_LT(std::stoi((*l)[2]), row.top);
            EXPECT_GE(std::stoi((*l)[3]), row.bottom);
            // No number where it would stand out of the picture.
            if (x < 1140 - 16 - 40) {
                ASSERT_NE(n, std::sregex_iterator()) << clock;
                EXPECT_EQ(std::stoi((*n)[1]), x);
                EXPECT_LT(std::stoi((*n)[2]), std::stoi((*l)[2]) + 1);
                std::string digits = (*n)[3];
                EXPECT_EQ(digits.find(',') != std::string::npos, clock >= 1000) << digits;
                std::erase(digits, ',');
                EXPECT_EQ(digits, std::to_string(clock));
                ++n;
            }
            clock += step;
        }
        EXPECT_EQ(n, std::sregex_iterator()) << "a number without a line";
        EXPECT_GT(clock, to) << "the last line";
        EXPECT_LE(clock - step, to);
    }
    EXPECT_THAT(draw({slice("mfma", 0, 0, 0, 1234567)},
                     [] {
                         picture_options options = pixel_for_clock();
                         options.from = 999;
                         options.to = 1234567;
                         return options;
                     }()),
                HasSubstr("Clocks 999 to 1,234,567 of 1,234,567"));
}

std::string launch(double us, int mhz, bool is_held, int highest_clocks, bool is_limit = false) {
    const auto word = [](bool b) { return std::string(b ? "true" : "false"); };
    return json("{'otherData':{'title':'k','report':{'seconds':" + std::to_string(us / 1e6) +
                ",'clock_mhz':" + std::to_string(mhz) + ",'held':" + word(is_held) +
                ",'limits_operations':" + word(is_limit) +
                ",'highest_mhz':2400,'highest_clocks':" + std::to_string(highest_clocks) + "}}}");
}

TEST(timeline_picture, launches_of_other_work_are_named_first) {
    const auto work = [](double flop, double bytes) {
        return json(
            "{'otherData':{'title':'k','report':{'seconds':1,'clock_mhz':2400,"
            "'highest_mhz':2400,'highest_clocks':1,'flop':" +
            std::to_string(flop) + ",'bytes':" + std::to_string(bytes) + "}}}");
    };
    const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
    EXPECT_EQ(first_line(compare_timelines(work(2e9, 1e9), work(4e9, 1e9))),
              "not the same work: 2.000 and 4.000 GFLOP of matrix instructions");
    EXPECT_EQ(first_line(compare_timelines(work(4e9, 3e9), work(4e9, 1e9))),
              "the same FLOP, but other bytes: 3.000 and 1.000 GB asked for");
    EXPECT_EQ(first_line(compare_timelines(work(0, 1e9), work(0, 1.02e9))),
              "not the same work: 1.000 and 1.020 GB asked for");
    EXPECT_THAT(first_line(compare_timelines(work(0, 1e9), work(0, 1.009e9))),
                testing::StartsWith("first: "));
    EXPECT_THAT(first_line(compare_timelines(work(4e9, 1e9), work(4e9, 1e9))),
                testing::StartsWith("first: "));
}

TEST(timeline_picture, says_what_the_report_says) {
    const std::string text = json(
        "{'otherData':{'title':'k','report':{'summary':['bound: L2 <a>','roofline: 7']}},"
        "'traceEvents':[{'ph':'X','pid':0,'tid':0,'ts':0,'dur':8,'cat':'mfma',"
        "'name':'MFMA'}]}");
    const std::string picture = draw_timeline(text, {});
    EXPECT_THAT(picture, HasSubstr(">bound: L2 &lt;a&gt;</text>"));
    EXPECT_THAT(picture, HasSubstr(">roofline: 7</text>"));
}

TEST(timeline_picture, two_launches_are_compared) {
    const std::string held = launch(100, 2000, true, 200'000);
    EXPECT_THAT(compare_timelines(held, launch(100, 1990, true, 203'000)),
                HasSubstr("not known: both are held, and need as many clocks to within 2 %"));
    EXPECT_THAT(compare_timelines(held, launch(99, 1900, true, 220'000)),
                HasSubstr("the first is no slower: both are held, and the other needs 10.0 % more "
                          "clocks at 2.400 GHz"));
    EXPECT_THAT(compare_timelines(launch(99, 1900, true, 220'000), held),
                HasSubstr("the second is no slower"));
    EXPECT_THAT(compare_timelines(held, launch(150, 2400, false, 360'000)),
                HasSubstr("the first: the other takes 50.0 % longer, if the clock is held"));
    EXPECT_THAT(
        compare_timelines(launch(75, 2400, false, 180'000), launch(150, 2400, false, 360'000)),
        HasSubstr("the first: the other takes 100.0 % longer\n"));
    // Two percent are known, less are not; of times and, where both are held, of clocks.
    const auto plain = [](double us) { return launch(us, 2400, false, 1000); };
    EXPECT_THAT(compare_timelines(plain(1000), plain(1021)),
                HasSubstr("the first: the other takes 2.1 % longer\n"));
    EXPECT_THAT(compare_timelines(plain(1021), plain(1000)), HasSubstr("the second: the other"));
    EXPECT_THAT(compare_timelines(plain(1000), plain(1019)),
                HasSubstr("not known: they take as long to within 2 %"));
    EXPECT_THAT(compare_timelines(plain(1e6), plain(1.02e6)),
                HasSubstr("the first: the other takes 2.0 % longer\n"));
    EXPECT_THAT(compare_timelines(held, launch(100, 2000, true, 204'000)),
                HasSubstr("the first is no slower"));
    EXPECT_THAT(compare_timelines(held, launch(100, 2000, true, 203'900)), HasSubstr("not known"));
    std::string other_device = launch(100, 2000, true, 300'000);
    other_device.replace(other_device.find("2400"), 4, "2100");
    EXPECT_THAT(compare_timelines(held, other_device),
                HasSubstr("not known: both are held, and their highest clocks differ"));
    EXPECT_THAT(
        compare_timelines(plain(1), plain(2)),
        HasSubstr("first: 1.000 us at 2.400 GHz; 1000 clocks at 2.400 GHz: k\nsecond: 2.000 "
                  "us at 2.400 GHz; 1000 clocks at 2.400 GHz: k\nfaster, in the model: the "
                  "first: the other takes 100.0 % longer\n"));
    EXPECT_THAT(
        compare_timelines(held, held),
        HasSubstr("first: 100.000 us at 2.000 GHz, held by the sustained matrix rate; 200000 "
                  "clocks at 2.400 GHz: k\nsecond: "));
    EXPECT_THAT(compare_timelines(launch(1, 1, true, 1, true), held),
                HasSubstr("held by the device's limit on operations; 1 clocks"));
    EXPECT_THROW(compare_timelines(held, json("{'traceEvents':[]}")), picture_error);
    EXPECT_THROW(compare_timelines("{", held), picture_error);
    EXPECT_THROW(compare_timelines(held, "[]"), picture_error);
}

std::string error_of(const std::string& text, const picture_options& options = pixel_for_clock()) {
    try {
        draw_timeline(text, options);
    } catch (const picture_error& error) {
        return error.what();
    }
    return "";
}

TEST(timeline_picture, what_is_no_trace_is_refused) {
    EXPECT_THAT(error_of(""), HasSubstr("no JSON"));
    EXPECT_THAT(error_of(json("{'traceEvents':[}")), HasSubstr("no JSON"));
    EXPECT_THAT(error_of("[]"), HasSubstr("there is no array 'traceEvents'"));
    EXPECT_THAT(error_of(json("{'traceEvents':3}")), HasSubstr("there is no array 'traceEvents'"));
    EXPECT_THAT(error_of(json("{'traceEvents':[]}")), HasSubstr("the trace has no slices"));
    EXPECT_THAT(error_of(json("{'traceEvents':[4]}")), HasSubstr("event 0 is no object"));
    EXPECT_THAT(error_of(json("{'traceEvents':[{}]}")), HasSubstr("event 0: 'ph' is no text"));

    const std::string good = slice("mfma", 0, 0, 10, 20);
    EXPECT_THAT(error_of(trace_of({good})), IsEmpty());
    const struct {
        const char* from;
        const char* to;
        const char* what;
    } cases[] = {
        {"'X'", "'B'", "event 1: 'ph' is none of X, C, M"},
        {"'mfma'", "'wmma'", "event 1: 'cat' is of no kind that is known"},
        {"'cat':'mfma'", "'cat':1", "event 1: 'cat' is no text"},
        {"'ts':10", "'ts':-10", "event 1: 'ts' is no time"},
        {"'dur':20", "'dur':'20'", "event 1: 'dur' is no time"},
        {"'pid':0", "'pid':0.5", "event 1: 'pid' is no whole number"},
        {"'tid'", "'tidd'", "event 1: 'tid' is no whole number"},
    };
    for (const auto& c : cases) {
        const std::string bad = std::regex_replace(good, std::regex(json(c.from)), json(c.to));
        EXPECT_NE(bad, good);
        EXPECT_THAT(error_of(trace_of({good, bad})), HasSubstr(c.what));
    }
    EXPECT_THAT(error_of(trace_of({good, counter("c", 5, "{}"), counter("c", 4, "{}")})),
                HasSubstr("event 2: 'ts' is before the counter's last event"));
    EXPECT_THAT(error_of(trace_of({good, counter("c", 5, "{'a':-1}")})),
                HasSubstr("event 1: 'args' is not of numbers from 0 only"));
    EXPECT_THAT(error_of(trace_of({good, json("{'ph':'M','name':'process_name','pid':0,'tid':0,"
                                              "'args':{}}")})),
                HasSubstr("event 1: 'args' is without a name"));
    EXPECT_THAT(error_of(trace_of({slice("mfma", 0, 0, 0, 0)})),
                HasSubstr("nothing to draw: from 0 to 0"));
    EXPECT_THAT(error_of(trace_of({good, counter("c", 5, "[]")})),
                HasSubstr("event 1: 'args' is no object"));
}

TEST(timeline_picture, options_that_mean_nothing_are_refused) {
    const std::string trace = trace_of({slice("mfma", 0, 0, 0, 100)});
    picture_options options;
    options.from = 100;
    EXPECT_THAT(error_of(trace, options), HasSubstr("nothing to draw: from 100 to 100"));
    options.from = 0;
    options.to = 0;
    EXPECT_THAT(error_of(trace, options), HasSubstr("nothing to draw: from 0 to 0"));
    options.to = 101;
    EXPECT_THAT(error_of(trace, options), HasSubstr("the trace ends at clock 100, before 101"));
    options.to = 50;
    options.width = 399;
    EXPECT_THAT(error_of(trace, options), HasSubstr("a width from 400 to 10000"));
    options.width = 10001;
    EXPECT_THAT(error_of(trace, options), HasSubstr("a width from 400 to 10000"));
}

}  // namespace
}  // namespace emu
