// SPDX-License-Identifier: MIT
//
// colour.hpp: the colours of threads and phases. In integers, so that a picture is the same on
// every machine.
#pragma once

#include <array>
#include <string>

#include "views.hpp"

namespace viewer {

struct rgb {
    int red;
    int green;
    int blue;
};

// Light colours for dark text: the hue goes with the thread's number from red to violet, and
// neighbours differ in lightness as well.
inline rgb thread_colour(index_t thread, index_t threads) {
    constexpr int hues = 1280;  // five sixths of the circle, which would end at red again
    const int hue = threads > 1 ? thread * hues / (threads - 1) : 0;
    const int rise = hue % 256;
    const int fall = 255 - rise;
    rgb pure{255, 0, 255};
    switch (hue / 256) {
        case 0:
            pure = {255, rise, 0};
            break;
        case 1:
            pure = {fall, 255, 0};
            break;
        case 2:
            pure = {0, 255, rise};
            break;
        case 3:
            pure = {0, fall, 255};
            break;
        case 4:
            pure = {rise, 0, 255};
            break;
        default:
            break;
    }
    const int white = thread % 2 == 0 ? 168 : 200;
    const auto lighten = [&](int x) { return white + x * (255 - white) / 255; };
    return {lighten(pure.red), lighten(pure.green), lighten(pure.blue)};
}

inline const rgb& phase_colour(index_t phase) {
    static constexpr std::array<rgb, 8> colours{{{158, 202, 225},
                                                 {253, 208, 162},
                                                 {161, 217, 155},
                                                 {218, 190, 232},
                                                 {255, 237, 140},
                                                 {189, 189, 189},
                                                 {252, 187, 200},
                                                 {140, 222, 216}}};
    return colours[at(phase) % colours.size()];
}

inline constexpr rgb conflict_colour{240, 128, 128};

// Black on this colour, as near as the 6 x 6 x 6 cube of a terminal of 256 colours comes.
inline std::string terminal_colour(const rgb& c) {
    const auto level = [](int x) { return (x * 5 + 127) / 255; };
    return "\033[30;48;5;" +
           std::to_string(16 + 36 * level(c.red) + 6 * level(c.green) + level(c.blue)) + "m";
}

}  // namespace viewer
