// opus_plus.hpp: helpers written with opus.hpp: math by element, shuffles, reductions, scans,
// sorting, rows in chunks, parts of tiles, one product after another. It includes opus.hpp only.
// SPDX-License-Identifier: MIT
//
//   1. math by element    2. shuffles          3. reductions         4. scans
//   5. sorting            6. chunks            7. tiles              8. 4-bit integers
//
// `grep '^// == '` prints the banners. Units and sides (host, device) are as in opus.hpp.
#ifndef OPUS_OPUS_PLUS_HPP
#define OPUS_OPUS_PLUS_HPP

#include "opus.hpp"

#if defined(OPUS_VERSION)  // else opus.hpp has said why not

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang diagnostic ignored "-Wgcc-compat"

namespace opus {

// == 1. math by element ===========================================================================

namespace impl {
// Operations on a whole vector, which the compiler makes of packed instructions where it has them.
// For floating point, clang 23 has another name for max and min by element.
#if __clang_major__ >= 23
#define OPUS_FLOATS_BY_ELEMENT(name) __builtin_elementwise_##name##num
#else
#define OPUS_FLOATS_BY_ELEMENT(name) __builtin_elementwise_##name
#endif
template <class Op, class V>
constexpr V of_vectors(Op, V a, V b) {
    constexpr bool is_max = __is_same(Op, max_of);
    check_order<get_value_t<V>>();
    if constexpr (__is_integral(get_value_t<V>)) {
        return is_max ? __builtin_elementwise_max(a, b) : __builtin_elementwise_min(a, b);
    } else {
        return is_max ? OPUS_FLOATS_BY_ELEMENT(max)(a, b) : OPUS_FLOATS_BY_ELEMENT(min)(a, b);
    }
}
#undef OPUS_FLOATS_BY_ELEMENT
template <class V>
constexpr V of_vectors(abs_of, V x) {
    using scalar = get_value_t<V>;
    if constexpr (moves_as_dwords_v<scalar, vector_traits<V>::size()>) {
        using dwords = dwords_t<scalar, vector_traits<V>::size()>;
        return __builtin_bit_cast(V, __builtin_bit_cast(dwords, x) & 0x7fff7fffu);
    } else {
        return __builtin_elementwise_abs(x);
    }
}
#if defined(__HIP__)
template <class V>
OPUS_D V of_vectors(fma_of, V a, V b, V c) {
    return __builtin_elementwise_fma(a, b, c);
}
#endif
// Whether the elements are fp64, fp32 or fp16.
template <class X>
inline constexpr bool has_floats_v =
    is_any_of_v<get_value_t<get_value_t<X>>, float, double, fp16_t, _Float16>;
template <class Op, class X>
inline constexpr bool takes_vectors_v =
    is_any_of_v<Op, max_of, min_of> || (is_any_of_v<Op, abs_of, struct fma_of> && has_floats_v<X>);

// Applies Op to each element of x, which is a scalar, a vector, or an array of either. Another
// operand of x's type contributes the element at the same place. An operand of another type is
// passed whole to each element: a scalar beside a vector, a vector beside an array of vectors.
template <class X, class Y>
constexpr auto element_of(const Y& y, index_t i) {
    if constexpr (__is_same(X, Y)) {
        return y[i];
    } else {
        return y;
    }
}
template <class Op, class X, class... Y>
constexpr X by_element(const X& x, const Y&... y);
template <class Op, class X, class... Y>
constexpr auto one_element(index_t i, const X& x, const Y&... y) {
    return by_element<Op>(static_cast<get_value_t<X>>(x[i]), element_of<X>(y, i)...);
}
template <class Op, index_t... Is, class X, class... Y>
constexpr X each_element(seq<Is...>, const X& x, const Y&... y) {
    return X{one_element<Op>(Is, x, y...)...};
}
template <class Op, class X, class... Y>
constexpr X by_element(const X& x, const Y&... y) {
    constexpr bool fits = is_array_v<X> || (is_any_of_v<Y, X, get_value_t<X>> && ...);
    static_assert(fits,
                  "opus::max, min, med3, fma: the operands beside a vector are vectors of its type "
                  "or scalars of its elements' (cast)");
    if constexpr (fits && is_vector_v<X> && takes_vectors_v<Op, X>) {
        if (!__builtin_is_constant_evaluated()) {
            return of_vectors(Op{}, x, static_cast<X>(y)...);
        }
    }
    if constexpr (!fits) {
        return x;
    } else if constexpr (has_elements_v<X>) {
        return each_element<Op>(make_index_seq<size<X>()>{}, x, y...);
    } else {
        return Op::scalar(x, y...);
    }
}
}  // namespace impl

// The functions of opus.hpp's section 13.1 by element of vectors and arrays (of vectors, too). A
// scalar beside a vector counts for each of its elements: max(v, 0.0f). Pairs of elements take one
// instruction where the target has one: v_pk_fma_f32, v_pk_max_f16.
template <class X, class Y, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X max(const X& a, const Y& b) {
    return impl::by_element<impl::max_of>(a, b);
}
template <class X, class Y, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X min(const X& a, const Y& b) {
    return impl::by_element<impl::min_of>(a, b);
}
template <class X, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X max3(const X& a, const X& b, const X& c) {
    return max(max(a, b), c);
}
template <class X, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X min3(const X& a, const X& b, const X& c) {
    return min(min(a, b), c);
}
template <class X, class Y, class Z, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X med3(const X& a, const Y& b, const Z& c) {
    return impl::by_element<impl::med3_of>(a, b, c);
}

// max and min as function objects, beside plus and multiplies.
struct maximum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const {
        return opus::max(a, b);
    }
};
struct minimum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const {
        return opus::min(a, b);
    }
};

template <class X, impl::enable_if_t<impl::has_elements_v<X>> = 0>
constexpr X abs(const X& x) {
    return impl::by_element<impl::abs_of>(x);
}

// x, not below `low` and not above `high`, which are scalars or like x. A NaN becomes `low`.
template <class X, class Low, class High>
constexpr X clamp(const X& x, const Low& low, const High& high) {
    if constexpr (impl::has_elements_v<X>) {
        return med3(x, low, high);
    } else {
        return med3(x, static_cast<X>(low), static_cast<X>(high));
    }
}
// a / b rounded up; of constants a constant.
// @pre a >= 0, b > 0, and a + b - 1 fits the type of a + b
template <class A, class B>
constexpr auto ceil_div(const A& a, const B& b) {
    if constexpr (is_constant_v<A> && is_constant_v<B>) {
        return (a + b - number<1>{}) / b;
    } else {
        using sum = decltype(a + b);
        static_assert(!__is_floating_point(sum), "opus::ceil_div: integers are required");
        return (static_cast<sum>(a) + static_cast<sum>(b) - 1) / static_cast<sum>(b);
    }
}

