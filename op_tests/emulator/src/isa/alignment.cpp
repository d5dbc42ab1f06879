#include "isa/alignment.hpp"

#include <cstdio>
#include <string>

#include "machine/report.hpp"

namespace emu {

void report_alignment(const wave& w, const instruction& i, int lane, uint64_t address,
                      uint64_t alignment, uint32_t check) {
    report(w, i, check, [&] {
        char text[128];
        std::snprintf(text, sizeof text, "lane %d: address 0x%llx is no multiple of %llu", lane,
                      static_cast<unsigned long long>(address),
                      static_cast<unsigned long long>(alignment));
        return std::string(text);
    });
}

void check_lds_base(const wave& w, const instruction& i) {
    const uint32_t m0 = w.sgpr[sreg::m0];
    if ((w.checks & check::alignment) != 0 && ((m0 | static_cast<uint32_t>(i.offset)) & 3) != 0) {
        report(w, i, check::alignment,
               [&] { return "M0 " + std::to_string(m0) + " or the offset is no multiple of 4"; });
    }
}

}  // namespace emu
