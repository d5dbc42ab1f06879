// LDS-DMA (async_load): where in LDS and from where in memory each lane's bytes go. The expected
// LDS contents are computed here from the rules of the instruction (ISA guide, 9.1.9 and 10.3):
//   LDS    = base + imm + lane * S   S = 4 for a dword, 16 for three and four
//   memory = soffset + imm + voffset
// and zeros from beyond the buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
using bytes = std::vector<uint8_t>;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

bool on_gfx950() {
    return examples::device_name().find("gfx950") != std::string::npos;
}

constexpr int lds_bytes = 16384;
constexpr uint8_t untouched = 0xee;

// The group's LDS before the loads, and where it is copied to after them.
OPUS_D void fill_lds(uint32_t* lds) {
    for (int i = thread_id_x(); i < lds_bytes / 4; i += block_size_x()) {
        lds[i] = 0xeeeeeeee;
    }
    s_waitcnt(0_I, 0_I);
    __syncthreads();
}
OPUS_D void dump_lds(const uint32_t* lds, uint32_t* out) {
    s_waitcnt_vmcnt(0_I);
    __syncthreads();
    for (int i = thread_id_x(); i < lds_bytes / 4; i += block_size_x()) {
        out[i] = lds[i];
    }
}

bytes memory_of(size_t n) {
    bytes b(n);
    for (size_t i = 0; i < n; i++) {
        b[i] = static_cast<uint8_t>(i * 7 + i / 64 + 1);
    }
    return b;
}

// What one instruction does to `lds`, of `width` bytes for each lane.
void model_dma(bytes& lds, const bytes& memory, int size, int width, int base, int imm, int lane,
               int voffset, int soffset) {
    const int step = width == 4 ? 4 : 16;
    for (int b = 0; b < width; b++) {
        const int from = voffset + imm + soffset + b / 4 * 4;
        const bool inside = from + 4 <= size;
        lds.at(static_cast<size_t>(base + imm + lane * step + b)) =
            inside ? memory.at(static_cast<size_t>(from + b % 4)) : 0;
    }
}

void expect_lds(const device_buffer<uint32_t>& out, const bytes& expected,
                const std::string& what) {
    const auto words = out.to_host();
    bytes got(lds_bytes);
    std::memcpy(got.data(), words.data(), got.size());
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(int{got[i]}, int{expected[i]}) << what << ": byte " << i << " of LDS";
    }
}

// -- one instruction ------------------------------------------------------------------------------

template <int width, int imm>
__global__ void one_instruction(const uint8_t* p, unsigned size, int base, int step, int soffset,
                                uint32_t* out) {
    __shared__ uint32_t lds[lds_bytes / 4];
    fill_lds(lds);
    if constexpr (width == 4 || OPUS_HAS_LDS_DMA_WIDE) {
        const auto g = make_gmem(p, size);
        auto* const to = reinterpret_cast<uint8_t*>(lds) + base;
        g.template _async_load<width, imm>(to, (63 - lane_id()) * step, soffset);
    }
    dump_lds(lds, out);
}

template <int width, int imm>
void check_one(int base, int step, int soffset, int size) {
    const bytes memory = memory_of(8192);
    const device_buffer<uint8_t> from(memory);
    device_buffer<uint32_t> out(lds_bytes / 4);
    one_instruction<width, imm>
        <<<1, 64>>>(from.data(), static_cast<unsigned>(size), base, step, soffset, out.data());
    finish();
    bytes expected(lds_bytes, untouched);
    for (int lane = 0; lane < 64; lane++) {
        model_dma(expected, memory, size, width, base, imm, lane, (63 - lane) * step, soffset);
    }
    expect_lds(out, expected,
               "width " + std::to_string(width) + " imm " + std::to_string(imm) + " base " +
                   std::to_string(base) + " soffset " + std::to_string(soffset) + " size " +
                   std::to_string(size));
}

template <int width>
void check_width() {
    for (const int base : {0, 256, 4096}) {
        check_one<width, 0>(base, 20, 0, 8192);
        check_one<width, 4>(base, 4, 8, 8192);
        check_one<width, 128>(base, 16, 100, 8192);
        check_one<width, 4092>(base, 16, 0, 8192);
    }
    // Around the end of the buffer, also through soffset and the immediate.
    for (int size = 96; size < 160; size += 4) {
        check_one<width, 0>(64, 4, 0, size);
        check_one<width, 16>(64, 4, 20, size);
    }
}

