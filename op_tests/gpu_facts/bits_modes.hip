// Sums and products of f32 and f16: rounding and denormals as MODE has them, NaN, minimum and
// maximum.
#include <cmath>
#include <string>
#include <vector>

#include "bits.hpp"
#include "ops.hpp"

namespace gpu_facts {

namespace {

// == device =======================================================================================

OP(add_f32, ON_BOTH, "v_add_f32 %0, %1, %2")
OP(mul_f32, ON_BOTH, "v_mul_f32 %0, %1, %2")
OP(fma_f32, ON_BOTH, "v_fma_f32 %0, %1, %2, %3")
OP_IN_MODE(add_f32_up, ON_BOTH, 0, 2, 1, 0, "v_add_f32 %0, %1, %2")
OP_IN_MODE(add_f32_down, ON_BOTH, 0, 2, 2, 0, "v_add_f32 %0, %1, %2")
OP_IN_MODE(add_f32_to_zero, ON_BOTH, 0, 2, 3, 0, "v_add_f32 %0, %1, %2")
OP_IN_MODE(fma_f32_to_zero, ON_BOTH, 0, 2, 3, 0, "v_fma_f32 %0, %1, %2, %3")
OP_IN_MODE(add_f32_flush, ON_BOTH, 4, 2, 0, 3, "v_add_f32 %0, %1, %2")
OP_IN_MODE(mul_f32_flush, ON_BOTH, 4, 2, 0, 3, "v_mul_f32 %0, %1, %2")
OP_IN_MODE(fma_f32_flush, ON_BOTH, 4, 2, 0, 3, "v_fma_f32 %0, %1, %2, %3")
OP_IN_MODE(mul_f32_flush_out, ON_BOTH, 4, 2, 1, 3, "v_mul_f32 %0, %1, %2")
OP_IN_MODE(mul_f32_flush_in, ON_BOTH, 4, 2, 2, 3, "v_mul_f32 %0, %1, %2")
OP(add_f16, ON_BOTH, "v_add_f16 %0, %1, %2")
OP(mul_f16, ON_BOTH, "v_mul_f16 %0, %1, %2")
OP(fma_f16, ON_BOTH, "v_fma_f16 %0, %1, %2, %3")
OP(pk_add_f16, ON_BOTH, "v_pk_add_f16 %0, %1, %2")
OP(pk_mul_f16, ON_BOTH, "v_pk_mul_f16 %0, %1, %2")
OP(pk_fma_f16, ON_BOTH, "v_pk_fma_f16 %0, %1, %2, %3")
OP_IN_MODE(pk_add_f16_up, ON_BOTH, 2, 2, 1, 0, "v_pk_add_f16 %0, %1, %2")
OP_IN_MODE(pk_add_f16_to_zero, ON_BOTH, 2, 2, 3, 0, "v_pk_add_f16 %0, %1, %2")
OP_IN_MODE(pk_mul_f16_flush, ON_BOTH, 6, 2, 0, 3, "v_pk_mul_f16 %0, %1, %2")
OP_IN_MODE(pk_fma_f16_flush, ON_BOTH, 6, 2, 0, 3, "v_pk_fma_f16 %0, %1, %2, %3")
OP(min_f32, ON_BOTH, "v_min_f32 %0, %1, %2")
OP(max_f32, ON_BOTH, "v_max_f32 %0, %1, %2")
OP(pk_min_f16, ON_BOTH, "v_pk_min_f16 %0, %1, %2")
OP(pk_max_f16, ON_BOTH, "v_pk_max_f16 %0, %1, %2")
OP_IN_MODE(max_f32_no_ieee, ON_BOTH, 9, 1, 0, 1, "v_max_f32 %0, %1, %2")
OP(med3_f32, ON_BOTH, "v_med3_f32 %0, %1, %2, %3")
OP(mul_legacy, ON_BOTH, "v_mul_legacy_f32 %0, %1, %2")
OP(add_clamp, ON_BOTH, "v_add_f32_e64 %0, %1, %2 clamp")
OP_IN_MODE(add_clamp_keeps_nan, ON_BOTH, 8, 1, 0, 1, "v_add_f32_e64 %0, %1, %2 clamp")
// Without IEEE, f32 denormals flushed.
OP_IN_MODE(add_times_2, ON_BOTH, 4, 6, 28, 63, "v_add_f32_e64 %0, %1, %2 mul:2")
OP(add_not_times_2, ON_BOTH, "v_add_f32_e64 %0, %1, %2 mul:2")
OP(fma_mix, ON_BOTH, "v_fma_mix_f32 %0, %1, %2, %3 op_sel_hi:[1,1,0]")
OP(dot2, ON_BOTH, "v_dot2_f32_f16 %0, %1, %2, %3")
OP(rndne, ON_BOTH, "v_rndne_f32 %0, %1")
OP(div_fixup, ON_BOTH, "v_div_fixup_f32 %0, %1, %2, %3")
OP(move, ON_BOTH, "v_mov_b32 %0, %1")
OP_IN_MODE(move_flush, ON_BOTH, 4, 4, 0, 15, "v_mov_b32 %0, %1")

// == arithmetic on the host =======================================================================

// x + y with the last bit set if it is not exact, so that another rounding, to a format that is at
// least two bits shorter, is right.
double sum_to_odd(double x, double y) {
    const double sum = x + y;
    if (!std::isfinite(sum)) {
        return sum;
    }
    const double part = sum - x;
    const double rest = (x - (sum - part)) + (y - part);
    if (rest == 0 || (bits_of(sum) & 1) != 0) {
        return sum;
    }
    return std::nextafter(sum, rest > 0 ? std::numeric_limits<double>::infinity()
                                        : -std::numeric_limits<double>::infinity());
}

// Of f32 and of f16, whose products are exact in f64.
struct arithmetic {
    const format_facts& f;
    rounding how = rounding::nearest_even;
    bool flush_in = false;
    bool flush_out = false;

