// SPDX-License-Identifier: MIT
//
// output_file.hpp: a file that is written completely or not at all.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace examples {

// what() is one line that begins with the file's name.
struct file_error : std::runtime_error {
    file_error(const std::string& file, const std::string& what)
        : std::runtime_error(file + ": " + what) {}
};

inline std::string system_message(int code) {
    return std::generic_category().message(code);
}

// Throws if writing this file is bound to fail, so that a program can find out before it computes.
inline void check_writable(const std::string& file) {
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    const bool is_there = std::filesystem::exists(status);
    if (is_there && !std::filesystem::is_regular_file(status)) {
        throw file_error(file, "cannot write: is not a regular file");
    }
    const std::string directory =
        std::filesystem::absolute(file, ignored).parent_path().string() + '/';
    int code = 0;
    if (file.empty()) {
        code = ENOENT;
    } else if ((is_there && ::access(file.c_str(), W_OK) != 0) ||
               ::access(directory.c_str(), W_OK | X_OK) != 0) {
        code = errno;
    }
    if (code != 0) {
        throw file_error(file, "cannot write: " + system_message(code));
    }
}

// A new file beside `file`. commit() puts it in the place of `file`; without commit() it disappears
// again and `file` stays as it was.
class replacement_file {
public:
    explicit replacement_file(const std::string& file)
        : target_(followed(file)), path_(target_.string() + ".tmp" + std::to_string(::getpid())) {
        fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd_ < 0) {
            fail("cannot create the file", errno);
        }
    }

    replacement_file(const replacement_file&) = delete;
    replacement_file& operator=(const replacement_file&) = delete;

    ~replacement_file() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
        if (!committed_) {
            ::unlink(path_.c_str());
        }
    }

    void write(const void* bytes, std::size_t size) {
        const char* p = static_cast<const char*>(bytes);
        while (size > 0) {
            const ssize_t n = ::write(fd_, p, size);
            if (n < 0 && errno == EINTR) {
                continue;
            }
            if (n <= 0) {
                fail("cannot write", n < 0 ? errno : EIO);
            }
            p += n;
            size -= static_cast<std::size_t>(n);
        }
    }

    void commit() {
        // Errors of delayed writes (a full disk, a quota) appear here.
        if (::fsync(fd_) != 0 && errno != EINVAL) {
            fail("cannot write", errno);
        }
        if (::close(std::exchange(fd_, -1)) != 0) {
            fail("cannot write", errno);
        }
        if (std::rename(path_.c_str(), target_.c_str()) != 0) {
            fail("cannot create the file", errno);
        }
        committed_ = true;
    }

private:
    static std::filesystem::path followed(const std::filesystem::path& file) {
        return std::filesystem::exists(file) ? std::filesystem::canonical(file)  // a link stays one
                                             : file;
    }

    // Takes the error number by value: building the text may change errno. A constructor that
    // throws has not created the file.
    [[noreturn]] void fail(const char* what, int code) const {
        throw file_error(target_.string(), what + (": " + system_message(code)));
    }

    std::filesystem::path target_;
    std::filesystem::path path_;
    int fd_ = -1;
    bool committed_ = false;
};

}  // namespace examples
