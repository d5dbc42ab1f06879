// Swizzled layouts in LDS: where the bytes are, byte for byte, and that every kind of access finds
// them. The expected places are computed here from the definition, those of transposed reads and of
// LDS-DMA from the rules of the instructions (ISA guide, 9.1.9 and 11.4).
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

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

bool on_gfx950() {
    return examples::device_name().find("gfx950") != std::string::npos;
}

// The definition, bit by bit.
int swizzled(int x, int bits, int base, int shift) {
    int result = x;
    for (int bit = 0; bit < bits; bit++) {
        const int from = base + bit + (shift > 0 ? shift : 0);
        const int to = base + bit - (shift < 0 ? shift : 0);
        result ^= (x >> from & 1) << to;
    }
    return result;
}

// -- load and store -------------------------------------------------------------------------------

// A tile of 64 rows of 64 elements and what is around it. A lane has 64 of them.
constexpr int lds_elements = 6144;

enum class tile {
    rows,           // 16 elements of every 16th row
    operand,        // of a matrix instruction: 8 of every 16 elements of two rows
    run_time_rows,  // as rows, with a stride that is no number
    unknown_lane,   // as operand, with a lane of which the compiler knows nothing
    cached,         // as operand
    shifted,        // as operand, 264 elements further: bits are carried
    moved,          // as rows, 40 + 24 elements further, 40 of them by a variable
    carried,        // as rows, 40 + 24 elements further, by parts of the coordinate
    shifted_back,   // as rows, 512 elements further and 264 back
    reversed        // as rows, with a negative shift of the swizzle
};

template <tile Tile>
using swizzle_for = swizzle<Tile == tile::reversed ? 2 : 3, 3, Tile == tile::reversed ? -3 : 4>;

template <tile Tile>
OPUS_D auto make_tile_layout(int lane, int n) {
    constexpr swizzle_for<Tile> s{};
    const auto rows =
        make_layout(make_tuple(4_I, 16_I, 4_I, 16_I), make_tuple(1024_I, 64_I, 16_I, 1_I),
                    make_tuple(_, lane / 4, lane % 4, _));
    constexpr index_t cached = Tile == tile::cached ? 8 : 0;
    const auto operand = make_layout<cached>(make_tuple(2_I, 32_I, 4_I, 2_I, 8_I),
                                             make_tuple(2048_I, 64_I, 16_I, 8_I, 1_I),
                                             make_tuple(_, lane % 32, _, lane / 32, _));
    if constexpr (Tile == tile::run_time_rows) {
        return composition(
            s, make_layout(make_tuple(4_I, 16_I, 4_I, 16_I), make_tuple(16 * n, n, 16_I, 1_I),
                           make_tuple(_, lane / 4, lane % 4, _)));
    } else if constexpr (Tile == tile::shifted) {
        return composition(s, operand) + 264_I;
    } else if constexpr (Tile == tile::carried) {
        // The compiler knows that these two have a bit in common.
        const int one = 1;
        return composition(s, make_layout(make_tuple(4_I, 16_I, 4_I, 2_I, 2_I, 16_I),
                                          make_tuple(1024_I, 64_I, 16_I, 40_I, 24_I, 1_I),
                                          make_tuple(_, lane / 4, lane % 4, one, one, _)));
    } else if constexpr (Tile == tile::moved) {
        auto u = composition(s, rows + 24_I);
        u += n - 24;
        return u;
    } else if constexpr (Tile == tile::shifted_back) {
        return composition(s, rows + n * 8) + number<-264>{};
    } else if constexpr (Tile == tile::rows || Tile == tile::reversed) {
        return composition(s, rows);
    } else {
        return composition(s, operand);
    }
}
// The offset of element e of the lane before the swizzle.
int plain_offset(tile t, int lane, int e) {
    const bool is_operand =
        t == tile::operand || t == tile::unknown_lane || t == tile::cached || t == tile::shifted;
    const int in_operand = e / 32 * 2048 + lane % 32 * 64 + e / 8 % 4 * 16 + lane / 32 * 8 + e % 8;
    const int in_rows = (e / 16 * 16 + lane / 4) * 64 + lane % 4 * 16 + e % 16;
    const int further = t == tile::shifted        ? 264
                        : t == tile::moved        ? 64
                        : t == tile::carried      ? 64
                        : t == tile::shifted_back ? 248
                                                  : 0;
    return (is_operand ? in_operand : in_rows) + further;
}
int place_of(tile t, int offset) {
    return t == tile::reversed ? swizzled(offset, 2, 3, -3) : swizzled(offset, 3, 3, 4);
}

