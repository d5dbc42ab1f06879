#include "timeline/sharing.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace emu {

void timeline_sharing::run(std::vector<timeline_touch> touches,
                           const std::function<uint32_t(uint64_t line)>& dies_of) {
    // The order in which groups were executed makes no difference.
    std::ranges::sort(touches, [](const timeline_touch& a, const timeline_touch& b) {
        return std::tie(a.time, a.unit, a.line) < std::tie(b.time, b.unit, b.line);
    });
    double in_l2 = 0;  // lines that have come in
    double in_mall = 0;
    for (const timeline_touch& t : touches) {
        const auto [place, is_new] = last_stays_.try_emplace(t.line, none);
        const uint32_t before = place->second;
        if (is_new || in_l2 - stays_[before].last >= static_cast<double>(l2_lines_)) {
            ++in_l2;
            // A line that several dies have takes a part of each die's part of the MALL.
            const uint32_t dies = dies_of(t.line);
            uint32_t mall = is_new ? none : stays_[before].in_mall;
            if (is_new || in_mall - mall_stays_[mall].last >= static_cast<double>(mall_lines_)) {
                mall = static_cast<uint32_t>(mall_stays_.size());
                mall_stays_.push_back({});
                in_mall += 1.0 / dies;
            }
            mall_stays_[mall].fills += dies;
            mall_stays_[mall].last = in_mall;
            place->second = static_cast<uint32_t>(stays_.size());
            stays_.push_back({t.time, before, mall, 0, 0});
        }
        stay& now = stays_[place->second];
        constexpr uint32_t bits = 64;
        now.units |= uint64_t{1} << t.unit % bits;
        now.last = in_l2;
    }
}

timeline_share timeline_sharing::at(uint64_t line, uint32_t time) const {
    const auto found = last_stays_.find(line);
    if (found == last_stays_.end()) {
        return {};
    }
    uint32_t n = found->second;
    while (stays_[n].from > time && stays_[n].before != none) {
        n = stays_[n].before;
    }
    return {static_cast<uint32_t>(std::popcount(stays_[n].units)),
            mall_stays_[stays_[n].in_mall].fills};
}

}  // namespace emu
