// gpu_facts: looks at a GPU, or at the emulator, for each thing that this repository assumes about
// gfx942 and gfx950, and writes what it saw into a file. On the emulator it shows the assumptions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "facts.hpp"

namespace gpu_facts {

const kind kinds[] = {
    {"bits", bits, "none"},
    {"memory_rules", memory_rules, "none"},
    {"wait_states", wait_states},
    {"errata", errata},
    {"times", times},
};
const std::size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);

}  // namespace gpu_facts

namespace {

int fail(const std::string& what) {
    std::fprintf(stderr, "gpu_facts: %s\n", what.c_str());
    return 2;
}

bool write(const std::string& file, const gpu_facts::result& r) {
    std::ofstream out(file, std::ios::binary);
    out << json_of(r);
    out.close();
    return !out.fail();
}

int run(const std::vector<std::string>& names, gpu_facts::request asked, std::string file,
        int minutes) {
    using namespace gpu_facts;
    using clock = std::chrono::steady_clock;
    if (!file.empty() && !asked.only_list && !std::ofstream(file, std::ios::app)) {
        return fail("cannot write " + file);
    }
    asked.end = clock::now() + std::chrono::minutes(minutes);
    result r;
    clock::time_point written;
    // What is known so far, each second: whatever ends this program, it is kept.
    const auto keep = [&] {
        if (file.empty()) {
            file = file_name(r.on);
        }
        if (clock::now() - written > std::chrono::seconds(1) &&
            (!std::filesystem::exists(file) || std::filesystem::is_regular_file(file))) {
            write(file, r);
            written = clock::now();
        }
    };
    for (std::size_t i = 0; i < kind_count; ++i) {
        const bool wanted =
            names.empty() || std::find(names.begin(), names.end(), kinds[i].name) != names.end();
        if (wanted && !run_kind(kinds[i], asked, r, keep)) {
            return 2;
        }
    }
    if (asked.only_list) {
        return 0;
    }
    if (file.empty()) {
        file = file_name(r.on);
    }
    if (!write(file, r)) {
        return fail("cannot write " + file);
    }
    bool differs = false;
    for (const fact& f : r.facts) {
        differs = differs || f.found.said == verdict::different;
    }
    std::printf("device: %s (%s); written to %s\n", r.on.name.c_str(), r.on.arch.c_str(),
                file.c_str());
    std::printf("%s\n", summary_of(r.facts).c_str());
    return differs ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> names;
    std::string file;
    int minutes = 5;
    gpu_facts::request asked;
    CLI::App app(
        "Looks at the GPU for each thing that is assumed about gfx942 and gfx950. Each is one "
        "line:\n"
        "same, different or cannot (be told), its name, what is assumed, what was seen.",
        "gpu_facts");
    std::vector<std::string> all;
    for (std::size_t i = 0; i < gpu_facts::kind_count; ++i) {
        all.emplace_back(gpu_facts::kinds[i].name);
    }
    app.add_option("--kind", names, "Only these kinds")->check(CLI::IsMember(all));
    app.add_option("--name", asked.part, "Only facts whose name contains this")->type_name("TEXT");
    app.add_option("--json", file, "The file to write (gpu_facts-<device>.json)")
        ->type_name("FILE");
    app.add_option("--minutes", minutes, "At most so many on a GPU (5)")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    app.add_flag("--quick", asked.quick, "Fewer random operands and repetitions");
    app.add_flag("--list", asked.only_list, "Print what is assumed, without looking");
    app.footer("Status: 0 nothing differs, 1 something does, 2 no device or wrong options.");
    try {
        app.parse(argc, argv);
        return run(names, asked, file, minutes);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const std::exception& e) {
        return fail(e.what());
    }
}
