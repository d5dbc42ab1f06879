#include "printing/format.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>

namespace emu {
namespace {

// Beyond these nothing is printed: a format comes from device code, which may be out of its mind.
constexpr int max_field = 1 << 16;
constexpr size_t max_text = size_t{1} << 24;

// A conversion: %[flags][width][.precision][length]letter.
struct conversion {
    std::string flags;
    int width = 0;
    int precision = -1;  // -1: not given
    std::string_view length;
    char letter = 0;
};

class formatter {
public:
    formatter(std::string_view format, std::span<const std::byte> arguments)
        : format_(format), arguments_(arguments) {}

    formatted_text run() {
        while (!format_.empty() && out_.text.size() < max_text) {
            const size_t percent = std::min(format_.find('%'), format_.size());
            out_.text += format_.substr(0, percent);
            format_.remove_prefix(percent);
            if (!format_.empty()) {
                convert();
            }
        }
        if (out_.text.size() > max_text || !format_.empty()) {
            out_.text.resize(max_text);
            note("the text is cut off after " + std::to_string(max_text) + " bytes");
        }
        return std::move(out_);
    }

private:
    // @pre format_ begins with '%'
    void convert() {
        const std::string_view begin = format_;
        format_.remove_prefix(1);
        conversion c;
        const size_t flags = std::min(format_.find_first_not_of("-+ #0"), format_.size());
        c.flags = format_.substr(0, flags);
        format_.remove_prefix(flags);
        c.width = std::max(field(), -max_field - 1);
        if (c.width < 0) {
            c.flags += '-';
            c.width = -c.width;
        }
        if (take('.')) {
            c.precision = std::max(field(), -1);
        }
        const size_t length = std::min(format_.find_first_not_of("hlqjztL"), format_.size());
        c.length = format_.substr(0, length);
        format_.remove_prefix(length);
        if (!format_.empty()) {
            c.letter = format_.front();
            format_.remove_prefix(1);
        }
        if (c.width > max_field || c.precision > max_field) {
            note("a width or precision above " + std::to_string(max_field));
            c.width = std::min(c.width, max_field);
            c.precision = std::min(c.precision, max_field);
        }
        if (!print(c)) {
            out_.text += begin.substr(0, begin.size() - format_.size());
        }
    }

    // Digits or `*`.
    int field() {
        if (take('*')) {
            return static_cast<int32_t>(word().value_or(0));
        }
        int value = 0;
        const auto read = std::from_chars(format_.data(), format_.data() + format_.size(), value);
        format_.remove_prefix(static_cast<size_t>(read.ptr - format_.data()));
        return read.ec == std::errc::result_out_of_range ? std::numeric_limits<int>::max() : value;
    }

    bool take(char c) {
        const bool there = !format_.empty() && format_.front() == c;
        format_.remove_prefix(there ? 1 : 0);
        return there;
    }

    // False if there is no such conversion.
    bool print(const conversion& c) {
        if (is_one_of(c.letter, "diuoxX")) {
            print_integer(c);
        } else if (is_one_of(c.letter, "fFeEgGaA")) {
            print_word(c, "", [](uint64_t w) { return std::bit_cast<double>(w); });
        } else if (c.letter == 'c') {
            print_word(c, "", [](uint64_t w) { return static_cast<int>(w & 0xff); });
        } else if (c.letter == 'p') {
            print_word(c, "", [](uint64_t w) { return reinterpret_cast<void*>(w); });
        } else if (c.letter == 's') {
            print_string(c);
        } else if (c.letter == 'n') {
            word();
            note("%n stores nothing");
        } else if (c.letter == '%') {
            out_.text += '%';
        } else {
            return false;
        }
        return true;
    }

    static bool is_one_of(char letter, std::string_view letters) {
        return letters.find(letter) != std::string_view::npos;
    }

    void print_integer(const conversion& c) {
        const int bits = c.length.empty() ? 32 : c.length == "h" ? 16 : c.length == "hh" ? 8 : 64;
        const bool has_sign = c.letter == 'd' || c.letter == 'i';
        print_word(c, "ll", [&](uint64_t w) -> unsigned long long {
            const int unused = 64 - bits;
            return has_sign ? static_cast<uint64_t>(static_cast<int64_t>(w << unused) >> unused)
                            : w << unused >> unused;
        });
    }

    template <class Get>
    void print_word(const conversion& c, const char* length, const Get& get) {
        if (const auto w = word()) {
            append(c, length, get(*w));
        } else {
            out_.text += "(nothing)";
        }
    }

    void print_string(conversion c) {
        if (arguments_.empty()) {
            missing();
            out_.text += "(nothing)";
            return;
        }
        const std::string_view text = take_string(arguments_);
        // Not every string has its zero.
        const int shown = static_cast<int>(std::min(text.size(), max_text));
        c.precision = c.precision < 0 ? shown : std::min(c.precision, shown);
        append(c, "", std::string(text).c_str());
    }

    // snprintf of one argument.
    template <class T>
    void append(const conversion& c, const char* length, T value) {
        std::string spec = "%" + c.flags + "*.*" + length + c.letter;
        if (c.precision < 0) {
            spec.erase(spec.find('.'), 2);
        }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
        const auto write = [&](char* to, size_t bytes) {
            return c.precision < 0
                       ? std::snprintf(to, bytes, spec.c_str(), c.width, value)
                       : std::snprintf(to, bytes, spec.c_str(), c.width, c.precision, value);
        };
#pragma clang diagnostic pop
        const int size = write(nullptr, 0);
        if (size <= 0) {
            return;
        }
        const size_t before = out_.text.size();
        out_.text.resize(before + static_cast<size_t>(size) + 1);
        write(out_.text.data() + before, static_cast<size_t>(size) + 1);
        out_.text.pop_back();
    }

    std::optional<uint64_t> word() {
        uint64_t value = 0;
        if (arguments_.size() < sizeof value) {
            arguments_ = {};
            missing();
            return std::nullopt;
        }
        std::memcpy(&value, arguments_.data(), sizeof value);
        arguments_ = arguments_.subspan(sizeof value);
        return value;
    }

    void missing() {
        note("the format asks for more arguments than there are (or a string was a null pointer)");
    }

    void note(const std::string& problem) {
        if (out_.problem.empty()) {
            out_.problem = problem;
        }
    }

    std::string_view format_;               // what is left
    std::span<const std::byte> arguments_;  // what is left
    formatted_text out_;
};

}  // namespace

std::string_view take_string(std::span<const std::byte>& bytes) {
    const auto length = static_cast<size_t>(std::ranges::find(bytes, std::byte{0}) - bytes.begin());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), length);
    bytes = bytes.subspan(std::min((length + 1 + 7) / 8 * 8, bytes.size()));
    return text;
}

formatted_text format_text(std::string_view format, std::span<const std::byte> arguments) {
    return formatter(format, arguments).run();
}

}  // namespace emu
