// The kernels that a file holds: a program, a fat binary, a code object, an object file, assembly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "isa/decode.hpp"
#include "machine/target.hpp"

namespace emu {

struct lint_kernel {
    std::string symbol;
    gfx_target target = gfx_target::gfx942;
    program* code = nullptr;
    uint64_t entry = 0;
};

// Calls `found` for each kernel, by target and name; of the one target, if it is named. Throws
// std::exception if the file cannot be read or holds none for it.
void for_each_kernel(std::span<const std::byte> file, std::optional<gfx_target> only,
                     const std::function<void(const lint_kernel&)>& found);

}  // namespace emu
