// Built as a user's program by each case of check.cmake. EXPECTED_VERSION is the version that the
// package manager's side, CMake, has read.
#include <cstdio>
#include <string>

#include "opus/opus.hpp"

int main() {
    using opus::operator""_I;
    static_assert(opus::make_layout(opus::make_tuple(128_I, 64_I))(4, 8) == 264);

    const std::string version = std::to_string(OPUS_VERSION_MAJOR) + "." +
                                std::to_string(OPUS_VERSION_MINOR) + "." +
                                std::to_string(OPUS_VERSION_PATCH);
    if (version != EXPECTED_VERSION) {
        std::printf("the header is %s, the package %s\n", version.c_str(), EXPECTED_VERSION);
        return 1;
    }
    return 0;
}