#if defined(__HIP__)  // to the end of section 2
// The nearest integer (of two, the even one) and the next one below; scalars, vectors and arrays.
#define OPUS_ROUNDING(name)                                                          \
    namespace impl {                                                                 \
    struct name##_of {                                                               \
        template <class T>                                                           \
        OPUS_D static T scalar(T x) {                                                \
            static_assert(has_floats_v<array<T, 1>>,                                 \
                          "opus::" #name ": fp64, fp32 or fp16 is required (cast)"); \
            using in = __type_pack_element<is_fp16_v<T>, T, _Float16>;               \
            return static_cast<T>(__builtin_elementwise_##name(static_cast<in>(x))); \
        }                                                                            \
    };                                                                               \
    }                                                                                \
    template <class X>                                                               \
    OPUS_D X name(const X& x) {                                                      \
        return impl::by_element<impl::name##_of>(x);                                 \
    }
OPUS_ROUNDING(rint)
OPUS_ROUNDING(floor)
#undef OPUS_ROUNDING

template <class X, class Y, class Z, impl::enable_if_t<impl::has_elements_v<X>> = 0>
OPUS_D X fma(const X& a, const Y& b, const Z& c) {
    static_assert(impl::has_floats_v<X>, "opus::fma: fp64, fp32 or fp16 is required (cast)");
    if constexpr (impl::has_floats_v<X>) {
        return impl::by_element<impl::fma_of>(a, b, c);
    } else {
        return a;
    }
}
#define OPUS_ONE_INSTRUCTION(name)                                     \
    template <class X, impl::enable_if_t<impl::has_elements_v<X>> = 0> \
    OPUS_D X name(const X& x) {                                        \
        return impl::by_element<impl::name##_of>(x);                   \
    }
OPUS_ONE_INSTRUCTION(exp2)
OPUS_ONE_INSTRUCTION(log2)
OPUS_ONE_INSTRUCTION(rsqrt)
OPUS_ONE_INSTRUCTION(rcp)
#undef OPUS_ONE_INSTRUCTION

// == 2. shuffles ==================================================================================

// The wave of a thread in its workgroup, in a scalar register. (A workgroup of two or three
// dimensions passes the number of the thread.)
OPUS_D index_t wave_id(index_t thread = thread_id_x()) {
    return __builtin_amdgcn_readfirstlane(thread / get_warp_size());
}
// Whether pred holds in some active lane of the wave. All lanes get the same answer.
template <class Pred>
OPUS_D bool wave_any(Pred pred) {
    return ballot(pred) != 0;
}
template <class Pred>
OPUS_D bool warp_any(Pred pred) {
    return wave_any(pred);
}

namespace impl {
// x of lane `from` if that lane is in this lane's group of `width` lanes, else the lane's own x.
template <class T, class Width>
OPUS_D T shuffle_within(const T& x, index_t from, Width width) {
    check_shuffle_width<Width>();
    const index_t lane = lane_id();
    const bool inside = ((from ^ lane) & -static_cast<index_t>(width)) == 0;
    return map_registers(x, permute_from{inside ? from : lane});
}

// In the steps below, every lane reads its source directly and never through a third lane. So only
// the source lanes must be active.
template <index_t Control, index_t RowMask = 15, index_t BankMask = 15, bool BoundCtrl = true>
OPUS_D int dpp_word(int old, int word) {
    return __builtin_amdgcn_update_dpp(old, word, Control, RowMask, BankMask, BoundCtrl);
}
#if __has_builtin(__builtin_amdgcn_permlane16_swap)
// `word` of rows 0, 0, 2, 2 (Odd: 1, 1, 3, 3), or for Bit 32 of rows 0, 1, 0, 1 (2, 3, 2, 3).
template <index_t Bit, bool Odd>
struct swapped_rows {
    OPUS_D int operator()(int word) const {
        const unsigned bits = static_cast<unsigned>(word);
        const auto rows = Bit == 16 ? __builtin_amdgcn_permlane16_swap(bits, bits, false, false)
                                    : __builtin_amdgcn_permlane32_swap(bits, bits, false, false);
        return static_cast<int>(rows[Odd]);
    }
};
#endif
// `word` of lane n ^ Mask, for lane n. Mask is 1 .. 63.
template <index_t Mask>
struct permute_xor {
    OPUS_D int operator()(int word) const {
        if constexpr (Mask < 4) {
            return dpp_word<dpp::quad_perm<Mask, 1 ^ Mask, 2 ^ Mask, 3 ^ Mask>>(word, word);
        } else if constexpr (Mask == 7) {
            return dpp_word<dpp::row_half_mirror>(word, word);
        } else if constexpr (Mask == 15) {
            return dpp_word<dpp::row_mirror>(word, word);
        } else if constexpr (Mask == 8) {
            return dpp_word<dpp::row_ror<8>>(word, word);
        } else if constexpr (Mask == 4 || Mask == 12) {
            // row_ror:12 reads lane n + 4 of the row, row_ror:4 lane n - 4. For Mask 4, lanes with
            // bit 2 clear take the first; for Mask 12, lanes with bit 2 set do.
            return dpp_word<dpp::row_ror<Mask == 4 ? 4 : 12>, 15, 0xa>(
                dpp_word<dpp::row_ror<Mask == 4 ? 12 : 4>>(word, word), word);
#if __has_builtin(__builtin_amdgcn_permlane16_swap)
        } else if constexpr (Mask == 16 || Mask == 32) {
            return dpp_word<dpp::quad_perm<0, 1, 2, 3>, Mask == 16 ? 0xa : 0xc>(
                swapped_rows<Mask, 1>{}(word), swapped_rows<Mask, 0>{}(word));
#endif
        } else if constexpr (Mask < 32) {  // through the LDS crossbar, but without an address
            return __builtin_amdgcn_ds_swizzle(word, Mask << 10 | 0x1f);
        } else {
            return permute_from{lane_id() ^ Mask}(word);
        }
    }
};
// `word` of lane n + Distance, for lane n; its own `word` if that lane is not in its group of
// `Width` lanes. -Width < Distance < Width.
template <index_t Distance, index_t Width>
struct permute_shift {
    static constexpr index_t up = Distance < 0 ? -Distance : 0;
    static constexpr index_t row_shift = up ? 0x110 + up : 0x100 + Distance;
    static constexpr bool by_one = Distance == 1 || up == 1;
    static constexpr index_t wave_shift = up ? 0x138 : 0x130;

    // The same as a quad_perm control, within groups of at most 4 lanes.
    static constexpr index_t quad_perm() {
        constexpr index_t width = Width < 4 ? Width : 4;
        index_t code = 0;
        for (index_t lane = 0; lane < 4; lane++) {
            const index_t from = lane + Distance;
            code |= ((from ^ lane) & -width ? lane : from) << 2 * lane;
        }
        return code;
    }
    OPUS_D int operator()(int word) const {
        if constexpr (Width <= 4) {
            return dpp_word<quad_perm()>(word, word);
        } else if constexpr (Width == 16 || (Width == 64 && by_one)) {
            return dpp_word<Width == 16 ? row_shift : wave_shift, 15, 15, false>(word, word);
        } else if constexpr (Width == 8 && -4 <= Distance && Distance <= 4) {
            // row_shift serves the 4 lanes of 8 whose source is always one of the 8.
            const int inner = up == 4 || Distance == 4 ? word : dpp_word<quad_perm()>(word, word);
            return dpp_word<row_shift, 15, up ? 0xa : 0x5, false>(inner, word);
        } else {
            const index_t lane = lane_id();
            const bool inside = (((lane + Distance) ^ lane) & -Width) == 0;
            if constexpr (Width == 8 || by_one) {
                const int moved = dpp_word<Width == 8 ? row_shift : wave_shift>(word, word);
                return inside ? moved : word;
            } else {
                return permute_from{inside ? lane + Distance : lane}(word);
            }
        }
    }
};
// `mask` is known to the compiler, but not yet: Power and the powers of two below it are tried.
template <index_t Power, class T, class Width>
OPUS_D T shuffle_xor_by_power(const T& x, index_t mask, Width width) {
    if constexpr (Power == 0) {
        return shuffle_within(x, lane_id() ^ mask, width);
    } else {
        return mask == Power ? shfl_xor(x, number<Power>{}, number<Width::value>{})
                             : shuffle_xor_by_power<Power / 2>(x, mask, width);
    }
}
// x of lane n + distance, for lane n.
template <class T, class Distance, class Width>
OPUS_D T shuffle_by(const T& x, Distance distance, Width width) {
    return shuffle_within(x, lane_id() + static_cast<index_t>(distance), width);
}
template <class T, index_t Distance, index_t Width>
OPUS_D T shuffle_by(const T& x, number<Distance>, number<Width> width) {
    check_shuffle_width<decltype(width)>();
    if constexpr (Distance == 0 || Distance <= -Width || Distance >= Width) {
        return x;
    } else {
        return map_registers(x, permute_shift<Distance, Width>{});
    }
}
}  // namespace impl

// shfl_xor, shfl_up and shfl_down return x of lane ^ mask, lane - delta and lane + delta. A lane
// whose source is outside its group gets its own x. With numbers instead of integers, no address is
// computed. The following need no LDS instruction, only one or two v_mov_b32_dpp per register of x:
// masks 1, 2, 3, 4, 7, 8, 12 and 15, on gfx950 also 16 and 32 (v_permlane16_swap_b32,
// v_permlane32_swap_b32); deltas in groups of up to 16 lanes; a delta of 1 in all groups. An
// integer mask counts as a number if the compiler sees that it is a power of two.
template <class T, class Width = number<get_warp_size()>>
OPUS_D T shfl_xor(const T& x, index_t mask, Width width = {}, impl::caller at = {}) {
    impl::check_width(static_cast<index_t>(width), at);
    if constexpr (is_constant_v<Width>) {
        // For unrolled loops over powers of two. A mask known too late takes the general path.
        if (__builtin_constant_p(mask)) {
            return impl::shuffle_xor_by_power<32>(x, mask, width);
        }
    }
    return impl::shuffle_within(x, lane_id() ^ mask, width);
}
template <class T, index_t mask, index_t width = get_warp_size()>
OPUS_D T shfl_xor(const T& x, number<mask>, number<width> = {}) {
    impl::check_shuffle_width<number<width>>();
    if constexpr (mask <= 0 || mask >= width) {
        return x;
    } else {
        return impl::map_registers(x, impl::permute_xor<mask>{});
    }
}
template <class T, class Delta, class Width = number<get_warp_size()>>
OPUS_D T shfl_up(const T& x, Delta delta, Width width = {}, impl::caller at = {}) {
    impl::check_width(static_cast<index_t>(width), at);
    return impl::shuffle_by(x, -delta, width);
}
template <class T, class Delta, class Width = number<get_warp_size()>>
OPUS_D T shfl_down(const T& x, Delta delta, Width width = {}, impl::caller at = {}) {
    impl::check_width(static_cast<index_t>(width), at);
    return impl::shuffle_by(x, delta, width);
}
#endif

// == 3. reductions ================================================================================

namespace impl {
template <index_t Group, class T, index_t Size, class Op, index_t... Left, index_t... Groups>
constexpr auto reduce_level(const array<T, Size>& v, const Op& op, seq<Left...>, seq<Groups...>) {
    const auto of_group = [&](index_t i) {
        const auto two = static_cast<T>(op(v[i], v[i + 1]));
        if constexpr (Group == 3) {
            return static_cast<T>(op(two, v[i + 2]));
        } else {
            return two;
        }
    };
    return array<T, sizeof...(Left) + sizeof...(Groups)>{
        v[static_cast<index_t>(Size - 1 - Left)]..., of_group(Group * Groups)...};
}
template <class T, class X, class Y, index_t... Is, index_t... Js, class... First>
constexpr auto reduce_leaves(const X& x, seq<Is...>, const Y& y, seq<Js...>,
                             const First&... first) {
    return array<T, sizeof...(First) + sizeof...(Is) + sizeof...(Js)>{first..., x[Is]..., y[Js]...};
}
// Reduces all elements in groups of Group, then the results, and so on. The elements left over at
// one level come first at the next.
template <index_t Group, class T, index_t Size, class Op>
constexpr T reduce_tree(const array<T, Size>& v, const Op& op) {
    if constexpr (Size == 1) {
        return v[0];
    } else {
        constexpr index_t group = Size < Group ? Size : Group;
        return reduce_tree<Group>(reduce_level<group>(v, op, make_index_seq<Size % group>{},
                                                      make_index_seq<Size / group>{}),
                                  op);
    }
}
}  // namespace impl

// Reduces all elements of a vector or array (or of an array's vectors), and `first`, by a tree. op
// must be associative and commutative. maximum and minimum take in two values at a time
// (v_max3_f32). With plus and multiplies for fp32, and with each of the library's function objects
// for fp16, it works on pairs of elements.
// reduce(v, plus{}), largest = reduce(v, maximum{}, largest)
template <class X, class Op, class... First>
constexpr get_value_t<get_value_t<X>> reduce(const X& x, const Op& op, const First&... first) {
    using T = get_value_t<X>;
    constexpr index_t count = size<X>();
    constexpr bool is_order = is_any_of_v<Op, maximum, minimum>;
    constexpr bool is_ours = is_order || is_any_of_v<Op, plus, multiplies>;
    constexpr bool in_pairs =
        count > 2 && is_ours && (sizeof(T) == 2 || (__is_same(T, float) && !is_order));
    if constexpr (!impl::has_elements_v<X>) {
        return reduce(array<X, 1>{x}, op, first...);
    } else if constexpr (is_vector_v<T> || (is_array_v<X> && in_pairs)) {
        return reduce(to_vector(x), op, first...);
    } else {
        static_assert(count > 0 && sizeof...(First) <= 1 && (__is_same(First, T) && ...),
                      "opus::reduce: takes a vector or array with elements, a function object and, "
                      "if need be, one value of the elements' type");
        static_assert(!is_packs_v<T> && !impl::is_integer_code_v<T>,
                      "opus::reduce: the compiler takes codes for integers (cast to fp32)");
        if constexpr (is_packs_v<T> || impl::is_integer_code_v<T>) {
            return {};
        } else if constexpr (in_pairs && impl::is_fp16_v<T> && !__is_same(T, _Float16)) {
            // The sum of two vectors of __fp16 would be a vector of fp32.
            return static_cast<T>(reduce(__builtin_convertvector(x, vector_t<_Float16, count>), op,
                                         static_cast<_Float16>(first)...));
        } else if constexpr (in_pairs) {
            const auto two =
                impl::reduce_tree<2>(impl::split_vector<2>(x, make_index_seq<count / 2>{}), op);
            using left_over = make_index_seq<count - count % 2, count>;
            return impl::reduce_tree<2>(
                impl::reduce_leaves<T>(two, seq<0, 1>{}, x, left_over{}, first...), op);
        } else {
            // An even number of values would leave one for a v_max_f32, whose operands the compiler
            // quiets (unlike those of v_max3_f32). In this case, the first value is taken twice.
            constexpr index_t twice =
                is_order && __is_same(T, float) && (count + sizeof...(First)) % 2 == 0 ? 1 : 0;
            return impl::reduce_tree<is_order ? 3 : 2>(
                impl::reduce_leaves<T>(x, make_index_seq<count>{}, x, make_index_seq<twice>{},
                                       first...),
                op);
        }
    }
}

#if defined(__HIP__)  // to the end of section 6
namespace impl {
// Starts with x. For each control, v = op(v, v of the lane that the control selects).
template <class T, class Op, index_t... Controls>
OPUS_D T reduce_by(const T& x, const Op& op, number<Controls>...) {
    T v = x;
    ((v = static_cast<T>(op(v, mov_dpp(v, number<Controls>{})))), ...);
    return v;
}

// In place: the steps of reduce_wave from the second on, those of reduce_lanes within a row (both
// only for maximum and minimum), and those of scan_wave from the second on, in which a lane without
// a source keeps its value.
// As builtins, each step would be three instructions: the compiler assumes that a value from
// another lane may be a signalling NaN, and quiets it. The wait states are those of the ISA guide
// (4.5): 5 after a write of EXEC, 2 after a write of the register that DPP reads. The last of these
// also serve the v_readlane_b32 that follows.
// @pre v is quiet, in a register of its own that a vector instruction wrote: the compiler does not
// see into the asm, and would not wait for a matrix instruction that writes or reads v
// clang-format off
#define OPUS_STEP(instruction, from) "\n\t" instruction " %0, %0, %0 " from "\n\ts_nop 1"
#define OPUS_ROW_STEPS(instruction)                                                       \
    OPUS_STEP(instruction, "quad_perm:[2,3,0,1]") OPUS_STEP(instruction, "row_half_mirror") \
    OPUS_STEP(instruction, "row_mirror")
#define OPUS_IN_PLACE(name, Op, Number, steps)      \
    OPUS_D Number name(Number v, const Op&) {       \
        asm("s_nop 4" steps : "+v"(v));             \
        return v;                                   \
    }
#define OPUS_ALL_IN_PLACE(Op, Number, instruction)                                             \
    OPUS_IN_PLACE(reduce_row_in_place, Op, Number, OPUS_ROW_STEPS(instruction))                \
    OPUS_IN_PLACE(reduce_in_place, Op, Number,                                                 \
        OPUS_ROW_STEPS(instruction)                                                            \
        OPUS_STEP(instruction, "row_bcast:15") OPUS_STEP(instruction, "row_bcast:31"))         \
    OPUS_IN_PLACE(scan_in_place, Op, Number,                                                   \
        OPUS_STEP(instruction, "row_shr:2") OPUS_STEP(instruction, "row_shr:4")                \
        OPUS_STEP(instruction, "row_shr:8") OPUS_STEP(instruction, "row_bcast:15 row_mask:0xa") \
        OPUS_STEP(instruction, "row_bcast:31 row_mask:0xc"))
// clang-format on
OPUS_ALL_IN_PLACE(plus, float, "v_add_f32_dpp")
OPUS_ALL_IN_PLACE(maximum, float, "v_max_f32_dpp")
OPUS_ALL_IN_PLACE(minimum, float, "v_min_f32_dpp")
OPUS_ALL_IN_PLACE(plus, _Float16, "v_add_f16_dpp")
OPUS_ALL_IN_PLACE(maximum, _Float16, "v_max_f16_dpp")
OPUS_ALL_IN_PLACE(minimum, _Float16, "v_min_f16_dpp")
#undef OPUS_ALL_IN_PLACE
#undef OPUS_IN_PLACE
#undef OPUS_ROW_STEPS
#undef OPUS_STEP
template <class T>
using in_asm_t = __type_pack_element<__is_same(T, float), _Float16, float>;
template <class T, class Op>
inline constexpr bool reduces_in_place_v =
    is_any_of_v<T, float, fp16_t, _Float16> && is_any_of_v<Op, maximum, minimum>;
}  // namespace impl

// Reduces x over all lanes of the wave; every lane gets the result. op must be associative and
// commutative. (Floating point: all lanes get the same bits; the order of the operations is the
// library's choice.)
// @pre all 64 lanes are active
// reduce_wave(x, plus{})
template <class T, class Op>
OPUS_D T reduce_wave(const T& x, const Op& op) {
    static_assert(!impl::is_integer_code_v<get_value_t<T>>,
                  "opus::reduce_wave, reduce_block: the compiler takes codes of fp8 and bf8 for "
                  "integers (cast to fp32)");
    // After quad_perm<1, 0, 3, 2>, <2, 3, 0, 1>, row_half_mirror and row_mirror, every lane has the
    // result of its 2, 4, 8 and 16 lanes. After row_bcast15, the lanes of rows 1 and 3 have the
    // result of two rows; after row_bcast31, lane 63 has the result of the wave.
    T v = x;
    if constexpr (impl::reduces_in_place_v<T, Op>) {
        // The first step, of builtins, quiets x and gives the others a register of their own.
        const T of_two = impl::reduce_by(x, op, dpp::quad_perm<1, 0, 3, 2>);
        v = static_cast<T>(impl::reduce_in_place(static_cast<impl::in_asm_t<T>>(of_two), op));
    } else {
        v = impl::reduce_by(x, op, dpp::quad_perm<1, 0, 3, 2>, dpp::quad_perm<2, 3, 0, 1>,
                            dpp::row_half_mirror, dpp::row_mirror, dpp::row_bcast15,
                            dpp::row_bcast31);
    }
    return readlane(v, number<63>{});
}

namespace impl {
// Applies op to v and to v of the lane whose number differs in bit `Bit`.
// @pre lanes that differ only in lower bits of Mask have the same v (so lane ^ 7 and lane ^ 15
// serve for 4 and 8)
template <index_t Mask, index_t Bit, class T, class Op>
OPUS_D T reduce_bit(const T& v, const Op& op) {
    if constexpr ((Mask & Bit) == 0) {
        return v;
#if __has_builtin(__builtin_amdgcn_permlane32_swap)
    } else if constexpr (Bit >= 16) {
        // One of the two is the lane's own v, the other is v of the other lane.
        const auto of_two = static_cast<T>(op(map_registers(v, swapped_rows<Bit, false>{}),
                                              map_registers(v, swapped_rows<Bit, true>{})));
        // v again, to get v_max3, whose operands need no quieting.
        return reduces_in_place_v<T, Op> ? static_cast<T>(op(of_two, v)) : of_two;
#endif
    } else {
        constexpr index_t lower = Mask & (Bit - 1);
        constexpr bool is_mirror = (Bit == 4 || Bit == 8) && lower == Bit - 1;
        return static_cast<T>(op(v, shfl_xor(v, number<is_mirror ? 2 * Bit - 1 : Bit>{})));
    }
}
template <index_t Mask, class T, class Op, index_t... Bits>
OPUS_D T reduce_bits(const T& x, const Op& op, seq<Bits...>) {
    T v = x;
    if constexpr (Mask % 16 == 15 && reduces_in_place_v<T, Op>) {
        v = static_cast<T>(
            reduce_row_in_place(static_cast<in_asm_t<T>>(reduce_bit<Mask, 1>(x, op)), op));
        ((v = reduce_bit<Mask & 48, Bits>(v, op)), ...);
    } else {
        ((v = reduce_bit<Mask, Bits>(v, op)), ...);
    }
    return v;
}
}  // namespace impl

// Reduces x over the lanes whose numbers differ from this one's only in bits of `mask`; each of
// them gets the result. 15_I selects the 16 lanes of a row, 48_I the lanes lane % 16 + 0, 16, 32,
// 48. For C of a matrix instruction with 16 columns (section 16), 15_I reduces over the columns of
// a row; 48_I reduces over the rows of a column, after `reduce` over the lane's registers. With 32
// columns the masks are 31_I and 32_I. op must be associative and commutative.
// Bits 1, 2, 4 and 8 cost one DPP operation each (4 and 8 cost two if lower bits are missing). Bits
// 16 and 32 cost one v_permlane16_swap_b32 or v_permlane32_swap_b32 and one op each on gfx950, and
// one LDS instruction each on gfx942.
// @pre these lanes are active
template <class T, class Op, index_t mask>
OPUS_D T reduce_lanes(const T& x, const Op& op, number<mask>) {
    static_assert(mask >= 0 && mask < get_warp_size(),
                  "opus::reduce_lanes: the mask has bits of lane numbers, 0 .. 63");
    static_assert(!impl::is_integer_code_v<get_value_t<T>>,
                  "opus::reduce_lanes: the compiler takes codes of fp8 and bf8 for integers (cast "
                  "to fp32)");
    if constexpr (impl::is_integer_code_v<get_value_t<T>>) {
        return x;
    } else {
        return impl::reduce_bits<mask>(x, op, seq<1, 2, 4, 8, 16, 32>{});
    }
}

namespace impl {
// The names max and min, which are function templates, convert to this type. Function objects and
// functions are taken as they are.
template <class T>
struct template_name {
    OPUS_D template_name(T (*)(const T&, const T&)) {}
};

// Starts with x. For each distance d that is less than `lanes`, lane n computes v = op(v, v of lane
// n + d of the row).
template <index_t... Distances, class T, class Op>
OPUS_D T reduce_rows(const T& x, const Op& op, index_t lanes) {
    T v = x;
    const auto take_in = [&](const T& other, index_t distance) {
        v = distance < lanes ? static_cast<T>(op(v, other)) : v;
    };
    (take_in(mov_dpp(v, dpp::row_shl<Distances>), Distances), ...);
    return v;
}
// Reduces x over the first `lanes` lanes of the wave, whether or not the others are active.
// @pre lanes >= 1
template <class T, class Op>
OPUS_D T reduce_first(const T& x, const Op& op, index_t lanes) {
    const T of_row = reduce_rows<8, 4, 2, 1>(x, op, lanes - lane_id());  // in each row's first lane
    T v = readlane(of_row, number<0>{});
    static_for<16, get_warp_size(), 16>([&](auto lane) {
        if (lanes > lane.value) {
            v = static_cast<T>(op(v, readlane(of_row, lane)));
        }
    });
    return readfirstlane(v);
}
// Reduces x over the lanes of this wave that are among the workgroup's first `threads` threads.
template <class T, class Op>
OPUS_D T reduce_share(const T& x, const Op& op, index_t threads, index_t wave) {
    const index_t lanes = threads - wave * get_warp_size();
    return lanes >= get_warp_size() ? reduce_wave(x, op) : reduce_first(x, op, lanes);
}
// The number of the thread in its workgroup.
template <index_t ThreadsX, index_t ThreadsY, index_t ThreadsZ>
OPUS_D index_t thread_in_group() {
    if constexpr (ThreadsY * ThreadsZ > 1) {
        return (thread_id_z() * ThreadsY + thread_id_y()) * ThreadsX + thread_id_x();
    } else {
        return thread_id_x();
    }
}
}  // namespace impl
template <class T>
OPUS_D T reduce_wave(const T&, impl::template_name<T>) {
    static_assert(impl::always_false_v<T>,
                  "opus::reduce_wave, reduce_block: a function object is required (maximum{}, "
                  "minimum{}; max and min are functions)");
}

// reduce_wave for all threads of the workgroup, however many there are; all of them must call it.
// `smem` is LDS for one T per wave (at most 16). It may be in use up to the call; the workgroup
// must synchronise before it stores anything else there.
template <class T, class Op>
OPUS_D T reduce_block(const T& x, const Op& op, T* smem) {
    const index_t thread =
        (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    const index_t threads = block_size_x() * block_size_y() * block_size_z();
    const index_t waves = ceil_div(threads, get_warp_size());
    const index_t lane = lane_id();
    const index_t own = wave_id(thread);
    const T of_wave = impl::reduce_share(x, op, threads, own);
    sync_threads();
    if (lane == 0) {
        smem[own] = of_wave;
    }
    sync_threads();
    T v;
    if (threads % get_warp_size() == 0) {
        // Lane i of each row has the value of wave i and combines it with lanes i + 8, 4, 2, 1.
        const index_t wave = lane % 16;
        v = impl::reduce_rows<8, 4, 2, 1>(smem[wave < waves ? wave : waves - 1], op, waves - wave);
    } else {  // the last wave may have fewer lanes
        v = smem[0];
#pragma unroll 1
        for (index_t wave = 1; wave < waves; wave++) {
            v = static_cast<T>(op(v, smem[wave]));
        }
    }
    return readfirstlane(v);
}
// The same for a workgroup with a known number of threads, with one barrier instead of two. `smem`
// must not be in use at the call: the workgroup must synchronise between two calls with the same
// `smem`; calls that alternate between two buffers need no further barrier.
// @pre the workgroup has threads_x x threads_y x threads_z threads; its last wave may have more,
// which do not count
// reduce_block<256>(x, plus{}, smem), with 4 elements in smem
// reduce_block<48>(x, plus{}, smem): the first 48 threads of 48 to 64, no element in smem
template <index_t threads_x, index_t threads_y = 1, index_t threads_z = 1, class T, class Op>
OPUS_D T reduce_block(const T& x, const Op& op, T* smem) {
    constexpr index_t threads = threads_x * threads_y * threads_z;
    constexpr index_t waves = ceil_div(threads, get_warp_size());
    static_assert(threads >= 1 && waves <= 16,
                  "opus::reduce_block: the number of threads that count is 1 .. 1024");
    if constexpr (waves <= 1) {
        return impl::reduce_share(x, op, threads, 0);
    } else {
        const index_t thread = impl::thread_in_group<threads_x, threads_y, threads_z>();
        constexpr index_t all_waves = threads % get_warp_size() == 0;
        T v = impl::reduce_share(x, op, threads, all_waves ? 0 : wave_id(thread));
        if (thread % get_warp_size() == 0) {
            smem[thread / get_warp_size()] = v;
        }
        lds_barrier();
        v = smem[0];
        static_for<waves - 1>([&](auto i) { v = static_cast<T>(op(v, smem[i.value + 1])); });
        return readfirstlane(v);
    }
}
template <index_t... threads, class T>
OPUS_D T reduce_block(const T& x, impl::template_name<T> name, T*) {
    return reduce_wave(x, name);
}
// == 4. scans =====================================================================================

namespace impl {
// The operand y with op(y, x) == x, for plus, maximum and minimum. As the value for lanes without a
// source, it lets the compiler merge the move into op.
template <class Op, class T>
constexpr T neutral_beside(const T& x) {
    if constexpr (__is_same(Op, plus)) {
        return __is_integral(T) ? T{} : static_cast<T>(-0.0f);
    } else if constexpr (__is_integral(T)) {
        return __is_same(Op, maximum) ? numeric_limits<T>::lowest() : numeric_limits<T>::max();
    } else {
        return x;
    }
}
// Returns op(v of the lane that the control selects, v) in the rows of RowMask where has_source is
// true, and v elsewhere.
template <index_t RowMask = 15, class T, class Op, index_t Control>
OPUS_D T scan_step(const T& v, const Op& op, number<Control>, bool has_source) {
    constexpr auto words = make_index_seq<registers<T>::count>{};
    if constexpr (is_dtype_v<T> && is_any_of_v<Op, plus, maximum, minimum>) {
        const T before = update_dpp<Control, RowMask, 15, false>(neutral_beside<Op>(v), v, words);
        return static_cast<T>(op(before, v));
    } else {
        const T before = update_dpp<Control, 15, 15, true>(v, v, words);
        return has_source ? static_cast<T>(op(before, v)) : v;
    }
}
}  // namespace impl

// Inclusive scan in the order of the lanes: lane n gets x of lane 0 op ... op x of lane n. op must
// be associative; it need not be commutative. Uses no LDS.
// @pre the active lanes are the first ones of the wave
// scan_wave(x, plus{})
template <class T, class Op>
OPUS_D T scan_wave(const T& x, const Op& op) {
    static_assert(!impl::is_integer_code_v<get_value_t<T>>,
                  "opus::scan_wave, scan_block: the compiler takes codes of fp8 and bf8 for "
                  "integers (cast to fp32)");
    // The row_shr steps give every lane the result of the 2, 4, 8 and 16 lanes up to it, as far as
    // they are in its row. Then row_bcast15 combines the row before into rows 1 and 3, and
    // row_bcast31 combines the first two rows into rows 2 and 3.
    const index_t lane = lane_id();
    T v = impl::scan_step(x, op, dpp::row_shr<1>, lane % 16 >= 1);
    if constexpr (is_any_of_v<T, float, fp16_t, _Float16> &&
                  is_any_of_v<Op, plus, maximum, minimum>) {
        return static_cast<T>(impl::scan_in_place(static_cast<impl::in_asm_t<T>>(v), op));
    } else {
        v = impl::scan_step(v, op, dpp::row_shr<2>, lane % 16 >= 2);
        v = impl::scan_step(v, op, dpp::row_shr<4>, lane % 16 >= 4);
        v = impl::scan_step(v, op, dpp::row_shr<8>, lane % 16 >= 8);
        v = impl::scan_step<0xa>(v, op, dpp::row_bcast15, lane % 32 >= 16);
        return impl::scan_step<0xc>(v, op, dpp::row_bcast31, lane >= 32);
    }
}
// Exclusive scan: lane 0 gets `first`, lane n gets first op x of lane 0 op ... op x of lane n - 1.
// scan_wave_exclusive(count, plus{}, 0)
template <class T, class Op>
OPUS_D T scan_wave_exclusive(const T& x, const Op& op, const T& first) {
    return scan_wave(upd_dpp(first, x, dpp::wave_shr, number<15>{}, number<15>{}, false_type{}),
                     op);
}

namespace impl {
// What precedes a wave in a scan: `first` op the totals of the waves before it, without the waves
// before number Taken. smem holds the totals.
template <index_t Taken, index_t Waves, class T, class Op>
OPUS_D T before_wave(const T& first, const Op& op, const T* smem, index_t wave) {
    T v = first;
    static_for<Waves - 1 - Taken>([&](auto i) {
        constexpr index_t other = i.value + Taken;
        v = other < wave ? static_cast<T>(op(v, smem[other])) : v;
    });
    return v;
}
// Stores the totals of all waves but the last in smem.
template <index_t Waves, class T>
OPUS_D void share_totals(const T& of_lanes, T* smem, index_t thread) {
    static_assert(Waves >= 1 && Waves <= 16,
                  "opus::scan_block: the number of threads is 1 .. 1024");
    if constexpr (Waves > 1) {
        if (thread % get_warp_size() == get_warp_size() - 1) {
            smem[thread / get_warp_size()] = of_lanes;
        }
        lds_barrier();
    }
}
}  // namespace impl

// scan_wave over all threads of a workgroup with a known number of threads, in their order, with
// one barrier. The number and `smem`, LDS for one T per wave, have reduce_block<threads>'s rules.
// scan_block<256>(x, plus{}, smem), with 4 elements in smem
template <index_t threads_x, index_t threads_y = 1, index_t threads_z = 1, class T, class Op>
OPUS_D T scan_block(const T& x, const Op& op, T* smem) {
    constexpr index_t waves = ceil_div(threads_x * threads_y * threads_z, get_warp_size());
    const index_t thread = impl::thread_in_group<threads_x, threads_y, threads_z>();
    const T v = scan_wave(x, op);
    impl::share_totals<waves>(v, smem, thread);
    if constexpr (waves > 1) {
        const index_t wave = wave_id(thread);
        const T before = impl::before_wave<1, waves>(smem[0], op, smem, wave);
        return wave > 0 ? static_cast<T>(op(before, v)) : v;
    } else {
        return v;
    }
}
// Exclusive scan: the first thread gets `first`, as in scan_wave_exclusive.
template <index_t threads_x, index_t threads_y = 1, index_t threads_z = 1, class T, class Op>
OPUS_D T scan_block_exclusive(const T& x, const Op& op, const T& first, T* smem) {
    constexpr index_t waves = ceil_div(threads_x * threads_y * threads_z, get_warp_size());
    const index_t thread = impl::thread_in_group<threads_x, threads_y, threads_z>();
    const T v = scan_wave(x, op);
    impl::share_totals<waves>(v, smem, thread);
    const T before = impl::before_wave<0, waves>(first, op, smem, wave_id(thread));
    const T in_wave = mov_dpp(v, dpp::wave_shr);
    return thread % get_warp_size() == 0 ? before : static_cast<T>(op(before, in_wave));
}
// == 5. sorting ===================================================================================

namespace impl {
// x of lane n ^ Mask, by DPP and permlane swaps where they reach.
template <index_t Mask, class T>
OPUS_D T exchanged(const T& x) {
#if __has_builtin(__builtin_amdgcn_permlane32_swap)
    if constexpr (Mask == 31 || Mask == 63) {
        constexpr index_t top = (Mask + 1) / 2;
        return map_registers(exchanged<Mask - top>(x), permute_xor<top>{});
    }
#endif
    return map_registers(x, permute_xor<Mask>{});
}
// The smaller key goes to the lane with bit Bit clear (the larger one, if descending).
template <index_t Mask, index_t Bit, class Key, class... Value>
OPUS_D void compare_exchange(bool descending, Key& key, Value&... value) {
    const Key other = exchanged<Mask>(key);
    const bool is_first = ((lane_id() & Bit) == 0) != descending;
    // Strict both ways, so that of equal keys each lane keeps its own.
    const bool takes = is_first ? other < key : key < other;
    key = takes ? other : key;
    const auto take_value = [&](auto& x) {
        const auto from = exchanged<Mask>(x);
        x = takes ? from : x;
    };
    (take_value(value), ...);
}
// Sorts groups of 2 * Half lanes that hold bitonic sequences.
template <index_t Half, class... X>
OPUS_D void merge_lanes(bool descending, X&... x) {
    if constexpr (Half >= 1) {
        compare_exchange<Half, Half>(descending, x...);
        merge_lanes<Half / 2>(descending, x...);
    }
}
// Sorts groups of Lanes lanes: both halves alike, then the second half in the opposite order, which
// makes a bitonic sequence of the two.
template <index_t Lanes, class... X>
OPUS_D void sort_lanes(bool descending, X&... x) {
    if constexpr (Lanes >= 2) {
        sort_lanes<Lanes / 2>(descending, x...);
        compare_exchange<Lanes - 1, Lanes / 2>(descending, x...);
        merge_lanes<Lanes / 4>(descending, x...);
    }
}
template <index_t Lanes, class Key>
constexpr void check_sort() {
    static_assert(Lanes >= 2 && Lanes <= get_warp_size() && (Lanes & (Lanes - 1)) == 0,
                  "opus::bitonic_sort_wave, bitonic_merge_wave: 2, 4, 8, 16, 32 or 64 lanes");
    static_assert(is_any_of_v<Key, fp32_t, i32_t, u32_t>,
                  "opus::bitonic_sort_wave, bitonic_merge_wave: keys are fp32, i32 or u32 (cast)");
}
}  // namespace impl

// Sorts the keys of each group of `lanes` lanes: its lane i gets the key number i from below (from
// above, if descending). With a value, whose key it follows, the result is the tuple of both. The
// order of the values of equal keys is not that of the lanes. Lanes up to 15 apart exchange by DPP;
// others on gfx950 by permlane swaps, on gfx942 through the LDS crossbar.
// @pre all lanes of the group are active, and no key is a NaN
// auto [score, expert] = bitonic_sort_wave<16>(score, expert, true);
template <index_t lanes = get_warp_size(), class Key>
OPUS_D Key bitonic_sort_wave(Key key, bool descending = false) {
    impl::check_sort<lanes, Key>();
    impl::sort_lanes<lanes>(descending, key);
    return key;
}
template <index_t lanes = get_warp_size(), class Key, class Value>
OPUS_D tuple<Key, Value> bitonic_sort_wave(Key key, Value value, bool descending) {
    impl::check_sort<lanes, Key>();
    impl::sort_lanes<lanes>(descending, key, value);
    return {key, value};
}
// The same for groups whose keys rise and then fall, or fall and then rise (a bitonic sequence).
template <index_t lanes = get_warp_size(), class Key>
OPUS_D Key bitonic_merge_wave(Key key, bool descending = false) {
    impl::check_sort<lanes, Key>();
    impl::merge_lanes<lanes / 2>(descending, key);
    return key;
}
template <index_t lanes = get_warp_size(), class Key, class Value>
OPUS_D tuple<Key, Value> bitonic_merge_wave(Key key, Value value, bool descending) {
    impl::check_sort<lanes, Key>();
    impl::merge_lanes<lanes / 2>(descending, key, value);
    return {key, value};
}
// == 6. chunks ====================================================================================

// v * s, converted to D and saturated, as a vector of D (an array of fp4_t). v has an even number
// of fp32, fp16, bf16 or fp4 elements.
// fp8, bf8: beyond the format's largest value the largest of that sign; a NaN stays a NaN
// i8: the fraction is dropped; a NaN becomes 0
// to and from fp4: s is the scale of cast, a power of two: encoding divides by it, decoding
// multiplies
// others: v * s in fp32, then cast
template <class D, class V>
OPUS_D auto scaled_cast(const V& v, float s) {
    using T = get_value_t<V>;
    constexpr index_t count = size<V>();
    static_assert(is_any_of_v<T, fp32_t, fp16_t, bf16_t, fp4_t>,
                  "opus::scaled_cast: elements of fp32, fp16, bf16 or fp4 are required");
    static_assert(count % 2 == 0, "opus::scaled_cast: an even number of elements is required");
    if constexpr (is_same_v<T, fp4_t> || is_same_v<D, fp4_t>) {
        return cast<D>(v, s);
    } else {
        const auto x = cast<fp32_t>(v) * s;
        if constexpr (is_any_of_v<D, fp8_t, bf8_t>) {
            return cast<D>(x, saturate{});
        } else {
            return cast<D>(x);
        }
    }
}

namespace impl {
// Chunks of ChunkBytes that a lane moves: of a row of its own, or one for each of Threads lanes in
// turn.
template <class T, index_t ChunkBytes, bool Interleave, index_t Threads>
struct chunks {
    static_assert(
        is_one_instruction<ChunkBytes>,
        "opus::load_vector_nbytes, store_vector_nbytes: a chunk has 1, 2, 4, 8, 12 or 16 bytes");
    static_assert(
        !is_packed_v<T> && ChunkBytes % sizeof(T) == 0,
        "opus::load_vector_nbytes, store_vector_nbytes: a chunk has whole elements of the "
        "buffer (u8_t for elements below a byte)");
    static constexpr index_t size = static_cast<index_t>(sizeof(T));
    static constexpr index_t elements = ChunkBytes / size;

    // Where chunk i starts in the row, in elements: what the instruction's immediate offset holds
    // (0 .. 4095 bytes), and the rest, for its scalar offset.
    static constexpr index_t start(index_t i) {
        return i * ChunkBytes * (Interleave ? Threads : 1);
    }
    static constexpr index_t immediate(index_t i) { return start(i) % 4096 / size; }
    static constexpr index_t scalar(index_t i) { return start(i) / 4096 * 4096 / size; }
};
template <class R, class V>
OPUS_D auto chunk_to_store(const V& v, [[maybe_unused]] float inverted_scale) {
    if constexpr (is_any_of_v<R, get_value_t<V>, fp32_t, fp16_t, bf16_t>) {
        return cast<R>(v);
    } else {
        static_assert(is_any_of_v<R, fp8_t, bf8_t, i8_t, fp4_t>,
                      "opus::store_vector, store_vector_nbytes: what is stored is v's own type, "
                      "fp32, fp16, bf16, fp8, bf8, i8 or fp4");
        return scaled_cast<R>(v, inverted_scale);
    }
}
}  // namespace impl

// A lane's vec_size elements from row_offset on (in elements), in chunks of chunk_bytes, one
// instruction each. Interleaved, chunk i is i * interleave_thread_size chunks further, so that as
// many lanes with neighbouring row_offsets read a row without gaps. Out of range as load.
// load_vector_nbytes<fp16_t, 32, 16>(g, lane * 32): elements lane * 32 + 0 ... 31
// load_vector_nbytes<fp16_t, 32, 16, 0, true>(g, lane * 8): lane * 8 + 0 ... 7, + 512 ... 519, ...
template <class T, index_t vec_size, index_t chunk_bytes, index_t aux = 0, bool interleave = false,
          index_t interleave_thread_size = get_warp_size()>
OPUS_D vector_t<T, vec_size> load_vector_nbytes(const gmem<T>& buffer, index_t row_offset) {
    using chunks = impl::chunks<T, chunk_bytes, interleave, interleave_thread_size>;
    static_assert(vec_size > 0 && vec_size % chunks::elements == 0,
                  "opus::load_vector_nbytes: vec_size elements are whole chunks of chunk_bytes");
    array<vector_t<T, chunks::elements>, vec_size / chunks::elements> pieces;
    static_for<vec_size / chunks::elements>([&](auto i) {
        pieces[i.value] = buffer.template load<chunks::elements, aux>(
            row_offset + chunks::immediate(i.value), chunks::scalar(i.value));
    });
    return to_vector(pieces);
}

// The reverse: stores v as R. R may be v's own type, fp32, fp16 or bf16 (cast), or fp8, bf8, i8 or
// fp4, which are scaled_cast<R>(v, inverted_scale). T may be another type for the same memory, as
// u8_t for fp4. chunk_bytes counts what is stored.
template <class T, class D, index_t vec_size, index_t chunk_bytes, index_t aux = 0,
          bool interleave = false, index_t interleave_thread_size = get_warp_size(), class R = T>
OPUS_D void store_vector_nbytes(const gmem<T>& buffer, const vector_t<D, vec_size>& v,
                                index_t row_offset, float inverted_scale = 1) {
    using chunks = impl::chunks<T, chunk_bytes, interleave, interleave_thread_size>;
    constexpr index_t per_chunk = chunk_bytes * 8 / sizeof_bits_v<R>;
    static_assert(vec_size > 0 && vec_size % per_chunk == 0,
                  "opus::store_vector_nbytes: vec_size elements are whole chunks of chunk_bytes");
    constexpr index_t count = vec_size / per_chunk;
    const auto pieces = impl::split_vector<per_chunk>(v, make_index_seq<count>{});
    static_for<count>([&](auto i) {
        using stored = vector_t<T, chunks::elements>;
        buffer.template store<chunks::elements>(
            __builtin_bit_cast(stored, impl::chunk_to_store<R>(pieces[i.value], inverted_scale)),
            row_offset + chunks::immediate(i.value), chunks::scalar(i.value), number<aux>{});
    });
}
// The same with the widest chunks, of 16, 8 or 4 bytes, that divide what a lane stores (if
// interleaved, the num_repeat-th part of it).
template <class T, class D, index_t vec_size, index_t aux = 0, bool interleave = false,
          index_t interleave_thread_size = get_warp_size(), index_t num_repeat = 1, class R = T>
OPUS_D void store_vector(const gmem<T>& buffer, const vector_t<D, vec_size>& v, index_t row_offset,
                         float inverted_scale = 1) {
    constexpr index_t bits = vec_size * sizeof_bits_v<R>;
    constexpr index_t parts = interleave ? num_repeat : 1;
    constexpr index_t bytes = bits % (8 * parts) == 0 ? bits / (8 * parts) : 1;
    static_assert(bytes % 4 == 0,
                  "opus::store_vector: what a lane stores at a time is a multiple of 4 bytes "
                  "(store_vector_nbytes takes other chunks)");
    constexpr index_t chunk_bytes = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
    store_vector_nbytes<T, D, vec_size, chunk_bytes, aux, interleave, interleave_thread_size, R>(
        buffer, v, row_offset, inverted_scale);
}
#endif

// == 7. tiles =====================================================================================

// The swizzle for rows of row_elements elements in LDS, without padding: reads of `bytes` bytes
// (ds_read_b128, b64) of A or B, by an instruction with 16 or 32 rows (columns), do not conflict.
// 2^banks bytes are in different banks: by default those of this target (of the host, gfx950's).
// composition(swizzle_for<fp16_t, 64>(), u)
template <class T, index_t row_elements, index_t bytes = 16, index_t rows = 16,
          index_t banks = OPUS_ON(7, 8, 8, 8)>
constexpr auto swizzle_for() {
    constexpr index_t size = row_elements * sizeof_bits_v<T> / 8;
    static_assert((bytes == 8 || bytes == 16) && (rows == 16 || rows == 32) &&
                      size >= 64 / rows * bytes && (size & (size - 1)) == 0,
                  "opus::swizzle_for: a row is a power of two of bytes and has what 64 lanes read "
                  "of it at a time; bytes are 8 or 16, rows 16 or 32");
    // On gfx950, lanes of two columns of reads are served together.
    constexpr index_t base = bytes == 16 || (banks == 8 && rows == 16) ? 4 : 3;
    constexpr index_t reach = bytes == 16 && rows == 16 && size == 64 ? 7 : banks;
    constexpr index_t row = __builtin_ctz(size);
    return swizzle<(row < reach ? row : reach) - base, base + 3 - __builtin_ctz(sizeof_bits_v<T>),
                   (row < reach ? reach : row) - base>{};
}

namespace impl {
// Selects the items of a tile from number First on, one by one.
template <index_t First, class Mask, class X, class Y, index_t... Is>
constexpr X select_items(const Mask& mask, const X& x, const Y& y, seq<Is...>) {
    if constexpr (is_array_v<X>) {
        constexpr index_t length = vector_traits<get_value_t<X>>::size();
        return X{select_items<First + Is * length>(mask, x[Is], element_of<X>(y, Is),
                                                   make_index_seq<length>{})...};
    } else {
        return X{(mask(number<First + Is>{})
                      ? x[Is]
                      : static_cast<get_value_t<X>>(element_of<X>(y, Is)))...};
    }
}
}  // namespace impl

// The elements of x where mask(i) holds, and those of y elsewhere. x is a vector, or a tile of
// vectors in an array; y has the same type or is one scalar. `mask` is what within() returns, or
// any function of the item's number.
// scores = select(inside, scores, -__builtin_inff());
template <class Mask, class X, class Y>
constexpr X select(const Mask& mask, const X& x, const Y& y) {
    static_assert(is_vector_v<X> || is_array_v<X>,
                  "opus::select: takes a vector, or an array of vectors");
    static_assert(__is_same(X, Y) || __is_convertible(Y, get_value_t<X>) ||
                      (is_array_v<X> && __is_convertible(Y, get_value_t<get_value_t<X>>)),
                  "opus::select: the values for the other elements are a tile of the same type, or "
                  "one scalar");
    return impl::select_items<0>(mask, x, y, make_index_seq<vector_traits<X>::size()>{});
}

#if defined(__HIP__)
// What g.load<vec>(u, more...) loads, and 0 for the items that are not within `rows` rows and
// `columns` columns of the coordinates, one by one. `coordinates` are those of u's operand
// (tile_coordinates_a, ...). A step of K, whole or not:
//   load_within<4>(g, u_a, coordinates, _, k - i, i)
template <index_t vec = 1, class Mem, class Layout, class Coordinates, class Rows, class Columns,
          class... More>
OPUS_D auto load_within(const Mem& g, const Layout& u, const Coordinates& coordinates,
                        const Rows& rows, const Columns& columns, const More&... more) {
    const auto x = g.template load<vec>(u, more...);
    static_assert(vector_traits<remove_cv_t<decltype(x)>>::size() == Coordinates::items,
                  "opus::load_within: the coordinates must be of as many items as the layout: take "
                  "those of the same operand of the same mma");
    return select(within(coordinates, rows, columns), x, typename Mem::scalar_type{});
}

// gmem of `count` elements of *p, of at most 4 GiB - 1, whatever integer count is. Of elements
// below a byte, the first is element `first` of *p, a multiple of 2 of 4 bits and of 4 of 6 (p + n
// would move n bytes).
template <class T, class Count>
OPUS_D gmem<remove_cv_t<T>> make_gmem_elements(const T* p, Count count, long_index_t first = 0) {
    static_assert(!__is_floating_point(Count), "opus::make_gmem_elements: the count is an integer");
    constexpr u64_t bits = impl::mem_units<T>::bits;
    constexpr u64_t most = 0xffffffffull * 8 / bits;
    const auto n = static_cast<u64_t>(count);
    return make_gmem(reinterpret_cast<const T*>(reinterpret_cast<const char*>(p) +
                                                first * static_cast<long_index_t>(bits) / 8),
                     static_cast<unsigned>(n <= most ? (n * bits + 7) / 8 : 0xffffffff));
}
#endif

namespace impl {
// The vector number Index of a flat tile. It can be read and assigned.
template <class Tile, class V, index_t Index>
struct tile_part {
    Tile& tile;

    constexpr V get() const { return slice(tile, number<begin>{}, number<end>{}); }
    constexpr operator V() const { return get(); }
    constexpr auto operator[](index_t i) const { return get()[i]; }
    constexpr const tile_part& operator=(const V& x) const {
        set_slice(tile, x, number<begin>{}, number<end>{});
        return *this;
    }
    constexpr const tile_part& operator=(const tile_part& x) const { return *this = x.get(); }

private:
    static constexpr index_t begin = Index * vector_traits<V>::size();
    static constexpr index_t end = begin + vector_traits<V>::size();
};
template <class Tile, class V, index_t Index>
struct is_tile_part<tile_part<Tile, V, Index>> : true_type {};

// A reference to the part if Tile is a reference to non-const; else the vector.
template <class V, class Im, class In, index_t Rows, index_t Columns, class Tile>
constexpr decltype(auto) part_of_tile(Tile&& tile) {
    using T = remove_cvref_t<Tile>;
    constexpr bool assigns = __is_lvalue_reference(Tile) && !__is_const(remove_reference_t<Tile>);
    constexpr index_t size = Rows * Columns * vector_traits<V>::size();
    constexpr index_t index = Im::value * Columns + In::value;
    static_assert(Im::value >= 0 && Im::value < Rows && In::value >= 0 && In::value < Columns,
                  "opus::tile_part_a, _b, _c: the repeats are 0 .. expd_m - 1 (expd_n, expd_k)");
    if constexpr (__is_same(T, array<V, Rows * Columns>)) {
        return static_cast<__type_pack_element<assigns, V, V&>>(tile[index]);
    } else {
        static_assert(__is_same(T, vector_t<get_value_t<V>, size>),
                      "opus::tile_part_a, _b, _c: the tile is a vtype_a (vtype_b, vtype_c) of the "
                      "mma, or an array of as many vectors");
        if constexpr (assigns) {
            return tile_part<T, V, index>{tile};
        } else {
            return tile_part<const T, V, index>{tile}.get();
        }
    }
}
template <class Mma, class... Repeats>
constexpr bool check_parts() {
    static_assert(
        Mma::is_tiled,
        "opus::tile_part_a, _b, _c: the mma must be tiled (make_tiled_mma; of another one "
        "the tile is the part)");
    static_assert((is_constant_v<Repeats> && ...),
                  "opus::tile_part_a, _b, _c: repeats are constants (write 0_I, not 0)");
    return Mma::is_tiled && (is_constant_v<Repeats> && ...);
}
}  // namespace impl

// tile_part_a, _b and _c: the part of a tile in registers that belongs to one instruction, by its
// repeats along M, N and K: an MMA::vtype_a (b, c). The part of a non-const tile can be assigned.
//   tile_part_c(mma, acc, 0_I, 1_I) = typename Mma::MMA{}(tile_part_a(mma, a, 0_I, 0_I),
//                                                         tile_part_b(mma, b, 1_I, 0_I),
//                                                         tile_part_c(mma, acc, 0_I, 1_I));
#define OPUS_TILE_PART(x, rows, columns)                                                    \
    template <class Mma, class Tile, class Row, class Column>                               \
    constexpr decltype(auto) tile_part_##x(const Mma&, Tile&& tile, Row, Column) {          \
        if constexpr (impl::check_parts<Mma, Row, Column>()) {                              \
            return impl::part_of_tile<typename Mma::MMA::vtype_##x, Row, Column, Mma::rows, \
                                      Mma::columns>(static_cast<Tile&&>(tile));             \
        } else {                                                                            \
            return (tile); /* no error follows */                                           \
        }                                                                                   \
    }
OPUS_TILE_PART(a, expd_m, expd_k)
OPUS_TILE_PART(b, expd_n, expd_k)
OPUS_TILE_PART(c, expd_m, expd_n)
#undef OPUS_TILE_PART

namespace impl {
// The scales of an operand of Rows rows: E repeats and T waves along these, EK and TK along K. `at`
// has wave and lane along the rows, then along K.
template <class At, index_t Rows, index_t K, index_t E, index_t T, index_t EK, index_t TK>
struct operand_scales {
    static constexpr index_t blocks = K / 32;
    static_assert(
        K % 32 == 0 && blocks * Rows == 64,
        "opus::partition_layout_scale, tile_coordinates_scale: the mma is of 16x16x128 or "
        "32x32x64, which take scales, or repeats and waves of these");

    At at;

    template <class Stride>
    constexpr auto layout(const Stride& stride) const {
        const auto row = get<0>(stride);
        const auto block = get<1>(stride);
        return make_layout(
            tuple<number<E>, number<T>, number<Rows>, number<EK>, number<TK>, number<blocks>>{},
            make_tuple(row * number<T * Rows>{}, row * number<Rows>{}, row,
                       block * number<TK * blocks>{}, block * number<blocks>{}, block),
            make_tuple(_, get<0>(at), get<1>(at), _, get<2>(at), get<3>(at)));
    }
    constexpr auto coordinates() const {
        const auto start = make_tuple(get<0>(at) * number<Rows>{} + get<1>(at),
                                      get<2>(at) * number<blocks>{} + get<3>(at));
        return tile_coordinates<issues<1, tuple<number<E>, number<EK>>>,
                                remove_cv_t<decltype(start)>, tuple<number<T * Rows>, number<0>>,
                                tuple<number<0>, number<TK * blocks>>>{start};
    }
};
}  // namespace impl

// partition_layout_scale_a and _b: where a lane's scales lie, one for each of its operands in the
// order of the registers (item im * EK + ik of A, in * EK + ik of B), in memory with a row of
// scales for each row of A (column of B) and a scale for each 32 k: strides (row, block).
// tile_coordinates_scale_a and _b: their rows and blocks, for within().
//   const auto u = partition_layout_scale_a(mma, make_tuple(k / 32, 1_I), thread);
//   c = mma(a, b, c, mma_scale_words(g.load<1>(u, i / 32)), ...);
#define OPUS_SCALES(x, row)                                                                        \
    namespace impl {                                                                               \
    template <class Mma>                                                                           \
    constexpr auto scales_##x(const Mma& mma, index_t thread) {                                    \
        const auto at = mma.p_coord_##x(thread);                                                   \
        if constexpr (Mma::is_tiled) {                                                             \
            return operand_scales<remove_cv_t<decltype(at)>, Mma::wave_##row, Mma::wave_k,         \
                                  Mma::expd_##row, Mma::tile_##row, Mma::expd_k, Mma::tile_k>{at}; \
        } else {                                                                                   \
            const auto of_one = make_tuple(number<0>{}, get<0>(at), number<0>{}, get<1>(at));      \
            return operand_scales<remove_cv_t<decltype(of_one)>, Mma::wave_##row, Mma::wave_k, 1,  \
                                  1, 1, 1>{of_one};                                                \
        }                                                                                          \
    }                                                                                              \
    }                                                                                              \
    template <class Mma, class Stride>                                                             \
    constexpr auto partition_layout_scale_##x(const Mma& mma, const Stride& stride,                \
                                              index_t thread, impl::caller at = {}) {              \
        impl::check_thread(mma, thread, at);                                                       \
        return impl::scales_##x(mma, thread).layout(stride);                                       \
    }                                                                                              \
    template <class Mma>                                                                           \
    constexpr auto tile_coordinates_scale_##x(const Mma& mma, index_t thread,                      \
                                              impl::caller at = {}) {                              \
        impl::check_thread(mma, thread, at);                                                       \
        return impl::scales_##x(mma, thread).coordinates();                                        \
    }
