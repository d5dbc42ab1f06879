#include "isa/costs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace emu {
namespace {

// The lanes from first to last.
constexpr uint64_t lanes(int first, int last) {
    return ~uint64_t{0} >> (63 - last + first) << first;
}

template <size_t Count>
constexpr std::array<uint64_t, Count> consecutive() {
    std::array<uint64_t, Count> phases{};
    constexpr int size = lane_count / static_cast<int>(Count);
    for (int p = 0; p < static_cast<int>(Count); ++p) {
        phases[static_cast<size_t>(p)] = lanes(p * size, p * size + size - 1);
    }
    return phases;
}

constexpr auto two = consecutive<2>();
constexpr auto four = consecutive<4>();
constexpr auto eight = consecutive<8>();
constexpr std::array<uint64_t, 8> eight_pairs = {
    lanes(0, 3) | lanes(20, 23),   lanes(4, 7) | lanes(16, 19),   lanes(8, 11) | lanes(28, 31),
    lanes(12, 15) | lanes(24, 27), lanes(32, 35) | lanes(52, 55), lanes(36, 39) | lanes(48, 51),
    lanes(40, 43) | lanes(60, 63), lanes(44, 47) | lanes(56, 59),
};
constexpr std::array<uint64_t, 4> four_mixed = {
    lanes(0, 3) | lanes(12, 15) | lanes(20, 27),
    lanes(4, 11) | lanes(16, 19) | lanes(28, 31),
    lanes(32, 35) | lanes(44, 47) | lanes(52, 59),
    lanes(36, 43) | lanes(48, 51) | lanes(60, 63),
};

constexpr auto gfx942 = gfx_target::gfx942;
constexpr auto gfx950 = gfx_target::gfx950;

constexpr lds_rule lds_rules[] = {
    {access_use::read, gfx942, 4, 32, certainty::inferred, two},
    {access_use::read, gfx942, 8, 32, certainty::inferred, four},
    {access_use::read, gfx942, 16, 32, certainty::inferred, eight_pairs},
    {access_use::write, gfx942, 16, 32, certainty::documented, eight},
    {access_use::read, gfx950, 4, 32, certainty::inferred, two},
    {access_use::read, gfx950, 8, 64, certainty::measured, two},
    {access_use::read, gfx950, 12, 32, certainty::measured, eight_pairs},
    {access_use::read, gfx950, 16, 64, certainty::measured, four_mixed},
    {access_use::write, gfx950, 8, 32, certainty::measured, four},
    {access_use::write, gfx950, 16, 32, certainty::inferred, eight},
};

// Clocks that one phase takes: the number of different dwords in its fullest bank.
uint32_t phase_clocks(const lds_rule& rule, uint64_t phase,
                      const std::array<uint64_t, lane_count>& address) {
    std::array<uint64_t, 4 * lane_count> dwords;
    size_t count = 0;
    for (; phase != 0; phase &= phase - 1) {
        const uint64_t byte = address[static_cast<size_t>(std::countr_zero(phase))];
        for (uint64_t d = byte / 4; d <= (byte + rule.bytes - 1) / 4 && count < dwords.size();
             ++d) {
            dwords[count++] = d;
        }
    }
    const auto end = dwords.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(dwords.begin(), end);
    std::array<uint32_t, 64> in_bank{};
    for (auto d = dwords.begin(), last = std::unique(dwords.begin(), end); d != last; ++d) {
        ++in_bank[*d % rule.banks];
    }
    return std::ranges::max(in_bank);
}

}  // namespace

const char* name_of(certainty c) {
    constexpr const char* names[] = {"documented", "measured", "inferred"};
    return names[static_cast<size_t>(c)];
}

const lds_rule* find_lds_rule(access_use use, uint32_t bytes, gfx_target target) {
    const auto rule = std::ranges::find_if(lds_rules, [&](const lds_rule& r) {
        return r.use == use && r.bytes == bytes && r.target == target;
    });
    return rule == std::end(lds_rules) ? nullptr : rule;
}

const lds_rule* find_lds_rule(const instruction& i) {
    const access_plan& plan = i.access;
    const bool is_known = plan.kind == address_kind::lds && plan.lds == lds_address::operand &&
                          plan.addresses == 1 && !i.crosses_lanes;
    return is_known ? find_lds_rule(plan.use, plan.bytes, i.target) : nullptr;
}

uint32_t conflict_clocks(const lds_rule& rule, uint64_t active,
                         const std::array<uint64_t, lane_count>& address) {
    uint32_t clocks = 0;
    for (const uint64_t phase : rule.phases) {
        if ((phase & active) != 0) {
            clocks += phase_clocks(rule, phase & active, address) - 1;
        }
    }
    return clocks;
}

}  // namespace emu
