// SPDX-License-Identifier: MIT
//
// layout_viewer: shows a layout as a table in the terminal and as an SVG picture. It shows which
// thread holds which element of a matrix in which register, or which banks of LDS the lanes of a
// wave access, and whether they conflict. It runs on the host, where opus computes layouts too.
//
// examples/layout_viewer/views.hpp asks opus for layouts, mma.hpp for those of the matrix
// instructions; lds.hpp has the banks, names.hpp the short-hands; text.hpp and svg.hpp draw.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "common/options.hpp"
#include "common/output_file.hpp"
#include "layout_viewer/lds.hpp"
#include "layout_viewer/mma.hpp"
#include "layout_viewer/names.hpp"
#include "layout_viewer/svg.hpp"
#include "layout_viewer/text.hpp"
#include "layout_viewer/views.hpp"

namespace {

using examples::parse_integer;
using examples::usage_error;
using viewer::index_t;
using viewer::indices;

using text = std::optional<std::string>;

struct options {
    text name;
    bool list = false;

    text shape;
    text stride;
    text dims;
    text thread_stride;

    text mma;
    text operand;
    bool swap = false;
    bool chained = false;
    text expand;
    text tile;

    text pitch;
    bool transposed = false;
    text swizzle;

    text thread;
    bool full = false;
    bool waves = false;
    text lds;
    text arch;
    text access;
    text element_bits;
    text svg;
};

void add_options(CLI::App& app, options& o) {
    app.add_option("name", o.name, "A layout of --list: a name for some of the options below")
        ->type_name("NAME");
    app.add_flag("--list", o.list, "Print the names, and what they stand for");
    const auto add = [&](const char* group, const char* name, text& value, const char* type,
                         const char* what) {
        app.add_option(name, value, what)->type_name(type)->group(group);
    };
    const auto flag = [&](const char* group, const char* name, bool& value, const char* what) {
        app.add_flag(name, value, what)->group(group);
    };

    const char* const own = "A layout of your own";
    add(own, "--shape", o.shape, "N,...", "Its extents: 48,32 or 3,16,4,8");
    add(own, "--dims", o.dims, "LETTERS",
        "How it is spread: p (across threads) or y (in registers) for each extent, with a comma "
        "between the two dimensions of the matrix: yp,py. Without: its offsets");
    add(own, "--thread-stride", o.thread_stride, "N,...",
        "thread = sum of p-coordinate * this; one for each p (packed)");

    const char* const mma = "An operand of a matrix instruction";
    add(mma, "--mma", o.mma, "TYPE[,TYPE[,TYPE]],M,N,K",
        "The instruction: f16,32,32,8 or, for A and B of two types, fp8,fp4,16,16,128, or with C "
        "f16,f16,f32,32,32,8");
    add(mma, "--operand", o.operand, "a|b|c|scale_a|scale_b",
        "Which; B as rows of N and columns of K");
    flag(mma, "--swap", o.swap, "C as with mfma_adaptor_swap_ab");
    flag(mma, "--chained", o.chained, "A or B with K in the order of chain_a, chain_b");
    add(mma, "--expand", o.expand, "M,N,K", "Of a tiled mma: repeats of the instruction (1,1,1)");
    add(mma, "--tile", o.tile, "M,N,K", "Of a tiled mma: waves (1,1,1)");

    const char* const memory = "Where its elements are in memory";
    add(memory, "--stride", o.stride, "N,...",
        "For each dimension of the matrix, in elements, as partition_layout_a takes them; of a "
        "--shape without --dims for each extent (packed)");
    add(memory, "--pitch", o.pitch, "ELEMENTS",
        "In place of --stride: from one row to the next (no padding)");
    flag(memory, "--transposed", o.transposed,
         "A column of the matrix is a row of the memory, for --pitch, too");
    add(memory, "--swizzle", o.swizzle, "BITS,BASE,SHIFT",
        "Of every offset, opus::swizzle<BITS, BASE, SHIFT>: of bits BASE on BITS are xor-ed with "
        "those SHIFT further");

    const char* const shown = "What is shown";
    add(shown, "--thread", o.thread, "N", "Outline the elements of this thread, list offsets (0)");
    flag(shown, "--full", o.full, "Print a cell for each element, however wide that is");
    flag(shown, "--waves", o.waves, "Of C: which wave has what, in which registers");
    add(shown, "--lds", o.lds, "INSTRUCTION",
        "The banks that a wave hits: read_b32, read_b64, read_b96, read_b128, write_b64, "
        "write_b128, read_b64_tr_b16, read_b64_tr_b8, read_b64_tr_b4, read_b96_tr_b6");
    add(shown, "--arch", o.arch, "gfx942|gfx950", "Of --lds (gfx942)");
    add(shown, "--access", o.access, "N",
        "Of --lds: which access of a lane, in the order of its registers (0)");
    add(shown, "--element-bits", o.element_bits, "4|6|8|16|32|64",
        "Of --lds and --shape: the size of an element (16)");
    add(shown, "--svg", o.svg, "FILE", "Write the picture to this file");
}

// 48,32
indices parse_list(const char* option, const text& list, index_t smallest, index_t largest) {
    indices result;
    if (!list) {
        return result;
    }
    for (std::size_t begin = 0; begin <= list->size();) {
        const std::size_t end = std::min(list->find(',', begin), list->size());
        result.push_back(
            parse_integer(option, list->substr(begin, end - begin), smallest, largest));
        begin = end + 1;
    }
    if (result.size() > static_cast<std::size_t>(viewer::max_rank)) {
        throw usage_error(std::string(option) + " has " + std::to_string(result.size()) +
                          " entries, at most " + std::to_string(viewer::max_rank) +
                          " are possible");
    }
    return result;
}

// The same with a fixed number of entries.
indices parse_entries(const char* option, const std::string& list, std::size_t count,
                      index_t smallest, index_t largest) {
    const indices result = parse_list(option, text(list), smallest, largest);
    if (result.size() != count) {
        throw usage_error(std::string(option) + " is '" + list + "': it must be " +
                          std::to_string(count) + " integers with commas between them");
    }
    return result;
}

index_t parse_or(const char* option, const text& value, index_t smallest, index_t largest,
                 index_t otherwise) {
    return value ? parse_integer(option, *value, smallest, largest) : otherwise;
}

void refuse(bool given, const std::string& message) {
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

viewer::mma_operand parse_mma(const options& o) {
    // The last three entries are M, N and K.
    std::size_t types = o.mma->size();
    for (int i = 0; i < 3 && types != std::string::npos && types != 0; ++i) {
        types = o.mma->rfind(',', types - 1);
    }
    if (types == std::string::npos || types == 0) {
        throw usage_error("--mma is '" + *o.mma +
                          "': it must be one to three types, M, N and K, such as f16,32,32,8");
    }
    viewer::mma_operand operand;
    operand.instr = &viewer::find_instruction(
        o.mma->substr(0, types), parse_entries("--mma", o.mma->substr(types + 1), 3, 1, 1024));
    operand.operand = o.operand.value_or("");
    const std::string& which = operand.operand;
    if (which != "a" && which != "b" && which != "c" && which != "scale_a" && which != "scale_b") {
        throw usage_error("--operand is '" + which + "': it must be a, b, c, scale_a or scale_b");
    }
    operand.swap = o.swap;
    operand.chained = o.chained;
    operand.tiled = o.expand || o.tile;
    constexpr index_t most = 64;
    operand.expand = parse_entries("--expand", o.expand.value_or("1,1,1"), 3, 1, most);
    operand.tile = parse_entries("--tile", o.tile.value_or("1,1,1"), 3, 1, most);
    return operand;
}

viewer::swizzle parse_swizzle(const options& o) {
    if (!o.swizzle) {
        return {};
    }
    const indices numbers = parse_entries("--swizzle", *o.swizzle, 3, -30, 30);
    const viewer::swizzle swizzle{numbers[0], numbers[1], numbers[2]};
    if (!swizzle.is_valid()) {
        throw usage_error("--swizzle is '" + *o.swizzle +
                          "': BITS and BASE must not be negative, SHIFT at least BITS or at most "
                          "-BITS, and BITS + BASE + |SHIFT| less than 31");
    }
    return swizzle;
}

viewer::placement parse_placement(const options& o) {
    viewer::placement place;
    place.strides = parse_list("--stride", o.stride, 0, viewer::max_stride);
    place.pitch = parse_or("--pitch", o.pitch, 1, viewer::max_stride, 0);
    place.transposed = o.transposed;
    place.swizzle = parse_swizzle(o);
    if (o.pitch || o.transposed) {
        refuse(o.stride.has_value(),
               "--pitch and --transposed do not go with --stride: both say where elements are");
        refuse(o.dims && o.dims->find(',') == std::string::npos,
               "--pitch and --transposed are for two dimensions");
    }
    return place;
}

viewer::distribution spread(const options& o) {
    const viewer::placement place = parse_placement(o);
    if (o.mma) {
        refuse(o.element_bits.has_value(), "--element-bits is for --shape: --mma has types");
        viewer::distribution view = distribute(parse_mma(o), place);
        view.name = "--mma " + *o.mma + " --operand " + *o.operand;
        return view;
    }
    viewer::distribution view = viewer::distribute(
        viewer::parse_dims(*o.dims, parse_shape(o)), place,
        parse_list("--thread-stride", o.thread_stride, 0, viewer::max_elements), {});
    view.name = "--shape " + *o.shape + " --dims " + *o.dims;
    view.description = "from the command line";
    if (o.element_bits) {
        view.element_bits = parse_integer("--element-bits", *o.element_bits, 1, 64);
        constexpr index_t sizes[] = {4, 6, 8, 16, 32, 64};
        if (std::find(std::begin(sizes), std::end(sizes), view.element_bits) == std::end(sizes)) {
            throw usage_error("--element-bits is " + *o.element_bits +
                              ": it must be 4, 6, 8, 16, 32 or 64");
        }
    }
    return view;
}

struct output {
    std::string text;
    std::string svg;
};

output show_offsets(const options& o, bool colours) {
    refuse(o.thread_stride || o.thread || o.lds || o.element_bits || o.pitch || o.transposed,
           "--thread-stride, --thread, --lds, --element-bits, --pitch and --transposed are about "
           "threads: --dims says how the layout is spread over them");
    const viewer::offset_table table = viewer::tabulate(
        parse_shape(o), parse_list("--stride", o.stride, 0, viewer::max_stride), parse_swizzle(o));
    return {text_of(table, o.full, colours), svg_of(table)};
}

output show_lds(const options& o, const viewer::distribution& view, bool colours) {
    refuse(o.thread || o.full, "--thread and --full are for a picture of registers, not of --lds");
    const viewer::lds_rule rule = viewer::find_rule(*o.lds, o.arch.value_or("gfx942"));
    const index_t number = parse_or("--access", o.access, 0, viewer::max_elements, 0);
    const viewer::lds_access access = viewer::analyse(view, rule, number);
    index_t worst = 1;
    for (index_t i = 0; i < access.accesses; ++i) {
        worst = std::max(worst, viewer::analyse(view, rule, i).worst);
    }
    return {text_of(view, access, worst, colours), svg_of(view, access)};
}

output show_registers(const options& o, const viewer::distribution& view, bool colours) {
    refuse(o.element_bits.has_value(), "--element-bits is for --lds");
    const index_t thread = parse_or("--thread", o.thread, 0, view.threads - 1, 0);
    return {text_of(view, thread, o.full, colours), svg_of(view, thread)};
}

output show_waves(const options& o, const viewer::distribution& view) {
    refuse(o.thread || o.full || o.lds || o.element_bits,
           "--waves shows C of an mma without --thread, --full and --lds");
    if (view.operand_registers == 0) {
        throw usage_error("--waves is for C of an mma of one block");
    }
    return {text_of_waves(view), svg_of_waves(view)};
}

// The options that a name stands for, plus the given ones that apply to any layout.
options resolved(const options& given, std::string& description) {
    if (!given.name) {
        return given;
    }
    refuse(given.shape || given.stride || given.dims || given.thread_stride || given.mma ||
               given.operand || given.swap || given.chained || given.expand || given.tile,
           "a name stands for a layout: --shape, --mma and what belongs to them do not go with it");
    for (const viewer::named_view& named : viewer::named_views()) {
        if (named.name != *given.name) {
            continue;
        }
        options o;
        CLI::App app;
        add_options(app, o);
        app.parse(named.arguments);
        const auto overrule = [](text& value, const text& by) { value = by ? by : value; };
        overrule(o.pitch, given.pitch);
        overrule(o.swizzle, given.swizzle);
        overrule(o.thread, given.thread);
        overrule(o.lds, given.lds);
        overrule(o.arch, given.arch);
        overrule(o.access, given.access);
        overrule(o.element_bits, given.element_bits);
        o.transposed |= given.transposed;
        o.full |= given.full;
        o.waves |= given.waves;
        description = named.description;
        return o;
    }
    throw usage_error("there is no layout '" + *given.name + "'; --list prints their names");
}

output show(const options& given, bool colours) {
    if (given.name.has_value() + given.shape.has_value() + given.mma.has_value() != 1) {
        throw usage_error(
            "either the name of a layout, --shape or --mma is required; --list prints names");
    }
    std::string description;
    const options o = resolved(given, description);
    refuse(!o.mma && (o.operand || o.swap || o.chained || o.expand || o.tile),
           "--operand, --swap, --chained, --expand and --tile go with --mma");
    refuse(o.mma && (o.dims || o.thread_stride), "--dims and --thread-stride go with --shape");
    refuse(o.waves && !o.mma, "--waves is for C of an mma of one block");
    refuse(!o.lds && (o.arch || o.access), "--arch and --access are for --lds");
    if (o.shape && !o.dims) {
        return show_offsets(o, colours);
    }
    viewer::distribution view = spread(o);
    if (given.name) {
        view.name = *given.name;
        view.description = description;
    }
    if (o.waves) {
        return show_waves(o, view);
    }
    return o.lds ? show_lds(o, view, colours) : show_registers(o, view, colours);
}

std::string list() {
    std::size_t width = 0;
    for (const viewer::named_view& named : viewer::named_views()) {
        width = std::max(width, named.name.size());
    }
    std::string result;
    for (const viewer::named_view& named : viewer::named_views()) {
        result += named.name + std::string(width + 2 - named.name.size(), ' ') + named.description +
                  "\n" + std::string(width + 2, ' ') + named.arguments + "\n";
    }
    return result;
}

void print(const std::string& all) {
    if (std::fwrite(all.data(), 1, all.size(), stdout) != all.size() || std::fflush(stdout) != 0) {
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
    add_options(app, o);
    app.footer(
        "  layout_viewer tile_48x32 --thread 21 --svg tile.svg\n"
        "  layout_viewer --shape 3,16,4,8 --dims yp,py --stride 50,1\n"
        "  layout_viewer --mma fp8,fp4,16,16,128 --operand b\n"
        "  layout_viewer --mma bf16,32,32,8 --operand c --swap --expand 2,2,1 --tile 2,2,1 "
        "--waves\n"
        "  layout_viewer --mma f16,16,16,16 --operand a --lds read_b64 --pitch 20\n"
        "  layout_viewer lds_read_b128 --arch gfx950 --swizzle 3,3,4\n"
        "  layout_viewer --mma f16,f16,f32,16,16,16 --tile 2,2,1 --operand a --stride 100,1 "
        "--thread 161\n"
        "Numbers in parentheses are what an option is if it is not given. Offsets, strides and\n"
        "pitches count elements. Status: 0, or 2 and one line on stderr.");
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
