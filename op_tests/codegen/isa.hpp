// The generated assembly of one kernel: its instructions and the resources it was given.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace codegen {

struct kernel_isa {
    std::vector<std::string> instructions;  // without comments and labels
    std::vector<std::string> loops;  // of each instruction: the header of its innermost loop, or ""
    std::vector<std::string> inner_loops;  // headers of loops that contain no other
    std::vector<std::string> hints;        // to the scheduler: "sched_barrier mask(0x00000000)"
    std::vector<std::string> order;        // instructions and hints as they stand
    int vgprs = 0;
    int sgprs = 0;
    int scratch_bytes = 0;
    int spilled_registers = 0;

    int count_prefix(const std::string& prefix) const {
        int n = 0;
        for (const std::string& i : instructions) {
            n += i.compare(0, prefix.size(), prefix) == 0;
        }
        return n;
    }
    int count_containing(const std::string& text) const {
        int n = 0;
        for (const std::string& i : instructions) {
            n += i.find(text) != std::string::npos;
        }
        return n;
    }
    // The instructions of the one loop that contains no other, those of all its blocks.
    kernel_isa hot_loop() const {
        if (inner_loops.size() != 1) {
            throw std::runtime_error(std::to_string(inner_loops.size()) + " inner loops, not one");
        }
        kernel_isa loop;
        for (size_t i = 0; i < instructions.size(); i++) {
            if (loops[i] == inner_loops[0]) {
                loop.instructions.push_back(instructions[i]);
            }
        }
        return loop;
    }
    int mfma() const { return count_prefix("v_mfma"); }
    int valu() const { return count_prefix("v_") - mfma(); }
    int total() const { return static_cast<int>(instructions.size()); }
};

// The wait states that the header puts behind wide stores through a scalar offset, for compilers that
// have none there.
inline int states_behind_stores(const kernel_isa& k) {
    int n = 0;
    for (size_t i = 0; i + 1 < k.instructions.size(); i++) {
        const std::string& store = k.instructions[i];
        const bool is_wide = store.rfind("buffer_store_dwordx4", 0) == 0 ||
                             store.rfind("buffer_store_dwordx3", 0) == 0;
        for (size_t next = i + 1; is_wide && next < std::min(i + 4, k.instructions.size());
             next++) {
            if (k.instructions[next] == "s_nop 0") {
                n++;
                break;
            }
        }
    }
    return n;
}

inline std::string trimmed(const std::string& line) {
    const std::string code = line.substr(0, line.find(';'));
    const size_t first = code.find_first_not_of(" \t");
    if (first == std::string::npos) {
        return "";
    }
    return code.substr(first, code.find_last_not_of(" \t") - first + 1);
}

// The vector registers that an instruction names, v1, v2 and a3 of "v[1:2], a3".
inline std::set<std::string> vector_registers(const std::string& instruction) {
    static const std::regex pattern("\\b([va])(?:\\[([0-9]+):([0-9]+)\\]|([0-9]+)\\b)");
    std::set<std::string> registers;
    for (std::sregex_iterator i(instruction.begin(), instruction.end(), pattern), end; i != end;
         ++i) {
        const std::smatch& m = *i;
        const int first = std::stoi(m[4].matched ? m[4] : m[2]);
        const int last = std::stoi(m[4].matched ? m[4] : m[3]);
        for (int r = first; r <= last; r++) {
            registers.insert(m[1].str() + std::to_string(r));
        }
    }
    return registers;
}

