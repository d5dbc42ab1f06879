// LDS instructions and the lane shuffles that go through LDS hardware.
#include <bitset>
#include <limits>

#include "isa/accesses.hpp"
#include "machine.hpp"

namespace emu {
namespace {

template <class T>
T get(machine& m, size_t byte) {
    T value;
    std::memcpy(&value, m.lds().data() + byte, sizeof(T));
    return value;
}

template <class T>
void set(machine& m, size_t byte, T value) {
    std::memcpy(m.lds().data() + byte, &value, sizeof(T));
}

constexpr uint32_t lds_bytes = 65536;

TEST(lds, reads_of_every_width) {
    for (const gfx_target target : both_targets) {
        machine m(target, lds_bytes);
        for (uint32_t n = 0; n < lds_bytes; ++n) {
            set<uint8_t>(m, n, static_cast<uint8_t>(n * 151 + 0x80));
        }
        m.fill(10, [](uint32_t l) { return l * 17; });  // unaligned for most
        struct row {
            const char* name;
            int dwords;
        };
        for (const row& r : {row{"b32", 1}, row{"b64", 2}, row{"b96", 3}, row{"b128", 4}}) {
            const std::string data = "v[0:" + std::to_string(r.dwords - 1) + "]";
            for (int d = 0; d < 4; ++d) {
                m.fill(d, 7u);
            }
            m.run(std::string("ds_read_") + r.name + " " + data + ", v10 offset:260");
            for (uint32_t l = 0; l < 64; ++l) {
                for (int d = 0; d < 4; ++d) {
                    EXPECT_EQ(m.v(d)[l],
                              d < r.dwords
                                  ? get<uint32_t>(m, l * 17 + 260 + 4 * static_cast<uint32_t>(d))
                                  : 7u);
                }
            }
        }
        m.fill(0, 0x11112222u);
        m.run(
            "ds_read_u8 v1, v10\n ds_read_i8 v2, v10\n ds_read_u16 v3, v10\n ds_read_i16 v4, v10\n"
            "v_mov_b32 v5, v0\n ds_read_u8_d16 v5, v10\n v_mov_b32 v6, v0\n"
            "ds_read_i8_d16_hi v6, v10\n v_mov_b32 v7, v0\n ds_read_u16_d16_hi v7, v10");
        for (uint32_t l = 0; l < 64; ++l) {
            const uint8_t byte = get<uint8_t>(m, l * 17);
            const uint16_t word = get<uint16_t>(m, l * 17);
            EXPECT_EQ(m.v(1)[l], byte);
            EXPECT_EQ(m.v(2)[l], static_cast<uint32_t>(int32_t{static_cast<int8_t>(byte)}));
            EXPECT_EQ(m.v(3)[l], word);
            EXPECT_EQ(m.v(4)[l], static_cast<uint32_t>(int32_t{static_cast<int16_t>(word)}));
            EXPECT_EQ(m.v(5)[l], 0x11110000u | byte);
            EXPECT_EQ(m.v(6)[l], 0x2222u | static_cast<uint32_t>(int32_t{static_cast<int8_t>(byte)})
                                               << 16);
            EXPECT_EQ(m.v(7)[l], 0x2222u | uint32_t{word} << 16);
        }
    }
}

TEST(lds, writes_of_every_width_under_exec) {
    machine m(gfx_target::gfx942, 4096);
    const uint64_t exec = 0x8000000000000005;
    m.set_exec(exec);
    m.fill(10, [](uint32_t l) { return l * 32; });
    for (int d = 0; d < 4; ++d) {
        m.fill(d,
               [=](uint32_t l) { return l * 0x01010101 + 0x40302010 + static_cast<uint32_t>(d); });
    }
    m.run(
        "ds_write_b128 v10, v[0:3]\n ds_write_b8 v10, v0 offset:16\n ds_write_b16 v10, v0 "
        "offset:18\n"
        "ds_write_b8_d16_hi v10, v0 offset:20\n ds_write_b16_d16_hi v10, v0 offset:22\n"
        "ds_write_b64 v10, v[2:3] offset:24");
    for (uint32_t l = 0; l < 64; ++l) {
        const bool on = (exec >> l & 1) != 0;
        const uint32_t value = l * 0x01010101 + 0x40302010;
        for (uint32_t d = 0; d < 4; ++d) {
            EXPECT_EQ(get<uint32_t>(m, l * 32 + 4 * d), on ? value + d : 0);
        }
        EXPECT_EQ(get<uint16_t>(m, l * 32 + 16), on ? value & 0xff : 0);
        EXPECT_EQ(get<uint16_t>(m, l * 32 + 18), on ? value & 0xffff : 0);
        EXPECT_EQ(get<uint16_t>(m, l * 32 + 20), on ? value >> 16 & 0xff : 0);
        EXPECT_EQ(get<uint16_t>(m, l * 32 + 22), on ? value >> 16 : 0);
        EXPECT_EQ(get<uint64_t>(m, l * 32 + 24),
                  on ? uint64_t{value + 2} | uint64_t{value + 3} << 32 : 0);
    }
}

// Lanes whose bytes follow each other are moved as one block. So that lane l has other bytes than its
// neighbours in any other case, one lane is elsewhere, or off.
TEST(lds, lanes_that_follow_each_other) {
    struct row {
        const char* name;
        uint32_t dwords;
    };
    for (const row& r : {row{"b32", 1}, row{"b64", 2}, row{"b96", 3}, row{"b128", 4}}) {
        for (const uint32_t elsewhere : {64u, 0u, 1u, 31u, 62u, 63u}) {
            for (const uint64_t exec : {~uint64_t{0}, ~uint64_t{1} << 40, ~uint64_t{1} << 63}) {
                SCOPED_TRACE(std::string(r.name) + " lane " + std::to_string(elsewhere) +
                             " is elsewhere, exec " + std::to_string(exec));
                machine m(gfx_target::gfx942, lds_bytes);
                for (uint32_t n = 0; n < lds_bytes; n += 4) {
                    set<uint32_t>(m, n, n * 7);
                }
                const auto address = [&](uint32_t l) {
                    return 4 * r.dwords * l + (l == elsewhere ? 4096u : 0u);
                };
                m.fill(10, address);
                for (int d = 0; d < 4; ++d) {
                    m.fill(d, 5u);
                }
                const std::string last = std::to_string(r.dwords - 1);
                m.set_exec(exec);
                m.run(std::string("ds_read_") + r.name + " v[0:" + last + "], v10 offset:16\n" +
                      "ds_write_" + r.name + " v10, v[0:" + last + "] offset:20000");
                for (uint32_t l = 0; l < 64; ++l) {
                    const bool on = (exec >> l & 1) != 0;
                    for (uint32_t d = 0; d < r.dwords; ++d) {
                        const uint32_t byte = address(l) + 4 * d;
                        const uint32_t read = (byte + 16) * 7;
                        EXPECT_EQ(m.v(static_cast<int>(d))[l], on ? read : 5u) << l;
                        EXPECT_EQ(get<uint32_t>(m, byte + 20000), on ? read : (byte + 20000) * 7)
                            << l;
                    }
                }
                EXPECT_EQ(get<uint32_t>(m, 19996), 19996 * 7u);
                EXPECT_EQ(get<uint32_t>(m, 20000 + 256 * r.dwords), (20000 + 256 * r.dwords) * 7u);
            }
        }
    }
}

TEST(lds, two_addresses) {
    machine m(gfx_target::gfx950, lds_bytes);
    m.fill(10, [](uint32_t l) { return l * 8; });
    m.fill(0, [](uint32_t l) { return 100 + l; });
    m.fill(1, [](uint32_t l) { return 200 + l; });
    m.run(
        "ds_write2_b32 v10, v0, v1 offset1:1\n ds_read2_b32 v[2:3], v10 offset0:1 offset1:0\n"
        "ds_write2st64_b32 v10, v0, v1 offset0:3 offset1:5\n"
        "ds_read2st64_b32 v[4:5], v10 offset0:5 offset1:3");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(2)[l], 200 + l);
        EXPECT_EQ(m.v(3)[l], 100 + l);
        EXPECT_EQ(m.v(4)[l], 200 + l);
        EXPECT_EQ(m.v(5)[l], 100 + l);
        EXPECT_EQ(get<uint32_t>(m, l * 8 + 5 * 256), 200 + l);
    }
    m.run(
        "ds_write2_b64 v10, v[0:1], v[2:3] offset0:70 offset1:140\n"
        "ds_read2st64_b64 v[4:7], v10 offset0:0 offset1:1");
    for (uint32_t l = 0; l < 50; ++l) {
        EXPECT_EQ(get<uint64_t>(m, l * 8 + 560), uint64_t{100 + l} | uint64_t{200 + l} << 32);
        EXPECT_EQ(m.v(6)[l], get<uint32_t>(m, l * 8 + 512));
    }
}

