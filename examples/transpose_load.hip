// SPDX-License-Identifier: MIT
//
// transpose_load: two ways to read the A operand of S[M, N] = Q[M, K] * K[N, K]^T from LDS, fp8 in,
// f32 out, for any M, N and K. For mfma_f32_32x32x16_fp8_fp8 lane l needs 8 elements of row l % 32
// of Q that are consecutive along K.
//
//  (a) ds_read_b64. If LDS has rows of Q, the 8 elements of a lane are adjacent. The pitch of the
//      rows is 136 bytes. (With 128 all rows would begin in the same bank.)
//  (b) ds_read_b64_tr_b8, gfx950. In each group of 16 lanes, lane s points to 8 bytes and lane r
//      receives byte r % 8 of what the lanes r / 8 + 2 * n point to, n = 0 ... 7. So each byte that
//      a lane receives comes from another address, and LDS has columns of Q: 8 rows of one column
//      are adjacent, and the columns follow each other with a pitch of 32 bytes.
//
// Each read is run with Q stored by rows (as in QK^T) and by columns (as V in PV, seen from the
// product).
//
// The table that the program prints shows this for a tile of 32 x 128: LDS has the same work for
// both reads, 8 accesses of 512 bytes without bank conflicts. (a) takes half as many instructions,
// because the compiler joins two ds_read_b64 in a ds_read2_b64, and 4352 bytes of LDS; (b)
// takes 4096. They differ in how the tile gets into LDS: with 4 instructions of 16 bytes for each
// lane if the order in memory is that of LDS, otherwise with 64 instructions of one byte. Hence the
// conclusion: choose the read by how Q lies in memory, (a) by rows and (b) by columns; neither read
// justifies a change of order.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/gemm_host.hpp"
#include "layout_viewer/lds.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp32_t;
using opus::fp8_t;

// Which elements are consecutive in memory or in LDS: those of a row or those of a column.
enum class order { rows, columns };

constexpr int tile_m = 32;  // rows of Q and of K of one wave: one matrix instruction
constexpr int tile_k = 128;
constexpr int tile_bytes = tile_m * tile_k;  // of Q
constexpr int steps = tile_k / 16;           // matrix instructions along K
constexpr int pieces = tile_bytes / 64 / 8;  // of 8 bytes, that a lane brings to LDS

OPUS_H_D constexpr int lds_bytes(order in_lds) {
    return in_lds == order::rows ? tile_m * 136 : tile_k * 32;
}

// Strides of the rows and columns of Q in LDS.
template <order in_lds>
OPUS_H_D constexpr auto lds_strides() {
    using opus::number;
    if constexpr (in_lds == order::rows) {
        return opus::make_tuple(number<136>{}, number<1>{});
    } else {
        return opus::make_tuple(number<1>{}, number<32>{});
    }
}

// What a lane copies, for given strides of the rows and columns of Q: runs of 8 elements that are
// consecutive in memory. 16 lanes share a row, or 4 a column, unlike in any matrix instruction.
template <order in_memory, class Strides>
OPUS_H_D constexpr auto copy_layout(int lane, const Strides& strides) {
    using namespace opus;
    const auto row = get<0>(strides);
    const auto column = get<1>(strides);
    if constexpr (in_memory == order::rows) {
        return make_layout(make_tuple(number<pieces>{}, 4_I, 16_I, 8_I),
                           make_tuple(4_I * row, row, 8_I * column, column),
                           make_tuple(_, lane / 16, lane % 16, _));
    } else {
        return make_layout(make_tuple(number<pieces>{}, 16_I, 4_I, 8_I),
                           make_tuple(16_I * column, column, 8_I * row, row),
                           make_tuple(_, lane / 4, lane % 4, _));
    }
}

// The matrix instructions of a tile.
constexpr auto tile_mma = opus::make_tiled_mma<fp8_t, fp8_t, fp32_t>(
    opus::seq<1, 1, steps>{}, opus::seq<1, 1, 1>{}, opus::seq<tile_m, tile_m, 16>{});

// The 8 elements to which a lane points in each step. By rows these are the ones it needs, 8 of row
// lane % 32. By columns a group of 16 lanes covers 8 columns and 16 rows, a column for every two
// lanes.
template <order in_lds>
OPUS_H_D constexpr auto read_layout(int lane) {
    using namespace opus;
    if constexpr (in_lds == order::rows) {
        return partition_layout_a(tile_mma, lds_strides<in_lds>(), lane);
    } else {
        return partition_layout_a_tr(tile_mma, lds_strides<in_lds>(), lane);
    }
}

