// What the memory families share: the shape of an access, register transfers, atomics.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "isa/alignment.hpp"
#include "isa/bounds.hpp"
#include "isa/float_math.hpp"
#include "isa/vector_rows.hpp"
#include "machine/memory.hpp"
#include "machine/observer.hpp"
#include "machine/report.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

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

struct named_access {
    const char* name;
    access what;
};

// The loads and stores of buffer, flat, global and scratch.
inline constexpr named_access loads[] = {
    {"ubyte", {1}},
    {"sbyte", {1, true}},
    {"ushort", {2}},
    {"sshort", {2, true}},
    {"dword", {4}},
    {"dwordx2", {8}},
    {"dwordx3", {12}},
    {"dwordx4", {16}},
    {"ubyte_d16", {1, false, register_part::d16_low}},
    {"ubyte_d16_hi", {1, false, register_part::d16_high}},
    {"sbyte_d16", {1, true, register_part::d16_low}},
    {"sbyte_d16_hi", {1, true, register_part::d16_high}},
    {"short_d16", {2, false, register_part::d16_low}},
    {"short_d16_hi", {2, false, register_part::d16_high}},
};
inline constexpr named_access stores[] = {
    {"byte", {1}},     {"byte_d16_hi", {1, false, register_part::d16_high}},
    {"short", {2}},    {"short_d16_hi", {2, false, register_part::d16_high}},
    {"dword", {4}},    {"dwordx2", {8}},
    {"dwordx3", {12}}, {"dwordx4", {16}},
};

constexpr bool may_go_to_lds(const access& a) {
    return a.part == register_part::whole && a.bytes != 8;
}

constexpr access_plan access_of(address_kind kind, access_use use, const access& a) {
    return {.kind = kind,
            .use = use,
            .bytes = static_cast<uint8_t>(a.bytes),
            .is_high = a.part == register_part::d16_high};
}

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

// ---- all lanes of an access ----

// for_lanes(), fastest where all are on: for a body of a few instructions, which is there twice.
template <class F>
void for_each_lane_inline(u64 mask, F&& f) {
    if (mask == all_lanes) [[likely]] {
        for (int lane = 0; lane < lane_count; ++lane) {
            f(lane);
        }
        return;
    }
    for_lanes(mask, f);
}

inline u64 device_address(const std::byte* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

// One address for each lane; those of lanes that are switched off mean nothing.
template <class Address>
struct lane_addresses {
    alignas(64) Address lane[lane_count];
    bool is_run = false;  // of all lanes, and each lane's bytes follow those of the one before
    Address operator[](size_t l) const { return lane[l]; }
};
using lds_addresses = lane_addresses<u32>;
struct memory_addresses : lane_addresses<u64> {
    // An address of the host is that of the device.
    std::byte* pointer(size_t l) const {
        return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(lane[l]));
    }
};

template <class Address>
struct address_span {
    Address lowest = std::numeric_limits<Address>::max();
    Address highest = 0;
    Address bits = 0;  // that are set in any of them; where is_run, those that tell their alignment
    bool is_run = false;
};

// Whether the accesses of `bytes` bytes of all lanes follow each other, and none wraps around.
template <class Address>
bool follow_each_other(const lane_addresses<Address>& at, Address bytes) {
    constexpr size_t last = lane_count - 1;
    if (at[last] < at[0] || at[last] - at[0] != last * bytes) {
        return false;
    }
    Address differences = 0;
    for (size_t l = 0; l < lane_count; ++l) {  // a loop for the vectorizer: no early end
        differences |= at[l] ^ (at[0] + static_cast<Address>(l) * bytes);
    }
    return differences == 0;
}