// Compilers pair a negative address with a larger offset: their sum is taken in 32 bits.
TEST(lds, addresses_wrap_at_32_bits) {
    for (const gfx_target target : both_targets) {
        machine m(target, 1024);
        for (uint32_t n = 0; n < 1024; n += 4) {
            set<uint32_t>(m, n, n);
        }
        m.fill(10, [](uint32_t l) { return 0u - 4 * l; });
        m.run("ds_read_b32 v0, v10 offset:508\n ds_read2_b32 v[2:3], v10 offset0:127 offset1:128");
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(m.v(0)[l], 508 - 4 * l);
            EXPECT_EQ(m.v(2)[l], 508 - 4 * l);
            EXPECT_EQ(m.v(3)[l], 512 - 4 * l);
        }
        m.fill(1, 7u);
        m.run("ds_write_b32 v10, v1 offset:508");
        EXPECT_EQ(get<uint32_t>(m, 508 - 4 * 63), 7u);
    }
}

TEST(lds, out_of_bounds_fails) {
    machine m(gfx_target::gfx942, 256);
    m.fill(10, [](uint32_t l) { return l * 4; });
    m.run("ds_read_b32 v0, v10");
    EXPECT_REPORT(m.attempt("ds_read_b32 v0, v10 offset:4"),
                  "lane 63: LDS access of 4 bytes at 256");
    EXPECT_REPORT(m.attempt("ds_write_b64 v10, v[0:1]"), "lane 63");
}

