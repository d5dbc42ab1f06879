// What belongs to a target, in one record for each; what both have alike is behind them. Figures are
// AMD's public data sheets and ISA guides.
//
// Tables with a row for each instruction say themselves what a target has: instruction_row
// (isa/instruction.hpp), hazard_row, lds_rule. The machine around the compute units is device_info
// (device.hpp).
#pragma once

#include <cstdint>

namespace emu {

enum class gfx_target { gfx942, gfx950 };

struct target_info {
    const char* name;         // as compilers have it
    int number;               // of the name
    uint32_t lds_bytes;       // of a compute unit, and the limit of a group
    uint32_t lds_load_bytes;  // that a load to LDS moves for a lane, at most
    bool has_gfx950_rows;     // the instructions of rows that are gfx950_only
    bool has_ocp_floats;      // 8-bit floats are those of OCP, else FNUZ
    bool has_matrix_sums;     // how its matrix instructions add is known
};

constexpr target_info gfx942_info{
    .name = "gfx942",
    .number = 942,
    .lds_bytes = 64 * 1024,
    .lds_load_bytes = 4,
    .has_gfx950_rows = false,
    .has_ocp_floats = false,
    .has_matrix_sums = true,
};
constexpr target_info gfx950_info{
    .name = "gfx950",
    .number = 950,
    .lds_bytes = 160 * 1024,
    .lds_load_bytes = 16,
    .has_gfx950_rows = true,
    .has_ocp_floats = true,
    .has_matrix_sums = false,
};

constexpr const target_info& info_of(gfx_target target) {
    return target == gfx_target::gfx942 ? gfx942_info : gfx950_info;
}
constexpr const char* target_name(gfx_target target) {
    return info_of(target).name;
}

// ---- both ----

constexpr int lane_count = 64;  // of a wave

// What the counters of s_waitcnt hold: 6 and 4 bits (ISA guide 3.1).
constexpr uint32_t max_vmcnt = 63;
constexpr uint32_t max_lgkmcnt = 15;

// Where s_waitcnt has them: vmcnt in bits 3:0 and 15:14, lgkmcnt in 11:8 (ISA guide 4.4).
constexpr uint32_t vmcnt_of(uint32_t immediate) {
    return (immediate & 0xf) | (immediate >> 14 & 3) << 4;
}
constexpr uint32_t lgkmcnt_of(uint32_t immediate) {
    return immediate >> 8 & 0xf;
}

// A buffer resource in scalar registers (ISA guide 9.1.8).
struct buffer_resource {
    static constexpr int words = 4;

    uint64_t base;          // 48 bits
    uint32_t stride;        // bytes of a record
    uint32_t records;       // or bytes (isa/buffer_rule.hpp)
    bool swizzles;          // addresses; bit 62, how L1 caches them, changes no result
    bool adds_thread;       // the lane to the index
    uint32_t data_format;   // with adds_thread: bits 17:14 of the stride (table 45)
    uint32_t index_stride;  // records whose elements lie together in a swizzled buffer

    // @pre word points to four of them
    explicit constexpr buffer_resource(const uint32_t* word)
        : base(uint64_t{word[0]} | uint64_t{word[1] & 0xffff} << 32),
          stride(word[1] >> 16 & 0x3fff),
          records(word[2]),
          swizzles((word[1] >> 31) != 0),
          adds_thread((word[3] >> 23 & 1) != 0),
          data_format(word[3] >> 15 & 0xf),
          index_stride(8u << (word[3] >> 21 & 3)) {}
};

}  // namespace emu
