// Memory and copies, from the outside. Compiled with the real HIP headers, too, where they are
// installed (OPUS_EMU_REAL_HIP), which says that types and numbers are the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hip.hpp"

namespace {

// `count` different bytes.
std::vector<uint8_t> pattern(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (size_t n = 0; n < count; ++n) {
        bytes[n] = static_cast<uint8_t>(n * 7 + n / 256);
    }
    return bytes;
}

struct buffer {
    explicit buffer(size_t bytes) : size(bytes) {
        EXPECT_EQ(hipMalloc(&data, bytes), hipSuccess);
        EXPECT_EQ(hipMemset(data, 0xee, bytes), hipSuccess);
    }
    ~buffer() { EXPECT_EQ(hipFree(data), hipSuccess); }
    std::vector<uint8_t> read() const {
        std::vector<uint8_t> bytes(size);
        EXPECT_EQ(hipMemcpy(bytes.data(), data, size, hipMemcpyDeviceToHost), hipSuccess);
        return bytes;
    }
    uint8_t at(size_t n) const { return read()[n]; }
    void* data = nullptr;
    size_t size;
};

void* byte_of(const buffer& b, size_t n) {
    return static_cast<uint8_t*>(b.data) + n;
}

TEST(copies, in_a_row_by_every_name) {
    auto from = pattern(256);
    std::vector<uint8_t> to(256);
    const buffer a(256);
    const buffer b(256);
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    const auto round_trip = [&](auto up, auto across, auto down) {
        std::memset(to.data(), 0, 256);
        ASSERT_EQ(hipMemset(a.data, 0, 256), hipSuccess);
        ASSERT_EQ(hipMemset(b.data, 0, 256), hipSuccess);
        EXPECT_EQ(up(), hipSuccess);
        EXPECT_EQ(across(), hipSuccess);
        EXPECT_EQ(down(), hipSuccess);
        EXPECT_EQ(to, pattern(256));
    };
    round_trip([&] { return hipMemcpyHtoD(a.data, from.data(), 256); },
               [&] { return hipMemcpyDtoD(b.data, a.data, 256); },
               [&] { return hipMemcpyDtoH(to.data(), b.data, 256); });
    round_trip([&] { return hipMemcpyHtoDAsync(a.data, from.data(), 256, stream); },
               [&] { return hipMemcpyDtoDAsync(b.data, a.data, 256, stream); },
               [&] { return hipMemcpyDtoHAsync(to.data(), b.data, 256, stream); });
    round_trip(
        [&] {
            return hipMemcpyWithStream(a.data, from.data(), 256, hipMemcpyHostToDevice, stream);
        },
        [&] { return hipMemcpyPeer(b.data, 0, a.data, 0, 256); },
        [&] { return hipMemcpy(to.data(), b.data, 256, hipMemcpyDefault); });
    round_trip([&] { return hipMemcpyAsync(a.data, from.data(), 256, hipMemcpyDefault, stream); },
               [&] { return hipMemcpyPeerAsync(b.data, 0, a.data, 0, 256, stream); },
               [&] {
                   return hipMemcpyWithStream(to.data(), b.data, 256, hipMemcpyDeviceToHost,
                                              nullptr);
               });
    EXPECT_EQ(hipMemcpyPeer(b.data, 0, a.data, 1, 256), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemcpyHtoD(a.data, from.data(), 257), hipErrorInvalidValue);
    std::fill(to.begin(), to.end(), uint8_t{0});
    EXPECT_EQ(hipMemcpyHtoD(to.data(), from.data(), 256), hipSuccess) << "the pointers decide";
    EXPECT_EQ(to, from);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipMemcpyHtoDAsync(a.data, from.data(), 256, stream), hipErrorContextIsDestroyed);
    hipGetLastError();
}

