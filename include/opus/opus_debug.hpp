// opus_debug.hpp: what OPUS_DEBUG = 1 checks and reports, and layouts and tiles as tables (print,
// print_tile). opus.hpp includes it if OPUS_DEBUG is 1; include it yourself for the tables.
// SPDX-License-Identifier: MIT
#if !defined(OPUS_OPUS_HPP)
#include "opus.hpp"
#endif

// opus.hpp includes this part near its beginning, and the rest at its end.
#if OPUS_DEBUG && !defined(OPUS_DEBUG_PRINTF_USED)

// == 1. the report ================================================================================

// Whether a kernel prints a failed check.
#if !defined(OPUS_DEBUG_PRINTF)
#if (defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H) || defined(OPUS_HIP_MINIMAL_HPP)) && \
    !defined(__HIPCC_RTC__)
#define OPUS_DEBUG_PRINTF 1
#else
#define OPUS_DEBUG_PRINTF 0
#endif
#endif
#define OPUS_DEBUG_PRINTF_USED OPUS_DEBUG_PRINTF

#if !OPUS_FREESTANDING
#include <cstdio>
#endif
namespace opus::impl {
struct caller {
    const char* file;
    int line;

    // As a default argument: where the function is called.
    constexpr caller(const char* f = __builtin_FILE(), int l = __builtin_LINE())
        : file(f), line(l) {}
};
// The first check that failed. `what` says what the two values are.
struct debug_record {
    unsigned state;  // 1: being written, 2: complete
    int line;
    const char* file;
    const char* what;
    long long values[2];
    unsigned group[3];
    unsigned thread[3];
    unsigned lane;
};
}  // namespace opus::impl
#if defined(__HIP__)
// The emulator and debuggers find it by this name.
extern "C" {
inline OPUS_D_EXTERN opus::impl::debug_record opus_debug_record;
}
#endif

