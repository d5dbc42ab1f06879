// What HIP 7 answers to wrong parameters, and that the emulator answers the same: each row is
// tried. The answers are those of the sections on negative parameters of hip-tests that run on
// AMD's devices; of HIP's page of the changes of 7.0 for streams, and for null pointers to free or
// to ask about; and of HIP's reference where those have none. For graphs see
// test_runtime_graph_errors.
//
// Not here: functions that are not supported, null pointers of functions in test_runtime_functions,
// what a capture forbids (test_runtime_streams).

#include <fstream>
#include <utility>

#include "wrong_parameters.hpp"

namespace {

void no_callback(hipStream_t, hipError_t, void*) {}

// ---- launches: every call with every mistake in the sizes ----

struct launch_sizes {
    dim3 grid{1, 1, 1};
    dim3 block{256, 1, 1};
    unsigned dynamic_lds = 0;
    hipStream_t stream = nullptr;
};

struct launch_call {
    const char* name;
    hipError_t empty_grid;
    hipError_t empty_block;
    hipError_t large_block;
    hipError_t much_lds;
    hipError_t bad_stream;
    hipError_t no_function;
    hipError_t (*launch)(things&, hipFunction_t, const launch_sizes&);
};

const launch_call launch_calls[] = {
    {"hipLaunchKernel", configuration, configuration, configuration, value,
     hipErrorContextIsDestroyed, hipErrorInvalidDeviceFunction,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipLaunchKernel(f, s.grid, s.block, t.arguments, s.dynamic_lds, s.stream);
     }},
    {"hipExtLaunchKernel", configuration, configuration, configuration, value,
     hipErrorContextIsDestroyed, hipErrorInvalidDeviceFunction,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipExtLaunchKernel(f, s.grid, s.block, t.arguments, s.dynamic_lds, s.stream,
                                   nullptr, nullptr, 0);
     }},
    {"hipLaunchCooperativeKernel", configuration, configuration, configuration, too_large, handle,
     hipErrorInvalidDeviceFunction,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipLaunchCooperativeKernel(f, s.grid, s.block, t.arguments, s.dynamic_lds,
                                           s.stream);
     }},
    {"hipModuleLaunchKernel", value, value, value, value, hipErrorContextIsDestroyed, handle,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipModuleLaunchKernel(f, s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y,
                                      s.block.z, s.dynamic_lds, s.stream, t.arguments, nullptr);
     }},
    {"hipModuleLaunchCooperativeKernel", value, value, value, value, hipErrorContextIsDestroyed,
     handle,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipModuleLaunchCooperativeKernel(f, s.grid.x, s.grid.y, s.grid.z, s.block.x,
                                                 s.block.y, s.block.z, s.dynamic_lds, s.stream,
                                                 t.arguments);
     }},
    {"hipExtModuleLaunchKernel", value, configuration, configuration, value,
     hipErrorContextIsDestroyed, handle,
     [](things& t, hipFunction_t f, const launch_sizes& s) {
         return hipExtModuleLaunchKernel(f, s.grid.x * s.block.x, s.grid.y * s.block.y,
                                         s.grid.z * s.block.z, s.block.x, s.block.y, s.block.z,
                                         s.dynamic_lds, s.stream, t.arguments, nullptr, nullptr,
                                         nullptr, 0);
     }},
};

std::vector<row> launches() {
    std::vector<row> rows;
    for (const launch_call& call : launch_calls) {
        const auto add = [&](const std::string& with, hipError_t answer,
                             const std::function<void(things&, launch_sizes&)>& spoil) {
            rows.push_back({call.name, with, answer, [&call, spoil](things& t) {
                                launch_sizes sizes;
                                spoil(t, sizes);
                                return call.launch(t, t.function, sizes);
                            }});
        };
        const std::pair<const char*, uint32_t dim3::*> dimensions[] = {
            {"x", &dim3::x}, {"y", &dim3::y}, {"z", &dim3::z}};
        for (const auto& [name, member] : dimensions) {
            add(std::string("no group in ") + name, call.empty_grid,
                [member = member](things&, launch_sizes& s) { s.grid.*member = 0; });
            // hipExtModuleLaunchKernel takes work-items, of which there is one, then.
            if (std::string(call.name) != "hipExtModuleLaunchKernel") {
                add(std::string("no thread in ") + name, call.empty_block,
                    [member = member](things&, launch_sizes& s) { s.block.*member = 0; });
            }
            add(std::string("1025 threads in ") + name, call.large_block,
                [member = member](things&, launch_sizes& s) { s.block.*member = 1025; });
        }
        add("12 x 12 x 12 threads", call.large_block,
            [](things&, launch_sizes& s) { s.block = {12, 12, 12}; });
        add("more LDS than there is", call.much_lds,
            [](things& t, launch_sizes& s) { s.dynamic_lds = t.lds + 1; });
        add("a destroyed stream", call.bad_stream,
            [](things& t, launch_sizes& s) { s.stream = t.no_stream; });
        rows.push_back({call.name, "no function", call.no_function,
                        [&call](things& t) { return call.launch(t, nullptr, {}); }});
    }
    return rows;
}

// ---- copies of rows: every call with every mistake ----

template <class Parameters>
struct copy_mistake {
    const char* with;
    hipError_t answer;
    void (*spoil)(Parameters&);
};

constexpr size_t too_far = size_t{1} << 31;  // a pitch above hipDeviceAttributeMaxPitch

const copy_mistake<hipMemcpy3DParms> mistakes_3d[] = {
    {"a null destination", value, [](auto& p) { p.dstPtr.ptr = nullptr; }},
    {"a null source", value, [](auto& p) { p.srcPtr.ptr = nullptr; }},
    {"a destination's pitch below the width", hipErrorInvalidPitchValue,
     [](auto& p) { p.dstPtr.pitch = 63; }},
    {"a source's pitch below the width", hipErrorInvalidPitchValue,
     [](auto& p) { p.srcPtr.pitch = 63; }},
    {"a destination's pitch above the greatest", value, [](auto& p) { p.dstPtr.pitch = too_far; }},
    {"a source's pitch above the greatest", value, [](auto& p) { p.srcPtr.pitch = too_far; }},
    {"a kind that is none", hipErrorInvalidMemcpyDirection,
     [](auto& p) { p.kind = number<hipMemcpyKind>(-1); }},
};

const copy_mistake<HIP_MEMCPY3D> mistakes_drv[] = {
    {"a null destination", value, [](auto& p) { p.dstDevice = nullptr; }},
    {"a null source", value, [](auto& p) { p.srcDevice = nullptr; }},
    {"a destination's pitch below the width", value, [](auto& p) { p.dstPitch = 63; }},
    {"a source's pitch below the width", value, [](auto& p) { p.srcPitch = 63; }},
    {"a destination's pitch above the greatest", value, [](auto& p) { p.dstPitch = too_far; }},
    {"a source's pitch above the greatest", value, [](auto& p) { p.srcPitch = too_far; }},
};

const copy_mistake<hip_Memcpy2D> mistakes_2d[] = {
    {"a null destination", value, [](auto& p) { p.dstDevice = nullptr; }},
    {"a null source", value, [](auto& p) { p.srcDevice = nullptr; }},
    {"a destination's pitch below the width", value, [](auto& p) { p.dstPitch = 63; }},
    {"a source's pitch below the width", value, [](auto& p) { p.srcPitch = 63; }},
    {"a destination's pitch above the greatest", value, [](auto& p) { p.dstPitch = too_far; }},
    {"a source's pitch above the greatest", value, [](auto& p) { p.srcPitch = too_far; }},
    {"rows that end behind the memory", value, [](auto& p) { p.Height = 65; }},
};

