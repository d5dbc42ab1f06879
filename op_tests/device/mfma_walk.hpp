// A matrix instruction, or several along K, run in every way that the header has for it, against
// a product on the CPU. Operands are placed in registers by the formulas of laws/mfma_formulas.hpp,
// and once more through the layouts of both adaptors from matrices in memory, so that a wrong
// layout cannot cancel out. One kernel for each instruction; everything on the host is untyped.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "mfma_elements.hpp"
#include "opus/opus_debug.hpp"

namespace mfma_walk {

using namespace mfma_elements;

// == device =======================================================================================

// A row-major matrix for each block, in elements.
struct strides {
    int block;
    int row;
};

struct arguments {
    int* available;  // the mfma, and the instruction of its very K
    // The registers of the lanes, one lane after the other.
    const int* a_registers;
    const int* b_registers;
    const int* c_registers;
    int* with_c;
    int* without_c;
    int* with_scales;
    int* with_controls;  // one result after the other
    // A word of scales for each lane.
    const int* scale_a;
    const int* scale_b;
    // Matrices; C is read and written.
    const void* a;
    const void* b;
    void* c[2];  // for mfma_adaptor and mfma_adaptor_swap_ab
    void* c_scaled[2];
    strides a_strides;
    strides b_strides;
    strides c_strides;
};

// Which bytes of the scales' words are taken: by the instruction alone, and by the adaptors.
constexpr index_t selected_a[3] = {0, 1, 2};
constexpr index_t selected_b[3] = {0, 2, 1};

// Every legal cbsz and abid, and every blgp.
struct control {
    index_t cbsz;
    index_t abid;
    index_t blgp;
};
constexpr control control_of(index_t i) {
    if (i < 7) {
        return {0, 0, i + 1};
    }
    const index_t n = i - 5;
    const index_t cbsz = n < 4 ? 1 : n < 8 ? 2 : n < 16 ? 3 : 4;
    return {cbsz, n - (1 << cbsz), n % 8};
}
constexpr index_t controls_of(bool has_formats, bool is_f64, index_t blocks) {
    return has_formats ? 0 : is_f64 ? 7 : 7 + 2 * blocks - 2;
}
// Whether it is an f8f6f4 instruction, or made of them, where there are such.
template <class Mma>
inline constexpr bool may_have_scales_v = Mma::fmt_a >= 0 && Mma::wave_m * Mma::wave_k % 2048 == 0;
template <class Mma>
inline constexpr index_t controls_v =
    controls_of(may_have_scales_v<Mma>, is_same_v<typename Mma::dtype_a, fp64_t>, Mma::blocks);

template <class T, index_t elements>
inline constexpr index_t words_v = elements * sizeof_bits_v<T> / 32;

template <index_t words, class V>
OPUS_D V from_words(const int* image) {
    array<int, sizeof(V) / 4> all;
    const index_t first = lane_id() * words;
    static_for<words>([&](auto i) { all[i.value] = image[first + i]; });
    return __builtin_bit_cast(V, all);
}
template <class V>
OPUS_D void to_words(int* image, V v) {
    settle(v);
    constexpr index_t words = sizeof(V) / 4;
    const auto all = __builtin_bit_cast(array<int, words>, v);
    const index_t first = lane_id() * words;
    static_for<words>([&](auto i) { image[first + i] = all[i.value]; });
}

// An operand in the other form that an mfma takes: one element, or an array of them.
template <class V>
OPUS_D auto as_elements(const V& v) {
    if constexpr (opus::size<V>() == 1) {
        return v[0];
    } else {
        return to_array(v);
    }
}

template <index_t blocks>
OPUS_D auto x_stride(const strides& s) {
    if constexpr (blocks == 1) {
        return make_tuple(s.row, 1_I);
    } else {
        return make_tuple(s.block, s.row, 1_I);
    }
}

template <bool swapped, class Mma>
OPUS_D void multiply_matrices(const Mma& mma, const arguments& args) {
    constexpr index_t blocks = Mma::blocks;
    constexpr index_t vec_c = swapped ? Mma::pack_c : 1;
    const index_t lane = lane_id();
    const auto ua = partition_layout_a(mma, x_stride<blocks>(args.a_strides), lane);
    const auto ub = partition_layout_b(mma, x_stride<blocks>(args.b_strides), lane);
    const auto uc = partition_layout_c(mma, x_stride<blocks>(args.c_strides), lane);
    using dtype_c = typename Mma::dtype_c;
    const auto va =
        make_gmem(static_cast<const typename Mma::dtype_a*>(args.a)).template load<Mma::pack_a>(ua);
    const auto vb =
        make_gmem(static_cast<const typename Mma::dtype_b*>(args.b)).template load<Mma::pack_b>(ub);
    const auto gc = make_gmem(static_cast<dtype_c*>(args.c[swapped]));
    const auto vc = gc.template load<vec_c>(uc);
    gc.template store<vec_c>(mma(va, vb, vc), uc);
    if constexpr (Mma::instruction::row::has_formats) {
        const auto scaled =
            mma(va, vb, vc, args.scale_a[lane], args.scale_b[lane],
                number<selected_a[1 + swapped]>{}, number<selected_b[1 + swapped]>{});
        make_gmem(static_cast<dtype_c*>(args.c_scaled[swapped])).template store<vec_c>(scaled, uc);
    }
}

template <class Mma>
struct types;
template <class A, class B, class C, index_t M, index_t N, index_t K>
struct types<mfma<A, B, C, M, N, K>> {
    using a = A;
    using b = B;
    using c = C;
    OPUS_D static constexpr auto adaptor() { return make_mfma<A, B, C>(seq<M, N, K>{}); }
    OPUS_D static constexpr auto swapped() {
        return make_mfma<A, B, C>(seq<M, N, K>{}, mfma_adaptor_swap_ab{});
    }
    // The adaptor that issues (a, b) when it gets (b, a).
    OPUS_D static constexpr auto swapped_twice() {
        return make_mfma<B, A, C>(seq<N, M, K>{}, mfma_adaptor_swap_ab{});
    }
};

template <class Mma>
__global__ void multiply(arguments args) {
    args.available[0] = Mma::available;
    args.available[1] = Mma::available && Mma::steps == 1;
    if constexpr (Mma::available) {
        using all = types<Mma>;
        constexpr index_t words_c = words_v<typename Mma::dtype_c, Mma::elem_c>;
        constexpr index_t words_a = words_v<typename Mma::dtype_a, Mma::elem_a>;
        constexpr index_t words_b = words_v<typename Mma::dtype_b, Mma::elem_b>;
        const auto va = from_words<words_a, typename Mma::vtype_a>(args.a_registers);
        const auto vb = from_words<words_b, typename Mma::vtype_b>(args.b_registers);
        const auto vc = from_words<words_c, typename Mma::vtype_c>(args.c_registers);
        to_words(args.with_c, Mma{}(va, vb, vc));
        to_words(args.without_c, Mma{}(as_elements(va), as_elements(vb)));
        static_for<controls_v<Mma>>([&](auto i) {
            constexpr control x = control_of(i.value);
            int* const to = args.with_controls + i.value * 64 * words_c;
            if constexpr (i.value % 2 == 0) {
                to_words(to, all::adaptor()(va, vb, vc, number<x.cbsz>{}, number<x.abid>{},
                                            number<x.blgp>{}));
            } else {
                to_words(to, all::swapped_twice()(vb, va, vc, number<x.cbsz>{}, number<x.abid>{},
                                                  number<x.blgp>{}));
            }
        });
        if constexpr (Mma::row::has_formats) {
            const int scale_a = args.scale_a[lane_id()];
            const int scale_b = args.scale_b[lane_id()];
            if constexpr (Mma::steps == 1) {
                const auto ra = from_words<words_a, i32x8_t>(args.a_registers);
                const auto rb = from_words<words_b, i32x8_t>(args.b_registers);
                to_words(args.with_scales, all::adaptor()(ra, rb, vc, scale_a, scale_b));
            } else {
                to_words(args.with_scales, Mma{}(va, vb, vc, scale_a, scale_b));
            }
        }
        multiply_matrices<false>(all::adaptor(), args);
        multiply_matrices<true>(all::swapped(), args);
    }
}

// == host =========================================================================================
template <class Mma>
void launch(const arguments& args) {
    multiply<Mma><<<1, 64>>>(args);
}

// An mfma, and how to run it. k_step is the K of the instructions that it is made of on the
// target, 0 where it cannot be made.
struct subject {
    laws::instruction what;
    index_t controls;
    bool has_scales;
    int k_step;
    void (*run)(const arguments&);
};

// `what` says that there is no such instruction.
template <class Mma>
subject subject_of(int k_on_gfx942, int k_on_gfx950) {
    using all = types<Mma>;
    return {{element_v<typename all::a>, element_v<typename all::b>, element_v<typename all::c>,
             Mma::wave_m, Mma::wave_n, Mma::wave_k, Mma::blocks, 0, 0},
            controls_v<Mma>,
            may_have_scales_v<Mma> && target() == 950,
            target() == 942 ? k_on_gfx942 : k_on_gfx950,
            &launch<Mma>};
}

// What has been compared: targets are walked by different runs of the program.
struct counts {
    int subjects = 0;
    int available = 0;  // as one instruction
    int made_of_steps = 0;
    int products = 0;
};
inline counts& walked() {
    static counts all;
    return all;
}
inline void print_counts(const char* what) {
    const counts& n = walked();
    std::printf("%d %s: on gfx%d %d, and %d made of several; 2 adaptors; %d products\n", n.subjects,
                what, target(), n.available, n.made_of_steps, n.products);
}

// Elements of a result that are not as expected: how many, and the first of them.
struct mismatches {
    int count = 0;
    std::string first;

