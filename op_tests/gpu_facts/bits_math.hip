// Approximations: exp, log, rcp, rsq, sqrt, sin, cos in f32 and f16, and three of f64. The largest
// error against double; a digest of all results, which nobody has published; special values, from
// the examples of the ISA guide's chapter 12; denormals.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bits.hpp"
#include "common/device.hpp"
#include "ops.hpp"

namespace gpu_facts {

namespace {

using examples::check;
using examples::device_buffer;

OP(exp_f32, ON_BOTH, "v_exp_f32 %0, %1")
OP(log_f32, ON_BOTH, "v_log_f32 %0, %1")
OP(rcp_f32, ON_BOTH, "v_rcp_f32 %0, %1")
OP(rsq_f32, ON_BOTH, "v_rsq_f32 %0, %1")
OP(sqrt_f32, ON_BOTH, "v_sqrt_f32 %0, %1")
OP(sin_f32, ON_BOTH, "v_sin_f32 %0, %1")
OP(cos_f32, ON_BOTH, "v_cos_f32 %0, %1")
OP(exp_f16, ON_BOTH, "v_exp_f16 %0, %1")
OP(log_f16, ON_BOTH, "v_log_f16 %0, %1")
OP(rcp_f16, ON_BOTH, "v_rcp_f16 %0, %1")
OP(rsq_f16, ON_BOTH, "v_rsq_f16 %0, %1")
OP(sqrt_f16, ON_BOTH, "v_sqrt_f16 %0, %1")
OP(sin_f16, ON_BOTH, "v_sin_f16 %0, %1")
OP(cos_f16, ON_BOTH, "v_cos_f16 %0, %1")

#define OP64(name, text)                                                                     \
    __global__ void name([[maybe_unused]] const double* from, [[maybe_unused]] double* to,   \
                         [[maybe_unused]] int n) {                                           \
        ON_BOTH(const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x); if (i < n) { \
            double r = 0;                                                                    \
            asm volatile(text "\n s_nop 4" : "=v"(r) : "v"(from[i]));                        \
            to[i] = r;                                                                       \
        })                                                                                   \
    }
OP64(rcp_f64, "v_rcp_f64 %0, %1")
OP64(rsq_f64, "v_rsq_f64 %0, %1")
OP64(sqrt_f64, "v_sqrt_f64 %0, %1")

constexpr double tau = 6.283185307179586476925;
double reciprocal(double x) {
    return 1 / x;
}
double reciprocal_root(double x) {
    return 1 / std::sqrt(x);
}
double sine(double turns) {
    return std::sin(std::fmod(turns, 1) * tau);
}
double cosine(double turns) {
    return std::cos(std::fmod(turns, 1) * tau);
}

struct example {
    std::uint32_t x;
    std::uint32_t y;
};
constexpr std::uint32_t any_nan = 0x7fc00000;

struct row {
    const char* name;
    op_kernel* kernel;
    double (*exact)(double);
    double bound;  // ulp; 0: nobody documents one
    std::vector<example> examples;
    std::vector<example> denormals;  // of f32, where they are flushed
};

std::vector<row> f32_rows() {
    return {
        {"v_exp_f32",
         exp_f32,
         std::exp2,
         1,
         {{0xff800000, 0}, {0x80000000, 0x3f800000}, {0x7f800000, 0x7f800000}},
         {{0xc2fe0000, 0}, {0xc3020000, 0}, {0xc2fc0000, 0x00800000}}},
        {"v_log_f32",
         log_f32,
         std::log2,
         1,
         {{0xff800000, any_nan},
          {0xbf800000, any_nan},
          {0x80000000, 0xff800000},
          {0, 0xff800000},
          {0x3f800000, 0},
          {0x7f800000, 0x7f800000}},
         {{1, 0xff800000}, {0x007fffff, 0xff800000}, {0x00800000, 0xc2fc0000}}},
        {"v_rcp_f32",
         rcp_f32,
         reciprocal,
         1,
         {{0xff800000, 0x80000000},
          {0xc0000000, 0xbf000000},
          {0x80000000, 0xff800000},
          {0, 0x7f800000},
          {0x7f800000, 0}},
         {{1, 0x7f800000}, {0x807fffff, 0xff800000}, {0x7f000000, 0}, {0xff7fffff, 0x80000000}}},
        {"v_rsq_f32",
         rsq_f32,
         reciprocal_root,
         1,
         {{0xff800000, any_nan},
          {0x80000000, 0xff800000},
          {0, 0x7f800000},
          {0x40800000, 0x3f000000},
          {0x7f800000, 0}},
         {{1, 0x7f800000}, {0x807fffff, 0xff800000}}},
        {"v_sqrt_f32",
         sqrt_f32,
         std::sqrt,
         1,
         {{0xff800000, any_nan},
          {0x80000000, 0x80000000},
          {0, 0},
          {0x40800000, 0x40000000},
          {0x7f800000, 0x7f800000}},
         {{1, 0}, {0x007fffff, 0}, {0x807fffff, 0x80000000}}},
        {"v_sin_f32",
         sin_f32,
         sine,
         0,
         {{0xff800000, any_nan},
          {0xff7fffff, 0},
          {0x80000000, 0x80000000},
          {0x3e800000, 0x3f800000},
          {0x7f800000, any_nan}},
         {}},
        {"v_cos_f32",
         cos_f32,
         cosine,
         0,
         {{0xff800000, any_nan},
          {0xff7fffff, 0x3f800000},
          {0x80000000, 0x3f800000},
          {0x3e800000, 0},
          {0x7f800000, any_nan}},
         {}},
    };
}

std::vector<row> f16_rows() {
    constexpr std::uint32_t nan = 0x7e00;
    return {
        {"v_exp_f16", exp_f16, std::exp2, 1, {{0xfc00, 0}, {0x8000, 0x3c00}, {0x7c00, 0x7c00}}, {}},
        {"v_log_f16",
         log_f16,
         std::log2,
         1,
         {{0xfc00, nan},
          {0xbc00, nan},
          {0x8000, 0xfc00},
          {0, 0xfc00},
          {0x3c00, 0},
          {0x7c00, 0x7c00}},
         {}},
        {"v_rcp_f16",
         rcp_f16,
         reciprocal,
         1,
         {{0xfc00, 0x8000}, {0xc000, 0xb800}, {0x8000, 0xfc00}, {0, 0x7c00}, {0x7c00, 0}},
         {}},
        {"v_rsq_f16",
         rsq_f16,
         reciprocal_root,
         1,
         {{0xfc00, nan}, {0x8000, 0xfc00}, {0, 0x7c00}, {0x4400, 0x3800}, {0x7c00, 0}},
         {}},
        {"v_sqrt_f16",
         sqrt_f16,
         std::sqrt,
         1,
         {{0xfc00, nan}, {0x8000, 0x8000}, {0, 0}, {0x4400, 0x4000}, {0x7c00, 0x7c00}},
         {}},
        {"v_sin_f16",
         sin_f16,
         sine,
         0,
         {{0xfc00, nan}, {0x8000, 0x8000}, {0x3400, 0x3c00}, {0x7c00, nan}},
         {}},
        {"v_cos_f16",
         cos_f16,
         cosine,
         0,
         {{0xfc00, nan}, {0x8000, 0x3c00}, {0x3400, 0}, {0x7c00, nan}},
         {}},
    };
}

// The distance of two representable numbers around x.
double ulp(const format_facts& f, double x) {
    return std::ldexp(1.0, std::max(std::ilogb(x), f.smallest()) - f.fraction_bits);
}

struct error {
    double ulps = 0;
    double absolute = 0;
    std::uint32_t at = 0;
    int count = 0;  // results that are not correctly rounded
};

// Over the results that are finite and, for f32, neither come from nor are denormals.
error largest_error(const format_facts& f, double (*exact)(double),
                    const std::vector<operands>& from, const std::vector<std::uint32_t>& results,
                    bool by_ulps) {
    error worst;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double x = value_of(f, from[i].x & ((std::uint64_t{1} << f.bits()) - 1));
        const double wanted = exact(x);
        const double least = f.bits() == 32 ? std::ldexp(1.0, f.smallest()) : 0;
        const double most = value_of(f, encode(f, 1e300, rounding::to_zero));
        if (!std::isfinite(wanted) || wanted == 0 || !std::isfinite(x) || std::fabs(x) < least ||
            std::fabs(wanted) < least || std::fabs(wanted) > most) {
            continue;
        }
        const double got = value_of(f, results[i] & ((std::uint64_t{1} << f.bits()) - 1));
        const double difference = std::fabs(got - wanted);
        const double ulps = std::isfinite(got) ? difference / ulp(f, wanted) : 1e9;
        worst.count += ulps > 0.5 ? 1 : 0;
        if (by_ulps ? ulps > worst.ulps : difference > worst.absolute) {
            worst.at = from[i].x;
        }
        worst.ulps = std::max(worst.ulps, ulps);
        worst.absolute = std::max(worst.absolute, difference);
    }
    return worst;
}

