#include <cstdint>

#include "isa/instruction.hpp"

namespace emu {

// A row is 16 lanes. Shifts towards a higher lane number are called right: row_shr:1 gives lane n
// the value of lane n - 1.
void plan_dpp(instruction& i) {
    i.dpp_valid = 0;
    for (int l = 0; l < lane_count; ++l) {
        const int row = l & ~15;
        const int in_row = l & 15;
        const int count = i.dpp_lanes[0];
        int from = l;
        bool valid = true;
        switch (i.dpp) {
            case dpp_kind::none:
                break;
            case dpp_kind::quad_perm:
                from = (l & ~3) + i.dpp_lanes[static_cast<size_t>(l & 3)];
                break;
            case dpp_kind::row_shl:
                from = l + count;
                valid = in_row + count < 16;
                break;
            case dpp_kind::row_shr:
                from = l - count;
                valid = in_row >= count;
                break;
            case dpp_kind::row_ror:
                from = row + ((in_row - count) & 15);
                break;
            case dpp_kind::wave_shl:
                from = l + 1;
                valid = l != 63;
                break;
            case dpp_kind::wave_rol:
                from = (l + 1) & 63;
                break;
            case dpp_kind::wave_shr:
                from = l - 1;
                valid = l != 0;
                break;
            case dpp_kind::wave_ror:
                from = (l - 1) & 63;
                break;
            case dpp_kind::row_mirror:
                from = row + 15 - in_row;
                break;
            case dpp_kind::row_half_mirror:
                from = (l & ~7) + 7 - (l & 7);
                break;
            case dpp_kind::row_bcast:
                // 15: the last lane of each row to the whole next row; 31: lane 31 to rows 2 and 3.
                from = count == 15 ? row - 1 : 31;
                valid = count == 15 ? row != 0 : l >= 32;
                break;
            case dpp_kind::row_newbcast:
                from = row + count;
                break;
        }
        i.dpp_from[static_cast<size_t>(l)] = static_cast<int8_t>(valid ? from : 0);
        if (valid) {
            i.dpp_valid |= uint64_t{1} << l;
        }
    }
}

}  // namespace emu
