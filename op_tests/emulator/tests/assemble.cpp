#include "assemble.hpp"

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

// LLVM's assembler has no C interface of its own: the text is the inline assembly of a module that
// has nothing else, and the module is compiled to an object file in memory. It has a section of its
// own there, because the compiler puts padding behind the code in .text.

namespace emu {
namespace {

template <class T, auto free>
struct freed {
    using pointer = T;
    void operator()(T object) const { free(object); }
};
template <class T, auto free>
using owned = std::unique_ptr<T, freed<T, free>>;

constexpr const char* triple = "amdgcn-amd-amdhsa";
constexpr const char* section_name = ".assembled";

LLVMTargetMachineRef create_machine(const char* cpu) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMTargetRef amdgpu = nullptr;
    char* message = nullptr;
    if (LLVMGetTargetFromTriple(triple, &amdgpu, &message) != 0) {
        throw std::runtime_error(message);
    }
    return LLVMCreateTargetMachine(amdgpu, triple, cpu, "", LLVMCodeGenLevelNone, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

LLVMTargetMachineRef machine_of(gfx_target target) {
    static const LLVMTargetMachineRef gfx942 = create_machine("gfx942");
    static const LLVMTargetMachineRef gfx950 = create_machine("gfx950");
    return target == gfx_target::gfx942 ? gfx942 : gfx950;
}

void add_message(LLVMDiagnosticInfoRef diagnostic, void* messages) {
    char* const text = LLVMGetDiagInfoDescription(diagnostic);
    *static_cast<std::string*>(messages) += std::string(text) + '\n';
    LLVMDisposeMessage(text);
}

std::vector<std::byte> contents_of_section(LLVMMemoryBufferRef buffer) {
    char* failure = nullptr;
    const owned<LLVMBinaryRef, LLVMDisposeBinary> object(
        LLVMCreateBinary(buffer, nullptr, &failure));
    if (object == nullptr) {
        throw std::runtime_error(failure);
    }
    const owned<LLVMSectionIteratorRef, LLVMDisposeSectionIterator> section(
        LLVMObjectFileCopySectionIterator(object.get()));
    while (LLVMObjectFileIsSectionIteratorAtEnd(object.get(), section.get()) == 0) {
        const char* name = LLVMGetSectionName(section.get());
        if (name != nullptr && std::strcmp(name, section_name) == 0) {
            const auto* bytes =
                reinterpret_cast<const std::byte*>(LLVMGetSectionContents(section.get()));
            return {bytes, bytes + LLVMGetSectionSize(section.get())};
        }
        LLVMMoveToNextSection(section.get());
    }
    throw std::runtime_error("the assembled object has no code");
}

std::vector<std::byte> assembled(gfx_target target, const std::string& source) {
    const LLVMTargetMachineRef machine = machine_of(target);
    const owned<LLVMContextRef, LLVMContextDispose> context(LLVMContextCreate());
    std::string messages;
    LLVMContextSetDiagnosticHandler(context.get(), add_message, &messages);
    const owned<LLVMModuleRef, LLVMDisposeModule> module(
        LLVMModuleCreateWithNameInContext("assembly", context.get()));
    LLVMSetTarget(module.get(), triple);
    const owned<LLVMTargetDataRef, LLVMDisposeTargetData> layout(
        LLVMCreateTargetDataLayout(machine));
    LLVMSetModuleDataLayout(module.get(), layout.get());
    const std::string text =
        std::string(".section ") + section_name + ",\"ax\",@progbits\n" + source + '\n';
    LLVMSetModuleInlineAsm2(module.get(), text.data(), text.size());

    char* failure = nullptr;
    LLVMMemoryBufferRef object = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module.get(), LLVMObjectFile, &failure,
                                            &object) != 0) {
        messages += failure;
        LLVMDisposeMessage(failure);
    }
    const owned<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer> buffer(object);
    if (!messages.empty()) {
        throw std::runtime_error("assembling failed:\n" + messages);
    }
    return contents_of_section(buffer.get());
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
