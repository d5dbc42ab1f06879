// SPDX-License-Identifier: MIT
//
// views.hpp: what layout_viewer shows: a matrix that is distributed over threads, or the offsets of
// a plain layout. Strides and offsets come from layouts of opus, for ranks and extents that are
// known at run time.
#pragma once

#include <algorithm>
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

// f(number<n>{}) for n from 0 to Count - 1.
template <index_t Count, class F>
void with_number(index_t n, F f) {
    opus::static_for<Count>([&](auto i) {
        if (i == n) {
            f(opus::number<decltype(i)::value>{});
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

// The strides of the parts of an x-dim. Which of them are p and which y makes no difference.
inline indices unfolded_strides(const indices& shape, index_t x_stride) {
    indices result;
    with_rank(shape.size(), [&](auto rank) {
        constexpr index_t n = decltype(rank)::value;
        using dims = opus::tuple<opus::tuple_array<opus::y_dim, n>>;
        result = as_indices(
            opus::unfold_x_stride(dims{}, as_tuple<n>(shape), opus::make_tuple(x_stride)));
    });
    return result;
}

// -- swizzles -------------------------------------------------------------------------------------

// opus::swizzle<bits, base, shift>, of 0 bits none.
struct swizzle {
    index_t bits = 0;
    index_t base = 0;
    index_t shift = 0;

    index_t distance() const { return shift < 0 ? -shift : shift; }
    bool is_valid() const {
        return bits >= 0 && base >= 0 && distance() >= bits && base + bits + distance() < 31;
    }
    std::string name() const {
        return "swizzle " + std::to_string(bits) + "," + std::to_string(base) + "," +
               std::to_string(shift);
    }
};

// @pre s.is_valid(), offsets are not negative
inline void apply(const swizzle& s, indices& offsets) {
    // The `base` lowest bits stay, and the others are swizzled as with a base of 0: fewer types.
    with_number<16>(s.bits, [&](auto bits) {
        with_number<31>(s.distance(), [&](auto distance) {
            constexpr index_t b = decltype(bits)::value;
            constexpr index_t d = decltype(distance)::value;
            if constexpr (d >= b && b + d < 31) {
                for (index_t& offset : offsets) {
                    const index_t high = offset >> s.base;
                    const index_t to = s.shift < 0 ? opus::swizzle<b, 0, -d>{}(high)
                                                   : opus::swizzle<b, 0, d>{}(high);
                    offset += (to - high) * (1 << s.base);
                }
            }
        });
    });
}

// == a matrix that is spread over threads =========================================================

// A part of a dimension: across threads (p) or in the registers of a thread (y).
struct part {
    index_t extent;
    bool across_threads;
    index_t stride = 0;
};

struct dimension {
    std::string name;
    std::vector<part> parts;

    indices extents() const {
        indices result;
        for (const part& p : parts) {
            result.push_back(p.extent);
        }
        return result;
    }
};

struct owner {
    index_t thread = -1;
    index_t reg = -1;
};

struct distribution {
    std::string name;
    std::string description;
    std::vector<dimension> dimensions;  // the last is that of the columns, the others of the rows
    indices thread_stride;              // thread = sum of p-coordinate * thread_stride
    indices register_stride;            // register = sum of y-coordinate * register_stride
    index_t rows = 1;
    index_t columns = 1;
    index_t threads = 1;
    index_t registers = 1;
    index_t element_bits = 16;
    index_t operand_registers = 0;  // of C: how many of them one instruction makes; else 0
    // So many threads, copy_stride apart, hold the same elements; the owners are the first ones.
    index_t copies = 1;
    index_t copy_stride = 0;
    std::vector<owner> owners;  // of each element, row by row
    indices elements;           // [thread * registers + register]: row * columns + column
    indices offsets;            // the same: where it is in memory, in elements
    std::string memory;         // how it lies there: "pitch 68"

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
    index_t offset_at(index_t row, index_t column) const {
        const owner& o = owner_of(row, column);
        return offsets[at(o.thread * registers + o.reg)];
    }
};

// How the elements of a matrix lie in memory. With blocks these lie one behind the other.
struct placement {
    indices strides;    // of the dimensions; empty: what the others say
    index_t pitch = 0;  // from one row to the next, or if transposed column; 0: no padding
    bool transposed = false;
    viewer::swizzle swizzle;  // of every offset
};

namespace detail {

// The strides of the dimensions, where there is one pitch.
inline indices pitched_strides(const indices& extents, bool transposed, index_t pitch) {
    const std::size_t last = extents.size() - 1;
    if (last == 0) {
        return {1};
    }
    indices strides(extents.size(), 1);
    strides[transposed ? last : last - 1] = pitch;
    if (last == 2) {
        strides[0] = pitch * extents[transposed ? last : last - 1];
    }
    return strides;
}

}  // namespace detail

// A matrix of these dimensions over threads and their registers. Empty strides are packed: threads
// are numbered by their p-coordinate and registers by their y-coordinate, the last one fastest.
inline distribution distribute(std::vector<dimension> dimensions, const placement& place,
                               const indices& thread_stride, const indices& register_stride) {
    using examples::usage_error;
    indices x_shape;
    for (const dimension& d : dimensions) {
        x_shape.push_back(product(d.extents()));
    }
    const index_t columns = x_shape.back();
    const bool matrix = x_shape.size() > 1;
    if (!place.strides.empty() && place.strides.size() != x_shape.size()) {
        throw usage_error("--stride has " + std::to_string(place.strides.size()) +
                          " entries; with --dims or --mma it has one for each of the " +
                          std::to_string(x_shape.size()) + " dimensions");
    }
    long long last = 0;
    for (std::size_t x = 0; x < place.strides.size(); ++x) {
        last += static_cast<long long>(x_shape[x] - 1) * place.strides[x];
    }
    if (last > 0x7fffffff) {
        throw usage_error("--stride: offsets would exceed 2^31");
    }
    const index_t row_length =
        place.transposed ? x_shape[x_shape.size() - 2] : columns;  // in memory
    const index_t pitch = place.pitch == 0 ? row_length : place.pitch;
    if (pitch < row_length) {
        throw usage_error("--pitch is " + std::to_string(pitch) + ", but a row in memory has " +
                          std::to_string(row_length) + " elements");
    }
    if (static_cast<long long>(product(x_shape)) / row_length * pitch > 0x7fffffff) {
        throw usage_error("--pitch is " + std::to_string(pitch) + ": offsets would exceed 2^31");
    }
    const indices x_stride = place.strides.empty()
                                 ? detail::pitched_strides(x_shape, place.transposed, pitch)
                                 : place.strides;

    distribution view;
    indices shape;
    indices strides;
    indices packed;
    const indices x_packed = packed_strides(x_shape);
    for (std::size_t x = 0; x < dimensions.size(); ++x) {
        const indices extents = dimensions[x].extents();
        const indices of_memory = unfolded_strides(extents, x_stride[x]);
        const indices of_index = unfolded_strides(extents, x_packed[x]);
        for (std::size_t i = 0; i < extents.size(); ++i) {
            dimensions[x].parts[i].stride = of_memory[i];
        }
        shape.insert(shape.end(), extents.begin(), extents.end());
        strides.insert(strides.end(), of_memory.begin(), of_memory.end());
        packed.insert(packed.end(), of_index.begin(), of_index.end());
    }
    view.dimensions = std::move(dimensions);
    view.columns = columns;
    view.rows = product(x_shape) / columns;
    const indices p_shape = view.extents(true);
    const indices y_shape = view.extents(false);
    view.threads = product(p_shape);
    view.registers = product(y_shape);
    view.thread_stride = thread_stride.empty() ? packed_strides(p_shape) : thread_stride;
    view.register_stride = register_stride.empty() ? packed_strides(y_shape) : register_stride;
    if (view.thread_stride.size() != p_shape.size()) {
        throw usage_error("--thread-stride has " + std::to_string(view.thread_stride.size()) +
                          " entries, --dims has " + std::to_string(p_shape.size()) + " times p");
    }

    std::vector<bool> taken(at(view.threads));
    for_each_index(p_shape, [&](const indices& p) {
        const index_t thread = offset_of(p_shape, view.thread_stride, p);
        if (thread >= view.threads || taken[at(thread)]) {
            throw usage_error("--thread-stride does not number the " +
                              std::to_string(view.threads) + " threads from 0 to " +
                              std::to_string(view.threads - 1) + ": " +
                              (thread >= view.threads ? "there is a thread " : "two are thread ") +
                              std::to_string(thread));
        }
        taken[at(thread)] = true;
    });

    view.owners.resize(at(view.rows * view.columns));
    view.elements.resize(at(view.threads * view.registers));
    view.offsets.resize(at(view.threads * view.registers));
    std::vector<bool> across;
    for (const dimension& d : view.dimensions) {
        for (const part& p : d.parts) {
            across.push_back(p.across_threads);
        }
    }
    for_each_index(shape, [&](const indices& index) {
        indices p;
        indices y;
        for (std::size_t i = 0; i < index.size(); ++i) {
            (across[i] ? p : y).push_back(index[i]);
        }
        const index_t thread = offset_of(p_shape, view.thread_stride, p);
        const index_t reg = offset_of(y_shape, view.register_stride, y);
        const index_t element = offset_of(shape, packed, index);
        view.owners[at(element)] = {thread, reg};
        view.elements[at(thread * view.registers + reg)] = element;
        view.offsets[at(thread * view.registers + reg)] = offset_of(shape, strides, index);
    });
    apply(place.swizzle, view.offsets);

    if (matrix && !place.strides.empty()) {
        view.memory = "strides";
        for (const index_t stride : place.strides) {
            view.memory += (view.memory.back() == 's' ? " " : ", ") + std::to_string(stride);
        }
    } else if (matrix) {
        view.memory = (place.transposed ? "transposed, pitch " : "pitch ") + std::to_string(pitch);
    }
    if (place.swizzle.bits != 0) {
        view.memory += (view.memory.empty() ? "" : ", ") + place.swizzle.name();
    }
    return view;
}

// The dimensions of a layout from the command line: `parts` is "py,p" (letters: the parts of an
// x-dim in order, comma: the next x-dim).
inline std::vector<dimension> parse_dims(const std::string& parts, const indices& shape) {
    using examples::usage_error;
    std::vector<dimension> result(1);
    std::size_t count = 0;
    for (const char c : parts) {
        if (c == 'p' || c == 'y') {
            result.back().parts.push_back({count < shape.size() ? shape[count] : 1, c == 'p'});
            ++count;
        } else if (c == ',' && result.size() == 1) {
            result.emplace_back();
        } else {
            result.clear();
            break;
        }
    }
    if (result.empty() || result.back().parts.empty() || result.front().parts.empty()) {
        throw usage_error("--dims is '" + parts +
                          "': it must be letters p and y for the parts of one or two dimensions, "
                          "such as yp,py");
    }
    if (count != shape.size()) {
        throw usage_error("--dims " + parts + " has " + std::to_string(count) +
                          " parts, --shape has " + std::to_string(shape.size()) + " extents");
    }
    result.front().name = "rows";
    result.back().name = "columns";  // also of a single one
    return result;
}

// == a layout without threads =====================================================================

struct offset_table {
    indices shape;
    indices stride;
    viewer::swizzle swizzle;
    indices offsets;  // of every index, the last one fastest
};

inline offset_table tabulate(const indices& shape, indices stride, const swizzle& s) {
    if (stride.empty()) {
        stride = packed_strides(shape);
    }
    if (stride.size() != shape.size()) {
        throw examples::usage_error("--stride has " + std::to_string(stride.size()) +
                                    " entries, --shape has " + std::to_string(shape.size()));
    }
    offset_table table{shape, stride, s, {}};
    for_each_index(shape, [&](const indices& index) {
        table.offsets.push_back(offset_of(shape, stride, index));
    });
    apply(s, table.offsets);
    return table;
}

}  // namespace viewer
