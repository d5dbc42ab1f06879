// Random kernels made of the header's calls: generated<Seed, Careful> is a sequence of steps, each of
// which a hash of the seed and of the step's number chooses when it is compiled.
//
// A step reads and writes values in registers (`state`), LDS and memory. It never drops a value: what
// it makes is folded into the state, and the kernel stores all of it. (A transposed read whose result
// nobody uses is undefined.) The words of `bits` are finite in every format that a matrix instruction
// may take them for: see tame().
//
// With Careful, wait states and waits for everything follow each step. Both forms must store the
// same bits.
#pragma once

#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

// 1: settle() wherever docs/wait-states.md asks for it. 0: nowhere, to see what the compiler leaves out.
#ifndef OPUS_GENERATED_SETTLE
#define OPUS_GENERATED_SETTLE 1
#endif
// 1: every transposed read leaves its wait to the compiler, as -O1 needs.
#ifndef OPUS_GENERATED_AUTO_WAIT
#define OPUS_GENERATED_AUTO_WAIT 0
#endif
// Bit i: the kernel's i-th step is there. To reduce what was found.
#ifndef OPUS_GENERATED_STEPS
#define OPUS_GENERATED_STEPS 0xffffffffu
#endif

namespace generated_impl {

using namespace opus;
using opus::operator""_I;

#if defined(__gfx950__)
constexpr bool on_gfx950 = true;
#else
constexpr bool on_gfx950 = false;
#endif

constexpr int threads = 128;  // two waves
constexpr int steps_of_kernel = 20;
constexpr int slot_bytes = threads * 16;  // what a step may store
constexpr int slots = steps_of_kernel * 16;
constexpr int final_words = 128;  // of a thread's state at the end
constexpr int out_words = slots * slot_bytes / 4 + threads * final_words;
constexpr int counter_words = threads * 4;
constexpr int in_words = 16384;
constexpr int wave_words = 1024;  // of LDS that a wave keeps tame words in

// A step's scope: who must be there.
enum scope { some_lanes, whole_wave, whole_group };

constexpr unsigned mix(unsigned a, unsigned b) {
    unsigned x = a * 0x9e3779b9u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x = (x ^ x >> 15) * 0x735a2d97u;
    return x ^ x >> 15;
}
// A choice of 0 .. n - 1 from a step's hash.
constexpr int pick(unsigned hash, unsigned which, int n) {
    return static_cast<int>(mix(hash, which) % static_cast<unsigned>(n));
}

template <bool First, class A, class B>
struct choose {
    using type = A;
};
template <class A, class B>
struct choose<false, A, B> {
    using type = B;
};
template <bool First, class A, class B>
using choose_t = typename choose<First, A, B>::type;

struct state {
    u32x4_t bits[4];  // tame
    fp32x4_t c4[3];   // accumulators
    fp32x16_t c16;
    i32x4_t i4;
    i32x16_t i16;
    fp64x4_t d4;
    double d1;
    u32_t uniform;  // the same for the wave
};

struct environment {
    const u32_t* in;
    u32_t* out;
    u32_t* counters;
    u32_t* lds;    // wave_words for this wave
    u32_t* own;    // 4 words of LDS for each thread of the group
    u32_t* tally;  // a word of LDS for each thread
    int thread;
    int lane;
    int wave;        // in a scalar register
    int three, one;  // those numbers, not known when compiled
};

// Bytes 0x04 .. 0x3f and 0x84 .. 0xbf: numbers of at most 2 in fp8, bf8, fp16, bf16, fp32 and fp64.
template <class T>
OPUS_D T tame(T x) {
    return (x & 0xbbbbbbbbu) | 0x04040404u;
}
// A number as a word.
OPUS_D u32_t word_of(float x) {
    return tame(__builtin_bit_cast(u32_t, x));
}
// A tame word as a number.
OPUS_D float number_of(u32_t x) {
    return __builtin_bit_cast(float, x);
}

OPUS_D void settle_all(state& s) {
    settle(s.c4[0], s.c4[1], s.c4[2], s.c16, s.i4, s.i16, s.d4);
    fp64x1_t d{s.d1};
    settle(d);
    s.d1 = d[0];
}

// settle() if paths meet.
template <bool Meets>
OPUS_D void meet(state& s) {
    if constexpr (OPUS_GENERATED_SETTLE != 0 && Meets) {
        settle_all(s);
    }
}

// == operands ====================================================================================
// A value of type V from words of `bits`, often a whole register tuple of them.
template <unsigned Hash, class V>
OPUS_D V operand(const state& s) {
    constexpr int words = static_cast<int>(sizeof(V) + 3) / 4;
    constexpr int first = pick(Hash, 0, 4) == 0 ? pick(Hash, 1, 16) : pick(Hash, 1, 4) * 4;
    struct all {
        u32_t word[words];
    } w;
    for (int i = 0; i < words; ++i) {
        const int at = (first + i) % 16;
        w.word[i] = s.bits[at / 4][at % 4];
    }
    if constexpr (sizeof(V) < 4) {
        return __builtin_bit_cast(V, static_cast<u16_t>(w.word[0]));
    } else {
        return __builtin_bit_cast(V, w);
    }
}

template <unsigned Hash, class C>
OPUS_D C sum_of(const state& s) {
    constexpr index_t n = size<C>();
    using T = get_value_t<C>;
    if constexpr (is_same_v<T, fp64_t>) {
        if constexpr (n == 1) {
            return C{s.d1};
        } else {
            return s.d4;
        }
    } else if constexpr (is_same_v<T, i32_t>) {
        if constexpr (n == 4) {
            return s.i4;
        } else if constexpr (n == 16) {
            return s.i16;
        } else {
            return concat_vector(s.i16, s.i16);
        }
    } else if constexpr (n == 4) {
        return s.c4[pick(Hash, 2, 3)];
    } else if constexpr (n == 8) {
        return concat_vector(s.c4[0], s.c4[2]);
    } else if constexpr (n == 16) {
        return s.c16;
    } else {
        return concat_vector(s.c16, s.c16);
    }
}
template <unsigned Hash, class C>
OPUS_D void keep_sum(state& s, const C& c) {
    constexpr index_t n = size<C>();
    using T = get_value_t<C>;
    if constexpr (is_same_v<T, fp64_t>) {
        if constexpr (n == 1) {
            s.d1 = c[0];
        } else {
            s.d4 = c;
        }
    } else if constexpr (is_same_v<T, i32_t>) {
        if constexpr (n == 4) {
            s.i4 = c;
        } else if constexpr (n == 16) {
            s.i16 = c;
        } else {
            s.i16 = slice(c, 0_I, 16_I) + slice(c, 16_I, 32_I);
        }
    } else if constexpr (n == 4) {
        s.c4[pick(Hash, 2, 3)] = c;
    } else if constexpr (n == 8) {
        s.c4[0] = slice(c, 0_I, 4_I);
        s.c4[2] = slice(c, 4_I, 8_I);
    } else if constexpr (n == 16) {
        s.c16 = c;
    } else {
        s.c16 = slice(c, 0_I, 16_I) + slice(c, 16_I, 32_I);
    }
}

// == matrix instructions =========================================================================
template <class... M>
struct list {
    static constexpr int count = (static_cast<int>(M::available) + ... + 0);
};
template <int I, class First, class... Rest>
constexpr auto available_of(list<First, Rest...>) {
    if constexpr (!First::available) {
        return available_of<I>(list<Rest...>{});
    } else if constexpr (I == 0) {
        return First{};
    } else {
        return available_of<I - 1>(list<Rest...>{});
    }
}

using all_mfma =
    list<mfma_f64_16x16x4_f64, mfma_f64_4x4x4_4b_f64, mfma_f32_32x32x2_f32, mfma_f32_16x16x4_f32,
         mfma_f32_32x32x1_2b_f32, mfma_f32_16x16x1_4b_f32, mfma_f32_4x4x1_16b_f32,
         mfma_f32_32x32x4_xf32, mfma_f32_16x16x8_xf32, mfma_f32_32x32x8_f16, mfma_f32_32x32x8_bf16,
         mfma_f32_16x16x16_f16, mfma_f32_16x16x16_bf16, mfma_f32_32x32x16_f16,
         mfma_f32_32x32x16_bf16, mfma_f32_16x16x32_f16, mfma_f32_16x16x32_bf16,
         mfma_f32_32x32x4_2b_f16, mfma_f32_16x16x4_4b_bf16, mfma_f32_4x4x4_16b_f16,
         mfma_i32_32x32x16_i8, mfma_i32_16x16x32_i8, mfma_i32_32x32x32_i8, mfma_i32_16x16x64_i8,
         mfma_i32_32x32x4_2b_i8, mfma_i32_16x16x4_4b_i8, mfma_i32_4x4x4_16b_i8,
         mfma_f32_32x32x16_fp8_fp8, mfma_f32_32x32x16_bf8_fp8, mfma_f32_16x16x32_fp8_bf8,
         mfma_f32_16x16x32_bf8_bf8, mfma_f32_16x16x128_f8f6f4<fp8_t, fp8_t>,
         mfma_f32_16x16x128_f8f6f4<fp6_t, fp4_t>, mfma_f32_16x16x128_f8f6f4<bf8_t, bf6_t>,
         mfma_f32_16x16x128_f8f6f4<fp4_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<fp8_t, fp4_t>,
         mfma_f32_32x32x64_f8f6f4<fp4_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<bf6_t, fp6_t>,
         mfma<fp16_t, fp16_t, fp32_t, 16, 16, 64>, mfma<bf16_t, bf16_t, fp32_t, 32, 32, 32>>;
using scaled_mfma =
    list<mfma_f32_16x16x128_f8f6f4<fp8_t, fp8_t>, mfma_f32_16x16x128_f8f6f4<fp6_t, fp4_t>,
         mfma_f32_16x16x128_f8f6f4<fp4_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<bf8_t, fp6_t>,
         mfma_f32_32x32x64_f8f6f4<fp4_t, fp4_t>>;
// The last of 20 wait states behind 16 passes is what clang 22 leaves out.
template <class M>
constexpr bool is_long_v = M::row::passes_on_gfx950 == 16 || M::row::passes_on_gfx942 == 16;

template <class M, class C>
OPUS_D void settle_if_long(C& c) {
    if constexpr (OPUS_GENERATED_SETTLE != 0 && is_long_v<M>) {
        settle(c);
    }
}
// In front of a product that adds to what another kind may have written.
template <class C>
OPUS_D void settle_kinds(C& c) {
    if constexpr (OPUS_GENERATED_SETTLE != 0) {
        settle(c);
    }
}

// Own: the kind is the one that alone adds to its accumulators in this kernel.
template <unsigned Hash, class M, bool Own = false>
OPUS_D void run_of_products(state& s) {
    const M mma;
    using vtype_a = typename M::vtype_a;
    using vtype_b = typename M::vtype_b;
    using vtype_c = typename M::vtype_c;
    constexpr int form = pick(Hash, 3, 4);
    if constexpr (form == 0) {  // a product of its own, read at once
        vtype_c d = mma(operand<mix(Hash, 4), vtype_a>(s), operand<mix(Hash, 5), vtype_b>(s));
        settle_if_long<M>(d);
        keep_sum<Hash>(s, static_cast<vtype_c>(sum_of<Hash, vtype_c>(s) + d));
        return;
    }
    vtype_c c = sum_of<Hash, vtype_c>(s);
    if constexpr (!Own) {
        settle_kinds(c);
    }
    static_for<1 + pick(Hash, 6, 4)>([&](auto i) {
        constexpr unsigned h = mix(Hash, 7 + decltype(i)::value);
        const vtype_a a = operand<mix(h, 0), vtype_a>(s);
        const vtype_b b = operand<mix(h, 1), vtype_b>(s);
        if constexpr (form == 1 && M::blocks > 1 && !is_same_v<typename M::dtype_c, fp64_t>) {
            constexpr int cbsz = pick(h, 2, M::blocks == 2 ? 2 : M::blocks == 4 ? 3 : 5);
            c = mma(a, b, c, number<cbsz>{}, number<pick(h, 3, 1 << cbsz)>{},
                    number<pick(h, 4, 8)>{});
        } else {
            c = mma(a, b, c);
        }
    });
    if constexpr (!Own) {
        settle_kinds(c);  // the next one is of the accumulator's own kind
    } else {
        settle_if_long<M>(c);
    }
    keep_sum<Hash>(s, c);
}

// In every kernel each accumulator has a kind of its own, whose products need no settle() between them.
using own_4 = list<mfma_f32_16x16x16_f16, mfma_f32_16x16x32_bf16, mfma_f32_16x16x32_f16,
                   mfma_f32_16x16x16_bf16, mfma_f32_16x16x4_f32, mfma_f32_4x4x4_16b_f16,
                   mfma_f32_16x16x32_fp8_fp8, mfma_f32_16x16x128_f8f6f4<fp4_t, fp4_t>,
                   mfma_f32_16x16x128_f8f6f4<fp8_t, bf6_t>, mfma_f32_4x4x1_16b_f32>;
using own_16 = list<mfma_f32_32x32x8_f16, mfma_f32_32x32x16_bf16, mfma_f32_32x32x2_f32,
                    mfma_f32_16x16x4_4b_bf16, mfma_f32_32x32x16_fp8_fp8,
                    mfma_f32_32x32x64_f8f6f4<fp4_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<fp6_t, fp4_t>,
                    mfma_f32_16x16x1_4b_f32>;
using own_i4 = list<mfma_i32_16x16x32_i8, mfma_i32_16x16x64_i8, mfma_i32_4x4x4_16b_i8>;
using own_i16 = list<mfma_i32_32x32x16_i8, mfma_i32_32x32x32_i8, mfma_i32_16x16x4_4b_i8>;
template <unsigned Kernel, unsigned Hash>
OPUS_D void own_products(state& s) {
    constexpr int which = pick(Hash, 0, 10);
    constexpr unsigned h = mix(Hash, 1);
    if constexpr (which < 5) {
        // The one of three accumulators that keep_sum() picks.
        constexpr unsigned k = mix(Kernel, 20u + static_cast<unsigned>(pick(h, 2, 3)));
        run_of_products<h, decltype(available_of<pick(k, 0, own_4::count)>(own_4{})), true>(s);
    } else if constexpr (which < 7) {
        constexpr int k = pick(Kernel, 30, own_16::count);
        run_of_products<h, decltype(available_of<k>(own_16{})), true>(s);
    } else if constexpr (which < 8) {
        constexpr int k = pick(Kernel, 31, own_i4::count);
        run_of_products<h, decltype(available_of<k>(own_i4{})), true>(s);
    } else if constexpr (which < 9) {
        constexpr int k = pick(Kernel, 32, own_i16::count);
        run_of_products<h, decltype(available_of<k>(own_i16{})), true>(s);
    } else {
        run_of_products<
            h, choose_t<pick(Hash, 2, 2) == 0, mfma_f64_16x16x4_f64, mfma_f64_4x4x4_4b_f64>, true>(
            s);
    }
}

template <unsigned Kernel, unsigned Hash>
OPUS_D void products(state& s) {
    if constexpr (pick(Hash, 0, 4) != 0) {
        own_products<Kernel, mix(Hash, 1)>(s);
    } else {
        using M = decltype(available_of<pick(Hash, 2, all_mfma::count)>(all_mfma{}));
        run_of_products<mix(Hash, 1), M>(s);
    }
}

using narrow_mfma =
    list<mfma_f32_16x16x16_f16, mfma_f32_16x16x32_bf16, mfma_f32_16x16x4_f32,
         mfma_f32_4x4x4_16b_f16, mfma_f32_16x16x32_fp8_fp8, mfma_f32_16x16x8_xf32,
         mfma_f32_16x16x128_f8f6f4<fp8_t, fp4_t>, mfma_f32_16x16x128_f8f6f4<fp4_t, fp4_t>>;
using wide_mfma =
    list<mfma_f32_32x32x8_f16, mfma_f32_32x32x16_bf16, mfma_f32_32x32x2_f32,
         mfma_f32_16x16x4_4b_bf16, mfma_f32_32x32x16_fp8_fp8, mfma_f32_32x32x4_xf32,
         mfma_f32_32x32x64_f8f6f4<fp8_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<fp4_t, fp4_t>>;

// Products of several kinds, one after the other, with one accumulator.
template <unsigned Hash, class List>
OPUS_D void products_of_kinds(state& s) {
    static_for<2 + pick(Hash, 1, 2)>([&](auto i) {
        constexpr unsigned h = mix(Hash, 2 + decltype(i)::value);
        using M = decltype(available_of<pick(h, 0, List::count)>(List{}));
        auto c = sum_of<Hash, typename M::vtype_c>(s);
        settle_kinds(c);
        c = M{}(operand<mix(h, 1), typename M::vtype_a>(s),
                operand<mix(h, 2), typename M::vtype_b>(s), c);
        settle_kinds(c);
        keep_sum<Hash>(s, c);
    });
}

// Scales of about 1 in each byte.
template <unsigned Hash>
OPUS_D int scale_of(const state& s) {
    constexpr int form = pick(Hash, 0, 4);
    if constexpr (form == 0) {
        return 126 + pick(Hash, 1, 3);
    } else {
        return static_cast<int>((s.bits[pick(Hash, 2, 4)][pick(Hash, 3, 4)] & 0x03030303) +
                                0x7e7e7e7e);
    }
}

template <unsigned Hash>
OPUS_D void scaled_products(state& s) {
    using M = decltype(available_of<pick(Hash, 0, scaled_mfma::count)>(scaled_mfma{}));
    if constexpr (!M::has_scales) {  // gfx942: in steps
        run_of_products<mix(Hash, 1), M>(s);
    } else {
        using vtype_c = typename M::vtype_c;
        constexpr bool alone = pick(Hash, 4, 2) == 0;  // sum of its own, added at once
        vtype_c c{};
        if constexpr (!alone) {
            c = sum_of<Hash, vtype_c>(s);
            settle_kinds(c);
        }
        static_for<1 + pick(Hash, 3, 3)>([&](auto i) {
            constexpr unsigned h = mix(Hash, 7 + decltype(i)::value);
            c = M{}(operand<mix(h, 0), typename M::vtype_a>(s),
                    operand<mix(h, 1), typename M::vtype_b>(s), c, scale_of<mix(h, 2)>(s),
                    scale_of<mix(h, 3)>(s), number<pick(h, 4, 4)>{}, number<pick(h, 5, 4)>{});
        });
        if constexpr (alone) {
            settle_if_long<M>(c);
            keep_sum<Hash>(s, static_cast<vtype_c>(sum_of<Hash, vtype_c>(s) + c));
        } else {
            settle_kinds(c);
            keep_sum<Hash>(s, c);
        }
    }
}

template <unsigned Hash>
OPUS_D void tiled_products(state& s) {
    constexpr int form = pick(Hash, 0, 3);
    using T = choose_t<pick(Hash, 1, 2) == 0, fp16_t, bf16_t>;
    using K = choose_t<pick(Hash, 2, 2) == 0, seq<16, 16, 16>, seq<16, 16, 32>>;
    constexpr auto mma = make_tiled_mma<T, T, fp32_t>(seq<2, 1, 1>{}, seq<2, 1, 1>{}, K{});
    using mma_t = remove_cvref_t<decltype(mma)>;
    const auto a = operand<mix(Hash, 3), typename mma_t::vtype_a>(s);
    const auto b = operand<mix(Hash, 4), typename mma_t::vtype_b>(s);
    auto c = sum_of<Hash, typename mma_t::vtype_c>(s);
    settle_kinds(c);
    if constexpr (form == 0) {
        c = mma.step_k(0_I, a, b, c);
    } else {
        c = mma(a, b, c);
    }
    if constexpr (form == 1) {
        c = mma(a, b, c);
    }
    settle_kinds(c);
    keep_sum<Hash>(s, c);
}

// == LDS =========================================================================================
// A product whose B is read by columns. Of 16 bytes and 8 bits gfx942 has the reads, too.
template <unsigned Kernel, unsigned Hash, class T, class C, int M, int K, int Row>
OPUS_D void transposed_product(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 8);
    constexpr auto mma = make_mfma<T, T, C>(number<M>{}, number<M>{}, number<K>{});
    using mma_t = remove_cvref_t<decltype(mma)>;
    const auto lds = make_smem(reinterpret_cast<T*>(e.lds));
    const auto u = partition_layout_b_tr(mma, make_tuple(1_I, number<Row>{}), e.lane);
    const auto a = operand<mix(Hash, 1), typename mma_t::vtype_a>(s);
    // A product of its own needs no settle() in front of it, which would keep what the reads may
    // collide with away from them.
    const auto add = [&](const auto& b) {
        auto c = mma(a, b);
        settle_if_long<typename mma_t::instruction>(c);
        keep_sum<Hash>(s, sum_of<Hash, typename mma_t::vtype_c>(s) + c);
    };
    if constexpr (form < 3) {
        own_products<Kernel, mix(Hash, 3)>(s);
        own_products<Kernel, mix(Hash, 4)>(s);
    }
    const auto read = [&](const auto& from) {
        if constexpr (form == 3 || OPUS_GENERATED_AUTO_WAIT != 0) {
            return tr_load<mma_t::pack_b_tr>(lds, from, auto_wait{});
        } else if constexpr (form == 4) {
            return tr_load<mma_t::pack_b_tr>(lds, from, no_dma_wait{});
        } else {
            return tr_load<mma_t::pack_b_tr>(lds, from);
        }
    };
    if constexpr (form == 3 || form == 4) {
        add(read(u));
    } else if constexpr (form == 5) {
        const int lanes = 16 * e.three;
        add(tr_load_if<mma_t::pack_b_tr>(lds, [&](auto...) { return e.lane < lanes; }, u));
    } else if constexpr (form == 0 || form == 6) {  // products between the reads and their wait
        const auto b = read(u);
        own_products<Kernel, mix(Hash, 5)>(s);
        s_waitcnt_lgkmcnt(0_I);
        add(b);
    } else if constexpr (form == 7) {  // two of them
        const auto b0 = read(u);
        const auto b1 = read(u + number<16>{});
        s_waitcnt_lgkmcnt(0_I);
        add(b0);
        add(b1);
    } else {
        const auto b = read(u);
        s_waitcnt_lgkmcnt(0_I);
        add(b);
    }
}

