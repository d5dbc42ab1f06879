// LDS through smem: every width with the bytes around it, layouts and predicates, and the
// transposed reads of gfx950 against the formula of the ISA guide (11.4), written again here.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
using bytes = std::vector<uint8_t>;

constexpr int lds_bytes = 16384;
constexpr int lanes = 64;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

bool on_gfx950() {
    return examples::device_name().find("gfx950") != std::string::npos;
}

// Copies between global memory and all of the group's LDS, a byte at a time, without opus.
OPUS_D void copy_bytes(const uint8_t* from, uint8_t* to) {
    __syncthreads();
#pragma clang loop unroll(disable) vectorize(disable)
    for (int i = thread_id_x(); i < lds_bytes; i += block_size_x()) {
        to[i] = from[i];
    }
    __syncthreads();
}

bytes counting_bytes(size_t n, int first) {
    bytes b(n);
    for (size_t i = 0; i < n; i++) {
        b[i] = static_cast<uint8_t>(static_cast<size_t>(first) + i * 11 + i / 32);
    }
    return b;
}

// Runs kernel(in, out) with the LDS contents `before`, and returns what it leaves in `out`.
template <class Kernel, class... Args>
bytes run(Kernel kernel, const bytes& before, size_t out_bytes, Args... args) {
    bytes padded = before;
    padded.resize(lds_bytes, 0xee);
    const device_buffer<uint8_t> in(padded);
    device_buffer<uint8_t> out(out_bytes);
    out.fill_bytes(0x55);
    kernel<<<1, lanes>>>(in.data(), out.data(), args...);
    finish();
    return out.to_host();
}

// -- widths ---------------------------------------------------------------------------------------

// Lane l stores and loads `vec` elements at byte 64 + l * step. Form 0: offsets in bytes, 1: in
// elements, 2: the free functions.
template <class T, int vec, int form>
__global__ void store_width(const uint8_t* before, uint8_t* after, int step) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    const auto s = smem<T>(lds);
    using V = typename decltype(s)::template vector_type<vec>;
    const auto value = [](int i) {
        return static_cast<typename decltype(s)::scalar_type>(thread_id_x() * vec + i + 1);
    };
    V x{};
    static_for<size<V>()>([&](auto i) { x[i.value] = value(i); });
    const int at = 64 + thread_id_x() * step;
    if constexpr (form == 0) {
        s.template _store<vec>(x, at);
    } else if constexpr (form == 1) {
        s.template store<vec>(x, at / static_cast<int>(sizeof(T)));
    } else {
        opus::store<vec>(s, x, at / static_cast<int>(sizeof(T)));
    }
    copy_bytes(lds, after);
}
template <class T, int vec, int form>
__global__ void load_width(const uint8_t* before, T* out, int step) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    const auto s = make_smem(reinterpret_cast<T*>(lds));
    static_assert(is_same_v<remove_cvref_t<decltype(s)>, smem<T>>);
    const int at = 64 + thread_id_x() * step;
    const auto x = [&] {
        if constexpr (form == 0) {
            return s.template _load<vec>(at);
        } else if constexpr (form == 1) {
            return s.template load<vec>(at / static_cast<int>(sizeof(T)), no_dma_wait{});
        } else {
            return opus::load<vec>(s, at / static_cast<int>(sizeof(T)));
        }
    }();
    static_for<vec>([&](auto i) { out[thread_id_x() * vec + i] = x[i.value]; });
}

template <class T, int vec, int form>
void check_width(int step) {
    constexpr int width = vec * static_cast<int>(sizeof(T));
    const bytes before = counting_bytes(lds_bytes, 3);
    const bytes after = run(store_width<T, vec, form>, before, lds_bytes, step);
    bytes expected = before;
    for (int lane = 0; lane < lanes; lane++) {
        for (int i = 0; i < vec; i++) {
            const T value = static_cast<T>(lane * vec + i + 1);
            std::memcpy(&expected.at(static_cast<size_t>(64 + lane * step) +
                                     static_cast<size_t>(i) * sizeof(T)),
                        &value, sizeof(T));
        }
    }
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(int{after[i]}, int{expected[i]}) << "store, width " << width << " byte " << i;
    }

    const device_buffer<uint8_t> in(before);
    device_buffer<T> out(lanes * vec);
    load_width<T, vec, form><<<1, lanes>>>(in.data(), out.data(), step);
    finish();
    const auto loaded = out.to_host();
    for (int lane = 0; lane < lanes; lane++) {
        ASSERT_EQ(std::memcmp(&loaded[static_cast<size_t>(lane * vec)],
                              &before[static_cast<size_t>(64 + lane * step)], width),
                  0)
            << "load, width " << width << " lane " << lane;
    }
}
template <class T, int vec>
void check_width(int step) {
    constexpr int width = vec * static_cast<int>(sizeof(T));
    if constexpr (width <= 16) {
        check_width<T, vec, 0>(step);
        check_width<T, vec, 0>(4 * step);
    }
    check_width<T, vec, 1>(step);
    check_width<T, vec, 2>(step);
}

