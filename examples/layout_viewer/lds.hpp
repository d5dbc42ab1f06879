// SPDX-License-Identifier: MIT
//
// lds.hpp: which banks of LDS the lanes of a wave access, and which of them conflict.
//
// An instruction serves its lanes in phases. The bank of a byte is byte / 4 % banks. Within a
// phase, different dwords of the same bank conflict; lanes that access the same dword do not.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../common/options.hpp"
#include "views.hpp"

namespace viewer {

constexpr index_t wave_lanes = 64;

// How an architecture serves an instruction, and the source of that.
struct lds_rule {
    std::string operation;  // read_b64: ds_read_b64
    std::string arch;
    index_t bytes;  // that a lane moves
    index_t banks;
    char certainty;               // 'D', 'H' or 'I', see certainty_text
    std::vector<indices> phases;  // lanes
    index_t transposes = 0;       // bits of an element of a transposed read, 0: a plain access
};

inline const char* certainty_text(char certainty) {
    switch (certainty) {
        case 'D':
            return "[D] documented by AMD";
        case 'H':
            return "[H] reported as measured by a public project, not documented";
        default:
            return "[I] inferred, neither documented nor measured: treat as unproven";
    }
}

namespace detail {

// Lanes from first to last.
struct lane_range {
    index_t first;
    index_t last;
};

// `count` phases of consecutive lanes.
inline std::vector<indices> consecutive(index_t count) {
    std::vector<indices> phases(at(count));
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        phases[at(lane * count / wave_lanes)].push_back(lane);
    }
    return phases;
}

// These phases of the lanes 0 to 31, and the same of the lanes 32 to 63.
inline std::vector<indices> of_both_halves(const std::vector<std::vector<lane_range>>& half) {
    std::vector<indices> phases;
    for (const index_t base : {0, 32}) {
        for (const auto& ranges : half) {
            phases.emplace_back();
            for (const lane_range& r : ranges) {
                for (index_t lane = r.first; lane <= r.last; ++lane) {
                    phases.back().push_back(base + lane);
                }
            }
        }
    }
    return phases;
}

}  // namespace detail

inline std::vector<lds_rule> lds_rules() {
    const auto eight = detail::of_both_halves(
        {{{0, 3}, {20, 23}}, {{4, 7}, {16, 19}}, {{8, 11}, {28, 31}}, {{12, 15}, {24, 27}}});
    const auto four =
        detail::of_both_halves({{{0, 3}, {12, 15}, {20, 27}}, {{4, 11}, {16, 19}, {28, 31}}});
    using detail::consecutive;
    // The phases of transposed reads are not published. They are assumed to be those of a plain
    // read of as many bytes.
    return {
        {"read_b32", "gfx942", 4, 32, 'I', consecutive(2)},
        {"read_b64", "gfx942", 8, 32, 'I', consecutive(4)},
        {"read_b128", "gfx942", 16, 32, 'I', eight},
        {"write_b128", "gfx942", 16, 32, 'D', consecutive(8)},
        {"read_b32", "gfx950", 4, 32, 'I', consecutive(2)},
        {"read_b64", "gfx950", 8, 64, 'H', consecutive(2)},
        {"read_b96", "gfx950", 12, 32, 'H', eight},
        {"read_b128", "gfx950", 16, 64, 'H', four},
        {"read_b64_tr_b16", "gfx950", 8, 64, 'I', consecutive(2), 16},
        {"read_b64_tr_b8", "gfx950", 8, 64, 'I', consecutive(2), 8},
        {"read_b64_tr_b4", "gfx950", 8, 64, 'I', consecutive(2), 4},
        {"read_b96_tr_b6", "gfx950", 12, 32, 'I', eight, 6},
        {"write_b64", "gfx950", 8, 32, 'H', consecutive(4)},
        {"write_b128", "gfx950", 16, 32, 'I', consecutive(8)},
    };
}

inline index_t lds_bytes(const std::string& arch) {
    return arch == "gfx950" ? 163840 : 65536;
}

