// Global memory: every width, the range check around the end of a buffer, the forms of accesses.
// What a raw buffer does is written here from the hardware's rule, not from the header.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

#include "common/device.hpp"
#include "device_bytes.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
// -- the range check ------------------------------------------------------------------------------

constexpr int lanes = 64;

// Lane l accesses `vec` elements at byte l * step.
template <class T, int vec>
__global__ void load_around_the_end(const T* p, unsigned size, int step, int s_bytes, T* out) {
    const auto g = make_gmem(p, size);
    const auto x = g.template _load<vec>(thread_id_x() * step, s_bytes);
    for (int i = 0; i < vec; i++) {
        out[thread_id_x() * vec + i] = x[i];
    }
}
template <class T, int vec>
__global__ void store_around_the_end(T* p, unsigned size, int step, int s_bytes, const T* in) {
    const auto g = make_gmem(p, size);
    vector_t<T, vec> x;
    for (int i = 0; i < vec; i++) {
        x[i] = in[thread_id_x() * vec + i];
    }
    g.template _store<vec>(x, thread_id_x() * step, s_bytes);
}

// Whether the bytes [first, first + width) of an access are in a buffer of `size` bytes: each dword
// is checked on its own, an access below a dword as a whole.
bool in_range(int access, int byte_in_access, int width, int size) {
    const int unit = width < 4 ? width : 4;
    return access + (byte_in_access / unit + 1) * unit <= size;
}

template <class T, int vec>
void check_range(int s_bytes) {
    constexpr int width = vec * static_cast<int>(sizeof(T));
    constexpr int step = width < 4 ? width : 4;
    constexpr int reach = lanes * step + width;
    const bytes memory = counting_bytes(static_cast<size_t>(s_bytes + reach), 1);
    std::vector<T> elements(memory.size() / sizeof(T) + 1);
    std::memcpy(elements.data(), memory.data(), memory.size());

    // OPUS_DEBUG refuses a dword that the end cuts.
    constexpr int more = OPUS_DEBUG && width >= 4 ? 4 : 1;
    for (int size = s_bytes; size <= s_bytes + 48; size += more) {
        const device_buffer<T> from(elements);
        device_buffer<T> loaded(lanes * vec);
        loaded.fill_bytes(0x55);
        load_around_the_end<T, vec>
            <<<1, lanes>>>(from.data(), static_cast<unsigned>(size), step, s_bytes, loaded.data());
        finish();
        const auto got = loaded.to_host();
        bytes got_bytes(lanes * width);
        std::memcpy(got_bytes.data(), got.data(), got_bytes.size());
        for (int lane = 0; lane < lanes; lane++) {
            for (int b = 0; b < width; b++) {
                const int at = s_bytes + lane * step;
                const int expected =
                    in_range(at, b, width, size) ? memory[static_cast<size_t>(at + b)] : 0;
                ASSERT_EQ(got_bytes[static_cast<size_t>(lane * width + b)], expected)
                    << "load, width " << width << " size " << size << " lane " << lane << " byte "
                    << b << " soffset " << s_bytes;
            }
        }

        // Lanes must not overlap in what they write: only every width-th byte begins an access.
        const bytes source = counting_bytes(lanes * width, 90);
        std::vector<T> values(lanes * vec);
        std::memcpy(values.data(), source.data(), source.size());
        const device_buffer<T> in(values);
        const size_t target_bytes = static_cast<size_t>(s_bytes + lanes * width + 64);
        device_buffer<T> target(target_bytes / sizeof(T));
        target.fill_bytes(0xee);
        store_around_the_end<T, vec>
            <<<1, lanes>>>(target.data(), static_cast<unsigned>(size), width, s_bytes, in.data());
        finish();
        const auto stored = target.to_host();
        bytes stored_bytes(target_bytes);
        std::memcpy(stored_bytes.data(), stored.data(), stored_bytes.size());
        for (int at = 0; at < static_cast<int>(target_bytes); at++) {
            const int relative = at - s_bytes;
            const int access = s_bytes + relative / width * width;
            const bool written = relative >= 0 && relative < lanes * width &&
                                 in_range(access, relative % width, width, size);
            const int expected = written ? source[static_cast<size_t>(relative)] : 0xee;
            ASSERT_EQ(stored_bytes[static_cast<size_t>(at)], expected)
                << "store, width " << width << " size " << size << " byte " << at << " soffset "
                << s_bytes;
        }
    }
}

