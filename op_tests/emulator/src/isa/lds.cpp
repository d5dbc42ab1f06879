// LDS instructions (ISA guide chapter 11, 12.12). A wave's LDS addresses are relative to its group.
#include "isa/memory_ops.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

// Addresses are 32 bits wide and wrap: compilers pair a negative address with a larger offset.
u32 byte_address(const instruction& i, const lane_row& address, int lane) {
    return address.lane[static_cast<size_t>(lane)] + static_cast<u32>(i.offset);
}

lds_addresses byte_addresses(const lane_row& address, u32 offset) {
    lds_addresses at;
    for (size_t l = 0; l < lane_count; ++l) {
        at.lane[l] = address.lane[l] + offset;
    }
    return at;
}

// Text: vdst, addr.
template <access A>
void read(wave& w, const instruction& i) {
    lane_row* data = register_rows(w, i, i.operands[0], A.dwords());
    const lds_addresses at =
        byte_addresses(*register_rows(w, i, i.operands[1], 1), static_cast<u32>(i.offset));
    const u64 exec = w.exec();
    load_rows<A>(data, exec, find_lds(w, i, exec, at, A.bytes, lds_use::read));
}

// Text: addr, data.
template <access A>
void write(wave& w, const instruction& i) {
    const lds_addresses at =
        byte_addresses(*register_rows(w, i, i.operands[0], 1), static_cast<u32>(i.offset));
    lane_values<A> values;
    gather_rows<A>(register_rows(w, i, i.operands[1], A.dwords()), values);
    const u64 exec = w.exec();
    store_values<A>(values, exec,
                    find_lds(w, i, exec, at, A.bytes, lds_use::write, values.bytes()));
}

// The guide gives two results where both offsets are the same: only the first element is used
// (11.3.1), or the second one as well (pseudocode).
void check_offsets_differ(const wave& w, const instruction& i) {
    if (i.offset0 == i.offset1) {
        fail(w, i, "both offsets are the same; which of the two elements is written is unclear");
    }
}

// Two elements at address + offset * stride. Text: vdst, addr.
template <class T, u64 Stride>
void read2(wave& w, const instruction& i) {
    constexpr access element{sizeof(T)};
    constexpr u32 step = static_cast<u32>(sizeof(T) * Stride);
    lane_row* data = register_rows(w, i, i.operands[0], 2 * element.dwords());
    const lane_row address = *register_rows(w, i, i.operands[1], 1);
    const u64 exec = w.exec();
    const u32 offsets[] = {i.offset0 * step, i.offset1 * step};
    for (int n = 0; n < 2; ++n) {
        const lds_addresses at = byte_addresses(address, offsets[n]);
        load_rows<element>(data + n * element.dwords(), exec,
                           find_lds(w, i, exec, at, element.bytes, lds_use::read));
    }
}

// Text: addr, data0, data1.
template <class T, u64 Stride>
void write2(wave& w, const instruction& i) {
    constexpr access element{sizeof(T)};
    constexpr u32 step = static_cast<u32>(sizeof(T) * Stride);
    check_offsets_differ(w, i);
    const lane_row& address = *register_rows(w, i, i.operands[0], 1);
    lane_values<element> values[2];
    gather_rows<element>(register_rows(w, i, i.operands[1], element.dwords()), values[0]);
    gather_rows<element>(register_rows(w, i, i.operands[2], element.dwords()), values[1]);
    const u64 exec = w.exec();
    const u32 offsets[] = {i.offset0 * step, i.offset1 * step};
    memory_addresses found[2];
    for (int n = 0; n < 2; ++n) {
        found[n] = find_lds(w, i, exec, byte_addresses(address, offsets[n]), element.bytes,
                            lds_use::write, values[n].bytes());
    }
    // Both of a lane before those of the next one.
    for_lanes(exec, [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        for (int n = 0; n < 2; ++n) {
            std::memcpy(found[n].pointer(l), &values[n].dword[l * element.dwords()], sizeof(T));
        }
    });
}

