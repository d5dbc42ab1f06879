// What the lint finds in a few instructions.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "lint/lint.hpp"
#include "machine.hpp"

namespace emu {

// Keeps the instructions that results point to.
inline lint_result lint_all_of(gfx_target target, const std::string& source) {
    static auto& programs = *new std::deque<program>;
    const std::vector<std::byte>& bytes = assemble(target, source + machine::end);
    return lint(programs.emplace_back(target, bytes.data(), bytes.size(), machine::base),
                machine::base);
}

inline std::vector<lint_finding> lint_of(gfx_target target, const std::string& source) {
    return lint_all_of(target, source).findings;
}

inline std::vector<lint_finding> hazards_of(std::vector<lint_finding> findings) {
    std::erase_if(findings, [](const lint_finding& f) { return f.kind != lint_kind::hazards; });
    return findings;
}

inline void PrintTo(const lint_finding& f, std::ostream* to) {
    *to << f.message;
}

}  // namespace emu
