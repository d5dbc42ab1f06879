// Buffer instructions: addressing, the range check of every dword, records, LDS-DMA, atomics.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "isa/accesses.hpp"
#include "machine.hpp"

namespace emu {
namespace {

constexpr uint32_t buffer_bytes = 256;

void set_resource(machine& m, int reg, uint64_t base, uint32_t num_records) {
    m.s(reg) = static_cast<uint32_t>(base);
    m.s(reg + 1) = static_cast<uint32_t>(base >> 32) & 0xffff;
    m.s(reg + 2) = num_records;
    m.s(reg + 3) = 0x00020000;
}

struct width_case {
    const char* name;
    int bytes;
    bool sign_extend;
};

constexpr width_case loads[] = {
    {"buffer_load_ubyte", 1, false},    {"buffer_load_sbyte", 1, true},
    {"buffer_load_ushort", 2, false},   {"buffer_load_sshort", 2, true},
    {"buffer_load_dword", 4, false},    {"buffer_load_dwordx2", 8, false},
    {"buffer_load_dwordx3", 12, false}, {"buffer_load_dwordx4", 16, false},
};

constexpr width_case stores[] = {
    {"buffer_store_byte", 1, false},     {"buffer_store_short", 2, false},
    {"buffer_store_dword", 4, false},    {"buffer_store_dwordx2", 8, false},
    {"buffer_store_dwordx3", 12, false}, {"buffer_store_dwordx4", 16, false},
};

uint8_t pattern(size_t byte) {
    return static_cast<uint8_t>(byte * 37 + 0x85);
}

std::string data_registers(int bytes) {
    const int last = bytes <= 4 ? 0 : bytes / 4 - 1;
    return "v[0:" + std::to_string(last) + "]";
}

// The value of register d of a load at `byte` of a buffer with num_records bytes: each dword counts
// by itself, bytes and words by their own size.
uint32_t expected_load(const width_case& c, uint64_t byte, uint32_t num_records, int d) {
    const int unit = c.bytes < 4 ? c.bytes : 4;
    const uint64_t first = byte + 4 * static_cast<uint64_t>(d);
    if (first + static_cast<uint64_t>(unit) > num_records) {
        return 0;
    }
    uint32_t value = 0;
    for (int n = 0; n < unit; ++n) {
        value |= uint32_t{pattern(first + static_cast<uint64_t>(n))} << 8 * n;
    }
    if (c.sign_extend && c.bytes == 1) {
        value = static_cast<uint32_t>(int32_t{static_cast<int8_t>(value)});
    }
    if (c.sign_extend && c.bytes == 2) {
        value = static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
    }
    return value;
}

// How an offset is made up of voffset, soffset and the immediate.
struct split {
    const char* name;
    uint32_t soffset;
    uint32_t imm;
};

constexpr split splits[] = {{"voffset", 0, 0}, {"soffset", 8, 0}, {"imm", 0, 12}, {"all", 4, 8}};

// Lane l reads from byte (first + l), so that all starting bytes around the end occur.
TEST(buffer, loads_around_num_records) {
    for (const gfx_target target : both_targets) {
        for (const width_case& c : loads) {
            for (const split& part : splits) {
                for (const uint32_t num_records : {40u, 41u, 42u, 43u}) {
                    machine m(target);
                    device_bytes memory(buffer_bytes);
                    for (size_t n = 0; n < buffer_bytes; ++n) {
                        memory.set<uint8_t>(n, pattern(n));
                    }
                    set_resource(m, 8, memory.address(), num_records);
                    m.s(3) = part.soffset;
                    m.fill(10, [](uint32_t l) { return l; });
                    for (int r = 0; r < 4; ++r) {
                        m.fill(r, 0xdeadbeefu);
                    }
                    m.set_exec(~uint64_t{2});
                    m.run(std::string(c.name) + " " + data_registers(c.bytes) +
                          ", v10, s[8:11], s3 offen offset:" + std::to_string(part.imm));
                    const int registers = c.bytes <= 4 ? 1 : c.bytes / 4;
                    for (uint32_t l = 0; l < 64; ++l) {
                        for (int d = 0; d < 4; ++d) {
                            const uint64_t byte = uint64_t{l} + part.soffset + part.imm;
                            const uint32_t expected = d >= registers || l == 1
                                                          ? 0xdeadbeefu
                                                          : expected_load(c, byte, num_records, d);
                            ASSERT_EQ(m.v(d)[l], expected)
                                << name_of(target) << " " << c.name << " " << part.name << " lane "
                                << l << " dword " << d << " num_records " << num_records;
                        }
                    }
                }
            }
        }
    }
}

TEST(buffer, stores_around_num_records) {
    for (const gfx_target target : both_targets) {
        for (const width_case& c : stores) {
            for (const split& part : splits) {
                for (const uint32_t num_records : {40u, 41u, 42u, 43u}) {
                    for (uint32_t lane_step = 0; lane_step < 64; ++lane_step) {
                        // One lane at a time, as neighbours would overwrite each other.
                        machine m(target);
                        device_bytes memory(buffer_bytes);
                        set_resource(m, 8, memory.address(), num_records);
                        m.s(3) = part.soffset;
                        m.fill(10, [](uint32_t l) { return l; });
                        for (int r = 0; r < 4; ++r) {
                            m.fill(r, 0x44332211u + 0x11111111u * static_cast<uint32_t>(r));
                        }
                        m.set_exec(uint64_t{1} << lane_step);
                        m.run(std::string(c.name) + " " + data_registers(c.bytes) +
                              ", v10, s[8:11], s3 offen offset:" + std::to_string(part.imm));
                        const uint64_t first = uint64_t{lane_step} + part.soffset + part.imm;
                        const int unit = c.bytes < 4 ? c.bytes : 4;
                        for (uint64_t n = 0; n < buffer_bytes; ++n) {
                            uint8_t expected = 0;
                            if (n >= first && n < first + static_cast<uint64_t>(c.bytes)) {
                                const uint64_t unit_start = (n - first) / 4 * 4 + first;
                                const bool stored =
                                    unit_start + static_cast<uint64_t>(unit) <= num_records;
                                const uint64_t in_value = n - first;
                                const uint32_t reg =
                                    0x44332211u + 0x11111111u * static_cast<uint32_t>(in_value / 4);
                                if (stored) {
                                    expected = static_cast<uint8_t>(reg >> 8 * (in_value % 4));
                                }
                            }
                            ASSERT_EQ(memory.get<uint8_t>(n), expected)
                                << name_of(target) << " " << c.name << " " << part.name << " lane "
                                << lane_step << " byte " << n << " num_records " << num_records;
                        }
                    }
                }
            }
        }
    }
}

TEST(buffer, offsets_wrap_or_not) {
    machine m(gfx_target::gfx942);
    device_bytes memory(128);
    memory.set<uint32_t>(4, 77);
    memory.set<uint32_t>(64, 78);
    set_resource(m, 8, memory.address(), 64);
    // voffset + imm wraps at 32 bits: 0xfffffffc + 8 = 4.
    m.fill(10, 0xfffffffcu);
    m.run("buffer_load_dword v0, v10, s[8:11], 0 offen offset:8");
    EXPECT_EQ(m.v(0)[0], 77u);
    // soffset does not wrap: 0xfffffffc + 8 is out of range.
    m.fill(10, 0xfffffffcu);
    m.s(3) = 8;
    m.run("buffer_load_dword v0, v10, s[8:11], s3 offen");
    EXPECT_EQ(m.v(0)[0], 0u);
    // It counts in the range check: byte 64 is memory, and not of the buffer.
    m.fill(10, 4u);
    m.s(3) = 60;
    m.run("buffer_load_dword v0, v10, s[8:11], s3 offen");
    EXPECT_EQ(m.v(0)[63], 0u);
    m.run("buffer_store_dword v10, v10, s[8:11], s3 offen");
    EXPECT_EQ(memory.get<uint32_t>(64), 78u);
    // no vaddr at all
    m.s(3) = 4;
    m.run("buffer_load_dword v0, off, s[8:11], s3");
    EXPECT_EQ(m.v(0)[63], 77u);
    // The upper 16 bits of the second dword are not part of the base.
    m.fill(10, 0xfffffffcu);
    m.run("buffer_load_dword v10, v10, s[8:11], s3 offen");  // vaddr is the destination
    EXPECT_EQ(m.v(10)[63], 0u);
}

TEST(buffer, sixteen_bit_halves) {
    machine m(gfx_target::gfx950);
    device_bytes memory(64);
    memory.set<uint32_t>(0, 0x8182f384);
    set_resource(m, 8, memory.address(), 64);
    struct row {
        const char* name;
        uint32_t result;
    };
    for (const row& r : {row{"ubyte_d16", 0xaaaa0084}, row{"ubyte_d16_hi", 0x0084bbbb},
                         row{"sbyte_d16", 0xaaaaff84}, row{"sbyte_d16_hi", 0xff84bbbb},
                         row{"short_d16", 0xaaaaf384}, row{"short_d16_hi", 0xf384bbbb}}) {
        m.fill(0, 0xaaaabbbbu);
        m.run(std::string("buffer_load_") + r.name + " v0, off, s[8:11], 0");
        EXPECT_EQ(m.v(0)[7], r.result) << r.name;
    }
    m.fill(0, 0x12345678u);
    m.set_exec(1);
    m.run(
        "buffer_store_short_d16_hi v0, off, s[8:11], 0 offset:8\n"
        "buffer_store_byte_d16_hi v0, off, s[8:11], 0 offset:12");
    EXPECT_EQ(memory.get<uint32_t>(8), 0x1234u);
    EXPECT_EQ(memory.get<uint32_t>(12), 0x34u);
}

TEST(buffer, refuses_what_it_cannot_do) {
    machine m(gfx_target::gfx942);
    device_bytes memory(64);
    // num_records beyond the allocation
    set_resource(m, 8, memory.address(), 4096);
    m.fill(1, 64u);
    EXPECT_REPORT(m.attempt("buffer_load_dword v0, v1, s[8:11], 0 offen"), "lane 0: buffer load");
    EXPECT_REPORT(m.attempt("buffer_load_format_x v0, v1, s[8:11], 0 offen"), "not implemented");
}

// ---- records: a stride, an index, the lane, swizzle ----

// The fields of a resource (ISA guide, table 48).
struct record_buffer {
    uint32_t stride = 0;  // 18 bits with add_tid, else 14
    uint32_t records = 0;
    bool swizzle = false;
    uint32_t index_stride = 8;
    bool add_tid = false;
};

void set_resource(machine& m, int reg, uint64_t base, const record_buffer& b) {
    uint32_t index_stride_code = 0;
    while (8u << index_stride_code != b.index_stride) {
        ++index_stride_code;
    }
    m.s(reg) = static_cast<uint32_t>(base);
    m.s(reg + 1) = (static_cast<uint32_t>(base >> 32) & 0xffff) | (b.stride & 0x3fff) << 16 |
                   (b.swizzle ? 1u << 31 : 0);
    m.s(reg + 2) = b.records;
    m.s(reg + 3) = (b.add_tid ? b.stride >> 14 << 15 | 1u << 23 : 4u << 15) | index_stride_code
                                                                                  << 21;
}

// ISA guide 9.1.5.2, with elements of 4 bytes; without the base and soffset.
uint64_t buffer_offset(const record_buffer& b, uint64_t index, uint64_t offset) {
    if (!b.swizzle) {
        return b.stride * index + offset;
    }
    const uint64_t index_msb = index / b.index_stride;
    const uint64_t index_lsb = index % b.index_stride;
    const uint64_t offset_msb = offset / 4;
    const uint64_t offset_lsb = offset % 4;
    return (index_msb * b.stride + offset_msb * 4) * b.index_stride + index_lsb * 4 + offset_lsb;
}

// Ways to a record: what the instruction says, what a lane's index and offset are.
struct record_way {
    const char* name;
    const char* modifiers;
    bool has_index;
    bool has_offset;
    uint32_t soffset;
    uint32_t imm;
};

constexpr record_way record_ways[] = {
    {"index", "idxen", true, false, 0, 8},
    {"index, soffset", "idxen", true, false, 128, 4},
    {"index and offset", "idxen offen", true, true, 0, 0},
    {"index, offset, soffset, imm", "idxen offen", true, true, 64, 4},
    {"offset", "offen", false, true, 4, 12},
    {"imm", "", false, false, 8, 4},
};

uint32_t index_of_lane(uint32_t l) {
    return (l * 37 + 11) % 64;  // each once
}

constexpr size_t record_memory = 16384;

struct record_case {
    record_buffer buffer;
    record_way way;
    int bytes;

