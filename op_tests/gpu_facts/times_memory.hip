// Caches and memory: latencies by chains of loads, rates by all compute units, the channels of L2.
#include "times.hpp"

#include <cstdint>
#include <optional>

namespace gpu_facts {
namespace {

constexpr size_t kib = 1024;
constexpr size_t mib = 1024 * kib;
constexpr unsigned line_bytes = 128;

// ---- chains ----

// Line n of a power of two leads to line 1664525 n + 1013904223, which comes by every line. It
// holds where that one begins, in bytes: what a load gives is the address of the next.
__global__ void make_chain(unsigned* memory, unsigned lines) {
    for (unsigned n = blockIdx.x * 256 + threadIdx.x; n < lines; n += gridDim.x * 256) {
        const unsigned next = (n * 1664525u + 1013904223u) & (lines - 1);
        memory[size_t{n} * (line_bytes / 4)] = next * line_bytes;
    }
}

#ifdef __HIP_DEVICE_COMPILE__
#define OPUS_CHAIN(text)                                                                         \
    asm volatile(                                                                                \
        "v_mov_b32 v8, %4\n s_mov_b32 s30, %4\n s_mov_b32 s24, %3\n s_mov_b64 s[34:35], %2\n"    \
        "s_memtime s[20:21]\n s_memrealtime s[26:27]\n s_waitcnt lgkmcnt(0)\n"                   \
        "1:\n .rept 32\n" text                                                                   \
        "\n .endr\n"                                                                             \
        "s_sub_u32 s24, s24, 1\n s_cmp_lg_u32 s24, 0\n s_cbranch_scc1 1b\n"                      \
        "s_memtime s[22:23]\n s_memrealtime s[28:29]\n s_waitcnt lgkmcnt(0)\n"                   \
        "s_sub_u32 %0, s22, s20\n s_sub_u32 %1, s28, s26\n"                                      \
        : "=&s"(elapsed), "=&s"(ticks)                                                           \
        : "s"(memory), "s"(rounds), "s"(first)                                                   \
        : "memory", "scc", "s20", "s21", "s22", "s23", "s24", "s26", "s27", "s28", "s29", "s30", \
          "s34", "s35", "v8")
#else
#define OPUS_CHAIN(text)
#endif
// times: clocks and units of 10 ns of 32 * rounds loads, by one wave, in the last of `passes`.
#define OPUS_CHAIN_KERNEL(name, text)                                                       \
    __global__ void name(unsigned* times, [[maybe_unused]] const unsigned* memory,          \
                         [[maybe_unused]] unsigned rounds, [[maybe_unused]] unsigned first, \
                         int passes) {                                                      \
        unsigned elapsed = 0;                                                               \
        unsigned ticks = 0;                                                                 \
        _Pragma("unroll 1") for (int pass = 0; pass < passes; ++pass) {                     \
            OPUS_CHAIN(text);                                                               \
        }                                                                                   \
        times[0] = elapsed;                                                                 \
        times[1] = ticks;                                                                   \
    }
OPUS_CHAIN_KERNEL(vector_chain, "global_load_dword v8, v8, s[34:35]\n s_waitcnt vmcnt(0)")
OPUS_CHAIN_KERNEL(scalar_chain, "s_load_dword s30, s[34:35], s30\n s_waitcnt lgkmcnt(0)")

using chain_kernel = void (*)(unsigned*, const unsigned*, unsigned, unsigned, int);

// A chain through so many bytes.
class chain {
public:
    chain(const device& on, size_t bytes)
        : lines_(static_cast<unsigned>((on.emulated ? 64 * kib : bytes) / line_bytes)),
          memory_(size_t{lines_} * line_bytes / 4),
          times_(2) {
        make_chain<<<256, 256>>>(memory_.data(), lines_);
        examples::check(hipGetLastError(), "launch");
    }