// Float atomics of LDS flush denormals as MODE says, all round to nearest even; f64 sums keep theirs
// (ISA guide 9.2, table 53).
template <class T>
constexpr bool obeys_mode(atomic_op op) {
    return (op == atomic_op::add_float && sizeof(T) == 4) || op == atomic_op::min_float ||
           op == atomic_op::max_float || op == atomic_op::pk_add_f16 ||
           op == atomic_op::pk_add_bf16;
}

// Comparing, denormals count as zeros, but one that is chosen is stored as it is.
template <auto Choose, class T>
T chosen(T a, T b) {
    const T result = Choose(flush(a), flush(b));
    return to_bits(result) == to_bits(flush(a))   ? a
           : to_bits(result) == to_bits(flush(b)) ? b
                                                  : result;  // a NaN that was quieted
}

// A half of a packed sum. bf16 has the exponents of f32 and, as the guide groups it with f16, its
// mode.
template <atomic_op Op>
u32 half_sum_in_mode(bool flush_in, bool flush_out, u32 a, u32 b) {
    constexpr u32 exponent = Op == atomic_op::pk_add_f16 ? 0x7c00 : 0x7f80;
    const auto flushed = [](u32 half, bool does) {
        return does && (half & exponent) == 0 ? half & 0x8000 : half;
    };
    const u32 sum = atomic_result<Op, u32>(flushed(a, flush_in), flushed(b, flush_in), 0) & 0xffff;
    return flushed(sum, flush_out);
}

template <atomic_op Op, class T>
T result_in_mode(u32 mode, T old, T data) {
    const bool flush_single_in = (mode & mode_bit::denorm_f32_in) == 0;
    const bool flush_single_out = (mode & mode_bit::denorm_f32_out) == 0;
    const bool flush_half_in = (mode & mode_bit::denorm_f16_f64_in) == 0;
    const bool flush_half_out = (mode & mode_bit::denorm_f16_f64_out) == 0;
    if constexpr (Op == atomic_op::pk_add_f16 || Op == atomic_op::pk_add_bf16) {
        const auto half = [&](int shift) {
            return half_sum_in_mode<Op>(flush_half_in, flush_half_out, old >> shift & 0xffff,
                                        data >> shift & 0xffff);
        };
        return half(0) | half(16) << 16;
    } else if constexpr (Op == atomic_op::add_float && sizeof(T) == 4) {
        const f32 a = std::bit_cast<f32>(old);
        const f32 b = std::bit_cast<f32>(data);
        const f32 sum = flush_single_in ? flush(a) + flush(b) : a + b;
        return std::bit_cast<T>(flush_single_out ? flush(sum) : sum);
    } else if constexpr (obeys_mode<T>(Op)) {
        using number = std::conditional_t<sizeof(T) == 4, f32, f64>;
        const number a = std::bit_cast<number>(old);
        const number b = std::bit_cast<number>(data);
        constexpr bool is_minimum = Op == atomic_op::min_float;
        constexpr auto choose = [](number x, number y) {
            return is_minimum ? minimum<true>(x, y) : maximum<true>(x, y);
        };
        const bool flushes = sizeof(T) == 4 ? flush_single_in : flush_half_in;
        return std::bit_cast<T>(flushes ? chosen<choose>(a, b) : choose(a, b));
    } else {
        return old;  // never asked for
    }
}

// Text: [vdst,] addr, data0[, data1]. cmpst compares with data0 and writes data1, the other way
// round than the atomics of memory. Lanes go in ascending order.
template <atomic_op Op, class T, bool Returns>
void atomic(wave& w, const instruction& i) {
    constexpr int dwords = sizeof(T) / 4;
    constexpr size_t first = Returns ? 1 : 0;
    lane_row* result = Returns ? register_rows(w, i, i.operands[0], dwords) : nullptr;
    const lane_row address = *register_rows(w, i, i.operands[first], 1);
    const lane_row* data0 = register_rows(w, i, i.operands[first + 1], dwords);
    const lane_row* data1 =
        has_compare(Op) ? register_rows(w, i, i.operands[first + 2], dwords) : data0;
    const bool in_mode = obeys_mode<T>(Op) && unusual_arithmetic(w) != 0;
    for_lanes(w.exec(), [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        std::byte* memory =
            lds_bytes(w, i, lane, byte_address(i, address, lane), sizeof(T), lds_use::atomic);
        T old;
        std::memcpy(&old, memory, sizeof(T));
        T data = read_lane_value<T>(data0, l);
        T compare = read_lane_value<T>(data1, l);
        if constexpr (is_cmpswap(Op)) {
            std::swap(data, compare);
        }
        const T replaced = in_mode ? result_in_mode<Op, T>(w.mode, old, data)
                                   : atomic_result<Op, T>(old, data, compare);
        std::memcpy(memory, &replaced, sizeof(T));
        if constexpr (Returns) {
            write_lane_value<T>(result, l, old);
        }
    });
}

