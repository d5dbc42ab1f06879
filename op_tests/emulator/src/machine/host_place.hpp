// Places of the host program: where it called the runtime, and what an address of its own is.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace emu {

// The innermost callers of whoever makes it.
class host_place {
public:
    host_place() = default;
    static host_place here();

    // The first caller outside of this library: "main, /home/me/a.hip:12" where the program was
    // compiled with -g, else "main" or "./program+0x1234"; empty if there is none.
    std::string text() const;

private:
    std::array<void*, 12> callers_{};
    int count_ = 0;
};

// "host memory (the stack)", "(the heap)", "(static, ./program)" or without more where the process
// has memory at the address; empty where it has none.
std::string name_of_host_memory(uint64_t address);

}  // namespace emu