template <unsigned Kernel, unsigned Hash>
OPUS_D void transposed_reads(state& s, const environment& e) {
    constexpr int kind = pick(Hash, 0, on_gfx950 ? 7 : 5);
    constexpr unsigned h = mix(Hash, 1);
    if constexpr (kind == 0) {
        transposed_product<Kernel, h, fp16_t, fp32_t, 16, 32, 24>(s, e);
    } else if constexpr (kind == 1) {
        transposed_product<Kernel, h, bf16_t, fp32_t, 32, 16, 32>(s, e);
    } else if constexpr (kind == 2) {
        transposed_product<Kernel, h, i8_t, i32_t, 16, 64, 24>(s, e);
    } else if constexpr (kind == 3) {
        transposed_product<Kernel, h, fp8_t, fp32_t, 16, 128, 16>(s, e);
    } else if constexpr (kind == 4) {  // a read as such; nothing overwrites a word of i4
        const auto lds = make_smem(reinterpret_cast<u16_t*>(e.lds));
        const int at = (e.lane + pick(h, 1, 4) * 64) * 4;
        const auto read = [&](auto... by) {
            const auto x = tr_load<4>(lds, at, by...);
            const auto y = tr_load<4>(lds, at + 256, by...);
            s_waitcnt_lgkmcnt(0_I);
            s.i4 = (s.i4 << 1) ^ __builtin_bit_cast(i32x4_t, concat_vector(x, y));
        };
        if constexpr (OPUS_GENERATED_AUTO_WAIT != 0 || pick(h, 2, 3) == 0) {
            read(auto_wait{});
        } else {
            read();
        }
    } else if constexpr (kind == 5) {
        transposed_product<Kernel, h, fp4_t, fp32_t, 16, 128, 32>(s, e);
    } else {
        transposed_product<Kernel, h, fp6_t, fp32_t, 16, 128, 16>(s, e);
    }
}

