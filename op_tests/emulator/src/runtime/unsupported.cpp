// What is exported under its name and not supported. A program that was linked with the real
// library needs all names to start, and many of them it never calls; one that it calls is named on
// stderr, once, and fails. The names are those that functions.txt calls unsupported.

#include <atomic>

#include "runtime/runtime.hpp"

// Whatever is passed: none of the parameters is looked at.
#define OPUS_EMU_NOT_SUPPORTED(name)                    \
    hipError_t name() {                                 \
        static std::atomic_flag said;                   \
        emu::say_once(said, #name " is not supported"); \
        return emu::returned(hipErrorNotSupported);     \
    }

#pragma GCC visibility push(default)
extern "C" {

#include "unsupported.inc"

}  // extern "C"
#pragma GCC visibility pop
