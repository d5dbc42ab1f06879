// Contexts: names that a thread can have on top of each other. All mean the one device.

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipCtx_t primary() {
    static ihipCtx_t& context = *new ihipCtx_t;
    return &context;
}

// @pre the state is locked
bool is_context(hipCtx_t context) {
    return context == primary() || state().contexts.contains(context);
}

thread_local std::vector<hipCtx_t> stack;

}  // namespace

hipError_t check_context(hipCtx_t context) {
    const state_lock lock(state().mutex);
    return context == nullptr || is_context(context) ? hipSuccess : hipErrorInvalidContext;
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipCtxCreate(hipCtx_t* context, unsigned flags, hipDevice_t number) {
    constexpr unsigned known = 0x1f;
    if (context == nullptr || (flags & ~known) != 0) {
        return returned(hipErrorInvalidValue);
    }
    if (const hipError_t error = check_device(number); error != hipSuccess) {
        return returned(error);
    }
    const state_lock lock(state().mutex);
    auto made = std::make_unique<ihipCtx_t>();
    made->flags = flags;
    *context = made.get();
    state().contexts[*context] = std::move(made);
    stack.push_back(*context);
    return returned(hipSuccess);
}

hipError_t hipCtxDestroy(hipCtx_t context) {
    const state_lock lock(state().mutex);
    if (state().contexts.erase(context) == 0) {
        return returned(hipErrorInvalidContext);
    }
    std::erase(stack, context);
    return returned(hipSuccess);
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
    const state_lock lock(state().mutex);
    if (!is_context(context)) {
        return returned(hipErrorInvalidContext);
    }
    stack.push_back(context);
    return returned(hipSuccess);
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
    if (stack.empty()) {
        return returned(hipErrorInvalidContext);
    }
    if (context != nullptr) {
        *context = stack.back();
    }
    stack.pop_back();
    return returned(hipSuccess);
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
    const state_lock lock(state().mutex);
    if (context != nullptr && !is_context(context)) {
        return returned(hipErrorInvalidContext);
    }
    if (!stack.empty()) {
        stack.pop_back();
    }
    if (context != nullptr) {
        stack.push_back(context);
    }
    return returned(hipSuccess);
}

hipError_t hipCtxGetCurrent(hipCtx_t* context) {
    return give(context, stack.empty() ? nullptr : stack.back(), hipSuccess);
}

hipError_t hipCtxGetDevice(hipDevice_t* number) {
    return give(number, 0, check_device(0));
}

hipError_t hipCtxGetFlags(unsigned* flags) {
    if (flags == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    if (!stack.empty() && !is_context(stack.back())) {
        return returned(hipErrorContextIsDestroyed);  // by another thread
    }
    *flags = stack.empty() ? 0 : stack.back()->flags;
    return returned(hipSuccess);
}

// HIP's number of this API, which has not changed.
hipError_t hipCtxGetApiVersion(hipCtx_t context, int* version) {
    return give(version, 4, check_context(context));
}

hipError_t hipCtxSynchronize() {
    return hipDeviceSynchronize();
}

hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) {
    return hipDeviceSetCacheConfig(config);
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t* config) {
    return hipDeviceGetCacheConfig(config);
}

hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
    return hipDeviceSetSharedMemConfig(config);
}

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) {
    return hipDeviceGetSharedMemConfig(config);
}

// No two contexts are of two devices.
hipError_t hipCtxEnablePeerAccess(hipCtx_t /*peer*/, unsigned /*flags*/) {
    return returned(hipErrorPeerAccessUnsupported);
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t /*peer*/) {
    return returned(hipErrorPeerAccessNotEnabled);
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t number) {
    return give(context, primary(), check_device(number));
}

// It is not counted: the primary context is always there.
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t number) {
    return returned(check_device(number));
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t number, unsigned* flags, int* active) {
    if (flags != nullptr) {
        *flags = 0;
    }
    if (active != nullptr) {
        *active = 1;
    }
    return returned(check_device(number));
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t number, unsigned /*flags*/) {
    const hipError_t error = check_device(number);
    return returned(error == hipSuccess ? hipErrorContextAlreadyInUse : error);
}

}  // extern "C"
#pragma GCC visibility pop
