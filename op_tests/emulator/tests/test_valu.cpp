// Vector ALU on integers and bits, carries, masks, lanes.
#include <algorithm>
#include <iterator>
#include <random>

#include "machine.hpp"

namespace emu {
namespace {

// The instruction reads pairs v[2:3], v[4:5], v[6:7] (or their first registers) and writes v[0:1].
struct value_case {
    const char* instruction;
    uint64_t a;
    uint64_t b;
    uint64_t c;
    uint64_t result;
    bool wide = false;  // the result is v[0:1]
    uint32_t old = 0;   // v0 before
};

void set_pair(machine& m, int reg, uint64_t value) {
    m.fill(reg, static_cast<uint32_t>(value));
    m.fill(reg + 1, static_cast<uint32_t>(value >> 32));
}

void check_cases(gfx_target target, const std::vector<value_case>& cases) {
    // All lanes, then every third only.
    for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x9249249249249249}}) {
        for (const value_case& c : cases) {
            machine m(target);
            set_pair(m, 2, c.a);
            set_pair(m, 4, c.b);
            set_pair(m, 6, c.c);
            m.fill(0, c.old);
            m.set_exec(exec);
            m.run(c.instruction);
            for (uint32_t l = 0; l < 64; ++l) {
                const bool on = (exec >> l & 1) != 0;
                const uint64_t actual =
                    c.wide ? m.v(0)[l] | uint64_t{m.v(1)[l]} << 32 : uint64_t{m.v(0)[l]};
                ASSERT_EQ(actual, on ? c.result : c.old)
                    << c.instruction << " on " << name_of(target) << " lane " << l << std::hex
                    << " " << c.a << " " << c.b << " " << c.c;
            }
        }
    }
}

