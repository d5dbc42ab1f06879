// Matrix instructions against the formulas of ISA guide 7.1.4, written here a second time: element
// by element, with the lane and item of each element computed from the formula's text. Two of the
// guide's formulas are not what the hardware does; result_place and lane_of_a say where. Sums that
// are rounded are in test_matrix_sums.cpp.
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "matrix_instructions.hpp"

namespace emu {
namespace {

// The code of an integer -8..8 in a float format of e exponent and m mantissa bits.
uint32_t small_float_code(int value, int exponent_bits, int mantissa_bits, int bias) {
    if (value == 0) {
        return 0;
    }
    const int magnitude = std::abs(value);
    int exponent = 0;
    while (magnitude >> (exponent + 1) != 0) {
        ++exponent;
    }
    const int fraction = (magnitude << mantissa_bits >> exponent) - (1 << mantissa_bits);
    const int sign = value < 0 ? 1 << (exponent_bits + mantissa_bits) : 0;
    return static_cast<uint32_t>(sign | (exponent + bias) << mantissa_bits | fraction);
}

uint64_t code_of(format f, int value, gfx_target target) {
    const int more = target == gfx_target::gfx942 ? 1 : 0;  // the FNUZ bias
    switch (f) {
        case format::f16:
            return half(static_cast<float>(value));
        case format::bf16:
            return bits(static_cast<float>(value)) >> 16;
        case format::f32:
        case format::xf32:
            return bits(static_cast<float>(value));
        case format::f64:
            return bits(static_cast<double>(value));
        case format::i8:
            return static_cast<uint8_t>(value);
        case format::fp8:
            return small_float_code(value, 4, 3, 7 + more);
        case format::bf8:
            return small_float_code(value, 5, 2, 15 + more);
    }
    return 0;
}

int test_value(int seed, int limit) {
    const uint32_t mixed = (static_cast<uint32_t>(seed) * 2654435761u) >> 16;
    return static_cast<int>(mixed % static_cast<uint32_t>(2 * limit + 1)) - limit;
}

// Values as they stand in the registers: by lane and item.
struct register_values {
    int value[64][64];
};

struct broadcast {
    int cbsz = 0;
    int abid = 0;
    int blgp = 0;
};

// The lane that A[block, i, k] is read from: of 2^CBSZ neighbours block ABID gives it (table 89).
// The formula of 7.1.6.1 has the same only where these are all blocks of the instruction.
int lane_of_a(const matrix_instruction& t, int block, int i, int k, const broadcast& c) {
    const int k_l = t.k / (64 / (t.m * t.blocks));
    const int group = 1 << c.cbsz;
    const int from = block / group * group + c.abid;
    return i + t.m * (from + t.blocks * (k / k_l));
}

int lane_of_b(int l, const broadcast& c) {
    switch (c.blgp) {
        case 0:
            return l;
        case 1:
            return l % 32;
        case 2:
            return l % 32 + 32;
        case 3:
            return (l + 16) % 64;
        case 4:
            return l % 16;
        case 5:
            return l % 16 + 16;
        case 6:
            return l % 16 + 32;
        default:
            return l % 16 + 48;
    }
}

void expect_product(gfx_target target, const matrix_instruction& t, const broadcast& control,
                    const register_choice& where, const std::string& text, int negate = 0) {
    const int k_l = items_of_a_lane(t);
    const bool wide = t.a == format::f64;
    const bool integer = t.a == format::i8;
    const int limit = t.a == format::bf8 || t.b == format::bf8 ? 4 : 8;

    machine m(target);
    // Beside the operands there are NaN of every format, and large integers.
    lane_row beside;
    beside.lane.fill(0x7fff7fff);
    m.w().vgpr.assign(128, beside);
    m.w().agpr.assign(128, beside);
    m.set_exec(0x5);  // ignored
    register_values a;
    register_values b;
    lane_row* a_rows = where.a_in_agpr ? &m.a(64) : &m.v(64);
    lane_row* b_rows = where.b_in_agpr ? &m.a(96) : &m.v(96);
    lane_row* c_rows = where.c_in_agpr ? &m.a(0) : &m.v(0);
    for (int lane = 0; lane < 64; ++lane) {
        for (int item = 0; item < k_l; ++item) {
            a.value[lane][item] = test_value(lane * 64 + item, limit);
            b.value[lane][item] = test_value(lane * 64 + item + 77777, limit);
            put_item(a_rows, lane, item, bits_of(t.a), code_of(t.a, a.value[lane][item], target));
            put_item(b_rows, lane, item, bits_of(t.b), code_of(t.b, b.value[lane][item], target));
        }
    }
    const int items = t.m * t.n * t.blocks / 64;
    const auto c_value = [&](int lane, int item) {
        return where.c_is_constant ? 1 : test_value(lane * 32 + item + 5000000, 100);
    };
    const format d_format = integer ? format::i8 : wide ? format::f64 : format::f32;
    for (int lane = 0; lane < 64; ++lane) {
        for (int item = 0; item < items; ++item) {
            const int value = c_value(lane, item);
            const uint64_t code =
                integer ? static_cast<uint32_t>(value) : code_of(d_format, value, target);
            put_item(c_rows, lane, item, wide ? 64 : 32, code);
        }
    }

    m.run(text);

    int wrong = 0;
    std::string first;
    for (int block = 0; block < t.blocks; ++block) {
        for (int i = 0; i < t.m; ++i) {
            for (int j = 0; j < t.n; ++j) {
                const auto [lane, item] = result_place(t, block, i, j);
                int expected = c_value(lane, item) * ((negate & 4) != 0 ? -1 : 1);
                for (int k = 0; k < t.k; ++k) {
                    const int a_lane = lane_of_a(t, block, i, k, control);
                    const int b_lane = j + t.n * (block + t.blocks * (k / k_l));
                    const int left = a.value[a_lane][k % k_l];
                    const int right = b.value[lane_of_b(b_lane, control)][k % k_l];
                    expected +=
                        left * right * (((negate & 1) != 0) != ((negate & 2) != 0) ? -1 : 1);
                }
                const size_t l = static_cast<size_t>(lane);
                double actual;
                if (wide) {
                    actual = std::bit_cast<double>(uint64_t{c_rows[2 * item][l]} |
                                                   uint64_t{c_rows[2 * item + 1][l]} << 32);
                } else if (integer) {
                    actual = static_cast<int32_t>(c_rows[item][l]);
                } else {
                    actual = to_float(c_rows[item][l]);
                }
                if (actual != expected && ++wrong == 1) {
                    first = "block " + std::to_string(block) + " i " + std::to_string(i) + " j " +
                            std::to_string(j) + " is " + std::to_string(actual) + ", not " +
                            std::to_string(expected);
                }
            }
        }
    }
    EXPECT_EQ(wrong, 0) << "of " << t.blocks * t.m * t.n << " elements; " << text << " on "
                        << name_of(target) << ": " << first;
}

TEST(mfma, every_shape_and_register_file) {
    int compared = 0;
    for (const gfx_target target : both_targets) {
        for (const matrix_instruction& t : instructions) {
            if (!exists(t, target)) {
                continue;
            }
            for (const register_choice& where : {register_choice{false, false, false, false},
                                                 {true, false, true, false},
                                                 {false, true, true, true}}) {
                expect_product(target, t, {}, where, text_of(t, where, ""));
            }
            ++compared;
        }
    }
    EXPECT_EQ(compared, 68);
}

int logarithm(int blocks) {
    int result = 0;
    while (1 << result < blocks) {
        ++result;
    }
    return result;
}

constexpr register_choice some_registers{false, false, true, false};

struct broadcast_case {
    broadcast control;
    std::string text;
};

// Every CBSZ, ABID and BLGP of the encoding, 8 * 16 * 8, that this instruction has or has not:
// 2^CBSZ is at most its blocks, ABID below 2^CBSZ (7.1.6.1).
std::vector<broadcast_case> broadcasts_of(const matrix_instruction& t, bool legal) {
    std::vector<broadcast_case> all;
    for (int cbsz = 0; cbsz < 8; ++cbsz) {
        for (int abid = 0; abid < 16; ++abid) {
            if ((cbsz <= logarithm(t.blocks) && abid < 1 << cbsz) != legal) {
                continue;
            }
            for (int blgp = 0; blgp < 8; ++blgp) {
                const std::string modifiers = " cbsz:" + std::to_string(cbsz) +
                                              " abid:" + std::to_string(abid) +
                                              " blgp:" + std::to_string(blgp);
                all.push_back({{cbsz, abid, blgp}, text_of(t, some_registers, modifiers)});
            }
        }
    }
    return all;
}

TEST(mfma, broadcasts) {
    for (const gfx_target target : both_targets) {
        int compared = 0;
        for (const matrix_instruction& t : instructions) {
            if (!exists(t, target) || t.a == format::f64) {
                continue;
            }
            const auto cases = broadcasts_of(t, true);
            for (const broadcast_case& c : cases) {
                expect_product(target, t, c.control, some_registers, c.text);
                ++compared;
            }
        }
        // 4 types of 2, 4 and 16 blocks: 1 + 2, 1 + 2 + 4 and 1 + 2 + 4 + 8 + 16 pairs of CBSZ and
        // ABID; of one block 1 for 18 instructions on gfx942 and 22 on gfx950.
        EXPECT_EQ(compared, 8 * (4 * (3 + 7 + 31) + (target == gfx_target::gfx942 ? 18 : 22)));
    }
}

// Of 16 blocks, CBSZ 2 and ABID 1: block 1 goes to blocks 0 to 3, block 5 to 4 to 7, and so on.
TEST(mfma, a_broadcast_stays_in_its_group_of_blocks) {
    machine m(gfx_target::gfx942);
    m.fill(64, [](uint32_t l) { return bits(static_cast<float>(l / 4)); });  // A[b, i] = b
    m.fill(96, bits(1.0f));
    m.run("v_mfma_f32_4x4x1_16b_f32 v[0:3], v64, v96, 0 cbsz:2 abid:1");
    for (size_t l = 0; l < 64; ++l) {
        for (int item = 0; item < 4; ++item) {
            constexpr float blocks[] = {1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13};
            EXPECT_EQ(to_float(m.v(item)[l]), blocks[l / 4]) << "lane " << l;
        }
    }
}

TEST(mfma, broadcasts_of_blocks_that_do_not_exist_fail) {
    const gfx_target target = gfx_target::gfx950;
    std::map<int, int> refused;  // by blocks
    for (const matrix_instruction& t : instructions) {
        if (!exists(t, target) || t.a != format::f16 || refused.count(t.blocks) != 0) {
            continue;
        }
        const auto cases = broadcasts_of(t, false);
        machine m(target);
        for (const auto& [control, text] : cases) {
            if (control.blgp != 0) {
                continue;
            }
            const std::string message =
                control.cbsz > logarithm(t.blocks)
                    ? "cbsz:" + std::to_string(control.cbsz) + " makes groups of " +
                          std::to_string(1 << control.cbsz) + " blocks, and the instruction has " +
                          std::to_string(t.blocks)
                    : "abid:" + std::to_string(control.abid) + " is no block of a group of " +
                          std::to_string(1 << control.cbsz);
            assemble(target, text + machine::end);  // not in each child
            EXPECT_REPORT(m.attempt(text), message) << text;
            ++refused[t.blocks];
        }
    }
    // All 8 * 16 but the legal ones.
    EXPECT_EQ(refused, (std::map<int, int>{{1, 127}, {2, 125}, {4, 121}, {16, 97}}));
}

// Lane l has block l / 4 % 4, row l / 16 and column l % 4: A[b, i, k] is 100 b + 10 i, 1 for k of 0
// and 1, and B[b, k, j] is 1, j, so that the result is 100 b + 10 i + j.
TEST(mfma, results_of_4x4x4_f64) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        const auto fill = [&](int reg, auto value) {
            m.fill(reg, [&](uint32_t l) { return static_cast<uint32_t>(bits(value(l))); });
            m.fill(reg + 1,
                   [&](uint32_t l) { return static_cast<uint32_t>(bits(value(l)) >> 32); });
        };
        fill(64, [](uint32_t l) {
            return l < 16 ? 100.0 * (l / 4) + 10.0 * (l % 4) : l < 32 ? 1.0 : 0.0;
        });
        fill(96, [](uint32_t l) { return l < 16 ? 1.0 : l < 32 ? 1.0 * (l % 4) : 0.0; });
        m.run("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[64:65], v[96:97], 0");
        for (size_t l = 0; l < 64; ++l) {
            const double expected = static_cast<double>(100 * (l / 4 % 4) + 10 * (l / 16) + l % 4);
            EXPECT_EQ(std::bit_cast<double>(uint64_t{m.v(0)[l]} | uint64_t{m.v(1)[l]} << 32),
                      expected)
                << "lane " << l;
        }
    }
}

