// DPP against a model of what each lane receives, written from the ISA guide's text (13.3.9 DPP), and
// what all lanes of a wave learn of one or of all.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "common/device.hpp"
#include "opus/opus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

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

// ---- ballot, readfirstlane and readlane ----

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

// ---- warp_all ----

// Bit i of row b: what lane i gets where lane i's predicate is bit i of predicates[b], asked by the
// lanes of active[b] only. 2 says that it was not asked.
__global__ void ask_all(const uint64_t* predicates, const uint64_t* active, int* out) {
    const int b = block_id_x();
    const int lane = lane_id();
    int answer = 2;
    if (active[b] >> lane & 1) {
        const bool all = predicates[b] >> lane & 1;
        answer = warp_all(all) && wave_all(all);
    }
    out[b * 64 + lane] = answer;
}

TEST(lanes, warp_all) {
    std::vector<uint64_t> predicates;
    std::vector<uint64_t> active;
    for (int lane = 0; lane < 64; lane++) {
        // One lane is missing, whether it is asked or not.
        predicates.insert(predicates.end(), 2, ~(uint64_t{1} << lane));
        active.push_back(~uint64_t{0});
        active.push_back(~(uint64_t{1} << lane));
    }
    predicates.insert(predicates.end(), {~uint64_t{0}, 0, 0xff00, 0});
    active.insert(active.end(), {~uint64_t{0}, ~uint64_t{0}, 0x0f00, 1});
    device_buffer<uint64_t> device_predicates(predicates);
    device_buffer<uint64_t> device_active(active);
    device_buffer<int> out(predicates.size() * 64);
    ask_all<<<static_cast<unsigned>(predicates.size()), 64>>>(device_predicates.data(),
                                                              device_active.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t b = 0; b < predicates.size(); b++) {
        const int all = (active[b] & ~predicates[b]) == 0;
        for (size_t lane = 0; lane < 64; lane++) {
            const int expected = (active[b] >> lane & 1) ? all : 2;
            ASSERT_EQ(result[b * 64 + lane], expected) << "case " << b << " lane " << lane;
        }
    }
}
}  // namespace