// One wave computes 32 x 32 elements of S. It reads rows of K straight from memory when it needs
// them.
// Grid: (tiles along N, tiles along M), 64 threads.
// @pre in memory Q and K are filled up with zeros to whole tiles: pitch_m and n to multiples of 32,
// pitch_k to one of 128
template <order in_memory, order in_lds>
__global__ __launch_bounds__(64) void transpose_load_kernel(const fp8_t* ptr_q, const fp8_t* ptr_k,
                                                            fp32_t* ptr_s, int m, int n,
                                                            int pitch_m, int pitch_k) {
    using namespace opus;
    if constexpr (in_lds == order::columns && !OPUS_HAS_LDS_TRANSPOSE_READ) {
        __builtin_trap();  // the host does not launch it
    } else {
        const int lane = thread_id_x();
        const long_index_t row = block_id_y() * tile_m;
        const long_index_t col = block_id_x() * tile_m;
        const int rows = m - static_cast<int>(row);
        const int cols = n - static_cast<int>(col);

        __shared__ __attribute__((aligned(16))) fp8_t lds[lds_bytes(in_lds)];
        const auto s_q = make_smem(lds);
        constexpr auto in_lds_strides = lds_strides<in_lds>();
        constexpr index_t written = in_memory == in_lds ? 8 : 1;  // elements of one write

        const auto mma = make_mfma<fp8_t, fp8_t, fp32_t>(32_I, 32_I, 16_I);
        const auto u_k = partition_layout_b(tile_mma, make_tuple(pitch_k, 1_I), lane);
        typename remove_cv_t<decltype(mma)>::vtype_c s;
        clear(s);
        const auto multiply_tiles = [&](const auto& strides) {
            const auto u_q = copy_layout<in_memory>(lane, strides);
            for (long_index_t k = 0; k < pitch_k; k += tile_k) {
                const auto g_q = make_gmem(ptr_q + row * get<0>(strides) + k * get<1>(strides));
                const auto g_k = make_gmem(ptr_k + col * pitch_k + k);
                const auto q_pieces = g_q.template load<8>(u_q);
                const auto tile_of_k = g_k.template load<8>(u_k);
                sync_threads();  // the tile before has been read
                s_q.template store<written>(q_pieces, copy_layout<in_memory>(lane, in_lds_strides));
                sync_threads();
                const auto tile_of_q = [&] {
                    if constexpr (in_lds == order::rows) {
                        return s_q.template load<8>(read_layout<in_lds>(lane));
                    } else {
                        return s_q.template tr_load<8>(read_layout<in_lds>(lane));
                    }
                }();
                static_for<steps>([&](auto i) {
                    const auto begin = number<i.value * 8>{};
                    const auto end = number<i.value * 8 + 8>{};
                    s = mma(slice(tile_of_q, begin, end), slice(tile_of_k, begin, end), s);
                });
            }
        };
        if constexpr (in_memory == order::rows) {
            multiply_tiles(make_tuple(pitch_k, 1_I));
        } else {
            multiply_tiles(make_tuple(1_I, pitch_m));
        }

        // As in gemm_naive: rows past M are outside the buffer, a column past N is the next row's.
        const auto g_s = make_gmem(
            ptr_s + row * n + col,
            static_cast<unsigned>((rows < tile_m ? rows : tile_m) * n - static_cast<int>(col)) *
                sizeof(fp32_t));
        const auto u_s = partition_layout_c(mma, make_tuple(n, 1_I), lane);
        g_s.template store_if<1>(within(tile_coordinates_c(mma, lane), _, cols), s, u_s);
    }
}

// f32 to fp8 as the device has it, with zeros up to whole tiles.
// Grid: (pitch_m, pitch_k / 128), 128 threads.
template <order in_memory>
__global__ __launch_bounds__(tile_k) void pack_kernel(const fp32_t* from, fp8_t* to, int m, int k,
                                                      int pitch_m, int pitch_k) {
    using opus::long_index_t;
    const long_index_t row = opus::block_id_x();
    const long_index_t column = opus::block_id_y() * tile_k + opus::thread_id_x();
    const fp32_t x = row < m && column < k ? from[row * k + column] : 0.0f;
    to[in_memory == order::rows ? row * pitch_k + column : column * pitch_m + row] =
        opus::cast<fp8_t>(x);
}

