// timeline/timeline.hpp and profile.hpp: which groups of a launch are recorded, and where what is
// said about it goes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.hpp"
#include "timeline/timeline.hpp"
#include "timeline_machine.hpp"

namespace emu {
namespace {

namespace files = std::filesystem;
using testing::EndsWith;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string content_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class timeline_of_launch : public testing::Test {
protected:
    timeline_of_launch() {
        files::create_directory(directory);
        settings.timeline_file = directory + "/t.json";
        launch.kernel = "_Z1kv";
        launch.arch = "gfx942";
        launch.entry = machine::base;
        launch.groups = 10'000;
        launch.parameters = m.p;
        launch.units = m.p.compute_units;
    }
    ~timeline_of_launch() override { files::remove_all(directory); }

    // A letter for each of these groups: F is recorded in full, l are the lines.
    std::string recorded(launch_timeline& timeline, const std::vector<uint64_t>& groups) const {
        std::string letters;
        for (const uint64_t number : groups) {
            const timeline_group_recorder* group = timeline.recorder().group(number, 1);
            letters += group == nullptr ? '.' : group->is_full() ? 'F' : 'l';
        }
        return letters;
    }
    // Of group 0, one wave with these instructions.
    timeline_report report(launch_timeline& timeline, const std::string& source) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source + "\ns_endpgm");
        program code(m.target(), bytes.data(), bytes.size(), machine::base);
        timeline_group_recorder* group = timeline.recorder().group(0, 1);
        for (uint64_t pc = machine::base; pc < machine::base + bytes.size();) {
            const instruction& i = code.at(pc);
            group->note(m.w(), i);
            pc += i.size;
        }
        group->finish();
        return timeline.finish(code);
    }
    static void end(launch_timeline& timeline, uint64_t number, uint64_t instructions) {
        std::vector<wave> waves(1);
        waves[0].instructions = instructions;
        timeline.recorder().note_end(number, waves);
    }
    // Ends the process, with status 0 if the settings can be followed.
    [[noreturn]] void start(uint64_t groups_per_unit = 8) {
        const launch_timeline timeline(settings, launch, groups_per_unit);
        std::exit(0);
    }

    const std::string directory =
        testing::TempDir() + "opus_emu_timeline_" + std::to_string(::getpid());
    launch_settings settings;
    timeline_launch launch;
    recorded_machine m{gfx_target::gfx942, 1024};
};

