#include "assemble.hpp"

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace emu {
namespace {

struct temporary_directory {
    std::string path;
    temporary_directory() {
        const char* base = std::getenv("TMPDIR");
        path = std::string(base != nullptr ? base : "/tmp") + "/opus_emu_XXXXXX";
        if (mkdtemp(path.data()) == nullptr) {
            throw std::runtime_error("mkdtemp failed");
        }
    }
    ~temporary_directory() {
        for (const char* name : {"/a.s", "/a.o", "/log"}) {
            std::remove((path + name).c_str());
        }
        rmdir(path.c_str());
    }
};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The contents of the sections that are called .t0, .t1, ...
std::vector<std::vector<std::byte>> read_sections(const std::string& path, size_t count) {
    LLVMMemoryBufferRef buffer = nullptr;
    char* message = nullptr;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path.c_str(), &buffer, &message) != 0) {
        throw std::runtime_error("cannot read the assembled object");
    }
    LLVMBinaryRef object = LLVMCreateBinary(buffer, nullptr, &message);
    if (object == nullptr) {
        throw std::runtime_error("the assembled object is no object file");
    }
    std::vector<std::vector<std::byte>> contents(count);
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(object);
    for (; LLVMObjectFileIsSectionIteratorAtEnd(object, section) == 0;
         LLVMMoveToNextSection(section)) {
        const char* name = LLVMGetSectionName(section);
        if (name == nullptr || std::strncmp(name, ".t", 2) != 0) {
            continue;
        }
        char* end = nullptr;
        const size_t number = std::strtoul(name + 2, &end, 10);
        if (end == name + 2 || *end != 0 || number >= count) {
            continue;
        }
        contents[number].resize(LLVMGetSectionSize(section));
        std::memcpy(contents[number].data(), LLVMGetSectionContents(section),
                    contents[number].size());
    }
    LLVMDisposeSectionIterator(section);
    LLVMDisposeBinary(object);
    LLVMDisposeMemoryBuffer(buffer);
    return contents;
}

using key_t = std::pair<gfx_target, std::string>;

std::map<key_t, std::vector<std::byte>>& known() {
    static std::map<key_t, std::vector<std::byte>> instance;
    return instance;
}

}  // namespace

void assemble_together(gfx_target target, const std::vector<std::string>& sources) {
    const temporary_directory directory;
    {
        std::ofstream file(directory.path + "/a.s");
        for (size_t n = 0; n < sources.size(); ++n) {
            file << ".section .t" << n << ",\"ax\",@progbits\n" << sources[n] << '\n';
        }
    }
    const std::string cpu = target == gfx_target::gfx942 ? "gfx942" : "gfx950";
    const std::string command = std::string("\"") + OPUS_EMU_ASSEMBLER +
                                "\" -x assembler --target=amdgcn-amd-amdhsa -mcpu=" + cpu + " -c " +
                                directory.path + "/a.s -o " + directory.path + "/a.o >" +
                                directory.path + "/log 2>&1";
    if (std::system(command.c_str()) != 0) {
        throw std::runtime_error("assembling for " + cpu + " failed:\n" +
                                 read_file(directory.path + "/log"));
    }
    auto contents = read_sections(directory.path + "/a.o", sources.size());
    for (size_t n = 0; n < sources.size(); ++n) {
        known()[key_t(target, sources[n])] = std::move(contents[n]);
    }
}

const std::vector<std::byte>& assemble(gfx_target target, const std::string& source) {
    const key_t key(target, source);
    if (!known().contains(key)) {
        assemble_together(target, {source});
    }
    return known().at(key);
}

}  // namespace emu
