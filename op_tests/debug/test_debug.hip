// What OPUS_DEBUG=1 checks. Each kernel does right or wrong by the number that it is given: what is
// wrong ends the program with the check, its values, the caller's line, the group and the lane; what
// is right runs through. #line gives the calls their numbers.
#pragma clang diagnostic ignored "-Wshorten-64-to-32"  // of offsets, on purpose
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"

static_assert(OPUS_DEBUG == 1);

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

// Group 1 is the one that may do wrong.
constexpr int groups = 2;
constexpr int threads = 128;

struct arguments {
    float* p;     // 4096 zeros
    long long x;  // what may be wrong
};

template <class Call>
__global__ void calls(arguments a) {
    if (block_id_x() == 1) {
        Call::call(a);
    }
}

template <class Call>
void run(long long x) {
    const device_buffer<float> floats(std::vector<float>(4096));
    calls<Call><<<groups, threads>>>({floats.data(), x});
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

std::string with_escapes(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string("()[]*+?.^$|{}").find(c) != std::string::npos) {
            result += '\\';
        }
        result += c;
    }
    return result;
}

// The first lane that does wrong is `thread` of its group.
template <class Call>
void expect_report(long long right, long long wrong, const std::string& what,
                   const std::string& values, int line, int thread = 0) {
    run<Call>(right);
    const std::string lane = std::to_string(thread % 64);
    const std::string report =
        with_escapes(what) + ".*: " + values +
        "\n.*OPUS_DEBUG\n  source .*test_debug\\.hip:" + std::to_string(line) + "\n.*calls.*\n.*" +
        with_escapes("(1, 0, 0), thread (" + std::to_string(thread) + ", 0, 0), lane " + lane) +
        "\n";
    EXPECT_EXIT(run<Call>(wrong), testing::ExitedWithCode(70), report);
}

using tile = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(
    seq<1, 1, 1>{}, seq<2, 1, 1>{}, seq<16, 16, 16>{}, mfma_adaptor_swap_ab{}));

__device__ void use(float* p, float x) {
    p[thread_id_x()] = x;
}
// A layout of one vector of 4 for each thread.
template <class Stride>
__device__ auto by_thread(int row, Stride stride) {
    return make_layout(make_tuple(128_I, 4_I), make_tuple(row, stride),
                       make_tuple(thread_id_x(), _));
}

struct coordinate {
    __device__ static void call(arguments a) {
        const int extent = static_cast<int>(a.x);
#line 1000
        const auto u =
            make_layout(make_tuple(extent, 4_I), make_tuple(4, 1_I), make_tuple(thread_id_x(), _));
        use(a.p, make_gmem(a.p).load<4>(u)[0]);
    }
};
struct p_coord {
    __device__ static void call(arguments a) {
        const int lane = thread_id_x() % 64;
        const int wave = thread_id_x() / 64 + static_cast<int>(a.x);
#line 1002
        const auto u = partition_layout_c(tile{}, make_tuple(16, 1_I),
                                          make_tuple(wave, lane % 16, 0_I, lane / 16));
        use(a.p, make_gmem(a.p).load<4>(u)[0]);
    }
};
struct p_coord_negative {
    __device__ static void call(arguments a) {
        const int lane = thread_id_x() % 64;
#line 1003
        const auto u = tile{}.layout_a(
            make_tuple(16, 1_I),
            make_tuple(thread_id_x() / 64, lane % 16, static_cast<int>(a.x), lane / 16));
        use(a.p, static_cast<float>(u(0_I, 0_I, 0_I, 0_I)));
    }
};
struct thread_of_mma {
    __device__ static void call(arguments a) {
        const int thread = thread_id_x() + static_cast<int>(a.x);
#line 1004
        const auto u = partition_layout_b(tile{}, make_tuple(16, 1_I), thread);
        use(a.p, static_cast<float>(u(0_I, 0_I, 0_I, 0_I)));
    }
};
struct thread_of_coordinates {
    __device__ static void call(arguments a) {
        const int thread = thread_id_x() + static_cast<int>(a.x);
#line 1005
        const auto f = tile_coordinates_c(tile{}, thread);
        use(a.p, static_cast<float>(get<0>(f(0_I))));
    }
};
struct lane_as_thread {
    __device__ static void call(arguments a) {
        const int thread = a.x != 0 ? lane_id() : thread_id_x();
#line 1008
        const auto u = partition_layout_a(tile{}, make_tuple(16, 1_I), thread);
        use(a.p, static_cast<float>(u(0_I, 0_I, 0_I, 0_I)));
    }
};
struct without_coordinate {
    __device__ static void call(arguments a) {
        auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4, 1_I));
        u += a.x != 0 ? 0 : thread_id_x() * 4;
