// launch/products.hpp: what matrix instructions leave where nothing is multiplied. launch/needs.hpp:
// what else is left out then.
#include "launch/needs.hpp"
#include "launch/products.hpp"
#include "machine.hpp"

namespace emu {
namespace {

class timeline_only : public testing::TestWithParam<gfx_target> {
protected:
    timeline_only() {
        for (int r = 0; r < 64; ++r) {
            for (uint32_t l = 0; l < lane_count; ++l) {
                m.v(r)[l] = value(r, l);
                m.a(r)[l] = ~value(r, l);
            }
        }
    }
    static uint32_t value(int reg, uint32_t lane) { return static_cast<uint32_t>(reg) << 8 | lane; }

    void leave_out(const std::string& source) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source);
        program code(m.target(), bytes.data(), bytes.size(), machine::base);
        const instruction& i = code.at(machine::base);
        ASSERT_TRUE(is_product(i)) << source;
        leave_out_product(m.w(), i);
    }
    void expect_v(int reg, uint32_t of_lane_0, uint32_t of_lane_63) {
        EXPECT_EQ(m.v(reg)[0], of_lane_0) << "v" << reg;
        EXPECT_EQ(m.v(reg)[63], of_lane_63) << "v" << reg;
    }

    machine m{GetParam()};
};

TEST_P(timeline_only, d_is_c) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[16:19]");
    for (int n = 0; n < 4; ++n) {
        expect_v(8 + n, value(16 + n, 0), value(16 + n, 63));
    }
    expect_v(7, value(7, 0), value(7, 63));
    expect_v(12, value(12, 0), value(12, 63));
    leave_out("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[20:23]");
    for (int n = 0; n < 4; ++n) {
        expect_v(n, value(20 + n, 0), value(20 + n, 63));
    }
    leave_out("v_mfma_f32_16x16x16_f16 a[20:23], v[0:1], v[2:3], a[4:7]");
    EXPECT_EQ(m.a(23)[63], ~value(7, 63));
    leave_out("v_mfma_f32_16x16x16_f16 a[4:7], v[0:1], v[2:3], a[4:7]");
    EXPECT_EQ(m.a(4)[9], ~value(4, 9));
}

TEST_P(timeline_only, c_is_a_constant) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 0");
    expect_v(8, 0, 0);
    expect_v(11, 0, 0);
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 1.0");
    expect_v(11, bits(1.0f), bits(1.0f));
    leave_out("v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], 1.0");
    expect_v(14, 0, 0);
    expect_v(15, 0x3ff00000, 0x3ff00000);
}

// The last registers that the wave has are as good as others.
TEST_P(timeline_only, the_last_registers) {
    const auto text = [](char kind, size_t first) {
        return kind + ("[" + std::to_string(first) + ":" + std::to_string(first + 3) + "]");
    };
    for (const char kind : {'v', 'a'}) {
        std::vector<lane_row>& rows = kind == 'v' ? m.w().vgpr : m.w().agpr;
        const size_t last = rows.size() - 4;
        const std::string product = "v_mfma_f32_16x16x16_f16 ";
        leave_out(product + text(kind, last) + ", v[0:1], v[2:3], " + text(kind, 16));
        EXPECT_EQ(rows[last + 3].lane, rows[19].lane) << kind;
        rows[last].lane.fill(1234);
        leave_out(product + text(kind, 8) + ", v[0:1], v[2:3], " + text(kind, last));
        EXPECT_EQ(rows[8].lane, rows[last].lane) << kind;
    }
}

TEST_P(timeline_only, c_and_d_overlap) {
    leave_out("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[10:13]");
    expect_v(8, value(10, 0), value(10, 63));
    expect_v(11, value(13, 0), value(13, 63));
    leave_out("v_mfma_f32_16x16x16_f16 v[24:27], v[0:1], v[2:3], v[22:25]");
    expect_v(24, value(22, 0), value(22, 63));
    expect_v(27, value(25, 0), value(25, 63));
}

TEST_P(timeline_only, other_instructions_are_executed) {
    for (const char* source : {"v_add_u32 v0, v1, v2", "v_dot2_f32_f16 v0, v1, v2, v3",
                               "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12"}) {
        const std::vector<std::byte>& bytes = assemble(m.target(), source);
        program code(m.target(), bytes.data(), bytes.size(), machine::base);
        EXPECT_FALSE(is_product(code.at(machine::base))) << source;
    }
}