TEST(lds, atomics) {
    struct row {
        const char* name;
        uint32_t before;
        uint32_t data;
        uint32_t after;
    };
    for (const row& r :
         {row{"add_u32", 5, 7, 12}, row{"sub_u32", 5, 7, 0xfffffffe}, row{"rsub_u32", 5, 7, 2},
          row{"inc_u32", 5, 7, 6}, row{"inc_u32", 7, 7, 0}, row{"dec_u32", 0, 7, 7},
          row{"dec_u32", 9, 7, 7}, row{"dec_u32", 5, 7, 4},
          row{"min_i32", 5, 0xffffffff, 0xffffffff}, row{"max_i32", 5, 0xffffffff, 5},
          row{"min_u32", 5, 0xffffffff, 5}, row{"max_u32", 5, 0xffffffff, 0xffffffff},
          row{"and_b32", 0xff, 0xf0f, 0xf}, row{"or_b32", 0xff, 0xf00, 0xfff},
          row{"xor_b32", 0xff, 0xf0f, 0xff0}, row{"add_f32", bits(1.5f), bits(2.0f), bits(3.5f)},
          row{"min_f32", bits(1.5f), bits(-2.0f), bits(-2.0f)},
          row{"max_f32", bits(1.5f), 0x7fc00000, bits(1.5f)}}) {
        machine m(gfx_target::gfx950, 256);
        set<uint32_t>(m, 8, r.before);
        m.fill(10, 0u);
        m.fill(1, r.data);
        m.set_exec(2);
        m.run(std::string("ds_") + r.name + " v10, v1 offset:8");
        EXPECT_EQ(get<uint32_t>(m, 8), r.after) << r.name;
        set<uint32_t>(m, 8, r.before);
        std::string returning = r.name;
        returning.replace(returning.find('_'), 1, "_rtn_");
        m.run("ds_" + returning + " v3, v10, v1 offset:8");
        EXPECT_EQ(get<uint32_t>(m, 8), r.after) << returning;
        EXPECT_EQ(m.v(3)[1], r.before) << returning;
        EXPECT_EQ(m.v(3)[0], 0u) << returning;
    }
    machine m(gfx_target::gfx942, 256);
    m.fill(10, 0u);
    m.fill(1, 0u);  // compare
    m.fill(2, [](uint32_t l) { return l + 1; });
    m.run("ds_cmpst_rtn_b32 v3, v10, v1, v2");
    EXPECT_EQ(get<uint32_t>(m, 0), 1u);
    EXPECT_EQ(m.v(3)[0], 0u);
    EXPECT_EQ(m.v(3)[9], 1u);
    m.fill(4, 0u);
    m.fill(5, [](uint32_t l) { return l + 1; });
    m.run("ds_wrxchg_rtn_b32 v3, v10, v2\n ds_add_u64 v10, v[4:5] offset:8");
    EXPECT_EQ(m.v(3)[0], 1u);
    EXPECT_EQ(m.v(3)[5], 5u);
    EXPECT_EQ(get<uint32_t>(m, 0), 64u);
    EXPECT_EQ(get<uint64_t>(m, 8), uint64_t{64 * 65 / 2} << 32);
}

// ISA guide 12.12, DS_CMPST_F32: tmp == cmp ? src : tmp, as floats.
TEST(lds, compare_and_store_of_floats) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    struct row {
        double memory;
        double compare;
        bool stores;
    };
    for (const row& r : {row{1.5, 1.5, true}, row{1.5, -1.5, false}, row{0.0, -0.0, true},
                         row{-0.0, 0.0, true}, row{nan, nan, false}, row{nan, 1, false}}) {
        for (const gfx_target target : both_targets) {
            for (const bool returns : {false, true}) {
                SCOPED_TRACE(testing::Message() << r.memory << " and " << r.compare);
                machine m(target, 64);
                const float compare = static_cast<float>(r.compare);
                set(m, 8, static_cast<float>(r.memory));
                set(m, 24, r.memory);
                const uint32_t before = get<uint32_t>(m, 8);
                const uint64_t before64 = get<uint64_t>(m, 24);
                m.fill(10, 0u);
                m.fill(20, bits(compare));
                m.fill(21, bits(7.0f));
                m.fill(22, static_cast<uint32_t>(bits(r.compare)));
                m.fill(23, static_cast<uint32_t>(bits(r.compare) >> 32));
                m.fill(24, 0x01234567u);
                m.fill(25, 0x40000000u);
                m.set_exec(4);
                m.run(returns ? "ds_cmpst_rtn_f32 v0, v10, v20, v21 offset:8\n"
                                "ds_cmpst_rtn_f64 v[2:3], v10, v[22:23], v[24:25] offset:24"
                              : "ds_cmpst_f32 v10, v20, v21 offset:8\n"
                                "ds_cmpst_f64 v10, v[22:23], v[24:25] offset:24");
                EXPECT_EQ(get<uint32_t>(m, 8), r.stores ? bits(7.0f) : before);
                EXPECT_EQ(get<uint64_t>(m, 24), r.stores ? 0x4000000001234567u : before64);
                EXPECT_EQ(m.v(0)[2], returns ? before : 0);
                EXPECT_EQ(m.v(2)[2], returns ? static_cast<uint32_t>(before64) : 0);
                EXPECT_EQ(m.v(3)[2], returns ? static_cast<uint32_t>(before64 >> 32) : 0);
                EXPECT_EQ(m.v(0)[1] | m.v(2)[1] | m.v(3)[1], 0u) << "a lane that is off";
            }
        }
    }
    // A denormal is compared as it is, or refused where MODE flushes it (bits 4 and 6).
    machine m(gfx_target::gfx950, 64);
    m.fill(10, 0u);
    m.fill(20, 1u);
    m.fill(21, 0u);
    m.fill(22, 5u);
    m.fill(23, 0u);
    m.run("ds_cmpst_f32 v10, v20, v22");
    EXPECT_EQ(get<uint32_t>(m, 0), 0u);
    for (const uint32_t flushes : {0x10u, 0x40u}) {
        const bool f32 = flushes == 0x10;
        const std::string f32_code =
            "ds_cmpst_f32 v10, v20, v22\n ds_cmpst_rtn_f32 v0, v10, v20, v22";
        const std::string f64_code =
            "ds_cmpst_f64 v10, v[20:21], v[22:23]\n"
            "ds_cmpst_rtn_f64 v[0:1], v10, v[20:21], v[22:23]";
        m.w().mode = default_mode & ~flushes;
        m.run(f32 ? f64_code : f32_code);
        EXPECT_REPORT(m.attempt(f32 ? f32_code : f64_code), "MODE flushes denormals");
    }
}