// Rows of 24 bytes in rows of 32 and 40: byte x of row y, and nothing between.
TEST(copies, in_two_dimensions) {
    const auto from = pattern(8 * 32);
    const auto check = [&](const std::vector<uint8_t>& to, size_t pitch, size_t begin) {
        for (size_t n = 0; n < to.size(); ++n) {
            const size_t x = (n - begin) % pitch;
            const size_t y = (n - begin) / pitch;
            const bool inside = n >= begin && x < 24 && y < 5;
            ASSERT_EQ(to[n], inside ? from[y * 32 + x] : 0xee) << "byte " << n;
        }
    };
    const buffer a(40 * 6);
    ASSERT_EQ(hipMemcpy2D(byte_of(a, 8), 40, from.data(), 32, 24, 5, hipMemcpyHostToDevice),
              hipSuccess);
    check(a.read(), 40, 8);
    const buffer b(64 * 5);
    ASSERT_EQ(
        hipMemcpy2DAsync(b.data, 64, byte_of(a, 8), 40, 24, 5, hipMemcpyDeviceToDevice, nullptr),
        hipSuccess);
    check(b.read(), 64, 0);
    EXPECT_EQ(hipMemcpy2D(b.data, 23, from.data(), 32, 24, 5, hipMemcpyHostToDevice),
              hipErrorInvalidPitchValue);
    EXPECT_EQ(hipMemcpy2D(b.data, 64, from.data(), 32, 64, 6, hipMemcpyHostToDevice),
              hipErrorInvalidPitchValue);
    EXPECT_EQ(hipMemcpy2D(byte_of(b, 41), 64, from.data(), 32, 24, 5, hipMemcpyHostToDevice),
              hipErrorInvalidValue)
        << "one byte over the end";
    EXPECT_EQ(hipMemcpy2D(byte_of(b, 40), 64, from.data(), 32, 24, 5, hipMemcpyHostToDevice),
              hipSuccess);

    hip_Memcpy2D p = {};
    p.srcMemoryType = hipMemoryTypeHost;
    p.srcHost = from.data() - 2 * 32 - 4;
    p.srcXInBytes = 4;
    p.srcY = 2;
    p.srcPitch = 32;
    p.dstMemoryType = hipMemoryTypeDevice;
    p.dstXInBytes = 8;
    p.dstPitch = 40;
    p.WidthInBytes = 24;
    p.Height = 5;
    for (const bool asynchronous : {false, true}) {
        const buffer c(40 * 6);
        p.dstDevice = c.data;
        ASSERT_EQ(asynchronous ? hipMemcpyParam2DAsync(&p, nullptr) : hipMemcpyParam2D(&p),
                  hipSuccess);
        check(c.read(), 40, 8);
    }
    p.srcMemoryType = hipMemoryTypeArray;
    EXPECT_EQ(hipMemcpyParam2D(&p), hipErrorNotSupported);
    hipGetLastError();
}

// A block of 10 x 4 x 3 bytes from the inside of 16 x 6 x 5 to the inside of 12 x 8 x 4.
TEST(copies, in_three_dimensions) {
    auto from = pattern(16 * 6 * 5);
    const auto check = [&](const buffer& to) {
        const auto bytes = to.read();
        for (size_t n = 0; n < bytes.size(); ++n) {
            const size_t x = n % 12 - 1;
            const size_t y = n / 12 % 8 - 2;
            const size_t z = n / 96 - 1;
            const bool inside = x < 10 && y < 4 && z < 3;  // below zero is large
            ASSERT_EQ(bytes[n], inside ? from[(z + 2) * 96 + (y + 1) * 16 + x + 5] : 0xee)
                << "byte " << n;
        }
    };
    hipMemcpy3DParms p = {};
    p.srcPtr = {from.data(), 16, 16, 6};
    p.srcPos = {5, 1, 2};
    p.dstPos = {1, 2, 1};
    p.extent = {10, 4, 3};
    p.kind = hipMemcpyHostToDevice;
    for (const bool asynchronous : {false, true}) {
        const buffer to(12 * 8 * 4);
        p.dstPtr = {to.data, 12, 12, 8};
        ASSERT_EQ(asynchronous ? hipMemcpy3DAsync(&p, nullptr) : hipMemcpy3D(&p), hipSuccess);
        check(to);
    }
    HIP_MEMCPY3D d = {};
    d.srcMemoryType = hipMemoryTypeHost;
    d.srcHost = from.data();
    d.srcXInBytes = 5;
    d.srcY = 1;
    d.srcZ = 2;
    d.srcPitch = 16;
    d.srcHeight = 6;
    d.dstMemoryType = hipMemoryTypeDevice;
    d.dstXInBytes = 1;
    d.dstY = 2;
    d.dstZ = 1;
    d.dstPitch = 12;
    d.dstHeight = 8;
    d.WidthInBytes = 10;
    d.Height = 4;
    d.Depth = 3;
    for (const bool asynchronous : {false, true}) {
        const buffer to(12 * 8 * 4);
        d.dstDevice = to.data;
        ASSERT_EQ(asynchronous ? hipDrvMemcpy3DAsync(&d, nullptr) : hipDrvMemcpy3D(&d), hipSuccess);
        check(to);
    }
    const buffer small(12 * 8 * 3);
    p.dstPtr.ptr = small.data;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidValue) << "over the end";
    hipGetLastError();
}

