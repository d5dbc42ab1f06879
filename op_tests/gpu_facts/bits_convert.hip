// Conversions: rounding, saturation, what becomes of NaN and infinity, and both formats of fp8.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bits.hpp"
#include "common/device.hpp"
#include "ops.hpp"

namespace gpu_facts {

namespace {

using examples::check;
using examples::device_buffer;

// == device =======================================================================================

OP(cvt_f16_f32, ON_BOTH, "v_cvt_f16_f32 %0, %1")
OP_IN_MODE(cvt_f16_f32_up, ON_BOTH, 2, 2, 1, 0, "v_cvt_f16_f32 %0, %1")
OP_IN_MODE(cvt_f16_f32_down, ON_BOTH, 2, 2, 2, 0, "v_cvt_f16_f32 %0, %1")
OP_IN_MODE(cvt_f16_f32_to_zero, ON_BOTH, 2, 2, 3, 0, "v_cvt_f16_f32 %0, %1")
OP_IN_MODE(cvt_f16_f32_largest, ON_BOTH, 23, 1, 1, 0, "v_cvt_f16_f32 %0, %1")
OP(cvt_f32_f16, ON_BOTH, "v_cvt_f32_f16 %0, %1")
OP(cvt_pkrtz, ON_BOTH, "v_cvt_pkrtz_f16_f32 %0, %1, %2")
OP(cvt_i32_f32, ON_BOTH, "v_cvt_i32_f32 %0, %1")
OP(cvt_u32_f32, ON_BOTH, "v_cvt_u32_f32 %0, %1")
OP(cvt_rpi, ON_BOTH, "v_cvt_rpi_i32_f32 %0, %1")
OP(cvt_flr, ON_BOTH, "v_cvt_flr_i32_f32 %0, %1")
OP(cvt_f32_i32, ON_BOTH, "v_cvt_f32_i32 %0, %1")
OP(cvt_f32_u32, ON_BOTH, "v_cvt_f32_u32 %0, %1")
OP(cvt_f32_ubyte2, ON_BOTH, "v_cvt_f32_ubyte2 %0, %1")
OP(cvt_off, ON_BOTH, "v_cvt_off_f32_i4 %0, %1")
OP(cvt_pk_u8, ON_BOTH, "v_cvt_pk_u8_f32 %0, %1, %2, %3")
OP(cvt_pknorm_i16, ON_BOTH, "v_cvt_pknorm_i16_f32 %0, %1, %2")
OP(cvt_pknorm_u16, ON_BOTH, "v_cvt_pknorm_u16_f32 %0, %1, %2")
OP(cvt_i16_f16, ON_BOTH, "v_cvt_i16_f16 %0, %1")
OP(cvt_u16_f16, ON_BOTH, "v_cvt_u16_f16 %0, %1")
OP(cvt_f16_i16, ON_BOTH, "v_cvt_f16_i16 %0, %1")
OP(cvt_f16_u16, ON_BOTH, "v_cvt_f16_u16 %0, %1")
OP(cvt_fp8, ON_BOTH, "v_cvt_pk_fp8_f32 %0, %1, %2")
OP(cvt_fp8_high, ON_BOTH, "v_cvt_pk_fp8_f32 %0, %1, %2 op_sel:[0,0,1]")
OP(cvt_bf8, ON_BOTH, "v_cvt_pk_bf8_f32 %0, %1, %2")
OP_IN_MODE(cvt_fp8_largest, ON_BOTH, 23, 1, 1, 0, "v_cvt_pk_fp8_f32 %0, %1, %2")
OP_IN_MODE(cvt_bf8_largest, ON_BOTH, 23, 1, 1, 0, "v_cvt_pk_bf8_f32 %0, %1, %2")
OP(cvt_f32_fp8, ON_BOTH, "v_cvt_f32_fp8 %0, %1")
OP(cvt_f32_bf8, ON_BOTH, "v_cvt_f32_bf8 %0, %1")
OP(cvt_f32_fp8_byte, ON_BOTH, "v_cvt_f32_fp8_sdwa %0, %1 src0_sel:BYTE_2")
OP(cvt_sr_fp8, ON_BOTH, "v_cvt_sr_fp8_f32 %0, %1, %2 op_sel:[0,0,1,0]")
OP(cvt_sr_bf8, ON_BOTH, "v_cvt_sr_bf8_f32 %0, %1, %2 op_sel:[0,0,1,1]")
OP(cvt_pk_bf16, ON_GFX950, "v_cvt_pk_bf16_f32 %0, %1, %2")
OP(cvt_sr_bf16, ON_GFX950, "v_cvt_sr_bf16_f32 %0, %1, %2")
OP(cvt_sr_f16, ON_GFX950, "v_cvt_sr_f16_f32 %0, %1, %2")
OP(scaled_fp8, ON_GFX950, "v_cvt_scalef32_pk_fp8_f32 %0, %1, %2, %3")
OP(scaled_bf8, ON_GFX950, "v_cvt_scalef32_pk_bf8_f32 %0, %1, %2, %3")
OP(scaled_fp4, ON_GFX950, "v_cvt_scalef32_pk_fp4_f32 %0, %1, %2, %3")
OP(scaled_fp4_byte, ON_GFX950, "v_cvt_scalef32_pk_fp4_f32 %0, %1, %2, %3 op_sel:[0,0,0,1]")
OP(scaled_f32_fp8, ON_GFX950, "v_cvt_scalef32_f32_fp8 %0, %1, %2")
OP(scaled_f32_bf8, ON_GFX950, "v_cvt_scalef32_f32_bf8 %0, %1, %2")
OP(scaled_bf16_fp4, ON_GFX950, "v_cvt_scalef32_pk_bf16_fp4 %0, %1, %2")
OP(scaled_f16_fp4, ON_GFX950, "v_cvt_scalef32_pk_f16_fp4 %0, %1, %2")

// 32 elements of 6 bits in 6 registers, and 32 of f32.
typedef unsigned six_words __attribute__((ext_vector_type(6)));
typedef float f32_16 __attribute__((ext_vector_type(16)));
typedef float f32_32 __attribute__((ext_vector_type(32)));
#define DECODE_6(name, builtin)                                                             \
    __global__ void name([[maybe_unused]] const unsigned* from, [[maybe_unused]] float* to, \
                         [[maybe_unused]] float scale) {                                    \
        ON_GFX950(                                                                          \
            six_words w; for (unsigned i = 0; i < 6; ++i) {                                 \
                w[i] = from[threadIdx.x * 6 + i];                                           \
            } const f32_32 r = __builtin_amdgcn_##builtin(w, scale);                        \
            for (unsigned i = 0; i < 32; ++i) { to[threadIdx.x * 32 + i] = r[i]; })         \
    }
DECODE_6(decode_fp6, cvt_scalef32_pk32_f32_fp6)
DECODE_6(decode_bf6, cvt_scalef32_pk32_f32_bf6)
#define ENCODE_6(name, builtin)                                                             \
    __global__ void name([[maybe_unused]] const float* from, [[maybe_unused]] unsigned* to, \
                         [[maybe_unused]] float scale) {                                    \
        ON_GFX950(                                                                          \
            f32_16 a; f32_16 b; for (unsigned i = 0; i < 16; ++i) {                         \
                a[i] = from[threadIdx.x * 32 + i];                                          \
                b[i] = from[threadIdx.x * 32 + 16 + i];                                     \
            } const six_words r = __builtin_amdgcn_##builtin(a, b, scale);                  \
            for (unsigned i = 0; i < 6; ++i) { to[threadIdx.x * 6 + i] = r[i]; })           \
    }
ENCODE_6(encode_fp6, cvt_scalef32_2xpk16_fp6_f32)
ENCODE_6(encode_bf6, cvt_scalef32_2xpk16_bf6_f32)

__global__ void f32_of_f64([[maybe_unused]] const double* from, [[maybe_unused]] float* to) {
    ON_BOTH(const unsigned i = blockIdx.x * 256 + threadIdx.x; to[i] = static_cast<float>(from[i]);)
}

// == host =========================================================================================

std::uint32_t f16_code(double x, rounding how = rounding::nearest_even,
                       overflow beyond = overflow::special) {
    return static_cast<std::uint32_t>(encode(f16_format, x, how, beyond));
}

// All NaNs of a byte as one, and bytes outside `mask` as they are.
std::function<std::uint32_t(std::uint32_t)> one_nan_of(const format_facts& f, std::uint32_t mask) {
    return [&f, mask](std::uint32_t word) {
        for (int byte = 0; byte < 4; ++byte) {
            const int shift = 8 * byte;
            if (((mask >> shift) & 0xff) != 0 &&
                decode(f, (word >> shift) & 0xff).is == number::nan) {
                word = (word & ~(0xffu << shift)) | 0xffu << shift;
            }
        }
        return word;
    };
}

// x as an integer, saturated; NaN is 0.
std::uint32_t integer_of(double x, double low, double high) {
    return std::isnan(x) ? 0
                         : static_cast<std::uint32_t>(
                               static_cast<std::int64_t>(std::fmin(std::fmax(x, low), high)));
}

// Numbers around those of a small format: each one, the middle to the next, and a bit beside it.
std::vector<operands> around(const format_facts& f, std::uint32_t z = 0x3f800000) {
    std::vector<std::uint32_t> xs = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f7fffff,
                                     0xff7fffff, 1,          0x80000001, 0x80000000, 0x47800000};
    const std::uint64_t largest = encode(f, 1e30, rounding::to_zero);
    for (std::uint64_t code = 0; code <= largest; ++code) {
        const double here = value_of(f, code);
        const double next =
            code == largest ? here + (here - value_of(f, code - 1)) : value_of(f, code + 1);
        const std::uint32_t middle = bits_of(static_cast<float>((here + next) / 2));
        for (const std::uint32_t x :
             {bits_of(static_cast<float>(here)), middle - 1, middle, middle + 1}) {
            xs.push_back(x);
            xs.push_back(x | 0x80000000);
        }
    }
    std::vector<operands> all;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        all.push_back({xs[i], xs[(i * 7 + 3) % xs.size()], z, 0x12345678});
    }
    return all;
}

