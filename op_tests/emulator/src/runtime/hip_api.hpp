// The functions that are implemented, with the types of the public header; what is exported is in
// functions.txt.
#pragma once

#include "runtime/hip_types.hpp"

extern "C" {
unsigned short __gnu_f2h_ieee(float);
float __gnu_h2f_ieee(unsigned short);
void __hipGetPCH(const char**, unsigned*);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t);
void** __hipRegisterFatBinary(const void*);
void __hipRegisterFunction(void**, const void*, char*, const char*, unsigned, void*, void*, dim3*,
                           dim3*, int*);
void __hipRegisterManagedVar(void**, void**, void*, const char*, size_t, unsigned);
void __hipRegisterSurface(void**, const void*, const char*, const char*, int, int);
void __hipRegisterTexture(void**, const void*, const char*, const char*, int, int, int);
void __hipRegisterVar(void**, void*, char*, char*, int, size_t, int, int);
void __hipUnregisterFatBinary(void**);
size_t amd_dbgapi_get_build_id();
const char* amd_dbgapi_get_build_name();
const char* amd_dbgapi_get_git_hash();
const char* hipApiName(uint32_t);
hipError_t hipChooseDevice(int*, const hipDeviceProp_tR0000*);
hipError_t hipChooseDeviceR0000(int*, const hipDeviceProp_tR0000*);
hipError_t hipChooseDeviceR0600(int*, const hipDeviceProp_tR0600*);
hipError_t hipConfigureCall(dim3, dim3, size_t, hipStream_t);
struct hipChannelFormatDesc hipCreateChannelDesc(int, int, int, int, hipChannelFormatKind);
hipError_t hipCtxCreate(hipCtx_t*, unsigned, hipDevice_t);
hipError_t hipCtxDestroy(hipCtx_t);
hipError_t hipCtxDisablePeerAccess(hipCtx_t);
hipError_t hipCtxEnablePeerAccess(hipCtx_t, unsigned);
hipError_t hipCtxGetApiVersion(hipCtx_t, int*);
hipError_t hipCtxGetCacheConfig(hipFuncCache_t*);
hipError_t hipCtxGetCurrent(hipCtx_t*);
hipError_t hipCtxGetDevice(hipDevice_t*);
hipError_t hipCtxGetFlags(unsigned*);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig*);
hipError_t hipCtxPopCurrent(hipCtx_t*);
hipError_t hipCtxPushCurrent(hipCtx_t);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t);
hipError_t hipCtxSetCurrent(hipCtx_t);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig);
hipError_t hipCtxSynchronize();
hipError_t hipDeviceCanAccessPeer(int*, int, int);
hipError_t hipDeviceComputeCapability(int*, int*, hipDevice_t);
hipError_t hipDeviceDisablePeerAccess(int);
hipError_t hipDeviceEnablePeerAccess(int, unsigned);
hipError_t hipDeviceGet(hipDevice_t*, int);
hipError_t hipDeviceGetAttribute(int*, hipDeviceAttribute_t, int);
hipError_t hipDeviceGetByPCIBusId(int*, const char*);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t*);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t*, int);
hipError_t hipDeviceGetLimit(size_t*, hipLimit_t);
hipError_t hipDeviceGetMemPool(hipMemPool_t*, int);
hipError_t hipDeviceGetName(char*, int, hipDevice_t);
hipError_t hipDeviceGetP2PAttribute(int*, hipDeviceP2PAttr, int, int);
hipError_t hipDeviceGetPCIBusId(char*, int, int);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig*);
hipError_t hipDeviceGetStreamPriorityRange(int*, int*);
hipError_t hipDeviceGetUuid(hipUUID*, hipDevice_t);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t, unsigned*, int*);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t*, hipDevice_t);
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t, unsigned);
hipError_t hipDeviceReset();
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t);
hipError_t hipDeviceSetLimit(hipLimit_t, size_t);
hipError_t hipDeviceSetMemPool(int, hipMemPool_t);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceTotalMem(size_t*, hipDevice_t);
hipError_t hipDriverGetVersion(int*);
hipError_t hipDrvGetErrorName(hipError_t, const char**);
hipError_t hipDrvGetErrorString(hipError_t, const char**);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                    const HIP_MEMCPY3D*, hipCtx_t);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t, hipGraphNode_t, const HIP_MEMCPY3D*,
                                              hipCtx_t);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t, const HIP_MEMCPY3D*);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG*, hipFunction_t, void**, void**);
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D*);
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D*);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D*, hipStream_t);
hipError_t hipDrvPointerGetAttributes(unsigned, hipPointer_attribute*, void**, hipDeviceptr_t);
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventCreateWithFlags(hipEvent_t*, unsigned);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventRecordWithFlags(hipEvent_t, hipStream_t, unsigned);
hipError_t hipEventRecord_spt(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipExtGetLastError();
hipError_t hipExtGetLinkTypeAndHopCount(int, int, uint32_t*, uint32_t*);
hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t,
                              hipEvent_t, int);
