// OPUS_EMU_STOP and OPUS_EMU_DUMP as they were given.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace emu {

enum class stop_kind : uint8_t { none, line, address, report };

struct dump_parts {
    bool vgpr = true;
    bool sgpr = true;
    bool lds = true;
};

struct stop_request {
    std::string text;  // as it was given
    stop_kind kind = stop_kind::none;
    std::string file;  // the end of its path; empty: any one that is not of opus
    uint32_t line = 0;
    uint64_t offset = 0;  // of an instruction, from the first one of its kernel
    std::string kernel;   // a part of its name; empty: every one
    std::array<uint32_t, 3> group{};
    int wave = 0;
    uint64_t count = 1;  // which arrival
    dump_parts dump;
};

// "gemm.hip:42,group=1:0:0,wave=1,count=3", "0x1c", "report". What is wrong goes to `problem`.
stop_request parse_stop(std::string_view text, std::string& problem);
// "vgpr,lds".
dump_parts parse_dump(std::string_view text, std::string& problem);

}  // namespace emu
