// Every vector instruction that the disassembler knows, by laws that hold for all of them: which
// registers it reads and writes, and what its modifiers do (ISA guide 6.2, 6.7, 13.3).
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "machine.hpp"

namespace emu {
namespace {

using text_t = std::string_view;

// One instruction in words, and its operands as LLVM names them.
class form {
public:
    form(gfx_target target, std::array<uint32_t, 4> words)
        : words_(words),
          program_(target, reinterpret_cast<const std::byte*>(words_.data()), sizeof words_, 0) {}
    const instruction& decoded() { return program_.at(0); }

private:
    std::array<uint32_t, 4> words_;
    program program_;
};

struct opcode {
    std::string name;
    std::array<uint32_t, 4> words;  // of the form without modifiers
    std::array<int, 3> dwords;      // of sources 0 to 2 where they are vector registers, else 0
    bool is_vop3p = false;
};

// Where the operands are: a destination from v0 or s0 on, and each source, with room for 16 or 32
// registers.
constexpr uint32_t sources[] = {32, 64, 96};
constexpr int registers = 128;

constexpr uint32_t vop3 = 0xd0000000;
constexpr uint32_t vop3p = 0xd3800000;
constexpr uint32_t s4 = 4;

bool is_matrix(text_t name) {
    return name.starts_with("v_mfma_");
}
// Source 2 is one, in scalar registers.
bool has_mask(text_t name) {
    return name.starts_with("v_cndmask_") || name.ends_with("c_co_u32") ||
           name.starts_with("v_subb");
}

uint32_t fields(uint32_t src0, uint32_t src1, uint32_t src2) {
    return src0 | src1 << 9 | src2 << 18;
}

// Opcodes of VOP1, VOP2, VOPC and VOP3 in 64 bits, and of VOP3P with the matrices.
std::vector<opcode> find_opcodes(gfx_target target) {
    std::vector<opcode> result;
    std::set<std::string> known;
    const auto v = [](int n) { return 256 + sources[n]; };
    // Source 1 or 2 is a lane's number or a mask where it is no vector register.
    const uint32_t choices[] = {fields(v(0), v(1), v(2)), fields(v(0), v(1), s4),
                                fields(v(0), s4, v(2))};
    for (uint32_t first = vop3; first < vop3 + (1024u << 16); first += 1u << 16) {
        const bool is_vop3p = first >= vop3p && first < vop3p + (128u << 16);
        for (const uint32_t choice : choices) {
            std::array<uint32_t, 4> words{first, choice, 0, 0};
            if (is_vop3p && !is_matrix(form(target, words).decoded().mnemonic)) {
                words[0] |= 0x4000;  // OP_SEL_HI as it usually is
                words[1] |= 0x18000000;
            }
            form f(target, words);
            const instruction& i = f.decoded();
            if (!i.problem.empty() || !i.mnemonic.starts_with("v_") || i.size != 8 ||
                known.contains(i.mnemonic) || (has_mask(i.mnemonic) && choice != choices[1])) {
                continue;
            }
            opcode o{i.mnemonic, words, {}, is_vop3p};
            for (size_t n = 0; n < i.operand_count; ++n) {
                for (size_t s = 0; s < 3; ++s) {
                    if (i.operands[n].kind == operand_kind::vgpr &&
                        i.operands[n].reg == sources[s]) {
                        o.dwords[s] = i.operands[n].dwords;
                    }
                }
            }
            known.insert(i.mnemonic);
            result.push_back(o);
        }
    }
    return result;
}

const std::vector<opcode>& opcodes_of(gfx_target target) {
    static const std::vector<opcode> known[] = {find_opcodes(gfx_target::gfx942),
                                                find_opcodes(gfx_target::gfx950)};
    return known[target == gfx_target::gfx950 ? 1 : 0];
}

// A machine that stops where an instruction would end the process.
class lenient_machine : public machine {
public:
    explicit lenient_machine(gfx_target target) : machine(target) {
        leave_process = [](int) { throw stopped(); };
    }
    ~lenient_machine() { leave_process = ::_exit; }
    // False if it ends with a report.
    bool execute(const instruction& i) {
        try {
            w().pc = 0;
            step(w(), i);
            return true;
        } catch (const stopped&) {
            return false;
        }
    }

private:
    struct stopped {};
};

// Numbers of every kind in each format, and bits that nobody chose.
uint32_t pattern(uint32_t reg, uint32_t lane) {
    constexpr uint32_t kinds[] = {0,          0x80000000, 0x3f800000, 0xbfc00000,
                                  0x40490fdb, 0x7f800000, 0x7fc00000, 0x00000001,
                                  0x3c00bc00, 0x4248c500, 0x00017c00, 0x7e000400,
                                  0x3f003e00, 0x80018001, 0x00400020, 0xc2ffcc00};
    const uint32_t mixed = (reg * 64 + lane + 1) * 2654435761u;
    const uint32_t kind = mixed >> 27;
    return kind < std::size(kinds) ? kinds[kind] : mixed ^ mixed >> 15;
}

// The registers with those numbers, the same in each lane or not.
void fill(machine& m, bool by_lane) {
    static const auto rows = [] {
        std::array<std::vector<lane_row>, 2> result;
        for (uint32_t r = 0; r < registers; ++r) {
            for (uint32_t n = 0; n < 2; ++n) {
                lane_row& row = result[n].emplace_back();
                for (uint32_t l = 0; l < lane_count; ++l) {
                    row[l] = pattern(r, n * l);
                }
            }
        }
        return result;
    }();
    m.w().vgpr = rows[by_lane ? 1 : 0];
    for (int r = 0; r < 100; ++r) {
        m.s(r) = pattern(static_cast<uint32_t>(1000 + r), 0);
    }
    m.w().write_sgpr64(sreg::vcc, 0x0123456789abcdef);
    m.set_exec(~uint64_t{0});
}

// ---- registers ----

// Each operand alone at the end of the registers, as long as the instruction's text has it: neither
// more is needed nor less.
TEST(vector_forms, operands_at_the_end_of_the_registers) {
    ::testing::internal::CaptureStderr();
    for (const gfx_target target : both_targets) {
        size_t refused = 0;
        for (const opcode& o : opcodes_of(target)) {
            lenient_machine m(target);
            for (int s = -1; s < 3; ++s) {
                auto words = o.words;
                form plain(target, words);
                const operand& d = plain.decoded().operands[0];
                const int dwords = s >= 0                         ? o.dwords[static_cast<size_t>(s)]
                                   : d.kind == operand_kind::vgpr ? d.dwords
                                                                  : 0;
                if (dwords == 0) {
                    continue;
                }
                const auto last = static_cast<uint32_t>(registers - dwords);
                if (s < 0) {
                    words[0] |= last;
                } else {
                    const int shift = 9 * s;
                    words[1] = (words[1] & ~(0xffu << shift)) | last << shift;
                }
                form f(target, words);
                m.w().vgpr.resize(registers);
                EXPECT_TRUE(m.execute(f.decoded())) << f.decoded().text;
                m.w().vgpr.resize(registers - 1);
                EXPECT_FALSE(m.execute(f.decoded())) << f.decoded().text;
                ++refused;
            }
        }
        EXPECT_GT(refused, 1300u);
    }
    ::testing::internal::GetCapturedStderr();
}

// Only the destination is written, and of it only the lanes that EXEC switches on; masks have zeros
// in the others.
TEST(vector_forms, what_is_written) {
    constexpr uint64_t exec = 0x5a3c5a3c5a3c5a3c;
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        for (const opcode& o : opcodes_of(target)) {
            form f(target, o.words);
            const instruction& i = f.decoded();
            SCOPED_TRACE(i.text);
            fill(m, true);
            m.set_exec(exec);
            const std::vector<lane_row> before = m.w().vgpr;
            const auto scalars = m.w().sgpr;
            ASSERT_TRUE(m.execute(i));
            const operand& d = i.operands[0];
            const bool ignores_exec = is_matrix(o.name) || o.name == "v_writelane_b32";
            const bool writes_source = o.name.ends_with("_swap_b32");
            for (uint32_t r = 0; r < registers; ++r) {
                const bool is_written = (d.kind == operand_kind::vgpr && r >= d.reg &&
                                         r < uint32_t{d.reg} + d.dwords) ||
                                        (writes_source && r == sources[0]);
                for (uint32_t l = 0; l < lane_count; ++l) {
                    if (!is_written || ((exec >> l & 1) == 0 && !ignores_exec)) {
                        ASSERT_EQ(m.v(static_cast<int>(r))[l], before[r][l]) << "v" << r;
                    }
                }
            }
            uint32_t written_scalars = 0;
            for (const size_t n : {0u, 1u}) {
                const operand& mask = i.operands[n];
                if (mask.kind == operand_kind::sgpr && mask.reg == 0) {
                    written_scalars = mask.dwords;
                }
            }
            if (written_scalars == 2) {
                EXPECT_EQ(m.s64(0) & ~exec, 0u);
            }
            const bool writes_exec = o.name.starts_with("v_cmpx_");
            EXPECT_EQ(m.w().exec(), writes_exec ? m.s64(0) : exec);
            for (uint32_t r = written_scalars; r < scalars.size(); ++r) {
                if (r != sreg::exec && r != sreg::exec + 1) {
                    ASSERT_EQ(m.w().sgpr[r], scalars[r]) << "s" << r;
                }
            }
        }
    }
}

// What one lane computes every lane does, whatever the modifiers, and the MODE that flushes and limits.
TEST(vector_forms, lanes_are_alike) {
    constexpr std::array<uint32_t, 2> modifiers[] = {
        {0, 0}, {1 << 15, 0}, {7 << 8, 7u << 29}, {0xc << 11, 0}, {0, 1 << 27}};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        for (const opcode& o : opcodes_of(target)) {
            if (is_matrix(o.name) || o.name.starts_with("v_mbcnt_") || has_mask(o.name) ||
                o.name.starts_with("v_div_fmas_") || o.name == "v_writelane_b32" ||
                o.name.ends_with("_swap_b32")) {
                continue;  // lanes differ by their number, or by a mask
            }
            for (const auto& [first, second] : modifiers) {
                form f(target, {o.words[0] | first, o.words[1] | second, 0, 0});
                const instruction& i = f.decoded();
                if (!i.problem.empty() || i.mnemonic != o.name) {
                    continue;
                }
                for (const uint32_t mode : {default_mode, 0x00800100u}) {
                    fill(m, false);
                    m.fill(32, 0x7f7f7b00u);  // large in all formats
                    m.w().mode = mode;
                    ASSERT_TRUE(m.execute(i)) << i.text;
                    const operand& d = i.operands[0];
                    for (int r = 0; d.kind == operand_kind::vgpr && r < d.dwords; ++r) {
                        for (uint32_t l = 1; l < lane_count; ++l) {
                            ASSERT_EQ(m.v(r)[l], m.v(r)[0]) << i.text << " lane " << l;
                        }
                    }
                    if (d.kind == operand_kind::sgpr && d.dwords == 2) {
                        EXPECT_TRUE(m.s64(0) == 0 || ~m.s64(0) == 0) << i.text;
                    }
                }
            }
        }
    }
}

