// A picture of a timeline: what timeline_svg draws of a trace that the timeline has written.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace emu {

struct picture_options {
    std::string title;           // empty: that of the trace
    uint64_t from = 0;           // clocks
    std::optional<uint64_t> to;  // none: the end of the trace
    uint32_t waves = 0;          // of each SIMD, the first ones; 0: all
    uint32_t width = 1200;       // pixels
};

// What is wrong with a trace or with the options.
class picture_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Draws a trace, Chrome's JSON of trace events with clocks as times: a row for each thread that has
// slices, those of a process under its name, and a curve for each counter. A pixel shows what takes
// most of its time. What is issued fills the height of a row, what a wave waits for a part of it.
// Throws picture_error; a category of slices that it does not know is an error as well.
std::string draw_timeline(std::string_view json, const picture_options& options);

// What two traces say about which of their launches, of the same work, takes less time. Throws
// picture_error.
std::string compare_timelines(std::string_view first, std::string_view second);

}  // namespace emu
