// SPDX-License-Identifier: MIT
//
// views.hpp: what layout_viewer shows. Every offset, stride and element in it is the answer of a
// layout of opus; this file only asks at all indices and keeps the answers.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../common/options.hpp"
#include "opus/opus.hpp"

namespace viewer {

using opus::index_t;
using indices = std::vector<index_t>;

constexpr index_t max_rank = 8;
// Together they keep every offset of a layout from the command line below 2^31.
constexpr index_t max_elements = 16384;
constexpr index_t max_stride = 65536;

inline std::size_t at(index_t i) {
    return static_cast<std::size_t>(i);
}

inline index_t product(const indices& extents) {
    index_t result = 1;
    for (const index_t extent : extents) {
        result *= extent;
    }
    return result;
}

// Calls f for every index of this shape, the last one fastest.
template <class F>
void for_each_index(const indices& shape, F f) {
    indices index(shape.size());
    for (index_t n = product(shape); n > 0; --n) {
        f(index);
        for (std::size_t d = shape.size(); d-- > 0;) {
            if (++index[d] < shape[d]) {
                break;
            }
            index[d] = 0;
        }
    }
}

// == layouts whose rank is known at run time ======================================================

namespace detail {
template <index_t... Is>
auto as_tuple(const indices& values, opus::seq<Is...>) {
    return opus::make_tuple(values[at(Is)]...);
}
}  // namespace detail

// The N values as opus::tuple<index_t, ...>.
template <index_t N>
auto as_tuple(const indices& values) {
    return detail::as_tuple(values, opus::make_index_seq<N>{});
}

template <class Tuple>
indices as_indices(const Tuple& values) {
    indices result;
    opus::static_for<opus::size<Tuple>()>([&](auto i) {
        result.push_back(static_cast<index_t>(opus::get<decltype(i)::value>(values)));
    });
    return result;
}

// f(number<rank>{}) for a rank from 1 to max_rank.
template <class F>
void with_rank(std::size_t rank, F f) {
    opus::static_for<max_rank>([&](auto i) {
        if (at(i) + 1 == rank) {
            f(opus::number<decltype(i)::value + 1>{});
        }
    });
}

inline index_t offset_of(const indices& shape, const indices& stride, const indices& index) {
    index_t result = 0;
    with_rank(shape.size(), [&](auto rank) {
        constexpr index_t n = decltype(rank)::value;
        result = opus::make_layout<-1>(as_tuple<n>(shape), as_tuple<n>(stride))(as_tuple<n>(index));
    });
    return result;
}

inline indices packed_strides(const indices& shape) {
    indices result;
    with_rank(shape.size(), [&](auto rank) {
        result = as_indices(opus::packed_shape_to_stride(as_tuple<decltype(rank)::value>(shape)));
    });
    return result;
}

// The strides of all parts of one or two x-dims; the first x-dim has `split` parts. Which of them
// are p and which y makes no difference to strides.
inline indices unfolded_strides(const indices& shape, std::size_t split, const indices& x_stride) {
    indices result;
    with_rank(shape.size(), [&](auto rank) {
        constexpr index_t n = decltype(rank)::value;
        with_rank(split, [&](auto first) {
            constexpr index_t n0 = decltype(first)::value;
            using opus::tuple_array;
            using opus::y_dim;
            if constexpr (n0 == n) {
                using dims = opus::tuple<tuple_array<y_dim, n0>>;
                result = as_indices(
                    opus::unfold_x_stride(dims{}, as_tuple<n>(shape), as_tuple<1>(x_stride)));
            } else if constexpr (n0 < n) {
                using dims = opus::tuple<tuple_array<y_dim, n0>, tuple_array<y_dim, n - n0>>;
                result = as_indices(
                    opus::unfold_x_stride(dims{}, as_tuple<n>(shape), as_tuple<2>(x_stride)));
            }
        });
    });
    return result;
}

// == a matrix that is spread over threads =========================================================

// A part of a dimension: across threads (p) or in the registers of a thread (y).
struct part {
    index_t extent;
    index_t stride;
    bool across_threads;
};

struct dimension {
    std::string name;
    std::vector<part> parts;
};

struct owner {
    index_t thread = -1;
    index_t reg = -1;
};

struct distribution {
    std::string name;
    std::string description;
    std::vector<dimension> dimensions;  // of the rows and of the columns, or of one row
    indices thread_stride;              // thread = sum of p-coordinate * thread_stride
    index_t rows = 1;
    index_t columns = 1;
    index_t pitch = 0;  // what the row stride is
    index_t threads = 1;
    index_t registers = 1;
    index_t element_bytes = 2;      // 0: less than a byte
    index_t operand_registers = 0;  // of C of a tiled mma: of one instruction; else 0
    std::vector<owner> owners;      // of each element, row by row
    indices elements;               // [thread * registers + register]: row * columns + column
    indices offsets;                // the same: where it is in memory, in elements
    std::string default_operation;  // of LDS; empty: shown as a distribution