    // Of one load: clocks, ns.
    struct times {
        double clocks;
        double ns;
    };
    times walk(chain_kernel kernel, unsigned loads, int passes) const {
        const unsigned rounds = loads / 32;
        kernel<<<1, 64>>>(times_.data(), memory_.data(), rounds, first_ * line_bytes, passes);
        examples::check(hipGetLastError(), "launch");
        first_ = (first_ + 7919) & (lines_ - 1);
        const std::vector<unsigned> all = times_.to_host();
        return {all[0] / (32.0 * rounds), 10 * (all[1] / (32.0 * rounds))};
    }

private:
    unsigned lines_;
    examples::device_buffer<unsigned> memory_;
    examples::device_buffer<unsigned> times_;
    mutable unsigned first_ = 0;
};

// ---- rates ----

using four = unsigned __attribute__((ext_vector_type(4)));
constexpr unsigned step_bytes = 16 * kib;  // of a group of 1024 threads, 16 bytes each

// A group reads `steps` times 16 KiB: from its number times `of_group` bytes on, `step` bytes apart,
// all within mask + 1; in each round what the next group, on another die, read before. `never` is
// what no sum is. The clocks are those of all waves of a group together.
__global__ __launch_bounds__(1024) void read_all(unsigned* clocks, const unsigned char* memory,
                                                 size_t of_group, size_t step, unsigned steps,
                                                 size_t mask, int rounds, unsigned never) {
    four sum = {0, 0, 0, 0};
    __syncthreads();
    const uint64_t begin = __builtin_amdgcn_s_memtime();
    for (int round = 0; round < rounds; ++round) {
        const unsigned group = (blockIdx.x + static_cast<unsigned>(round)) % gridDim.x;
#pragma unroll 8
        for (unsigned n = 0; n < steps; ++n) {
            const size_t at = (group * of_group + n * step) & mask;
            sum ^= *reinterpret_cast<const four*>(memory + at + size_t{threadIdx.x} * 16);
        }
        asm volatile("" : "+v"(sum)::"memory");
    }
    asm volatile("s_waitcnt vmcnt(0)\n s_barrier" : "+v"(sum)::"memory");
    const uint64_t end = __builtin_amdgcn_s_memtime();
    if (threadIdx.x == 0 || sum.x == never) {
        clocks[blockIdx.x] = static_cast<unsigned>(end - begin);
    }
}

__global__ __launch_bounds__(1024) void write_all(unsigned char* memory, size_t step,
                                                  unsigned steps) {
    for (unsigned n = 0; n < steps; ++n) {
        const size_t at = blockIdx.x * size_t{step_bytes} + n * step + size_t{threadIdx.x} * 16;
        *reinterpret_cast<four*>(memory + at) = four{1, 2, 3, 4};
    }
}

// Of L2: 8192 lines that are `stride` bytes apart. Eight lanes share a line.
constexpr unsigned strided_lines = 8192;
__global__ __launch_bounds__(1024) void read_strided(unsigned* clocks, const unsigned char* memory,
                                                     unsigned stride, int rounds, unsigned never) {
    four sum = {0, 0, 0, 0};
    const unsigned first = blockIdx.x * 1031 + threadIdx.x / 8;
    __syncthreads();
    const uint64_t begin = __builtin_amdgcn_s_memtime();
#pragma unroll 8
    for (int n = 0; n < rounds; ++n) {
        const unsigned line = (first + static_cast<unsigned>(n) * 128) % strided_lines;
        sum ^=
            *reinterpret_cast<const four*>(memory + size_t{line} * stride + threadIdx.x % 8 * 16);
    }
    asm volatile("s_waitcnt vmcnt(0)\n s_barrier" : "+v"(sum)::"memory");
    const uint64_t end = __builtin_amdgcn_s_memtime();
    if (threadIdx.x == 0 || sum.x == never) {
        clocks[blockIdx.x] = static_cast<unsigned>(end - begin);
    }
}

// Which die a group runs on.
__global__ void die_of([[maybe_unused]] unsigned* dies) {
#ifdef __HIP_DEVICE_COMPILE__
    unsigned die = 0;
    asm volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID, 0, 4)" : "=s"(die));
    if (threadIdx.x == 0) {
        dies[blockIdx.x] = die;
    }
#endif
}

__global__ void nothing() {}

// About 4 us a round.
__global__ void sleep_for([[maybe_unused]] int rounds) {
#ifdef __HIP_DEVICE_COMPILE__
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {
        asm volatile("s_sleep 127");
    }
#endif
}

double median(std::vector<unsigned> all) {
    std::sort(all.begin(), all.end());
    return std::max(all[all.size() / 2], 1u);
}

double count_dies() {
    examples::device_buffer<unsigned> dies(4096);
    die_of<<<4096, 64>>>(dies.data());
    examples::check(hipGetLastError(), "launch");
    std::vector<unsigned> all = dies.to_host();
    std::sort(all.begin(), all.end());
    return static_cast<double>(std::unique(all.begin(), all.end()) - all.begin());
}

class area {
public:
    area(const device& on, size_t bytes)
        : bytes_(on.emulated ? mib : bytes),
          rounds_(on.emulated ? 1u : 64u),
          groups_(on.emulated ? 2 : static_cast<unsigned>(examples::compute_units())),
          memory_(bytes_),
          clocks_(2 * groups_) {
        memory_.fill_bytes(0);
    }