// Two elements of a small format in the low bytes (nibbles) of the old word.
reference packed(const format_facts& f, overflow beyond, double scale = 1) {
    return [&f, beyond, scale](const operands& o) {
        const int bits = f.bits();
        const std::uint32_t mask = (1u << (2 * bits)) - 1;
        const auto code = [&](std::uint32_t x) {
            return static_cast<std::uint32_t>(
                encode(f, static_cast<double>(f32_of(x)) / scale, rounding::nearest_even, beyond));
        };
        return (o.old & ~mask) | code(o.x) | code(o.y) << bits;
    };
}

// Random bits added below the last place that stays, the rest cut: seed[31:32 - dropped].
reference stochastic(const format_facts& f, int shift) {
    return [&f, shift](const operands& o) {
        const int dropped = 23 - f.fraction_bits;
        const std::uint32_t sum = (o.x + (o.y >> (32 - dropped))) & ~((1u << dropped) - 1);
        const std::uint32_t mask = f.bits() == 8 ? 0xff : 0xffff;
        const auto code = static_cast<std::uint32_t>(encode(f, static_cast<double>(f32_of(sum))));
        return (o.old & ~(mask << shift)) | code << shift;
    };
}
std::vector<operands> stochastic_operands() {
    std::mt19937 random(7);
    std::vector<operands> all;
    for (int n = 0; n < 1024; ++n) {
        const auto bits = static_cast<std::uint32_t>(random());
        // Normal in each format; every fourth is exact.
        const std::uint32_t x = (bits & 0x807fffff) | static_cast<std::uint32_t>(123 + n % 9) << 23;
        all.push_back(
            {n % 4 == 0 ? x & 0xffe00000 : x, static_cast<std::uint32_t>(random()), 0, 0x12345678});
    }
    all.push_back({0x3f800000, 0xffffffff, 0, 0x12345678});
    return all;
}