template <class Parameters, size_t n>
void add_copies(std::vector<row>& rows, const char* call,
                const copy_mistake<Parameters> (&mistakes)[n], Parameters (things::*valid)() const,
                hipError_t (*copy)(things&, Parameters&)) {
    for (const auto& mistake : mistakes) {
        rows.push_back({call, mistake.with, mistake.answer, [&mistake, valid, copy](things& t) {
                            Parameters p = (t.*valid)();
                            mistake.spoil(p);
                            return copy(t, p);
                        }});
    }
}

std::vector<row> copies_of_rows() {
    std::vector<row> rows;
    const auto add_3d = [&](const char* call, hipError_t (*copy)(things&, hipMemcpy3DParms&)) {
        add_copies(rows, call, mistakes_3d, &things::copy_of_rows, copy);
    };
    add_3d("hipMemcpy3D", [](things&, auto& p) { return hipMemcpy3D(&p); });
    add_3d("hipMemcpy3DAsync", [](things& t, auto& p) { return hipMemcpy3DAsync(&p, t.stream); });
    add_3d("hipGraphAddMemcpyNode", [](things& t, auto& p) {
        return hipGraphAddMemcpyNode(t.out<hipGraphNode_t>(), t.elsewhere, nullptr, 0, &p);
    });
    add_3d("hipGraphMemcpyNodeSetParams",
           [](things& t, auto& p) { return hipGraphMemcpyNodeSetParams(t.copy, &p); });
    const auto add_drv = [&](const char* call, hipError_t (*copy)(things&, HIP_MEMCPY3D&)) {
        add_copies(rows, call, mistakes_drv, &things::drv_copy_of_rows, copy);
    };
    add_drv("hipDrvMemcpy3D", [](things&, auto& p) { return hipDrvMemcpy3D(&p); });
    add_drv("hipDrvMemcpy3DAsync",
            [](things& t, auto& p) { return hipDrvMemcpy3DAsync(&p, t.stream); });
    const auto add_2d = [&](const char* call, hipError_t (*copy)(things&, hip_Memcpy2D&)) {
        add_copies(rows, call, mistakes_2d, &things::param_2d, copy);
    };
    add_2d("hipMemcpyParam2D", [](things&, auto& p) { return hipMemcpyParam2D(&p); });
    add_2d("hipMemcpyParam2DAsync",
           [](things& t, auto& p) { return hipMemcpyParam2DAsync(&p, t.stream); });
    return rows;
}

// ---- the device ----

const row of_the_device[] = {
    ROW(hipDeviceCanAccessPeer, "no such device", hipErrorInvalidDevice, &t.integer, -1, 0),
    ROW(hipDeviceCanAccessPeer, "no such device", hipErrorInvalidDevice, &t.integer, 1, 0),
    ROW(hipDeviceCanAccessPeer, "no such peer", hipErrorInvalidDevice, &t.integer, 0, -1),
    ROW(hipDeviceCanAccessPeer, "no such peer", hipErrorInvalidDevice, &t.integer, 0, 1),
    ROW(hipDeviceEnablePeerAccess, "no such device", hipErrorInvalidDevice, -1, 0),
    ROW(hipDeviceEnablePeerAccess, "no such device", hipErrorInvalidDevice, 1, 0),
    ROW(hipDeviceEnablePeerAccess, "flags that are none", value, 0, ~0u),
    ROW(hipDeviceDisablePeerAccess, "no such device", hipErrorInvalidDevice, -1),
    ROW(hipDeviceDisablePeerAccess, "no such device", hipErrorInvalidDevice, 1),
    ROW(hipDeviceGetDefaultMemPool, "a null pointer", value, nullptr, 0),
    ROW(hipDeviceGetDefaultMemPool, "no such device", hipErrorInvalidDevice, &t.no_pool, -1),
    ROW(hipDeviceGetDefaultMemPool, "no such device", hipErrorInvalidDevice, &t.no_pool, 1),
    ROW(hipDeviceGetName, "a null pointer", value, nullptr, 64, 0),
    ROW(hipDeviceGetName, "no room", value, t.host.data(), 0, 0),
    ROW(hipDeviceGetName, "a negative length", value, t.host.data(), -1, 0),
    ROW(hipDeviceGetName, "no such device", hipErrorInvalidDevice, t.host.data(), 64, -1),
    ROW(hipDeviceGetCacheConfig, "a null pointer", value, nullptr),
    ROW(hipDeviceSetLimit, "a limit that is none", hipErrorUnsupportedLimit, number<hipLimit_t>(-1),
        1024),
    ROW(hipDeviceGetLimit, "a null pointer", value, nullptr, hipLimitStackSize),
    ROW(hipDeviceGetLimit, "a limit that is none", hipErrorUnsupportedLimit, &t.size,
        number<hipLimit_t>(-1)),
    ROW(hipDeviceSetMemPool, "no pool", value, 0, nullptr),
    ROW(hipDeviceSetMemPool, "no such device", value, -1, t.pool),
    ROW(hipDeviceSetMemPool, "no such device", value, 1, t.pool),
    ROW(hipDeviceGetMemPool, "a null pointer", value, nullptr, 0),
    ROW(hipDeviceGetMemPool, "no such device", value, &t.no_pool, -1),
    ROW(hipDeviceGetMemPool, "no such device", value, &t.no_pool, 1),
    ROW(hipDeviceGetSharedMemConfig, "a null pointer", value, nullptr),
    ROW(hipDeviceTotalMem, "a null pointer", value, nullptr, 0),
    ROW(hipDeviceTotalMem, "no such device", hipErrorInvalidDevice, &t.size, -1),
    ROW(hipDeviceTotalMem, "no such device", hipErrorInvalidDevice, &t.size, 1),
    ROW(hipDriverGetVersion, "a null pointer", value, nullptr),
    ROW(hipRuntimeGetVersion, "a null pointer", value, nullptr),
    ROW(hipExtGetLinkTypeAndHopCount, "the same device", value, 0, 0, &t.flags, &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "no such device", hipErrorInvalidDevice, 1, 0, &t.flags,
        &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "no such device", hipErrorInvalidDevice, 0, 1, &t.flags,
        &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "no such devices", hipErrorInvalidDevice, 1, 2, &t.flags,
        &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "a negative device", value, -1, 0, &t.flags, &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "a negative device", value, 0, -1, &t.flags, &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "negative devices", value, -1, -2, &t.flags, &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "a null type", value, 0, 1, nullptr, &t.flags),
    ROW(hipExtGetLinkTypeAndHopCount, "a null count", value, 0, 1, &t.flags, nullptr),
    ROW(hipGetDeviceFlags, "a null pointer", value, nullptr),
    ROW(hipSetDeviceFlags, "flags that are none", value, 0xffff),
    ROW(hipInit, "flags", value, 1),
    ROW(hipGetDevice, "a null pointer", value, nullptr),
    ROW(hipSetDevice, "no such device", hipErrorInvalidDevice, -1),
    ROW(hipSetDevice, "no such device", hipErrorInvalidDevice, 1),
    ROW(hipDeviceGet, "no such device", hipErrorInvalidDevice, &t.integer, 1),
    ROW(hipDeviceGet, "no such device", hipErrorInvalidDevice, &t.integer, -1),
    ROW(hipDeviceGetP2PAttribute, "a null pointer", value, nullptr, hipDevP2PAttrAccessSupported, 0,
        1),
    ROW(hipDeviceGetP2PAttribute, "no such device", hipErrorInvalidDevice, &t.integer,
        hipDevP2PAttrAccessSupported, -1, 0),
    ROW(hipDeviceGetP2PAttribute, "no such device", hipErrorInvalidDevice, &t.integer,
        hipDevP2PAttrAccessSupported, 0, -1),
    ROW(hipDeviceGetP2PAttribute, "no such device", hipErrorInvalidDevice, &t.integer,
        hipDevP2PAttrAccessSupported, 1, 0),
    ROW(hipDeviceGetP2PAttribute, "no such device", hipErrorInvalidDevice, &t.integer,
        hipDevP2PAttrAccessSupported, 0, 1),
    ROW(hipDeviceGetP2PAttribute, "the same device", hipErrorInvalidDevice, &t.integer,
        hipDevP2PAttrAccessSupported, 0, 0),
    ROW(hipDrvGetErrorName, "an error that is none", value, number<hipError_t>(-1), never_made),
    ROW(hipDrvGetErrorName, "a null pointer", value, hipSuccess, nullptr),
    ROW(hipDrvGetErrorString, "an error that is none", value, number<hipError_t>(-1), never_made),
    ROW(hipDrvGetErrorString, "a null pointer", value, hipSuccess, nullptr),
};

