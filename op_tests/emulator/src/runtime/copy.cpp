// Copying and filling memory.

#include <span>

#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {

hipError_t rows_of(const hipMemcpy3DParms* p, copy_rows& c) {
    if (p == nullptr) {
        return hipErrorInvalidValue;
    }
    if (p->srcArray != nullptr || p->dstArray != nullptr) {
        return hipErrorNotSupported;  // nobody can have made one
    }
    const auto side = [&](const hipPitchedPtr& pointer, const hipPos& at) {
        const size_t height = pointer.ysize != 0 ? pointer.ysize : p->extent.height;
        rows r;
        r.pitch = pointer.pitch;
        r.slice = pointer.pitch * height;
        if (pointer.ptr != nullptr) {
            r.begin = static_cast<std::byte*>(pointer.ptr) + at.z * r.slice + at.y * r.pitch + at.x;
        }
        return r;
    };
    c = {side(p->dstPtr, p->dstPos), side(p->srcPtr, p->srcPos), p->extent, p->kind};
    return hipSuccess;
}

namespace {

// One side of a copy that the driver API describes: which of its pointers is meant, and the
// position in it.
struct described {
    hipMemoryType type;
    void* host;
    void* device;
    size_t x;
    size_t y;
    size_t z;
    size_t pitch;
    size_t height;
};

hipError_t side_of(const described& d, const hipExtent& extent, rows& r, bool& on_host) {
    on_host = d.type == hipMemoryTypeHost;
    if (!on_host && d.type != hipMemoryTypeDevice && d.type != hipMemoryTypeUnified &&
        d.type != hipMemoryTypeManaged) {
        return d.type == hipMemoryTypeArray ? hipErrorNotSupported : hipErrorInvalidValue;
    }
    r.pitch = d.pitch != 0 ? d.pitch : d.x + extent.width;
    if (extent.height > 1 && r.pitch < extent.width) {
        return hipErrorInvalidValue;  // hipMemcpy2D and 3D say hipErrorInvalidPitchValue
    }
    r.slice = r.pitch * (d.height != 0 ? d.height : extent.height);
    void* begin = on_host ? d.host : d.device;
    r.begin = begin == nullptr
                  ? nullptr
                  : static_cast<std::byte*>(begin) + d.z * r.slice + d.y * r.pitch + d.x;
    return hipSuccess;
}

hipError_t rows_of(const described& to, const described& from, const hipExtent& extent,
                   copy_rows& c) {
    bool to_host = false;
    bool from_host = false;
    c.extent = extent;
    hipError_t error = side_of(to, extent, c.to, to_host);
    if (error == hipSuccess) {
        error = side_of(from, extent, c.from, from_host);
    }
    c.kind = to_host ? (from_host ? hipMemcpyHostToHost : hipMemcpyDeviceToHost)
                     : (from_host ? hipMemcpyHostToDevice : hipMemcpyDeviceToDevice);
    return error;
}

hipError_t rows_of(const hip_Memcpy2D* p, copy_rows& c) {
    if (p == nullptr) {
        return hipErrorInvalidValue;
    }
    return rows_of(
        {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, 0, p->dstPitch, 0},
        {p->srcMemoryType, const_cast<void*>(p->srcHost), p->srcDevice, p->srcXInBytes, p->srcY, 0,
         p->srcPitch, 0},
        {p->WidthInBytes, p->Height, 1}, c);
}

}  // namespace

hipError_t rows_of(const HIP_MEMCPY3D* p, copy_rows& c) {
    if (p == nullptr || p->srcLOD != 0 || p->dstLOD != 0) {
        return hipErrorInvalidValue;
    }
    return rows_of({p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, p->dstZ,
                    p->dstPitch, p->dstHeight},
                   {p->srcMemoryType, const_cast<void*>(p->srcHost), p->srcDevice, p->srcXInBytes,
                    p->srcY, p->srcZ, p->srcPitch, p->srcHeight},
                   {p->WidthInBytes, p->Height, p->Depth}, c);
}

namespace {

template <class Description>
hipError_t copy_described(const Description* description, hipStream_t stream,
                          const char* call = __builtin_FUNCTION()) {
    copy_rows c;
    const hipError_t error = rows_of(description, c);
    return returned(error == hipSuccess ? submit(stream, c) : error, call);
}

hipError_t copy_bytes(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                      hipStream_t stream, const char* call = __builtin_FUNCTION()) {
    return returned(submit(stream, copy_line(to, from, bytes, kind)), call);
}

hipError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t height, hipMemcpyKind kind, hipStream_t stream,
                   const char* call = __builtin_FUNCTION()) {
    copy_rows c = copy_line(to, from, width, kind);
    c.to = {c.to.begin, to_pitch, to_pitch * height};
    c.from = {c.from.begin, from_pitch, from_pitch * height};
    c.extent.height = height;
    return returned(submit(stream, c), call);
}

template <class T>
hipError_t fill(void* to, T value, size_t count, hipStream_t stream,
                const char* call = __builtin_FUNCTION()) {
    return returned(submit(stream, fill_line(to, value, sizeof value, count)), call);
}

hipError_t fill_3d(const hipPitchedPtr& to, int value, const hipExtent& extent, hipStream_t stream,
                   const char* call = __builtin_FUNCTION()) {
    fill_rows f = fill_line(to.ptr, static_cast<uint8_t>(value), 1, extent.width);
    f.to.pitch = to.pitch;
    f.to.slice = to.pitch * (to.ysize != 0 ? to.ysize : extent.height);
    f.extent = extent;
    return returned(submit(stream, f), call);
}

