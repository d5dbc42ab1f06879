// The functions of libhiprtc.so. What HIP's documentation leaves open: a program that is none, or
// that was not compiled to what is asked for, is an invalid program.

#include "hiprtc/hiprtc.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "hiprtc/program.hpp"

namespace emu {
namespace {

// All programs that were created and not destroyed. It outlives every other object: a thread may
// still compile when the process ends.
struct program_table {
    std::mutex mutex;
    std::map<hiprtcProgram, std::shared_ptr<rtc_program>> programs;
};

program_table& table() {
    static program_table* const all = new program_table;
    return *all;
}

std::shared_ptr<rtc_program> find(hiprtcProgram handle) {
    const std::scoped_lock lock(table().mutex);
    const auto found = table().programs.find(handle);
    return found == table().programs.end() ? nullptr : found->second;
}

void say(const std::string& text) {
    std::fprintf(stderr, "opus emulator: %s\n", text.c_str());
}

// Nothing is thrown through a function of C.
template <class Function>
hiprtcResult guarded(const Function& function) {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception& exception) {
        say(std::string("hiprtc: ") + exception.what());
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
}

// The same with the program of this handle, which nobody else changes meanwhile.
template <class Function>
hiprtcResult with_program(hiprtcProgram handle, const Function& function) {
    return guarded([&] {
        const std::shared_ptr<rtc_program> program = find(handle);
        if (program == nullptr) {
            return HIPRTC_ERROR_INVALID_PROGRAM;
        }
        const std::scoped_lock lock(program->mutex);
        return function(*program);
    });
}

bool has_null(const char* const* texts, int count) {
    return count > 0 &&
           (texts == nullptr || std::find(texts, texts + count, nullptr) != texts + count);
}

// Whether it stays in the directory that headers are written to. The path is a normal one.
bool is_below(const std::filesystem::path& path) {
    return path.is_relative() && path.has_filename() && *path.begin() != "..";
}

// The same for what a program consists of: its code, its bitcode.
hiprtcResult size_of(hiprtcProgram handle, std::string rtc_program::* bytes, size_t* size) {
    if (size == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](const rtc_program& program) {
        if ((program.*bytes).empty()) {
            return HIPRTC_ERROR_INVALID_PROGRAM;
        }
        *size = (program.*bytes).size();
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult copy_of(hiprtcProgram handle, std::string rtc_program::* bytes, char* to) {
    if (to == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](const rtc_program& program) {
        if ((program.*bytes).empty()) {
            return HIPRTC_ERROR_INVALID_PROGRAM;
        }
        std::ranges::copy(program.*bytes, to);
        return HIPRTC_SUCCESS;
    });
}

// hiprtcResult has nothing nearer.
hiprtcResult not_supported(std::atomic_flag& said, const char* name) {
    if (!said.test_and_set()) {
        say(std::string(name) + " is not supported");
    }
    return HIPRTC_ERROR_INTERNAL_ERROR;
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// That of hipRuntimeGetVersion.
hiprtcResult hiprtcVersion(int* major, int* minor) {
    if (major == nullptr || minor == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    *major = 7;
    *minor = 0;
    return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* handle, const char* source, const char* name,
                                 int headers, const char* const* texts, const char* const* names) {
    if (handle == nullptr) {
        return HIPRTC_ERROR_INVALID_PROGRAM;
    }
    if (source == nullptr || headers < 0 || has_null(texts, headers) || has_null(names, headers)) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return guarded([&] {
        auto program = std::make_shared<rtc_program>();
        program->source = source;
        program->name = name == nullptr || *name == 0 ? "default_program" : name;
        for (int n = 0; n < headers; ++n) {
            const auto path = std::filesystem::path(names[n]).lexically_normal();
            const rtc_header header = {path.string(), texts[n]};
            const auto same = std::ranges::find(program->headers, header.name, &rtc_header::name);
            const bool is_other = same != program->headers.end() && same->text != header.text;
            if (is_other || !is_below(path)) {
                say("hiprtcCreateProgram: the name of a header is '" + header.name +
                    (is_other ? "', twice with other texts"
                              : "'; one below a directory is needed"));
                return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
            }
            if (same == program->headers.end()) {
                program->headers.push_back(header);
            }
        }
        const auto created = reinterpret_cast<hiprtcProgram>(program.get());
        const std::scoped_lock lock(table().mutex);
        table().programs[created] = std::move(program);
        *handle = created;
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* handle) {
    if (handle == nullptr || *handle == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return guarded([&] {
        const std::scoped_lock lock(table().mutex);
        if (table().programs.erase(*handle) == 0) {
            return HIPRTC_ERROR_INVALID_PROGRAM;
        }
        *handle = nullptr;
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram handle, const char* expression) {
    if (expression == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](rtc_program& program) {
        if (program.is_compiled) {
            return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
        }
        if (std::ranges::count(program.expressions, expression) == 0) {
            program.expressions.emplace_back(expression);
        }
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram handle, int count, const char* const* options) {
    if (count < 0 || has_null(options, count)) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](rtc_program& program) {
        return compile(program, std::vector<std::string>(options, options + count));
    });
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram handle, const char* expression, const char** name) {
    if (handle == nullptr || expression == nullptr || name == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](const rtc_program& program) {
        if (!program.is_compiled) {
            return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
        }
        if (std::ranges::count(program.expressions, expression) == 0) {
            return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        }
        const auto found = program.lowered_names.find(expression);
        if (found == program.lowered_names.end()) {
            return HIPRTC_ERROR_COMPILATION;
        }
        *name = found->second.c_str();
        return HIPRTC_SUCCESS;
    });
}

// With the byte that ends the text. No log has no bytes: HIP's documentation takes every other size
// for an error or a warning.
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram handle, size_t* size) {
    if (size == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](const rtc_program& program) {
        *size = program.log.empty() ? 0 : program.log.size() + 1;
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram handle, char* log) {
    if (log == nullptr) {
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return with_program(handle, [&](const rtc_program& program) {
        if (!program.log.empty()) {
            std::memcpy(log, program.log.c_str(), program.log.size() + 1);
        }
        return HIPRTC_SUCCESS;
    });
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram handle, size_t* size) {
    return size_of(handle, &rtc_program::code, size);
}

hiprtcResult hiprtcGetCode(hiprtcProgram handle, char* code) {
    return copy_of(handle, &rtc_program::code, code);
}

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram handle, size_t* size) {
    return size_of(handle, &rtc_program::bitcode, size);
}

hiprtcResult hiprtcGetBitcode(hiprtcProgram handle, char* bitcode) {
    return copy_of(handle, &rtc_program::bitcode, bitcode);
}

// Linking bitcode of programs and files.
hiprtcResult hiprtcLinkCreate(unsigned /*count*/, hiprtcJIT_option* /*options*/, void** /*values*/,
                              hiprtcLinkState* /*state*/) {
    static std::atomic_flag said;
    return not_supported(said, "hiprtcLinkCreate");
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState /*state*/, hiprtcJITInputType /*type*/,
                               const char* /*path*/, unsigned /*count*/,
                               hiprtcJIT_option* /*options*/, void** /*values*/) {
    static std::atomic_flag said;
    return not_supported(said, "hiprtcLinkAddFile");
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState /*state*/, hiprtcJITInputType /*type*/,
                               void* /*data*/, size_t /*size*/, const char* /*name*/,
                               unsigned /*count*/, hiprtcJIT_option* /*options*/,
                               void** /*values*/) {
    static std::atomic_flag said;
    return not_supported(said, "hiprtcLinkAddData");
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState /*state*/, void** /*code*/, size_t* /*size*/) {
    static std::atomic_flag said;
    return not_supported(said, "hiprtcLinkComplete");
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState /*state*/) {
    static std::atomic_flag said;
    return not_supported(said, "hiprtcLinkDestroy");
}

}  // extern "C"
#pragma GCC visibility pop
