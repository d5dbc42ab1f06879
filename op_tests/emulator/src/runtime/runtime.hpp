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
//   capture       streams that become graphs
//   graph         graphs
//   operation     doing what was put into a stream or a graph
//   pointer       what is known about pointers
//   pool          memory pools
//   context       contexts, of which there is one
//   name          names of functions and kernels
//   device        the device, its attributes and versions
//   error         the last error, names and texts of errors
//   unsupported   all that is exported under its name and not implemented
//
// One device, one address space with the host, and everything is synchronous: a copy or a kernel
// is finished when the call that starts it returns, in whatever stream, unless the stream is
// captured. So streams are names only, and a kernel that waits for the host or for a kernel started later waits forever.
//
// A function returns through returned() and is in a region of default visibility. What is exported
// is the list in functions.txt; the linker refuses a name that is listed there and not defined, or
// called unsupported and defined here as well.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loader/code_object.hpp"
#include "machine/device.hpp"
#include "runtime/hip_api.hpp"

namespace emu {
struct capture;
}

struct hipUserObject;

struct ihipStream_t {
    unsigned flags = 0;
    int priority = 0;
    std::vector<uint32_t> cu_mask;  // empty: all
    std::shared_ptr<emu::capture> captured;
    std::vector<hipGraphNode*> last;  // what comes next in the capture comes after these
};

struct ihipEvent_t {
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
    std::shared_ptr<emu::capture> captured;  // recorded in a stream that is captured
    std::vector<hipGraphNode*> captured_after;
};

struct ihipMemPoolHandle_t {
    uint64_t used = 0;
    uint64_t used_high = 0;
    uint64_t release_threshold = 0;
    int reuse[3] = {1, 1, 1};
};

