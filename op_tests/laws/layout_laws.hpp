// Laws of layouts, as functions that run on the host and in a kernel. Each returns the first index
// (counted in row-major order) at which the law does not hold, or -1.
#pragma once

#include "opus/opus.hpp"

// Not inlined: a kernel that checks many layouts would otherwise be one enormous function.
#define LAWS_H_D OPUS_H_D __attribute__((noinline))

namespace laws {

using namespace opus;

template <index_t Rank>
struct index_space {
    index_t extents[Rank > 0 ? Rank : 1];

    OPUS_H_D constexpr index_t count() const {
        index_t n = 1;
        for (index_t d = 0; d < Rank; d++) {
            n *= extents[d];
        }
        return n;
    }
    // The index of the n-th point, last dimension fastest.
    OPUS_H_D constexpr array<index_t, Rank> point(index_t n) const {
        array<index_t, Rank> at;
        for (index_t d = Rank - 1; d >= 0; d--) {
            at[d] = n % extents[d];
            n /= extents[d];
        }
        return at;
    }
};

template <class Layout, index_t Rank, index_t... Ds>
OPUS_H_D index_t offset_at(const Layout& u, const array<index_t, Rank>& at, seq<Ds...>) {
    return static_cast<index_t>(u(at[Ds]...));
}
template <class Layout, index_t Rank, index_t... Ds>
OPUS_H_D index_t offset_at_tuple(const Layout& u, const array<index_t, Rank>& at, seq<Ds...>) {
    return static_cast<index_t>(u(make_tuple(at[Ds]...)));
}

// u(i, j, ...) is first + i * strides[0] + j * strides[1] + ..., called with integers and with a
// tuple of them.
template <class Layout, index_t Rank>
LAWS_H_D index_t first_wrong_offset(const Layout& u, const index_space<Rank>& space,
                                    const array<index_t, Rank>& strides, index_t first = 0) {
    constexpr auto dims = make_index_seq<Rank>{};
    for (index_t n = 0; n < space.count(); n++) {
        const auto at = space.point(n);
        index_t expected = first;
        for (index_t d = 0; d < Rank; d++) {
            expected += at[d] * strides[d];
        }
        if (offset_at(u, at, dims) != expected || offset_at_tuple(u, at, dims) != expected) {
            return n;
        }
    }
    return -1;
}

template <class Layout, index_t... Extents>
LAWS_H_D index_t first_wrong_issue(const Layout& u, const index_t* offsets, index_t count,
                                   index_t vec, tuple<number<Extents>...>) {
    constexpr index_t rank = sizeof...(Extents);
    const index_space<rank> space{{Extents...}};
    if (count != space.count()) {
        return 0;
    }
    for (index_t n = 0; n < count; n++) {
        auto at = space.point(n);
        at[rank - 1] *= vec;
        if (offsets[n] != offset_at(u, at, make_index_seq<rank>{})) {
            return n;
        }
    }
    return -1;
}

// layout_to_offsets<vec>(u) are the offsets u(i, ..., vec * j) of nested loops over the y-dims. For
// layouts that compute each offset (not layout_cached, which is called with the index of an
// access).
template <index_t vec, class Layout>
LAWS_H_D index_t first_wrong_issue(const Layout& u) {
    const auto offsets = layout_to_offsets<vec>(u);
    return first_wrong_issue(u, offsets.content, offsets.size(), vec,
                             layout_to_vectorized_issue_space<vec, Layout>());
}

// -- layouts of many kinds ------------------------------------------------------------------------

// Well mixed bits of two small numbers.
OPUS_H_D constexpr unsigned mixed(unsigned seed, unsigned position) {
    unsigned x = seed * 0x9e3779b9u + position * 0x85ebca6bu + 0x165667b1u;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    x = (x ^ (x >> 12)) * 0x297a2d39u;
    return x ^ (x >> 15);
}

// A layout drawn by number: rank 1 .. 6, extents 1 .. 4, strides, a coordinate in which some
// dimensions are open. Each extent, stride and coordinate is a number or a run-time value.
template <unsigned Seed>
struct drawn {
    static constexpr index_t rank = 1 + static_cast<index_t>(Seed % 6);

    static constexpr unsigned bits(index_t d, unsigned what) {
        return mixed(Seed, static_cast<unsigned>(d) * 8 + what);
    }
    static constexpr index_t extent(index_t d) { return 1 + static_cast<index_t>(bits(d, 0) % 4); }
    static constexpr index_t stride(index_t d) { return static_cast<index_t>(bits(d, 1) % 50); }
    static constexpr index_t place(index_t d) {
        return (static_cast<index_t>(bits(d, 2)) & 1) % extent(d);
    }
    // At most three, so that no layout stands for more than 64 accesses.
    static constexpr bool open(index_t d) {
        index_t before = 0;
        for (index_t i = 0; i < d; i++) {
            before += bits(i, 3) % 3 != 0 ? 1 : 0;
        }
        return before < 3 && bits(d, 3) % 3 != 0;
    }

