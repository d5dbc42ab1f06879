// Errors: the last one, what they are called, and messages on stderr.
//
// hipGetLastError() returns the last error of the thread since its last call, not the result of
// the last call; hipErrorNotReady is no error (HIP 7.0, "Update hipGetLastError").

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

thread_local hipError_t last_error = hipSuccess;
std::atomic<bool> context_failed = false;
thread_local bool has_launched_what_failed = false;  // in the call that has not returned yet

// Of a launch by <<<>>> that failed, until some thread asks for its last error.
std::atomic<hipError_t> dropped_error = hipSuccess;

hipError_t asked_for() {
    if (last_error != hipSuccess) {
        dropped_error = hipSuccess;
    }
    return last_error;
}

struct error_text {
    hipError_t error;
    const char* name;
    const char* text;
};

#define OPUS_ROW(error, text) {error, #error, text}
constexpr error_text error_texts[] = {
    OPUS_ROW(hipSuccess, "no error"),
    OPUS_ROW(hipErrorInvalidValue, "invalid argument"),
    OPUS_ROW(hipErrorOutOfMemory, "out of memory"),
    OPUS_ROW(hipErrorNotInitialized, "initialization error"),
    OPUS_ROW(hipErrorDeinitialized, "driver shutting down"),
    OPUS_ROW(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    OPUS_ROW(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    OPUS_ROW(hipErrorProfilerAlreadyStarted, "profiler already started"),
    OPUS_ROW(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    OPUS_ROW(hipErrorInvalidConfiguration, "invalid configuration argument"),
    OPUS_ROW(hipErrorInvalidPitchValue, "invalid pitch argument"),
    OPUS_ROW(hipErrorInvalidSymbol, "invalid device symbol"),
    OPUS_ROW(hipErrorInvalidDevicePointer, "invalid device pointer"),
    OPUS_ROW(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    OPUS_ROW(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    OPUS_ROW(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    OPUS_ROW(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    OPUS_ROW(hipErrorInvalidDeviceFunction, "invalid device function"),
    OPUS_ROW(hipErrorNoDevice, "no device is available"),
    OPUS_ROW(hipErrorInvalidDevice, "invalid device ordinal"),
    OPUS_ROW(hipErrorInvalidImage, "device kernel image is invalid"),
    OPUS_ROW(hipErrorInvalidContext, "invalid device context"),
    OPUS_ROW(hipErrorContextAlreadyCurrent, "context is already current context"),
    OPUS_ROW(hipErrorMapFailed, "mapping of buffer object failed"),
    OPUS_ROW(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    OPUS_ROW(hipErrorArrayIsMapped, "array is mapped"),
    OPUS_ROW(hipErrorAlreadyMapped, "resource already mapped"),
    OPUS_ROW(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    OPUS_ROW(hipErrorAlreadyAcquired, "resource already acquired"),
    OPUS_ROW(hipErrorNotMapped, "resource not mapped"),
    OPUS_ROW(hipErrorNotMappedAsArray, "resource not mapped as array"),
    OPUS_ROW(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    OPUS_ROW(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    OPUS_ROW(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    OPUS_ROW(hipErrorContextAlreadyInUse,
             "exclusive-thread device already in use by a different thread"),
    OPUS_ROW(hipErrorPeerAccessUnsupported,
             "peer access is not supported between these two devices"),
    OPUS_ROW(hipErrorInvalidKernelFile, "invalid kernel file"),
    OPUS_ROW(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    OPUS_ROW(hipErrorInvalidSource, "device kernel image is invalid"),
    OPUS_ROW(hipErrorFileNotFound, "file not found"),
    OPUS_ROW(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    OPUS_ROW(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    OPUS_ROW(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    OPUS_ROW(hipErrorInvalidHandle, "invalid resource handle"),
    OPUS_ROW(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    OPUS_ROW(hipErrorNotFound, "named symbol not found"),
    OPUS_ROW(hipErrorNotReady, "device not ready"),
    OPUS_ROW(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    OPUS_ROW(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    OPUS_ROW(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    OPUS_ROW(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    OPUS_ROW(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    OPUS_ROW(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    OPUS_ROW(hipErrorContextIsDestroyed, "context is destroyed"),
    OPUS_ROW(hipErrorAssert, "device-side assert triggered"),
    OPUS_ROW(hipErrorHostMemoryAlreadyRegistered,
             "part or all of the requested memory range is already mapped"),
    OPUS_ROW(hipErrorHostMemoryNotRegistered,
             "pointer does not correspond to a registered memory region"),
    OPUS_ROW(hipErrorLaunchFailure, "unspecified launch failure"),
    OPUS_ROW(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    OPUS_ROW(hipErrorNotSupported, "operation not supported"),
    OPUS_ROW(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    OPUS_ROW(hipErrorStreamCaptureInvalidated,
             "operation failed due to a previous error during capture"),
    OPUS_ROW(hipErrorStreamCaptureMerge,
             "operation would result in a merge of separate capture sequences"),
    OPUS_ROW(hipErrorStreamCaptureUnmatched,
             "capture was not ended in the same stream as it began"),
    OPUS_ROW(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    OPUS_ROW(hipErrorStreamCaptureIsolation,
             "dependency created on uncaptured work in another stream"),
    OPUS_ROW(hipErrorStreamCaptureImplicit,
             "operation would make the legacy stream depend on a capturing blocking stream"),
    OPUS_ROW(hipErrorCapturedEvent,
             "operation not permitted on an event last recorded in a capturing stream"),
    OPUS_ROW(hipErrorStreamCaptureWrongThread,
             "attempt to terminate a thread-local capture sequence from another thread"),
    OPUS_ROW(
        hipErrorGraphExecUpdateFailure,
        "the graph update was not performed because it included changes which violated constraints "
        "specific to instantiated graph update"),
    OPUS_ROW(hipErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    OPUS_ROW(hipErrorInvalidTexture, "invalid texture"),
    OPUS_ROW(hipErrorRuntimeMemory, "runtime memory call returned error"),
    OPUS_ROW(hipErrorRuntimeOther, "runtime call other than memory returned error"),
    OPUS_ROW(hipErrorUnknown, "unknown error"),
};
#undef OPUS_ROW

const error_text& text_of(hipError_t error) {
    for (const error_text& t : error_texts) {
        if (t.error == error) {
            return t;
        }
    }
    return std::end(error_texts)[-1];
}

bool is_error(hipError_t error) {
    return text_of(error).error == error;
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

void fail_context() {
    has_launched_what_failed = true;
    context_failed = true;
}

bool has_failed() {
    return context_failed;
}

hipError_t returned(hipError_t error, const char* call) {
    say_what_broke(call, error);
    if (context_failed && !std::exchange(has_launched_what_failed, false)) {
        error = hipErrorLaunchFailure;
    }
    if (error != hipSuccess && error != hipErrorNotReady) {
        last_error = error;
    }
    return error;
}

void note_dropped(hipError_t error) {
    [[maybe_unused]] static const int registered = std::atexit([] {
        if (dropped_error != hipSuccess) {
            complain(
                "a launch by <<<>>> failed with %s (%s), and nobody asked for the error "
                "(hipGetLastError)",
                hipGetErrorName(dropped_error), hipGetErrorString(dropped_error));
        }
    });
    dropped_error = error;
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
    const hipError_t error = asked_for();
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError() {
    return asked_for();
}

// It had the rules of HIP 7.0 before hipGetLastError got them.
[[gnu::alias("hipGetLastError")]] decltype(hipExtGetLastError) hipExtGetLastError;

hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
    if (name == nullptr || !is_error(error)) {
        return returned(hipErrorInvalidValue);
    }
    *name = text_of(error).name;
    return hipSuccess;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
    if (text == nullptr || !is_error(error)) {
        return returned(hipErrorInvalidValue);
    }
    *text = text_of(error).text;
    return hipSuccess;
}

const char* hipGetErrorName(hipError_t error) {
    return text_of(error).name;
}

const char* hipGetErrorString(hipError_t error) {
    return text_of(error).text;
}

}  // extern "C"
#pragma GCC visibility pop