const std::vector<value_case> integer_cases = {
    {"v_mov_b32 v0, v2", 0x12345678, 0, 0, 0x12345678},
    {"v_mov_b32 v0, 0x87654321", 0, 0, 0, 0x87654321},
    {"v_mov_b32 v0, -4.0", 0, 0, 0, 0xc0800000},
    {"v_mov_b64 v[0:1], v[2:3]", 0x123456789abcdef0, 0, 0, 0x123456789abcdef0, true},
    {"v_not_b32 v0, v2", 0x0f0f0f0f, 0, 0, 0xf0f0f0f0},
    {"v_bfrev_b32 v0, v2", 0x80000001, 0, 0, 0x80000001},
    {"v_bfrev_b32 v0, v2", 0x00000002, 0, 0, 0x40000000},
    {"v_ffbh_u32 v0, v2", 0x100000ff, 0, 0, 3},
    {"v_ffbh_u32 v0, v2", 0, 0, 0, 0xffffffff},
    {"v_ffbl_b32 v0, v2", 0xff000008, 0, 0, 3},
    {"v_ffbl_b32 v0, v2", 0, 0, 0, 0xffffffff},
    {"v_ffbh_i32 v0, v2", 0xfffffffe, 0, 0, 31},
    {"v_ffbh_i32 v0, v2", 0xffffffff, 0, 0, 0xffffffff},
    {"v_ffbh_i32 v0, v2", 0x40000000, 0, 0, 1},
    {"v_sat_pk_u8_i16 v0, v2", 0x0101ffff, 0, 0, 0xff00},
    {"v_add_u32 v0, v2, v4", 0xffffffff, 2, 0, 1},
    {"v_add_u32 v0, v2, v4 clamp", 0xffffffff, 2, 0, 0xffffffff},
    {"v_sub_u32 v0, v2, v4", 1, 2, 0, 0xffffffff},
    {"v_sub_u32 v0, v2, v4 clamp", 1, 2, 0, 0},
    {"v_subrev_u32 v0, v2, v4", 1, 3, 0, 2},
    {"v_add_i32 v0, v2, v4 clamp", 0x7fffffff, 1, 0, 0x7fffffff},
    {"v_sub_i32 v0, v2, v4 clamp", 0x80000000, 1, 0, 0x80000000},
    {"v_sub_i32 v0, v2, v4", 0x80000000, 1, 0, 0x7fffffff},
    {"v_mul_i32_i24 v0, v2, v4", 0x00ffffff, 5, 0, 0xfffffffb},
    {"v_mul_hi_i32_i24 v0, v2, v4", 0x00800000, 0x00800000, 0, 0x00004000},
    {"v_mul_u32_u24 v0, v2, v4", 0xff000003, 0x05000007, 0, 21},
    {"v_mul_hi_u32_u24 v0, v2, v4", 0xffffff, 0xffffff, 0, 0xffff},
    {"v_mul_lo_u32 v0, v2, v4", 0x10001, 0x10001, 0, 0x20001},
    {"v_mul_hi_u32 v0, v2, v4", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"v_mul_hi_i32 v0, v2, v4", 0xffffffff, 0xffffffff, 0, 0},
    {"v_min_i32 v0, v2, v4", 0xffffffff, 1, 0, 0xffffffff},
    {"v_max_i32 v0, v2, v4", 0xffffffff, 1, 0, 1},
    {"v_min_u32 v0, v2, v4", 0xffffffff, 1, 0, 1},
    {"v_max_u32 v0, v2, v4", 0xffffffff, 1, 0, 0xffffffff},
    {"v_lshlrev_b32 v0, v2, v4", 33, 3, 0, 6},
    {"v_lshrrev_b32 v0, v2, v4", 63, 0x80000000, 0, 1},
    {"v_ashrrev_i32 v0, v2, v4", 36, 0x80000000, 0, 0xf8000000},
    {"v_lshlrev_b64 v[0:1], v2, v[4:5]", 97, 1, 0, 1ull << 33, true},
    {"v_lshrrev_b64 v[0:1], v2, v[4:5]", 33, 1ull << 63, 0, 1ull << 30, true},
    {"v_ashrrev_i64 v[0:1], v2, v[4:5]", 63, 1ull << 63, 0, ~0ull, true},
    {"v_and_b32 v0, v2, v4", 0xff00ff, 0xfff000, 0, 0xff0000},
    {"v_or_b32 v0, v2, v4", 0xff00ff, 0xfff000, 0, 0xfff0ff},
    {"v_xor_b32 v0, v2, v4", 0xff00ff, 0xfff000, 0, 0x00f0ff},
    {"v_xnor_b32 v0, v2, v4", 0xff00ff, 0xfff000, 0, 0xffff0f00},
    {"v_bfe_u32 v0, v2, v4, v6", 0xabcd1234, 40, 8, 0x12},
    {"v_bfe_u32 v0, v2, v4, v6", 0xabcd1234, 0, 32, 0},
    {"v_bfe_i32 v0, v2, v4, v6", 0xabcd1234, 24, 4, 0xfffffffb},
    {"v_bfi_b32 v0, v2, v4, v6", 0xff00, 0x1234, 0x5678abcd, 0x567812cd},
    {"v_bfm_b32 v0, v2, v4", 5, 3, 0, 0xf8},
    {"v_bcnt_u32_b32 v0, v2, v4", 0xff, 10, 0, 18},
    {"v_alignbit_b32 v0, v2, v4, v6", 0x12345678, 0x9abcdef0, 36, 0x89abcdef},
    {"v_alignbyte_b32 v0, v2, v4, v6", 0x12345678, 0x9abcdef0, 5, 0x789abcde},
    {"v_perm_b32 v0, v2, v4, v6", 0x77665544, 0x33221180, 0x0d0c0704, 0xff007744},
    {"v_perm_b32 v0, v2, v4, v6", 0x80660044, 0x80220080, 0x0b0a0908, 0xff00ff00},
    {"v_lshl_add_u32 v0, v2, v4, v6", 3, 34, 5, 17},
    {"v_add_lshl_u32 v0, v2, v4, v6", 3, 4, 33, 14},
    {"v_lshl_or_b32 v0, v2, v4, v6", 3, 4, 1, 0x31},
    {"v_and_or_b32 v0, v2, v4, v6", 0xff, 0xf0f, 0x1000, 0x100f},
    {"v_or3_b32 v0, v2, v4, v6", 1, 2, 4, 7},
    {"v_xad_u32 v0, v2, v4, v6", 0xff, 0xf, 1, 0xf1},
    {"v_add3_u32 v0, v2, v4, v6", 0xffffffff, 1, 5, 5},
    {"v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]", 1ull << 40, 4, 7, (1ull << 44) + 7, true},
    {"v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]", 1ull << 40, 5, 7, (1ull << 40) + 7, true},
    {"v_min3_i32 v0, v2, v4, v6", 5, 0xffffffff, 3, 0xffffffff},
    {"v_max3_u32 v0, v2, v4, v6", 5, 0xffffffff, 3, 0xffffffff},
    {"v_med3_i32 v0, v2, v4, v6", 5, 0xffffffff, 3, 3},
    {"v_med3_u32 v0, v2, v4, v6", 5, 0xffffffff, 3, 5},
    {"v_sad_u8 v0, v2, v4, v6", 0x01020304, 0x04030201, 100, 108},
    {"v_msad_u8 v0, v2, v4, v6", 0x01020304, 0x04000001, 100, 106},
    {"v_sad_hi_u8 v0, v2, v4, v6", 0x01020304, 0x04030201, 100, 0x80064},
    {"v_sad_u16 v0, v2, v4, v6", 0x00010005, 0x00040001, 1, 8},
    {"v_sad_u32 v0, v2, v4, v6", 1, 5, 1, 5},
    {"v_mad_u32_u24 v0, v2, v4, v6", 0xff000002, 3, 4, 10},
    {"v_mad_i32_i24 v0, v2, v4, v6", 0xffffff, 3, 4, 1},
    {"v_mad_u32_u16 v0, v2, v4, v6", 0x7ffff, 0xffff, 1, 0xfffe0002},
    {"v_mad_i32_i16 v0, v2, v4, v6", 0xffff, 3, 4, 1},
    {"v_mad_u64_u32 v[0:1], s[0:1], v2, v4, v[6:7]", 0xffffffff, 0xffffffff, 1, 0xfffffffe00000002,
     true},
    {"v_mad_i64_i32 v[0:1], s[0:1], v2, v4, v[6:7]", 0xffffffff, 5, 3, ~1ull, true},
    {"v_add_u16 v0, v2, v4", 0x1ffff, 2, 0, 1, false, 0xaaaabbbb},
    {"v_add_u16 v0, v2, v4 clamp", 0x1ffff, 2, 0, 0xffff, false, 0xaaaabbbb},
    {"v_sub_u16 v0, v2, v4", 1, 2, 0, 0xffff, false, 0xaaaabbbb},
    {"v_subrev_u16 v0, v2, v4", 1, 3, 0, 2},
    {"v_mul_lo_u16 v0, v2, v4", 0xffff, 0xffff, 0, 1},
    {"v_lshlrev_b16 v0, v2, v4", 17, 0x8001, 0, 2},
    {"v_lshrrev_b16 v0, v2, v4", 15, 0x18000, 0, 1},
    {"v_ashrrev_i16 v0, v2, v4", 15, 0x8000, 0, 0xffff},
    {"v_min_i16 v0, v2, v4", 0xffff, 1, 0, 0xffff},
    {"v_max_i16 v0, v2, v4", 0xffff, 1, 0, 1},
    {"v_min_u16 v0, v2, v4", 0xffff, 1, 0, 1},
    {"v_max_u16 v0, v2, v4", 0xffff, 1, 0, 0xffff},
    {"v_mad_u16 v0, v2, v4, v6", 3, 4, 5, 0xaaaa0011, false, 0xaaaabbbb},
    {"v_mad_u16 v0, v2, v4, v6 op_sel:[1,0,0,1]", 0x30000, 4, 5, 0x0011bbbb, false, 0xaaaabbbb},
    {"v_mad_i16 v0, v2, v4, v6 clamp", 0x7fff, 4, 5, 0xaaaa7fff, false, 0xaaaabbbb},
    {"v_mad_legacy_u16 v0, v2, v4, v6", 3, 4, 5, 0x11, false, 0xaaaabbbb},
    {"v_add_i16 v0, v2, v4 clamp", 0x7fff, 1, 0, 0x7fff},
    {"v_med3_i16 v0, v2, v4, v6", 5, 0xffff, 3, 3},
    {"v_pack_b32_f16 v0, v2, v4", 0x11112222, 0x33334444, 0, 0x44442222},
    {"v_pack_b32_f16 v0, v2, v4 op_sel:[1,1,0]", 0x11112222, 0x33334444, 0, 0x33331111},
    {"v_cndmask_b32 v0, v2, v4, s[10:11]", 1, 2, 0, 1},
    {"v_accvgpr_write_b32 a3, v2\n v_accvgpr_mov_b32 a4, a3\n v_accvgpr_read_b32 v0, a4", 99, 0, 0,
     99},
    {"s_mov_b32 s2, 7\n v_add_u32 v0, s2, v4", 0, 5, 0, 12},
    // Byte averages; bit 0 of each byte of the third source rounds up.
    {"v_lerp_u8 v0, v2, v4, v6", 0xff010003, 0xff020100, 0x00fe0100, 0xff010101},
    {"v_lerp_u8 v0, v2, v4, v6", 0xff010003, 0xfe020100, 0x01010101, 0xff020102},
    // Differences of {a0, a1, a2, a3} to {b0, b1, b2, b3}, then of {a1, ...}: sums of 16 bits wrap.
    {"v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", 0x0807060504030201, 0x04030201,
     0xffff000300020001, 0x000b000b00060001, true},
    {"v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", 0x0807060504030201, 0x000000ff, 0,
     0x010d010b01090107, true},
    // A byte of the reference that is zero does not count.
    {"v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", 0x0807060504030201, 0x000000ff, 1,
     0x00fb00fc00fd00ff, true},
    {"v_mqsad_u32_u8 v[8:11], v[2:3], v4, v[6:9]\n v_mov_b32 v0, v8\n v_mov_b32 v1, v11",
     0x0807060504030201, 0xff000000, 5, 0x000000f800000100, true},
    {"v_clrexcp\n v_mov_b32 v0, v2", 3, 0, 0, 3},
};

