// Laws of layouts, as functions that run on the host and in a kernel. Each returns the first index
// (counted in row-major order) at which the law does not hold, or -1.
#pragma once

#include "opus/opus.hpp"

namespace laws {

using namespace opus;

template <index_t Rank>
struct index_space {
    index_t extents[Rank > 0 ? Rank : 1];

    OPUS_H_D index_t count() const {
        index_t n = 1;
        for (index_t d = 0; d < Rank; d++) {
            n *= extents[d];
        }
        return n;
    }
    // The index of the n-th point, last dimension fastest.
    OPUS_H_D array<index_t, Rank> point(index_t n) const {
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

// u(i, j, ...) is first + i * strides[0] + j * strides[1] + ..., called with integers and with a
// tuple of them.
template <class Layout, index_t Rank>
OPUS_H_D index_t first_wrong_offset(const Layout& u, const index_space<Rank>& space,
                                    const array<index_t, Rank>& strides, index_t first = 0) {
    constexpr auto dims = make_index_seq<Rank>{};
    for (index_t n = 0; n < space.count(); n++) {
        const auto at = space.point(n);
        index_t expected = first;
        for (index_t d = 0; d < Rank; d++) {
            expected += at[d] * strides[d];
        }
        if (offset_at(u, at, dims) != expected) {
            return n;
        }
    }
    return -1;
}

template <class Layout, index_t... Extents>
OPUS_H_D index_t first_wrong_issue(const Layout& u, const index_t* offsets, index_t count,
                                   index_t vec, tuple<number<Extents>...>) {
    constexpr index_t rank = sizeof...(Extents);
    const index_space<rank> space{Extents...};
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

// layout_to_offsets<vec>(u) are the offsets u(i, ..., vec * j) of nested loops over the y-dims.
template <index_t vec, class Layout>
OPUS_H_D index_t first_wrong_issue(const Layout& u) {
    const auto offsets = layout_to_offsets<vec>(u);
    return first_wrong_issue(u, offsets.content, offsets.size(), vec,
                             layout_to_vectorized_issue_space<vec, Layout>());
}

}  // namespace laws