TEST(lds, wraps_a_counter) {
    struct row {
        uint32_t before;
        uint32_t subtracted;
        uint32_t added;
        uint32_t after;
    };
    for (const row& r : {row{10, 3, 100, 7}, row{3, 3, 100, 0}, row{2, 3, 100, 102},
                         row{0x80000000, 1, 5, 0x7fffffff}, row{1, 0x80000000, 5, 6},
                         row{0xfffffffe, 0xffffffff, 4, 2}}) {
        machine m(gfx_target::gfx942, 64);
        set(m, 12, r.before);
        m.fill(10, 4u);
        m.fill(1, r.subtracted);
        m.fill(2, r.added);
        m.set_exec(2);
        m.run("ds_wrap_rtn_b32 v3, v10, v1, v2 offset:8");
        EXPECT_EQ(get<uint32_t>(m, 12), r.after) << r.before;
        EXPECT_EQ(m.v(3)[1], r.before);
        EXPECT_EQ(m.v(3)[0], 0u);
    }
    // All lanes on one counter: 64 steps of 1 in a ring of 10.
    machine m(gfx_target::gfx950, 64);
    m.fill(10, 0u);
    m.fill(1, 1u);
    m.fill(2, 9u);
    m.run("ds_wrap_rtn_b32 v3, v10, v1, v2");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(3)[l], (10 - l % 10) % 10);
    }
    EXPECT_EQ(get<uint32_t>(m, 0), 6u);
}

TEST(lds, exchanges_two_elements) {
    struct row {
        const char* name;
        uint32_t dwords;
        uint32_t stride;  // bytes
    };
    for (const row& r : {row{"2_rtn_b32", 1, 4}, row{"2_rtn_b64", 2, 8},
                         row{"2st64_rtn_b32", 1, 256}, row{"2st64_rtn_b64", 2, 512}}) {
        for (const gfx_target target : both_targets) {
            SCOPED_TRACE(r.name);
            machine m(target, 2 * lds_bytes);
            for (uint32_t n = 0; n < 2 * lds_bytes; n += 4) {
                set<uint32_t>(m, n, n);
            }
            const uint64_t exec = 0x8000000000000005;
            m.set_exec(exec);
            m.fill(10, [](uint32_t l) { return 8 + l * 2032; });
            for (int d = 0; d < 4; ++d) {
                m.fill(20 + d,
                       [=](uint32_t l) { return 0x10000u * static_cast<uint32_t>(d + 1) + l; });
            }
            const bool wide = r.dwords == 2;
            m.run(std::string("ds_wrxchg") + r.name +
                  (wide ? " v[0:3], v10, v[20:21], v[22:23]" : " v[0:1], v10, v20, v21") +
                  " offset0:3 offset1:1");
            for (uint32_t l = 0; l < 64; ++l) {
                const bool on = (exec >> l & 1) != 0;
                for (uint32_t n = 0; n < 2 * r.dwords; ++n) {
                    const uint32_t element = n / r.dwords;
                    const uint32_t at =
                        8 + l * 2032 + (element == 0 ? 3 : 1) * r.stride + 4 * (n % r.dwords);
                    EXPECT_EQ(m.v(static_cast<int>(n))[l], on ? at : 0) << l;
                    EXPECT_EQ(get<uint32_t>(m, at), on ? 0x10000 * (n + 1) + l : at) << l;
                }
            }
        }
    }
    machine m(gfx_target::gfx942, 256);
    m.fill(10, [](uint32_t l) { return l * 4; });
    EXPECT_REPORT(m.attempt("ds_wrxchg2_rtn_b32 v[0:1], v10, v2, v3 offset1:1"),
                  "lane 63: LDS access of 4 bytes at 256");
    m.set_exec(~uint64_t{0} >> 1);
    m.run("ds_wrxchg2_rtn_b32 v[0:1], v10, v2, v3 offset1:1");
}

// ISA guide 11.3.1 and the pseudocode differ.
TEST(lds, two_elements_at_one_address_fail) {
    machine m(gfx_target::gfx942, 4096);
    m.fill(10, 0u);
    for (const char* text :
         {"ds_wrxchg2_rtn_b32 v[0:1], v10, v2, v3 offset0:2 offset1:2", "ds_write2_b32 v10, v2, v3",
          "ds_write2st64_b64 v10, v[2:3], v[4:5] offset0:1 offset1:1"}) {
        EXPECT_REPORT(m.attempt(text), "both offsets are the same");
    }
    set<uint32_t>(m, 8, 7);
    m.run("ds_read2_b32 v[0:1], v10 offset0:2 offset1:2");
    EXPECT_EQ(m.v(0)[0], 7u);
    EXPECT_EQ(m.v(1)[0], 7u);
}

