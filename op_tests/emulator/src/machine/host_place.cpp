#include "machine/host_place.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "machine/text.hpp"

namespace emu {
namespace {

const void* base_of(const void* address) {
    Dl_info info{};
    return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// "main, a.hip:12" of an address in a module, innermost first, without the frames of opus's headers;
// empty where there are no symbols.
std::string symbol_of(const std::string& module, uint64_t offset) {
    llvm::symbolize::LLVMSymbolizer symbolizer;
    auto frames = symbolizer.symbolizeInlinedCode(
        module, {offset, llvm::object::SectionedAddress::UndefSection});
    if (!frames) {
        llvm::consumeError(frames.takeError());
        return "";
    }
    for (uint32_t n = 0; n < frames->getNumberOfFrames(); ++n) {
        const llvm::DILineInfo& frame = frames->getFrame(n);
        const bool is_last = n + 1 == frames->getNumberOfFrames();
        const bool is_in_opus = frame.FileName.ends_with("opus/hip_minimal.hpp");
        if (frame.FunctionName == llvm::DILineInfo::BadString || (is_in_opus && !is_last)) {
            continue;
        }
        const std::string line =
            frame.Line == 0 ? "" : ", " + frame.FileName + ":" + std::to_string(frame.Line);
        return frame.FunctionName + line;
    }
    return "";
}

}  // namespace

host_place host_place::here() {
    host_place place;
    place.count_ = ::backtrace(place.callers_.data(), static_cast<int>(place.callers_.size()));
    return place;
}

std::string host_place::text() const {
    const void* own = base_of(reinterpret_cast<const void*>(&name_of_host_memory));
    for (int n = 0; n < count_; ++n) {
        Dl_info info{};
        // What is on the stack is the address behind the call.
        const char* call = static_cast<const char*>(callers_[static_cast<size_t>(n)]) - 1;
        if (::dladdr(call, &info) == 0 || info.dli_fbase == own || info.dli_fname == nullptr) {
            continue;
        }
        const auto offset = static_cast<uint64_t>(call - static_cast<const char*>(info.dli_fbase));
        std::string symbol = symbol_of(info.dli_fname, offset);
        if (!symbol.empty()) {
            return symbol;
        }
        return info.dli_fname + format("+0x%" PRIx64, offset);
    }
    return "";
}

std::string name_of_host_memory(uint64_t address) {
    // begin-end permissions offset device inode [path]
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        uint64_t begin = 0;
        uint64_t end = 0;
        int path = 0;
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &begin, &end,
                        &path) < 2 ||
            address < begin || address >= end) {
            continue;
        }
        const std::string name = path == 0 ? "" : line.substr(static_cast<size_t>(path));
        if (name == "[stack]") {
            return "host memory (the stack)";
        }
        if (name == "[heap]") {
            return "host memory (the heap)";
        }
        return name.empty() || name[0] != '/' ? "host memory"
                                              : "host memory (static, " + name + ")";
    }
    return "";
}

}  // namespace emu
