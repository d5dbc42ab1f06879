// Which instructions of a kernel have to be executed to know what memory its groups touch
// (OPUS_EMU_TIMELINE_ONLY): those on which addresses, branches and stored values depend. A matrix
// product stands for itself without its factors (launch/products.hpp), so most of a matrix kernel can
// be left out: nobody reads the tiles that it loads to LDS and registers.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/decode.hpp"

namespace emu {

// What of an instruction is needed.
enum class instruction_need : uint8_t {
    all,
    access,   // that it loads, and from where, but not what
    nothing,  // it is one that only writes registers or LDS that nobody reads
};

// By address: an instruction that is left out need not be looked at.
class instruction_needs {
public:
    struct entry {
        instruction_need need = instruction_need::all;
        uint8_t bytes = 0;  // of the instruction, if all is not needed
    };
    instruction_needs() = default;
    instruction_needs(uint64_t base, size_t bytes) : base_(base), entries_(bytes / 4) {}
    void set(const instruction& i, instruction_need need) {
        entries_[(i.address - base_) / 4] = {need, static_cast<uint8_t>(i.size)};
    }
    entry at(uint64_t pc) const {
        const uint64_t n = (pc - base_) / 4;
        return n < entries_.size() ? entries_[n] : entry{};
    }

private:
    uint64_t base_ = 0;
    std::vector<entry> entries_;
};

// Of what can be reached from `entry`; all of everything where the code cannot be followed. All lanes
// of its waves start switched on if `starts_full`. With `lds_addresses` those of LDS instructions are
// needed as well.
instruction_needs find_needs(program& code, uint64_t entry, bool starts_full, bool lds_addresses);

}  // namespace emu
