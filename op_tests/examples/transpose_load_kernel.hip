// The kernel of examples/transpose_load: products that are exact, what the lanes read, and banks.
#include <gtest/gtest.h>

#define main transpose_load_main
#include "transpose_load.hip"
#undef main

namespace {

// == products =====================================================================================

template <order in_memory, order in_lds>
void expect_exact_product(const problem& p) {
    SCOPED_TRACE(testing::Message()
                 << "memory " << static_cast<int>(in_memory) << ", LDS " << static_cast<int>(in_lds)
                 << ": S[" << p.m << ", " << p.n << "], K = " << p.k);
    const std::vector<float> expected = reference(p);
    const std::vector<float> s = transpose_load<in_memory, in_lds>(p, 1).s;
    ASSERT_EQ(s.size(), expected.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        ASSERT_EQ(s[i], expected[i]) << "element " << i;
    }
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
        const problem p = random_problem(m, n, k, 7);
        expect_exact_product<order::rows, order::rows>(p);
        expect_exact_product<order::columns, order::rows>(p);
        if (transposed) {
            expect_exact_product<order::rows, order::columns>(p);
            expect_exact_product<order::columns, order::columns>(p);
        }
    }
}

TEST(transpose_load_kernel, reference_by_hand) {
    problem p{1, 2, 3, {1, 2, -3}, {4, 1, 1, 0, -2, 3}};
    EXPECT_EQ(reference(p), (std::vector<float>{3, -13}));
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
