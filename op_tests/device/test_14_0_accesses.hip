// Accesses through layouts of any kind, with predicates, wider than an instruction and of elements
// below a byte, on global memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "common/device.hpp"
#include "device_bytes.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

constexpr int lanes = 64;

// -- layouts --------------------------------------------------------------------------------------

constexpr int rows = 48;
constexpr int columns = 32;

// Every thread copies its part of a 48x32 tile: 3 rows, 8 elements of each.
template <class T, int vec>
__global__ void copy_tile(const T* from, T* to, int stride, int s_os) {
    const index_t thread = thread_id_x();
    const auto u =
        make_layout(make_tuple(3_I, 16_I, 4_I, 8_I), make_tuple(16 * stride, stride, 8_I, 1_I),
                    make_tuple(_, thread / 4, thread % 4, _));
    const auto tile = make_gmem(from).template load<vec>(u, s_os);
    static_assert(is_same_v<remove_cv_t<decltype(tile)>, vector_t<T, 24>>);
    make_gmem(to).template store<vec>(tile, u + s_os);
}

template <class T, int vec>
void check_copy_tile() {
    constexpr int stride = 40;
    constexpr int s_os = 80;
    std::vector<T> from((rows + 4) * stride);
    for (size_t i = 0; i < from.size(); i++) {
        from[i] = static_cast<T>(i % 113 + 1);
    }
    const device_buffer<T> in(from);
    device_buffer<T> out(from.size());
    out.fill_bytes(0);
    copy_tile<T, vec><<<1, 64>>>(in.data(), out.data(), stride, s_os);
    finish();
    const auto got = out.to_host();
    for (int i = 0; i < static_cast<int>(from.size()); i++) {
        const int row = (i - s_os) / stride;
        const int column = (i - s_os) % stride;
        const bool in_tile = i >= s_os && row < rows && column < columns;
        ASSERT_EQ(got[static_cast<size_t>(i)], in_tile ? from[static_cast<size_t>(i)] : T{})
            << "element " << i;
    }
}

TEST(gmem, layout_form_moves_exactly_the_tile) {
    check_copy_tile<uint8_t, 8>();
    check_copy_tile<uint8_t, 4>();
    check_copy_tile<uint8_t, 1>();
    check_copy_tile<uint16_t, 8>();
    check_copy_tile<uint16_t, 2>();
    check_copy_tile<uint16_t, 1>();
    check_copy_tile<float, 4>();
    check_copy_tile<float, 1>();
    check_copy_tile<double, 2>();
    check_copy_tile<double, 8>();
}

// -- layouts of any kind --------------------------------------------------------------------------

// An element holds its own index, so that what is loaded says from where.
constexpr int indexed_elements = 4096;

// Through global memory and through LDS: what a layout loads, and what it stores of that. (Some
// cases take vectors through a last stride at run time, which is warned of.)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-warnings"
template <class Case>
__global__ void copy_through(const float* from, float* loaded, float* to, int big, int small) {
    __shared__ float lds_from[indexed_elements];
    __shared__ float lds_to[indexed_elements];
    for (int i = 0; i < indexed_elements; i++) {
        lds_from[i] = from[i];
        lds_to[i] = -1;
    }
    const auto u = Case::layout(big, small);
    const auto x = make_gmem(from).template load<Case::vec>(u);
    const auto y = make_smem(lds_from).template load<Case::vec>(u);
    constexpr index_t n = vector_traits<remove_cvref_t<decltype(x)>>::size();
    make_gmem(loaded).template store<1>(
        x, make_layout<-1>(tuple<number<n>>{}, tuple<number<1>>{}, tuple<underscore>{}));
    make_gmem(loaded + n)
        .template store<1>(
            y, make_layout<-1>(tuple<number<n>>{}, tuple<number<1>>{}, tuple<underscore>{}));
    make_gmem(to).template store<Case::vec>(x, u);
    make_smem(lds_to).template store<Case::vec>(x, u);
    for (int i = 0; i < indexed_elements; i++) {
        to[indexed_elements + i] = lds_to[i];
    }
}
#pragma clang diagnostic pop

// The elements of the accesses that start at `first` and go through `extents` (the last one in
// vectors), the last index fastest.
std::vector<int> elements_of(int first, int vec, const std::vector<int>& extents,
                             const std::vector<int>& strides) {
    std::vector<int> starts{first};
    for (size_t d = 0; d < extents.size(); d++) {
        std::vector<int> next;
        for (const int start : starts) {
            for (int i = 0; i < extents[d]; i++) {
                next.push_back(start + i * strides[d] * (d + 1 == extents.size() ? vec : 1));
            }
        }
        starts = next;
    }
    std::vector<int> elements;
    for (const int start : starts) {
        for (int i = 0; i < vec; i++) {
            elements.push_back(start + i);
        }
    }
    return elements;
}

