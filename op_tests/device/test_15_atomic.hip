// Atomics of LDS, and those of global memory that are not atomic_add: what every form changes and
// returns, many lanes on one place, and what is out of range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <type_traits>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

constexpr int threads = 256;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// The largest and smallest float of the ISA guide (9.2.3): a quiet NaN comes last, -0 before +0.
inline bool is_before(float a, float b) {
    return a < b || (a == 0 && b == 0 && std::signbit(a) && !std::signbit(b));
}
template <class T>
T smallest(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return std::min(a, b);
    } else {
        return std::isnan(a) || is_before(b, a) ? b : a;
    }
}
template <class T>
T largest(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return std::max(a, b);
    } else {
        return std::isnan(a) || is_before(a, b) ? b : a;
    }
}
template <class T>
T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    } else {
        return a + b;
    }
}

#define OPERATION(name, member, expression)                                     \
    struct name {                                                               \
        template <int vec, class Memory, class... Args>                         \
        static __device__ auto elements(const Memory& m, const Args&... args) { \
            return m.template atomic_##member<vec>(args...);                    \
        }                                                                       \
        template <int vec, class Memory, class... Args>                         \
        static __device__ auto function(const Memory& m, const Args&... args) { \
            return atomic_##member<vec>(m, args...);                            \
        }                                                                       \
        template <class T>                                                      \
        static T on_host(T a, T b) {                                            \
            return expression;                                                  \
        }                                                                       \
    };
OPERATION(of_add, add, sum(a, b))
OPERATION(of_max, max, largest(a, b))
OPERATION(of_min, min, smallest(a, b))
OPERATION(of_and, and, static_cast<T>(a& b))
OPERATION(of_or, or, static_cast<T>(a | b))
#undef OPERATION

// ---- every form, on places of its own ----

constexpr int regions = 6;

template <class T, class Op, int vec, bool is_lds, class Memory>
__device__ void each_form(const Memory& m, const T* p, T* old) {
    constexpr int n = threads * vec;
    const int t = thread_id_x();
    const auto x = make_gmem(p).template load<vec>(t * vec);
    const auto note = [&](int region, const auto& before) {
        static_assert(is_same_v<std::decay_t<decltype(before)>, vector_t<T, vec>>);
        make_gmem(old).template store<vec>(before, region * n + t * vec);
    };
    note(0, Op::template elements<vec>(m, x, t * vec));
    note(1, Op::template elements<vec>(m, x, n + t * vec));
    note(2, Op::template function<vec>(m, x, 2 * n + t * vec));
    const auto u = make_layout(make_tuple(2_I, number<threads>{}, number<vec>{}),
                               make_tuple(number<n>{}, number<vec>{}, 1_I), make_tuple(_, t, _)) +
                   number<3 * n>{};
    const auto before = Op::template elements<vec>(m, concat_vector(x, x), u);
    make_gmem(old).template store<vec>(before, u);
    // With an immediate offset, in bytes, behind what each memory has as its third argument.
    constexpr int imm = 40;
    using second = __type_pack_element<is_lds, int, auto_wait>;
    note(5, Op::template elements<vec>(m, x, 5 * n + t * vec - imm / 4, second{}, number<imm>{}));
}
template <class T, class Op, int vec, bool is_lds>
__global__ void change_all(T* memory, const T* p, T* old) {
    if constexpr (is_lds) {
        __shared__ T lds[regions * threads * vec];
        for (int i = thread_id_x(); i < regions * threads * vec; i += threads) {
            lds[i] = memory[i];
        }
        sync_threads();
        each_form<T, Op, vec, true>(make_smem(lds), p, old);
        sync_threads();
        for (int i = thread_id_x(); i < regions * threads * vec; i += threads) {
            memory[i] = lds[i];
        }
    } else {
        each_form<T, Op, vec, false>(make_gmem(memory), p, old);
    }
}

// All NaNs are one.
template <class T>
uint32_t bits_of(T x) {
    if constexpr (!std::is_integral_v<T>) {
        return std::isnan(x) ? ~0u : __builtin_bit_cast(uint32_t, x);
    } else {
        return static_cast<uint32_t>(x);
    }
}
template <class T>
std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>) {
        return {
            limits::lowest(),   limits::max(), 0,          1,          static_cast<T>(-1),
            static_cast<T>(-2), 0x0f0f0f0f,    0x00ff00ff, 0x12345678, static_cast<T>(0xf0000001)};
    } else {
        return {0.0f,
                -0.0f,
                1.0f,
                -1.0f,
                3.5f,
                limits::lowest(),
                limits::max(),
                limits::infinity(),
                -limits::infinity(),
                limits::denorm_min(),
                -limits::denorm_min(),
                limits::min(),
                limits::quiet_NaN()};
    }
}

