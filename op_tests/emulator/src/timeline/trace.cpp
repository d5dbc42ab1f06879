// The trace of a timeline: Chrome's trace event format, which Perfetto reads.
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>
#include <utility>
#include <vector>

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
        add(R"(,"tid":)", thread, R"(,"ts":)", s.start, R"(,"dur":)", s.end - s.start);
        add(R"(,"cat":")", s.is_stall ? id_of(s.cause) : id_of(s.unit), R"(","name":")",
            s.is_stall ? "waits: " : "", s.is_stall ? name_of(s.cause) : name_of(s.unit),
            R"(","args":{)", instructions_[s.instruction]);
        if (!s.is_stall) {
            add(R"(,"instructions":)", s.count);
        }
        add("}}");
    }

    void value(const char* counter, const char* series, uint64_t clock, double amount) {
        begin("C", unit_process);
        add(R"(,"name":")", counter, R"(","ts":)", clock, R"(,"args":{")", series, R"(":)", amount,
            "}}");
    }

private:
    void begin(const char* phase, int64_t process) {
        add(is_first_ ? "\n" : ",\n", R"({"ph":")", phase, R"(","pid":)", process);
        is_first_ = false;
    }

    // Texts and numbers. printf takes longer than the model.
    template <class... Parts>
    void add(const Parts&... parts) {
        (add_part(parts), ...);
    }
    void add_part(const char* text) { to_ += text; }
    void add_part(const std::string& text) { to_ += text; }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void add_part(Number number) {
        std::array<char, 32> text;
        char* const end = text.data() + text.size();
        if constexpr (std::is_floating_point_v<Number>) {
            constexpr int digits = 17;  // all that it has
            to_.append(
                text.data(),
                std::to_chars(text.data(), end, number, std::chars_format::general, digits).ptr);
        } else {
            to_.append(text.data(), std::to_chars(text.data(), end, number).ptr);
        }
    }

    std::string& to_;
    bool is_first_ = true;
    std::vector<std::string> instructions_;
};

// A counter's value wherever it changes.
class changes {
public:
    void add(uint64_t clock, double amount) { amounts_.emplace_back(clock, amount); }
    void add(uint64_t start, uint64_t end, double amount) {
        add(start, amount);
        add(end, -amount);
    }
    void write(trace_writer& out, const char* counter, const char* series) {
        // Amounts are whole, so the order of those of a clock makes no difference.
        std::ranges::sort(amounts_, {}, &std::pair<uint64_t, double>::first);
        double value = 0;
        double before = -1;
        if (amounts_.empty() || amounts_.front().first != 0) {
            out.value(counter, series, 0, before = 0);
        }
        for (size_t n = 0; n < amounts_.size();) {
            const uint64_t clock = amounts_[n].first;
            double amount = 0;
            for (; n < amounts_.size() && amounts_[n].first == clock; ++n) {
                amount += amounts_[n].second;
            }
            value += amount;
            if (value != before) {
                out.value(counter, series, clock, before = value);
            }
        }
    }

private:
    std::vector<std::pair<uint64_t, double>> amounts_;  // by clock
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
    size_t slices = 0;
    for (const timeline_wave_result& wave : result.waves) {
        slices += wave.slices.size();
    }
    constexpr size_t bytes_of_slice =
        256;  // more than most have: memory that is not used costs nothing
    text.reserve(text.size() + bytes_of_slice * slices);
    trace_writer out(text, record, code);
    write_waves(out, result);
    write_counters(out, result);
    text += "]}\n";
    return text;
}

}  // namespace emu