std::vector<operands> integers() {
    std::vector<operands> all;
    for (const operands& o : f32_operands(1024)) {
        all.push_back({o.x, 0, 0, 0});
    }
    for (std::uint32_t n = 0; n < 32; ++n) {
        for (const std::uint32_t near : {0u, 1u, ~0u}) {
            all.push_back({(1u << n) + near, 0, 0, 0});
        }
    }
    return all;
}

std::vector<operands> codes(std::uint32_t count, int shift = 0, std::uint32_t y = 0) {
    std::vector<operands> all;
    for (std::uint32_t code = 0; code < count; ++code) {
        all.push_back({code << shift, y, 0, 0});
    }
    return all;
}

std::vector<operands> f32_for_f16() {
    std::vector<operands> all = leading_patterns();
    const std::vector<operands> near = around(f16_format);
    all.insert(all.end(), near.begin(), near.end());
    return all;
}

const char* const guide = "ISA guide, chapter 12";

void of_f16(report& to) {
    struct row {
        const char* name;
        op_kernel* kernel;
        rounding how;
        overflow beyond;
        const char* assumed;
    };
    for (const row& r : {
             row{"v_cvt_f16_f32", cvt_f16_f32, rounding::nearest_even, overflow::special,
                 "to nearest even, denormals made"},
             row{"v_cvt_f16_f32, MODE up", cvt_f16_f32_up, rounding::up, overflow::special, "up"},
             row{"v_cvt_f16_f32, MODE down", cvt_f16_f32_down, rounding::down, overflow::special,
                 "down"},
             row{"v_cvt_f16_f32, MODE to zero", cvt_f16_f32_to_zero, rounding::to_zero,
                 overflow::special, "toward zero"},
         }) {
        to.measure(r.name, r.assumed, guide, [&] {
            return scan(
                r.kernel, f32_for_f16(),
                [&](const operands& o) {
                    return f16_code(static_cast<double>(f32_of(o.x)), r.how, r.beyond);
                },
                one_nan_f16);
        });
    }
    to.measure("v_cvt_f16_f32, FP16_OVFL", "65504 for what overflows, infinity stays",
               "ISA guide, table of MODE", [] {
                   return scan(
                       cvt_f16_f32_largest, f32_for_f16(),
                       [](const operands& o) {
                           const auto x = static_cast<double>(f32_of(o.x));
                           return f16_code(x, rounding::nearest_even,
                                           std::isinf(x) ? overflow::special : overflow::largest);
                       },
                       one_nan_f16);
               });
    to.measure("v_cvt_f32_f16", "exact, denormals read", guide, [] {
        return scan(
            cvt_f32_f16, codes(0x10000),
            [](const operands& o) {
                return bits_of(static_cast<float>(value_of(f16_format, o.x)));
            },
            one_nan);
    });
    to.measure("v_cvt_pkrtz_f16_f32", "toward zero, whatever MODE is", guide, [] {
        return scan(
            cvt_pkrtz, f32_operands(4096),
            [](const operands& o) {
                return f16_code(static_cast<double>(f32_of(o.x)), rounding::to_zero) |
                       f16_code(static_cast<double>(f32_of(o.y)), rounding::to_zero) << 16;
            },
            one_nan_f16);
    });
}