// ---- modifiers ----

// What the instruction makes of the patterns, changed by `prepare` before: the registers that it can
// write.
template <class Prepare>
std::vector<uint32_t> results(lenient_machine& m, const instruction& i, Prepare prepare) {
    fill(m, true);
    prepare();
    EXPECT_TRUE(m.execute(i)) << i.text;
    std::vector<uint32_t> values{m.s(0), m.s(1), m.w().sgpr[sreg::exec],
                                 m.w().sgpr[sreg::exec + 1]};
    for (int r = 0; r < 32; ++r) {
        values.insert(values.end(), m.v(r).lane.begin(), m.v(r).lane.end());
    }
    return values;
}

// Modifiers that LLVM prints and the emulator refuses; a * at the end stands for any rest.
constexpr text_t without_signs[] = {"v_cvt_f32_bf16", "v_cvt_scalef32_*", "v_div_scale_*",
                                    "v_dot2c_f32_*", "v_pk_fmac_f16"};
// The exceptions from that.
constexpr text_t with_signs[] = {"v_cvt_scalef32_pk_fp8_f32", "v_cvt_scalef32_pk_bf8_f32",
                                 "v_cvt_scalef32_pk_fp4_f32", "v_cvt_scalef32_sr_fp8_f32",
                                 "v_cvt_scalef32_sr_bf8_f32"};