// Handles from arrays, pointers of every kind and a null pointer, made explicitly and by conversion.
// Each lane gets from each what was at its dword, and the first ones what was stored through them.
__global__ void use_handles(const uint8_t* in, int* out) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(in, lds);
    void* untyped = lds + 256;
    auto* typed = reinterpret_cast<int*>(lds + 512);
    smem<int> later{nullptr};
    smem<int> cast_later{static_cast<void*>(nullptr)};
    smem<int> converted = typed;
    smem<int> all[] = {{lds}, untyped, nullptr, converted.ptr + 256};
    later.ptr = all[0].ptr + 1024;
    cast_later.ptr = converted.ptr + 768;
    all[2] = lds + 1536;
    void* opaque = lds + 1792;
    asm volatile("" : "+v"(opaque));
    smem<int> generic = opaque;
    const int lane = thread_id_x();
    const smem<int> handles[] = {all[0], all[1],     converted, all[3],
                                 later,  cast_later, all[2],    generic};
    static_for<8>([&](auto i) { out[i.value * lanes + lane] = handles[i.value].load(lane)[0]; });
    // Address 0 of LDS, by a null pointer that the compiler sees: the kernel goes on.
    make_smem(static_cast<int*>(nullptr)).store(42, 0);
    __syncthreads();
    out[8 * lanes + lane] = make_smem(static_cast<int*>(nullptr)).load(0)[0];
}

TEST(smem, handles_from_pointers_of_every_kind) {
    bytes before = counting_bytes(lds_bytes, 1);
    const device_buffer<uint8_t> in(before);
    device_buffer<int> out(9 * lanes);
    out.fill_bytes(0x55);
    use_handles<<<1, lanes>>>(in.data(), out.data());
    finish();
    const std::vector<int> got = out.to_host();
    for (int i = 0; i < 8; i++) {
        for (int lane = 0; lane < lanes; lane++) {
            int expected;
            std::memcpy(&expected, &before[static_cast<size_t>(i * 256 + lane * 4)], 4);
            EXPECT_EQ(got[static_cast<size_t>(i * lanes + lane)], expected)
                << "handle " << i << ", lane " << lane;
        }
    }
    for (int lane = 0; lane < lanes; lane++) {
        EXPECT_EQ(got[static_cast<size_t>(8 * lanes + lane)], 42) << lane;
    }
}

TEST(smem, every_width) {
    check_width<uint8_t, 1>(1);
    check_width<uint8_t, 1>(5);
    check_width<uint16_t, 1>(2);
    check_width<uint8_t, 4>(4);
    check_width<float, 1>(12);
    check_width<uint16_t, 4>(8);
    check_width<double, 1>(24);
    check_width<uint8_t, 12>(12);
    check_width<float, 3>(12);
    check_width<float, 3>(16);
    check_width<uint16_t, 8>(16);
    check_width<float, 4>(16);
}
TEST(smem, wider_accesses_are_split) {
    check_width<float, 5>(32);
    check_width<uint16_t, 10>(32);
    check_width<uint8_t, 28>(32);
    check_width<float, 16>(64);
}

// -- elements that are vectors or below a byte, scalars, pointers ---------------------------------

__global__ void forms(const uint8_t* before, uint8_t* after) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    if (thread_id_x() == 0) {
        const auto pairs = make_smem(reinterpret_cast<fp32x2_t*>(lds));
        pairs.store(fp32x2_t{1, 2}, 1);
        pairs.store<2>(pairs.load<2>(0), 2);
        pairs.store<2>(3.0f, 6);
        const auto codes = make_smem(reinterpret_cast<fp4_t*>(lds + 64));
        codes.store<8>(codes.load<8>(32), 8);  // bytes 80..83 to 68..71
        const auto six = make_smem(reinterpret_cast<fp6_t*>(lds + 128));
        six.store<16>(six.load<16>(64), 16);  // bytes 176..187 to 140..151
        const auto again = make_smem(reinterpret_cast<OPUS_LDS_ADDR fp32x2_t*>(pairs.ptr));
        static_assert(is_same_v<decltype(again), decltype(pairs)>);
        again.store(again.load(1), 30);
    }
    copy_bytes(lds, after);
}

