// Loads a file that may be anything: an error or a code object, for the fuzzers.
#pragma once

#include <span>

#include "isa/decode.hpp"
#include "loader/bundle.hpp"
#include "loader/code_object.hpp"

// True if it was loaded.
inline bool load_any(std::span<const std::byte> file, emu::gfx_target target) {
    try {
        const size_t size = emu::image_size(file);
        emu::code_object object(file.first(size), target);
        for (const auto& [name, kernel] : object.kernels()) {
            // What a launch reads before it runs anything.
            (void)kernel.explicit_size();
            (void)kernel.vgpr_count();
            (void)object.code().at(kernel.entry);
        }
        return true;
    } catch (const emu::load_error&) {
        return false;
    }
}
