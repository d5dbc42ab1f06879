// Scalar memory (ISA guide chapter 8).
#include <chrono>
#include <cstdio>
#include <cstring>

#include "isa/bounds.hpp"
#include "isa/rows.hpp"
#include "isa/scalar.hpp"
#include "machine/memory.hpp"
#include "machine/report.hpp"

namespace emu {
namespace {

// All parts of an address lose their two low bits (ISA guide 8.2.1.1).
void check_alignment(const wave& w, const instruction& i, uint64_t part) {
    if (part % 4 != 0 && (w.checks & check::alignment) != 0) {
        report(w, i, check::alignment, [&] {
            char text[96];
            std::snprintf(text, sizeof text, "0x%llx, a part of the address, is no multiple of 4",
                          static_cast<unsigned long long>(part));
            return std::string(text);
        });
    }
}

// Sum of the offsets after the base: an immediate and/or a register (ISA guide 8.2.1.1).
uint64_t scalar_offset(const wave& w, const instruction& i, const operand& source) {
    uint64_t offset = 0;
    if (source.kind == operand_kind::constant) {
        offset = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(source.value32)));
    } else {
        offset = read_scalar<uint32_t>(w, i, source);
    }
    const auto immediate = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
    check_alignment(w, i, offset);
    check_alignment(w, i, immediate);
    return offset + immediate;
}

const std::byte* read(wave& w, const instruction& i, uint64_t address, uint32_t bytes) {
    const std::byte* source = w.group->ranges.translate(address, bytes, false);
    if (source == nullptr) {
        char text[96];
        std::snprintf(text, sizeof text, "scalar load of %u bytes at 0x%llx, ", bytes,
                      static_cast<unsigned long long>(address));
        return fail_bounds(w, i, text + describe_address(address, bytes));
    }
    if (w.seen_by != nullptr) {
        w.seen_by->memory({w, i, 1, &address, static_cast<int>(bytes), lds_use::read});
    }
    return source;
}

// What a load has loaded. The registers that LLVM prints end with vcc_hi or ttmp15 at the latest.
void write_dwords(wave& w, const instruction& i, const void* dwords, size_t bytes) {
    const operand& destination = i.operands[0];
    if (destination.kind != operand_kind::sgpr) {
        fail(w, i, "a scalar destination was expected");
    }
    std::memcpy(&w.sgpr[destination.reg], dwords, bytes);
}

template <int Dwords>
void load(wave& w, const instruction& i) {
    const uint64_t base = read_scalar<uint64_t>(w, i, i.operands[1]);
    check_alignment(w, i, base);
    const uint64_t address = (base + scalar_offset(w, i, i.operands[2])) & ~uint64_t{3};
    write_dwords(w, i, read(w, i, address, Dwords * 4), Dwords * 4);
}

// A dword outside num_records reads 0; the stride counts in the range check only.
template <int Dwords>
void buffer_load(wave& w, const instruction& i) {
    const buffer_resource buffer(&w.sgpr[i.operands[1].reg]);
    check_alignment(w, i, buffer.base);
    const uint64_t size =
        buffer.stride == 0 ? buffer.records : uint64_t{buffer.stride} * buffer.records;
    const uint64_t offset = scalar_offset(w, i, i.operands[2]) & ~uint64_t{3};
    uint32_t result[Dwords] = {};
    for (int d = 0; d < Dwords; ++d) {
        const uint64_t at = offset + 4 * static_cast<uint64_t>(d);
        if (at + 4 > size) {
            continue;
        }
        const uint64_t address = (buffer.base & ~uint64_t{3}) + at;
        std::memcpy(&result[d], read(w, i, address, 4), 4);
    }
    write_dwords(w, i, result, sizeof result);
}

// The clock is the number of instructions that the wave has executed.
void memtime(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], w.instructions);
}

// 100 MHz (ISA guide 8.2.5).
void memrealtime(wave& w, const instruction& i) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    write_scalar(w, i, i.operands[0], static_cast<uint64_t>(nanoseconds) / 10);
}

void nothing(wave&, const instruction&) {}

constexpr access_plan dwords(int count) {
    return {.kind = address_kind::scalar, .bytes = static_cast<uint8_t>(4 * count)};
}

constexpr uint64_t load_modifiers = mod::offset | mod::glc;

constexpr instruction_row rows[] = {
    {"s_load_dword", load<1>, load_modifiers, false, dwords(1)},
    {"s_load_dwordx2", load<2>, load_modifiers, false, dwords(2)},
    {"s_load_dwordx4", load<4>, load_modifiers, false, dwords(4)},
    {"s_load_dwordx8", load<8>, load_modifiers, false, dwords(8)},
    {"s_load_dwordx16", load<16>, load_modifiers, false, dwords(16)},
    {"s_buffer_load_dword", buffer_load<1>, load_modifiers, false, dwords(1)},
    {"s_buffer_load_dwordx2", buffer_load<2>, load_modifiers, false, dwords(2)},
    {"s_buffer_load_dwordx4", buffer_load<4>, load_modifiers, false, dwords(4)},
    {"s_buffer_load_dwordx8", buffer_load<8>, load_modifiers, false, dwords(8)},
    {"s_buffer_load_dwordx16", buffer_load<16>, load_modifiers, false, dwords(16)},
    {"s_memtime", memtime},
    {"s_memrealtime", memrealtime},
    {"s_dcache_inv", nothing},
    {"s_dcache_inv_vol", nothing},
    {"s_dcache_wb", nothing},
    {"s_dcache_wb_vol", nothing},
};

}  // namespace

std::span<const instruction_row> smem_rows() {
    return rows;
}

}  // namespace emu