// Global memory to LDS, and from there.
template <unsigned Hash>
OPUS_D void loads_to_lds(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 4);
    constexpr int k = pick(Hash, 1, 4);
    const auto g = make_gmem(e.in, static_cast<unsigned>(in_words * 4));
    const auto lds = make_smem(e.lds);
    s_waitcnt_lgkmcnt(0_I);  // what this wave reads and writes in LDS is done
    if constexpr (form == 0) {
        static_for<4>([&](auto i) {
            async_load<1>(g, e.lds + i.value * 64, e.lane,
                          e.one * (i.value + 1) * 512 + e.wave * 64);
        });
        static_for<4>([&](auto i) {
            wait_async(number<3 - decltype(i)::value>{});
            s.bits[k][i.value] ^= lds.template load<1>(i.value * 64 + (e.lane ^ 1))[0];
            s.bits[k][i.value] = tame(s.bits[k][i.value]);
        });
    } else if constexpr (form == 1 && on_gfx950) {
        constexpr index_t width = on_gfx950 ? 4 : 1;  // for gfx942 it must compile
        async_load<width>(g, e.lds, e.lane * 4, e.one * 2048);
        async_load<width>(g, e.lds, e.lane * 4, e.one * 4096, 1024_I);
        wait_async(1_I);
        s.bits[k] = lds.template load<4>((63 - e.lane) * 4);
        wait_async(0_I);
        s.bits[k] = tame(s.bits[k] + lds.template load<4>(256 + e.lane * 4));
    } else if constexpr (form == 2) {
        const auto from = make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(e.one * 640, 1_I, 1_I),
                                      make_tuple(_, e.lane, _));
        const auto to = make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                    make_tuple(_, e.lane, _));
        async_load_if<1>(
            g, [&](auto i, auto) { return i * 64 + e.lane < e.three * 50; }, e.lds, from, to);
        wait_async(0_I);
        s.bits[k] ^= lds.template load<4>(e.lane * 4);
        s.bits[k] = tame(s.bits[k]);
    } else {
        async_load<1>(g, e.lds + 128, e.lane * 3, e.one * 100, number<pick(Hash, 2, 4) * 256>{});
        const float x = number_of(s.bits[k][0]);
        s.c4[0] = opus::fma(s.c4[0], fp32x4_t{x, x, x, x}, s.c4[1]);
        wait_async(0_I);
        s.bits[k][1] = lds.template load<1>(128 + pick(Hash, 2, 4) * 64 + e.lane)[0];
    }
}