// Of accesses of `bytes` bytes by the lanes of `exec`.
template <class Address>
address_span<Address> span_of(const lane_addresses<Address>& at, u64 exec, int bytes) {
    const auto width = static_cast<Address>(bytes);
    if (exec == all_lanes && follow_each_other(at, width)) {
        // A power of two divides all of them if it divides the first one and the width.
        return {at[0], at[lane_count - 1], at[0] | width, true};
    }
    address_span<Address> span;
    const auto add = [&](size_t l) {
        span.lowest = std::min(span.lowest, at[l]);
        span.highest = std::max(span.highest, at[l]);
        span.bits |= at[l];
    };
    if (exec != all_lanes) [[unlikely]] {
        for_lanes(exec, [&](int lane) { add(static_cast<size_t>(lane)); });
        return span;
    }
    if constexpr (sizeof(Address) == 8) {
        // From the first one all are nearly always within 31 bits. Of 32 bits vectors of the host
        // find the smallest and the largest in one instruction.
        const Address origin = at[0] - 0x80000000u;
        Address all = 0;
        address_span<u32> distance;
        for (size_t l = 0; l < lane_count; ++l) {
            const Address d = at[l] - origin;
            all |= d;
            span.bits |= at[l];
            distance.lowest = std::min(distance.lowest, static_cast<u32>(d));
            distance.highest = std::max(distance.highest, static_cast<u32>(d));
        }
        if (all >> 32 == 0) [[likely]] {
            return {origin + distance.lowest, origin + distance.highest, span.bits, false};
        }
    }
    for (size_t l = 0; l < lane_count; ++l) {
        add(l);
    }
    return span;
}

// What one access moves: the dwords of lane l from l * A.dwords() on. Uninitialised on purpose.
template <access A>
struct lane_values {
    alignas(64) u32 dword[lane_count * A.dwords()];
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(dword); }
};

// Whether what the lanes access lies in memory as it does in lane_values.
template <access A>
bool is_block(const memory_addresses& at) {
    return at.is_run && A.bytes == 4 * A.dwords();
}

// The registers `data` of the lanes of `exec` from their addresses of the host.
template <access A>
void load_rows(lane_row* data, u64 exec, const memory_addresses& at) {
    constexpr size_t dwords = A.dwords();
    if constexpr (dwords == 1) {
        if (is_block<A>(at)) {
            std::memcpy(data[0].lane.data(), at.pointer(0), sizeof data[0].lane);
            return;
        }
        for_each_lane_inline(exec, [&](int lane) {
            const size_t l = static_cast<size_t>(lane);
            u32 value = 0;
            std::memcpy(&value, at.pointer(l), A.bytes);
            data[0].lane[l] = loaded_value<A>(value, data[0].lane[l]);
        });
        return;
    }
    lane_values<A> values;
    if (is_block<A>(at)) {
        std::memcpy(values.dword, at.pointer(0), sizeof values.dword);
    } else {
        for_each_lane_inline(exec, [&](int lane) {
            const size_t l = static_cast<size_t>(lane);
            std::memcpy(&values.dword[l * dwords], at.pointer(l), A.bytes);
        });
    }
    for_each_lane_inline(exec, [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        for (size_t d = 0; d < dwords; ++d) {
            data[d].lane[l] = values.dword[l * dwords + d];
        }
    });
}

// What a store of all lanes writes.
template <access A>
void gather_rows(const lane_row* data, lane_values<A>& values) {
    constexpr size_t dwords = A.dwords();
    for (size_t l = 0; l < lane_count; ++l) {
        for (size_t d = 0; d < dwords; ++d) {
            values.dword[l * dwords + d] = data[d].lane[l];
        }
        values.dword[l * dwords] = stored_value<A>(values.dword[l * dwords]);
    }
}

// In the order of the lanes: of several that write to a byte the highest wins.
template <access A>
void store_values(const lane_values<A>& values, u64 exec, const memory_addresses& at) {
    if (is_block<A>(at)) {
        std::memcpy(at.pointer(0), values.dword, sizeof values.dword);
        return;
    }
    for_each_lane_inline(exec, [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        std::memcpy(at.pointer(l), &values.dword[l * A.dwords()], A.bytes);
    });
}

// ---- memory of the device ----

// What one instruction does with memory.
struct memory_use {
    int bytes;  // of a lane
    lds_use use;
    u32 reg = no_register;              // the first register of the data
    bool needs_old = false;             // of an atomic, as memory_access
    const std::byte* values = nullptr;  // of a write, as for find_lds()
};

