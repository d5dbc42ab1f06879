// opus_plus.hpp: chunked loads and stores, scaled_cast, and sorting. What is expected comes from the
// formulas of the reference (section 19) and the tables of the formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

constexpr size_t lanes = 64;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// ---- chunks ----

// Element e of a lane whose row begins at `row`.
size_t place(size_t row, size_t e, size_t per_chunk, bool interleave, size_t threads) {
    return row + e / per_chunk * per_chunk * (interleave ? threads : 1) + e % per_chunk;
}

// Where the row of a lane begins. Interleaved, Threads lanes share one of Threads * Size elements.
template <int Size, int PerChunk, bool Interleave, int Threads>
__host__ __device__ int row_of(int lane) {
    return 48 +
           (Interleave ? lane / Threads * Threads * Size + lane % Threads * PerChunk : lane * Size);
}

template <class T, int Size, int Bytes, bool Interleave, int Threads>
__global__ void load_chunks(const T* p, unsigned count, T* out) {
    const auto g = make_gmem(p, count * static_cast<unsigned>(sizeof(T)));
    const int lane = thread_id_x();
    const auto v = load_vector_nbytes<T, Size, Bytes, 0, Interleave, Threads>(
        g, row_of<Size, Bytes / static_cast<int>(sizeof(T)), Interleave, Threads>(lane));
    static_assert(is_same_v<decltype(v), const vector_t<T, Size>>);
    for (int e = 0; e < Size; e++) {
        out[lane * Size + e] = v[e];
    }
}
template <class T, int Size, int Bytes, bool Interleave, int Threads>
__global__ void store_chunks(T* p, unsigned count) {
    const auto g = make_gmem(p, count * static_cast<unsigned>(sizeof(T)));
    const int lane = thread_id_x();
    vector_t<T, Size> v;
    for (int e = 0; e < Size; e++) {
        v[e] = static_cast<T>(1 + (lane * Size + e) % 100);
    }
    store_vector_nbytes<T, T, Size, Bytes, 0, Interleave, Threads>(
        g, v, row_of<Size, Bytes / static_cast<int>(sizeof(T)), Interleave, Threads>(lane));
}

template <class T, int Size, int Bytes, bool Interleave = false, int Threads = 64>
void check_chunks() {
    constexpr int per_chunk = Bytes / static_cast<int>(sizeof(T));
    const auto row = [](size_t lane) {
        return static_cast<size_t>(
            row_of<Size, per_chunk, Interleave, Threads>(static_cast<int>(lane)));
    };
    const size_t span = place(row(lanes - 1), Size - 1, per_chunk, Interleave, Threads) + 1;
    const size_t count = span - per_chunk - 4;  // the last chunks are beyond it
    SCOPED_TRACE(span);
    std::vector<T> memory(span);
    for (size_t i = 0; i < span; i++) {
        memory[i] = static_cast<T>(1 + i * 7 % 120);
    }
    device_buffer<T> p(memory);
    device_buffer<T> out(lanes * Size);
    load_chunks<T, Size, Bytes, Interleave, Threads>
        <<<1, lanes>>>(p.data(), static_cast<unsigned>(count), out.data());
    finish();
    const auto loaded = out.to_host();
    // The range is checked by dwords.
    const auto in_range = [&](size_t i) {
        const size_t end = (i + 1) * sizeof(T);
        return Bytes < 4 ? end <= count * sizeof(T) : (end + 3) / 4 * 4 <= count * sizeof(T);
    };
    size_t beyond = 0;
    for (size_t lane = 0; lane < lanes; lane++) {
        for (size_t e = 0; e < Size; e++) {
            const size_t i = place(row(lane), e, per_chunk, Interleave, Threads);
            beyond += !in_range(i);
            ASSERT_EQ(static_cast<float>(loaded[lane * Size + e]),
                      in_range(i) ? static_cast<float>(memory[i]) : 0.0f)
                << "lane " << lane << " element " << e;
        }
    }
    EXPECT_GT(beyond, 0u);

    store_chunks<T, Size, Bytes, Interleave, Threads>
        <<<1, lanes>>>(p.data(), static_cast<unsigned>(count));
    finish();
    std::vector<T> expected = memory;
    for (size_t lane = 0; lane < lanes; lane++) {
        for (size_t e = 0; e < Size; e++) {
            const size_t i = place(row(lane), e, per_chunk, Interleave, Threads);
            if (in_range(i)) {
                expected[i] = static_cast<T>(static_cast<int>(1 + (lane * Size + e) % 100));
            }
        }
    }
    const auto stored = p.to_host();
    for (size_t i = 0; i < span; i++) {
        ASSERT_EQ(static_cast<float>(stored[i]), static_cast<float>(expected[i])) << i;
    }
}