// As floats. The guide does not say which result is flushed where MODE flushes denormal inputs:
// the one that is stored, the one that is returned or both (9.2.2).
template <atomic_op Op, class T, bool Returns>
void compare_store(wave& w, const instruction& i) {
    const u32 keeps = sizeof(T) == 4 ? mode_bit::denorm_f32_in : mode_bit::denorm_f16_f64_in;
    if ((w.mode & keeps) == 0) {
        fail(w, i, "MODE flushes denormals, with which this instruction is not implemented");
    }
    atomic<Op, T, Returns>(w, i);
}

// Exchanges two elements at address + offset * stride. Text: vdst, addr, data0, data1.
template <class T, u64 Stride>
void exchange2(wave& w, const instruction& i) {
    constexpr int dwords = sizeof(T) / 4;
    check_offsets_differ(w, i);
    lane_row* result = register_rows(w, i, i.operands[0], 2 * dwords);
    const lane_row address = *register_rows(w, i, i.operands[1], 1);
    const lane_row* data0 = register_rows(w, i, i.operands[2], dwords);
    const lane_row* data1 = register_rows(w, i, i.operands[3], dwords);
    for_lanes(w.exec(), [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        const u32 step = static_cast<u32>(sizeof(T) * Stride);
        const T data[] = {read_lane_value<T>(data0, l), read_lane_value<T>(data1, l)};
        const u32 at[] = {address.lane[l] + i.offset0 * step, address.lane[l] + i.offset1 * step};
        for (int n = 0; n < 2; ++n) {
            std::byte* memory = lds_bytes(w, i, lane, at[n], sizeof(T), lds_use::atomic);
            T old;
            std::memcpy(&old, memory, sizeof(T));
            std::memcpy(memory, &data[n], sizeof(T));
            write_lane_value<T>(result + n * dwords, l, old);
        }
    });
}

// Two dwords at (address + offset) & 0xfff8: each is replaced with the data's where bit 31 of those
// is set, without that bit. Text: vdst, addr, data.
void conditional_exchange(wave& w, const instruction& i) {
    lane_row* result = register_rows(w, i, i.operands[0], 2);
    const lane_row address = *register_rows(w, i, i.operands[1], 1);
    const lane_row* data = register_rows(w, i, i.operands[2], 2);
    for_lanes(w.exec(), [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        const u32 at = byte_address(i, address, lane);
        if (at > 0xffff) {
            fail(w, i,
                 "lane " + std::to_string(lane) + ": LDS address " + std::to_string(at) +
                     " has more than the 16 bits that are used");
        }
        if ((w.checks & check::alignment) != 0 && at % 8 != 0) {
            report_alignment(w, i, lane, at, 8);
        }
        std::byte* memory = lds_bytes(w, i, lane, at & 0xfff8, 8, lds_use::atomic);
        const u32 value[] = {data[0].lane[l], data[1].lane[l]};
        for (int n = 0; n < 2; ++n) {
            std::memcpy(&result[n].lane[l], memory + 4 * n, 4);
            if ((value[n] >> 31) != 0) {
                const u32 stored = value[n] & 0x7fffffff;
                std::memcpy(memory + 4 * n, &stored, 4);
            }
        }
    });
}