    void compare(int block, int row, int column, double value, double expected) {
        if (value != expected && ++count == 1) {
            std::ostringstream text;
            text << "block " << block << " row " << row << " column " << column << " is " << value
                 << ", not " << expected;
            first = text.str();
        }
    }
};

// The matrices and their images in registers and memory.
class product {
public:
    explicit product(const subject& s)
        : of(s),
          i(s.what),
          elem_a(i.m * i.k * i.blocks / 64),
          elem_b(i.n * i.k * i.blocks / 64),
          elem_c(i.m * i.n * i.blocks / 64),
          a(fill(i.a, i.m, i.k)),
          b(fill(i.b, i.n, i.k)),
          c(static_cast<size_t>(i.blocks * i.m * i.n)),
          scale_a(64),
          scale_b(64) {
        for (double& x : c) {
            x = static_cast<double>(random() % 33) - 16;
        }
        for (size_t lane = 0; lane < 64; lane++) {
            scale_a[lane] = random_scales();
            scale_b[lane] = random_scales();
        }
    }

    void check() {
        walked().subjects++;
        device_buffer<int> available(2);
        laws::image ra = registers(i.a, elem_a, i.m, a);
        laws::image rb = registers(i.b, elem_b, i.n, b);
        laws::image rc(static_cast<size_t>(64 * elem_c), i.c);
        each_result([&](int block, int row, int column) {
            rc.put(register_of_c(block, row, column), i.c, target(), at_c(block, row, column));
        });
        const strides sa = strides_for(i.m, i.k, 32, 64);
        const strides sb = strides_for(i.n, i.k, 64, 32);
        const strides sc = strides_for(i.m, i.n, 4, 8);
        laws::image ma = matrices(i.a, i.m, sa, a);
        laws::image mb = matrices(i.b, i.n, sb, b);
        laws::image mc(static_cast<size_t>(i.blocks * sc.block), i.c);
        each_result([&](int block, int row, int column) {
            mc.put(in_memory(sc, block, row, column), i.c, target(), at_c(block, row, column));
        });

        const device_buffer<uint8_t> a_registers(ra.bytes), b_registers(rb.bytes);
        const device_buffer<uint8_t> c_registers(rc.bytes);
        const device_buffer<uint8_t> a_memory(ma.bytes), b_memory(mb.bytes);
        const device_buffer<uint8_t> c_plain(mc.bytes), c_swapped(mc.bytes);
        const device_buffer<uint8_t> scaled_plain(mc.bytes), scaled_swapped(mc.bytes);
        const device_buffer<int> scales_a(scale_a), scales_b(scale_b);
        const size_t result = rc.bytes.size();
        device_buffer<uint8_t> with_c(result), without_c(result), with_scales(result);
        device_buffer<uint8_t> controls(result * static_cast<size_t>(of.controls) + 4);
        for (auto* out : {&with_c, &without_c, &with_scales, &controls}) {
            out->fill_bytes(0xff);
        }
        of.run({available.data(),
                reinterpret_cast<const int*>(a_registers.data()),
                reinterpret_cast<const int*>(b_registers.data()),
                reinterpret_cast<const int*>(c_registers.data()),
                reinterpret_cast<int*>(with_c.data()),
                reinterpret_cast<int*>(without_c.data()),
                reinterpret_cast<int*>(with_scales.data()),
                reinterpret_cast<int*>(controls.data()),
                scales_a.data(),
                scales_b.data(),
                a_memory.data(),
                b_memory.data(),
                {c_plain.data(), c_swapped.data()},
                {scaled_plain.data(), scaled_swapped.data()},
                sa,
                sb,
                sc});
        finish();
        const auto is_there = available.to_host();
        ASSERT_EQ(is_there[0] != 0, of.k_step != 0) << "on gfx" << target();
        ASSERT_EQ(is_there[1] != 0, i.is_on(target())) << "on gfx" << target();
        if (of.k_step == 0) {
            ASSERT_EQ(c_plain.to_host(), mc.bytes);
            return;
        }
        walked().available += i.is_on(target());
        walked().made_of_steps += of.k_step != i.k;

        check_registers("with c", with_c.to_host(), 0, {}, -1, true);
        check_registers("without c", without_c.to_host(), 0, {}, -1, false);
        const auto all_controls = controls.to_host();
        for (index_t n = 0; n < of.controls; n++) {
            const control x = control_of(n);
            check_registers("cbsz " + std::to_string(x.cbsz) + " abid " + std::to_string(x.abid) +
                                " blgp " + std::to_string(x.blgp),
                            all_controls, result * static_cast<size_t>(n), x, -1, true);
        }
        check_memory("mfma_adaptor", c_plain.to_host(), sc, -1);
        check_memory("mfma_adaptor_swap_ab", c_swapped.to_host(), sc, -1);
        if (of.has_scales) {
            check_registers("scales", with_scales.to_host(), 0, {}, 0, true);
            check_memory("mfma_adaptor, scales", scaled_plain.to_host(), sc, 1);
            check_memory("mfma_adaptor_swap_ab, scales", scaled_swapped.to_host(), sc, 2);
        }
    }

private:
    const subject& of;
    const laws::instruction& i;
    int elem_a;
    int elem_b;
    int elem_c;
    std::mt19937 random{20240611};
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> c;
    std::vector<int> scale_a;
    std::vector<int> scale_b;