// A value goes through this thread's own words of LDS.
template <unsigned Hash>
OPUS_D void through_lds(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 6);
    constexpr int k = pick(Hash, 1, 4);
    if constexpr (form == 0) {
        const auto m = make_smem(reinterpret_cast<fp32_t*>(e.own));
        store<4>(m, s.c4[pick(Hash, 2, 3)], 0);
        s.c4[pick(Hash, 2, 3)] *= 0.5f;
        s.c4[pick(Hash, 3, 3)] += load<4>(m, 0);
    } else if constexpr (form == 1) {
        const auto m = make_smem(reinterpret_cast<u8_t*>(e.own));
        m.store(static_cast<u8_t>(s.bits[k][0]), pick(Hash, 2, 16));
        s.bits[k][0] = tame(s.bits[k][0] * 5u);
        s.bits[k][1] = tame(s.bits[k][1] + load<1>(m, pick(Hash, 2, 16))[0]);
    } else if constexpr (form == 2) {
        const auto m = make_smem(reinterpret_cast<u16_t*>(e.own));
        store<2>(m,
                 u16x2_t{static_cast<u16_t>(s.bits[k][0]), static_cast<u16_t>(s.bits[k][2] >> 16)},
                 2);
        s.bits[k][2] = tame(s.bits[k][2] * 3u);
        const auto x = load<2>(m, 2);
        s.bits[k][3] = tame(s.bits[k][3] ^ (x[0] | static_cast<u32_t>(x[1]) << 16));
    } else if constexpr (form == 3) {
        const auto m = make_smem(e.own);
        store<2>(m, u32x2_t{s.bits[k][1], s.bits[k][3]}, 0);
        s.bits[k][1] = tame(s.bits[k][1] + 12345u);
        store<2>(m, u32x2_t{s.bits[k][0], s.bits[k][2]}, 2);
        s.bits[k] = load<4>(m, 0);
    } else if constexpr (form == 4) {
        const auto m = make_smem(e.own);
        store<3>(m, slice(s.bits[k], 0_I, 3_I), 0);
        s.bits[k] = tame(s.bits[k] * 7u);
        const auto x = load<3>(m, 0);
        s.bits[k][0] = tame(s.bits[k][0] ^ x[2] ^ x[1] ^ x[0]);
    } else {
        const auto m = make_smem(reinterpret_cast<i32_t*>(e.own));
        store<4>(m, s.i4, 0);
        s.i4 = s.i4 * 3 + load<4>(m, 0);
    }
}

// Tame words go to the wave's part of LDS; the lanes of other steps read them.
template <unsigned Hash>
OPUS_D void words_to_lds(state& s, const environment& e) {
    const auto m = make_smem(e.lds);
    constexpr int k = pick(Hash, 0, 4);
    store<4>(m, s.bits[k], e.lane * 4 + pick(Hash, 1, 4) * 256);
    s.bits[k] = tame(s.bits[k] * 3u + 1u);
}

