#include "timeline/parameters.hpp"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "machine/device.hpp"
#include "machine/report.hpp"
#include "timeline/record.hpp"

namespace emu {
namespace {

constexpr auto isa = timeline_certainty::isa;
constexpr auto vendor = timeline_certainty::vendor;
constexpr auto measured = timeline_certainty::measured;
constexpr auto reported = timeline_certainty::reported;
constexpr auto assumed = timeline_certainty::assumed;

constexpr uint32_t mhz(const device_info& d) {
    return static_cast<uint32_t>(d.clock_khz / 1000);
}
constexpr uint32_t units(const device_info& d) {
    return static_cast<uint32_t>(d.compute_units);
}

using p = timeline_parameters;
constexpr uint32_t kib = 1024;
constexpr uint32_t mib = 1024 * kib;

// clang-format off
constexpr timeline_parameter table[] = {
    {"clock_mhz", &p::clock_mhz, {mhz(gfx942_device), vendor}, {mhz(gfx950_device), vendor},
     "MHz", 1,
     "clock of the compute units: the highest one, which devices do not hold under load",
     "data sheets"},
    {"compute_units", &p::compute_units,
     {units(gfx942_device), vendor}, {units(gfx950_device), vendor}, "", 1,
     "of the device",
     "data sheets"},
    {"dies", &p::dies, {8, vendor}, {8, vendor}, "", 1,
     "accelerator dies (XCDs), each with an L2",
     "ROCm"},

    {"matrix_f16_tflops", &p::matrix_f16_tflops, {654, vendor}, {1686, vendor},
     "TFLOP/s", 1,
     "matrix instructions of f16 that the device does for long; it lowers the clock above",
     "AMD, achievable FLOPs"},
    {"matrix_bf16_tflops", &p::matrix_bf16_tflops, {708, vendor}, {1686, vendor},
     "TFLOP/s", 1,
     "the same of bf16",
     "AMD, achievable FLOPs"},
    {"matrix_8bit_tflops", &p::matrix_8bit_tflops, {1273, vendor}, {3567, vendor},
     "TFLOP/s", 1,
     "the same of fp8, and of i8",
     "AMD, achievable FLOPs; i8 is inferred"},
    {"matrix_4bit_tflops", &p::matrix_4bit_tflops, {1273, assumed}, {5663, vendor},
     "TFLOP/s", 1,
     "the same of fp4 and fp6",
     "AMD, achievable FLOPs; gfx942 has no such instructions"},
    {"matrix_rate_percent", &p::matrix_rate_percent, {100, assumed}, {100, assumed}, "%", 1,
     "so much of these rates does the device do for long",
     "other sources of MI355X have 81 to 96 %; short launches may keep the highest clock"},
    {"matrix_rate_is_limit", &p::matrix_rate_is_limit, {0, assumed}, {0, assumed}, "", 0,
     "1: the device limits operations; 0: its power, and the rates above are what came of it",
     "Linux, Peak Tops Limiter, which reports name for MI308X only"},

    {"issue_clocks", &p::issue_clocks, {4, vendor}, {4, vendor}, "clocks", 1,
     "from one turn of a SIMD to its next; a wave issues one instruction in a turn",
     "ROCm Compute Profiler: a compute unit looks at one of four SIMDs in each clock"},
    {"issue_instructions", &p::issue_instructions, {5, vendor}, {5, vendor}, "", 1,
     "instructions of a turn at most, of different classes and waves",
     "ROCm Compute Profiler"},

    {"valu_clocks", &p::valu_clocks, {4, vendor}, {4, vendor}, "clocks", 1,
     "a vector instruction of a wave that no line below names",
     "64 lanes on 16: ROCm Compute Profiler"},
    {"valu_trans_clocks", &p::valu_trans_clocks, {16, measured}, {16, vendor}, "clocks", 1,
     "exp, log, rcp, rsq, sqrt, sin, cos of f16 and f32",
     "4 lanes a clock: Chips and Cheese, Testing AMD's Giant MI300X; LLVM's scheduling model"},
    {"valu_mul32_clocks", &p::valu_mul32_clocks, {16, assumed}, {16, assumed}, "clocks", 1,
     "multiplication of 32-bit integers",
     "a quarter of the rate in LLVM's cost model; its scheduling model has the full rate"},
    {"valu_f64_clocks", &p::valu_f64_clocks, {4, vendor}, {4, vendor}, "clocks", 1,
     "f64 and other 64-bit operations",
     "the vector rates of f64 in the data sheets; LLVM's scheduling model"},
    {"valu_f64_trans_clocks", &p::valu_f64_trans_clocks, {16, vendor}, {16, vendor}, "clocks", 1,
     "rcp, rsq, sqrt of f64",
     "LLVM's scheduling model"},
    {"valu_latency", &p::valu_latency, {0, vendor}, {0, vendor}, "clocks", 0,
     "from the end of a vector instruction to one that reads its result",
     "LLVM's scheduling model"},

    {"mfma_pass_clocks", &p::mfma_pass_clocks, {4, isa}, {4, isa}, "clocks", 1,
     "a pass of a matrix instruction",
     "ISA guides, chapter 7"},
    {"mfma_accumulate_clocks", &p::mfma_accumulate_clocks, {0, isa}, {0, isa}, "clocks", 0,
     "from the end of one to the next that has its result as C and D",
     "ISA guides, dependent matrix instructions: no wait states from 4 passes on"},
    {"mfma_result_clocks", &p::mfma_result_clocks, {16, isa}, {20, isa}, "clocks", 0,
     "from the end of one to any other use of its result",
     "ISA guides, dependent matrix instructions: 3 wait states more than passes, 4 on gfx950"},

    {"salu_clocks", &p::salu_clocks, {4, vendor}, {4, vendor}, "clocks", 1,
     "a scalar instruction, to the next one of its wave",
     "LLVM's scheduling model"},
    {"branch_taken_clocks", &p::branch_taken_clocks, {32, assumed}, {32, assumed}, "clocks", 1,
     "a branch that is taken, to the next instruction of its wave",
     "8 turns in LLVM's scheduling model, which calls its figures inexact"},
    {"barrier_clocks", &p::barrier_clocks, {16, assumed}, {16, assumed}, "clocks", 0,
     "from the arrival of the last wave until the waves issue again",
     "no source"},
    {"sleep_unit_clocks", &p::sleep_unit_clocks, {64, isa}, {64, isa}, "clocks", 1,
     "a unit of s_sleep",
     "ISA guides, s_sleep"},
    {"scalar_latency", &p::scalar_latency, {48, measured}, {48, assumed}, "clocks", 0,
     "a scalar load that hits its cache",
     "MT4G"},
    {"scalar_miss_latency", &p::scalar_miss_latency, {124, measured}, {124, assumed}, "clocks", 0,
     "what a scalar load takes more if it misses",
     "MT4G"},
    {"scalar_issue_clocks", &p::scalar_issue_clocks, {4, assumed}, {4, assumed}, "clocks", 1,
     "from one scalar load to the next of a compute unit",
     "no source"},
    {"scalar_line_bytes", &p::scalar_line_bytes, {64, measured}, {64, assumed}, "bytes", 4,
     "line of the scalar cache",
     "MT4G"},

    {"icache_bytes", &p::icache_bytes, {64 * kib, vendor}, {64 * kib, assumed}, "bytes", 1,
     "instruction cache of two compute units, which are taken to run the same code",
     "AMD, CDNA 3 white paper"},
    {"icache_line_bytes", &p::icache_line_bytes, {64, vendor}, {64, vendor}, "bytes", 4,
     "line of the instruction cache",
     "LLVM, AMDGPUTargetStreamer.cpp: 64 before GFX11"},
    {"icache_miss_clocks", &p::icache_miss_clocks, {172, assumed}, {172, assumed}, "clocks", 0,
     "until a line of code that the cache does not have is there; 0: all code always is",
     "no source; a scalar load that misses its cache"},
    {"fetch_ahead_lines", &p::fetch_ahead_lines, {1, assumed}, {1, assumed}, "lines", 0,
     "lines of code that a wave asks for before it comes to them",
     "no source"},

    {"lds_read_bytes_per_clock", &p::lds_read_bytes_per_clock, {128, vendor}, {256, vendor},
     "bytes a clock", 1,
     "that LDS delivers",
     "32 banks: ROCm Compute Profiler; gfx950 twice as much: Chips and Cheese, CDNA 4 Architecture "
     "Announcement"},
    {"lds_write_bytes_per_clock", &p::lds_write_bytes_per_clock, {128, vendor}, {128, assumed},
     "bytes a clock", 1,
     "that LDS takes",
     "32 banks; gfx950: only reads are said to be faster"},
    {"lds_port_bytes_per_clock", &p::lds_port_bytes_per_clock, {64, vendor}, {128, assumed},
     "bytes a clock", 1,
     "between LDS and a pair of SIMDs, each way; addresses, 4 bytes a lane, go with what is "
     "written",
     "ROCm Compute Profiler; gfx950: half of what LDS delivers, as on gfx942"},
    {"lds_read_latency_b32", &p::lds_read_latency_b32, {52, measured}, {50, assumed}, "clocks", 0,
     "a read of up to 4 bytes a lane, to the end of its wait",
     "52: MT4G, and PyHIP, mem_latency.md; gfx950: as on MI300X, less what its faster port saves"},
    {"lds_read_latency_b64", &p::lds_read_latency_b64, {56, assumed}, {52, assumed}, "clocks", 0,
     "the same of up to 8 bytes",
     "between the two others: each takes 48 clocks more than its bytes take at the port"},
    {"lds_read_latency_b128", &p::lds_read_latency_b128, {64, measured}, {56, assumed}, "clocks", 0,
     "the same of more",
     "PyHIP, mem_latency.md, of 16 bytes; gfx950: as on MI300X, less what its faster port saves"},
    {"lds_write_latency_b32", &p::lds_write_latency_b32, {39, reported}, {39, reported},
     "clocks", 0,
     "a write of up to 4 bytes a lane, to the end of its wait",
     "reported without a source; nothing else is known of writes"},
    {"lds_write_latency_b64", &p::lds_write_latency_b64, {48, reported}, {48, reported},
     "clocks", 0,
     "the same of up to 8 bytes",
     "reported without a source"},
    {"lds_write_latency_b128", &p::lds_write_latency_b128, {60, reported}, {60, reported},
     "clocks", 0,
     "the same of more",
     "reported without a source, of 16 bytes"},
    {"lds_conflict_latency", &p::lds_conflict_latency, {120, measured}, {120, assumed}, "clocks", 0,
     "an instruction with bank conflicts, at least, to the end of its wait; 0: as without, and the "
     "clocks of its conflicts",
     "PyHIP, mem_latency.md: 120 with 8 lanes of a phase in each bank, 119 with 32"},

    {"line_bytes", &p::line_bytes, {128, measured}, {128, assumed}, "bytes", 4,
     "line of L1 and L2",
     "MT4G"},
    {"vmem_issue_clocks", &p::vmem_issue_clocks, {4, measured}, {4, assumed}, "clocks", 1,
     "a vector memory instruction, for its addresses",
     "16 addresses a clock; the first loads of a wave are 4 or 8 clocks apart: PyHIP, "
     "vmem-fifo.md"},
    {"vmem_bytes_per_clock", &p::vmem_bytes_per_clock, {64, measured}, {64, assumed},
     "bytes a clock", 1,
     "between the registers (or LDS) of a compute unit and L1",
     "16 clocks from one load of 16 bytes a lane to the next of a wave: PyHIP, vmem-fifo.md; with "
     "all waves 38.8 TB/s from all units, which are 61: RRZE gpu-benches"},
    {"vmem_queue", &p::vmem_queue, {12, measured}, {12, assumed}, "", 1,
     "vector memory instructions of a compute unit that wait for L1; no further one is issued",
     "inferred from PyHIP, vmem-fifo.md: 16 loads of 1 KiB are issued 4 or 8 clocks apart, the "
     "others 16"},
    {"l1_bytes", &p::l1_bytes, {32 * kib, vendor}, {32 * kib, vendor}, "bytes", 1,
     "L1 of a compute unit",
     "ROCm"},
    {"l1_bytes_per_clock", &p::l1_bytes_per_clock, {128, vendor}, {128, assumed},
     "bytes a clock", 1,
     "that L1 delivers",
     "Chips and Cheese, AMD's CDNA 3 Compute Architecture"},
    {"l1_latency", &p::l1_latency, {116, measured}, {116, assumed}, "clocks", 0,
     "a load that hits L1",
     "MT4G"},
    {"outstanding_lines", &p::outstanding_lines, {304, measured}, {304, assumed}, "lines", 1,
     "that missed L1 and are on their way to a compute unit",
     "inferred from PyHIP, vmem-fifo.md: a wave on MI308X is held up for long behind 50 loads of 1 "
     "KiB, of which 12 are in the queue"},
    {"store_bytes_per_clock", &p::store_bytes_per_clock, {64, measured}, {64, assumed},
     "bytes a clock", 1,
     "that a compute unit writes to L2",
     "16 clocks from one store of 16 bytes a lane to the next: PyHIP, vmem-fifo.md"},
    {"l2_bytes", &p::l2_bytes, {4 * mib, vendor}, {4 * mib, vendor}, "bytes", 1,
     "L2 of a die",
     "ROCm"},
    {"l2_bytes_per_clock", &p::l2_bytes_per_clock, {1632, measured}, {912, assumed},
     "bytes a clock", 1,
     "that the L2 of a die delivers, of 2048 at most",
     "27.5 TB/s from all dies at 2.1 GHz: RRZE gpu-benches; gfx950: 15.4 TB/s, MT4G, on MI300X"},
    {"l2_channels", &p::l2_channels, {16, vendor}, {16, assumed}, "", 1,
     "channels of the L2 of a die, each with its part of the rate",
     "AMD, CDNA 3 white paper"},
    {"l2_channel_bytes", &p::l2_channel_bytes, {256, assumed}, {256, assumed}, "bytes", 128,
     "neighbouring addresses that are in one channel",
     "as on MI100 and MI200: ROCm Compute Profiler, L2 cache"},
    {"l2_hash", &p::l2_hash, {1, assumed}, {1, assumed}, "", 0,
     "1: all bits of the address choose the channel; 0: the lowest that can",
     "that there is a hash: ROCm Compute Profiler, L2 cache; which one is not published, here four "
     "bits each are exclusive-ored"},
    {"l2_latency", &p::l2_latency, {288, measured}, {288, assumed}, "clocks", 0,
     "a load that hits L2",
     "MT4G"},
    {"mall_bytes", &p::mall_bytes, {256 * mib, vendor}, {256 * mib, vendor}, "bytes", 1,
     "Infinity Cache (MALL) of the device",
     "ROCm"},
    {"mall_gb_per_second", &p::mall_gb_per_second, {11900, measured}, {11900, assumed}, "GB/s", 1,
     "that the Infinity Cache delivers",
     "Chips and Cheese, Testing AMD's Giant MI300X, of 17200 at most"},
    {"mall_latency_ns", &p::mall_latency_ns, {314, measured}, {314, assumed}, "ns", 0,
     "a load that hits the Infinity Cache",
     "scalar loads take 85 ns from L2 and 262 ns from there (published run on MI300X), vector "
     "loads 137 ns from L2"},
    {"hbm_read_gb_per_second", &p::hbm_read_gb_per_second, {3962, measured}, {6090, measured},
     "GB/s", 1,
     "that HBM delivers",
     "of 5300 and 8000 at most: MT4G; two streams read and one written in notes of Quack's FlyDSL "
     "backend on MI355X"},
    {"hbm_write_gb_per_second", &p::hbm_write_gb_per_second, {4420, measured}, {6090, assumed},
     "GB/s", 1,
     "that HBM takes; what is read and what is written take turns",
     "MT4G; gfx950: as what is read"},
    {"hbm_latency_ns", &p::hbm_latency_ns, {417, measured}, {417, assumed}, "ns", 0,
     "a load that comes from HBM",
     "MT4G: median 876 clocks"},

    {"launch_ns", &p::launch_ns, {2640, assumed}, {1450, assumed}, "ns", 0,
     "a launch, besides the time of its groups",
     "not more than that: the shortest published kernels, less 748 clocks"},
    {"group_start_clocks", &p::group_start_clocks, {0, assumed}, {0, assumed}, "clocks", 0,
     "from when a compute unit has room for a group to its first instruction",
     "no source"},
    {"overlap_rounds", &p::overlap_rounds, {1, vendor}, {1, vendor}, "", 0,
     "1: a unit takes its next group when one ends; 0: when all have ended, with cold caches",
     "ROCm Compute Profiler, Shader engine: the workgroup manager schedules a group where its "
     "resources are free"},
};
// clang-format on

// Every member has an entry, in their order.
static_assert(std::size(table) * sizeof(uint32_t) == sizeof(timeline_parameters));

// Of what is assumed, and of what is measured but only inferred to be this parameter.
constexpr timeline_range ranges[] = {
    {"valu_mul32_clocks", &p::valu_mul32_clocks, 4, 16},
    {"branch_taken_clocks", &p::branch_taken_clocks, 16, 64},
    {"barrier_clocks", &p::barrier_clocks, 4, 64},
    {"icache_miss_clocks", &p::icache_miss_clocks, 0, 688},
    {"fetch_ahead_lines", &p::fetch_ahead_lines, 0, 4},
    {"lds_read_latency_b32", &p::lds_read_latency_b32, 32, 52},
    {"lds_read_latency_b64", &p::lds_read_latency_b64, 44, 56},
    {"lds_read_latency_b128", &p::lds_read_latency_b128, 48, 64},
    {"lds_write_latency_b32", &p::lds_write_latency_b32, 39, 59},
    {"lds_write_latency_b64", &p::lds_write_latency_b64, 48, 68},
    {"lds_write_latency_b128", &p::lds_write_latency_b128, 60, 80},
    {"matrix_rate_percent", &p::matrix_rate_percent, 80, 200},
    {"vmem_bytes_per_clock", &p::vmem_bytes_per_clock, 64, 256},
    {"vmem_queue", &p::vmem_queue, 6, 24},
    {"outstanding_lines", &p::outstanding_lines, 152, 608},
    {"l2_bytes_per_clock", &p::l2_bytes_per_clock, 912, 1632},
    {"l2_hash", &p::l2_hash, 0, 1},
    {"launch_ns", &p::launch_ns, 500, 4500},
};

// docs/timeline.md has the sources.
constexpr timeline_device_value mi300x[] = {
    {&p::compute_units, 304, vendor},
};
// With its limit of operations on (Linux, Peak Tops Limiter), for VECTOR and F8.
constexpr timeline_device_value mi308x_ptl[] = {
    {&p::clock_mhz, 1800, measured},
    {&p::compute_units, 80, measured},
    {&p::dies, 4, measured},
    {&p::matrix_f16_tflops, 267, assumed},
    {&p::matrix_bf16_tflops, 267, measured},
    {&p::matrix_8bit_tflops, 494, measured},
    {&p::matrix_4bit_tflops, 494, assumed},
    {&p::matrix_rate_is_limit, 1, vendor},
    {&p::hbm_read_gb_per_second, 4184, measured},
    {&p::hbm_write_gb_per_second, 3400, measured},
};
constexpr timeline_device_value mi325x[] = {
    {&p::matrix_f16_tflops, 794, vendor},        {&p::matrix_bf16_tflops, 843, vendor},
    {&p::matrix_8bit_tflops, 1519, vendor},      {&p::matrix_4bit_tflops, 1519, assumed},
    {&p::hbm_read_gb_per_second, 4485, assumed}, {&p::hbm_write_gb_per_second, 5004, assumed},
};
constexpr timeline_device_value mi350x[] = {
    {&p::clock_mhz, 2200, vendor},          {&p::matrix_f16_tflops, 1345, vendor},
    {&p::matrix_bf16_tflops, 1445, vendor}, {&p::matrix_8bit_tflops, 3028, vendor},
    {&p::matrix_4bit_tflops, 4630, vendor},
};
constexpr timeline_device_value mi355x[] = {
    {&p::compute_units, 256, vendor},
};
constexpr timeline_device devices[] = {
    {"MI300X", gfx_target::gfx942, mi300x}, {"MI308X-PTL", gfx_target::gfx942, mi308x_ptl},
    {"MI325X", gfx_target::gfx942, mi325x}, {"MI350X", gfx_target::gfx950, mi350x},
    {"MI355X", gfx_target::gfx950, mi355x},
};

constexpr uint32_t largest = 1'000'000'000;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

const timeline_parameter* find_parameter(std::string_view name) {
    for (const timeline_parameter& row : table) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

// What a line says.
struct change {
    std::string name;  // as it is written there
    const timeline_parameter* row = nullptr;
    uint32_t value = 0;
    bool of_one_target = false;
    gfx_target target{};
};

// A line without its comment. Adds a change, or returns what is wrong with the line.
std::string read_change(std::string_view line, std::vector<change>& changes) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
        return "name = value is needed";
    }
    change c;
    c.name = trimmed(line.substr(0, equals));
    std::string_view name = c.name;
    for (const gfx_target target : {gfx_target::gfx942, gfx_target::gfx950}) {
        const std::string prefix = std::string(target_name(target)) + ".";
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
            c.of_one_target = true;
            c.target = target;
            break;
        }
    }
    c.row = find_parameter(name);
    if (c.row == nullptr) {
        return "there is no parameter '" + c.name + "'";
    }
    const std::string text(trimmed(line.substr(equals + 1)));
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, c.value);
    if (error != std::errc() || stop != end || c.value < c.row->least || c.value > largest) {
        return c.name + " = " + text + ": a whole number from " + std::to_string(c.row->least) +
               " to " + std::to_string(largest) + " is needed";
    }
    if (std::ranges::find(changes, c.name, &change::name) != changes.end()) {
        return c.name + " is given twice";
    }
    changes.push_back(std::move(c));
    return {};
}

