#include "assemble.hpp"

#include <llvm/Object/ObjectFile.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "lint/assembly.hpp"

// The code has a section of its own, because the compiler puts padding behind that in .text.

namespace emu {
namespace {

constexpr const char* section_name = ".assembled";

std::vector<std::byte> assembled(gfx_target target, const std::string& source) {
    const std::vector<std::byte> bytes = assemble_object(
        target, std::string(".section ") + section_name + ",\"ax\",@progbits\n" + source + '\n');
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto object = llvm::cantFail(
        llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(text, "assembly")));
    for (const llvm::object::SectionRef& section : object->sections()) {
        if (llvm::cantFail(section.getName()) == section_name) {
            const llvm::StringRef code = llvm::cantFail(section.getContents());
            const auto* begin = reinterpret_cast<const std::byte*>(code.data());
            return {begin, begin + code.size()};
        }
    }
    throw std::runtime_error("the assembled object has no code");
}

}  // namespace

const std::vector<std::byte>& assemble(gfx_target target, const std::string& source) {
    static std::map<std::pair<gfx_target, std::string>, std::vector<std::byte>> known;
    const auto key = std::pair(target, source);
    auto found = known.find(key);
    if (found == known.end()) {
        found = known.emplace(key, assembled(target, source)).first;
    }
    return found->second;
}

}  // namespace emu
