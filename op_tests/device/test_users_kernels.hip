// What kernels of users lean on, each line of the contract with what it must mean: free functions on
// memory of a type of the user's own, the order of template parameters, operands by their bits,
// scales without C and scales of zero, tiles that a store converts or a scalar fills, offsets of 64
// bits, cache policies, launches.
#pragma clang diagnostic ignored "-Wshorten-64-to-32"  // of offsets, on purpose
#include "../laws/users_macros.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "common/device.hpp"

namespace users {

using namespace opus;
using opus::operator""_I;

// Memory that notes which member was called, and through what kind of object.
struct called {
    index_t vec = 0;
    int member = 0;
    int is_const = 0;
    index_t sum = 0;
};
template <class T>
struct my_lds {
    called* log;

#define NOTE(name, number)                                        \
    template <index_t vec, class... Args>                         \
    OPUS_D called& name(const Args&... args) {                    \
        *log = called{vec, number, 0, (0 + ... + index_t(args))}; \
        return *log;                                              \
    }                                                             \
    template <index_t vec, class... Args>                         \
    OPUS_D called& name(const Args&... args) const {              \
        *log = called{vec, number, 1, (0 + ... + index_t(args))}; \
        return *log;                                              \
    }
    NOTE(load, 1)
    NOTE(store, 2)
    NOTE(async_load, 3)
    NOTE(load_if, 4)
    NOTE(store_if, 5)
    NOTE(tr_load, 6)
    NOTE(atomic_add, 7)
    NOTE(async_load_if, 8)
    NOTE(tr_load_if, 9)
#undef NOTE
};
template <class T>
struct my_buffer : my_lds<T> {};

}  // namespace users

namespace opus {
template <class T>
struct is_smem<users::my_lds<T>> : true_type {};
template <class T>
struct is_gmem<users::my_buffer<T>> : true_type {};
}  // namespace opus

// Functions of a user's own at global scope, named as ours. Each gives what ours would not.
template <class T>
OPUS_D T abs(T x) {
    return x + 1;
}
template <class T>
OPUS_D T exp2(const T& x) {
    return x + 2;
}
template <class T>
OPUS_D T log2(const T& x) {
    return x + 3;
}
template <class T>
OPUS_D T rsqrt(T x) {
    return x + 4;
}
template <class T>
OPUS_D T rcp(T x) {
    return x + 5;
}
template <class T>
OPUS_D T fma(T a, T b, T c) {
    return a + b + c;
}
template <class T, class Op>
OPUS_D T reduce(const T& x, const Op& op) {
    return op(x, T(6));
}

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
using users::called;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

bool on_gfx950() {
    return examples::device_name().find("gfx950") != std::string::npos;
}

// A tile as one vector, whatever OPUS_TILE_CONTAINER says.
template <class X>
OPUS_D auto flat(const X& x) {
    if constexpr (is_array_v<X>) {
        return to_vector(x);
    } else {
        return x;
    }
}

// -- memory of a type of the user's own -----------------------------------------------------------

template <class Memory>
OPUS_D void call_all(Memory&& memory, called*& out) {
    // The members return references, and the free functions hand them on.
    const auto note = [&](called& what) { *out++ = what; };
    note(load<4>(memory, 10));
    note(store<2>(memory, 1, 20));
    note(async_load<8>(memory, 1, 2, 30));
    note(load_if<3>(memory, 0, 40));
    note(store_if<5>(memory, 0, 1, 50));
    note(tr_load<6>(memory, 60));
    note(atomic_add<7>(memory, 1, 70));
    note(async_load_if<9>(memory, 80));
    note(tr_load_if<11>(memory, 90));
}
__global__ void call_members(called* out, called* log) {
    users::my_lds<float> lds{log};
    const users::my_lds<float> const_lds{log};
    users::my_buffer<int> buffer;
    buffer.log = log;
    call_all(lds, out);
    call_all(const_lds, out);
    call_all(buffer, out);
    *out++ = load<4>(users::my_lds<float>{log}, 10);  // a temporary
}