// Marks what is written and tells who looks.
// @pre the group's recent_ranges have found all of it, in one range
inline void note_memory(const memory_access& a) {
    if (a.lanes == 0) {
        return;
    }
    const tracked_range range = a.w.group->ranges.last();
    const auto mark = [&](lds_use use) {
        if (a.use == use && range.written != nullptr && !range.written->is_complete()) {
            note_written(range, a);
        }
    };
    mark(lds_use::write);
    if (a.w.seen_by != nullptr) {
        a.w.seen_by->memory(a);
    }
    mark(lds_use::atomic);
}

inline void note_memory(wave& w, const instruction& i, u64 exec, const memory_addresses& at,
                        const memory_use& m) {
    note_memory({w, i, exec, at.lane, m.bytes, m.use, m.reg, m.needs_old, m.values,
                 std::max<size_t>(static_cast<size_t>(m.bytes), 4), at.is_run});
}

// The same of one lane; `value` is what it writes.
inline void note_lane(wave& w, const instruction& i, int lane, u64 address, const memory_use& m,
                      const std::byte* value) {
    memory_addresses at;
    at.lane[lane] = address;
    note_memory({w, i, u64{1} << lane, at.lane, m.bytes, m.use, m.reg, m.needs_old, value});
}

// ---- LDS ----

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
    if (w.seen_by != nullptr) {
        u32 at[lane_count] = {};
        at[lane] = static_cast<u32>(address);
        w.seen_by->lds({w, i, u64{1} << lane, at, static_cast<u32>(bytes), use,
                        static_cast<const std::byte*>(value)});
    }
    return lds.data() + address;
}

// The lanes of `exec` whose bytes follow those of the lane before, which is one of them, too.
inline u64 followers_of(const lds_addresses& at, u64 exec, u32 bytes) {
    using lanes = u32 __attribute__((ext_vector_type(lane_count)));
    using flags = bool __attribute__((ext_vector_type(lane_count)));
    lanes own;
    lanes next{};
    std::memcpy(&own, at.lane, sizeof own);
    std::memcpy(&next, at.lane + 1, sizeof at.lane - sizeof at.lane[0]);
    const auto is_next = std::bit_cast<u64>(__builtin_convertvector(next == own + bytes, flags));
    return (is_next & exec) << 1 & exec;
}

// The same for all lanes of `exec`, which get addresses of the host; `values` are whole dwords for
// each lane. Lanes are looked at one by one only if one of them may have to be reported.
inline memory_addresses find_lds(const wave& w, const instruction& i, u64 exec,
                                 const lds_addresses& at, int bytes, lds_use use,
                                 const std::byte* values = nullptr) {
    memory_addresses found;
    std::vector<std::byte>& lds = w.group->lds;
    const size_t width = static_cast<size_t>(bytes);
    const size_t stride = std::max<size_t>(width, 4);
    const auto span = span_of(at, exec, bytes);
    const u32 alignment_check = use == lds_use::atomic ? check::alignment : check::lds_alignment;
    const bool may_be_unaligned =
        (w.checks & alignment_check) != 0 && (span.bits & (std::bit_ceil(width) - 1)) != 0;
    if (u64{span.highest} + width > lds.size() || may_be_unaligned) [[unlikely]] {
        for_lanes(exec, [&](int lane) {
            const size_t l = static_cast<size_t>(lane);
            const std::byte* value = values == nullptr ? nullptr : values + l * stride;
            found.lane[l] = device_address(lds_bytes(w, i, lane, at[l], bytes, use, value));
        });
        return found;
    }
    if (w.seen_by != nullptr) {
        const u32 step = static_cast<u32>(bytes);
        const u64 followers = span.is_run ? all_lanes << 1 : followers_of(at, exec, step);
        w.seen_by->lds({w, i, exec, at.lane, step, use, values, stride, followers});
    }
    found.is_run = span.is_run;
    const u64 base = device_address(lds.data());
    for (size_t l = 0; l < lane_count; ++l) {
        found.lane[l] = base + at[l];
    }
    return found;
}