// "BLGP[0] causes values from matrix A to be implicitly negated if set", [1] of B, [2] of C; CBSZ
// and ABID are ignored (7.1.6.4). The words are made by 13.3.6.1: CBSZ is bits 10:8, ABID 14:11,
// BLGP 63:61.
TEST(mfma, f64_negation) {
    // v[64:65], v[96:97], C and D v[0:...]; opcodes 110 and 111, encoding 110100111.
    const auto words = [](uint64_t opcode, uint64_t cbsz, uint64_t abid, uint64_t blgp) {
        const uint64_t word = uint64_t{0b110100111} << 23 | opcode << 16 | abid << 11 | cbsz << 8 |
                              uint64_t{256 + 64} << 32 | uint64_t{256 + 96} << 41 |
                              uint64_t{256} << 50 | blgp << 61;
        return ".long " + std::to_string(word & 0xffffffff) + ", " + std::to_string(word >> 32);
    };
    int compared = 0;
    for (const gfx_target target : both_targets) {
        for (const matrix_instruction& t : instructions) {
            if (t.a != format::f64) {
                continue;
            }
            for (uint64_t blgp = 0; blgp < 8; ++blgp) {
                for (const auto& [cbsz, abid] : {std::pair{0u, 0u}, {2u, 1u}, {7u, 15u}}) {
                    expect_product(target, t, {}, {false, false, false, false},
                                   words(t.blocks == 4 ? 111 : 110, cbsz, abid, blgp),
                                   static_cast<int>(blgp));
                    ++compared;
                }
            }
        }
    }
    EXPECT_EQ(compared, 2 * 2 * 8 * 3);
}

