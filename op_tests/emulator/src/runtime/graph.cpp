// Capture and graphs.

#include "runtime/runtime.hpp"

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {}  // extern "C"
#pragma GCC visibility pop