// ds_append, ds_consume: the dword at the offset grows or shrinks by the number of lanes that are
// on, which all get its old value. The guide adds M0 for GDS only (12.12), compilers pass the
// address in it: both agree where it is 0. Text: vdst.
template <bool Grows>
void count_lanes(wave& w, const instruction& i) {
    lane_row& result = *register_rows(w, i, i.operands[0], 1);
    if (const u32 m0 = w.sgpr[sreg::m0]; m0 != 0) {
        fail(w, i,
             "M0 is " + std::to_string(m0) + "; whether it is added to the address is unclear");
    }
    const u64 exec = w.exec();
    if (exec == 0) {
        return;
    }
    std::byte* memory =
        lds_bytes(w, i, std::countr_zero(exec), static_cast<u32>(i.offset), 4, lds_use::atomic);
    u32 old;
    std::memcpy(&old, memory, 4);
    const u32 lanes = static_cast<u32>(std::popcount(exec));
    const u32 counted = Grows ? old + lanes : old - lanes;
    std::memcpy(memory, &counted, 4);
    for_lanes(exec, [&](int lane) { result.lane[static_cast<size_t>(lane)] = old; });
}

// ---- addresses from the lane ----

// The byte that lane 0 uses. Where the sum has more than 16 bits the guide leaves open whether it
// wraps.
u32 base_of_lanes(const wave& w, const instruction& i) {
    const u32 base = static_cast<u32>(i.offset) + (w.sgpr[sreg::m0] & 0xffff);
    if (base > 0xffff) {
        fail(w, i, "M0 and the offset add up to " + std::to_string(base) + ", more than 16 bits");
    }
    return base;
}

// Text: vdst.
void read_by_lane(wave& w, const instruction& i) {
    lane_row& data = *register_rows(w, i, i.operands[0], 1);
    const u32 base = base_of_lanes(w, i);
    for_lanes(w.exec(), [&](int lane) {
        const u32 at = base + 4 * static_cast<u32>(lane);
        std::memcpy(&data.lane[static_cast<size_t>(lane)],
                    lds_bytes(w, i, lane, at, 4, lds_use::read), 4);
    });
}

// Text: data.
void write_by_lane(wave& w, const instruction& i) {
    const lane_row& data = *register_rows(w, i, i.operands[0], 1);
    const u32 base = base_of_lanes(w, i);
    for_lanes(w.exec(), [&](int lane) {
        const u32 at = base + 4 * static_cast<u32>(lane);
        const u32* value = &data.lane[static_cast<size_t>(lane)];
        std::memcpy(lds_bytes(w, i, lane, at, 4, lds_use::write, value), value, 4);
    });
}

// ---- lanes to lanes; LDS memory is not touched ----

// Reads 0 from a lane that EXEC switches off.
template <class SourceLane>
void shuffle(wave& w, const instruction& i, const operand& data, SourceLane&& source_lane) {
    const lane_row from = *register_rows(w, i, data, 1);
    lane_row& to = *register_rows(w, i, i.operands[0], 1);
    const u64 exec = w.exec();
    row_buffer result;
    if (w.seen_by != nullptr && w.seen_by->wants_source_lane) {
        const u32 reg = first_register(data);
        for_lanes(exec, [&](int lane) {
            const u32 source = source_lane(static_cast<u32>(lane));
            w.seen_by->source_lane(w, i, reg, lane, static_cast<int>(source));
        });
    }
    for (u32 l = 0; l < lane_count; ++l) {
        const u32 source = source_lane(l);
        result.lane[l] = (exec >> source & 1) != 0 ? from.lane[source] : 0;
    }
    store_row(to, result.lane, exec);
}

u32 reverse_5_bits(u32 value) {
    u32 result = 0;
    for (u32 bit = 0; bit < 5; ++bit) {
        result |= (value >> bit & 1) << (4 - bit);
    }
    return result;
}