    std::vector<double> fill(element e, int rows, int columns) {
        const auto values = laws::exact_values(e);
        std::vector<double> all(static_cast<size_t>(i.blocks * rows * columns));
        for (double& x : all) {
            x = values[random() % values.size()];
        }
        return all;
    }
    // Four bytes of 1/4 .. 2 (E8M0 with a bias of 127).
    int random_scales() {
        int word = 0;
        for (int byte = 0; byte < 4; byte++) {
            word |=
                static_cast<int>(125 + random() % 4) << 8 * byte & (byte == 3 ? 0x7f000000 : -1);
        }
        return word;
    }

    template <class F>
    void each_result(F f) const {
        for (int block = 0; block < i.blocks; block++) {
            for (int row = 0; row < i.m; row++) {
                for (int column = 0; column < i.n; column++) {
                    f(block, row, column);
                }
            }
        }
    }
    double at_c(int block, int row, int column) const {
        return c[static_cast<size_t>((block * i.m + row) * i.n + column)];
    }

    // Step k / k_step has its own items.
    laws::place place(element e, int rows, int block, int row, int k) const {
        const auto p = laws::operand_place(e, rows, of.k_step, i.blocks, block, row, k % of.k_step);
        const int per_step = rows * of.k_step * i.blocks / 64;
        return {p.lane, p.item + k / of.k_step * per_step};
    }
    laws::image registers(element e, int per_lane, int rows, const std::vector<double>& m) const {
        laws::image registers(static_cast<size_t>(64 * per_lane), e);
        for (int block = 0; block < i.blocks && of.k_step != 0; block++) {
            for (int row = 0; row < rows; row++) {
                for (int k = 0; k < i.k; k++) {
                    const auto p = place(e, rows, block, row, k);
                    registers.put(static_cast<size_t>(p.lane * per_lane + p.item), e, target(),
                                  m[static_cast<size_t>((block * rows + row) * i.k + k)]);
                }
            }
        }
        return registers;
    }
    // What the registers hold, as in the matrix m.
    std::vector<double> values_in_registers(element e, int per_lane, int rows,
                                            const std::vector<double>& m) const {
        std::vector<double> values(static_cast<size_t>(64 * per_lane));
        for (int block = 0; block < i.blocks; block++) {
            for (int row = 0; row < rows; row++) {
                for (int k = 0; k < i.k; k++) {
                    const auto p = place(e, rows, block, row, k);
                    values[static_cast<size_t>(p.lane * per_lane + p.item)] =
                        m[static_cast<size_t>((block * rows + row) * i.k + k)];
                }
            }
        }
        return values;
    }
    size_t register_of_c(int block, int row, int column) const {
        const auto p = laws::result_place(i.c, i.m, i.n, i.blocks, block, row, column);
        return static_cast<size_t>(p.lane * elem_c + p.item);
    }

