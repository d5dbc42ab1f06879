// DPP, shuffles and reductions against models of what each lane receives, written from the ISA
// guide's text (13.3.9 DPP; DS_BPERMUTE_B32), and max, min, med3 against the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

constexpr int lanes = 64;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// ---- DPP ----

// Table 94 of the guide: the lane that lane n reads, negative where there is none. (For row_bcast
// the table does not say what becomes of the first lanes; here they have no source.)
int dpp_source(int control, int n) {
    const int count = control & 0xf;
    const int in_row = n & 0xf;
    switch (control >> 4) {
        case 0x10:
            return in_row < 16 - count ? n + count : -1;
        case 0x11:
            return in_row >= count ? n - count : -1;
        case 0x12:
            return in_row >= count ? n - count : n + 16 - count;
        case 0x15:
            return (n & 0x30) + count;
        default:
            break;
    }
    switch (control) {
        case 0x130:
            return n < 63 ? n + 1 : -1;
        case 0x134:
            return n < 63 ? n + 1 : 0;
        case 0x138:
            return n > 0 ? n - 1 : -1;
        case 0x13c:
            return n > 0 ? n - 1 : 63;
        case 0x140:
            return (n & 0x30) + 15 - in_row;
        case 0x141:
            return (n & 0x38) + 7 - (n & 7);
        case 0x142:
            return n > 15 ? (n & 0x30) - 1 : -1;
        case 0x143:
            return n > 31 ? (n & 0x20) - 1 : -1;
        default:
            return (n & 0x3c) + (control >> 2 * (n & 3) & 3);  // quad_perm
    }
}

// Whether BANK_MASK (bits 27:24 in the guide) and ROW_MASK (31:28) leave lane n on.
bool dpp_lane_is_on(int row_mask, int bank_mask, int n) {
    return (row_mask >> n / 16 & 1) != 0 && (bank_mask >> n % 16 / 4 & 1) != 0;
}

// What lane n has afterwards. A source lane that is switched off counts as none: inferred, for the
// guide speaks of sources out of range only.
template <class T>
T dpp_result(const T* old, const T* x, int control, int row_mask, int bank_mask, bool bound_ctrl,
             uint64_t active, int n) {
    if (!dpp_lane_is_on(row_mask, bank_mask, n)) {
        return old[n];
    }
    const int from = dpp_source(control, n);
    if (from >= 0 && (active >> from & 1) != 0) {
        return x[from];
    }
    return bound_ctrl ? T{} : old[n];
}

// Controls in one kernel: quad_perm 0 .. 0xff, then all others, each as mov_dpp and upd_dpp.
using quad_controls = make_index_seq<0x100>;
using other_controls =
    decltype(concat_seq(make_index_seq<0x101, 0x110>{}, make_index_seq<0x111, 0x120>{},
                        make_index_seq<0x121, 0x130>{}, seq<0x130, 0x134, 0x138, 0x13c>{},
                        make_index_seq<0x140, 0x144>{}, make_index_seq<0x150, 0x160>{}));
static_assert(size<quad_controls>() + size<other_controls>() == 256 + 45 + 4 + 4 + 16);
// One of each kind.
using some_controls = seq<0x1b, 0x103, 0x118, 0x121, 0x138, 0x140, 0x142, 0x157>;

template <int row_mask, int bank_mask, bool bound_ctrl, class T, int... controls>
__device__ void each_control(const T& old, const T& x, T* out, seq<controls...>) {
    const int lane = thread_id_x();
    T* at = out + lane;
    ((*at = mov_dpp(x, number<controls>{}, number<row_mask>{}, number<bank_mask>{},
                    bool_constant<bound_ctrl>{}),
      at[lanes] = upd_dpp(old, x, number<controls>{}, number<row_mask>{}, number<bank_mask>{},
                          bool_constant<bound_ctrl>{}),
      at += 2 * lanes),
     ...);
}

template <class Controls, int row_mask, int bank_mask, bool bound_ctrl, class T>
__global__ void move_lanes(const T* old, const T* x, uint64_t active, T* out) {
    const int lane = thread_id_x();
    const T own_old = old[lane];
    const T own_x = x[lane];
    if (active >> lane & 1) {
        each_control<row_mask, bank_mask, bound_ctrl>(own_old, own_x, out, Controls{});
    }
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
std::vector<T> random_values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(count);
    for (T& v : values) {
        unsigned char bytes[sizeof(T)];
        for (unsigned char& b : bytes) {
            b = static_cast<unsigned char>(random());
        }
        std::memcpy(&v, bytes, sizeof(T));
    }
    return values;
}

