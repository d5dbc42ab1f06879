// Which memory an instruction uses and how much of it: a part of its row, completed when it is decoded.
#pragma once

#include <cstdint>

namespace emu {

enum class address_kind : uint8_t {
    none,     // uses no memory
    lds,      // ds_*
    buffer,   // buffer_*
    flat,     // flat_*: global memory, LDS or scratch, for each lane by its address
    global,   // global_*
    scratch,  // scratch_*
    scalar,   // s_load_*, s_buffer_load_*
};

enum class access_use : uint8_t { read, write, atomic };

// Where an LDS instruction has its addresses from.
enum class lds_address : uint8_t {
    operand,  // a register and the offset
    lane,     // M0, the offset and 4 * lane: ds_read_addtid_b32, ds_write_addtid_b32
    offset,   // the offset, once for all lanes: ds_append, ds_consume
};

struct access_plan {
    address_kind kind = address_kind::none;
    access_use use = access_use::read;
    uint8_t bytes = 0;         // of each address
    bool returns = false;      // into the first operand; of vector memory the modifiers say it
    uint8_t addresses = 1;     // of a lane; 2 for ds_read2, ds_write2 and ds_wrxchg2
    bool is_high = false;      // of the high half of a register
    uint16_t offset_unit = 0;  // bytes that one of offset0 and offset1 stands for
    lds_address lds = lds_address::operand;
    bool to_lds = false;  // a load that writes LDS instead of registers
    // Which operands have the address, and what is written. By the modifiers.
    uint8_t operand = 0;
    uint8_t data = 0;
};

constexpr bool is_vector_memory(address_kind kind) {
    return kind >= address_kind::buffer && kind <= address_kind::scratch;
}

}  // namespace emu
