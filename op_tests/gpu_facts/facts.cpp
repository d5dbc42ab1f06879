#include "facts.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <utility>

#include "common/device.hpp"
#include "opus/hip_minimal.hpp"

namespace gpu_facts {

namespace {

constexpr int no_device_status = 2;
constexpr int failed_call_status = 3;
constexpr int answer_milliseconds = 60000;
constexpr int end_milliseconds = 10000;  // for a killed process, which a driver may hold
constexpr const char* kind_itself = "the kind itself";

// A record on the pipe: fields, each ended by a byte that no text has, and a line feed.
constexpr char field_end = '\x1f';

void send(int pipe, const std::vector<std::string>& fields) {
    std::string record;
    for (const std::string& field : fields) {
        for (const char c : field) {
            record += c == '\n' || c == field_end ? ' ' : c;
        }
        record += field_end;
    }
    record += '\n';
    for (std::size_t sent = 0; sent < record.size();) {
        const ssize_t count = ::write(pipe, record.data() + sent, record.size() - sent);
        if (count <= 0) {
            std::_Exit(failed_call_status);  // the parent is gone
        }
        sent += static_cast<std::size_t>(count);
    }
}

std::vector<std::string> fields_of(const std::string& record) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    for (std::size_t end; (end = record.find(field_end, begin)) != std::string::npos;
         begin = end + 1) {
        fields.push_back(record.substr(begin, end - begin));
    }
    return fields;
}

std::string number_text(double value) {
    return std::isnan(value) ? "" : format("%.9g", value);
}

verdict verdict_of(const std::string& name) {
    return name == "same"        ? verdict::same
           : name == "different" ? verdict::different
                                 : verdict::cannot;
}

[[noreturn]] void run_child(const kind& k, const request& asked, int pipe,
                            const std::set<std::string>& told) {
    int status = 0;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // ROCm writes the memory of a GPU into a file behind a fault: gigabytes, for minutes.
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (k.checks != nullptr) {
        ::setenv("OPUS_EMU_CHECK", k.checks, 0);
    }
    try {
        device on = find_device();
        on.quick = asked.quick;
        send(pipe, {"device", on.name, on.arch, on.emulated ? "1" : "0"});
        report to(pipe, told, asked.part, asked.only_list);
        k.run(on, to);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "gpu_facts: %s\n", e.what());
        status = no_device_status;
    }
    std::fflush(nullptr);
    // Not exit(): nothing of the parent's is to be run twice.
    std::_Exit(status);
}

// What one child said before it ended.
struct conversation {
    bool timed_out = false;
    int status = 0;
};

// Milliseconds that one may wait for the next word.
int patience(const request& asked, const result& to) {
    using std::chrono::milliseconds;
    if (to.on.arch.empty() || to.on.emulated) {
        return answer_milliseconds;
    }
    const auto left = asked.end - std::chrono::steady_clock::now();
    return static_cast<int>(std::clamp(std::chrono::duration_cast<milliseconds>(left),
                                       milliseconds(0), milliseconds(answer_milliseconds))
                                .count());
}

// A process that does not end is left alone: the driver has it.
int wait_for(pid_t child) {
    int status = 0;
    for (int waited = 0; waited < end_milliseconds; waited += 10) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            return status;
        }
        ::usleep(10000);
    }
    std::fprintf(stderr, "gpu_facts: process %d does not end\n", static_cast<int>(child));
    ::kill(child, SIGKILL);
    return SIGKILL;
}

template <class Take>
conversation talk(const kind& k, const request& asked, const std::set<std::string>& told,
                  const result& to, Take take) {
    int ends[2];
    if (::pipe(ends) != 0) {
        throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    }
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    }
    if (child == 0) {
        ::close(ends[0]);
        run_child(k, asked, ends[1], told);
    }
    ::close(ends[1]);
    conversation said;
    std::string unread;
    for (;;) {
        pollfd ready{ends[0], POLLIN, 0};
        const int events = ::poll(&ready, 1, patience(asked, to));
        if (events < 0 && errno == EINTR) {
            continue;
        }
        if (events <= 0) {
            said.timed_out = true;
            ::kill(child, SIGKILL);
            break;
        }
        char part[4096];
        const ssize_t count = ::read(ends[0], part, sizeof(part));
        if (count <= 0) {
            break;
        }
        unread.append(part, static_cast<std::size_t>(count));
        for (std::size_t end; (end = unread.find('\n')) != std::string::npos;) {
            take(fields_of(unread.substr(0, end)));
            unread.erase(0, end + 1);
        }
    }
    ::close(ends[0]);
    said.status = wait_for(child);
    return said;
}