template <class Controls, class T, int row_mask = 15, int bank_mask = 15, bool bound_ctrl = true>
void check_controls(uint64_t active = ~uint64_t{0}) {
    constexpr size_t count = static_cast<size_t>(size<Controls>());
    const auto old = random_values<T>(lanes, 1);
    const auto x = random_values<T>(lanes, 2);
    const auto untouched = random_values<T>(2 * count * lanes, 3);
    device_buffer<T> device_old(old);
    device_buffer<T> device_x(x);
    device_buffer<T> out(untouched);
    move_lanes<Controls, row_mask, bank_mask, bound_ctrl>
        <<<1, lanes>>>(device_old.data(), device_x.data(), active, out.data());
    finish();
    const auto result = out.to_host();
    for (size_t c = 0; c < count; c++) {
        const int control = Controls::at(static_cast<int>(c));
        for (int n = 0; n < lanes; n++) {
            const size_t at = 2 * c * lanes + static_cast<size_t>(n);
            const bool on = (active >> n & 1) != 0;
            const T moved = on ? dpp_result(x.data(), x.data(), control, row_mask, bank_mask,
                                            bound_ctrl, active, n)
                               : untouched[at];
            const T updated = on ? dpp_result(old.data(), x.data(), control, row_mask, bank_mask,
                                              bound_ctrl, active, n)
                                 : untouched[at + lanes];
            ASSERT_TRUE(same_bits(result[at], moved))
                << "mov_dpp, control " << control << " lane " << n;
            ASSERT_TRUE(same_bits(result[at + lanes], updated))
                << "upd_dpp, control " << control << " lane " << n;
        }
    }
}

TEST(dpp, every_quad_perm) {
    check_controls<quad_controls, int>();
}

TEST(dpp, every_other_control) {
    check_controls<other_controls, int>();
}

__global__ void move_by_default(const int* old, const int* x, int* out) {
    const int lane = thread_id_x();
    out[lane] = mov_dpp(x[lane], number<0x111>{});
    out[lanes + lane] = upd_dpp(old[lane], x[lane], number<0x111>{});
}

TEST(dpp, all_rows_and_banks_and_bound_ctrl_by_default) {
    const auto old = random_values<int>(lanes, 1);
    const auto x = random_values<int>(lanes, 2);
    device_buffer<int> device_old(old);
    device_buffer<int> device_x(x);
    device_buffer<int> out(2 * lanes);
    move_by_default<<<1, lanes>>>(device_old.data(), device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t n = 0; n < lanes; n++) {
        const int left = n % 16 == 0 ? 0 : x[n - 1];  // row_shr:1
        EXPECT_EQ(result[n], left) << "mov_dpp, lane " << n;
        EXPECT_EQ(result[lanes + n], left) << "upd_dpp, lane " << n;
    }
}

TEST(dpp, bound_ctrl_off_keeps_old) {
    check_controls<other_controls, int, 15, 15, false>();
}

TEST(dpp, row_and_bank_masks) {
    check_controls<other_controls, int, 0x5, 0x6, true>();
    check_controls<other_controls, int, 0xa, 0xf, false>();
    check_controls<some_controls, int, 0xf, 0x1, true>();
    check_controls<some_controls, int, 0x8, 0x8, false>();
    check_controls<some_controls, int, 0x0, 0xf, true>();
    check_controls<some_controls, int, 0xf, 0x0, false>();
}

TEST(dpp, lanes_that_are_switched_off) {
    for (const uint64_t active : {0x00000000ffffffffull, 0xfffffffffff7ff7full, 0x5555ull << 20}) {
        check_controls<other_controls, int, 15, 15, true>(active);
        check_controls<other_controls, int, 15, 15, false>(active);
    }
}

TEST(dpp, types_of_every_size) {
    check_controls<some_controls, float>();
    check_controls<some_controls, unsigned char>();
    check_controls<some_controls, fp16_t>();
    check_controls<some_controls, short>();
    check_controls<some_controls, uint64_t>();
    check_controls<some_controls, vector_t<float, 4>>();
    check_controls<some_controls, array<int, 3>>();
    check_controls<some_controls, uint64_t, 0x6, 0x9, false>();
    check_controls<some_controls, fp16_t, 0x6, 0x9, false>();
    check_controls<some_controls, vector_t<fp16_t, 8>, 0x6, 0x9, true>();
}

// ---- shuffles ----

enum shuffle { direct, by_xor, up, down };

