// Raw buffer instructions: addressing, the range check of every dword, LDS-DMA, atomics.
#include <algorithm>

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

TEST(buffer, refuses_what_is_not_raw) {
    machine m(gfx_target::gfx942);
    device_bytes memory(64);
    set_resource(m, 8, memory.address(), 64);
    m.s(9) |= 1u << 31;
    EXPECT_REPORT(m.attempt("buffer_load_dword v0, off, s[8:11], 0"), "swizzle");
    set_resource(m, 8, memory.address(), 64);
    m.s(11) |= 1u << 23;
    EXPECT_REPORT(m.attempt("buffer_load_dword v0, off, s[8:11], 0"), "add_tid");
    set_resource(m, 8, memory.address(), 64);
    EXPECT_REPORT(m.attempt("buffer_load_dword v0, v1, s[8:11], 0 idxen"),
                  "modifier idxen of buffer_load_dword is not supported");
    // num_records beyond the allocation
    set_resource(m, 8, memory.address(), 4096);
    m.fill(1, 64u);
    EXPECT_REPORT(m.attempt("buffer_load_dword v0, v1, s[8:11], 0 offen"), "lane 0: buffer load");
    EXPECT_REPORT(m.attempt("buffer_load_format_x v0, v1, s[8:11], 0 offen"), "not implemented");
}

TEST(buffer, stride_without_an_index) {
    // 64 bytes, or 64 records of 16: without an index the stride changes no address, and neither does
    // cache swizzle.
    for (const gfx_target target : both_targets) {
        machine m(target, 4096);
        device_bytes memory(64 * 16);
        for (uint32_t n = 0; n < 64; ++n) {
            memory.set<uint32_t>(4 * n, 1000 + n);
        }
        set_resource(m, 8, memory.address(), 64);
        m.s(9) |= (1u << 14 | 16u) << 16;
        m.fill(1, [](uint32_t l) { return 4 * (l % 15); });
        m.run("buffer_load_dword v0, v1, s[8:11], 0 offen offset:4");
        m.run("buffer_atomic_add v0, v1, s[8:11], 0 offen sc0");
        for (uint32_t l = 0; l < 14; ++l) {
            EXPECT_GE(m.v(0)[l], 1000 + l);
        }
        m.fill(2, 7);
        m.set_exec(1);
        m.run("buffer_store_dword v2, v1, s[8:11], 0 offen offset:60");
        EXPECT_EQ(memory.get<uint32_t>(60), 7u);
        m.run("buffer_load_dword v0, v1, s[8:11], 0 offen offset:60");
        EXPECT_EQ(m.v(0)[0], 7u);
        // The next dword is out of range by bytes, and in range by records.
        const char* message =
            "lane 0: byte 64 of a buffer resource with num_records = 64 and a stride of 16: "
            "whether "
            "that counts bytes or records is open";
        for (const char* name : {"buffer_load_dword v0", "buffer_store_dword v2",
                                 "buffer_atomic_add v2", "buffer_load_ubyte v0"}) {
            EXPECT_REPORT(m.attempt(std::string(name) + ", v1, s[8:11], 0 offen offset:64"),
                          message);
        }
        EXPECT_REPORT(m.attempt("buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen offset:52"),
                      "lane 0: byte 52 of");
        m.s(124) = 0;  // M0
        EXPECT_REPORT(m.attempt("buffer_load_dword v1, s[8:11], 0 offen offset:64 lds"), message);
        // Lanes that are off ask for nothing.
        m.set_exec(0);
        m.run("buffer_load_dword v0, v1, s[8:11], 0 offen offset:64");
    }
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