hipError_t copy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes,
                     hipStream_t stream, const char* call = __builtin_FUNCTION()) {
    for (const int number : {to_device, from_device}) {
        if (const hipError_t error = check_device(number); error != hipSuccess) {
            return returned(error);
        }
    }
    return copy_bytes(to, from, bytes, hipMemcpyDeviceToDevice, stream, call);
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return copy_bytes(to, from, bytes, kind, nullptr);
}

hipError_t hipMemcpy_spt(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return copy_bytes(to, from, bytes, kind, per_thread(nullptr));
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
    return copy_bytes(to, from, bytes, kind, stream);
}

hipError_t hipMemcpyAsync_spt(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                              hipStream_t stream) {
    return copy_bytes(to, from, bytes, kind, per_thread(stream));
}

hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
    return copy_bytes(to, from, bytes, kind, stream);
}

// The attributes say in what order sources may be read, which is all the same here, and give hints.
hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count,
                               hipMemcpyAttributes* attributes, size_t* first_of_attributes,
                               size_t attribute_count, size_t* failed, hipStream_t stream) {
    if (to == nullptr || from == nullptr || bytes == nullptr || count == 0 ||
        attribute_count > count ||
        (attribute_count != 0 && (attributes == nullptr || first_of_attributes == nullptr))) {
        return returned(hipErrorInvalidValue);
    }
    for (const hipMemcpyAttributes& a : std::span(attributes, attribute_count)) {
        if (a.flags > hipMemcpyFlagPreferOverlapWithCompute) {
            complain("hipMemcpyBatchAsync: flags 0x%x are not supported", a.flags);
            return returned(hipErrorNotSupported);
        }
    }
    hipError_t error = hipSuccess;
    for (size_t n = 0; n < count && error == hipSuccess; ++n) {
        error = bytes[n] == 0
                    ? hipErrorInvalidValue
                    : submit(stream, copy_line(to[n], from[n], bytes[n], hipMemcpyDefault));
        if (error != hipSuccess && failed != nullptr) {
            *failed = n;
        }
    }
    return returned(error);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
    return copy_bytes(to, from, bytes, hipMemcpyHostToDevice, nullptr);
}

hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
    return copy_bytes(to, from, bytes, hipMemcpyDeviceToHost, nullptr);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
    return copy_bytes(to, from, bytes, hipMemcpyDeviceToDevice, nullptr);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t bytes, hipStream_t stream) {
    return copy_bytes(to, from, bytes, hipMemcpyHostToDevice, stream);
}

hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
    return copy_bytes(to, from, bytes, hipMemcpyDeviceToHost, stream);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream) {
    return copy_bytes(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    return copy_peer(to, to_device, from, from_device, bytes, nullptr);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              size_t bytes, hipStream_t stream) {
    return copy_peer(to, to_device, from, from_device, bytes, stream);
}

hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

hipError_t hipMemcpy2D_spt(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                           size_t width, size_t height, hipMemcpyKind kind) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, per_thread(nullptr));
}

hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

hipError_t hipMemcpy2DAsync_spt(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t height, hipMemcpyKind kind,
                                hipStream_t stream) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, per_thread(stream));
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* description) {
    return copy_described(description, nullptr);
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* description, hipStream_t stream) {
    return copy_described(description, stream);
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* description) {
    return copy_described(description, nullptr);
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* description) {
    return copy_described(description, nullptr);
}

hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* description) {
    return copy_described(description, per_thread(nullptr));
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* description, hipStream_t stream) {
    return copy_described(description, stream);
}

hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* description, hipStream_t stream) {
    return copy_described(description, per_thread(stream));
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* description) {
    return copy_described(description, nullptr);
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* description, hipStream_t stream) {
    return copy_described(description, stream);
}

hipError_t hipMemset(void* to, int value, size_t bytes) {
    return fill(to, static_cast<uint8_t>(value), bytes, nullptr);
}

hipError_t hipMemset_spt(void* to, int value, size_t bytes) {
    return fill(to, static_cast<uint8_t>(value), bytes, per_thread(nullptr));
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
    return fill(to, static_cast<uint8_t>(value), bytes, stream);
}

hipError_t hipMemsetAsync_spt(void* to, int value, size_t bytes, hipStream_t stream) {
    return fill(to, static_cast<uint8_t>(value), bytes, per_thread(stream));
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
    return fill(to, value, count, nullptr);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
    return fill(to, value, count, stream);
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
    return fill(to, value, count, nullptr);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream) {
    return fill(to, value, count, stream);
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
    return fill(to, static_cast<uint32_t>(value), count, nullptr);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
    return fill(to, static_cast<uint32_t>(value), count, stream);
}

hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill_3d({to, pitch, width, height}, value, {width, height, 1}, nullptr);
}

hipError_t hipMemset2D_spt(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill_3d({to, pitch, width, height}, value, {width, height, 1}, per_thread(nullptr));
}

hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
    return fill_3d({to, pitch, width, height}, value, {width, height, 1}, stream);
}

hipError_t hipMemset2DAsync_spt(void* to, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream) {
    return fill_3d({to, pitch, width, height}, value, {width, height, 1}, per_thread(stream));
}

hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
    return fill_3d(to, value, extent, nullptr);
}

hipError_t hipMemset3D_spt(hipPitchedPtr to, int value, hipExtent extent) {
    return fill_3d(to, value, extent, per_thread(nullptr));
}

hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
    return fill_3d(to, value, extent, stream);
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
    return fill_3d(to, value, extent, per_thread(stream));
}

}  // extern "C"
#pragma GCC visibility pop
