// How much memory a file may take when it is loaded, whatever it says of itself.
#pragma once

#include <cstdint>
#include <string>

#include "loader/reader.hpp"

namespace emu {

// Beyond the bytes of the file. docs: .github/SECURITY.md
constexpr uint64_t max_load_bytes = uint64_t{2} << 30;

class load_budget {
public:
    explicit load_budget(uint64_t bytes = max_load_bytes) : all_(bytes), left_(bytes) {}

    // Called before the memory is taken. Throws load_error if it is more than what is left.
    void take(uint64_t bytes, const std::string& what) {
        if (bytes > left_) {
            malformed(what + ": takes " + std::to_string(bytes) + " bytes of memory; " +
                      std::to_string(left_) + " are left of the " + std::to_string(all_) +
                      " that loading a file may take");
        }
        left_ -= bytes;
    }

private:
    uint64_t all_;
    uint64_t left_;
};

}  // namespace emu
