// The trace of a timeline: Chrome's trace event format, which Perfetto reads.
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <map>

#include "timeline/report.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

// Counters have so many values at most.
constexpr uint64_t most_points = 1000;
constexpr uint64_t shortest_step = 16;

// Where the counters are: behind the SIMDs.
constexpr int64_t unit_process = timeline_simds;

class trace_writer {
public:
    explicit trace_writer(json::OStream& out) : out_(out) {}

    void name(const char* kind, int64_t process, int64_t thread, const std::string& text) {
        out_.object([&] {
            out_.attribute("ph", "M");
            out_.attribute("name", kind);
            out_.attribute("pid", process);
            out_.attribute("tid", thread);
            out_.attributeObject("args", [&] { out_.attribute("name", text); });
        });
    }

    void slice(const timeline_slice& s, int64_t process, int64_t thread,
               const timeline_instruction& i, const std::string& source) {
        out_.object([&] {
            out_.attribute("ph", "X");
            out_.attribute("pid", process);
            out_.attribute("tid", thread);
            out_.attribute("ts", s.start);
            out_.attribute("dur", s.end - s.start);
            out_.attribute("cat", s.is_stall ? id_of(s.cause) : id_of(s.unit));
            out_.attribute("name", s.is_stall ? std::string("waits: ") + name_of(s.cause)
                                              : std::string(name_of(s.unit)));
            out_.attributeObject("args", [&] {
                out_.attribute("instruction", json::fixUTF8(i.text));
                if (!source.empty()) {
                    out_.attribute("line", json::fixUTF8(source));
                }
                if (!s.is_stall) {
                    out_.attribute("instructions", s.count);
                }
            });
        });
    }

    void value(const char* counter, const char* series, uint64_t clock, double amount) {
        out_.object([&] {
            out_.attribute("ph", "C");
            out_.attribute("pid", unit_process);
            out_.attribute("name", counter);
            out_.attribute("ts", clock);
            out_.attributeObject("args", [&] { out_.attribute(series, amount); });
        });
    }

private:
    json::OStream& out_;
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

void write_waves(trace_writer& out, const timeline_record& record, const timeline_result& result,
                 const program& code) {
    std::vector<uint64_t> addresses;
    for (const timeline_instruction& i : record.instructions) {
        addresses.push_back(i.address);
    }
    std::vector<std::string> sources;
    for (const source_frames& frames : code.frames_of(addresses)) {
        sources.push_back(frames_of_user(frames));
    }
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
            out.slice(s, wave.simd, thread, record.instructions[s.instruction],
                      sources[s.instruction]);
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
    const std::string kernel = llvm::demangle(launch.kernel);
    std::string text;
    llvm::raw_string_ostream stream(text);
    json::OStream out(stream);
    trace_writer writer(out);
    out.object([&] {
        out.attributeObject("otherData", [&] {
            out.attribute("title", json::fixUTF8(kernel + " on " + launch.arch));
            out.attribute("note", "a model of time, not a measurement; times are clocks");
            out.attributeBegin("report");
            out.rawValue(report.json);
            out.attributeEnd();
        });
        out.attributeArray("traceEvents", [&] {
            write_waves(writer, record, result, code);
            write_counters(writer, result);
        });
    });
    stream.flush();
    return text;
}

}  // namespace emu
