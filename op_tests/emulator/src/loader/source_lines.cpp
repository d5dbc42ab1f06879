#include "loader/source_lines.hpp"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <memory>

namespace emu {

// Parsed when it is asked for: that happens once, in the report that ends the process.
std::string source_lines::at(uint64_t address) const {
    if (object_.empty()) {
        return {};
    }
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object_.data()), object_.size());
    auto object =
        llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "code object"));
    if (!object) {
        llvm::consumeError(object.takeError());
        return {};
    }
    const auto dwarf = llvm::DWARFContext::create(**object);
    // The code is the one section that has this address.
    uint64_t section_index = llvm::object::SectionedAddress::UndefSection;
    for (const llvm::object::SectionRef& section : (*object)->sections()) {
        if (section.isText() && address - section.getAddress() < section.getSize()) {
            section_index = section.getIndex();
        }
    }
    const llvm::DILineInfoSpecifier paths(
        llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);
    const auto frames = dwarf->getInliningInfoForAddress({address, section_index}, paths);
    std::string lines;
    for (uint32_t n = 0; n < frames.getNumberOfFrames(); ++n) {
        const llvm::DILineInfo& frame = frames.getFrame(n);
        if (frame.Line == 0 || frame.FileName == llvm::DILineInfo::BadString) {
            continue;
        }
        lines += (lines.empty() ? "" : ", inlined at ") + frame.FileName + ":" +
                 std::to_string(frame.Line);
    }
    return lines;
}

}  // namespace emu
