// C code for which clang emits floating inline constants in operands of packed and of single 16-bit
// integers, of f16 and of dot products: each function is run on the device and on the host.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

using u16x2 = __attribute__((ext_vector_type(2))) uint16_t;
using i16x2 = __attribute__((ext_vector_type(2))) int16_t;
using f16x2 = __attribute__((ext_vector_type(2))) _Float16;

#ifdef __HIP_DEVICE_COMPILE__
#define DOT(on_device, on_host) on_device
#else
#define DOT(on_device, on_host) on_host
#endif

template <class To, class From>
__host__ __device__ To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

constexpr int functions = 22;

// Function `number` of two dwords, as a dword.
template <int Number>
__host__ __device__ uint32_t apply(uint32_t a, uint32_t b) {
    const u16x2 u = bits_as<u16x2>(a);
    const u16x2 v = bits_as<u16x2>(b);
    const i16x2 s = bits_as<i16x2>(a);
    // f16 operands without infinities, NaNs and denormals.
    const f16x2 h = {static_cast<_Float16>(static_cast<int>(a & 0xff) - 128),
                     static_cast<_Float16>(static_cast<int>(a >> 16 & 0xff) - 128)};
    [[maybe_unused]] const int32_t c = static_cast<int32_t>(b);
    const auto as_dword = [](auto value) { return bits_as<uint32_t>(value); };
    switch (Number) {
        case 0:
            return as_dword(u + u16x2{0, 0x4000});
        case 1:
            return as_dword(u - u16x2{0, 0x3f80});
        case 2:
            return as_dword(u * u16x2{0, 0x4080});
        case 3:
            return as_dword(__builtin_elementwise_max(u, u16x2{0, 0x4000}));
        case 4:
            return as_dword(__builtin_elementwise_min(s, i16x2{0, static_cast<int16_t>(0xbf80)}));
        case 5:
            return as_dword(u16x2{0, 0x4000} >> (u & uint16_t{15}));
        case 6:
            return as_dword(u * v + u16x2{0, 0x3f00});
        case 7:
            return as_dword(u + u16x2{0x4000, 0});
        case 8:
            return as_dword(u + u16x2{0x4000, 0x4000});
        case 9:
            return as_dword(DOT(__builtin_amdgcn_fdot2(h, (f16x2{0.5f, 0}), 3.0f, false),
                                static_cast<float>(h[0]) * 0.5f + 3.0f));
        case 10:
            return as_dword(DOT(__builtin_amdgcn_sdot2(s, (i16x2{0, 0x4000}), c, false),
                                static_cast<int32_t>(static_cast<uint32_t>(s[1]) * 0x4000u + b)));
        case 11:
            return as_dword(
                DOT(__builtin_amdgcn_udot2(u, (u16x2{0, 0x3f80}), b, false), u[1] * 0x3f80u + b));
        // The bytes of 0x3f800000: 0, 0, -128, 63.
        case 12:
            return as_dword(DOT(
                __builtin_amdgcn_sdot4(static_cast<int32_t>(a), 0x3f800000, c, false),
                static_cast<int32_t>(b +
                                     static_cast<uint32_t>(static_cast<int8_t>(a >> 16) * -128 +
                                                           static_cast<int8_t>(a >> 24) * 63))));
        case 13:
            return as_dword(h + f16x2{1.0f, 0});
        case 14:
            return as_dword(h * f16x2{4.0f, 4.0f});
        case 15:
            return as_dword(h * h + f16x2{4.0f, 0.0f});
        case 16:
            return static_cast<uint16_t>(a + 0x4000);
        case 17:
            return static_cast<uint16_t>(0x3c00 >> (a & 15));
        case 18:
            return static_cast<uint16_t>(a * b + 0x3c00);
        case 19:
            return static_cast<uint16_t>(a) == 0x4000;
        case 20:
            return as_dword(static_cast<float>(h[0] + static_cast<_Float16>(4.0f)));
        default:
            return as_dword(static_cast<float>(h[0]) * 2.0f + static_cast<float>(h[1]));
    }
}

constexpr int count = 64 * 64;

// The inputs of a lane: the numbers that the constants could be mistaken for are among them.
__host__ __device__ uint32_t input(uint32_t n, uint32_t factor) {
    return n % 64 == 0 ? 0x40004000u : n * factor;
}

template <int Number>
__host__ __device__ void apply_up_to(uint32_t* out, uint32_t a, uint32_t b) {
    if constexpr (Number > 0) {
        apply_up_to<Number - 1>(out, a, b);
        out[Number - 1] = apply<Number - 1>(a, b);
    }
}

__global__ void kernel(uint32_t* out) {
    const uint32_t n = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    apply_up_to<functions>(out + n * functions, input(n, 0x9e3779b1u), input(n, 0x85ebca77u));
}

int main() {
    uint32_t* out = nullptr;
    if (hipMalloc(reinterpret_cast<void**>(&out), sizeof(uint32_t) * count * functions) != 0) {
        return 2;
    }
    kernel<<<dim3(count / 64), 64>>>(out);
    static uint32_t result[count * functions];
    if (hipMemcpy(result, out, sizeof result, 2) != 0) {
        return 2;
    }
    int wrong = 0;
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t a = input(n, 0x9e3779b1u);
        const uint32_t b = input(n, 0x85ebca77u);
        uint32_t expected[functions];
        apply_up_to<functions>(expected, a, b);
        for (int f = 0; f < functions; ++f) {
            const uint32_t got = result[n * functions + static_cast<uint32_t>(f)];
            if (got != expected[f] && wrong++ < 10) {
                std::printf("function %d of %08x, %08x: got %08x, wanted %08x\n", f, a, b, got,
                            expected[f]);
            }
        }
    }
    std::printf("%d of %d are wrong\n", wrong, count * functions);
    return wrong == 0 ? 0 : 1;
}