inline lds_rule find_rule(const std::string& operation, const std::string& arch) {
    using examples::usage_error;
    if (arch != "gfx942" && arch != "gfx950") {
        throw usage_error("--arch is '" + arch + "': it must be gfx942 or gfx950");
    }
    std::string known;
    std::set<std::string> all;
    for (const lds_rule& rule : lds_rules()) {
        all.insert(rule.operation);
        if (rule.arch != arch) {
            continue;
        }
        if (rule.operation == operation) {
            return rule;
        }
        known += (known.empty() ? "" : ", ") + rule.operation;
    }
    if (all.count(operation) == 0) {
        throw usage_error("--lds is '" + operation +
                          "': the phases of such an instruction are not "
                          "known; known on " +
                          arch + ": " + known);
    }
    throw usage_error("--lds " + operation + ": its phases are not known on " + arch +
                      "; known there: " + known);
}

struct lane_access {
    index_t byte = 0;
    index_t row = 0;  // of its first element
    index_t column = 0;
    index_t phase = 0;
    index_t dwords_in_bank = 1;  // the most, in its phase, of the banks that it hits
};

struct lds_access {
    lds_rule rule;
    index_t number = 0;    // of this access of a lane, in the order of its registers
    index_t accesses = 1;  // that a lane makes for all its registers
    index_t elements = 1;  // of one access
    std::vector<lane_access> lanes;
    indices phase_worst;  // for each phase: the most dwords in one bank
    index_t worst = 1;

    index_t dwords() const { return rule.bytes / 4; }
    index_t bank(index_t dword) const { return dword % rule.banks; }
};

namespace detail {

// Where the lanes of a transposed read begin, as elements of the matrix. Lane l gets the registers
// `first` on from the addresses of the 16 lanes around it: lane s of these points to place s % w of
// row s / w, where w lanes cover the 16 columns of a row (docs/memory.md, transposed reads). Rows
// in memory are columns of the matrix here, as a lane's registers run along the matrix' rows.
inline indices transposed_elements(const distribution& view, const std::string& instruction,
                                   index_t elements, index_t first) {
    const index_t lanes_of_row = elements >= 16 ? 1 : 16 / elements;
    indices result;
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        const index_t corner = view.elements[at(lane / 16 * 16 * view.registers + first)];
        for (index_t i = 0; i < elements; ++i) {
            if (view.elements[at(lane * view.registers + first + i)] !=
                corner + lane % 16 * view.columns + i) {
                throw examples::usage_error(
                    instruction + " gives 16 lanes the same " + std::to_string(elements) +
                    " columns of 16 rows, but the registers " + std::to_string(first) + " to " +
                    std::to_string(first + elements - 1) + " are not that here");
            }
        }
        const index_t s = lane % 16;
        result.push_back(corner + s % lanes_of_row * elements * view.columns + s / lanes_of_row);
    }
    return result;
}

}  // namespace detail

