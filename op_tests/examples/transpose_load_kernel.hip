// The kernel of examples/transpose_load: products that are exact, what the lanes read, and banks.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#define main transpose_load_main
#include "transpose_load.hip"
#undef main

#include "run_example.hpp"

namespace {

// == products =====================================================================================

// Small integers are exact in fp8, and so are their sums of products in f32.
examples::gemm_problem small_problem(int m, int n, int k) {
    examples::gemm_problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.type = examples::element::f32;
    for (const float x : examples_test::small_matrix(m, k, 0)) {
        p.a.push_back(static_cast<double>(x));
    }
    for (const float x : examples_test::small_matrix(n, k, 1)) {
        p.b.push_back(static_cast<double>(x));
    }
    return p;
}

template <order in_memory, order in_lds>
void expect_exact_product(const examples::gemm_problem& p) {
    SCOPED_TRACE(testing::Message()
                 << "memory " << static_cast<int>(in_memory) << ", LDS " << static_cast<int>(in_lds)
                 << ": S[" << p.m << ", " << p.n << "], K = " << p.k);
    const std::vector<float> expected =
        examples_test::product(examples::to<float>(p.a), examples::to<float>(p.b), p.m, p.n, p.k);
    EXPECT_EQ(examples::to<float>(transpose_load<in_memory, in_lds>(p).d), expected);
}

TEST(transpose_load_kernel, is_exact_at_every_edge) {
    const bool transposed = has_transposed_reads();
    for (const auto& [m, n, k] : {std::tuple(1, 1, 1),
                                  {2, 3, 5},
                                  {31, 33, 7},
                                  {32, 32, 128},
                                  {33, 65, 129},
                                  {100, 1, 300},
                                  {1, 100, 127},
                                  {70, 40, 257}}) {
        const examples::gemm_problem p = small_problem(m, n, k);
        expect_exact_product<order::rows, order::rows>(p);
        expect_exact_product<order::columns, order::rows>(p);
        if (transposed) {
            expect_exact_product<order::rows, order::columns>(p);
            expect_exact_product<order::columns, order::columns>(p);
        }
    }
}

TEST(transpose_load_kernel, ways_that_differ_are_an_error) {
    const examples::gemm_problem p = small_problem(3, 2, 5);
    std::optional<examples::gemm_result> first;
    testing::internal::CaptureStdout();
    run_and_report<order::rows, order::rows>(p, "gfx942", first);
    run_and_report<order::columns, order::rows>(p, "gfx942", first);
    first->d[4] += 1;
    EXPECT_THROW((run_and_report<order::columns, order::rows>(p, "gfx942", first)),
                 std::runtime_error);
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_NE(out.find("the same\n"), std::string::npos) << out;
    EXPECT_NE(out.find("DIFFERENT\n"), std::string::npos) << out;
}

TEST(transpose_load_kernel, rounds_to_fp8_of_both_targets) {
    std::vector<double> values{0, -1, 1.0625, 1.0626, 240, 0x1p-9, 0x1p-10, -247};
    round_to_fp8("A", values);
    EXPECT_EQ(values, (std::vector<double>{0, -1, 1, 1.125, 240, 0x1p-9, 0, -240}));
    values = {1, 300};
    EXPECT_THROW(round_to_fp8("A", values), examples::usage_error);
}

// == layouts ======================================================================================

// What is where in LDS after the copy: row * 128 + column of Q, -1 where nothing is.
template <order in_memory, order in_lds>
std::vector<int> contents() {
    std::vector<int> lds(static_cast<std::size_t>(lds_bytes(in_lds)), -1);
    for (int lane = 0; lane < 64; ++lane) {
        constexpr auto strides = lds_strides<in_lds>();
        const auto from = opus::layout_to_offsets<1>(copy_layout<in_memory>(
            lane, opus::make_tuple(opus::number<tile_k>{}, opus::number<1>{})));
        const auto to = opus::layout_to_offsets<1>(copy_layout<in_memory>(lane, strides));
        for (int i = 0; i < tile_bytes / 64; ++i) {
            int& place = lds.at(static_cast<std::size_t>(to[i]));
            EXPECT_EQ(place, -1) << "written twice, lane " << lane << ", element " << i;
            place = from[i];
        }
    }
    return lds;
}

template <order in_memory, order in_lds>
void expect_operands() {
    const std::vector<int> lds = contents<in_memory, in_lds>();
    const auto source = [&](int lane, int step, int e) {
        const int at = opus::layout_to_offsets<8>(read_layout<in_lds>(lane))[step];
        EXPECT_EQ(at % 8, 0);
        return lds.at(static_cast<std::size_t>(at + e));
    };
    for (int step = 0; step < steps; ++step) {
        for (int lane = 0; lane < 64; ++lane) {
            for (int e = 0; e < 8; ++e) {
                const int r = lane % 16;
                const int received = in_lds == order::rows
                                         ? source(lane, step, e)
                                         : source(lane - r + r / 8 + 2 * e, step, r % 8);
                ASSERT_EQ(received, lane % 32 * tile_k + step * 16 + lane / 32 * 8 + e)
                    << "step " << step << ", lane " << lane << ", element " << e;
            }
        }
    }
}

TEST(transpose_load_layouts, give_lanes_the_operand_of_the_instruction) {
    expect_operands<order::rows, order::rows>();
    expect_operands<order::columns, order::rows>();
    expect_operands<order::rows, order::columns>();
    expect_operands<order::columns, order::columns>();
}

// == counts =======================================================================================

TEST(transpose_load_counts, conflicts_of_known_patterns) {
    const auto conflicts = [](const char* arch, int pitch) {
        return count_conflicts("read_b64", arch, 8, [=](int lane, int i) {
            return lane % 32 * pitch + lane / 32 * 8 + i * 16;
        });
    };
    EXPECT_EQ(conflicts("gfx942", 0), 0);  // the same dwords for all
    EXPECT_EQ(conflicts("gfx942", 8), 0);  // one after the other
    EXPECT_EQ(conflicts("gfx942", 128),
              8 * 4 * 15);  // one pair of banks for the 16 lanes of a phase
    EXPECT_EQ(conflicts("gfx950", 128), 8 * 2 * 15);  // two pairs for 32 lanes
    EXPECT_EQ(conflicts("gfx950", 256), 8 * 2 * 31);
    EXPECT_EQ(conflicts("gfx950", 136), 0);
    EXPECT_EQ(count_conflicts("write_b8", "gfx950", 1, [](int, int) { return 0; }), std::nullopt);
}

TEST(transpose_load_counts, no_read_and_no_wide_write_has_conflicts) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        EXPECT_EQ(count_reads<order::rows>(arch).conflicts, 0);
    }
    EXPECT_EQ(count_reads<order::columns>("gfx950").conflicts, 0);
    const auto rows = count_writes<order::rows, order::rows>("gfx950");
    const auto columns = count_writes<order::columns, order::columns>("gfx950");
    EXPECT_EQ(rows.conflicts, 0);
    EXPECT_EQ(columns.conflicts, 0);
    EXPECT_EQ(rows.instructions, 4);
    EXPECT_EQ((count_writes<order::rows, order::columns>("gfx950").instructions), 64);
    EXPECT_EQ(lds_bytes(order::rows), 4352);
    EXPECT_EQ(lds_bytes(order::columns), 4096);
}

}  // namespace
