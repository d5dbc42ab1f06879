// Which instructions of the targets are implemented: every opcode that LLVM's disassembler knows is
// either executed or on the list here. And the decoder on words that nobody chose.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "docs.hpp"
#include "machine.hpp"

namespace emu {
namespace {

// A format of the guide's chapter 13: its fixed bits, and where the opcode and the operands lie in
// the first word.
struct format {
    const char* name;
    uint32_t fixed;
    int opcode_shift;
    int opcode_bits;
    uint32_t operands;
};

// The flat formats differ in the segment, bits 15:14.
constexpr format formats[] = {
    {"SOP2", 0x80000000, 23, 7, 0x007fffff},    {"SOPK", 0xb0000000, 23, 5, 0x007fffff},
    {"SOP1", 0xbe800000, 8, 8, 0x007f00ff},     {"SOPC", 0xbf000000, 16, 7, 0x0000ffff},
    {"SOPP", 0xbf800000, 16, 7, 0x0000ffff},    {"SMEM", 0xc0000000, 18, 8, 0x0003ffff},
    {"VOP2", 0x00000000, 25, 6, 0x01ffffff},    {"VOP1", 0x7e000000, 9, 8, 0x01fe01ff},
    {"VOPC", 0x7c000000, 17, 8, 0x0001ffff},    {"VOP3", 0xd0000000, 16, 10, 0x0000ffff},
    {"VOP3P", 0xd3800000, 16, 7, 0x0000ffff},   {"DS", 0xd8000000, 17, 8, 0x0000ffff},
    {"MUBUF", 0xe0000000, 18, 7, 0x0003ffff},   {"MTBUF", 0xe8000000, 15, 4, 0x03f87fff},
    {"MIMG", 0xf0000000, 18, 7, 0x0203ffff},    {"FLAT", 0xdc000000, 18, 7, 0x02033fff},
    {"SCRATCH", 0xdc004000, 18, 7, 0x02033fff}, {"GLOBAL", 0xdc008000, 18, 7, 0x02033fff},
};

// The other words of a scaled matrix instruction (VOP3PX2): its scales, then the instruction.
constexpr uint32_t scales = 0xd3ac0000;

// Operands that the formats read as vector registers, low scalar registers or zero; then random.
std::array<uint32_t, 2> operand_bits(int attempt, std::mt19937& random) {
    constexpr uint32_t vector_sources = 0x100 | 0x120 << 9 | 0x140 << 18;
    constexpr std::array<uint32_t, 2> plain[] = {
        {0, 0},          {0x60, vector_sources}, {0x4060, vector_sources | 0x18000000},
        {0, 0x04040404}, {0x100, 0x00010100},    {0x101, 0x04040502},
        {0, 0x007f0000}};
    if (attempt < static_cast<int>(std::size(plain))) {
        return plain[attempt];
    }
    const auto sparse = [&] { return static_cast<uint32_t>(random() & random()); };
    return {sparse(), sparse()};
}

struct coverage {
    std::set<std::string> implemented;
    std::set<std::string> missing;  // known to the disassembler, not to the emulator
};

coverage coverage_of(gfx_target target) {
    constexpr int attempts = 60;
    constexpr uint64_t base = 0x1000;
    constexpr uint64_t stride = 5;  // dwords
    const crash_guard guard;
    std::mt19937 random(1);
    coverage result;
    const auto decode = [&](const std::vector<uint32_t>& words) {
        program decoded(target, reinterpret_cast<const std::byte*>(words.data()), words.size() * 4,
                        base);
        for (uint64_t at = 0; at < words.size(); at += stride) {
            const instruction& i = decoded.at(base + 4 * at);
            if (i.mnemonic.empty()) {
                continue;  // no instruction
            }
            const bool is_missing = i.problem.find("is not implemented") != std::string::npos;
            (is_missing ? result.missing : result.implemented).insert(i.mnemonic);
        }
    };
    for (const format& f : formats) {
        for (uint32_t opcode = 0; opcode < 1u << f.opcode_bits; ++opcode) {
            const uint32_t first = f.fixed | opcode << f.opcode_shift;
            std::vector<uint32_t> words;
            for (int attempt = 0; attempt < attempts; ++attempt) {
                const auto bits = operand_bits(attempt, random);
                words.insert(words.end(), {first | (bits[0] & f.operands), bits[1], 0, 0, 0});
            }
            decode(words);
            if (std::string_view(f.name) == "VOP3P") {
                const auto bits = operand_bits(1, random);
                decode({scales, bits[1], first | 0x0860, bits[1], 0});
            }
        }
    }
    return result;
}

// What is not emulated; a * at the end stands for any rest. docs/emulator.md has the same list.
constexpr const char* omitted[] = {
    // Sparse matrices.
    "v_smfmac_*",
    // Typed buffers: formats of textures.
    "buffer_load_format_*",
    "buffer_store_format_*",
    "tbuffer_*",
    // Scalar memory that is written; scratch memory through scalar instructions.
    "s_store_*",
    "s_buffer_store_*",
    "s_atomic_*",
    "s_buffer_atomic_*",
    "s_scratch_*",
    "s_atc_probe*",
    "s_dcache_discard*",
    // Scratch memory to LDS.
    "scratch_load_lds_*",
    // Forks, the trap handler, the debugger, messages to the host.
    "s_cbranch_g_fork",
    "s_cbranch_i_fork",
    "s_cbranch_join",
    "s_cbranch_cdbg*",
    "s_rfe_*",
    "s_endpgm_saved",
    "s_endpgm_ordered_ps_done",
    "s_sendmsg*",
    "s_sethalt",
    "s_setkill",
    "s_setvskip",
    // The first half of a scaled matrix instruction, without the second.
    "v_mfma_ld_scale_b32",
    // Not in the guide.
    "v_screen_partition_4se_b32",
};

bool stands_for(std::string_view pattern, std::string_view name) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
}

// Other names of what the disassembler prints, which it never does: v_fma_mix_*, and a pseudo
// instruction of the assembler.
bool is_alias(std::string_view name) {
    return name.starts_with("v_mad_mix") || name == "s_code_end";
}

TEST(coverage, every_instruction_is_implemented_or_listed) {
    std::set<std::string_view> used;
    for (const gfx_target target : both_targets) {
        const coverage found = coverage_of(target);
        // Far fewer would mean that the search does not find the formats.
        EXPECT_GT(found.implemented.size(), 800u);
        for (const std::string& name : found.missing) {
            bool listed = false;
            for (const char* pattern : omitted) {
                if (stands_for(pattern, name)) {
                    listed = true;
                    used.insert(pattern);
                }
            }
            EXPECT_TRUE(listed) << name << " of " << name_of(target) << " is not implemented";
        }
        for (const std::string& name : implemented_mnemonics(target)) {
            EXPECT_TRUE(is_alias(name) || found.implemented.contains(name))
                << name << " is listed for " << name_of(target) << ", which does not have it";
        }
        std::printf("%s: %zu instructions, %zu of them not implemented\n", name_of(target),
                    found.implemented.size() + found.missing.size(), found.missing.size());
    }
    for (const char* pattern : omitted) {
        EXPECT_TRUE(used.contains(pattern)) << pattern << " is listed and implemented";
    }
}

TEST(coverage, docs_have_the_list) {
    EXPECT_EQ(names_in_docs("- Instructions: "),
              std::set<std::string>(std::begin(omitted), std::end(omitted)));
}

// Forms of implemented instructions that are refused for a modifier; README.md says the same.
struct refused_form {
    const char* modifier;
    const char* mnemonic;  // a * at the end stands for any rest
};
constexpr refused_form refused_forms[] = {
    // The guide names no result of a clamp: shifts, moves, bits, bytes, a pair of numbers.
    {"clamp", "v_align*"},
    {"clamp", "v_cvt_pk_f32_*"},
    {"clamp", "v_cvt_pk_u8_f32"},
    {"clamp", "v_cvt_pkaccum_u8_f32"},
    {"clamp", "v_div_scale_f32"},
    {"clamp", "v_pack_b32_f16"},
    {"clamp", "v_pk_ashrrev_i16"},
    {"clamp", "v_pk_lshlrev_b16"},
    {"clamp", "v_pk_lshrrev_b16"},
    // The guide has no such form.
    {"DPP", "v_pk_fmac_f16"},
    {"SDWA", "v_pk_fmac_f16"},
    // "DOT instructions must not use SDWA or OPSEL" (6.2.1).
    {"op_sel_hi", "v_dot2_*"},
};

// Every opcode with CLAMP, as DPP and as SDWA.
std::set<std::pair<std::string, std::string>> refused_forms_of(gfx_target target) {
    constexpr uint32_t vector_sources = 0x101 | 0x102 << 9 | 0x103 << 18;
    std::vector<uint32_t> words;
    const auto add = [&](uint32_t first, uint32_t second) {
        words.insert(words.end(), {first, second, 0, 0, 0});
    };
    for (uint32_t opcode = 0; opcode < 1024; ++opcode) {
        add(0xd0000000 | opcode << 16 | 1u << 15, vector_sources);
    }
    for (uint32_t opcode = 0; opcode < 256; ++opcode) {
        for (const uint32_t source : {0xfau, 0xf9u}) {
            const bool is_dpp = source == 0xfa;
            add(0x7e000000 | opcode << 9 | source, is_dpp ? 0xff011101 : 0x06060601);
            add(0x7c000000 | opcode << 17 | source, is_dpp ? 0xff011101 : 0x06060001);
            if (opcode < 0x3e) {
                add(opcode << 25 | 1 << 9 | source, is_dpp ? 0xff011101 : 0x06060601);
            }
        }
    }
    program decoded(target, reinterpret_cast<const std::byte*>(words.data()), words.size() * 4, 0);
    std::set<std::pair<std::string, std::string>> result;
    for (size_t at = 0; at < words.size(); at += 5) {
        const instruction& i = decoded.at(4 * at);
        const std::string begin = "modifier ";
        const std::string end = " of " + i.mnemonic + " is not supported";
        if (!i.mnemonic.empty() && i.problem.starts_with(begin) && i.problem.ends_with(end)) {
            const size_t length = i.problem.size() - begin.size() - end.size();
            const std::string modifier = i.problem.substr(begin.size(), length);
            if (!modifier.starts_with("/*")) {  // LLVM: no such form
                result.emplace(modifier, i.mnemonic);
            }
        }
    }
    return result;
}

TEST(coverage, every_form_is_implemented_or_listed) {
    std::set<const char*> used;
    for (const gfx_target target : both_targets) {
        for (const auto& [modifier, mnemonic] : refused_forms_of(target)) {
            bool listed = false;
            for (const refused_form& form : refused_forms) {
                if (modifier == form.modifier && stands_for(form.mnemonic, mnemonic)) {
                    listed = true;
                    used.insert(form.mnemonic);
                }
            }
            EXPECT_TRUE(listed) << modifier << " of " << mnemonic << " of " << name_of(target);
        }
    }
    for (const refused_form& form : refused_forms) {
        EXPECT_TRUE(used.contains(form.mnemonic)) << form.mnemonic << " is listed and implemented";
    }
}

// A number from the environment, for runs that are longer than that of CTest.
uint64_t setting(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

// A word whose bytes are often the limits of a field.
uint32_t edge_word(std::mt19937_64& random) {
    constexpr uint8_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xf9, 0xfa, 0xff};
    uint32_t word = 0;
    for (int n = 0; n < 4; ++n) {
        const uint64_t r = random();
        word = word << 8 | ((r & 0x100) != 0 ? r & 0xff : edges[r & 7]);
    }
    return word;
}

// Neither the disassembler nor the parser of its text may crash; whatever comes out has a handler.
// Both ways to fail are in what the words are: no instruction, or one that is not supported.
TEST(fuzz, words_that_are_decoded) {
    const uint64_t count = setting("OPUS_FUZZ_COUNT", 100000);
    const uint64_t seed = setting("OPUS_FUZZ_SEED", 1);
    const crash_guard guard;
    for (const gfx_target target : both_targets) {
        std::mt19937_64 random(seed);
        uint64_t instructions = 0;
        uint64_t refused = 0;
        constexpr size_t words_at_once = 5000;
        for (uint64_t done = 0; done < count; done += words_at_once / 5) {
            std::vector<uint32_t> words(words_at_once);
            for (size_t at = 0; at < words.size(); at += 5) {
                const format& f = formats[random() % std::size(formats)];
                const uint32_t opcode =
                    static_cast<uint32_t>(random()) & ((1u << f.opcode_bits) - 1);
                const uint32_t operands =
                    (random() & 1) != 0 ? static_cast<uint32_t>(random()) : edge_word(random);
                words[at] = f.fixed | opcode << f.opcode_shift | (operands & f.operands);
                words[at + 1] =
                    (random() & 1) != 0 ? static_cast<uint32_t>(random()) : edge_word(random);
                // Then a second instruction, so that some are matrices with scales.
                words[at + 2] = (random() & 1) != 0 ? 0xd3ad0000 | (edge_word(random) & 0x3ffff)
                                                    : edge_word(random);
                words[at + 3] = edge_word(random);
                if (f.fixed == 0xd3800000 && (random() & 7) == 0) {
                    words[at] = scales | (operands & 0x7fff);
                }
            }
            program decoded(target, reinterpret_cast<const std::byte*>(words.data()),
                            words.size() * 4, 0x1000);
            for (size_t at = 0; at < words.size(); at += 5) {
                const instruction& i = decoded.at(0x1000 + 4 * at);
                ASSERT_NE(i.execute, nullptr) << i.text;
                ASSERT_FALSE(i.text.empty());
                ASSERT_TRUE(i.size == 4 || i.size == 8 || i.size == 12 || i.size == 16) << i.text;
                ++(i.problem.empty() ? instructions : refused);
            }
        }
        std::printf("%s: %llu inputs with seed %llu, %llu instructions\n", name_of(target),
                    static_cast<unsigned long long>(instructions + refused),
                    static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(instructions));
        EXPECT_GT(instructions, count / 10);
        EXPECT_GT(refused, count / 10);
    }
}

// LLVM's assembler never makes these, and its disassembler was seen to crash on them.
TEST(fuzz, words_that_the_disassembler_is_not_asked_about) {
    constexpr std::array<uint32_t, 4> cases[] = {
        {0x01fd7cf9, 0x62070023, 0, 0},                    // SDWA, src0_sel 7
        {0x478f60f9, 0x42860720, 0, 0},                    // SDWA, dst_sel 7
        {0xd06a03ff, 0x4146104a, 0, 0},                    // a compare to s255
        {0xe9b315a6, 0xff08a000, 0, 0},                    // a literal as SOFFSET
        {0xd38eb35e, 0xdbfefeff, 0, 0},                    // a literal in VOP3P
        {0xd3ae03a9, 0x9301ea54, 0, 0},                    // a matrix in scalar registers
        {0xd3ac0e02, 0x04020501, 0xd3ad8ca1, 0x0402feff},  // the same behind scales
        {0x490a0f01, 0x000000ff, 0, 0},                    // v_madmk_f16 with the constant 255
    };
    for (const gfx_target target : both_targets) {
        for (const auto& words : cases) {
            program decoded(target, reinterpret_cast<const std::byte*>(words.data()), sizeof words,
                            0);
            const instruction& i = decoded.at(0);
            EXPECT_NE(i.problem.find("these bytes are no instruction"), std::string::npos)
                << i.text << ": " << i.problem;
        }
    }
}

// Nor does it lose any of these: a compare has the number of a scalar register where other SDWA
// instructions select a part of their destination.
TEST(fuzz, compares_of_sdwa_with_every_destination) {
    std::string source;
    for (int s = 0; s < 102; s += 2) {
        source += "v_cmp_eq_u32_sdwa s[" + std::to_string(s) + ":" + std::to_string(s + 1) +
                  "], v0, v1 src0_sel:BYTE_1 src1_sel:DWORD\n";
    }
    for (const gfx_target target : both_targets) {
        const std::vector<std::byte>& code = assemble(target, source);
        ASSERT_EQ(code.size(), 51u * 8);
        program decoded(target, code.data(), code.size(), 0);
        for (uint64_t at = 0; at < code.size(); at += 8) {
            const instruction& i = decoded.at(at);
            EXPECT_EQ(i.problem, "") << i.text;
            EXPECT_EQ(i.operands[0].reg, at / 8 * 2);
        }
    }
}

// Code that ends in the middle of an instruction.
TEST(fuzz, instructions_that_are_cut_off) {
    const std::vector<std::byte>& code = assemble(
        gfx_target::gfx950, "s_mov_b32 s0, 0x12345678\nbuffer_load_dword v0, off, s[0:3], 0");
    ASSERT_EQ(code.size(), 16u);
    for (size_t bytes = 0; bytes <= code.size(); ++bytes) {
        // On the heap, so that a read behind the end is found by a sanitizer.
        const std::vector<std::byte> part(code.begin(),
                                          code.begin() + static_cast<ptrdiff_t>(bytes));
        program decoded(gfx_target::gfx950, part.data(), part.size(), 0x1000);
        EXPECT_EQ(decoded.at(0x1000).problem.empty(), bytes >= 8) << bytes;
        EXPECT_EQ(decoded.at(0x1008).problem.empty(), bytes >= 16) << bytes;
        for (const uint64_t pc : {0x1001u, 0x1010u, 0xffcu, 0u}) {
            EXPECT_FALSE(decoded.at(pc).problem.empty()) << pc;
        }
    }
}

}  // namespace
}  // namespace emu
