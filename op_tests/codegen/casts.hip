// Conversions: one kernel for each, whose instructions test_casts.cpp counts.
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

using fp4x32_t = vector_t<fp4_t, 32>;
using fp6x32_t = vector_t<fp6_t, 32>;
using bf6x32_t = vector_t<bf6_t, 32>;
using int4x32_t = vector_t<int4_t, 32>;
using uint4x32_t = vector_t<uint4_t, 32>;

#define OPUS_CAST_KERNEL(name, From, To, ...)                                                \
    extern "C" __global__ void name(const From* in, To* out, [[maybe_unused]] float scale) { \
        const From v = in[thread_id_x()];                                                    \
        out[thread_id_x()] = __VA_ARGS__;                                                    \
    }

OPUS_CAST_KERNEL(fp32x4_to_fp8, fp32x4_t, fp8x4_t, cast<fp8_t>(v))
OPUS_CAST_KERNEL(fp32x16_to_bf8, fp32x16_t, bf8x16_t, cast<bf8_t>(v))
#define OPUS_SATURATED_KERNELS(n)                                            \
    OPUS_CAST_KERNEL(fp32x##n##_to_fp8_saturated, fp32x##n##_t, fp8x##n##_t, \
                     cast<fp8_t>(v, saturate{}))                             \
    OPUS_CAST_KERNEL(fp32x##n##_to_bf8_saturated, fp32x##n##_t, bf8x##n##_t, \
                     cast<bf8_t>(v, saturate{}))
OPUS_SATURATED_KERNELS(2)
OPUS_SATURATED_KERNELS(4)
OPUS_CAST_KERNEL(fp8x8_to_fp32, fp8x8_t, fp32x8_t, cast<fp32_t>(v))
using fp32x14_t = vector_t<fp32_t, 14>;
OPUS_CAST_KERNEL(fp32x14_to_bf8_and_back, fp32x14_t, fp32x14_t,
                 cast<fp32_t>(scaled_cast<bf8_t>(v, scale)))
OPUS_CAST_KERNEL(fp32x8_to_bf16, fp32x8_t, bf16x8_t, cast<bf16_t>(v))
OPUS_CAST_KERNEL(fp32x8_to_bf16_nearest, fp32x8_t, bf16x8_t, cast<bf16_t>(v, 0_I))
OPUS_CAST_KERNEL(fp32x8_to_bf16_mode_3, fp32x8_t, bf16x8_t, cast<bf16_t>(v, 3_I))
OPUS_CAST_KERNEL(fp32x8_to_bf16_mode_5, fp32x8_t, bf16x8_t, cast<bf16_t>(v, 5_I))
OPUS_CAST_KERNEL(bf16x8_to_fp32, bf16x8_t, fp32x8_t, cast<fp32_t>(v))
OPUS_CAST_KERNEL(fp32x8_to_fp16, fp32x8_t, fp16x8_t, cast<fp16_t>(v))
OPUS_CAST_KERNEL(fp16x8_to_fp32, fp16x8_t, fp32x8_t, cast<fp32_t>(v))
OPUS_CAST_KERNEL(fp16x4_to_fp8, fp16x4_t, fp8x4_t, cast<fp8_t>(v))
OPUS_CAST_KERNEL(fp8x4_to_fp16, fp8x4_t, fp16x4_t, cast<fp16_t>(v))
OPUS_CAST_KERNEL(fp8x4_to_bf16, fp8x4_t, bf16x4_t, cast<bf16_t>(v))
OPUS_CAST_KERNEL(fp32x8_to_fp4, fp32x8_t, u32_t, __builtin_bit_cast(u32_t, cast<fp4_t>(v, scale)))
OPUS_CAST_KERNEL(fp4x8_to_fp32, u32_t, fp32x8_t,
                 cast<fp32_t>(__builtin_bit_cast(array<fp4_t, 8>, v), scale))
OPUS_CAST_KERNEL(fp16x32_to_fp6, fp16x32_t, fp6x32_t, cast<fp6_t>(v, scale))
#define OPUS_DECODE_KERNELS(small)                                                 \
    OPUS_CAST_KERNEL(small##x32_to_fp32, small##x32_t, fp32x32_t, cast<fp32_t>(v)) \
    OPUS_CAST_KERNEL(small##x32_to_fp16, small##x32_t, fp16x32_t, cast<fp16_t>(v)) \
    OPUS_CAST_KERNEL(small##x32_to_bf16, small##x32_t, bf16x32_t, cast<bf16_t>(v))
#define OPUS_SCALED_DECODE_KERNELS(small)                                                        \
    OPUS_DECODE_KERNELS(small)                                                                   \
    OPUS_CAST_KERNEL(small##x32_to_fp32_scaled, small##x32_t, fp32x32_t, cast<fp32_t>(v, scale)) \
    OPUS_CAST_KERNEL(small##x32_to_bf16_scaled, small##x32_t, bf16x32_t, cast<bf16_t>(v, scale))
OPUS_SCALED_DECODE_KERNELS(fp4)
OPUS_SCALED_DECODE_KERNELS(fp6)
OPUS_SCALED_DECODE_KERNELS(bf6)
OPUS_DECODE_KERNELS(int4)
OPUS_DECODE_KERNELS(uint4)
OPUS_CAST_KERNEL(int4x32_to_i8, int4x32_t, i8x32_t, cast<i8_t>(v))
OPUS_CAST_KERNEL(int4x32_to_i32, int4x32_t, i32x32_t, cast<i32_t>(v))
OPUS_CAST_KERNEL(fp32x32_to_int4, fp32x32_t, int4x32_t, cast<int4_t>(v))
#define OPUS_BYTE_KERNELS(D, n)                                                    \
    OPUS_CAST_KERNEL(fp32x##n##_to_##D, fp32x##n##_t, D##x##n##_t, cast<D##_t>(v)) \
    OPUS_CAST_KERNEL(fp32x##n##_truncated_to_##D, fp32x##n##_t, D##x##n##_t,       \
                     __builtin_convertvector(v, D##x##n##_t))
#define OPUS_BYTE_KERNELS_OF(D)                                                   \
    OPUS_CAST_KERNEL(fp32_to_##D, fp32_t, D##_t, cast<D##_t>(v))                  \
    OPUS_CAST_KERNEL(fp32_truncated_to_##D, fp32_t, D##_t, static_cast<D##_t>(v)) \
    OPUS_BYTE_KERNELS(D, 2) OPUS_BYTE_KERNELS(D, 4) OPUS_BYTE_KERNELS(D, 8) OPUS_BYTE_KERNELS(D, 16)
OPUS_BYTE_KERNELS_OF(i8)
OPUS_BYTE_KERNELS_OF(u8)
OPUS_CAST_KERNEL(fp32_to_i32, fp32_t, i32_t, cast<i32_t>(v))
OPUS_CAST_KERNEL(limits, float, float, v* finfo<fp8_t>::max + finfo<bf8_t>::eps())
