// GLOBAL, FLAT and SCRATCH.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "machine.hpp"

namespace emu {
namespace {

TEST(global, addressing) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        device_bytes memory(8192);
        for (uint32_t n = 0; n < 8192; n += 4) {
            memory.set<uint32_t>(n, n);
        }
        // A 64-bit address in registers, negative immediate.
        m.fill(2,
               [&](uint32_t l) { return static_cast<uint32_t>(memory.address() + 64 + 16 * l); });
        m.fill(3, [&](uint32_t l) {
            return static_cast<uint32_t>((memory.address() + 64 + 16 * l) >> 32);
        });
        m.run("global_load_dwordx4 v[4:7], v[2:3], off offset:-16");
        for (uint32_t l = 0; l < 64; ++l) {
            for (uint32_t d = 0; d < 4; ++d) {
                EXPECT_EQ(m.v(static_cast<int>(4 + d))[l], 48 + 16 * l + 4 * d);
            }
        }
        // A scalar base and a 32-bit offset, unsigned.
        m.set_s64(0, memory.address());
        m.fill(2, [](uint32_t l) { return l * 4; });
        m.run("global_load_dword v4, v2, s[0:1] offset:4");
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(m.v(4)[l], 4 * l + 4);
        }
        m.set_s64(0, memory.address() - 0xffffff00);
        m.fill(2, [](uint32_t l) { return 0xffffff00u + l * 4; });
        m.run("global_load_dword v4, v2, s[0:1]");
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(m.v(4)[l], 4 * l);
        }
    }
}

TEST(global, widths_and_exec) {
    machine m(gfx_target::gfx942);
    device_bytes memory(4096);
    const uint64_t exec = 0xffff0000ffff0000;
    m.set_s64(0, memory.address());
    m.fill(2, [](uint32_t l) { return l * 32; });
    for (int d = 0; d < 4; ++d) {
        m.fill(4 + d,
               [=](uint32_t l) { return 0x81828384u + l + static_cast<uint32_t>(d) * 0x100; });
    }
    m.set_exec(exec);
    m.run(
        "global_store_dwordx4 v2, v[4:7], s[0:1]\n global_store_byte v2, v4, s[0:1] offset:16\n"
        "global_store_short v2, v4, s[0:1] offset:18\n"
        "global_store_short_d16_hi v2, v4, s[0:1] offset:20\n"
        "global_store_byte_d16_hi v2, v4, s[0:1] offset:22\n"
        "global_store_dwordx2 v2, a[0:1], s[0:1] offset:24");
    for (uint32_t l = 0; l < 64; ++l) {
        const bool on = (exec >> l & 1) != 0;
        const uint32_t value = on ? 0x81828384u + l : 0;
        EXPECT_EQ(memory.get<uint32_t>(l * 32), value);
        EXPECT_EQ(memory.get<uint32_t>(l * 32 + 12), on ? value + 0x300 : 0);
        EXPECT_EQ(memory.get<uint16_t>(l * 32 + 16), value & 0xff);
        EXPECT_EQ(memory.get<uint16_t>(l * 32 + 18), value & 0xffff);
        EXPECT_EQ(memory.get<uint16_t>(l * 32 + 20), value >> 16);
        EXPECT_EQ(memory.get<uint16_t>(l * 32 + 22), value >> 16 & 0xff);
    }
    m.fill(8, 0x55556666u);
    m.run(
        "v_mov_b32 v9, v8\n v_mov_b32 v10, v8\n v_mov_b32 v11, v8\n global_load_sbyte v12, v2, "
        "s[0:1]\n"
        "global_load_ushort v13, v2, s[0:1]\n global_load_ubyte_d16 v9, v2, s[0:1]\n"
        "global_load_sbyte_d16_hi v10, v2, s[0:1]\n global_load_short_d16_hi v11, v2, s[0:1]\n"
        "global_load_dwordx3 a[8:10], v2, s[0:1]");
    EXPECT_EQ(m.v(12)[16], 0xffffff94u);
    EXPECT_EQ(m.v(13)[16], 0x8394u);
    EXPECT_EQ(m.v(9)[16], 0x55550094u);
    EXPECT_EQ(m.v(10)[16], 0xff946666u);
    EXPECT_EQ(m.v(11)[16], 0x83946666u);
    EXPECT_EQ(m.a(10)[16], 0x81828384u + 16 + 0x200);
    EXPECT_EQ(m.v(12)[0], 0u);
}

