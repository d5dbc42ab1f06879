// What a program holds: bundles of code objects, compressed or not, offload binaries, or a code
// object itself, and the one for a target in them. Format: ClangOffloadBundler, and
// llvm/Object/OffloadBinary.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "loader/load_budget.hpp"
#include "loader/load_error.hpp"
#include "machine/wave.hpp"

namespace emu {

// The bytes at `data` that this process may read, as far as they follow each other.
std::span<const std::byte> readable_bytes(const void* data);

// The bytes of a bundle, compressed bundle, offload binary or code object whose size the caller
// does not know (a registered fat binary, hipModuleLoadData), as its own headers give it. Of
// offload binaries behind each other that is the first one. Nothing outside of `readable` is looked
// at. Throws load_error if it is none of these, or would end behind `readable`.
size_t image_size(std::span<const std::byte> readable);

// The code object for `target` in `file`: an offload bundle, a compressed one, offload binaries
// behind each other, or a code object itself. `storage` receives the decompressed bundle, within the
// budget, where the result points into one. Throws load_error.
std::span<const std::byte> select_image(std::span<const std::byte> file, gfx_target target,
                                        std::unique_ptr<std::byte[]>& storage, load_budget& budget);

}  // namespace emu
