// MUBUF (ISA guide chapter 9, 12.13). Linear buffers go lanes at once, the others lane by lane.
#include "isa/buffer_rule.hpp"
#include "isa/memory_ops.hpp"
#include "machine/memory.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

buffer_resource read_resource(const wave& w, const instruction& i, const operand& o) {
    if (o.kind != operand_kind::sgpr || o.dwords != buffer_resource::words) {
        fail(w, i, "four scalar registers expected");
    }
    check_sgpr(w, i, o.reg, buffer_resource::words);
    return buffer_resource(&w.sgpr[o.reg]);
}

// The byte in the buffer at which each lane's access begins: voffset + imm wraps at 32 bits,
// soffset is added without wrap-around and counts in the range check. (With
// OPUS_EMU_BUFFER_SUM=wraps that sum wraps, too, where bytes are checked.)
struct buffer_address {
    buffer_rule buffer;
    const u32* index = nullptr;
    const u32* voffset = nullptr;
    u32 imm = 0;
    u64 soffset = 0;
    u64 sum_bits = ~u64{0};

    // `first` is the operand that holds vaddr (or "off"); resource and soffset follow it.
    buffer_address(wave& w, const instruction& i, int first, int bytes)
        : buffer(read_resource(w, i, i.operands[static_cast<size_t>(first + 1)]),
                 i.has(mod::idxen)) {
        const operand& vaddr = i.operands[static_cast<size_t>(first)];
        soffset = read_scalar<u32>(w, i, i.operands[static_cast<size_t>(first + 2)]);
        imm = static_cast<u32>(i.offset);
        sum_bits >>= w.group->buffer_sum_wraps && buffer.range == buffer_range::bytes ? 32 : 0;
        if (vaddr.kind != operand_kind::off) {
            const int indices = i.has(mod::idxen) ? 1 : 0;
            const int offsets = i.has(mod::offen) ? 1 : 0;
            if (indices + offsets == 0) {
                fail(w, i, "vaddr without offen and idxen");
            }
            // The index comes first.
            const lane_row* rows = register_rows(w, i, vaddr, indices + offsets);
            index = indices == 0 ? nullptr : rows[0].lane.data();
            voffset = offsets == 0 ? nullptr : rows[indices].lane.data();
        }
        if (buffer.swizzles) [[unlikely]] {
            refuse_open(w, i, static_cast<u32>(bytes));
        }
    }

    u32 index_of(int lane) const { return index == nullptr ? 0 : index[lane]; }
    u32 offset_of(int lane) const { return (voffset == nullptr ? 0 : voffset[lane]) + imm; }
    u64 byte(int lane) const {
        return (buffer.place(index_of(lane), offset_of(lane), static_cast<u32>(lane)) + soffset) &
               sum_bits;
    }

    // Whether the bytes, which are of the lane's access, are in the buffer.
    bool in_range(int lane, u64 byte, int bytes) const {
        return buffer.holds(index_of(lane), byte, static_cast<u32>(bytes));
    }

    // The addresses of the lanes of `exec`. False, and there are none, if the lanes have to be looked
    // at one by one: where one is out of range, or may have to be reported.
    bool find_memory(wave& w, const instruction& i, u64 exec, memory_addresses& at,
                     const memory_use& m) const {
        if (exec == 0 || !buffer.is_linear()) {
            return exec == 0;
        }
        lane_addresses<u32> offsets;
        for (size_t l = 0; l < lane_count; ++l) {
            offsets.lane[l] = (voffset == nullptr ? 0 : voffset[l]) + imm;
        }
        const auto span = span_of(offsets, exec, m.bytes);
        if (!buffer.holds(0, span.highest + soffset, static_cast<u32>(m.bytes))) {
            return false;
        }
        const u64 first = buffer.base + soffset;
        // 4 divides the sums if it divides what is added.
        const bool may_be_unaligned = m.bytes >= 4 && ((first | span.bits) & 3) != 0;
        const u64 end = first + span.highest + static_cast<u64>(m.bytes);
        if (may_be_unaligned ||
            !w.group->ranges.hold(first + span.lowest, end, m.use != lds_use::read)) {
            return false;
        }
        for (size_t l = 0; l < lane_count; ++l) {
            at.lane[l] = first + offsets.lane[l];
        }
        at.is_run = span.is_run;
        note_memory(w, i, exec, at, m);
        return true;
    }

