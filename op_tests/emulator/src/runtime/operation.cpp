// Doing what was put into a stream or a graph.

#include "runtime/operation.hpp"

#include <atomic>
#include <cstring>
#include <new>

#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "runtime/graph.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

// Whether `bytes` bytes from the pointer on can be copied: in memory that the runtime knows they may
// not run over the end. What it does not know is the host's, which only copies may touch.
bool accessible(const void* pointer, size_t bytes, bool may_be_unknown) {
    if (pointer == nullptr) {
        return false;
    }
    const auto range = find_range(address_of(pointer));
    return range ? bytes <= range->end - address_of(pointer) : may_be_unknown;
}

// Bytes from the first to the last one that rows of `width` bytes use; false if it is too many to
// be counted.
bool span_of(const rows& r, size_t width, const hipExtent& extent, size_t& bytes) {
    size_t planes = 0;
    size_t lines = 0;
    return !__builtin_mul_overflow(r.slice, extent.depth - 1, &planes) &&
           !__builtin_mul_overflow(r.pitch, extent.height - 1, &lines) &&
           !__builtin_add_overflow(planes, lines, &bytes) &&
           !__builtin_add_overflow(bytes, width, &bytes);
}

bool is_empty(const hipExtent& e) {
    return e.width == 0 || e.height == 0 || e.depth == 0;
}

// Rows may not overlap.
bool has_pitch(const rows& r, size_t width, const hipExtent& e) {
    return (e.height == 1 || r.pitch >= width) && (e.depth == 1 || r.slice >= width);
}

}  // namespace

hipError_t answer_to(const copy_rows& c) {
    if ((c.kind < hipMemcpyHostToHost || c.kind > hipMemcpyDefault) &&
        c.kind != hipMemcpyDeviceToDeviceNoCU) {
        return hipErrorInvalidMemcpyDirection;
    }
    const hipExtent& e = c.extent;
    if (is_empty(e)) {
        return hipSuccess;
    }
    if (!has_pitch(c.to, e.width, e) || !has_pitch(c.from, e.width, e)) {
        return hipErrorInvalidPitchValue;
    }
    // Whatever the kind says, the pointers decide.
    size_t to_bytes = 0;
    size_t from_bytes = 0;
    if (!span_of(c.to, e.width, e, to_bytes) || !span_of(c.from, e.width, e, from_bytes) ||
        !accessible(c.to.begin, to_bytes, true) || !accessible(c.from.begin, from_bytes, true)) {
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

hipError_t answer_to(const fill_rows& f) {
    const hipExtent& e = f.extent;
    size_t width = 0;
    size_t bytes = 0;
    const bool is_right =
        is_empty(e) ||
        (!__builtin_mul_overflow(e.width, f.element_bytes, &width) && has_pitch(f.to, width, e) &&
         span_of(f.to, width, e, bytes) && accessible(f.to.begin, bytes, false));
    return is_right ? hipSuccess : hipErrorInvalidValue;
}

namespace {

hipError_t execute(const copy_rows& c) {
    const hipExtent& e = c.extent;
    if (const hipError_t error = answer_to(c); error != hipSuccess || is_empty(e)) {
        return error;
    }
    for (size_t z = 0; z < e.depth; ++z) {
        for (size_t y = 0; y < e.height; ++y) {
            std::byte* to = c.to.begin + z * c.to.slice + y * c.to.pitch;
            const std::byte* from = c.from.begin + z * c.from.slice + y * c.from.pitch;
            std::memmove(to, from, e.width);
            note_copied(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from),
                        e.width);
        }
    }
    return hipSuccess;
}

hipError_t execute(const fill_rows& f) {
    const hipExtent& e = f.extent;
    if (const hipError_t error = answer_to(f); error != hipSuccess || is_empty(e)) {
        return error;
    }
    const size_t width = e.width * f.element_bytes;
    for (size_t z = 0; z < e.depth; ++z) {
        for (size_t y = 0; y < e.height; ++y) {
            std::byte* row = f.to.begin + z * f.to.slice + y * f.to.pitch;
            note_written(reinterpret_cast<uintptr_t>(row), width);
            if (f.element_bytes == 1) {
                std::memset(row, static_cast<int>(f.value), width);
                continue;
            }
            for (size_t x = 0; x < width; x += f.element_bytes) {
                std::memcpy(row + x, &f.value, f.element_bytes);
            }
        }
    }
    return hipSuccess;
}

std::atomic<uint64_t> executed_instructions{0};

hipError_t execute(const run_kernel& k) {
    const found_kernel found = kernel_of_either(k.function);
    if (found.error != hipSuccess) {
        return found.error;
    }
    launch_config config = k.config;
    config.settings = read_settings();
    config.stack = stack_limit();
    try {
        executed_instructions +=
            launch(*device(), *found.object, *found.kernel, config, k.arguments);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    } catch (const kernel_trapped&) {
        fail_context();
    }
    return hipSuccess;
}

}  // namespace

copy_rows copy_line(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    // Nothing is written through `from`.
    auto* source = const_cast<std::byte*>(static_cast<const std::byte*>(from));
    return {
        {static_cast<std::byte*>(to), bytes, bytes}, {source, bytes, bytes}, {bytes, 1, 1}, kind};
}

fill_rows fill_line(void* to, uint64_t value, unsigned element_bytes, size_t count) {
    return {{static_cast<std::byte*>(to), 0, 0}, value, element_bytes, {count, 1, 1}};
}

hipError_t execute(const operation& what, hipStream_t stream) {
    if (has_failed()) {
        return hipSuccess;  // of a graph, behind a kernel that ended itself: the next call says it
    }
    struct visitor {
        hipStream_t stream;
        hipError_t operator()(const do_nothing&) const { return hipSuccess; }
        hipError_t operator()(const copy_rows& c) const { return execute(c); }
        hipError_t operator()(const fill_rows& f) const { return execute(f); }
        hipError_t operator()(const run_kernel& k) const { return execute(k); }
        hipError_t operator()(const call_host& c) const {
            c.function(c.data);
            return hipSuccess;
        }
        hipError_t operator()(const record_event& r) const { return note_event(r.event); }
        hipError_t operator()(const wait_event& w) const {
            return is_event(w.event) ? hipSuccess : hipErrorInvalidHandle;
        }
        hipError_t operator()(const run_graph& g) const { return execute_all(*g.graph, stream); }
    };
    return std::visit(visitor{stream}, what);
}

found_kernel kernel_of_either(const void* function) {
    const found_kernel found = kernel_of(function);
    if (found.error != hipErrorInvalidDeviceFunction) {
        return found;
    }
    const found_kernel of_module =
        kernel_of(static_cast<hipFunction_t>(const_cast<void*>(function)));
    return of_module.error == hipSuccess ? of_module : found;
}

hipGraphNodeType type_of(const operation& what) {
    constexpr hipGraphNodeType types[] = {hipGraphNodeTypeEmpty,     hipGraphNodeTypeMemcpy,
                                          hipGraphNodeTypeMemset,    hipGraphNodeTypeKernel,
                                          hipGraphNodeTypeHost,      hipGraphNodeTypeEventRecord,
                                          hipGraphNodeTypeWaitEvent, hipGraphNodeTypeGraph};
    static_assert(std::size(types) == std::variant_size_v<operation>);
    return types[what.index()];
}

}  // namespace emu

#pragma GCC visibility push(default)
extern "C" uint64_t opus_emulator_instructions() {
    return emu::executed_instructions;
}
#pragma GCC visibility pop