TEST(async_load, a_dword) {
    check_width<4>();
}
TEST(async_load, three_dwords_leave_the_fourth_alone) {
    if (!on_gfx950()) {
        GTEST_SKIP() << "gfx950 only";
    }
    check_width<12>();
}
TEST(async_load, four_dwords) {
    if (!on_gfx950()) {
        GTEST_SKIP() << "gfx950 only";
    }
    check_width<16>();
}

// A lane that is switched off leaves a gap; the pointer is the same for all lanes.
__global__ void some_lanes(const uint8_t* p, uint32_t* out) {
    __shared__ uint32_t lds[lds_bytes / 4];
    fill_lds(lds);
    if (lane_id() % 3 == 1) {
        make_gmem(p)._async_load<4>(lds + 16, lane_id() * 8);
    }
    dump_lds(lds, out);
}

TEST(async_load, lanes_that_are_off_leave_gaps) {
    const bytes memory = memory_of(1024);
    const device_buffer<uint8_t> from(memory);
    device_buffer<uint32_t> out(lds_bytes / 4);
    some_lanes<<<1, 64>>>(from.data(), out.data());
    finish();
    bytes expected(lds_bytes, untouched);
    for (int lane = 1; lane < 64; lane += 3) {
        model_dma(expected, memory, 1024, 4, 64, 0, lane, lane * 8, 0);
    }
    expect_lds(out, expected, "every third lane");
}

// -- forms ----------------------------------------------------------------------------------------

// Each wave of the group writes its own 256 bytes; pointer and offset differ by lane, as in
// lds + thread. The immediate counts bytes, the other offsets elements.
__global__ void forms(const float* p, uint32_t* out) {
    __shared__ float lds[lds_bytes / 4];
    fill_lds(reinterpret_cast<uint32_t*>(lds));
    const auto g = make_gmem(p, 4096 * sizeof(float));
    const int thread = thread_id_x();
    g.async_load(lds + thread, thread, 512);
    g.async_load<1>(lds + 256 + thread, thread, 0, 128_I);
    async_load<1>(g, lds + 576 + thread, thread, 8, imm_offset<64>{}, cache_group_nt);
    const auto pairs = make_gmem(reinterpret_cast<const fp16x2_t*>(p));
    pairs.async_load<1, 4>((OPUS_LDS_ADDR float*)lds + 1024 + thread / 64 * 64, thread * 3, 1);
    g._async_load(static_cast<void*>(lds + 2048 + thread), thread * 8, 4);
    dump_lds(reinterpret_cast<uint32_t*>(lds), out);
}

TEST(async_load, pointers_of_every_kind_and_the_units) {
    std::vector<float> from(4096);
    std::iota(from.begin(), from.end(), 1.0f);
    const device_buffer<float> in(from);
    device_buffer<uint32_t> out(lds_bytes / 4);
    forms<<<1, 256>>>(in.data(), out.data());
    finish();
    std::vector<uint32_t> expected(lds_bytes / 4, 0xeeeeeeee);
    const auto put = [&](size_t at, size_t element) {
        std::memcpy(&expected.at(at), &from.at(element), 4);
    };
    for (size_t t = 0; t < 256; t++) {
        put(t, t + 512);
    }
    for (size_t t = 0; t < 256; t++) {
        put(256 + 32 + t, t + 32);
    }
    for (size_t t = 0; t < 256; t++) {
        put(576 + 16 + t, t + 8 + 16);
    }
    for (size_t t = 0; t < 256; t++) {
        put(1024 + 1 + t, t * 3 + 1 + 1);
    }
    for (size_t t = 0; t < 256; t++) {
        put(2048 + t, t * 2 + 1);
    }
    const auto got = out.to_host();
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(got[i], expected[i]) << "dword " << i;
    }
}