// == memory ======================================================================================
// The elements T of a register of operands, or of an accumulator.
template <unsigned Hash, class T, int N>
OPUS_D vector_t<T, N> data_to_store(const state& s) {
    using whole_t = vector_t<T, 16 / static_cast<int>(sizeof(T))>;
    whole_t whole;
    if constexpr (is_same_v<T, fp32_t>) {
        whole = s.c4[pick(Hash, 0, 3)];
    } else if constexpr (is_same_v<T, i32_t>) {
        whole = s.i4;
    } else {
        whole = __builtin_bit_cast(whole_t, s.bits[pick(Hash, 0, 4)]);
    }
    vector_t<T, N> part;
    static_for<N>([&](auto i) { part[i.value] = whole[i.value]; });
    return part;
}
template <unsigned Hash, class T>
OPUS_D void overwrite_data(state& s) {
    if constexpr (is_same_v<T, fp32_t>) {
        s.c4[pick(Hash, 0, 3)] *= 0.75f;
    } else if constexpr (is_same_v<T, i32_t>) {
        s.i4 = s.i4 * 3 + 1;
    } else {
        constexpr int k = pick(Hash, 0, 4);
        s.bits[k] = pick(Hash, 9, 2) == 0 ? tame(s.bits[k] * 5u + 1u)
                                          : (s.bits[k] & 0x3b3b3b3bu) | 0x04040404u;
    }
}

template <unsigned Hash, int Slot, class T, int N>
OPUS_D void store_and_overwrite(state& s, const environment& e) {
    constexpr int form = pick(Hash, 10, 9);
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int place = Slot * slot_bytes / size;
    const auto g = make_gmem(reinterpret_cast<T*>(e.out));
    const int own = e.thread * (16 / size);
    const auto x = data_to_store<Hash, T, N>(s);
    if constexpr (form == 0) {
        store<N>(g, x, own + place);
    } else if constexpr (form == 1) {  // the scalar offset is in a register
        store<N>(g, x, own, e.one * place);
    } else if constexpr (form == 2) {
        constexpr int half = Slot % 2 * slot_bytes;
        store<N>(g, x, own, e.one * (Slot / 2 * 2 * slot_bytes / size), number<half>{});
    } else if constexpr (form == 3) {  // no offset but constants, and the same for the wave
        const auto own_g = make_gmem(reinterpret_cast<T*>(e.out + e.wave * 4));
        store<N>(own_g, readfirstlane(x), place);
    } else if constexpr (form == 4) {
        const auto own_g = make_gmem(reinterpret_cast<T*>(e.out + e.wave * 4));
        store<N>(own_g, readfirstlane(x), 0, e.one * place);
    } else if constexpr (form == 5) {
        store<N>(make_gmem_wide(reinterpret_cast<T*>(e.out)), x, own,
                 static_cast<long long>(e.one) * place);
    } else if constexpr (form == 6) {
        store<N>(make_gmem(reinterpret_cast<T*>(e.out + Slot * slot_bytes / 4)), x, own, 0_I,
                 cache_nt);
    } else if constexpr (form == 7) {
        store<N>(g, x, own, static_cast<int>(s.uniform & 0u) + place);
    } else {
        auto* p = reinterpret_cast<T*>(e.out) + (own + place);
        if constexpr (N * size == 12) {
            static_for<N>([&](auto i) { p[i.value] = x[i.value]; });
        } else {
            *reinterpret_cast<vector_t<T, N>*>(p) = x;
        }
    }
    overwrite_data<Hash, T>(s);
}

template <unsigned Hash, int Slot>
OPUS_D void stores(state& s, const environment& e) {
    constexpr int kind = pick(Hash, 0, 16);
    constexpr unsigned h = mix(Hash, 1);
    // clang-format off
    if constexpr (kind == 0) { store_and_overwrite<h, Slot, u8_t, 1>(s, e); }
    else if constexpr (kind == 1) { store_and_overwrite<h, Slot, u8_t, 4>(s, e); }
    else if constexpr (kind == 2) { store_and_overwrite<h, Slot, u8_t, 16>(s, e); }
    else if constexpr (kind == 3) { store_and_overwrite<h, Slot, u16_t, 1>(s, e); }
    else if constexpr (kind == 4) { store_and_overwrite<h, Slot, fp16_t, 4>(s, e); }
    else if constexpr (kind == 5) { store_and_overwrite<h, Slot, bf16_t, 8>(s, e); }
    else if constexpr (kind == 6) { store_and_overwrite<h, Slot, u32_t, 1>(s, e); }
    else if constexpr (kind == 7) { store_and_overwrite<h, Slot, u32_t, 2>(s, e); }
    else if constexpr (kind == 8) { store_and_overwrite<h, Slot, u32_t, 3>(s, e); }
    else if constexpr (kind == 9) { store_and_overwrite<h, Slot, u32_t, 4>(s, e); }
    else if constexpr (kind == 10) { store_and_overwrite<h, Slot, fp32_t, 1>(s, e); }
    else if constexpr (kind == 11) { store_and_overwrite<h, Slot, fp32_t, 2>(s, e); }
    else if constexpr (kind == 12) { store_and_overwrite<h, Slot, fp32_t, 3>(s, e); }
    else if constexpr (kind == 13) { store_and_overwrite<h, Slot, fp32_t, 4>(s, e); }
    else if constexpr (kind == 14) { store_and_overwrite<h, Slot, i32_t, 3>(s, e); }
    else { store_and_overwrite<h, Slot, i32_t, 4>(s, e); }
    // clang-format on
}

template <unsigned Hash>
OPUS_D void loads(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 7);
    constexpr int k = pick(Hash, 1, 4);
    const auto g = make_gmem(e.in, static_cast<unsigned>(in_words * 4));
    if constexpr (form == 0) {
        s.bits[k] = tame(s.bits[k] ^ load<4>(g, e.thread * 4, e.one * 256));
    } else if constexpr (form == 1) {
        s.bits[k][2] ^= load<1>(g, (s.bits[k][0] >> 3) & 1023u)[0];
        s.bits[k] = tame(s.bits[k]);
    } else if constexpr (form == 2) {
        const auto x = load<3>(g, e.thread * 3, e.one * 100, 64_I);
        s.bits[k][0] = x[0];
        s.bits[k][3] = tame(x[1] + x[2]);
    } else if constexpr (form == 3) {
        const auto u = make_layout(make_tuple(4_I, 64_I, 1_I), make_tuple(256_I, 1_I, 1_I),
                                   make_tuple(_, e.lane, _));
        const auto x = load_if<1>(
            g, [&](auto i, auto) { return i * 64 + e.lane < e.three * 60; }, u, e.one * 64);
        s.bits[k] = tame(s.bits[k] + x);
    } else if constexpr (form == 4) {
        const auto m = make_gmem(reinterpret_cast<const u8_t*>(e.in));
        s.bits[k][1] = tame(s.bits[k][1] ^ load<1>(m, e.thread, e.one * 77)[0]);
        const auto n = make_gmem(reinterpret_cast<const u16_t*>(e.in));
        s.bits[k][1] = tame(s.bits[k][1] + load<1>(n, e.thread, e.one * 33)[0]);
    } else if constexpr (form == 5) {  // the same for the wave
        const int at = e.three * 5;
        s.uniform += e.in[at] >> 20;
    } else {
        s.c4[pick(Hash, 2, 3)] *=
            load<4>(make_gmem(reinterpret_cast<const fp32_t*>(e.in)), e.thread * 4);
    }
}

