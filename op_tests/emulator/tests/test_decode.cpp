// The decoder: text to operands, refusals, concurrent use; and the assembler of these tests.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/registers.hpp"
#include "machine.hpp"

namespace emu {
namespace {

instruction parse(const std::string& line, gfx_target target = gfx_target::gfx950) {
    instruction result;
    result.target = target;
    parse_instruction(result, line);
    return result;
}

TEST(registers, names) {
    const struct {
        register_range range;
        const char* name;
    } rows[] = {{{0, 1}, "v0"},
                {{first_agpr - 1, 1}, "v511"},
                {{4, 4}, "v[4:7]"},
                {{first_agpr, 1}, "a0"},
                {{first_sgpr - 1, 1}, "a511"},
                {{first_agpr + 2, 2}, "a[2:3]"},
                {{first_sgpr, 1}, "s0"},
                {{first_sgpr, 2}, "s[0:1]"},
                {{first_sgpr + sreg::vcc, 1}, "vcc_lo"},
                {{first_sgpr + sreg::vcc, 2}, "vcc"},
                {{first_sgpr + sreg::vcc + 1, 1}, "vcc_hi"},
                {{first_sgpr + sreg::exec, 1}, "exec_lo"},
                {{first_sgpr + sreg::exec + 1, 1}, "exec_hi"},
                {{first_sgpr + sreg::exec, 2}, "exec"},
                {{first_sgpr + sreg::flat_scratch + 1, 1}, "flat_scratch_hi"},
                {{first_sgpr + sreg::xnack_mask, 2}, "xnack_mask"},
                {{first_sgpr + sreg::flat_scratch - 1, 1}, "s101"},
                {{first_sgpr + sreg::vcc + 2, 2}, "s[108:109]"},
                {{first_sgpr + sreg::m0, 1}, "m0"}};
    for (const auto& [range, name] : rows) {
        EXPECT_EQ(register_name(range), name);
    }
    constexpr register_range four{4, 4};
    EXPECT_FALSE(four.overlaps({3, 1}));
    EXPECT_TRUE(four.overlaps({3, 2}));
    EXPECT_TRUE(four.overlaps({7, 1}));
    EXPECT_FALSE(four.overlaps({8, 1}));
}

TEST(decode, operands) {
    const instruction i = parse("\tv_fma_f32 v0, -v1, |s[2:3]|, -|a[4:7]|");
    EXPECT_EQ(i.mnemonic, "v_fma_f32");
    ASSERT_EQ(i.operand_count, 4u);
    EXPECT_EQ(i.operands[0].kind, operand_kind::vgpr);
    EXPECT_TRUE(i.operands[1].neg);
    EXPECT_FALSE(i.operands[1].abs);
    EXPECT_EQ(i.operands[2].kind, operand_kind::sgpr);
    EXPECT_EQ(i.operands[2].dwords, 2);
    EXPECT_TRUE(i.operands[2].abs);
    EXPECT_EQ(i.operands[3].kind, operand_kind::agpr);
    EXPECT_EQ(i.operands[3].reg, 4);
    EXPECT_EQ(i.operands[3].dwords, 4);
    EXPECT_TRUE(i.operands[3].neg && i.operands[3].abs);
}

TEST(decode, constants_by_width) {
    struct row {
        const char* text;
        uint16_t value16;
        uint32_t value32;
        uint64_t value64;
    };
    for (const row& r :
         {row{"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},
          row{"-0.5", 0xb800, 0xbf000000, 0xbfe0000000000000},
          row{"1.0", 0x3c00, 0x3f800000, 0x3ff0000000000000},
          row{"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
          row{"2.0", 0x4000, 0x40000000, 0x4000000000000000},
          row{"-2.0", 0xc000, 0xc0000000, 0xc000000000000000},
          row{"4.0", 0x4400, 0x40800000, 0x4010000000000000},
          row{"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
          row{"0.15915494", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
          row{"0.15915494309189532", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882}, row{"64", 64, 64, 64},
          row{"-16", 0xfff0, 0xfffffff0, 0xfffffffffffffff0}}) {
        const instruction i = parse(std::string("v_mov_b32_e32 v0, ") + r.text);
        EXPECT_EQ(i.operands[1].kind, operand_kind::constant);
        EXPECT_EQ(i.operands[1].value16, r.value16) << r.text;
        EXPECT_EQ(i.operands[1].value32, r.value32) << r.text;
        EXPECT_EQ(i.operands[1].value64, r.value64) << r.text;
    }
}

// v_nop has no operands and a form with DPP, which wants wait states as each has, and of no source.
TEST(decode, dpp_without_operands) {
    const instruction i = parse("v_nop row_shr:1 row_mask:0xf bank_mask:0xf");
    EXPECT_EQ(i.problem, "");
    EXPECT_EQ(i.operand_count, 0u);
    EXPECT_EQ(i.hazards.seconds.size(), 1u);
}

TEST(decode, modifiers) {
    const instruction b =
        parse("buffer_load_dword v4, s[8:11], s3 offen offset:4095 sc0 nt sc1 lds");
    EXPECT_EQ(b.modifiers, mod::offen | mod::offset | mod::sc0 | mod::nt | mod::sc1 | mod::lds);
    EXPECT_EQ(b.offset, 4095);
    EXPECT_TRUE(b.problem.empty());
    const instruction d =
        parse("v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xa bank_mask:0x7 bound_ctrl:1");
    EXPECT_EQ(d.dpp, dpp_kind::quad_perm);
    EXPECT_EQ(d.dpp_lanes, (std::array<uint8_t, 4>{3, 2, 1, 0}));
    EXPECT_EQ(d.row_mask, 0xa);
    EXPECT_EQ(d.bank_mask, 0x7);
    EXPECT_TRUE(d.bound_ctrl);
    const instruction p = parse(
        "v_pk_fma_f16 v0, v1, v2, v3 op_sel:[0,1,1] op_sel_hi:[1,0,1] neg_lo:[1,0,0] "
        "neg_hi:[0,0,1] clamp");
    EXPECT_EQ(p.op_sel, 6);
    EXPECT_EQ(p.op_sel_hi, 5);
    EXPECT_EQ(p.neg_lo, 1);
    EXPECT_EQ(p.neg_hi, 4);
    EXPECT_TRUE(p.has(mod::clamp));
    const instruction m =
        parse("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1 abid:2 blgp:3");
    EXPECT_EQ(m.cbsz, 1);
    EXPECT_EQ(m.abid, 2);
    EXPECT_EQ(m.blgp, 3);
}

// What an operand may be beside v, s and a registers; ISA guide, "scalar source operands".
TEST(decode, named_operands) {
    const struct {
        const char* text;
        operand_kind kind;
        int reg;
        int dwords;
    } rows[] = {
        {"vcc", operand_kind::sgpr, 106, 2},
        {"vcc_lo", operand_kind::sgpr, 106, 1},
        {"vcc_hi", operand_kind::sgpr, 107, 1},
        {"exec", operand_kind::sgpr, 126, 2},
        {"exec_lo", operand_kind::sgpr, 126, 1},
        {"exec_hi", operand_kind::sgpr, 127, 1},
        {"m0", operand_kind::sgpr, 124, 1},
        {"flat_scratch", operand_kind::sgpr, 102, 2},
        {"flat_scratch_lo", operand_kind::sgpr, 102, 1},
        {"flat_scratch_hi", operand_kind::sgpr, 103, 1},
        {"xnack_mask", operand_kind::sgpr, 104, 2},
        {"xnack_mask_lo", operand_kind::sgpr, 104, 1},
        {"xnack_mask_hi", operand_kind::sgpr, 105, 1},
        {"ttmp0", operand_kind::sgpr, 108, 1},
        {"ttmp[14:15]", operand_kind::sgpr, 122, 2},
        {"s[100:101]", operand_kind::sgpr, 100, 2},
        {"v[7:7]", operand_kind::vgpr, 7, 1},
        {"v[7]", operand_kind::vgpr, 7, 1},
        {"a[252:255]", operand_kind::agpr, 252, 4},
        {"scc", operand_kind::scc, 0, 1},
        {"src_scc", operand_kind::scc, 0, 1},
        {"vccz", operand_kind::vccz, 0, 1},
        {"src_vccz", operand_kind::vccz, 0, 1},
        {"execz", operand_kind::execz, 0, 1},
        {"src_execz", operand_kind::execz, 0, 1},
        {"off", operand_kind::off, 0, 1},
        {"v[3:3]", operand_kind::vgpr, 3, 1},
        {"a[224:255]", operand_kind::agpr, 224, 32},
        {"v255", operand_kind::vgpr, 255, 1},
        {"s[4]", operand_kind::sgpr, 4, 1},
        {"s105", operand_kind::sgpr, 105, 1},
        {"ttmp15", operand_kind::sgpr, 123, 1},
        {"ttmp[0:15]", operand_kind::sgpr, 108, 16},
        // All lists that LLVM 23 has names of; LLVM 19 to 22 have none.
        {"[s104,s105,vcc_lo]", operand_kind::sgpr, 104, 3},
        {"[s104,s105,vcc_lo,vcc_hi]", operand_kind::sgpr, 104, 4},
        {"[s100,s101,s102,s103,s104,s105,vcc_lo]", operand_kind::sgpr, 100, 7},
        {"[s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi]", operand_kind::sgpr, 100, 8},
        {"[s96,s97,s98,s99,s100,s101,s102,s103,s104,s105,vcc_lo]", operand_kind::sgpr, 96, 11},
        {"[s96,s97,s98,s99,s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi]", operand_kind::sgpr, 96,
         12},
        {"[s92,s93,s94,s95,s96,s97,s98,s99,s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi]",
         operand_kind::sgpr, 92, 16},
        {"[s76,s77,s78,s79,s80,s81,s82,s83,s84,s85,s86,s87,s88,s89,s90,s91,s92,s93,s94,s95,s96,s97,"
         "s98,s99,s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi]",
         operand_kind::sgpr, 76, 32},
        // The same of registers by their other names, and of other files.
        {"[s101,flat_scratch_lo,flat_scratch_hi,xnack_mask_lo,xnack_mask_hi,vcc_lo]",
         operand_kind::sgpr, 101, 6},
        {"[flat_scratch,xnack_mask,vcc,ttmp0]", operand_kind::sgpr, 102, 7},
        {"[exec_lo,exec_hi]", operand_kind::sgpr, 126, 2},
        {"[ttmp14,ttmp15,m0]", operand_kind::sgpr, 122, 3},
        {"[v7,v8,v9]", operand_kind::vgpr, 7, 3},
        {"[a7]", operand_kind::agpr, 7, 1},
    };
    for (const auto& row : rows) {
        const instruction i = parse(std::string("s_mov_b32 ") + row.text);
        const operand& o = i.operands[0];
        EXPECT_EQ(i.problem, "") << row.text;
        EXPECT_EQ(o.kind, row.kind) << row.text;
        EXPECT_EQ(o.reg, row.reg) << row.text;
        EXPECT_EQ(o.dwords, row.dwords) << row.text;
    }
    // LDS and private memory as flat addresses: 4 GiB each, at the base that flat instructions know.
    for (const auto& [name, base] :
         {std::pair{"shared", shared_aperture}, std::pair{"private", private_aperture}}) {
        const std::string text = "s_mov_b64 s[0:1], src_" + std::string(name);
        const operand first = parse(text + "_base").operands[1];
        const operand last = parse(text + "_limit").operands[1];
        EXPECT_EQ(first.kind, operand_kind::aperture);
        EXPECT_EQ(first.value64, base);
        EXPECT_EQ(first.value32, 0u);
        EXPECT_EQ(last.kind, operand_kind::aperture);
        EXPECT_EQ(last.value64, base + 0xffffffff);
        EXPECT_EQ(last.value32, 0xffffffffu);
    }
    // Modifiers of a source in all their spellings.
    const struct {
        const char* text;
        bool neg, abs, sext;
    } sources[] = {{"v1", false, false, false},         {"-v1", true, false, false},
                   {"|v1|", false, true, false},        {"-|v1|", true, true, false},
                   {"neg(v1)", true, false, false},     {"abs(v1)", false, true, false},
                   {"neg(abs(v1))", true, true, false}, {"sext(v1)", false, false, true},
                   {"-sext(v1)", true, false, true},    {"-1", false, false, false},
                   {"-vcc_lo", true, false, false}};
    for (const auto& source : sources) {
        const operand o = parse(std::string("v_mov_b32 v0, ") + source.text).operands[1];
        EXPECT_EQ(o.neg, source.neg) << source.text;
        EXPECT_EQ(o.abs, source.abs) << source.text;
        EXPECT_EQ(o.sext, source.sext) << source.text;
        EXPECT_NE(o.kind, operand_kind::none) << source.text;
    }
}

// None of these is a register, or anything that is known: whoever reads the report sees the text.
TEST(decode, operands_that_are_not_understood) {
    for (const char* text :
         {"v[7:6]", "v[:7]", "v[7:]", "v[x:7]", "v-1", "v7x", "v[77", "v77]", "v", "w7", "0x", "-",
          "1.5", "|", "v256", "a[254:256]", "v[0:32]", "s106", "s[104:107]", "ttmp16", "[]", "[s0",
          "s0,s1]", "[s0,s2]", "[s1,s0]", "[s0,s0]", "[s0,,s1]", "[s0,s1,]", "[s105,v106]",
          "[v0,a1]", "[s0,1]", "[0]", "[vcc_lo,vcc]", "[vcc_hi,s106]", "[src_scc]", "[off]",
          "[v[0:31],v32]", "[[s0,s1],s2]", "s0_s1", "$s0",
          // Numbers that LLVM 19 to 23 know to be none of gfx9's registers.
          "null", "src_lds_direct", "src_pops_exiting_wave_id", "src_flat_scratch_base_lo",
          "src_flat_scratch_base_hi",
          // The symbols of other instructions.
          "hwreg(HW_REG_MODE)", "gpr_idx(SRC0)", "vmcnt(0)", "sendmsg(MSG_INTERRUPT)", "label"}) {
        for (const char* code : {"s_mov_b32 s0, ", "v_mov_b32_e32 v0, ", "ds_read_b32 v0, "}) {
            const instruction i = parse(std::string(code) + text);
            // What cuts a text into two operands is a part of it.
            const std::string shown = std::string(text) == "s0,s1]" ? "s1]" : text;
            EXPECT_EQ(i.problem, "operand " + shown + " of " + i.mnemonic + " is not understood");
        }
    }
}

// Immediates that LLVM 19 to 23 print by their meaning; the handlers read the encoding.
TEST(decode, symbols) {
    const struct {
        const char* text;
        size_t operands;
    } rows[] = {
        {"s_waitcnt vmcnt(0)", 1},
        {"s_waitcnt lgkmcnt(15)", 1},
        {"s_waitcnt expcnt(0)", 1},
        {"s_waitcnt vmcnt(0) lgkmcnt(0)", 1},
        {"s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)", 1},
        {"s_getreg_b32 s4, hwreg(HW_REG_MODE)", 2},
        {"s_getreg_b32 s4, hwreg(HW_REG_XCC_ID, 0, 4)", 2},
        {"s_setreg_b32 hwreg(0, 0, 1), s4", 2},
        {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0x1234", 2},
        {"s_set_gpr_idx_on s3, gpr_idx()", 2},
        {"s_set_gpr_idx_on s3, gpr_idx(SRC0,SRC1,SRC2,DST)", 2},
        {"s_set_gpr_idx_mode gpr_idx(SRC0,DST)", 1},
    };
    for (const auto& row : rows) {
        const instruction i = parse(row.text);
        EXPECT_EQ(i.problem, "") << row.text;
        EXPECT_EQ(i.operand_count, row.operands) << row.text;
        EXPECT_TRUE(std::ranges::any_of(i.operands, [](const operand& o) {
            return o.kind == operand_kind::symbol;
        })) << row.text;
    }
    const std::pair<const char*, const char*> wrong[] = {
        {"s_waitcnt vmcnt(0) storecnt(0)", "modifier storecnt(0) of s_waitcnt is not supported"},
        {"s_waitcnt vmcnt(0) & lgkmcnt(0)", "modifier & of s_waitcnt is not supported"},
        {"s_waitcnt storecnt(0)", "operand storecnt(0) of s_waitcnt is not understood"},
        {"s_waitcnt vmcnt(0", "operand vmcnt(0 of s_waitcnt is not understood"},
        {"s_waitcnt hwreg(1)", "operand hwreg(1) of s_waitcnt is not understood"},
        {"s_getreg_b32 s4, mode", "operand mode of s_getreg_b32 is not understood"},
        {"s_getreg_b32 s4, hwreg(1) 2", "modifier 2 of s_getreg_b32 is not supported"},
        {"s_branch .LBB0_1", "operand .LBB0_1 of s_branch is not understood"},
    };
    for (const auto& [text, problem] : wrong) {
        EXPECT_EQ(parse(text).problem, problem) << text;
    }
}

TEST(decode, modifiers_at_their_limits) {
    const auto problem = [](const std::string& line) { return parse(line).problem; };
    const auto is_refused = [&](const std::string& line) {
        return problem(line).find(" is not supported") != std::string::npos;
    };
    // Numbers of 8 bits.
    const instruction i = parse("ds_read2_b32 v[0:1], v2 offset0:255 offset1:254");
    EXPECT_EQ(i.problem, "");
    EXPECT_EQ(i.offset0, 255);
    EXPECT_EQ(i.offset1, 254);
    for (const char* wrong : {"offset0:256", "offset1:-1", "offset1:", "offset1", "offset1:x"}) {
        EXPECT_TRUE(is_refused(std::string("ds_read2_b32 v[0:1], v2 ") + wrong)) << wrong;
    }
    EXPECT_EQ(parse("global_load_dword v0, v1, s[0:1] offset:-4096").offset, -4096);
    EXPECT_EQ(parse("global_load_dword v0, v1, s[0:1] offset:4095").offset, 4095);
    EXPECT_TRUE(is_refused("global_load_dword v0, v1, s[0:1] offset:x"));
    // Lists of bits.
    const std::string packed = "v_pk_add_f16 v0, v1, v2 ";
    EXPECT_EQ(parse(packed + "op_sel:[0,1] op_sel_hi:[1,0] neg_lo:[1,1] neg_hi:[0,0]").op_sel, 2);
    for (const char* wrong : {"op_sel:[0,2]", "op_sel:[0,-1]", "op_sel:[0,x]", "op_sel:0,1",
                              "op_sel:[0,1", "neg_lo:1"}) {
        EXPECT_NE(problem(packed + wrong), "") << wrong;
    }
    // Output multipliers.
    const std::pair<const char*, int> factors[] = {{"mul:2", 1}, {"mul:4", 2}, {"div:2", 3}};
    for (const auto& [text, omod] : factors) {
        const instruction m = parse(std::string("v_add_f32_e64 v0, v1, v2 ") + text);
        EXPECT_EQ(m.problem, "");
        EXPECT_EQ(m.omod, omod) << text;
    }
    for (const char* wrong : {"mul:1", "mul:3", "mul:8", "div:1", "mul"}) {
        EXPECT_TRUE(is_refused(std::string("v_add_f32_e64 v0, v1, v2 ") + wrong)) << wrong;
    }
    // DPP: each kind, and lanes.
    const std::string moved = "v_mov_b32_dpp v0, v1 ";
    const std::tuple<const char*, dpp_kind, int> kinds[] = {
        {"row_shl:1", dpp_kind::row_shl, 1},
        {"row_shr:15", dpp_kind::row_shr, 15},
        {"row_ror:7", dpp_kind::row_ror, 7},
        {"wave_shl:1", dpp_kind::wave_shl, 1},
        {"wave_rol:1", dpp_kind::wave_rol, 1},
        {"wave_shr:1", dpp_kind::wave_shr, 1},
        {"wave_ror:1", dpp_kind::wave_ror, 1},
        {"row_mirror", dpp_kind::row_mirror, 0},
        {"row_half_mirror", dpp_kind::row_half_mirror, 0},
        {"row_bcast:31", dpp_kind::row_bcast, 31},
        {"row_newbcast:15", dpp_kind::row_newbcast, 15},
    };
    for (const auto& [text, kind, count] : kinds) {
        const instruction d = parse(moved + text + " row_mask:0x0 bank_mask:0x0");
        EXPECT_EQ(d.dpp, kind) << text;
        EXPECT_EQ(d.dpp_lanes[0], count) << text;
        EXPECT_EQ(d.row_mask, 0);
        EXPECT_EQ(d.bank_mask, 0);
        EXPECT_FALSE(d.bound_ctrl);
        EXPECT_TRUE(d.has(mod::dpp));
    }
    for (const char* wrong :
         {"row_shl:x", "quad_perm:[0,1,2]", "quad_perm:[0,1,2,4]", "quad_perm:[0,1,2,-1]",
          "quad_perm:[0,1,2,3,0]", "quad_perm:0", "quad_perm:[0,1,2,x]", "perm:[0,1,2,3]"}) {
        EXPECT_TRUE(is_refused(moved + wrong)) << wrong;
    }
    EXPECT_EQ(parse(moved + "quad_perm:[0,3,0,3]").dpp_lanes, (std::array<uint8_t, 4>{0, 3, 0, 3}));
    // SDWA.
    const std::string added = "v_add_u32_sdwa v0, v1, v2 ";
    const char* parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
    for (size_t n = 0; n < std::size(parts); ++n) {
        const instruction d = parse(added + "dst_sel:" + parts[n] +
                                    " dst_unused:UNUSED_PAD src0_sel:" + parts[(n + 1) % 7] +
                                    " src1_sel:" + parts[(n + 2) % 7]);
        EXPECT_EQ(static_cast<size_t>(d.dst_sel), n);
        EXPECT_EQ(static_cast<size_t>(d.src_sel[0]), (n + 1) % 7);
        EXPECT_EQ(static_cast<size_t>(d.src_sel[1]), (n + 2) % 7);
        EXPECT_EQ(d.dst_unused, sdwa_unused::pad);
        EXPECT_EQ(d.problem, "");
    }
    EXPECT_EQ(parse(added + "dst_unused:UNUSED_SEXT").dst_unused, sdwa_unused::sext);
    EXPECT_EQ(parse(added + "dst_unused:UNUSED_PRESERVE").dst_unused, sdwa_unused::preserve);
    for (const char* wrong :
         {"dst_unused:UNUSED", "dst_sel:BYTE_4", "src0_sel:", "src2_sel:DWORD"}) {
        EXPECT_TRUE(is_refused(added + wrong)) << wrong;
    }
}

// Fields at both ends of what they can be: LLVM prints what it was given, and all of it is understood.
TEST(decode, fields_at_their_limits) {
    const char* of_both[] = {
        "v_mov_b32_sdwa v255, v0 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
        ("v_add_u32_sdwa v0, v255, v255 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1 "
         "src1_sel:DWORD"),
        ("v_add_u32_sdwa v0, s101, v255 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_3 "
         "src1_sel:BYTE_3"),
        "v_cmp_eq_u32_sdwa vcc, v0, v255 src0_sel:BYTE_0 src1_sel:DWORD",
        "v_cmp_eq_u32_sdwa s[100:101], v0, v255 src0_sel:DWORD src1_sel:BYTE_0",
        "v_cmp_eq_u32_sdwa exec, v0, v255 src0_sel:DWORD src1_sel:DWORD",
        "v_cmp_lt_u32_e64 exec, v255, v255",
        "v_cmp_lt_u32_e64 s[0:1], s101, v255",
        "v_cmp_t_u64_e64 vcc, v[254:255], v[254:255]",
        "v_readfirstlane_b32 s101, v255",
        "v_readlane_b32 exec_hi, v255, s101",
        "v_readlane_b32 s0, v0, 63",
        "v_fma_f32 v255, v255, v255, v255",
        "v_fma_f32 v0, s0, s0, s0",
        "v_fma_f32 v0, -4.0, 64, 0.15915494",
        "v_add3_u32 v255, exec_hi, v255, v255",
        "v_add_u32_e32 v0, 0xff, v0",
        "v_add_u32_e32 v255, 0x80000000, v255",
        "v_mov_b32_e32 v0, 0xff",
        "s_mov_b32 s101, 0xff",
        "s_add_u32 exec_hi, 0x12345678, s101",
        "s_movk_i32 s101, 0x8000",
        "buffer_load_dword v255, v255, s[96:99], s101 idxen offset:4095",
        "buffer_load_dword v0, off, s[0:3], 0",
        "buffer_load_dword v0, off, s[0:3], 64",
        "buffer_load_dword v0, off, s[0:3], -16 offset:1",
        "buffer_load_dword v0, off, s[0:3], -4.0",
        "buffer_load_dword v0, off, s[0:3], m0",
        "buffer_store_dwordx4 v[252:255], v[254:255], s[96:99], exec_hi idxen offen offset:4095",
        "global_load_dword v255, v[254:255], off offset:-4096",
        "global_load_dword v255, v255, s[100:101] offset:4095",
        "ds_read2_b32 v[254:255], v255 offset0:255 offset1:255",
        "ds_write_b32 v255, v255 offset:65535",
        "v_pk_fma_f16 v255, s101, v255, v255",
        "v_mfma_f32_32x32x8_f16 a[240:255], v[254:255], v[254:255], a[240:255]",
        "v_mfma_f32_32x32x8_f16 v[240:255], a[254:255], a[254:255], -4.0",
        "v_mfma_f32_16x16x16_f16 v[0:3], v[0:1], v[0:1], 0 cbsz:3 abid:15 blgp:7",
    };
    for (const gfx_target target : both_targets) {
        for (const char* text : of_both) {
            const std::vector<std::byte>& code = assemble(target, text);
            program decoded(target, code.data(), code.size(), 0);
            const instruction& i = decoded.at(0);
            EXPECT_EQ(i.problem, "") << text;
            EXPECT_EQ(i.text, text) << name_of(target);
            EXPECT_EQ(i.size, code.size()) << text;
        }
    }
    const char* of_gfx950[] = {
        "v_mfma_f32_16x16x128_f8f6f4 v[252:255], v[248:255], v[248:255], v[252:255]",
        "v_mfma_f32_16x16x128_f8f6f4 a[0:3], a[0:7], v[0:7], -4.0",
        ("v_mfma_scale_f32_16x16x128_f8f6f4 v[252:255], v[248:255], v[248:255], v[252:255], v255, "
         "v255 op_sel_hi:[0,0,0]"),
    };
    for (const char* text : of_gfx950) {
        const std::vector<std::byte>& code = assemble(gfx_target::gfx950, text);
        program decoded(gfx_target::gfx950, code.data(), code.size(), 0);
        EXPECT_EQ(decoded.at(0).problem, "") << text;
        EXPECT_EQ(decoded.at(0).text, text);
    }
}

// The same of what is reserved: one word of each is changed.
TEST(decode, reserved_fields) {
    const struct {
        const char* text;
        size_t word;
        int bit;
        int width;
        uint32_t value;
    } rows[] = {
        {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
         "src1_sel:DWORD",
         1, 8, 3, 7},
        {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
         "src1_sel:DWORD",
         1, 11, 2, 3},
        {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
         "src1_sel:DWORD",
         1, 16, 3, 7},
        {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD "
         "src1_sel:DWORD",
         1, 24, 3, 7},
        {"v_fma_f32 v0, v1, v2, v3", 1, 0, 9, 255},
        {"v_fma_f32 v0, v1, v2, v3", 1, 9, 9, 255},
        {"v_fma_f32 v0, v1, v2, v3", 1, 18, 9, 255},
        {"v_cmp_lt_u32_e64 vcc, v1, v2", 0, 0, 8, 128},
        {"v_cmp_t_u64_e64 vcc, v[0:1], v[2:3]", 0, 0, 8, 128},
        {"v_readlane_b32 s0, v1, 2", 0, 0, 8, 128},
        {"buffer_load_dword v0, off, s[0:3], 0", 1, 24, 8, 255},
    };
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            std::vector<std::byte> code = assemble(target, row.text);
            program before(target, code.data(), code.size(), 0);
            EXPECT_EQ(before.at(0).problem, "") << row.text;
            uint32_t word = 0;
            std::memcpy(&word, code.data() + 4 * row.word, 4);
            word &= ~(((1u << row.width) - 1) << row.bit);
            word |= row.value << row.bit;
            std::memcpy(code.data() + 4 * row.word, &word, 4);
            program after(target, code.data(), code.size(), 0);
            EXPECT_EQ(after.at(0).problem,
                      "these bytes are no instruction of the target that the disassembler knows")
                << row.text << ", bit " << row.bit;
        }
    }
}

// Whatever the fields say, what they name are registers of a wave: s_load_dword and so
// on (opcodes 0 to 4) and s_buffer_load_dword (8 to 12) with each SDATA and each SBASE (ISA guide 13.2.1).
TEST(decode, registers_of_scalar_memory) {
    for (const gfx_target target : both_targets) {
        int count = 0;
        for (const uint32_t opcode : {0u, 1u, 2u, 3u, 4u, 8u, 9u, 10u, 11u, 12u}) {
            const int base_dwords = opcode < 8 ? 2 : 4;
            const int dwords = 1 << opcode % 8;
            for (uint32_t field = 0; field < 128 + 64; ++field) {
                const uint32_t registers = field < 128 ? field << 6 | 2 : 8 << 6 | (field - 128);
                const uint32_t words[] = {0xc0020000 | opcode << 18 | registers, 0};
                program code(target, reinterpret_cast<const std::byte*>(words), 8, 0);
                const instruction& i = code.at(0);
                if (!i.problem.empty()) {
                    continue;
                }
                ++count;
                EXPECT_EQ(i.operands[0].kind, operand_kind::sgpr) << i.text;
                EXPECT_EQ(i.operands[1].kind, operand_kind::sgpr) << i.text;
                EXPECT_EQ(i.operands[0].dwords, dwords) << i.text;
                EXPECT_EQ(i.operands[1].dwords, base_dwords) << i.text;
                EXPECT_LE(i.operands[0].reg + dwords, sreg::count) << i.text;
                EXPECT_LE(i.operands[1].reg + base_dwords, sreg::count) << i.text;
            }
        }
        EXPECT_GE(count, 10 * 24 + 5 * 40) << "s0 to s100 at least";
    }
}

// Each number in each field of a register, as the LLVM that is linked prints it: not understood is
// what no instruction of gfx9 has.
TEST(decode, texts_of_all_registers) {
    const struct {
        uint32_t words[2];
        size_t word;
        int bit;
        uint32_t values;
    } fields[] = {
        {{0xc0020002, 0}, 0, 6, 128},          // s_load_dword: SDATA
        {{0xc00e0002, 0}, 0, 6, 128},          // s_load_dwordx8
        {{0xc0120002, 0}, 0, 6, 128},          // s_load_dwordx16
        {{0xc0020200, 0}, 0, 0, 64},           // SBASE
        {{0xc0220200, 0}, 0, 0, 64},           // s_buffer_load_dword: SBASE
        {{0xc0004202, 0}, 1, 25, 128},         // SOFFSET
        {{0xc0000202, 0}, 1, 0, 128},          // SOFFSET in the place of OFFSET
        {{0xbe800004, 0}, 0, 16, 128},         // s_mov_b32: SDST
        {{0xbe800000, 0}, 0, 0, 255},          // SSRC0
        {{0xbe800104, 0}, 0, 16, 128},         // s_mov_b64
        {{0xbe800100, 0}, 0, 0, 255},          //
        {{0xd1410000, 0}, 1, 0, 255},          // v_mov_b32_e64: SRC0
        {{0xd28f0000, 0x20400}, 1, 0, 255},    // v_lshlrev_b64: SRC0
        {{0xd28f0000, 0x101}, 1, 9, 255},      // SRC1
        {{0xd0c90000, 0x20501}, 0, 0, 128},    // v_cmp_lt_u32_e64: SDST
        {{0xd1e80000, 0x4120501}, 0, 8, 128},  // v_mad_u64_u32: SDST
        {{0xd2890000, 0x10101}, 0, 0, 128},    // v_readlane_b32: SDST
        {{0xe0500000, 0}, 1, 16, 32},          // buffer_load_dword: SRSRC
        {{0xe0500000, 0x20000}, 1, 24, 255},   // SOFFSET
        {{0xdc508000, 0x1}, 1, 16, 128},       // global_load_dword: SADDR
        {{0xdc504000, 0x1}, 1, 16, 128},       // scratch_load_dword
    };
    const char* known[] = {"null", "src_lds_direct", "src_pops_exiting_wave_id",
                           "src_flat_scratch_base_lo", "src_flat_scratch_base_hi"};
    for (const gfx_target target : both_targets) {
        for (const auto& field : fields) {
            int understood = 0;
            for (uint32_t value = 0; value < field.values; ++value) {
                uint32_t words[] = {field.words[0], field.words[1]};
                words[field.word] |= value << field.bit;
                program code(target, reinterpret_cast<const std::byte*>(words), 8, 0);
                const instruction& i = code.at(0);
                understood += i.problem.empty() ? 1 : 0;
                EXPECT_TRUE(i.problem.find("is not understood") == std::string::npos ||
                            std::ranges::any_of(known,
                                                [&](const std::string& name) {
                                                    return i.problem.starts_with("operand " + name +
                                                                                 " of ");
                                                }))
                    << i.text << ": " << i.problem;
            }
            EXPECT_GE(understood, 20) << std::hex << field.words[0] << ", bit " << field.bit;
        }
    }
}

// Code that ends within an instruction, whatever stands behind it.
TEST(decode, code_that_is_cut_off) {
    for (const gfx_target target : both_targets) {
        for (const char* text : {"v_fma_f32 v0, v1, v2, v3", "global_load_dword v0, v1, s[0:1]",
                                 "s_load_dword s0, s[2:3], 0x4", "v_mov_b32 v0, 0x12345678"}) {
            const auto& code = assemble(target, std::string("s_nop 0\n") + text);
            uint32_t first;
            std::memcpy(&first, code.data() + 4, 4);
            program whole(target, code.data(), 12, 0);
            EXPECT_EQ(whole.at(4).problem, "") << text;
            EXPECT_EQ(whole.at(4).size, 8u) << text;
            program cut_off(target, code.data(), 8, 0);
            char word[32];
            std::snprintf(word, sizeof word, ".long 0x%08x", first);
            EXPECT_EQ(cut_off.at(4).text, word) << text;
            EXPECT_EQ(cut_off.at(4).problem,
                      "these bytes are no instruction of the target that the disassembler knows");
        }
    }
}

// Each modifier is told from all others.
TEST(decode, refuses_each_modifier_by_its_name) {
    const std::pair<const char*, const char*> modifiers[] = {
        {"clamp", "clamp"},
        {"mul:2", "mul:/div:"},
        {"op_sel:[1,0,0]", "op_sel"},
        {"op_sel_hi:[0,1]", "op_sel_hi"},
        {"neg_lo:[1,0]", "neg_lo"},
        {"neg_hi:[1,0]", "neg_hi"},
        {"offset:4", "offset"},
        {"offset0:4", "offset0/offset1"},
        {"offen", "offen"},
        {"idxen", "idxen"},
        {"lds", "lds"},
        {"sc0", "sc0"},
        {"sc1", "sc1"},
        {"nt", "nt"},
        {"glc", "glc"},
        {"cbsz:1", "cbsz"},
        {"abid:1", "abid"},
        {"blgp:1", "blgp"},
        {"neg:[1,0,0]", "neg"},
        {"bitop3:0x12", "bitop3"},
        {"gds", "gds"},
    };
    for (const auto& [text, name] : modifiers) {
        EXPECT_EQ(parse(std::string("v_and_b32_e64 v0, v1, v2 ") + text).problem,
                  std::string("modifier ") + name + " of v_and_b32 is not supported");
    }
}

// Each modifier is noted beside those that were there before it.
TEST(decode, notes_each_modifier) {
    const std::pair<const char*, uint64_t> modifiers[] = {
        {"clamp", mod::clamp},
        {"mul:2", mod::omod},
        {"div:2", mod::omod},
        {"op_sel:[1,0,0]", mod::op_sel},
        {"op_sel_hi:[0,1]", mod::op_sel_hi},
        {"neg_lo:[1,0]", mod::neg_lo},
        {"neg_hi:[1,0]", mod::neg_hi},
        {"neg:[1,0,0]", mod::neg_list},
        {"row_shl:1", mod::dpp},
        {"row_mirror", mod::dpp},
        {"row_mask:0x3", mod::dpp},
        {"bank_mask:0x3", mod::dpp},
        {"bound_ctrl:1", mod::dpp},
        {"quad_perm:[0,1,2,3]", mod::dpp},
        {"dst_sel:BYTE_0", mod::sdwa},
        {"dst_unused:UNUSED_PAD", mod::sdwa},
        {"src0_sel:BYTE_0", mod::sdwa},
        {"src1_sel:BYTE_0", mod::sdwa},
        {"offset:4", mod::offset},
        {"offset:swizzle(SWAP,16)", mod::offset},
        {"offset0:4", mod::offset01},
        {"offset1:4", mod::offset01},
        {"offen", mod::offen},
        {"idxen", mod::idxen},
        {"lds", mod::lds},
        {"sc0", mod::sc0},
        {"sc1", mod::sc1},
        {"nt", mod::nt},
        {"glc", mod::glc},
        {"cbsz:1", mod::cbsz},
        {"abid:1", mod::abid},
        {"blgp:1", mod::blgp},
        {"bitop3:0x12", mod::bitop3},
    };
    for (const auto& [text, bit] : modifiers) {
        EXPECT_EQ(parse(std::string("v_add_f32_e64 v0, v1, v2 gds ") + text).modifiers,
                  mod::gds | bit)
            << text;
    }
    EXPECT_EQ(parse("v_add_f32_e64 v0, v1, v2 gds").modifiers, mod::gds);
    EXPECT_EQ(parse("v_add_f32_e64 v0, |v1|, v2 gds").modifiers, mod::gds | mod::source_neg);
    EXPECT_EQ(parse("v_add_f32_e64 v0, v1, sext(v2) gds").modifiers, mod::gds | mod::source_sext);
    // DPP without masks has all rows and banks.
    const instruction all = parse("v_mov_b32_dpp v0, v1 row_mirror");
    EXPECT_EQ(all.row_mask, 0xf);
    EXPECT_EQ(all.bank_mask, 0xf);
    EXPECT_FALSE(all.bound_ctrl);
}

// A literal is what it says, also where its bits are those of a constant of f16.
TEST(decode, literals) {
    for (const uint32_t value : {0x3800u, 0xb800u, 0x3c00u, 0xbc00u, 0x4000u, 0xc000u, 0x4400u,
                                 0xc400u, 0x3118u, 0xffu, 0x80000000u}) {
        char text[16];
        std::snprintf(text, sizeof text, "0x%x", value);
        for (const std::string code : {"s_mov_b32 s0, ", "v_mov_b32_e32 v0, "}) {
            const std::vector<std::byte>& bytes = assemble(gfx_target::gfx950, code + text);
            program decoded(gfx_target::gfx950, bytes.data(), bytes.size(), 0);
            const operand& o = decoded.at(0).operands[1];
            EXPECT_EQ(o.kind, operand_kind::constant) << code << text;
            EXPECT_EQ(o.value32, value) << code << text;
            EXPECT_EQ(o.value16, value & 0xffff) << code << text;
            EXPECT_TRUE(o.literal) << code << text;
        }
    }
    const operand o = parse("s_mov_b64 s[0:1], lit(0x3ff00001)").operands[1];
    EXPECT_EQ(o.kind, operand_kind::constant);
    EXPECT_TRUE(o.literal);
    EXPECT_EQ(o.value32, 0x3ff00001u);
}

// LLVM's remark on an operand that it takes for invalid counts, but for that on a scale.
TEST(decode, remarks_on_operands) {
    const char* remark = "/*Invalid register, operand has 'VReg_128' register class*/";
    const auto problem = [&](const std::string& c, const std::string& scale) {
        return parse("v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]" + c +
                     ", v1" + scale + ", v2" + scale + " op_sel_hi:[0,0,0]")
            .problem;
    };
    EXPECT_EQ(problem("", ""), "");
    EXPECT_EQ(problem("", remark), "");
    for (const char* scale : {"", remark}) {
        EXPECT_EQ(problem(remark, scale),
                  "an operand of v_mfma_scale_f32_16x16x128_f8f6f4 is of a kind that LLVM calls "
                  "invalid");
    }
}

// Nothing that the parser sees is ignored.
TEST(decode, refusals) {
    EXPECT_EQ(parse("v_unheard_of v0").problem, "instruction v_unheard_of is not implemented");
    EXPECT_EQ(parse("v_and_b32_e64 v0, v1, v2 clamp").problem,
              "modifier clamp of v_and_b32 is not supported");
    EXPECT_EQ(parse("v_and_b32_e64 v0, -v1, v2").problem,
              "modifier - or || of a source of v_and_b32 is not supported");
    EXPECT_EQ(parse("v_add_f32_e32 v0, v1, v2 glitter:3").problem,
              "modifier glitter:3 of v_add_f32 is not supported");
    EXPECT_EQ(parse("ds_add_u32 v0, v1 gds").problem,
              "modifier gds of ds_add_u32 is not supported");
    EXPECT_EQ(parse("v_add_f32_e32 v0, v1, lds_direct").problem,
              "operand lds_direct of v_add_f32 is not understood");
    EXPECT_EQ(parse("v_add_f32_e32 lds_direct, v1, v2").problem,
              "operand lds_direct of v_add_f32 is not understood");
    EXPECT_EQ(parse("v_prng_b32_e32 v0, v1", gfx_target::gfx942).problem,
              "instruction v_prng_b32 is not implemented");
    EXPECT_EQ(parse("v_prng_b32_e32 v0, v1").problem, "");
}

TEST(decode, one_instruction_for_one_address_in_all_threads) {
    std::string source;
    for (int n = 0; n < 2000; ++n) {
        source += "v_add_u32 v0, " + std::to_string(n % 64) + ", v1\n";
    }
    const std::vector<std::byte>& code = assemble(gfx_target::gfx942, source);
    program decoded(gfx_target::gfx942, code.data(), code.size(), 0x4000);
    std::vector<std::vector<const instruction*>> seen(4);
    std::vector<std::thread> threads;
    for (auto& mine : seen) {
        threads.emplace_back([&] {
            for (uint64_t n = 0; n < 2000; ++n) {
                mine.push_back(&decoded.at(0x4000 + 4 * n));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (size_t n = 0; n < 2000; ++n) {
        for (const auto& mine : seen) {
            EXPECT_EQ(mine[n], seen[0][n]);
        }
        EXPECT_EQ(seen[0][n]->operands[1].value32, n % 64);
        EXPECT_EQ(seen[0][n]->size, 4u);
    }
}

// Encodings of SOPP and of VOP1 with v_prng_b32, which gfx950 alone has.
TEST(assemble, is_for_one_target_and_has_nothing_else) {
    const auto words = [](gfx_target target, const std::string& source) {
        const std::vector<std::byte>& code = assemble(target, source);
        std::vector<uint32_t> result(code.size() / 4);
        if (!result.empty()) {
            std::memcpy(result.data(), code.data(), 4 * result.size());
        }
        return result;
    };
    for (const gfx_target target : both_targets) {
        EXPECT_EQ(words(target, "s_nop 3\ns_endpgm"),
                  (std::vector<uint32_t>{0xbf800003, 0xbf810000}));
        EXPECT_EQ(words(target, ""), std::vector<uint32_t>{});
        try {
            assemble(target, "s_nop 0\nv_nonsense_b32 v0");
            ADD_FAILURE() << "it is assembled";
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("v_nonsense_b32"), std::string::npos);
        }
    }
    EXPECT_EQ(words(gfx_target::gfx950, "v_prng_b32 v0, v1").size(), 1u);
    EXPECT_THROW(assemble(gfx_target::gfx942, "v_prng_b32 v0, v1"), std::runtime_error);
}

}  // namespace
}  // namespace emu
