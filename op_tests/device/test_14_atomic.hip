// atomic_add: many lanes on one address, the old values, and what is out of range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

constexpr int groups = 4;
constexpr int threads = 128;
constexpr int total = groups * threads;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// Every thread adds x to the vec elements at `at` and notes what was there.
template <class T, int vec>
__global__ void add_to_one(T* p, unsigned size, T x, int at, T* old) {
    const int thread = block_id_x() * threads + thread_id_x();
    const auto before = make_gmem(p, size).template atomic_add<vec>(x, at);
    static_assert(is_same_v<remove_cv_t<decltype(before)>, vector_t<T, vec>>);
    static_for<vec>([&](auto i) { old[thread * vec + i] = before[i.value]; });
}

// All sums on the way are exact in T.
template <class T, int vec>
void check_one_address(T x) {
    constexpr int at = 4;
    std::vector<T> memory(16, static_cast<T>(7.0f));
    const device_buffer<T> p(memory);
    device_buffer<T> old(static_cast<size_t>(total * vec));
    old.fill_bytes(0xff);
    add_to_one<T, vec><<<groups, threads>>>(p.data(), 16 * sizeof(T), x, at, old.data());
    finish();
    const auto got = p.to_host();
    for (int i = 0; i < 16; i++) {
        const bool added = i >= at && i < at + vec;
        const float expected = 7.0f + (added ? static_cast<float>(x) * total : 0.0f);
        ASSERT_EQ(static_cast<float>(got[static_cast<size_t>(i)]), expected) << "element " << i;
    }
    // The old values of an element are 7, 7 + x, 7 + 2 x, ... in some order.
    const auto seen = old.to_host();
    for (int e = 0; e < vec; e++) {
        std::vector<float> values;
        for (int t = 0; t < total; t++) {
            values.push_back(static_cast<float>(seen[static_cast<size_t>(t * vec + e)]));
        }
        std::sort(values.begin(), values.end());
        for (int t = 0; t < total; t++) {
            ASSERT_EQ(values[static_cast<size_t>(t)],
                      7.0f + static_cast<float>(x) * static_cast<float>(t))
                << "old value " << t << " of element " << e;
        }
    }
}

TEST(atomic_add, many_lanes_on_one_address) {
    check_one_address<float, 1>(3.0f);
    check_one_address<float, 2>(1.0f);
    check_one_address<float, 4>(2.0f);
    check_one_address<int32_t, 1>(5);
    check_one_address<int32_t, 2>(5);
    check_one_address<uint32_t, 1>(9);
    check_one_address<fp16_t, 2>(static_cast<fp16_t>(1.0f));
    check_one_address<fp16_t, 4>(static_cast<fp16_t>(2.0f));
}

// bf16 has 8 digits: sums up to 256 are exact, so one wave adds 1 to a memory of zeros.
__global__ void add_bf16(bf16_t* p, bf16_t* old) {
    const bf16x2_t one{static_cast<bf16_t>(1.0f), static_cast<bf16_t>(2.0f)};
    const auto pairs = make_gmem(reinterpret_cast<bf16x2_t*>(p));
    const auto before = pairs.atomic_add(one, 1);
    old[thread_id_x() * 2] = before[0];
    old[thread_id_x() * 2 + 1] = before[1];
}

TEST(atomic_add, pairs_of_bf16) {
    const device_buffer<bf16_t> p(std::vector<bf16_t>(8, static_cast<bf16_t>(0.0f)));
    device_buffer<bf16_t> old(128);
    add_bf16<<<1, 64>>>(p.data(), old.data());
    finish();
    const auto got = p.to_host();
    for (size_t i = 0; i < 8; i++) {
        ASSERT_EQ(static_cast<float>(got[i]), i == 2 ? 64.0f : i == 3 ? 128.0f : 0.0f) << i;
    }
    const auto seen = old.to_host();
    for (size_t e = 0; e < 2; e++) {
        std::vector<float> values;
        for (size_t t = 0; t < 64; t++) {
            values.push_back(static_cast<float>(seen[t * 2 + e]));
        }
        std::sort(values.begin(), values.end());
        for (size_t t = 0; t < 64; t++) {
            ASSERT_EQ(values[t], static_cast<float>(t * (e + 1)));
        }
    }
}

