#include "opus/opus_debug.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

// == adaptor_without_p_coord
// expect: opus::partition_layout_a, layout_a: for the index of a thread the adaptor must have p_coord_a
// lines: 26 the macro in the body of the adaptor is a level more
namespace adaptor_without_p_coord {
struct own_adaptor {
    constexpr auto shape_a() const { return make_tuple(8_I, 4_I, 2_I); }
    constexpr auto dim_a() const {
        return make_tuple(make_tuple(p_dim{}), make_tuple(p_dim{}, y_dim{}));
    }
    OPUS_ADAPTOR_LAYOUT_API_OPERAND(a)
};

auto x = partition_layout_a(own_adaptor{}, make_tuple(64, 1_I), 5);
}  // namespace adaptor_without_p_coord

// == chain_6_bits
// expect: opus::chain_a, chain_b: an operand of the second mma must have 4 elements in
namespace chain_6_bits {
auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<8, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_mfma<fp6_t, fp6_t, fp32_t>(16_I, 16_I, 128_I));
}  // namespace chain_6_bits

// == chain_a_not_swapped
// expect: opus::chain_a, chain_b: of the first mma the registers of C must run along K
namespace chain_a_not_swapped {
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
auto x = chain_a(mma, mma);
}  // namespace chain_a_not_swapped

// == chain_b_repeats
// expect: opus::chain_b: the first mma must have one repeat along M or N
namespace chain_b_repeats {
auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}));
}  // namespace chain_b_repeats

// == chain_b_swapped
// expect: opus::chain_a, chain_b: of the first mma the registers of C must run along K
namespace chain_b_swapped {
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_b(mma, mma);
}  // namespace chain_b_swapped

// == chain_blocks
// expect: opus::chain_a, chain_b: the instructions must have one block
namespace chain_blocks {
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 4_I, mfma_adaptor_swap_ab{});
auto x = chain_a(mma, mma);
}  // namespace chain_blocks

// == chain_extents
// expect: opus::chain_a, chain_b: C of the first mma must have the extents of the operand
namespace chain_extents {
auto x = chain_b(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                 make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I));
}  // namespace chain_extents

// == chain_of_another
// expect: opus::chain_a, chain_b: takes what make_mfma and make_tiled_mma return
namespace chain_of_another {
struct own_mma {};
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_a(mma, own_mma{});
}  // namespace chain_of_another

// == chain_of_two_widths
// expect: opus::chain_a, chain_b: an operand of the second mma must have 4 elements in
namespace chain_of_two_widths {
auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<8, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I));
}  // namespace chain_of_two_widths

// == chain_rows
// expect: opus::chain_a, chain_b: the instructions must have as many rows and columns as
namespace chain_rows {
auto x = chain_b(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                 make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 16_I));
}  // namespace chain_rows

// == chain_rows_of_a
// expect: opus::chain_a, chain_b: C of the first mma must have the extents of the operand
namespace chain_rows_of_a {
auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_a(
    mma, make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}));
}  // namespace chain_rows_of_a

// == chain_type
// expect: opus::chain_a, chain_b: an operand of the second mma must have 4 elements in
namespace chain_type {
auto x = chain_b(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                 make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 16_I, 4_I));
}  // namespace chain_type

// == chain_waves
// expect: opus::chain_a, chain_b: all K of the second mma must be in one wave of both
namespace chain_waves {
auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 2, 1>{}, seq<16, 16, 16>{}));
}  // namespace chain_waves

// == chain_waves_along_k
// expect: opus::chain_a, chain_b: all K of the second mma must be in one wave of both
namespace chain_waves_along_k {
auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<2, 1, 1>{}, seq<16, 16, 16>{}),
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 1, 2>{}, seq<16, 16, 16>{}));
}  // namespace chain_waves_along_k

// == dims_not_nested
// expect: opus: the dims must be a tuple of tuples
namespace dims_not_nested {
auto x =
    unfold_x_stride(tuple<tuple<p_dim>, y_dim>{}, opus::make_tuple(1, 2), opus::make_tuple(1, 2));
}  // namespace dims_not_nested

