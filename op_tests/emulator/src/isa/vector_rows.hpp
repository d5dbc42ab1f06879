// The instruction tables of the families that loop over lanes, each defined in the file of that name.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/instruction.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

// Rows whose names are put together.
struct row_list {
    std::deque<std::string> names;  // owns what the rows point at
    std::vector<instruction_row> rows;

    void add(std::string name, handler_t execute, uint64_t flags, const access_plan& access = {},
             bool gfx950_only = false) {
        names.push_back(std::move(name));
        rows.push_back({names.back(), execute, flags, gfx950_only, access});
    }
};

// Calls f.operator()<N>() for each element of an array.
template <const auto& Array, class F>
void for_each_of(F&& f) {
    [&]<size_t... N>(std::index_sequence<N...>) {
        (f.template operator()<N>(), ...);
    }(std::make_index_sequence<std::size(Array)>());
}

std::span<const instruction_row> vop_int_rows();
std::span<const instruction_row> vop_float_rows();
std::span<const instruction_row> vop_convert_rows();
std::span<const instruction_row> vop_scaled_rows();
std::span<const instruction_row> vop_compare_rows();
std::span<const instruction_row> vop_lane_rows();
std::span<const instruction_row> vop_packed_rows();
std::span<const instruction_row> mfma_rows();
std::span<const instruction_row> lds_rows();
std::span<const instruction_row> buffer_rows();
std::span<const instruction_row> global_rows();

// All of them.
std::vector<std::span<const instruction_row>> vector_families();

}  // namespace emu::inline OPUS_EMU_LEVEL