TEST(global, atomics) {
    machine m(gfx_target::gfx942);
    device_bytes memory(256);
    m.set_s64(0, memory.address());
    m.fill(2, 0u);
    m.fill(4, 1u);
    m.run("global_atomic_add v5, v2, v4, s[0:1] sc0\n global_atomic_add v2, v4, s[0:1] offset:4");
    EXPECT_EQ(memory.get<uint32_t>(0), 64u);
    EXPECT_EQ(memory.get<uint32_t>(4), 64u);
    EXPECT_EQ(m.v(5)[63], 63u);
    m.fill(6, 0u);
    m.fill(7, 0x3ff00000u);  // 1.0
    m.run("global_atomic_add_f64 v2, v[6:7], s[0:1] offset:8");
    EXPECT_EQ(memory.get<double>(8), 64.0);
    m.fill(4, bits(-1.0f));
    m.run("global_atomic_add_f32 v2, v4, s[0:1] offset:16");
    EXPECT_EQ(memory.get<float>(16), -64.0f);
    m.fill(2, 2u);
    EXPECT_REPORT(m.attempt("global_atomic_add v2, v4, s[0:1]"), "unaligned");
}

// Each atomic operation in memory and in LDS, of both widths, on pairs of edge values.
TEST(global, laws_of_atomics) {
    struct law {
        const char* in_memory;
        const char* in_lds;  // with _u, _i or _b and the width behind
        uint64_t (*result)(uint64_t old, uint64_t data, int64_t signed_old, int64_t signed_data);
    };
    constexpr law laws[] = {
        {"swap", "wrxchg_rtn_b", [](auto, auto data, auto, auto) { return data; }},
        {"add", "add_rtn_u", [](auto old, auto data, auto, auto) { return old + data; }},
        {"sub", "sub_rtn_u", [](auto old, auto data, auto, auto) { return old - data; }},
        {nullptr, "rsub_rtn_u", [](auto old, auto data, auto, auto) { return data - old; }},
        {"smin", "min_rtn_i",
         [](auto old, auto data, auto s, auto t) { return s < t ? old : data; }},
        {"umin", "min_rtn_u", [](auto old, auto data, auto, auto) { return std::min(old, data); }},
        {"smax", "max_rtn_i",
         [](auto old, auto data, auto s, auto t) { return s > t ? old : data; }},
        {"umax", "max_rtn_u", [](auto old, auto data, auto, auto) { return std::max(old, data); }},
        {"and", "and_rtn_b", [](auto old, auto data, auto, auto) { return old & data; }},
        {"or", "or_rtn_b", [](auto old, auto data, auto, auto) { return old | data; }},
        {"xor", "xor_rtn_b", [](auto old, auto data, auto, auto) { return old ^ data; }},
        {"inc", "inc_rtn_u",
         [](auto old, auto data, auto, auto) { return old >= data ? 0 : old + 1; }},
        {"dec", "dec_rtn_u",
         [](auto old, auto data, auto, auto) { return old == 0 || old > data ? data : old - 1; }},
    };
    constexpr uint64_t edges[] = {
        0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000};
    for (const gfx_target target : both_targets) {
        device_bytes memory(64 * 8);
        machine m(target, 64 * 8);
        m.set_s64(0, memory.address());
        m.set_s64(8, memory.address());
        m.s(10) = 64 * 8;
        m.s(11) = 0x00020000;
        m.fill(2, [](uint32_t l) { return 8 * l; });
        m.fill(8, [&](uint32_t l) { return static_cast<uint32_t>(memory.address()) + 8 * l; });
        m.fill(9, static_cast<uint32_t>(memory.address() >> 32));
        for (const law& r : laws) {
            for (const size_t bytes : {size_t{4}, size_t{8}}) {
                const uint64_t mask = bytes == 4 ? 0xffffffff : ~uint64_t{0};
                const auto before = [&](uint32_t l) { return edges[l % 8] & mask; };
                const auto data = [&](uint32_t l) { return edges[l / 8] & mask; };
                const auto as_signed = [&](uint64_t value) {
                    return bytes == 4 ? int64_t{static_cast<int32_t>(value)}
                                      : static_cast<int64_t>(value);
                };
                m.fill(4, [&](uint32_t l) { return static_cast<uint32_t>(data(l)); });
                m.fill(5, [&](uint32_t l) { return static_cast<uint32_t>(data(l) >> 32); });
                const std::string width = bytes == 4 ? "32" : "64";
                const std::string pair = bytes == 4 ? "v4" : "v[4:5]";
                const std::string to = bytes == 4 ? "v6" : "v[6:7]";
                const std::string name =
                    r.in_memory == nullptr
                        ? ""
                        : std::string("_atomic_") + r.in_memory + (bytes == 4 ? " " : "_x2 ");
                std::string in_lds_alone = r.in_lds;  // without what was there
                if (const size_t at = in_lds_alone.find("rtn_"); at != std::string::npos) {
                    in_lds_alone.erase(at, 4);
                }
                struct way {
                    std::string text;
                    bool in_lds;
                    bool returns = false;
                };
                std::vector<way> ways = {
                    {"ds_" + std::string(r.in_lds) + width + " " + to + ", v2, " + pair, true,
                     true}};
                if (in_lds_alone != "wrxchg_b") {
                    ways.push_back({"ds_" + in_lds_alone + width + " v2, " + pair, true});
                }
                for (const bool returns : {false, true}) {
                    if (name.empty()) {
                        break;
                    }
                    const std::string first = returns ? to + ", " : "";
                    const std::string last = returns ? " sc0" : "";
                    ways.push_back({"global" + name + first + "v2, " + pair + ", s[0:1]" + last,
                                    false, returns});
                    ways.push_back(
                        {"flat" + name + first + "v[8:9], " + pair + last, false, returns});
                }
                for (const auto& [text, in_lds, returns] : ways) {
                    m.fill(6, 0xabcdabcdu);
                    m.fill(7, 0xabcdabcdu);
                    for (uint32_t l = 0; l < 64; ++l) {
                        memory.set(8 * l, before(l));
                        std::memcpy(m.lds().data() + 8 * l, memory.data() + 8 * l, 8);
                    }
                    m.run(text);
                    for (uint32_t l = 0; l < 64; ++l) {
                        uint64_t after = memory.get<uint64_t>(8 * l);
                        if (in_lds) {
                            std::memcpy(&after, m.lds().data() + 8 * l, 8);
                        }
                        const uint64_t expected =
                            r.result(before(l), data(l), as_signed(before(l)), as_signed(data(l)));
                        ASSERT_EQ(after, expected & mask)
                            << std::hex << text << " of " << before(l) << ", " << data(l);
                        ASSERT_EQ(m.v(6)[l],
                                  returns ? static_cast<uint32_t>(before(l)) : 0xabcdabcdu)
                            << text;
                        ASSERT_EQ(m.v(7)[l], returns && bytes == 8
                                                 ? static_cast<uint32_t>(before(l) >> 32)
                                                 : 0xabcdabcdu)
                            << text;
                    }
                }
                // A buffer's gives what was there in its data.
                if (name.empty()) {
                    continue;
                }
                const std::string of_buffer = "buffer" + name + pair + ", v2, s[8:11], 0 offen";
                for (const bool returns : {false, true}) {
                    for (uint32_t l = 0; l < 64; ++l) {
                        memory.set(8 * l, before(l));
                    }
                    m.run(of_buffer + (returns ? " sc0" : ""));
                    for (uint32_t l = 0; l < 64; ++l) {
                        const uint64_t expected =
                            r.result(before(l), data(l), as_signed(before(l)), as_signed(data(l)));
                        ASSERT_EQ(memory.get<uint64_t>(8 * l), expected & mask) << of_buffer;
                        const uint64_t in_data = returns ? before(l) : data(l);
                        ASSERT_EQ(m.v(4)[l], static_cast<uint32_t>(in_data)) << of_buffer;
                        ASSERT_EQ(m.v(5)[l],
                                  static_cast<uint32_t>((bytes == 8 ? in_data : data(l)) >> 32))
                            << of_buffer;
                    }
                }
            }
        }
    }
}

