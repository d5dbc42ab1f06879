// SPDX-License-Identifier: MIT
//
// npy.hpp: matrices in NumPy's .npy files (format versions 1, 2 and 3), read and written without a
// library. Little-endian float16, float32 and float64 in row-major order; anything else is refused
// with one line that names the file and what is wrong with it. The format is described in NumPy's
// documentation of numpy.lib.format.
//
//   npy::array a = npy::read("a.npy");           // a.type, a.shape, a.data
//   double x = npy::value(a, 3);                 // its fourth element
//   npy::write("c.npy", {m, n}, values.data());  // float or double; complete, or not at all
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "opus/opus.hpp"
#include "output_file.hpp"

namespace npy {

enum class dtype { f16, f32, f64 };

inline std::size_t size_of(dtype type) {
    return type == dtype::f16 ? 2 : type == dtype::f32 ? 4 : 8;
}

struct array {
    dtype type = dtype::f32;
    std::vector<std::size_t> shape;   // one entry per dimension, outermost first
    std::vector<unsigned char> data;  // little-endian elements, last index fastest
};

using error = examples::file_error;
using examples::check_writable;

namespace detail {

constexpr std::string_view magic = "\x93NUMPY";
constexpr const char* needed = "('<f2', '<f4' or '<f8' is needed)";

// The header is a Python dict literal of exactly three entries, in any order:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class header_parser {
public:
    header_parser(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

    array parse() {
        array result;
        bool seen_type = false;
        bool seen_order = false;
        bool seen_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr") {
                once(seen_type, key);
                result.type = type();
            } else if (key == "fortran_order") {
                once(seen_order, key);
                row_major();
            } else if (key == "shape") {
                once(seen_shape, key);
                result.shape = shape();
            } else {
                fail("unknown entry '" + key + "'");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!rest_.empty()) {
            fail("text after the closing brace");
        }
        if (!seen_type || !seen_order || !seen_shape) {
            fail(std::string("no entry '") +
                 (!seen_type    ? "descr"
                  : !seen_order ? "fortran_order"
                                : "shape") +
                 "'");
        }
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw error(file_, "malformed .npy header: " + what);
    }

    void once(bool& seen, const std::string& key) const {
        if (seen) {
            fail("two entries '" + key + "'");
        }
        seen = true;
    }

    void skip_space() {
        const std::size_t n = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
    }

    bool accept(char c) {
        skip_space();
        if (rest_.empty() || rest_.front() != c) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!accept(c)) {
            fail(std::string("'") + c + "' expected");
        }
    }

    bool accept_word(std::string_view word) {
        skip_space();
        if (rest_.substr(0, word.size()) != word) {
            return false;
        }
        rest_.remove_prefix(word.size());
        return true;
    }

    std::string quoted() {
        skip_space();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
            fail("a quoted name expected");
        }
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) {
            fail("a quoted name does not end");
        }
        const std::string_view text = rest_.substr(1, end - 1);
        for (const char c : text) {
            if (c < ' ' || c > '~') {  // it goes into a one-line message
                fail("a quoted name has a character that is not printable ASCII");
            }
        }
        rest_.remove_prefix(end + 1);
        return std::string(text);
    }

    dtype type() {
        if (accept('[')) {
            throw error(file_, std::string("a structured dtype is not supported ") + needed);
        }
        const std::string descr = quoted();
        if (descr == "<f2") {
            return dtype::f16;
        }
        if (descr == "<f4") {
            return dtype::f32;
        }
        if (descr == "<f8") {
            return dtype::f64;
        }
        throw error(file_, "dtype '" + descr + "' is not supported " + needed);
    }

    void row_major() {
        if (accept_word("False")) {
            return;
        }
        if (accept_word("True")) {
            throw error(file_, "Fortran order is not supported (row-major order is needed)");
        }
        fail("'fortran_order' is neither True nor False");
    }

    std::vector<std::size_t> shape() {
        std::vector<std::size_t> result;
        expect('(');
        bool comma = true;
        while (!accept(')')) {
            if (!comma) {
                fail("',' or ')' expected in 'shape'");
            }
            result.push_back(extent());
            comma = accept(',');
        }
        if (result.size() == 1 && !comma) {
            fail("'shape' is not a tuple");
        }
        return result;
    }

    std::size_t extent() {
        skip_space();
        std::size_t value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
            const auto digit = static_cast<std::size_t>(rest_[digits] - '0');
            if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
                fail("an extent in 'shape' is out of range");
            }
            value = value * 10 + digit;
        }
        if (digits == 0) {
            fail("'shape' has an entry that is not a non-negative integer");
        }
        rest_.remove_prefix(digits);
        return value;
    }

    const std::string& file_;
    std::string_view rest_;
};