TEST(lds, exchanges_what_has_its_high_bit_set) {
    for (const gfx_target target : both_targets) {
        machine m(target, 1024);
        for (uint32_t n = 0; n < 1024; n += 4) {
            set<uint32_t>(m, n, 0xf0000000 + n);
        }
        m.fill(10, [](uint32_t l) { return 8 * l + l % 8; });  // the low bits are dropped
        m.fill(20, [](uint32_t l) { return (l & 1) << 31 | (l + 100); });
        m.fill(21, [](uint32_t l) { return (l & 2) << 30 | (l + 200); });
        const uint64_t exec = ~uint64_t{0xf0};
        m.set_exec(exec);
        m.run("ds_condxchg32_rtn_b64 v[0:1], v10, v[20:21] offset:256");
        for (uint32_t l = 0; l < 64; ++l) {
            const bool on = (exec >> l & 1) != 0;
            const uint32_t at = 256 + 8 * l;
            EXPECT_EQ(m.v(0)[l], on ? 0xf0000000 + at : 0);
            EXPECT_EQ(m.v(1)[l], on ? 0xf0000004 + at : 0);
            EXPECT_EQ(get<uint32_t>(m, at), on && (l & 1) != 0 ? l + 100 : 0xf0000000 + at);
            EXPECT_EQ(get<uint32_t>(m, at + 4), on && (l & 2) != 0 ? l + 200 : 0xf0000004 + at);
        }
    }
    machine m(gfx_target::gfx950, 160 * 1024);
    m.set_exec(1);
    m.fill(10, 0xfff8u);
    m.run("ds_condxchg32_rtn_b64 v[0:1], v10, v[20:21]");
    EXPECT_REPORT(m.attempt("ds_condxchg32_rtn_b64 v[0:1], v10, v[20:21] offset:8"),
                  "lane 0: LDS address 65536 has more than the 16 bits");
    machine small(gfx_target::gfx942, 256);
    small.fill(10, 248u);
    small.run("ds_condxchg32_rtn_b64 v[0:1], v10, v[20:21]");
    EXPECT_REPORT(small.attempt("ds_condxchg32_rtn_b64 v[0:1], v10, v[20:21] offset:8"),
                  "lane 0: LDS access of 8 bytes at 256");
}

TEST(lds, counts_lanes) {
    for (const gfx_target target : both_targets) {
        machine m(target, 64);
        set<uint32_t>(m, 8, 5);
        m.fill(0, 77u);
        m.fill(1, 77u);
        const uint64_t exec = 0xf000000000000104;
        m.set_exec(exec);
        m.run("ds_append v0 offset:8");
        EXPECT_EQ(get<uint32_t>(m, 8), 11u);
        m.run("ds_consume v1 offset:8\n ds_consume v2 offset:8");
        EXPECT_EQ(get<uint32_t>(m, 8), 0xffffffffu) << "wraps below 0";
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(m.v(0)[l], (exec >> l & 1) != 0 ? 5u : 77u);
            EXPECT_EQ(m.v(1)[l], (exec >> l & 1) != 0 ? 11u : 77u);
        }
        EXPECT_REPORT(m.attempt("ds_append v0 offset:64"), "lane 2: LDS access of 4 bytes at 64");
        m.set_exec(0);
        m.run("ds_append v0 offset:8\n ds_append v0 offset:64");
        EXPECT_EQ(get<uint32_t>(m, 8), 0xffffffffu);
        // The guide ignores M0, compilers have the address there.
        EXPECT_REPORT(m.attempt("s_mov_b32 m0, 8\n ds_append v0"), "M0 is 8; whether it is added");
        EXPECT_REPORT(m.attempt("s_mov_b32 m0, 8\n ds_consume v0"), "M0 is 8; whether it is added");
    }
}

TEST(lds, addresses_from_the_lane) {
    for (const gfx_target target : both_targets) {
        machine m(target, lds_bytes);
        const uint64_t exec = 0x8000000000000103;
        m.fill(1, [](uint32_t l) { return 1000 + l; });
        m.set_exec(exec);
        m.run("s_mov_b32 m0, 0x12340100\n ds_write_addtid_b32 v1 offset:40");  // M0[15:0]
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(get<uint32_t>(m, 0x100 + 40 + 4 * l), (exec >> l & 1) != 0 ? 1000 + l : 0);
        }
        EXPECT_EQ(get<uint32_t>(m, 0x100 + 36), 0u);
        m.fill(2, 7u);
        m.run("ds_read_addtid_b32 v2 offset:36");
        for (uint32_t l = 0; l < 64; ++l) {
            const uint32_t stored = l == 1 || l == 2 || l == 9 ? 1000 + l - 1 : 0;
            EXPECT_EQ(m.v(2)[l], (exec >> l & 1) != 0 ? stored : 7u) << l;
        }
        const std::string beyond = "M0 and the offset add up to 65536, more than 16 bits";
        for (const char* text :
             {"ds_read_addtid_b32 v2 offset:4", "ds_write_addtid_b32 v2 offset:4"}) {
            EXPECT_REPORT(m.attempt(std::string("s_mov_b32 m0, 0xfffc\n") + text), beyond);
            EXPECT_REPORT(m.attempt(std::string("s_mov_b32 m0, 0xff08\n") + text),
                          "lane 63: LDS access of 4 bytes at 65544");
        }
        m.run("s_mov_b32 m0, 0xff00\n ds_read_addtid_b32 v2");
    }
}