template <class T, index_t vec, tile Tile, bool some>
__global__ void store_and_load(const T* in, const int* lanes, int n, T* image, T* out) {
    __shared__ __attribute__((aligned(16))) T lds[lds_elements];
    const int thread = thread_id_x();
    for (int i = thread; i < lds_elements; i += 64) {
        lds[i] = static_cast<T>(0xeeeeeeee);
    }
    sync_threads();
    const int lane = Tile == tile::unknown_lane ? lanes[thread] : thread % 64;
    const auto own =
        make_layout(make_tuple(64_I, 64_I), make_tuple(64_I, 1_I), make_tuple(thread, _));
    const auto u = make_tile_layout<Tile>(lane, n);
    const auto s = make_smem(lds);
    const auto x = make_gmem(in).template load<1>(own);
    const auto even = [](auto... i) { return (0 + ... + i) % 2 == 0; };
    if constexpr (some) {
        s.template store_if<vec>(even, x, u);
    } else {
        s.template store<vec>(x, u);
    }
    sync_threads();
    for (int i = thread; i < lds_elements; i += 64) {
        image[i] = lds[i];
    }
    if constexpr (some) {
        make_gmem(out).template store<1>(s.template load_if<vec>(even, u), own);
    } else {
        make_gmem(out).template store<1>(s.template load<vec>(u), own);
    }
}

template <class T, index_t vec, tile Tile, bool some = false>
void check_tile() {
    SCOPED_TRACE(testing::Message()
                 << sizeof(T) << " bytes by " << vec << ", tile " << static_cast<int>(Tile));
    const auto value = [](int offset) { return static_cast<T>(offset * 0x10203 + offset / 64); };
    // The accesses that an even sum of indices takes: the last index counts vectors.
    const auto takes_place = [&](int e) {
        const bool is_operand = plain_offset(Tile, 0, 63) - plain_offset(Tile, 0, 0) == 2048 + 55;
        return !some ||
               (is_operand ? e / 32 + e / 8 % 4 + e % 8 / vec : e / 16 + e % 16 / vec) % 2 == 0;
    };
    std::vector<T> in(64 * 64);
    std::vector<T> expected_image(lds_elements, static_cast<T>(0xeeeeeeee));
    std::vector<T> expected(64 * 64);
    std::vector<int> lanes(64);
    std::iota(lanes.begin(), lanes.end(), 0);
    for (int lane = 0; lane < 64; lane++) {
        for (int e = 0; e < 64; e++) {
            const auto i = static_cast<size_t>(lane * 64 + e);
            const int offset = plain_offset(Tile, lane, e);
            in[i] = value(offset);
            if (takes_place(e)) {
                expected[i] = in[i];
                expected_image.at(static_cast<size_t>(place_of(Tile, offset))) = in[i];
            }
        }
    }
    const device_buffer<T> from(in);
    const device_buffer<int> of_lanes(lanes);
    device_buffer<T> image(lds_elements);
    device_buffer<T> out(64 * 64);
    store_and_load<T, vec, Tile, some>
        <<<1, 64>>>(from.data(), of_lanes.data(), 64, image.data(), out.data());
    finish();
    const auto got_image = image.to_host();
    for (size_t i = 0; i < expected_image.size(); i++) {
        ASSERT_EQ(got_image[i], expected_image[i]) << "element " << i << " of LDS";
    }
    const auto got = out.to_host();
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(got[i], expected[i]) << "lane " << i / 64 << " element " << i % 64;
    }
}

