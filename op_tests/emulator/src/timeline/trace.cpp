// The trace of a timeline: Chrome's trace event format, which Perfetto reads.
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>

#include <algorithm>

#include "machine/text.hpp"
#include "timeline/report.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

// Counters have so many values at most.
constexpr uint64_t most_points = 1000;
constexpr uint64_t shortest_step = 16;

// Where the counters are: behind the SIMDs.
constexpr int64_t unit_process = timeline_simds;

std::string quoted(const std::string& text) {
    std::string result;
    llvm::raw_string_ostream out(result);
    out << json::Value(json::fixUTF8(text));
    return result;
}

// Appends events. Slices are many: what their instruction has to say is made once.
class trace_writer {
public:
    trace_writer(std::string& to, const timeline_record& record, const program& code) : to_(to) {
        std::vector<uint64_t> addresses;
        for (const timeline_instruction& i : record.instructions) {
            addresses.push_back(i.address);
        }
        const std::vector<source_frames> frames = code.frames_of(addresses);
        for (size_t n = 0; n < frames.size(); ++n) {
            const std::string line = frames_of_user(frames[n]);
            instructions_.push_back(R"("instruction":)" + quoted(record.instructions[n].text) +
                                    (line.empty() ? "" : R"(,"line":)" + quoted(line)));
        }
    }

    void name(const char* kind, int64_t process, int64_t thread, const std::string& text) {
        begin("M", process);
        to_ += format(R"(,"name":"%s","tid":%lld,"args":{"name":)", kind,
                      static_cast<long long>(thread));
        to_ += quoted(text) + "}}";
    }

    void slice(const timeline_slice& s, int64_t process, int64_t thread) {
        begin("X", process);
        to_ += format(R"(,"tid":%lld,"ts":%llu,"dur":%llu,"cat":"%s","name":"%s%s","args":{)",
                      static_cast<long long>(thread), static_cast<unsigned long long>(s.start),
                      static_cast<unsigned long long>(s.end - s.start),
                      s.is_stall ? id_of(s.cause) : id_of(s.unit), s.is_stall ? "waits: " : "",
                      s.is_stall ? name_of(s.cause) : name_of(s.unit));
        to_ += instructions_[s.instruction];
        to_ += s.is_stall ? "}}" : format(R"(,"instructions":%u}})", s.count);
    }

    void value(const char* counter, const char* series, uint64_t clock, double amount) {
        begin("C", unit_process);
        to_ += format(R"(,"name":"%s","ts":%llu,"args":{"%s":%.17g}})", counter,
                      static_cast<unsigned long long>(clock), series, amount);
    }

private:
    void begin(const char* phase, int64_t process) {
        to_ += is_first_ ? "\n" : ",\n";
        is_first_ = false;
        to_ += format(R"({"ph":"%s","pid":%lld)", phase, static_cast<long long>(process));
    }

    std::string& to_;
    bool is_first_ = true;
    std::vector<std::string> instructions_;
};

// A mean for each step of the time.
class steps {
public:
    explicit steps(uint64_t clocks)
        : length_(std::max(shortest_step, (clocks + most_points - 1) / most_points)),
          clocks_(clocks),
          sums_(static_cast<size_t>(clocks / length_ + 1)) {}

    void add(uint64_t start, uint64_t end, double value) {
        end = std::min(end, clocks_);
        while (start < end) {
            const uint64_t step = start / length_;
            const uint64_t stop = std::min(end, (step + 1) * length_);
            sums_[static_cast<size_t>(step)] += value * static_cast<double>(stop - start);
            start = stop;
        }
    }

    // Where the value changes.
    void write(trace_writer& out, const char* counter, const char* series) const {
        double before = -1;
        for (size_t step = 0; step < sums_.size(); ++step) {
            const uint64_t start = step * length_;
            const uint64_t length = std::min(length_, clocks_ - std::min(clocks_, start));
            const double mean = length == 0 ? 0 : sums_[step] / static_cast<double>(length);
            if (mean != before) {
                out.value(counter, series, start, mean);
                before = mean;
            }
        }
    }

private:
    uint64_t length_;
    uint64_t clocks_;
    std::vector<double> sums_;
};

void write_waves(trace_writer& out, const timeline_result& result) {
    for (uint32_t simd = 0; simd < timeline_simds; ++simd) {
        out.name("process_name", simd, 0, "SIMD " + std::to_string(simd));
    }
    out.name("process_name", unit_process, 0, "compute unit");
    for (size_t n = 0; n < result.waves.size(); ++n) {
        const timeline_wave_result& wave = result.waves[n];
        const auto thread = static_cast<int64_t>(n);
        out.name("thread_name", wave.simd, thread,
                 "group " + std::to_string(wave.group) + " wave " + std::to_string(wave.wave));
        for (const timeline_slice& s : wave.slices) {
            out.slice(s, wave.simd, thread);
        }
    }
}

void write_counters(trace_writer& out, const timeline_result& result) {
    constexpr double percent = 100;
    steps matrix(result.clocks);
    for (const auto& pipe : result.matrix) {
        for (const timeline_interval& busy : pipe) {
            matrix.add(busy.start, busy.end, percent / timeline_simds);
        }
    }
    matrix.write(out, "MFMA busy", "%");
    steps lds(result.clocks);
    for (const timeline_interval& busy : result.lds) {
        lds.add(busy.start, busy.end, percent);
    }
    lds.write(out, "LDS busy", "%");
    steps flights(result.clocks);
    int64_t bytes = 0;
    for (size_t n = 0; n < result.flights.size(); ++n) {
        bytes += result.flights[n].bytes;
        const uint64_t until =
            n + 1 < result.flights.size() ? result.flights[n + 1].clock : result.clocks;
        flights.add(result.flights[n].clock, until, static_cast<double>(bytes));
    }
    flights.write(out, "bytes in flight", "bytes");
}

}  // namespace

std::string make_trace(const timeline_record& record, const timeline_result& result,
                       const timeline_report& report, const timeline_launch& launch,
                       const program& code) {
    const std::string title = llvm::demangle(launch.kernel) + " on " + launch.arch;
    std::string text =
        R"({"otherData":{"title":)" + quoted(title) +
        R"(,"note":"a model of time, not a measurement; times are clocks","report":)" +
        report.json + "},\n" + R"("traceEvents":[)";
    trace_writer out(text, record, code);
    write_waves(out, result);
    write_counters(out, result);
    return text + "]}\n";
}

}  // namespace emu