#line 1009
        use(a.p, make_gmem(a.p).load<4>(u)[0]);
    }
};
// Right without a coordinate: a lane's own rows of LDS, and LDS-DMA, which adds the lane itself.
struct lanes_of_their_own {
    __device__ static void call(arguments a) {
        __shared__ float lds[64 * 16];
        const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, 1_I));
        float* const own = lds + lane_id() * 16;
        make_smem(own).store<4>(fp32x4_t{}, u);
        use(a.p, make_smem(own).load<4>(u)[0]);
        s_waitcnt(0_I, 0_I);
        const auto from = make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane_id()));
        const auto to = make_layout(make_tuple(1_I, 1_I), make_tuple(64_I, 1_I));
        make_gmem(a.p).async_load<1>(lds, from, to);
        s_waitcnt_vmcnt(0_I);
#line 1013
        use(a.p, make_gmem(a.p, 16 - a.x).template load<4>(0)[0]);
    }
};
struct cut_load {
    __device__ static void call(arguments a) {
#line 1010
        use(a.p, make_gmem(a.p, 16 - a.x).template load<4>(0)[0]);
    }
};
struct cut_store {
    __device__ static void call(arguments a) {
        const auto p = reinterpret_cast<bf16_t*>(a.p);
#line 1011
        make_gmem(p, static_cast<unsigned>(6 + a.x)).template store<4>(bf16x4_t{}, 0, 0);
    }
};
struct thread_of_transposed {
    __device__ static void call(arguments a) {
        const int thread = thread_id_x() + static_cast<int>(a.x);
#line 1006
        const auto u = partition_layout_a_tr(tile{}, make_tuple(1_I, 16), thread);
        use(a.p, static_cast<float>(first_of(u)));
    }
    template <class Layout>
    __device__ static int first_of(const Layout& u) {
        return layout_to_offsets<4>(u)[0];
    }
};
struct packed {
    __device__ static void call(arguments a) {
        const int lane = thread_id_x() % 64 + static_cast<int>(a.x);
#line 1007
        const auto u = partition_layout_b_packed(tile{}, make_tuple(0, lane % 16, 0, lane / 16));
        use(a.p, static_cast<float>(layout_to_offsets<4>(u)[0]));
    }
};

struct last_stride {
    __device__ static void call(arguments a) {
        const auto u = by_thread(8, static_cast<int>(a.x));
        const auto g = make_gmem(a.p);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-warnings"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#line 1010
        use(a.p, g.load<4>(u)[0]);
    }
};
struct last_stride_of_free_function {
    __device__ static void call(arguments a) {
        const auto u = by_thread(8, static_cast<int>(a.x)) + 4_I;
        auto g = make_gmem(a.p);
#line 1011
        store<4>(g, fp32x4_t{}, u, 0);
    }
};
struct last_stride_if {
    __device__ static void call(arguments a) {
        const auto u = by_thread(8, static_cast<int>(a.x));
        const auto g = make_gmem(a.p);
#line 1012
        use(a.p, load_if<4>(g, [](auto...) { return true; }, u)[0]);
    }
};
#pragma clang diagnostic pop

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-warnings"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
struct offset {
    __device__ static void call(arguments a) {
        const auto g = make_gmem(a.p, 16384u);
#line 1020
        use(a.p, g._load(a.x)[0]);
    }
};
struct offset_of_free_function {
    __device__ static void call(arguments a) {
        const auto g = make_gmem(a.p, 16384u);
#line 1021
        use(a.p, load(g, a.x)[0]);
    }
};
struct offset_of_wave {
    __device__ static void call(arguments a) {
        const auto g = make_gmem(a.p, 16384u);
#line 1022
        use(a.p, g.load(0, a.x, cache_nt)[0]);
    }
};
#pragma clang diagnostic pop
struct offset_in_bytes {
    __device__ static void call(arguments a) {
        const auto g = make_gmem(a.p, 16384u);
#line 1023
        use(a.p, g.load(static_cast<int>(a.x))[0]);
    }
};
struct offset_of_layout {
    __device__ static void call(arguments a) {
        const auto u = by_thread(static_cast<int>(a.x), 1_I);
        const auto g = make_gmem(a.p, 4u);
#line 1024
        use(a.p, g.load<4>(u)[0]);
    }
};
struct offset_of_shift {
    __device__ static void call(arguments a) {
        const auto u = by_thread(static_cast<int>(a.x), 1_I) + 0x20000000_I;
        const auto g = make_gmem(a.p, 4u);
#line 1027
        use(a.p, g.load<4>(u)[0]);
    }
};
// Thread t has element t + 4 of each of 4 rows, which are x elements apart.
struct offset_of_open_dimension {
    __device__ static void call(arguments a) {
        const auto u = make_layout(make_tuple(4_I, 132_I), make_tuple(static_cast<int>(a.x), 1_I),
                                   make_tuple(_, thread_id_x() + 4));
        const auto g = make_gmem(a.p, 4u);
#line 1026
        use(a.p, g.load(u)[0]);
    }
};
struct size_of_buffer {
    __device__ static void call(arguments a) {
#line 1025
        const auto g = make_gmem(a.p, a.x);
        use(a.p, g.load(0)[0]);
    }
};