TEST(valu, integers) {
    for (const gfx_target target : both_targets) {
        check_cases(target, integer_cases);
    }
}

// ---- laws: each operation on many triples, by its mathematical definition (ISA guide 12.7 to 12.11)

__extension__ using wide = __int128;

struct triple {
    uint64_t a, b, c;
    wide s(int bits, uint64_t value) const {
        const wide modulus = wide{1} << bits;
        const wide v = static_cast<wide>(value) & (modulus - 1);
        return v >= modulus / 2 ? v - modulus : v;
    }
    wide u(int bits, uint64_t value) const {
        return static_cast<wide>(value) & ((wide{1} << bits) - 1);
    }
    wide sa(int bits = 32) const { return s(bits, a); }
    wide sb(int bits = 32) const { return s(bits, b); }
    wide sc(int bits = 32) const { return s(bits, c); }
    wide ua(int bits = 32) const { return u(bits, a); }
    wide ub(int bits = 32) const { return u(bits, b); }
    wide uc(int bits = 32) const { return u(bits, c); }
};

wide divided(wide a, wide by) {  // rounded down
    return a / by - (a % by < 0 ? 1 : 0);
}
wide power(wide exponent) {
    return wide{1} << static_cast<int>(exponent);
}
wide middle(wide a, wide b, wide c) {
    return a + b + c - std::min({a, b, c}) - std::max({a, b, c});
}
wide distance(wide a, wide b) {
    return a > b ? a - b : b - a;
}
// Of the four bytes of two dwords; `masked`: not where that of b is zero.
wide sad(wide a, wide b, bool masked) {
    wide sum = 0;
    for (int n = 0; n < 4; ++n, a /= 256, b /= 256) {
        sum += masked && b % 256 == 0 ? 0 : distance(a % 256, b % 256);
    }
    return sum;
}
wide field(wide value, wide first, wide count) {
    return value / power(first) % power(count);
}

enum class limits { none, s32, u32, s16, u16 };

struct law {
    const char* instruction;  // of v[2:3], v[4:5], v[6:7]
    wide (*result)(const triple& t);
    int bits = 32;
    limits clamp = limits::none;  // the instruction has a second form, with clamp, and these limits
    bool keeps_high = false;      // of 16 bits: the other half of the destination stays
};