// @pre 0 <= number < accesses, which is registers * element_bits / 8 / rule.bytes
inline lds_access analyse(const distribution& view, const lds_rule& rule, index_t number) {
    using examples::usage_error;
    const std::string instruction = "ds_" + rule.operation;
    const std::string bits = std::to_string(view.element_bits);
    if (view.threads != wave_lanes * view.copies) {
        throw usage_error("--lds shows one wave of 64 lanes, this layout has " +
                          std::to_string(view.threads) + " threads");
    }
    if (rule.transposes != 0 && rule.transposes != view.element_bits) {
        throw usage_error(instruction + " transposes elements of " +
                          std::to_string(rule.transposes) + " bits, those here have " + bits);
    }
    if (rule.bytes * 8 % view.element_bits != 0) {
        throw usage_error(instruction + " moves " + std::to_string(rule.bytes) +
                          " bytes, no multiple of an element's " + bits + " bits");
    }
    lds_access result;
    result.rule = rule;
    result.elements = rule.bytes * 8 / view.element_bits;
    if (view.registers % result.elements != 0) {
        throw usage_error(instruction + " moves " + std::to_string(result.elements) +
                          " elements, no divisor of the " + std::to_string(view.registers) +
                          " that a lane holds");
    }
    result.accesses = view.registers / result.elements;
    if (number >= result.accesses) {
        throw usage_error("--access is " + std::to_string(number) + ": a lane makes " +
                          std::to_string(result.accesses) + " of " + instruction +
                          ", the first is 0");
    }
    result.number = number;

    const long long last = *std::max_element(view.offsets.begin(), view.offsets.end());
    const long long size = ((last + 1) * view.element_bits + 7) / 8;
    if (size > lds_bytes(rule.arch)) {
        throw usage_error("the layout needs " + std::to_string(size) + " bytes of LDS, " +
                          rule.arch + " has " + std::to_string(lds_bytes(rule.arch)));
    }

    // The distance between two elements that a lane moves, in elements.
    const index_t step = rule.transposes != 0 ? view.columns : 1;
    indices begins;
    if (rule.transposes != 0) {
        begins = detail::transposed_elements(view, instruction, result.elements,
                                             number * result.elements);
    } else {
        for (index_t lane = 0; lane < wave_lanes; ++lane) {
            begins.push_back(view.elements[at(lane * view.registers + number * result.elements)]);
        }
    }
    // The phases are those of aligned accesses.
    const index_t alignment = rule.bytes == 12 ? 4 : rule.bytes;
    for (index_t lane = 0; lane < wave_lanes; ++lane) {
        lane_access access;
        access.row = begins[at(lane)] / view.columns;
        access.column = begins[at(lane)] % view.columns;
        const index_t offset = view.offset_at(access.row, access.column);
        for (index_t i = 1; i < result.elements; ++i) {
            // A plain access is named by its registers, a transposed read by its place in memory.
            const index_t reg = lane * view.registers + number * result.elements + i;
            const index_t element = begins[at(lane)] + i * step;
            const index_t here = rule.transposes != 0 ? view.offset_at(element / view.columns,
                                                                       element % view.columns)
                                                      : view.offsets[at(reg)];
            if (here == offset + i) {
                continue;
            }
            throw usage_error(
                instruction + " needs " + std::to_string(result.elements) +
                " consecutive elements, but " +
                (rule.transposes != 0
                     ? "those of a column are not neighbours in memory; see --transposed"
                     : "the registers " + std::to_string(number * result.elements + i - 1) +
                           " and " + std::to_string(number * result.elements + i) +
                           " of a lane are not neighbours in memory"));
        }
        if (offset * view.element_bits % 8 != 0) {
            throw usage_error("lane " + std::to_string(lane) + " begins within a byte: element " +
                              std::to_string(offset) + " of " + bits + " bits");
        }
        access.byte = offset * view.element_bits / 8;
        if (access.byte % alignment != 0) {
            throw usage_error("lane " + std::to_string(lane) + " begins at byte " +
                              std::to_string(access.byte) + ", but " + instruction +
                              " needs a multiple of " + std::to_string(alignment));
        }
        result.lanes.push_back(access);
    }
    for (std::size_t phase = 0; phase < rule.phases.size(); ++phase) {
        std::map<index_t, std::set<index_t>> hits;  // bank -> dwords
        const auto for_each_dword = [&](const lane_access& access, auto f) {
            for (index_t i = 0; i < result.dwords(); ++i) {
                const index_t dword = access.byte / 4 + i;
                f(dword, hits[result.bank(dword)]);
            }
        };
        for (const index_t lane : rule.phases[phase]) {
            for_each_dword(result.lanes[at(lane)],
                           [](index_t dword, std::set<index_t>& dwords) { dwords.insert(dword); });
        }
        index_t worst = 1;
        for (const index_t lane : rule.phases[phase]) {
            lane_access& access = result.lanes[at(lane)];
            access.phase = static_cast<index_t>(phase);
            for_each_dword(access, [&](index_t, const std::set<index_t>& dwords) {
                access.dwords_in_bank =
                    std::max(access.dwords_in_bank, static_cast<index_t>(dwords.size()));
            });
            worst = std::max(worst, access.dwords_in_bank);
        }
        result.phase_worst.push_back(worst);
        result.worst = std::max(result.worst, worst);
    }
    return result;
}

// 0-3,20-23
inline std::string lanes_text(const indices& lanes) {
    std::string text;
    for (std::size_t i = 0; i < lanes.size();) {
        std::size_t end = i + 1;
        while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) {
            ++end;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(lanes[i]);
        if (end - i > 1) {
            text += "-" + std::to_string(lanes[end - 1]);
        }
        i = end;
    }
    return text;
}

inline std::string conflict_text(index_t worst) {
    return worst == 1 ? "no conflict"
                      : "conflict: up to " + std::to_string(worst) + " dwords in one bank";
}

}  // namespace viewer
