#include "timeline/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "isa/scalar.hpp"

namespace emu {
namespace {

timeline_rate rate_of(const instruction& i) {
    if (i.is(kind::trans)) {
        return i.types.has_64_bits ? timeline_rate::transcendental64
                                   : timeline_rate::transcendental;
    }
    if (i.is(kind::multiply32)) {
        return timeline_rate::multiply32;
    }
    return i.types.has_64_bits ? timeline_rate::f64 : timeline_rate::ordinary;
}

timeline_matrix matrix_of(const instruction& i) {
    switch (i.matrix->a) {
        case element::chosen:
            return has_8_bits(i) ? timeline_matrix::bits8 : timeline_matrix::bits4;
        case element::bf16:
            return timeline_matrix::bf16;
        case element::f16:
            return timeline_matrix::f16;
        case element::i8:
        case element::fp8:
        case element::bf8:
            return timeline_matrix::bits8;
        default:
            return timeline_matrix::other;
    }
}

// Multiplications and additions.
uint64_t flops_of(const matrix_row& row) {
    const auto& [m, n, k, blocks] = row.shape;
    return uint64_t{2} * static_cast<uint64_t>(m * n * k * blocks);
}

// Which registers a matrix instruction uses as what.
void add_matrix_operands(timeline_instruction& to, const wave& w, const instruction& i) {
    constexpr size_t c = 3;
    for (size_t n = 0; n < i.operand_count; ++n) {
        const operand& o = i.operands[n];
        if (o.kind != operand_kind::vgpr && o.kind != operand_kind::agpr) {
            continue;
        }
        const uint32_t base = o.kind == operand_kind::agpr ? first_agpr : 0;
        const bool is_write = n == 0;
        const register_range range =
            resolve(w, {static_cast<uint16_t>(base + o.reg), o.dwords, is_write});
        const matrix_use use = is_write             ? matrix_use::other
                               : n != c             ? matrix_use::ab
                               : i.matrix->is_xdl() ? matrix_use::xdl_c
                                                    : matrix_use::gemm_c;
        to.operands.push_back(
            {static_cast<uint16_t>(range.first), static_cast<uint8_t>(range.count), is_write, use});
    }
}

void add_operands(timeline_instruction& to, const wave& w, const instruction& i) {
    if (to.unit == timeline_unit::mfma) {
        add_matrix_operands(to, w, i);
        return;
    }
    const bool is_memory = to.unit == timeline_unit::lds || to.unit == timeline_unit::vmem;
    for (const register_use& use : i.uses) {
        const register_range range = resolve(w, use);
        const bool is_vector = range.first < first_sgpr;
        const matrix_use as = !is_vector ? matrix_use::other
                              : to.unit == timeline_unit::valu
                                  ? (use.is_write ? matrix_use::valu_write : matrix_use::valu_read)
                              : is_memory && !use.is_write ? matrix_use::memory_read
                                                           : matrix_use::other;
        to.operands.push_back({static_cast<uint16_t>(range.first),
                               static_cast<uint8_t>(range.count), use.is_write, as});
    }
}

void add_counters(timeline_instruction& to, const instruction& i) {
    const access_plan& plan = i.access;
    to.counts_vm = i.queue == memory_queue::vector || i.queue == memory_queue::flat;
    to.counts_lgkm = i.queue == memory_queue::lds || i.queue == memory_queue::flat ||
                     i.queue == memory_queue::scalar;
    to.has_access = to.counts_vm || to.counts_lgkm;
    to.writes = plan.use != access_use::read;
    to.lds_writes = plan.kind == address_kind::lds && plan.use == access_use::write;
    if (plan.kind == address_kind::lds) {
        to.lds_lane_bytes = static_cast<uint32_t>(plan.bytes * plan.addresses);
    }
}

// The address of a scalar load, as isa/smem.cpp has it.
uint64_t scalar_address(const wave& w, const instruction& i) {
    const operand& base = i.operands[1];
    const operand& offset = i.operands[2];
    auto address = read_scalar<uint64_t>(w, i, base);
    if (base.dwords == buffer_resource::words) {
        address &= 0xffffffffffff;
    }
    address += static_cast<uint64_t>(int64_t{i.offset});
    if (offset.kind == operand_kind::constant) {
        address +=
            static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset.value32)));
    } else {
        address += read_scalar<uint32_t>(w, i, offset);
    }
    return address & ~uint64_t{3};
}

