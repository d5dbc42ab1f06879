// Registers that M0 selects: S_MOVREL and the indexing of VGPRs (ISA guide 6.6 and 12).
#include <cmath>

#include "machine.hpp"

namespace emu {
namespace {

constexpr uint32_t gpr_idx_en = 1u << 27;

// Every SGPR has its number and 1000 in it, every VGPR its number, 2000 and the lane times 1000.
uint32_t content(uint32_t reg, uint32_t lane) {
    return 2000 + reg + 1000 * lane;
}

struct filled_machine : machine {
    explicit filled_machine(gfx_target target) : machine(target) {
        for (int r = 0; r < 100; ++r) {
            s(r) = 1000 + static_cast<uint32_t>(r);
        }
        for (int r = 0; r < 128; ++r) {
            fill(r, [=](uint32_t l) { return content(static_cast<uint32_t>(r), l); });
        }
    }
};

void expect_only_changed(machine& m, int sgpr, int count) {
    for (int r = 0; r < 100; ++r) {
        if (r < sgpr || r >= sgpr + count) {
            ASSERT_EQ(m.s(r), 1000u + static_cast<uint32_t>(r)) << "s" << r;
        }
    }
}

// addr = the register's number + M0[31:0].
TEST(indexing, scalar_moves) {
    for (const gfx_target target : both_targets) {
        for (const int index : {-6, -1, 0, 1, 2, 10, 33, 80}) {
            const std::string m0 = "s_mov_b32 m0, " + std::to_string(index) + "\n";
            const auto word = [&](int r) { return 1000u + static_cast<uint32_t>(r); };
            const auto after = [&](const char* instruction, const auto& check) {
                filled_machine m(target);
                m.run(m0 + instruction);
                check(m);
            };
            after("s_movrels_b32 s90, s7", [&](machine& m) {
                EXPECT_EQ(m.s(90), word(7 + index)) << index;
                expect_only_changed(m, 90, 1);
            });
            after("s_movreld_b32 s7, s91", [&](machine& m) {
                EXPECT_EQ(m.s(7 + index), word(91)) << index;
                expect_only_changed(m, 7 + index, 1);
            });
            after("s_movreld_b32 s7, 0x12345678", [&](machine& m) {
                EXPECT_EQ(m.s(7 + index), 0x12345678u) << index;
                expect_only_changed(m, 7 + index, 1);
            });
            if (index % 2 != 0) {  // for 64 bits the index must be even
                continue;
            }
            after("s_movrels_b64 s[90:91], s[8:9]", [&](machine& m) {
                EXPECT_EQ(m.s(90), word(8 + index)) << index;
                EXPECT_EQ(m.s(91), word(9 + index)) << index;
                expect_only_changed(m, 90, 2);
            });
            after("s_movreld_b64 s[8:9], s[92:93]", [&](machine& m) {
                EXPECT_EQ(m.s(8 + index), word(92)) << index;
                EXPECT_EQ(m.s(9 + index), word(93)) << index;
                expect_only_changed(m, 8 + index, 2);
            });
            after("s_movreld_b64 s[8:9], -2", [&](machine& m) {
                EXPECT_EQ(m.s64(static_cast<size_t>(8 + index)), ~uint64_t{1}) << index;
                expect_only_changed(m, 8 + index, 2);
            });
        }
    }
}

// The bits of M0 and MODE that each of the four instructions writes.
TEST(indexing, fields_of_m0) {
    const auto mode_bit = [](machine& m) { return (m.w().mode & gpr_idx_en) != 0; };
    for (const gfx_target target : both_targets) {
        for (const uint32_t before : {0u, 0xffffffffu, 0x12345678u}) {
            for (uint32_t bits = 0; bits < 16; ++bits) {
                const std::string imm = std::to_string(bits);
                machine m(target);
                m.s(0) = before;
                m.s(1) = 0xabcdef95;
                m.run("s_mov_b32 m0, s0\n s_set_gpr_idx_on s1, " + imm + "\n s_mov_b32 s2, m0\n" +
                      "s_getreg_b32 s3, hwreg(HW_REG_MODE, 27, 1)\n s_set_gpr_idx_idx s0\n" +
                      "s_mov_b32 s4, m0\n s_set_gpr_idx_mode " + std::to_string(15 - bits) +
                      "\n s_mov_b32 s5, m0");
                const uint32_t rest = before & 0xffff0f00;
                EXPECT_EQ(m.s(2), rest | bits << 12 | 0x95);
                EXPECT_EQ(m.s(3), 1u);
                EXPECT_EQ(m.s(4), rest | bits << 12 | (before & 0xff));
                EXPECT_EQ(m.s(5), rest | (15 - bits) << 12 | (before & 0xff));
                EXPECT_TRUE(mode_bit(m));
                m.run("s_set_gpr_idx_off\n s_mov_b32 s6, m0");
                EXPECT_EQ(m.s(6), m.s(5));
                EXPECT_FALSE(mode_bit(m));
                EXPECT_EQ(m.w().mode, default_mode);
            }
        }
    }
}

enum index_bits : uint32_t { src0 = 1, src1 = 2, src2 = 4, dst = 8 };

using registers = const std::function<uint32_t(uint32_t)>&;
using u32 = uint32_t;

// c and the products of the signed fields of `width` bits of a and b.
u32 dot(u32 a, u32 b, u32 c, int width) {
    const auto field = [=](u32 packed, int shift) {
        return static_cast<int32_t>(packed << (32 - width - shift)) >> (32 - width);
    };
    for (int shift = 0; shift < 32; shift += width) {
        c += static_cast<u32>(field(a, shift) * field(b, shift));
    }
    return c;
}

// One of the two f16 of a register.
double half_at(u32 value, int shift) {
    return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(value >> shift)));
}

