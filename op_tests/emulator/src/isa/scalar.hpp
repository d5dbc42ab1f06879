// Reading and writing scalar operands.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "isa/instruction.hpp"
#include "machine/report.hpp"

namespace emu {

inline void check_sgpr(const wave& w, const instruction& i, int reg, int dwords) {
    if (reg + dwords > sreg::count) [[unlikely]] {
        fail(w, i, "scalar register s" + std::to_string(reg) + " is out of range");
    }
}

// The constant as a value of type T. A literal of a 64-bit operand is 32 bits: high dword of an
// f64, sign-extended for a signed integer, else zero-extended (ISA guide 6.2.1.1).
template <class T>
T constant_value(const operand& source) {
    if constexpr (sizeof(T) == 8) {
        if (source.literal) {
            if constexpr (std::is_same_v<T, double>) {
                return std::bit_cast<T>(uint64_t{source.value32} << 32);
            }
            if constexpr (std::is_signed_v<T>) {
                return std::bit_cast<T>(static_cast<int64_t>(static_cast<int32_t>(source.value32)));
            }
            return std::bit_cast<T>(uint64_t{source.value32});
        }
        return std::bit_cast<T>(source.value64);
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(source.value32);
    } else {
        static_assert(sizeof(T) == 2);
        return std::bit_cast<T>(source.value16);
    }
}

// A scalar source as a value of type T, of 4 or 8 bytes.
template <class T>
T read_scalar(const wave& w, const instruction& i, const operand& source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    const auto from_bit = [](bool bit) {
        if constexpr (sizeof(T) == 8) {
            return std::bit_cast<T>(uint64_t{bit});
        } else {
            return std::bit_cast<T>(uint32_t{bit});
        }
    };
    switch (source.kind) {
        case operand_kind::sgpr:
            check_sgpr(w, i, source.reg, sizeof(T) / 4);
            if constexpr (sizeof(T) == 8) {
                return std::bit_cast<T>(w.read_sgpr64(source.reg));
            } else {
                return std::bit_cast<T>(w.sgpr[source.reg]);
            }
        case operand_kind::constant:
            return constant_value<T>(source);
        case operand_kind::scc:
            return from_bit(w.scc);
        case operand_kind::vccz:
            return from_bit(w.vcc() == 0);
        case operand_kind::execz:
            return from_bit(w.exec() == 0);
        case operand_kind::aperture:
            if constexpr (sizeof(T) == 8) {
                return std::bit_cast<T>(source.value64);
            } else {
                return std::bit_cast<T>(source.value32);
            }
        default:
            fail(w, i, "a scalar operand was expected");
    }
}

template <class T>
void write_scalar(wave& w, const instruction& i, const operand& destination, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if (destination.kind != operand_kind::sgpr) {
        fail(w, i, "a scalar destination was expected");
    }
    check_sgpr(w, i, destination.reg, sizeof(T) / 4);
    if constexpr (sizeof(T) == 8) {
        w.write_sgpr64(destination.reg, std::bit_cast<uint64_t>(value));
    } else {
        w.sgpr[destination.reg] = std::bit_cast<uint32_t>(value);
    }
}

}  // namespace emu