TEST(smem, vectors_and_packed_elements) {
    const bytes before = counting_bytes(lds_bytes, 3);
    const bytes after = run(forms, before, lds_bytes);
    bytes expected = before;
    const auto put = [&](size_t at, std::vector<float> values) {
        std::memcpy(&expected[at], values.data(), values.size() * 4);
    };
    put(8, {1, 2});
    std::memcpy(&expected[16], &before[0], 8);
    put(24, {1, 2});
    put(48, {3, 3, 3, 3});
    std::memcpy(&expected[68], &before[80], 4);
    std::memcpy(&expected[140], &before[176], 12);
    put(240, {1, 2});
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(int{after[i]}, int{expected[i]}) << "byte " << i;
    }
}

// -- without <vec> --------------------------------------------------------------------------------

static_assert(is_same_v<smem<float>::vector_type<>, fp32x1_t>);
static_assert(is_same_v<smem<fp16x2_t>::vector_type<>, fp16x2_t>);

constexpr int region = 220;  // elements of LDS for each of the forms below, behind the source

// One element at a time, by every member and function. A lane's tile is 3 elements, 70 apart.
template <class T>
__global__ void copy_without_vec(const uint8_t* before, uint8_t* after) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    constexpr int size = static_cast<int>(sizeof(T));
    const int lane = thread_id_x();
    const auto s = make_smem(reinterpret_cast<T*>(lds));
    const auto u = make_layout(make_tuple(64_I, 3_I), make_tuple(1_I, 70_I), make_tuple(lane, _));
    const auto wanted = [&](auto i) { return (lane + i) % 2 == 0; };
    using one = vector_t<get_value_t<T>, vector_traits<T>::size()>;
    const auto by_bytes = s._load((lane * 3 + 2) * size);
    const auto by_elements = s.load(lane * 3 + 5);
    const auto tile = s.load(u);
    static_assert(is_same_v<decltype(by_bytes), const one>);
    static_assert(is_same_v<decltype(by_elements), const one>);
    s._store(by_bytes, (region + lane) * size);
    s.store(by_elements, 2 * region + lane);
    s.store(tile, u + number<3 * region>{});
    s.store(s.load_if(wanted, u), u + number<4 * region>{});
    s.store_if(wanted, tile, u + number<5 * region>{});
    store(s, load(s, lane * 3 + 5), 6 * region + lane);
    const auto again = load(s, u);
    store(s, again, u + number<7 * region>{});
    store(s, load_if(s, wanted, u), u + number<8 * region>{});
    store_if(s, wanted, again, u + number<9 * region>{});
    copy_bytes(lds, after);
}

template <class T>
void check_without_vec() {
    static_assert(10 * region * sizeof(T) <= lds_bytes);
    const bytes before = counting_bytes(lds_bytes, 3);
    const bytes after = run(copy_without_vec<T>, before, lds_bytes);
    bytes expected = before;
    const auto put = [&](int to, int first, bool is_zero = false) {
        for (size_t b = 0; b < sizeof(T); b++) {
            expected.at(static_cast<size_t>(to) * sizeof(T) + b) =
                is_zero ? 0 : before.at(static_cast<size_t>(first) * sizeof(T) + b);
        }
    };
    for (int lane = 0; lane < lanes; lane++) {
        put(region + lane, lane * 3 + 2);
        put(2 * region + lane, lane * 3 + 5);
        put(6 * region + lane, lane * 3 + 5);
        for (int i = 0; i < 3; i++) {
            const int at = lane + i * 70;
            const bool wanted = (lane + i) % 2 == 0;
            for (const int first : {3 * region, 7 * region}) {
                put(first + at, at);
                put(first + region + at, at, !wanted);
                if (wanted) {
                    put(first + 2 * region + at, at);
                }
            }
        }
    }
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(int{after[i]}, int{expected[i]})
            << sizeof(T) << " bytes, form " << i / sizeof(T) / region << ", byte " << i;
    }
}

TEST(smem, without_vec_it_is_one_element) {
    check_without_vec<uint8_t>();
    check_without_vec<uint16_t>();
    check_without_vec<float>();
    check_without_vec<fp16x2_t>();
}

// -- layouts --------------------------------------------------------------------------------------