constexpr law laws[] = {
    {"v_mul_i32_i24 v0, v2, v4", [](auto& t) { return t.sa(24) * t.sb(24); }, 32, limits::s32},
    {"v_mul_hi_i32_i24 v0, v2, v4",
     [](auto& t) { return divided(t.sa(24) * t.sb(24), power(32)); }},
    {"v_mul_u32_u24 v0, v2, v4", [](auto& t) { return t.ua(24) * t.ub(24); }, 32, limits::u32},
    {"v_mul_hi_u32_u24 v0, v2, v4", [](auto& t) { return t.ua(24) * t.ub(24) / power(32); }},
    {"v_min_i32 v0, v2, v4", [](auto& t) { return std::min(t.sa(), t.sb()); }},
    {"v_max_i32 v0, v2, v4", [](auto& t) { return std::max(t.sa(), t.sb()); }},
    {"v_min_u32 v0, v2, v4", [](auto& t) { return std::min(t.ua(), t.ub()); }},
    {"v_max_u32 v0, v2, v4", [](auto& t) { return std::max(t.ua(), t.ub()); }},
    {"v_lshrrev_b32 v0, v2, v4", [](auto& t) { return t.ub() / power(t.ua(5)); }},
    {"v_ashrrev_i32 v0, v2, v4", [](auto& t) { return divided(t.sb(), power(t.ua(5))); }},
    {"v_lshlrev_b32 v0, v2, v4", [](auto& t) { return t.ub() * power(t.ua(5)); }},
    {"v_xnor_b32 v0, v2, v4", [](auto& t) { return power(32) - 1 - (t.ua() ^ t.ub()); }},
    {"v_add_u32 v0, v2, v4", [](auto& t) { return t.ua() + t.ub(); }, 32, limits::u32},
    {"v_sub_u32 v0, v2, v4", [](auto& t) { return t.ua() - t.ub(); }, 32, limits::u32},
    {"v_subrev_u32 v0, v2, v4", [](auto& t) { return t.ub() - t.ua(); }, 32, limits::u32},
    {"v_add_i32 v0, v2, v4", [](auto& t) { return t.sa() + t.sb(); }, 32, limits::s32},
    {"v_sub_i32 v0, v2, v4", [](auto& t) { return t.sa() - t.sb(); }, 32, limits::s32},
    {"v_add_u16 v0, v2, v4", [](auto& t) { return t.ua(16) + t.ub(16); }, 16, limits::u16},
    {"v_sub_u16 v0, v2, v4", [](auto& t) { return t.ua(16) - t.ub(16); }, 16, limits::u16},
    {"v_subrev_u16 v0, v2, v4", [](auto& t) { return t.ub(16) - t.ua(16); }, 16, limits::u16},
    {"v_mul_lo_u16 v0, v2, v4", [](auto& t) { return t.ua(16) * t.ub(16); }, 16, limits::u16},
    {"v_add_i16 v0, v2, v4", [](auto& t) { return t.sa(16) + t.sb(16); }, 16, limits::s16},
    {"v_sub_i16 v0, v2, v4", [](auto& t) { return t.sa(16) - t.sb(16); }, 16, limits::s16},
    {"v_lshlrev_b16 v0, v2, v4", [](auto& t) { return t.ub(16) * power(t.ua(4)); }, 16},
    {"v_lshrrev_b16 v0, v2, v4", [](auto& t) { return t.ub(16) / power(t.ua(4)); }, 16},
    {"v_ashrrev_i16 v0, v2, v4", [](auto& t) { return divided(t.sb(16), power(t.ua(4))); }, 16},
    {"v_min_u16 v0, v2, v4", [](auto& t) { return std::min(t.ua(16), t.ub(16)); }, 16},
    {"v_max_u16 v0, v2, v4", [](auto& t) { return std::max(t.ua(16), t.ub(16)); }, 16},
    {"v_min_i16 v0, v2, v4", [](auto& t) { return std::min(t.sa(16), t.sb(16)); }, 16},
    {"v_max_i16 v0, v2, v4", [](auto& t) { return std::max(t.sa(16), t.sb(16)); }, 16},
    {"v_mad_i32_i24 v0, v2, v4, v6",
     [](auto& t) { return t.s(32, static_cast<uint64_t>(t.sa(24) * t.sb(24))) + t.sc(); }, 32,
     limits::s32},
    {"v_mad_u32_u24 v0, v2, v4, v6",
     [](auto& t) { return t.ua(24) * t.ub(24) % power(32) + t.uc(); }, 32, limits::u32},
    {"v_mad_u16 v0, v2, v4, v6", [](auto& t) { return t.ua(16) * t.ub(16) + t.uc(16); }, 16,
     limits::u16, true},
    {"v_mad_i16 v0, v2, v4, v6", [](auto& t) { return t.sa(16) * t.sb(16) + t.sc(16); }, 16,
     limits::s16, true},
    {"v_mad_legacy_u16 v0, v2, v4, v6", [](auto& t) { return t.ua(16) * t.ub(16) + t.uc(16); }, 16,
     limits::u16},
    {"v_mad_legacy_i16 v0, v2, v4, v6", [](auto& t) { return t.sa(16) * t.sb(16) + t.sc(16); }, 16,
     limits::s16},
    {"v_mad_u32_u16 v0, v2, v4, v6", [](auto& t) { return t.ua(16) * t.ub(16) + t.uc(); }, 32,
     limits::u32},
    {"v_mad_i32_i16 v0, v2, v4, v6", [](auto& t) { return t.sa(16) * t.sb(16) + t.sc(); }, 32,
     limits::s32},
    {"v_mul_lo_u32 v0, v2, v4", [](auto& t) { return t.ua() * t.ub(); }},
    {"v_mul_hi_u32 v0, v2, v4", [](auto& t) { return t.ua() * t.ub() / power(32); }},
    {"v_mul_hi_i32 v0, v2, v4", [](auto& t) { return divided(t.sa() * t.sb(), power(32)); }},
    {"v_bfe_u32 v0, v2, v4, v6", [](auto& t) { return field(t.ua(), t.ub(5), t.uc(5)); }},
    {"v_bfe_i32 v0, v2, v4, v6",
     [](auto& t) {
         const int width = static_cast<int>(t.uc(5));
         const wide part = divided(t.sa(), power(t.ub(5)));
         return width == 0 ? 0 : t.s(width, static_cast<uint64_t>(part));
     }},
    {"v_bfi_b32 v0, v2, v4, v6",
     [](auto& t) {
         wide sum = 0;
         for (int n = 0; n < 32; ++n) {
             sum +=
                 (field(t.ua(), n, 1) != 0 ? field(t.ub(), n, 1) : field(t.uc(), n, 1)) * power(n);
         }
         return sum;
     }},
    {"v_bfm_b32 v0, v2, v4", [](auto& t) { return (power(t.ua(5)) - 1) * power(t.ub(5)); }},
    {"v_bcnt_u32_b32 v0, v2, v4",
     [](auto& t) {
         wide count = t.ub();
         for (wide rest = t.ua(); rest != 0; rest /= 2) {
             count += rest % 2;
         }
         return count;
     }},
    {"v_alignbit_b32 v0, v2, v4, v6",
     [](auto& t) { return (t.ua() * power(32) + t.ub()) / power(t.uc(5)); }},
    {"v_alignbyte_b32 v0, v2, v4, v6",
     [](auto& t) { return (t.ua() * power(32) + t.ub()) / power(8 * t.uc(2)); }},
    {"v_perm_b32 v0, v2, v4, v6",
     [](auto& t) {
         wide sum = 0;
         for (int n = 0; n < 4; ++n) {
             const auto select = static_cast<int>(field(t.uc(), 8 * n, 8));
             const wide data = t.ua() * power(32) + t.ub();
             // Byte, sign of word 0 to 3, zeros, ones.
             const wide byte = select < 8     ? field(data, 8 * select, 8)
                               : select < 12  ? 255 * field(data, 16 * (select - 8) + 15, 1)
                               : select == 12 ? 0
                                              : 255;
             sum += byte * power(8 * n);
         }
         return sum;
     }},
    {"v_min3_i32 v0, v2, v4, v6", [](auto& t) { return std::min({t.sa(), t.sb(), t.sc()}); }},
    {"v_min3_u32 v0, v2, v4, v6", [](auto& t) { return std::min({t.ua(), t.ub(), t.uc()}); }},
    {"v_max3_i32 v0, v2, v4, v6", [](auto& t) { return std::max({t.sa(), t.sb(), t.sc()}); }},
    {"v_max3_u32 v0, v2, v4, v6", [](auto& t) { return std::max({t.ua(), t.ub(), t.uc()}); }},
    {"v_med3_i32 v0, v2, v4, v6", [](auto& t) { return middle(t.sa(), t.sb(), t.sc()); }},
    {"v_med3_u32 v0, v2, v4, v6", [](auto& t) { return middle(t.ua(), t.ub(), t.uc()); }},
    {"v_min3_i16 v0, v2, v4, v6", [](auto& t) { return std::min({t.sa(16), t.sb(16), t.sc(16)}); },
     16},
    {"v_min3_u16 v0, v2, v4, v6", [](auto& t) { return std::min({t.ua(16), t.ub(16), t.uc(16)}); },
     16},
    {"v_max3_i16 v0, v2, v4, v6", [](auto& t) { return std::max({t.sa(16), t.sb(16), t.sc(16)}); },
     16},
    {"v_max3_u16 v0, v2, v4, v6", [](auto& t) { return std::max({t.ua(16), t.ub(16), t.uc(16)}); },
     16},
    {"v_med3_i16 v0, v2, v4, v6", [](auto& t) { return middle(t.sa(16), t.sb(16), t.sc(16)); }, 16},
    {"v_med3_u16 v0, v2, v4, v6", [](auto& t) { return middle(t.ua(16), t.ub(16), t.uc(16)); }, 16},
    {"v_sad_u8 v0, v2, v4, v6", [](auto& t) { return sad(t.ua(), t.ub(), false) + t.uc(); }, 32,
     limits::u32},
    {"v_msad_u8 v0, v2, v4, v6", [](auto& t) { return sad(t.ua(), t.ub(), true) + t.uc(); }, 32,
     limits::u32},
    {"v_sad_hi_u8 v0, v2, v4, v6",
     [](auto& t) { return sad(t.ua(), t.ub(), false) * power(16) + t.uc(); }, 32, limits::u32},
    {"v_sad_u16 v0, v2, v4, v6",
     [](auto& t) {
         return distance(t.ua(16), t.ub(16)) + distance(t.ua() / power(16), t.ub() / power(16)) +
                t.uc();
     },
     32, limits::u32},
    {"v_sad_u32 v0, v2, v4, v6", [](auto& t) { return distance(t.ua(), t.ub()) + t.uc(); }, 32,
     limits::u32},
    {"v_lerp_u8 v0, v2, v4, v6",
     [](auto& t) {
         wide sum = 0;
         for (int n = 0; n < 32; n += 8) {
             sum +=
                 (field(t.ua(), n, 8) + field(t.ub(), n, 8) + field(t.uc(), n, 1)) / 2 * power(n);
         }
         return sum;
     }},
    {"v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]",
     [](auto& t) {
         wide sum = 0;
         for (int n = 0; n < 4; ++n) {
             sum += (sad(field(t.ua(64), 8 * n, 32), t.ub(), false) + field(t.uc(64), 16 * n, 16)) %
                    power(16) * power(16 * n);
         }
         return sum;
     },
     64},
    {"v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]",
     [](auto& t) {
         wide sum = 0;
         for (int n = 0; n < 4; ++n) {
             sum += (sad(field(t.ua(64), 8 * n, 32), t.ub(), true) + field(t.uc(64), 16 * n, 16)) %
                    power(16) * power(16 * n);
         }
         return sum;
     },
     64},
    {"v_xad_u32 v0, v2, v4, v6", [](auto& t) { return (t.ua() ^ t.ub()) + t.uc(); }},
    {"v_lshl_add_u32 v0, v2, v4, v6", [](auto& t) { return t.ua() * power(t.ub(5)) + t.uc(); }},
    {"v_add_lshl_u32 v0, v2, v4, v6", [](auto& t) { return (t.ua() + t.ub()) * power(t.uc(5)); }},
    {"v_add3_u32 v0, v2, v4, v6", [](auto& t) { return t.ua() + t.ub() + t.uc(); }},
    {"v_lshl_or_b32 v0, v2, v4, v6", [](auto& t) { return (t.ua() * power(t.ub(5))) | t.uc(); }},
    {"v_and_or_b32 v0, v2, v4, v6", [](auto& t) { return (t.ua() & t.ub()) | t.uc(); }},
    {"v_or3_b32 v0, v2, v4, v6", [](auto& t) { return t.ua() | t.ub() | t.uc(); }},
    {"v_lshlrev_b64 v[0:1], v2, v[4:5]",
     [](auto& t) { return t.ub(64) << static_cast<int>(t.ua(6)); }, 64},
    {"v_lshrrev_b64 v[0:1], v2, v[4:5]", [](auto& t) { return t.ub(64) / power(t.ua(6)); }, 64},
    {"v_ashrrev_i64 v[0:1], v2, v[4:5]", [](auto& t) { return divided(t.sb(64), power(t.ua(6))); },
     64},
    {"v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]",
     [](auto& t) { return t.ua(64) * power(t.ub(3) > 4 ? 0 : t.ub(3)) + t.uc(64); }, 64},
    {"v_mad_u64_u32 v[0:1], s[8:9], v2, v4, v[6:7]",
     [](auto& t) { return t.ua() * t.ub() + t.uc(64); }, 64},
    {"v_mad_i64_i32 v[0:1], s[8:9], v2, v4, v[6:7]",
     [](auto& t) { return t.sa() * t.sb() + t.sc(64); }, 64},
    {"v_sat_pk_u8_i16 v0, v2",
     [](auto& t) {
         const auto limited = [](wide v) { return std::clamp<wide>(v, 0, 255); };
         return limited(t.sa(16)) + 256 * limited(t.s(16, t.a >> 16));
     },
     16},
};