bool is_listed(std::span<const text_t> patterns, text_t name) {
    return std::ranges::any_of(patterns, [&](text_t pattern) {
        return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                      : name == pattern;
    });
}

// -, || and both are what changes the sign of the source: bit 15 of f16, else the highest.
TEST(vector_forms, signs_of_sources) {
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const opcode& o : opcodes_of(target)) {
            if (o.is_vop3p) {
                continue;
            }
            form plain(target, o.words);
            for (size_t s = 0; s < 3; ++s) {
                for (const uint32_t signs : {1u, 2u, 3u}) {
                    const bool neg = (signs & 1) != 0;
                    const bool abs = (signs & 2) != 0;
                    auto words = o.words;
                    words[0] |= uint32_t{abs} << (8 + s);
                    words[1] |= uint32_t{neg} << (29 + s);
                    form f(target, words);
                    const instruction& i = f.decoded();
                    if (o.dwords[s] == 0 || i.text.find(neg ? '-' : '|') == std::string::npos) {
                        continue;
                    }
                    if (is_listed(without_signs, o.name) && !is_listed(with_signs, o.name)) {
                        EXPECT_NE(i.problem, "") << i.text;
                        continue;
                    }
                    ASSERT_EQ(i.problem, "") << i.text;
                    const uint32_t sign = o.name.ends_with("_f16") ? 0x8000 : 0x80000000;
                    const auto reg = static_cast<int>(sources[s]) + o.dwords[s] - 1;
                    const auto by_hand = results(m, plain.decoded(), [&] {
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            uint32_t& value = m.v(reg)[l];
                            value = (abs ? value & ~sign : value) ^ (neg ? sign : 0);
                        }
                    });
                    EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text;
                    ++compared;
                }
            }
        }
        EXPECT_GT(compared, 800);
    }
}

// The type of a result is the first that the name has.
text_t result_type(text_t name) {
    constexpr text_t types[] = {"u8",  "i8",  "f16", "bf16", "f32", "f64", "i16",
                                "u16", "b16", "i32", "u32",  "b32", "i64", "u64",
                                "b64", "fp8", "bf8", "fp4",  "fp6", "bf6"};
    while (!name.empty()) {
        const text_t word = name.substr(0, name.find('_'));
        if (std::ranges::find(types, word) != std::end(types)) {
            return word;
        }
        name.remove_prefix(std::min(word.size() + 1, name.size()));
    }
    return {};
}

