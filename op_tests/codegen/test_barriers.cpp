// What barriers, waits and fences compile to, and what they keep in place (barriers.hip).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "isa.hpp"
#include "kernel_on.hpp"
#include "pins.hpp"

namespace {

using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::read_kernel;

// What stands between the last instruction that begins with `from` and the s_barrier after it.
std::vector<std::string> before_barrier(const kernel_isa& k, const std::string& from) {
    std::vector<std::string> between;
    for (const std::string& i : k.instructions) {
        if (i.rfind(from, 0) == 0) {
            between = {i};
        } else if (i == "s_barrier") {
            return between;
        } else if (!between.empty()) {
            between.push_back(i);
        }
    }
    return {};
}

bool waits_for(const std::vector<std::string>& instructions, const std::string& counter) {
    for (const std::string& i : instructions) {
        if (i.rfind("s_waitcnt", 0) == 0 && i.find(counter) != std::string::npos) {
            return true;
        }
    }
    return false;
}

int copies(const kernel_isa& k) {
    return k.count_prefix("v_mov") + k.count_prefix("v_accvgpr");
}

// 16 + 4 states between the last matrix instruction and whatever names its result; nothing is copied.
TEST_P(kernel_on, settle_stands_between_a_sum_and_its_readers) {
    const std::string file = isa_file(std::string("settle_") + GetParam());
    for (const std::string name : {"sum_of_16", "sum_of_64", "two_sums"}) {
        SCOPED_TRACE(name);
        const kernel_isa plain = read_kernel(file, name);
        const kernel_isa settled = read_kernel(file, name + "_settled");
        EXPECT_EQ(plain.count_prefix("s_nop 15"), 0);
        EXPECT_EQ(copies(settled), copies(plain));
        EXPECT_LE(settled.vgprs, plain.vgprs);
        EXPECT_EQ(settled.mfma(), plain.mfma());
        EXPECT_LE(settled.total(), plain.total() + 3);
        std::set<std::string> sums;
        size_t last = 0;
        for (size_t i = 0; i < settled.instructions.size(); i++) {
            const std::string& text = settled.instructions[i];
            if (text.rfind("v_mfma", 0) == 0) {
                last = i;
                sums.merge(codegen::vector_registers(text.substr(0, text.find(','))));
            }
        }
        ASSERT_FALSE(sums.empty());
        size_t i = last + 1;
        for (; i < settled.instructions.size() && settled.instructions[i] != "s_nop 15"; i++) {
            for (const std::string& r : codegen::vector_registers(settled.instructions[i])) {
                EXPECT_EQ(sums.count(r), 0u) << settled.instructions[i];
            }
        }
        ASSERT_LT(i + 1, settled.instructions.size());
        EXPECT_EQ(settled.instructions[i + 1], "s_nop 3");
        EXPECT_EQ(settled.count_prefix("s_nop 15"), 1);
    }
}

TEST_P(kernel_on, sync_threads_waits_for_lds_and_the_bare_barrier_does_not) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto store = [&](const char* kernel) {
        return before_barrier(read_kernel(file, kernel), "ds_write");
    };
    ASSERT_FALSE(store("bare_barrier").empty());
    ASSERT_FALSE(store("barrier_after_store").empty());
    EXPECT_FALSE(waits_for(store("bare_barrier"), "lgkmcnt"));
    EXPECT_TRUE(waits_for(store("barrier_after_store"), "lgkmcnt(0)"));
}

TEST_P(kernel_on, sync_threads_waits_for_lds_dma) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto after_dma = before_barrier(read_kernel(file, "barrier_after_dma"), "buffer_load");
    ASSERT_FALSE(after_dma.empty());
    ASSERT_NE(after_dma[0].find(" lds"), std::string::npos);
    EXPECT_TRUE(waits_for(after_dma, "vmcnt(0)"));
}

// Each barrier has the wait in front of it, in the loop and not before the loop, whatever compiler and
// level.
TEST(barriers, sync_threads_waits_for_lds_dma_in_loops) {
    std::vector<std::string> files;
    for (const std::string arch : {"gfx942", "gfx950"}) {
        for (const char* level : {"_", "_O1_", "_O2_"}) {
            files.push_back("barriers" + (level + arch));
        }
    }
#if OPUS_TEST_CLANG_19
    for (const char* level : {"1", "2", "3"}) {
        files.push_back(std::string("barriers_O") + level + "_clang_19");
    }
#endif
    for (const std::string& file : files) {
        for (const char* name : {"dma_before_each_barrier", "dma_behind_each_barrier"}) {
            SCOPED_TRACE(file + ", " + name);
            const kernel_isa loop = read_kernel(isa_file(file), name).hot_loop();
            EXPECT_EQ(loop.count_containing(" lds"), 1);
            EXPECT_EQ(loop.count_prefix("s_barrier"), name[4] == 'b' && name[6] == 'f' ? 2 : 1);
            // Of what deals with memory, the last in front of a barrier.
            std::string last;
            for (const std::string& i : loop.instructions) {
                if (i == "s_barrier") {
                    EXPECT_EQ(last, "s_waitcnt vmcnt(0) lgkmcnt(0)");
                } else if (i.rfind("v_", 0) != 0 &&
                           (i.rfind("s_", 0) != 0 || i.rfind("s_waitcnt", 0) == 0)) {
                    last = i;
                }
            }
        }
    }
}

