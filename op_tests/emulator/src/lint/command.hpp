// opus-emu --lint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/target.hpp"

namespace emu {

struct lint_options {
    std::vector<std::string> files;  // "-": the standard input
    std::optional<gfx_target> target;
    std::string kernel;  // a part of the name, mangled or not; empty: all
    bool as_json = false;
    bool without_errata = false;
};

constexpr int lint_found = 1;
constexpr int lint_unreadable = 2;

// Prints what was found. Returns the exit status: 0, lint_found, or lint_unreadable if a file cannot
// be read.
int lint_files(const lint_options& options);

}  // namespace emu
