#include "lint/assembly.hpp"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <memory>
#include <stdexcept>

// LLVM's assembler has no C interface of its own: the text is the inline assembly of a module that
// has nothing else, and the module is compiled to an object file in memory.

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

// Of errors; what clang writes has warnings (of its checksums of files).
void add_message(LLVMDiagnosticInfoRef diagnostic, void* messages) {
    if (LLVMGetDiagInfoSeverity(diagnostic) != LLVMDSError) {
        return;
    }
    char* const text = LLVMGetDiagInfoDescription(diagnostic);
    *static_cast<std::string*>(messages) += std::string(text) + '\n';
    LLVMDisposeMessage(text);
}

}  // namespace

std::vector<std::byte> assemble_object(gfx_target target, const std::string& source) {
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
    LLVMSetModuleInlineAsm2(module.get(), source.data(), source.size());

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
    const auto* bytes = reinterpret_cast<const std::byte*>(LLVMGetBufferStart(buffer.get()));
    return {bytes, bytes + LLVMGetBufferSize(buffer.get())};
}

}  // namespace emu
