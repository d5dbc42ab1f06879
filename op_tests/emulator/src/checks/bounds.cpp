#include "checks/bounds.hpp"

#include <array>
#include <cstdio>

#include "checks/error.hpp"
#include "machine/memory.hpp"
#include "machine/settings.hpp"

namespace emu {
namespace {

// As many zeros as the widest access, a scalar load of 16 dwords, has bytes. The last 64 of them are
// apart: the lanes of one access may all be out of bounds, and what one writes no other one reads.
std::byte* zeros() {
    using bytes = std::array<std::byte, 64>;
    alignas(64) thread_local std::array<bytes, lane_count> all;
    thread_local size_t next = 0;
    bytes& mine = all[next++ % all.size()];
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
        return text + describe_address(address, static_cast<uint32_t>(bytes));
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
        return std::string(text);
    });
    return zeros();
}

}  // namespace emu
