// What a code object says about its kernels: the notes' MessagePack and the kernel descriptors.
// Formats: LLVM's AMDGPUUsage ("Code Object Metadata", "Kernel Descriptor").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loader/load_budget.hpp"

namespace emu {

// The 64 bytes at `<kernel>.kd`; the fields that are used.
struct kernel_descriptor {
    uint32_t group_segment_fixed_size = 0;    // static LDS, bytes
    uint32_t private_segment_fixed_size = 0;  // scratch, bytes per lane
    uint32_t kernarg_size = 0;
    int64_t entry_offset = 0;  // of the first instruction, relative to the descriptor
    uint32_t rsrc3 = 0;
    uint32_t rsrc1 = 0;
    uint32_t rsrc2 = 0;
    uint16_t code_properties = 0;
    uint16_t kernarg_preload = 0;
};

struct kernel_argument {
    uint32_t offset = 0;  // bytes from the start of the kernarg segment
    uint32_t size = 0;
    std::string kind;  // by_value, global_buffer, hidden_block_count_x...

    bool is_hidden() const { return kind.starts_with("hidden_"); }
};

struct kernel_info {
    std::string name;
    kernel_descriptor descriptor;
    uint64_t descriptor_address = 0;
    uint64_t entry = 0;           // address of the instruction that entry_offset points to
    uint32_t kernarg_size = 0;    // bytes, as the metadata says
    uint32_t max_group_size = 0;  // work-items; 0 if the metadata does not say
    int abi_version = 0;          // e_ident[EI_ABIVERSION]: 3 is code object v5, 4 is v6
    std::vector<kernel_argument> arguments;

    bool takes(std::string_view kind) const;  // an argument of this kind

    // Bytes up to the end of the last argument that the caller passes.
    uint32_t explicit_size() const;

    // Registers per lane. One file holds both kinds since gfx90a: accum_offset of them are v
    // registers, the rest are a registers.
    uint32_t vgpr_count() const;
    uint32_t agpr_count() const;
    uint32_t sgpr_count() const;  // in blocks of 16, VCC included
};

// The constant formats of printf in code that was compiled with -mprintf-kind=buffered, by their hash.
using printf_formats = std::map<uint64_t, std::string>;

// Hands out each kernel of the metadata, with all but what its descriptor says, and the name of the
// descriptor's symbol, and adds the formats. Throws load_error.
void read_metadata(std::string_view metadata, load_budget& budget,
                   const std::function<void(kernel_info kernel, const std::string& symbol)>& found,
                   printf_formats& formats);

}  // namespace emu