// ---- memory ----

const row of_memory[] = {
    ROW(hipMalloc, "a null pointer", value, nullptr, bytes),
    ROW(hipMalloc, "all bytes that there are", hipErrorOutOfMemory, &t.result, most),
    ROW(hipExtMallocWithFlags, "flags that exclude each other", value, &t.result, bytes, 2),
    ROW(hipExtMallocWithFlags, "a null pointer", value, nullptr, bytes, 0),
    ROW(hipExtMallocWithFlags, "all bytes that there are", hipErrorOutOfMemory, &t.result, most, 0),
    ROW(hipExtMallocWithFlags, "a null pointer, fine grain", value, nullptr, bytes, 1),
    ROW(hipExtMallocWithFlags, "all bytes, fine grain", hipErrorOutOfMemory, &t.result, most, 1),
    ROW(hipMallocHost, "a null pointer", value, nullptr, 4),
    ROW(hipMallocHost, "all bytes that there are", hipErrorOutOfMemory, &t.result, most),
    ROW(hipHostAlloc, "a null pointer", value, nullptr, 4, 0),
    ROW(hipHostAlloc, "all bytes that there are", hipErrorOutOfMemory, &t.result, most, 0),
    ROW(hipHostAlloc, "flags that are none", value, &t.result, 4, 8),
    ROW(hipHostMalloc, "a null pointer", value, nullptr, bytes, 0),
    ROW(hipHostMalloc, "all bytes that there are", hipErrorOutOfMemory, &t.result, most, 0),
    ROW(hipHostMalloc, "all flags", value, &t.result, bytes, ~0u),
    ROW(hipHostMalloc, "coherent and not", value, &t.result, bytes, 0xc0000000),
    ROW(hipMallocManaged, "all bytes that there are", hipErrorOutOfMemory, &t.result, most, 1),
    ROW(hipMallocManaged, "a null pointer", value, nullptr, 1024, 1),
    ROW(hipMallocManaged, "no bytes", value, &t.result, 0, 1),
    ROW(hipMallocManaged, "a null pointer, of the host", value, nullptr, 1024, 2),
    ROW(hipMallocManaged, "no bytes, of the host", value, &t.result, 0, 2),
    ROW(hipMallocManaged, "a null pointer, no bytes, no flags", value, nullptr, 0, 0),
    ROW(hipMallocManaged, "flags that are none", value, &t.result, 1024, 145),
    ROW(hipMallocManaged, "no flags", value, &t.result, 1024, 0),
    ROW(hipMallocManaged, "global and of the host", value, &t.result, 1024, 3),
    ROW(hipMalloc3D, "a null pointer", value, nullptr, {1, 1, 1}),
    ROW(hipMalloc3D, "all rows that there are", hipErrorOutOfMemory,
        reinterpret_cast<hipPitchedPtr*>(t.host.data()), {1, most, 1}),
    ROW(hipMalloc3D, "all planes that there are", hipErrorOutOfMemory,
        reinterpret_cast<hipPitchedPtr*>(t.host.data()), {1, 1, most}),
    ROW(hipMallocPitch, "a null pointer", value, nullptr, &t.size, 1, 1),
    ROW(hipMallocPitch, "a null pitch", value, &t.result, nullptr, 1, 1),
    ROW(hipMallocPitch, "all rows that there are", hipErrorOutOfMemory, &t.result, &t.size, 1,
        most),
    ROW(hipMemAllocPitch, "a null pointer", value, nullptr, &t.size, 1, 1, 4),
    ROW(hipMemAllocPitch, "a null pitch", value, &t.result, nullptr, 1, 1, 4),
    ROW(hipMemAllocPitch, "all rows that there are", hipErrorOutOfMemory, &t.result, &t.size, 1,
        most, 4),
    ROW(hipFree, "memory of the program", value, t.host.data()),
    ROW(hipFree, "what was freed", value, t.freed),
    ROW(hipHostFree, "memory of the program", value, t.host.data()),
    ROW(hipHostFree, "what was registered", value, t.registered.data()),
    ROW(hipHostFree, "what was freed", value, t.freed_of_host),
    ROW(hipMallocAsync, "a null pointer", value, nullptr, 1024, t.stream),
    ROW(hipMallocAsync, "all bytes that there are", hipErrorOutOfMemory, &t.result, most, t.stream),
    ROW(hipMallocFromPoolAsync, "a null pointer", value, nullptr, 1024, t.pool, t.stream),
    ROW(hipMallocFromPoolAsync, "no pool", value, &t.result, 1024, nullptr, t.stream),
    ROW(hipMallocFromPoolAsync, "all bytes that there are", hipErrorOutOfMemory, &t.result, most,
        t.pool, t.stream),
    ROW(hipFreeAsync, "what was freed", value, t.freed, t.stream),
    ROW(hipFreeAsync, "null, which is nothing to free since HIP 7", hipSuccess, nullptr, t.stream),
    ROW(hipHostGetDevicePointer, "a null pointer", value, nullptr, t.pinned, 0),
    ROW(hipHostGetDevicePointer, "null of the host", value, &t.result, nullptr, 0),
    ROW(hipHostGetDevicePointer, "memory of the program", value, &t.result, t.host.data(), 0),
    ROW(hipHostGetDevicePointer, "flags", value, &t.result, t.pinned, 1),
    ROW(hipHostGetFlags, "a null pointer", value, nullptr, t.pinned),
    ROW(hipHostGetFlags, "memory of the device", value, &t.flags, t.memory),
    ROW(hipHostRegister, "a null pointer", value, nullptr, 1, 0),
    ROW(hipHostRegister, "no bytes", value, t.host.data(), 0, 0),
    ROW(hipHostRegister, "flags that are none", value, t.host.data(), bytes, 0x100),
    ROW(hipHostUnregister, "a null pointer", value, nullptr),
    ROW(hipHostUnregister, "what is inside", hipErrorHostMemoryNotRegistered,
        t.registered.data() + 1),
    ROW(hipHostUnregister, "memory of the program", hipErrorHostMemoryNotRegistered, t.host.data()),
    ROW(hipMemAdvise, "an advice that is none", value, t.managed, bytes,
        number<hipMemoryAdvise>(-1), 0),
    ROW(hipMemAdvise, "no bytes", value, t.managed, 0, hipMemAdviseSetReadMostly, 0),
    ROW(hipMemAdvise, "a null pointer", value, nullptr, bytes, hipMemAdviseSetReadMostly, 0),
    ROW(hipMemPrefetchAsync, "a null pointer", value, nullptr, bytes, 0, nullptr),
    ROW(hipMemPrefetchAsync, "no bytes", value, t.managed, 0, 0, nullptr),
    ROW(hipMemPrefetchAsync, "more than there is", value, t.managed, bytes + 1, 0, nullptr),
    ROW(hipMemPrefetchAsync, "no such device", hipErrorInvalidDevice, t.managed, bytes, -2,
        nullptr),
    ROW(hipMemGetAddressRange, "memory of nobody", hipErrorNotFound, &t.result, &t.size, nullptr),
    ROW(hipMemGetAddressRange, "behind the memory", hipErrorNotFound, &t.result, &t.size,
        static_cast<char*>(t.freed) + 16 * bytes),
    ROW(hipMemPtrGetInfo, "memory of the program", value, t.host.data(), &t.size),
    ROW(hipMemPtrGetInfo, "what was freed", value, t.freed, &t.size),
    ROW(hipStreamAttachMemAsync, "memory of the program", value, t.stream, t.host.data(), 4, 4),
    ROW(hipStreamAttachMemAsync, "a null pointer", value, t.stream, nullptr, 4, 4),
    ROW(hipStreamAttachMemAsync, "a part", value, t.stream, t.managed, bytes - 1, 4),
    ROW(hipStreamAttachMemAsync, "all flags", value, t.stream, t.managed, bytes - 1, 7),
};

