// One instruction, or a few, applied to many operands: a kernel, and a reference on the host.
//
//   OP(add_f32, ON_BOTH, "v_add_f32 %0, %1, %2")
//   scan(add_f32, xs, ys, zs, [](const operands& o) { return ...; })
//
// In the text %0 is the result, which holds `old` before, %1 to %3 are x, y and z.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "facts.hpp"
#include "formats.hpp"
#include "opus/hip_minimal.hpp"

namespace gpu_facts {

#if defined(__AMDGCN__)
#define ON_BOTH(...) __VA_ARGS__
#else  // the host compiles no code of a kernel
#define ON_BOTH(...)
#endif
#if defined(__gfx942__)
#define ON_GFX942(...) __VA_ARGS__
#else
#define ON_GFX942(...)
#endif
#if defined(__gfx950__)
#define ON_GFX950(...) __VA_ARGS__
#else
#define ON_GFX950(...)
#endif

struct operands {
    std::uint32_t x;
    std::uint32_t y;
    std::uint32_t z;
    std::uint32_t old;
};

using op_kernel = void(const operands*, std::uint32_t*, int);

// The waits are for what follows a transcendental instruction or a change of MODE.
#define OP(name, where, text)                                                              \
    __global__ void name([[maybe_unused]] const operands* from,                            \
                         [[maybe_unused]] std::uint32_t* to, [[maybe_unused]] int n) {     \
        where(const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x); if (i < n) { \
            const operands o = from[i];                                                    \
            std::uint32_t r = o.old;                                                       \
            asm volatile(text "\n s_nop 4" : "+&v"(r) : "v"(o.x), "v"(o.y), "v"(o.z));     \
            to[i] = r;                                                                     \
        })                                                                                 \
    }

// The same with MODE's bits from `first` on set to `value`, and back to what ROCm starts kernels
// with: nearest even, denormals kept, IEEE, DX10_CLAMP.
#define OP_IN_MODE(name, where, first, count, value, usual, text)                        \
    OP(name, where,                                                                      \
       "s_setreg_imm32_b32 hwreg(HW_REG_MODE, " #first ", " #count "), " #value          \
       "\n s_nop 4\n " text "\n s_nop 4\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, " #first \
       ", " #count "), " #usual)

// Results for all operands.
std::vector<std::uint32_t> apply(op_kernel* kernel, const std::vector<operands>& from);

using reference = std::function<std::uint32_t(const operands&)>;

// same if all results are the reference's. `canonical` is applied to both, for example to make all
// NaNs one.
finding scan(op_kernel* kernel, const std::vector<operands>& from, const reference& expected,
             const std::function<std::uint32_t(std::uint32_t)>& canonical = nullptr);

// All NaNs of f32 as one, and of both f16 halves.
std::uint32_t one_nan(std::uint32_t f32);
std::uint32_t one_nan_f16(std::uint32_t halves);

// FNV-1a, 64 bits, over the bytes of results, the low one first.
std::uint64_t digest_of(const std::vector<std::uint32_t>& results);

// Operands that are special in f32, each with each, and `count` random ones.
std::vector<operands> f32_operands(int count);
// The same in f16, in both halves.
std::vector<operands> f16_operands(int count);
// One operand: all f32 with only the leading 16 bits set.
std::vector<operands> leading_patterns();
// One operand from a list.
std::vector<operands> operands_of(const std::vector<std::uint32_t>& xs, std::uint32_t y = 0,
                                  std::uint32_t z = 0, std::uint32_t old = 0);

}  // namespace gpu_facts
