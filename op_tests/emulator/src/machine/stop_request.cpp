#include "machine/stop_request.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace emu {
namespace {

constexpr const char* place_needed =
    "a line (42 or gemm.hip:42), an instruction's distance from the first one (0x1c) or report is "
    "needed";

// The whole text as a number.
template <class T>
bool parse_number(std::string_view text, T& value, int base = 10) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool parse_place(std::string_view text, stop_request& request) {
    if (text == "report") {
        request.kind = stop_kind::report;
        return true;
    }
    if (text.starts_with('+')) {  // as reports print it
        text.remove_prefix(1);
    }
    if (text.starts_with("0x")) {
        request.kind = stop_kind::address;
        return parse_number(text.substr(2), request.offset, 16);
    }
    request.kind = stop_kind::line;
    const size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        request.file = text.substr(0, colon);
        text.remove_prefix(colon + 1);
        if (request.file.empty()) {
            return false;
        }
    }
    return parse_number(text, request.line) && request.line != 0;
}

bool parse_group(std::string_view text, std::array<uint32_t, 3>& group) {
    for (uint32_t& id : group) {
        const size_t colon = text.find(':');
        if (!parse_number(text.substr(0, colon), id)) {
            return false;
        }
        if (colon == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(colon + 1);
    }
    return false;  // more than three
}

// "wave=1" and its like.
std::string parse_which(std::string_view text, stop_request& request) {
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    if (name == "kernel") {
        request.kernel = value;
        return value.empty() ? "kernel= needs a part of a kernel's name" : "";
    }
    if (request.kind == stop_kind::report) {
        return "with report only kernel= may follow: its place says where";
    }
    if (name == "group") {
        return parse_group(value, request.group) ? "" : "group= needs x, x:y or x:y:z";
    }
    if (name == "wave") {
        return parse_number(value, request.wave) && request.wave >= 0
                   ? ""
                   : "wave= needs the number of a wave of the group";
    }
    if (name == "count") {
        return parse_number(value, request.count) && request.count != 0
                   ? ""
                   : "count= needs a number from 1";
    }
    return "'" + std::string(text) + "': kernel=, group=, wave= and count= may follow the place";
}

}  // namespace

stop_request parse_stop(std::string_view text, std::string& problem) {
    stop_request request;
    request.text = text;
    size_t comma = text.find(',');
    if (!parse_place(text.substr(0, comma), request)) {
        problem = place_needed;
        return request;
    }
    while (comma != std::string_view::npos && problem.empty()) {
        text.remove_prefix(comma + 1);
        comma = text.find(',');
        problem = parse_which(text.substr(0, comma), request);
    }
    return request;
}

dump_parts parse_dump(std::string_view text, std::string& problem) {
    dump_parts parts{false, false, false};
    for (bool is_last = false; !is_last;) {
        const size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        is_last = comma == std::string_view::npos;
        text.remove_prefix(is_last ? text.size() : comma + 1);
        if (part != "vgpr" && part != "sgpr" && part != "lds") {
            problem = "'" + std::string(part) + "': a list of vgpr, sgpr and lds is needed";
            return parts;
        }
        (part == "vgpr" ? parts.vgpr : part == "sgpr" ? parts.sgpr : parts.lds) = true;
    }
    return parts;
}

}  // namespace emu