    uint64_t record(uint32_t l) const {
        return (way.has_index ? index_of_lane(l) : 0) + (buffer.add_tid ? l : 0);
    }
    uint32_t offset(uint32_t l) const {
        // Bytes and words at every place of a dword, as far as they are in one.
        const uint32_t step = bytes >= 4 ? 4 : static_cast<uint32_t>(bytes);
        return (way.has_offset ? l * step % 16 : 0) + way.imm;
    }
    uint64_t byte(uint32_t l) const {
        return buffer_offset(buffer, record(l), offset(l)) + way.soffset;
    }
    // Bytes that are moved.
    int in_range(uint32_t l) const {
        if (buffer.add_tid) {
            return bytes;
        }
        if (way.has_index) {
            return index_of_lane(l) < buffer.records ? bytes : 0;
        }
        int inside = 0;
        const int unit = bytes < 4 ? bytes : 4;
        while (inside < bytes && byte(l) + static_cast<uint64_t>(inside + unit) <= buffer.records) {
            inside += unit;
        }
        return inside;
    }
    std::string vaddr() const {
        return way.has_index && way.has_offset ? "v[10:11]"
               : way.has_index                 ? "v10"
               : way.has_offset                ? "v11"
                                               : "off";
    }
    std::string rest() const {
        return ", s[8:11], s3 " + std::string(way.modifiers) + " offset:" + std::to_string(way.imm);
    }
    void prepare(machine& m, const device_bytes& memory) const {
        set_resource(m, 8, memory.address(), buffer);
        m.s(3) = way.soffset;
        m.fill(10, index_of_lane);
        m.fill(11, [&](uint32_t l) { return offset(l) - way.imm; });
        m.set_exec(~uint64_t{1 << 5});
    }
    friend std::ostream& operator<<(std::ostream& to, const record_case& c) {
        return to << c.way.name << ", stride " << c.buffer.stride << ", records "
                  << c.buffer.records << (c.buffer.swizzle ? ", swizzle " : ", linear ")
                  << c.buffer.index_stride << (c.buffer.add_tid ? ", add_tid" : "") << ", "
                  << c.bytes << " bytes";
    }
};

// All that have a documented meaning.
template <class F>
void for_each_record_case(int bytes, F&& f) {
    for (const record_way& way : record_ways) {
        for (const bool add_tid : {false, true}) {
            for (const uint32_t stride : {20u, 36u, 64u}) {
                f(record_case{{.stride = stride, .records = 41, .add_tid = add_tid}, way, bytes});
                if (bytes > 4 || (!way.has_index && !add_tid)) {
                    continue;
                }
                for (const uint32_t index_stride : {8u, 16u, 32u, 64u}) {
                    f(record_case{{stride, 41, true, index_stride, add_tid}, way, bytes});
                }
            }
        }
    }
}

// What is counted of the instruction (isa/accesses.hpp): its lanes' bytes that are in the buffer.
void check_counted(machine& m, const std::string& text, const device_bytes& memory,
                   const record_case& c) {
    const std::vector<std::byte>& code = assemble(m.target(), text);
    program decoded(m.target(), code.data(), code.size(), machine::base);
    const instruction& i = decoded.at(machine::base);
    const lane_accesses found = find_accesses(m.w(), i, 0);
    for (uint32_t l = 0; l < 64; ++l) {
        const int bytes = l == 5 ? 0 : c.in_range(l);
        ASSERT_EQ(found.lanes >> l & 1, bytes != 0 ? 1u : 0u)
            << text << ", " << c << ", lane " << l;
        if (bytes != 0) {
            ASSERT_EQ(found.bytes[l], bytes) << text << ", " << c << ", lane " << l;
            ASSERT_EQ(found.address[l], memory.address() + c.byte(l)) << text << ", " << c;
        }
    }
    // Offsets count from one place where neither index, lane nor swizzle say where.
    const bool is_linear = !c.buffer.swizzle && !c.buffer.add_tid && !c.way.has_index;
    const auto window = find_window(m.w(), i);
    ASSERT_EQ(window.has_value(), is_linear && c.way.soffset <= c.buffer.records) << text << c;
    if (window) {
        ASSERT_EQ(window->start, memory.address() + c.way.soffset);
        ASSERT_EQ(window->bytes, c.buffer.records - c.way.soffset);
    }
    ASSERT_EQ(offset_row(m.w(), i), c.way.has_offset && !c.way.has_index ? &m.v(11) : nullptr);
}

// soffset may be all of the buffer, and no more.
TEST(buffer, window_of_offsets) {
    machine m(gfx_target::gfx942);
    const char* text = "buffer_load_dword v0, v1, s[8:11], s3 offen";
    const std::vector<std::byte>& code = assemble(m.target(), text);
    program decoded(m.target(), code.data(), code.size(), machine::base);
    const instruction& i = decoded.at(machine::base);
    set_resource(m, 8, 0x1000, 64);
    for (const uint32_t soffset : {0u, 63u, 64u, 65u}) {
        m.s(3) = soffset;
        const auto window = find_window(m.w(), i);
        ASSERT_EQ(window.has_value(), soffset <= 64);
        if (window) {
            EXPECT_EQ(window->start, 0x1000u + soffset);
            EXPECT_EQ(window->bytes, 64 - soffset);
        }
    }
}

TEST(buffer, loads_of_records) {
    device_bytes memory(record_memory);
    for (size_t n = 0; n < record_memory; n += 4) {
        memory.set<uint32_t>(n, static_cast<uint32_t>(n * 0x9e3779b1u + 0x7f4a7c15u));
    }
    for (const gfx_target target : both_targets) {
        int cases = 0;
        for (const width_case& load : loads) {
            machine m(target);
            for_each_record_case(load.bytes, [&](const record_case& c) {
                ++cases;
                c.prepare(m, memory);
                for (int r = 0; r < 4; ++r) {
                    m.fill(r, 0xdeadbeefu);
                }
                const std::string text = std::string(load.name) + " " + data_registers(c.bytes) +
                                         ", " + c.vaddr() + c.rest();
                check_counted(m, text, memory, c);
                m.run(text);
                for (uint32_t l = 0; l < 64; ++l) {
                    uint32_t expected[4] = {};
                    std::memcpy(expected, memory.data() + c.byte(l),
                                static_cast<size_t>(c.in_range(l)));
                    if (load.sign_extend) {
                        const int unused = 32 - 8 * load.bytes;
                        expected[0] = static_cast<uint32_t>(
                            static_cast<int32_t>(expected[0] << unused) >> unused);
                    }
                    for (int d = 0; d < 4; ++d) {
                        const bool is_written = l != 5 && (d == 0 || 4 * d < c.bytes);
                        ASSERT_EQ(m.v(d)[l], is_written ? expected[d] : 0xdeadbeefu)
                            << name_of(target) << ", " << load.name << ", " << c << ", lane " << l
                            << ", dword " << d;
                    }
                }
            });
        }
        EXPECT_EQ(cases, 8 * 36 + 5 * 120);
    }
}

TEST(buffer, stores_of_records) {
    device_bytes memory(record_memory);
    for (const gfx_target target : both_targets) {
        for (const width_case& store : stores) {
            machine m(target);
            for_each_record_case(store.bytes, [&](const record_case& c) {
                c.prepare(m, memory);
                std::memset(memory.data(), 0xcc, record_memory);
                std::vector<std::byte> expected(memory.data(), memory.data() + record_memory);
                for (int r = 0; r < 4; ++r) {
                    m.fill(r, [&](uint32_t l) {
                        return 0x9e3779b1u * (4 * l + static_cast<uint32_t>(r) + 1);
                    });
                }
                for (uint32_t l = 0; l < 64; ++l) {
                    uint32_t value[4];
                    for (int r = 0; r < 4; ++r) {
                        value[r] = m.v(r)[l];
                    }
                    if (l != 5) {
                        std::memcpy(expected.data() + c.byte(l), value,
                                    static_cast<size_t>(c.in_range(l)));
                    }
                }
                m.run(std::string(store.name) + " " + data_registers(c.bytes) + ", " + c.vaddr() +
                      c.rest());
                ASSERT_EQ(std::memcmp(memory.data(), expected.data(), record_memory), 0)
                    << name_of(target) << ", " << store.name << ", " << c;
            });
        }
    }
}

// Of an index only the index is checked (9.1.5.1), whatever the offset; without one bytes count, and
// the stride is of no account.
TEST(buffer, range_of_records) {
    for (const gfx_target target : both_targets) {
        machine m(target, 4096);
        device_bytes memory(1024);
        for (uint32_t n = 0; n < 256; ++n) {
            memory.set<uint32_t>(4 * n, 1000 + n);
        }
        for (const bool swizzle : {false, true}) {
            set_resource(m, 8, memory.address(), {.stride = 16, .records = 10, .swizzle = swizzle});
            m.fill(10, [](uint32_t l) { return 9 + l % 2; });
            m.run("buffer_load_dword v0, v10, s[8:11], 0 idxen offset:60");
            const uint64_t last = swizzle ? 16 * 8 + 60 * 8 + 4 : 9 * 16 + 60;
            EXPECT_EQ(m.v(0)[0], memory.get<uint32_t>(last));
            EXPECT_EQ(m.v(0)[1], 0u);
            m.fill(10, 0xffffffffu);
            m.run("buffer_load_dword v0, v10, s[8:11], 0 idxen");
            EXPECT_EQ(m.v(0)[0], 0u);
            m.fill(10, 10);
            EXPECT_REPORT(m.attempt("buffer_atomic_add v0, v10, s[8:11], 0 idxen"),
                          "lane 0: buffer atomic out of range");
        }
        // Bytes: the last dword of four, the last byte.
        for (const uint32_t num_records : {63u, 64u}) {
            set_resource(m, 8, memory.address(), {.stride = 16, .records = num_records});
            m.run("buffer_load_dwordx4 v[0:3], off, s[8:11], 0 offset:48");
            EXPECT_EQ(m.v(2)[0], 1014u);
            EXPECT_EQ(m.v(3)[0], num_records == 64 ? 1015u : 0u);
            m.run("buffer_load_ubyte v0, off, s[8:11], 0 offset:62");
            EXPECT_EQ(m.v(0)[0], 0u);  // of 1015
            memory.set<uint8_t>(63, 7);
            m.run("buffer_load_ubyte v0, off, s[8:11], 0 offset:63");
            EXPECT_EQ(m.v(0)[0], num_records == 64 ? 7u : 0u);
            memory.set<uint8_t>(63, 0);
        }
        EXPECT_REPORT(m.attempt("buffer_atomic_add v0, off, s[8:11], 0 offset:64"),
                      "lane 0: buffer atomic out of range");
        // An index of a stride of 0 is the same record, and bytes count.
        set_resource(m, 8, memory.address(), {.stride = 0, .records = 8});
        m.fill(10, 1000);
        m.run("buffer_load_dwordx2 v[0:1], v10, s[8:11], 0 idxen offset:4");
        EXPECT_EQ(m.v(0)[0], 1001u);
        EXPECT_EQ(m.v(1)[0], 0u);
        // With the lane nothing is checked, with or without an index.
        set_resource(m, 8, memory.address(), {.stride = 4, .records = 0, .add_tid = true});
        m.run("buffer_load_dword v0, off, s[8:11], 0 offset:4");
        m.fill(10, 2);
        m.run("buffer_load_dword v1, v10, s[8:11], 0 idxen offset:4");
        EXPECT_EQ(m.v(0)[63], 1064u);
        EXPECT_EQ(m.v(1)[63], 1066u);
    }
}

// With add_tid the format's field is the upper part of the stride (table 45); the usual one, of
// word 3 = 0x00020000, is 4.
TEST(buffer, stride_of_18_bits) {
    constexpr uint32_t stride = (4u << 14) + 8;
    machine m(gfx_target::gfx942);
    device_bytes memory(3 * stride + 4);
    memory.set<uint32_t>(3 * stride, 77);
    set_resource(m, 8, memory.address(), {.stride = stride, .add_tid = true});
    EXPECT_EQ(m.s(11) & ~(1u << 23), 0x00020000u);
    m.set_exec(8);
    m.run("buffer_load_dword v0, off, s[8:11], 0");
    EXPECT_EQ(m.v(0)[3], 77u);
    // Without it the stride has 14 bits.
    m.s(11) &= ~(1u << 23);
    m.s(10) = 4;
    memory.set<uint32_t>(3 * 8, 78);
    m.fill(1, 3);
    m.run("buffer_load_dword v0, v1, s[8:11], 0 idxen");
    EXPECT_EQ(m.v(0)[3], 78u);
}

TEST(buffer, atomics_of_records) {
    for (const gfx_target target : both_targets) {
        for (const bool swizzle : {false, true}) {
            machine m(target);
            device_bytes memory(4096);
            const record_buffer b{
                .stride = 12, .records = 64, .swizzle = swizzle, .index_stride = 16};
            set_resource(m, 8, memory.address(), b);
            m.fill(0, [](uint32_t l) { return l + 1; });
            m.fill(10, index_of_lane);
            m.run("buffer_atomic_add v0, v10, s[8:11], 0 idxen offset:8 sc0");
            for (uint32_t l = 0; l < 64; ++l) {
                EXPECT_EQ(m.v(0)[l], 0u);
                EXPECT_EQ(memory.get<uint32_t>(buffer_offset(b, index_of_lane(l), 8)), l + 1);
            }
        }
    }
}

TEST(buffer, records_to_lds) {
    for (const gfx_target target : both_targets) {
        for (const bool swizzle : {false, true}) {
            for (const bool add_tid : {false, true}) {
                machine m(target, 4096);
                device_bytes memory(8192);
                for (uint32_t n = 0; n < 2048; ++n) {
                    memory.set<uint32_t>(4 * n, 1000 + n);
                }
                const record_buffer b{16, 40, swizzle, 32, add_tid};
                set_resource(m, 8, memory.address(), b);
                std::fill(m.lds().begin(), m.lds().end(), std::byte{0xcc});
                m.fill(10, index_of_lane);
                m.run("s_mov_b32 m0, 64\n buffer_load_dword v10, s[8:11], 0 idxen offset:4 lds");
                for (uint32_t l = 0; l < 64; ++l) {
                    const uint64_t record = index_of_lane(l) + (add_tid ? l : 0);
                    const bool is_inside = add_tid || record < 40;
                    uint32_t value = 0;
                    std::memcpy(&value, &m.lds()[64 + 4 + 4 * l], 4);
                    EXPECT_EQ(value,
                              is_inside ? memory.get<uint32_t>(buffer_offset(b, record, 4)) : 0u);
                }
            }
        }
    }
}

// By a byte offset alone, as a GEMM of others reads that is right on an MI355X: the swizzle counts for
// nothing, the range is num_records bytes, and an access may have any size.
TEST(buffer, a_swizzled_resource_by_offset_is_linear) {
    for (const gfx_target target : both_targets) {
        machine m(target, 4096);
        device_bytes memory(4096);
        for (uint32_t n = 0; n < 4096; ++n) {
            memory.set<uint8_t>(n, pattern(n));
        }
        for (const uint32_t stride : {4u, 18u, 8192u}) {
            const record_buffer b{.stride = stride, .records = 1000, .swizzle = true};
            set_resource(m, 8, memory.address(), b);
            m.s(12) = 8;
            for (uint32_t l = 0; l < 64; ++l) {
                m.v(1)[l] = l * 16;
            }
            m.run("buffer_load_dwordx4 v[4:7], v1, s[8:11], s12 offen offset:4");
            m.run("buffer_load_ushort v8, off, s[8:11], s12 offset:21");
            for (uint32_t l = 0; l < 64; ++l) {
                for (uint32_t k = 0; k < 4; ++k) {
                    const uint32_t place = l * 16 + 12 + k * 4;
                    EXPECT_EQ(m.v(static_cast<int>(4 + k))[l],
                              place + 4 <= 1000 ? memory.get<uint32_t>(place) : 0u);
                }
                EXPECT_EQ(m.v(8)[l], memory.get<uint16_t>(29));
            }
            m.fill(9, 0x1234567u);
            m.run("buffer_store_dword v9, v1, s[8:11], 0 offen offset:8");
            for (uint32_t l = 0; l < 62; ++l) {
                EXPECT_EQ(memory.get<uint32_t>(l * 16 + 8), 0x1234567u);
                EXPECT_EQ(memory.get<uint8_t>(l * 16 + 12), pattern(l * 16 + 12));
                for (uint32_t k = 0; k < 4; ++k) {
                    memory.set<uint8_t>(l * 16 + 8 + k, pattern(l * 16 + 8 + k));
                }
            }
        }
    }
}

TEST(buffer, refuses_swizzles_without_a_meaning) {
    machine m(gfx_target::gfx950, 4096);
    device_bytes memory(4096);
    record_buffer b{.stride = 16, .records = 64, .swizzle = true};
    const auto refused = [&](const std::string& text, const std::string& report) {
        set_resource(m, 8, memory.address(), b);
        EXPECT_REPORT(m.attempt(text), report) << text;
    };
    m.fill(1, 0u);
    m.fill(2, 0u);
    m.fill(3, 3u);
    // What is in more than one element.
    const char* wide = "lane 0: .* are not in one element of 4 bytes of a swizzled buffer";
    refused("buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 idxen", wide);
    refused("buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 idxen", wide);
    refused("buffer_load_ushort v4, v[2:3], s[8:11], 0 idxen offen", wide);
    refused("buffer_load_dword v4, v1, s[8:11], 0 idxen offset:6", wide);
    refused("buffer_atomic_add_x2 v[4:5], v1, s[8:11], 0 idxen", wide);
    refused("s_mov_b32 m0, 0\n buffer_load_dwordx4 v1, s[8:11], 0 idxen lds", wide);
    b.stride = 18;
    refused("buffer_load_dword v0, v1, s[8:11], 0 idxen", "must be a multiple of its elements");
    b.stride = 0;
    refused("buffer_load_dword v0, v1, s[8:11], 0 idxen", "has no range check in the ISA guide");
    // Lanes that are off ask for nothing.
    b.stride = 16;
    set_resource(m, 8, memory.address(), b);
    m.set_exec(0);
    m.run("buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 idxen");
}

TEST(buffer, loads_to_lds) {
    for (const gfx_target target : both_targets) {
        machine m(target, 4096);
        device_bytes memory(2048);
        for (uint32_t n = 0; n < 2048; ++n) {
            memory.set<uint8_t>(n, pattern(n));
        }
        set_resource(m, 8, memory.address(), 1024);
        struct row {
            const char* name;
            int bytes;
            uint32_t step;
            bool sign;
        };
        const row rows[] = {{"ubyte", 1, 4, false},     {"sbyte", 1, 4, true},
                            {"ushort", 2, 4, false},    {"dword", 4, 4, false},
                            {"dwordx3", 12, 16, false}, {"dwordx4", 16, 16, false}};
        for (const row& r : rows) {
            if (target == gfx_target::gfx942 && r.bytes > 4) {
                continue;
            }
            std::fill(m.lds().begin(), m.lds().end(), std::byte{0xcc});
            // Lane 63 starts at byte 63 * 16 + 8 + 16: the last one is out of range.
            m.fill(10, [&](uint32_t l) { return l * 16; });
            m.s(3) = 8;
            m.set_exec(~uint64_t{1 << 5});
            m.run("s_mov_b32 m0, 64\n buffer_load_" + std::string(r.name) +
                  " v10, s[8:11], s3 offen offset:16 lds");
            std::vector<std::byte> expected(4096, std::byte{0xcc});
            for (uint32_t l = 0; l < 64; ++l) {
                if (l == 5) {
                    continue;
                }
                const uint64_t byte = l * 16 + 8 + 16;
                const width_case as_load{r.name, r.bytes, r.sign};
                const int dwords = r.bytes < 4 ? 1 : r.bytes / 4;
                for (int d = 0; d < dwords; ++d) {
                    const uint32_t value = expected_load(as_load, byte, 1024, d);
                    std::memcpy(&expected[64 + 16 + l * r.step + 4 * static_cast<uint32_t>(d)],
                                &value, 4);
                }
            }
            EXPECT_EQ(m.lds(), expected) << name_of(target) << " " << r.name;
        }
    }
}

TEST(buffer, atomics) {
    machine m(gfx_target::gfx950);
    device_bytes memory(1024);
    set_resource(m, 8, memory.address(), 1024);
    m.fill(0, [](uint32_t l) { return l; });
    m.fill(10, 0u);  // all lanes on the same dword, in order
    memory.set<uint32_t>(0, 1000);
    m.run("buffer_atomic_add v0, v10, s[8:11], 0 offen sc0");
    EXPECT_EQ(memory.get<uint32_t>(0), 1000u + 63 * 64 / 2);
    EXPECT_EQ(m.v(0)[0], 1000u);
    EXPECT_EQ(m.v(0)[3], 1003u);
    m.fill(0, [](uint32_t l) { return l; });
    m.run("buffer_atomic_umax v0, v10, s[8:11], 0 offen offset:4");
    EXPECT_EQ(memory.get<uint32_t>(4), 63u);
    EXPECT_EQ(m.v(0)[3], 3u);  // without sc0 nothing is returned
    m.fill(0, bits(0.5f));
    m.run("buffer_atomic_add_f32 v0, v10, s[8:11], 0 offen offset:8");
    EXPECT_EQ(memory.get<float>(8), 32.0f);
    m.fill(0, uint32_t{half(1.0f)} | uint32_t{half(-2.0f)} << 16);
    m.run("buffer_atomic_pk_add_f16 v0, v10, s[8:11], 0 offen offset:12");
    EXPECT_EQ(memory.get<uint32_t>(12), uint32_t{half(64.0f)} | uint32_t{half(-128.0f)} << 16);
    m.fill(0, bits(1.0f) >> 16 | (bits(2.0f) & 0xffff0000));
    m.run("buffer_atomic_pk_add_bf16 v0, v10, s[8:11], 0 offen offset:16");
    EXPECT_EQ(memory.get<uint32_t>(16), bits(64.0f) >> 16 | (bits(128.0f) & 0xffff0000));
    // {data, compare}: lane 0 sees 0 and stores 5, the others find 5.
    m.fill(0, 5u);
    m.fill(1, 0u);
    m.run("buffer_atomic_cmpswap v[0:1], v10, s[8:11], 0 offen offset:20 sc0");
    EXPECT_EQ(memory.get<uint32_t>(20), 5u);
    EXPECT_EQ(m.v(0)[0], 0u);
    EXPECT_EQ(m.v(0)[1], 5u);
    // inc: old >= data ? 0 : old + 1
    m.fill(0, 9u);
    m.run("buffer_atomic_inc v0, v10, s[8:11], 0 offen offset:24");
    EXPECT_EQ(memory.get<uint32_t>(24), 4u);
    m.fill(0, 0u);
    m.fill(1, 1u);
    m.run("buffer_atomic_add_x2 v[0:1], v10, s[8:11], 0 offen offset:32");
    EXPECT_EQ(memory.get<uint64_t>(32), 64ull << 32);
    m.fill(10, 1024u);
    EXPECT_REPORT(m.attempt("buffer_atomic_add v0, v10, s[8:11], 0 offen"), "atomic out of range");
}

TEST(buffer, caches_are_no_ops) {
    machine m(gfx_target::gfx942);
    m.run("buffer_wbl2 sc0 sc1\n buffer_inv sc0 sc1\n s_waitcnt vmcnt(0) lgkmcnt(0)\n s_dcache_wb");
    EXPECT_EQ(m.w().instructions, 5u);
}

}  // namespace
}  // namespace emu
