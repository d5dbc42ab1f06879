// SPDX-License-Identifier: MIT
//
// timing.hpp: how long a kernel takes, and what share of the device's peak that is. Times on the
// emulator say nothing about a GPU, so there the report contains only what can be counted.
#pragma once

#include <cstdio>
#include <string>

#include "device.hpp"

namespace examples {

namespace detail {

// Time of one call of `launch` in milliseconds, from two events around `iters` calls. A call before
// the first event loads the code and raises the clocks.
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
// kernel; `name` is for the message if the launch fails.
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
    const char* name;  // a part of the name from hipDeviceGetName
    const char* arch;
    double f64;  // TFLOP/s of the matrix cores, as the next four
    double f32;
    double f16;  // bf16 too
    double fp8;
    double fp4;     // fp6 too; 0: no such instruction
    double memory;  // GB/s
};

// The emulator stands for the first of the devices with its architecture.
constexpr machine_peaks all_peaks[] = {
    {"MI300X", "gfx942", 163.4, 163.4, 1307, 2615, 0, 5300},
    {"MI325X", "gfx942", 163.4, 163.4, 1307, 2615, 0, 6000},
    {"MI355X", "gfx950", 78.6, 157.3, 2517, 5033, 10066, 8000},
    {"MI350X", "gfx950", 72.1, 144.2, 2307, 4614, 9227, 8000},
};

// The entry for this device_name(); for an emulated device, one with its architecture. Null for a
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

// The work of a launch, and its time.
struct launch_figures {
    double milliseconds = 0;  // from time_launches()
    double least_bytes = 0;   // the least that is necessary: each input and output once
    double moved_bytes = 0;   // the bytes that the kernels request, if they count them
    // If matrix cores are the limit and no moved bytes are counted, the report is about FLOPs.
    double flop = 0;
    double machine_peaks::* peak = &machine_peaks::f16;
};

// One line: "time: 2 ms, 653.5 TFLOP/s, 50.0 % of the peak of MI300X (1307 TFLOP/s)". Without a
// known peak there is no share; without a time the line has the counts. Moved bytes have a line of
// their own before it. The rate is that of the least bytes, as repeated requests may hit a cache.
inline std::string report(const launch_figures& f, const std::string& device) {
    const bool is_of_memory = f.flop == 0 || f.moved_bytes > 0;
    char counted[128];
    if (f.moved_bytes > 0) {
        std::snprintf(counted, sizeof(counted),
                      "counted: %.0f bytes moved, %.2f %% more than the least", f.moved_bytes,
                      100 * (f.moved_bytes / f.least_bytes - 1));
    } else if (is_of_memory) {
        std::snprintf(counted, sizeof(counted), "counted: %.0f bytes", f.least_bytes);
    } else {
        std::snprintf(counted, sizeof(counted), "counted: %.0f FLOP, %.0f bytes, %.3g FLOP/byte",
                      f.flop, f.least_bytes, f.flop / f.least_bytes);
    }
    if (f.milliseconds == 0) {
        return std::string(counted) + " (emulated: times mean nothing)";
    }
    const double machine_peaks::* const of = is_of_memory ? &machine_peaks::memory : f.peak;
    const char* const unit = is_of_memory ? "GB/s" : "TFLOP/s";
    const double rate = (is_of_memory ? f.least_bytes * 1e-6 : f.flop * 1e-9) / f.milliseconds;
    const machine_peaks* const peaks = find_peaks(device);
    char text[128];
    std::snprintf(text, sizeof(text), "time: %.4g ms, %.4g %s", f.milliseconds, rate, unit);
    std::string line = (f.moved_bytes > 0 ? std::string(counted) + "\n" : "") + text;
    if (peaks == nullptr || peaks->*of == 0) {
        return line + ", the peak of this device is not known";
    }
    std::snprintf(text, sizeof(text), ", %.1f %% of the peak of %s (%.5g %s)",
                  100 * rate / (peaks->*of), peaks->name, peaks->*of, unit);
    return line + text;
}

}  // namespace examples