template <class T, index_t vec>
void check_some_tiles() {
    check_tile<T, vec, tile::rows>();
    check_tile<T, vec, tile::run_time_rows>();
    check_tile<T, vec, tile::cached>();
    check_tile<T, vec, tile::shifted>();
    check_tile<T, vec, tile::carried>();
}
template <class T, index_t vec>
void check_tiles() {
    check_some_tiles<T, vec>();
    check_tile<T, vec, tile::operand>();
    check_tile<T, vec, tile::unknown_lane>();
    check_tile<T, vec, tile::moved>();
    check_tile<T, vec, tile::shifted_back>();
    check_tile<T, vec, tile::reversed>();
}
TEST(swizzle, elements_of_2_bytes) {
    check_tiles<uint16_t, 8>();
    check_tile<uint16_t, 4, tile::operand>();
    check_tile<uint16_t, 1, tile::unknown_lane>();
}
TEST(swizzle, elements_of_4_bytes_and_wider_accesses) {
    check_some_tiles<uint32_t, 4>();
    check_tile<uint32_t, 8, tile::rows>();  // two instructions each
}
TEST(swizzle, elements_of_a_byte) {
    check_some_tiles<uint8_t, 8>();
}
TEST(swizzle, predicates) {
    check_tile<uint16_t, 8, tile::operand, true>();
    check_tile<uint16_t, 4, tile::rows, true>();
    check_tile<uint32_t, 4, tile::shifted, true>();
    check_tile<uint16_t, 8, tile::unknown_lane, true>();
}

// Elements that are no power of two bytes: lane l has 2 blocks of `vec` elements, `bytes` each, and
// block b is in place b ^ (b / 8 % 4).
template <class T, index_t vec, index_t base>
__global__ void blocks(const uint8_t* in, uint32_t* image, uint8_t* out) {
    constexpr index_t bytes = vec * sizeof_bits_v<get_value_t<T>> * vector_traits<T>::size() / 8;
    __shared__ __attribute__((aligned(16))) uint32_t lds[128 * 16 / 4];
    const int lane = thread_id_x();
    const auto s = make_smem(reinterpret_cast<T*>(lds));
    const auto u = composition(
        swizzle<2, base, 3>{},
        make_layout(make_tuple(2_I, 64_I, number<vec>{}),
                    make_tuple(number<64 * vec>{}, number<vec>{}, 1_I), make_tuple(_, lane, _)));
    using V = typename smem<T>::template vector_type<vec>;
    const auto at = [&](auto* p, int i) { return p + (i * 64 + lane) * bytes; };
    array<V, 2> x{};
    static_for<2>([&](auto i) { __builtin_memcpy(&x[i], at(in, i), bytes); });
    s.template store<vec>(x, u);
    sync_threads();
    for (int i = lane; i < 128 * bytes / 4; i += 64) {
        image[i] = lds[i];
    }
    // All at once, and one by one.
    const auto y = s.template load<vec>(u);
    const auto all = __builtin_bit_cast(array<V, 2>, y);
    const auto offsets = layout_to_offsets<vec>(u);
    static_for<2>([&](auto i) {
        const V one = s.template load<vec>(offsets[i]);
        __builtin_memcpy(at(out, i), &all[i], bytes);
        __builtin_memcpy(at(out + 128 * bytes, i), &one, bytes);
    });
}
template <class T, index_t vec, index_t base>
void check_blocks(size_t bytes) {
    std::vector<uint8_t> in(128 * bytes);
    for (size_t i = 0; i < in.size(); i++) {
        in[i] = static_cast<uint8_t>(i * 7 + i / bytes);
    }
    const device_buffer<uint8_t> from(in);
    device_buffer<uint32_t> image(128 * bytes / 4);
    device_buffer<uint8_t> out(2 * 128 * bytes);
    blocks<T, vec, base><<<1, 64>>>(from.data(), image.data(), out.data());
    finish();
    const auto words = image.to_host();
    std::vector<uint8_t> got(in.size());
    std::memcpy(got.data(), words.data(), got.size());
    for (size_t b = 0; b < 128; b++) {
        const size_t place = b ^ (b / 8 % 4);
        for (size_t i = 0; i < bytes; i++) {
            ASSERT_EQ(got[place * bytes + i], in[b * bytes + i]) << "block " << b << " byte " << i;
        }
    }
    const auto read = out.to_host();
    for (size_t i = 0; i < read.size(); i++) {
        ASSERT_EQ(read[i], in[i % in.size()]) << "byte " << i;
    }
}
TEST(swizzle, packed_and_vector_elements) {
    check_blocks<fp4_t, 32, 5>(16);
    check_blocks<fp4_t, 8, 3>(4);
    check_blocks<fp6_t, 16, 4>(12);
    check_blocks<fp16x2_t, 2, 1>(8);
    check_blocks<fp16x4_t, 1, 0>(8);
}