template <class T, int vec>
void check_range() {
    check_range<T, vec>(0);
    check_range<T, vec>(20);
}

TEST(gmem, range_check_1_byte) {
    check_range<uint8_t, 1>();
}
TEST(gmem, range_check_2_bytes) {
    check_range<uint8_t, 2>();
    check_range<uint16_t, 1>();
}
TEST(gmem, range_check_4_bytes) {
    check_range<uint8_t, 4>();
    check_range<uint16_t, 2>();
    check_range<uint32_t, 1>();
}
TEST(gmem, range_check_8_bytes) {
    check_range<uint16_t, 4>();
    check_range<uint32_t, 2>();
}
TEST(gmem, range_check_12_bytes) {
    check_range<uint8_t, 12>();
    check_range<uint16_t, 6>();
    check_range<uint32_t, 3>();
}
TEST(gmem, range_check_16_bytes) {
    check_range<uint8_t, 16>();
    check_range<uint16_t, 8>();
    check_range<uint32_t, 4>();
}

// -- sizes and offsets of other types --------------------------------------------------------------

// Element 2 of a buffer of that size, in each form that takes a size.
template <class Size>
__global__ void load_within(const float* p, Size size, float* out) {
    const __amdgpu_buffer_rsrc_t rsrc = make_buffer_rsrc(p, size);
    const auto raw = __builtin_amdgcn_raw_buffer_load_b32(rsrc, 8, 0, 0);
    out[0] = make_gmem(p, size).load(2)[0];
    out[1] = gmem<float>(p, size).load(2)[0];
    out[2] = __builtin_bit_cast(float, raw);
    out[3] = make_gmem<float>(p, size).load(2, 0x3ffffffe)[0];  // 4 GiB: beyond any size
}
template <class Size>
void check_size(Size size, bool reaches) {
    const device_buffer<float> in(std::vector<float>{1, 2, 3, 4});
    device_buffer<float> out(4);
    load_within<<<1, 1>>>(in.data(), size, out.data());
    finish();
    const float expected = reaches ? 3.0f : 0.0f;
    EXPECT_EQ(out.to_host(), (std::vector<float>{expected, expected, expected, 0}));
}

TEST(gmem, size_of_any_integer_type_is_clamped) {
    if (!OPUS_DEBUG) {  // which refuses them
        check_size(size_t{4} << 30, true);
        check_size((size_t{4} << 30) + 8, true);
        check_size((1ll << 40) + 8, true);
    }
    check_size(~size_t{0}, true);
    check_size(size_t{8}, false);
    check_size(size_t{12}, true);
    check_size(12l, true);
    check_size(8, false);
    check_size(-1, true);
    check_size(0x80000000u, true);
    check_size(12_I, true);
    check_size(8_I, false);
    check_size(std::integral_constant<size_t, (size_t{4} << 30)>{}, true);
    check_size(std::integral_constant<size_t, 8>{}, false);
}

// Offsets of 32 bits and below, and constants of any type, with the element at 2^31 bytes.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"
__global__ void load_by_types(const float* far, float* out) {
    const auto g = make_gmem(far);
    enum places { place = 2 };
    struct convertible {
        OPUS_D operator int() const { return 2; }
    };
    const unsigned middle = 0x20000000;
    out[0] = g.load(middle)[0];
    out[1] = g._load(0x80000000u, 4u)[0];
    out[2] = g.load(std::integral_constant<long long, 0x20000002>{})[0];
    out[3] = g._load(std::integral_constant<unsigned long long, 0x8000000c>{})[0];
    const auto near = make_gmem(far + middle);
    out[4] = near.load(static_cast<short>(1), static_cast<unsigned char>(1))[0];
    out[5] = near.load(place)[0];
    out[6] = near.load(convertible{}, 1_I)[0];
    out[7] = near.load(true)[0];
    // The least and the largest that 32 bits hold: 2^31 bytes back are as many further.
    out[8] = make_gmem(far + 2)._load(number<-0x7fffffff - 1>{})[0];
    out[9] = near._load(std::integral_constant<long long, 0xffffffff>{})[0];
}
#pragma clang diagnostic pop

