// kernels.s assembled for the target that OPUS_EMU_ARCH names, as CTest sets it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

inline std::string tested_arch() {
    const char* arch = std::getenv("OPUS_EMU_ARCH");
    return arch == nullptr ? "gfx942" : arch;
}

inline std::string other_arch() {
    return tested_arch() == "gfx942" ? "gfx950" : "gfx942";
}

inline std::string kernels_path(const std::string& arch) {
    return std::string(OPUS_EMU_TEST_KERNELS) + "/kernels_" + arch + ".co";
}

inline std::vector<std::byte> read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    EXPECT_FALSE(text.empty()) << path;
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

inline std::vector<std::byte> read_kernels(const std::string& arch) {
    return read_bytes(kernels_path(arch));
}

// The code object that clang makes of hip_program.hip.
inline std::vector<std::byte> read_compiled(const std::string& arch) {
    return read_bytes(std::string(OPUS_EMU_TEST_KERNELS) + "/hip_program_" + arch + ".co");
}