    indices extents(bool across_threads) const {
        indices result;
        for (const dimension& d : dimensions) {
            for (const part& p : d.parts) {
                if (p.across_threads == across_threads) {
                    result.push_back(p.extent);
                }
            }
        }
        return result;
    }

    const owner& owner_of(index_t row, index_t column) const {
        return owners[at(opus::make_layout<-1>(opus::make_tuple(rows, columns))(row, column))];
    }

    // @pre rows, columns, threads and registers are set
    void allocate() {
        owners.resize(at(rows * columns));
        elements.resize(at(threads * registers));
        offsets.resize(at(threads * registers));
    }
    void hold(index_t thread, index_t reg, index_t element, index_t offset) {
        owner& o = owners[at(element)];
        if (o.thread >= 0) {
            throw std::logic_error("the element " + std::to_string(element / columns) + ", " +
                                   std::to_string(element % columns) + " has two owners");
        }
        o = {thread, reg};
        elements[at(thread * registers + reg)] = element;
        offsets[at(thread * registers + reg)] = offset;
    }
};

namespace detail {
template <class... D, class Shape, class Stride>
std::vector<part> parts_of(opus::tuple<D...>, const Shape& shape, const Stride& stride) {
    const bool across[] = {opus::is_same_v<D, opus::p_dim>...};
    const indices extents = as_indices(shape);
    const indices strides = as_indices(stride);
    std::vector<part> result;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        result.push_back({extents[i], strides[i], across[i]});
    }
    return result;
}
}  // namespace detail

// What an adaptor of two x-dims does with a row-major matrix. `layout_of` is the adaptor's function
// from the strides of the matrix and a p-coordinate to a layout, `thread_stride` says which thread
// has which p-coordinate. Pitch 0: rows without padding.
template <class Dims, class Shape, class LayoutOf>
distribution distribute(const char* row_name, const char* column_name, Dims dims, Shape shape,
                        LayoutOf layout_of, const indices& thread_stride, index_t pitch) {
    using opus::operator""_I;
    const auto x_shape = opus::unflatten_shape(shape, dims);
    const auto p_shape = opus::pickup_shape(shape, dims, opus::p_dim{});

    distribution view;
    view.rows = product(as_indices(opus::get<0>(x_shape)));
    view.columns = product(as_indices(opus::get<1>(x_shape)));
    view.pitch = pitch == 0 ? view.columns : pitch;
    view.threads = product(as_indices(p_shape));
    view.registers = product(as_indices(opus::pickup_shape(shape, dims, opus::y_dim{})));
    view.thread_stride = thread_stride;

    const auto x_stride = opus::make_tuple(view.pitch, 1_I);
    const auto stride = opus::unflatten_shape(opus::unfold_x_stride(dims, shape, x_stride), dims);
    view.dimensions = {
        {row_name,
         detail::parts_of(opus::get<0>(dims), opus::get<0>(x_shape), opus::get<0>(stride))},
        {column_name,
         detail::parts_of(opus::get<1>(dims), opus::get<1>(x_shape), opus::get<1>(stride))},
    };

    view.allocate();
    for_each_index(as_indices(p_shape), [&](const indices& p) {
        const auto p_coord = as_tuple<opus::size<decltype(p_shape)>()>(p);
        // Register r is the r-th issue of loads of one element.
        const auto offsets = opus::layout_to_offsets<1>(layout_of(x_stride, p_coord));
        const auto elements =
            opus::layout_to_offsets<1>(layout_of(opus::make_tuple(view.columns, 1_I), p_coord));
        const index_t thread = offset_of(as_indices(p_shape), thread_stride, p);
        for (index_t r = 0; r < view.registers; ++r) {
            view.hold(thread, r, elements[r], offsets[r]);
        }
    });
    return view;
}

