// What the files of the HIP API share. Each function that HIP has is in the file of its subject:
//
//   registration  what clang's constructors register, and finding it when it is used
//   module        code objects that a program loads itself
//   launch        starting kernels, and attributes of functions
//   occupancy     how many groups fit
//   memory        allocating and freeing
//   copy          copying and filling
//   symbol        variables of device code by the host's variable
//   stream        streams and what is put into them
//   event         events
//   graph         capture and graphs
//   device        the device, its attributes and versions
//   error         the last error, names and texts of errors
//   unsupported   all that is exported under its name and not implemented
//
// One device, one address space with the host, and everything is synchronous: a copy or a kernel
// is finished when the call that starts it returns, in whatever stream. So streams are names
// only, and a kernel that waits for the host or for a kernel started later waits forever.
//
// A function returns through returned() and is in a region of default visibility. What is exported
// is the list in functions.txt; the linker refuses a name that is listed there and not defined, or
// called unsupported and defined here as well.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "loader/code_object.hpp"
#include "machine/device.hpp"
#include "runtime/hip_types.hpp"

struct ihipStream_t {};

struct ihipEvent_t {
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
};

struct ihipModuleSymbol_t {
    emu::code_object* object = nullptr;
    const emu::kernel_info* kernel = nullptr;
};

struct ihipModule_t {
    explicit ihipModule_t(std::span<const std::byte> file, emu::gfx_target target)
        : object(file, target) {}
    emu::code_object object;
    std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

namespace emu {

// ---- error.cpp ----

// A line on stderr.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

// `error`, after it was noted for hipGetLastError.
hipError_t returned(hipError_t error);

// The message as a line on stderr, if `said` was not set yet.
void say_once(std::atomic_flag& said, const char* message);

// ---- device.cpp ----

// The one that OPUS_EMU_ARCH names, read once; nullptr if it names none, after a message.
const device_info* device();

hipError_t check_device(int number);

// ---- runtime.cpp: what programs registered and created ----

// A code object inside of the program, loaded when it is first used: a program may hold images
// that it never uses, and not for this device.
struct fat_binary {
    const void* image = nullptr;
    std::string unsupported;  // a managed variable
    std::unique_ptr<code_object> object;
    hipError_t load_result = hipErrorNotReady;  // until it was tried
};

struct registered_name {
    fat_binary* binary = nullptr;
    std::string name;
};

struct runtime_state {
    std::mutex mutex;
    std::set<std::unique_ptr<fat_binary>> binaries;
    std::map<const void*, registered_name> functions;  // by the host function's address
    std::map<const void*, registered_name> variables;  // by the host variable's address
    std::map<const void*, std::unique_ptr<ihipModule_t>> modules;
    std::map<const void*, std::unique_ptr<ihipStream_t>> streams;
    std::map<const void*, std::unique_ptr<ihipEvent_t>> events;
    std::set<const void*> module_functions;  // valid hipFunction_t
};

runtime_state& state();

using state_lock = std::unique_lock<std::mutex>;

// ---- registration.cpp and module.cpp: what is executed ----

// The kernel that was registered for a host function; on failure an error and null.
struct found_kernel {
    hipError_t error = hipSuccess;
    code_object* object = nullptr;
    const kernel_info* kernel = nullptr;
};

found_kernel kernel_of(const void* host_function);
found_kernel kernel_of(hipFunction_t function);

struct found_variable {
    hipError_t error = hipSuccess;
    device_symbol symbol;
};

found_variable variable_of(const void* host_variable);

// The bytes of a code object or bundle in memory, as far as its headers say. Throws load_error.
std::span<const std::byte> bytes_at(const void* image);

hipError_t error_of(const load_error& e);

// ---- copy.cpp ----

hipError_t copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);

// ---- stream.cpp and event.cpp ----

// The null stream and the two special ones of the public header (legacy 1, per thread 2) need not
// be created.
bool is_stream(hipStream_t stream);

bool is_event(hipEvent_t event);

hipError_t record_event(hipEvent_t event, hipStream_t stream);

}  // namespace emu
