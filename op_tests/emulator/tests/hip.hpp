// HIP for tests that compile with the real headers as well as with the emulator's.
#pragma once

#ifdef OPUS_EMU_REAL_HIP
#include <hip/hip_runtime_api.h>
// These need the first.
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>
#include <hip/hiprtc.h>
#else
#include "runtime/hip_api.hpp"
#endif
