// HIP for tests that compile with the real headers as well as with the emulator's.
#pragma once

#ifdef OPUS_EMU_REAL_HIP
#include <hip/hip_runtime_api.h>
// After it: its parts have no include guards of their own for what they need.
#include <hip/hip_ext.h>
#else
#include "runtime/hip_api.hpp"
#endif