// From and to registered memory of the host: with memory of every kind, in one, two and three
// dimensions, by the kind of the copy and by the pointers. The registered part lies in the middle of
// an array.
TEST(copies, of_registered_host_memory) {
    const auto source = pattern(8 * 64);
    const std::vector<uint8_t> nothing(source.size(), 0xee);
    std::vector<uint8_t> own(3 * 4096);
    std::vector<uint8_t> pageable(8 * 64);
    std::vector<uint8_t> other(8 * 64);
    uint8_t* const registered = own.data() + 4096;
    ASSERT_EQ(hipHostRegister(registered, 8 * 64, 0), hipSuccess);
    ASSERT_EQ(hipHostRegister(other.data(), 8 * 64, 8), hipSuccess);  // read-only is for kernels
    const buffer device(8 * 64);
    void* pinned = nullptr;
    void* managed = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, 8 * 64, 0), hipSuccess);
    ASSERT_EQ(hipMallocManaged(&managed, 8 * 64, 1), hipSuccess);
    const auto copy = [](int how, void* to, const void* from, hipMemcpyKind kind) {
        hipMemcpy3DParms p = {};
        p.srcPtr = {const_cast<void*>(from), 64, 64, 4};
        p.dstPtr = {to, 64, 64, 4};
        p.extent = {24, 3, 2};
        p.kind = kind;
        return how == 0   ? hipMemcpy(to, from, 8 * 64, kind)
               : how == 1 ? hipMemcpyAsync(to, from, 8 * 64, kind, nullptr)
               : how == 2 ? hipMemcpy2D(to, 64, from, 64, 24, 8, kind)
               : how == 3 ? hipMemcpy2DAsync(to, 64, from, 64, 24, 8, kind, nullptr)
                          : hipMemcpy3D(&p);
    };
    const auto is_copied = [](int how, size_t n) {
        return how < 2 || (n % 64 < 24 && (how < 4 || n / 64 % 4 < 3));
    };
    const std::pair<const char*, void*> partners[] = {{"device", device.data},
                                                      {"pageable", pageable.data()},
                                                      {"pinned", pinned},
                                                      {"managed", managed},
                                                      {"registered", other.data()}};
    for (const auto& [name, partner] : partners) {
        const bool is_device = partner == device.data || partner == managed;
        for (int how = 0; how < 5; ++how) {
            for (const bool to_registered : {false, true}) {
                const hipMemcpyKind kind = !is_device      ? hipMemcpyHostToHost
                                           : to_registered ? hipMemcpyDeviceToHost
                                                           : hipMemcpyHostToDevice;
                for (const hipMemcpyKind k : {kind, hipMemcpyDefault}) {
                    SCOPED_TRACE(std::string(name) + " by " + std::to_string(how) +
                                 (to_registered ? ", to" : ", from") + ", kind " +
                                 std::to_string(k));
                    void* const to = to_registered ? registered : partner;
                    void* const from = to_registered ? partner : registered;
                    std::fill(own.begin(), own.end(), uint8_t{0x77});
                    ASSERT_EQ(hipMemcpy(to, nothing.data(), 8 * 64, hipMemcpyDefault), hipSuccess);
                    ASSERT_EQ(hipMemcpy(from, source.data(), 8 * 64, hipMemcpyDefault), hipSuccess);
                    ASSERT_EQ(copy(how, to, from, k), hipSuccess);
                    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
                    std::vector<uint8_t> got(8 * 64);
                    ASSERT_EQ(hipMemcpy(got.data(), to, 8 * 64, hipMemcpyDefault), hipSuccess);
                    for (size_t n = 0; n < got.size(); ++n) {
                        ASSERT_EQ(got[n], is_copied(how, n) ? source[n] : 0xee) << "byte " << n;
                    }
                    EXPECT_EQ(own[4095], 0x77);
                    EXPECT_EQ(own[4096 + 8 * 64], 0x77);
                }
            }
        }
    }
    // What runs over the end of the registered part is refused.
    const auto over = [&](auto call) {
        EXPECT_EQ(call(registered + 1, device.data), hipErrorInvalidValue);
        EXPECT_EQ(call(device.data, registered + 1), hipErrorInvalidValue);
        EXPECT_EQ(call(registered, device.data), hipSuccess);
    };
    over([](void* to, void* from) { return hipMemcpy(to, from, 8 * 64, hipMemcpyDefault); });
    over([](void* to, void* from) {
        return hipMemcpy2D(to, 64, from, 64, 64, 8, hipMemcpyDefault);
    });
    // Then it is memory as any other.
    EXPECT_EQ(hipHostUnregister(registered), hipSuccess);
    EXPECT_EQ(hipMemcpy(registered + 1, device.data, 8 * 64, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipHostUnregister(other.data()), hipSuccess);
    EXPECT_EQ(hipFree(managed), hipSuccess);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
    hipGetLastError();
}