template <class Case>
void check_copy_through(int big, int small, const std::vector<int>& elements) {
    std::vector<float> memory(indexed_elements);
    std::iota(memory.begin(), memory.end(), 0.0f);
    const device_buffer<float> from(memory);
    const device_buffer<float> loaded(2 * elements.size());
    const device_buffer<float> to(std::vector<float>(2 * indexed_elements, -1));
    copy_through<Case><<<1, 1>>>(from.data(), loaded.data(), to.data(), big, small);
    finish();
    const auto got = loaded.to_host();
    std::vector<float> expected(2 * indexed_elements, -1);
    for (size_t i = 0; i < elements.size(); i++) {
        ASSERT_EQ(got[i], static_cast<float>(elements[i])) << "gmem, element " << i;
        ASSERT_EQ(got[elements.size() + i], static_cast<float>(elements[i]))
            << "smem, element " << i;
        expected[static_cast<size_t>(elements[i])] = static_cast<float>(elements[i]);
        expected[static_cast<size_t>(indexed_elements + elements[i])] =
            static_cast<float>(elements[i]);
    }
    const auto stored = to.to_host();
    for (size_t i = 0; i < stored.size(); i++) {
        ASSERT_EQ(stored[i], expected[i]) << (i < indexed_elements ? "gmem" : "smem")
                                          << ", stored element " << i % indexed_elements;
    }
}

// Run-time strides outside and inside of a constant one, and a closed dimension after them.
struct mixed_strides {
    static constexpr int vec = 1;
    OPUS_D static auto layout(int big, int small) {
        return make_layout(make_tuple(3_I, 2_I, 4_I, 8_I), make_tuple(big, 40_I, small, 1_I),
                           make_tuple(_, _, _, 5));
    }
};
struct three_run_time_strides {
    static constexpr int vec = 2;
    OPUS_D static auto layout(int big, int small) {
        return make_layout(make_tuple(2_I, 3_I, 2_I, 6_I),
                           make_tuple(big, small, big / 4, small / 2), make_tuple(_, _, 1, _));
    }
};
struct moved_and_shifted {
    static constexpr int vec = 2;
    OPUS_D static auto layout(int big, int small) {
        auto u = make_layout(make_tuple(2_I, 64_I, 3_I, 4_I), make_tuple(8_I, 16_I, small, 1_I),
                             make_tuple(_, 3, _, _)) +
                 20_I + 4_I;
        u += big;
        return u;
    }
};
struct cached_and_shifted {
    static constexpr int vec = 2;
    OPUS_D static auto layout(int big, int small) {
        auto u = make_layout<2>(make_tuple(3_I, 2_I, 4_I), make_tuple(big, small, 1_I),
                                make_tuple(_, _, _)) +
                 16_I;
        u += 8;
        return u;
    }
};
// Cached for another width.
struct cached_otherwise {
    static constexpr int vec = 4;
    OPUS_D static auto layout(int big, int small) {
        auto u = make_layout<2>(make_tuple(3_I, 2_I, 8_I), make_tuple(big, small, 1_I),
                                make_tuple(_, _, _)) +
                 16_I;
        u += 8;
        return u;
    }
};
struct one_access {
    static constexpr int vec = 4;
    OPUS_D static auto layout(int big, int small) {
        return make_layout(make_tuple(8_I, 8_I), make_tuple(big, small), make_tuple(2, 3)) + 4_I;
    }
};

TEST(gmem, accesses_through_layouts_of_any_kind) {
    check_copy_through<mixed_strides>(700, 9, elements_of(5, 1, {3, 2, 4}, {700, 40, 9}));
    if (!OPUS_DEBUG) {  // which refuses vec = 2 through a last stride of 6
        check_copy_through<three_run_time_strides>(800, 12,
                                                   elements_of(200, 2, {2, 3, 3}, {800, 12, 6}));
    }
    check_copy_through<moved_and_shifted>(1000, 100, elements_of(1072, 2, {2, 3, 2}, {8, 100, 1}));
    check_copy_through<moved_and_shifted>(1000, -100,
                                          elements_of(1072, 2, {2, 3, 2}, {8, -100, 1}));
    check_copy_through<cached_and_shifted>(600, 50, elements_of(24, 2, {3, 2, 2}, {600, 50, 1}));
    check_copy_through<cached_otherwise>(600, 48, elements_of(24, 4, {3, 2, 2}, {600, 48, 1}));
    check_copy_through<one_access>(400, 20, elements_of(864, 4, {}, {}));
}

