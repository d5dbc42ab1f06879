#include "timeline/sharing.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace emu {

namespace {

// By time, unit and line.
void sort(std::vector<timeline_touch>& touches) {
    const auto is_less = [](const timeline_touch& a, const timeline_touch& b) {
        return std::tie(a.time, a.unit, a.line) < std::tie(b.time, b.unit, b.line);
    };
    const auto last = std::ranges::max_element(touches, {}, &timeline_touch::time);
    if (last == touches.end() || last->time > touches.size()) {
        std::ranges::sort(touches, is_less);
        return;
    }
    // Times are few: each gets its place, where the others are sorted.
    std::vector<size_t> ends(size_t{last->time} + 2);
    for (const timeline_touch& t : touches) {
        ++ends[size_t{t.time} + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<timeline_touch> sorted(touches.size());
    for (const timeline_touch& t : touches) {
        sorted[ends[t.time]++] = t;
    }
    auto first = sorted.begin();
    for (const size_t end : ends) {
        const auto behind = sorted.begin() + static_cast<std::ptrdiff_t>(end);
        if (first < behind) {
            std::sort(first, behind, is_less);
            first = behind;
        }
    }
    touches = std::move(sorted);
}

}  // namespace

void timeline_sharing::run(std::vector<timeline_touch> touches,
                           const std::function<uint32_t(uint64_t line)>& dies_of) {
    // The order in which groups were executed makes no difference.
    sort(touches);
    double in_l2 = 0;  // lines that have come in
    double in_mall = 0;
    for (const timeline_touch& t : touches) {
        const auto set = last_stays_.try_emplace(t.line / timeline_line_set);
        if (set.second) {
            set.first->second.fill(none);
        }
        uint32_t& place = set.first->second[t.line % timeline_line_set];
        const uint32_t before = place;
        const bool is_new = before == none;
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
            place = static_cast<uint32_t>(stays_.size());
            stays_.push_back({t.time, before, mall, 0, 0});
        }
        stay& now = stays_[place];
        constexpr uint32_t bits = 64;
        now.units |= uint64_t{1} << t.unit % bits;
        now.last = in_l2;
    }
}

timeline_share timeline_sharing::at(uint64_t line, uint32_t time) const {
    const auto found = last_stays_.find(line / timeline_line_set);
    if (found == last_stays_.end() || found->second[line % timeline_line_set] == none) {
        return {};
    }
    uint32_t n = found->second[line % timeline_line_set];
    while (stays_[n].from > time && stays_[n].before != none) {
        n = stays_[n].before;
    }
    return {static_cast<uint32_t>(std::popcount(stays_[n].units)),
            mall_stays_[stays_[n].in_mall].fills};
}

}  // namespace emu