    strides strides_for(int rows, int columns, int row_padding, int block_padding) const {
        const int row = columns + row_padding;
        return {rows * row + block_padding, row};
    }
    static size_t in_memory(const strides& s, int block, int row, int column) {
        return static_cast<size_t>(block * s.block + row * s.row + column);
    }
    laws::image matrices(element e, int rows, const strides& s,
                         const std::vector<double>& m) const {
        laws::image memory(static_cast<size_t>(i.blocks * s.block), e);
        for (int block = 0; block < i.blocks; block++) {
            for (int row = 0; row < rows; row++) {
                for (int k = 0; k < i.k; k++) {
                    memory.put(in_memory(s, block, row, k), e, target(),
                               m[static_cast<size_t>((block * rows + row) * i.k + k)]);
                }
            }
        }
        return memory;
    }

    // 2^ of what the scales of row (or column) `row` and of k say; `byte` is the first step's.
    int exponent(const std::vector<int>& scale, int rows, int row, int k, int byte) const {
        const int lane = row + rows * (k % of.k_step / 32);
        const int shift = 8 * (byte + k / of.k_step);
        return (scale[static_cast<size_t>(lane)] >> shift & 0xff) - 127;
    }

    // Registers against the definition: lanes permuted by the controls, fp64 negated; scales of the
    // selection `selected`, or none (-1).
    void check_registers(const std::string& how, const std::vector<uint8_t>& bytes, size_t first,
                         control x, int selected, bool with_c) const {
        laws::image got(static_cast<size_t>(64 * elem_c), i.c);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), got.bytes.size(),
                    got.bytes.begin());
        const auto values_a = values_in_registers(i.a, elem_a, i.m, a);
        const auto values_b = values_in_registers(i.b, elem_b, i.n, b);
        const bool f64 = i.a == element::f64;
        const double sign = f64 && (x.blgp & 1) != (x.blgp >> 1 & 1) ? -1 : 1;
        const double sign_c = f64 && (x.blgp & 4) != 0 ? -1 : 1;
        mismatches wrong;
        each_result([&](int block, int row, int column) {
            double sum = with_c ? sign_c * at_c(block, row, column) : 0;
            for (int k = 0; k < i.k; k++) {
                const int block_a = laws::broadcast_block_a(block, x.cbsz, x.abid);
                const auto pa = place(i.a, i.m, block_a, row, k);
                const auto pb = place(i.b, i.n, block, column, k);
                const int lb = f64 ? pb.lane : laws::broadcast_lane_b(pb.lane, x.blgp);
                const double one = values_a[static_cast<size_t>(pa.lane * elem_a + pa.item)] *
                                   values_b[static_cast<size_t>(lb * elem_b + pb.item)];
                sum += sign * scaled(one, row, column, k, selected);
            }
            const double value = got.get(register_of_c(block, row, column), i.c);
            wrong.compare(block, row, column, value, sum);
        });
        EXPECT_EQ(wrong.count, 0) << how << ": " << wrong.first;
        walked().products++;
    }
    double scaled(double x, int row, int column, int k, int selected) const {
        if (selected < 0) {
            return x;
        }
        return std::ldexp(x, exponent(scale_a, i.m, row, k, selected_a[selected]) +
                                 exponent(scale_b, i.n, column, k, selected_b[selected]));
    }

    void check_memory(const std::string& how, const std::vector<uint8_t>& bytes, const strides& s,
                      int selected) const {
        laws::image got(static_cast<size_t>(i.blocks * s.block), i.c);
        laws::image untouched = got;
        got.bytes = bytes;
        mismatches wrong;
        each_result([&](int block, int row, int column) {
            double sum = at_c(block, row, column);
            for (int k = 0; k < i.k; k++) {
                const double one = a[static_cast<size_t>((block * i.m + row) * i.k + k)] *
                                   b[static_cast<size_t>((block * i.n + column) * i.k + k)];
                sum += scaled(one, row, column, k, selected);
            }
            const size_t at = in_memory(s, block, row, column);
            const double value = got.get(at, i.c);
            wrong.compare(block, row, column, value, sum);
            untouched.put(at, i.c, target(), value);
        });
        EXPECT_EQ(wrong.count, 0) << how << ": " << wrong.first;
        EXPECT_EQ(untouched.bytes, got.bytes) << how << ": something else than C was written";
        walked().products++;
    }
};

