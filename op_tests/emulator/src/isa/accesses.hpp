// Which bytes of memory an instruction is about to use, for the profile. The handlers (isa/*.cpp)
// find out on their own: what is counted here does not slow them down.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/instruction.hpp"

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

// What the mnemonic and the operands say about the access.
struct access_plan {
    address_kind kind = address_kind::none;
    access_use use = access_use::read;
    bool to_lds = false;     // a load that writes LDS instead of registers
    uint8_t bytes = 0;       // of each address
    uint8_t addresses = 1;   // of a lane; 2 for ds_read2, ds_write2 and ds_wrxchg2
    uint8_t operand = 0;     // which one has the address
    uint32_t offset_unit{};  // bytes that one of offset0 and offset1 stands for
    lds_address lds = lds_address::operand;
};

access_plan plan_access(const instruction& i);

// The lanes' addresses, before the instruction is executed.
struct lane_accesses {
    uint64_t lanes = 0;  // that use memory
    std::array<uint64_t, lane_count> address{};
    std::array<uint8_t, lane_count> bytes{};  // from there; of a buffer those inside of it
};

// Of address number `n` of each lane.
// @pre plan.kind is neither none nor scalar, n < plan.addresses
lane_accesses find_accesses(const wave& w, const instruction& i, const access_plan& plan, int n);

// The register that decides, with EXEC, about the offsets of all lanes; nullptr where it is not one
// register. For LDS those are the addresses.
const lane_row* offset_row(const wave& w, const instruction& i, const access_plan& plan);

// Where the offsets of a buffer instruction count from.
struct buffer_window {
    uint64_t start = 0;
    uint64_t bytes = 0;  // from there; what lies beyond them is not in the buffer
};

// Of an instruction with an offset_row(), nullopt where addresses are not the start and an offset:
// the register's and the instruction's, 32 bits together.
std::optional<buffer_window> find_window(const wave& w, const instruction& i,
                                         const access_plan& plan);

}  // namespace emu
