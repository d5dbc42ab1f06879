// opus_debug.hpp: layouts and tiles as tables, on the host.
// SPDX-License-Identifier: MIT
#ifndef OPUS_OPUS_DEBUG_HPP
#define OPUS_OPUS_DEBUG_HPP

#include "opus.hpp"

#if defined(OPUS_VERSION)  // else opus.hpp has said why not

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

namespace opus {

#if defined(__HIP_DEVICE_COMPILE__)
// The device pass reads the calls in the host's code and generates nothing for them.
template <class Layout, impl::enable_if_t<is_layout_v<Layout>> = 0>
OPUS_H void print(const Layout&) {}
template <class Mma, class... Tiles>
OPUS_H void print_tile_a(const Mma&, const Tiles&...) {}
template <class Mma, class... Tiles>
OPUS_H void print_tile_b(const Mma&, const Tiles&...) {}
template <class Mma, class... Tiles>
OPUS_H void print_tile(const Mma&, const Tiles&...) {}
#else
namespace impl {
inline constexpr index_t print_chars = 128;  // in a cell

// Prints tables like those of examples/layout_viewer, in lines of 100 characters. There is one
// table for each set of indices in front of the last two. write(text, i) writes element i, in
// row-major order, to text, as snprintf does.
template <class Write>
OPUS_H void print_tables(const index_t* shape, index_t rank, const Write& write) {
    char text[print_chars];
    const index_t columns = shape[rank - 1];
    const index_t rows_of_table = rank > 1 ? shape[rank - 2] : 1;
    index_t rows = 1;
    for (index_t d = 0; d < rank - 1; d++) {
        rows *= shape[d];
    }
    if (rows * columns == 0) {
        return;
    }
    const auto write_label = [&](index_t row) {  // 1,2
        index_t length = 0;
        index_t after = rows;
        text[0] = '\0';
        for (index_t d = 0; d < rank - 1; d++) {
            after /= shape[d];
            length += __builtin_snprintf(text + length, 16, d == 0 ? "%d" : ",%d",
                                         row / after % shape[d]);
        }
        return length;
    };
    const index_t label_width = write_label(rows - 1);
    index_t width = __builtin_snprintf(text, print_chars, "%d", columns - 1);
    for (index_t i = 0; i < rows * columns; i++) {
        const index_t length = write(text, i);
        width = length > width ? length : width;
    }
    index_t step = columns;
    if (label_width + columns * (width + 1) > 100) {
        for (step = 1; label_width + 2 * step * (width + 1) <= 100;) {
            step *= 2;
        }
    }
    for (index_t table = 0; table < rows; table += rows_of_table) {
        for (index_t first = 0; first < columns; first += step) {
            __builtin_printf("\n%*s", label_width, "");
            for (index_t c = first; c < first + step && c < columns; c++) {
                __builtin_printf(" %*d", width, c);
            }
            for (index_t row = table; row < table + rows_of_table; row++) {
                write_label(row);
                __builtin_printf("\n%*s", label_width, text);
                for (index_t c = first; c < first + step && c < columns; c++) {
                    write(text, row * columns + c);
                    __builtin_printf(" %*s", width, text);
                }
            }
            __builtin_printf("\n");
        }
    }
}

template <class T>
OPUS_H void print_entry(const char* before, const T& x) {
    if constexpr (is_underscore_v<T>) {
        __builtin_printf("%s_", before);
    } else {
        __builtin_printf("%s%lld%s", before, static_cast<long_index_t>(x),
                         is_constant_v<T> ? "_I" : "");
    }
}
template <class... T, index_t... Is>
OPUS_H void print_tuple(const char* name, const tuple<T...>& x, seq<Is...>) {
    __builtin_printf("%s(", name);
    (print_entry(Is == 0 ? "" : ", ", element<Is>(x)), ...);
    __builtin_printf(")");
}
// `open` has the extents of the indices that a call of u takes.
template <class Layout, class Open, index_t... Is>
OPUS_H void print_offsets(const Layout& u, const Open& open, seq<Is...>) {
    using plain = typename swizzle_of<typename layout_shift_traits<Layout>::base>::base;
    constexpr index_t rank = sizeof...(Is);
    constexpr index_t vec = Layout::has_coord && plain::cached_vec > 1 ? plain::cached_vec : 1;
    __builtin_printf(Layout::has_coord ? ": in each cell the offset of an access"
                                       : ": in each cell the offset");
    if (vec > 1) {
        __builtin_printf(" of %d elements", vec);
    }
    __builtin_printf("\n");
    const index_t extents[] = {
        (static_cast<index_t>(element<Is>(open)) / (Is == rank - 1 ? vec : 1))..., 1};
    index_t all = 1;
    for (const index_t extent : extents) {
        all *= extent;
    }
    constexpr bool is_list = Layout::has_coord || rank < 2;
    print_tables(is_list ? &all : extents, is_list ? 1 : rank, [&](char* text, index_t i) {
        index_t at[rank + 1] = {};
        for (index_t d = rank; d-- > 0; i /= extents[d]) {
            at[d] = i % extents[d];
        }
        return __builtin_snprintf(text, print_chars, "%lld",
                                  static_cast<long_index_t>(u(at[Is]...)));
    });
}
}  // namespace impl

// Prints a layout, with its moves, shifts and swizzles, as tables of its offsets. The last index
// counts columns, the one before it rows; there is a table for each set of the others. Numbers are
// shown as 8_I. For a layout with a coordinate (a thread's part), prints the offsets of its
// accesses in their order: of elements or, for a layout_cached, of its vectors.
//   print(make_layout(2_I, 3_I));
//     -> shape (2_I, 3_I), stride (3_I, 1_I): in each cell the offset
//
//          0 1 2
//        0 0 1 2
//        1 3 4 5
template <class Layout, impl::enable_if_t<is_layout_v<Layout>> = 0>
OPUS_H void print(const Layout& u) {
    constexpr auto dims = make_index_seq<Layout::rank>{};
    impl::print_tuple("shape ", u.shape(), dims);
    impl::print_tuple(", stride ", u.stride(), dims);
    if constexpr (Layout::has_coord) {
        impl::print_tuple(", coordinate ", u.coord(), dims);
        impl::print_offsets(u, impl::open_entries(u.shape(), u.coord()),
                            make_index_seq<Layout::coord_rank>{});
    } else {
        impl::print_offsets(u, u.shape(), dims);
    }
}

namespace impl {
// A thread's tile with elements that can be read one by one.
template <index_t Items, class X>
OPUS_H auto readable_tile(const X& tile) {
    using traits = tile_traits<X>;
    static_assert(
        traits::size() == Items,
        "opus::print_tile: tiles[thread] must be the tile of a thread, a vtype_a (vtype_b, "
        "vtype_c) of the mma");
    if constexpr (is_exact_in_fp32_v<typename traits::dtype>) {
        return cast<fp32_t>(tile);
    } else {
        return tile;
    }
}
template <class X>
OPUS_H double item_of(const X& tile, index_t i) {
    if constexpr (is_container_v<get_value_t<X>>) {
        constexpr index_t length = vector_traits<get_value_t<X>>::size();
        return item_of(tile[i / length], i % length);
    } else {
        return static_cast<double>(tile[i]);
    }
}

// Waves along M, N and K, and the extents of the block.
template <class Mma, class Wave = typename Mma::MMA>
constexpr array<index_t, 3> waves_of(int) {
    return {Mma::tile_m, Mma::tile_n, Mma::tile_k};
}
template <class>
constexpr array<index_t, 3> waves_of(...) {
    return {1, 1, 1};
}
template <class Mma, class Wave = typename Mma::MMA>
constexpr array<index_t, 3> extents_of(int) {
    return {Mma::expd_m * Mma::tile_m * Mma::wave_m, Mma::expd_n * Mma::tile_n * Mma::wave_n,
            Mma::expd_k * Mma::tile_k * Mma::wave_k};
}
template <class Mma>
constexpr array<index_t, 3> extents_of(...) {
    return {Mma::wave_m, Mma::wave_n, Mma::wave_k};
}

// Operand 0 is A (m x k), 1 is B (n x k), 2 is C (m x n). `tiles` is empty or one container.
template <index_t Operand, class Mma, class Coordinates, class... Tiles>
OPUS_H void print_operand(const Coordinates& coordinates, const Tiles&... tiles) {
    static_assert(sizeof...(Tiles) <= 1, "opus::print_tile: takes an mma and the threads' tiles");
    constexpr auto waves = waves_of<Mma>(0);
    constexpr auto extents = extents_of<Mma>(0);
    using f_t = decltype(coordinates(0));
    constexpr index_t row = Operand == 1 ? 1 : 0;
    constexpr index_t column = Operand == 2 ? 1 : 2;
    constexpr index_t other = 3 - row - column;  // waves along it have the same part
    constexpr index_t step = (other == 0 ? waves[1] : 1) * (other == 2 ? 1 : waves[2]) * 64;
    constexpr index_t shape[] = {Mma::blocks, extents[row], extents[column]};
    constexpr bool has_blocks = Mma::blocks > 1;
    constexpr index_t digits =
        (6 + ... +
         (is_integer_v<typename tile_traits<__remove_cvref(decltype(tiles[0]))>::dtype> ? 4 : 0));
    struct {
        index_t thread;
        index_t item;
        double value;
    } cells[shape[0] * shape[1] * shape[2]];

    __builtin_printf("%c, ", "ABC"[Operand]);
    if (has_blocks) {
        __builtin_printf("%d blocks of ", shape[0]);
    }
    __builtin_printf("%d x %d (%c x %c): in each cell %s\n", shape[1], shape[2], "mnk"[row],
                     "mnk"[column], sizeof...(Tiles) == 0 ? "thread:item" : "the value");
    for (index_t wave = 0; wave < waves[other]; wave++) {
        if (waves[other] > 1) {
            __builtin_printf("\nWaves with %c = %d:\n", "mnk"[other], wave);
        }
        for (index_t thread = 0; thread < 64 * waves[0] * waves[1] * waves[2]; thread++) {
            if (thread / step % waves[other] != wave) {
                continue;
            }
            const auto f = coordinates(thread);
            const auto read = [&](const auto&... tile) {
                for (index_t i = 0; i < f_t::items; i++) {
                    const auto at = f(i);
                    index_t place =
                        element<has_blocks>(at) * shape[2] + element<1 + has_blocks>(at);
                    if constexpr (has_blocks) {
                        place += element<0>(at) * shape[1] * shape[2];
                    }
                    cells[place].thread = thread;
                    cells[place].item = i;
                    ((cells[place].value = item_of(tile, i)), ...);
                }
            };
            read(readable_tile<f_t::items>(tiles[static_cast<decltype(sizeof(0))>(thread)])...);
        }
        print_tables(shape + !has_blocks, 2 + has_blocks, [&](char* text, index_t i) {
            if constexpr (sizeof...(Tiles) == 0) {
                return __builtin_snprintf(text, print_chars, "%d:%d", cells[i].thread,
                                          cells[i].item);
            } else {
                return __builtin_snprintf(text, print_chars, "%.*g", digits, cells[i].value);
            }
        });
    }
}
}  // namespace impl

// Prints C of a block, m down and n across, for what make_mfma and make_tiled_mma return, in tables
// like those of print. Without tiles it shows which thread holds each element, as thread:item (the
// element's number in that thread's vtype_c). With tiles it shows the values: tiles[thread] is the
// vtype_c of each thread of the block; tiles is an array, std::vector or pointer. An instruction of
// several blocks has a table for each block. Waves along k hold partial sums, with a table each.
// print_tile_a (m x k) and print_tile_b (n x k) do the same for A and B, of which waves along n (m)
// hold copies.
//   print_tile(mma);
//   std::vector<decltype(mma)::vtype_c> tiles(threads);  // what each thread stored to p[thread]
//   print_tile(mma, tiles);
template <class Mma, class... Tiles>
OPUS_H void print_tile_a(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand<0, Mma>([&](index_t thread) { return tile_coordinates_a(mma, thread); },
                                tiles...);
}
template <class Mma, class... Tiles>
OPUS_H void print_tile_b(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand<1, Mma>([&](index_t thread) { return tile_coordinates_b(mma, thread); },
                                tiles...);
}
template <class Mma, class... Tiles>
OPUS_H void print_tile(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand<2, Mma>([&](index_t thread) { return tile_coordinates_c(mma, thread); },
                                tiles...);
}
#endif

}  // namespace opus

#pragma clang diagnostic pop

#endif  // OPUS_VERSION
#endif  // OPUS_OPUS_DEBUG_HPP
