// 50 layouts and 50 tuples of 6, no two of the same type, used so that all of them are instantiated
// and compiled. The kinds of layout take turns, and so do constants and run-time values.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

// number<Value> where bit `Bit` of I is set, elsewhere a run-time value.
template <index_t I, index_t Bit, index_t Value>
__device__ auto entry(index_t n) {
    if constexpr ((I >> Bit) % 2 == 1) {
        return number<Value>{};
    } else {
        return n + Value;
    }
}

// The six kinds: without coordinate layout, layout_linear and layout_cached of packed strides; with
// one, the same three with strides of their own, two open dimensions and vectors of 2.
template <index_t I>
__device__ index_t use_layout(index_t n) {
    constexpr index_t cached_vec = I % 3 == 2 ? 2 : I % 3 - 1;
    if constexpr (I % 6 < 3) {
        const auto shape = make_tuple(entry<I, 0, I + 2>(n), entry<I, 1, 4>(n), entry<I, 2, I>(n),
                                      entry<I, 3, 8>(n));
        const auto u = make_layout<cached_vec>(shape);
        return static_cast<index_t>(u(n, 1, number<I>{}, n));
    } else {
        const auto shape =
            make_tuple(entry<I, 0, I + 2>(n), number<2>{}, entry<I, 1, 16>(n), number<4>{});
        const auto stride =
            make_tuple(entry<I, 2, 64>(n), entry<I, 3, I + 8>(n), entry<I, 4, 8>(n), number<1>{});
        const auto u = make_layout<cached_vec>(shape, stride, make_tuple(n, _, n, _));
        const auto offsets = layout_to_offsets<2>(u);
        return static_cast<index_t>(u(number<1>{}, number<I % 2>{})) + offsets[0] + offsets[3];
    }
}

template <index_t I>
__device__ index_t use_tuple(index_t n) {
    const auto t = make_tuple(entry<I, 0, I>(n), entry<I, 1, 2>(n), entry<I, 2, 3>(n),
                              entry<I, 3, 4>(n), entry<I, 4, 5>(n), entry<I, 5, 6>(n));
    return static_cast<index_t>(embed(t, make_tuple(n, n, n, n, n, number<I>{}))) +
           static_cast<index_t>(get<I % 6>(t));
}

template <index_t... Is>
__device__ void use_all(int* out, index_t n, seq<Is...>) {
    ((out[Is] = use_layout<Is>(n) + use_tuple<Is>(n)), ...);
}

extern "C" __global__ void kernel(int* out, int n) {
    use_all(out, n, make_index_seq<50>{});
}