TEST(fills, of_all_sizes_and_dimensions) {
    const buffer b(64);
    EXPECT_EQ(hipMemsetD8(byte_of(b, 1), 0x12, 3), hipSuccess);
    EXPECT_EQ(hipMemsetD16(byte_of(b, 4), 0x3456, 2), hipSuccess);
    EXPECT_EQ(hipMemsetD32(byte_of(b, 8), 0x789abcde, 2), hipSuccess);
    EXPECT_EQ(hipMemsetD32Async(byte_of(b, 16), 0x01020304, 1, nullptr), hipSuccess);
    const std::vector<uint8_t> expected = {0xee, 0x12, 0x12, 0x12, 0x56, 0x34, 0x56,
                                           0x34, 0xde, 0xbc, 0x9a, 0x78, 0xde, 0xbc,
                                           0x9a, 0x78, 4,    3,    2,    1,    0xee};
    auto bytes = b.read();
    bytes.resize(expected.size());
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(hipMemsetD32(byte_of(b, 4), 0, 16), hipErrorInvalidValue);

    const buffer c(10 * 6 * 3);
    EXPECT_EQ(hipMemset2D(c.data, 10, 0x101, 4, 5), hipSuccess);
    EXPECT_EQ(hipMemset3D({byte_of(c, 60), 10, 10, 6}, 2, {3, 2, 2}), hipSuccess);
    const auto filled = c.read();
    for (size_t n = 0; n < filled.size(); ++n) {
        const size_t x = n % 10;
        const size_t y = n / 10 % 6;
        const size_t z = n / 60;
        const int value = z == 0 && x < 4 && y < 5 ? 1 : z > 0 && x < 3 && y < 2 ? 2 : 0xee;
        ASSERT_EQ(filled[n], value) << "byte " << n;
    }
    EXPECT_EQ(hipMemset2D(c.data, 3, 0, 4, 5), hipErrorInvalidValue);
    hipGetLastError();
}

// Three rows of 4 bytes, 8 bytes from one to the next, and nothing behind them.
TEST(fills, in_two_dimensions_by_every_name) {
    const auto check = [](auto fill) {
        const buffer b(64);
        EXPECT_EQ(fill(b.data), hipSuccess);
        const auto bytes = b.read();
        for (size_t n = 0; n < bytes.size(); ++n) {
            ASSERT_EQ(bytes[n], n % 8 < 4 && n < 24 ? 5 : 0xee) << "byte " << n;
        }
    };
    check([](void* p) { return hipMemset2D(p, 8, 5, 4, 3); });
    check([](void* p) { return hipMemset2D_spt(p, 8, 5, 4, 3); });
    check([](void* p) { return hipMemset2DAsync(p, 8, 5, 4, 3, nullptr); });
    check([](void* p) { return hipMemset2DAsync_spt(p, 8, 5, 4, 3, nullptr); });
}

TEST(allocations, in_rows) {
    void* rows = nullptr;
    size_t pitch = 0;
    ASSERT_EQ(hipMallocPitch(&rows, &pitch, 100, 7), hipSuccess);
    EXPECT_GE(pitch, 100u);
    EXPECT_EQ(pitch % 128, 0u);
    EXPECT_EQ(hipMemset2D(rows, pitch, 0, pitch, 7), hipSuccess);
    EXPECT_EQ(hipMemset2D(rows, pitch, 0, pitch, 8), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(rows), hipSuccess);
    EXPECT_EQ(hipMemAllocPitch(&rows, &pitch, 100, 7, 3), hipErrorInvalidValue);
    hipPitchedPtr block = {};
    ASSERT_EQ(hipMalloc3D(&block, {100, 7, 3}), hipSuccess);
    EXPECT_EQ(block.xsize, 100u);
    EXPECT_EQ(block.ysize, 7u);
    size_t bytes = 0;
    EXPECT_EQ(hipMemPtrGetInfo(block.ptr, &bytes), hipSuccess);
    EXPECT_EQ(bytes, block.pitch * 21);
    EXPECT_EQ(hipFree(block.ptr), hipSuccess);
    EXPECT_EQ(hipMallocPitch(&rows, &pitch, ~size_t{0} - 1, 2), hipErrorOutOfMemory);
    // A row takes whole 256 bytes.
    for (const auto& [width, expected] :
         {std::pair<size_t, size_t>{1, 256}, {256, 256}, {257, 512}, {1000, 1024}}) {
        size_t same = 0;
        ASSERT_EQ(hipMallocPitch(&rows, &pitch, width, 3), hipSuccess);
        EXPECT_EQ(pitch, expected) << width;
        EXPECT_EQ(hipMemPtrGetInfo(rows, &bytes), hipSuccess);
        EXPECT_EQ(bytes, 3 * expected) << width;
        EXPECT_EQ(hipFree(rows), hipSuccess);
        ASSERT_EQ(hipMemAllocPitch(&rows, &same, width, 3, 4), hipSuccess);
        EXPECT_EQ(same, expected) << width;
        EXPECT_EQ(hipFree(rows), hipSuccess);
    }
    for (const auto& [width, height] : {std::pair<size_t, size_t>{0, 3}, {3, 0}, {0, 0}}) {
        rows = &bytes;
        pitch = 7;
        EXPECT_EQ(hipMallocPitch(&rows, &pitch, width, height), hipSuccess);
        EXPECT_EQ(rows, nullptr);
        EXPECT_EQ(pitch, 0u);
    }
    hipGetLastError();
}