hipError_t hipExtMallocWithFlags(void**, size_t, unsigned);
hipError_t hipExtModuleLaunchKernel(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                    uint32_t, size_t, hipStream_t, void**, void**, hipEvent_t,
                                    hipEvent_t, uint32_t);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t*, uint32_t, const uint32_t*);
hipError_t hipExtStreamGetCUMask(hipStream_t, uint32_t, uint32_t*);
hipError_t hipFree(void*);
hipError_t hipFreeAsync(void*, hipStream_t);
hipError_t hipFreeHost(void*);
hipError_t hipFuncGetAttribute(int*, hipFunction_attribute, hipFunction_t);
hipError_t hipFuncGetAttributes(hipFuncAttributes*, const void*);
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int);
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t);
hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig);
const char* hipGetCmdName(unsigned);
hipError_t hipGetDevice(int*);
hipError_t hipGetDeviceCount(int*);
hipError_t hipGetDeviceFlags(unsigned*);
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000*, int);
hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000*, int);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600*, int);
const char* hipGetErrorName(hipError_t);
const char* hipGetErrorString(hipError_t);
hipError_t hipGetFuncBySymbol(hipFunction_t*, const void*);
hipError_t hipGetLastError();
hipError_t hipGetProcAddress(const char*, void**, int, uint64_t, hipDriverProcAddressQueryResult*);
int hipGetStreamDeviceId(hipStream_t);
hipError_t hipGetSymbolAddress(void**, const void*);
hipError_t hipGetSymbolSize(size_t*, const void*);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                     hipGraph_t);
hipError_t hipGraphAddDependencies(hipGraph_t, const hipGraphNode_t*, const hipGraphNode_t*,
                                   size_t);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                      hipEvent_t);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                    hipEvent_t);
hipError_t hipGraphAddHostNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                               const hipHostNodeParams*);
hipError_t hipGraphAddKernelNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                 const hipKernelNodeParams*);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                 const hipMemcpy3DParms*);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                   void*, const void*, size_t, hipMemcpyKind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*,
                                           size_t, void*, const void*, size_t, size_t,
                                           hipMemcpyKind);
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                         const void*, const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                 const hipMemsetParams*);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t, hipGraph_t*);
hipError_t hipGraphClone(hipGraph_t*, hipGraph_t);
hipError_t hipGraphCreate(hipGraph_t*, unsigned);
hipError_t hipGraphDebugDotPrint(hipGraph_t, const char*, unsigned);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphDestroyNode(hipGraphNode_t);
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t, hipEvent_t*);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t, hipEvent_t);
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t, hipEvent_t*);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t, hipEvent_t);
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t, hipGraphNode_t, hipGraph_t);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t, hipGraphNode_t, hipEvent_t);
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t, hipGraphNode_t, hipEvent_t);
hipError_t hipGraphExecGetFlags(hipGraphExec_t, unsigned long long*);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipHostNodeParams*);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t, hipGraphNode_t,
                                           const hipKernelNodeParams*);
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t, hipGraphNode_t, hipMemcpy3DParms*);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t, hipGraphNode_t, void*, const void*,
                                             size_t, hipMemcpyKind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t, hipGraphNode_t, void*,
                                                     const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t, hipGraphNode_t, const void*,
                                                   const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipMemsetParams*);
hipError_t hipGraphExecUpdate(hipGraphExec_t, hipGraph_t, hipGraphNode_t*,
                              hipGraphExecUpdateResult*);