TEST(users_kernels, free_functions_forward_to_the_members_of_a_users_memory) {
    device_buffer<called> out(28);
    device_buffer<called> log(1);
    call_members<<<1, 1>>>(out.data(), log.data());
    finish();
    const auto got = out.to_host();
    const int vecs[] = {4, 2, 8, 3, 5, 6, 7, 9, 11};
    const int sums[] = {10, 21, 33, 40, 51, 60, 71, 80, 90};
    for (size_t i = 0; i < 28; i++) {
        const size_t call = i % 9;
        EXPECT_EQ(got[i].member, static_cast<int>(call) + 1) << i;
        EXPECT_EQ(got[i].vec, vecs[call]) << i;
        EXPECT_EQ(got[i].sum, sums[call]) << i;
        EXPECT_EQ(got[i].is_const, i / 9 == 1) << i;
    }
}

// -- members, and the order of template parameters ------------------------------------------------

static_assert(is_same_v<decltype(gmem<float>::raw_ptr), void*>);
static_assert(sizeof(workgroup_barrier) == sizeof(void*));
#if defined(__HIP_DEVICE_COMPILE__)
static_assert(is_same_v<decltype(smem<fp16x4_t>::ptr), OPUS_LDS_ADDR char*>);
#endif

__global__ void use_template_order(const int* in, int* out) {
    __shared__ int lds[256];
    const int lane = lane_id();
    const auto g = make_gmem(in);
    const auto o = make_gmem(out);
    const auto rsrc = g.cached_rsrc;
    out[lane] = g.raw_ptr == in && __builtin_amdgcn_raw_buffer_load_b32(rsrc, 4, 0, 0) == 1u;
    const auto u = make_layout(seq<64, 4>{});
    const auto mine = make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I), make_tuple(lane, _));
    using layout_t = remove_cv_t<decltype(mine)>;

    // A row of 64 for each form; lane l moves what is at 4 * l .. 4 * l + 3.
    int row = 64;
    o.store<4>(g.load<4, 2>(lane * 4, 0), row + lane * 4);
    row += 256;
    o.template store<4, i32x4_t>(g.template load<4, 2>(lane * 4, 0, number<2>{}), row + lane * 4);
    row += 256;
    o.template store<4, i32x4_t, 2>(flat(g.template load<4, layout_t, 3>(mine)), row + lane * 4);
    row += 256;
    o.template store<4, i32x4_t, layout_t, 1>(flat(g.template load<4, layout_t>(mine, 0, 3_I)),
                                              mine, row);
    row += 256;
    o.store<4>(g.load<4>(u(lane, 0)), row + lane * 4, 0, number<7>{});
    row += 256;
    g.template async_load<1, 0, 2>(lds, lane * 4);
    g.template _async_load<1, 0, 2>(lds + 64, lane * 16 + 4);
    g.template async_load<1, 512, 0>(lds, lane * 4 + 2 - 128);
    const auto each = make_layout(make_tuple(64_I, 1_I), make_tuple(4_I, 1_I), make_tuple(lane, _));
    const auto none = make_layout(make_tuple(1_I, 1_I), make_tuple(0_I, 1_I), make_tuple(0_I, _));
    g.template async_load<1, 0, 3>(lds + 192, each + 3_I, none);
    s_waitcnt_vmcnt(0_I);
    sync_threads();
    for (int i = 0; i < 4; i++) {
        o.store<1>(lds[i * 64 + lane], row + lane * 4 + i);
    }
    row += 256;
    out[row + lane] = 5;
    const auto old = o.template atomic_add<1, 4, int, 0>(lane, row + lane - 1);
    out[row + 64 + lane] = old[0];
}

TEST(users_kernels, template_parameters_come_in_the_order_in_use) {
    std::vector<int> values(256);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = static_cast<int>(i);
    }
    const device_buffer<int> in(values);
    device_buffer<int> out(64 + 6 * 256 + 128);
    out.fill_bytes(0xff);
    use_template_order<<<1, 64>>>(in.data(), out.data());
    finish();
    const auto got = out.to_host();
    for (size_t lane = 0; lane < 64; lane++) {
        EXPECT_EQ(got[lane], 1);
        EXPECT_EQ(got[64 + 6 * 256 + lane], 5 + static_cast<int>(lane));
        EXPECT_EQ(got[64 + 6 * 256 + 64 + lane], 5);
    }
    for (size_t row = 0; row < 6; row++) {
        for (size_t i = 0; i < 256; i++) {
            ASSERT_EQ(got[64 + row * 256 + i], static_cast<int>(i)) << "row " << row;
        }
    }
}

