// What the generated code must look like: kernels written with opus beside the same kernels written
// with the compiler's builtins, and instructions that must stand in the assembly.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "isa.hpp"

namespace {

using codegen::kernel_isa;
using codegen::read_kernel;

std::string isa_file(const std::string& name) {
    return std::string(OPUS_ISA_DIRECTORY) + "/" + name + ".s";
}

void print_row(const std::string& name, const kernel_isa& k) {
    std::printf("%-28s %6d %6d %6d %6d %6d %8d\n", name.c_str(), k.total(), k.valu(), k.mfma(),
                k.vgprs, k.sgprs, k.scratch_bytes);
}

class kernel_on : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(targets, kernel_on, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(kernel_on, a_equals_its_raw_twin) {
    const std::string arch = GetParam();
    const kernel_isa with_opus = read_kernel(isa_file("kernel_a_opus_" + arch), "kernel");
    const kernel_isa raw = read_kernel(isa_file("kernel_a_raw_" + arch), "kernel");
    std::printf("%-28s %6s %6s %6s %6s %6s %8s\n", "kernel", "total", "VALU", "MFMA", "VGPR",
                "SGPR", "scratch");
    print_row("a, opus, " + arch, with_opus);
    print_row("a, builtins, " + arch, raw);
    EXPECT_GT(raw.total(), 0);
    EXPECT_EQ(with_opus.total(), raw.total());
    EXPECT_EQ(with_opus.valu(), raw.valu());
    EXPECT_EQ(with_opus.vgprs, raw.vgprs);
    EXPECT_EQ(with_opus.sgprs, raw.sgprs);
    EXPECT_EQ(with_opus.count_prefix("buffer_load_dwordx4"), 2);
    EXPECT_EQ(with_opus.count_prefix("buffer_store_dwordx4"), 1);
    EXPECT_EQ(with_opus.scratch_bytes, 0);
    EXPECT_EQ(with_opus.spilled_registers, 0);
}

TEST_P(kernel_on, waits_are_encoded) {
    const std::string file = isa_file(std::string("waits_") + GetParam());
    const auto only_wait = [&](const char* kernel) {
        return read_kernel(file, kernel).instructions.at(0);
    };
    EXPECT_EQ(only_wait("wait_both"), "s_waitcnt vmcnt(37) lgkmcnt(2)");
    EXPECT_EQ(only_wait("wait_all"), "s_waitcnt vmcnt(0) lgkmcnt(0)");
    EXPECT_EQ(only_wait("wait_export"), "s_waitcnt vmcnt(5) expcnt(3)");
    EXPECT_EQ(only_wait("wait_vector_memory"), "s_waitcnt vmcnt(20)");
    EXPECT_EQ(only_wait("wait_lds"), "s_waitcnt lgkmcnt(4)");
}

// -- memory ---------------------------------------------------------------------------------------

std::string memory_file(const std::string& arch) {
    return isa_file("memory_" + arch);
}

// The instructions that begin with `prefix`.
std::vector<std::string> instructions_of(const kernel_isa& kernel, const std::string& prefix) {
    std::vector<std::string> found;
    for (const std::string& i : kernel.instructions) {
        if (i.compare(0, prefix.size(), prefix) == 0) {
            found.push_back(i);
        }
    }
    return found;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
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

TEST_P(kernel_on, cache_policies_are_bits_of_the_instruction) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "policies");
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_load").at(0), " offen sc0 nt"));
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_store").at(0), " offen sc0 sc1"));
}

TEST_P(kernel_on, dma_needs_one_scalar_base) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "dma_tile");
    const auto loads = instructions_of(k, "buffer_load_dword ");
    ASSERT_EQ(loads.size(), 5u);
    for (const std::string& load : loads) {
        EXPECT_TRUE(ends_with(load, " lds")) << load;
    }
    EXPECT_TRUE(ends_with(loads[4], " offset:4092 lds")) << loads[4];
    EXPECT_EQ(k.count_prefix("v_readfirstlane"), 2);  // the tile's base, and that of the last load
    EXPECT_EQ(read_kernel(memory_file(GetParam()), "plain_read").count_prefix("s_cselect"), 0);
}

// The number of waits for all vector memory before the read of LDS.
int waits_for_all(const kernel_isa& k) {
    int waits = 0;
    for (const std::string& i : k.instructions) {
        if (i.compare(0, 7, "ds_read") == 0) {
            return waits;
        }
        waits += i.find("vmcnt(0)") != std::string::npos;
    }
    ADD_FAILURE() << "no read of LDS";
    return -1;
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