const row of_pointers[] = {
    ROW(hipPointerGetAttribute, "a null pointer", value, nullptr,
        HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, t.memory),
    ROW(hipPointerGetAttribute, "null", value, &t.result, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
        nullptr),
    ROW(hipPointerGetAttribute, "what was freed", value, &t.result,
        HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, t.freed),
    ROW(hipPointerGetAttribute, "the device of the program's memory", value, &t.result,
        HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, t.host.data()),
    ROW(hipPointerGetAttribute, "the size of the program's memory", value, &t.result,
        HIP_POINTER_ATTRIBUTE_RANGE_SIZE, t.host.data()),
    ROW(hipPointerGetAttribute, "the start of the program's memory", value, &t.result,
        HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, t.host.data()),
    ROW(hipPointerGetAttribute, "the host's pointer of the device's memory", value, &t.result,
        HIP_POINTER_ATTRIBUTE_HOST_POINTER, t.memory),
    ROW(hipPointerGetAttribute, "the number of the program's memory", value, &t.result,
        HIP_POINTER_ATTRIBUTE_BUFFER_ID, t.host.data()),
    ROW(hipPointerGetAttribute, "an attribute that is none", value, &t.result,
        number<hipPointer_attribute>(-1), t.memory),
    ROW(hipPointerGetAttribute, "P2P tokens", hipErrorNotSupported, &t.result,
        number<hipPointer_attribute>(5), t.memory),
    ROW(hipPointerGetAttribute, "GPU direct", hipErrorNotSupported, &t.result,
        number<hipPointer_attribute>(15), t.memory),
    ROW(hipPointerGetAttribute, "handle types", hipErrorNotSupported, &t.result,
        number<hipPointer_attribute>(14), t.memory),
    ROW(hipPointerGetAttribute, "the pool's handle", hipErrorNotSupported, &t.result,
        number<hipPointer_attribute>(17), t.memory),
    ROW(hipPointerGetAttributes, "a null pointer, since HIP 7", hipSuccess, nullptr, t.memory),
    ROW(hipPointerGetAttributes, "null, since HIP 7", hipSuccess,
        reinterpret_cast<hipPointerAttribute_t*>(t.host.data()), nullptr),
    ROW(hipPointerSetAttribute, "a null pointer", value, nullptr, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
        t.memory),
    ROW(hipPointerSetAttribute, "an attribute that is none", value, &t.flags,
        number<hipPointer_attribute>(-1), t.memory),
    ROW(hipPointerSetAttribute, "null", value, &t.flags, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
        nullptr),
    ROW(hipPointerSetAttribute, "memory of the program", hipErrorInvalidDevicePointer, &t.flags,
        HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, t.host.data()),
    ROW(hipPointerSetAttribute, "what was freed", hipErrorInvalidDevicePointer, &t.flags,
        HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, t.freed),
    ROW(hipDrvPointerGetAttributes, "no attributes", value, 0, never_made, never_made, t.memory),
    ROW(hipDrvPointerGetAttributes, "null attributes", value, 2, nullptr, never_made, t.memory),
    ROW(hipDrvPointerGetAttributes, "null data", value, 2, never_made, nullptr, t.memory),
    ROW(hipDrvPointerGetAttributes, "null", value, 2, never_made, never_made, nullptr),
};

hipMemPoolProps pool_properties(hipMemAllocationType type, hipMemLocationType place, int id) {
    hipMemPoolProps properties{};
    properties.allocType = type;
    properties.location = {place, id};
    return properties;
}

hipError_t create_pool(things& t, const hipMemPoolProps& properties) {
    return hipMemPoolCreate(t.out<hipMemPool_t>(), &properties);
}

hipError_t set_access(things& t, hipMemLocationType type, int id, int flags, size_t count) {
    const hipMemAccessDesc access[2] = {{{type, id}, number<hipMemAccessFlags>(flags)}, {}};
    return hipMemPoolSetAccess(t.pool, access, count);
}

hipError_t get_access(things& t, hipMemLocationType type, int id) {
    hipMemLocation place = {type, id};
    return hipMemPoolGetAccess(t.out<hipMemAccessFlags>(), t.pool, &place);
}

hipError_t set_high(things& t, hipMemPoolAttr attribute) {
    t.size = 1;
    return hipMemPoolSetAttribute(t.pool, attribute, &t.size);
}

constexpr auto pinned = hipMemAllocationTypePinned;
constexpr auto on_device = hipMemLocationTypeDevice;
constexpr auto nowhere = hipMemLocationTypeInvalid;
constexpr int both_ways = hipMemAccessFlagsProtReadWrite;

const row of_pools[] = {
    ROW(hipMemPoolCreate, "a null pointer", value, nullptr, never_made),
    ROW(hipMemPoolCreate, "null properties", value, t.out<hipMemPool_t>(), nullptr),
    {"hipMemPoolCreate", "a type that is none", value,
     [](things& t) {
         return create_pool(t, pool_properties(hipMemAllocationTypeInvalid, on_device, 0));
     }},
    {"hipMemPoolCreate", "a place that is none", value,
     [](things& t) { return create_pool(t, pool_properties(pinned, nowhere, 0)); }},
    {"hipMemPoolCreate", "no such device", value,
     [](things& t) { return create_pool(t, pool_properties(pinned, on_device, 1)); }},
    ROW(hipMemPoolDestroy, "no pool", value, nullptr),
    ROW(hipMemPoolDestroy, "a destroyed pool", value, t.no_pool),
    ROW(hipMemPoolDestroy, "the default pool", value, t.default_pool),
    ROW(hipMemPoolSetAccess, "no pool", value, nullptr, never_made, 1),
    ROW(hipMemPoolSetAccess, "null places", value, t.pool, nullptr, 1),
    {"hipMemPoolSetAccess", "more places than devices", hipErrorInvalidDevice,
     [](things& t) { return set_access(t, on_device, 0, both_ways, 2); }},
    {"hipMemPoolSetAccess", "a place that is none", value,
     [](things& t) { return set_access(t, nowhere, 0, both_ways, 1); }},
    {"hipMemPoolSetAccess", "no such device", hipErrorInvalidDevice,
     [](things& t) { return set_access(t, on_device, 1, both_ways, 1); }},
    {"hipMemPoolSetAccess", "a negative device", hipErrorInvalidDevice,
     [](things& t) { return set_access(t, on_device, -1, both_ways, 1); }},
    {"hipMemPoolSetAccess", "none to its own device", hipErrorInvalidDevice,
     [](things& t) { return set_access(t, on_device, 0, hipMemAccessFlagsProtNone, 1); }},
    {"hipMemPoolSetAccess", "flags that are none", value,
     [](things& t) { return set_access(t, on_device, 0, 7, 1); }},
    ROW(hipMemPoolGetAccess, "no pool", value, t.out<hipMemAccessFlags>(), nullptr, never_made),
    ROW(hipMemPoolGetAccess, "a null pointer", value, nullptr, t.pool, never_made),
    {"hipMemPoolGetAccess", "a place that is none", value,
     [](things& t) { return get_access(t, nowhere, 0); }},
    {"hipMemPoolGetAccess", "no such device", value,
     [](things& t) { return get_access(t, on_device, 1); }},
    ROW(hipMemPoolSetAttribute, "no pool", value, nullptr, hipMemPoolReuseAllowOpportunistic,
        &t.integer),
    ROW(hipMemPoolSetAttribute, "an attribute that is none", value, t.pool,
        number<hipMemPoolAttr>(9), &t.integer),
    ROW(hipMemPoolSetAttribute, "a null pointer", value, t.pool, hipMemPoolReuseAllowOpportunistic,
        nullptr),
    {"hipMemPoolSetAttribute", "reserved bytes but 0", value,
     [](things& t) { return set_high(t, hipMemPoolAttrReservedMemHigh); }},
    {"hipMemPoolSetAttribute", "used bytes but 0", value,
     [](things& t) { return set_high(t, hipMemPoolAttrUsedMemHigh); }},
    ROW(hipMemPoolGetAttribute, "no pool", value, nullptr, hipMemPoolReuseAllowOpportunistic,
        &t.integer),
    ROW(hipMemPoolGetAttribute, "an attribute that is none", value, t.pool,
        number<hipMemPoolAttr>(9), &t.integer),
    ROW(hipMemPoolGetAttribute, "a null pointer", value, t.pool, hipMemPoolReuseAllowOpportunistic,
        nullptr),
    ROW(hipMemPoolTrimTo, "no pool", value, nullptr, 0),
};