// It is a sign that changes, also that of zero, infinity and NaN: -0 + -0 is -0, and a constant C
// has one, too.
TEST(mfma, f64_negation_of_special_values) {
    constexpr uint64_t minus = uint64_t{1} << 63;
    const uint64_t infinity = bits(HUGE_VAL);
    const struct {
        uint64_t a;
        uint64_t b;
        const char* c;
        const char* neg;
        uint64_t expected;
    } cases[] = {
        {0, 0, "0", "[0,0,0]", 0},
        {0, 0, "0", "[0,0,1]", 0},      // +0 - 0
        {0, 0, "0", "[1,0,1]", minus},  // -0 - 0
        {0, 0, "0", "[0,1,1]", minus},  // -0 - 0
        {0, 0, "0", "[1,1,1]", 0},      // +0 - 0
        {infinity, bits(1.0), "0", "[0,0,0]", infinity},
        {infinity, bits(1.0), "0", "[1,0,0]", infinity | minus},
        {bits(1.0), infinity, "0", "[0,1,0]", infinity | minus},
        {bits(1.0), bits(2.0), "2.0", "[0,0,1]", bits(6.0)},
        {bits(1.0), bits(2.0), "2.0", "[1,0,1]", bits(-10.0)},
    };
    for (const std::string name :
         {"v_mfma_f64_16x16x4_f64 v[0:7]", "v_mfma_f64_4x4x4_4b_f64 v[0:1]"}) {
        for (const auto& x : cases) {
            machine m(gfx_target::gfx950);
            for (const auto& [reg, value] : {std::pair{64, x.a}, {96, x.b}}) {
                m.fill(reg, static_cast<uint32_t>(value));
                m.fill(reg + 1, static_cast<uint32_t>(value >> 32));
            }
            m.run(name + ", v[64:65], v[96:97], " + x.c + " neg:" + x.neg);
            for (size_t l = 0; l < 64; ++l) {
                EXPECT_EQ(uint64_t{m.v(0)[l]} | uint64_t{m.v(1)[l]} << 32, x.expected)
                    << name << " C " << x.c << " neg " << x.neg << " lane " << l;
            }
        }
    }
}