OPUS_SCALES(a, m)
OPUS_SCALES(b, n)
#undef OPUS_SCALES

// The scales of 1 to 4 steps, each loaded through such a layout, as an mma takes them: byte i of a
// word is of step i, which number<i> as sel_a or sel_b selects. One int for one operand, else an
// array.
//   const auto words = mma_scale_words(s0, s1, s2, s3);
//   c = mma(a, b, c, words, of_b, 2_I, 2_I);  // step 2
template <class V, class... More>
constexpr auto mma_scale_words(const V& first, const More&... more) {
    constexpr index_t count = vector_traits<V>::size();
    static_assert(sizeof...(More) < 4 && (__is_same(More, V) && ...) && sizeof(V) == count,
                  "opus::mma_scale_words: takes the scales of 1 to 4 steps, bytes, as they were "
                  "loaded");
    using bytes = array<u8_t, count>;
    array<int, count> words;
    int shift = 0;
    const auto add = [&](const bytes& x) {
        for (index_t i = 0; i < count; i++) {
            words[i] |= static_cast<int>(unsigned{x[i]} << shift);
        }
        shift += 8;
    };
    add(__builtin_bit_cast(bytes, first));
    (add(__builtin_bit_cast(bytes, more)), ...);
    if constexpr (count == 1) {
        return words[0];
    } else {
        return words;
    }
}