// ---- copies and fills ----

constexpr auto to_device = hipMemcpyHostToDevice;
constexpr auto to_host = hipMemcpyDeviceToHost;

const row
    of_copies
        [] =
            {
                ROW(hipMemcpy2D, "a null destination", value, nullptr, 64, t.host.data(), 64, 64, 4,
                    to_device),
                ROW(hipMemcpy2D, "a null source", value, t.memory, 64, nullptr, 64, 64, 4,
                    to_device),
                ROW(hipMemcpy2D, "a destination's pitch below the width", hipErrorInvalidPitchValue,
                    t.memory, 63, t.host.data(), 64, 64, 4, to_device),
                ROW(hipMemcpy2D, "a source's pitch below the width", hipErrorInvalidPitchValue,
                    t.memory, 64, t.host.data(), 63, 64, 4, to_device),
                ROW(hipMemcpy2D, "a destination's pitch above the greatest", value, t.memory,
                    too_far, t.host.data(), 64, 64, 4, to_device),
                ROW(hipMemcpy2D, "a source's pitch above the greatest", value, t.host.data(), 64,
                    t.memory, too_far, 64, 4, to_host),
                ROW(hipMemcpy2DAsync, "a null destination", value, nullptr, 64, t.host.data(), 64,
                    64, 4, to_device, t.stream),
                ROW(hipMemcpy2DAsync, "a null source", value, t.memory, 64, nullptr, 64, 64, 4,
                    to_device, t.stream),
                ROW(hipMemcpy2DAsync, "a destination's pitch below the width",
                    hipErrorInvalidPitchValue, t.memory, 63, t.host.data(), 64, 64, 4, to_device,
                    t.stream),
                ROW(hipMemcpy2DAsync, "a source's pitch below the width", hipErrorInvalidPitchValue,
                    t.memory, 64, t.host.data(), 63, 64, 4, to_device, t.stream),
                ROW(hipMemcpy2DAsync, "a destination's pitch above the greatest", value, t.memory,
                    too_far, t.host.data(), 64, 64, 4, to_device, t.stream),
                ROW(hipMemcpy2DAsync, "a source's pitch above the greatest", value, t.host.data(),
                    64, t.memory, too_far, 64, 4, to_host, t.stream),
                ROW(hipMemcpy, "a null destination", value, nullptr, t.memory, 64, to_host),
                ROW(hipMemcpy, "a null source", value, t.memory, nullptr, 64, to_device),
                ROW(hipMemcpy, "a kind that is none", hipErrorInvalidMemcpyDirection, t.memory,
                    t.host.data(), 64, number<hipMemcpyKind>(-1)),
                ROW(hipMemcpy, "more than the source has", value, t.host.data(), t.memory,
                    bytes + 1, to_host),
                ROW(hipMemcpyAsync, "a null destination", value, nullptr, t.memory, 64, to_host,
                    t.stream),
                ROW(hipMemcpyAsync, "a null source", value, t.memory, nullptr, 64, to_device,
                    t.stream),
                ROW(hipMemcpyAsync, "more than the source has", value, t.host.data(), t.memory,
                    bytes + 1, to_host, t.stream),
                ROW(hipMemcpyDtoHAsync, "more than the source has", value, t.host.data(), t.memory,
                    2 * bytes, t.stream),
                ROW(hipMemcpyDtoDAsync, "more than there is", value, t.memory, t.other, 2 * bytes,
                    t.stream),
                ROW(hipMemcpyDtoH, "a null destination", value, nullptr, t.memory, 64),
                ROW(hipMemcpyDtoH, "a null source", value, t.host.data(), nullptr, 64),
                ROW(hipMemcpyHtoD, "a null destination", value, nullptr, t.host.data(), 64),
                ROW(hipMemcpyHtoD, "a null source", value, t.memory, nullptr, 64),
                ROW(hipMemcpyDtoD, "a null destination", value, nullptr, t.memory, 64),
                ROW(hipMemcpyDtoD, "a null source", value, t.memory, nullptr, 64),
                ROW(hipMemcpyPeer, "a null destination", value, nullptr, 0, t.memory, 0, bytes),
                ROW(hipMemcpyPeer, "a null source", value, t.memory, 0, nullptr, 0, bytes),
                ROW(hipMemcpyPeer, "more than there is", value, t.memory, 0, t.other, 0, bytes + 1),
                ROW(hipMemcpyPeer, "no such device", hipErrorInvalidDevice, t.memory, 1,
                    t.other, 0, bytes),
                ROW(hipMemcpyPeer, "no such device", hipErrorInvalidDevice, t.memory, 0,
                    t.other, 1, bytes),
                ROW(hipMemcpyPeerAsync, "a null destination", value, nullptr, 0, t.memory, 0, bytes,
                    t.stream),
                ROW(hipMemcpyPeerAsync, "a null source", value, t.memory, 0, nullptr, 0, bytes,
                    t.stream),
                ROW(hipMemcpyPeerAsync, "more than there is", value, t.memory, 0,
                    t.other, 0, bytes + 1, t.stream),
                ROW(hipMemcpyPeerAsync, "no such device", hipErrorInvalidDevice, t.memory, 1,
                    t.other, 0, bytes, t.stream),
                ROW(hipMemcpyPeerAsync, "no such device", hipErrorInvalidDevice, t.memory, 0,
                    t.other, 1, bytes, t.stream),
                ROW(hipMemcpy3D, "null parameters", value, nullptr),
                ROW(hipDrvMemcpy3D, "null parameters", value, nullptr),
                ROW(hipDrvMemcpy3DAsync, "null parameters", value, nullptr, t.stream),
                {"hipDrvMemcpy2DUnaligned", "rows that end behind the memory", value,
                 [](things& t) {
                     hip_Memcpy2D p = t.param_2d();
                     p.Height = 65;
                     return hipDrvMemcpy2DUnaligned(&p);
                 }},
                ROW(hipMemset, "null", value, nullptr, 1, 64),
                ROW(hipMemset, "memory of the program", value, t.host.data(), 1, 64),
                ROW(hipMemset, "behind the memory", value, static_cast<char*>(t.memory) + bytes + 1,
                    1, 64),
                ROW(hipMemset, "more than there is", value, t.memory, 1, 2 * bytes),
                ROW(hipMemsetAsync, "null", value, nullptr, 1, 64, t.stream),
                ROW(hipMemsetAsync, "memory of the program", value, t.host.data(), 1, 64, t.stream),
                ROW(hipMemsetAsync, "more than there is", value, t.memory, 1, 2 * bytes, t.stream),
                ROW(hipMemsetD32, "null", value, nullptr, 1, 64),
                ROW(hipMemsetD32, "memory of the program", value, t.host.data(), 1, 64),
                ROW(hipMemsetD32Async, "null", value, nullptr, 1, 64, t.stream),
                ROW(hipMemsetD32Async, "memory of the program", value, t.host.data(), 1, 64,
                    t.stream),
                ROW(hipMemsetD16, "null", value, nullptr, 1, 64),
                ROW(hipMemsetD16, "memory of the program", value, t.host.data(), 1, 64),
                ROW(hipMemsetD16Async, "null", value, nullptr, 1, 64, t.stream),
                ROW(hipMemsetD16Async, "memory of the program", value, t.host.data(), 1, 64,
                    t.stream),
                ROW(hipMemsetD8, "null", value, nullptr, 1, 64),
                ROW(hipMemsetD8, "memory of the program", value, t.host.data(), 1, 64),
                ROW(hipMemsetD8Async, "null", value, nullptr, 1, 64, t.stream),
                ROW(hipMemsetD8Async, "memory of the program", value, t.host.data(), 1, 64,
                    t.stream),
                ROW(hipMemset2D, "null", value, nullptr, 64, 1, 64, 4),
                ROW(hipMemset2D, "memory of the program", value, t.host.data(), 64, 1, 64, 4),
                ROW(hipMemset2D, "a pitch below the width", value, t.memory, 1, 1, 64, 4),
                ROW(hipMemset2D, "a width above the pitch", value, t.memory, 64, 1, 65, 4),
                ROW(hipMemset2DAsync, "null", value, nullptr, 64, 1, 64, 4, t.stream),
                ROW(hipMemset2DAsync, "a pitch below the width", value, t.memory, 1, 1, 64, 4,
                    t.stream),
                ROW(hipMemset2DAsync, "more than there is", value, t.memory, 64, 1, 64, 640,
                    t.stream),
                ROW(hipMemset3D, "null", value, {nullptr, 64, 64, 4}, 1, {64, 4, 4}),
                ROW(hipMemset3D, "memory of the program", value, {t.host.data(), 64, 64, 4}, 1,
                    {64, 4, 4}),
                ROW(hipMemset3D, "a pitch below the width", value, {t.memory, 1, 64, 4}, 1,
                    {64, 4, 4}),
                ROW(hipMemset3D, "a width above the pitch", value, {t.memory, 64, 64, 4}, 1,
                    {65, 4, 4}),
                ROW(hipMemset3DAsync, "null", value, {nullptr, 64, 64, 4}, 1, {64, 4, 4}, t.stream),
};

