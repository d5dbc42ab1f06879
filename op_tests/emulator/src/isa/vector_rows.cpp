#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

std::vector<std::span<const instruction_row>> vector_families() {
    return {vop_int_rows(),     vop_float_rows(), vop_convert_rows(), vop_scaled_rows(),
            vop_compare_rows(), vop_lane_rows(),  vop_packed_rows(),  mfma_rows(),
            lds_rows(),         buffer_rows(),    global_rows()};
}

}  // namespace emu::inline OPUS_EMU_LEVEL
