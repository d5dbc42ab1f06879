#include "isa/bounds.hpp"

#include <array>
#include <cstdio>
#include <memory>

#include "isa/lds_names.hpp"
#include "isa/values.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"

namespace emu {
namespace {

// As many zeros as the widest access, a scalar load of 16 dwords, has bytes. The last 64 of them are
// apart: the lanes of one access may all be out of bounds, and what one writes no other one reads.
struct stand_ins {
    using bytes = std::array<std::byte, 64>;
    alignas(64) std::array<bytes, lane_count> all;
    size_t next = 0;
};

std::byte* zeros() {
    // Not the bytes themselves: a library that is opened late may have little of such storage.
    static thread_local const auto of_thread = std::make_unique<stand_ins>();
    stand_ins::bytes& mine = of_thread->all[of_thread->next++ % lane_count];
    mine.fill(std::byte{0});
    return mine.data();
}

}  // namespace

std::byte* fail_bounds(const wave& w, const instruction& i, const std::string& message) {
    report(w, i, check::bounds, [&] { return message; });
    return zeros();
}

std::byte* fail_access(const wave& w, const instruction& i, int lane, const char* what,
                       uint64_t address, int bytes) {
    report(w, i, check::bounds, [&] {
        char text[96];
        std::snprintf(text, sizeof text, "lane %d: %s of %d bytes at 0x%llx, ", lane, what, bytes,
                      static_cast<unsigned long long>(address));
        return text + describe_address(address, static_cast<uint32_t>(bytes)) +
               written_value(w, i, lane, address, bytes);
    });
    return zeros();
}

std::byte* fail_lds_access(const wave& w, const instruction& i, int lane, uint64_t address,
                           int bytes) {
    report(w, i, check::bounds, [&] {
        char text[160];
        std::snprintf(text, sizeof text,
                      "lane %d: LDS access of %d bytes at %llu, the group has %zu bytes of LDS",
                      lane, bytes, static_cast<unsigned long long>(address), w.group->lds.size());
        // LDS addresses have 32 bits; one below 0 has wrapped.
        const auto begin = static_cast<int64_t>(static_cast<int32_t>(address));
        return text + name_beyond_lds(*w.group, begin) + written_value(w, i, lane, address, bytes);
    });
    return zeros();
}

}  // namespace emu
