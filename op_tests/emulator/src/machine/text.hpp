// Text of reports.
#pragma once

#include <string>

namespace emu {

// As printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace emu
