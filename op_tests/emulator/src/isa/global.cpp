// GLOBAL, FLAT and SCRATCH (ISA guide chapter 10, 12.15).
#include <cstdio>

#include "isa/memory_ops.hpp"
#include "isa/values.hpp"
#include "machine/memory.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

enum class space { global, flat, scratch };

// Where the bytes of one lane are.
struct flat_address {
    const instruction* i;
    const lane_row* vector = nullptr;  // one dword, or two for an address of 64 bits
    bool vector_is_address = false;
    u64 scalar = 0;

    // Global: vaddr 64 bits with "off", or vaddr 32 bits with a scalar base.
    // Scratch: the sum of an optional vaddr and an optional scalar, both 32 bits.
    template <space Space>
    static flat_address make(wave& w, const instruction& i, size_t vaddr, size_t saddr) {
        flat_address result;
        result.i = &i;
        const operand& v = i.operands[vaddr];
        const bool has_scalar =
            saddr < i.operand_count && i.operands[saddr].kind == operand_kind::sgpr;
        if (has_scalar) {
            const operand& s = i.operands[saddr];
            result.scalar = Space == space::scratch ? u64{read_scalar<u32>(w, i, s)}
                                                    : read_scalar<u64>(w, i, s);
        }
        if (is_vector(v)) {
            result.vector_is_address = Space != space::scratch && !has_scalar;
            result.vector = register_rows(w, i, v, result.vector_is_address ? 2 : 1);
        }
        return result;
    }

    memory_addresses of_lanes() const {
        const u64 base = scalar + static_cast<u64>(static_cast<i64>(i->offset));
        memory_addresses at;
        if (vector == nullptr) {
            std::ranges::fill(at.lane, base);
        } else if (vector_is_address) {
            for (size_t l = 0; l < lane_count; ++l) {
                at.lane[l] = base + (u64{vector[0].lane[l]} | u64{vector[1].lane[l]} << 32);
            }
        } else {
            for (size_t l = 0; l < lane_count; ++l) {
                at.lane[l] = base + vector[0].lane[l];
            }
        }
        return at;
    }
};

std::byte* private_bytes(wave& w, const instruction& i, int lane, u64 offset, int bytes) {
    // Scratch addresses are 32 bits; a negative immediate may wrap.
    offset &= 0xffffffff;
    if (offset + static_cast<u64>(bytes) > w.scratch_per_lane) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "lane %d: private access of %d bytes at %llu, a lane has %u bytes", lane,
                      bytes, static_cast<unsigned long long>(offset), w.scratch_per_lane);
        return fail_bounds(w, i, text + written_value(w, i, lane, offset, bytes));
    }
    return w.scratch.data() + static_cast<u64>(lane) * w.scratch_per_lane + offset;
}

// The memory of one lane's access.
template <space Space>
std::byte* host(wave& w, const instruction& i, int lane, u64 address, const memory_use& m) {
    if constexpr (Space == space::scratch) {
        return private_bytes(w, i, lane, address, m.bytes);
    }
    const size_t before = static_cast<size_t>(lane) * static_cast<size_t>(std::max(m.bytes, 4));
    const std::byte* value = m.values == nullptr ? nullptr : m.values + before;
    if constexpr (Space == space::flat) {
        const u64 aperture = address & 0xffffffff00000000;
        if (aperture == shared_aperture) {
            return lds_bytes(w, i, lane, address & 0xffffffff, m.bytes, m.use, value);
        }
        if (aperture == private_aperture) {
            return private_bytes(w, i, lane, address & 0xffffffff, m.bytes);
        }
    }
    const bool is_write = m.use != lds_use::read;
    std::byte* pointer = w.group->ranges.translate(address, static_cast<u32>(m.bytes), is_write);
    if (pointer == nullptr) {
        return fail_access(w, i, lane, is_write ? "store" : "load", address, m.bytes);
    }
    note_lane(w, i, lane, address, m, value);
    return pointer;
}

// Turns the addresses of the lanes of `exec` into those of the host. Nearly always all of them are in
// one range of memory, where they are the same.
template <space Space>
void find_memory(wave& w, const instruction& i, u64 exec, memory_addresses& at,
                 const memory_use& m) {
    if constexpr (Space != space::scratch) {
        const auto span = span_of(at, exec, m.bytes);
        const u64 end = span.highest + static_cast<u64>(m.bytes);
        if (span.highest < end && w.group->ranges.hold(span.lowest, end, m.use != lds_use::read))
            [[likely]] {
            at.is_run = span.is_run;
            note_memory(w, i, exec, at, m);
            return;
        }
    }
    for_lanes(exec, [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        at.lane[l] = reinterpret_cast<uintptr_t>(host<Space>(w, i, lane, at[l], m));
    });
}