// The kernel `name` of an assembly file that clang wrote for an AMD GPU. Its body goes from the
// label to .Lfunc_end; the figures are those of the metadata, which lists kernels by .name. Blocks
// begin with a label, or with a comment "; %bb.1:" where nothing jumps to them, and comments there
// say which loop they belong to: "in Loop: Header=BB0_1", and "This Inner Loop Header" for BB0_1.
inline kernel_isa read_kernel(const std::string& path, const std::string& name) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    kernel_isa kernel;
    std::string block;
    std::string loop;
    bool in_body = false;
    bool found_body = false;
    bool in_metadata = false;
    bool found_figures = false;
    // An entry's figures may stand before and after its name: they are kept until the entry ends.
    kernel_isa figures;
    std::string entry_name;
    const auto end_entry = [&] {
        if (entry_name == name) {
            kernel.vgprs = figures.vgprs;
            kernel.sgprs = figures.sgprs;
            kernel.scratch_bytes = figures.scratch_bytes;
            kernel.spilled_registers = figures.spilled_registers;
            found_figures = true;
        }
        figures = {};
        entry_name.clear();
    };
    const auto value = [](const std::string& text) {
        return std::stoi(text.substr(text.find(':') + 1));
    };
    for (std::string line; std::getline(file, line);) {
        const std::string code = trimmed(line);
        if (code == name + ":") {
            in_body = found_body = true;
        } else if (code.rfind(".Lfunc_end", 0) == 0) {
            in_body = false;
        } else if (code == ".amdgpu_metadata") {
            in_metadata = true;
        } else if (in_metadata) {
            if (code.rfind("- .agpr_count", 0) == 0 || code == ".end_amdgpu_metadata") {
                end_entry();
            } else if (code.rfind(".name:", 0) == 0 && line.rfind("    .name:", 0) == 0) {
                entry_name = code.substr(code.find_first_not_of(" :", 5));
            } else if (code.rfind(".vgpr_count:", 0) == 0) {
                figures.vgprs = value(code);
            } else if (code.rfind(".sgpr_count:", 0) == 0) {
                figures.sgprs = value(code);
            } else if (code.rfind(".private_segment_fixed_size:", 0) == 0) {
                figures.scratch_bytes = value(code);
            } else if (code.rfind(".vgpr_spill_count:", 0) == 0 ||
                       code.rfind(".sgpr_spill_count:", 0) == 0) {
                figures.spilled_registers += value(code);
            }
        } else if (in_body) {
            if (code.rfind(".LBB", 0) == 0 || line.rfind("; %bb.", 0) == 0) {
                block = code.empty() ? "" : code.substr(2, code.size() - 3);
                loop.clear();
            }
            const size_t hint = line.find("; sched_");
            if (hint != std::string::npos) {
                kernel.hints.push_back(line.substr(hint + 2));
                kernel.order.push_back(kernel.hints.back());
            }
            const std::string in_loop = "in Loop: Header=";
            if (line.find("This Inner Loop Header") != std::string::npos) {
                loop = block;
                kernel.inner_loops.push_back(block);
            } else if (const size_t at = line.find(in_loop); at != std::string::npos) {
                const size_t begin = at + in_loop.size();
                loop = line.substr(begin, line.find(' ', begin) - begin);
            }
            if (!code.empty() && std::isalpha(static_cast<unsigned char>(code[0])) &&
                code.back() != ':') {
                kernel.instructions.push_back(code);
                kernel.order.push_back(code);
                kernel.loops.push_back(loop);
            }
        }
    }
    if (!found_body || !found_figures) {
        throw std::runtime_error(path + ": no kernel " + name);
    }
    return kernel;
}

// The labels of a file that contain `part`.
inline std::vector<std::string> labels_with(const std::string& path, const std::string& part) {
    std::ifstream file(path);
    std::vector<std::string> labels;
    for (std::string line; std::getline(file, line);) {
        const std::string code = trimmed(line);
        if (code.find(part) != std::string::npos && code.back() == ':' &&
            code.find(' ') == std::string::npos) {
            labels.push_back(code.substr(0, code.size() - 1));
        }
    }
    return labels;
}

// The one kernel with `part` in its name; fp16_t is __fp16 ("Dh") or _Float16 ("DF16_").
inline kernel_isa kernel_with(const std::string& file, std::string part) {
    std::vector<std::string> names = labels_with(file, part);
    const size_t at = part.find("Dh");
    if (names.empty() && at != std::string::npos) {
        names = labels_with(file, part.replace(at, 2, "DF16_"));
    }
    if (names.size() != 1) {
        throw std::runtime_error(part + ": " + std::to_string(names.size()) + " kernels, not one");
    }
    return read_kernel(file, names[0]);
}

}  // namespace codegen
