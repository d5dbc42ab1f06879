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

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
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

// The header is a Python dict literal of exactly three entries, in any order:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class header_parser {
public:
    header_parser(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

    array parse() {
        array result;
        std::set<std::string> seen;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (!seen.insert(key).second) {
                fail("two entries '" + key + "'");
            }
            if (key == "descr") {
                result.type = type();
            } else if (key == "fortran_order") {
                row_major();
            } else if (key == "shape") {
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
        for (const char* const key : {"descr", "fortran_order", "shape"}) {
            if (seen.count(key) == 0) {
                fail(std::string("no entry '") + key + "'");
            }
        }
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw error(file_, "malformed .npy header: " + what);
    }

    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    bool accept(std::string_view word) {
        skip_space();
        const bool is_there = rest_.substr(0, word.size()) == word;
        rest_.remove_prefix(is_there ? word.size() : 0);
        return is_there;
    }
    bool accept(char c) { return accept(std::string_view(&c, 1)); }

    void expect(char c) {
        if (!accept(c)) {
            fail(std::string("'") + c + "' expected");
        }
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
        const std::string text(rest_.substr(1, end - 1));
        if (std::any_of(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; })) {
            // The text becomes part of a message of one line.
            fail("a quoted name has a character that is not printable ASCII");
        }
        rest_.remove_prefix(end + 1);
        return text;
    }

    dtype type() {
        const bool is_structured = accept('[');
        const std::string descr = is_structured ? "" : quoted();
        for (const dtype type : {dtype::f16, dtype::f32, dtype::f64}) {
            if (descr == "<f" + std::to_string(size_of(type))) {
                return type;
            }
        }
        throw error(file_, (is_structured ? "a structured dtype" : "dtype '" + descr + "'") +
                               " is not supported ('<f2', '<f4' or '<f8' is needed)");
    }

    void row_major() {
        if (accept("True")) {
            throw error(file_, "Fortran order is not supported (row-major order is needed)");
        }
        if (!accept("False")) {
            fail("'fortran_order' is neither True nor False");
        }
    }

    std::vector<std::size_t> shape() {
        std::vector<std::size_t> result;
        expect('(');
        bool comma = true;
        while (!accept(')')) {
            if (!comma) {
                fail("',' or ')' expected in 'shape'");
            }
            skip_space();
            const char* const begin = rest_.data();
            const char* const end = begin + rest_.size();
            const auto [stop, code] = std::from_chars(begin, end, result.emplace_back());
            if (code != std::errc{}) {
                fail(code == std::errc::result_out_of_range
                         ? "an extent in 'shape' is out of range"
                         : "'shape' has an entry that is not a non-negative integer");
            }
            rest_.remove_prefix(static_cast<std::size_t>(stop - begin));
            comma = accept(',');
        }
        if (result.size() == 1 && !comma) {
            fail("'shape' is not a tuple");
        }
        return result;
    }

    const std::string& file_;
    std::string_view rest_;
};

// Reads `size` bytes, or fewer at the end of the file. It reads in pieces, so that a header that
// claims far more than the file has does not make it allocate that much.
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

// Bytes of an array; `file` is for the message if they do not fit into std::size_t. An extent of
// zero makes the array empty, whatever the others are.
inline std::size_t data_size(const std::string& file, const array& a) {
    const bool is_empty = std::count(a.shape.begin(), a.shape.end(), 0u) > 0;
    std::size_t size = is_empty ? 0 : size_of(a.type);
    for (const std::size_t extent : a.shape) {
        if (__builtin_mul_overflow(size, extent, &size)) {
            throw error(file, "the array is too large (its size in bytes overflows)");
        }
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
// complete. On an error, an existing file stays as it was.
// @pre values has as many elements as the product of `shape`
template <class T>
void write(const std::string& file, const std::vector<std::size_t>& shape, const T* values) {
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>,
                  "npy::write: float or double");
    check_writable(file);
    const array description{sizeof(T) == 8 ? dtype::f64 : dtype::f32, shape, {}};

    std::string dict =
        "{'descr': '<f" + std::to_string(sizeof(T)) + "', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : shape) {
        dict += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    }
    if (shape.size() > 1) {
        dict.resize(dict.size() - 2);
    }
    dict += "), }";
    // Spaces and a newline pad the header, so that the data begin at a multiple of 64 bytes.
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

    examples::replacement_file out(file);
    out.write(header.data(), header.size());
    out.write(values, detail::data_size(file, description));
    out.commit();
}

}  // namespace npy