// OP_SEL[0] to [2]: the high half of the source; [3]: the result goes to the high half and the low
// one stays. Of operands of 32 bits it says nothing; bytes have tests of their own.
TEST(vector_forms, halves) {
    constexpr text_t others[] = {"v_cvt_scalef32_*", "v_cvt_pk_fp8_*", "v_cvt_pk_bf8_*",
                                 "v_cvt_sr_fp8_*", "v_cvt_sr_bf8_*"};
    constexpr text_t only_results[] = {"v_cvt_sr_f16_f32", "v_cvt_sr_bf16_f32", "v_ashr_pk_*"};
    constexpr text_t refused[] = {"v_alignbit_b32", "v_alignbyte_b32"};
    constexpr text_t only_two_sources[] = {"v_mad_u32_u16", "v_mad_i32_i16"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const opcode& o : opcodes_of(target)) {
            if (o.is_vop3p || is_listed(others, o.name)) {
                continue;
            }
            form plain(target, o.words);
            const bool has_half_result =
                (result_type(o.name).ends_with("16") && !o.name.starts_with("v_cvt_pk")) ||
                o.name.starts_with("v_ashr_pk_");
            for (uint32_t s = 0; s < 4; ++s) {
                auto words = o.words;
                words[0] |= 1u << (11 + s);
                form f(target, words);
                const instruction& i = f.decoded();
                if (i.text.find("op_sel") == std::string::npos || (s < 3 && o.dwords[s] == 0) ||
                    plain.decoded().operands[1].kind == operand_kind::sgpr) {
                    continue;
                }
                if (is_listed(refused, o.name)) {
                    EXPECT_NE(i.problem, "") << i.text;
                    continue;
                }
                ASSERT_EQ(i.problem, "") << i.text;
                const bool is_word = !is_listed(only_results, o.name) &&
                                     (s < 2 || !is_listed(only_two_sources, o.name));
                auto by_hand = results(m, plain.decoded(), [&] {
                    for (uint32_t l = 0; s < 3 && is_word && l < lane_count; ++l) {
                        uint32_t& value = m.v(static_cast<int>(sources[s]))[l];
                        value = value >> 16;
                    }
                });
                if (s == 3 && has_half_result) {
                    for (uint32_t l = 0; l < lane_count; ++l) {
                        uint32_t& value = by_hand[4 + l];
                        value = (pattern(0, l) & 0xffff) | value << 16;
                    }
                }
                EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text;
                ++compared;
            }
        }
        EXPECT_GT(compared, 70);
    }
}

// The number in a register or two, of the type that the result has.
double number(const std::vector<uint32_t>& values, text_t type, uint32_t lane) {
    const uint32_t low = values[4 + lane];
    return type == "f16" ? static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(low)))
           : type == "f32" ? static_cast<double>(to_float(low))
                           : std::bit_cast<double>(low | uint64_t{values[68 + lane]} << 32);
}

bool same(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (a != a && b != b);
}

// CLAMP: from 0 to 1, NaN is 0. OMOD: times 2, times 4 or halved, -0 is 0, where MODE neither keeps
// denormals nor has IEEE. What reads f16 as pairs or makes pairs has tests of its own.
TEST(vector_forms, results_of_clamp_and_omod) {
    constexpr text_t others[] = {"v_cvt_pk*",    "v_dot2*",          "v_fma_mixlo*",
                                 "v_fma_mixhi*", "v_cvt_scalef32_*", "v_cvt_sr_*"};
    constexpr text_t without_clamp[] = {"v_div_scale_*"};
    constexpr text_t without_omod[] = {"v_cvt_f32_fp8", "v_cvt_f32_bf8", "v_div_scale_*"};
    int clamped = 0;
    int multiplied = 0;
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        for (const opcode& o : opcodes_of(target)) {
            const text_t type = result_type(o.name);
            form plain(target, o.words);
            if (type.size() != 3 || type[0] != 'f' || o.name.starts_with("v_cmp") ||
                is_listed(others, o.name) || o.name.starts_with("v_pk_") || is_matrix(o.name)) {
                continue;
            }
            m.w().mode = default_mode;
            const auto values = results(m, plain.decoded(), [] {});
            auto words = o.words;
            words[0] |= 1u << 15;
            form clamp(target, words);
            if (clamp.decoded().text.find("clamp") == std::string::npos) {
                ADD_FAILURE() << clamp.decoded().text;
            } else if (is_listed(without_clamp, o.name)) {
                EXPECT_NE(clamp.decoded().problem, "") << o.name;
            } else {
                const auto limited = results(m, clamp.decoded(), [] {});
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const double value = number(values, type, l);
                    const double expected = value > 1 ? 1 : value > 0 ? value : 0;
                    ASSERT_TRUE(same(number(limited, type, l), expected))
                        << clamp.decoded().text << " of " << value;
                }
                ++clamped;
            }
            m.w().mode = 0;
            const auto flushed = results(m, plain.decoded(), [] {});
            const double factors[] = {1, 2, 4, 0.5};
            for (uint32_t omod = 1; omod < 4 && !o.is_vop3p; ++omod) {
                words = o.words;
                words[1] |= omod << 27;
                form f(target, words);
                const instruction& i = f.decoded();
                if (i.text.find(omod == 3 ? "div:2" : "mul:") == std::string::npos) {
                    continue;
                }
                if (is_listed(without_omod, o.name)) {
                    EXPECT_NE(i.problem, "") << i.text;
                    continue;
                }
                ASSERT_EQ(i.problem, "") << i.text;
                const auto changed = results(m, i, [] {});
                const double smallest = type == "f16"   ? 0x1p-12
                                        : type == "f32" ? 0x1p-124
                                                        : 0x1p-1020;
                const double largest = type == "f16" ? 16376 : type == "f32" ? 0x1p125 : 0x1p1021;
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const double value = number(flushed, type, l);
                    const double size = std::fabs(value);
                    const double result = number(changed, type, l);
                    if (size == 0) {  // perhaps of a denormal
                        ASSERT_TRUE(std::fabs(result) < smallest) << i.text;
                    } else if ((size >= smallest && size <= largest) || !std::isfinite(size)) {
                        ASSERT_TRUE(same(result, value * factors[omod])) << i.text << value;
                    }
                }
                ++multiplied;
            }
        }
    }
    EXPECT_GT(clamped, 2 * 80);
    EXPECT_GT(multiplied, 2 * 3 * 70);
}