// Lane l adds l + 1 to dword l, counted from s_os and the immediate; `size` bytes are in range.
template <class T, int imm>
__global__ void add_around_the_end(T* p, unsigned size, int s_os, T* old) {
    const int lane = thread_id_x();
    const auto x = static_cast<T>(lane + 1);
    const auto before = make_gmem(p, size).template _atomic_add<1, imm>(x, lane * 4, s_os);
    old[lane] = before[0];
}

template <class T, int imm>
void check_range(int s_os) {
    for (unsigned size = 0; size < 200; size += 3) {
        const device_buffer<T> p(std::vector<T>(128, static_cast<T>(5)));
        device_buffer<T> old(64);
        old.fill_bytes(0xff);
        add_around_the_end<T, imm><<<1, 64>>>(p.data(), size, s_os, old.data());
        finish();
        const auto got = p.to_host();
        const auto seen = old.to_host();
        for (int i = 0; i < 128; i++) {
            const int lane = (i * 4 - s_os - imm) / 4;
            const bool added = lane >= 0 && lane < 64 && i * 4 >= s_os + imm &&
                               static_cast<unsigned>(i * 4 + 4) <= size;
            ASSERT_EQ(got[static_cast<size_t>(i)], static_cast<T>(added ? 5 + lane + 1 : 5))
                << "size " << size << " dword " << i;
        }
        for (int lane = 0; lane < 64; lane++) {
            const bool inside = static_cast<unsigned>(lane * 4 + s_os + imm + 4) <= size;
            ASSERT_EQ(seen[static_cast<size_t>(lane)], static_cast<T>(inside ? 5 : 0))
                << "size " << size << " lane " << lane;
        }
    }
}

TEST(atomic_add, out_of_range_is_dropped_and_reads_0) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "hardware may report a fault for an atomic out of range";
    }
    check_range<float, 0>(0);
    check_range<float, 16>(20);
    check_range<int32_t, 0>(20);
    check_range<uint32_t, 64>(0);
}

// Through a layout and beyond 4 GiB.
__global__ void add_tile(float* p, float* old) {
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(64_I, 3_I, 2_I), make_tuple(2_I, 128_I, 1_I),
                               make_tuple(lane, _, _));
    const fp32x2_t one{1, 2};
    const auto x = concat_vector(one, one, one);
    const auto before = make_gmem(p).atomic_add<2>(x, u, 4);
    make_gmem(old).store<2>(before, u);
    const long long far = 5ll << 32;
    const auto base = reinterpret_cast<float*>(reinterpret_cast<unsigned long long>(p) -
                                               static_cast<unsigned long long>(far));
    atomic_add<1>(make_gmem_wide(base), 10.0f, lane, far / 4 + 512);
}

TEST(atomic_add, through_a_layout_and_beyond_4_gib) {
    std::vector<float> memory(640);
    for (size_t i = 0; i < memory.size(); i++) {
        memory[i] = static_cast<float>(i);
    }
    const device_buffer<float> p(memory);
    device_buffer<float> old(384);
    add_tile<<<1, 64>>>(p.data(), old.data());
    finish();
    const auto got = p.to_host();
    const auto seen = old.to_host();
    for (size_t i = 0; i < memory.size(); i++) {
        const float in_tile = i >= 4 && i < 388 ? static_cast<float>(i % 2 + 1) : 0.0f;
        const float in_row = i >= 512 && i < 576 ? 10.0f : 0.0f;
        ASSERT_EQ(got[i], memory[i] + in_tile + in_row) << "element " << i;
    }
    for (size_t i = 0; i < 384; i++) {
        ASSERT_EQ(seen[i], memory[i + 4]) << "old value " << i;
    }
}