namespace impl {
// `type` is the same mma with runs of Run.
template <class Mma, index_t Run>
struct mma_in_runs {
    static_assert(always_false_v<Mma>,
                  "opus::chain_a, chain_b: takes what make_mfma and make_tiled_mma return");
};
template <class A, class B, class C, index_t WaveM, index_t WaveN, index_t WaveK, bool SwapAB,
          index_t Any, index_t Run>
struct mma_in_runs<mfma_with_layouts<A, B, C, WaveM, WaveN, WaveK, SwapAB, Any>, Run> {
    using type = mfma_with_layouts<A, B, C, WaveM, WaveN, WaveK, SwapAB, Run>;
    static constexpr index_t extents[3] = {WaveM, WaveN, WaveK};
    using repeats = seq<1, 1, 1>;
    using waves = repeats;
};
template <class Mma, class Repeats, class Waves, index_t Run>
struct mma_in_runs<tiled_mma<Mma, Repeats, Waves>, Run> {
    using type = tiled_mma<typename mma_in_runs<Mma, Run>::type, Repeats, Waves>;
    static constexpr index_t extents[3] = {Repeats::at(0) * Waves::at(0) * Mma::wave_m,
                                           Repeats::at(1) * Waves::at(1) * Mma::wave_n,
                                           Repeats::at(2) * Waves::at(2) * Mma::wave_k};
    using repeats = Repeats;
    using waves = Waves;
};

// Along is the dimension (M, N, K = 0, 1, 2) of the first mma that is K of the second. The other
// dimension of C is the same in both.
template <index_t Along, class First, class Second>
constexpr auto chain(const First&, const Second&) {
    using first = mma_in_runs<First, 0>;
    using second = mma_in_runs<Second, First::pack_c>;
    constexpr index_t other = 1 - Along;
    static_assert(first::waves::at(Along) == 1 && second::waves::at(2) == 1 &&
                      first::waves::at(other) == second::waves::at(other),
                  "opus::chain_a, chain_b: all K of the second mma must be in one wave of both "
                  "(tile 1 there), and the other dimension in as many waves");
    static_assert(First::blocks == 1 && Second::blocks == 1,
                  "opus::chain_a, chain_b: the instructions must have one block");
    static_assert(First::is_swapped == (Along == 1),
                  "opus::chain_a, chain_b: of the first mma the registers of C must run along K of "
                  "the second: chain_a takes mfma_adaptor_swap_ab, chain_b mfma_adaptor");
    static_assert(First::grpn_c == Second::grpm_a && Second::grpm_a == Second::grpn_b,
                  "opus::chain_a, chain_b: the instructions must have as many rows and columns as "
                  "each other (16x16 and 16x16, or 32x32 and 32x32)");
    static_assert(Second::run_a % First::pack_c == 0 && Second::run_a == Second::run_b &&
                      sizeof_bits_v<typename Second::dtype_a> != 6,
                  "opus::chain_a, chain_b: an operand of the second mma must have 4 elements in "
                  "turn of K (elements of 16, 8 or 4 bits, A and B of the same width; or both "
                  "products of fp64)");
    static_assert(first::extents[Along] == second::extents[2] &&
                      first::extents[other] == second::extents[other],
                  "opus::chain_a, chain_b: C of the first mma must have the extents of the operand "
                  "of the second, the repeats and waves included");
    static_assert(Along == 1 || first::repeats::at(0) == 1 || first::repeats::at(1) == 1,
                  "opus::chain_b: the first mma must have one repeat along M or N (chain_a has "
                  "tiles of both)");
    return typename second::type{};
}
}  // namespace impl

