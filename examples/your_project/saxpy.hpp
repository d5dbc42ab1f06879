// y[i] = a * x[i] + y[i] on the GPU. x and y are in its memory.
#pragma once

#include "opus/hip_minimal.hpp"

hipError_t saxpy(float a, const float* x, float* y, int count);