// -- transposed reads -----------------------------------------------------------------------------

// Lane l points to the elements from e * l on, and for the second access 64 * e further. All of it
// is 512 elements behind the begin of LDS. The lanes get what they would get without a swizzle.
template <class T, index_t e, bool known, class... Wait>
__global__ void read_columns(const int* lanes, T* out) {
    __shared__ __attribute__((aligned(16))) T lds[2048];
    const int lane = known ? thread_id_x() % 64 : lanes[thread_id_x()];
    const auto u = composition(swizzle<2, e == 4 ? 2 : 3, 5>{},
                               make_layout(make_tuple(2_I, 64_I, number<e>{}),
                                           make_tuple(number<64 * e>{}, number<e>{}, 1_I),
                                           make_tuple(_, lane, _))) +
                   512_I;
    vector_t<T, 2 * e> x;
    static_for<2 * e>(
        [&](auto i) { x[i.value] = static_cast<T>(i / e * 64 * e + lane * e + i % e); });
    const auto s = make_smem(lds);
    s.template store<e>(x, u);
    sync_threads();
    const auto y = s.template tr_load<e>(u, Wait{}...);
    s_waitcnt_lgkmcnt(0_I);
    const auto z = s.template tr_load_if<e>([&](auto i, auto) { return i == 1; }, u);
    static_for<2 * e>([&](auto i) {
        out[lane * 4 * e + i.value] = y[i.value];
        out[lane * 4 * e + 2 * e + i.value] = z[i.value];
    });
}
template <class T, int e, bool known, class... Wait>
void check_columns() {
    std::vector<int> lanes(64);
    std::iota(lanes.begin(), lanes.end(), 0);
    const device_buffer<int> of_lanes(lanes);
    device_buffer<T> out(64 * 4 * e);
    read_columns<T, e, known, Wait...><<<1, 64>>>(of_lanes.data(), out.data());
    finish();
    const auto got = out.to_host();
    for (int lane = 0; lane < 64; lane++) {
        for (int i = 0; i < 2 * e; i++) {
            // Element n of lane first + r is element r % e of what lane first + r / e + 16 / e * n
            // points to.
            const int first = lane / 16 * 16;
            const int r = lane % 16;
            const int owner = first + r / e + 16 / e * (i % e);
            const auto expected = static_cast<T>(i / e * 64 * e + owner * e + r % e);
            const auto at = static_cast<size_t>(lane * 4 * e + i);
            ASSERT_EQ(got[at], expected) << "lane " << lane << " element " << i;
            ASSERT_EQ(got[at + 2 * e], i / e == 1 ? expected : T{0})
                << "with a predicate: lane " << lane << " element " << i;
        }
    }
}
TEST(swizzle, transposed_reads) {
    check_columns<uint16_t, 4, true>();
    check_columns<uint16_t, 4, false>();
    check_columns<uint16_t, 4, false, auto_wait>();
    check_columns<uint8_t, 8, true, no_dma_wait>();
    check_columns<uint8_t, 8, false>();
}