// The lines that lanes touch, by number, with the bytes that are asked for in each.
class line_list {
public:
    // `memory` is used.
    line_list(uint32_t line_bytes, std::vector<timeline_line>& memory)
        : line_bytes_(line_bytes), lines_(memory) {
        lines_.clear();
    }
    void add(uint64_t address, uint32_t bytes) {
        while (bytes != 0) {
            // Mostly it is the line of the lane before.
            if (address - start_ >= line_bytes_ || lines_.empty()) {
                const uint64_t line = address / line_bytes_;
                start_ = line * line_bytes_;
                lines_.push_back({line, 0, {}});
            }
            const uint64_t room = start_ + line_bytes_ - address;
            const auto part = static_cast<uint32_t>(std::min<uint64_t>(room, bytes));
            lines_.back().bytes += part;
            address += part;
            bytes -= part;
        }
    }
    // Appends them to `to` and returns how many they are.
    uint32_t move_to(std::vector<timeline_line>& to) {
        if (!std::ranges::is_sorted(lines_, {}, &timeline_line::number)) {
            std::ranges::sort(lines_, {}, &timeline_line::number);
        }
        const size_t before = to.size();
        for (const timeline_line& line : lines_) {
            if (to.size() == before || to.back().number != line.number) {
                to.push_back({line.number, 0, {}});
            }
            to.back().bytes = std::min(line_bytes_, to.back().bytes + line.bytes);
        }
        return static_cast<uint32_t>(to.size() - before);
    }

private:
    uint32_t line_bytes_;
    uint64_t start_ = 0;  // address of the last line
    std::vector<timeline_line>& lines_;
};

constexpr uint64_t aperture_mask = 0xffffffff00000000;

timeline_policy policy_of(const instruction& i, bool has_one_l2) {
    const bool sc0 = i.has(mod::sc0) &&
                     i.access.use != access_use::atomic;  // there it asks for the value before
    const bool sc1 = i.has(mod::sc1);
    const bool nt = i.has(mod::nt);
    timeline_policy policy;
    policy.in_l1 = !nt && !sc1;
    policy.in_l2 = !sc1 || (has_one_l2 && !sc0);
    policy.stays_in_l2 = !nt;
    policy.stays_in_mall = !nt && (sc1 || !sc0 || i.access.use == access_use::write);
    return policy;
}

}  // namespace

timeline_recorder::timeline_recorder(const timeline_parameters& parameters,
                                     std::vector<uint64_t> groups,
                                     const timeline_placement& placement)
    : parameters_(parameters),
      other_hash_(parameters),
      placement_(placement),
      numbers_(std::move(groups)),
      groups_(numbers_.size()) {
    other_hash_.l2_hash = parameters.l2_hash == 0 ? 1 : 0;
}

timeline_group_recorder* timeline_recorder::group(uint64_t number, size_t waves) {
    const auto found = std::ranges::find(numbers_, number);
    const bool is_chosen = found != numbers_.end();
    if (!is_chosen && number >= placement_.groups) {
        return nullptr;
    }
    const std::scoped_lock lock(mutex_);
    // The first ones may be heavy as well.
    constexpr uint64_t first_ones = 16;
    const bool may_be_heavy = placement_.weighs && (number < first_ones || is_uneven());
    auto recorder =
        std::make_unique<timeline_group_recorder>(*this, number, waves, is_chosen || may_be_heavy,
                                                  die_of(number) == die_of(numbers_.front()));
    timeline_group_recorder* result = recorder.get();
    if (is_chosen) {
        groups_[static_cast<size_t>(found - numbers_.begin())] = std::move(recorder);
    } else {
        others_[number] = std::move(recorder);
    }
    return result;
}

uint64_t timeline_recorder::place_of(uint64_t number) const {
    const bool is_chosen = std::ranges::find(numbers_, number) != numbers_.end();
    return (is_chosen ? numbers_.front() : number) % placement_.units;
}

