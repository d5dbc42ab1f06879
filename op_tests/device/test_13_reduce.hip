// readlane, and reductions over groups of lanes and over the rows and columns of C, against sums of
// one element after the other on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

// ---- lanes ----

template <class T, int... Lanes>
__global__ void read_lanes(const T* x, T* out, const int* from, seq<Lanes...>) {
    const int lane = thread_id_x();
    T own = x[lane];
    ((out[Lanes * lanes + lane] = readlane(own, number<Lanes>{})), ...);
    out += sizeof...(Lanes) * lanes;
    for (int i = 0; i < lanes; i++) {
        // OPUS_DEBUG refuses lanes beyond 63, which count modulo 64.
        out[i * lanes + lane] = readlane(own, OPUS_DEBUG ? from[i] & 63 : from[i]);
    }
}
template <class T>
void check_readlane(const std::vector<T>& x) {
    std::vector<int> from;
    for (int i = 0; i < lanes; i++) {
        from.push_back(i * 37 % 64 + (i % 2 == 0 ? 64 : 0));
    }
    device_buffer<T> device_x(x);
    device_buffer<int> device_from(from);
    device_buffer<T> out(2 * lanes * lanes);
    read_lanes<<<1, lanes>>>(device_x.data(), out.data(), device_from.data(),
                             make_index_seq<lanes>{});
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < lanes; i++) {
        for (size_t n = 0; n < lanes; n++) {
            ASSERT_EQ(std::memcmp(&result[i * lanes + n], &x[i], sizeof(T)), 0) << i;
            ASSERT_EQ(std::memcmp(&result[(lanes + i) * lanes + n],
                                  &x[static_cast<size_t>(from[i] % lanes)], sizeof(T)),
                      0)
                << i;
        }
    }
}
TEST(lanes, readlane) {
    check_readlane(filled<int>([](int i) { return i * 1000003; }));
    check_readlane(filled<fp16_t>([](int i) { return i; }));
    check_readlane(filled<double>([](int i) { return 1.0 / (i + 1); }));
    check_readlane(filled<fp32x4_t>([](int i) { return 1.0f / static_cast<float>(i + 1); }));
}

template <class Op, class X, int... Masks>
__global__ void reduce_groups(const X* x, X* out, seq<Masks...>) {
    const int lane = thread_id_x();
    ((out[lane] = reduce_lanes(x[lane], Op{}, number<Masks>{}), out += lanes), ...);
}
template <class X, class Op, class Step>
void check_reduce_lanes(const Step& step) {
    std::mt19937 random(4);
    const auto x = filled<X>([&](int) { return static_cast<int>(random() % 31) - 15; });
    device_buffer<X> device_x(x);
    device_buffer<X> out(lanes * lanes);
    reduce_groups<Op><<<1, lanes>>>(device_x.data(), out.data(), make_index_seq<lanes>{});
    finish();
    const auto result = out.to_host();
    for (size_t mask = 0; mask < lanes; mask++) {
        for (size_t n = 0; n < lanes; n++) {
            for (int e = 0; e < shape_of<X>::count; e++) {
                const auto at = [&](size_t lane) {
                    X own = x[lane];
                    return static_cast<double>(shape_of<X>::at(own, e));
                };
                double expected = at(n);
                for (size_t other = 0; other < lanes; other++) {
                    if (other != n && ((other ^ n) & ~mask) == 0) {
                        expected = step(expected, at(other));
                    }
                }
                X own = result[mask * lanes + n];
                ASSERT_EQ(static_cast<double>(shape_of<X>::at(own, e)), expected)
                    << "mask " << mask << " lane " << n;
            }
        }
    }
}
TEST(lanes, reduce_lanes_by_every_mask) {
    const auto add = [](double a, double b) { return a + b; };
    const auto larger = [](double a, double b) { return a > b ? a : b; };
    const auto smaller = [](double a, double b) { return a < b ? a : b; };
    check_reduce_lanes<float, plus>(add);
    check_reduce_lanes<float, maximum>(larger);
    check_reduce_lanes<float, minimum>(smaller);
    check_reduce_lanes<int, plus>(add);
    check_reduce_lanes<int, minimum>(smaller);
    check_reduce_lanes<double, maximum>(larger);
    check_reduce_lanes<fp16_t, plus>(add);
    check_reduce_lanes<fp16_t, maximum>(larger);
    check_reduce_lanes<fp32x4_t, plus>(add);
    check_reduce_lanes<fp32x4_t, maximum>(larger);
}

