// Which line of the source an instruction comes from, by the DWARF of a code object that was
// compiled with -g.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emu {

class source_lines {
public:
    source_lines() = default;
    // Copies the code object, whose bytes the caller may free.
    explicit source_lines(std::span<const std::byte> object)
        : object_(object.begin(), object.end()) {}

    // "a.hip:12", for inlined code with where it was inlined, "a.hpp:3, inlined at a.hip:12"; empty
    // if it is not known. `address` is relative to the start of the loaded object.
    std::string at(uint64_t address) const;

private:
    std::vector<std::byte> object_;
};

}  // namespace emu
