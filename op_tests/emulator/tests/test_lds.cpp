// LDS instructions and the lane shuffles that go through LDS hardware.
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
    EXPECT_EXIT(m.run("ds_read_b32 v0, v10 offset:4"), ::testing::ExitedWithCode(70),
                "lane 63: LDS access of 4 bytes at 256");
    EXPECT_EXIT(m.run("ds_write_b64 v10, v[0:1]"), ::testing::ExitedWithCode(70), "lane 63");
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
    EXPECT_EXIT(m.run("ds_read_b96_tr_b6 v[0:2], v10"), ::testing::ExitedWithCode(70), "all lanes");
}

}  // namespace
}  // namespace emu