// Text: vdst, vaddr, saddr.
template <space Space, access A>
void load(wave& w, const instruction& i) {
    memory_addresses at = flat_address::make<Space>(w, i, 1, 2).of_lanes();
    lane_row* data = register_rows(w, i, i.operands[0], A.dwords());
    const u64 exec = w.exec();
    find_memory<Space>(w, i, exec, at, {A.bytes, lds_use::read, first_register(i.operands[0])});
    load_rows<A>(data, exec, at);
}

// Text: vaddr, vdata, saddr.
template <space Space, access A>
void store(wave& w, const instruction& i) {
    memory_addresses at = flat_address::make<Space>(w, i, 0, 2).of_lanes();
    lane_values<A> values;
    gather_rows<A>(register_rows(w, i, i.operands[1], A.dwords()), values);
    const u64 exec = w.exec();
    find_memory<Space>(
        w, i, exec, at,
        {A.bytes, lds_use::write, first_register(i.operands[1]), false, values.bytes()});
    store_values<A>(values, exec, at);
}

// global_load_lds_*: text vaddr, saddr.
template <access A>
void load_to_lds(wave& w, const instruction& i) {
    memory_addresses at = flat_address::make<space::global>(w, i, 0, 1).of_lanes();
    check_lds_base(w, i);
    const u64 exec = w.exec();
    find_memory<space::global>(w, i, exec, at, {A.bytes, lds_use::read});
    loaded_lanes<A> loaded;
    for_lanes(exec, [&](int lane) { loaded.put(lane, at.pointer(static_cast<size_t>(lane))); });
    loaded.store(w, i, exec, static_cast<u64>(static_cast<i64>(i.offset)));
}

// Text: [vdst,] vaddr, vdata, saddr; sc0 returns the old value. cmpswap's vdata is {data, compare}.
template <space Space, atomic_op Op, class T>
void atomic(wave& w, const instruction& i) {
    const bool returns = i.has(mod::sc0);
    const size_t first = returns ? 1 : 0;
    memory_addresses at = flat_address::make<Space>(w, i, first, first + 2).of_lanes();
    constexpr int dwords = sizeof(T) / 4;
    const lane_row* data =
        register_rows(w, i, i.operands[first + 1], has_compare(Op) ? 2 * dwords : dwords);
    lane_row* result = returns ? register_rows(w, i, i.operands[0], dwords) : nullptr;
    const u64 exec = w.exec();
    find_memory<Space>(w, i, exec, at, {sizeof(T), lds_use::atomic, no_register, needs_old<Op>(i)});
    for_lanes(exec, [&](int lane) {
        apply_atomic<Op, T>(w, i, lane, at.pointer(static_cast<size_t>(lane)), data, result);
    });
}

// Caches aren't modelled.
constexpr u64 plain = mod::offset | mod::sc0 | mod::sc1 | mod::nt;

struct global_table : memory_table {
    template <space Space>
    void add_space(const std::string& prefix, address_kind kind) {
        add_accesses(
            prefix, kind, plain, 0, []<access A>() { return load<Space, A>; },
            []<access A>() { return store<Space, A>; });
        if constexpr (Space != space::scratch) {
            add_atomics(prefix, kind, plain,
                        []<atomic_op Op, class T>() { return atomic<Space, Op, T>; });
        }
    }

    global_table() {
        add_space<space::global>("global_", address_kind::global);
        add_space<space::flat>("flat_", address_kind::flat);
        add_space<space::scratch>("scratch_", address_kind::scratch);
        for_each_of<loads>([&]<size_t N>() {
            constexpr access a = loads[N].what;
            if constexpr (may_go_to_lds(a)) {
                access_plan plan = access_of(address_kind::global, access_use::read, a);
                plan.to_lds = true;
                add(std::string("global_load_lds_") + loads[N].name, load_to_lds<a>, plain, plan,
                    a.bytes > 4);
            }
        });
    }
};

}  // namespace

std::span<const instruction_row> global_rows() {
    static const global_table table;
    return table.rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