TEST(chunks, of_every_size) {
    check_chunks<u8_t, 5, 1>();
    check_chunks<fp16_t, 6, 2>();
    check_chunks<fp16_t, 8, 4>();
    check_chunks<i32_t, 6, 8>();
    check_chunks<float, 9, 12>();
    check_chunks<float, 16, 16>();
}
TEST(chunks, interleaved) {
    check_chunks<u8_t, 32, 8, true, 32>();
    check_chunks<fp16_t, 32, 16, true>();
    check_chunks<float, 6, 12, true>();
    check_chunks<fp16_t, 6, 4, true, 16>();
}
TEST(chunks, whose_distance_is_beyond_the_immediate_offset) {
    check_chunks<float, 12, 16, true, 256>();   // 4096 and 8192 bytes
    check_chunks<fp16_t, 24, 16, true, 200>();  // 3200 and 6400
}

// ---- what is stored as another type ----

// Code of v, for the target's fp8 (E4M3) and bf8 (E5M2).
bool is_fnuz() {
    hipDeviceProp_t properties;
    examples::check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
    return std::string(properties.gcnArchName).find("gfx942") == 0;
}

template <class R, class T>
__global__ void store_as(const float* p, T* to, float scale) {
    constexpr int count = 8;
    const int lane = thread_id_x();
    fp32x8_t v;
    for (int i = 0; i < count; i++) {
        v[i] = p[i];
    }
    const auto g = make_gmem(to);
    constexpr int stored = count * sizeof_bits_v<R> / sizeof_bits_v<T>;
    store_vector<T, float, count, 0, false, 64, 1, R>(g, v, lane * stored, scale);
}
template <class R, class T>
std::vector<unsigned char> stored_bytes(const std::vector<float>& v, float scale) {
    device_buffer<float> from(v);
    device_buffer<T> to(lanes * 8 * sizeof_bits_v<R> / sizeof_bits_v<T>);
    store_as<R, T><<<1, lanes>>>(from.data(), to.data(), scale);
    finish();
    const auto all = to.to_host();
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    const size_t each = 8 * sizeof_bits_v<R> / 8;
    std::vector<unsigned char> first(bytes, bytes + each);
    for (size_t lane = 1; lane < lanes; lane++) {
        EXPECT_TRUE(std::equal(first.begin(), first.end(), bytes + lane * each)) << lane;
    }
    return first;
}
using bytes = std::vector<unsigned char>;

TEST(store_vector, converts) {
    const float nan = NAN;
    const std::vector<float> v = {0.5f, -1, 1e30f, -1e30f, nan, INFINITY, -INFINITY, 0};
    // Twice these.
    auto fp8 = stored_bytes<fp8_t, fp8_t>(v, 2);
    auto bf8 = stored_bytes<bf8_t, u8_t>(v, 2);
    if (is_fnuz()) {
        EXPECT_EQ(fp8, (bytes{0x40, 0xc8, 0x7f, 0xff, 0x80, 0x7f, 0xff, 0}));
        EXPECT_EQ(bf8, (bytes{0x40, 0xc4, 0x7f, 0xff, 0x80, 0x7f, 0xff, 0}));
    } else {
        EXPECT_EQ(fp8[4] & 0x7f, 0x7f);
        EXPECT_GT(bf8[4] & 0x7f, 0x7c);
        fp8[4] = bf8[4] = 0;
        EXPECT_EQ(fp8, (bytes{0x38, 0xc0, 0x7e, 0xfe, 0, 0x7e, 0xfe, 0}));
        EXPECT_EQ(bf8, (bytes{0x3c, 0xc0, 0x7b, 0xfb, 0, 0x7b, 0xfb, 0}));
    }
    const std::vector<float> w = {0.9f, -0.9f, 100, -100, nan, 63.75f, -64, 1};
    EXPECT_EQ((stored_bytes<i8_t, i8_t>(w, 2)), (bytes{1, 0xff, 127, 0x80, 0, 127, 0x80, 2}));
    // The scale of fp4 divides: halves, whose codes are E2M1 (1.5: 3, 3: 5, 6: 7).
    const std::vector<float> x = {1, 2, 3, 6, -12, 100, 0, -1};
    EXPECT_EQ((stored_bytes<fp4_t, u8_t>(x, 2)), (bytes{0x21, 0x53, 0x7f, 0x90}));
    // fp16 and bf16 take no scale.
    EXPECT_EQ((stored_bytes<fp16_t, fp16_t>({1, -2, 0.5f, 0, 3, 0, 0, 65504}, 2)),
              (bytes{0, 0x3c, 0, 0xc0, 0, 0x38, 0, 0, 0, 0x42, 0, 0, 0, 0, 0xff, 0x7b}));
    EXPECT_EQ((stored_bytes<bf16_t, unsigned short>({1, -2, 0.5f, 0, 3, 0, 0, 256}, 2)),
              (bytes{0x80, 0x3f, 0, 0xc0, 0, 0x3f, 0, 0, 0x40, 0x40, 0, 0, 0, 0, 0x80, 0x43}));
}