finding error_finding(const error& e, double bound, bool is_periodic) {
    finding found;
    found.said = bound == 0        ? verdict::cannot
                 : e.ulps <= bound ? verdict::same
                                   : verdict::different;
    // Near a zero of a periodic function only the absolute error means something.
    found.seen = (is_periodic ? format("%.3g absolute", e.absolute) : format("%.4g ulp", e.ulps)) +
                 format(", at 0x%08x; %d results are not the nearest", e.at, e.count);
    found.value = is_periodic ? e.absolute : e.ulps;
    found.unit = is_periodic ? "absolute" : "ulp";
    return found;
}

void rows(report& to, const format_facts& f, const std::vector<row>& all,
          const std::vector<operands>& patterns) {
    for (const row& r : all) {
        const std::string name = r.name;
        const bool is_periodic = r.bound == 0;
        to.measure(name + " error", is_periodic ? "no bound" : format("at most %g ulp", r.bound),
                   is_periodic ? "documented by nobody" : "ISA guide, chapter 12", [&] {
                       return error_finding(largest_error(f, r.exact, patterns,
                                                          apply(r.kernel, patterns), !is_periodic),
                                            r.bound, is_periodic);
                   });
        to.measure(name + " digest", "nothing", "published by nobody", [&] {
            std::vector<std::uint32_t> results = apply(r.kernel, patterns);
            for (std::uint32_t& result : results) {
                result = f.bits() == 32 ? one_nan(result) : one_nan_f16(result & 0xffff);
            }
            finding found;
            found.seen =
                format("%016llx of %zu results",
                       static_cast<unsigned long long>(digest_of(results)), results.size());
            return found;
        });
        const auto compare = [&](const std::vector<example>& list) {
            std::vector<operands> from;
            for (const example& e : list) {
                from.push_back({e.x, 0, 0, 0});
            }
            return scan(
                r.kernel, from,
                [&](const operands& o) {
                    return std::find_if(list.begin(), list.end(),
                                        [&](const example& e) { return e.x == o.x; })
                        ->y;
                },
                [&](std::uint32_t y) {
                    return f.bits() == 32 ? one_nan(y) : one_nan_f16(y & 0xffff);
                });
        };
        to.measure(name + " special values", "the guide's examples", "ISA guide, chapter 12",
                   [&] { return compare(r.examples); });
        if (!r.denormals.empty()) {
            to.measure(name + " denormals", "flushed to 0, in and out, also where MODE keeps them",
                       "ISA guide, chapter 12", [&] { return compare(r.denormals); });
        }
    }
}