// -- LDS-DMA --------------------------------------------------------------------------------------

// Two waves bring 64 rows of 64 elements of 2 bytes, from memory with `stride` elements a row, 32
// rows each; what is in LDS is what stores would have put there. `to` has the lanes in its
// coordinate, or only the waves.
enum class destination { of_lanes, of_unknown_lanes, of_waves, moved };

template <index_t vec, destination To>
__global__ void bring_tile(const uint16_t* from, const int* threads, int stride, int first,
                           uint16_t* image) {
    __shared__ __attribute__((aligned(16))) uint16_t lds[lds_elements];
    const int thread = thread_id_x();
    for (int i = thread; i < lds_elements; i += 128) {
        lds[i] = 0xeeee;
    }
    sync_threads();
    if constexpr (vec == 2 || OPUS_HAS_LDS_DMA_WIDE) {
        constexpr index_t lanes = 64 / vec;  // for a row
        const int t = To == destination::of_unknown_lanes ? threads[thread] : thread;
        const auto shape = make_tuple(2_I, number<32 * lanes / 64>{}, number<64 / lanes>{},
                                      number<lanes>{}, number<vec>{});
        const auto stride_of = [&](auto row) {
            return make_tuple(32_I * row, number<64 / lanes>{} * row, row, number<vec>{}, 1_I);
        };
        const int wave = readfirstlane(thread / 64);
        const auto of_lane = make_tuple(t / 64, _, t % 64 / lanes, t % lanes, _);
        const auto of_wave = make_tuple(wave, _, 0_I, 0_I, _);
        constexpr swizzle<3, 3, 4> s{};
        const auto g = make_gmem(from);
        const auto u = make_layout(shape, stride_of(stride), of_lane);
        if constexpr (To == destination::of_waves) {
            g.template async_load<vec>(
                lds, u, composition(s, make_layout(shape, stride_of(64_I), of_wave)), first);
        } else if constexpr (To == destination::moved) {
            auto to = composition(s, make_layout(shape, stride_of(64_I), of_wave) + 1024_I);
            to += stride * 64;
            g.template async_load<vec>(lds, u + 3_I, to + -stride * 64 + 512_I, first - 3);
        } else {
            g.template async_load<vec>(
                lds, u, composition(s, make_layout(shape, stride_of(64_I), of_lane)), first);
        }
    }
    s_waitcnt_vmcnt(0_I);
    sync_threads();
    for (int i = thread; i < lds_elements; i += 128) {
        image[i] = lds[i];
    }
}
template <index_t vec, destination To>
void check_dma() {
    SCOPED_TRACE(testing::Message() << vec << " elements, form " << static_cast<int>(To));
    constexpr int stride = 72;
    constexpr int first = 8;
    std::vector<uint16_t> from(64 * stride + 64);
    std::iota(from.begin(), from.end(), uint16_t{1});
    std::vector<int> threads(128);
    std::iota(threads.begin(), threads.end(), 0);
    const device_buffer<uint16_t> in(from);
    const device_buffer<int> of_threads(threads);
    device_buffer<uint16_t> image(lds_elements);
    bring_tile<vec, To><<<1, 128>>>(in.data(), of_threads.data(), stride, first, image.data());
    finish();
    std::vector<uint16_t> expected(lds_elements, 0xeeee);
    const int begin = To == destination::moved ? 1536 : 0;
    for (int row = 0; row < 64; row++) {
        for (int column = 0; column < 64; column++) {
            const int place = swizzled(begin + row * 64 + column, 3, 3, 4);
            expected.at(static_cast<size_t>(place)) =
                from.at(static_cast<size_t>(first + row * stride + column));
        }
    }
    const auto got = image.to_host();
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(got[i], expected[i]) << "element " << i << " of LDS";
    }
}
template <index_t vec>
void check_all_dma() {
    check_dma<vec, destination::of_lanes>();
    check_dma<vec, destination::of_unknown_lanes>();
    check_dma<vec, destination::of_waves>();
    check_dma<vec, destination::moved>();
}
TEST(swizzle, of_what_async_load_writes) {
    check_all_dma<2>();
}
TEST(swizzle, of_what_wide_async_loads_write) {
    if (!on_gfx950()) {
        GTEST_SKIP() << "gfx950 only";
    }
    check_all_dma<8>();
}

