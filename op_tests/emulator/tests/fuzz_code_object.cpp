// For libFuzzer: ./emulator_fuzz_code_object corpus fuzz_corpus (../README.md).

#include <cstdint>

#include "load_any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto file = std::as_bytes(std::span(data, size));
    load_any(file, emu::gfx_target::gfx942);
    load_any(file, emu::gfx_target::gfx950);
    return 0;
}