void timeline_recorder::finish(timeline_group_recorder& group) {
    const uint64_t number = group.group_.number;
    const uint64_t die = die_of(number) % most_dies;
    const auto unit = static_cast<uint32_t>(place_of(number) / placement_.dies);
    for (timeline_touch& touch : group.touched_) {
        touch.unit = unit;
    }
    sort_touches(group.touched_);  // here, where other threads work as well
    const std::scoped_lock lock(mutex_);
    for (const auto& [set, lines] : group.lines_) {
        lines_of_dies_[set][die] |= lines;
    }
    if (group.is_on_die_) {
        (is_later(number) ? touched_later_ : touched_).push_back(std::move(group.touched_));
        for (size_t n = 0; n < group.channels_.size(); ++n) {
            std::vector<timeline_channels>& sums = channels_[{turn_of(number), n}];
            sums.resize(std::max(sums.size(), group.channels_[n].size()));
            for (size_t k = 0; k < group.channels_[n].size(); ++k) {
                for (size_t c = 0; c < timeline_most_channels; ++c) {
                    const uint32_t sum = sums[k][c] + group.channels_[n][k][c];
                    sums[k][c] = static_cast<uint16_t>(std::min<uint32_t>(sum, 0xffff));
                }
            }
        }
    }
    group.touched_ = {};
    group.channels_ = {};
    group.lines_ = {};
    group.patterns_ = {};
    if (placement_.weighs) {
        weigh(group);
    }
    others_.erase(number);
}

uint32_t timeline_recorder::dies_of(uint64_t line) const {
    const auto& of_dies = lines_of_dies_.at(line / timeline_line_set);
    uint32_t count = 0;
    for (size_t die = 0; die < std::min<uint64_t>(placement_.dies, most_dies); ++die) {
        count += of_dies[die] >> line % timeline_line_set & 1;
    }
    return count;
}

timeline_recorder::line_counts timeline_recorder::count_lines() const {
    const uint64_t die = die_of(numbers_.front()) % most_dies;
    line_counts lines;
    for (const auto& [set, of_dies] : lines_of_dies_) {
        uint64_t any = 0;
        for (const uint64_t of_die : of_dies) {
            any |= of_die;
        }
        lines.of_die += static_cast<size_t>(std::popcount(of_dies[die]));
        lines.of_all += static_cast<size_t>(std::popcount(any));
    }
    return lines;
}

bool timeline_recorder::is_uneven() const {
    constexpr uint64_t percent = 105;
    return lightest_ < heaviest_ && heaviest_ * 100 > lightest_ * percent;
}

void timeline_recorder::note_end(uint64_t number, const std::vector<wave>& waves) {
    const std::scoped_lock lock(mutex_);
    if (placement_.weighs) {
        note_weight(number, std::accumulate(
                                waves.begin(), waves.end(), uint64_t{0},
                                [](uint64_t sum, const wave& w) { return sum + w.instructions; }));
    }
}

void timeline_recorder::note_weight(uint64_t number, uint64_t weight) {
    weights_.resize(std::max<size_t>(weights_.size(), number + 1));
    weighed_ += weights_[number] == 0 ? 1 : 0;
    weights_[number] = weight;
    lightest_ = std::min(lightest_, weight);
    heaviest_ = std::max(heaviest_, weight);
}

void timeline_recorder::weigh(timeline_group_recorder& group) {
    const uint64_t number = group.group_.number;
    note_weight(number, group.weight_);
    // Of equals the first one, whichever has ended first.
    const bool is_heaviest =
        group.weight_ > heaviest_recorded_ ||
        (group.weight_ == heaviest_recorded_ && !heavy_.waves.empty() && number < heavy_.number);
    heaviest_recorded_ = std::max(heaviest_recorded_, group.weight_);
    if (is_heaviest && others_.contains(number) && group.is_full_) {
        heavy_ = std::move(group.group_);
    } else if (is_heaviest) {
        heavy_ = {};
    }
}