void of_integers(report& to) {
    struct row {
        const char* name;
        op_kernel* kernel;
        const char* assumed;
        reference expected;
        std::vector<operands> from;
    };
    constexpr double i32 = 2147483647;
    const auto f32 = [](std::uint32_t x) { return static_cast<double>(f32_of(x)); };
    // Where x + 0.5 needs no rounding: what the guide's formula rounds otherwise is not told.
    std::vector<operands> quarters;
    for (int n = -4000; n <= 4000; ++n) {
        quarters.push_back({bits_of(static_cast<float>(n) / 8), 0, 0, 0});
    }
    for (const std::uint32_t x :
         {0x7fc00000u, 0x7f800000u, 0xff800000u, 0x4f800000u, 0xcf800000u}) {
        quarters.push_back({x, 0, 0, 0});
    }
    std::vector<operands> bytes;
    for (int n = -300; n <= 600; ++n) {
        const auto byte = static_cast<std::uint32_t>(n & 3);
        bytes.push_back({bits_of(static_cast<float>(n)), byte, 0x12345678, 0});
    }
    std::vector<operands> norms;
    for (int n = -1200; n <= 1200; ++n) {
        norms.push_back(
            {bits_of(static_cast<float>(n) / 1000), bits_of(static_cast<float>(n) / 777), 0, 0});
    }
    const auto norm = [](double x, double low, double scale) {
        return static_cast<std::uint32_t>(static_cast<int>(round_to_integer(
                   std::fmin(std::fmax(x, low), 1) * scale, rounding::nearest_even))) &
               0xffff;
    };
    const std::vector<row> all = {
        {"v_cvt_i32_f32", cvt_i32_f32, "toward zero, saturates, NaN is 0",
         [=](const operands& o) { return integer_of(f32(o.x), -i32 - 1, i32); },
         f32_operands(4096)},
        {"v_cvt_u32_f32", cvt_u32_f32, "toward zero, saturates, NaN is 0",
         [=](const operands& o) { return integer_of(f32(o.x), 0, 4294967295.0); },
         f32_operands(4096)},
        {"v_cvt_rpi_i32_f32", cvt_rpi, "floor(x + 0.5), saturates, NaN is 0",
         [=](const operands& o) { return integer_of(std::floor(f32(o.x) + 0.5), -i32 - 1, i32); },
         quarters},
        {"v_cvt_flr_i32_f32", cvt_flr, "floor(x), saturates, NaN is 0",
         [=](const operands& o) { return integer_of(std::floor(f32(o.x)), -i32 - 1, i32); },
         f32_operands(4096)},
        {"v_cvt_f32_i32", cvt_f32_i32, "to nearest even",
         [](const operands& o) {
             return static_cast<std::uint32_t>(encode(f32_format, static_cast<std::int32_t>(o.x)));
         },
         integers()},
        {"v_cvt_f32_u32", cvt_f32_u32, "to nearest even",
         [](const operands& o) { return static_cast<std::uint32_t>(encode(f32_format, o.x)); },
         integers()},
        {"v_cvt_f32_ubyte2", cvt_f32_ubyte2, "bits 23:16 as an unsigned number",
         [](const operands& o) { return bits_of(static_cast<float>((o.x >> 16) & 0xff)); },
         integers()},
        {"v_cvt_off_f32_i4", cvt_off, "4 bits with a sign, / 16",
         [](const operands& o) {
             return bits_of(static_cast<float>(static_cast<int>(o.x << 28) >> 28) / 16);
         },
         codes(32)},
        {"v_cvt_pk_u8_f32", cvt_pk_u8, "integers saturate, into the byte of S1, others from S2",
         [=](const operands& o) {
             const std::uint32_t shift = 8 * (o.y & 3);
             return (o.z & ~(0xffu << shift)) | integer_of(f32(o.x), 0, 255) << shift;
         },
         bytes},
        {"v_cvt_pknorm_i16_f32", cvt_pknorm_i16, "x * 32767 to nearest, saturates at -1 and 1",
         [=](const operands& o) {
             return norm(f32(o.x), -1, 32767) | norm(f32(o.y), -1, 32767) << 16;
         },
         norms},
        {"v_cvt_pknorm_u16_f32", cvt_pknorm_u16, "x * 65535 to nearest, saturates at 0 and 1",
         [=](const operands& o) {
             return norm(f32(o.x), 0, 65535) | norm(f32(o.y), 0, 65535) << 16;
         },
         norms},
        {"v_cvt_i16_f16", cvt_i16_f16, "toward zero, saturates, NaN is 0",
         [](const operands& o) {
             return integer_of(value_of(f16_format, o.x), -32768, 32767) & 0xffff;
         },
         codes(0x10000)},
        {"v_cvt_u16_f16", cvt_u16_f16, "toward zero, saturates, NaN is 0",
         [](const operands& o) { return integer_of(value_of(f16_format, o.x), 0, 65535); },
         codes(0x10000)},
        {"v_cvt_f16_i16", cvt_f16_i16, "to nearest even",
         [](const operands& o) { return f16_code(static_cast<std::int16_t>(o.x)); },
         codes(0x10000)},
        {"v_cvt_f16_u16", cvt_f16_u16, "to nearest even",
         [](const operands& o) { return f16_code(o.x); }, codes(0x10000)},
    };
    for (const row& r : all) {
        to.measure(r.name, r.assumed, guide, [&] {
            const bool is_16 = std::string(r.name).find("16") != std::string::npos;
            const bool is_pair = std::string(r.name).find("pk") != std::string::npos;
            return scan(r.kernel, r.from, r.expected,
                        [=](std::uint32_t x) { return is_16 && !is_pair ? x & 0xffff : x; });
        });
    }
    to.measure("v_cvt_f32_f64", "to nearest even, denormals made", guide, [] {
        std::mt19937_64 random(8);
        std::vector<double> from;
        for (int n = 0; n < 4096; ++n) {
            const std::uint64_t bits = random();
            const auto exponent = static_cast<std::uint64_t>(860 + n % 300);
            // Every other one is in the middle between two numbers.
            const double x = f64_of((bits & 0x800fffffffffffff) | exponent << 52);
            from.push_back(n % 2 == 0 ? x : f64_of((bits_of(x) & ~0x1fffffffull) | 0x10000000));
        }
        const device_buffer<double> in(from);
        const device_buffer<float> out(from.size());
        f32_of_f64<<<static_cast<unsigned>(from.size() / 256), 256>>>(in.data(), out.data());
        check(hipGetLastError(), "f32_of_f64");
        const std::vector<float> results = out.to_host();
        finding found;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto wanted = static_cast<std::uint32_t>(encode(f32_format, from[i]));
            if (bits_of(results[i]) != wanted && wrong++ == 0) {
                found.seen =
                    format("0x%08x, not 0x%08x, of %a", bits_of(results[i]), wanted, from[i]);
            }
        }
        found.said = wrong == 0 ? verdict::same : verdict::different;
        found.seen = wrong == 0 ? format("it in all %zu results", from.size()) : found.seen;
        return found;
    });
}