// A row of 64 that three parts of the lane's number make, the first one of them the farthest apart.
__global__ void bring_by_parts(const uint32_t* from, uint32_t* image) {
    __shared__ __attribute__((aligned(16))) uint32_t lds[512];
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(8_I, 2_I, 4_I, 8_I), make_tuple(64_I, 32_I, 8_I, 1_I),
                               make_tuple(_, lane / 32, lane / 8 % 4, lane % 8));
    make_gmem(from).async_load<1>(lds, u, composition(swizzle<3, 3, 3>{}, u));
    s_waitcnt_vmcnt(0_I);
    sync_threads();
    make_gmem(image).store<1>(make_smem(lds).load<1>(u), u);
}
TEST(swizzle, of_what_async_load_writes_by_parts_of_the_lane) {
    std::vector<uint32_t> from(512);
    std::iota(from.begin(), from.end(), 1u);
    const device_buffer<uint32_t> in(from);
    device_buffer<uint32_t> image(512);
    bring_by_parts<<<1, 64>>>(in.data(), image.data());
    finish();
    const auto got = image.to_host();
    for (int i = 0; i < 512; i++) {
        const auto place = static_cast<size_t>(swizzled(i, 3, 3, 3));
        ASSERT_EQ(got[place], from[static_cast<size_t>(i)]) << "element " << i;
    }
}

// Memory can be swizzled as well: whole rows of 64 elements are read and written in another order.
__global__ void through_memory(const uint16_t* from, uint16_t* to) {
    __shared__ __attribute__((aligned(16))) uint16_t lds[4096];
    const int lane = thread_id_x();
    const auto u = make_layout(make_tuple(8_I, 64_I, 8_I), make_tuple(512_I, 8_I, 1_I),
                               make_tuple(_, lane, _));
    const auto other = composition(swizzle<3, 3, 4>{}, u);
    const auto pairs = composition(
        swizzle<3, 3, 4>{}, make_layout(make_tuple(32_I, 64_I, 2_I), make_tuple(128_I, 2_I, 1_I),
                                        make_tuple(_, lane, _)));
    const auto g = make_gmem(from);
    make_gmem(to).store<8>(g.load<8>(other), u);
    make_gmem(to + 4096).store<8>(g.load<8>(u), other);
    g.async_load<2>(lds, pairs,
                    make_layout(make_tuple(32_I, 64_I, 2_I), make_tuple(128_I, 2_I, 1_I),
                                make_tuple(_, lane, _)));
    s_waitcnt_vmcnt(0_I);
    sync_threads();
    make_gmem(to + 8192).store<8>(make_smem(lds).load<8>(u), u);
}
TEST(swizzle, of_global_memory) {
    std::vector<uint16_t> from(4096);
    std::iota(from.begin(), from.end(), uint16_t{1});
    const device_buffer<uint16_t> in(from);
    device_buffer<uint16_t> out(3 * 4096);
    through_memory<<<1, 64>>>(in.data(), out.data());
    finish();
    const auto got = out.to_host();
    for (int i = 0; i < 4096; i++) {
        const auto at = static_cast<size_t>(i);
        const auto other = static_cast<size_t>(swizzled(i, 3, 3, 4));
        ASSERT_EQ(got[at], from[other]) << "loaded, element " << i;
        ASSERT_EQ(got[4096 + other], from[at]) << "stored, element " << i;
        ASSERT_EQ(got[8192 + at], from[other]) << "by LDS-DMA, element " << i;
    }
}

}  // namespace