// What a load to LDS has loaded: dwords, to which bytes and words are extended. They go to M0[17:0] +
// offset + lane * S, S = 4 up to a dword, else 16 (ISA guide 9.1.9).
template <access A>
class loaded_lanes {
public:
    void put(int lane, const void* memory) {
        u32* value = &values_.dword[static_cast<size_t>(lane) * A.dwords()];
        value[0] = 0;
        std::memcpy(value, memory, A.bytes);
        value[0] = A.bytes < 4 ? loaded_value<A>(value[0], 0) : value[0];
    }

    void store(wave& w, const instruction& i, u64 exec, u64 offset) const {
        constexpr u64 step = A.bytes <= 4 ? 4 : 16;
        constexpr access whole{A.dwords() * 4};
        const u64 base = ((w.sgpr[sreg::m0] & 0x3ffff) + offset) & ~u64{3};
        lds_addresses at;
        for (size_t l = 0; l < lane_count; ++l) {
            at.lane[l] = static_cast<u32>(base + l * step);
        }
        store_values(values_, exec,
                     find_lds(w, i, exec, at, whole.bytes, lds_use::write, values_.bytes()));
    }

private:
    lane_values<access{A.dwords() * 4}> values_;
};

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
    add_float,
    min_float,
    max_float,
    pk_add_f16,
    pk_add_bf16,
    mskor,          // (old & ~data) | compare
    wrap,           // old - data, or old + compare where that is negative
    cmpswap_float,  // NaN differs from everything, -0 equals 0
};

struct named_atomic {
    const char* name;
    atomic_op op;
    int bytes = 4;
};

// Those of buffer, flat and global. Of the first ones there is one of 8 bytes, too: NAME_x2.
inline constexpr named_atomic atomics[] = {
    {"swap", atomic_op::swap}, {"cmpswap", atomic_op::cmpswap}, {"add", atomic_op::add},
    {"sub", atomic_op::sub},   {"smin", atomic_op::smin},       {"umin", atomic_op::umin},
    {"smax", atomic_op::smax}, {"umax", atomic_op::umax},       {"and", atomic_op::and_},
    {"or", atomic_op::or_},    {"xor", atomic_op::xor_},        {"inc", atomic_op::inc},
    {"dec", atomic_op::dec},
};
inline constexpr named_atomic float_atomics[] = {
    {"add_f32", atomic_op::add_float},       {"pk_add_f16", atomic_op::pk_add_f16},
    {"pk_add_bf16", atomic_op::pk_add_bf16}, {"add_f64", atomic_op::add_float, 8},
    {"min_f64", atomic_op::min_float, 8},    {"max_f64", atomic_op::max_float, 8},
};
template <int Bytes>
using atomic_type = std::conditional_t<Bytes == 8, u64, u32>;

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
    using number = std::conditional_t<sizeof(T) == 4, f32, f64>;
    const auto less = [](T a, T b) { return static_cast<signed_t>(a) < static_cast<signed_t>(b); };
    const number a = std::bit_cast<number>(old);
    const number b = std::bit_cast<number>(data);
    switch (Op) {
        case atomic_op::swap:
            return data;
        case atomic_op::cmpswap:
            return old == compare ? data : old;
        case atomic_op::add:
            return old + data;
        case atomic_op::sub:
            return old - data;
        case atomic_op::rsub:
            return data - old;
        case atomic_op::smin:
            return less(old, data) ? old : data;
        case atomic_op::umin:
            return std::min(old, data);
        case atomic_op::smax:
            return less(old, data) ? data : old;
        case atomic_op::umax:
            return std::max(old, data);
        case atomic_op::and_:
            return old & data;
        case atomic_op::or_:
            return old | data;
        case atomic_op::xor_:
            return old ^ data;
        case atomic_op::inc:
            return old >= data ? 0 : old + 1;
        case atomic_op::dec:
            return old == 0 || old > data ? data : old - 1;
        case atomic_op::mskor:
            return (old & ~data) | compare;
        case atomic_op::wrap:
            return old >= data ? old - data : old + compare;
        case atomic_op::cmpswap_float:
            return a == std::bit_cast<number>(compare) ? data : old;
        case atomic_op::add_float:
            return std::bit_cast<T>(a + b);
        case atomic_op::min_float:
            return std::bit_cast<T>(minimum<true>(a, b));
        case atomic_op::max_float:
            return std::bit_cast<T>(maximum<true>(a, b));
        case atomic_op::pk_add_f16:
            return packed_add_f16(static_cast<u32>(old), static_cast<u32>(data));
        case atomic_op::pk_add_bf16:
            return packed_add_bf16(static_cast<u32>(old), static_cast<u32>(data));
    }
}