// -- operands of the same size --------------------------------------------------------------------

// Each operand by its own vector and by another vector, or an integer, of the same bits.
__global__ void multiply_bits(const i64_t* bits, float* out) {
    const i64_t a = bits[lane_id()];
    const i64_t b = bits[64 + lane_id()];
    const auto same = [&](auto mma, auto other, int at) {
        using V = typename decltype(mma)::vtype_a;
        using W = decltype(other);
        const fp32x4_t c{1, 2, 3, 4};
        const auto x = flat(mma(__builtin_bit_cast(V, a), __builtin_bit_cast(V, b), c));
        const auto y = flat(mma(__builtin_bit_cast(W, a), __builtin_bit_cast(W, b), c));
        const auto z = flat(mma(__builtin_bit_cast(W, a), __builtin_bit_cast(V, b), c));
        bool equal = true;
        for (int i = 0; i < 4; i++) {
            equal = equal && x[i] != 0 && x[i] == y[i] && x[i] == z[i];
        }
        out[at * 64 + lane_id()] = equal;
    };
    same(mfma_f32_16x16x16_bf16{}, i16x4_t{}, 0);
    same(mfma_f32_16x16x16_bf16{}, i64_t{}, 1);
    same(mfma_f32_16x16x16_f16{}, i32x2_t{}, 2);
    same(mfma_f32_16x16x32_fp8_fp8{}, i64_t{}, 3);
    same(mfma_f32_16x16x32_fp8_fp8{}, i16x4_t{}, 4);
    same(make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
         i16x4_t{}, 5);
}

TEST(users_kernels, operands_of_the_same_size_are_their_bits) {
    std::vector<i64_t> bits(128);
    for (size_t i = 0; i < bits.size(); i++) {
        // 0x38..0x3f: near 1 in every format here.
        bits[i] = static_cast<i64_t>(0x3c3839383b383a38u +
                                     ((i * 0x0305000700020401u) & 0x0707070707070707u));
    }
    const device_buffer<i64_t> in(bits);
    device_buffer<float> out(6 * 64);
    out.fill_bytes(0);
    multiply_bits<<<1, 64>>>(in.data(), out.data());
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(got[i], 1) << "form " << i / 64 << ", lane " << i % 64;
    }
}

// -- scales ---------------------------------------------------------------------------------------

// Products of ones: 128 for scales of 1, and 4 times as much for scales of 2.
constexpr int scale_forms = 17;
template <class T, int one>
__global__ void multiply_scaled(float* out, int scale) {
    using mma = mfma<T, T, fp32_t, 16, 16, 128>;
    [[maybe_unused]] const auto put = [&](int form, float x) { out[form * 64 + lane_id()] = x; };
    if constexpr (mma::has_scales) {
        i32x8_t raw{};
        for (int i = 0; i < 8; i++) {
            raw[i] = one;
        }
        const auto tiled =
            make_tiled_mma<T, T, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});
        using tiled_t = remove_cv_t<decltype(tiled)>;
        array<i32x8_t, 2> raws{raw, raw};
        const typename mma::vtype_c c{1, 2, 3, 4};
        put(0, mma{}(raw, raw, c)[1]);                // no scales: 128 + 2
        put(1, mma{}(raw, raw, scale, scale)[1]);     // 4 * 128
        put(2, mma{}(raw, raw, c, scale, scale)[1]);  // 4 * 128 + 2
        put(3, mma{}(raw, raw, 127, 128)[1]);         // 2 * 128
        put(4, mma{}(raw, raw, c, 0, 0)[1]);          // no scales: 128 + 2
        put(5, mma{}(raw, raw, 0, 0)[1]);             // no scales: 128
        put(6, mma{}(raw, raw, c, 0_I, 0_I)[1]);      // no scales, or cbsz and abid: 128 + 2
        put(7, mma{}(raw, raw, scale << 8, scale << 8, 1_I, 1_I)[1]);   // 4 * 128
        put(8, typename tiled_t::MMA{}(raw, raw, c, scale, scale)[1]);  // 4 * 128 + 2
        const auto last = [](const typename tiled_t::vtype_c& t) {
            return __builtin_bit_cast(fp32x8_t, t)[5];
        };
        put(9, last(tiled(raws, raw, scale, scale)));               // 4 * 128
        put(10, last(tiled(raws, raw, 0, 0)));                      // no scales: 128
        put(11, last(tiled(raws, raw, i32x2_t{127, scale}, 127)));  // 2 * 128
        put(12, last(tiled(raws, raw)));                            // no scales: 128
        put(13, mma{}(raw, raw, 0, 127)[1]);                        // 2^-127 is a scale: 2^-120
        const auto swapped = make_mfma<T, T, fp32_t>(16_I, 16_I, 128_I, mfma_adaptor_swap_ab{});
        put(14, swapped(raw, raw, scale, scale << 8, 0_I, 1_I)[1]);  // 4 * 128
        put(15, swapped(raw, raw, 0, 0)[1]);                         // no scales: 128
        typename tiled_t::vtype_c twos;
        fill(twos, 2.0f);
        put(16, last(tiled(raws, raw, twos, scale, scale)));  // 4 * 128 + 2
    }
}

