#include <algorithm>
#include <chrono>
#include <string>

#include "machine.hpp"

namespace emu {
namespace {

struct scalar_case {
    const char* instruction;  // reads s[2:3], s[4:5]; writes s[0:1]
    uint64_t a;
    uint64_t b;
    bool scc_in;
    uint64_t result;
    bool scc;
    int bits;  // of the result
};

// Expected values from the pseudocode of ISA guide 12.1 to 12.4, many being its own examples.
constexpr scalar_case scalar_cases[] = {
    {"s_add_u32 s0, s2, s4", 0xffffffff, 1, false, 0, true, 32},
    {"s_add_u32 s0, s2, s4", 0x7fffffff, 1, true, 0x80000000, false, 32},
    {"s_addc_u32 s0, s2, s4", 0xfffffffe, 1, true, 0, true, 32},
    {"s_addc_u32 s0, s2, s4", 0xfffffffe, 1, false, 0xffffffff, false, 32},
    {"s_sub_u32 s0, s2, s4", 1, 2, false, 0xffffffff, true, 32},
    {"s_sub_u32 s0, s2, s4", 2, 2, true, 0, false, 32},
    {"s_subb_u32 s0, s2, s4", 2, 2, true, 0xffffffff, true, 32},
    {"s_subb_u32 s0, s2, s4", 2, 2, false, 0, false, 32},
    {"s_subb_u32 s0, s2, s4", 0, 0xffffffff, true, 0, true, 32},
    {"s_subb_u32 s0, s2, s4", 3, 2, true, 0, false, 32},
    {"s_add_i32 s0, s2, s4", 0x7fffffff, 1, false, 0x80000000, true, 32},
    {"s_add_i32 s0, s2, s4", 0xffffffff, 1, true, 0, false, 32},
    {"s_sub_i32 s0, s2, s4", 0x80000000, 1, false, 0x7fffffff, true, 32},
    {"s_min_i32 s0, s2, s4", 0xffffffff, 1, false, 0xffffffff, true, 32},
    {"s_min_i32 s0, s2, s4", 5, 5, true, 5, false, 32},
    {"s_max_i32 s0, s2, s4", 5, 5, false, 5, true, 32},
    {"s_min_u32 s0, s2, s4", 0xffffffff, 1, true, 1, false, 32},
    {"s_max_u32 s0, s2, s4", 0xffffffff, 1, false, 0xffffffff, true, 32},
    {"s_cselect_b32 s0, s2, s4", 1, 2, true, 1, true, 32},
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]", 1, 1ull << 40, false, 1ull << 40, false, 64},
    {"s_and_b32 s0, s2, s4", 0xf0, 0x0f, true, 0, false, 32},
    {"s_and_b64 s[0:1], s[2:3], s[4:5]", 3ull << 60, 1ull << 60, false, 1ull << 60, true, 64},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]", 0, 0, true, 0, false, 64},
    {"s_xor_b32 s0, s2, s4", 5, 5, true, 0, false, 32},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", ~0ull, 0xff, false, ~0xffull, true, 64},
    {"s_orn2_b32 s0, s2, s4", 0, 0xffffffff, true, 0, false, 32},
    {"s_nand_b32 s0, s2, s4", 0xffffffff, 0xffffffff, true, 0, false, 32},
    {"s_nor_b32 s0, s2, s4", 0, 0, false, 0xffffffff, true, 32},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", 0, ~0ull, true, 0, false, 64},
    {"s_lshl_b32 s0, s2, s4", 1, 33, false, 2, true, 32},
    {"s_lshl_b64 s[0:1], s[2:3], s4", 1, 65, false, 2, true, 64},
    {"s_lshr_b32 s0, s2, s4", 0x80000000, 63, false, 1, true, 32},
    {"s_lshr_b64 s[0:1], s[2:3], s4", 1ull << 63, 63, false, 1, true, 64},
    {"s_ashr_i32 s0, s2, s4", 0x80000000, 31, false, 0xffffffff, true, 32},
    {"s_ashr_i64 s[0:1], s[2:3], s4", 1ull << 63, 62, false, ~1ull, true, 64},
    {"s_bfm_b32 s0, s2, s4", 4, 8, true, 0xf00, true, 32},
    {"s_bfm_b64 s[0:1], s2, s4", 33, 1, false, 0x3fffffffe, false, 64},
    {"s_mul_i32 s0, s2, s4", 0xffffffff, 7, true, 0xfffffff9, true, 32},
    {"s_mul_hi_u32 s0, s2, s4", 0xffffffff, 0xffffffff, false, 0xfffffffe, false, 32},
    {"s_mul_hi_i32 s0, s2, s4", 0xffffffff, 7, false, 0xffffffff, false, 32},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 8 | 8 << 16, false, 0x12, true, 32},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 0, true, 0, false, 32},
    {"s_bfe_i32 s0, s2, s4", 0xabcd1234, 24 | 8 << 16, false, 0xffffffab, true, 32},
    {"s_bfe_u64 s[0:1], s[2:3], s4", 0xabcd123400000000, 32 | 64 << 16, false, 0xabcd1234, true,
     64},
    {"s_bfe_i64 s[0:1], s[2:3], s4", 0x8000, 12 | 4 << 16, false, 0xfffffffffffffff8, true, 64},
    {"s_absdiff_i32 s0, s2, s4", 2, 5, false, 3, true, 32},
    {"s_absdiff_i32 s0, s2, s4", 0x80000000, 0, false, 0x80000000, true, 32},
    {"s_absdiff_i32 s0, s2, s4", 0x80000000, 0xfffffffe, false, 0x7ffffffe, true, 32},
    {"s_lshl1_add_u32 s0, s2, s4", 0x80000000, 1, false, 1, true, 32},
    {"s_lshl4_add_u32 s0, s2, s4", 2, 1, true, 33, false, 32},
    {"s_pack_ll_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, true, 0x44442222, true, 32},
    {"s_pack_lh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, true, 0x33332222, true, 32},
    {"s_pack_hh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, true, 0x33331111, true, 32},
    {"s_not_b32 s0, s2", 0xffffffff, 0, true, 0, false, 32},
    {"s_wqm_b32 s0, s2", 0x00010800, 0, false, 0x000f0f00, true, 32},
    {"s_brev_b32 s0, s2", 0x00000001, 0, true, 0x80000000, true, 32},
    {"s_brev_b64 s[0:1], s[2:3]", 2, 0, false, 1ull << 62, false, 64},
    {"s_bcnt0_i32_b32 s0, s2", 0xcccccccc, 0, false, 16, true, 32},
    {"s_bcnt1_i32_b64 s0, s[2:3]", ~0ull, 0, false, 64, true, 32},
    {"s_ff0_i32_b32 s0, s2", 0xfffeffff, 0, false, 16, false, 32},
    {"s_ff0_i32_b32 s0, s2", 0xffffffff, 0, false, 0xffffffff, false, 32},
    {"s_ff1_i32_b32 s0, s2", 0x00010000, 0, false, 16, false, 32},
    {"s_ff1_i32_b64 s0, s[2:3]", 0, 0, true, 0xffffffff, true, 32},
    {"s_flbit_i32_b32 s0, s2", 0x0000cccc, 0, false, 16, false, 32},
    {"s_flbit_i32_b32 s0, s2", 0, 0, false, 0xffffffff, false, 32},
    {"s_flbit_i32 s0, s2", 0xffff3333, 0, false, 16, false, 32},
    {"s_flbit_i32 s0, s2", 0x80000000, 0, false, 1, false, 32},
    {"s_flbit_i32 s0, s2", 0xffffffff, 0, false, 0xffffffff, false, 32},
    {"s_flbit_i32_i64 s0, s[2:3]", 1, 0, false, 63, false, 32},
    {"s_sext_i32_i8 s0, s2", 0x80, 0, false, 0xffffff80, false, 32},
    {"s_sext_i32_i16 s0, s2", 0x18000, 0, false, 0xffff8000, false, 32},
    {"s_abs_i32 s0, s2", 0x80000000, 0, false, 0x80000000, true, 32},
    {"s_abs_i32 s0, s2", 0xffffffff, 0, false, 1, true, 32},
    {"s_quadmask_b32 s0, s2", 0x10000f02, 0, false, 0x85, true, 32},
    {"s_bitreplicate_b64_b32 s[0:1], s2", 0x80000005, 0, false, 0xc000000000000033, false, 64},
    {"s_mov_b64 s[0:1], 1.0", 0, 0, false, 0x3ff0000000000000, false, 64},
    {"s_mov_b32 s0, 0.15915494", 0, 0, false, 0x3e22f983, false, 32},
    {"s_mov_b64 s[0:1], -16", 0, 0, false, ~15ull, false, 64},
    {"s_movk_i32 s0, 0x8000", 0, 0, false, 0xffff8000, false, 32},
    {"s_mov_b32 s0, s2\ns_addk_i32 s0, 0x7fff", 0x7fffffff, 0, false, 0x80007ffe, true, 32},
    {"s_mov_b32 s0, s2\ns_mulk_i32 s0, -3", 5, 0, false, 0xfffffff1, false, 32},
    {"s_mov_b32 s0, s2\ns_bitset1_b32 s0, s4", 0, 35, false, 8, false, 32},
    {"s_mov_b64 s[0:1], s[2:3]\ns_bitset0_b64 s[0:1], s4", ~0ull, 40, false, ~(1ull << 40), false,
     64},
    {"s_mov_b32 s0, 7\ns_cmov_b32 s0, s2", 1, 0, false, 7, false, 32},
    {"s_mov_b32 s0, 7\ns_cmov_b32 s0, s2", 1, 0, true, 1, true, 32},
};

TEST(salu, values) {
    for (const gfx_target target : both_targets) {
        for (const scalar_case& c : scalar_cases) {
            machine m(target);
            m.set_s64(2, c.a);
            m.set_s64(4, c.b);
            m.w().scc = c.scc_in;
            m.run(c.instruction);
            const uint64_t result = c.bits == 64 ? m.s64(0) : m.s(0);
            EXPECT_EQ(result, c.result) << c.instruction << std::hex << " " << c.a << " " << c.b;
            EXPECT_EQ(m.w().scc, c.scc) << c.instruction << std::hex << " " << c.a << " " << c.b;
        }
    }
}

struct compare_case {
    const char* instruction;
    uint64_t a;
    uint64_t b;
    bool scc;
};

constexpr compare_case compare_cases[] = {
    {"s_cmp_eq_i32 s2, s4", 1, 1, true},
    {"s_cmp_lt_i32 s2, s4", 0xffffffff, 0, true},
    {"s_cmp_lt_u32 s2, s4", 0xffffffff, 0, false},
    {"s_cmp_ge_u32 s2, s4", 0xffffffff, 0, true},
    {"s_cmp_le_i32 s2, s4", 3, 3, true},
    {"s_cmp_gt_i32 s2, s4", 3, 3, false},
    {"s_cmp_lg_u64 s[2:3], s[4:5]", 1ull << 32, 0, true},
    {"s_cmp_eq_u64 s[2:3], s[4:5]", 1ull << 32, 0, false},
    {"s_bitcmp1_b32 s2, s4", 0x10, 36, true},
    {"s_bitcmp0_b64 s[2:3], s4", 1ull << 40, 40, false},
    {"s_cmpk_eq_u32 s2, 0xffff", 0xffff, 0, true},
    {"s_cmpk_eq_i32 s2, 0xffff", 0xffff, 0, false},
    {"s_cmpk_lt_i32 s2, 0xffff", 0xfffffffe, 0, true},
};

// ---- laws: each operation on many pairs, by its mathematical definition (ISA guide 12.1 to 12.4)

__extension__ using wide = __int128;

wide power(wide exponent) {
    return wide{1} << static_cast<int>(exponent);
}
wide divided(wide a, wide by) {  // rounded down
    return a / by - (a % by < 0 ? 1 : 0);
}
wide as_signed(int bits, wide value) {
    const wide low = value & (power(bits) - 1);
    return low >= power(bits - 1) ? low - power(bits) : low;
}
bool fits(int bits, wide value) {
    return value >= -power(bits - 1) && value < power(bits - 1);
}

struct pair {
    uint64_t a, b;
    bool scc;
    wide ua(int bits = 32) const { return static_cast<wide>(a) & (power(bits) - 1); }
    wide ub(int bits = 32) const { return static_cast<wide>(b) & (power(bits) - 1); }
    wide sa(int bits = 32) const { return as_signed(bits, static_cast<wide>(a)); }
    wide sb(int bits = 32) const { return as_signed(bits, static_cast<wide>(b)); }
};

struct answer {
    wide value;
    int scc = -1;  // 0 or 1; -1: whether the result is not zero; -2: as before
};
constexpr int kept = -2;

// Where the ones of a value begin, counted from the side of bit 0 or of the highest one.
wide first_one(wide value, int bits, bool from_low) {
    for (int n = 0; n < bits; ++n) {
        if (value / power(from_low ? n : bits - 1 - n) % 2 != 0) {
            return n;
        }
    }
    return -1;
}
// Bits below the highest that are the sign's.
wide sign_bits(wide value, int bits) {
    return first_one(value < 0 ? -value - 1 : value, bits, false);
}
wide ones(wide value) {
    wide count = 0;
    for (; value != 0; value /= 2) {
        count += value % 2;
    }
    return count;
}
wide reversed(wide value, int bits) {
    wide sum = 0;
    for (int n = 0; n < bits; ++n) {
        sum += value / power(n) % 2 * power(bits - 1 - n);
    }
    return sum;
}
// For each four bits with a one among them `ones`, at the place of the first divided by `by`.
wide of_quads(wide value, wide ones, int by) {
    wide sum = 0;
    for (int n = 0; n < 64; n += 4) {
        sum += value / power(n) % 16 != 0 ? ones * power(n / by) : 0;
    }
    return sum;
}
// Offset and width in the low and high half of b.
wide extracted(const pair& p, int bits, bool with_sign) {
    const wide width = p.ub() / power(16) % 128;
    const wide from = p.ub() % bits;
    const wide part = divided(with_sign ? p.sa(bits) : p.ua(bits), power(from));
    if (width == 0) {
        return 0;
    }
    const int kept_bits = static_cast<int>(std::min<wide>(width, bits));
    return with_sign ? as_signed(kept_bits, part) : part % power(kept_bits);
}

struct law {
    const char* instruction;  // of s[2:3], s[4:5]; writes s[0:1]
    answer (*result)(const pair& p);
    int bits = 32;
};

constexpr law laws[] = {
    {"s_add_u32 s0, s2, s4",
     [](auto& p) { return answer{p.ua() + p.ub(), p.ua() + p.ub() >= power(32)}; }},
    {"s_addc_u32 s0, s2, s4",
     [](auto& p) { return answer{p.ua() + p.ub() + p.scc, p.ua() + p.ub() + p.scc >= power(32)}; }},
    {"s_sub_u32 s0, s2, s4", [](auto& p) { return answer{p.ua() - p.ub(), p.ua() < p.ub()}; }},
    {"s_subb_u32 s0, s2, s4",
     [](auto& p) { return answer{p.ua() - p.ub() - p.scc, p.ua() < p.ub() + p.scc}; }},
    {"s_add_i32 s0, s2, s4",
     [](auto& p) { return answer{p.sa() + p.sb(), !fits(32, p.sa() + p.sb())}; }},
    {"s_sub_i32 s0, s2, s4",
     [](auto& p) { return answer{p.sa() - p.sb(), !fits(32, p.sa() - p.sb())}; }},
    {"s_min_i32 s0, s2, s4",
     [](auto& p) { return answer{std::min(p.sa(), p.sb()), p.sa() < p.sb()}; }},
    {"s_min_u32 s0, s2, s4",
     [](auto& p) { return answer{std::min(p.ua(), p.ub()), p.ua() < p.ub()}; }},
    {"s_max_i32 s0, s2, s4",
     [](auto& p) { return answer{std::max(p.sa(), p.sb()), p.sa() >= p.sb()}; }},
    {"s_max_u32 s0, s2, s4",
     [](auto& p) { return answer{std::max(p.ua(), p.ub()), p.ua() >= p.ub()}; }},
    {"s_lshl1_add_u32 s0, s2, s4",
     [](auto& p) { return answer{2 * p.ua() + p.ub(), 2 * p.ua() + p.ub() >= power(32)}; }},
    {"s_lshl2_add_u32 s0, s2, s4",
     [](auto& p) { return answer{4 * p.ua() + p.ub(), 4 * p.ua() + p.ub() >= power(32)}; }},
    {"s_lshl3_add_u32 s0, s2, s4",
     [](auto& p) { return answer{8 * p.ua() + p.ub(), 8 * p.ua() + p.ub() >= power(32)}; }},
    {"s_lshl4_add_u32 s0, s2, s4",
     [](auto& p) { return answer{16 * p.ua() + p.ub(), 16 * p.ua() + p.ub() >= power(32)}; }},
    {"s_cselect_b32 s0, s2, s4", [](auto& p) { return answer{p.scc ? p.ua() : p.ub(), kept}; }},
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{p.scc ? p.ua(64) : p.ub(64), kept}; }, 64},
    {"s_cmov_b32 s0, s2", [](auto& p) { return answer{p.scc ? p.ua() : 0x1111, kept}; }},
    {"s_cmov_b64 s[0:1], s[2:3]",
     [](auto& p) { return answer{p.scc ? p.ua(64) : 0x222200001111, kept}; }, 64},
    {"s_cmovk_i32 s0, 0x8001", [](auto& p) { return answer{p.scc ? -32767 : 0x1111, kept}; }},
    {"s_movk_i32 s0, 0x8001", [](auto&) { return answer{-32767, kept}; }},
    {"s_mulk_i32 s0, 0x8001", [](auto&) { return answer{wide{0x1111} * -32767, kept}; }},
    {"s_addk_i32 s0, 0x8001", [](auto&) { return answer{0x1111 - 32767, 0}; }},
    {"s_and_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() & p.ub()}; }},
    {"s_or_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() | p.ub()}; }},
    {"s_xor_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() ^ p.ub()}; }},
    {"s_andn2_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() - (p.ua() & p.ub())}; }},
    {"s_orn2_b32 s0, s2, s4",
     [](auto& p) { return answer{power(32) - 1 - (p.ub() - (p.ua() & p.ub()))}; }},
    {"s_nand_b32 s0, s2, s4", [](auto& p) { return answer{power(32) - 1 - (p.ua() & p.ub())}; }},
    {"s_nor_b32 s0, s2, s4", [](auto& p) { return answer{power(32) - 1 - (p.ua() | p.ub())}; }},
    {"s_xnor_b32 s0, s2, s4", [](auto& p) { return answer{power(32) - 1 - (p.ua() ^ p.ub())}; }},
    {"s_and_b64 s[0:1], s[2:3], s[4:5]", [](auto& p) { return answer{p.ua(64) & p.ub(64)}; }, 64},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]", [](auto& p) { return answer{p.ua(64) | p.ub(64)}; }, 64},
    {"s_xor_b64 s[0:1], s[2:3], s[4:5]", [](auto& p) { return answer{p.ua(64) ^ p.ub(64)}; }, 64},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{p.ua(64) - (p.ua(64) & p.ub(64))}; }, 64},
    {"s_orn2_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{power(64) - 1 - (p.ub(64) - (p.ua(64) & p.ub(64)))}; }, 64},
    {"s_nand_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{power(64) - 1 - (p.ua(64) & p.ub(64))}; }, 64},
    {"s_nor_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{power(64) - 1 - (p.ua(64) | p.ub(64))}; }, 64},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]",
     [](auto& p) { return answer{power(64) - 1 - (p.ua(64) ^ p.ub(64))}; }, 64},
    {"s_lshl_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() * power(p.ub(5)) % power(32)}; }},
    {"s_lshl_b64 s[0:1], s[2:3], s4",
     [](auto& p) { return answer{(p.ua(64) << static_cast<int>(p.ub(6))) & (power(64) - 1)}; }, 64},
    {"s_lshr_b32 s0, s2, s4", [](auto& p) { return answer{p.ua() / power(p.ub(5))}; }},
    {"s_lshr_b64 s[0:1], s[2:3], s4", [](auto& p) { return answer{p.ua(64) / power(p.ub(6))}; },
     64},
    {"s_ashr_i32 s0, s2, s4", [](auto& p) { return answer{divided(p.sa(), power(p.ub(5)))}; }},
    {"s_ashr_i64 s[0:1], s[2:3], s4",
     [](auto& p) { return answer{divided(p.sa(64), power(p.ub(6)))}; }, 64},
    {"s_bfm_b32 s0, s2, s4",
     [](auto& p) { return answer{(power(p.ua(5)) - 1) * power(p.ub(5)), kept}; }},
    {"s_bfm_b64 s[0:1], s2, s4",
     [](auto& p) { return answer{(power(p.ua(6)) - 1) << static_cast<int>(p.ub(6)), kept}; }, 64},
    {"s_mul_i32 s0, s2, s4", [](auto& p) { return answer{p.ua() * p.ub(), kept}; }},
    {"s_mul_hi_u32 s0, s2, s4", [](auto& p) { return answer{p.ua() * p.ub() / power(32), kept}; }},
    {"s_mul_hi_i32 s0, s2, s4",
     [](auto& p) { return answer{divided(p.sa() * p.sb(), power(32)), kept}; }},
    {"s_bfe_u32 s0, s2, s4", [](auto& p) { return answer{extracted(p, 32, false)}; }},
    {"s_bfe_i32 s0, s2, s4", [](auto& p) { return answer{extracted(p, 32, true)}; }},
    {"s_bfe_u64 s[0:1], s[2:3], s4", [](auto& p) { return answer{extracted(p, 64, false)}; }, 64},
    {"s_bfe_i64 s[0:1], s[2:3], s4", [](auto& p) { return answer{extracted(p, 64, true)}; }, 64},
    {"s_absdiff_i32 s0, s2, s4",
     [](auto& p) {
         const wide difference = as_signed(32, p.sa() - p.sb());
         return answer{difference < 0 ? -difference : difference};
     }},
    {"s_pack_ll_b32_b16 s0, s2, s4",
     [](auto& p) { return answer{p.ua(16) + p.ub(16) * 65536, kept}; }},
    {"s_pack_lh_b32_b16 s0, s2, s4",
     [](auto& p) { return answer{p.ua(16) + p.ub() / 65536 * 65536, kept}; }},
    {"s_pack_hh_b32_b16 s0, s2, s4",
     [](auto& p) { return answer{p.ua() / 65536 + p.ub() / 65536 * 65536, kept}; }},
    {"s_mov_b32 s0, s2", [](auto& p) { return answer{p.ua(), kept}; }},
    {"s_mov_b64 s[0:1], s[2:3]", [](auto& p) { return answer{p.ua(64), kept}; }, 64},
    {"s_bitset0_b32 s0, s4",
     [](auto& p) { return answer{0x1111 - (0x1111 & power(p.ub(5))), kept}; }},
    {"s_bitset1_b32 s0, s4", [](auto& p) { return answer{0x1111 | power(p.ub(5)), kept}; }},
    {"s_bitset0_b64 s[0:1], s4",
     [](auto& p) { return answer{0x222200001111 - (0x222200001111 & power(p.ub(6))), kept}; }, 64},
    {"s_bitset1_b64 s[0:1], s4",
     [](auto& p) { return answer{0x222200001111 | power(p.ub(6)), kept}; }, 64},
    {"s_not_b32 s0, s2", [](auto& p) { return answer{power(32) - 1 - p.ua()}; }},
    {"s_not_b64 s[0:1], s[2:3]", [](auto& p) { return answer{power(64) - 1 - p.ua(64)}; }, 64},
    {"s_abs_i32 s0, s2", [](auto& p) { return answer{p.sa() < 0 ? -p.sa() : p.sa()}; }},
    {"s_bcnt0_i32_b32 s0, s2", [](auto& p) { return answer{32 - ones(p.ua())}; }},
    {"s_bcnt1_i32_b32 s0, s2", [](auto& p) { return answer{ones(p.ua())}; }},
    {"s_bcnt0_i32_b64 s0, s[2:3]", [](auto& p) { return answer{64 - ones(p.ua(64))}; }},
    {"s_bcnt1_i32_b64 s0, s[2:3]", [](auto& p) { return answer{ones(p.ua(64))}; }},
    {"s_ff0_i32_b32 s0, s2",
     [](auto& p) { return answer{first_one(power(32) - 1 - p.ua(), 32, true), kept}; }},
    {"s_ff1_i32_b32 s0, s2", [](auto& p) { return answer{first_one(p.ua(), 32, true), kept}; }},
    {"s_ff0_i32_b64 s0, s[2:3]",
     [](auto& p) { return answer{first_one(power(64) - 1 - p.ua(64), 64, true), kept}; }},
    {"s_ff1_i32_b64 s0, s[2:3]",
     [](auto& p) { return answer{first_one(p.ua(64), 64, true), kept}; }},
    {"s_flbit_i32_b32 s0, s2", [](auto& p) { return answer{first_one(p.ua(), 32, false), kept}; }},
    {"s_flbit_i32_b64 s0, s[2:3]",
     [](auto& p) { return answer{first_one(p.ua(64), 64, false), kept}; }},
    {"s_flbit_i32 s0, s2", [](auto& p) { return answer{sign_bits(p.sa(), 32), kept}; }},
    {"s_flbit_i32_i64 s0, s[2:3]", [](auto& p) { return answer{sign_bits(p.sa(64), 64), kept}; }},
    {"s_bitreplicate_b64_b32 s[0:1], s2",
     [](auto& p) {
         wide sum = 0;
         for (int n = 0; n < 32; ++n) {
             sum += p.ua() / power(n) % 2 * 3 * power(2 * n);
         }
         return answer{sum, kept};
     },
     64},
    {"s_brev_b32 s0, s2", [](auto& p) { return answer{reversed(p.ua(), 32), kept}; }},
    {"s_brev_b64 s[0:1], s[2:3]", [](auto& p) { return answer{reversed(p.ua(64), 64), kept}; }, 64},
    {"s_wqm_b32 s0, s2", [](auto& p) { return answer{of_quads(p.ua(), 15, 1)}; }},
    {"s_wqm_b64 s[0:1], s[2:3]", [](auto& p) { return answer{of_quads(p.ua(64), 15, 1)}; }, 64},
    {"s_quadmask_b32 s0, s2", [](auto& p) { return answer{of_quads(p.ua(), 1, 4)}; }},
    {"s_quadmask_b64 s[0:1], s[2:3]", [](auto& p) { return answer{of_quads(p.ua(64), 1, 4)}; }, 64},
    {"s_sext_i32_i8 s0, s2", [](auto& p) { return answer{p.sa(8), kept}; }},
    {"s_sext_i32_i16 s0, s2", [](auto& p) { return answer{p.sa(16), kept}; }},
    {"s_cmp_eq_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() == p.sb()}; }},
    {"s_cmp_lg_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() != p.sb()}; }},
    {"s_cmp_gt_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() > p.sb()}; }},
    {"s_cmp_ge_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() >= p.sb()}; }},
    {"s_cmp_lt_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() < p.sb()}; }},
    {"s_cmp_le_i32 s2, s4", [](auto& p) { return answer{0x1111, p.sa() <= p.sb()}; }},
    {"s_cmp_eq_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() == p.ub()}; }},
    {"s_cmp_lg_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() != p.ub()}; }},
    {"s_cmp_gt_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() > p.ub()}; }},
    {"s_cmp_ge_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() >= p.ub()}; }},
    {"s_cmp_lt_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() < p.ub()}; }},
    {"s_cmp_le_u32 s2, s4", [](auto& p) { return answer{0x1111, p.ua() <= p.ub()}; }},
    {"s_cmp_eq_u64 s[2:3], s[4:5]", [](auto& p) { return answer{0x1111, p.a == p.b}; }},
    {"s_cmp_lg_u64 s[2:3], s[4:5]", [](auto& p) { return answer{0x1111, p.a != p.b}; }},
    {"s_bitcmp0_b32 s2, s4",
     [](auto& p) { return answer{0x1111, p.ua() / power(p.ub(5)) % 2 == 0}; }},
    {"s_bitcmp1_b32 s2, s4",
     [](auto& p) { return answer{0x1111, p.ua() / power(p.ub(5)) % 2 != 0}; }},
    {"s_bitcmp0_b64 s[2:3], s4",
     [](auto& p) { return answer{0x1111, p.ua(64) / power(p.ub(6)) % 2 == 0}; }},
    {"s_bitcmp1_b64 s[2:3], s4",
     [](auto& p) { return answer{0x1111, p.ua(64) / power(p.ub(6)) % 2 != 0}; }},
    {"s_cmpk_eq_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() == -32768}; }},
    {"s_cmpk_lg_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() != -32768}; }},
    {"s_cmpk_gt_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() > -32768}; }},
    {"s_cmpk_ge_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() >= -32768}; }},
    {"s_cmpk_lt_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() < -32768}; }},
    {"s_cmpk_le_i32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.sa() <= -32768}; }},
    {"s_cmpk_eq_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() == 32768}; }},
    {"s_cmpk_lg_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() != 32768}; }},
    {"s_cmpk_gt_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() > 32768}; }},
    {"s_cmpk_ge_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() >= 32768}; }},
    {"s_cmpk_lt_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() < 32768}; }},
    {"s_cmpk_le_u32 s2, 0x8000", [](auto& p) { return answer{0x1111, p.ua() <= 32768}; }},
};

constexpr uint64_t edges[] = {0,
                              1,
                              2,
                              31,
                              32,
                              33,
                              63,
                              64,
                              0x7f,
                              0x80,
                              0x7fff,
                              0x8000,
                              0x8001,
                              0xffff,
                              0x10004,
                              0x1f0001,
                              0x20001f,
                              0x200000,
                              0x210008,
                              0x400000,
                              0x3f0001,
                              0x410004,
                              0x7fffffff,
                              0x80000000,
                              0x80000001,
                              0xffff8000,
                              0xffff7fff,
                              0xfffffffe,
                              0xffffffff,
                              0x100000000,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffff00000000,
                              0xffffffffffffffff,
                              0x123456789abcdef0};

TEST(salu, laws) {
    machine m(gfx_target::gfx950);
    for (const law& l : laws) {
        const bool has_second = std::string(l.instruction).find("s4") != std::string::npos ||
                                std::string(l.instruction).find("s[4") != std::string::npos;
        for (const uint64_t a : edges) {
            for (const uint64_t b : edges) {
                for (const bool scc : {false, true}) {
                    const pair p{a, b, scc};
                    m.set_s64(0, 0x222200001111);
                    m.set_s64(2, a);
                    m.set_s64(4, b);
                    m.w().scc = scc;
                    m.run(l.instruction);
                    const answer expected = l.result(p);
                    const uint64_t mask = l.bits == 64 ? ~uint64_t{0} : 0xffffffff;
                    const uint64_t value = static_cast<uint64_t>(expected.value) & mask;
                    ASSERT_EQ(m.s64(0) & mask, value)
                        << std::hex << l.instruction << " of " << a << ", " << b << ", " << scc;
                    // The register beside a result of 32 bits.
                    ASSERT_EQ(l.bits == 64 ? 0x2222u : m.s(1), 0x2222u) << l.instruction;
                    const bool carry = expected.scc == kept ? scc
                                       : expected.scc == -1 ? value != 0
                                                            : expected.scc == 1;
                    ASSERT_EQ(m.w().scc, carry)
                        << std::hex << l.instruction << " of " << a << ", " << b << ", " << scc;
                }
                if (!has_second) {
                    break;
                }
            }
        }
    }
}

// An operand of 32 bits is one register: EXEC_HI, which has none behind it, will do.
TEST(salu, operands_of_32_bits_are_one_register) {
    size_t replaced = 0;
    for (const law& l : laws) {
        std::string text = l.instruction;
        for (const char* single : {"s0", "s2", "s4"}) {
            if (const size_t at = text.find(single); at != std::string::npos) {
                text.replace(at, 2, "exec_hi");
                ++replaced;
            }
        }
        machine m(gfx_target::gfx942);
        EXPECT_NO_REPORT(m.run(text));
    }
    EXPECT_GT(replaced, 150u);
}

TEST(salu, compares) {
    for (const compare_case& c : compare_cases) {
        for (const bool before : {false, true}) {
            machine m(gfx_target::gfx942);
            m.set_s64(2, c.a);
            m.set_s64(4, c.b);
            m.w().scc = before;
            m.run(c.instruction);
            EXPECT_EQ(m.w().scc, c.scc) << c.instruction;
        }
    }
}

TEST(salu, saveexec) {
    struct row {
        const char* name;
        uint64_t exec;
    };
    constexpr uint64_t s = 0xff00ff00ff00ff00;
    constexpr uint64_t e = 0xf0f0f0f0f0f0f0f0;
    for (const row& r :
         {row{"and", s & e}, row{"or", s | e}, row{"xor", s ^ e}, row{"andn2", s & ~e},
          row{"orn2", s | ~e}, row{"nand", ~(s & e)}, row{"nor", ~(s | e)}, row{"xnor", ~(s ^ e)},
          row{"andn1", ~s & e}, row{"orn1", ~s | e}}) {
        machine m(gfx_target::gfx942);
        m.set_s64(2, s);
        m.set_exec(e);
        m.run(std::string("s_") + r.name + "_saveexec_b64 s[0:1], s[2:3]");
        EXPECT_EQ(m.s64(0), e) << r.name;
        EXPECT_EQ(m.w().exec(), r.exec) << r.name;
        EXPECT_TRUE(m.w().scc);
    }
    for (const row& r : {row{"andn1", ~s & e}, row{"andn2", s & ~e}}) {
        for (const bool is_empty : {false, true}) {
            machine m(gfx_target::gfx942);
            m.set_s64(2, is_empty ? e : s);
            m.set_exec(e);
            m.w().scc = is_empty;
            m.run(std::string("s_") + r.name + "_wrexec_b64 s[0:1], s[2:3]");
            EXPECT_EQ(m.s64(0), is_empty ? 0 : r.exec) << r.name;
            EXPECT_EQ(m.w().exec(), is_empty ? 0 : r.exec) << r.name;
            EXPECT_EQ(m.w().scc, !is_empty) << r.name;
        }
    }
}

TEST(salu, branches_and_calls) {
    machine m(gfx_target::gfx950);
    // Sums 5 + 4 + 3 + 2 + 1, then calls a function that doubles it.
    m.run(R"(
        s_mov_b32 s0, 0
        s_mov_b32 s1, 5
    loop:
        s_add_u32 s0, s0, s1
        s_sub_u32 s1, s1, 1
        s_cmp_lg_u32 s1, 0
        s_cbranch_scc1 loop
        s_getpc_b64 s[4:5]
        s_add_u32 s4, s4, 20
        s_addc_u32 s5, s5, 0
        s_swappc_b64 s[30:31], s[4:5]
        s_branch done
        s_nop 0
        s_lshl_b32 s0, s0, 1
        s_setpc_b64 s[30:31]
    done:
    )");
    EXPECT_EQ(m.s(0), 30u);
}

TEST(salu, branches_on_masks) {
    machine m(gfx_target::gfx942);
    for (const uint64_t mask : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
        for (const char* name : {"vcc", "exec"}) {
            m.set_s64(sreg::vcc, name[0] == 'v' ? mask : ~mask);
            m.set_exec(name[0] == 'v' ? ~mask : mask);
            m.run(std::string("s_mov_b32 s0, 0\n s_cbranch_") + name +
                  "z a\n s_add_u32 s0, s0, 1\n a:\n s_cbranch_" + name +
                  "nz b\n s_add_u32 s0, s0, 2\n b:");
            EXPECT_EQ(m.s(0), mask == 0 ? 2u : 1u) << name << " " << mask;
        }
    }
}

TEST(salu, a_call_keeps_the_address_behind_it) {
    machine m(gfx_target::gfx942);
    m.s(0) = 2;
    m.run("s_call_b64 s[2:3], a\n s_mov_b32 s0, 9\n a:");
    EXPECT_EQ(m.s(0), 2u);
    EXPECT_EQ(m.s64(2), machine::base + 4);
}

TEST(salu, special_registers) {
    machine m(gfx_target::gfx942);
    m.set_exec(0);
    m.w().scc = true;
    m.run(
        "s_mov_b32 s0, src_execz\n s_mov_b32 s1, src_scc\n s_mov_b64 s[2:3], src_shared_base\n"
        "s_mov_b32 m0, 7\n s_mov_b32 s4, m0\n s_mov_b64 vcc, -1\n s_mov_b32 s5, vcc_hi");
    EXPECT_EQ(m.s(0), 1u);
    EXPECT_EQ(m.s(1), 1u);
    EXPECT_EQ(m.s64(2), shared_aperture);
    EXPECT_EQ(m.s(4), 7u);
    EXPECT_EQ(m.s(5), 0xffffffffu);
    m.run("s_mov_b32 m0, 10\n s_mov_b32 s17, 99\n s_movrels_b32 s5, s7\n s_movreld_b32 s8, s5");
    EXPECT_EQ(m.s(5), 99u);
    EXPECT_EQ(m.s(18), 99u);
}

// A bit as an operand of 32 and of 64 bits: SCC, VCC is 0, EXEC is 0 (ISA guide 5.2, table 14).
TEST(salu, bits_as_operands) {
    for (const bool scc : {false, true}) {
        for (const uint64_t vcc : {uint64_t{0}, uint64_t{1} << 40}) {
            for (const uint64_t exec : {uint64_t{0}, uint64_t{1} << 63}) {
                machine m(gfx_target::gfx942);
                m.w().scc = scc;
                m.set_s64(sreg::vcc, vcc);
                m.set_exec(exec);
                m.s(1) = 7;
                m.run(
                    "s_mov_b32 s0, src_scc\n s_mov_b32 s2, src_vccz\n s_mov_b32 s3, src_execz\n"
                    "s_mov_b64 s[4:5], src_scc\n s_mov_b64 s[6:7], src_vccz\n"
                    "s_mov_b64 s[8:9], src_execz");
                EXPECT_EQ(m.s(0), scc ? 1u : 0u);
                EXPECT_EQ(m.s(1), 7u);
                EXPECT_EQ(m.s(2), vcc == 0 ? 1u : 0u);
                EXPECT_EQ(m.s(3), exec == 0 ? 1u : 0u);
                EXPECT_EQ(m.s64(4), scc ? 1u : 0u);
                EXPECT_EQ(m.s64(6), vcc == 0 ? 1u : 0u);
                EXPECT_EQ(m.s64(8), exec == 0 ? 1u : 0u);
            }
        }
    }
}

TEST(salu, mode_register) {
    machine m(gfx_target::gfx942);
    m.run(
        "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), "
        "0\n"
        "s_getreg_b32 s1, hwreg(HW_REG_MODE)");
    EXPECT_EQ(m.s(0), 0xfu);
    EXPECT_EQ(m.s(1), default_mode & ~0x200u);
    m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 4), 9\n s_getreg_b32 s2, hwreg(HW_REG_MODE)");
    EXPECT_EQ(m.s(2), 0x1e4u);
    EXPECT_REPORT(m.attempt("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1"),
                  "VSKIP and CSP are not supported");
}

// Any field of MODE; what is written beside it stays, whatever the source has above its size.
TEST(salu, fields_of_the_mode_register) {
    constexpr uint32_t before = 0x0a5a5a5a;
    for (const auto& [offset, size] :
         {std::pair{0, 32}, {0, 1}, {0, 28}, {1, 3}, {4, 4}, {13, 11}, {23, 1}, {16, 8}, {27, 1}}) {
        const std::string field =
            "hwreg(HW_REG_MODE, " + std::to_string(offset) + ", " + std::to_string(size) + ")";
        const uint64_t ones = (uint64_t{1} << size) - 1;
        machine m(gfx_target::gfx942);
        m.w().mode = before;
        m.run("s_getreg_b32 s0, " + field);
        EXPECT_EQ(m.s(0), before >> offset & ones) << field;
        for (const uint32_t value : {0x00000000u, 0xffffffffu, 0x05a5a5a5u}) {
            if (size == 32 && value >> 28 != 0) {
                continue;  // VSKIP and CSP
            }
            m.w().mode = before;
            m.s(1) = value;
            m.run("s_setreg_b32 " + field + ", s1");
            EXPECT_EQ(m.w().mode, (before & ~(ones << offset)) | (value & ones) << offset) << field;
        }
    }
}

TEST(salu, status_register) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_s64(sreg::vcc, 1);
        m.run("s_cmp_eq_u32 s0, s0\n s_getreg_b32 s1, hwreg(HW_REG_STATUS)");
        EXPECT_EQ(m.s(1), 0x00010001u);  // VALID, SCC
        m.run(
            "s_setprio 2\n s_mov_b64 vcc, 0\n s_mov_b64 exec, 0\n s_cmp_lg_u32 s0, s0\n"
            "s_getreg_b32 s1, hwreg(HW_REG_STATUS)\n s_getreg_b32 s2, hwreg(HW_REG_STATUS, 3, 2)");
        EXPECT_EQ(m.s(1), 0x00010610u);  // VALID, VCCZ, EXECZ, WAVE_PRIO 2
        EXPECT_EQ(m.s(2), 2u);
        m.run("s_setprio 5\n s_getreg_b32 s1, hwreg(HW_REG_STATUS)");  // 2 bits of it
        EXPECT_EQ(m.s(1), 0x00010608u);
        m.w().scratch_per_lane = 16;
        m.run("s_getreg_b32 s1, hwreg(HW_REG_STATUS, 28, 1)");
        EXPECT_EQ(m.s(1), 1u);
    }
}

TEST(salu, hardware_registers) {
    for (const gfx_target target : both_targets) {
        machine m(target, 1000);
        m.w().group->place = {5, 3, 9, 2};
        m.w().vgpr.resize(64);
        m.w().agpr.resize(16);
        m.run(
            "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)\n s_getreg_b32 s1, hwreg(HW_REG_XCC_ID)\n"
            "s_getreg_b32 s2, hwreg(HW_REG_GPR_ALLOC)\n s_getreg_b32 s3, hwreg(HW_REG_LDS_ALLOC)\n"
            "s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS, 9, 23)\n"
            "s_getreg_b32 s5, hwreg(HW_REG_HW_ID, 8, 4)");
        // TG_ID 2, SE_ID 3, CU_ID 9, and of the waves of the unit the third: SIMD 2, its first one.
        EXPECT_EQ(m.s(0), 2u << 16 | 3u << 13 | 9u << 8 | 2u << 4);
        EXPECT_EQ(m.s(1), 5u);
        // 80 registers, a16 behind 64 v registers, 112 scalar ones.
        EXPECT_EQ(m.s(2), 19u << 6 | 16u << 12 | 6u << 24);
        EXPECT_EQ(m.s(3), 4u << 12);  // 1000 bytes are 4 times 256
        EXPECT_EQ(m.s(4), 0u);
        EXPECT_EQ(m.s(5), 9u);
        EXPECT_REPORT(m.attempt("s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 8, 4)"),
                      "EXCP of HW_REG_TRAPSTS is not supported");
        EXPECT_REPORT(m.attempt("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0"),
                      "s_setreg is supported for HW_REG_MODE only");
        m.w().vgpr.resize(256);
        EXPECT_REPORT(m.attempt("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)"),
                      "no number for more than 256 registers, here are 272");
        for (const int id : {0, 7, 8, 15, 16, 19, 21, 24, 25, 63}) {
            EXPECT_REPORT(m.attempt("s_getreg_b32 s0, hwreg(" + std::to_string(id) + ")"),
                          "hardware register " + std::to_string(id) + " is not supported");
        }
    }
}

// Registers in fours, less one, and LDS in 64 dwords, both rounded up.
TEST(salu, allocated_sizes) {
    struct allocation {
        size_t vgprs;
        size_t agprs;
        uint32_t size;    // of GPR_ALLOC
        uint32_t offset;  // there, of the accumulation registers
    };
    for (const auto& [vgprs, agprs, size, offset] : {allocation{1, 0, 0, 0},
                                                     {4, 0, 0, 0},
                                                     {5, 0, 1, 0},
                                                     {8, 0, 1, 0},
                                                     {9, 0, 2, 0},
                                                     {8, 1, 2, 2},
                                                     {128, 128, 63, 32},
                                                     {252, 4, 63, 63},
                                                     {256, 0, 63, 0}}) {
        machine m(gfx_target::gfx942);
        m.w().vgpr.resize(vgprs);
        m.w().agpr.resize(agprs);
        m.run("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)");
        EXPECT_EQ(m.s(0), size << 6 | offset << 12 | 6u << 24) << vgprs << " and " << agprs;
        m.w().vgpr.resize(257 - agprs);
        EXPECT_REPORT(m.attempt("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)"), "here are 257");
    }
    for (const auto& [bytes, size] : {std::pair{0u, 0u},
                                      {1u, 1u},
                                      {255u, 1u},
                                      {256u, 1u},
                                      {257u, 2u},
                                      {512u, 2u},
                                      {513u, 3u},
                                      {65536u, 256u}}) {
        machine m(gfx_target::gfx942, bytes);
        m.run("s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC)");
        EXPECT_EQ(m.s(0), size << 12) << bytes;
    }
}

TEST(salu, scalar_memory) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        device_bytes memory(256);
        for (uint32_t n = 0; n < 64; ++n) {
            memory.set<uint32_t>(4 * n, 100 + n);
        }
        m.set_s64(40, memory.address());
        m.s(42) = 8;
        m.run(
            "s_load_dwordx16 s[0:15], s[40:41], 0x10\n s_load_dword s16, s[40:41], s42\n"
            "s_load_dwordx2 s[18:19], s[40:41], s42 offset:0x4\n s_load_dword s17, s[40:41], 0x7");
        for (uint32_t n = 0; n < 16; ++n) {
            EXPECT_EQ(m.s(static_cast<int>(n)), 104 + n);
        }
        EXPECT_EQ(m.s(16), 102u);
        EXPECT_EQ(m.s(18), 103u);
        EXPECT_EQ(m.s(19), 104u);
        EXPECT_EQ(m.s(17), 101u);  // the two low bits of an address are ignored
        m.s(46) = 12;              // num_records of a buffer of 3 dwords
        m.set_s64(44, memory.address());
        m.s(47) = 0x20000;
        m.run("s_buffer_load_dwordx4 s[0:3], s[44:47], 0x4");
        EXPECT_EQ(m.s(0), 101u);
        EXPECT_EQ(m.s(1), 102u);
        EXPECT_EQ(m.s(2), 0u);
        EXPECT_EQ(m.s(3), 0u);
        EXPECT_REPORT(
            m.attempt("s_load_dwordx4 s[0:3], s[40:41], 0xf4"),
            "scalar load of 16 bytes at 0x.*, 4 of them past the end of the 256-byte alloc");
    }
}

// s_memtime counts what the wave has executed, s_memrealtime runs at 100 MHz (ISA guide 8.2.5).
TEST(salu, clocks) {
    const auto hundred_mhz = [] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<uint64_t>(
                   std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) /
               10;
    };
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.run("s_memtime s[0:1]\n s_nop 0\n s_memtime s[2:3]");
        EXPECT_EQ(m.s64(2) - m.s64(0), 2u);
        const uint64_t before = hundred_mhz();
        m.run("s_memrealtime s[4:5]");
        EXPECT_GE(m.s64(4), before);
        EXPECT_LE(m.s64(4), hundred_mhz());
    }
}

// SDATA 125 of s_load_dword and so on, and of those of buffers.
TEST(salu, scalar_loads_to_no_register) {
    device_bytes memory(64);
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_s64(4, memory.address());
        m.s(6) = 64;
        m.s(7) = 0;
        for (const uint32_t opcode : {0u, 1u, 2u, 3u, 4u, 8u, 9u, 10u, 11u, 12u}) {
            const uint32_t word = 0xc0020000 | opcode << 18 | 125 << 6 | 2;
            EXPECT_REPORT(m.attempt(".long " + std::to_string(word) + ", 0"), "operand null of s_");
        }
    }
}

TEST(salu, refusals) {
    machine m(gfx_target::gfx942);
    EXPECT_REPORT(m.attempt("s_cbranch_join s0"), "s_cbranch_join is not implemented");
    EXPECT_REPORT(m.attempt("s_trap 2"), "__builtin_trap");
    EXPECT_REPORT(m.attempt(".long 0xffffffff"), "no instruction");
    EXPECT_REPORT(m.attempt("s_setpc_b64 s[0:1]"), "outside the code");
}

TEST(salu, names_are_unique) {
    for (const gfx_target target : both_targets) {
        const auto names = implemented_mnemonics(target);
        for (size_t n = 1; n < names.size(); ++n) {
            EXPECT_NE(names[n - 1], names[n]);
        }
        EXPECT_TRUE(std::ranges::is_sorted(names));
        EXPECT_GT(names.size(), 700u);
    }
}

// As many registers as the name says, from the first one on, and none beside them; of a buffer what is
// outside of it is 0.
TEST(salu, loads_of_every_width) {
    constexpr uint32_t marker = 0xabcdabcd;
    constexpr uint32_t first = 32;
    const std::pair<const char*, uint32_t> widths[] = {
        {"dword", 1}, {"dwordx2", 2}, {"dwordx4", 4}, {"dwordx8", 8}, {"dwordx16", 16}};
    device_bytes memory(128);
    for (uint32_t n = 0; n < 32; ++n) {
        memory.set<uint32_t>(4 * n, 0x1000 + n);
    }
    for (const gfx_target target : both_targets) {
        for (const auto& [name, count] : widths) {
            for (const bool of_buffer : {false, true}) {
                for (const uint32_t records : {128u, 4 + 4 * count, 4 * count, 8u, 4u}) {
                    machine m(target);
                    for (uint32_t reg = 24; reg < 64; ++reg) {
                        m.s(static_cast<int>(reg)) = marker;
                    }
                    m.set_s64(4, memory.address());
                    m.s(6) = records;
                    m.s(7) = 0;
                    const std::string registers = count == 1
                                                      ? std::to_string(first)
                                                      : "[" + std::to_string(first) + ":" +
                                                            std::to_string(first + count - 1) + "]";
                    m.run((of_buffer ? "s_buffer_load_" : "s_load_") + std::string(name) + " s" +
                          registers + (of_buffer ? ", s[4:7], 0x4" : ", s[4:5], 0x4"));
                    for (uint32_t reg = 24; reg < 64; ++reg) {
                        const uint32_t n = reg - first;
                        const bool is_loaded = reg >= first && n < count;
                        const bool is_outside = of_buffer && 4 + 4 * n + 4 > records;
                        EXPECT_EQ(m.s(static_cast<int>(reg)), !is_loaded   ? marker
                                                              : is_outside ? 0u
                                                                           : 0x1001 + n)
                            << name << (of_buffer ? " of a buffer, s" : ", s") << reg;
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace emu
