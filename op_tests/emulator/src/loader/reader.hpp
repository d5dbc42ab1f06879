// What reading a damaged file has in common: errors, and reads that stay inside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "loader/load_error.hpp"

namespace emu {

[[noreturn]] inline void malformed(const std::string& what) {
    throw load_error(load_error::reason_t::malformed, what);
}

template <class T>
T read_raw(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Little-endian reads from a file; outside of the file is an error.
class reader {
public:
    reader(std::span<const std::byte> bytes, const char* name) : bytes_(bytes), name_(name) {}

    template <class T>
    T at(uint64_t offset) const {
        return read_raw<T>(slice(offset, sizeof(T)).data());
    }

    std::span<const std::byte> slice(uint64_t offset, uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) {
            malformed(std::string(name_) + ": needs bytes " + std::to_string(offset) + " to " +
                      std::to_string(offset) + "+" + std::to_string(size) + ", but has " +
                      std::to_string(bytes_.size()));
        }
        return bytes_.subspan(offset, size);
    }

private:
    std::span<const std::byte> bytes_;
    const char* name_;
};

}  // namespace emu