// C of a matrix instruction, whose registers are being written when the reduction begins.
__global__ void reduce_product(const fp16x4_t* a, const fp16x4_t* b, float* out) {
    const int lane = thread_id_x();
    constexpr auto mma =
        make_mfma<fp16_t, fp16_t, fp32_t>(number<16>{}, number<16>{}, number<16>{});
    const fp32x4_t c = mma(a[lane], b[lane], fp32x4_t{});
    out[lane] = reduce_lanes(c[0], maximum{}, number<15>{});
    out[lanes + lane] = reduce_lanes(c[3], minimum{}, number<63>{});
    out[2 * lanes + lane] = reduce_lanes(reduce(c, maximum{}), maximum{}, number<48>{});
}
TEST(lanes, reduce_lanes_of_what_a_matrix_instruction_gives) {
    std::mt19937 random(5);
    const auto value = [&](int) { return static_cast<int>(random() % 15) - 7; };
    const auto a = filled<fp16x4_t>(value);
    const auto b = filled<fp16x4_t>(value);
    device_buffer<fp16x4_t> device_a(a);
    device_buffer<fp16x4_t> device_b(b);
    device_buffer<float> out(3 * lanes);
    reduce_product<<<1, lanes>>>(device_a.data(), device_b.data(), out.data());
    finish();
    const auto result = out.to_host();
    // Lane l has a[l % 16][4 * (l / 16) + i], b alike, and c[4 * (l / 16) + i][l % 16].
    double c[16][16] = {};
    for (size_t row = 0; row < 16; row++) {
        for (size_t column = 0; column < 16; column++) {
            for (size_t k = 0; k < 16; k++) {
                c[row][column] += static_cast<double>(a[k / 4 * 16 + row][k % 4]) *
                                  static_cast<double>(b[k / 4 * 16 + column][k % 4]);
            }
        }
    }
    for (size_t n = 0; n < lanes; n++) {
        double of_row = -1e9;
        double of_last = 1e9;
        double of_column = -1e9;
        for (size_t i = 0; i < 16; i++) {
            of_row = std::max(of_row, c[n / 16 * 4][i]);
            of_column = std::max(of_column, c[i][n % 16]);
            for (size_t row = 3; row < 16; row += 4) {
                of_last = std::min(of_last, c[row][i]);
            }
        }
        ASSERT_EQ(result[n], of_row) << n;
        ASSERT_EQ(result[lanes + n], of_last) << n;
        ASSERT_EQ(result[2 * lanes + n], of_column) << n;
    }
}

// ---- rows and columns of C ----

// C as the lanes hold it, [lane][register], in memory.
template <class Mma, class C, class Op>
__global__ void reduce_tile(const C* c, float* rows, float* columns) {
    constexpr Mma mma;
    const int lane = thread_id_x();
    const auto of_rows = reduce_rows(mma, c[lane], Op{});
    const auto of_columns = reduce_columns(mma, c[lane], Op{});
    static_for<size<decltype(of_rows)>()>(
        [&](auto i) { rows[lane * 64 + i.value] = of_rows[i.value]; });
    static_for<size<decltype(of_columns)>()>(
        [&](auto i) { columns[lane * 64 + i.value] = of_columns[i.value]; });
}

// Of an instruction with `side` rows and columns, register i of a lane is C[row][column] with the
// column lane % side and this row (ISA guide, 7.1.4); swapped the other way round.
int row_of_register(int side, int lane, int i) {
    return side == 16 ? lane / 16 * 4 + i : i / 4 * 8 + lane / 32 * 4 + i % 4;
}