// The same for a layout from the command line: `parts` is "py,p" (letters: the parts of an x-dim in
// order, comma: the next x-dim).
inline distribution distribute(const std::string& parts, const indices& shape, indices x_stride,
                               indices thread_stride) {
    using examples::usage_error;
    std::vector<bool> across;
    std::size_t split = 0;
    for (const char c : parts) {
        if (c == 'p' || c == 'y') {
            across.push_back(c == 'p');
        } else if (c == ',' && split == 0 && !across.empty()) {
            split = across.size();
        } else {
            split = shape.size() + 1;
            break;
        }
    }
    if (split == 0) {
        split = across.size();
    }
    const bool two = parts.find(',') != std::string::npos;
    if (across.empty() || split > across.size() || (two && split == across.size())) {
        throw usage_error("--dims is '" + parts +
                          "': it must be letters p and y for the parts of one or two dimensions, "
                          "such as yp,py");
    }
    if (across.size() != shape.size()) {
        throw usage_error("--dims " + parts + " has " + std::to_string(across.size()) +
                          " parts, --shape has " + std::to_string(shape.size()) + " extents");
    }
    const std::size_t x_rank = two ? 2 : 1;
    indices x_shape;
    const auto cut = shape.begin() + static_cast<std::ptrdiff_t>(split);
    x_shape.push_back(product({shape.begin(), cut}));
    if (two) {
        x_shape.push_back(product({cut, shape.end()}));
    }
    if (x_stride.empty()) {
        x_stride = packed_strides(x_shape);
    }
    if (x_stride.size() != x_rank) {
        throw usage_error("--stride has " + std::to_string(x_stride.size()) +
                          " entries; with --dims it has one for each of the " +
                          std::to_string(x_rank) + " dimensions");
    }

    distribution view;
    view.description = "from the command line";
    const indices strides = unfolded_strides(shape, split, x_stride);
    view.dimensions.resize(x_rank);
    indices p_shape;
    indices y_shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        view.dimensions[i < split ? 0 : 1].parts.push_back({shape[i], strides[i], across[i]});
        (across[i] ? p_shape : y_shape).push_back(shape[i]);
    }
    view.dimensions[0].name = two ? "rows" : "columns";
    view.dimensions.back().name = "columns";
    view.rows = two ? x_shape[0] : 1;
    view.columns = x_shape.back();
    view.pitch = two ? x_stride[0] : 0;
    view.threads = product(p_shape);
    view.registers = product(y_shape);
    if (thread_stride.empty()) {
        thread_stride = packed_strides(p_shape);
    }
    if (thread_stride.size() != p_shape.size()) {
        throw usage_error("--thread-stride has " + std::to_string(thread_stride.size()) +
                          " entries, --dims has " + std::to_string(p_shape.size()) + " times p");
    }
    view.thread_stride = thread_stride;

    // Threads are numbered by their p-coordinate, registers by their y-coordinate.
    std::vector<bool> taken(at(view.threads));
    for_each_index(p_shape, [&](const indices& p) {
        const index_t thread = offset_of(p_shape, thread_stride, p);
        if (thread >= view.threads || taken[at(thread)]) {
            throw usage_error("--thread-stride does not number the " +
                              std::to_string(view.threads) + " threads from 0 to " +
                              std::to_string(view.threads - 1) + ": " +
                              (thread >= view.threads ? "there is a thread " : "two are thread ") +
                              std::to_string(thread));
        }
        taken[at(thread)] = true;
    });

    view.allocate();
    const indices y_stride = packed_strides(y_shape);
    const indices packed = unfolded_strides(shape, split, packed_strides(x_shape));
    for_each_index(shape, [&](const indices& index) {
        indices p;
        indices y;
        for (std::size_t i = 0; i < index.size(); ++i) {
            (across[i] ? p : y).push_back(index[i]);
        }
        view.hold(offset_of(p_shape, thread_stride, p), offset_of(y_shape, y_stride, y),
                  offset_of(shape, packed, index), offset_of(shape, strides, index));
    });
    return view;
}