// VOP3P: the low result is of the halves that OP_SEL names, with the signs of NEG, the high one of
// OP_SEL_HI and NEG_HI. Of v_pk_*_f32 a half is one of two registers.
TEST(vector_forms, halves_of_packed_sources) {
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        uint32_t random = 1;
        int compared = 0;
        for (const opcode& o : opcodes_of(target)) {
            if (!o.is_vop3p || !o.name.starts_with("v_pk_") || o.name == "v_pk_mov_b32") {
                continue;
            }
            form plain(target, o.words);
            const bool is_float = o.name.find("_f") != std::string::npos;
            const bool is_wide = o.name.ends_with("_f32");
            const uint32_t count = o.dwords[2] != 0 ? 3 : 2;
            for (int round = 0; round < 12; ++round) {
                random = random * 1664525 + 1013904223;
                const auto field = [&](int shift) { return random >> shift & ((1u << count) - 1); };
                const uint32_t sel = field(8);
                const uint32_t sel_hi = field(12);
                const uint32_t neg = is_float ? field(16) : 0;
                const uint32_t neg_hi = is_float ? field(20) : 0;
                auto words = o.words;
                words[0] = (words[0] & ~0x4000u) | neg_hi << 8 | sel << 11 | sel_hi >> 2 << 14;
                words[1] = (words[1] & ~0x18000000u) | (sel_hi & 3) << 27 | neg << 29;
                form f(target, words);
                ASSERT_EQ(f.decoded().problem, "") << f.decoded().text;
                const auto by_hand = results(m, plain.decoded(), [&] {
                    for (uint32_t s = 0; s < count; ++s) {
                        const auto reg = static_cast<int>(sources[s]);
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            const bool low_is_high = (sel >> s & 1) != 0;
                            const bool high_is_high = (sel_hi >> s & 1) != 0;
                            const uint32_t flip = neg >> s & 1;
                            const uint32_t flip_hi = neg_hi >> s & 1;
                            if (is_wide) {
                                const uint32_t pair[] = {m.v(reg)[l], m.v(reg + 1)[l]};
                                m.v(reg)[l] = pair[low_is_high] ^ flip << 31;
                                m.v(reg + 1)[l] = pair[high_is_high] ^ flip_hi << 31;
                            } else {
                                const uint32_t value = m.v(reg)[l];
                                const uint32_t pair[] = {value & 0xffff, value >> 16};
                                m.v(reg)[l] = (pair[low_is_high] ^ flip << 15) |
                                              (pair[high_is_high] ^ flip_hi << 15) << 16;
                            }
                        }
                    }
                });
                EXPECT_TRUE(results(m, f.decoded(), [] {}) == by_hand) << f.decoded().text;
                ++compared;
            }
        }
        EXPECT_GE(compared, 12 * 20);
    }
}

// A packed instruction does to each half, or to each register, what the one without v_pk_ does; in
// every mode and with CLAMP, which f16 of 0 to 1 have and integers at their limits.
TEST(vector_forms, packed_instructions_are_two) {
    constexpr text_t without_clamp[] = {"v_pk_ashrrev_i16", "v_pk_lshrrev_b16", "v_pk_lshlrev_b16"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const opcode& o : opcodes_of(target)) {
            if (!o.name.starts_with("v_pk_")) {
                continue;
            }
            const auto& all = opcodes_of(target);
            const auto single = std::ranges::find_if(
                all, [&](const opcode& other) { return other.name == "v_" + o.name.substr(5); });
            if (single == all.end() || o.name.starts_with("v_pk_fmac") ||
                o.name == "v_pk_mov_b32") {
                continue;
            }
            const bool is_wide = o.name.ends_with("_f32");
            for (const uint32_t clamp : {0u, 1u << 15}) {
                form packed(target, {o.words[0] | clamp, o.words[1], 0, 0});
                form one(target, {single->words[0] | clamp, single->words[1], 0, 0});
                if (!packed.decoded().problem.empty()) {
                    EXPECT_TRUE(is_listed(without_clamp, o.name)) << o.name;
                    continue;
                }
                if (!one.decoded().problem.empty()) {
                    continue;  // there is no such form
                }
                for (const uint32_t mode : {default_mode, 0x008001f0u, 0x00000300u, 0x000000f5u}) {
                    m.w().mode = mode;
                    const auto both = results(m, packed.decoded(), [] {});
                    const auto low = results(m, one.decoded(), [] {});
                    const auto high = results(m, one.decoded(), [&] {
                        for (size_t s = 0; s < 3; ++s) {
                            const auto reg = static_cast<int>(sources[s]);
                            for (uint32_t l = 0; l < lane_count; ++l) {
                                m.v(reg)[l] = is_wide ? m.v(reg + 1)[l] : m.v(reg)[l] >> 16;
                            }
                        }
                    });
                    for (uint32_t l = 0; l < lane_count; ++l) {
                        const uint32_t a = low[4 + l];
                        const uint32_t b = high[4 + l];
                        ASSERT_EQ(both[4 + l], is_wide ? a : (a & 0xffff) | b << 16)
                            << packed.decoded().text << std::hex << " in mode " << mode;
                        ASSERT_TRUE(!is_wide || both[68 + l] == b) << packed.decoded().text;
                    }
                }
                ++compared;
            }
        }
        EXPECT_GE(compared, 35);
    }
}