// The lane that lane n reads.
int shuffle_source(shuffle kind, int n, int argument, int width) {
    const int group = n / width * width;
    int from = argument;
    switch (kind) {
        case direct:
            return group + ((argument % width) + width) % width;
        case by_xor:
            from = n ^ argument;
            break;
        case up:
            from = n - argument;
            break;
        case down:
            from = n + argument;
            break;
    }
    return from >= group && from < group + width ? from : n;
}

// OPUS_DEBUG refuses lanes of other groups, which count modulo the width.
__device__ int source_lane(int argument, int width) {
    return OPUS_DEBUG ? argument & (width - 1) : argument;
}
template <class T, class Width>
__device__ void shuffle_four(const T& x, int argument, Width width, T* out) {
    out[direct * lanes] = shfl(x, source_lane(argument, width), width);
    out[by_xor * lanes] = shfl_xor(x, argument, width);
    out[up * lanes] = shfl_up(x, argument, width);
    out[down * lanes] = shfl_down(x, argument, width);
}

// Twice: the width as an integer and, where it is 64, left out; else as a number.
template <class T, int Width>
__global__ void shuffle_lanes(const T* x, const int* arguments, int width, T* out) {
    const int lane = thread_id_x();
    const T own = x[lane];
    const int argument = arguments[lane];
    shuffle_four(own, argument, width, out + lane);
    T* const second = out + 4 * lanes + lane;
    if constexpr (Width == 64) {
        second[direct * lanes] = shfl(own, source_lane(argument, Width));
        second[by_xor * lanes] = shfl_xor(own, argument);
        second[up * lanes] = shfl_up(own, argument);
        second[down * lanes] = shfl_down(own, argument);
    } else {
        shuffle_four(own, argument, number<Width>{}, second);
    }
}

template <class T, int Width>
void check_shuffles() {
    const auto x = random_values<T>(lanes, 4);
    device_buffer<T> device_x(x);
    device_buffer<T> out(8 * lanes);
    std::mt19937 random(5);
    for (int round = 0; round < 40; round++) {
        // The same for all lanes in the first rounds, then different ones, from -64 to 127.
        std::vector<int> arguments(lanes, round);
        if (round >= 16) {
            for (int& a : arguments) {
                a = static_cast<int>(random() % 192) - 64;
            }
        }
        device_buffer<int> device_arguments(arguments);
        out.fill_bytes(0x55);
        shuffle_lanes<T, Width>
            <<<1, lanes>>>(device_x.data(), device_arguments.data(), Width, out.data());
        finish();
        const auto result = out.to_host();
        for (int form = 0; form < 2; form++) {
            for (const shuffle kind : {direct, by_xor, up, down}) {
                for (int n = 0; n < lanes; n++) {
                    const int argument = arguments[static_cast<size_t>(n)];
                    const int from = shuffle_source(kind, n, argument, Width);
                    ASSERT_TRUE(
                        same_bits(result[static_cast<size_t>((4 * form + kind) * lanes + n)],
                                  x[static_cast<size_t>(from)]))
                        << "shuffle " << kind << " form " << form << " width " << Width << " lane "
                        << n << " argument " << argument;
                }
            }
        }
    }
}

TEST(shfl, four_bytes) {
    check_shuffles<int, 1>();
    check_shuffles<int, 2>();
    check_shuffles<int, 4>();
    check_shuffles<int, 8>();
    check_shuffles<int, 16>();
    check_shuffles<int, 32>();
    check_shuffles<int, 64>();
    check_shuffles<float, 16>();
}

// Moved as two words of four.
TEST(shfl, eight_bytes) {
    check_shuffles<uint64_t, 4>();
    check_shuffles<uint64_t, 64>();
    check_shuffles<double, 32>();
}

TEST(shfl, other_sizes) {
    check_shuffles<fp16_t, 64>();
    check_shuffles<signed char, 8>();
    check_shuffles<vector_t<int, 4>, 16>();
}

// The arguments as numbers: each of `arguments` in a row of `out` for every kind but `direct`.
template <class T, int Width, int... arguments>
__global__ void shuffle_by_constants(const T* x, uint64_t active, T* out, seq<arguments...>) {
    const int lane = thread_id_x();
    const T own = x[lane];
    if (active >> lane & 1) {
        T* at = out + lane;
        const auto each = [&](auto argument, auto... width) {
            at[by_xor * lanes] = shfl_xor(own, argument, width...);
            at[up * lanes] = shfl_up(own, argument, width...);
            at[down * lanes] = shfl_down(own, argument, width...);
            at += 4 * lanes;
        };
        if constexpr (Width == 64) {
            (each(number<arguments>{}), ...);
        } else {
            (each(number<arguments>{}, number<Width>{}), ...);
        }
    }
}

