#include "timeline/sharing.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace emu {

void sort_touches(std::vector<timeline_touch>& touches) {
    const auto is_less = [](const timeline_touch& a, const timeline_touch& b) {
        return std::tie(a.time, a.unit, a.line) < std::tie(b.time, b.unit, b.line);
    };
    if (std::ranges::is_sorted(touches, is_less)) {
        return;
    }
    const auto last = std::ranges::max_element(touches, {}, &timeline_touch::time);
    if (last->time > touches.size()) {
        std::ranges::sort(touches, is_less);
        return;
    }
    // Times are few: each gets its place, where the others are sorted if they are not.
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
        if (first < behind && !std::is_sorted(first, behind, is_less)) {
            std::sort(first, behind, is_less);
        }
        first = std::max(first, behind);
    }
    touches = std::move(sorted);
}

void timeline_sharing::run(const std::vector<std::vector<timeline_touch>>& lists,
                           const std::function<uint32_t(uint64_t line)>& dies_of) {
    struct rest {
        const timeline_touch* next;
        const timeline_touch* end;
    };
    std::vector<rest> open;
    for (const std::vector<timeline_touch>& list : lists) {
        if (!list.empty()) {
            open.push_back({list.data(), list.data() + list.size()});
        }
    }
    std::ranges::sort(open, {}, [](const rest& r) { return r.next->unit; });
    while (!open.empty()) {
        const uint32_t now =
            std::ranges::min(open, {}, [](const rest& r) { return r.next->time; }).next->time;
        for (rest& r : open) {
            for (; r.next != r.end && r.next->time == now; ++r.next) {
                add(*r.next, dies_of);
            }
        }
        std::erase_if(open, [](const rest& r) { return r.next == r.end; });
    }
}

timeline_sharing::set_of_stays& timeline_sharing::set_of(uint64_t number) {
    constexpr size_t most = 8192;
    recent_.resize(most);
    auto& [recent_number, set] = recent_[(number ^ number >> 7) % most];
    if (set == nullptr || recent_number != number) {
        const auto [found, is_new] = last_stays_.try_emplace(number);
        if (is_new) {
            found->second.fill(none);
        }
        recent_number = number;
        set = &found->second;
    }
    return *set;
}

void timeline_sharing::add(const timeline_touch& t,
                           const std::function<uint32_t(uint64_t line)>& dies_of) {
    uint32_t& place = set_of(t.line / timeline_line_set)[t.line % timeline_line_set];
    const uint32_t before = place;
    const bool is_new = before == none;
    if (is_new || in_l2_ - stays_[before].last >= static_cast<double>(l2_lines_)) {
        ++in_l2_;
        // A line that several dies have takes a part of each die's part of the MALL.
        const uint32_t dies = dies_of(t.line);
        uint32_t mall = is_new ? none : stays_[before].in_mall;
        if (is_new || in_mall_ - mall_stays_[mall].last >= static_cast<double>(mall_lines_)) {
            mall = static_cast<uint32_t>(mall_stays_.size());
            mall_stays_.push_back({});
            in_mall_ += 1.0 / dies;
        }
        mall_stays_[mall].fills += dies;
        mall_stays_[mall].last = in_mall_;
        place = static_cast<uint32_t>(stays_.size());
        stays_.push_back({t.time, before, mall, 0, 0});
    }
    stay& now = stays_[place];
    constexpr uint32_t bits = 64;
    now.units |= uint64_t{1} << t.unit % bits;
    now.last = in_l2_;
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