TEST(mfma, denormals_and_rounding) {
    machine m(gfx_target::gfx942);
    m.fill(64, [](uint32_t l) { return l == 0 ? 0x00000001u : 0u; });  // A[0,0] = 2**-24 (f16)
    m.fill(65, 0u);
    m.fill(96, [](uint32_t l) { return l == 0 ? 0x00000001u : 0u; });
    m.fill(97, 0u);
    m.run("v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[96:97], 0");
    EXPECT_EQ(to_float(m.v(0)[0]), std::ldexp(1.0f, -48));
    EXPECT_EQ(to_float(m.v(0)[1]), 0.0f);
    m.fill(0, 0x00000003u);  // a denormal C is kept
    for (int r = 1; r < 4; ++r) {
        m.fill(r, 0x00000003u);
    }
    m.fill(64, 0u);
    m.run("v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[96:97], v[0:3]");
    EXPECT_EQ(m.v(0)[5], 3u);
}

// Small integers have an empty low dword; these values do not.
TEST(mfma, f64_uses_both_dwords) {
    const double value = 1 + std::ldexp(1.0, -40);
    machine m(gfx_target::gfx942);
    const auto fill = [&](int reg, double x) {
        m.fill(reg, static_cast<uint32_t>(bits(x)));
        m.fill(reg + 1, static_cast<uint32_t>(bits(x) >> 32));
    };
    const auto result = [&](int reg) {
        return std::bit_cast<double>(uint64_t{m.v(reg)[7]} | uint64_t{m.v(reg + 1)[7]} << 32);
    };
    const struct {
        double a;
        double b;
        double c;
    } cases[] = {{value, 1, 0}, {1, value, 0}, {1, 1, value}};
    for (const auto& x : cases) {
        fill(64, x.a);
        fill(96, x.b);
        for (int reg = 0; reg < 8; reg += 2) {
            fill(reg, x.c);
        }
        m.run("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[64:65], v[96:97], v[0:1]");
        EXPECT_EQ(result(0), 4 * x.a * x.b + x.c);
        fill(0, x.c);
        m.run("v_mfma_f64_16x16x4_f64 v[0:7], v[64:65], v[96:97], v[0:7]");
        for (int reg = 0; reg < 8; reg += 2) {
            EXPECT_EQ(result(reg), 4 * x.a * x.b + x.c) << reg;
        }
    }
}