// Those of the call, and none where a call has none.
TEST(allocations, have_their_flags) {
    void* p = nullptr;
    size_t pitch = 0;
    hipPitchedPtr block = {};
    const auto check = [&](hipError_t error, unsigned flags) {
        hipPointerAttribute_t a = {};
        ASSERT_EQ(error, hipSuccess);
        EXPECT_EQ(hipPointerGetAttributes(&a, p), hipSuccess);
        EXPECT_EQ(a.allocationFlags, flags);
        EXPECT_EQ(a.type == hipMemoryTypeHost ? hipHostFree(p) : hipFree(p), hipSuccess);
    };
    check(hipMalloc(&p, 16), 0);
    check(hipExtMallocWithFlags(&p, 16, 1), 1);
    check(hipExtMallocWithFlags(&p, 8, 2), 2);
    check(hipMallocPitch(&p, &pitch, 16, 2), 0);
    check(hipMemAllocPitch(&p, &pitch, 16, 2, 8), 0);
    check(hipMallocAsync(&p, 16, nullptr), 0);
    check(hipMallocManaged(&p, 16, 2), 2);
    check(hipHostMalloc(&p, 16, 4), 4);
    ASSERT_EQ(hipMalloc3D(&block, {16, 2, 2}), hipSuccess);
    p = block.ptr;
    check(hipSuccess, 0);
}

// A byte can be registered, none cannot.
TEST(allocations, of_the_host_are_registered_from_one_byte_on) {
    static uint8_t own[2];
    void* pointer = nullptr;
    EXPECT_EQ(hipHostRegister(own, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostRegister(nullptr, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostRegister(own, 1, 16), hipErrorInvalidValue);
    ASSERT_EQ(hipHostRegister(own, 1, 0), hipSuccess);
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, own, 0), hipSuccess);
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, own, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipHostGetDevicePointer(nullptr, own, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, own + 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostUnregister(own), hipSuccess);
    hipGetLastError();
}