// 3 x 16 rows of 32 elements: thread t has rows t / 4 + 16 * i and 8 elements of each.
template <class T, int vec, int kind>
__global__ void copy_tile(const uint8_t* before, uint8_t* after, int run_stride, int limit_row,
                          int limit_column) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    const int thread = thread_id_x();
    const auto s = make_smem(reinterpret_cast<T*>(lds));
    constexpr auto shape = make_tuple(3_I, 16_I, 4_I, 8_I);
    const auto coord = make_tuple(_, thread / 4, thread % 4, _);
    const auto u = [&] {
        if constexpr (kind == 0 || kind == 3) {
            return make_layout(shape, make_tuple(16_I * 40_I, 40_I, 8_I, 1_I), coord);
        } else if constexpr (kind == 1) {
            return make_layout(shape, make_tuple(16 * run_stride, run_stride, 8_I, 1_I), coord);
        } else {
            auto cached =
                make_layout<vec>(shape, make_tuple(16 * run_stride, run_stride, 8_I, 1_I), coord);
            cached += 8;
            return cached + (-8);
        }
    }();
    const auto to = u + 2048_I;
    if constexpr (kind == 3) {
        const auto wanted = [&](auto i, auto j) {
            return i * 16 + thread / 4 < limit_row && thread % 4 * 8 + j * vec < limit_column;
        };
        s.template store<vec>(s.template load_if<vec>(wanted, u), to);
        opus::store_if<vec>(s, wanted, s.template load<vec>(u), u + 4096_I);
    } else {
        const auto tile = s.template load<vec>(u);
        static_assert(is_same_v<remove_cv_t<decltype(tile)>, vector_t<T, 24>>);
        s.template store<vec>(tile, to);
    }
    copy_bytes(lds, after);
}

template <class T, int vec, int kind>
void check_tile() {
    const bytes before = counting_bytes(lds_bytes, 1);
    const int limit_row = 21;
    const int limit_column = 13;
    const bytes after =
        run(copy_tile<T, vec, kind>, before, lds_bytes, 40, limit_row, limit_column);
    bytes expected = before;
    for (size_t row = 0; row < 48; row++) {
        for (size_t column = 0; column < 32; column++) {
            const size_t from = (row * 40 + column) * sizeof(T);
            const bool wanted = row < limit_row && column / vec * vec < limit_column;
            for (size_t b = 0; b < sizeof(T); b++) {
                const size_t copy = from + 2048 * sizeof(T) + b;
                expected.at(copy) = kind != 3 || wanted ? before[from + b] : 0;
                if (kind == 3 && wanted) {
                    expected.at(copy + 2048 * sizeof(T)) = before[from + b];
                }
            }
        }
    }
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(int{after[i]}, int{expected[i]}) << "kind " << kind << " byte " << i;
    }
}

template <class T, int vec>
void check_tile() {
    check_tile<T, vec, 0>();
    check_tile<T, vec, 1>();
    check_tile<T, vec, 2>();
    if constexpr (sizeof(T) <= 2) {
        check_tile<T, vec, 3>();
    }
}

TEST(smem, layouts_move_exactly_the_tile) {
    check_tile<uint8_t, 8>();
    check_tile<uint8_t, 1>();
    check_tile<uint16_t, 8>();
    check_tile<uint16_t, 4>();
    check_tile<uint16_t, 2>();
    check_tile<float, 4>();
    check_tile<float, 1>();
}

// One index: element i of a row, in vectors of two.
__global__ void copy_row(const uint8_t* before, uint8_t* after, int limit) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    const int thread = thread_id_x();
    const auto s = make_smem(reinterpret_cast<uint16_t*>(lds));
    const auto u = make_layout(make_tuple(64_I, 8_I), make_tuple(8_I, 1_I), make_tuple(thread, _));
    const auto wanted = [&](auto i) { return thread * 8 + i * 2 < limit; };
    s.store_if<2>(wanted, s.load_if<2>(wanted, u), u + 1024_I);
    s.store<2>(s.load_if<2>(wanted, u), u + 2048_I);
    copy_bytes(lds, after);
}

TEST(smem, predicate_of_one_index) {
    const bytes before = counting_bytes(lds_bytes, 7);
    const bytes after = run(copy_row, before, lds_bytes, 205);
    bytes expected = before;
    for (size_t i = 0; i < 512; i++) {
        const bool wanted = i / 2 * 2 < 205;
        for (size_t b = 0; b < 2; b++) {
            if (wanted) {
                expected[2048 + i * 2 + b] = before[i * 2 + b];
            }
            expected[4096 + i * 2 + b] = wanted ? before[i * 2 + b] : 0;
        }
    }
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(int{after[i]}, int{expected[i]}) << "byte " << i;
    }
}

// -- transposed reads -----------------------------------------------------------------------------

// What lane `l` gets: element n, as its bits, from the places that the lanes of its group of 16
// point to.
unsigned transposed(const bytes& lds, const std::vector<int>& place, int bits, int l, int n) {
    const int group = l & ~15;
    const int r = l & 15;
    const int elements = 64 / bits;
    const int source = bits == 6 ? group + n : group + r / elements + 16 / elements * n;
    const int element = bits == 6 ? r : r % elements;
    unsigned value = 0;
    for (int b = 0; b < bits; b++) {
        const int bit = place[static_cast<size_t>(source)] * 8 + element * bits + b;
        value |= (lds[static_cast<size_t>(bit / 8)] >> bit % 8 & 1u) << b;
    }
    return value;
}