TEST(gmem, offset_of_any_type_that_32_bits_hold) {
    const device_buffer<float> in(std::vector<float>{1, 2, 3, 4});
    device_buffer<float> out(10);
    load_by_types<<<1, 1>>>(in.data() - 0x20000000, out.data());
    finish();
    EXPECT_EQ(out.to_host(), (std::vector<float>{1, 2, 3, 4, 3, 3, 4, 2, 3, 0}));
}

// -- forms of access ------------------------------------------------------------------------------

// Each writes 16 elements of `out` from its own line.
__global__ void load_forms(const float* p, unsigned size, float* out) {
    const auto g = make_gmem(p, size);
    const auto v = make_gmem(reinterpret_cast<const fp32x2_t*>(p), size);
    const auto o = make_gmem(out);
    if (thread_id_x() == 0) {
        o.store<4>(g.load<4>(3), 0);
        o.store(g.load(5, 2), 16);
        o.store<4>(load<4>(g, 8, 1, number<3>{}), 32);
        o.store<2>(v.load(2), 48);
        o.store<4>(v.load<2>(1, 1), 64);
        o.store<8>(g.load<8>(1), 80);
        o.store<16>(g.load<16>(2), 96);
        o.store<4>(7.5f, 112);
        store<2>(o, g._load<2>(4, 8), 128);
        o._store<2>(g.load<2>(0), 576);
    }
}