namespace opus::impl {
// Not forced inline: one function serves all checks of a program.
// lanes: bit i is set if the check failed in lane i; the first such lane is reported
OPUS_H_D_EXTERN inline __attribute__((noinline, cold, __noreturn__)) void debug_failed(
    [[maybe_unused]] unsigned long long lanes, [[maybe_unused]] const char* what,
    [[maybe_unused]] caller at, [[maybe_unused]] long long value,
    [[maybe_unused]] long long limit) {
#if defined(__HIP_DEVICE_COMPILE__)
    auto& record = opus_debug_record;
    const auto lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    if (lane == static_cast<unsigned>(__builtin_ctzll(lanes))) {
        unsigned state = 0;
        if (__hip_atomic_compare_exchange_strong(&record.state, &state, 1u, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) {
            record.line = at.line;
            record.file = at.file;
            record.what = what;
            record.values[0] = value;
            record.values[1] = limit;
            record.group[0] = __builtin_amdgcn_workgroup_id_x();
            record.group[1] = __builtin_amdgcn_workgroup_id_y();
            record.group[2] = __builtin_amdgcn_workgroup_id_z();
            record.thread[0] = __builtin_amdgcn_workitem_id_x();
            record.thread[1] = __builtin_amdgcn_workitem_id_y();
            record.thread[2] = __builtin_amdgcn_workitem_id_z();
            record.lane = lane;
#if OPUS_DEBUG_PRINTF
            printf("%s:%d: %s: %lld, %lld; group (%u, %u, %u), thread (%u, %u, %u), lane %u\n",
                   at.file, at.line, what, value, limit, record.group[0], record.group[1],
                   record.group[2], record.thread[0], record.thread[1], record.thread[2], lane);
#endif
            __hip_atomic_store(&record.state, 2u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
        }
    }
    // The trap ends all waves, so this waits until the record is complete.
    while (__hip_atomic_load(&record.state, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 2) {
        __builtin_amdgcn_s_sleep(1);
    }
#elif !OPUS_FREESTANDING
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%d: %s: %lld, %lld\n", at.file, at.line, what, value, limit);
#endif
    __builtin_trap();
}

// What opus.hpp calls; most of it is defined below.
// Ends the kernel (on the host, the program) unless ok. Does nothing in a constant expression.
constexpr void check(bool ok, const char* what, caller at, long long value, long long limit);
template <class Shape, class Coord>
constexpr void check_coord(const Shape& shape, const Coord& coord, caller at);
OPUS_D void check_width(int width, caller at);
OPUS_D void check_shuffle(int lane, int width, caller at);
template <int Bytes, class P>
OPUS_D void check_lds_alignment(P p, caller at);
template <class Pointee>
OPUS_D void check_is_lds(Pointee* p, caller at);
template <class Size>
OPUS_D void check_size(Size size, caller at);
template <int Bytes>
OPUS_D void check_end(int v_bytes, int s_bytes, unsigned size, caller at);
// An offset, as it was given and cut to 32 bits.
struct offset_t {
    int value;
    long long given;

    template <class Int = int, class = decltype(static_cast<int>(*static_cast<Int*>(nullptr)))>
    constexpr offset_t(Int i = 0) : value(static_cast<int>(i)), given(static_cast<long long>(i)) {}
    constexpr operator int() const { return value; }
};

// The base of gmem, gmem_wide and smem.
struct called {
    caller user{nullptr};  // of the free function that calls a member, if one does

    // Checks the arguments of a member, and returns the port with the user's place.
    // IsAll: no predicate decides which accesses of a layout take place. Vec: elements of an access
    // side by side.
    template <class Memory, int Vec, bool IsAll, class Port, class Second, class... Args>
    OPUS_D Port checked(Port port, bool in_bytes, caller at, const Second& second,
                        const Args&... args) const;
};
// The same memory, with the caller of the free function as its user.
template <class Mem>
OPUS_D decltype(auto) called_at(Mem& mem, caller at);
struct none {};  // stands for an argument that is not given
}  // namespace opus::impl

// The free functions of section 15: up to 7 arguments, since behind a pack none can have a default.
#define OPUS_MEM_ARGUMENT(i) static_cast<A##i&&>(a##i)
#define OPUS_MEM_CALL(name, count, ...)                                  \
    if constexpr (given == count) {                                      \
        return impl::called_at(mem, at).template name<vec>(__VA_ARGS__); \
    }
#define OPUS_MEM_FUNCTION(name, first, side_by_side)                                              \
    template <index_t vec = side_by_side, class Mem, class A0, class A1 = impl::none,             \
              class A2 = impl::none, class A3 = impl::none, class A4 = impl::none,                \
              class A5 = impl::none, class A6 = impl::none, impl::enable_if_t<is_mem_v<Mem>> = 0> \
    OPUS_WARN_STRIDE(side_by_side &&                                                              \
                     (impl::relies_on_stride<vec, A0> || impl::relies_on_stride<vec, A1> ||       \
                      impl::relies_on_stride<vec, A2> || impl::relies_on_stride<vec, A3>))        \
    OPUS_D decltype(auto) name(Mem&& mem, A0&& a0, A1&& a1 = {}, A2&& a2 = {}, A3&& a3 = {},      \
                               A4&& a4 = {}, A5&& a5 = {}, A6&& a6 = {}, impl::caller at = {}) {  \
        constexpr index_t given =                                                                 \
            7 - impl::tuple_count_v<impl::none, tuple<A1, A2, A3, A4, A5, A6>>;                   \
        OPUS_MEM_CALL(name, 1, OPUS_MEM_ARGUMENT(0))                                              \
        OPUS_MEM_CALL(name, 2, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1))                        \
        OPUS_MEM_CALL(name, 3, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1), OPUS_MEM_ARGUMENT(2))  \
        OPUS_MEM_CALL(name, 4, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1), OPUS_MEM_ARGUMENT(2),  \
                      OPUS_MEM_ARGUMENT(3))                                                       \
        OPUS_MEM_CALL(name, 5, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1), OPUS_MEM_ARGUMENT(2),  \
                      OPUS_MEM_ARGUMENT(3), OPUS_MEM_ARGUMENT(4))                                 \
        OPUS_MEM_CALL(name, 6, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1), OPUS_MEM_ARGUMENT(2),  \
                      OPUS_MEM_ARGUMENT(3), OPUS_MEM_ARGUMENT(4), OPUS_MEM_ARGUMENT(5))           \
        OPUS_MEM_CALL(name, 7, OPUS_MEM_ARGUMENT(0), OPUS_MEM_ARGUMENT(1), OPUS_MEM_ARGUMENT(2),  \
                      OPUS_MEM_ARGUMENT(3), OPUS_MEM_ARGUMENT(4), OPUS_MEM_ARGUMENT(5),           \
                      OPUS_MEM_ARGUMENT(6))                                                       \
    }

