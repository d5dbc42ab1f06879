// What fast.hip and precise.hip compile under the namespace CONVERSIONS: every conversion of one
// word, on the host and in a kernel, as codes.
#pragma once

#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace conversions {

constexpr int results = 57;

#define CONVERSIONS_DECLARED(name)                                           \
    namespace name {                                                         \
    void on_host(const unsigned* words, unsigned* codes, int count);         \
    hipError_t on_device(const unsigned* words, unsigned* codes, int count); \
    }
CONVERSIONS_DECLARED(fast)
CONVERSIONS_DECLARED(precise)
#undef CONVERSIONS_DECLARED

}  // namespace conversions

#ifdef CONVERSIONS
namespace conversions {
namespace CONVERSIONS {

// The codes of x in 32-bit words, appended to `codes`.
struct writer {
    unsigned* codes;
    int at = 0;

    template <class T>
    OPUS_H_D void operator()(const T& x) {
        constexpr int words = (static_cast<int>(sizeof(T)) + 3) / 4;
        unsigned bits[words] = {};
        __builtin_memcpy(bits, &x, sizeof(T));
        for (int i = 0; i < words; ++i) {
            codes[at++] = bits[i];
        }
    }
};

OPUS_H_D int convert(unsigned word, unsigned* codes) {
    using namespace opus;
    const auto x = __builtin_bit_cast(fp32_t, word);
    writer write{codes};
    write(cast<fp16_t>(x));
    write(cast<bf16_t>(x, 0_I));
    write(cast<bf16_t>(x, 1_I));
    write(cast<bf16_t>(x, 2_I));
    write(cast<bf16_t>(x, 4_I));
    write(cast<bf16_t>(x, 5_I));
    write(static_cast<u8_t>(cast<fp8_t>(x, fp8_ocp{})));
    write(static_cast<u8_t>(cast<fp8_t>(x, fp8_fnuz{})));
    write(static_cast<u8_t>(cast<bf8_t>(x, bf8_ocp{})));
    write(static_cast<u8_t>(cast<bf8_t>(x, bf8_fnuz{})));
    write(static_cast<u8_t>(cast<fp8_t>(x, 0x1p-3f)));
    write(static_cast<u8_t>(cast<fp8_t>(x, saturate{})));
    write(static_cast<u8_t>(cast<bf8_t>(x, saturate{})));
    write(static_cast<u8_t>(cast<fp8_t>(x, 0x1p-3f, saturate{})));
    write(cast<fp8_t>(fp32x4_t{x, -x, x, 1.0f}, saturate{}));
    write(cast<bf8_t>(fp32x2_t{x, -x}, saturate{}));
    write(cast<fp6_t>(x));
    write(cast<bf6_t>(x));
    write(cast<fp4_t>(x));
    write(cast<e8m0_t>(x));
    write(cast<i8_t>(x));
    write(cast<u8_t>(x));
    write(cast<i16_t>(x));
    write(cast<i32_t>(x));
    write(cast<u32_t>(x));
    write(cast<int4_t>(x));
    write(cast<uint4_t>(x));
    write(cast<fp8_t>(fp32x4_t{x, -x, x, 1.0f}));
    write(cast<fp16_t>(fp32x2_t{x, -x}));
    write(cast<bf16_t>(fp32x2_t{x, -x}, 0_I));
    write(cast<i8_t>(fp32x4_t{x, -x, x, 1.0f}));
    // The other way: the upper half, or the lower bits of that, are codes.
    const auto half = static_cast<__UINT16_TYPE__>(word >> 16);
    const auto byte = static_cast<u8_t>(half);
    write(cast<fp32_t>(__builtin_bit_cast(fp16_t, half)));
    write(cast<fp32_t>(__builtin_bit_cast(bf16_t, half)));
    write(fp8_to_fp32(static_cast<fp8_t>(byte), fp8_ocp{}));
    write(fp8_to_fp32(static_cast<fp8_t>(byte), fp8_fnuz{}));
    write(bf8_to_fp32(static_cast<bf8_t>(byte), bf8_ocp{}));
    write(bf8_to_fp32(static_cast<bf8_t>(byte), bf8_fnuz{}));
    write(fp8_to_fp32(static_cast<fp8_t>(byte), 0x1p120f));
    write(cast<fp32_t>(fp6_t{static_cast<u8_t>(byte & 63)}));
    write(cast<fp32_t>(bf6_t{static_cast<u8_t>(byte & 63)}));
    write(cast<fp32_t>(e8m0_t{byte}));
    // The scale 255 is a NaN.
    write(cast<fp32_t>(vector_t<fp8_t, 2>{fp8_t{0x38}, fp8_t{1}}, e8m0_t{byte}));
    write(cast<fp32_t>(make_array(fp4_t{2}, fp4_t{7}), e8m0_t{byte}));
    // Special values.
    write(numeric_limits<fp32_t>::infinity());
    write(numeric_limits<fp32_t>::quiet_nan());
    write(numeric_limits<fp16_t>::infinity());
    write(numeric_limits<bf16_t>::quiet_nan());
    return write.at;
}

void on_host(const unsigned* words, unsigned* codes, int count) {
    for (int i = 0; i < count; ++i) {
        convert(words[i], codes + i * results);
    }
}

__global__ void kernel(const unsigned* words, unsigned* codes, int count) {
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
    if (i < count) {
        convert(words[i], codes + i * results);
    }
}

hipError_t on_device(const unsigned* words, unsigned* codes, int count) {
    kernel<<<static_cast<unsigned>(count + 255) / 256, 256>>>(words, codes, count);
    return hipGetLastError();
}

}  // namespace CONVERSIONS
}  // namespace conversions
#endif