    void note_range(const wave& w, const instruction& i, u64 exec, int bytes) const {
        if (w.seen_by == nullptr || !w.seen_by->wants_buffer_range) [[likely]] {
            return;
        }
        u64 outside = 0;
        for_lanes(exec,
                  [&](int lane) { outside |= u64{!in_range(lane, byte(lane), bytes)} << lane; });
        w.seen_by->buffer_range(w, i, exec, outside);
    }

    // `value` is what is going to be written, if something is.
    std::byte* host(wave& w, const instruction& i, int lane, u64 byte, const memory_use& m,
                    const void* value = nullptr) const {
        std::byte* pointer = find(w, i, lane, byte, m.bytes, m.use != lds_use::read);
        if (pointer != nullptr) [[likely]] {
            note_lane(w, i, lane, device_address(pointer), m, static_cast<const std::byte*>(value));
            return pointer;
        }
        return fail_access(w, i, lane,
                           m.use == lds_use::read    ? "buffer load"
                           : m.use == lds_use::write ? "buffer store"
                                                     : "buffer atomic",
                           buffer.base + byte, m.bytes);
    }

private:
    // What a swizzled buffer has no documented meaning for.
    void refuse_open(const wave& w, const instruction& i, u32 bytes) const {
        if (const char* question = buffer.open_question()) {
            fail(w, i, question);
        }
        for_lanes(w.exec(), [&](int lane) {
            if (!buffer.fits_element(offset_of(lane), bytes)) {
                fail(w, i,
                     "lane " + std::to_string(lane) + ": " + std::to_string(bytes) +
                         " bytes at offset " + std::to_string(offset_of(lane)) +
                         " are not in one element of 4 bytes of a swizzled buffer (ISA guide "
                         "9.1.5.2: cannot be)");
            }
        });
    }

    // nullptr where the bytes are not memory.
    std::byte* find(const wave& w, const instruction& i, int lane, u64 byte, int bytes,
                    bool is_write) const {
        // Base plus offset is an address of 48 bits.
        u64 address = buffer.base + byte;
        // The two low bits of the address of a dword are dropped (ISA guide 9.1.7).
        if (bytes >= 4 && address % 4 != 0 && (w.checks & check::alignment) != 0) [[unlikely]] {
            report_alignment(w, i, lane, address, 4);
            address &= ~u64{3};
        }
        return w.group->ranges.translate(address, static_cast<u32>(bytes), is_write);
    }
};

// Reads one lane: each dword is in range or reads 0 on its own.
template <int Bytes>
void read_buffer(wave& w, const instruction& i, const buffer_address& at, int lane, u32 reg,
                 u32* result) {
    const u64 byte = at.byte(lane);
    if (at.in_range(lane, byte, Bytes)) [[likely]] {
        result[0] = 0;
        std::memcpy(result, at.host(w, i, lane, byte, {Bytes, lds_use::read, reg}), Bytes);
        return;
    }
    if constexpr (Bytes <= 4) {
        result[0] = 0;
    } else {
        for (int d = 0; d < Bytes / 4; ++d) {
            result[d] = 0;
            const u64 dword = byte + 4 * static_cast<u64>(d);
            if (at.in_range(lane, dword, 4)) {
                const u32 part = reg == no_register ? reg : reg + static_cast<u32>(d);
                std::memcpy(&result[d], at.host(w, i, lane, dword, {4, lds_use::read, part}), 4);
            }
        }
    }
}

// buffer_load ... lds: text vaddr or off, resource, soffset. Lanes out of range write zeros.
template <access A>
void load_to_lds(wave& w, const instruction& i) {
    const buffer_address at(w, i, 0, A.bytes);
    if (static_cast<u32>(A.bytes) > info_of(i.target).lds_load_bytes) {
        fail(w, i, "loads to LDS of more than a dword exist on gfx950 only");
    }
    check_lds_base(w, i);
    const u64 exec = w.exec();
    at.note_range(w, i, exec, A.bytes);
    memory_addresses lanes;
    loaded_lanes<A> loaded;
    if (at.find_memory(w, i, exec, lanes, {A.bytes, lds_use::read})) [[likely]] {
        for_lanes(exec,
                  [&](int lane) { loaded.put(lane, lanes.pointer(static_cast<size_t>(lane))); });
    } else {
        for_lanes(exec, [&](int lane) {
            u32 value[A.dwords()];
            read_buffer<A.bytes>(w, i, at, lane, no_register, value);
            loaded.put(lane, value);
        });
    }
    loaded.store(w, i, exec, at.imm);
}