// Atomic operations of floating-point numbers, in memory and in LDS.
TEST(global, atomics_of_floats) {
    struct row {
        const char* name;
        double old;
        double data;
        double after;
    };
    constexpr row rows[] = {{"add", 1.5, -4, -2.5},
                            {"min", 1.5, -2, -2},
                            {"min", -2, 1.5, -2},
                            {"max", 1.5, -2, 1.5},
                            {"max", -2, 1.5, 1.5}};
    for (const gfx_target target : both_targets) {
        for (const row& r : rows) {
            machine m(target, 64);
            device_bytes memory(64);
            m.set_s64(0, memory.address());
            m.fill(2, 0u);
            m.fill(4, static_cast<uint32_t>(bits(r.data)));
            m.fill(5, static_cast<uint32_t>(bits(r.data) >> 32));
            m.fill(6, bits(static_cast<float>(r.data)));
            memory.set(8, r.old);
            const auto old = static_cast<float>(r.old);
            std::memcpy(m.lds().data() + 8, &r.old, 8);
            std::memcpy(m.lds().data() + 16, &old, 4);
            m.set_exec(1);
            const std::string name = r.name;
            m.run("global_atomic_" + name + "_f64 v[8:9], v2, v[4:5], s[0:1] offset:8 sc0\n ds_" +
                  name + "_rtn_f64 v[10:11], v2, v[4:5] offset:8\n ds_" + name +
                  "_rtn_f32 v12, v2, v6 offset:16");
            // The same as flat and buffer instructions.
            memory.set(24, r.old);
            memory.set(32, r.old);
            m.fill(14, static_cast<uint32_t>(memory.address()));
            m.fill(15, static_cast<uint32_t>(memory.address() >> 32));
            m.set_s64(8, memory.address());
            m.s(10) = 64;
            m.s(11) = 0x00020000;
            m.fill(20, m.v(4)[0]);
            m.fill(21, m.v(5)[0]);
            m.run("flat_atomic_" + name + "_f64 v[16:17], v[14:15], v[4:5] offset:24 sc0\n" +
                  "buffer_atomic_" + name + "_f64 v[20:21], off, s[8:11], 0 offset:32 sc0");
            EXPECT_EQ(memory.get<double>(24), r.after) << name;
            EXPECT_EQ(memory.get<double>(32), r.after) << name;
            if (name == "add") {
                memory.set(40, old);
                memory.set(44, old);
                m.run(
                    "flat_atomic_add_f32 v[14:15], v6 offset:40\n"
                    "buffer_atomic_add_f32 v6, off, s[8:11], 0 offset:44");
                EXPECT_EQ(memory.get<float>(40), static_cast<float>(r.after));
                EXPECT_EQ(memory.get<float>(44), static_cast<float>(r.after));
            }
            double in_lds = 0;
            float single = 0;
            std::memcpy(&in_lds, m.lds().data() + 8, 8);
            std::memcpy(&single, m.lds().data() + 16, 4);
            EXPECT_EQ(memory.get<double>(8), r.after) << name;
            EXPECT_EQ(in_lds, r.after) << name;
            EXPECT_EQ(single, static_cast<float>(r.after)) << name;
            for (const int reg : {8, 10, 16, 20}) {
                EXPECT_EQ(m.v(reg)[0] | uint64_t{m.v(reg + 1)[0]} << 32, bits(r.old)) << name;
            }
            EXPECT_EQ(m.v(12)[0], bits(old)) << name;
        }
    }
}

