// Code objects: finding the one for a target in an offload bundle, loading it, and what its
// metadata says about the kernels in it. Formats: LLVM's AMDGPUUsage ("Code Object", "Code Object
// Metadata", "Kernel Descriptor") and ClangOffloadBundler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/wave.hpp"

namespace emu {

// A file that is malformed or has nothing for the target; what() says what was found.
struct load_error : std::runtime_error {
    enum class reason_t { malformed, no_image };
    load_error(reason_t r, const std::string& message) : std::runtime_error(message), reason(r) {}
    reason_t reason;
};

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

    // Bytes up to the end of the last argument that the caller passes.
    uint32_t explicit_size() const;

    // Registers per lane. One file holds both kinds since gfx90a: accum_offset of them are v
    // registers, the rest are a registers.
    uint32_t vgpr_count() const;
    uint32_t agpr_count() const;
};

struct device_symbol {
    uint64_t address = 0;
    uint64_t size = 0;
};

const char* target_name(gfx_target target);

// The bytes at `data` that this process may read, as far as they follow each other.
std::span<const std::byte> readable_bytes(const void* data);

// The bytes of a bundle, compressed bundle, offload binary or code object whose size the caller
// does not know (a registered fat binary, hipModuleLoadData), as its own headers give it. Of
// offload binaries behind each other that is the first one. Nothing outside of `readable` is looked
// at. Throws load_error if it is none of these, or would end behind `readable`.
size_t image_size(std::span<const std::byte> readable);

// The code object for `target` in `file`: an offload bundle, a compressed one, offload binaries
// behind each other, or a code object itself. `storage` receives the decompressed bundle where the
// result points into one. Throws load_error.
std::span<const std::byte> select_image(std::span<const std::byte> file, gfx_target target,
                                        std::unique_ptr<std::byte[]>& storage);

// A loaded code object: its segments are addressable by device code while it lives.
class code_object {
public:
    // Throws load_error; nothing stays loaded then.
    code_object(std::span<const std::byte> file, gfx_target target);
    ~code_object();
    code_object(const code_object&) = delete;
    code_object& operator=(const code_object&) = delete;

    const kernel_info* find_kernel(const std::string& name) const;
    std::optional<device_symbol> find_variable(const std::string& name) const;
    const std::map<std::string, kernel_info>& kernels() const { return kernels_; }
    program& code() { return *program_; }

private:
    struct segment {
        uint64_t offset = 0;  // from the start of the loaded object
        uint64_t bytes = 0;
        bool writable = false;
    };
    struct page_deleter {
        void operator()(std::byte* p) const;
    };
    struct program_deleter {
        void operator()(program* p) const;
    };
    class loader;

    std::unique_ptr<std::byte[], page_deleter> memory_;
    std::vector<segment> segments_;
    std::unique_ptr<program, program_deleter> program_;
    std::map<std::string, kernel_info> kernels_;
    std::map<std::string, device_symbol> variables_;
};

}  // namespace emu
