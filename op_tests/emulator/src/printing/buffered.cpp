#include "printing/buffered.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string_view>

#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "machine/settings.hpp"
#include "printing/format.hpp"

namespace emu {
namespace {

constexpr size_t header_bytes = 8;
constexpr size_t capacity = size_t{1} << 28;  // of frames; pages that nobody writes cost nothing
// What CL_DEVICE_PRINTF_BUFFER_SIZE is on these devices.
constexpr size_t device_bytes = size_t{1} << 22;
constexpr uint32_t to_stderr = 1;
constexpr uint32_t has_hash = 2;
constexpr size_t control_bytes = 4;
constexpr size_t hash_bytes = 8;
constexpr size_t smallest_frame = control_bytes + hash_bytes;

// The most bytes of frames of a launch, OPUS_EMU_PRINTF_BUFFER.
size_t read_room() {
    const char* text = std::getenv("OPUS_EMU_PRINTF_BUFFER");
    if (text == nullptr) {
        return device_bytes;
    }
    const std::optional<uint64_t> bytes = parse_number(text);
    if (!bytes || *bytes > capacity) {
        std::fprintf(stderr,
                     "opus emulator: OPUS_EMU_PRINTF_BUFFER=%s is no number of bytes up to %zu\n",
                     text, capacity);
        std::exit(failure_status);
    }
    return *bytes;
}

// Buffers of launches in progress.
struct all_buffers {
    std::mutex mutex;
    std::set<printf_buffer*> set;
};

all_buffers& buffers() {
    static auto* all = new all_buffers;
    return *all;
}

uint32_t dword_at(const std::byte* p) {
    uint32_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// 0 if the bytes do not begin with a frame.
size_t frame_bytes(std::span<const std::byte> bytes) {
    const size_t size = dword_at(bytes.data()) >> 2;
    return size < smallest_frame || size % 4 != 0 || size > bytes.size() ? 0 : size;
}

}  // namespace

printf_buffer::printf_buffer(const printf_formats& formats, const std::string& kernel)
    : formats_(formats), kernel_(kernel), room_(read_room()) {
    void* memory = ::mmap(nullptr, header_bytes + capacity, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    memory_ = static_cast<std::byte*>(memory);
    const auto size = static_cast<uint32_t>(capacity);
    std::memcpy(memory_ + sizeof size, &size, sizeof size);
    add_range(address(), header_bytes + capacity, true, memory_kind::launch);
    const std::scoped_lock lock(buffers().mutex);
    buffers().set.insert(this);
}

printf_buffer::~printf_buffer() {
    {
        const std::scoped_lock lock(buffers().mutex);
        buffers().set.erase(this);
        print();
    }
    remove_range(address());
    ::munmap(memory_, header_bytes + capacity);
}

// Where a wave has not begun its frame there are zeros, and how long it will be is not known: the
// next one begins where a known format is.
void printf_buffer::print() {
    if (printed_) {
        return;
    }
    printed_ = true;
    const size_t used = std::min<size_t>(dword_at(memory_), capacity);
    size_t printed = 0;  // bytes
    size_t calls = 0;
    size_t lost_calls = 0;
    size_t lost = 0;  // bytes
    bool is_next = true;
    for (size_t at = 0; used - at >= smallest_frame;) {
        const std::span<const std::byte> rest(memory_ + header_bytes + at, used - at);
        const size_t bytes = frame_bytes(rest);
        if (bytes == 0 || (!is_next && format_of(rest) == nullptr)) {
            is_next = false;
            at += 4;
            continue;
        }
        is_next = true;
        at += bytes;
        ++calls;
        if (bytes <= room_ - printed) {
            printed += bytes;
            print_frame(rest.first(bytes));
        } else {
            ++lost_calls;
            lost += bytes;
        }
    }
    std::fflush(stdout);
    if (lost_calls != 0) {
        note(std::to_string(lost_calls) + " of " + std::to_string(calls) +
             " calls did not fit into the buffer of " + std::to_string(room_) +
             " bytes (OPUS_EMU_PRINTF_BUFFER) and are lost, " + std::to_string(lost) + " bytes");
    }
    if (capacity - used < device_bytes) {
        note("the buffer of " + std::to_string(capacity) + " bytes is full: calls are not counted");
    }
    if (!problem_.empty()) {
        std::fprintf(stderr, "opus emulator: printf in %s: %s\n", kernel_.c_str(),
                     problem_.c_str());
    }
}

// The format of a frame that has the hash of a known one, else nullptr.
const std::string* printf_buffer::format_of(std::span<const std::byte> frame) const {
    uint64_t hash = 0;
    std::memcpy(&hash, frame.data() + control_bytes, sizeof hash);
    const auto found = formats_.find(hash);
    return (dword_at(frame.data()) & has_hash) != 0 && found != formats_.end() ? &found->second
                                                                               : nullptr;
}

void printf_buffer::print_frame(std::span<const std::byte> frame) {
    const uint32_t control = dword_at(frame.data());
    formatted_text out;
    if ((control & has_hash) != 0) {
        const std::string* format = format_of(frame);
        if (format == nullptr) {
            note("a call with a format that the metadata does not list");
            return;
        }
        out = format_text(*format, frame.subspan(control_bytes + hash_bytes));
    } else {
        frame = frame.subspan(control_bytes);
        const std::string_view format = take_string(frame);
        out = format_text(format, frame);
        if (format.find("%s") != std::string_view::npos) {
            note("a format that is no constant has %s: clang passes an address and no characters");
        }
    }
    FILE* stream = (control & to_stderr) != 0 ? stderr : stdout;
    std::fwrite(out.text.data(), 1, out.text.size(), stream);
    note(out.problem);
}

// Only the first problem of a launch is told.
void printf_buffer::note(const std::string& problem) {
    if (problem_.empty()) {
        problem_ = problem;
    }
}

void print_buffered_output() {
    const std::scoped_lock lock(buffers().mutex);
    for (printf_buffer* buffer : buffers().set) {
        buffer->print();
    }
}

}  // namespace emu