hipError_t hipGraphGetEdges(hipGraph_t, hipGraphNode_t*, hipGraphNode_t*, size_t*);
hipError_t hipGraphGetNodes(hipGraph_t, hipGraphNode_t*, size_t*);
hipError_t hipGraphGetRootNodes(hipGraph_t, hipGraphNode_t*, size_t*);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t, hipHostNodeParams*);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t, const hipHostNodeParams*);
hipError_t hipGraphInstantiate(hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, size_t);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t*, hipGraph_t, unsigned long long);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t*, hipGraph_t, hipGraphInstantiateParams*);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t, hipKernelNodeParams*);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t, const hipKernelNodeParams*);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipGraphLaunch_spt(hipGraphExec_t, hipStream_t);
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t, hipMemcpy3DParms*);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t, const hipMemcpy3DParms*);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t, void*, const void*, size_t, hipMemcpyKind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t, void*, const void*, size_t, size_t,
                                                 hipMemcpyKind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t, const void*, const void*, size_t,
                                               size_t, hipMemcpyKind);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t, hipMemsetParams*);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t, const hipMemsetParams*);
hipError_t hipGraphNodeFindInClone(hipGraphNode_t*, hipGraphNode_t, hipGraph_t);
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t, hipGraphNode_t*, size_t*);
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t, hipGraphNode_t*, size_t*);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t, hipGraphNode_t, unsigned*);
hipError_t hipGraphNodeGetType(hipGraphNode_t, hipGraphNodeType*);
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t, hipGraphNode_t, unsigned);
hipError_t hipGraphReleaseUserObject(hipGraph_t, hipUserObject_t, unsigned);
hipError_t hipGraphRemoveDependencies(hipGraph_t, const hipGraphNode_t*, const hipGraphNode_t*,
                                      size_t);
hipError_t hipGraphRetainUserObject(hipGraph_t, hipUserObject_t, unsigned, unsigned);
hipError_t hipGraphUpload(hipGraphExec_t, hipStream_t);
hipError_t hipHccModuleLaunchKernel(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                    uint32_t, size_t, hipStream_t, void**, void**, hipEvent_t,
                                    hipEvent_t);
hipError_t hipHostAlloc(void**, size_t, unsigned);
hipError_t hipHostFree(void*);
hipError_t hipHostGetDevicePointer(void**, void*, unsigned);
hipError_t hipHostGetFlags(unsigned*, void*);
hipError_t hipHostMalloc(void**, size_t, unsigned);
hipError_t hipHostRegister(void*, size_t, unsigned);
hipError_t hipHostUnregister(void*);
hipError_t hipInit(unsigned);
const char* hipKernelNameRef(const hipFunction_t);
const char* hipKernelNameRefByPtr(const void*, hipStream_t);
hipError_t hipLaunchByPtr(const void*);
hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned, hipStream_t);
hipError_t hipLaunchCooperativeKernel_spt(const void*, dim3, dim3, void**, uint32_t, hipStream_t);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void*);
hipError_t hipLaunchHostFunc_spt(hipStream_t, hipHostFn_t, void*);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t*, const void*, void**);
hipError_t hipLaunchKernel_spt(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipLibraryGetKernel(hipKernel_t*, hipLibrary_t, const char*);
hipError_t hipLibraryGetKernelCount(unsigned*, hipLibrary_t);
hipError_t hipLibraryLoadData(hipLibrary_t*, const void*, hipJitOption*, void**, unsigned,
                              hipLibraryOption*, void**, unsigned);
hipError_t hipLibraryLoadFromFile(hipLibrary_t*, const char*, hipJitOption*, void**, unsigned,
                                  hipLibraryOption*, void**, unsigned);
hipError_t hipLibraryUnload(hipLibrary_t);
hipError_t hipMalloc(void**, size_t);
hipError_t hipMalloc3D(hipPitchedPtr*, hipExtent);
hipError_t hipMallocAsync(void**, size_t, hipStream_t);
hipError_t hipMallocFromPoolAsync(void**, size_t, hipMemPool_t, hipStream_t);
hipError_t hipMallocHost(void**, size_t);
hipError_t hipMallocManaged(void**, size_t, unsigned);
hipError_t hipMallocPitch(void**, size_t*, size_t, size_t);
hipError_t hipMemAdvise(const void*, size_t, hipMemoryAdvise, int);
hipError_t hipMemAllocHost(void**, size_t);
hipError_t hipMemAllocPitch(hipDeviceptr_t*, size_t*, size_t, size_t, unsigned);
hipError_t hipMemGetAddressRange(hipDeviceptr_t*, size_t*, hipDeviceptr_t);
hipError_t hipMemGetInfo(size_t*, size_t*);
hipError_t hipMemPoolCreate(hipMemPool_t*, const hipMemPoolProps*);
hipError_t hipMemPoolDestroy(hipMemPool_t);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags*, hipMemPool_t, hipMemLocation*);
hipError_t hipMemPoolGetAttribute(hipMemPool_t, hipMemPoolAttr, void*);
hipError_t hipMemPoolSetAccess(hipMemPool_t, const hipMemAccessDesc*, size_t);
hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr, void*);
hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t);
hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t);
hipError_t hipMemPtrGetInfo(void*, size_t*);
hipError_t hipMemRangeGetAttribute(void*, size_t, hipMemRangeAttribute, const void*, size_t);
hipError_t hipMemRangeGetAttributes(void**, size_t*, hipMemRangeAttribute*, size_t, const void*,
                                    size_t);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind,
                            hipStream_t);