struct alignment {
    __device__ static void call(arguments a) {
        __shared__ __align__(16) float lds[512];
        const auto s = make_smem(lds);
        const int i = thread_id_x() * 2 + static_cast<int>(a.x);
#line 1030
        s.store<2>(fp32x2_t{}, i);
    }
};
struct alignment_of_free_function {
    __device__ static void call(arguments a) {
        __shared__ __align__(16) float lds[1024];
        const auto s = make_smem(lds);
        store(s, 1.f, thread_id_x());
        sync_threads();
#line 1031
        use(a.p, load<4>(s, static_cast<int>(a.x))[0]);
    }
};
struct alignment_of_layout {
    __device__ static void call(arguments a) {
        __shared__ __align__(16) float lds[1024];
        const auto s = make_smem(lds);
        const auto u = by_thread(static_cast<int>(a.x), 1_I);
#line 1032
        s.store<4>(fp32x4_t{}, u);
    }
};
struct alignment_of_transposed {
    __device__ static void call(arguments a) {
        __shared__ __align__(16) fp16_t lds[1024];
        const auto s = make_smem(lds);
        for (int i = thread_id_x(); i < 1024; i += threads) {
            s.store(fp16_t{}, i);
        }
        sync_threads();
#line 1033
        const auto x = s.tr_load<4>(static_cast<int>(a.x));
        s_waitcnt_lgkmcnt(0_I);
        use(a.p, static_cast<float>(x[0]));
    }
};
struct pointer_to_lds {
    __device__ static void call(arguments a) {
        __shared__ float lds[128];
        float* p = a.x != 0 ? a.p : lds;
#line 1034
        const auto s = make_smem(p);
        s.store(1.f, thread_id_x());
    }
};
struct pointer_of_async_load {
    __device__ static void call(arguments a) {
        __shared__ float lds[128];
        float* p = a.x != 0 ? a.p : lds;
        const auto g = make_gmem(a.p);
#line 1035
        async_load(g, p + thread_id_x() / 64 * 64, thread_id_x());
        sync_threads();
    }
};

struct lane_of_shuffle {
    __device__ static void call(arguments a) {
        const int from = thread_id_x() % 16 + static_cast<int>(a.x);
#line 1040
        use(a.p, shfl(1.f, from, 16_I));
    }
};
struct width_of_shuffle {
    __device__ static void call(arguments a) {
#line 1041
        use(a.p, shfl_down(1.f, 1, static_cast<int>(a.x)));
    }
};
struct lane_to_read {
    __device__ static void call(arguments a) {
#line 1042
        use(a.p, readlane(1.f, static_cast<int>(a.x)));
    }
};

// C of `tile`, and a mask of its first columns.
__device__ auto layout_of_c() {
    return partition_layout_c(tile{}, make_tuple(16, 1_I), thread_id_x());
}
__device__ auto columns_within(int columns) {
    return within(tile_coordinates_c(tile{}, thread_id_x()), 32_I, columns);
}
struct partly_within {
    __device__ static void call(arguments a) {
        const auto g = make_gmem(a.p);
        const auto inside = columns_within(static_cast<int>(a.x));
#line 1050
        g.store_if<4>(inside, tile::vtype_c{}, layout_of_c());
    }
};