// Text: vdst, data; the pattern is the 16-bit offset field (pseudocode of DS_SWIZZLE_B32).
void swizzle(wave& w, const instruction& i) {
    const u32 pattern = i.encoding[0] & 0xffff;
    shuffle(w, i, i.operands[1], [&](u32 l) -> u32 {
        const u32 half = l & 0x20;
        if (pattern >= 0xe000) {
            const u32 mask = pattern & 0x1f;
            const u32 reversed = reverse_5_bits(l & 0x1f) >> std::popcount(mask);
            return (reversed | (l & mask)) | half;
        }
        if (pattern >= 0xc000) {
            const u32 mask = pattern & 0x1f;
            const u32 distance = pattern >> 5 & 0x1f;
            const u32 rotate = (pattern >> 10 & 1) != 0 ? 0 - distance : distance;
            return (((l & mask) | ((l + rotate) & ~mask)) & 0x1f) | half;
        }
        if ((pattern >> 15) != 0) {
            return (l & ~3u) + (pattern >> 2 * (l & 3) & 3);
        }
        return ((((l & 0x1f) & pattern) | (pattern >> 5 & 0x1f)) ^ (pattern >> 10 & 0x1f)) | half;
    });
}

// Text: vdst, addr, data.
void bpermute(wave& w, const instruction& i) {
    const lane_row address = *register_rows(w, i, i.operands[1], 1);
    shuffle(w, i, i.operands[2],
            [&](u32 l) { return (address.lane[l] + static_cast<u32>(i.offset)) / 4 % 64; });
}

// A lane that nobody writes to gets 0; of several writers the highest lane wins.
void permute(wave& w, const instruction& i) {
    const lane_row address = *register_rows(w, i, i.operands[1], 1);
    const lane_row data = *register_rows(w, i, i.operands[2], 1);
    row_buffer result;
    broadcast(result, 0);
    for_lanes(w.exec(), [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        result.lane[(address.lane[l] + static_cast<u32>(i.offset)) / 4 % 64] = data.lane[l];
    });
    store_row(*register_rows(w, i, i.operands[0], 1), result.lane, w.exec());
}

// ---- transposed reads (ISA guide 11.4) ----

// Lane s gives the address of E = 64 / Bits contiguous elements (Bits 6: 16 elements of 96 bits).
// In each group of 16 lanes with first lane B, element n of lane B + r is element r % E of lane
// B + r / E + (16 / E) * n; for 6 bits element r of lane B + n.
template <int Bits>
void read_transposed(wave& w, const instruction& i) {
    constexpr int elements = Bits == 6 ? 16 : 64 / Bits;
    constexpr int bytes = Bits * elements / 8;
    constexpr int dwords = bytes / 4;
    const u64 exec = w.exec();
    if (exec != all_lanes) {
        report(w, i, check::exec,
               [] { return std::string("transposed LDS reads need all lanes switched on"); });
    }
    lane_row* data = register_rows(w, i, i.operands[0], dwords);
    const lane_row& address = *register_rows(w, i, i.operands[1], 1);
    // A lane that is switched off brings zeros, and receives nothing.
    u32 source[lane_count][elements] = {};
    for_lanes(exec, [&](int s) {
        constexpr u64 alignment = bytes == 12 ? 4 : 8;
        u64 at = byte_address(i, address, s);
        if (at % alignment != 0) {
            report(w, i, check::alignment,
                   [&] { return "lane " + std::to_string(s) + ": unaligned transposed LDS read"; });
            at -= at % alignment;
        }
        const std::byte* memory = lds_bytes(w, i, s, at, bytes, lds_use::read);
        for (int e = 0; e < elements; ++e) {
            u32 value = 0;
            for (int bit = 0; bit < Bits; ++bit) {
                const int position = e * Bits + bit;
                const u32 byte = static_cast<u32>(memory[position / 8]);
                value |= (byte >> position % 8 & 1) << bit;
            }
            source[s][e] = value;
        }
    });
    for_lanes(exec, [&](int l) {
        const int first = l & ~15;
        const int r = l & 15;
        u32 result[dwords] = {};
        for (int n = 0; n < elements; ++n) {
            const int lane = Bits == 6 ? first + n : first + r / elements + 16 / elements * n;
            const u32 value = source[lane][Bits == 6 ? r : r % elements];
            const int position = n * Bits;
            result[position / 32] |= value << position % 32;
            if (position % 32 + Bits > 32) {
                result[position / 32 + 1] |= value >> (32 - position % 32);
            }
        }
        for (int d = 0; d < dwords; ++d) {
            data[d].lane[static_cast<size_t>(l)] = result[d];
        }
    });
}