// The words that the scalar registers s[n:n+3] of the one buffer_load get, by s_mov.
std::vector<uint32_t> resource_words(const kernel_isa& kernel) {
    std::map<int, uint32_t> scalars;
    std::vector<uint32_t> words;
    for (const std::string& i : kernel.instructions) {
        std::smatch m;
        if (std::regex_match(i, m,
                             std::regex("s_mov(?:_b|k_i)32 s([0-9]+), (-?[0-9]+|0x[0-9a-f]+)"))) {
            scalars[std::stoi(m[1])] = static_cast<uint32_t>(std::stoll(m[2], nullptr, 0));
        } else if (std::regex_match(i, m,
                                    std::regex("buffer_load_dword v[0-9]+, (?:v[0-9]+, "
                                               ")?s\\[([0-9]+):[0-9]+\\], .*"))) {
            for (int word = 0; word < 4; word++) {
                words.push_back(scalars.at(std::stoi(m[1]) + word));
            }
        }
    }
    return words;
}

// ISA guide, 9.1.8: the address has 48 bits, the stride in the upper half of word 1
// is 0, word 2 is the size in bytes, word 3 the rest. async_load_if keeps the last 16 bytes of 4
// GiB out of range.
TEST(codegen, the_resource_of_lds_dma) {
    std::vector<std::string> files = {"resource_gfx942", "resource_gfx950"};
#if OPUS_TEST_CLANG_19
    files.push_back("resource_clang_19");
#endif
    for (const std::string& file : files) {
        SCOPED_TRACE(file);
        const auto words = [&](const char* kernel) {
            return resource_words(read_kernel(isa_file(file), kernel));
        };
        EXPECT_EQ(words("dma_resource"),
                  (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0x13579bdf, 0x00027fac}));
        for (const char* by_default :
             {"dma_resource_by_default", "dma_resource_of_gmem", "resource_of_buffer"}) {
            EXPECT_EQ(words(by_default),
                      (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0xffffffff, 0x00020000}))
                << by_default;
        }
        EXPECT_EQ(words("dma_resource_if"),
                  (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0xfffffff0, 0x00027fac}));
    }
}

TEST_P(kernel_on, lds_barrier_waits_for_lds_alone) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto after_load = before_barrier(read_kernel(file, "lds_barrier_after_load"), "ds_write");
    ASSERT_FALSE(after_load.empty());
    EXPECT_EQ(after_load.back(), "s_waitcnt lgkmcnt(0)");
    const kernel_isa load = read_kernel(file, "lds_barrier_after_load");
    int vm_waits = 0;
    for (const std::string& i : load.instructions) {
        if (i == "s_barrier") {
            break;
        }
        vm_waits += i.find("vmcnt") != std::string::npos;
    }
    EXPECT_EQ(vm_waits, 0);
    EXPECT_EQ(load.count_containing(" lds"), 1);
    const auto after_read = before_barrier(read_kernel(file, "lds_barrier_after_read"), "ds_read");
    ASSERT_FALSE(after_read.empty());
    EXPECT_EQ(after_read.back(), "s_waitcnt lgkmcnt(0)");
}

TEST_P(kernel_on, wait_async_leaves_the_latest_in_flight) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("barriers_") + GetParam()), "async_left_in_flight");
    std::vector<std::string> order;
    for (const std::string& i : k.instructions) {
        if (i.find(" lds") != std::string::npos) {
            order.push_back("load");
        } else if (i.rfind("ds_read", 0) == 0) {
            order.push_back("read");
        } else if (i.find("vmcnt") != std::string::npos) {
            order.push_back(i);
        }
    }
    EXPECT_EQ(order, (std::vector<std::string>{"load", "load", "s_waitcnt vmcnt(1)", "read"}));
    // As many as the counter can count.
    const kernel_isa none =
        read_kernel(isa_file(std::string("barriers_") + GetParam()), "wait_async_for_none");
    EXPECT_EQ(none.count_containing("vmcnt(63)"), 1);
}