// Without <vec> an access is one element, here of 4 bytes, by every member of `g` and every
// function. Each form has a row of 256 dwords in LDS. The tile is 3 accesses, 64 dwords apart in
// LDS and 100 elements in memory. Where nothing else is said the offset of the wave is 0; the
// immediate moves the tile by 32 dwords on both sides.
template <class Gmem, class Lds>
__device__ void load_without_vec(const Gmem& g, Lds* lds) {
    const int lane = thread_id_x();
    const auto from =
        make_layout(make_tuple(3_I, 64_I), make_tuple(100_I, 1_I), make_tuple(_, lane));
    const auto to = make_layout(make_tuple(3_I, 64_I), make_tuple(64_I, 1_I), make_tuple(_, lane));
    const auto wanted = [&](auto i) { return (lane + i) % 2 == 0; };
    g._async_load(lds, lane * 12, 8);
    g.async_load(lds + 256, lane * 3, 5);
    async_load(g, lds + 2 * 256, lane * 3 + 5);
    g.async_load(lds + 3 * 256, from, to, 7, 128_I);
    async_load(g, lds + 4 * 256, from + 7_I, to);
    g.async_load_if(wanted, lds + 5 * 256, from, to, 7);
    async_load_if(g, wanted, lds + 6 * 256, from + 7_I, to);
}
template <class T, bool is_wide>
__global__ void load_rows(const T* p, uint32_t* out) {
    __shared__ T lds[lds_bytes / 4];
    fill_lds(reinterpret_cast<uint32_t*>(lds));
    if constexpr (is_wide) {
        load_without_vec(make_gmem_wide(p), lds);
    } else {
        load_without_vec(make_gmem(p), lds);
    }
    dump_lds(reinterpret_cast<uint32_t*>(lds), out);
}

template <class T, bool is_wide>
void check_rows() {
    static_assert(sizeof(T) == 4);
    const bytes memory = memory_of(2048);
    const device_buffer<uint8_t> in(memory);
    device_buffer<uint32_t> out(lds_bytes / 4);
    load_rows<T, is_wide><<<1, 64>>>(reinterpret_cast<const T*>(in.data()), out.data());
    finish();
    bytes expected(lds_bytes, untouched);
    const auto put = [&](size_t to, size_t element, bool is_zero = false) {
        for (size_t b = 0; b < 4; b++) {
            expected.at(4 * to + b) = is_zero ? 0 : memory.at(4 * element + b);
        }
    };
    for (size_t lane = 0; lane < 64; lane++) {
        put(lane, lane * 3 + 2);
        put(256 + lane, lane * 3 + 5);
        put(2 * 256 + lane, lane * 3 + 5);
        for (size_t i = 0; i < 3; i++) {
            const bool wanted = (lane + i) % 2 == 0;
            for (size_t form = 3; form <= 6; form++) {
                const size_t moved = form == 3 ? 32 : 0;
                put(form * 256 + i * 64 + lane + moved, i * 100 + lane + 7 + moved,
                    form > 4 && !wanted);
            }
        }
    }
    expect_lds(out, expected, is_wide ? "gmem_wide" : "gmem");
}

TEST(async_load, without_vec_it_is_one_element) {
    check_rows<float, false>();
    check_rows<fp16x2_t, false>();
    check_rows<float, true>();
    check_rows<fp16x2_t, true>();
}

// -- layouts --------------------------------------------------------------------------------------

// A wave brings `rows` rows of 64 * vec elements; in memory they are `stride` elements apart, in
// LDS 64 * vec + pad.
constexpr int rows = 5;
constexpr int pad = 16;

template <int vec, bool predicate, bool run_time_pitch>
__global__ void by_layouts(const float* p, unsigned size, int stride, int s_os, int limit,
                           int run_pitch, uint32_t* out) {
    __shared__ float lds[lds_bytes / 4];
    fill_lds(reinterpret_cast<uint32_t*>(lds));
    if constexpr (vec == 1 || OPUS_HAS_LDS_DMA_WIDE) {
        const auto g = make_gmem(p, size);
        const int lane = lane_id();
        const auto shape = make_tuple(number<rows>{}, 64_I, number<vec>{});
        const auto from =
            make_layout(shape, make_tuple(stride, number<vec>{}, 1_I), make_tuple(_, lane, _));
        constexpr int lds_vec = vec == 3 ? 4 : vec;
        const auto pitch = [&] {
            if constexpr (run_time_pitch) {
                return run_pitch;
            } else {
                return number<64 * lds_vec + pad>{};
            }
        }();
        const auto to =
            make_layout(shape, make_tuple(pitch, number<lds_vec>{}, 1_I), make_tuple(_, lane, _)) +
            32_I;
        if constexpr (predicate) {
            g.template async_load_if<vec>([&](auto i, auto) { return i * 64 + lane < limit; }, lds,
                                          from, to, s_os);
        } else {
            g.template async_load<vec>(lds, from, to, s_os);
        }
    }
    dump_lds(reinterpret_cast<uint32_t*>(lds), out);
}

