// SPDX-License-Identifier: MIT
//
// timing.hpp: how long a kernel takes, and what share of the machine's peak that is. On the
// emulator a time says nothing about a GPU: there the same lines have only what can be counted.
#pragma once

#include <cstdio>
#include <string>

#include "device.hpp"

namespace examples {

namespace detail {

// Time of one call of `launch` in milliseconds, between two events around `iters` calls. One call
// comes before: it loads the code and wakes the clocks.
template <class Launch>
double measure_launches(int iters, Launch launch) {
    const device_event start;
    const device_event stop;
    launch();
    start.record();
    for (int i = 0; i < iters; ++i) {
        launch();
    }
    stop.record();
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return static_cast<double>(stop.milliseconds_since(start)) / iters;
}

}  // namespace detail

// Time of one launch in milliseconds, the mean of `iters`, 0 on the emulator. `launch` launches the
// kernel; `name` is for the message where it cannot be launched.
// @pre a launch leaves its inputs as they are
template <class Launch>
double time_launches(int iters, const char* name, Launch launch) {
    const auto checked_launch = [&] {
        launch();
        check(hipGetLastError(), (std::string("the launch of ") + name).c_str());
    };
    if (!is_emulated()) {
        return detail::measure_launches(iters, checked_launch);
    }
    for (int i = 0; i < iters; ++i) {
        checked_launch();
    }
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return 0;
}

// Dense peaks, from AMD's data sheets.
struct machine_peaks {
    const char* name;  // a part of what hipDeviceGetName gives
    const char* arch;
    double f64;  // TFLOP/s of the matrix cores, as the next four
    double f32;
    double f16;  // bf16 too
    double fp8;
    double fp4;     // fp6 too; 0: no such instruction
    double memory;  // GB/s
};

// Of machines with the same architecture the first one stands for it on the emulator.
constexpr machine_peaks all_peaks[] = {
    {"MI300X", "gfx942", 163.4, 163.4, 1307, 2615, 0, 5300},
    {"MI325X", "gfx942", 163.4, 163.4, 1307, 2615, 0, 6000},
    {"MI355X", "gfx950", 78.6, 157.3, 2517, 5033, 10066, 8000},
    {"MI350X", "gfx950", 72.1, 144.2, 2307, 4614, 9227, 8000},
};

// The machine with this device_name(); for an emulated device one with its architecture. Null for a
// device that is not in the table.
inline const machine_peaks* find_peaks(const std::string& device) {
    for (const machine_peaks& peaks : all_peaks) {
        if (device.find(peaks.name) != std::string::npos ||
            device == std::string(peaks.arch) + ", emulated") {
            return &peaks;
        }
    }
    return nullptr;
}

// ", 54.3 % of the peak of MI300X (1307 TFLOP/s)"; a peak that is not known has no share.
inline std::string share_text(double rate, double machine_peaks::* peak, const char* unit,
                              const std::string& device) {
    const machine_peaks* const peaks = find_peaks(device);
    if (peaks == nullptr || peaks->*peak == 0) {
        return ", the peak of this device is not known";
    }
    char text[128];
    std::snprintf(text, sizeof(text), ", %.1f %% of the peak of %s (%.5g %s)",
                  100 * rate / (peaks->*peak), peaks->name, peaks->*peak, unit);
    return text;
}

constexpr const char* no_time = "emulated: times mean nothing";

// One line for a kernel that is limited by the matrix cores. `bytes` is what it has to move at
// least, each input and output once; `milliseconds` is what time_launches() gave.
inline std::string compute_report(double flop, double bytes, double milliseconds,
                                  double machine_peaks::* peak, const std::string& device) {
    char text[256];
    if (milliseconds == 0) {
        std::snprintf(text, sizeof(text), "counted: %.0f FLOP, %.0f bytes, %.3g FLOP/byte (%s)",
                      flop, bytes, flop / bytes, no_time);
        return text;
    }
    const double rate = flop / milliseconds * 1e-9;
    std::snprintf(text, sizeof(text), "time: %.4g ms, %.4g TFLOP/s", milliseconds, rate);
    return text + share_text(rate, peak, "TFLOP/s", device);
}

// The same for one that is limited by memory.
inline std::string memory_report(double bytes, double milliseconds, const std::string& device) {
    char text[256];
    if (milliseconds == 0) {
        std::snprintf(text, sizeof(text), "counted: %.0f bytes (%s)", bytes, no_time);
        return text;
    }
    const double rate = bytes / milliseconds * 1e-6;
    std::snprintf(text, sizeof(text), "time: %.4g ms, %.4g GB/s", milliseconds, rate);
    return text + share_text(rate, &machine_peaks::memory, "GB/s", device);
}

// The same for a kernel that counts the bytes it asks for, beside the least that it could do with.
// On a GPU a second line has the time, and the rate of the least: what is asked for more than once
// may come from a cache.
inline std::string moved_report(double moved, double least, double milliseconds,
                                const std::string& device) {
    char text[256];
    std::snprintf(text, sizeof(text), "counted: %.0f bytes moved, %.2f %% more than the least",
                  moved, 100 * (moved / least - 1));
    if (milliseconds == 0) {
        return std::string(text) + " (" + no_time + ")";
    }
    return std::string(text) + "\n" + memory_report(least, milliseconds, device);
}

}  // namespace examples
