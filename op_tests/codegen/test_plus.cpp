// What the helpers of opus_plus.hpp compile to (plus.hip).
#include <gtest/gtest.h>

#include <string>

#include "isa.hpp"
#include "kernel_on.hpp"

namespace {

using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::read_kernel;

TEST_P(kernel_on, chunks_are_one_instruction_each_and_share_one_address) {
    const std::string file = isa_file(std::string("plus_") + GetParam());
    const kernel_isa row = read_kernel(file, "load_row");
    EXPECT_EQ(row.count_prefix("buffer_load_dwordx4"), 4);
    EXPECT_EQ(row.count_prefix("buffer_store_dwordx4"), 4);
    EXPECT_EQ(row.count_containing("offen offset:48"), 2);
    EXPECT_EQ(row.valu(), 1);  // the lane's offset in bytes
    // 4096 bytes apart: in the scalar offset.
    const kernel_isa interleaved = read_kernel(file, "load_interleaved");
    EXPECT_EQ(interleaved.count_prefix("buffer_load_dwordx4"), 4);
    EXPECT_EQ(interleaved.count_prefix("buffer_store_dwordx4"), 4);
    EXPECT_EQ(interleaved.count_containing("sc0 nt"), 4);  // the policy, of the loads alone
    EXPECT_EQ(interleaved.valu(), 1);
}

TEST_P(kernel_on, scaled_cast_multiplies_clamps_and_converts_pairs) {
    const kernel_isa k = read_kernel(isa_file(std::string("plus_") + GetParam()), "scale_two");
    EXPECT_EQ(k.count_prefix("v_pk_mul_f32"), 1);
    EXPECT_EQ(k.count_prefix("v_med3_f32"), 2);
    EXPECT_EQ(k.count_prefix("v_cvt_pk_fp8_f32"), 1);
    // A NaN stays one: v_med3_f32 of the size, and the sign for each.
    EXPECT_EQ(k.count_prefix("v_bfi_b32"), 2);
    EXPECT_EQ(k.count_prefix("v_cmp_") + k.count_prefix("v_cndmask_b32"), 0);
}

TEST_P(kernel_on, sorting_uses_lds_only_between_rows_on_gfx942) {
    const std::string file = isa_file(std::string("plus_") + GetParam());
    EXPECT_EQ(read_kernel(file, "sort_rows").count_prefix("ds_"), 0);
    // Between rows: lane ^ 31, ^ 63 and ^ 16.
    EXPECT_EQ(read_kernel(file, "sort_wave").count_prefix("ds_"),
              GetParam() == std::string("gfx942") ? 3 : 0);
}

}  // namespace