void timeline_recorder::choose_heavy(timeline_record& record) {
    if (!is_uneven()) {
        return;
    }
    std::vector<timeline_group>& groups = record.groups;
    const auto weight = [&](const timeline_group& g) { return weights_[g.number]; };
    const auto weight_of_all = [&] {
        double sum = 0;
        for (const timeline_group& g : groups) {
            sum += static_cast<double>(weight(g));
        }
        return sum;
    };
    const uint64_t on_unit = std::min<uint64_t>(groups.size(), placement_.resident);
    // One that was not executed is as the nearest one that was.
    weights_.resize(placement_.launch_groups);
    for (size_t known = 0, g = 1; g <= weights_.size(); ++g) {
        if (const bool is_end = g == weights_.size(); is_end || weights_[g] != 0) {
            const size_t middle = is_end ? g : (known + g) / 2 + 1;
            std::fill(weights_.data() + known + 1, weights_.data() + middle, weights_[known]);
            std::fill(weights_.data() + middle, weights_.data() + g, is_end ? 0 : weights_[g]);
            known = g;
        }
    }
    // Each place of a unit takes the next group when it is free.
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> places;
    uint64_t length = 0;
    double all = 0;
    for (uint64_t g = 0; g < placement_.launch_groups; ++g) {
        uint64_t end = weights_[g];
        all += static_cast<double>(end);
        if (places.size() == placement_.units * on_unit) {
            end += places.top();
            places.pop();
        }
        places.push(end);
        length = std::max(length, end);
    }
    // Where many follow each other it comes to the mean, if the chosen ones have that.
    const double mean = all / static_cast<double>(placement_.launch_groups);
    const uint64_t all_places = placement_.units * on_unit;
    const uint64_t rounds = (placement_.launch_groups + all_places - 1) / all_places;
    const double if_even = mean * static_cast<double>(rounds);
    const double chosen = weight_of_all() / static_cast<double>(groups.size());
    if (std::abs(chosen - mean) < mean / 20 && static_cast<double>(length) < if_even * 1.1) {
        return;
    }
    if (!heavy_.waves.empty()) {
        groups.insert(groups.begin(), std::move(heavy_));
    }
    groups.resize(on_unit);
    record.work_of_launch = all / weight_of_all();
    record.length_of_launch =
        static_cast<double>(length) /
        static_cast<double>(weight(*std::ranges::max_element(groups, {}, weight)));
}

void timeline_recorder::share(timeline_group& group, const timeline_sharing& sharing,
                              uint32_t time) const {
    for (size_t n = 0; n < group.waves.size(); ++n) {
        timeline_wave& wave = group.waves[n];
        const auto channels = channels_.find({turn_of(group.number), n});
        if (channels != channels_.end() && !placement_.has_both_hashes) {
            wave.channels = channels->second;
        } else if (channels != channels_.end()) {
            for (size_t k = 0; k < channels->second.size(); ++k) {
                (k % 2 == 0 ? wave.channels : wave.other_channels).push_back(channels->second[k]);
            }
        }
        uint32_t now = time;
        for_each_access(instructions_, wave, [&](uint32_t index, std::span<timeline_line> lines) {
            if (instructions_[index].unit != timeline_unit::vmem || lines.empty()) {
                return;
            }
            for (timeline_line& line : lines) {
                line.share = sharing.at(line.number, now);
                // What only other dies have asked for, of which no times are known.
                if (line.share.fills <= 1) {
                    line.share.fills = dies_of(line.number);
                }
            }
            ++now;
        });
    }
}

// What was touched, a sorted list for each unit.
std::vector<std::vector<timeline_touch>> timeline_recorder::by_unit() {
    std::map<uint32_t, std::vector<timeline_touch>> units;
    for (auto* lists : {&touched_, &touched_later_}) {
        for (std::vector<timeline_touch>& list : *lists) {
            if (list.empty()) {
                continue;
            }
            std::vector<timeline_touch>& all = units[list.front().unit];
            all.insert(all.end(), list.begin(), list.end());
            list = {};
        }
        *lists = {};
    }
    std::vector<std::vector<timeline_touch>> result;
    for (auto& [unit, list] : units) {
        sort_touches(list);
        result.push_back(std::move(list));
    }
    return result;
}