void of_8_bits(const device& on, report& to) {
    const bool is_ocp = on.arch == "gfx950";
    const format_facts& fp8 = is_ocp ? fp8_ocp : fp8_fnuz;
    const format_facts& bf8 = is_ocp ? bf8_ocp : bf8_fnuz;
    const char* const source = is_ocp ? "ISA guide, 12; OCP OFP8" : "CDNA3 ISA guide; FNUZ";
    const char* const beyond_fp8 = "to nearest even, overflow is NaN";
    const char* const beyond_bf8 =
        is_ocp ? "to nearest even, overflow is infinity" : "to nearest even, overflow is NaN";
    to.measure("v_cvt_pk_fp8_f32", beyond_fp8, source, [&] {
        return scan(cvt_fp8, around(fp8), packed(fp8, overflow::special), one_nan_of(fp8, 0xffff));
    });
    to.measure("v_cvt_pk_fp8_f32 to the high half", "the low half is kept", source, [&] {
        return scan(
            cvt_fp8_high, around(fp8),
            [&](const operands& o) {
                return (packed(fp8, overflow::special)(o) & 0xffff) << 16 | (o.old & 0xffff);
            },
            one_nan_of(fp8, 0xffff0000));
    });
    to.measure("v_cvt_pk_bf8_f32", beyond_bf8, source, [&] {
        return scan(cvt_bf8, around(bf8), packed(bf8, overflow::special), one_nan_of(bf8, 0xffff));
    });
    const auto finite = [](std::vector<operands> all) {
        // Of infinities it is not documented for fp8.
        for (operands& o : all) {
            o.x = (o.x & 0x7fffffff) == 0x7f800000 ? 0x3f800000 : o.x;
            o.y = (o.y & 0x7fffffff) == 0x7f800000 ? 0x3f800000 : o.y;
        }
        return all;
    };
    to.measure("v_cvt_pk_fp8_f32, FP16_OVFL", "the largest number for what overflows", source, [&] {
        return scan(cvt_fp8_largest, finite(around(fp8)), packed(fp8, overflow::largest),
                    one_nan_of(fp8, 0xffff));
    });
    to.measure("v_cvt_pk_bf8_f32, FP16_OVFL", "the largest number for what overflows", source, [&] {
        return scan(cvt_bf8_largest, finite(around(bf8)), packed(bf8, overflow::largest),
                    one_nan_of(bf8, 0xffff));
    });
    to.measure("v_cvt_f32_fp8", is_ocp ? "OCP's E4M3" : "E4M3 FNUZ", source, [&] {
        return scan(
            cvt_f32_fp8, codes(256),
            [&](const operands& o) { return bits_of(static_cast<float>(value_of(fp8, o.x))); },
            one_nan);
    });
    to.measure("v_cvt_f32_bf8", is_ocp ? "OCP's E5M2" : "E5M2 FNUZ", source, [&] {
        return scan(
            cvt_f32_bf8, codes(256),
            [&](const operands& o) { return bits_of(static_cast<float>(value_of(bf8, o.x))); },
            one_nan);
    });
    to.measure("v_cvt_f32_fp8 of byte 2", "SDWA selects the byte", source, [&] {
        return scan(
            cvt_f32_fp8_byte, codes(256, 16),
            [&](const operands& o) {
                return bits_of(static_cast<float>(value_of(fp8, o.x >> 16)));
            },
            one_nan);
    });
    const char* const cut = "seed[31:32-n] added to the n bits that go, then cut";
    to.measure("v_cvt_sr_fp8_f32", cut, "an assumption: the guide rounds after it again",
               [&] { return scan(cvt_sr_fp8, stochastic_operands(), stochastic(fp8, 8)); });
    to.measure("v_cvt_sr_bf8_f32", cut, "an assumption: the guide rounds after it again",
               [&] { return scan(cvt_sr_bf8, stochastic_operands(), stochastic(bf8, 24)); });
}

