// What other emulators of CDNA4 got wrong, tried here. The entries are those of rocjitsu's public
// list of its own faults, CDNA4-RJ-NNN, and XML-NNN of the list of gaps beside it
// (ROCm/rocm-systems, emulation/rocjitsu/audits/decoder-gaps, cdna4-rocjitsu-gaps.md and
// cdna4-manual-vs-xml.md). Code and values are ours; what is expected follows from the text of the
// CDNA4 ISA guide.
//
// Not here: what needs a launch (058, 067, 130), what no instruction shows (003 SH_MEM_CONFIG, 020
// clamp of matrix instructions, 043 NV, 071 SCC, 119 order of memory), and their tests (005, 013,
// 018, 038, 044, 051, 068).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/registers.hpp"
#include "linted.hpp"
#include "machine.hpp"

namespace emu {
namespace {

constexpr uint32_t lds_bytes = 1024;
constexpr uint32_t memory_bytes = 1024;

// Registers, LDS and memory before and after, as words NAME=VALUE. NAME is a register, a lane of it
// (v3:5), exec, vcc, m0, scc, mode, or a dword of LDS or memory (lds:BYTE, mem:BYTE). VALUE is an
// integer, a number with an f (bits of an f32), or lane (its own number in each lane).
// Always set: s[8:11] are a buffer of 256 bytes of memory without a stride, s[12:13] and v[30:31]
// its address; mem:N is N before. LDS is 0, or halves: its 16-bit elements are 0, 1, ...
struct probe {
    const char* entry;
    const char* given;
    const char* code;
    const char* wanted;  // after a !: the report that ends it
};

class state {
public:
    state() : m(gfx_target::gfx950, lds_bytes), memory(memory_bytes) {
        for (uint32_t n = 0; n < memory_bytes; n += 4) {
            memory.set<uint32_t>(n, n);
        }
        m.set_s64(8, memory.address());
        m.s(10) = 256;
        m.s(11) = 0x00020000;
        m.set_s64(12, memory.address());
        m.fill(30, static_cast<uint32_t>(memory.address()));
        m.fill(31, static_cast<uint32_t>(memory.address() >> 32));
    }

    void set(const std::string& name, const std::string& text) {
        const auto [kind, number, part] = split(name);
        if (kind == "v" || kind == "a") {
            lane_row& row = kind == "v" ? m.v(number) : m.a(number);
            for (uint32_t l = 0; l < lane_count; ++l) {
                if (part < 0 || l == static_cast<uint32_t>(part)) {
                    row[l] = value(text, l);
                }
            }
        } else if (kind == "s") {
            m.s(number) = value(text, 0);
        } else if (kind == "exec" || kind == "vcc") {
            m.set_s64(static_cast<size_t>(kind == "exec" ? sreg::exec : sreg::vcc),
                      std::stoull(text, nullptr, 0));
        } else if (kind == "m0") {
            m.s(sreg::m0) = value(text, 0);
        } else if (kind == "scc") {
            m.w().scc = value(text, 0) != 0;
        } else if (kind == "mode") {
            m.w().mode = value(text, 0);
        } else if (text == "halves") {
            for (uint32_t n = 0; n < lds_bytes / 2; ++n) {
                const auto half = static_cast<uint16_t>(n);
                std::memcpy(m.lds().data() + 2 * n, &half, sizeof half);
            }
        } else if (kind == "lds") {
            const uint32_t dword = value(text, 0);
            std::memcpy(m.lds().data() + part, &dword, sizeof dword);
        } else if (kind == "mem") {
            memory.set<uint32_t>(static_cast<size_t>(part), value(text, 0));
        } else {
            throw std::runtime_error("no " + name);
        }
    }

    // Empty, or what differs.
    std::string difference(const std::string& name, const std::string& text) {
        const auto [kind, number, part] = split(name);
        const auto compare = [&](uint64_t got, uint64_t wanted, const std::string& where) {
            char line[100];
            std::snprintf(line, sizeof line, "%s is 0x%llx, not 0x%llx; ", where.c_str(),
                          static_cast<unsigned long long>(got),
                          static_cast<unsigned long long>(wanted));
            return got == wanted ? std::string{} : std::string(line);
        };
        if (kind == "v" || kind == "a") {
            const lane_row& row = kind == "v" ? m.v(number) : m.a(number);
            for (uint32_t l = 0; l < lane_count; ++l) {
                if (part < 0 || l == static_cast<uint32_t>(part)) {
                    const std::string found =
                        compare(row[l], value(text, l), name + " lane " + std::to_string(l));
                    if (!found.empty()) {
                        return found;
                    }
                }
            }
            return {};
        }
        if (kind == "s") {
            return compare(m.s(number), value(text, 0), name);
        }
        if (kind == "exec" || kind == "vcc") {
            return compare(m.s64(static_cast<size_t>(kind == "exec" ? sreg::exec : sreg::vcc)),
                           std::stoull(text, nullptr, 0), name);
        }
        if (kind == "m0") {
            return compare(m.s(sreg::m0), value(text, 0), name);
        }
        if (kind == "scc") {
            return compare(m.w().scc ? 1 : 0, value(text, 0), name);
        }
        if (kind == "mode") {
            return compare(m.w().mode, value(text, 0), name);
        }
        if (kind == "lds") {
            uint32_t dword = 0;
            std::memcpy(&dword, m.lds().data() + part, sizeof dword);
            return compare(dword, value(text, 0), name);
        }
        if (kind == "mem") {
            return compare(memory.get<uint32_t>(static_cast<size_t>(part)), value(text, 0), name);
        }
        throw std::runtime_error("no " + name);
    }