timeline_record timeline_recorder::take() {
    const std::scoped_lock lock(mutex_);
    timeline_sharing sharing(parameters_.l2_bytes / parameters_.line_bytes,
                             parameters_.mall_bytes / parameters_.line_bytes / placement_.dies);
    // What runs later is behind all that runs from the start on.
    uint32_t later = 0;
    for (const std::vector<timeline_touch>& list : touched_) {
        later = std::max(later, list.empty() ? 0 : list.back().time + 1);
    }
    for (std::vector<timeline_touch>& list : touched_later_) {
        for (timeline_touch& touch : list) {
            touch.time += later;
        }
    }
    std::vector<std::vector<timeline_touch>> touched = by_unit();
    const double launches = static_cast<double>(placement_.launch_groups) /
                            static_cast<double>(std::max<uint64_t>(
                                1, std::min(placement_.groups, placement_.launch_groups)));
    const auto fits = [&](size_t lines, uint64_t bytes) {
        return static_cast<double>(lines) * parameters_.line_bytes * launches <=
               static_cast<double>(bytes);
    };
    sharing.run(touched, [&](uint64_t line) { return dies_of(line); });
    touched = {};
    timeline_record record;
    if (!heavy_.waves.empty()) {
        share(heavy_, sharing, is_later(heavy_.number) ? later : 0);
    }
    for (auto& recorder : groups_) {
        if (recorder != nullptr) {
            share(recorder->group_, sharing, is_later(recorder->group_.number) ? later : 0);
            record.groups.push_back(std::move(recorder->group_));
        }
    }
    if (placement_.weighs) {
        record.weighed = weighed_;
        choose_heavy(record);
    }
    record.instructions = std::move(instructions_);
    record.l2_hash = parameters_.l2_hash;
    // Caches keep what was used last: of a launch that has more lines than they hold, not the first.
    if (placement_.is_warm) {
        const line_counts lines = count_lines();
        record.is_warm_l2 = fits(lines.of_die, parameters_.l2_bytes);
        record.is_warm_mall = fits(lines.of_all, parameters_.mall_bytes);
    }
    if (placement_.resident < record.groups.size()) {
        record.resident = placement_.resident;
    }
    return record;
}

uint32_t timeline_recorder::add(const wave& w, const instruction& i, uint64_t key) {
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] =
        index_by_key_.emplace(key, static_cast<uint32_t>(instructions_.size()));
    if (!is_new) {
        return place->second;
    }
    timeline_instruction& to = instructions_.emplace_back();
    to.unit = i.unit;
    to.control = i.control;
    to.bytes = i.size;
    to.address = i.address;
    to.text = i.text;
    const uint32_t immediate = i.simm16();
    switch (to.control) {
        case timeline_control::nop:
            to.turns = i.hazards.states;
            break;
        case timeline_control::wait:
            to.vmcnt = static_cast<uint8_t>(vmcnt_of(immediate));
            to.lgkmcnt = static_cast<uint8_t>(lgkmcnt_of(immediate));
            break;
        case timeline_control::sleep:
            to.sleep = static_cast<uint16_t>(immediate & 0x7f);
            break;
        case timeline_control::priority:
            to.priority = static_cast<uint8_t>(immediate & 3);
            break;
        default:
            break;
    }
    if (to.unit == timeline_unit::vmem) {
        to.policy = policy_of(i, parameters_.dies == 1);
    }
    if (to.unit == timeline_unit::valu) {
        to.rate = rate_of(i);
    }
    if (to.unit == timeline_unit::mfma) {
        to.passes = i.hazards.passes;
        to.waits = wait_states_behind(i);
        to.flops = flops_of(*i.matrix);
        to.matrix = matrix_of(i);
    }
    add_operands(to, w, i);
    add_counters(to, i);
    to.lds_inferred = find_timeline_lds_rule(i).is_inferred;
    return place->second;
}

timeline_group_recorder::timeline_group_recorder(timeline_recorder& all, uint64_t number,
                                                 size_t waves, bool is_full, bool is_on_die)
    : all_(all), is_full_(is_full), is_on_die_(is_on_die) {
    group_.number = number;
    group_.waves.resize(waves);
    channels_.resize(waves);
    constexpr uint64_t no_line = ~uint64_t{0};
    recent_.fill(no_line);
    recent_lines_.fill({no_line, nullptr});
}

void timeline_group_recorder::finish() {
    for (pattern& p : patterns_) {
        note_starts(p);
    }
    all_.finish(*this);  // may be the end of this object
}

void timeline_group_recorder::add_touched(const wave& w, const std::vector<timeline_line>& lines,
                                          size_t from) {
    if (from == lines.size()) {
        return;
    }
    std::vector<timeline_channels>& channels = channels_[static_cast<size_t>(w.index_in_group)];
    const size_t hashes = all_.placement_.has_both_hashes ? 2 : 1;
    const auto time = static_cast<uint32_t>(channels.size() / hashes);
    if (is_on_die_) {
        for (const timeline_parameters* p : {&all_.parameters_, &all_.other_hash_}) {
            timeline_channels& now = channels.emplace_back();  // with zeros
            for (size_t n = from; n < lines.size(); ++n) {
                ++now[l2_channel_of(*p, lines[n].number)];
            }
            if (hashes == 1) {
                break;
            }
        }
    }
    for (size_t n = from; n < lines.size(); ++n) {
        const uint64_t line = lines[n].number;
        lines_of(line / timeline_line_set) |= uint64_t{1} << line % timeline_line_set;
        if (!is_on_die_) {  // of other dies no times are known
            continue;
        }
        uint64_t& recent = recent_[line % recent_.size()];
        if (std::exchange(recent, line) != line) {
            touched_.push_back({line, time, 0});
        }
    }
}