wide limited_to(limits kind, wide value) {
    switch (kind) {
        case limits::none:
            return value;
        case limits::s32:
            return std::clamp(value, -power(31), power(31) - 1);
        case limits::u32:
            return std::clamp<wide>(value, 0, power(32) - 1);
        case limits::s16:
            return std::clamp(value, -power(15), power(15) - 1);
        case limits::u16:
            return std::clamp<wide>(value, 0, power(16) - 1);
    }
    return 0;
}

// What lies at the edges, and values that nobody chose.
uint64_t draw(std::mt19937_64& random) {
    constexpr uint64_t edges[] = {
        0,          1,          2,          3,          4,          5,          7,
        8,          12,         13,         15,         16,         31,         32,
        33,         63,         64,         0x7f,       0x80,       0xff,       0x100,
        0x7fff,     0x8000,     0x8001,     0xffff,     0x10000,    0x7fffff,   0x800000,
        0xffffff,   0x1000000,  0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
        0x80008000, 0x7fff7fff, 0x00ff00ff, 0x0c0d0b08, 0x7f80ff00};
    const auto edge = [&] { return edges[random() % std::size(edges)]; };
    switch (random() % 4) {
        case 0:
            return random();
        case 1:
            return edge() << 32 | edge();
        case 2:
            return ~edge();
        default:
            return edge();
    }
}

TEST(valu, laws_of_integers) {
    std::mt19937_64 random(1);
    for (const gfx_target target : both_targets) {
        machine m(target);
        for (const law& l : laws) {
            for (int round = 0; round < 12; ++round) {
                const bool clamp = round % 2 != 0;
                if (clamp && l.clamp == limits::none) {
                    continue;
                }
                triple operands[64];
                for (uint32_t n = 0; n < 64; ++n) {
                    operands[n] = {draw(random), draw(random), draw(random)};
                    const uint64_t values[] = {operands[n].a, operands[n].b, operands[n].c};
                    for (int r = 0; r < 3; ++r) {
                        m.v(2 + 2 * r)[n] = static_cast<uint32_t>(values[r]);
                        m.v(3 + 2 * r)[n] = static_cast<uint32_t>(values[r] >> 32);
                    }
                }
                m.fill(0, 0xabcd1234);
                m.run(std::string(l.instruction) + (clamp ? " clamp" : ""));
                for (uint32_t n = 0; n < 64; ++n) {
                    const wide exact = l.result(operands[n]);
                    const wide value = clamp ? limited_to(l.clamp, exact) : exact;
                    uint64_t expected = static_cast<uint64_t>(value);
                    if (l.bits < 64) {
                        expected &= (uint64_t{1} << l.bits) - 1;
                    }
                    expected |= l.keeps_high ? 0xabcd0000 : 0;
                    const uint64_t actual =
                        m.v(0)[n] | (l.bits == 64 ? uint64_t{m.v(1)[n]} << 32 : 0);
                    ASSERT_EQ(actual, expected)
                        << std::hex << l.instruction << (clamp ? " clamp" : "") << " of "
                        << operands[n].a << ", " << operands[n].b << ", " << operands[n].c;
                }
            }
        }
    }
}

TEST(valu, integers_of_gfx950) {
    check_cases(gfx_target::gfx950,
                {{"v_prng_b32 v0, v2", 0x80000001, 0, 0, 2 ^ 197},
                 {"v_bitop3_b32 v0, v2, v4, v6 bitop3:0xea", 0xf0, 0x3c, 0x1, (0xf0 & 0x3c) | 1},
                 {"v_bitop3_b32 v0, v2, v4, v6 bitop3:0x96", 0xf0, 0x3c, 0x5, 0xf0 ^ 0x3c ^ 5},
                 {"v_bitop3_b32 v0, v2, v4, v6 bitop3:0x1", 0xf0, 0x0f, 0xf00, ~0xfffu},
                 {"v_ashr_pk_i8_i32 v0, v2, v4, v6", 0x7fff, 0xffffff00, 2, 0xc07f},
                 {"v_ashr_pk_u8_i32 v0, v2, v4, v6", 0x7fff, 0xffffff00, 2, 0x00ff}});
}