TEST(allocations, what_is_known_about_pointers) {
    const buffer device(256);
    void* host = nullptr;
    void* managed = nullptr;
    ASSERT_EQ(hipHostMalloc(&host, 256, 2), hipSuccess);
    ASSERT_EQ(hipMallocManaged(&managed, 256, 1), hipSuccess);
    std::vector<uint8_t> own(4096);
    hipPointerAttribute_t a = {};
    const auto is_unknown = [&](const void* pointer) {
        a = {};
        EXPECT_EQ(hipPointerGetAttributes(&a, pointer), hipSuccess);
        EXPECT_EQ(a.type, hipMemoryTypeUnregistered);
        EXPECT_EQ(a.device, -2);
    };
    is_unknown(own.data());
    is_unknown(nullptr);
    EXPECT_EQ(hipPointerGetAttributes(nullptr, own.data()), hipSuccess);
    ASSERT_EQ(hipHostRegister(own.data(), 4096, 2), hipSuccess);
    EXPECT_EQ(hipHostRegister(own.data() + 100, 8, 0), hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(hipHostRegister(device.data, 256, 0), hipErrorHostMemoryAlreadyRegistered);
    const auto check = [&](void* pointer, hipMemoryType type, bool has_host, int flags) {
        ASSERT_EQ(hipPointerGetAttributes(&a, pointer), hipSuccess);
        EXPECT_EQ(a.type, type);
        EXPECT_EQ(a.device, 0);
        EXPECT_EQ(a.devicePointer, pointer);
        EXPECT_EQ(a.hostPointer, has_host ? pointer : nullptr);
        EXPECT_EQ(a.isManaged, type == hipMemoryTypeManaged ? 1 : 0);
        EXPECT_EQ(static_cast<int>(a.allocationFlags), flags);
    };
    check(byte_of(device, 255), hipMemoryTypeDevice, false, 0);
    check(host, hipMemoryTypeHost, true, 2);
    check(managed, hipMemoryTypeManaged, true, 1);
    check(own.data() + 4095, hipMemoryTypeHost, true, 2);
    is_unknown(byte_of(device, 256));

    uint32_t number = 7;
    void* pointer = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(hipPointerGetAttribute(&number, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, host), hipSuccess);
    EXPECT_EQ(number, static_cast<uint32_t>(hipMemoryTypeHost));
    EXPECT_EQ(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                     byte_of(device, 9)),
              hipSuccess);
    EXPECT_EQ(pointer, device.data);
    hipPointer_attribute both[] = {HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   HIP_POINTER_ATTRIBUTE_IS_MANAGED};
    void* values[] = {&bytes, &number};
    EXPECT_EQ(hipDrvPointerGetAttributes(2, both, values, managed), hipSuccess);
    EXPECT_EQ(bytes, 256u);
    EXPECT_EQ(number, 1u);
    int stack = 0;
    EXPECT_EQ(hipPointerGetAttribute(&number, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, &stack),
              hipSuccess);
    EXPECT_EQ(number, static_cast<uint32_t>(hipMemoryTypeUnregistered));
    EXPECT_EQ(hipPointerGetAttribute(&number, HIP_POINTER_ATTRIBUTE_IS_MANAGED, &stack),
              hipErrorInvalidValue);
    number = 7;
    EXPECT_EQ(hipDrvPointerGetAttributes(2, both, values, &stack), hipSuccess);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(number, 0u);
    EXPECT_EQ(hipMemGetAddressRange(&pointer, &bytes, own.data() + 5), hipSuccess);
    EXPECT_EQ(pointer, own.data());
    EXPECT_EQ(bytes, 4096u);

    unsigned flags = 0;
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, own.data(), 0), hipSuccess);
    EXPECT_EQ(pointer, own.data());
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, device.data, 0), hipSuccess);
    EXPECT_EQ(pointer, device.data);
    EXPECT_EQ(hipHostGetDevicePointer(&pointer, &stack, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostGetFlags(&flags, host), hipSuccess);
    EXPECT_EQ(flags, 2u);
    EXPECT_EQ(hipHostGetFlags(&flags, device.data), hipErrorInvalidValue);

    EXPECT_EQ(hipMemPrefetchAsync(managed, 256, 0, nullptr), hipSuccess);
    EXPECT_EQ(hipMemPrefetchAsync(managed, 257, -1, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAdvise(managed, 256, hipMemAdviseSetReadMostly, 0), hipSuccess);
    EXPECT_EQ(hipMemAdvise(managed, 256, static_cast<hipMemoryAdvise>(55), 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipStreamAttachMemAsync(nullptr, managed, 0, 4), hipSuccess);
    EXPECT_EQ(hipStreamAttachMemAsync(nullptr, host, 0, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocManaged(&pointer, 16, 4), hipErrorInvalidValue);

    EXPECT_EQ(hipHostFree(own.data()), hipErrorInvalidValue);
    EXPECT_EQ(hipHostUnregister(own.data() + 1), hipErrorHostMemoryNotRegistered);
    EXPECT_EQ(hipHostUnregister(own.data()), hipSuccess);
    EXPECT_EQ(hipHostUnregister(own.data()), hipErrorHostMemoryNotRegistered);
    is_unknown(own.data());
    EXPECT_EQ(hipHostFree(managed), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(managed), hipSuccess);
    EXPECT_EQ(hipFreeHost(host), hipSuccess);
    hipGetLastError();
}

// What was advised is read back: of all the bytes that are asked about, or what says that they differ.
TEST(advice, is_read_back) {
    constexpr size_t bytes = 4096;
    constexpr int nowhere = -2;
    constexpr int host = -1;
    void* managed = nullptr;
    ASSERT_EQ(hipMallocManaged(&managed, bytes, 1), hipSuccess);
    auto* const p = static_cast<uint8_t*>(managed);
    const auto read = [&](hipMemRangeAttribute attribute, size_t begin, size_t count) {
        int value = -9;
        EXPECT_EQ(hipMemRangeGetAttribute(&value, sizeof value, attribute, p + begin, count),
                  hipSuccess);
        return value;
    };
    const struct {
        hipMemRangeAttribute attribute;
        hipMemoryAdvise set;
        hipMemoryAdvise unset;
        int place;
        int fresh;
        int given;
        int mixed;
    } rows[] = {
        {hipMemRangeAttributeReadMostly, hipMemAdviseSetReadMostly, hipMemAdviseUnsetReadMostly, 0,
         0, 1, 0},
        {hipMemRangeAttributePreferredLocation, hipMemAdviseSetPreferredLocation,
         hipMemAdviseUnsetPreferredLocation, 0, nowhere, 0, nowhere},
        {hipMemRangeAttributePreferredLocation, hipMemAdviseSetPreferredLocation,
         hipMemAdviseUnsetPreferredLocation, host, nowhere, host, nowhere},
        {hipMemRangeAttributeAccessedBy, hipMemAdviseSetAccessedBy, hipMemAdviseUnsetAccessedBy, 0,
         nowhere, 0, nowhere},
        {hipMemRangeAttributeAccessedBy, hipMemAdviseSetAccessedBy, hipMemAdviseUnsetAccessedBy,
         host, nowhere, host, nowhere},
        {hipMemRangeAttributeCoherencyMode, hipMemAdviseSetCoarseGrain,
         hipMemAdviseUnsetCoarseGrain, 0, 0, 1, 2},
    };
    for (const auto& r : rows) {
        SCOPED_TRACE(std::to_string(r.set) + " of " + std::to_string(r.place));
        EXPECT_EQ(read(r.attribute, 0, bytes), r.fresh);
        EXPECT_EQ(hipMemAdvise(p + 1024, 1024, r.set, r.place), hipSuccess);
        EXPECT_EQ(read(r.attribute, 0, 1024), r.fresh) << "before it";
        EXPECT_EQ(read(r.attribute, 1024, 1024), r.given);
        EXPECT_EQ(read(r.attribute, 1500, 4), r.given) << "inside of it";
        EXPECT_EQ(read(r.attribute, 2048, 2048), r.fresh) << "behind it";
        EXPECT_EQ(read(r.attribute, 1023, 2), r.mixed);
        EXPECT_EQ(read(r.attribute, 2047, 2), r.mixed);
        EXPECT_EQ(read(r.attribute, 0, bytes), r.mixed);
        EXPECT_EQ(hipMemAdvise(p, bytes, r.unset, r.place), hipSuccess);
        EXPECT_EQ(read(r.attribute, 0, bytes), r.fresh);
    }
    EXPECT_EQ(read(hipMemRangeAttributeLastPrefetchLocation, 0, bytes), nowhere);
    EXPECT_EQ(hipMemPrefetchAsync(p, 64, host, nullptr), hipSuccess);
    EXPECT_EQ(read(hipMemRangeAttributeLastPrefetchLocation, 0, 64), host);
    EXPECT_EQ(read(hipMemRangeAttributeLastPrefetchLocation, 0, 65), nowhere);

    EXPECT_EQ(hipMemAdvise(p, 64, hipMemAdviseSetReadMostly, 0), hipSuccess);
    EXPECT_EQ(hipMemAdvise(p, 64, hipMemAdviseSetAccessedBy, host), hipSuccess);
    EXPECT_EQ(hipMemAdvise(p, 64, hipMemAdviseSetAccessedBy, 0), hipSuccess);
    int places[3] = {7, 7, 7};
    int mostly = 7;
    void* to[] = {places, &mostly};
    size_t sizes[] = {sizeof places, sizeof mostly};
    hipMemRangeAttribute both[] = {hipMemRangeAttributeAccessedBy, hipMemRangeAttributeReadMostly};
    EXPECT_EQ(hipMemRangeGetAttributes(to, sizes, both, 2, p, 64), hipSuccess);
    EXPECT_EQ(places[0], 0);
    EXPECT_EQ(places[1], host);
    EXPECT_EQ(places[2], nowhere);
    EXPECT_EQ(mostly, 1);

    constexpr hipError_t bad = hipErrorInvalidValue;
    EXPECT_EQ(hipMemRangeGetAttributes(nullptr, sizes, both, 2, p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttributes(to, nullptr, both, 2, p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttributes(to, sizes, nullptr, 2, p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttributes(to, sizes, both, 0, p, 64), bad);
    sizes[1] = 8;
    EXPECT_EQ(hipMemRangeGetAttributes(to, sizes, both, 2, p, 64), bad) << "of the second";
    EXPECT_EQ(hipMemRangeGetAttribute(places, 6, hipMemRangeAttributeAccessedBy, p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 0, hipMemRangeAttributeAccessedBy, p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttribute(nullptr, 4, both[1], p, 64), bad);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 4, both[1], p, 0), bad);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 4, both[1], p, bytes + 1), bad);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 4, both[1], nullptr, 64), bad);
    for (const int attribute : {0, 5, 99, 101}) {
        EXPECT_EQ(
            hipMemRangeGetAttribute(places, 4, static_cast<hipMemRangeAttribute>(attribute), p, 64),
            bad)
            << attribute;
    }
    const buffer device(64);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 4, both[1], device.data, 64), bad) << "not managed";
    EXPECT_EQ(hipFree(managed), hipSuccess);
    ASSERT_EQ(hipMallocManaged(&managed, bytes, 1), hipSuccess);
    EXPECT_EQ(hipMemRangeGetAttribute(places, 4, both[1], managed, bytes), hipSuccess);
    EXPECT_EQ(places[0], 0) << "of other memory";
    EXPECT_EQ(hipFree(managed), hipSuccess);
    hipGetLastError();
}