const row of_symbols[] = {
    ROW(hipGetSymbolAddress, "a null pointer", value, nullptr, &t.variable),
    ROW(hipGetSymbolAddress, "null", hipErrorInvalidSymbol, &t.result, nullptr),
    ROW(hipGetSymbolSize, "a null pointer", value, nullptr, &t.variable),
    ROW(hipGetSymbolSize, "null", hipErrorInvalidSymbol, &t.size, nullptr),
    ROW(hipMemcpyFromSymbol, "a null destination", value, nullptr, &t.variable, 4, 0, to_host),
    ROW(hipMemcpyFromSymbol, "a null symbol", hipErrorInvalidSymbol, &t.integer, nullptr, 4, 0,
        to_host),
    ROW(hipMemcpyFromSymbol, "more than it has", value, &t.integer, &t.variable, 400, 0, to_host),
    ROW(hipMemcpyFromSymbol, "behind it", value, &t.integer, &t.variable, 4, 300, to_host),
    ROW(hipMemcpyFromSymbol, "to the device", hipErrorInvalidMemcpyDirection, &t.integer,
        &t.variable, 4, 0, to_device),
    ROW(hipMemcpyToSymbol, "a null symbol", hipErrorInvalidSymbol, nullptr, &t.integer, 4, 0,
        to_device),
    ROW(hipMemcpyToSymbol, "a null source", value, &t.variable, nullptr, 4, 0, to_device),
    ROW(hipMemcpyToSymbol, "more than it has", value, &t.variable, &t.integer, 400, 0, to_device),
    ROW(hipMemcpyToSymbol, "behind it", value, &t.variable, &t.integer, 4, 300, to_device),
    ROW(hipMemcpyToSymbol, "to the host", hipErrorInvalidMemcpyDirection, &t.variable, &t.integer,
        4, 0, to_host),
    ROW(hipMemcpyFromSymbolAsync, "a null destination", value, nullptr, &t.variable, 4, 0, to_host,
        t.stream),
    ROW(hipMemcpyFromSymbolAsync, "a null symbol", hipErrorInvalidSymbol, &t.integer, nullptr, 4, 0,
        to_host, t.stream),
    ROW(hipMemcpyFromSymbolAsync, "more than it has", value, &t.integer, &t.variable, 400, 0,
        to_host, t.stream),
    ROW(hipMemcpyFromSymbolAsync, "behind it", value, &t.integer, &t.variable, 4, 300, to_host,
        t.stream),
    ROW(hipMemcpyFromSymbolAsync, "to the device", hipErrorInvalidMemcpyDirection, &t.integer,
        &t.variable, 4, 0, to_device, t.stream),
    ROW(hipMemcpyToSymbolAsync, "a null symbol", hipErrorInvalidSymbol, nullptr, &t.integer, 4, 0,
        to_device, t.stream),
    ROW(hipMemcpyToSymbolAsync, "a null source", value, &t.variable, nullptr, 4, 0, to_device,
        t.stream),
    ROW(hipMemcpyToSymbolAsync, "more than it has", value, &t.variable, &t.integer, 400, 0,
        to_device, t.stream),
    ROW(hipMemcpyToSymbolAsync, "behind it", value, &t.variable, &t.integer, 4, 300, to_device,
        t.stream),
    ROW(hipMemcpyToSymbolAsync, "to the host", hipErrorInvalidMemcpyDirection, &t.variable,
        &t.integer, 4, 0, to_host, t.stream),
};

// ---- streams and events ----

constexpr unsigned to_the_device = 0x40000000;  // hipEventReleaseToDevice
constexpr unsigned to_the_system = 0x80000000;  // hipEventReleaseToSystem
constexpr unsigned of_processes = 4;            // hipEventInterprocess

