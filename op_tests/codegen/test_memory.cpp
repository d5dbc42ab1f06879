// What accesses of memory and LDS compile to (memory.hip).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "isa.hpp"
#include "kernel_on.hpp"

namespace {

using codegen::ends_with;
using codegen::instructions_of;
using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::read_kernel;
using codegen::waits_for_all;

std::string memory_file(const std::string& arch) {
    return isa_file("memory_" + arch);
}

TEST_P(kernel_on, an_access_of_any_width_is_one_instruction) {
    struct width {
        const char* kernel;
        const char* buffer_load;
        const char* buffer_store;
        const char* ds_read;
        const char* ds_write;
    };
    const width widths[] = {
        {"width_1", "buffer_load_ubyte ", "buffer_store_byte ", "ds_read_u8 ", "ds_write_b8 "},
        {"width_2", "buffer_load_ushort ", "buffer_store_short ", "ds_read_u16 ", "ds_write_b16 "},
        {"width_4", "buffer_load_dword ", "buffer_store_dword ", "ds_read_b32 ", "ds_write_b32 "},
        {"width_8", "buffer_load_dwordx2 ", "buffer_store_dwordx2 ", "ds_read_b64 ",
         "ds_write_b64 "},
        {"width_12", "buffer_load_dwordx3 ", "buffer_store_dwordx3 ", "ds_read_b96 ",
         "ds_write_b96 "},
        {"width_16", "buffer_load_dwordx4 ", "buffer_store_dwordx4 ", "ds_read_b128 ",
         "ds_write_b128 "},
    };
    for (const width& w : widths) {
        const kernel_isa k = read_kernel(memory_file(GetParam()), w.kernel);
        EXPECT_EQ(k.count_prefix("buffer_load"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.buffer_load), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("buffer_store"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.buffer_store), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("ds_read"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.ds_read), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("ds_write"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.ds_write), 1) << w.kernel;
        EXPECT_EQ(k.scratch_bytes, 0) << w.kernel;
    }
}

// The immediate of a buffer instruction has 12 bits: accesses within the same 4 KiB, loads and
// stores alike, share a register for their address.
TEST_P(kernel_on, far_accesses_share_registers) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "far_apart");
    std::set<int> bases;
    for (int i = 0; i < 16; i++) {
        bases.insert(i * 2560 / 4096);
    }
    EXPECT_EQ(k.count_prefix("buffer_load_dwordx4 "), 16);
    EXPECT_EQ(k.count_prefix("buffer_store_dwordx4 "), 16);
    EXPECT_EQ(k.count_prefix("v_or_b32") + k.count_prefix("v_add"),
              static_cast<int>(bases.size()) - 1);
    EXPECT_EQ(k.valu(), 3 + static_cast<int>(bases.size()) - 1);  // and the lane, times 16
}

TEST_P(kernel_on, constant_steps_are_in_the_immediate) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "immediates");
    for (const char* prefix : {"buffer_load_dwordx4", "buffer_store_dwordx4", "ds_write_b128"}) {
        const auto found = instructions_of(k, prefix);
        ASSERT_EQ(found.size(), 4u) << prefix;
        EXPECT_EQ(found[0].find("offset:"), std::string::npos) << found[0];
        for (size_t i = 1; i < 4; i++) {
            EXPECT_TRUE(ends_with(found[i], " offset:" + std::to_string(1024 * i))) << found[i];
        }
    }
    const auto reads = instructions_of(k, "ds_read_b128");
    ASSERT_EQ(reads.size(), 4u);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_TRUE(ends_with(reads[i], " offset:" + std::to_string(4096 + 1024 * i))) << reads[i];
    }
}

TEST_P(kernel_on, resources_stay_in_scalar_registers) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "resources");
    EXPECT_EQ(k.count_prefix("buffer_load_dword "), 2);
    EXPECT_EQ(k.count_prefix("v_readfirstlane"), 0);
}

TEST_P(kernel_on, a_size_of_64_bits_is_clamped_by_scalar_instructions) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "size_of_64_bits");
    EXPECT_EQ(k.count_prefix("v_cmp"), 0);
    EXPECT_EQ(k.count_prefix("s_cmp"), 1);
    EXPECT_EQ(k.count_prefix("s_cselect"), 1);
}

TEST_P(kernel_on, cache_policies_are_bits_of_the_instruction) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "policies");
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_load").at(0), " offen sc0 nt"));
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_store").at(0), " offen sc0 sc1"));
}

TEST_P(kernel_on, cache_policies_of_every_width) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "policies_of_widths");
    for (const char* width : {"byte", "short", "dword", "dwordx2", "dwordx3", "dwordx4"}) {
        const std::string small = width[0] == 'd' ? "" : "u";
        const auto loads = instructions_of(k, "buffer_load_" + small + width + " ");
        const auto stores = instructions_of(k, std::string("buffer_store_") + width + " ");
        ASSERT_EQ(loads.size(), 1u) << width;
        ASSERT_EQ(stores.size(), 1u) << width;
        EXPECT_TRUE(ends_with(loads[0], " nt sc1")) << loads[0];
        EXPECT_EQ(loads[0].find(" sc0"), std::string::npos) << loads[0];
        EXPECT_TRUE(ends_with(stores[0], " sc1")) << stores[0];
        EXPECT_EQ(stores[0].find(" sc0"), std::string::npos) << stores[0];
        EXPECT_EQ(stores[0].find(" nt"), std::string::npos) << stores[0];
    }
}