TEST(gmem, forms_of_load_and_store) {
    std::vector<float> from(64);
    std::iota(from.begin(), from.end(), 0.0f);
    const device_buffer<float> in(from);
    device_buffer<float> out(160);
    out.fill_bytes(0);
    load_forms<<<1, 64>>>(in.data(), 64 * sizeof(float), out.data());
    finish();
    const std::vector<std::vector<float>> expected = {
        {3, 4, 5, 6},
        {7},
        {9, 10, 11, 12},
        {4, 5},
        {4, 5, 6, 7},
        {1, 2, 3, 4, 5, 6, 7, 8},
        {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
        {7.5f, 7.5f, 7.5f, 7.5f},
        {3, 4},
        {0, 1},
    };
    const auto got = out.to_host();
    for (size_t line = 0; line < expected.size(); line++) {
        auto all = expected[line];
        all.resize(16, 0.0f);
        for (size_t i = 0; i < 16; i++) {
            EXPECT_EQ(got[line * 16 + i], all[i]) << "line " << line << " element " << i;
        }
    }
}

// -- more than 4 GiB ------------------------------------------------------------------------------

// The base lies `far` bytes below p, which nobody allocates: only where the accesses go counts.
// size_bytes is counted from that base.
template <class T>
__global__ void reach_far(T* p, long long far, unsigned long long size_bytes, T* out) {
    const auto base = reinterpret_cast<const T*>(reinterpret_cast<unsigned long long>(p) -
                                                 static_cast<unsigned long long>(far));
    const auto g = make_gmem_wide(base, size_bytes);
    const int lane = thread_id_x();
    const long long s_os = far / static_cast<long long>(sizeof(T));
    const auto u = make_layout(make_tuple(64_I, 2_I), make_tuple(2_I, 1_I), make_tuple(lane, _));
    const auto o = make_gmem(out);
    o.template store<1>(g.template load<1>(lane, s_os), lane);
    o.template store<2>(g.template load<2>(u, s_os), u, 64);
    o.template store<1>(g.template _load<1>(lane * static_cast<int>(sizeof(T)), far), lane, 192);
    o.template store<2>(load_if<2>(g, [&](auto) { return lane % 2 == 0; }, u, s_os), u, 256);
    o.template store<1>(g.at(s_os - 8).template load<1>(lane + 8), lane, 384);
    g.template store<1>(static_cast<T>(lane + 1), lane + 128, s_os);
    g.template store_if<2>([&](auto) { return lane < 32; }, g.template load<2>(u, s_os), u,
                           s_os + 192);
}

template <class T>
void check_far(long long far, int in_range) {
    std::vector<T> from(512);
    for (size_t i = 0; i < from.size(); i++) {
        from[i] = static_cast<T>(i % 100 + 1);
    }
    const device_buffer<T> in(from);
    device_buffer<T> out(448);
    out.fill_bytes(0x55);
    reach_far<T><<<1, 64>>>(in.data(), far,
                            static_cast<unsigned long long>(far) +
                                static_cast<unsigned long long>(in_range) * sizeof(T),
                            out.data());
    finish();
    const auto got = out.to_host();
    const auto expected = [&](size_t i) {
        return i < static_cast<size_t>(in_range) ? from[i] : T{0};
    };
    for (size_t i = 0; i < 64; i++) {
        ASSERT_EQ(got[i], expected(i)) << "load, element " << i << " far " << far;
        ASSERT_EQ(got[192 + i], expected(i)) << "_load, element " << i << " far " << far;
        ASSERT_EQ(got[384 + i], expected(i)) << "at, element " << i << " far " << far;
    }
    for (size_t i = 0; i < 128; i++) {
        ASSERT_EQ(got[64 + i], expected(i)) << "layout, element " << i << " far " << far;
        ASSERT_EQ(got[256 + i], i / 2 % 2 == 0 ? expected(i) : T{0}) << "load_if, element " << i;
    }
    const auto memory = in.to_host();
    for (size_t i = 0; i < memory.size(); i++) {
        T value = from[i];
        if (i < static_cast<size_t>(in_range) && i >= 128 && i < 192) {
            value = static_cast<T>(i - 127);
        } else if (i < static_cast<size_t>(in_range) && i >= 192 && i < 256) {
            value = expected(i - 192);
        }
        ASSERT_EQ(memory[i], value) << "store, element " << i << " far " << far;
    }
}

TEST(gmem_wide, offsets_beyond_4_gib) {
    for (const long long far : {0x40ll, 0x7fffffc0ll, 0x80000000ll, 0xffffffc0ll, 0x100000000ll,
                                0x1fffffff40ll, 0x123456789ac0ll}) {
        check_far<float>(far, 512);
        check_far<float>(far, 200);
        check_far<float>(far, 37);
        check_far<uint16_t>(far, 300);
        check_far<double>(far, 50);
    }
}

// A negative s_os: nothing is in range, whatever lies there, and whatever the size.
__global__ void reach_back(const float* p, long long s_os, float* to, float* out) {
    const int lane = thread_id_x();
    const auto o = make_gmem(out);
    o.store(make_gmem_wide(p).load(lane, s_os), lane);
    o.store(make_gmem_wide(p)._load(lane * 4, s_os * 4), lane + 64);
    o.store(make_gmem_wide(p, 1ull << 40).load(lane, s_os), lane + 128);
    make_gmem_wide(to).store(1.0f, lane, s_os);
}

TEST(gmem_wide, nothing_is_in_range_of_a_negative_offset) {
    const device_buffer<float> in(std::vector<float>(256, 3.0f));
    const device_buffer<float> to(std::vector<float>(256, 4.0f));
    device_buffer<float> out(192);
    for (const long long s_os : {-1ll, -64ll, -0x40000000ll, -0x123456789ll}) {
        out.fill_bytes(0x55);
        reach_back<<<1, lanes>>>(in.data() + 128, s_os, to.data() + 128, out.data());
        finish();
        EXPECT_EQ(out.to_host(), std::vector<float>(192, 0.0f)) << s_os;
        EXPECT_EQ(to.to_host(), std::vector<float>(256, 4.0f)) << s_os;
    }
}

// The base lies `far` bytes below `from`, a multiple of 12: 2 * far elements of 4 bits and 4 / 3 of
// it of 6 bits.
__global__ void copy_far_codes(const uint8_t* from, long long far, uint8_t* to) {
    const auto base =
        reinterpret_cast<unsigned long long>(from) - static_cast<unsigned long long>(far);
    const auto four = make_gmem_wide(reinterpret_cast<const fp4_t*>(base));
    const auto six = make_gmem_wide(reinterpret_cast<const fp6_t*>(base));
    const auto to_four = make_gmem(reinterpret_cast<fp4_t*>(to));
    const auto to_six = make_gmem(reinterpret_cast<fp6_t*>(to));
    to_four.store<8>(four.load<8>(8, far * 2 + 8), 0);            // byte 4 + 4
    to_four.store<8>(four.at(far * 2 + 24).load<8>(0), 8);        // byte 12
    to_six.store<16>(six.load<16>(8, far / 3 * 4 + 8), 16);       // byte 6 + 6
    to_six.store<16>(six.at(far / 3 * 4 + 16).load<16>(16), 32);  // byte 12 + 12
}

TEST(gmem_wide, elements_below_a_byte) {
    const bytes from = counting_bytes(64, 40);
    const device_buffer<uint8_t> in(from);
    device_buffer<uint8_t> out(40);
    for (const long long far : {0ll, 0x180000000ll, 0x30000000000cll}) {
        out.fill_bytes(0xee);
        copy_far_codes<<<1, 1>>>(in.data(), far, out.data());
        finish();
        bytes expected(40, 0xee);
        std::memcpy(&expected[0], &from[8], 4);
        std::memcpy(&expected[4], &from[12], 4);
        std::memcpy(&expected[12], &from[12], 12);
        std::memcpy(&expected[24], &from[24], 12);
        EXPECT_EQ(out.to_host(), expected) << far;
    }
}

// -- without <vec> --------------------------------------------------------------------------------

static_assert(is_same_v<gmem<float>::vector_type<>, fp32x1_t>);
static_assert(is_same_v<gmem<fp16x2_t>::vector_type<>, fp16x2_t>);
static_assert(is_same_v<gmem_wide<fp16x2_t>::vector_type<>, fp16x2_t>);

constexpr int region = 512;  // elements of `to` for each of the forms below

// One element at a time, by every member; each form has its region. A lane's tile is 3 elements,
// 70 apart.
template <class Gmem, class T>
__device__ void copy_by_members(const Gmem& g, const Gmem& o, T*) {
    constexpr int size = static_cast<int>(sizeof(T));
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(64_I, 3_I), make_tuple(1_I, 70_I), make_tuple(lane, _));
    const auto wanted = [&](auto i) { return (lane + i) % 2 == 0; };
    using one = vector_t<get_value_t<T>, vector_traits<T>::size()>;
    const auto by_bytes = g._load(lane * 3 * size, 2 * size);
    const auto by_elements = g.load(lane * 3, 5);
    const auto tile = g.load(u, 9);
    static_assert(is_same_v<decltype(by_bytes), const one>);
    static_assert(is_same_v<decltype(by_elements), const one>);
    static_assert(sizeof(get_value_t<remove_cv_t<decltype(tile)>>) * opus::size(tile) == 3 * size);
    o._store(by_bytes, lane * size, 16 * size);
    o.store(by_elements, lane, region + 4);
    o.store(tile, u, 2 * region);
    o.store(g.load_if(wanted, u, 9), u, 3 * region);
    o.store_if(wanted, tile, u, 4 * region);
}
// A predicate may be a plain function.
__device__ bool wanted(index_t i) {
    return (thread_id_x() + i) % 2 == 0;
}
template <class Gmem>
__device__ void copy_by_functions(const Gmem& g, const Gmem& o) {
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(64_I, 3_I), make_tuple(1_I, 70_I), make_tuple(lane, _));
    store(o, load(g, lane * 3, 5), lane, 5 * region + 4);
    const auto tile = load(g, u, 9);
    store(o, tile, u, 6 * region);
    store(o, load_if(g, wanted, u, 9), u, 7 * region);
    store_if(o, wanted, tile, u, 8 * region);
}
template <class T, bool is_wide>
__global__ void copy_without_vec(const T* p, T* to) {
    if constexpr (is_wide) {
        copy_by_members(make_gmem_wide(p), make_gmem_wide(to), to);
        copy_by_functions(make_gmem_wide(p), make_gmem_wide(to));
    } else {
        copy_by_members(make_gmem(p), make_gmem(to), to);
        copy_by_functions(make_gmem(p), make_gmem(to));
    }
}

