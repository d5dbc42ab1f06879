// SPDX-License-Identifier: MIT
//
// layout_viewer: shows a layout as a table in the terminal and as an SVG picture. Either which
// thread holds which element of a matrix in which register, or which banks of LDS the lanes of a
// wave hit, and whether they conflict. A program for the host: opus computes layouts there as well.
//
// examples/layout_viewer/views.hpp asks opus for the layouts, lds.hpp has the banks, text.hpp and
// svg.hpp draw.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "common/options.hpp"
#include "common/output_file.hpp"
#include "layout_viewer/lds.hpp"
#include "layout_viewer/svg.hpp"
#include "layout_viewer/text.hpp"
#include "layout_viewer/views.hpp"

namespace {

using examples::parse_integer;
using examples::usage_error;
using viewer::index_t;
using viewer::indices;

struct options {
    std::optional<std::string> name;
    bool list = false;
    std::optional<std::string> shape;
    std::optional<std::string> stride;
    std::optional<std::string> dims;
    std::optional<std::string> thread_stride;
    std::optional<std::string> thread;
    std::optional<std::string> pitch;
    std::optional<std::string> element_bytes;
    std::optional<std::string> lds;
    std::optional<std::string> arch;
    std::optional<std::string> access;
    std::optional<std::string> svg;
    bool waves = false;
};

// 48,32
indices parse_list(const char* option, const std::optional<std::string>& text, index_t smallest,
                   index_t largest) {
    indices result;
    if (!text) {
        return result;
    }
    for (std::size_t begin = 0; begin <= text->size();) {
        const std::size_t end = std::min(text->find(',', begin), text->size());
        result.push_back(
            parse_integer(option, text->substr(begin, end - begin), smallest, largest));
        begin = end + 1;
    }
    if (result.size() > static_cast<std::size_t>(viewer::max_rank)) {
        throw usage_error(std::string(option) + " has " + std::to_string(result.size()) +
                          " entries, at most " + std::to_string(viewer::max_rank) +
                          " are possible");
    }
    return result;
}

index_t parse_or(const char* option, const std::optional<std::string>& text, index_t smallest,
                 index_t largest, index_t otherwise) {
    return text ? parse_integer(option, *text, smallest, largest) : otherwise;
}

void refuse(const std::optional<std::string>& given, const std::string& message) {
    if (given) {
        throw usage_error(message);
    }
}

indices parse_shape(const options& o) {
    const indices shape = parse_list("--shape", o.shape, 1, viewer::max_elements);
    long long elements = 1;
    for (const index_t extent : shape) {
        elements *= extent;
        if (elements > viewer::max_elements) {
            throw usage_error("--shape " + *o.shape + " has more than " +
                              std::to_string(viewer::max_elements) + " elements");
        }
    }
    return shape;
}

viewer::distribution named_distribution(const options& o) {
    for (const auto* given : {&o.stride, &o.dims, &o.thread_stride}) {
        refuse(*given, "--stride, --dims and --thread-stride go with --shape, not with a name");
    }
    for (const viewer::named_view& named : viewer::named_views()) {
        if (named.name != *o.name) {
            continue;
        }
        const index_t pitch = parse_or("--pitch", o.pitch, 1, viewer::max_stride, named.pitch);
        viewer::distribution view = named.make(pitch);
        if (view.pitch < view.columns) {
            throw usage_error("--pitch is " + std::to_string(view.pitch) + ", but a row has " +
                              std::to_string(view.columns) + " elements");
        }
        view.name = named.name;
        view.description = named.description;
        view.element_bytes = named.element_bytes;
        view.default_operation = named.operation;
        if (o.pitch && !named.operation.empty()) {
            // The description speaks of the pitch that the name stands for.
            const std::string text = "pitch " + std::to_string(named.pitch);
            view.description.replace(view.description.find(text), text.size(),
                                     "pitch " + std::to_string(pitch));
        }
        return view;
    }
    throw usage_error("there is no layout '" + *o.name + "'; --list prints their names");
}

viewer::distribution given_distribution(const options& o) {
    refuse(o.pitch, "--pitch goes with a name; with --shape it is the first entry of --stride");
    viewer::distribution view = viewer::distribute(
        *o.dims, parse_shape(o), parse_list("--stride", o.stride, 0, viewer::max_stride),
        parse_list("--thread-stride", o.thread_stride, 0, viewer::max_elements));
    view.name = "--shape " + *o.shape + " --dims " + *o.dims;
    return view;
}

struct output {
    std::string text;
    std::string svg;
};

output show_offsets(const options& o, bool colours) {
    for (const auto* given : {&o.thread_stride, &o.thread, &o.lds, &o.element_bytes, &o.pitch}) {
        refuse(*given,
               "--thread-stride, --thread, --lds, --element-bytes and --pitch are about threads: "
               "--dims says how the layout is spread over them");
    }
    const viewer::offset_table table =
        viewer::tabulate(parse_shape(o), parse_list("--stride", o.stride, 0, viewer::max_stride));
    return {text_of(table, colours), svg_of(table)};
}

output show_lds(const options& o, const viewer::distribution& view, bool colours) {
    refuse(o.thread, "--thread is for a picture of registers, not of --lds");
    const viewer::lds_rule rule =
        viewer::find_rule(o.lds.value_or(view.default_operation), o.arch.value_or("gfx942"));
    const index_t number = parse_or("--access", o.access, 0, viewer::max_elements, 0);
    const viewer::lds_access access = viewer::analyse(view, rule, number);
    index_t worst = 1;
    for (index_t i = 0; i < access.accesses; ++i) {
        worst = std::max(worst, viewer::analyse(view, rule, i).worst);
    }
    return {text_of(view, access, worst, colours), svg_of(view, access)};
}

output show_registers(const options& o, const viewer::distribution& view, bool colours) {
    refuse(o.element_bytes, "--element-bytes is for --lds");
    const index_t thread = parse_or("--thread", o.thread, 0, view.threads - 1, 0);
    return {text_of(view, thread, colours), svg_of(view, thread)};
}

output show_waves(const options& o, const viewer::distribution& view) {
    for (const auto* given : {&o.thread, &o.lds, &o.element_bytes, &o.arch, &o.access}) {
        refuse(*given, "--waves goes with a name and --pitch alone");
    }
    if (view.operand_registers == 0) {
        throw usage_error("--waves is for C of a tiled mma, tiled_*_c and tiled_*_c_swap_ab");
    }
    return {text_of_waves(view), svg_of_waves(view)};
}

output show(const options& o, bool colours) {
    if (o.name.has_value() == o.shape.has_value()) {
        throw usage_error(
            "either the name of a layout or --shape is required; --list prints names");
    }
    if (o.waves && !o.name) {
        throw usage_error("--waves goes with a name and --pitch alone");
    }
    if (o.shape && !o.dims) {
        for (const auto* given : {&o.arch, &o.access}) {
            refuse(*given, "--arch and --access are for --lds");
        }
        return show_offsets(o, colours);
    }
    viewer::distribution view = o.name ? named_distribution(o) : given_distribution(o);
    if (o.waves) {
        return show_waves(o, view);
    }
    if (o.element_bytes && view.element_bytes != 0) {
        view.element_bytes = parse_integer("--element-bytes", *o.element_bytes, 1, 8);
        if ((view.element_bytes & (view.element_bytes - 1)) != 0) {
            throw usage_error("--element-bytes is " + *o.element_bytes +
                              ": it must be 1, 2, 4 or 8");
        }
    }
    if (o.lds || !view.default_operation.empty()) {
        return show_lds(o, view, colours);
    }
    for (const auto* given : {&o.arch, &o.access}) {
        refuse(*given, "--arch and --access are for --lds");
    }
    return show_registers(o, view, colours);
}

std::string list() {
    std::size_t width = 0;
    for (const viewer::named_view& named : viewer::named_views()) {
        width = std::max(width, named.name.size());
    }
    std::string text;
    for (const viewer::named_view& named : viewer::named_views()) {
        text +=
            named.name + std::string(width + 2 - named.name.size(), ' ') + named.description + "\n";
    }
    return text;
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        throw examples::file_error("standard output", "cannot write");
    }
}

