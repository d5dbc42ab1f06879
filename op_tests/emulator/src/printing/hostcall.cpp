#include "printing/hostcall.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/memory.hpp"
#include "machine/report.hpp"
#include "machine/wave.hpp"
#include "printing/format.hpp"

namespace emu {
namespace {

// A packet's number is the low bits of its pointer. Those above are a tag that a wave increments when
// it gives the packet back; a pointer is never 0, which ends a stack.
constexpr uint32_t index_bits = 12;
constexpr uint32_t packet_count = 1u << index_bits;

struct header {
    uint64_t next;  // in the stack
    uint64_t active_lanes;
    uint32_t service;
    std::atomic<uint32_t> control;  // bit 0: the host has to do something
};
static_assert(sizeof(header) == 24);

constexpr size_t slot_count = 8;

struct payload {
    std::array<std::array<uint64_t, slot_count>, lane_count> slots;
};

struct buffer {
    uint64_t headers;  // addresses
    uint64_t payloads;
    uint64_t doorbell;  // hsa_signal_t
    std::atomic<uint64_t> free_stack;
    std::atomic<uint64_t> ready_stack;
    uint64_t index_mask;
};

// amd_signal_t, which waves count up when a packet is ready. Without a mailbox they do no more.
struct alignas(64) signal {
    int64_t kind;  // 1: AMD_SIGNAL_KIND_USER
    int64_t value;
    uint64_t mailbox;
    std::array<uint32_t, 10> unused;
};
static_assert(sizeof(signal) == 64);

// The part that device code can address.
struct shared_memory {
    buffer control;
    signal doorbell;
    std::array<header, packet_count> headers;
    std::array<payload, packet_count> payloads;
};

uint64_t address_of(const void* p) {
    return reinterpret_cast<uintptr_t>(p);
}

enum service : uint32_t { service_printf = 2 };

// Slot 0 of a lane's slots is a descriptor of the words in the others: bit 0 begins a message, bit 1
// ends it, bits 7:5 are the number of words, bits 63:8 the number of the message.
constexpr uint64_t begins = 1;
constexpr uint64_t ends = 2;

// What device code may leave unfinished.
constexpr size_t max_messages = size_t{1} << 20;
constexpr size_t max_words = size_t{1} << 20;

constexpr uint64_t to_stderr = 1;

}  // namespace

struct hostcall_service::state {
    shared_memory* memory = nullptr;
    std::mutex mutex;
    std::map<uint64_t, std::vector<uint64_t>> messages;  // that have begun, by their number
    uint64_t last_message = 0;
    std::atomic<bool> assertion_failed = false;
    bool has_complained = false;

    void complain(const char* problem) {
        if (!has_complained) {
            has_complained = true;
            std::fprintf(stderr, "opus emulator: hostcall: %s\n", problem);
        }
    }

    // A message is a word that says where to, the format and its arguments. Returns the number of
    // characters, which the call of printf returns.
    uint64_t print(const std::vector<uint64_t>& message) {
        std::span<const std::byte> arguments =
            std::as_bytes(std::span(message)).subspan(message.empty() ? 0 : 8);
        const std::string_view format = take_string(arguments);
        const formatted_text out = format_text(format, arguments);
        const bool is_error = !message.empty() && message[0] == to_stderr;
        if (is_error) {
            std::fflush(stdout);
        }
        std::fwrite(out.text.data(), 1, out.text.size(), is_error ? stderr : stdout);
        if (!out.problem.empty()) {
            complain(out.problem.c_str());
        }
        if (is_error && format.find("Device-side assertion") != std::string_view::npos) {
            assertion_failed = true;
        }
        return out.text.size();
    }

    void take_words(std::span<uint64_t, slot_count> slots) {
        const uint64_t descriptor = slots[0];
        uint64_t number = descriptor >> 8;
        if ((descriptor & begins) != 0) {
            if (messages.size() >= max_messages) {
                complain("too many messages that do not end");
                return;
            }
            number = ++last_message;
            messages[number] = {};
        }
        const auto found = messages.find(number);
        if (found == messages.end()) {
            complain("words for a message that was not begun");
            return;
        }
        const size_t count = descriptor >> 5 & 7;
        if (found->second.size() + count > max_words) {
            complain("a message that does not end");
            return;
        }
        found->second.insert(found->second.end(), slots.begin() + 1,
                             slots.begin() + 1 + static_cast<std::ptrdiff_t>(count));
        if ((descriptor & ends) != 0) {
            slots[0] = print(found->second);
            messages.erase(found);
        } else {
            slots[0] = (descriptor & 0xfe) | number << 8;
        }
    }

    void serve_packet(uint32_t index) {
        header& h = memory->headers[index];
        if (h.service == service_printf) {
            for (uint64_t lanes = h.active_lanes; lanes != 0; lanes &= lanes - 1) {
                take_words(
                    memory->payloads[index].slots[static_cast<size_t>(std::countr_zero(lanes))]);
            }
        } else {
            fail_launch("hostcall: service " + std::to_string(h.service) +
                        " is not emulated (printf and assert are; device-side malloc is not)");
        }
        // From here on the packet is the wave's.
        h.control.fetch_and(~1u, std::memory_order_release);
    }
};

hostcall_service::hostcall_service() : state_(std::make_unique<state>()) {
    void* mapped = ::mmap(nullptr, sizeof(shared_memory), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    auto& m = *static_cast<shared_memory*>(mapped);
    state_->memory = &m;
    m.control.headers = address_of(&m.headers);
    m.control.payloads = address_of(&m.payloads);
    m.control.doorbell = address_of(&m.doorbell);
    m.control.index_mask = packet_count - 1;
    m.doorbell.kind = 1;
    uint64_t top = 0;
    for (uint32_t n = packet_count; n-- > 0;) {
        m.headers[n].next = top;
        top = uint64_t{packet_count} | n;
    }
    m.control.free_stack = top;
    add_range(address_of(&m), sizeof(shared_memory), true, memory_kind::launch);
}

hostcall_service& hostcall_service::instance() {
    static auto* service = new hostcall_service;
    return *service;
}

uint64_t hostcall_service::buffer_address() const {
    return address_of(&state_->memory->control);
}

bool hostcall_service::assertion_failed() const {
    return state_->assertion_failed;
}

void hostcall_service::serve() {
    state& s = *state_;
    std::atomic<uint64_t>& ready = s.memory->control.ready_stack;
    if (ready.load(std::memory_order_relaxed) == 0) {
        return;
    }
    const std::scoped_lock lock(s.mutex);
    // The stack has the last one on top. Device code can have made a ring of it.
    std::vector<uint32_t> packets;
    for (uint64_t p = ready.exchange(0, std::memory_order_acquire);
         p != 0 && packets.size() < packet_count;) {
        packets.push_back(static_cast<uint32_t>(p % packet_count));
        p = s.memory->headers[packets.back()].next;
    }
    for (size_t n = packets.size(); n-- > 0;) {
        s.serve_packet(packets[n]);
    }
}

}  // namespace emu