// Sums of two bf16: to nearest even, and a NaN becomes a quiet one.
TEST(global, packed_sums_of_bf16) {
    machine m(gfx_target::gfx950);
    device_bytes memory(64 * 4);
    const struct {
        uint16_t old, data, after;
    } rows[] = {{0x3f80, 0x3f80, 0x4000}, {0x3f80, 0x3b80, 0x3f80}, {0x3f81, 0x3b80, 0x3f82},
                {0x3f80, 0x3b81, 0x3f81}, {0xbf80, 0xbb81, 0xbf81}, {0x7f7f, 0x7f7f, 0x7f80},
                {0x7f81, 0x3f80, 0x7fc1}, {0x3f80, 0xffa1, 0xffe1}, {0x7f80, 0x3f80, 0x7f80},
                {0x3f80, 0xbf80, 0}};
    constexpr size_t count = std::size(rows);
    m.set_s64(0, memory.address());
    m.fill(2, [](uint32_t l) { return 4 * l; });
    m.fill(4, [&](uint32_t l) {
        return rows[l % count].data | uint32_t{rows[(l + 3) % count].data} << 16;
    });
    for (uint32_t l = 0; l < 64; ++l) {
        memory.set(4 * l, rows[l % count].old | uint32_t{rows[(l + 3) % count].old} << 16);
    }
    m.run("global_atomic_pk_add_bf16 v2, v4, s[0:1]");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(memory.get<uint16_t>(4 * l), rows[l % count].after) << l % count;
        EXPECT_EQ(memory.get<uint16_t>(4 * l + 2), rows[(l + 3) % count].after) << l % count;
    }
}

