#include "checks/bounds.hpp"

#include <cstdio>

#include "checks/error.hpp"
#include "machine/memory.hpp"

namespace emu {

void fail_access(const wave& w, const instruction& i, int lane, const char* what, uint64_t address,
                 int bytes) {
    char text[96];
    std::snprintf(text, sizeof text, "lane %d: %s of %d bytes at 0x%llx, ", lane, what, bytes,
                  static_cast<unsigned long long>(address));
    fail(w, i, text + describe_address(address, static_cast<uint32_t>(bytes)));
}

void fail_lds_access(const wave& w, const instruction& i, int lane, uint64_t address, int bytes) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "lane %d: LDS access of %d bytes at %llu, the group has %zu bytes of LDS", lane,
                  bytes, static_cast<unsigned long long>(address), w.group->lds.size());
    fail(w, i, text);
}

}  // namespace emu