// xf32 drops all but 10 bits of the mantissa of its inputs. D[i, 0] is A[i, 0] here.
TEST(mfma, xf32_truncates_its_inputs) {
    const float unit = std::ldexp(1.0f, -10);
    const struct {
        float input;
        float expected;
    } cases[] = {{1 + unit, 1 + unit},
                 {1 + unit / 4, 1},
                 {1 + 1023 * unit / 1024, 1},
                 {1 + 3 * unit / 2, 1 + unit},
                 {-(1 + 3 * unit / 4), -1}};
    machine m(gfx_target::gfx942);
    for (const bool swapped : {false, true}) {
        m.fill(swapped ? 96 : 64,
               [&](uint32_t l) { return l < std::size(cases) ? bits(cases[l].input) : 0u; });
        m.fill(swapped ? 64 : 96, [](uint32_t l) { return l == 0 ? bits(1.0f) : 0u; });
        m.fill(65, 0u);
        m.fill(97, 0u);
        m.run("v_mfma_f32_16x16x8_xf32 v[0:3], v[64:65], v[96:97], 0");
        for (uint32_t n = 0; n < std::size(cases); ++n) {
            const float got = swapped ? to_float(m.v(0)[n])
                                      : to_float(m.v(static_cast<int>(n % 4))[16 * (n / 4)]);
            EXPECT_EQ(got, cases[n].expected) << n << (swapped ? " as B" : " as A");
        }
    }
    m.fill(64, [](uint32_t l) { return l == 0 ? 0x7fffffffu : 0u; });
    m.fill(96, [](uint32_t l) { return l == 0 ? bits(1.0f) : 0u; });
    m.run("v_mfma_f32_16x16x8_xf32 v[0:3], v[64:65], v[96:97], 0");
    EXPECT_TRUE(std::isnan(to_float(m.v(0)[0])));
}

// ---- f8f6f4 ----

struct small_kind {
    int bits;
    int exponent_bits;
    int mantissa_bits;
    int bias;
};

constexpr small_kind kinds[] = {
    {8, 4, 3, 7}, {8, 5, 2, 15}, {6, 2, 3, 1}, {6, 3, 2, 3}, {4, 2, 1, 1}};

void put_bits(lane_row* rows, int lane, int position, int width, uint32_t code) {
    for (int bit = 0; bit < width; ++bit) {
        uint32_t& dword = rows[(position + bit) / 32][static_cast<size_t>(lane)];
        const int at = (position + bit) % 32;
        dword = (dword & ~(1u << at)) | (code >> bit & 1) << at;
    }
}

// isa.md: fp4 and fp6: lane group g holds k = 32 g .. 32 g + 31; fp8: two runs of 16.
place small_place(int m, int k_total, int bits, int row, int k) {
    if (bits == 8) {
        const int run = k / (k_total / 2);
        const int in_run = k % (k_total / 2);
        return {row + m * (in_run / 16), in_run % 16 + 16 * run};
    }
    return {row + m * (k / 32), k % 32};
}