TEST_F(timeline_of_launch, groups_of_the_first_unit) {
    // Two on a unit at a time, and the two that take their places; the first 16 may be heavy ones.
    const std::vector<uint64_t> groups = {0, 15, 16, 304, 305, 608, 912, 1215, 1216, 9999};
    launch_timeline both(settings, launch, 2);
    EXPECT_EQ(recorded(both, groups), "FFlFlFFl..");
    EXPECT_EQ(both.groups_to_execute(), 10'000u);
    EXPECT_FALSE(both.leaves_out());
    EXPECT_FALSE(both.leaves_out_products(1));
    // Without overlap only the first round, and so where only that is executed.
    launch.parameters.overlap_rounds = 0;
    launch_timeline first(settings, launch, 2);
    EXPECT_EQ(recorded(first, groups), "FFlFl.....");
    EXPECT_EQ(first.groups_to_execute(), 10'000u);
    launch.parameters.overlap_rounds = 1;
    settings.timeline_only = true;
    launch_timeline only(settings, launch, 2);
    EXPECT_EQ(recorded(only, groups), "FFlFl.....");
    EXPECT_EQ(only.groups_to_execute(), 608u);
    EXPECT_TRUE(only.leaves_out());
    EXPECT_TRUE(only.leaves_out_products(1));
    EXPECT_TRUE(only.leaves_out_products(608));
    EXPECT_FALSE(only.leaves_out_products(304));
    // One where the limits say that there is room for none.
    launch_timeline none(settings, launch, 0);
    EXPECT_EQ(recorded(none, {0, 303, 304}), "Fl.");
}

TEST_F(timeline_of_launch, groups_by_number) {
    settings.timeline_only = true;
    launch.groups = 100;
    const auto chosen = [&](const char* text) {
        settings.timeline_groups = text;
        const launch_timeline timeline(settings, launch, 8);
        std::vector<uint64_t> groups;
        for (uint64_t group = 0; group < launch.groups; ++group) {
            if (!timeline.leaves_out_products(group)) {
                groups.push_back(group);
            }
        }
        return groups;
    };
    using list = std::vector<uint64_t>;
    EXPECT_EQ(chosen("7"), (list{7}));
    EXPECT_EQ(chosen("99,0"), (list{0, 99}));
    EXPECT_EQ(chosen("5-5"), (list{5}));
    EXPECT_EQ(chosen("0-3,50,96-98"), (list{0, 1, 2, 3, 50, 96, 97, 98}));
    // Where they are chosen none is looked for that is heavier.
    launch_timeline two(settings, launch, 8);
    EXPECT_EQ(recorded(two, {0, 4, 50, 51}), "FlFl");
    const std::string form = "numbers of groups are needed, such as 0,1 or 0-7";
    const std::pair<const char*, std::string> wrong[] = {
        {"x", form},
        {"0x", form},
        {"0,", form},
        {"0-", form},
        {"-1", form},
        {"1,,2", form},
        {"1 ", form},
        {"3-2", form},
        {"1-2-3", form},
        {"100", "the launch has 100 groups, from 0"},
        {"0-100", "the launch has 100 groups, from 0"},
        {"0-2,1", "group 1 is there twice"},
        {"4,4", "group 4 is there twice"},
        {"0-8", "a compute unit has room for 8 groups of this kernel"},
    };
    for (const auto& [text, what] : wrong) {
        settings.timeline_groups = text;
        EXPECT_EXIT(
            start(), ExitedWithCode(failure_status),
            "^opus emulator: OPUS_EMU_TIMELINE_GROUPS=" + std::string(text) + ": " + what + "\n$");
    }
    settings.timeline_groups = "0-7";
    EXPECT_EXIT(start(), ExitedWithCode(0), "^$");
    settings.timeline_groups = "0";
    EXPECT_EXIT(start(0), ExitedWithCode(0), "^$") << "room for none is room for one";
}

TEST_F(timeline_of_launch, the_trace_is_written_when_it_is_complete) {
    launch.groups = 1;
    const auto open_files = [] {
        return std::distance(files::directory_iterator("/proc/self/fd"), {});
    };
    const auto before = open_files();
    launch_timeline timeline(settings, launch, 1);
    EXPECT_TRUE(files::is_empty(directory)) << "nothing before the launch";
    const std::string text = report(timeline, "v_mov_b32 v0, 0").text;
    const size_t at = text.rfind("  trace                   ");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string file = text.substr(at + 26, text.size() - at - 27);
    EXPECT_THAT(file, StartsWith(directory + "/t."));
    EXPECT_THAT(content_of(file), StartsWith("{\"otherData\":{\"title\":\"k() on gfx942\","));
    EXPECT_THAT(content_of(file), EndsWith("]}\n"));
    EXPECT_EQ(std::distance(files::directory_iterator(directory), {}), 1)
        << "and nothing beside it";
    EXPECT_EQ(open_files(), before);
    EXPECT_THAT(text, Not(HasSubstr("  range ")));
    EXPECT_THAT(text, Not(HasSubstr("  executed ")));
}

TEST(timeline_groups, spread_over_all) {
    // Each once.
    for (const uint64_t count : {1u, 2u, 3u, 4u, 8u, 100u, 768u, 1000u}) {
        std::vector<uint64_t> groups = spread_groups(50, 50 + count, count + 7);
        std::ranges::sort(groups);
        std::vector<uint64_t> all(count);
        std::iota(all.begin(), all.end(), 50);
        EXPECT_EQ(groups, all);
    }
    EXPECT_EQ(spread_groups(50, 1050, 3).size(), 3u);
    EXPECT_EQ(spread_groups(50, 50, 3).size(), 0u);
    // However many, none is far from the next one: three steps of the golden ratio divide a circle
    // into gaps of at most phi^2 / n. And of the groups of a grid that begins anew every `period`
    // groups, the mean place in it is near the middle.
    for (const size_t taken : {16u, 64u, 256u}) {
        const std::vector<uint64_t> first = spread_groups(256, 1024, taken);
        std::vector<uint64_t> sorted = first;
        std::ranges::sort(sorted);
        for (size_t n = 1; n < sorted.size(); ++n) {
            EXPECT_LE(static_cast<double>(sorted[n] - sorted[n - 1]),
                      1 + 2.62 * 768 / static_cast<double>(taken));
        }
        for (const uint64_t period : {2u, 4u, 8u, 16u, 64u}) {
            double sum = 0;
            for (const uint64_t group : first) {
                sum += static_cast<double>(group % period);
            }
            const double middle = static_cast<double>(period - 1) / 2;
            EXPECT_NEAR(sum / static_cast<double>(taken) / middle, 1, 0.25)
                << taken << ' ' << period;
        }
    }
}

TEST_F(timeline_of_launch, groups_that_are_only_weighed) {
    settings.timeline_only = true;
    launch.groups = 2000;
    std::vector<std::pair<size_t, uint64_t>> executed;  // how many groups, the most instructions
    std::vector<uint64_t> all;
    // So many of each request end, with so many instructions.
    const auto weigh = [&](launch_timeline& timeline, size_t that_end, uint64_t weight) {
        executed.clear();
        all.clear();
        for (uint64_t n = 0; n < timeline.groups_to_execute(); ++n) {
            end(timeline, n, 100);
        }
        return timeline.weigh_more(50'000, [&](const std::vector<uint64_t>& groups, uint64_t most) {
            executed.emplace_back(groups.size(), most);
            all.insert(all.end(), groups.begin(), groups.end());
            for (size_t n = 0; n < std::min(that_end, groups.size()); ++n) {
                end(timeline, groups[n], weight);
            }
            return 7;
        });
    };
    using list = std::vector<std::pair<size_t, uint64_t>>;
    // Alike: an eighth of the 304 that are executed shows that. No group is executed twice.
    launch_timeline even(settings, launch, 1);
    EXPECT_EQ(weigh(even, 2000, 100), 7u);
    EXPECT_EQ(executed, (list{{38, 8 * 50'000 + (1 << 24)}}));
    EXPECT_GE(std::ranges::min(all), 304u);
    EXPECT_THAT(report(even, "v_mov_b32 v0, 0").text,
                HasSubstr(", 38 more to count their instructions: what the program computes"));
    // Different: all others, until they have executed twice as many instructions.
    launch_timeline uneven(settings, launch, 1);
    EXPECT_EQ(weigh(uneven, 2000, 50), 14u);
    EXPECT_EQ(executed, (list{{38, 8 * 50'000 + (1 << 24)}, {2000 - 304 - 38, 100'000}}));
    std::ranges::sort(all);
    EXPECT_EQ(all.front(), 304u);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    EXPECT_THAT(report(uneven, "v_mov_b32 v0, 0").text, HasSubstr(", 1696 more to count their"));
    // One does not end.
    launch_timeline waits(settings, launch, 1);
    EXPECT_EQ(weigh(waits, 37, 50), 7u);
    EXPECT_THAT(
        report(waits, "v_mov_b32 v0, 0").text,
        HasSubstr(", 37 more to count their instructions (one was left: it waits or is much "
                  "longer): what"));
    // Few, all, none.
    launch.groups = 310;
    launch_timeline few(settings, launch, 1);
    EXPECT_EQ(weigh(few, 2000, 50), 7u);
    EXPECT_EQ(executed.front().first, 6u);
    launch.groups = 304;
    launch_timeline whole(settings, launch, 1);
    EXPECT_EQ(weigh(whole, 2000, 50), 0u);
    launch.groups = 2000;
    settings.timeline_groups = "0";
    launch_timeline chosen(settings, launch, 1);
    EXPECT_EQ(weigh(chosen, 2000, 50), 0u);
    settings.timeline_groups = "";
    settings.timeline_only = false;
    launch_timeline everything(settings, launch, 1);
    EXPECT_EQ(weigh(everything, 2000, 50), 0u);
}

TEST_F(timeline_of_launch, what_was_not_executed_is_said) {
    settings.timeline_only = true;
    settings.timeline_range = true;
    launch_timeline timeline(settings, launch, 1);
    const std::string text = report(timeline, "v_mov_b32 v0, 0").text;
    EXPECT_THAT(text, HasSubstr("\n  executed                304 of 10000 groups "
                                "(OPUS_EMU_TIMELINE_ONLY), and only those that are modelled"));
    EXPECT_THAT(text, HasSubstr("\n  range                   "));
}

TEST_F(timeline_of_launch, warm_caches) {
    device_bytes memory(4096);
    m.set_s64(2, memory.address());
    m.fill(0, [](uint32_t l) { return 4 * l; });
    launch.groups = 1;
    const auto is_from_hbm = [&](bool is_warm) {
        settings.timeline_warm = is_warm;
        launch_timeline timeline(settings, launch, 1);
        const std::string text =
            report(timeline, "global_load_dword v1, v0, s[2:3]\n s_waitcnt 0").text;
        return text.find(" 0.0 GB/s of HBM\n") == std::string::npos;
    };
    EXPECT_TRUE(is_from_hbm(false));
    EXPECT_FALSE(is_from_hbm(true));
}

TEST_F(timeline_of_launch, files_that_cannot_be_written) {
    settings.timeline_file = directory + "/none/t.json";
    EXPECT_EXIT(start(), ExitedWithCode(failure_status),
                "^opus emulator: OPUS_EMU_TIMELINE=.*/none/t[.0-9]*json: cannot write there\n$");
    // The file's own place is taken by a directory, which shows at the end only; no part is left.
    settings.timeline_file = directory + "/taken";
    for (int n = 1; n < 100; ++n) {
        files::create_directory(numbered_file(settings.timeline_file, static_cast<uint64_t>(n)));
    }
    launch.groups = 1;
    const auto finish = [&] {
        launch_timeline timeline(settings, launch, 1);
        report(timeline, "v_mov_b32 v0, 0");
    };
    EXPECT_EXIT(finish(), ExitedWithCode(failure_status),
                "^opus emulator: OPUS_EMU_TIMELINE=.*/taken[.0-9]*: cannot write there\n$");
    // Nor where the trace is longer than a file may become.
    const auto finish_a_long_one = [&] {
        settings.timeline_file = directory + "/long";
        launch_timeline timeline(settings, launch, 1);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        report(timeline, repeated("v_mov_b32 v0, 0\n s_nop 0", 500));
    };
    EXPECT_EXIT(finish_a_long_one(), ExitedWithCode(failure_status),
                "^opus emulator: OPUS_EMU_TIMELINE=.*/long[.0-9]*: cannot write there\n$");
    for (const auto& entry : files::directory_iterator(directory)) {
        EXPECT_TRUE(entry.is_directory()) << entry.path();
    }
}

// /dev/null is not replaced, whoever may do that.
TEST_F(timeline_of_launch, what_is_no_file_is_written_to) {
    settings.timeline_file = directory + "/pipe";
    ASSERT_EQ(::mkfifo(settings.timeline_file.c_str(), 0600), 0);
    const int pipe = ::open(settings.timeline_file.c_str(), O_RDWR | O_NONBLOCK);
    launch.groups = 1;
    for (int n = 0; n < 2; ++n) {
        launch_timeline timeline(settings, launch, 1);
        report(timeline, "v_mov_b32 v0, 0");
        std::string text(1 << 16, 0);
        text.resize(
            static_cast<size_t>(std::max<ssize_t>(0, ::read(pipe, text.data(), text.size()))));
        EXPECT_THAT(text, StartsWith("{\"otherData\":"));
        EXPECT_THAT(text, EndsWith("}\n"));
    }
    ::close(pipe);
    for (const auto& entry : files::directory_iterator(directory)) {
        EXPECT_TRUE(entry.is_fifo()) << entry.path();
    }
}

// ---- kernels by name ----

TEST_F(timeline_of_launch, kernels_by_a_part_of_their_name) {
    const std::string kernel = "_ZN5tests7squaresILi3EEEvPf";  // void tests::squares<3>(float*)
    const struct {
        profile_format profile;
        const char* wanted;
        bool is_profiled;
    } cases[] = {
        {profile_format::none, "", false},
        {profile_format::none, "squares", false},
        {profile_format::table, "", true},
        {profile_format::json, "squares<3>", true},
        {profile_format::json, "squaresILi3", true},
        {profile_format::json, "void tests::squares<3>(float*)", true},
        {profile_format::json, "squares<4>", false},
        {profile_format::table, "Squares", false},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.wanted);
        const auto say = [&] {
            settings.profile = c.profile;
            settings.profile_kernel = c.wanted;
            settings.timeline_file = c.profile == profile_format::none ? "" : "t.json";
            settings.timeline_kernel = c.wanted;
            const bool first = wants_profile(settings, kernel);
            std::_Exit(first == wants_timeline(settings, kernel) ? first : 2);
        };
        EXPECT_EXIT(say(), ExitedWithCode(c.is_profiled ? 1 : 0), "^$");
    }
    const auto at_the_end = [&](profile_format profile, const char* wanted) {
        settings.profile = profile;
        settings.profile_kernel = wanted;
        for (const char* name : {"_Z5firstv", kernel.c_str()}) {
            wants_profile(settings, name);
        }
        std::exit(0);
    };
    EXPECT_EXIT(at_the_end(profile_format::table, "cubes"), ExitedWithCode(0),
                "^opus emulator: OPUS_EMU_PROFILE_KERNEL=cubes: nothing was profiled, no name of "
                "the kernels in 2 launches contains that; the last one was void tests::squares<3>");
    EXPECT_EXIT(at_the_end(profile_format::table, "first"), ExitedWithCode(0), "^$");
    EXPECT_EXIT(at_the_end(profile_format::table, ""), ExitedWithCode(0), "^$");
    EXPECT_EXIT(at_the_end(profile_format::none, "cubes"), ExitedWithCode(0), "^$");
    const auto no_timeline = [&] {
        settings.timeline_kernel = "cubes";
        wants_timeline(settings, kernel);
        std::exit(0);
    };
    EXPECT_EXIT(no_timeline(), ExitedWithCode(0),
                "^opus emulator: OPUS_EMU_TIMELINE_KERNEL=cubes: there is no timeline, no name of "
                "the kernels in 1 launches contains that; the last one was void tests::squares<3>");
}

TEST_F(timeline_of_launch, profiles_are_appended) {
    settings.profile_file = directory + "/profile";
    write_profile(settings, "one\n");
    write_profile(settings, "two\n");
    EXPECT_EQ(content_of(settings.profile_file), "one\ntwo\n");
    settings.profile_file.clear();
    testing::internal::CaptureStderr();
    write_profile(settings, "three\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "three\n");
    // Behind what the program has printed, where both go to one place.
    const auto print = [&] {
        std::vector<char> buffer(4096);
        std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        std::printf("first\n");
        write_profile(settings, "second\n");
        std::fflush(stdout);
        std::_Exit(0);
    };
    EXPECT_EXIT(print(), ExitedWithCode(0), "^first\nsecond\n$");
    for (const std::string& file : {directory + "/none/profile", std::string("/dev/full")}) {
        settings.profile_file = file;
        EXPECT_EXIT(write_profile(settings, "four\n"), ExitedWithCode(failure_status),
                    "^opus emulator: OPUS_EMU_PROFILE_FILE=" + file + ": cannot write there\n$");
    }
}

}  // namespace
}  // namespace emu