// Calls of free functions, whose checks are those of gmem's and smem's members. With x = 0 they are
// right.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-warnings"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
__device__ bool anywhere(index_t) {
    return true;
}
// A layout of one vector of 4 for each thread, which x takes far away; one whose last stride is
// 1 + x; one of an element of each of 4 rows, which x takes apart.
__device__ auto far(long long x) {
    return by_thread(static_cast<int>(x >> 2), 1_I);
}
__device__ auto strided(long long x) {
    return by_thread(4, 1 + static_cast<int>(x));
}
__device__ auto rows(long long x) {
    return make_layout(make_tuple(4_I, 128_I), make_tuple(128 + static_cast<int>(x >> 2), 1_I),
                       make_tuple(_, thread_id_x()));
}
#define OPUS_CALL(name, ...)                                \
    struct name {                                           \
        static constexpr int line = __LINE__;               \
        __device__ static void call(arguments a) {          \
            __shared__ __align__(16) float lds[1024];       \
            __shared__ __align__(16) fp16_t lds_16[1024];   \
            [[maybe_unused]] const long long x = a.x;       \
            [[maybe_unused]] const auto g = make_gmem(a.p); \
            [[maybe_unused]] const auto s = make_smem(lds); \
            const auto s_16 = make_smem(lds_16);            \
            s.store<4>(fp32x4_t{}, thread_id_x() * 4);      \
            s_16.store<8>(fp16x8_t{}, thread_id_x() * 8);   \
            sync_threads();                                 \
            use(a.p, static_cast<float>(__VA_ARGS__));      \
            sync_threads();                                 \
        }                                                   \
    };
#line 2000
// clang-format off
OPUS_CALL(free_load, load(g, x)[0])
OPUS_CALL(free_load_of_wave, load(g, 0, x)[0])
OPUS_CALL(free_load_layout, load<4>(g, far(x))[0])
OPUS_CALL(free_load_if, load_if<4>(g, anywhere, strided(x))[0])
OPUS_CALL(free_store, (store(g, 1.f, x), 0))
OPUS_CALL(free_store_layout, (store<4>(g, fp32x4_t{}, far(x)), 0))
OPUS_CALL(free_store_if, (store_if<4>(g, anywhere, fp32x4_t{}, strided(x)), 0))
OPUS_CALL(free_async_load, (async_load(g, lds + thread_id_x() / 64 * 64, x), 0))
OPUS_CALL(free_async_load_of_wave, (async_load(g, lds + thread_id_x() / 64 * 64, 0, x), 0))
OPUS_CALL(free_async_load_from, (async_load(g, lds, rows(x), rows(0)), 0))
OPUS_CALL(free_async_load_to, (async_load(g, lds, rows(0), rows(x)), 0))
OPUS_CALL(free_async_load_if, (async_load_if(g, anywhere, x == 0 ? lds : a.p, rows(0), rows(0)), 0))
OPUS_CALL(free_async_load_if_of_wave, (async_load_if(g, anywhere, lds, rows(0), rows(0), x), 0))
OPUS_CALL(free_async_load_if_of_6, (async_load_if(g, anywhere, lds, rows(0), rows(0), x, 0_I), 0))
OPUS_CALL(free_async_load_if_of_7, (async_load_if(g, anywhere, lds, rows(0), rows(0), x, 0_I, 0_I), 0))
OPUS_CALL(free_atomic, atomic_add(g, 1.f, x)[0])
OPUS_CALL(free_atomic_of_wave, atomic_add(g, 1.f, 0, x)[0])
OPUS_CALL(free_atomic_layout, atomic_add<4>(g, 1.f, far(x))[0])
OPUS_CALL(free_lds_load, load<4>(s, x)[0])
OPUS_CALL(free_lds_load_layout, load<4>(s, far(x))[0])
OPUS_CALL(free_lds_atomic, atomic_add(s, 1.f, x)[0])
OPUS_CALL(free_lds_atomic_layout, atomic_add<4>(s, 1.f, far(x))[0])
OPUS_CALL(free_tr_load, tr_load<4>(s_16, x, auto_wait{})[0])
OPUS_CALL(free_tr_load_layout, tr_load<4>(s_16, far(x), auto_wait{})[0])
OPUS_CALL(free_tr_load_if, tr_load_if<4>(s_16, anywhere, by_thread(4, 1_I) + static_cast<int>(x))[0])
OPUS_CALL(free_load_if_within, load_if<4>(g, columns_within(12 - static_cast<int>(x)), layout_of_c())[0])
OPUS_CALL(free_store_if_within, (store_if<4>(g, columns_within(12 - static_cast<int>(x)), tile::vtype_c{}, layout_of_c()), 0))
// clang-format on
#undef OPUS_CALL
#pragma clang diagnostic pop