TEST(users_kernels, scales_without_c_and_scales_of_zero) {
    if (!on_gfx950()) {
        GTEST_SKIP() << "there are no scales on gfx942";
    }
    const std::vector<float> expected{130, 512, 514, 256, 130,       128, 130, 512, 514,
                                      512, 128, 256, 128, 0x1p-120f, 512, 128, 514};
    const auto check = [&](auto kernel) {
        device_buffer<float> out(scale_forms * 64);
        out.fill_bytes(0xff);
        kernel<<<1, 64>>>(out.data(), 128);
        finish();
        const auto got = out.to_host();
        for (size_t i = 0; i < got.size(); i++) {
            ASSERT_EQ(got[i], expected[i / 64]) << "form " << i / 64 << ", lane " << i % 64;
        }
    };
    check(multiply_scaled<fp8_t, 0x38383838>);
    check(multiply_scaled<fp4_t, 0x22222222>);
    check(multiply_scaled<bf8_t, 0x3c3c3c3c>);
}

// -- tiles that a store converts ------------------------------------------------------------------

// 2 x 4 elements of each lane, as one vector, an array of elements and an array of vectors.
template <class D, class S>
__global__ void store_converted(const S* from, D* to) {
    __shared__ D lds[512];
    const int lane = lane_id();
    const auto tile = make_gmem(from).template load<8>(lane * 8);
    const auto half = [&](int first) {
        return vector_t<S, 4>{tile[first], tile[first + 1], tile[first + 2], tile[first + 3]};
    };
    const auto u =
        make_layout(make_tuple(64_I, 2_I, 4_I), make_tuple(8_I, 4_I, 1_I), make_tuple(lane, _, _));
    const auto o = make_gmem(to);
    o.template store<4>(tile, u);
    o.template store<4>(to_array(tile), u, 512);
    o.template store<4>(array<vector_t<S, 4>, 2>{half(0), half(4)}, u, 1024);
    o.template store_if<4>([](auto i, auto) { return i.value == 1; }, tile, u, 1536);
    auto s = make_smem(lds);
    s.template store<4>(tile, u);
    sync_threads();
    o.template store<4>(s.template load<4>(u), u, 2048);
    // One value is a tile, too.
    const auto one = make_layout(make_tuple(64_I, 1_I), make_tuple(8_I, 1_I), make_tuple(lane, _));
    sync_threads();
    static_for<8>([&](auto i) {
        s.template store<1>(static_cast<S>(tile[7 - i.value]), one + i);
        o.template store<1>(static_cast<S>(tile[7 - i.value]), one + i, 2560);
    });
    sync_threads();
    o.template store<4>(s.template load<4>(u), u, 3072);
}

// `from` and `expected` hold the bits of S and D: the host need not convert between bf16 and others.
template <class D, class S, class BitsD, class BitsS>
void check_converted(const std::vector<BitsS>& from, const std::vector<BitsD>& expected) {
    static_assert(sizeof(D) == sizeof(BitsD) && sizeof(S) == sizeof(BitsS));
    std::vector<BitsS> all(512);
    for (size_t i = 0; i < all.size(); i++) {
        all[i] = from[i % from.size()];
    }
    const device_buffer<BitsS> in(all);
    device_buffer<BitsD> out(3584);
    out.fill_bytes(0);
    store_converted<D, S>
        <<<1, 64>>>(reinterpret_cast<const S*>(in.data()), reinterpret_cast<D*>(out.data()));
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        const bool stored = i / 512 != 3 || i % 8 >= 4;
        const size_t source = i < 2560 ? i % 512 : i % 512 ^ 7;
        ASSERT_EQ(got[i], stored ? expected[source % from.size()] : 0) << "element " << i;
    }
}

