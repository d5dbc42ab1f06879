// How many dwords the busiest LDS bank has to give in one phase of an instruction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "layout_viewer/lds.hpp"

namespace examples_test {

// For the byte address of each lane; 1 is no conflict.
inline int worst_bank(const viewer::lds_rule& rule, const std::vector<int>& bytes) {
    std::size_t worst = 0;
    for (const viewer::indices& phase : rule.phases) {
        std::vector<std::set<int>> dwords(static_cast<std::size_t>(rule.banks));
        for (const auto lane : phase) {
            for (int i = 0; i < rule.bytes / 4; ++i) {
                const int dword = bytes[static_cast<std::size_t>(lane)] / 4 + i;
                auto& bank = dwords[static_cast<std::size_t>(dword % rule.banks)];
                bank.insert(dword);
                worst = std::max(worst, bank.size());
            }
        }
    }
    return static_cast<int>(worst);
}

}  // namespace examples_test