// Reads `size` bytes, fewer at the end of the file. In pieces, so that a header that claims far
// more than the file has does not allocate it.
template <class Bytes>
Bytes read_bytes(std::istream& in, std::size_t size) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    Bytes bytes;
    while (bytes.size() < size) {
        const std::size_t old = bytes.size();
        const std::size_t want = size - old < piece ? size - old : piece;
        bytes.resize(old + want);
        in.read(reinterpret_cast<char*>(bytes.data() + old), static_cast<std::streamsize>(want));
        const auto got = static_cast<std::size_t>(in.gcount());
        bytes.resize(old + got);
        if (got < want) {
            break;
        }
    }
    return bytes;
}

// Bytes of an array; `file` is for the message when they do not fit into std::size_t.
inline std::size_t data_size(const std::string& file, const array& a) {
    // A zero anywhere makes the array empty, whatever the other extents are.
    for (const std::size_t extent : a.shape) {
        if (extent == 0) {
            return 0;
        }
    }
    std::size_t size = size_of(a.type);
    for (const std::size_t extent : a.shape) {
        if (size > std::numeric_limits<std::size_t>::max() / extent) {
            throw error(file, "the array is too large (its size in bytes overflows)");
        }
        size *= extent;
    }
    return size;
}

// Element i of a's data, which are T.
template <class T>
double value_as(const array& a, std::size_t i) {
    T x;
    std::memcpy(&x, &a.data[i * sizeof(T)], sizeof(T));
    return static_cast<double>(x);
}

}  // namespace detail

// @post result.data.size() == product of result.shape * size_of(result.type)
inline array read(const std::string& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        throw error(file, "is a directory");
    }
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw error(file, "cannot open: " + examples::system_message(errno != 0 ? errno : EIO));
    }

    const auto start = detail::read_bytes<std::string>(in, detail::magic.size() + 2);
    if (start.compare(0, detail::magic.size(), detail::magic) != 0) {
        throw error(file, "is not a .npy file");
    }
    if (start.size() < detail::magic.size() + 2) {
        throw error(file, "is truncated in its header");
    }
    const int version = static_cast<unsigned char>(start[detail::magic.size()]);
    if (version < 1 || version > 3) {
        throw error(file, ".npy format version " + std::to_string(version) + " is not supported");
    }
    const auto length_bytes =
        detail::read_bytes<std::vector<unsigned char>>(in, version == 1 ? 2 : 4);
    std::size_t length = 0;
    for (std::size_t i = length_bytes.size(); i-- > 0;) {
        length = length << 8 | length_bytes[i];
    }
    const auto header = detail::read_bytes<std::string>(in, length);
    if (length_bytes.size() != (version == 1 ? 2u : 4u) || header.size() != length) {
        throw error(file, "is truncated in its header");
    }

    array result = detail::header_parser(file, header).parse();
    const std::size_t size = detail::data_size(file, result);
    result.data = detail::read_bytes<std::vector<unsigned char>>(in, size);
    if (result.data.size() != size) {
        throw error(file, "is truncated: " + std::to_string(result.data.size()) +
                              " bytes of data, " + std::to_string(size) + " expected");
    }
    if (in.peek() != std::ifstream::traits_type::eof()) {
        throw error(file, "has more data than its shape says");
    }
    return result;
}

// Element i, counted with the last index fastest; a double has each value of the three types.
// @pre i < product of a.shape
inline double value(const array& a, std::size_t i) {
    switch (a.type) {
        case dtype::f16:
            return detail::value_as<opus::fp16_t>(a, i);
        case dtype::f32:
            return detail::value_as<float>(a, i);
        case dtype::f64:
            break;
    }
    return detail::value_as<double>(a, i);
}

// Writes float32 or float64 in format version 1. The file appears under its name when it is
// complete; on an error what was there before is untouched.
// @pre values has as many elements as the product of `shape`
template <class T>
void write(const std::string& file, const std::vector<std::size_t>& shape, const T* values) {
    constexpr bool is_double = std::is_same_v<T, double>;
    static_assert(is_double || std::is_same_v<T, float>, "npy::write: float or double");
    check_writable(file);

    std::string dict = std::string("{'descr': '") + (is_double ? "<f8" : "<f4") +
                       "', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : shape) {
        dict += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    }
    if (shape.size() > 1) {
        dict.resize(dict.size() - 2);
    }
    dict += "), }";
    // Spaces and a newline fill the header up, so that the data begin at a multiple of 64 bytes.
    const std::size_t fixed = detail::magic.size() + 4;
    dict.append(63 - (fixed + dict.size()) % 64, ' ');
    dict += '\n';
    if (dict.size() > 0xffff) {
        throw error(file, "cannot write: too many dimensions");
    }

    std::string header(detail::magic);
    header += {'\1', '\0'};
    header += static_cast<char>(dict.size() & 0xff);
    header += static_cast<char>(dict.size() >> 8);
    header += dict;

    array description;
    description.type = is_double ? dtype::f64 : dtype::f32;
    description.shape = shape;
    examples::replacement_file out(file);
    out.write(header.data(), header.size());
    out.write(values, detail::data_size(file, description));
    out.commit();
}

}  // namespace npy
