#include "isa/source_lines.hpp"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <memory>

namespace emu {

bool is_in_opus(const std::string& file) {
    return file.ends_with("opus/opus.hpp") || file.ends_with("opus/hip_minimal.hpp");
}

namespace {

std::string text_of(const source_frame& frame) {
    return frame.file + ":" + std::to_string(frame.line);
}

}  // namespace

// Parsed when it is asked for: for a report, and once for a profile.
std::vector<source_frames> source_lines::frames_of(std::span<const uint64_t> addresses) const {
    std::vector<source_frames> result(addresses.size());
    if (object_.empty()) {
        return result;
    }
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object_.data()), object_.size());
    auto object =
        llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "code object"));
    if (!object) {
        llvm::consumeError(object.takeError());
        return result;
    }
    // Of an object file that is not linked it would warn of relocations that no line needs.
    const auto dwarf = llvm::DWARFContext::create(
        **object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
        llvm::WithColor::defaultErrorHandler,
        [](llvm::Error warning) { llvm::consumeError(std::move(warning)); });
    const llvm::DILineInfoSpecifier paths(
        llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);
    for (size_t n = 0; n < addresses.size(); ++n) {
        const uint64_t address = addresses[n];
        // The code is the one section that has this address.
        uint64_t section_index = llvm::object::SectionedAddress::UndefSection;
        for (const llvm::object::SectionRef& section : (*object)->sections()) {
            if (section.isText() && address - section.getAddress() < section.getSize()) {
                section_index = section.getIndex();
            }
        }
        const auto frames = dwarf->getInliningInfoForAddress({address, section_index}, paths);
        for (uint32_t f = 0; f < frames.getNumberOfFrames(); ++f) {
            const llvm::DILineInfo& frame = frames.getFrame(f);
            if (frame.Line != 0 && frame.FileName != llvm::DILineInfo::BadString) {
                result[n].push_back({frame.FileName, frame.Line});
            }
        }
    }
    return result;
}

std::string frames_of_user(const source_frames& frames) {
    std::string text;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (!is_in_opus(frame->file)) {
            text += (text.empty() ? "" : " > ") + text_of(*frame);
        }
    }
    return text.empty() && !frames.empty() ? text_of(frames.back()) : text;
}

std::string all_frames(const source_frames& frames) {
    const std::string user = frames_of_user(frames);
    std::string library;
    std::string last_file;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (is_in_opus(frame->file) && text_of(*frame) != user) {
            const std::string file = frame->file.substr(frame->file.rfind('/') + 1);
            library += (library.empty() ? "" : " > ") + (file == last_file ? "" : file) + ":" +
                       std::to_string(frame->line);
            last_file = file;
        }
    }
    return library.empty() ? user : user + " (" + library + ")";
}

}  // namespace emu