__global__ void has_transposed_reads_kernel(int* result) {
    *result = OPUS_HAS_LDS_TRANSPOSE_READ;
}

// == counts =======================================================================================

// What one wave moves to or from LDS for one tile.
struct lds_count {
    const char* instruction;
    int instructions;
    int bytes;                     // of all lanes
    std::optional<int> conflicts;  // turns beyond one for each phase; none: phases unknown
};

// Access i of a lane is `lane_bytes` from byte offset(lane, i) on, with the phases of the
// instruction `rule`.
template <class Offset>
std::optional<int> count_conflicts(const std::string& rule, const std::string& arch, int lane_bytes,
                                   Offset offset) {
    for (const viewer::lds_rule& r : viewer::lds_rules()) {
        if (r.operation != rule || r.arch != arch) {
            continue;
        }
        int conflicts = 0;
        for (int i = 0; i < tile_bytes / 64 / lane_bytes; ++i) {
            for (const viewer::indices& phase : r.phases) {
                std::vector<std::set<int>> banks(static_cast<std::size_t>(r.banks));
                std::size_t turns = 1;
                for (const auto lane : phase) {
                    for (int byte = 0; byte < lane_bytes; byte += 4) {
                        const int dword = (offset(static_cast<int>(lane), i) + byte) / 4;
                        auto& bank = banks[static_cast<std::size_t>(dword) % banks.size()];
                        bank.insert(dword);
                        turns = std::max(turns, bank.size());
                    }
                }
                conflicts += static_cast<int>(turns) - 1;
            }
        }
        return conflicts;
    }
    return std::nullopt;
}

// The instructions are those that the compiler generates; op_tests/codegen/test_examples.cpp counts
// them. The compiler joins two accesses of 8 bytes, except transposed reads, in one instruction,
// which has the conflicts of both.
template <order in_memory, order in_lds>
lds_count count_writes(const std::string& arch) {
    constexpr int bytes = in_memory == in_lds ? 8 : 1;
    const auto offset = [](int lane, int i) {
        constexpr auto strides = lds_strides<in_lds>();
        return opus::layout_to_offsets<bytes>(copy_layout<in_memory>(lane, strides))[i];
    };
    if constexpr (bytes == 1) {
        return {"ds_write_b8", 64, tile_bytes, count_conflicts("write_b8", arch, bytes, offset)};
    } else {
        return {in_lds == order::rows ? "ds_write2_b64" : "ds_write2st64_b64", 4, tile_bytes,
                count_conflicts("write_b64", arch, bytes, offset)};
    }
}

// The phases of transposed reads are not published; this assumes those of ds_read_b64.
template <order in_lds>
lds_count count_reads(const std::string& arch) {
    const auto conflicts = count_conflicts("read_b64", arch, 8, [](int lane, int i) {
        return opus::layout_to_offsets<8>(read_layout<in_lds>(lane))[i];
    });
    if constexpr (in_lds == order::rows) {
        return {"ds_read2_b64", 4, tile_bytes, conflicts};
    } else {
        return {"ds_read_b64_tr_b8", 8, tile_bytes, conflicts};
    }
}

// == host =========================================================================================

int round_up(int x, int to) {
    return (x + to - 1) / to * to;
}

// A matrix in fp8 on the device, filled up with zeros to whole tiles.
struct packed_matrix {
    int pitch_m;
    int pitch_k;
    examples::device_buffer<fp8_t> data;

    packed_matrix(order in_memory, const std::vector<double>& values, int m, int k)
        : pitch_m(round_up(m, tile_m)),
          pitch_k(round_up(k, tile_k)),
          data(static_cast<std::size_t>(pitch_m) * static_cast<std::size_t>(pitch_k)) {
        const examples::device_buffer<float> from(examples::to<float>(values));
        const auto kernel =
            in_memory == order::rows ? pack_kernel<order::rows> : pack_kernel<order::columns>;
        kernel<<<dim3(static_cast<unsigned>(pitch_m), static_cast<unsigned>(pitch_k / tile_k)),
                 tile_k>>>(from.data(), data.data(), m, k, pitch_m, pitch_k);
        examples::check(hipGetLastError(), "the launch of pack_kernel");
        examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    }
};