    // A value as a number, or as an integer that the compiler is not told.
    template <index_t Value, bool AsNumber>
    OPUS_H_D static constexpr auto value(index_t zero) {
        if constexpr (AsNumber) {
            return number<Value>{};
        } else {
            return Value + zero;
        }
    }
    template <index_t... Ds>
    OPUS_H_D static constexpr auto shape(index_t zero, seq<Ds...>) {
        return make_tuple(value<extent(Ds), bits(Ds, 4) % 2 != 0>(zero)...);
    }
    // Open dimensions of a layout that is loaded through have static extents.
    template <index_t... Ds>
    OPUS_H_D static constexpr auto issue_shape(index_t zero, seq<Ds...>) {
        return make_tuple(value < extent(Ds), open(Ds) || bits(Ds, 4) % 2 != 0 > (zero)...);
    }
    template <index_t... Ds>
    OPUS_H_D static constexpr auto strides(index_t zero, seq<Ds...>) {
        return make_tuple(value<stride(Ds), bits(Ds, 5) % 2 != 0>(zero)...);
    }
    template <index_t D>
    OPUS_H_D static constexpr auto coordinate_entry(index_t zero) {
        if constexpr (open(D)) {
            return _;
        } else {
            return value<place(D), bits(D, 6) % 2 != 0>(zero);
        }
    }
    template <index_t... Ds>
    OPUS_H_D static constexpr auto coordinate(index_t zero, seq<Ds...>) {
        return make_tuple(coordinate_entry<Ds>(zero)...);
    }
    static constexpr index_t open_count() {
        index_t n = 0;
        for (index_t d = 0; d < rank; d++) {
            n += open(d) ? 1 : 0;
        }
        return n;
    }
};

// The laws of drawn<Seed> with each kind of layout. Returns -1, or 100 times the number of the law
// plus the index at which it fails. `zero` is 0, unknown to the compiler.
template <unsigned Seed>
LAWS_H_D index_t first_broken_law(index_t zero) {
    using d = drawn<Seed>;
    constexpr auto dims = make_index_seq<d::rank>{};
    index_t wrong = -1;
    index_t law = 0;
    const auto check = [&](index_t result) {
        law++;
        if (wrong < 0 && result >= 0) {
            wrong = law * 100 + result;
        }
    };

    // Without a coordinate: every index, packed and with strides, before and after a move.
    index_space<d::rank> space{};
    array<index_t, d::rank> strides;
    array<index_t, d::rank> packed;
    for (index_t i = 0; i < d::rank; i++) {
        space.extents[i] = d::extent(i);
        strides[i] = d::stride(i);
    }
    for (index_t i = d::rank - 1, n = 1; i >= 0; n *= space.extents[i], i--) {
        packed[i] = n;
    }
    const auto shape = d::shape(zero, dims);
    const auto stride = d::strides(zero, dims);
    check(first_wrong_offset(make_layout<-1>(shape), space, packed));
    check(first_wrong_offset(make_layout<-1>(shape, stride), space, strides));
    auto linear = make_layout<0>(shape, stride);
    auto cached = make_layout<1>(shape, stride);
    check(first_wrong_offset(linear, space, strides));
    check(first_wrong_offset(cached, space, strides));
    check(first_wrong_offset(make_layout<-1>(shape, stride) + number<5>{}, space, strides, 5));
    linear += 7 + zero;
    cached += 7 + zero;
    check(first_wrong_offset(linear, space, strides, 7));
    check(first_wrong_offset(cached, space, strides, 7));
    auto shifted = linear + number<20>{} + number<3>{};
    static_assert(layout_shift_traits<decltype(shifted)>::value == 23);
    shifted += 100 + zero;
    check(first_wrong_offset(shifted, space, strides, 130));
    check(first_wrong_offset(cached + (1 + zero), space, strides, 8));

    // With a coordinate: the open dimensions, the same way.
    if constexpr (d::open_count() > 0) {
        index_space<d::open_count()> open_space{};
        array<index_t, d::open_count()> open_strides;
        index_t first = 0;
        for (index_t i = 0, n = 0; i < d::rank; i++) {
            if (d::open(i)) {
                open_space.extents[n] = d::extent(i);
                open_strides[n] = d::stride(i);
                n++;
            } else {
                first += d::place(i) * d::stride(i);
            }
        }
        const auto issue_shape = d::issue_shape(zero, dims);
        const auto coord = d::coordinate(zero, dims);
        const auto plain = make_layout<-1>(issue_shape, stride, coord);
        auto moving = make_layout<0>(issue_shape, stride, coord);
        auto looked_up = make_layout<1>(issue_shape, stride, coord);
        check(first_wrong_offset(plain, open_space, open_strides, first));
        check(first_wrong_offset(moving, open_space, open_strides, first));
        check(first_wrong_offset(looked_up, open_space, open_strides, first));
        check(first_wrong_issue<1>(plain));
        check(first_wrong_issue<1>(moving));
        check(first_wrong_issue<1>(looked_up));
        moving += 9 + zero;
        looked_up += 9 + zero;
        check(first_wrong_offset(moving, open_space, open_strides, first + 9));
        check(first_wrong_offset(looked_up, open_space, open_strides, first + 9));
        check(first_wrong_issue<1>(moving + number<4>{}));
        check(first_wrong_issue<1>(looked_up + number<4>{}));
    }
    return wrong;
}

}  // namespace laws
