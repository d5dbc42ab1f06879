#include "timeline/parameters.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "machine/device.hpp"
#include "machine/settings.hpp"
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

constexpr timeline_parameter table[] = {
#define OPUS_EMU_PARAMETER(name, ...) {#name, &timeline_parameters::name, __VA_ARGS__},
#include "timeline/parameters.inc"
};

// Of what is assumed, and of what is measured but only inferred to be this parameter.
constexpr bool percent = true;
constexpr timeline_range ranges[] = {
    {"clock_mhz", &p::clock_mhz, 57, 100, percent},
    {"matrix_rate_percent", &p::matrix_rate_percent, 80, 200},
    {"valu_power_percent", &p::valu_power_percent, 0, 100},
    {"valu_trans_clocks", &p::valu_trans_clocks, 8, 16},
    {"valu_mul32_clocks", &p::valu_mul32_clocks, 4, 16},
    {"valu_latency", &p::valu_latency, 0, 4},
    {"mfma_alone_passes", &p::mfma_alone_passes, 1, 2},
    {"branch_taken_clocks", &p::branch_taken_clocks, 16, 64},
    {"barrier_clocks", &p::barrier_clocks, 4, 64},
    {"scalar_first_ns", &p::scalar_first_ns, 85, 417},
    {"icache_miss_clocks", &p::icache_miss_clocks, 0, 688},
    {"fetch_ahead_lines", &p::fetch_ahead_lines, 0, 4},
    {"fetch_split_clocks", &p::fetch_split_clocks, 0, 8},
    {"lds_read_bytes_per_clock", &p::lds_read_bytes_per_clock, 128, 256},
    {"lds_write_bytes_per_clock", &p::lds_write_bytes_per_clock, 128, 256},
    {"lds_port_bytes_per_clock", &p::lds_port_bytes_per_clock, 64, 128},
    {"lds_read_latency_b32", &p::lds_read_latency_b32, 32, 69},
    {"lds_read_latency_b64", &p::lds_read_latency_b64, 44, 73},
    {"lds_read_latency_b128", &p::lds_read_latency_b128, 48, 81},
    {"lds_write_latency_b32", &p::lds_write_latency_b32, 39, 59},
    {"lds_write_latency_b64", &p::lds_write_latency_b64, 48, 68},
    {"lds_write_latency_b128", &p::lds_write_latency_b128, 60, 80},
    {"lds_conflict_latency", &p::lds_conflict_latency, 0, 120},
    {"vmem_issue_clocks", &p::vmem_issue_clocks, 4, 8},
    {"vmem_bytes_per_clock", &p::vmem_bytes_per_clock, 64, 256},
    {"vmem_queue", &p::vmem_queue, 6, 24},
    {"outstanding_lines", &p::outstanding_lines, 152, 608},
    {"l2_bytes_per_clock", &p::l2_bytes_per_clock, 912, 1632, false, gfx_target::gfx942},
    {"l2_bytes_per_clock", &p::l2_bytes_per_clock, 615, 1632, false, gfx_target::gfx950},
    {"l2_hash", &p::l2_hash, 0, 1},
    {"l2_latency", &p::l2_latency, 204, 288},
    {"mall_gb_per_second", &p::mall_gb_per_second, 5800, 17200},
    {"mall_latency_ns", &p::mall_latency_ns, 218, 417},
    {"hbm_read_gb_per_second", &p::hbm_read_gb_per_second, 90, 110, percent},
    {"hbm_write_gb_per_second", &p::hbm_write_gb_per_second, 90, 110, percent},
    {"hbm_latency_ns", &p::hbm_latency_ns, 314, 626},
    {"launch_ns", &p::launch_ns, 500, 4500},
    {"dispatch_wave_clocks", &p::dispatch_wave_clocks, 0, 4},
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
constexpr llvm::StringRef blanks = " \t\r";

// What a line says.
struct change {
    std::string name;  // as it is written there
    const timeline_parameter* row = nullptr;
    uint32_t value = 0;
    std::optional<gfx_target> target;  // the only one that it is for
};

// A line without its comment. Adds a change, or returns what is wrong with the line.
std::string read_change(llvm::StringRef line, std::vector<change>& changes) {
    if (!line.contains('=')) {
        return "name = value is needed";
    }
    const auto [left, right] = line.split('=');
    change c;
    c.name = left.trim(blanks);
    llvm::StringRef name = c.name;
    for (const gfx_target target : {gfx_target::gfx942, gfx_target::gfx950}) {
        if (name.consume_front(std::string(target_name(target)) + ".")) {
            c.target = target;
            break;
        }
    }
    c.row = std::ranges::find(table, std::string_view(name), &timeline_parameter::name);
    if (c.row == std::end(table)) {
        return "there is no parameter '" + c.name + "'";
    }
    const llvm::StringRef text = right.trim(blanks);
    if (text.getAsInteger(10, c.value) || c.value < c.row->least || c.value > largest) {
        return c.name + " = " + text.str() + ": a whole number from " +
               std::to_string(c.row->least) + " to " + std::to_string(largest) + " is needed";
    }
    if (std::ranges::find(changes, c.name, &change::name) != changes.end()) {
        return c.name + " is given twice";
    }
    changes.push_back(std::move(c));
    return {};
}

std::string contradiction_in(const timeline_parameters& parameters) {
    if (parameters.compute_units % parameters.dies != 0) {
        return "compute_units is no multiple of dies";
    }
    if (!std::has_single_bit(parameters.l2_channels) ||
        parameters.l2_channels > timeline_most_channels) {
        return "l2_channels is no power of two up to " + std::to_string(timeline_most_channels);
    }
    return {};
}

// The times in a file of op_tests/gpu_facts: each number that has the name and the unit of a
// parameter. What has none is of more than the model knows. Returns what is wrong with the file.
using taken_parameters = std::vector<std::pair<const timeline_parameter*, uint32_t>>;
std::string take_measured(timeline_parameters& parameters, gfx_target target, const char* name,
                          taken_parameters& all) {
    const auto text = llvm::MemoryBuffer::getFile(name);
    if (!text) {
        return "cannot read this file: " + text.getError().message();
    }
    llvm::Expected<llvm::json::Value> file = llvm::json::parse((*text)->getBuffer());
    const llvm::json::Object* top = file ? file->getAsObject() : nullptr;
    const llvm::json::Array* facts = top == nullptr ? nullptr : top->getArray("facts");
    if (facts == nullptr || top->getString("format") != llvm::StringRef("gpu_facts 1")) {
        return "gpu_facts has not written this file" +
               (file ? "" : ": " + llvm::toString(file.takeError()));
    }
    if (const auto arch = top->getString("arch"); arch != llvm::StringRef(target_name(target))) {
        return "it is of a " + arch.value_or("nameless device").str() + ", not of a " +
               target_name(target);
    }
    std::string taken;
    for (const llvm::json::Value& element : *facts) {
        const llvm::json::Object* fact = element.getAsObject();
        const auto value = fact == nullptr ? std::nullopt : fact->getNumber("value");
        const auto of = fact == nullptr ? std::nullopt : fact->getString("name");
        const auto* row =
            std::ranges::find(table, std::string_view(of.value_or("")), &timeline_parameter::name);
        if (!value || row == std::end(table) ||
            fact->getString("kind") != llvm::StringRef("times")) {
            continue;
        }
        if (fact->getString("unit") != llvm::StringRef(row->unit) ||
            std::round(*value) < row->least || *value > largest) {
            return of->str() + " is no number of " + std::string(row->unit) + " from " +
                   std::to_string(row->least) + " on";
        }
        const auto rounded = parameters.*row->member = static_cast<uint32_t>(std::round(*value));
        taken += (taken.empty() ? "" : ", ") + of->str() + " = " + std::to_string(rounded);
        all.emplace_back(row, rounded);
    }
    if (taken.empty()) {
        return "it has no times: it is of no GPU";
    }
    static std::once_flag once;
    std::call_once(once, std::fprintf, stderr,
                   "opus emulator: the timeline has measured parameters, of %s: %s\n", name,
                   taken.c_str());
    return contradiction_in(parameters);
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
    int number = 0;
    for (const llvm::StringRef whole : llvm::split(text, '\n')) {
        ++number;
        const llvm::StringRef line = whole.split('#').first.trim(blanks);
        const std::string wrong = line.empty() ? "" : read_change(line, changes);
        if (!wrong.empty()) {
            return "line " + std::to_string(number) + ": " + wrong;
        }
    }
    for (const auto of : {std::optional<gfx_target>(), std::optional(target)}) {
        for (const change& c : changes) {
            if (c.target == of) {
                parameters.*c.row->member = c.value;
            }
        }
    }
    return contradiction_in(parameters);
}

timeline_parameters read_timeline_parameters(gfx_target target, std::string* measured_ones) {
    timeline_parameters parameters = default_timeline_parameters(target);
    taken_parameters taken;
    constexpr const char* device_variable = "OPUS_EMU_TIMELINE_DEVICE";
    const char* name = std::getenv(device_variable);
    if (name != nullptr && llvm::StringRef(name).ends_with(".json")) {
        if (const std::string wrong = take_measured(parameters, target, name, taken);
            !wrong.empty()) {
            refuse_setting(device_variable, name, wrong);
        }
    } else if (name != nullptr) {
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
            refuse_setting(device_variable, name,
                           std::string("for ") + target_name(target) + " one of these is needed: " +
                               names + ", or a file that gpu_facts has written, NAME.json");
        }
        for (const timeline_device_value& v : device->values) {
            parameters.*v.member = v.value;
        }
    }
    constexpr const char* file_variable = "OPUS_EMU_TIMELINE_PARAMETERS";
    if (const char* file = std::getenv(file_variable)) {
        const auto text = llvm::MemoryBuffer::getFile(file);
        if (!text) {
            refuse_setting(file_variable, file,
                           "cannot read this file: " + text.getError().message());
        }
        const std::string wrong =
            change_timeline_parameters(parameters, target, (*text)->getBuffer());
        if (!wrong.empty()) {
            refuse_setting(file_variable, file, wrong);
        }
    }
    constexpr const char* clock_variable = "OPUS_EMU_CLOCK_GHZ";
    if (const char* clock = std::getenv(clock_variable)) {
        double ghz = 0;
        const char* const end = clock + std::strlen(clock);
        const auto [parsed_to, error] = std::from_chars(clock, end, ghz);
        if (error != std::errc() || parsed_to != end || !(ghz >= 0.001) || !(ghz <= 100)) {
            refuse_setting(clock_variable, clock, "a number from 0.001 to 100 is needed");
        }
        parameters.clock_mhz = static_cast<uint32_t>(std::lround(ghz * 1000));
    }
    std::erase_if(taken, [&](const auto& t) { return parameters.*t.first->member != t.second; });
    if (measured_ones != nullptr && !taken.empty()) {
        *measured_ones = std::to_string(taken.size()) + " measured, of " + name;
        for (const auto& [row, value] : taken) {
            *measured_ones += (row == taken.front().first ? ": " : ", ") + std::string(row->name);
        }
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