// A letter for each instruction of the source: all of it is needed, its access, or nothing.
std::string needs_of(gfx_target target, const std::string& source, bool starts_full = true,
                     bool lds_addresses = false) {
    const std::vector<std::byte>& bytes = assemble(target, source + "\ns_endpgm");
    program code(target, bytes.data(), bytes.size(), machine::base);
    const instruction_needs needs = find_needs(code, machine::base, starts_full, lds_addresses);
    std::string letters;
    for (uint64_t pc = machine::base; code.at(pc).mnemonic != "s_endpgm"; pc += code.at(pc).size) {
        const instruction_need need = needs.at(pc).need;
        letters += need == instruction_need::all      ? 'A'
                   : need == instruction_need::access ? 'a'
                                                      : '.';
    }
    return letters;
}

const std::string matrix_loop =
    "v_lshlrev_b32 v1, 2, v0\n"
    "v_add_u32 v2, 64, v0\n"
    "loop:\n"
    "buffer_load_dword v1, s[0:3], s4 offen lds\n"
    "global_load_dwordx2 v[12:13], v1, s[6:7]\n"
    "s_waitcnt vmcnt(0)\n"
    "ds_write_b64 v2, v[12:13]\n"
    "ds_read_b64 v[4:5], v2\n"
    "v_add_f16 v4, v4, v4\n"
    "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[12:13], v[8:11]\n"
    "s_add_u32 s4, s4, 64\n"
    "s_cmp_lt_u32 s4, s5\n"
    "s_cbranch_scc1 loop\n";

TEST_P(timeline_only, tiles_are_for_products) {
    EXPECT_EQ(needs_of(GetParam(), matrix_loop), "A.aaA....AAA");
    EXPECT_EQ(needs_of(GetParam(), matrix_loop, true, true), "AAaaA....AAA");
    const std::string sums = "v_add_f32 v8, v8, v9\nglobal_store_dword v1, v8, s[8:9]";
    EXPECT_EQ(needs_of(GetParam(), matrix_loop + sums), "A.aaA....AAAAA");
}

TEST_P(timeline_only, what_decides_about_addresses) {
    const auto needs = [](const std::string& source) { return needs_of(GetParam(), source); };
    EXPECT_EQ(needs("buffer_load_dword v1, s[0:3], 0 offen lds\n"
                    "ds_write_b32 v2, v3\n"
                    "ds_read_b32 v4, v2\n"
                    "global_load_dword v5, v4, s[6:7]"),
              "AAAa");
    EXPECT_EQ(needs("ds_read_b32 v4, v2\nbuffer_load_dword v1, v4, s[0:3], 0 offen"), "Aa");
    EXPECT_EQ(needs("ds_read_b32 v4, v2\nbuffer_load_dword v4, s[0:3], 0 offen lds"), "AA");
    EXPECT_EQ(needs("v_mov_b32 v4, v5\nv_readfirstlane_b32 s0, v4"), "AA");
    EXPECT_EQ(needs("v_mov_b32 v4, v5\nv_cmp_eq_u32 vcc, v4, v6"), "AA");
    EXPECT_EQ(needs("v_mov_b32 v4, v5\nv_cmpx_eq_u32 exec, v4, v6"), "AA");
    EXPECT_EQ(needs("v_mov_b32 v4, v5\nglobal_atomic_add v1, v4, s[6:7]"), "AA");
    EXPECT_EQ(needs("global_load_dword v4, v1, s[6:7]\nglobal_store_dword v1, v4, s[6:7]"), "AA");
    EXPECT_EQ(needs("v_accvgpr_write_b32 a4, v5\nv_accvgpr_read_b32 v4, a4\n"
                    "scratch_store_dword off, v4, s0"),
              "AAA");
    const std::string store = "global_store_dword v1, v8, s[6:7]";
    EXPECT_EQ(needs("v_mov_b32 v4, v5\nv_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[4:7]\n" +
                    store),
              "AAA");
    EXPECT_EQ(needs("v_mov_b32 v8, 0\nv_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[8:11]\n" +
                    store),
              "A.A");
}

TEST_P(timeline_only, who_may_read_lds) {
    const auto needs = [](const std::string& reads) {
        return needs_of(GetParam(), "ds_write_b32 v2, v3\n" + reads);
    };
    EXPECT_EQ(needs("ds_read_b32 v4, v2"), "..");
    EXPECT_EQ(needs("ds_bpermute_b32 v4, v2, v3"), "..");
    EXPECT_EQ(needs("flat_load_dword v4, v[6:7]"), "AA");
    EXPECT_EQ(needs("ds_add_u32 v4, v5"), "AA");
    EXPECT_EQ(needs("ds_add_rtn_u32 v4, v5, v6"), "AA");
    EXPECT_EQ(needs("ds_append v4"), "AA");
}