[[noreturn]] void refuse(const char* variable, const char* value, const std::string& what) {
    std::fprintf(stderr, "opus emulator: %s=%s: %s\n", variable, value, what.c_str());
    ::_exit(failure_status);
}

using wide = unsigned __int128;

uint64_t divided_up(wide numerator, wide denominator) {
    return static_cast<uint64_t>((numerator + denominator - 1) / denominator);
}

// ceil(bytes * numerator / denominator)
uint64_t scaled(uint64_t bytes, uint64_t numerator, uint64_t denominator) {
    return divided_up(wide{bytes} * numerator, denominator);
}

}  // namespace

const char* name_of(timeline_certainty c) {
    constexpr const char* names[] = {"isa", "vendor", "measured", "reported", "assumed"};
    return names[static_cast<size_t>(c)];
}

std::span<const timeline_parameter> timeline_parameter_table() {
    return table;
}

std::span<const timeline_range> timeline_ranges() {
    return ranges;
}

std::span<const timeline_device> timeline_devices() {
    return devices;
}

timeline_parameters default_timeline_parameters(gfx_target target) {
    timeline_parameters parameters{};
    for (const timeline_parameter& row : table) {
        parameters.*row.member = (target == gfx_target::gfx942 ? row.gfx942 : row.gfx950).value;
    }
    return parameters;
}