const row of_streams[] = {
    ROW(hipStreamCreate, "a null pointer", value, nullptr),
    ROW(hipStreamCreateWithFlags, "a null pointer", value, nullptr, 0),
    ROW(hipStreamCreateWithFlags, "flags that are none", value, t.out<hipStream_t>(), 0xff),
    ROW(hipStreamCreateWithPriority, "a null pointer", value, nullptr, 0, 0),
    ROW(hipStreamCreateWithPriority, "flags that are none", value, t.out<hipStream_t>(), ~0u, 0),
    ROW(hipStreamDestroy, "a destroyed stream", hipErrorContextIsDestroyed, t.no_stream),
    ROW(hipStreamDestroy, "the null stream", handle, nullptr),
    ROW(hipExtStreamGetCUMask, "a null mask", value, t.stream, 10, nullptr),
    ROW(hipExtStreamGetCUMask, "no words", value, t.stream, 0, &t.flags),
    ROW(hipExtStreamCreateWithCUMask, "a null pointer", value, nullptr, 1, &t.flags),
    ROW(hipExtStreamCreateWithCUMask, "a null mask", value, t.out<hipStream_t>(), 1, nullptr),
    ROW(hipStreamGetDevice, "a null pointer", value, nullptr, nullptr),
    ROW(hipStreamGetDevice, "a null pointer", value, t.stream, nullptr),
    ROW(hipStreamGetFlags, "the null stream", value, nullptr, &t.flags),
    ROW(hipStreamGetFlags, "a null pointer", value, t.stream, nullptr),
    ROW(hipStreamGetPriority, "a null pointer", value, nullptr, nullptr),
    ROW(hipStreamGetPriority, "a null pointer", value, t.stream, nullptr),
    ROW(hipStreamQuery, "a destroyed stream", hipErrorContextIsDestroyed, t.no_stream),
    ROW(hipStreamQuery, "no stream", hipErrorContextIsDestroyed, never_made),
    ROW(hipStreamSynchronize, "no stream", hipErrorContextIsDestroyed, never_made),
    ROW(hipStreamWriteValue32, "null", value, t.stream, nullptr, 0, 0),
    ROW(hipStreamWriteValue64, "null", value, t.stream, nullptr, 0, 0),
    ROW(hipStreamWaitValue32, "null", value, t.stream, nullptr, 0, 0, ~0u),
    ROW(hipStreamWaitValue64, "null", value, t.stream, nullptr, 0, 0, ~0u),
    ROW(hipStreamWaitValue32, "flags that are none", value, t.stream, t.memory, 0, ~0u, ~0u),
    ROW(hipStreamWaitValue64, "flags that are none", value, t.stream, t.memory, 0, ~0u, ~0u),
    ROW(hipStreamWaitValue32, "no stream", hipErrorContextIsDestroyed, never_made, t.memory, 0, 0,
        ~0u),
    ROW(hipStreamWriteValue32, "no stream", hipErrorContextIsDestroyed, never_made, t.memory, 0, 0),
    ROW(hipStreamWaitEvent, "no event", handle, t.stream, nullptr, 0),
    ROW(hipStreamWaitEvent, "flags that are none", value, t.stream, t.event, 0xff),
    ROW(hipStreamAddCallback, "no function", value, t.stream, nullptr, nullptr, 0),
    ROW(hipStreamAddCallback, "flags", value, t.stream, no_callback, nullptr, 1),
    ROW(hipLaunchHostFunc, "no function", value, t.stream, nullptr, nullptr),
    ROW(hipLaunchHostFunc, "no stream", hipErrorContextIsDestroyed, never_made, do_nothing,
        nullptr),
    ROW(hipEventCreate, "a null pointer", value, nullptr),
    ROW(hipEventCreateWithFlags, "a null pointer", value, nullptr, 0),
    ROW(hipEventCreateWithFlags, "of processes, with times", value, t.out<hipEvent_t>(),
        of_processes),
    ROW(hipEventCreateWithFlags, "releases to the device and to the system", value,
        t.out<hipEvent_t>(), to_the_device | to_the_system),
    ROW(hipEventCreateWithFlags, "all flags", value, t.out<hipEvent_t>(),
        to_the_device | to_the_system | of_processes | 1 | 2),
    ROW(hipEventCreateWithFlags, "flags that are none", value, t.out<hipEvent_t>(), 0x08000000),
    ROW(hipEventRecord, "no event", handle, nullptr, nullptr),
    ROW(hipEventSynchronize, "no event", handle, nullptr),
    ROW(hipEventQuery, "no event", handle, nullptr),
    ROW(hipEventDestroy, "no event", handle, nullptr),
    ROW(hipEventElapsedTime, "a null pointer", value, nullptr, t.event, t.event),
    ROW(hipEventElapsedTime, "no first event", handle, t.out<float>(), nullptr, t.event),
    ROW(hipEventElapsedTime, "no second event", handle, t.out<float>(), t.event, nullptr),
    ROW(hipEventElapsedTime, "events that were not recorded", handle, t.out<float>(), t.event,
        t.event),
};

// ---- modules and their functions ----

// The path of a file with this in it.
std::string file_of(const std::string& contents) {
    const std::string path = testing::TempDir() + "opus_no_module_" + tested_arch();
    std::ofstream(path) << contents;
    return path;
}

hipError_t launch_with(things& t, void** arguments, void** extra) {
    return hipModuleLaunchKernel(t.function, 1, 1, 1, 256, 1, 1, 0, nullptr, arguments, extra);
}

hipError_t launch_too_wide(things& t, hipDeviceAttribute_t limit, unsigned x, unsigned y,
                           unsigned z) {
    EXPECT_EQ(hipDeviceGetAttribute(&t.integer, limit, 0), hipSuccess);
    const unsigned n = static_cast<unsigned>(t.integer) + 1;
    return hipModuleLaunchKernel(t.function, x == 0 ? n : x, y == 0 ? n : y, z == 0 ? n : z, 256, 1,
                                 1, 0, nullptr, t.arguments, nullptr);
}

