// What the emulator says to each of slips.hip: the slip is reported, with its line, by the default
// checks unless one is named here; what is right runs without a word.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "../examples/directory_test.hpp"

namespace {

using examples_test::outcome;

struct slip {
    const char* name;
    std::vector<std::string> said;  // on stderr
    const char* environment = "";
    bool has_line = true;  // it is reported at the line that ends in its name
};

void PrintTo(const slip& s, std::ostream* out) {
    *out << s.name;
}

const slip slips[] = {
    {"race", {"race: lane 0", "wave 2 writes what wave 1 reads", "check       races"}},
    {"race_of_groups", {"race: byte ", "nothing orders the two"}, "OPUS_EMU_CHECK=memory_races"},
    {"missing_wait", {"LDS byte 0", "is read while the load that writes it is pending (vmcnt)"}},
    {"beyond_an_allocation", {"lane 63: store of 4 bytes", "right at the end of the 2048-byte"}},
    {"beyond_an_allocation_by_gmem",
     {"lane 63: buffer store", "right at the end of the 2048-byte"}},
    {"beyond_a_buffer", {"256            1            0  buffer_store"}, "OPUS_EMU_CHECK=range"},
    {"before_a_buffer", {"256            5            0  buffer_store"}, "OPUS_EMU_CHECK=range"},
    {"beyond_lds", {"few[64]", "the group has 256 bytes of LDS"}},
    {"unwritten_lds", {"lane 63: LDS byte 1020", "is read before anything is written there"}},
    {"unwritten_memory",
     {"loaded from byte 1024 of the 2048-byte allocation", "nobody has written"}},
    {"nan", {"lane 7: a NaN from operands without one", "= 0, v1 = 0"}, "OPUS_EMU_CHECK=nan"},
    {"waves_that_leave",
     {"wave 0 waits at its barrier 1, and wave 2 has ended after 0", "the end:"}},
    {"lanes_that_miss_a_barrier", {"lane 1 goes on, and was off at a barrier", "the barrier:"}},
    {"barriers_in_a_loop", {"wave 1 waits at its barrier 2, and wave 0 has ended after 1"}},
    {"too_many_threads", {"256 threads; the kernel was compiled for at most 64"}, "", false},
    {"endless", {"endless loop?", "byte 0 of the 2048-byte allocation"}, "OPUS_EMU_LIMIT=100000"},
    {"unaligned", {"is no multiple of 4", "check       alignment"}},
    {"matrices_of_half_a_wave", {"check       exec"}},
    {"no_group", {"a launch of 0 x 1 x 1 groups of 256 x 1 x 1 threads"}, "", false},
    {"group_of_2048", {"groups of 2048 x 1 x 1 threads", "at most 1024 threads"}, "", false},
    {"too_much_lds", {"200000 bytes of LDS are asked for", "at most "}, "", false},
    {"null", {"lane 0: store of 4 bytes at 0x0, a null pointer"}, "", false},
    {"freed", {"byte 0 of the freed 2048-byte allocation", "allocated in", "freed in"}, "", false},
    {"host_memory", {"host memory (the heap), which kernels cannot use"}, "", false},
};

// "slips.hip:12", where line 12 of it ends in "// name".
std::string place_of(const std::string& name) {
    std::ifstream source(OPUS_SLIPS_SOURCE);
    std::string line;
    for (int n = 1; std::getline(source, line); ++n) {
        const std::string mark = "// " + name;
        if (line.size() > mark.size() &&
            line.compare(line.size() - mark.size(), mark.size(), mark) == 0) {
            return "slips.hip:" + std::to_string(n);
        }
    }
    ADD_FAILURE() << name << " has no line";
    return "";
}

class slips_of : public examples_test::directory_test, public testing::WithParamInterface<slip> {
protected:
    outcome run_slip(const char* what) const {
        const int status =
            shell(std::string(GetParam().environment) + " '" OPUS_SLIPS_PROGRAM "' " +
                  GetParam().name + " " + what + " > .out 2> .err");
        return {status, examples_test::contents(directory / ".out"),
                examples_test::contents(directory / ".err")};
    }
};

TEST_P(slips_of, is_reported) {
    const slip& s = GetParam();
    const outcome o = run_slip("slip");
    for (const std::string& said : s.said) {
        EXPECT_NE(o.err.find(said), std::string::npos) << said << "\n" << o.err;
    }
    if (s.has_line) {
        const std::string place = place_of(s.name);
        EXPECT_NE(o.err.find(place), std::string::npos) << place << "\n" << o.err;
    }
    // The check `range` lists what it sees, and nothing ends.
    const bool is_list = std::string(s.environment) == "OPUS_EMU_CHECK=range";
    EXPECT_EQ(o.status == 0, is_list) << o.status;
}

TEST_P(slips_of, the_right_code_is_not) {
    const outcome o = run_slip("right");
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    EXPECT_EQ(o.out, "launch: no error, end: no error\n");
}

// The emulator's threads note two writes and then do them, in any order.
class races_of_groups : public examples_test::directory_test {
protected:
    int runs_without_error(const char* what) const {
        int result = 0;
        for (int n = 0; n < runs; ++n) {
            const int status = shell(
                std::string("OPUS_EMU_CHECK=memory_races OPUS_EMU_THREADS=2 '" OPUS_SLIPS_PROGRAM
                            "' race_of_groups ") +
                what + " > .out 2> .err");
            result += status == 0 ? 1 : 0;
        }
        return result;
    }

    static constexpr int runs = 30;
};

TEST_F(races_of_groups, are_reported_in_every_run) {
    EXPECT_EQ(runs_without_error("slip"), 0);
    EXPECT_EQ(runs_without_error("right"), runs);
}

INSTANTIATE_TEST_SUITE_P(slips, slips_of, testing::ValuesIn(slips),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
