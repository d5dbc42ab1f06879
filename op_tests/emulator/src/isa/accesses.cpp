#include "isa/accesses.hpp"

#include <algorithm>

#include "isa/buffer_rule.hpp"
#include "isa/scalar.hpp"

namespace emu {
namespace {

const operand& operand_at(const instruction& i, size_t n) {
    return i.operands[std::min(n, i.operands.size() - 1)];
}

// Rows of a vector operand; nullptr if it is none or has not so many, which its handler reports.
const lane_row* rows_of(const wave& w, const operand& o, uint32_t dwords) {
    const std::vector<lane_row>& file = o.kind == operand_kind::agpr ? w.agpr : w.vgpr;
    return o.is_vector() && o.reg + dwords <= file.size() ? &file[o.reg] : nullptr;
}

lane_accesses find_lds(const wave& w, const instruction& i, int n) {
    const access_plan& plan = i.access;
    lane_accesses result;
    if (plan.lds != lds_address::operand) {
        const bool each = plan.lds == lds_address::lane;
        const uint64_t exec = w.exec();
        const uint32_t base = each ? w.sgpr[sreg::m0] & 0xffff : 0;
        result.lanes = each ? exec : exec & (~exec + 1);
        result.bytes.fill(plan.bytes);
        for_lanes(result.lanes, [&](int lane) {
            const auto l = static_cast<size_t>(lane);
            const size_t of_lane = each ? 4 * l : 0;
            result.address[l] = base + static_cast<uint32_t>(i.offset) + of_lane;
        });
        return result;
    }
    const lane_row* row = rows_of(w, operand_at(i, plan.operand), 1);
    if (row == nullptr) {
        return result;
    }
    const uint32_t pair_offset = (n == 0 ? i.offset0 : i.offset1) * plan.offset_unit;
    const uint32_t offset = plan.addresses == 2 ? pair_offset : static_cast<uint32_t>(i.offset);
    result.lanes = w.exec();
    result.bytes.fill(plan.bytes);
    for_lanes(result.lanes, [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        result.address[l] = (*row)[l] + offset;
    });
    return result;
}

lane_accesses find_flat(const wave& w, const instruction& i) {
    const access_plan& plan = i.access;
    lane_accesses result;
    const operand& vector = operand_at(i, plan.operand);
    // The scalar address comes behind the data, which a load's text has in front.
    const bool has_data = plan.use != access_use::read;
    const size_t scalar_place = plan.operand + (has_data ? 2u : 1u);
    const bool has_scalar =
        scalar_place < i.operand_count && operand_at(i, scalar_place).kind == operand_kind::sgpr;
    const bool is_scratch = plan.kind == address_kind::scratch;
    uint64_t base = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
    if (has_scalar) {
        const operand& o = operand_at(i, scalar_place);
        base += is_scratch ? read_scalar<uint32_t>(w, i, o) : read_scalar<uint64_t>(w, i, o);
    }
    const bool is_wide = !is_scratch && !has_scalar;
    const lane_row* row = rows_of(w, vector, is_wide ? 2 : 1);
    if (row == nullptr && vector.kind != operand_kind::off) {
        return result;
    }
    result.lanes = w.exec();
    result.bytes.fill(plan.bytes);
    for_lanes(result.lanes, [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        const uint64_t low = row == nullptr ? 0 : row[0][l];
        const uint64_t high = row != nullptr && is_wide ? row[1][l] : 0;
        result.address[l] = base + (low | high << 32);
    });
    return result;
}

// What lies outside of the buffer is not moved: dword by dword (isa/buffer.cpp).
lane_accesses find_buffer(const wave& w, const instruction& i) {
    const access_plan& plan = i.access;
    lane_accesses result;
    const operand& vector = operand_at(i, plan.operand);
    const operand& resource = operand_at(i, plan.operand + 1u);
    const uint32_t indices = i.has(mod::idxen) ? 1 : 0;
    const uint32_t offsets = i.has(mod::offen) ? 1 : 0;
    const lane_row* rows = rows_of(w, vector, indices + offsets);
    if ((rows == nullptr && vector.kind != operand_kind::off) ||
        resource.kind != operand_kind::sgpr ||
        resource.reg + buffer_resource::words > sreg::count) {
        return result;
    }
    const buffer_rule buffer(buffer_resource(&w.sgpr[resource.reg]), indices != 0);
    const uint64_t soffset = read_scalar<uint32_t>(w, i, operand_at(i, plan.operand + 2u));
    for_lanes(w.exec(), [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        const uint32_t index = rows == nullptr || indices == 0 ? 0 : rows[0][l];
        const uint32_t voffset = rows == nullptr || offsets == 0 ? 0 : rows[indices][l];
        const uint64_t byte =
            soffset + buffer.place(index, voffset + static_cast<uint32_t>(i.offset),
                                   static_cast<uint32_t>(l));
        uint32_t inside = plan.bytes;
        while (inside != 0 && !buffer.holds(index, byte, inside)) {
            inside = inside <= 4 ? 0 : inside - 4;
        }
        if (inside != 0) {
            result.lanes |= uint64_t{1} << l;
            result.address[l] = buffer.base + byte;
            result.bytes[l] = static_cast<uint8_t>(inside);
        }
    });
    return result;
}

}  // namespace

lane_accesses find_accesses(const wave& w, const instruction& i, int n) {
    switch (i.access.kind) {
        case address_kind::lds:
            return find_lds(w, i, n);
        case address_kind::buffer:
            return find_buffer(w, i);
        default:
            return find_flat(w, i);
    }
}

const lane_row* offset_row(const wave& w, const instruction& i) {
    const access_plan& plan = i.access;
    const bool is_lds = plan.kind == address_kind::lds && plan.lds == lds_address::operand;
    const bool is_buffer =
        plan.kind == address_kind::buffer && i.has(mod::offen) && !i.has(mod::idxen);
    return is_lds || is_buffer ? rows_of(w, operand_at(i, plan.operand), 1) : nullptr;
}

std::optional<buffer_window> find_window(const wave& w, const instruction& i) {
    const access_plan& plan = i.access;
    const operand& resource = operand_at(i, plan.operand + 1u);
    if (plan.kind != address_kind::buffer || resource.kind != operand_kind::sgpr ||
        resource.reg + buffer_resource::words > sreg::count) {
        return std::nullopt;
    }
    const buffer_rule buffer(buffer_resource(&w.sgpr[resource.reg]), i.has(mod::idxen));
    const uint64_t soffset = read_scalar<uint32_t>(w, i, operand_at(i, plan.operand + 2u));
    if (!buffer.is_linear() || soffset > buffer.records) {
        return std::nullopt;
    }
    return buffer_window{buffer.base + soffset, buffer.records - soffset};
}

}  // namespace emu