    double in(std::uint32_t code) const {
        const number n = decode(f, code);
        const double x = n.value();
        return flush_in && n.is == number::finite && std::fabs(x) < std::ldexp(1.0, f.smallest())
                   ? std::copysign(0.0, x)
                   : x;
    }
    std::uint32_t out(double x) const {
        const auto code = static_cast<std::uint32_t>(encode(f, x, how));
        const bool is_denormal = (code & ((f.sign() - 1) ^ ((1u << f.fraction_bits) - 1))) == 0;
        return flush_out && is_denormal ? code & static_cast<std::uint32_t>(f.sign()) : code;
    }
    std::uint32_t fma(double product, double z) const {
        double sum = sum_to_odd(product, z);
        if (sum == 0 && std::signbit(product) != std::signbit(z)) {
            sum = how == rounding::down ? -0.0 : 0.0;
        }
        return out(sum);
    }
    std::uint32_t add(std::uint32_t x, std::uint32_t y) const { return fma(in(x), in(y)); }
    std::uint32_t mul(std::uint32_t x, std::uint32_t y) const { return out(in(x)*in(y)); }
    std::uint32_t fma(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return fma(in(x)*in(y), in(z));
    }
};

// The low half alone, or both halves, of an operation on codes.
using operation = std::function<std::uint32_t(const operands&)>;
reference low_half(const operation& of) {
    return [of](const operands& o) {
        return of({o.x & 0xffff, o.y & 0xffff, o.z & 0xffff, o.old}) & 0xffff;
    };
}
reference both_halves(const operation& of) {
    return [of](const operands& o) {
        return (of({o.x & 0xffff, o.y & 0xffff, o.z & 0xffff, o.old}) & 0xffff) |
               of({o.x >> 16, o.y >> 16, o.z >> 16, o.old}) << 16;
    };
}

operation add(const arithmetic& a) {
    return [a](const operands& o) { return a.add(o.x, o.y); };
}
operation mul(const arithmetic& a) {
    return [a](const operands& o) { return a.mul(o.x, o.y); };
}
operation fma(const arithmetic& a) {
    return [a](const operands& o) { return a.fma(o.x, o.y, o.z); };
}

bool is_nan(const format_facts& f, std::uint32_t code) {
    return decode(f, code).is == number::nan;
}
std::uint32_t quiet_bit(const format_facts& f) {
    return 1u << (f.fraction_bits - 1);
}
bool is_signalling(const format_facts& f, std::uint32_t code) {
    return is_nan(f, code) && (code & quiet_bit(f)) == 0;
}

// ISA guide 12.7: with IEEE a signalling NaN is returned, quiet; a number wins over a quiet one; -0
// is below +0.
operation extreme(const format_facts& f, bool largest, bool ieee = true) {
    return [&f, largest, ieee](const operands& o) {
        if (ieee && is_signalling(f, o.x)) {
            return o.x | quiet_bit(f);
        }
        if (ieee && is_signalling(f, o.y)) {
            return o.y | quiet_bit(f);
        }
        if (is_nan(f, o.x)) {
            return o.y;
        }
        if (is_nan(f, o.y)) {
            return o.x;
        }
        const double x = value_of(f, o.x);
        const double y = value_of(f, o.y);
        if (x == y) {
            const bool takes_x = std::signbit(x) != largest;
            return takes_x ? o.x : o.y;
        }
        return (x > y) == largest ? o.x : o.y;
    };
}

// == facts ========================================================================================

struct row {
    const char* name;
    op_kernel* kernel;
    const char* assumed;
    const char* source;
    reference expected;
    std::function<std::uint32_t(std::uint32_t)> canonical;
};

void compare(report& to, const std::vector<row>& all, const std::vector<operands>& from) {
    for (const row& r : all) {
        to.measure(r.name, r.assumed, r.source,
                   [&] { return scan(r.kernel, from, r.expected, r.canonical); });
    }
}

std::uint32_t one_nan_low_half(std::uint32_t x) {
    return one_nan_f16(x & 0xffff);
}

void of_f32(report& to, int count) {
    const char* const mode = "ISA guide, table of MODE";
    const char* const kept = "IEEE 754, denormals kept";
    const char* const flushed = "denormals flushed, in and out";
    const arithmetic usual{f32_format};
    const arithmetic up{f32_format, rounding::up};
    const arithmetic down{f32_format, rounding::down};
    const arithmetic to_zero{f32_format, rounding::to_zero};
    const arithmetic flush{f32_format, rounding::nearest_even, true, true};
    const arithmetic flush_in{f32_format, rounding::nearest_even, true, false};
    const arithmetic flush_out{f32_format, rounding::nearest_even, false, true};
    compare(
        to,
        {{"v_add_f32", add_f32, kept, mode, add(usual), one_nan},
         {"v_mul_f32", mul_f32, kept, mode, mul(usual), one_nan},
         {"v_fma_f32", fma_f32, kept, mode, fma(usual), one_nan},
         {"v_add_f32, MODE up", add_f32_up, "up", mode, add(up), one_nan},
         {"v_add_f32, MODE down", add_f32_down, "down", mode, add(down), one_nan},
         {"v_add_f32, MODE to zero", add_f32_to_zero, "toward zero", mode, add(to_zero), one_nan},
         {"v_fma_f32, MODE to zero", fma_f32_to_zero, "toward zero", mode, fma(to_zero), one_nan},
         {"v_add_f32, MODE flushes", add_f32_flush, flushed, mode, add(flush), one_nan},
         {"v_mul_f32, MODE flushes", mul_f32_flush, flushed, mode, mul(flush), one_nan},
         {"v_fma_f32, MODE flushes", fma_f32_flush, flushed, mode, fma(flush), one_nan},
         {"v_mul_f32, MODE flushes results", mul_f32_flush_out, "results alone", mode,
          mul(flush_out), one_nan},
         {"v_mul_f32, MODE flushes sources", mul_f32_flush_in, "sources alone", mode, mul(flush_in),
          one_nan}},
        f32_operands(count));
}

void of_f16(report& to, int count) {
    const char* const mode = "ISA guide, table of MODE";
    const char* const kept = "IEEE 754, denormals kept";
    const arithmetic usual{f16_format};
    const arithmetic flush{f16_format, rounding::nearest_even, true, true};
    compare(to,
            {{"v_add_f16", add_f16, kept, mode, low_half(add(usual)), one_nan_low_half},
             {"v_mul_f16", mul_f16, kept, mode, low_half(mul(usual)), one_nan_low_half},
             {"v_fma_f16", fma_f16, kept, mode, low_half(fma(usual)), one_nan_low_half},
             {"v_pk_add_f16", pk_add_f16, kept, mode, both_halves(add(usual)), one_nan_f16},
             {"v_pk_mul_f16", pk_mul_f16, kept, mode, both_halves(mul(usual)), one_nan_f16},
             {"v_pk_fma_f16", pk_fma_f16, kept, mode, both_halves(fma(usual)), one_nan_f16},
             {"v_pk_add_f16, MODE up", pk_add_f16_up, "up", mode,
              both_halves(add({f16_format, rounding::up})), one_nan_f16},
             {"v_pk_add_f16, MODE to zero", pk_add_f16_to_zero, "toward zero", mode,
              both_halves(add({f16_format, rounding::to_zero})), one_nan_f16},
             {"v_pk_mul_f16, MODE flushes", pk_mul_f16_flush, "denormals flushed, in and out", mode,
              both_halves(mul(flush)), one_nan_f16},
             {"v_pk_fma_f16, MODE flushes", pk_fma_f16_flush, "denormals flushed, in and out", mode,
              both_halves(fma(flush)), one_nan_f16},
             {"v_pk_min_f16", pk_min_f16, "a number wins over a NaN, -0 is below +0",
              "ISA guide, 12.7", both_halves(extreme(f16_format, false)), nullptr},
             {"v_pk_max_f16", pk_max_f16, "a number wins over a NaN, -0 is below +0",
              "ISA guide, 12.7", both_halves(extreme(f16_format, true)), nullptr}},
            f16_operands(count));
}

void of_others(report& to, int count) {
    const char* const guide = "ISA guide, chapter 12";
    const auto f32 = [](std::uint32_t x) { return static_cast<double>(f32_of(x)); };
    const arithmetic usual{f32_format};
    const arithmetic flush{f32_format, rounding::nearest_even, true, true};
    const auto clamped = [=](std::uint32_t code, bool nan_is_zero) {
        const double x = f32(code);
        if (std::isnan(x)) {
            return nan_is_zero ? 0u : code;
        }
        return bits_of(static_cast<float>(x > 0 ? std::fmin(x, 1) : 0.0));
    };
    compare(to,
            {{"v_min_f32", min_f32, "a number wins over a NaN, -0 is below +0", "ISA guide, 12.7",
              extreme(f32_format, false), nullptr},
             {"v_max_f32", max_f32, "a number wins over a NaN, -0 is below +0", "ISA guide, 12.7",
              extreme(f32_format, true), nullptr},
             {"v_max_f32, MODE without IEEE", max_f32_no_ieee, "a signalling NaN is as a quiet one",
              "ISA guide, 12.7",
              [=](const operands& o) {
                  // Of two NaNs it is not documented which.
                  return is_nan(f32_format, o.x) && is_nan(f32_format, o.y)
                             ? 0x7fc00000
                             : extreme(f32_format, true, false)(o);
              },
              one_nan},
             {"v_mul_legacy_f32", mul_legacy, "0 times anything is 0", guide,
              [=](const operands& o) {
                  return f32(o.x) == 0 || f32(o.y) == 0 ? 0 : usual.mul(o.x, o.y);
              },
              one_nan},
             {"v_add_f32 clamp", add_clamp, "0 to 1, NaN is 0 with DX10_CLAMP", guide,
              [=](const operands& o) { return clamped(usual.add(o.x, o.y), true) & 0x7fffffff; },
              [](std::uint32_t x) { return x == 0x80000000 ? 0 : x; }},
             {"v_add_f32 clamp, MODE without DX10_CLAMP", add_clamp_keeps_nan, "NaN stays", guide,
              [=](const operands& o) { return clamped(usual.add(o.x, o.y), false); },
              [](std::uint32_t x) { return x == 0x80000000 ? 0 : one_nan(x); }},
             {"v_add_f32 mul:2", add_not_times_2,
              "not doubled where MODE has IEEE or keeps denormals", guide, add(usual), one_nan},
             {"v_add_f32 mul:2, MODE flushes, without IEEE", add_times_2, "doubled, -0 is 0", guide,
              [=](const operands& o) { return flush.out(flush.in(flush.add(o.x, o.y)) * 2); },
              [](std::uint32_t x) { return x == 0x80000000 ? 0 : one_nan(x); }},
             {"v_fma_mix_f32", fma_mix, "f16 sources, one rounding", guide,
              [=](const operands& o) {
                  return usual.fma(
                      value_of(f16_format, o.x & 0xffff) * value_of(f16_format, o.y & 0xffff),
                      f32(o.z));
              },
              one_nan},
             {"v_rndne_f32", rndne, "to nearest even", guide,
              [=](const operands& o) {
                  const double x = f32(o.x);
                  return std::isnan(x) ? 0x7fc00000
                                       : bits_of(static_cast<float>(std::copysign(
                                             round_to_integer(x, rounding::nearest_even), x)));
              },
              one_nan},
             {"v_mov_b32", move, "keeps denormals and signalling NaNs", guide,
              [](const operands& o) { return o.x; }, nullptr},
             {"v_mov_b32, MODE flushes", move_flush, "keeps denormals and signalling NaNs", guide,
              [](const operands& o) { return o.x; }, nullptr}},
            f32_operands(count));
    to.measure("v_med3_f32", "the middle one; with a NaN the smallest of three", guide, [&] {
        std::vector<operands> from;
        for (const operands& o : f32_operands(count)) {
            if (!is_signalling(f32_format, o.x) && !is_signalling(f32_format, o.y) &&
                !is_signalling(f32_format, o.z)) {
                from.push_back(o);
            }
        }
        return scan(
            med3_f32, from,
            [=](const operands& o) {
                const auto least = extreme(f32_format, false);
                const auto most = extreme(f32_format, true);
                if (is_nan(f32_format, o.x) || is_nan(f32_format, o.y) || is_nan(f32_format, o.z)) {
                    return least({least({o.x, o.y, 0, 0}), o.z, 0, 0});
                }
                return most(
                    {least({o.x, o.y, 0, 0}), least({most({o.x, o.y, 0, 0}), o.z, 0, 0}), 0, 0});
            },
            [](std::uint32_t x) { return x == 0x80000000 ? 0 : one_nan(x); });
    });
    to.measure("v_dot2_f32_f16", "exact where every order is; small integers", guide, [&] {
        std::vector<operands> from;
        for (std::uint32_t n = 0; n < 1024; ++n) {
            const auto half = [](std::uint32_t m) {
                return static_cast<std::uint32_t>(
                    encode(f16_format, static_cast<int>(m % 23) - 11));
            };
            from.push_back({half(n) | half(n * 5 + 1) << 16, half(n * 3 + 2) | half(n * 7) << 16,
                            bits_of(static_cast<float>(n % 100)), 0});
        }
        return scan(dot2, from, [=](const operands& o) {
            const auto h = [](std::uint32_t code) { return value_of(f16_format, code & 0xffff); };
            return bits_of(
                static_cast<float>(h(o.x) * h(o.y) + h(o.x >> 16) * h(o.y >> 16) + f32(o.z)));
        });
    });
}

// One result, as a text.
void of_nans(report& to) {
    struct nan_row {
        const char* name;
        op_kernel* kernel;
        operands from;
        std::uint32_t expected;
        const char* source;
    };
    constexpr std::uint32_t one = 0x3f800000;
    constexpr std::uint32_t zero = 0;
    constexpr std::uint32_t infinity = 0x7f800000;
    const char* const ieee = "ISA guide, IEEE of MODE; payload kept: an assumption";
    const char* const fixup = "ISA guide, V_DIV_FIXUP_F32";
    for (const nan_row& r : {
             nan_row{
                 "v_add_f32 of a quiet NaN", add_f32, {0x7fc12345, one, 0, 0}, 0x7fc12345, ieee},
             nan_row{"v_add_f32 of a quiet NaN second",
                     add_f32,
                     {one, 0xffc12345, 0, 0},
                     0xffc12345,
                     ieee},
             nan_row{"v_add_f32 of a signalling NaN",
                     add_f32,
                     {0x7f812345, one, 0, 0},
                     0x7fc12345,
                     ieee},
             nan_row{"v_mul_f32 of a signalling NaN",
                     mul_f32,
                     {one, 0xff812345, 0, 0},
                     0xffc12345,
                     ieee},
             nan_row{"v_fma_f32 of a signalling NaN third",
                     fma_f32,
                     {one, one, 0x7f812345, 0},
                     0x7fc12345,
                     ieee},
             nan_row{"v_max_f32 of a signalling NaN",
                     max_f32,
                     {0x7f812345, one, 0, 0},
                     0x7fc12345,
                     "ISA guide, 12.7"},
             nan_row{"v_max_f32 of a quiet NaN",
                     max_f32,
                     {0x7fc12345, one, 0, 0},
                     one,
                     "ISA guide, 12.7"},
             nan_row{
                 "v_div_fixup_f32 of 0 / 0", div_fixup, {one, zero, zero, 0}, 0xffc00000, fixup},
             nan_row{"v_div_fixup_f32 of inf / inf",
                     div_fixup,
                     {one, infinity, infinity, 0},
                     0xffc00000,
                     fixup},
             nan_row{"v_div_fixup_f32 of a signalling numerator",
                     div_fixup,
                     {one, one, 0x7f812345, 0},
                     0x7fc12345,
                     fixup},
             nan_row{"v_div_fixup_f32 of x / 0",
                     div_fixup,
                     {one, zero, 0xbf800000, 0},
                     0xff800000,
                     fixup},
         }) {
        to.compare(r.name, format("0x%08x", r.expected), r.source,
                   [&] { return format("0x%08x", apply(r.kernel, {r.from})[0]); });
    }
    // Nothing is published about these; what is seen is worth knowing.
    for (const nan_row& r : {
             nan_row{"v_add_f32 of inf - inf", add_f32, {infinity, 0xff800000, 0, 0}, 0, ""},
             nan_row{"v_mul_f32 of 0 * inf", mul_f32, {zero, infinity, 0, 0}, 0, ""},
             nan_row{"v_add_f32 of two NaNs", add_f32, {0x7fc12345, 0xffc54321, 0, 0}, 0, ""},
             nan_row{"v_fma_f32 of three NaNs",
                     fma_f32,
                     {0x7fc12345, 0xffc54321, 0x7fc0abcd, 0},
                     0,
                     ""},
         }) {
        to.measure(r.name, "nothing", "published by nobody", [&] {
            finding found;
            found.seen = format("0x%08x", apply(r.kernel, {r.from})[0]);
            return found;
        });
    }
}

}  // namespace

void bits_of_modes(const device& on, report& to) {
    const int count = on.quick ? 1024 : 65536;
    of_f32(to, count);
    of_f16(to, count);
    of_others(to, count);
    of_nans(to);
}

}  // namespace gpu_facts
