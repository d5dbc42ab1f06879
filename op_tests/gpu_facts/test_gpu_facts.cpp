// gpu_facts on the emulator: as it is nothing differs; with one thing altered, exactly what depends
// on that does. OPUS_EMU_ARCH says which target.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct run {
    int status = -1;
    std::string out;
    std::vector<std::string> lines;
    std::string json;

    // "kind/name" of the facts with a verdict.
    std::set<std::string> facts(const std::string& verdict) const {
        std::set<std::string> names;
        for (const std::string& line : lines) {
            if (line.rfind(verdict + " ", 0) == 0) {
                const std::size_t begin = line.find_first_not_of(' ', verdict.size());
                names.insert(line.substr(begin, line.find(": assumed ") - begin));
            }
        }
        return names;
    }
    int count(const std::string& kind) const {
        int n = 0;
        for (const char* verdict : {"same", "different", "cannot"}) {
            for (const std::string& name : facts(verdict)) {
                n += name.rfind(kind + "/", 0) == 0 ? 1 : 0;
            }
        }
        return n;
    }
};

std::string arch() {
    const char* const name = std::getenv("OPUS_EMU_ARCH");
    return name == nullptr ? "gfx942" : name;
}

std::string contents(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

// In a directory of its own. `variables`: NAME=VALUE ...
run facts(const std::string& arguments, const std::string& variables = "") {
    std::string directory = (fs::temp_directory_path() / "gpu_facts.XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) {
        ADD_FAILURE() << "no directory";
        return {};
    }
    const std::string command = "cd '" + directory + "' && env " + variables +
                                " '" GPU_FACTS_PROGRAM "' --quick " + arguments + " 2>&1";
    run r;
    FILE* const pipe = ::popen(command.c_str(), "r");
    char part[4096];
    while (std::fgets(part, sizeof(part), pipe) != nullptr) {
        r.out += part;
    }
    const int status = ::pclose(pipe);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::istringstream in(r.out);
    for (std::string line; std::getline(in, line);) {
        r.lines.push_back(line);
    }
    r.json = contents(fs::path(directory) / ("gpu_facts-" + arch() + "-emulated.json"));
    fs::remove_all(directory);
    return r;
}

using names = std::set<std::string>;

const std::string both = "--kind bits --kind memory_rules";

TEST(gpu_facts, nothing_differs) {
    const run r = facts(both);
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.facts("different"), names{});
    // Each fact is a line, and one of the file.
    EXPECT_GE(r.count("bits"), 200);
    EXPECT_GE(r.count("memory_rules"), 60);
    std::size_t in_file = 0;
    for (std::size_t at = 0; (at = r.json.find("{\"kind\": ", at)) != std::string::npos; ++at) {
        ++in_file;
    }
    EXPECT_EQ(in_file, static_cast<std::size_t>(r.count("bits") + r.count("memory_rules")));
    // What cannot be told says so, and is little: digests, bits of NaN, and accesses beyond LDS,
    // which end a kernel on the emulator.
    for (const std::string& name : r.facts("cannot")) {
        EXPECT_TRUE(
            name.find("digest") != std::string::npos || name.find("v_sin_f") != std::string::npos ||
            name.find("v_cos_f") != std::string::npos || name.find("NaN") != std::string::npos ||
            name.find("inf") != std::string::npos || name.find("beyond LDS") != std::string::npos ||
            name.find("overwritten at once") != std::string::npos)
            << name;
    }
    // The last line counts them.
    ASSERT_FALSE(r.lines.empty());
    const std::string total =
        std::to_string(in_file) + " facts: " + std::to_string(r.facts("same").size()) +
        " same, 0 different, " + std::to_string(r.facts("cannot").size()) + " cannot be told";
    EXPECT_EQ(r.lines.back().substr(0, total.size()), total);
}

