// A loaded code object: segments in memory, relocated, with its kernels and variables by name.
// Format: LLVM's AMDGPUUsage ("Code Object").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loader/load_budget.hpp"
#include "loader/load_error.hpp"
#include "loader/metadata.hpp"
#include "machine/wave.hpp"

namespace emu {

struct device_symbol {
    uint64_t address = 0;
    uint64_t size = 0;
};

// Its segments are addressable by device code while it lives.
class code_object {
public:
    // Throws load_error; nothing stays loaded then. Takes no more memory than the budget has.
    code_object(std::span<const std::byte> file, gfx_target target,
                load_budget budget = load_budget());
    ~code_object();
    code_object(const code_object&) = delete;
    code_object& operator=(const code_object&) = delete;

    const kernel_info* find_kernel(const std::string& name) const;
    std::optional<device_symbol> find_variable(const std::string& name) const;
    const std::map<std::string, kernel_info>& kernels() const { return kernels_; }
    const printf_formats& formats() const { return formats_; }
    program& code() { return *program_; }

    // What the host has asked for, in bytes (hipFuncSetAttribute).
    std::map<const kernel_info*, uint32_t> most_dynamic_lds;

private:
    struct segment {
        uint64_t offset = 0;  // from the start of the loaded object
        uint64_t bytes = 0;
        bool writable = false;
    };
    struct unmap {
        size_t bytes;
        void operator()(std::byte* p) const;
    };
    class loader;

    std::unique_ptr<std::byte, unmap> memory_;
    std::vector<segment> segments_;
    std::unique_ptr<program> program_;
    std::map<std::string, kernel_info> kernels_;
    std::map<std::string, device_symbol> variables_;
    printf_formats formats_;
};

}  // namespace emu