void timeline_group_recorder::add_lines(uint64_t first, uint64_t last) {
    constexpr uint64_t all = ~uint64_t{0};
    for (uint64_t set = first / timeline_line_set; set <= last / timeline_line_set; ++set) {
        const bool is_first = set == first / timeline_line_set;
        const bool is_last = set == last / timeline_line_set;
        lines_of(set) |=
            (is_first ? all << first % timeline_line_set : all) &
            (is_last ? all >> (timeline_line_set - 1 - last % timeline_line_set) : all);
    }
}

// Rows of a matrix may be a power of two apart.
uint64_t& timeline_group_recorder::lines_of(uint64_t set) {
    auto& [number, lines] = recent_lines_[(set ^ set >> 6 ^ set >> 12) % recent_lines_.size()];
    if (number != set) {
        number = set;
        lines = &lines_[set];
    }
    return *lines;
}

bool timeline_group_recorder::last_access_is_in(const wave& w) const {
    return first_byte_ == end_ || w.group->ranges.hold(first_byte_, end_, false);
}

timeline_group_recorder::pattern& timeline_group_recorder::pattern_of(known& k, const wave& w) {
    if (k.patterns == no_patterns) {
        k.patterns = static_cast<uint32_t>(patterns_.size());
        patterns_.resize(patterns_.size() + group_.waves.size());
    }
    return patterns_[k.patterns + static_cast<size_t>(w.index_in_group)];
}

void timeline_group_recorder::learn(known& k, const wave& w, const instruction& i, uint64_t key) {
    k.is_known = true;
    for (const register_use& use : i.uses) {
        k.is_indexed = k.is_indexed || use.index == register_index::m0;
        k.is_indexed_by_mode = k.is_indexed_by_mode || use.index != register_index::none;
    }
    k.index = all_.add(w, i, key);
    k.rule = find_timeline_lds_rule(i);
    k.uses_lds = i.queue == memory_queue::lds && i.access.kind == address_kind::none;
}

timeline_group_recorder::known& timeline_group_recorder::known_of(const instruction& i) {
    if (i.number >= known_.size()) {
        known_.resize(i.number + 1);
    }
    return known_[i.number];
}

timeline_group_recorder::known& timeline_group_recorder::find(const wave& w, const instruction& i) {
    known& k = known_of(i);
    if (!k.is_known) [[unlikely]] {
        learn(k, w, i, i.number);
    }
    const bool by_mode = (w.mode & mode_bit::gpr_idx_en) != 0;
    if (!k.is_indexed && !(by_mode && k.is_indexed_by_mode)) [[likely]] {
        return k;
    }
    const uint64_t key = i.number | uint64_t{(w.sgpr[sreg::m0] & 0xffff) | 1u << 16} << 32;
    known& indexed = by_index_[key];
    if (!indexed.is_known) {
        learn(indexed, w, i, key);
    }
    return indexed;
}

void timeline_group_recorder::note(const wave& w, const instruction& i) {
    ++weight_;
    if (!is_full_) {
        if (i.queue == memory_queue::vector || i.queue == memory_queue::flat) {
            note_lines(w, i);
        }
        return;
    }
    known& k = find(w, i);
    timeline_wave& to = group_.waves[static_cast<size_t>(w.index_in_group)];
    to.instructions.push_back(k.index);
    if (i.queue != memory_queue::none) {
        note_access(w, i, k, to);
    }
}

void timeline_group_recorder::note_lines(const wave& w, const instruction& i) {
    known& k = known_of(i);
    k.is_known = true;
    if (i.access.kind == address_kind::none || (!is_on_die_ && note_start(w, i, k))) {
        return;
    }
    timeline_access access;
    scratch_.clear();
    note_vector_memory(w, i, k, access, scratch_);
    add_touched(w, scratch_, 0);
}

