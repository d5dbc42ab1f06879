// Where a NaN or an infinity comes from: instructions that make one from operands without one.
//
// Followed are the results that are floating-point numbers of 8, 16, 32 or 64 bits, of vector and
// matrix instructions, and conversions of a NaN to integers, fp6, bf6 and fp4, which lose it. The
// operands are taken as what the mnemonic says (v_cvt_f32_f16: the result f32, the source f16).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checks/check.hpp"

namespace emu {

struct operand;

namespace check {
constexpr uint32_t nan = 1u << 11;
}

class nan_check : public any_check {
public:
    static constexpr check_switch switches[] = {{"nan", check::nan, turned_on::by_name}};
    static constexpr uint32_t bits = check::nan;

    // Of each lane, a bit.
    struct lane_masks {
        uint64_t nan = 0;
        uint64_t infinity = 0;
        lane_masks& operator|=(const lane_masks& other) {
            nan |= other.nan;
            infinity |= other.infinity;
            return *this;
        }
    };

    void look(const wave& w, const instruction& i);
    static bool watches() { return true; }
    void after(const wave& w, const instruction& i) const;

private:
    // An operand as it was before, and where its rows are among those that were copied.
    struct copied {
        const operand* of;
        number_type kind;
        size_t first;
        size_t count;
    };

    bool is_followed_ = false;  // the instruction that was looked at last
    bool may_lose_ = false;     // it converts to what has no NaN
    uint64_t lanes_ = 0;        // for which it is executed
    std::vector<lane_row> rows_;
    std::vector<copied> operands_;
    lane_masks before_;  // of its operands
};

}  // namespace emu
