// What a report says, and OPUS_EMU_REPORT: what was reported, as JSON, read back with LLVM's parser.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "twins.hpp"

namespace emu {
namespace {

// What `f`, which reports something, leaves in the file.
template <class F>
llvm::json::Object written_by(F&& f) {
    const std::string path =
        ::testing::TempDir() + "opus_emu_report." + std::to_string(::getpid()) + ".json";
    setenv("OPUS_EMU_REPORT", path.c_str(), 1);
    f();
    unsetenv("OPUS_EMU_REPORT");
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    std::remove(path.c_str());
    auto parsed = llvm::json::parse(text.str());
    if (!parsed) {
        ADD_FAILURE() << llvm::toString(parsed.takeError()) << text.str();
        return {};
    }
    return *parsed->getAsObject();
}

// What a process that ends with status 70 after this kernel has written.
llvm::json::Object reports_of(const std::string& source, uint32_t checks, check_mode mode,
                              int waves = 1, std::array<uint32_t, 3> groups = {1, 1, 1}) {
    const auto run = [&] {
        kernel_run(gfx_target::gfx942, source, waves, checks, mode, groups).run(10000);
        end_with_reports();
    };
    return written_by([&] { EXPECT_REPORT(run(), ""); });
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

TEST(report_file, the_group_and_the_wave) {
    const auto all = reports_of(
        "s_cmp_lg_u32 s2, 1\n s_cbranch_scc1 1f\n s_cmp_lg_u32 s3, 1\n s_cbranch_scc1 1f\n"
        "s_cmp_lg_u32 s8, 2\n s_cbranch_scc1 1f\n s_cmp_lg_u32 s9, 3\n s_cbranch_scc1 1f\n"
        "v_rcp_f32 v3, 0\n1:",
        check::nan, check_mode::report, 2, {2, 3, 4});
    EXPECT_EQ(all.getInteger("reports"), 1);
    const auto& place = *(*all.getArray("places"))[0].getAsObject();
    EXPECT_EQ(place.getInteger("wave"), 1);
    EXPECT_EQ(*place.getArray("group"), (llvm::json::Array{1, 2, 3}));
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

// ---- what a report says ----

TEST(report, the_place) {
    workgroup group;
    const std::string name = "some_kernel";
    group.id = {4, 5, 6};
    group.entry = 0x1000;
    group.kernel_name = &name;
    wave w;
    w.index_in_group = 7;
    const auto text_at = [&](uint64_t pc) {
        return outcome_of([&] { fail_at(w, pc, "s_nop 0", "what is wrong"); }).text;
    };
    const auto report = [](const std::string& kernel, const std::string& pc,
                           const std::string& where) {
        return "opus emulator: what is wrong\n  kernel      " + kernel + "\n  pc          " + pc +
               " from its first instruction\n  instruction s_nop 0\n  group       " + where + "\n";
    };
    EXPECT_EQ(text_at(0x1000), report("unknown", "+0x1000", "(0, 0, 0), wave 7"));
    w.group = &group;
    EXPECT_EQ(text_at(0x1000), report("some_kernel", "+0x0", "(4, 5, 6), wave 7"));
    EXPECT_EQ(text_at(0x1001), report("some_kernel", "+0x1", "(4, 5, 6), wave 7"));
    EXPECT_EQ(text_at(0xfff), report("some_kernel", "-0x1", "(4, 5, 6), wave 7"));
    group.kernel_name = nullptr;
    EXPECT_EQ(text_at(0x1234), report("unknown", "+0x234", "(4, 5, 6), wave 7"));
}

// As opus_debug.hpp has it.
struct debug_record {
    uint32_t state = 2;
    int32_t line = 42;
    uint64_t file = 0;
    uint64_t what = 0;
    int64_t values[2] = {-5, 7};
    uint32_t group[3] = {1, 2, 3};
    uint32_t thread[3] = {4, 5, 6};
    uint32_t lane = 8;
};

TEST(report, what_a_check_of_the_header_leaves) {
    const device_bytes memory(sizeof(debug_record));
    device_bytes strings(5000);
    std::memset(strings.data(), 'x', strings.size());
    std::memcpy(strings.data(), "a.hip\0what is wrong", 20);
    workgroup group;
    const std::string name = "some_kernel";
    group.kernel_name = &name;
    group.debug_record = memory.address();
    wave w;
    w.group = &group;
    const auto outcome_with = [&](debug_record r, uint64_t file, uint64_t what) {
        r.file = strings.address() + file;
        r.what = strings.address() + what;
        std::memcpy(reinterpret_cast<void*>(memory.address()), &r, sizeof r);
        return outcome_of([&] { fail_if_debug_check(w); });
    };
    const auto report = [](const std::string& file, const std::string& what) {
        return "opus emulator: " + what + ": -5, 7\n  check       OPUS_DEBUG\n  source      " +
               file +
               ":42\n  kernel      some_kernel\n"
               "  group       (1, 2, 3), thread (4, 5, 6), lane 8\n";
    };
    EXPECT_EQ(outcome_with({}, 0, 6).text, report("a.hip", "what is wrong"));
    EXPECT_EQ(outcome_with({}, 0, 6).status, failure_status);
    const auto written = written_by([&] { outcome_with({}, 0, 6); });
    EXPECT_EQ(written.getInteger("reports"), 1);
    const auto& place = *(*written.getArray("places"))[0].getAsObject();
    EXPECT_EQ(place.getInteger("count"), 1);
    EXPECT_EQ(text_of(place, "message"), "OPUS_DEBUG: what is wrong");
    EXPECT_EQ(text_of(place, "source"), "a.hip:42");
    EXPECT_EQ(text_of(place, "instruction"), "s_trap");
    EXPECT_EQ(outcome_with({}, 4998, 20).text, report("xx", std::string(4096, 'x')))
        << "without an end";
    // It is not complete, or there is none.
    for (const uint32_t state : {0u, 1u, 3u}) {
        debug_record r;
        r.state = state;
        EXPECT_EQ(outcome_with(r, 0, 6).status, 0) << state;
    }
    EXPECT_EQ(outcome_with({}, 0, 6).status, failure_status);
    group.debug_record = memory.address() + 8;  // beyond the end of the allocation
    EXPECT_EQ(outcome_of([&] { fail_if_debug_check(w); }).status, 0);
    group.debug_record = 0;
    EXPECT_EQ(outcome_of([&] { fail_if_debug_check(w); }).status, 0);
    w.group = nullptr;
    EXPECT_EQ(outcome_of([&] { fail_if_debug_check(w); }).status, 0);
}

TEST(report, lanes_of_a_failed_assertion) {
    struct asserting final : host_service {
        void serve() override {}
        bool assertion_failed() const override { return has_failed; }
        bool has_failed = true;
    } calls;
    workgroup group;
    const std::string name = "some_kernel";
    group.id = {4, 5, 6};
    group.kernel_name = &name;
    wave w;
    w.group = &group;
    w.index_in_group = 7;
    const instruction i{};
    EXPECT_EQ(outcome_of([&] { fail_trap(w, i, "a trap"); }).status, failure_status)
        << "nobody has asserted anything";
    group.hostcall = &calls;
    const struct {
        uint64_t exec;
        const char* lanes;
    } rows[] = {{0x10f, "0-3, 8"},
                {1, "0"},
                {~uint64_t{0}, "0-63"},
                {uint64_t{0xb} << 60, "60-61, 63"},
                {6, "1-2"}};
    for (const auto& [exec, lanes] : rows) {
        w.write_sgpr64(sreg::exec, exec);
        EXPECT_EXIT(fail_trap(w, i, "a trap"), ::testing::KilledBySignal(SIGABRT),
                    "^opus emulator: an assertion failed\n  kernel      some_kernel\n"
                    "  group       .4, 5, 6., wave 7, lanes " +
                        std::string(lanes) + "\n$");
    }
    calls.has_failed = false;
    EXPECT_EQ(outcome_of([&] { fail_trap(w, i, "a trap"); }).status, failure_status);
}

TEST(report, the_first_trap_of_a_launch_that_may_trap) {
    std::atomic<bool> trapped = false;
    workgroup group;
    group.trapped = &trapped;
    wave w;
    w.group = &group;
    const auto text = [&] {
        testing::internal::CaptureStderr();
        EXPECT_THROW(fail_trap(w, {}, "a trap"), kernel_trapped);
        return testing::internal::GetCapturedStderr();
    };
    const auto written = written_by([&] {
        EXPECT_EQ(text().find("opus emulator: a trap\n  kernel      unknown\n"), 0u);
        EXPECT_TRUE(trapped);
        EXPECT_EQ(text(), "") << "of another wave";
        end_reports();
    });
    EXPECT_EQ(written.getInteger("reports"), 1);
}

}  // namespace
}  // namespace emu