std::string change_timeline_parameters(timeline_parameters& parameters, gfx_target target,
                                       std::string_view text) {
    std::vector<change> changes;
    for (int number = 1; !text.empty(); ++number) {
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        line = trimmed(line.substr(0, line.find('#')));
        const std::string wrong = line.empty() ? "" : read_change(line, changes);
        if (!wrong.empty()) {
            return "line " + std::to_string(number) + ": " + wrong;
        }
    }
    for (const bool of_one_target : {false, true}) {
        for (const change& c : changes) {
            if (c.of_one_target == of_one_target && (!of_one_target || c.target == target)) {
                parameters.*c.row->member = c.value;
            }
        }
    }
    if (parameters.compute_units % parameters.dies != 0) {
        return "compute_units is no multiple of dies";
    }
    if (!std::has_single_bit(parameters.l2_channels) ||
        parameters.l2_channels > timeline_most_channels) {
        return "l2_channels is no power of two up to " + std::to_string(timeline_most_channels);
    }
    return {};
}

timeline_parameters read_timeline_parameters(gfx_target target) {
    timeline_parameters parameters = default_timeline_parameters(target);
    constexpr const char* device_variable = "OPUS_EMU_TIMELINE_DEVICE";
    if (const char* name = std::getenv(device_variable)) {
        const auto* device = std::ranges::find_if(devices, [&](const timeline_device& d) {
            return llvm::StringRef(d.name).equals_insensitive(name);
        });
        if (device == std::end(devices) || device->target != target) {
            std::string names;
            for (const timeline_device& d : devices) {
                if (d.target == target) {
                    names += (names.empty() ? "" : ", ") + std::string(d.name);
                }
            }
            refuse(device_variable, name,
                   std::string("for ") + target_name(target) + " one of these is needed: " + names);
        }
        for (const timeline_device_value& v : device->values) {
            parameters.*v.member = v.value;
        }
    }
    constexpr const char* file_variable = "OPUS_EMU_TIMELINE_PARAMETERS";
    if (const char* file = std::getenv(file_variable)) {
        const auto text = llvm::MemoryBuffer::getFile(file);
        if (!text) {
            refuse(file_variable, file, "cannot read this file: " + text.getError().message());
        }
        const std::string wrong =
            change_timeline_parameters(parameters, target, (*text)->getBuffer());
        if (!wrong.empty()) {
            refuse(file_variable, file, wrong);
        }
    }
    constexpr const char* clock_variable = "OPUS_EMU_CLOCK_GHZ";
    if (const char* clock = std::getenv(clock_variable)) {
        double ghz = 0;
        const char* const end = clock + std::strlen(clock);
        const auto [parsed_to, error] = std::from_chars(clock, end, ghz);
        if (error != std::errc() || parsed_to != end || !(ghz >= 0.001) || !(ghz <= 100)) {
            refuse(clock_variable, clock, "a number from 0.001 to 100 is needed");
        }
        parameters.clock_mhz = static_cast<uint32_t>(std::lround(ghz * 1000));
    }
    return parameters;
}