template <class T, int Width, int... arguments>
void check_shuffles_by_constants(seq<arguments...> numbers) {
    const auto x = random_values<T>(lanes, 9);
    device_buffer<T> device_x(x);
    device_buffer<T> out(sizeof...(arguments) * 4 * lanes);
    // The second has lanes off, whose neighbours must not need them, alike in the four rows.
    for (const uint64_t active : {~uint64_t{0}, uint64_t{0x9351935193519351}}) {
        out.fill_bytes(0x55);
        shuffle_by_constants<T, Width><<<1, lanes>>>(device_x.data(), active, out.data(), numbers);
        finish();
        const auto result = out.to_host();
        size_t checked = 0;
        size_t row = 0;
        for (const int argument : {arguments...}) {
            for (const shuffle kind : {by_xor, up, down}) {
                for (int n = 0; n < lanes; n++) {
                    const int from = shuffle_source(kind, n, argument, Width);
                    if ((active >> n & active >> from & 1) == 0) {
                        continue;
                    }
                    checked++;
                    ASSERT_TRUE(same_bits(result[(row * 4 + kind) * lanes + static_cast<size_t>(n)],
                                          x[static_cast<size_t>(from)]))
                        << "shuffle " << kind << " by the number " << argument << " width " << Width
                        << " lane " << n;
                }
            }
            row++;
        }
        ASSERT_GT(checked, sizeof...(arguments) * 16);
    }
}

// All that reach another lane, and some that do not.
void check_shuffles_by_all_constants() {
    check_shuffles_by_constants<int, 1>(seq<0, 1, -1, 63>{});
    check_shuffles_by_constants<int, 2>(seq<0, 1, 2, 3>{});
    check_shuffles_by_constants<int, 4>(seq<0, 1, 2, 3, 4, -1>{});
    check_shuffles_by_constants<int, 8>(make_index_seq<-8, 9>{});
    check_shuffles_by_constants<int, 16>(make_index_seq<17>{});
    check_shuffles_by_constants<int, 32>(make_index_seq<1, 34>{});
    check_shuffles_by_constants<int, 64>(make_index_seq<1, 65>{});
}

// Masks that are integers, known to the compiler: each in a row of `out`.
template <class T, int Width, int... masks>
__global__ void shuffle_by_known_integers(const T* x, T* out, seq<masks...>) {
    const int lane = thread_id_x();
    T* at = out + lane;
    ((*at = shfl_xor(x[lane], masks, number<Width>{}), at += lanes), ...);
}
template <class T, int Width, int... masks>
void check_known_integers(seq<masks...> numbers) {
    const auto x = random_values<T>(lanes, 11);
    device_buffer<T> device_x(x);
    device_buffer<T> out(sizeof...(masks) * lanes);
    out.fill_bytes(0x55);
    shuffle_by_known_integers<T, Width><<<1, lanes>>>(device_x.data(), out.data(), numbers);
    finish();
    const auto result = out.to_host();
    size_t row = 0;
    for (const int mask : {masks...}) {
        for (int n = 0; n < lanes; n++) {
            const int from = shuffle_source(by_xor, n, mask, Width);
            ASSERT_TRUE(same_bits(result[row * lanes + static_cast<size_t>(n)],
                                  x[static_cast<size_t>(from)]))
                << "mask " << mask << " width " << Width << " lane " << n;
        }
        row++;
    }
}
TEST(shfl, by_known_integers) {
    constexpr auto all = make_index_seq<-2, 66>{};
    check_known_integers<int, 4>(all);
    check_known_integers<int, 16>(all);
    check_known_integers<int, 64>(all);
    check_known_integers<uint64_t, 32>(all);
    check_known_integers<fp16_t, 64>(all);
}

TEST(shfl, four_bytes_by_every_constant) {
    check_shuffles_by_all_constants();
}

TEST(shfl, other_sizes_by_constants) {
    check_shuffles_by_constants<uint64_t, 8>(seq<1, 3, 4, 7>{});
    check_shuffles_by_constants<uint64_t, 64>(seq<1, 4, 5, 16, 32, 48>{});
    check_shuffles_by_constants<fp16_t, 64>(seq<1, 4, 5, 16, 32, 48>{});
    check_shuffles_by_constants<signed char, 8>(seq<1, 3, 4, 7>{});
    check_shuffles_by_constants<vector_t<int, 4>, 32>(seq<2, 12, 16, 19>{});
}

