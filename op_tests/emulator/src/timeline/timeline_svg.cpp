// timeline_svg: draws a trace of the emulator's timeline as one SVG.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "timeline/picture.hpp"

int main(int argc, char** argv) {
    CLI::App app("Draws what OPUS_EMU_TIMELINE=trace.json has written (docs/timeline.md).",
                 "timeline_svg");
    std::string input;
    std::string output;
    uint64_t to = 0;
    emu::picture_options options;
    app.add_option("trace", input, "the file to draw; - is the standard input")->required();
    app.add_option("-o,--output", output, "the picture; default: the standard output");
    std::string other;
    app.add_option("--compare", other,
                   "another trace of the same work: prints which takes less time, draws nothing");
    app.add_option("--title", options.title, "the title; default: the kernel's name");
    app.add_option("--from", options.from, "the first clock");
    const auto* to_option = app.add_option("--to", to, "the clock behind the last one");
    app.add_option("--waves", options.waves, "how many waves of each SIMD; default: all");
    app.add_option("--width", options.width, "of the picture in pixels");
    CLI11_PARSE(app, argc, argv);
    if (to_option->count() != 0) {
        options.to = to;
    }
    const auto fail = [](const std::string& what) {
        std::fprintf(stderr, "timeline_svg: %s\n", what.c_str());
        return 1;
    };

    const auto read = [&](const std::string& name, std::string& text) {
        std::ifstream file;
        if (name != "-") {
            file.open(name, std::ios::binary);
        }
        std::istream& in = name == "-" ? std::cin : file;
        text.assign(std::istreambuf_iterator<char>(in), {});
        return !in.fail();
    };
    std::string trace;
    std::string second;
    for (const auto& [name, text] : {std::pair{&input, &trace}, std::pair{&other, &second}}) {
        if (!name->empty() && !read(*name, *text)) {
            return fail(*name + ": cannot read this file");
        }
    }
    try {
        if (!other.empty()) {
            std::cout << emu::compare_timelines(trace, second) << std::flush;
            return std::cout ? 0 : fail("cannot write to the standard output");
        }
        const std::string picture = emu::draw_timeline(trace, options);
        if (output.empty()) {
            std::cout << picture << std::flush;
            return std::cout ? 0 : fail("cannot write to the standard output");
        }
        std::ofstream out(output, std::ios::binary);
        out << picture;
        out.close();
        return out ? 0 : fail(output + ": cannot write there");
    } catch (const emu::picture_error& error) {
        return fail(input + ": " + error.what());
    }
}