// == a layout without threads =====================================================================

struct offset_table {
    indices shape;
    indices stride;
    indices offsets;  // of every index, the last one fastest
};

inline offset_table tabulate(const indices& shape, indices stride) {
    if (stride.empty()) {
        stride = packed_strides(shape);
    }
    if (stride.size() != shape.size()) {
        throw examples::usage_error("--stride has " + std::to_string(stride.size()) +
                                    " entries, --shape has " + std::to_string(shape.size()));
    }
    offset_table table{shape, stride, {}};
    for_each_index(shape, [&](const indices& index) {
        table.offsets.push_back(offset_of(shape, stride, index));
    });
    return table;
}

// == the layouts with a name ======================================================================

namespace detail {

// A 48 x 32 tile, the example of docs/layouts.md: a thread holds 3 times 8 elements of a row, 4
// threads have a row, and 64 threads 16 rows.
struct tile_48x32 {
    static constexpr auto shape() {
        return opus::tuple<opus::number<3>, opus::number<16>, opus::number<4>, opus::number<8>>{};
    }
    static constexpr auto dim() {
        using namespace opus;
        return tuple<tuple<y_dim, p_dim>, tuple<p_dim, y_dim>>{};
    }
};

// A 32 x 64 tile in LDS, read by one wave as A of 32 x 32 matrix instructions: in each access a
// lane gets `pack` elements of the row lane % 32.
template <index_t pack>
struct operand_in_lds {
    static constexpr auto shape() {
        return opus::tuple<opus::number<32>, opus::number<64 / 2 / pack>, opus::number<2>,
                           opus::number<pack>>{};
    }
    static constexpr auto dim() {
        using namespace opus;
        return tuple<tuple<p_dim>, tuple<y_dim, p_dim, y_dim>>{};
    }
};

// The same tile written row by row: 8 lanes write the 8 times 8 elements of a row.
struct rows_to_lds {
    static constexpr auto shape() {
        return opus::tuple<opus::number<4>, opus::number<8>, opus::number<8>, opus::number<8>>{};
    }
    static constexpr auto dim() { return tile_48x32::dim(); }
};

template <class Adaptor>
distribution of_tile(const char* row_name, const char* column_name, Adaptor a,
                     const indices& thread_stride, index_t pitch) {
    const auto layout_of = [&](const auto& x_stride, const auto& p_coord) {
        return opus::partition_layout(
            opus::make_layout(opus::make_tuple(opus::number<1>{}, opus::number<1>{}), x_stride),
            a.dim(), a.shape(), p_coord);
    };
    return distribute(row_name, column_name, a.dim(), a.shape(), layout_of, thread_stride, pitch);
}
template <class Adaptor>
distribution of_tile(Adaptor a, const indices& thread_stride, index_t pitch) {
    return of_tile("rows", "columns", a, thread_stride, pitch);
}

template <class Mma>
distribution of_a(Mma mma, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_a(x...); };
    return distribute("M", "K", mma.dim_a(), mma.shape_a(), layout_of, {1, mma.grpm_a}, pitch);
}
template <class Mma>
distribution of_b(Mma mma, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_b(x...); };
    return distribute("N", "K", mma.dim_b(), mma.shape_b(), layout_of, {1, mma.grpn_b}, pitch);
}
// @param swapped whether the p-dim of lane % grpn_c comes first
template <class Mma>
distribution of_c(Mma mma, bool swapped, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_c(x...); };
    const indices thread_stride = swapped ? indices{1, mma.grpn_c} : indices{mma.grpn_c, 1};
    return distribute("M", "N", mma.dim_c(), mma.shape_c(), layout_of, thread_stride, pitch);
}