// What the profile counts.
TEST(lds, accesses_that_are_counted) {
    machine m(gfx_target::gfx942, 1024);
    m.s(sreg::m0) = 0x12340010;
    m.set_exec(0x30);
    m.fill(3, [](uint32_t l) { return 100 * l; });
    struct row {
        const char* text;
        access_use use;
        int addresses;
        uint8_t bytes;
        uint64_t lanes;
        uint64_t first;   // of lane 4
        uint64_t second;  // address of lane 4, if there are two
    };
    for (const row& r :
         {row{"ds_append v0 offset:8", access_use::atomic, 1, 4, 0x10, 8, 0},
          row{"ds_consume v0 offset:12", access_use::atomic, 1, 4, 0x10, 12, 0},
          row{"ds_read_addtid_b32 v0 offset:8", access_use::read, 1, 4, 0x30, 0x10 + 8 + 16, 0},
          row{"ds_write_addtid_b32 v0 offset:8", access_use::write, 1, 4, 0x30, 0x10 + 8 + 16, 0},
          row{"ds_wrap_rtn_b32 v0, v3, v1, v2 offset:8", access_use::atomic, 1, 4, 0x30, 408, 0},
          row{"ds_cmpst_f64 v3, v[4:5], v[6:7]", access_use::atomic, 1, 8, 0x30, 400, 0},
          row{"ds_condxchg32_rtn_b64 v[0:1], v3, v[4:5]", access_use::atomic, 1, 8, 0x30, 400, 0},
          row{"ds_read_b32 v0, v3 offset:8", access_use::read, 1, 4, 0x30, 408, 0},
          row{"ds_read_u8_d16_hi v0, v3 offset:5", access_use::read, 1, 1, 0x30, 405, 0},
          row{"ds_write_b128 v3, v[4:7] offset:16", access_use::write, 1, 16, 0x30, 416, 0},
          row{"ds_read2_b32 v[0:1], v3 offset0:1 offset1:2", access_use::read, 2, 4, 0x30, 404,
              408},
          row{"ds_write2_b64 v3, v[4:5], v[6:7] offset0:1 offset1:3", access_use::write, 2, 8, 0x30,
              408, 424},
          row{"ds_read2st64_b64 v[0:3], v3 offset0:1 offset1:2", access_use::read, 2, 8, 0x30,
              400 + 512, 400 + 1024},
          row{"ds_wrxchg2_rtn_b32 v[0:1], v3, v4, v5 offset0:1 offset1:2", access_use::atomic, 2, 4,
              0x30, 404, 408},
          row{"ds_wrxchg2st64_rtn_b64 v[0:3], v3, v[4:5], v[6:7] offset0:1 offset1:2",
              access_use::atomic, 2, 8, 0x30, 400 + 512, 400 + 1024}}) {
        SCOPED_TRACE(r.text);
        const std::vector<std::byte>& code = assemble(gfx_target::gfx942, r.text);
        program decoded(gfx_target::gfx942, code.data(), code.size(), machine::base);
        const instruction& i = decoded.at(machine::base);
        const access_plan& plan = i.access;
        EXPECT_EQ(plan.kind, address_kind::lds);
        EXPECT_EQ(plan.use, r.use);
        EXPECT_EQ(plan.addresses, r.addresses);
        for (int n = 0; n < r.addresses; ++n) {
            const lane_accesses found = find_accesses(m.w(), i, n);
            EXPECT_EQ(found.lanes, r.lanes);
            EXPECT_EQ(found.bytes[4], r.bytes);
            EXPECT_EQ(found.address[4], n == 0 ? r.first : r.second);
        }
    }
}

TEST(lds, swizzle) {
    machine m(gfx_target::gfx942);
    m.fill(1, [](uint32_t l) { return 1000 + l; });
    const auto run = [&](const std::string& pattern) {
        m.run("ds_swizzle_b32 v0, v1 offset:" + pattern);
    };
    run("swizzle(QUAD_PERM,3,0,0,1)");
    for (uint32_t l = 0; l < 64; ++l) {
        const uint32_t from[] = {3, 0, 0, 1};
        EXPECT_EQ(m.v(0)[l], 1000 + (l & ~3u) + from[l & 3]);
    }
    run("swizzle(SWAP,16)");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + (l ^ 16));
    }
    run("swizzle(REVERSE,8)");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + (l ^ 7));
    }
    run("swizzle(BROADCAST,8,5)");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + (l & ~7u) + 5);
    }
    run("0xc020");  // rotate left by one
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + (l & 32) + (l + 1) % 32);
    }
    run("0xe000");  // FFT: the guide's list counts lanes from 1
    const uint32_t fft[] = {0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d};
    for (uint32_t l = 0; l < 8; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + fft[l] - 1);
    }
    // The bits of `mask` stay: behind them the others in reverse order (FFT), or a sum of them.
    for (uint32_t mask = 0; mask < 32; ++mask) {
        const auto kept = static_cast<uint32_t>(std::bitset<5>(mask).count());
        run(std::to_string(0xe000 + mask));
        for (uint32_t l = 0; l < 64; ++l) {
            uint32_t from = l & (32 + mask);
            for (uint32_t bit = kept; bit < 5; ++bit) {
                from |= (l >> (4 - bit) & 1) << (bit - kept);
            }
            EXPECT_EQ(m.v(0)[l], 1000 + from) << mask;
        }
        if (mask % 5 != 1) {
            continue;
        }
        for (const uint32_t distance : {1u, 21u}) {
            for (const bool down : {false, true}) {
                run(std::to_string(0xc000 + (down ? 0x400 : 0) + (distance << 5) + mask));
                for (uint32_t l = 0; l < 64; ++l) {
                    const uint32_t turned = (down ? l + 32 - distance : l + distance) % 32;
                    uint32_t from = l & 32;
                    for (uint32_t bit = 0; bit < 5; ++bit) {
                        from += ((mask >> bit & 1) != 0 ? l : turned) & (1u << bit);
                    }
                    EXPECT_EQ(m.v(0)[l], 1000 + from) << mask << " " << distance << down;
                }
            }
        }
    }
    // A lane that is off reads as 0, and keeps its own value.
    m.fill(0, 7u);
    m.set_exec(~uint64_t{2});
    run("swizzle(SWAP,1)");
    EXPECT_EQ(m.v(0)[0], 0u);
    EXPECT_EQ(m.v(0)[1], 7u);
    EXPECT_EQ(m.v(0)[2], 1003u);
}

