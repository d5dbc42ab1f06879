// hiprtcCompileProgram: clang as a child process, on files in a directory of its own.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "hiprtc/beside.hpp"
#include "hiprtc/lowered_names.hpp"
#include "hiprtc/process.hpp"
#include "hiprtc/program.hpp"

namespace emu {
namespace {

// include/opus/hip_minimal.hpp, so that it is there wherever the library is.
constexpr unsigned char hip_minimal[] = {
#include "hip_minimal.inc"
};

// What a source sees before its first line: HIP for kernels. Its warnings are nobody's.
std::string builtin_header() {
    std::string text = "#pragma GCC system_header\n";
    for (const char* macro : {"__HIPCC_RTC__", "HIPCC_RTC", "__HIP_PLATFORM_AMD__"}) {
        text += std::string("#ifndef ") + macro + "\n#define " + macro + " 1\n#endif\n";
    }
    text += "#line 1 \"hip_minimal.hpp\"\n";
    text.append(reinterpret_cast<const char*>(hip_minimal), sizeof hip_minimal);
    return text;
}

// As clang is to call the file; it lies elsewhere, and only for a moment.
std::string line_directive(const std::string& name) {
    std::string text = "#line 1 \"";
    for (const char c : name) {
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += c == '\n' ? ' ' : c;
    }
    return text + "\"\n";
}

struct compile_options {
    std::string target;
    bool makes_bitcode = false;
    std::vector<std::string> of_clang;
};

// The device of the libamdhip64.so beside this library; empty if it has none.
std::string device_target() {
    static const int here = 0;
    void* runtime = open_beside(&here, OPUS_EMU_LIBRARY);
    void* function = runtime == nullptr ? nullptr : ::dlsym(runtime, "opus_emulator_arch");
    if (function == nullptr) {
        return "";
    }
    const char* name = reinterpret_cast<const char* (*)()>(function)();
    return name == nullptr ? "" : name;
}

// Empty, with a problem, if they cannot be meant.
std::optional<compile_options> read_options(std::span<const std::string> options,
                                            std::string& problem) {
    compile_options read;
    for (const std::string& option : options) {
        std::string target;
        for (const std::string_view key : {"--offload-arch=", "--gpu-architecture="}) {
            target = option.starts_with(key) ? option.substr(key.size()) : target;
        }
        if (!target.empty()) {
            if (!read.target.empty() && read.target != target) {
                problem = "one architecture is needed, not " + read.target + " and " + target;
                return std::nullopt;
            }
            read.target = target;
        } else if (!option.empty()) {
            read.makes_bitcode =
                option == "-fgpu-rdc" || (read.makes_bitcode && option != "-fno-gpu-rdc");
            read.of_clang.push_back(option);
        }
    }
    if (read.target.empty()) {
        read.target = device_target();
    }
    if (read.target.empty()) {
        problem = "there is no device to compile for; --offload-arch names an architecture";
        return std::nullopt;
    }
    return read;
}

// In the order in which they are tried.
std::vector<std::string> compilers() {
    if (const char* chosen = std::getenv("OPUS_EMU_CLANG")) {
        return {chosen};
    }
    return {OPUS_EMU_DEFAULT_CLANG, "clang++-" OPUS_EMU_CLANG_MAJOR};
}

std::string files_problem(const std::filesystem::path& path) {
    return "cannot write " + path.string();
}

// Writes what clang is to read; what is wrong if that failed.
std::string write_files(const rtc_program& program, const std::filesystem::path& directory) {
    const auto headers = directory / "headers";
    std::vector<rtc_header> files = program.headers;
    // Which is there already, as HIP's hipRTC has it.
    constexpr const char* of_hip = "hip/hip_runtime.h";
    if (std::ranges::count(files, of_hip, &rtc_header::name) == 0) {
        files.push_back({of_hip, ""});
    }
    for (const rtc_header& file : files) {
        const auto path = headers / file.name;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        if (error || !write_file(path, line_directive(file.name) + file.text)) {
            return files_problem(path);
        }
    }
    const auto source = directory / "source.hip";
    const std::string text =
        line_directive(program.name) + program.source + table_of_names(program.expressions) + "\n";
    if (!write_file(source, text)) {
        return files_problem(source);
    }
    const auto builtin = directory / "builtin.hpp";
    return write_file(builtin, builtin_header()) ? "" : files_problem(builtin);
}

// What is the program's stands behind what it may change, and before what it may not.
std::vector<std::string> arguments_of_clang(const compile_options& options,
                                            const std::filesystem::path& directory,
                                            const std::filesystem::path& result) {
    std::vector<std::string> arguments = {
        "-O3", "-std=c++17", "-include", directory / "builtin.hpp", "-I", directory / "headers"};
    arguments.insert(arguments.end(), options.of_clang.begin(), options.of_clang.end());
    const std::vector<std::string> last = {
        "--offload-arch=" + options.target,
        "--cuda-device-only",
        "--no-gpu-bundle-output",
        "-nogpuinc",
        "-nogpulib",
        "-fno-crash-diagnostics",
    };
    arguments.insert(arguments.end(), last.begin(), last.end());
    if (options.makes_bitcode) {
        arguments.insert(arguments.end(), {"-c", "-emit-llvm"});
    }
    arguments.insert(arguments.end(),
                     {"-x", "hip", directory / "source.hip", "-o", result.string()});
    return arguments;
}

// Whether clang has refused an option, rather than the source: its message names no place.
bool refuses_an_option(const std::string& log) {
    constexpr std::string_view beginnings[] = {
        "unknown argument", "unsupported",         "invalid",
        "argument to",      "no such file or dir", "cannot specify"};
    constexpr std::string_view mark = "error: ";
    for (size_t from = 0; from < log.size();) {
        const size_t to = std::min(log.find('\n', from), log.size());
        const std::string_view line = std::string_view(log).substr(from, to - from);
        from = to + 1;
        // "error: ..." of the compiler, "clang++: error: ..." of its driver.
        const size_t at = line.find(mark);
        const bool has_no_place = at == 0 || (at != std::string_view::npos && at >= 2 &&
                                              line.find_first_of(": ") == at - 2);
        const auto begins = [&](std::string_view beginning) {
            return line.substr(at + mark.size()).starts_with(beginning);
        };
        if (line.starts_with("clang (LLVM option parsing)") ||
            (has_no_place && std::ranges::any_of(beginnings, begins))) {
            return true;
        }
    }
    return false;
}

// How files begin that a program may ask for.
constexpr std::string_view elf_mark = "\177ELF";
constexpr std::string_view bitcode_mark = "BC\xc0\xde";

hiprtcResult compile_in(const std::filesystem::path& directory, const compile_options& options,
                        rtc_program& program) {
    const auto said = [&](const std::string& text) {
        program.log += "opus emulator: " + text + "\n";
    };
    const std::string problem = write_files(program, directory);
    if (!problem.empty()) {
        said(problem);
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
    const auto output = directory / "log";
    const auto result = directory / "result";
    std::vector<std::string> command = arguments_of_clang(options, directory, result);
    command.insert(command.begin(), "");
    process_result process;
    for (const std::string& compiler : compilers()) {
        command.front() = compiler;
        process = run_process(command, output, directory);
        if (process.spawn_error == 0) {
            break;
        }
        said("cannot run the compiler '" + compiler + "': " + std::strerror(process.spawn_error));
    }
    if (process.spawn_error != 0) {
        said("hipRTC needs the clang++ that the emulator was built for; OPUS_EMU_CLANG names one");
        return HIPRTC_ERROR_COMPILATION;
    }
    program.log = read_file(output);
    if (!process.succeeded) {
        if (!process.problem.empty()) {
            said(command.front() + ": " + process.problem);
        }
        return refuses_an_option(program.log) ? HIPRTC_ERROR_INVALID_OPTION
                                              : HIPRTC_ERROR_COMPILATION;
    }
    std::string& bytes = options.makes_bitcode ? program.bitcode : program.code;
    const std::string_view mark = options.makes_bitcode ? bitcode_mark : elf_mark;
    bytes = read_file(result);
    if (!bytes.starts_with(mark)) {
        bytes.clear();
        said("with these options clang makes neither a code object nor, with -fgpu-rdc, bitcode");
        return HIPRTC_ERROR_INVALID_OPTION;
    }
    program.lowered_names = lowered_names(program.code, program.expressions);
    return HIPRTC_SUCCESS;
}

}  // namespace

hiprtcResult compile(rtc_program& program, std::span<const std::string> options) {
    program.is_compiled = true;
    program.log.clear();
    program.code.clear();
    program.bitcode.clear();
    program.lowered_names.clear();
    std::string problem;
    const auto read = read_options(options, problem);
    if (read && read->makes_bitcode && !program.expressions.empty()) {
        problem = "name expressions are looked up in code, and -fgpu-rdc makes bitcode";
    }
    if (!problem.empty()) {
        program.log = "opus emulator: " + problem + "\n";
        return HIPRTC_ERROR_INVALID_OPTION;
    }
    const temporary_directory directory;
    if (directory.path.empty()) {
        program.log = "opus emulator: " + directory.problem + "\n";
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
    return compile_in(directory.path, *read, program);
}

}  // namespace emu
