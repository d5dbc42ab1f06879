// What can be put into a stream or a graph, as data: a stream without a capture does it at once, a
// graph keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "launch/launch.hpp"
#include "runtime/hip_types.hpp"

namespace emu {

// Rows of bytes: `pitch` bytes from one row to the next, `slice` from one plane to the next.
struct rows {
    std::byte* begin = nullptr;
    size_t pitch = 0;
    size_t slice = 0;
};

struct copy_rows {
    rows to;
    rows from;
    hipExtent extent{};  // width in bytes
    hipMemcpyKind kind = hipMemcpyDefault;
};

struct fill_rows {
    rows to;
    uint64_t value = 0;          // its low bytes
    unsigned element_bytes = 1;  // 1, 2, 4 or 8
    hipExtent extent{};          // width in elements
    bool is_of_6 = false;        // made of hipMemsetParams_of_6, and read back so
};

// The kernel is found when it is run: a module can be gone by then.
struct run_kernel {
    const void* function = nullptr;  // what was registered, or a hipFunction_t
    launch_config config{};
    std::vector<std::byte> arguments;
};

struct call_host {
    hipHostFn_t function = nullptr;
    void* data = nullptr;
};

struct record_event {
    hipEvent_t event = nullptr;
};

// Nothing to do: what was recorded is done.
struct wait_event {
    hipEvent_t event = nullptr;
};

struct run_graph {
    std::shared_ptr<ihipGraph> graph;
};

struct do_nothing {};

using operation = std::variant<do_nothing, copy_rows, fill_rows, run_kernel, call_host,
                               record_event, wait_event, run_graph>;

// `bytes` bytes in a row.
copy_rows copy_line(void* to, const void* from, size_t bytes, hipMemcpyKind kind);
fill_rows fill_line(void* to, uint64_t value, unsigned element_bytes, size_t count);

// What execute() would answer, as far as it is known before.
hipError_t answer_to(const copy_rows& c);
hipError_t answer_to(const fill_rows& f);

hipError_t execute(const operation& what, hipStream_t stream);

// Does it, or puts it into the graph that the stream is captured to.
hipError_t submit(hipStream_t stream, const operation& what);

hipGraphNodeType type_of(const operation& what);

}  // namespace emu