template <unsigned Hash>
OPUS_D void atomics(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 9);
    constexpr int k = pick(Hash, 1, 4);
    const auto g =
        make_gmem(reinterpret_cast<i32_t*>(e.counters), static_cast<unsigned>(counter_words * 4));
    const auto m = make_smem(reinterpret_cast<i32_t*>(e.tally));
    const int value = static_cast<int>(s.bits[k][0] >> 4);
    if constexpr (form == 0) {
        atomic_add(g, value, e.thread);
        s.bits[k][0] = tame(s.bits[k][0] * 9u);
    } else if constexpr (form == 1) {
        const auto old = atomic_add(g, value, e.thread);
        s.bits[k][1] = tame(s.bits[k][1] + static_cast<u32_t>(old[0]));
    } else if constexpr (form == 2) {
        atomic_max(g, value, e.thread, e.one * threads);
    } else if constexpr (form == 3) {
        const auto f = make_gmem(reinterpret_cast<fp32_t*>(e.counters + 2 * threads),
                                 static_cast<unsigned>(threads * 4));
        f.atomic_add(s.c4[pick(Hash, 2, 3)][1], e.thread);
        s.c4[pick(Hash, 2, 3)] *= 0.5f;
    } else if constexpr (form == 4) {
        const auto f = make_gmem(reinterpret_cast<fp16_t*>(e.counters + 3 * threads),
                                 static_cast<unsigned>(threads * 4));
        const auto x = __builtin_bit_cast(fp16x2_t, s.bits[k][2]);
        atomic_add<2>(f, x, e.thread * 2);
        s.bits[k][2] = tame(s.bits[k][2] * 3u);
    } else if constexpr (form == 5) {
        const auto old = m.atomic_add(value, 0);
        s.bits[k][3] = tame(s.bits[k][3] ^ static_cast<u32_t>(old[0]));
    } else if constexpr (form == 6) {
        m.atomic_max(value, 0);
        s.bits[k][0] = tame(s.bits[k][0] * 11u);
    } else if constexpr (form == 7) {
        m.atomic_or(s.i4[0], 0);
        s.i4 = s.i4 * 5;
    } else {
        const auto old = m.atomic_and(s.i16[pick(Hash, 3, 16)], 0);
        s.i4[1] += old[0];
    }
}

// == registers ===================================================================================
template <unsigned Hash>
OPUS_D void arithmetic(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 10);
    constexpr int k = pick(Hash, 1, 4);
    constexpr int l = pick(Hash, 2, 4);
    constexpr int j = pick(Hash, 3, 3);
    if constexpr (form == 0) {
        s.bits[k] = tame(s.bits[k] * 3u + s.bits[l]);
    } else if constexpr (form == 1) {
        s.bits[k][1] = word_of(opus::exp2(number_of(s.bits[l][2])));
        s.bits[k][2] = word_of(opus::rcp(number_of(s.bits[l][3])));
    } else if constexpr (form == 2) {
        s.c4[j] = s.c4[j] * 0.5f + s.c4[(j + 1) % 3];
    } else if constexpr (form == 3) {
        s.bits[k][0] = word_of(max3(s.c4[0][1], s.c4[1][2], s.c4[2][3]));
        s.bits[k][3] = word_of(med3(s.c4[0][0], -2.0f, 2.0f));
    } else if constexpr (form == 4) {
        s.c16 = opus::fma(s.c16, 0.75f, 1.0f);
    } else if constexpr (form == 5) {
        static_for<4>([&](auto i) { s.bits[k][i.value] = word_of(s.c16[i.value * 3]); });
    } else if constexpr (form == 6) {
        s.d1 = opus::fma(s.d1, 0.5, s.d4[j]);
        s.d4 *= 0.5;
    } else if constexpr (form == 7) {
        s.i16 = s.i16 ^ (s.i16 << 3);
        s.i4 += slice(s.i16, 4_I, 8_I);
    } else if constexpr (form == 8) {
        s.bits[k] = s.i4[0] > s.i4[1] ? s.bits[l] : s.bits[k];
    } else {
        const float x = opus::rsqrt(abs(number_of(s.bits[k][0])));
        s.c4[j] += x;
        s.bits[l][0] = tame(s.bits[l][0] + s.uniform + static_cast<u32_t>(e.lane));
    }
}

template <unsigned Hash>
OPUS_D void conversions(state& s) {
    constexpr int form = pick(Hash, 0, 14);
    constexpr int k = pick(Hash, 1, 4);
    constexpr int l = pick(Hash, 2, 4);
    constexpr int j = pick(Hash, 3, 3);
    fp32x4_t& c = s.c4[j];
    const auto keep = [&](auto x) {  // of four bytes
        s.bits[k][l] = tame(__builtin_bit_cast(u32_t, x));
    };
    const auto keep_two = [&](auto x) {
        const auto words = __builtin_bit_cast(u32x2_t, x);
        s.bits[k][l] = tame(words[0]);
        s.bits[k][l ^ 1] = tame(words[1]);
    };
    if constexpr (form == 0) {
        keep(cast<fp8_t>(c));
    } else if constexpr (form == 1) {
        keep(cast<fp8_t>(c, saturate{}));
    } else if constexpr (form == 2) {
        keep(cast<bf8_t>(c, 4.0f));
    } else if constexpr (form == 3) {
        keep(cast<fp8_t>(c, number_of(s.bits[l][0] & 0x3f800000u)));
    } else if constexpr (form == 4) {
        keep_two(cast<bf16_t>(c));
    } else if constexpr (form == 5) {
        keep_two(cast<bf16_t>(c, 0_I));
    } else if constexpr (form == 6) {
        keep_two(cast<fp16_t>(c));
    } else if constexpr (form == 7) {
        keep(cast<i8_t>(c));
    } else if constexpr (form == 8) {
        c += cast<fp32_t>(__builtin_bit_cast(fp8x4_t, s.bits[k][0]));
    } else if constexpr (form == 9) {
        c += cast<fp32_t>(__builtin_bit_cast(bf8x4_t, s.bits[k][0]), 0.5f);
    } else if constexpr (form == 10) {
        keep(cast<fp4_t>(concat_vector(c, s.c4[(j + 1) % 3]), 2.0f));
    } else if constexpr (form == 11) {
        const auto x = cast<fp32_t>(__builtin_bit_cast(array<fp4_t, 8>, s.bits[k][2]),
                                    number_of(s.bits[l][1]));
        s.c4[0] += slice(x, 0_I, 4_I);
        s.c4[1] += slice(x, 4_I, 8_I);
    } else if constexpr (form == 12) {
        // 32 values in six registers
        const auto codes = cast<fp6_t>(concat_vector(s.c16, s.c16 * 0.5f));
        const auto words = __builtin_bit_cast(array<u32_t, 6>, codes);
        static_for<4>([&](auto i) { s.bits[k][i.value] = tame(words[i.value] ^ words[5]); });
        s.bits[l][0] = tame(s.bits[l][0] + words[4]);
    } else {
        const auto halves = __builtin_bit_cast(fp16x8_t, s.bits[k]);
        keep_two(cast<fp8_t>(halves));
        c += cast<fp32_t>(slice(halves, 2_I, 6_I));
    }
}

