// The control flow graph of a kernel: all instructions that its branches can lead to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/decode.hpp"

namespace emu {

struct flow_edge {
    uint32_t to = 0;        // a block
    bool is_taken = false;  // by a branch
};

struct flow_block {
    uint32_t first = 0;  // of flow_graph::code
    uint32_t count = 0;
    std::vector<flow_edge> next;
};

struct flow_graph {
    std::vector<const instruction*> code;
    std::vector<flow_block> blocks;  // the first one is where the kernel starts
    // Instructions behind which the program goes to where nobody knows: calls, indirect branches.
    std::vector<const instruction*> not_followed;
    std::vector<const instruction*> leaves_the_code;  // what follows them is outside of it
};

flow_graph follow(program& code, uint64_t entry);

}  // namespace emu
