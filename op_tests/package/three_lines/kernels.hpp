// Rounds count values to bf16 and doubles them, on the GPU; and on the host.
#pragma once

#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

hipError_t doubled(const float* x, opus::bf16_t* y, int count);
opus::bf16_t doubled_on_host(float x);