// A of the problem is Q, B is K.
template <order in_memory, order in_lds>
examples::gemm_result transpose_load(const examples::gemm_problem& p) {
    const packed_matrix q(in_memory, p.a, p.m, p.k);
    const packed_matrix k(order::rows, p.b, p.n, p.k);
    examples::device_buffer<float> s(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    s.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    const double milliseconds = examples::time_launches(p.iters, "transpose_load", [&] {
        transpose_load_kernel<in_memory, in_lds>
            <<<dim3(static_cast<unsigned>(k.pitch_m / tile_m),
                    static_cast<unsigned>(q.pitch_m / tile_m)),
               64>>>(q.data.data(), k.data.data(), s.data(), p.m, p.n, q.pitch_m, q.pitch_k);
    });
    return {s.result(), milliseconds};
}

bool has_transposed_reads() {
    examples::device_buffer<int> result(1);
    has_transposed_reads_kernel<<<1, 1>>>(result.data());
    examples::check(hipGetLastError(), "the launch of has_transposed_reads_kernel");
    return result.to_host()[0] != 0;
}

std::string text_of(const lds_count& c) {
    return std::to_string(c.instructions) + " " + c.instruction + ", " + std::to_string(c.bytes) +
           ", " + (c.conflicts ? std::to_string(*c.conflicts) : "unknown");
}

// Prints a row of the table. The first S is stored in `first`, and the others must equal it: all
// variants issue the same matrix instructions in the same order.
template <order in_memory, order in_lds>
void run_and_report(const examples::gemm_problem& p, const std::string& arch,
                    std::optional<examples::gemm_result>& first) {
    const bool by_rows = in_memory == order::rows;
    std::printf("%s Q by %-9s", in_lds == order::rows ? "(a)" : "(b)",
                by_rows ? "rows:" : "columns:");
    if (in_lds == order::columns && arch != "gfx950") {
        std::printf("not available: ds_read_b64_tr_b8 needs gfx950\n");
        return;
    }
    const examples::gemm_result r = transpose_load<in_memory, in_lds>(p);
    std::printf("%4d | %-35s | %-35s | ", lds_bytes(in_lds),
                text_of(count_writes<in_memory, in_lds>(arch)).c_str(),
                text_of(count_reads<in_lds>(arch)).c_str());
    if (r.milliseconds != 0) {
        std::printf("%.4g ms, ", r.milliseconds);
    }
    if (!first) {
        first = r;
        std::printf("see below\n");
    } else if (r.d == first->d) {
        std::printf("the same\n");
    } else {
        std::printf("DIFFERENT\n");
        throw examples::wrong_result("S differs from that of (a) by rows");
    }
}

examples::gemm_result run(const examples::gemm_problem& p) {
    const std::string arch = has_transposed_reads() ? "gfx950" : "gfx942";
    std::printf("counted: LDS of one wave for a tile of %d x %d of Q = A\n", tile_m, tile_k);
    std::printf("(a) read by rows, (b) transposed; the phases of (b) are assumed, as of (a)\n");
    std::printf("%-18s%4s | %-35s | %-35s | %s\n", "", "size", "writes, bytes, conflicts",
                "reads, bytes, conflicts", "S = C");
    std::optional<examples::gemm_result> first;
    run_and_report<order::rows, order::rows>(p, arch, first);
    run_and_report<order::rows, order::columns>(p, arch, first);
    run_and_report<order::columns, order::rows>(p, arch, first);
    run_and_report<order::columns, order::columns>(p, arch, first);
    return *first;
}

// Rounded to values that fp8 has in both formats, that of gfx942 and that of gfx950.
void round_to_fp8(const char* name, std::vector<double>& values) {
    constexpr double largest = 240;
    for (double& x : values) {
        const float rounded = opus::fp8_to_fp32(opus::fp32_to_fp8(static_cast<float>(x)));
        if (!(std::fabs(rounded) <= largest)) {
            char text[96];
            std::snprintf(text, sizeof(text),
                          "%s has an element %g: the largest fp8 of both targets is 240", name, x);
            throw examples::usage_error(text);
        }
        x = static_cast<double>(rounded);
    }
}

}  // namespace

int main(int argc, char** argv) {
    examples::gemm_example e;
    e.description =
        "fp8 in, f32 out; A, which is Q of S = Q * K^T, by plain and by transposed reads";
    e.m = 128;
    e.n = 128;
    e.k = 128;
    e.types = {examples::element::f32};
    e.adapt = [](examples::gemm_problem& p) {
        round_to_fp8("A", p.a);
        round_to_fp8("B", p.b);
        p.operand_bytes = (static_cast<double>(p.m) + p.n) * p.k;
        p.peak = &examples::machine_peaks::fp8;
    };
    return examples::gemm_main(argc, argv, e, run);
}
