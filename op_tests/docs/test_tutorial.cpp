// The table of docs/tutorial.md: what each step costs by its assembly, the emulator's profile and the
// time model. Prints the rows, which must stand in the page. Times may differ by a twentieth: they depend
// on where the matrices lie in memory.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "../codegen/isa.hpp"

namespace {

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The first number behind `"name":` from the first `"section":` on.
double number(const std::string& json, const std::string& section, const std::string& name) {
    const size_t from = json.find("\"" + section + "\":");
    const std::string key = "\"" + name + "\":";
    const size_t at = from == std::string::npos ? from : json.find(key, from);
    if (at == std::string::npos) {
        ADD_FAILURE() << section << ", " << name << " in " << json;
        return 0;
    }
    return std::atof(json.c_str() + at + key.size());
}

struct figures {
    int loop;
    int products;
    double megabytes;
    double conflicts;  // of the clocks of LDS, in percent
    double microseconds;
};

figures figures_of(const std::string& arch, const std::string& step, const std::string& part) {
    const codegen::kernel_isa loop =
        codegen::kernel_with(OPUS_TUTORIAL_ISA + arch + ".s", part).hot_loop();
    const std::string profile = testing::TempDir() + "tutorial_" + arch + "_" + step;
    std::filesystem::remove(profile);
    const std::string command = "OPUS_EMU_ARCH=" + arch + " OPUS_EMU_PROFILE=json" +
                                " OPUS_EMU_PROFILE_FILE='" + profile + "'" +
                                " OPUS_EMU_TIMELINE=/dev/null OPUS_EMU_TIMELINE_ONLY=1 '" +
                                OPUS_TUTORIAL + "' " + step;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    const std::string json = contents(profile);
    const double lds = number(json, "busy", "LDS") * number(json, "timeline", "clocks");
    return {loop.total(), loop.mfma(),
            (number(json, "global_bytes", "read") + number(json, "global_bytes", "written")) / 1e6,
            lds > 0 ? 100 * number(json, "timeline", "lds_conflicts") / lds : 0,
            1e6 * number(json, "timeline", "launch_seconds")};
}

// "12, 13", or "12" if they are equal.
std::string both(double gfx942, double gfx950, const char* unit = "") {
    char text[64];
    std::snprintf(text, sizeof(text), "%.0f%s", gfx942, unit);
    std::string result = text;
    std::snprintf(text, sizeof(text), "%.0f%s", gfx950, unit);
    return result == text ? result : result + ", " + text;
}

TEST(tutorial, table) {
    const std::string page = contents(OPUS_TUTORIAL_PAGE);
    struct {
        const char* step;
        const char* part;  // of the kernel's symbol
    } const rows[] = {{"one_tile", "8one_tile"},           {"any_size", "8any_sizeILi4E"},
                      {"through_lds", "11through_lds"},    {"swizzled", "8swizzled"},
                      {"two_buffers", "11two_buffers"},    {"by_dma", "6by_dma"},
                      {"with_epilogue", "13with_epilogue"}};
    int step = 2;
    for (const auto& [name, part] : rows) {
        const figures x = figures_of("gfx942", name, part);
        const figures y = figures_of("gfx950", name, part);
        const std::string row = "\n| " + std::to_string(step++) + ": `" + name + "` | " +
                                both(x.loop, y.loop) + " | " + both(x.products, y.products) +
                                " | " + both(x.megabytes, y.megabytes) + " | " +
                                both(x.conflicts, y.conflicts, " %") + " | ";
        std::printf("%s%s |", row.c_str(), both(x.microseconds, y.microseconds).c_str());
        const size_t at = page.find(row);
        double times[2] = {};
        if (at == std::string::npos ||
            std::sscanf(page.c_str() + at + row.size(), "%lf, %lf |", &times[0], &times[1]) != 2) {
            ADD_FAILURE() << "the page has no such row: " << row;
            continue;
        }
        EXPECT_NEAR(times[0], x.microseconds, x.microseconds / 20) << name << ", gfx942";
        EXPECT_NEAR(times[1], y.microseconds, y.microseconds / 20) << name << ", gfx950";
    }
    std::printf("\n");
}

}  // namespace