template <class T, bool is_wide>
void check_without_vec() {
    const bytes from = counting_bytes(region * sizeof(T), 3);
    const device_buffer<uint8_t> in(from);
    device_buffer<uint8_t> out(9 * region * sizeof(T));
    out.fill_bytes(0xee);
    copy_without_vec<T, is_wide>
        <<<1, lanes>>>(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()));
    finish();
    bytes expected(9 * region * sizeof(T), 0xee);
    const auto put = [&](int to, int first, bool is_zero = false) {
        for (size_t b = 0; b < sizeof(T); b++) {
            expected.at(static_cast<size_t>(to) * sizeof(T) + b) =
                is_zero ? 0 : from.at(static_cast<size_t>(first) * sizeof(T) + b);
        }
    };
    for (int lane = 0; lane < lanes; lane++) {
        put(lane + 16, lane * 3 + 2);
        put(region + lane + 4, lane * 3 + 5);
        put(5 * region + lane + 4, lane * 3 + 5);
        for (int i = 0; i < 3; i++) {
            const int at = lane + i * 70;
            const bool wanted = (lane + i) % 2 == 0;
            for (const int first : {2 * region, 6 * region}) {
                put(first + at, at + 9);
                put(first + region + at, at + 9, !wanted);
                if (wanted) {
                    put(first + 2 * region + at, at + 9);
                }
            }
        }
    }
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(int{got[i]}, int{expected[i]})
            << sizeof(T) << " bytes, " << (is_wide ? "gmem_wide" : "gmem") << ", form "
            << i / sizeof(T) / region << ", byte " << i % (region * sizeof(T));
    }
}