// gfx942 has them of 16 and 8 bits, by other instructions.
template <class T>
inline constexpr bool reads_transposed =
    OPUS_HAS_LDS_TRANSPOSE_READ || sizeof_bits_v<get_value_t<T>> % 8 == 0;

// Where lane l points to: anywhere, 8-byte aligned.
constexpr int place_of(int lane) {
    return (lane * 37 + lane * lane * 5) % 1500 * 8;
}

// Form 0: byte offsets, 1: with an immediate, 2: elements, 3 and 4: the compiler waits for LDS-DMA or
// nobody does, and 5: as 2, without a wait for the result.
template <class T, int form>
__global__ void read_transposed(const uint8_t* before, uint8_t* out) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    if constexpr (reads_transposed<T>) {
        constexpr int n = sizeof_bits_v<T> == 6 ? 16 : 64 / sizeof_bits_v<T>;
        const auto s = make_smem(reinterpret_cast<T*>(lds));
        const int at = place_of(thread_id_x());
        const int element = at * 8 / sizeof_bits_v<T>;
        const auto x = [&] {
            if constexpr (form == 0) {
                return s._tr_load(at);
            } else if constexpr (form == 1) {
                return s.template _tr_load<n, 512>(at - 512);
            } else if constexpr (form == 2 || form == 5) {
                return s.template tr_load<n>(element);
            } else if constexpr (form == 3) {
                return tr_load<n>(s, element, no_dma_wait{});
            } else {
                return s.template _tr_load<n, 512>(at - 512, auto_wait{});
            }
        }();
        if constexpr (form < 3) {
            s_waitcnt_lgkmcnt(0_I);
        }
        static_assert(size<decltype(x)>() == n);
        constexpr int width = n * sizeof_bits_v<T> / 8;
        __builtin_memcpy(out + thread_id_x() * width, &x, width);
    }
}

template <class T, int form>
void check_transposed() {
    constexpr int bits = sizeof_bits_v<T>;
    constexpr int n = bits == 6 ? 16 : 64 / bits;
    constexpr int width = n * bits / 8;
    const bytes lds = counting_bytes(lds_bytes, 9);
    const bytes got = run(read_transposed<T, form>, lds, lanes * width);
    std::vector<int> place(lanes);
    for (int l = 0; l < lanes; l++) {
        place[static_cast<size_t>(l)] = place_of(l);
    }
    for (int l = 0; l < lanes; l++) {
        for (int e = 0; e < n; e++) {
            unsigned value = 0;
            for (int b = 0; b < bits; b++) {
                const int bit = l * width * 8 + e * bits + b;
                value |= (got[static_cast<size_t>(bit / 8)] >> bit % 8 & 1u) << b;
            }
            ASSERT_EQ(value, transposed(lds, place, bits, l, e))
                << bits << " bits, form " << form << ", lane " << l << ", element " << e;
        }
    }
}
template <class T>
void check_transposed() {
    if (sizeof_bits_v<T> % 8 != 0 && !on_gfx950()) {
        GTEST_SKIP() << "gfx950 only";
    }
    check_transposed<T, 0>();
    check_transposed<T, 1>();
    if (sizeof_bits_v<T> != 6) {  // 8-byte places are not at whole elements
        check_transposed<T, 2>();
        check_transposed<T, 3>();
    }
    check_transposed<T, 4>();
}

// Without <vec> a read is all that a lane gets: one vector, or four scalars.
template <class T>
__global__ void read_vectors_transposed(const uint8_t* before, uint8_t* out) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    if constexpr (reads_transposed<T>) {
        const auto s = make_smem(reinterpret_cast<T*>(lds));
        const int lane = thread_id_x();
        const auto u =
            make_layout(make_tuple(64_I, 2_I), make_tuple(3_I, 200_I), make_tuple(lane, _));
        const auto wanted = [&](auto i) { return (lane + i) % 3 != 0; };
        const auto bytes_too = s._tr_load(place_of(lane));
        const auto single = tr_load(s, place_of(lane) / 8);
        const auto both = tr_load(s, u);
        const auto some = tr_load_if(s, wanted, u);
        const auto single_lane = tr_load_if(s, [&](auto i) { return lane == i; }, u);
        s_waitcnt_lgkmcnt(0_I);
        static_assert(is_same_v<decltype(bytes_too), const fp16x4_t>);
        static_assert(is_same_v<decltype(single), const fp16x4_t>);
        static_assert(is_same_v<decltype(both), const fp16x8_t>);
        [[maybe_unused]] const auto scalars = make_smem(reinterpret_cast<fp16_t*>(lds));
        static_assert(is_same_v<decltype(scalars.tr_load(0)), fp16x4_t>);
        static_assert(is_same_v<decltype(tr_load(scalars, 0)), fp16x4_t>);
        const auto rows =
            make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I), make_tuple(lane, _));
        static_assert(is_same_v<decltype(tr_load_if(scalars, wanted, rows)), fp16x4_t>);
        __builtin_memcpy(out + lane * 64, &bytes_too, 8);
        __builtin_memcpy(out + lane * 64 + 8, &single, 8);
        __builtin_memcpy(out + lane * 64 + 16, &both, 16);
        __builtin_memcpy(out + lane * 64 + 32, &some, 16);
        __builtin_memcpy(out + lane * 64 + 48, &single_lane, 16);
    }
}

