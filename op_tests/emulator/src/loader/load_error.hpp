#pragma once

#include <stdexcept>
#include <string>

namespace emu {

// A file that is malformed or has nothing for the target; what() says what was found.
struct load_error : std::runtime_error {
    enum class reason_t { malformed, no_image };
    load_error(reason_t r, const std::string& message) : std::runtime_error(message), reason(r) {}
    reason_t reason;
};

}  // namespace emu