void set_addresses(machine& m, int reg, const std::function<uint64_t(uint32_t)>& address) {
    m.fill(reg, [&](uint32_t l) { return static_cast<uint32_t>(address(l)); });
    m.fill(reg + 1, [&](uint32_t l) { return static_cast<uint32_t>(address(l) >> 32); });
}

// Lanes in several allocations, in any order, and lanes that are off with addresses of nothing.
TEST(global, lanes_of_one_access_in_several_allocations) {
    for (const gfx_target target : both_targets) {
        machine m(target, 1024);
        device_bytes memory[3] = {device_bytes(1024), device_bytes(1024), device_bytes(1024)};
        for (uint32_t n = 0; n < 1024; n += 4) {
            for (uint32_t a = 0; a < 3; ++a) {
                memory[a].set<uint32_t>(n, 10000 * a + n);
            }
        }
        const auto address = [&](uint32_t l) { return memory[l % 3].address() + 16 * (63 - l); };
        const auto value = [](uint32_t l) { return 10000 * (l % 3) + 16 * (63 - l); };
        const uint64_t exec = 0xfffffffffffffff7;
        set_addresses(m, 2, [&](uint32_t l) { return l == 3 ? 8 : address(l); });
        m.set_exec(exec);
        for (const char* space : {"global", "flat"}) {
            SCOPED_TRACE(space);
            const std::string off = space == std::string("global") ? ", off" : "";
            m.fill(4, 7u);
            m.fill(7, 7u);
            m.run(space + std::string("_load_dwordx4 v[4:7], v[2:3]") + off);
            for (uint32_t l = 0; l < 64; ++l) {
                EXPECT_EQ(m.v(4)[l], l == 3 ? 7 : value(l));
                EXPECT_EQ(m.v(7)[l], l == 3 ? 7 : value(l) + 12);
            }
            m.fill(8, [](uint32_t l) { return 500 + l; });
            m.run(space + std::string("_store_dword v[2:3], v8") + off);
            for (uint32_t l = 0; l < 64; ++l) {
                EXPECT_EQ(memory[l % 3].get<uint32_t>(16 * (63 - l)), l == 3 ? value(l) : 500 + l);
            }
            m.fill(8, 100u);
            m.run(space + std::string("_atomic_add v9, v[2:3], v8") + off + " sc0");
            for (uint32_t l = 0; l < 64; ++l) {
                EXPECT_EQ(memory[l % 3].get<uint32_t>(16 * (63 - l)), l == 3 ? value(l) : 600 + l);
                EXPECT_EQ(m.v(9)[l], l == 3 ? 0 : 500 + l);
                memory[l % 3].set<uint32_t>(16 * (63 - l), value(l));
            }
            m.fill(9, 0u);
        }
        m.run("s_mov_b32 m0, 256\n global_load_lds_dword v[2:3], off offset:4");
        for (uint32_t l = 0; l < 64; ++l) {
            uint32_t loaded;
            std::memcpy(&loaded, &m.lds()[256 + 4 + 4 * l], 4);
            EXPECT_EQ(loaded, l == 3 ? 0 : value(l) + 4);
        }
        // Between two allocations is nothing, and the lane that is there is named.
        m.set_exec(~uint64_t{0});
        set_addresses(m, 2, [&](uint32_t l) {
            return l == 41 ? memory[1].address() + 1024 : memory[l % 2 * 2].address();
        });
        EXPECT_REPORT(m.attempt("global_load_dword v4, v[2:3], off"), "lane 41: load of 4 bytes");
        m.set_exec(0);
        m.run("global_load_dword v4, v[2:3], off\n global_store_dword v[2:3], v4, off");
    }
}

