#define OPUS_FREESTANDING 1
#include "opus/opus.hpp"