// The result has bit {a, b, c} of the table; of 16 bits OP_SEL names the halves, and the other half of
// the destination stays.
TEST(valu, truth_tables_of_three) {
    std::mt19937_64 random(3);
    machine m(gfx_target::gfx950);
    for (const uint32_t table : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 0x96u, 0xcau, 0u, 255u}) {
        for (const int width : {16, 32}) {
            for (int r = 1; r < 4; ++r) {
                m.fill(r, [&](uint32_t) { return static_cast<uint32_t>(random()); });
            }
            m.fill(0, 0xabcd1234);
            const uint32_t halves = width == 16 ? random() % 16 : 0;
            const auto half = [&](int operand) { return halves >> operand & 1; };
            std::string text = "v_bitop3_b" + std::to_string(width) +
                               " v0, v1, v2, v3 bitop3:" + std::to_string(table);
            if (halves != 0) {
                text += " op_sel:[" + std::to_string(half(0)) + "," + std::to_string(half(1)) +
                        "," + std::to_string(half(2)) + "," + std::to_string(half(3)) + "]";
            }
            m.run(text);
            for (uint32_t l = 0; l < 64; ++l) {
                uint32_t result = 0;
                for (int bit = 0; bit < width; ++bit) {
                    const auto of = [&](int n) { return m.v(1 + n)[l] >> 16 * half(n) >> bit & 1; };
                    result |= (table >> (4 * of(0) + 2 * of(1) + of(2)) & 1) << bit;
                }
                const uint32_t expected = width == 32    ? result
                                          : half(3) != 0 ? result << 16 | 0x1234
                                                         : 0xabcd0000 | result;
                ASSERT_EQ(m.v(0)[l], expected) << text;
            }
        }
    }
}

// Two numbers shifted, limited to a byte and packed; the destination's other half stays.
TEST(valu, shifted_bytes) {
    std::mt19937_64 random(5);
    machine m(gfx_target::gfx950);
    for (const bool has_sign : {true, false}) {
        for (int round = 0; round < 8; ++round) {
            const auto number = [&](uint32_t) {
                constexpr uint32_t edges[] = {0,          127,        128,        0xffffff80,
                                              0xffffff7f, 255,        256,        0xffffffff,
                                              0x7fffffff, 0x80000000, 0xffffff00, 1};
                const auto edge = edges[random() % std::size(edges)];
                return random() % 4 == 0 ? static_cast<uint32_t>(random())
                                         : edge << random() % 3 | edge >> 31 << 31;
            };
            m.fill(1, number);
            m.fill(2, number);
            m.fill(3, [&](uint32_t) { return static_cast<uint32_t>(draw(random)) & ~28u; });
            m.fill(0, 0xabcd1234);
            m.run(has_sign ? "v_ashr_pk_i8_i32 v0, v1, v2, v3" : "v_ashr_pk_u8_i32 v0, v1, v2, v3");
            for (uint32_t l = 0; l < 64; ++l) {
                const triple t{m.v(1)[l], m.v(2)[l], m.v(3)[l]};
                const auto byte = [&](wide value) {
                    const wide shifted = divided(value, power(t.uc(5)));
                    const wide limited = has_sign ? std::clamp<wide>(shifted, -128, 127)
                                                  : std::clamp<wide>(shifted, 0, 255);
                    return static_cast<uint32_t>(limited) & 0xff;
                };
                ASSERT_EQ(m.v(0)[l], 0xabcd0000 | byte(t.sb()) << 8 | byte(t.sa()))
                    << std::hex << m.v(1)[l] << " " << m.v(2)[l] << " " << m.v(3)[l];
            }
        }
    }
}

// An exchange, and moves of accumulation registers, need no register behind theirs.
TEST(valu, moves_of_the_last_registers) {
    machine m(gfx_target::gfx942);
    m.fill(126, 6u);
    m.fill(127, 7u);
    m.run("v_swap_b32 v126, v127\n v_swap_b32 v127, v126\n v_swap_b32 v126, v127");
    EXPECT_EQ(m.v(126)[0], 7u);
    EXPECT_EQ(m.v(127)[63], 6u);
    m.run("v_accvgpr_write_b32 a127, v126\n v_accvgpr_mov_b32 a126, a127");
    m.run("v_accvgpr_mov_b32 a127, a126\n v_accvgpr_read_b32 v0, a127");
    EXPECT_EQ(m.v(0)[63], 7u);
    m.w().agpr.resize(127);
    EXPECT_REPORT(m.attempt("v_accvgpr_mov_b32 a0, a127"), "register a127 is not allocated");
    EXPECT_REPORT(m.attempt("v_accvgpr_mov_b32 a127, a0"), "register a127 is not allocated");
    m.w().vgpr.resize(127);
    EXPECT_REPORT(m.attempt("v_swap_b32 v126, v127"), "vector register v127 is not allocated");
    EXPECT_REPORT(m.attempt("v_swap_b32 v127, v126"), "vector register v127 is not allocated");
}

TEST(valu, gfx950_instructions_are_absent_on_gfx942) {
    machine m(gfx_target::gfx942);
    // The bytes of v_prng_b32 v0, v1.
    EXPECT_REPORT(m.attempt(".long 0x7e00b101"), "");
    const auto names = implemented_mnemonics(gfx_target::gfx942);
    EXPECT_FALSE(std::binary_search(names.begin(), names.end(), "v_prng_b32"));
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "v_mov_b32"));
}

TEST(valu, carries) {
    machine m(gfx_target::gfx942);
    m.fill(1, [](uint32_t l) { return 0xffffffffu - l; });
    m.fill(2, 2u);
    m.set_exec(0xff);
    m.set_s64(sreg::vcc, ~uint64_t{0});
    m.run("v_add_co_u32 v0, vcc, v1, v2");
    EXPECT_EQ(m.w().vcc(), 0x3u);  // lanes that are off get 0
    EXPECT_EQ(m.v(0)[0], 1u);
    EXPECT_EQ(m.v(0)[2], 0xffffffffu);
    m.run("v_addc_co_u32 v3, vcc, v1, v2, vcc");
    EXPECT_EQ(m.v(3)[0], 2u);
    EXPECT_EQ(m.v(3)[2], 0xffffffffu);
    EXPECT_EQ(m.w().vcc(), 0x3u);
    m.run(
        "v_sub_co_u32 v3, s[4:5], v2, v1\n v_subb_co_u32_e64 v4, s[6:7], v1, v2, s[4:5]\n"
        "v_subrev_co_u32 v5, vcc, v1, v2\n v_subbrev_co_u32 v6, vcc, v1, v2, vcc");
    EXPECT_EQ(m.v(3)[0], 3u);
    EXPECT_EQ(m.s64(4), 0xffu);
    EXPECT_EQ(m.v(4)[0], 0xfffffffcu);
    EXPECT_EQ(m.s64(6), 0u);
    EXPECT_EQ(m.v(5)[1], 4u);
    EXPECT_EQ(m.v(6)[1], 3u);
    // 65-bit result of v_mad_u64_u32
    m.fill(1, 0xffffffffu);
    m.fill(2, 0xffffffffu);
    m.fill(4, 0xffffffffu);
    m.fill(5, 0xffffffffu);
    m.run("v_mad_u64_u32 v[6:7], s[8:9], v1, v2, v[4:5]");
    EXPECT_EQ(m.s64(8), 0xffu);
    EXPECT_EQ(m.v(6)[0], 0u);
    EXPECT_EQ(m.v(7)[0], 0xfffffffeu);
}

