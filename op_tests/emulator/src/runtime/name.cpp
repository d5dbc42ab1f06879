// Names: of kernels, of functions of the API, and functions by their names.

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

struct known_function {
    const char* name;
    int major;
    int minor;
};
// Each name with the release that it came with.
constexpr known_function known_functions[] = {
#include "versions.inc"
};

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

const char* hipKernelNameRef(const hipFunction_t function) {
    const found_kernel found = kernel_of(function);
    return found.error == hipSuccess ? found.kernel->name.c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* function, hipStream_t /*stream*/) {
    const found_kernel found = kernel_of(function);
    return found.error == hipSuccess ? found.kernel->name.c_str() : nullptr;
}

// The numbers of profilers are those of a header that comes with one release and changes with the
// next.
const char* hipApiName(uint32_t /*number*/) {
    static std::atomic_flag said;
    say_once(said, "hipApiName is not supported");
    return "unknown";
}

const char* hipGetCmdName(unsigned /*number*/) {
    static std::atomic_flag said;
    say_once(said, "hipGetCmdName is not supported");
    return "unknown";
}

// Headers as clang has compiled them, for hiprtc.
void __hipGetPCH(const char** headers, unsigned* bytes) {
    static std::atomic_flag said;
    say_once(said, "__hipGetPCH is not supported");
    *headers = nullptr;
    *bytes = 0;
}

// `version` is major * 100 + minor * 10.
hipError_t hipGetProcAddress(const char* name, void** function, int version, uint64_t flags,
                             hipDriverProcAddressQueryResult* result) {
    if (name == nullptr || function == nullptr || flags > 2) {
        return returned(hipErrorInvalidValue);
    }
    *function = nullptr;
    hipDriverProcAddressQueryResult found = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    std::string wanted = name;
    // The headers of HIP 6 give these names another meaning.
    constexpr int release_6 = 600;
    if (version >= release_6 &&
        (wanted == "hipGetDeviceProperties" || wanted == "hipChooseDevice")) {
        wanted += "R0600";
    }
    const auto is_known = [](const std::string& text) {
        return std::ranges::any_of(known_functions,
                                   [&](const known_function& known) { return text == known.name; });
    };
    constexpr uint64_t per_thread_stream = 2;
    if (flags == per_thread_stream && is_known(wanted + "_spt")) {
        wanted += "_spt";
    }
    for (const known_function& known : known_functions) {
        if (wanted == known.name) {
            found = known.major * 100 + known.minor * 10 > version
                        ? HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : HIP_GET_PROC_ADDRESS_SUCCESS;
        }
    }
    if (found == HIP_GET_PROC_ADDRESS_SUCCESS) {
        // This library, wherever the program has it from.
        Dl_info self{};
        ::dladdr(reinterpret_cast<const void*>(&hipGetProcAddress), &self);
        void* library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        *function = library == nullptr ? nullptr : ::dlsym(library, wanted.c_str());
        if (library != nullptr) {
            ::dlclose(library);
        }
    }
    if (result != nullptr) {
        *result = found;
    }
    return returned(*function != nullptr ? hipSuccess : hipErrorInvalidValue);
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

// What a debugger asks the library for.
size_t amd_dbgapi_get_build_id() {
    return 0;
}

const char* amd_dbgapi_get_build_name() {
    return "opus emulator";
}

const char* amd_dbgapi_get_git_hash() {
    return "";
}

// Conversions that code of compilers calls where they have no instruction for them.
unsigned short __gnu_f2h_ieee(float value) {
    const auto half = static_cast<_Float16>(value);
    unsigned short bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
}

float __gnu_h2f_ieee(unsigned short bits) {
    _Float16 half;
    std::memcpy(&half, &bits, sizeof half);
    return static_cast<float>(half);
}

}  // extern "C"
#pragma GCC visibility pop