// Without <vec> one element is added to, here of 4 bytes, by every member and function; each form
// has a row of 256 elements, and what was there before goes to the same place of `old`. Where
// nothing else is said the offset of the wave is 0; an immediate of 8 bytes is 2 elements.
template <class Gmem, class Out, class X>
__device__ void add_without_vec(const Gmem& g, const Out& old, X x) {
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(3_I, 64_I), make_tuple(70_I, 1_I), make_tuple(_, lane));
    const auto single = make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane));
    const auto three = concat_vector(x, x, x);
    old.store(g._atomic_add(x, lane * 8 + 8), lane * 2, 2);
    old.store(g.atomic_add(x, lane * 2, 256 + 3), lane * 2, 256 + 3);
    old.store(atomic_add(g, x, lane * 2, 2 * 256 + 3), lane * 2, 2 * 256 + 3);
    old.store(g.atomic_add(three, u, 3 * 256 + 5, 8_I), u, 3 * 256 + 5 + 2);
    old.store(atomic_add(g, three, u + number<4 * 256 + 5>{}), u, 4 * 256 + 5);
    old.store(g.atomic_add(x, single, 5 * 256 + 9), single, 5 * 256 + 9);
}
template <class T, bool is_wide>
__global__ void add_rows(T* p, T* old) {
    vector_t<get_value_t<T>, vector_traits<T>::size()> x{};
    static_for<size<decltype(x)>()>(
        [&](auto i) { x[i.value] = static_cast<get_value_t<T>>(thread_id_x() + 1 + i.value); });
    if constexpr (is_wide) {
        add_without_vec(make_gmem_wide(p), make_gmem(old), x);
    } else {
        add_without_vec(make_gmem(p), make_gmem(old), x);
    }
}

// T is an element of N numbers.
template <class T, int N, bool is_wide>
void check_rows() {
    using V = get_value_t<T>;
    static_assert(sizeof(T) == 4 && sizeof(V) * N == 4);
    constexpr int count = 6 * 256 * N;
    std::vector<V> memory;
    for (int i = 0; i < count; i++) {
        memory.push_back(static_cast<V>(i % 200));
    }
    const device_buffer<V> p(memory);
    const device_buffer<V> old(std::vector<V>(count, static_cast<V>(-1.0f)));
    add_rows<T, is_wide>
        <<<1, 64>>>(reinterpret_cast<T*>(p.data()), reinterpret_cast<T*>(old.data()));
    finish();
    std::vector<V> expected = memory;
    std::vector<V> expected_old(count, static_cast<V>(-1.0f));
    const auto add = [&](int element, int lane) {
        for (int n = 0; n < N; n++) {
            const size_t i = static_cast<size_t>(element * N + n);
            expected.at(i) = static_cast<V>(memory[i] + static_cast<V>(lane + 1 + n));
            expected_old.at(i) = memory[i];
        }
    };
    for (int lane = 0; lane < 64; lane++) {
        add(lane * 2 + 2, lane);
        add(256 + lane * 2 + 3, lane);
        add(2 * 256 + lane * 2 + 3, lane);
        for (int i = 0; i < 3; i++) {
            add(3 * 256 + i * 70 + lane + 5 + 2, lane);
            add(4 * 256 + i * 70 + lane + 5, lane);
        }
        add(5 * 256 + lane + 9, lane);
    }
    const auto got = p.to_host();
    const auto seen = old.to_host();
    for (size_t i = 0; i < count; i++) {
        ASSERT_EQ(static_cast<float>(got[i]), static_cast<float>(expected[i])) << "number " << i;
        ASSERT_EQ(static_cast<float>(seen[i]), static_cast<float>(expected_old[i]))
            << "old value " << i;
    }
}

TEST(atomic_add, without_vec_it_is_one_element) {
    check_rows<float, 1, false>();
    check_rows<int32_t, 1, false>();
    check_rows<fp16x2_t, 2, false>();
    check_rows<float, 1, true>();
    check_rows<fp16x2_t, 2, true>();
}

}  // namespace
