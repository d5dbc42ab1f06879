// The lists of docs/emulator.md and of pages beside it, for the tests that compare them with the code.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace emu {

// The cells of the table below this head.
inline std::vector<std::vector<std::string>> table_of_docs(const std::string& head,
                                                           const char* page = "emulator.md") {
    std::ifstream file(std::filesystem::path(OPUS_EMU_DOCS).replace_filename(page));
    std::vector<std::vector<std::string>> rows;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line == head) {
            is_inside = true;
        } else if (is_inside && !line.starts_with("|")) {
            break;
        } else if (is_inside && !line.starts_with("|---")) {
            std::vector<std::string> cells;
            for (size_t from = 2, to = 0; (to = line.find(" |", from)) != std::string::npos;
                 from = to + 3) {
                cells.push_back(line.substr(from, to - from));
            }
            rows.push_back(cells);
        }
    }
    return rows;
}

// What is in backticks, but for paths, in the list's item that begins like this.
inline std::set<std::string> names_in_docs(const std::string& head) {
    std::ifstream file(OPUS_EMU_DOCS);
    std::string text;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        is_inside = line.starts_with(head) || (is_inside && line.starts_with("  "));
        text += is_inside ? line + "\n" : "";
    }
    std::set<std::string> names;
    for (size_t from = text.find('`'); from != std::string::npos;) {
        const size_t to = text.find('`', from + 1);
        const std::string name = text.substr(from + 1, to - from - 1);
        if (name.find('/') == std::string::npos) {
            names.insert(name);
        }
        from = to == std::string::npos ? to : text.find('`', to + 1);
    }
    return names;
}

}  // namespace emu
