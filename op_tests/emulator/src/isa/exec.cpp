#include "isa/exec.hpp"

#include <bit>
#include <string>

#include "isa/matrix_elements.hpp"

namespace emu {
namespace {

// What the lane holds in the first registers of A and B: ": v8 A[0][0..1], v10 B[0..1][0]".
std::string held_by_lane(const instruction& i, int lane) {
    std::string text;
    for (const size_t n : {size_t{1}, size_t{2}}) {
        const uint32_t reg = first_register(i.operands[n]);
        const std::string element = matrix_elements(i, reg, lane, false);
        const bool is_same = n == 2 && first_register(i.operands[1]) == reg;
        if (!element.empty() && !is_same) {
            text += (text.empty() ? ": " : ", ") + register_name({reg, 1}) + " " + element;
        }
    }
    return text;
}

}  // namespace

void report_lanes_off(const wave& w, const instruction& i) {
    report(w, i, check::exec, [&] {
        const int lane = std::countr_one(w.exec());
        return "lane " + std::to_string(lane) +
               " is switched off; a matrix instruction reads what it holds" + held_by_lane(i, lane);
    });
}

}  // namespace emu
