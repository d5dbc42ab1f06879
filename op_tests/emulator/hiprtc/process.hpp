// A directory of temporary files, and a child process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace emu {

// Removed with all that is in it when the object ends.
struct temporary_directory {
    temporary_directory();
    ~temporary_directory();
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    std::filesystem::path path;  // empty: there could be none
    std::string problem;         // why
};

struct process_result {
    int spawn_error = 0;  // of errno: there was no process
    bool succeeded = false;
    std::string problem;  // how it ended, if not by an exit status
};

// Runs a program, found as execvp does, without a shell. Both of its output streams go to the file
// `output`, its own temporary files to the directory `temporary`; its input is empty.
process_result run_process(const std::vector<std::string>& arguments,
                           const std::filesystem::path& output,
                           const std::filesystem::path& temporary);

// The bytes of a file; empty if there is none.
std::string read_file(const std::filesystem::path& path);

bool write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace emu
