// printf of code that was compiled with -mprintf-kind=buffered, and what it needs of the host: a
// buffer of {uint32_t used, uint32_t size, frames}, in hidden argument printf_buffer. Each call
// allocates a frame by adding its size to `used`; a call that finds no room returns.
//
// Frame: a control dword (bit 0: stderr; bit 1: the format is constant; from bit 2 on the bytes of
// the frame), the format, the arguments as in format.hpp. A constant format is 8 bytes, the hash by
// which the metadata lists it (amdhsa.printf); another one is a string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "loader/metadata.hpp"

namespace emu {

// The buffer of one launch. It is much larger than a device's, so that what a device would drop can
// be counted; it is not printed here either.
// @pre the formats and the name of the kernel live longer
class printf_buffer {
public:
    printf_buffer(const printf_formats& formats, const std::string& kernel);
    ~printf_buffer();  // prints
    printf_buffer(const printf_buffer&) = delete;
    printf_buffer& operator=(const printf_buffer&) = delete;

    uint64_t address() const { return reinterpret_cast<uintptr_t>(memory_); }

    // All that is complete. What waves are still writing is left out.
    void print();

private:
    const std::string* format_of(std::span<const std::byte> frame) const;
    void print_frame(std::span<const std::byte> frame);
    void note(const std::string& problem);

    const printf_formats& formats_;
    const std::string& kernel_;
    size_t room_;  // bytes of frames that are printed
    std::byte* memory_ = nullptr;
    std::string problem_;
    bool printed_ = false;
};

// Prints what launches have left so far; for the end of a process in the middle of them.
void print_buffered_output();

}  // namespace emu