// Sums and differences with carries in and out: bit 32 of the exact result, and CLAMP to 32 bits.
TEST(valu, carries_of_every_instruction) {
    constexpr uint64_t exec = 0xfffffffffffffff5;
    const struct {
        const char* instruction;
        bool has_carry_in;
        wide (*result)(wide a, wide b, wide carry);
    } rows[] = {
        {"v_add_co_u32", false, [](wide a, wide b, wide) { return a + b; }},
        {"v_sub_co_u32", false, [](wide a, wide b, wide) { return a - b; }},
        {"v_subrev_co_u32", false, [](wide a, wide b, wide) { return b - a; }},
        {"v_addc_co_u32", true, [](wide a, wide b, wide carry) { return a + b + carry; }},
        {"v_subb_co_u32", true, [](wide a, wide b, wide carry) { return a - b - carry; }},
        {"v_subbrev_co_u32", true, [](wide a, wide b, wide carry) { return b - a - carry; }},
    };
    std::mt19937_64 random(9);
    for (const gfx_target target : both_targets) {
        machine m(target);
        for (const auto& row : rows) {
            for (const bool clamp : {false, true}) {
                for (int r = 1; r < 3; ++r) {
                    m.fill(r, [&](uint32_t) { return static_cast<uint32_t>(draw(random)); });
                }
                m.fill(0, 7u);
                const uint64_t carries = random();
                m.set_s64(6, carries);
                m.set_s64(4, ~uint64_t{0});
                m.set_exec(exec);
                m.run(std::string(row.instruction) + "_e64 v0, s[4:5], v1, v2" +
                      (row.has_carry_in ? ", s[6:7]" : "") + (clamp ? " clamp" : ""));
                for (uint32_t l = 0; l < 64; ++l) {
                    const wide exact = row.result(m.v(1)[l], m.v(2)[l], carries >> l & 1);
                    const bool is_on = (exec >> l & 1) != 0;
                    const bool carry = exact < 0 || exact >= power(32);
                    const wide result = clamp ? limited_to(limits::u32, exact) : exact;
                    ASSERT_EQ(m.v(0)[l], is_on ? static_cast<uint32_t>(result) : 7u)
                        << row.instruction << (clamp ? " clamp" : "");
                    ASSERT_EQ(m.s64(4) >> l & 1, uint64_t{is_on && carry}) << row.instruction;
                }
            }
        }
    }
}

// CLAMP of integers: the result is the nearest that can be represented.
TEST(valu, saturation) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.fill(1, 0xffff8000u);
        m.fill(2, 0x00007fffu);
        m.fill(3, 0xfffffff0u);
        m.fill(4, 0x7fffff00u);
        m.fill(5, 0x80000010u);
        m.fill(6, 0x007fffffu);
        m.fill(7, 0x00ffffffu);
        m.run(
            "v_mul_lo_u16 v10, v1, v2 clamp\n v_mul_u32_u24 v11, v7, v7 clamp\n"
            "v_mul_i32_i24 v12, v6, v6 clamp\n v_mul_i32_i24 v13, v1, v6 clamp\n"
            "v_mad_u32_u16 v14, v2, v2, v3 clamp\n v_mad_i32_i16 v15, v2, v2, v4 clamp\n"
            "v_mad_i32_i16 v16, v1, v2, v5 clamp\n v_sad_u8 v17, v1, v2, v3 clamp\n"
            "v_sad_u16 v18, v1, v2, v3 clamp\n v_sad_u32 v19, v1, v2, v3 clamp\n"
            "v_sad_hi_u8 v20, v1, v2, v3 clamp\n v_msad_u8 v21, v1, v2, v3 clamp\n"
            "v_sad_u32 v22, v1, v1, v3 clamp\n v_med3_i16 v23, v1, v2, v2 clamp\n"
            "v_pk_min_i16 v24, v1, v2 clamp");
        const std::array<uint32_t, 15> expected = {0xffff,     0xffffffff, 0x7fffffff, 0x80000000,
                                                   0xffffffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                                   0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                                   0xfffffff0, 0x7fff,     0xffff8000};
        for (size_t n = 0; n < expected.size(); ++n) {
            EXPECT_EQ(m.v(10 + static_cast<int>(n))[9], expected[n]) << 10 + n;
        }
    }
}

// The scalar result is bit 64 of the exact sum of product and addend.
TEST(valu, bit_64_of_multiply_add) {
    std::mt19937_64 random(1);
    for (const gfx_target target : both_targets) {
        machine m(target);
        std::array<std::array<uint64_t, 3>, 64> in;
        for (uint32_t l = 0; l < 64; ++l) {
            const auto edge = [&] { return (random() & 3) == 0 ? ~uint64_t{0} << 31 : random(); };
            in[l] = {static_cast<uint32_t>(edge()), static_cast<uint32_t>(edge()), edge()};
            m.v(1)[l] = static_cast<uint32_t>(in[l][0]);
            m.v(2)[l] = static_cast<uint32_t>(in[l][1]);
            m.v(4)[l] = static_cast<uint32_t>(in[l][2]);
            m.v(5)[l] = static_cast<uint32_t>(in[l][2] >> 32);
        }
        m.run(
            "v_mad_u64_u32 v[6:7], s[8:9], v1, v2, v[4:5]\n"
            "v_mad_i64_i32 v[10:11], s[10:11], v1, v2, v[4:5]");
        for (uint32_t l = 0; l < 64; ++l) {
            using u128 = unsigned __int128;
            const u128 sum = static_cast<u128>(in[l][0]) * in[l][1] + in[l][2];
            const auto narrow = [](uint64_t v) { return __int128{static_cast<int32_t>(v)}; };
            const u128 signed_sum = static_cast<u128>(narrow(in[l][0]) * narrow(in[l][1]) +
                                                      static_cast<int64_t>(in[l][2]));
            EXPECT_EQ(m.s64(8) >> l & 1, static_cast<uint64_t>(sum >> 64) & 1) << l;
            EXPECT_EQ(m.s64(10) >> l & 1, static_cast<uint64_t>(signed_sum >> 64) & 1) << l;
            EXPECT_EQ(m.v(10)[l], static_cast<uint32_t>(signed_sum)) << l;
            EXPECT_EQ(m.v(11)[l], static_cast<uint32_t>(signed_sum >> 32)) << l;
        }
    }
}

