// How a matrix instruction may add C and the products of one element of the result. Written from
// the published description of gfx942 (Xie et al., arXiv 2511.10909), on doubles and integers; a
// reference for gpu_facts and for nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats.hpp"

namespace gpu_facts {

// A rule for sums. group 0: one fused multiply-add after the other. group < 0: the exact sum,
// rounded once. Otherwise so many products at once, the group's result being the C of the next;
// with `halves` those of even k and those of odd k are added apart first.
struct sum_rule {
    int group = 0;
    bool halves = false;

    bool operator==(const sum_rule& o) const { return group == o.group && halves == o.halves; }
};

inline std::string name_of(const sum_rule& r) {
    if (r.group == 0) {
        return "one fma after another";
    }
    if (r.group < 0) {
        return "the exact sum rounded once";
    }
    return "groups of " + std::to_string(r.group) + (r.halves ? ", even and odd k apart" : "");
}

// floor(x * 2^shift) and the same toward zero, for |x| < 2^62. A shift beyond 62 is not asked for.
inline std::int64_t floor_shift(std::int64_t x, int shift) {
    return shift >= 0    ? x * (std::int64_t{1} << shift)
           : shift < -62 ? (x < 0 ? -1 : 0)
                         : x >> -shift;
}
inline std::int64_t cut_shift(std::int64_t x, int shift) {
    return x < 0 ? -floor_shift(-x, shift) : floor_shift(x, shift);
}

// Products and C in the end hold no special value. Significands have at most 23 bits behind the
// point, those of products 46.
class group_sum {
public:
    group_sum(bool halves, bool forgets_c) : halves_(halves), forgets_c_(forgets_c) {}

    // The terms of the products, in the order of k.
    float operator()(const std::vector<number>& products, const number& c) const {
        part all;
        if (halves_) {
            const part even = sum(products, 0, 2);
            const part odd = sum(products, 1, 2);
            all.exponent = even.exponent > odd.exponent ? even.exponent : odd.exponent;
            all.sum = floor_shift(even.sum, even.exponent - all.exponent) +
                      floor_shift(odd.sum, odd.exponent - all.exponent);
        } else {
            all = sum(products, 0, 1);
        }
        const int top = all.exponent > c.exponent ? all.exponent : c.exponent;
        // In units of 2^(top - 31).
        std::int64_t total = floor_shift(all.sum, 31 - digits + all.exponent - top);
        const auto c_units = static_cast<std::int64_t>(std::ldexp(c.significand, 23));
        if (!(forgets_c_ && c.exponent < top - 25)) {
            total += floor_shift(c_units, digits - 23 + c.exponent - top) * (1 << (31 - digits));
        }
        return static_cast<float>(std::ldexp(static_cast<double>(total), top - 31));
    }

private:
    static constexpr int digits = 24;  // behind the point, of terms and sums

    struct part {
        std::int64_t sum = 0;  // in units of 2^(exponent - digits)
        int exponent = 0;
    };

    static part sum(const std::vector<number>& products, std::size_t first, std::size_t step) {
        part p;
        p.exponent = products[first].exponent;
        for (std::size_t k = first; k < products.size(); k += step) {
            p.exponent = products[k].exponent > p.exponent ? products[k].exponent : p.exponent;
        }
        for (std::size_t k = first; k < products.size(); k += step) {
            const auto units = static_cast<std::int64_t>(std::ldexp(products[k].significand, 46));
            p.sum += cut_shift(units, digits - 46 + products[k].exponent - p.exponent);
        }
        return p;
    }

    bool halves_;
    bool forgets_c_;
};

// One element of the result, by a rule. A and B are operands along k, as numbers; f64 has f64 sums.
// Of a NaN only that it is one is known.
inline double matrix_sum(const sum_rule& rule, const std::vector<number>& a,
                         const std::vector<number>& b, const number& c, bool is_f64) {
    const std::size_t count = a.size();
    if (rule.group == 0 && is_f64) {
        double sum = c.value();
        for (std::size_t k = 0; k < count; ++k) {
            sum = std::fma(a[k].value(), b[k].value(), sum);
        }
        return sum;
    }
    if (rule.group == 0) {
        float sum = static_cast<float>(c.value());
        for (std::size_t k = 0; k < count; ++k) {
            sum =
                std::fmaf(static_cast<float>(a[k].value()), static_cast<float>(b[k].value()), sum);
        }
        return static_cast<double>(sum);
    }
    if (rule.group < 0) {
        // Of at most 8-bit significands in f16's range and below long double has all bits.
        long double sum = c.value();
        for (std::size_t k = 0; k < count; ++k) {
            sum += static_cast<long double>(a[k].value()) * b[k].value();
        }
        return static_cast<double>(static_cast<float>(sum));
    }
    number sum = c;
    const auto group = static_cast<std::size_t>(rule.group);
    for (std::size_t first = 0; first < count; first += group) {
        std::vector<number> products;
        bool has_special = sum.is != number::finite;
        double special = has_special ? sum.value() : 0;  // only infinities and NaNs count
        for (std::size_t k = first; k < first + group && k < count; ++k) {
            number p;
            p.significand = a[k].significand * b[k].significand;
            p.exponent = a[k].exponent + b[k].exponent;
            if (a[k].is != number::finite || b[k].is != number::finite) {
                has_special = true;
                special += a[k].value() * b[k].value();
            } else if (std::fabs(p.value()) >= 0x1p128) {
                has_special = true;
                special += p.significand * std::numeric_limits<double>::infinity();
            }
            products.push_back(p);
        }
        const float result = has_special ? static_cast<float>(special)
                                         : group_sum(rule.halves, rule.halves)(products, sum);
        sum = decode(f32_format, bits_of(result));
    }
    return sum.value();
}

}  // namespace gpu_facts