// Text: vdata, vaddr or off, resource, soffset.
template <access A>
void load(wave& w, const instruction& i) {
    if (i.has(mod::lds)) {
        load_to_lds<A>(w, i);
        return;
    }
    const buffer_address at(w, i, 1, A.bytes);
    constexpr int dwords = A.dwords();
    lane_row* data = register_rows(w, i, i.operands[0], dwords);
    const u64 exec = w.exec();
    at.note_range(w, i, exec, A.bytes);
    memory_addresses lanes;
    const u32 reg = first_register(i.operands[0]);
    if (at.find_memory(w, i, exec, lanes, {A.bytes, lds_use::read, reg})) [[likely]] {
        load_rows<A>(data, exec, lanes);
        return;
    }
    lane_values<A> values;  // the data registers may include vaddr
    for_lanes(exec, [&](int lane) {
        read_buffer<A.bytes>(w, i, at, lane, reg, &values.dword[lane * dwords]);
    });
    for (size_t l = 0; l < lane_count; ++l) {
        lanes.lane[l] = device_address(values.bytes() + 4 * l * dwords);
    }
    load_rows<A>(data, exec, lanes);
}

template <access A>
void store(wave& w, const instruction& i) {
    const buffer_address at(w, i, 1, A.bytes);
    constexpr size_t dwords = A.dwords();
    lane_values<A> values;
    gather_rows<A>(register_rows(w, i, i.operands[0], A.dwords()), values);
    const u64 exec = w.exec();
    at.note_range(w, i, exec, A.bytes);
    memory_addresses lanes;
    const u32 reg = first_register(i.operands[0]);
    if (at.find_memory(w, i, exec, lanes, {A.bytes, lds_use::write, reg, false, values.bytes()}))
        [[likely]] {
        store_values<A>(values, exec, lanes);
        return;
    }
    for_lanes(exec, [&](int lane) {
        const u32* value = &values.dword[static_cast<size_t>(lane) * dwords];
        const u64 byte = at.byte(lane);
        if (at.in_range(lane, byte, A.bytes)) {
            std::memcpy(at.host(w, i, lane, byte, {A.bytes, lds_use::write, reg}, value), value,
                        A.bytes);
            return;
        }
        if constexpr (A.bytes > 4) {
            for (size_t d = 0; d < dwords; ++d) {
                const u64 dword = byte + 4 * d;
                if (at.in_range(lane, dword, 4)) {
                    const u32 part = reg + static_cast<u32>(d);
                    std::memcpy(at.host(w, i, lane, dword, {4, lds_use::write, part}, &value[d]),
                                &value[d], 4);
                }
            }
        }
    });
}

// Text: vdata, vaddr or off, resource, soffset; sc0 returns the old value. cmpswap's vdata is
// {data, compare}. Out of range: error, because the hardware may fault (atomics are not dropped).
template <atomic_op Op, class T>
void atomic(wave& w, const instruction& i) {
    const buffer_address at(w, i, 1, sizeof(T));
    constexpr int dwords = sizeof(T) / 4;
    lane_row* data = register_rows(w, i, i.operands[0], has_compare(Op) ? 2 * dwords : dwords);
    const bool returns = i.has(mod::sc0);
    for_lanes(w.exec(), [&](int lane) {
        const u64 byte = at.byte(lane);
        if (!at.in_range(lane, byte, sizeof(T))) {
            fail_bounds(w, i, "lane " + std::to_string(lane) + ": buffer atomic out of range");
            if (returns) {
                write_lane_value<T>(data, static_cast<size_t>(lane), T{0});
            }
            return;
        }
        apply_atomic<Op, T>(
            w, i, lane,
            at.host(w, i, lane, byte, {sizeof(T), lds_use::atomic, no_register, needs_old<Op>(i)}),
            data, returns ? data : nullptr);
    });
}

void nothing(wave&, const instruction&) {}

// Caches aren't modelled: sc0, sc1 and nt of loads and stores change nothing.
constexpr u64 cache = mod::sc0 | mod::sc1 | mod::nt;
constexpr u64 plain = mod::offset | mod::offen | mod::idxen | cache;

struct buffer_table : memory_table {
    buffer_table() {
        constexpr address_kind kind = address_kind::buffer;
        add_accesses(
            "buffer_", kind, plain, mod::lds, []<access A>() { return load<A>; },
            []<access A>() { return store<A>; });
        add_atomics("buffer_", kind, plain, []<atomic_op Op, class T>() { return atomic<Op, T>; });
        add("buffer_wbl2", nothing, cache);
        add("buffer_inv", nothing, cache);
    }
};

}  // namespace

std::span<const instruction_row> buffer_rows() {
    static const buffer_table table;
    return table.rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
