#include "machine/stop_request.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cstddef>

namespace emu {
namespace {

constexpr const char* place_needed =
    "a line (42 or gemm.hip:42), an instruction's distance from the first one (0x1c) or report is "
    "needed";

bool parse_place(llvm::StringRef text, stop_request& request) {
    if (text == "report") {
        request.kind = stop_kind::report;
        return true;
    }
    text.consume_front("+");  // as reports print it
    if (text.consume_front("0x")) {
        request.kind = stop_kind::address;
        return !text.getAsInteger(16, request.offset);
    }
    request.kind = stop_kind::line;
    if (text.contains(':')) {
        const auto [file, line] = text.rsplit(':');
        request.file = file;
        text = file.empty() ? file : line;
    }
    return !text.getAsInteger(10, request.line) && request.line != 0;
}

bool parse_group(llvm::StringRef text, std::array<uint32_t, 3>& group) {
    size_t n = 0;
    for (const llvm::StringRef id : llvm::split(text, ':')) {
        if (n == group.size() || id.getAsInteger(10, group[n])) {
            return false;
        }
        ++n;
    }
    return true;
}

// "wave=1" and its like.
std::string parse_which(llvm::StringRef text, stop_request& request) {
    const auto [name, value] = text.split('=');
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
        return !value.getAsInteger(10, request.wave) && request.wave >= 0
                   ? ""
                   : "wave= needs the number of a wave of the group";
    }
    if (name == "count") {
        return !value.getAsInteger(10, request.count) && request.count != 0
                   ? ""
                   : "count= needs a number from 1";
    }
    return "'" + text.str() + "': kernel=, group=, wave= and count= may follow the place";
}

}  // namespace

stop_request parse_stop(std::string_view text, std::string& problem) {
    stop_request request;
    request.text = text;
    const auto parts = llvm::split(text, ',');
    if (!parse_place(*parts.begin(), request)) {
        problem = place_needed;
    }
    for (const llvm::StringRef part : llvm::drop_begin(parts)) {
        if (problem.empty()) {
            problem = parse_which(part, request);
        }
    }
    return request;
}

dump_parts parse_dump(std::string_view text, std::string& problem) {
    dump_parts parts{false, false, false};
    for (const llvm::StringRef part : llvm::split(text, ',')) {
        if (part != "vgpr" && part != "sgpr" && part != "lds") {
            problem = "'" + part.str() + "': a list of vgpr, sgpr and lds is needed";
            return parts;
        }
        (part == "vgpr" ? parts.vgpr : part == "sgpr" ? parts.sgpr : parts.lds) = true;
    }
    return parts;
}

}  // namespace emu