std::string json_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            result += format("\\u%04x", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

}  // namespace

const char* name_of(verdict v) {
    constexpr const char* names[] = {"same", "different", "cannot"};
    return names[static_cast<int>(v)];
}

std::string format(const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    va_list again;
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, text, arguments);
    va_end(arguments);
    std::string result(static_cast<std::size_t>(size) + 1, '\0');
    std::vsnprintf(result.data(), result.size(), text, again);
    va_end(again);
    result.pop_back();
    return result;
}

// == the child's side =============================================================================

void report::measure(const std::string& name, const std::string& assumed, const std::string& source,
                     const std::function<finding()>& look) {
    if (!named_.insert(name).second) {
        throw std::logic_error("two facts are named " + name);
    }
    if (name.find(part_) == std::string::npos || told_.count(name) != 0) {
        return;
    }
    if (only_list_) {
        send(pipe_, {"listed", name, assumed, source});
        return;
    }
    send(pipe_, {"begin", name, assumed, source});
    finding found;
    bool usable = true;
    try {
        found = look();
    } catch (const examples::device_error& e) {
        found = {};
        found.seen = e.what();
        const bool by_kernel = found.seen.find("(hipErrorIllegalAddress)") != std::string::npos ||
                               found.seen.find("(hipErrorLaunchFailure)") != std::string::npos;
        found.said = by_kernel ? verdict::different : verdict::cannot;
        usable = false;
    }
    send(pipe_, {"fact", name, assumed, source, name_of(found.said), found.seen,
                 std::to_string(found.repetitions), number_text(found.spread),
                 number_text(found.value), found.unit});
    if (!usable) {
        std::_Exit(failed_call_status);
    }
}

void report::compare(const std::string& name, const std::string& assumed, const std::string& source,
                     const std::function<std::string()>& look) {
    measure(name, assumed, source, [&] {
        finding found;
        found.seen = look();
        found.said = found.seen == assumed ? verdict::same : verdict::different;
        return found;
    });
}

device find_device() {
    int number = 0;
    examples::check(hipGetDevice(&number), "hipGetDevice");
    hipDeviceProp_t properties{};
    examples::check(hipGetDeviceProperties(&properties, number), "hipGetDeviceProperties");
    device on;
    on.emulated = examples::is_emulated();
    on.name = on.emulated ? examples::device_name() : properties.name;
    on.arch = std::string(properties.gcnArchName).substr(0, 6);
    if (on.arch != "gfx942" && on.arch != "gfx950") {
        throw std::runtime_error("the device is a " + std::string(properties.gcnArchName) +
                                 "; the facts are about gfx942 and gfx950");
    }
    return on;
}

// == the parent's side ============================================================================