// Each of the two parts of the offset is an odd number of 4-bit elements.
__global__ void load_half_bytes(const uint8_t* p, uint8_t* out) {
    auto u = make_layout(make_tuple(2_I, 4_I), make_tuple(10_I, 1_I), make_tuple(_, _)) + 3_I;
    u += 5;
    const auto x = gmem<fp4_t>(p).load<4>(u);
    __builtin_memcpy(out, &x, 4);
}
TEST(gmem, shifts_of_half_bytes) {
    const device_buffer<uint8_t> from(counting_bytes(16, 3));
    const device_buffer<uint8_t> to(bytes(4, 0));
    load_half_bytes<<<1, 1>>>(from.data(), to.data());
    finish();
    const bytes b = counting_bytes(16, 3);
    EXPECT_EQ(to.to_host(), (bytes{b[4], b[5], b[9], b[10]}));
}

// The part of the tile where row < limit_row and the vector begins before limit_column.
__global__ void copy_part(const float* from, float* to, int stride, int limit_row,
                          int limit_column) {
    const index_t thread = thread_id_x();
    const auto u =
        make_layout(make_tuple(3_I, 16_I, 4_I, 8_I), make_tuple(16 * stride, stride, 8_I, 1_I),
                    make_tuple(_, thread / 4, thread % 4, _));
    const auto wanted = [&](auto i, auto j) {
        return i * 16 + thread / 4 < limit_row && thread % 4 * 8 + j * 4 < limit_column;
    };
    const auto g = make_gmem(from);
    const auto o = make_gmem(to);
    // What is not loaded is zero: all of it is stored. Then the same with the store choosing.
    o.store<4>(g.load_if<4>(wanted, u), u);
    const auto second = u + rows * stride;
    store_if<4>(o, wanted, g.load<4>(u), second);
    o.store_if<4>(wanted, load_if<4>(g, wanted, u), second);
}

TEST(gmem, predicates_choose_accesses) {
    constexpr int stride = 32;
    constexpr size_t tile = rows * stride;
    std::vector<float> from(tile);
    std::iota(from.begin(), from.end(), 1.0f);
    const device_buffer<float> in(from);
    device_buffer<float> out(2 * tile);
    out.fill_bytes(0xff);
    copy_part<<<1, 64>>>(in.data(), out.data(), stride, 21, 13);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < tile; i++) {
        const size_t row = i / stride;
        const size_t vector = i % stride / 4 * 4;
        const bool wanted = row < 21 && vector < 13;
        ASSERT_EQ(got[i], wanted ? from[i] : 0.0f) << "load_if, element " << i;
        uint32_t bits = 0;
        std::memcpy(&bits, &got[tile + i], sizeof bits);
        uint32_t expected = 0xffffffff;
        if (wanted) {
            std::memcpy(&expected, &from[i], sizeof expected);
        }
        ASSERT_EQ(bits, expected) << "store_if, element " << i;
    }
}

// One index: vectors of two in a row of `limit` elements.
__global__ void copy_row(const float* from, float* to, int limit) {
    const int thread = thread_id_x();
    const auto u = make_layout(make_tuple(64_I, 8_I), make_tuple(8_I, 1_I), make_tuple(thread, _));
    const auto wanted = [&](auto i) { return thread * 8 + i * 2 < limit; };
    const auto g = make_gmem(from);
    const auto o = make_gmem(to);
    o.store<2>(g.load_if<2>(wanted, u), u);
    o.store_if<2>(wanted, g.load<2>(u), u, 512);
}

TEST(gmem, predicate_of_one_index) {
    std::vector<float> from(512);
    std::iota(from.begin(), from.end(), 1.0f);
    const device_buffer<float> in(from);
    device_buffer<float> out(1024);
    out.fill_bytes(0);
    copy_row<<<1, 64>>>(in.data(), out.data(), 205);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < 512; i++) {
        const float expected = i / 2 * 2 < 205 ? from[i] : 0.0f;
        ASSERT_EQ(got[i], expected) << "load_if, element " << i;
        ASSERT_EQ(got[512 + i], expected) << "store_if, element " << i;
    }
}

// -- wider than 16 bytes, elements below a byte ---------------------------------------------------

// Lane l copies vec elements at element l * step, the byte-wide neighbours stay.
template <class T, int vec>
__global__ void copy_wide(const T* from, T* to, int step, int s_os) {
    const int at = thread_id_x() * step;
    make_gmem(to).template store<vec>(make_gmem(from).template load<vec>(at, s_os), at, s_os);
}

template <class T, int vec>
void check_wide(int step) {
    constexpr int s_os = 4;
    const size_t n = static_cast<size_t>(lanes * step + 64);
    const bytes memory = counting_bytes(n * sizeof(T), 3);
    std::vector<T> from(n);
    std::memcpy(from.data(), memory.data(), memory.size());
    const device_buffer<T> in(from);
    device_buffer<T> out(n);
    out.fill_bytes(0xee);
    copy_wide<T, vec><<<1, lanes>>>(in.data(), out.data(), step, s_os);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < n; i++) {
        const int relative = static_cast<int>(i) - s_os;
        const bool copied = relative >= 0 && relative < lanes * step && relative % step < vec;
        T expected;
        std::memset(&expected, 0xee, sizeof expected);
        if (copied) {
            expected = from[i];
        }
        ASSERT_EQ(std::memcmp(&got[i], &expected, sizeof(T)), 0) << "vec " << vec << ", " << i;
    }
}

