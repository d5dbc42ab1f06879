// Capture and graphs.

#include "runtime/runtime.hpp"

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// Programs link that ask first whether the device can do it; none of the parameters is looked at.
OPUS_EMU_NOT_SUPPORTED(hipStreamBeginCapture)
OPUS_EMU_NOT_SUPPORTED(hipStreamEndCapture)
OPUS_EMU_NOT_SUPPORTED(hipGraphCreate)
OPUS_EMU_NOT_SUPPORTED(hipGraphInstantiate)
OPUS_EMU_NOT_SUPPORTED(hipGraphLaunch)

}  // extern "C"
#pragma GCC visibility pop
