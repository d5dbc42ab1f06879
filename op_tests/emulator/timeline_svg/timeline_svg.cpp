// timeline_svg: draws a trace of the emulator's timeline as one SVG.

#include <llvm/Support/MemoryBuffer.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "timeline_svg/picture.hpp"

namespace {

// - is the standard input.
std::string read(const std::string& name) {
    const auto text = llvm::MemoryBuffer::getFileOrSTDIN(name);
    if (!text) {
        throw std::runtime_error(name + ": cannot read this file");
    }
    return (*text)->getBuffer().str();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Draws what OPUS_EMU_TIMELINE=trace.json has written (docs/timeline.md).",
                 "timeline_svg");
    std::string input;
    std::string output;
    emu::picture_options options;
    app.add_option("trace", input, "the file to draw; - is the standard input")->required();
    app.add_option("-o,--output", output, "the picture; default: the standard output");
    std::string other;
    app.add_option("--compare", other,
                   "another trace of the same work: prints which takes less time, draws nothing");
    app.add_option("--title", options.title, "the title; default: the kernel's name");
    app.add_option("--from", options.from, "the first clock");
    app.add_option("--to", options.to, "the clock behind the last one");
    app.add_option("--waves", options.waves, "how many waves of each SIMD; default: all");
    app.add_option("--width", options.width, "of the picture in pixels");
    CLI11_PARSE(app, argc, argv);
    const auto fail = [](const std::string& what) {
        std::fprintf(stderr, "timeline_svg: %s\n", what.c_str());
        return 1;
    };

    try {
        const std::string trace = read(input);
        const std::string text = other.empty() ? emu::draw_timeline(trace, options)
                                               : emu::compare_timelines(trace, read(other));
        if (output.empty() || !other.empty()) {
            std::cout << text << std::flush;
            return std::cout ? 0 : fail("cannot write to the standard output");
        }
        std::ofstream out(output, std::ios::binary);
        out << text;
        out.close();
        return out ? 0 : fail(output + ": cannot write there");
    } catch (const emu::picture_error& error) {
        return fail(input + ": " + error.what());
    } catch (const std::runtime_error& error) {
        return fail(error.what());
    }
}
