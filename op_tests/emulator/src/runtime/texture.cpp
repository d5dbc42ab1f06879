// Textures.

#include "runtime/runtime.hpp"

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// Programs link that ask first whether the device can do it; none of the parameters is looked at.
OPUS_EMU_NOT_SUPPORTED(hipCreateTextureObject)

}  // extern "C"
#pragma GCC visibility pop
