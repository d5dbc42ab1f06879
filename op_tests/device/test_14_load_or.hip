// load_or: what lies beyond the size is the value given, element by element, for every size.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

constexpr int lanes = 64;
constexpr int per_lane = 8;

// A tile as one vector, whatever the container.
template <class X>
__device__ auto to_tile_vector(const X& x) {
    if constexpr (is_array_v<X>) {
        return to_vector(x);
    } else {
        return x;
    }
}

// Lane l reads elements [l * 8 + s, + 8): by offsets, by a layout of accesses that are not side by
// side, by those of a wide view, and by a layout without a width, which is one element at a time.
template <class T, int Vec>
__global__ void load_all(const T* p, unsigned bytes, int s, T* out) {
    const int lane = thread_id_x();
    const auto g = make_gmem(p, bytes);
    const auto wide = make_gmem_wide(p, bytes);
    const auto u = make_layout(make_tuple(number<lanes>{}, number<per_lane / Vec>{}, number<Vec>{}),
                               make_tuple(per_lane, Vec, 1_I), make_tuple(lane, _, _));
    const auto single = make_layout(make_tuple(number<lanes>{}, number<per_lane>{}),
                                    make_tuple(per_lane, 1_I), make_tuple(lane, _));
    const auto put = [&](int form, int i, const auto& x) {
        static_for<Vec>([&](auto e) {
            out[(form * lanes + lane) * per_lane + i * Vec + e.value] = x[e.value];
        });
    };
    const auto by_layout = to_tile_vector(g.template load_or<Vec>(static_cast<T>(-7), u, s));
    const auto by_wide = to_tile_vector(load_or<Vec>(wide, static_cast<T>(-7), u, s));
    const auto by_element = to_tile_vector(g.load_or(static_cast<T>(-7), single, s));
    static_for<per_lane / Vec>([&](auto i) {
        put(0, i.value, g.template load_or<Vec>(static_cast<T>(-7), lane * per_lane + i * Vec, s));
        put(1, i.value, slice(by_layout, number<i.value * Vec>{}, number<i.value * Vec + Vec>{}));
        put(2, i.value, slice(by_wide, number<i.value * Vec>{}, number<i.value * Vec + Vec>{}));
        put(3, i.value,
            load_or<Vec>(g, static_cast<T>(-7), lane * per_lane + i * Vec, s, cache_nt));
        put(4, i.value, slice(by_element, number<i.value * Vec>{}, number<i.value * Vec + Vec>{}));
    });
}

template <class T, int Vec>
void check(int elements, int s) {
    std::vector<T> x;
    for (int i = 0; i < lanes * per_lane + 64; i++) {
        x.push_back(static_cast<T>(i % 100 + 1));
    }
    device_buffer<T> device_x(x);
    device_buffer<T> out(5 * lanes * per_lane);
    out.fill_bytes(0x55);
    load_all<T, Vec>
        <<<1, lanes>>>(device_x.data(), static_cast<unsigned>(elements) * sizeof(T), s, out.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto result = out.to_host();
    for (int form = 0; form < 5; form++) {
        for (int i = 0; i < lanes * per_lane; i++) {
            // The last byte that has to be in range: that of its dword in the access.
            const int vec = form == 4 ? 1 : Vec;
            const int first = i / vec * vec;
            const int size = static_cast<int>(sizeof(T));
            const int end = std::min(((i - first + 1) * size + 3) / 4 * 4, vec * size);
            const bool inside = (first + s) * size + end <= elements * size;
            const T expected = inside ? x[static_cast<size_t>(i + s)] : static_cast<T>(-7);
            ASSERT_EQ(static_cast<double>(result[static_cast<size_t>(form * lanes * per_lane + i)]),
                      static_cast<double>(expected))
                << "form " << form << " element " << i << " of " << elements << " from " << s;
        }
    }
}
template <class T, int Vec>
void check_sizes() {
    for (const int elements : {0, 1, 2, 3, 4, 5, 7, 8, 13, 100, 102, 509, 511, 512}) {
        check<T, Vec>(elements, 0);
    }
    check<T, Vec>(100, 4);
    check<T, Vec>(100, 60);
    check<T, Vec>(3, 4);
}

TEST(load_or, fp32) {
    check_sizes<float, 1>();
    check_sizes<float, 2>();
    check_sizes<float, 4>();
    check_sizes<float, 8>();
}
TEST(load_or, fp16) {
    check_sizes<fp16_t, 1>();
    check_sizes<fp16_t, 4>();
    check_sizes<fp16_t, 8>();
}
TEST(load_or, other_sizes) {
    check_sizes<double, 2>();
    check_sizes<i8_t, 4>();
    check_sizes<i8_t, 8>();
}

}  // namespace