// v_fma_mix*: each source is an f32, or the half of a register that OP_SEL names where OP_SEL_HI says
// so, with its own - and ||: the same as of the numbers in f32.
TEST(vector_forms, mixed_precision) {
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const opcode& o : opcodes_of(target)) {
            if (!o.name.starts_with("v_fma_mix")) {
                continue;
            }
            auto plain_words = o.words;
            plain_words[0] &= ~0x4000u;
            plain_words[1] &= ~0x18000000u;
            form plain(target, plain_words);
            for (uint32_t n = 0; n < 64; ++n) {
                const uint32_t sel = n & 7;
                const uint32_t is_half = n >> 3 & 7;
                const uint32_t neg = (n * 5) & 7;
                const uint32_t abs = (n * 3 + 1) & 7;
                auto words = plain_words;
                words[0] |= abs << 8 | sel << 11 | is_half >> 2 << 14;
                words[1] |= (is_half & 3) << 27 | neg << 29;
                form f(target, words);
                ASSERT_EQ(f.decoded().problem, "") << f.decoded().text;
                const auto by_hand = results(m, plain.decoded(), [&] {
                    for (size_t s = 0; s < 3; ++s) {
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            uint32_t& value = m.v(static_cast<int>(sources[s]))[l];
                            const auto half_of = static_cast<uint16_t>(
                                (sel >> s & 1) != 0 ? value >> 16 : value & 0xffff);
                            if ((is_half >> s & 1) != 0) {
                                value = bits(static_cast<float>(std::bit_cast<_Float16>(half_of)));
                            }
                            value &= (abs >> s & 1) != 0 ? 0x7fffffff : 0xffffffff;
                            value ^= (neg >> s & 1) << 31;
                        }
                    }
                });
                EXPECT_TRUE(results(m, f.decoded(), [] {}) == by_hand) << f.decoded().text;
                ++compared;
            }
        }
        EXPECT_EQ(compared, 3 * 64);
    }
}

// ---- denormals (6.4) ----

uint32_t flushed(uint32_t bits, uint32_t exponent, uint32_t sign) {
    return (bits & exponent) == 0 ? bits & sign : bits;
}

// A number of that type in one register or two; a pair is of two f16 in one or of two f32 in two.
void flush_lane(text_t type, bool is_pair, uint32_t& low, uint32_t& high) {
    if (type == "f16") {
        const uint32_t upper =
            is_pair ? flushed(low >> 16, 0x7c00, 0x8000) << 16 : low & 0xffff0000;
        low = flushed(low & 0xffff, 0x7c00, 0x8000) | upper;
    } else if (type == "f32") {
        low = flushed(low, 0x7f800000, 0x80000000);
        high = is_pair ? flushed(high, 0x7f800000, 0x80000000) : high;
    } else if (type == "f64") {
        low = (high & 0x7ff00000) == 0 ? 0 : low;
        high = flushed(high, 0x7ff00000, 0x80000000);
    }
}

// The type of the sources whose denormals MODE is about: the last that the name has. What moves bits
// or classifies has none, nor what has a rule of its own: matrices, sums of products, V_DIV_FMAS.
text_t source_type(text_t name) {
    constexpr text_t kept[] = {"v_cmp_class_*", "v_cmpx_class_*", "v_pack_b32_f16",       "v_dot*",
                               "v_mfma_*",      "v_div_fmas_*",   "v_cvt_scalef32_*_bf16"};
    for (const text_t type : {"f16", "f32", "f64"}) {
        if (name.ends_with(type) && name[name.size() - 4] == '_' && !is_listed(kept, name)) {
            return name.starts_with("v_cvt_scalef32_") && type == "f16" ? "" : type;
        }
    }
    return "";
}

// Sources: where MODE does not keep their denormals it is as if they were zeros.
TEST(vector_forms, denormals_of_sources) {
    constexpr text_t first_is_number[] = {"v_ldexp_*",       "v_trig_preop_f64",
                                          "v_cvt_pk_u8_f32", "v_cvt_pkaccum_u8_f32",
                                          "v_cvt_sr_*",      "v_cvt_scalef32_sr_*"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int changed = 0;
        for (const opcode& o : opcodes_of(target)) {
            const text_t type = source_type(o.name);
            form f(target, o.words);
            const instruction& i = f.decoded();
            const bool is_pair = o.name.starts_with("v_pk_");
            if (o.name.starts_with("v_fma_mix")) {
                continue;  // of either kind: `modes`
            }
            const uint32_t kind = type == "f32" ? 0x10 : type.empty() ? 0x50 : 0x40;
            m.w().mode = default_mode;
            const auto kept = results(m, i, [] {});
            const auto by_hand = results(m, i, [&] {
                for (size_t s = 0; s < 3; ++s) {
                    const bool is_number = s == 0 || !is_listed(first_is_number, o.name);
                    const bool is_scale = o.name.starts_with("v_cvt_scalef32_");
                    for (uint32_t l = 0; o.dwords[s] > 0 && is_number && l < lane_count; ++l) {
                        const auto reg = static_cast<int>(sources[s]);
                        for (int d = 0; d < o.dwords[s]; d += type == "f32" ? 1 : 2) {
                            if (!is_scale || s < 2) {
                                flush_lane(type, is_pair, m.v(reg + d)[l], m.v(reg + d + 1)[l]);
                            }
                        }
                    }
                }
                if (o.name.starts_with("v_fmac") || o.name.starts_with("v_mac") ||
                    o.name.starts_with("v_pk_fmac")) {
                    for (uint32_t l = 0; l < lane_count; ++l) {
                        flush_lane(type, is_pair, m.v(0)[l], m.v(1)[l]);
                    }
                }
            });
            for (const bool all : {false, true}) {
                m.w().mode = default_mode & ~(all ? 0x50u : kind);
                EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text << ' ' << all;
            }
            changed += kept != by_hand;
        }
        EXPECT_GT(changed, 100);
    }
}