// ---- scaled_cast ----

template <class D, class V>
__global__ void scale_and_cast(const V* v, float s, float* out) {
    const auto x = cast<fp32_t>(scaled_cast<D>(*v, s));
    for (int i = 0; i < size<V>(); i++) {
        out[i] = x[i];
    }
}
template <class D, class V>
std::vector<float> scaled(const V& v, float s) {
    device_buffer<V> from(std::vector<V>{v});
    device_buffer<float> out(size<V>());
    scale_and_cast<D><<<1, 1>>>(from.data(), s, out.data());
    finish();
    return out.to_host();
}
using floats = std::vector<float>;

TEST(scaled_cast, to_every_type) {
    const float fp8_max = is_fnuz() ? 240 : 448;
    EXPECT_EQ(scaled<fp8_t>(fp32x2_t{1.5f, -1e9f}, 2), (floats{3, -fp8_max}));
    EXPECT_EQ(scaled<fp8_t>(fp32x4_t{1000, 0.25f, INFINITY, -3}, 0.5f),
              (floats{fp8_max, 0.125f, fp8_max, -1.5f}));
    EXPECT_EQ(scaled<bf8_t>(fp32x2_t{1e5f, -1e9f}, 2), (floats{57344, -57344}));
    EXPECT_TRUE(std::isnan(scaled<fp8_t>(fp32x2_t{NAN, 1}, 2)[0]));
    EXPECT_TRUE(std::isnan(scaled<bf8_t>(fp32x2_t{1, -NAN}, 2)[1]));
    EXPECT_EQ(scaled<i8_t>(fp32x2_t{1.9f, -200}, 1.5f), (floats{2, -128}));
    EXPECT_EQ(scaled<fp16_t>(fp32x2_t{1.5f, -2}, 2), (floats{3, -4}));
    EXPECT_EQ(scaled<bf16_t>(fp32x2_t{1.5f, -2}, 2), (floats{3, -4}));
    EXPECT_EQ(scaled<fp32_t>(fp32x2_t{1.5f, -2}, 2), (floats{3, -4}));
}
TEST(scaled_cast, from_16_and_4_bits) {
    EXPECT_EQ(scaled<fp8_t>(fp16x2_t{static_cast<fp16_t>(1.5f), static_cast<fp16_t>(-8)}, 2),
              (floats{3, -16}));
    EXPECT_EQ(scaled<fp8_t>(cast<bf16_t>(fp32x2_t{1.5f, -8}), 4), (floats{6, -32}));
    const array<fp4_t, 8> codes{fp4_t{1}, fp4_t{2}, fp4_t{3}, fp4_t{4},
                                fp4_t{5}, fp4_t{6}, fp4_t{7}, fp4_t{9}};
    EXPECT_EQ(scaled<fp32_t>(codes, 4), (floats{2, 4, 6, 8, 12, 16, 24, -2}));
    EXPECT_EQ(scaled<fp4_t>(fp32x8_t{2, 4, 6, 8, 12, 16, 100, -2}, 4),
              (floats{0.5f, 1, 1.5f, 2, 3, 4, 6, -0.5f}));
}
TEST(scaled_cast, of_any_even_length) {
    EXPECT_EQ(scaled<fp8_t>(vector_t<float, 6>{1, 2, 3, 4, 5, 6}, 2), (floats{2, 4, 6, 8, 10, 12}));
    EXPECT_EQ(scaled<fp8_t>(vector_t<float, 14>{1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2}, 1),
              (floats{1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2}));
}

// ---- sorting ----