TEST(tr_load, without_vec_it_is_all_that_a_lane_gets) {
    const bytes lds = counting_bytes(lds_bytes, 9);
    const bytes got = run(read_vectors_transposed<fp16x4_t>, lds, lanes * 64);
    std::vector<int> place(lanes);
    std::vector<int> rows[2] = {std::vector<int>(lanes), std::vector<int>(lanes)};
    for (size_t l = 0; l < lanes; l++) {
        place[l] = place_of(static_cast<int>(l));
        rows[0][l] = static_cast<int>(l) * 24;
        rows[1][l] = static_cast<int>(l) * 24 + 1600;
    }
    for (int l = 0; l < lanes; l++) {
        const auto got_code = [&](int n) {
            const size_t at = static_cast<size_t>(l * 64 + n * 2);
            return unsigned{got[at]} | unsigned{got[at + 1]} << 8;
        };
        for (int e = 0; e < 4; e++) {
            ASSERT_EQ(got_code(e), transposed(lds, place, 16, l, e)) << "_tr_load, lane " << l;
            ASSERT_EQ(got_code(4 + e), transposed(lds, place, 16, l, e)) << "tr_load, lane " << l;
            for (int i = 0; i < 2; i++) {
                const unsigned value = transposed(lds, rows[i], 16, l, e);
                ASSERT_EQ(got_code(8 + 4 * i + e), value) << "layout, lane " << l;
                ASSERT_EQ(got_code(16 + 4 * i + e), (l + i) % 3 != 0 ? value : 0)
                    << "tr_load_if, lane " << l << ", access " << i;
                ASSERT_EQ(got_code(24 + 4 * i + e), l == i ? value : 0)
                    << "tr_load_if of one lane, lane " << l << ", access " << i;
            }
        }
    }
}

// Types of one size differ only in what a vector of them is.
TEST(tr_load, elements_of_16_bits) {
    check_transposed<uint16_t>();
    check_transposed<fp16_t, 1>();
    check_transposed<bf16_t, 1>();
}
TEST(tr_load, elements_of_8_bits) {
    check_transposed<uint8_t>();
}
TEST(tr_load, elements_of_6_bits) {
    check_transposed<fp6_t>();
    if (on_gfx950()) {
        check_transposed<bf6_t, 1>();
    }
}
TEST(tr_load, elements_of_4_bits) {
    check_transposed<fp4_t>();
    if (on_gfx950()) {
        check_transposed<int4_t, 1>();
    }
}

// The compiler waits for the result, whatever the caller waits for.
TEST(tr_load, needs_no_wait_for_its_result) {
    check_transposed<uint16_t, 5>();
    check_transposed<uint8_t, 5>();
}

// Two buffers: tile i + 1 comes to LDS while tile i is read, with a bare barrier between. Read too
// early it would be another one's.
template <class T>
__global__ void pipelined_columns(const T* from, T* to, int n) {
    __shared__ __attribute__((aligned(16))) T lds[2 * 1024];
    if constexpr (reads_transposed<T>) {
        const int lane = lane_id();
        const int wave = thread_id_x() / 64;
        const auto g = make_gmem(from);
        constexpr int width = OPUS_HAS_LDS_DMA_WIDE ? 8 : 2;  // elements
        constexpr int loads = 8 / width;
        const auto bring = [&](int i) {
            for (int j = 0; j < loads; j++) {
                const int at = wave * 512 + j * 64 * width;
                g.template async_load<width>(lds + i % 2 * 1024 + at, at + lane * width, i * 1024);
            }
        };
        // 8 rows of 64 elements for each wave; each group of 16 lanes has 16 of their columns.
        const auto u = make_layout(make_tuple(2_I, 4_I, 4_I, 4_I, 4_I),
                                   make_tuple(256_I, 16_I, 64_I, 4_I, 1_I),
                                   make_tuple(_, lane / 16, lane % 16 / 4, lane % 4, _));
        bring(0);
        for (int i = 0; i < n; i++) {
            bring(i + 1);
            wait_async(number<loads>{});
            s_barrier();
            const auto s = make_smem(lds + i % 2 * 1024 + (1 - wave) * 512);  // the other wave's
            const auto column = s.template tr_load<4>(u);
            s_waitcnt_lgkmcnt(0_I);
            s_barrier();
            make_gmem(to).template store<8>(column, ((i * 2 + wave) * 64 + lane) * 8);
        }
    }
}