TEST(global, a_load_may_overwrite_its_address) {
    machine m(gfx_target::gfx942);
    device_bytes memory(1024);
    for (uint32_t n = 0; n < 1024; n += 4) {
        memory.set<uint32_t>(n, n);
    }
    for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x5555555555555555}}) {
        set_addresses(m, 2, [&](uint32_t l) { return memory.address() + 8 * l; });
        m.set_exec(exec);
        m.run("global_load_dwordx2 v[2:3], v[2:3], off");
        for (uint32_t l = 0; l < 64; l += 2) {
            EXPECT_EQ(m.v(2)[l], 8 * l);
            EXPECT_EQ(m.v(3)[l], 8 * l + 4);
        }
    }
}

TEST(global, outside_fails_with_lane_and_address) {
    machine m(gfx_target::gfx942);
    device_bytes memory(256);
    m.set_s64(0, memory.address());
    m.fill(2, [](uint32_t l) { return l * 8; });
    EXPECT_REPORT(m.attempt("global_load_dword v4, v2, s[0:1]"), "lane 32: load of 4 bytes at 0x");
    EXPECT_REPORT(m.attempt("global_store_dword v2, v4, s[0:1]"), "lane 32: store");
    m.set_exec(0xffffffff);
    m.run("global_load_dword v4, v2, s[0:1]");
    // Lanes that differ from the others in the upper half of the address only, and lane 0 alone does.
    m.set_exec(~uint64_t{0});
    for (const uint64_t away : {uint64_t{1} << 32, uint64_t{1} << 44, ~uint64_t{0} << 32}) {
        for (const uint32_t odd : {0u, 41u, 63u}) {
            set_addresses(
                m, 2, [&](uint32_t l) { return memory.address() + 4 * l + (l == odd ? away : 0); });
            EXPECT_REPORT(m.attempt("global_load_dword v4, v[2:3], off"),
                          "lane " + std::to_string(odd) + ": load of 4 bytes at 0x");
        }
    }
}

TEST(global, lds_loads) {
    machine m(gfx_target::gfx950, 4096);
    device_bytes memory(4096);
    for (uint32_t n = 0; n < 4096; n += 4) {
        memory.set<uint32_t>(n, n + 1);
    }
    m.set_s64(0, memory.address());
    m.fill(2, [](uint32_t l) { return (63 - l) * 32; });
    m.run("s_mov_b32 m0, 128\n global_load_lds_dwordx4 v2, s[0:1] offset:16");
    for (uint32_t l = 0; l < 64; ++l) {
        for (uint32_t d = 0; d < 4; ++d) {
            uint32_t value;
            std::memcpy(&value, &m.lds()[128 + 16 + l * 16 + d * 4], 4);
            EXPECT_EQ(value, (63 - l) * 32 + 16 + 4 * d + 1);
        }
    }
    m.run("s_mov_b32 m0, 0\n global_load_lds_dword v2, s[0:1]");
    uint32_t value;
    std::memcpy(&value, &m.lds()[5 * 4], 4);
    EXPECT_EQ(value, (63 - 5) * 32 + 1);
}

TEST(global, scratch) {
    machine m(gfx_target::gfx942);
    m.w().scratch_per_lane = 64;
    m.w().scratch.resize(64 * 64);
    m.fill(1, [](uint32_t l) { return 7 * l; });
    m.fill(2, [](uint32_t l) { return l % 4 * 4; });
    m.s(3) = 16;
    m.run(
        "scratch_store_dword off, v1, s3 offset:4\n scratch_load_dword v4, off, off offset:20\n"
        "scratch_store_dword v2, v1, off offset:32\n scratch_load_dword v5, v2, s3 offset:16");
    for (uint32_t l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(4)[l], 7 * l);
        EXPECT_EQ(m.v(5)[l], 7 * l);
        uint32_t value;
        std::memcpy(&value, &m.w().scratch[l * 64 + 32 + l % 4 * 4], 4);
        EXPECT_EQ(value, 7 * l);
    }
    EXPECT_REPORT(m.attempt("scratch_load_dword v4, off, off offset:64"),
                  "private access of 4 bytes at 64");
}