TEST(lds, permutes) {
    machine m(gfx_target::gfx950);
    m.fill(1, [](uint32_t l) { return 1000 + l; });
    m.fill(2,
           [](uint32_t l) { return (63 - l) * 4 + (l & 3) + 256; });  // high and low bits ignored
    m.run(
        "ds_bpermute_b32 v0, v2, v1\n ds_bpermute_b32 v3, v2, v1 offset:8\n ds_permute_b32 v4, v2, "
        "v1");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(0)[l], 1000 + 63 - l);
        EXPECT_EQ(m.v(3)[l], 1000 + (63 - l + (8 + (l & 3)) / 4) % 64);
        EXPECT_EQ(m.v(4)[l], 1000 + 63 - l);
    }
    // The guide's two examples of DS_PERMUTE_B32, on four lanes.
    const uint32_t address[] = {0, 0, 12, 4};
    m.fill(1, [](uint32_t l) { return 'A' + l; });
    m.fill(2, [&](uint32_t l) { return l < 4 ? address[l] : l * 4; });
    m.fill(0, 9u);
    m.set_exec(0xf);
    m.run("ds_permute_b32 v0, v2, v1");
    EXPECT_EQ(m.v(0)[0], uint32_t{'B'});
    EXPECT_EQ(m.v(0)[1], uint32_t{'D'});
    EXPECT_EQ(m.v(0)[2], 0u);
    EXPECT_EQ(m.v(0)[3], uint32_t{'C'});
    m.fill(0, 9u);
    m.set_exec(0xa);
    m.run("ds_permute_b32 v0, v2, v1");
    EXPECT_EQ(m.v(0)[0], 9u);
    EXPECT_EQ(m.v(0)[1], uint32_t{'D'});
    EXPECT_EQ(m.v(0)[2], 9u);
    EXPECT_EQ(m.v(0)[3], 0u);
}

// dst[l][n] = src[B + r/E + (16/E)*n][r % E] with E = 64 / bits.
TEST(lds, transposed_reads) {
    for (const int width : {16, 8, 4}) {
        machine m(gfx_target::gfx950, 8192);
        const int e = 64 / width;
        for (uint32_t n = 0; n < 8192; ++n) {
            set<uint8_t>(m, n, static_cast<uint8_t>(n * 201 + n / 256));
        }
        const auto address = [](int s) { return static_cast<uint32_t>((s * 7 % 64) * 104 + 8); };
        m.fill(10, [&](uint32_t l) { return address(static_cast<int>(l)) - 8; });
        m.run("ds_read_b64_tr_b" + std::to_string(width) + " v[0:1], v10 offset:8");
        for (int l = 0; l < 64; ++l) {
            for (int n = 0; n < e; ++n) {
                const int b = l & ~15;
                const int r = l & 15;
                const int s = b + r / e + 16 / e * n;
                const uint64_t source = get<uint64_t>(m, address(s)) >> (r % e * width);
                const uint32_t mask = (1u << width) - 1;
                const uint32_t result =
                    m.v(n * width / 32)[static_cast<size_t>(l)] >> (n * width % 32);
                ASSERT_EQ(result & mask, source & mask)
                    << width << " lane " << l << " element " << n;
            }
        }
    }
    machine m(gfx_target::gfx950, 8192);
    for (uint32_t n = 0; n < 8192; ++n) {
        set<uint8_t>(m, n, static_cast<uint8_t>(n * 201 + n / 256));
    }
    m.fill(10, [](uint32_t l) { return l * 12; });
    m.run("ds_read_b96_tr_b6 v[0:2], v10");
    const auto six_bits = [](const uint8_t* bytes, int element) {
        uint32_t value = 0;
        for (int bit = 0; bit < 6; ++bit) {
            const int at = element * 6 + bit;
            value |= uint32_t{static_cast<uint8_t>(bytes[at / 8] >> at % 8 & 1)} << bit;
        }
        return value;
    };
    for (int l = 0; l < 64; ++l) {
        uint8_t result[12];
        for (int d = 0; d < 3; ++d) {
            std::memcpy(result + 4 * d, &m.v(d)[static_cast<size_t>(l)], 4);
        }
        for (int n = 0; n < 16; ++n) {
            const uint8_t* source =
                reinterpret_cast<const uint8_t*>(m.lds().data()) + ((l & ~15) + n) * 12;
            ASSERT_EQ(six_bits(result, n), six_bits(source, l & 15));
        }
    }
    m.set_exec(1);
    EXPECT_REPORT(m.attempt("ds_read_b96_tr_b6 v[0:2], v10"), "all lanes");
}

// ---- transposed reads: rows anywhere, what has to be aligned, and switched-off lanes ----

struct transposed_read {
    const char* instruction;
    uint32_t bits;      // of an element
    uint32_t elements;  // that a lane covers and receives
};

constexpr transposed_read transposed_kinds[] = {{"ds_read_b64_tr_b16", 16, 4},
                                                {"ds_read_b64_tr_b8", 8, 8},
                                                {"ds_read_b64_tr_b4", 4, 16},
                                                {"ds_read_b96_tr_b6", 6, 16}};