hipError_t hipMemcpy2DAsync_spt(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind,
                                hipStream_t);
hipError_t hipMemcpy2D_spt(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy3D(const hipMemcpy3DParms*);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms*, hipStream_t);
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms*, hipStream_t);
hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms*);
hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyAsync_spt(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyBatchAsync(void**, void**, size_t*, size_t, hipMemcpyAttributes*, size_t*,
                               size_t, size_t*, hipStream_t);
hipError_t hipMemcpyDtoD(hipDeviceptr_t, hipDeviceptr_t, size_t);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyDtoH(void*, hipDeviceptr_t, size_t);
hipError_t hipMemcpyDtoHAsync(void*, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyFromSymbol(void*, const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyFromSymbolAsync_spt(void*, const void*, size_t, size_t, hipMemcpyKind,
                                        hipStream_t);
hipError_t hipMemcpyFromSymbol_spt(void*, const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpyHtoD(hipDeviceptr_t, void*, size_t);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t, void*, size_t, hipStream_t);
hipError_t hipMemcpyParam2D(const hip_Memcpy2D*);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D*, hipStream_t);
hipError_t hipMemcpyPeer(void*, int, const void*, int, size_t);
hipError_t hipMemcpyPeerAsync(void*, int, const void*, int, size_t, hipStream_t);
hipError_t hipMemcpyToSymbol(const void*, const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, hipMemcpyKind,
                                  hipStream_t);
hipError_t hipMemcpyToSymbolAsync_spt(const void*, const void*, size_t, size_t, hipMemcpyKind,
                                      hipStream_t);
hipError_t hipMemcpyToSymbol_spt(const void*, const void*, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpyWithStream(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpy_spt(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipMemset2D(void*, size_t, int, size_t, size_t);
hipError_t hipMemset2DAsync(void*, size_t, int, size_t, size_t, hipStream_t);
hipError_t hipMemset2DAsync_spt(void*, size_t, int, size_t, size_t, hipStream_t);
hipError_t hipMemset2D_spt(void*, size_t, int, size_t, size_t);
hipError_t hipMemset3D(hipPitchedPtr, int, hipExtent);
hipError_t hipMemset3DAsync(hipPitchedPtr, int, hipExtent, hipStream_t);
hipError_t hipMemset3DAsync_spt(hipPitchedPtr, int, hipExtent, hipStream_t);
hipError_t hipMemset3D_spt(hipPitchedPtr, int, hipExtent);
hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t);
hipError_t hipMemsetAsync_spt(void*, int, size_t, hipStream_t);
hipError_t hipMemsetD16(hipDeviceptr_t, unsigned short, size_t);
hipError_t hipMemsetD16Async(hipDeviceptr_t, unsigned short, size_t, hipStream_t);
hipError_t hipMemsetD32(hipDeviceptr_t, int, size_t);
hipError_t hipMemsetD32Async(hipDeviceptr_t, int, size_t, hipStream_t);
hipError_t hipMemsetD8(hipDeviceptr_t, unsigned char, size_t);
hipError_t hipMemsetD8Async(hipDeviceptr_t, unsigned char, size_t, hipStream_t);
hipError_t hipMemset_spt(void*, int, size_t);
hipError_t hipModuleGetFunction(hipFunction_t*, hipModule_t, const char*);
hipError_t hipModuleGetFunctionCount(unsigned*, hipModule_t);
hipError_t hipModuleGetGlobal(hipDeviceptr_t*, size_t*, hipModule_t, const char*);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned,
                                            unsigned, unsigned, unsigned, hipStream_t, void**);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void**, void**);
hipError_t hipModuleLoad(hipModule_t*, const char*);
hipError_t hipModuleLoadData(hipModule_t*, const void*);
hipError_t hipModuleLoadDataEx(hipModule_t*, const void*, unsigned, hipJitOption*, void**);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int*, hipFunction_t, int, size_t);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, hipFunction_t, int,
                                                                       size_t, unsigned);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int*, int*, hipFunction_t, size_t, int);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, hipFunction_t, size_t, int,
                                                            unsigned);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, const void*, int, size_t,
                                                                 unsigned);
