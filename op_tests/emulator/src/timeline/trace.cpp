// The trace of a timeline: Chrome's trace event format, which Perfetto reads.
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>

#include <map>

#include "machine/text.hpp"
#include "timeline/report.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

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

// A counter's value wherever it changes.
class changes {
public:
    void add(uint64_t clock, double amount) { amounts_[clock] += amount; }
    void add(uint64_t start, uint64_t end, double amount) {
        add(start, amount);
        add(end, -amount);
    }
    void write(trace_writer& out, const char* counter, const char* series) const {
        double value = 0;
        double before = -1;
        if (amounts_.empty() || amounts_.begin()->first != 0) {
            out.value(counter, series, 0, before = 0);
        }
        for (const auto& [clock, amount] : amounts_) {
            value += amount;
            if (value != before) {
                out.value(counter, series, clock, before = value);
            }
        }
    }

private:
    std::map<uint64_t, double> amounts_;
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
        flights.add(flight.clock, static_cast<double>(flight.bytes));
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
