// Vector instructions that cross lanes or registers.
#include "isa/vector.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

u32 read_lane(wave& w, const instruction& i, const operand& source, u32 lane) {
    if (!is_vector(source)) {
        return read_scalar<u32>(w, i, source);
    }
    return register_rows(w, i, source, 1, index_bit_src0)->lane[lane];
}

// EXEC does not matter; without an active lane it is lane 0.
void readfirstlane(wave& w, const instruction& i) {
    const u64 exec = w.exec();
    const u32 lane = exec == 0 ? 0 : static_cast<u32>(std::countr_zero(exec));
    write_scalar(w, i, i.operands[0], read_lane(w, i, i.operands[1], lane));
}

void readlane(wave& w, const instruction& i) {
    const u32 lane = read_scalar<u32>(w, i, i.operands[2]) & 63;
    write_scalar(w, i, i.operands[0], read_lane(w, i, i.operands[1], lane));
}

void writelane(wave& w, const instruction& i) {
    const u32 value = read_scalar<u32>(w, i, i.operands[1]);
    const u32 lane = read_scalar<u32>(w, i, i.operands[2]) & 63;
    register_rows(w, i, i.operands[0], 1, index_bit_dst)->lane[lane] = value;
}

void swap(wave& w, const instruction& i) {
    refuse_indexing(w, i);
    lane_row& a = *register_rows(w, i, i.operands[0], 1);
    lane_row& b = *register_rows(w, i, i.operands[1], 1);
    const u64 exec = w.exec();
    const lane_row old_a = a;
    store_row(a, b.lane.data(), exec);
    store_row(b, old_a.lane.data(), exec);
}

// Lane l + Distance of the destination and lane l of the source change places, for every l whose
// bit Distance is 0 (ISA guide, V_PERMLANE16_SWAP_B32, V_PERMLANE32_SWAP_B32). Two lanes that EXEC
// switches off keep their values; what becomes of two of which one is on is left open.
template <size_t Distance>
void permlane_swap(wave& w, const instruction& i) {
    refuse_indexing(w, i);
    lane_row& destination = *register_rows(w, i, i.operands[0], 1);
    lane_row& source = *register_rows(w, i, i.operands[1], 1);
    const u64 exec = w.exec();
    for (size_t l = 0; l < lane_count; ++l) {
        if ((l & Distance) != 0) {
            continue;
        }
        const bool on = (exec >> l & 1) != 0;
        if (on != ((exec >> (l + Distance) & 1) != 0)) {
            fail(w, i, "v_permlane*_swap_b32 is not supported where one of two lanes is off");
        }
        if (on) {
            std::swap(destination.lane[l + Distance], source.lane[l]);
        }
    }
}

constexpr instruction_row rows[] = {
    {"v_readfirstlane_b32", readfirstlane, kind::lane},
    {"v_readlane_b32", readlane, kind::lane},
    {"v_writelane_b32", writelane, kind::lane | kind::keeps_part},
    {"v_swap_b32", swap, kind::two_results | kind::reads_result | kind::masks},
    {"v_permlane16_swap_b32", permlane_swap<16>,
     kind::permlane | kind::two_results | kind::reads_result | kind::masks, true},
    {"v_permlane32_swap_b32", permlane_swap<32>,
     kind::permlane | kind::two_results | kind::reads_result | kind::masks, true},
};

}  // namespace

std::span<const instruction_row> vop_lane_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
