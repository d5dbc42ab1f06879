// LDS: latencies, rates, banks, and which lanes share a phase.
#include "times.hpp"

namespace gpu_facts {
namespace {

#define OPUS_TIMES(count, text) ".rept " #count "\n" text "\n.endr\n"
#define OPUS_WAIT "\n s_waitcnt lgkmcnt(0)"
#define OPUS_LDS_KERNELS(name, text)                  \
    OPUS_TIMED_KERNEL(name, "", OPUS_TIMES(64, text)) \
    OPUS_TIMED_KERNEL(name##_waits, "", OPUS_TIMES(64, text OPUS_WAIT))
OPUS_LDS_KERNELS(read_b32, "ds_read_b32 v8, %1")
OPUS_LDS_KERNELS(read_b64, "ds_read_b64 v[8:9], %1")
OPUS_LDS_KERNELS(read_b96, "ds_read_b96 v[8:10], %1")
OPUS_LDS_KERNELS(read_b128, "ds_read_b128 v[8:11], %1")
OPUS_LDS_KERNELS(write_b32, "ds_write_b32 %1, v0")
OPUS_LDS_KERNELS(write_b64, "ds_write_b64 %1, v[0:1]")
OPUS_LDS_KERNELS(write_b96, "ds_write_b96 %1, v[0:2]")
OPUS_LDS_KERNELS(write_b128, "ds_write_b128 %1, v[0:3]")

struct width {
    const char* name;
    timed_kernel kernel;
    timed_kernel waits;
    unsigned bytes;
    const char* parameter;  // of the model; null: there is none for this width
    assumed_time latency;
    const char* source;
    // Banks, and the lanes of the first phase; below 0 and null where nobody has published it.
    double banks_942;
    double banks_950;
    const char* phase_942;
    const char* phase_950;

    const char* phase_of(const device& on) const {
        return on.arch == "gfx942" ? phase_942 : phase_950;
    }
};
constexpr const char* nobody = "published by nobody";
constexpr const char* by_report = "reported, without a source";
constexpr width widths[] = {
    {"ds_read_b32",
     read_b32,
     read_b32_waits,
     4,
     "lds_read_latency_b32",
     {52, 50, 0.1},
     "MT4G",
     32,
     32,
     "0-31",
     "0-31"},
    {"ds_read_b64",
     read_b64,
     read_b64_waits,
     8,
     "lds_read_latency_b64",
     {56, 52, 0.1},
     "between the others",
     32,
     64,
     "0-15",
     "0-31"},
    {"ds_read_b128",
     read_b128,
     read_b128_waits,
     16,
     "lds_read_latency_b128",
     {64, 56, 0.1},
     "PyHIP, mem_latency.md",
     32,
     64,
     "0-3,20-23",
     "0-3,12-15,20-27"},
    {"ds_write_b32",
     write_b32,
     write_b32_waits,
     4,
     "lds_write_latency_b32",
     {39, 39, 0.1},
     by_report,
     32,
     32,
     "0-31",
     "0-31"},
    {"ds_write_b64",
     write_b64,
     write_b64_waits,
     8,
     "lds_write_latency_b64",
     {48, 48, 0.1},
     by_report,
     32,
     32,
     "0-15",
     "0-15"},
    {"ds_write_b128",
     write_b128,
     write_b128_waits,
     16,
     "lds_write_latency_b128",
     {60, 60, 0.1},
     by_report,
     32,
     32,
     "0-7",
     "0-7"},
    {"ds_read_b96",
     read_b96,
     read_b96_waits,
     12,
     nullptr,
     {-1, -1, 0},
     "",
     -1,
     32,
     nullptr,
     "0-3,20-23"},
    {"ds_write_b96",
     write_b96,
     write_b96_waits,
     12,
     nullptr,
     {-1, -1, 0},
     "",
     -1,
     -1,
     nullptr,
     nullptr},
};

// Lane n at n * stride bytes.
std::vector<unsigned> strided(unsigned stride) {
    std::vector<unsigned> offsets(64);
    for (unsigned lane = 0; lane < 64; ++lane) {
        offsets[lane] = lane * stride % 16384;
    }
    return offsets;
}

// All lanes at one place, but lane 0 and `other`, which are so many bytes apart.
std::vector<unsigned> two_lanes(unsigned other, unsigned apart) {
    std::vector<unsigned> offsets(64, 64);
    offsets[0] = 0;
    offsets[other] = apart;
    return offsets;
}

constexpr int many_waves = 16;
constexpr double accesses = 64 * many_waves;

// Clocks of one access of a wave, of all that the unit does.
double clocks_per_access(const width& w, const std::vector<unsigned>& offsets) {
    return clocks_of(w.kernel, many_waves, offsets) / accesses;
}

// The least of some runs: what disturbs one only makes it longer.
double least_clocks_per_access(const width& w, const std::vector<unsigned>& offsets) {
    double least = clocks_per_access(w, offsets);
    for (int n = 0; n < 2; ++n) {
        least = std::min(least, clocks_per_access(w, offsets));
    }
    return least;
}

// "0-3,20-23"
std::string list_of(const std::vector<unsigned>& sorted) {
    std::string text;
    for (size_t n = 0; n < sorted.size();) {
        size_t last = n;
        while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) {
            ++last;
        }
        text += format(last == n ? "%s%u" : "%s%u-%u", text.empty() ? "" : ",", sorted[n],
                       sorted[last]);
        n = last + 1;
    }
    return text;
}

// A lane shares the phase of lane 0 if the two take longer where they meet in one bank.
finding find_phase(const device& on, const width& w) {
    constexpr unsigned same_bank = 2048;
    constexpr unsigned other_bank = 32;
    finding f;
    if (on.emulated) {
        clocks_per_access(w, two_lanes(1, same_bank));
        f.seen = "nothing: the emulator has no time";
        return f;
    }
    std::vector<unsigned> phase = {0};
    for (unsigned lane = 1; lane < 64; ++lane) {
        const double apart = least_clocks_per_access(w, two_lanes(lane, other_bank));
        if (least_clocks_per_access(w, two_lanes(lane, same_bank)) > apart + 0.5) {
            phase.push_back(lane);
        }
    }
    f.repetitions = 63 * 3;
    f.seen = "lanes " + list_of(phase);
    if (phase.size() == 1) {
        f.seen = "nothing: no two lanes take longer than without a conflict";
        return f;
    }
    const char* const wanted = w.phase_of(on);
    if (wanted != nullptr) {
        f.said = f.seen == std::string("lanes ") + wanted ? verdict::same : verdict::different;
    }
    return f;
}

// 64 if lane 1, which shares the phase in each list, is in the way of lane 0 at 256 bytes only.
double banks_of(const width& w) {
    for (const unsigned banks : {32u, 64u}) {
        const double apart = least_clocks_per_access(w, two_lanes(1, 32));
        if (least_clocks_per_access(w, two_lanes(1, 4 * banks)) > apart + 0.5) {
            return banks;
        }
    }
    return 0;
}

}  // namespace

void times_lds(const device& on, report& to) {
    for (const width& w : widths) {
        const bool has_parameter = w.parameter != nullptr;
        measure_time(on, to, has_parameter ? w.parameter : std::string("the latency of ") + w.name,
                     w.latency, "clocks", has_parameter ? w.source : nobody,
                     [&] { return clocks_of(w.waits, 1, strided(w.bytes)) / 64; });
    }
    measure_time(on, to, "lds_read_bytes_per_clock", {128, 256, 0.1}, "bytes a clock",
                 "ROCm Compute Profiler; Chips and Cheese",
                 [&] { return 1024 / clocks_per_access(widths[2], strided(16)); });
    measure_time(on, to, "lds_write_bytes_per_clock", {128, 128, 0.1}, "bytes a clock",
                 "ROCm Compute Profiler",
                 [&] { return 1024 / clocks_per_access(widths[5], strided(16)); });
    measure_time(on, to, "lds_conflict_latency", {120, 120, 0.1}, "clocks", "PyHIP, mem_latency.md",
                 [&] { return clocks_of(read_b32_waits, 1, strided(64)) / 64; });
    for (const unsigned stride : {8u, 16u, 32u, 64u, 128u}) {
        // Lanes of a phase that meet in a bank of 32.
        const double clocks = 2.0 * stride / 4;
        measure_time(on, to, format("ds_read_b32 with lanes %u bytes apart", stride),
                     {clocks, clocks, 0.15}, "clocks", "32 banks, 2 phases",
                     [&] { return clocks_per_access(widths[0], strided(stride)); });
    }
    for (const width& w : widths) {
        const char* const phase = w.phase_of(on);
        const bool is_known = phase != nullptr;
        const char* const source = is_known ? "measured and inferred by public projects" : nobody;
        to.measure(format("the phase of lane 0 of %s", w.name),
                   is_known ? std::string("lanes ") + phase : "nothing", source,
                   [&] { return find_phase(on, w); });
        measure_time(
            on, to, format("banks of %s", w.name), {w.banks_942, w.banks_950, 0}, "banks", source,
            [&] { return banks_of(w); }, 3);
    }
}

}  // namespace gpu_facts