void check_f8f6f4(int m_size, int k_size, int a_kind, int b_kind, bool scaled, int a_byte,
                  int b_byte) {
    machine m(gfx_target::gfx950);
    const int items = m_size * m_size / 64;
    std::vector<int> a(static_cast<size_t>(m_size * k_size));
    std::vector<int> b(a.size());
    const auto at = [&](int row, int k) { return static_cast<size_t>(row * k_size + k); };
    for (int row = 0; row < m_size; ++row) {
        for (int k = 0; k < k_size; ++k) {
            // Exact in every format: E3M2 and E2M1 hold -3..3.
            a[at(row, k)] = test_value(row * 131 + k, 3);
            b[at(row, k)] = test_value(row * 131 + k + 99991, 3);
            const small_kind& ka = kinds[a_kind];
            const small_kind& kb = kinds[b_kind];
            const place in_a = small_place(m_size, k_size, ka.bits, row, k);
            put_bits(&m.v(64), in_a.lane, in_a.item * ka.bits, ka.bits,
                     small_float_code(a[at(row, k)], ka.exponent_bits, ka.mantissa_bits, ka.bias));
            const place in_b = small_place(m_size, k_size, kb.bits, row, k);
            put_bits(&m.v(80), in_b.lane, in_b.item * kb.bits, kb.bits,
                     small_float_code(b[at(row, k)], kb.exponent_bits, kb.mantissa_bits, kb.bias));
        }
    }
    // Scales 2**-1 .. 2**2, one for 32 k: lane row + m_size * (k / 32).
    const auto scale_a = [](int lane) { return lane % 4 - 1; };
    const auto scale_b = [](int lane) { return (lane / 3) % 4 - 1; };
    for (int lane = 0; lane < 64; ++lane) {
        m.v(120)[static_cast<size_t>(lane)] = ~(0xffu << 8 * a_byte);
        m.v(121)[static_cast<size_t>(lane)] = ~(0xffu << 8 * b_byte);
        m.v(120)[static_cast<size_t>(lane)] |= static_cast<uint32_t>(127 + scale_a(lane))
                                               << 8 * a_byte;
        m.v(121)[static_cast<size_t>(lane)] |= static_cast<uint32_t>(127 + scale_b(lane))
                                               << 8 * b_byte;
    }
    const auto range = [](const char* letter, int first, int count) {
        return letter + ("[" + std::to_string(first)) + ":" + std::to_string(first + count - 1) +
               "]";
    };
    const std::string shape = m_size == 16 ? "16x16x128" : "32x32x64";
    std::string text = std::string("v_mfma_") + (scaled ? "scale_" : "") + "f32_" + shape +
                       "_f8f6f4 " + range("a", 0, items) + ", " +
                       range("v", 64, kinds[a_kind].bits) + ", " +
                       range("v", 80, kinds[b_kind].bits) + ", 1.0";
    if (scaled) {
        text += ", v120, v121 op_sel:[" + std::to_string(a_byte & 1) + "," +
                std::to_string(b_byte & 1) + ",0] op_sel_hi:[" + std::to_string(a_byte >> 1) + "," +
                std::to_string(b_byte >> 1) + ",0]";
    }
    text += " cbsz:" + std::to_string(a_kind) + " blgp:" + std::to_string(b_kind);
    m.run(text);
    const int m_i = 64 / m_size;
    for (int i = 0; i < m_size; ++i) {
        for (int j = 0; j < m_size; ++j) {
            double expected = 1;
            for (int k = 0; k < k_size; ++k) {
                double product = a[at(i, k)] * b[at(j, k)];
                if (scaled) {
                    product *= std::ldexp(
                        1.0, scale_a(i + m_size * (k / 32)) + scale_b(j + m_size * (k / 32)));
                }
                expected += product;
            }
            const int item = i % 4 + 4 * (i / (4 * m_i));
            const int lane = j + m_size * (i / 4 % m_i);
            ASSERT_EQ(to_float(m.a(item)[static_cast<size_t>(lane)]), expected)
                << text << " i " << i << " j " << j;
        }
    }
}

TEST(mfma, f8f6f4) {
    for (int a = 0; a < 5; ++a) {
        for (int b = 0; b < 5; ++b) {
            check_f8f6f4(16, 128, a, b, false, 0, 0);
            check_f8f6f4(32, 64, a, b, false, 0, 0);
            check_f8f6f4(16, 128, a, b, true, a % 4, b % 4);
            check_f8f6f4(32, 64, a, b, true, (a + 1) % 4, (b + 2) % 4);
        }
    }
}

