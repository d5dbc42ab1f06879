#include "lint/command.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "lint/input.hpp"
#include "lint/lint.hpp"
#include "machine/text.hpp"

namespace emu {
namespace {

// A kernel with what was found in it, and the lines of its source.
struct linted {
    lint_kernel kernel;
    std::string name;  // as in the source
    lint_result result;
    std::map<uint64_t, source_frames> frames;

    std::string offset(const instruction& i) const {
        const bool is_before = i.address < kernel.entry;
        return format("%s0x%" PRIx64, is_before ? "-" : "+",
                      is_before ? kernel.entry - i.address : i.address - kernel.entry);
    }
    std::string source(const instruction& i) const {
        const auto found = frames.find(i.address);
        return found == frames.end() ? "" : all_frames(found->second);
    }
};

linted look_at(const lint_kernel& kernel, bool without_errata) {
    linted all{kernel, llvm::demangle(kernel.symbol), lint(*kernel.code, kernel.entry), {}};
    std::erase_if(all.result.findings, [&](const lint_finding& f) {
        return without_errata && f.kind == lint_kind::errata;
    });
    for (const lint_finding& f : all.result.findings) {
        all.frames[f.at->address];
        if (f.first != nullptr) {
            all.frames[f.first->address];
        }
        for (const lint_step& step : f.path) {
            all.frames[step.at->address];
        }
    }
    std::vector<uint64_t> addresses;
    for (const auto& [address, frames] : all.frames) {
        addresses.push_back(address);
    }
    const auto found = kernel.code->frames_of(addresses);
    for (size_t n = 0; n < addresses.size(); ++n) {
        all.frames[addresses[n]] = found[n];
    }
    return all;
}

const char* name_of(lint_kind kind) {
    constexpr const char* names[] = {"hazards", "waits", "decode", "errata"};
    return names[static_cast<size_t>(kind)];
}

// ---- text, as the emulator's reports ----

void print_instruction(const linted& all, const instruction& i) {
    std::printf("  pc          %s from its first instruction\n  instruction %s\n",
                all.offset(i).c_str(), i.text.c_str());
    const std::string source = all.source(i);
    if (!source.empty()) {
        std::printf("  source      %s\n", source.c_str());
    }
}

void print_finding(const std::string& file, const linted& all, const lint_finding& f) {
    std::printf("opus-emu --lint: %s\n  check       %s\n  file        %s\n  kernel      %s, %s\n",
                f.message.c_str(), name_of(f.kind), file.c_str(), all.kernel.symbol.c_str(),
                target_name(all.kernel.target));
    print_instruction(all, *f.at);
    if (f.first != nullptr) {
        std::printf("the first one:\n");
        print_instruction(all, *f.first);
    }
    const char* head = "path";
    for (const lint_step& step : f.path) {
        const std::string source = all.source(*step.at);
        std::printf("  %-11s %s %s %s %s%s%s\n", head, all.offset(*step.at).c_str(),
                    step.at->mnemonic.c_str(), step.is_taken ? "to" : "not taken, to",
                    all.offset(*step.to).c_str(), source.empty() ? "" : "  ", source.c_str());
        head = "";
    }
    std::printf("  cure        %s\n", f.cure.c_str());
}

// ---- JSON ----

void write_instruction(llvm::json::OStream& json, const linted& all, const instruction& i) {
    json.attribute("offset", all.offset(i));
    json.attribute("instruction", i.text);
    json.attribute("source", all.source(i));
}

void write_finding(llvm::json::OStream& json, const linted& all, const lint_finding& f) {
    json.object([&] {
        json.attribute("check", name_of(f.kind));
        json.attribute("message", f.message);
        write_instruction(json, all, *f.at);
        if (f.first != nullptr) {
            json.attributeObject("first", [&] { write_instruction(json, all, *f.first); });
        }
        json.attributeArray("path", [&] {
            for (const lint_step& step : f.path) {
                json.object([&] {
                    write_instruction(json, all, *step.at);
                    json.attribute("taken", step.is_taken);
                    json.attribute("to", all.offset(*step.to));
                });
            }
        });
        json.attribute("cure", f.cure);
    });
}

void write_kernel(llvm::json::OStream& json, const std::string& file, const linted& all) {
    json.object([&] {
        json.attribute("file", file);
        json.attribute("kernel", all.name);
        json.attribute("symbol", all.kernel.symbol);
        json.attribute("target", target_name(all.kernel.target));
        json.attribute("instructions", static_cast<int64_t>(all.result.instructions));
        json.attributeArray("not_followed", [&] {
            for (const std::string& text : all.result.not_followed) {
                json.value(text);
            }
        });
        json.attributeArray("findings", [&] {
            for (const lint_finding& f : all.result.findings) {
                write_finding(json, all, f);
            }
        });
    });
}

// ---- files ----

std::string contents(const std::string& file) {
    if (file == "-") {
        return {std::istreambuf_iterator<char>(std::cin), {}};
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.good() && !stream.eof()) {
        throw std::runtime_error("cannot be read");
    }
    return text;
}

bool is_wanted(const lint_kernel& kernel, const std::string& part) {
    return part.empty() || kernel.symbol.find(part) != std::string::npos ||
           llvm::demangle(kernel.symbol).find(part) != std::string::npos;
}

}  // namespace

int lint_files(const lint_options& options) {
    std::optional<llvm::json::OStream> json;
    if (options.as_json) {
        json.emplace(llvm::outs(), 2);
        json->arrayBegin();
    }
    int status = 0;
    for (const std::string& file : options.files) {
        size_t kernels = 0;
        size_t instructions = 0;
        size_t findings = 0;
        const auto look = [&](const lint_kernel& kernel) {
            if (!is_wanted(kernel, options.kernel)) {
                return;
            }
            const linted all = look_at(kernel, options.without_errata);
            ++kernels;
            instructions += all.result.instructions;
            findings += all.result.findings.size();
            if (json) {
                write_kernel(*json, file, all);
                return;
            }
            for (const lint_finding& f : all.result.findings) {
                print_finding(file, all, f);
            }
            for (const std::string& text : all.result.not_followed) {
                std::printf("opus-emu --lint: %s: %s, %s: not followed: %s\n", file.c_str(),
                            kernel.symbol.c_str(), target_name(kernel.target), text.c_str());
            }
        };
        try {
            const std::string text = contents(file);
            for_each_kernel({reinterpret_cast<const std::byte*>(text.data()), text.size()},
                            options.target, look);
            if (kernels == 0) {
                throw std::runtime_error("no kernel has " + options.kernel + " in its name");
            }
        } catch (const std::exception& error) {
            std::fprintf(stderr, "opus-emu --lint: %s: %s\n", file.c_str(), error.what());
            status = lint_unreadable;
            continue;
        }
        if (findings != 0 && status == 0) {
            status = lint_found;
        }
        if (!options.as_json) {
            std::printf("opus-emu --lint: %s: %zu kernels, %zu instructions, %zu findings\n",
                        file.c_str(), kernels, instructions, findings);
        }
    }
    if (json) {
        json->arrayEnd();
        json->flush();
        llvm::outs() << "\n";
    }
    return status;
}

}  // namespace emu