// == dims_of_another_type
// expect: opus: a dim must be p_dim or y_dim
namespace dims_of_another_type {
auto x = unfold_p_coord(tuple<tuple<y_dim, int>>{}, tuple<>{});
}  // namespace dims_of_another_type

// == layout_a_strides
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
namespace layout_a_strides {
auto x = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I).layout_a(make_tuple(1, 2, 1_I));
}  // namespace layout_a_strides

// == layout_b_p_coord
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
namespace layout_b_p_coord {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
auto x = mma.layout_b(make_tuple(64, 1_I), make_tuple(0, 0));
}  // namespace layout_b_p_coord

// == layout_c_strides_of_tiled_mma
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
namespace layout_c_strides_of_tiled_mma {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
auto x = mma.layout_c(64, 0);
}  // namespace layout_c_strides_of_tiled_mma

// == make_tiled_mma_integers
// expect: opus::make_tiled_mma: repeats and waves are constants .write 0_I, not 0
namespace make_tiled_mma_integers {
auto x = make_tiled_mma(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), 2, 2, 1, 1, 1, 1);
}  // namespace make_tiled_mma_integers

// == partition_layout_coord
// expect: opus::partition_layout: takes a layout without coordinate
namespace partition_layout_coord {
auto u = partition_layout(make_layout(make_tuple(8_I, 8_I), make_tuple(8_I, 1_I), make_tuple(1, _)),
                          tuple<tuple<y_dim>, tuple<p_dim>>{}, make_tuple(8_I, 8_I), make_tuple(1));
}  // namespace partition_layout_coord

// == partition_layout_p_coord
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
namespace partition_layout_p_coord {
auto x = partition_layout_c(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                            make_tuple(64, 1_I), make_tuple(1, 2, 3));
}  // namespace partition_layout_p_coord

// == partition_layout_p_coord_packed
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
namespace partition_layout_p_coord_packed {
auto x =
    partition_layout_b_packed(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), make_tuple(1));
}  // namespace partition_layout_p_coord_packed

// == partition_layout_strides
// expect: 1 == 2|strides == rank.*opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
namespace partition_layout_strides {
auto x =
    partition_layout_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), make_tuple(1_I), 0);
}  // namespace partition_layout_strides

// == partition_layout_thread_of_float
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
namespace partition_layout_thread_of_float {
auto x = partition_layout_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                            make_tuple(64, 1_I), 1.5f);
}  // namespace partition_layout_thread_of_float

// == partition_layout_tr_rows
// expect: opus::partition_layout_a_tr, _b_tr: the instruction must have a multiple of 16
namespace partition_layout_tr_rows {
auto u = partition_layout_a_tr(make_mfma<fp16_t, fp16_t, fp32_t>(4_I, 4_I, 4_I),
                               make_tuple(64_I, 1_I, 64_I), make_tuple(0, 0, 0));
}  // namespace partition_layout_tr_rows

// == partition_layout_tr_run_time_stride
// expect: opus::partition_layout_a_tr, _b_tr: the stride of M .of N. must be 1_I
namespace partition_layout_tr_run_time_stride {
auto u = partition_layout_b_tr(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                               make_tuple(1, 64_I), make_tuple(0, 0));
}  // namespace partition_layout_tr_run_time_stride

// == partition_layout_tr_short_k
// expect: opus::partition_layout_a_tr, _b_tr: the instruction must have a multiple of 16
namespace partition_layout_tr_short_k {
auto u = partition_layout_a_tr(make_mfma<i8_t, i8_t, i32_t>(16_I, 16_I, 4_I),
                               make_tuple(64_I, 1_I, 64_I), make_tuple(0, 0, 0));
}  // namespace partition_layout_tr_short_k

// == partition_layout_tr_stride
// expect: opus::partition_layout_a_tr, _b_tr: the stride of M .of N. must be 1_I
namespace partition_layout_tr_stride {
auto u = partition_layout_a_tr(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                               make_tuple(64_I, 1_I), make_tuple(0, 0));
}  // namespace partition_layout_tr_stride

// == partition_layout_tr_strides
// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
namespace partition_layout_tr_strides {
auto x = partition_layout_b_tr(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), 1_I, 0);
}  // namespace partition_layout_tr_strides