// hip_minimal.hpp comes first, so that the kernel prints the same on stdout, which is stderr here.
TEST(debug, the_kernel_prints) {
    const std::string printed = "test_debug.hip:1001: opus: a coordinate must be 0 .. extent - 1";
    EXPECT_EXIT(
        (dup2(STDERR_FILENO, STDOUT_FILENO), run<coordinate>(70)), testing::ExitedWithCode(70),
        with_escapes(printed) +
            ".*: 70, 70; group \\(1, 0, 0\\), thread \\(70, 0, 0\\), lane 6\nopus emulator: ");
}

TEST(debug, coordinates) {
    const std::string what = "a coordinate must be 0 .. extent - 1";
    expect_report<coordinate>(128, 70, what, "70, 70", 1001, 70);
    expect_report<p_coord>(0, 1, what, "2, 2", 1002, 64);
    expect_report<p_coord_negative>(0, -1, what, "-1, 1", 1003);
    expect_report<packed>(0, 64, what, "4, 4", 1007);
}

TEST(debug, threads) {
    const std::string what = "the thread must be one of the mma's";
    expect_report<thread_of_mma>(0, 1, what, "128, 128", 1004, 127);
    expect_report<thread_of_mma>(0, -1, what, "-1, 128", 1004);
    expect_report<thread_of_coordinates>(0, 1, what, "128, 128", 1005, 127);
    expect_report<lane_as_thread>(0, 1, "the thread of a tiled mma is thread_id_x(), not lane_id()",
                                  "0, 64", 1008, 64);
    expect_report<without_coordinate>(
        0, 1, "a layout without a coordinate: every lane accesses element 0", "2, 4", 1009);
    expect_report<lanes_of_their_own>(4, 2, "the end of the buffer cuts a dword of this access",
                                      "0, 14", 1013);
    expect_report<thread_of_transposed>(0, 2, what, "128, 128", 1006, 126);
}

TEST(debug, last_stride) {
    const std::string what = "the last stride must be 1";
    expect_report<last_stride>(1, 2, what, "2, 4", 1010);
    expect_report<last_stride_of_free_function>(1, 16, what, "16, 4", 1011);
    expect_report<last_stride_if>(1, 0, what, "0, 4", 1012);
}

TEST(debug, offsets) {
    const std::string what = "an offset must fit 32 bits in bytes";
    expect_report<offset>(0xffffffffll, 0x100000000ll, what, "4294967296, 4294967295", 1020);
    expect_report<offset>(-0x80000000ll, -0x80000001ll, what, "-2147483649, 4294967295", 1020);
    expect_report<offset_of_free_function>(0x3fffffffll, 0x100000000ll, what,
                                           "4294967296, 4294967295", 1021);
    expect_report<offset_of_wave>(4, 0x40000000ll, what, "4294967296, 4294967295", 1022);
    expect_report<offset_in_bytes>(0x3fffffff, 0x40000000, what, "4294967296, 4294967295", 1023);
    expect_report<offset_of_layout>(0x3fffffff / 127 - 4, 0x40000000, what,
                                    "4294967296, 4294967295", 1024, 1);
    expect_report<offset_of_shift>(0x1fffffff / 127 - 4, 0x20000000 / 64, what,
                                   "4294967296, 4294967295", 1027, 64);
    // Only the last row, or the first one, is too far.
    expect_report<offset_of_open_dimension>(0x3fffffff / 3 - 50, 357913918, what,
                                            "4294967296, 4294967295", 1026, 66);
    expect_report<offset_of_open_dimension>(-178956971, -178956973, what, "-2147483660, 4294967295",
                                            1026);
}

TEST(debug, sizes) {
    const std::string what = "a size must fit 32 bits";
    expect_report<size_of_buffer>(0xffffffffll, 0x100000000ll, what, "4294967296, 4294967295",
                                  1025);
    run<size_of_buffer>(-1);
}

