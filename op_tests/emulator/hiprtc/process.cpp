#include "hiprtc/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace emu {
namespace {

// The attributes and actions of a child, which posix_spawn wants to have initialised and destroyed.
struct spawn_settings {
    spawn_settings(const std::filesystem::path& output) {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
        // The thread may have blocked signals; clang waits for children of its own.
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes, &signals);
        ::sigaddset(&signals, SIGPIPE);
        ::sigaddset(&signals, SIGCHLD);
        ::posix_spawnattr_setsigdefault(&attributes, &signals);
    }
    ~spawn_settings() {
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&actions);
    }
    spawn_settings(const spawn_settings&) = delete;
    spawn_settings& operator=(const spawn_settings&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with_temporary(const std::filesystem::path& directory) {
    std::vector<std::string> variables = {"TMPDIR=" + directory.string()};
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (!std::string_view(*entry).starts_with("TMPDIR=")) {
            variables.emplace_back(*entry);
        }
    }
    return variables;
}

}  // namespace

temporary_directory::temporary_directory() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = (parent / "opus-hiprtc-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
        const std::string reason = error ? error.message() : std::strerror(errno);
        problem = "no temporary directory like " + name + ": " + reason;
        return;
    }
    path = name;
}

temporary_directory::~temporary_directory() {
    std::error_code error;
    if (!path.empty()) {
        std::filesystem::remove_all(path, error);
    }
}

process_result run_process(const std::vector<std::string>& arguments,
                           const std::filesystem::path& output,
                           const std::filesystem::path& temporary) {
    const spawn_settings settings(output);
    std::vector<std::string> texts = arguments;
    std::vector<std::string> variables = environment_with_temporary(temporary);
    process_result result;
    pid_t child = 0;
    result.spawn_error =
        ::posix_spawnp(&child, texts.front().c_str(), &settings.actions, &settings.attributes,
                       pointers_to(texts).data(), pointers_to(variables).data());
    if (result.spawn_error != 0) {
        return result;
    }
    int status = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(child, &status, 0);
    } while (ended == -1 && errno == EINTR);
    if (ended == -1) {
        result.problem = std::string("its end is not known, as the program ignores SIGCHLD: ") +
                         std::strerror(errno);
    } else if (WIFSIGNALED(status)) {
        result.problem = "signal " + std::to_string(WTERMSIG(status)) + " has ended it";
    } else {
        result.succeeded = WEXITSTATUS(status) == 0;
    }
    return result;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    return file.flush().good();
}

}  // namespace emu
