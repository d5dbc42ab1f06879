// What stands between a transposed read of LDS and the wait for it (transposed.hip).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "isa.hpp"
#include "kernel_on.hpp"

namespace {

using codegen::isa_file;
using codegen::kernel_isa;
using codegen::read_kernel;
using codegen::waits_for_all;

bool is_transposed_read(const std::string& instruction) {
    return instruction.find("_tr_b") != std::string::npos;
}

const char* const transposed_files[] = {"transposed_0_O2", "transposed_0_O3", "transposed_1_O2",
                                        "transposed_1_O3"};
const char* const transposed_pipelines[] = {"tile_f16",  "tile_bf16", "tile_fp8",  "tile_fp8_wide",
                                            "tiles_f16", "tiles_fp8", "tiles_fp4", "halves_f16"};

// No instruction reads or writes a register while a transposed read may still write it: the compiler
// has a wait where the kernel has none. Waits in
// order: s_waitcnt lgkmcnt(n) leaves the last n LDS or scalar memory instructions in flight.
void expect_results_untouched(const kernel_isa& k) {
    std::vector<std::set<std::string>> in_flight;  // what each of them writes, if that matters
    int reads = 0;
    for (const std::string& i : k.instructions) {
        const size_t lgkm = i.find("lgkmcnt(");
        if (i.rfind("s_waitcnt", 0) == 0) {
            if (lgkm != std::string::npos) {
                const size_t left = std::stoul(i.substr(lgkm + 8));
                while (in_flight.size() > left) {
                    in_flight.erase(in_flight.begin());
                }
            }
            continue;
        }
        const std::set<std::string> touched = codegen::vector_registers(i);
        bool any = false;
        for (const auto& result : in_flight) {
            any = any || !result.empty();
            for (const std::string& r : result) {
                EXPECT_EQ(touched.count(r), 0u) << r << " is in flight at " << i;
            }
        }
        EXPECT_FALSE(any && (i.rfind("s_cbranch", 0) == 0 || i.rfind("s_branch", 0) == 0 ||
                             i.rfind("s_endpgm", 0) == 0))
            << "a read is in flight at the end of its block";
        if (is_transposed_read(i)) {
            reads++;
            in_flight.push_back(codegen::vector_registers(i.substr(0, i.find(','))));
        } else if (i.rfind("ds_", 0) == 0 || i.rfind("s_load", 0) == 0) {
            in_flight.push_back({});
        }
    }
    EXPECT_GT(reads, 0);
    EXPECT_EQ(k.spilled_registers, 0);
    EXPECT_EQ(k.scratch_bytes, 0);
}

TEST(transposed_reads, nothing_touches_a_result_before_the_wait) {
    for (const char* file : transposed_files) {
        for (const char* name : transposed_pipelines) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            expect_results_untouched(read_kernel(isa_file(file), name));
        }
        for (const char* name : {"arithmetic", "at_sync_threads", "at_lds_barrier", "far_apart"}) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            expect_results_untouched(read_kernel(isa_file(file), name));
        }
    }
}

// In the loop: all reads between the two barriers, off one address, no wait for LDS-DMA but the
// kernel's, and nothing that moves registers.
TEST(transposed_reads, stay_in_place_while_dma_is_in_flight) {
    for (const char* file : transposed_files) {
        for (const char* name : transposed_pipelines) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            const kernel_isa kernel = read_kernel(isa_file(file), name);
            const kernel_isa loop = kernel.hot_loop();
            const bool halves = std::string(name) == "halves_f16";
            // No barrier of the scheduler keeps the order: only accesses of memory stay in place.
            EXPECT_EQ(kernel.hints.size(), 0u);
            // Waits for some of the reads do not count: the compiler has them between the products.
            std::vector<std::string> order;
            std::set<std::string> addresses;
            std::set<std::string> immediates;
            int reads = 0;
            std::string last_wait;
            for (const std::string& i : loop.instructions) {
                if (is_transposed_read(i)) {
                    const size_t address = i.find(", v");
                    const size_t offset = std::min(i.find(" offset:"), i.size());
                    addresses.insert(i.substr(address, offset - address));
                    immediates.insert(i.substr(offset));
                    reads++;
                } else if (i.rfind("s_waitcnt", 0) == 0) {
                    last_wait = i;
                } else if (i == "s_barrier") {
                    order.push_back(std::to_string(reads) + " reads");
                    order.push_back(last_wait);
                    reads = 0;
                }
            }
            EXPECT_EQ(order, (std::vector<std::string>{"0 reads", "s_waitcnt vmcnt(4)",
                                                       halves ? "24 reads" : "32 reads",
                                                       "s_waitcnt lgkmcnt(0)"}));
            EXPECT_EQ(reads, 0);
            EXPECT_EQ(addresses.size(), 1u);
            EXPECT_EQ(immediates.size(), halves ? 24u : 32u);
            EXPECT_EQ(loop.count_containing(" lds"), 4);
            EXPECT_EQ(loop.count_prefix("v_mov") + loop.count_prefix("v_accvgpr"), 0);
        }
    }
}

TEST(transposed_reads, stay_between_stores) {
    for (const char* file : transposed_files) {
        std::string order;
        for (const std::string& i : read_kernel(isa_file(file), "overwritten").instructions) {
            order += is_transposed_read(i) ? "r" : i.rfind("ds_write", 0) == 0 ? "w" : "";
        }
        EXPECT_EQ(order, "wrw") << file;
    }
}

TEST(transposed_reads, auto_wait_waits_for_all) {
    const kernel_isa k = read_kernel(isa_file("transposed_0_O3"), "automatic");
    EXPECT_EQ(waits_for_all(k), 1);
    expect_results_untouched(k);
}

}  // namespace