// Results: where MODE does not keep their denormals they become zeros of their sign.
TEST(vector_forms, denormals_of_results) {
    constexpr text_t kept[] = {"v_cmp*", "v_mfma_*", "v_cvt_pkrtz_*", "v_cvt_pk_f16_f32",
                               "v_fma_mix*"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int changed = 0;
        for (const opcode& o : opcodes_of(target)) {
            const text_t type = is_listed(kept, o.name) ? "" : result_type(o.name);
            form f(target, o.words);
            const instruction& i = f.decoded();
            const bool is_pair = o.name.find("_pk") != std::string::npos;
            const bool is_float = type == "f16" || type == "f32" || type == "f64";
            m.w().mode = default_mode;
            const auto all_kept = results(m, i, [] {});
            auto by_hand = all_kept;
            for (uint32_t r = 0; is_float && r < i.operands[0].dwords; r += type == "f64" ? 2 : 1) {
                for (uint32_t l = 0; l < lane_count; ++l) {
                    uint32_t* value = &by_hand[4 + 64 * r + l];
                    uint32_t none = 0;
                    flush_lane(type, is_pair && type == "f16", value[0],
                               type == "f64" ? value[64] : none);
                }
            }
            for (const uint32_t cleared : {0xa0u, type == "f32" ? 0x20u : 0x80u}) {
                m.w().mode = default_mode & ~cleared;
                if (!is_listed(kept, o.name)) {
                    EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text << ' ' << cleared;
                }
            }
            changed += all_kept != by_hand;
        }
        EXPECT_GT(changed, 50);
    }
}

// ---- DPP and SDWA (13.3.8, 13.3.9) ----

struct short_opcode {
    std::string name;
    uint32_t first;  // with source 0 not yet there
    bool has_two_sources;
    bool is_wide;  // something has 64 bits
    bool is_compare;
};

// VOP1, VOP2 and VOPC in 32 bits: v0 or VCC from v32 and v64.
std::vector<short_opcode> short_opcodes_of(gfx_target target) {
    std::vector<short_opcode> result;
    const auto add = [&](uint32_t first, bool has_two_sources, bool is_compare) {
        form f(target, {first | (256 + sources[0]), 0, 0, 0});
        const instruction& i = f.decoded();
        if (!i.problem.empty() || i.size != 4 || i.mnemonic.ends_with("_swap_b32") ||
            i.operand_count == 0 || i.mnemonic.starts_with("v_readfirstlane")) {
            return;
        }
        bool is_wide = false;
        for (size_t n = is_compare ? 1 : 0; n < i.operand_count; ++n) {
            is_wide =
                is_wide || (i.operands[n].kind == operand_kind::vgpr && i.operands[n].dwords > 1);
        }
        result.push_back({i.mnemonic, first, has_two_sources, is_wide, is_compare});
    };
    for (uint32_t code = 0; code < 256; ++code) {
        add(0x7e000000 | code << 9, false, false);
        add(0x7c000000 | code << 17 | sources[1] << 9, true, true);
    }
    for (uint32_t code = 0; code < 0x3e; ++code) {
        add(code << 25 | sources[1] << 9, true, false);
    }
    return result;
}

// DPP_CTRL quad_perm [1,0,3,2], all rows and banks: the same as of lanes that have changed places.
TEST(vector_forms, dpp) {
    constexpr text_t refused[] = {"v_pk_fmac_f16"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const short_opcode& o : short_opcodes_of(target)) {
            form plain(target, {o.first | (256 + sources[0]), 0, 0, 0});
            form f(target, {o.first | 0xfa, 0xff000000 | 0xb1 << 8 | sources[0], 0, 0});
            const instruction& i = f.decoded();
            if (i.mnemonic.empty() || i.text.find("quad_perm") == std::string::npos) {
                continue;  // there is no such form
            }
            if (is_listed(refused, o.name)) {
                EXPECT_NE(i.problem, "") << i.text;
                continue;
            }
            ASSERT_EQ(i.problem, "") << i.text;
            const auto by_hand = results(m, plain.decoded(), [&] {
                for (uint32_t l = 0; l < lane_count; l += 2) {
                    std::swap(m.v(sources[0])[l], m.v(sources[0])[l + 1]);
                }
            });
            EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text;
            ++compared;
        }
        EXPECT_GT(compared, 100);
    }
}