TEST(gmem, without_vec_it_is_one_element) {
    check_without_vec<uint8_t, false>();
    check_without_vec<uint16_t, false>();
    check_without_vec<float, false>();
    check_without_vec<fp32x2_t, false>();
}
TEST(gmem_wide, without_vec_it_is_one_element) {
    check_without_vec<uint8_t, true>();
    check_without_vec<uint16_t, true>();
    check_without_vec<float, true>();
    check_without_vec<fp32x2_t, true>();
}

// -- as values -----------------------------------------------------------------------------------

// Memory objects, and a layout that is shifted, have no default constructor, and are elements of
// tuples all the same. The type of the elements may be given.
static_assert(
    is_same_v<decltype(make_gmem<float>(static_cast<const float*>(nullptr))), gmem<float>>);
static_assert(
    is_same_v<decltype(make_gmem<const float>(static_cast<float*>(nullptr))), gmem<float>>);
static_assert(is_same_v<decltype(make_gmem_wide<float>(static_cast<const float*>(nullptr))),
                        gmem_wide<float>>);

__global__ void copy_by_tuple(const float* from, float* to) {
    const auto memory = make_tuple(make_gmem<float>(from), make_gmem(to));
    const auto again =
        transform_tuple([](auto* p) { return make_gmem_wide(p); }, make_tuple(from, to));
    const auto u =
        make_layout(make_tuple(64_I, 4_I), make_tuple(8_I, 1_I), make_tuple(thread_id_x(), _));
    const auto layouts = make_tuple(u, u + 4_I);
    get<1>(memory).store<4>(get<0>(memory).load<4>(get<0>(layouts)), get<0>(layouts));
    get<1>(again).store<4>(get<0>(again).load<4>(get<1>(layouts)), get<1>(layouts));
}

TEST(gmem, objects_and_layouts_are_elements_of_tuples) {
    std::vector<float> from(512);
    std::iota(from.begin(), from.end(), 1.0f);
    const device_buffer<float> in(from);
    device_buffer<float> out(512);
    out.fill_bytes(0);
    copy_by_tuple<<<1, 64>>>(in.data(), out.data());
    finish();
    EXPECT_EQ(out.to_host(), from);
}

