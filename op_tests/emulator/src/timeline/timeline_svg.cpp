// timeline_svg: draws a trace of the emulator's timeline as one SVG.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

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

    std::ifstream file;
    if (input != "-") {
        file.open(input, std::ios::binary);
    }
    std::istream& in = input == "-" ? std::cin : file;
    const std::string trace{std::istreambuf_iterator<char>(in), {}};
    if (in.fail()) {
        return fail(input + ": cannot read this file");
    }
    try {
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
