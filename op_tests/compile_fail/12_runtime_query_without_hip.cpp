// expect: OPUS_ENABLE_RUNTIME_QUERY needs opus/hip_minimal.hpp or a HIP header before opus.hpp
#define OPUS_ENABLE_RUNTIME_QUERY 1
#include "opus/opus.hpp"