TEST(debug, alignment_in_lds) {
    const std::string what = "an access must begin at a multiple of its size";
    expect_report<alignment>(2, 1, what, "[0-9]+, 8", 1030);
    expect_report<alignment_of_free_function>(4, 2, what, "[0-9]+, 16", 1031);
    expect_report<alignment_of_layout>(4, 5, what, "[0-9]+, 16", 1032, 1);
    expect_report<alignment_of_transposed>(4, 2, what, "[0-9]+, 8", 1033);
}

TEST(debug, pointers_to_lds) {
    const std::string what = "the pointer must be one to LDS";
    expect_report<pointer_to_lds>(0, 1, what, "[0-9]+, 0", 1034);
    expect_report<pointer_of_async_load>(0, 1, what, "[0-9]+, 0", 1035);
}

TEST(debug, lanes) {
    expect_report<lane_of_shuffle>(0, 1, "the lane must be 0 .. width - 1", "16, 16", 1040, 15);
    expect_report<lane_of_shuffle>(0, -1, "the lane must be 0 .. width - 1", "-1, 16", 1040);
    expect_report<width_of_shuffle>(8, 12, "the width must be a power of two", "12, 64", 1041);
    expect_report<lane_to_read>(63, 64, "the lane must be 0 .. 63", "64, 64", 1042);
}

TEST(debug, dwords_cut_by_the_end) {
    const std::string what = "the end of the buffer cuts a dword of this access";
    expect_report<cut_load>(4, 2, what, "0, 14", 1010);
    expect_report<cut_store>(2, 0, what, "0, 6", 1011);
}

TEST(debug, within) {
    const std::string what = "the vec elements of an access must be all within or all outside";
    expect_report<partly_within>(12, 10, what, "0, 4", 1050, 32);
}

template <class Call>
void expect_report_of(long long wrong, const std::string& what, int thread = 0) {
    SCOPED_TRACE(Call::line);
    expect_report<Call>(0, wrong, what, "[0-9]+, [0-9]+", Call::line, thread);
}
TEST(debug, free_functions_report_their_caller) {
    const std::string beyond = "an offset must fit 32 bits in bytes";
    const long long apart = 0x100000000ll;
    expect_report_of<free_load>(apart, beyond);
    expect_report_of<free_load_of_wave>(apart, beyond);
    expect_report_of<free_store>(apart, beyond);
    expect_report_of<free_async_load>(apart, beyond);
    expect_report_of<free_async_load_of_wave>(apart, beyond);
    expect_report_of<free_async_load_if_of_wave>(apart, beyond);
    expect_report_of<free_async_load_if_of_6>(apart, beyond);
    expect_report_of<free_async_load_if_of_7>(apart, beyond);
    expect_report_of<free_atomic>(apart, beyond);
    expect_report_of<free_atomic_of_wave>(apart, beyond);
    expect_report_of<free_lds_load>(apart, beyond);
    expect_report_of<free_lds_atomic>(apart, beyond);
    expect_report_of<free_tr_load>(apart, beyond);

    expect_report_of<free_load_layout>(apart, beyond, 1);
    expect_report_of<free_store_layout>(apart, beyond, 1);
    expect_report_of<free_async_load_from>(apart, beyond);
    expect_report_of<free_async_load_to>(apart, beyond);
    expect_report_of<free_atomic_layout>(apart, beyond, 1);
    expect_report_of<free_lds_load_layout>(apart, beyond, 1);
    expect_report_of<free_lds_atomic_layout>(apart, beyond, 1);
    expect_report_of<free_tr_load_layout>(apart, beyond, 2);

    expect_report_of<free_load_if>(1, "the last stride must be 1");
    expect_report_of<free_store_if>(1, "the last stride must be 1");
    const std::string within = "the vec elements of an access must be all within or all outside";
    expect_report_of<free_load_if_within>(2, within, 32);
    expect_report_of<free_store_if_within>(2, within, 32);
    expect_report_of<free_async_load_if>(1, "the pointer must be one to LDS");
    expect_report_of<free_tr_load_if>(1, "an access must begin at a multiple of its size");
}

// On the host the program ends.
int row_offset(int row) {
#line 1060
    return make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, 1_I), make_tuple(row, _))(0_I);
}
TEST(debug, on_the_host) {
    EXPECT_EQ(row_offset(3), 12);
    EXPECT_DEATH(row_offset(4), "test_debug\\.hip:1060: .*a coordinate must be 0 .*: 4, 4");
    constexpr auto in_constants =
        make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, 1_I), make_tuple(3_I, _));
    static_assert(in_constants(0_I) == 12);
}

}  // namespace