TEST(allocations, are_counted) {
    size_t free_before = 0;
    size_t free_after = 0;
    size_t total = 0;
    ASSERT_EQ(hipMemGetInfo(&free_before, &total), hipSuccess);
    {
        const buffer b(1 << 20);
        ASSERT_EQ(hipMemGetInfo(&free_after, &total), hipSuccess);
        EXPECT_EQ(free_before - free_after, size_t{1} << 20);
    }
    size_t bytes = 0;
    EXPECT_EQ(hipDeviceTotalMem(&bytes, 0), hipSuccess);
    EXPECT_EQ(bytes, total);
    EXPECT_GT(free_before, 0u);
}

// A NaN of every type from 16 bits on, and of fp8 e4m3fn and e5m2.
TEST(allocations, hold_nan_from_every_function) {
    constexpr size_t bytes = 4096;
    std::vector<std::pair<const char*, void*>> all;
    const auto add = [&](const char* name, auto allocate) {
        void* p = nullptr;
        ASSERT_EQ(allocate(&p), hipSuccess) << name;
        all.emplace_back(name, p);
    };
    size_t pitch = 0;
    hipMemPool_t pool = nullptr;
    ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    add("hipMalloc", [&](void** p) { return hipMalloc(p, bytes); });
    add("hipExtMallocWithFlags", [&](void** p) { return hipExtMallocWithFlags(p, bytes, 0); });
    add("hipMallocManaged", [&](void** p) { return hipMallocManaged(p, bytes, 1); });
    add("hipMallocAsync", [&](void** p) { return hipMallocAsync(p, bytes, nullptr); });
    add("hipMallocFromPoolAsync",
        [&](void** p) { return hipMallocFromPoolAsync(p, bytes, pool, nullptr); });
    add("hipMallocPitch", [&](void** p) { return hipMallocPitch(p, &pitch, 1024, 4); });
    add("hipMemAllocPitch", [&](void** p) { return hipMemAllocPitch(p, &pitch, 1024, 4, 4); });
    add("hipMalloc3D", [&](void** p) {
        hipPitchedPtr block = {};
        const hipError_t error = hipMalloc3D(&block, {1024, 2, 2});
        *p = block.ptr;
        return error;
    });
    const size_t of_device = all.size();
    add("hipHostMalloc", [&](void** p) { return hipHostMalloc(p, bytes, 0); });
    for (size_t n = 0; n < all.size(); ++n) {
        std::vector<uint8_t> contents(bytes);
        ASSERT_EQ(hipMemcpy(contents.data(), all[n].second, bytes, hipMemcpyDefault), hipSuccess);
        EXPECT_EQ(contents, std::vector<uint8_t>(bytes, 0xff)) << all[n].first;
        EXPECT_EQ(n < of_device ? hipFree(all[n].second) : hipHostFree(all[n].second), hipSuccess);
    }
}