TEST(users_kernels, stores_convert_tiles_of_another_arithmetic_type) {
    using bits16 = std::vector<uint16_t>;
    using bits32 = std::vector<uint32_t>;
    using floats = std::vector<float>;
    check_converted<bf16_t, float>(bits32{0x3f808000, 0x3f818000, 0x3f808001, 0xc0200000},
                                   bits16{0x3f80, 0x3f82, 0x3f81, 0xc020});
    check_converted<fp16_t, float>(floats{1, 2049, 2051, -0.5f},
                                   bits16{0x3c00, 0x6800, 0x6802, 0xb800});
    check_converted<float, fp16_t>(bits16{0x3e00, 0xc200}, floats{1.5f, -3});
    check_converted<float, bf16_t>(bits16{0x3fc0, 0xc040}, floats{1.5f, -3});
    check_converted<int, float>(floats{1.75f, -1.75f, 100, 0}, std::vector<int>{1, -1, 100, 0});
    check_converted<float, int>(std::vector<int>{7, -7}, floats{7, -7});
}

// clang joins these stores to wide ones through a scalar offset and has no wait state in front of what
// writes their data next (docs/wait-states.md).
OPUS_D void apart() {
    __builtin_amdgcn_sched_barrier(0);
    asm volatile("s_nop 0");
    __builtin_amdgcn_sched_barrier(0);
}
// 2 x 4 elements of each lane, filled with one.
template <class D, class S>
__global__ void store_filled(D* to, S x) {
    __shared__ D lds[512];
    const int lane = lane_id();
    const auto u =
        make_layout(make_tuple(64_I, 2_I, 4_I), make_tuple(8_I, 4_I, 1_I), make_tuple(lane, _, _));
    const auto o = make_gmem(to);
    o.template store<4>(x, u);
    o.template store<1>(x, u, 512);
    apart();
    store<2>(o, x, u, 1024);
    apart();
    o.template store_if<4>([](auto i, auto) { return i.value == 1; }, x, u, 1536);
    auto s = make_smem(lds);
    s.template store<2>(x, u);
    sync_threads();
    o.template store<4>(s.template load<4>(u), u, 2048);
}

template <class D, class S, class Bits>
void check_filled(S x, Bits expected) {
    static_assert(sizeof(D) == sizeof(Bits));
    device_buffer<Bits> out(2560);
    out.fill_bytes(0);
    store_filled<D, S><<<1, 64>>>(reinterpret_cast<D*>(out.data()), x);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        const bool stored = i / 512 != 3 || i % 8 >= 4;
        ASSERT_EQ(got[i], stored ? expected : 0) << "element " << i;
    }
}

TEST(users_kernels, a_scalar_through_a_layout_fills_the_tile) {
    check_filled<float>(7, 7.0f);
    check_filled<float>(2.5f, 2.5f);
    check_filled<fp16_t, float, uint16_t>(1.5f, 0x3e00);
    check_filled<bf16_t, float, uint16_t>(-1.5f, 0xbfc0);
    check_filled<int>(7u, 7);
}

// 2^32 more than an offset is that offset.
__global__ void use_long_offsets(const int* in, int* out, long_index_t beyond, u64_t row) {
    const auto i = make_gmem(in);
    const auto o = make_gmem(out);
    const long_index_t lane = lane_id();
    const auto one = make_layout(make_tuple(1_I), make_tuple(1_I), make_tuple(_));
    o.store(i.load(lane + beyond), lane);
    o.store(load(i, 0, lane + beyond), 64 + lane);
    o.store<1>(i.load<1>(one, beyond + lane), one, row + static_cast<u64_t>(lane));
    store(o, i._load<1>(4 * (lane + beyond)), 3 * row / 2 + static_cast<u64_t>(lane), beyond);
}