// The error of an f64 approximation, as a power of 2 of ulp.
finding f64_error(void (*kernel)(const double*, double*, int), double (*exact)(double)) {
    std::vector<double> from;
    for (int exponent = -1000; exponent <= 1000; exponent += 8) {
        for (int n = 0; n < 64; ++n) {
            from.push_back(std::ldexp(1 + (n + 0.37) / 64, exponent));
        }
    }
    const device_buffer<double> in(from);
    device_buffer<double> out(from.size());
    out.fill_bytes(0x5a);
    const double* const x = in.data();
    double* const y = out.data();
    int n = static_cast<int>(from.size());
    const void* arguments[] = {&x, &y, &n};
    check(hipLaunchKernel(reinterpret_cast<const void*>(kernel),
                          dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256),
                          const_cast<void**>(arguments), 0, nullptr),
          "hipLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<double> results = out.to_host();
    double worst = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double wanted = exact(from[i]);
        const double error = std::fabs(results[i] - wanted) / ulp(f64_format, wanted);
        worst = std::max(worst, std::isfinite(error) ? error : 1e300);  // max drops a NaN
    }
    finding found;
    found.said = worst <= 0x1p29 ? verdict::same : verdict::different;
    found.seen = format("2^%.1f ulp in %zu results", std::log2(std::max(worst, 0.5)), from.size());
    found.value = worst;
    found.unit = "ulp";
    return found;
}

}  // namespace

void bits_of_math(const device&, report& to) {
    std::vector<operands> f16_patterns;
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
        f16_patterns.push_back({code, 0, 0, 0});
    }
    rows(to, f32_format, f32_rows(), leading_patterns());
    rows(to, f16_format, f16_rows(), f16_patterns);
    const auto f64 = [&](const char* name, void (*kernel)(const double*, double*, int),
                         double (*exact)(double)) {
        to.measure(std::string(name) + " error", "at most 2^29 ulp", "ISA guide, chapter 12",
                   [&] { return f64_error(kernel, exact); });
    };
    f64("v_rcp_f64", rcp_f64, reciprocal);
    f64("v_rsq_f64", rsq_f64, reciprocal_root);
    f64("v_sqrt_f64", sqrt_f64, std::sqrt);
}

}  // namespace gpu_facts