template <class T, class Op, int vec, bool is_lds>
void check_forms() {
    constexpr size_t n = threads * vec;
    const auto values = edges<T>();
    std::vector<T> memory;
    std::vector<T> x;
    for (size_t r = 0; r < regions; r++) {
        for (size_t i = 0; i < n; i++) {
            memory.push_back(values[(i / values.size() + r) % values.size()]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        x.push_back(values[i % values.size()]);
    }
    const device_buffer<T> device_memory(memory);
    const device_buffer<T> device_x(x);
    device_buffer<T> old(memory.size());
    old.fill_bytes(0x55);
    change_all<T, Op, vec, is_lds>
        <<<1, threads>>>(device_memory.data(), device_x.data(), old.data());
    finish();
    const auto got = device_memory.to_host();
    const auto seen = old.to_host();
    for (size_t i = 0; i < memory.size(); i++) {
        ASSERT_EQ(bits_of(seen[i]), bits_of(memory[i]))
            << "old value " << i % n << " of form " << i / n;
        ASSERT_EQ(bits_of(got[i]), bits_of(Op::on_host(memory[i], x[i % n])))
            << "element " << i % n << " of form " << i / n << ": " << memory[i] << " and "
            << x[i % n];
    }
}
template <class T, class Op>
void check_both() {
    check_forms<T, Op, 1, true>();
    check_forms<T, Op, 2, true>();
    check_forms<T, Op, 1, false>();
    check_forms<T, Op, 2, false>();
}

TEST(atomics, of_integers_in_every_form) {
    check_both<int32_t, of_add>();
    check_both<int32_t, of_max>();
    check_both<int32_t, of_min>();
    check_both<int32_t, of_and>();
    check_both<int32_t, of_or>();
    check_both<uint32_t, of_add>();
    check_both<uint32_t, of_max>();
    check_both<uint32_t, of_min>();
    check_both<uint32_t, of_and>();
    check_both<uint32_t, of_or>();
}
TEST(atomics, of_floats_in_lds) {
    check_forms<float, of_add, 1, true>();
    check_forms<float, of_max, 1, true>();
    check_forms<float, of_min, 1, true>();
    check_forms<float, of_add, 2, true>();
    check_forms<float, of_max, 2, true>();
    check_forms<float, of_min, 2, true>();
}

// ---- many lanes on one place ----

// Three places. That all lanes go to one the compiler sees of the first and of the last, but not of
// the second, which is 2 in all of `at`.
template <class T, class Op, bool is_lds>
__global__ void change_one(T* memory, const T* p, const int* at, T* old) {
    __shared__ T lds[4];
    const int t = thread_id_x();
    const T x = p[t];
    const auto both = [&](const auto& m) {
        old[t] = Op::template elements<1>(m, x, 1)[0];
        old[threads + t] = Op::template elements<1>(m, x, at[t])[0];
        Op::template elements<1>(m, x, 3);
    };
    if constexpr (is_lds) {
        if (t < 4) {
            lds[t] = memory[t];
        }
        sync_threads();
        both(make_smem(lds));
        sync_threads();
        if (t < 4) {
            memory[t] = lds[t];
        }
    } else {
        both(make_gmem(memory));
    }
}
// The old values say in which order those came that changed something: each found what the one
// before left, from `first` on.
template <class T, class Op, bool is_lds>
void check_one_place(T first) {
    std::vector<T> x;
    std::mt19937 random(5);
    for (int i = 0; i < threads; i++) {
        const int value = i % 2 == 0 ? 3 * i + 1 : -3 * i - 1;
        x.push_back(std::is_same_v<Op, of_or>    ? static_cast<T>(1u << i % 31)
                    : std::is_same_v<Op, of_and> ? static_cast<T>(~(1u << i % 31))
                                                 : static_cast<T>(value));
    }
    std::shuffle(x.begin(), x.end(), random);
    const device_buffer<T> memory(std::vector<T>(4, first));
    const device_buffer<T> device_x(x);
    const device_buffer<int> at(std::vector<int>(threads, 2));
    device_buffer<T> old(2 * threads);
    old.fill_bytes(0x55);
    change_one<T, Op, is_lds>
        <<<1, threads>>>(memory.data(), device_x.data(), at.data(), old.data());
    finish();
    T expected = first;
    for (const T value : x) {
        expected = Op::on_host(expected, value);
    }
    const auto got = memory.to_host();
    EXPECT_EQ(got[0], first);
    EXPECT_EQ(got[1], expected);
    EXPECT_EQ(got[2], expected);
    EXPECT_EQ(got[3], expected);
    const auto seen = old.to_host();
    for (size_t place = 0; place < 2; place++) {
        std::map<T, T> found;  // by those whose x changes it
        for (size_t t = 0; t < threads; t++) {
            const T before = seen[place * threads + t];
            const T after = Op::on_host(before, x[t]);
            if (after != before) {
                ASSERT_TRUE(found.emplace(before, after).second) << "found twice: " << before;
            }
        }
        T so_far = first;
        for (size_t i = 0; i < found.size(); i++) {
            ASSERT_EQ(found.count(so_far), 1u) << "nobody found " << so_far;
            so_far = found[so_far];
        }
        EXPECT_EQ(so_far, expected) << "place " << place;
    }
}

TEST(atomics, of_many_lanes_on_one_place) {
    check_one_place<int32_t, of_max, true>(-5);
    check_one_place<int32_t, of_min, true>(-5);
    check_one_place<uint32_t, of_max, true>(5);
    check_one_place<uint32_t, of_min, true>(~0u);
    check_one_place<uint32_t, of_or, true>(0);
    check_one_place<int32_t, of_and, true>(-1);
    check_one_place<float, of_max, true>(-5);
    check_one_place<float, of_min, true>(-5);
    check_one_place<int32_t, of_max, false>(-5);
    check_one_place<int32_t, of_min, false>(-5);
    check_one_place<uint32_t, of_or, false>(0);
    check_one_place<int32_t, of_and, false>(-1);
    check_one_place<uint32_t, of_max, false>(5);
    check_one_place<uint32_t, of_min, false>(~0u);
}

// Every old value once: a partial sum of ones.
template <class T>
__global__ void count(T* old, T* total) {
    __shared__ T lds[1];
    if (thread_id_x() == 0) {
        lds[0] = 0;
    }
    sync_threads();
    old[thread_id_x()] = make_smem(lds).atomic_add(static_cast<T>(1), 0)[0];
    sync_threads();
    total[thread_id_x()] = lds[0];
}
template <class T>
void check_count() {
    device_buffer<T> old(threads);
    device_buffer<T> total(threads);
    count<T><<<1, threads>>>(old.data(), total.data());
    finish();
    auto seen = old.to_host();
    std::sort(seen.begin(), seen.end());
    const auto totals = total.to_host();
    for (size_t t = 0; t < threads; t++) {
        ASSERT_EQ(seen[t], static_cast<T>(t));
        ASSERT_EQ(totals[t], static_cast<T>(threads));
    }
}
TEST(atomics, count_in_lds) {
    check_count<int32_t>();
    check_count<uint32_t>();
    check_count<float>();
}

// ---- global memory: what is out of range ----

template <class T, class Op>
__global__ void change_around_the_end(T* p, unsigned size, int s_os, T x, T* old) {
    const int lane = thread_id_x();
    old[lane] = Op::template elements<1>(make_gmem(p, size), x, lane, s_os / 4)[0];
}
template <class T, class Op>
void check_range(int s_os, T there, T x) {
    const T changed = Op::on_host(there, x);
    ASSERT_NE(changed, there);
    for (unsigned size = 0; size < 200; size += 3) {
        const device_buffer<T> p(std::vector<T>(128, there));
        device_buffer<T> old(64);
        old.fill_bytes(0xff);
        change_around_the_end<T, Op><<<1, 64>>>(p.data(), size, s_os, x, old.data());
        finish();
        const auto got = p.to_host();
        const auto seen = old.to_host();
        for (int i = 0; i < 128; i++) {
            const bool touched =
                i * 4 >= s_os && i * 4 < s_os + 256 && static_cast<unsigned>(i * 4 + 4) <= size;
            ASSERT_EQ(got[static_cast<size_t>(i)], touched ? changed : there)
                << "size " << size << " dword " << i;
        }
        for (int lane = 0; lane < 64; lane++) {
            const bool inside = static_cast<unsigned>(lane * 4 + s_os + 4) <= size;
            ASSERT_EQ(seen[static_cast<size_t>(lane)], inside ? there : 0)
                << "size " << size << " lane " << lane;
        }
    }
}
TEST(atomics, out_of_range_nothing_changes) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "hardware may report a fault for an atomic out of range";
    }
    check_range<int32_t, of_max>(0, -7, 5);
    check_range<uint32_t, of_max>(20, 7, 9);
    check_range<int32_t, of_min>(20, 7, -5);
    check_range<uint32_t, of_min>(0, 9, 7);
}

}  // namespace