// What the instruction reads of a buffer, from `start` on; nullptr where lanes have to be looked at one
// by one.
timeline_group_recorder::pattern* timeline_group_recorder::find_runs(const wave& w,
                                                                     const instruction& i, known& k,
                                                                     uint64_t& start) {
    const uint64_t exec = w.exec();
    const bool is_buffer = i.access.kind == address_kind::buffer && exec != 0;
    const lane_row* offsets = is_buffer ? offset_row(w, i) : nullptr;
    const auto window = offsets == nullptr ? std::nullopt : find_window(w, i);
    if (!window) {
        return nullptr;
    }
    pattern& p = pattern_of(k, w);
    if (p.exec != exec || p.offsets.lane != offsets->lane) {
        note_starts(p);
        p.exec = exec;
        p.offsets = *offsets;
        p.bytes = static_cast<uint32_t>(std::popcount(exec)) * i.access.bytes;
        std::array<pattern::run, lane_count> runs;
        size_t count = 0;
        // Appends it, or makes the last one longer.
        const auto add = [&](const pattern::run& run) {
            pattern::run& last = runs[count == 0 ? 0 : count - 1];
            if (count != 0 && uint64_t{last.start} + last.bytes == run.start) {
                last.bytes += run.bytes;
            } else {
                runs[count++] = run;
            }
        };
        for_lanes(exec, [&](int lane) {
            const auto l = static_cast<size_t>(lane);
            add({(*offsets)[l] + static_cast<uint32_t>(i.offset), i.access.bytes});
        });
        const size_t of_lanes = std::exchange(count, 0);
        const std::span sorted(runs.data(), of_lanes);
        std::ranges::sort(sorted, {}, &pattern::run::start);
        p.first = runs[0].start;
        p.end = 0;
        for (const pattern::run run : sorted) {
            p.end = std::max(p.end, uint64_t{run.start} + run.bytes);
            add(run);
        }
        p.runs.assign(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (p.end > window->bytes) {
        return nullptr;
    }
    start = window->start;
    first_byte_ = start + p.first;
    end_ = start + p.end;
    return &p;
}

void timeline_group_recorder::note_vector_memory(const wave& w, const instruction& i, known& k,
                                                 timeline_access& access,
                                                 std::vector<timeline_line>& to) {
    uint64_t start = 0;
    const pattern* p = find_runs(w, i, k, start);
    if (p == nullptr) {
        note_lanes(w, i, access, to);
        return;
    }
    line_list lines(all_.parameters_.line_bytes, in_order_);
    for (const pattern::run& run : p->runs) {
        lines.add(start + run.start, run.bytes);
    }
    access.bytes = p->bytes;
    access.lines = lines.move_to(to);
}

// Where only the set of lines is wanted, which is noted later. False, and nothing is noted, where
// lanes have to be looked at one by one.
bool timeline_group_recorder::note_start(const wave& w, const instruction& i, known& k) {
    uint64_t start = 0;
    pattern* p = find_runs(w, i, k, start);
    if (p == nullptr) {
        return false;
    }
    if (p->starts == 1) {
        p->step = start - p->start;
    }
    if (p->starts != 0 && start != p->start + p->starts * p->step) {
        note_starts(*p);
    }
    if (p->starts++ == 0) {
        p->start = start;
    }
    return true;
}

void timeline_group_recorder::note_starts(pattern& p) {
    const uint64_t bytes = all_.parameters_.line_bytes;
    const int shift = std::has_single_bit(bytes) ? std::countr_zero(bytes) : 0;
    const auto line_of = [&](uint64_t at) { return shift != 0 ? at >> shift : at / bytes; };
    // Steps of a line at most leave none out.
    const bool is_one = p.starts > 1 && p.step <= bytes;
    const uint64_t length = is_one ? (p.starts - 1) * p.step : 0;
    const uint64_t count = is_one ? 1 : p.starts;
    for (const pattern::run& run : p.runs) {
        uint64_t at = p.start + run.start;
        for (uint64_t n = 0; n < count; ++n, at += p.step) {
            add_lines(line_of(at), line_of(at + length + run.bytes - 1));
        }
    }
    p.starts = 0;
}

void timeline_group_recorder::note_lanes(const wave& w, const instruction& i,
                                         timeline_access& access, std::vector<timeline_line>& to) {
    const access_plan& plan = i.access;
    constexpr uint32_t dword = 4;
    const lane_accesses a = find_accesses(w, i, 0);
    line_list lines(all_.parameters_.line_bytes, in_order_);
    const bool is_scratch = plan.kind == address_kind::scratch;
    const bool is_flat = plan.kind == address_kind::flat;
    first_byte_ = a.lanes == 0 ? 0 : ~uint64_t{0};
    end_ = 0;
    uint64_t start = 0;  // of lanes whose bytes follow each other
    uint32_t bytes = 0;
    for_lanes(a.lanes, [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        const uint64_t aperture = a.address[l] & aperture_mask;
        if (is_flat && aperture == shared_aperture) {
            access.lds_bytes += std::max<uint32_t>(dword, a.bytes[l]);
            return;
        }
        first_byte_ = std::min(first_byte_, a.address[l]);
        end_ = std::max(end_, a.address[l] + a.bytes[l]);
        access.bytes += a.bytes[l];
        if (is_scratch || (is_flat && aperture == private_aperture)) {
            // The machine interleaves scratch: dword d of all lanes is side by side.
            const uint64_t offset = a.address[l] & ~aperture_mask;
            const uint64_t of_wave = private_aperture + (group_.number << 36) +
                                     (static_cast<uint64_t>(w.index_in_group) << 31);
            for (uint32_t b = 0; b < a.bytes[l]; b += dword) {
                lines.add(of_wave + ((offset + b) / dword * lane_count + l) * dword,
                          std::min<uint32_t>(dword, a.bytes[l] - b));
            }
            return;
        }
        if (a.address[l] != start + bytes) {
            lines.add(start, bytes);
            start = a.address[l];
            bytes = 0;
        }
        bytes += a.bytes[l];
    });
    lines.add(start, bytes);
    access.lines = lines.move_to(to);
}

timeline_access timeline_group_recorder::find_lds_access(const wave& w, const instruction& i,
                                                         const known& k) const {
    constexpr uint32_t dword = 4;
    timeline_access access;
    for (int n = 0; n < i.access.addresses; ++n) {
        const lane_accesses a = find_accesses(w, i, n);
        const auto lanes = static_cast<uint32_t>(std::popcount(a.lanes));
        access.lds_bytes += lanes * std::max<uint32_t>(dword, i.access.bytes);
        access.lds_addresses = lanes;
        if (k.rule.rule != nullptr) {
            const lds_clocks clocks = lds_clocks_of(k.rule, a.lanes, a.address);
            access.lds_phases += clocks.phases;
            access.lds_conflicts += clocks.conflicts;
        }
    }
    return access;
}

void timeline_group_recorder::note_lds(const wave& w, const instruction& i, known& k,
                                       timeline_access& access) {
    const uint64_t exec = w.exec();
    const lane_row* offsets = exec == 0 ? nullptr : offset_row(w, i);
    if (offsets == nullptr) {
        access = find_lds_access(w, i, k);
        return;
    }
    pattern& p = pattern_of(k, w);
    if (p.exec != exec || p.offsets.lane != offsets->lane) {
        p.exec = exec;
        p.offsets = *offsets;
        p.lds = find_lds_access(w, i, k);
    }
    access = p.lds;
}

void timeline_group_recorder::note_access(const wave& w, const instruction& i, known& k,
                                          timeline_wave& to) {
    timeline_access access;
    const auto active = static_cast<uint32_t>(std::popcount(w.exec()));
    constexpr uint32_t dword = 4;
    if (k.uses_lds) {
        constexpr uint32_t lanes_of_phase = 32;
        access.lds_phases = lane_count / lanes_of_phase;
        access.lds_bytes = lane_count * dword;
        access.lds_addresses = lane_count;
    } else if (i.access.kind == address_kind::scalar) {
        line_list lines(all_.parameters_.scalar_line_bytes, in_order_);
        lines.add(scalar_address(w, i), i.access.bytes);
        access.lines = lines.move_to(to.lines);
    } else if (i.access.kind == address_kind::lds) {
        note_lds(w, i, k, access);
    } else if (i.access.kind != address_kind::none) {
        const size_t before = to.lines.size();
        note_vector_memory(w, i, k, access, to.lines);
        add_touched(w, to.lines, before);
        if (i.access.to_lds) {
            access.lds_bytes = active * std::max<uint32_t>(dword, i.access.bytes);
        }
    }
    to.accesses.push_back(access);
}

}  // namespace emu