TEST(users_kernels, offsets_of_64_bits_keep_their_low_32) {
    std::vector<int> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 1000);
    const device_buffer<int> in(numbers);
    device_buffer<int> out(256);
    out.fill_bytes(0);
    // OPUS_DEBUG refuses what is cut.
    const long_index_t beyond = OPUS_DEBUG ? 0 : 0x700000000;
    use_long_offsets<<<1, 64>>>(in.data(), out.data(), beyond, 128);
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        EXPECT_EQ(got[i], 1000 + static_cast<int>(i % 64)) << i;
    }
}

// The half of the compiler's matrix instructions.
#if __clang_major__ >= 20 && __clang_major__ < 23
static_assert(is_same_v<fp16_t, __fp16>);
#elif __clang_major__ < 20
static_assert(is_same_v<fp16_t, _Float16>);
#endif

// -- buffer atomics by LLVM's names ---------------------------------------------------------------

// 0: fp32, 1: i32, 2: compare and swap, 3: fp16 in pairs, 4: bf16 in pairs. Each lane has a dword.
template <int kind, class V>
__global__ void update_by_name(V* p, V x, V compare, V* old) {
    const int lane = static_cast<int>(lane_id());
    const auto buffer = make_buffer_rsrc(p, 128 * sizeof(V));
    i32x4_t rsrc;
    __builtin_memcpy(&rsrc, &buffer, sizeof(rsrc));
    V was{};
    if constexpr (kind == 0) {
        was = llvm_amdgcn_raw_buffer_atomic_fadd_f32(x, rsrc, lane * 4, 256, 0);
    } else if constexpr (kind == 1) {
        was = llvm_amdgcn_raw_buffer_atomic_add_i32(x, rsrc, lane * 4, 256, 0);
    } else if constexpr (kind == 2) {
        was = llvm_amdgcn_raw_buffer_atomic_cmpswap_i32(x, compare, rsrc, lane * 4, 256, 0);
    } else if constexpr (kind == 3) {
        was = llvm_amdgcn_raw_buffer_atomic_fadd_v2f16(x, rsrc, lane * 4, 256, 0);
    } else {
#if !defined(__gfx942__)
        was = llvm_amdgcn_raw_buffer_atomic_fadd_v2bf16(x, rsrc, lane * 4, 256, 0);
#endif
    }
    old[lane] = was;
}

// Dwords `before` at 64 .. 127 become `after`; those in front stay.
template <int kind, class V>
void check_update_by_name(uint32_t before, V x, V compare, uint32_t after) {
    device_buffer<uint32_t> dwords(std::vector<uint32_t>(128, before));
    device_buffer<uint32_t> old(64);
    update_by_name<kind><<<1, 64>>>(reinterpret_cast<V*>(dwords.data()), x, compare,
                                    reinterpret_cast<V*>(old.data()));
    finish();
    const auto got = dwords.to_host();
    const auto was = old.to_host();
    for (size_t i = 0; i < 64; i++) {
        EXPECT_EQ(got[i], before) << i;
        EXPECT_EQ(got[64 + i], after) << i;
        EXPECT_EQ(was[i], before) << i;
    }
}

TEST(users_kernels, buffer_atomics_by_the_names_of_llvm) {
    check_update_by_name<0>(0x3f800000, 1.5f, 0.0f, 0x40200000);  // 1 + 1.5 = 2.5
    check_update_by_name<1>(40, -42, 0, 0xfffffffe);
    check_update_by_name<2>(40, 7, 40, 7);
    check_update_by_name<2>(40, 7, 41, 40);
    const fp16x2_t halves{static_cast<fp16_t>(1.0f), static_cast<fp16_t>(-2.0f)};
    check_update_by_name<3>(0x3c004000, halves, halves, 0xbc004200);  // {2, 1} + {1, -2}
    if (on_gfx950()) {  // gfx942 has no such buffer atomic
        const auto x = __builtin_bit_cast(bf16x2_t, 0xc0003f80);
        check_update_by_name<4>(0x3f804000, x, x, 0xbf804040);  // {2, 1} + {1, -2}
    }
}

// -- registers and instructions by other means than opus -------------------------------------------