// Formats 5 to 7 do not exist (ISA guide 7.1.5).
TEST(mfma, f8f6f4_formats_that_do_not_exist_fail) {
    machine m(gfx_target::gfx950);
    for (const std::string shape : {"f32_16x16x128", "f32_32x32x64"}) {
        const std::string c = shape == "f32_16x16x128" ? "[0:3]" : "[0:15]";
        for (const std::string name : {"v_mfma_", "v_mfma_scale_"}) {
            const std::string scales = name == "v_mfma_" ? "" : ", v60, v61";
            const std::string text =
                name + shape + "_f8f6f4 a" + c + ", v[64:71], v[80:87], a" + c + scales;
            for (const std::string format : {"5", "6", "7"}) {
                for (const std::string operand : {" cbsz:", " blgp:"}) {
                    EXPECT_REPORT(m.attempt(text + operand + format),
                                  "cbsz and blgp must be 0 to 4, the formats of A and B")
                        << text;
                }
            }
        }
    }
}

// LLVM does not assemble these scales: the words of
// v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0, v24, v25 with others. OP_SEL names
// the byte of both.
std::string words_of_scales(uint32_t a, uint32_t b, uint32_t byte) {
    const uint32_t op_sel = (byte & 1) * (3u << 11);
    const uint32_t op_sel_hi = (byte >> 1) * (3u << 27);
    return ".long " + std::to_string(0xd3ac0000 | op_sel) + ", " +
           std::to_string(a | b << 9 | op_sel_hi) + ", 0xd3ad0800, 0x02021904";
}

// The hardware reads bits 30:23 of what is no vector register.
TEST(mfma, scales_that_are_no_vector_registers) {
    constexpr uint32_t v24 = 256 + 24;
    struct scale {
        uint32_t source;
        uint32_t value;  // of 32 bits
        bool is_float;
    };
    const scale scales[] = {
        {4, 0x40800000, false},    // s4: 2**2
        {4, 0xc07fffff, false},    // the sign and the fraction count for nothing: 2**1
        {4, 0x7f80007f, false},    // NaN, byte 0 is 1
        {4, 0x3f7f7f7e, false},    // 2**-1 in each byte but the highest, and as exponent
        {126, 0x3f000001, false},  // exec_lo
        {129, 1, false},           // 1: 2**-127
        {193, 0xffffffff, false},  // -1: NaN
        {240, 0x3f000000, true},   // 0.5
        {242, 0x3f800000, true},   // 1.0
        {247, 0xc0800000, true},   // -4.0
        {248, 0x3e22f983, true},   // 1 / 2 pi: 2**-3
    };
    machine m(gfx_target::gfx950);
    // 128 products of 1, of E4M3, in the formats' 8 registers.
    for (int r = 4; r < 20; ++r) {
        m.fill(r, 0x38383838u);
    }
    m.fill(24, 0x80808080u);  // 2**1
    for (const scale& s : scales) {
        for (uint32_t byte = 0; byte < 4; ++byte) {
            for (const bool swapped : {false, true}) {
                m.s(4) = s.source == 4 ? s.value : 0;
                m.set_exec(s.source == 126 ? s.value : ~uint64_t{0});
                const std::string text = swapped ? words_of_scales(v24, s.source, byte)
                                                 : words_of_scales(s.source, v24, byte);
                m.w().checks = 0;
                m.run(text);
                const int exponent = static_cast<int>(s.value >> 23 & 0xff);
                const float expected =
                    exponent == 255 ? NAN : std::ldexp(128.0f * 2.0f, exponent - 127);
                for (const size_t lane : {0u, 17u, 63u}) {
                    const float actual = to_float(m.v(3)[lane]);
                    EXPECT_TRUE(actual == expected || (expected != expected && actual != actual))
                        << s.source << " " << actual << " " << expected;
                }
                // Reported where clang before 22 meant something else by this code.
                const bool is_right = static_cast<int>(s.value >> 8 * byte & 0xff) == exponent ||
                                      (s.is_float && byte == 0);
                m.w().checks = check::hazards;
                if (is_right) {
                    EXPECT_NO_REPORT(m.attempt(text)) << s.source << " byte " << byte;
                } else {
                    const std::string name = s.source == 4     ? "s4"
                                             : s.source == 126 ? "exec_lo"
                                                               : "an inline constant";
                    EXPECT_REPORT(
                        m.attempt(text),
                        "hazard: " + name + " is the scale of " + (swapped ? "B" : "A") +
                            ": of what is no vector register the hardware reads bits 30:23 \\(" +
                            std::to_string(exponent) + "\\), not byte " + std::to_string(byte) +
                            " \\(" + std::to_string(s.value >> 8 * byte & 0xff) + "\\)\n")
                        << s.source;
                }
            }
        }
    }
}

