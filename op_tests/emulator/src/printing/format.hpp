// The text of a printf call of device code.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace emu {

struct formatted_text {
    std::string text;
    std::string problem;  // what the arguments lack, or what is beyond a limit; empty: nothing
};

// What C's printf makes of the format. `arguments` is what clang's lowering leaves behind it: 8 bytes
// for each number or pointer, a float as a double, and of a string its characters and the zero, up
// to the next multiple of 8. Neither has to be well-formed. %n takes its argument and stores nothing.
formatted_text format_text(std::string_view format, std::span<const std::byte> arguments);

// Takes a string of device code off the front, which has its zero and is filled up to a multiple of
// 8 bytes; all of it if there is no zero.
std::string_view take_string(std::span<const std::byte>& bytes);

}  // namespace emu