// Accumulators that a kernel keeps in AGPRs: by an attribute that compilers may not know, and by asm
// statements for a vtype_c and for each of an array. A and B are ones: K and its multiples.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"
#pragma clang diagnostic ignored "-Wattributes"
__global__ void keep_in_agprs(float* out) {
    using mma = mfma_f32_16x16x16_f16;
    typename mma::vtype_a a;
    typename mma::vtype_b b;
    fill(a, fp16_t(1));
    fill(b, fp16_t(1));
    [[clang::amdgpu_pin_agpr]] typename mma::vtype_c pinned{};
    typename mma::vtype_c single{};
    array<typename mma::vtype_c, 2> several;
    clear(several);
    for (int i = 0; i < 3; i++) {
        pinned = mma{}(a, b, pinned);
        single = mma{}(a, b, single);
        asm volatile("" : "+a"(single));
        for (int j = 0; j < 2; j++) {
            several[j] = mma{}(a, b, several[j]);
            asm volatile("" : "+a"(several[j]));
        }
    }
    const int lane = lane_id();
    store<4>(make_gmem(out), pinned, lane * 4);
    store<4>(make_gmem(out), single, 256 + lane * 4);
    store<4>(make_gmem(out), several[0], 512 + lane * 4);
    store<4>(make_gmem(out), several[1], 768 + lane * 4);
}
#pragma clang diagnostic pop

TEST(users_kernels, accumulators_that_asm_keeps_in_agprs) {
    device_buffer<float> out(1024);
    out.fill_bytes(0xff);
    keep_in_agprs<<<1, 64>>>(out.data());
    finish();
    EXPECT_EQ(out.to_host(), std::vector<float>(1024, 48));
}

// Bytes by _load and _store, the rsrc for a builtin, and LDS that is filled through a 64-bit address:
// the data lie `far` elements behind `in`, which is more than 4 GiB.
__global__ void use_what_opus_holds(const int* in, long far, int* out) {
    __shared__ int lds[64];
    const int lane = lane_id();
    const auto g = make_gmem(in + far, 256 * sizeof(int));
    const auto to = make_gmem(out, 256 * sizeof(int));
    to._store(g._load(lane * 4), lane * 4);
    const unsigned word = __builtin_amdgcn_raw_buffer_load_b32(g.cached_rsrc, lane * 4, 256, 0);
    to._store<1>(static_cast<int>(word), 256 + lane * 4);
    const auto s = make_smem(lds);
    __builtin_amdgcn_global_load_lds(
        (__attribute__((address_space(1))) void*)const_cast<int*>(in + (far + 128 + lane)),
        (__attribute__((address_space(3))) void*)s.ptr, 4, 0, 0);
    s_waitcnt_vmcnt(0_I);
    to.store(s.load(lane), 128 + lane);
    auto read = s.load(lane)[0];
#if defined(__gfx950__)
    // The compiler's builtin with the pointer of a handle, against tr_load. All lanes read in LDS what
    // the first sixteen hold.
    using pointer = __attribute__((address_space(3))) i32x2_t*;
    const i32x2_t columns =
        __builtin_amdgcn_ds_read_tr8_b64_v2i32((pointer)(s.ptr + lane % 16 * 8));
    const auto codes = make_smem(reinterpret_cast<u8_t*>(lds)).tr_load(lane % 16 * 8, auto_wait{});
    const auto same = __builtin_bit_cast(i32x2_t, codes);
    read = columns[0] == same[0] && columns[1] == same[1] ? read : -1;
#endif
    to.store(read, 192 + lane);
}

TEST(users_kernels, handles_give_what_builtins_take) {
    std::vector<int> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 1000);
    const device_buffer<int> in(numbers);
    device_buffer<int> out(256);
    out.fill_bytes(0xff);
    const long far = 0x50000000;
    use_what_opus_holds<<<1, 64>>>(in.data() - far, far, out.data());
    finish();
    const auto got = out.to_host();
    for (int i = 0; i < 256; i++) {
        EXPECT_EQ(got[static_cast<size_t>(i)], i < 192 ? 1000 + i : 1000 + i - 64) << i;
    }
}

// -- facts of the device --------------------------------------------------------------------------