    // Bytes that a compute unit gets in a clock if all read the same `bytes`, a power of two.
    double bytes_per_clock(size_t bytes, unsigned steps) const {
        for (int n = 0; n < 2; ++n) {
            read_all<<<groups_, 1024>>>(clocks_.data(), memory_.data(), 4 * step_bytes, step_bytes,
                                        steps, bytes - 1, static_cast<int>(rounds_), 1);
            examples::check(hipGetLastError(), "launch");
        }
        return double{step_bytes} * steps * rounds_ / median(first_clocks());
    }

    // GB/s of all units together, which share what is read. So many rounds as make the events
    // around a launch, some us, little beside it.
    double gb_per_second_read() const {
        const int rounds = static_cast<int>(std::max(rounds_ * (64 * mib) / bytes_, size_t{1}));
        return rounds * gb_per_second([&](size_t step, unsigned steps) {
                   read_all<<<2 * groups_, 1024>>>(clocks_.data(), memory_.data(), step_bytes, step,
                                                   steps, ~size_t{0}, rounds, 1);
               });
    }
    double gb_per_second_written() const {
        return gb_per_second([&](size_t step, unsigned steps) {
            write_all<<<2 * groups_, 1024>>>(memory_.data(), step, steps);
        });
    }

    double strided_bytes_per_clock(unsigned stride) const {
        const int rounds = 16 * static_cast<int>(rounds_);
        for (int n = 0; n < 2; ++n) {
            read_strided<<<groups_, 1024>>>(clocks_.data(), memory_.data(), stride, rounds, 1);
            examples::check(hipGetLastError(), "launch");
        }
        return double{step_bytes} * rounds / median(first_clocks());
    }

private:
    std::vector<unsigned> first_clocks() const {
        std::vector<unsigned> clocks = clocks_.to_host();
        clocks.resize(groups_);
        return clocks;
    }

    // The second of two launches, of which the first one leaves what it can in the caches.
    template <class Launch>
    double gb_per_second(Launch launch) const {
        const size_t step = size_t{2} * groups_ * step_bytes;
        const auto steps = static_cast<unsigned>(bytes_ / step);
        const examples::device_event start;
        const examples::device_event stop;
        for (int n = 0; n < 2; ++n) {
            start.record();
            launch(step, steps);
            examples::check(hipGetLastError(), "launch");
            stop.record();
        }
        examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
        const double seconds = static_cast<double>(stop.milliseconds_since(start)) / 1000;
        return static_cast<double>(step) * steps / std::max(seconds, 1e-9) / 1e9;
    }

    size_t bytes_;
    unsigned rounds_;
    unsigned groups_;
    examples::device_buffer<unsigned char> memory_;
    examples::device_buffer<unsigned> clocks_;
};

// From one empty kernel to the next, of many in a row. The device sleeps until the host, which may
// be slower, has queued them.
double launch_ns(const device& on) {
    const int launches = on.emulated ? 2 : 1000;
    const examples::device_event start;
    const examples::device_event stop;
    nothing<<<1, 64>>>();
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    sleep_for<<<1, 64>>>(on.emulated ? 1 : 5000);
    examples::check(hipGetLastError(), "launch");
    start.record();
    for (int n = 0; n < launches; ++n) {
        nothing<<<1, 64>>>();
    }
    stop.record();
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return 1e6 * static_cast<double>(stop.milliseconds_since(start)) / launches;
}

}  // namespace