// The same for a tiled mma. Threads of C are numbered wave by wave, along N first. All waves along
// N have the same A, and those along M the same B: threads are those of the waves along the other
// one.
template <class Mma>
distribution of_tiled_a(Mma mma, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_a(x...); };
    return distribute("M", "K", mma.dim_a(), mma.shape_a(), layout_of,
                      {64 * mma.tile_k, 1, 64, mma.grpm_a}, pitch);
}
template <class Mma>
distribution of_tiled_b(Mma mma, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_b(x...); };
    return distribute("N", "K", mma.dim_b(), mma.shape_b(), layout_of,
                      {64 * mma.tile_k, 1, 64, mma.grpn_b}, pitch);
}
template <class Mma>
distribution of_tiled_c(Mma mma, bool swapped, index_t pitch) {
    const auto layout_of = [&](const auto&... x) { return mma.layout_c(x...); };
    const indices thread_stride = swapped ? indices{64 * mma.tile_n, 1, 64, mma.grpn_c}
                                          : indices{64 * mma.tile_n, mma.grpn_c, 64, 1};
    distribution view =
        distribute("M", "N", mma.dim_c(), mma.shape_c(), layout_of, thread_stride, pitch);
    view.operand_registers = mma.mma_c_len;
    return view;
}

// The scales of A (or B) of an f8f6f4 instruction: lane l has the one of row l % M and of the 32
// consecutive k of block l / M (ISA guide, 7.2.1).
template <index_t M>
struct scale_operand {
    static constexpr auto shape() {
        return opus::tuple<opus::number<M>, opus::number<64 / M>, opus::number<1>>{};
    }
    static constexpr auto dim() {
        using namespace opus;
        return tuple<tuple<p_dim>, tuple<p_dim, y_dim>>{};
    }
};
template <index_t M>
distribution of_scale(index_t pitch) {
    return of_tile("M", "K / 32", scale_operand<M>{}, {1, M}, pitch);
}

}  // namespace detail

struct named_view {
    std::string name;
    std::string description;
    index_t pitch;          // that it has unless the command line says another; 0: no padding
    index_t element_bytes;  // as for pitch
    std::string operation;  // of LDS; empty: shown as a distribution
    distribution (*make)(index_t pitch);
};

namespace detail {

template <index_t M, index_t K>
void add_mfma(std::vector<named_view>& views, const std::string& note) {
    using opus::fp16_t;
    using opus::fp32_t;
    using sizes = opus::seq<M, M, K>;
    static constexpr auto mma = [] { return opus::make_mfma<fp16_t, fp16_t, fp32_t>(sizes{}); };
    static constexpr auto swapped = [] {
        return opus::make_mfma<fp16_t, fp16_t, fp32_t>(sizes{}, opus::mfma_adaptor_swap_ab{});
    };
    const std::string m = std::to_string(M);
    const std::string name = m + "x" + m + "x" + std::to_string(K);
    const std::string of = " of mfma_f32_" + name + "_f16" + note;
    views.push_back({"mfma_" + name + "_a", "A[M, K]" + of, 0, 2, "",
                     [](index_t pitch) { return of_a(mma(), pitch); }});
    views.push_back({"mfma_" + name + "_b", "B, as rows of N and columns of K," + of, 0, 2, "",
                     [](index_t pitch) { return of_b(mma(), pitch); }});
    views.push_back({"mfma_" + name + "_c", "C[M, N]" + of, 0, 4, "",
                     [](index_t pitch) { return of_c(mma(), false, pitch); }});
    views.push_back({"mfma_" + name + "_c_swap_ab", "C[M, N]" + of + ", A and B swapped", 0, 4, "",
                     [](index_t pitch) { return of_c(swapped(), true, pitch); }});
}

// A of an f8f6f4 instruction: where an element is depends on its size alone.
template <class T, index_t M, index_t K>
void add_format(std::vector<named_view>& views, const std::string& type) {
    static constexpr auto mma = [] {
        return opus::make_mfma<T, T, opus::fp32_t>(opus::seq<M, M, K>{});
    };
    const std::string m = std::to_string(M);
    const std::string name = m + "x" + m + "x" + std::to_string(K);
    views.push_back({"mfma_" + name + "_" + type + "_a",
                     "A[M, K] of mfma_f32_" + name + "_" + type + "_" + type + " (gfx950)", 0,
                     opus::sizeof_bits_v<T> / 8, "",
                     [](index_t pitch) { return of_a(mma(), pitch); }});
}
template <index_t M, index_t K>
void add_formats(std::vector<named_view>& views) {
    add_format<opus::fp8_t, M, K>(views, "fp8");
    add_format<opus::fp6_t, M, K>(views, "fp6");
    add_format<opus::fp4_t, M, K>(views, "fp4");
    const std::string m = std::to_string(M);
    const std::string name = m + "x" + m + "x" + std::to_string(K);
    views.push_back({"scale_" + name,
                     "the scales of A of mfma_scale_f32_" + name + "_* (gfx950); B alike", 0, 1, "",
                     of_scale<M>});
}

// The example of docs/matrix-cores.md: four waves, each with two instructions along M.
inline void add_tiled(std::vector<named_view>& views) {
    using opus::fp16_t;
    using opus::fp32_t;
    using opus::seq;
    static constexpr auto mma = [] {
        return opus::make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<2, 2, 1>{},
                                                            seq<16, 16, 16>{});
    };
    static constexpr auto swapped = [] {
        return opus::make_tiled_mma<fp16_t, fp16_t, fp32_t>(
            seq<2, 1, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{}, opus::mfma_adaptor_swap_ab{});
    };
    const std::string of = " of a tiled mma of 2 x 2 waves, f16";
    views.push_back({"tiled_64x32x16_a", "A[M, K]" + of + "; threads of the waves along M", 0, 2,
                     "", [](index_t pitch) { return of_tiled_a(mma(), pitch); }});
    views.push_back({"tiled_64x32x16_b",
                     "B, as rows of N and columns of K," + of + "; threads of the waves along N", 0,
                     2, "", [](index_t pitch) { return of_tiled_b(mma(), pitch); }});
    views.push_back({"tiled_64x32x16_c", "C[M, N]" + of, 0, 4, "",
                     [](index_t pitch) { return of_tiled_c(mma(), false, pitch); }});
    views.push_back({"tiled_64x32x16_c_swap_ab", "C[M, N]" + of + ", A and B swapped", 0, 4, "",
                     [](index_t pitch) { return of_tiled_c(swapped(), true, pitch); }});
}