TEST(global, flat_finds_the_space) {
    machine m(gfx_target::gfx950, 256);
    device_bytes memory(256);
    m.w().scratch_per_lane = 16;
    m.w().scratch.resize(64 * 16);
    m.set_exec(7);
    const uint64_t address[] = {memory.address() + 8, shared_aperture + 16, private_aperture + 4};
    for (size_t l = 0; l < 3; ++l) {
        m.v(2)[l] = static_cast<uint32_t>(address[l]);
        m.v(3)[l] = static_cast<uint32_t>(address[l] >> 32);
        m.v(4)[l] = static_cast<uint32_t>(100 + l);
    }
    m.run("flat_store_dword v[2:3], v4 offset:4\n flat_load_dword v5, v[2:3] offset:4");
    EXPECT_EQ(memory.get<uint32_t>(12), 100u);
    uint32_t value;
    std::memcpy(&value, &m.lds()[20], 4);
    EXPECT_EQ(value, 101u);
    std::memcpy(&value, &m.w().scratch[2 * 16 + 8], 4);
    EXPECT_EQ(value, 102u);
    for (size_t l = 0; l < 3; ++l) {
        EXPECT_EQ(m.v(5)[l], 100 + l);
    }
}

// Loads to LDS of every size from odd addresses, with lanes that are off: lane l's bytes go to
// M0 + offset + l * S with S = 4, or 16 for three and four dwords; bytes and words are extended to a
// dword, what belongs to lanes that are off and the fourth dword of three stay as they are.
TEST(global, loads_to_lds_with_holes_and_odd_addresses) {
    struct load {
        const char* name;
        uint32_t bytes;
        uint32_t stride;
        bool is_signed;
        bool gfx950_only;
    };
    constexpr load loads[] = {{"ubyte", 1, 4, false, false},   {"sbyte", 1, 4, true, false},
                              {"ushort", 2, 4, false, false},  {"sshort", 2, 4, true, false},
                              {"dword", 4, 4, false, false},   {"dwordx3", 12, 16, false, true},
                              {"dwordx4", 16, 16, false, true}};
    for (const gfx_target target : both_targets) {
        for (const load& load : loads) {
            if (load.gfx950_only && target != gfx_target::gfx950) {
                continue;
            }
            constexpr uint64_t exec = 0x8001f0f0a5a50ff1;
            machine m(target, 4096);
            std::fill(m.lds().begin(), m.lds().end(), std::byte{0x77});
            device_bytes memory(8192);
            for (size_t n = 0; n < memory.size(); ++n) {
                memory.set<uint8_t>(n, static_cast<uint8_t>(n * 37 + n / 256));
            }
            // Odd addresses in no order; the offset moves both ends.
            const auto from = [&](uint32_t l) { return 17u * ((l * 29) % 64) + 1; };
            m.fill(2, from);
            m.set_s64(0, memory.address());
            m.set_exec(exec);
            m.run(std::string("s_mov_b32 m0, 256\n global_load_lds_") + load.name +
                  " v2, s[0:1] offset:64");
            std::vector<uint8_t> expected(4096, 0x77);
            for (uint32_t l = 0; l < 64; ++l) {
                if ((exec >> l & 1) == 0) {
                    continue;
                }
                const size_t to = 256 + 64 + l * load.stride;
                for (uint32_t n = 0; n < load.bytes; ++n) {
                    expected[to + n] = memory.get<uint8_t>(from(l) + 64 + n);
                }
                const bool negative = load.is_signed && expected[to + load.bytes - 1] >> 7 != 0;
                for (uint32_t n = load.bytes; n < 4; ++n) {
                    expected[to + n] = negative ? 0xff : 0;
                }
            }
            for (size_t n = 0; n < expected.size(); ++n) {
                ASSERT_EQ(static_cast<uint8_t>(m.lds()[n]), expected[n])
                    << load.name << " byte " << n << " on " << name_of(target);
            }
        }
    }
}