void nothing(wave&, const instruction&) {}

constexpr auto low = register_part::d16_low;
constexpr auto high = register_part::d16_high;

constexpr named_access reads[] = {
    {"u8", {1}},
    {"i8", {1, true}},
    {"u16", {2}},
    {"i16", {2, true}},
    {"b32", {4}},
    {"b64", {8}},
    {"b96", {12}},
    {"b128", {16}},
    {"u8_d16", {1, false, low}},
    {"u8_d16_hi", {1, false, high}},
    {"i8_d16", {1, true, low}},
    {"i8_d16_hi", {1, true, high}},
    {"u16_d16", {2, false, low}},
    {"u16_d16_hi", {2, false, high}},
};
constexpr named_access writes[] = {
    {"b8", {1}},
    {"b16", {2}},
    {"b32", {4}},
    {"b64", {8}},
    {"b96", {12}},
    {"b128", {16}},
    {"b8_d16_hi", {1, false, high}},
    {"b16_d16_hi", {2, false, high}},
};

// Of 4 bytes and of 8: add_u32, add_rtn_u32, add_u64, add_rtn_u64.
struct lds_atomic {
    const char* name;
    const char* type;
    atomic_op op;
};
constexpr lds_atomic integer_atomics[] = {
    {"add", "u", atomic_op::add},     {"sub", "u", atomic_op::sub},
    {"rsub", "u", atomic_op::rsub},   {"inc", "u", atomic_op::inc},
    {"dec", "u", atomic_op::dec},     {"min", "i", atomic_op::smin},
    {"max", "i", atomic_op::smax},    {"min", "u", atomic_op::umin},
    {"max", "u", atomic_op::umax},    {"and", "b", atomic_op::and_},
    {"or", "b", atomic_op::or_},      {"xor", "b", atomic_op::xor_},
    {"mskor", "b", atomic_op::mskor}, {"cmpst", "b", atomic_op::cmpswap},
};
constexpr lds_atomic small_atomics[] = {
    {"min", "f32", atomic_op::min_float},       {"max", "f32", atomic_op::max_float},
    {"add", "f32", atomic_op::add_float},       {"pk_add", "f16", atomic_op::pk_add_f16},
    {"pk_add", "bf16", atomic_op::pk_add_bf16},
};
constexpr lds_atomic large_atomics[] = {
    {"min", "f64", atomic_op::min_float},
    {"max", "f64", atomic_op::max_float},
    {"add", "f64", atomic_op::add_float},
};

constexpr access_plan one_address(access_use use, const access& a, bool returns) {
    access_plan plan = access_of(address_kind::lds, use, a);
    plan.returns = returns;
    return plan;
}
constexpr access_plan two_addresses(access_use use, int bytes, int stride) {
    access_plan plan = one_address(use, {bytes}, use != access_use::write);
    plan.addresses = 2;
    plan.offset_unit = static_cast<uint16_t>(bytes * stride);
    return plan;
}
constexpr access_plan without_address(access_use use, lds_address from) {
    access_plan plan = one_address(use, {4}, use != access_use::write);
    plan.lds = from;
    return plan;
}

struct lds_table : row_list {
    void add_one(const std::string& name, handler_t execute, access_use use, const access& a,
                 bool returns) {
        add("ds_" + name, execute, mod::offset, one_address(use, a, returns));
    }
    void add_transposed(const std::string& name, handler_t execute, int bytes) {
        add("ds_" + name, execute, mod::offset | kind::crosses_lanes,
            one_address(access_use::read, {bytes}, true), true);
    }
    // With and without a result.
    void add_atomic(const std::string& name, const std::string& type, handler_t execute,
                    handler_t execute_returning, int bytes) {
        add_one(name + "_" + type, execute, access_use::atomic, {bytes}, false);
        add_one(name + "_rtn_" + type, execute_returning, access_use::atomic, {bytes}, true);
    }
    template <atomic_op Op, class T>
    void add_atomic(const std::string& name, const std::string& type) {
        add_atomic(name, type, atomic<Op, T, false>, atomic<Op, T, true>, sizeof(T));
    }
    template <class T, int Stride>
    void add_two(const std::string& strided, const std::string& type) {
        const auto add_plan = [&](const std::string& name, handler_t execute, access_use use) {
            add("ds_" + name, execute, mod::offset01, two_addresses(use, sizeof(T), Stride));
        };
        add_plan("read2" + strided + type, read2<T, Stride>, access_use::read);
        add_plan("write2" + strided + type, write2<T, Stride>, access_use::write);
        add_plan("wrxchg2" + strided + "_rtn" + type, exchange2<T, Stride>, access_use::atomic);
    }