constexpr bool is_cmpswap(atomic_op op) {
    return op == atomic_op::cmpswap || op == atomic_op::cmpswap_float;
}

constexpr bool has_compare(atomic_op op) {
    return is_cmpswap(op) || op == atomic_op::mskor || op == atomic_op::wrap;
}

// Whether what was in memory decides anything: not where it is replaced and given to nobody.
template <atomic_op Op>
bool needs_old(const instruction& i) {
    return Op != atomic_op::swap || i.has(mod::sc0);
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

// An atomic of the lane at memory of the device. `result` gets the old value; nullptr: nobody does.
// @pre data and result have the rows that Op needs
template <atomic_op Op, class T>
void apply_atomic(const wave& w, const instruction& i, int lane, std::byte* pointer,
                  const lane_row* data, lane_row* result) {
    const size_t l = static_cast<size_t>(lane);
    std::byte* memory = aligned_atomic<T>(w, i, lane, pointer);
    constexpr size_t rows = sizeof(T) / 4;
    const T compare = has_compare(Op) ? read_lane_value<T>(data + rows, l) : T{0};
    const T old = apply_atomic<Op, T>(memory, read_lane_value<T>(data, l), compare);
    if (result != nullptr) {
        write_lane_value<T>(result, l, old);
    }
}

// What buffer, flat, global and scratch have in common.
struct memory_table : row_list {
    // Accesses: load<A>() and store<A>() are the handlers.
    template <class Load, class Store>
    void add_accesses(const std::string& prefix, address_kind kind, u64 flags, u64 to_lds,
                      Load&& load, Store&& store) {
        for_each_of<loads>([&]<size_t N>() {
            constexpr access a = loads[N].what;
            add(prefix + "load_" + loads[N].name, load.template operator()<a>(),
                flags | (may_go_to_lds(a) ? to_lds : 0), access_of(kind, access_use::read, a));
        });
        for_each_of<stores>([&]<size_t N>() {
            constexpr access a = stores[N].what;
            add(prefix + "store_" + stores[N].name, store.template operator()<a>(), flags,
                access_of(kind, access_use::write, a));
        });
    }
    // atomic<Op, T>() is the handler.
    template <class Atomic>
    void add_atomics(const std::string& prefix, address_kind kind, u64 flags, Atomic&& atomic) {
        for_each_of<atomics>([&]<size_t N>() {
            const std::string name = prefix + "atomic_" + atomics[N].name;
            add(name, atomic.template operator()<atomics[N].op, u32>(), flags,
                access_of(kind, access_use::atomic, {4}));
            add(name + "_x2", atomic.template operator()<atomics[N].op, u64>(), flags,
                access_of(kind, access_use::atomic, {8}));
        });
        for_each_of<float_atomics>([&]<size_t N>() {
            constexpr named_atomic a = float_atomics[N];
            add(prefix + "atomic_" + a.name,
                atomic.template operator()<a.op, atomic_type<a.bytes>>(), flags,
                access_of(kind, access_use::atomic, {a.bytes}),
                kind == address_kind::buffer && a.op == atomic_op::pk_add_bf16);
        });
    }
};

}  // namespace emu::inline OPUS_EMU_LEVEL