// ---- ballot and readfirstlane ----

__global__ void ask(const uint64_t* predicates, const uint64_t* active, const double* x,
                    uint64_t* ballots, double* first) {
    const int b = block_id_x();
    const int lane = thread_id_x();
    if (active[b] >> lane & 1) {
        ballots[b * lanes + lane] = ballot(predicates[b] >> lane & 1);
        first[b * lanes + lane] = readfirstlane(x[lane]);
    }
}

TEST(lanes, ballot_and_readfirstlane) {
    auto predicates = random_values<uint64_t>(70, 6);
    auto active = random_values<uint64_t>(70, 7);
    active[0] = ~uint64_t{0};
    predicates[1] = 0;
    for (size_t i = 2; i < 66; i++) {
        active[i] = ~uint64_t{0} << (i - 2);
    }
    std::vector<double> x;
    for (int n = 0; n < lanes; n++) {
        x.push_back(1.0 / (n + 1));
    }
    device_buffer<uint64_t> device_predicates(predicates);
    device_buffer<uint64_t> device_active(active);
    device_buffer<double> device_x(x);
    device_buffer<uint64_t> ballots(70 * lanes);
    device_buffer<double> first(70 * lanes);
    ask<<<70, lanes>>>(device_predicates.data(), device_active.data(), device_x.data(),
                       ballots.data(), first.data());
    finish();
    const auto ballot_result = ballots.to_host();
    const auto first_result = first.to_host();
    for (size_t b = 0; b < 70; b++) {
        for (size_t n = 0; n < lanes; n++) {
            if (active[b] >> n & 1) {
                const size_t lowest = static_cast<size_t>(__builtin_ctzll(active[b]));
                ASSERT_EQ(ballot_result[b * lanes + n], predicates[b] & active[b]) << b;
                ASSERT_EQ(first_result[b * lanes + n], x[lowest]) << b;
            }
        }
    }
}

// ---- reductions ----

template <class T, class Op>
__global__ void reduce_waves(const T* x, T* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    out[i] = reduce_wave(x[i], Op{});
}

template <class T, class Op>
__global__ void reduce_blocks(const T* x, T* out) {
    __shared__ T smem[16];
    const int threads = block_size_x() * block_size_y() * block_size_z();
    const int thread =
        (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    // Two in a row with the same LDS.
    const int i = block_id_x() * threads + thread;
    out[2 * i] = reduce_block(x[i], Op{}, smem);
    out[2 * i + 1] = reduce_block(x[block_id_x() * threads + (thread + 1) / 2], Op{}, smem);
}

// op over `count` values in order. Sums of fp16 and fp32 are of small integers and so exact.
template <class T, class Op>
T reduced(const T* x, size_t count) {
    T result = x[0];
    for (size_t i = 1; i < count; i++) {
        result = static_cast<T>(Op{}(result, x[i]));
    }
    return result;
}

template <class T>
std::vector<T> reduction_values(size_t count, bool is_sum) {
    std::mt19937 random(8);
    std::vector<T> values;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = static_cast<uint32_t>(random());
        if constexpr (is_any_of_v<T, int, unsigned>) {
            // Signed sums must not overflow.
            values.push_back(
                static_cast<T>(is_same_v<T, int> && is_sum ? bits % 2000000 - 1000000 : bits));
        } else if (is_sum) {
            values.push_back(static_cast<T>(static_cast<int>(bits % 5) - 2));
        } else {
            values.push_back(static_cast<T>(static_cast<int>(bits % 4001) - 2000));
        }
    }
    return values;
}

template <class T, class Op>
void check_reduce_wave() {
    constexpr bool is_sum = is_same_v<Op, plus>;
    // 64 waves in which one lane decides, and 64 with random values.
    std::vector<T> x;
    for (int wave = 0; wave < lanes; wave++) {
        for (int lane = 0; lane < lanes; lane++) {
            const int background = is_sum ? 0 : is_same_v<Op, maximum> ? 2 : 200;
            x.push_back(static_cast<T>(lane == wave ? 100 + lane : background));
        }
    }
    const auto more = reduction_values<T>(64 * lanes, is_sum);
    x.insert(x.end(), more.begin(), more.end());
    device_buffer<T> device_x(x);
    device_buffer<T> out(x.size());
    out.fill_bytes(0x55);
    reduce_waves<T, Op><<<32, 4 * lanes>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < x.size(); i++) {
        const T expected = reduced<T, Op>(&x[i / lanes * lanes], lanes);
        ASSERT_TRUE(result[i] == expected)
            << "wave " << i / lanes << " lane " << i % lanes << ": "
            << static_cast<double>(result[i]) << ", not " << static_cast<double>(expected);
    }
}