void run(const options& o) {
    if (o.list) {
        print(list());
        return;
    }
    if (o.svg) {
        examples::check_writable(*o.svg);
    }
    const char* const terminal = std::getenv("TERM");
    const bool colours = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr &&
                         terminal != nullptr && std::string(terminal) != "dumb";
    const output result = show(o, colours);
    print(result.text);
    if (o.svg) {
        examples::replacement_file file(*o.svg);
        file.write(result.svg.data(), result.svg.size());
        file.commit();
    }
}

}  // namespace

int main(int argc, char** argv) {
    const char* const program = examples::program_name(argv[0]);
    options o;
    CLI::App app("Shows a layout: who holds which element, or which banks of LDS are hit", program);
    app.add_option("name", o.name, "A layout of --list");
    app.add_flag("--list", o.list, "Print the names, one on a line");
    app.add_option("--shape", o.shape, "Extents of a layout of your own: 48,32 or 3,16,4,8");
    app.add_option("--stride", o.stride, "Its strides (packed); with --dims those of the matrix");
    app.add_option("--dims", o.dims,
                   "How it is spread: p (across threads) or y (in registers) for each extent, with "
                   "a comma between the two dimensions of the matrix: yp,py");
    app.add_option("--thread-stride", o.thread_stride,
                   "thread = sum of p-coordinate * this; one for each p (packed)");
    app.add_option("--thread", o.thread, "Outline the elements of this thread, and list them (0)");
    app.add_option("--pitch", o.pitch,
                   "Elements from one row to the next, for a layout with a name");
    app.add_option(
        "--lds", o.lds,
        "Show the banks of such an instruction: read_b32, read_b64, read_b96, read_b128, "
        "write_b64, write_b128");
    app.add_option("--arch", o.arch, "Of --lds: gfx942 or gfx950 (gfx942)");
    app.add_option("--element-bytes", o.element_bytes, "Of --lds: 1, 2, 4 or 8");
    app.add_option("--access", o.access, "Of --lds: which access of a lane, by its registers (0)");
    app.add_flag("--waves", o.waves,
                 "Of C of a tiled mma: which wave has what, in which registers");
    app.add_option("--svg", o.svg, "Write the picture to this file");
    app.footer(
        "  layout_viewer tile_48x32 --svg tile.svg\n"
        "  layout_viewer --shape 3,16,4,8 --dims yp,py --stride 50,1\n"
        "  layout_viewer tiled_64x32x16_c --waves\n"
        "  layout_viewer lds_read_b64 --arch gfx950\n"
        "  layout_viewer mfma_16x16x16_a --lds read_b64 --pitch 20\n"
        "Status: 0, or 2 and one line on stderr.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& e) {
        return examples::fail(program, e.what());
    }
    try {
        if (o.list && argc != 2) {
            throw usage_error("--list goes alone");
        }
        run(o);
        return 0;
    } catch (const std::bad_alloc&) {
        return examples::fail(program, "out of memory");
    } catch (const std::exception& e) {
        return examples::fail(program, e.what());
    }
}