struct ihipCtx_t {
    unsigned flags = 0;
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

// `error`, after it was noted for hipGetLastError; with a message if the call broke a capture.
hipError_t returned(hipError_t error, const char* call = __builtin_FUNCTION());

// What a call returns that puts `value` there: `error`, or that there is no place for it.
template <class T>
hipError_t give(T* to, const std::type_identity_t<T>& value, hipError_t error,
                const char* call = __builtin_FUNCTION()) {
    if (to == nullptr) {
        return returned(hipErrorInvalidValue, call);
    }
    *to = value;
    return returned(error, call);
}

// A launch failed whose result nobody sees. If nobody asks for the last error either, a line on
// stderr says so at the end.
void note_dropped(hipError_t error);

// A kernel has ended itself. As on a device, the call that launched it succeeds, and from then on
// every call does nothing and returns hipErrorLaunchFailure, in all threads.
void fail_context();
bool has_failed();

// The message as a line on stderr, if `said` was not set yet.
void say_once(std::atomic_flag& said, const char* message);

// ---- device.cpp ----

// The one that OPUS_EMU_ARCH names, read once; nullptr if it names none, after a message.
const device_info* device();

hipError_t check_device(int number);

// What the device has, or the host if that is less.
uint64_t memory_bytes();

// What the attributes say; launches of most functions may have more.
constexpr uint32_t max_grid_x = 0x7fffffff;
constexpr uint32_t max_grid_yz = 65536;

// What hipDeviceSetLimit was told about a lane's stack.
uint32_t stack_limit();

// ---- runtime.cpp: what programs registered and created ----

// A code object inside of the program, loaded when it is first used: a program may hold images
// that it never uses, and not for this device.
struct fat_binary {
    const void* image = nullptr;
    std::string unsupported;                             // a texture or a surface
    std::vector<std::pair<std::string, void*>> managed;  // variables and their memory
    std::unique_ptr<code_object> object;
    hipError_t load_result = hipErrorNotReady;  // until it was tried
};

struct registered_name {
    fat_binary* binary = nullptr;
    std::string name;
};

enum class memory_use : uint8_t {
    device,
    host,
    managed,
    registered,  // by hipHostRegister: the program's own
    variable,    // of a managed variable
};

// What was advised about bytes: the first four by the numbers of hipMemRangeAttribute.
enum advised : size_t { read_mostly, preferred, by_device, prefetched, by_host, coarse_grain };
constexpr int nowhere = -2;
using advice = std::array<int, 6>;

struct allocation {
    size_t bytes = 0;
    memory_use use = memory_use::device;
    unsigned flags = 0;
    hipMemPool_t pool = nullptr;
    uint64_t id = 0;                       // no other allocation has or had it
    std::map<uintptr_t, advice> pieces{};  // what was advised from these addresses on
};

struct runtime_state {
    std::mutex mutex;
    std::map<uintptr_t, allocation> allocations;  // by the first byte
    uint64_t last_allocation = 0;
    std::map<const void*, std::unique_ptr<ihipMemPoolHandle_t>> pools;
    hipMemPool_t current_pool = nullptr;  // null: the default one
    std::map<const void*, std::unique_ptr<ihipCtx_t>> contexts;
    unsigned device_flags = 0;
    std::set<std::unique_ptr<fat_binary>> binaries;
    std::map<const void*, registered_name> functions;  // by the host function's address
    std::map<const void*, registered_name> variables;  // by the host variable's address
    std::map<const void*, std::unique_ptr<ihipModule_t>> modules;
    std::map<const void*, std::unique_ptr<ihipStream_t>> streams;
    std::set<ihipStream_t*> thread_streams;  // hipStreamPerThread of each thread that has used it
    std::set<std::shared_ptr<capture>> captures;  // that have begun and not ended
    std::map<const void*, std::unique_ptr<ihipEvent_t>> events;
    std::map<const void*, std::shared_ptr<ihipGraph>> graphs;
    std::map<const void*, std::shared_ptr<hipGraphExec>> executables;
    std::map<const void*, std::unique_ptr<hipUserObject>> user_objects;
    std::set<const void*> nodes;             // valid hipGraphNode_t
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

// The kernel of a host function or of a module, whichever `function` is.
found_kernel kernel_of_either(const void* function);

found_variable variable_of(const void* host_variable);

// The bytes of a code object or bundle in memory, as far as its headers say. Throws load_error.
std::span<const std::byte> bytes_at(const void* image);

hipError_t error_of(const load_error& e);

// ---- launch.cpp ----

struct run_kernel;

// A launch that can be submitted, with its arguments from one pointer for each of them or from a
// buffer (`extra`).
hipError_t prepare_launch(const void* function, dim3 grid, dim3 block, size_t dynamic_lds,
                          void** values, void** extra, run_kernel& launch);

// ---- memory.cpp ----

struct found_allocation : allocation {
    uintptr_t begin = 0;
};

std::optional<found_allocation> find_allocation(const void* pointer);

hipError_t allocate_to(void** pointer, size_t bytes, memory_use use, unsigned flags,
                       hipMemPool_t pool = nullptr);

// What hipFree does, without asking whether a stream is captured.
hipError_t free_memory(void* pointer);

// All but the memory of variables.
void free_everything();

// ---- context.cpp ----

// Null is the current one.
hipError_t check_context(hipCtx_t context);

// ---- copy.cpp and symbol.cpp: the copies of the API as operations ----

struct copy_rows;

hipError_t rows_of(const hipMemcpy3DParms* p, copy_rows& c);
hipError_t rows_of(const HIP_MEMCPY3D* p, copy_rows& c);

hipError_t copy_to_variable(const void* variable, const void* from, size_t bytes, size_t offset,
                            hipMemcpyKind kind, copy_rows& c);
hipError_t copy_from_variable(void* to, const void* variable, size_t bytes, size_t offset,
                              hipMemcpyKind kind, copy_rows& c);

// The device address `offset` bytes into a variable, if `bytes` bytes are left there.
hipError_t part_of_variable(const void* host_variable, size_t offset, size_t bytes, void** part);

// ---- capture.cpp: what a capture forbids ----

// Of a call that no graph can hold and that depends on no stream, as hipMalloc: an error if the
// modes of captures and of this thread forbid it. It breaks those captures.
hipError_t check_unsafe();

// hipStreamEndCapture will say that it failed.
// @pre the state is locked
void break_capture(capture& broken);

// Breaks the capture of the stream, if there is one; the legacy stream waits for blocking streams and
// breaks theirs.
// @pre the state is locked
hipError_t check_not_captured(ihipStream_t& stream);
hipError_t check_legacy(ihipStream_t& stream);
bool is_blocked(const ihipStream_t& stream);

// The stream goes away, and with it a capture that began there. What the graph was the last to hold
// goes to `dead`.
// @pre the state is locked
void leave_capture(const ihipStream_t& stream, std::vector<hipUserObject>& dead);

// A line about the capture that this thread has broken since the last call, if it has.
void say_what_broke(const char* call, hipError_t error);

// ---- stream.cpp and event.cpp ----

// The null stream and the two special ones of the public header (legacy 1, per thread 2) need not
// be created.
bool is_stream(hipStream_t stream);

// @pre the state is locked. nullptr if there is none
ihipStream_t* find_stream(hipStream_t stream);
ihipStream_t* default_stream();

// @pre the state is locked. Those that can be captured: the created ones and those of threads
std::vector<ihipStream_t*> all_streams();

// What a stream means to functions that end in _spt: the null stream is that of the thread.
hipStream_t per_thread(hipStream_t stream);

bool is_event(hipEvent_t event);

// What hipEventRecord does, and what the event's place in a stream or graph does.
hipError_t record(hipEvent_t event, hipStream_t stream, unsigned flags);
hipError_t note_event(hipEvent_t event);

}  // namespace emu
