// Accesses through layouts of any kind, with predicates, wider than an instruction and of elements
// below a byte, on global memory.
#include <gtest/gtest.h>

#include <algorithm>
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
    check_copy_tile<uint8_t, 1>();
    check_copy_tile<uint16_t, 8>();
    check_copy_tile<uint16_t, 1>();
    check_copy_tile<float, 4>();
    check_copy_tile<float, 1>();
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

// Without a coordinate a layout is one access, at its first element.
struct no_coordinate {
    static constexpr int vec = 4;
    OPUS_D static auto layout(int big, int small) {
        auto u = make_layout<0>(make_tuple(8_I, 8_I), make_tuple(small, 1_I)) + 4_I;
        u += big;
        return u;
    }
};
struct no_coordinate_plain {
    static constexpr int vec = 2;
    OPUS_D static auto layout(int, int) { return make_layout<-1>(make_tuple(8_I, 8_I)) + 6_I; }
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
    check_copy_through<no_coordinate>(400, 20, elements_of(404, 4, {}, {}));
    check_copy_through<no_coordinate_plain>(400, 20, elements_of(6, 2, {}, {}));
}

// -- every member through every form of layout ----------------------------------------------------

// How a layout is computed, whether it is swizzled, and whether it is shifted.
enum class base { plain, linear, cached };
template <base Base, bool Swizzled, bool Shifted>
struct form {
    // The layout of accesses of `vec` elements.
    template <index_t vec, class... T>
    OPUS_D static auto make(const T&... parts) {
        constexpr index_t kind = Base == base::plain ? -1 : Base == base::linear ? 0 : vec;
        const auto u = composition(swizzle<Swizzled ? 2 : 0, 1, 6>{}, make_layout<kind>(parts...));
        if constexpr (Shifted) {
            return u + 8_I;
        } else {
            return u;
        }
    }
    // Where element `i` is: bits 7 and 8 go into bits 1 and 2.
    static size_t place(size_t i) {
        i += Shifted ? 8 : 0;
        return Swizzled ? i ^ (i >> 7 & 3) << 1 : i;
    }
};

constexpr size_t form_elements = 1024;
constexpr int form_rows = 512;      // elements between the two rows of a lane, which are of 4
constexpr size_t form_limit = 600;  // elements of the global memory that is read
constexpr size_t per_lane = 8;
// What a lane notes: load, load_if and the old values of five atomic operations.
constexpr size_t form_notes = 7;

template <class V>
__device__ void note(u32_t* notes, size_t row, const V& x) {
    for (index_t i = 0; i < size<V>(); i++) {
        notes[(row * lanes + static_cast<size_t>(lane_id())) * per_lane + static_cast<size_t>(i)] =
            x[i];
    }
}

// `from` is read, `stored`, `chosen` and `counted` are written.
template <class Form, class Mem>
__device__ void use_members(const Mem& from, const Mem& stored, const Mem& chosen,
                            const Mem& counted, u32_t* notes, int form_row) {
    const int lane = lane_id();
    const auto u = Form::template make<2>(make_tuple(2_I, 64_I, 4_I),
                                          make_tuple(form_row, 4_I, 1_I), make_tuple(_, lane, _));
    const auto wanted = [&](auto i, auto j) { return (lane + i + j) % 3 != 0; };
    vector_t<u32_t, per_lane> value;
    for (int i = 0; i < 8; i++) {
        value[i] = static_cast<u32_t>(5000 + 8 * lane + i);
    }
    note(notes, 0, from.template load<2>(u));
    note(notes, 1, from.template load_if<2>(wanted, u));
    stored.template store<2>(value, u);
    chosen.template store_if<2>(wanted, value, u);
    note(notes, 2, counted.template atomic_max<2>(value, u));
    note(notes, 3, counted.template atomic_add<2>(value, u));
    note(notes, 4, counted.template atomic_min<2>(2 * value + 100, u));
    if constexpr (is_smem_v<Mem>) {
        note(notes, 5, counted.template atomic_and<2>(value | 0x3ff, u));
        note(notes, 6, counted.template atomic_or<2>(value, u));
    }
}