// Makes C of one product an operand of the next, from register to register. Returns `second` with
// layouts of its operands that walk K in the order in which C of `first` has it. With chain_a, C
// becomes A, and its registers run along N: `first` has mfma_adaptor_swap_ab. With chain_b, C
// becomes B, and its registers run along M. C, converted to the operand's type, is that operand
// without further steps. The other operand comes through partition_layout_a, _b, _a_tr or _b_tr of
// the mma that is returned.
//   auto qk = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 16_I, mfma_adaptor_swap_ab{});
//   auto pv = chain_a(qk, make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{},
//                                                                seq<32, 32, 16>{}));
//   o = pv(cast<bf16_t>(qk(q, k)), v, o);  // (Q * K^T) * V
// With g = l / 32, lane l has k = 8 * i + 4 * g + 0 ... 3 for i = 0 ... 3. In the tiled mma without
// chain_a, it has k = 16 * i + 8 * g + 0 ... 7 for i = 0 and 1.
template <class First, class Second>
constexpr auto chain_a(const First& first, const Second& second) {
    return impl::chain<1>(first, second);
}
template <class First, class Second>
constexpr auto chain_b(const First& first, const Second& second) {
    return impl::chain<0>(first, second);
}

// == 8. 4-bit integers ============================================================================
//
// What cast needs for int4_t and uint4_t.

