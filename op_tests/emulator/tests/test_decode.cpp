// The decoder: text to operands, refusals, concurrent use; and the assembler of these tests.
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

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
              "an operand of v_add_f32 is not understood");
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
        EXPECT_THROW(assemble(target, "s_nop 0\nv_nonsense_b32 v0"), std::runtime_error);
    }
    EXPECT_EQ(words(gfx_target::gfx950, "v_prng_b32 v0, v1").size(), 1u);
    EXPECT_THROW(assemble(gfx_target::gfx942, "v_prng_b32 v0, v1"), std::runtime_error);
}

}  // namespace
}  // namespace emu
