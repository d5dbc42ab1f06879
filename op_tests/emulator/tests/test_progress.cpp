// What the scheduler does besides running groups: the progress line, on a pseudo-terminal and on a
// pipe, and the sum of the profile.
#include "machine/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "execution/run_group.hpp"
#include "execution/scheduler.hpp"
#include "launch/observers.hpp"
#include "machine.hpp"
#include "twins.hpp"

namespace emu {
namespace {

using namespace std::chrono_literals;

constexpr const char* erase = "\r\033[K";

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

// What `action` writes to stderr while that is `file`, read from `other_end`.
template <class F>
std::string stderr_on(int file, int other_end, F&& action) {
    std::fflush(nullptr);  // a child would print it again
    const int saved = ::dup(STDERR_FILENO);
    ::dup2(file, STDERR_FILENO);
    action();
    std::fflush(stderr);
    ::dup2(saved, STDERR_FILENO);
    ::close(saved);
    std::string text;
    pollfd waiting{other_end, POLLIN, 0};
    while (::poll(&waiting, 1, 100) == 1 && (waiting.revents & POLLIN) != 0) {
        char buffer[4096];
        const ssize_t got = ::read(other_end, buffer, sizeof buffer);
        if (got <= 0) {
            break;
        }
        text.append(buffer, static_cast<size_t>(got));
    }
    return text;
}

// 40 groups of one instruction.
class forty_groups {
public:
    dispatch work;

    forty_groups()
        : bytes_(assemble(gfx_target::gfx942, "s_endpgm\n")),
          code_(gfx_target::gfx942, bytes_.data(), bytes_.size(), machine::base) {
        work.groups = {10, 2, 2};
        work.name = &name_;
        work.make_group = [this](std::array<uint32_t, 3> id, auto) { return make(id); };
    }