namespace impl {
template <class D>
constexpr D int4_to_integer(int x) {
    return static_cast<D>(static_cast<D>(-1) > 0 && x < 0 ? 0 : x);
}
// To and from 4-bit integers. To all integers it saturates; others become the nearest 4-bit
// integer, of two the even one, and a NaN becomes 0.
template <class D, class T>
constexpr D convert_int4(T x) {
    if constexpr (is_int4_v<D> && is_integer_v<T>) {
        constexpr T low = static_cast<T>(static_cast<T>(-1) < 0 && D::is_signed ? -8 : 0);
        constexpr T high = D::is_signed ? 7 : 15;
        return D{static_cast<u8_t>((x < low ? low : x > high ? high : x) & 15)};
    } else if constexpr (is_int4_v<D>) {
        constexpr float low = D::is_signed ? -8 : 0;
        constexpr float high = D::is_signed ? 7 : 15;
        const float inside = __builtin_fminf(__builtin_fmaxf(zero_for_nan(to_fp32(x)), low), high);
        // Near 1.5 * 2^23 the floats are the integers: the sum's last bits are the result's.
        return D{static_cast<u8_t>(__builtin_bit_cast(u32_t, inside + 0x1.8p23f) & 15)};
    } else if constexpr (is_integer_v<D>) {
        return int4_to_integer<D>(x);
    } else {
        return from_fp32<D, 0>(to_fp32(x));
    }
}
#if OPUS_HAS_CVT_FP8
// The eight 4-bit integers of a word, as bytes. Signed ones are increased by 8, so all are 0 to 15.
template <class T>
struct int4_bytes {
    static constexpr u32_t offset = T::is_signed ? 8 : 0;
    u32_t even, odd;