template <class T, class Op>
void check_reduce_block() {
    struct {
        dim3 block;
        unsigned threads;
    } const cases[] = {{dim3(64), 64},        {dim3(128), 128}, {dim3(192), 192},
                       {dim3(16, 4, 5), 320}, {dim3(448), 448}, {dim3(8, 64), 512},
                       {dim3(576), 576},      {dim3(960), 960}, {dim3(1024), 1024}};
    for (const auto& c : cases) {
        constexpr unsigned blocks = 3;
        const auto x = reduction_values<T>(blocks * c.threads, is_same_v<Op, plus>);
        device_buffer<T> device_x(x);
        device_buffer<T> out(2 * x.size());
        out.fill_bytes(0x55);
        reduce_blocks<T, Op><<<blocks, c.block>>>(device_x.data(), out.data());
        finish();
        const auto result = out.to_host();
        for (size_t b = 0; b < blocks; b++) {
            const T* const own = &x[b * c.threads];
            std::vector<T> halves;
            for (size_t t = 0; t < c.threads; t++) {
                halves.push_back(own[(t + 1) / 2]);
            }
            const T first = reduced<T, Op>(own, c.threads);
            const T second = reduced<T, Op>(halves.data(), c.threads);
            for (size_t t = 0; t < c.threads; t++) {
                const size_t i = 2 * (b * c.threads + t);
                ASSERT_TRUE(result[i] == first)
                    << c.threads << " threads, block " << b << " thread " << t << ": "
                    << static_cast<double>(result[i]) << ", not " << static_cast<double>(first);
                ASSERT_TRUE(result[i + 1] == second)
                    << "second, " << c.threads << " threads, block " << b << " thread " << t;
            }
        }
    }
}

template <class T>
void check_reductions() {
    check_reduce_wave<T, plus>();
    check_reduce_wave<T, maximum>();
    check_reduce_wave<T, minimum>();
    check_reduce_block<T, plus>();
    check_reduce_block<T, maximum>();
    check_reduce_block<T, minimum>();
}

TEST(reductions, i32) {
    check_reductions<i32_t>();
}
TEST(reductions, u32) {
    check_reductions<u32_t>();
}
TEST(reductions, fp32) {
    check_reductions<fp32_t>();
}
TEST(reductions, fp16) {
    check_reductions<fp16_t>();
}

// ---- maximum and minimum of floats: a NaN counts as missing ----

template <class T, class Op>
void check_reduce_wave_with_nans(T quiet, T signalling) {
    const T infinity = static_cast<T>(INFINITY);
    std::mt19937 random(10);
    std::vector<T> x;
    for (int wave = 0; wave < 64; wave++) {
        for (int lane = 0; lane < lanes; lane++) {
            const T number = static_cast<T>(static_cast<int>(random() % 2001) - 1000);
            const T nan = random() % 2 == 0 ? quiet : signalling;
            // Without a number; with one; with infinities only; with NaNs in half of the lanes.
            T value = random() % 2 == 0 ? number : nan;
            if (wave < 2) {
                value = nan;
            } else if (wave < 34) {
                value = lane == 2 * wave - 4 || lane == 2 * wave - 3 ? number : nan;
            } else if (wave < 36) {
                value = wave == 34 ? infinity : -infinity;
            }
            x.push_back(value);
        }
    }
    device_buffer<T> device_x(x);
    device_buffer<T> out(x.size());
    reduce_waves<T, Op><<<16, 4 * lanes>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t wave = 0; wave < 64; wave++) {
        bool found = false;
        double expected = 0;
        for (size_t lane = 0; lane < lanes; lane++) {
            const double value = static_cast<double>(x[wave * lanes + lane]);
            if (!std::isnan(value)) {
                const bool better = is_same_v<Op, maximum> ? value > expected : value < expected;
                expected = !found || better ? value : expected;
                found = true;
            }
        }
        ASSERT_EQ(found, wave >= 2);
        for (size_t lane = 0; lane < lanes; lane++) {
            const double value = static_cast<double>(result[wave * lanes + lane]);
            ASSERT_TRUE(found ? value == expected : std::isnan(value))
                << "wave " << wave << " lane " << lane << ": " << value << ", not " << expected;
        }
    }
}

