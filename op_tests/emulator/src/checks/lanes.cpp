#include "checks/lanes.hpp"

#include <bit>
#include <string>

#include "isa/matrix_elements.hpp"
#include "machine/report.hpp"

namespace emu {
namespace {

constexpr uint64_t all_lanes = ~uint64_t{0};

// Values of a matrix instruction that nobody has written.
void check_matrix(const wave& w, const instruction& i, const std::vector<uint64_t>& written) {
    if (w.exec() != all_lanes) {
        return;
    }
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        for (uint32_t r = range.first; !use.is_write && r < range.first + range.count; ++r) {
            const uint64_t missing = r < first_sgpr ? ~written[r] : 0;
            if (missing == 0) {
                continue;
            }
            report(w, i, check::lanes, [&] {
                return "lane " + std::to_string(std::countr_zero(missing)) + " of " +
                       register_name({r, 1}) + " was never written; a matrix instruction reads it" +
                       which_matrix_element(i, r, std::countr_zero(missing), false);
            });
            return;
        }
    }
}

// src0 is what DPP permutes.
const register_use* dpp_source(const instruction& i) {
    for (const register_use& use : i.uses) {
        if (!use.is_write && use.index == register_index::src0) {
            return &use;
        }
    }
    return nullptr;
}

void check_dpp(const wave& w, const instruction& i, const std::vector<uint64_t>& written) {
    const register_use* source = dpp_source(i);
    if (source == nullptr) {
        return;
    }
    const uint32_t reg = resolve(w, *source).first;
    for_lanes(w.exec() & i.dpp_valid, [&](int lane) {
        // bank_mask bit n: lanes 4 n to 4 n + 3 of each row of 16.
        if ((i.row_mask >> lane / 16 & 1) != 0 && (i.bank_mask >> lane % 16 / 4 & 1) != 0) {
            check_source_lane(w, i, written, reg, lane, i.dpp_from[static_cast<size_t>(lane)]);
        }
    });
}

}  // namespace

void check_lanes(const wave& w, const instruction& i, const std::vector<uint64_t>& written) {
    if (i.has(mod::dpp)) {
        check_dpp(w, i, written);
    } else if (i.matrix != nullptr) {
        check_matrix(w, i, written);
    }
}

void check_source_lane(const wave& w, const instruction& i, const std::vector<uint64_t>& written,
                       uint32_t reg, int lane, int source) {
    const bool is_off = (w.exec() >> source & 1) == 0;
    if (!is_off && (written[reg] >> source & 1) != 0) {
        return;
    }
    report(w, i, check::lanes, [&] {
        return "lane " + std::to_string(lane) + " reads " + register_name({reg, 1}) + " of lane " +
               std::to_string(source) +
               (is_off ? ", which is switched off" : ", which was never written");
    });
}

}  // namespace emu
