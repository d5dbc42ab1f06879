// Which line of the source an instruction comes from, by the DWARF of a code object that was
// compiled with -g.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emu {

struct source_frame {
    std::string file;
    uint32_t line = 0;
};

// The line of an instruction and those at which it was inlined, innermost first; empty if they are
// not known.
using source_frames = std::vector<source_frame>;

class source_lines {
public:
    source_lines() = default;
    // Copies the code object, whose bytes the caller may free.
    explicit source_lines(std::span<const std::byte> object)
        : object_(object.begin(), object.end()) {}

    // Of each address, which are relative to the start of the loaded object.
    std::vector<source_frames> frames_of(std::span<const uint64_t> addresses) const;

    std::span<const std::byte> object() const { return object_; }

private:
    std::vector<std::byte> object_;
};

// One of opus's own headers.
bool is_in_opus(const std::string& file);

// The lines of whoever uses opus, outermost first and without the frames in opus's own headers:
// "a.hip:12", for code that the user inlines "a.hip:12 > helper.hpp:7". Code of which all frames are
// opus's has the outermost one.
std::string frames_of_user(const source_frames& frames);

// The same, and behind them the lines of opus's headers in between, outermost first:
// "a.hip:12 (opus.hpp:4552 > :4703)".
std::string all_frames(const source_frames& frames);

}  // namespace emu