template <unsigned Hash>
OPUS_D void dpp_moves(state& s) {
    constexpr int form = pick(Hash, 0, 8);
    constexpr int k = pick(Hash, 1, 4);
    constexpr int l = pick(Hash, 2, 4);
    constexpr int j = pick(Hash, 3, 3);
    if constexpr (form == 0) {
        s.bits[k] = mov_dpp(s.bits[l], dpp::row_shr<1 + pick(Hash, 4, 15)>);
    } else if constexpr (form == 1) {
        s.bits[k] = upd_dpp(s.bits[k], s.bits[l], dpp::row_ror<1 + pick(Hash, 4, 15)>,
                            number<pick(Hash, 5, 16)>{}, number<pick(Hash, 6, 16)>{});
    } else if constexpr (form == 2) {
        s.c4[j] += mov_dpp(s.c4[j], dpp::row_mirror);
    } else if constexpr (form == 3) {
        s.c4[j][1] += mov_dpp(s.c16[pick(Hash, 4, 16)], dpp::quad_perm<1, 0, 3, 2>);
    } else if constexpr (form == 4) {
        s.bits[k][1] = upd_dpp(s.bits[k][0], s.bits[l][3], dpp::row_bcast15, 10_I);
    } else if constexpr (form == 5) {
        s.bits[k] = mov_dpp(s.bits[l], dpp::wave_shr);
    } else if constexpr (form == 6) {
        s.bits[k][0] = tame(s.bits[k][0] + mov_dpp(s.bits[k][0] * 3u, dpp::row_newbcast<5>));
    } else {
        s.i4 += upd_dpp(s.i4, s.i4, dpp::row_half_mirror, 5_I, 15_I, false_type{});
    }
}

template <unsigned Hash>
OPUS_D void scalars(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 5);
    constexpr int k = pick(Hash, 1, 4);
    if constexpr (form == 0) {
        const u32_t x = readfirstlane(s.bits[k][1]);
        s.bits[(k + 1) % 4][2] = tame(s.bits[(k + 1) % 4][2] + x);
    } else if constexpr (form == 1) {
        const float x = readfirstlane(s.c4[pick(Hash, 2, 3)][2]);
        s.c4[pick(Hash, 3, 3)] += x;
    } else if constexpr (form == 2) {
        const auto b = ballot((s.bits[k][0] & 256u) != 0);
        s.bits[k][3] = tame(s.bits[k][3] + static_cast<u32_t>(b >> pick(Hash, 2, 32)));
    } else if constexpr (form == 3) {  // a scalar that comes from a vector register is an offset
        const u32_t at = readfirstlane(s.bits[k][2]) >> 8 & 255u;
        const auto g = make_gmem(e.in, static_cast<unsigned>(in_words * 4));
        s.bits[k][2] = load<1>(g, e.lane, static_cast<int>(at))[0];
    } else {
        s.bits[k][0] = ballot(s.i4[0] > 0) > 5u ? s.bits[k][1] : s.bits[k][0];
    }
}

template <unsigned Hash>
OPUS_D void lanes(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, 13);
    constexpr int k = pick(Hash, 1, 4);
    constexpr int j = pick(Hash, 3, 3);
    if constexpr (form == 0) {
        s.bits[k] = shfl(s.bits[k], (e.lane * 5 + 3) & 63);
    } else if constexpr (form == 1) {
        s.bits[k] = shfl_xor(s.bits[k], 32_I);
    } else if constexpr (form == 2) {
        s.c4[j] += shfl_xor(s.c4[j], 16_I);
    } else if constexpr (form == 3) {
        const u32_t x = readlane(s.bits[k][0], number<pick(Hash, 2, 64)>{});
        s.bits[k][1] = tame(s.bits[k][1] ^ x);
    } else if constexpr (form == 4) {
        const int from = static_cast<int>(readfirstlane(s.bits[k][0]) & 63u);
        s.c4[j][0] += readlane(s.c4[j][1], from);
    } else if constexpr (form == 5) {
        s.c4[j][2] = reduce_lanes(s.c4[j][2], maximum{}, 15_I);
    } else if constexpr (form == 6) {
        s.c4[j][1] = reduce_wave(s.c4[j][1], maximum{});
    } else if constexpr (form == 7) {
        s.i4[2] = scan_wave(s.i4[2], plus{});
    } else if constexpr (form == 8) {
        s.c4[j][0] = scan_wave(s.c4[j][0], plus{});
    } else if constexpr (form == 9) {
        const auto halves = __builtin_bit_cast(fp16x2_t, s.bits[k][1]);
        const fp16_t low = reduce_wave(static_cast<fp16_t>(halves[0]), minimum{});
        s.bits[k][2] = tame(s.bits[k][2] + __builtin_bit_cast(u16_t, low));
    } else if constexpr (form == 10) {
        s.bits[k][3] = bitonic_sort_wave<16>(s.bits[k][3], false);
    } else if constexpr (form == 11) {
        s.bits[k] = shfl_xor(s.bits[k], number<1 + pick(Hash, 4, 15)>{});
    } else {
        s.bits[k][2] = shfl_up(s.bits[k][2], 1_I);
        s.c4[j] = max(s.c4[j], shfl_xor(s.c4[j], 48_I));
    }
}

// == order =======================================================================================
// The other wave's words, with a barrier of some kind before and behind.
template <int Form>
OPUS_D void any_barrier() {
    if constexpr (Form == 0) {
        sync_threads();
    } else if constexpr (Form == 1) {
        lds_barrier();
    } else {
        s_waitcnt_lgkmcnt(0_I);
        s_barrier();
        keep_order();
    }
}
template <unsigned Hash>
OPUS_D void exchange(state& s, const environment& e) {
    constexpr int k = pick(Hash, 0, 4);
    any_barrier<pick(Hash, 1, 3)>();
    store<4>(make_smem(e.own), s.bits[k], 0);
    s.bits[k] = tame(s.bits[k] * 5u);
    any_barrier<pick(Hash, 2, 3)>();
    const auto other = make_smem(e.own - e.thread * 4);
    s.bits[(k + 1) % 4] = load<4>(other, (threads - 1 - e.thread) * 4);
    any_barrier<pick(Hash, 3, 3)>();
}

template <unsigned Hash>
OPUS_D void hints(state& s) {
    constexpr int form = pick(Hash, 0, 4);
    if constexpr (form == 0) {
        set_priority(1_I);
        s.c4[0] *= 0.5f;
        set_priority(0_I);
    } else if constexpr (form == 1) {
        keep_order();
    } else if constexpr (form == 2) {
        settle(s.c4[pick(Hash, 1, 3)], s.c16);
    } else {
        s_waitcnt(0_I, 0_I);
    }
}

// == steps =======================================================================================
template <unsigned Kernel, bool Careful, unsigned Hash, scope Scope, int Depth, int Slot, int Count>
OPUS_D void block(state& s, const environment& e);

template <bool Careful, scope Scope>
OPUS_D void be_careful(state& s) {
    if constexpr (Careful) {
        settle_all(s);
        s_waitcnt(0_I, 0_I);
        if constexpr (Scope == whole_group) {
            sync_threads();
        }
        keep_order();
    }
}