// A literal of a 64-bit operand is sign-extended for signed integers (ISA guide 6.2.1.1).
TEST(valu, literals_of_signed_64_bit_operands) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.s(4) = 8 << 16 | 60;
        m.fill(1, 4u);
        m.run(
            "s_bfe_i64 s[0:1], 0xf0000000, s4\n s_bfe_u64 s[2:3], 0xf0000000, s4\n"
            "s_ashr_i64 s[6:7], 0xf0000000, 4\n s_lshr_b64 s[8:9], 0xf0000000, 4\n"
            "s_flbit_i32_i64 s10, 0xf0000000\n s_mov_b64 s[12:13], 0xf0000000");
        EXPECT_EQ(m.s64(0), ~uint64_t{0});
        EXPECT_EQ(m.s64(2), 0u);
        EXPECT_EQ(m.s64(6), 0xffffffffff000000u);
        EXPECT_EQ(m.s64(8), 0x0f000000u);
        EXPECT_EQ(m.s(10), 36u);
        EXPECT_EQ(m.s64(12), 0xf0000000u);
    }
}

TEST(valu, masks) {
    machine m(gfx_target::gfx942);
    m.fill(1, [](uint32_t l) { return l; });
    m.fill(2, [](uint32_t l) { return 100 + l; });
    m.set_s64(10, 0xf0f0f0f00f0f0f0f);
    m.run(
        "v_cndmask_b32 v0, v1, v2, s[10:11]\n s_mov_b64 vcc, s[10:11]\n v_cndmask_b32 v3, 7, v2, "
        "vcc\n"
        "v_mbcnt_lo_u32_b32 v4, s10, 5\n v_mbcnt_hi_u32_b32 v4, s11, v4\n"
        "v_cndmask_b32 v5, -v1, |v2|, s[10:11]");
    uint32_t count = 5;
    for (uint32_t l = 0; l < 64; ++l) {
        const bool on = (0xf0f0f0f00f0f0f0full >> l & 1) != 0;
        EXPECT_EQ(m.v(0)[l], on ? 100 + l : l);
        EXPECT_EQ(m.v(3)[l], on ? 100 + l : 7);
        EXPECT_EQ(m.v(4)[l], count);
        EXPECT_EQ(m.v(5)[l], on ? 100 + l : l | 0x80000000u);
        count += on;
    }
}

TEST(valu, lanes) {
    machine m(gfx_target::gfx950);
    m.fill(1, [](uint32_t l) { return 1000 + l; });
    m.s(3) = 70;  // modulo 64
    m.run(
        "v_readlane_b32 s0, v1, s3\n v_readlane_b32 s1, v1, 63\n v_readfirstlane_b32 s2, v1\n"
        "s_mov_b32 s4, 55\n v_writelane_b32 v1, s4, 9");
    EXPECT_EQ(m.s(0), 1006u);
    EXPECT_EQ(m.s(1), 1063u);
    EXPECT_EQ(m.s(2), 1000u);
    EXPECT_EQ(m.v(1)[9], 55u);
    EXPECT_EQ(m.v(1)[8], 1008u);
    m.set_exec(0xff00);
    m.run("v_readfirstlane_b32 s2, v1");
    EXPECT_EQ(m.s(2), 1008u);
    m.set_exec(0);
    m.run("v_readfirstlane_b32 s2, v1\n v_writelane_b32 v1, 3, 2");
    EXPECT_EQ(m.s(2), 1000u);
    EXPECT_EQ(m.v(1)[2], 3u);
    m.set_exec(1);
    m.fill(5, 5u);
    m.fill(6, 6u);
    m.run("v_swap_b32 v5, v6");
    EXPECT_EQ(m.v(5)[0], 6u);
    EXPECT_EQ(m.v(6)[0], 5u);
    EXPECT_EQ(m.v(5)[1], 5u);
    m.set_exec(~uint64_t{0});
    for (const auto& [distance, form] :
         {std::pair{16u, ""}, {32u, ""}, {16u, "_e64"}, {32u, "_e64"}}) {
        m.fill(5, [](uint32_t l) { return l; });
        m.fill(6, [](uint32_t l) { return 100 + l; });
        // What clang 22 makes has this modifier, which counts for lanes that are off.
        m.run("v_permlane" + std::to_string(distance) + "_swap_b32" + form + " v5, v6" +
              (*form == 0 ? "" : " bound_ctrl:1"));
        for (uint32_t l = 0; l < 64; ++l) {
            EXPECT_EQ(m.v(5)[l], (l & distance) != 0 ? 100 + l - distance : l);
            EXPECT_EQ(m.v(6)[l], (l & distance) == 0 ? l + distance : 100 + l);
        }
    }
    // Pairs that are off stay.
    m.set_exec(0x0003000300030003);
    m.fill(5, [](uint32_t l) { return l; });
    m.fill(6, [](uint32_t l) { return 100 + l; });
    m.run("v_permlane32_swap_b32 v5, v6");
    for (uint32_t l = 0; l < 64; ++l) {
        const bool on = l % 16 < 2;
        EXPECT_EQ(m.v(5)[l], on && l >= 32 ? 100 + l - 32 : l);
        EXPECT_EQ(m.v(6)[l], on && l < 32 ? l + 32 : 100 + l);
    }
}

TEST(valu, swaps_with_one_lane_of_two_off_fail) {
    for (const char* distance : {"16", "32"}) {
        machine m(gfx_target::gfx950);
        m.set_exec(~uint64_t{0} >> 1);
        EXPECT_REPORT(m.attempt(std::string("v_permlane") + distance + "_swap_b32 v5, v6"),
                      "where one of two lanes is off");
    }
}

TEST(valu, register_indexing) {
    machine m(gfx_target::gfx942);
    for (int r = 0; r < 20; ++r) {
        m.fill(r, 100u + static_cast<uint32_t>(r));
    }
    m.s(0) = 5;
    m.run(
        "s_set_gpr_idx_on s0, gpr_idx(SRC0)\n v_mov_b32 v0, v2\n s_set_gpr_idx_mode gpr_idx(DST)\n"
        "v_mov_b32 v10, v3\n s_set_gpr_idx_off\n v_mov_b32 v1, v2");
    EXPECT_EQ(m.v(0)[0], 107u);
    EXPECT_EQ(m.v(15)[0], 103u);
    EXPECT_EQ(m.v(10)[0], 110u);
    EXPECT_EQ(m.v(1)[0], 102u);
}

TEST(valu, registers_beyond_the_allocation_fail) {
    machine m(gfx_target::gfx942);
    EXPECT_REPORT(m.attempt("v_mov_b32 v0, v200"), "vector register v200 is not allocated");
    EXPECT_REPORT(m.attempt("v_lshlrev_b64 v[0:1], v2, v[128:129]"), "v128");
}

}  // namespace
}  // namespace emu