// == partition_layout_tr_type
// expect: opus::partition_layout_a_tr, _b_tr: the operand must have elements of 16, 8, 6 or 4 bits
namespace partition_layout_tr_type {
auto u = partition_layout_b_tr(make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 16_I, 4_I),
                               make_tuple(1_I, 64_I), make_tuple(0, 0));
}  // namespace partition_layout_tr_type

// == print_tile_of_a
// expect: opus::print_tile: tiles\[thread\] must be the tile of a thread
namespace print_tile_of_a {
void f(const fp16x8_t* a) {
    print_tile(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I), a);
}
}  // namespace print_tile_of_a

// == tile_coordinates_thread
// expect: layout_a, _b, _c: where the lane is must be the index of a thread
namespace tile_coordinates_thread {
auto x = tile_coordinates_c(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), 1.5f);
}  // namespace tile_coordinates_thread

// == tile_part_a_integers
// expect: opus::tile_part_a, _b, _c: repeats are constants .write 0_I, not 0
namespace tile_part_a_integers {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
auto x = tile_part_a(mma, decltype(mma)::vtype_a{}, 0, 0);
}  // namespace tile_part_a_integers

// == tile_part_b_integers
// expect: opus::tile_part_a, _b, _c: repeats are constants .write 0_I, not 0
namespace tile_part_b_integers {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
auto x = tile_part_b(mma, decltype(mma)::vtype_b{}, 0, 0);
}  // namespace tile_part_b_integers

// == tile_part_c_integers
// expect: opus::tile_part_a, _b, _c: repeats are constants .write 0_I, not 0
namespace tile_part_c_integers {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
auto x = tile_part_c(mma, decltype(mma)::vtype_c{}, 0, 0);
}  // namespace tile_part_c_integers

// == tile_part_of_mfma
// expect: opus::tile_part_a, _b, _c: the mma must be tiled
namespace tile_part_of_mfma {
auto x = tile_part_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), fp16x4_t{}, 0_I, 0_I);
}  // namespace tile_part_of_mfma

// == tiled_mma_blocks
// expect: opus::make_tiled_mma: an operand must have two x-dims
namespace tiled_mma_blocks {
auto x = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 4>{})
             .shape_a();
}  // namespace tiled_mma_blocks

// == tiled_mma_no_repeat
// expect: opus::make_tiled_mma: repeats and waves must be at least 1
namespace tiled_mma_no_repeat {
auto x = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 0, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{})
             .shape_a();
}  // namespace tiled_mma_no_repeat

// == tiled_mma_no_wave
// expect: opus::make_tiled_mma: repeats and waves must be at least 1
namespace tiled_mma_no_wave {
constexpr auto wave = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
auto x = make_tiled_mma(wave, 1_I, 1_I, 1_I, 1_I, 1_I, 0_I).shape_a();
}  // namespace tiled_mma_no_wave

// == unfold_p_coord_count
// expect: opus::unfold_p_coord: one entry for each p_dim
namespace unfold_p_coord_count {
auto x = unfold_p_coord(tuple<tuple<y_dim, p_dim>>{}, opus::make_tuple(1, 2));
}  // namespace unfold_p_coord_count

// == unfold_x_stride_count
// expect: opus::unfold_x_stride: one stride for each x-dim
namespace unfold_x_stride_count {
auto x =
    unfold_x_stride(tuple<tuple<y_dim, p_dim>>{}, opus::make_tuple(1, 2), opus::make_tuple(1, 2));
}  // namespace unfold_x_stride_count

// == unfold_x_stride_shape
// expect: opus::unfold_x_stride: the shape must have an extent for each dim
namespace unfold_x_stride_shape {
auto x = unfold_x_stride(tuple<tuple<y_dim, p_dim>>{}, opus::make_tuple(1), opus::make_tuple(1));
}  // namespace unfold_x_stride_shape

// == within_limits
// expect: is_limit_v<float>.*opus::within: the number of rows and of columns are integers, numbers or _
// expect: is_limit_v<double>.*opus::within: the number of rows and of columns are integers, numbers or _
namespace within_limits {
constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{});
auto rows = within(tile_coordinates_c(mma, 0), 1.5f, 64);
auto columns = within(tile_coordinates_c(mma, 0), 64_I, 2.5);
}  // namespace within_limits