#elif !defined(OPUS_OPUS_DEBUG_HPP)
#define OPUS_OPUS_DEBUG_HPP

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

namespace opus {

namespace impl {
// What the threads of an mma make together: waves and extents along M, N and K.
struct mma_block {
    bool is_tiled;
    index_t waves_along[3];
    index_t extents[3];

    constexpr index_t waves() const { return product_of(waves_along, 0, 3); }
};
template <class Mma, class Wave = typename Mma::MMA>
constexpr mma_block block_of(int) {
    return {true,
            {Mma::tile_m, Mma::tile_n, Mma::tile_k},
            {Mma::expd_m * Mma::tile_m * Mma::wave_m, Mma::expd_n * Mma::tile_n * Mma::wave_n,
             Mma::expd_k * Mma::tile_k * Mma::wave_k}};
}
template <class Mma>
constexpr mma_block block_of(long) {
    return {false, {1, 1, 1}, {Mma::wave_m, Mma::wave_n, Mma::wave_k}};
}
}  // namespace impl

// == 2. checks ====================================================================================

#if OPUS_DEBUG
namespace impl {
constexpr void check(bool ok, const char* what, caller at, long long value, long long limit) {
    if (__builtin_is_constant_evaluated()) {
        return;
    }
    unsigned long long failed = ok ? 0 : 1;
#if defined(__HIP_DEVICE_COMPILE__)
#if OPUS_HAS_LANES
    // One branch for the wave.
    failed = __builtin_amdgcn_ballot_w64(!ok);
#else
    failed <<= __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#endif
#endif
    if (failed != 0) {
        debug_failed(failed, what, at, value, limit);
    }
}
template <class Shape, class Coord>
constexpr void check_coord(const Shape& shape, const Coord& coord, caller at) {
    static_for<Coord::size()>([&](auto d) {
        const auto& index = element<d.value>(coord);
        if constexpr (!is_underscore_v<decltype(index)>) {
            const auto i = static_cast<long_index_t>(as_index(index));
            const auto n = static_cast<long_index_t>(as_index(element<d.value>(shape)));
            check(0 <= i && i < n,
                  "opus: a coordinate must be 0 .. extent - 1 of its dimension (coordinate, "
                  "extent)",
                  at, i, n);
        }
    });
}
#if defined(__HIP__)
OPUS_D void check_width(index_t width, caller at) {
    check(1 <= width && width <= 64 && (width & (width - 1)) == 0,
          "opus::shfl: the width must be a power of two, 1 .. 64 (width, lanes of a wave)", at,
          width, 64);
}
OPUS_D void check_shuffle(index_t lane, index_t width, caller at) {
    check_width(width, at);
    check(0 <= lane && lane < width, "opus::shfl: the lane must be 0 .. width - 1 (lane, width)",
          at, lane, width);
}

// n is in bytes, and may fit as a signed or as an unsigned number.
OPUS_D void check_32_bits(long_index_t n, const char* what, caller at) {
    check(-0x80000000ll <= n && n <= 0xffffffffll, what, at, n, 0xffffffffll);
}
inline constexpr const char* offset_in_32_bits =
    "opus::gmem, opus::smem: an offset must fit 32 bits in bytes (bytes, the largest)";
template <class Units>
OPUS_D void check_offset(const offset_t& i, bool in_bytes, caller at) {
    const bool fits = static_cast<index_t>(i.given) == i.given ||
                      static_cast<unsigned>(i.given) == i.given;  // else the product may wrap
    check_32_bits(in_bytes || !fits ? i.given : i.given * Units::bits / 8, offset_in_32_bits, at);
}

template <class Pointee>
OPUS_D void check_is_lds([[maybe_unused]] Pointee* p, [[maybe_unused]] caller at) {
#if defined(__HIP_DEVICE_COMPILE__)  // older compilers need another pointer in the host pass
    check(__builtin_amdgcn_is_shared(static_cast<const void*>(p)),
          "opus::make_smem, async_load: the pointer must be one to LDS (address, 0)", at,
          reinterpret_cast<long long>(p), 0);
#endif
}
template <class Pointee>
OPUS_D void check_is_lds(__attribute__((address_space(3))) Pointee*, caller) {}
template <index_t Bytes, class P>
OPUS_D void check_lds_alignment(P p, caller at) {
    constexpr unsigned size = Bytes == 12 ? 4 : Bytes;
    if constexpr (size > 1) {
        const auto address = static_cast<unsigned>(reinterpret_cast<decltype(sizeof(0))>(p));
        check(address % size == 0,
              "opus::smem: an access must begin at a multiple of its size, one of 12 bytes of 4 "
              "(address in LDS, multiple of)",
              at, address, size);
    }
}

// Checks the accesses of a layout: the last stride and, if all of them take place (IsAll), their
// offsets.
template <class Units, index_t Vec, bool IsAll, class Layout>
OPUS_D void debug_layout(const Layout& u, caller at) {
    using plain = typename layout_parts<Layout>::plain;
    using dims = dimensions_of<plain>;
    if constexpr (relies_on_stride<Vec, plain>) {
        const auto stride = static_cast<index_t>(element<dims::last_open>(u.stride()));
        check(stride == 1,
              "opus: an access of vec elements takes them side by side, so the last stride must be "
              "1 (stride, vec)",
              at, stride, Vec);
    }
    if constexpr (IsAll && plain::has_coord) {
        constexpr bool is_cached = plain::cached_vec > 0;
        long_index_t low = is_cached ? first_offset<plain>(u) : moved_by<plain>(u);
        low += shift_v<Layout>;
        long_index_t high = low;
        static_for<plain::rank>([&](auto d) {
            const auto step = static_cast<long_index_t>(as_index(element<d.value>(u.stride())));
            const auto& index = element<d.value>(u.coord());
            if constexpr (is_underscore_v<decltype(index)>) {
                const index_t extent = dims::all[d.value].extent;
                const long_index_t reach = step * (extent - (d.value == dims::last_open ? Vec : 1));
                low += reach < 0 ? reach : 0;
                high += reach > 0 ? reach : 0;
            } else if constexpr (!is_cached) {
                low += step * static_cast<index_t>(index);
                high += step * static_cast<index_t>(index);
            }
        });
        check_32_bits(low * Units::bits / 8, offset_in_32_bits, at);
        check_32_bits(high * Units::bits / 8, offset_in_32_bits, at);
    }
}
// A dword that is only partly in a buffer reads 0 and is not stored.
template <index_t Bytes>
OPUS_D void check_end(index_t v_bytes, index_t s_bytes, unsigned size, caller at) {
    const u64_t first = u64_t{static_cast<unsigned>(v_bytes)} + static_cast<unsigned>(s_bytes);
    check(Bytes < 4 || size <= first || size >= first + Bytes || (size - first) % 4 == 0,
          "opus::gmem: the end of the buffer cuts a dword of this access, all of which reads 0 and "
          "is not stored: move the last element alone (first byte, size)",
          at, static_cast<long_index_t>(first), size);
}
template <class Size>
OPUS_D void check_size(Size size, caller at) {
    if constexpr (sizeof(Size) > sizeof(index_t)) {
        check_32_bits(
            static_cast<long_index_t>(size),
            "opus::make_gmem: a size must fit 32 bits (make_gmem_wide takes 64; bytes, the "
            "largest)",
            at);
    }
}
// is_of_gmem: the first layout of a call is the one of gmem, whose base is the same for all lanes.
// (Behind a pointer to LDS, LDS-DMA adds the lane to its layout itself.)
template <class Units, index_t Vec, bool IsAll, class Arg>
OPUS_D void check_argument(const Arg& arg, [[maybe_unused]] bool in_bytes,
                           [[maybe_unused]] bool& is_of_gmem, caller at) {
    if constexpr (is_layout_v<Arg>) {
        if constexpr (!Arg::has_coord && Arg::rank > 1) {
            using plain = typename layout_parts<Arg>::plain;
            const bool is_moved = __builtin_amdgcn_ballot_w64(moved_by<plain>(arg) != 0) != 0;
            const bool is_one_lane = __builtin_popcountll(__builtin_amdgcn_read_exec()) == 1;
            check(!is_of_gmem || is_moved || is_one_lane,
                  "opus: a layout without a coordinate: every lane accesses element 0 (the thread "
                  "was left out of partition_layout or make_layout; rank, vec)",
                  at, Arg::rank, Vec);
        }
        is_of_gmem = false;
        debug_layout<Units, Vec, IsAll>(arg, at);
    } else if constexpr (__is_convertible(Arg, offset_t)) {
        check_offset<Units>(arg, in_bytes, at);
    } else {
        check_is_lds(arg, at);
    }
}
template <class Memory, index_t Vec, bool IsAll, class Port, class Second, class... Args>
OPUS_D Port called::checked(Port port, [[maybe_unused]] bool in_bytes, caller at,
                            [[maybe_unused]] const Second& second, const Args&... args) const {
    using units = typename Memory::units;
    bool is_of_gmem = __is_base_of(buffer, Memory);
    port.user = user.file != nullptr ? user : at;
    (check_argument<units, Vec, IsAll>(args, in_bytes, is_of_gmem, port.user), ...);
    // The wave-uniform offset of gmem (that of gmem_wide has 64 bits, and smem has none).
    if constexpr (__is_base_of(buffer, Memory) && __is_convertible(Second, offset_t)) {
        check_offset<units>(second, in_bytes, port.user);
    }
    return port;
}
template <class Mem>
OPUS_D decltype(auto) called_at(Mem& mem, [[maybe_unused]] caller at) {
    if constexpr (__is_base_of(called, Mem)) {
        remove_cv_t<Mem> result = mem;
        result.user = at;
        return result;
    } else {
        return (mem);
    }
}
#endif

template <class Mma, class Thread>
constexpr void check_thread(const Mma&, const Thread& thread, caller at) {
    constexpr mma_block block = block_of<Mma>(0);
    // An mma that is not tiled takes threads of any wave.
    constexpr index_t threads = (block.is_tiled ? block.waves() : 1 << 24) * 64;
    const auto i = static_cast<index_t>(thread);
    check(0 <= i && i < threads,
          "opus::partition_layout: the thread must be one of the mma's (thread, threads)", at, i,
          threads);
#if defined(__HIP_DEVICE_COMPILE__)
    // In a workgroup of just the mma's threads.
    if (!__builtin_is_constant_evaluated() && block_size_y() * block_size_z() == 1 &&
        block_size_x() == threads) {
        check(i != lane_id() || thread_id_x() < 64,
              "opus::partition_layout: the thread of a tiled mma is thread_id_x(), not lane_id() "
              "(thread, its number in the group)",
              at, i, thread_id_x());
    }
#endif
}
}  // namespace impl
#endif

// == 3. tables for the eye ========================================================================

namespace impl {
// Every instruction, for code that walks over the table (tests and the documentation do).
template <index_t Id>
using mfma_type_t = __type_pack_element<Id, fp8_t, bf8_t, fp6_t, bf6_t, fp4_t, fp64_t, fp32_t,
                                        xf32_t, fp16_t, bf16_t, i8_t, i32_t>;
template <index_t Row, index_t A = mfma_rows<mfma_facts>[Row].a,
          index_t B = mfma_rows<mfma_facts>[Row].b>
using mfma_of_row =
    mfma<mfma_type_t<A>, mfma_type_t<B>, mfma_type_t<mfma_rows<mfma_facts>[Row].c>,
         mfma_rows<mfma_facts>[Row].m, mfma_rows<mfma_facts>[Row].m, mfma_rows<mfma_facts>[Row].k>;
template <index_t... Rows, index_t... Pairs>
constexpr auto mfma_list(seq<Rows...>, seq<Pairs...>) {
    return tuple<mfma_of_row<Rows>..., mfma_of_row<mfma_name::f8f6f4_16x16x128 + Pairs % 2,
                                                   Pairs / 10, Pairs / 2 % 5>...>{};
}
template <index_t Pairs = 50>
constexpr auto mfma_table() {
    return mfma_list(make_index_seq<mfma_name::count>{}, make_index_seq<Pairs>{});
}

// The device pass reads the calls in the host's code and generates nothing for them.
inline constexpr bool is_printing = OPUS_ON(false, false, false, true);
inline constexpr index_t print_chars = 128;  // in a cell

// Prints tables like those of examples/layout_viewer, in lines of 100 characters. There is one
// table for each set of indices in front of the last two. write(text, i) writes element i, in
// row-major order, to text, as snprintf does.
template <class Write>
OPUS_H void print_tables(const index_t* shape, index_t rank, const Write& write) {
    char text[print_chars];
    const index_t columns = shape[rank - 1];
    const index_t rows_of_table = rank > 1 ? shape[rank - 2] : 1;
    const index_t rows = product_of(shape, 0, rank - 1);
    if (rows * columns == 0) {
        return;
    }
    const auto write_label = [&](index_t row) {  // 1,2
        index_t length = 0;
        index_t after = rows;
        text[0] = '\0';
        for (index_t d = 0; d < rank - 1; d++) {
            after /= shape[d];
            length += __builtin_snprintf(text + length, 16, d == 0 ? "%d" : ",%d",
                                         row / after % shape[d]);
        }
        return length;
    };
    const index_t label_width = write_label(rows - 1);
    index_t width = __builtin_snprintf(text, print_chars, "%d", columns - 1);
    for (index_t i = 0; i < rows * columns; i++) {
        const index_t length = write(text, i);
        width = length > width ? length : width;
    }
    index_t step = columns;
    if (label_width + columns * (width + 1) > 100) {
        for (step = 1; label_width + 2 * step * (width + 1) <= 100;) {
            step *= 2;
        }
    }
    for (index_t table = 0; table < rows; table += rows_of_table) {
        for (index_t first = 0; first < columns; first += step) {
            __builtin_printf("\n%*s", label_width, "");
            for (index_t c = first; c < first + step && c < columns; c++) {
                __builtin_printf(" %*d", width, c);
            }
            for (index_t row = table; row < table + rows_of_table; row++) {
                write_label(row);
                __builtin_printf("\n%*s", label_width, text);
                for (index_t c = first; c < first + step && c < columns; c++) {
                    write(text, row * columns + c);
                    __builtin_printf(" %*s", width, text);
                }
            }
            __builtin_printf("\n");
        }
    }
}

template <class... T>
OPUS_H void print_tuple(const char* name, const tuple<T...>& x) {
    __builtin_printf("%s(", name);
    static_for<sizeof...(T)>([&](auto i) {
        const char* before = i == 0 ? "" : ", ";
        const auto& entry = element<i.value>(x);
        if constexpr (is_underscore_v<decltype(entry)>) {
            __builtin_printf("%s_", before);
        } else {
            __builtin_printf("%s%lld%s", before, static_cast<long_index_t>(entry),
                             is_constant_v<decltype(entry)> ? "_I" : "");
        }
    });
    __builtin_printf(")");
}
// `open` has the extents of the indices that a call of u takes.
template <class Layout, class Open, index_t... Is>
OPUS_H void print_offsets(const Layout& u, const Open& open, seq<Is...>) {
    using plain = typename layout_parts<Layout>::plain;
    constexpr index_t rank = sizeof...(Is);
    constexpr index_t vec = Layout::has_coord && plain::cached_vec > 1 ? plain::cached_vec : 1;
    __builtin_printf(Layout::has_coord ? ": in each cell the offset of an access"
                                       : ": in each cell the offset");
    if (vec > 1) {
        __builtin_printf(" of %d elements", vec);
    }
    __builtin_printf("\n");
    const index_t extents[] = {
        (static_cast<index_t>(element<Is>(open)) / (Is == rank - 1 ? vec : 1))..., 1};
    const index_t all = product_of(extents, 0, rank);
    constexpr bool is_list = Layout::has_coord || rank < 2;
    print_tables(is_list ? &all : extents, is_list ? 1 : rank, [&](char* text, index_t i) {
        index_t at[rank + 1] = {};
        for (index_t d = rank; d-- > 0; i /= extents[d]) {
            at[d] = i % extents[d];
        }
        return __builtin_snprintf(text, print_chars, "%lld",
                                  static_cast<long_index_t>(u(at[Is]...)));
    });
}
}  // namespace impl
using impl::mfma_table;  // of all matrix instructions, as a tuple of mfma

// Prints a layout, with its moves, shifts and swizzles, as tables of its offsets. The last index
// counts columns, the one before it rows; there is a table for each set of the others. Numbers are
// shown as 8_I. For a layout with a coordinate (a thread's part), prints the offsets of its
// accesses in their order: of elements or, for a layout_cached, of its vectors.
//   print(make_layout(2_I, 3_I));
//     -> shape (2_I, 3_I), stride (3_I, 1_I): in each cell the offset
//
//          0 1 2
//        0 0 1 2
//        1 3 4 5
template <class Layout, impl::enable_if_t<is_layout_v<Layout>> = 0>
OPUS_H void print(const Layout& u) {
    if constexpr (impl::is_printing) {
        impl::print_tuple("shape ", u.shape());
        impl::print_tuple(", stride ", u.stride());
        if constexpr (Layout::has_coord) {
            impl::print_tuple(", coordinate ", u.coord());
            impl::print_offsets(u, impl::pickup<underscore>(u.coord(), u.shape()),
                                make_index_seq<Layout::coord_rank>{});
        } else {
            impl::print_offsets(u, u.shape(), make_index_seq<Layout::rank>{});
        }
    }
}

namespace impl {
// A thread's tile with elements that can be read one by one.
template <index_t Items, class X>
OPUS_H auto readable_tile(const X& tile) {
    using traits = tile_traits<X>;
    static_assert(
        traits::size() == Items,
        "opus::print_tile: tiles[thread] must be the tile of a thread, a vtype_a (vtype_b, "
        "vtype_c) of the mma");
    if constexpr (is_exact_in_fp32_v<typename traits::dtype>) {
        return cast<fp32_t>(tile);
    } else {
        return tile;
    }
}
template <class X>
OPUS_H double item_of(const X& tile, index_t i) {
    if constexpr (is_container_v<get_value_t<X>>) {
        constexpr index_t length = vector_traits<get_value_t<X>>::size();
        return item_of(tile[i / length], i % length);
    } else {
        return static_cast<double>(tile[i]);
    }
}

// A is m x k, B is n x k, C is m x n. `tiles` is empty or one container.
template <class Operand, class Mma, class... Tiles>
OPUS_H void print_operand(const Operand& operand, const Mma& mma, const Tiles&... tiles) {
    static_assert(sizeof...(Tiles) <= 1, "opus::print_tile: takes an mma and the threads' tiles");
    if constexpr (is_printing) {
        static constexpr mma_block block = block_of<Mma>(0);
        constexpr auto& waves = block.waves_along;
        using f_t = decltype(operand_coordinates(operand, mma, 0));
        constexpr index_t row = is_same_v<Operand, operand_b> ? 1 : 0;
        constexpr index_t column = is_same_v<Operand, operand_c> ? 1 : 2;
        constexpr index_t other = 3 - row - column;  // waves along it have the same part
        constexpr index_t step = (other == 0 ? waves[1] : 1) * (other == 2 ? 1 : waves[2]) * 64;
        constexpr index_t shape[] = {Mma::blocks, block.extents[row], block.extents[column]};
        constexpr bool has_blocks = Mma::blocks > 1;
        constexpr index_t digits =
            (6 + ... +
             (4 * is_integer_v<typename tile_traits<__remove_cvref(decltype(tiles[0]))>::dtype>));
        struct {
            index_t thread;
            index_t item;
            double value;
        } cells[shape[0] * shape[1] * shape[2]];

        __builtin_printf("%c, ", "BAC"[other]);
        if (has_blocks) {
            __builtin_printf("%d blocks of ", shape[0]);
        }
        __builtin_printf("%d x %d (%c x %c): in each cell %s\n", shape[1], shape[2], "mnk"[row],
                         "mnk"[column], sizeof...(Tiles) == 0 ? "thread:item" : "the value");
        for (index_t wave = 0; wave < waves[other]; wave++) {
            if (waves[other] > 1) {
                __builtin_printf("\nWaves with %c = %d:\n", "mnk"[other], wave);
            }
            for (index_t thread = 0; thread < 64 * block.waves(); thread++) {
                if (thread / step % waves[other] != wave) {
                    continue;
                }
                const auto f = operand_coordinates(operand, mma, thread);
                const auto read = [&](const auto&... tile) {
                    for (index_t i = 0; i < f_t::items; i++) {
                        const auto at = f(i);
                        index_t place =
                            element<has_blocks>(at) * shape[2] + element<1 + has_blocks>(at);
                        if constexpr (has_blocks) {
                            place += element<0>(at) * shape[1] * shape[2];
                        }
                        cells[place].thread = thread;
                        cells[place].item = i;
                        ((cells[place].value = item_of(tile, i)), ...);
                    }
                };
                read(readable_tile<f_t::items>(tiles[static_cast<decltype(sizeof(0))>(thread)])...);
            }
            print_tables(shape + !has_blocks, 2 + has_blocks, [&](char* text, index_t i) {
                if constexpr (sizeof...(Tiles) == 0) {
                    return __builtin_snprintf(text, print_chars, "%d:%d", cells[i].thread,
                                              cells[i].item);
                } else {
                    return __builtin_snprintf(text, print_chars, "%.*g", digits, cells[i].value);
                }
            });
        }
    }
}
}  // namespace impl

// Prints C of a block, m down and n across, for what make_mfma and make_tiled_mma return, in tables
// like those of print. Without tiles it shows which thread holds each element, as thread:item (the
// element's number in that thread's vtype_c). With tiles it shows the values: tiles[thread] is the
// vtype_c of each thread of the block; tiles is an array, std::vector or pointer. An instruction of
// several blocks has a table for each block. Waves along k hold partial sums, with a table each.
// print_tile_a (m x k) and print_tile_b (n x k) do the same for A and B, of which waves along n (m)
// hold copies.
//   print_tile(mma);
//   std::vector<decltype(mma)::vtype_c> tiles(threads);  // what each thread stored to p[thread]
//   print_tile(mma, tiles);
template <class Mma, class... Tiles>
OPUS_H void print_tile_a(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand(impl::operand_a{}, mma, tiles...);
}
template <class Mma, class... Tiles>
OPUS_H void print_tile_b(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand(impl::operand_b{}, mma, tiles...);
}
template <class Mma, class... Tiles>
OPUS_H void print_tile(const Mma& mma, const Tiles&... tiles) {
    impl::print_operand(impl::operand_c{}, mma, tiles...);
}

}  // namespace opus

#pragma clang diagnostic pop

#endif