// Six bits, by 64 lanes that all do the same.
finding decode_6_bits(const format_facts& f, void (*kernel)(const unsigned*, float*, float)) {
    constexpr float scale = 8;
    std::vector<unsigned> words(64 * 6);
    const auto code_of = [](int lane, int n) { return static_cast<unsigned>((lane + 5 * n) & 63); };
    for (int lane = 0; lane < 64; ++lane) {
        for (int n = 0; n < 32; ++n) {
            for (int bit = 0; bit < 6; ++bit) {
                const int at = n * 6 + bit;
                words[static_cast<std::size_t>(lane * 6 + at / 32)] |=
                    ((code_of(lane, n) >> bit) & 1) << (at % 32);
            }
        }
    }
    const device_buffer<unsigned> in(words);
    const device_buffer<float> out(64 * 32);
    kernel<<<1, 64>>>(in.data(), out.data(), scale);
    check(hipGetLastError(), "a conversion of 6 bits");
    const std::vector<float> results = out.to_host();
    finding found;
    found.said = verdict::same;
    found.seen = "it in all 2048 results";
    for (int i = 0; i < 2048; ++i) {
        const double wanted = value_of(f, code_of(i / 32, i % 32)) * static_cast<double>(scale);
        const float got = results[static_cast<std::size_t>(i)];
        if (static_cast<double>(got) != wanted && found.said == verdict::same) {
            found.said = verdict::different;
            found.seen = format("%g, not %g, element %d", static_cast<double>(got), wanted, i % 32);
        }
    }
    return found;
}