// What the first lane that is off holds of A and of B, in their first registers.
TEST(mfma, reports_of_lanes_that_are_off) {
    const std::string f16 = "v_mfma_f32_16x16x16_f16 v[12:15], ";
    const struct {
        std::string instruction;
        int lane;
        std::string held;
    } rows[] = {
        {f16 + "v[8:9], v[10:11], 0", 32, "v8 A[0][8..9], v10 B[8..9][0]"},
        {f16 + "a[8:9], v[10:11], 0", 17, "a8 A[1][4..5], v10 B[4..5][1]"},
        {f16 + "v[8:9], a[10:11], 0", 63, "v8 A[15][12..13], a10 B[12..13][15]"},
        {f16 + "v[8:9], a[8:9], 0", 0, "v8 A[0][0..1], a8 B[0..1][0]"},
        {f16 + "a[8:9], a[8:9], 0", 1, "a8 A[1][0..1] and B[0..1][1]"},
        {"v_mfma_f64_16x16x4_f64 v[16:23], v[8:9], v[10:11], 0", 33, "v8 A[1][2], v10 B[2][1]"},
    };
    for (const gfx_target target : both_targets) {
        for (const auto& row : rows) {
            machine m(target);
            m.w().checks = check::exec;
            EXPECT_NO_REPORT(m.attempt(row.instruction)) << row.instruction;
            m.set_exec((uint64_t{1} << row.lane) - 1 + (row.lane == 0 ? 2 : 0));
            std::string held;
            for (const char c : row.held) {
                held += (c == '[' || c == ']' || c == '.' ? "\\" : "") + std::string(1, c);
            }
            EXPECT_REPORT(
                m.attempt(row.instruction),
                "lane " + std::to_string(row.lane) +
                    " is switched off; a matrix instruction reads what it holds: " + held + "\n")
                << row.instruction;
        }
    }
}

// An item of 64 bits needs two registers, no more.
TEST(mfma, f64_operands_at_the_end_of_the_registers) {
    machine m(gfx_target::gfx950);
    m.run("v_mfma_f64_16x16x4_f64 v[0:7], v[126:127], v[124:125], 0");
    m.w().vgpr.resize(127);
    EXPECT_REPORT(m.attempt("v_mfma_f64_16x16x4_f64 v[0:7], v[126:127], v[124:125], 0"),
                  "vector register v126 is not allocated");
    EXPECT_REPORT(m.attempt("v_mfma_f64_16x16x4_f64 v[0:7], v[124:125], v[126:127], 0"),
                  "vector register v126 is not allocated");
}

// A scaled element may be beyond the numbers of f32, where the product with the other is not.
TEST(mfma, scaled_elements_beyond_f32) {
    machine m(gfx_target::gfx950);
    for (int r = 8; r < 16; ++r) {
        m.fill(r, 0x7e7e7e7eu);      // 448 in E4M3
        m.fill(8 + r, 0x38383838u);  // 1
    }
    m.fill(24, 254u);  // 2^127
    m.fill(25, 27u);   // 2^-100
    m.run(
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0, v24, v25\n"
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[4:7], v[16:23], v[8:15], 0, v25, v24");
    for (const int reg : {0, 3, 4, 7}) {
        EXPECT_EQ(to_float(m.v(reg)[40]), 128 * 448 * 0x1p27f) << "v" << reg;
    }
}

// A scale is one register, of which the lowest byte is read where no other is named.
TEST(mfma, scales_at_the_end_of_the_registers) {
    machine m(gfx_target::gfx950);
    for (int r = 8; r < 24; ++r) {
        m.fill(r, 0x38383838u);  // 1 in E4M3
    }
    for (const std::string scales : {"v127, v24", "v24, v127"}) {
        const std::string text =
            "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0, " + scales;
        m.w().vgpr.resize(128);
        m.fill(24, 0x7c7d7e80u);   // 2
        m.fill(127, 0x7c7d7e81u);  // 4
        m.run(text);
        EXPECT_EQ(to_float(m.v(3)[63]), 128.0f * 2 * 4);
        m.w().vgpr.resize(127);
        EXPECT_REPORT(m.attempt(text), "vector register v127 is not allocated") << scales;
    }
}

TEST(mfma, unsupported_modifiers_fail) {
    machine m(gfx_target::gfx942);
    EXPECT_REPORT(m.attempt("v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10"),
                  "v_smfmac_f32_16x16x32_f16 is not implemented");
}

}  // namespace
}  // namespace emu
