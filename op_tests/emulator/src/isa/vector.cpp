#include "isa/vector.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

void fail_register(const wave& w, const instruction& i, const operand& o) {
    if (!is_vector(o)) {
        fail(w, i, "a vector register was expected");
    }
    const bool accumulator = o.kind == operand_kind::agpr;
    fail(w, i,
         std::string(accumulator ? "accumulation register a" : "vector register v") +
             std::to_string(o.reg) + " is not allocated (the wave has " +
             std::to_string(accumulator ? w.agpr.size() : w.vgpr.size()) + ")");
}

void fail_indexing(const wave& w, const instruction& i) {
    fail(w, i,
         "under VGPR indexing; the ISA guide does not say which of its registers M0[15:12] moves");
}

namespace {

// Lanes whose source lane exists and is switched on.
u64 lanes_with_source(const instruction& i, u64 exec) {
    if (exec == all_lanes) {
        return i.dpp_valid;
    }
    u64 lanes = 0;
    for (int l = 0; l < lane_count; ++l) {
        lanes |= (exec >> i.dpp_from[static_cast<size_t>(l)] & 1) << l;
    }
    return lanes & i.dpp_valid;
}

}  // namespace

// A source lane that EXEC switches off is as invalid as one outside the row. With bound_ctrl an
// invalid lane reads 0; without it the lane is not written (dpp_write_mask).
void apply_dpp(const instruction& i, u64 exec, const u32* source, row_buffer& result) {
    const u64 valid = lanes_with_source(i, exec);
    for (int l = 0; l < lane_count; ++l) {
        const u32 value = source[i.dpp_from[static_cast<size_t>(l)]];
        result.lane[l] = (valid >> l & 1) != 0 ? value : 0;
    }
}

u64 dpp_write_mask(const wave& w, const instruction& i) {
    // bank_mask bit n: lanes 4 n to 4 n + 3 of each row.
    u64 selected = 0;
    for (int quad = 0; quad < lane_count / 4; ++quad) {
        if ((i.row_mask >> quad / 4 & 1) != 0 && (i.bank_mask >> quad % 4 & 1) != 0) {
            selected |= u64{0xf} << 4 * quad;
        }
    }
    return i.bound_ctrl ? selected : selected & lanes_with_source(i, w.exec());
}

u64 write_mask(const wave& w, const instruction& i) {
    u64 mask = w.exec();
    if (i.has(mod::dpp)) [[unlikely]] {
        mask &= dpp_write_mask(w, i);
    }
    return mask;
}

namespace {

struct bit_field {
    u32 shift;
    u32 mask;  // after the shift
};

bit_field field_of(sdwa_select select) {
    switch (select) {
        case sdwa_select::byte_0:
            return {0, 0xff};
        case sdwa_select::byte_1:
            return {8, 0xff};
        case sdwa_select::byte_2:
            return {16, 0xff};
        case sdwa_select::byte_3:
            return {24, 0xff};
        case sdwa_select::word_0:
            return {0, 0xffff};
        case sdwa_select::word_1:
            return {16, 0xffff};
        case sdwa_select::dword:
            break;
    }
    return {0, ~0u};
}

}  // namespace

void apply_sdwa_source(const instruction& i, int source, const u32* row, row_buffer& result,
                       bool sign_extend) {
    const bit_field field = field_of(i.src_sel[static_cast<size_t>(source)]);
    const u32 sign = sign_extend ? field.mask & ~(field.mask >> 1) : 0;
    for (int l = 0; l < lane_count; ++l) {
        result.lane[l] = (((row[l] >> field.shift) & field.mask) ^ sign) - sign;
    }
}

void merge_sdwa_result(const instruction& i, const lane_row& old, row_buffer& row, bool is_16_bit) {
    const bit_field field = field_of(i.dst_sel);
    const u32 sign = field.mask & ~(field.mask >> 1);
    for (int l = 0; l < lane_count; ++l) {
        const u32 value = row.lane[l] & (is_16_bit ? 0xffffu : ~0u) & field.mask;
        const u32 placed = value << field.shift;
        switch (i.dst_unused) {
            case sdwa_unused::pad:
                row.lane[l] = placed;
                break;
            case sdwa_unused::sext:
                // Above the field the sign is repeated, below it zeros.
                row.lane[l] = ((value ^ sign) - sign) << field.shift;
                break;
            case sdwa_unused::preserve:
                row.lane[l] =
                    placed | (old.lane[static_cast<size_t>(l)] & ~(field.mask << field.shift));
                break;
        }
    }
}

}  // namespace emu::inline OPUS_EMU_LEVEL
