// opus-emu: runs a program on the emulator, looks for mistakes in its code without running it, and
// says what the emulator can execute.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/decode.hpp"
#include "isa/levels.hpp"
#include "lint/command.hpp"
#include "loader/code_object.hpp"
#include "machine/settings.hpp"

namespace {

// The exit status where no program was run, as env, nice and others have it.
constexpr int failed = 125;
constexpr int not_executable = 126;
constexpr int not_found = 127;

// The directory of the emulator's libamdhip64.so: that of this program in a build, below the same
// prefix where it is installed. Empty if it is in neither.
std::filesystem::path library_directory() {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto& directory : {here, here / OPUS_EMU_INSTALLED_DIRECTORY}) {
        if (std::filesystem::exists(directory / OPUS_EMU_LIBRARY, error)) {
            return std::filesystem::canonical(directory, error);
        }
    }
    return {};
}

// Does not return if the program can be run.
int run(const std::string& arch, const std::vector<std::string>& command) {
    const auto directory = library_directory();
    if (directory.empty()) {
        std::fprintf(stderr, "opus-emu: " OPUS_EMU_LIBRARY
                             " is neither beside this program nor in " OPUS_EMU_INSTALLED_DIRECTORY
                             " from there\n");
        return failed;
    }
    std::string path = directory.string();
    const char* before = std::getenv("LD_LIBRARY_PATH");
    if (before != nullptr && *before != 0) {
        path += std::string(":") + before;
    }
    if (::setenv("LD_LIBRARY_PATH", path.c_str(), 1) != 0 ||
        ::setenv("OPUS_EMU_ARCH", arch.c_str(), 1) != 0) {
        std::perror("opus-emu: setenv");
        return failed;
    }
    // Ends here if the environment says what means nothing.
    emu::chosen_level();
    const uint32_t checks = emu::read_settings().checks;
    std::fprintf(stderr,
                 "opus-emu: %s on the CPU (%s/" OPUS_EMU_LIBRARY
                 ")\n"
                 "opus-emu: checks: %s; off: %s; OPUS_EMU_CHECK=all, none or a list chooses\n",
                 arch.c_str(), directory.c_str(), emu::names_of(checks).c_str(),
                 emu::names_of(emu::check::all() & ~checks).c_str());

    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    std::fprintf(stderr, "opus-emu: %s: %s\n", arguments[0], std::strerror(error));
    return error == ENOENT ? not_found : not_executable;
}

// Whether --lint is an option of this program, not of one that it runs.
bool has_lint(int argc, char** argv) {
    for (int n = 1; n < argc && argv[n][0] == '-' && std::strcmp(argv[n], "--") != 0; ++n) {
        if (std::strcmp(argv[n], "--lint") == 0) {
            return true;
        }
        if (std::strcmp(argv[n], "--arch") == 0 || std::strcmp(argv[n], "--kernel") == 0) {
            ++n;
        }
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Runs a HIP program on the opus emulator (libamdhip64.so on the CPU):\n"
        "    opus-emu [--arch gfx950] program [arguments of the program]\n"
        "looks for wait states and waits that are missing on any path through its code:\n"
        "    opus-emu [--arch gfx950] --lint [--kernel NAME] [--no-errata] [--json] FILE...\n"
        "or lists what the emulator executes:\n"
        "    opus-emu [--arch gfx950] --list\n",
        "opus-emu");
    app.footer(
        "OPUS_EMU_CHECK, OPUS_EMU_PROFILE and others are variables of the environment; "
        "docs/emulator.md lists them.");
    app.prefix_command();
    app.set_version_flag("--version", "opus-emu " OPUS_EMU_VERSION);
    bool list = false;
    emu::lint_options lint;
    const char* default_arch = std::getenv("OPUS_EMU_ARCH");
    std::string arch = default_arch != nullptr ? default_arch : "gfx942";
    app.add_flag("--list", list, "print the mnemonics that are implemented, one per line");
    const CLI::Option* const arch_option =
        app.add_option("--arch", arch,
                       "gfx942 or gfx950; default: OPUS_EMU_ARCH, else gfx942; of --lint: both")
            ->check(CLI::IsMember({"gfx942", "gfx950"}));
    bool lints = false;
    app.add_flag(
        "--lint", lints,
        "look at programs, fat binaries, code objects, assembly; -: the standard input. The "
        "status is 1 if anything was found, 2 if a file cannot be read");
    if (has_lint(argc, argv)) {  // options may stand behind the files
        app.prefix_command(false);
        app.add_option("FILE", lint.files)->required();
    }
    app.add_option("--kernel", lint.kernel, "of --lint: kernels with this in their name")
        ->needs("--lint");
    app.add_flag("--no-errata", lint.without_errata,
                 "of --lint: without code that some chips run wrongly")
        ->needs("--lint");
    app.add_flag("--json", lint.as_json, "of --lint: an array of kernels")->needs("--lint");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : failed;
    }
    const auto target = arch == "gfx942" ? emu::gfx_target::gfx942 : emu::gfx_target::gfx950;
    if (lints) {
        if (arch_option->count() != 0) {
            lint.target = target;
        }
        return emu::lint_files(lint);
    }
    if (arch != "gfx942" && arch != "gfx950") {
        std::fprintf(stderr, "opus-emu: OPUS_EMU_ARCH is %s; it may be gfx942 or gfx950\n",
                     arch.c_str());
        return failed;
    }

    std::vector<std::string> command = app.remaining();
    if (!command.empty() && command[0] == "--") {
        command.erase(command.begin());
    } else if (!command.empty() && command[0][0] == '-') {
        std::fprintf(stderr, "opus-emu: no option %s; try --help\n", command[0].c_str());
        return failed;
    }
    if (list == !command.empty()) {
        std::fprintf(stderr, "opus-emu: a program, --lint or --list is needed; try --help\n");
        return failed;
    }
    if (!list) {
        return run(arch, command);
    }
    for (const std::string& mnemonic : emu::implemented_mnemonics(target)) {
        std::puts(mnemonic.c_str());
    }
}