// The scheduler moves nothing across "fixed", so nothing stands between these and nothing of the loads
// and the LDS instructions around them changes sides.
TEST_P(kernel_on, waits_and_barriers_are_fixed_on_both_sides) {
    const auto from = [](const char* kernel, const char* file, const std::string& wait) {
        const std::vector<std::string> order =
            read_kernel(isa_file(std::string(file) + GetParam()), kernel).order;
        const auto at = std::find(order.begin(), order.end(), wait);
        std::string text;
        const auto is_part = [](const std::string& i) {
            return i.rfind("sched_barrier mask(0x00000000)", 0) == 0 ||
                   i.rfind("s_waitcnt", 0) == 0 || i == "s_barrier";
        };
        auto first = at;
        while (first != order.begin() && is_part(first[-1])) {
            --first;
        }
        for (auto i = first; i != order.end() && is_part(*i); ++i) {
            text += (text.empty() ? "" : ", ") + (i->rfind("sched", 0) == 0 ? "fixed" : *i);
        }
        return text;
    };
    EXPECT_EQ(from("async_left_in_flight", "barriers_", "s_waitcnt vmcnt(1)"),
              "fixed, s_waitcnt vmcnt(1), fixed");
    EXPECT_EQ(from("lds_barrier_after_read", "barriers_", "s_waitcnt lgkmcnt(0)"),
              "fixed, s_waitcnt lgkmcnt(0), s_barrier, fixed");
    // These hold memory accesses only.
    EXPECT_EQ(from("barrier_after_dma", "barriers_", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
              "s_waitcnt vmcnt(0) lgkmcnt(0), s_barrier");
    EXPECT_EQ(from("wait_lds", "waits_", "s_waitcnt lgkmcnt(4)"), "s_waitcnt lgkmcnt(4)");
    EXPECT_EQ(from("wait_vector_memory", "waits_", "s_waitcnt vmcnt(20)"), "s_waitcnt vmcnt(20)");
    EXPECT_EQ(from("wait_beyond_export", "waits_", "s_waitcnt expcnt(1)"), "s_waitcnt expcnt(1)");
}

TEST_P(kernel_on, order_and_priority_cost_what_they_say) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const kernel_isa k = read_kernel(file, "order_is_kept");
    std::vector<std::string> order;
    for (const std::string& i : k.instructions) {
        if (i.rfind("global_load", 0) == 0) {
            order.push_back("load");
        } else if (i.rfind("v_mad", 0) == 0 || i.rfind("v_mul", 0) == 0) {
            order.push_back("multiply");
        } else if (i.rfind("s_setprio", 0) == 0) {
            order.push_back(i);
        }
    }
    EXPECT_EQ(order,
              (std::vector<std::string>{"load", "multiply", "s_setprio 3", "load", "s_setprio 0"}));
    EXPECT_EQ(k.count_prefix("s_barrier"), 0);

    // Of the matrix instructions and reads from the barrier on.
    const auto mixed = [&](const char* name) {
        std::string kinds;
        bool behind = false;
        for (const std::string& i : read_kernel(file, name).instructions) {
            behind = behind || i == "s_barrier";
            if (behind && (i.rfind("v_mfma", 0) == 0 || i.rfind("ds_read", 0) == 0)) {
                kinds += i[0];
            }
        }
        return kinds;
    };
    EXPECT_EQ(mixed("interleaved"), "dvdvdvdvdvdvdvdvdvvvvvvvv");
    EXPECT_EQ(mixed("interleaved_by_three").substr(0, 9), "dvdddvddd");  // and the last two
    EXPECT_FALSE(read_kernel(file, "interleaved").hints.empty());
    EXPECT_TRUE(read_kernel(file, "interleaved_with_none").hints.empty());
}

// Nothing for a count of 0; of 7 among 3, three behind each.
TEST_P(kernel_on, hints_have_the_kinds_and_counts) {
    const auto group = [](const char* mask, int count) {
        return "sched_group_barrier mask(0x00000" + std::string(mask) + ") size(" +
               std::to_string(count) + ") SyncID(0)";
    };
    std::vector<std::string> expected{group("120", 5)};
    for (int i = 0; i < 3; i++) {
        expected.push_back(group("008", 1));
        expected.push_back(group("100", 3));
    }
    expected.push_back(group("004", 1));
    expected.push_back(group("002", 1));
    EXPECT_EQ(read_kernel(isa_file(std::string("barriers_") + GetParam()), "hints").hints,
              expected);
}