    machine m;
    device_bytes memory;

private:
    struct place {
        std::string kind;
        int number = 0;
        int part = -1;
    };
    static place split(const std::string& name) {
        place result;
        const size_t colon = name.find(':');
        if (colon != std::string::npos) {
            result.part = std::stoi(name.substr(colon + 1));
        }
        const std::string head = name.substr(0, colon);
        if (head.size() > 1 && head != "m0" && head.find_first_of("0123456789") == 1) {
            result.kind = head.substr(0, 1);
            result.number = std::stoi(head.substr(1));
        } else {
            result.kind = head;
        }
        return result;
    }
    static uint32_t value(const std::string& text, uint32_t lane) {
        if (text == "lane") {
            return lane;
        }
        if (text.back() == 'f' && text.find('x') == std::string::npos) {
            return bits(std::stof(text));
        }
        return static_cast<uint32_t>(std::stoll(text, nullptr, 0));
    }
};

std::vector<std::pair<std::string, std::string>> assignments(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> result;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        const std::string word(text.substr(0, end));
        if (!word.empty()) {
            const size_t equals = word.find('=');
            result.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

constexpr probe probes[] = {
    // Critical.
    {"RJ-069", "", "v_mov_b32 v0, v200", "!v200|register"},
    {"RJ-069", "", "v_mov_b32 v200, v0", "!v200|register"},
    {"RJ-069", "", "global_load_dwordx4 v[126:129], v[30:31], off", "!register"},
    {"RJ-027", "m0=8", "s_load_dword s0, s[12:13], m0", "s0=8"},
    {"RJ-027", "s4=16", ".long 0xc0000006, 0x00000004", "s0=16"},  // neither IMM nor SOE
    {"RJ-027", "m0=12", ".long 0xc0000006, 0x0000007c", "s0=12"},
    {"RJ-027", "s4=6", "s_load_dword s0, s[12:13], s4 offset:0x5", "s0=8"},
    {"RJ-027", "", "s_scratch_load_dword s0, s[12:13], s4", "!not implemented"},
    {"RJ-028", "s10=12", "s_buffer_load_dwordx4 s[0:3], s[8:11], 0x4", "s0=4 s1=8 s2=0 s3=0"},
    {"RJ-028", "", "s_buffer_load_dword s0, s[8:11], 0x7", "s0=4"},
    {"RJ-032", "s8=0 s9=0 s10=0 s11=0 v0=7", "buffer_load_dword v0, off, s[8:11], 0", "v0=0"},
    {"RJ-032", "s8=0 s9=0 s10=0 s11=0 v0=7", "buffer_store_dword v0, off, s[8:11], 0", "mem:0=0"},
    {"RJ-045", "v1=1024", "ds_read_b32 v0, v1", "!LDS access of 4 bytes at 1024"},
    {"RJ-125", "v1=0 v2=5 v7=77 lds:0=1 exec=1", ".long 0xd8000000, 0x07000201", "!no instruction"},
    // High priority.
    {"RJ-034", "m0=8", "buffer_load_dword v0, off, s[8:11], m0", "v0=8"},
    {"RJ-034", "", "buffer_load_dword v0, off, s[8:11], 20", "v0=20"},
    // HSA lets addresses be unaligned (LLVM: unaligned-access-mode); the guide's 9.1.7 is without.
    {"RJ-034", "", "buffer_load_dword v0, off, s[8:11], 0 offset:2", "v0=0x40000"},
    {"RJ-039", "v2=0 v3=0x10000 v4=9", "flat_store_dword v[2:3], v4", "lds:0=9"},
    {"RJ-039", "v2=0 v3=0x10000", "global_load_dword v0, v[2:3], off", "!lane 0"},
    {"RJ-039", "v2=0 v3=0x77777", "flat_load_dword v0, v[2:3]", "!lane 0"},
    {"RJ-033", "", "buffer_load_format_x v0, off, s[8:11], 0", "!not implemented"},
    {"RJ-033", "", "tbuffer_load_format_x v0, off, s[8:11], 0", "!not implemented"},
    {"RJ-072", "s1=5 s2=5", "s_max_u32 s0, s1, s2", "s0=5 scc=1"},
    {"RJ-072", "s1=-5 s2=-5", "s_max_i32 s0, s1, s2", "s0=-5 scc=1"},
    {"RJ-072", "s1=5 s2=5 scc=1", "s_min_u32 s0, s1, s2", "s0=5 scc=0"},
    {"RJ-120", "v1=0xff0f v2=100", "v_bcnt_u32_b32 v0, v1, v2", "v0=112"},
    {"RJ-093", "v1=0x7f800001 v2=1f", "v_min_f32 v0, v1, v2", "v0=0x7fc00001"},
    {"RJ-093", "v1=0x7f800001 v2=1f mode=0x1f0", "v_min_f32 v0, v1, v2", "v0=1f"},
    {"RJ-093", "v1=0x7fc00001 v2=1f", "v_max_f32 v0, v1, v2", "v0=1f"},
    {"RJ-093", "v1=0 v2=0x80000000", "v_min_f32 v0, v1, v2\n v_max_f32 v3, v2, v1",
     "v0=0x80000000 v3=0"},
    {"RJ-093", "v1=0x7c01 v2=0x3c00", "v_max_f16 v0, v1, v2", "v0=0x7e01"},
    {"RJ-093", "v2=1 v3=0x7ff00000 v4=0 v5=0x3ff00000", "v_min_f64 v[0:1], v[2:3], v[4:5]",
     "v0=1 v1=0x7ff80000"},
    {"RJ-078", "v1=3f v2=1f", "v_add_f32_e64 v0, v1, v2 mul:2", "v0=4f"},
    {"RJ-078", "v1=3f v2=1f mode=0x100", "v_add_f32_e64 v0, v1, v2 mul:2", "v0=8f"},
    {"RJ-078", "v1=3f v2=1f mode=0x300", "v_add_f32_e64 v0, v1, v2 mul:2", "v0=4f"},
    {"RJ-078", "v1=3f v2=1f mode=0x130", "v_add_f32_e64 v0, v1, v2 mul:2", "v0=4f"},
    {"RJ-078", "v1=0x80000000 v2=0x80000000 mode=0x100", "v_add_f32_e64 v0, v1, v2 mul:2", "v0=0"},
    {"RJ-079", "v1=1f v2=0x33000000 mode=0x3f1", "v_add_f32 v0, v1, v2", "v0=0x3f800001"},
    {"RJ-079", "v1=1 v2=0 mode=0x300", "v_add_f32 v0, v1, v2", "v0=0"},
    {"RJ-079", "v1=0x00010001 v2=0x3c003c00 v3=0", "v_dot2_f32_f16 v0, v1, v2, v3", "v0=0"},
    {"RJ-080", "v1=-1 v2=2", "v_add_u32_e64 v0, v1, v2 clamp", "v0=-1"},
    {"RJ-080", "v1=0x7fffffff v2=2", "v_add_i32 v0, v1, v2 clamp", "v0=0x7fffffff"},
    {"RJ-080", "v1=0x80000000 v2=2", "v_sub_i32 v0, v1, v2 clamp", "v0=0x80000000"},
    {"RJ-080", "v1=0x7fff v2=2", "v_add_i16 v0, v1, v2 clamp", "v0=0x7fff"},
    {"RJ-117", "v1=5f", "v_cvt_i32_f32_e64 v0, -v1", "v0=-5"},
    {"RJ-117", "v1=-5f", "v_cvt_u32_f32_e64 v0, |v1|", "v0=5"},
    {"RJ-117", "v1=3 mode=0x100", "v_cvt_f32_i32_e64 v0, v1 mul:2", "v0=6f"},
    {"RJ-117", "v1=3 mode=0x100", "v_cvt_f32_u32_e64 v0, v1 clamp", "v0=1f"},
    {"RJ-117", "v1=0x4200 mode=0x100", "v_cvt_f32_f16_e64 v0, -v1 mul:4", "v0=-12f"},
    {"RJ-117", "v2=0 v3=0x40080000 mode=0x100", "v_cvt_f32_f64_e64 v0, v[2:3] div:2", "v0=1.5f"},
    {"RJ-117", "v1=3f mode=0x100", "v_cvt_f16_f32_e64 v0, v1 clamp", "v0=0x3c00"},
    {"RJ-009", "v1=0x40004000 v2=0xc400c000", "v_pk_add_f16 v0, v1, v2 clamp", "v0=0"},
    {"RJ-009", "v1=0x40004000 v2=0x3c003c00", "v_pk_mul_f16 v0, v1, v2 clamp", "v0=0x3c003c00"},
    {"RJ-009", "v1=0x40003800 v2=0x3c003c00",
     "v_pk_min_f16 v0, v1, v1 clamp\n"
     "v_pk_max_f16 v3, v1, v1 clamp\n v_pk_fma_f16 v4, v1, v2, v2 clamp",
     "v0=0x3c003800 v3=0x3c003800 v4=0x3c003c00"},
    {"RJ-133", "v1=-1e-10f", "v_fract_f32 v0, v1", "v0=0x3f7fffff"},
    {"RJ-133", "v2=0 v3=0xbc000000", "v_fract_f64 v[0:1], v[2:3]", "v0=0xffffffff v1=0x3fefffff"},
    {"RJ-138", "v1=0x3f800800 v2=0xbf801000", "v_fma_mix_f32 v0, v1, v1, v2", "v0=0x33800000"},
    // The guide contradicts itself (7.1.2 keeps denormals, 7.4 flushes by MODE); they are kept.
    {"RJ-026", "v1=1 v2=0x7f000000 mode=0x300", "v_mfma_f32_4x4x1_16b_f32 v[4:7], v1, v2, 0",
     "v4=0x34800000"},
    {"RJ-026", "v1=0 v2=1f v8=1 v9=1 v10=1 v11=1 mode=0x300",
     "v_mfma_f32_4x4x1_16b_f32 v[4:7], v1, v2, v[8:11]", "v4=1"},
    // Specialized.
    {"RJ-124", "s0=0 s1=0", "s_setpc_b64 s[0:1]", "!outside the code"},
    {"RJ-124", "s0=0 s1=0", "s_swappc_b64 s[2:3], s[0:1]", "!outside the code"},
    {"RJ-035", "m0=64", "buffer_load_dword off, s[8:11], 0 lds\n s_waitcnt vmcnt(0)", "lds:64=0"},
    {"RJ-035", "m0=0x40040 v1=lane exec=7",
     "v_lshlrev_b32 v1, 2, v1\n"
     "buffer_load_dword v1, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)",
     "lds:64=0 lds:68=4 lds:72=8 lds:76=0"},
    {"RJ-035", "m0=0", "buffer_load_dwordx4 off, s[8:11], 0 lds\n s_waitcnt vmcnt(0)",
     "lds:0=0 lds:4=4 lds:12=12 lds:16=0 lds:20=4"},
    {"RJ-035", "", ".long 0xe0550000, 0x80020000", "!no instruction"},  // buffer_load_dwordx2 lds
    {"RJ-073", "m0=2 s4=1 s5=2 s6=3 s7=4", "s_movrels_b64 s[0:1], s[4:5]", "s0=3 s1=4"},
    {"RJ-073", "m0=2 s4=1 s5=2", "s_movreld_b64 s[0:1], s[4:5]", "s2=1 s3=2"},
    {"RJ-073", "m0=1", "s_movrels_b64 s[0:1], s[4:5]", "!must be even"},
    {"RJ-073", "m0=1", "s_movreld_b64 s[0:1], s[4:5]", "!must be even"},
    {"RJ-102", "v1=1f v2=0x100 v1:3=-1f vcc=5", "v_cmpx_class_f32_e64 s[4:5], v1, v2",
     "s4=0xfffffff7 s5=0xffffffff exec=0xfffffffffffffff7 vcc=5"},
    {"RJ-102", "v1=0x3c00 v2=0x100 v1:3=0xbc00 vcc=5", "v_cmpx_class_f16_e64 s[4:5], v1, v2",
     "s4=0xfffffff7 exec=0xfffffffffffffff7 vcc=5"},
    {"RJ-127", "v1=lane v2=5 exec=0xffff0000ffff", "v_permlane16_swap_b32 v1, v2",
     "!one of two lanes is off"},
    {"RJ-127", "v1=lane v2=5 exec=0xffffffff", "v_permlane16_swap_b32 v1, v2",
     "v1:20=5 v2:4=20 v1:40=40 v1:52=52 v2:40=5"},
    {"RJ-128", "", "s_load_dwordx2 vcc, s[12:13], 0x8", "vcc=0xc00000008"},
    {"RJ-134", "v0=0x12345678 v1=1f v2=1f", "v_cvt_pk_fp8_f32 v0, v1, v2", "v0=0x12343838"},
    {"RJ-134", "v0=0x12345678 v1=1f v2=1f", "v_cvt_pk_bf8_f32 v0, v1, v2 op_sel:[0,0,1]",
     "v0=0x3c3c5678"},
    {"RJ-046", "m0=0x12340010 v1=lane exec=0xf", "ds_write_addtid_b32 v1 offset:4",
     "lds:20=0 lds:24=1 lds:32=3 lds:36=0"},
    {"RJ-046", "m0=16 lds:28=9 exec=0xf", "ds_read_addtid_b32 v1 offset:4", "v1:2=9 v1:1=0"},
    {"RJ-047", "v1=0 v2=1 v3=2", "ds_write2_b32 v1, v2, v3 offset0:1 offset1:1", "!equal|same|one"},
    {"RJ-047", "v1=0 v4=8 v5=9 lds:4=3", "ds_read2_b32 v[4:5], v1 offset0:1 offset1:1", "v4=3"},
    {"RJ-048", "v1=lane", "ds_swizzle_b32 v0, v1 offset:0xe000",
     "v0:0=0 v0:1=16 v0:2=8 v0:3=24 v0:31=31 v0:33=48"},
    {"RJ-048", "v1=lane", "ds_swizzle_b32 v0, v1 offset:0xe010",
     "v0:0=0 v0:1=8 v0:8=1 v0:15=15 v0:16=16 v0:17=24"},
    {"RJ-048", "v1=lane", "ds_swizzle_b32 v0, v1 offset:0xc020",
     "v0:0=1 v0:31=0 v0:32=33 v0:63=32"},
    {"RJ-048", "v1=lane", "ds_swizzle_b32 v0, v1 offset:0xc421", "v0:0=30 v0:1=1 v0:2=0 v0:3=3"},
    {"RJ-139", "v1=lane exec=0xfffffffffffffffe", "ds_swizzle_b32 v0, v1 offset:0x8000",
     "v0:1=0 v0:5=4"},
    {"RJ-049", "v1=0 v2=0x3c004000 lds:0=0x3c003c00 exec=1", "ds_pk_add_f16 v1, v2",
     "lds:0=0x40004200"},
    {"RJ-049", "v1=0 v2=0x3f804000 lds:0=0x3f803f80 exec=1", "ds_pk_add_rtn_bf16 v0, v1, v2",
     "lds:0=0x40004040 v0:0=0x3f803f80"},
    {"RJ-123", "lds=halves v1=lane", "v_lshlrev_b32 v1, 3, v1\n ds_read_b64_tr_b16 v[2:3], v1",
     "v2:0=0x100000 v3:0=0x300020 v2:5=0x150005 v3:5=0x350025 v2:17=0x510041"},
    {"RJ-132", "v1=0 v2=0x80000007 v3=5 lds:0=1 lds:4=2 exec=1",
     "ds_condxchg32_rtn_b64 v[4:5], v1, v[2:3]", "lds:0=7 lds:4=2 v4:0=1 v5:0=2"},
    {"RJ-135", "exec=0x7 lds:8=5 v0=1", "ds_append v0 offset:8", "lds:8=8 v0:0=5 v0:2=5 v0:3=1"},
    {"RJ-135", "exec=0x7 lds:8=5 v0=1 m0=8", "ds_consume v0 offset:8", "!M0"},
    {"RJ-136", "v1=0 v2=1 lds:0=1 exec=1 mode=0x300", "ds_add_f32 v1, v2", "lds:0=0"},
    {"RJ-136", "v1=0 v2=1 lds:0=1 exec=1", "ds_add_f32 v1, v2", "lds:0=2"},
    {"RJ-136", "v1=0 v2=0x7fc00000 lds:0=1f exec=1", "ds_min_f32 v1, v2", "lds:0=1f"},
    {"RJ-081", "m0=0x8002 v1=7 v2=0 v4=0 v6=0",
     "s_set_gpr_idx_on s0, 0x8\n v_mov_b32 v2, v1\n s_set_gpr_idx_off", "v2=7 v4=0"},
    {"RJ-081", "s0=2 v1=7 v2=0 v4=0",
     "s_set_gpr_idx_on s0, 0x8\n v_mov_b32 v2, v1\n s_set_gpr_idx_off", "v2=0 v4=7 m0=0x8002"},
    {"RJ-081", "s0=2 v1=7 v3=9 v5=100 v7=1000",
     "s_set_gpr_idx_on s0, 0x2\n v_add_u32 v0, v1, v5\n s_set_gpr_idx_off", "v0=1007"},
    {"RJ-083", "v0=0 v1=0x40b83800", "v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2", "v0=-1f"},
    {"RJ-083", "v0=0 v1=0xb8383800", "v_cvt_pk_f32_fp8_sdwa v[4:5], v1 src0_sel:WORD_1",
     "v4=1f v5=-1f"},
    {"RJ-087", "s1=0x80000000 s2=1", "s_absdiff_i32 s0, s1, s2", "s0=0x7fffffff scc=1"},
    {"RJ-087", "s1=0x80000000 s2=0", "s_absdiff_i32 s0, s1, s2", "s0=0x80000000"},
    {"RJ-087", "s1=0x80000000 s2=0xfffffffe", "s_absdiff_i32 s0, s1, s2", "s0=0x7ffffffe"},
    {"RJ-094", "exec=0 v1=5 v1:0=9", "v_readfirstlane_b32 s0, v1", "s0=9"},
    {"RJ-094", "exec=0x10 v1=lane", "v_readfirstlane_b32 s0, v1", "s0=4"},
    {"RJ-096", "v1=0x80000001", "v_prng_b32 v0, v1\n v_prng_b32_e64 v2, v1", "v0=0xc7 v2=0xc7"},
    {"RJ-099", "", ".long 0xd1410000, 0x20000101", "!no instruction"},
    {"RJ-099", "", ".long 0xd1780000, 0x20000102", "!no instruction"},
    {"RJ-115", "v2=1 v3=0 v4=5 v6=10 v7=0", "v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]",
     "v0=11 v1=0"},
    {"RJ-115", "v2=1 v3=0 v4=4 v6=10 v7=0", "v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]",
     "v0=26 v1=0"},
    {"RJ-121", "v1=lane s1=0x145", "v_readlane_b32 s0, v1, s1", "s0=5"},
    {"RJ-121", "v1=lane s1=0xffffffc5 s2=99", "v_writelane_b32 v1, 63, s1", "v1:5=63 v1:6=6"},
    {"RJ-126", "", "v_mov_b64 v[0:1], 0.15915494309189532", "v0=0x6dc9c882 v1=0x3fc45f30"},
    {"RJ-126", "", "s_mov_b64 s[0:1], 0.15915494309189532", "s0=0x6dc9c882 s1=0x3fc45f30"},
    {"RJ-137", "v1=1f v2=3f",
     "v_add_f32_dpp v0, -v1, |v2| row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
     "v0:1=2f v0:0=3f"},
    {"RJ-010", "v1=0x400000 v2=0x400000 v3=0 v0=0x12345600",
     "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3", "v0=0x12345622"},
    {"RJ-010", "v1=0x400000 v2=0x400000 v3=0 mode=0x300",
     "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3", "v0=0"},
    {"RJ-015",
     "v64=0x38383838 v65=0x38383838 v66=0x38383838 v67=0x38383838 v68=0x38383838 v69=0x38383838 "
     "v70=0x38383838 v71=0x38383838 v72=0x38383838 v73=0x38383838 v74=0x38383838 v75=0x38383838 "
     "v76=0x38383838 v77=0x38383838 v78=0x38383838 v79=0x38383838 v80=0x7f7f807f v81=0x7f7f7f7f",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], 0, v80, v81 op_sel:[1,0,0] "
     "op_sel_hi:[0,0,0]",
     "v0=256f v3=256f"},
    {"RJ-015",
     "v64=0x38383838 v65=0x38383838 v66=0x38383838 v67=0x38383838 v68=0x38383838 v69=0x38383838 "
     "v70=0x38383838 v71=0x38383838 v72=0x38383838 v73=0x38383838 v74=0x38383838 v75=0x38383838 "
     "v76=0x38383838 v77=0x38383838 v78=0x38383838 v79=0x38383838 v80=0x7f807f7f v81=0x7f7f7f7f",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], 0, v80, v81 op_sel:[0,0,0] "
     "op_sel_hi:[1,0,0]",
     "v0=256f"},
    {"RJ-015",
     "v64=0x38383838 v65=0x38383838 v66=0x38383838 v67=0x38383838 v68=0x38383838 v69=0x38383838 "
     "v70=0x38383838 v71=0x38383838 v72=0x38383838 v73=0x38383838 v74=0x38383838 v75=0x38383838 "
     "v76=0x38383838 v77=0x38383838 v78=0x38383838 v79=0x38383838 v80=0x7f7f7f7f v81=0x807f7f7f",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], 0, v80, v81 op_sel:[0,1,0] "
     "op_sel_hi:[0,1,0]",
     "v0=256f"},
    {"RJ-015",
     "v64=0x38383838 v65=0x38383838 v66=0x38383838 v67=0x38383838 v68=0x38383838 v69=0x38383838 "
     "v70=0x38383838 v71=0x38383838 v72=0x38383838 v73=0x38383838 v74=0x38383838 v75=0x38383838 "
     "v76=0x38383838 v77=0x38383838 v78=0x38383838 v79=0x38383838 v80=0x7f7f7f80 v81=0x7f7f7f7f",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[72:79], 0, v80, v81 op_sel:[1,0,0] "
     "op_sel_hi:[0,0,0]",
     "v0=128f"},
    {"RJ-016",
     "v64=0x38383838 v65=0x38383838 v66=0x38383838 v67=0x38383838 v68=0x38383838 v69=0x38383838 "
     "v70=0x38383838 v71=0x38383838 v72=0x38383838 v73=0x38383838 v74=0x38383838 v75=0x38383838 "
     "v76=0x38383838 v77=0x38383838 v78=0x38383838 v79=0x38383838 v81=0x7f7f7f7f",
     ".long 0xd3ac0000, 0x0002a2f4, 0xd3ad0800, 0x02029140", "v0=256f"},
    {"RJ-017", "v4=1f", ".long 0xd3ac0000, 0x8002a350, 0xd3ad0800, 0x04129140", "!signs of C"},
    {"RJ-017", "v4=1f", ".long 0xd3ac0400, 0x0002a350, 0xd3ad0800, 0x04129140", "!signs of C"},
    {"RJ-022", "", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[64:67], v8 cbsz:0 abid:1",
     "!not implemented"},
    {"RJ-023", "", "v_smfmac_i32_16x16x128_i8 v[0:3], v[4:7], v[64:71], v8", "!not implemented"},
    {"RJ-024", "", "v_smfmac_f32_32x32x16_bf16 v[64:79], v[4:5], v[0:3], v8", "!not implemented"},
    {"RJ-042", "exec=1 v2=0x3c004000 mem:0=0x3c003c00",
     "global_atomic_pk_add_f16 v[30:31], v2, off", "mem:0=0x40004200"},
    {"RJ-042", "exec=1 v2=0x3f804000 mem:0=0x3f803f80", "flat_atomic_pk_add_bf16 v[30:31], v2",
     "mem:0=0x40004040"},
    {"RJ-042", "exec=1 v2=1f mem:0=0x33000000", "global_atomic_add_f32 v[30:31], v2, off",
     "mem:0=1f"},
    {"RJ-042", "exec=1 v2=1f mem:0=0x33c00000 mode=0x3f1",
     "global_atomic_add_f32 v[30:31], v2, off", "mem:0=0x3f800001"},
    // By the guide's table 53 denormals are flushed here; clang 22 has it without, unlike gfx90a.
    {"RJ-042", "exec=1 v2=1 mem:0=1", "global_atomic_add_f32 v[30:31], v2, off", "mem:0=2"},
    {"RJ-090", "exec=1 v2=0x3c004000 mem:0=0x3c003c00",
     "buffer_atomic_pk_add_f16 v2, off, s[8:11], 0", "mem:0=0x40004200 v2:0=0x3c004000"},
    {"RJ-090", "exec=1 v2=0x3f804000 mem:0=0x3f803f80",
     "buffer_atomic_pk_add_bf16 v2, off, s[8:11], 0 sc0", "mem:0=0x40004040 v2:0=0x3f803f80"},
    {"RJ-090", "exec=1 v2=0 v3=0x7ff80000 mem:0=0 mem:4=0x3ff00000",
     "buffer_atomic_min_f64 v[2:3], off, s[8:11], 0", "mem:0=0 mem:4=0x3ff00000"},
    {"RJ-092", "v0=0 v1=0x3f803f80 v2=0x40004000", "v_dot2c_f32_bf16_e64 v0, -v1, v2",
     "!not supported"},
    {"RJ-092", "v0=0 v1=0x40003f80 v2=0x40004000", "v_dot2c_f32_bf16_e64 v0, |v1|, v2",
     "!not supported"},
    {"RJ-106", "v1=0x3f803f80 v2=0x40004000 v3=1f",
     "v_dot2_f32_bf16 v0, v1, v2, v3 neg_lo:[0,0,1] neg_hi:[0,0,1]", "!is not known"},
    {"RJ-106", "v1=0x3f803f80 v2=0x40004000 v3=1f", "v_dot2_f32_bf16 v0, v1, v2, v3 neg_lo:[1,0,0]",
     "v0=1f"},
    // With the clamp bit only: clang has llvm.minimum as v_minimum3_f32, with DX10_CLAMP set.
    {"RJ-107", "v1=0x7e003c00 v2=0x40004000 v3=0x44004400",
     "v_pk_minimum3_f16 v0, v1, v2, v3\n v_pk_maximum3_f16 v4, v1, v2, v3 clamp",
     "v0=0x7e003c00 v4=0x00003c00"},
    {"RJ-107", "v1=0x7e003c00 v2=0x40004000 v3=0x44004400 mode=0x2f0",
     "v_pk_minimum3_f16 v0, v1, v2, v3 clamp", "v0=0x7e003c00"},
    {"RJ-112", "v1=0x7fc00000 v2=1f v3=2f",
     "v_minimum3_f32 v0, v1, v2, v3\n v_maximum3_f32 v4, v1, v2, v3 clamp", "v0=0x7fc00000 v4=0"},
    {"RJ-112", "v1=0x7fc00000 v2=1f v3=2f mode=0x2f0", "v_minimum3_f32 v0, v1, v2, v3 clamp",
     "v0=0x7fc00000"},
    {"RJ-116", "v1=-3f v2=1 v3=0", "v_cvt_pk_u8_f32 v0, -v1, v2, v3", "v0=0x300"},
    {"RJ-116", "v0=0 v1=-3f v2=1", "v_cvt_pkaccum_u8_f32 v0, |v1|, v2", "v0=0x300"},
    {"RJ-116", "v1=-1f v2=1f", "v_cvt_pk_f16_f32 v0, -v1, -v2\n v_cvt_pk_bf16_f32 v3, |v1|, -v2",
     "v0=0xbc003c00 v3=0xbf803f80"},
    {"RJ-116", "v1=-1f v2=1f",
     "v_cvt_pknorm_i16_f32 v0, -v1, -v2\n v_cvt_pknorm_u16_f32 v3, |v1|, v2",
     "v0=0x80017fff v3=0xffffffff"},
    {"RJ-116", "v1=-1f v2=1f", "v_cvt_pkrtz_f16_f32 v0, -v1, -v2", "v0=0xbc003c00"},
    {"RJ-053", "vcc=0 exec=0",
     "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 9, 2)\n s_mov_b64 vcc, 1\n s_mov_b64 exec, 1\n"
     "s_getreg_b32 s1, hwreg(HW_REG_STATUS, 9, 2)",
     "s0=3 s1=0"},
    {"RJ-056", "s5=7", "s_mov_b32 ttmp3, 5", "!trap handler"},
    {"RJ-056", "s5=7", "s_mov_b64 s[0:1], ttmp[6:7]", "!trap handler"},
    {"RJ-056", "s4=7", "s_mov_b32 xnack_mask_lo, 9\n s_mov_b32 s0, xnack_mask_lo", "s0=9 s4=7"},
    {"RJ-054", "", "s_setvskip s0, 0", "!not implemented"},
    {"RJ-054", "", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", "!VSKIP"},
    {"RJ-062", "", "s_setkill 1", "!not implemented"},
    {"RJ-062", "", "s_sethalt 1", "!not implemented"},
    {"RJ-062", "", "s_sendmsg sendmsg(MSG_INTERRUPT)", "!not implemented"},
    {"RJ-062", "", "s_sendmsghalt sendmsg(MSG_INTERRUPT)", "!not implemented"},
    {"RJ-062", "",
     "s_sleep 1\n s_wakeup\n s_setprio 2\n s_getreg_b32 s0, hwreg(HW_REG_STATUS, 3, 2)", "s0=2"},
    {"RJ-062", "s0=1", "s_incperflevel 1\n s_decperflevel 1\n s_ttracedata", "s0=1"},
    {"RJ-055", "", "s_trap 1", "!trap"},
    {"RJ-055", "s0=1", "v_clrexcp", "s0=1"},
    {"RJ-055", "", "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", "!EXCP"},
    {"RJ-066", "", "s_barrier\n s_getreg_b32 s0, hwreg(HW_REG_STATUS, 12, 1)", "s0=0"},
    {"RJ-075", "", "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0", "!HW_REG_MODE only"},
    {"RJ-075", "", "s_getreg_b32 s0, hwreg(HW_REG_IB_STS)", "!not supported"},
    {"RJ-084", "", ".long 0xbf9f0001", "!no instruction"},
    {"RJ-140", "", "s_endpgm_saved", "!not implemented"},
    {"RJ-122", "",
     "s_memtime s[0:1]\n s_nop 0\n s_memtime s[2:3]\n s_waitcnt lgkmcnt(0)\n s_sub_u32 s4, s2, s0\n"
     "s_subb_u32 s5, s3, s1",
     "s4=2 s5=0"},
    {"RJ-031", "", "s_dcache_discard s[12:13], 0x0", "!not implemented"},
    {"RJ-031", "",
     "s_dcache_inv\n s_dcache_wb_vol\n s_icache_inv\n s_load_dword s0, s[12:13], 0x8 glc", "s0=8"},
    {"RJ-036", "",
     "buffer_inv sc1\n buffer_wbl2 sc0 sc1\n s_waitcnt vmcnt(0)\n buffer_load_dword v0, off, "
     "s[8:11], 8 sc0 nt sc1",
     "v0=8"},
    {"RJ-059", "", "s_rfe_b64 s[0:1]", "!not implemented"},
    {"RJ-059", "", "s_rfe_restore_b64 s[0:1], s2", "!not implemented"},
    {"RJ-060", "", "s_cbranch_cdbgsys 0", "!not implemented"},
    {"RJ-060", "", "s_cbranch_cdbguser 0", "!not implemented"},
    {"RJ-061", "", "s_cbranch_g_fork s[0:1], s[2:3]", "!not implemented"},
    {"RJ-061", "", "s_cbranch_i_fork s[0:1], 0", "!not implemented"},
    {"RJ-030", "", "s_atomic_add s0, s[12:13], 0x0 glc", "!not implemented"},
    {"RJ-030", "", "s_buffer_atomic_swap_x2 s[0:1], s[8:11], 0x0", "!not implemented"},
    {"RJ-057", "", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)\n s_getreg_b32 s1, hwreg(HW_REG_XCC_ID)",
     "s0=0 s1=0"},
    {"RJ-052", "",
     "s_getreg_b32 s0, hwreg(1)\n s_getreg_b32 s1, hwreg(2, 16, 1)\n s_getreg_b32 s2, hwreg(6)",
     "s0=0x3f0 s1=1 s2=0x4000"},
    {"RJ-095", "v1=0x0100ff80", "v_sat_pk_u8_i16 v0, v1\n v_sat_pk_u8_i16_e64 v2, v1",
     "v0=0xff00 v2=0xff00"},
    {"RJ-109", "v0=0x3c003c00 v1=0x40004000 v2=0x42003c00", "v_pk_fmac_f16 v0, v1, v2",
     "v0=0x47004200"},
    {"RJ-110", "v2=0x05040302 v3=0x09080706 v4=0x01010101 v6=0 v7=0",
     "v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", "v0=0x000e000a v1=0x00160012"},
    {"RJ-110", "v2=0x05040302 v3=0x09080706 v4=0x00010001 v6=0 v7=1",
     "v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", "v0=0x00060004 v1=0x000a0009"},
    {"RJ-110", "v12=0x05040302 v13=0x09080706 v4=0x00000001 v64=0 v65=0 v66=0 v67=9",
     "v_mqsad_u32_u8 v[0:3], v[12:13], v4, v[64:67]", "v0=1 v1=2 v2=3 v3=13"},
    {"RJ-110", "v2=0 v3=0x3ff00000 v4=0", "v_trig_preop_f64 v[0:1], v[2:3], v4",
     "v1=0x3fe45f30 v0=0x6dc9c882"},
    {"RJ-110", "v1=0x3c00 v2=0xb800",
     "v_cvt_pknorm_i16_f16 v0, v1, v2\n v_cvt_pknorm_u16_f16 v3, v1, v2",
     "v0=0xc0007fff v3=0xffff"},
    {"RJ-131", "exec=1 v1=0 v2=3 v3=100 lds:0=2", "ds_wrap_rtn_b32 v0, v1, v2, v3",
     "lds:0=102 v0:0=2"},
    {"RJ-131", "exec=1 v1=0 v2=3 v3=100 lds:0=5", "ds_wrap_rtn_b32 v0, v1, v2, v3",
     "lds:0=2 v0:0=5"},
    {"RJ-098", "", "v_screen_partition_4se_b32 v0, v1", "!not implemented"},
    {"RJ-098", "v1=1f", "v_exp_legacy_f32 v0, v1\n v_log_legacy_f32 v2, v1", "v0=2f v2=0"},
    {"RJ-040", "m0=64 exec=3 v1=8", "global_load_lds_dword v1, s[12:13]\n s_waitcnt vmcnt(0)",
     "lds:64=8 lds:68=8 lds:72=0"},
    {"RJ-040", "m0=64 exec=3 v1=16", "global_load_lds_dwordx4 v1, s[12:13]\n s_waitcnt vmcnt(0)",
     "lds:64=16 lds:76=28 lds:80=16 lds:96=0"},
    {"RJ-040", "m0=64 exec=3 v1=16", "global_load_lds_dwordx3 v1, s[12:13]\n s_waitcnt vmcnt(0)",
     "lds:64=16 lds:72=24"},
    {"RJ-040", "", "scratch_load_lds_dword v0, off", "!not implemented"},
    {"RJ-104", "", ".long 0x7c8204fa, 0xff00e401", "!no instruction"},
    {"RJ-004", "s1=0x3f800000 v0=0 v2=1f", "v_cvt_pk_fp8_f32 v0, s1, v2", "v0=0x3838"},
    {"RJ-007", "s0=0x3f800000 s1=0x40000000 v2=1f v3=1f", "v_pk_add_f32 v[0:1], s[0:1], v[2:3]",
     "v0=2f v1=3f"},
    {"RJ-008", "", ".long 0xd3b24000, 0x18020503", "!calls invalid"},
    {"RJ-008", "", ".long 0xd3b24001, 0x18020502", "!calls invalid"},
    {"RJ-011", "s1=0x40000000 v1=2f v2=2f v0=0", "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, s1",
     "v0=0x22"},
    {"RJ-012", "", ".long 0x7e02ad01", "!calls invalid"},
    {"RJ-012", "", ".long 0xd1960001, 0x00000101", "!calls invalid"},
    {"RJ-019", "", ".long 0xd3cd0001, 0x041a0d04", "!calls invalid"},
    {"RJ-021", "", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0 cbsz:1", "!cbsz"},
    {"RJ-021", "", "v_mfma_f32_4x4x1_16b_f32 v[4:7], v1, v2, 0 cbsz:1 abid:2", "!abid"},
    {"RJ-021", "", "v_mfma_f32_4x4x1_16b_f32 v[4:7], v1, v2, 0 cbsz:5", "!cbsz"},
    {"RJ-050", "exec=1 v1=0", "ds_read_b64_tr_b16 v[2:3], v1", "!all lanes"},
    {"RJ-050", "v1=4", "ds_read_b64_tr_b8 v[2:3], v1", "!unaligned"},
    {"RJ-050", "", ".long 0xd9c60000, 0x03000001", "!calls invalid"},
    {"RJ-070", "", ".long 0xbe820105", "!calls invalid"},
    {"RJ-070", "", ".long 0xbe830104", "!calls invalid"},
    {"RJ-070", "", ".long 0x86840302", "!calls invalid"},
    {"RJ-085", "", ".long 0xbe801cff\n s_mov_b32 s5, 7", "s5=7"},
    {"RJ-085", "", ".long 0xbe801dff, 0", "!calls invalid"},
    {"RJ-085", "", ".long 0xbe802aff, 0", "!calls invalid"},
    {"RJ-086", "", ".long 0x958002ff, 0", "!not implemented"},
    {"RJ-088", "s0=3 m0=0", ".long 0xbf11ff00\n s_mov_b32 s5, 7\n s_set_gpr_idx_off",
     "s5=7 m0=0xf003"},
    {"RJ-100", "", ".long 0x7e0056f9, 0x00160601", "!no instruction"},
    {"RJ-118", "", ".long 0x7e0020fa, 0xff00e402", "!calls invalid"},
    {"RJ-118", "", ".long 0x7e0006fa, 0xff00e402", "!calls invalid"},
    {"RJ-118", "", ".long 0x7e00a2fa, 0xff00e402", "!no instruction"},
    {"RJ-103", "", ".long 0x7dc406fa, 0xff00e402", "!no instruction"},
    {"RJ-105", "s0=0x50000 v1=5 vcc=0",
     "v_cmp_eq_u32_sdwa vcc, s0, v1 src0_sel:WORD_1 src1_sel:DWORD", "vcc=-1"},
    {"RJ-105", "v1=0xbc00 v2=0x3c00 vcc=0",
     "v_cmp_eq_f16_sdwa vcc, -v1, v2 src0_sel:WORD_0 src1_sel:WORD_0", "vcc=-1"},
    {"RJ-001", "v1=1000f v2=-1000f v0=0",
     "v_cvt_pk_fp8_f32 v0, v1, v2\n v_cvt_pk_bf8_f32 v3, v1, v2", "v0=0xff7f v3=0xe464"},
    {"RJ-001", "v1=1000f v2=0xff800000 v0=0 mode=0x8003f0", "v_cvt_pk_fp8_f32 v0, v1, v2",
     "v0=0xfe7e"},
    {"RJ-001", "v1=100000f v2=-100000f v0=0 v3=0",
     "v_cvt_pk_bf8_f32 v0, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
     "v_cvt_pk_bf8_f32 v3, v1, v2",
     "v0=0xfc7c v3=0xfb7b"},
    {"RJ-002", "v0=0x12345678 v1=1000f v2=-1000f v3=1f", "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3",
     "v0=0x1234ff7f"},
    {"RJ-002", "v0=0x12345678 v1=1000f v2=-1000f v3=1f mode=0x8003f0",
     "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3", "v0=0x1234fe7e"},
    {"RJ-002", "v0=0x12345678 v1=0x47800000 v2=0 v3=1f mode=0x8003f0",
     "v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", "v0=0x1234567b"},
    {"RJ-074", "", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x12345675", "mode=0x3f5"},
    {"RJ-082", "v0=0x12345678 v1=0x3f808000 v2=0x80000000",
     "v_cvt_sr_bf16_f32 v0, v1, v2 op_sel:[0,0,1]", "v0=0x3f815678"},
    {"RJ-082", "v0=0x12345678 v1=0x3f808000 v2=0x7fffffff", "v_cvt_sr_bf16_f32 v0, v1, v2",
     "v0=0x12343f80"},
    {"RJ-082", "v0=0x12345678 v1=0x3f801000 v2=0x80000000", "v_cvt_sr_f16_f32 v0, v1, v2",
     "v0=0x12343c01"},
    {"RJ-091", "v1=3f v2=1f",
     "v_fmamk_f32 v0, v1, 0x40000000, v2\n v_fmaak_f32 v3, v1, v2, 0x40000000", "v0=7f v3=5f"},
    {"RJ-091", "", ".long 0x2e0004fa, 0xff00e402", "!no instruction"},
    {"RJ-097", "v1=lane v2=7", "v_swap_b32 v1, v2", "v1=7 v2=lane"},
    {"RJ-097", "v1=lane v2=7", "v_permlane32_swap_b32 v1, v2",
     "v1:40=7 v1:5=5 v2:5=37 v2:31=63 v2:32=7"},
    {"RJ-113", "v1=0x3f801fff v2=0xbf801fff", "v_cvt_pkrtz_f16_f32 v0, v1, v2", "v0=0xbc003c00"},
    {"RJ-114", "v0=0x12345678 v1=3f v2=6", "v_cvt_pkaccum_u8_f32 v0, v1, v2", "v0=0x12035678"},
    {"RJ-076", "s1=1 s2=2", ".long 0xd1340000, 0x00000401", "!more than one scalar"},
    {"RJ-076", "s1=1", ".long 0xd1340000, 0x00000201", "v0=2"},
    {"RJ-076", "s1=1", ".long 0x000002ff, 7",
     "!more than one scalar"},  // v_cndmask_b32 v0, 7, v1, vcc
    {"RJ-076", "", ".long 0xd5340000, 0x00000401", "!no instruction"},
    {"RJ-076", "", ".long 0xd1340000, 0x0000027e", "!more than one scalar"},  // exec_lo, s1
    {"RJ-076", "s1=5 m0=3 v0=0", "v_writelane_b32 v0, s1, m0", "v0:3=5"},
    {"RJ-037", "exec=1 v2=5 mem:0=1", "buffer_atomic_add v2, off, s[8:11], 0", "mem:0=6 v2:0=5"},
    // The list of gaps, where it is about something else.
    {"XML-008", "v1=0x3c004000 v2=0x3c003c00 v3=0x44004200",
     "v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[1,1,0]", "v0=0x44004500"},
    {"XML-009", "v2=1 v3=2 v4=3 v5=4", "v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]",
     "v0=2 v1=3"},
    {"XML-010", "v1=-2f v2=0x3c004000 v3=1f",
     "v_fma_mix_f32 v0, |v1|, v2, v3 op_sel:[0,1,0] op_sel_hi:[0,1,0]", "v0=3f"},
    {"XML-020", "", "s_atomic_add s0, s[12:13], 0x0", "!not implemented"},
    {"XML-021", "v0=8 v1=4", "buffer_load_dword v2, v0, s[8:11], 0 offen offset:4", "v2=12"},
    {"XML-037", "", ".long 0xd86d0000, 0x00000001", "!GDS"},
    {"XML-046", "", ".long 0xbe8000ef", "!not understood"},
    {"XML-047", "s1=0x7fffffff s2=1", "s_add_i32 s0, s1, s2", "scc=1"},
    {"XML-047", "s1=-1 s2=1", "s_add_i32 s0, s1, s2", "s0=0 scc=0"},
    {"XML-047", "s1=0x80000000 s2=1", "s_sub_i32 s0, s1, s2", "scc=1"},
    {"XML-055", "v1=0x3f801800 v2=0x3f800800 mode=0x3ff", "v_cvt_pk_f16_f32 v0, v1, v2",
     "v0=0x3c003c01"},
    {"XML-055", "v0=0x12340000 v1=1f v2=0 mode=0x100", "v_cvt_sr_f16_f32 v0, v1, v2\n s_nop 0",
     "v0=0x12343c00"},
    {"XML-066", "v0=0x3c003c00 v1=0x4000 v2=0x4000", "v_mac_f16 v0, v1, v2", "v0=0x4500"},
    {"XML-066", "v1=0x4000 v2=0x3c00 v0=0x12345678", "v_madmk_f16 v0, v1, 0x4000, v2", "v0=0x4500"},
    {"XML-067", "", ".long 0xd1010800, 0x00020501", "!op_sel of v_add_f32"},
    {"XML-067", "", ".long 0xd1130400, 0x20020501", "!no instruction"},
    {"XML-072", "v1=0x18", "v_cvt_off_f32_i4 v0, v1", "v0=-0.5f"},
    {"XML-074", "v1=0x80000001 v2=0x10 vcc=0", "v_cmp_class_f32 vcc, v1, v2", "vcc=-1"},
    {"XML-074", "v1=0x7fc00000 v2=1f vcc=0", "v_cmp_nge_f32 vcc, v1, v2", "vcc=-1"},
    {"XML-078", "v0=1f v1=3f v2=2f", "v_fmac_f32 v0, v1, v2", "v0=7f"},
    {"XML-079", "v1=-1 v2=0 s2=-1 s3=-1", "v_addc_co_u32_e64 v0, s[0:1], v1, v2, s[2:3]",
     "v0=0 s0=-1 s1=-1"},
    {"XML-079", "v1=-1 v2=-1 v4=-1 v5=-1", "v_mad_u64_u32 v[6:7], s[0:1], v1, v2, v[4:5]",
     "v6=0 v7=0xfffffffe s0=-1 s1=-1"},
    {"XML-083", "v0=0x12340000 v1=0x3c00 v2=0x4000 v3=0x3c00", "v_mad_f16 v0, v1, v2, v3",
     "v0=0x12344200"},
    {"XML-083", "v0=0x12340000 v1=0x3c00 v2=0x4000 v3=0x3c00", "v_mad_legacy_f16 v0, v1, v2, v3",
     "v0=0x4200"},
    {"XML-083", "v0=0x00005678 v1=0x3c00 v2=0x4000 v3=0x3c00",
     "v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v0=0x42005678"},
    {"XML-084", "v1=0xf0 v2=0xcc v3=0xaa", "v_bitop3_b32 v0, v1, v2, v3 bitop3:0x96", "v0=0x96"},
    {"XML-090", "v1=5 v2=5 vcc=0 s0=0", ".long 0x7d9404f9, 0x06060001", "vcc=-1 s0=0"},
};

TEST(known_faults, are_not_ours) {
    for (const probe& p : probes) {
        SCOPED_TRACE(std::string(p.entry) + ": " + p.code);
        state s;
        for (const auto& [name, value] : assignments(p.given)) {
            s.set(name, value);
        }
        try {
            assemble(gfx_target::gfx950, std::string(p.code) + machine::end);
        } catch (const std::exception& e) {
            ADD_FAILURE() << e.what();
            continue;
        }
        const outcome end = outcome_of([&] { s.m.run(p.code); });
        if (p.wanted[0] == '!') {
            EXPECT_EQ(end.status, failure_status);
            EXPECT_TRUE(::testing::internal::RE::PartialMatch(
                end.text, ::testing::internal::RE(p.wanted + 1)))
                << end.text;
            continue;
        }
        EXPECT_EQ(end.status, 0) << end.text;
        for (const auto& [name, value] : assignments(p.wanted)) {
            EXPECT_EQ(s.difference(name, value), "");
        }
    }
}

// What an instruction reads and writes beside and instead of what it looks like.
TEST(known_faults, registers_that_are_used) {
    struct row {
        const char* entry;
        const char* code;
        const char* reads;
        const char* writes;
    };
    for (
        const row& r : {
            row{"RJ-101", "v_cmp_eq_u32_e32 vcc, v1, v2", "v1 v2", "vcc"},
            // EXEC, SCC and the M0 of VGPR indexing are in no list: the checks have rules for them.
            row{"RJ-101", "v_cmpx_eq_u32_e32 vcc, v1, v2", "v1 v2", "vcc"},
            row{"RJ-111", "v_add_co_u32_e64 v0, vcc, v1, v2", "v1 v2", "v0 vcc"},
            row{"RJ-111", "v_div_scale_f32 v0, vcc, v1, v1, v2", "v1 v1 v2", "v0 vcc"},
            row{"RJ-108", "v_accvgpr_read_b32 v0, a1", "a1", "v0"},
            row{"RJ-108", "v_accvgpr_write_b32 a0, v1", "v1", "a0"},
            // What a half or a byte is written into needs no value.
            row{"RJ-114", "v_cvt_pkaccum_u8_f32 v0, v1, v2", "v1 v2", "v0"},
            row{"RJ-134", "v_cvt_pk_fp8_f32 v0, v1, v2", "v1 v2", "v0"},
            row{"RJ-037", "buffer_atomic_add v2, off, s[8:11], 0", "s[8:11] v2", ""},
            row{"RJ-037", "buffer_atomic_add v2, off, s[8:11], 0 sc0", "s[8:11] v2", "v2"},
            row{"RJ-125", "ds_add_u32 v1, v2", "v1 v2", ""},
            row{"RJ-014",
                "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[4:7], v40, v41",
                "v40 v41 v[16:23] v[4:7] v[8:15]", "v[0:3]"},
            row{"RJ-097", "v_swap_b32 v1, v2", "v1 v2", "v1 v2"},
            row{"RJ-097", "v_permlane16_swap_b32 v1, v2", "v1 v2", "v1 v2"},
            row{"RJ-109", "v_pk_fmac_f16 v0, v1, v2", "v0 v1 v2", "v0"},
            row{"XML-027", "global_load_lds_dword v1, s[12:13]", "m0 s[12:13] v1", ""},
        }) {
        const std::vector<std::byte>& bytes = assemble(gfx_target::gfx950, r.code);
        program decoded(gfx_target::gfx950, bytes.data(), bytes.size(), machine::base);
        std::vector<std::string> names[2];
        for (const register_use& use : decoded.at(machine::base).uses) {
            names[use.is_write ? 1 : 0].push_back(register_name({use.first, use.count}));
        }
        for (int n = 0; n < 2; ++n) {
            std::sort(names[n].begin(), names[n].end());
            std::string text;
            for (const std::string& name : names[n]) {
                text += (text.empty() ? "" : " ") + name;
            }
            EXPECT_EQ(text, n == 0 ? r.reads : r.writes) << r.entry << ": " << r.code;
        }
    }
}

// Waits and wait states; an empty text: nothing is wrong.
TEST(known_faults, states_and_counters) {
    struct row {
        const char* entry;
        const char* code;
        const char* finding;
    };
    for (const row& r : {
             row{"RJ-006", "v_cvt_pk_fp8_f32 v1, v0, v0 op_sel:[0,0,1]\n v_mov_b32 v2, v1", "wait"},
             row{"RJ-006",
                 "v_cvt_pk_fp8_f32 v1, v0, v0 op_sel:[0,0,1]\n s_nop 0\n v_mov_b32 v2, v1", ""},
             row{"RJ-077",
                 "v_add_f32_sdwa v1, v0, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
                 "src0_sel:DWORD src1_sel:DWORD\n v_mov_b32 v2, v1",
                 "wait"},
             row{"RJ-065", "v_cmp_eq_u32 vcc, v0, v0\n v_div_fmas_f32 v1, v0, v0, v0", "wait"},
             row{"RJ-065", "v_cmp_eq_u32 vcc, v0, v0\n s_nop 3\n v_div_fmas_f32 v1, v0, v0, v0",
                 ""},
             row{"RJ-025", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0\n v_mov_b32 v8, v0",
                 "wait"},
             row{"RJ-025",
                 "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0\n s_nop 9\n v_mov_b32 v8, v0",
                 ""},
             row{"RJ-041", "flat_load_dword v0, v[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v1, v0",
                 "lgkmcnt"},
             row{"RJ-041",
                 "flat_load_dword v0, v[2:3]\n s_waitcnt vmcnt(0) lgkmcnt(0)\n v_mov_b32 v1, v0",
                 ""},
             row{"RJ-041",
                 "global_load_dword v0, v[2:3], off\n s_waitcnt vmcnt(0)\n v_mov_b32 v1, v0", ""},
             row{"RJ-064",
                 "s_load_dword s0, s[4:5], 0x0\n s_load_dword s1, s[4:5], 0x4\n "
                 "s_waitcnt lgkmcnt(1)\n s_mov_b32 s2, s0",
                 "lgkmcnt"},
             row{"RJ-064",
                 "global_load_dword v0, v[2:3], off\n global_load_dword v1, v[2:3], off\n "
                 "s_waitcnt vmcnt(1)\n v_mov_b32 v4, v0",
                 ""},
             row{"RJ-063", "s_memtime s[0:1]\n s_mov_b32 s2, s0", "lgkmcnt"},
             row{"RJ-029", "s_load_dwordx4 s[4:7], s[4:5], 0x0\n s_waitcnt lgkmcnt(0)", ""},
         }) {
        std::string found;
        for (const lint_finding& f : lint_of(gfx_target::gfx950, r.code)) {
            found += f.message + '\n';
        }
        if (r.finding[0] == 0) {
            EXPECT_EQ(found, "") << r.entry << ": " << r.code;
        } else {
            EXPECT_NE(found.find(r.finding), std::string::npos) << r.entry << ": " << r.code << '\n'
                                                                << found;
        }
    }
}

}  // namespace
}  // namespace emu
