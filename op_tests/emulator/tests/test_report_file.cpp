// OPUS_EMU_REPORT: what was reported, as JSON, read back with LLVM's parser.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include <fstream>
#include <sstream>

#include "twins.hpp"

namespace emu {
namespace {

// What a process that ends with status 70 after this kernel has written.
llvm::json::Object reports_of(const std::string& source, uint32_t checks, check_mode mode) {
    const std::string path = ::testing::TempDir() + "opus_emu_report.json";
    std::remove(path.c_str());
    setenv("OPUS_EMU_REPORT", path.c_str(), 1);
    const auto run = [&] {
        kernel_run(gfx_target::gfx942, source, 1, checks, mode).run(10000);
        std::exit(0);
    };
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(failure_status), "");
    unsetenv("OPUS_EMU_REPORT");
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = llvm::json::parse(text.str());
    if (!parsed) {
        ADD_FAILURE() << llvm::toString(parsed.takeError()) << text.str();
        return {};
    }
    return *parsed->getAsObject();
}

std::string text_of(const llvm::json::Object& place, llvm::StringRef key) {
    return place.getString(key).value_or("(nothing)").str();
}

const std::string store = "global_store_dword v1, v0, s[0:1]\n";

TEST(report_file, the_report_that_ends_the_process) {
    const auto all = reports_of("v_mov_b32 v5, 1\n v_mov_b32 v6, v9",
                                check::uninitialized_registers, check_mode::stop);
    EXPECT_EQ(all.getInteger("reports"), 1);
    const auto& places = *all.getArray("places");
    ASSERT_EQ(places.size(), 1u);
    const auto& place = *places[0].getAsObject();
    EXPECT_EQ(text_of(place, "check"), "uninitialized_registers");
    EXPECT_EQ(text_of(place, "message"),
              "lane 0: v9 is read before anything is written there (the value is 0x00000000 "
              "(0 as f32))");
    EXPECT_EQ(text_of(place, "kernel"), "kernel");
    EXPECT_EQ(text_of(place, "offset"), "+0x4");
    EXPECT_EQ(text_of(place, "instruction"), "v_mov_b32_e32 v6, v9");
    EXPECT_EQ(place.getInteger("wave"), 0);
    ASSERT_EQ(place.getArray("group")->size(), 3u);
}

TEST(report_file, all_reports_of_a_run_that_goes_on) {
    const auto all = reports_of(
        "s_mov_b32 s9, 3\n2:\n v_mov_b32 v6, v9\n s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n"
        "s_cbranch_scc1 2b\n v_mov_b32 v6, v10\n",
        check::uninitialized_registers, check_mode::report);
    EXPECT_EQ(all.getInteger("reports"), 4);
    const auto& places = *all.getArray("places");
    ASSERT_EQ(places.size(), 2u);
    EXPECT_EQ(places[0].getAsObject()->getInteger("count"), 3);
    EXPECT_EQ(text_of(*places[1].getAsObject(), "message"),
              "lane 0: v10 is read before anything is written there (the value is 0x00000000 "
              "(0 as f32))");
}

TEST(report_file, an_error_that_is_no_checks) {
    const auto all = reports_of("1: s_branch 1b", check::none, check_mode::report);
    const auto& places = *all.getArray("places");
    ASSERT_EQ(places.size(), 1u);
    EXPECT_EQ(text_of(*places[0].getAsObject(), "check"), "error");
    EXPECT_THAT(text_of(*places[0].getAsObject(), "message"), ::testing::HasSubstr("endless loop"));
}

TEST(report_file, that_cannot_be_written) {
    setenv("OPUS_EMU_REPORT", "/no/such/directory/file.json", 1);
    const auto run = [&] {
        kernel_run(gfx_target::gfx942, "v_mov_b32 v6, v9", 1, check::uninitialized_registers).run();
    };
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(failure_status),
                "OPUS_EMU_REPORT=/no/such/directory/file.json cannot be written: No such file");
    unsetenv("OPUS_EMU_REPORT");
}

}  // namespace
}  // namespace emu