const row of_modules[] = {
    ROW(hipModuleLoad, "a null pointer", value, nullptr, kernels_path(tested_arch()).c_str()),
    ROW(hipModuleLoad, "a null name", value, t.out<hipModule_t>(), nullptr),
    ROW(hipModuleLoad, "an empty name", value, t.out<hipModule_t>(), ""),
    ROW(hipModuleLoad, "no such file", hipErrorFileNotFound, t.out<hipModule_t>(), "no such file"),
    ROW(hipModuleLoad, "a file that is none", hipErrorInvalidImage, t.out<hipModule_t>(),
        file_of("no code object").c_str()),
    ROW(hipModuleLoad, "an empty file", hipErrorInvalidImage, t.out<hipModule_t>(),
        file_of("").c_str()),
    ROW(hipModuleLoadData, "a null pointer", value, nullptr, never_made),
    ROW(hipModuleLoadData, "a null image", value, t.out<hipModule_t>(), nullptr),
    ROW(hipModuleLoadData, "an empty text", hipErrorInvalidImage, t.out<hipModule_t>(), ""),
    ROW(hipModuleLoadDataEx, "a null pointer", value, nullptr, never_made, 0, nullptr, nullptr),
    ROW(hipModuleLoadDataEx, "a null image", value, t.out<hipModule_t>(), nullptr, 0, nullptr,
        nullptr),
    ROW(hipModuleLoadDataEx, "an empty text", hipErrorInvalidImage, t.out<hipModule_t>(), "", 0,
        nullptr, nullptr),
    ROW(hipModuleUnload, "no module", handle, nullptr),
    ROW(hipModuleUnload, "an unloaded module", hipErrorNotFound, t.no_module),
    ROW(hipModuleGetFunction, "a null pointer", value, nullptr, t.module, "exchange"),
    ROW(hipModuleGetFunction, "a null name", value, t.out<hipFunction_t>(), t.module, nullptr),
    ROW(hipModuleGetFunction, "no such kernel", hipErrorNotFound, t.out<hipFunction_t>(), t.module,
        "no such kernel"),
    ROW(hipModuleGetFunction, "a variable", hipErrorNotFound, t.out<hipFunction_t>(), t.module,
        "number"),
    ROW(hipModuleGetGlobal, "a null name", value, &t.result, &t.size, t.module, nullptr),
    ROW(hipModuleGetGlobal, "no such variable", hipErrorNotFound, &t.result, &t.size, t.module,
        "no such variable"),
    ROW(hipModuleGetGlobal, "no module", handle, &t.result, &t.size, nullptr, "number"),
    ROW(hipModuleGetGlobal, "an empty name", value, &t.result, &t.size, t.module, ""),
    ROW(hipModuleGetGlobal, "two null pointers", value, nullptr, nullptr, t.module, "number"),
    ROW(hipFuncGetAttribute, "a null pointer", value, nullptr, HIP_FUNC_ATTRIBUTE_BINARY_VERSION,
        t.function),
    ROW(hipFuncGetAttribute, "an attribute that is none", value, &t.integer,
        number<hipFunction_attribute>(-1), t.function),
    ROW(hipFuncGetAttribute, "no function", handle, &t.integer, HIP_FUNC_ATTRIBUTE_BINARY_VERSION,
        nullptr),
    ROW(hipFuncGetAttributes, "a null pointer", value, nullptr, t.function),
    ROW(hipFuncGetAttributes, "no function", hipErrorInvalidDeviceFunction,
        reinterpret_cast<hipFuncAttributes*>(t.host.data()), nullptr),
    ROW(hipFuncSetAttribute, "no function", hipErrorInvalidDeviceFunction, nullptr,
        hipFuncAttributePreferredSharedMemoryCarveout, 50),
    ROW(hipFuncSetAttribute, "an attribute that is none", value, t.function,
        number<hipFuncAttribute>(-1), 50),
    ROW(hipFuncSetAttribute, "negative LDS", value, t.function,
        hipFuncAttributeMaxDynamicSharedMemorySize, -1),
    ROW(hipFuncSetAttribute, "more LDS than the kernel leaves", value, t.function,
        hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(t.lds - 1024 + 1)),
    ROW(hipFuncSetAttribute, "a carveout of -2", value, t.function,
        hipFuncAttributePreferredSharedMemoryCarveout, -2),
    ROW(hipFuncSetAttribute, "a carveout of 101", value, t.function,
        hipFuncAttributePreferredSharedMemoryCarveout, 101),
    ROW(hipFuncSetCacheConfig, "no function", hipErrorInvalidDeviceFunction, nullptr,
        hipFuncCachePreferNone),
    ROW(hipFuncSetCacheConfig, "a configuration that is none", value, t.function,
        number<hipFuncCache_t>(-1)),
    ROW(hipFuncSetSharedMemConfig, "no function", hipErrorInvalidDeviceFunction, nullptr,
        hipSharedMemBankSizeDefault),
    ROW(hipFuncSetSharedMemConfig, "a configuration that is none", value, t.function,
        number<hipSharedMemConfig>(-1)),
    ROW(hipLaunchByPtr, "no function", hipErrorInvalidDeviceFunction, nullptr),
    ROW(hipExtLaunchKernel, "a destroyed first event", value, t.function, {1, 1, 1}, {256, 1, 1},
        t.arguments, 0, nullptr, t.no_event, nullptr, 0),
    ROW(hipExtLaunchKernel, "a destroyed second event", value, t.function, {1, 1, 1}, {256, 1, 1},
        t.arguments, 0, nullptr, nullptr, t.no_event, 0),
    ROW(hipLaunchCooperativeKernel, "more groups than there is room for", too_large, t.function,
        {100000, 1, 1}, {256, 1, 1}, t.arguments, 0, nullptr),
    {"hipModuleLaunchKernel", "arguments in both ways", value,
     [](things& t) {
         size_t size = sizeof t.argument;
         void* extra[] = {reinterpret_cast<void*>(1), &t.argument, reinterpret_cast<void*>(2),
                          &size, reinterpret_cast<void*>(3)};
         return launch_with(t, t.arguments, extra);
     }},
    {"hipModuleLaunchKernel", "arguments in a list that is none", value,
     [](things& t) {
         void* extra[] = {nullptr, nullptr};
         return launch_with(t, nullptr, extra);
     }},
    {"hipModuleLaunchKernel", "no arguments", value,
     [](things& t) { return launch_with(t, nullptr, nullptr); }},
    {"hipModuleLaunchKernel", "more groups in x than the attribute says", value,
     [](things& t) { return launch_too_wide(t, hipDeviceAttributeMaxGridDimX, 0, 1, 1); }},
    {"hipModuleLaunchKernel", "more groups in y than the attribute says", value,
     [](things& t) { return launch_too_wide(t, hipDeviceAttributeMaxGridDimY, 1, 0, 1); }},
    {"hipModuleLaunchKernel", "more groups in z than the attribute says", value,
     [](things& t) { return launch_too_wide(t, hipDeviceAttributeMaxGridDimZ, 1, 1, 0); }},
    ROW(hipExtModuleLaunchKernel, "no threads in x", configuration, t.function, 1, 1, 1, 0, 1, 1, 0,
        nullptr, t.arguments, nullptr, nullptr, nullptr, 0),
    ROW(hipExtModuleLaunchKernel, "no threads in y", configuration, t.function, 1, 1, 1, 1, 0, 1, 0,
        nullptr, t.arguments, nullptr, nullptr, nullptr, 0),
    ROW(hipExtModuleLaunchKernel, "no threads in z", configuration, t.function, 1, 1, 1, 1, 1, 0, 0,
        nullptr, t.arguments, nullptr, nullptr, nullptr, 0),
    ROW(hipExtModuleLaunchKernel, "no threads and too much LDS", configuration, t.function, 1, 1, 1,
        0, 1, 1, t.lds + 1, nullptr, t.arguments, nullptr, nullptr, nullptr, 0),
    ROW(hipExtModuleLaunchKernel, "no work-items and too much LDS", value, t.function, 0, 1, 1, 1,
        1, 1, t.lds + 1, nullptr, t.arguments, nullptr, nullptr, nullptr, 0),
    ROW(hipHccModuleLaunchKernel, "no function", handle, nullptr, 256, 1, 1, 256, 1, 1, 0, nullptr,
        t.arguments, nullptr, nullptr, nullptr),
    ROW(hipHccModuleLaunchKernel, "no arguments", value, t.function, 256, 1, 1, 256, 1, 1, 0,
        nullptr, nullptr, nullptr, nullptr, nullptr),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessor, "a null pointer", value, nullptr, t.function,
        64, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessor, "no threads", value, &t.integer, t.function,
        0, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessor, "no function", hipErrorInvalidDeviceFunction,
        &t.integer, nullptr, 64, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "a null pointer", value, nullptr,
        t.function, 64, 0, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "no threads", value, &t.integer,
        t.function, 0, 0, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "no function",
        hipErrorInvalidDeviceFunction, &t.integer, nullptr, 64, 0, 0),
    ROW(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "flags that are none", value,
        &t.integer, t.function, 64, 0, 2),
    ROW(hipOccupancyMaxPotentialBlockSize, "a null grid", value, nullptr, &t.integer, t.function, 0,
        0),
    ROW(hipOccupancyMaxPotentialBlockSize, "a null block", value, &t.integer, nullptr, t.function,
        0, 0),
    ROW(hipOccupancyMaxPotentialBlockSize, "no function", hipErrorInvalidDeviceFunction, &t.integer,
        &t.integer, nullptr, 0, 0),
    ROW(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, "a null pointer", value, nullptr,
        t.function, 64, 0),
    ROW(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, "no threads", value, &t.integer,
        t.function, 0, 0),
    ROW(hipModuleOccupancyMaxPotentialBlockSize, "a null grid", value, nullptr, &t.integer,
        t.function, 0, 0),
    ROW(hipModuleOccupancyMaxPotentialBlockSize, "a null block", value, &t.integer, nullptr,
        t.function, 0, 0),
};

TEST(wrong_parameters, get_the_answers_of_hip_7) {
    expect_answers({launches(), copies_of_rows(), listed(of_the_device), listed(of_memory),
                    listed(of_pointers), listed(of_pools), listed(of_copies), listed(of_symbols),
                    listed(of_streams), listed(of_modules)},
                   527);
}

}  // namespace