finding encode_6_bits(const format_facts& f, void (*kernel)(const float*, unsigned*, float)) {
    // Of the scale only its exponent counts: 2.
    constexpr float scale = 3;
    std::vector<float> numbers;
    for (const operands& o : around(f)) {
        const float x = f32_of(o.x);
        if (!std::isnan(x)) {
            numbers.push_back(x * 2);
        }
    }
    numbers.resize(64 * 32, 1);
    const device_buffer<float> in(numbers);
    const device_buffer<unsigned> out(64 * 6);
    kernel<<<1, 64>>>(in.data(), out.data(), scale);
    check(hipGetLastError(), "a conversion of 6 bits");
    const std::vector<unsigned> words = out.to_host();
    finding found;
    found.said = verdict::same;
    found.seen = "it in all 2048 results";
    for (int lane = 0; lane < 64; ++lane) {
        for (int n = 0; n < 32; ++n) {
            unsigned got = 0;
            for (int bit = 0; bit < 6; ++bit) {
                const int at = n * 6 + bit;
                got |= ((words[static_cast<std::size_t>(lane * 6 + at / 32)] >> (at % 32)) & 1)
                       << bit;
            }
            const int from = lane * 32 + n % 2 * 16 + n / 2;
            const auto x = static_cast<double>(numbers[static_cast<std::size_t>(from)]);
            const std::uint64_t wanted =
                encode(f, x / 2, rounding::nearest_even, overflow::largest);
            if (got != wanted && found.said == verdict::same) {
                found.said = verdict::different;
                found.seen =
                    format("0x%02x, not 0x%02x, of %a", got, static_cast<unsigned>(wanted), x);
            }
        }
    }
    return found;
}