// The read is for nothing if what follows it overwrites all of v4.
TEST_P(timeline_only, what_overwrites_registers) {
    const auto needs = [](const std::string& code, bool starts_full = true) {
        return needs_of(GetParam(), code + "\nglobal_store_dword v1, v4, s[6:7]", starts_full);
    };
    const std::string read = "ds_read_b32 v4, v2\n";
    const std::string move = read + "v_mov_b32 v4, v3";
    EXPECT_EQ(needs(move), ".AA");
    EXPECT_EQ(needs(move, false), "AAA");
    EXPECT_EQ(needs("s_mov_b64 exec, -1\n" + move, false), "A.AA");
    EXPECT_EQ(needs("s_mov_b64 exec, s[8:9]\n" + move), "AAAA");
    EXPECT_EQ(needs("s_and_saveexec_b64 s[8:9], vcc\n" + move), "AAAA");
    EXPECT_EQ(needs("v_cmpx_eq_u32 exec, v5, v6\n" + move), "AAAA");
    EXPECT_EQ(needs("s_cbranch_scc0 on\ns_mov_b32 exec_lo, s8\non:\n" + move), "AAAAA");
    EXPECT_EQ(needs(read + "loop:\nv_mov_b32 v4, v3\ns_mov_b64 exec, s[8:9]\ns_cbranch_scc1 loop"),
              "AAAAA")
        << "in the second turn not all lanes are on";
    for (const char* whole :
         {"global_load_dword v4, v5, s[8:9]", "buffer_load_dword v4, v5, s[8:11], 0 offen",
          "ds_read_b32 v4, v3", "v_lshl_add_u32 v4, v5, 2, v6", "v_accvgpr_read_b32 v4, a4"}) {
        EXPECT_EQ(needs(read + whole), ".AA") << whole;
    }
    EXPECT_EQ(needs(read + "s_cbranch_scc0 on\nv_mov_b32 v4, v3\non:"), "AAAA");
    for (const char* part :
         {"ds_read_u16_d16 v4, v2", "v_writelane_b32 v4, s8, 3", "v_cvt_pk_fp8_f32 v4, v5, v6",
          "v_mov_b32_sdwa v4, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0",
          "v_mov_b32_dpp v4, v3 row_shr:1 row_mask:0xf bank_mask:0xf",
          "global_load_short_d16_hi v4, v5, s[8:9]"}) {
        EXPECT_EQ(needs(read + part), "AAA") << part;
    }
}

// What the end of a loop loads is stored in the next turn.
TEST_P(timeline_only, what_the_next_turn_of_a_loop_needs) {
    EXPECT_EQ(needs_of(GetParam(),
                       "loop:\nglobal_store_dword v1, v4, s[6:7]\nds_read_b32 v4, v2\n"
                       "s_cbranch_scc1 loop"),
              "AAA");
}

// Bit 27 of MODE lets instructions index registers; a write of other bits does not.
TEST_P(timeline_only, bits_of_mode_that_index_registers) {
    const int rows[][2] = {{27, 1}, {26, 2}, {0, 32}, {0, 28}, {25, 3}, {27, 5},
                           {24, 4}, {0, 27}, {28, 1}, {26, 1}, {28, 4}, {11, 16}};
    for (const auto& [first, count] : rows) {
        const std::string field = std::to_string(first) + ", " + std::to_string(count);
        EXPECT_EQ(needs_of(GetParam(),
                           "ds_read_b32 v4, v2\n"
                           "s_setreg_b32 hwreg(HW_REG_MODE, " +
                               field + "), s0"),
                  first <= 27 && 27 < first + count ? "AA" : ".A")
            << field;
    }
}

TEST_P(timeline_only, where_nothing_is_known) {
    const auto needs = [](const std::string& code) {
        return needs_of(GetParam(), "ds_read_b32 v4, v2\n" + code);
    };
    EXPECT_EQ(needs("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"), ".A");
    for (const char* code :
         {"s_setpc_b64 s[0:1]", "s_swappc_b64 s[0:1], s[2:3]", "s_movrels_b32 s0, s1",
          "s_set_gpr_idx_off", "s_setreg_b32 hwreg(HW_REG_MODE), s0", "s_branch 0x7ff0"}) {
        EXPECT_EQ(needs(code), "AA") << code;
    }
}

INSTANTIATE_TEST_SUITE_P(targets, timeline_only, testing::ValuesIn(both_targets),
                         [](const auto& p) { return name_of(p.param); });

}  // namespace
}  // namespace emu