template <int Side, int RepeatsM, int RepeatsN, bool Swapped, class Op, class Mma, class Step>
void check_tile(const Mma&, const Step& step) {
    constexpr int length = Side * Side / lanes;
    constexpr int registers = RepeatsM * RepeatsN * length;
    double tile[RepeatsM * Side][RepeatsN * Side];
    std::mt19937 random(7);
    for (auto& row : tile) {
        for (double& x : row) {
            x = static_cast<double>(random() % 41) - 20;
        }
    }
    // Where register i of piece (im, in) is.
    struct place {
        int row, column;
    };
    const auto at = [](int lane, int im, int in, int i) {
        const int along = row_of_register(Side, lane, i);
        const int across = lane % Side;
        return place{im * Side + (Swapped ? across : along),
                     in * Side + (Swapped ? along : across)};
    };
    using C = vector_t<float, registers>;
    std::vector<C> c(lanes);
    for (int lane = 0; lane < lanes; lane++) {
        for (int r = 0; r < registers; r++) {
            const place p = at(lane, r / length / RepeatsN, r / length % RepeatsN, r % length);
            c[static_cast<size_t>(lane)][r] = static_cast<float>(tile[p.row][p.column]);
        }
    }
    device_buffer<C> device_c(c);
    device_buffer<float> rows(lanes * 64);
    device_buffer<float> columns(lanes * 64);
    rows.fill_bytes(0x55);
    columns.fill_bytes(0x55);
    reduce_tile<Mma, C, Op><<<1, lanes>>>(device_c.data(), rows.data(), columns.data());
    finish();
    const auto row_results = rows.to_host();
    const auto column_results = columns.to_host();
    const float untouched = std::vector<float>(rows.to_host())[lanes * 64 - 1];
    constexpr int values_of_rows = RepeatsM * (Swapped ? 1 : length);
    constexpr int values_of_columns = RepeatsN * (Swapped ? length : 1);
    for (int lane = 0; lane < lanes; lane++) {
        for (int v = 0; v < values_of_rows; v++) {
            const place p = Swapped ? at(lane, v, 0, 0) : at(lane, v / length, 0, v % length);
            double expected = tile[p.row][0];
            for (int column = 1; column < RepeatsN * Side; column++) {
                expected = step(expected, tile[p.row][column]);
            }
            ASSERT_EQ(static_cast<double>(row_results[static_cast<size_t>(lane * 64 + v)]),
                      expected)
                << "row value " << v << " lane " << lane;
        }
        for (int v = 0; v < values_of_columns; v++) {
            const place p = Swapped ? at(lane, 0, v / length, v % length) : at(lane, 0, v, 0);
            double expected = tile[0][p.column];
            for (int row = 1; row < RepeatsM * Side; row++) {
                expected = step(expected, tile[row][p.column]);
            }
            ASSERT_EQ(static_cast<double>(column_results[static_cast<size_t>(lane * 64 + v)]),
                      expected)
                << "column value " << v << " lane " << lane;
        }
        // No value more than these.
        ASSERT_EQ(std::memcmp(&row_results[static_cast<size_t>(lane * 64 + values_of_rows)],
                              &untouched, 4),
                  0);
        ASSERT_EQ(std::memcmp(&column_results[static_cast<size_t>(lane * 64 + values_of_columns)],
                              &untouched, 4),
                  0);
    }
}
template <int Side, int RepeatsM, int RepeatsN>
void check_tiles() {
    constexpr int k = Side == 16 ? 16 : 8;
    const auto add = [](double a, double b) { return a + b; };
    const auto larger = [](double a, double b) { return a > b ? a : b; };
    const auto each = [&](auto mma, auto swapped) {
        check_tile<Side, RepeatsM, RepeatsN, swapped.value, plus>(mma, add);
        check_tile<Side, RepeatsM, RepeatsN, swapped.value, maximum>(mma, larger);
    };
    using repeats = seq<RepeatsM, RepeatsN, 1>;
    using wave = seq<Side, Side, k>;
    each(make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats{}, seq<1, 1, 1>{}, wave{}), false_type{});
    each(make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats{}, seq<2, 2, 1>{}, wave{},
                                                mfma_adaptor_swap_ab{}),
         true_type{});
    if constexpr (RepeatsM * RepeatsN == 1) {
        each(make_mfma<fp16_t, fp16_t, fp32_t>(number<Side>{}, number<Side>{}, number<k>{}),
             false_type{});
    }
}
TEST(lanes, rows_and_columns_of_16x16) {
    check_tiles<16, 1, 1>();
    check_tiles<16, 2, 3>();
}
TEST(lanes, rows_and_columns_of_32x32) {
    check_tiles<32, 1, 1>();
    check_tiles<32, 2, 1>();
}

}  // namespace
