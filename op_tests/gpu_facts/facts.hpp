// What gpu_facts is made of. A fact is something that this repository assumes about the hardware:
// a name, what is assumed and by which source, and a function that looks at the device. Whatever
// stands behind it, each fact is one line of output:
//
//   same       bits/v_exp_f32 error: assumed at most 1 ulp (ISA guide, 12.8); seen 0.51 ulp
//
// A kind of facts is a function, kinds[] lists them. Each runs in a process of its own, because a
// mistaken assumption may end it: a fault of memory does so on a GPU, a report on the emulator.
// What it said until then is kept, and another process goes on behind the fact that ended it.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gpu_facts {

enum class verdict { same, different, cannot };  // cannot be told
const char* name_of(verdict v);

struct device {
    std::string name;  // "AMD Instinct MI300X"; "gfx942, emulated"
    std::string arch;  // gfx942 or gfx950
    bool emulated = false;
    bool quick = false;  // fewer random operands and repetitions
};

// What looking at the device gave.
struct finding {
    verdict said = verdict::cannot;
    std::string seen;
    long long repetitions = 1;
    double spread = 0;            // (largest - smallest) / median of what was measured
    double value = std::nan("");  // if it is a number
    std::string unit;
};

struct fact {
    std::string kind;
    std::string name;
    std::string assumed;
    std::string source;
    finding found;
};

// The child's side: tells the parent each fact as soon as it is known.
class report {
public:
    // Facts in `told` are not looked at again, and only those whose name contains `part` are. With
    // `only_list` none is.
    report(int pipe, std::set<std::string> told, std::string part, bool only_list)
        : pipe_(pipe), told_(std::move(told)), part_(std::move(part)), only_list_(only_list) {}

    // Looks at the device, unless the fact has been told. A failed HIP call ends the process, as
    // the device may be of no use any more; the fact is `cannot` then, with the error's name, but
    // `different` where the error is that of a kernel that went wrong, as of a signal.
    // `name` is unique in its kind and the same on every run.
    void measure(const std::string& name, const std::string& assumed, const std::string& source,
                 const std::function<finding()>& look);

    // The same for a function that returns a text, which is to be `assumed`.
    void compare(const std::string& name, const std::string& assumed, const std::string& source,
                 const std::function<std::string()>& look);

private:
    int pipe_;
    std::set<std::string> told_;
    std::set<std::string> named_;  // in this process
    std::string part_;
    bool only_list_;
};

struct kind {
    const char* name;  // of --kind: letters and _
    void (*run)(const device&, report&);
    // OPUS_EMU_CHECK for it, unless it is set; null: the emulator's default. Facts do on purpose
    // what the emulator's checks report.
    const char* checks = nullptr;
};
extern const kind kinds[];
extern const std::size_t kind_count;

// One file each.
void bits(const device& on, report& to);
void memory_rules(const device& on, report& to);
void wait_states(const device& on, report& to);
void errata(const device& on, report& to);
void times(const device& on, report& to);

// The device that HIP has chosen. @throw std::runtime_error if it is neither gfx942 nor gfx950
device find_device();

// What is asked for on the command line.
struct request {
    bool quick = false;
    bool only_list = false;
    std::string part;  // of a fact's name
    // Behind it nothing is begun on a GPU, and what goes on is ended. The emulator takes its time.
    std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
};

struct result {
    device on;
    std::vector<fact> facts;
};

// The parent's side: runs a kind to its end, prints each fact as it comes, adds it to `to` and
// calls `keep`. A device that is gone, which was there for another kind, and a time that is over
// leave the fact "the kind itself".
// @return false if there is no device; what is wrong is on stderr
bool run_kind(const kind& k, const request& asked, result& to, const std::function<void()>& keep);

std::string line_of(const fact& f);
// "160 facts: 150 same, 0 different, 10 cannot be told (bits 90 + 0 + 6, ...)"
std::string summary_of(const std::vector<fact>& facts);
std::string json_of(const result& r);
// gpu_facts-gfx942-emulated.json
std::string file_name(const device& on);

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...);

}  // namespace gpu_facts
