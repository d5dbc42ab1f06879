// In libhiprtc.so and in libamdhip64.so: without it nobody could say why the others fail.

#include <iterator>

#include "hiprtc/hiprtc.hpp"

#pragma GCC visibility push(default)
extern "C" {

const char* hiprtcGetErrorString(hiprtcResult result) {
    constexpr const char* names[] = {"HIPRTC_SUCCESS",
                                     "HIPRTC_ERROR_OUT_OF_MEMORY",
                                     "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                     "HIPRTC_ERROR_INVALID_INPUT",
                                     "HIPRTC_ERROR_INVALID_PROGRAM",
                                     "HIPRTC_ERROR_INVALID_OPTION",
                                     "HIPRTC_ERROR_COMPILATION",
                                     "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                     "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                     "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                     "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                     "HIPRTC_ERROR_INTERNAL_ERROR"};
    if (result >= 0 && result < static_cast<int>(std::size(names))) {
        return names[result];
    }
    return result == HIPRTC_ERROR_LINKING ? "HIPRTC_ERROR_LINKING" : "Invalid HIPRTC error code";
}

}  // extern "C"
#pragma GCC visibility pop
