// Matrix instructions: where elements lie (small integers, whose sums are exact in any order), how
// products are added, and what the fields of the instruction do.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bits.hpp"
#include "common/device.hpp"
#include "matrix_sums.hpp"
#include "ops.hpp"
#include "opus/hip_minimal.hpp"

namespace gpu_facts {

namespace {

using examples::check;
using examples::device_buffer;

// == device =======================================================================================

template <class T, int n>
using vec = T __attribute__((ext_vector_type(n)));
using half4 = vec<_Float16, 4>;
using half8 = vec<_Float16, 8>;
using short4 = vec<short, 4>;
using bhalf8 = vec<__bf16, 8>;
using float2 = vec<float, 2>;
using float4 = vec<float, 4>;
using float16 = vec<float, 16>;
using float32 = vec<float, 32>;
using double4 = vec<double, 4>;
using int4 = vec<int, 4>;
using int8 = vec<int, 8>;
using int16 = vec<int, 16>;
using int32 = vec<int, 32>;

// Columns: name behind v_mfma_; the targets that have it; builtin; registers of A and B, of C;
// formats of A, B, C; M, which is N; K; blocks (ISA guide, 7.1; LLVM's AMDGPUAsmGFX940).
// clang-format off
#define ROWS(X)                                                                                          \
    X(f64_16x16x4_f64,      BOTH,   f64_16x16x4f64,       double, double4, f64,  f64,  f64, 16,  4,  1)  \
    X(f64_4x4x4_4b_f64,     BOTH,   f64_4x4x4f64,         double, double,  f64,  f64,  f64,  4,  4,  4)  \
    X(f32_32x32x2_f32,      BOTH,   f32_32x32x2f32,       float,  float16, f32,  f32,  f32, 32,  2,  1)  \
    X(f32_16x16x4_f32,      BOTH,   f32_16x16x4f32,       float,  float4,  f32,  f32,  f32, 16,  4,  1)  \
    X(f32_32x32x1_2b_f32,   BOTH,   f32_32x32x1f32,       float,  float32, f32,  f32,  f32, 32,  1,  2)  \
    X(f32_16x16x1_4b_f32,   BOTH,   f32_16x16x1f32,       float,  float16, f32,  f32,  f32, 16,  1,  4)  \
    X(f32_4x4x1_16b_f32,    BOTH,   f32_4x4x1f32,         float,  float4,  f32,  f32,  f32,  4,  1, 16)  \
    X(f32_32x32x4_xf32,     GFX942, f32_32x32x4_xf32,     float2, float16, xf32, xf32, f32, 32,  4,  1)  \
    X(f32_16x16x8_xf32,     GFX942, f32_16x16x8_xf32,     float2, float4,  xf32, xf32, f32, 16,  8,  1)  \
    X(f32_32x32x8_f16,      BOTH,   f32_32x32x8f16,       half4,  float16, f16,  f16,  f32, 32,  8,  1)  \
    X(f32_16x16x16_f16,     BOTH,   f32_16x16x16f16,      half4,  float4,  f16,  f16,  f32, 16, 16,  1)  \
    X(f32_32x32x16_f16,     GFX950, f32_32x32x16_f16,     half8,  float16, f16,  f16,  f32, 32, 16,  1)  \
    X(f32_16x16x32_f16,     GFX950, f32_16x16x32_f16,     half8,  float4,  f16,  f16,  f32, 16, 32,  1)  \
    X(f32_32x32x4_2b_f16,   BOTH,   f32_32x32x4f16,       half4,  float32, f16,  f16,  f32, 32,  4,  2)  \
    X(f32_16x16x4_4b_f16,   BOTH,   f32_16x16x4f16,       half4,  float16, f16,  f16,  f32, 16,  4,  4)  \
    X(f32_4x4x4_16b_f16,    BOTH,   f32_4x4x4f16,         half4,  float4,  f16,  f16,  f32,  4,  4, 16)  \
    X(f32_32x32x8_bf16,     BOTH,   f32_32x32x8bf16_1k,   short4, float16, bf16, bf16, f32, 32,  8,  1)  \
    X(f32_16x16x16_bf16,    BOTH,   f32_16x16x16bf16_1k,  short4, float4,  bf16, bf16, f32, 16, 16,  1)  \
    X(f32_32x32x16_bf16,    GFX950, f32_32x32x16_bf16,    bhalf8, float16, bf16, bf16, f32, 32, 16,  1)  \
    X(f32_16x16x32_bf16,    GFX950, f32_16x16x32_bf16,    bhalf8, float4,  bf16, bf16, f32, 16, 32,  1)  \
    X(f32_32x32x4_2b_bf16,  BOTH,   f32_32x32x4bf16_1k,   short4, float32, bf16, bf16, f32, 32,  4,  2)  \
    X(f32_16x16x4_4b_bf16,  BOTH,   f32_16x16x4bf16_1k,   short4, float16, bf16, bf16, f32, 16,  4,  4)  \
    X(f32_4x4x4_16b_bf16,   BOTH,   f32_4x4x4bf16_1k,     short4, float4,  bf16, bf16, f32,  4,  4, 16)  \
    X(i32_32x32x16_i8,      BOTH,   i32_32x32x16_i8,      long,   int16,   i8,   i8,   i32, 32, 16,  1)  \
    X(i32_16x16x32_i8,      BOTH,   i32_16x16x32_i8,      long,   int4,    i8,   i8,   i32, 16, 32,  1)  \
    X(i32_32x32x32_i8,      GFX950, i32_32x32x32_i8,      int4,   int16,   i8,   i8,   i32, 32, 32,  1)  \
    X(i32_16x16x64_i8,      GFX950, i32_16x16x64_i8,      int4,   int4,    i8,   i8,   i32, 16, 64,  1)  \
    X(i32_32x32x4_2b_i8,    BOTH,   i32_32x32x4i8,        int,    int32,   i8,   i8,   i32, 32,  4,  2)  \
    X(i32_16x16x4_4b_i8,    BOTH,   i32_16x16x4i8,        int,    int16,   i8,   i8,   i32, 16,  4,  4)  \
    X(i32_4x4x4_16b_i8,     BOTH,   i32_4x4x4i8,          int,    int4,    i8,   i8,   i32,  4,  4, 16)  \
    X(f32_32x32x16_fp8_fp8, BOTH,   f32_32x32x16_fp8_fp8, long,   float16, fp8,  fp8,  f32, 32, 16,  1)  \
    X(f32_32x32x16_fp8_bf8, BOTH,   f32_32x32x16_fp8_bf8, long,   float16, fp8,  bf8,  f32, 32, 16,  1)  \
    X(f32_32x32x16_bf8_fp8, BOTH,   f32_32x32x16_bf8_fp8, long,   float16, bf8,  fp8,  f32, 32, 16,  1)  \
    X(f32_32x32x16_bf8_bf8, BOTH,   f32_32x32x16_bf8_bf8, long,   float16, bf8,  bf8,  f32, 32, 16,  1)  \
    X(f32_16x16x32_fp8_fp8, BOTH,   f32_16x16x32_fp8_fp8, long,   float4,  fp8,  fp8,  f32, 16, 32,  1)  \
    X(f32_16x16x32_fp8_bf8, BOTH,   f32_16x16x32_fp8_bf8, long,   float4,  fp8,  bf8,  f32, 16, 32,  1)  \
    X(f32_16x16x32_bf8_fp8, BOTH,   f32_16x16x32_bf8_fp8, long,   float4,  bf8,  fp8,  f32, 16, 32,  1)  \
    X(f32_16x16x32_bf8_bf8, BOTH,   f32_16x16x32_bf8_bf8, long,   float4,  bf8,  bf8,  f32, 16, 32,  1)

// f8f6f4, of gfx950: the codes of the formats are 0 to 4 for fp8, bf8, fp6, bf6, fp4.
#define PAIRS(X, shape, m, k, Vc)                                             \
    X(shape, fp8, fp8, 0, 0, m, k, Vc)  X(shape, bf8, bf8, 1, 1, m, k, Vc)    \
    X(shape, fp6, fp6, 2, 2, m, k, Vc)  X(shape, bf6, bf6, 3, 3, m, k, Vc)    \
    X(shape, fp4, fp4, 4, 4, m, k, Vc)  X(shape, fp8, fp4, 0, 4, m, k, Vc)    \
    X(shape, bf8, fp6, 1, 2, m, k, Vc)  X(shape, bf6, fp8, 3, 0, m, k, Vc)    \
    X(shape, fp4, bf8, 4, 1, m, k, Vc)
#define FORMAT_ROWS(X) PAIRS(X, 16x16x128, 16, 128, float4) PAIRS(X, 32x32x64, 32, 64, float16)
// clang-format on

// Where a target has no such instruction the kernel is empty, and nobody launches it.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"

// d = a * b + c for one wave a group. Scales are for the f8f6f4 instructions.
#define KERNEL(name, where, builtin, Vab, Vc, ...)                                              \
    __global__ void multiply_##name(const Vab* a, const Vab* b, const Vc* c, Vc* d, const int*, \
                                    const int*) {                                               \
        [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;                      \
        ON_##where(d[i] = __builtin_amdgcn_mfma_##builtin(a[i], b[i], c[i], 0, 0, 0);)          \
    }
ROWS(KERNEL)
#define FORMAT_KERNEL(shape, A, B, code_a, code_b, m, k, Vc)                                       \
    __global__ void multiply_##shape##_##A##_##B(const int8* a, const int8* b, const Vc* c, Vc* d, \
                                                 const int*, const int*) {                         \
        [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;                         \
        ON_GFX950(d[i] = __builtin_amdgcn_mfma_scale_f32_##shape##_f8f6f4(                         \
                      a[i], b[i], c[i], code_a, code_b, 0, 0, 0, 0);)                              \
    }
FORMAT_ROWS(FORMAT_KERNEL)

// The fields of an instruction.
#define FIELDS(X)                          \
    X(4x4x4f16, half4, float4, 1, 1, 0)    \
    X(4x4x4f16, half4, float4, 2, 1, 0)    \
    X(4x4x4f16, half4, float4, 4, 5, 0)    \
    X(16x16x4f16, half4, float16, 1, 1, 0) \
    X(32x32x4f16, half4, float32, 1, 0, 0) \
    X(32x32x8f16, half4, float16, 0, 0, 1) \
    X(32x32x8f16, half4, float16, 0, 0, 2) \
    X(32x32x8f16, half4, float16, 0, 0, 3) \
    X(32x32x8f16, half4, float16, 0, 0, 4) \
    X(32x32x8f16, half4, float16, 0, 0, 7)
#define FIELD_KERNEL(shape, Vab, Vc, cbsz, abid, blgp)                                         \
    __global__ void fields_##shape##_##cbsz##_##abid##_##blgp(                                 \
        const Vab* a, const Vab* b, const Vc* c, Vc* d, const int*, const int*) {              \
        [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;                     \
        ON_BOTH(d[i] = __builtin_amdgcn_mfma_f32_##shape(a[i], b[i], c[i], cbsz, abid, blgp);) \
    }
FIELDS(FIELD_KERNEL)
#define NEGATIONS(X) X(1) X(2) X(4) X(7)
#define NEGATION_KERNEL(bits)                                                               \
    __global__ void negations_##bits(const double* a, const double* b, const double4* c,    \
                                     double4* d, const int*, const int*) {                  \
        [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;                  \
        ON_BOTH(d[i] = __builtin_amdgcn_mfma_f64_16x16x4f64(a[i], b[i], c[i], 0, 0, bits);) \
    }
NEGATIONS(NEGATION_KERNEL)

#define SCALES(X)              \
    X(16x16x128, float4, 0, 1) \
    X(16x16x128, float4, 3, 2) \
    X(32x32x64, float16, 0, 1) \
    X(32x32x64, float16, 2, 3)
#define SCALE_KERNEL(shape, Vc, sel_a, sel_b)                                                     \
    __global__ void scales_##shape##_##sel_a##_##sel_b(const int8* a, const int8* b, const Vc* c, \
                                                       Vc* d, const int* sa, const int* sb) {     \
        [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;                        \
        ON_GFX950(d[i] = __builtin_amdgcn_mfma_scale_f32_##shape##_f8f6f4(                        \
                      a[i], b[i], c[i], 4, 4, sel_a, sa[i], sel_b, sb[i]);)                       \
    }
SCALES(SCALE_KERNEL)

// Only lane 0 is on while the instruction executes; MODE flushes denormals of f32 in the second.
__global__ void with_one_lane(const float* a, const float* b, const float4* c, float4* d,
                              const int*, const int*) {
    [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;
    ON_BOTH(float4 sum = c[i]; const float x = a[i], y = b[i];
            asm volatile("s_nop 7\n s_mov_b64 s[10:11], exec\n s_mov_b64 exec, 1\n s_nop 4\n"
                         "v_mfma_f32_16x16x4_f32 %0, %1, %2, %0\n"
                         "s_mov_b64 exec, s[10:11]\n s_nop 15\n s_nop 15\n" : "+v"(sum) : "v"(x),
                         "v"(y) : "s10", "s11");
            d[i] = sum;)
}
__global__ void with_flushing(const float* a, const float* b, const float4* c, float4* d,
                              const int*, const int*) {
    [[maybe_unused]] const unsigned i = blockIdx.x * 64 + threadIdx.x;
    ON_BOTH(float4 sum = c[i]; const float x = a[i], y = b[i];
            asm volatile("s_nop 7\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\n s_nop 4\n"
                         "v_mfma_f32_16x16x4_f32 %0, %1, %2, %0\n"
                         "s_nop 15\n s_nop 15\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15\n "
                         "s_nop 4\n" : "+v"(sum) : "v"(x),
                         "v"(y));
            d[i] = sum;)
}

#pragma clang diagnostic pop

// == instructions on the host =====================================================================

struct operand {
    const char* name;
    const format_facts* format;  // null: an integer
    int bits;
    bool is_cut;  // xf32: the low 13 bits count for nothing
};

struct instruction {
    std::string name;
    operand a;
    operand b;
    operand c;
    int m;
    int k;
    int blocks;
    bool has_formats;
    std::size_t operand_bytes;  // a lane's registers of A and of B
    std::size_t result_bytes;
    const void* kernel;
};

operand operand_of(const std::string& name, const std::string& arch) {
    const bool is_ocp = arch == "gfx950";
    if (name == "i8" || name == "i32") {
        return {name == "i8" ? "i8" : "i32", nullptr, name == "i8" ? 8 : 32, false};
    }
    if (name == "xf32") {
        return {"xf32", &f32_format, 32, true};
    }
    const format_facts* const all[] = {&f64_format,
                                       &f32_format,
                                       &f16_format,
                                       &bf16_format,
                                       &fp6_format,
                                       &bf6_format,
                                       &fp4_format,
                                       is_ocp ? &fp8_ocp : &fp8_fnuz,
                                       is_ocp ? &bf8_ocp : &bf8_fnuz};
    for (const format_facts* const f : all) {
        if (name == f->name) {
            return {f->name, f, f->bits(), false};
        }
    }
    throw std::logic_error("no format " + name);
}

template <class Vab, class Vc>
instruction make_instruction(std::string name, const char* a, const char* b, const char* c, int m,
                             int k, int blocks, bool has_formats, const std::string& arch,
                             void (*kernel)(const Vab*, const Vab*, const Vc*, Vc*, const int*,
                                            const int*)) {
    return {std::move(name),
            operand_of(a, arch),
            operand_of(b, arch),
            operand_of(c, arch),
            m,
            k,
            blocks,
            has_formats,
            sizeof(Vab),
            sizeof(Vc),
            reinterpret_cast<const void*>(kernel)};
}

std::vector<instruction> instructions_of(const std::string& arch) {
    std::vector<instruction> all;
    [[maybe_unused]] constexpr bool BOTH = true;
    const bool GFX942 = arch == "gfx942";
    const bool GFX950 = arch == "gfx950";
#define INSTRUCTION(name, where, builtin, Vab, Vc, A, B, C, m, k, blocks)                      \
    if (where) {                                                                               \
        all.push_back(make_instruction("v_mfma_" #name, #A, #B, #C, m, k, blocks, false, arch, \
                                       multiply_##name));                                      \
    }
    ROWS(INSTRUCTION)
#define FORMAT_INSTRUCTION(shape, A, B, code_a, code_b, m, k, Vc)                                \
    if (GFX950) {                                                                                \
        all.push_back(make_instruction("v_mfma_f32_" #shape "_f8f6f4 " #A " " #B, #A, #B, "f32", \
                                       m, k, 1, true, arch, multiply_##shape##_##A##_##B));      \
    }
    FORMAT_ROWS(FORMAT_INSTRUCTION)
    return all;
}

// == where elements lie ===========================================================================

struct place {
    int lane;
    int item;
};

// A's row or B's column i of a block (ISA guide, 7.1.4; 7.1.5 for f8f6f4).
place place_of_operand(const instruction& x, const operand& o, int block, int i, int k) {
    if (x.has_formats && o.bits == 8) {
        return {i + x.m * (k % (x.k / 2) / 16), k % 16 + k / (x.k / 2) * 16};
    }
    const int in_lane = x.k / (64 / (x.m * x.blocks));
    return {i + x.m * (block + x.blocks * (k / in_lane)), k % in_lane};
}

// The guide's formula is wrong for the f64 instruction of four blocks; AMD's matrix instruction
// calculator has it right.
place place_of_result(const instruction& x, int block, int i, int j) {
    if (x.c.bits == 64 && x.m == 4) {
        return {16 * i + 4 * block + j, 0};
    }
    const int n = x.m;
    const int h = x.c.bits == 64 ? 1 : 4;
    const int per_block = n * x.m / h;
    const int b_i = per_block >= 64 ? 1 : 64 / per_block;
    const int m_i = 64 / b_i / n;
    const int g = x.m / (h * m_i);
    return {j + n * (i / h % m_i + m_i * (block % b_i)),
            i % h + h * (i / (h * m_i) + g * (block / b_i))};
}

// Bits of one item in the registers of a wave.
void put(std::vector<unsigned char>& image, std::size_t lane_begin, int item, int bits,
         std::uint64_t code) {
    for (int n = 0; n < bits; ++n) {
        if (((code >> n) & 1) != 0) {
            const auto at = static_cast<std::size_t>(item * bits + n);
            image[lane_begin + at / 8] =
                static_cast<unsigned char>(image[lane_begin + at / 8] | (1u << (at % 8)));
        }
    }
}

// The matrices of one wave, as codes: A[block, i, k], B[block, j, k], C[block, i, j].
struct matrices {
    std::vector<std::uint64_t> a;
    std::vector<std::uint64_t> b;
    std::vector<std::uint64_t> c;
};

std::size_t at(const instruction& x, int block, int i, int k) {
    return static_cast<std::size_t>((block * x.m + i) * x.k + k);
}
std::size_t at_c(const instruction& x, int block, int i, int j) {
    return static_cast<std::size_t>((block * x.m + i) * x.m + j);
}

// Multiplies each of `cases` by one wave, and leaves the results in place of C.
void run(const instruction& x, std::vector<matrices>& cases, const void* kernel = nullptr,
         const std::vector<int>& scales_a = {}, const std::vector<int>& scales_b = {}) {
    const std::size_t ab_bytes = 64 * x.operand_bytes;
    const std::size_t c_bytes = 64 * x.result_bytes;
    std::vector<unsigned char> a(cases.size() * ab_bytes);
    std::vector<unsigned char> b(cases.size() * ab_bytes);
    std::vector<unsigned char> c(cases.size() * c_bytes);
    const auto lane = [](std::size_t of_case, int number, std::size_t lane_bytes) {
        return (of_case * 64 + static_cast<std::size_t>(number)) * lane_bytes;
    };
    for (std::size_t n = 0; n < cases.size(); ++n) {
        for (int block = 0; block < x.blocks; ++block) {
            for (int i = 0; i < x.m; ++i) {
                for (int k = 0; k < x.k; ++k) {
                    const place pa = place_of_operand(x, x.a, block, i, k);
                    put(a, lane(n, pa.lane, x.operand_bytes), pa.item, x.a.bits,
                        cases[n].a[at(x, block, i, k)]);
                    const place pb = place_of_operand(x, x.b, block, i, k);
                    put(b, lane(n, pb.lane, x.operand_bytes), pb.item, x.b.bits,
                        cases[n].b[at(x, block, i, k)]);
                }
                for (int j = 0; j < x.m; ++j) {
                    const place pc = place_of_result(x, block, i, j);
                    put(c, lane(n, pc.lane, x.result_bytes), pc.item, x.c.bits,
                        cases[n].c[at_c(x, block, i, j)]);
                }
            }
        }
    }
    const device_buffer<unsigned char> da(a);
    const device_buffer<unsigned char> db(b);
    const device_buffer<unsigned char> dc(c);
    device_buffer<unsigned char> dd(c.size());
    dd.fill_bytes(0xff);
    const device_buffer<int> dsa(scales_a.empty() ? std::vector<int>(1) : scales_a);
    const device_buffer<int> dsb(scales_b.empty() ? std::vector<int>(1) : scales_b);
    const void* pa = da.data();
    const void* pb = db.data();
    const void* pc = dc.data();
    void* pd = dd.data();
    const int* psa = dsa.data();
    const int* psb = dsb.data();
    void* arguments[] = {&pa, &pb, &pc, &pd, &psa, &psb};
    check(
        hipLaunchKernel(kernel == nullptr ? x.kernel : kernel,
                        dim3(static_cast<unsigned>(cases.size())), dim3(64), arguments, 0, nullptr),
        "hipLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<unsigned char> d = dd.to_host();
    for (std::size_t n = 0; n < cases.size(); ++n) {
        for (int block = 0; block < x.blocks; ++block) {
            for (int i = 0; i < x.m; ++i) {
                for (int j = 0; j < x.m; ++j) {
                    const place p = place_of_result(x, block, i, j);
                    const auto bytes = static_cast<std::size_t>(x.c.bits / 8);
                    std::uint64_t code = 0;
                    std::memcpy(&code,
                                d.data() + lane(n, p.lane, x.result_bytes) +
                                    static_cast<std::size_t>(p.item) * bytes,
                                bytes);
                    cases[n].c[at_c(x, block, i, j)] = code;
                }
            }
        }
    }
}

// == operands =====================================================================================

using random_engine = std::mt19937;

int uniform(random_engine& random, int low, int high) {  // both included
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

std::uint64_t random_bits(random_engine& random, int bits) {
    const std::uint64_t all = (std::uint64_t{random()} << 32) | random();
    return bits == 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t small_code(const operand& o, random_engine& random, int limit) {
    const int x = uniform(random, -limit, limit);
    if (o.format == nullptr) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) &
               ((std::uint64_t{1} << o.bits) - 1);
    }
    return encode(*o.format, x);
}

// A family of groups of products: exponents of A and B, of C against 0, and what else is special.
struct family {
    const char* name;
    int low;
    int high;
    int c_low;
    int c_high;
    int large;     // percent of elements of A with the format's largest exponents
    int zeros;     // percent
    int special;   // percent of elements that are infinite or NaN, where the format has them
    bool cancels;  // each odd k nearly cancels the k before
};
constexpr int lowest = -2000;
constexpr int highest = 2000;
constexpr family families[] = {
    {"near", -2, 2, -3, 6, 0, 0, 0, false},
    {"wide", -12, 12, -24, 24, 0, 5, 0, false},
    {"one large among small", -14, -6, -24, 10, 12, 0, 0, false},
    {"cancelling", -3, 3, -30, 2, 0, 0, 0, true},
    {"subnormal", lowest, -12, lowest, -20, 10, 5, 0, false},
    {"small beside C", -16, -10, -1, 4, 0, 0, 0, false},
    {"C small", -1, 3, -34, -18, 0, 0, 0, false},
    {"sparse", -6, 6, -10, 10, 0, 70, 0, false},
    {"large", 8, highest, 10, highest, 0, 10, 0, false},
    {"special", -4, 4, -4, 4, 0, 10, 4, false},
    {"any", lowest, highest, lowest, highest, 0, 0, 1, false},
};

std::uint64_t code_in(const format_facts& f, random_engine& random, int low, int high) {
    const int bottom = std::max(low, f.smallest() - 1);  // the one below is for subnormals
    const int top = std::min(high, f.largest());
    const int exponent = bottom > top ? f.smallest() : uniform(random, bottom, top);
    const std::uint64_t fraction = random_bits(random, f.fraction_bits);
    std::uint64_t code =
        (static_cast<std::uint64_t>(std::max(exponent + f.bias, 0)) << f.fraction_bits) | fraction;
    if ((random() & 1) != 0) {
        code |= f.sign();
    }
    return code;
}

std::uint64_t special_code(const format_facts& f, random_engine& random) {
    const std::uint64_t sign = (random() & 1) != 0 ? f.sign() : 0;
    const std::uint64_t nan = encode(f, std::nan(""));
    return random() % 4 == 0 && f.has != specials::none
               ? nan
               : sign | encode(f, std::numeric_limits<double>::infinity());
}

std::uint64_t random_code(const family& g, const operand& o, random_engine& random, int low,
                          int high, bool may_be_large) {
    const format_facts& f = *o.format;
    const int chance = uniform(random, 0, 99);
    if (chance < g.zeros) {
        return 0;
    }
    if (chance < g.zeros + g.special) {
        return special_code(f, random);
    }
    if (may_be_large && chance >= 100 - g.large) {
        const int top = std::min(f.largest(), 12);
        return code_in(f, random, top - 2, top);
    }
    return code_in(f, random, low, high);
}

matrices random_matrices(const instruction& x, const family& g, random_engine& random) {
    matrices m;
    const auto elements = static_cast<std::size_t>(x.blocks * x.m * x.k);
    for (std::size_t n = 0; n < elements; ++n) {
        m.a.push_back(random_code(g, x.a, random, g.low, g.high, true));
        m.b.push_back(random_code(g, x.b, random, g.low, g.high, false));
        if (g.cancels && n % 2 == 1 && x.k > 1) {
            m.a[n] = m.a[n - 1] ^ x.a.format->sign();
            m.b[n] = m.b[n - 1] ^ (random() % 4 == 0 ? 1 : 0);
        }
    }
    for (int n = 0; n < x.blocks * x.m * x.m; ++n) {
        m.c.push_back(random_code(g, x.c, random, g.c_low, g.c_high, false));
    }
    return m;
}

// == facts ========================================================================================

double result_value(const instruction& x, std::uint64_t code) {
    return value_of(*x.c.format, code);
}

// The same bits, two NaNs, or two zeros.
bool is_same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

// Exact sums, without a rounding anywhere: `a_of` and `b_of` say which element counts.
struct chooser {
    int a_block = -1;  // of block n: (n & ~a_block) + abid
    int abid = 0;
    int blgp = 0;
    double negate_a = 1;
    double negate_b = 1;
    double negate_c = 1;
};

finding exact(const instruction& x, bool quick, const void* kernel = nullptr,
              const chooser& f = {}) {
    random_engine random(1);
    std::vector<matrices> cases(quick ? 1 : 4);
    const bool is_integer = x.a.format == nullptr;
    for (matrices& m : cases) {
        for (int n = 0; n < x.blocks * x.m * x.k; ++n) {
            m.a.push_back(is_integer ? random_bits(random, 8) : small_code(x.a, random, 3));
            m.b.push_back(is_integer ? random_bits(random, 8) : small_code(x.b, random, 3));
        }
        for (int n = 0; n < x.blocks * x.m * x.m; ++n) {
            m.c.push_back(is_integer ? random_bits(random, 32) : small_code(x.c, random, 100));
        }
    }
    const std::vector<matrices> before = cases;
    run(x, cases, kernel);
    const auto value = [](const operand& o, std::uint64_t code) {
        return o.format == nullptr
                   ? static_cast<double>(static_cast<std::int64_t>(code << (64 - o.bits)) >>
                                         (64 - o.bits))
                   : value_of(*o.format, code);
    };
    finding found;
    int wrong = 0;
    int elements = 0;
    for (std::size_t n = 0; n < cases.size(); ++n) {
        for (int block = 0; block < x.blocks; ++block) {
            const int a_block = f.a_block < 0 ? block : (block & ~f.a_block) + f.abid;
            for (int i = 0; i < x.m; ++i) {
                for (int j = 0; j < x.m; ++j) {
                    double sum = f.negate_c * value(x.c, before[n].c[at_c(x, block, i, j)]);
                    for (int k = 0; k < x.k; ++k) {
                        // BLGP moves whole registers between lanes (ISA guide, 7.1.4).
                        int b_j = j;
                        int b_k = k;
                        if (f.blgp != 0) {
                            const place p = place_of_operand(x, x.b, block, j, k);
                            const int lane = f.blgp == 1   ? p.lane % 32
                                             : f.blgp == 2 ? p.lane % 32 + 32
                                             : f.blgp == 3 ? (p.lane + 16) % 64
                                                           : p.lane % 16 + 16 * (f.blgp - 4);
                            const int in_lane = x.k * x.m / 64;
                            b_j = lane % x.m;
                            b_k = lane / x.m * in_lane + p.item;
                        }
                        sum += f.negate_a * value(x.a, before[n].a[at(x, a_block, i, k)]) *
                               f.negate_b * value(x.b, before[n].b[at(x, block, b_j, b_k)]);
                    }
                    const std::uint64_t code = cases[n].c[at_c(x, block, i, j)];
                    const double got = value(x.c, code);
                    const bool right =
                        is_integer ? static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)) ==
                                         static_cast<std::uint32_t>(code)
                                   : is_same(sum, got);
                    ++elements;
                    if (!right && wrong++ == 0) {
                        found.seen = format("D[%d, %d] of block %d is %.9g, not %.9g", i, j, block,
                                            got, sum);
                    }
                }
            }
        }
    }
    found.said = wrong == 0 ? verdict::same : verdict::different;
    found.seen = wrong == 0 ? format("it in all %d elements", elements)
                            : format("%d of %d elements differ: ", wrong, elements) + found.seen;
    return found;
}

// The numbers of a row of A or a column of B.
std::vector<number> numbers_of(const operand& o, const std::vector<std::uint64_t>& codes,
                               std::size_t begin, int count) {
    std::vector<number> result;
    for (int k = 0; k < count; ++k) {
        const std::uint64_t code = codes[begin + static_cast<std::size_t>(k)];
        number n = decode(*o.format, code);
        if (o.is_cut && n.is == number::finite) {
            n = decode(*o.format, code & ~std::uint64_t{0x1fff});
        }
        result.push_back(n);
    }
    return result;
}

// What is published for gfx942; for gfx950 nothing is, and the rule is an assumption.
sum_rule assumed_rule(const instruction& x, const std::string& arch) {
    const int bits = x.a.bits;
    if (arch == "gfx950" || bits == 64 || (bits == 32 && !x.a.is_cut)) {
        return {0, false};
    }
    return bits == 32   ? sum_rule{4, false}
           : bits == 16 ? sum_rule{std::min(8, x.k), false}
                        : sum_rule{16, true};
}

// How many of the results a rule gives otherwise, and the first of these.
struct misfit {
    int count = 0;
    std::string first;
};
misfit misfit_of(const instruction& x, const sum_rule& rule, const std::vector<matrices>& before,
                 const std::vector<matrices>& after) {
    misfit m;
    for (std::size_t n = 0; n < before.size(); ++n) {
        for (int block = 0; block < x.blocks; ++block) {
            std::vector<std::vector<number>> columns;
            for (int j = 0; j < x.m; ++j) {
                columns.push_back(numbers_of(x.b, before[n].b, at(x, block, j, 0), x.k));
            }
            for (int i = 0; i < x.m; ++i) {
                const std::vector<number> row =
                    numbers_of(x.a, before[n].a, at(x, block, i, 0), x.k);
                for (int j = 0; j < x.m; ++j) {
                    const std::size_t c = at_c(x, block, i, j);
                    const double wanted =
                        matrix_sum(rule, row, columns[static_cast<std::size_t>(j)],
                                   decode(*x.c.format, before[n].c[c]), x.c.bits == 64);
                    const double got = result_value(x, after[n].c[c]);
                    if (!is_same(wanted, got) && m.count++ == 0) {
                        m.first = format("family %s, D[%d, %d]: %a, not %a",
                                         families[n % std::size(families)].name, i, j, got, wanted);
                    }
                }
            }
        }
    }
    return m;
}

finding sums(const instruction& x, const sum_rule& assumed, bool quick) {
    random_engine random(2);
    std::vector<matrices> cases;
    // Each element costs the host all of its products: fewer of the large ones.
    const int rounds = quick ? 1 : 64 * 16 / x.m / x.m / x.blocks + 2;
    for (int round = 0; round < rounds; ++round) {
        for (const family& g : families) {
            cases.push_back(random_matrices(x, g, random));
        }
    }
    const std::vector<matrices> before = cases;
    run(x, cases);
    const int total = static_cast<int>(cases.size()) * x.blocks * x.m * x.m;
    const misfit m = misfit_of(x, assumed, before, cases);
    finding found;
    if (m.count == 0) {
        found.said = verdict::same;
        found.seen = format("it in all %d results", total);
        if (assumed.group != 0) {
            found.seen += format(" (fma differs in %d)", misfit_of(x, {}, before, cases).count);
        }
        return found;
    }
    found.said = verdict::different;
    std::string fitting;
    std::string nearest;
    int fewest = m.count;
    std::vector<sum_rule> others = {{0, false}, {-1, false}};
    for (const int group : {4, 8, 16, 32, 64, 128}) {
        if (group <= std::max(4, x.k)) {
            others.push_back({group, false});
            others.push_back({group, true});
        }
    }
    for (const sum_rule& other : others) {
        const int count = misfit_of(x, other, before, cases).count;
        if (count == 0) {
            fitting += (fitting.empty() ? "" : " and ") + name_of(other);
        }
        if (count < fewest) {
            fewest = count;
            nearest = name_of(other);
        }
    }
    found.seen = !fitting.empty()  ? fitting + format(" in all %d results", total)
                 : nearest.empty() ? "none of the rules that were tried"
                                   : format(
                                         "none of the rules that were tried, nearest %s with %d "
                                         "of %d others",
                                         nearest.c_str(), fewest, total);
    found.seen += format("; assumed otherwise in %d: ", m.count) + m.first;
    return found;
}

// D = sum over blocks of 32 k of 2^(scale a + scale b - 254) * products, exact.
finding scaled(const instruction& x, const void* kernel, int sel_a, int sel_b) {
    random_engine random(3);
    std::vector<matrices> cases(1);
    for (int n = 0; n < x.m * x.k; ++n) {
        cases[0].a.push_back(small_code(x.a, random, 3));
        cases[0].b.push_back(small_code(x.b, random, 3));
    }
    for (int n = 0; n < x.m * x.m; ++n) {
        cases[0].c.push_back(small_code(x.c, random, 100));
    }
    // Row 5 of A has NaN as the scale of its first 32 k.
    std::vector<int> words_a(64);
    std::vector<int> words_b(64);
    const auto scale = [&](std::vector<int>& words, int sel, int lane) {
        return (words[static_cast<std::size_t>(lane)] >> (8 * sel)) & 0xff;
    };
    for (int lane = 0; lane < 64; ++lane) {
        const auto word = [&] {
            std::uint32_t all = 0;
            for (int byte = 0; byte < 4; ++byte) {
                all |= static_cast<std::uint32_t>(uniform(random, 124, 130)) << (8 * byte);
            }
            return static_cast<int>(all);
        };
        words_a[static_cast<std::size_t>(lane)] = word();
        words_b[static_cast<std::size_t>(lane)] = word();
    }
    words_a[5] |= 0xff << (8 * sel_a);
    const std::vector<matrices> before = cases;
    run(x, cases, kernel, words_a, words_b);
    int wrong = 0;
    finding found;
    for (int i = 0; i < x.m; ++i) {
        for (int j = 0; j < x.m; ++j) {
            double sum = value_of(f32_format, before[0].c[at_c(x, 0, i, j)]);
            for (int k = 0; k < x.k; ++k) {
                const int sa = scale(words_a, sel_a, i + x.m * (k / 32));
                const int sb = scale(words_b, sel_b, j + x.m * (k / 32));
                const double factor = sa == 0xff ? std::nan("") : std::ldexp(1.0, sa + sb - 254);
                sum += factor * value_of(*x.a.format, before[0].a[at(x, 0, i, k)]) *
                       value_of(*x.b.format, before[0].b[at(x, 0, j, k)]);
            }
            const double got = result_value(x, cases[0].c[at_c(x, 0, i, j)]);
            if (!is_same(sum, got) && wrong++ == 0) {
                found.seen = format("D[%d, %d] is %.9g, not %.9g", i, j, got, sum);
            }
        }
    }
    found.said = wrong == 0 ? verdict::same : verdict::different;
    found.seen = wrong == 0 ? format("it in all %d elements", x.m * x.m)
                            : format("%d of %d elements differ: ", wrong, x.m * x.m) + found.seen;
    return found;
}

const instruction& find(const std::vector<instruction>& all, const std::string& name) {
    for (const instruction& x : all) {
        if (x.name == name) {
            return x;
        }
    }
    throw std::logic_error("no instruction " + name);
}

struct field_row {
    std::string shape;  // of the builtin
    int cbsz;
    int abid;
    int blgp;
    const void* kernel;
};
#define FIELD_ROW(shape, Vab, Vc, cbsz, abid, blgp) \
    {#shape, cbsz, abid, blgp,                      \
     reinterpret_cast<const void*>(fields_##shape##_##cbsz##_##abid##_##blgp)},
const field_row field_rows[] = {FIELDS(FIELD_ROW)};

struct negation_row {
    int bits;
    const void* kernel;
};
#define NEGATION_ROW(bits) {bits, reinterpret_cast<const void*>(negations_##bits)},
const negation_row negation_rows[] = {NEGATIONS(NEGATION_ROW)};

struct scale_row {
    std::string shape;
    int sel_a;
    int sel_b;
    const void* kernel;
};
#define SCALE_ROW(shape, Vc, sel_a, sel_b) \
    {#shape, sel_a, sel_b, reinterpret_cast<const void*>(scales_##shape##_##sel_a##_##sel_b)},
const scale_row scale_rows[] = {SCALES(SCALE_ROW)};

void fields(const device& on, report& to, const std::vector<instruction>& all) {
    const auto of_shape = [&](const std::string& shape) -> const instruction& {
        return find(all, shape == "4x4x4f16"     ? "v_mfma_f32_4x4x4_16b_f16"
                         : shape == "16x16x4f16" ? "v_mfma_f32_16x16x4_4b_f16"
                         : shape == "32x32x4f16" ? "v_mfma_f32_32x32x4_2b_f16"
                                                 : "v_mfma_f32_32x32x8_f16");
    };
    for (const field_row& row : field_rows) {
        const instruction& x = of_shape(row.shape);
        const bool permutes = row.blgp != 0;
        to.measure(x.name + format(" cbsz:%d abid:%d blgp:%d", row.cbsz, row.abid, row.blgp),
                   permutes ? "B's lanes are permuted" : "2^cbsz blocks read A of their block abid",
                   permutes ? "ISA guide, 7.1.4" : "AMD's matrix instruction calculator", [&] {
                       chooser f;
                       f.a_block = (1 << row.cbsz) - 1;
                       f.abid = row.abid;
                       f.blgp = row.blgp;
                       return exact(x, on.quick, row.kernel, f);
                   });
    }
    const instruction& f64 = find(all, "v_mfma_f64_16x16x4_f64");
    for (const negation_row& row : negation_rows) {
        to.measure(f64.name + format(" neg by blgp:%d", row.bits), "bits 0, 1, 2 negate A, B, C",
                   "ISA guide, 7.1.4", [&] {
                       chooser f;
                       f.negate_a = (row.bits & 1) != 0 ? -1 : 1;
                       f.negate_b = (row.bits & 2) != 0 ? -1 : 1;
                       f.negate_c = (row.bits & 4) != 0 ? -1 : 1;
                       return exact(f64, on.quick, row.kernel, f);
                   });
    }
    if (on.arch != "gfx950") {
        return;
    }
    for (const scale_row& row : scale_rows) {
        to.measure(
            "v_mfma_scale_f32_" + row.shape + format("_f8f6f4 bytes %d, %d", row.sel_a, row.sel_b),
            "E8M0 for 32 k each, of lane i + M * (k / 32); 0xff is NaN", "ISA guide, 7.1.5", [&] {
                return scaled(find(all, "v_mfma_f32_" + row.shape + "_f8f6f4 fp4 fp4"), row.kernel,
                              row.sel_a, row.sel_b);
            });
    }
}

// One element of a product whose A, B and C are the same everywhere.
double uniform_product(const instruction& x, double a, double b, double c,
                       const void* kernel = nullptr) {
    std::vector<matrices> one(1);
    one[0].a.assign(static_cast<std::size_t>(x.blocks * x.m * x.k), encode(*x.a.format, a));
    one[0].b.assign(static_cast<std::size_t>(x.blocks * x.m * x.k), encode(*x.b.format, b));
    one[0].c.assign(static_cast<std::size_t>(x.blocks * x.m * x.m), encode(*x.c.format, c));
    run(x, one, kernel);
    for (const std::uint64_t code : one[0].c) {
        if (!is_same(result_value(x, code), result_value(x, one[0].c[0]))) {
            return -12345;  // elements differ: no value of these products
        }
    }
    return result_value(x, one[0].c[0]);
}

void details(const device& on, report& to, const std::vector<instruction>& all) {
    const instruction& f32 = find(all, "v_mfma_f32_16x16x4_f32");
    to.measure("EXEC of a matrix instruction", "all lanes take part, whatever EXEC is",
               "ISA guide, 7.1",
               [&] { return exact(f32, on.quick, reinterpret_cast<const void*>(with_one_lane)); });
    struct denormal {
        const char* name;
        const char* instruction;
        double a;
        double b;
        double c;
        bool flushing;
        double expected;
    };
    const denormal denormals[] = {
        {"f32 sources", "v_mfma_f32_16x16x4_f32", 0x1p-140, 0x1p100, 0, false, 0x1p-38},
        {"f32 sources, MODE flushes", "v_mfma_f32_16x16x4_f32", 0x1p-140, 0x1p100, 0, true,
         0x1p-38},
        {"f32 result", "v_mfma_f32_16x16x4_f32", 0x1p-70, 0x1p-70, 0, false, 0x1p-138},
        {"f32 C", "v_mfma_f32_16x16x4_f32", 0, 0, 0x1p-149, false, 0x1p-149},
        {"f32 C, MODE flushes", "v_mfma_f32_16x16x4_f32", 0, 0, 0x1p-149, true, 0x1p-149},
        {"f16 sources", "v_mfma_f32_16x16x16_f16", 0x1p-24, 0x1p10, 0, false, 0x1p-10},
        {"bf16 sources", "v_mfma_f32_16x16x16_bf16", 0x1p-133, 0x1p100, 0, false, 0x1p-29},
        {"bf16 result", "v_mfma_f32_16x16x16_bf16", 0x1p-70, 0x1p-70, 0, false, 0x1p-136},
        {"fp8 sources", "v_mfma_f32_16x16x32_fp8_fp8", 0x1p-9, 0x1p4, 0, false, 0x1p0},
        {"bf8 sources", "v_mfma_f32_16x16x32_bf8_bf8", 0x1p-16, 0x1p4, 0, false, 0x1p-7},
        {"f64 sources", "v_mfma_f64_16x16x4_f64", 0x1p-1070, 0x1p1000, 0, false, 0x1p-68},
    };
    for (const denormal& d : denormals) {
        to.compare(std::string("denormals of matrix instructions, ") + d.name,
                   format("%a of %a * %a and C = %a", d.expected, d.a, d.b, d.c),
                   "ISA guide, chapter 12's tables: not flushed", [&] {
                       const double got = uniform_product(
                           find(all, d.instruction), d.a, d.b, d.c,
                           d.flushing ? reinterpret_cast<const void*>(with_flushing) : nullptr);
                       return format("%a of %a * %a and C = %a", got, d.a, d.b, d.c);
                   });
    }
    to.measure("NaN of a matrix instruction, its bits", "nothing", "published by nobody", [&] {
        std::vector<matrices> one(1);
        one[0].a.assign(static_cast<std::size_t>(f32.m * f32.k), 0x7f812345);
        one[0].b.assign(static_cast<std::size_t>(f32.m * f32.k), 0x3f800000);
        one[0].c.assign(static_cast<std::size_t>(f32.m * f32.m), 0);
        run(f32, one);
        finding found;
        found.seen = format("0x%08llx for a signalling 0x7f812345",
                            static_cast<unsigned long long>(one[0].c[0]));
        return found;
    });
}

}  // namespace

void bits_of_matrices(const device& on, report& to) {
    const std::vector<instruction> all = instructions_of(on.arch);
    for (const instruction& x : all) {
        to.measure(x.name + " layout",
                   x.a.format == nullptr
                       ? "exact modulo 2^32, elements where the guide says"
                       : "exact for small integers, elements where the guide says",
                   x.c.bits == 64 && x.m == 4 ? "AMD's matrix instruction calculator"
                   : x.has_formats            ? "ISA guide, 7.1.5"
                                              : "ISA guide, 7.1.4",
                   [&] { return exact(x, on.quick); });
    }
    for (const instruction& x : all) {
        if (x.a.format == nullptr) {
            continue;
        }
        const sum_rule rule = assumed_rule(x, on.arch);
        to.measure(x.name + " sums", name_of(rule),
                   on.arch == "gfx942" ? "arXiv 2511.10909, of an MI300X"
                                       : "an assumption: nobody published gfx950's",
                   [&] { return sums(x, rule, on.quick); });
    }
    fields(on, to, all);
    details(on, to, all);
}

}  // namespace gpu_facts