// Steps that are control flow: loops whose counts are not known when compiled, and branches.
template <unsigned Kernel, bool Careful, unsigned Hash, scope Scope, int Depth, int Slot>
OPUS_D void control(state& s, const environment& e) {
    constexpr int form = pick(Hash, 0, Scope == some_lanes ? 2 : 6);
    constexpr unsigned h = mix(Hash, 1);
    constexpr int count = 1 + pick(Hash, 2, 3);
    // Where paths meet settle() stands on all ways to that place: behind it, a sum with a product of
    // its own might be in front of it. Some lanes have no products.
    const auto body = [&](auto which) {
        constexpr unsigned n = decltype(which)::value;
        block<Kernel, Careful, mix(h, n), Scope, Depth + 1, Slot, count>(s, e);
        meet<Scope != some_lanes>(s);
    };
    meet<true>(s);
    if constexpr (form == 0) {  // some lanes
        if ((s.bits[0][1] & 64u) != 0) {
            block<Kernel, Careful, h, some_lanes, Depth + 1, Slot, count>(s, e);
        }
    } else if constexpr (form == 1) {
        const int rounds = Scope == some_lanes ? static_cast<int>(s.bits[1][1] & 3u) : e.three;
#pragma clang loop unroll(disable)
        for (int i = 0; i < rounds; ++i) {
            body(number<0>{});
        }
    } else if constexpr (form == 2) {
        for (int i = 0; i < e.three; ++i) {
            body(number<0>{});
        }
    } else if constexpr (form == 3) {
        if (e.three > pick(Hash, 3, 6)) {
            body(number<0>{});
        } else {
            body(number<1>{});
        }
    } else if constexpr (form == 4) {
        if (e.three > pick(Hash, 3, 6)) {
            body(number<0>{});
        }
    } else {
        int i = e.three;
        do {
            body(number<0>{});
        } while (--i > 0);
    }
}

template <unsigned Kernel, bool Careful, unsigned Hash, scope Scope, int Depth, int Slot>
OPUS_D void step(state& s, const environment& e) {
    constexpr unsigned h = mix(Hash, 1);
    // The kinds for some lanes come first, then those for a wave and for the group.
    constexpr int kinds = Scope == some_lanes ? 13 : Scope == whole_wave ? 28 : 30;
    constexpr int kind = pick(Hash, 0, kinds);
    if constexpr (kind < 1) {
        arithmetic<h>(s, e);
    } else if constexpr (kind < 4) {
        stores<h, Slot>(s, e);
    } else if constexpr (kind < 5) {
        loads<h>(s, e);
    } else if constexpr (kind < 6) {
        through_lds<h>(s, e);
    } else if constexpr (kind < 8) {
        conversions<h>(s);
    } else if constexpr (kind < 9) {
        dpp_moves<h>(s);
    } else if constexpr (kind < 10) {
        scalars<h>(s, e);
    } else if constexpr (kind < 11) {
        atomics<h>(s, e);
    } else if constexpr (kind < 13) {
        if constexpr (Depth < 2) {
            control<Kernel, Careful, h, Scope, Depth, Slot>(s, e);
        } else {
            dpp_moves<h>(s);
        }
    } else if constexpr (kind < 16) {
        products<Kernel, h>(s);
    } else if constexpr (kind < 17) {
        products_of_kinds<h, narrow_mfma>(s);
    } else if constexpr (kind < 18) {
        products_of_kinds<h, wide_mfma>(s);
    } else if constexpr (kind < 19) {
        scaled_products<h>(s);
    } else if constexpr (kind < 20) {
        tiled_products<h>(s);
    } else if constexpr (kind < 23) {
        transposed_reads<Kernel, h>(s, e);
    } else if constexpr (kind < 24) {
        loads_to_lds<h>(s, e);
    } else if constexpr (kind < 25) {
        words_to_lds<h>(s, e);
    } else if constexpr (kind < 27) {
        lanes<h>(s, e);
    } else if constexpr (kind < 28) {
        hints<h>(s);
    } else {
        exchange<h>(s, e);
    }
    be_careful<Careful, Scope>(s);
}

// Steps of a kernel (Depth 0), of a loop or branch in it (1), or of one in that (2). Each has a slot
// of its own to store to.
template <unsigned Kernel, bool Careful, unsigned Hash, scope Scope, int Depth, int Slot, int Count>
OPUS_D void block(state& s, const environment& e) {
    static_for<Count>([&](auto i) {
        constexpr int n = decltype(i)::value;
        constexpr int slot = Depth == 0 ? n * 16 : Depth == 1 ? Slot + 4 * (n + 1) : Slot + n + 1;
        if constexpr (Depth > 0 || (OPUS_GENERATED_STEPS >> n & 1) != 0) {
            step<Kernel, Careful, mix(Hash, n), Scope, Depth, slot>(s, e);
        }
    });
}

}  // namespace generated_impl

// in: in_words tame words; out: out_words; counters: counter_words zeros. three and one are those.
template <unsigned Seed, bool Careful>
__global__ __launch_bounds__(generated_impl::threads) void generated(const unsigned* in,
                                                                     unsigned* out,
                                                                     unsigned* counters, int three,
                                                                     int one) {
    using namespace generated_impl;
    __shared__ __attribute__((aligned(16))) u32_t lds[2 * wave_words + threads * 5];
    environment e;
    e.in = in;
    e.out = out;
    e.counters = counters;
    e.thread = thread_id_x();
    e.lane = e.thread % 64;
    e.wave = readfirstlane(e.thread / 64);
    e.lds = lds + e.wave * wave_words;
    e.own = lds + 2 * wave_words + e.thread * 4;
    e.tally = lds + 2 * wave_words + threads * 4 + e.thread;
    e.three = three;
    e.one = one;

    const auto g = make_gmem(in);
    state s;
    static_for<4>([&](auto i) {
        s.bits[i.value] = load<4>(g, e.thread * 16 + i.value * 4);
        make_smem(e.lds).template store<4>(load<4>(g, 8192 + e.thread * 16 + i.value * 4),
                                           e.lane * 4 + i.value * 256);
    });
    make_smem(e.own).template store<4>(s.bits[3], 0);
    make_smem(e.tally).store(s.bits[2][0], 0);
    static_for<3>([&](auto i) {
        s.c4[i.value] = __builtin_bit_cast(fp32x4_t, s.bits[i.value]) * (1.0f + i.value);
    });
    static_for<16>([&](auto i) {
        s.c16[i.value] = number_of(s.bits[i.value / 4][i.value % 4]) + i.value;
        s.i16[i.value] = static_cast<int>(s.bits[i.value / 4][i.value % 4] >> 8);
    });
    s.i4 = slice(s.i16, 3_I, 7_I);
    s.d4 = fp64x4_t{s.c16[0], s.c16[1], s.c16[2], s.c16[3]};
    s.d1 = s.c16[4];
    s.uniform = static_cast<u32_t>(three);
    sync_threads();

    block<Seed, Careful, Seed, whole_group, 0, 0, steps_of_kernel>(s, e);

    if constexpr (OPUS_GENERATED_SETTLE != 0 && Careful) {
        settle_all(s);
    }
    const auto end = make_gmem(out + slots * slot_bytes / 4);
    const auto keep = [&](auto part, auto x) {
        store<4>(end, __builtin_bit_cast(u32x4_t, x), (e.thread * (final_words / 4) + part) * 4);
    };
    static_for<4>([&](auto i) { keep(i.value, s.bits[i.value]); });
    static_for<3>([&](auto i) { keep(4 + i.value, s.c4[i.value]); });
    static_for<4>([&](auto i) {
        keep(7 + i.value, slice(s.c16, i * 4_I, i * 4_I + 4_I));
        keep(11 + i.value, slice(s.i16, i * 4_I, i * 4_I + 4_I));
    });
    keep(15, s.i4);
    keep(16, slice(s.d4, 0_I, 2_I));
    keep(17, slice(s.d4, 2_I, 4_I));
    const auto last = __builtin_bit_cast(u32x2_t, s.d1);
    keep(18, u32x4_t{last[0], last[1], s.uniform, *e.tally});
}
