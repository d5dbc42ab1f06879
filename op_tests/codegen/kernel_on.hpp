// What the tests of generated code share: a test for each target, the file of an assembly, and what
// they ask of a kernel.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "isa.hpp"

namespace codegen {

inline std::string isa_file(const std::string& name) {
    return std::string(OPUS_ISA_DIRECTORY) + "/" + name + ".s";
}

// The parameter is the target.
class kernel_on : public testing::TestWithParam<const char*> {};

inline void print_header() {
    std::printf("%-28s %6s %6s %6s %6s %6s %6s %6s %8s\n", "kernel", "total", "VALU", "MFMA",
                "loop", "VALU", "VGPR", "SGPR", "scratch");
}
inline void print_row(const std::string& name, const kernel_isa& k) {
    const kernel_isa loop = k.inner_loops.empty() ? kernel_isa{} : k.hot_loop();
    std::printf("%-28s %6d %6d %6d %6d %6d %6d %6d %8d\n", name.c_str(), k.total(), k.valu(),
                k.mfma(), loop.total(), loop.valu(), k.vgprs, k.sgprs, k.scratch_bytes);
}

// The instructions that begin with `prefix`.
inline std::vector<std::string> instructions_of(const kernel_isa& kernel,
                                                const std::string& prefix) {
    std::vector<std::string> found;
    for (const std::string& i : kernel.instructions) {
        if (i.compare(0, prefix.size(), prefix) == 0) {
            found.push_back(i);
        }
    }
    return found;
}

inline bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The number of waits for all vector memory before the read of LDS.
inline int waits_for_all(const kernel_isa& k) {
    int waits = 0;
    for (const std::string& i : k.instructions) {
        if (i.compare(0, 7, "ds_read") == 0) {
            return waits;
        }
        waits += i.find("vmcnt(0)") != std::string::npos;
    }
    ADD_FAILURE() << "no read of LDS";
    return -1;
}

}  // namespace codegen