void times_memory(const device& on, report& to) {
    const char* clocks = "clocks";
    const char* mt4g = "MT4G";
    measure_time(on, to, "launch_ns", {859, 967, 0.25}, "ns", "the shortest published kernels",
                 [&] { return launch_ns(on); });
    if (!on.emulated) {
        measure_time(
            on, to, "compute_units", {304, 256, 0}, "", "data sheets",
            [] { return examples::compute_units(); }, 1);
        measure_time(on, to, "dies", {8, 8, 0}, "", "ROCm", [] { return count_dies(); }, 1);
    }

    // A walk that stays in a cache goes around often enough that the loop and the clock's own
    // latency count for nothing.
    const unsigned few = on.emulated ? 64 : 2048;
    const unsigned many = on.emulated ? 64 : 16384;
    measure_time(on, to, "scalar_latency", {48, 48, 0.1}, clocks, mt4g,
                 [&] { return chain(on, 4 * kib).walk(scalar_chain, few, 2).clocks; });
    measure_time(on, to, "a scalar load that misses its cache, more than one that hits",
                 {124, 124, 0.1}, clocks, mt4g, [&] {
                     const double hit = chain(on, 4 * kib).walk(scalar_chain, few, 2).clocks;
                     return chain(on, 2 * mib).walk(scalar_chain, many, 2).clocks - hit;
                 });
    measure_time(on, to, "l1_latency", {116, 116, 0.1}, clocks, mt4g,
                 [&] { return chain(on, 8 * kib).walk(vector_chain, few, 2).clocks; });
    measure_time(on, to, "l2_latency", {288, 288, 0.1}, clocks, mt4g,
                 [&] { return chain(on, 2 * mib).walk(vector_chain, many, 2).clocks; });
    measure_time(
        on, to, "mall_latency_ns", {314, 314, 0.1}, "ns", "published run on MI300X",
        [&] { return chain(on, 64 * mib).walk(vector_chain, many, 1).ns; }, 5);
    // Most lines of so much have left the Infinity Cache; addresses may miss their translation, too.
    measure_time(
        on, to, "hbm_latency_ns", {417, 417, 0.1}, "ns", mt4g,
        [&] { return chain(on, 4096 * mib).walk(vector_chain, many, 1).ns; }, 5);

    // Made where the first fact that needs it looks: a device without so much memory tells the
    // others.
    std::optional<area> held;
    size_t held_bytes = 0;
    const auto area_of = [&](size_t bytes) -> const area& {
        if (held_bytes != bytes) {
            held.reset();
            held_bytes = 0;
            held.emplace(on, bytes);
            held_bytes = bytes;
        }
        return *held;
    };
    measure_time(on, to, "vmem_bytes_per_clock", {64, 64, 0.1}, "bytes a clock",
                 "PyHIP, vmem-fifo.md",
                 [&] { return area_of(2 * mib).bytes_per_clock(16 * kib, 64); });
    measure_time(on, to, "l2_bytes_per_clock", {1632, 768, 0.1}, "bytes a clock",
                 "RRZE gpu-benches; gfx950: MT4G on MI300X, for each unit", [&] {
                     const double of_unit =
                         area_of(2 * mib).bytes_per_clock(on.emulated ? mib : 2 * mib, 128);
                     return of_unit * examples::compute_units() / (on.emulated ? 8 : count_dies());
                 });
    measure_time(on, to, "mall_gb_per_second", {11900, 11900, 0.1}, "GB/s",
                 "Chips and Cheese, Testing AMD's Giant MI300X",
                 [&] { return area_of(128 * mib).gb_per_second_read(); });
    measure_time(on, to, "hbm_read_gb_per_second", {3962, 6090, 0.1}, "GB/s",
                 "MT4G; Quack on MI355X", [&] { return area_of(4096 * mib).gb_per_second_read(); });
    measure_time(on, to, "hbm_write_gb_per_second", {4420, 6090, 0.1}, "GB/s", mt4g,
                 [&] { return area_of(4096 * mib).gb_per_second_written(); });

    for (const unsigned stride : {256u, 512u, 1024u, 2048u, 4096u, 8192u}) {
        // All bits of an address choose the channel: each stride uses all channels.
        measure_time(on, to,
                     format("L2 with lines %u bytes apart, of the rate without a gap", stride),
                     {100, 100, 0.25}, "%", "ROCm Compute Profiler: there is a hash", [&] {
                         const area& strided = area_of(size_t{strided_lines} * 8192);
                         const unsigned wide = on.emulated ? line_bytes : stride;
                         return 100 * strided.strided_bytes_per_clock(wide) /
                                strided.strided_bytes_per_clock(line_bytes);
                     });
    }
}

}  // namespace gpu_facts
