// DPP and SDWA, which every VOP1 and VOP2 instruction can have.
#include "machine.hpp"

namespace emu {
namespace {

struct dpp_case {
    const char* control;
    int (*from)(int lane);  // negative: no source
};

constexpr dpp_case dpp_cases[] = {
    {"quad_perm:[3,1,0,0]", [](int l) { return (l & ~3) + (l % 4 == 0   ? 3
                                                           : l % 4 == 1 ? 1
                                                                        : 0); }},
    {"row_shl:1", [](int l) { return l % 16 == 15 ? -1 : l + 1; }},
    {"row_shl:15", [](int l) { return l % 16 == 0 ? l + 15 : -1; }},
    {"row_shr:1", [](int l) { return l % 16 == 0 ? -1 : l - 1; }},
    {"row_shr:4", [](int l) { return l % 16 < 4 ? -1 : l - 4; }},
    {"row_ror:3", [](int l) { return l / 16 * 16 + (l % 16 + 13) % 16; }},
    {"wave_shl:1", [](int l) { return l == 63 ? -1 : l + 1; }},
    {"wave_rol:1", [](int l) { return (l + 1) % 64; }},
    {"wave_shr:1", [](int l) { return l - 1; }},
    {"wave_ror:1", [](int l) { return (l + 63) % 64; }},
    {"row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; }},
    {"row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
    {"row_bcast:15", [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},
    {"row_bcast:31", [](int l) { return l < 32 ? -1 : 31; }},
    {"row_newbcast:5", [](int l) { return l / 16 * 16 + 5; }},
};

TEST(dpp, every_control) {
    for (const gfx_target target : both_targets) {
        for (const dpp_case& c : dpp_cases) {
            for (const uint64_t exec : {~uint64_t{0}, uint64_t{0xfffffffffff7ff7f}}) {
                for (const bool bound_ctrl : {false, true}) {
                    machine m(target);
                    m.fill(0, 7u);
                    m.fill(1, [](uint32_t l) { return 1000 + l; });
                    m.fill(2, [](uint32_t l) { return 5000 * l; });
                    m.fill(3, 9u);
                    m.set_exec(exec);
                    const std::string control = std::string(c.control) +
                                                " row_mask:0xf bank_mask:0xf" +
                                                (bound_ctrl ? " bound_ctrl:1" : "");
                    m.run("v_mov_b32_dpp v0, v1 " + control + "\n v_add_u32_dpp v3, v1, v2 " +
                          control);
                    for (int l = 0; l < 64; ++l) {
                        const int from = c.from(l);
                        const bool on = (exec >> l & 1) != 0;
                        const bool valid = from >= 0 && (exec >> from & 1) != 0;
                        const uint32_t source = valid ? 1000 + static_cast<uint32_t>(from) : 0;
                        const bool written = on && (valid || bound_ctrl);
                        const size_t lane = static_cast<size_t>(l);
                        ASSERT_EQ(m.v(0)[lane], written ? source : 7) << control << " lane " << l;
                        ASSERT_EQ(m.v(3)[lane],
                                  written ? source + 5000 * static_cast<uint32_t>(l) : 9)
                            << control << " lane " << l;
                    }
                }
            }
        }
    }
}

TEST(dpp, row_and_bank_masks) {
    machine m(gfx_target::gfx942);
    m.fill(0, 7u);
    m.fill(1, [](uint32_t l) { return 1000 + l; });
    m.run("v_mov_b32_dpp v0, v1 row_mirror row_mask:0x5 bank_mask:0x6 bound_ctrl:1");
    for (uint32_t l = 0; l < 64; ++l) {
        const bool written = (0x5 >> l / 16 & 1) != 0 && (0x6 >> l % 16 / 4 & 1) != 0;
        EXPECT_EQ(m.v(0)[l], written ? 1000 + l / 16 * 16 + 15 - l % 16 : 7);
    }
}

// Of 64 bits both dwords are those of the other lane.
TEST(dpp, sources_of_64_bits) {
    for (const gfx_target target : both_targets) {
        for (const uint32_t from : {0u, 3u, 15u}) {
            machine m(target);
            const auto low = [](uint32_t l) { return 0x10000 + l; };
            const auto high = [](uint32_t l) { return 0x40100000 + l; };
            m.fill(2, low);
            m.fill(3, high);
            m.run("v_mov_b64_dpp v[0:1], v[2:3] row_newbcast:" + std::to_string(from) +
                  " row_mask:0xf bank_mask:0xf");
            for (uint32_t l = 0; l < lane_count; ++l) {
                const uint32_t read = l / 16 * 16 + from;
                EXPECT_EQ(m.v(0)[l], low(read)) << l;
                EXPECT_EQ(m.v(1)[l], high(read)) << l;
            }
        }
    }
}

TEST(dpp, floats_with_modifiers) {
    machine m(gfx_target::gfx950);
    m.fill(1, [](uint32_t l) { return bits(static_cast<float>(l)); });
    m.fill(2, bits(-0.5f));
    m.run(
        "v_add_f32_dpp v0, -v1, |v2| row_newbcast:3 row_mask:0xf bank_mask:0xf\n"
        "v_mov_b64_dpp v[4:5], v[2:3] row_newbcast:2 row_mask:0xf bank_mask:0xf");
    EXPECT_EQ(to_float(m.v(0)[20]), -18.5f);
    EXPECT_EQ(m.v(4)[9], bits(-0.5f));
}

uint32_t select(uint32_t value, const std::string& sel, bool sext) {
    if (sel == "DWORD") {
        return value;
    }
    const int index = sel.back() - '0';
    if (sel[0] == 'B') {
        const uint8_t byte = static_cast<uint8_t>(value >> 8 * index);
        return sext ? static_cast<uint32_t>(int32_t{static_cast<int8_t>(byte)}) : byte;
    }
    const uint16_t word = static_cast<uint16_t>(value >> 16 * index);
    return sext ? static_cast<uint32_t>(int32_t{static_cast<int16_t>(word)}) : word;
}

const std::vector<std::string> selects = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                          "WORD_0", "WORD_1", "DWORD"};

TEST(sdwa, source_selects) {
    constexpr uint32_t a = 0x81f27384;
    constexpr uint32_t b = 0x91a2b3c4;
    for (const gfx_target target : both_targets) {
        const auto text = [](const std::string& s0, const std::string& s1, bool sext) {
            return std::string("v_add_u32_sdwa v0, ") + (sext ? "sext(v1)" : "v1") + ", v2 " +
                   "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:" + s0 + " src1_sel:" + s1;
        };
        for (const std::string& s0 : selects) {
            for (const std::string& s1 : selects) {
                for (const bool sext : {false, true}) {
                    machine m(target);
                    m.fill(1, a);
                    m.fill(2, b);
                    m.run(text(s0, s1, sext));
                    EXPECT_EQ(m.v(0)[11], select(a, s0, sext) + select(b, s1, false)) << s0 << s1;
                }
            }
        }
    }
}

TEST(sdwa, destination_selects) {
    constexpr uint32_t old = 0xaabbccdd;
    constexpr uint32_t value = 0x00009184;
    for (const std::string& sel : selects) {
        for (const std::string unused : {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}) {
            machine m(gfx_target::gfx942);
            m.fill(0, old);
            m.fill(1, value);
            m.set_exec(1);
            m.run("v_mov_b32_sdwa v0, v1 dst_sel:" + sel + " dst_unused:" + unused +
                  " src0_sel:DWORD");
            uint32_t expected = value;
            if (sel != "DWORD") {
                const int index = sel.back() - '0';
                const int width = sel[0] == 'B' ? 8 : 16;
                const int shift = width * index;
                const uint32_t mask = ((1u << width) - 1) << shift;
                const uint32_t placed = value << shift & mask;
                if (unused == "UNUSED_PAD") {
                    expected = placed;
                } else if (unused == "UNUSED_PRESERVE") {
                    expected = (old & ~mask) | placed;
                } else {
                    expected = static_cast<uint32_t>(static_cast<int32_t>(value << (32 - width)) >>
                                                     (32 - width) << shift);
                }
            }
            EXPECT_EQ(m.v(0)[0], expected) << sel << " " << unused;
            EXPECT_EQ(m.v(0)[1], old);
        }
    }
}

TEST(sdwa, halves_compares_and_constants) {
    machine m(gfx_target::gfx950);
    m.fill(1, uint32_t{half(3.0f)} << 16 | half(1.0f));
    m.fill(2, half(0.5f));
    m.fill(0, 0x11112222u);
    m.s(4) = half(2.0f);
    m.run(
        "v_add_f16_sdwa v0, -v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
        "src1_sel:WORD_0\n"
        "v_cvt_f32_f16_sdwa v3, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1\n"
        "v_mul_f16_sdwa v4, s4, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
        "src1_sel:WORD_1\n"
        "v_cmp_eq_u16_sdwa s[0:1], v1, v2 src0_sel:BYTE_1 src1_sel:BYTE_1\n"
        "v_lshlrev_b32_sdwa v5, v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 "
        "src1_sel:WORD_0\n"
        "v_cndmask_b32_sdwa v6, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 "
        "src1_sel:DWORD");
    EXPECT_EQ(m.v(0)[0], uint32_t{half(-2.5f)} << 16 | 0x2222);
    EXPECT_EQ(to_float(m.v(3)[0]), 3.0f);
    EXPECT_EQ(m.v(4)[0], half(6.0f));
    EXPECT_EQ(m.s64(0), 0u);  // 0x3c and 0x38
    EXPECT_EQ(m.v(5)[0], half(1.0f));
    EXPECT_EQ(m.v(6)[0], half(3.0f));
}

}  // namespace
}  // namespace emu