bool run_kind(const kind& k, const request& asked, result& to, const std::function<void()>& keep) {
    std::set<std::string> told;
    const auto add = [&](const fact& f) {
        std::printf("%s\n", line_of(f).c_str());
        std::fflush(stdout);
        to.facts.push_back(f);
        keep();
    };
    const auto add_kind = [&](verdict v, const std::string& seen) {
        fact f{k.name, kind_itself, "it comes to its end", "gpu_facts", {}};
        f.found.said = v;
        f.found.seen = seen;
        add(f);
        return true;
    };
    for (;;) {
        if (patience(asked, to) == 0) {
            return add_kind(verdict::cannot, "the time is over");
        }
        fact open;  // begun, and not told
        bool has_device = false;
        const auto take = [&](const std::vector<std::string>& fields) {
            if (fields[0] == "device") {
                to.on = {fields[1], fields[2], fields[3] == "1", asked.quick};
                has_device = true;
                return;
            }
            open.kind = k.name;
            open.name = fields[1];
            open.assumed = fields[2];
            open.source = fields[3];
            told.insert(open.name);
            if (fields[0] == "listed") {
                std::printf("%s/%s: %s (%s)\n", k.name, open.name.c_str(), open.assumed.c_str(),
                            open.source.c_str());
                open = {};
            } else if (fields[0] == "fact") {
                open.found.said = verdict_of(fields[4]);
                open.found.seen = fields[5];
                open.found.repetitions = std::atoll(fields[6].c_str());
                open.found.spread = fields[7].empty() ? 0 : std::strtod(fields[7].c_str(), nullptr);
                if (!fields[8].empty()) {
                    open.found.value = std::strtod(fields[8].c_str(), nullptr);
                }
                open.found.unit = fields[9];
                add(open);
                open = {};
            }
        };
        const conversation said = talk(k, asked, told, to, take);
        if (!has_device) {
            return !to.on.arch.empty() && add_kind(verdict::different, "the device is gone");
        }
        const bool by_signal = WIFSIGNALED(said.status);
        const int exited = WIFEXITED(said.status) ? WEXITSTATUS(said.status) : -1;
        const std::string how =
            said.timed_out ? (patience(asked, to) == 0
                                  ? std::string("the time is over")
                                  : format("no answer in %d seconds", answer_milliseconds / 1000))
            : by_signal    ? format("the process ended by signal %d", WTERMSIG(said.status))
                           : format("the process ended with status %d", exited);
        // What ends a program is not what was assumed; what takes too long tells nothing.
        const verdict ended = said.timed_out ? verdict::cannot : verdict::different;
        if (!open.name.empty()) {
            open.found.said = ended;
            open.found.seen = how;
            add(open);
        } else if (exited == 0) {
            return true;
        } else if (exited != failed_call_status) {
            return add_kind(ended, how);
        }
    }
}

std::string line_of(const fact& f) {
    std::string line =
        format("%-9s  %s/%s: assumed %s (%s); seen %s", name_of(f.found.said), f.kind.c_str(),
               f.name.c_str(), f.assumed.c_str(), f.source.c_str(), f.found.seen.c_str());
    if (f.found.repetitions > 1) {
        line += format("; %lld times", f.found.repetitions);
        if (f.found.spread > 0) {
            line += format(", spread %.1f %%", 100 * f.found.spread);
        }
    }
    return line;
}

std::string summary_of(const std::vector<fact>& facts) {
    struct counts {
        int of[3] = {};
    };
    counts all;
    std::map<std::string, counts> by_kind;
    for (const fact& f : facts) {
        const int v = static_cast<int>(f.found.said);
        ++all.of[v];
        ++by_kind[f.kind].of[v];
    }
    std::string line = format("%zu facts: %d same, %d different, %d cannot be told", facts.size(),
                              all.of[0], all.of[1], all.of[2]);
    const char* before = " (";
    for (const auto& [name, c] : by_kind) {
        line += format("%s%s: %d, %d, %d", before, name.c_str(), c.of[0], c.of[1], c.of[2]);
        before = "; ";
    }
    return line + (by_kind.empty() ? "" : ")");
}

std::string file_name(const device& on) {
    std::string name = "gpu_facts-";
    for (const char c : on.name.empty() ? on.arch : on.name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            name += c;
        } else if (name.back() != '-') {
            name += '-';
        }
    }
    return name + ".json";
}

std::string json_of(const result& r) {
    std::string text = "{\n  \"format\": \"gpu_facts 1\",\n";
    text += "  \"device\": " + json_text(r.on.name) + ",\n";
    text += "  \"arch\": " + json_text(r.on.arch) + ",\n";
    text += std::string("  \"emulated\": ") + (r.on.emulated ? "true" : "false") + ",\n";
    text += "  \"summary\": " + json_text(summary_of(r.facts)) + ",\n";
    text += "  \"facts\": [";
    const char* before = "\n";
    for (const fact& f : r.facts) {
        text += std::string(before) + "    {\"kind\": " + json_text(f.kind) +
                ", \"name\": " + json_text(f.name) +
                ", \"verdict\": " + json_text(name_of(f.found.said)) +
                ",\n     \"assumed\": " + json_text(f.assumed) +
                ", \"source\": " + json_text(f.source) +
                ",\n     \"seen\": " + json_text(f.found.seen) +
                format(", \"repetitions\": %lld, \"spread\": %.4g", f.found.repetitions,
                       f.found.spread);
        if (std::isfinite(f.found.value)) {
            text +=
                format(", \"value\": %.9g, \"unit\": ", f.found.value) + json_text(f.found.unit);
        }
        text += "}";
        before = ",\n";
    }
    return text + "\n  ]\n}\n";
}

}  // namespace gpu_facts
