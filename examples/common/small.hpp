// SPDX-License-Identifier: MIT
//
// small.hpp: OPUS_EXAMPLES_SMALL 1 leaves an example with fewer and smaller kernels, in which each
// path of the code is there once: for tests, as dozens of kernels take long to compile.
#pragma once

#ifndef OPUS_EXAMPLES_SMALL
#define OPUS_EXAMPLES_SMALL 0
#endif

#include "options.hpp"

namespace examples {

// For a kernel that is not there.
[[noreturn]] inline void refuse_in_small() {
    throw usage_error("with OPUS_EXAMPLES_SMALL there is no kernel for that");
}

}  // namespace examples