TEST(tr_load, stays_between_its_barriers) {
    constexpr size_t n = 6;
    std::vector<uint16_t> from((n + 1) * 1024);
    std::iota(from.begin(), from.end(), uint16_t{7});
    const device_buffer<uint16_t> in(from);
    device_buffer<uint16_t> out(n * 1024);
    out.fill_bytes(0x55);
    pipelined_columns<uint16_t><<<1, 128>>>(in.data(), out.data(), static_cast<int>(n));
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < n; i++) {
        for (size_t wave = 0; wave < 2; wave++) {
            for (size_t lane = 0; lane < 64; lane++) {
                for (size_t row = 0; row < 8; row++) {
                    ASSERT_EQ(got[((i * 2 + wave) * 64 + lane) * 8 + row],
                              from[i * 1024 + (1 - wave) * 512 + row * 64 + lane])
                        << "tile " << i << " wave " << wave << " lane " << lane << " row " << row;
                }
            }
        }
    }
}

// docs/memory.md, "Transposed reads": one address for all lanes.
template <class T>
__global__ void read_one_address(const uint8_t* before, T* out) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    if constexpr (reads_transposed<T>) {
        const auto x = make_smem(reinterpret_cast<T*>(lds)).template tr_load<8>(16);
        s_waitcnt_lgkmcnt(0_I);
        __builtin_memcpy(out + thread_id_x() * 8, &x, 8);
    }
}

TEST(tr_load, one_address_for_all_lanes) {
    const bytes lds = counting_bytes(lds_bytes, 9);
    const bytes got = run(read_one_address<uint8_t>, lds, lanes * 8);
    for (size_t l = 0; l < lanes; l++) {
        for (size_t n = 0; n < 8; n++) {
            ASSERT_EQ(int{got[l * 8 + n]}, int{lds[16 + l % 8]}) << "lane " << l << " byte " << n;
        }
    }
}

// Through a layout: a row-major matrix of `columns` columns comes back by columns. Each group of 16
// lanes takes E rows (6 bits: 16) of 16 columns, and there are two accesses, one below the other.
// `kind` is make_layout's: how the layout is computed.
template <class T, bool run_time, bool predicate, int kind, bool swizzled, bool shifted>
__global__ void tile_transposed(const uint8_t* before, uint8_t* out, int run_pitch) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[lds_bytes];
    copy_bytes(before, lds);
    if constexpr (reads_transposed<T>) {
        constexpr int bits = sizeof_bits_v<T>;
        constexpr int e = bits == 6 ? 16 : 64 / bits;
        constexpr int across = 16 / e;  // lanes for the 16 columns of a row
        constexpr int columns = 64;
        const int lane = lane_id();
        const auto s = make_smem(reinterpret_cast<T*>(lds));
        const auto pitch = [&] {
            if constexpr (run_time) {
                return run_pitch;
            } else {
                return number<columns>{};
            }
        }();
        // access, group of lanes, row in the group, column group, element
        const auto plain = make_layout<kind>(
            make_tuple(2_I, 4_I, number<e>{}, number<across>{}, number<e>{}),
            make_tuple(number<4 * e>{} * pitch, number<e>{} * pitch, pitch, number<e>{}, 1_I),
            make_tuple(_, lane / 16, lane % 16 / across, lane % across, _));
        const auto u = [&] {
            const auto in_memory = composition(swizzle<swizzled ? 2 : 0, 2, 6>{}, plain);
            if constexpr (shifted) {
                return in_memory + 16_I;
            } else {
                return in_memory;
            }
        }();
        const auto tile = [&] {
            if constexpr (predicate) {
                return s.template tr_load_if<e>(
                    [&](auto i, auto) { return (lane + i) % 3 != 0 && i == 1; }, u);
            } else {
                return s.template tr_load<e>(u);
            }
        }();
        if constexpr (!predicate) {
            s_waitcnt_lgkmcnt(0_I);
        }
        static_assert(size<decltype(tile)>() == 2 * e);
        constexpr int width = 2 * e * bits / 8;
        __builtin_memcpy(out + lane * width, &tile, width);
    }
}

template <class T, bool run_time, bool predicate, int kind = 0, bool swizzled = false,
          bool shifted = true>
