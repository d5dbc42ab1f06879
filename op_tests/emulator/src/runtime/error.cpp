// Errors: the last one, what they are called, and messages on stderr.
//
// hipGetLastError() returns the last error of the thread since its last call, not the result of
// the last call; hipErrorNotReady is no error (HIP 7.0, "Update hipGetLastError").

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

thread_local hipError_t last_error = hipSuccess;

struct error_text {
    hipError_t error;
    const char* name;
    const char* text;
};

constexpr error_text error_texts[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no device is available"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorInvalidKernelFile, "hipErrorInvalidKernelFile", "invalid kernel file"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

const error_text& text_of(hipError_t error) {
    for (const error_text& t : error_texts) {
        if (t.error == error) {
            return t;
        }
    }
    return std::end(error_texts)[-1];
}

}  // namespace

void complain(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fputs("opus emulator: ", stderr);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
}

hipError_t returned(hipError_t error) {
    if (error != hipSuccess && error != hipErrorNotReady) {
        last_error = error;
    }
    return error;
}

void say_once(std::atomic_flag& said, const char* message) {
    if (!said.test_and_set()) {
        complain("%s", message);
    }
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipGetLastError() {
    const hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError() {
    return last_error;
}

const char* hipGetErrorName(hipError_t error) {
    return text_of(error).name;
}

const char* hipGetErrorString(hipError_t error) {
    return text_of(error).text;
}

}  // extern "C"
#pragma GCC visibility pop