void of_gfx950(report& to) {
    to.measure("v_cvt_pk_bf16_f32", "to nearest even, denormals made", guide, [] {
        std::vector<operands> from = around(bf16_format);
        return scan(
            cvt_pk_bf16, from,
            [](const operands& o) {
                return static_cast<std::uint32_t>(
                    encode(bf16_format, static_cast<double>(f32_of(o.x))) |
                    encode(bf16_format, static_cast<double>(f32_of(o.y))) << 16);
            },
            [](std::uint32_t x) { return one_nan(x << 16) >> 16 | one_nan(x & 0xffff0000); });
    });
    const char* const cut = "seed[31:32-n] added to the n bits that go, then cut";
    to.measure("v_cvt_sr_bf16_f32", cut, "an assumption: the guide has no formula",
               [] { return scan(cvt_sr_bf16, stochastic_operands(), stochastic(bf16_format, 0)); });
    to.measure("v_cvt_sr_f16_f32", cut, "an assumption",
               [] { return scan(cvt_sr_f16, stochastic_operands(), stochastic(f16_format, 0)); });
    // 3 has the exponent of 2, and only that counts.
    constexpr std::uint32_t three = 0x40400000;
    const auto doubled = [](const format_facts& f) {
        std::vector<operands> all = around(f, three);
        for (operands& o : all) {
            if (f.has == specials::none) {  // what becomes of NaN is nowhere documented
                o.x = one_nan(o.x) == 0x7fc00000 ? 0x3f800000 : o.x;
                o.y = one_nan(o.y) == 0x7fc00000 ? 0x3f800000 : o.y;
            }
            o.x = bits_of(f32_of(o.x) * 2);
            o.y = bits_of(f32_of(o.y) * 2);
            // The smallest denormals of f32 are flushed first.
            o.x = (o.x & 0x7f800000) == 0 ? o.x & 0x80000000 : o.x;
            o.y = (o.y & 0x7f800000) == 0 ? o.y & 0x80000000 : o.y;
        }
        return all;
    };
    const char* const scale = "divided by 2^exponent of the scale, to nearest even; ";
    to.measure("v_cvt_scalef32_pk_fp8_f32", std::string(scale) + "overflow is NaN", guide, [&] {
        return scan(scaled_fp8, doubled(fp8_ocp), packed(fp8_ocp, overflow::special, 2),
                    one_nan_of(fp8_ocp, 0xffff));
    });
    to.measure("v_cvt_scalef32_pk_bf8_f32", std::string(scale) + "overflow is infinity", guide,
               [&] {
                   return scan(scaled_bf8, doubled(bf8_ocp), packed(bf8_ocp, overflow::special, 2),
                               one_nan_of(bf8_ocp, 0xffff));
               });
    to.measure("v_cvt_scalef32_pk_fp4_f32", std::string(scale) + "saturates", guide, [&] {
        return scan(scaled_fp4, doubled(fp4_format), packed(fp4_format, overflow::largest, 2));
    });
    to.measure("v_cvt_scalef32_pk_fp4_f32 to byte 2", "op_sel selects the byte, others are kept",
               guide, [&] {
                   return scan(scaled_fp4_byte, doubled(fp4_format), [](const operands& o) {
                       const std::uint32_t byte =
                           packed(fp4_format, overflow::largest, 2)(o) & 0xff;
                       return (o.old & 0xff00ffff) | byte << 16;
                   });
               });
    const auto scaled = [](const format_facts& f) {
        return
            [&f](const operands& o) { return bits_of(static_cast<float>(value_of(f, o.x) * 2)); };
    };
    to.measure("v_cvt_scalef32_f32_fp8", "times 2^exponent of the scale", guide, [&] {
        return scan(scaled_f32_fp8, codes(256, 0, three), scaled(fp8_ocp), one_nan);
    });
    to.measure("v_cvt_scalef32_f32_bf8", "times 2^exponent of the scale", guide, [&] {
        return scan(scaled_f32_bf8, codes(256, 0, three), scaled(bf8_ocp), one_nan);
    });
    const auto pair = [](const format_facts& f) {
        return [&f](const operands& o) {
            return static_cast<std::uint32_t>(encode(f, value_of(fp4_format, o.x & 15) * 2) |
                                              encode(f, value_of(fp4_format, (o.x >> 4) & 15) * 2)
                                                  << 16);
        };
    };
    to.measure("v_cvt_scalef32_pk_bf16_fp4", "E2M1 times 2^exponent of the scale", guide,
               [&] { return scan(scaled_bf16_fp4, codes(256, 0, three), pair(bf16_format)); });
    to.measure("v_cvt_scalef32_pk_f16_fp4", "E2M1 times 2^exponent of the scale", guide,
               [&] { return scan(scaled_f16_fp4, codes(256, 0, three), pair(f16_format)); });
    to.measure("v_cvt_scalef32_pk32_f32_fp6", "E2M3 times 2^exponent of the scale", guide,
               [] { return decode_6_bits(fp6_format, decode_fp6); });
    to.measure("v_cvt_scalef32_pk32_f32_bf6", "E3M2 times 2^exponent of the scale", guide,
               [] { return decode_6_bits(bf6_format, decode_bf6); });
    to.measure("v_cvt_scalef32_2xpk16_fp6_f32", std::string(scale) + "saturates; interleaved",
               guide, [] { return encode_6_bits(fp6_format, encode_fp6); });
    to.measure("v_cvt_scalef32_2xpk16_bf6_f32", std::string(scale) + "saturates; interleaved",
               guide, [] { return encode_6_bits(bf6_format, encode_bf6); });
}

}  // namespace

void bits_of_conversions(const device& on, report& to) {
    of_f16(to);
    of_integers(to);
    of_8_bits(on, to);
    if (on.arch == "gfx950") {
        of_gfx950(to);
    }
}

}  // namespace gpu_facts