__global__ void note_facts(float* out, u32_t* counters, mdiv by) {
    out[0] = finfo<bf8_t>::eps;
    out[1] = finfo<fp8_t>::eps;
    out[2] = fp32_to_bf16_rtn_raw(__builtin_bit_cast(float, 0x3f818000));
    out[3] = bf16_to_fp32(fp32_to_bf16_rtn_asm(__builtin_bit_cast(float, 0x3f818000)));
    out[4] = static_cast<float>(by.div(1000));
    out[5] = static_cast<float>(by.divisor * 100 + by.shift);
    const workgroup_barrier done(counters);  // or {counters}
    done.inc();
    out[6] = done.base_ptr == counters && done.ld() == 1;
}

TEST(users_kernels, facts_of_the_device) {
    device_buffer<float> out(7);
    device_buffer<u32_t> counters(1);
    counters.fill_bytes(0);
    note_facts<<<1, 1>>>(out.data(), counters.data(), mdiv(7));
    finish();
    EXPECT_EQ(out.to_host(), (std::vector<float>{on_gfx950() ? 0.25f : 0.125f, 0.125f, 0x3f82,
                                                 1.015625f, 142, 703, 1}));
}

// -- launches -------------------------------------------------------------------------------------

struct __align__(32) aligned_words {
    int x;
};
static_assert(sizeof(aligned_words) == 32 && alignof(aligned_words) == 32);

__device__ __noinline__ int called_apart(int x) {
    return x * 3;
}
__device__ __forceinline__ int called_in_place(int x) {
    return x + 1;
}
template <int factor, int added>
__global__ __launch_bounds__(64, 2) void scale_all(int* out, int last) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < last) {
        out[i] = called_in_place(called_apart(i)) * factor + added;
    }
}
__global__ __launch_bounds__(64) void add_one(int* out) {
    out[threadIdx.x] += 1;
}

TEST(users_kernels, hipLaunchKernelGGL_launches) {
    device_buffer<int> out(128);
    out.fill_bytes(0);
    hipLaunchKernelGGL((scale_all<10, 5>), dim3(2), dim3(64), 0, nullptr, out.data(), 100);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(add_one), 1, 64, 0, nullptr, out.data());
    finish();
    const auto got = out.to_host();
    for (int i = 0; i < 128; i++) {
        const int scaled = i < 100 ? (i * 3 + 1) * 10 + 5 : 0;
        EXPECT_EQ(got[static_cast<size_t>(i)], scaled + (i < 64 ? 1 : 0));
    }
}

// -- functions of the user's own ------------------------------------------------------------------

__global__ void call_own_functions(float* out) {
    *out++ = abs(fp32x2_t{-8, -8})[0];  // (of a float, <cstdlib> has one that is no template)
    *out++ = exp2(8.0f);
    *out++ = log2(8.0f);
    *out++ = rsqrt(4.0f);
    *out++ = rcp(8.0f);
    *out++ = fma(2.0f, 3.0f, 4.0f);
    *out++ = reduce(8.0f, plus{});
}

TEST(users_kernels, own_templates_of_the_same_name_are_preferred) {
    const float expected[] = {-7, 10, 11, 8, 13, 9, 14};
    device_buffer<float> out(7);
    call_own_functions<<<1, 1>>>(out.data());
    finish();
    const auto got = out.to_host();
    for (size_t i = 0; i < 7; i++) {
        EXPECT_EQ(got[i], expected[i]) << i;
    }
}

// -- functions that are not inline ----------------------------------------------------------------

}  // namespace

// If the second declarations were inline, they would need definitions of their own.
#pragma clang diagnostic error "-Wundefined-inline"
extern "C" OPUS_H_D_EXTERN int opus_users_of_both(int x) {
    return x + 1;
}
extern "C" OPUS_D_EXTERN int opus_users_of_kernels(int x) {
    return x + 2;
}
OPUS_H_D_EXTERN int of_both(int x) __asm__("opus_users_of_both");
OPUS_D_EXTERN int of_kernels(int x) __asm__("opus_users_of_kernels");

namespace {

__global__ void call_by_symbol(int* out) {
    out[0] = of_both(10);
    out[1] = of_kernels(10);
}

TEST(users_kernels, declare_functions_that_are_not_inline) {
    device_buffer<int> out(2);
    call_by_symbol<<<1, 1>>>(out.data());
    finish();
    EXPECT_EQ(out.to_host(), (std::vector<int>{11, 12}));
    EXPECT_EQ(of_both(20), 21);
}

}  // namespace