    lds_table() {
        for_each_of<reads>([&]<size_t N>() {
            constexpr access a = reads[N].what;
            add_one(std::string("read_") + reads[N].name, read<a>, access_use::read, a, true);
        });
        for_each_of<writes>([&]<size_t N>() {
            constexpr access a = writes[N].what;
            add_one(std::string("write_") + writes[N].name, write<a>, access_use::write, a, false);
        });
        add_two<u32, 1>("", "_b32");
        add_two<u64, 1>("", "_b64");
        add_two<u32, 64>("st64", "_b32");
        add_two<u64, 64>("st64", "_b64");
        add_transposed("read_b64_tr_b16", read_transposed<16>, 8);
        add_transposed("read_b64_tr_b8", read_transposed<8>, 8);
        add_transposed("read_b64_tr_b4", read_transposed<4>, 8);
        add_transposed("read_b96_tr_b6", read_transposed<6>, 12);
        for_each_of<integer_atomics>([&]<size_t N>() {
            constexpr lds_atomic a = integer_atomics[N];
            add_atomic<a.op, u32>(a.name, a.type + std::string("32"));
            add_atomic<a.op, u64>(a.name, a.type + std::string("64"));
        });
        for_each_of<small_atomics>([&]<size_t N>() {
            constexpr lds_atomic a = small_atomics[N];
            add_atomic<a.op, u32>(a.name, a.type);
        });
        for_each_of<large_atomics>([&]<size_t N>() {
            constexpr lds_atomic a = large_atomics[N];
            add_atomic<a.op, u64>(a.name, a.type);
        });
        constexpr auto cmpst = atomic_op::cmpswap_float;
        add_atomic("cmpst", "f32", compare_store<cmpst, u32, false>,
                   compare_store<cmpst, u32, true>, 4);
        add_atomic("cmpst", "f64", compare_store<cmpst, u64, false>,
                   compare_store<cmpst, u64, true>, 8);
        constexpr access_use exchange = access_use::atomic;
        add_one("wrxchg_rtn_b32", atomic<atomic_op::swap, u32, true>, exchange, {4}, true);
        add_one("wrxchg_rtn_b64", atomic<atomic_op::swap, u64, true>, exchange, {8}, true);
        add_one("wrap_rtn_b32", atomic<atomic_op::wrap, u32, true>, exchange, {4}, true);
        add_one("condxchg32_rtn_b64", conditional_exchange, exchange, {8}, true);
        const auto add_without_address = [&](const char* name, handler_t execute, access_use use,
                                             lds_address from) {
            add(name, execute, mod::offset, without_address(use, from));
        };
        add_without_address("ds_append", count_lanes<true>, exchange, lds_address::offset);
        add_without_address("ds_consume", count_lanes<false>, exchange, lds_address::offset);
        add_without_address("ds_read_addtid_b32", read_by_lane, access_use::read,
                            lds_address::lane);
        add_without_address("ds_write_addtid_b32", write_by_lane, access_use::write,
                            lds_address::lane);
        constexpr u64 shuffles = mod::offset | kind::crosses_lanes | kind::masks;
        add("ds_swizzle_b32", swizzle, shuffles);
        add("ds_permute_b32", permute, shuffles);
        add("ds_bpermute_b32", bpermute, shuffles);
        add("ds_nop", nothing, 0);
    }
};

}  // namespace

std::span<const instruction_row> lds_rows() {
    static const lds_table table;
    return table.rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
