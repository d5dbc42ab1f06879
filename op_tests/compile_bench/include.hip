#include "opus/opus.hpp"