// `wanted` is the result in one lane, made of what the registers of that lane have, the index as it
// is added to src0, src1 and src2, and the number of the destination, which is v40 without index.
struct indexed_case {
    const char* instruction;
    uint32_t (*wanted)(registers, u32, u32, u32, u32);
};

const indexed_case cases[] = {
    {"v_mov_b32 v40, v10", [](registers v, u32 a, u32, u32, u32) { return v(10 + a); }},
    {"v_mov_b32 v40, s10", [](registers, u32, u32, u32, u32) { return 1010u; }},
    {"v_mov_b32 v40, 17", [](registers, u32, u32, u32, u32) { return 17u; }},
    {"v_not_b32 v40, v10", [](registers v, u32 a, u32, u32, u32) { return ~v(10 + a); }},
    {"v_sub_u32 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32) { return v(10 + a) - v(20 + b); }},
    {"v_sub_u32 v40, s10, v20", [](registers v, u32, u32 b, u32, u32) { return 1010 - v(20 + b); }},
    {"v_subrev_u32 v40, 5, v20", [](registers v, u32, u32 b, u32, u32) { return v(20 + b) - 5; }},
    {"v_sub_u32_e64 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32) { return v(10 + a) - v(20 + b); }},
    {"v_mad_u32_u24 v40, v10, v20, v30",
     [](registers v, u32 a, u32 b, u32 c, u32) { return v(10 + a) * v(20 + b) + v(30 + c); }},
    {"v_add3_u32 v40, v10, s20, v30",
     [](registers v, u32 a, u32, u32 c, u32) { return v(10 + a) + 1020 + v(30 + c); }},
    {"v_lshl_add_u32 v40, v10, 3, v30",
     [](registers v, u32 a, u32, u32 c, u32) { return (v(10 + a) << 3) + v(30 + c); }},
    {"v_lshrrev_b32 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32) { return v(20 + b) >> (v(10 + a) & 31); }},
    {"v_pk_add_u16 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32) {
         const uint32_t x = v(10 + a);
         const uint32_t y = v(20 + b);
         return ((x + y) & 0xffff) | ((x >> 16) + (y >> 16)) << 16;
     }},
    // The destination is a source as well: it goes with the destination's bit, M0[15].
    {"v_fmac_f32 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) {
         return bits(std::fma(to_float(v(10 + a)), to_float(v(20 + b)), to_float(v(d))));
     }},
    {"v_dot2c_i32_i16 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) { return dot(v(10 + a), v(20 + b), v(d), 16); }},
    {"v_dot4c_i32_i8 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) { return dot(v(10 + a), v(20 + b), v(d), 8); }},
    {"v_dot8c_i32_i4 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) { return dot(v(10 + a), v(20 + b), v(d), 4); }},
    // The low halves are zeros here, of both signs.
    {"v_dot2c_f32_f16 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) {
         const double product = half_at(v(10 + a), 16) * half_at(v(20 + b), 16);
         return bits(static_cast<float>(product + static_cast<double>(to_float(v(d)))));
     }},
    {"v_pk_fmac_f16 v40, v10, v20",
     [](registers v, u32 a, u32 b, u32, u32 d) {
         const auto sum = [&](int shift) {
             const double exact =
                 half_at(v(10 + a), shift) * half_at(v(20 + b), shift) + half_at(v(d), shift);
             return u32{std::bit_cast<uint16_t>(static_cast<_Float16>(exact))} << shift;
         };
         return sum(0) | sum(16);
     }},
    {"v_cvt_pkaccum_u8_f32 v40, v10, 1",
     [](registers v, u32 a, u32, u32, u32 d) {
         const auto byte = static_cast<uint32_t>(std::fmin(to_float(v(10 + a)), 255.0f));
         return (v(d) & 0xffff00ff) | byte << 8;
     }},
    {"v_mov_b32_sdwa v40, v10 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE",
     [](registers v, u32 a, u32, u32, u32 d) {
         return (v(d) & 0xffff00ff) | (v(10 + a) & 0xff) << 8;
     }},
    // D = S0 * S1 + constant, and D = S0 * constant + S1, of which S1 the mad gets as its third
    // source: its bit is src2's.
    {"v_fmaak_f32 v40, v10, v20, 0x40400000",
     [](registers v, u32 a, u32 b, u32, u32) {
         return bits(std::fma(to_float(v(10 + a)), to_float(v(20 + b)), 3.0f));
     }},
    {"v_fmamk_f32 v40, v10, 0x40400000, v20",
     [](registers v, u32 a, u32, u32 c, u32) {
         return bits(std::fma(to_float(v(10 + a)), 3.0f, to_float(v(20 + c))));
     }},
};

std::string source_of(const indexed_case& c, u32 set) {
    return "s_set_gpr_idx_on s0, " + std::to_string(set) + "\n" + c.instruction +
           "\n s_set_gpr_idx_off";
}

TEST(indexing, vector_operands) {
    for (const gfx_target target : both_targets) {
        for (const bool floats : {false, true}) {
            // Numbers for those that compute with f32 or f16; the others take any bits.
            const auto before = [=](uint32_t r, uint32_t l) {
                return floats ? bits(static_cast<float>(r) + static_cast<float>(l) * 0.5f)
                              : content(r, l);
            };
            filled_machine m(target);
            for (uint32_t r = 0; r < 128; ++r) {
                m.fill(static_cast<int>(r), [=](uint32_t l) { return before(r, l); });
            }
            m.set_exec(0xfffffffffffffffd);
            const std::vector<lane_row> rows = m.w().vgpr;
            for (const indexed_case& c : cases) {
                if (floats != (std::string(c.instruction).find("_f") != std::string::npos)) {
                    continue;
                }
                for (uint32_t set = 0; set < 16; ++set) {
                    for (const uint32_t index : {0u, 1u, 4u, 7u, 80u}) {
                        SCOPED_TRACE(std::string(name_of(target)) + ": " + c.instruction +
                                     ", bits " + std::to_string(set) + ", index " +
                                     std::to_string(index));
                        m.w().vgpr = rows;
                        m.s(0) = index | 0xffffff00;
                        m.run(source_of(c, set));
                        const auto moved = [&](uint32_t bit) {
                            return (set & bit) != 0 ? index : 0;
                        };
                        const uint32_t to = 40 + moved(dst);
                        for (uint32_t r = 0; r < 128; ++r) {
                            ASSERT_TRUE(r == to || m.w().vgpr[r].lane == rows[r].lane) << "v" << r;
                        }
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            const auto value = [&](uint32_t r) { return before(r, l); };
                            ASSERT_EQ(
                                m.v(static_cast<int>(to))[l],
                                l == 1 ? value(to)
                                       : c.wanted(value, moved(src0), moved(src1), moved(src2), to))
                                << "lane " << l;
                        }
                    }
                }
            }
        }
    }
}

// Registers of 64 bits move by single ones.
TEST(indexing, pairs) {
    for (const gfx_target target : both_targets) {
        for (uint32_t set = 0; set < 16; ++set) {
            filled_machine m(target);
            m.s(0) = 6;
            m.run("s_set_gpr_idx_on s0, " + std::to_string(set) +
                  "\n v_lshlrev_b64 v[40:41], 4, v[20:21]\n s_set_gpr_idx_off");
            const auto to = (set & dst) != 0 ? 46 : 40;
            const auto from = (set & src1) != 0 ? 26u : 20u;
            const uint64_t value = uint64_t{2001 + from} << 32 | (2000 + from);
            EXPECT_EQ(m.v(to)[0], static_cast<uint32_t>(value << 4)) << set;
            EXPECT_EQ(m.v(to + 1)[0], static_cast<uint32_t>(value << 4 >> 32)) << set;
        }
    }
}

// The rows of the guide's table for scalars on one side; SGPRs never move.
TEST(indexing, between_scalars_and_vectors) {
    for (const gfx_target target : both_targets) {
        for (uint32_t set = 0; set < 16; ++set) {
            filled_machine m(target);
            m.s(0) = 9;
            m.s(1) = 5;
            m.set_exec(~uint64_t{7});  // the first active lane is 3
            m.run("s_set_gpr_idx_on s0, " + std::to_string(set) +
                  "\n v_readlane_b32 s20, v10, s1\n v_readfirstlane_b32 s30, v10\n"
                  "v_writelane_b32 v40, s50, 5\n v_cmp_lt_u32 s[60:61], v10, v15\n"
                  "v_cmp_lt_u32 vcc, v10, v15\n s_set_gpr_idx_off");
            const uint32_t from = (set & src0) != 0 ? 19 : 10;
            const auto to = (set & dst) != 0 ? 49 : 40;
            EXPECT_EQ(m.s(20), 2000 + from + 5000) << set;
            EXPECT_EQ(m.s(30), 2000 + from + 3000) << set;
            EXPECT_EQ(m.v(to)[5], 1050u) << set;
            EXPECT_EQ(m.v(40 + 49 - to)[5], 2000u + static_cast<uint32_t>(40 + 49 - to) + 5000)
                << set;
            const bool less = from < ((set & src1) != 0 ? 24u : 15u);
            EXPECT_EQ(m.s64(60), less ? ~uint64_t{7} : 0) << set;
            EXPECT_EQ(m.w().vcc(), less ? ~uint64_t{7} : 0) << set;
            for (const int unmoved : {29, 39, 69, 70}) {
                EXPECT_EQ(m.s(unmoved), 1000u + static_cast<uint32_t>(unmoved)) << set;
            }
        }
    }
}

// Only VALU instructions are indexed.
TEST(indexing, memory_is_not_indexed) {
    for (const gfx_target target : both_targets) {
        machine m(target, 1024);
        m.fill(1, [](uint32_t l) { return 4 * l; });
        m.fill(2, [](uint32_t l) { return 77 + l; });
        m.fill(6, 1020u);
        m.s(0) = 5;
        m.run(
            "s_set_gpr_idx_on s0, 15\n ds_write_b32 v1, v2\n ds_read_b32 v3, v1\n"
            "s_waitcnt lgkmcnt(0)\n s_set_gpr_idx_off");
        for (uint32_t l = 0; l < lane_count; ++l) {
            ASSERT_EQ(m.v(3)[l], 77 + l);
            ASSERT_EQ(m.v(8)[l], 0u);
        }
    }
}

// M0 is read when an instruction executes, and the bit of MODE counts, whoever wrote them.
TEST(indexing, written_by_other_instructions) {
    for (const gfx_target target : both_targets) {
        filled_machine m(target);
        m.run(
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1\n s_mov_b32 m0, 0x1003\n"
            "v_mov_b32 v40, v10\n s_mov_b32 m0, 0x8f05\n v_mov_b32 v41, v10\n"
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0\n v_mov_b32 v42, v10");
        EXPECT_EQ(m.v(40)[0], 2013u);
        EXPECT_EQ(m.v(41)[0], 2041u);
        EXPECT_EQ(m.v(46)[0], 2010u);
        EXPECT_EQ(m.v(42)[0], 2010u);
    }
}

// Accumulation registers, matrices and exchanges, of which the guide does not say what is indexed:
// where an index would count they end the program, where none does they are executed.
struct open_case {
    const char* instruction;
    uint32_t bits;  // of M0[15:12], any of which counts
    bool gfx950_only = false;
};

const open_case open_cases[] = {
    {"v_mfma_f32_16x16x16_f16 v[40:43], v[10:11], v[20:21], v[30:33]", src0 | src1 | src2 | dst},
    {"v_mfma_f32_4x4x1_16b_f32 a[40:43], v10, v20, a[30:33]", src0 | src1 | src2 | dst},
    {"v_mfma_f64_4x4x4_4b_f64 v[40:41], v[10:11], v[20:21], v[30:31]", src0 | src1 | src2 | dst},
    {"v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[10:17], v[20:27], v[30:33]", src0 | src1 | src2 | dst,
     true},
    {"v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[10:17], v[20:27], v[30:33], v50, v51",
     src0 | src1 | src2 | dst, true},
    {"v_swap_b32 v40, v10", src0 | dst},
    {"v_permlane16_swap_b32 v40, v10", src0 | dst, true},
    {"v_permlane32_swap_b32 v40, v10", src0 | dst, true},
    {"v_accvgpr_read_b32 v40, a10", src0},
    {"v_accvgpr_write_b32 a40, v10", dst},
    {"v_accvgpr_mov_b32 a40, a10", src0 | dst},
};

TEST(indexing, what_the_guide_leaves_open_fails) {
    const auto run = [](filled_machine& m, const char* instruction, uint32_t index, uint32_t set) {
        for (uint32_t r = 0; r < 128; ++r) {
            for (uint32_t l = 0; l < lane_count; ++l) {
                m.a(static_cast<int>(r))[l] = 3 * content(r, l);
            }
        }
        m.s(0) = index;
        m.run("s_set_gpr_idx_on s0, " + std::to_string(set) + "\n s_nop 1\n" + instruction +
              "\n s_nop 15\n s_set_gpr_idx_off");
    };
    const auto expect_same = [](machine& a, machine& b, const open_case& c) {
        for (int r = 0; r < 128; ++r) {
            ASSERT_EQ(a.v(r).lane, b.v(r).lane) << c.instruction << " v" << r;
            ASSERT_EQ(a.a(r).lane, b.a(r).lane) << c.instruction << " a" << r;
        }
    };
    for (const gfx_target target : both_targets) {
        for (const open_case& c : open_cases) {
            if (c.gfx950_only && target == gfx_target::gfx942) {
                continue;
            }
            for (const uint32_t set : {src0, src1, src2, dst}) {
                if ((c.bits & set) != 0) {
                    filled_machine m(target);
                    EXPECT_REPORT(run(m, c.instruction, 5, set),
                                  "under VGPR indexing; the ISA guide does not say")
                        << c.instruction << ", bits " << set << " on " << name_of(target);
                }
            }
            filled_machine plain(target);
            run(plain, c.instruction, 0, 0);
            filled_machine without_index(target);
            run(without_index, c.instruction, 0, 15);
            expect_same(without_index, plain, c);
            filled_machine without_bits(target);
            run(without_bits, c.instruction, 5, 0);
            expect_same(without_bits, plain, c);
            filled_machine before(target);
            EXPECT_TRUE(plain.v(40).lane != before.v(40).lane ||
                        plain.a(40)[1] != 3 * content(40, 1))
                << c.instruction;
        }
    }
}

// The side of these that is a VGPR is indexed.
TEST(indexing, between_accumulation_registers_and_vectors) {
    for (const gfx_target target : both_targets) {
        filled_machine m(target);
        for (uint32_t l = 0; l < lane_count; ++l) {
            m.a(10)[l] = 77 + l;
        }
        m.s(0) = 5;
        m.run(
            "s_set_gpr_idx_on s0, 8\n v_accvgpr_read_b32 v40, a10\n s_set_gpr_idx_mode 1\n"
            "v_accvgpr_write_b32 a40, v20\n s_set_gpr_idx_off");
        for (uint32_t l = 0; l < lane_count; ++l) {
            ASSERT_EQ(m.v(40)[l], content(40, l));
            ASSERT_EQ(m.v(45)[l], 77 + l);
            ASSERT_EQ(m.a(40)[l], content(25, l));
        }
    }
}

TEST(indexing, beyond_the_registers_fails) {
    for (const gfx_target target : both_targets) {
        filled_machine m(target);
        m.s(0) = 118;
        EXPECT_REPORT(m.attempt("s_set_gpr_idx_on s0, 1\n v_mov_b32 v0, v10"),
                      "vector register v10 is not allocated .the wave has 128");
        EXPECT_REPORT(m.attempt("s_set_gpr_idx_on s0, 8\n v_mov_b32 v10, v0"),
                      "vector register v10 is not allocated .the wave has 128");
        m.s(0) = 200;
        EXPECT_REPORT(m.attempt("s_set_gpr_idx_on s0, 1\n v_mov_b32 v0, v10"),
                      "vector register v10 is not allocated .the wave has 128");
        m.s(0) = 117;
        m.run("s_set_gpr_idx_on s0, 1\n v_mov_b32 v0, v10\n s_set_gpr_idx_off");
        EXPECT_EQ(m.v(0)[0], 2127u);
    }
}

// The last scalar registers, EXEC, are 126 and 127.
TEST(indexing, beyond_the_scalar_registers_fails) {
    const struct {
        const char* instruction;
        uint32_t last;    // of M0 that is none too large
        const char* reg;  // that is refused behind it
    } rows[] = {{"s_movrels_b32 s0, s7", 120, "s128"},
                {"s_movreld_b32 s7, s0", 120, "s128"},
                {"s_movrels_b64 s[0:1], s[8:9]", 118, "s128"},
                {"s_movreld_b64 s[8:9], s[0:1]", 118, "s128"}};
    machine m(gfx_target::gfx942);
    for (const auto& row : rows) {
        const bool is_wide = std::string(row.instruction).find("b64") != std::string::npos;
        m.s(sreg::m0) = row.last;
        EXPECT_NO_REPORT(m.attempt(row.instruction));
        m.s(sreg::m0) = row.last + (is_wide ? 2 : 1);
        EXPECT_REPORT(m.attempt(row.instruction),
                      std::string("scalar register ") + row.reg + " is out of range")
            << row.instruction;
    }
}

}  // namespace
}  // namespace emu
