// Division as clang makes it, compiled twice: with denormals and with
// -fgpu-flush-denormals-to-zero, where the f32 sequence switches MODE and the kernel's descriptor
// flushes f32. 2^20 pairs each of f32 and f64 that are hard to round: every quotient is compared with
// the host's. Also sums and products of f32 with denormals.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#define __global__ __attribute__((global))

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
};
typedef int hipError_t;
typedef struct ihipStream_t* hipStream_t;

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}

constexpr uint32_t pairs = 1u << 20;

enum class operation { divide, add, multiply };

template <class T, operation Op>
__global__ void compute(T* out, const T* a, const T* b) {
    const uint32_t n = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    out[n] = Op == operation::divide ? a[n] / b[n]
             : Op == operation::add  ? a[n] + b[n]
                                     : a[n] * b[n];
}

template <class T>
struct format;
template <>
struct format<float> {
    using bits = uint32_t;
    static constexpr int mantissa = 23;
    static constexpr int exponents = 255;
};
template <>
struct format<double> {
    using bits = uint64_t;
    static constexpr int mantissa = 52;
    static constexpr int exponents = 2047;
};

template <class To, class From>
To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

template <class T>
struct pair {
    T numerator;
    T denominator;
};

// Bits of a number with this exponent field, and a mantissa that is random, all ones or all but a few
// zeros or ones.
template <class T>
T number(std::mt19937_64& random, int exponent) {
    using bits = typename format<T>::bits;
    constexpr bits ones = (bits{1} << format<T>::mantissa) - 1;
    const bits low = static_cast<bits>(random()) & 7;
    bits mantissa = static_cast<bits>(random()) & ones;
    switch (random() % 5) {
        case 0:
            mantissa = ones;
            break;
        case 1:
            mantissa = ones - low;
            break;
        case 2:
            mantissa = low;
            break;
        case 3:
            mantissa >>= random() % format<T>::mantissa;
            break;  // short, for a subnormal
        default:
            break;
    }
    const bits sign = static_cast<bits>(random() & 1) << (sizeof(T) * 8 - 1);
    return bits_as<T>(
        static_cast<bits>(sign | static_cast<bits>(exponent) << format<T>::mantissa | mantissa));
}

template <class T>
pair<T> hard_pair(std::mt19937_64& random) {
    using bits = typename format<T>::bits;
    constexpr int last = format<T>::exponents;
    constexpr int bias = last / 2;
    const auto any = [&](int from, int to) {
        return from + static_cast<int>(random() % static_cast<uint64_t>(to - from + 1));
    };
    const auto next_to = [&](T value) {
        return bits_as<T>(static_cast<bits>(bits_as<bits>(value) + random() % 5 - 2));
    };
    const auto scaled = [](T value, int power) {
        return static_cast<T>(__builtin_ldexp(static_cast<double>(value), power));
    };
    switch (random() % 8) {
        // Quotients around half the smallest subnormal number, 2^-150 and 2^-1075, up to the smallest
        // normal one.
        case 0:
        case 1: {
            const T denominator = number<T>(random, any(bias - 20, last - 1));
            const int power = -(bias - 1 + format<T>::mantissa + 1) + any(-1, 2);
            return {next_to(scaled(denominator, power)), denominator};
        }
        case 2: {
            const int exponent = any(bias + 1, last - 1);
            const int other = exponent - bias + 1 - any(-3, format<T>::mantissa + 4);
            return {number<T>(random, other > 0 ? other : 0), number<T>(random, exponent)};
        }
        // Next to the middle between two quotients.
        case 3: {
            const T denominator = number<T>(random, any(bias - 60, bias + 60));
            const T quotient = number<T>(random, any(bias - 60, bias + 60));
            return {next_to(denominator * quotient), denominator};
        }
        // Subnormal operands.
        case 4:
            return {number<T>(random, 0), number<T>(random, any(0, last))};
        case 5:
            return {number<T>(random, any(0, last)), number<T>(random, 0)};
        // Divisors with only ones.
        case 6: {
            const T divisor = number<T>(random, any(1, last - 1));
            constexpr bits ones = (bits{1} << format<T>::mantissa) - 1;
            return {number<T>(random, any(0, last)),
                    bits_as<T>(static_cast<bits>(bits_as<bits>(divisor) | ones))};
        }
        default:
            return {number<T>(random, any(0, last)), number<T>(random, any(0, last))};
    }
}

// What the mode makes of an operand or a result.
template <class T>
T in_mode(T value) {
#ifdef FLUSHES
    constexpr bool flushes = sizeof(T) == 4;
#else
    constexpr bool flushes = false;
#endif
    using bits = typename format<T>::bits;
    constexpr bits exponent = static_cast<bits>(format<T>::exponents) << format<T>::mantissa;
    constexpr bits sign = bits{1} << (sizeof(T) * 8 - 1);
    const bits raw = bits_as<bits>(value);
    return flushes && (raw & exponent) == 0 ? bits_as<T>(static_cast<bits>(raw & sign)) : value;
}

template <class T, operation Op>
int check(const char* name) {
    using bits = typename format<T>::bits;
    std::mt19937_64 random(1);
    std::vector<T> a(pairs);
    std::vector<T> b(pairs);
    std::vector<T> result(pairs);
    for (uint32_t n = 0; n < pairs; ++n) {
        const pair<T> p = hard_pair<T>(random);
        a[n] = p.numerator;
        b[n] = p.denominator;
    }
    constexpr size_t bytes = sizeof(T) * pairs;
    T* device[3] = {};
    for (T*& memory : device) {
        if (hipMalloc(reinterpret_cast<void**>(&memory), bytes) != 0) {
            return 1;
        }
    }
    if (hipMemcpy(device[1], a.data(), bytes, 1) != 0 ||
        hipMemcpy(device[2], b.data(), bytes, 1) != 0) {
        return 1;
    }
    compute<T, Op><<<dim3(pairs / 256), 256>>>(device[0], device[1], device[2]);
    if (hipMemcpy(result.data(), device[0], bytes, 2) != 0) {
        return 1;
    }
    int wrong = 0;
    uint32_t subnormal = 0;
    for (uint32_t n = 0; n < pairs; ++n) {
        const T x = in_mode(a[n]);
        const T y = in_mode(b[n]);
        const T exact = Op == operation::divide ? x / y : Op == operation::add ? x + y : x * y;
        const T expected = in_mode(exact);
        subnormal += expected != 0 &&
                     bits_as<bits>(expected < 0 ? -expected : expected) >> format<T>::mantissa == 0;
        const bool same = bits_as<bits>(expected) == bits_as<bits>(result[n]) ||
                          (expected != expected && result[n] != result[n]);
        if (!same && wrong++ < 5) {
            std::printf("%s of %a and %a: got %a, wanted %a\n", name, static_cast<double>(a[n]),
                        static_cast<double>(b[n]), static_cast<double>(result[n]),
                        static_cast<double>(expected));
        }
    }
    std::printf("%s: %d of %u are wrong; %u results are subnormal\n", name, wrong, pairs,
                subnormal);
    return wrong;
}

int main() {
    int wrong = check<float, operation::divide>("f32 quotient");
    wrong += check<double, operation::divide>("f64 quotient");
    wrong += check<float, operation::add>("f32 sum");
    wrong += check<float, operation::multiply>("f32 product");
    return wrong == 0 ? 0 : 1;
}