// An array of elements is stored as a vector of them, as a cast to packed elements gives it.
__global__ void store_arrays(const float* from, fp4_t* codes, float* to) {
    __shared__ __attribute__((aligned(16))) uint8_t lds[64 * 4];
    const auto s = make_smem(reinterpret_cast<fp4_t*>(lds));
    const int at = thread_id_x() * 8;
    const auto x = make_gmem(from).load<8>(at);
    const auto u = make_layout(make_tuple(64_I, 8_I), make_tuple(8_I, 1_I), make_tuple(at / 8, _));
    const auto g = make_gmem(codes);
    g.store<8>(cast<fp4_t>(x), at);
    g.store<8>(cast<fp4_t>(x), u + 512_I);
    s.store<8>(cast<fp4_t>(x), at);
    sync_threads();
    g.store<8>(s.load<8>(at), at + 1024);
    make_gmem(to).store<4>(to_array(slice(x, 0_I, 4_I)), at);
    make_gmem(to).store<2>(to_array(slice(x, 4_I, 8_I)),
                           make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)) + (at + 4));
}

TEST(gmem, stores_arrays_of_elements) {
    std::vector<float> from(512);
    for (size_t i = 0; i < from.size(); i++) {
        from[i] = static_cast<float>(i % 7) - 3;
    }
    const device_buffer<float> in(from);
    device_buffer<uint8_t> codes(3 * 256);
    device_buffer<float> out(512);
    codes.fill_bytes(0xee);
    out.fill_bytes(0xee);
    store_arrays<<<1, 64>>>(in.data(), reinterpret_cast<fp4_t*>(codes.data()), out.data());
    finish();
    EXPECT_EQ(out.to_host(), from);
    // -3, -2, ... 3 in E2M1
    const uint8_t e2m1[] = {0xd, 0xc, 0xa, 0x0, 0x2, 0x4, 0x5};
    const auto got = codes.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        const size_t first = i % 256 * 2;
        ASSERT_EQ(got[i], e2m1[first % 7] | e2m1[(first + 1) % 7] << 4) << i;
    }
}

// -- knobs ----------------------------------------------------------------------------------------

// LLVM, AMDGPUUsage, memory model gfx942: sc0 = 1, nt = 2, sc1 = 16.
static_assert(cache_rt == 0 && cache_group_rt == 1 && cache_device_rt == 16);
static_assert(cache_nt == 2 && cache_group_nt == 3 && cache_device_nt == 18);
static_assert(cache_system_rt == 17 && cache_system_nt == 19);
static_assert(is_gmem_v<gmem<float>> && is_gmem_v<const gmem_wide<float>&> && !is_gmem_v<float>);
static_assert(is_smem_v<smem<float>> && !is_smem_v<gmem<float>> && !is_gmem_v<smem<float>>);
static_assert(is_mem_v<smem<float>> && is_mem_v<gmem<float>> && !is_mem_v<int>);
static_assert(is_same_v<gmem<fp16x2_t>::scalar_type, fp16_t> && gmem<fp16x2_t>::vector_size == 2);
static_assert(is_same_v<gmem<fp16x2_t>::vector_type<2>, fp16x4_t>);
static_assert(is_same_v<smem<fp16x2_t>::T, fp16x2_t>);

__global__ void copy_with_policies(const float* from, float* to) {
    const auto g = make_gmem(from);
    const auto o = make_gmem(to);
    const int at = thread_id_x() * 4;
    o.store<1>(g.load<1, 3>(at), at);
    o.store<1, fp32x1_t, cache_group_nt>(g.load<1>(at + 1, 0, cache_nt), at + 1);
    store<1>(o, load<1>(g, at + 2, 0, 3_I), at + 2, 0, cache_system_rt);
    o._store<1>(g._load<1>(at * 4 + 12, 0, cache_device_nt), at * 4 + 12, 0, cache_policy<1>{});
}

TEST(gmem, cache_policies_do_not_change_values) {
    std::vector<float> from(256);
    std::iota(from.begin(), from.end(), 1.0f);
    const device_buffer<float> in(from);
    device_buffer<float> out(256);
    out.fill_bytes(0);
    copy_with_policies<<<1, 64>>>(in.data(), out.data());
    finish();
    EXPECT_EQ(out.to_host(), from);
}

}  // namespace