// The fences of LLVM's memory model. No instruction shows them as long as the compiler takes
// sched_barrier and s_barrier for instructions that may access any memory.
TEST(barriers, fences) {
    std::ifstream file(isa_file("barriers_llvm"));
    std::map<std::string, std::string> fences;  // by kernel, with what they stand around
    std::string kernel;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("define ", 0) == 0) {
            const size_t name = line.find('@') + 1;
            kernel = line.substr(name, line.find('(') - name);
        }
        const size_t fence = line.find("fence syncscope");
        if (fence != std::string::npos) {
            fences[kernel] += line.substr(fence + 6) + "; ";
        } else if (line.find("@llvm.amdgcn.s.barrier()") != std::string::npos) {
            fences[kernel] += "barrier; ";
        } else if (line.find("asm sideeffect \"\", \"~{memory}\"") != std::string::npos) {
            fences[kernel] += "asm; ";
        }
    }
    const std::string of_wave = "syncscope(\"wavefront\") acq_rel; ";
    EXPECT_EQ(fences["read_around_keep_order"], of_wave);
    EXPECT_EQ(fences["read_around_wait_async"], of_wave + of_wave);
    EXPECT_EQ(fences["read_around_lds_barrier"], of_wave + "asm; barrier; " + of_wave);
    EXPECT_EQ(fences["read_around_sync_threads"],
              "syncscope(\"workgroup\") release; asm; barrier; syncscope(\"workgroup\") acquire; ");
    EXPECT_EQ(fences["bare_barrier"], "barrier; ");
    // An empty asm statement on either side, that touches memory.
    EXPECT_EQ(fences["transposed_for_caller"], "asm; asm; ");
    EXPECT_EQ(fences["transposed_for_compiler"], "");
}

TEST_P(kernel_on, reads_stay_between_barriers) {
    for (const char* name : {"read_between_sync_threads", "read_between_lds_barriers"}) {
        std::string order;
        for (const std::string& i :
             read_kernel(isa_file(std::string("barriers_") + GetParam()), name).instructions) {
            order += i.rfind("ds_write", 0) == 0  ? "w"
                     : i.rfind("ds_read", 0) == 0 ? "r"
                     : i == "s_barrier"           ? "|"
                                                  : "";
        }
        EXPECT_EQ(order, "w|r|w|r") << name;
    }
}

TEST_P(kernel_on, lds_is_read_again_behind_what_keeps_the_order) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    for (const std::string name : {"keep_order", "wait_async", "lds_barrier", "sync_threads"}) {
        const kernel_isa k = read_kernel(file, ("read_around_" + name).c_str());
        EXPECT_EQ(k.count_prefix("ds_read"), 2) << name;
    }
}

// A wait stays a loop in which the counter is loaded, and the wave sleeps between two loads.
TEST_P(kernel_on, the_first_thread_of_a_group_acts_between_two_barriers) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    for (const std::string name : {"groups_inc", "groups_wait_eq", "groups_wait_lt"}) {
        std::string order;
        for (const std::string& i : read_kernel(file, name.c_str()).instructions) {
            if (i == "s_barrier") {
                order += "b";
            } else if (i.rfind("global_", 0) == 0 && (order.empty() || order.back() != 'g')) {
                order += "g";
            }
        }
        EXPECT_EQ(order, "bgb") << name;
        EXPECT_EQ(read_kernel(file, name.c_str()).count_prefix("s_sleep"), name != "groups_inc")
            << name;
        // One thread alone.
        EXPECT_GE(read_kernel(file, name.c_str()).count_containing("saveexec"), 1) << name;
    }
}

// ---- groups.hip ----

// Counting and waiting take no more than by hand. The one thread that counts is not counted first.
TEST_P(kernel_on, groups_wait_for_each_other_as_by_hand) {
    const std::string file = isa_file(std::string("groups_") + GetParam());
    for (const std::string name : {"cumulative", "fix_up"}) {
        const kernel_isa k = read_kernel(file, name);
        const kernel_isa by_hand = read_kernel(file, name + "_by_hand");
        std::printf("%s: %d instructions, by hand %d\n", name.c_str(), k.total(), by_hand.total());
        EXPECT_LE(k.total(), codegen::at_most(by_hand.total()) + codegen::states_behind_stores(k))
            << name;
        EXPECT_LE(k.vgprs, by_hand.vgprs + 2) << name;
        EXPECT_EQ(k.count_prefix("s_barrier"), by_hand.count_prefix("s_barrier")) << name;
        EXPECT_EQ(k.count_prefix("v_mbcnt"), 0) << name;
    }
}

}  // namespace
