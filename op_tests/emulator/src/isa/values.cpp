#include "isa/values.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "isa/instruction.hpp"

namespace emu {
namespace {

// The operand that has what is stored by the access at that address; nullptr if there is none.
const operand* data_of(const wave& w, const instruction& i, int lane, uint64_t address) {
    const access_plan& plan = i.access;
    if (plan.use != access_use::write) {
        return nullptr;
    }
    if (plan.addresses == 2) {
        const uint32_t base = w.vgpr[i.operands[plan.operand].reg][static_cast<size_t>(lane)];
        const bool is_first = address == base + i.offset0 * uint32_t{plan.offset_unit};
        return &i.operands[plan.data + (is_first ? 0u : 1u)];
    }
    return &i.operands[plan.data];
}

}  // namespace

std::string value_text(uint32_t dword) {
    char text[64];
    std::snprintf(text, sizeof text, "0x%08x (%.9g as f32)", dword,
                  double{std::bit_cast<float>(dword)});
    return text;
}

std::string value_text(std::span<const std::byte> bytes) {
    const auto part = [&](size_t first, size_t count) {
        uint32_t value = 0;
        std::memcpy(&value, bytes.data() + first, count);
        return value;
    };
    if (bytes.size() == 4) {
        return value_text(part(0, 4));
    }
    std::string text;
    for (size_t n = 0; n < bytes.size(); n += 4) {
        const size_t count = std::min<size_t>(4, bytes.size() - n);
        char dword[16];
        std::snprintf(dword, sizeof dword, "0x%0*x", static_cast<int>(2 * count), part(n, count));
        text += (text.empty() ? "" : " ") + std::string(dword);
    }
    return text;
}

std::string register_value(const wave& w, uint32_t reg, int lane) {
    const auto of = [&](const std::vector<lane_row>& file, uint32_t number) {
        return number < file.size() ? value_text(file[number][static_cast<size_t>(lane)])
                                    : std::string("none");
    };
    return reg >= first_sgpr   ? value_text(w.sgpr[reg - first_sgpr])
           : reg >= first_agpr ? of(w.agpr, reg - first_agpr)
                               : of(w.vgpr, reg);
}

std::string written_value(const wave& w, const instruction& i, int lane, uint64_t address,
                          int bytes) {
    const operand* data = data_of(w, i, lane, address);
    if (data == nullptr || !data->is_vector()) {
        return "";
    }
    const std::vector<lane_row>& file = data->kind == operand_kind::agpr ? w.agpr : w.vgpr;
    std::vector<std::byte> value;
    for (size_t r = data->reg; r < file.size() && value.size() < static_cast<size_t>(bytes); ++r) {
        const uint32_t dword = file[r][static_cast<size_t>(lane)] >> (i.access.is_high ? 16 : 0);
        const auto* first = reinterpret_cast<const std::byte*>(&dword);
        value.insert(value.end(), first, first + std::min<size_t>(4, static_cast<size_t>(bytes)));
    }
    return ", writing " + value_text(value);
}

}  // namespace emu