// Eight elements of each lane to LDS, from where the form says, or to where it says.
template <class Form, class ToForm, class Mem>
__device__ void use_async(const Mem& from, u32_t* lds, u32_t* out, int form_row) {
    const int lane = lane_id();
    const auto u = Form::template make<1>(make_tuple(2_I, 64_I, 4_I),
                                          make_tuple(form_row, 4_I, 1_I), make_tuple(_, lane, _));
    const auto to = ToForm::template make<1>(make_tuple(8_I, 64_I), make_tuple(form_row / 8, 1_I),
                                             make_tuple(_, lane));
    const auto wanted = [&](auto i, auto j) { return (lane + i + j) % 3 != 0; };
    from.template async_load<1>(lds, u, to);
    from.template async_load_if<1>(wanted, lds + form_rows + 16, u, to);
    wait_async(0_I);
    sync_threads();
    for (int i = lane; i < 2 * (form_rows + 16); i += lanes) {
        out[i] = lds[i];
        lds[i] = 0xee;
    }
    sync_threads();
}

// The notes, `stored`, `chosen` and `counted` of each kind of memory, and what async_load brings.
constexpr size_t form_words = form_notes * lanes * per_lane + 3 * form_elements;
constexpr size_t async_words = 2 * (form_rows + 16);
template <class Form, class ToForm>
__global__ void use_form(const u32_t* from, u32_t* out, int form_row) {
    __shared__ u32_t lds[4 * form_elements];
    const auto area = [&](size_t kind, size_t i) {
        return out + kind * form_words + form_notes * lanes * per_lane + i * form_elements;
    };
    const auto limited = form_limit * sizeof(u32_t);
    use_members<Form>(make_gmem(from, limited), make_gmem(area(0, 0)), make_gmem(area(0, 1)),
                      make_gmem(area(0, 2)), out, form_row);
    use_members<Form>(make_gmem_wide(from, limited), make_gmem_wide(area(1, 0)),
                      make_gmem_wide(area(1, 1)), make_gmem_wide(area(1, 2)), out + form_words,
                      form_row);
    const size_t lane = static_cast<size_t>(lane_id());
    for (size_t i = lane; i < form_elements; i += lanes) {
        lds[i] = from[i];
        for (size_t a = 0; a < 3; a++) {
            lds[(a + 1) * form_elements + i] = area(2, a)[i];
        }
    }
    sync_threads();
    use_members<Form>(make_smem(lds), make_smem(lds + form_elements),
                      make_smem(lds + 2 * form_elements), make_smem(lds + 3 * form_elements),
                      out + 2 * form_words, form_row);
    sync_threads();
    for (size_t i = lane; i < form_elements; i += lanes) {
        for (size_t a = 0; a < 3; a++) {
            area(2, a)[i] = lds[(a + 1) * form_elements + i];
        }
        lds[i] = 0xee;
        lds[form_elements + i] = 0xee;
    }
    sync_threads();
    use_async<Form, ToForm>(make_gmem(from, limited), lds, out + 3 * form_words, form_row);
    use_async<Form, ToForm>(make_gmem_wide(from, limited), lds, out + 3 * form_words + async_words,
                            form_row);
}
template <class Form, class ToForm>
void check_form(const char* name) {
    SCOPED_TRACE(name);
    std::vector<u32_t> memory(form_elements);
    for (size_t i = 0; i < form_elements; i++) {
        memory[i] = static_cast<u32_t>(3 * i + 1);
    }
    constexpr u32_t untouched = 0xee;
    std::vector<u32_t> expected(3 * form_words + 2 * async_words, untouched);
    std::vector<u32_t> before = expected;
    for (size_t kind = 0; kind < 3; kind++) {
        u32_t* const notes = &expected[kind * form_words];
        u32_t* const stored = notes + form_notes * lanes * per_lane;
        u32_t* const chosen = stored + form_elements;
        u32_t* const counted = chosen + form_elements;
        for (size_t i = 0; i < form_elements; i++) {
            counted[i] = static_cast<u32_t>(4700 + i * 37 % 1001);
            before[static_cast<size_t>(counted - expected.data()) + i] = counted[i];
        }
        for (size_t lane = 0; lane < lanes; lane++) {
            for (size_t e = 0; e < per_lane; e++) {
                const size_t at = Form::place(e / 4 * form_rows + lane * 4 + e % 4);
                const bool wanted = (lane + e / 4 + e % 4 / 2) % 3 != 0;
                const bool in_range = kind == 2 || at < form_limit;
                const u32_t value = static_cast<u32_t>(5000 + 8 * lane + e);
                const auto noted = [&](size_t row) -> u32_t& {
                    return notes[(row * lanes + lane) * per_lane + e];
                };
                u32_t& count = counted[at];
                noted(0) = in_range ? memory[at] : 0;
                noted(1) = wanted ? noted(0) : 0;
                stored[at] = value;
                chosen[at] = wanted ? value : chosen[at];
                noted(2) = count;
                count = std::max(count, value);
                noted(3) = count;
                count += value;
                noted(4) = count;
                count = std::min(count, 2 * value + 100);
                if (kind == 2) {
                    noted(5) = count;
                    count &= value | 0x3ff;
                    noted(6) = count;
                    count |= value;
                }
            }
        }
    }
    for (size_t kind = 0; kind < 2; kind++) {
        u32_t* const all = &expected[3 * form_words + kind * async_words];
        u32_t* const some = all + form_rows + 16;
        for (size_t lane = 0; lane < lanes; lane++) {
            for (size_t e = 0; e < per_lane; e++) {
                const size_t from = Form::place(e / 4 * form_rows + lane * 4 + e % 4);
                const size_t to = ToForm::place(e * lanes + lane);
                all[to] = from < form_limit ? memory[from] : 0;
                some[to] = (lane + e / 4 + e % 4) % 3 != 0 ? all[to] : 0;
            }
        }
    }
    const device_buffer<u32_t> from(memory);
    const device_buffer<u32_t> out(before);
    use_form<Form, ToForm><<<1, lanes>>>(from.data(), out.data(), form_rows);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(got[i], expected[i])
            << (i < 3 * form_words ? "memory " : "async_load ")
            << (i < 3 * form_words ? i / form_words : (i - 3 * form_words) / async_words)
            << ", word "
            << (i < 3 * form_words ? i % form_words : (i - 3 * form_words) % async_words);
    }
}

