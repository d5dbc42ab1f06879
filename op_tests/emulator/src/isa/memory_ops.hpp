// What the memory families share: the shape of an access, register transfers, atomics.
#pragma once

#include <algorithm>
#include <atomic>

#include "checks/alignment.hpp"
#include "checks/bounds.hpp"
#include "checks/error.hpp"
#include "isa/float_math.hpp"
#include "machine/memory.hpp"
#include "machine/settings.hpp"

namespace emu {

enum class register_part {
    whole,     // the dword; bytes and words are extended to it
    d16_low,   // the low half, the high half is kept
    d16_high,  // the high half, the low half is kept
};

// One load or store: `bytes` per lane, in memory order.
struct access {
    int bytes;
    bool sign_extend = false;
    register_part part = register_part::whole;
    constexpr int dwords() const { return bytes <= 4 ? 1 : bytes / 4; }
};

// The register value of loaded bytes, for accesses of up to 4 bytes.
template <access A>
u32 loaded_value(u32 raw, u32 old) {
    u32 value = raw;
    if constexpr (A.bytes < 4) {
        constexpr u32 mask = (1u << 8 * A.bytes) - 1;
        constexpr u32 sign = A.sign_extend ? 1u << (8 * A.bytes - 1) : 0;
        value = ((raw & mask) ^ sign) - sign;
    }
    if constexpr (A.part == register_part::d16_low) {
        return (old & 0xffff0000) | (value & 0xffff);
    }
    if constexpr (A.part == register_part::d16_high) {
        return (old & 0xffff) | value << 16;
    }
    return value;
}

template <access A>
u32 stored_value(u32 reg) {
    return A.part == register_part::d16_high ? reg >> 16 : reg;
}

// The lanes of `mask`, lowest first.
template <class F>
void for_each_lane(u64 mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) {
        f(std::countr_zero(mask));
    }
}

// The bytes of LDS at `address`; it must lie inside the group's allocation (the hardware would read
// 0 and drop writes, ISA guide 3.6.1; here it is an error of the kernel). `value` are the bytes
// that are going to be written, if `use` is write.
inline std::byte* lds_bytes(const wave& w, const instruction& i, int lane, u64 address, int bytes,
                            lds_use use, const void* value = nullptr) {
    std::vector<std::byte>& lds = w.group->lds;
    if (address + static_cast<u64>(bytes) > lds.size()) [[unlikely]] {
        return fail_lds_access(w, i, lane, address, bytes);
    }
    if ((w.checks & (check::alignment | check::lds_alignment)) != 0) {
        check_lds_alignment(w, i, lane, address, bytes, use);
    }
    if (w.group->shadow != nullptr) {
        w.group->shadow->note({w, i, lane, static_cast<u32>(address), static_cast<u32>(bytes), use,
                               static_cast<const std::byte*>(value)});
    }
    return lds.data() + address;
}

// ---- atomics ----

enum class atomic_op {
    swap,
    cmpswap,
    add,
    sub,
    rsub,
    smin,
    umin,
    smax,
    umax,
    and_,
    or_,
    xor_,
    inc,
    dec,
    add_f32,
    min_f32,
    max_f32,
    add_f64,
    min_f64,
    max_f64,
    pk_add_f16,
    pk_add_bf16,
    mskor,        // (old & ~data) | compare
    wrap,         // old - data, or old + compare where that is negative
    cmpswap_f32,  // as floats: NaN differs from everything, -0 equals 0
    cmpswap_f64,
};

// The bytes of an atomic of memory. Unaligned it is an error, and goes on without the low bits.
template <class T>
std::byte* aligned_atomic(const wave& w, const instruction& i, int lane, std::byte* memory) {
    const uintptr_t low_bits = reinterpret_cast<uintptr_t>(memory) % sizeof(T);
    if (low_bits != 0) {
        report(w, i, check::alignment,
               [&] { return "lane " + std::to_string(lane) + ": unaligned atomic"; });
    }
    return memory - low_bits;
}

inline u32 packed_add_f16(u32 a, u32 b) {
    u32 result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const f32 x = static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(a >> shift)));
        const f32 y = static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(b >> shift)));
        result |= u32{to_bits(static_cast<f16>(x + y))} << shift;
    }
    return result;
}

inline u32 packed_add_bf16(u32 a, u32 b) {
    u32 result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const f32 x = std::bit_cast<f32>((a >> shift) << 16);
        const f32 y = std::bit_cast<f32>((b >> shift) << 16);
        const f32 sum = x + y;
        const u32 bits = to_bits(sum);
        const u32 rounded =
            sum != sum ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        result |= (rounded & 0xffff) << shift;
    }
    return result;
}