    OPUS_D explicit int4_bytes(u32_t word)
        : even((word ^ offset * 0x11111111) & 0x0f0f0f0f),
          odd((word ^ offset * 0x11111111) >> 4 & 0x0f0f0f0f) {}
    // Elements 4 * Half to 4 * Half + 3.
    template <index_t Half>
    OPUS_D u32_t four() const {
        return __builtin_amdgcn_perm(odd, even, 0x05010400 + Half * 0x02020202);
    }
};
// Bytes 2 * At and 2 * At + 1, minus the offset. In fp16, 1024 + n has n in its last bits. In fp8,
// code n, for n from 0 to 15, is n times the smallest number.
template <class D, class T, index_t At>
OPUS_D vector_t<D, 2> int4_to_float(u32_t bytes) {
    if constexpr (is_same_v<D, fp16_t>) {
        const u32_t behind = __builtin_amdgcn_perm(bytes, 0x64646464, 0x00050004 + At * 0x00020002);
        return move_bits<fp16x2_t>(__builtin_bit_cast(builtin_vector_t<fp16_t, 2>, behind) -
                                   static_cast<_Float16>(1024 + int4_bytes<T>::offset));
    } else {
        constexpr float unit = 1 << (format_v<fp8_t>.bias + 2);
        return decode_fp8<At, fp8_t>(static_cast<int>(bytes)) * unit -
               static_cast<float>(int4_bytes<T>::offset);
    }
}
// A subtraction of 8 would borrow from the next byte, so this adds 0x80 - 8 and flips bit 7.
template <class T>
OPUS_D u32_t int4_to_i8(u32_t bytes) {
    return T::is_signed ? (bytes + 0x78787878) ^ 0x80808080 : bytes;
}
template <class R, class D, class S, index_t... Is>
OPUS_D R decode_int4(const S& s, seq<Is...>) {
    using T = get_value_t<S>;
    constexpr index_t n = size<S>();
    const auto words = words_of(s);
    if constexpr (is_any_of_v<D, fp32_t, fp16_t>) {
        return R{int4_to_float<D, T, Is / 2 % 2>(
            int4_bytes<T>(words[Is / 8]).template four<Is / 4 % 2>())[Is % 2]...};
    } else if constexpr (is_same_v<D, bf16_t>) {
        // Even and odd elements are decoded separately: bf16 results are put into pairs anyway.
        return R{fp32_to_bf16<2>(int4_to_float<fp32_t, T, Is / 4 % 2>(
            Is % 2 == 0 ? int4_bytes<T>(words[Is / 8]).even
                        : int4_bytes<T>(words[Is / 8]).odd)[Is / 2 % 2])...};
    } else if constexpr (is_same_v<D, i8_t> || (is_same_v<D, u8_t> && !T::is_signed)) {
        vector_t<u32_t, (n + 3) / 4> bytes;
        ((bytes[Is / 4] = int4_to_i8<T>(int4_bytes<T>(words[Is / 8]).template four<Is / 4 % 2>())),
         ...);
        return move_bits<R>(bytes);
    } else if constexpr (is_integer_v<D>) {
        return R{int4_to_integer<D>(T::is_signed
                                        ? static_cast<int>(words[Is / 8] << (28 - Is % 8 * 4)) >> 28
                                        : static_cast<int>(words[Is / 8] >> Is % 8 * 4 & 15))...};
    } else {
        return R{convert_int4<D>(value_at(s, Is))...};
    }
}
#endif
template <class R, class D, class S, index_t... Is>
constexpr R cast_int4(int4_result<R, D>, const S& s, [[maybe_unused]] seq<Is...> indices) {
#if OPUS_HAS_CVT_FP8
    if constexpr (is_int4_v<get_value_t<S>>) {
        if (!__builtin_is_constant_evaluated()) {
            return decode_int4<R, D>(s, indices);
        }
    }
#endif
    return R{convert_int4<D>(value_at(s, Is))...};
}
}  // namespace impl

}  // namespace opus

// The names of aiter_opus_plus.h, for kernels that are written with them.
#if defined(OPUS_PLUS_AITER_NAMES) && OPUS_PLUS_AITER_NAMES && defined(__HIP__)
namespace aiter {
inline constexpr int RT = ::opus::cache_rt;
inline constexpr int GROUP_NT = ::opus::cache_group_nt;
using ::opus::load_vector_nbytes;
using ::opus::scaled_cast;
using ::opus::store_vector;
using ::opus::store_vector_nbytes;
}  // namespace aiter
#endif

#pragma clang diagnostic pop
#pragma clang attribute pop

#endif  // OPUS_VERSION
#endif  // OPUS_OPUS_PLUS_HPP
