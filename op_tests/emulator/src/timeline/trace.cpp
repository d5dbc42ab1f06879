// The trace of a timeline: Chrome's trace event format, which Perfetto reads.
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/ScopedPrinter.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "timeline/report.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

// Where the counters are: behind the SIMDs.
constexpr int64_t unit_process = timeline_simds;

std::string quoted(const std::string& text) {
    return llvm::to_string(json::Value(json::fixUTF8(text)));
}

// Writes events. Slices are many: what their instruction has to say is made once, and printf would
// take longer than the model.
class trace_writer {
public:
    trace_writer(llvm::raw_ostream& out, const timeline_record& record, const program& code)
        : out_(out) {
        const std::vector<std::string> sources = sources_of(record, code);
        for (size_t n = 0; n < sources.size(); ++n) {
            instructions_.push_back(R"("instruction":)" + quoted(record.instructions[n].text) +
                                    (sources[n].empty() ? "" : R"(,"line":)" + quoted(sources[n])));
        }
    }

    void name(const char* kind, int64_t process, int64_t thread, const std::string& text) {
        begin("M", process) << R"(,"name":")" << kind << R"(","tid":)" << thread
                            << R"(,"args":{"name":)" << quoted(text) << "}}";
    }

    void slice(const timeline_slice& s, int64_t process, int64_t thread) {
        const timeline_name name = s.is_stall ? name_of(s.cause) : name_of(s.unit);
        begin("X", process) << R"(,"tid":)" << thread << R"(,"ts":)" << s.start << R"(,"dur":)"
                            << s.end - s.start << R"(,"cat":")" << name.id << R"(","name":")"
                            << (s.is_stall ? "waits: " : "") << name.text << R"(","args":{)"
                            << instructions_[s.instruction];
        if (!s.is_stall) {
            out_ << R"(,"instructions":)" << s.count;
        }
        out_ << "}}";
    }

    void value(const char* counter, const char* series, uint64_t clock, int64_t amount) {
        begin("C", unit_process) << R"(,"name":")" << counter << R"(","ts":)" << clock
                                 << R"(,"args":{")" << series << R"(":)" << amount << "}}";
    }

private:
    llvm::raw_ostream& begin(const char* phase, int64_t process) {
        return out_ << (std::exchange(is_first_, false) ? "\n" : ",\n") << R"({"ph":")" << phase
                    << R"(","pid":)" << process;
    }

    llvm::raw_ostream& out_;
    bool is_first_ = true;
    std::vector<std::string> instructions_;
};

// A counter's value wherever it changes.
class changes {
public:
    void add(uint64_t clock, int64_t amount) { amounts_.emplace_back(clock, amount); }
    void add(uint64_t start, uint64_t end, int64_t amount) {
        add(start, amount);
        add(end, -amount);
    }
    void write(trace_writer& out, const char* counter, const char* series) {
        std::ranges::sort(amounts_, {}, &std::pair<uint64_t, int64_t>::first);
        int64_t value = 0;
        int64_t before = -1;
        if (amounts_.empty() || amounts_.front().first != 0) {
            out.value(counter, series, 0, before = 0);
        }
        for (size_t n = 0; n < amounts_.size();) {
            const uint64_t clock = amounts_[n].first;
            for (; n < amounts_.size() && amounts_[n].first == clock; ++n) {
                value += amounts_[n].second;
            }
            if (value != before) {
                out.value(counter, series, clock, before = value);
            }
        }
    }

private:
    std::vector<std::pair<uint64_t, int64_t>> amounts_;  // by clock
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
    constexpr int64_t percent = 100;
    changes matrix;
    for (const auto& pipe : result.matrix) {
        for (const timeline_interval& busy : pipe) {
            matrix.add(busy.start, busy.end, percent / timeline_simds);
        }
    }
    matrix.write(out, "MFMA busy", "%");
    changes lds;
    for (const timeline_interval& busy : result.lds) {
        lds.add(busy.start, busy.end, percent);
    }
    lds.write(out, "LDS busy", "%");
    changes flights;
    for (const timeline_flight& flight : result.flights) {
        flights.add(flight.clock, flight.bytes);
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
    size_t slices = 0;
    for (const timeline_wave_result& wave : result.waves) {
        slices += wave.slices.size();
    }
    constexpr size_t bytes_of_slice =
        256;  // more than most have: memory that is not used costs nothing
    text.reserve(text.size() + bytes_of_slice * slices);
    llvm::raw_string_ostream out(text);
    trace_writer events(out, record, code);
    write_waves(events, result);
    write_counters(events, result);
    out << "]}\n";
    return text;
}

}  // namespace emu