TEST_P(kernel_on, cache_policies_of_every_form) {
    for (const char* name : {"policies_of_forms", "policies_of_wide_forms", "policies_of_dma"}) {
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        const auto loads = instructions_of(k, "buffer_load");
        const auto stores = instructions_of(k, "buffer_store");
        const bool is_dma = std::string(name) == "policies_of_dma";
        EXPECT_EQ(loads.size(), is_dma ? 12u : 10u) << name;
        EXPECT_EQ(stores.size(), is_dma ? 0u : 10u) << name;
        for (const auto& all : {loads, stores}) {
            for (const std::string& i : all) {
                EXPECT_TRUE(ends_with(i, is_dma ? " sc0 nt lds" : " sc0 nt")) << name << ": " << i;
            }
        }
    }
}

TEST_P(kernel_on, no_cache_policy_unless_given) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "no_policies");
    EXPECT_EQ(k.count_prefix("buffer_load"), 8);
    EXPECT_EQ(k.count_prefix("buffer_store"), 4);
    for (const std::string& i : instructions_of(k, "buffer_")) {
        for (const char* policy : {" sc0", " nt", " sc1"}) {
            EXPECT_EQ(i.find(policy), std::string::npos) << i;
        }
    }
}

TEST_P(kernel_on, dma_of_a_tile_is_five_loads) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "dma_tile");
    const auto loads = instructions_of(k, "buffer_load_dword ");
    ASSERT_EQ(loads.size(), 5u);
    for (const std::string& load : loads) {
        EXPECT_TRUE(ends_with(load, " lds")) << load;
    }
    EXPECT_TRUE(ends_with(loads[4], " offset:4092 lds")) << loads[4];
    EXPECT_EQ(k.count_prefix("v_readfirstlane"),
              5);  // the compiler does not see that 64 lanes are a wave
    EXPECT_EQ(read_kernel(memory_file(GetParam()), "plain_read").count_prefix("s_cselect"), 0);
}

// An address in LDS that is the same for all lanes stays in scalar registers, and is one of LDS: no
// bits of a pointer to any memory are read, and nothing is compared with null. One that may differ
// by lane is read for each access.
TEST_P(kernel_on, dma_in_loops_reads_no_lane_of_a_uniform_address) {
    for (const char* name : {"dma_in_turns", "dma_by_counter", "dma_by_wave"}) {
        SCOPED_TRACE(name);
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        const bool differs = std::string(name) == "dma_by_wave";
        EXPECT_EQ(k.hot_loop().count_prefix("buffer_load_dword "), 4);
        EXPECT_EQ(k.count_prefix("v_readfirstlane"), differs ? 4 : 0);
        EXPECT_EQ(k.hot_loop().count_prefix("v_readfirstlane"), differs ? 4 : 0);
        EXPECT_EQ(k.count_containing("src_shared_base"), 0);
        EXPECT_EQ(k.hot_loop().count_prefix("s_cselect"), 0);
    }
}

// Addresses in LDS that do not change in the loop take no vector registers if the wave is scalar: its
// one instruction is the sum's. Where the wave is a quotient of the thread, each takes a register and
// an instruction that reads it.
TEST_P(kernel_on, dma_to_eight_places_of_a_uniform_wave) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "dma_eight_uniform");
    EXPECT_EQ(k.hot_loop().count_prefix("buffer_load_dword "), 8);
    EXPECT_EQ(k.hot_loop().valu(), 1);
    EXPECT_LE(k.vgprs, 10);
    EXPECT_EQ(k.scratch_bytes, 0);
    const kernel_isa by_wave = read_kernel(memory_file(GetParam()), "dma_eight_by_wave");
    EXPECT_EQ(by_wave.hot_loop().count_prefix("v_readfirstlane"), 8);
    EXPECT_LE(by_wave.vgprs, 10 + 8);
}

// The hardware stores the new value if the next instruction writes the data of a wide store through a
// scalar offset (LLVM 197267): clang 23 has a wait state there, the header below.
TEST_P(kernel_on, data_of_wide_stores_is_not_written_at_once) {
    for (const char* name : {"wide_stores_at_a_scalar_offset", "wide_stores_at_constants"}) {
        SCOPED_TRACE(name);
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        int stores = 0;
        for (size_t i = 0; i < k.instructions.size(); i++) {
            const std::string& store = k.instructions[i];
            if (store.rfind("buffer_store_dwordx", 0) != 0) {
                continue;
            }
            stores++;
            const std::string& next = k.instructions.at(i + 1);
            if (next.rfind("v_", 0) == 0) {
                const auto data = codegen::vector_registers(store.substr(0, store.find(',')));
                for (const auto& r : codegen::vector_registers(next.substr(0, next.find(',')))) {
                    EXPECT_EQ(data.count(r), 0u) << store << "; " << next;
                }
            }
        }
        EXPECT_EQ(stores, std::string(name) == "wide_stores_at_constants" ? 5 : 4);
    }
}