    std::unique_ptr<workgroup> make(std::array<uint32_t, 3> id) {
        auto group = std::make_unique<workgroup>();
        group->id = id;
        group->code = &code_;
        group->waves.resize(1);
        group->waves[0].group = group.get();
        group->waves[0].pc = machine::base;
        return group;
    }

private:
    const std::vector<std::byte>& bytes_;
    program code_;
    std::string name_ = "a_kernel";
};

void run_groups(const progress_times& times) {
    forty_groups groups;
    groups.work.progress = times;
    EXPECT_EQ(run(groups.work), 40u);
}

TEST(scheduler, runs_the_first_groups_only) {
    forty_groups groups;
    groups.work.first_groups = 7;
    EXPECT_EQ(run(groups.work), 7u);
    groups.work.first_groups = 100;
    EXPECT_EQ(run(groups.work), 40u);
}

using group_ids = std::vector<std::array<uint32_t, 3>>;

// Which of 3 x 2 x 4 groups of one instruction begin, in order, and how many end: of these, and none
// goes on when there were so many instructions.
std::pair<group_ids, uint64_t> executed_groups(std::vector<uint64_t> numbers = {},
                                               uint64_t most_instructions = 100) {
    forty_groups groups;
    group_ids ids;
    groups.work.groups = {3, 2, 4};
    groups.work.numbers = std::move(numbers);
    groups.work.most_instructions = most_instructions;
    groups.work.make_group = [&](std::array<uint32_t, 3> id, auto) {
        ids.push_back(id);
        return groups.make(id);
    };
    ::setenv("OPUS_EMU_THREADS", "1", 1);
    const uint64_t ended = run(groups.work);
    ::unsetenv("OPUS_EMU_THREADS");
    return {ids, ended};
}

TEST(scheduler, runs_groups_by_number) {
    const group_ids begun = {{2, 1, 3}, {0, 0, 0}, {2, 0, 1}};
    EXPECT_EQ(executed_groups({23, 0, 8}), std::pair(begun, uint64_t{3}));
    EXPECT_EQ(executed_groups({23, 0, 8}, 2), std::pair(begun, uint64_t{2}));
}

// x is fastest.
TEST(scheduler, runs_groups_in_the_order_of_their_ids) {
    group_ids expected;
    for (uint32_t n = 0; n < 24; ++n) {
        expected.push_back({n % 3, n / 3 % 2, n / 6});
    }
    EXPECT_EQ(executed_groups(), std::pair(expected, uint64_t{24}));
}

// Two groups at a time take more than a turn each.
TEST(scheduler, groups_go_on_after_their_turn) {
    const std::vector<std::byte>& bytes =
        assemble(gfx_target::gfx942,
                 "s_mov_b32 s0, 0x9c3f\n1: s_sub_u32 s0, s0, 1\ns_cbranch_scc0 1b\n"
                 "s_endpgm\n");
    constexpr uint64_t executed = 1 + 2 * 40'000 + 1;
    static_assert(executed > group_quantum);
    program code(gfx_target::gfx942, bytes.data(), bytes.size(), machine::base);
    for (const unsigned resident : {1u, 2u, 5u}) {
        forty_groups groups;
        groups.work.groups = {5, 1, 1};
        groups.work.max_resident = resident;
        groups.work.make_group = [&](std::array<uint32_t, 3> id, auto) {
            auto group = groups.make(id);
            group->code = &code;
            return group;
        };
        EXPECT_EQ(run(groups.work), 5 * executed) << resident;
    }
}

TEST(scheduler, number_of_threads) {
    const unsigned of_machine = std::max(1u, std::thread::hardware_concurrency());
    ::unsetenv("OPUS_EMU_THREADS");
    EXPECT_EQ(worker_count(), of_machine);
    const std::pair<const char*, unsigned> rows[] = {
        {"1", 1}, {"7", 7}, {"1024", 1024}, {"0", 0}, {"1025", 0}, {"", 0}, {"-1", 0}, {"two", 0}};
    for (const auto& [text, count] : rows) {
        ::setenv("OPUS_EMU_THREADS", text, 1);
        testing::internal::CaptureStderr();
        EXPECT_EQ(worker_count(), count == 0 ? of_machine : count) << text;
        EXPECT_EQ(testing::internal::GetCapturedStderr(),
                  count != 0 ? ""
                             : "opus emulator: OPUS_EMU_THREADS=" + std::string(text) +
                                   " is no number from 1 to 1024; using " +
                                   std::to_string(of_machine) + "\n");
    }
    ::unsetenv("OPUS_EMU_THREADS");
}

struct counting_service final : host_service {
    void serve() override { ++count; }
    bool assertion_failed() const override { return false; }
    int count = 0;
};

// A wave's turn is over after 2048 instructions, at its end and at a barrier, and the host is asked
// then; a group's is over when its waves have executed as many as it may.
TEST(scheduler, turns_of_waves_and_groups) {
    const std::vector<std::byte>& bytes =
        assemble(gfx_target::gfx942, "1: s_barrier\ns_nop 0\ns_branch 1b");
    program code(gfx_target::gfx942, bytes.data(), bytes.size(), machine::base);
    counting_service service;
    workgroup group;
    group.code = &code;
    group.hostcall = &service;
    group.waves.resize(2);
    for (wave& w : group.waves) {
        w.group = &group;
        w.pc = machine::base + 4;
    }
    const auto turn = [&](uint64_t quantum) {
        service.count = 0;
        uint64_t executed = 77;
        EXPECT_EQ(run_group(group, ~uint64_t{0}, nobody_of_group(), executed, quantum),
                  group_progress::preempted);
        EXPECT_EQ(group.waves[0].pc, group.waves[1].pc);
        return std::pair(executed, service.count);
    };
    using pair = std::pair<uint64_t, int>;
    // Three instructions of each wave from barrier to barrier.
    EXPECT_EQ(turn(6), pair(6, 2));
    EXPECT_EQ(turn(7), pair(12, 4));
    EXPECT_EQ(turn(12), pair(12, 4));
    group.hostcall = nullptr;
    EXPECT_EQ(turn(12), pair(12, 0));
    // Without barriers.
    const std::vector<std::byte>& loop = assemble(gfx_target::gfx942, "1: s_nop 0\ns_branch 1b");
    program endless(gfx_target::gfx942, loop.data(), loop.size(), machine::base);
    group.code = &endless;
    group.hostcall = &service;
    for (wave& w : group.waves) {
        w.pc = machine::base;
    }
    EXPECT_EQ(turn(1), pair(2 * 2048, 2));
    EXPECT_EQ(turn(2 * 2048), pair(2 * 2048, 2));
    EXPECT_EQ(turn(2 * 2048 + 1), pair(4 * 2048, 4));
}

class terminal : public testing::Test {
protected:
    void SetUp() override {
        outer = ::posix_openpt(O_RDWR | O_NOCTTY);
        if (outer >= 0 && ::grantpt(outer) == 0 && ::unlockpt(outer) == 0) {
            inner = ::open(::ptsname(outer), O_RDWR | O_NOCTTY);
        }
        if (inner < 0) {
            GTEST_SKIP() << "there are no pseudo-terminals here";
        }
    }
    void TearDown() override {
        ::close(inner);
        ::close(outer);
    }
    std::string shown(const progress_times& times) {
        return stderr_on(inner, outer, [&] { run_groups(times); });
    }
    int outer = -1;
    int inner = -1;
};

TEST_F(terminal, shows_the_groups_and_erases_the_line) {
    const std::string text = shown({.first = 0ms, .interval = 0ms});
    EXPECT_GE(count(text, "a_kernel: "), 20u) << text;
    EXPECT_GE(count(text, " of 40 groups, "), 20u) << text;
    EXPECT_EQ(count(text, "\n"), 0u) << text;
    EXPECT_TRUE(text.ends_with(erase)) << text;
    EXPECT_FALSE(text.ends_with(std::string(erase) + erase)) << text;
}

TEST_F(terminal, waits_between_lines) {
    const std::string text = shown({.first = 0ms, .interval = 1h});
    EXPECT_EQ(count(text, "a_kernel: "), 1u) << text;
}

TEST_F(terminal, short_launches_show_nothing) {
    EXPECT_EQ(shown({.first = 1h, .interval = 0ms}), "");
    const progress_times usual;
    EXPECT_EQ(usual.first, 2s);
    EXPECT_GE(usual.interval, 200ms) << "at most five lines a second";
}

// The line ends in front of the last column, of 80 where the terminal does not say how many it has.
TEST_F(terminal, cuts_the_line_off) {
    struct row {
        unsigned short columns;
        size_t characters;
    };
    for (const auto& [columns, characters] : {row{1, 79}, {2, 1}, {33, 32}, {200, 199}}) {
        const winsize size{.ws_row = 5, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ASSERT_EQ(::ioctl(inner, TIOCSWINSZ, &size), 0);
        const std::string text = stderr_on(inner, outer, [] {
            progress_line line("a_kernel", ~uint64_t{0}, {.first = 0ms, .interval = 0ms});
            line.update(~uint64_t{0} - 1, 0);
        });
        const std::string whole =
            "a_kernel: 18446744073709551614 of 18446744073709551615 groups, 0.0 M "
            "instructions/s, 0 s left";
        EXPECT_EQ(text, erase + whole.substr(0, characters) + erase) << columns;
    }
}

// A report that ends the process erases the line first, and no other thread shows it again.
TEST_F(terminal, ends_before_a_report) {
    const std::string text = stderr_on(inner, outer, [] {
        const pid_t child = ::fork();
        if (child == 0) {
            progress_line line("a_kernel", 3, {.first = 0ms, .interval = 0ms});
            line.update(1, 1000);
            end_progress();
            line.update(2, 2000);
            std::fputs("report", stderr);
            resume_progress();
            line.update(3, 3000);
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
    });
    EXPECT_EQ(count(text, "a_kernel: 1 of 3"), 1u) << text;
    EXPECT_EQ(count(text, "2 of 3"), 0u) << text;
    EXPECT_EQ(count(text, std::string(erase) + "report" + erase + "a_kernel: 3 of 3"), 1u) << text;
}

// What is printed while a kernel runs begins on an empty line: a report that ends the process, one after
// which the kernel goes on, a list at the end of a launch, the state at a stop. Only the last one
// lets the line come back.
TEST_F(terminal, makes_room_for_every_report) {
    const std::string reads_lds = "ds_read_b32 v5, v1";
    const std::string out_of_range = "s_mov_b32 s6, 0\n buffer_load_dword v3, v1, s[4:7], 0 offen";
    struct {
        std::string source;
        uint32_t checks;
        check_mode mode;
        const char* stop;
        size_t shown_again;
    } const cases[] = {
        {reads_lds, check::uninitialized_lds, check_mode::stop, nullptr, 0},
        {reads_lds, check::uninitialized_lds, check_mode::report, nullptr, 0},
        {out_of_range, check::range, check_mode::stop, nullptr, 0},
        {reads_lds, check::none, check_mode::stop, "0x0", 1},
    };
    for (const auto& c : cases) {
        const std::string text = stderr_on(inner, outer, [&] {
            const pid_t child = ::fork();
            if (child == 0) {
                // What is not flushed is lost.
                static char buffer[1 << 16];
                std::setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
                std::string problem;
                wave_stop stop(parse_stop(c.stop != nullptr ? c.stop : "0x0", problem));
                kernel_run run(gfx_target::gfx942, c.source, 1, c.checks, c.mode);
                progress_line line("a_kernel", 2, {.first = 0ms, .interval = 0ms});
                line.update(1, 1000);
                run.run(~uint64_t{0}, c.stop != nullptr ? &stop : nullptr);
                run.end_launch();
                line.update(2, 2000);
                ::_exit(0);
            }
            ::waitpid(child, nullptr, 0);
        });
        const std::string before = text.substr(0, text.find("opus emulator: "));
        EXPECT_EQ(count(before, "a_kernel: 1 of 2"), 1u) << text;
        EXPECT_LT(before.size(), text.size()) << text;
        EXPECT_TRUE(before.ends_with(erase)) << text;
        EXPECT_EQ(count(text, "2 of 2"), c.shown_again) << text;
    }
}

TEST(progress, nothing_on_a_pipe) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(stderr_on(ends[1], ends[0], [] { run_groups({.first = 0ms, .interval = 0ms}); }), "");
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(profile, sums_over_the_threads_of_a_launch) {
    ::setenv("OPUS_EMU_THREADS", "2", 1);
    forty_groups groups;
    // The first two groups wait for each other, so that each thread has some.
    groups.work.max_resident = 2;
    std::latch both(2);
    groups.work.make_group = [&](std::array<uint32_t, 3> id, auto) {
        if (id[0] < 2 && id[1] == 0 && id[2] == 0) {
            both.arrive_and_wait();
        }
        return groups.make(id);
    };
    profile_counts counts;
    groups.work.make_runner = runners(&counts);
    EXPECT_EQ(run(groups.work), 40u);
    ::unsetenv("OPUS_EMU_THREADS");
    ASSERT_EQ(counts.instructions().size(), 1u);
    EXPECT_EQ(counts.instructions()[0].executed, 40u);
}

TEST(progress, text) {
    EXPECT_EQ(progress_text("gemm", 24, 96, 81'000'000, 10.0),
              "gemm: 24 of 96 groups, 8.1 M instructions/s, 30 s left");
    EXPECT_EQ(progress_text("gemm", 0, 96, 5'000'000, 2.0),
              "gemm: 0 of 96 groups, 2.5 M instructions/s");
    EXPECT_EQ(progress_text("a_kernel_with_a_name_of_29_ch", 1, 601, 0, 1.0),
              "a_kernel_with_a_name_...: 1 of 601 groups, 0.0 M instructions/s, 10 min left");
    EXPECT_EQ(progress_text("k", 1, 10001, 0, 1.0),
              "k: 1 of 10001 groups, 0.0 M instructions/s, 2 h left");
    const std::string longest = "a_name_of_24_characters_";
    ASSERT_EQ(longest.size(), 24u);
    EXPECT_EQ(progress_text(longest, 0, 1, 0, 1.0).substr(0, 26), longest + ": ");
    EXPECT_EQ(progress_text(longest + "x", 0, 1, 0, 1.0).substr(0, 26),
              "a_name_of_24_characte...: ");
    // Each number of a unit from two of them on.
    const struct {
        uint64_t seconds;
        const char* text;
    } rows[] = {{0, "0 s"},    {119, "119 s"}, {120, "2 min"}, {7199, "119 min"},
                {7200, "2 h"}, {10799, "2 h"}, {10800, "3 h"}};
    for (const auto& [seconds, text] : rows) {
        EXPECT_EQ(progress_text("k", 1, 1 + seconds, 0, 1.0),
                  "k: 1 of " + std::to_string(1 + seconds) + " groups, 0.0 M instructions/s, " +
                      text + " left");
    }
}

}  // namespace
}  // namespace emu