template <index_t pack>
distribution of_operand_in_lds(index_t pitch) {
    return of_tile(operand_in_lds<pack>{}, {1, 32}, pitch);
}

}  // namespace detail

inline std::vector<named_view> named_views() {
    using namespace detail;
    std::vector<named_view> views;
    views.push_back({"tile_48x32", "48 x 32 elements, 64 threads load 8 of a row, 3 times", 0, 2,
                     "", [](index_t pitch) { return of_tile(tile_48x32{}, {4, 1}, pitch); }});
    add_mfma<32, 8>(views, "");
    add_mfma<16, 16>(views, "");
    add_mfma<32, 16>(views, " (gfx950)");
    add_mfma<16, 32>(views, " (gfx950)");
    add_formats<16, 128>(views);
    add_formats<32, 64>(views);
    add_tiled(views);
    const std::string tile = "32 x 64 f16 in LDS, pitch ";
    const std::string as_b64 = ", read as A of mfma 32x32x8";
    const std::string as_b128 = ", read as A of mfma 32x32x16";
    const std::string by_row = ", written 8 lanes to a row";
    const auto write = [](index_t pitch) { return of_tile(rows_to_lds{}, {8, 1}, pitch); };
    views.push_back(
        {"lds_read_b64", tile + "64" + as_b64, 64, 2, "read_b64", of_operand_in_lds<4>});
    views.push_back(
        {"lds_read_b64_padded", tile + "68" + as_b64, 68, 2, "read_b64", of_operand_in_lds<4>});
    views.push_back(
        {"lds_read_b128", tile + "64" + as_b128, 64, 2, "read_b128", of_operand_in_lds<8>});
    views.push_back(
        {"lds_read_b128_padded", tile + "72" + as_b128, 72, 2, "read_b128", of_operand_in_lds<8>});
    views.push_back({"lds_write_b128", tile + "64" + by_row, 64, 2, "write_b128", write});
    views.push_back({"lds_write_b128_padded", tile + "72" + by_row, 72, 2, "write_b128", write});
    return views;
}

}  // namespace viewer