// Bytes and words of sources, with signs.
TEST(vector_forms, sdwa) {
    constexpr text_t refused[] = {"v_pk_fmac_f16"};
    constexpr text_t without_sext[] = {"v_cmp_class_*", "v_cmpx_class_*", "v_cvt_f32_fp8",
                                       "v_cvt_f32_bf8", "v_cvt_pk_f32_*"};
    struct selection {
        uint32_t code;
        uint32_t shift;
        uint32_t bits;
    };
    constexpr selection selections[] = {{0, 0, 8},  {1, 8, 8},   {2, 16, 8}, {3, 24, 8},
                                        {4, 0, 16}, {5, 16, 16}, {6, 0, 32}};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        int compared = 0;
        for (const short_opcode& o : short_opcodes_of(target)) {
            form plain(target, {o.first | (256 + sources[0]), 0, 0, 0});
            for (size_t n = 0; n < std::size(selections) * 4; ++n) {
                const selection of[] = {selections[n % 7], selections[(3 * n + 5) % 7]};
                const uint32_t signs = static_cast<uint32_t>(n / 7);  // none, SEXT, NEG, ABS
                const uint32_t all[] = {0, 0x08, 0x10, 0x20};
                uint32_t second = sources[0] | (of[0].code | all[signs]) << 16;
                if (o.has_two_sources) {
                    second |= (of[1].code | all[(signs + n) % 4]) << 24;
                }
                if (!o.is_compare) {
                    second |= 0x0600;  // the whole destination
                }
                form f(target, {o.first | 0xf9, second, 0, 0});
                const instruction& i = f.decoded();
                if (i.mnemonic.empty() || i.text.find("src0_sel") == std::string::npos) {
                    continue;
                }
                const bool has_sext = i.text.find("sext(") != std::string::npos;
                if (is_listed(refused, o.name) || (signs != 0 && o.name == "v_cvt_f32_bf16") ||
                    (has_sext && is_listed(without_sext, o.name))) {
                    EXPECT_NE(i.problem, "") << i.text;
                    continue;
                }
                ASSERT_EQ(i.problem, "") << i.text;
                const auto by_hand = results(m, plain.decoded(), [&] {
                    for (size_t s = 0; s < (o.has_two_sources ? 2u : 1u); ++s) {
                        const uint32_t sign = s == 0 ? all[signs] : all[(signs + n) % 4];
                        const std::string name = "v" + std::to_string(sources[s]);
                        const bool sext = i.text.find("sext(" + name + ")") != std::string::npos;
                        const bool neg = i.text.find("-" + name) != std::string::npos;
                        const bool abs = i.text.find("|" + name) != std::string::npos;
                        EXPECT_TRUE(sign != 0 || (!sext && !neg && !abs)) << i.text;
                        for (uint32_t l = 0; l < lane_count; ++l) {
                            uint32_t& value = m.v(static_cast<int>(sources[s]))[l];
                            const uint32_t left = 32 - of[s].bits;
                            const uint32_t high = value >> of[s].shift << left;
                            value = sext ? static_cast<uint32_t>(static_cast<int32_t>(high) >> left)
                                         : high >> left;
                            const uint32_t bit = o.name.ends_with("_f16") ? 0x8000 : 0x80000000;
                            value = (abs ? value & ~bit : value) ^ (neg ? bit : 0);
                        }
                    }
                });
                EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text << o.is_wide;
                ++compared;
            }
        }
        EXPECT_GT(compared, 2000);
    }
}

// The part of the destination that a result goes to, and what becomes of the rest: zeros, the sign of
// that part above it, or what was there.
TEST(vector_forms, sdwa_destinations) {
    constexpr text_t refused[] = {"v_pk_fmac_f16"};
    for (const gfx_target target : both_targets) {
        lenient_machine m(target);
        uint32_t compared = 0;
        for (const short_opcode& o : short_opcodes_of(target)) {
            if (o.is_compare || o.is_wide || is_listed(refused, o.name)) {
                continue;
            }
            form plain(target, {o.first | (256 + sources[0]), 0, 0, 0});
            for (uint32_t n = 0; n < 5; ++n) {
                const uint32_t sel = (n + compared) % 7;
                const uint32_t unused = (2 * n + compared) % 3;
                const uint32_t second = sources[0] | sel << 8 | unused << 11 | 6u << 16 | 6u << 24;
                form f(target, {o.first | 0xf9, second, 0, 0});
                const instruction& i = f.decoded();
                if (i.text.find("dst_sel") == std::string::npos) {
                    continue;
                }
                ASSERT_EQ(i.problem, "") << i.text;
                auto by_hand = results(m, plain.decoded(), [] {});
                const uint32_t width = sel < 4 ? 8 : sel < 6 ? 16 : 32;
                const uint32_t shift = sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
                const uint32_t ones = 0xffffffffu >> (32 - width);
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const uint32_t part = by_hand[4 + l] & ones;
                    const bool is_negative = (part >> (width - 1)) != 0;
                    const uint32_t above = is_negative ? ~ones : 0;
                    by_hand[4 + l] = unused == 0 ? part << shift
                                     : unused == 1
                                         ? (part | above) << shift
                                         : part << shift | (pattern(0, l) & ~(ones << shift));
                }
                EXPECT_TRUE(results(m, i, [] {}) == by_hand) << i.text;
                ++compared;
            }
        }
        EXPECT_GT(compared, 200u);
    }
}

}  // namespace
}  // namespace emu
