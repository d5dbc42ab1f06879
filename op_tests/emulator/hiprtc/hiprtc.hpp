// hipRTC's part of the HIP ABI, written from the public header hip/hiprtc.h: what libhiprtc.so
// exports, and libamdhip64.so under the same names.
#pragma once

#include <cstddef>

#include "runtime/hip_types.hpp"

extern "C" {
using hiprtcProgram = struct _hiprtcProgram*;
using hiprtcLinkState = struct ihiprtcLinkState*;
enum hiprtcJIT_option : int;
enum hiprtcJITInputType : int;

const char* hiprtcGetErrorString(hiprtcResult);
hiprtcResult hiprtcVersion(int*, int*);
hiprtcResult hiprtcCreateProgram(hiprtcProgram*, const char* source, const char* name, int headers,
                                 const char* const* texts, const char* const* names);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram*);
hiprtcResult hiprtcAddNameExpression(hiprtcProgram, const char*);
hiprtcResult hiprtcCompileProgram(hiprtcProgram, int count, const char* const* options);
hiprtcResult hiprtcGetLoweredName(hiprtcProgram, const char*, const char**);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram, char*);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetCode(hiprtcProgram, char*);
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetBitcode(hiprtcProgram, char*);
hiprtcResult hiprtcLinkCreate(unsigned, hiprtcJIT_option*, void**, hiprtcLinkState*);
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState, hiprtcJITInputType, const char*, unsigned,
                               hiprtcJIT_option*, void**);
hiprtcResult hiprtcLinkAddData(hiprtcLinkState, hiprtcJITInputType, void*, size_t, const char*,
                               unsigned, hiprtcJIT_option*, void**);
hiprtcResult hiprtcLinkComplete(hiprtcLinkState, void**, size_t*);
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState);
}