void check_tile_transposed() {
    constexpr int bits = sizeof_bits_v<T>;
    constexpr int e = bits == 6 ? 16 : 64 / bits;
    constexpr int width = 2 * e * bits / 8;
    constexpr int columns = 64;
    const bytes lds = counting_bytes(lds_bytes, 5);
    const bytes got = run(tile_transposed<T, run_time, predicate, kind, swizzled, shifted>, lds,
                          lanes * width, columns);
    const auto code = [](const bytes& from, int bit) {
        unsigned value = 0;
        for (int b = 0; b < bits; b++) {
            value |= (from[static_cast<size_t>((bit + b) / 8)] >> (bit + b) % 8 & 1u) << b;
        }
        return value;
    };
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < 2 * e; i++) {
            const int access = i / e;
            const int row = access * 4 * e + l / 16 * e + i % e;
            const int column = l % 16 + (shifted ? 16 : 0);
            const int element = row * columns + column;
            const int place = swizzled ? element ^ (element >> 8 & 3) << 2 : element;
            const bool wanted = !predicate || ((l + access) % 3 != 0 && access == 1);
            ASSERT_EQ(code(got, (l * 2 * e + i) * bits), wanted ? code(lds, place * bits) : 0)
                << bits << " bits, kind " << kind << ", swizzled " << swizzled << ", shifted "
                << shifted << ", predicate " << predicate << ", lane " << l << ", element " << i;
        }
    }
}
template <class T>
void check_tile_transposed() {
    check_tile_transposed<T, false, false>();
    check_tile_transposed<T, true, false>();
    check_tile_transposed<T, false, true>();
    check_tile_transposed<T, true, true>();
}

TEST(tr_load, layouts_and_predicates) {
    check_tile_transposed<uint16_t>();
    check_tile_transposed<uint8_t>();
    if (on_gfx950()) {
        check_tile_transposed<fp6_t>();
        check_tile_transposed<fp4_t>();
    }
}

template <int kind, bool swizzled, bool shifted>
void check_form_transposed() {
    check_tile_transposed<uint16_t, true, false, kind, swizzled, shifted>();
    check_tile_transposed<uint16_t, true, true, kind, swizzled, shifted>();
}
template <int kind>
void check_forms_transposed() {
    check_form_transposed<kind, false, false>();
    check_form_transposed<kind, false, true>();
    check_form_transposed<kind, true, false>();
    check_form_transposed<kind, true, true>();
}

TEST(tr_load, every_form_of_layout) {
    check_forms_transposed<-1>();
    check_forms_transposed<0>();
    check_forms_transposed<4>();
}

// -- as the operand of a matrix instruction -------------------------------------------------------

// C = A * B with B[k][j] row-major in LDS: the instruction wants column j in a lane.
template <class T>
__global__ void multiply(const T* a, const T* b, float* c) {
    __shared__ __attribute__((aligned(16))) T lds[32 * 16];
    for (int i = thread_id_x(); i < 32 * 16; i += 64) {
        lds[i] = b[i];
    }
    __syncthreads();
    if constexpr (reads_transposed<T>) {
        const int lane = lane_id();
        mfma<T, T, fp32_t, 16, 16, 32> mma;
        const auto va = make_gmem(a).template load<8>(lane % 16 * 32 + lane / 16 * 8);
        const auto u = make_layout(make_tuple(2_I, 4_I, 4_I, 4_I, 4_I),
                                   make_tuple(64_I, 128_I, 16_I, 4_I, 1_I),
                                   make_tuple(_, lane / 16, lane % 16 / 4, lane % 4, _));
        const auto vb = make_smem(lds).template tr_load<4>(u);
        s_waitcnt_lgkmcnt(0_I);
        const auto vc = mma(va, vb);
        for (int i = 0; i < 4; i++) {
            c[(lane / 16 * 4 + i) * 16 + lane % 16] = vc[i];
        }
    }
}

TEST(tr_load, feeds_a_matrix_instruction) {
    std::vector<fp16_t> a(16 * 32);
    std::vector<fp16_t> b(32 * 16);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<fp16_t>(static_cast<float>(i * 7 % 13) - 6.0f);
        b[i] = static_cast<fp16_t>(static_cast<float>(i * 5 % 11) - 5.0f);
    }
    const device_buffer<fp16_t> da(a);
    const device_buffer<fp16_t> db(b);
    device_buffer<float> dc(256);
    dc.fill_bytes(0xff);
    multiply<<<1, 64>>>(da.data(), db.data(), dc.data());
    finish();
    const auto c = dc.to_host();
    for (size_t i = 0; i < 16; i++) {
        for (size_t j = 0; j < 16; j++) {
            float sum = 0;
            for (size_t k = 0; k < 32; k++) {
                sum += static_cast<float>(a[i * 32 + k]) * static_cast<float>(b[k * 16 + j]);
            }
            ASSERT_EQ(c[i * 16 + j], sum) << "C[" << i << "][" << j << "]";
        }
    }
}

}  // namespace