uint64_t clocks_of_ns(const timeline_parameters& parameters, uint64_t ns) {
    return scaled(ns, parameters.clock_mhz, 1000);
}

uint32_t l2_channel_of(const timeline_parameters& parameters, uint64_t line) {
    const uint32_t mask = parameters.l2_channels - 1;
    const auto bits = static_cast<uint32_t>(std::bit_width(mask));
    uint64_t rest = line * parameters.line_bytes / parameters.l2_channel_bytes;
    uint64_t channel = rest;
    while (bits != 0 && parameters.l2_hash != 0 && (rest >>= bits) != 0) {
        channel ^= rest;
    }
    return static_cast<uint32_t>(channel) & mask;
}

uint64_t l2_share_clocks(const timeline_parameters& parameters, uint64_t bytes) {
    return scaled(bytes, parameters.compute_units,
                  uint64_t{parameters.dies} * parameters.l2_bytes_per_clock);
}

uint64_t mall_share_clocks(const timeline_parameters& parameters, uint64_t bytes) {
    return scaled(bytes, uint64_t{parameters.clock_mhz} * parameters.compute_units,
                  uint64_t{1000} * parameters.mall_gb_per_second);
}

uint64_t hbm_share_clocks(const timeline_parameters& parameters, uint64_t read, uint64_t written) {
    // read / read rate + written / write rate, over one denominator.
    const uint64_t reads = parameters.hbm_read_gb_per_second;
    const uint64_t writes = parameters.hbm_write_gb_per_second;
    const wide bytes = wide{read} * writes + wide{written} * reads;
    return divided_up(bytes * parameters.clock_mhz * parameters.compute_units,
                      wide{1000} * reads * writes);
}

}  // namespace emu