TEST(reductions, a_nan_counts_as_missing) {
    const auto fp32 = [](uint32_t bits) { return __builtin_bit_cast(float, bits); };
    const auto fp16 = [](uint16_t bits) { return __builtin_bit_cast(fp16_t, bits); };
    check_reduce_wave_with_nans<float, maximum>(fp32(0x7fc00000), fp32(0xff800001));
    check_reduce_wave_with_nans<float, minimum>(fp32(0xffc00000), fp32(0x7f800001));
    check_reduce_wave_with_nans<fp16_t, maximum>(fp16(0xfe00), fp16(0x7c01));
    check_reduce_wave_with_nans<fp16_t, minimum>(fp16(0x7e00), fp16(0xfc01));
}

// What a matrix instruction is still writing.
__global__ void reduce_matrix_result(const float* x, float* out) {
    const int lane = lane_id();
    const fp16x4_t a = {static_cast<fp16_t>(x[lane])};
    const fp32x16_t c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8>{}(a, a);
    out[lane] = reduce_wave(c[15], maximum{});
    out[lanes + lane] = reduce_wave(c[14], minimum{});
}

TEST(reductions, of_what_a_matrix_instruction_gives) {
    std::vector<float> x;
    for (int lane = 0; lane < lanes; lane++) {
        x.push_back(static_cast<float>(lane % 7 - 3));
    }
    device_buffer<float> device_x(x);
    device_buffer<float> out(2 * lanes);
    reduce_matrix_result<<<1, lanes>>>(device_x.data(), out.data());
    finish();
    // Lane l of a has row l % 32 and the first of 4 columns from l / 32 * 4 on, as column l % 32 of
    // its other operand; register r of c is row r % 4 + r / 4 * 8 + l / 32 * 4, column l % 32.
    const auto expected = [&](int r, bool largest) {
        float result = 0;
        for (int l = 0; l < lanes; l++) {
            const int row = r % 4 + r / 4 * 8 + l / 32 * 4;
            float sum = 0;
            for (const int half : {0, 32}) {
                sum += x[static_cast<size_t>(row + half)] * x[static_cast<size_t>(l % 32 + half)];
            }
            result = l == 0 || (largest ? sum > result : sum < result) ? sum : result;
        }
        return result;
    };
    const auto result = out.to_host();
    for (size_t lane = 0; lane < lanes; lane++) {
        ASSERT_EQ(result[lane], expected(15, true));
        ASSERT_EQ(result[lanes + lane], expected(14, false));
    }
}

// ---- groups of a known size ----

// Four in a row, which take two buffers in turns.
template <class T, class Op, int... shape>
__global__ void reduce_known_blocks(const T* x, T* out) {
    __shared__ T smem[2][16];
    constexpr int threads = (shape * ...);
    const int i = (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    const T* const own = x + block_id_x() * threads;
    T* const at = out + 4 * block_id_x() * threads + i;
    for (int k = 0; k < 4; k++) {
        at[k * threads] = reduce_block<shape...>(own[(i + k) / (k + 1)], Op{}, smem[k % 2]);
    }
}

template <class T, class Op, int... shape>
void check_reduce_known_block() {
    constexpr int sizes[] = {shape..., 1, 1};
    constexpr unsigned blocks = 3;
    constexpr size_t threads = static_cast<size_t>((shape * ...));
    const auto x = reduction_values<T>(blocks * threads, is_same_v<Op, plus>);
    device_buffer<T> device_x(x);
    device_buffer<T> out(4 * x.size());
    out.fill_bytes(0x55);
    reduce_known_blocks<T, Op, shape...>
        <<<blocks, dim3(static_cast<unsigned>(sizes[0]), static_cast<unsigned>(sizes[1]),
                        static_cast<unsigned>(sizes[2]))>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t b = 0; b < blocks; b++) {
        for (size_t k = 0; k < 4; k++) {
            std::vector<T> own;
            for (size_t t = 0; t < threads; t++) {
                own.push_back(x[b * threads + (t + k) / (k + 1)]);
            }
            const T expected = reduced<T, Op>(own.data(), threads);
            for (size_t t = 0; t < threads; t++) {
                ASSERT_TRUE(result[(b * 4 + k) * threads + t] == expected)
                    << threads << " threads, block " << b << " thread " << t << " reduction " << k
                    << ": " << static_cast<double>(result[(b * 4 + k) * threads + t]) << ", not "
                    << static_cast<double>(expected);
            }
        }
    }
}

