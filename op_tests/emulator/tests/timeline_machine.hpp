// A wave that is recorded while it executes assembled instructions, for the tests of the timeline.
#pragma once

#include <string>

#include "machine.hpp"
#include "timeline/model.hpp"
#include "timeline/recorder.hpp"

namespace emu {

// What a wave of a micro-kernel executes, as the recorder saw it.
class recorded_machine : public machine {
public:
    explicit recorded_machine(gfx_target target, uint32_t lds_bytes = 0)
        : machine(target, lds_bytes), p(default_timeline_parameters(target)) {
        // They would be in each sum; tests of their own have them.
        p.valu_latency = 0;
        p.fetch_split_clocks = 0;
        p.dispatch_wave_clocks = 0;
    }

    // One group of one wave that executes the source and s_endpgm.
    timeline_record record(const std::string& source, const timeline_placement& placement = {}) {
        return record_groups(placement, 1, [&](uint64_t) { return source; });
    }

    // So many groups of one wave, each with a source of its own; group 0 is chosen.
    template <class Source>
    timeline_record record_groups(const timeline_placement& placement, uint64_t groups,
                                  Source&& source_of) {
        timeline_recorder recorder(p, {0}, placement);
        for (uint64_t g = 0; g < groups; ++g) {
            const std::vector<std::byte>& bytes = assemble(target(), source_of(g) + "\ns_endpgm\n");
            code_ = std::make_unique<program>(target(), bytes.data(), bytes.size(), base);
            timeline_group_recorder* group = recorder.group(g, 1);
            w().pc = base;
            w().status = wave_status::running;
            for (int executed = 0; w().status == wave_status::running; ++executed) {
                if (executed == 100000) {
                    ADD_FAILURE() << "the instructions do not end";
                    break;
                }
                const instruction& i = code_->at(w().pc);
                group->note(w(), i);
                step(w(), i);
                if (w().status != wave_status::ended) {
                    w().status = wave_status::running;
                }
            }
            group->finish();
        }
        return recorder.take();
    }

    // The time of so many waves of one group that all execute the source.
    timeline_result time(const std::string& source, size_t waves = 1) {
        timeline_record r = record(source);
        r.groups[0].waves.resize(waves, r.groups[0].waves[0]);
        return model_timeline(r, p);
    }
    uint64_t clocks(const std::string& source, size_t waves = 1) {
        return time(source, waves).clocks;
    }

    // The first turn of a SIMD that is not before `clock`.
    uint64_t turn(uint64_t clock, uint64_t simd = 0) const {
        uint64_t at = simd;
        while (at < clock) {
            at += p.issue_clocks;
        }
        return at;
    }

    // What record() has executed last.
    const program& code() const { return *code_; }

    timeline_parameters p;

private:
    std::unique_ptr<program> code_;
};

inline std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int n = 0; n < count; ++n) {
        all += text + "\n";
    }
    return all;
}

}  // namespace emu