// All sums of products that are published for gfx942, and those alone: of f32 and f64 fma is what
// is published, and for gfx950 it is assumed.
TEST(gpu_facts, sees_how_matrix_instructions_add) {
    const run r = facts("--kind bits", "OPUS_EMU_MATRIX=fma");
    names wanted;
    if (arch() == "gfx942") {
        for (const std::string& name : r.facts("same")) {
            EXPECT_TRUE(name.find(" sums") == std::string::npos ||
                        name.find("_f64 ") != std::string::npos ||
                        (name.find("_f32 ") != std::string::npos &&
                         name.find("_xf32 ") == std::string::npos))
                << name;
        }
        for (const char* shape :
             {"32x32x4_xf32",     "16x16x8_xf32",     "32x32x8_f16",      "16x16x16_f16",
              "32x32x4_2b_f16",   "16x16x4_4b_f16",   "4x4x4_16b_f16",    "32x32x8_bf16",
              "16x16x16_bf16",    "32x32x4_2b_bf16",  "16x16x4_4b_bf16",  "4x4x4_16b_bf16",
              "32x32x16_fp8_fp8", "32x32x16_fp8_bf8", "32x32x16_bf8_fp8", "32x32x16_bf8_bf8",
              "16x16x32_fp8_fp8", "16x16x32_fp8_bf8", "16x16x32_bf8_fp8", "16x16x32_bf8_bf8"}) {
            wanted.insert(std::string("bits/v_mfma_f32_") + shape + " sums");
        }
        // It says what fits instead.
        EXPECT_NE(r.out.find("seen one fma after another in all"), std::string::npos);
    }
    EXPECT_EQ(r.facts("different"), wanted);
    EXPECT_EQ(r.status, wanted.empty() ? 0 : 1) << r.out;
}

TEST(gpu_facts, sees_one_rule_of_a_buffer) {
    const run r = facts("--kind memory_rules", "OPUS_EMU_BUFFER_SUM=wraps");
    EXPECT_EQ(r.status, 1) << r.out;
    EXPECT_EQ(r.facts("different"), names{"memory_rules/voffset + soffset beyond 2^32"});
}

// A fact that ends its process costs itself alone: with the emulator's checks some do.
TEST(gpu_facts, goes_on_behind_a_fact_that_ends_its_process) {
    const run usual = facts("--kind memory_rules");
    const run r = facts("--kind memory_rules", "OPUS_EMU_CHECK=alignment,hazards");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.count("memory_rules"), usual.count("memory_rules"));
    EXPECT_EQ(
        r.facts("different"),
        (names{"memory_rules/s_buffer_load_dwordx4 at an unaligned offset",
               "memory_rules/a wide store with an SGPR offset, its data overwritten at once"}))
        << r.out;
    EXPECT_NE(r.out.find("seen the process ended with status 70"), std::string::npos);
}

// Whatever ends it, its file has what was seen until then.
TEST(gpu_facts, keeps_what_it_saw) {
    const fs::path file = fs::temp_directory_path() / ("gpu_facts." + std::to_string(::getpid()));
    const std::string command = "'" GPU_FACTS_PROGRAM "' --kind bits --json '" + file.string() +
                                "' >/dev/null & for n in $(seq 200); do [ ! -s '" + file.string() +
                                "' ] || break; sleep 0.05; done; kill -9 $!";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string json = contents(file);
    fs::remove(file);
    EXPECT_NE(json.find("{\"kind\": \"bits\""), std::string::npos);
    EXPECT_EQ(json.rfind("\n  ]\n}\n"), json.size() - 7) << json;
}

TEST(gpu_facts, lists_what_it_assumes) {
    const run r = facts("--list " + both);
    EXPECT_EQ(r.status, 0);
    EXPECT_GE(r.lines.size(), 260u);
    EXPECT_EQ(r.json, "");
}

TEST(gpu_facts, refuses_what_it_does_not_know) {
    EXPECT_EQ(facts("--kind colours").status, 2);
    EXPECT_EQ(facts("--kind bits", "OPUS_EMU_ARCH=gfx90a").status, 2);
    EXPECT_EQ(facts("--list --kind bits --json /nowhere/x.json").status, 0);
    EXPECT_EQ(facts("--kind memory_rules --json /nowhere/x.json").status, 2);
}

}  // namespace