// What a load of a byte or a word makes of its register, in every kind of memory: u is extended by
// zeros and s by the sign, d16 is one half and keeps the other one (ISA guide 12.12, 12.13, 12.15).
TEST(global, parts_of_registers) {
    constexpr uint32_t before = 0x5a6b7c8d;
    constexpr uint32_t in_memory = 0x8182f384;
    struct part {
        const char* name;
        const char* in_lds;
        uint32_t result;
    };
    constexpr part loads[] = {{"ubyte", "u8", 0x84},
                              {"sbyte", "i8", 0xffffff84},
                              {"ushort", "u16", 0xf384},
                              {"sshort", "i16", 0xfffff384},
                              {"ubyte_d16", "u8_d16", 0x5a6b0084},
                              {"ubyte_d16_hi", "u8_d16_hi", 0x00847c8d},
                              {"sbyte_d16", "i8_d16", 0x5a6bff84},
                              {"sbyte_d16_hi", "i8_d16_hi", 0xff847c8d},
                              {"short_d16", "u16_d16", 0x5a6bf384},
                              {"short_d16_hi", "u16_d16_hi", 0xf3847c8d}};
    constexpr part stores[] = {{"byte", "b8", 0x8182f38d},
                               {"byte_d16_hi", "b8_d16_hi", 0x8182f36b},
                               {"short", "b16", 0x81827c8d},
                               {"short_d16_hi", "b16_d16_hi", 0x81825a6b}};
    for (const gfx_target target : both_targets) {
        device_bytes memory(8);
        machine m(target, 8);
        m.w().scratch_per_lane = 8;
        m.w().scratch.resize(8 * lane_count);
        m.set_s64(8, memory.address());
        m.s(10) = 8;
        m.s(11) = 0x00020000;
        m.set_exec(1);
        m.fill(2, 0);
        const auto run = [&](const std::string& text, uint64_t flat_address) {
            m.fill(6, static_cast<uint32_t>(flat_address));
            m.fill(7, static_cast<uint32_t>(flat_address >> 32));
            m.fill(4, before);
            memory.set(4, in_memory);
            std::memcpy(m.lds().data() + 4, &in_memory, 4);
            std::memcpy(m.w().scratch.data() + 4, &in_memory, 4);
            m.run(text);
        };
        const auto stored = [&](char space, uint64_t aperture) {
            const bool is_lds = space == 'd' || aperture == shared_aperture;
            const bool is_private = space == 's' || aperture == private_aperture;
            uint32_t value = 0;
            std::memcpy(&value,
                        (is_lds       ? m.lds().data()
                         : is_private ? m.w().scratch.data()
                                      : memory.data()) +
                            4,
                        4);
            return value;
        };
        for (const bool is_store : {false, true}) {
            for (const part& p : is_store ? std::span<const part>(stores) : loads) {
                const std::string operation = is_store ? "_store_" : "_load_";
                const auto vector = [&](const std::string& space, const std::string& address,
                                        const std::string& last) {
                    return space + operation + p.name + " " +
                           (is_store ? address + ", v4" : "v4, " + address) + last + " offset:4";
                };
                const std::pair<std::string, uint64_t> ways[] = {
                    {vector("global", "v[6:7]", ", off"), memory.address()},
                    {vector("flat", "v[6:7]", ""), memory.address()},
                    {vector("flat", "v[6:7]", ""), shared_aperture},
                    {vector("flat", "v[6:7]", ""), private_aperture},
                    {vector("scratch", "v2", ", off"), 0},
                    {"buffer" + operation + p.name + " v4, v2, s[8:11], 0 offen offset:4", 0},
                    {is_store ? std::string("ds_write_") + p.in_lds + " v2, v4 offset:4"
                              : std::string("ds_read_") + p.in_lds + " v4, v2 offset:4",
                     0}};
                for (const auto& [text, address] : ways) {
                    run(text, address);
                    EXPECT_EQ(is_store ? stored(text[0], address) : m.v(4)[0], p.result)
                        << text << std::hex << ", " << address;
                }
            }
        }
    }
}

}  // namespace
}  // namespace emu