uint32_t row_bytes(const transposed_read& k) {
    return k.bits * k.elements / 8;
}

std::string transposed_source(const transposed_read& k, uint32_t offset) {
    return std::string(k.instruction) + (row_bytes(k) == 12 ? " v[4:6]" : " v[4:5]") +
           ", v10 offset:" + std::to_string(offset);
}

// Element n of lane B + r is element r % E of the row of lane B + r / E + (16 / E) * n; for b6, with
// E = 16, that is element r of the row of lane B + n.
void expect_transposed(machine& m, const transposed_read& k, uint32_t offset) {
    const uint32_t e = k.elements;
    for (uint32_t l = 0; l < lane_count; ++l) {
        const uint32_t base = l & ~15u;
        const uint32_t r = l & 15;
        for (uint32_t n = 0; n < e; ++n) {
            const uint32_t row = m.v(10)[base + r / e + 16 / e * n] + offset;
            for (uint32_t bit = 0; bit < k.bits; ++bit) {
                const uint32_t from = row * 8 + r % e * k.bits + bit;
                const uint32_t to = n * k.bits + bit;
                ASSERT_EQ(m.v(static_cast<int>(4 + to / 32))[l] >> to % 32 & 1,
                          get<uint8_t>(m, from / 8) >> from % 8 & 1u)
                    << k.instruction << " offset " << offset << ": bit " << bit << " of element "
                    << n << " of lane " << l;
            }
        }
    }
}

TEST(lds, transposed_reads_of_rows_anywhere) {
    for (const transposed_read& k : transposed_kinds) {
        const uint32_t align = row_bytes(k) == 12 ? 4 : 8;
        const uint32_t last = (8192 - row_bytes(k)) / align * align;
        machine m(gfx_target::gfx950, 8192);
        for (uint32_t n = 0; n < 8192; ++n) {
            set<uint8_t>(m, n, static_cast<uint8_t>((n * 0x9e3779b9u) >> 13));
        }
        uint32_t random = 1;
        for (int round = 0; round < 40; ++round) {
            const uint32_t offset = round % 4 == 0 ? 0 : static_cast<uint32_t>(round) * 8;
            m.fill(10, [&](uint32_t) {
                random = random * 1664525 + 1013904223;
                return (random >> 8) % ((last - offset) / align + 1) * align;
            });
            m.v(10)[5] = last - offset;
            m.run(transposed_source(k, offset));
            expect_transposed(m, k, offset);
        }
        // One row for all: lane l has element l % E all over.
        m.fill(10, 4096u);
        m.run(transposed_source(k, 0));
        expect_transposed(m, k, 0);
        for (uint32_t l = 0; l < lane_count; ++l) {
            EXPECT_EQ(m.v(4)[l] & ((1u << k.bits) - 1),
                      get<uint64_t>(m, 4096 + l % k.elements * k.bits / 8) >>
                              l % k.elements * k.bits % 8 &
                          ((1u << k.bits) - 1));
        }
    }
}

// "It is required that the LDS address be aligned to the data size" (ISA guide 11.4): to 8 bytes for
// 64 bits. For 96 bits the guide leaves open whether rows of 12 bytes, one behind the other, are
// aligned; that no 12-byte row starts beside a dword is certain.
TEST(lds, transposed_reads_of_unaligned_rows_fail) {
    for (const transposed_read& k : transposed_kinds) {
        const uint32_t aligned = row_bytes(k) == 12 ? 4 : 8;
        for (uint32_t wrong = 1; wrong < aligned; ++wrong) {
            for (const uint32_t lane : {0u, 17u + wrong, 63u}) {
                machine m(gfx_target::gfx950, 8192);
                m.fill(10, [=](uint32_t l) { return l * 48 + (l == lane ? wrong : 0); });
                EXPECT_REPORT(m.attempt(transposed_source(k, 16)),
                              "lane " + std::to_string(lane) + ": unaligned transposed LDS read")
                    << k.instruction << " + " << wrong;
            }
            machine m(gfx_target::gfx950, 8192);
            m.fill(10, [](uint32_t l) { return l * 48; });
            EXPECT_REPORT(m.attempt(transposed_source(k, wrong)),
                          "lane 0: unaligned transposed LDS read")
                << k.instruction << " offset " << wrong;
            // Two wrongs that are right: the sum counts.
            m.fill(10, [=](uint32_t l) { return l * 48 + 8 - wrong; });
            m.run(transposed_source(k, wrong));
            expect_transposed(m, k, wrong);
        }
    }
}

// "Prior to executing these instructions the EXEC mask must be set to all 1's."
TEST(lds, transposed_reads_with_lanes_off_fail) {
    for (const transposed_read& k : transposed_kinds) {
        machine m(gfx_target::gfx950, 8192);
        m.fill(10, [](uint32_t l) { return l * 48; });
        m.run(transposed_source(k, 0));
        for (const uint64_t exec :
             {uint64_t{1}, uint64_t{1} << 63, ~uint64_t{1}, ~uint64_t{0} >> 1, ~(uint64_t{1} << 31),
              ~(uint64_t{1} << 32), uint64_t{0xffffffff}, uint64_t{0xffffffff00000000},
              uint64_t{0x5555555555555555}, uint64_t{0xffff}, uint64_t{0}}) {
            m.set_exec(exec);
            EXPECT_REPORT(m.attempt(transposed_source(k, 0)), "all lanes")
                << k.instruction << " with EXEC " << std::hex << exec;
        }
    }
}

}  // namespace
}  // namespace emu
