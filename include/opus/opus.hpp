// opus: typed vectors, compile-time numbers and tuples, layouts, buffer access and matrix cores
// for HIP kernels on AMD's gfx942 (MI300) and gfx950 (MI350). One header, C++17, clang.
// SPDX-License-Identifier: MIT
//
// First half, for any target and for the host (constexpr throughout):
//    1. macros          2. compile-time values    3. seq              4. loops
//    5. array           6. tuple                  7. vector           8. slice
//    9. layout          9.1 issue space
// Second half, what the architecture decides:
//   10.0 target        10. types                 11. cast
//   12. architecture   12.1 synchronisation      13. lanes           13.1 math
//   14.0 accesses      14. gmem                  15. smem
//   16. mfma           17. adaptors              17.1 tiled mma
//
// `grep '^// == '` prints the banners. Offsets and extents are in elements unless a name or a
// comment says bytes. Functions are for the host and the device, as every constexpr function is in
// HIP; those marked OPUS_D are for the device only.
#ifndef OPUS_OPUS_HPP
#define OPUS_OPUS_HPP

// == 1. macros ====================================================================================
//
// Which compilers this file takes, and the macros that everything below is written with. A build
// may define those under #ifndef, such as OPUS_TILE_CONTAINER; each says what its values mean. Look
// first at OPUS_H_D and OPUS_LDS_ADDR, which kernels write, too.

#define OPUS_VERSION_MAJOR 0
#define OPUS_VERSION_MINOR 2
#define OPUS_VERSION_PATCH 0
#define OPUS_VERSION (OPUS_VERSION_MAJOR * 10000 + OPUS_VERSION_MINOR * 100 + OPUS_VERSION_PATCH)

#if !defined(__clang__) || __clang_major__ < 19
#error "opus: needs clang 19 or newer (hipcc of ROCm 6.4 or newer)"
#elif __cplusplus < 201703L
#error "opus: needs C++17 or newer (-std=c++17)"
#elif OPUS_DEBUG && !__has_include("opus_debug.hpp")
#error "opus: OPUS_DEBUG needs opus_debug.hpp beside opus.hpp"
#else  // to the end of the file: where this message is printed, no others are

// A warning, because above 131056 bytes of stack clang only says "stack frame size exceeds limit".
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__OPTIMIZE__)
// clang-format off
#pragma GCC warning "opus: kernels without optimisation (-O0) are very slow, and their stack " \
    "frames can be beyond the limit of 128 KB; -Xarch_device -O3 (or -O1) optimises kernels alone"
// clang-format on
#endif

// __host__ and __device__ are macros of the HIP headers. The attributes need no header.
#if defined(__HIP__)
#define OPUS_H __attribute__((host)) inline
#define OPUS_D __attribute__((device)) inline
#define OPUS_D_EXTERN __attribute__((device))
#define OPUS_H_D_EXTERN __attribute__((host)) __attribute__((device))
#else
#define OPUS_H inline
#define OPUS_D
#define OPUS_D_EXTERN
#define OPUS_H_D_EXTERN
#endif
#define OPUS_H_D OPUS_H_D_EXTERN inline

// 1: the header includes nothing. This is the default where <type_traits> is not available, as in
// hipRTC.
#if !defined(OPUS_FREESTANDING) && __has_include(<type_traits>)
#define OPUS_FREESTANDING 0
#elif !defined(OPUS_FREESTANDING)
#define OPUS_FREESTANDING 1
#endif
#if !OPUS_FREESTANDING
#include <type_traits>
#endif

// A tile in registers is one flat vector (0) or an array of one vector per instruction (1).
#ifndef OPUS_TILE_CONTAINER
#define OPUS_TILE_CONTAINER 0
#endif

// 1: an fp4 operand has eight dwords, of which the instruction reads the low four, and its layouts
// count bytes, as in the existing library (docs/migration.md).
#ifndef OPUS_FP4_OPERANDS_OF_32_BYTES
#define OPUS_FP4_OPERANDS_OF_32_BYTES 0
#endif

// 1: section 12 has functions that ask the HIP runtime about the device. The HIP declarations
// (opus/hip_minimal.hpp or HIP's own header) must then come before this header.
#ifndef OPUS_ENABLE_RUNTIME_QUERY
#define OPUS_ENABLE_RUNTIME_QUERY 0
#endif
#if OPUS_ENABLE_RUNTIME_QUERY && !defined(OPUS_HIP_MINIMAL_HPP) && \
    !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H)
#error "opus: OPUS_ENABLE_RUNTIME_QUERY needs opus/hip_minimal.hpp or a HIP header before opus.hpp"
#undef OPUS_ENABLE_RUNTIME_QUERY
#endif

// The default rounding mode of fp32_to_bf16; section 11 lists the modes. gfx950 ignores the mode:
// it always uses its instruction, which rounds to nearest even.
#ifndef OPUS_FP32_to_BF16_DEFAULT
#define OPUS_FP32_to_BF16_DEFAULT 2
#endif

// 1: checks at run time what types cannot check (docs/memory.md, "What OPUS_DEBUG checks"). A
// failed check writes its values and the caller's line to opus_debug_record, prints them if a
// header with printf comes first, and ends the kernel (on the host, the program).
#ifndef OPUS_DEBUG
#define OPUS_DEBUG 0
#endif
// The address space of LDS, as in `OPUS_LDS_ADDR float* p`. Empty outside device code.
#if defined(__HIP_DEVICE_COMPILE__)
#define OPUS_LDS_ADDR __attribute__((address_space(3)))
#else
#define OPUS_LDS_ADDR
#endif

// For use inside a kernel.
#define OPUS_USING_COMMON_TYPES                   \
    using ::opus::operator""_I;                   \
    using p_dim [[maybe_unused]] = ::opus::p_dim; \
    using y_dim [[maybe_unused]] = ::opus::y_dim;

// For use at namespace scope.
#define OPUS_USING_COMMON_TYPES_ALL  \
    OPUS_USING_COMMON_TYPES          \
    template <::opus::index_t Idx>   \
    using num = ::opus::number<Idx>; \
    template <class... T>            \
    using tup = ::opus::tuple<T...>; \
    template <::opus::index_t... Is> \
    using seq = ::opus::seq<Is...>;

// `caller at = {}`, as the last parameter of a function, is where the function is called, for the
// messages of checks. It is empty, and nothing is checked, unless OPUS_DEBUG is 1.
#if OPUS_DEBUG
#include "opus_debug.hpp"
#else
namespace opus::impl {
struct caller {};
struct called {};
template <class... T>
constexpr void check(T...) {}
template <class... T>
constexpr void check_coord(const T&...) {}
template <class... T>
constexpr void check_width(T...) {}
template <class... T>
constexpr void check_shuffle(T...) {}
template <class... T>
constexpr void check_size(T...) {}
template <class... T>
constexpr void check_is_lds(T...) {}
template <int Bytes, class... T>
constexpr void check_end(T...) {}
template <int Bytes, class... T>
constexpr void check_lds_alignment(T...) {}
template <class... T>
constexpr void check_thread(const T&...) {}
}  // namespace opus::impl
#endif

// Every function of this file is forced inline: that takes the compiler less time than deciding for
// each call, and kernels contain no calls.
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
// No call that passes a vector remains, so the host's convention for it (-mavx) does not matter.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"
// Two extensions of clang are used: _BitInt as the type of a code, and diagnose_if to warn callers.
#pragma clang diagnostic ignored "-Wbit-int-extension"
#pragma clang diagnostic ignored "-Wgcc-compat"
// Lambdas with template parameters are of C++20.
#pragma clang diagnostic ignored "-Wc++20-extensions"
// An unsigned offset that is passed on keeps its 32 bits.
#pragma clang diagnostic ignored "-Wsign-conversion"
// Only a C-style cast converts between address spaces.
#pragma clang diagnostic ignored "-Wold-style-cast"
// The NaN and infinity constants keep their values under -ffast-math.
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"
// These warnings are for callers; the functions of this file call each other without them.
#pragma clang diagnostic ignored "-Wuser-defined-warnings"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

namespace opus {

// == 2. compile-time values =======================================================================
//
// Values that are part of a type, so that what is computed from them costs nothing. Main names:
// number<N>, written N_I, is_constant_v, the placeholder _. Look first at number.

using index_t = int;
using long_index_t = long long;

template <class T>
using remove_reference_t = __remove_reference_t(T);
template <class T>
struct remove_reference {
    using type = remove_reference_t<T>;
};
template <class T>
using remove_cv_t = __remove_cv(T);
template <class T>
struct remove_cv {
    using type = remove_cv_t<T>;
};
template <class T>
using remove_cvref_t = __remove_cvref(T);
template <class T>
struct remove_cvref {
    using type = remove_cvref_t<T>;
};

namespace impl {
#if OPUS_FREESTANDING
template <class T, T V>
struct integral_constant {
    using value_type = T;
    using type = integral_constant;
    static constexpr T value = V;

    constexpr operator T() const { return V; }
    constexpr T operator()() const { return V; }
};
#else
using std::integral_constant;
#endif
}  // namespace impl

template <bool B>
using bool_constant = impl::integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class A, class B>
inline constexpr bool is_same_v = __is_same(A, B);
template <class A, class B>
struct is_same : bool_constant<__is_same(A, B)> {};

template <class T, class... R>
inline constexpr bool is_any_of_v = (__is_same(T, R) || ...);
template <class T, class... R>
struct is_any_of : bool_constant<is_any_of_v<T, R...>> {};

// Specialise the traits named is_x for your own types, without const and reference. The library
// reads is_x_v<T>, which ignores both.

namespace impl {

// False, but only once T is known: for a static_assert in a branch that must not be instantiated.
template <class T>
inline constexpr bool always_false_v = false;

template <bool Condition>
struct enable_if {
    using type = int;
};
template <>
struct enable_if<false> {};
// With a template parameter `enable_if_t<condition> = 0`, a function takes part in overload
// resolution only where the condition holds.
template <bool Condition>
using enable_if_t = typename enable_if<Condition>::type;
}  // namespace impl

// An index_t whose value is part of its type. An operator on two numbers returns a number. In an
// expression with a plain integer, a number converts to index_t.
// 4_I * 8_I -> 32_I        4_I * n -> int
template <index_t Idx>
struct number : impl::integral_constant<index_t, Idx> {
    using type = number;
};

// Whether T is a number, bool_constant or integral_constant.
// @pre of a specialisation: T::value is the constant, of type T::value_type
template <class T>
struct is_constant : false_type {};
template <class T>
struct is_constant<const T> : is_constant<T> {};
template <class T>
struct is_constant<T&> : is_constant<T> {};
template <class T, T V>
struct is_constant<impl::integral_constant<T, V>> : true_type {};
template <index_t Idx>
struct is_constant<number<Idx>> : true_type {};
template <class T>
inline constexpr bool is_constant_v = is_constant<__remove_cvref(T)>::value;

namespace impl {
// The value of a constant T, for another type Otherwise.
template <index_t Otherwise, class T, bool = is_constant_v<T>>
inline constexpr index_t constant_or = Otherwise;
template <index_t Otherwise, class T>
inline constexpr index_t constant_or<Otherwise, T, true> = T::value;
}  // namespace impl

// The result is computed in the template argument, so an overflow is a compile error.
#define OPUS_NUMBER_UNARY(op)               \
    template <index_t A>                    \
    constexpr auto operator op(number<A>) { \
        return number<(op A)>{};            \
    }
OPUS_NUMBER_UNARY(+)
OPUS_NUMBER_UNARY(-)
OPUS_NUMBER_UNARY(~)
OPUS_NUMBER_UNARY(!)
#undef OPUS_NUMBER_UNARY

#define OPUS_NUMBER_BINARY(op)                         \
    template <index_t A, index_t B>                    \
    constexpr auto operator op(number<A>, number<B>) { \
        return number<(A op B)>{};                     \
    }
OPUS_NUMBER_BINARY(+)
OPUS_NUMBER_BINARY(-)
OPUS_NUMBER_BINARY(*)
OPUS_NUMBER_BINARY(/)
OPUS_NUMBER_BINARY(%)
OPUS_NUMBER_BINARY(&)
OPUS_NUMBER_BINARY(|)
OPUS_NUMBER_BINARY(^)
OPUS_NUMBER_BINARY(<<)
OPUS_NUMBER_BINARY(>>)
OPUS_NUMBER_BINARY(&&)
OPUS_NUMBER_BINARY(||)
OPUS_NUMBER_BINARY(==)
OPUS_NUMBER_BINARY(!=)
OPUS_NUMBER_BINARY(<)
OPUS_NUMBER_BINARY(>)
OPUS_NUMBER_BINARY(<=)
OPUS_NUMBER_BINARY(>=)
#undef OPUS_NUMBER_BINARY

namespace impl {
inline constexpr long_index_t bad_literal = -1;

// The value of a C++ integer literal without suffix. bad_literal if it is malformed, is octal (a
// leading zero is more likely a slip) or does not fit index_t.
template <char... Chars>
constexpr long_index_t parse_literal() {
    constexpr char text[] = {Chars..., '\0'};
    constexpr index_t length = sizeof...(Chars);
    constexpr bool has_prefix = length > 1 && text[0] == '0';
    constexpr char kind = has_prefix ? text[1] | 0x20 : 'd';  // in lower case
    constexpr long_index_t base = kind == 'd' ? 10 : kind == 'x' ? 16 : kind == 'b' ? 2 : 0;
    long_index_t value = base == 0 ? bad_literal : 0;
    for (index_t i = has_prefix ? 2 : 0; i < length && value != bad_literal; i++) {
        const char c = text[i];
        if (c != '\'') {
            const index_t digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
            const bool fits = digit >= 0 && digit < base && value * base + digit <= 0x7fffffff;
            value = fits ? value * base + digit : bad_literal;
        }
    }
    return value;
}
}  // namespace impl

// 42_I -> number<42>; also 0x2a_I, 0b101010_I and 1'024_I
template <char... Chars>
constexpr auto operator""_I() {
    constexpr long_index_t value = impl::parse_literal<Chars...>();
    static_assert(value != impl::bad_literal,
                  "opus::operator\"\"_I: a decimal, 0x or 0b integer below 2^31 is required");
    return number<static_cast<index_t>(value)>{};
}

// A placeholder for a position that is filled in later, in coordinates of layouts.
struct underscore {};
inline constexpr underscore _{};

template <class T>
struct is_underscore : bool_constant<__is_same(T, underscore)> {};
template <class T>
inline constexpr bool is_underscore_v = is_underscore<__remove_cvref(T)>::value;

#define OPUS_FUNCTOR(name, op)                                    \
    struct name {                                                 \
        template <class A, class B>                               \
        constexpr auto operator()(const A& a, const B& b) const { \
            return a op b;                                        \
        }                                                         \
    };
OPUS_FUNCTOR(plus, +)
OPUS_FUNCTOR(minus, -)
OPUS_FUNCTOR(multiplies, *)
OPUS_FUNCTOR(divides, /)
#undef OPUS_FUNCTOR

// == 3. seq =======================================================================================
//
// A list of integers as a type; code is unrolled with it. Main names: seq, make_index_seq,
// concat_seq, reduce_seq. Look first at make_index_seq.

// Integers that are part of the type.
template <index_t... Is>
struct seq {
    using value_type = index_t;

    static constexpr index_t size() { return sizeof...(Is); }
    // @pre 0 <= i < size(); a violation is an error in a constant expression
    static constexpr index_t at(index_t i) {
        static_assert(sizeof...(Is) > 0, "opus::seq: an empty seq has no element");
        const index_t values[] = {Is...};
        return values[i];
    }
    template <index_t Idx>
    static constexpr index_t at() {
        static_assert(Idx >= 0 && Idx < size(), "opus::seq: index out of range");
        return Idx >= 0 && Idx < size() ? at(Idx) : 0;
    }
    template <index_t Idx>
    static constexpr index_t at(number<Idx>) {
        return at<Idx>();
    }
    template <class Index>
    constexpr index_t operator[](Index i) const {
        if constexpr (is_constant_v<Index>) {
            return at(i);
        } else {
            return at(static_cast<index_t>(i));
        }
    }
};

template <class T>
struct is_seq : false_type {};
template <index_t... Is>
struct is_seq<seq<Is...>> : true_type {};
template <class T>
inline constexpr bool is_seq_v = is_seq<__remove_cvref(T)>::value;

template <index_t Idx, index_t... Is>
constexpr index_t get(seq<Is...> s) {
    return s.template at<Idx>();
}

namespace impl {
template <class T, T... Is>
struct index_seq {
    template <index_t Start, index_t Step>
    using affine = seq<(Start + static_cast<index_t>(Is) * Step)...>;
};
template <index_t Size, index_t Start, index_t Step>
using affine_seq =
    typename __make_integer_seq<index_seq, index_t, Size>::template affine<Start, Step>;

template <index_t... Bounds>
struct index_range {
    static_assert(sizeof...(Bounds) < 0,
                  "opus::make_index_seq: takes <N>, <Start, End> or "
                  "<Start, End, Step>");
};
template <index_t Size>
struct index_range<Size> {
    static_assert(Size >= 0, "opus::make_index_seq: the length must not be negative");
    using type = affine_seq<Size, 0, 1>;
};
template <index_t Start, index_t End>
struct index_range<Start, End> {
    using type = affine_seq<(End > Start ? End - Start : 0), Start, 1>;
};
template <index_t Start, index_t End, index_t Step>
struct index_range<Start, End, Step> {
    static_assert(Step > 0, "opus::make_index_seq: the step must be positive");
    static constexpr index_t size = Step > 0 && End > Start ? (End - Start + Step - 1) / Step : 0;
    using type = affine_seq<size, Start, Step>;
};

// Wraps a value so that + concatenates, for a fold. Each container adds its own operator+.
template <class Container>
struct joiner {
    Container value;
    constexpr joiner() = default;
    constexpr joiner(const Container& container) : value(container) {}
};
template <index_t... A, index_t... B>
constexpr auto operator+(joiner<seq<A...>>, joiner<seq<B...>>) {
    return joiner<seq<A..., B...>>{};
}

// Wraps a value so that + applies Functor, for a fold.
template <class Functor, class T>
struct reducer {
    T value;
};
template <class Functor, class A, class B>
constexpr auto operator+(const reducer<Functor, A>& a, const reducer<Functor, B>& b) {
    using result = remove_cvref_t<decltype(Functor{}(a.value, b.value))>;
    return reducer<Functor, result>{Functor{}(a.value, b.value)};
}
}  // namespace impl

// make_index_seq<4> -> seq<0, 1, 2, 3>; <2, 5> -> seq<2, 3, 4>; <0, 10, 4> -> seq<0, 4, 8>
template <index_t... Bounds>
using make_index_seq = typename impl::index_range<Bounds...>::type;

// make_repeated_seq<7, 3> -> seq<7, 7, 7>
template <index_t V, index_t Size>
using make_repeated_seq = impl::affine_seq<Size, V, 0>;

template <index_t First, index_t... Rest>
constexpr auto seq_pop_front(seq<First, Rest...>) {
    return seq<Rest...>{};
}
__attribute__((unavailable("opus::seq_pop_front: the seq is empty"))) constexpr seq<> seq_pop_front(
    seq<>);

// concat_seq(seq<1, 2>{}, seq<3>{}, ...) -> seq<1, 2, 3, ...>
template <class... Seqs>
constexpr auto concat_seq(Seqs...) {
    if constexpr ((is_seq_v<Seqs> && ...)) {
        return (impl::joiner<seq<>>{} + ... + impl::joiner<Seqs>{}).value;
    } else {
        static_assert(false, "opus::concat_seq: takes seqs");
    }
}

// Folds from the left into a seq of one element; an empty seq stays empty.
// reduce_seq<minus>(seq<9, 3, 1>{}) -> seq<5>
template <class Functor, index_t... Is>
constexpr auto reduce_seq(seq<Is...> s) {
    if constexpr (sizeof...(Is) == 0) {
        return s;
    } else {
        return seq<(... + impl::reducer<Functor, index_t>{Is}).value>{};
    }
}
template <index_t... Is>
constexpr auto reduce_seq_sum(seq<Is...> s) {
    return reduce_seq<plus>(s);
}
template <index_t... Is>
constexpr auto reduce_seq_mul(seq<Is...> s) {
    return reduce_seq<multiplies>(s);
}

// == 4. loops =====================================================================================
//
// Loops that are unrolled at compile time, as arrays in registers need. Main names:
// static_for, and static_ford for nested loops. Look first at static_for.

namespace impl {
template <class F, index_t... Is>
constexpr void unroll(F& f, seq<Is...>) {
    (static_cast<void>(f(number<Is>{})), ...);
}
}  // namespace impl

// static_for<4>(f): f(0_I), f(1_I), f(2_I), f(3_I); the bounds are those of make_index_seq.
template <index_t... Bounds, class F>
constexpr void static_for(F&& f) {
    impl::unroll(f, make_index_seq<Bounds...>{});
}

// f(i) for i = start, start + step, ... < end. If start, end and step are constants, the loop is
// unrolled and i is a number; otherwise it is a loop at run time and i is an index_t.
// @pre step > 0
template <class F, class Start, class End, class Step = number<1>>
constexpr void static_for(F&& f, Start start, End end, Step step = {}) {
    if constexpr (is_constant_v<Start> && is_constant_v<End> && is_constant_v<Step>) {
        impl::unroll(f, make_index_seq<Start::value, End::value, Step::value>{});
    } else {
        const auto last = static_cast<index_t>(end);
        const auto stride = static_cast<index_t>(step);
        for (auto i = static_cast<index_t>(start); i < last; i += stride) {
            f(i);
        }
    }
}
template <class F, class End>
constexpr void static_for(F&& f, End end) {
    static_for(f, number<0>{}, end);
}

namespace impl {
// The product of extents[first], ..., extents[end - 1].
constexpr index_t product_of(const index_t* extents, index_t first, index_t end) {
    index_t product = 1;
    for (index_t i = first; i < end; i++) {
        product *= extents[i];
    }
    return product;
}
// Nested loops over Extents..., last index fastest. In a given step, the index of loop d is
// step / inner(d) % (extent of d).
template <index_t... Extents>
struct loop_nest {
    static constexpr index_t steps = (1 * ... * Extents);

    static constexpr index_t inner(index_t d) {
        const index_t extents[] = {Extents..., 1};
        return product_of(extents, d + 1, sizeof...(Extents));
    }
    template <index_t Step, class F, index_t... Ds>
    static constexpr auto call(F& f, seq<Ds...>) {
        return f(number<Step / inner(Ds) % Extents>{}...);
    }
    template <class F, index_t... Steps>
    static constexpr void unroll(F& f, seq<Steps...>) {
        (static_cast<void>(call<Steps>(f, make_index_seq<sizeof...(Extents)>{})), ...);
    }
};
}  // namespace impl

// static_ford<2, 3>(f): f(0_I, 0_I), f(0_I, 1_I), f(0_I, 2_I), f(1_I, 0_I), ...
// An empty list of extents calls f() once.
template <index_t... Extents, class F>
constexpr void static_ford(F&& f) {
    static_assert(((Extents >= 0) && ...), "opus::static_ford: extents must not be negative");
    using nest = impl::loop_nest<Extents...>;
    nest::unroll(f, make_index_seq<nest::steps>{});
}
template <index_t... Extents, class F>
constexpr void static_ford(seq<Extents...>, F&& f) {
    static_ford<Extents...>(f);
}

// == 5. array =====================================================================================
//
// A number of values of one type, packed if one takes less than a byte. Main names: array,
// make_array, get, concat_array. Look first at array; impl::elements stores the values.

// Whether T takes fewer bits than a byte or is a code of a small format (section 10). A value is a
// byte that holds its code. Arrays and vectors of T are bit strings.
// @pre of a specialisation: T has the members of impl::dpacks, `storage`, `bits` and `value`
template <class T>
struct is_packs : bool_constant<is_any_of_v<T, struct fp4_t, struct fp6_t, struct bf6_t,
                                            struct e8m0_t, struct int4_t, struct uint4_t>> {};
template <class T>
inline constexpr bool is_packs_v = is_packs<__remove_cvref(T)>::value;

namespace impl {
template <class T, bool = is_packs<T>::value>
struct bits_of {
    static constexpr index_t value = 8 * static_cast<index_t>(sizeof(T));
};
template <class T>
struct bits_of<T, true> {
    static constexpr index_t value = T::bits;
};
template <>
struct bits_of<void, false> {
    static constexpr index_t value = 0;
};
}  // namespace impl

// The size of one value of T in bits; 0 for void.
template <class T>
struct sizeof_bits : impl::bits_of<T> {};
template <class T>
inline constexpr index_t sizeof_bits_v = sizeof_bits<__remove_cvref(T)>::value;

namespace impl {
// Whether arrays and vectors of T are bit strings.
template <class T>
inline constexpr bool is_packed_v = sizeof_bits_v<T> % 8 != 0;

// A reference to the code of one element of a bit string; assignment copies the code. Element i has
// the bits [i * bits, (i + 1) * bits), counted from the lowest bit of the first byte.
template <class T, class Bytes>
struct packed_code {
    using storage = typename T::storage;

    Bytes& bytes;
    index_t first;  // byte
    index_t shift;  // the bit of that byte where the code begins

    constexpr packed_code(Bytes& all, index_t i)
        : bytes(all), first(i * bits / 8), shift(i * bits % 8) {}
    packed_code(const packed_code&) = default;
    constexpr operator storage() const { return static_cast<storage>(two_bytes() >> shift & mask); }
    constexpr const packed_code& operator=(storage x) const {
        const unsigned code = static_cast<unsigned>(x) & mask;
        const unsigned changed = (two_bytes() & ~(mask << shift)) | code << shift;
        bytes[first] = static_cast<unsigned char>(changed);
        if (is_in_two()) {
            bytes[first + 1] = static_cast<unsigned char>(changed >> 8);
        }
        return *this;
    }
    constexpr const packed_code& operator=(const packed_code& other) const {
        return *this = static_cast<storage>(other);
    }

private:
    static constexpr index_t bits = sizeof_bits_v<T>;
    static constexpr unsigned mask = (1u << bits) - 1;

    constexpr bool is_in_two() const { return shift + bits > 8; }
    constexpr unsigned two_bytes() const {
        return bytes[first] | (is_in_two() ? static_cast<unsigned>(bytes[first + 1]) << 8 : 0);
    }
};

// What a[i] is for an array of packed elements: it reads and writes the element's bits, as a whole
// (a[i] = x) or by its code (a[i].value = 5), converts to T, and to int if T does. Assigning one to
// another copies the element.
struct no_number {};
template <class T, class Bytes>
struct packed_reference {
    using number = __type_pack_element<__is_convertible(T, int), no_number, int>;

    packed_code<T, Bytes> value;

    constexpr packed_reference(Bytes& all, index_t i) : value(all, i) {}
    packed_reference(const packed_reference&) = default;
    constexpr operator T() const { return T{value}; }
    constexpr operator number() const {
        if constexpr (__is_convertible(T, int)) {
            return T{value};
        } else {
            return {};
        }
    }
    constexpr const packed_reference& operator=(T x) const {
        value = x.value;
        return *this;
    }
    constexpr const packed_reference& operator=(const packed_reference& other) const {
        value = other.value;
        return *this;
    }
};

// The type of a value outside its container: for a reference object, the type of the element.
template <class T>
struct element_value {
    using type = T;
};
template <class T, class Bytes>
struct element_value<packed_reference<T, Bytes>> {
    using type = T;
};

// The storage of an array or a packed vector.
struct given {};
template <class T, index_t Size, bool = is_packed_v<T>>
struct elements {
    using reference = T&;
    using const_reference = const T&;
    static constexpr index_t nstore = Size;

    T content[Size > 0 ? Size : 1];

    // Not {}: for an array of vectors, {} is a loop that the compiler may leave rolled.
    constexpr elements() : content() {}
    template <class... Us>
    constexpr elements(given, const Us&... values) : content{static_cast<T>(values)...} {}

    constexpr T& at(index_t i) { return content[i]; }
    constexpr const T& at(index_t i) const { return content[i]; }
};
template <class T, index_t Size>
struct elements<T, Size, true> {
    static_assert(
        !__is_const(T),
        "opus::array: const elements below a byte are not available (make the array const)");
    static constexpr index_t nstore = (Size * sizeof_bits_v<T> + 7) / 8;
    using bytes = unsigned char[nstore + (Size == 0)];
    using reference = packed_reference<T, bytes>;
    using const_reference = T;

    bytes content{};

    constexpr elements() = default;
    template <class... Us>
    constexpr elements(given, const Us&... values) {
        index_t i = 0;
        ((at(i++) = static_cast<T>(values)), ...);
    }

    constexpr reference at(index_t i) { return {content, i}; }
    constexpr T at(index_t i) const { return packed_reference<T, const bytes>(content, i); }
};

template <class T>
constexpr bool same_element(const T& a, const T& b) {
    if constexpr (is_packs_v<T>) {
        return a.value == b.value;
    } else {
        return a == b;
    }
}

template <index_t Idx, index_t Size>
struct array_index {
    static_assert(Idx >= 0 && Idx < Size, "opus::array: index out of range");
    static constexpr index_t value = Idx;
};
}  // namespace impl

// Size values of type T; a value that is not given is zero. Elements smaller than a byte are
// packed: [] returns a reference object that reads and writes the element's bits. `nstore` is the
// number of elements of `content`, which are bytes if the array is packed.
// sizeof(array<fp4_t, 8>) -> 4
template <class T, index_t Size>
struct array : impl::elements<T, Size> {
    static_assert(Size >= 0, "opus::array: the size must not be negative");
    using value_type = T;
    static constexpr bool is_packed = impl::is_packed_v<T>;

    template <class... Us>
    static constexpr bool from_values = sizeof...(Us) > 0 && (__is_convertible(Us, T) && ...) &&
                                        !(__is_same(remove_cvref_t<Us>, array) && ...);

    constexpr array() = default;

    // At most Size values, each convertible to T; the others are zero. A single value makes an
    // array of several elements only if the type is named, as in array<int, 4>{7}.
    template <class... Us, impl::enable_if_t<(sizeof...(Us) == Size ||
                                              (sizeof...(Us) < Size && sizeof...(Us) > 1)) &&
                                             from_values<Us...>> = 0>
    constexpr array(Us&&... values) : impl::elements<T, Size>(impl::given{}, values...) {}
    template <class U, impl::enable_if_t<(1 < Size) && from_values<U>> = 0>
    constexpr explicit array(U&& value) : impl::elements<T, Size>(impl::given{}, value) {}
    template <class... Us, impl::enable_if_t<(sizeof...(Us) > Size && sizeof...(Us) > 1)> = 0>
    __attribute__((
        unavailable("opus::array: takes as many values as it has elements, or "
                    "fewer"))) constexpr array(Us&&... values);

    static constexpr index_t size() { return Size; }
    static constexpr bool empty() { return Size == 0; }

    // @pre 0 <= i < Size
    constexpr decltype(auto) operator[](index_t i) & { return this->at(i); }
    constexpr decltype(auto) operator[](index_t i) const& { return this->at(i); }
    constexpr T operator[](index_t i) && { return this->at(i); }
    template <index_t Idx>
    constexpr decltype(auto) operator[](number<Idx>) & {
        return this->at(impl::array_index<Idx, Size>::value);
    }
    template <index_t Idx>
    constexpr decltype(auto) operator[](number<Idx>) const& {
        return this->at(impl::array_index<Idx, Size>::value);
    }
    template <index_t Idx>
    constexpr T operator[](number<Idx>) && {
        return this->at(impl::array_index<Idx, Size>::value);
    }

    // Unrolled by construction: a loop that the compiler does not unroll would index registers at
    // run time.
    constexpr void fill(const T& value) {
        [&]<index_t... Is>(seq<Is...>) { ((this->at(Is) = value), ...); }(make_index_seq<Size>{});
    }
    constexpr void clear() { *this = array{}; }

    friend constexpr bool operator==(const array& a, const array& b) {
        return [&]<index_t... Is>(seq<Is...>) {
            return (true && ... && impl::same_element<T>(a.at(Is), b.at(Is)));
        }(make_index_seq<Size>{});
    }
    friend constexpr bool operator!=(const array& a, const array& b) { return !(a == b); }
};

template <class T>
struct is_array : false_type {};
template <class T, index_t Size>
struct is_array<array<T, Size>> : true_type {};
template <class T>
inline constexpr bool is_array_v = is_array<__remove_cvref(T)>::value;

template <index_t Idx, class T, index_t Size>
constexpr decltype(auto) get(array<T, Size>& a) {
    return a[number<Idx>{}];
}
template <index_t Idx, class T, index_t Size>
constexpr decltype(auto) get(const array<T, Size>& a) {
    return a[number<Idx>{}];
}
template <index_t Idx, class T, index_t Size>
constexpr T get(array<T, Size>&& a) {
    return a[number<Idx>{}];
}

namespace impl {
// The type in which a container stores a value. For a constant, this is its value_type.
template <class T, bool = is_constant_v<T>>
struct stored : element_value<T> {};
template <class T>
struct stored<T, true> {
    using type = typename T::value_type;
};
template <class T>
using stored_t = typename stored<remove_cvref_t<T>>::type;

// The common type of T... by the arithmetic conversions. operator+ combines two types, for a fold.
template <class T>
struct common {
    using type = T;
    static T value();
};
template <class A, class B>
constexpr auto operator+(common<A> a, common<B> b) {
    return common<remove_cvref_t<decltype(true ? a.value() : b.value())>>{};
}
// The element type of make_array<D>(...) and make_vector<D>(...): D, or the common type for void.
template <class D, class... Ts>
struct element_type {
    using type = D;
};
template <class... Ts>
struct element_type<void, Ts...> : decltype((common<stored_t<Ts>>{} + ...)) {};

template <class To, class A, class B, index_t... Ia, index_t... Ib>
constexpr To join_elements(const A& a, const B& b, seq<Ia...>, seq<Ib...>) {
    return To{a[Ia]..., b[Ib]...};
}
template <class T, index_t NA, class U, index_t NB>
constexpr auto operator+(const joiner<array<T, NA>>& a, const joiner<array<U, NB>>& b) {
    if constexpr (__is_same(T, U)) {
        return joiner{join_elements<array<T, NA + NB>>(a.value, b.value, make_index_seq<NA>{},
                                                       make_index_seq<NB>{})};
    } else {
        static_assert(false, "opus::concat_array: the element types must be the same");
        return a;
    }
}
}  // namespace impl

// make_array(1, 2.5f) -> array<float, 2>; make_array<D>(...) converts to D
template <class D = void, class... Ts>
constexpr auto make_array(const Ts&... values) {
    if constexpr (sizeof...(Ts) > 0 || !is_same_v<D, void>) {
        using dtype = typename impl::element_type<D, Ts...>::type;
        return array<dtype, sizeof...(Ts)>{static_cast<dtype>(values)...};
    } else {
        static_assert(false, "opus::make_array: at least one value is required (or array<T, 0>{})");
    }
}

// The elements of all arrays, in order.
template <class... Arrays>
constexpr auto concat_array(const Arrays&... arrays) {
    if constexpr (sizeof...(Arrays) > 0 && (is_array_v<Arrays> && ...)) {
        return (impl::joiner<Arrays>{arrays} + ...).value;
    } else {
        static_assert(false, "opus::concat_array: takes arrays, at least one");
    }
}

template <class T, index_t Size>
constexpr void clear(array<T, Size>& a) {
    a.clear();
}
template <class T, index_t Size, class U>
constexpr void fill(array<T, Size>& a, const U& value) {
    a.fill(static_cast<T>(value));
}

// == 6. tuple =====================================================================================
//
// Values of different types, of which those that are constants take no space. Main names: tuple,
// make_tuple, get, concat_tuple, transform_tuple, embed. Look first at tuple.

template <class... T>
struct tuple;

namespace impl {
// Whether a type has only one value. A tuple does not store that value but creates it on access.
// (Only an empty type is asked for a default constructor.)
template <class T, bool = __is_empty(T)>
inline constexpr bool is_stateless_v = false;
template <class T>
inline constexpr bool is_stateless_v<T, true> = __is_trivially_constructible(T);

// The factor of a stateless element in a sum of products: the value of a constant, 0 for an
// underscore. (Elements of other stateless types do not occur in such sums.)
template <class T, bool = is_constant_v<T>>
inline constexpr auto stateless_value_v = 0;
template <class T>
inline constexpr auto stateless_value_v<T, true> = T::value;

template <index_t Idx, class T, bool IsStateless = is_stateless_v<T>>
struct tuple_leaf {
    T value{};
};
template <index_t Idx, class T>
struct tuple_leaf<Idx, T, true> {
    static constexpr auto value = stateless_value_v<T>;

    constexpr tuple_leaf() = default;
    constexpr tuple_leaf(const T&) {}
};

template <index_t Idx, class... T>
using leaf_of = tuple_leaf<Idx, __type_pack_element<Idx, T...>>;

// An element of a tuple, for the library: get<Idx> would take the compiler longer.
template <index_t Idx, class T, bool IsStateless>
constexpr decltype(auto) element(const tuple_leaf<Idx, T, IsStateless>& leaf) {
    if constexpr (IsStateless) {
        return T{};
    } else {
        return (leaf.value);
    }
}

template <class Indices, class... T>
struct tuple_base;
template <index_t... Is, class... T>
struct tuple_base<seq<Is...>, T...> : tuple_leaf<Is, T>... {};
}  // namespace impl

// Stateless elements (numbers, underscores, tuples of them) take no space; get<Idx> returns them by
// value and all others by reference.
// sizeof(tuple<number<1>, int>) -> 4
template <class... T>
struct tuple : impl::tuple_base<make_index_seq<sizeof...(T)>, T...> {
    using base = typename tuple::tuple_base;

    constexpr tuple() = default;
    constexpr tuple(const T&... values) : base{{values}...} {}
    static constexpr index_t size() { return sizeof...(T); }
};
template <>
struct tuple<> : impl::tuple_base<seq<>> {
    static constexpr index_t size() { return 0; }
};

template <class T>
struct is_tuple : false_type {};
template <class... T>
struct is_tuple<tuple<T...>> : true_type {};
template <class T>
inline constexpr bool is_tuple_v = is_tuple<__remove_cvref(T)>::value;

namespace impl {
template <index_t Idx, class T>
struct tuple_element;
template <index_t Idx, class... T>
struct tuple_element<Idx, tuple<T...>> {
    static_assert(Idx >= 0 && Idx < static_cast<index_t>(sizeof...(T)),
                  "opus::tuple: index out of range");
    using type = __type_pack_element<Idx, T...>;
};

template <class T, index_t>
using repeated_t = T;
template <class T, index_t... Is>
OPUS_H_D auto tuple_of_repeated(seq<Is...>) -> tuple<repeated_t<T, Is>...>;
}  // namespace impl

template <index_t Idx, class T>
using tuple_element_t = typename impl::tuple_element<Idx, remove_cvref_t<T>>::type;
// tuple_array<T, 3> -> tuple<T, T, T>
template <class T, index_t Size>
using tuple_array = decltype(impl::tuple_of_repeated<T>(make_index_seq<Size>{}));

template <index_t Idx, class... T>
constexpr decltype(auto) get(tuple<T...>& t) {
    static_assert(Idx >= 0 && Idx < tuple<T...>::size(), "opus::tuple: index out of range");
    if constexpr (Idx < 0 || Idx >= tuple<T...>::size()) {
    } else if constexpr (impl::is_stateless_v<__type_pack_element<Idx, T...>>) {
        return __type_pack_element<Idx, T...>{};
    } else {
        return (static_cast<impl::leaf_of<Idx, T...>&>(t).value);
    }
}
template <index_t Idx, class... T>
constexpr decltype(auto) get(const tuple<T...>& t) {
    static_assert(Idx >= 0 && Idx < tuple<T...>::size(), "opus::tuple: index out of range");
    if constexpr (Idx >= 0 && Idx < tuple<T...>::size()) {
        return impl::element<Idx>(t);
    }
}
template <index_t Idx, class... T>
constexpr auto get(tuple<T...>&& t) -> __type_pack_element<Idx, T...> {
    return impl::element<Idx>(t);
}

// The tuple owns its values: types decay, and references to packed elements become elements. (The
// separate first parameter makes this a better match than std::make_tuple, which argument-dependent
// lookup finds for numbers.)
template <class First, class... Rest>
constexpr auto make_tuple(First&& first, Rest&&... rest) {
    using result = tuple<typename impl::element_value<__decay(First)>::type,
                         typename impl::element_value<__decay(Rest)>::type...>;
    if constexpr (impl::is_stateless_v<result>) {
        return result{};
    } else {
        return result(first, rest...);
    }
}
constexpr tuple<> make_tuple() {
    return {};
}

namespace impl {
template <index_t... Ia, class... A, index_t... Ib, class... B>
constexpr auto join(const tuple_base<seq<Ia...>, A...>& a, const tuple_base<seq<Ib...>, B...>& b) {
    return make_tuple(element<Ia>(a)..., element<Ib>(b)...);
}
template <class... A, class... B>
constexpr auto operator+(const joiner<tuple<A...>>& a, const joiner<tuple<B...>>& b) {
    return joiner{join(a.value, b.value)};
}

// The number of elements of a tuple; -1 for another type.
template <class T>
inline constexpr index_t tuple_size_v = -1;
template <class... T>
inline constexpr index_t tuple_size_v<tuple<T...>> = sizeof...(T);
// Of these, those whose type is Target.
template <class Target, class T>
inline constexpr index_t tuple_count_v = 0;
template <class Target, class... T>
inline constexpr index_t tuple_count_v<Target, tuple<T...>> =
    (0 + ... + static_cast<index_t>(__is_same(Target, T)));
}  // namespace impl

template <index_t Size, class T>
constexpr auto make_repeated_tuple(const T& x) {
    return [&]<index_t... Is>(seq<Is...>) {
        return make_tuple((static_cast<void>(Is), x)...);
    }(make_index_seq<Size>{});
}
template <class T, index_t Size>
constexpr auto make_repeated_tuple(const T& x, number<Size>) {
    return make_repeated_tuple<Size>(x);
}

// The elements of all tuples, in order.
template <class... Tuples>
constexpr auto concat_tuple(const Tuples&... tuples) {
    if constexpr ((is_tuple_v<Tuples> && ...)) {
        return (impl::joiner<tuple<>>{} + ... + impl::joiner<Tuples>{tuples}).value;
    } else {
        static_assert(false, "opus::concat_tuple: takes tuples");
    }
}

// The leaves of t from left to right, at any depth. A value that is not a tuple is a leaf.
// explode_tuple(make_tuple(1, make_tuple(2, 3))) -> (1, 2, 3);  explode_tuple(1) -> (1)
template <class T>
constexpr auto explode_tuple(const T& t) {
    if constexpr (is_tuple_v<T>) {
        return [&]<index_t... Is>(seq<Is...>) {
            return concat_tuple(explode_tuple(impl::element<Is>(t))...);
        }(make_index_seq<T::size()>{});
    } else {
        return make_tuple(t);
    }
}

// The leaves of a tuple of tuples, as one tuple.
// flatten_tuple(make_tuple(make_tuple(1, 2), make_tuple(3))) -> (1, 2, 3)
template <class... T>
constexpr auto flatten_tuple(const tuple<T...>& t) {
    return explode_tuple(t);
}

// Each tuple of `outer`, with the elements of the corresponding tuple of `inner` appended.
// ((a, b), (c)) and ((d), (e, f)) -> ((a, b, d), (c, e, f))
template <index_t... Is, class... Outer, class... Inner>
constexpr auto embed_nested_tuple(const impl::tuple_base<seq<Is...>, Outer...>& outer,
                                  const tuple<Inner...>& inner) {
    static_assert(sizeof...(Outer) == sizeof...(Inner),
                  "opus::embed_nested_tuple: the two tuples must have the same size");
    if constexpr (sizeof...(Outer) == sizeof...(Inner)) {
        return make_tuple(concat_tuple(impl::element<Is>(outer), impl::element<Is>(inner))...);
    }
}

// The number of elements whose type is exactly Target.
template <class Target, class T>
constexpr index_t tuple_count() {
    static_assert(is_tuple_v<T>, "opus::tuple_count: takes a tuple");
    return impl::tuple_count_v<Target, remove_cvref_t<T>>;
}
template <class Target, class... T>
constexpr index_t tuple_count(const tuple<T...>&) {
    return impl::tuple_count_v<Target, tuple<T...>>;
}

// seq<2, 3> -> (2_I, 3_I)
template <index_t... Is>
constexpr auto seq_to_tuple(seq<Is...>) {
    return tuple<number<Is>...>{};
}
template <index_t... Is>
constexpr auto to_tuple(seq<Is...> s) {
    return seq_to_tuple(s);
}

template <class... T>
constexpr auto to_tuple(const tuple<T...>& t) {
    return t;
}

template <class... Extents, class F>
constexpr void static_ford(tuple<Extents...>, F&& f) {
    static_ford<Extents::value...>(f);
}

// Folds from the left into a tuple of one element; an empty tuple stays empty.
// reduce_tuple<plus>(make_tuple(1_I, 2_I, n)) -> (3 + n)
template <class Functor, index_t... Is, class... T>
constexpr auto reduce_tuple(const impl::tuple_base<seq<Is...>, T...>& t) {
    if constexpr (sizeof...(T) == 0) {
        return tuple<>{};
    } else {
        return make_tuple((... + impl::reducer<Functor, T>{impl::element<Is>(t)}).value);
    }
}
template <class... T>
constexpr auto reduce_tuple_sum(const tuple<T...>& t) {
    return reduce_tuple<plus>(t);
}
template <class... T>
constexpr auto reduce_tuple_mul(const tuple<T...>& t) {
    return reduce_tuple<multiplies>(t);
}

// (f(t0), f(t1), ...)
template <class F, index_t... Is, class... T>
constexpr auto transform_tuple(F&& f, const impl::tuple_base<seq<Is...>, T...>& t) {
    return make_tuple(f(impl::element<Is>(t))...);
}
// (f(t0, 0_I), f(t1, 1_I), ...)
template <class F, index_t... Is, class... T>
constexpr auto transform_tuple_with_idx(F&& f, const impl::tuple_base<seq<Is...>, T...>& t) {
    return make_tuple(f(impl::element<Is>(t), number<Is>{})...);
}

namespace impl {
template <class T>
inline constexpr bool is_long_v = __is_integral(T) && sizeof(T) > sizeof(index_t);
template <class T>
inline constexpr bool is_index_v =
    is_constant_v<T> || is_underscore_v<T> || (__is_integral(T) && !is_long_v<T>);
// The type for arithmetic on offsets with a T at run time: a signed integer for an integer.
template <class T>
using integer_t =
    __type_pack_element<is_index_v<T> ? 0 : 2 - is_long_v<T>, index_t, long_index_t, T>;
// Converts x for arithmetic on offsets: a constant that fits index_t to a number, a run-time
// integer to a signed one.
template <class T>
constexpr auto as_index(const T& x) {
    if constexpr (is_constant_v<T>) {
        if constexpr (static_cast<index_t>(T::value) == T::value) {
            return number<static_cast<index_t>(T::value)>{};
        } else {
            return x;
        }
    } else {
        return static_cast<integer_t<T>>(x);
    }
}
// The unsigned integer for arithmetic in T. It has at least the size of an int.
template <class T>
using unsigned_t =
    __type_pack_element<(sizeof(T) > sizeof(unsigned)), unsigned, unsigned long long>;
// The sum and the product of offsets. Integers wrap around at the width of the result's type, as
// the hardware's offsets do: 32 bits for index_t. The result for numbers is a number. (Parameters
// are values: through a reference the compiler loses track of constants.)
template <class... T>
constexpr auto wrap_add(T... x) {
    using sum = decltype((... + x));
    if constexpr (__is_integral(sum)) {
        return static_cast<sum>((... + static_cast<unsigned_t<sum>>(x)));
    } else {
        return (... + x);
    }
}
template <class... T>
constexpr auto wrap_mul(T... x) {
    using product = decltype((... * x));
    if constexpr (__is_integral(product)) {
        return static_cast<product>((... * static_cast<unsigned_t<product>>(x)));
    } else {
        return (... * x);
    }
}
// The sum of the products of the elements, which is the offset for indices and strides. An
// underscore counts as 0.
template <index_t... Is, class... A, class... B>
constexpr auto dot(const tuple_base<seq<Is...>, A...>& a, const tuple_base<seq<Is...>, B...>& b) {
    if constexpr ((is_constant_v<A> && ...) && (is_constant_v<B> && ...)) {
        return number<(0 + ... + (A::value * B::value))>{};
    } else if constexpr ((is_index_v<A> && ...) && (is_index_v<B> && ...)) {
        // wrap_add(wrap_mul(...)...) without calls: layouts take most of their compile time here.
        return static_cast<index_t>(
            (0u + ... +
             (static_cast<unsigned>(static_cast<const tuple_leaf<Is, A>&>(a).value) *
              static_cast<unsigned>(static_cast<const tuple_leaf<Is, B>&>(b).value))));
    } else {
        return wrap_add(
            wrap_mul(static_cast<integer_t<A>>(static_cast<const tuple_leaf<Is, A>&>(a).value),
                     static_cast<integer_t<B>>(static_cast<const tuple_leaf<Is, B>&>(b).value))...);
    }
}
}  // namespace impl

// The scalar product of indices and strides, a0 * b0 + a1 * b1 + ..., which embeds the space of
// indices in the offsets. It is a number if all elements are constants.
template <class... A, class... B>
constexpr auto embed(const tuple<A...>& a, const tuple<B...>& b) {
    static_assert(sizeof...(A) == sizeof...(B),
                  "opus::embed: the two tuples must have the same size");
    static_assert(!(is_underscore_v<A> || ...) && !(is_underscore_v<B> || ...),
                  "opus::embed: an underscore has no value");
    if constexpr (sizeof...(A) == sizeof...(B)) {
        return impl::dot(a, b);
    } else {
        return 0;
    }
}

// Whether every leaf of the tuple is a constant or an underscore.
template <class T>
struct is_static_tuple : false_type {};
template <class T>
inline constexpr bool is_static_tuple_v = is_static_tuple<__remove_cvref(T)>::value;
template <class... T>
struct is_static_tuple<tuple<T...>>
    : bool_constant<((is_constant_v<T> || is_underscore_v<T> || is_static_tuple_v<T>) && ...)> {};

namespace impl {
// How many of the first `end` Hits are true, and the position of the n-th (from 0) that is.
template <bool... Hits>
constexpr index_t count_before(index_t end) {
    const bool hits[] = {Hits..., false};
    index_t n = 0;
    for (index_t i = 0; i < end; i++) {
        n += hits[i];
    }
    return n;
}
template <bool... Hits>
constexpr index_t nth_position(index_t n) {
    const bool hits[] = {Hits..., true};
    index_t i = 0;
    while (!hits[i] || n-- > 0) {
        i++;
    }
    return i;
}
// Entry Idx of a tuple with holes where IsHole is true: they take the elements of income, in order.
template <index_t Idx, bool... IsHole, class Peephole, class Income>
constexpr auto peephole_pick(const Peephole& peephole, const Income& income) {
    constexpr index_t before = count_before<IsHole...>(Idx);
    if constexpr (count_before<IsHole...>(Idx + 1) > before) {
        return element<before>(income);
    } else {
        return element<Idx>(peephole);
    }
}
}  // namespace impl

// Replaces each _ of `peephole`, in order, with the next element of `income`. A peephole without _
// is returned unchanged.
// ((_, 7, _), (1, 2)) -> (1, 7, 2)
template <index_t... Is, class... P, class... T>
constexpr auto merge_peepholed_tuple(const impl::tuple_base<seq<Is...>, P...>& peephole,
                                     const tuple<T...>& income) {
    constexpr index_t holes = (0 + ... + index_t{__is_same(P, underscore)});
    static_assert(holes == 0 || holes == static_cast<index_t>(sizeof...(T)),
                  "opus::merge_peepholed_tuple: as many values as underscores are required");
    return make_tuple(impl::peephole_pick<Is, __is_same(P, underscore)...>(peephole, income)...);
}

// == 7. vector ====================================================================================
//
// The compiler's own vectors, which memory and matrix instructions take. Main names: vector_t,
// vector_traits, make_vector, concat_vector, to_vector. Look first at vector_t.

namespace impl {
// A vector of codes, for which the compiler has no type: an array of the same size under another
// name.
template <class T, index_t Size>
struct packed_vector : array<T, Size> {
    using array<T, Size>::array;
};

// Aliases in one class, so that no class is instantiated for each vector type.
template <bool IsCode>
struct vector_kind {
    template <class T, index_t Size>
    using type __attribute__((ext_vector_type(Size))) = T;
};
template <>
struct vector_kind<true> {
    template <class T, index_t Size>
    using type = packed_vector<T, Size>;
};
}  // namespace impl

// The compiler's vector type, an ext_vector_type: Size elements in registers, with element-wise
// operators and v[i]. A vector of three elements has the size of a vector of four. Codes
// (section 10) are packed as in an array.
template <class T, index_t Size>
using vector_t = typename impl::vector_kind<is_packs_v<T>>::template type<__remove_cv(T), Size>;
template <class T, index_t Size>
struct vector {
    using type = vector_t<T, Size>;
};

namespace impl {
// The element type and the size of a container, a vector or a scalar.
template <class T, index_t Size, bool IsVector = false>
struct container_facts {
    using dtype = T;
    static constexpr bool is_vector = IsVector;
    static constexpr index_t size() { return Size; }
};
template <class T>
struct container_traits : container_facts<T, 1> {};
template <class T, index_t Size>
struct container_traits<T __attribute__((ext_vector_type(Size)))> : container_facts<T, Size, true> {
};
template <class T, index_t Size>
struct container_traits<array<T, Size>> : container_facts<__remove_cv(T), Size> {};
template <class T, index_t Size>
struct container_traits<packed_vector<T, Size>> : container_facts<__remove_cv(T), Size, true> {};
template <class... T>
struct container_traits<tuple<T...>>
    : container_facts<__type_pack_element<0, T..., void>, sizeof...(T)> {};
template <index_t... Is>
struct container_traits<seq<Is...>> : container_facts<index_t, sizeof...(Is)> {};
}  // namespace impl

// dtype and size() of a vector, an array or a tuple. A tuple has the dtype of its first element. A
// scalar has size 1 and its own type as dtype.
template <class T>
struct vector_traits : impl::container_traits<remove_cvref_t<T>> {};

template <class T>
struct get_value_type {
    using type = typename vector_traits<T>::dtype;
};
template <class T>
using get_value_t = typename get_value_type<__remove_cvref(T)>::type;

template <class T>
struct is_vector : bool_constant<impl::container_traits<T>::is_vector> {};
template <class T>
inline constexpr bool is_vector_v = is_vector<__remove_cvref(T)>::value;

// The number of elements of any container, from a value or from its type.
template <class T>
constexpr index_t size(const T&) {
    return vector_traits<T>::size();
}
template <class T>
constexpr index_t size() {
    return vector_traits<T>::size();
}
// Overloads for tuples, arrays, packed vectors and seqs. They are better matches than std::size,
// which argument-dependent lookup for numbers and `using namespace std` bring in.
template <class... T>
constexpr index_t size(const tuple<T...>&) {
    return sizeof...(T);
}
template <template <class, index_t> class Container, class T, index_t Size>
constexpr index_t size(const Container<T, Size>&) {
    return vector_traits<Container<T, Size>>::size();
}
template <index_t... Is>
constexpr index_t size(const seq<Is...>&) {
    return sizeof...(Is);
}

// Element Idx of a vector, by value. (A packed vector is an array and uses the array's get.)
template <index_t Idx, class T, index_t Size>
constexpr T get(const impl::vector_kind<false>::type<T, Size>& v) {
    static_assert(Idx >= 0 && Idx < Size, "opus::vector: index out of range");
    return v[Idx >= 0 && Idx < Size ? Idx : 0];
}

// get<1, 0>(x) -> get<0>(get<1>(x)), for nested containers
template <index_t Idx, index_t J, index_t... Rest, class T>
constexpr decltype(auto) get(T&& x) {
    return get<J, Rest...>(get<Idx>(static_cast<T&&>(x)));
}

// make_vector(1.0f, 2.0f) -> vector_t<float, 2>; make_vector<D>(...) converts to D
template <class D = void, class... Ts>
constexpr auto make_vector(const Ts&... values) {
    if constexpr (sizeof...(Ts) > 0) {
        using dtype = typename impl::element_type<D, Ts...>::type;
        return vector_t<dtype, sizeof...(Ts)>{static_cast<dtype>(values)...};
    } else {
        static_assert(false, "opus::make_vector: at least one value is required");
    }
}

namespace impl {
// A vector whose elements are all x.
template <class V, class T>
constexpr V splat(const T& x) {
    if constexpr (is_packs_v<get_value_t<V>>) {
        V v;
        v.fill(static_cast<get_value_t<V>>(x));
        return v;
    } else {
        return static_cast<V>(static_cast<get_value_t<V>>(x));
    }
}

// Whether elements smaller than a dword can be moved as whole dwords: shuffles of bytes and
// half-words in registers would cost instructions.
template <class T, index_t Size>
inline constexpr bool moves_as_dwords_v =
    !is_packed_v<T> && sizeof(T) < 4 && (sizeof(T) * Size) % 4 == 0;

template <class T, index_t Size>
using dwords_t = vector_t<unsigned, static_cast<index_t>(sizeof(T) * Size / 4)>;

// Elements from[start], from[start + step], ..., one for each of Is, as a container To.
template <class To, class From, index_t... Is>
constexpr To gathered(const From& from, index_t start, index_t step, seq<Is...>) {
    return To{from[start + Is * step]...};
}

// Elements [start, start + Length) of a vector; `start` is a constant once inlined.
// @pre !IsAligned || start * sizeof(element) % 4 == 0
template <index_t Length, bool IsAligned, class V>
constexpr auto subvector(const V& v, index_t start) {
    using T = get_value_t<V>;
    constexpr index_t size = vector_traits<V>::size();
    if constexpr (IsAligned && moves_as_dwords_v<T, size> && moves_as_dwords_v<T, Length>) {
        if (!__builtin_is_constant_evaluated()) {
            constexpr index_t per_dword = 4 / sizeof(T);
            const auto dwords = __builtin_bit_cast(dwords_t<T, size>, v);
            return __builtin_bit_cast(
                vector_t<T, Length>,
                gathered<dwords_t<T, Length>>(dwords, start / per_dword, 1,
                                              make_index_seq<Length / per_dword>{}));
        }
    }
    return gathered<vector_t<T, Length>>(v, start, 1, make_index_seq<Length>{});
}

template <class A, class B, enable_if_t<is_vector_v<A> && is_vector_v<B>> = 0>
constexpr auto operator+(const joiner<A>& a, const joiner<B>& b) {
    using T = get_value_t<A>;
    constexpr index_t na = vector_traits<A>::size();
    constexpr index_t nb = vector_traits<B>::size();
    if constexpr (!__is_same(T, get_value_t<B>)) {
        static_assert(false, "opus::concat_vector: the element types must be the same");
        return a;
    } else {
        if constexpr (moves_as_dwords_v<T, na> && moves_as_dwords_v<T, nb>) {
            if (!__builtin_is_constant_evaluated()) {
                const auto dwords = joiner{__builtin_bit_cast(dwords_t<T, na>, a.value)} +
                                    joiner{__builtin_bit_cast(dwords_t<T, nb>, b.value)};
                return joiner{__builtin_bit_cast(vector_t<T, na + nb>, dwords.value)};
            }
        }
        return joiner{join_elements<vector_t<T, na + nb>>(a.value, b.value, make_index_seq<na>{},
                                                          make_index_seq<nb>{})};
    }
}
}  // namespace impl

template <index_t Size, class T>
constexpr auto make_repeated_vector(const T& x) {
    return impl::splat<vector_t<impl::stored_t<T>, Size>>(x);
}
template <class T, index_t Size>
constexpr auto make_repeated_vector(const T& x, number<Size>) {
    return make_repeated_vector<Size>(x);
}

// The elements of all vectors, in order.
template <class... Vectors>
constexpr auto concat_vector(const Vectors&... vectors) {
    if constexpr (sizeof...(Vectors) > 0 && (is_vector_v<Vectors> && ...)) {
        return (impl::joiner<Vectors>{vectors} + ...).value;
    } else {
        static_assert(false, "opus::concat_vector: takes vectors, at least one");
    }
}

template <class V, impl::enable_if_t<is_vector_v<V>> = 0>
constexpr void fill(V& v, get_value_t<V> value) {
    v = impl::splat<V>(value);
}
template <class V, impl::enable_if_t<is_vector_v<V>> = 0>
constexpr void clear(V& v) {
    v = V{};
}

namespace impl {
// An array of vectors of P elements as one vector.
template <index_t P, class T, class From, index_t... Is>
constexpr auto gather_elements(const From& from, seq<Is...>) {
    return vector_t<T, sizeof...(Is)>{from[Is / P][Is % P]...};
}
// From 32 registers on by words of 64 bits: the compiler splits a large tile that a loop carries
// into the words that it was made of, and copies them one by one.
template <class T, index_t P, index_t Size, class From, index_t... Is>
constexpr auto gather_words(const From& from, seq<Is...>) {
    constexpr bool by_two = sizeof(T) * P % 8 == 0 && sizeof(T) * P * Size >= 128;
    using word = __type_pack_element<by_two, unsigned, unsigned long long>;
    constexpr index_t per_piece = sizeof(T) * P / sizeof(word);
    using words = vector_t<word, per_piece>;
    array<words, Size> pieces;
    ((pieces.content[Is] = __builtin_bit_cast(words, from.content[Is])), ...);
    const auto all = gather_elements<per_piece, word>(pieces, make_index_seq<Size * per_piece>{});
    return __builtin_bit_cast(vector_t<T, Size * P>, all);
}
// From 128 registers on, elements of 4 bytes or more are joined vector by vector, in pairs: one by
// one, they cost the compiler several times as much. (With smaller elements, this makes the
// compiler spill registers; for smaller tiles, it generates code that takes a few more registers.)
template <class V, index_t... Is>
constexpr auto join_two(const V& a, const V& b, seq<Is...>) {
    return __builtin_shufflevector(a, b, Is...);
}
// An array of vectors as one of half as many vectors of twice the length.
template <class V, index_t Size, index_t... Is>
constexpr auto join_pairs(const array<V, Size>& a, seq<Is...>) {
    using indices = make_index_seq<2 * vector_traits<V>::size()>;
    return array<vector_t<get_value_t<V>, 2 * vector_traits<V>::size()>, Size / 2>{
        join_two(a[2 * Is], a[2 * Is + 1], indices{})...};
}
template <class V, index_t Size>
constexpr auto flatten_vectors(const array<V, Size>& a) {
    using T = get_value_t<V>;
    constexpr index_t p = vector_traits<V>::size();
    if constexpr (Size == 1) {
        return a[0];
    } else if constexpr (sizeof(T) >= 4 && sizeof(a) >= 512 && Size % 2 == 0) {
        return flatten_vectors(join_pairs(a, make_index_seq<Size / 2>{}));
    } else {
        if constexpr (moves_as_dwords_v<T, p>) {
            if (!__builtin_is_constant_evaluated()) {
                return gather_words<T, p, Size>(a, make_index_seq<Size>{});
            }
        }
        return gather_elements<p, T>(a, make_index_seq<Size * p>{});
    }
}

// The inverse: a vector as an array of vectors of P elements. (A variable that is filled through
// pointers to pairs of half-words stays in registers: nothing larger than a dword is read of it.)
template <index_t P, class V, index_t... Is>
constexpr auto split_vector(const V& v, seq<Is...>) {
    array<vector_t<get_value_t<V>, P>, sizeof...(Is)> pieces;
    ((pieces.content[Is] = subvector<P, true>(v, Is * P)), ...);
    return pieces;
}
}  // namespace impl

template <class V, impl::enable_if_t<is_vector_v<V>> = 0>
constexpr auto to_array(const V& v) {
    return impl::gathered<array<get_value_t<V>, size<V>()>>(v, 0, 1, make_index_seq<size<V>()>{});
}
// Converts an array of scalars to a vector, and an array of vectors to one vector of all their
// elements.
template <class T, index_t Size>
constexpr auto to_vector(const array<T, Size>& a) {
    if constexpr (is_vector_v<T>) {
        return impl::flatten_vectors(a);
    } else {
        return impl::gathered<vector_t<T, Size>>(a, 0, 1, make_index_seq<Size>{});
    }
}

// The elements of an array or a vector, as a tuple.
template <class From, impl::enable_if_t<is_array_v<From> || is_vector_v<From>> = 0>
constexpr auto to_tuple(const From& from) {
    using result = tuple_array<get_value_t<From>, size<From>()>;
    return impl::gathered<result>(from, 0, 1, make_index_seq<size<From>()>{});
}

// == 8. slice =====================================================================================
//
// Parts of vectors, arrays and tuples. slice reads a range of elements, set_slice writes one. Look
// first at slice.

namespace impl {
// The elements Is... of a tuple.
template <class T, index_t... Is>
constexpr auto elements_at(const T& t, seq<Is...>) {
    return make_tuple(element<Is>(t)...);
}
template <class Container, index_t Length>
using slice_t = __type_pack_element<
    is_array_v<Container>,
    vector_t<__type_pack_element<is_array_v<Container>, get_value_t<Container>, char>, Length>,
    array<get_value_t<Container>, Length>>;
}  // namespace impl

// Elements start, start + step, ... < end of a vector, array or tuple, as the same kind of
// container (a vector of one element stays a vector). A scalar is its own slice.
// slice(v, 1_I, 4_I, 2_I) -> (v[1], v[3])
template <class Container, class Start, class End, class Step = number<1>>
constexpr auto slice(const Container& c, Start, End, Step = {}) {
    static_assert(is_constant_v<Start> && is_constant_v<End> && is_constant_v<Step>,
                  "opus::slice: the bounds must be constants such as 4_I");
    using indices = make_index_seq<Start::value, End::value, Step::value>;
    static_assert(indices::size() > 0, "opus::slice: the range is empty");
    static_assert(Start::value >= 0 && End::value <= size<Container>(),
                  "opus::slice: the range reaches beyond the container");
    if constexpr (indices::size() == 0 || Start::value < 0 || End::value > size<Container>()) {
    } else if constexpr (is_vector_v<Container> && Step::value == 1) {
        constexpr bool is_aligned = Start::value * sizeof(get_value_t<Container>) % 4 == 0;
        return impl::subvector<indices::size(), is_aligned>(c, Start::value);
    } else if constexpr (is_vector_v<Container> || is_array_v<Container>) {
        return impl::gathered<impl::slice_t<Container, indices::size()>>(
            c, Start::value, Step::value, make_index_seq<indices::size()>{});
    } else if constexpr (is_tuple_v<Container>) {
        return impl::elements_at(c, indices{});
    } else {
        static_assert(!__is_class(Container),
                      "opus::slice: takes a vector, an array, a tuple or a scalar");
        return c;
    }
}
template <class Container, class End>
constexpr auto slice(const Container& c, End end) {
    return slice(c, number<0>{}, end);
}

// The same for a vector or an array with bounds known at run time; `len` is the number of elements.
// Bounds that the compiler cannot resolve cost moves or scratch memory.
// @pre len == number of elements start, start + step, ... < end
template <index_t len, class Container>
constexpr auto slice(const Container& c, index_t start, index_t end, index_t step = 1) {
    static_assert(is_vector_v<Container> || is_array_v<Container>,
                  "opus::slice: run-time bounds need a vector or an array");
    static_assert(len > 0 && len <= size<Container>(),
                  "opus::slice: len must be from 1 to the container's size");
    if (__builtin_is_constant_evaluated() && (end - start + step - 1) / step != len) {
        __builtin_trap();  // not a constant expression
    }
    return impl::gathered<impl::slice_t<Container, len>>(c, start, step, make_index_seq<len>{});
}
template <index_t len, class Container>
constexpr auto slice(const Container& c, index_t end) {
    return slice<len>(c, 0, end);
}

namespace impl {
template <class T>
inline constexpr bool is_container_v = is_vector_v<T> || is_array_v<T> || is_tuple_v<T>;

// Whether an element of type D can be set to a value of type S. Either the types are the same, or S
// is a constant that fits D, an integer of at least 4 bytes (smaller integers may be codes).
template <class D, class S>
constexpr bool sets_element() {
    if constexpr (is_constant_v<S> && __is_integral(D) && sizeof(D) >= sizeof(index_t)) {
        constexpr auto value = static_cast<long_index_t>(S::value);
        constexpr D element = static_cast<D>(S::value);
        return static_cast<long_index_t>(element) == value && (element < D{1}) == (value < 1);
    } else {
        return __is_same(D, S);
    }
}
template <index_t Idx, class Container>
struct element_at : get_value_type<Container> {};
template <index_t Idx, class... T>
struct element_at<Idx, tuple<T...>> : tuple_element<Idx, tuple<T...>> {};
// dst[To] = src[From] for each To and From.
template <class Dst, class Src, index_t... To, index_t... From>
constexpr void set_elements(Dst& dst, const Src& src, seq<To...>, seq<From...>) {
    if constexpr (is_tuple_v<Dst> || is_tuple_v<Src>) {
        if constexpr (!(sets_element<typename element_at<To, Dst>::type,
                                     typename element_at<From, Src>::type>() &&
                        ...)) {
            static_assert(false,
                          "opus::set_slice: the element types must be the same (an integer may be "
                          "set to a constant; an element that is a number stays that number)");
        } else if constexpr (is_tuple_v<Dst>) {
            ((get<To>(dst) = static_cast<tuple_element_t<To, Dst>>(get<From>(src))), ...);
        } else {
            ((dst[To] = static_cast<get_value_t<Dst>>(get<From>(src))), ...);
        }
    } else {
        static_assert(__is_same(get_value_t<Dst>, get_value_t<Src>),
                      "opus::set_slice: the element types must be the same");
        ((dst[To] = src[From]), ...);
    }
}
}  // namespace impl

// Writes the elements of `src` to dst[start], dst[start + step], ... < end.
template <class Dst, class Src, class Start, class End, class Step = number<1>>
constexpr void set_slice(Dst& dst, const Src& src, Start, End, Step = {}) {
    static_assert(is_constant_v<Start> && is_constant_v<End> && is_constant_v<Step>,
                  "opus::set_slice: the bounds must be constants such as 4_I");
    static_assert(
        impl::is_container_v<Dst> && impl::is_container_v<Src>,
        "opus::set_slice: takes a vector, an array or a tuple, also as the source (of one "
        "value: make_vector(x))");
    static_assert(Start::value >= 0 && End::value <= size<Dst>(),
                  "opus::set_slice: the range reaches beyond the destination");
    using indices = make_index_seq<Start::value, End::value, Step::value>;
    static_assert(indices::size() == size<Src>(),
                  "opus::set_slice: the range and the source must have the same length");
    if constexpr (impl::is_container_v<Dst> && impl::is_container_v<Src> &&
                  indices::size() == size<Src>()) {
        impl::set_elements(dst, src, indices{}, make_index_seq<indices::size()>{});
    }
}
template <class Dst, class Src, class End>
constexpr void set_slice(Dst& dst, const Src& src, End end) {
    set_slice(dst, src, number<0>{}, end);
}

// == 9. layout ====================================================================================
//
// A layout maps indices to an offset in elements: i0 * stride0 + i1 * stride1 + ... Extents and
// strides that are numbers are part of the type; the others are run-time values. A layout may have
// a coordinate, a tuple of values and _. A call then takes indices for the _ only.
//
// For a tensor that is spread over threads, each dimension (x) is split into parts that lie across
// threads (p) and parts that one thread holds in registers (y).
//
// Main names: make_layout, swizzle with composition, partition_layout, unfold_p_coord. Look first
// at layout and its operator(); layout_linear, layout_shifted and layout_swizzled add to it.

struct p_dim {};
struct y_dim {};

namespace impl {
// The product of the extents at Js...; a number if all of these are numbers.
template <class All, class... Extents, index_t... Js>
constexpr auto product_at(const tuple_base<All, Extents...>& shape, seq<Js...>) {
    if constexpr ((is_constant_v<__type_pack_element<Js, Extents...>> && ...)) {
        return number<(1 * ... * __type_pack_element<Js, Extents...>::value)>{};
    } else {
        return (1 * ... *
                static_cast<integer_t<__type_pack_element<Js, Extents...>>>(
                    static_cast<const leaf_of<Js, Extents...>&>(shape).value));
    }
}
}  // namespace impl

// Row-major strides of `shape`, in elements; dynamic extents stay dynamic.
// packed_shape_to_stride(make_tuple(3_I, n, 8_I)) -> (n * 8, 8_I, 1_I)
template <index_t... Is, class... Shape>
constexpr auto packed_shape_to_stride(const impl::tuple_base<seq<Is...>, Shape...>& shape) {
    return tuple{impl::product_at(shape, make_index_seq<Is + 1, sizeof...(Is)>{})...};
}

namespace impl {
struct any_layout {};
}  // namespace impl
// Whether T is a layout of any kind.
template <class T>
struct is_layout : bool_constant<__is_base_of(impl::any_layout, T)> {};
template <class T>
inline constexpr bool is_layout_v = is_layout<__remove_cvref(T)>::value;

template <class Extents, class Strides, class Position = false_type>
struct layout : tuple<Extents, Strides, Position>, impl::any_layout {
    static_assert(is_tuple_v<Extents> && is_tuple_v<Strides>,
                  "opus::layout: shape and stride must be tuples");
    static_assert(impl::tuple_size_v<Extents> == impl::tuple_size_v<Strides>,
                  "opus::layout: shape and stride must have the same number of entries");
    using base = tuple<Extents, Strides, Position>;
    using Shape = Extents;
    using Stride = Strides;
    using Coord = Position;

    // make_layout<cached_vec> makes this kind of layout.
    static constexpr index_t cached_vec = -1;
    static constexpr bool has_coord = impl::tuple_size_v<Coord> >= 0;
    static constexpr index_t rank = impl::tuple_size_v<Shape>;
    // The number of indices that a call takes.
    static constexpr index_t coord_rank = has_coord ? impl::tuple_count_v<underscore, Coord> : rank;
    static_assert(!has_coord || impl::tuple_size_v<Coord> == rank,
                  "opus::layout: shape and coordinate must have the same number of entries");

    constexpr layout() = default;
    constexpr layout(const Shape& shape, const Stride& stride, const Coord& coord = {})
        : base(shape, stride, coord) {}

    // shape() is the tuple and shape<1>() its second entry.
    template <index_t... Is>
    constexpr decltype(auto) shape() const {
        return opus::get<0, Is...>(*this);
    }
    template <index_t... Is>
    constexpr decltype(auto) stride() const {
        return opus::get<1, Is...>(*this);
    }
    template <index_t... Is>
    constexpr decltype(auto) coord() const {
        static_assert(has_coord, "opus::layout: this layout has no coordinate");
        return opus::get<2, Is...>(*this);
    }

    // The offset of the element at (i, j, ...). The indices may also come as one tuple.
    template <class... Indices>
    constexpr auto operator()(const Indices&... indices) const {
        return (*this)(tuple<Indices...>(indices...));
    }
    template <class... Indices>
    constexpr auto operator()(const tuple<Indices...>& indices) const {
        static_assert(sizeof...(Indices) == coord_rank,
                      "opus::layout: one index for each dimension (each _ of the coordinate) is "
                      "required");
        static_assert(!(is_underscore_v<Indices> || ...),
                      "opus::layout: an index must be an integer or a number, not an underscore");
        if constexpr (sizeof...(Indices) != coord_rank) {
            return 0;
        } else if constexpr (has_coord) {
            return impl::dot(merge_peepholed_tuple(impl::element<2>(*this), indices),
                             impl::element<1>(*this));
        } else {
            return impl::dot(indices, impl::element<1>(*this));
        }
    }
};

// A layout that can be moved: += adds to every offset.
template <class Shape, class Stride, class Coord = false_type>
struct layout_linear : layout<Shape, Stride, Coord> {
    using base = layout<Shape, Stride, Coord>;
    static constexpr index_t cached_vec = 0;

    index_t linear_offset = 0;

    using base::base;

    template <class... Indices>
    constexpr auto operator()(const Indices&... indices) const {
        return impl::wrap_add(base::operator()(indices...), linear_offset);
    }
    constexpr void inc(index_t n) { linear_offset = impl::wrap_add(linear_offset, n); }
};

// Moves a layout of any kind but `layout`.
template <class Layout, impl::enable_if_t<(remove_cvref_t<Layout>::cached_vec >= 0)> = 0>
constexpr Layout& operator+=(Layout&& u, index_t n) {
    u.inc(n);
    return u;
}
template <class Layout, impl::enable_if_t<(Layout::cached_vec >= 0)> = 0>
constexpr Layout operator+(Layout u, index_t n) {
    return u += n;
}

// An XOR swizzle of offsets in elements, with the parameters of CuTe. It xors the Bits bits from
// Base + Shift up into the Bits bits from Base up. With a negative Shift, it xors the bits from
// Base up into those from Base - Shift up. The lowest Base bits stay. Applied twice, it returns the
// original offset.
// swizzle<3, 3, 4>{}(128 + 8) -> 128 + (1 ^ 1) * 8, swizzle<0, 0, 0> changes nothing
template <index_t Bits, index_t Base, index_t Shift>
struct swizzle {
    static_assert(Bits >= 0 && Base >= 0 && (Shift >= Bits || -Shift >= Bits),
                  "opus::swizzle: Bits and Base are not negative, and Shift is at least Bits or at "
                  "most -Bits (the bits that change must not be those they are xor-ed with)");
    // By how much the bits move: one of these is 0.
    static constexpr index_t left = Shift < 0 ? -Shift : 0;
    static constexpr index_t right = Shift < 0 ? 0 : Shift;
    static_assert(
        Base + Bits + left + right < 31,
        "opus::swizzle: Base + Bits + |Shift| must be less than 31, the bits of an offset");
    static constexpr index_t bits = Bits;
    static constexpr index_t base = Base;
    // `changed` has the bits that the swizzle changes. Adding a multiple of `period` to an offset
    // has the same effect before and after the swizzle.
    static constexpr index_t changed = ((1 << Bits) - 1) << (Base + left);
    static constexpr index_t period = 1 << (Base + Bits + left + right);

    // Returns a number for a number.
    template <class T>
    constexpr auto operator()(const T& offset) const {
        if constexpr (is_constant_v<T>) {
            return number<T::value ^ flips(T::value)>{};
        } else {
            using Int = impl::integer_t<T>;
            return static_cast<Int>(static_cast<Int>(offset) ^ static_cast<Int>(flips(offset)));
        }
    }

private:
    template <class T>
    static constexpr index_t flips(const T& offset) {
        return static_cast<index_t>(static_cast<unsigned>(offset) << left >> right) & changed;
    }
};

// A layout that swizzles every offset, made by composition(swizzle, layout). The swizzle is a
// property of the memory: moves and shifts of the layout apply before the swizzle, so that all
// parts of a tile find the same elements.
template <class Layout, class Swizzle>
struct layout_swizzled : Layout {
    using base = Layout;

    constexpr explicit layout_swizzled(const Layout& u) : Layout(u) {}

    template <class... Indices>
    constexpr auto operator()(const Indices&... indices) const {
        return Swizzle{}(base::operator()(indices...));
    }
};

// A layout with Shift added to every offset, made by layout + number. Shift is part of the type, so
// that memory operations can put it into the instruction.
template <class Layout, index_t Shift>
struct layout_shifted;

namespace impl {
// The layout without its shift and its swizzle, and what these are. A shifted layout may be
// swizzled; a swizzled one is not shifted.
template <class Layout>
struct layout_parts {
    using unshifted = Layout;
    using plain = Layout;
    using swizzle = opus::swizzle<0, 0, 0>;
    static constexpr index_t shift = 0;
};
template <class Layout, class Swizzle>
struct layout_parts<layout_swizzled<Layout, Swizzle>> : layout_parts<Layout> {
    using unshifted = layout_swizzled<Layout, Swizzle>;
    using swizzle = Swizzle;
};
template <class Layout, index_t Shift>
struct layout_parts<layout_shifted<Layout, Shift>> : layout_parts<Layout> {
    static constexpr index_t shift = Shift;
};
}  // namespace impl

template <class Layout, index_t Shift>
struct layout_shifted : Layout {
    using base = Layout;

    constexpr explicit layout_shifted(const Layout& u) : Layout(u) {}

    template <class... Indices>
    constexpr auto operator()(const Indices&... indices) const {
        using parts = impl::layout_parts<Layout>;
        const typename parts::plain& plain = *this;
        return typename parts::swizzle{}(impl::wrap_add(plain(indices...), number<Shift>{}));
    }
};

// The constant shift of a layout, and the layout without it.
template <class T>
struct layout_shift_traits {
    using parts = impl::layout_parts<remove_cvref_t<T>>;
    static constexpr index_t value = parts::shift;
    using base = typename parts::unshifted;
};

// u + 4_I + 8_I -> u shifted by 12; u + 0_I -> u
template <class Layout, index_t Shift, impl::enable_if_t<is_layout_v<Layout>> = 0>
constexpr auto operator+(const Layout& u, number<Shift>) {
    using parts = impl::layout_parts<Layout>;
    if constexpr (Shift == 0) {
        return u;
    } else {
        return layout_shifted<typename parts::unshifted, parts::shift + Shift>(u);
    }
}

// The layout u with its offsets swizzled: composition(s, u)(i, ...) == s(u(i, ...)). This also
// holds if u is moved or shifted, before or after the composition.
template <index_t Bits, index_t Base, index_t Shift, class Layout,
          impl::enable_if_t<is_layout_v<Layout>> = 0>
constexpr auto composition(swizzle<Bits, Base, Shift>, const Layout& u) {
    using parts = impl::layout_parts<Layout>;
    static_assert(Bits == 0 || parts::swizzle::bits == 0,
                  "opus::composition: the layout has a swizzle already (a layout has one)");
    if constexpr (Bits == 0) {
        return u;
    } else {
        using unshifted = typename parts::unshifted;
        return layout_swizzled<unshifted, swizzle<Bits, Base, Shift>>(u) + number<parts::shift>{};
    }
}

// The offset of a coordinate (a tuple of indices).
template <class Layout, class... Indices>
constexpr auto coord_to_linear(const Layout& u, const tuple<Indices...>& coord) {
    return u(coord);
}

namespace impl {
// Positions in a flattened tuple of tuples of p_dim and y_dim. begin(g) is the first position of
// x-dim g, group(i) is the x-dim of position i, and end(i) is the first position after that x-dim.
// An object of this class stands for the tuple: one of the tuple itself costs the compiler more.
template <class Dim>
struct dim_groups;
template <class Dim>
struct dim_groups<dim_groups<Dim>> : dim_groups<Dim> {};
template <class... X>
struct dim_groups<tuple<X...>> {
    static_assert(
        ((tuple_size_v<X> >= 0) && ...),
        "opus: the dims must be a tuple of tuples of p_dim and y_dim, one for each x-dim");
    static constexpr index_t rank = sizeof...(X);
    static constexpr index_t size = (0 + ... + tuple_size_v<X>);

    static constexpr index_t begin(index_t group) {
        const index_t sizes[] = {tuple_size_v<X>..., 0};
        index_t position = 0;
        for (index_t g = 0; g < group; g++) {
            position += sizes[g];
        }
        return position;
    }
    static constexpr index_t group(index_t position) {
        index_t g = 0;
        while (position >= begin(g + 1)) {
            g++;
        }
        return g;
    }
    static constexpr index_t end(index_t position) { return begin(group(position) + 1); }
};

// The dims of all x-dims in one tuple.
template <class Dim>
struct flat_dim {
    using type = decltype(flatten_tuple(Dim{}));
};
template <class Dim>
struct flat_dim<dim_groups<Dim>> : flat_dim<Dim> {};
template <class... D>
struct flat_dim<tuple<tuple<D...>>> {
    using type = tuple<D...>;
};
template <class... D, class... E, class... X>
struct flat_dim<tuple<tuple<D...>, tuple<E...>, X...>> : flat_dim<tuple<tuple<D..., E...>, X...>> {
};
template <class Dim>
using flat_dim_t = typename flat_dim<Dim>::type;
}  // namespace impl

// The strides of the split dimensions, from those of the x-dims. An x-dim of stride s that is split
// into extents (a, b, c) has the strides (b * c * s, c * s, s).
// @pre size(shape) == number of all dims, size(x_stride) == number of x-dims
template <class Dim, index_t... Is, class... Shape, class... Stride>
constexpr auto unfold_x_stride(const Dim&, const impl::tuple_base<seq<Is...>, Shape...>& shape,
                               const tuple<Stride...>& x_stride) {
    using groups = impl::dim_groups<Dim>;
    static_assert(groups::size == sizeof...(Shape),
                  "opus::unfold_x_stride: the shape must have an extent for each dim");
    static_assert(groups::rank == sizeof...(Stride),
                  "opus::unfold_x_stride: one stride for each x-dim is required");
    if constexpr (groups::size == sizeof...(Shape) && groups::rank == sizeof...(Stride)) {
        return tuple{impl::product_at(shape, make_index_seq<Is + 1, groups::end(Is)>{}) *
                     impl::as_index(impl::element<groups::group(Is)>(x_stride))...};
    } else {
        return tuple<Shape...>{};
    }
}

namespace impl {
// The entries C... of p_coord at the p_dims of D..., and _ at the others.
template <class... D, index_t... Is, index_t... Js, class... C>
constexpr auto unfold_coord(const tuple<D...>*, seq<Is...>,
                            const tuple_base<seq<Js...>, C...>& p_coord) {
    static_assert((is_any_of_v<D, p_dim, y_dim> && ...), "opus: a dim must be p_dim or y_dim");
    tuple<__type_pack_element<__is_same(D, p_dim) ? count_before<__is_same(D, p_dim)...>(Is)
                                                  : sizeof...(C),
                              C..., underscore>...>
        coord;
    ((static_cast<tuple_leaf<nth_position<__is_same(D, p_dim)...>(Js), C>&>(
          coord) = {element<Js>(p_coord)}),
     ...);
    return coord;
}
}  // namespace impl

// A coordinate for the split dimensions: each p_dim takes the next entry of p_coord, and each y_dim
// is left open (_).
// @pre size(p_coord) == number of p-dims
template <class Dim, class... Coord>
constexpr auto unfold_p_coord(const Dim&, const tuple<Coord...>& p_coord) {
    using dims = impl::flat_dim_t<Dim>;
    constexpr bool is_complete = impl::tuple_count_v<p_dim, dims> == sizeof...(Coord);
    static_assert(is_complete, "opus::unfold_p_coord: one entry for each p_dim is required");
    if constexpr (is_complete) {
        return impl::unfold_coord(static_cast<dims*>(nullptr),
                                  make_index_seq<impl::tuple_size_v<dims>>{}, p_coord);
    } else {
        return make_repeated_tuple<dims::size()>(_);
    }
}

namespace impl {
// The elements of `x` where that of a tuple of kinds is Target.
template <class Target, class... Kinds, class X, index_t... Is>
constexpr auto pickup(const tuple<Kinds...>&, const X& x, seq<Is...>) {
    return make_tuple(element<nth_position<__is_same(Target, Kinds)...>(Is)>(x)...);
}
template <class Target, class Kinds, class X>
constexpr auto pickup(const Kinds& kinds, const X& x) {
    return pickup<Target>(kinds, x, make_index_seq<tuple_count_v<Target, Kinds>>{});
}
}  // namespace impl

// The extents of `shape` whose dim is Target (p_dim or y_dim).
template <class... Shape, class Dim, class Target>
constexpr auto pickup_shape(const tuple<Shape...>& shape, const Dim&, Target) {
    using flat = impl::flat_dim_t<Dim>;
    static_assert(flat::size() == sizeof...(Shape),
                  "opus::pickup_shape: the shape must have an extent for each dim");
    if constexpr (flat::size() == sizeof...(Shape)) {
        return impl::pickup<Target>(flat{}, shape);
    } else {
        return shape;
    }
}

// A flat shape, grouped by x-dim as the dims are.
template <class... Shape, class Dim>
constexpr auto unflatten_shape(const tuple<Shape...>& shape, const Dim&) {
    using groups = impl::dim_groups<Dim>;
    static_assert(groups::size == sizeof...(Shape),
                  "opus::unflatten_shape: the shape must have an extent for each dim");
    if constexpr (groups::size == sizeof...(Shape)) {
        return [&]<index_t... Gs>(seq<Gs...>) {
            return make_tuple(impl::elements_at(
                shape, make_index_seq<groups::begin(Gs), groups::begin(Gs + 1)>{})...);
        }(make_index_seq<groups::rank>{});
    }
}

// == 9.1 issue space ==============================================================================
//
// The memory instructions of a load or store through a layout: one for each index of its y-dims,
// the last of which counts vectors.
//
// Main names: layout_load_traits, layout_to_offsets, layout_cached. Look first at
// layout_to_offsets: where loads and stores get their offsets from.

namespace impl {
// The strides of the indices that a call takes.
template <class Layout>
constexpr auto open_strides(const Layout& u) {
    if constexpr (Layout::has_coord) {
        return pickup<underscore>(element<2>(u), element<1>(u));
    } else {
        return element<1>(u);
    }
}

template <index_t Vec, index_t... Is, class... Extents>
constexpr auto vectorize(const tuple_base<seq<Is...>, Extents...>&) {
    constexpr index_t last = static_cast<index_t>(sizeof...(Is)) - 1;
    return tuple<number<(Is == last ? Extents::value / Vec : Extents::value)>...>{};
}
}  // namespace impl

// The extents of the y-dims (the entries of the shape whose coordinate is _), as numbers; all ones
// for a layout without coordinate.
template <class Layout>
constexpr auto layout_to_issue_space() {
    static_assert(is_layout_v<Layout>, "opus::layout_to_issue_space: takes a layout");
    if constexpr (Layout::has_coord) {
        using space =
            decltype(impl::pickup<underscore>(typename Layout::Coord{}, typename Layout::Shape{}));
        if constexpr (is_static_tuple_v<space>) {
            return impl::vectorize<1>(space{});
        } else {
            static_assert(false,
                          "opus::layout_to_issue_space: the extents of the y-dims must be numbers");
            return make_repeated_tuple<space::size()>(number<0>{});
        }
    } else {
        return make_repeated_tuple<Layout::rank>(number<1>{});
    }
}

// The issue space in vectors of `vec` elements: its last extent is divided by vec.
template <class... Extents, index_t vec>
constexpr auto vectorize_issue_space(tuple<Extents...> space, number<vec>) {
    static_assert(sizeof...(Extents) > 0, "opus::vectorize_issue_space: the space is empty");
    if constexpr (sizeof...(Extents) > 0) {
        static_assert(
            __type_pack_element<sizeof...(Extents) - 1, Extents...>::value % vec == 0,
            "opus::vectorize_issue_space: the last y-dim must be a multiple of the vector");
        return impl::vectorize<vec>(space);
    } else {
        return space;
    }
}

// A layout without an open dimension is one access of any width.
template <index_t vec, class Layout>
constexpr auto layout_to_vectorized_issue_space() {
    constexpr auto space = layout_to_issue_space<Layout>();
    if constexpr (Layout::has_coord && Layout::coord_rank > 0) {
        return vectorize_issue_space(space, number<vec>{});
    } else {
        return space;
    }
}

namespace impl {
// Used in place of the units of a memory (14.0) where offsets stay in elements.
struct in_elements {
    static constexpr index_t bits = 8;
    static constexpr index_t to_bytes(index_t elements) { return elements; }
};
// The accesses of an issue space with these Extents. One step of the last index is Vec elements,
// one step of any other index is 1 element.
template <index_t Vec, class Space>
struct issues;
template <index_t Vec, index_t... Extents>
struct issues<Vec, tuple<number<Extents>...>> {
    static constexpr index_t rank = sizeof...(Extents);
    static constexpr index_t count = (1 * ... * Extents);

    // `first` moved to access `i`, by the strides that are numbers, that are not, or by all; in
    // bytes of Units. In closed form: a constant access leaves no loop to unroll.
    template <bool ByNumbers, bool ByOthers, class Units = in_elements, index_t... Ds, class... S>
    static constexpr index_t moved(index_t first, const tuple_base<seq<Ds...>, S...>& strides,
                                   index_t i) {
        return static_cast<index_t>(
            (static_cast<unsigned>(first) + ... +
             ((is_constant_v<S> ? ByNumbers : ByOthers)
                  ? static_cast<unsigned>(index<Ds>(i)) *
                        static_cast<unsigned>(Units::to_bytes(
                            wrap_mul(static_cast<index_t>(
                                         static_cast<const tuple_leaf<Ds, S>&>(strides).value),
                                     Ds == rank - 1 ? Vec : 1)))
                  : 0u)));
    }
    template <class Strides, index_t... Is>
    static constexpr auto offsets(index_t first, const Strides& strides, seq<Is...>) {
        return array<index_t, count>{moved<true, true>(first, strides, Is)...};
    }

private:
    template <index_t D>
    static constexpr index_t index(index_t access) {
        constexpr index_t extent = __type_pack_element<D, number<Extents>...>::value;
        return access / number<loop_nest<Extents...>::inner(D)>::value % extent;
    }
};
}  // namespace impl

// The accesses of a load or store through a layout in vectors of `vec` elements. r_elem is the
// number of memory instructions.
template <class Layout, index_t vec>
struct layout_load_traits {
    static constexpr auto issue_space = layout_to_issue_space<Layout>();
    static constexpr auto issue_space_vec = layout_to_vectorized_issue_space<vec, Layout>();
    using issues = impl::issues<vec, remove_cv_t<decltype(issue_space_vec)>>;
    static constexpr number<issues::count> r_elem{};
};

namespace impl {
// How far a layout was moved, and the offset of its first access, where all open indices are 0.
// Wraps at 32 bits.
template <class Layout>
constexpr index_t moved_by([[maybe_unused]] const Layout& u) {
    if constexpr (Layout::cached_vec == 0) {
        return u.linear_offset;
    } else {
        return 0;
    }
}
template <class Layout>
constexpr index_t first_offset(const Layout& u) {
    if constexpr (Layout::cached_vec > 0) {
        return u.offsets[0];
    } else if constexpr (Layout::has_coord) {
        const auto offset = dot(element<2>(u), element<1>(u));
        static_assert(!__is_floating_point(decltype(offset)), "opus::layout: strides are integers");
        return wrap_add(static_cast<index_t>(offset), moved_by(u));
    } else {
        return moved_by(u);
    }
}
template <index_t Vec, class Layout>
constexpr auto computed_offsets(const Layout& u, index_t shift) {
    using traits = layout_load_traits<Layout, Vec>;
    return traits::issues::offsets(wrap_add(first_offset(u), shift), open_strides(u),
                                   make_index_seq<traits::r_elem.value>{});
}
template <class Layout, index_t Vec>
constexpr auto imm_offsets() {
    using traits = layout_load_traits<Layout, Vec>;
    using strides = decltype(open_strides(*static_cast<const Layout*>(nullptr)));
    static_assert(
        layout_parts<Layout>::swizzle::bits == 0,
        "opus::layout_imm_offsets_v: between the accesses of a swizzled layout there are no "
        "constant distances (use layout_to_offsets)");
    static_assert(!Layout::has_coord || is_static_tuple_v<strides>,
                  "opus::layout_imm_offsets_v: the strides of the y-dims must be numbers");
    return traits::issues::offsets(0, strides{}, make_index_seq<traits::r_elem.value>{});
}
}  // namespace impl

// The offset of each access relative to the first, in elements, for static y-dims and strides.
template <class Layout, index_t vec>
inline constexpr auto layout_imm_offsets_v = impl::imm_offsets<Layout, vec>();

// A layout that computes the offsets of all accesses of Vec elements once; += moves them all.
// Without a coordinate there is one access, and a call takes any index. With one, access(i, ...)
// looks up an access: **its last index counts vectors**. A call does the same, for existing kernels
// (the last index of every other layout counts elements). Numbers as indices cost nothing.
template <index_t Vec, class Shape, class Stride, class Coord = false_type>
struct layout_cached : layout<Shape, Stride, Coord> {
    static_assert(Vec > 0, "opus::layout_cached: the vector must have at least one element");
    using base = layout<Shape, Stride, Coord>;
    using traits = layout_load_traits<base, Vec>;
    static constexpr index_t cached_vec = Vec;
    static constexpr index_t num_issues = traits::r_elem.value;

    array<index_t, traits::r_elem.value> offsets;

    constexpr layout_cached() = default;
    constexpr layout_cached(const Shape& shape, const Stride& stride, const Coord& coord = {})
        : base(shape, stride, coord),
          offsets(impl::computed_offsets<Vec>(static_cast<const base&>(*this), 0)) {}

    template <class... Indices>
    constexpr auto operator()(const Indices&... indices) const {
        return (*this)(tuple<Indices...>(indices...));
    }
    template <class... Indices>
    constexpr index_t operator()(const tuple<Indices...>& indices) const {
        if constexpr (base::has_coord && sizeof...(Indices) == base::coord_rank) {
            return offsets[embed(indices, packed_shape_to_stride(traits::issue_space_vec))];
        } else {
            return static_cast<index_t>(impl::wrap_add(offsets[0], base::operator()(indices)));
        }
    }

    // The offset of an access, by the indices of the issue space.
    template <class... Indices>
    constexpr index_t access(const Indices&... indices) const {
        return (*this)(indices...);
    }

    constexpr void inc(index_t n) {
        [&]<index_t... Is>(seq<Is...>) {
            ((offsets[Is] = impl::wrap_add(offsets[Is], n)), ...);
        }(make_index_seq<num_issues>{});
    }
};

namespace impl {
// The swizzled offset of a vector's first element is the offset of the vector.
template <class Swizzle, index_t Vec>
constexpr bool keeps_vectors() {
    constexpr bool result = Swizzle::bits == 0 || (1 << Swizzle::base) % Vec == 0;
    static_assert(
        result,
        "opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of "
        "two, at most 2^Base (a larger Base, or a smaller vec)");
    return result;
}
}  // namespace impl

// The offset in elements of the first element of each access, last issue index fastest.
template <index_t vec, class Layout>
constexpr auto layout_to_offsets(const Layout& u) {
    using parts = impl::layout_parts<Layout>;
    using plain = typename parts::plain;
    if constexpr (parts::swizzle::bits != 0) {
        impl::keeps_vectors<typename parts::swizzle, vec>();
        auto offsets =
            layout_to_offsets<vec>(static_cast<const plain&>(u) + number<parts::shift>{});
        static_for<decltype(offsets)::size()>(
            [&](auto i) { offsets[i] = typename parts::swizzle{}(offsets[i]); });
        return offsets;
    } else if constexpr (plain::cached_vec == vec) {
        // Those of a layout_cached are for accesses of the width that it was made for.
        return (static_cast<const plain&>(u) + index_t{parts::shift}).offsets;
    } else {
        return impl::computed_offsets<vec, plain>(u, parts::shift);
    }
}

namespace impl {
template <index_t cached_vec, class... Parts>
using layout_of = __type_pack_element<(cached_vec >= 0) + (cached_vec > 0), layout<Parts...>,
                                      layout_linear<Parts...>, layout_cached<cached_vec, Parts...>>;
}  // namespace impl

// cached_vec < 0: layout; 0: layout_linear; > 0: layout_cached for accesses of cached_vec elements.
template <index_t cached_vec = 0, class... Shape, class... Stride>
constexpr auto make_layout(const tuple<Shape...>& shape, const tuple<Stride...>& stride) {
    return impl::layout_of<cached_vec, tuple<Shape...>, tuple<Stride...>>(shape, stride);
}
template <index_t cached_vec = 0, class... Shape, class... Stride, class... Coord>
constexpr auto make_layout(const tuple<Shape...>& shape, const tuple<Stride...>& stride,
                           const tuple<Coord...>& coord, impl::caller at = {}) {
    impl::check_coord(shape, coord, at);
    return impl::layout_of<cached_vec, tuple<Shape...>, tuple<Stride...>, tuple<Coord...>>(
        shape, stride, coord);
}
// Packed row-major strides.
template <index_t cached_vec = 0, class... Shape>
constexpr auto make_layout(const tuple<Shape...>& shape) {
    return make_layout<cached_vec>(shape, packed_shape_to_stride(shape));
}
template <index_t cached_vec = 0, class... Extents,
          impl::enable_if_t<(__is_convertible(Extents, index_t) && ...)> = 0>
constexpr auto make_layout(const Extents&... extents) {
    return make_layout<cached_vec>(tuple<Extents...>(extents...));
}
template <index_t cached_vec = 0, index_t... Extents>
constexpr auto make_layout(seq<Extents...> shape) {
    return make_layout<cached_vec>(to_tuple(shape));
}
template <index_t cached_vec = 0, class... Shape>
constexpr auto make_layout_packed(const tuple<Shape...>& shape) {
    return make_layout<cached_vec>(shape);
}
template <index_t cached_vec = 0, class... Shape, class... Coord>
constexpr auto make_layout_packed(const tuple<Shape...>& shape, const tuple<Coord...>& coord,
                                  impl::caller at = {}) {
    return make_layout<cached_vec>(shape, packed_shape_to_stride(shape), coord, at);
}

// The layout of one thread's part of a tensor. `x` is the layout of the tensor: its strides, moves,
// shifts and swizzle apply. `dims` and `shapes` say how its dimensions are split; `p_coord` says
// where this thread is. If x can be moved, so can the part.
template <index_t cached_vec = 0, class Layout, class Dim, class... Shape, class... Coord,
          impl::enable_if_t<is_layout_v<Layout>> = 0>
constexpr auto partition_layout(const Layout& x, const Dim& dims, const tuple<Shape...>& shapes,
                                const tuple<Coord...>& p_coord, impl::caller at = {}) {
    static_assert(!Layout::has_coord, "opus::partition_layout: takes a layout without coordinate");
    using parts = impl::layout_parts<Layout>;
    constexpr bool moves = !Layout::has_coord && Layout::cached_vec >= 0;
    constexpr index_t cached = moves && cached_vec < 0 ? 0 : cached_vec;
    auto u = make_layout<cached>(shapes, unfold_x_stride(dims, shapes, x.stride()),
                                 unfold_p_coord(dims, p_coord), at);
    if constexpr (moves) {
        u += impl::first_offset<typename parts::plain>(x);
    }
    return composition(typename parts::swizzle{}, u + number<parts::shift>{});
}

// == 10.0 target ==================================================================================
//
// The capabilities of the target are decided here, in one place; the code below tests capabilities.
// In the host pass of HIP, and without HIP, every capability that kernels use is 1: kernels are
// parsed there too, and the device pass rejects what its target lacks. Conversions are different:
// the host computes them, so the host's column says what the host can execute.
#if !defined(__HIP_DEVICE_COMPILE__)
#define OPUS_ON(gfx942, gfx950, other, host) host
#elif defined(__gfx942__)
#define OPUS_ON(gfx942, gfx950, other, host) gfx942
#elif defined(__gfx950__)
#define OPUS_ON(gfx942, gfx950, other, host) gfx950
#else
#define OPUS_ON(gfx942, gfx950, other, host) other
#endif

// clang-format off
//                                           gfx942  gfx950  other  host
#define OPUS_HAS_BUFFER             OPUS_ON(      1,      1,     0,    1)  // buffer instructions
#define OPUS_HAS_LANES              OPUS_ON(      1,      1,     0,    1)  // waves of 64, DPP
#define OPUS_HAS_LDS_TRANSPOSE_READ OPUS_ON(      0,      1,     0,    (__clang_major__ > 19))
#define OPUS_HAS_LDS_DMA_WIDE       OPUS_ON(      0,      1,     0,    1)  // 12 and 16 bytes a lane
#define OPUS_HAS_CVT_FP8            OPUS_ON(      1,      1,     0,    0)
#define OPUS_HAS_CVT_SCALE          OPUS_ON(      0,      1,     0,    0)  // and bf16's, v_ashr_pk
// clang-format on

struct arch_traits {
    static constexpr index_t warp_size = 64;
    static constexpr index_t lds_bytes = OPUS_ON(65536, 163840, 65536, 65536);
    // Word 3 of a raw buffer resource: 32-bit data format (ISA guide, 9.1.8).
    static constexpr unsigned buffer_word3 = 0x00020000;
};

// For messages.
#define OPUS_TARGET_NAME \
    OPUS_ON(__amdgcn_processor__, __amdgcn_processor__, __amdgcn_processor__, "the host")
#define OPUS_HIP_MISSING \
    "for kernels; compile this file as HIP, with -x hip and --offload-arch=gfx942 (or gfx950)"

// == 10. types ====================================================================================
//
// The element types, their formats and their limits. Main names: fp32_t ... fp4_t with their
// vectors (fp16x8_t), numeric_limits, finfo. Look first at impl::format_v: a format is one line
// there.

template <class T>
struct is_dtype : false_type {};
template <class T>
inline constexpr bool is_dtype_v = is_dtype<remove_cvref_t<T>>::value;

// Makes base_t another name of `impl_type`, registers it as a dtype and names its vectors base x1_t
// ... x64_t. These are the types vector_t<base_t, N>, which take longer to compile under that name.
// For use inside namespace opus. impl_type must have at least the size of a byte.
#define REGISTER_DTYPE(base, impl_type)                               \
    using base##_t = impl_type;                                       \
    template <>                                                       \
    struct is_dtype<base##_t> : ::opus::true_type {};                 \
    typedef impl_type base##x1_t __attribute__((ext_vector_type(1))), \
        base##x2_t __attribute__((ext_vector_type(2))),               \
        base##x4_t __attribute__((ext_vector_type(4))),               \
        base##x8_t __attribute__((ext_vector_type(8))),               \
        base##x16_t __attribute__((ext_vector_type(16))),             \
        base##x32_t __attribute__((ext_vector_type(32))),             \
        base##x64_t __attribute__((ext_vector_type(64)));

// In HIP code fp16 is __fp16 if the compiler's matrix builtins take it; those of newer compilers
// (clang 23) take only _Float16. Without HIP, clang rejects __fp16 as an argument on most hosts.
#if defined(__HIP__) && __clang_major__ >= 20
namespace impl {
template <class Half, class = void>
struct matrix_fp16 {
    using type = _Float16;
};
template <class Half>
struct matrix_fp16<Half,
                   decltype(void(__builtin_amdgcn_mfma_f32_16x16x16f16(
                       vector_t<Half, 4>{}, vector_t<Half, 4>{}, vector_t<float, 4>{}, 0, 0, 0)))> {
    using type = Half;
};
}  // namespace impl
REGISTER_DTYPE(fp16, impl::matrix_fp16<__fp16>::type)
#else
REGISTER_DTYPE(fp16, _Float16)
#endif
#if __clang_major__ >= 20
REGISTER_DTYPE(bf16, __bf16)
REGISTER_DTYPE(u16, __UINT16_TYPE__)
#else
REGISTER_DTYPE(bf16, unsigned short)
#endif
// Codes of 8 bits: E4M3 and E5M2. The compiler has no such types; it computes with the codes as
// integers.
REGISTER_DTYPE(fp8, _BitInt(8))
REGISTER_DTYPE(bf8, unsigned _BitInt(8))
REGISTER_DTYPE(fp64, double)
REGISTER_DTYPE(fp32, float)
REGISTER_DTYPE(i64, __INT64_TYPE__)
REGISTER_DTYPE(u64, __UINT64_TYPE__)
REGISTER_DTYPE(i32, __INT32_TYPE__)
REGISTER_DTYPE(u32, __UINT32_TYPE__)
REGISTER_DTYPE(i16, __INT16_TYPE__)
REGISTER_DTYPE(i8, __INT8_TYPE__)
REGISTER_DTYPE(u8, __UINT8_TYPE__)

// The operand type of the xf32 instructions (gfx942). It is fp32 in registers and in memory; the
// instruction uses 10 bits of the mantissa.
struct xf32_t;

namespace impl {
// One code of an integer or floating-point format, in its own byte.
template <class Storage, index_t Bits, bool Signed>
struct dpacks {
    using storage = Storage;
    static constexpr index_t bits = Bits;
    static constexpr bool is_signed = Signed;

    storage value;
};
template <class Storage, index_t Bits, index_t Exponent, index_t Mantissa, bool Signed>
struct fpacks : dpacks<Storage, Bits, Signed> {
    static constexpr index_t exponent_bits = Exponent;
    static constexpr index_t mantissa_bits = Mantissa;
};
// The extent of a run of fp4 in the layout of an operand: it counts codes, not bytes.
template <index_t Length>
struct fp4_run : number<Length> {};
}  // namespace impl
template <index_t Length>
struct is_constant<impl::fp4_run<Length>> : true_type {};

// The formats of the OCP microscaling specification, and 4-bit integers. An object holds one value,
// as its code in `value`; arrays and vectors of the formats below 8 bits are packed. Each is a
// struct and not an alias, so that symbols show its name: fp4_t is N4opus5fp4_tE.
struct fp4_t : impl::fpacks<u8_t, 4, 2, 1, true> {};    // E2M1
struct fp6_t : impl::fpacks<u8_t, 6, 2, 3, true> {};    // E2M3
struct bf6_t : impl::fpacks<u8_t, 6, 3, 2, true> {};    // E3M2
struct e8m0_t : impl::fpacks<u8_t, 8, 8, 0, false> {};  // a power of two, as scale
// 4-bit integers, which convert to int.
struct int4_t : impl::dpacks<u8_t, 4, true> {
    constexpr operator int() const { return ((value & 15) ^ 8) - 8; }
};
struct uint4_t : impl::dpacks<u8_t, 4, false> {
    constexpr operator int() const { return value & 15; }
};

// The number of whole values in a byte: 2 for fp4, 1 for fp6 and for types of whole bytes.
template <class T>
struct num_packs {
    static constexpr index_t value = is_packs_v<T> ? 8 / sizeof_bits_v<T> : 1;
};
template <class T>
inline constexpr index_t num_packs_v = num_packs<__remove_cvref(T)>::value;

// The size in bytes of an array of Size values of T.
template <class T, index_t Size>
inline constexpr index_t packed_bytes_v = (Size * sizeof_bits_v<T> + 7) / 8;

// Names of the two formats of fp8_t and bf8_t, for conversions: OCP's, and gfx942's (the bias is
// larger by 1, and the code of -0 is NaN). A conversion without a name uses the format of this
// pass.
// fp32_to_fp8(x, fp8_fnuz{}), cast<fp32_t>(codes, bf8_ocp{}), finfo<fp8_fnuz>::max
struct fp8_ocp {};
struct bf8_ocp {};
struct fp8_fnuz {};
struct bf8_fnuz {};

namespace impl {
// Which codes are not numbers, and what a value above the largest number becomes.
inline constexpr index_t ieee = 0;      // the largest exponent: infinity, NaN; overflow: infinity
inline constexpr index_t nan_ones = 1;  // all bits but the sign set: NaN; overflow: NaN (OCP)
inline constexpr index_t nan_zero = 2;  // the code of -0: NaN; overflow: NaN (gfx942)
inline constexpr index_t no_nan = 3;    // all are numbers; overflow and NaN: the largest one

// A floating-point format. Its fields are, from the highest bit down, sign, exponent and mantissa.
struct float_format {
    index_t exponent_bits;
    index_t mantissa_bits;
    index_t bias;
    index_t special;  // ieee, nan_ones, nan_zero or no_nan

    constexpr index_t bits() const { return 1 + exponent_bits + mantissa_bits; }
    constexpr u64_t sign() const { return u64_t{1} << (bits() - 1); }
    constexpr u64_t smallest_normal() const { return u64_t{1} << mantissa_bits; }
    // The first code with the largest exponent: infinity in IEEE formats.
    constexpr u64_t infinity() const { return sign() - smallest_normal(); }
    constexpr u64_t largest() const {
        return special == ieee ? infinity() - 1 : sign() - (special == nan_ones ? 2 : 1);
    }
    // A NaN: the quiet one in formats of 16 bits and more. In fp8 and bf8, all bits but the sign
    // are set (OCP) or only the sign is (gfx942). Zero if the format has none.
    constexpr u64_t nan() const {
        return special == no_nan     ? 0
               : special == nan_zero ? sign()
               : bits() > 8          ? infinity() + (smallest_normal() >> 1)
                                     : sign() - 1;
    }
};

// Whether fp8 and bf8 have gfx942's format in this pass, else OCP's.
inline constexpr bool has_fp8_fnuz = OPUS_ON(true, false, false, false);

// The format of a floating-point type; all zero for other types.
template <class T>
inline constexpr float_format format_v{0, 0, 0, no_nan};
// clang-format off
#define OPUS_FORMAT(T, ...) template <> inline constexpr float_format format_v<T>{__VA_ARGS__};
OPUS_FORMAT(fp64_t,  11, 52, 1023, ieee)
OPUS_FORMAT(fp32_t,   8, 23,  127, ieee)
OPUS_FORMAT(fp16_t,   5, 10,   15, ieee)
OPUS_FORMAT(bf16_t,   8,  7,  127, ieee)
// CDNA4 ISA guide, table 30. The bias of gfx942's 8-bit formats is larger by 1.
OPUS_FORMAT(fp8_ocp,  4,  3,    7, nan_ones)
OPUS_FORMAT(bf8_ocp,  5,  2,   15, ieee)
OPUS_FORMAT(fp8_fnuz, 4,  3,    8, nan_zero)
OPUS_FORMAT(bf8_fnuz, 5,  2,   16, nan_zero)
OPUS_FORMAT(fp8_t, has_fp8_fnuz ? format_v<fp8_fnuz> : format_v<fp8_ocp>)
OPUS_FORMAT(bf8_t, has_fp8_fnuz ? format_v<bf8_fnuz> : format_v<bf8_ocp>)
OPUS_FORMAT(fp6_t,    2,  3,    1, no_nan)
OPUS_FORMAT(bf6_t,    3,  2,    3, no_nan)
OPUS_FORMAT(fp4_t,    2,  1,    1, no_nan)
#undef OPUS_FORMAT
// clang-format on

template <class T>
inline constexpr bool is_float_v = format_v<__remove_cv(T)>.exponent_bits > 0;
template <class T>
inline constexpr bool is_integer_v = is_dtype_v<T> && !is_float_v<T>;

// The unsigned integer of T's size: 1, 2, 4 or 8 bytes.
template <class T>
using code_t = __type_pack_element<(sizeof(T) > 1) + (sizeof(T) > 2) + (sizeof(T) > 4), u8_t,
                                   __UINT16_TYPE__, u32_t, u64_t>;

// A scalar from its bits, and back. (The compiler's bit_cast of _BitInt is not constexpr.)
template <class T>
constexpr T from_code(code_t<T> code) {
    if constexpr (__is_integral(T)) {
        return static_cast<T>(code);
    } else {
        return __builtin_bit_cast(T, code);
    }
}
template <class T>
constexpr code_t<T> to_code(const T& x) {
    if constexpr (__is_integral(T)) {
        return static_cast<code_t<T>>(x);
    } else {
        return __builtin_bit_cast(code_t<T>, x);
    }
}
// The bits of any value as another type: filled up with zeros, and without what does not fit.
template <class To, class From>
OPUS_D To move_bits(const From& from) {
    if constexpr (sizeof(To) == sizeof(From)) {
        return __builtin_bit_cast(To, from);
    } else {
        To to{};
        __builtin_memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
        return to;
    }
}

// The fp32 bits of `code` times 2^(scale - 127): exact, or infinity beyond the range of fp32.
// `scale` is the exponent field of a float; 255 is NaN. Every NaN is 0x7fc00000.
// @pre f has at most 6 bits of precision if scale != 127, so that fp32 denormals hold the product
constexpr u32_t decode_bits(float_format f, u32_t code, index_t scale) {
    const u32_t sign_bit = static_cast<u32_t>(f.sign());
    const u32_t magnitude = code & (sign_bit - 1);
    const u32_t infinity = static_cast<u32_t>(f.infinity());
    // & and | have no short circuit: selects instead of branches.
    const bool is_nan = (scale == 255) | ((f.special == ieee) & (magnitude > infinity)) |
                        ((f.special == nan_ones) & (magnitude == sign_bit - 1)) |
                        ((f.special == nan_zero) & (code == sign_bit));
    const bool is_infinite = (f.special == ieee) & (magnitude == infinity);
    const index_t exponent = static_cast<index_t>(magnitude >> f.mantissa_bits);
    const u32_t leading = static_cast<u32_t>(f.smallest_normal());
    const u32_t fraction = (magnitude & (leading - 1)) | (exponent == 0 ? 0 : leading);
    // The 24 bits of fp32's significand, with the leading one in bit 23, and their exponent field.
    const index_t shift = __builtin_clz(fraction | 1) - 8;
    const u32_t significand = fraction << shift;
    const index_t field =
        (exponent == 0 ? 1 : exponent) - f.bias + scale - (shift - (23 - f.mantissa_bits));
    const index_t below = field < 1 ? 1 - field : 0;
    const u32_t normal = static_cast<u32_t>(field) << 23 | (significand & 0x7fffff);
    const u32_t denormal = significand >> (below < 31 ? below : 31);
    const u32_t finite = field < 1 ? denormal : normal;
    const u32_t value = (is_infinite | (field > 254)) ? 0x7f800000 : finite;
    const u32_t signed_value = (fraction == 0 ? 0 : value) | (code & sign_bit) << (32 - f.bits());
    return is_nan ? 0x7fc00000 : signed_value;
}
}  // namespace impl

// The limits of a scalar type, as values of that type and as bit patterns bin_*. min() of a
// floating-point type is its smallest normal number. A limit that the type does not have (a NaN, an
// infinity) is zero. fp8 and bf8 have the formats of this pass: FNUZ on gfx942, OCP elsewhere.
template <class T>
struct numeric_limits {
    using type = __remove_cv(T);
    using code = impl::code_t<type>;

private:
    static constexpr bool is_float = impl::is_float_v<type>;
    static_assert(is_float || impl::is_integer_v<type>,
                  "opus::numeric_limits: a dtype, fp4_t, fp6_t or bf6_t is required");
    static constexpr impl::float_format format = impl::format_v<type>;
    static constexpr u64_t sign =
        is_float ? format.sign() : u64_t{__is_signed(type)} << (8 * sizeof(type) - 1);

public:
    static constexpr code bin_min = is_float ? format.smallest_normal() : sign;
    static constexpr code bin_max = static_cast<code>(is_float ? format.largest() : ~sign);
    static constexpr code bin_lowest = is_float ? sign | format.largest() : sign;
    static constexpr code bin_qnan = format.nan();
    static constexpr code bin_inf = format.special == impl::ieee ? format.infinity() : 0;

    static constexpr type min() { return impl::from_code<type>(bin_min); }
    static constexpr type max() { return impl::from_code<type>(bin_max); }
    static constexpr type lowest() { return impl::from_code<type>(bin_lowest); }
    static constexpr type quiet_nan() { return impl::from_code<type>(bin_qnan); }
    static constexpr type infinity() { return impl::from_code<type>(bin_inf); }
};

namespace impl {
// The numbers of finfo. fp32 holds them exactly for every format but fp64.
struct float_facts {
    index_t bits;
    double eps, max, min, tiny;
};
template <class T>
constexpr float_facts facts_of() {
    constexpr float_format f = format_v<T>;
    if constexpr (__is_same(T, fp64_t)) {
        return {64, 0x1p-52, __DBL_MAX__, -__DBL_MAX__, __DBL_MIN__};
    } else if constexpr (__is_same(T, e8m0_t)) {  // powers of two without a sign
        return {8, 1, 0x1p127, 0x1p-127, 0x1p-127};
    } else if constexpr (__is_same(T, i8_t)) {
        return {8, 1, 127, -128, 1};
    } else {
        static_assert(is_float_v<T>,
                      "opus::finfo: a floating-point type, e8m0_t or i8_t is required");
        // In gfx942's format of bf8, half the distance, 0.125, as torch has for float8_e5m2fnuz.
        constexpr index_t halved = __is_same(T, bf8_t) && has_fp8_fnuz;
        const auto value = [](u32_t bits) { return double{__builtin_bit_cast(float, bits)}; };
        const auto number = [&](u64_t code) {
            return value(decode_bits(f, static_cast<u32_t>(code), 127));
        };
        return {f.bits(), value(static_cast<u32_t>(127 - f.mantissa_bits - halved) << 23),
                number(f.largest()), number(f.sign() | f.largest()), number(f.smallest_normal())};
    }
}

// A number that may also be called: finfo<T>::max and finfo<T>::max() are the same. The value is
// part of the type, so a kernel does not load it.
template <class T, double float_facts::* Fact>
struct callable_number {
    using type = __type_pack_element<__is_same(T, fp64_t), float, double>;

    constexpr type operator()() const {
        constexpr type value = static_cast<type>(facts_of<T>().*Fact);
        return value;
    }
    constexpr operator type() const { return (*this)(); }
};
}  // namespace impl

// The range and precision of a floating-point type, and of e8m0_t and i8_t, as float (for fp64 as
// double). `eps` is the distance from 1 to the next number (for bf8 on gfx942 this distance is
// 0.25, but eps is 0.125, as torch has it). `max` is the largest number, `min` the lowest and
// `tiny` the smallest normal one.
template <class T>
struct finfo {
    static constexpr index_t bits = impl::facts_of<__remove_cv(T)>().bits;
    static constexpr impl::callable_number<__remove_cv(T), &impl::float_facts::eps> eps{};
    static constexpr impl::callable_number<__remove_cv(T), &impl::float_facts::max> max{};
    static constexpr impl::callable_number<__remove_cv(T), &impl::float_facts::min> min{};
    static constexpr impl::callable_number<__remove_cv(T), &impl::float_facts::tiny> tiny{};
};

// == 11. cast =====================================================================================
//
// Conversions round to nearest even and keep denormals, with two exceptions: fp32 to bf16 has
// rounding modes, and conversions to integers of 8 bits and more drop the fraction. Conversions to
// integers, including those of 4 bits, saturate, and a NaN becomes 0. A scale is a float, but only
// its exponent is used: encoding divides by that power of two and decoding multiplies by it, before
// the one rounding. The exponent field 255 is NaN, and 0 is 2^-127. To fp8 and bf8, what is too
// large becomes NaN or infinity; with saturate{}, the largest number (and a NaN stays a NaN).
//
// Main names: cast, and a function for each pair of types, as fp32_to_bf16. Look first at cast: it
// goes by impl::cast_values to encode or decode for a small format, or else to convert.

struct saturate {};

namespace impl {
// The code in format f that is nearest to the fp32 number `bits` divided by 2^(scale - 127).
// `scale` is the exponent field of a float; 255 is NaN. A NaN keeps only its sign. If it saturates,
// infinities and what is too large become the largest number.
// @pre f.bias < 23, so that zero lies below the normal numbers for every scale
constexpr u32_t encode_bits(float_format f, u32_t bits, index_t scale, bool saturates) {
    const u32_t sign = bits >> 31 << (f.bits() - 1);
    const u32_t magnitude = bits & 0x7fffffff;
    // 24 bits with the leading one in bit 23, which has the value 2^exponent (also for fp32
    // denormals).
    const index_t field = static_cast<index_t>(magnitude >> 23);
    const u32_t fraction = field == 0 ? magnitude : (magnitude & 0x7fffff) | 0x800000;
    const index_t shift = __builtin_clz(fraction | 1) - 8;
    const u32_t significand = fraction << shift;
    const index_t exponent = (field == 0 ? 1 : field) - shift - scale;
    // One step is the value of the format's last bit at this magnitude. Dropping 25 bits leaves
    // nothing.
    const index_t binade = exponent - (1 - f.bias);
    const index_t dropped = 23 - f.mantissa_bits + (binade < 0 ? -binade : 0);
    const index_t drop = dropped < 25 ? dropped : 25;
    const u32_t last_bit = significand >> drop & 1;
    const u32_t steps = (significand + (1u << (drop - 1)) - 1 + last_bit) >> drop;
    // The exponent field of a normal number is binade + 1; the leading one in `steps` adds this 1.
    // A carry out of the mantissa goes to the exponent, as it should.
    const u32_t rounded = steps + (static_cast<u32_t>(binade < 0 ? 0 : binade) << f.mantissa_bits);
    const u32_t largest = static_cast<u32_t>(f.largest());
    const u32_t nan = f.special == no_nan ? largest : static_cast<u32_t>(f.nan());
    const u32_t infinity = f.special == ieee ? largest + 1 : nan;
    const u32_t beyond = saturates ? largest : infinity;
    // & and | have no short circuit: selects instead of branches.
    const bool is_beyond = (magnitude == 0x7f800000) | (rounded > largest);
    const bool is_nan = (magnitude > 0x7f800000) | (scale == 255);
    const u32_t finite = is_beyond ? beyond : rounded;
    const u32_t code = is_nan ? nan : finite;
    return f.special == nan_zero && code == 0 ? 0 : sign | code;
}

// The scale 1, for calls without a scale. It has its own type because some instructions take no
// scale.
struct unit_scale {
    constexpr operator float() const { return 1; }
};
constexpr index_t scale_field(float scale) {
    return static_cast<index_t>(__builtin_bit_cast(u32_t, scale) >> 23 & 0xff);
}

// The bits of `number` as bf16, by the rounding mode. A mode that detects NaNs makes them quiet.
template <index_t Mode>
constexpr code_t<bf16_t> bf16_bits(fp32_t number) {
    static_assert(Mode >= 0 && Mode <= 5,
                  "opus::fp32_to_bf16: the rounding mode is 0 (nearest even), 1 (truncate, NaN "
                  "stays NaN), 2 (truncate), 3 (as 0), 4 (nearest, ties away) or 5 (nearest "
                  "even of what is no NaN)");
    const u32_t x = __builtin_bit_cast(u32_t, number);
    const bool is_nan = (x & 0x7fffffff) > 0x7f800000;
    const u32_t quiet_nan = x >> 16 | 0x40;
    const u32_t half = Mode == 1 || Mode == 2 ? 0 : Mode == 4 ? 0x8000 : 0x7fff + (x >> 16 & 1);
    const u32_t rounded = (x + half) >> 16;
    return static_cast<code_t<bf16_t>>(is_nan && Mode != 2 && Mode != 5 ? quiet_nan : rounded);
}

// On x86, clang calls these functions to round to bf16, and without optimisation also wherever a
// bf16_t is passed. libgcc has them only from version 13 on; these do the same.
#if !defined(__HIP_DEVICE_COMPILE__) && defined(__x86_64__) && __clang_major__ >= 20
extern "C" {
__attribute__((used, visibility("hidden"))) inline __bf16 opus_round_fp32_to_bf16(float x) __asm__(
    "__truncsfbf2");
__attribute__((used, visibility("hidden"))) inline __bf16 opus_round_fp64_to_bf16(double x) __asm__(
    "__truncdfbf2");
inline __bf16 opus_round_fp32_to_bf16(float x) {
    return from_code<__bf16>(bf16_bits<0>(x));
}
inline __bf16 opus_round_fp64_to_bf16(double x) {
    // Rounds to fp32 towards zero and sets the last bit if the result is not exact. fp32 has so
    // many more bits than bf16 that only the rounding to bf16 counts then.
    const float nearest = static_cast<float>(x);
    const u64_t exact = __builtin_bit_cast(u64_t, x);
    const u64_t found = __builtin_bit_cast(u64_t, static_cast<double>(nearest));
    const u32_t bits = __builtin_bit_cast(u32_t, nearest);
    const bool is_rounded = (bits & 0x7fffffff) <= 0x7f800000 && found != exact;
    return opus_round_fp32_to_bf16(
        __builtin_bit_cast(float, is_rounded ? (bits - u32_t{found > exact}) | 1 : bits));
}
}
#endif
}  // namespace impl

constexpr fp32_t fp32_to_fp32(fp32_t x) {
    return x;
}
constexpr fp32_t fp16_to_fp32(fp16_t x) {
    return static_cast<fp32_t>(x);
}
constexpr fp16_t fp32_to_fp16(fp32_t x) {
    return static_cast<fp16_t>(x);
}
constexpr fp32_t bf16_to_fp32(bf16_t x) {
    return __builtin_bit_cast(fp32_t, static_cast<u32_t>(impl::to_code(x)) << 16);
}

// Modes, of which all but 2 and 5 make NaNs quiet:
//   0  nearest even
//   1  truncate; a NaN stays a NaN
//   2  truncate; a NaN whose upper payload is zero becomes an infinity
//   3  as 0
//   4  nearest, ties away from zero
//   5  nearest even in less than half the instructions of 0, for values that are not NaN. The bits
//      of a NaN are rounded like those of a number: 0x7fc00000 stays a NaN, bits up to 0x7f808000
//      become infinity, and bits from 0x7fff8000 on become the zero of the other sign.
// gfx950 has an instruction for mode 0 and uses it for every mode.
template <index_t mode = OPUS_FP32_to_BF16_DEFAULT>
constexpr bf16_t fp32_to_bf16(fp32_t x, number<mode> = {}) {
    // gfx950 uses mode 0 in constant expressions too, but an invalid mode is still an error.
    constexpr index_t used = OPUS_HAS_CVT_SCALE && mode >= 0 && mode <= 5 ? 0 : mode;
#if OPUS_HAS_CVT_SCALE
    if (!__builtin_is_constant_evaluated()) {
        return static_cast<bf16_t>(x);
    }
#endif
    return impl::from_code<bf16_t>(impl::bf16_bits<used>(x));
}

// Nearest even (mode 0): the first returns the bits, the second has the name of mode 3.
constexpr unsigned short fp32_to_bf16_rtn_raw(fp32_t x) {
    return impl::to_code(fp32_to_bf16<0>(x));
}
constexpr bf16_t fp32_to_bf16_rtn_asm(fp32_t x) {
    return fp32_to_bf16<0>(x);
}

namespace impl {
// x, or 0 for NaN. Under -ffast-math the compiler takes x == x as true.
constexpr float zero_for_nan(float x) {
#if __FINITE_MATH_ONLY__
    return (__builtin_bit_cast(u32_t, x) & 0x7fffffff) <= 0x7f800000 ? x : 0;
#else
    return x == x ? x : 0;
#endif
}

#if OPUS_HAS_CVT_FP8
// Returns its argument, without an instruction: the compiler sees only when it selects instructions
// what that is.
using bits_t = __attribute__((address_space(3))) char*;
OPUS_H_D_EXTERN __attribute__((const)) bits_t hidden(bits_t) __asm("llvm.strip.invariant.group.p3");

// v_cvt_i32_f32: drops the fraction and saturates; NaN becomes 0. C++ leaves that undefined, and
// the compiler could conclude from it that x is in range.
OPUS_D int convert_to_int(float x) {
    const bits_t bits = hidden(reinterpret_cast<bits_t>(__builtin_bit_cast(u32_t, x)));
    return static_cast<int>(__builtin_bit_cast(float, reinterpret_cast<u32_t>(bits)));
}
#endif

// Drops the fraction and saturates; NaN becomes 0.
template <class D>
constexpr D fp32_to_integer(float x) {
    constexpr D min = numeric_limits<D>::min();
    constexpr D max = numeric_limits<D>::max();
#if OPUS_HAS_CVT_FP8
    if constexpr (sizeof(D) <= 2 || is_same_v<D, i32_t>) {
        if (!__builtin_is_constant_evaluated()) {
            const int number = convert_to_int(x);
            return static_cast<D>(number < min ? min : number > max ? max : number);
        }
    }
#endif
    constexpr float beyond = static_cast<float>(max / 2 + 1) * 2;
    const float number = zero_for_nan(x);
    return number >= beyond ? max : number < static_cast<float>(min) ? min : static_cast<D>(number);
}
}  // namespace impl

// Drops the fraction and saturates to -128 .. 127; NaN becomes 0.
constexpr i8_t fp32_to_i8(fp32_t x) {
    return impl::fp32_to_integer<i8_t>(x);
}
constexpr fp32_t i8_to_fp32(i8_t x) {
    return static_cast<fp32_t>(x);
}
// 2^(code - 127); the code 255 is NaN.
constexpr fp32_t e8m0_to_fp32(e8m0_t x) {
    // The code is the exponent. One bit of the mantissa makes code 0 2^-127, and code 255 a NaN.
    const u32_t code = x.value;
    return __builtin_bit_cast(fp32_t, code << 23 | u32_t{((code + 1) & 0xff) < 2} << 22);
}
// The exponent of x, as instructions read it from a scale; sign and mantissa are dropped.
constexpr e8m0_t fp32_to_e8m0(fp32_t x) {
    return e8m0_t{static_cast<u8_t>(impl::scale_field(x))};
}

namespace impl {
template <class T>
inline constexpr bool is_fp8_v = is_any_of_v<T, fp8_t, bf8_t>;
// Conversions with a scale are between the small formats and the wide ones.
template <class T>
inline constexpr bool is_small_v = is_any_of_v<T, fp8_t, bf8_t, fp6_t, bf6_t, fp4_t>;
template <class T>
inline constexpr bool is_wide_v = is_any_of_v<T, fp32_t, fp16_t, bf16_t>;

// Whether the target of this pass has instructions that convert Size values to and from Small.
template <class Small, index_t Size>
inline constexpr bool has_conversion_v =
    is_fp8_v<Small>           ? OPUS_HAS_CVT_FP8
    : is_same_v<Small, fp4_t> ? OPUS_HAS_CVT_SCALE
                              : OPUS_HAS_CVT_SCALE && Size % 32 == 0;

template <class T>
inline constexpr bool has_elements_v = is_array_v<T> || is_vector_v<T>;
// Value i. A scalar is its own only value.
template <class S>
constexpr auto value_at(const S& s, [[maybe_unused]] index_t i) {
    if constexpr (has_elements_v<S>) {
        return static_cast<get_value_t<S>>(s[i]);
    } else {
        return s;
    }
}

// The fp32 value of a scalar: of a code of a small format, in Format and times 2^(scale - 127).
template <class Format = void, class T>
constexpr float to_fp32(const T& x, [[maybe_unused]] index_t scale = 127) {
    if constexpr (is_small_v<T>) {
        constexpr float_format f = format_v<Format>;
        return __builtin_bit_cast(float, decode_bits(f, to_code(x), scale));
    } else if constexpr (is_same_v<T, bf16_t>) {
        return bf16_to_fp32(x);
    } else if constexpr (is_same_v<T, e8m0_t>) {
        return e8m0_to_fp32(x);
    } else {
        return static_cast<float>(x);
    }
}
template <class T>
inline constexpr bool is_int4_v = is_any_of_v<T, int4_t, uint4_t>;

// The nearest D, of a small format that in Format and of x divided by 2^(scale - 127).
template <class D, index_t Mode, class Format = void, bool Saturates = false>
constexpr D from_fp32(float x, [[maybe_unused]] index_t scale = 127) {
    if constexpr (is_small_v<D>) {
        constexpr float_format f = format_v<Format>;
        return from_code<D>(
            static_cast<u8_t>(encode_bits(f, __builtin_bit_cast(u32_t, x), scale, Saturates)));
    } else if constexpr (is_same_v<D, bf16_t>) {
        return fp32_to_bf16(x, number<Mode>{});
    } else if constexpr (is_same_v<D, e8m0_t>) {
        return fp32_to_e8m0(x);
    } else if constexpr (is_integer_v<D>) {
        return fp32_to_integer<D>(x);
    } else {
        return static_cast<D>(x);
    }
}

#if OPUS_HAS_CVT_FP8
// The instructions with a scale. They convert two codes in half or byte At of a word, or 32 codes
// of 6 bits in six words. For fp16, operands and results have the builtins' type, _Float16.
template <class Small, class Wide>
struct scaled_row;
#if OPUS_HAS_CVT_SCALE
#define OPUS_SCALED_BY_TYPE(fp32_instruction, fp16_instruction, bf16_instruction) \
    if constexpr (is_same_v<Wide, fp32_t>) {                                      \
        return __builtin_amdgcn_cvt_scalef32_##fp32_instruction;                  \
    } else if constexpr (is_same_v<Wide, fp16_t>) {                               \
        return __builtin_amdgcn_cvt_scalef32_##fp16_instruction;                  \
    } else {                                                                      \
        return __builtin_amdgcn_cvt_scalef32_##bf16_instruction;                  \
    }
#define OPUS_SCALED_PAIR(small, code_word)                                    \
    template <class Wide>                                                     \
    struct scaled_row<small##_t, Wide> {                                      \
        using word = code_word;                                               \
        template <index_t At, class V>                                        \
        OPUS_D static auto encode(word old, const V& v, float scale) {        \
            OPUS_SCALED_BY_TYPE(pk_##small##_f32(old, v[0], v[1], scale, At), \
                                pk_##small##_f16(old, v, scale, At),          \
                                pk_##small##_bf16(old, v, scale, At))         \
        }                                                                     \
        template <index_t At>                                                 \
        OPUS_D static auto decode(u32_t codes, float scale) {                 \
            OPUS_SCALED_BY_TYPE(pk_f32_##small(codes, scale, At),             \
                                pk_f16_##small(codes, scale, At),             \
                                pk_bf16_##small(codes, scale, At))            \
        }                                                                     \
    };
#define OPUS_SCALED_32(small)                                                                    \
    template <class Wide>                                                                        \
    struct scaled_row<small##_t, Wide> {                                                         \
        template <class V>                                                                       \
        OPUS_D static auto encode(const V& v, float scale) {                                     \
            constexpr make_index_seq<16> half;                                                   \
            OPUS_SCALED_BY_TYPE(2xpk16_##small##_f32(gathered<fp32x16_t>(v, 0, 2, half),         \
                                                     gathered<fp32x16_t>(v, 1, 2, half), scale), \
                                pk32_##small##_f16(v, scale), pk32_##small##_bf16(v, scale))     \
        }                                                                                        \
        template <class Words>                                                                   \
        OPUS_D static auto decode(const Words& codes, float scale) {                             \
            OPUS_SCALED_BY_TYPE(pk32_f32_##small(codes, scale), pk32_f16_##small(codes, scale),  \
                                pk32_bf16_##small(codes, scale))                                 \
        }                                                                                        \
    };
OPUS_SCALED_PAIR(fp8, i16x2_t)
OPUS_SCALED_PAIR(bf8, i16x2_t)
OPUS_SCALED_PAIR(fp4, u32_t)
OPUS_SCALED_32(fp6)
OPUS_SCALED_32(bf6)
#undef OPUS_SCALED_32
#undef OPUS_SCALED_PAIR
#undef OPUS_SCALED_BY_TYPE
#endif
template <class Wide, index_t Size>
using builtin_vector_t =
    vector_t<__type_pack_element<is_same_v<Wide, fp16_t>, Wide, _Float16>, Size>;

// Whether the instructions with a scale are used. Those without convert fp8 and bf8 to and from
// fp32, and are the only ones of targets without OPUS_HAS_CVT_SCALE.
template <class Small, class Wide, class Scale>
inline constexpr bool is_scaled_v =
    !is_fp8_v<Small> ||
    (OPUS_HAS_CVT_SCALE && !(is_same_v<Wide, fp32_t> && is_same_v<Scale, unit_scale>));

// x times 2^exponent; NaN if the scale is NaN.
template <class Scale>
OPUS_D float times_power(float x, index_t exponent, Scale scale) {
    if constexpr (is_same_v<Scale, unit_scale>) {
        return x;
    } else {
        const bits_t nan = hidden(reinterpret_cast<bits_t>(0x7fc00000));  // from -ffast-math
        return scale_field(scale) == 255 ? __builtin_bit_cast(float, reinterpret_cast<u32_t>(nan))
                                         : __builtin_amdgcn_ldexpf(x, exponent);
    }
}

// The 32-bit words that hold Size codes.
template <class T, index_t Size>
using code_words_t = vector_t<u32_t, (Size * sizeof_bits_v<T> + 31) / 32>;

// x, but at most the largest number of D's format in size. A NaN stays a NaN or, with its sign,
// becomes a number that D takes for too large and so for a NaN: v_med3_f32 of a NaN is the least of
// the others (of a signalling one, the last).
template <class D>
OPUS_D float saturated(float x) {
    constexpr float limit = finfo<D>::max;
    if constexpr (format_v<D>.special != ieee) {
        constexpr float least = -0x1.fffffep127f;
        return __builtin_copysignf(__builtin_amdgcn_fmed3f(__builtin_fabsf(x), limit, least), x);
    } else {
#if OPUS_HAS_CVT_SCALE && !__FINITE_MATH_ONLY__  // v_maximum3_f32 and v_minimum3_f32
        return __builtin_elementwise_minimum(__builtin_elementwise_maximum(x, -limit), limit);
#else
        const bool is_nan = (__builtin_bit_cast(u32_t, x) & 0x7fffffff) > 0x7f800000;
        return is_nan ? x : __builtin_amdgcn_fmed3f(x, -limit, limit);
#endif
    }
}
// Encodes two values into half or byte At of a word. For a word's first pair, the other bits may
// have any value: they are written later or not used. So they come from the source: its register is
// usually free after this, and a zero would take another one.
template <class D, index_t At, bool Saturates, class V, class Scale>
OPUS_D u32_t encode_pair(u32_t word, const V& v, Scale scale) {
    using wide = get_value_t<V>;
    const u32_t old = At == 0 ? move_bits<u32_t>(v) : word;
    if constexpr (!Saturates && is_scaled_v<D, wide, Scale>) {
        using row = scaled_row<D, wide>;
        return move_bits<u32_t>(
            row::template encode<At>(__builtin_bit_cast(typename row::word, old),
                                     move_bits<builtin_vector_t<wide, 2>>(v), scale));
    } else {
        const index_t exponent = 127 - scale_field(scale);
        float a = times_power(to_fp32(v[0]), exponent, scale),
              b = times_power(to_fp32(v[1]), exponent, scale);
        if constexpr (Saturates) {
            a = saturated<D>(a);
            b = saturated<D>(b);
        }
        const int into = static_cast<int>(old);
        return static_cast<u32_t>(is_same_v<D, fp8_t>
                                      ? __builtin_amdgcn_cvt_pk_fp8_f32(a, b, into, At)
                                      : __builtin_amdgcn_cvt_pk_bf8_f32(a, b, into, At));
    }
}
template <index_t At, class Small>
OPUS_D fp32x2_t decode_fp8(int codes) {
    return is_same_v<Small, fp8_t> ? __builtin_amdgcn_cvt_pk_f32_fp8(codes, At)
                                   : __builtin_amdgcn_cvt_pk_f32_bf8(codes, At);
}
// Of an odd number of values, the last pair is the last one twice, of which one code is dropped.
template <class D, bool Saturates, class S, class Scale, index_t... Pairs>
OPUS_D auto encode_pairs(const S& s, Scale scale, seq<Pairs...>) {
    constexpr index_t n = size<S>();
    constexpr index_t bits = n * sizeof_bits_v<D>;
    constexpr index_t per_word = 16 / sizeof_bits_v<D>;  // pairs
    using pair = vector_t<get_value_t<S>, 2>;
    code_words_t<D, n> words;
    ((words[Pairs / per_word] = encode_pair<D, Pairs % per_word, Saturates>(
          words[Pairs / per_word],
          pair{value_at(s, 2 * Pairs), value_at(s, 2 * Pairs + (2 * Pairs + 1 < n))}, scale)),
     ...);
    if constexpr (n % 2 != 0) {
        words[bits / 32] &= (1u << bits % 32) - 1;
    }
    return words;
}
// Codes as words. Copied with the bytes behind its last element, a vector could go through LDS.
template <class S, class Words = code_words_t<get_value_t<S>, size<S>()>>
OPUS_D Words words_of(const S& s) {
    if constexpr (is_vector_v<S> && sizeof(S) > size<S>() * sizeof(get_value_t<S>)) {
        return [&]<index_t... Is>(seq<Is...>) {
            return __builtin_bit_cast(Words,
                                      __builtin_shufflevector(s, s, (Is < size<S>() ? Is : -1)...));
        }(make_index_seq<sizeof(S)>{});
    } else {
        return move_bits<Words>(s);
    }
}
template <class Wide, index_t Mode>
OPUS_D vector_t<Wide, 2> pair_from_fp32(fp32x2_t x) {
    return {from_fp32<Wide, Mode>(x[0]), from_fp32<Wide, Mode>(x[1])};
}
// Decodes 4-bit and 6-bit codes in pairs, where no instruction does it.
//
// fp4: v_perm_b32 looks up the bytes of four numbers in a table of eight bytes.
struct looked_up {
    u32_t low, high;  // the low and the high bytes of four 16-bit numbers
};
// @pre the codes are in the upper half of each byte
template <class Wide>
OPUS_D looked_up look_up_fp4(u32_t codes) {
    const u32_t index = codes >> 4 & 0x07070707;
    const u32_t signs = codes & 0x80808080;
    if constexpr (is_same_v<Wide, fp16_t>) {
        return {0, __builtin_amdgcn_perm(0x46444240, 0x3e3c3800, index) | signs};
    } else {
        return {__builtin_amdgcn_perm(0xc0804000, 0xc0800000, index),
                __builtin_amdgcn_perm(0x40404040, 0x3f3f3f00, index) | signs};
    }
}
template <class Wide, class Small, index_t Pair, class Words,
          enable_if_t<is_same_v<Small, fp4_t>> = 0>
OPUS_D vector_t<Wide, 2> decode_pair_in_software(const Words& words) {
    constexpr u32_t at = Pair % 4;
    const looked_up even = look_up_fp4<Wide>(words[Pair / 4] << 4);
    const looked_up odd = look_up_fp4<Wide>(words[Pair / 4]);
    if constexpr (is_same_v<Wide, fp32_t>) {
        constexpr u32_t upper = 0x04000c0c + at * 0x01010000;
        return {__builtin_bit_cast(fp32_t, __builtin_amdgcn_perm(even.high, even.low, upper)),
                __builtin_bit_cast(fp32_t, __builtin_amdgcn_perm(odd.high, odd.low, upper))};
    } else if constexpr (is_same_v<Wide, fp16_t>) {
        return move_bits<fp16x2_t>(
            __builtin_amdgcn_perm(odd.high, even.high, 0x040c000c + at * 0x01000100));
    } else {
        constexpr u32_t two = 0x05010400 + at / 2 * 0x02020202;
        return move_bits<bf16x2_t>(
            __builtin_amdgcn_perm(__builtin_amdgcn_perm(odd.high, odd.low, two),
                                  __builtin_amdgcn_perm(even.high, even.low, two),
                                  at % 2 == 0 ? 0x05040100 : 0x07060302));
    }
}
// 6 bits, by way of fp16: sign, exponent and mantissa move to their places in fp16, and a product
// corrects the bias.
template <class Wide, class Small, index_t Pair, class Words,
          enable_if_t<sizeof_bits_v<Small> == 6> = 0>
OPUS_D vector_t<Wide, 2> decode_pair_in_software(const Words& words) {
    constexpr float_format f = format_v<Small>;
    constexpr index_t first = 12 * Pair;  // bit of the first code
    constexpr index_t word = first / 32;
    constexpr index_t next = word + 1 < size<Words>() ? word + 1 : word;
    // Both halves are the 16 bits with the two codes, each shifted until its own code is on top.
    const u32_t twice =
        __builtin_amdgcn_perm(words[next], words[word], 0x01000100 + first / 8 % 4 * 0x01010101);
    using codes = vector_t<unsigned short, 2>;
    constexpr unsigned short above = 10 - first % 8;
    const codes up = __builtin_bit_cast(codes, twice) << codes{above, above - 6};
    // The exponent moves down to the last bits of fp16's exponent; the sign stays.
    const i16x2_t down = __builtin_bit_cast(i16x2_t, up) >> (5 - f.exponent_bits);
    constexpr u32_t mask = 0x8000 | (f.sign() - 1) << (10 - f.mantissa_bits);
    const auto halves = __builtin_bit_cast(builtin_vector_t<fp16_t, 2>,
                                           __builtin_bit_cast(u32_t, down) & (mask << 16 | mask));
    const auto values = halves * static_cast<_Float16>(1 << (15 - f.bias));
    if constexpr (is_same_v<Wide, fp16_t>) {
        return move_bits<fp16x2_t>(values);
    } else {
        return pair_from_fp32<Wide, 2>(__builtin_convertvector(values, fp32x2_t));
    }
}
// Decodes part At of the codes in words: 32 codes by an instruction for so many, otherwise a pair.
template <class Wide, class Small, index_t Length, index_t At, class Words, class Scale>
OPUS_D auto decode_part(const Words& words, Scale scale) {
    constexpr index_t per_word = 16 / sizeof_bits_v<Small>;  // pairs
    using part = vector_t<Wide, Length>;
    if constexpr (Length == 32) {
        return move_bits<part>(
            scaled_row<Small, Wide>::decode(subvector<6, false>(words, At * 6), scale));
    } else if constexpr (has_conversion_v<Small, 2> && is_scaled_v<Small, Wide, Scale>) {
        return move_bits<part>(
            scaled_row<Small, Wide>::template decode<At % per_word>(words[At / per_word], scale));
    } else if constexpr (has_conversion_v<Small, 2>) {
        const index_t exponent = scale_field(scale) - 127;
        const fp32x2_t x = decode_fp8<At % per_word, Small>(static_cast<int>(words[At / per_word]));
        // Without a scale, bf16 holds the number exactly, so the shortest mode is enough.
        return pair_from_fp32<Wide, is_same_v<Scale, unit_scale> ? 2 : 0>(
            fp32x2_t{times_power(x[0], exponent, scale), times_power(x[1], exponent, scale)});
    } else if constexpr (is_same_v<Scale, unit_scale>) {
        return decode_pair_in_software<Wide, Small, At>(words);
    } else {
        // The products are exact, denormal ones too, and bf16 holds them: mode 2 drops only zeros.
        const float power = e8m0_to_fp32(fp32_to_e8m0(scale));
        return pair_from_fp32<Wide, 2>(decode_pair_in_software<fp32_t, Small, At>(words) * power);
    }
}
template <class R, class Wide, index_t Length, class S, class Scale, index_t... Parts>
OPUS_D R decode_parts(const S& s, Scale scale, seq<Parts...>) {
    const auto words = words_of(s);
    const vector_t<Wide, Length> parts[] = {
        decode_part<Wide, get_value_t<S>, Length, Parts>(words, scale)...};
    return move_bits<R>(parts);
}
// 6-bit formats are converted in groups of 32, of six words each.
template <class Small, class S, index_t... Words>
OPUS_D auto encode_groups(const S& s, float scale, seq<Words...>) {
    using wide = get_value_t<S>;
    return code_words_t<Small, size<S>()>{scaled_row<Small, wide>::encode(
        move_bits<builtin_vector_t<wide, 32>>(subvector<32, false>(s, Words / 6 * 32)),
        scale)[Words % 6]...};
}
// Elements i and i + 1 as bytes in the lower half of a word; the upper half may have any value.
template <class D, class S>
OPUS_D u32_t saturated_pair(const S& s, index_t i) {
    const float low = to_fp32(value_at(s, i));
    const float high = to_fp32(value_at(s, i + 1));
#if OPUS_HAS_CVT_SCALE
    const auto x = static_cast<unsigned>(convert_to_int(low));
    const auto y = static_cast<unsigned>(convert_to_int(high));
    const vector_t<unsigned short, 1> bytes = is_same_v<D, i8_t>
                                                  ? __builtin_amdgcn_ashr_pk_i8_i32(x, y, 0)
                                                  : __builtin_amdgcn_ashr_pk_u8_i32(x, y, 0);
    return __builtin_bit_cast(u32_t, __builtin_shufflevector(bytes, bytes, 0, -1));
#else
    const auto x = static_cast<u32_t>(fp32_to_integer<D>(low));
    const auto y = static_cast<u32_t>(fp32_to_integer<D>(high));
    return __builtin_amdgcn_perm(y, x, 0x0c0c0400);
#endif
}
template <class R, class D, class S, index_t... First>
OPUS_D R saturated_bytes(const S& s, seq<First...>) {
    return move_bits<R>(vector_t<u32_t, sizeof...(First)>{
        First + 2 == size<S>()
            ? saturated_pair<D>(s, First)
            : __builtin_amdgcn_perm(saturated_pair<D>(s, First + 2), saturated_pair<D>(s, First),
                                    0x05040100)...});
}
#endif
template <class R, class D, index_t Mode, class Format, bool Saturates, class S, index_t... Is>
constexpr R convert_elements(const S& s, index_t scale, seq<Is...>) {
    return R{
        from_fp32<D, Mode, Format, Saturates>(to_fp32<Format>(value_at(s, Is), scale), scale)...};
}

// Converts s, which has the wide type if D is a small format and the other way round, or neither.
// Format is the format of the codes: that of this pass or a named one.
template <class R, class D, index_t Mode, class Format, bool Saturates, class S, class Scale>
constexpr R convert(const S& s, Scale scale) {
    constexpr index_t n = size<S>();
#if OPUS_HAS_CVT_FP8
    using T = get_value_t<S>;
    if (!__builtin_is_constant_evaluated()) {
        if constexpr (is_small_v<D> || is_small_v<T>) {
            using small = __type_pack_element<is_small_v<D>, T, D>;
            using pairs = make_index_seq<(n + 1) / 2>;
            // Whether the format is that of this pass, which the instructions have.
            constexpr bool is_native = format_v<Format>.bias == format_v<small>.bias;
            constexpr bool has_groups = sizeof_bits_v<small> == 6 && has_conversion_v<small, n>;
            if constexpr (has_groups && is_small_v<D>) {
                return move_bits<R>(encode_groups<D>(s, scale, make_index_seq<n / 32 * 6>{}));
            } else if constexpr (has_groups) {
                return decode_parts<R, D, 32>(s, scale, make_index_seq<n / 32>{});
            } else if constexpr (is_native && is_small_v<T>) {
                return decode_parts<R, D, 2>(s, scale, pairs{});
            } else if constexpr (is_native && has_conversion_v<D, n>) {
                return move_bits<R>(encode_pairs<D, Saturates>(s, scale, pairs{}));
            }
        } else if constexpr (is_any_of_v<D, i8_t, u8_t> && n % 2 == 0) {
            return saturated_bytes<R, D>(s, make_index_seq<0, n, 4>{});
        }
    }
#endif
    return convert_elements<R, D, Mode, Format, Saturates>(s, scale_field(scale),
                                                           make_index_seq<n>{});
}

// Casts of 4-bit integers are in opus_plus.hpp: the compiler finds its cast_int4 by the type of the
// first argument.
template <class R, class D>
struct int4_result {};
template <class R, class D, class... Source>
constexpr R cast_int4(int4_result<R, D>, const Source&...) {
    static_assert(false, "opus::cast: of and to int4_t and uint4_t: include opus_plus.hpp");
    return R{};
}

// The arguments that follow the value in cast: a rounding mode (a constant); or the name of an
// 8-bit format, a scale and saturate{}, or some of these; or nothing.
template <class T>
inline constexpr bool is_format_v = is_any_of_v<T, fp8_ocp, fp8_fnuz, bf8_ocp, bf8_fnuz>;
constexpr unit_scale cast_scale() {
    return {};
}
template <class Scale, class... Rest>
constexpr auto cast_scale(const Scale& scale, const Rest&... rest) {
    static_assert(is_format_v<Scale> || sizeof...(Rest) == is_any_of_v<saturate, Rest...>,
                  "opus::cast: one scale may follow, after the format if there is one and before "
                  "saturate{}");
    if constexpr (is_format_v<Scale> || is_same_v<Scale, saturate>) {
        return cast_scale(rest...);
    } else if constexpr (is_same_v<Scale, e8m0_t>) {
        return e8m0_to_fp32(scale);
    } else {
        static_assert(__is_floating_point(Scale),
                      "opus::cast: a scale is a float or an e8m0_t; a rounding mode is a constant "
                      "such as 0_I");
        return static_cast<float>(scale);
    }
}

// The type of cast<D>(S): the kind of S but for the two exceptions that cast has.
template <class D, class S>
inline constexpr bool casts_to_array_v =
    is_array_v<S> ? !(is_wide_v<D> && is_same_v<get_value_t<S>, fp4_t>)
                  : is_same_v<D, fp4_t> && (size<S>() == 2 || size<S>() == 4 || size<S>() == 8);
template <class D, class S>
using cast_result_t = __type_pack_element<has_elements_v<S> ? 1 + casts_to_array_v<D, S> : 0, D,
                                          vector_t<D, size<S>()>, array<D, size<S>()>>;

template <class T>
inline constexpr bool is_castable_v = is_dtype_v<T> || is_packs_v<T>;
// Whether fp32 holds every value of T.
template <class T>
inline constexpr bool is_exact_in_fp32_v =
    is_packs_v<T> || is_same_v<T, fp32_t> || (is_dtype_v<T> && sizeof(T) <= 2);
template <class D, class T>
inline constexpr bool casts_v = is_castable_v<D> && is_castable_v<T> &&
                                (is_same_v<D, T> || is_same_v<D, fp32_t> || is_exact_in_fp32_v<T> ||
                                 (is_int4_v<D> && is_integer_v<T>));

// cast of a vector, an array or a scalar whose elements are not containers.
template <class D, class S, class... Aux>
constexpr auto cast_values(const S& s, const Aux&... aux) {
    using T = get_value_t<S>;
    using small = __type_pack_element<is_small_v<D>, T, D>;
    using first = __type_pack_element<0, Aux..., void>;
    constexpr bool scales = (is_small_v<D> && is_wide_v<T>) || (is_wide_v<D> && is_small_v<T>);
    constexpr bool has_mode = (is_constant_v<Aux> || ...);
    constexpr bool saturates = is_any_of_v<saturate, Aux...>;
    constexpr index_t formats = (0 + ... + index_t{is_format_v<Aux>});
    constexpr bool has_scale = sizeof...(Aux) > formats && !has_mode;
    static_assert(!is_same_v<D, bf16_t> || !(__is_integral(Aux) || ...),
                  "opus::cast: write 0_I, not 0: the rounding mode is a constant");
    static_assert(casts_v<D, T>,
                  "opus::cast: there is no such conversion; fp32, fp16, bf16, fp8, bf8, fp6, bf6, "
                  "fp4, e8m0, int4, uint4 and integers up to 16 bits convert to all of them and to "
                  "every dtype, wider integers to fp32, int4 and uint4 only, fp64 to fp32 only");
    constexpr bool fits = sizeof...(Aux) <= 1 + (formats > 0 && !has_mode) + saturates;
    static_assert(fits, "opus::cast: takes one scale (a float) or one rounding mode (as 0_I)");
    static_assert(
        formats == 0 || scales,
        "opus::cast: fp8_ocp, fp8_fnuz, bf8_ocp and bf8_fnuz are for conversions of fp32, "
        "fp16 and bf16 to and from fp8 and bf8");
    static_assert(
        !scales || !is_format_v<first> ||
            is_same_v<small,
                      __type_pack_element<is_any_of_v<first, fp8_ocp, fp8_fnuz>, bf8_t, fp8_t>>,
        "opus::cast: fp8_ocp and fp8_fnuz are formats of fp8, bf8_ocp and bf8_fnuz of "
        "bf8");
    static_assert(!has_mode || is_same_v<D, bf16_t>,
                  "opus::cast: a rounding mode is for conversions to bf16");
    static_assert(!has_scale || scales,
                  "opus::cast: a scale is for conversions of fp32, fp16 and bf16 to and from fp8, "
                  "bf8, fp6, bf6 and fp4, saturate{} for those to fp8 and bf8");
    static_assert(!scales || !saturates || is_fp8_v<D>,
                  "opus::cast: saturate{} is for conversions to fp8 and bf8 (those to fp6, fp4 and "
                  "integers saturate anyway)");
    if constexpr (!casts_v<D, T> || is_same_v<D, T> || !fits) {
        return s;
    } else if constexpr (scales) {
        using format = __type_pack_element<is_format_v<first>, small, first>;
        return convert<cast_result_t<D, S>, D, 0, format, saturates>(s, cast_scale(aux...));
    } else if constexpr (is_small_v<D> || is_small_v<T>) {
        return cast_values<D>(cast_values<fp32_t>(s));
    } else if constexpr (is_int4_v<D> || is_int4_v<T>) {
        return cast_int4(int4_result<cast_result_t<D, S>, D>{}, s, make_index_seq<size<S>()>{});
    } else {
        constexpr index_t mode = constant_or<OPUS_FP32_to_BF16_DEFAULT, first>;
        return convert<cast_result_t<D, S>, D, mode, D, false>(s, unit_scale{});
    }
}
}  // namespace impl

// Converts s to D: a scalar, or each element of a vector, an array or a tuple, also in nested
// containers. The kind of container stays the same, with two exceptions: a cast to fp4 turns a
// vector of 2, 4 or 8 values into an array, and a cast from fp4 turns an array of any size into a
// vector. A single fp4_t is read as the two codes of its byte.
// Between fp8, bf8, fp6, bf6 or fp4 and fp32, fp16 or bf16, the name of the format (for fp8 and
// bf8) and a scale may follow, and in casts to fp8 and bf8, last, saturate{}. In other casts to
// bf16, the rounding mode of fp32_to_bf16 may follow.
// Casts from and to int4 and uint4, which saturate and round to nearest even, need opus_plus.hpp.
// cast<fp8_t>(fp32x4_t) -> fp8x4_t
// cast<fp4_t>(fp32x8_t, 4.0f) -> array<fp4_t, 8>
// cast<fp8_t>(fp32x4_t, fp8_fnuz{}) -> fp8x4_t, in the format of gfx942
// cast<fp8_t>(fp32x4_t, saturate{}) -> fp8x4_t, without infinities and new NaNs
// cast<bf16_t>(fp32x4_t, 0_I) -> bf16x4_t, to nearest even
template <class D, class S, class... Aux>
constexpr auto cast(const S& s, const Aux&... aux) {
    if constexpr (is_tuple_v<S>) {
        return transform_tuple([&](const auto& x) { return cast<D>(x, aux...); }, s);
    } else if constexpr (is_array_v<S> && impl::is_container_v<get_value_t<S>>) {
        return [&]<index_t... Is>(seq<Is...>) {
            return make_array(cast<D>(s[Is], aux...)...);
        }(make_index_seq<size<S>()>{});
    } else {
        using source = typename impl::element_value<S>::type;
        using destination = __remove_cv(D);
        if constexpr (is_same_v<source, fp4_t> && !is_same_v<destination, fp4_t>) {
            const source codes = s;
            return impl::cast_values<destination>(__builtin_bit_cast(array<fp4_t, 2>, codes),
                                                  aux...);
        } else {
            return impl::cast_values<destination, source>(s, aux...);
        }
    }
}

namespace impl {
template <class T, index_t Size, class S, class... Aux>
inline constexpr bool is_packed_source_v =
    is_same_v<get_value_t<S>, T> && (size<S>() == Size || (is_same_v<S, fp4_t> && Size == 2));
}  // namespace impl

// Conversions of one value. The name of a format (for fp8 and bf8) and a scale (a float or an
// e8m0_t) may follow:
//   fp32_to_fp8 fp32_to_bf8 fp32_to_fp6 fp32_to_bf6 fp32_to_fp4
//   fp8_to_fp32 bf8_to_fp32 fp6_to_fp32 bf6_to_fp32 fp4_to_fp32
// fp32_to_fp4(3.0f, 2.0f) -> the code of 1.5
#define OPUS_SMALL_SCALARS(small)                                      \
    template <class... Aux>                                            \
    constexpr small##_t fp32_to_##small(fp32_t x, const Aux&... aux) { \
        return impl::cast_values<small##_t>(x, aux...);                \
    }                                                                  \
    template <class... Aux>                                            \
    constexpr fp32_t small##_to_fp32(small##_t x, const Aux&... aux) { \
        return impl::cast_values<fp32_t>(x, aux...);                   \
    }
OPUS_SMALL_SCALARS(fp8)
OPUS_SMALL_SCALARS(bf8)
OPUS_SMALL_SCALARS(fp6)
OPUS_SMALL_SCALARS(bf6)
OPUS_SMALL_SCALARS(fp4)
#undef OPUS_SMALL_SCALARS

// Named casts between n values and n codes of a small format; a scale may follow.
#define OPUS_PACKED_CAST(name, from, to, n)                              \
    template <class... S>                                                \
    constexpr auto name(const S&... s) {                                 \
        static_assert(impl::is_packed_source_v<from##_t, n, S...>,       \
                      "opus::" #name ": takes " #n " values of " #from); \
        return cast<to##_t>(s...);                                       \
    }
OPUS_PACKED_CAST(fp32_to_fp8_packed_x2, fp32, fp8, 2)
OPUS_PACKED_CAST(fp32_to_fp8_packed_x4, fp32, fp8, 4)
OPUS_PACKED_CAST(fp8_to_fp32_packed_x2, fp8, fp32, 2)
OPUS_PACKED_CAST(fp8_to_fp32_packed_x4, fp8, fp32, 4)
OPUS_PACKED_CAST(fp32_to_fp4_packed_x2, fp32, fp4, 2)
OPUS_PACKED_CAST(fp32_to_fp4_packed_x4, fp32, fp4, 4)
OPUS_PACKED_CAST(fp32_to_fp4_packed_x8, fp32, fp4, 8)
OPUS_PACKED_CAST(fp4_to_fp32_packed_x2, fp4, fp32, 2)
OPUS_PACKED_CAST(fp4_to_fp32_packed_x4, fp4, fp32, 4)
OPUS_PACKED_CAST(fp4_to_fp32_packed_x8, fp4, fp32, 8)
OPUS_PACKED_CAST(bf16_to_fp4_packed_x2, bf16, fp4, 2)
OPUS_PACKED_CAST(fp4_to_bf16_packed_x2, fp4, bf16, 2)
#undef OPUS_PACKED_CAST

// == 12. architecture =============================================================================
//
// What code can ask about its target, its device and its place in the grid. Main names:
// get_smem_size, thread_id_x, block_id_x, lane_id, query_num_cu. Look first at the ids.

constexpr index_t get_warp_size() {
    return arch_traits::warp_size;
}
// Bytes of LDS that a workgroup can have.
constexpr index_t get_smem_size() {
    return arch_traits::lds_bytes;
}

#if OPUS_ENABLE_RUNTIME_QUERY
// What the query functions throw; without exceptions they call abort().
struct runtime_query_error {
    hipError_t status;
    const char* call;
};

namespace impl {
OPUS_H void check_query(hipError_t status, [[maybe_unused]] const char* call) {
    if (status != hipSuccess) {
#if defined(__cpp_exceptions)
        throw runtime_query_error{status, call};
#else
        __builtin_abort();
#endif
    }
}
OPUS_H index_t query_attribute(hipDeviceAttribute_t attribute) {
    int device = 0;
    check_query(hipGetDevice(&device), "hipGetDevice");
    int value = 0;
    check_query(hipDeviceGetAttribute(&value, attribute, device), "hipDeviceGetAttribute");
    return value;
}
}  // namespace impl

// Host functions that ask the HIP runtime about the current device.
OPUS_H index_t query_warp_size() {
    return impl::query_attribute(hipDeviceAttributeWarpSize);
}
// Bytes of LDS that a workgroup can have.
OPUS_H index_t query_smem_size() {
    return impl::query_attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
}
// Compute units.
OPUS_H index_t query_num_cu() {
    return impl::query_attribute(hipDeviceAttributeMultiprocessorCount);
}
#endif

#if defined(__HIP__)
// Grid sizes are in work-items, as in HIP's dispatch packet.
#define OPUS_ID(name, builtin)                                     \
    OPUS_D index_t name() {                                        \
        return static_cast<index_t>(__builtin_amdgcn_##builtin()); \
    }
OPUS_ID(thread_id_x, workitem_id_x)
OPUS_ID(thread_id_y, workitem_id_y)
OPUS_ID(thread_id_z, workitem_id_z)
OPUS_ID(block_id_x, workgroup_id_x)
OPUS_ID(block_id_y, workgroup_id_y)
OPUS_ID(block_id_z, workgroup_id_z)
OPUS_ID(block_size_x, workgroup_size_x)
OPUS_ID(block_size_y, workgroup_size_y)
OPUS_ID(block_size_z, workgroup_size_z)
OPUS_ID(grid_size_x, grid_size_x)
OPUS_ID(grid_size_y, grid_size_y)
OPUS_ID(grid_size_z, grid_size_z)
#undef OPUS_ID
// The lane's position in its wave, 0 .. 63.
OPUS_D index_t lane_id() {
    return static_cast<index_t>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
}
#endif

// == 12.1 synchronisation =========================================================================
//
// Waits, barriers and the order of instructions. Main names: sync_threads, lds_barrier, s_waitcnt,
// wait_async, keep_order, sched_group, workgroup_barrier. Look first at sync_threads and
// lds_barrier: they say what is complete behind them.

// Marks the integer overload of a function that requires constants: calling it is an error.
#define OPUS_CONSTANTS(name, what) \
    __attribute__((unavailable("opus::" #name ": " what " are constants (write 0_I, not 0)")))

#if defined(__HIP__)
// A fence for the compiler, without an instruction: no memory operation, wait or barrier moves
// across it. (What depends on neither memory nor order may, in front of a loop for example.)
OPUS_D void keep_order() {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_sched_barrier(0);
}

// Waits until at most `vm` vector memory operations and `lgkm` LDS and scalar memory operations of
// this wave are outstanding (ISA guide, 4.4): for operations that the compiler does not know of. A
// count is cut to its field, vm & 63, lgkm & 15 and exp & 7: s_waitcnt_lgkmcnt(16_I) is
// s_waitcnt_lgkmcnt(0_I). No access of memory moves across a wait for lgkm.
OPUS_CONSTANTS(s_waitcnt, "counts")
OPUS_D void s_waitcnt(index_t vm, index_t lgkm, index_t exp = 7);
template <index_t vm, index_t lgkm, index_t exp = 7>
OPUS_D void s_waitcnt(number<vm>, number<lgkm>, number<exp> = {}) {
    static_assert(vm >= 0 && lgkm >= 0 && exp >= 0, "opus::s_waitcnt: a count is 0 or more");
    // vm has two fields (ISA guide, S_WAITCNT).
    __builtin_amdgcn_s_waitcnt((vm & 15) | (exp & 7) << 4 | (lgkm & 15) << 8 | (vm >> 4 & 3) << 14);
    if constexpr ((lgkm & 15) != 15) {
        asm volatile("" ::: "memory");
    }
}
OPUS_CONSTANTS(s_waitcnt_vmcnt, "counts") OPUS_D void s_waitcnt_vmcnt(index_t vm);
template <index_t vm>
OPUS_D void s_waitcnt_vmcnt(number<vm> n) {
    s_waitcnt(n, number<15>{});
}
OPUS_CONSTANTS(s_waitcnt_lgkmcnt, "counts") OPUS_D void s_waitcnt_lgkmcnt(index_t lgkm);
template <index_t lgkm>
OPUS_D void s_waitcnt_lgkmcnt(number<lgkm> n) {
    s_waitcnt(number<63>{}, n);
}

// Waits until at most the latest n loads and stores of global memory and async_loads of this wave
// are in flight (they complete in order). No read of LDS moves in front of the wait. To read data
// that other waves loaded, add a barrier after the wait.
OPUS_CONSTANTS(wait_async, "counts") OPUS_D void wait_async(index_t n);
template <index_t n>
OPUS_D void wait_async(number<n>) {
    static_assert(n >= 0 && n < 64, "opus::wait_async: 0 .. 63 operations can be left in flight");
    keep_order();
    s_waitcnt_vmcnt(number<n>{});
    keep_order();
}

// The bare barrier: all waves of the workgroup arrive before any goes on. It waits for no memory
// operation, and the compiler may move memory operations across it. Use sync_threads() for data.
OPUS_D void s_barrier() {
    __builtin_amdgcn_s_barrier();
}

// A barrier for data in LDS: the reads and writes of LDS by every wave of the workgroup are
// complete. Loads of global memory and async_loads stay in flight.
OPUS_D void lds_barrier() {
    keep_order();
    s_waitcnt(number<63>{}, number<0>{});
    s_barrier();
    keep_order();
}

// A barrier after which the workgroup sees what each of its waves stored before, in LDS and in
// global memory, async_load included.
OPUS_D void sync_threads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    s_waitcnt(number<0>{}, number<0>{});
    s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// 20 wait states between the matrix instructions that write these vectors (or arrays of them) and
// their readers: enough for all. clang leaves some out where paths meet (docs/wait-states.md).
template <class... V>
OPUS_D void settle(V&... x) {
    static_assert((((is_vector_v<V> || is_array_v<V>) && sizeof(V) % 8 == 0) && ...),
                  "opus::settle: vectors of dwords, or arrays of these");
    const auto hold = [](auto& part) { asm volatile("" : "+v"(part)); };  // takes 32 dwords
    const auto pin = [&hold](auto& v) {
        constexpr index_t width = (sizeof(v) / 4 | 32) & -(sizeof(v) / 4 | 32);
        array<vector_t<u32_t, width>, sizeof(v) / 4 / width> all;
        __builtin_memcpy(&all, &v, sizeof(v));
        static_for<sizeof(v) / 4 / width>([&](auto i) { hold(all[i.value]); });
        __builtin_memcpy(&v, &all, sizeof(v));
    };
    (pin(x), ...);
    asm volatile("s_nop 15\n\ts_nop 3");
    (pin(x), ...);
}

// Sets the wave's priority, from 0 (the initial one) to 3: among the waves of one SIMD, those with
// the higher priority go first.
OPUS_CONSTANTS(set_priority, "priorities") OPUS_D void set_priority(index_t priority);
template <index_t priority>
OPUS_D void set_priority(number<priority>) {
    static_assert(priority >= 0 && priority < 4, "opus::set_priority: a priority is 0 .. 3");
    __builtin_amdgcn_s_setprio(priority);
}

// Kinds of instructions for sched_group() and interleave(); a | b matches either kind.
template <index_t Bits>
struct sched_kind {};
template <index_t A, index_t B>
constexpr sched_kind<A | B> operator|(sched_kind<A>, sched_kind<B>) {
    return {};
}
namespace sched {
inline constexpr sched_kind<0x2> valu{};
inline constexpr sched_kind<0x4> salu{};
inline constexpr sched_kind<0x8> mfma{};
inline constexpr sched_kind<0x20> vmem_read{};  // async_load included
inline constexpr sched_kind<0x40> vmem_write{};
inline constexpr sched_kind<0x100> lds_read{};
inline constexpr sched_kind<0x200> lds_write{};
inline constexpr sched_kind<0x400> transcendental{};
}  // namespace sched

// Asks the compiler to order the instructions between one keep_order() and the next: `count` of
// this kind here, then those of the next sched_group(). It ignores what it cannot satisfy.
template <index_t Bits>
OPUS_CONSTANTS(sched_group, "counts")
OPUS_D void sched_group(sched_kind<Bits>, index_t count);
template <index_t Bits, index_t count>
OPUS_D void sched_group(sched_kind<Bits>, number<count>) {
    static_assert(count >= 0, "opus::sched_group: a count is 0 or more");
    if constexpr (count > 0) {
        __builtin_amdgcn_sched_group_barrier(Bits, count, 0);
    }
}
// Asks the compiler to spread `others` instructions of one kind among `count` of another: each of
// the `count` is followed by others / count of them, rounded up, until none is left.
template <index_t Bits, index_t OtherBits>
OPUS_CONSTANTS(interleave, "counts")
OPUS_D void interleave(sched_kind<Bits>, index_t count, sched_kind<OtherBits>, index_t others);
template <index_t Bits, index_t count, index_t OtherBits, index_t others>
OPUS_D void interleave(sched_kind<Bits> kind, number<count>, sched_kind<OtherBits> other_kind,
                       number<others>) {
    static_assert(count > 0 && others >= 0, "opus::interleave: `others` among 1 or more");
    if constexpr (others > 0) {
        static_for<count>([&](auto) {
            sched_group(kind, number<1>{});
            sched_group(other_kind, number<(others + count - 1) / count>{});
        });
    }
}

// Counters in global memory on which the workgroups of a kernel wait for each other. `offset` is in
// counters. All threads of a workgroup must call a function together (except ld): the workgroup's
// first thread acts between two barriers. The accesses are relaxed, of agent scope, and order no
// other memory. A workgroup that hands data over executes __builtin_amdgcn_fence(__ATOMIC_RELEASE,
// "agent") before inc(). The workgroup that takes the data executes an __ATOMIC_ACQUIRE fence after
// the wait.
// @pre the workgroups that wait and the workgroups they wait for are on the device at the same time
struct workgroup_barrier {
    u32_t* base_ptr;

    constexpr workgroup_barrier(u32_t* counters) : base_ptr(counters) {}

    // The counter's value; any thread may call this alone.
    OPUS_D u32_t ld(index_t offset = 0) const {
        return __hip_atomic_load(base_ptr + offset, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    // Waits until the counter is `value`.
    // @pre the counter does not pass `value` before the workgroup has seen it
    OPUS_D void wait_eq(u32_t value, index_t offset = 0) const {
        in_first_thread([&] {
            while (ld(offset) != value) {
                __builtin_amdgcn_s_sleep(1);
            }
        });
    }
    // Waits while the counter is less than `value`.
    OPUS_D void wait_lt(u32_t value, index_t offset = 0) const {
        in_first_thread([&] {
            while (ld(offset) < value) {
                __builtin_amdgcn_s_sleep(1);
            }
        });
    }
    // Adds 1 once per workgroup.
    OPUS_D void inc(index_t offset = 0) const {
        in_first_thread([&] {
            // The compiler must not see one address for all lanes: it would count the lanes first.
            unsigned zero = 0;
            asm("" : "+v"(zero));
            auto* counter = reinterpret_cast<char*>(base_ptr + offset) + zero;
            __hip_atomic_fetch_add(reinterpret_cast<u32_t*>(counter), 1u, __ATOMIC_RELAXED,
                                   __HIP_MEMORY_SCOPE_AGENT);
        });
    }

private:
    // The second barrier needs no wait, since the compiler knows what is in flight.
    template <class Op>
    OPUS_D static void in_first_thread(const Op& op) {
        sync_threads();
        if ((thread_id_x() | thread_id_y() | thread_id_z()) == 0) {
            op();
        }
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_sched_barrier(0);
        s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
};
#endif

// == 13. lanes ====================================================================================
//
// Values of other lanes of the wave. Main names: mov_dpp with the controls in namespace dpp, shfl,
// ballot, readfirstlane, readlane. Look first at impl::map_registers: what moves is a register;
// reductions and scans are in opus_plus.hpp.

namespace impl {
// Floating-point types that are integers to the compiler: fp8, bf8 and, before clang 20, bf16.
template <class T>
inline constexpr bool is_integer_code_v = __is_integral(T) && is_float_v<T>;

template <index_t First, index_t Lanes>
constexpr index_t dpp_shift() {
    static_assert(Lanes >= 1 && Lanes <= 15, "opus::dpp: a row shift is by 1 .. 15 lanes");
    return First + Lanes;
}
template <index_t... Lanes>
constexpr index_t dpp_quad_perm() {
    static_assert(((Lanes >= 0 && Lanes <= 3) && ...),
                  "opus::dpp::quad_perm: four lanes, each 0 .. 3, are required");
    index_t code = 0, shift = 0;
    ((code |= Lanes << shift, shift += 2), ...);
    return code;
}
template <index_t Lane>
constexpr index_t dpp_newbcast() {
    static_assert(Lane >= 0 && Lane <= 15, "opus::dpp::row_newbcast: the lane is 0 .. 15");
    return 0x150 + Lane;
}
// The controls that gfx9 has (ISA guide, table 94).
constexpr bool is_dpp_control(index_t c) {
    return (c >= 0 && c <= 0xff) || (c >= 0x101 && c <= 0x12f && c != 0x110 && c != 0x120) ||
           c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c || (c >= 0x140 && c <= 0x143) ||
           (c >= 0x150 && c <= 0x15f);
}
}  // namespace impl

// The controls of mov_dpp and upd_dpp. Each comment names the lane whose value lane n gets; a row
// is 16 lanes. "-" marks controls that leave some lanes without a source.
namespace dpp {
template <index_t A, index_t B, index_t C, index_t D>
inline constexpr number<impl::dpp_quad_perm<A, B, C, D>()> quad_perm{};  // of 4 lanes: A for lane 0
template <index_t Lanes>
inline constexpr number<impl::dpp_shift<0x100, Lanes>()> row_shl{};  // n + Lanes in the row, -
template <index_t Lanes>
inline constexpr number<impl::dpp_shift<0x110, Lanes>()> row_shr{};  // n - Lanes in the row, -
template <index_t Lanes>
inline constexpr number<impl::dpp_shift<0x120, Lanes>()> row_ror{};  // n - Lanes, wraps in the row
inline constexpr number<0x130> wave_shl{};                           // n + 1, -
inline constexpr number<0x134> wave_rol{};                           // n + 1, wraps
inline constexpr number<0x138> wave_shr{};                           // n - 1, -
inline constexpr number<0x13c> wave_ror{};                           // n - 1, wraps
inline constexpr number<0x140> row_mirror{};                         // 15 - n in the row
inline constexpr number<0x141> row_half_mirror{};                    // 7 - n in the 8 lanes
inline constexpr number<0x142> row_bcast15{};                        // lane 15 of the row before, -
inline constexpr number<0x143> row_bcast31{};                        // lane 31, for lanes >= 32, -
template <index_t Lane>
inline constexpr number<impl::dpp_newbcast<Lane>()> row_newbcast{};  // lane `Lane` of the row
}  // namespace dpp

#if defined(__HIP__)
namespace impl {
// A value as the registers that hold it; 1 or 2 bytes occupy the low end of one register.
template <class T>
struct registers {
    static_assert(OPUS_HAS_LANES,
                  "opus: DPP, shuffles and reductions are for gfx942 and gfx950; the target "
                  "is " OPUS_TARGET_NAME);
    static_assert(__is_trivially_copyable(T), "opus: only plain values can go to another lane");
    static_assert(sizeof(T) <= 2 || sizeof(T) % 4 == 0,
                  "opus: a value for another lane has 1, 2 or a multiple of 4 bytes");
    static constexpr index_t count = sizeof(T) <= 2 ? 1 : static_cast<index_t>(sizeof(T) / 4);

    int word[count];

    OPUS_D static registers of(const T& x) {
        if constexpr (sizeof(T) <= 2) {
            return {{__builtin_bit_cast(code_t<T>, x)}};
        } else {
            return __builtin_bit_cast(registers, x);
        }
    }
    OPUS_D T value() const {
        if constexpr (sizeof(T) <= 2) {
            return __builtin_bit_cast(T, static_cast<code_t<T>>(word[0]));
        } else {
            return __builtin_bit_cast(T, *this);
        }
    }
};

// Applies op to every register of x.
template <class T, class Op, index_t... Is>
OPUS_D T map_registers(const T& x, const Op& op, seq<Is...>) {
    const auto from = registers<T>::of(x);
    return registers<T>{{op(from.word[Is])...}}.value();
}
template <class T, class Op>
OPUS_D T map_registers(const T& x, const Op& op) {
    return map_registers(x, op, make_index_seq<registers<T>::count>{});
}

struct permute_from {
    index_t lane;

    OPUS_D int operator()(int word) const {
        return __builtin_amdgcn_ds_bpermute(lane * 4, word);  // the lane number modulo 64
    }
};
template <class Width>
OPUS_D void check_shuffle_width() {
    if constexpr (is_constant_v<Width>) {
        static_assert(Width::value >= 1 && Width::value <= get_warp_size() &&
                          (Width::value & (Width::value - 1)) == 0,
                      "opus::shfl: the width is a power of two, 1 .. 64");
    }
}

template <index_t Control, index_t RowMask, index_t BankMask, bool BoundCtrl, class T,
          index_t... Is>
OPUS_D T update_dpp(const T& old, const T& x, seq<Is...>) {
    static_assert(is_dpp_control(Control),
                  "opus::mov_dpp, upd_dpp: the control must be one of gfx9's (namespace opus::dpp "
                  "has them by name)");
    static_assert(RowMask >= 0 && RowMask <= 15, "opus::mov_dpp, upd_dpp: row_mask is 0 .. 15");
    static_assert(BankMask >= 0 && BankMask <= 15, "opus::mov_dpp, upd_dpp: bank_mask is 0 .. 15");
    const auto before = registers<T>::of(old);
    const auto from = registers<T>::of(x);
    return registers<T>{{__builtin_amdgcn_update_dpp(before.word[Is], from.word[Is], Control,
                                                     RowMask, BankMask, BoundCtrl)...}}
        .value();
}
}  // namespace impl

// Returns x of the lane that `control` selects, by one v_mov_b32_dpp for each register, which the
// compiler often merges into the operation that uses it. Bit i of row_mask enables lanes 16 i .. 16
// i + 15, bit i of bank_mask lanes 4 i .. 4 i + 3 of each row; disabled lanes get `old`. A lane
// without a source (beyond the row, or inactive) gets 0, or `old` if bound_ctrl is false.
template <class T, index_t control, index_t row_mask = 0xf, index_t bank_mask = 0xf,
          bool bound_ctrl = true>
OPUS_D T upd_dpp(const T& old, const T& x, number<control>, number<row_mask> = {},
                 number<bank_mask> = {}, bool_constant<bound_ctrl> = {}) {
    return impl::update_dpp<control, row_mask, bank_mask, bound_ctrl>(
        old, x, make_index_seq<impl::registers<T>::count>{});
}
// The same with the lane's own x as `old`.
template <class T, index_t control, index_t row_mask = 0xf, index_t bank_mask = 0xf,
          bool bound_ctrl = true>
OPUS_D T mov_dpp(const T& x, number<control> c, number<row_mask> rows = {},
                 number<bank_mask> banks = {}, bool_constant<bound_ctrl> bound = {}) {
    return upd_dpp(x, x, c, rows, banks, bound);
}

// Returns x of lane src_lane (modulo width) of the lane's own group. A group has `width` lanes: a
// power of two, an integer or a number. Each register of x takes one ds_bpermute_b32, which uses no
// LDS memory, or one v_readlane_b32 if the compiler sees that src_lane is the same for all lanes.
// @pre the source lanes are active (for inactive ones the two instructions give different values)
template <class T, class Width = number<get_warp_size()>>
OPUS_D T shfl(const T& x, index_t src_lane, Width width = {}, impl::caller at = {}) {
    impl::check_shuffle_width<Width>();
    impl::check_shuffle(src_lane, static_cast<index_t>(width), at);
    if constexpr (!__is_same(Width, number<get_warp_size()>)) {
        const index_t in_group = static_cast<index_t>(width) - 1;
        src_lane = (lane_id() & ~in_group) | (src_lane & in_group);
    }
    return impl::map_registers(x, impl::permute_from{src_lane});
}
// Bit i: lane i is active and pred holds in it.
template <class Pred>
OPUS_D u64_t ballot(Pred pred) {
    static_assert(
        OPUS_HAS_LANES,
        "opus::ballot, warp_all: gfx942 and gfx950 only; the target is " OPUS_TARGET_NAME);
    return __builtin_amdgcn_ballot_w64(static_cast<bool>(pred));
}
// Whether pred holds in every active lane of the wave. All lanes get the same answer.
template <class Pred>
OPUS_D bool wave_all(Pred pred) {
    return ballot(!static_cast<bool>(pred)) == 0;
}
template <class Pred>
OPUS_D bool warp_all(Pred pred) {
    return wave_all(pred);
}

// x of the first active lane, in scalar registers: known to be the same for the whole wave.
template <class T>
OPUS_D T readfirstlane(const T& x) {
    return impl::map_registers(x, [](int word) { return __builtin_amdgcn_readfirstlane(word); });
}
// x of lane `lane`, the same for the whole wave: a number 0 .. 63, or an integer, modulo 64.
// @pre that lane is active
template <class T, class Lane>
OPUS_D T readlane(const T& x, Lane lane, impl::caller at = {}) {
    impl::check(0 <= static_cast<index_t>(lane) && static_cast<index_t>(lane) < 64,
                "opus::readlane: the lane must be 0 .. 63 (lane, lanes of a wave)", at,
                static_cast<index_t>(lane), 64);
    if constexpr (is_constant_v<Lane>) {
        static_assert(Lane::value >= 0 && Lane::value < get_warp_size(),
                      "opus::readlane: the lane is 0 .. 63");
    }
    const auto from = static_cast<index_t>(lane);
    return impl::map_registers(x, [=](int word) { return __builtin_amdgcn_readlane(word, from); });
}

#endif

// == 13.1 math ====================================================================================
//
// Functions of scalars that are one instruction, and division by a number that is known at run
// time. Main names: max, min, med3, abs, fma, exp2, rcp, mdiv. Look first at impl::max_of: a
// struct for each operation, which opus_plus.hpp applies to vectors.

namespace impl {
template <class T>
inline constexpr bool is_fp16_v = is_any_of_v<T, fp16_t, _Float16>;
template <class T>
inline constexpr bool include_opus_plus_hpp = has_elements_v<T>;  // its name is in the message
template <class T>
using if_scalar_t = enable_if_t<!include_opus_plus_hpp<T>>;
// For functions whose names users and HIP have, too: numbers that are not integers. The pack behind
// their parameters, which no call fills (class... None), makes a user's template the better match.
template <class X, class... None>
using if_float_t =
    enable_if_t<!__is_integral(X) && !include_opus_plus_hpp<X> && sizeof...(None) == 0>;

// The operations of one scalar. opus_plus.hpp applies them to vectors and arrays.
template <class T>
constexpr void check_order() {
    static_assert(__is_same(T, float) || __is_same(T, double) || is_fp16_v<T> ||
                      (__is_integral(T) && !__is_same(T, bool) && !is_integer_code_v<T>),
                  "opus::max, min, med3: fp64, fp32, fp16 or an integer type is required "
                  "(cast bf16, fp8 and bf8 to fp32, a constant to its integer)");
}
template <bool Max>
struct max_or_min {
    template <class T>
    static constexpr T scalar(T a, T b) {
        check_order<T>();
        if constexpr (__is_same(T, float)) {
            return Max ? __builtin_fmaxf(a, b) : __builtin_fminf(a, b);
        } else if constexpr (__is_same(T, double)) {
            return Max ? __builtin_fmax(a, b) : __builtin_fmin(a, b);
        } else if constexpr (is_fp16_v<T>) {
            return static_cast<T>(Max ? __builtin_fmaxf16(a, b) : __builtin_fminf16(a, b));
        } else {
            return (Max ? a < b : b < a) ? b : a;
        }
    }
};
using max_of = max_or_min<true>;
using min_of = max_or_min<false>;
struct med3_of {
    template <class T>
    static constexpr T scalar(T a, T b, T c) {
        check_order<T>();
#if defined(__HIP_DEVICE_COMPILE__)
        if (!__builtin_is_constant_evaluated()) {
            if constexpr (__is_same(T, float)) {
                return __builtin_amdgcn_fmed3f(a, b, c);
            } else if constexpr (is_fp16_v<T>) {
                return static_cast<T>(__builtin_amdgcn_fmed3h(a, b, c));
            }
        }
#endif
        if (a != a || b != b || c != c) {
            return min_of::scalar(min_of::scalar(a, b), c);
        }
        return max_of::scalar(min_of::scalar(a, b), min_of::scalar(max_of::scalar(a, b), c));
    }
};
struct abs_of {
    template <class T>
    static constexpr T scalar(T x) {
        if constexpr (__is_same(T, double)) {
            return __builtin_fabs(x);
        } else {
            static_assert(__is_same(T, float) || is_fp16_v<T>,
                          "opus::abs: fp64, fp32 or fp16 is required (cast)");
            return static_cast<T>(__builtin_fabsf(static_cast<float>(x)));
        }
    }
};
#if defined(__HIP__)
struct fma_of {
    template <class T>
    OPUS_D static T scalar(T a, T b, T c) {
        if constexpr (is_fp16_v<T>) {
            return static_cast<T>(__builtin_fmaf16(a, b, c));
        } else {
            static_assert(__is_same(T, float) || __is_same(T, double),
                          "opus::fma: fp64, fp32 or fp16 is required (cast)");
            return __builtin_elementwise_fma(a, b, c);
        }
    }
};
#endif
}  // namespace impl

// max, min, max3, min3 and med3 take two or three values of one type: fp64, fp32, fp16 or an
// integer. A NaN counts as missing; with one, med3 is the minimum of the others (ISA guide,
// V_MED3_F32). Of +0 and -0, either may be returned. (opus_plus.hpp: all of them by element.)
template <class T, impl::if_scalar_t<T> = 0>
constexpr T max(const T& a, const T& b) {
    return impl::max_of::scalar(a, b);
}
template <class T, impl::if_scalar_t<T> = 0>
constexpr T min(const T& a, const T& b) {
    return impl::min_of::scalar(a, b);
}
template <class T, impl::if_scalar_t<T> = 0>
constexpr T max3(const T& a, const T& b, const T& c) {
    return max(max(a, b), c);
}
template <class T, impl::if_scalar_t<T> = 0>
constexpr T min3(const T& a, const T& b, const T& c) {
    return min(min(a, b), c);
}
// The median: med3(x, low, high) limits x to a range.
template <class T, impl::if_scalar_t<T> = 0>
constexpr T med3(const T& a, const T& b, const T& c) {
    return impl::med3_of::scalar(a, b, c);
}

// Takes fp64, fp32 or fp16.
template <class X, class... None, impl::if_float_t<X, None...> = 0>
constexpr X abs(const X& x, const None&...) {
    return impl::abs_of::scalar(x);
}

#if defined(__HIP__)
// a * b + c, rounded once.
template <class X, class... None, impl::if_float_t<X, None...> = 0>
OPUS_D X fma(const X& a, const X& b, const X& c, const None&...) {
    return impl::fma_of::scalar(a, b, c);
}
// exp2, log2, rsqrt and rcp take fp32 or fp16 and compute 2^x, the logarithm to base 2, 1 / sqrt(x)
// and 1 / x by v_exp, v_log, v_rsq and v_rcp, one instruction. They are accurate to 1 ulp (ISA
// guide). For fp32, denormal operands count as 0, and denormal results become 0.
#define OPUS_ONE_INSTRUCTION(name, of_fp32, of_fp16)                                             \
    namespace impl {                                                                             \
    struct name##_of {                                                                           \
        template <class T>                                                                       \
        OPUS_D static T scalar(T x) {                                                            \
            if constexpr (__is_same(T, float)) {                                                 \
                return of_fp32(x);                                                               \
            } else {                                                                             \
                static_assert(is_fp16_v<T>, "opus::" #name ": fp32 or fp16 is required (cast)"); \
                return static_cast<T>(of_fp16(x));                                               \
            }                                                                                    \
        }                                                                                        \
    };                                                                                           \
    }                                                                                            \
    template <class X, class... None, impl::if_float_t<X, None...> = 0>                          \
    OPUS_D X name(const X& x, const None&...) {                                                  \
        return impl::name##_of::scalar(x);                                                       \
    }
OPUS_ONE_INSTRUCTION(exp2, __builtin_amdgcn_exp2f, __builtin_exp2f16)
OPUS_ONE_INSTRUCTION(log2, __builtin_amdgcn_logf, __builtin_log2f16)
OPUS_ONE_INSTRUCTION(rsqrt, __builtin_amdgcn_rsqf, __builtin_amdgcn_rsqh)
OPUS_ONE_INSTRUCTION(rcp, __builtin_amdgcn_rcpf, __builtin_amdgcn_rcph)
#undef OPUS_ONE_INSTRUCTION
#endif

// Division by a number that is known before the loop but not to the compiler. It multiplies instead
// (T. Granlund and P. Montgomery, Division by Invariant Integers using Multiplication, 1994, figure
// 4.1). Make an mdiv on the host: this takes a 64-bit division. The quotient is exact for
// - a dividend of type int or of a smaller type, 0 to 2^31 - 1, and a divisor from 1 to 2^31:
//   multiply-high, an addition and a shift;
// - every other dividend, which is converted to u32_t, 0 to 2^32 - 1, and a divisor from 1 to
//   2^32 - 1: the same with an addition and a shift of 64 bits.
// @pre divisor >= 1; 0 is an error in a constant expression and a division by zero elsewhere
// @pre dividend >= 0, and divisor <= 2^31 if the dividend is an int
// mdiv(7).div(100) -> 14
struct mdiv {
    // 12 bytes in this order, on which hosts that pack kernel arguments rely. With the smallest l
    // for which divisor <= 2^l: 2^32 * (2^l - divisor) / divisor + 1 without its fraction, and l.
    u32_t divisor;
    u32_t multiplier;
    u32_t shift;

    constexpr mdiv() : mdiv(1) {}
    constexpr mdiv(u32_t d)
        : divisor(d),
          multiplier(static_cast<u32_t>((((u64_t{1} << ceil_log2(d)) - d) << 32) / d + 1)),
          shift(ceil_log2(d)) {}

    constexpr u32_t get() const { return divisor; }
    constexpr u32_t div(u32_t dividend) const {
        return static_cast<u32_t>((u64_t{multiply_high(dividend)} + dividend) >> shift);
    }
    template <class Below2To31,
              impl::enable_if_t<is_any_of_v<Below2To31, int, short, unsigned short, signed char,
                                            unsigned char>> = 0>
    constexpr u32_t div(Below2To31 dividend) const {
        const u32_t n = static_cast<u32_t>(dividend);
        return (multiply_high(n) + n) >> shift;  // high is below n, the sum below 2^32
    }
    // auto [quotient, remainder] = m.divmod(n);
    template <class Number>
    constexpr auto divmod(const Number& dividend) const {
        const auto quotient = div(dividend);
        return make_tuple(quotient, static_cast<u32_t>(dividend) - quotient * divisor);
    }
    template <class Number, class Quotient, class Remainder>
    constexpr void divmod(const Number& dividend, Quotient& quotient, Remainder& remainder) const {
        const u32_t q = div(dividend);
        quotient = static_cast<Quotient>(q);
        remainder = static_cast<Remainder>(static_cast<u32_t>(dividend) - q * divisor);
    }

private:
    constexpr u32_t multiply_high(u32_t n) const {
        return static_cast<u32_t>(u64_t{n} * multiplier >> 32);
    }
    // The smallest l with d <= 2^l.
    static constexpr u32_t ceil_log2(u32_t d) {
        return d > 1 ? 32 - static_cast<u32_t>(__builtin_clz(d - 1)) : 0;
    }
};

// == 14.0 accesses ================================================================================
//
// The common part of gmem, gmem_wide and smem: an access moves `vec` elements of each lane, which
// lie side by side; a layout stands for one or more accesses. `memory` has load, store, load_if,
// store_if and the atomics, check_access says what is wrong with a layout, access_places where its
// accesses begin. Look first at memory::load and each_piece. Ports (14, 15) issue instructions.

// Whether the free functions load, store, ... forward to the members of T (section 15).
template <class T>
struct is_gmem : false_type {};
template <class T>
inline constexpr bool is_gmem_v = is_gmem<__remove_cvref(T)>::value;
template <class T>
struct is_smem : false_type {};
template <class T>
inline constexpr bool is_smem_v = is_smem<__remove_cvref(T)>::value;
template <class T>
inline constexpr bool is_mem_v = is_gmem_v<T> || is_smem_v<T>;

// The immediate offset of a memory instruction, in bytes.
template <index_t Bytes>
struct imm_offset {
    static constexpr index_t value = Bytes;
};
template <index_t Bits>
struct cache_policy;
struct auto_wait;

// -- a tile in registers and its pieces -----------------------------------------------------------

namespace impl {
// How many items in registers a mask is of (section 17.1 has masks); 0 for other predicates.
template <class Pred>
inline constexpr index_t mask_items_v = 0;
// The elements that a lane gets from a transposed read: 8 bytes, or 12 of the 6-bit formats.
template <class T>
inline constexpr index_t tr_elements_v = sizeof_bits_v<T> == 6 ? 16 : 64 / sizeof_bits_v<T>;
// make_tile joins results of memory instructions, tile_pieces does the reverse or repeats a scalar.
template <class V, index_t Size>
OPUS_D auto make_tile(const array<V, Size>& pieces) {
#if OPUS_TILE_CONTAINER
    return pieces;
#else
    if constexpr (Size == 1) {
        return pieces[0];
    } else if constexpr (is_packed_v<get_value_t<V>>) {
        return __builtin_bit_cast(vector_t<get_value_t<V>, Size * vector_traits<V>::size()>,
                                  pieces);
    } else {
        return flatten_vectors(pieces);
    }
#endif
}
// Converts each element of a vector, or a scalar, as C++ does: to floating point with rounding to
// nearest even, to integers by truncation (undefined if the result does not fit).
template <class T>
inline constexpr bool is_arithmetic_v = is_dtype_v<T> && !is_any_of_v<T, fp8_t, bf8_t>;
template <class D, class X>
OPUS_D auto convert_for_store(const X& x) {
    using from = get_value_t<X>;
    static_assert(is_arithmetic_v<D> && is_arithmetic_v<from>,
                  "opus::store: the element type must be the memory's, or both must be arithmetic "
                  "types (use cast for codes: fp8, fp6, fp4, ...)");
    if constexpr (!is_vector_v<X>) {
        return convert_for_store<D>(vector_t<X, 1>{x})[0];
    } else if constexpr (is_same_v<bf16_t, unsigned short> &&
                         (is_same_v<D, bf16_t> || is_same_v<from, bf16_t>)) {
        // clang 19 treats bf16 as an integer.
        using other = __type_pack_element<is_same_v<D, bf16_t>, D, from>;
        static_assert(is_any_of_v<other, fp32_t, fp16_t>,
                      "opus::store: clang 19 converts bf16 from and to fp32 and fp16 (use cast)");
        const auto all = cast<fp32_t>(x);
        if constexpr (is_same_v<D, bf16_t>) {
            return cast<bf16_t>(all, number<0>{});
        } else {
            return cast<D>(all);
        }
    } else {
        return __builtin_convertvector(x, vector_t<D, size<X>()>);
    }
}
template <class V, index_t Size>
OPUS_D auto tile_pieces() {
    return array<V, Size>{};
}
template <class V, index_t Size, class X>
OPUS_D auto tile_pieces(const X& x) {
    constexpr index_t p = vector_traits<V>::size();
    if constexpr (__is_same(X, array<V, Size>)) {
        return x;
    } else if constexpr (is_array_v<X>) {
        return tile_pieces<V, Size>(to_vector(x));
    } else if constexpr (!__is_same(get_value_t<X>, get_value_t<V>)) {
        return tile_pieces<V, Size>(convert_for_store<get_value_t<V>>(x));
    } else if constexpr (!is_vector_v<X>) {
        array<V, Size> all;
        all.fill(splat<V>(x));
        return all;
    } else {
        static_assert(size<X>() == Size * p,
                      "opus::store: the value must have as many elements as the layout stores");
        // As in flatten_vectors(). A vector of three elements is not all of its bytes.
        constexpr bool is_wide = sizeof(get_value_t<V>) >= 4 && sizeof(x) >= 512;
        if constexpr (Size == 1) {
            return array<X, 1>{x};
        } else if constexpr ((is_packed_v<get_value_t<V>> || is_wide) &&
                             sizeof(x) == sizeof(array<V, Size>)) {
            return __builtin_bit_cast(array<V, Size>, x);
        } else {
            return split_vector<p>(x, make_index_seq<Size>{});
        }
    }
}

// -- what a memory instruction is told ------------------------------------------------------------

#if defined(__HIP__)
// An argument that is an immediate offset, 0 .. Max bytes.
template <index_t Max, class Knob>
struct imm_bytes {
    static_assert(always_false_v<Knob>,
                  "opus: an immediate offset is required here: imm_offset<bytes> or number<bytes>");
};
template <index_t Max, index_t Bytes>
struct imm_bytes<Max, imm_offset<Bytes>> {
    static_assert(Bytes >= 0 && Bytes <= Max,
                  "opus: the immediate offset is out of range (0 .. 4095 bytes for global memory "
                  "and LDS-DMA, 0 .. 65535 for LDS)");
    static constexpr index_t value = Bytes;
};
template <index_t Max, index_t Bytes>
struct imm_bytes<Max, number<Bytes>> : imm_bytes<Max, imm_offset<Bytes>> {};

#if !OPUS_DEBUG
using offset_t = index_t;  // opus_debug.hpp has one that knows what was given, before it was cut
#endif
// Whether T is an offset or a layout.
template <class T>
inline constexpr bool is_place_v = is_layout_v<T> || __is_convertible(T, index_t);

// What the type of a layout says of its dimensions.
struct dimension {
    index_t extent;   // -1 if it is not a number
    index_t stride;   // 0 if it is not a number
    index_t index;    // the coordinate, 1 if it is not a number
    bool has_stride;  // whether the stride is a number
    bool is_open;
    bool is_thread;  // whether the coordinate is a run-time value
};
template <class Shape, class Stride, class Coord>
struct dimensions;
template <class... Extents, class... S, class... C>
struct dimensions<tuple<Extents...>, tuple<S...>, tuple<C...>> {
    static constexpr index_t rank = sizeof...(Extents);
    static constexpr dimension all[rank + 1] = {
        {constant_or<-1, Extents>, constant_or<0, S>, constant_or<1, C>, is_constant_v<S>,
         is_underscore_v<C>, !is_constant_v<C> && !is_underscore_v<C>}...,
        {0, 1, 1, true, false, false}};
    // Whether the extents of the open dimensions are numbers.
    static constexpr bool is_static = ((is_constant_v<Extents> || !is_underscore_v<C>) && ...);
    static constexpr index_t open = (0 + ... + is_underscore_v<C>);
    static constexpr index_t last_open = open > 0 ? nth_position<is_underscore_v<C>...>(open - 1)
                                                  : rank;
    template <class T>
    static constexpr bool has_extent = (is_same_v<Extents, T> || ...);
};
// A layout without a coordinate stands for one access.
template <class Shape, class Stride>
struct dimensions<Shape, Stride, false_type> : dimensions<tuple<>, tuple<>, tuple<>> {};
// A layout and its constant shift apart: accesses that differ only in the shift are then one type.
template <class Layout>
using unshifted_t = typename layout_parts<Layout>::unshifted;
template <class Layout>
inline constexpr index_t shift_v = layout_parts<Layout>::shift;
template <class Layout, class L = __remove_cvref(Layout)>
using dimensions_of = dimensions<typename L::Shape, typename L::Stride, typename L::Coord>;

// Whether an access of Vec elements relies on a run-time stride of the last open dimension.
template <index_t Vec, class Layout, bool = (Vec > 1 && is_layout_v<Layout>)>
inline constexpr bool relies_on_stride = false;
template <index_t Vec, class Layout>
inline constexpr bool relies_on_stride<Vec, Layout, true> =
    !dimensions_of<Layout>::all[dimensions_of<Layout>::last_open].has_stride;
#define OPUS_WARN_STRIDE(...)                                                                   \
    __attribute__((diagnose_if(                                                                 \
        (__VA_ARGS__),                                                                          \
        "opus: an access of vec elements takes them side by side, but the last stride of this " \
        "layout is a run-time value (write 1_I for it, or use vec = 1)",                        \
        "warning")))

// The compiler's builtins need this pointer in the host pass, too.
template <class T>
using lds_ptr = __attribute__((address_space(3))) T*;
// Converts p, which points to LDS whatever its type says. Where the compiler sees that, it keeps
// what it knows of the object; else the address in LDS is the lower half of p (0 if p is null).
template <class T, class Pointee>
OPUS_D lds_ptr<T> to_lds(Pointee* p) {
    bool is_seen = true;  // not const: clang would evaluate it before it knows
#if defined(__HIP_DEVICE_COMPILE__)  // older compilers need another pointer in the host pass
    is_seen = __builtin_amdgcn_is_shared((const void*)p);
    is_seen = __builtin_constant_p(is_seen) && is_seen;
#endif
    return is_seen ? (lds_ptr<T>)p : (lds_ptr<T>)reinterpret_cast<decltype(sizeof(0))>(p);
}

// The type that an instruction moves for Bytes bytes. Three dwords take the space of four.
template <index_t Bytes>
using raw_t = __type_pack_element<(Bytes < 4    ? Bytes - 1
                                   : Bytes == 4 ? 2
                                                : 3),
                                  u8_t, __UINT16_TYPE__, u32_t, vector_t<u32_t, (Bytes + 3) / 4>>;
template <index_t Bytes>
inline constexpr bool is_one_instruction =
    Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 12 || Bytes == 16;
template <index_t Bytes>
inline constexpr bool is_access = is_one_instruction<Bytes> || (Bytes > 16 && Bytes % 4 == 0);
template <index_t Bytes>
constexpr bool check_bytes() {
    static_assert(is_access<Bytes>,
                  "opus: an access must have 1, 2, 4, 8, 12 or 16 bytes, or more in multiples of 4 "
                  "(another vec)");
    return is_access<Bytes>;
}

// The element type of a memory object, which may be a vector, and its sizes.
template <class Element>
struct mem_units {
    using T = remove_cv_t<Element>;
    using scalar_type = get_value_t<T>;
    static constexpr index_t vector_size = vector_traits<T>::size();
    static constexpr index_t bits = vector_size * sizeof_bits_v<scalar_type>;
    template <index_t vec = 1>
    using vector_type = vector_t<scalar_type, vec * vector_size>;

    // Bytes of vec elements; an error if this is not a whole number.
    template <index_t vec>
    static constexpr index_t bytes() {
        static_assert(vec > 0 && vec * bits % 8 == 0,
                      "opus: elements below a byte must be accessed in whole bytes (vec even for 4 "
                      "bits, a multiple of 4 for 6 bits)");
        return vec * bits / 8;
    }

    // Wraps at 32 bits, as the hardware's unsigned offsets do, so 4 GiB are within reach.
    // @pre for elements below a byte: a multiple of 8 / bits (4 for 6 bits)
    static constexpr index_t to_bytes(index_t elements) {
        // The smallest number of elements that is whole bytes: 1, 2, 4 or 8.
        constexpr int log2 = bits % 8 == 0 ? 0 : bits % 4 == 0 ? 1 : bits % 2 == 0 ? 2 : 3;
        return wrap_mul(elements >> log2, (bits << log2) / 8);
    }

    template <index_t vec, class X>
    OPUS_D static vector_type<vec> widen(const X& x) {
        if constexpr (is_array_v<X>) {
            return widen<vec>(to_vector(x));
        } else {
            static_assert(__is_same(get_value_t<X>, scalar_type),
                          "opus::store: the value's element type must be the memory's (use cast)");
            if constexpr (is_vector_v<X>) {
                static_assert(size<X>() == vec * vector_size,
                              "opus::store: the value must have vec elements");
                return x;
            } else {
                return splat<vector_type<vec>>(x);
            }
        }
    }
};

// Which accesses of a layout take place: all of them, or those that Pred chooses by the issue
// indices i, j, ..., which are numbers. A mask chooses those whose items are all within; it is
// enough to test the last item, the farthest.
struct always {};
template <index_t Vec, index_t Idx, class Pred, index_t... Extents>
OPUS_D bool takes(Pred& pred, caller at, const tuple<number<Extents>...>&) {
    constexpr index_t items = mask_items_v<remove_cv_t<Pred>>;
    if constexpr (items > 0) {
        static_assert(Idx > 0 || (Vec * ... * Extents) == items,
                      "opus::within: the mask must be of as many elements as the layout: take "
                      "the coordinates of the same operand of the same mma");
        const bool result = pred(number<Idx * Vec + Vec - 1>{});
        if constexpr (OPUS_DEBUG) {
            check(result || !pred(number<Idx * Vec>{}),
                  "opus::within: the vec elements of an access must be all within or "
                  "all outside (first item of the access, vec)",
                  at, Idx * Vec, Vec);
        }
        return result;
    } else {
        return static_cast<bool>(
            loop_nest<Extents...>::template call<Idx>(pred, make_index_seq<sizeof...(Extents)>{}));
    }
}

// An access begins at byte start + constant, which wraps at 32 bits, as in the hardware. Strides
// that are numbers make constants, which can become immediate offsets; the others make starts.
struct place {
    index_t start;
    index_t constant;
};
// Swizzles places: in bytes if an element has 1, 2, 4, ... bytes, else in elements.
template <class Units, index_t Vec, class Swizzle>
struct place_swizzle;
template <class Units, index_t Vec, index_t Base, index_t Shift>
struct place_swizzle<Units, Vec, swizzle<0, Base, Shift>> {
    using units = Units;
    OPUS_D static place in_memory(place p) { return p; }
};
template <class Units, index_t Vec, index_t Bits, index_t Base, index_t Shift>
struct place_swizzle<Units, Vec, swizzle<Bits, Base, Shift>> {
    static constexpr bool in_bytes = Units::bits >= 8 && (Units::bits & (Units::bits - 1)) == 0;
    static constexpr index_t log2 = in_bytes ? __builtin_ctz(Units::bits) - 3 : 0;
    using units = __type_pack_element<in_bytes, in_elements, Units>;
    using type = swizzle<Bits, Base + log2, Shift>;

    // The bits that the swizzle changes, and those below the size of a vector, which are 0 in every
    // place. The other bits of a constant stay constant.
    static constexpr index_t moving = type::changed | ((Vec << log2) - 1);
    static constexpr index_t to_bytes(index_t n) { return in_bytes ? n : Units::to_bytes(n); }

    // If start and constant have no bit in common, and the compiler knows this (from the range of
    // the lane's number, for example), start is swizzled once for all places. Each place then takes
    // at most one more xor, with a constant.
    OPUS_D static place of(place p) {
        constexpr type swizzled{};
        const index_t low = p.constant & (type::period - 1);
        const index_t constant = p.constant & ~moving;
        const bool is_apart = (p.start & low) == 0;
        if (__builtin_constant_p(is_apart) && is_apart) {
            return {swizzled(p.start) ^ (swizzled(low) & moving), constant};
        }
        return {wrap_add(swizzled(wrap_add(p.start, p.constant)), wrap_mul(constant, -1)),
                constant};
    }
    OPUS_D static place in_memory(place p) {
        p = of(p);
        return {to_bytes(p.start), to_bytes(p.constant)};
    }
};
// Whether all accesses begin at multiples of Vec, as far as types say. The last index counts them.
template <index_t Vec, class Dims>
constexpr bool is_vector_aligned() {
    bool result = true;
    for (index_t d = 0; d < Dims::rank; d++) {
        const dimension& dim = Dims::all[d];
        const bool is_single = dim.is_open && (d == Dims::last_open || dim.extent == 1);
        result = result && (is_single || dim.stride * dim.index % Vec == 0);
    }
    return result;
}
// Where the accesses of a layout begin. `shift` is the constant by which the layout is shifted.
template <class Units, index_t Vec, class Layout>
struct access_places {
    using parts = layout_parts<Layout>;
    using plain = typename parts::plain;
    using swizzled = place_swizzle<Units, Vec, typename parts::swizzle>;
    using units = typename swizzled::units;
    using traits = layout_load_traits<plain, Vec>;
    using issues = typename traits::issues;
    using strides_t = decltype(open_strides(*static_cast<const plain*>(nullptr)));
    static constexpr bool is_cached = plain::cached_vec == Vec;
    static constexpr index_t count = issues::count;

    const plain& u;
    strides_t strides;
    index_t shift;  // in elements; part of the constants if it is whole bytes
    bool is_constant;
    index_t start;  // of the first access

    OPUS_D access_places(const Layout& layout, index_t shift_elements)
        : u(layout),
          strides(open_strides(u)),
          shift(shift_elements),
          is_constant(shift * units::bits % 8 == 0),
          start(first(make_index_seq<plain::rank>{})) {}

    OPUS_D place operator[](index_t i) const {
        const index_t shift_bytes = is_constant ? units::to_bytes(shift) : 0;
        if constexpr (is_cached) {
            const index_t offset = wrap_add(u.offsets[i], is_constant ? 0 : shift);
            return swizzled::in_memory({units::to_bytes(offset), shift_bytes});
        } else {
            return swizzled::in_memory(
                {issues::template moved<false, true, units>(start, strides, i),
                 units::to_bytes(
                     issues::template moved<true, false>(is_constant ? shift : 0, strides, i))});
        }
    }

private:
    // The start of the first access. For a swizzle by | instead of +, if the parts of the
    // coordinate set different bits and the compiler knows this: in a sum, it would not know which
    // bits are 0.
    template <index_t... Ds>
    OPUS_D index_t first(seq<Ds...>) const {
        const index_t sum = units::to_bytes(wrap_add(first_offset(u), is_constant ? 0 : shift));
        if constexpr (parts::swizzle::bits != 0 && plain::has_coord) {
            index_t bits = units::to_bytes(moved_by(u));
            bool is_apart = true;
            const auto add = [&](index_t more) {
                is_apart = is_apart && (bits & more) == 0;
                bits |= more;
            };
            (add(units::to_bytes(static_cast<index_t>(
                 dot(make_tuple(get<Ds>(u.coord())), make_tuple(get<Ds>(u.stride())))))),
             ...);
            return __builtin_constant_p(is_apart) && is_apart ? bits : sum;
        } else {
            return sum;
        }
    }
};

// Calls f(port, wanted, place, items[i]) for each access i, where pred says whether it is wanted.
template <index_t Vec, class F, class Port, class Pred, class Places, class Items, index_t... Is>
OPUS_D void for_each_access(const F& f, const Port& port, Pred& pred, const Places& places,
                            Items& items, seq<Is...>) {
    if constexpr (is_same_v<Pred, always>) {
        (f(port, true, places[Is], items[Is]), ...);
    } else {
        (f(port, takes<Vec, Is>(pred, port.user, Places::traits::issue_space_vec), places[Is],
           items[Is]),
         ...);
    }
}
// Whether pred(0_I, ...), with sizeof...(Is) indices, converts to bool.
template <class Pred, class Indices, class = bool>
inline constexpr bool takes_indices = false;
template <class Pred, index_t... Is>
inline constexpr bool
    takes_indices<Pred, seq<Is...>,
                  decltype(static_cast<bool>((*static_cast<Pred*>(nullptr))(number<Is>{}...)))> =
        true;
template <class Pred, class Layout>
constexpr bool is_predicate() {
    if constexpr (is_same_v<Pred, always> || (mask_items_v<remove_cv_t<Pred>> > 0)) {
        return true;
    } else {
        constexpr index_t count = Layout::has_coord ? Layout::coord_rank : Layout::rank;
        return takes_indices<Pred, make_repeated_seq<0, count>>;
    }
}
// Whether the accesses of a layout in vectors of Vec elements, where Pred holds, are possible. If
// not, errors say why, and the caller leaves the accesses out. A transposed read gives a lane other
// elements than those that it points to, so its layout may have any strides.
template <class Units, index_t Vec, class Layout, class Pred = always, bool Transposed = false>
constexpr bool check_access() {
    using parts = layout_parts<Layout>;
    using dims = dimensions_of<typename parts::plain>;
    constexpr dimension last = dims::all[dims::last_open];
    constexpr index_t extent = dims::is_static ? last.extent : -1;
    static_assert(extent >= 0, "opus: the extents of a layout's open dimensions must be numbers");
    static_assert(extent < 0 || extent % Vec == 0,
                  "opus: the last open dimension of the layout must have a multiple of vec "
                  "elements (a smaller vec)");
    if constexpr (extent < 0 || extent % Vec != 0) {
        return false;
    } else {
        constexpr bool is_contiguous =
            Transposed || Vec == 1 || !last.has_stride || last.stride == 1;
        static_assert(
            is_contiguous,
            "opus: an access of vec elements takes them side by side, so the last open "
            "dimension of the layout must have stride 1 (use vec = 1, for C of an mma "
            "mfma_adaptor_swap_ab, or a layout whose last _ is the contiguous dimension)");
        constexpr bool keeps = keeps_vectors<typename parts::swizzle, Vec>();
        constexpr bool is_aligned = parts::swizzle::bits == 0 || is_vector_aligned<Vec, dims>();
        static_assert(!keeps || is_aligned,
                      "opus::swizzle: an access of vec elements must begin at a multiple of vec: "
                      "strides that are numbers must be multiples of vec (but that of the last _)");
        constexpr bool takes = is_predicate<Pred, Layout>();
        static_assert(
            takes,
            "opus: the predicate must take an index for each open dimension of the layout "
            "(the last one counts vectors) and return a bool");
        constexpr bool counts = Units::bits == 4 || !dims::template has_extent<fp4_run<extent>>;
        static_assert(
            counts,
            "opus: the layout of an fp4 operand counts codes of 4 bits, so the memory must "
            "have such elements (make_gmem of a const fp4_t*; with "
            "OPUS_FP4_OPERANDS_OF_32_BYTES = 1 it counts bytes)");
        return is_contiguous && keeps && is_aligned && takes && counts &&
               check_bytes<Units::template bytes<Vec>()>();
    }
}

// Calls f(length, begin, place) for each piece of an access of Bytes bytes, with numbers of bytes.
template <index_t Bytes, class F>
OPUS_D void for_pieces(place p, const F& f) {
    static_assert(Bytes % 4 == 0, "opus: more than 16 bytes must be a multiple of 4 bytes");
    static_for<0, Bytes, 16>([&](auto begin) {
        f(number<(Bytes - begin.value < 16 ? Bytes - begin.value : 16)>{}, begin.value,
          place{p.start, wrap_add(p.constant, begin.value)});
    });
}
// Calls f(port, wanted, place, piece) for each access of u, which is shifted by `shift` elements.
// Returns the pieces, which are those of x, or 0 without one, and which f may change.
template <class Units, index_t Vec, class Layout, bool Transposed = false, class F, class Port,
          class Pred, class... X>
OPUS_D auto each_piece(const F& f, const Port& port, Pred&& pred, const Layout& u, index_t shift,
                       const X&... x) {
    using V = typename Units::template vector_type<Vec>;
    if constexpr (check_access<Units, Vec, Layout, remove_reference_t<Pred>, Transposed>()) {
        const access_places<Units, Vec, Layout> places(u, shift);
        auto pieces = tile_pieces<V, places.count>(x...);
        for_each_access<Vec>(f, port, pred, places, pieces, make_index_seq<places.count>{});
        return pieces;
    } else {
        return array<V, 1>{};
    }
}
// A port holds what an access needs besides its place. Its members read<Bytes>(place),
// write<Bytes>(bits, place) and update<Op, T>(x, bytes) are one instruction each. What each_piece
// does where an access takes place: it reads or writes x. More than 16 bytes take pieces of 16, and
// a last one with the rest.
template <index_t Bytes>
struct reads {
    template <class Port, class V>
    OPUS_D void operator()(const Port& port, bool wanted, place p, V& x) const {
        if (!wanted) {
        } else if constexpr (Bytes <= 16) {
            x = move_bits<V>(port.template read<Bytes>(p));
        } else {
            for_pieces<Bytes>(p, [&](auto length, index_t begin, place piece) {
                const auto bits = port.template read<length.value>(piece);
                __builtin_memcpy(reinterpret_cast<char*>(&x) + begin, &bits, length.value);
            });
        }
    }
};
template <index_t Bytes>
struct writes {
    template <class Port, class V>
    OPUS_D void operator()(const Port& port, bool wanted, place p, const V& x) const {
        if (!wanted) {
        } else if constexpr (Bytes <= 16) {
            port.template write<Bytes>(move_bits<raw_t<Bytes>>(x), p);
        } else {
            for_pieces<Bytes>(p, [&](auto length, index_t begin, place piece) {
                raw_t<length.value> bits;
                __builtin_memcpy(&bits, reinterpret_cast<const char*>(&x) + begin, length.value);
                port.template write<length.value>(bits, piece);
            });
        }
    }
};

struct atomic_op {
    static constexpr index_t add = 0, max = 1, min = 2, bit_and = 3, bit_or = 4;
};

// One atomic operation on the number at p, relaxed. Returns the old number.
template <index_t Op, int Scope, class P, class T>
OPUS_D T fetch(P p, T x) {
    if constexpr (Op == atomic_op::add) {
        return __hip_atomic_fetch_add(p, x, __ATOMIC_RELAXED, Scope);
    } else if constexpr (Op == atomic_op::max) {
        return __hip_atomic_fetch_max(p, x, __ATOMIC_RELAXED, Scope);
    } else if constexpr (Op == atomic_op::min) {
        return __hip_atomic_fetch_min(p, x, __ATOMIC_RELAXED, Scope);
    } else if constexpr (Op == atomic_op::bit_and) {
        return __hip_atomic_fetch_and(p, x, __ATOMIC_RELAXED, Scope);
    } else {
        static_assert(Op == atomic_op::bit_or);
        return __hip_atomic_fetch_or(p, x, __ATOMIC_RELAXED, Scope);
    }
}
// Atomic operations on all dwords of an access, per_dword<Op, T> elements each.
template <index_t Op, class Units, index_t Vec, class Imm, class X, class Port>
OPUS_D auto update_all(const X& x, const Port& to, index_t v_bytes) {
    using T = typename Units::scalar_type;
    constexpr index_t per_dword = Port::template per_dword<Op, T>;
    constexpr index_t n = Vec * Units::vector_size;
    static_assert(n % per_dword == 0,
                  "opus::atomic_add: fp16 and bf16 are added in pairs: vec must be even");
    if constexpr (n % per_dword == 0) {
        constexpr index_t dwords = n / per_dword;
        const auto first =
            static_cast<unsigned>(v_bytes) + imm_bytes<Port::largest_imm, Imm>::value;
        const auto all =
            split_vector<per_dword>(Units::template widen<Vec>(x), make_index_seq<dwords>{});
        array<vector_t<T, per_dword>, dwords> old;
        static_for<dwords>([&](auto i) {
            old.content[i.value] =
                to.template update<Op, T>(all.content[i.value], first + i.value * 4);
        });
        return to_vector(old);
    }
}
template <index_t Op, class Units, index_t Vec, class Imm, class X, class Port, class Where>
OPUS_D auto update_at(const X& x, const Port& to, const Where& where) {
    if constexpr (!is_layout_v<Where>) {
        return update_all<Op, Units, Vec, Imm>(x, to, Units::to_bytes(where));
    } else {
        return make_tile(each_piece<Units, Vec, unshifted_t<Where>>(
            [](const Port& port, bool, place p, auto& piece) {
                piece = update_all<Op, Units, Vec, Imm>(piece, port, wrap_add(p.start, p.constant));
            },
            to, always{}, where, shift_v<Where>, x));
    }
}

// What gmem, gmem_wide and smem share. The argument behind the offset is the wave-uniform offset of
// global memory, s_os, or who waits for a read of LDS; Default is its type if it is not given. (A
// store says auto: so it is instantiated at once, and a warning in it names the caller.)
template <class Memory, class Element, class Default>
struct memory : mem_units<Element>, called {
    using units = mem_units<Element>;
    template <index_t vec = 1>
    using vector_type = typename units::template vector_type<vec>;

    // One instruction that loads vec elements at byte offset v_os.
    template <index_t vec = 1, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>>
    OPUS_D auto _load(offset_t v_os, Second second = {}, Policy = {}, caller at = {}) const {
        constexpr index_t bytes = units::template bytes<vec>();
        return move_bits<vector_type<vec>>(
            port_for<Policy, vec, true, Second>(true, second, at, v_os)
                .template read<bytes>({v_os, 0}));
    }
    // One instruction that stores x, which has vec elements or is one scalar to repeat.
    template <index_t vec = 1, class X, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>>
    OPUS_D auto _store(const X& x, offset_t v_os, Second second = {}, Policy = {},
                       caller at = {}) const {
        constexpr index_t bytes = units::template bytes<vec>();
        port_for<Policy, vec, true, Second>(true, second, at, v_os)
            .template write<bytes>(move_bits<raw_t<bytes>>(units::template widen<vec>(x)),
                                   {v_os, 0});
    }

    // vec elements at offset v_os. More than 16 bytes take several instructions.
    template <index_t vec = 1, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>>
    OPUS_D auto load(offset_t v_os, Second second = {}, Policy = {}, caller at = {}) const {
        vector_type<vec> x{};
        reads<units::template bytes<vec>()>{}(
            port_for<Policy, vec, true, Second>(false, second, at, v_os), true,
            {units::to_bytes(v_os), 0}, x);
        return x;
    }
    template <index_t vec = 1, class X, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>>
    OPUS_D auto store(const X& x, offset_t v_os, Second second = {}, Policy = {},
                      caller at = {}) const {
        writes<units::template bytes<vec>()>{}(
            port_for<Policy, vec, true, Second>(false, second, at, v_os), true,
            {units::to_bytes(v_os), 0}, units::template widen<vec>(x));
    }

    // All elements that the layout's open dimensions span, a vector of vec elements at a time.
    template <index_t vec = 1, class Layout, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>, enable_if_t<is_layout_v<Layout>> = 0>
    OPUS_WARN_STRIDE(relies_on_stride<vec, Layout>)
    OPUS_D auto load(const Layout& u, Second second = {}, Policy = {}, caller at = {}) const {
        return make_tile(each_piece<units, vec, unshifted_t<Layout>>(
            reads<units::template bytes<vec>()>{},
            port_for<Policy, vec, true, Second>(false, second, at, u), always{}, u,
            shift_v<Layout>));
    }
    template <index_t vec = 1, class X, class Layout, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>, enable_if_t<is_layout_v<Layout>> = 0>
    OPUS_WARN_STRIDE(relies_on_stride<vec, Layout>)
    OPUS_D auto store(const X& x, const Layout& u, Second second = {}, Policy = {},
                      caller at = {}) const {
        each_piece<units, vec, unshifted_t<Layout>>(
            writes<units::template bytes<vec>()>{},
            port_for<Policy, vec, true, Second>(false, second, at, u), always{}, u, shift_v<Layout>,
            x);
    }

    // The same where pred(i, j, ...) holds for the issue indices (the last one counts vectors).
    // Elsewhere, elements read as 0 and are not stored.
    template <index_t vec = 1, class Pred, class Layout, index_t aux = 0, class Second = Default,
              class Policy = cache_policy<aux>>
    OPUS_WARN_STRIDE(relies_on_stride<vec, Layout>)
    OPUS_D auto load_if(Pred&& pred, const Layout& u, Second second = {}, Policy = {},
                        caller at = {}) const {
        return make_tile(each_piece<units, vec, unshifted_t<Layout>>(
            reads<units::template bytes<vec>()>{},
            port_for<Policy, vec, false, Second>(false, second, at, u), pred, u, shift_v<Layout>));
    }
    template <index_t vec = 1, class Pred, class X, class Layout, index_t aux = 0,
              class Second = Default, class Policy = cache_policy<aux>>
    OPUS_WARN_STRIDE(relies_on_stride<vec, Layout>)
    OPUS_D auto store_if(Pred&& pred, const X& x, const Layout& u, Second second = {}, Policy = {},
                         caller at = {}) const {
        each_piece<units, vec, unshifted_t<Layout>>(
            writes<units::template bytes<vec>()>{},
            port_for<Policy, vec, false, Second>(false, second, at, u), pred, u, shift_v<Layout>,
            x);
    }

    // Replaces each of vec elements by its sum with x, by the larger or the smaller of the two, or
    // by their `and` or `or`, and returns the old values: one instruction and one atomic operation
    // for each dword, relaxed.
    //   global memory  coherent across the device. Out of range, nothing changes and 0 is returned;
    //                  this is checked here, since the hardware may fault. fp16 and bf16 are added
    //                  in pairs. The immediate i_os is in bytes
    //   LDS            of workgroup scope. For floats, a quiet NaN counts as missing, and -0 is
    //                  below +0 (ISA guide, 9.2.3)
    // @pre the offset is a multiple of 4 bytes
#define OPUS_ATOMIC(name, op)                                                                    \
    template <index_t vec = 1, index_t i_os = 0, class X, index_t aux = 0, class Where,          \
              class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>,                    \
              enable_if_t<is_place_v<Where>> = 0>                                                \
    OPUS_WARN_STRIDE(relies_on_stride<vec, Where>)                                               \
    OPUS_D auto name(const X& x, const Where& where, Default second = {}, Imm = {}, Policy = {}, \
                     caller at = {}) const {                                                     \
        return update_at<op, units, vec, Imm>(                                                   \
            x, port_for<Policy, vec, true, Default>(false, second, at, where), where);           \
    }
    OPUS_ATOMIC(atomic_add, atomic_op::add)
    OPUS_ATOMIC(atomic_max, atomic_op::max)
    OPUS_ATOMIC(atomic_min, atomic_op::min)
    OPUS_ATOMIC(atomic_and, atomic_op::bit_and)
    OPUS_ATOMIC(atomic_or, atomic_op::bit_or)
#undef OPUS_ATOMIC

protected:
    // The port of an access. A debug build checks its arguments, which are `args` and, behind them,
    // `second`. in_bytes: offsets are in bytes. IsAll: there is no predicate.
    template <class Second>
    using second_t = __type_pack_element<is_same_v<Default, auto_wait>, Default, Second>;
    template <class Policy, index_t Vec, bool IsAll, class Second, class... Args>
    OPUS_D auto port_for(bool in_bytes, second_t<Second> second, caller at,
                         const Args&... args) const {
        const auto port = static_cast<const Memory*>(this)->template port<Policy>(in_bytes, second);
        if constexpr (OPUS_DEBUG) {
            return this->template checked<Memory, Vec, IsAll>(port, in_bytes, at, second, args...);
        } else {
            return port;
        }
    }
};
#endif
}  // namespace impl

// == 14. gmem =====================================================================================
//
// Global memory through buffer resources, which check the range. make_gmem, gmem and gmem_wide are
// what kernels use; global_memory adds to 14.0 the copies to LDS (async_load). Look first at gmem,
// which says how a load becomes an instruction.

constexpr unsigned buffer_default_config() {
    return arch_traits::buffer_word3;
}

// The cache policy of a memory instruction: sc0 = 1, nt = 2 and sc1 = 16. sc1 and sc0 say how far a
// value must be coherent (wave, workgroup, device, system); nt says that it will not be used again
// soon (LLVM, AMDGPUUsage, memory model gfx942). An access that takes the policy as its last
// argument takes number<bits> as well. The bits are passed on to the instruction unchanged.
template <index_t Bits>
struct cache_policy {
    static constexpr index_t value = Bits;

    constexpr operator index_t() const { return Bits; }
};
inline constexpr cache_policy<0> cache_rt{};
inline constexpr cache_policy<1> cache_group_rt{};
inline constexpr cache_policy<2> cache_nt{};
inline constexpr cache_policy<3> cache_group_nt{};
inline constexpr cache_policy<16> cache_device_rt{};
inline constexpr cache_policy<17> cache_system_rt{};
inline constexpr cache_policy<18> cache_device_nt{};
inline constexpr cache_policy<19> cache_system_nt{};

#if defined(__HIP__)
namespace impl {
template <class Knob>
struct cache_bits {
    static_assert(always_false_v<Knob>,
                  "opus: a cache policy is required here: cache_policy<bits>, one of the constants "
                  "cache_rt, cache_group_nt, ..., or number<bits>");
};
template <index_t Bits>
struct cache_bits<cache_policy<Bits>> : cache_policy<Bits> {};
template <index_t Bits>
struct cache_bits<number<Bits>> : cache_policy<Bits> {};

// The size of a buffer in bytes, at most the largest of 32 bits.
template <class Size>
constexpr unsigned buffer_bytes(Size size) {
    static_assert(!__is_floating_point(Size), "opus::gmem: a size is an integer, in bytes");
    if constexpr (is_constant_v<Size>) {
        return buffer_bytes(Size::value);
    } else if constexpr (__is_class(Size) || sizeof(Size) <= sizeof(unsigned)) {
        return static_cast<unsigned>(size);
    } else {
        // Two halves: scalar instructions can compare these, but only vector ones 64 bits.
        const auto halves = __builtin_bit_cast(u32x2_t, static_cast<u64_t>(size));
        return halves[1] == 0 ? halves[0] : 0xffffffff;
    }
}
}  // namespace impl

// A raw buffer: accesses whose byte offset reaches beyond `size` bytes read 0 or are dropped. A
// size beyond 32 bits becomes 0xffffffff.
template <class T, class Size = unsigned>
OPUS_D __amdgpu_buffer_rsrc_t make_buffer_rsrc(const T* p, Size size = 0xffffffff,
                                               unsigned config = buffer_default_config()) {
    static_assert(OPUS_HAS_BUFFER || impl::always_false_v<T>,
                  "opus::gmem: gfx942 and gfx950 only; the target is " OPUS_TARGET_NAME);
    return __builtin_amdgcn_make_buffer_rsrc(
        const_cast<T*>(p), 0, static_cast<int>(impl::buffer_bytes(size)), static_cast<int>(config));
}

// LLVM's buffer atomics under their own names, for kernels that hold the rsrc as four words: at
// byte v_bytes (of the lane) + s_bytes (of the wave), with the cache policy aux, a constant. They
// return the old value. The one of bf16 exists on gfx950.
#define OPUS_BUFFER_ATOMIC(name, intrinsic, V, ...)                                              \
    OPUS_D_EXTERN V llvm_amdgcn_raw_buffer_atomic_##name(__VA_ARGS__, i32x4_t rsrc, int v_bytes, \
                                                         int s_bytes, int aux) __asm(intrinsic);
OPUS_BUFFER_ATOMIC(fadd_f32, "llvm.amdgcn.raw.buffer.atomic.fadd.f32", fp32_t, fp32_t x)
OPUS_BUFFER_ATOMIC(fadd_v2f16, "llvm.amdgcn.raw.buffer.atomic.fadd.v2f16", fp16x2_t, fp16x2_t x)
OPUS_BUFFER_ATOMIC(fadd_v2bf16, "llvm.amdgcn.raw.buffer.atomic.fadd.v2bf16", bf16x2_t, bf16x2_t x)
OPUS_BUFFER_ATOMIC(add_i32, "llvm.amdgcn.raw.buffer.atomic.add.i32", i32_t, i32_t x)
OPUS_BUFFER_ATOMIC(cmpswap_i32, "llvm.amdgcn.raw.buffer.atomic.cmpswap.i32", i32_t, i32_t x,
                   i32_t compare)
#undef OPUS_BUFFER_ATOMIC

namespace impl {
// The compiler's builtins need this pointer in the host pass, too.
template <class T>
using global_ptr = __attribute__((address_space(1))) T*;

#if __clang_major__ < 20
// clang 19 has no builtin for it. (The host pass parses the calls, too.)
OPUS_H_D_EXTERN void raw_buffer_load_lds(i32x4_t rsrc, lds_ptr<void> lds, int bytes, int v_bytes,
                                         int s_bytes, int imm,
                                         int aux) __asm("llvm.amdgcn.raw.buffer.load.lds");
#endif

// One global atomic operation on the elements of a dword (one, or two of 16 bits). Returns the old
// elements. (Buffer atomics would do as well, but gfx942 has none for bf16.)
template <index_t Op, class T, class V>
OPUS_D V update_dword(global_ptr<void> p, V x) {
    constexpr bool adds = Op == atomic_op::add;
    if constexpr (adds && is_same_v<T, fp32_t>) {
        return V{__builtin_amdgcn_global_atomic_fadd_f32(static_cast<global_ptr<T>>(p), x[0])};
    } else if constexpr (adds && is_same_v<T, fp16_t>) {
        return __builtin_amdgcn_global_atomic_fadd_v2f16(static_cast<global_ptr<V>>(p), x);
    } else if constexpr (adds && is_same_v<T, bf16_t>) {
        return __builtin_bit_cast(
            V, __builtin_amdgcn_global_atomic_fadd_v2bf16(static_cast<global_ptr<i16x2_t>>(p),
                                                          __builtin_bit_cast(i16x2_t, x)));
    } else if constexpr (is_any_of_v<T, i32_t, u32_t>) {
        return V{fetch<Op, __HIP_MEMORY_SCOPE_AGENT>(static_cast<global_ptr<T>>(p), x[0])};
    } else {
        static_assert(!adds, "opus::atomic_add: fp32, i32 and u32, and fp16 and bf16 in pairs");
        static_assert(adds,
                      "opus::atomic_max, _min, _and, _or: of global memory i32 and u32 (fp32 has "
                      "atomic_max and atomic_min in LDS: smem)");
    }
}

// A buffer resource and what it was made from, which cannot be got back from registers.
struct buffer {
    __amdgpu_buffer_rsrc_t cached_rsrc;
    void* raw_ptr;  // the base address
    unsigned size;  // bytes
    unsigned word3;

    template <class Size>
    OPUS_D buffer(const void* p, Size size_bytes, unsigned config)
        : cached_rsrc(make_buffer_rsrc(p, size_bytes, config)),
          raw_ptr(const_cast<void*>(p)),
          size(buffer_bytes(size_bytes)),
          word3(config) {}
};

#define OPUS_BY_WIDTH(name, ...)                                                   \
    static_assert(is_one_instruction<Bytes>,                                       \
                  "opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes"); \
    if constexpr (Bytes == 1) {                                                    \
        return __builtin_amdgcn_raw_buffer_##name##_b8(__VA_ARGS__);               \
    } else if constexpr (Bytes == 2) {                                             \
        return __builtin_amdgcn_raw_buffer_##name##_b16(__VA_ARGS__);              \
    } else if constexpr (Bytes == 4) {                                             \
        return __builtin_amdgcn_raw_buffer_##name##_b32(__VA_ARGS__);              \
    } else if constexpr (Bytes == 8) {                                             \
        return __builtin_amdgcn_raw_buffer_##name##_b64(__VA_ARGS__);              \
    } else if constexpr (Bytes == 12) {                                            \
        return __builtin_amdgcn_raw_buffer_##name##_b96(__VA_ARGS__);              \
    } else if constexpr (Bytes == 16) {                                            \
        return __builtin_amdgcn_raw_buffer_##name##_b128(__VA_ARGS__);             \
    }
// The port to a buffer: what an access needs besides its place. s_bytes is the wave-uniform offset.
template <index_t Aux>
struct buffer_port {
    static constexpr index_t largest_imm = 4095;
    buffer from;
    index_t s_bytes;
    caller user;

    template <index_t Bytes>
    OPUS_D raw_t<Bytes> read(place p) const {
        const index_t v_bytes = wrap_add(p.start, p.constant);
        check_end<Bytes>(v_bytes, s_bytes, from.size, user);
        OPUS_BY_WIDTH(load, from.cached_rsrc, v_bytes, s_bytes, Aux)
    }
    template <index_t Bytes>
    OPUS_D void write(raw_t<Bytes> x, place p) const {
        const index_t v_bytes = wrap_add(p.start, p.constant);
        check_end<Bytes>(v_bytes, s_bytes, from.size, user);
        // Before clang 23: with an offset in a scalar register, as is one beyond 4095 bytes, more
        // than 8 bytes need a wait state before their registers are written again (LLVM 197267).
        // Both statements hold these registers.
        const bool is_scalar = (s_bytes | (p.constant & ~4095)) != 0;
        // (Not const: clang would evaluate it before it knows.)
        bool waits = __clang_major__ < 23 && (!__builtin_constant_p(is_scalar) || is_scalar);
        if constexpr (Bytes > 8) {
            if (waits) {
                asm("" : "+v"(x));
            }
        }
        const auto store = [&] { OPUS_BY_WIDTH(store, x, from.cached_rsrc, v_bytes, s_bytes, Aux) };
        store();
        if constexpr (Bytes > 8) {
            if (waits) {
                asm volatile("s_nop 0" : : "v"(x));
            }
        }
    }

    // One instruction that moves Bytes bytes for each lane to LDS: those of lane l to `to` + Imm,
    // + l * 4 for accesses of 4 bytes and + l * 16 for 12 and 16 (ISA guide, 9.1.9).
    template <index_t Bytes, class Imm>
    OPUS_D void load_lds(lds_ptr<void> to, [[maybe_unused]] index_t v_bytes) const {
        static_assert(Bytes == 4 || Bytes == 12 || Bytes == 16,
                      "opus::async_load: moves 4 bytes for each lane, on gfx950 also 12 or 16; no "
                      "other width (the hardware has no 8, and extends 1 and 2 to a dword in LDS)");
        constexpr bool available = OPUS_HAS_LDS_DMA_WIDE || (OPUS_HAS_BUFFER && Bytes == 4);
        static_assert(available || (Bytes != 4 && Bytes != 12 && Bytes != 16),
                      "opus::async_load: 12 and 16 bytes need gfx950, 4 bytes gfx942 or gfx950; "
                      "the target is " OPUS_TARGET_NAME);
        [[maybe_unused]] constexpr index_t imm = imm_bytes<4095, Imm>::value;
        check_lds_alignment<4>(to, user);
        // Left out of the host pass, which would check the width without a particular target.
#if defined(__HIP_DEVICE_COMPILE__)
        if constexpr (available) {
#if __clang_major__ >= 20
            // A member of a template: otherwise the compiler checks the width before it is known.
            using bytes = number<Bytes>;
            __builtin_amdgcn_raw_ptr_buffer_load_lds(from.cached_rsrc, to, bytes::value, v_bytes,
                                                     s_bytes, imm, Aux);
#else
            const auto address = reinterpret_cast<u64_t>(from.raw_ptr);
            const u32x4_t words{static_cast<u32_t>(address),
                                static_cast<u32_t>(address >> 32) & 0xffff, from.size, from.word3};
            raw_buffer_load_lds(__builtin_bit_cast(i32x4_t, words), to, Bytes, v_bytes, s_bytes,
                                imm, Aux);
#endif
        }
#endif
    }

    // One atomic operation on a dword, of per_dword elements, if it is in range; else 0.
    template <index_t Op, class T>
    static constexpr index_t per_dword =
        Op == atomic_op::add && is_any_of_v<T, fp16_t, bf16_t> ? 2 : 1;
    template <index_t Op, class T, class V>
    OPUS_D V update(const V& x, unsigned v_bytes) const {
        static_assert(Aux == 0,
                      "opus::atomic_add, atomic_max, ...: the cache policy must be 0 (an atomic is "
                      "coherent across the device and returns the old value)");
        const unsigned skip = static_cast<unsigned>(s_bytes);  // no sum here can wrap around
        const bool any = skip <= from.size && from.size - skip >= 4;
        const unsigned last = any ? from.size - skip - 4 : 0;
        V old{};
        if (any && v_bytes <= last) {
            old = update_dword<Op, T>((global_ptr<char>)from.raw_ptr + skip + v_bytes, x);
        }
        return old;
    }
};

#undef OPUS_BY_WIDTH

// An offset that is out of range for every buffer of at most this many bytes.
inline constexpr unsigned outside = 0xfffffff0;

// How much of a layout lies side by side, by the extents and strides that are numbers.
//   elements    the length of the rows that all dimensions make together
//   of_threads  the same for dimensions with a run-time coordinate (threads), from pieces of Vec on
//   waves       whether the strides of the latter are multiples of 64 such pieces, and not 0
template <index_t Vec>
struct layout_rows {
    index_t elements = 1;
    index_t of_threads = Vec;
    bool waves = true;

    template <class Dims>
    constexpr explicit layout_rows(Dims) {
        for (index_t i = 0; i < Dims::rank * Dims::rank; i++) {
            const dimension& dim = Dims::all[i % Dims::rank];
            const index_t n = dim.extent > 1 ? dim.extent : 1;
            elements *= dim.stride == elements ? n : 1;
            of_threads *= dim.is_thread && dim.stride == of_threads ? n : 1;
            waves = waves && (!dim.is_thread || (dim.stride != 0 && dim.stride % (64 * Vec) == 0));
        }
    }
};
// Where the accesses of `from` read if the destination is swizzled. LDS-DMA puts what a lane reads
// at the lane's own place in LDS, so the lane reads the element that belongs there: in memory it is
// as far from the lane's own element as it is in LDS.
template <class Units, index_t Vec, class From, class To, class Swizzle>
struct swizzled_source {
    static constexpr index_t changed = Swizzle::changed;
    static constexpr layout_rows<Vec> to_rows{dimensions_of<To>{}};
    static_assert(layout_parts<From>::swizzle::bits == 0,
                  "opus::async_load: only one of the two layouts can have a swizzle");
    static_assert(
        Units::template bytes<Vec>() != 12,
        "opus::async_load: 12 bytes leave gaps in LDS, which a swizzled destination cannot "
        "have (4 or 16 bytes for each lane)");
    static_assert(
        layout_rows<Vec>(dimensions_of<From>{}).elements % (changed + (changed & -changed)) == 0,
        "opus::async_load: what a swizzled destination exchanges must lie side by side in "
        "memory: extents and strides of `from` that are numbers must make rows of a "
        "multiple of 2^(Base + Bits) elements (negative Shift: 2^(Base - Shift + Bits))");
    static_assert(
        to_rows.waves || to_rows.of_threads % (64 * Vec) == 0,
        "opus::async_load: the coordinate of a swizzled destination must be of lanes or of "
        "waves: the run-time entries must put vec elements of 64 lanes side by side, or "
        "have strides of a multiple of that (with extents and strides that are numbers)");
    using swizzled = place_swizzle<Units, Vec, Swizzle>;
    using traits = typename access_places<Units, Vec, From>::traits;
    access_places<Units, Vec, From> from;
    access_places<typename swizzled::units, Vec, To> to;

    OPUS_D place operator[](index_t i) const {
        const place p = from[i];
        place own = to[i];
        if constexpr (to_rows.waves) {
            own.start = wrap_add(own.start, (lane_id() & 63) * (Vec << swizzled::log2));
        }
        const place other = swizzled::of(own);
        const index_t constant = wrap_add(other.constant, wrap_mul(own.constant, -1));
        return {wrap_add(p.start, swizzled::to_bytes(
                                      wrap_add(other.start, wrap_mul(own.start, -1), constant))),
                p.constant};
    }
};
template <class Units, index_t Vec, class Imm, class Pred, class Port, class Pointee, class From,
          class To>
OPUS_D void load_lds_layout(Pred&& pred, const Port& port, Pointee* lds, const From& from,
                            const To& to) {
    using pred_t = remove_reference_t<Pred>;
    if constexpr (check_access<Units, Vec, From, pred_t>() && check_access<Units, Vec, To>()) {
        using source = access_places<Units, Vec, unshifted_t<From>>;
        using swizzle = typename layout_parts<To>::swizzle;
        using plain = typename layout_parts<To>::plain;
        const access_places<Units, Vec, plain> target(to, shift_v<To>);
        static_assert(source::count == target.count,
                      "opus::async_load: the two layouts must have the same number of accesses");
        const auto load = [&](const auto& sources) {
            for_each_access<Vec>(
                [lds](const Port& to_lds_of, bool wanted, place p, place q) {
                    const unsigned nowhere =
                        outside - static_cast<unsigned>(imm_bytes<4095, Imm>::value);
                    to_lds_of.template load_lds<Units::template bytes<Vec>(), Imm>(
                        to_lds<char>(lds) + q.start + q.constant,
                        wanted ? wrap_add(p.start, p.constant) : static_cast<index_t>(nowhere));
                },
                port, pred, sources, target, make_index_seq<source::count>{});
        };
        const source own(from, shift_v<From>);
        if constexpr (swizzle::bits == 0) {
            load(own);
        } else {
            static_assert(
                is_same_v<pred_t, always>,
                "opus::async_load_if: not to a swizzled layout: there a lane brings another "
                "lane's elements, of which the predicate does not know (use async_load with a "
                "buffer that ends with the data)");
            if constexpr (From::has_coord && To::has_coord) {
                load(swizzled_source<Units, Vec, unshifted_t<From>, plain, swizzle>{
                    own, {to, shift_v<To>}});
            } else {
                static_assert(
                    false,
                    "opus::async_load: a swizzled destination takes layouts with coordinates");
            }
        }
    }
}

// What gmem and gmem_wide share.
template <class Memory, class Element, class Scalar>
struct global_memory : memory<Memory, Element, Scalar> {
    using units = mem_units<Element>;

    // LDS-DMA: moves vec elements for each lane from byte offset v_os + s_os to LDS without going
    // through registers. Lane 0 writes to `lds` (any pointer to LDS). Lane l writes l * 4 bytes
    // further for accesses of 4 bytes, and l * 16 bytes further for 12 and 16: the destination
    // belongs to the wave. If the pointer differs by lane, the first active lane's counts. `i_os`
    // moves both the source and the destination. Out of range, zeros are written.
    // @post the data is in LDS after s_waitcnt_vmcnt (and, for other waves, a barrier)
    template <index_t vec = 1, index_t i_os = 0, index_t aux = 0, class Pointee,
              class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>>
    OPUS_D void _async_load(Pointee* lds, offset_t v_os, Scalar second = 0, Imm = {}, Policy = {},
                            caller at = {}) const {
        const auto from =
            this->template port_for<Policy, vec, true, Scalar>(true, second, at, lds, v_os);
        from.template load_lds<units::template bytes<vec>(), Imm>(to_lds<void>(lds), v_os);
    }
    // The same with offsets in elements; the immediate stays in bytes.
    template <index_t vec = 1, index_t i_os = 0, index_t aux = 0, class Pointee,
              class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>>
    OPUS_D void async_load(Pointee* lds, offset_t v_os, Scalar second = 0, Imm = {}, Policy = {},
                           caller at = {}) const {
        const auto from =
            this->template port_for<Policy, vec, true, Scalar>(false, second, at, lds, v_os);
        from.template load_lds<units::template bytes<vec>(), Imm>(to_lds<void>(lds),
                                                                  units::to_bytes(v_os));
    }
    // Each access of `from` (global memory) goes to lds + the same access of `to`, in elements. If
    // `to` is swizzled, LDS then holds what smem::store through it would have put there: lanes
    // fetch each other's elements, from rows that are contiguous in both.
    template <index_t vec = 1, index_t i_os = 0, index_t aux = 0, class Pointee, class From,
              class To, class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>,
              enable_if_t<is_layout_v<From> && is_layout_v<To>> = 0>
    OPUS_WARN_STRIDE(relies_on_stride<vec, From> || relies_on_stride<vec, To>)
    OPUS_D void async_load(Pointee* lds, const From& from, const To& to, Scalar second = 0,
                           Imm = {}, Policy = {}, caller at = {}) const {
        load_lds_layout<units, vec, Imm>(
            always{},
            this->template port_for<Policy, vec, true, Scalar>(false, second, at, lds, from, to),
            lds, from, to);
    }
    // Where pred(i, j, ...) does not hold for the issue indices of `from`, zeros are written: such
    // lanes read from an offset out of range. So the number of instructions, and with it vmcnt,
    // does not depend on the predicate. The last 16 bytes of 4 GiB are out of range here.
    template <index_t vec = 1, index_t i_os = 0, index_t aux = 0, class Pred, class Pointee,
              class From, class To, class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>>
    OPUS_WARN_STRIDE(relies_on_stride<vec, From> || relies_on_stride<vec, To>)
    OPUS_D void async_load_if(Pred&& pred, Pointee* lds, const From& from, const To& to,
                              Scalar second = 0, Imm = {}, Policy = {}, caller at = {}) const {
        auto port =
            this->template port_for<Policy, vec, false, Scalar>(false, second, at, lds, from, to);
        port.from = buffer(port.from.raw_ptr, port.from.size < outside ? port.from.size : outside,
                           port.from.word3);
        load_lds_layout<units, vec, Imm>(pred, port, lds, from, to);
    }

    // atomic_add (14.0) at byte v_os + s_os + i_os.
    template <index_t vec = 1, index_t i_os = 0, class X, index_t aux = 0,
              class Imm = imm_offset<i_os>, class Policy = cache_policy<aux>>
    OPUS_D auto _atomic_add(const X& x, offset_t v_os, Scalar second = 0, Imm = {}, Policy = {},
                            caller at = {}) const {
        return update_all<atomic_op::add, units, vec, Imm>(
            x, this->template port_for<Policy, vec, true, Scalar>(true, second, at, v_os), v_os);
    }
};
}  // namespace impl

// Global memory through a buffer resource. The element type may be a vector. Offsets are in
// elements, or in bytes for functions with a leading underscore. `v_os` may differ by lane, `s_os`
// is the same for all lanes. Accesses beyond the size given to make_gmem read 0 and are not stored.
// `aux`, or the last argument, is the cache policy. Offsets of elements below a byte must be at
// whole bytes.
// load<vec, aux>(v_os or layout, s_os, policy), store<vec>(x, v_os or layout, s_os, policy), ...
//
// How g.load<4>(u) becomes instructions: each_piece (14.0) asks access_places where each access of
// u begins. For each, `reads` takes pieces of at most 16 bytes, and buffer_port::read calls the
// builtin. A store takes the same path with `write` in the names. In smem, the last are
// lds_port::read and lds_access.
template <class Element>
struct gmem : impl::buffer, impl::global_memory<gmem<Element>, Element, impl::offset_t> {
    template <class Size = unsigned>
    OPUS_D gmem(const void* p, Size size_bytes = 0xffffffff,
                unsigned config = buffer_default_config(), impl::caller at = {})
        : impl::buffer(p, size_bytes, config) {
        impl::check_size(size_bytes, at);
    }

private:
    friend impl::memory<gmem, Element, impl::offset_t>;
    template <class Policy>
    OPUS_D auto port(bool in_bytes, index_t s_os) const {
        return impl::buffer_port<impl::cache_bits<Policy>::value>{
            *this, in_bytes ? s_os : impl::mem_units<Element>::to_bytes(s_os), {}};
    }
};

// A view of `size_bytes` bytes from p on, at most 0xffffffff. Storing is allowed, const or not.
template <class T, class Size = unsigned>
OPUS_D gmem<remove_cv_t<T>> make_gmem(const T* p, Size size_bytes = 0xffffffff,
                                      unsigned config = buffer_default_config(),
                                      impl::caller at = {}) {
    return gmem<remove_cv_t<T>>(p, size_bytes, config, at);
}

// Global memory of any size. Accesses are those of gmem, but the wave-uniform offset `s_os` has 64
// bits and moves the base: `v_os` or a layout reaches what is within 4 GiB of it. Accesses beyond
// size_bytes read 0 and are not stored.
// @pre s_os and v_os are not negative (with a negative s_os, nothing is in range)
// make_gmem_wide(p).load<4>(thread * 4, row * row_stride)
template <class Element>
struct gmem_wide : impl::global_memory<gmem_wide<Element>, Element, long_index_t> {
    OPUS_D explicit gmem_wide(const void* p, u64_t size_bytes = ~u64_t{0},
                              unsigned config = buffer_default_config())
        : base(static_cast<const char*>(p)), size(size_bytes), word3(config) {}

    // The memory from byte s_bytes, or element s_os, on; up to 4 GiB of it.
    OPUS_D gmem<remove_cv_t<Element>> _at(long_index_t s_bytes) const {
        // Made scalar, whatever the compiler can prove: a resource cannot differ by lane.
        const auto skip = readfirstlane(s_bytes);
        const u64_t left =
            skip >= 0 && static_cast<u64_t>(skip) < size ? size - static_cast<u64_t>(skip) : 0;
        return {base + skip, impl::buffer_bytes(left), word3};
    }
    OPUS_D gmem<remove_cv_t<Element>> at(long_index_t s_os) const {
        constexpr index_t bits = impl::mem_units<Element>::bits;
        return _at(bits % 8 == 0 ? s_os * (bits / 8) : s_os * bits / 8);
    }

private:
    friend impl::memory<gmem_wide, Element, long_index_t>;
    const char* base;
    u64_t size;
    unsigned word3;

    template <class Policy>
    OPUS_D auto port(bool in_bytes, long_index_t s_os) const {
        return impl::buffer_port<impl::cache_bits<Policy>::value>{
            in_bytes ? _at(s_os) : this->at(s_os), 0, {}};
    }
};

// A view of `size_bytes` bytes from p on, which may be more than 4 GiB.
template <class T>
OPUS_D gmem_wide<remove_cv_t<T>> make_gmem_wide(const T* p, u64_t size_bytes = ~u64_t{0},
                                                unsigned config = buffer_default_config()) {
    return gmem_wide<remove_cv_t<T>>(p, size_bytes, config);
}

template <class T>
struct is_gmem<gmem<T>> : true_type {};
template <class T>
struct is_gmem<gmem_wide<T>> : true_type {};
#endif

// == 15. smem =====================================================================================
//
// LDS, its transposed reads, and the members of all memory as free functions.
// make_smem and smem are what kernels use; the last argument of a read says who waits for it. Look
// first at smem, then at lds_port::read, which issues the instruction.

#if defined(__HIP__)
// The last argument of a read of LDS says who waits for what brings the data. For the result waits
// the compiler.
//   caller_waits  the caller. The read stays in its place among waits, barriers and accesses of
//                 memory. Only for tr_load, where it is the default
//   auto_wait     the compiler, for async_loads in flight where it sees a need, for tr_load for all
//                 of them, vmcnt(0). The default of load
//   no_dma_wait   the caller
// With the last two, the compiler may move the read across s_waitcnt and s_barrier.
struct caller_waits {};
struct auto_wait {};
struct no_dma_wait {};

namespace impl {
// The type T that a pointer points to (not const), without its address space, and whether the
// pointer may point to LDS, which is so unless its type names another address space.
template <class T>
struct pointee {
    using type = T;
    static constexpr bool may_be_lds = true;
};
template <class T, int Space>
struct pointee<__attribute__((address_space(Space))) T> {
    using type = T;
    static constexpr bool may_be_lds = Space == 3;
};

// In the tables below, P may be a __restrict pointer: nothing else writes there, so that the
// compiler knows of no LDS-DMA that the read would have to wait for. The instruction must be in the
// function that has the __restrict parameter.

// One LDS instruction for an access of Bytes bytes, through the compiler's own loads and stores. 12
// bytes take one instruction if the compiler knows that they are 16-byte aligned, else two.
template <index_t Bytes>
struct lds_access {
    static_assert(is_one_instruction<Bytes>,
                  "opus::smem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes");
    using memory_t __attribute__((may_alias)) = raw_t<Bytes>;
    template <class P>
    OPUS_D static raw_t<Bytes> load(P p) {
        return *(lds_ptr<memory_t>)p;
    }
    OPUS_D static void store(raw_t<Bytes> x, lds_ptr<char> p) { *(lds_ptr<memory_t>)p = x; }
};
template <>
struct lds_access<12> {
    using memory_t __attribute__((may_alias)) = u32_t;
    template <class P>
    OPUS_D static raw_t<12> load(P p) {
        const auto d = (lds_ptr<memory_t>)p;
        return {d[0], d[1], d[2]};
    }
    OPUS_D static void store(raw_t<12> x, lds_ptr<char> p) {
        const auto d = (lds_ptr<memory_t>)p;
        d[0] = x[0];
        d[1] = x[1];
        d[2] = x[2];
    }
};

using i32x3_t = vector_t<i32_t, 3>;

// The transposed read of elements of Bits bits, as many as a lane gets (ISA guide, 11.4).
template <index_t Bits, class = int>
struct lds_transpose {
    static_assert(Bits < 0,
                  "opus::tr_load: elements of 16, 8, 6 or 4 bits (fp16, bf16, fp8, fp6, fp4, ...)");
};
#if OPUS_HAS_LDS_TRANSPOSE_READ
// (A builtin is looked up once P is known: compilers without it can read this.)
#define OPUS_LDS_TRANSPOSE(bits, count, raw, builtin)                                    \
    template <>                                                                          \
    struct lds_transpose<bits> {                                                         \
        static constexpr index_t elements = count;                                       \
        template <class P>                                                               \
        OPUS_D static auto load(P p, index_t imm) {                                      \
            return builtin((lds_ptr<__type_pack_element<0 * sizeof(P), raw>>)(p + imm)); \
        }                                                                                \
    };
OPUS_LDS_TRANSPOSE(16, 4, i16x4_t, __builtin_amdgcn_ds_read_tr16_b64_v4i16)
OPUS_LDS_TRANSPOSE(8, 8, i32x2_t, __builtin_amdgcn_ds_read_tr8_b64_v2i32)
OPUS_LDS_TRANSPOSE(6, 16, i32x3_t, __builtin_amdgcn_ds_read_tr6_b96_v3i32)
OPUS_LDS_TRANSPOSE(4, 16, i32x2_t, __builtin_amdgcn_ds_read_tr4_b64_v2i32)
#undef OPUS_LDS_TRANSPOSE
#endif

// A read whose result the compiler waits for: load() of the tables.
template <class Access, class Wait, class... Imm>
OPUS_D auto read_lds(lds_ptr<char> p, Imm... imm) {
    if constexpr (is_same_v<Wait, no_dma_wait>) {
        return Access::template load<lds_ptr<char> __restrict>(p, imm...);
    } else {
        static_assert(is_same_v<Wait, auto_wait>,
                      "opus::smem: the last argument is auto_wait or no_dma_wait, or for "
                      "tr_load caller_waits");
        return Access::template load<lds_ptr<char>>(p, imm...);
    }
}
#if !OPUS_HAS_LDS_TRANSPOSE_READ
// The transposed read in several instructions. Each lane gets the addresses of the lanes that it
// receives from, reads at each address the word that has its element, and joins the elements.
template <index_t Bits>
struct lds_transpose<Bits, enable_if_t<Bits == 16 || Bits == 8>> {
    static constexpr index_t elements = 64 / Bits;

    template <class P>
    OPUS_D static vector_t<u32_t, 2> load(P p, index_t imm) {
        const index_t lane = lane_id();
        const index_t byte = lane % elements * (Bits / 8);
        const index_t first = lane / 16 * 16 + lane % 16 / elements;
        using in_pass = decltype(sizeof(0));  // a pointer to LDS is as wide in the host pass
        const auto own = static_cast<index_t>(reinterpret_cast<in_pass>(p));
        u32_t word[elements];
        static_for<elements>([&](auto i) {
            const index_t from = (first + 16 / elements * i.value) * 4;
            const auto address = static_cast<u32_t>(__builtin_amdgcn_ds_bpermute(from, own));
            const auto row = reinterpret_cast<lds_ptr<char>>(in_pass{address});
            word[i.value] =
                move_bits<u32_t>(lds_access<4>::template load<P>(row + byte / 4 * 4 + imm));
        });
        // v_perm_b32: 0 ... 3 select bytes of its second word, 4 ... 7 of its first; 12 gives 0.
        if constexpr (Bits == 16) {
            const u32_t halves = byte % 4 == 0 ? 0x05040100 : 0x07060302;
            return {__builtin_amdgcn_perm(word[1], word[0], halves),
                    __builtin_amdgcn_perm(word[3], word[2], halves)};
        } else {
            const u32_t low = 0x0c0c0400 + static_cast<u32_t>(byte % 4) * 0x0101;
            const auto four = [&](const u32_t* w) {
                return __builtin_amdgcn_perm(w[1], w[0], low) |
                       __builtin_amdgcn_perm(w[3], w[2], low) << 16;
            };
            return {four(word), four(word + 4)};
        }
    }
};
#endif
// While an object exists, the reads that the caller waits for stay in their place.
template <class Wait>
struct in_place {
    OPUS_D in_place() { hold(); }
    OPUS_D ~in_place() { hold(); }
    OPUS_D static void hold() {
        if constexpr (is_same_v<Wait, caller_waits>) {
            asm volatile("" ::: "memory");
        }
    }
};
// The port to LDS. Wait says who waits for its reads.
template <class Wait>
struct lds_port {
    static constexpr index_t largest_imm = 65535;
    lds_ptr<char> base;
    caller user;

    template <index_t Bytes>
    OPUS_D raw_t<Bytes> read(place p) const {
        check_lds_alignment<Bytes>(base + p.start + p.constant, user);
        return read_lds<lds_access<Bytes>, Wait>(base + p.start + p.constant);
    }
    template <index_t Bytes>
    OPUS_D void write(raw_t<Bytes> x, place p) const {
        check_lds_alignment<Bytes>(base + p.start + p.constant, user);
        lds_access<Bytes>::store(x, base + p.start + p.constant);
    }
    template <index_t Op, class T>
    static constexpr index_t per_dword = 1;
    template <index_t Op, class T, class V>
    OPUS_D V update(const V& x, unsigned bytes) const {
        constexpr bool of_bits = Op == atomic_op::bit_and || Op == atomic_op::bit_or;
        if constexpr (is_any_of_v<T, i32_t, u32_t> || (is_same_v<T, fp32_t> && !of_bits)) {
            check_lds_alignment<4>(base + bytes, user);
            return V{fetch<Op, __HIP_MEMORY_SCOPE_WORKGROUP>((lds_ptr<T>)(base + bytes), x[0])};
        } else {
            static_assert(false,
                          "opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and "
                          "fp32, atomic_and and atomic_or i32 and u32");
        }
    }
};
}  // namespace impl

// LDS. The element type may be a vector. Offsets are in elements, or in bytes for functions with a
// leading underscore. Only debug builds check. Elements below a byte must be at whole bytes.
// @pre an access of 1, 2, 4, 8 or 16 bytes is aligned to its size, one of 12 to 4, wider ones to 16
// load<vec>(v_os or layout, who waits), store<vec>(x, v_os or layout), ..., tr_load
template <class Element>
struct smem : impl::memory<smem<Element>, Element, auto_wait> {
    using units = impl::mem_units<Element>;
    using typename units::scalar_type;
    template <index_t vec = 1>
    using vector_type = typename units::template vector_type<vec>;

    OPUS_LDS_ADDR char* ptr;

    // p: any pointer to LDS, __shared__ arrays included, or nullptr, for a `ptr` that is set later.
    template <class Pointee>
    OPUS_D smem(Pointee* p, impl::caller at = {})
        : ptr((OPUS_LDS_ADDR char*)impl::to_lds<char>(p)) {
        static_assert(
            impl::pointee<remove_cv_t<Pointee>>::may_be_lds,
            "opus::make_smem: a pointer to LDS is required; this one is to another kind of "
            "memory (make_gmem for global memory)");
        if (p != nullptr) {
            impl::check_is_lds(p, at);
        }
    }
    OPUS_D smem(decltype(nullptr)) : ptr(nullptr) {}

    // The transposed read: one instruction on gfx950, several on gfx942.
    //
    // Each lane gives the place of vec consecutive elements (0: as many as must be): E = 4, 8 or 16
    // elements of 16, 8 or 4 bits, or 16 of 6 bits. In each group of 16 lanes, with first lane B,
    // element n of lane B + r is element r % E of what lane B + r / E + (16 / E) * n points to (6
    // bits: element r of what lane B + n points to). The rows that the lanes point to come back as
    // columns.
    // @pre all 64 lanes are active; the places are 8-byte aligned (6 bits: 4-byte)
    template <index_t vec = 0, index_t imm = 0, class Wait = caller_waits>
    OPUS_D auto _tr_load(impl::offset_t v_os, Wait wait = {}, impl::caller at = {}) const {
        const impl::in_place<Wait> held;
        return tr_load_at<width<vec>>(
            this->template port_for<cache_policy<0>, 1, true, Wait>(true, wait, at, v_os),
            {v_os, impl::imm_bytes<65535, imm_offset<imm>>::value});
    }
    // Through a layout whose strides are numbers, the reads share one address register.
    template <index_t vec = 0, class Where, class Wait = caller_waits,
              impl::enable_if_t<impl::is_place_v<Where>> = 0>
    OPUS_D auto tr_load(const Where& where, Wait wait = {}, impl::caller at = {}) const {
        const impl::in_place<Wait> held;
        const auto from =
            this->template port_for<cache_policy<0>, 1, true, Wait>(false, wait, at, where);
        if constexpr (is_layout_v<Where>) {
            return tr_load_layout<width<vec>>(from, impl::always{}, where);
        } else {
            return tr_load_at<width<vec>>(from, {units::to_bytes(where), 0});
        }
    }
    // Where pred(i, j, ...) does not hold, the lane gets zeros. If pred holds in any lane, every
    // lane's place is read, because the others need the data.
    template <index_t vec = 0, class Pred, class Layout, class Wait = caller_waits>
    OPUS_D auto tr_load_if(Pred&& pred, const Layout& u, Wait wait = {},
                           impl::caller at = {}) const {
        static_assert(
            impl::mask_items_v<remove_cvref_t<Pred>> == 0,
            "opus::tr_load_if: a lane points to other elements than it receives, so that "
            "within() does not say which to read (a predicate of the issue indices does)");
        return tr_load_layout<width<vec>>(
            this->template port_for<cache_policy<0>, 1, false, Wait>(false, wait, at), pred, u);
    }

private:
    friend impl::memory<smem, Element, auto_wait>;

    template <class Policy = cache_policy<0>, class Wait>
    OPUS_D auto port(bool, Wait) const {
        static_assert(is_same_v<Policy, cache_policy<0>>,
                      "opus::smem: there is no cache policy for LDS");
        return impl::lds_port<Wait>{(impl::lds_ptr<char>)ptr, {}};
    }

    template <index_t vec>
    static constexpr index_t width =
        vec != 0 ? vec : impl::tr_elements_v<scalar_type> / units::vector_size;

    template <index_t vec, class Wait>
    OPUS_D static vector_type<vec> tr_load_at(const impl::lds_port<Wait>& from, impl::place p) {
        impl::check_lds_alignment<(sizeof_bits_v<scalar_type> == 6 ? 4 : 8)>(
            from.base + p.start + p.constant, from.user);
        using instruction = impl::lds_transpose<sizeof_bits_v<scalar_type>>;
        constexpr bool is_supported =
            OPUS_HAS_LDS_TRANSPOSE_READ || (OPUS_HAS_LANES && sizeof_bits_v<scalar_type> % 8 == 0);
        static_assert(is_supported,
                      "opus::tr_load: needs gfx950, or elements of 16 or 8 bits and gfx942; the "
                      "target is " OPUS_TARGET_NAME " (use load, and lay the tile out transposed)");
        static_assert(vec * units::vector_size == instruction::elements,
                      "opus::tr_load: a lane gets 8 bytes, that is 4, 8 or 16 elements of 16, 8 or "
                      "4 bits, or 16 elements of 6 bits");
        if constexpr (!is_supported || vec * units::vector_size != instruction::elements) {
            return {};
        } else {
            using wait = __type_pack_element<is_same_v<Wait, caller_waits>, Wait, no_dma_wait>;
            return impl::move_bits<vector_type<vec>>(
                impl::read_lds<instruction, wait>(from.base + p.start, p.constant));
        }
    }
    template <index_t vec, class Wait, class Pred, class Layout>
    OPUS_D static auto tr_load_layout(const impl::lds_port<Wait>& from, Pred&& pred,
                                      const Layout& u) {
        return impl::make_tile(impl::each_piece<units, vec, impl::unshifted_t<Layout>, true>(
            [](const impl::lds_port<Wait>& port, bool wanted, impl::place p,
               vector_type<vec>& piece) {
                vector_type<vec> x{};
                if (__builtin_constant_p(wanted) ? wanted
                                                 : __builtin_amdgcn_ballot_w64(wanted) != 0) {
                    const auto read = tr_load_at<vec>(port, p);
                    x = wanted ? read : x;
                }
                piece = x;
            },
            from, pred, u, impl::shift_v<Layout>));
    }
};

// LDS from p on. p is a __shared__ array or a pointer into one, and points to the element type.
template <class Pointee>
OPUS_D auto make_smem(Pointee* p, impl::caller at = {}) {
    return smem<typename impl::pointee<remove_cv_t<Pointee>>::type>(p, at);
}

template <class T>
struct is_smem<smem<T>> : true_type {};

// The members of gmem, gmem_wide and smem as free functions, also for every type for which is_gmem
// or is_smem is specialised. `first` is the number of the first argument that may be an offset.
// `side_by_side` says whether an access takes its elements side by side (else it is transposed).
#if !defined(OPUS_MEM_FUNCTION)  // opus_debug.hpp has one that knows the caller
#define OPUS_MEM_FUNCTION(name, first, side_by_side)                                     \
    template <index_t vec = side_by_side, class Mem, class... Args,                      \
              impl::enable_if_t<is_mem_v<Mem>> = 0>                                      \
    OPUS_WARN_STRIDE(side_by_side && (impl::relies_on_stride<vec, Args> || ...))         \
    OPUS_D decltype(auto) name(Mem&& mem, Args&&... args) {                              \
        return static_cast<Mem&&>(mem).template name<vec>(static_cast<Args&&>(args)...); \
    }
#endif
OPUS_MEM_FUNCTION(load, 0, true)
OPUS_MEM_FUNCTION(store, 1, true)
OPUS_MEM_FUNCTION(load_if, 1, true)
OPUS_MEM_FUNCTION(store_if, 2, true)
OPUS_MEM_FUNCTION(async_load, 1, true)
OPUS_MEM_FUNCTION(async_load_if, 2, true)
OPUS_MEM_FUNCTION(atomic_add, 1, true)
OPUS_MEM_FUNCTION(atomic_max, 1, true)
OPUS_MEM_FUNCTION(atomic_min, 1, true)
OPUS_MEM_FUNCTION(atomic_and, 1, true)
OPUS_MEM_FUNCTION(atomic_or, 1, true)
OPUS_MEM_FUNCTION(tr_load, 0, false)
OPUS_MEM_FUNCTION(tr_load_if, 1, false)
#undef OPUS_MEM_FUNCTION
#undef OPUS_WARN_STRIDE
#endif

// -- in plain C++ ---------------------------------------------------------------------------------
//
// The first names of most kernels, so that the error says how to compile them.
#if !defined(__HIP__)
template <class... Args>
__attribute__((unavailable("opus::thread_id_x: " OPUS_HIP_MISSING))) index_t thread_id_x(Args...);
template <class... Args>
__attribute__((unavailable("opus::make_gmem: " OPUS_HIP_MISSING))) index_t make_gmem(Args...);
template <class... Args>
__attribute__((unavailable("opus::make_smem: " OPUS_HIP_MISSING))) index_t make_smem(Args...);
#endif

// == 16. mfma =====================================================================================
//
// One matrix instruction, or several along K. Main names: mfma, its aliases as
// mfma_f32_32x32x8_f16, their vtype_a, vtype_b, vtype_c. Look first at OPUS_MFMA_ROWS: an
// instruction is a row, with all that the code below knows of it. A call goes from operator() by
// call_mma (its form) and multiply (its operands and instructions) to mfma_issue (the builtin).

// -- instructions ---------------------------------------------------------------------------------

namespace impl {
// The elements of an operand: as kernels name them, and as registers and layouts hold them.
template <class T>
using mfma_dtype = __type_pack_element<__is_same(T, xf32_t), T, fp32_t>;
template <class T>
using mfma_element =
    __type_pack_element<OPUS_FP4_OPERANDS_OF_32_BYTES&& __is_same(T, fp4_t), mfma_dtype<T>, u8_t>;

// The element types of the instructions. The first five are the codes of the f8f6f4 formats (ISA
// guide, 7.1.5); formats_id stands for any of these, no_id for a type that no instruction takes.
inline constexpr index_t fp8_id = 0, bf8_id = 1, fp6_id = 2, bf6_id = 3, fp4_id = 4, fp64_id = 5,
                         fp32_id = 6, xf32_id = 7, fp16_id = 8, bf16_id = 9, i8_id = 10,
                         i32_id = 11, no_id = 12, formats_id = 13;
// The position of T in Types, or their number (no_id for the list below) if T is not one of them.
template <class T, class... Types>
inline constexpr index_t index_among = nth_position<__is_same(T, Types)...>(0);
template <class T>
inline constexpr index_t mfma_type_v = index_among<T, fp8_t, bf8_t, fp6_t, bf6_t, fp4_t, fp64_t,
                                                   fp32_t, xf32_t, fp16_t, bf16_t, i8_t, i32_t>;

// clang-format off
// Columns: name; builtin; A, B, C; M, which is N; K; blocks (independent products); passes on
// gfx942, on gfx950, 0 where the instruction is missing (a pass is 4 clocks of a SIMD). Sources:
// ISA guide, 7.1.2 and chapter 12, for gfx950; LLVM's scheduling model for gfx942. Register r of
// lane l holds (ISA guide, 7.1.4; n = elements of an operand in a lane's registers):
//                       A[row, k]; B with column for row  C[row, column]
//   32x32               A[l % 32, l / 32 * n + r]         C[r / 4 * 8 + l / 32 * 4 + r % 4, l % 32]
//   16x16               A[l % 16, l / 16 * n + r]         C[l / 16 * 4 + r, l % 16]
//   4x4, 16 blocks      A[l % 4, r] of block l / 4        C[r, l % 4] of block l / 4
//   32x32, 2 blocks     A[l % 32, r] of block l / 32      as 32x32, r % 16 for r, of block r / 16
//   16x16, 4 blocks     A[l % 16, r] of block l / 16      as 16x16, r % 4 for r, of block r / 4
//   fp64 16x16          A[l % 16, l / 16]                 C[r * 4 + l / 16, l % 16]
//   fp64 4x4, 4 blocks  A[l % 4, l / 16]                  C[l / 16, l % 4], both of block l / 4 % 4
// 8-bit operands of the f8f6f4 instructions differ: k = r / 16 * (K / 2) + l / M * 16 + r % 16.
#define OPUS_MFMA_ROWS(X)                                                               \
    X(f64_16x16x4_f64,     f64_16x16x4f64,       fp64, fp64, fp64, 16,  4,  1,  8, 16)  \
    X(f64_4x4x4_4b_f64,    f64_4x4x4f64,         fp64, fp64, fp64,  4,  4,  4,  4,  4)  \
    X(f32_32x32x2_f32,     f32_32x32x2f32,       fp32, fp32, fp32, 32,  2,  1, 16, 16)  \
    X(f32_16x16x4_f32,     f32_16x16x4f32,       fp32, fp32, fp32, 16,  4,  1,  8,  8)  \
    X(f32_32x32x1_2b_f32,  f32_32x32x1f32,       fp32, fp32, fp32, 32,  1,  2, 16, 16)  \
    X(f32_16x16x1_4b_f32,  f32_16x16x1f32,       fp32, fp32, fp32, 16,  1,  4,  8,  8)  \
    X(f32_4x4x1_16b_f32,   f32_4x4x1f32,         fp32, fp32, fp32,  4,  1, 16,  2,  2)  \
    X(f32_32x32x4_xf32,    f32_32x32x4_xf32,     xf32, xf32, fp32, 32,  4,  1,  8,  0)  \
    X(f32_16x16x8_xf32,    f32_16x16x8_xf32,     xf32, xf32, fp32, 16,  8,  1,  4,  0)  \
    X(f32_32x32x8_f16,     f32_32x32x8f16,       fp16, fp16, fp32, 32,  8,  1,  8,  8)  \
    X(f32_16x16x16_f16,    f32_16x16x16f16,      fp16, fp16, fp32, 16, 16,  1,  4,  4)  \
    X(f32_32x32x16_f16,    f32_32x32x16_f16,     fp16, fp16, fp32, 32, 16,  1,  0,  8)  \
    X(f32_16x16x32_f16,    f32_16x16x32_f16,     fp16, fp16, fp32, 16, 32,  1,  0,  4)  \
    X(f32_32x32x4_2b_f16,  f32_32x32x4f16,       fp16, fp16, fp32, 32,  4,  2, 16, 16)  \
    X(f32_16x16x4_4b_f16,  f32_16x16x4f16,       fp16, fp16, fp32, 16,  4,  4,  8,  8)  \
    X(f32_4x4x4_16b_f16,   f32_4x4x4f16,         fp16, fp16, fp32,  4,  4, 16,  2,  2)  \
    X(f32_32x32x8_bf16,    f32_32x32x8bf16_1k,   bf16, bf16, fp32, 32,  8,  1,  8,  8)  \
    X(f32_16x16x16_bf16,   f32_16x16x16bf16_1k,  bf16, bf16, fp32, 16, 16,  1,  4,  4)  \
    X(f32_32x32x16_bf16,   f32_32x32x16_bf16,    bf16, bf16, fp32, 32, 16,  1,  0,  8)  \
    X(f32_16x16x32_bf16,   f32_16x16x32_bf16,    bf16, bf16, fp32, 16, 32,  1,  0,  4)  \
    X(f32_32x32x4_2b_bf16, f32_32x32x4bf16_1k,   bf16, bf16, fp32, 32,  4,  2, 16, 16)  \
    X(f32_16x16x4_4b_bf16, f32_16x16x4bf16_1k,   bf16, bf16, fp32, 16,  4,  4,  8,  8)  \
    X(f32_4x4x4_16b_bf16,  f32_4x4x4bf16_1k,     bf16, bf16, fp32,  4,  4, 16,  2,  2)  \
    X(i32_32x32x16_i8,     i32_32x32x16_i8,      i8,   i8,   i32,  32, 16,  1,  8,  8)  \
    X(i32_16x16x32_i8,     i32_16x16x32_i8,      i8,   i8,   i32,  16, 32,  1,  4,  4)  \
    X(i32_32x32x32_i8,     i32_32x32x32_i8,      i8,   i8,   i32,  32, 32,  1,  0,  8)  \
    X(i32_16x16x64_i8,     i32_16x16x64_i8,      i8,   i8,   i32,  16, 64,  1,  0,  4)  \
    X(i32_32x32x4_2b_i8,   i32_32x32x4i8,        i8,   i8,   i32,  32,  4,  2, 16, 16)  \
    X(i32_16x16x4_4b_i8,   i32_16x16x4i8,        i8,   i8,   i32,  16,  4,  4,  8,  8)  \
    X(i32_4x4x4_16b_i8,    i32_4x4x4i8,          i8,   i8,   i32,   4,  4, 16,  2,  2)  \
    X(f32_32x32x16_fp8_fp8, f32_32x32x16_fp8_fp8, fp8,  fp8,  fp32, 32, 16,  1,  8,  8) \
    X(f32_32x32x16_fp8_bf8, f32_32x32x16_fp8_bf8, fp8,  bf8,  fp32, 32, 16,  1,  8,  8) \
    X(f32_32x32x16_bf8_fp8, f32_32x32x16_bf8_fp8, bf8,  fp8,  fp32, 32, 16,  1,  8,  8) \
    X(f32_32x32x16_bf8_bf8, f32_32x32x16_bf8_bf8, bf8,  bf8,  fp32, 32, 16,  1,  8,  8) \
    X(f32_16x16x32_fp8_fp8, f32_16x16x32_fp8_fp8, fp8,  fp8,  fp32, 16, 32,  1,  4,  4) \
    X(f32_16x16x32_fp8_bf8, f32_16x16x32_fp8_bf8, fp8,  bf8,  fp32, 16, 32,  1,  4,  4) \
    X(f32_16x16x32_bf8_fp8, f32_16x16x32_bf8_fp8, bf8,  fp8,  fp32, 16, 32,  1,  4,  4) \
    X(f32_16x16x32_bf8_bf8, f32_16x16x32_bf8_bf8, bf8,  bf8,  fp32, 16, 32,  1,  4,  4)

// clang-format on

// The rows' numbers, by name.
struct mfma_name {
#define OPUS_MFMA_NAME(name, ...) name,
    enum : index_t { OPUS_MFMA_ROWS(OPUS_MFMA_NAME) count };
    static constexpr index_t f8f6f4_16x16x128 = count;
    static constexpr index_t f8f6f4_32x32x64 = f8f6f4_16x16x128 + 1;
    static constexpr index_t none = -1;
};

// A row of the table. K is that of the instruction's name.
struct mfma_facts {
    index_t name, a, b, c, m, k, blocks, passes_on_gfx942, passes_on_gfx950;

    // Whether the target of this pass has the instruction.
    constexpr bool available() const {
        return OPUS_ON(passes_on_gfx942, passes_on_gfx950, 0, passes_on_gfx942 + passes_on_gfx950);
    }
};
#define OPUS_MFMA_FACTS(name, builtin, A, B, C, ...) \
    {mfma_name::name, A##_id, B##_id, C##_id, __VA_ARGS__},
template <class Facts>
inline constexpr Facts mfma_rows[] = {
    OPUS_MFMA_ROWS(OPUS_MFMA_FACTS)
    // Twice as many passes if an operand has 8 bits.
    {mfma_name::f8f6f4_16x16x128, formats_id, formats_id, fp32_id, 16, 128, 1, 0, 4},
    {mfma_name::f8f6f4_32x32x64, formats_id, formats_id, fp32_id, 32, 64, 1, 0, 8},
};

// The instruction that an mfma of this K consists of: the one with the largest K that divides it,
// preferably one that the target has; `none`, with this K, if there is none. Of the instructions of
// several blocks, only 4x4 repeats along K: others differ from those of one block in K alone.
template <class Facts>
constexpr Facts mfma_find(index_t a, index_t b, index_t c, index_t m, index_t n, index_t k) {
    Facts best{mfma_name::none, a, b, c, m, k, 1, 0, 0};
    index_t best_rank = 0;
    const index_t formats = a <= fp4_id && b <= fp4_id ? formats_id : mfma_name::none;
    for (const Facts& x : mfma_rows<Facts>) {
        if (x.m == m && m == n && x.c == c && ((x.a == a && x.b == b) || x.a == formats) &&
            k % x.k == 0 && (x.k == k || x.blocks == 1 || m == 4)) {
            const index_t rank = (x.available() ? 1000 : 0) + x.k;
            if (rank > best_rank) {
                best = x;
                best_rank = rank;
            }
        }
    }
    if (best.a == formats_id && (a <= bf8_id || b <= bf8_id)) {
        best.passes_on_gfx950 *= 2;
    }
    return best;
}
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK>
struct mfma_row {
    static constexpr mfma_facts facts =
        mfma_find<mfma_facts>(mfma_type_v<A>, mfma_type_v<B>, mfma_type_v<C>, WaveM, WaveN, WaveK);
    static constexpr index_t name = facts.name, k = facts.k, blocks = facts.blocks,
                             passes_on_gfx942 = facts.passes_on_gfx942,
                             passes_on_gfx950 = facts.passes_on_gfx950;
    static constexpr bool exists = name != mfma_name::none;
    static constexpr bool available = facts.available();
    // Whether it is an f8f6f4 instruction, which has formats instead of controls, and scales.
    static constexpr bool has_formats = name >= mfma_name::f8f6f4_16x16x128;
};

// Operand A or B as the builtins take it: bytes as integers, four bf16 as shorts, a single element
// as a scalar, others unchanged. Operands of the f8f6f4 instructions always have eight registers;
// the instruction reads the first 8, 6 or 4 of them.
template <class T, index_t Elements, bool HasFormats>
using mfma_registers =
    __type_pack_element<HasFormats                              ? 3
                        : sizeof(T) == 1 && Elements <= 16      ? Elements / 8
                        : Elements == 4 && is_same_v<T, bf16_t> ? 4
                        : Elements == 1                         ? 5
                                                                : 6,
                        i32_t, i64_t, i32x4_t, i32x8_t, i16x4_t, T, vector_t<T, Elements>>;

// -- operands -------------------------------------------------------------------------------------

// The part of an operand that step Step of Steps gets, and zeros behind it for the builtin.
template <class Operand, index_t Step, index_t Steps, class V>
OPUS_D Operand mfma_part(const V& v) {
    if constexpr (Steps == 1 && sizeof(V) == sizeof(Operand)) {
        return __builtin_bit_cast(Operand, v);
    } else {
        // A vector of 12 elements has the size of one of 16.
        constexpr index_t count = size<V>() * sizeof_bits_v<get_value_t<V>> / 32 / Steps;
        constexpr index_t n = sizeof(V) / 4;
        using vector = __type_pack_element<(sizeof(V) == sizeof(vector_t<i32_t, n>)),
                                           array<i32_t, n>, vector_t<i32_t, n>>;
        const auto words = __builtin_bit_cast(vector, v);
        return [&]<index_t... Is>(seq<Is...>) {
            return __builtin_bit_cast(Operand,
                                      vector_t<i32_t, sizeof...(Is)>{
                                          (Is < count ? words[Step * count + Is % count] : 0)...});
        }(make_index_seq<sizeof(Operand) / 4>{});
    }
}

// a * b + c by one instruction, step Step of the Mma's. If it swaps A and B, the builtin gets (b,
// a). Its name is looked up only where the row is used, so that a compiler or target without it can
// still read the table.
#define OPUS_MFMA_ISSUE(name, builtin, ...)                                                \
    if constexpr (id == index_t{mfma_name::name}) {                                        \
        return __builtin_amdgcn_mfma_##builtin(first, second, c, Knobs::cbsz, Knobs::abid, \
                                               Knobs::blgp);                               \
    }
#define OPUS_MFMA_ISSUE_FORMATS(shape)                                           \
    if constexpr (id == mfma_name::f8f6f4_##shape) {                             \
        return __builtin_amdgcn_mfma_scale_f32_##shape##_f8f6f4(                 \
            first, second, c, instruction::fmt_a, instruction::fmt_b,            \
            swapped ? Knobs::sel_b : Knobs::sel_a, swapped ? knobs.b : knobs.a,  \
            swapped ? Knobs::sel_a : Knobs::sel_b, swapped ? knobs.a : knobs.b); \
    }
template <class Mma, index_t Step, class Va, class Vb, class Vc, class Knobs>
OPUS_D Vc mfma_issue(const Va& all_a, const Vb& all_b, const Vc& all_c,
                     [[maybe_unused]] const Knobs& knobs) {
    using instruction = typename Mma::instruction;
    using row = typename instruction::row;
    constexpr index_t id = row::name;
    constexpr bool swapped = Mma::is_swapped;
    using operand =
        mfma_registers<typename Mma::dtype_a, Mma::elem_a / Mma::steps, row::has_formats>;
    const operand parts[] = {mfma_part<operand, Step, Mma::steps>(all_a),
                             mfma_part<operand, Step, Mma::steps>(all_b)};
    const operand first = parts[swapped], second = parts[!swapped];  // of the builtin
    using vtype_c = typename Mma::vtype_c;
    using accumulator = __type_pack_element<Mma::elem_c == 1, vtype_c, typename Mma::dtype_c>;
    const auto c = __builtin_bit_cast(accumulator, all_c);
    OPUS_MFMA_ROWS(OPUS_MFMA_ISSUE)
    OPUS_MFMA_ISSUE_FORMATS(16x16x128)  // cbsz and blgp are the formats
    OPUS_MFMA_ISSUE_FORMATS(32x32x64)
    static_assert(row::exists, "opus::mfma: an instruction without builtin");
}

// Whether T is taken for a scale: a word of E8M0 bytes.
template <class T>
inline constexpr bool is_scale_v = is_any_of_v<T, i32_t, u32_t, u8_t, e8m0_t> || is_constant_v<T>;
// That of an mma's operand number Idx: there may be one for all, or one for each.
template <index_t Idx, class Scale>
OPUS_D int scale_word(const Scale& scale) {
    if constexpr (has_elements_v<Scale>) {
        return scale_word<Idx>(scale[Idx]);
    } else if constexpr (is_same_v<Scale, e8m0_t>) {
        return scale.value;
    } else {
        static_assert(is_scale_v<Scale>,
                      "opus::mfma: a scale is a word of E8M0 bytes (127 is 1.0): i32_t, u32_t, "
                      "u8_t or e8m0_t");
        return static_cast<int>(scale);
    }
}
// What a caller passes as an operand, and what the instruction takes: for errors to print both.
template <class T>
struct operand_given;
template <class T>
struct operand_wanted;
template <class Given, class Wanted>
inline constexpr bool fits_v = false;
#define OPUS_CHECK_OPERAND(given, wanted, what)                                           \
    static_assert(Operand != 'A' || fits_v<operand_given<given>, operand_wanted<wanted>>, \
                  "opus::mfma: operand A " what);                                         \
    static_assert(Operand != 'B' || fits_v<operand_given<given>, operand_wanted<wanted>>, \
                  "opus::mfma: operand B " what);                                         \
    static_assert(Operand != 'C' || fits_v<operand_given<given>, operand_wanted<wanted>>, \
                  "opus::mfma: operand C " what)
// Whether T is a part of a tile in registers (17.1), which stands for the vector it refers to.
template <class T>
struct is_tile_part : false_type {};

// The element type and the number of elements of a tile in registers.
template <class X>
struct tile_traits : vector_traits<X> {};
template <class V, index_t Count>
struct tile_traits<array<V, Count>> {
    using dtype = get_value_t<V>;
    static constexpr index_t size() { return Count * vector_traits<V>::size(); }
};

// An operand as Count vectors V, one for each instruction. x may be a vector or an array of all
// elements, the registers of f8f6f4 operands (i32x8_t for each), the bits of another vector or
// array of the same size, or of an integer; C may be one number for all elements. For anything else
// an error says why; behind a wrong operand (of type Before) the next is not looked at.
struct wrong_operand {};
template <char Operand, class V, index_t Count, class Mma, class Before = void, class X>
OPUS_D auto mma_operand(const X& x) {
    using all = array<V, Count>;
    using from = typename tile_traits<X>::dtype;
    using to = get_value_t<V>;
    constexpr index_t size = tile_traits<X>::size();
    constexpr bool has_bits =
        sizeof(X) == sizeof(all) &&
        (has_elements_v<X> || (is_integer_v<X> && vector_traits<V>::size() > 1));
    // Integers may be the bits of a format, another format not. (A compiler may have two names for
    // fp16, and clang 19 treats bf16 as an integer.)
    constexpr bool has_format = __is_same(from, to) || (is_fp16_v<from> && is_fp16_v<to>) ||
                                __is_same(from, unsigned short) ||
                                !(is_float_v<from> || is_fp16_v<from> || __is_same(from, e8m0_t));
    if constexpr (is_same_v<Before, wrong_operand>) {
        return wrong_operand{};
    } else if constexpr (is_tile_part<X>::value) {
        return mma_operand<Operand, V, Count, Mma>(x.get());
    } else if constexpr (Operand == 'C' && __is_arithmetic(X)) {
        return tile_pieces<V, Count>(static_cast<to>(x));
    } else if constexpr (is_same_v<from, to> && size == Count * vector_traits<V>::size()) {
        return tile_pieces<V, Count>(x);
    } else if constexpr (Operand != 'C' && Mma::row::has_formats && Mma::steps == 1 &&
                         is_same_v<from, i32_t> && size == Count * 8) {
        return __builtin_bit_cast(array<i32x8_t, Count>, x);
    } else if constexpr (has_bits && has_format) {
        return __builtin_bit_cast(all, x);
    } else {
        if constexpr (has_bits) {
            OPUS_CHECK_OPERAND(from, to,
                               "has elements of another floating-point type than the instruction "
                               "takes (cast it; a vector of integers of that size is taken as its "
                               "bits)");
        } else if constexpr (Mma::is_tiled) {
            OPUS_CHECK_OPERAND(X, all,
                               "of a tile must have tile_a_len (tile_b_len, tile_c_len) elements "
                               "of the operand's type, as a vector or as an array of vectors, or "
                               "be another vector or array of that size");
        } else if constexpr (is_array_v<X>) {
            OPUS_CHECK_OPERAND(X, V,
                               "is an array that must have the operand's elements, all of them");
        } else {
            OPUS_CHECK_OPERAND(X, V,
                               "must be the instruction's vector (vtype_a, vtype_b, vtype_c), a "
                               "vector of its size, an array with its elements, or for f8f6f4 an "
                               "i32x8_t");
        }
        return wrong_operand{};
    }
}
#undef OPUS_CHECK_OPERAND

// Number Idx of the instructions of an mma, of which those from FirstK on are issued: its k and its
// step, and the numbers of its operands.
template <class Mma, index_t Idx, index_t FirstK>
struct mma_instruction {
    static constexpr index_t step = Idx % Mma::steps;
    static constexpr index_t c = Idx / Mma::steps % (Mma::expd_m * Mma::expd_n);
    static constexpr index_t k = Idx / (Mma::steps * Mma::expd_m * Mma::expd_n);
    static constexpr index_t a = c / Mma::expd_n * Mma::expd_k + k;
    static constexpr index_t b = c % Mma::expd_n * Mma::expd_k + k;
    static constexpr bool is_first = k == FirstK && step == 0;  // with the caller's C
};
template <class... Instructions>
struct mma_list {};
template <class Mma, index_t FirstK, index_t... Is>
constexpr mma_list<mma_instruction<Mma, Is, FirstK>...> mma_instructions(seq<Is...>) {
    return {};
}

// What a call passes behind its operands: the controls of its instructions, or their scales.
template <index_t Cbsz = 0, index_t Abid = 0, index_t Blgp = 0>
struct mma_controls {
    static constexpr index_t cbsz = Cbsz;
    static constexpr index_t abid = Abid;
    static constexpr index_t blgp = Blgp;
    // No scales.
    static constexpr index_t sel_a = 0;
    static constexpr index_t sel_b = 0;
    static constexpr int a = 0;
    static constexpr int b = 0;

    constexpr mma_controls(number<Cbsz> = {}, number<Abid> = {}, number<Blgp> = {}) {}
    template <class Mma>
    static constexpr bool check() {
        if constexpr (Mma::row::has_formats) {
            static_assert(Cbsz == 0 && Abid == 0 && Blgp == 0,
                          "opus::mfma: the f8f6f4 instructions have no cbsz, abid and blgp; their "
                          "types are the formats, and scales are ints");
        } else if constexpr (is_same_v<typename Mma::dtype_a, fp64_t>) {
            static_assert(Cbsz == 0 && Abid == 0,
                          "opus::mfma: the fp64 instructions have no cbsz and abid");
        } else {
            static_assert(Cbsz >= 0 && (1 << Cbsz) <= Mma::blocks,
                          "opus::mfma: 2^cbsz blocks get the same part of A, so cbsz is at most "
                          "the logarithm of the instruction's blocks");
            if constexpr (Cbsz >= 0) {
                static_assert(Abid >= 0 && Abid < (1 << Cbsz),
                              "opus::mfma: abid is 0 .. 2^cbsz - 1");
            }
        }
        static_assert(Blgp >= 0 && Blgp < 8, "opus::mfma: blgp is 0 .. 7");
        return Mma::check_target();
    }
    // Those of one instruction. They act on its first and second operands, even if A and B are
    // swapped. For fp64, bit 2 of blgp negates C: only the caller's.
    template <class Wave, class Instruction>
    OPUS_D auto of_instruction() const {
        constexpr bool keeps_c =
            is_same_v<typename Wave::dtype_a, fp64_t> && !Instruction::is_first;
        return mma_controls<Cbsz, Abid, keeps_c ? Blgp & 3 : Blgp>{};
    }
};
template <class Sa, class Sb, index_t SelA = 0, index_t SelB = 0>
struct mma_scales {
    static constexpr index_t sel_a = SelA;
    static constexpr index_t sel_b = SelB;
    Sa a;
    Sb b;

    constexpr mma_scales(const Sa& scale_a, const Sb& scale_b, number<SelA> = {}, number<SelB> = {})
        : a(scale_a), b(scale_b) {}
    template <class Mma>
    static constexpr bool check() {
        constexpr bool counts = (!has_elements_v<Sa> || size<Sa>() == Mma::expd_m * Mma::expd_k) &&
                                (!has_elements_v<Sb> || size<Sb>() == Mma::expd_n * Mma::expd_k);
        constexpr index_t steps = Mma::steps;
        constexpr bool selects = SelA >= 0 && SelA + steps <= 4 && SelB >= 0 && SelB + steps <= 4;
        static_assert(counts,
                      "opus::tiled_mma: the scales must be one integer, or an array of as many as "
                      "the tile has operands");
        static_assert(Mma::row::has_formats,
                      "opus::mfma: scales are for the f8f6f4 instructions of gfx950, 32x32x64 and "
                      "16x16x128 of fp8, bf8, fp6, bf6 and fp4; the target is " OPUS_TARGET_NAME);
        static_assert(SelA >= 0 && SelA + steps <= 4 && SelB >= 0 && SelB + steps <= 4,
                      "opus::mfma: sel_a and sel_b are bytes 0 .. 3 of the scales' words, and each "
                      "step needs one");
        if constexpr (counts && Mma::row::has_formats && selects) {
            return Mma::check_target();
        }
        return false;
    }
    // Those of one instruction, in VGPRs; each step takes the next byte. Of two constant zeros, the
    // compiler makes the instruction without scales. Clang before 22.1 does not know that the
    // hardware would read an inline constant or an SGPR as a float (llvm#158117): there, a value
    // that it cannot see replaces them.
    template <class Wave, class Instruction>
    OPUS_D auto of_instruction() const {
        int word_a = scale_word<Instruction::a>(a);
        int word_b = scale_word<Instruction::b>(b);
#if __clang_major__ * 100 + __clang_minor__ < 2201
        const bool zeros = __builtin_constant_p(word_a | word_b) & ((word_a | word_b) == 0);
        int hidden_a = word_a;
        int hidden_b = word_b;
        asm("" : "+v"(hidden_a));
        asm("" : "+v"(hidden_b));
        word_a = zeros ? 0 : hidden_a;
        word_b = zeros ? 0 : hidden_b;
#endif
        return mma_scales<int, int, SelA + Instruction::step, SelB + Instruction::step>(word_a,
                                                                                        word_b);
    }
};

// A use of a product that LLVM does not move and that makes no instruction. Without it, a product
// may sink behind a loop that follows, and out of its set_priority() and keep_order().
OPUS_H_D_EXTERN int used_here(int, const char*, const char*, int) __asm("llvm.annotation.i32.p0");

// a * b + c, by one instruction of the mma after the other.
template <class Mma, class... Is, class Va, class Vb, class Vc, class Knobs>
OPUS_D typename Mma::vtype_c multiply(mma_list<Is...>, const Va& a, const Vb& b, const Vc& c,
                                      const Knobs& knobs) {
    using wave = typename Mma::wave;
    constexpr index_t m = Mma::expd_m, n = Mma::expd_n, k = Mma::expd_k;
    if constexpr (Knobs::template check<Mma>()) {
        auto as = mma_operand<'A', typename wave::vtype_a, m * k, Mma>(a);
        auto bs = mma_operand<'B', typename wave::vtype_b, n * k, Mma, decltype(as)>(b);
        auto cs = mma_operand<'C', typename wave::vtype_c, m * n, Mma, decltype(bs)>(c);
        if constexpr (!is_same_v<decltype(cs), wrong_operand>) {
            ((cs[Is::c] = mfma_issue<wave, Is::step>(as[Is::a], bs[Is::b], cs[Is::c],
                                                     knobs.template of_instruction<wave, Is>())),
             ...);
            (used_here(static_cast<int>(cs[Is::c][0]), nullptr, nullptr, 0), ...);
            if constexpr (Mma::is_tiled) {
                return make_tile(cs);
            } else {
                return cs[0];
            }
        }
    }
    return {};  // behind an error
}
// Whether X is a scale of this mma and not its C (of which a tile may be integers).
template <class Mma, class X>
inline constexpr bool is_scale_of_v =
    Mma::is_tiled ? is_scale_v<typename tile_traits<X>::dtype> &&
                        !is_same_v<typename tile_traits<X>::dtype, typename Mma::dtype_c>
                  : is_scale_v<X>;
// The forms of a call, for the instructions from k = FirstK to EndK - 1. Constants behind c are
// controls; two scales may come behind c or in its place, and constants behind them select bytes.
template <class Mma, index_t FirstK = 0, index_t EndK = 1, class Va, class Vb,
          class X = typename Mma::dtype_c, class... More>
OPUS_D auto call_mma(const Va& a, const Vb& b, const X& x = {}, const More&... more) {
    // Those from k = FirstK to EndK - 1, in the order in which they are issued.
    constexpr index_t per_k = Mma::expd_m * Mma::expd_n * Mma::steps;
    constexpr auto all =
        mma_instructions<Mma, FirstK>(make_index_seq<FirstK * per_k, EndK * per_k>{});
    constexpr index_t count = sizeof...(More);
    constexpr bool constants = (is_constant_v<More> && ...);
    // Whether what comes behind the scales is at most two numbers, which select their bytes.
    constexpr auto selects = [](index_t scales) {
        constexpr auto numbers_before = count_before<is_constant_v<More>...>;
        const index_t numbers = numbers_before(count) - numbers_before(scales);
        return numbers == count - scales && numbers <= 2;
    };
    if constexpr (count == 0 || (constants && count <= 3 && !is_scale_of_v<Mma, X>)) {
        return multiply<Mma>(all, a, b, x, mma_controls(more...));
    } else if constexpr (is_scale_of_v<Mma, X> && selects(1)) {
        return multiply<Mma>(all, a, b, typename Mma::dtype_c{}, mma_scales(x, more...));
    } else if constexpr (count >= 2 && selects(2)) {
        return multiply<Mma>(all, a, b, x, mma_scales(more...));
    } else {
        static_assert(false,
                      "opus::mfma: takes (a, b), (a, b, c), (a, b, c, cbsz, abid, blgp) with "
                      "numbers, or both scales: (a, b, c, scale_a, scale_b), also with a number "
                      "for each; c is a vtype_c");
        return typename Mma::vtype_c{};
    }
}
}  // namespace impl

// A matrix instruction of a wave, C[M,N] = A[M,K] * B[K,N] + C, or several along K if none has that
// K. With `blocks` > 1 it makes that many independent products of the shape. Each lane holds
// elem_a, elem_b and elem_c elements; docs/matrix-cores.md and the adaptors below say which.
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK,
          index_t WarpSize = arch_traits::warp_size>
struct mfma {
    static_assert(WarpSize == 64, "opus::mfma: waves of these targets have 64 lanes");
    static_assert(WaveM > 0 && WaveN > 0 && WaveK > 0, "opus::mfma: M, N and K must be at least 1");
    // The instruction, and how often it is issued.
    using row = impl::mfma_row<A, B, C, WaveM, WaveN, WaveK>;
    static_assert(row::exists,
                  "opus::mfma: no target has an instruction of these types and M, N and K, or with "
                  "a K that divides this one (docs/matrix-cores.md lists them, and OPUS_MFMA_ROWS "
                  "in opus.hpp does)");
    static constexpr index_t steps = WaveK / row::k;
    static constexpr index_t blocks = row::blocks;
    static constexpr bool available = row::available;
    // Whether it can be called with scales.
    static constexpr bool has_scales = row::has_formats && available;

    using dtype_a = impl::mfma_dtype<A>;
    using dtype_b = impl::mfma_dtype<B>;
    using dtype_c = C;
    static constexpr index_t wave_m = WaveM;
    static constexpr index_t wave_n = WaveN;
    static constexpr index_t wave_k = WaveK;
    static constexpr index_t warp_size = WarpSize;
    static constexpr index_t elem_a = WaveM * WaveK * blocks / WarpSize;
    static constexpr index_t elem_b = WaveN * WaveK * blocks / WarpSize;
    static constexpr index_t elem_c = WaveM * WaveN * blocks / WarpSize;
    using vtype_a = vector_t<impl::mfma_element<A>, elem_a>;
    using vtype_b = vector_t<impl::mfma_element<B>, elem_b>;
    using vtype_c = vector_t<dtype_c, elem_c>;
    static_assert(steps == 1 || (is_same_v<get_value_t<vtype_a>, dtype_a> &&
                                 is_same_v<get_value_t<vtype_b>, dtype_b>),
                  "opus::mfma: with OPUS_FP4_OPERANDS_OF_32_BYTES = 1 an fp4 operand is of one "
                  "instruction (K 128 for 16x16, 64 for 32x32; repeat it in a tiled mma)");
    // The codes of the formats in the f8f6f4 instructions; -1 for types that they do not take.
    static constexpr index_t fmt_a = impl::is_small_v<A> ? impl::mfma_type_v<A> : -1;
    static constexpr index_t fmt_b = impl::is_small_v<B> ? impl::mfma_type_v<B> : -1;

    // (a, b), (a, b, c), (a, b, c, cbsz, abid, blgp): a * b + c. In each group of 2^cbsz
    // neighbouring blocks, block number abid gives its A to all (ISA guide, table 89). blgp
    // permutes the lanes of B (7.1.6.3); for fp64, the bits of blgp negate A, B and C.
    //
    // (a, b, c, scale_a, scale_b, sel_a, sel_b), with or without c and the last two: with a scale
    // for each row of A (column of B) and 32 consecutive k. It is an E8M0 number (127 is 1.0) in
    // byte sel of the lane's word. Lane l has the scale of row (column) l % M and k-block l / M. If
    // there are several steps, step n takes byte sel + n. If both scales are the constant 0 (which
    // optimised code sees in an int, too), the instruction without scales is issued.
    template <class Va, class Vb, class... More>
    OPUS_D vtype_c operator()(const Va& a, const Vb& b, const More&... more) const {
        return impl::call_mma<mfma>(a, b, more...);
    }

    // -- what the calls above need; not for users --
    using instruction = mfma;
    using wave = mfma;
    static constexpr bool is_swapped = false, is_tiled = false;
    static constexpr index_t expd_m = 1, expd_n = 1, expd_k = 1;

    static constexpr bool check_target() {
#if !defined(__HIP__)
        static_assert(false, "opus::mfma: " OPUS_HIP_MISSING);
        return false;
#else
        static_assert(
            available || row::passes_on_gfx942 != 0,
            "opus::mfma: this instruction exists on gfx950; the target is " OPUS_TARGET_NAME);
        static_assert(
            available || row::passes_on_gfx950 != 0,
            "opus::mfma: this instruction exists on gfx942; the target is " OPUS_TARGET_NAME);
        static_assert(available || row::passes_on_gfx942 == 0 || row::passes_on_gfx950 == 0,
                      "opus::mfma: this instruction exists on gfx942 and gfx950; the target "
                      "is " OPUS_TARGET_NAME);
        return available;
#endif
    }
};

// Names for the rows of the table, mfma_ with the row's name: mfma_f32_32x32x8_f16.
#define OPUS_MFMA_ALIAS(name, builtin, A, B, C, M, K, ...) \
    using mfma_##name = mfma<A##_t, B##_t, C##_t, M, M, K>;
OPUS_MFMA_ROWS(OPUS_MFMA_ALIAS)

// Those of any two formats, which may have scales: mfma_f32_16x16x128_f8f6f4<fp8_t, fp4_t>.
template <class A, class B>
using mfma_f32_16x16x128_f8f6f4 = mfma<A, B, fp32_t, 16, 16, 128>;
template <class A, class B>
using mfma_f32_32x32x64_f8f6f4 = mfma<A, B, fp32_t, 32, 32, 64>;
template <class A, class B>
using mfma_scale_f32_16x16x128_f8f6f4 = mfma_f32_16x16x128_f8f6f4<A, B>;
template <class A, class B>
using mfma_scale_f32_32x32x64_f8f6f4 = mfma_f32_32x32x64_f8f6f4<A, B>;
using mfma_f32_16x16x128_fp8_fp8 = mfma_f32_16x16x128_f8f6f4<fp8_t, fp8_t>;
using mfma_f32_16x16x128_fp4_fp4 = mfma_f32_16x16x128_f8f6f4<fp4_t, fp4_t>;
using mfma_f32_32x32x64_fp8_fp8 = mfma_f32_32x32x64_f8f6f4<fp8_t, fp8_t>;
using mfma_f32_32x32x64_fp4_fp4 = mfma_f32_32x32x64_f8f6f4<fp4_t, fp4_t>;
using mfma_scale_f32_16x16x128_fp8_fp8 = mfma_f32_16x16x128_fp8_fp8;
using mfma_scale_f32_16x16x128_fp4_fp4 = mfma_f32_16x16x128_fp4_fp4;
using mfma_scale_f32_32x32x64_fp8_fp8 = mfma_f32_32x32x64_fp8_fp8;
using mfma_scale_f32_32x32x64_fp4_fp4 = mfma_f32_32x32x64_fp4_fp4;

#undef OPUS_MFMA_ROWS
#undef OPUS_MFMA_NAME
#undef OPUS_MFMA_FACTS
#undef OPUS_MFMA_ISSUE
#undef OPUS_MFMA_ISSUE_FORMATS
#undef OPUS_MFMA_ALIAS

// == 17. adaptors =================================================================================
//
// An adaptor says how the operands of a matrix instruction lie across the lanes of a wave (p) and
// in the registers of a lane (y). From this it makes layouts for any strides in memory.
//
// Main names: make_mfma, mfma_adaptor, mfma_adaptor_swap_ab, layout_a, layout_b, layout_c. Look
// first at the table over mfma_with_layouts.

// For the body of an adaptor that has shape_x() and dim_x() for x = a, b, c. It defines layout_a,
// layout_b, layout_c, layout_a_packed, layout_b_packed, layout_c_packed, y_shape_a, y_shape_b,
// y_shape_c, p_shape_a, p_shape_b, p_shape_c, y_layout_a, y_layout_b, y_layout_c:
//   layout_x<cached_vec>([x_stride [, p_coord]])  this lane's part of a tensor with these strides
//   layout_x<cached_vec>(x_stride, thread)        the same with p_coord_x(thread) of the adaptor
//   layout_x_packed<cached_vec>(p_coord)          the same for a packed row-major tensor
//   y_shape_x(), p_shape_x()                      the extents in registers, across lanes
//   y_layout_x<cached_vec>()                      the registers' own packed layout
#define OPUS_ADAPTOR_LAYOUT_API_DEFINE \
    OPUS_ADAPTOR_LAYOUT_API_OPERAND(a) \
    OPUS_ADAPTOR_LAYOUT_API_OPERAND(b) \
    OPUS_ADAPTOR_LAYOUT_API_OPERAND(c)

#define OPUS_ADAPTOR_LAYOUT_API_OPERAND(x)                                                         \
    template <::opus::index_t cached_vec = 0, class Stride = ::opus::impl::not_given,              \
              class Lane = ::opus::impl::not_given>                                                \
    constexpr auto layout_##x(const Stride& x_stride = {}, const Lane& lane = {},                  \
                              ::opus::impl::caller at = {}) const {                                \
        return ::opus::impl::adaptor_layout<cached_vec>(::opus::impl::operand_##x{at}, *this,      \
                                                        x_stride, lane);                           \
    }                                                                                              \
    template <::opus::index_t cached_vec = 0, class Coord>                                         \
    constexpr auto layout_##x##_packed(const Coord& p_coord, ::opus::impl::caller at = {}) const { \
        return this->template layout_##x<cached_vec>(::opus::impl::not_given{}, p_coord, at);      \
    }                                                                                              \
    constexpr auto y_shape_##x() const {                                                           \
        return ::opus::impl::adaptor_y_shape<::opus::impl::operand_##x>(*this);                    \
    }                                                                                              \
    constexpr auto p_shape_##x() const {                                                           \
        return ::opus::pickup_shape(this->shape_##x(), this->dim_##x(), ::opus::p_dim{});          \
    }                                                                                              \
    template <::opus::index_t cached_vec = 0>                                                      \
    constexpr auto y_layout_##x() const {                                                          \
        return ::opus::make_layout<cached_vec>(this->y_shape_##x());                               \
    }

namespace impl {
// Whether T can be the index of a thread, which may be passed in place of a p_coord.
template <class T>
inline constexpr bool is_thread_v = __is_convertible(T, index_t) && !__is_floating_point(T);
struct not_given {};
// The dims of a lane's layout, their extents, and what belongs to each x-dim and p-dim: as the
// adaptor has them. C of a tile has others (section 17.1).
template <class Operand, class Adaptor, class = int>
struct lane_dims {
    using dim = typename Operand::template dim<Adaptor>;
    static constexpr auto shape(const Adaptor& adaptor) { return Operand::shape(adaptor); }
    template <class Stride>
    static constexpr Stride stride(const Stride& x_stride) {
        return x_stride;
    }
    template <class Coord>
    static constexpr Coord coord(const Coord& p_coord) {
        return p_coord;
    }
};
template <class Operand, class Adaptor>
inline constexpr index_t p_count_v =
    tuple_count_v<p_dim, flat_dim_t<typename lane_dims<Operand, Adaptor>::dim>>;
// Whether layout_x of the adaptor takes these arguments; if not, an error says why.
template <class Operand, class Adaptor, class Stride, class Lane>
constexpr bool check_layout() {
    using dim = typename Operand::template dim<Adaptor>;
    constexpr index_t rank = dim_groups<dim>::rank;
    constexpr index_t strides = is_same_v<Stride, not_given> ? rank : tuple_size_v<Stride>;
    static_assert(strides == rank,
                  "opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple "
                  "with one for each dimension of the operand (two; of an instruction of several "
                  "blocks three)");
    constexpr index_t count = p_count_v<Operand, Adaptor>;
    constexpr index_t entries =
        is_thread_v<Lane> || is_same_v<Lane, not_given> ? count : tuple_size_v<Lane>;
    static_assert(entries == count,
                  "opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be "
                  "the index of a thread (an integer) or a p_coord (a tuple with an entry for each "
                  "p-dim)");
    if constexpr (strides != rank || entries != count) {
        return false;
    } else if constexpr (is_thread_v<Lane>) {
        return Operand::template check_p_coord<Adaptor, Lane>(0);
    } else {
        return true;
    }
}
// Where they are refused, the layout of this lane is returned, so that no error follows.
template <class Operand, class Adaptor>
using some_p_coord = tuple_array<index_t, p_count_v<Operand, Adaptor>>;
// The members of an adaptor that belong to one operand. check_p_coord: whether it has p_coord_x.
#define OPUS_OPERAND(x)                                                                          \
    struct operand_##x {                                                                         \
        template <class Adaptor>                                                                 \
        using dim = decltype(static_cast<const Adaptor*>(nullptr)->dim_##x());                   \
        template <class Adaptor>                                                                 \
        static constexpr auto shape(const Adaptor& adaptor) {                                    \
            return adaptor.shape_##x();                                                          \
        }                                                                                        \
        template <class Adaptor, class Thread,                                                   \
                  class = decltype(static_cast<const Adaptor*>(nullptr)->p_coord_##x(Thread{}))> \
        static constexpr bool check_p_coord(int) {                                               \
            return true;                                                                         \
        }                                                                                        \
        template <class Adaptor, class Thread>                                                   \
        static constexpr bool check_p_coord(long) {                                              \
            static_assert(false, "opus::partition_layout_" #x ", layout_" #x                     \
                                 ": for the index of a thread the adaptor must have p_coord_" #x \
                                 "(thread) (or pass a p_coord, a tuple)");                       \
            return false;                                                                        \
        }                                                                                        \
        template <class Adaptor, class Lane>                                                     \
        static constexpr auto p_coord(const Adaptor& adaptor, const Lane& lane) {                \
            if constexpr (is_thread_v<Lane>) {                                                   \
                return adaptor.p_coord_##x(lane);                                                \
            } else {                                                                             \
                return lane;                                                                     \
            }                                                                                    \
        }                                                                                        \
        caller at; /* who asks for a layout */                                                   \
    };
OPUS_OPERAND(a)
OPUS_OPERAND(b)
OPUS_OPERAND(c)
#undef OPUS_OPERAND

template <index_t cached_vec, class Operand, class Adaptor, class Stride, class Lane>
constexpr auto adaptor_layout([[maybe_unused]] const Operand& operand, const Adaptor& adaptor,
                              const Stride& x_stride, const Lane& lane) {
    using dim = typename Operand::template dim<Adaptor>;
    if constexpr (!check_layout<Operand, Adaptor, Stride, Lane>()) {
        return adaptor_layout<cached_vec>(operand, adaptor, not_given{},
                                          some_p_coord<Operand, Adaptor>{});
    } else if constexpr (is_same_v<Stride, not_given>) {
        using groups = dim_groups<dim>;
        const auto shape = Operand::shape(adaptor);
        const auto extents = [&]<index_t... Gs>(seq<Gs...>) {
            return make_tuple(
                product_at(shape, make_index_seq<groups::begin(Gs), groups::begin(Gs + 1)>{})...);
        }(make_index_seq<groups::rank>{});
        return adaptor_layout<cached_vec>(operand, adaptor, packed_shape_to_stride(extents), lane);
    } else if constexpr (is_same_v<Lane, not_given>) {
        const auto shape = Operand::shape(adaptor);
        return make_layout<cached_vec>(shape, unfold_x_stride(dim_groups<dim>{}, shape, x_stride));
    } else {
        if constexpr (is_thread_v<Lane>) {
            check_thread(adaptor, lane, operand.at);
        }
        using dims = lane_dims<Operand, Adaptor>;
        constexpr dim_groups<typename dims::dim> all;
        const auto shape = dims::shape(adaptor);
        return make_layout<cached_vec>(
            shape, opus::unfold_x_stride(all, shape, dims::stride(x_stride)),
            opus::unfold_p_coord(all, dims::coord(Operand::p_coord(adaptor, lane))), operand.at);
    }
}
// The extents in registers, in the order of the layout.
template <class Operand, class Adaptor>
constexpr auto adaptor_y_shape(const Adaptor& adaptor) {
    using dims = lane_dims<Operand, Adaptor>;
    return pickup_shape(dims::shape(adaptor), typename dims::dim{}, y_dim{});
}

// thread / Stride % Extent, without % for the outermost part; a number if `thread` is, or Extent 1.
template <index_t Stride, index_t Extent, bool IsOutermost = false, class Thread>
constexpr auto thread_part(const Thread& thread) {
    if constexpr (Extent == 1) {
        return number<0>{};
    } else if constexpr (is_constant_v<Thread>) {
        return number<thread_part<Stride, Extent, IsOutermost>(index_t{Thread::value})>{};
    } else {
        const auto part = static_cast<unsigned>(static_cast<index_t>(thread)) / unsigned{Stride};
        return static_cast<index_t>(IsOutermost ? part : part % unsigned{Extent});
    }
}

// The number of consecutive k in a lane's registers: the largest power of two that divides the
// lane's elements and takes at most 16 bytes; for the 6-bit formats 32.
template <class T, index_t Elements>
constexpr index_t mfma_run() {
    constexpr index_t longest = 128 / sizeof_bits_v<T>;
    constexpr index_t even = Elements & -Elements;
    return sizeof_bits_v<T> == 6 ? 32 : even < longest ? even : longest;
}

template <class T, index_t Run>
using run_extent = __type_pack_element<is_same_v<T, fp4_t>, number<Run>, fp4_run<Run>>;

// A matrix instruction with its operands' layouts. SwapAB issues (b, a), so that the instruction
// computes C transposed: consecutive registers of a lane then run along N.
//   A  M: (grpm p)                    K: (rept y, grpk p, run y)
//   B  N: (grpn p)                    K: (rept y, grpk p, run y)
//   C  M: (rept y, grpm p, pack y)    N: (grpn p)
//   C  M: (grpn p)                    N: (rept y, grpm p, pack y)    swapped: grpn and grpm are
//                                                                    the instruction's N and M
// p_coord of A is (lane % grpm_a, lane / grpm_a), of B (lane % grpn_b, lane / grpn_b), of C
// (lane / grpn_c, lane % grpn_c), of C swapped (lane % grpn_c, lane / grpn_c).
//
// With several blocks, the block is an x-dim in front of these: (blocks p) for A and B, (rept_b y,
// grpb p) for C. Its coordinate comes first:
//   A  (lane / M % blocks, lane % M, lane / (M * blocks)), B the same with N
//   C  (lane / strideb_c % grpb_c, lane / stridem_c % grpm_c, lane % grpn_c), swapped with the last
//      two exchanged
//
// Run, unless 0, replaces the longest run of A and B: this gives another order of K, see chain_a().
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK, bool SwapAB,
          index_t Run = 0>
struct mfma_with_layouts : mfma<A, B, C, WaveM, WaveN, WaveK> {
    using mfma_type = mfma<A, B, C, WaveM, WaveN, WaveK>;
    using instruction = __type_pack_element<SwapAB, mfma_type, mfma<B, A, C, WaveN, WaveM, WaveK>>;
    static constexpr bool is_swapped = SwapAB;
    using wave = mfma_with_layouts;
    using mfma_type::blocks, mfma_type::elem_a, mfma_type::elem_b, mfma_type::warp_size;
    using typename mfma_type::dtype_a, typename mfma_type::dtype_b, typename mfma_type::vtype_c;
    using element_a = mfma_element<A>;
    using element_b = mfma_element<B>;

    static constexpr index_t grpm_a = WaveM;
    static constexpr index_t grpn_b = WaveN;
    static constexpr index_t grpk_a = warp_size / (WaveM * blocks);
    static constexpr index_t grpk_b = warp_size / (WaveN * blocks);
    static constexpr index_t run_a = Run > 0 ? Run : mfma_run<element_a, elem_a>();
    static constexpr index_t run_b = Run > 0 ? Run : mfma_run<element_b, elem_b>();
    static constexpr index_t rept_a = elem_a / run_a;
    static constexpr index_t rept_b = elem_b / run_b;
    // Elements of one vector access: a run, or for the 6-bit formats half a run (12 bytes).
    static constexpr index_t pack_a = sizeof_bits_v<dtype_a> == 6 ? 16 : run_a;
    static constexpr index_t pack_b = sizeof_bits_v<dtype_b> == 6 ? 16 : run_b;
    // Elements of one transposed read. (Of fp4 in layouts that count bytes there is none.)
    static constexpr index_t pack_a_tr = is_same_v<element_a, dtype_a> ? tr_elements_v<dtype_a> : 1;
    static constexpr index_t pack_b_tr = is_same_v<element_b, dtype_b> ? tr_elements_v<dtype_b> : 1;
    // Results lie in groups of 4 rows, or for fp64 in single rows.
    static constexpr index_t pack_c = sizeof(C) == 8 ? 1 : 4;
    static constexpr index_t grpn_c = SwapAB ? WaveM : WaveN;
    static constexpr index_t grpb_c =
        WaveM * WaveN < warp_size * pack_c ? warp_size * pack_c / (WaveM * WaveN) : 1;
    static constexpr index_t grpm_c = warp_size / (grpn_c * grpb_c);
    static constexpr index_t rept_c = (SwapAB ? WaveN : WaveM) / (grpm_c * pack_c);
    static constexpr index_t rept_b_c = blocks / grpb_c;
    // How many lanes away the next rows and the next block of C are. Blocks are the outer
    // dimension; for fp64, rows are. (This is what AMD's matrix instruction calculator says; the
    // ISA guide, 7.1.4.2, contradicts it.)
    static constexpr index_t stridem_c = sizeof(C) == 8 ? grpn_c * grpb_c : grpn_c;
    static constexpr index_t strideb_c = sizeof(C) == 8 ? grpn_c : grpn_c * grpm_c;

    // The dims and the extents, by x-dim.
    template <class Block, class... X>
    using with_blocks = __type_pack_element<blocks == 1, tuple<Block, X...>, tuple<X...>>;
    template <class Block, class Rows, class Column>
    using of_c = __type_pack_element<SwapAB, with_blocks<Block, Rows, Column>,
                                     with_blocks<Block, Column, Rows>>;
    using x_dims_a = with_blocks<tuple<p_dim>, tuple<p_dim>, tuple<y_dim, p_dim, y_dim>>;
    using x_dims_b = x_dims_a;
    using x_dims_c = of_c<tuple<y_dim, p_dim>, tuple<y_dim, p_dim, y_dim>, tuple<p_dim>>;
    using x_shape_a =
        with_blocks<tuple<number<blocks>>, tuple<number<grpm_a>>,
                    tuple<number<rept_a>, number<grpk_a>, run_extent<element_a, run_a>>>;
    using x_shape_b =
        with_blocks<tuple<number<blocks>>, tuple<number<grpn_b>>,
                    tuple<number<rept_b>, number<grpk_b>, run_extent<element_b, run_b>>>;
    using x_shape_c =
        of_c<tuple<number<rept_b_c>, number<grpb_c>>,
             tuple<number<rept_c>, number<grpm_c>, number<pack_c>>, tuple<number<grpn_c>>>;
    static constexpr x_dims_a dim_a() { return {}; }
    static constexpr x_dims_b dim_b() { return {}; }
    static constexpr x_dims_c dim_c() { return {}; }
    static constexpr auto shape_a() { return flat_dim_t<x_shape_a>{}; }
    static constexpr auto shape_b() { return flat_dim_t<x_shape_b>{}; }
    static constexpr auto shape_c() { return flat_dim_t<x_shape_c>{}; }
    // The p_coord of a thread, which is lane thread % 64 of its wave.
    template <class Thread>
    static constexpr auto p_coord_a(const Thread& thread) {
        return p_coord_ab<WaveM>(thread);
    }
    template <class Thread>
    static constexpr auto p_coord_b(const Thread& thread) {
        return p_coord_ab<WaveN>(thread);
    }
    template <class Thread>
    static constexpr auto p_coord_c(const Thread& thread) {
        const auto lane = thread_part<1, 64>(thread);
        const auto block = thread_part<strideb_c, grpb_c>(lane);
        const auto row = thread_part<stridem_c, grpm_c, stridem_c * grpm_c == 64>(lane);
        const auto column = thread_part<1, grpn_c>(lane);
        if constexpr (SwapAB) {
            return with_block(block, column, row);
        } else {
            return with_block(block, row, column);
        }
    }
    OPUS_ADAPTOR_LAYOUT_API_DEFINE

    // As mfma. The controls go to the instruction unchanged: they act on its first and second
    // operands, even if A and B are swapped. scale_a and sel_a belong to A.
    template <class Va, class Vb, class... More>
    OPUS_D vtype_c operator()(const Va& a, const Vb& b, const More&... more) const {
        return call_mma<mfma_with_layouts>(a, b, more...);
    }

private:
    template <index_t Rows, class Thread>
    static constexpr auto p_coord_ab(const Thread& thread) {
        const auto lane = thread_part<1, 64>(thread);
        return with_block(thread_part<Rows, blocks>(lane), thread_part<1, Rows>(lane),
                          thread_part<Rows * blocks, warp_size / (Rows * blocks), true>(lane));
    }
    template <class Block, class X, class Y>
    static constexpr auto with_block(const Block& block, const X& x, const Y& y) {
        if constexpr (blocks == 1) {
            return make_tuple(x, y);
        } else {
            return make_tuple(block, x, y);
        }
    }
};
}  // namespace impl

// How the operands go to the instruction: as they are, or with A and B swapped.
struct mfma_adaptor {
    template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK>
    using type = impl::mfma_with_layouts<A, B, C, WaveM, WaveN, WaveK, false>;
};
struct mfma_adaptor_swap_ab {
    template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK>
    using type = impl::mfma_with_layouts<A, B, C, WaveM, WaveN, WaveK, true>;
};

// make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I): the instruction with its layouts.
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK,
          class Adaptor = mfma_adaptor>
constexpr auto make_mfma(number<WaveM>, number<WaveN>, number<WaveK>, Adaptor = {}) {
    return typename Adaptor::template type<A, B, C, WaveM, WaveN, WaveK>{};
}
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK,
          class Adaptor = mfma_adaptor>
constexpr auto make_mfma(seq<WaveM, WaveN, WaveK>, Adaptor = {}) {
    return typename Adaptor::template type<A, B, C, WaveM, WaveN, WaveK>{};
}
template <class A, class B, class C, class Adaptor = mfma_adaptor>
constexpr void make_mfma(index_t, index_t, index_t, Adaptor = {}) {
    static_assert(false, "opus::make_mfma: M, N and K must be constants (write 32_I, not 32)");
}

// == 17.1 tiled mma ===============================================================================
//
// A product of several waves, each with several instructions, and where its elements lie. Main
// names: make_tiled_mma, partition_layout_a, _b and _c, tile_coordinates_a, _b and _c, within. Look
// first at make_tiled_mma and partition_layout_a; lane_dims orders C's registers.

namespace impl {
// The type that make_tile makes of Count operands V.
template <class V, index_t Count>
using mma_tile_t = __type_pack_element<OPUS_TILE_CONTAINER,
                                       vector_t<get_value_t<V>, Count * vector_traits<V>::size()>,
                                       array<V, Count>>;

// The dims and extents of an operand of a tiled mma. In each x-dim, the repeats (y) and the waves
// (p) come before those of the wave's mma. `of_lane` has them in front, as x-dims of their own.
template <class Dims, class Extents, index_t E0, index_t T0, index_t E1, index_t T1>
struct tiled_dims {
    static_assert(is_same_v<Dims, void>,
                  "opus::make_tiled_mma: an operand must have two x-dims; instructions of several "
                  "blocks make independent products (use make_mfma)");
};
template <class... D0, class... D1, class... X0, class... X1, index_t E0, index_t T0, index_t E1,
          index_t T1>
struct tiled_dims<tuple<tuple<D0...>, tuple<D1...>>, tuple<tuple<X0...>, tuple<X1...>>, E0, T0, E1,
                  T1> {
    using dim = tuple<tuple<y_dim, p_dim, D0...>, tuple<y_dim, p_dim, D1...>>;
    using shape = tuple<number<E0>, number<T0>, X0..., number<E1>, number<T1>, X1...>;
    using dim_of_lane = tuple<tuple<y_dim, p_dim>, tuple<y_dim, p_dim>, tuple<D0...>, tuple<D1...>>;
    using shape_of_lane = tuple<number<E0>, number<T0>, number<E1>, number<T1>, X0..., X1...>;
    // Whether the order of `shape` is not that of the registers.
    static constexpr bool is_reordered = E1 > 1 && (is_same_v<D0, y_dim> || ...);
};

// E repeats of an mma for each wave and T waves, along each dimension. The base is the wave's mma.
//   A  M: (E y, T p, ...)  K: (E y, T p, ...)    and so on for B (N, K) and C (M, N): ... are the
//                                                parts of the wave's mma
// Order in registers: operand number im * EK + ik of A, in * EK + ik of B, im * EN + in of C.
template <class Mma, class Expand, class Tile>
struct tiled_mma;
template <class Mma, index_t ExpandM, index_t ExpandN, index_t ExpandK, index_t TileM,
          index_t TileN, index_t TileK>
struct tiled_mma<Mma, seq<ExpandM, ExpandN, ExpandK>, seq<TileM, TileN, TileK>> : Mma {
    static_assert(ExpandM > 0 && ExpandN > 0 && ExpandK > 0 && TileM > 0 && TileN > 0 && TileK > 0,
                  "opus::make_tiled_mma: repeats and waves must be at least 1");
    using MMA = Mma;  // the mma of a wave
    using wave = Mma;
    static constexpr bool is_tiled = true;
    static constexpr index_t expd_m = ExpandM;
    static constexpr index_t expd_n = ExpandN;
    static constexpr index_t expd_k = ExpandK;
    static constexpr index_t tile_m = TileM;
    static constexpr index_t tile_n = TileN;
    static constexpr index_t tile_k = TileK;
    // Elements in a lane's registers: of one operand of an instruction, and of the tile.
    static constexpr index_t mma_a_len = Mma::elem_a;
    static constexpr index_t mma_b_len = Mma::elem_b;
    static constexpr index_t mma_c_len = Mma::elem_c;
    static constexpr index_t tile_a_len = ExpandM * ExpandK * mma_a_len;
    static constexpr index_t tile_b_len = ExpandN * ExpandK * mma_b_len;
    static constexpr index_t tile_c_len = ExpandM * ExpandN * mma_c_len;
    using vtype_a = mma_tile_t<typename Mma::vtype_a, ExpandM * ExpandK>;
    using vtype_b = mma_tile_t<typename Mma::vtype_b, ExpandN * ExpandK>;
    using vtype_c = mma_tile_t<typename Mma::vtype_c, ExpandM * ExpandN>;
    constexpr tiled_mma() = default;
    constexpr explicit tiled_mma(const Mma& mma) : Mma(mma) {}

    using dims_a =
        tiled_dims<typename Mma::x_dims_a, typename Mma::x_shape_a, ExpandM, TileM, ExpandK, TileK>;
    using dims_b =
        tiled_dims<typename Mma::x_dims_b, typename Mma::x_shape_b, ExpandN, TileN, ExpandK, TileK>;
    using dims_c =
        tiled_dims<typename Mma::x_dims_c, typename Mma::x_shape_c, ExpandM, TileM, ExpandN, TileN>;
    constexpr auto dim_a() const { return typename dims_a::dim{}; }
    constexpr auto dim_b() const { return typename dims_b::dim{}; }
    constexpr auto dim_c() const { return typename dims_c::dim{}; }
    constexpr auto shape_a() const { return typename dims_a::shape{}; }
    constexpr auto shape_b() const { return typename dims_b::shape{}; }
    constexpr auto shape_c() const { return typename dims_c::shape{}; }
    // The p_coord of a thread: its wave is thread / 64 = (m * TN + n) * TK + k.
    // @pre 0 <= thread < 64 * TM * TN * TK
    template <class Thread>
    constexpr auto p_coord_a(const Thread& thread) const {
        return with_waves(wave_along<0>(thread), wave_along<2>(thread), Mma::p_coord_a(thread));
    }
    template <class Thread>
    constexpr auto p_coord_b(const Thread& thread) const {
        return with_waves(wave_along<1>(thread), wave_along<2>(thread), Mma::p_coord_b(thread));
    }
    template <class Thread>
    constexpr auto p_coord_c(const Thread& thread) const {
        return with_waves(wave_along<0>(thread), wave_along<1>(thread), Mma::p_coord_c(thread));
    }
    OPUS_ADAPTOR_LAYOUT_API_DEFINE

    // As mfma, by all instructions of the tile. The tiles are a vtype_a, vtype_b and vtype_c, or
    // other containers of as many elements. The controls go to each instruction, except that C is
    // negated only once. A scale is an int for all operands, or an array of ints in register order.
    template <class Ta, class Tb, class... More>
    OPUS_D vtype_c operator()(const Ta& a, const Tb& b, const More&... more) const {
        return call_mma<tiled_mma, 0, ExpandK>(a, b, more...);
    }
    // The same, but only the instructions of one k, 0 .. expd_k - 1.
    template <class... Operands>
    OPUS_CONSTANTS(step_k, "steps")
    OPUS_D vtype_c step_k(index_t k, const Operands&... operands) const;
    template <index_t k, class Ta, class Tb, class... More>
    OPUS_D vtype_c step_k(number<k>, const Ta& a, const Tb& b, const More&... more) const {
        static_assert(k >= 0 && k < ExpandK, "opus::tiled_mma: step_k takes k = 0 .. expd_k - 1");
        return call_mma<tiled_mma, k, k + 1>(a, b, more...);
    }

private:
    // Of the waves along M, N or K (0, 1, 2), the one that a thread is in.
    template <index_t Along, class Thread>
    static constexpr auto wave_along(const Thread& thread) {
        using waves = loop_nest<TileM, TileN, TileK>;
        constexpr index_t extent = seq<TileM, TileN, TileK>::at(Along);
        constexpr index_t inner = waves::inner(Along);
        return thread_part<64 * inner, extent, extent * inner == waves::steps>(thread);
    }
    template <class First, class Second, class X, class Y>
    static constexpr auto with_waves(const First& first, const Second& second,
                                     const tuple<X, Y>& lane) {
        return tuple{first, element<0>(lane), second, element<1>(lane)};
    }
};
// If the registers of one instruction run along M, the repeats along N come before them: in the
// layout of C as in the registers.
template <class Mma, class Expand, class Tile>
struct lane_dims<operand_c, tiled_mma<Mma, Expand, Tile>,
                 enable_if_t<tiled_mma<Mma, Expand, Tile>::dims_c::is_reordered>> {
    using dims = typename tiled_mma<Mma, Expand, Tile>::dims_c;
    using dim = typename dims::dim_of_lane;
    static constexpr auto shape(const Mma&) { return typename dims::shape_of_lane{}; }
    template <class Stride>
    static constexpr auto stride(const Stride& x_stride) {
        const auto m = as_index(element<0>(x_stride));
        const auto n = as_index(element<1>(x_stride));
        return tuple{m * number<Mma::wave_m>{}, n * number<Mma::wave_n>{}, m, n};
    }
    template <class Coord>
    static constexpr auto coord(const Coord& p_coord) {
        return tuple{element<0>(p_coord), element<2>(p_coord), element<1>(p_coord),
                     element<3>(p_coord)};
    }
};
}  // namespace impl

struct tiled_mma_adaptor {
    template <class Mma, class Expand, class Tile>
    using type = impl::tiled_mma<Mma, Expand, Tile>;
};

// A product of a block of waves: E (expand) repeats of the wave's mma and T (tile) waves along each
// dimension, so that the block is (EM * TM * WM) x (EN * TN * WN) x (EK * TK * WK). Waves along K
// make partial sums, which the kernel must add.
//   make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{})
//     -> 64 x 32 x 16 for four waves
template <class A, class B, class C, class Expand, class Tile, index_t WaveM, index_t WaveN,
          index_t WaveK, class Adaptor = mfma_adaptor, class Tiled = tiled_mma_adaptor>
constexpr auto make_tiled_mma(Expand expand, Tile tile, seq<WaveM, WaveN, WaveK>, Adaptor = {},
                              Tiled tiled = {}) {
    using mma = typename Adaptor::template type<A, B, C, WaveM, WaveN, WaveK>;
    return make_tiled_mma(mma{}, expand, tile, tiled);
}
// The same, made from the mma of a wave.
template <class Mma, index_t ExpandM, index_t ExpandN, index_t ExpandK, index_t TileM,
          index_t TileN, index_t TileK, class Tiled = tiled_mma_adaptor>
constexpr auto make_tiled_mma(const Mma& mma, seq<ExpandM, ExpandN, ExpandK>,
                              seq<TileM, TileN, TileK>, Tiled = {}) {
    return typename Tiled::template type<Mma, seq<ExpandM, ExpandN, ExpandK>,
                                         seq<TileM, TileN, TileK>>{mma};
}
template <class Mma, index_t ExpandM, index_t ExpandN, index_t ExpandK, index_t TileM,
          index_t TileN, index_t TileK, class Tiled = tiled_mma_adaptor>
constexpr auto make_tiled_mma(const Mma& mma, number<ExpandM>, number<ExpandN>, number<ExpandK>,
                              number<TileM>, number<TileN>, number<TileK>, Tiled tiled = {}) {
    return make_tiled_mma(mma, seq<ExpandM, ExpandN, ExpandK>{}, seq<TileM, TileN, TileK>{}, tiled);
}
template <class Mma>
OPUS_CONSTANTS(make_tiled_mma, "repeats and waves")
constexpr index_t
    make_tiled_mma(const Mma& mma, index_t, index_t, index_t, index_t, index_t, index_t);

#if defined(__HIP__)
// The same index, but the compiler knows that thread / 64 is the same for the whole wave.
// @pre threads 64 * w to 64 * w + 63 are a wave
OPUS_D index_t scalar_wave(index_t thread) {
    const auto i = static_cast<unsigned>(thread);
    const auto wave = __builtin_amdgcn_readfirstlane(static_cast<int>(i / 64));
    return static_cast<index_t>(wave) * 64 + static_cast<index_t>(i % 64);
}
#endif

// -- where the elements of a tile lie -------------------------------------------------------------

namespace impl {
// The coordinates of a lane's items of a tile, which Issues counts: Start, of item 0, and for each
// dimension the steps of the registers along it, as strides.
template <class Issues, class Start, class... Steps>
struct tile_coordinates {
    static constexpr index_t items = Issues::count;
    Start start;

    template <class Item>
    constexpr auto operator()(const Item& item) const {
        return coordinates(item, make_index_seq<sizeof...(Steps)>{});
    }

private:
    template <index_t Idx, index_t... Gs>
    constexpr auto coordinates(number<Idx>, seq<Gs...>) const {
        static_assert(Idx >= 0 && Idx < items,
                      "opus::tile_coordinates: the item is 0 .. tile_x_len - 1 (elem_x - 1)");
        return make_tuple((element<Gs>(start) + number<distance<Steps>(Idx)>{})...);
    }
    template <index_t... Gs>
    constexpr auto coordinates(index_t i, seq<Gs...>) const {
        return make_tuple(static_cast<index_t>(element<Gs>(start)) + distance<Steps>(i)...);
    }
    template <class Strides>
    static constexpr index_t distance(index_t item) {
        return Issues::template moved<true, false>(0, Strides{}, item);
    }
};
// The offset of item 0, and one dimension's part of it: a number if all that contributes is.
template <class Coord, class Stride>
constexpr auto part_along(const Coord& coord, const Stride& stride) {
    if constexpr (is_underscore_v<Coord> || __is_same(Stride, number<0>)) {
        return number<0>{};
    } else {
        return coord * stride;
    }
}
template <index_t... Ds, class... Coord, class... Stride>
constexpr auto start_along(const tuple_base<seq<Ds...>, Coord...>& coord,
                           const tuple_base<seq<Ds...>, Stride...>& stride) {
    return (number<0>{} + ... + part_along(element<Ds>(coord), element<Ds>(stride)));
}
// The layout whose offsets are the coordinates along dimension G: its stride is 1 for G, else 0.
template <index_t G, class Operand, class Mma, class Thread, index_t... Gs>
constexpr auto layout_along(const Operand& operand, const Mma& mma, const Thread& thread,
                            seq<Gs...>) {
    return adaptor_layout<-1>(operand, mma, tuple<number<(Gs == G)>...>{}, thread);
}
template <class Operand, class Mma, class Thread, index_t... Gs>
constexpr auto operand_coordinates(const Operand& operand, const Mma& mma, const Thread& thread,
                                   seq<Gs...> dims) {
    const auto along = make_tuple(layout_along<Gs>(operand, mma, thread, dims)...);
    using first = tuple_element_t<0, remove_cv_t<decltype(along)>>;
    const auto start =
        make_tuple(start_along(element<2>(element<Gs>(along)), element<1>(element<Gs>(along)))...);
    return tile_coordinates<typename layout_load_traits<first, 1>::issues,
                            remove_cv_t<decltype(start)>,
                            decltype(open_strides(element<Gs>(along)))...>{start};
}
template <class Operand, class Mma, class Thread>
constexpr auto operand_coordinates(const Operand& operand, const Mma& mma, const Thread& thread) {
    if constexpr (check_layout<Operand, Mma, not_given, Thread>()) {
        using dim = typename Operand::template dim<Mma>;
        return operand_coordinates(operand, mma, thread, make_index_seq<dim_groups<dim>::rank>{});
    } else {
        return operand_coordinates(operand, mma, some_p_coord<Operand, Mma>{});
    }
}
template <class T>
inline constexpr bool is_limit_v = is_thread_v<T> || is_underscore_v<T>;
template <class Coordinates, class Rows, class Columns>
struct tile_mask {
    Coordinates coordinates;
    Rows rows;
    Columns columns;

    template <class Item>
    constexpr bool operator()(const Item& item) const {
        const auto all = coordinates(item);
        constexpr index_t last = decltype(all)::size() - 1;
        return below(element<last - 1>(all), rows) && below(element<last>(all), columns);
    }

private:
    template <class X, class Limit>
    static constexpr bool below(const X& x, const Limit& limit) {
        if constexpr (is_underscore_v<Limit>) {
            return true;
        } else {
            return static_cast<index_t>(x) < static_cast<index_t>(limit);
        }
    }
};
template <class Coordinates, class Rows, class Columns>
inline constexpr index_t mask_items_v<tile_mask<Coordinates, Rows, Columns>> = Coordinates::items;

// A lane's layout of an operand is (..., rows p, ..., rept y, groups p, run y). A transposed read
// serves 16 lanes, one for each of 16 rows of the operand, and gives each lane Pack k of its row.
// For this, lane r of the 16 points to number r / (16 / Pack) of these k, and there to Pack rows
// from r % (16 / Pack) * Pack on. The coordinate of the result says where the lane points to:
//   (..., rept y, split p, groups p, run / part y, part p, rows / 16 p, 16 / Pack p, Pack y)
// where the Pack k are `split` parts of `part` k, each from one run.
template <index_t cached_vec, index_t Pack, class Operand, class Mma, class Stride, class Lane>
constexpr auto partition_layout_tr(const Operand& operand, const Mma& mma, const Stride& x_stride,
                                   const Lane& lane) {
    if constexpr (!check_layout<Operand, Mma, Stride, Lane>()) {
        return adaptor_layout<-1>(operand, mma, not_given{}, some_p_coord<Operand, Mma>{});
    } else {
        const auto u = adaptor_layout<-1>(operand, mma, x_stride, lane);
        using shape = typename decltype(u)::Shape;
        using dims = dim_groups<typename Operand::template dim<Mma>>;
        constexpr index_t at_rows = dims::begin(dims::rank - 1) - 1;
        constexpr index_t last = dims::size - 1;
        constexpr index_t rows = tuple_element_t<at_rows, shape>::value;
        constexpr index_t rept = tuple_element_t<last - 2, shape>::value;
        constexpr index_t groups = tuple_element_t<last - 1, shape>::value;
        constexpr index_t run = tuple_element_t<last, shape>::value;
        constexpr index_t part = run < Pack ? run : Pack;
        constexpr index_t split = Pack / part;
        static_assert(
            Pack > 2,
            "opus::partition_layout_a_tr, _b_tr: the operand must have elements of 16, 8, 6 "
            "or 4 bits (there are no transposed reads of others: use partition_layout_a, _b)");
        static_assert(
            rows % 16 == 0 && rept * run % Pack == 0,
            "opus::partition_layout_a_tr, _b_tr: the instruction must have a multiple of 16 "
            "rows of A (columns of B) and give a lane a multiple of 8 bytes (12 of 6-bit "
            "elements): 16x16x16 or 32x32x8 of 16 bits, 16x16x32 or 32x32x16 of 8 bits, or "
            "more K");
        static_assert(
            __is_same(remove_cvref_t<decltype(get<at_rows>(u.stride()))>, number<1>),
            "opus::partition_layout_a_tr, _b_tr: the stride of M (of N) must be 1_I: a "
            "transposed read takes elements that follow each other there (where those of K "
            "do, use partition_layout_a, _b and load)");
        const auto k = get<last>(u.stride());
        const auto row = static_cast<unsigned>(static_cast<index_t>(get<at_rows>(u.coord())));
        const unsigned from_k = row % 16 / (16 / Pack);
        return [&]<index_t... Is>(seq<Is...>) {
            return make_layout<cached_vec>(
                make_tuple(get<Is>(u.shape())..., number<rept / split>{}, number<split>{},
                           number<groups>{}, number<run / part>{}, number<part>{},
                           number<rows / 16>{}, number<16 / Pack>{}, number<Pack>{}),
                make_tuple(get<Is>(u.stride())..., k * number<groups * run * split>{},
                           k * number<groups * run>{}, k * number<run>{}, k * number<part>{}, k,
                           number<16>{}, number<Pack>{}, number<1>{}),
                make_tuple(get<Is>(u.coord())..., _, static_cast<index_t>(from_k / part),
                           get<last - 1>(u.coord()), _, static_cast<index_t>(from_k % part),
                           static_cast<index_t>(row / 16), static_cast<index_t>(row % (16 / Pack)),
                           _));
        }(concat_seq(make_index_seq<at_rows>{}, make_index_seq<at_rows + 1, last - 2>{}));
    }
}
}  // namespace impl

// The layouts of an mma's operands, as free functions: partition_layout_a, _b and _c take what
// layout_x takes (OPUS_ADAPTOR_LAYOUT_API_DEFINE), partition_layout_a_packed, _b_packed and
// _c_packed what layout_x_packed does. The lane's place is its p_coord or the index of its thread:
//   auto u = partition_layout_a<4>(mma, make_tuple(row_stride, 1_I), thread_id_x());
// The lane is thread % 64; in a tiled mma, the wave is thread / 64 = (m * TN + n) * TK + k. With
// scalar_wave(thread), what depends on the wave alone is computed in scalar registers.
//
// tile_coordinates_a, _b, _c: where the items of a lane's registers are in the block's tile. With f
// = tile_coordinates_c(mma, thread), f(i) is the tuple (m, n) of item i of a vtype_c; for A it is
// (m, k), for B (n, k), with the block in front if the instruction has several. i is a number, and
// so are the parts of the result that are constant, or, in an unrolled loop, an integer. `thread`
// is the index of the thread, or a p_coord, as for partition_layout_a, _b and _c.
//   for (int i = 0; i < 16; i++)  // bias by column, in an unrolled loop
//       acc[i] += bias[get<1>(f(i))];
#define OPUS_OPERAND_LAYOUTS(x)                                                            \
    template <index_t cached_vec = 0, class Mma, class Stride = impl::not_given,           \
              class Lane = impl::not_given>                                                \
    constexpr auto partition_layout_##x(const Mma& mma, const Stride& x_stride = {},       \
                                        const Lane& lane = {}, impl::caller at = {}) {     \
        /* asked here, so that few lines lead from a message to the call */                \
        static_assert(impl::check_layout<impl::operand_##x, Mma, Stride, Lane>() || true); \
        return mma.template layout_##x<cached_vec>(x_stride, lane, at);                    \
    }                                                                                      \
    template <index_t cached_vec = 0, class Mma, class Lane>                               \
    constexpr auto partition_layout_##x##_packed(const Mma& mma, const Lane& lane,         \
                                                 impl::caller at = {}) {                   \
        return partition_layout_##x<cached_vec>(mma, impl::not_given{}, lane, at);         \
    }                                                                                      \
    template <class Mma, class Thread>                                                     \
    constexpr auto tile_coordinates_##x(const Mma& mma, const Thread& thread,              \
                                        impl::caller at = {}) {                            \
        return impl::operand_coordinates(impl::operand_##x{at}, mma, thread);              \
    }
OPUS_OPERAND_LAYOUTS(a)
OPUS_OPERAND_LAYOUTS(b)
OPUS_OPERAND_LAYOUTS(c)
#undef OPUS_OPERAND_LAYOUTS

// partition_layout_a_tr and _b_tr: where a lane points to for the transposed reads that give it its
// part of A (B). In LDS, the elements of a column of A (a row of B) lie side by side. Strides and
// p_coord are as for partition_layout_a (_b); the stride of M (N) is 1_I. tr_load reads pack_a_tr
// (pack_b_tr) elements of the mma at a time, into the order of the registers.
//   auto u = partition_layout_b_tr(mma, make_tuple(1_I, 72_I), thread_id_x());
//   auto b = make_smem(lds).tr_load<mma.pack_b_tr>(u);
template <index_t cached_vec = 0, class Mma, class Stride, class Lane>
constexpr auto partition_layout_a_tr(const Mma& mma, const Stride& x_stride, const Lane& lane,
                                     impl::caller at = {}) {
    return impl::partition_layout_tr<cached_vec, Mma::pack_a_tr>(impl::operand_a{at}, mma, x_stride,
                                                                 lane);
}
template <index_t cached_vec = 0, class Mma, class Stride, class Lane>
constexpr auto partition_layout_b_tr(const Mma& mma, const Stride& x_stride, const Lane& lane,
                                     impl::caller at = {}) {
    return impl::partition_layout_tr<cached_vec, Mma::pack_b_tr>(impl::operand_b{at}, mma, x_stride,
                                                                 lane);
}

// A mask of the items of a tile that are within its first `rows` rows (m, or n of B) and `columns`
// columns (n, or k of A and B); _ stands for all. mask(i) is the answer for item i of the
// registers, for select(). The mask is also a predicate for load_if and store_if through the same
// mma's layout of that operand: an access takes place if all of its elements are within.
//   auto inside = within(tile_coordinates_c(mma, thread), m - first_row, n - first_column);
//   g_c.store_if<4>(inside, acc, u_c);
template <class Issues, class Start, class... Steps, class Rows, class Columns>
constexpr auto within(const impl::tile_coordinates<Issues, Start, Steps...>& coordinates,
                      const Rows& rows, const Columns& columns) {
    static_assert(impl::is_limit_v<Rows> && impl::is_limit_v<Columns>,
                  "opus::within: the number of rows and of columns are integers, numbers or _");
    return impl::tile_mask<impl::tile_coordinates<Issues, Start, Steps...>, Rows, Columns>{
        coordinates, rows, columns};
}

}  // namespace opus

#if OPUS_DEBUG
#include "opus_debug.hpp"  // what the checks above call
#endif
#undef OPUS_HIP_MISSING
#undef OPUS_CONSTANTS
#pragma clang diagnostic pop
#pragma clang attribute pop

// Structured bindings: auto [a, b] = make_tuple(1, 2_I);
// libc++ keeps its names in an inline namespace. If libc++ can be found but nothing of it has been
// included so far, this is the default one, __1.
#if defined(_LIBCPP_VERSION)
_LIBCPP_BEGIN_NAMESPACE_STD
#elif __has_include(<__config>)
namespace std {
inline namespace __1 {
#else
namespace std {
#endif
template <class T>
struct tuple_size;
template <decltype(sizeof(0)) Idx, class T>
struct tuple_element;
#if OPUS_FREESTANDING
template <class T, T V>
struct integral_constant;
#endif

template <class... T>
struct tuple_size<::opus::tuple<T...>>
    : ::opus::impl::integral_constant<decltype(sizeof(0)), sizeof...(T)> {};
template <decltype(sizeof(0)) Idx, class... T>
struct tuple_element<Idx, ::opus::tuple<T...>> {
    using type = ::opus::tuple_element_t<static_cast<int>(Idx), ::opus::tuple<T...>>;
};
#if defined(_LIBCPP_VERSION)
_LIBCPP_END_NAMESPACE_STD
#elif __has_include(<__config>)
}  // inline namespace __1
}  // namespace std
#else
}  // namespace std
#endif

#if OPUS_FREESTANDING
// std::integral_constant is a constant for opus, whoever includes it.
template <class T, T V>
struct opus::is_constant<std::integral_constant<T, V>> : opus::true_type {};
#endif

#endif  // clang and C++17
#endif  // OPUS_OPUS_HPP