// The wave is read once, by the kernel itself.
TEST_P(kernel_on, dma_to_places_of_a_scalar_wave) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "dma_of_uniform_waves");
    EXPECT_EQ(k.hot_loop().count_prefix("buffer_load_dword "), 4);
    EXPECT_EQ(k.count_prefix("v_readfirstlane"), 1);
}

// Nothing is compared with null, whether or not the compiler sees where a handle's pointer points.
TEST_P(kernel_on, handles_to_lds_ask_nothing) {
    const kernel_isa ring = read_kernel(memory_file(GetParam()), "handles_in_a_ring");
    EXPECT_EQ(ring.hot_loop().count_prefix("ds_read_b32 "), 3);
    EXPECT_EQ(ring.count_prefix("v_cmp"), 0);
    EXPECT_EQ(ring.count_prefix("v_cndmask"), 0);
    const kernel_isa later = read_kernel(memory_file(GetParam()), "handle_set_later");
    EXPECT_EQ(later.count_prefix("ds_write_b32 "), 1);
    EXPECT_EQ(later.count_prefix("ds_read_b32 "), 1);
    EXPECT_EQ(later.count_containing("cselect"), 0);
}

// A tile that is filled by pointers is nowhere but in registers when it is stored.
TEST_P(kernel_on, tiles_filled_by_pointer) {
    for (const int count : {64, 192}) {
        const std::string name = "filled_by_pointer_" + std::to_string(count);
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        EXPECT_EQ(k.count_prefix("buffer_store_dwordx4 "), count / 8) << name;
        EXPECT_EQ(k.count_prefix("scratch_"), 0) << name;
        EXPECT_EQ(k.scratch_bytes, 0) << name;
    }
}

TEST_P(kernel_on, reads_of_lds_and_dma_in_flight) {
    const std::string arch = GetParam();
    const auto kernel = [&](const char* name) { return read_kernel(memory_file(arch), name); };
    for (const char* name : {"plain_read", "plain_read_apart", "plain_read_96"}) {
        EXPECT_EQ(waits_for_all(kernel(name)), 0) << name;
        EXPECT_EQ(kernel(name).count_prefix("s_waitcnt vmcnt(1)"), 1) << name;
    }
    if (arch == "gfx942") {
        return;
    }
    EXPECT_EQ(waits_for_all(kernel("transposed_read")), 1);
    for (const char* name : {"transposed_read_apart", "transposed_read_apart_8",
                             "transposed_read_apart_6", "transposed_read_apart_4"}) {
        EXPECT_EQ(waits_for_all(kernel(name)), 0) << name;
        // The compiler still waits for the result.
        const kernel_isa k = kernel(name);
        const auto find = [&](const char* prefix) {
            size_t i = 0;
            while (i < k.instructions.size() && k.instructions[i].rfind(prefix, 0) != 0) {
                i++;
            }
            return i;
        };
        const size_t store = find("buffer_store");
        ASSERT_LT(store, k.instructions.size()) << name;
        bool waits = false;
        for (size_t i = find("ds_read"); i < store; i++) {
            waits = waits || k.instructions[i] == "s_waitcnt lgkmcnt(0)";
        }
        EXPECT_TRUE(waits) << name;
    }
    const auto reads = instructions_of(kernel("transposed_immediates"), "ds_read_b64_tr_b16");
    ASSERT_EQ(reads.size(), 2u);
    EXPECT_TRUE(ends_with(reads[0], " offset:1024")) << reads[0];
    EXPECT_TRUE(ends_with(reads[1], " offset:1152")) << reads[1];
    const kernel_isa wide = kernel("dma_wide");
    EXPECT_EQ(wide.count_prefix("buffer_load_dwordx4 "), 1);
    EXPECT_EQ(wide.count_prefix("buffer_load_dwordx3 "), 1);
}

TEST_P(kernel_on, atomics_are_instructions) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "atomics");
    EXPECT_EQ(k.count_prefix("global_atomic"), 4);
    EXPECT_TRUE(ends_with(instructions_of(k, "global_atomic_add_f32 ").at(0), " sc0"));
    EXPECT_EQ(k.count_prefix("global_atomic_pk_add_f16 "), 1);
    EXPECT_EQ(k.count_prefix("global_atomic_pk_add_bf16 "), 1);
    EXPECT_EQ(k.count_prefix("global_atomic_add "), 1);
    EXPECT_EQ(k.count_prefix("s_cbranch_scc0"), 0);  // no loops
}

}  // namespace