// The value that `old` is replaced with. `data` is the first data operand; `compare` the second,
// which only those of has_compare() have.
template <atomic_op Op, class T>
T atomic_result(T old, T data, T compare) {
    using signed_t = std::make_signed_t<T>;
    const auto less = [](T a, T b) { return static_cast<signed_t>(a) < static_cast<signed_t>(b); };
    if constexpr (Op == atomic_op::swap) {
        return data;
    }
    if constexpr (Op == atomic_op::cmpswap) {
        return old == compare ? data : old;
    }
    if constexpr (Op == atomic_op::add) {
        return old + data;
    }
    if constexpr (Op == atomic_op::sub) {
        return old - data;
    }
    if constexpr (Op == atomic_op::rsub) {
        return data - old;
    }
    if constexpr (Op == atomic_op::smin) {
        return less(old, data) ? old : data;
    }
    if constexpr (Op == atomic_op::umin) {
        return std::min(old, data);
    }
    if constexpr (Op == atomic_op::smax) {
        return less(old, data) ? data : old;
    }
    if constexpr (Op == atomic_op::umax) {
        return std::max(old, data);
    }
    if constexpr (Op == atomic_op::and_) {
        return old & data;
    }
    if constexpr (Op == atomic_op::or_) {
        return old | data;
    }
    if constexpr (Op == atomic_op::xor_) {
        return old ^ data;
    }
    if constexpr (Op == atomic_op::inc) {
        return old >= data ? 0 : old + 1;
    }
    if constexpr (Op == atomic_op::dec) {
        return old == 0 || old > data ? data : old - 1;
    }
    if constexpr (Op == atomic_op::mskor) {
        return (old & ~data) | compare;
    }
    if constexpr (Op == atomic_op::wrap) {
        return old >= data ? old - data : old + compare;
    }
    if constexpr (sizeof(T) == 4) {
        const f32 a = std::bit_cast<f32>(old);
        const f32 b = std::bit_cast<f32>(data);
        if constexpr (Op == atomic_op::cmpswap_f32) {
            return a == std::bit_cast<f32>(compare) ? data : old;
        }
        if constexpr (Op == atomic_op::add_f32) {
            return std::bit_cast<T>(a + b);
        }
        if constexpr (Op == atomic_op::min_f32) {
            return std::bit_cast<T>(minimum<true>(a, b));
        }
        if constexpr (Op == atomic_op::max_f32) {
            return std::bit_cast<T>(maximum<true>(a, b));
        }
        if constexpr (Op == atomic_op::pk_add_f16) {
            return packed_add_f16(old, data);
        }
        if constexpr (Op == atomic_op::pk_add_bf16) {
            return packed_add_bf16(old, data);
        }
    } else {
        const f64 a = std::bit_cast<f64>(old);
        const f64 b = std::bit_cast<f64>(data);
        if constexpr (Op == atomic_op::cmpswap_f64) {
            return a == std::bit_cast<f64>(compare) ? data : old;
        }
        if constexpr (Op == atomic_op::add_f64) {
            return std::bit_cast<T>(a + b);
        }
        if constexpr (Op == atomic_op::min_f64) {
            return std::bit_cast<T>(minimum<true>(a, b));
        }
        if constexpr (Op == atomic_op::max_f64) {
            return std::bit_cast<T>(maximum<true>(a, b));
        }
    }
}

constexpr bool is_cmpswap(atomic_op op) {
    return op == atomic_op::cmpswap || op == atomic_op::cmpswap_f32 || op == atomic_op::cmpswap_f64;
}

constexpr bool has_compare(atomic_op op) {
    return is_cmpswap(op) || op == atomic_op::mskor || op == atomic_op::wrap;
}

// Applies the operation to memory that other host threads may use at the same time; returns the
// old value.
// @pre `memory` is aligned to T
template <atomic_op Op, class T>
T apply_atomic(std::byte* memory, T data, T compare) {
    const std::atomic_ref<T> cell(*reinterpret_cast<T*>(memory));
    T old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(old, atomic_result<Op, T>(old, data, compare),
                                       std::memory_order_seq_cst)) {
    }
    return old;
}

template <class T>
T read_lane_value(const lane_row* rows, size_t lane) {
    if constexpr (sizeof(T) == 8) {
        return u64{rows[0].lane[lane]} | u64{rows[1].lane[lane]} << 32;
    } else {
        return rows[0].lane[lane];
    }
}

template <class T>
void write_lane_value(lane_row* rows, size_t lane, T value) {
    rows[0].lane[lane] = static_cast<u32>(value);
    if constexpr (sizeof(T) == 8) {
        rows[1].lane[lane] = static_cast<u32>(value >> 32);
    }
}

}  // namespace emu
