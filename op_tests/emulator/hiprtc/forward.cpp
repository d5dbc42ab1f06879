// The names of hipRTC that libamdhip64.so exports: each calls the function of the libhiprtc.so
// beside it, so that a program may create with one library and compile with the other.

#include "hiprtc/beside.hpp"
#include "hiprtc/hiprtc.hpp"

namespace emu {
namespace {

void* libhiprtc() {
    static const int here = 0;
    static void* const library = open_beside(&here, OPUS_EMU_HIPRTC_LIBRARY);
    return library;
}

template <class... Arguments>
hiprtcResult forwarded(const char* name, Arguments... arguments) {
    void* library = libhiprtc();
    void* function = library == nullptr ? nullptr : ::dlsym(library, name);
    if (function == nullptr) {
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
    return reinterpret_cast<hiprtcResult (*)(Arguments...)>(function)(arguments...);
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hiprtcResult hiprtcVersion(int* major, int* minor) {
    return forwarded("hiprtcVersion", major, minor);
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                 int headers, const char* const* texts, const char* const* names) {
    return forwarded("hiprtcCreateProgram", program, source, name, headers, texts, names);
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
    return forwarded("hiprtcDestroyProgram", program);
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
    return forwarded("hiprtcAddNameExpression", program, expression);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char* const* options) {
    return forwarded("hiprtcCompileProgram", program, count, options);
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression,
                                  const char** name) {
    return forwarded("hiprtcGetLoweredName", program, expression, name);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size) {
    return forwarded("hiprtcGetProgramLogSize", program, size);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
    return forwarded("hiprtcGetProgramLog", program, log);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size) {
    return forwarded("hiprtcGetCodeSize", program, size);
}

hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
    return forwarded("hiprtcGetCode", program, code);
}

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t* size) {
    return forwarded("hiprtcGetBitcodeSize", program, size);
}

hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* bitcode) {
    return forwarded("hiprtcGetBitcode", program, bitcode);
}

hiprtcResult hiprtcLinkCreate(unsigned count, hiprtcJIT_option* options, void** values,
                              hiprtcLinkState* state) {
    return forwarded("hiprtcLinkCreate", count, options, values, state);
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char* path,
                               unsigned count, hiprtcJIT_option* options, void** values) {
    return forwarded("hiprtcLinkAddFile", state, type, path, count, options, values);
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void* data,
                               size_t size, const char* name, unsigned count,
                               hiprtcJIT_option* options, void** values) {
    return forwarded("hiprtcLinkAddData", state, type, data, size, name, count, options, values);
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** code, size_t* size) {
    return forwarded("hiprtcLinkComplete", state, code, size);
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
    return forwarded("hiprtcLinkDestroy", state);
}

}  // extern "C"
#pragma GCC visibility pop