template <int Lanes, class Key>
__global__ void sort_keys(Key* keys, int* values, bool descending, bool merge) {
    const int i = thread_id_x();
    if (merge) {
        const auto [key, value] = bitonic_merge_wave<Lanes>(keys[i], values[i], descending);
        keys[64 + i] = bitonic_merge_wave<Lanes>(keys[i], descending);
        keys[i] = key;
        values[i] = value;
    } else {
        const auto [key, value] = bitonic_sort_wave<Lanes>(keys[i], values[i], descending);
        keys[64 + i] = bitonic_sort_wave<Lanes>(keys[i], descending);
        keys[i] = key;
        values[i] = value;
    }
}
template <int Lanes, class Key>
void check_sort() {
    SCOPED_TRACE(Lanes);
    std::mt19937 random(Lanes);
    for (int round = 0; round < 8; round++) {
        const bool descending = round % 2 == 1;
        const bool merge = round >= 4;
        const bool equal = round % 4 >= 2;  // some keys are equal
        std::vector<Key> keys(2 * lanes);
        std::vector<int> values(lanes);
        for (size_t i = 0; i < lanes; i++) {
            const auto bits = static_cast<uint32_t>(random());
            keys[i] = equal                        ? static_cast<Key>(bits % 5)
                      : std::is_same_v<Key, float> ? static_cast<Key>(static_cast<int>(bits)) / 3
                                                   : static_cast<Key>(bits);
            values[i] = static_cast<int>(1000 + i);
        }
        if (merge) {  // rises, then falls
            for (size_t group = 0; group < lanes; group += Lanes) {
                Key* const first = &keys[group];
                const size_t peak = random() % Lanes;
                std::sort(first, first + peak);
                std::sort(first + peak, first + Lanes, std::greater<Key>());
            }
        }
        const std::vector<Key> before = keys;
        device_buffer<Key> device_keys(keys);
        device_buffer<int> device_values(values);
        sort_keys<Lanes><<<1, lanes>>>(device_keys.data(), device_values.data(), descending, merge);
        finish();
        const auto sorted = device_keys.to_host();
        const auto moved = device_values.to_host();
        std::vector<int> seen(lanes);
        for (size_t group = 0; group < lanes; group += Lanes) {
            std::vector<Key> expected(before.begin() + static_cast<long>(group),
                                      before.begin() + static_cast<long>(group + Lanes));
            std::sort(expected.begin(), expected.end());
            if (descending) {
                std::reverse(expected.begin(), expected.end());
            }
            for (size_t i = 0; i < Lanes; i++) {
                ASSERT_EQ(sorted[group + i], expected[i]) << "lane " << group + i;
                ASSERT_EQ(sorted[lanes + group + i], expected[i]) << "lane " << group + i;
                const size_t from = static_cast<size_t>(moved[group + i] - 1000);
                ASSERT_LT(from, lanes);
                ASSERT_EQ(from / Lanes, group / Lanes);
                ASSERT_EQ(before[from], expected[i]) << "value of lane " << group + i;
                seen[from]++;
            }
        }
        EXPECT_EQ(seen, std::vector<int>(lanes, 1));  // no value is lost
    }
}
template <class Key>
void check_all_sorts() {
    check_sort<2, Key>();
    check_sort<4, Key>();
    check_sort<8, Key>();
    check_sort<16, Key>();
    check_sort<32, Key>();
    check_sort<64, Key>();
}
TEST(bitonic, fp32) {
    check_all_sorts<float>();
}
TEST(bitonic, i32) {
    check_all_sorts<i32_t>();
}
TEST(bitonic, u32) {
    check_all_sorts<u32_t>();
}

// ---- the rest ----