TEST(reductions, of_groups_of_a_known_size) {
    check_reduce_known_block<float, plus, 64>();
    check_reduce_known_block<float, maximum, 256>();
    check_reduce_known_block<int, minimum, 192>();
    check_reduce_known_block<int, plus, 1024>();
    check_reduce_known_block<unsigned, plus, 8, 64>();
    check_reduce_known_block<fp16_t, maximum, 16, 4, 5>();
    check_reduce_known_block<double, plus, 32, 4>();
}

// Twice with one buffer and nothing in between: a wave may still read what another one overwrites.
__global__ void reduce_too_soon(const int* x, int* out) {
    __shared__ int smem[2];
    const int i = thread_id_x();
    const int first = reduce_block<128>(x[i], plus{}, smem);
    out[i] = reduce_block<128>(x[i] + first, plus{}, smem);
}

TEST(reductions, two_in_one_buffer_are_a_race) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "the emulator finds it";
    }
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto run = [] {
        device_buffer<int> x(reduction_values<int>(128, true));
        device_buffer<int> out(128);
        reduce_too_soon<<<1, 128>>>(x.data(), out.data());
        finish();
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(70), "race: .* without a barrier between");
}

// An operation of one's own on a wide type: the largest value and where it is.
struct candidate {
    float value;
    int index;
};

__global__ void find_largest(const float* x, candidate* out) {
    __shared__ candidate smem[4];
    const int i = thread_id_x();
    const auto larger = [](const candidate& a, const candidate& b) {
        return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
    };
    out[i] = reduce_block(candidate{x[i], i}, larger, smem);
}

TEST(reductions, of_structures) {
    std::vector<float> x;
    for (int i = 0; i < 256; i++) {
        x.push_back(static_cast<float>(i * 37 % 101));
    }
    device_buffer<float> device_x(x);
    device_buffer<candidate> out(256);
    find_largest<<<1, 256>>>(device_x.data(), out.data());
    finish();
    int largest = 0;
    for (int i = 0; i < 256; i++) {
        largest = x[static_cast<size_t>(i)] > x[static_cast<size_t>(largest)] ? i : largest;
    }
    for (const candidate& c : out.to_host()) {
        ASSERT_EQ(c.value, x[static_cast<size_t>(largest)]);
        ASSERT_EQ(c.index, largest);
    }
}

// ---- max, min, med3: the same functions on both sides ----

template <class T>
OPUS_H_D void order_triple(const T& a, const T& b, const T& c, T* out) {
    out[0] = max(a, b);
    out[1] = min(a, b);
    out[2] = max3(a, b, c);
    out[3] = min3(a, b, c);
    out[4] = med3(a, b, c);
}

template <class T>
__global__ void order_triples(const T* x, int n, T* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n * n * n) {
        order_triple(x[i / n / n], x[i / n % n], x[i % n], out + 5 * i);
    }
}

template <class T>
void check_order(const std::vector<T>& x) {
    const size_t triples = x.size() * x.size() * x.size();
    device_buffer<T> device_x(x);
    device_buffer<T> out(5 * triples);
    order_triples<<<static_cast<unsigned>((triples + 63) / 64), 64>>>(
        device_x.data(), static_cast<int>(x.size()), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < triples; i++) {
        T expected[5];
        order_triple(x[i / x.size() / x.size()], x[i / x.size() % x.size()], x[i % x.size()],
                     expected);
        for (size_t k = 0; k < 5; k++) {
            const T r = result[5 * i + k];
            ASSERT_TRUE(r == expected[k] || (r != r && expected[k] != expected[k]))
                << "triple " << i << " function " << k << ": " << static_cast<double>(r)
                << ", on the host " << static_cast<double>(expected[k]);
        }
    }
}

template <class T>
std::vector<T> floats_in_order() {
    std::vector<T> values;
    for (const double v : {-1e30, -65504.0, -2.5, -1.0, -6e-8, 0.0, 6e-8, 1e-4, 1.0, 3.0, 1e30,
                           static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        values.push_back(static_cast<T>(v));
    }
    return values;
}

TEST(order, is_that_of_the_host) {
    check_order(floats_in_order<float>());
    check_order(floats_in_order<fp16_t>());
    check_order(floats_in_order<double>());
    check_order<int>({std::numeric_limits<int>::min(), -5, -1, 0, 1, 5, 1 << 30,
                      std::numeric_limits<int>::max()});
    check_order<unsigned>({0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff});
    check_order<short>({-32768, -1, 0, 1, 32767});
    check_order<unsigned char>({0, 1, 127, 128, 255});
    check_order<long>({-(1l << 40), -1, 0, 1l << 32, 1l << 62});
}

}  // namespace