TEST(gmem, every_member_through_every_form_of_layout) {
    using to_plain = form<base::plain, false, false>;
    using to_linear = form<base::linear, false, true>;
    using to_cached = form<base::cached, false, true>;
    check_form<form<base::plain, false, false>, to_plain>("plain");
    check_form<form<base::linear, false, false>, form<base::plain, false, true>>("linear");
    check_form<form<base::cached, false, false>, form<base::cached, false, false>>("cached");
    check_form<form<base::plain, false, true>, to_linear>("plain, shifted");
    check_form<form<base::linear, false, true>, to_cached>("linear, shifted");
    check_form<form<base::cached, false, true>, to_plain>("cached, shifted");
    check_form<form<base::plain, true, false>, to_linear>("plain, swizzled");
    check_form<form<base::linear, true, false>, to_cached>("linear, swizzled");
    check_form<form<base::cached, true, false>, to_plain>("cached, swizzled");
    check_form<form<base::plain, true, true>, to_linear>("plain, swizzled, shifted");
    check_form<form<base::linear, true, true>, to_cached>("linear, swizzled, shifted");
    check_form<form<base::cached, true, true>, to_plain>("cached, swizzled, shifted");
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
    check_wide<float, 16>(20);
    check_wide<float, 17>(20);
    check_wide<uint16_t, 10>(12);
    check_wide<uint16_t, 24>(26);
    check_wide<uint8_t, 64>(68);
    check_wide<double, 3>(4);
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