struct small_results {
    int wave;
    int any, none;
    float rounded[8];
    fp16x2_t down;
    fp32x2_t clamped;
};
__global__ void small_helpers(const float* x, small_results* out) {
    small_results r{};
    const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    r.wave = blockDim.y == 1 ? wave_id() : wave_id(thread);
    r.any = warp_any(thread % 64 == 63) && wave_any(thread % 64 == 63);
    r.none = warp_any(thread < 0) || wave_any(thread < 0);
    const auto v = make_gmem(x).load<4>(0);
    const fp32x4_t nearest = opus::rint(v), below = opus::floor(v);
    for (int i = 0; i < 4; i++) {
        r.rounded[i] = nearest[i];
        r.rounded[4 + i] = i == 0 ? opus::floor(x[0]) : below[i];
    }
    r.down = opus::floor(cast<fp16_t>(fp32x2_t{v[0], v[1]}));
    r.clamped = opus::clamp(fp32x2_t{v[0], v[2]}, -1.0f, 2.0f);
    out[thread] = r;
}
TEST(helpers, of_waves_and_elements) {
    const device_buffer<float> x(std::vector<float>{2.5f, -0.5f, -3.5f, 1e9f});
    for (const dim3 block : {dim3(192), dim3(32, 6)}) {
        const device_buffer<small_results> out(192);
        small_helpers<<<1, block>>>(x.data(), out.data());
        finish();
        const auto got = out.to_host();
        for (size_t i = 0; i < got.size(); i++) {
            ASSERT_EQ(got[i].wave, static_cast<int>(i / 64));
            ASSERT_EQ(got[i].any, 1);
            ASSERT_EQ(got[i].none, 0);
            const float expected[] = {2, -0.0f, -4, 1e9f, 2, -1, -4, 1e9f};
            for (size_t j = 0; j < 8; j++) {
                ASSERT_EQ(got[i].rounded[j], expected[j]) << j;
            }
            ASSERT_EQ(static_cast<float>(got[i].down[0]), 2);
            ASSERT_EQ(static_cast<float>(got[i].down[1]), -1);
            ASSERT_EQ(got[i].clamped[0], 2);
            ASSERT_EQ(got[i].clamped[1], -1);
        }
    }
}
static_assert(ceil_div(8, 4) == 2 && ceil_div(9, 4) == 3 && ceil_div(9ull, 4_I) == 3);
static_assert(is_same_v<decltype(ceil_div(9_I, 4_I)), number<3>>);
static_assert(opus::clamp(5, 0, 3) == 3 && opus::clamp(-1.5f, -1, 1) == -1);

// Which of 16 elements from p on are in range; the sizes that are passed on.
template <class T, class Count>
__global__ void in_range(const T* p, Count count, long_index_t first, unsigned* out) {
    const auto g = make_gmem_elements(p, count, first);
    constexpr int vec = sizeof_bits_v<T> < 8 ? 2 : 1;
    unsigned seen = 0;
    for (int i = 0; i < 16; i += vec) {
        const auto x = g.template load<vec>(i);
        u8_t byte;
        __builtin_memcpy(&byte, &x, 1);
        seen |= (byte != 0 ? 1u : 0u) << i;
    }
    out[0] = seen;
    out[1] = g.size;
}
template <class T, class Count>
std::vector<unsigned> range_of(Count count, long_index_t first = 0) {
    const device_buffer<u8_t> memory(std::vector<u8_t>(256, 0x11));
    const device_buffer<unsigned> out(2);
    in_range<<<1, 1>>>(reinterpret_cast<const T*>(memory.data()), count, first, out.data());
    finish();
    return out.to_host();
}
TEST(make_gmem_elements, counts_elements) {
    EXPECT_EQ(range_of<u8_t>(5), (std::vector<unsigned>{0x1f, 5}));
    EXPECT_EQ(range_of<float>(5u), (std::vector<unsigned>{0x1f, 20}));
    EXPECT_EQ(range_of<fp32x2_t>(3ll), (std::vector<unsigned>{0x7, 24}));
    EXPECT_EQ(range_of<fp16_t>(3_I), (std::vector<unsigned>{0x7, 6}));
    EXPECT_EQ(range_of<fp4_t>(6ll), (std::vector<unsigned>{0x15, 3}));
    EXPECT_EQ(range_of<fp4_t>(5ll), (std::vector<unsigned>{0x15, 3}));
    // 64 bits, and at most 4 GiB - 1.
    EXPECT_EQ(range_of<float>(0x3fffffffull)[1], 0xfffffffcu);
    EXPECT_EQ(range_of<float>(0x40000001ull)[1], 0xffffffffu);
    EXPECT_EQ(range_of<fp32x4_t>(0x10000001)[1], 0xffffffffu);
    EXPECT_EQ(range_of<fp4_t>(~0ull)[1], 0xffffffffu);
}
__global__ void read_from(const fp4_t* p, long_index_t first, unsigned* out) {
    const auto x = make_gmem_elements(p, 8, first).load<8>(0);
    __builtin_memcpy(out, &x, 4);
}
TEST(make_gmem_elements, first_of_fp4) {
    const device_buffer<u8_t> memory(std::vector<u8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const device_buffer<unsigned> out(1);
    read_from<<<1, 1>>>(reinterpret_cast<const fp4_t*>(memory.data()), 8, out.data());
    finish();
    EXPECT_EQ(out.to_host()[0], 0x07060504u);
}

}  // namespace
