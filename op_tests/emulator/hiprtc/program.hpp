// What hiprtcProgram stands for.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/hip_types.hpp"

namespace emu {

struct rtc_header {
    std::string name;  // as the source includes it
    std::string text;
};

struct rtc_program {
    std::string source;
    std::string name;  // of the source, in diagnostics and in lines of debug information
    std::vector<rtc_header> headers;
    std::vector<std::string> expressions;

    // Of the last compilation.
    bool is_compiled = false;  // whether there was one, with whatever result
    std::string log;
    std::string code;     // a code object
    std::string bitcode;  // instead of it, with -fgpu-rdc
    std::map<std::string, std::string> lowered_names;

    std::mutex mutex;  // for whoever reads or changes the program
};

// Sets the members "of the last compilation".
hiprtcResult compile(rtc_program& program, std::span<const std::string> options);

}  // namespace emu