// A row of the header's table, with what the independent list says of it; one that is not on the
// list exists nowhere.
template <class Mma>
subject row_subject() {
    subject s = subject_of<Mma>(0, 0);
    for (const laws::instruction& known : laws::all_instructions()) {
        const auto shape = [](const laws::instruction& x) {
            return std::tie(x.a, x.b, x.c, x.m, x.n);
        };
        if (shape(known) != shape(s.what)) {
            continue;
        }
        if (known.k == s.what.k && known.blocks == s.what.blocks) {
            s.what = known;
        }
        // One of twice or four times the K of another is made of it where it does not exist.
        if (known.is_on(target()) && known.blocks == s.what.blocks && s.what.k % known.k == 0 &&
            known.k > s.k_step) {
            s.k_step = known.k;
        }
    }
    return s;
}
template <bool with_formats, class... Mma>
std::vector<subject> rows_of(tuple<Mma...>) {
    std::vector<subject> all;
    const auto add = [&](auto mma) {
        using instruction = decltype(mma);
        if constexpr (may_have_scales_v<instruction> == with_formats) {
            all.push_back(row_subject<instruction>());
        }
    };
    (add(Mma{}), ...);
    return all;
}

// Every one, once.
inline void check_all(const std::vector<subject>& subjects, const char* what) {
    std::set<std::string> names;
    for (const subject& s : subjects) {
        SCOPED_TRACE(s.what.name());
        EXPECT_TRUE(names.insert(s.what.name()).second);
        product(s).check();
    }
    print_counts(what);
}

}  // namespace mfma_walk
