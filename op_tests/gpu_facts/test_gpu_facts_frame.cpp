// What gpu_facts does with a device that goes, a fact that ends its process, a time that is over,
// and with what its tries of wait states show: with kinds of facts that are made up here.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/device.hpp"
#include "facts.hpp"
#include "times.hpp"
#include "wait_states.hpp"

namespace {

using namespace gpu_facts;

// Four facts: one is right, one ends its process, two see errors of HIP.
void some_facts(const device&, report& to) {
    to.compare("right", "1", "a source", [] { return std::string("1"); });
    to.measure("ends", "nothing", "a source", []() -> finding {
        std::raise(SIGKILL);
        return {};
    });
    to.measure("faults", "nothing", "a source", []() -> finding {
        throw examples::device_error("launch: no (hipErrorIllegalAddress)");
    });
    to.measure("lacks memory", "nothing", "a source", []() -> finding {
        throw examples::device_error("hipMalloc: no (hipErrorOutOfMemory)");
    });
}
constexpr kind some{"some", some_facts};

// "name verdict" of each.
std::vector<std::string> told(const result& r) {
    std::vector<std::string> all;
    for (const fact& f : r.facts) {
        all.push_back(f.name + " " + name_of(f.found.said));
    }
    return all;
}

TEST(gpu_facts_frame, goes_on_behind_each_fact_and_keeps_all) {
    result r;
    std::size_t kept = 0;
    EXPECT_TRUE(run_kind(some, {}, r, [&] { kept += r.facts.size(); }));
    EXPECT_EQ(told(r), (std::vector<std::string>{"right same", "ends different", "faults different",
                                                 "lacks memory cannot"}));
    EXPECT_EQ(kept, 1u + 2 + 3 + 4);  // called behind each, which is there by then
    EXPECT_EQ(r.facts[1].found.seen, "the process ended by signal 9");
}

TEST(gpu_facts_frame, a_device_that_goes_costs_no_fact_before) {
    const char* const before = std::getenv("OPUS_EMU_ARCH");
    const std::string arch = before == nullptr ? "gfx942" : before;
    result r;
    EXPECT_TRUE(run_kind(some, {}, r, [] {}));
    ::setenv("OPUS_EMU_ARCH", "gfx90a", 1);  // the emulator has none
    EXPECT_TRUE(run_kind(some, {}, r, [] {}));
    result other;
    EXPECT_FALSE(run_kind(some, {}, other, [] {}));  // there was none
    ::setenv("OPUS_EMU_ARCH", arch.c_str(), 1);
    ASSERT_EQ(r.facts.size(), 5u);
    EXPECT_EQ(told(r).back(), "the kind itself different");
    EXPECT_EQ(r.facts.back().found.seen, "the device is gone");
}

TEST(gpu_facts_frame, begins_nothing_on_a_gpu_when_the_time_is_over) {
    request asked;
    asked.end = std::chrono::steady_clock::now();
    result r;
    r.on = {"a GPU", "gfx942", false, false};
    EXPECT_TRUE(run_kind(some, asked, r, [] {}));
    EXPECT_EQ(told(r), std::vector<std::string>{"the kind itself cannot"});
    EXPECT_EQ(r.facts[0].found.seen, "the time is over");
    r = {};  // the emulator takes its time
    EXPECT_TRUE(run_kind(some, asked, r, [] {}));
    EXPECT_EQ(r.facts.size(), 4u);
}

TEST(gpu_facts_frame, its_file_has_numbers_that_JSON_has) {
    result r;
    r.facts.push_back({"times", "x", "1", "a source", {}});
    r.facts[0].found.value = std::numeric_limits<double>::infinity();
    EXPECT_EQ(json_of(r).find("\"value\""), std::string::npos);
    r.facts[0].found.value = 2.5;
    r.facts[0].found.repetitions = 5'000'000'000;
    EXPECT_NE(json_of(r).find("\"repetitions\": 5000000000"), std::string::npos);
    EXPECT_NE(json_of(r).find("\"value\": 2.5"), std::string::npos);
}

// What a GPU gives, one call after the other.
finding of_times(std::vector<double> given, double wanted) {
    const device gpu{"a GPU", "gfx950", false, false};
    std::size_t n = 0;
    const int count = static_cast<int>(given.size());
    return find_time(gpu, {0, wanted, 0.1}, "clocks", count, [&] { return given[n++]; });
}

TEST(gpu_facts_frame, times_are_medians_beside_what_is_assumed) {
    const finding f = of_times({50, 70, 54, 52, 51}, 50);
    EXPECT_EQ(f.value, 52);
    EXPECT_EQ(f.repetitions, 5);
    EXPECT_NEAR(f.spread, 20.0 / 52, 1e-9);
    EXPECT_EQ(f.said, verdict::same);
    EXPECT_EQ(of_times({56, 56, 56}, 50).said, verdict::different);
    EXPECT_EQ(of_times({56, 56, 56}, -1).said, verdict::cannot);  // nothing is assumed
    EXPECT_EQ(of_times({56, 56, 56}, -1).value, 56);
    // Noise below 0 is 0, which the model takes; what took no time gives no number.
    EXPECT_EQ(of_times({-1.4, -1.4, 3}, 0).value, 0);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(std::isnan(of_times({1, 1, infinity}, 50).value));
}

// `wrong` with so many states each; the other order shows, if anything does.
finding of_tries(const std::vector<int>& wrong, int assumed, bool shows = true) {
    pair_tries m;
    m.tries = 1000;
    for (std::size_t n = 0; n < wrong.size(); ++n) {
        m.wrong[n + 1] = wrong[n];
    }
    m.wrong.back() = shows ? 1000 : 0;
    return wait_states_of(m, assumed, assumed + 4);
}

TEST(gpu_facts_frame, wait_states_are_the_same_only_where_one_less_is_wrong) {
    EXPECT_EQ(of_tries({1000, 7}, 2).said, verdict::same);
    EXPECT_EQ(of_tries({1000, 0, 1}, 2).said, verdict::different);  // one wrong try of two states
    EXPECT_EQ(of_tries({0, 0, 0, 0, 0, 0, 1}, 2).seen.find("7 wait states or more"), 0u);
    // A hazard that shows less than it is documented, or not at all.
    EXPECT_EQ(of_tries({1000}, 2).said, verdict::cannot);
    EXPECT_EQ(of_tries({1000}, 2).value, 1);
    EXPECT_EQ(of_tries({}, 2).said, verdict::cannot);
    // None is assumed, and none is needed.
    EXPECT_EQ(of_tries({}, 0).said, verdict::same);
    EXPECT_EQ(of_tries({1}, 0).said, verdict::different);
    // Nothing can be seen at all.
    EXPECT_EQ(of_tries({}, 0, false).said, verdict::cannot);
}

TEST(gpu_facts_frame, tries_add_up) {
    pair_tries a;
    a.tries = 3;
    a.wrong[5] = 2;
    pair_tries b = a;
    b += a;
    EXPECT_EQ(b.tries, 6);
    EXPECT_EQ(b.wrong[5], 4);
}

}  // namespace
