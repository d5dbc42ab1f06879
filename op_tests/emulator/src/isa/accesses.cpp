#include "isa/accesses.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "isa/buffer_rule.hpp"
#include "isa/scalar.hpp"

namespace emu {
namespace {

bool take_prefix(text_t& text, text_t prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

// The number that `text` begins with, 1 if there is none.
uint8_t leading_number(text_t text) {
    uint8_t number = 1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// b128, u8_d16, b64_tr_b16
uint8_t bytes_of_bits(text_t type) {
    return static_cast<uint8_t>(leading_number(type.substr(std::min<size_t>(1, type.size()))) / 8);
}

// ubyte, short_d16_hi, dwordx3
uint8_t bytes_of_words(text_t type) {
    if (contains(type, "byte")) {
        return 1;
    }
    if (contains(type, "short")) {
        return 2;
    }
    return take_prefix(type, "dwordx") ? static_cast<uint8_t>(4 * leading_number(type)) : 4;
}

access_plan plan_lds(const instruction& i, text_t name) {
    access_plan plan{.kind = address_kind::lds};
    if (name == "nop" || contains(name, "permute") || contains(name, "swizzle")) {
        return {};
    }
    if (name == "append" || name == "consume") {
        plan.use = access_use::atomic;
        plan.bytes = 4;
        plan.lds = lds_address::offset;
        return plan;
    }
    const bool reads = take_prefix(name, "read");
    if (reads || take_prefix(name, "write")) {
        plan.use = reads ? access_use::read : access_use::write;
        plan.operand = reads ? 1 : 0;
        const bool is_pair = take_prefix(name, "2");
        const bool has_stride = is_pair && take_prefix(name, "st64");
        take_prefix(name, "_");
        if (take_prefix(name, "addtid_")) {
            plan.lds = lds_address::lane;
        }
        plan.bytes = bytes_of_bits(name);
        plan.addresses = is_pair ? 2 : 1;
        plan.offset_unit = plan.bytes * (has_stride ? 64u : 1u);
        return plan;
    }
    plan.use = access_use::atomic;
    plan.operand = contains(i.mnemonic, "_rtn_") ? 1 : 0;
    plan.bytes = name.ends_with("64") ? 8 : 4;
    if (take_prefix(name, "wrxchg2")) {
        plan.addresses = 2;
        plan.offset_unit = plan.bytes * (name.starts_with("st64") ? 64u : 1u);
    }
    return plan;
}

access_plan plan_vector(const instruction& i, address_kind kind, text_t name) {
    access_plan plan{.kind = kind};
    if (take_prefix(name, "load_")) {
        plan.to_lds = take_prefix(name, "lds_") || i.has(mod::lds);
        plan.bytes = bytes_of_words(name);
        plan.operand = plan.to_lds ? 0 : 1;
        return plan;
    }
    if (take_prefix(name, "store_")) {
        plan.use = access_use::write;
        plan.bytes = bytes_of_words(name);
        plan.operand = kind == address_kind::buffer ? 1 : 0;
        return plan;
    }
    if (take_prefix(name, "atomic_")) {
        plan.use = access_use::atomic;
        plan.bytes = name.ends_with("_x2") || name.ends_with("f64") ? 8 : 4;
        plan.operand = kind == address_kind::buffer || i.has(mod::sc0) ? 1 : 0;
        return plan;
    }
    return {};  // buffer_inv, buffer_wbl2
}

const operand& operand_at(const instruction& i, size_t n) {
    return i.operands[std::min(n, i.operands.size() - 1)];
}

// Rows of a vector operand; nullptr if it is none or has not so many, which its handler reports.
const lane_row* rows_of(const wave& w, const operand& o, uint32_t dwords) {
    const std::vector<lane_row>& file = o.kind == operand_kind::agpr ? w.agpr : w.vgpr;
    const bool is_vector = o.kind == operand_kind::vgpr || o.kind == operand_kind::agpr;
    return is_vector && o.reg + dwords <= file.size() ? &file[o.reg] : nullptr;
}

template <class F>
void for_each(uint64_t lanes, F&& f) {
    for (; lanes != 0; lanes &= lanes - 1) {
        f(static_cast<size_t>(std::countr_zero(lanes)));
    }
}

lane_accesses find_lds(const wave& w, const instruction& i, const access_plan& plan, int n) {
    lane_accesses result;
    if (plan.lds != lds_address::operand) {
        const bool each = plan.lds == lds_address::lane;
        const uint64_t exec = w.exec();
        const uint32_t base = each ? w.sgpr[sreg::m0] & 0xffff : 0;
        result.lanes = each ? exec : exec & (~exec + 1);
        result.bytes.fill(plan.bytes);
        for_each(result.lanes, [&](size_t l) {
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
    for_each(result.lanes, [&](size_t l) { result.address[l] = (*row)[l] + offset; });
    return result;
}

lane_accesses find_flat(const wave& w, const instruction& i, const access_plan& plan) {
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
    for_each(result.lanes, [&](size_t l) {
        const uint64_t low = row == nullptr ? 0 : row[0][l];
        const uint64_t high = row != nullptr && is_wide ? row[1][l] : 0;
        result.address[l] = base + (low | high << 32);
    });
    return result;
}

// What lies outside of the buffer is not moved: dword by dword (isa/buffer.cpp).
lane_accesses find_buffer(const wave& w, const instruction& i, const access_plan& plan) {
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
    for_each(w.exec(), [&](size_t l) {
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

access_plan plan_access(const instruction& i) {
    text_t name = i.mnemonic;
    if (take_prefix(name, "ds_")) {
        return plan_lds(i, name);
    }
    if (take_prefix(name, "buffer_")) {
        return plan_vector(i, address_kind::buffer, name);
    }
    if (take_prefix(name, "global_")) {
        return plan_vector(i, address_kind::global, name);
    }
    if (take_prefix(name, "flat_")) {
        return plan_vector(i, address_kind::flat, name);
    }
    if (take_prefix(name, "scratch_")) {
        return plan_vector(i, address_kind::scratch, name);
    }
    if (take_prefix(name, "s_load_") || take_prefix(name, "s_buffer_load_")) {
        return {.kind = address_kind::scalar, .bytes = bytes_of_words(name)};
    }
    return {};
}

lane_accesses find_accesses(const wave& w, const instruction& i, const access_plan& plan, int n) {
    switch (plan.kind) {
        case address_kind::lds:
            return find_lds(w, i, plan, n);
        case address_kind::buffer:
            return find_buffer(w, i, plan);
        default:
            return find_flat(w, i, plan);
    }
}

const lane_row* offset_row(const wave& w, const instruction& i, const access_plan& plan) {
    const bool is_lds = plan.kind == address_kind::lds && plan.lds == lds_address::operand;
    const bool is_buffer =
        plan.kind == address_kind::buffer && i.has(mod::offen) && !i.has(mod::idxen);
    return is_lds || is_buffer ? rows_of(w, operand_at(i, plan.operand), 1) : nullptr;
}

std::optional<buffer_window> find_window(const wave& w, const instruction& i,
                                         const access_plan& plan) {
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
