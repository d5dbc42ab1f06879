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
    for_each_lane(exec, [&](int lane) {
        const size_t l = static_cast<size_t>(lane);
        for (int n = 0; n < 2; ++n) {
            std::memcpy(found[n].pointer(l), &values[n].dword[l * element.dwords()], sizeof(T));
        }
    });
}

// Float atomics of LDS flush denormals as MODE says, all round to nearest even; f64 sums keep theirs
// (ISA guide 9.2, table 53).
constexpr bool obeys_mode(atomic_op op) {
    return op == atomic_op::add_f32 || op == atomic_op::min_f32 || op == atomic_op::max_f32 ||
           op == atomic_op::min_f64 || op == atomic_op::max_f64 || op == atomic_op::pk_add_f16 ||
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
    } else if constexpr (Op == atomic_op::add_f32) {
        const f32 a = std::bit_cast<f32>(old);
        const f32 b = std::bit_cast<f32>(data);
        const f32 sum = flush_single_in ? flush(a) + flush(b) : a + b;
        return std::bit_cast<T>(flush_single_out ? flush(sum) : sum);
    } else if constexpr (obeys_mode(Op)) {
        using number = std::conditional_t<sizeof(T) == 4, f32, f64>;
        const number a = std::bit_cast<number>(old);
        const number b = std::bit_cast<number>(data);
        constexpr bool is_minimum = Op == atomic_op::min_f32 || Op == atomic_op::min_f64;
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
    const bool in_mode = obeys_mode(Op) && unusual_arithmetic(w) != 0;
    for_each_lane(w.exec(), [&](int lane) {
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
    for_each_lane(w.exec(), [&](int lane) {
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
    for_each_lane(w.exec(), [&](int lane) {
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
    for_each_lane(exec, [&](int lane) { result.lane[static_cast<size_t>(lane)] = old; });
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
    for_each_lane(w.exec(), [&](int lane) {
        const u32 at = base + 4 * static_cast<u32>(lane);
        std::memcpy(&data.lane[static_cast<size_t>(lane)],
                    lds_bytes(w, i, lane, at, 4, lds_use::read), 4);
    });
}

// Text: data.
void write_by_lane(wave& w, const instruction& i) {
    const lane_row& data = *register_rows(w, i, i.operands[0], 1);
    const u32 base = base_of_lanes(w, i);
    for_each_lane(w.exec(), [&](int lane) {
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
        const u32 reg = (data.kind == operand_kind::agpr ? first_agpr : 0) + data.reg;
        for_each_lane(exec, [&](int lane) {
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
    for_each_lane(w.exec(), [&](int lane) {
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
    for_each_lane(exec, [&](int s) {
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
    for_each_lane(exec, [&](int l) {
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
constexpr u64 one = mod::offset;
constexpr u64 two = mod::offset01;

constexpr instruction_row rows[] = {
    {"ds_read_u8", read<access{1}>, one},
    {"ds_read_i8", read<access{1, true}>, one},
    {"ds_read_u16", read<access{2}>, one},
    {"ds_read_i16", read<access{2, true}>, one},
    {"ds_read_b32", read<access{4}>, one},
    {"ds_read_b64", read<access{8}>, one},
    {"ds_read_b96", read<access{12}>, one},
    {"ds_read_b128", read<access{16}>, one},
    {"ds_read_u8_d16", read<access{1, false, low}>, one},
    {"ds_read_u8_d16_hi", read<access{1, false, high}>, one},
    {"ds_read_i8_d16", read<access{1, true, low}>, one},
    {"ds_read_i8_d16_hi", read<access{1, true, high}>, one},
    {"ds_read_u16_d16", read<access{2, false, low}>, one},
    {"ds_read_u16_d16_hi", read<access{2, false, high}>, one},
    {"ds_write_b8", write<access{1}>, one},
    {"ds_write_b16", write<access{2}>, one},
    {"ds_write_b32", write<access{4}>, one},
    {"ds_write_b64", write<access{8}>, one},
    {"ds_write_b96", write<access{12}>, one},
    {"ds_write_b128", write<access{16}>, one},
    {"ds_write_b8_d16_hi", write<access{1, false, high}>, one},
    {"ds_write_b16_d16_hi", write<access{2, false, high}>, one},
    {"ds_read2_b32", read2<u32, 1>, two},
    {"ds_read2_b64", read2<u64, 1>, two},
    {"ds_read2st64_b32", read2<u32, 64>, two},
    {"ds_read2st64_b64", read2<u64, 64>, two},
    {"ds_write2_b32", write2<u32, 1>, two},
    {"ds_write2_b64", write2<u64, 1>, two},
    {"ds_write2st64_b32", write2<u32, 64>, two},
    {"ds_write2st64_b64", write2<u64, 64>, two},
    {"ds_swizzle_b32", swizzle, one},
    {"ds_permute_b32", permute, one},
    {"ds_bpermute_b32", bpermute, one},
    {"ds_read_b64_tr_b16", read_transposed<16>, one, true},
    {"ds_read_b64_tr_b8", read_transposed<8>, one, true},
    {"ds_read_b64_tr_b4", read_transposed<4>, one, true},
    {"ds_read_b96_tr_b6", read_transposed<6>, one, true},
    {"ds_nop", nothing},
    {"ds_add_u32", atomic<atomic_op::add, u32, false>, one},
    {"ds_add_rtn_u32", atomic<atomic_op::add, u32, true>, one},
    {"ds_sub_u32", atomic<atomic_op::sub, u32, false>, one},
    {"ds_sub_rtn_u32", atomic<atomic_op::sub, u32, true>, one},
    {"ds_rsub_u32", atomic<atomic_op::rsub, u32, false>, one},
    {"ds_rsub_rtn_u32", atomic<atomic_op::rsub, u32, true>, one},
    {"ds_inc_u32", atomic<atomic_op::inc, u32, false>, one},
    {"ds_inc_rtn_u32", atomic<atomic_op::inc, u32, true>, one},
    {"ds_dec_u32", atomic<atomic_op::dec, u32, false>, one},
    {"ds_dec_rtn_u32", atomic<atomic_op::dec, u32, true>, one},
    {"ds_min_i32", atomic<atomic_op::smin, u32, false>, one},
    {"ds_min_rtn_i32", atomic<atomic_op::smin, u32, true>, one},
    {"ds_max_i32", atomic<atomic_op::smax, u32, false>, one},
    {"ds_max_rtn_i32", atomic<atomic_op::smax, u32, true>, one},
    {"ds_min_u32", atomic<atomic_op::umin, u32, false>, one},
    {"ds_min_rtn_u32", atomic<atomic_op::umin, u32, true>, one},
    {"ds_max_u32", atomic<atomic_op::umax, u32, false>, one},
    {"ds_max_rtn_u32", atomic<atomic_op::umax, u32, true>, one},
    {"ds_and_b32", atomic<atomic_op::and_, u32, false>, one},
    {"ds_and_rtn_b32", atomic<atomic_op::and_, u32, true>, one},
    {"ds_or_b32", atomic<atomic_op::or_, u32, false>, one},
    {"ds_or_rtn_b32", atomic<atomic_op::or_, u32, true>, one},
    {"ds_xor_b32", atomic<atomic_op::xor_, u32, false>, one},
    {"ds_xor_rtn_b32", atomic<atomic_op::xor_, u32, true>, one},
    {"ds_mskor_b32", atomic<atomic_op::mskor, u32, false>, one},
    {"ds_mskor_rtn_b32", atomic<atomic_op::mskor, u32, true>, one},
    {"ds_cmpst_b32", atomic<atomic_op::cmpswap, u32, false>, one},
    {"ds_cmpst_rtn_b32", atomic<atomic_op::cmpswap, u32, true>, one},
    {"ds_min_f32", atomic<atomic_op::min_f32, u32, false>, one},
    {"ds_min_rtn_f32", atomic<atomic_op::min_f32, u32, true>, one},
    {"ds_max_f32", atomic<atomic_op::max_f32, u32, false>, one},
    {"ds_max_rtn_f32", atomic<atomic_op::max_f32, u32, true>, one},
    {"ds_add_f32", atomic<atomic_op::add_f32, u32, false>, one},
    {"ds_add_rtn_f32", atomic<atomic_op::add_f32, u32, true>, one},
    {"ds_wrxchg_rtn_b32", atomic<atomic_op::swap, u32, true>, one},
    {"ds_add_u64", atomic<atomic_op::add, u64, false>, one},
    {"ds_add_rtn_u64", atomic<atomic_op::add, u64, true>, one},
    {"ds_sub_u64", atomic<atomic_op::sub, u64, false>, one},
    {"ds_sub_rtn_u64", atomic<atomic_op::sub, u64, true>, one},
    {"ds_rsub_u64", atomic<atomic_op::rsub, u64, false>, one},
    {"ds_rsub_rtn_u64", atomic<atomic_op::rsub, u64, true>, one},
    {"ds_inc_u64", atomic<atomic_op::inc, u64, false>, one},
    {"ds_inc_rtn_u64", atomic<atomic_op::inc, u64, true>, one},
    {"ds_dec_u64", atomic<atomic_op::dec, u64, false>, one},
    {"ds_dec_rtn_u64", atomic<atomic_op::dec, u64, true>, one},
    {"ds_min_i64", atomic<atomic_op::smin, u64, false>, one},
    {"ds_min_rtn_i64", atomic<atomic_op::smin, u64, true>, one},
    {"ds_max_i64", atomic<atomic_op::smax, u64, false>, one},
    {"ds_max_rtn_i64", atomic<atomic_op::smax, u64, true>, one},
    {"ds_min_u64", atomic<atomic_op::umin, u64, false>, one},
    {"ds_min_rtn_u64", atomic<atomic_op::umin, u64, true>, one},
    {"ds_max_u64", atomic<atomic_op::umax, u64, false>, one},
    {"ds_max_rtn_u64", atomic<atomic_op::umax, u64, true>, one},
    {"ds_and_b64", atomic<atomic_op::and_, u64, false>, one},
    {"ds_and_rtn_b64", atomic<atomic_op::and_, u64, true>, one},
    {"ds_or_b64", atomic<atomic_op::or_, u64, false>, one},
    {"ds_or_rtn_b64", atomic<atomic_op::or_, u64, true>, one},
    {"ds_xor_b64", atomic<atomic_op::xor_, u64, false>, one},
    {"ds_xor_rtn_b64", atomic<atomic_op::xor_, u64, true>, one},
    {"ds_mskor_b64", atomic<atomic_op::mskor, u64, false>, one},
    {"ds_mskor_rtn_b64", atomic<atomic_op::mskor, u64, true>, one},
    {"ds_cmpst_b64", atomic<atomic_op::cmpswap, u64, false>, one},
    {"ds_cmpst_rtn_b64", atomic<atomic_op::cmpswap, u64, true>, one},
    {"ds_min_f64", atomic<atomic_op::min_f64, u64, false>, one},
    {"ds_min_rtn_f64", atomic<atomic_op::min_f64, u64, true>, one},
    {"ds_max_f64", atomic<atomic_op::max_f64, u64, false>, one},
    {"ds_max_rtn_f64", atomic<atomic_op::max_f64, u64, true>, one},
    {"ds_add_f64", atomic<atomic_op::add_f64, u64, false>, one},
    {"ds_add_rtn_f64", atomic<atomic_op::add_f64, u64, true>, one},
    {"ds_wrxchg_rtn_b64", atomic<atomic_op::swap, u64, true>, one},
    {"ds_cmpst_f32", compare_store<atomic_op::cmpswap_f32, u32, false>, one},
    {"ds_cmpst_rtn_f32", compare_store<atomic_op::cmpswap_f32, u32, true>, one},
    {"ds_cmpst_f64", compare_store<atomic_op::cmpswap_f64, u64, false>, one},
    {"ds_cmpst_rtn_f64", compare_store<atomic_op::cmpswap_f64, u64, true>, one},
    {"ds_wrap_rtn_b32", atomic<atomic_op::wrap, u32, true>, one},
    {"ds_wrxchg2_rtn_b32", exchange2<u32, 1>, two},
    {"ds_wrxchg2_rtn_b64", exchange2<u64, 1>, two},
    {"ds_wrxchg2st64_rtn_b32", exchange2<u32, 64>, two},
    {"ds_wrxchg2st64_rtn_b64", exchange2<u64, 64>, two},
    {"ds_condxchg32_rtn_b64", conditional_exchange, one},
    {"ds_append", count_lanes<true>, one},
    {"ds_consume", count_lanes<false>, one},
    {"ds_read_addtid_b32", read_by_lane, one},
    {"ds_write_addtid_b32", write_by_lane, one},
    {"ds_pk_add_f16", atomic<atomic_op::pk_add_f16, u32, false>, one},
    {"ds_pk_add_rtn_f16", atomic<atomic_op::pk_add_f16, u32, true>, one},
    {"ds_pk_add_bf16", atomic<atomic_op::pk_add_bf16, u32, false>, one},
    {"ds_pk_add_rtn_bf16", atomic<atomic_op::pk_add_bf16, u32, true>, one},
};

}  // namespace

std::span<const instruction_row> lds_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
