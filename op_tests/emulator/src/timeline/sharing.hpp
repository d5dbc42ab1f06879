// Which compute units share a line of memory: it is paid for once as long as L2, and behind it the
// Infinity Cache (MALL), keep it. What the units of one die ask for is known with its time; other
// dies are taken to ask for what they share with it as often as it does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emu {

// Lines by number in sets of so many: what is kept of neighbours is side by side.
constexpr uint64_t timeline_line_set = 64;

// A unit of the die asks for a line. Times are turns of all units that go on in step: the number of
// the wave's memory instruction.
struct timeline_touch {
    uint64_t line = 0;
    uint32_t time = 0;
    uint32_t unit = 0;  // of the die, from 0
};

// By time, unit and line.
void sort_touches(std::vector<timeline_touch>& touches);

// Who uses a line while a cache keeps it.
struct timeline_share {
    uint32_t units = 1;  // of the die, while L2 keeps it
    uint32_t fills = 1;  // of the L2s of all dies, while the MALL keeps it
};

// A cache keeps a line until as many lines as it has room for have come in since the last use.
class timeline_sharing {
public:
    // Room in lines: of the die's L2, and of the die's part of the MALL.
    timeline_sharing(uint64_t l2_lines, uint64_t mall_lines)
        : l2_lines_(l2_lines), mall_lines_(mall_lines) {}

    // All that the units of the die ask for, a sorted list of each; `dies_of(line)` says how many
    // dies do, itself among them. Once.
    void run(const std::vector<std::vector<timeline_touch>>& lists,
             const std::function<uint32_t(uint64_t line)>& dies_of);

    // Of a line that was asked for at this time.
    timeline_share at(uint64_t line, uint32_t time) const;

private:
    static constexpr uint32_t none = ~uint32_t{0};
    // From when a line comes into L2 until it leaves it.
    struct stay {
        uint32_t from = 0;    // time
        uint32_t before = 0;  // the line's stay before this one
        uint32_t in_mall = 0;
        uint64_t units = 0;  // a bit each
        double last = 0;     // lines that had come into L2 when it was used last
    };
    // The same of the MALL.
    struct mall_stay {
        uint32_t fills = 0;
        double last = 0;
    };

    void add(const timeline_touch& touch, const std::function<uint32_t(uint64_t line)>& dies_of);
    using set_of_stays = std::array<uint32_t, timeline_line_set>;
    set_of_stays& set_of(uint64_t number);

    uint64_t l2_lines_;
    uint64_t mall_lines_;
    double in_l2_ = 0;  // lines that have come in
    double in_mall_ = 0;
    std::vector<stay> stays_;
    std::vector<mall_stay> mall_stays_;
    std::unordered_map<uint64_t, set_of_stays> last_stays_;  // by set
    // Some of them: turn by turn the units ask for the same rows of their matrices.
    std::vector<std::pair<uint64_t, set_of_stays*>> recent_;
};

}  // namespace emu