hipError_t hipOccupancyMaxPotentialBlockSize(int*, int*, const void*, size_t, int);
hipError_t hipPeekAtLastError();
hipError_t hipPointerGetAttribute(void*, hipPointer_attribute, hipDeviceptr_t);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t*, const void*);
hipError_t hipPointerSetAttribute(const void*, hipPointer_attribute, hipDeviceptr_t);
hipError_t hipRuntimeGetVersion(int*);
hipError_t hipSetDevice(int);
hipError_t hipSetDeviceFlags(unsigned);
hipError_t hipSetValidDevices(int*, int);
hipError_t hipSetupArgument(const void*, size_t, size_t);
hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void*, unsigned);
hipError_t hipStreamAddCallback_spt(hipStream_t, hipStreamCallback_t, void*, unsigned);
hipError_t hipStreamAttachMemAsync(hipStream_t, void*, size_t, unsigned);
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t, hipGraph_t, const hipGraphNode_t*,
                                        const hipGraphEdgeData*, size_t, hipStreamCaptureMode);
hipError_t hipStreamBeginCapture_spt(hipStream_t, hipStreamCaptureMode);
hipError_t hipStreamCreate(hipStream_t*);
hipError_t hipStreamCreateWithFlags(hipStream_t*, unsigned);
hipError_t hipStreamCreateWithPriority(hipStream_t*, unsigned, int);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t*);
hipError_t hipStreamEndCapture_spt(hipStream_t, hipGraph_t*);
hipError_t hipStreamGetCaptureInfo(hipStream_t, hipStreamCaptureStatus*, unsigned long long*);
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t, hipStreamCaptureStatus*, unsigned long long*);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t, hipStreamCaptureStatus*, unsigned long long*,
                                      hipGraph_t*, const hipGraphNode_t**, size_t*);
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t, hipStreamCaptureStatus*, unsigned long long*,
                                          hipGraph_t*, const hipGraphNode_t**, size_t*);
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t*);
hipError_t hipStreamGetFlags(hipStream_t, unsigned*);
hipError_t hipStreamGetFlags_spt(hipStream_t, unsigned*);
hipError_t hipStreamGetPriority(hipStream_t, int*);
hipError_t hipStreamGetPriority_spt(hipStream_t, int*);
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus*);
hipError_t hipStreamIsCapturing_spt(hipStream_t, hipStreamCaptureStatus*);
hipError_t hipStreamQuery(hipStream_t);
hipError_t hipStreamQuery_spt(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamSynchronize_spt(hipStream_t);
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t, hipGraphNode_t*, size_t, unsigned);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
hipError_t hipStreamWaitEvent_spt(hipStream_t, hipEvent_t, unsigned);
hipError_t hipStreamWaitValue32(hipStream_t, void*, uint32_t, unsigned, uint32_t);
hipError_t hipStreamWaitValue64(hipStream_t, void*, uint64_t, unsigned, uint64_t);
hipError_t hipStreamWriteValue32(hipStream_t, void*, uint32_t, unsigned);
hipError_t hipStreamWriteValue64(hipStream_t, void*, uint64_t, unsigned);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode*);
hipError_t hipUserObjectCreate(hipUserObject_t*, void*, hipHostFn_t, unsigned, unsigned);
hipError_t hipUserObjectRelease(hipUserObject_t, unsigned);
hipError_t hipUserObjectRetain(hipUserObject_t, unsigned);
const char* hiprtcGetErrorString(hiprtcResult);

// Ours: the device's name, nullptr if there is none.
const char* opus_emulator_arch();
// Ours: what it is compiled for of the levels that the CPU has.
const char* opus_emulator_cpu();
// Ours: how many instructions were executed, counted per wave.
uint64_t opus_emulator_instructions();
}