template <int vec, bool predicate, bool run_time_pitch>
void check_layouts(bool default_size) {
    const int stride = 300;
    const int s_os = 17;
    const int limit = 150;
    const int lds_vec = vec == 3 ? 4 : vec;
    const int pitch = 64 * lds_vec + pad;
    const bytes memory = memory_of(static_cast<size_t>((s_os + stride * rows + 64 * vec) * 4));
    std::vector<float> elements(memory.size() / 4);
    std::memcpy(elements.data(), memory.data(), memory.size());
    const device_buffer<float> from(elements);
    device_buffer<uint32_t> out(lds_bytes / 4);
    const int size = default_size ? static_cast<int>(memory.size()) : 4 * (s_os + stride * 4 + 10);
    by_layouts<vec, predicate, run_time_pitch>
        <<<1, 64>>>(from.data(), default_size ? 0xffffffff : static_cast<unsigned>(size), stride,
                    s_os, limit, pitch, out.data());
    finish();
    bytes expected(lds_bytes, untouched);
    for (int row = 0; row < rows; row++) {
        for (int lane = 0; lane < 64; lane++) {
            const bool wanted = !predicate || row * 64 + lane < limit;
            model_dma(expected, memory, wanted ? size : 0, vec * 4, (32 + row * pitch) * 4, 0, lane,
                      (row * stride + lane * vec) * 4, s_os * 4);
        }
    }
    expect_lds(out, expected, "vec " + std::to_string(vec));
}

template <int vec>
void check_all_layouts() {
    for (const bool default_size : {false, true}) {
        check_layouts<vec, false, false>(default_size);
        check_layouts<vec, false, true>(default_size);
        check_layouts<vec, true, false>(default_size);
        check_layouts<vec, true, true>(default_size);
    }
}

TEST(async_load, layouts_and_predicates_of_dwords) {
    check_all_layouts<1>();
}
TEST(async_load, layouts_and_predicates_of_wide_accesses) {
    if (!on_gfx950()) {
        GTEST_SKIP() << "gfx950 only";
    }
    check_all_layouts<3>();
    check_all_layouts<4>();
}

// A failed predicate must be out of range whatever the size, the immediate and soffset are.
template <int imm>
__global__ void nothing_wanted(const float* p, unsigned size, int s_os, uint32_t* out) {
    __shared__ float lds[lds_bytes / 4];
    fill_lds(reinterpret_cast<uint32_t*>(lds));
    constexpr int vec = OPUS_HAS_LDS_DMA_WIDE ? 4 : 1;
    const auto g = make_gmem(p, size);
    const auto u = make_layout(make_tuple(64_I, number<vec>{}), make_tuple(number<vec>{}, 1_I),
                               make_tuple(lane_id(), _));
    g.template async_load_if<vec, imm>([](auto) { return false; }, lds, u, u, s_os);
    dump_lds(reinterpret_cast<uint32_t*>(lds), out);
}

template <int imm>
void check_nothing_wanted() {
    const size_t width = on_gfx950() ? 16 : 4;
    const device_buffer<float> from(std::vector<float>(8192, 1.0f));
    device_buffer<uint32_t> out(lds_bytes / 4);
    for (const unsigned size : {0xffffffffu, 0xfffffff0u, 0x80000000u, 4096u, 0u}) {
        for (const int s_os : {0, 4, 256}) {
            nothing_wanted<imm><<<1, 64>>>(from.data(), size, s_os, out.data());
            finish();
            bytes expected(lds_bytes, untouched);
            std::fill_n(expected.begin() + imm, 64 * width, uint8_t{0});
            expect_lds(out, expected,
                       "size " + std::to_string(size) + " s_os " + std::to_string(s_os));
        }
    }
}

TEST(async_load_if, writes_zeros_for_any_size_and_offset) {
    check_nothing_wanted<0>();
    check_nothing_wanted<16>();
    check_nothing_wanted<4080>();
}

}  // namespace