TEST(gmem, wider_accesses_are_split) {
    check_wide<float, 5>(8);
    check_wide<float, 6>(7);
    check_wide<float, 7>(8);
    check_wide<float, 8>(9);
    check_wide<float, 16>(20);
    check_wide<float, 17>(20);
    check_wide<uint16_t, 10>(12);
    check_wide<uint16_t, 24>(26);
    check_wide<uint8_t, 20>(24);
    check_wide<uint8_t, 64>(68);
    check_wide<double, 3>(4);
    check_wide<double, 8>(9);
}

__global__ void copy_codes(const uint8_t* from, uint8_t* to) {
    if (thread_id_x() == 0) {
        const auto four = make_gmem(reinterpret_cast<const fp4_t*>(from));
        const auto to_four = make_gmem(reinterpret_cast<fp4_t*>(to));
        static_assert(sizeof(four.load<8>(0)) == 4);
        to_four.store<8>(four.load<8>(24), 8);        // bytes 12..15 to 4..7
        to_four.store<32>(four.load<32>(64, 8), 32);  // 36..51 to 16..31
        const auto six = make_gmem(reinterpret_cast<const fp6_t*>(from));
        const auto to_six = make_gmem(reinterpret_cast<fp6_t*>(to));
        static_assert(sizeof(six.load<16>(0)) == 12);
        to_six.store<16>(six.load<16>(32, 16), 64);  // 36..47 to 48..59
        to_six.store<32>(six.load<32>(0), 96);       // 0..23 to 72..95
    }
}

TEST(gmem, elements_below_a_byte) {
    const bytes from = counting_bytes(128, 40);
    const device_buffer<uint8_t> in(from);
    device_buffer<uint8_t> out(128);
    out.fill_bytes(0xee);
    copy_codes<<<1, 64>>>(in.data(), out.data());
    finish();
    bytes expected(128, 0xee);
    std::memcpy(&expected[4], &from[12], 4);
    std::memcpy(&expected[16], &from[36], 16);
    std::memcpy(&expected[48], &from[36], 12);
    std::memcpy(&expected[72], &from[0], 24);
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(int{got[i]}, int{expected[i]}) << "byte " << i;
    }
}

// A scale is a whole byte, and its vectors are arrays by another name.
__global__ void copy_scales(const uint8_t* from, uint8_t* to) {
    if (thread_id_x() == 0) {
        const auto scales = make_gmem(reinterpret_cast<const e8m0_t*>(from));
        const auto to_scales = make_gmem(reinterpret_cast<e8m0_t*>(to));
        const auto four = scales.load<4>(8);
        static_assert(is_same_v<decltype(four), const vector_t<e8m0_t, 4>>);
        to_scales.store<4>(four, 0);                // bytes 8..11 to 0..3
        to_scales.store<1>(scales.load<1>(17), 5);  // 17 to 5
        to_scales.store<4>(four[2], 8);             // 10 to 8..11
        const auto u = make_layout(make_tuple(2_I, 8_I), make_tuple(16_I, 1_I), make_tuple(_, _));
        to_scales.store<8>(scales.load<8>(u), u + 32_I);  // 0..7 and 16..23 to 32.. and 48..
        const auto decoded = cast<fp32_t>(four);
        to_scales.store<4>(cast<e8m0_t>(decoded), 64);      // 8..11 to 64..67
        to_scales.store<2>(slice(four, 1_I, 3_I), 72);      // 9, 10 to 72, 73
        to_scales.store<8>(concat_vector(four, four), 80);  // 8..11 to 80..83 and 84..87
    }
}

TEST(gmem, scales) {
    const bytes from = counting_bytes(128, 40);
    const device_buffer<uint8_t> in(from);
    device_buffer<uint8_t> out(128);
    out.fill_bytes(0xee);
    copy_scales<<<1, 64>>>(in.data(), out.data());
    finish();
    bytes expected(128, 0xee);
    const auto copy = [&](size_t to, size_t first, size_t n) {
        std::memcpy(&expected[to], &from[first], n);
    };
    copy(0, 8, 4);
    copy(5, 17, 1);
    std::memset(&expected[8], from[10], 4);
    copy(32, 0, 8);
    copy(48, 16, 8);
    copy(64, 8, 4);
    copy(72, 9, 2);
    copy(80, 8, 4);
    copy(84, 8, 4);
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(int{got[i]}, int{expected[i]}) << "byte " << i;
    }
}

}  // namespace