TEST(pools, count_what_is_allocated_from_them) {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    hipMemPool_t pool = nullptr;
    ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    const auto used = [&](hipMemPoolAttr attribute) {
        uint64_t bytes = ~uint64_t{0};
        EXPECT_EQ(hipMemPoolGetAttribute(pool, attribute, &bytes), hipSuccess);
        return bytes;
    };
    void* a = nullptr;
    void* b = nullptr;
    ASSERT_EQ(hipMallocFromPoolAsync(&a, 1000, pool, nullptr), hipSuccess);
    EXPECT_EQ(hipDeviceSetMemPool(0, pool), hipSuccess);
    ASSERT_EQ(hipMallocAsync(&b, 500, nullptr), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 1500u);
    EXPECT_EQ(hipFreeAsync(a, nullptr), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 500u);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemHigh), 1500u);
    uint64_t zero = 0;
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemHigh), 500u);
    uint64_t threshold = ~uint64_t{0};
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrReleaseThreshold), threshold);
    hipMemPool_t found = nullptr;
    EXPECT_EQ(hipDeviceGetMemPool(&found, 0), hipSuccess);
    EXPECT_EQ(found, pool);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetMemPool(&found, 0), hipSuccess);
    EXPECT_NE(found, pool);
    EXPECT_EQ(hipMemPoolTrimTo(found, 0), hipSuccess);
    EXPECT_EQ(hipFree(b), hipSuccess) << "it outlives its pool";
    EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolGetAttribute(found, hipMemPoolAttrUsedMemHigh, nullptr),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolSetAttribute(found, hipMemPoolAttrUsedMemHigh, nullptr),
              hipErrorInvalidValue);
    // A reset frees what comes from the default one.
    pool = found;
    ASSERT_EQ(hipMallocAsync(&a, 100, nullptr), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 100u);
    EXPECT_EQ(hipDeviceReset(), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 0u);
    EXPECT_EQ(hipFree(a), hipErrorInvalidValue);
    // The end of another pool is nothing to what is counted there.
    hipMemPool_t other = nullptr;
    ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    ASSERT_EQ(hipMemPoolCreate(&other, &properties), hipSuccess);
    ASSERT_EQ(hipMallocFromPoolAsync(&a, 100, pool, nullptr), hipSuccess);
    EXPECT_EQ(hipMemPoolDestroy(other), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 100u);
    EXPECT_EQ(hipFree(a), hipSuccess);
    EXPECT_EQ(used(hipMemPoolAttrUsedMemCurrent), 0u);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
    hipGetLastError();
}

// It is said why an allocation breaks a capture, and nothing where none is broken.
TEST(pools, are_of_no_use_in_a_stream_that_is_captured) {
    hipStream_t stream = nullptr;
    hipGraph_t graph = nullptr;
    void* p = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipMallocAsync(&p, 16, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(p, stream), hipSuccess);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    for (const bool frees : {false, true}) {
        ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
        testing::internal::CaptureStderr();
        EXPECT_EQ(frees ? hipFreeAsync(p, stream) : hipMallocAsync(&p, 16, stream),
                  hipErrorStreamCaptureUnsupported);
        const std::string text = testing::internal::GetCapturedStderr();
        EXPECT_EQ(
            text.find(frees ? "opus emulator: freeing memory in a stream that is captured"
                            : "opus emulator: allocating memory in a stream that is captured"),
            0u)
            << text;
        EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    }
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    hipGetLastError();
}

}  // namespace
