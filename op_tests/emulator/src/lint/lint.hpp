// What is wrong with a kernel on any path through it, without running it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/decode.hpp"

namespace emu {

enum class lint_kind : uint8_t { hazards, waits, decode, errata };

// A branch on the way.
struct lint_step {
    const instruction* at = nullptr;
    bool is_taken = false;
    const instruction* to = nullptr;
};

struct lint_finding {
    lint_kind kind = lint_kind::decode;
    std::string message;
    const instruction* at = nullptr;
    const instruction* first = nullptr;  // the other one, if there is one
    std::vector<lint_step> path;         // the branches from the first one to this
    std::string cure;
};

struct lint_result {
    size_t instructions = 0;
    size_t blocks = 0;
    std::vector<lint_finding> findings;
    std::vector<std::string> not_followed;
};

// Of the kernel whose first instruction is at `entry`.
lint_result lint(program& code, uint64_t entry);

}  // namespace emu
